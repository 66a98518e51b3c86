# Time series of the packages zoo and xts. Nothing here needs them until there is such a series:
# the methods of their generics are registered when they are loaded.

#' Time series of zoo and xts
#'
#' `as_pcf()` reads series of the packages zoo and xts, and their `as.zoo()` and `as.xts()` turn
#' functions back into series.
#'
#' @param x For `as_pcf()`, a `zoo` or `xts` series of numbers: a vector, or a matrix with a series
#'   a column. For `as.zoo()` and `as.xts()`, a [pcf].
#' @inheritParams as_pcf
#' @param until From when on functions are not observed: `NULL` (they hold their last value), a
#'   time of the index, or `"last"` (each ends at its own last time, whose value then has no say).
#' @param ... Nothing: an argument that the methods do not have is an error.
#'
#' @details
#' Each series is a function that is not observed before its first time, holds every value until the
#' next time, and the last one for ever: a series with any times does not say when it ends. `until`
#' says so, and so does a last value `NA`. Counts, and other series that start from nothing, were 0
#' before their first time: `before = 0`.
#'
#' The index may have numbers, or times that become the [time_unit()]: `Date`, `POSIXct` and
#' `difftime`, and the months and quarters of the classes `yearmon` and `yearqtr`.
#'
#' On the way back, the index has the breakpoints of all functions, and the values are those from
#' each on. It has times of the [time_unit()], for calendars `yearmon` or `yearqtr` where all of
#' them are such. A series has no value before its first time: a function that has one there, by a
#' first time of `-Inf`, is an error, unless it is `NA` or 0, and so is a collection of no
#' functions. For xts, functions must have whole dates, date-times, or a calendar and breakpoints
#' that are months or quarters.
#'
#' @return `as_pcf()`: a [pcf] with a function for each series, and the names of the columns.
#'   `as.zoo()`, `as.xts()`: the series of one function are a vector, or a matrix with one column
#'   where `x` has names, those of more functions a matrix with one column a function. `as_pcf()`
#'   turns them back into equal functions, with `before = 0` if the functions are 0 before their
#'   first breakpoint.
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
as_pcf.zoo <- function(x, na.rm = FALSE, until = NULL, before = NA, ...) {
  check_unused(list(...), "a zoo series")
  check_flag(na.rm, "na.rm")
  needs_package(if (inherits(x, "xts")) "xts" else "zoo", "x", "is a series of")
  times <- zoo::index(x)
  values <- zoo::coredata(x)
  check_is(is_number(times), times, "x", "must have an index of numbers or times, and has ")
  check_is(is_number(values), values, "x", "must be numeric, and has ")
  series <- as_columns_pcf(as.matrix(values), times, na.rm, before, "x")
  if (is.null(until)) return(series)
  ends <- if (identical(until, "last")) last_times(series)
          else rep(until_time(until, unit_of(series), 'a finite time or "last"'), length(series))
  end_functions(series, ends, after = NA)
}

#' @rdname as.zoo.pcf
#' @exportS3Method zoo::as.zoo
as.zoo.pcf <- function(x, ...) {
  check_no_more(list(...))
  x <- check_series(x)
  times <- finite_breakpoints(x)
  values <- vapply(unclass(x), values_at, numeric(length(times)), times)
  dim(values) <- c(length(times), length(x))
  colnames(values) <- names(x)
  if (length(x) == 1 && is.null(names(x))) values <- values[, 1]
  zoo::zoo(values, as_index(times, unit_of(x)))
}

#' @rdname as.zoo.pcf
#' @exportS3Method xts::as.xts
as.xts.pcf <- function(x, ...) {
  check_no_more(list(...))
  if (unit_kind(unit_of(x)) %in% c("number", "difftime")) {
    abort_argument(
      "x", "must have dates, date-times or a calendar as times, and has ",
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
    paste0("no beginning of a ", if (attr(unit, "frequency") == 12) "month" else "quarter",
           ". zoo::as.zoo() takes any times.")
  } else {
    'not a whole day. time_unit(x) <- "POSIXct" makes the dates date-times, which keep it.'
  }
  time <- format_times(times[!whole][1], unit, 15)
  abort_argument("x", "cannot be an xts series: it has the time ", time, ", which is ", problem)
}

finite_breakpoints <- function(x) {
  times <- all_times(x)
  times[is.finite(times)]
}

# There is a series, and it has no value before its first time.
check_series <- function(x) {
  x <- check_functions(check_pcf(x))
  if (length(x) == 0) abort_argument("x", "has no functions, and there is no series of none.")
  before <- values_before(x)
  wrong <- which(!is.na(before) & before != 0, useNames = FALSE)
  if (length(wrong) == 0) return(x)
  abort_argument(
    "x", "cannot be a series: ", function_label(wrong[1], x), " has the value ",
    number(before[[wrong[1]]]), " from -Inf on. restrict() with `from` gives it a start."
  )
}

# Times as the index of a series.
as_index <- function(times, unit) {
  if (!is_calendar(unit)) return(as_times(times, unit))
  frequency <- attr(unit, "frequency")
  if (!all(on_calendar(times, frequency))) return(times)
  if (frequency == 12) zoo::as.yearmon(times) else zoo::as.yearqtr(times)
}
