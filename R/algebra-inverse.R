#' Inverses and crossing times of functions
#'
#' @description
#' `inverse()` computes the generalised inverses of monotone functions: of non-decreasing functions, such as
#' empirical distribution functions, or of non-increasing functions, such as survival curves. These are
#' quantile functions. `crossing_time()` computes the first times at which functions, which need not be
#' monotone, reach given levels, such as medians and other quantiles of survival times, or their
#' confidence limits.
#'
#' The inverse of a non-decreasing function is
#' \eqn{F^{-1}(u) = \inf\{t : F(t) \ge u\}}{F^-1(u) = inf{t : F(t) >= u}}, and that of a non-increasing
#' function \eqn{S^{-1}(u) = \inf\{t : S(t) \le u\}}{S^-1(u) = inf{t : S(t) <= u}}. It is a function of the
#' level `u` whose values are times.
#'
#' @details
#' **Levels where the inverse jumps.** The inverse of a non-increasing function is right-continuous, as a
#' [pcf] is, and `evaluate(inverse(x), u)` is exact at all levels below the highest value. At the highest
#' value, which the function has from the start, it is `NA`. The inverse of a non-decreasing function is
#' left-continuous. As a [pcf] it has, at the levels where it jumps, the value after the jump: for the
#' distribution function of 1, 2, 3, 4 this is 3 at 0.5, not 2. There are only
#' finitely many such levels, so integrals and distances are exact. `crossing_time()` returns 2, and is exact
#' at all levels.
#'
#' **Piecewise linear functions** reach the levels on a line at times that are exact up to rounding, and
#' those within a jump at its time. Their inverses are piecewise linear, and jump where a function is
#' flat. There the inverse has, as above, the time after the jump.
#'
#' **Functions that are not monotone** have no inverse, but crossing times. For a decreasing function this is
#' the first time at which it is at most the level, and for an increasing function the first time at which it
#' is at least the level, whatever happens later. By default the first and the last observed value determine
#' the direction. All functions must have the same direction, or end where they began.
#'
#' **Where the inverse is unknown**, it is `NA`:
#' * at levels that the function does not reach, or not while it is observed;
#' * at levels that it passes in a gap, while it is not observed;
#' * at levels that it has reached from the start, such as 0 and below for a distribution function.
#'
#' For such levels `crossing_time()` is not `NA`: it returns \eqn{-\infty} or, if the function is not observed
#' from the start of time on, the first observed time. There the function may have crossed the level before. Such
#' times are those equal to `start(x)`; `evaluate(x, start(x))` is then the level or beyond it.
#'
#' **The zero before the first breakpoint** is part of a function that then continues in its direction, as a
#' distribution function does. Otherwise the function begins with its first value, as a survival curve does
#' that is 1 from time 0 on. A [pcf] whose first time is `-Inf` has its first value from the start of time, and a
#' [plf] its first left limit, unless that is such a zero.
#'
#' **Quantiles of survival times.** The time by which a proportion `p` has died is `crossing_time(x, 1 - p)`. If
#' a curve is flat at this level, the result is the start of the flat stretch or, with `flat = "middle"`, its
#' middle, as from the method of [stats::quantile()] for `survfit` objects of the package survival.
#'
#' **A flat stretch** lasts from the time at which the level is reached to the time at which the function
#' leaves it. If the function never leaves it, the stretch ends where the function was last observed or, if
#' the function holds its value forever, at its last breakpoint. If the function leaves the level in a gap,
#' the middle is unknown, and `NA`. A level that a function has from the start is reached there, flat or not.
#'
#' The crossing times of the limits of [confidence_bands()] are the confidence limits of a quantile, as in
#' the package survival. With `conf.type = "log"`, an upper limit may rise late, when few are at risk. The
#' result is then the first time at which it is at most the level. The package survival sorts the limits
#' by size instead, and returns a later time if a limit rises and stays below the level.
#'
#' @param x A [pcf] or [plf]. For `inverse()`, the functions must be monotone, all in the same direction.
#'   Values may be `NA`.
#' @param levels A numeric vector of levels, in the unit of the values. With `each`, one for each function.
#' @param decreasing If `TRUE`, functions are taken as decreasing, if `FALSE` as increasing. With `NULL`, the
#'   default, the values of `x` decide. An error is raised if no function changes after its first
#'   breakpoint, since the direction is then unknown: a sample of one number and a survival curve without
#'   events look alike. If it is given, `crossing_time()` accepts any functions.
#' @param tolerance A level is also reached by values that differ from it by at most this share of the level, from 0 to
#'   less than 1. The default allows for rounding in sums and products of proportions, as in the package survival.
#' @param flat The time to use if a function stays at a level: the `"start"` of this stretch, or its
#'   `"middle"`, as in the package survival.
#' @param from,to Where to look: the first time at which a level is reached in the window from `from` to `to`, as if the
#'   function were not observed elsewhere. Numbers, which may be infinite, or times, one for all functions or one for
#'   each, matched by name if both have names.
#' @param each If `TRUE`, each function has its own level, such as a half of its maximum: `levels` has one for each
#'   function, matched by name if both have names.
#' @inheritParams drop_redundant
#'
#' @return `inverse()`: a collection of the class of `x`, with its names and dimensions. Its times are values
#'   of `x`, and its values are times: numbers in the [time_unit()] of `x`, days for dates.
#'
#'   `crossing_time()`: an array of times in the unit of `x` with the dimensions `c(dim(x), length(levels))`, as
#'   from [evaluate()]: `-Inf` if a level is reached from the start of time, the first observed time if it is reached
#'   there, and `NA` if it is not reached, or only while the function is not observed, or if the function is missing as
#'   a whole ([is.na()][pcf-methods]). With `each`, there is one time for each function, with the names and dimensions
#'   of `x`. R prints dates and date-times without dimensions and names;
#'   `array(format(times), dim(times), dimnames(times))` shows them.
#'
#' @section Errors:
#' Invalid arguments raise errors of class `pcfdist_error_<argument>`. The message names, with the position, a
#' function that breaks the rules of [pcf()], is not monotone or, for `crossing_time()`, has another direction
#' than the others.
#'
#' @seealso [evaluate()] for values at times, [spells()] for all times above a level, [quantile()][quantile.pcf] for
#'   the quantiles of many functions at each time, [permutation_test()]
#'
#' @examples
#' f <- as_pcf(ecdf(c(1, 2, 3, 4)))
#' inverse(f)
#' crossing_time(f, c(0.25, 0.5, 0.6))
#'
#' # The L2 distance of quantile functions is the 2-Wasserstein distance of samples
#' set.seed(1)
#' u <- rnorm(50)
#' v <- rnorm(50, 1)
#' pdist(inverse(as_pcf(list(ecdf(u), ecdf(v)))), p = 2, from = 0, to = 1)
#' sqrt(mean((sort(u) - sort(v))^2))
#'
#' # Decreasing functions: the first time at which a stock is at most at a level
#' stock <- pcf(list(a = c(0, 2, 5), b = c(0, 4, 6)), list(c(10, 4, 0), c(8, 6, NA)))
#' crossing_time(stock, c(8, 5))
#'
#' # From the peak on, the time to a half of it
#' drug <- plf(list(a = c(0, 1, 4), b = c(0, 2, 8)), list(c(0, 10, 0), c(0, 6, 0)))
#' peak <- lp_norm(drug, Inf)
#' at_peak <- crossing_time(drug, peak, decreasing = FALSE, each = TRUE)
#' crossing_time(drug, peak / 2, decreasing = TRUE, from = at_peak, each = TRUE) - at_peak
#'
#' # The age at which trees reach 100 mm, with linear growth between measurements
#' trees <- as_plf(Orange, id = "Tree", time = "age", value = "circumference")
#' crossing_time(trees, 100)
#'
#' # Quartiles of survival times in days, compared with the package survival
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
#'   print(crossing_time(as_pcf(fit), c(0.75, 0.5, 0.25), flat = "middle"))
#'   quantile(fit, c(0.25, 0.5, 0.75))$quantile
#' }
#' @export
inverse <- function(x, decreasing = NULL, threads = NULL) {
  x <- check_either(x)
  falling <- check_direction(decreasing)
  threads <- run_threads(threads)
  answer <- .Call(ffi_inverse, x, falling, threads)
  functions <- directed_value(answer, x, "changes after its first breakpoint")
  functions <- shaped_as(functions, x)
  if (is_pcf(x)) return(new_pcf(functions, name = name_of_inverse(x)))
  check_functions(new_plf(functions, name = name_of_inverse(x)))
}

#' @rdname inverse
#' @export
crossing_time <- function(x, levels, decreasing = NULL, tolerance = sqrt(.Machine$double.eps),
                          flat = c("start", "middle"), from = -Inf, to = Inf, each = FALSE, threads = NULL) {
  x <- check_either(x)
  check_plain_numbers(levels, "levels")
  check_every(is.finite, levels, "levels", "finite")
  if (check_flag(each, "each")) levels <- check_own_levels(levels, x)
  falling <- check_direction(decreasing)
  tolerance <- check_number(tolerance, "tolerance")
  check_is(tolerance >= 0 && tolerance < 1, tolerance, "tolerance", "must be at least 0 and less than 1, not ")
  middle <- check_option(flat, "flat", c("start", "middle")) == "middle"
  window <- if (are_own_ends(x, from, to)) own_windows(x, from, to) else check_window(from, to, unit_of(x))
  threads <- run_threads(threads)
  numbers_of_each(x, function(x, none) {
    x <- observed_within(x, window, threads)
    crossing_times(x, levels, if (none) isTRUE(falling) else falling, tolerance, middle, each, threads)
  })
}

check_own_levels <- function(levels, x) {
  fits <- length(levels) == length(x)
  check_is(fits, levels, "levels", "must have one level for each of the ", length(x), " functions, not ")
  match_names(levels, names(x), "levels")
}

# The functions, not observed outside of a window, or outside of the own one of each.
observed_within <- function(x, window, threads) {
  if (identical(c(window$from, window$to), c(-Inf, Inf))) return(x)
  restrict_each(x, lapply(window[c("from", "to")], rep_len, length(x)), NA, threads)
}

crossing_times <- function(x, levels, falling, tolerance, middle, each, threads) {
  increasing <- if (!each) order(levels)
  columns <- if (each) FALSE else if (is.unsorted(increasing)) increasing
  shape <- if (each) shape_of(x) else outer_shape(x, c(levels))
  answer <- .Call(
    ffi_crossing, x, falling, if (each) as.double(levels) else as.double(levels)[increasing], columns,
    as.double(tolerance), middle, threads, c(shape, attributes(as_times(double(), unit_of(x))))
  )
  directed_value(answer, x, "ends above or below its first value")
}

# NA stands for a direction to be found.
check_direction <- function(decreasing) {
  if (is.null(decreasing)) NA else check_flag(decreasing, "decreasing")
}

# `change` says what would have shown the direction.
directed_value <- function(answer, x, change) {
  if (isTRUE(answer$undecided)) abort_argument(
    "decreasing", "must be TRUE or FALSE: the direction is unclear, since no function of `x` ", change, "."
  )
  answer_value(answer, x = x)
}
