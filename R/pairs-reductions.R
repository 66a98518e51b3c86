#' Reduce the Distances of Each Function to One Number
#'
#' `reduce_distances()` computes one number from the distances of each function of `x` to the functions of
#' `y` or, without `y`, to the other functions of `x`: the smallest or largest distance, the index of the
#' function at this distance, the number of distances within a radius, or a smooth minimum. The matrix of
#' distances is not stored.
#'
#' Without `y`, the distance of a function from itself is not included. Pairs without a distance, whose
#' functions are not observed together, or share less than `min_overlap`, are ignored, except by
#' `"logsumexp"`, which is `NA` if the distance of any pair is missing. Ties in `"which.min"` and
#' `"which.max"` are broken by the smaller index.
#'
#' `"logsumexp"` is \eqn{\log \sum_j \exp(-d_{ij}^q / s)}{log(sum over j of exp(-d_ij^q / s))} for
#' `power` \eqn{q} and `scale` \eqn{s}. It is computed without overflow or underflow of the sum:
#'
#' * multiplied by \eqn{-s}, it is a smooth minimum of \eqn{d^q}, which is at most the minimum, and for
#'   \eqn{n} pairs at least the minimum less \eqn{s \log n};
#' * with `p = 2`, `power = 2` and \eqn{s = 2h^2}, it is, up to a constant, the logarithm of a kernel density
#'   estimate with a Gaussian kernel of bandwidth \eqn{h}; with `power = 1`, of one with a Laplacian kernel.
#'   Without `y`, each function is left out of its own estimate.
#'
#' The result does not depend on the number of threads or GPUs.
#'
#' @section Cost:
#' The time is that of [pdist()] or, with `y`, [cdist()]. Memory is needed for the functions, for the result,
#' and for blocks of the matrix, whose size does not grow with it.
#'
#' @inheritParams l2_kernel
#' @inheritParams pdist
#' @param with The reduction: `"min"`, `"which.min"`, `"max"`, `"which.max"`, `"count"` or `"logsumexp"`.
#' @param radius For `"count"`: the radius, a number in the unit of distances. Distances of exactly the
#'   radius are counted.
#' @param scale,power For `"logsumexp"`: positive numbers. `scale` has the unit of distances to the power of
#'   `power`, which is 1 by default.
#'
#' @return A vector with one element for each function of `x`, and the names and dimensions of `x`. It
#'   contains distances; for `"which.min"` and `"which.max"` integers, which are indices of functions of `y`
#'   or, without `y`, of `x`; for `"count"` whole numbers; for `"logsumexp"` logarithms. For a function
#'   without any pair at a known distance it is `NA`, the count is 0, and the logarithm is `-Inf` if there
#'   are no pairs at all.
#' @inheritSection nearest_neighbors Windows, missing values and components
#'
#' @seealso [nearest_neighbors()] for more than one neighbour; [distance_product()] for sums and
#'   means of distances, such as the medoid; [kernel_product()] for sums of kernels
#'
#' @examples
#' set.seed(1)
#' x <- c(rpcf(20, kind = "sine"), rpcf(20, kind = "cosine"))
#' y <- rpcf(10, kind = "sine")
#'
#' # The Hausdorff distance between two collections
#' max(reduce_distances(x, y, to = 1), reduce_distances(y, x, to = 1))
#'
#' # The function whose largest distance is smallest, and the medoid, whose mean distance is
#' which.min(reduce_distances(x, with = "max", to = 1))
#' which.min(distance_product(x, rep(1, 40), to = 1))
#'
#' # An outlier has few other functions around it, and a low density
#' x[40] <- 5 * x[40]
#' reduce_distances(x, with = "count", radius = 0.5, to = 1)
#' h <- 0.3
#' density <- reduce_distances(x, with = "logsumexp", p = 2, power = 2, scale = 2 * h^2, to = 1)
#' which.min(density)
#' @export
reduce_distances <- function(x, y = NULL,
                             with = c("min", "which.min", "max", "which.max", "count", "logsumexp"),
                             radius = NULL, scale = NULL, power = NULL, p = 1, from = -Inf,
                             to = Inf, missing = c("error", "overlap", "mean"), weight = NULL,
                             distance = "lp", margin = NULL, min_overlap = NULL, device = NULL,
                             precision = NULL, threads = NULL, progress = NULL, jobs = NULL) {
  operation <- operation_of(p, distance, !missing(p), few = TRUE)
  call <- check_integrals(x, y, from, to, missing, weight, margin, operation, precision = precision,
                          min_overlap = min_overlap)
  with <- check_reduction(with, radius, scale, power)
  settings <- settings_of_call(device, precision, threads, progress, jobs)
  numbers <- switch(with,
    min = , which.min = extreme_distances(call, operation, settings, "nearest", with),
    max = , which.max = extreme_distances(call, operation, settings, "farthest", with),
    count = select_pairs(call, operation, settings, list(kind = "count", radius = radius)),
    logsumexp = log_sums(call, operation, settings, scale, power)
  )
  shaped_as(numbers, call$x)
}

# ---- Arguments ----

reductions <- c("min", "which.min", "max", "which.max", "count", "logsumexp")

check_reduction <- function(with, radius, scale, power) {
  with <- check_option(with, "with", reductions)
  given <- Filter(Negate(is.null), list(radius = radius, scale = scale, power = power))
  takes <- switch(with, count = "radius", logsumexp = c("scale", "power"))
  for (argument in setdiff(names(given), takes)) {
    abort_argument(argument, "must not be given for `with = ", dQuote(with, FALSE), "`.")
  }
  if (with == "count") check_radius(radius)
  if (with != "logsumexp") return(with)
  if (is.null(scale)) {
    abort_argument("scale", "is missing: it must be a positive number, by which distances are divided.")
  }
  check_positive(scale, "scale")
  if (!is.null(power)) check_positive(power, "power")
  with
}

# ---- Reductions ----

# The distance of the nearest or farthest function, or its index.
extreme_distances <- function(call, operation, settings, kind, with) {
  found <- select_pairs(call, operation, settings, list(kind = kind, k = 1))
  what <- if (kind == "nearest") "smallest distance" else "largest distance"
  warn_infinite(found$distance, what, call[c("x", "y")], call$window)
  as.vector(if (with %in% c("min", "max")) found$distance else found$id)
}

log_sums <- function(call, operation, settings, scale, power) {
  sums <- new_sums("logarithm", power, scale)
  numbers <- as.vector(sum_pairs(call, operation$name, operation$exponent, settings, sums))
  if (has_others(call)) warn_infinite(numbers, "log sum", call[c("x", "y")], call$window)
  numbers
}
