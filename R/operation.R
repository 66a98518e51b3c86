#' Distances of two functions
#'
#' @description
#' What `distance` may be in [pdist()], [cdist()], [lp_distance()], [nearest_neighbors()],
#' [neighbors_within()], [reduce_distances()], [spanning_tree()] and [pcf_plan()]. Windows, weights
#' and `missing` mean the same for all distances, and `missing = "mean"` divides each by the length
#' of the overlap, before a root is taken.
#'
#' @section `"lp"`:
#' \eqn{\left(\int |f - g|^p dt\right)^{1/p}}{(integral of |f - g|^p dt)^(1/p)}, or the supremum for
#' `p = Inf`: a metric, see [pdist()]. It is the default, and has the argument `p`; for other
#' distances `p` must be left out.
#'
#' @section `"relative"`:
#' \eqn{\int |f - g| / \max(|f|, |g|) dt}{integral of |f - g| / max(|f|, |g|) dt}, where both are 0 that
#' of 0: by how much functions differ, beside their size. Multiplying both by a number does not change
#' it. At each time it is at most 1 where they have the same sign, and 2 otherwise. It is a metric
#' (Hästö 2002). The unit is that of the times; means have none.
#'
#' Between functions of interspike intervals, `missing = "mean"` makes it the ISI distance (Kreuz et
#' al. 2007): see the example.
#'
#' It is for step functions, and not for those of a [plf]. It takes a few times as long as the L1
#' distance, since it divides. Nothing is known of it
#' beforehand by which pairs could be left out, so [nearest_neighbors()] computes all of them.
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
#' # The ISI distance of two spike trains: each time has the length of the interval around it, and
#' # before the first and from the last spike on nothing is known.
#' interval <- function(spikes) pcf(c(-Inf, spikes), c(NA, diff(spikes), NA))
#' trains <- c(interval(c(0, 1, 3, 7)), interval(c(0, 2, 4, 7)))
#' pdist(trains, distance = "relative", missing = "mean")
#' @name pcfdist_distances
NULL

# The distances by the names of their operations in C (src/pairs/operation.h): what `distance` and
# `p` ask for them (NULL: any other p, or none), what results say of themselves as `method`, and the
# formula.
distance_operations <- list(
  l1 = list(distance = "lp", p = 1, method = "L1", formula = "int |f - g|"),
  l2 = list(distance = "lp", p = 2, method = "L2", formula = "sqrt(int (f - g)^2)"),
  linf = list(distance = "lp", p = Inf, method = "Linf", formula = "sup |f - g|"),
  lp = list(distance = "lp", p = NULL, method = "Lp", formula = "(int |f - g|^p)^(1/p)"),
  relative = list(
    distance = "relative", p = NULL, method = "relative", formula = "int |f - g| / max(|f|, |g|)"
  )
)

# The operation of a distance between functions like x: its name in C, its method and, where it has
# one, its exponent. `given` says whether the user gave `p`, which is refused where the distance has
# none.
operation_of <- function(p, distance = "lp", given = TRUE, x = NULL) {
  check_exponent(p)
  check_choice(distance, "distance", unique(vapply(distance_operations, `[[`, "", "distance")))
  if (distance != "lp" && given) {
    abort_argument("p", "is the exponent of Lp distances: `distance = ", dQuote(distance, FALSE),
                   "` has none. Leave it out.")
  }
  if (distance == "relative" && inherits(x, "plf")) {
    abort_argument("distance", "cannot be \"relative\" for piecewise linear functions.")
  }
  found <- Filter(function(operation) {
    operation$distance == distance && (is.null(operation$p) || operation$p == p)
  }, distance_operations)[1]
  list(name = names(found), method = found[[1]]$method, p = if (distance == "lp") p)
}
