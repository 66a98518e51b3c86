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
#' A function is 0 before its first breakpoint and keeps its last value for ever. Where it
#' is not 0 on an unbounded stretch of the window, the norm is `Inf` and the integral `Inf`
#' or `-Inf`, that of the last value. A stretch on which the function is 0 adds 0, however
#' long it is.
#'
#' The results are exact up to rounding, for values and times of any magnitude. Each depends
#' on its function and the window alone: not on the other functions, nor on the number of
#' threads, which share the work by breakpoints, so that one very long function among many
#' short ones keeps all of them busy.
#'
#' @inheritParams pdist
#' @param x A collection of functions: a [pcf] object, arrays of functions included.
#' @param p The exponent, a number of at least 1, or `Inf`. Other exponents than 1, 2 and
#'   `Inf` are slower.
#' @param threads The number of threads; see [pcfdist_options] for the default.
#'
#' @return A numeric vector, one number for each function, with the names of `x` or, for an
#'   array of functions, an array with its dimensions and dimnames. A norm has the unit of
#'   the values times that of the times to the power \eqn{1/p}, an integral that of the
#'   values times that of the times.
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
#' @export
lp_norm <- function(x, p = 1, from = -Inf, to = Inf, threads = NULL) {
  x <- check_pcf(x)
  operation <- operation_of(p)
  window <- check_window(from, to, unit_of(x))
  measure_functions(x, operation$name, p, window, run_threads(threads))
}

#' @rdname lp_norm
#' @export
integral <- function(x, from = -Inf, to = Inf, threads = NULL) {
  x <- check_pcf(x)
  window <- check_window(from, to, unit_of(x))
  measure_functions(x, "integral", 1, window, run_threads(threads))
}

# One number for each function; `measure` is its name in C.
measure_functions <- function(x, measure, p, window, threads) {
  window <- c(window$from, window$to)
  answer <- .Call(ffi_measure, x, measure, as.double(p), window, threads, shape_of(x))
  results <- answer_value(answer, x = x)
  what <- if (measure == "integral") "integral" else "norm"
  warn_infinite(results, what, list(x), window[1], window[2])
  results
}
