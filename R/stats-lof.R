#' Local outlier factors
#'
#' `lof()` compares how far each function is from its nearest neighbours with how far these are from theirs
#' (Breunig and others 2000). The factor is about 1 for a function among others, and larger for one that lies apart from
#' them, also where groups of functions are of different density.
#'
#' With the neighbours \eqn{N(i)} of a function, the \eqn{k} functions nearest to it, and the distance \eqn{d_k(j)} from
#' \eqn{j} to its \eqn{k}-th neighbour, the density at \eqn{i} is
#' \deqn{r(i) = 1 / \mathrm{mean}_{j \in N(i)} \max(d_k(j), d(i, j))}{
#' r(i) = 1 / mean over j in N(i) of max(d_k(j), d(i, j))}
#' and its factor is the mean of \eqn{r(j) / r(i)} over its neighbours. Of neighbours at the same distance, those with
#' the smaller index are taken, so that there are always \eqn{k} of them. Where more than \eqn{k} functions are equal,
#' their density is infinite; their factor is 1, and that of their neighbours infinite.
#'
#' Neighbours are exact, as those of [nearest_neighbors()], by which they are found without the matrix of distances.
#' Factors of a function near the border of a group depend on `k`: Breunig and others take the largest over several
#' `k`, of at least 10.
#'
#' @inheritParams nearest_neighbors
#' @param k The number of neighbours, less than the number of functions.
#' @param ... Further arguments of [nearest_neighbors()], such as `p`, `distance`, `from`, `to`, `missing` and `margin`.
#'
#' @return A numeric vector with the names of `x`, or of the rows of `x` with `margin = 1`.
#'
#' @references
#' Breunig, M. M., Kriegel, H.-P., Ng, R. T. and Sander, J. (2000). LOF: identifying density-based local outliers.
#' *SIGMOD Record* 29(2), 93-104. \doi{10.1145/335191.335388}
#'
#' @seealso [nearest_neighbors()]; [functional_depth()] and [boxplot()][boxplot.pcf] for outliers of a whole collection;
#'   [spanning_tree()] for groups of different density
#'
#' @examples
#' set.seed(1)
#' x <- c(rpcf(40, kind = "sine"), 3 * rpcf(2, kind = "cosine"))
#' factors <- lof(x, 10, to = 1)
#' order(factors, decreasing = TRUE)[1:3]
#' @export
lof <- function(x, k, ...) {
  check_given(x, "x", "a <pcf>")
  check_given(k, "k", "the number of neighbours")
  if ("query" %in% names(list(...))) abort_unknown("query")
  found <- nearest_neighbors(x, k, ...)
  factors <- outlier_factors(unname(found$id), unname(found$dist))
  structure(factors, names = rownames(found$id))
}

outlier_factors <- function(id, distance) {
  reach <- base::pmax(array(distance[id, ncol(id)], dim(id)), distance)
  density <- 1 / rowMeans(reach)
  ratio <- array(density[id], dim(id)) / density
  ratio[is.nan(ratio)] <- 1 # both infinite
  rowMeans(ratio)
}
