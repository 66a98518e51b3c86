# Integrals as functions of their ends.

#' Integrate Functions up to Each Time
#'
#' `cumulative()` returns the integral of each step function up to each time, as a piecewise linear function. With
#' `times`, it returns the integrals of functions of either kind up to these times, as numbers.
#'
#' The integral of a line is a parabola, which is no function of this package. So for a [plf] give `times`: the results
#' there are exact up to rounding. To draw them, or to compute with them, [as_plf()] joins them by lines:
#' `as_plf(cumulative(x, times = t), times = t)`.
#'
#' @param x A [pcf]; with `times` also a [plf].
#' @param from,to The window, as in [integral()]: the function is integrated only between these times.
#' @param times A vector of times, in any order: numbers or, for functions with a [time_unit()], times of this unit.
#' @param falling With `times`, how lines fall; see [integral()].
#' @inheritParams drop_redundant
#'
#' @return Without `times`: a [plf] with the names, dimensions and [time_unit()] of `x`. Its value at each time is the
#'   integral of the function from `from` up to this time. It is 0 before the first breakpoint, and constant after
#'   `to`. From the first missing value on, the integral is unknown, and the result is `NA`.
#'
#'   With `times`: the same values at these times, in the form of [evaluate()]: a matrix with a row for each function
#'   and a column for each time, a vector if there is one time, and an array for an array of functions. Where
#'   observation ends, the integral up to this time is known.
#'
#' @section Errors:
#' If the window has no start, the functions must be 0 from `-Inf` on, and if it has no end and there are no `times`,
#' their last values must be 0 or `NA`. Otherwise an error of class `pcfdist_error_x` is raised that names the
#' function. Lines without `times` raise an error of class `pcfdist_error_times`.
#'
#' @seealso [integral()] for the integrals over the whole window, [derivative()] for the inverse
#'
#' @examples
#' spikes <- pcf(c(0, 1, 1.5, 4), c(0, 2, 1, 0))
#' cumulative(spikes)
#' derivative(cumulative(spikes))
#'
#' # How much light a sensor has received by each hour, if measurements are joined by lines
#' light <- plf(c(6, 12, 15, 18), c(0, 40, 30, 0))
#' cumulative(light, times = c(6, 9, 12, 18))
#' @export
cumulative <- function(x, from = -Inf, to = Inf, times = NULL, falling = c("linear", "log"), threads = NULL) {
  if (!is.null(times)) return(integrals_up_to(check_either(x), from, to, times, falling, threads))
  x <- check_either(x)
  if (is_plf(x)) abort_argument("times", "must be given for a <plf>, since the integral of a line is no line.")
  if (check_falling(falling)) check_falling_lines(x)
  x <- restrict_to(check_functions(x), check_window(from, to, unit_of(x)), threads)
  check_bounded_ends(x)
  found <- answer_value(.Call(ffi_cumulation, x, run_threads(threads)), x = x)
  if (!is.null(found$fault)) {
    abort_argument("x", "has an integral that overflows: that of ", function_label(found$fault[1], x), ".")
  }
  check_functions(replace_functions(new_plf(x, unit_of(x)), found$functions))
}

# An integral needs functions that are 0 towards infinite ends, or not observed after the last.
check_bounded_ends <- function(x, last = TRUE) {
  before <- values_before(x)
  after <- if (last) values_after(x) else 0
  i <- which(!before %in% 0 | !after %in% c(0, NA))[1]
  if (is.na(i)) return()
  at_start <- !before[[i]] %in% 0
  abort_argument(
    "x", "must be 0 at unbounded ends of the window, but ", function_label(i, x), " has the value ",
    number(if (at_start) before[[i]] else after[[i]]),
    if (at_start) " from -Inf on. Set `from`." else " forever. Set `to`."
  )
}

integrals_up_to <- function(x, from, to, times, falling, threads) {
  by_factors <- check_falling(falling)
  if (by_factors) check_falling_lines(x)
  numbers <- check_times(times, unit_of(x))
  window <- check_window(from, to, unit_of(x))
  threads <- run_threads(threads)
  shape <- if (length(numbers) == 1) shape_of(x) else outer_shape(x, c(numbers))
  numbers_of_each(x, function(x, none) {
    x <- check_functions(x)
    if (window$from == -Inf && !none) check_bounded_ends(x, last = FALSE)
    ends <- base::pmin(as.vector(numbers), window$to)
    answer <- running_integrals(x, window$from, ends, by_factors, TRUE, threads, shape)
    answer_value(answer, x = x)
  })
}

# The integrals of each function from the time `from` to each of some times: list(value, missing).
running_integrals <- function(x, from, times, by_factors, known, threads, shape) {
  columns <- if (is.unsorted(times)) order(times)
  if (!is.null(columns)) times <- times[columns]
  .Call(ffi_running, x, as.double(from), as.double(times), columns, by_factors, known, threads, shape)
}

# ---- Lines that fall exponentially ----

# Is this the logarithmic rule?
check_falling <- function(falling) check_option(falling, "falling", c("linear", "log")) == "log"

# Only lines fall.
check_falling_lines <- function(x) {
  if (!is_plf(x)) abort_argument(
    "falling", "is \"log\", but step functions have no lines that fall. as_plf() joins measurements by lines."
  )
}
