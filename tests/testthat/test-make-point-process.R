test_that("points of a Poisson process are as many and as evenly spread as they should be", {
  clouds <- with_seed(1, rpoisson_points(3000, rate = c(2, 10), from = c(-1, 0), to = c(1, 2)))
  counts <- vapply(clouds, nrow, 1)
  for (k in 1:2) {
    mine <- counts[seq(k, 3000, 2)]
    expected <- 4 * c(2, 10)[k]
    expect_lt(abs(mean(mine) / expected - 1), 0.03)
    expect_lt(abs(var(mine) / expected - 1), 0.15)
  }
  all <- do.call(rbind, clouds)
  expect_identical(colnames(all), c("x", "y"))
  expect_gt(ks.test(unique(all[, "x"]), "punif", -1, 1)$p.value, 1e-4)
  expect_gt(ks.test(unique(all[, "y"]), "punif", 0, 2)$p.value, 1e-4)
  expect_lt(abs(cor(all)[1, 2]), 0.02)
})

test_that("boxes have any dimension", {
  cloud <- with_seed(1, rpoisson_points(1, 5, from = 0, to = c(2, 3, 4)))[[1]]
  expect_identical(colnames(cloud), c("x", "y", "z"))
  expect_true(all(cloud >= 0) && all(t(cloud) <= c(2, 3, 4)))
  line <- with_seed(1, rpoisson_points(2, 100, from = 5, to = 6))
  expect_identical(vapply(line, ncol, 1L), c(1L, 1L))
  expect_identical(colnames(rpoisson_points(1, 1, 0, rep(1, 5))[[1]]), paste0("x", 1:5))
  expect_identical(dim(rpoisson_points(1, 0)[[1]]), c(0L, 2L))
  expect_identical(rpoisson_points(0), list())
})

test_that("wrong arguments are errors", {
  refused(rpoisson_points(-1), "n", "must be a whole number of at least 0, not -1.")
  refused(rpoisson_points(1, -1), "rate", "must be finite numbers of at least 0, not -1.")
  refused(rpoisson_points(1, 1, to = c(1, 0)), "to",
          "must be greater than `from`, but is 0, and `from` is 0, in dimension 2.")
  refused(rpoisson_points(1, 1, from = "a"), "from", 'must be finite numbers, one for each dimension, not "a".')
  refused(rpoisson_points(1, 1, to = c(1, Inf)), "to",
          "must be finite numbers, one for each dimension, not a double vector of length 2.")
  refused(rpoisson_points(1, 1e10), "rate", "must give at most 2e+09 events, and gives 1e+10 in the box.")
  refused(rpoisson_points(1, 1, rep(-1e200, 2), rep(1e200, 2)), "to", "must not make the volume of the box infinite.")
})
