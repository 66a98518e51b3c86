# What the package dbscan makes of neighbours is what it makes of its own.

skip_if_not_installed("dbscan")

# Two clouds of functions and a few far from both. Values at three times, as wide as 1 each.
clouds <- function() {
  with_seed(3, {
    heights <- rbind(matrix(rnorm(75), 25), matrix(rnorm(75, 4), 25), matrix(rnorm(9, 20, 9), 3))
  })
  rownames(heights) <- paste0("f", seq_len(nrow(heights)))
  x <- pcf(rep(list(c(0, 1, 2, 3)), nrow(heights)),
           lapply(seq_len(nrow(heights)), function(i) c(heights[i, ], 0)))
  names(x) <- rownames(heights)
  x
}

test_that("neighbours are those of dbscan, field by field", {
  x <- clouds()
  near <- nearest_neighbors(x, 4)
  expected <- dbscan::kNN(pdist(x), 4)
  common <- c("dist", "id", "sort")
  expect_identical(unclass(near)[common], unclass(expected)[common])
  expect_equal(near$k, expected$k)
  within <- neighbors_within(x, 3)
  expected <- dbscan::frNN(pdist(x), 3)
  common <- c(common, "eps")
  expect_identical(unclass(within)[common], unclass(expected)[common])
  query <- dbscan::kNN(unname(as.matrix(x, times = 0:2)), 3,
                       query = unname(as.matrix(x[1:5], times = 0:2)))
  near <- nearest_neighbors(unname(x), 3, unname(x[1:5]), p = 2)
  expect_equal(near$id, query$id)
  expect_equal(near$dist, query$dist)
})

test_that("functions of dbscan take neighbours", {
  x <- clouds()
  d <- pdist(x)
  near <- nearest_neighbors(x, 6)
  theirs <- dbscan::kNN(d, 6)
  expect_identical(dbscan::sNN(near)$shared, dbscan::sNN(theirs)$shared)
  expect_identical(dbscan::sNN(near, k = 4, kt = 2)$id, dbscan::sNN(theirs, k = 4, kt = 2)$id)
  expect_identical(dbscan::jpclust(near, k = 6, kt = 2)$cluster,
                   dbscan::jpclust(theirs, k = 6, kt = 2)$cluster)
  expect_identical(dbscan::sNNclust(near, k = 6, eps = 2, minPts = 3)$cluster,
                   dbscan::sNNclust(theirs, k = 6, eps = 2, minPts = 3)$cluster)
  expect_identical(dbscan::kNNdist(near, 5), dbscan::kNNdist(d, 5))
  expect_identical(dbscan::adjacencylist(near), dbscan::adjacencylist(theirs))
  for (mutual in c(FALSE, TRUE)) {
    expect_identical(dbscan::comps(near, mutual), dbscan::comps(theirs, mutual))
  }
  expect_output(print(near), "k-nearest neighbors for 53 objects")
})

test_that("functions of dbscan take neighbours within a radius", {
  x <- clouds()
  d <- pdist(x)
  within <- neighbors_within(x, 3)
  clusters <- dbscan::dbscan(within, minPts = 4)
  expect_identical(clusters$cluster, dbscan::dbscan(d, 3, 4)$cluster)
  expect_identical(clusters$eps, 3)
  expect_setequal(clusters$cluster, 0:2)
  expect_identical(dbscan::adjacencylist(within), dbscan::adjacencylist(dbscan::frNN(d, 3)))
  expect_identical(dbscan::comps(within), dbscan::comps(dbscan::frNN(d, 3)))
  smaller <- dbscan::frNN(within, 2)
  expect_identical(unname(smaller$id), unname(neighbors_within(x, 2)$id))
  expect_output(print(within), "fixed radius nearest neighbors for 53 objects")
})
