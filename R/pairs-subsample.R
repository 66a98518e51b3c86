#' Random Subsamples of Points, Distances or Functions
#'
#' @description
#' `subsample()` draws random subsamples of a given size from points, from a matrix of distances, or from
#' functions. The mean of a function computed from many subsamples, such as their [stable_rank()], describes
#' data that are too large to be analysed as a whole, and its variation shows how certain it is.
#'
#' `subsample_near()` draws subsamples around each point, in which the probability of a point depends on its
#' distance. The mean function of these subsamples describes the data from the perspective of this point.
#'
#' [set.seed()] makes results reproducible.
#'
#' @details
#' Without replacement, points are drawn one after the other, each time with probabilities proportional to
#' the weights of the remaining points. Points with weight 0 are never drawn.
#'
#' @param x One of the following, or a list of any number of these:
#'   * points: a numeric matrix, or a data frame of numbers, with one row for each point;
#'   * distances: a `dist`;
#'   * functions: a [pcf] or [plf].
#'
#'   For `subsample_near()`, points or distances.
#' @param size The number of points in each subsample.
#' @param n The number of subsamples; if `x` is a list, for each of its elements.
#' @param replace If `TRUE`, points are drawn with replacement. The distance of a point from itself is 0.
#' @param weights `NULL`, or a vector of non-negative numbers with the probability of each point, up to a common
#'   factor. Only if `x` is not a list.
#' @param near The points around which subsamples are drawn: `NULL` for each point of `x`, a vector of indices
#'   for some of them, or a matrix with a point in each row.
#' @param weight A function that takes a vector of distances and returns non-negative weights, such as
#'   [dnorm()] or `function(d) d < 1`. Distances between points are Euclidean.
#'
#' @return A list of subsamples, each of the class of `x`; data frames become matrices. Row names, labels and
#'   names are kept.
#' * `subsample()`: a list of length `n`. If `x` is a list, a list with dimensions, with one row for each
#'   subsample and one column for each element of `x`.
#' * `subsample_near()`: a list with dimensions, with one row for each subsample and one column for each point
#'   of `near`.
#'
#' [stable_rank()] and similar functions keep these dimensions, so that `mean(ranks, margin = 2)` returns one
#' function for each column.
#'
#' @section Errors:
#' Other types of data, and points with missing coordinates, raise an error of class `pcfdist_error_x`. If
#' there are fewer points to draw from than `size`, the error has the class `pcfdist_error_size`, and the
#' message names the point of `near`. Other invalid arguments raise `pcfdist_error_<argument>`.
#'
#' @encoding UTF-8
#' @references
#' Chazal, F., Fasy, B., Lecci, F., Michel, B., Rinaldo, A. and Wasserman, L. (2015). Subsampling
#' methods for persistent homology. *Proceedings of the 32nd International Conference on Machine
#' Learning*, PMLR 37, 2143-2151.
#'
#' Agerberg, J., Chach\enc{ó}{o}lski, W. and Ramanujam, R. (2023). Global and relative topological
#' features from homological invariants of subsampled datasets. *Proceedings of the 2nd Annual
#' Workshop on Topology, Algebra, and Geometry in Machine Learning*, PMLR 221.
#'
#' @seealso [stable_rank()], [rpoisson_points()], [aggregate.pcf()]
#'
#' @examples
#' set.seed(1)
#' flowers <- as.matrix(iris[1:4])
#' tree <- function(points) hclust(dist(points), method = "single")
#'
#' # How 20 flowers of a species merge into clusters, on average over 50 draws
#' parts <- subsample(split(iris[1:4], iris$Species), size = 20, n = 50)
#' dim(parts)
#' parts[] <- lapply(parts, tree)
#' ranks <- stable_rank(parts, infinite = "drop")
#' plot(mean(ranks, margin = 2), by = levels(iris$Species), xlab = "distance", ylab = "clusters")
#'
#' # The same from the perspective of two flowers
#' near <- subsample_near(flowers, 10, n = 50, near = c(1, 101), weight = dnorm)
#' near[] <- lapply(near, tree)
#' mean(stable_rank(near, infinite = "drop"), margin = 2)
#' @export
subsample <- function(x, size, n = 1, replace = FALSE, weights = NULL) {
  size <- check_count(size, "size")
  n <- check_count(n, "n", least = 0)
  replace <- check_flag(replace, "replace")
  if (is_sampled(x)) {
    x <- as_sampled(x)
    weights <- without_integer64(weights, "weights")
    if (!is.null(weights)) check_draw_weights(weights, size_of(x), "weights", "are")
    return(draw_parts(x, size, n, replace, weights))
  }
  if (!is.list(x)) abort_sampled(x)
  if (!is.null(weights)) {
    abort_argument("weights", "must not be given if `x` is a list.")
  }
  labels <- vapply(seq_along(x), function_label, "", x, "element")
  parts <- .mapply(function(data, label) {
    draw_parts(as_sampled(data, label), size, n, replace, NULL, paste("in", label))
  }, list(x, labels), NULL)
  matrix_of_parts(parts, n, names(x))
}

#' @rdname subsample
#' @export
subsample_near <- function(x, size, n = 1, near = NULL, weight = stats::dnorm, replace = FALSE) {
  size <- check_count(size, "size")
  n <- check_count(n, "n", least = 0)
  replace <- check_flag(replace, "replace")
  if (is_either(x) || !is_sampled(x)) abort_sampled(x, kinds = "points or a dist")
  check_is(is.function(weight), weight, "weight", "must be a function, not ")
  x <- as_sampled(x)
  centers <- check_centers(near, x)
  parts <- lapply(seq_along(centers$label), function(k) {
    weights <- weight(centers$distances(k))
    check_draw_weights(weights, size_of(x), "weight", "gives", paste(" near", centers$label[k]))
    draw_parts(x, size, n, replace, weights, paste("near", centers$label[k]))
  })
  matrix_of_parts(parts, n, centers$names)
}

# ---- Drawing ----

# `place` tells what is drawn from, or near to what, in messages.
draw_parts <- function(x, size, n, replace, weights, place = NULL) {
  count <- size_of(x)
  available <- if (is.null(weights)) count else sum(weights > 0)
  if (available == 0 || !replace && size > available) {
    abort_argument(
      "size", "must be at most ", number(available), ", the number of points to draw from",
      if (!is.null(place)) " ", place, ", not ", number(size), ".",
      if (!replace && available > 0) " With `replace = TRUE` they can be drawn again."
    )
  }
  if (sum(weights) == Inf) weights <- weights / (2 * count)
  lapply(seq_len(n), function(i) part_of(x, sample.int(count, size, replace, weights)))
}

size_of <- function(x) if (is_either(x)) length(x) else if (is.matrix(x)) nrow(x) else attr(x, "Size")

part_of <- function(x, i) {
  if (is_either(x)) x[i] else if (is.matrix(x)) x[i, , drop = FALSE] else part_of_dist(x, i)
}

part_of_dist <- function(d, i) {
  # All pairs, in the order of a dist.
  k <- seq_along(i)
  later <- rev(k - 1L)
  structure(
    dist_between(d, i[sequence(later, k + 1L)], rep(i, later)), Size = length(i),
    Labels = attr(d, "Labels")[i], Diag = FALSE, Upper = FALSE, method = attr(d, "method"),
    p = attr(d, "p"), class = "dist"
  )
}

# The distances between the points i and j.
dist_between <- function(d, i, j) {
  n <- attr(d, "Size")
  low <- base::pmin(i, j)
  high <- base::pmax(i, j)
  distances <- numeric(length(low))
  apart <- low < high
  at <- n * (low - 1) - low * (low - 1) / 2 + high - low
  distances[apart] <- .subset(d, at[apart])
  distances
}

matrix_of_parts <- function(parts, n, names) {
  names <- if (!is.null(names)) list(NULL, names)
  array(as.list(unlist(parts, recursive = FALSE)), c(n, length(parts)), names)
}

# ---- Checks ----

is_sampled <- function(x) {
  is_either(x) || inherits(x, "dist") || is.data.frame(x) || is.matrix(x) && !is.list(x)
}

# Points as a numeric matrix; distances and functions unchanged. `label` describes the data in messages.
as_sampled <- function(x, label = "the data", argument = "x") {
  if (is_either(x)) return(check_either(x))
  if (!is_sampled(x)) abort_sampled(x, label, argument = argument)
  if (inherits(x, "dist")) return(check_dist(x, label, argument))
  other <- if (is.data.frame(x)) which(!vapply(x, is.numeric, NA))
  if (length(other) > 0) {
    abort_argument(
      argument, "must have numeric columns, but the column `", names(x)[other[1]], "` of ", label, " is ",
      describe(x[[other[1]]]), "."
    )
  }
  x <- matrix_of_points(x, argument)
  if (!is.numeric(x)) abort_sampled(x, label, "numeric", argument)
  wrong <- which(rowSums(!is.finite(x)) > 0)
  if (length(wrong) == 0) return(x)
  abort_argument(argument, "must be finite, but row ", wrong[1], " of ", label, " is not.")
}

# R's own functions take 64-bit integers for doubles.
matrix_of_points <- function(x, argument) {
  if (is.data.frame(x)) x[] <- lapply(x, without_integer64, argument)
  without_integer64(as.matrix(x), argument, function(x) array(as.double(x), dim(x), dimnames(x)))
}

check_dist <- function(x, label = "the data", argument = "x") {
  n <- attr(x, "Size")
  sound <- is.numeric(n) && length(n) == 1 && is.numeric(x) && length(x) == n * (n - 1) / 2
  if (sound) return(x)
  abort_argument(argument, "is invalid: ", label, " is a dist whose Size does not match its length.")
}

abort_sampled <- function(x, label = NULL, kinds = "points, a dist or a <pcf>", argument = "x") {
  abort_argument(
    argument, "must be ", kinds, if (is.null(label)) ", not " else paste0(", but ", label, " is "),
    describe(x), ". Points are a numeric matrix or a data frame."
  )
}

check_draw_weights <- function(weights, count, argument, verb, place = "") {
  if (is.logical(weights)) weights <- as.double(weights)
  if (!is.numeric(weights) || length(weights) != count) {
    abort_argument(
      argument, "must be a number for each of the ", number(count), " points, but ", verb, " ",
      describe(weights), place, "."
    )
  }
  wrong <- which(!is.finite(weights) | weights < 0)
  if (length(wrong) > 0) {
    abort_argument(
      argument, "must be finite and at least 0, but ", verb, " ", number(weights[wrong[1]]),
      " at position ", wrong[1], place, "."
    )
  }
}

# The points around which subsamples are drawn: their labels in messages, their names, and a function that
# returns the distances of all points of x from the k-th.
check_centers <- function(near, x) {
  given <- is.matrix(near) || is.data.frame(near)
  near <- if (given) check_center_points(near, x) else check_center_indices(near, x)
  points <- if (given) near else if (is.matrix(x)) x[near, , drop = FALSE]
  count <- size_of(x)
  list(
    label = if (given) sprintf("row %d", seq_len(nrow(near))) else sprintf("point %.0f", near),
    names = if (is.null(points)) attr(x, "Labels")[near] else rownames(points),
    distances = function(k) {
      if (is.null(points)) return(dist_between(x, rep(near[k], count), seq_len(count)))
      apart <- t(x) - points[k, ]
      euclidean(sqrt(colSums(apart^2)), function(k) apart[, k, drop = FALSE])
    }
  )
}

# Euclidean distances, again for those whose squares overflow or vanish. differences(k) has a column with the
# differences of coordinates for each of the k-th distances.
euclidean <- function(distances, differences) {
  odd <- which(!(distances > 2^-500 & distances < 2^500))
  if (length(odd) == 0) return(distances)
  apart <- differences(odd)
  unit <- exponent_near(apply(abs(apart), 2, max, 0))
  scaled <- times_power_of_2(apart, rep(-unit, each = nrow(apart)))
  distances[odd] <- times_power_of_2(sqrt(colSums(scaled^2)), unit)
  distances
}

check_center_indices <- function(near, x) {
  near <- near %||% seq_len(size_of(x))
  valid <- is.numeric(near) && !is.object(near) && all(near %in% seq_len(size_of(x)))
  check_is(valid, near, "near", "must be a matrix of points, or whole numbers from 1 to ",
           number(size_of(x)), ", not ")
}

check_center_points <- function(near, x) {
  near <- matrix_of_points(near, "near")
  sound <- is.matrix(x) && is.numeric(near) && ncol(near) == ncol(x) && all(is.finite(near))
  if (sound) return(near)
  abort_argument(
    "near", "must be ", if (is.matrix(x)) paste("finite points with", ncol(x), "coordinates")
    else "whole numbers, since `x` is a dist", ", not ", describe_table(near), "."
  )
}
