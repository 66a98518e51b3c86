#' Random parts of data
#'
#' @description
#' `subsample()` draws random parts of points, of a matrix of distances, or of functions, each of
#' the same size: the mean of a function of many parts, such as their [stable_rank()], describes
#' data that are too large to be looked at whole, and its spread tells how certain it is.
#'
#' `subsample_near()` draws parts around each point: the probability of a point depends on its
#' distance. The mean function of these parts describes the data as seen from there.
#'
#' They are drawn with R's random numbers: [set.seed()] makes them reproducible.
#'
#' @details
#' Without replacement, points are drawn one after the other, each time in proportion to the weights
#' of those that are left. Points of weight 0 are never drawn.
#'
#' @param x One of these, or a list of any number of the first three:
#'   * points: a numeric matrix, or a data frame of numbers, with one row a point;
#'   * distances: a `dist`;
#'   * functions: a [pcf] or a [plf].
#'
#'   For `subsample_near()`, points or distances.
#' @param size The number of points of each part.
#' @param n The number of parts; of a list, of each of its elements.
#' @param replace Can a point be drawn more than once? Its distance from itself is 0.
#' @param weights `NULL`, or numbers of at least 0: the probability of each point, up to a factor.
#'   Only where `x` is no list.
#' @param near What the parts are near to: `NULL` for each point of `x`, whole numbers for some of
#'   them, or a matrix with a point in each row.
#' @param weight A function that turns a vector of distances into weights of at least 0, such as
#'   [dnorm()] or `function(d) d < 1`. Distances of points are Euclidean.
#'
#' @return A list of parts, of the class of `x`; data frames become matrices. Rows, labels and
#'   names stay with their points.
#' * `subsample()`: a list of length `n`. Of a list: a list with dimensions, one row for each part
#'   and one column for each element of `x`.
#' * `subsample_near()`: a list with dimensions, one row for each part and one column for each point
#'   that they are near to.
#'
#' [stable_rank()] and its like keep these dimensions, and `mean(ranks, margin = 2)` is one function
#' for each column.
#'
#' @section Errors:
#' Data of another kind, and points with missing coordinates, are errors of the class
#' `pcfdist_error_x`. A part that is larger than what it can be drawn from is
#' `pcfdist_error_size`, which names the point that it is near to. Other wrong arguments raise
#' `pcfdist_error_<argument>`.
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
#' # How 20 flowers of a species merge into clusters, on average over 50 draws.
#' parts <- subsample(split(iris[1:4], iris$Species), size = 20, n = 50)
#' dim(parts)
#' parts[] <- lapply(parts, tree)
#' ranks <- stable_rank(parts, infinite = "drop")
#' plot(mean(ranks, margin = 2), by = levels(iris$Species), xlab = "distance", ylab = "clusters")
#'
#' # The same as seen from two flowers.
#' near <- subsample_near(flowers, 10, n = 50, near = c(1, 101), weight = dnorm)
#' near[] <- lapply(near, tree)
#' mean(stable_rank(near, infinite = "drop"), margin = 2)
#' @export
subsample <- function(x, size, n = 1, replace = FALSE, weights = NULL) {
  size <- check_count(size, "size")
  n <- check_count(n, "n", least = 0)
  check_flag(replace, "replace")
  if (is_sampled(x)) {
    x <- as_sampled(x)
    if (!is.null(weights)) check_draw_weights(weights, size_of(x), "weights", "are")
    return(draw_parts(x, size, n, replace, weights))
  }
  if (!is.list(x)) abort_sampled(x)
  if (!is.null(weights)) {
    abort_argument("weights", "can only be given for one set of points, and `x` is a list.")
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
  check_flag(replace, "replace")
  if (is_either(x) || !is_sampled(x)) abort_sampled(x, kinds = "points or a dist")
  check_is(is.function(weight), weight, "weight", "must be a function, not ")
  x <- as_sampled(x)
  centers <- check_centers(near, x)
  parts <- lapply(seq_along(centers$label), function(k) {
    weights <- weight(centers$distances(k))
    check_draw_weights(weights, size_of(x), "weight", paste("gives", centers$label[k]))
    draw_parts(x, size, n, replace, weights, paste("near", centers$label[k]))
  })
  matrix_of_parts(parts, n, centers$names)
}

# ---- Drawing ----

# `place` says of what, or near to what, in messages.
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
  lapply(seq_len(n), function(i) part_of(x, sample.int(count, size, replace, weights)))
}

size_of <- function(x) if (is.matrix(x)) nrow(x) else if (is_either(x)) length(x) else attr(x, "Size")

part_of <- function(x, i) {
  if (is_either(x)) x[i] else if (is.matrix(x)) x[i, , drop = FALSE] else part_of_dist(x, i)
}

part_of_dist <- function(d, i) {
  pairs <- lower_pairs(length(i))
  numbers <- dist_between(d, i[pairs$row], i[pairs$column])
  kept <- attributes(d)[c("Labels", "method", "p")]
  kept$Labels <- kept$Labels[i]
  attributes(numbers) <- c(
    Filter(Negate(is.null), kept),
    list(Size = length(i), Diag = FALSE, Upper = FALSE, class = "dist")
  )
  numbers
}

# The pairs of 1, ..., n in the order of a dist.
lower_pairs <- function(n) {
  count <- rev(seq_len(n) - 1L)
  list(row = sequence(count, seq_len(n) + 1L), column = rep(seq_len(n), count))
}

# The distances of points i from points j.
dist_between <- function(d, i, j) {
  n <- attr(d, "Size")
  low <- pmin(i, j)
  high <- pmax(i, j)
  distances <- numeric(length(low))
  apart <- low < high
  at <- n * (low - 1) - low * (low - 1) / 2 + high - low
  distances[apart] <- .subset(d, at[apart])
  distances
}

matrix_of_parts <- function(parts, n, names) {
  columns <- length(parts)
  parts <- do.call(c, c(list(list()), parts))
  dim(parts) <- c(n, columns)
  if (!is.null(names)) dimnames(parts) <- list(NULL, names)
  parts
}

# ---- Checks ----

is_sampled <- function(x) {
  is_either(x) || inherits(x, "dist") || is.data.frame(x) || is.matrix(x) && !is.list(x)
}

# Points as a matrix of numbers; distances and functions as they are. `label` tells which of
# several they are.
as_sampled <- function(x, label = "the data", argument = "x") {
  if (is_either(x)) return(check_either(x))
  if (!is_sampled(x)) abort_sampled(x, label)
  if (inherits(x, "dist")) return(check_dist(x, label, argument))
  other <- if (is.data.frame(x)) which(!vapply(x, is.numeric, NA))
  if (length(other) > 0) {
    abort_argument(
      argument, "is invalid: the column `", names(x)[other[1]], "` of ", label, " is ",
      describe(x[[other[1]]]), ", and not numbers."
    )
  }
  x <- as.matrix(x)
  if (!is.numeric(x)) abort_sampled(x, label, argument = argument)
  wrong <- which(rowSums(!is.finite(x)) > 0)
  if (length(wrong) == 0) return(x)
  abort_argument(argument, "is invalid: row ", wrong[1], " of ", label, " is not finite.")
}

check_dist <- function(x, label, argument) {
  n <- attr(x, "Size")
  sound <- is.numeric(n) && length(n) == 1 && is.numeric(x) && length(x) == n * (n - 1) / 2
  if (sound) return(x)
  abort_argument(argument, "is invalid: the Size of ", label, ", a dist, does not go with its length.")
}

abort_sampled <- function(x, label = NULL, kinds = "points, a dist or a <pcf>", argument = "x") {
  abort_argument(
    argument, if (is.null(label)) "is " else paste0("is invalid: ", label, " is "), describe(x),
    ", where ", kinds, " are needed. Points are a numeric matrix or a data frame."
  )
}

check_draw_weights <- function(weights, count, argument, verb) {
  if (is.logical(weights)) weights <- as.double(weights)
  if (!is.numeric(weights) || length(weights) != count) {
    abort_argument(
      argument, verb, " ", describe(weights), ", and must be a number for each of the ",
      number(count), " points."
    )
  }
  wrong <- which(!is.finite(weights) | weights < 0)
  if (length(wrong) > 0) {
    abort_argument(
      argument, verb, " ", number(weights[wrong[1]]), " at position ", wrong[1],
      ", and must be finite and at least 0."
    )
  }
}

# The points that parts are near to: what to call them in messages, their names, and a function
# that gives the distances of all points of x from the k-th.
check_centers <- function(near, x) {
  if (is.matrix(near) || is.data.frame(near)) return(outer_centers(near, x))
  near <- near %||% seq_len(size_of(x))
  valid <- is.numeric(near) && !is.object(near) && all(near %in% seq_len(size_of(x)))
  check_is(valid, near, "near", "must be a matrix of points, or whole numbers from 1 to ",
           number(size_of(x)), ", not ")
  names <- if (is.matrix(x)) rownames(x) else attr(x, "Labels")
  list(
    label = sprintf("point %.0f", near), names = names[near],
    distances = function(k) {
      if (is.matrix(x)) distances_from(x, x[near[k], ])
      else dist_between(x, rep(near[k], size_of(x)), seq_len(size_of(x)))
    }
  )
}

outer_centers <- function(near, x) {
  near <- as.matrix(near)
  sound <- is.matrix(x) && is.numeric(near) && ncol(near) == ncol(x) && all(is.finite(near))
  if (!sound) {
    abort_argument(
      "near", "must be ", if (is.matrix(x)) paste("finite points with", ncol(x), "coordinates")
      else "whole numbers, since `x` is a dist", ", not ", describe_table(near), "."
    )
  }
  list(
    label = sprintf("row %d", seq_len(nrow(near))), names = rownames(near),
    distances = function(k) distances_from(x, near[k, ])
  )
}

distances_from <- function(x, point) sqrt(colSums((t(x) - point)^2))
