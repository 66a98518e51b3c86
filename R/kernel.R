#' L2 inner products of piecewise constant or linear functions
#'
#' @description
#' Computes the matrix of \eqn{\int_{from}^{to} f(t) g(t) dt}{the integrals of
#' f(t) g(t) over [from, to]}: of all pairs of `x`, or of each function of `x` with each
#' of `y`. It is the linear kernel of support vector machines, kernel principal
#' components and the like.
#'
#' @details
#' The integral is exact up to rounding. It is `Inf` or `-Inf` when both functions keep
#' values other than 0 for ever and the window does not end, or have them from the time `-Inf` on
#' and it does not begin. Where both are the case, with opposite signs, it is `NaN`, as of
#' [integral()].
#'
#' Where functions are not observed, and where there is a `weight`, integrals are those of
#' [pdist()]: over the stretches on which both are observed, for `missing = "mean"` divided by
#' their length, and of \eqn{w(t) f(t) g(t)}{w(t) f(t) g(t)}.
#'
#' Where the step functions of one collection are far longer than those of the other, such as a mean
#' function beside those that it is the mean of, the long ones are integrated once, and each pair
#' takes a time that grows with the breakpoints of the short function alone. `last_run()` then
#' names the kernel `"lookup"`.
#'
#' All functions of a call are scaled alike. Where values, widths or their products differ by
#' factors beyond 1e300, the smaller ones may vanish beside the larger, also where those are of
#' other functions; [integral()] of `f * g` computes one pair on a scale of its own.
#'
#' `l2_kernel(x)` and `l2_kernel(x, x)` agree to the last bit, except on the diagonal where
#' products of values and widths are below 1e-307.
#'
#' `kernlab::as.kernelMatrix()` takes the result as it is. The numbers grow with the window and with
#' the square of the values, and support vector machines, whose penalty is for numbers around 1, may
#' not come to an end on large ones: give them `K / mean(diag(K))`.
#'
#' @inheritParams pdist
#' @param x A collection of functions: a [pcf] or a [plf].
#' @param y `NULL`, or a second collection.
#'
#' @return Without `y`, a symmetric matrix with `length(x)` rows and columns and the
#'   names of `x` on both sides (of an array of functions its dimnames, joined as in "a, b").
#'   With `y`, an array with the dimensions `c(dim(x), dim(y))`, as of [cdist()]. The unit is
#'   that of the values squared times that of the times; of means, that of the values squared.
#'
#' @inheritSection pdist Functions known only in part
#' @inheritSection pdist Piecewise linear functions
#' @inheritSection pdist Functions with several components
#' @inheritSection pdist Errors
#' @inheritSection pdist Infinite results
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
                      weight = NULL, margin = NULL, device = NULL, precision = NULL, threads = NULL,
                      progress = NULL, file = NULL, storage = c("double", "single"), check = TRUE,
                      jobs = NULL) {
  call <- check_integrals(x, y, from, to, missing, weight, margin = margin)
  file <- check_file(file, storage, check, jobs)
  settings <- run_settings(device, precision, threads, progress, jobs)
  inner_products(call, settings, file = file)
}

# All inner products of x or, with a y, of x and y; `call` comes from check_integrals(), and `what`
# is the name of one; `file` comes from check_file().
inner_products <- function(call, settings, what = "inner product", file = NULL) {
  itself <- is.null(call$y)
  labels <- function_labels(call$x)
  shape <- if (!itself) outer_shape(call$x, call$y) else list(
    dim = rep(length(call$x), 2), dimnames = any_labels(list(labels, labels))
  )
  request <- new_request(
    if (itself) "symmetric" else "dense", if (itself) "triangle" else "full", "inner", 2,
    call$window, call$missing, shape, file, call$weight
  )
  run_pairwise(call$x, call$y, request, settings, what = what)$value
}
