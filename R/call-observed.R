#' Find Where Functions Are Observed
#'
#' `observed()` returns, for each function, a step function that is 1 where the function is observed and
#' 0 where its value is missing.
#'
#' A function is not observed where its value is `NA`; see [pcf()] and [plf()]. Before its first
#' breakpoint it is 0, which counts as observed, unless its first time is `-Inf` with the value `NA`, as
#' when [as_pcf()] converts measurements, or, for a [plf], its first left limit is `NA`, as when
#' [as_plf()] does.
#'
#' `integral(observed(x), from, to)` is how long each function is observed, and `mean(observed(x))` is
#' the proportion of functions that are observed at each time.
#'
#' In contrast, [is.na()][pcf-methods] tells which elements of a collection are missing altogether, as
#' is needed for data frames.
#'
#' @inheritParams drop_redundant
#'
#' @return A [pcf] with the names and dimensions of `x`. The functions have breakpoints only where they
#'   change: a function that is observed everywhere gives `pcf(-Inf, 1)`, one that is never observed
#'   gives `pcf(0, 0)`.
#'
#' @inheritSection drop_redundant Errors
#'
#' @examples
#' # Observed from 0 to 5 and from 7 on
#' f <- pcf(c(-Inf, 0, 2, 5, 7), c(NA, 1, 3, NA, 2))
#' observed(f)
#' integral(observed(f), to = 10)
#' @export
observed <- function(x, threads = NULL) {
  x <- check_either(x)
  functions <- answer_value(.Call(ffi_observed, x, run_threads(threads)), x = x)
  new_pcf(shaped_as(functions, x), unit_of(x))
}

# ---- Ends of windows ----

# Checks the ends of windows for calls of check_integrals() with `missing = "error"`: all functions must
# be observed at finite ends of the window or, with a weight, of the part from where it is first to where
# it is last positive. An infinite end stands for the whole observed time.
check_ends_observed <- function(call) {
  window <- call$window
  if (weighs_nothing(call)) return()
  if (!is.null(call$weight)) {
    part <- window_of_weight(call$weight, window)
    window <- list(
      from = if (window$from > -Inf) part$from else -Inf, to = if (window$to < Inf) part$to else Inf
    )
  }
  sides <- c("x", if (!is.null(call$y)) "y")
  if (any(lengths(call[sides]) == 0)) return()
  for (argument in sides) {
    found <- unobserved_end(call[[argument]], window)
    if (is.null(found)) next
    check_functions(call[[argument]], call$arguments[[argument]])
    of <- if (!is.null(call$y)) paste0(" of `", call$arguments[[argument]], "`")
    abort_unobserved_end(found, call[[argument]], window, call$window, of)
  }
}

# Of the functions that are not observed at a finite end of the window, the one that allows the shortest
# window: list(function, at_end, time), where `time` is the time up to which (`at_end`), or from which
# on, it is observed. NULL if there is none.
unobserved_end <- function(x, window) {
  if (is.infinite(window$from) && is.infinite(window$to)) return(NULL)
  .Call(ffi_unobserved_end, x, c(window$from, window$to))
}

# The window, cut to where all functions of some collections are observed if that is the same window up to
# rounding, and whether they are observed at its ends: list(window, observed).
window_of_all <- function(sides, window) {
  for (x in sides[lengths(sides) > 0]) while (!is.null(found <- unobserved_end(x, window))) {
    end <- if (found$at_end) "to" else "from"
    cut <- replace(window, end, found$time)
    same <- cut$from < cut$to && !identical(cut, window) && is_same_time(window[[end]], found$time)
    if (!same) return(list(window = window, observed = FALSE))
    window <- cut
  }
  list(window = window, observed = TRUE)
}

# `given` is the user's window, and `window` the part that must be observed. `of` names the collection.
abort_unobserved_end <- function(found, x, window, given, of = NULL) {
  end <- describe_unobserved_end(found, x, window, given, of)
  until <- if (found$at_end) window$to else found$time
  early <- is_before_observation(until, .subset2(x, found$`function`))
  abort(
    "missing", argument = "missing", index = found$`function`,
    time = as_times(found$time, unit_of(x)), end,
    ", or set `missing = \"overlap\"` or `missing = \"mean\"`.",
    if (early) zero_before_hint
  )
}

# The message without its end: what is not observed, and what window would be allowed.
describe_unobserved_end <- function(found, x, window, given, of = NULL) {
  label <- paste0(function_label(found$`function`, x), of)
  if (found$time <= window$from || found$time >= window$to) {
    shown <- format_times(c(given$from, given$to), unit_of(x), 15)
    return(paste0(
      "The window is from ", shown[1], " to ", shown[2], ", and ", label,
      " is not observed in it. Choose another window"
    ))
  }
  end <- if (found$at_end) "to" else "from"
  begins <- if (found$at_end) c("The window ends at ", "The weight is positive up to ", "up to ", " of at most ")
            else c("The window begins at ", "The weight is positive from ", "from ", " of at least ")
  on <- if (!found$at_end) " on"
  weighted <- window[[end]] != given[[end]]
  shown <- format_times(c(window[[end]], found$time), unit_of(x), 15)
  time <- bound_text(shown[2], found$time, found$at_end)
  paste0(
    begins[1 + weighted], shown[1], if (weighted) on, ", but ", label,
    " is observed only ", begins[3], time, on, ". Choose a `", end, "`", begins[4], time
  )
}

# Uses more digits if the time rounded to fewer would not be allowed.
bound_text <- function(text, time, at_end) {
  beyond <- suppressWarnings(as.double(text)) - time
  if (isTRUE(if (at_end) beyond > 0 else beyond < 0)) exact_text(time) else text
}

zero_before_hint <- paste(
  " If functions are 0 before their first time, as counts are, make them with `before = 0`; see",
  "as_pcf()."
)

# What to do if a function `f` is not observed on a stretch because it is taken to be of measurements.
measured_hint <- function(stretch, f) {
  if (is_before_observation(stretch[2], f)) return(zero_before_hint)
  ended <- ncol(f) == 2 && all(is.na(f[f[, 1] >= stretch[1], 2]))
  if (ended) " If measurements keep their last value, as_pcf() holds it with `until = Inf`."
}

# Raises the error of `missing = "error"` unless each function is observed throughout its own window, as
# own_windows() gives them; an infinite end stands for the whole observed time.
check_observed_each <- function(x, own, threads = run_threads(NULL)) {
  answer <- .Call(ffi_unobserved_each, x, own$from, own$to, threads)
  found <- answer_value(answer, x = x)
  if (is.null(found)) return(invisible(x))
  i <- found$`function`
  shown <- format_times(c(own$from[i], own$to[i], found$from, found$to), unit_of(x), 15)
  hint <- if (found$to < Inf) measured_hint(c(found$from, found$to), .subset2(x, i))
  abort(
    "missing", argument = "missing", index = i,
    from = as_times(found$from, unit_of(x)), to = as_times(found$to, unit_of(x)),
    "The window of ", function_label(i, x), " is from ", shown[1], " to ", shown[2],
    ", but it is not observed from ", shown[3], " to ", shown[4],
    ". Choose another window, or set `missing = \"overlap\"` or `missing = \"mean\"`.", hint
  )
}

# ---- Differences ----

# Raises the error of `missing = "error"` unless all functions are observed on the same parts of the window.
check_same_observed <- function(x, from = -Inf, to = Inf, threads = run_threads(NULL)) {
  answer <- .Call(ffi_observed_difference, x, as.double(c(from, to)), threads)
  difference <- answer_value(answer, x = x)
  if (is.null(difference)) return(invisible(x))
  abort_observed_difference(difference, x)
}

# The same for piecewise linear functions, wherever the weight is not 0.
check_lines_observed <- function(call, threads) {
  if (call$missing != "error") return(invisible())
  x <- call$x
  if (!is.null(call$weight)) {
    known <- map_values(observed(x, threads), function(values) replace(values, values == 0, NA), "observed")
    call$x <- structure(known, parts = attr(x, "parts"))
    x <- weighted_functions(call, Inf, threads)
  }
  check_same_observed(x, call$window$from, call$window$to, threads)
}

# The error if a function is observed where another one is not. The other one is a function of `x`: the
# one at `other`, or the first.
abort_observed_difference <- function(difference, x, y = NULL, arguments = c("x", "y")) {
  i <- difference$`function`
  other <- difference$other %||% 1
  in_y <- isTRUE(difference$collection == 1)
  of <- function(k) if (!is.null(y)) paste0(" of `", arguments[[k]], "`")
  own <- paste0(function_label(i, if (in_y) y else x), of(in_y + 1))
  first <- paste0(function_label(other, x), of(1))
  pair <- if (difference$observed) c(own, first) else c(first, own)
  missing <- if (difference$observed) .subset2(x, other) else .subset2(if (in_y) y else x, i)
  stretch <- c(difference$from, difference$to)
  hint <- measured_hint(stretch, missing)
  parts <- attr(x, "parts")
  if (!is.null(parts)) {
    component <- of_component(stretch[1], stretch[2], parts)
    stretch <- component$ends
  }
  shown <- format_times(stretch, unit_of(x), 15)
  stretch <- as_times(stretch, unit_of(x))
  abort(
    "missing", argument = "missing", index = i,
    from = stretch[1], to = stretch[2],
    "The functions are not observed on the same stretches of the window",
    if (!is.null(parts)) paste(", in component", number(component$column)), ": ", pair[1], " is observed on [",
    shown[1], ", ", shown[2], "), and ", pair[2],
    " is not. Choose a window where all are, with `from =` and `to =`, or set ",
    "`missing = \"overlap\"` or `missing = \"mean\"`.", hint
  )
}

# Is a function unobserved at all times before this one?
is_before_observation <- function(time, f) {
  begins_unobserved(f) && all(is.na(f[f[, 1] < time, 2]))
}

# ---- Means over an infinite time ----

# The error for a function whose missing values leave no result.
abort_unobserved <- function(found, x, y, arguments) {
  if (!found$unbounded) abort_observed_difference(found, x, y, arguments)
  of <- if (!is.null(y)) paste0(" of `", arguments[["x"]], "`")
  end <- if (found$to == Inf) "to" else "from"
  who <- paste0(function_label(found$`function`, x), of, " and others ")
  without_end <- if (end == "to") "keep their last values forever" else "have values from -Inf on"
  abort(
    "missing", argument = "missing", index = found$`function`,
    endless_message(paste0(who, without_end), end, list(x, y))
  )
}

# The message for means over an infinite time: `who` is observed without end, and the argument `end`,
# "from" or "to", can bound the time. The first or last breakpoint is suggested.
endless_message <- function(who, end, collections) {
  times <- unlist(lapply(collections, finite_breakpoints))
  bound <- if (length(times) > 0) (if (end == "to") max else min)(times)
  code <- if (length(bound) > 0) time_code(bound, unit_of(collections[[1]]))
  which <- if (end == "to") "last" else "first"
  paste0(
    '`missing = "mean"` divides by the length of time for which functions are observed, and this ',
    "is infinite: ", who, ". Set a finite `", end, "`",
    if (!is.null(code)) paste0(", such as the ", which, " breakpoint: `", end, " = ", code, "`"),
    if (end == "to") ". as_pcf() makes functions that end, with `until`", "."
  )
}

# R code for a time; NULL unless it is a number or a date.
time_code <- function(time, unit) {
  if (is.null(unit) || is_calendar(unit)) return(format_numbers(time, 15))
  if (unit_kind(unit) == "Date") paste0('as.Date("', format_times(floor(time), unit, 15), '")')
}
