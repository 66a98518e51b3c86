#' Inverses of monotone functions, and when functions reach a level
#'
#' @description
#' `inverse()` gives the generalised inverse of functions that never fall, such as empirical
#' distribution functions, or never rise, such as survival curves: quantile functions.
#' `crossing_time()` gives the first times at which functions reach given levels: medians and
#' other quantiles of survival times, and their confidence limits. These functions need not be
#' monotone.
#'
#' The inverse of a function that never falls is
#' \eqn{F^{-1}(u) = \inf\{t : F(t) \ge u\}}{F^-1(u) = inf{t : F(t) >= u}}, that of one that never
#' rises \eqn{S^{-1}(u) = \inf\{t : S(t) \le u\}}{S^-1(u) = inf{t : S(t) <= u}}. It is a function
#' of the level `u` whose values are times.
#'
#' @details
#' **At the levels where the inverse jumps.** The inverse of a function that never rises is
#' continuous from the right, as a [pcf] is, and `evaluate(inverse(x), u)` is exact at all levels
#' below the highest value. At that level, where the function is from the start, it is `NA`. The
#' inverse of a function that never falls is continuous from the left. As a [pcf] it has, at the
#' levels where it jumps, the value that follows the jump: for the distribution function of
#' 1, 2, 3, 4 at 0.5 that is 3, and not 2. These are finitely many levels, and integrals and
#' distances are exact. `crossing_time()` gives 2, and is exact everywhere.
#'
#' **Piecewise linear functions** pass all levels between two values of a line, at times that are
#' computed up to rounding, and those between the limits of a jump at its time. Their inverses are
#' piecewise linear, and jump where a function is flat. There an inverse has, as above, the time that
#' follows.
#'
#' **Functions that are not monotone** have no inverse, but crossing times. That of a function
#' that goes down is the first time at which it is at most the level, and of one that goes up the
#' first at which it is at least the level, whatever it does later. By default the first and the
#' last value that are observed say which way functions go. All must go the same way, or end
#' where they began.
#'
#' **Where the inverse is not known it is `NA`.** That is so
#' * at levels that the function does not reach, or reaches only after it was last observed;
#' * at levels that it passes in a gap, while it is not observed;
#' * at levels where it has been from the start: at most 0 for a distribution function. There
#'   the infimum is \eqn{-\infty}, which `crossing_time()` gives, or the first time.
#'
#' **The zero before the first breakpoint** counts where the function goes on from there in its
#' direction: that of a distribution function does. Otherwise the function begins with its first
#' value, as a survival curve does that is 1 from the time 0 on. What has a first time of `-Inf`
#' has its first value from the start of time.
#'
#' **Quantiles of survival times.** The time by which a share `p` has died is
#' `crossing_time(x, 1 - p)`. Where a curve is flat at the level itself, that is the beginning of the
#' flat stretch. With `flat = "middle"` it is its middle, as of the method of [stats::quantile()]
#' for the `survfit` objects of the package survival: the two give the same then.
#'
#' **A flat stretch** goes from the time at which the level is reached to the time at which the
#' function leaves it. One that the function never leaves ends where the function was last observed
#' or, if it holds its value for ever, at its last breakpoint. Where the function leaves the level in a
#' gap, the middle is not known, and `NA`. A level at which the function is from the start counts as
#' reached there, flat or not.
#'
#' The crossing times of the limits of [confidence_bands()] are the confidence limits of a
#' quantile, as in that package. Upper limits may rise late, where few are left, with the
#' `conf.type` `"log"`. The first time at which one is at most the level counts then. The package
#' survival sorts the limits by size, and gives a later time where a limit rises and stays below
#' the level.
#'
#' @param x A [pcf] or [plf]; for `inverse()`, of monotone functions, all in one direction. Values may be
#'   `NA`.
#' @param levels Numeric vector: the levels, in the unit of the values.
#' @param decreasing Do the functions go down? By default the values in `x` decide, and it is an
#'   error where no function changes after its first breakpoint: a sample of one number and a
#'   survival curve without events look alike then. `crossing_time()` takes any functions where
#'   it is given.
#' @param tolerance A level also counts as reached where the value is so near to it. The
#'   default is that of the package survival: sums and products of shares are rounded.
#' @param flat What counts as the time where a function stays at a level: the `"start"` of this
#'   stretch, or its `"middle"`, as in the package survival.
#' @inheritParams simplify
#'
#' @return `inverse()`: a collection of the class of `x`, with its names and dimensions. Its times are values of `x`,
#'   and its values are times: numbers in the [time_unit()] of `x`, dates as days. It is `NA`
#'   outside of the range of the function. `crossing_time()`: an array with the dimensions
#'   `c(dim(x), length(levels))`, as of [evaluate()], of times with the unit of `x`: `-Inf` where
#'   the level was reached from the start of time on, `NA` where it is not reached or is reached
#'   while the function is not observed. R prints dates and date-times without dimensions and
#'   names: `array(format(times), dim(times), dimnames(times))` shows them.
#'
#' @section Errors:
#' A wrong argument raises an error of the class `pcfdist_error_<argument>`. A function that
#' is not monotone, or for `crossing_time()` goes another way than others, is named with its
#' position, and so is one that breaks the rules of [pcf()].
#'
#' @seealso [evaluate()] for values at times, [quantile()][quantile.pcf] for the quantiles of
#'   many functions at each time, [permutation_test()]
#'
#' @examples
#' f <- as_pcf(ecdf(c(1, 2, 3, 4)))
#' inverse(f)
#' crossing_time(f, c(0.25, 0.5, 0.6))
#'
#' # The L2 distance of quantile functions is the 2-Wasserstein distance of samples.
#' set.seed(1)
#' u <- rnorm(50)
#' v <- rnorm(50, 1)
#' pdist(inverse(as_pcf(list(ecdf(u), ecdf(v)))), p = 2, from = 0, to = 1)
#' sqrt(mean((sort(u) - sort(v))^2))
#'
#' # Functions that fall: the first time at which at most so much is left.
#' stock <- pcf(list(a = c(0, 2, 5), b = c(0, 4, 6)), list(c(10, 4, 0), c(8, 6, NA)))
#' crossing_time(stock, c(8, 5))
#'
#' # When trees are 100 mm thick, if they grow evenly between the measurements
#' trees <- as_plf(Orange, id = "Tree", time = "age", value = "circumference")
#' crossing_time(trees, 100)
#'
#' # Median survival with lung cancer, in days, and what the package survival says.
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
#'   print(crossing_time(as_pcf(fit), c(0.75, 0.5, 0.25), flat = "middle"))
#'   quantile(fit, c(0.25, 0.5, 0.75))$quantile
#' }
#' @export
inverse <- function(x, decreasing = NULL, threads = NULL) {
  x <- check_either(x)
  falling <- check_direction(decreasing)
  if (is_plf(x)) {
    x <- check_functions(x)
    falling <- decided(lines_fall(x, falling), "changes after its first breakpoint")
    functions <- inverses_of_lines(x, falling)
    attributes(functions) <- shape_of(x)
    return(check_functions(new_plf(functions, name = name_of_inverse(x))))
  }
  answer <- .Call(ffi_inverse, x, falling, run_threads(threads))
  functions <- directed_value(answer, x, "changes after its first breakpoint")
  attributes(functions) <- shape_of(x)
  new_pcf(functions, name = name_of_inverse(x))
}

#' @rdname inverse
#' @export
crossing_time <- function(x, levels, decreasing = NULL, tolerance = sqrt(.Machine$double.eps),
                          flat = c("start", "middle"), threads = NULL) {
  x <- check_either(x)
  check_plain_numbers(levels, "levels")
  check_every(is.finite, levels, "levels", "finite")
  falling <- check_direction(decreasing)
  check_number(tolerance, "tolerance")
  if (tolerance < 0) abort_argument("tolerance", "must be at least 0, not ", tolerance, ".")
  middle <- check_option(flat, "flat", c("start", "middle")) == "middle"
  if (is_plf(x)) {
    x <- check_functions(x)
    falling <- decided(lines_fall(x, falling), "ends above or below its first value")
    times <- crossing_times_of_lines(x, as.double(levels), falling, tolerance, middle)
    return(timed(do.call(rbind, unname(times)), outer_shape(x, c(levels)), unit_of(x)))
  }
  increasing <- order(levels)
  columns <- if (is.unsorted(increasing)) increasing
  shape <- c(outer_shape(x, c(levels)), attributes(as_times(double(), unit_of(x))))
  answer <- .Call(
    ffi_crossing, x, falling, as.double(levels)[increasing], columns, as.double(tolerance),
    middle, run_threads(threads), shape
  )
  directed_value(answer, x, "ends above or below its first value")
}

# NA stands for a direction that is to be found.
check_direction <- function(decreasing) {
  if (is.null(decreasing)) NA else check_flag(decreasing, "decreasing")
}

# `change` is what would have shown the direction.
directed_value <- function(answer, x, change) {
  decided(if (isTRUE(answer$undecided)) NA, change)
  answer_value(answer, x = x)
}

decided <- function(falling, change) {
  if (!isTRUE(is.na(falling))) return(falling)
  abort_argument(
    "decreasing", "must be TRUE or FALSE: no function of `x` ", change, ", and which way they go ",
    "does not show."
  )
}
