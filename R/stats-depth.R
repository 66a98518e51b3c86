#' Depth of functions
#'
#' `functional_depth()` says how deep each function lies among all functions of a collection: the deepest one is
#' a median, and the least deep ones are at the edge, or outliers. [boxplot()][boxplot.pcf] draws them.
#'
#' With \eqn{n(t)} functions observed at the time \eqn{t}, of which \eqn{L(t)} are below a function and \eqn{U(t)}
#' above it, its depth at that time is
#'
#' * `"band"`: \eqn{1 - [C(L, 2) + C(U, 2)] / C(n, 2)}{1 - (choose(L, 2) + choose(U, 2)) / choose(n, 2)}, the share of
#'   the pairs of functions between which it lies, itself among them. This is the modified band depth of López-Pintado
#'   and Romo (2009), with bands of two functions. In contrast to the formula \eqn{(L U + n - 1) / C(n, 2)}{(L U + n -
#'   1) / choose(n, 2)}, it is right where functions have the same value: a function on the edge of a band lies in it.
#' * `"integrated"`: \eqn{1 - |1/2 - F|} for the share \eqn{F = (n - U) / n} of functions that are not above it
#'   (Fraiman and Muniz 2001).
#'
#' The depth of the function is the mean over the time at which it is observed, weighted by \eqn{n(t)} (Elías and
#' others 2022) and by `weight`.
#'
#' It is exact: functions are compared wherever one of them changes or two of them cross, and not on a grid. Of the
#' three straight lines from 0 to 10, from 10 to 0 and from 4 to 4 on \[0, 1\], each of the first two is in the middle
#' for a tenth of the time and has the depth 0.7: at most times, it lies only in the two bands that it
#' bounds itself. On a grid it depends on the grid; see the article on depth.
#'
#' @section Cost:
#' Depths of step functions take time proportional to \eqn{M \log M} for \eqn{M} breakpoints in total: a sweep over
#' time keeps the functions in the order of their values. Depths of piecewise linear functions are computed from all
#' pairs, since any two may cross at each of their lines; collections of more than 10,000 are refused. The result is
#' the same, to the last bit, for any number of threads and any order of the functions.
#'
#' @param x A collection of functions: a [pcf] or a [plf].
#' @param type `"band"` or `"integrated"`; see Details.
#' @param from,to The window: numbers, or times of the [time_unit()]. It must be finite where functions are observed
#'   without end, as a mean over an infinite time would not depend on the rest.
#' @param missing With `"error"`, the default, all functions must be observed on the same stretches of the window. With
#'   `"mean"`, each is compared, at the times at which it is observed, with those that are observed then.
#' @param weight `NULL`, or a step function by which times are weighted, as in [pdist()].
#' @param threads The number of threads; see [pcfdist_options].
#'
#' @return A numeric vector with the names and dimensions of `x`, of numbers from 0 to 1.
#'
#' @section Errors:
#' Invalid arguments raise errors of class `pcfdist_error_<argument>`; among them are collections with a function
#' that is not observed in the window or, for `"band"`, never together with another one.
#'
#' @encoding UTF-8
#' @references
#' López-Pintado, S. and Romo, J. (2009). On the concept of depth for functional data. *Journal of the American
#' Statistical Association* 104, 718-734. \doi{10.1198/jasa.2009.0108}
#'
#' Fraiman, R. and Muniz, G. (2001). Trimmed means for functional data. *Test* 10, 419-440. \doi{10.1007/BF02595706}
#'
#' Elías, A., Jiménez, R., Paganoni, A. M. and Sangalli, L. M. (2022). Integrated depths for partially observed
#' functional data. *Journal of Computational and Graphical Statistics* 32, 341-352.
#' \doi{10.1080/10618600.2022.2070171}
#'
#' @seealso [boxplot()][boxplot.pcf]; [lof()], which finds outliers by their neighbours
#'
#' @examples
#' lines <- plf(c(0, 1), list(up = c(0, 10), down = c(10, 0), level = c(4, 4)))
#' functional_depth(lines, from = 0, to = 1)
#'
#' # Chicks, of which some were weighed for a shorter time
#' chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#' depth <- functional_depth(chicks, missing = "mean")
#' sort(depth, decreasing = TRUE)[1:3]
#' @export
functional_depth <- function(x, type = c("band", "integrated"), from = -Inf, to = Inf,
                             missing = c("error", "mean"), weight = NULL, threads = NULL) {
  depths_in_window(x, type, from, to, missing, weight, threads)$depth
}

# list(depth, window), with the window of finite_window(), for the arguments of functional_depth().
depths_in_window <- function(x, type, from, to, missing, weight, threads) {
  type <- check_option(type, "type", c("band", "integrated"))
  missing <- check_option(missing, "missing", c("error", "mean"))
  x <- check_either(x)
  window <- check_window(from, to, unit_of(x), empty = FALSE)
  call <- only_means(check_integrals(x, NULL, from, to, missing, weight))
  x <- check_functions(call$x)
  if (length(x) == 0) return(list(depth = shaped_as(numeric(), x), window = window))
  check_depth(call, type)
  window <- finite_window(call)
  threads <- run_threads(threads)
  if (missing == "error") only_means(check_depth_observed(call, window, threads))
  offset <- if (is_plf(x)) offset_of(x) else 0
  lower <- if (offset == 0) x else map_functions(x, function(f) replace(f, -seq_len(nrow(f)), f[, -1] - offset))
  answer <- .Call(ffi_depths, lower, type, c(window$from, window$to), call$weight, offset, threads)
  depth <- answer_value(answer, x = x)
  check_compared(depth, x, window, threads)
  list(depth = shaped_as(depth, x), window = window)
}

# Lines that are near to each other beside their values would cross at times with few digits. One of the values is
# subtracted from all, or 0 if that rounds any of them: the order of values stays. It is the least one, whatever the
# order of the functions.
offset_of <- function(x) {
  functions <- unclass(x)
  values <- unlist(lapply(functions, function(f) f[, 3:2]))
  offset <- min(unlist(lapply(functions, function(f) f[, 3])), Inf, na.rm = TRUE)
  lower <- values - offset
  if (offset < Inf && all(lower + offset == values & values - lower == offset, na.rm = TRUE)) offset else 0
}

# ---- Checks ----

most_lines <- 10000

check_depth <- function(call, type) {
  x <- call$x
  if (type == "band" && length(x) == 1) {
    abort_argument("x", "must have at least two functions: a band is between two. With `type = \"integrated\"` ",
                   "one is enough.")
  }
  if (is_plf(x) && length(x) > most_lines) {
    abort_argument(
      "x", "has ", number(length(x), big.mark = ","), " piecewise linear functions, but depths of these are computed ",
      "from all pairs, of at most ", number(most_lines, big.mark = ","), " functions. Take a part of them, as in ",
      "x[sample(length(x), ", number(most_lines), ")], or step functions, which have no such limit."
    )
  }
  if (weighs_nothing(call)) abort_argument("weight", "must be positive somewhere in the window.")
}

# The window, cut to the time at which functions are observed where it has no end, which must be finite.
finite_window <- function(call) {
  x <- call$x
  window <- call$window
  for (end in names(window)[is.infinite(unlist(window))]) {
    beyond <- if (end == "from") values_before(x) else values_after(x)
    times <- finite_breakpoints(x)
    bound <- if (end == "from") min(times, Inf) else max(times, -Inf)
    endless <- which(!is.na(beyond))[1]
    if (!is.na(endless)) abort_endless(endless, x, end, bound)
    window[[end]] <- bound
  }
  if (isTRUE(window$from < window$to)) return(window)
  abort_argument("x", "is not observed in the window: all values are missing there.")
}

abort_endless <- function(i, x, end, bound) {
  code <- if (is.finite(bound)) time_code(bound, unit_of(x))
  abort(
    end, argument = end, index = i, "A mean over time needs a finite window, but ", function_label(i, x),
    if (end == "to") " keeps its last value forever" else " is 0, or has a value, from -Inf on", ". Set `", end, "`",
    if (!is.null(code)) paste0(
      ", for example to the ", if (end == "to") "last" else "first", " breakpoint: `", end, " = ", code, "`"
    ), "."
  )
}

# Depths are means: errors suggest no `missing = "overlap"`.
only_means <- function(code) {
  tryCatch(code, pcfdist_error_missing = function(error) {
    error$message <- sub("`missing = \"overlap\"` or ", "", error$message, fixed = TRUE)
    stop(error)
  })
}

# Functions must be observed on the same stretches on which the weight is not 0.
check_depth_observed <- function(call, window, threads) {
  call$window <- window
  if (!is.null(call$weight)) return(check_lines_observed(call, threads))
  check_same_observed(call$x, window$from, window$to, threads)
}

# Every function must have been compared with others, or have been observed at all.
check_compared <- function(depth, x, window, threads) {
  i <- which(is.na(depth))[1]
  if (is.na(i)) return()
  alone <- total_lengths(observed(x[i], threads), window, threads) > 0
  shown <- format_times(c(window$from, window$to), unit_of(x), 15)
  abort(
    "missing", argument = "missing", index = i, "From ", shown[1], " to ", shown[2], ", ", function_label(i, x),
    if (alone) " is never observed, with a positive weight, together with another function, so that no band can hold it"
    else " is not observed", ". Leave it out, or choose another window", if (alone) " or `type = \"integrated\"`", "."
  )
}
