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

# ---- Units ----

# A unit is NULL for plain numbers, or a vector of length 0 with the class and the attributes of times of
# this unit. It is the attribute "time_unit" of a collection.
unit_of <- function(x) attr(x, "time_unit", exact = TRUE)

# The unit of a vector of times.
unit_from <- function(times) {
  if (!is_moment(times)) return(NULL)
  if (inherits(times, "Date")) return(.Date(numeric()))
  if (inherits(times, "POSIXct")) {
    zone <- attr(times, "tzone", exact = TRUE)[1]
    return(.POSIXct(numeric(), if (!is.null(zone) && nzchar(zone)) zone))
  }
  if (inherits(times, "difftime")) return(.difftime(numeric(), attr(times, "units")))
  if (inherits(times, "yearmon")) return(calendar_unit(12))
  if (inherits(times, "yearqtr")) return(calendar_unit(4))
}

# Times in years, shown as months or quarters; NULL for other frequencies.
calendar_unit <- function(frequency) {
  if (frequency %in% c(4, 12)) {
    structure(numeric(), class = "pcf_calendar", frequency = as.double(frequency))
  }
}

is_unit <- function(unit) {
  if (!is.double(unit) || length(unit) > 0) return(FALSE)
  switch(unit_kind(unit),
    Date = TRUE,
    POSIXct = is.null(attr(unit, "tzone")) || is.character(attr(unit, "tzone")),
    difftime = isTRUE(attr(unit, "units") %in% names(seconds_of)),
    pcf_calendar = isTRUE(attr(unit, "frequency") %in% c(4, 12)),
    FALSE
  )
}

unit_kind <- function(unit) if (is.null(unit)) "number" else class(unit)[1]

is_calendar <- function(unit) inherits(unit, "pcf_calendar")

describe_unit <- function(unit) {
  switch(unit_kind(unit),
    number = "plain numbers", Date = "dates", POSIXct = "date-times",
    difftime = paste("time differences in", attr(unit, "units")),
    pcf_calendar = "years of a calendar"
  )
}

# ---- Conversion ----

seconds_of <- c(secs = 1, mins = 60, hours = 3600, days = 86400, weeks = 604800)

unit_seconds <- function(unit) {
  switch(unit_kind(unit), Date = 86400, difftime = seconds_of[[attr(unit, "units")]], 1)
}

# Can times of one unit be converted to the other?
goes_with <- function(a, b) unit_family(a) == unit_family(b)

unit_family <- function(unit) {
  switch(unit_kind(unit), Date = , POSIXct = "instants", difftime = "lengths", "numbers")
}

# The unit to which two units are converted: the finer one, or else the first. A calendar takes precedence
# over plain numbers, and months over quarters.
joint_unit <- function(a, b) {
  if (is.null(a)) return(b)
  if (is.null(b)) return(a)
  if (is_calendar(a)) return(if (attr(b, "frequency") > attr(a, "frequency")) b else a)
  if (unit_seconds(b) < unit_seconds(a)) b else a
}

# Each unit is a whole multiple of the finer ones, so that there is at most one rounding error.
convert <- function(numbers, own, unit) {
  if (is_calendar(unit)) return(snap_to_calendar(numbers, attr(unit, "frequency")))
  a <- unit_seconds(own)
  b <- unit_seconds(unit)
  if (a >= b) numbers * (a / b) else numbers / (b / a)
}

# Sums such as 1955 + 1 / 12 + 1 / 12 can differ from the month by rounding. Times that are printed as the
# beginning of a month or quarter are replaced by one number for all.
snap_to_calendar <- function(times, frequency) {
  on <- which(on_calendar(times, frequency))
  times[on] <- round(times[on] * frequency) / frequency
  times
}

# ---- The same time ----

# Times from arithmetic such as 0.1 * 3 and 0.3 are the same time where data, gaps and windows are read.
is_same_time <- function(a, b) {
  larger <- pmax(abs(a), abs(b))
  a == b | is.finite(larger) & abs(a - b) < 8 * (next_time(larger) - larger)
}

# The times of a table, of which those that are the same become equal to the first of them. Times of one function
# stay apart, unless they are `repeatable`: a function may end at the next larger number after a time.
with_same_times <- function(times, group, repeatable = FALSE) {
  distinct <- sort(unique(times[is.finite(times)]))
  same <- is_same_time(distinct[-1], distinct[-length(distinct)])
  if (!any(same)) return(times)
  cluster <- cumsum(c(TRUE, !same))
  at <- cluster[match(times, distinct)]
  rows <- which(at %in% cluster[-1][same])
  if (!repeatable) {
    apart <- at[rows][duplicated(list2DF(list(group[rows], at[rows])))]
    rows <- rows[!at[rows] %in% apart]
  }
  replace(times, rows, distinct[match(at[rows], cluster)])
}

# The next larger double after each time.
next_time <- function(times) {
  .Call(ffi_next_times, as.double(times))
}

previous_time <- function(times) -next_time(-times)

# Is a time the next double after a whole number? Others may come from arithmetic.
is_next_of_whole <- function(times) {
  before <- previous_time(times)
  before == round(before) & times != round(times)
}

# Is a time the next double after the one before? This is how functions end that have a value at their last
# time.
is_next_time <- function(times) {
  c(FALSE, times[-1] == next_time(times[-length(times)]))
}

# Changed times, of which those at `is_next` were the next doubles after the ones before. They are made so
# again, since rounding can make both equal, or move them apart.
keep_next <- function(times, is_next) {
  for (k in which(is_next)) times[k] <- next_time(times[k - 1])
  times
}

# The times of a ts, as time() gives them but without rounding errors in a calendar, and the time at which the
# last period ends.
series_times <- function(x) {
  times <- c(as.double(stats::time(x)), stats::tsp(x)[1] + NROW(x) / stats::frequency(x))
  unit <- calendar_unit(stats::frequency(x))
  if (is.null(unit)) times else convert(times, NULL, unit)
}

# Numbers as times of a unit. For calendars they remain numbers.
as_times <- function(numbers, unit) {
  if (!is.null(unit) && !is_calendar(unit)) attributes(numbers) <- attributes(unit)
  numbers
}

# Times as numbers in the unit of a collection, with their names and dimensions.
times_in <- function(times, unit, argument) {
  times <- without_parts(times)
  own <- unit_from(times)
  numbers <- shaped_as(as.double(times), times)
  if (is.null(own) && all(is.infinite(numbers))) return(numbers)
  if (!goes_with(own, unit)) abort_time(argument, times, unit)
  convert(numbers, own, unit)
}

# Is it the time() of a series?
is_time_of_series <- function(times) {
  stats::is.ts(times) && is.null(dim(times)) && is.numeric(times) &&
    isTRUE(all(abs(times - stats::time(times)) < stats::deltat(times) * getOption("ts.eps")))
}

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

# Time differences as numbers in the unit of a collection.
lengths_in <- function(lengths, unit, argument) {
  if (is_calendar(unit) && !is.object(lengths)) unit <- NULL
  if (is.null(unit) || is_calendar(unit)) return(times_in(lengths, unit, argument))
  if (!inherits(lengths, "difftime")) {
    code <- if (is_one_number(lengths)) call("as.difftime", lengths, units = length_units(unit))
    example <- if (!is.null(code)) paste0(", such as ", code_text(code))
    abort_time(argument, lengths, unit, paste0(" A difftime is needed", example, "."))
  }
  times_in(lengths, .difftime(numeric(), length_units(unit)), argument)
}

# In which lengths of times of a unit are counted.
length_units <- function(unit) {
  switch(unit_kind(unit), Date = "days", POSIXct = "secs", pcf_calendar = "years", attr(unit, "units"))
}

abort_time <- function(argument, time, unit, hint = "") {
  abort_argument(
    argument, "is ", if (is.object(time)) describe(time) else "a plain number",
    ", but the functions have ", describe_unit(unit), " as times.", hint, " ", unit_hint
  )
}

unit_hint <- "time_unit() sets the unit of functions, or drops it."

# ---- Collections ----

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

# ---- Text ----

# For the first line of print(): the time zone in which date-times are printed.
zone_label <- function(unit) {
  if (unit_kind(unit) == "POSIXct") paste(", times in", attr(unit, "tzone") %||% "local time")
}

# Formats times such that each has at least `digits` digits, and enough to tell neighbouring times apart.
format_times <- function(times, unit, digits) {
  text <- format_numbers(times, digits)
  if (is.null(unit)) return(text)
  known <- is.finite(times)
  in_words <- format_finite(times[known], unit, digits)
  in_words[are_alike(in_words, times[known])] <- NA
  text[known] <- ifelse(is.na(in_words), text[known], in_words)
  text
}

# Which texts stand for several times?
are_alike <- function(text, times) text %in% text[duplicated(text) & !duplicated(times)]

# NA for times that cannot be formatted in this way.
format_finite <- function(times, unit, digits) {
  switch(unit_kind(unit),
    Date = if (all(times == floor(times))) format(as_times(times, unit))
           else format_instants(86400 * times, "UTC", digits),
    POSIXct = format_instants(times, attr(unit, "tzone"), digits),
    difftime = paste(format_numbers(times, digits), attr(unit, "units")),
    pcf_calendar = format_calendar(times, attr(unit, "frequency"))
  )
}

# Seconds since 1970 with fractions, rounded to milliseconds, or to microseconds if many digits are
# requested, or finer if neighbours are closer. format() would truncate fractions.
format_instants <- function(times, zone, digits) {
  whole <- floor(times)
  places <- seconds_places(times - whole, room_between(times), if (digits < 15) 3 else 6)
  parts <- round((times - whole) * 10^places)
  whole <- .POSIXct(whole + (parts == 10^places), zone)
  text <- if (places == 0) format(whole) else format(whole, "%Y-%m-%d %H:%M:%S")
  if (places > 0) text <- ifelse(is.na(text), NA, sprintf("%s.%0*.0f", text, places, parts %% 10^places))
  twice <- are_alike(text, times) # as in the hour that is repeated in autumn
  ifelse(twice, paste(text, format(whole, "%Z")), text)
}

seconds_places <- function(fractions, room, most) {
  for (places in 0:9) {
    off <- abs(round(fractions, places) - fractions)
    if (all(off <= room) && (places >= most || all(off < 1e-6))) break
  }
  places
}

# "1956 Apr" or "1956 Q2", and plain numbers for times in between.
format_calendar <- function(times, frequency) {
  parts <- round(times * frequency)
  names <- if (frequency == 12) month.abb else paste0("Q", 1:4)
  years <- numbers(parts %/% frequency)
  text <- paste(years, names[parts %% frequency + 1])
  between <- !on_calendar(times, frequency)
  if (any(between)) text[between] <- format_numbers(times, 8)[between]
  text
}

# Are these times beginnings of months or quarters?
on_calendar <- function(times, frequency) {
  abs(times * frequency - round(times * frequency)) < 1e-6
}

#' @export
print.pcf_calendar <- function(x, ...) {
  cat("Years, shown in", if (attr(x, "frequency") == 12) "months" else "quarters", "\n")
  invisible(x)
}
