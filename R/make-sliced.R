#' Sliced samples and diagrams
#'
#' `sliced()` projects samples of points, or persistence diagrams, onto directions. The result is an array of functions,
#' with a row for each sample and a column for each direction, whose distances with `margin = 1` are sliced Wasserstein
#' distances.
#'
#' **Samples.** The functions are the distribution functions of the projected points. With \eqn{K} directions, and
#' `s <- sliced(x, K)`, the sliced Wasserstein distances are
#'
#' * `wasserstein(s, margin = 1) / K` for `p = 1`, the mean of the distances over all directions;
#' * `wasserstein(s, p = p, margin = 1) / K^(1 / p)` for larger `p`, whose powers are averaged.
#'
#' **Diagrams.** Each point (birth, death) counts 1 and its image on the diagonal, the nearest point
#' ((birth + death) / 2, (birth + death) / 2), counts -1. Then `pdist(s, margin = 1) / K` is the distance of
#' \enc{Carrière}{Carriere} and others (2017), which also is a kernel: `exp(-d / scale)` is positive definite.
#'
#' The functions may be used in all calls with `margin = 1`: neighbours, clusters, permutation tests, medoids. All are
#' exact for the directions, of which there may be many: errors come from the choice of directions alone.
#'
#' @param x A list of samples: numeric matrices or data frames with a row for each point, all with the same number of
#'   columns. For `type = "diagrams"`, diagrams as in [stable_rank()].
#' @param directions The number of directions, or a numeric matrix with a direction in each column, which is scaled to
#'   length 1. In the plane, a number gives evenly spaced directions, from -90 degrees on; otherwise they are
#'   drawn at random: use [set.seed()].
#' @param type `"samples"` or `"diagrams"`.
#' @param dimension,infinite,id For diagrams, as in [stable_rank()]; `infinite = "keep"` is an error if there are
#'   bars that never die.
#'
#' @return A [pcf] of dimension `c(n, K)`, with the names of `x` as row names. The attribute `"directions"` is not kept;
#'   give a matrix to use the same directions again.
#'
#' @section Errors:
#' Invalid arguments raise errors of class `pcfdist_error_<argument>`.
#'
#' @encoding UTF-8
#' @references
#' \enc{Carrière}{Carriere}, M., Cuturi, M. and Oudot, S. (2017). Sliced Wasserstein kernel for persistence diagrams.
#' *Proceedings of Machine Learning Research* 70, 664-673. <https://proceedings.mlr.press/v70/carriere17a.html>
#'
#' Bonneel, N., Rabin, J., Peyré, G. and Pfister, H. (2015). Sliced and Radon Wasserstein barycenters of measures.
#' *Journal of Mathematical Imaging and Vision* 51, 22-45. \doi{10.1007/s10851-014-0506-3}
#'
#' @seealso [distribution()], [wasserstein()], [pdist()]
#'
#' @examples
#' flowers <- split(iris[1:4], iris$Species)
#' set.seed(1)
#' s <- sliced(flowers, 50)
#' wasserstein(s, margin = 1) / 50
#'
#' bars <- list(a = cbind(c(0, 0.2), c(1, 0.5)), b = cbind(0.1, 1))
#' pdist(sliced(bars, 10, type = "diagrams"), margin = 1) / 10
#' @export
sliced <- function(x, directions, type = c("samples", "diagrams"), dimension = NULL, infinite = "keep", id = NULL) {
  type <- check_option(type, "type", c("samples", "diagrams"))
  check_given(x, "x", "a list of samples or diagrams")
  check_given(directions, "directions", "a number, or a matrix with a direction in each column")
  for (argument in c("dimension", "id")) if (type == "samples" && !is.null(get(argument))) {
    abort_argument(argument, "applies only to diagrams: `type = \"diagrams\"`.")
  }
  points <- if (type == "samples") read_points(x) else read_bars(x, dimension, infinite, id)
  unit <- unit_directions(directions, ncol(points$at))
  slices <- lapply(seq_len(ncol(unit)), function(k) slice(points, unit[, k], type))
  shape <- list(dim = c(length(points$count), ncol(unit)), dimnames = any_labels(list(points$names, NULL)))
  name <- if (type == "samples") share_name
  new_pcf(with_shape(unlist(slices, recursive = FALSE), shape), name = name)
}

# ---- Slices ----

# One function for each object. `points` has the matrix `at`, what each point counts (`weight`), the `id` of its object
# and the number of points of each (`count`).
slice <- function(points, direction, type) {
  t <- drop(points$at %*% direction)
  check_projections(t)
  order <- order(points$id, t)
  t <- t[order]
  id <- points$id[order]
  n <- length(t)
  value <- cumsum(points$weight[order]) - (cumsum(points$sums) - points$sums)[id]
  if (type == "samples") value <- value / points$count[id]
  last <- c(t[-1] != t[-n] | id[-1] != id[-n], TRUE)[seq_len(n)]
  rows <- tabulate(id[last], length(points$count))
  functions <- cut_functions(rows[rows > 0], t[last], value[last])
  filled <- rep(list(new_function(0, 0)), length(rows))
  replace(filled, which(rows > 0), functions)
}

check_projections <- function(t) {
  if (all(is.finite(t))) return()
  abort_argument("x", "has points so far from 0 that their projections overflow.")
}

# Directions of length 1 in the columns of a matrix.
unit_directions <- function(directions, d) {
  if (is.matrix(directions)) {
    valid <- is.numeric(directions) && nrow(directions) == d && ncol(directions) > 0 && all(is.finite(directions))
    check_is(valid, directions, "directions", "must be a number, or a matrix of finite numbers with ", d,
             if (d == 1) " row" else " rows", " and a direction in each column, not ")
    lengths <- sqrt(colSums(directions^2))
    none <- which(!(lengths > 0 & is.finite(lengths)))[1]
    if (!is.na(none)) abort_argument("directions", "must not be 0, or overflow, but column ", none, " does.")
    return(unname(directions) / rep(lengths, each = d))
  }
  count <- check_count(directions, "directions", most = 1e6)
  if (d == 1) return(matrix(1, 1, count))
  angle <- pi * (seq_len(count) - 1) / count - pi / 2
  if (d == 2) return(rbind(cos(angle), sin(angle)))
  unit_directions(matrix(stats::rnorm(d * count), d), d)
}

# ---- Samples ----

read_points <- function(x) {
  check_is(is.list(x) && !is.data.frame(x), x, "x", "must be a list of matrices with a row for each point, not ")
  samples <- lapply(unclass(x), function(sample) if (is.data.frame(sample)) as.matrix(sample) else sample)
  valid <- vapply(samples, function(s) is.matrix(s) && is.numeric(s) && length(s) > 0 && all(is.finite(s)), NA)
  wrong <- which(!valid)[1]
  if (!is.na(wrong)) {
    abort_argument("x", "is invalid: ", function_label(wrong, x, "sample"), " must be a matrix of finite numbers with ",
                   "a row for each point, at least one, and is ", describe(x[[wrong]]), ".", index = wrong)
  }
  columns <- vapply(samples, ncol, 1L)
  other <- which(columns != columns[1])[1]
  if (!is.na(other)) {
    abort_argument("x", "is invalid: ", function_label(other, x, "sample"), " has ", columns[other], " columns, and ",
                   function_label(1, x, "sample"), " has ", columns[1], ".", index = other)
  }
  if (length(x) == 0) abort_argument("x", "must have at least one sample.")
  count <- vapply(samples, nrow, 1L)
  all <- do.call(rbind, unname(samples))
  list(at = unname(all), weight = rep(1, nrow(all)), id = rep(seq_along(count), count), count = unname(count),
       sums = unname(count), names = names(x))
}

# ---- Diagrams ----

# Points and, behind all of them, their images on the diagonal.
read_bars <- function(x, dimension, infinite, id) {
  dimension <- check_dimension(dimension)
  infinite <- check_infinite(infinite)
  table <- read_diagrams(x, id, needed = !is.na(dimension))
  diagrams <- table$diagrams
  curves_of(diagrams, "stable_rank", dimension, infinite, run_threads(NULL), table$rows) # raises errors
  warn_dimension(diagrams, dimension)
  bars <- Map(function(bars, i) finite_bars(bars, dimension, infinite, i, diagrams), unclass(diagrams),
              seq_along(diagrams))
  count <- vapply(bars, nrow, 1L)
  all <- rbind(matrix(0, 0, 2), do.call(rbind, unname(bars)))
  own <- rep(seq_along(count), count)
  list(at = unname(rbind(all, cbind(rowMeans(all), rowMeans(all)))), weight = rep(c(1, -1), each = nrow(all)),
       id = c(own, own), count = unname(2 * count), sums = rep(0, length(count)), names = names(diagrams))
}

finite_bars <- function(bars, dimension, infinite, i, diagrams) {
  if (ncol(bars) == 3) {
    if (!is.na(dimension)) bars <- bars[bars[, 1] == dimension, , drop = FALSE]
    bars <- bars[, 2:3, drop = FALSE]
  }
  endless <- bars[, 2] == Inf
  if (any(endless) && identical(infinite, Inf)) {
    abort_argument(
      "infinite", "must not be \"keep\", since ", diagram_label(i, diagrams), " has a bar that never dies: its image ",
      "on the diagonal is infinitely far. Use \"drop\", or a number in place of infinite deaths.", index = i
    )
  }
  if (is.finite(infinite)) bars[endless, 2] <- base::pmax(infinite, bars[endless, 1])
  else bars <- bars[!endless, , drop = FALSE]
  bars[bars[, 2] > bars[, 1], , drop = FALSE]
}
