# Distances between distributions.

#' Wasserstein and energy distances between distributions
#'
#' @description
#' Distances between the distribution functions in one collection or, with `y`, in two.
#'
#' * `wasserstein()`: \eqn{\left(\int_0^1 |F^{-1}(u) - G^{-1}(u)|^p du\right)^{1/p}}{(integral over
#'   [0, 1] of |Qf(u) - Qg(u)|^p du)^(1/p)}, the Lp distance of the quantile functions: the distance by
#'   which mass must be moved to turn one distribution into the other, on average for `p = 1`, and at
#'   most for `p = Inf`. For two samples of equal size it compares the sorted values.
#' * `energy_distance()`: \eqn{\left(2 \int (F - G)^2 dt\right)^{1/2}}{sqrt(2 times the integral of
#'   (F - G)^2 dt)}. Its square is \eqn{2 E|X - Y| - E|X - X'| - E|Y - Y'|}, for independent
#'   \eqn{X, X'} from \eqn{F} and \eqn{Y, Y'} from \eqn{G}.
#'
#' `wasserstein(x, p = 2)` is short for `pdist(x, 2, distance = "wasserstein")`, or for `cdist()` if `y` is
#' given. [nearest_neighbors()], [spanning_tree()], [permutation_test()] and others take the same
#' `distance`. See [pcfdist_distances], also for the Cramér and Kolmogorov-Smirnov distances.
#'
#' @details
#' `from`, `to` and `weight` refer to the variable of integration. For `wasserstein()` this is the
#' probability: `from = 0.1, to = 0.9` ignores a tenth at each end. For `energy_distance()` it is the value.
#'
#' For `p = Inf`, and nearly so for large `p`, arbitrarily small proportions count: see [distribution()] on
#' weights that are rounded.
#'
#' @param x,y Collections of distribution functions, [pcf] or [plf] objects such as those of
#'   [distribution()]. Each must rise from 0 to 1; a last value that differs from 1 by less than 1e-9 is
#'   taken as 1.
#' @param p The exponent, a number of at least 1, or `Inf`.
#' @param ... Further arguments of [pdist()], such as the window, `weight`, `margin`, `device` and `file`.
#'
#' @return A [`dist`][stats::dist] or, with `y`, an array as in [cdist()]. Wasserstein distances have the unit
#'   of the values, energy distances the square root of this unit.
#'
#' @section Errors:
#' A function that does not rise from 0 to 1 raises an error of class `pcfdist_error_x` or
#' `pcfdist_error_y` that names it. For other errors see [pdist()].
#'
#' @references
#' Székely, G. J. and Rizzo, M. L. (2013). Energy statistics: a class of statistics based on
#' distances. *Journal of Statistical Planning and Inference* 143, 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#'
#' @seealso [distribution()], [permutation_test()], whose statistic `"energy"` works with any distance
#'
#' @examples
#' set.seed(1)
#' x <- distribution(list(a = rnorm(50), b = rnorm(50, 1), c = rexp(80)))
#' wasserstein(x)
#' wasserstein(x, p = 2)
#' energy_distance(x)
#' wasserstein(x["c"], x[c("a", "b")], from = 0.1, to = 0.9)
#'
#' # The two nearest neighbours of each
#' nearest_neighbors(x, 2, distance = "wasserstein")$id
#' @export
wasserstein <- function(x, y = NULL, p = 1, ...) {
  distances_between(x, y, p = p, distance = "wasserstein", ...)
}

#' @rdname wasserstein
#' @export
energy_distance <- function(x, y = NULL, ...) {
  distances_between(x, y, distance = "energy", ...)
}

distances_between <- function(x, y, ...) if (is.null(y)) pdist(x, ...) else cdist(x, y, ...)
