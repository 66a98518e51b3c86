# Sums, means, extrema and quantiles of functions that are known only in part.

partial <- random_partial_pcf(20)
probes <- c(-Inf, -10, seq(-3, 10, 0.125), 20, Inf)

# What the values of all functions at each time become, by base R.
pointwise <- function(x, reduce, na_rm, weights = rep(1, length(x))) {
  values <- evaluate(x, probes)
  apply(values, 2, function(v) {
    known <- !is.na(v)
    if (na_rm || all(known)) reduce(v[known], weights[known]) else NA_real_
  })
}

reductions <- list(
  sum = function(v, w) sum(w * v),
  mean = function(v, w) if (length(v) > 0) sum(w * v) / sum(w) else NA_real_,
  max = function(v, w) if (length(v) > 0) max(v) else NA_real_,
  min = function(v, w) if (length(v) > 0) min(v) else NA_real_
)

expect_pointwise <- function(actual, expected) {
  values <- as.vector(evaluate(actual, probes))
  testthat::expect_identical(is.na(values), is.na(expected))
  testthat::expect_false(any(is.nan(values)))
  testthat::expect_equal(values, expected, tolerance = 1e-13)
}

# Has it a breakpoint only where it changes, and one at -Inf only if it is not 0 there?
expect_minimal <- function(x) {
  f <- unclass(x)[[1]]
  testthat::expect_false(any(equal_or_missing(f[-nrow(f), 2], f[-1, 2])))
  testthat::expect_false(f[1, 1] == -Inf && f[1, 2] %in% 0)
}

test_that("reductions are NA where any is, or those of what is observed", {
  some <- list(partial, partial[c(1, 2, 3)], partial[c(4, 12)], partial[8], partial[c(2, 6, 10)])
  for (x in some) {
    for (name in names(reductions)) {
      for (na_rm in c(FALSE, TRUE)) {
        actual <- match.fun(name)(x, na.rm = na_rm)
        expect_pointwise(actual, pointwise(x, reductions[[name]], na_rm))
        expect_minimal(actual)
      }
    }
  }
})

test_that("weights are those of the functions that are observed", {
  weights <- seq_along(partial) / 4
  for (name in c("sum", "mean")) {
    for (na_rm in c(FALSE, TRUE)) {
      actual <- match.fun(name)(partial, weights = weights, na.rm = na_rm)
      expect_pointwise(actual, pointwise(partial, reductions[[name]], na_rm, weights))
    }
  }
  expect_identical(
    weighted.mean(partial, weights, na.rm = TRUE), mean(partial, weights = weights, na.rm = TRUE)
  )
  # A function of weight 0 does not count, where it is not observed either.
  x <- c(partial[1], pcf(-Inf, NA))
  expect_true(mean(x, weights = c(2, 0)) == x[1])
})

test_that("means of what is observed are exact", {
  # Whatever the others do, the mean of equal functions is that function.
  x <- rep(pcf(c(0, 1, 2, 3), c(0.1, NA, 0.7, 0)), 3)
  y <- c(x, pcf(c(-Inf, 2), c(NA, 0.7)), pcf(c(0, 1, 2, 3), c(0.1, 0.3, NA, 0)))
  expect_identical(
    mean(y, na.rm = TRUE), pcf(c(0, 1, 2, 3), c(0.1, 0.3, 0.7, mean(c(0, 0, 0, 0.7, 0))))
  )
  expect_identical(sum(rep(y, 1000), na.rm = TRUE, threads = 1),
                   sum(rep(rev(y), 1000), na.rm = TRUE, threads = 3))
  huge <- c(pcf(0:1, c(1e300, NA)), pcf(0:1, c(1, NA)), pcf(0:2, c(-1e300, 5, 0)))
  expect_identical(sum(huge, na.rm = TRUE), pcf(0:2, c(1, 5, 0)))
  expect_identical(sum(huge), pcf(0:1, c(1, NA)))
})

test_that("where none is observed, means and extrema are NA and sums 0", {
  x <- pcf(list(c(0, 1, 2), c(0, 1, 2)), list(c(1, NA, 3), c(2, NA, 1)))
  expect_identical(mean(x, na.rm = TRUE), pcf(0:2, c(1.5, NA, 2)))
  expect_identical(max(x, na.rm = TRUE), pcf(0:2, c(2, NA, 3)))
  expect_identical(min(x, na.rm = TRUE), pcf(0:2, c(1, NA, 1)))
  expect_identical(sum(x, na.rm = TRUE), pcf(0:2, c(3, 0, 4)))
  expect_identical(sum(x), pcf(0:2, c(3, NA, 4)))
  expect_identical(range(x, na.rm = TRUE), c(min(x, na.rm = TRUE), max(x, na.rm = TRUE)))
  expect_identical(mean(pcf(-Inf, NA)), pcf(-Inf, NA))
  expect_identical(sum(pcf(-Inf, NA), na.rm = TRUE), pcf(0, 0))
  expect_identical(max(pcf(c(-Inf, 0), c(-2, 1)), pcf(0, 3)), pcf(0, 3))
  expect_identical(min(pcf(c(-Inf, 0), c(-2, 1)), pcf(0, 3)), pcf(c(-Inf, 0), c(-2, 1)))
})

test_that("margins and groups know gaps", {
  y <- structure(partial[1:12], dim = c(3, 4))
  group <- rep(c("a", "b", "c"), 4)
  for (na_rm in c(FALSE, TRUE)) {
    means <- mean(y, margin = 1, na.rm = na_rm)
    largest <- aggregate(partial[1:12], group, max, na.rm = na_rm)
    for (k in 1:3) {
      expect_identical(means[k], mean(partial[seq(k, 12, 3)], na.rm = na_rm))
      expect_identical(unname(largest[k]), max(partial[seq(k, 12, 3)], na.rm = na_rm))
    }
  }
})

test_that("weights that cancel where functions are observed are an error", {
  x <- pcf(list(0:1, 0:1, 0:1), list(c(1, NA), c(1, 2), c(3, 4)))
  expect_refusal(mean(x, weights = c(1, 1, -1), na.rm = TRUE), "argument", "The weights of the functions that are ",
                 "observed from the time 1 on add up to 0, so that there is no weighted mean.")
  refused(mean(x, weights = c(1, 0, -1)), "weights", "must not add up to 0 for a mean.")
  refused(sum(x, na.rm = NA), "na.rm", "must be TRUE or FALSE, not NA.")
  expect_identical(mean(x, weights = c(1, 1, -1)), pcf(0:1, c(-1, NA)))
})

test_that("quantiles are those of the functions that are observed", {
  probabilities <- c(0, 0.1, 0.5, 0.8, 1)
  for (x in list(partial, partial[c(4, 12)], partial[8], partial[c(1, 8)])) {
    for (na_rm in c(FALSE, TRUE)) {
      actual <- quantile(x, probabilities, na.rm = na_rm)
      for (k in seq_along(probabilities)) {
        expected <- pointwise(x, function(v, w) {
          if (length(v) == 0) NA_real_ else quantile(v, probabilities[k], names = FALSE)
        }, na_rm)
        expect_pointwise(actual[k], expected)
      }
      expect_identical(median(x, na.rm = na_rm), unname(actual[3]))
    }
  }
  start <- c(pcf(c(-Inf, 0), c(1, 0)), pcf(0, 1), pcf(1, 1))
  expect_identical(median(start), pcf(0:1, c(0, 1)))
  expect_identical(quantile(start, 1)[[1]][[1]], pcf(c(-Inf, 0, 1), c(1, 1, 1)))
  expect_error(quantile(start, na.rm = NA), class = "pcfdist_error_na.rm")
})
