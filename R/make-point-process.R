#' Simulate Poisson Point Processes
#'
#' `rpoisson_points()` simulates homogeneous Poisson point processes in an interval, a rectangle or a box
#' of any dimension: points that are independent and uniformly distributed. They serve as a reference for
#' observed point patterns. [rcounting()] returns the counting functions of such processes on an interval.
#'
#' The number of points has a Poisson distribution, whose mean is `rate` times the volume of the box.
#' [set.seed()] makes results reproducible.
#'
#' @param n The number of patterns.
#' @param rate The expected number of points in one unit of volume: a number, or one for each pattern.
#'   Vectors whose length divides `n` are recycled.
#' @param from,to The lower and upper limits of the box: a number for each dimension. The shorter vector is
#'   recycled.
#'
#' @return A list of `n` matrices, with a row for each point and a column for each dimension. Columns are
#'   named `x`, `y` and `z` or, in more than three dimensions, `x1`, `x2` and so on.
#'
#' @section Errors:
#' Invalid arguments raise an error of class `pcfdist_error_<argument>`; an expected number of more than
#' 2e9 points in one pattern raises `pcfdist_error_rate`.
#'
#' @seealso [rcounting()], [subsample()], [stable_rank()]
#'
#' @examples
#' set.seed(1)
#' clouds <- rpoisson_points(20, rate = 50)
#' plot(clouds[[1]], asp = 1)
#'
#' # The number of clusters at each distance
#' trees <- lapply(clouds, function(points) hclust(dist(points), method = "single"))
#' plot_bands(stable_rank(trees, infinite = "drop"), xlab = "distance", ylab = "clusters")
#'
#' # The distribution of distances from each point to the nearest other one, for each pattern
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
  expected <- expected_events(rate, n, prod(box$to - box$from), "in the box")
  k <- seq_along(box$from)
  names <- if (length(k) <= 3) c("x", "y", "z")[k] else paste0("x", k)
  lapply(stats::rpois(n, expected), function(count) {
    sides <- Map(function(from, to) stats::runif(count, from, to), box$from, box$to)
    matrix(unlist(sides), count, length(sides), dimnames = list(NULL, names))
  })
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
    shown <- format_numbers(as.double(c(to[wrong[1]], from[wrong[1]])), 15)
    abort_argument(
      "to", "must be greater than `from`, but is ", shown[1], ", and `from` is ", shown[2],
      ", in dimension ", wrong[1], "."
    )
  }
  if (!is.finite(prod(to - from))) abort_argument("to", "must not make the volume of the box infinite.")
  list(from = as.double(from), to = as.double(to))
}
