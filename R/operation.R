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
#' @seealso [pdist()]
#'
#' @examples
#' x <- pcf(list(c(0, 1, 4), c(0, 2)), list(c(1, 2, 0), c(3, 0)))
#' pdist(x, distance = "lp", p = 2)
#' @name pcfdist_distances
NULL

# The distances by the names of their operations in C (src/pairs/operation.h): what `distance` and
# `p` ask for them (NULL: any other p, or none), what results say of themselves as `method`, and the
# formula.
distance_operations <- list(
  l1 = list(distance = "lp", p = 1, method = "L1", formula = "int |f - g|"),
  l2 = list(distance = "lp", p = 2, method = "L2", formula = "sqrt(int (f - g)^2)"),
  linf = list(distance = "lp", p = Inf, method = "Linf", formula = "sup |f - g|"),
  lp = list(distance = "lp", p = NULL, method = "Lp", formula = "(int |f - g|^p)^(1/p)")
)

# The operation of a distance: its name in C, its method and, where it has one, its exponent.
operation_of <- function(p, distance = "lp") {
  check_exponent(p)
  check_choice(distance, "distance", unique(vapply(distance_operations, `[[`, "", "distance")))
  if (distance != "lp" && p != 1) {
    abort_argument("p", "is the exponent of Lp distances: `distance = ", dQuote(distance, FALSE),
                   "` has none. Leave it out.")
  }
  found <- Filter(function(operation) {
    operation$distance == distance && (is.null(operation$p) || operation$p == p)
  }, distance_operations)[1]
  list(name = names(found), method = found[[1]]$method, p = if (distance == "lp") p)
}
