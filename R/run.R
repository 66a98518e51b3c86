# From checked arguments to C and back: requests, answers and their errors.

# Computes or, for the output "none", plans. `request` comes from new_request(),
# `settings` from run_settings(). `arguments` are the names of the user's arguments. `what` is
# computed; that of overlaps is often infinite.
run_pairwise <- function(x, y, request, settings, arguments = c(x = "x", y = "y"),
                         what = "distance") {
  on.exit(end_bar())
  if (is.null(request$file)) {
    answer <- .Call(ffi_pairwise, x, y, request, settings)
    check_pairs(answer, x, y, arguments)
    if (request$output == "none") return(answer)
    the$last_run <- answer$report
  } else {
    answer <- list(value = run_stored(x, y, request, settings, arguments))
  }
  if (what != "overlap") {
    warn_infinite(answer$value, what, list(x, y), request$from, request$to)
  }
  answer
}

# Raises the error of an answer about pairs, if it is one.
check_pairs <- function(answer, x, y, arguments) {
  if (!is.null(answer$unobserved)) {
    abort_unobserved(answer$unobserved, x, y, arguments)
  }
  answer_value(answer, x = x, y = y, argument = arguments[[answer$argument]])
}

# The value of an answer of C, or its error. `...` are the collections by the names that C has
# for them, which are those of the arguments in which the user gave them, unless `argument`
# says otherwise.
answer_value <- function(answer, ..., argument = answer$argument) {
  if (!is.null(answer$problem)) {
    abort_function(answer$problem, list(...)[[answer$argument]], argument)
  }
  if (!is.null(answer$status)) abort(answer$status, answer$message)
  answer$value
}

# The error for a function because of whose missing values there is no answer.
abort_unobserved <- function(found, x, y, arguments) {
  if (!found$unbounded) abort_observed_difference(found, x, y, arguments)
  of <- if (!is.null(y)) paste0(" of `", arguments[["x"]], "`")
  end <- if (found$to == Inf) "to" else "from"
  who <- paste0(function_label(found$`function`, x), of, " and others ")
  without_end <- if (end == "to") "hold their last values for ever" else "have values from -Inf on"
  abort(
    "missing", argument = "missing", index = found$`function`,
    endless_message(paste0(who, without_end), end, list(x, y))
  )
}

# The message where a mean would be one over an infinite time: `who` is observed without end, and
# which argument, "from" or "to", says otherwise. The first or last breakpoint is a value to begin
# with.
endless_message <- function(who, end, collections) {
  times <- unlist(lapply(unlist(lapply(collections, unclass), FALSE), function(f) f[, 1]))
  times <- times[is.finite(times)]
  bound <- if (length(times) > 0) (if (end == "to") max else min)(times)
  code <- if (length(bound) > 0) time_code(bound, unit_of(collections[[1]]))
  paste0(
    '`missing = "mean"` divides by the length of time for which functions are observed, and this ',
    "is infinite: ", who, ". ",
    if (is.null(code)) paste0("Give a finite `", end, "`")
    else paste0(
      "Give a finite `", end, "`, such as the ", if (end == "to") "last" else "first",
      " breakpoint: `", end, " = ", code, "`"
    ),
    if (end == "to") ". Functions end by themselves with `until =` of as_pcf()", "."
  )
}

# A time as one writes it in R; NULL where that takes more than a number or a date.
time_code <- function(time, unit) {
  if (is.null(unit) || is_calendar(unit)) return(format_numbers(time, 15))
  if (unit_kind(unit) == "Date") paste0('as.Date("', format_times(floor(time), unit, 15), '")')
}

# The same answer with the indices of all functions, where C was given those at `kept` alone.
answer_about <- function(answer, kept) {
  if (!is.null(kept) && !is.null(answer$problem)) {
    answer$problem$`function` <- as.double(kept)[answer$problem$`function`]
  }
  answer
}

# For distances of a call of check_integrals(); `operation` comes from operation_of().
request_for <- function(call, operation, output, mode, attributes = list(), file = NULL) {
  request <- new_request(output, mode, operation$name, operation$exponent, call$window, call$missing,
                         attributes, file, call$weight)
  c(request, recorded = operation$recorded)
}

# `attributes` are those of the result. C sets them, since R would copy the result.
# `window` and `weight` come from check_integrals(), `file` from check_file().
new_request <- function(output, mode, operation, p, window, missing = "error",
                        attributes = list(), file = NULL, weight = NULL) {
  list(output = output, mode = mode, operation = operation, p = as.double(p),
       from = window$from, to = window$to, missing = missing, attributes = attributes,
       file = file, weight = weight)
}
