#' The Times at Which a Condition Holds, as a Table
#'
#' `spells()` lists, for each function, the longest stretches of time on which it is not 0: heat waves from
#' `x > 30`, droughts from `flow < 10`, treatment episodes from `dose > 0`, and times under observation from
#' `observed(x)`.
#'
#' Comparisons of step functions and of lines are exact: `x > 30` has the value 1 from where a line crosses 30. The
#' total time above a level needs no table, since it is `integral(x > 30)`; see [integral()].
#'
#' **Begin and end.** A spell lasts from `start`, inclusive, to `end`, exclusive. If a function is not observed right
#' before or after a spell, the spell may have begun earlier, or gone on for longer: it is censored, and `start_known`
#' or `end_known` is `FALSE`. For a model of survival times, `Surv(end - start, end_known)` are the lengths. Spells
#' that last forever end at `Inf`, and those from the start of time begin at `-Inf`. A function that ends right after
#' its last measurement, such as "9+", ends at this measurement.
#'
#' **Windows.** `spells(restrict(x > 30, from, to))` cuts spells at the ends of a window, where they are then known to
#' begin and end.
#'
#' **Joining.** With `gaps`, spells are joined if the time between them is at most as long as this, such as the days
#' between two packs of tablets that still count as one treatment, or the time after which floods are independent. The
#' function may be 0 or missing meanwhile.
#'
#' @param x A [pcf], such as a comparison of functions.
#' @param gaps The longest time between two spells that are joined: a number or, if the times have a [time_unit()], a
#'   `difftime`. If `NULL`, spells are not joined.
#'
#' @return A data frame with a row for each spell, in the order of the functions and then of time, and the columns
#'   * `id`: the name of the function, or its index if `x` has no names;
#'   * `start` and `end`: times of the [time_unit()] of `x`;
#'   * `start_known` and `end_known`: `FALSE` if the function is not observed before `start`, or after `end`.
#'
#' @section Errors:
#' Invalid arguments raise errors of class `pcfdist_error_<argument>`. Functions that are missing as a whole
#' ([is.na()][pcf-methods]) are errors.
#'
#' @seealso [integral()] for the total time, [crossing_time()] for the first time, [rectangles()] for the pieces of two
#'   functions, `as.data.frame()` for all breakpoints
#'
#' @examples
#' # When was the level of Lake Huron below 577 feet for at least five years?
#' low <- spells(as_pcf(LakeHuron) < 577)
#' low
#' low[low$end - low$start >= 5, ]
#'
#' # Treatment episodes: days with tablets, and up to two weeks without
#' packs <- data.frame(
#'   patient = c("A", "A", "A", "B"), pack = as.Date("2024-01-01") + c(0, 35, 90, 10), dose = 1
#' )
#' packs$empty <- packs$pack + 30
#' dose <- as_pcf(packs, id = "patient", start = "pack", end = "empty", value = "dose", outside = 0)
#' spells(dose > 0, gaps = as.difftime(14, units = "days"))
#' @export
spells <- function(x, gaps = NULL) {
  x <- measured_to_the_end(check_functions(check_pcf(x)))
  longest <- if (!is.null(gaps)) check_gaps(gaps, unit_of(x))
  found <- spells_of(flat_functions(x))
  if (!is.null(longest)) found <- joined_spells(found, longest)
  id <- if (is.null(names(x))) found$group else names(x)[found$group]
  data.frame(
    id = id, start = as_times(found$start, unit_of(x)), end = as_times(found$end, unit_of(x)),
    start_known = found$start_known, end_known = found$end_known
  )
}

# The spells of functions whose breakpoints are one after the other.
spells_of <- function(flat) {
  on <- flat$value != 0
  on[is.na(on)] <- FALSE
  k <- seq_along(on)
  first <- is_first(flat$group)
  last <- is_last(flat$group)
  begin <- which(on & (first | !c(FALSE, on)[k]))
  end <- which(on & (last | !c(on[-1], FALSE)[k]))
  forever <- last[end]
  ends <- replace(flat$time[end + 1], forever, Inf)
  end_known <- forever | !is.na(flat$value[end + 1])
  measured <- !end_known & ends == next_time(flat$time[end])
  ends[measured] <- flat$time[end[measured]]
  list(
    group = flat$group[begin], start = flat$time[begin], end = ends,
    start_known = first[begin] | !is.na(c(NA, flat$value)[begin]), end_known = end_known
  )
}

# Joins spells of one function that are at most `longest` apart.
joined_spells <- function(found, longest) {
  k <- seq_along(found$group)[-1]
  end <- found$end[k - 1]
  start <- found$start[k]
  near <- start - end <= longest | is_same_time(end + longest, start)
  apart <- !(near & found$group[k] == found$group[k - 1])
  first <- c(TRUE, apart)[seq_along(found$group)]
  last <- c(apart, TRUE)[seq_along(found$group)]
  list(
    group = found$group[first], start = found$start[first], end = found$end[last],
    start_known = found$start_known[first], end_known = found$end_known[last]
  )
}
