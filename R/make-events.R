#' Counting functions and intervals between events
#'
#' @description
#' Converts the times of events, such as the spikes of neurons, insurance claims or the relapses of
#' patients, to step functions of \eqn{t}:
#'
#' * `counting()`: the number of events from `from` up to and including \eqn{t}.
#' * `interspike()`: the length of the interval between two events that contains \eqn{t}.
#'
#' A function is observed from `from` to `to`, and is `NA` outside.
#'
#' @param x The times of events, in increasing order: a list with a vector of numbers, dates or date-times
#'   for each function, which is empty if there was no event; a single such vector; or a data frame with
#'   a row for each event.
#' @param id,time For a data frame, the names of the columns with the ids and the times of events. There is
#'   a function for each `id`, or each combination of several, in the order of first appearance; with
#'   `id = NULL` all rows are one function. Subjects without events have no row and thus no function. To
#'   include them, use the list `split(x$time, x$id)`, where `id` is a factor with all ids as levels. A column
#'   `event`, `status` or `spike` that tells which rows are events, or may do so as its values differ, raises
#'   an error unless it is in `id`: keep these rows only.
#' @param from,to The time of observation: one time for each function, which are matched by name if both have
#'   names, or one for all functions, which may then have any name. Events outside raise an error.
#'   `interspike()` requires both; by default, `counting()` takes all times as observed.
#'
#' @details
#' **Counts.** Simultaneous events of one function are all counted. An event at `to` is counted: the function
#' ends right after it, at the next larger floating-point number. If functions are observed until different
#' times, as claims and patients are, the mean of those still observed may decrease. The mean cumulative
#' function does not; it is
#' `as_pcf(survival::survfit(Surv(start, stop, event) ~ 1, id = id), what = "cumhaz")`, and
#' [confidence_bands()] has its limits.
#'
#' **Intervals.** The intervals before the first and after the last event of a function are known only in
#' part. As in PySpike, each is taken as long as its known part or the interval next to it, whichever is
#' longer. With a single event, both are as long as their known parts; with none, the interval is the
#' whole time of observation. Simultaneous events are one event. The ISI distance of spike trains
#' (Kreuz et al. 2007) is `pdist(interspike(x, from = from, to = to), distance = "relative", missing = "mean")`. The
#' SPIKE distance takes counting functions: `pdist(counting(x, from = from, to = to), distance = "spike")`.
#'
#' @return A [pcf] with the names and dimensions of the list, or the ids as names, and the [time_unit()] of
#'   the times in `x`. The values of `interspike()` are plain numbers in this unit: days for dates, seconds
#'   for date-times.
#'
#' @section Errors:
#' Times that are missing, infinite, not increasing or outside the window raise an error of class
#' `pcfdist_error_x`. The message names the function and the position, or the row of the data frame, which
#' the condition has in the fields `index` and `position`. Other invalid arguments raise
#' `pcfdist_error_<argument>`.
#'
#' @references
#' Kreuz, T., Haas, J. S., Morelli, A., Abarbanel, H. D. I. and Politi, A. (2007). Measuring spike
#' train synchrony. *Journal of Neuroscience Methods* 165, 151-161.
#' \doi{10.1016/j.jneumeth.2007.05.031}
#'
#' Mulansky, M. and Kreuz, T. (2016). PySpike: a Python library for analyzing spike train synchrony.
#' *SoftwareX* 5, 183-189. \doi{10.1016/j.softx.2016.07.006}
#'
#' @seealso [pcfdist_distances] for the ISI and SPIKE distances, [rcounting()] for random events, [as_pcf()] for
#'   tables of counts
#'
#' @examples
#' trains <- list(a = c(0.4, 1.1, 2.6), b = c(0.5, 1.0, 2.5), c = numeric())
#' counting(trains, from = 0, to = 3)
#'
#' # The ISI distance
#' intervals <- interspike(trains, from = 0, to = 3)
#' intervals["a"]
#' pdist(intervals, distance = "relative", missing = "mean")
#'
#' # A row for each event; patients are followed from day 0 to different days
#' relapses <- data.frame(id = c("p1", "p1", "p2"), day = c(30, 71, 12))
#' counting(relapses, time = "day", from = 0, to = c(p1 = 90, p2 = 60))
#' @export
counting <- function(x, id = "id", time = "time", from = -Inf, to = Inf) {
  events <- read_events(x, if (!missing(id)) list(id), time, from, to)
  ends <- next_time(events$to)
  functions <- .mapply(counting_function, list(events$times, events$from, ends), NULL)
  new_events(events, functions, "count")
}

#' @rdname counting
#' @export
interspike <- function(x, id = "id", time = "time", from, to) {
  check_given(from, "from", "the time at which observation starts")
  check_given(to, "to", "the time at which observation ends")
  events <- read_events(x, if (!missing(id)) list(id), time, from, to)
  for (side in c("from", "to")) check_every(is.finite, events[[side]], side, "finite")
  functions <- .mapply(interval_function, events[c("times", "from", "to")], NULL)
  units <- if (!is.null(events$unit)) paste0(" (", length_units(events$unit), ")")
  new_events(events, functions, paste0("interspike interval", units))
}

# ---- Functions ----

# For sorted times from `from` to before `end`. Infinite ends add no breakpoints.
counting_function <- function(times, from, end) {
  last <- !duplicated(times, fromLast = TRUE)
  counts <- which(last)
  times <- times[last]
  quiet <- from > -Inf && !from %in% times[1]
  level_function(
    c(-Inf, if (quiet) from, times, if (end < Inf) end),
    c(if (from > -Inf) NA else 0, if (quiet) 0, counts, if (end < Inf) NA)
  )
}

interval_function <- function(times, from, to) {
  times <- unique(times)
  ends <- unique(c(from, times, to))
  lengths <- diff(ends)
  m <- length(lengths)
  if (length(times) > 1) {
    if (times[1] > from) lengths[1] <- max(lengths[1:2])
    if (times[length(times)] < to) lengths[m] <- max(lengths[m - 0:1])
  }
  new_function(c(-Inf, ends), c(NA, lengths, NA))
}

new_events <- function(events, functions, name) {
  check_functions(new_pcf(with_shape(functions, events$shape), events$unit, name = name))
}

# ---- Reading events ----

# The events as numbers: a list with the `times`, a sorted vector for each function, `from`, `to`, their
# `unit` and the `shape` of the functions. `id` is NULL if the user did not give one, else in a list.
read_events <- function(x, id, time, from, to) {
  check_given(x, "x", "a list of times, or a data frame with a row for each event")
  rows <- NULL
  if (is.data.frame(x)) {
    given <- !is.null(id)
    id <- if (given) id[[1]] else if ("id" %in% names(x)) "id" else default_id(x, time, NULL)
    groups <- id_groups(x, id)
    numbers <- number_column(x, time, "time")
    check_all_events(x, id, time)
    if (!given && !is.null(id)) check_unused_columns(x, id, time)
    group <- factor(groups$group, seq_len(groups$count))
    rows <- split(seq_len(nrow(x)), group)
    times <- split(numbers, group)
    shape <- list(names = groups$names)
    # Functions keep their order.
    by_id <- if (length(id) == 1) sprintf("match(x$%s, x$%1$s), ", in_code(id))
    hints <- paste0("x[", c(paste0("order(", by_id), "!is.na("), "x$", in_code(time), "), ]")
  } else {
    check_is(is.null(id), x, "id", "needs a data frame, but `x` is ")
    x <- without_parts(x)
    check_is(length(dim_of(x)) < 2, x, "x", "must be a list of times, not ", hint = matrix_hint(x))
    times <- if (is.list(x)) plain_list(x) else list(x)
    shape <- shape_of(times)
    # sort() would drop NA in silence.
    last <- if (anyNA(Filter(is.atomic, times), recursive = TRUE)) ", na.last = TRUE" else ""
    hints <- if (is.list(x)) c(paste0("lapply(x, sort", last, ")"), "lapply(x, na.omit)")
             else c(paste0("sort(x", last, ")"), "na.omit(x)")
  }
  times <- lapply(times, without_parts)
  check_plain_vectors(times, "x", "times")
  read <- read_times(times, "x")
  events <- list(times = lapply(read$times, as.double), unit = read$unit, shape = shape)
  names(events$times) <- shape$names
  events$from <- check_ends(from, "from", events)
  events$to <- check_ends(to, "to", events)
  events <- with_events_at_ends(events)
  wrong <- which(!(events$from < events$to))[1]
  if (!is.na(wrong)) {
    both <- format_times(c(events$to[wrong], events$from[wrong]), events$unit, 15)
    abort_argument("to", "must be later than `from`, but ", function_label(wrong, events$times),
                   " has `from` ", both[2], " and `to` ", both[1], ".")
  }
  raster <- is.null(rows) && is_raster(unlist(times))
  check_events(events, rows, na_omit = hints[[2]], unsorted = paste0(
    if (!raster) c(": ", hints[[1]], " sorts them.")
    else c(". If 1 stands for an event at one of some `times`, use ",
           if (is.list(x)) "lapply(x, function(events) times[events == 1])" else "times[x == 1]", "."),
    collapse = ""
  ))
}

# Do numbers tell whether there was an event, rather than when?
is_raster <- function(x) length(x) > 0 && (is.logical(x) || is.numeric(x)) && all(x %in% c(0, 1, NA))

matrix_hint <- function(x) {
  if (!is_raster(x)) return(" Use as.list(as.data.frame(x)) for one with a vector for each column.")
  paste(
    " If 1 stands for an event, lapply(asplit(x == 1, 1), function(event) times[event]) has the times of events, for a",
    "matrix with a row for each function and a column for each of the `times`; asplit(x == 1, 2) is for its transpose."
  )
}

# A row for each subject or time, of which a column tells whether there was an event, is not a row for each event.
check_all_events <- function(x, id, time) {
  words <- lower_case(names(x))
  for (name in setdiff(names(x)[words %in% c("event", "events", "status", "spike", "spikes")], c(id, time))) {
    column <- x[[name]]
    if (!is.atomic(column) || length(unclass(column)) != nrow(x)) next
    other <- row_without_event(column)
    if (is.na(other$row)) next
    code <- paste0("x$", in_code(name))
    code <- if (is.logical(column)) code else paste(code, "==", value_in_code(other$event))
    kept <- paste0("x[which(", code, "), ]")
    if (length(id) == 1) {
      who <- in_code(id)
      kept <- paste0("with(", kept, ", split(", in_code(time), ", factor(", who, ", unique(x$", who, "))))")
    }
    first <- if (!other$known) paste(value_in_code(column[1]), "in row 1 and ")
    event <- value_in_code(other$event)
    abort_argument(
      "x", "has the column `", name, "`, which is ", first, value_in_code(column[other$row]), " in row ", other$row,
      ", but each row counts as an event. ", if (!other$known) paste0("If ", event, " stands for an event, "), kept,
      " keeps the ", if (other$known) "others" else paste("rows with", event), "; give the end of observation as ",
      "`to`. If all rows are events, remove the column."
    )
  }
}

# The first `row` that is no event, NA if all are, and the value of an `event`. Unless the codes are `known`, values
# that differ are enough: the row is the first that differs from row 1, and any value may stand for an event.
row_without_event <- function(column) {
  distinct <- unique(column)
  codes <- event_codes(distinct)
  values <- sort(unique(codes))
  no <- if (identical(values, c(1, 2))) 1 else if (is.numeric(values) && all(values %in% 0:1)) 0
  if (is.null(no)) {
    likely <- which(!is.na(distinct) & !grepl(no_event, lower_case(as.character(distinct))))
    k <- c(likely, which(!is.na(distinct)))[1]
    return(list(row = which(match(column, distinct) != 1)[1], event = text_or_value(distinct[k]), known = FALSE))
  }
  wrong <- c(which(codes == no), if (length(distinct) > 1) which(is.na(codes)))[1]
  event <- which(codes == no + 1)[1]
  event <- if (is.na(event)) no + 1 else text_or_value(distinct[event])
  list(row = match(wrong, match(column, distinct)), event = event, known = TRUE)
}

# Values that seldom stand for an event.
no_event <- "^([0f]|0[.]0*|false|no?|none|alive|cens.*|)$"

# Numbers for distinct numbers, logicals, or text with either; other text as it is.
event_codes <- function(distinct) {
  if (is.numeric(distinct) || is.logical(distinct)) return(as.double(distinct))
  text <- as.character(distinct)
  for (convert in c(as.double, as.logical)) {
    codes <- suppressWarnings(as.double(convert(text)))
    if (identical(is.na(codes), is.na(text)) && !anyDuplicated(codes)) return(codes)
  }
  text
}

text_or_value <- function(value) if (is.numeric(value) || is.logical(value)) value else as.character(value)

value_in_code <- function(value) {
  value <- text_or_value(value)
  if (is.numeric(value)) return(exact_text(value))
  if (is.character(value) && !is.na(value)) encodeString(value, quote = "\"") else text_of(value)
}

# Lists of numeric vectors, or one-dimensional results of tapply() and table().
check_plain_vectors <- function(x, argument, what) {
  is_vector <- function(part) !is.null(part) && length(dim_of(part)) < 2
  wrong <- which(!vapply(number_list(x, argument), is_vector, NA))[1]
  if (is.na(wrong)) return(invisible(x))
  abort_argument(argument, "is invalid: ", function_label(wrong, x), " has ", describe(x[[wrong]]),
                 ", not a vector of ", what, ".")
}

# One end of the time of observation of each function, as numbers.
check_ends <- function(ends, side, events) {
  n <- length(events$times)
  ends <- match_names(without_parts(ends), names(events$times), side)
  more <- if (length(ends) > n) " A list needs an empty vector for a function without events, see ?counting."
  check_is(is_number(ends) && length(ends) %in% c(1, n), ends, side, "must be one time, or ", n,
           ", one for each function, not ", hint = paste0(text_hint(ends, side, unit = events$unit), more))
  check_every(Negate(is.na), ends, side, "times without NA")
  rep_len(as.vector(times_in(ends, events$unit, side)), n)
}

# An event at the same time as an end of observation is not outside.
with_events_at_ends <- function(events) {
  some <- which(lengths(events$times) > 0)
  for (side in c("from", "to")) {
    time <- vapply(events$times[some], function(times) if (side == "from") times[1] else times[length(times)], 0)
    outside <- if (side == "from") time < events$from[some] else time > events$to[some]
    same <- which(outside & is_same_time(time, events[[side]][some]))
    events[[side]][some[same]] <- time[same]
  }
  events
}

# `rows` are those of the events in the user's data frame; `na_omit` is code that removes missing values, and
# `unsorted` says what to do about times that do not increase.
check_events <- function(events, rows, na_omit, unsorted) {
  times <- as.double(unlist(events$times, use.names = FALSE))
  place <- indices_of(lengths(events$times))
  before <- replace(c(NA, times)[seq_along(times)], place$k == 1, -Inf)
  from <- events$from[place$i]
  to <- events$to[place$i]
  j <- which(!(is.finite(times) & times >= before & times >= from & times <= to))[1]
  if (is.na(j)) return(events)
  i <- place$i[j]
  k <- place$k[j]
  early <- isTRUE(times[j] < from[j])
  bound <- if (!is.finite(times[j])) NULL else if (times[j] < before[j]) before[j] else if (early) from[j] else to[j]
  shown <- format_times(c(times[j], bound), events$unit, 15)
  what <- if (is.na(times[j])) "a missing time" else if (is.infinite(times[j])) "an infinite time" else "the time"
  what <- paste(what, if (is.null(bound)) paste0("(", shown, ")") else shown[1])
  where <- if (is.null(rows)) paste(" at position", k) else paste(" in row", rows[[i]][k])
  why <- if (is.na(times[j])) paste0(". Leave out what is missing: ", na_omit, ".")
         else if (is.infinite(times[j])) "."
         else if (times[j] < before[j]) paste0(", after ", shown[2], ". Times must increase", unsorted)
         else paste0(if (early) ", before `from`, " else ", after `to`, ", shown[2], ".")
  abort_argument(
    "x", "is invalid: ", function_label(i, events$times), " has ", what, where, why, index = i, position = k
  )
}
