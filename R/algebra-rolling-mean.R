# Means over a window that moves with time.

#' Rolling Means of Functions
#'
#' `rolling_mean()` returns the mean of each function over a window that moves with time, such as the last 24 hours:
#' at each time \eqn{t} it is
#' \deqn{\frac{1}{width} \int_{t - width}^t f(s) ds}{1/width times the integral of f from t - width to t}
#' Measurements need not be regular: each counts for as long as it was held.
#'
#' @details
#' The rolling mean of a step function is piecewise linear, and returned as such: its breakpoints are the times at
#' which the window reaches or leaves a breakpoint. Between the breakpoints of a piecewise linear function it is
#' quadratic, so that its values are returned at given `times`.
#'
#' Where the window is not observed throughout, the mean is `NA`. For measurements it thus begins one width after the
#' first. Functions are right-continuous: at the time from which on a function is not observed, neither is its rolling
#' mean, while with `times` it is the mean up to this time. With `na.rm = TRUE` it is that of the observed part of the
#' window, at given `times`.
#'
#' Results are exact up to rounding: integrals are added up with twice the digits of a double, so that errors do not
#' accumulate. Where a step function is constant throughout the window, the mean is its value, bit for bit.
#'
#' @param x A [pcf] or, with `times`, a [plf].
#' @param width The length of the window: a positive number or, for functions with a [time_unit()], a `difftime`.
#' @param align Where the window lies: `"right"`, from \eqn{t - width} to \eqn{t}; `"center"`, from
#'   \eqn{t - width / 2} to \eqn{t + width / 2}; or `"left"`, from \eqn{t} to \eqn{t + width}.
#' @param times `NULL`, or the times at which to compute the means, as in [evaluate()].
#' @param na.rm If `TRUE`, the mean is that of the part of the window on which the function is observed, and `NA` if
#'   there is none. This needs `times`, since it is not piecewise linear.
#' @inheritParams drop_redundant
#'
#' @return Without `times`, a [plf] with the names, dimensions and [time_unit()] of `x`. With `times`, an array of
#'   numbers with the dimensions `c(dim(x), length(times))`, which is a matrix for a plain collection.
#'
#' @section Errors:
#' Means of very large values over long times may overflow, which raises an error of class `pcfdist_error_values`.
#' Other invalid arguments raise errors of class `pcfdist_error_<argument>`.
#'
#' @seealso [integral()] with `breaks` for means over bins, [cumulative()], [shift_time()]
#'
#' @examples
#' # The mean of the last 8 hours, as ozone is reported, from hourly values
#' ozone <- c(40, 38, 35, 30, 42, 60, 75, 80, 78, 90, 84, 70, 66)
#' ozone <- as_pcf(data.frame(hour = 0:12, value = ozone))
#' last <- rolling_mean(ozone, 8)
#' last
#' evaluate(last, c(7, 8, 12))
#'
#' # Temperature between readings is a line
#' temperature <- as_plf(data.frame(hour = c(0, 3, 7, 12), value = c(12, 18, 25, 16)))
#' rolling_mean(temperature, 2, times = c(2, 5, 12))
#' rolling_mean(temperature, 2, times = c(1, 13), na.rm = TRUE)
#' @export
rolling_mean <- function(x, width, align = c("right", "center", "left"), times = NULL, na.rm = FALSE, threads = NULL) {
  x <- check_either(x)
  width <- check_duration(width, unit_of(x))
  align <- check_option(align, "align", c("right", "center", "left"))
  na.rm <- check_flag(na.rm, "na.rm")
  before <- width * switch(align, right = 1, center = 0.5, left = 0)
  threads <- run_threads(threads)
  if (!is.null(times)) return(rolling_means_at(x, before, width - before, times, na.rm, threads))
  if (is_plf(x)) abort_argument("times", "must be given for piecewise linear functions: their rolling means are not.")
  if (na.rm) {
    abort_argument("na.rm", "must be FALSE unless `times` are given: means over a part of the window are not linear.")
  }
  functions <- answer_value(.Call(ffi_rolling_means, x, before, width - before, threads), x = x)
  check_computed(replace_functions(new_plf(x, unit_of(x), name_of(x)), functions), "rolling_mean()")
}

check_duration <- function(width, unit) {
  check_given(width, "width", "the length of the window")
  width <- plain(width)
  valid <- is_one_time(width) && isTRUE(width > 0 & width < Inf)
  check_is(valid, width, "width", "must be a positive number or a difftime, not ")
  as.vector(lengths_in(width, unit, "width"))
}

rolling_means_at <- function(x, before, after, times, na_rm, threads) {
  numbers <- check_times(times, unit_of(x))
  check_every(is.finite, numbers, "times", "finite")
  at <- as.vector(numbers)
  numbers_of_each(x, function(x, none) {
    sums <- integrals_in_windows(x, at - before, at + after, threads, outer_shape(x, c(numbers)))
    whole <- rep((at + after) - (at - before), each = length(x))
    unknown <- if (na_rm) sums$length == 0 else sums$length < whole
    replace(sums$integral, unknown, NA) / sums$length
  })
}

# For each function and window: list(integral, length), the latter how long it is observed there, exactly to - from
# if throughout.
integrals_in_windows <- function(x, from, to, threads, shape) {
  answer_value(.Call(ffi_integrate_windows, x, from, to, threads, shape), x = x)
}
