# The tree by definition: Kruskal's algorithm on the matrix, ties by the smaller index, then by the
# other one. A matrix with the columns from, to and weight.
kruskal <- function(d) {
  d <- as.matrix(d)
  pairs <- which(upper.tri(d), arr.ind = TRUE)
  pairs <- pairs[order(d[pairs], pairs[, 1], pairs[, 2]), , drop = FALSE]
  label <- seq_len(nrow(d))
  kept <- logical(nrow(pairs))
  for (k in which(!is.na(d[pairs]))) {
    ends <- label[pairs[k, ]]
    kept[k] <- ends[1] != ends[2]
    label[label == ends[1]] <- ends[2]
  }
  edges <- pairs[kept, , drop = FALSE]
  unname(cbind(edges, d[edges]))
}

edges_of <- function(tree) matrix(tree$edges, ncol = 3)

# The mutual reachability distances of a matrix.
reach <- function(d, k) {
  d <- unname(as.matrix(d))
  diag(d) <- NA
  core <- apply(d, 1, function(row) sort(row)[k])
  stats::as.dist(pmax(d, outer(core, core, pmax)))
}

core_of <- function(d, k) unname(apply(as.matrix(d), 1, function(row) sort(row)[k + 1]))

# Are two hierarchies the same, apart from the call and what hclust() does not have?
expect_same_hierarchy <- function(tree, expected) {
  expect_s3_class(tree, "hclust", exact = TRUE)
  expect_identical(names(tree)[seq_along(expected)], names(expected))
  for (name in c("merge", "height", "order", "labels", "method", "dist.method")) {
    expect_identical(tree[[name]], expected[[name]], label = name)
  }
}

# Do functions lie together below every height? So it is, whatever way ties are broken.
expect_same_clusters <- function(tree, expected) {
  expect_identical(tree$height, expected$height)
  heights <- unique(c(tree$height, 0))
  for (h in heights[heights < Inf]) {
    expect_identical(unname(cutree(tree, h = h)), unname(cutree(expected, h = h)))
  }
}

test_that("without ties the tree is what hclust() makes of the matrix", {
  named <- paper_pcf(90, 30)
  names(named) <- paste0("f", 1:90)
  collections <- list(paper_pcf(150, 40), named, gridded_pcf(40), paper_pcf(2, 9), paper_pcf(3, 9))
  for (x in collections) {
    for (p in c(1, 2, 1.5)) {
      for (device in test_devices()) {
        expect_same_hierarchy(
          spanning_tree(x, p = p, device = device), hclust(pdist(x, p, device = device), "single")
        )
      }
    }
  }
})

# Distances that are whole numbers.
whole_pcf <- function(n) {
  with_seed(3, pcf(
    lapply(1:n, function(i) 0:6),
    lapply(1:n, function(i) c(sample(0:3, 6, replace = TRUE), 0))
  ))
}

test_that("edges are those of the definition, ties included", {
  collections <- list(
    whole = whole_pcf(70), tied = map_pcf(tied_pcf(60), values = function(v) c(round(v[-1]), 0)),
    same = rep(example_pcf(), 25), ragged = paper_pcf(80, 30), pair = example_pcf()
  )
  for (x in collections) {
    for (p in list(1, 2, Inf)) {
      d <- pdist(x, p)
      tree <- spanning_tree(x, p = p)
      expect_identical(edges_of(tree), kruskal(d))
      expect_same_clusters(tree, hclust(d, "single"))
      expect_identical(tree$height, edges_of(tree)[, 3])
    }
  }
})

# Clusters on a line, of more functions than are looked at in a pass, many of them equal.
clustered_pcf <- function(clusters, members, seed = 1) {
  with_seed(seed, {
    at <- rep(cumsum(sample(2:9, clusters, replace = TRUE)), members)
    at <- sample(at + sample(0:8, length(at), replace = TRUE) / 8)
    pcf(lapply(at, function(v) 0:1), lapply(at, function(v) c(v, 0)))
  })
}

passes_of <- function(x, k = NULL) {
  passes <- 0
  call <- check_integrals(x, NULL, -Inf, Inf)
  settings <- run_settings(NULL, NULL, NULL, NULL)
  grow_tree(call, k, function(numbers, ...) {
    passes <<- passes + 1
    select_pairs(call, operation_of(1), settings, list(kind = "nearest", ...))
  })
  passes
}

test_that("clusters take several passes, and trees of these are as those of one", {
  for (seed in 1:2) {
    x <- clustered_pcf(30, 15, seed)
    d <- pdist(x)
    expect_true(passes_of(x) %in% 3:6)
    expect_identical(edges_of(spanning_tree(x)), kruskal(d))
    for (k in c(3, 30)) {
      expect_true(passes_of(x, k) %in% 2:6)
      expect_identical(edges_of(spanning_tree(x, k)), kruskal(reach(d, k)))
    }
  }
  expect_identical(passes_of(paper_pcf(100, 30)), 1)
  expect_identical(passes_of(paper_pcf(100, 30), 5), 1)
})

test_that("a pass without limits follows one whose limits were too small for a component", {
  grown <- list(label = c(1L, 1L, 3L), core = NULL, edges = list())
  asked <- logical()
  select <- function(numbers, ..., guess) {
    asked <<- c(asked, guess)
    id <- cbind(c(3L, NA, if (guess) NA else 1L))
    list(distance = id, id = id, farthest = if (guess) rep(1, 3))
  }
  expect_identical(select_apart(grown, 3, select)$id[, 1], c(3L, NA, 1L))
  expect_identical(asked, c(TRUE, FALSE))
})

test_that("mutual reachability is that of the definition", {
  for (x in list(paper_pcf(35, 30), whole_pcf(35), rep(example_pcf(), 10), paper_pcf(5, 9))) {
    for (p in list(1, 2, Inf)) {
      d <- pdist(x, p, to = 9)
      for (k in unique(pmin(c(1, 5, 69), length(x) - 1))) {
        tree <- spanning_tree(x, k = k, p = p, to = 9)
        expect_identical(edges_of(tree), kruskal(reach(d, k)))
        expect_identical(tree$core, core_of(d, k))
        expect_same_clusters(tree, hclust(reach(d, k), "single"))
      }
    }
  }
  expect_identical(
    edges_of(spanning_tree(paper_pcf(30, 20), k = 1)), edges_of(spanning_tree(paper_pcf(30, 20)))
  )
})

test_that("HDBSCAN of dbscan has the same hierarchy", {
  skip_if_not_installed("dbscan")
  x <- c(paper_pcf(60, 30), rpcf(30, kind = "sine"), rpcf(30, kind = "cosine"))
  for (min_points in c(2, 5, 12)) {
    theirs <- dbscan::hdbscan(pdist(x, to = 1), minPts = min_points)
    ours <- spanning_tree(x, k = min_points - 1, to = 1)
    expect_equal(ours$height, theirs$hc$height)
    expect_equal(ours$core, unname(theirs$coredist))
  }
})

test_that("genieclust takes the edges", {
  skip_if_not_installed("genieclust")
  x <- paper_pcf(80, 30)
  names(x) <- paste0("f", 1:80)
  for (k in list(NULL, 4)) {
    tree <- spanning_tree(x, k)
    theirs <- genieclust::mst(pdist(x), M = if (is.null(k)) 1 else k + 1)
    expect_equal(edges_of(tree)[, 3], as.vector(theirs[, 3]))
    if (is.null(k)) expect_equal(edges_of(tree), matrix(theirs, ncol = 3))
    ours <- genieclust::gclust(tree$edges)
    expect_identical(cutree(ours, 4), cutree(genieclust::gclust(theirs), 4))
    expect_identical(ours$labels, names(x))
  }
})

test_that("R cuts, draws and converts the tree", {
  x <- paper_pcf(30, 20)
  names(x) <- paste0("f", 1:30)
  tree <- spanning_tree(x)
  expected <- hclust(pdist(x), "single")
  expect_identical(cutree(tree, 1:30), cutree(expected, 1:30))
  expect_identical(as.dendrogram(tree), as.dendrogram(expected))
  expect_identical(cophenetic(tree), cophenetic(expected))
  expect_output(print(tree), "Number of objects: ")
  draw_nowhere()
  expect_no_warning(plot(tree))
  expect_identical(tree$call, quote(spanning_tree(x = x)))
  expect_identical(
    spanning_tree(x, k = 3, p = 2)$dist.method, "L2, mutual reachability with k = 3"
  )
})

test_apart("what is not observed is left out, or averaged over", {
  x <- random_partial_pcf(60)
  x <- x[vapply(unclass(x), function(f) !all(is.na(f[, 2])), NA)]
  for (missing in c("overlap", "mean")) {
    for (p in list(1, Inf)) {
      d <- pdist(x, p, from = -3, to = 10, missing = missing)
      expect_identical(
        edges_of(spanning_tree(x, p = p, from = -3, to = 10, missing = missing)), kruskal(d)
      )
      tree <- spanning_tree(x, 2, p, from = -3, to = 10, missing = missing)
      expect_identical(edges_of(tree), kruskal(reach(d, 2)))
    }
  }
  for (x in list(clustered_pcf(30, 15), whole_pcf(100))) {
    d <- pdist(x, from = 0, to = 4, missing = "mean")
    averaged <- function(k) spanning_tree(x, k, from = 0, to = 4, missing = "mean")
    expect_identical(edges_of(averaged(NULL)), kruskal(d))
    expect_identical(edges_of(averaged(3)), kruskal(reach(d, 3)))
  }
  # Pairs without an overlap do not matter as long as others lead from one to the other.
  chain <- pcf(lapply(1:40, function(i) c(-Inf, i, i + 1.5)), lapply(1:40, function(i) c(NA, i^2, NA)))
  d <- pdist(chain, missing = "overlap")
  expect_identical(sum(!is.na(d)), 39L)
  expect_identical(edges_of(spanning_tree(chain, missing = "overlap")), kruskal(d))
})

test_that("windows, weights and units are those of distances", {
  x <- paper_pcf(40, 20)
  weight <- pcf(c(0, 0.2, 1), c(1, 0.5, 0))
  expect_identical(
    edges_of(spanning_tree(x, from = 0.1, to = 0.5, weight = weight)),
    kruskal(pdist(x, from = 0.1, to = 0.5, weight = weight))
  )
  dated <- tied_pcf(12)
  time_unit(dated) <- "Date"
  expect_same_hierarchy(
    spanning_tree(dated, to = as.Date("1970-01-13")), spanning_tree(tied_pcf(12), to = 12)
  )
})

test_that("an array of functions has its dimnames as labels", {
  x <- paper_pcf(6, 9)
  dim(x) <- 2:3
  dimnames(x) <- list(c("a", "b"), NULL)
  expect_identical(spanning_tree(x)$labels, attr(pdist(x), "Labels"))
})

test_that("there is one warning or error, and not both", {
  x <- pcf(list(a = 0, b = 0), list(1, 2))
  expect_no_warning(expect_error(spanning_tree(x), class = "pcfdist_error_x"))
})

test_that("wrong arguments, and collections without a tree, are errors", {
  x <- random_pcf(8)
  apart <- pcf(list(a = c(0, 1), b = c(0, 2), c = c(0, 3)), list(c(1, 0), c(2, 1), c(1, 1)))
  begun <- pcf(list(-Inf, c(0, 1)), list(3, 1:2))
  huge <- pcf(list(c(0, 1e300), c(0, 1e300)), list(c(1e300, 0), c(-1e300, 0)))
  parts <- pcf(list(a = c(-Inf, 0, 2), b = c(-Inf, 5, 7), c = c(-Inf, 1, 3), d = c(-Inf, 6, 8)),
               rep(list(c(NA, 1, NA)), 4))
  refused(spanning_tree(1:4), "x", "must be a <pcf>, not an integer vector of length 4. ", makes_pcf)
  refused(spanning_tree(x[0]), "x", "must have at least two functions, not 0.")
  refused(spanning_tree(x[1]), "x", "must have at least two functions, not 1.")
  refused(spanning_tree(x, k = 0), "k", "must be a whole number of at least 1, not 0.")
  refused(spanning_tree(x, k = 8), "k", "must be at most 7, the number of other functions, not 8.")
  refused(spanning_tree(x, k = "a"), "k", 'must be a whole number of at least 1, not "a".')
  refused(spanning_tree(x, p = 0.5), "p", "must be a number of at least 1, or Inf, not 0.5.")
  refused(spanning_tree(x, from = 3, to = 1), "from", "must be at most `to`: 3 is greater than 1.")
  refused(spanning_tree(x, to = 9, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
  refused(spanning_tree(apart), "x", "has no spanning tree. It consists of parts at infinite distances from each ",
          'other, such as those of function 1 ("a") and function 2 ("b"). The window is unbounded. Give the ',
          "window an end with `to =`.")
  refused(spanning_tree(unname(apart), k = 2), "x",
          "has no spanning tree. It consists of parts at infinite distances from each other, such as those of ",
          "function 1 and function 2. The window is unbounded. Give the window an end with `to =`.")
  refused(spanning_tree(begun, from = -Inf, to = 1), "x",
          "has no spanning tree. It consists of parts at infinite distances from each other, such as those of ",
          "function 1 and function 2. The window is unbounded. Give the window a start with `from =`.")
  refused(spanning_tree(huge), "x",
          "has no spanning tree. It consists of parts at infinite distances from each other, such as those of ",
          "function 1 and function 2. All distances between them are beyond the largest double.")
  expect_refusal(spanning_tree(parts), "missing", observed_apart('1 ("a")', "0, 2", '2 ("b")', begun_at_zero))
  refused(spanning_tree(parts, missing = "overlap"), "x", "has no spanning tree. It consists of parts without a known ",
          'distance between them, such as those of function 1 ("a") and function 2 ("b"). No function of one is ',
          "observed together with a function of the other in the window.")
  refused(spanning_tree(unname(parts), missing = "mean"), "x", "has no spanning tree. It consists of parts without a ",
          "known distance between them, such as those of function 1 and function 2. No function of one is observed ",
          "together with a function of the other in the window.")
  refused(spanning_tree(parts, k = 2, missing = "overlap"), "k", 'is 2, but function 1 ("a") has a known distance to ',
          "only 1 other function. The others are never observed at the same time in the window. Choose a smaller `k`, ",
          "or leave such functions out.")
  error <- tryCatch(spanning_tree(apart), error = identity)
  expect_identical(error$index, c(1, 2))
  error <- tryCatch(spanning_tree(parts, missing = "overlap"), error = identity)
  expect_identical(error$index, c(1, 2))
})
