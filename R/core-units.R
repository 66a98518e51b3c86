# Units of time of collections: which they have, and how several are converted to one.

# The times of several functions, a list, as numbers in one unit: list(times, unit).
read_times <- function(times, argument = "times") {
  if (!any(vapply(times, is.object, NA))) return(list(times = times))
  units <- lapply(times, unit_from)
  timed <- !vapply(units, is.null, NA) | !vapply(times, function(t) all(is.infinite(t)), NA)
  unit <- fold_units(units, which(timed), function(i, unit) {
    place <- paste0("is invalid: ", function_label(i, times), " ")
    abort_units(argument, place, units[[i]], "the one before", unit)
  })
  list(times = lapply(times, times_in, unit, argument), unit = unit)
}

#' The Time Unit of Functions
#'
#' The times of a [pcf] or [plf] are plain numbers, or they have a unit: they are dates (`Date`), date-times
#' (`POSIXct`) or time differences (`difftime`). The unit is that of the times from which the functions were
#' made. `time_unit()` returns it; `time_unit(x) <- ` sets, converts or drops it.
#'
#' **Representation.** The breakpoints are stored as numbers: days since 1970-01-01 for dates, seconds since
#' then (in UTC) for date-times, and the units of the `difftime` for time differences. Distances, norms and
#' integrals therefore refer to days, seconds or these units. Results do not depend on the time zone, which
#' only determines how date-times are printed.
#'
#' **Combining units.** Collections in one call, and times given as arguments, are converted to one unit.
#' Dates can be combined with date-times, where a date is midnight in UTC, and time differences with those in
#' other units. The result of several collections has the finer unit, and the first time zone. All other
#' combinations are errors, such as a collection with a unit and one without, or a plain number as a time for
#' functions that have a unit. Infinite numbers match any unit, and so do collections without finite times,
#' such as `pcf(-Inf, 5)`, which is 5 at all times.
#'
#' The package data.table does not check units: its functions `rbind()`, `rbindlist()`, `:=` and `set()` mix
#' numbers of different units. Use `time_unit(b$f) <- time_unit(a$f)` before, to convert two columns that have
#' units to the same one.
#'
#' **Calendars.** The times of a monthly or quarterly time series ([ts()], or the classes `yearmon` and
#' `yearqtr` of the package zoo) are plain numbers, in years, which are only printed as months or quarters:
#' "1956 Apr". They can be combined with plain numbers. A number within a millionth of a month or quarter of
#' its beginning, such as `1956 + 3 / 12`, is taken to be the beginning, regardless of rounding, both for
#' breakpoints and arguments.
#'
#' **Times from arithmetic.** Times that differ by less than 8 units in the last place of the larger one, such as
#' `0.1 * 3` and `0.3`, are the same time where data and arguments are read: the times of tables, of which the first is
#' then used for all functions; the ends of segments, which neither overlap nor leave a gap; `gaps` between
#' measurements; ends of observation (`until`, and `from` and `to` of [counting()]); and windows (`from`, `to`) that end
#' where the functions do. Two such times of one function stay apart. [evaluate()] and arithmetic are exact, and tell
#' them apart.
#'
#' @param x A [pcf] or [plf].
#' @param value The new unit: `NULL` for plain numbers; an object of class `Date`, `POSIXct` or `difftime`,
#'   whose values are ignored; one of the names `"Date"`, `"POSIXct"` (in UTC), `"secs"`, `"mins"`, `"hours"`,
#'   `"days"` and `"weeks"`; or a result of `time_unit()`. If `x` has no unit, its times are taken to be numbers
#'   in the new unit. If it has one, the times are converted. `NULL` drops the unit and keeps the numbers.
#'
#' @return `time_unit()`: `NULL` for plain numbers, or a vector of length 0 of the class of the times, which is
#'   `pcf_calendar` for calendars. `time_unit(x) <- value`: `x` with the new unit.
#'
#' @section Errors:
#' If the times cannot be converted to a unit, an error of class `pcfdist_error_value` is raised. Functions
#' that take collections or times raise `pcfdist_error_<argument>` if their units cannot be combined.
#'
#' @seealso [pcf()], [as_pcf()], [shift_time()]
#'
#' @examples
#' stays <- pcf(
#'   list(as.Date(c("2024-02-27", "2024-03-02")), as.Date(c("2024-02-28", "2024-03-05"))),
#'   list(c(1, 0), c(2, 0))
#' )
#' stays
#' time_unit(stays)
#' integral(stays)
#' evaluate(stays, as.Date("2024-02-29"))
#' pdist(stays, to = as.Date("2024-03-01"))
#'
#' # The same times in other units
#' f <- pcf(as.difftime(c(0, 90), units = "mins"), c(1, 0))
#' f == pcf(as.difftime(c(0, 1.5), units = "hours"), c(1, 0))
#' time_unit(f) <- "hours"
#' f
#'
#' # Plain numbers
#' time_unit(f) <- NULL
#' f
#' @export
time_unit <- function(x) {
  unit_of(check_either(x))
}

#' @rdname time_unit
#' @export
`time_unit<-` <- function(x, value) {
  x <- check_either(x)
  unit <- named_unit(value)
  own <- unit_of(x)
  if (is.null(unit) || is.null(own) && !is_calendar(unit)) return(like(x, x, unit))
  if (!goes_with(own, unit)) {
    abort_argument(
      "value", "cannot be the unit: ", describe_unit(own), " cannot be converted to ",
      describe_unit(unit), ". Set it to NULL first to drop the unit."
    )
  }
  in_unit(x, unit)
}

named_unit <- function(value) {
  if (is.null(value) || is_calendar(value) && is_unit(value)) return(value)
  named <- c(list(Date = .Date(0), POSIXct = .POSIXct(0, "UTC")),
             lapply(stats::setNames(nm = names(seconds_of)), .difftime, xx = 0))
  unit <- unit_from(if (is_one_name(value) && value %in% names(named)) named[[value]] else value)
  if (!is.null(unit)) return(unit)
  abort_argument("value", "must be NULL, a Date, POSIXct or difftime, or the name of a unit: ",
                 quoted(names(named)), ", not ", describe(value), ".")
}

# The unit to which the times of two collections, or of one if y is NULL, can be converted. `arguments` are
# the names of the user's arguments.
common_unit <- function(x, y, arguments = c("x", "y")) {
  if (is.null(y) || identical(unit_of(x), unit_of(y))) return(unit_of(x))
  unit_of_all(list(x, y), arguments, before = paste0("`", arguments[1], "`"))
}

# Two collections, of which y may be NULL, converted to one unit.
in_one_unit <- function(x, y, arguments = c("x", "y")) {
  force(x) # so that its errors come first
  unit <- common_unit(x, y, arguments)
  list(x = in_unit(x, unit, arguments[[1]]), y = in_unit(y, unit, arguments[[2]]))
}

# The same for several collections. In messages, `before` stands for all collections before the first whose
# unit does not match, which is named by its argument and one of `places`.
unit_of_all <- function(collections, arguments, places = "", before = "what comes before") {
  units <- lapply(collections, unit_of)
  if (length(unique(units)) <= 1) return(if (length(units) > 0) units[[1]])
  timed <- which(!vapply(collections, is_timeless, NA))
  fold_units(units, timed, function(i, unit) {
    argument <- rep_len(arguments, i)[i]
    abort_units(argument, rep_len(places, i)[i], units[[i]], before, unit)
  })
}

# The joint unit of those at the indices `timed`. `abort_mixed` is called with the first index whose unit
# cannot be combined with those before, and their unit.
fold_units <- function(units, timed, abort_mixed) {
  unit <- if (length(timed) > 0) units[[timed[1]]]
  for (i in timed[-1]) {
    if (!goes_with(unit, units[[i]])) abort_mixed(i, unit)
    unit <- joint_unit(unit, units[[i]])
  }
  unit
}

# The collection, or NULL, with its times in another unit. If it has no unit, its times are plain numbers
# that become a calendar, or infinite.
in_unit <- function(x, unit, argument = "x") {
  own <- unit_of(x)
  if (is.null(x) || identical(own, unit)) return(x)
  if (is_calendar(unit) || !is.null(own) && unit_seconds(own) != unit_seconds(unit)) {
    x <- replace_functions(x, converted(x, own, unit, argument))
  }
  like(x, x, unit)
}

converted <- function(x, own, unit, argument) {
  functions <- unclass(check_matrices(x, argument))
  there <- which(lengths(functions) > 0, useNames = FALSE)
  functions[there] <- unclass(measured_to_the_end(like(x, functions[there])))
  functions[there] <- lapply(there, function(i) {
    f <- functions[[i]]
    f[, 1] <- keep_next(convert(f[, 1], own, unit), is_next_time(f[, 1]))
    if (!anyNA(f[, 1]) && !is.unsorted(f[, 1], strictly = TRUE)) return(f)
    abort_argument(
      argument, "is invalid: ", function_label(i, x), " has times that cannot be converted to ",
      describe_unit(unit), ": they are missing, unsorted or too close to each other."
    )
  })
  functions
}

# Has a collection no unit and no finite times, so that it matches any unit?
is_timeless <- function(x) {
  is.null(unit_of(x)) && !any(vapply(unclass(x), function(f) {
    !is.null(f) && !(is_table(f, columns_of(x)) && all(is.infinite(f[, 1])))
  }, NA))
}

abort_units <- function(argument, place, own, before, unit) {
  abort_argument(
    argument, place, "has ", describe_unit(own), " as times, but ", before, " has ",
    describe_unit(unit), ". They cannot be combined. ", unit_hint
  )
}
