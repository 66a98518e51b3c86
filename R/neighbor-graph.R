#' Neighbours as graphs, and for UMAP and t-SNE
#'
#' @description
#' `as_knn_graph()` makes a graph of neighbours: a sparse matrix of the package Matrix, or a graph
#' of igraph. `as_uwot()` makes what `uwot::umap()` and its relatives take as `nn_method`.
#'
#' @details
#' `uwot::umap(X = NULL, nn_method = as_uwot(near))` needs each function as its own first
#' neighbour, and does not notice where it is missing: `as_uwot()` puts it there, so that
#' `n_neighbors` is `k + 1`. Neighbours of a `query` are for `uwot::umap_transform()`, with as many
#' neighbours as the model has, and stay as they are.
#'
#' `Rtsne::Rtsne_neighbors(near$id, near$dist, perplexity = k / 3)` takes neighbours without the
#' function itself, as they are.
#'
#' Functions at the distance 0 have an edge of the weight 0, which is stored in the sparse matrix
#' but lost wherever zeros are dropped. A weight such as `function(d) exp(-d / scale)` has no zeros;
#' communities and spectral clustering want such a weight, which is large for what is near, and
#' shortest paths the distance.
#'
#' @param neighbors What [nearest_neighbors()] gives or, for `as_knn_graph()`, [neighbors_within()];
#'   or such an object of dbscan, such as shared neighbours, in which neighbours that are `NA` have no edge.
#' @param edges `"directed"`: an edge from each function to each of its neighbours; `"union"`:
#'   undirected ones between functions of which one at least is a neighbour of the other; or
#'   `"mutual"`: of which both are. Neighbours of a `query` have only directed ones.
#' @param weight `"distance"`; `"one"`; or a function of a vector of distances that returns as many
#'   numbers.
#' @param as `"Matrix"` or `"igraph"`: the package whose class is wanted.
#'
#' @return
#' `as_knn_graph()`: for `"Matrix"` a sparse matrix with a row and a column for each function: a
#' `dgCMatrix` with the entry `[i, j]` for an edge from `i` to `j`, or for undirected edges a
#' symmetric `dsCMatrix`. Neighbours of a `query` have a row for each of its functions and a column
#' for each function of `x`. Rows, and without a query columns, have the names of the functions.
#' For `"igraph"` a graph whose edges have the attribute `weight`, unless all are one, and whose
#' vertices have the names, if there are any, as `name`. In time and memory that grow with the
#' number of neighbours.
#'
#' `as_uwot()`: a list of `idx` and `dist`, matrices with a row for each function.
#'
#' @inheritSection simplify Errors
#'
#' @references
#' McInnes, L., Healy, J. and Melville, J. (2018). UMAP: Uniform Manifold Approximation and
#' Projection for Dimension Reduction. \doi{10.48550/arXiv.1802.03426}
#'
#' @seealso [nearest_neighbors()]
#'
#' @examples
#' set.seed(1)
#' x <- c(rpcf(30, kind = "sine"), rpcf(30, kind = "cosine"))
#' near <- nearest_neighbors(x, 10, to = 1)
#'
#' if (requireNamespace("Matrix", quietly = TRUE)) {
#'   graph <- as_knn_graph(near, weight = "one")
#'   # The mean function of the ten neighbours of each.
#'   smooth <- linear_combinations(graph / 10, x)
#'   # How many functions have a function as their neighbour: hubs and outliers.
#'   summary(Matrix::colSums(graph))
#' }
#'
#' if (requireNamespace("igraph", quietly = TRUE)) {
#'   similarity <- function(d) exp(-d / 0.2)
#'   graph <- as_knn_graph(near, "union", similarity, as = "igraph")
#'   igraph::sizes(igraph::cluster_louvain(graph))
#' }
#'
#' if (requireNamespace("uwot", quietly = TRUE)) {
#'   map <- uwot::umap(X = NULL, nn_method = as_uwot(near), n_threads = 1, n_epochs = 50)
#'   plot(map, col = rep(1:2, each = 30))
#' }
#' @export
as_knn_graph <- function(neighbors, edges = c("directed", "union", "mutual"),
                         weight = "distance", as = c("Matrix", "igraph")) {
  neighbors <- check_neighbors(neighbors, c("kNN", "frNN"))
  edges <- check_option(edges, "edges", c("directed", "union", "mutual"))
  as <- check_option(as, "as", c("Matrix", "igraph"))
  needs_package(as, "as")
  if (neighbors$query && edges != "directed") {
    abort_argument("edges", "must be \"directed\" for neighbours of a query.")
  }
  if (neighbors$query && as == "igraph") {
    abort_argument("as", "must be \"Matrix\" for neighbours of a query.")
  }
  found <- edges_of(neighbors)
  if (edges != "directed") found <- undirected(found, neighbors$searched, edges == "mutual")
  found$weight <- edge_weights(found$distance, weight)
  make <- if (as == "Matrix") edges_to_matrix else edges_to_igraph
  make(found, neighbors, edges == "directed", identical(weight, "one"))
}

#' @rdname as_knn_graph
#' @export
as_uwot <- function(neighbors) {
  neighbors <- check_neighbors(neighbors, "kNN")
  idx <- neighbors$id
  dist <- neighbors$dist
  if (anyNA(idx)) abort_argument("neighbors", "must not be missing, and some are NA.")
  far <- which(rowSums(!is.finite(dist)) > 0)
  if (length(far) > 0) {
    abort_argument(
      "neighbors", "must be at finite distances, and one of function ", far[1],
      " is not. A window with an end, `to =`, makes distances finite."
    )
  }
  if (neighbors$query) return(list(idx = idx, dist = dist))
  list(idx = cbind(seq_len(nrow(idx)), idx), dist = cbind(numeric(nrow(idx)), dist))
}

# ---- Arguments ----

# The neighbours of a class of dbscan as list(id, dist, labels, searched, query): without names,
# and with the number of functions that the ids are those of.
check_neighbors <- function(neighbors, classes) {
  gives <- paste0("what nearest_neighbors() ", if (length(classes) > 1) "or neighbors_within() ", "gives")
  check_given(neighbors, "neighbors", gives)
  valid <- inherits(neighbors, classes) && is.list(neighbors)
  check_is(valid, neighbors, "neighbors", "must be ", gives, ", not ")
  id <- neighbors$id
  dist <- neighbors$dist
  labels <- if (is.matrix(id)) rownames(id) else names(id)
  if (!same_lengths(id, dist)) {
    abort_argument("neighbors", "must have `id` and `dist` of the same shape.")
  }
  searched <- neighbors$searched
  found <- list(
    id = unname(id), dist = unname(dist), labels = labels, searched = searched %||% NROW(id),
    query = !is.null(searched)
  )
  check_ids(found)
  found
}

same_lengths <- function(id, dist) {
  if (is.matrix(id)) return(is.numeric(id) && is.numeric(dist) && identical(dim(id), dim(dist)))
  is.list(id) && is.list(dist) && identical(lengths(id, FALSE), lengths(dist, FALSE))
}

# dbscan does not say of the neighbours of a query that they are; most of them are found out.
check_ids <- function(neighbors) {
  edges <- edges_of(neighbors)
  wrong <- which(!(edges$to >= 1 & edges$to <= neighbors$searched))
  if (length(wrong) > 0) {
    abort_argument(
      "neighbors", "must have ids from 1 to ", neighbors$searched, ", and function ",
      edges$from[wrong[1]], " has ", number(edges$to[wrong[1]]), "."
    )
  }
  own <- if (!neighbors$query) which(edges$from == edges$to)
  if (length(own) > 0) {
    abort_argument(
      "neighbors", "must not hold functions themselves, and function ", edges$from[own[1]],
      " has itself. Those of a query are marked as such by nearest_neighbors(), not by dbscan."
    )
  }
}

edge_weights <- function(distance, weight) {
  if (!is.function(weight)) {
    weight <- check_choice(weight, "weight", c("distance", "one"))
    return(if (weight == "one") rep(1, length(distance)) else distance)
  }
  weights <- weight(distance)
  if (is.numeric(weights) && length(weights) == length(distance) && !anyNA(weights)) {
    return(as.double(weights))
  }
  abort_argument(
    "weight", "must return a number for each of ", length(distance), " distances, not ",
    describe(weights), if (anyNA(weights)) " with NA", "."
  )
}

# ---- Edges ----

# list(from, to, distance), by the order of `from`.
edges_of <- function(neighbors) {
  id <- neighbors$id
  if (is.matrix(id)) {
    from <- rep(seq_len(nrow(id)), each = ncol(id))
    edges <- list(from = from, to = c(t(id)), distance = c(t(neighbors$dist)))
  } else {
    edges <- list(
      from = rep(seq_along(id), lengths(id)), to = c(integer(), unlist(id, use.names = FALSE)),
      distance = c(double(), unlist(neighbors$dist, use.names = FALSE))
    )
  }
  keep_edges(edges, !is.na(edges$to))
}

keep_edges <- function(edges, which) lapply(edges, `[`, which)

# Each pair once, with the smaller index first; those alone that are there in both directions
# if they have to be `mutual`. Doubles count pairs exactly.
undirected <- function(edges, count, mutual) {
  ordered <- list(
    from = pmin(edges$from, edges$to), to = pmax(edges$from, edges$to),
    distance = edges$distance
  )
  second <- duplicated(as.double(ordered$from) * count + ordered$to)
  keep_edges(ordered, if (mutual) second else !second)
}

edges_to_matrix <- function(edges, neighbors, directed, plain) {
  rows <- NROW(neighbors$id)
  labels <- neighbors$labels
  Matrix::sparseMatrix(
    i = edges$from, j = edges$to, x = edges$weight, dims = c(rows, neighbors$searched),
    symmetric = !directed,
    dimnames = if (!is.null(labels)) list(labels, if (!neighbors$query) labels)
  )
}

edges_to_igraph <- function(edges, neighbors, directed, plain) {
  ends <- as.vector(rbind(edges$from, edges$to), "double")
  graph <- igraph::make_graph(ends, n = neighbors$searched, directed = directed)
  if (!plain) graph <- igraph::set_edge_attr(graph, "weight", value = edges$weight)
  if (is.null(neighbors$labels)) return(graph)
  igraph::set_vertex_attr(graph, "name", value = neighbors$labels)
}
