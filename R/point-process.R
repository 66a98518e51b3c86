#' Random points
#'
#' `rpoisson_points()` draws homogeneous Poisson point processes: points at random, independent of
#' each other, in an interval, a rectangle or a box of any dimension. They are what patterns of
#' points are compared with. [rcounting()] counts those of an interval.
#'
#' The number of points is Poisson distributed, its mean being `rate` times the volume; their
#' coordinates are uniform. [set.seed()] makes them reproducible.
#'
#' @param n The number of patterns.
#' @param rate The number of points that are expected in one unit of volume: a number, or one for
#'   each pattern. Shorter vectors are recycled.
#' @param from,to The lower and the upper ends of the box: a number for each dimension. The shorter
#'   of the two is recycled.
#'
#' @return A list of `n` matrices, with one row for each point and one column for each dimension:
#'   `x`, `y` and `z`, or `x1`, `x2`, ... of more than three.
#'
#' @section Errors:
#' Wrong arguments raise errors of the class `pcfdist_error_<argument>`; more than 2e9 points of one
#' pattern on average are `pcfdist_error_rate`.
#'
#' @seealso [rcounting()], [subsample()], [stable_rank()]
#'
#' @examples
#' set.seed(1)
#' clouds <- rpoisson_points(20, rate = 50)
#' plot(clouds[[1]], asp = 1)
#'
#' # How many clusters there are at each distance.
#' trees <- lapply(clouds, function(points) hclust(dist(points), method = "single"))
#' plot_bands(stable_rank(trees, infinite = "drop"), xlab = "distance", ylab = "clusters")
#'
#' # The distances from each point to the nearest one: a distribution function for each pattern.
#' nearest <- lapply(clouds, function(points) {
#'   d <- as.matrix(dist(points))
#'   diag(d) <- Inf
#'   ecdf(apply(d, 1, min))
#' })
#' plot_bands(as_pcf(nearest), xlim = c(0, 0.2))
#' @export
rpoisson_points <- function(n, rate = 1, from = c(0, 0), to = c(1, 1)) {
  n <- check_count(n, "n", least = 0)
  box <- check_box(from, to)
  check_rate(rate)
  expected <- rep_len(rate, n) * prod(box$to - box$from)
  check_expected(expected, "in the box")
  names <- coordinate_names(length(box$from))
  lapply(stats::rpois(n, expected), function(count) {
    sides <- Map(function(from, to) stats::runif(count, from, to), box$from, box$to)
    matrix(unlist(sides), count, length(sides), dimnames = list(NULL, names))
  })
}

coordinate_names <- function(dimensions) {
  if (dimensions <= 3) c("x", "y", "z")[seq_len(dimensions)] else paste0("x", seq_len(dimensions))
}

check_box <- function(from, to) {
  for (side in c("from", "to")) {
    limits <- get(side)
    valid <- is.numeric(limits) && !is.object(limits) && length(limits) > 0 && all(is.finite(limits))
    check_is(valid, limits, side, "must be finite numbers, one for each dimension, not ")
  }
  dimensions <- max(length(from), length(to))
  from <- rep_len(from, dimensions)
  to <- rep_len(to, dimensions)
  wrong <- which(!(from < to))
  if (length(wrong) > 0) {
    abort_argument(
      "to", "must be greater than `from`, and is ", number(to[wrong[1]]), " beside ",
      number(from[wrong[1]]), " in dimension ", wrong[1], "."
    )
  }
  if (!is.finite(prod(to - from))) abort_argument("to", "makes a box of infinite volume.")
  list(from = as.double(from), to = as.double(to))
}
