# The four functions below: each element is the extreme value of a function, or its first time.
extreme_of <- function(smallest, time) {
  function(x, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"), threads = NULL) {
    numbers_of_each(check_either(x), function(x, none) {
      found <- find_extremes(x, none, smallest, from, to, missing, threads)
      if (time) timed(found[, 2], shape_of(x), unit_of(x)) else shaped_as(found[, 1], x)
    })
  }
}

#' The Largest and the Smallest Value of Each Function
#'
#' `max_value()` and `min_value()` return the largest and the smallest value of each function in a window, with its
#' sign. `time_of_max()` and `time_of_min()` return the time at which it is reached first: the peak of a concentration
#' and its time, or the lowest level of a river.
#'
#' `max(x)` and `min(x)` are different: they are functions, the extrema of all functions at each time. `max_time(x)` is
#' the last breakpoint. `lp_norm(x, p = Inf)` is the largest absolute value.
#'
#' **The whole function counts.** A function is 0 before its first breakpoint, unless it has a value or is not observed
#' there, and keeps its last value forever. So the smallest value of `pcf(c(1, 5), c(3, 2))` is 0, from `-Inf` on; with
#' `from = 1` it is 2. Measurements that [as_pcf()] and [as_plf()] read are not observed before the first one.
#'
#' **Values of no length do not count:** a window that ends at a time does not include the value that a step function
#' takes then. Of lines the limits count, as those at the end of the window, and at jumps: a limit is reached at the
#' time of the jump.
#'
#' **Missing values.** By default (`missing = "error"`), all functions must be observed on the same parts of the window,
#' and at a finite `from` or `to`, as for [lp_norm()]. With `"overlap"`, the extrema are those of the time at which each
#' function is observed; so they are with `"mean"`, since extrema are not divided by lengths of time.
#'
#' @inheritParams drop_redundant
#' @param x A [pcf] or [plf].
#' @param from,to The window: numbers or, for functions with a [time_unit()], times of this unit.
#' @param missing What to do if functions are not observed on the same parts of the window: `"error"`, or `"overlap"`
#'   for the extrema of what is observed.
#'
#' @return For each function one number, or one time in the [time_unit()] of `x`, with the names and dimensions of `x`:
#'   * `NA` for functions that are not observed in the window, or missing as a whole ([is.na()][pcf-methods]), and for
#'     all if `from` and `to` are the same;
#'   * the times `-Inf`, `from` or, for measurements, the first one for values that functions have from the start.
#'
#' @inheritSection pdist Errors
#'
#' @seealso [crossing_time()] for the time at which a function first reaches a level, [spells()] for the times above a
#'   level, [reductions] for the extrema of all functions at each time
#'
#' @examples
#' # The highest concentration of theophylline of each subject, and its time
#' x <- as_plf(Theoph, id = "Subject", time = "Time", value = "conc")
#' head(data.frame(
#'   peak = max_value(x, missing = "overlap"), hour = time_of_max(x, missing = "overlap")
#' ))
#'
#' # The lowest level of a lake, and when it was reached
#' lake <- as_pcf(LakeHuron)
#' min_value(lake)
#' time_of_min(lake)
#' time_of_min(lake, to = 1950)
#' @export
max_value <- extreme_of(smallest = FALSE, time = FALSE)

#' @rdname max_value
#' @export
min_value <- extreme_of(smallest = TRUE, time = FALSE)

#' @rdname max_value
#' @export
time_of_max <- extreme_of(smallest = FALSE, time = TRUE)

#' @rdname max_value
#' @export
time_of_min <- extreme_of(smallest = TRUE, time = TRUE)

# The extreme value of each function, and its first time: a matrix.
find_extremes <- function(x, none, smallest, from, to, missing, threads) {
  call <- check_integrals(x, NULL, from, to, if (none) "overlap" else missing)
  threads <- run_threads(threads)
  window <- check_window(from, to, unit_of(x))
  if (window$from == window$to) return(matrix(NA_real_, length(x), 2))
  limits <- as.double(c(call$window$from, call$window$to))
  found <- answer_value(.Call(ffi_extremes, call$x, smallest, limits, threads), x = call$x)
  if (call$missing == "error") check_same_observed(call$x, limits[1], limits[2], threads)
  found
}
