#' Functions of events: counts, and the intervals between them
#'
#' @description
#' Turns the times of events, such as the spikes of neurons, claims, or the relapses of patients,
#' into step functions:
#'
#' * `counting()`: at \eqn{t}, how many events there have been since `from`, those at \eqn{t}
#'   included.
#' * `interspike()`: at \eqn{t}, the length of the interval between two events in which \eqn{t} is.
#'
#' A function is observed from `from` to `to`, and is `NA` outside.
#'
#' @param x The times of events, in increasing order. Either a list with a vector of numbers, dates or
#'   date-times for each function, which may be empty: then nothing has happened; or such a vector
#'   alone; or a data frame with a row for each event.
#' @param id,time Of a data frame, the names of the columns that say whose the event is, and when it
#'   was. There is a function for each `id`, or each combination of several, in the order of first
#'   appearance; with `id = NULL` all rows are one function. Who has no event has no row and no
#'   function: `split(x$time, x$id)`, with a factor that has all ids, gives a list with an empty vector
#'   for them.
#' @param from,to From when until when events were looked for: a time for all functions, or one for
#'   each; names are matched with those of the functions. An event outside is an error.
#'   `interspike()` needs both, and `counting()` takes all times for observed without.
#'
#' @details
#' **Counts.** Events of one function at the same time add up. An event at `to` counts: the function
#' ends right after it, at the next larger number that a computer knows. Where functions are observed
#' until different times, as claims and patients are, the mean of those that are still observed may go
#' down. The mean cumulative function does not: it is
#' `as_pcf(survival::survfit(Surv(start, stop, event) ~ 1, id = id), what = "cumhaz")`.
#'
#' **Intervals.** Before the first and after the last event of a function the interval is not known
#' as a whole. As in PySpike, it is the longer of the part that is known and the interval next to it;
#' if there is one event alone, it is what is before it, and what is after it; if there is none, it
#' is the whole of the time. Events at the same time are one event. The ISI distance of spike trains
#' (Kreuz et al. 2007) is `pdist(interspike(x, from, to), distance = "relative", missing = "mean")`.
#'
#' @return A [pcf] with the names and dimensions of the list, or the ids as names. Its times have the
#'   [time_unit()] of those of `x`. The values of `interspike()` are plain numbers in this unit, days
#'   for dates and seconds for date-times.
#'
#' @section Errors:
#' Times that are missing, infinite, not in increasing order or outside of the window are errors of
#' the class `pcfdist_error_x`. The message names the function and the position, or the row of the
#' data frame; the condition has them in the fields `index` and `position`. Other wrong arguments raise
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
#' @seealso [pcfdist_distances] for the ISI distance, [rcounting()] for random events, [as_pcf()] for
#'   counts that are in a table
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
#' # A row for each event, and each patient followed from the day 0 until another day.
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
  check_given(from, "from", "since when events were looked for")
  check_given(to, "to", "until when events were looked for")
  events <- read_events(x, if (!missing(id)) list(id), time, from, to)
  for (side in c("from", "to")) check_every(is.finite, events[[side]], side, "finite")
  functions <- .mapply(interval_function, events[c("times", "from", "to")], NULL)
  units <- if (!is.null(events$unit)) paste0(" (", length_units(events$unit), ")")
  new_events(events, functions, paste0("interspike interval", units))
}

# ---- Functions ----

# Sorted times from `from` on, before `end`. Nothing is made of infinite ones.
counting_function <- function(times, from, end) {
  last <- !duplicated(times, fromLast = TRUE)
  counts <- which(last)
  times <- times[last]
  if (from > -Inf) {
    quiet <- !from %in% times[1]
    counts <- c(NA, if (quiet) 0, counts)
    times <- c(-Inf, if (quiet) from, times)
  }
  if (end < Inf) new_function(c(times, end), c(counts, NA))
  else if (length(times) == 0) new_function(0, 0)
  else new_function(times, counts)
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
  attributes(functions) <- events$shape
  check_functions(new_pcf(functions, events$unit, name = name))
}

# ---- Events as they are given ----

# As numbers: a list with the `times`, a sorted vector for each function, `from` and `to`, their `unit`,
# and the `shape` of the functions. `id` is NULL where the user did not give one, else in a list.
read_events <- function(x, id, time, from, to) {
  check_given(x, "x", "a list of times, or a data frame with a row for each event")
  rows <- NULL
  if (is.data.frame(x)) {
    groups <- id_groups(x, if (is.null(id)) default_id(x, time, NULL) else id[[1]])
    group <- factor(groups$group, seq_len(groups$count))
    rows <- split(seq_len(nrow(x)), group)
    times <- split(number_column(x, time, "time"), group)
    shape <- list(names = groups$names)
    column <- paste0("x$", in_code(time))
    hint <- function(name) {
      paste0("x[", if (name == "sort") paste0("order(", column, ")") else paste0("!is.na(", column, ")"), ", ]")
    }
  } else {
    if (!is.null(id)) {
      abort_argument("id", "names columns of a data frame, and `x` is ", describe(x), ".")
    }
    x <- without_parts(x)
    if (length(dim(x)) > 1) {
      abort_argument("x", "must be a list of times, and is ", describe(x), ". as.list(as.data.frame(x)) has ",
                     "a vector for each column.")
    }
    times <- if (is.list(x)) plain_list(x) else list(x)
    shape <- shape_of(times)
    hint <- function(name) if (is.list(x)) paste0("lapply(x, ", name, ")") else paste0(name, "(x)")
  }
  times <- lapply(times, without_parts)
  check_plain_vectors(times, "x", "times")
  read <- read_times(times, "x")
  events <- list(times = lapply(read$times, as.double), unit = read$unit, shape = shape)
  names(events$times) <- shape$names
  events$from <- check_ends(from, "from", events)
  events$to <- check_ends(to, "to", events)
  wrong <- which(!(events$from < events$to))[1]
  if (!is.na(wrong)) {
    both <- format_times(c(events$to[wrong], events$from[wrong]), events$unit, 15)
    abort_argument("to", "must be later than `from`, and is ", both[1], " beside ", both[2], " for ",
                   function_label(wrong, events$times), ".")
  }
  check_events(events, rows, hint)
}

# Lists of vectors of numbers, or what tapply() and table() return of one dimension.
check_plain_vectors <- function(x, argument, what) {
  is_vector <- function(part) !is.null(part) && length(dim(part)) < 2
  wrong <- which(!vapply(number_list(x, argument), is_vector, NA))[1]
  if (is.na(wrong)) return(invisible(x))
  abort_argument(argument, "is invalid: ", function_label(wrong, x), " has ", describe(x[[wrong]]),
                 " where a vector of ", what, " is needed.")
}

# One end of the time for which events were looked for, for each function, as numbers.
check_ends <- function(ends, side, events) {
  n <- length(events$times)
  ends <- match_names(without_parts(ends), names(events$times), side)
  if (!is_number(ends) || !length(ends) %in% c(1, n)) {
    abort_argument(
      side, "must be one time, or ", n, ", one for each function, and is ", describe(ends), ".",
      text_hint(ends, side),
      if (length(ends) > n) " Who has no event needs an empty vector in a list, see ?counting."
    )
  }
  check_every(Negate(is.na), ends, side, "times without NA")
  rep_len(as.vector(times_in(ends, events$unit, side)), n)
}

# `rows` are those of the events in the user's data frame; `hint` is code that sorts the data, "sort", or
# leaves out what is missing, "na.omit".
check_events <- function(events, rows, hint) {
  times <- as.double(unlist(events$times, use.names = FALSE))
  place <- indices_of(lengths(events$times))
  before <- replace(c(NA, times)[seq_along(times)], place$k == 1, -Inf)
  from <- events$from[place$i]
  to <- events$to[place$i]
  j <- which(!(is.finite(times) & times >= before & times >= from & times <= to))[1]
  if (is.na(j)) return(events)
  i <- place$i[j]
  k <- place$k[j]
  text <- function(times) format_times(times[j], events$unit, 15)
  what <- if (is.na(times[j])) paste0("a missing time (", text(times), ")")
          else if (is.infinite(times[j])) paste0("an infinite time (", text(times), ")")
          else paste("the time", text(times))
  where <- if (is.null(rows)) paste(" at position", k) else paste(" in row", rows[[i]][k])
  why <- if (is.na(times[j])) paste0(". Leave out what is missing: ", hint("na.omit"), ".")
         else if (is.infinite(times[j])) "."
         else if (times[j] < before[j]) paste0(
           ", after ", text(before), ". Times must increase: ", hint("sort"), " sorts them."
         )
         else if (times[j] < from[j]) paste0(", before `from`, ", text(from), ".")
         else paste0(", after `to`, ", text(to), ".")
  abort("x", argument = "x", index = i, position = k, "`x` is invalid: ",
        function_label(i, events$times), " has ", what, where, why)
}
