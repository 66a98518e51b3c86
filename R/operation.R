#' Distances of two functions
#'
#' @description
#' What `distance` may be in [pdist()], [cdist()], [lp_distance()], [nearest_neighbors()],
#' [neighbors_within()], [reduce_distances()], [spanning_tree()], [distance_product()],
#' [permutation_test()] and [pcf_plan()]:
#'
#' | `distance` | between | unit | is a metric | time, beside L1 |
#' | --- | --- | --- | --- | --- |
#' | `"lp"`, with `p` | any functions | that of values times times to the power of 1/p | yes | 1, for most `p` more |
#' | `"relative"` | step functions | that of times | yes | a few times |
#' | `"wasserstein"`, with `p` | distributions | that of the samples | yes | 1, for samples of one size a fifth |
#' | `"energy"` | distributions | the root of that | yes | 1 |
#' | `"cramer"` | distributions | the root of that | yes | 1 |
#' | `"ks"` | distributions | none | yes | 1 |
#'
#' Where there is no `p` it must be left out. Over overlaps (`missing`), the triangle inequality need
#' not hold, and none of these is a metric. Times are of most exponents and few gaps: see [pdist()].
#'
#' @section `"lp"`:
#' \eqn{\left(\int |f - g|^p dt\right)^{1/p}}{(integral of |f - g|^p dt)^(1/p)}, or the supremum for
#' `p = Inf`: the default, see [pdist()].
#'
#' @section `"relative"`:
#' \eqn{\int |f - g| / \max(|f|, |g|) dt}{integral of |f - g| / max(|f|, |g|) dt}, where both are 0 that
#' of 0: by how much functions differ, beside their size. Multiplying both by a number does not change
#' it. At each time it is at most 1 where they have the same sign, and 2 otherwise. It is a metric
#' (Hästö 2002).
#'
#' Between functions of interspike intervals, `missing = "mean"` makes it the ISI distance (Kreuz et
#' al. 2007), which has no unit: see [interspike()].
#'
#' It is for step functions, and not for those of a [plf]. Nothing is known of it beforehand by which
#' pairs could be left out, so [nearest_neighbors()] computes all of them.
#'
#' @section `"wasserstein"`, `"energy"`, `"cramer"`, `"ks"`:
#' These are for distribution functions \eqn{F} and \eqn{G}, which go up from 0 to 1, of a [pcf] or a
#' [plf], as [distribution()] makes them. Others are an error.
#'
#' * `"wasserstein"` is the Lp distance of the quantile functions,
#'   \eqn{\left(\int_0^1 |F^{-1} - G^{-1}|^p du\right)^{1/p}}{(integral over [0, 1] of |Qf - Qg|^p
#'   du)^(1/p)}: see [wasserstein()]. Those of samples of one size have the same times, which makes
#'   them fast.
#' * `"energy"` is \eqn{\left(2 \int (F - G)^2 dt\right)^{1/2}}{sqrt(2 times the integral of
#'   (F - G)^2 dt)}: see [energy_distance()].
#' * `"cramer"` is the L2 distance, \eqn{\left(\int (F - G)^2 dt\right)^{1/2}}{sqrt(integral of
#'   (F - G)^2 dt)}.
#' * `"ks"` is that of Kolmogorov and Smirnov, \eqn{\sup |F - G|}{sup |F - G|}.
#'
#' @section Windows, weights and means:
#' They mean the same for all distances: `from`, `to` and `weight` are those of what is integrated
#' over, which is the time, the value of samples, or for `"wasserstein"` the probability.
#' `missing = "mean"` divides by the length of the overlap, before a root is taken; energy distances
#' refuse it. With `margin`, distances of distributions other than `"wasserstein"` need a window, since
#' the functions do not come back to 0.
#'
#' @references
#' Hästö, P. A. (2002). A new weighted metric: the relative metric I. *Journal of Mathematical
#' Analysis and Applications* 274, 38--58. \doi{10.48550/arXiv.math/0108025}
#'
#' Kreuz, T., Haas, J. S., Morelli, A., Abarbanel, H. D. I. and Politi, A. (2007). Measuring spike
#' train synchrony. *Journal of Neuroscience Methods* 165, 151--161.
#' \doi{10.1016/j.jneumeth.2007.05.031}
#'
#' @seealso [pdist()]
#'
#' @examples
#' x <- pcf(list(c(0, 1, 4), c(0, 2)), list(c(1, 2, 0), c(3, 0)))
#' pdist(x, distance = "lp", p = 2)
#' pdist(x, distance = "relative")
#'
#' # The ISI distance of two spike trains
#' trains <- interspike(list(c(1, 3, 4.5), c(2, 4)), from = 0, to = 7)
#' pdist(trains, distance = "relative", missing = "mean")
#'
#' # Distributions
#' x <- distribution(list(c(1, 3, 4), c(2, 3), c(1, 5)))
#' pdist(x, p = 2, distance = "wasserstein")
#' pdist(x, distance = "ks")
#' @name pcfdist_distances
NULL

check_steps <- function(x, argument) {
  if (is_pcf(x)) return(x)
  abort_argument("distance", "cannot be \"relative\" for piecewise linear functions.")
}

# The distances: what `distance` may be, in this order.
#
# * exponent: NULL where the user gives it, as `p`.
# * operation: its name in C (src/pairs/operation.h), if it is not the Lp distance.
# * prepare: what x and y are replaced by before distances are taken. It is given a collection and the
#   name of the user's argument, and raises an error where the distance cannot be taken.
# * factor: what integrals are multiplied by.
# * formula: for the package proxy, of a distance that does not have several.
distances <- list(
  lp = list(),
  relative = list(
    exponent = 1, operation = "relative", prepare = check_steps,
    formula = "int |f - g| / max(|f|, |g|)"
  ),
  wasserstein = list(
    prepare = quantile_functions, formula = "(int |Qf - Qg|^p)^(1/p) of quantile functions"
  ),
  energy = list(
    exponent = 2, prepare = check_distributions, factor = 2,
    formula = "sqrt(2 int (F - G)^2) of distribution functions"
  ),
  cramer = list(
    exponent = 2, prepare = check_distributions,
    formula = "sqrt(int (F - G)^2) of distribution functions"
  ),
  ks = list(
    exponent = Inf, prepare = check_distributions,
    formula = "sup |F - G| of distribution functions"
  )
)

# The exponents for which C has an operation of its own, by its name; "lp" is that of any other.
exponents_in_c <- c(l1 = 1, l2 = 2, linf = Inf)

# What is computed for `distance` and `p`, of which `given` says whether the user gave it: the
# `distance`, the `name` of the operation in C and its `exponent`, what it is called when it is
# `recorded` in files, what results say of themselves as `method` and, where the distance has an
# exponent of the user's, `p`.
operation_of <- function(p, distance = "lp", given = TRUE) {
  check_exponent(p)
  check_choice(distance, "distance", names(distances))
  entry <- distances[[distance]]
  takes_p <- takes_exponent(distance)
  if (!takes_p && given) {
    abort_argument("p", "is the exponent of Lp distances: `distance = ", dQuote(distance, FALSE),
                   "` has none. Leave it out.")
  }
  exponent <- if (takes_p) p else entry$exponent
  lp_name <- c(names(exponents_in_c)[exponents_in_c == exponent], "lp")[1]
  recorded <- if (distance == "lp") lp_name else distance
  list(
    distance = distance, name = entry$operation %||% lp_name, exponent = exponent,
    recorded = recorded, method = method_of(recorded), p = if (takes_p) p
  )
}

# What results call a distance that is recorded by this name, and whether it has an exponent.
method_of <- function(recorded) sub("^l(1|2|inf|p)$", "L\\1", recorded)

takes_exponent <- function(recorded) is.null(distances[[recorded]]$exponent)

# The x and y of a call, of which y may be NULL, as the distance needs them.
prepared_for <- function(operation, both, arguments) {
  prepare <- distances[[operation$distance]]$prepare
  if (is.null(prepare)) return(both)
  for (side in c("x", if (!is.null(both$y)) "y")) {
    both[[side]] <- prepare(both[[side]], arguments[[side]])
  }
  both
}

# The weight of a call, or NULL, multiplied by the factor of the distance. Means would divide by it
# again.
weight_for <- function(operation, call) {
  factor <- distances[[operation$distance]]$factor
  if (is.null(factor)) return(call$weight)
  if (call$missing == "mean") {
    abort_argument("missing", "cannot be \"mean\" for `distance = ", dQuote(operation$distance, FALSE),
                   "`, which is no mean over a length.")
  }
  with_values_times(call$weight %||% new_pcf(list(new_function(-Inf, 1))), factor)
}
