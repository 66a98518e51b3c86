#' Persistence diagrams of clusterings
#'
#' @description
#' `homological_kernel()` compares how the same points merge into clusters under two distances, such as
#' those between points and between their projections, or two measurements of the same objects. Under the
#' smaller distance clusters merge earlier. The diagram has one bar for each merger, \eqn{n - 1} for \eqn{n}
#' points: it is born when clusters merge under `d2`, and dies when these merge under `d` as well.
#'
#' `as_diagram()` converts a hierarchical clustering by any method to a diagram with a bar from 0 to the
#' height of each merger, and one that never dies. Other diagrams are converted to plain matrices, in which the
#' bars that never die have the death `Inf`.
#'
#' @details
#' Points at a distance of at most \eqn{t} are joined, and each connected component under `d` is mapped to the
#' component under `d2` that contains it. The bars are those of the kernel of this map in homology of
#' dimension 0. The number of bars alive at \eqn{t} is the number of components under `d` minus that under
#' `d2`.
#'
#' Distances that were computed in single precision have rounding errors: where either distance of two points has
#' at most 24 significant bits, that in `d2` may be larger by 1e-6 of the one in `d`, otherwise by 1e-12. It is
#' then taken as equal.
#'
#' With some methods, such as "centroid", clusters may merge at a lower height than their parts did. Such a
#' merger gets the largest height of its parts.
#'
#' Time and memory are those of all pairwise distances of the points.
#'
#' @param d,d2 Distances of the same \eqn{n} points, where those in `d2` are not larger than those in `d`: a
#'   [dist], or a numeric matrix or data frame with a point in each row, whose Euclidean distances are
#'   used. Or two lists of these of equal length, which are compared element by element.
#' @param x A clustering by [hclust()], `cluster::agnes()` or `cluster::diana()`, a dendrogram, or a diagram
#'   of any kind that [stable_rank()] takes; or a list of these.
#' @param threads The number of threads; see [pcfdist_options].
#'
#' @return A matrix with a row for each bar, ordered by death, and the columns `dimension`, which is 0,
#'   `birth` and `death`. For a list, a list of matrices with the names and dimensions of `d` or `x`. If a
#'   diagram has no dimensions, the result of `as_diagram()` has no column `dimension`.
#'
#' @section Errors:
#' An error of class `pcfdist_error_d2` is raised if `d2` has another number of points than `d`, or if a
#' distance in `d2` is larger, beyond rounding; the message names the two points. Arguments that are not
#' points, distances or diagrams, and missing, infinite or negative numbers, raise `pcfdist_error_d`,
#' `pcfdist_error_d2` or `pcfdist_error_x`.
#'
#' @references
#' Cohen-Steiner, D., Edelsbrunner, H., Harer, J. and Morozov, D. (2009). Persistent homology for
#' kernels, images, and cokernels. *Proceedings of the 20th Annual ACM-SIAM Symposium on Discrete
#' Algorithms*, 1011-1020. \doi{10.1137/1.9781611973068.110}
#'
#' @seealso [stable_rank()] and [landscape()] for functions of diagrams,
#'   [plot_barcode()] to draw them
#'
#' @examples
#' # How the clusters of flowers change if petals are ignored
#' flowers <- unique(iris[1:4])
#' lost <- homological_kernel(flowers, flowers[1:2])
#' head(lost)
#' plot(stable_rank(lost))
#'
#' as_diagram(hclust(dist(c(0, 1, 3, 7)), method = "average"))
#' @export
homological_kernel <- function(d, d2, threads = NULL) {
  threads <- run_threads(threads)
  check_given(d, "d", "distances or points")
  check_given(d2, "d2", "distances or points")
  several <- is_list_of_data(d)
  alike <- several == is_list_of_data(d2) && (!several || length(d) == length(d2))
  check_is(alike, d2, "d2", "must be like `d`, which is ", describe(d), ", not ")
  far <- distances_of(if (several) d else list(d), "d")
  near <- distances_of(if (several) d2 else list(d2), "d2")
  points <- vapply(far, function(x) attr(x, "Size"), 0)
  for (i in seq_along(far)) near[[i]] <- check_nearer(near[[i]], far[[i]], i, d)
  answer <- .Call(ffi_homological_kernels, far, near, points, threads)
  diagrams <- lapply(answer_value(answer), name_columns)
  if (several) shaped_as(diagrams, d) else diagrams[[1]]
}

#' @rdname homological_kernel
#' @export
as_diagram <- function(x) {
  check_given(x, "x", "a clustering or a persistence diagram")
  one <- is_diagram(x)
  if (one) x <- list(x)
  check_is(is.list(x), x, "x", "must be a clustering, a persistence diagram or a list of them, not ")
  diagrams <- x
  diagrams[] <- lapply(unclass(x), function(d) {
    if (inherits(d, tree_classes)) d <- clustering_of(d)
    if (inherits(d, "hclust")) linkage_diagram(check_clustering(d)) else d
  })
  diagrams <- lapply(plain_diagrams(diagrams, needed = FALSE), name_columns)
  if (one) diagrams[[1]] else shaped_as(diagrams, x)
}

name_columns <- function(bars) {
  colnames(bars) <- utils::tail(c("dimension", "birth", "death"), ncol(bars))
  bars
}

is_list_of_data <- function(x) is.list(x) && !is_sampled(x)

# Lists of dists with only the attribute Size.
distances_of <- function(x, argument) {
  lapply(seq_along(x), function(i) {
    label <- if (length(x) == 1) "the data" else function_label(i, x, "element")
    data <- x[[i]]
    if (is_either(data) || !is_sampled(data)) {
      abort_sampled(data, label, kinds = "points or a dist", argument = argument)
    }
    data <- as_sampled(data, label, argument)
    if (!inherits(data, "dist")) data <- distances_of_points(data)
    points <- as.double(attr(data, "Size"))
    if (points == 0) abort_argument(argument, "is invalid: ", label, " has no points.")
    if (points > 1 && !isTRUE(min(data) >= 0 && max(data) < Inf)) {
      wrong <- which(!is.finite(data) | data < 0)
      abort_argument(
        argument, "is invalid: points ", pair_label(wrong[1], points), " of ", label,
        " have the distance ", number(data[[wrong[1]]]), "."
      )
    }
    structure(as.double(data), Size = points)
  })
}

distances_of_points <- function(x) {
  euclidean(stats::dist(x), function(k) {
    pair <- pair_at(k, nrow(x))
    t(x[pair$first, , drop = FALSE] - x[pair$second, , drop = FALSE])
  })
}

# The relative difference of two numbers that is taken for rounding.
rounding_of <- function(one, other) ifelse(is_single(one) | is_single(other), 1e-6, 1e-12)

# Are these numbers of single precision? A product that overflows makes them not so.
is_single <- function(x) {
  more <- x * (2^29 + 1)
  (more - (more - x) == x) %in% TRUE
}

# The smaller distances, cut off where rounding has made them larger than the others.
check_nearer <- function(near, far, i, x) {
  points <- attr(far, "Size")
  in_element <- if (is_list_of_data(x) && length(x) > 1) paste(" in", function_label(i, x, "element"))
  if (attr(near, "Size") != points) {
    abort_argument(
      "d2", "must have ", number(points), " points", in_element, ", as `d` has, not ",
      number(attr(near, "Size")), "."
    )
  }
  larger <- which(near > far)
  wrong <- larger[near[larger] > far[larger] * (1 + rounding_of(near[larger], far[larger]))]
  if (length(wrong) > 0) {
    shown <- format_numbers(c(near[wrong[1]], far[wrong[1]]), 15)
    abort_argument(
      "d2", "must not be larger than `d`: points ", pair_label(wrong[1], points), in_element,
      " have the distance ", shown[1], ", but ", shown[2], " in `d`."
    )
  }
  near[larger] <- far[larger]
  near
}
