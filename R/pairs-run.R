# Calls of C with checked arguments: requests, answers and their errors.

# Computes results for pairs or, for the output "none", plans them. `request` comes from request_for(),
# `settings` from run_settings(). `arguments` are the names of the user's arguments. `what` is the name of
# the results in warnings; overlaps are often infinite, and raise none.
run_pairwise <- function(x, y, request, settings, arguments = c(x = "x", y = "y"),
                         what = "distance") {
  planned <- request$output == "none"
  answer <- if (is.null(request$file)) {
    run_reported(.Call(ffi_pairwise, x, y, request, settings), x, y, arguments, planned)
  } else {
    list(value = run_stored(x, y, request, settings, arguments))
  }
  if (planned || what == "overlap") return(answer)
  warn_infinite(answer$value, what, list(x, y), request)
  if (is.null(request$file) && request$missing != "error") {
    warn_apart(answer$value, what, request)
  }
  answer
}

# One warning if there are results NA, of pairs of functions that are never observed at the same time or not for as
# long as `min_overlap`. NaN is an integral that would be infinite with both signs.
warn_apart <- function(results, what, request) {
  if (!anyNA(results)) return(invisible())
  numbers <- function(k) .subset(results, k)
  apart <- sum(vapply(runs_of(length(results), 1e6), function(k) sum(is.na(numbers(k)) & !is.nan(numbers(k))), 0))
  all <- length(results)
  if (request$output == "symmetric") { # each pair counts once
    own <- diag(results)
    apart <- (apart + sum(is.na(own) & !is.nan(own))) / 2
    all <- (all + length(own)) / 2
  }
  if (apart > 0) warn(
    "missing", number(apart, big.mark = ","), " of ", number(all, big.mark = ","), " ", what, plural(all), " ",
    if (apart == 1) "is" else "are", " NA, since the functions of ", if (apart == 1) "this pair" else "these pairs",
    " are ", if (request$min_overlap > 0) "observed at the same time for less than `min_overlap`"
    else "never observed at the same time",
    " in the window. overlap() gives the lengths of time that pairs share.",
    count = apart
  )
}

# Evaluates a call of C about pairs and returns its answer, or raises its error. The report is kept for
# last_run(), unless the pairs are only planned.
run_reported <- function(answer, x, y, arguments, planned = FALSE) {
  on.exit(end_bar())
  check_pairs(answer, x, y, arguments)
  if (!planned) the$last_run <- answer$report
  answer
}

# Raises the error of an answer about pairs, if there is one.
check_pairs <- function(answer, x, y, arguments) {
  if (!is.null(answer$unobserved)) {
    abort_unobserved(answer$unobserved, x, y, arguments)
  }
  answer_value(answer, x = x, y = y, argument = arguments[[answer$argument]])
}

# The value of an answer of C, or its error. `...` are the collections, by the names that C uses. These are
# also the names of the user's arguments, unless `argument` is given.
answer_value <- function(answer, ..., argument = answer$argument) {
  if (!is.null(answer$problem)) {
    abort_function(answer$problem, list(...)[[answer$argument]], argument)
  }
  if (!is.null(answer$status)) abort(answer$status, answer$message)
  answer$value
}

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

# The same answer with indices among all functions, if C was given only those at `kept`.
answer_about <- function(answer, kept) {
  if (!is.null(kept) && !is.null(answer$problem)) {
    answer$problem$`function` <- as.double(kept)[answer$problem$`function`]
  }
  answer
}

# The request for results of a call of check_integrals(). `operation` comes from operation_of(), or is a list
# of a name and an exponent; `file` comes from check_file(). `attributes` are those of the result, which C
# sets, since R would copy the result.
request_for <- function(call, operation, output, mode, attributes = list(), file = NULL) {
  list(
    output = output, mode = mode, operation = operation$name, p = as.double(operation$exponent),
    from = call$window$from, to = call$window$to, missing = call$missing, min_overlap = call$min_overlap %||% 0,
    attributes = attributes, file = file, weight = call$weight, recorded = operation$recorded
  )
}
