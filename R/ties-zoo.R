# Time series of the packages zoo and xts, which are needed only if there is such a series: methods for their
# generics are registered when they are loaded.

#' Convert to and from Time Series of zoo and xts
#'
#' `as_pcf()` converts series of the packages zoo and xts to functions; their generics `as.zoo()` and
#' `as.xts()` convert functions to series.
#'
#' @param x For `as_pcf()`, a numeric `zoo` or `xts` series: a vector, or a matrix with one series in each
#'   column. For `as.zoo()` and `as.xts()`, a [pcf].
#' @inheritParams as_pcf
#' @param until The time at which observation ends: `"last"`, the last time of each series; a time in the unit of the
#'   index; or `Inf` to hold the last value forever. `NULL`, the default, is `"last"` or, if `before` is a number,
#'   `Inf`. A value at the end is observed.
#' @param ... Must be empty.
#'
#' @details
#' Each series becomes a function that is observed from its first time up to and including its last, and keeps each
#' value until the next time. Set `until = Inf` to hold the last value forever, and `before = 0` for counts and
#' other series that are 0 before their first time.
#'
#' The index may be numeric, or of class `Date`, `POSIXct`, `difftime`, `yearmon` or `yearqtr`, which
#' determines the [time_unit()].
#'
#' In the other direction, the index consists of the breakpoints of all functions, and the series has the
#' values from each breakpoint on. The index has the [time_unit()]; for calendars it is a `yearmon` or
#' `yearqtr` if all breakpoints are beginnings of months or quarters. Since a series has no values before its
#' first time, an error is raised if a function is neither `NA` nor 0 from `-Inf` on, or if there are no
#' functions. For xts, the times must be whole days if they are dates, date-times, or beginnings of months or
#' quarters.
#'
#' @return `as_pcf()`: a [pcf] with one function for each series, named after the columns. `as.zoo()` and
#'   `as.xts()`: for a single function without a name, a vector series; otherwise a matrix series with one
#'   column for each function. `as_pcf()` converts these back to equal functions, with `before = 0` if the
#'   functions are 0 before their first breakpoint, or `until = Inf` if they hold their last value.
#'
#' @inheritSection as_pcf Errors
#'
#' @seealso [as_pcf()] for `ts` and other objects, [time_unit()]
#'
#' @examples
#' if (requireNamespace("zoo", quietly = TRUE)) {
#'   days <- as.Date("2024-02-27") + c(0, 2, 5)
#'   series <- zoo::zoo(cbind(a = c(1, 3, 0), b = c(2, NA, 0)), days)
#'   x <- as_pcf(series)
#'   x
#'   zoo::as.zoo(x)
#' }
#' @name as.zoo.pcf
NULL

#' @rdname as.zoo.pcf
#' @export
as_pcf.zoo <- function(x, na.rm = FALSE, until = NULL, before = NA, ..., gaps = NULL) {
  check_unused(list(...), "a zoo series")
  na.rm <- check_flag(na.rm, "na.rm")
  needs_package(if (inherits(x, "xts")) "xts" else "zoo", "x", "is a series of")
  parts <- read_parts(x, "zoo", list(zoo::index(x), zoo::coredata(x)), function(parts) {
    length(parts[[1]]) == NROW(parts[[2]])
  })
  times <- parts[[1]]
  values <- parts[[2]]
  check_is(is_number(times), times, "x", "must have an index of numbers or times, not ")
  check_is(is_number(values), values, "x", "must have numeric values, not ")
  as_columns_pcf(as.matrix(values), times, na.rm, before, until, "x", gaps)
}

#' @rdname as.zoo.pcf
#' @usage \method{as.zoo}{pcf}(x, ...)
#' @exportS3Method zoo::as.zoo
as.zoo.pcf <- function(x, ...) {
  check_no_more(list(...))
  x <- check_series(x)
  times <- finite_breakpoints(x)
  values <- vapply(unclass(x), values_at, numeric(length(times)), times)
  values <- matrix(values, length(times), length(x), dimnames = any_labels(list(NULL, names(x))))
  if (length(x) == 1 && is.null(names(x))) values <- values[, 1]
  zoo::zoo(values, as_index(times, unit_of(x)))
}

#' @rdname as.zoo.pcf
#' @usage \method{as.xts}{pcf}(x, ...)
#' @exportS3Method xts::as.xts
as.xts.pcf <- function(x, ...) {
  check_no_more(list(...))
  if (unit_kind(unit_of(x)) %in% c("number", "difftime")) {
    abort_argument(
      "x", "must have dates, date-times or a calendar as times, not ",
      describe_unit(unit_of(x)), ". time_unit(x) <- sets the unit."
    )
  }
  x <- check_series(x)
  check_xts_times(finite_breakpoints(x), unit_of(x))
  xts::as.xts(as.zoo.pcf(x))
}

# An xts series of dates has whole days, one of a calendar whole months or quarters.
check_xts_times <- function(times, unit) {
  whole <- switch(unit_kind(unit),
    Date = times == floor(times),
    pcf_calendar = on_calendar(times, attr(unit, "frequency")),
    TRUE
  )
  if (all(whole)) return()
  problem <- if (is_calendar(unit)) {
    paste0("not the beginning of a ", if (attr(unit, "frequency") == 12) "month" else "quarter",
           ". zoo::as.zoo() takes any times.")
  } else {
    'not a whole day. time_unit(x) <- "POSIXct" converts dates to date-times, which keep it.'
  }
  time <- format_times(times[!whole][1], unit, 15)
  abort_argument("x", "cannot become an xts series: it has the time ", time, ", which is ", problem)
}

# Can the functions be a series? There must be at least one, and none has a value before its first time.
check_series <- function(x) {
  x <- check_functions(check_pcf(x))
  if (length(x) == 0) abort_argument("x", "must have at least one function to become a series.")
  before <- values_before(x)
  wrong <- which(!is.na(before) & before != 0, useNames = FALSE)
  if (length(wrong) == 0) return(x)
  abort_argument(
    "x", "cannot become a series: ", function_label(wrong[1], x), " has the value ",
    number(before[[wrong[1]]]), " from -Inf on. Use restrict() with `from` first."
  )
}

# Times as the index of a series.
as_index <- function(times, unit) {
  if (!is_calendar(unit)) return(as_times(times, unit))
  frequency <- attr(unit, "frequency")
  if (!all(on_calendar(times, frequency))) return(times)
  if (frequency == 12) zoo::as.yearmon(times) else zoo::as.yearqtr(times)
}
