skip_if_not_installed("Matrix")

# Neighbours as dense matrices: NA where there is no edge.
dense_oracle <- function(near, edges) {
  n <- nrow(near$id)
  dense <- matrix(NA_real_, n, n)
  dense[cbind(rep(seq_len(n), each = near$k), c(t(near$id)))] <- c(t(near$dist))
  back <- t(dense)
  switch(edges,
    directed = dense,
    union = pmax(dense, back, na.rm = TRUE),
    mutual = dense + back - back
  )
}

expect_edges <- function(graph, dense) {
  entries <- as(graph, "TsparseMatrix")
  if (!is(entries, "generalMatrix")) entries <- as(as(graph, "generalMatrix"), "TsparseMatrix")
  actual <- matrix(NA_real_, nrow(dense), ncol(dense))
  actual[cbind(entries@i, entries@j) + 1] <- entries@x
  expect_equal(actual, dense)
}

# The nearest other row of each.
nearest_of <- function(points) {
  d <- as.matrix(stats::dist(points))
  diag(d) <- Inf
  apply(d, 1, which.min)
}

test_that("graphs have the edges that were asked for", {
  x <- unname(random_pcf(20, 6))
  x <- c(x, x[2:5])
  near <- nearest_neighbors(x, 4, to = 9)
  expect_true(any(near$dist == 0))
  for (edges in c("directed", "union", "mutual")) {
    dense <- dense_oracle(near, edges)
    graph <- as_knn_graph(near, edges)
    expect_s4_class(graph, if (edges == "directed") "dgCMatrix" else "dsCMatrix")
    expect_edges(graph, dense)
    expect_edges(as_knn_graph(near, edges, "one"), 1 + 0 * dense)
    expect_edges(as_knn_graph(near, edges, function(d) exp(-d)), exp(-dense))
  }
  within <- neighbors_within(x, 4, to = 9)
  d <- as.matrix(pdist(x, to = 9))
  d[d > 4] <- NA
  diag(d) <- NA
  for (edges in c("directed", "union", "mutual")) {
    expect_edges(as_knn_graph(within, edges), unname(d))
  }
})

test_that("graphs of a query lead from it to the functions", {
  x <- random_pcf(10, 6)
  names(x) <- letters[1:10]
  near <- nearest_neighbors(x, 2, c(q = x[[3]], r = x[[10]]), to = 9)
  graph <- as_knn_graph(near, weight = "one")
  expect_identical(dim(graph), c(2L, 10L))
  expect_identical(dimnames(graph), list(c("q", "r"), NULL))
  expect_identical(which(graph["q", ] == 1), sort(unname(near$id[1, ])))
  within <- neighbors_within(x, 3, x[2:4], to = 9)
  expect_equal(Matrix::rowSums(as_knn_graph(within)), vapply(within$dist, sum, 0))
})

test_that("graphs have names, and may be empty", {
  x <- example_pcf()
  near <- nearest_neighbors(x, 1, to = 6)
  expect_identical(dimnames(as_knn_graph(near)), list(c("a", "b"), c("a", "b")))
  expect_identical(dimnames(as_knn_graph(near, "union")), list(c("a", "b"), c("a", "b")))
  expect_identical(as.matrix(as_knn_graph(neighbors_within(unname(x), 0, to = 6))),
                   matrix(0, 2, 2))
  expect_identical(dim(as_knn_graph(neighbors_within(x[0], 1))), c(0L, 0L))
  expect_identical(dim(as_knn_graph(nearest_neighbors(x, 1, x[0], to = 6))), c(0L, 2L))
})

test_that("graphs of igraph are those of Matrix", {
  skip_if_not_installed("igraph")
  x <- random_pcf(20, 6)
  names(x) <- paste0("f", 1:20)
  near <- nearest_neighbors(x, 3, to = 9)
  for (edges in c("directed", "union", "mutual")) {
    graph <- as_knn_graph(near, edges, as = "igraph")
    expect_identical(igraph::is_directed(graph), edges == "directed")
    expect_identical(igraph::V(graph)$name, names(x))
    matrix <- igraph::as_adjacency_matrix(graph, attr = "weight", sparse = FALSE)
    expect_equal(matrix, as.matrix(as_knn_graph(near, edges)))
  }
  expect_null(igraph::E(as_knn_graph(near, weight = "one", as = "igraph"))$weight)
  same <- unname(rep(x[1], 3))
  pairs <- as_knn_graph(nearest_neighbors(same, 2), "union", as = "igraph")
  expect_identical(igraph::E(pairs)$weight, c(0, 0, 0)) # zeros stay
  expect_null(igraph::V(pairs)$name)
})

test_that("igraph finds the communities that there are", {
  skip_if_not_installed("igraph")
  x <- with_seed(1, c(rpcf(30, kind = "sine"), rpcf(30, kind = "cosine")))
  near <- nearest_neighbors(x, 8, to = 1)
  graph <- as_knn_graph(near, "union", function(d) exp(-d / 0.1), "igraph")
  communities <- igraph::membership(with_seed(1, igraph::cluster_louvain(graph)))
  expect_false(any(communities[1:30] %in% communities[31:60]))
})

test_that("shared neighbours are graphs, too", {
  skip_if_not_installed("dbscan")
  x <- random_pcf(20, 6)
  near <- nearest_neighbors(x, 5, to = 9)
  shared <- dbscan::sNN(near, kt = 2)
  expect_true(anyNA(shared$id))
  expect_identical(sum(as_knn_graph(shared, weight = "one")), as.double(sum(!is.na(shared$id))))
  theirs <- dbscan::kNN(pdist(x, to = 9), 5)
  expect_identical(unname(as.matrix(as_knn_graph(theirs))), as.matrix(as_knn_graph(near)))
})

test_that("mean functions of neighbours are a product with a graph", {
  x <- random_pcf(12, 6)
  near <- nearest_neighbors(x, 3, to = 9)
  means <- linear_combinations(as_knn_graph(near, weight = "one") / 3, x)
  for (i in 1:12) {
    expect_near(lp_distance(means[i], mean(x[near$id[i, ]]), to = 9), 0, scale = 1)
  }
})

test_that("uwot takes neighbours with the function itself first", {
  x <- unname(with_seed(1, c(rpcf(30, kind = "sine"), rpcf(30, kind = "cosine"))))
  near <- nearest_neighbors(x, 14, to = 1)
  first <- as_uwot(near)
  expect_named(first, c("idx", "dist"))
  expect_identical(first$idx, cbind(1:60, unname(near$id)))
  expect_identical(first$dist, cbind(0, unname(near$dist)))
  query <- nearest_neighbors(x, 15, with_seed(2, rpcf(4, kind = "cosine")), to = 1)
  expect_identical(as_uwot(query), list(idx = unname(query$id), dist = unname(query$dist)))

  skip_if_not_installed("uwot")
  umap <- function(...) {
    with_seed(1, uwot::umap(X = NULL, ..., n_threads = 1, n_epochs = 200, ret_model = TRUE))
  }
  model <- umap(nn_method = first)
  expect_identical(dim(model$embedding), c(60L, 2L))
  cluster <- stats::cutree(stats::hclust(stats::dist(model$embedding), "single"), 2)
  expect_identical(cluster, rep(1:2, each = 30))
  with_uwot <- uwot::umap(pdist(x, to = 1), n_neighbors = 15, n_threads = 1, ret_nn = TRUE,
                          n_epochs = 1)$nn[[1]]
  expect_equal(unname(with_uwot$dist), first$dist)
  placed <- uwot::umap_transform(NULL, model, nn_method = as_uwot(query), n_threads = 1)
  centre <- colMeans(model$embedding[31:60, ])
  other <- colMeans(model$embedding[1:30, ])
  expect_true(all(rowSums(sweep(placed, 2, centre)^2) < rowSums(sweep(placed, 2, other)^2)))
})

test_that("Rtsne takes neighbours as they are", {
  skip_if_not_installed("Rtsne")
  x <- with_seed(1, c(rpcf(30, kind = "sine"), rpcf(30, kind = "cosine")))
  near <- nearest_neighbors(x, 12, to = 1)
  map <- with_seed(1, Rtsne::Rtsne_neighbors(near$id, near$dist, perplexity = 4))$Y
  expect_identical(dim(map), c(60L, 2L))
  nearest <- nearest_of(map)
  expect_gt(mean((nearest <= 30) == rep(c(TRUE, FALSE), each = 30)), 0.9)
})

test_that("wrong arguments are errors", {
  skip_if_not_installed("igraph")
  x <- unname(pcf(list(0, c(0, 1), 0), list(1, c(2, 0), 1)))
  near <- nearest_neighbors(x, 2)
  within <- neighbors_within(x, 1, to = 1)
  query <- nearest_neighbors(x, 1, x, to = 2)
  damaged <- near
  damaged$id[2, 1] <- 7L
  crooked <- near
  crooked$dist <- near$dist[, 1, drop = FALSE]
  unmarked <- query
  unmarked$searched <- NULL
  refused(as_knn_graph(x), "neighbors",
          "must be what nearest_neighbors() or neighbors_within() gives, not an object of class <pcf> of length 3.")
  refused(as_knn_graph(near, "both"), "edges", 'must be one of "directed", "union", "mutual", not "both".')
  refused(as_knn_graph(near, weight = "similarity"), "weight", 'must be one of "distance", "one", not "similarity".')
  refused(as_knn_graph(near, weight = function(d) 1), "weight",
          "must return one number for each of the 6 distances, not 1.")
  refused(as_knn_graph(near, weight = function(d) d * NA), "weight",
          "must return one number for each of the 6 distances, not a double vector of length 6 with NA.")
  refused(as_knn_graph(near, as = "network"), "as", 'must be one of "Matrix", "igraph", not "network".')
  refused(as_knn_graph(query, "union"), "edges", 'must be "directed" for neighbours of a query.')
  refused(as_knn_graph(query, as = "igraph"), "as", 'must be "Matrix" for neighbours of a query.')
  refused(as_knn_graph(damaged), "neighbors", "must have whole ids from 1 to 3, but function 2 has 7.")
  refused(as_knn_graph(crooked), "neighbors", "must have `id` and `dist` of the same shape.")
  refused(as_knn_graph(unmarked), "neighbors",
          "must not contain a function as its own neighbour, as it does for function 1. If these are neighbours of a ",
          "query, use nearest_neighbors(), which records that; dbscan does not.")
  refused(as_uwot(within), "neighbors",
          "must be what nearest_neighbors() gives, not an object of class <frNN> of length 6.")
  refused(as_uwot(near), "neighbors", "must be at finite distances, but those of function 1 are not. Distances are ",
          "finite if the window has an end: set `to`.")
  refused(as_uwot(unmarked), "neighbors", "must not contain a function as its own neighbour, as it does for function ",
          "1. If these are neighbours of a query, use nearest_neighbors(), which records that; dbscan does not.")
})

test_that("ids must be whole", {
  near <- neighbors_within(pcf(list(0:1, 0:1, 0:1), list(1:0, 1:0, 2:1)), 0.1, to = 1)
  near$id[[1]] <- 2.5
  refused(as_knn_graph(near), "neighbors", "must have whole ids from 1 to 3, but function 1 has 2.5.")
})
