#' Multiply Distance and Kernel Matrices by Vectors
#'
#' @description
#' `distance_product()` computes `as.matrix(pdist(x, p))^power %*% b`, and `kernel_product()` computes
#' `l2_kernel(x) %*% b`, without storing the matrix: for half a million functions it would have 250 billion
#' elements, while the result has one for each function. `kernel_operator()` returns this product as a
#' function, for iterative solvers.
#'
#' If `b` is a vector of ones, the result contains the sum of the distances of each function to all others.
#' If `b` has a column for each group, which is 1 for its members and 0 otherwise, these are the sums over
#' each group. Medoids, silhouettes, energy distances, principal coordinates and ridge regression can be
#' computed from such products.
#'
#' @details
#' **Without pairs.** In two cases the sums can be computed without looking at single pairs, on the CPU and
#' in double precision. The time is proportional to \eqn{M \log M} for \eqn{M} breakpoints in total, for
#' each column of `b`. This is the kernel `events` of [pcf_plan()]:
#'
#' * distances of step functions with `p = 1` and `power = 1`: a sweep over the breakpoints of all functions
#'   in the order of time, with running sums over their values;
#' * the linear kernel, since inner products are linear:
#'   \eqn{\sum_j b_j \langle f_i, g_j \rangle = \langle f_i, \sum_j b_j g_j \rangle}; and therefore also
#'   squared distances, `p = 2` and `power = 2`:
#'   \eqn{\|f_i\|^2 \sum b_j + \sum_j \|g_j\|^2 b_j - 2 \sum_j b_j \langle f_i, g_j \rangle}.
#'
#' **From pairs.** In all other cases each pair is computed once and added at once, on the CPU or on GPUs.
#' This takes the time of [pdist()], and about a nanosecond more for each pair and column of `b`. The two
#' cases above are computed from pairs as well if this is expected to be faster, as for few functions or
#' many columns of `b`, and always with `device = "cuda"`. [last_run()] tells which method was used; if some
#' sums were computed again from pairs (see below), it describes this second computation. Memory
#' is needed for the functions, for `b` and for the result, and during the computation for sums that take
#' four times as much as the result.
#'
#' **Accuracy.** Sums that are computed without pairs lose digits if functions are close to each other
#' relative to the range of all values or, for squares, to their norms less a common constant. Each has an error
#' bound; if it exceeds 1e-12 of \eqn{\sum_j |b_j| d_j} or, for squares, of the sum, the sum is computed from
#' pairs, which takes longer if there are many such sums. Sums over groups of consecutive functions are
#' accumulated such that the order in which they are computed does not matter (Demmel and Nguyen 2015). The
#' result is the same for any number of threads and GPUs. In another order of the functions it may differ by
#' rounding: by at most 1e-12 of \eqn{\sum_j |b_j| d_j} or, for squares, of the sum.
#'
#' **Infinite distances.** If the window has no end, functions whose last values differ are at distance
#' `Inf`. Such a pair makes the sum `Inf` or `-Inf`, by the sign of its element of `b`, or `NaN` if both
#' occur; if the element of `b` is 0, the function is ignored. The Gaussian and Laplacian kernels of such
#' a pair are 0. Sums that are too large for a double are also `Inf` or `-Inf`, by their own sign, even if
#' single terms are too large and partly cancel, provided that it is the values that are large, rather
#' than the times or the weight.
#'
#' **Missing values.** Functions that have missing values, or a first time of `-Inf`, are always compared
#' pair by pair. A pair whose distance is `NA`, since its functions are never observed at the same time or
#' share less than `min_overlap`, makes the sum `NA`, unless its element of `b` is 0. By default
#' (`missing = "error"`), functions that are observed at different times raise an error of class
#' `pcfdist_error_missing`.
#'
#' @param x,y Collections of functions: [pcf] or [plf] objects. Without `y`, the pairs are those of `x`.
#' @param b A numeric vector with one element for each function of `y` or, without `y`, of `x`; or a matrix
#'   of such columns, or an object that [as.matrix()] converts to one. Weights are matched by position,
#'   whatever their names.
#' @param power The exponent to which distances are raised before they are added: a positive number.
#' @inheritParams pdist
#' @param kernel The kernel of two functions: `"linear"`, their inner product; `"gaussian"`,
#'   \eqn{\exp(-d^2 / (2 s^2))} for their L2 distance; `"laplacian"`, \eqn{\exp(-d / s)} for their
#'   L1 distance.
#' @param scale The scale \eqn{s} of the Gaussian and Laplacian kernels, in the unit of distances.
#'
#' @return
#' `distance_product()` and `kernel_product()`: a numeric matrix with a row for each function of `x` and
#' the columns of `b`, or a numeric vector if `b` is a vector, with the names of `x`.
#'
#' `kernel_operator()`: a function `(v, args)` that returns `K %*% v` as a vector, where `K` is the kernel
#' matrix. It can be the argument `A` of `RSpectra::eigs_sym()`, with the number of functions as `n`. It is
#' printed as the call that it evaluates.
#'
#' @inheritSection nearest_neighbors Windows, missing values and components
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
#' # The mean distance of each function to all others, and the medoid
#' far <- distance_product(x, rep(1, 200)) / 199
#' which.min(far)
#'
#' # The mean distances to the members of two groups
#' group <- rep(1:2, each = 100)
#' member <- outer(group, 1:2, "==") / 100
#' head(distance_product(x, member))
#'
#' kernel_product(x, rep(1, 200))[1:3]
#'
#' # Kernel regression of a number on functions: weighted means over similar functions
#' peak <- lp_norm(x, Inf)
#' sums <- kernel_product(x, cbind(peak, 1), kernel = "gaussian", scale = 0.5)
#' cor(sums[, 1] / sums[, 2], peak)
#' @export
distance_product <- function(x, b, y = NULL, p = 1, power = p, from = -Inf, to = Inf,
                             missing = c("error", "overlap", "mean"), weight = NULL,
                             distance = "lp", margin = NULL, min_overlap = NULL, device = NULL,
                             precision = NULL, threads = NULL, progress = NULL, jobs = NULL) {
  operation <- operation_of(p, distance, !missing(p), few = TRUE)
  call <- check_integrals(x, y, from, to, missing, weight, margin, operation, precision = precision,
                          min_overlap = min_overlap)
  if (missing(power)) check_summed_power(p)
  power <- check_positive(power, "power")
  settings <- settings_of_call(device, precision, threads, progress, jobs)
  sums <- new_sums("power", power, b = check_columns(b, call))
  product <- sum_pairs(call, operation$name, operation$exponent, settings, sums)
  shape_product(product, call$x, b)
}

#' @rdname distance_product
#' @export
kernel_product <- function(x, b, y = NULL, kernel = c("linear", "gaussian", "laplacian"),
                           scale = NULL, from = -Inf, to = Inf,
                           missing = c("error", "overlap", "mean"), weight = NULL, margin = NULL,
                           min_overlap = NULL, device = NULL, precision = NULL, threads = NULL,
                           progress = NULL, jobs = NULL) {
  call <- check_integrals(x, y, from, to, missing, weight, margin = margin, precision = precision,
                          min_overlap = min_overlap)
  kernel <- check_kernel(kernel, scale)
  settings <- settings_of_call(device, precision, threads, progress, jobs)
  operation <- c(linear = "inner", gaussian = "l2", laplacian = "l1")[[kernel]]
  weight <- if (kernel == "linear") "power" else kernel
  sums <- new_sums(weight, scale = scale, b = check_columns(b, call))
  product <- sum_pairs(call, operation, if (kernel == "laplacian") 1 else 2, settings, sums)
  shape_product(product, call$x, b)
}

#' @rdname distance_product
#' @param ... Further arguments of `kernel_product()`, except `b` and `y`.
#' @export
kernel_operator <- function(x, ..., margin = NULL) {
  x <- check_either(x)
  for (argument in intersect(c("b", "y"), names(list(...)))) {
    abort_argument(argument, "must not be given: the operator is the kernel matrix of `x` alone.")
  }
  size <- if (is.null(margin)) length(x) else nrow(component_matrix(x, margin, "x"))
  kernel_product(x, numeric(size), ..., margin = margin) # raises errors now
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
  size <- number(attr(x, "size"), big.mark = ",")
  call <- code_text(attr(x, "product"))
  cat(
    "<kernel_operator> of ", size, if (size == "1") " function: " else " functions: ", call,
    " for a vector v\n", sep = ""
  )
  invisible(x)
}

# ---- Checks ----

# `b` as a double matrix.
check_columns <- function(b, call) {
  check_given(b, "b", "a number for each function, or a matrix with such columns")
  of <- if (is.null(call$y)) "x" else "y"
  count <- length(call[[of]])
  columns <- if ((is.numeric(b) || is.logical(b)) && length(dim_of(b)) < 2) matrix(as.double(b), ncol = 1)
             else if (length(dim_of(b)) == 2) as.matrix(b)
  valid <- (is.numeric(columns) || is.logical(columns)) && nrow(columns) == count
  check_is(valid, b, "b", "must be a number for each of the ", count, " functions of `", of,
           "`, or a matrix with such columns, not ")
  check_every(is.finite, columns, "b", "finite")
  array(as.double(columns), dim(columns))
}

# For sums of distances to the power of their own exponent, which must be finite.
check_summed_power <- function(p) {
  if (p == Inf) {
    abort_argument("p", "must be finite, since distances are raised to this power. To sum suprema, ",
                   "use distance_product() with `power = 1`.")
  }
}

check_kernel <- function(kernel, scale) {
  kernel <- check_option(kernel, "kernel", c("linear", "gaussian", "laplacian"))
  if (kernel != "linear") {
    if (is.null(scale)) abort_argument("scale", "is missing: the ", kernel, " kernel needs it.")
    check_positive(scale, "scale")
  } else if (!is.null(scale)) {
    abort_argument("scale", "must not be given for the linear kernel.")
  }
  kernel
}

# ---- Results ----

shape_product <- function(product, x, b) {
  labels <- if (is.null(dim(x))) names(x)
  if (length(dim_of(b)) < 2) return(structure(as.vector(product), names = labels))
  dimnames(product) <- any_labels(list(labels, colnames(b)))
  product
}
