#' Shift and Scale the Times of Functions
#'
#' `shift_time()` moves functions to later times (`by > 0`) or earlier times (`by < 0`): the result at time
#' t is the function at t - by. With `since`, times are counted since a time of each function, such as a diagnosis or
#' the start of treatment, which becomes 0. `scale_time()` multiplies all times by a positive number: the result at time
#' t is the function at t / by. Values and first times of `-Inf` do not change.
#'
#' An error is raised if times become equal by rounding, which happens when close times are moved far away,
#' since a piece of the function would be lost. The exception is a time that is the next larger double after
#' the one before, as at the end of survival curves (see [as_pcf.survfit()]), which remains the next larger one.
#'
#' `scale_time()` is meant for times that are plain numbers or time differences. It is an error for dates
#' and date-times, whose numbers count from 1970, and for the years of a calendar; `time_unit(x) <- NULL`
#' turns these into plain numbers. To express the same times in another unit, set the [time_unit()].
#'
#' @inheritParams drop_redundant
#' @param by A vector of finite numbers, which must be positive for `scale_time()`: one for all functions, or
#'   one for each. For `shift_time()` and functions with a [time_unit()], a `difftime`. Elements are matched
#'   by name if `by` and the functions have names. The shorter of `x` and `by` is recycled, with a warning
#'   if the longer length is not a multiple of the shorter one.
#' @param since A vector of finite numbers or, for functions with a [time_unit()], of times, instead of `by`: one for
#'   all functions, or one for each, matched by name as `by`. A single function is repeated for several.
#'
#' @return A collection of the class of `x`, with the names and dimensions of `x`, as for
#'   [arithmetic][pcf-algebra] with numbers. With `since`, the times of dates and date-times are time differences in
#'   days and in seconds, which the [time_unit()] changes, and those of a calendar plain numbers of years.
#'
#' @section Errors:
#' Times that become equal or infinite raise an error of class `pcfdist_error_by` that names the function.
#' Other invalid arguments raise an error of class `pcfdist_error_<argument>`.
#'
#' @seealso [restrict()], [Arithmetic][pcf-algebra] for the values
#'
#' @examples
#' f <- pcf(c(0, 2, 5), c(1, 3, 0))
#' shift_time(f, 10)
#' shift_time(f, c(day1 = 0, day2 = 24))
#'
#' # Days since the diagnosis of each patient
#' visits <- pcf(
#'   list(a = as.Date(c("2024-03-01", "2024-03-08")), b = as.Date(c("2023-11-10", "2024-01-02"))),
#'   list(c(5, 0), c(7, 0))
#' )
#' shift_time(visits, since = as.Date(c(b = "2023-11-10", a = "2024-02-28")))
#'
#' # From hours to minutes
#' scale_time(f, 60)
#' @export
shift_time <- function(x, by, threads = NULL, since = NULL) {
  x <- check_either(x)
  if (!is.null(since)) {
    if (!missing(by)) abort_argument("since", "cannot be given together with `by`.")
    return(count_since(x, since, threads))
  }
  check_given(by, "by", "a length of time")
  check_not_instants(by, unit_of(x))
  if (!inherits(by, "difftime")) check_plain_numbers(by, "by")
  by <- check_every(is.finite, lengths_in(by, unit_of(x), "by"), "by", "finite")
  map_times(x, by, `+`, threads)
}

check_not_instants <- function(by, unit) {
  if (!inherits(by, c("Date", "POSIXt")) || unit_family(unit) != "instants") return()
  abort_argument(
    "by", "must be a length of time, a difftime, not ", describe_unit(unit_from(without_parts(by))),
    ". To count times since those of each function, use shift_time(x, since = )."
  )
}

# Times as lengths since one of each function.
count_since <- function(x, since, threads) {
  since <- without_parts(since)
  unit <- unit_of(x)
  what <- if (is.null(unit)) "numbers" else "times"
  hint <- if (!is.null(unit)) text_hint(since, "since", unit = unit)
  check_is(is_number(since) && !is.logical(since), since, "since", "must be ", what, ", not ", hint = hint)
  fits <- length(x) <= 1 || length(since) %in% c(1, length(x))
  if (!fits) abort_argument(
    "since", "must be one ", sub("s$", "", what), ", or one for each of the ", length(x), " functions, not ",
    length(since), "."
  )
  numbers <- times_in(since, unit, "since")
  k <- which(!is.finite(numbers))[1]
  if (!is.na(k)) abort_argument("since", "must be finite, but is ", number(numbers[[k]]), " at position ", k, ".")
  counted <- map_times(x, -numbers, `+`, threads, "since")
  kind <- unit_kind(unit)
  lengths <- if (kind %in% c("Date", "POSIXct")) .difftime(numeric(), length_units(unit))
             else if (kind == "difftime") unit
  like(counted, counted, lengths)
}

#' @rdname shift_time
#' @export
scale_time <- function(x, by, threads = NULL) {
  x <- check_either(x)
  check_given(by, "by", "a positive number")
  check_plain_numbers(by, "by")
  check_every(is.finite, by, "by", "finite")
  check_every(function(by) by > 0, by, "by", "positive")
  if (!unit_kind(unit_of(x)) %in% c("number", "difftime")) {
    abort_argument(
      "x", "must have time differences or plain numbers as times, not ",
      describe_unit(unit_of(x)), ". time_unit(x) <- NULL makes them plain numbers."
    )
  }
  map_times(x, by, `*`, threads)
}

# The functions with `change(times, by)` as times, both recycled.
map_times <- function(x, by, change, threads, argument = "by") {
  threads <- run_threads(threads)
  by <- match_names(by, names(x), argument)
  shape <- combined_shape(x, by, c("x", argument))
  n <- length(shape)
  if (length(x) != n) x <- x[rep_len(seq_along(x), n)]
  if (is_plf(x)) check_functions(x)
  x <- measured_to_the_end(x)
  times <- column_of(x, "time", threads = threads)
  breakpoints <- breakpoints_of(x)
  each <- if (length(by) == 1) by else rep(rep_len(as.vector(by), n), breakpoints)
  first <- cumsum(breakpoints) - breakpoints + 1
  changed <- convert(change(times, each), unit_of(x), unit_of(x))
  changed <- keep_next(changed, replace(is_next_time(times), first, FALSE))
  moved <- with_column(x, "time", changed, threads = threads)
  if (!is.null(moved$fault)) abort_times(moved, x, argument)
  result <- like(x, with_shape(moved$functions, attributes(shape)))
  if (is_plf(x)) check_functions(result, argument) else result
}

abort_times <- function(moved, x, argument) {
  i <- moved$fault[1]
  k <- moved$fault[2]
  before <- .subset2(x, i)[, 1]
  text <- function(time) format_times(time, unit_of(x), 15)
  after <- .subset2(moved$functions, i)[k, 1]
  what <- if (is.finite(after)) {
    both <- before[c(k - 1, k)]
    paste("times", paste(text(both), collapse = " and "), "would both be", text(c(both, after))[3])
  } else {
    paste("time", text(before[k]), "would be", text(after))
  }
  abort(
    argument, "`", argument, "` is too large or too small: of ", function_label(i, x), ", the ", what, ".",
    argument = argument, index = i
  )
}
