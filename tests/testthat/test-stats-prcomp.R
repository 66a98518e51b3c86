# Components of step functions by stats, from values on the grid of all breakpoints.
components_on_grid <- function(x, from, to) {
  times <- sort(unique(c(from, to, unlist(lapply(unclass(x), function(f) f[, 1])))))
  times <- times[times >= from & times <= to]
  values <- evaluate(x, times[-length(times)])
  stats::prcomp(values * rep(sqrt(diff(times)), each = nrow(values)))
}

expect_components <- function(found, expected, rank, tolerance = 1e-10) {
  k <- seq_len(rank)
  expect_near(found$sdev[k], expected$sdev[k], tolerance, expected$sdev[1])
  expect_near(abs(unname(found$x[, k])), abs(unname(expected$x[, k])), tolerance, max(abs(expected$x)))
  expect_near(found$total, sum(expected$sdev^2), tolerance, found$total)
}

test_that("components are those of a grid of all breakpoints, also far from 0", {
  x <- random_pcf(20)
  expected <- components_on_grid(x, -3, 10)
  expect_components(prcomp(x, from = -3, to = 10, rank. = 6), expected, 6)
  far <- components_on_grid(x + pcf(-Inf, 1e6), -3, 10)
  expect_components(prcomp(x + pcf(-Inf, 1e6), from = -3, to = 10, rank. = 6), far, 6)
  expect_near(prcomp(x + pcf(-Inf, 1e6), from = -3, to = 10)$sdev, expected$sdev[1:19], 1e-10, expected$sdev[1])
})

test_that("eigenfunctions are orthonormal and give the scores back, also of new functions", {
  for (x in list(random_pcf(12), random_plf(12))) {
    p <- prcomp(x, from = 0, to = 9, rank. = 4)
    expect_near(unname(l2_kernel(p$rotation, from = 0, to = 9)), diag(4), 1e-12, 1)
    expect_near(predict(p, x), p$x, 1e-11, max(abs(p$x)))
    expect_identical(predict(p), p$x)
    projected <- l2_kernel(x, p$rotation, from = 0, to = 9)
    expect_near(unname(p$x), unname(projected - rep(colMeans(projected), each = 12)), 1e-11, max(abs(p$x)))
    expect_identical(dim(predict(p, x[3:4])), c(2L, 4L))
  }
})

test_that("components of many functions come without the matrix", {
  x <- random_pcf(300, 5)
  whole <- prcomp(x, from = 0, to = 9, rank. = 3)
  found <- eigen_of_products(x, 300, 3, list(from = 0, to = 9))
  expect_near(sqrt(found$values / 299), whole$sdev[1:3], 1e-12, whole$sdev[1])
  expect_near(found$total / 299, whole$total, 1e-12, whole$total)
  expect_true(all(found$residual < 1e-10))
  expect_near(abs(colSums(found$vectors * whole$x) / sqrt(colSums(whole$x^2))), rep(1, 3), 1e-10)
})

test_that("functions with several components, weights and windows", {
  m <- array(random_pcf(20), c(10, 2), list(letters[1:10], c("u", "v")))
  p <- prcomp(m, from = 0, to = 9, margin = 1, rank. = 3)
  expect_identical(dim(p$rotation), c(3L, 2L))
  expect_near(predict(p, m), p$x, 1e-11, max(abs(p$x)))
  both <- c(m[, 1], shift_time(m[, 2], 100))
  joined <- restrict(m[, 1], 0, 9) + shift_time(restrict(m[, 2], 0, 9), 100)
  expect_near(p$sdev, prcomp(joined, from = 0, to = 109)$sdev, 1e-10, p$sdev[1])
  x <- random_pcf(8)
  double <- prcomp(x, from = 0, to = 9, weight = pcf(0, 4))
  expect_equal(double$sdev, 2 * prcomp(x, from = 0, to = 9)$sdev)
})

test_that("methods of the class show what they should", {
  draw_nowhere()
  p <- prcomp(random_pcf(9), from = 0, to = 9, rank. = 2)
  expect_s3_class(p, c("pcf_prcomp", "prcomp"), exact = TRUE)
  importance <- summary(p)$importance
  expect_equal(importance[2, ], round(p$sdev[1:2]^2 / p$total, 5), ignore_attr = TRUE)
  expect_output(print(summary(p)), "Importance of components")
  expect_output(print(p), "of 9 functions from 0 to 9")
  expect_silent(screeplot(p))
  expect_silent(biplot(p))
  expect_silent(biplot(p, times = c(1, 5)))
})

test_that("what has no components is an error", {
  x <- random_pcf(4)
  expect_objection(prcomp(x[1], to = 1), "x", "must have at least two functions")
  expect_objection(prcomp(x, scale. = TRUE), "scale.", "is not supported")
  expect_objection(suppressWarnings(prcomp(x + 1)), "to", "must be finite")
  gap <- pcf(c(-Inf, 3, 4), c(0, NA, 0))
  problem <- expect_objection(prcomp(c(x, gap), from = 0, to = 5), "missing", "not observed on the same stretches")
  expect_no_match(conditionMessage(problem), "overlap")
  expect_identical(prcomp(rep(x[1], 3), from = 0, to = 5)$sdev, c(0, 0))
})

test_that("components of variance 0 have the gaps of the functions, and scores of 0", {
  x <- pcf(c(0, 1, 2), list(c(1, NA, 1), c(2, NA, 2), c(3, NA, 3)))
  for (make in list(identity, as_plf)) {
    p <- prcomp(make(x), from = 0, to = 3)
    expect_equal(predict(p, make(x)), p$x, ignore_attr = TRUE)
    expect_identical(unname(p$x[, "PC2"]), c(0, 0, 0))
    expect_identical(unname(evaluate(p$rotation["PC2"], 0:2)[1, ]), c(0, NA, 0))
  }
  expect_error(predict(prcomp(x, from = 0, to = 3), pcf(0, 1)),
               "Choose a window where all are, with `from =` and `to =`.",
               class = "pcfdist_error_missing")
  expect_error(predict(prcomp(x, from = 0, to = 3), pcf(0, 1)), "the function of `newdata` is observed",
               class = "pcfdist_error_missing")
  flat <- prcomp(pcf(list(0, 0, 0), list(1, 1, 1)), from = 0, to = 2)
  expect_identical(range(flat$x), c(0, 0))
})

test_that("errors of predict() name its arguments", {
  x <- drawn(5, 1)
  daily <- x
  time_unit(daily) <- "days"
  expect_error(predict(prcomp(x), daily), "but `newdata` has time differences", class = "pcfdist_error_object")
})

test_that("scores of new functions follow the margin of components", {
  x <- structure(drawn(12, 1), dim = c(6, 2))
  by_rows <- prcomp(x, margin = 1, to = 1)
  by_columns <- prcomp(t(x), margin = 2, to = 1)
  expect_identical(predict(by_columns, t(x)), predict(by_rows, x))
  expect_equal(predict(by_columns, t(x)), by_columns$x)
})

test_that("values whose squares are no doubles are an error", {
  for (size in c(1e200, 1e-200)) {
    x <- pcf(0:1, list(c(size, 0), c(-size, 0)))
    refused(prcomp(x), "x", "has values up to ", format(size),
            ", whose squares are too large or too small for a double: x / ", format(size), " has not.")
    expect_equal(prcomp(x / size)$sdev, prcomp(pcf(0:1, list(c(1, 0), c(-1, 0))))$sdev)
  }
})
