#' Norms and integrals of functions
#'
#' @description
#' `lp_norm()` computes the Lp norm of each function of a collection,
#' \deqn{\left(\int_{from}^{to} |f(t)|^p dt\right)^{1/p}}{
#' (integral over [from, to] of |f(t)|^p dt)^(1/p)}
#' and, for `p = Inf`, the supremum of \eqn{|f|} over all stretches of positive length.
#' `integral()` computes \eqn{\int_{from}^{to} f(t) dt}{the integral over [from, to] of
#' f(t) dt}.
#'
#' @details
#' A function is 0 before its first breakpoint, unless its first time is `-Inf`, and keeps its
#' last value for ever. Where it is not 0 on an unbounded stretch of the window, the norm is
#' `Inf` and the integral `Inf` or `-Inf`, with the sign of the value; where both meet, of a
#' function from `-Inf` on, it is `NaN`. A stretch on which the function is 0 adds 0, however
#' long it is.
#'
#' Those of a [plf] are exact as well, also where its lines cross 0. Its supremum is over the limits
#' from both sides. It is 0 before its first breakpoint only if its first left limit is.
#'
#' **Where functions are not observed**, with `NA` for a value, they add nothing, and `missing`
#' says when that is right. By default all functions of `x` must be observed on the same
#' stretches of the window, so that their norms can be compared: regular series, or curves
#' that are cut at one time. They must also be observed at a finite `from` or `to`; an infinite end
#' stands for all that is observed. Others raise `pcfdist_error_missing`. With `"overlap"` each counts
#' where it is observed, however short that is. With `"mean"` the integral is divided by the length
#' of these stretches, that of a norm before the root is taken: a supremum stays as it is. That takes
#' a window in which each function is observed on stretches of finite length. A function that is
#' observed nowhere in the window gives `NA`.
#'
#' With `weight`, a function \eqn{w \ge 0}, the integrals are those of \eqn{w(t) |f(t)|^p} and
#' \eqn{w(t) f(t)}, and the lengths of stretches are weighted too; a supremum is that where the
#' weight is not 0.
#'
#' The results are exact up to rounding, for values and times of any magnitude. Each depends
#' on its function and the window alone: not on the other functions, nor on the number of
#' threads, which share the work by breakpoints, so that one very long function among many
#' short ones keeps all of them busy.
#'
#' **On a GPU** (`device = "cuda"`) the results are the CPU's to the last bit, and those of
#' exponents other than 1, 2 and `Inf` within a relative 1e-14 of them. The GPU holds all functions
#' at once, 16 bytes for each breakpoint, or 24 of a [plf]. Functions of magnitudes so extreme that they
#' need scaling are measured on the CPU, and so are the lengths on which functions are observed, and
#' a [plf] with gaps. Other exponents, `weight` and `missing = "mean"` are errors for a [plf]. With `weight`
#' other functions are measured than those of `x`, which are brought there for the call.
#'
#' @inheritParams evaluate
#' @inheritParams pdist
#' @param p The exponent, a number of at least 1, or `Inf`. Other exponents than 1, 2 and
#'   `Inf` are slower.
#' @param missing What to do where functions are not observed: `"error"`, `"overlap"` or
#'   `"mean"`; see below.
#'
#' @return A numeric vector, one number for each function, with the names of `x` or, for an
#'   array of functions, an array with its dimensions and dimnames. A norm has the unit of
#'   the values times that of the times to the power \eqn{1/p}, an integral that of the
#'   values times that of the times; with `missing = "mean"` both have that of the values.
#'
#' @section Functions with several components:
#' With `margin = 1`, `x` is a matrix of functions, and each row is taken as one function with a
#' component in each column, as [pdist()] does. The integral of a row is the sum of those of its
#' components.
#'
#' @inheritSection pdist Errors
#' @inheritSection pdist Infinite results
#'
#' @seealso [lp_distance()] for differences of functions, [l2_kernel()] for inner products,
#'   [evaluate()] for values, [reductions] for one function of many.
#'
#' @examples
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, -3, 0), c(2, 0)))
#' lp_norm(x)
#' lp_norm(x, p = 2, to = 3)
#' lp_norm(x, p = Inf)
#' integral(x)
#'
#' # The area below the distribution function of a sample, up to its maximum.
#' u <- c(1, 2, 6)
#' integral(as_pcf(ecdf(u)), to = 6)
#' max(u) - mean(u)
#'
#' # Two sensors, one of which was off for a while: what they measured, and their means.
#' y <- pcf(list(a = c(0, 3, 5), b = c(0, 1, 2)), list(c(2, 4, 1), c(2, NA, 4)))
#' try(integral(y, 0, 6))
#' integral(y, 0, 6, missing = "overlap")
#' integral(y, 0, 6, missing = "mean")
#' @export
lp_norm <- function(x, p = 1, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"),
                    weight = NULL, device = NULL, threads = NULL, margin = NULL) {
  call <- check_integrals(check_either(x), NULL, from, to, missing, weight, margin = margin)
  operation <- operation_of(p)
  threads <- run_threads(threads)
  measure_functions(call, operation$name, p, threads, device)
}

#' @rdname lp_norm
#' @export
integral <- function(x, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"),
                     weight = NULL, device = NULL, threads = NULL, margin = NULL) {
  call <- check_integrals(check_either(x), NULL, from, to, missing, weight, margin = margin)
  threads <- run_threads(threads)
  measure_functions(call, "integral", 1, threads, device)
}

# One number for each function of a call as check_integrals() returns it; `measure` is its name in
# C.
measure_functions <- function(call, measure, p, threads, device) {
  lines <- is_plf(call$x)
  plain <- is.null(call$weight) && call$missing != "mean" && p %in% c(1, 2, Inf)
  what <- if (lines && !plain) "powers, weights and means of piecewise linear functions"
  settings <- settings_of(device, threads, what)
  if (!is.null(what)) return(measure_lines(call, measure, p, threads))
  x <- weighted_functions(call, p, threads)
  window <- call$window
  answer <- measure_observed(x, measure, p, window, threads, settings)
  results <- answer_value(answer, x = call$x)
  if (lines && answer$missing) return(measure_lines(call, measure, p, threads))
  if (answer$missing || call$missing == "mean") {
    results <- over_observed(results, call, x, p, threads)
  }
  if (!is.null(call$weight) && call$missing != "mean") { # whose units cancel
    results <- results * weight_unit(call$weight)^(1 / p)
  }
  what <- if (measure == "integral") "integral" else "norm"
  warn_infinite(results, what, list(x), window$from, window$to)
  results
}

# The results where functions are not observed everywhere; `x` are the weighted ones.
over_observed <- function(results, call, x, p, threads) {
  window <- call$window
  if (call$missing == "error") {
    check_same_observed(x, NULL, window$from, window$to, threads)
  }
  call$x <- observed(x, threads)
  length <- total_lengths(call$x, window, threads)
  results[length == 0] <- NA
  if (call$missing != "mean" || p == Inf || weighs_nothing(call)) return(results)
  if (!is.null(call$weight)) {
    length <- total_lengths(weighted_functions(call, 1, threads), window, threads)
  }
  check_bounded(length, x, window)
  results / length^(1 / p)
}

# Over what of the window each function is observed on: list(value, missing), where `missing`
# says whether any value is.
measure_observed <- function(x, measure, p, window, threads, settings = NULL) {
  limits <- c(window$from, window$to)
  .Call(ffi_measure, x, measure, as.double(p), limits, threads, shape_of(x), settings)
}

# The integrals of indicators.
total_lengths <- function(indicators, window, threads) {
  indicators <- unclass(indicators)
  attributes(indicators) <- NULL
  measure_observed(new_pcf(indicators), "integral", 1, window, threads)$value
}

# `length` are those of what is observed. There is no mean over an infinite one.
check_bounded <- function(length, x, window) {
  endless <- which(length == Inf)
  if (length(endless) == 0) return()
  end <- if (window$to == Inf) "to" else "from"
  without_end <- if (end == "to") " holds its last value for ever" else " has values from -Inf on"
  who <- paste0(function_label(endless[1], x), without_end)
  abort(end, argument = end, endless_message(who, end, list(x)))
}

# The same of piecewise linear functions, as pairs: a norm is the distance from 0, and an integral
# the inner product with 1.
measure_lines <- function(call, measure, p, threads) {
  integral <- measure == "integral"
  x <- call$x
  window <- call$window
  check_lines_observed(call, threads)
  shape <- as.list(attributes(skeleton(x)))
  other <- new_plf(list(new_line(0, integral, integral)), unit_of(x))
  settings <- run_settings("cpu", NULL, threads, FALSE)
  settings$precision <- "double"
  settings$kernel <- "walk"
  missing <- if (call$missing == "mean") "mean" else "overlap"
  request <- new_request(
    "paired", "paired", if (integral) "inner" else measure, p, window, missing, shape,
    weight = call$weight
  )
  answer <- .Call(ffi_pairwise, x, other, request, settings)
  check_pairs(answer, x, other, c(x = "x", y = "x"))
  what <- if (integral) "integral" else "norm"
  warn_infinite(answer$value, what, list(x), window$from, window$to)
  answer$value
}
