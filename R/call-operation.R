#' Distances Between Two Functions
#'
#' @description
#' The possible values of `distance` in [pdist()], [cdist()], [lp_distance()], [nearest_neighbors()],
#' [neighbors_within()], [reduce_distances()], [spanning_tree()], [distance_product()],
#' [permutation_test()] and [pcf_plan()]:
#'
#' | `distance` | between | unit | metric | time, relative to L1 |
#' | --- | --- | --- | --- | --- |
#' | `"lp"`, with `p` | any functions | values * times^(1/p) | yes | 1, more for most `p` |
#' | `"relative"` | step functions | that of times | yes | a few |
#' | `"wasserstein"`, with `p` | distributions | that of the samples | yes | 1, or a fifth for samples of equal size |
#' | `"energy"` | distributions | square root of that of the samples | yes | 1 |
#' | `"cramer"` | distributions | square root of that of the samples | yes | 1 |
#' | `"ks"` | distributions | none | yes | 1 |
#' | `"spike"` or `spike(MRTS)` | spike trains | none | no | 5 |
#'
#' An error is raised if `p` is given for a distance without an exponent. With `missing = "overlap"` or
#' `"mean"`, the triangle inequality need not hold, and none of these is a metric. The times hold for
#' most exponents and for functions with few missing values; see [pdist()].
#'
#' @section `"lp"`:
#' The default: \eqn{\left(\int |f - g|^p dt\right)^{1/p}}{(integral of |f - g|^p dt)^(1/p)}, or the
#' supremum for `p = Inf`; see [pdist()].
#'
#' @section `"relative"`:
#' \eqn{\int |f - g| / \max(|f|, |g|) dt}{integral of |f - g| / max(|f|, |g|) dt}, where the integrand is
#' 0 if both functions are 0: the difference of the functions relative to their size. It does not change
#' if both functions are multiplied by the same number. The integrand is at most 1 where the functions
#' have the same sign, and at most 2 elsewhere. It is a metric (Hästö 2002).
#'
#' For functions of interspike intervals and `missing = "mean"`, it is the ISI distance (Kreuz et
#' al. 2007), which has no unit; see [interspike()].
#'
#' It is defined for step functions only, not for a [plf]. There are no lower bounds by which
#' [nearest_neighbors()] could skip pairs, so all of them are computed.
#'
#' @section `"wasserstein"`, `"energy"`, `"cramer"`, `"ks"`:
#' These compare distribution functions \eqn{F} and \eqn{G}, which increase from 0 to 1: a [pcf] or [plf]
#' as returned by [distribution()]. Other functions raise an error.
#'
#' * `"wasserstein"`: the Lp distance of the quantile functions,
#'   \eqn{\left(\int_0^1 |F^{-1} - G^{-1}|^p du\right)^{1/p}}{(integral over [0, 1] of |Qf - Qg|^p
#'   du)^(1/p)}; see [wasserstein()]. It is faster for samples of equal size, whose quantile functions
#'   have the same breakpoints. With `p = 1` and no window, weight or `margin` it is the L1 distance of the
#'   distribution functions, and is computed as such unless all pairs of samples of equal size are needed.
#' * `"energy"`: \eqn{\left(2 \int (F - G)^2 dt\right)^{1/2}}{sqrt(2 times the integral of
#'   (F - G)^2 dt)}; see [energy_distance()].
#' * `"cramer"`: the L2 distance, \eqn{\left(\int (F - G)^2 dt\right)^{1/2}}{sqrt(integral of
#'   (F - G)^2 dt)}.
#' * `"ks"`: the Kolmogorov-Smirnov distance, \eqn{\sup |F - G|}{sup |F - G|}.
#'
#' @section `"spike"`:
#' The SPIKE distance (Kreuz et al. 2013) compares spike trains, as counting functions from [counting()] with the same
#' `from` and `to`. Each train is, at each time, at some distance from the nearest spikes of the other one, relative to
#' the intervals between spikes; the SPIKE distance is the mean of that over time, as [spike_profile()] defines it.
#' Unlike the ISI distance it depends on when spikes occur, and not only on how far they are apart. It is between 0 and
#' 1 and has no unit.
#'
#' The edges of the recording, trains with one spike or none, and `MRTS`, in `spike(MRTS)`, are as in PySpike 0.9, and
#' so are the numbers, up to rounding. Spikes of one train at the same time are one spike. A window, `from` and `to`,
#' takes the mean over a part of the recording, with all spikes of the recording, in the same time. Where PySpike
#' divides 0 by 0, for two trains whose only spike is at the end of the recording, the distance is 0.
#'
#' Functions that do not count events, that are not observed between two times only, or that were recorded at other
#' times than the others, raise an error, and so do `weight`, `margin`, `min_overlap` and `missing = "overlap"`. Results
#' are always computed in double precision, since intervals between times that were rounded would lose too many digits,
#' and on the CPU: `device = "cuda"` raises an error. There are no lower bounds for [nearest_neighbors()].
#'
#' @section Windows, weights and means:
#' For all distances, `from`, `to` and `weight` refer to the variable of integration: time, the values of
#' the samples or, for `"wasserstein"`, the probability. `missing = "mean"` divides by the length of the
#' overlap before the root is taken; it is an error for energy distances. With `margin`, distances of
#' distributions other than `"wasserstein"` need a window with an end, since distribution functions do
#' not return to 0. With a window, or a weight that is 0 somewhere, functions that differ only elsewhere
#' are at distance 0.
#'
#' @references
#' Hästö, P. A. (2002). A new weighted metric: the relative metric I. *Journal of Mathematical
#' Analysis and Applications* 274, 38--58. \doi{10.48550/arXiv.math/0108025}
#'
#' Kreuz, T., Haas, J. S., Morelli, A., Abarbanel, H. D. I. and Politi, A. (2007). Measuring spike
#' train synchrony. *Journal of Neuroscience Methods* 165, 151--161.
#' \doi{10.1016/j.jneumeth.2007.05.031}
#'
#' Kreuz, T., Chicharro, D., Houghton, C., Andrzejak, R. G. and Mormann, F. (2013). Monitoring spike train
#' synchrony. *Journal of Neurophysiology* 109, 1457--1472. \doi{10.1152/jn.00873.2012}
#'
#' Satuvuori, E., Mulansky, M., Bozanic, N., Malvestio, I., Zeldenrust, F., Lenk, K. and Kreuz, T. (2017). Measures
#' of spike train synchrony for data with multiple time scales. *Journal of Neuroscience Methods* 287, 25--38.
#' \doi{10.1016/j.jneumeth.2017.05.028}
#'
#' @seealso [pdist()], [spike_profile()]
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
#' # Their SPIKE distance
#' trains <- counting(list(c(1, 3, 4.5), c(2, 4)), from = 0, to = 7)
#' pdist(trains, distance = "spike")
#' pdist(trains, distance = spike(MRTS = 2))
#'
#' # Distributions
#' x <- distribution(list(c(1, 3, 4), c(2, 3), c(1, 5)))
#' pdist(x, p = 2, distance = "wasserstein")
#' pdist(x, distance = "ks")
#' @name pcfdist_distances
NULL

#' @rdname pcfdist_distances
#' @param MRTS The minimum relevant time scale of SPIKE distances: a number of at least 0, in the unit of the times
#'   (days for dates, seconds for date-times). Where the mean interval of two trains is shorter, it is replaced by
#'   this, so that differences within bursts count less.
#' @return `spike()`: `"spike"` with this time scale, for the argument `distance`.
#' @export
spike <- function(MRTS = 0) {
  structure("spike", MRTS = check_positive(MRTS, "MRTS", least = 0))
}

# The values of `distance`, in the order in which they are documented, with
#
# * exponent: NULL if the user gives it, as `p`.
# * operation: the name in C (src/integrals/operation.h), unless it is an Lp distance. C knows whether lines have it.
# * prepare: a function that is given a collection and the name of the user's argument. It returns the
#   functions whose distances are computed, or raises an error if they cannot be.
# * finish: the same for these functions once their ends were checked, unless results are means.
# * check: a function of a checked call and its margin, which raises an error for what the distance does not have.
# * factor: a factor of the integrals.
# * scale: the attribute of `distance` that is a number for C and files, in place of the exponent.
# * formula: for the package proxy, if it does not depend on the exponent.
distances <- list(
  lp = list(),
  relative = list(
    exponent = 1, operation = "relative", formula = "int |f - g| / max(|f|, |g|)"
  ),
  wasserstein = list(
    prepare = quantile_functions, finish = zero_outside, formula = "(int |Qf - Qg|^p)^(1/p) of quantile functions"
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
  ),
  spike = list(
    exponent = 0, operation = "spike", prepare = check_counting, check = check_spike_call, scale = "MRTS",
    formula = "mean of the SPIKE profile"
  )
)

# The exponents for which C has operations of their own, by their names; all others use "lp".
exponents_in_c <- c(l1 = 1, l2 = 2, linf = Inf)

# The operation for `distance` and `p`; `given` tells whether the user gave `p`, and `few` whether most pairs
# may be left out. The result has the `distance`, the `name` of the operation in C, its `exponent`, its name in
# files (`recorded`), `few`, and `method` and, for distances with an exponent, `p`, the attributes of results.
operation_of <- function(p, distance = "lp", given = TRUE, few = FALSE) {
  p <- check_exponent(p)
  distance <- check_choice(distance, "distance", names(distances))
  entry <- distances[[distance]]
  takes_p <- takes_exponent(distance)
  if (!takes_p && given) {
    abort_argument("p", "must not be given: `distance = ", dQuote(distance, FALSE),
                   "` has no exponent.")
  }
  exponent <- if (takes_p) p else attr(distance, entry$scale %||% "", exact = TRUE) %||% entry$exponent
  lp_name <- c(names(exponents_in_c)[exponents_in_c == exponent], "lp")[1]
  recorded <- if (distance == "lp") lp_name else distance
  list(
    distance = distance, name = entry$operation %||% lp_name, exponent = exponent,
    recorded = recorded, method = method_of(recorded), p = if (takes_p) p, few = few
  )
}

# The attribute `method` of results for the name of a distance in files.
method_of <- function(recorded) sub("^l(1|2|inf|p)$", "L\\1", recorded)

takes_exponent <- function(recorded) is.null(distances[[recorded]]$exponent)

# The x and y of a call as the distance needs them. y may be NULL.
prepared_for <- function(operation, both, arguments) {
  both <- each_of(both, distances[[operation$distance]]$prepare, arguments)
  if (.Call(ffi_has_operation, operation$name, is_plf(both$x))) return(both)
  abort_argument("distance", "must not be ", dQuote(operation$distance, FALSE), " for piecewise linear functions.")
}

# The same once their ends were checked. In lengths of overlaps the times outside of the functions would count.
finished_for <- function(operation, call) {
  finish <- distances[[operation$distance]]$finish
  if (needs_lengths(call)) call else replace(call, c("x", "y"), each_of(call[c("x", "y")], finish, call$arguments))
}

each_of <- function(both, change, arguments) {
  if (is.null(change)) return(both)
  Map(function(x, argument) if (!is.null(x)) change(x, argument), both, arguments)
}

# Is an operation the L1 distance of the distribution functions themselves? Wasserstein distances with p = 1 are,
# if they are over all probabilities (`whole`). These can be bounded, and added up without pairs, and no quantile
# functions are made. But for all pairs, quantile functions with a common grid are faster.
is_direct <- function(operation, whole, both, arguments) {
  if (operation$distance != "wasserstein" || operation$exponent != 1 || !whole) return(FALSE)
  operation$few || !have_common_shares(each_of(both, check_distributions, arguments))
}

# The weight of a call, or NULL, multiplied by the factor of the distance. In means the factor would
# cancel.
weight_for <- function(operation, call) {
  factor <- distances[[operation$distance]]$factor
  if (is.null(factor)) return(call$weight)
  if (call$missing == "mean") {
    abort_argument("missing", "must not be \"mean\" for `distance = ", dQuote(operation$distance, FALSE),
                   "`, which cannot be divided by a length.")
  }
  with_values(call$weight %||% new_pcf(list(new_function(-Inf, 1))), function(v) v * factor)
}

# The argument `min_overlap` as C needs it: NULL, or a number in the unit of time and of the weight.
check_min_overlap <- function(min_overlap, missing, unit, operation) {
  if (is.null(min_overlap)) return(NULL)
  min_overlap <- plain(min_overlap)
  check_is(is_one_time(min_overlap) && isTRUE(min_overlap > 0 && min_overlap < Inf), min_overlap, "min_overlap",
           "must be NULL, a positive number or a difftime, not ")
  if (missing == "error") {
    abort_argument("min_overlap", "needs `missing = \"overlap\"` or `missing = \"mean\"`.")
  }
  lengths_in(min_overlap, unit, "min_overlap") * (distances[[operation$distance]]$factor %||% 1)
}
