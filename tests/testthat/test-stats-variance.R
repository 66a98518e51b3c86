# The variance of a column by cov.wt(), which is NA for fewer than two values.
spread_of <- function(values, weights, na.rm) {
  known <- !is.na(values)
  if (sum(known) < 2 || !na.rm && !all(known)) return(NA_real_)
  w <- weights[known] / sum(weights[known])
  c(stats::cov.wt(cbind(values[known]), w)$cov)
}

test_that("variances are those of plain R, with gaps, weights and groups", {
  with_seed(1, for (k in 1:40) {
    lines <- k %% 3 == 0
    n <- sample(9, 1)
    x <- if (lines) random_plf(n, gaps = 0.3, seed = k) else random_partial_pcf(n, seed = k)
    x <- x + pcf(-Inf, (k %% 2) * 1e6)
    weights <- if (k %% 4 == 0) sample(c(0.3, 1, 2.5), length(x), replace = TRUE)
    na_rm <- k %% 5 > 1
    times <- c(runif(30, -4, 11), -1:5)
    expected <- apply(as.matrix(unname(x), times), 2, spread_of, weights %||% rep(1, length(x)), na_rm)
    found <- variance(x, weights = weights, na.rm = na_rm, times = times)
    expect_identical(which(is.na(c(found))), which(is.na(unname(expected))))
    expect_near(c(found), unname(expected), 1e-9, max(1, expected, na.rm = TRUE))
    if (!lines) expect_identical(found, rbind(c(evaluate(variance(x, weights = weights, na.rm = na_rm), times))))
  })
})

test_that("the bits do not depend on the order or on threads, and no digits are lost far from 0", {
  x <- random_pcf(30, 20)
  expect_identical(variance(rev(x), threads = 2), variance(x, threads = 1))
  exact <- round(x * 1024) / 1024
  expect_identical(variance(exact + pcf(-Inf, 2^40)), variance(exact))
  expect_identical(unname(lp_norm(variance(rep(x[1] + 1e9 / 3, 7)))), 0)
})

test_that("groups, names, units of time and single functions are kept", {
  x <- random_pcf(6)
  by <- rep(c("a", "b"), 3)
  both <- variance(x, by)
  expect_named(both, c("a", "b"))
  expect_identical(unname(both[1]), variance(x[c(1, 3, 5)]))
  expect_identical(dimnames(variance(x, by, times = 0:2)), list(c("a", "b"), NULL))
  expect_equal(standard_deviation(x), sqrt(variance(x)))
  expect_true(is.na(c(evaluate(variance(x[1]), 1))))
  dated <- pcf(as.Date("2024-01-01"), as.list(1:3))
  expect_identical(time_unit(variance(dated)), time_unit(dated))
  expect_identical(variance(x, weights = c(1, 1, 0, 0, 0, 0)), variance(x[1:2]))
  expect_identical(value_name(standard_deviation(`value_name<-`(x, value = "weight"))), "weight")
})

test_that("standard deviations of very large and very small values keep their digits", {
  for (size in c(1e200, 1e-200, 1e300, 1e-300)) {
    steps <- pcf(0:1, list(c(size, 0), c(-size, 0)))
    expect_equal(c(evaluate(standard_deviation(steps), 0)) / size, sqrt(2))
    expect_equal(c(evaluate(standard_deviation(steps, weights = c(1, 3)), 0)) / size, sqrt(2))
    expect_equal(c(standard_deviation(as_plf(steps), times = 0)) / size, sqrt(2))
  }
  expect_objection(variance(pcf(0:1, list(c(1e200, 0), c(-1e200, 0)))), "x",
                   "has values whose variance is too large for a double. Use standard_deviation().")
  expect_objection(variance(plf(0:1, list(c(1e200, 0), c(-1e200, 0))), times = 0), "x", "has values whose variance")
})

test_that("what has no variance is an error", {
  x <- random_pcf(3)
  expect_objection(variance(plf(0:1, 0:1)), "times", "is needed for piecewise linear functions")
  expect_objection(variance(x[0]), "x", "must have at least one function")
  expect_objection(variance(x, weights = c(1, -1, 1)), "weights", "must be at least 0")
})
