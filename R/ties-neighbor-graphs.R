#' Convert Neighbours to Graphs, and for UMAP and t-SNE
#'
#' `as_knn_graph()` converts neighbours to a graph: a sparse matrix of the package Matrix, or a graph
#' of igraph. `as_uwot()` converts them to the format that `uwot::umap()` and related functions take
#' as `nn_method`.
#'
#' `uwot::umap(X = NULL, nn_method = as_uwot(near))` expects each function to be its own first
#' neighbour, and does not check this. `as_uwot()` therefore adds it, so that `n_neighbors` is
#' `k + 1`. Neighbours of a `query` are meant for `uwot::umap_transform()` and are not changed; there
#' must be as many of them as in the model.
#'
#' `Rtsne::Rtsne_neighbors(near$id, near$dist, perplexity = k / 3)` expects neighbours without the
#' function itself, which is what [nearest_neighbors()] returns.
#'
#' Functions at distance 0 are joined by an edge of weight 0. The sparse matrix stores it, but it is
#' lost wherever zeros are dropped. A weight such as `function(d) exp(-d / scale)` is never 0.
#' Community detection and spectral clustering need such a similarity, which is large for functions
#' that are close; shortest paths need the distance.
#'
#' @param neighbors The result of [nearest_neighbors()] or, for `as_knn_graph()`, of
#'   [neighbors_within()]; or an object of class `kNN` or `frNN` of the package dbscan. `NA` neighbours,
#'   as in shared nearest neighbours, give no edge.
#' @param edges Which edges the graph has: `"directed"`, one from each function to each of its
#'   neighbours; `"union"`, undirected edges between functions of which at least one is a neighbour of
#'   the other; or `"mutual"`, undirected edges between functions that are neighbours of each other.
#'   Must be `"directed"` for neighbours of a `query`.
#' @param weight The weight of the edges: `"distance"`, `"one"`, or a function that takes a numeric
#'   vector of distances and returns a numeric vector of the same length.
#' @param as The package whose class is returned: `"Matrix"` or `"igraph"`. Must be `"Matrix"` for
#'   neighbours of a `query`.
#'
#' @return
#' `as_knn_graph(as = "Matrix")`: a sparse matrix with a row and a column for each function. Directed
#' edges give a `dgCMatrix`, whose entry `[i, j]` is the weight of the edge from `i` to `j`;
#' undirected edges give a symmetric `dsCMatrix`. For neighbours of a `query` there is a row for each
#' function of `query` and a column for each function of `x`. Rows and, without a query, columns are
#' named after the functions.
#'
#' `as_knn_graph(as = "igraph")`: a graph whose edges have the attribute `weight`, unless
#' `weight = "one"`. If the functions have names, the vertices have them as the attribute `name`.
#'
#' Time and memory are proportional to the number of neighbours.
#'
#' `as_uwot()`: a list of two matrices, `idx` and `dist`, each with a row for each function.
#'
#' @inheritSection drop_redundant Errors
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
#'   # The mean of the ten neighbours of each function
#'   smooth <- linear_combinations(graph / 10, x)
#'   # How often each function is a neighbour of another one: hubs and outliers
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
  if (anyNA(idx)) abort_argument("neighbors", "must not have missing values (NA) among its ids.")
  far <- which(rowSums(!is.finite(dist)) > 0)
  if (length(far) > 0) {
    abort_argument(
      "neighbors", "must be at finite distances, but those of function ", far[1],
      " are not. Distances are finite if the window has an end: set `to`."
    )
  }
  if (neighbors$query) return(list(idx = idx, dist = dist))
  list(idx = cbind(seq_len(nrow(idx)), idx), dist = cbind(numeric(nrow(idx)), dist))
}

# ---- Arguments ----

# The neighbours in an object of a class of dbscan as list(id, dist, labels, searched, query), without
# names. `searched` is the number of functions that ids refer to.
check_neighbors <- function(neighbors, classes) {
  gives <- paste0("what nearest_neighbors() ", if (length(classes) > 1) "or neighbors_within() ", "gives")
  check_kind(inherits(neighbors, classes) && is.list(neighbors), neighbors, "neighbors", gives)
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

# Objects of dbscan do not tell whether neighbours are those of a query; most such cases are detected.
check_ids <- function(neighbors) {
  edges <- edges_of(neighbors)
  wrong <- which(!(edges$to >= 1 & edges$to <= neighbors$searched & edges$to == round(edges$to)))
  if (length(wrong) > 0) {
    abort_argument(
      "neighbors", "must have whole ids from 1 to ", neighbors$searched, ", but function ",
      edges$from[wrong[1]], " has ", exact_text(edges$to[wrong[1]]), "."
    )
  }
  own <- if (!neighbors$query) which(edges$from == edges$to)
  if (length(own) > 0) {
    abort_argument(
      "neighbors", "must not contain a function as its own neighbour, as it does for function ",
      edges$from[own[1]], ". If these are neighbours of a query, use nearest_neighbors(), which records ",
      "that; dbscan does not."
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
    "weight", "must return one number for each of the ", length(distance), " distances, not ",
    describe(weights), if (anyNA(weights)) " with NA", "."
  )
}

# ---- Edges ----

# list(from, to, distance), sorted by `from`.
edges_of <- function(neighbors) {
  id <- neighbors$id
  each <- if (is.matrix(id)) rep(ncol(id), nrow(id)) else lengths(id)
  flat <- function(lists) if (is.matrix(lists)) c(t(lists)) else unlist(lists, use.names = FALSE)
  edges <- list(
    from = rep(seq_along(each), each), to = c(integer(), flat(id)),
    distance = c(double(), flat(neighbors$dist))
  )
  lapply(edges, `[`, !is.na(edges$to))
}

# Each pair once, the smaller index first. With `mutual`, only pairs that are neighbours in both
# directions. Doubles number the pairs without rounding.
undirected <- function(edges, count, mutual) {
  ordered <- list(
    from = base::pmin(edges$from, edges$to), to = base::pmax(edges$from, edges$to),
    distance = edges$distance
  )
  second <- duplicated(as.double(ordered$from) * count + ordered$to)
  lapply(ordered, `[`, if (mutual) second else !second)
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
