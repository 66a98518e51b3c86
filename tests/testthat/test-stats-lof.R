# Local outlier factors from a matrix of distances, as in the definition.
factors_of <- function(d, k) {
  n <- nrow(d)
  near <- matrix(unlist(lapply(seq_len(n), function(i) order(d[i, -i])[seq_len(k)])), n, byrow = TRUE)
  near <- near + (near >= row(near))
  far <- d[cbind(seq_len(n), near[, k])]
  density <- vapply(seq_len(n), function(i) 1 / mean(base::pmax(far[near[i, ]], d[i, near[i, ]])), 0)
  vapply(seq_len(n), function(i) mean(density[near[i, ]]) / density[i], 0)
}

test_that("factors are those of the definition, and of dbscan", {
  x <- random_pcf(40)
  for (k in c(1, 5, 39)) {
    found <- lof(x, k, to = 12)
    expect_equal(unname(found), factors_of(as.matrix(pdist(x, to = 12)), k))
  }
  skip_if_not_installed("dbscan")
  expect_equal(unname(lof(x, 5, p = 2, to = 12)), dbscan::lof(pdist(x, 2, to = 12), minPts = 6))
})

test_that("equal functions have the factor 1, and outliers a large one", {
  x <- c(rep(pcf(0:1, 1:0), 5), pcf(0:1, c(2, 0)))
  expect_identical(unname(lof(x, 3)), c(rep(1, 5), Inf))
  y <- random_pcf(20)
  names(y) <- letters[1:20]
  y[7] <- y[7] + 100
  expect_identical(names(which.max(lof(y, 5, to = 12))), "g")
  m <- array(random_pcf(12), c(6, 2), list(letters[1:6], NULL))
  expect_named(lof(m, 2, to = 12, margin = 1), letters[1:6])
})

test_that("arguments of neighbours are checked", {
  x <- random_pcf(4)
  expect_error(lof(x, 4), class = "pcfdist_error_k")
  expect_error(lof(x, 0), class = "pcfdist_error_k")
  expect_error(lof(x), "number of neighbours", class = "pcfdist_error_k")
  expect_error(lof(x, 2, query = x), class = "pcfdist_error_query")
})
