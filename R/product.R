#' Products of distance and kernel matrices with vectors
#'
#' @description
#' `distance_product()` computes `as.matrix(pdist(x, p))^power %*% b`, and `kernel_product()`
#' `l2_kernel(x) %*% b`, without the matrix: for half a million functions it would have 250
#' billion numbers, and the answer has as many as there are functions. `kernel_operator()`
#' makes a function of it for iterative solvers.
#'
#' With a `b` of ones these are the sums of the distances of each function to all others; with
#' a column for each group, 1 for its members, the sums to every group. Medoids, silhouettes,
#' energy distances, principal coordinates and ridge regression come from such products.
#'
#' @details
#' Two cases can be computed without looking at pairs, in time \eqn{M \log M} for \eqn{M}
#' breakpoints in all, for each column of `b`, on the CPU and in double precision. This is the
#' kernel `events` of [pcf_plan()]:
#'
#' * distances of step functions with `p = 1` and `power = 1`: a sweep over the events of all functions in the
#'   order of time, with running sums over their values;
#' * the linear kernel, since inner products are linear:
#'   \eqn{\sum_j b_j \langle f_i, g_j \rangle = \langle f_i, \sum_j b_j g_j \rangle}; and
#'   with it squared distances, `p = 2` and `power = 2`:
#'   \eqn{\|f_i\|^2 \sum b_j + \sum_j \|g_j\|^2 b_j - 2 \sum_j b_j \langle f_i, g_j \rangle}.
#'
#' Everything else computes all pairs, each once, and adds it up where its block is, on the CPU or
#' on GPUs: in the time of [pdist()], and for each column of `b` about a nanosecond a pair more. So
#' do the first two where there are few functions, or so many columns of `b`, that the plan expects
#' this to be faster, and always with `device = "cuda"`. [last_run()] tells which it was; of sums of
#' squares that are in part computed again from pairs, it tells of these. Memory is that of the
#' functions, of `b` and of the result, of which the sums take four times as much while they last.
#'
#' These agree with the matrix to about 1e-14 of \eqn{\sum_j |b_j| d_j}, in general of
#' what the range of all values comes to over the window; where all L1 distances of a function are
#' 0, rounding may leave a number of that size. Squares cancel where functions are near to each
#' other beside their norms. So each sum of squares has a bound of its error, and where that is
#' beyond 1e-12 of the sum, it is computed from pairs. Sums over all pairs are added up
#' without an order, after Demmel and Nguyen. The result is the same for any number of threads and
#' GPUs.
#'
#' Functions that do not meet again after their last breakpoints are at the distance `Inf` if
#' `to` does not end the window. Such a pair makes the sum `Inf` or `-Inf`, by the sign of its
#' `b`, and `NaN` if there are both; a `b` of 0 leaves a function out. The Gaussian and the
#' Laplacian kernel of such a pair are 0. Sums that are too large for a double are `Inf` or `-Inf`
#' as well, by their own sign: the terms of such a sum may be too large and cancel in part.
#'
#' Functions that are known only in part, or have a first time of `-Inf`, are always compared
#' pair by pair; a pair that is `NA` makes the sum `NA` unless its `b` is 0. By default, with
#' `missing = "error"`, functions that are observed on different stretches raise
#' `pcfdist_error_missing`.
#'
#' @param x,y Collections of functions: [pcf] or [plf] objects. Without `y`, the pairs are those of `x`.
#' @param b A vector with a number for each function of `y` or, without `y`, of `x`; or a matrix
#'   with such columns, or something that [as.matrix()] makes one of.
#' @param power The exponent of the distances before they are summed: a positive number.
#' @inheritParams pdist
#' @param kernel The kernel of two functions: `"linear"`, their inner product; `"gaussian"`,
#'   \eqn{\exp(-d^2 / (2 s^2))} of their L2 distance; `"laplacian"`, \eqn{\exp(-d / s)} of their
#'   L1 distance.
#' @param scale The \eqn{s} of the Gaussian and the Laplacian kernel, in the unit of distances.
#'
#' @return
#' `distance_product()` and `kernel_product()`: a matrix with a row for each function of `x` and
#' the columns of `b`; for a vector `b` a vector, with the names of `x`.
#'
#' `kernel_operator()`: a function `(v, args)` that returns `K %*% v` as a vector, as
#' `RSpectra::eigs_sym()` wants it for the argument `A`, with the number of functions as `n`. It
#' prints as what it computes.
#'
#' @inheritSection pdist Functions with several components
#' @inheritSection pdist Errors
#'
#' @references
#' Demmel, J. and Nguyen, H. D. (2015). Parallel reproducible summation. *IEEE Transactions on
#' Computers* 64(7), 2060-2070. \doi{10.1109/TC.2014.2345391}
#'
#' @seealso [pdist()], [l2_kernel()]
#'
#' @examples
#' set.seed(1)
#' x <- rpcf(200, 20)
#'
#' # The mean distance of each function to all others, and the medoid.
#' far <- distance_product(x, rep(1, 200)) / 199
#' which.min(far)
#'
#' # The mean distances to the members of two groups.
#' group <- rep(1:2, each = 100)
#' member <- outer(group, 1:2, "==") / 100
#' head(distance_product(x, member))
#'
#' kernel_product(x, rep(1, 200))[1:3]
#'
#' # Kernel regression of a number on functions: the means of those of near functions.
#' peak <- lp_norm(x, Inf)
#' sums <- kernel_product(x, cbind(peak, 1), kernel = "gaussian", scale = 0.5)
#' cor(sums[, 1] / sums[, 2], peak)
#' @export
distance_product <- function(x, b, y = NULL, p = 1, power = p, from = -Inf, to = Inf,
                             missing = c("error", "overlap", "mean"), weight = NULL,
                             distance = "lp", margin = NULL, device = NULL, precision = NULL,
                             threads = NULL, progress = NULL, jobs = NULL) {
  operation <- operation_of(p, distance, !missing(p))
  call <- check_integrals(
    x, y, from, to, missing, weight, margin = margin, operation = operation
  )
  if (missing(power)) check_summed_power(p)
  check_positive(power, "power")
  settings <- run_settings(device, precision, threads, progress, jobs)
  sums <- new_sums("power", power, b = check_columns(b, call))
  product <- sum_pairs(call, operation$name, operation$exponent, settings, sums)
  shape_product(product, call$x, b)
}

#' @rdname distance_product
#' @export
kernel_product <- function(x, b, y = NULL, kernel = c("linear", "gaussian", "laplacian"),
                           scale = NULL, from = -Inf, to = Inf,
                           missing = c("error", "overlap", "mean"), weight = NULL, margin = NULL,
                           device = NULL, precision = NULL, threads = NULL, progress = NULL,
                           jobs = NULL) {
  call <- check_integrals(x, y, from, to, missing, weight, margin = margin)
  kernel <- check_kernel(kernel, scale)
  settings <- run_settings(device, precision, threads, progress, jobs)
  operation <- c(linear = "inner", gaussian = "l2", laplacian = "l1")[[kernel]]
  weight <- if (kernel == "linear") "power" else kernel
  sums <- new_sums(weight, scale = scale, b = check_columns(b, call))
  product <- sum_pairs(call, operation, if (kernel == "laplacian") 1 else 2, settings, sums)
  shape_product(product, call$x, b)
}

#' @rdname distance_product
#' @param ... Further arguments of `kernel_product()`.
#' @export
kernel_operator <- function(x, ..., margin = NULL) {
  x <- check_either(x)
  size <- if (is.null(margin)) length(x) else nrow(component_matrix(x, margin, "x"))
  kernel_product(x, numeric(size), ..., margin = margin) # finds faults now
  given <- as.list(match.call())[-1]
  given$x <- NULL
  call <- as.call(c(quote(kernel_product), quote(x), quote(v), given))
  structure(
    function(v, args = NULL) as.vector(kernel_product(x, v, ..., margin = margin)),
    class = c("kernel_operator", "function"), size = size, product = short_call(call)
  )
}

#' @export
print.kernel_operator <- function(x, ...) {
  size <- format(attr(x, "size"), big.mark = ",")
  call <- paste(deparse(attr(x, "product"), 500), collapse = " ")
  cat(
    "<kernel_operator> of ", size, if (size == "1") " function: " else " functions: ", call,
    " for a vector v\n", sep = ""
  )
  invisible(x)
}

# ---- Checks ----

# The columns of `b`, as a matrix of doubles.
check_columns <- function(b, call) {
  check_given(b, "b", "a number for each function, or a matrix with such columns")
  of <- if (is.null(call$y)) "x" else "y"
  count <- length(call[[of]])
  columns <- if (is.numeric(b) && is.null(dim(b))) matrix(as.double(b), ncol = 1)
             else if (length(dim(b)) == 2) as.matrix(b)
  if (!(is.numeric(columns) || is.logical(columns)) || nrow(columns) != count) {
    abort_argument(
      "b", "must be a number for each of the ", count, " functions of `", of,
      "`, or a matrix with such columns, not ", describe(b), "."
    )
  }
  wrong <- which(!is.finite(columns))
  if (length(wrong) > 0) {
    abort_argument("b", "must be finite, and is ", place_label(columns, wrong))
  }
  array(as.double(columns), dim(columns))
}

# For sums of distances to the power of their own exponent.
check_summed_power <- function(p) {
  if (p == Inf) {
    abort_argument("p", "is Inf, and distances have no power of that to be summed. ",
                   "distance_product() sums suprema with `power = 1`.")
  }
}

check_kernel <- function(kernel, scale) {
  kernel <- check_option(kernel, "kernel", c("linear", "gaussian", "laplacian"))
  if (kernel != "linear") {
    if (is.null(scale)) abort_argument("scale", "is missing. The ", kernel, " kernel needs it.")
    check_positive(scale, "scale")
  } else if (!is.null(scale)) {
    abort_argument("scale", "has no meaning for the linear kernel.")
  }
  kernel
}

# ---- Results ----

shape_product <- function(product, x, b) {
  labels <- if (is.null(dim(x))) names(x)
  if (is.null(dim(b))) return(structure(as.vector(product), names = labels))
  dimnames(product) <- any_labels(list(labels, colnames(b)))
  product
}
