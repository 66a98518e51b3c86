#' Landscapes and silhouettes of persistence diagrams
#'
#' @description
#' Converts persistence diagrams to piecewise linear functions. The tent of a bar from \eqn{b} to \eqn{d} is
#' \eqn{\max(0, \min(t - b, d - t))}{max(0, min(t - b, d - t))}: it rises from the birth to half the length of
#' the bar, and falls to 0 at the death.
#'
#' * `landscape()`: level \eqn{k} is the \eqn{k}-th largest tent at each time, or 0 if there are fewer.
#' * `silhouette_curve()`: the mean of the tents with weights \eqn{(d - b)^p}, where \eqn{p} is the `power`.
#'
#' The functions are exact: no grid is used. Bars of length 0 are ignored, also in the mean.
#'
#' @inheritParams diagrams
#' @param levels The number of levels of each landscape, starting with the largest. By default as many as have
#'   non-zero values in some diagram. All levels of \eqn{n} bars may have \eqn{n^2} breakpoints, so `levels`
#'   limits time and memory.
#' @param power A number of at least 0. With 0 all bars have the same weight; larger numbers give less weight
#'   to short bars.
#' @param infinite How to treat bars that never die, with the deaths `Inf`, `NA`, 1.797e308 or 3.4028235e38, which
#'   have no tent: `"drop"` them, or a number to use as their death. Bars born at or after this number are
#'   dropped. With the default, `"keep"`, such bars raise an error.
#'
#' @return A [plf]. For `landscape()`, a matrix with a row for each diagram and a column for each level, named
#'   "level 1", "level 2" and so on; for an array of diagrams, an array with one more dimension. For
#'   `silhouette_curve()`, one function for each diagram, with the names and dimensions of the list. [plot.pcf()]
#'   draws levels in colours from dark to bright.
#'
#' @inheritSection diagrams Warnings
#'
#' @section Errors:
#' As for [diagrams]. Unless `infinite` says how to treat them, bars that never die raise such an error too.
#'
#' @encoding UTF-8
#' @references
#' Bubenik, P. (2015). Statistical topological data analysis using persistence landscapes. *Journal
#' of Machine Learning Research* 16, 77-102.
#'
#' Bubenik, P. and \enc{Dłotko}{Dlotko}, P. (2017). A persistence landscapes toolbox for topological
#' statistics. *Journal of Symbolic Computation* 78, 91-114. \doi{10.1016/j.jsc.2016.03.009}
#'
#' Chazal, F., Fasy, B. T., Lecci, F., Rinaldo, A. and Wasserman, L. (2014). Stochastic convergence of
#' persistence landscapes and silhouettes. *Proceedings of the 30th Annual Symposium on Computational
#' Geometry*, 474-483. \doi{10.1145/2582112.2582128}
#'
#' @seealso [stable_rank()] and [betti_curve()] for step functions of diagrams, [pdist()] for distances,
#'   [plot_barcode()] to draw the bars
#'
#' @examples
#' bars <- cbind(birth = c(0, 1, 2), death = c(5, 4, 8))
#' levels <- landscape(bars)
#' levels
#' plot(levels[1, ])
#' lines(silhouette_curve(bars), lty = 2)
#'
#' # Single linkage of the flowers of three species
#' trees <- lapply(split(iris[1:4], iris$Species), function(flowers) {
#'   hclust(dist(flowers), method = "single")
#' })
#' landscape(trees, levels = 2, infinite = "drop")
#' @export
landscape <- function(x, levels = NULL, dimension = NULL, infinite = "keep", id = NULL,
                      threads = NULL) {
  if (!is.null(levels)) levels <- check_count(levels, "levels", most = .Machine$integer.max)
  functions_of_tents(x, levels, NULL, dimension, infinite, threads, id)
}

#' @rdname landscape
#' @export
silhouette_curve <- function(x, power = 1, dimension = NULL, infinite = "keep", id = NULL, threads = NULL) {
  power <- check_positive(power, "power", least = 0)
  functions_of_tents(x, NULL, as.double(power), dimension, infinite, threads, id)
}

# The silhouettes if there is a `power`, and otherwise the landscapes.
functions_of_tents <- function(x, levels, power, dimension, infinite, threads, id) {
  dimension <- check_dimension(dimension)
  infinite <- check_infinite(infinite)
  threads <- run_threads(threads)
  table <- read_diagrams(x, id, needed = !is.na(dimension))
  check_number_of_levels(levels, table$diagrams)
  answer <- .Call(
    ffi_tents, table$diagrams, levels %||% 0, power, dimension, infinite, threads
  )
  if (!is.null(answer$problem)) abort_bar(answer$problem, table$diagrams, table$rows)
  functions <- answer_value(answer)
  shape <- if (is.null(power)) shape_of_levels(table$diagrams, functions, levels) else shape_of(table$diagrams)
  functions <- with_shape(functions, shape)
  warn_dimension(table$diagrams, dimension)
  new_plf(functions, name = if (is.null(power)) "landscape" else "silhouette")
}

check_number_of_levels <- function(levels, diagrams) {
  functions <- (levels %||% 1) * length(diagrams)
  if (functions <= .Machine$integer.max) return()
  abort_argument(
    "levels", "is ", number(levels), ", which gives too many functions, ", number(functions), "."
  )
}

# The dimensions of the diagrams, with one more for the levels.
shape_of_levels <- function(diagrams, functions, levels) {
  levels <- if (length(diagrams) > 0) length(functions) / length(diagrams) else levels %||% 1
  level <- seq_len(levels)
  outer_shape(diagrams, stats::setNames(level, sprintf("level %.0f", level)))
}
