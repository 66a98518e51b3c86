# The sum of distances from the nearest medoid cannot be less with another medoid in place of one.
expect_medoids <- function(found, distances) {
  d <- as.matrix(distances)
  least <- function(id) mean(do.call(base::pmin, as.data.frame(d[, id, drop = FALSE])))
  id <- found$id.med
  expect_equal(found$objective, least(id), tolerance = 1e-12)
  own <- d[cbind(seq_len(nrow(d)), id[found$clustering])]
  expect_equal(own, apply(d[, id, drop = FALSE], 1, min), ignore_attr = TRUE)
  swapped <- vapply(seq_along(id), function(q) {
    min(vapply(seq_len(nrow(d)), function(i) least(replace(id, q, i)), 0))
  }, 0)
  expect_gte(min(swapped), found$objective * (1 - 1e-9))
}

test_that("no swap of a medoid helps, for any number of clusters and any distance", {
  for (seed in 1:40) with_seed(seed, {
    n <- sample(c(1, 2, 3, 10, 30), 1)
    k <- sample(unique(c(1, min(2, n), min(5, n), n)), 1)
    x <- random_collection(n, seed %% 2 == 0)
    p <- sample(c(1, 2, Inf), 1)
    found <- k_medoids(x, k, p, 0, 1)
    expect_medoids(found, pdist(x, p, 0, 1))
    expect_identical(unclass(found$medoids), unclass(x[found$id.med]))
    expect_identical(unname(found$clusinfo[, "size"]), as.double(tabulate(found$clustering, k)))
  })
})

test_that("clusters are those of cluster::pam() where they are clear", {
  skip_if_not_installed("cluster")
  x <- c(drawn(20, 1), drawn(20, 2) + 5, drawn(20, 3) - 5)
  names(x) <- sprintf("f%d", 1:60)
  found <- with_seed(1, k_medoids(x, 3, to = 1))
  pam <- cluster::pam(pdist(x, to = 1), 3)
  expect_setequal(found$id.med, pam$id.med)
  expect_equal(sort(unname(found$clusinfo[, "max_diss"])), sort(unname(pam$clusinfo[, "max_diss"])))
  expect_equal(found$objective, pam$objective[["swap"]])
  expect_s3_class(found, "partition")
  expect_equal(cluster::silhouette(found, pdist(x, to = 1)), cluster::silhouette(found$clustering, pdist(x, to = 1)),
               ignore_attr = TRUE)
})

test_that("a batch finds nearly the same medoids", {
  x <- c(drawn(700, 1), drawn(700, 2) + 3, drawn(700, 3) - 3)
  whole <- with_seed(1, k_medoids(x, 5, to = 1))
  with_mocked(most_whole = 10, code = {
    for (seed in 1:3) {
      batch <- with_seed(seed, k_medoids(x, 5, to = 1))
      expect_lt(batch$objective, 1.005 * whole$objective)
      expect_equal(batch$objective, mean(apply(cdist(x, batch$medoids, to = 1), 1, min)))
    }
    few <- with_seed(1, k_medoids(x[1:3], 3, to = 1))
    expect_identical(few$objective, 0)
  })
})

test_that("bits depend neither on threads nor on the order of functions", {
  x <- drawn(300, 4, 10)
  names(x) <- sprintf("f%d", 1:300)
  for (limit in c(10, 1000)) with_mocked(most_whole = limit, code = {
    divide <- function(x, threads) with_seed(1, k_medoids(x, 4, to = 1, threads = threads))
    found <- divide(x, 1)
    expect_identical(divide(x, 3)[1:5], found[1:5])
    mixed <- divide(x[300:1], 2)
    expect_identical(mixed$clustering[names(x)], found$clustering)
    expect_identical(mixed$objective, found$objective)
    expect_identical(names(mixed$medoids), names(found$medoids))
  })
})

test_that("components, gaps and new functions are those of distances", {
  x <- array(drawn(40, 1), c(20, 2), list(NULL, c("u", "v")))
  found <- k_medoids(x, 3, to = 1, margin = 1)
  expect_medoids(found, pdist(x, to = 1, margin = 1))
  expect_identical(dim(found$medoids), c(3L, 2L))
  expect_identical(predict(found, x), unname(found$clustering))
  turned <- k_medoids(t(x), 3, to = 1, margin = 2)
  expect_identical(dim(turned$medoids), c(2L, 3L))
  expect_identical(dim(fitted(turned)), c(2L, 20L))
  y <- with_seed(3, random_collection(15, gaps = TRUE)) + pcf(c(-Inf, 2), c(0, NA))
  expect_medoids(k_medoids(y, 2, 2, 0, 1.5, "mean"), pdist(y, 2, 0, 1.5, "mean"))
  expect_output(print(found), "K-medoids clustering of functions into 3 clusters")
})

test_that("what has no distances is refused", {
  x <- pcf(list(c(0, 1), c(0, 1), c(0, 2)), list(c(1, 0), c(2, 0), c(3, 4)))
  refused(k_medoids(x), "k", "is missing: the number of clusters, or functions to start from.")
  refused(k_medoids(x, x[1]), "k", "must be a number of clusters: medoids are functions of `x`.")
  refused(k_medoids(x, 4), "k", "must be at most 3, the number of functions of `x`, not 4.")
  refused(k_medoids(x, 2), "x", "must have finite distances, but some are infinite. Give the window an end with ",
          "`to =`.")
  apart <- pcf(list(c(-Inf, 0, 1), c(-Inf, 1, 2)), list(c(NA, 1, NA), c(NA, 1, NA)))
  expect_refusal(k_medoids(apart, 1, missing = "overlap"), "missing",
                 "k_medoids() needs a distance for each pair, but some functions are never observed at the same time ",
                 "in the window. Choose a window in which more of them are.")
})
