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
  larger <- base::pmax(abs(a), abs(b))
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

# The time of which each is the next larger one; that of 0 is not subnormal.
previous_time <- function(times) {
  before <- -next_time(-times)
  replace(before, which(times == next_time(0)), 0)
}

# Is a time the next double after a whole number? Others may come from arithmetic.
is_next_of_whole <- function(times) {
  before <- previous_time(times)
  before == round(before) & times != round(times)
}

# Is a time the next double after one of at most so many digits? Text has 15.
is_next_of_text <- function(times, digits = 15) {
  before <- previous_time(times)
  before == signif(before, digits) & times != signif(times, digits)
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

# The ends of a window as text.
window_text <- function(window) {
  text <- if (is.object(window)) trimws(format(window)) else numbers(window, 7)
  paste("from", text[1], "to", text[2])
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

# ---- Numbers and times as arguments ----

is_range <- function(limits) {
  is_number(limits) && length(limits) == 2 && all(is.finite(limits))
}

is_number <- function(x) {
  if (has_other_unit(x)) return(FALSE)
  if (inherits(x, "integer64")) return(has_bit64())
  is.numeric(x) || is.logical(x) || is.null(x) || is_moment(x)
}

# Numbers of classes of other packages (units, lubridate, nanotime, data.table, chron) that have a unit, which would be
# lost.
has_other_unit <- function(x) {
  inherits(x, c(
    "units", "mixed_units", "Duration", "Period", "nanotime", "nanoduration", "nanoperiod", "ITime", "times"
  ))
}

# A time or difference of times, of a class whose unit is known. What has the class alone is none.
is_moment <- function(x) {
  if (!typeof(x) %in% c("double", "integer")) return(FALSE)
  if (inherits(x, "difftime")) isTRUE(attr(x, "units") %in% names(seconds_of))
  else inherits(x, c("Date", "POSIXct", "yearmon", "yearqtr"))
}

# A time, or a length of time.
is_one_time <- function(x) is_number(x) && !is.logical(x) && length(x) == 1

# Date-times stored as parts (year, month and so on) become numbers, unless parts are missing.
without_parts <- function(column) {
  if (inherits(column, "POSIXlt")) tryCatch(as.POSIXct(column), error = function(error) unclass(column)) else column
}

# How to convert text, or numbers with a unit, to numbers or times. `code` is the expression with the text, and `unit`
# that of the functions, if there are any.
text_hint <- function(text, code, may_be_times = TRUE, unit = NULL) {
  if (has_other_unit(text)) return(paste0(
    " Its unit would be lost: ", if (inherits(text, "units")) "units::drop_units(" else "as.numeric(", code,
    ") drops it", if (may_be_times) ", and times with a unit may be a Date, POSIXct or difftime", "."
  ))
  if (!is.character(text) && !is.factor(text)) return(NULL)
  words <- tryCatch(suppressWarnings(as.character(text[!is.na(text)])), error = function(error) NULL)
  if (is.null(words)) return(NULL)
  if (may_be_times && all(grepl("^(19|20)[0-9]{6}$", words)) && !anyNA(as.Date(words, format = "%Y%m%d"))) {
    return(paste0(" as.Date(", code, ", format = \"%Y%m%d\") converts it to dates."))
  }
  if (!anyNA(suppressWarnings(as.numeric(words)))) {
    if (is.factor(text)) code <- paste0("as.character(", code, ")")
    return(paste0(" as.numeric(", code, ") converts it to numbers."))
  }
  if (!may_be_times) return(NULL)
  all_are <- function(...) all(grepl(paste0("^", ...), words))
  date <- "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
  clock <- " [0-9]{2}:[0-9]{2}"
  is_date <- all_are(date, "$")
  if (is_date && !inherits(unit, "POSIXct")) return(paste0(" as.Date(", code, ") converts it to dates."))
  if (is_date || all_are(date, clock, "$") || all_are(date, clock, ":[0-9]{2}([.][0-9]+)?$")) {
    zone <- if (inherits(unit, "POSIXct")) attr(unit, "tzone")[1] else "UTC"
    zone <- if (isTRUE(nzchar(zone))) paste0(", tz = \"", zone, "\"")
    return(paste0(" as.POSIXct(", code, zone, ") converts it to times."))
  }
  month <- "[[:alpha:]]{3,}"
  if (!all_are("([0-9]+[-/.][0-9]+[-/.]|[0-9]+[-/. ]?", month, "[-/., ]*|", month, "[. ]+[0-9]+,? )[0-9]")) return(NULL)
  if (any(grepl(":", words))) paste0(" as.POSIXct(", code, ", format = ) converts text to times.")
  else paste0(" as.Date(", code, ", format = ) converts text to dates.")
}

# Values must be plain numbers. `...` is the beginning of the message.
check_plain_values <- function(values, argument, ...) {
  unit <- unit_from(values)
  if (is.null(unit)) return()
  way <- if (inherits(values, "difftime")) " as.numeric(values, units = ) converts them to numbers."
         else " Are times and values swapped? as.numeric() converts them to numbers."
  what <- if (is_calendar(unit)) "months or quarters" else describe_unit(unit)
  abort_argument(argument, ..., what, ", not plain numbers, as values.", way)
}

check_limit <- function(x, argument, unit) {
  if (is.null(unit_from(x)) && !inherits(x, "POSIXlt")) {
    what <- if (is.null(unit)) "a number" else "a time"
    hint <- if (!is.null(unit)) text_hint(x, argument, unit = unit)
    check_is(is_one_number(x), x, argument, "must be ", what, ", not ", hint = hint)
  }
  limit <- as.vector(times_in(x, unit, argument))
  check_is(length(limit) == 1, x, argument, "must be one time, not ")
  if (is.na(limit)) abort_argument(argument, "must be one time, not NA.")
  limit
}

# The times as numbers in a unit, with their names.
check_times <- function(times, unit) {
  check_given(times, "times", "the times at which to evaluate the functions")
  times <- without_parts(times)
  valid <- !is.null(times) && is_number(times)
  hint <- if (!is.null(unit)) text_hint(times, "times", unit = unit)
  what <- if (is.null(unit)) "numbers" else "times"
  check_is(valid, times, "times", "must be ", what, " without NA, not ", hint = hint)
  times_in(check_every(Negate(is.na), times, "times", "numbers without NA"), unit, "times")
}

# The window as list(from, to) of numbers in a unit of time, infinite ones included. With `empty` its ends may be
# the same.
check_window <- function(from, to, unit, ends = c("from", "to"), empty = TRUE) {
  window <- list(from = check_limit(from, ends[1], unit), to = check_limit(to, ends[2], unit))
  if (window$from == Inf) abort_argument(ends[1], "must be less than Inf.")
  if (window$to == -Inf) abort_argument(ends[2], "must be greater than -Inf.")
  if (window$from < window$to || empty && window$from == window$to) return(window)
  shown <- format_times(c(window$from, window$to), unit, 7)
  most <- if (empty) c("at most", "is greater than") else c("less than", "is not less than")
  abort_argument(ends[1], "must be ", most[1], " `", ends[2], "`: ", shown[1], " ", most[2], " ", shown[2], ".")
}
