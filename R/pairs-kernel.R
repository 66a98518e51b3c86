#' L2 inner products of piecewise constant or linear functions
#'
#' Computes the matrix of \eqn{\int_{from}^{to} f(t) g(t) dt}{the integrals of
#' f(t) g(t) over [from, to]} for all pairs of functions of `x`, or for each function of `x` with each of
#' `y`. It is the linear kernel for support vector machines, kernel principal components and similar
#' methods.
#'
#' The integrals are exact up to rounding. They are `Inf` or `-Inf` if both functions have non-zero values up
#' to an infinite end of the window, and `NaN`, as for [integral()], if both ends give infinite parts with
#' opposite signs.
#'
#' Functions that are not observed everywhere, and a `weight`, are treated as by [pdist()]: the integral of
#' \eqn{w(t) f(t) g(t)}{w(t) f(t) g(t)} is over the times at which both functions are observed, and for
#' `missing = "mean"` it is divided by their length.
#'
#' If the step functions of one collection are far longer than those of the other, for example if a mean
#' function is compared with the functions averaged, the long ones are integrated once, and the time for each
#' pair grows only with the breakpoints of the short function. `last_run()` then reports the kernel
#' `"lookup"`.
#'
#' All functions of a call are scaled alike. If values, widths or their products differ by factors beyond
#' 1e300, the smaller ones may be lost next to the larger, even if these belong to other functions;
#' [integral()] of `f * g` scales each pair separately.
#'
#' `l2_kernel(x)` and `l2_kernel(x, x)` are equal up to rounding. They are identical if both are computed by the
#' same kernel, see [pcf_plan()], except for diagonal elements whose products of values and widths are below
#' 1e-307.
#'
#' `kernlab::as.kernelMatrix()` accepts the result. Its elements grow with the window and with the square of
#' the values. Support vector machines, whose penalty suits values around 1, may not converge with large ones:
#' use `K / mean(diag(K))`.
#'
#' @inheritParams pdist
#' @param x A collection of functions: a [pcf] or a [plf].
#' @param y `NULL`, or a second collection.
#'
#' @return Without `y`, a symmetric matrix with `length(x)` rows and columns, named on both sides by `x` (for an
#'   array of functions, by its dimnames joined as in "a, b"). With `y`, an array with the dimensions
#'   `c(dim(x), dim(y))`, as from [cdist()]. The unit is the square of that of the values times that of
#'   the times; for means, the square of that of the values.
#'
#' @inheritSection nearest_neighbors Windows, missing values and components
#'
#' @seealso [pdist()]
#'
#' @examples
#' x <- pcf(
#'   times = list(a = c(0, 1, 4), b = c(0, 2), c = c(1, 3)),
#'   values = list(c(1, 2, 0), c(3, 0), c(2, 0))
#' )
#' l2_kernel(x)
#' l2_kernel(x, x["a"], to = 2)
#' @export
l2_kernel <- function(x, y = NULL, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"),
                      weight = NULL, margin = NULL, min_overlap = NULL, device = NULL, precision = NULL,
                      threads = NULL, progress = NULL, file = NULL, storage = c("double", "single"),
                      check = TRUE, jobs = NULL) {
  call <- check_integrals(x, y, from, to, missing, weight, margin = margin, precision = precision,
                          min_overlap = min_overlap)
  file <- check_file(file, storage, check, jobs)
  settings <- settings_of_call(device, precision, threads, progress, jobs)
  inner_products(call, settings, file = file)
}

# All inner products of x or, with y, of x and y; `call` comes from check_integrals(), `what` is the name of
# one, and `file` comes from check_file().
inner_products <- function(call, settings, what = "inner product", file = NULL) {
  itself <- is.null(call$y)
  labels <- function_labels(call$x)
  shape <- if (!itself) outer_shape(call$x, call$y) else list(
    dim = rep(length(call$x), 2), dimnames = any_labels(list(labels, labels))
  )
  kind <- if (itself) c("symmetric", "triangle") else c("dense", "full")
  request <- request_for(call, list(name = "inner", exponent = 2), kind[1], kind[2], shape, file)
  run_pairwise(call$x, call$y, request, settings, call$arguments, what)$value
}
