# Weighted integrals.

weights <- list(
  steps = pcf(c(-1, 0.5, 2, 4, 7), c(2, 0, 0.3, 5, 0)),
  from_the_start = pcf(c(-Inf, 1, 6), c(0.5, 2, 0)),
  for_ever = pcf(c(0, 3), c(0.7, 1.5))
)

expect_weighted <- function(x, p, weight, from = -Inf, to = Inf, missing = "overlap",
                            tolerance = 1e-13, ..., label = "the result") {
  w <- unclass(weight)[[1]]
  expected <- oracle_matrix(x, p = p, from = from, to = to, missing = missing, weight = w)
  scale <- scale_of(expected, x, p = p, from = from, to = to, missing = missing, weight = w)
  if (tolerance > 1e-9) scale <- pmax(scale, max(scale[is.finite(scale)], 0))
  got <- full_matrix(x, x, p, from = from, to = to, missing = missing, weight = weight, ...)
  expect_near(got, expected, tolerance, scale, label)
}

test_that("weighted distances are exact", {
  x <- c(random_pcf(6, seed = 2), tied_pcf(5, seed = 2))
  for (name in names(weights)) {
    for (p in operations) {
      label <- paste("operation", p, "weight", name)
      expect_weighted(x, p, weights[[name]], tolerance = 1e-12, label = label)
      expect_weighted(x, p, weights[[name]], -0.7, 5.3, tolerance = 1e-12, label = label)
      expect_weighted(x, p, weights[[name]], -0.7, 5.3, tolerance = 1e-5,
                      precision = "single", label = label)
    }
  }
})

test_that("weighted distances of functions known in part are exact", {
  x <- random_partial_pcf(16, seed = 5)
  for (name in names(weights)) {
    for (p in operations) {
      for (kernel in kernels) {
        label <- paste(kernel, "operation", p, "weight", name)
        with_settings(
          {
            expect_weighted(x, p, weights[[name]], tolerance = 1e-12, label = label)
            expect_weighted(x, p, weights[[name]], -0.7, 5.3, "mean", 1e-12, label = label)
          },
          kernel = kernel
        )
      }
    }
  }
})

test_that("a constant weight scales, and a weight of 1 changes nothing", {
  x <- tied_pcf(9)
  one <- pcf(-Inf, 1)
  for (p in c(1, 2, 1.5, Inf)) {
    d <- pdist(x, p, from = -5, to = 9)
    expect_identical(as.vector(pdist(x, p, from = -5, to = 9, weight = one)), as.vector(d))
    expect_near(pdist(x, p, from = -5, to = 9, weight = pcf(-Inf, 3)), d * 3^(1 / p))
  }
  expect_identical(as.vector(pdist(x, weight = one)), as.vector(pdist(x)))
})

absolute_scale <- function(x, p) {
  if (!identical(p, "inner")) return(half_matrix(x, p, from = 2, to = 5))
  l2_kernel(absolute(x), from = 2, to = 5)
}

test_that("where a weight is 0, functions may be anything", {
  window <- pcf(c(2, 5), c(1, 0))
  x <- random_pcf(9)
  for (p in operations) {
    expect_near(half_matrix(x, p, weight = window), half_matrix(x, p, from = 2, to = 5), 1e-12,
                absolute_scale(x, p))
  }
  y <- pcf(list(c(0, 5.5), c(-Inf, 1)), list(c(1, NA), c(NA, 3)))
  expect_identical(as.vector(pdist(y, weight = window)), 6)
  for (missing in c("error", "overlap", "mean")) {
    none <- pdist(y, from = 6, weight = window, missing = missing)
    expect_identical(as.vector(none), 0)
  }
})

test_that("weights far from 0 keep their digits", {
  x <- map_pcf(tied_pcf(6), times = function(t) 1e9 + t)
  w <- pcf(1e9 + c(-4, 3), c(1, 0))
  expect_near(pdist(x, weight = w), pdist(x, from = 1e9 - 4, to = 1e9 + 3), 1e-15)
})

test_that("shapes stay, and pairs go together", {
  x <- array(random_pcf(6), c(2, 3))
  w <- pcf(c(0, 2), c(1, 0))
  expect_identical(dim(cdist(x, x[1, ], weight = w)), c(2L, 3L, 3L))
  d <- lp_distance(x, x[1, 1], weight = w)
  expect_identical(dim(d), c(2L, 3L))
  expect_identical(as.vector(d), as.vector(cdist(x, x[1, 1], weight = w)))
  expect_s3_class(pdist(x[, 1], weight = w), "dist")
  expect_length(pdist(x[0], weight = w), 0)
})

test_that("weights go with functions that have a unit of time", {
  day <- as.Date("2024-03-01")
  x <- pcf(list(day + c(0, 4), day + c(0, 2)), list(c(1, 0), c(3, 0)))
  w <- pcf(day + c(1, 3), c(2, 0))
  expect_identical(as.vector(pdist(x, weight = w)), 6)
  expect_identical(as.vector(pdist(x, to = day + 2, weight = w)), 4)
  hours <- pcf(as.POSIXct(day + c(1, 3)), c(2, 0))
  expect_identical(as.vector(pdist(x, weight = hours)), 6)
  expect_identical(as.vector(pdist(x, weight = pcf(-Inf, 1))), as.vector(pdist(x)))
  expect_error(pdist(x, weight = pcf(0, 1)), class = "pcfdist_error_weight")
})

test_that("norms and integrals have weights, too", {
  w <- pcf(c(0, 1, 2.5, 4), c(1, 0.25, 3, 0))
  x <- random_pcf(20, 8, seed = 6)
  for (p in c(1, 2, 3.5, Inf)) {
    expect_near(lp_norm(x, p, weight = w), as.vector(cdist(x, pcf(0, 0), p, weight = w)), 1e-13)
  }
  expect_near(integral(x, weight = w), integral(x * w), 1e-12, integral(abs(x) * w) + 1e-300)
  expect_near(integral(x, 0.5, 3, weight = w), integral(x * w, 0.5, 3), 1e-12,
              integral(abs(x) * w, 0.5, 3) + 1e-300)
  f <- pcf(list(a = c(0, 2, 3), b = c(0, 3)), list(c(1, NA, 1), c(1, 2)))
  w <- pcf(c(0, 1, 5), c(1, 2, 0))
  expect_identical(integral(f, weight = w, missing = "overlap"), c(a = 7, b = 13))
  expect_identical(integral(f, weight = w, missing = "mean"), c(a = 1, b = 13 / 9))
  expect_identical(integral(f, weight = pcf(c(0, 2), 1:0)), c(a = 2, b = 2))
  error <- expect_error(integral(f, weight = w), class = "pcfdist_error_missing")
  expect_identical(c(error$from, error$to), c(2, 3))
  expect_error(lp_norm(f, weight = pcf(0, -1)), class = "pcfdist_error_weight")
})

test_that("errors of weights name what is wrong", {
  x <- random_pcf(3)
  f <- pcf(list(a = c(0, 2, 3), b = c(0, 3)), list(c(1, NA, 1), c(1, 2)))
  expect_refusal(pdist(x, weight = 1), "weight", "`weight` must be a <pcf>, not 1. ", makes_pcf)
  expect_refusal(pdist(x, weight = x), "weight", "`weight` must be one function, not 3.")
  expect_refusal(pdist(x, weight = pcf(c(0, 2, 3), c(1, -1, 0))), "weight",
                 "`weight` must be observed and not negative in the window, and is -1 from 2 on.")
  expect_refusal(cdist(x, x, weight = pcf(c(0, 2, 3), c(1, NA, 0))), "weight",
                 "`weight` must be observed and not negative in the window, and is NA from 2 on.")
  expect_refusal(l2_kernel(x, weight = pcf(c(0, 1e300), c(1e300, 0))), "weight",
                 "`weight` has an integral beyond the largest double.")
  expect_refusal(pdist(f, weight = pcf(c(1, 5), c(2, 0))), "missing",
                 differently_observed,
                 'function 2 ("b") is on [2, 3), and function 1 ("a") is not. Choose a window where all are, with ',
                 '`from =` and `to =`, or say what counts: `missing = "overlap"` or `missing = "mean"`.')
  expect_refusal(pdist(f, missing = "mean", weight = pcf(1, 2)), "missing",
                 endless_mean, 'function 1 ("a")', hold_for_ever(3))
  expect_silent(pdist(x, from = 0, to = 2, weight = pcf(c(0, 2, 3), c(1, -1, 0))))
})
