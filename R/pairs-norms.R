#' Norms and Integrals of Functions
#'
#' `lp_norm()` computes the Lp norm of each function of a collection,
#' \deqn{\left(\int_{from}^{to} |f(t)|^p dt\right)^{1/p}}{
#' (integral over [from, to] of |f(t)|^p dt)^(1/p)}
#' and, for `p = Inf`, the supremum of \eqn{|f|} over all intervals of positive length.
#' `integral()` computes \eqn{\int_{from}^{to} f(t) dt}{the integral over [from, to] of
#' f(t) dt}.
#'
#' A function is 0 before its first breakpoint, unless its first time is `-Inf`, and keeps its
#' last value forever. If it is not 0 on an unbounded part of the window, the norm is `Inf`, and the
#' integral is `Inf` or `-Inf` by the sign of the value; it is `NaN` if it would be infinite with
#' different signs on both sides. Where the function is 0, the integral is 0, even over an unbounded
#' interval.
#'
#' Norms and integrals of a [plf] are exact as well, also where its lines cross 0. The supremum takes
#' the limits from both sides into account. A `plf` is 0 before its first breakpoint only if its first
#' left limit is 0.
#'
#' **Missing values.** Where a function is not observed (`NA`), it contributes nothing. By default
#' (`missing = "error"`), all functions of `x` must be observed on the same parts of the window, so that
#' their norms can be compared: regular series, for example, or curves that all end at the same time.
#' They must also be observed at a finite `from` or `to`; an infinite end stands for the whole observed
#' time. Otherwise an error of class `pcfdist_error_missing` is raised. With `"overlap"`, each function
#' is integrated over the time at which it is observed, however short that is. With `"mean"`, the
#' integral is divided by the length of this time, for norms before the root is taken; a supremum is
#' not divided. Each function must then be observed for a finite time in the window. For a function that
#' is not observed in the window at all, or is missing as a whole ([is.na()][pcf-methods]), the result is `NA`.
#'
#' **Windows of each function's own**, such as the time on treatment or the first day after admission, are vectors
#' `from` and `to`. With `missing = "error"` each function must then be observed throughout its own window, whose
#' infinite ends stand for the whole observed time. Over a window of length 0 an integral is 0, and a mean `NA`.
#'
#' **Bins.** With `breaks`, `integral()` returns the integral of each function over each bin \eqn{[b_j, b_{j+1})}, or
#' its mean there with `missing = "mean"`. As elsewhere, functions contribute where they are observed, and a bin in
#' which a function is not observed is `NA`. `integral(observed(x), breaks = breaks, missing = "mean")` is the share of
#' each bin in which it is, so that bins with less than, say, three quarters can be set to `NA`. Bins given as `"day"`,
#' `"month"` and so on begin with the one of the first breakpoint of all functions and end with that of the last. Weeks
#' begin on Monday. Bins follow the clock of the time zone of the functions: a day on which clocks change has 23 or 25
#' hours.
#'
#' **Weights.** With `weight`, a function \eqn{w \ge 0}, the integrals are those of
#' \eqn{w(t) |f(t)|^p} and \eqn{w(t) f(t)}, and lengths of time are weighted too; a supremum is taken
#' where the weight is not 0.
#'
#' **Accuracy.** The results are exact up to rounding, for values and times of any magnitude, unless results are so
#' close to 0 that doubles have fewer digits, below 1e-307; the errors of integrals are relative to those of
#' \eqn{|f|}. Each depends only on its function and the window: not on the other functions (for lines with a weight,
#' missing values or other exponents than 1, 2 and `Inf`, and for their means, up to rounding), nor on the number of
#' threads. Work is divided among threads by breakpoints, so that one very long function among many short ones keeps
#' all of them busy.
#'
#' **Time above a level.** `x > 10` is a function that is 1 where `x` is above 10, and 0 elsewhere. So
#' `integral(x > 10, from, to)` is the length of time above the level, in the unit of the times, and [spells()] lists
#' when this is. Neither needs a grid: lines cross the level where they do.
#'
#' **Lines that fall exponentially.** The concentration of a drug that is eliminated falls by the same factor in equal
#' times. With `falling = "log"`, a line of a [plf] that falls from one positive value to another is replaced by
#' the exponential function between the two, so that its integral over a time \eqn{d} is
#' \eqn{d (a - b) / \log(a / b)}{d (a - b) / log(a / b)}. All others remain straight: those that rise, are level, or
#' begin or end at 0 or below. This is the rule "linear up, log down" for the area under the curve (AUC) in
#' pharmacokinetics. A window that cuts an exponential fall cuts it at its own value. Concentrations below the limit
#' of quantification that are given as 0 count as 0; set `to`, or leave them out, for the area up to the last one above.
#'
#' **On a GPU** (`device = "cuda"`) the results for the exponents 1, 2 and `Inf` are identical to those
#' of the CPU; for other exponents the relative difference is at most 1e-14. The GPU holds all functions
#' at once, which takes 16 bytes per breakpoint, or 24 for a [plf]. The CPU is used for functions of
#' such extreme magnitude that they need scaling, for the lengths of time at which functions are
#' observed, and for a [plf] with missing values or, with `margin`, whose components were scaled. For a
#' [plf], other exponents, `weight` and `missing = "mean"` are errors on a GPU. With `weight`, functions
#' that stay on GPUs (see [on_gpu()]) are uploaded again, multiplied by the weight, and with windows of each function's
#' own, cut to these; a [plf] is then measured on the CPU. Bins are errors on a GPU.
#'
#' @inheritParams evaluate
#' @inheritParams pdist
#' @param p The exponent: a number of at least 1, or `Inf`. Exponents other than 1, 2 and `Inf` are
#'   slower.
#' @param from,to The window: two numbers, which may be infinite, or, for functions with a [time_unit()], times of
#'   this unit. Both may have one element for each function (with `margin` for each row), matched by name if both have
#'   names: each function then has its own window.
#' @param breaks `NULL`, or the ends of bins: increasing numbers or, for functions with a time unit, times. The result
#'   has the integral over each bin. For dates and date-times also the length of a bin as in [seq.Date()] and
#'   [cut.POSIXt()]: `"day"`, `"week"`, `"month"`, `"quarter"` or `"year"`, for date-times also `"hour"`, `"min"` and
#'   `"sec"`, which a number may precede, as in `"15 mins"`.
#' @param falling How lines of a `plf` fall: straight, or exponentially (`"log"`); see below. With `"log"`, `weight` and
#'   `margin` are errors, and so is a `pcf`, and work is done on the CPU.
#'
#' @return A numeric vector with one number for each function and the names of `x` or, for an array of
#'   functions, an array with its dimensions and dimnames. A norm has the unit of the values times that
#'   of the times to the power \eqn{1/p}, an integral the unit of the values times that of the times;
#'   with `missing = "mean"` both have the unit of the values. With `breaks`, an array with one more dimension,
#'   that of the bins, which is a matrix for a plain collection; bins are named by their starts if times are dates or
#'   date-times, and otherwise as "[0, 24)".
#'
#' @section Functions with several components:
#' With `margin = 1`, `x` is a matrix of functions, and each row is one function with a component in
#' each column, as in [pdist()]. The integral of a row is the sum of the integrals of its components.
#'
#' @section Errors and infinite results:
#' Errors and warnings have the classes that [pdist()] describes.
#'
#' @seealso [rolling_mean()] for means over a moving window, [lp_distance()] for differences of functions,
#'   [l2_kernel()] for inner products, [evaluate()] for values, [reductions] for sums and means of functions
#'
#' @examples
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, -3, 0), c(2, 0)))
#' lp_norm(x)
#' lp_norm(x, p = 2, to = 3)
#' lp_norm(x, p = Inf)
#' integral(x)
#'
#' # The area below the empirical distribution function of a sample, up to its maximum
#' u <- c(1, 2, 6)
#' integral(as_pcf(ecdf(u)), to = 6)
#' max(u) - mean(u)
#'
#' # Two sensors, one of which was off for a while: total measurements, and means
#' y <- pcf(list(a = c(0, 3, 5), b = c(0, 1, 2)), list(c(2, 4, 1), c(2, NA, 4)))
#' try(integral(y, 0, 6))
#' integral(y, 0, 6, missing = "overlap")
#' integral(y, 0, 6, missing = "mean")
#'
#' # Each over its own time: the sensors were calibrated at different times
#' integral(y, from = c(a = 1, b = 2), to = 5, missing = "mean")
#'
#' # Means of each two hours, and the share of them that was observed
#' integral(y, breaks = c(0, 2, 4, 6), missing = "mean")
#' integral(observed(y), breaks = c(0, 2, 4, 6), missing = "mean")
#'
#' # Monthly means of a daily series
#' days <- as.Date("2024-01-15") + 0:60
#' flow <- as_pcf(data.frame(time = days, value = 10 + (0:60) %% 7))
#' integral(flow, breaks = "month", missing = "mean")
#'
#' # For how long is a line above 2?
#' integral(plf(c(0, 3, 5), c(0, 6, 0)) > 2)
#'
#' # The area under a concentration, linear where it rises and logarithmic where it falls
#' concentration <- plf(c(0, 2, 6), c(1, 4, 1))
#' integral(concentration, 0, 6, falling = "log")
#' 2 * (1 + 4) / 2 + 4 * (4 - 1) / log(4 / 1)
#' @export
lp_norm <- function(x, p = 1, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"),
                    weight = NULL, margin = NULL, device = NULL, threads = NULL) {
  measure_in_windows(x, from, to, missing, weight, margin, function(call) {
    operation <- operation_of(p)
    threads <- run_threads(threads)
    measure_functions(call, operation$name, p, threads, device)
  })
}

#' @rdname lp_norm
#' @export
integral <- function(x, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"),
                     weight = NULL, margin = NULL, breaks = NULL, falling = c("linear", "log"), device = NULL,
                     threads = NULL) {
  by_factors <- check_falling(falling)
  if (by_factors) check_straight(weight, margin)
  if (!is.null(breaks)) {
    given <- c(from = !identical(from, -Inf), to = !identical(to, Inf), margin = !is.null(margin), falling = by_factors)
    check_bins_alone(names(which(given)))
    return(integral_in_bins(x, breaks, missing, weight, device, threads))
  }
  if (by_factors && are_own_ends(x, from, to)) {
    abort_argument("falling", "must be \"linear\" for windows of each function's own, at whose ends lines are cut.")
  }
  measure_in_windows(x, from, to, missing, weight, margin, function(call) {
    threads <- run_threads(threads)
    if (by_factors) integrate_falling(call, threads, device)
    else measure_functions(call, "integral", 1, threads, device)
  })
}

# The numbers measure(call) for a call of check_integrals(), in which each function may have its own window.
measure_in_windows <- function(x, from, to, missing, weight, margin, measure) {
  x <- check_either(x)
  own <- if (are_own_ends(x, from, to)) own_windows(x, from, to, margin)
  numbers_of_each(x, margin = margin, compute = function(x, none) {
    if (none) missing <- "overlap"
    if (!is.null(own)) return(measure_own_windows(x, own, missing, weight, margin, measure))
    measure(check_integrals(x, NULL, from, to, missing, weight, margin = margin))
  })
}

# Outside of their own windows functions are not observed.
measure_own_windows <- function(x, own, missing, weight, margin, measure) {
  missing <- check_option(missing, "missing", c("error", "overlap", "mean"))
  if (missing == "error") check_observed_each(x, own)
  inside <- restrict_each(x, own, NA)
  ends <- as_times(c(min(own$from, Inf), max(own$to, -Inf)), unit_of(x))
  if (length(x) == 0) ends <- c(-Inf, Inf)
  treated <- if (missing == "mean") "mean" else "overlap"
  results <- measure(check_integrals(inside, NULL, ends[1], ends[2], treated, weight, margin = margin))
  replace(results, own$empty, if (missing == "mean") NA else 0)
}

# One number for each function of a call, as check_integrals() returns it. `measure` is the name that C
# uses.
measure_functions <- function(call, measure, p, threads, device) {
  lines <- is_plf(call$x)
  simple <- call$missing != "mean" && p %in% c(1, 2, Inf)
  plain <- simple && is.null(call$weight)
  scaled <- simple && isTRUE(call$scaled) # then the weight is not the user's
  what <- if (lines && !plain && !scaled) "powers, weights and means of piecewise linear functions"
  settings <- gpu_settings(device, threads, what)
  if (lines && !plain) return(measure_lines(call, measure, p, threads))
  window <- call$window
  units <- if (plain || p == Inf) 0 else units_of_values(call$x, window, threads)
  call$x <- in_units_of(call$x, units, window, threads)
  x <- weighted_functions(call, p, threads)
  answer <- measure_observed(x, measure, p, window, threads, settings)
  results <- answer_value(answer, x = call$x)
  if (lines && answer$missing) {
    complete <- !vapply(unclass(x), anyNA, NA)
    return(replace(measure_lines(call, measure, p, threads), complete, results[complete]))
  }
  if (answer$missing || call$missing == "mean") {
    results <- over_observed(results, call, x, p, threads)
  }
  if (!is.null(call$weight) && call$missing != "mean") { # means have no unit of weight
    units <- units + log2(weight_unit(call$weight)) / p
  }
  results <- times_power_of_2(results, units)
  warn_infinite(results, if (measure == "integral") measure else "norm", list(x), window)
  results
}

# The results for functions with missing values. `x` are the weighted functions.
over_observed <- function(results, call, x, p, threads) {
  window <- call$window
  if (call$missing == "error") check_same_observed(x, window$from, window$to, threads)
  call$x <- observed(x, threads)
  length <- total_lengths(call$x, window, threads)
  results[length == 0] <- NA
  if (call$missing != "mean" || p == Inf || weighs_nothing(call)) return(results)
  if (!is.null(call$weight)) {
    length <- total_lengths(weighted_functions(call, 1, threads), window, threads)
  }
  check_bounded(which(length == Inf), x, window)
  results / length^(1 / p)
}

# Measures each function over the time at which it is observed: list(value, missing), where `missing`
# tells whether any value is missing.
measure_observed <- function(x, measure, p, window, threads, settings = NULL) {
  limits <- c(window$from, window$to)
  .Call(ffi_measure, x, measure, as.double(p), limits, threads, shape_of(x), settings)
}

# The integrals of functions that are 1 where others are observed.
total_lengths <- function(indicators, window, threads) {
  as.vector(measure_observed(indicators, "integral", 1, window, threads)$value)
}

# An error if functions, those at `endless`, are observed for an infinite time, which has no mean.
check_bounded <- function(endless, x, window) {
  if (length(endless) == 0) return()
  end <- if (window$to == Inf && !is.na(values_after(x)[endless[1]])) "to" else "from"
  without_end <- if (end == "to") " keeps its last value forever" else " has values from -Inf on"
  who <- paste0(function_label(endless[1], x), without_end)
  abort(end, argument = end, endless_message(who, end, list(x)))
}

# The same for piecewise linear functions, as results for pairs: a norm is the distance from 0, and an
# integral the inner product with 1.
measure_lines <- function(call, measure, p, threads) {
  integral <- measure == "integral"
  window <- call$window
  units <- units_of_values(call$x, window, threads)
  x <- call$x <- in_units_of(call$x, units, window, threads)
  check_lines_observed(call, threads)
  other <- new_plf(list(new_line(0, integral, integral)), unit_of(x))
  settings <- run_settings("cpu", "double", threads, FALSE)
  settings$kernel <- "walk"
  call$missing <- if (call$missing == "mean") "mean" else "overlap"
  operation <- list(name = if (integral) "inner" else measure, exponent = p)
  request <- request_for(call, operation, "paired", "paired", shape_of(x))
  answer <- .Call(ffi_pairwise, x, other, request, settings)
  check_bounded(answer$unobserved$`function`, x, window)
  check_pairs(answer, x, other, c(x = "x", y = "x"))
  warn_infinite(answer$value, if (integral) measure else "norm", list(x), window)
  times_power_of_2(answer$value, units)
}

# Powers of two, given by their exponents, by which to divide the values of each function, so that sums of
# very large and of very small ones keep their digits. What is outside the window has no part in them.
units_of_values <- function(x, window, threads) {
  exponent_near(answer_value(measure_observed(x, "linf", Inf, window, threads), x = x))
}

in_units_of <- function(x, units, window, threads) {
  units <- rep_len(units, length(x))
  scaled <- which(units != 0)
  if (length(scaled) == 0) return(x)
  inside <- unclass(restrict_to(x, window, threads))
  functions <- unclass(x)
  functions[scaled] <- .mapply(divide_values, list(inside[scaled], units[scaled]), NULL)
  structure(replace_functions(x, functions), parts = attr(x, "parts"))
}

# What vanishes beside the largest value becomes the smallest number: with 0 a function would end.
divide_values <- function(f, unit) {
  values <- times_power_of_2(f[, -1], -unit)
  lost <- !is.na(values) & values == 0
  values[lost] <- sign(f[, -1][lost]) * 2^-1074
  replace(f, -seq_len(nrow(f)), values)
}

# ---- Lines that fall exponentially ----

# The integrals of the lines of a call of check_integrals(): by the linear trapezoidal rule where they rise, and by the
# logarithmic one where they fall.
integrate_falling <- function(call, threads, device) {
  check_falling_lines(call$x)
  gpu_settings(device, threads, "lines that fall exponentially")
  window <- call$window
  answer <- running_integrals(call$x, window$from, window$to, TRUE, FALSE, threads, shape_of(call$x))
  results <- answer_value(answer, x = call$x)
  if (answer$missing || call$missing == "mean") results <- over_observed(results, call, call$x, 1, threads)
  warn_infinite(results, "integral", list(call$x), window)
  results
}

# What goes with straight lines alone.
check_straight <- function(weight, margin) {
  wrong <- c("weight", "margin")[c(!is.null(weight), !is.null(margin))][1]
  if (!is.na(wrong)) abort_argument(wrong, "cannot be used with `falling = \"log\"`.")
}
