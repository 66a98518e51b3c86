# The matrix, without the distances of functions from themselves where there is no y. All numbers are
# of one method: which is the fastest depends on how many pairs there are.
pairs_of <- function(x, y, ...) {
  d <- maybe_infinite(with_settings(full_matrix(x, if (is.null(y)) x else y, ...), kernel = "sweep"))
  if (is.null(y)) diag(d) <- NA
  d
}

row_by_row <- function(d, f) vapply(seq_len(nrow(d)), function(i) f(d[i, ]), 0)

known <- function(f) function(d) if (all(is.na(d))) NA_real_ else f(d)

first_extreme <- function(far) function(d) order(if (far) -d else d, na.last = NA)[1]

expect_reduced <- function(x, y, ..., label = "") {
  d <- pairs_of(x, y, ...)
  actual <- function(with, ...) {
    maybe_infinite(with_settings(reduce_distances(x, y, with, ...), kernel = "sweep"))
  }
  expect_identical(actual("min", ...), row_by_row(d, known(function(d) min(d, na.rm = TRUE))),
                   label = paste("min", label))
  expect_identical(actual("max", ...), row_by_row(d, known(function(d) max(d, na.rm = TRUE))),
                   label = paste("max", label))
  expect_identical(as.double(actual("which.min", ...)), row_by_row(d, first_extreme(FALSE)),
                   label = paste("which.min", label))
  expect_identical(as.double(actual("which.max", ...)), row_by_row(d, first_extreme(TRUE)),
                   label = paste("which.max", label))
  radius <- stats::median(d, na.rm = TRUE)
  expect_identical(actual("count", radius = radius, ...),
                   as.double(rowSums(d <= radius, na.rm = TRUE)), label = paste("count", label))
}

test_that("numbers are those of the rows of the matrix", {
  for (p in c(1, 2, 1.7, Inf)) {
    for (seed in 1:4) {
      x <- unname(random_pcf(with_seed(seed, sample(2:30, 1)), 9, seed))
      y <- if (seed %% 2) unname(random_pcf(7, 9, seed + 100))
      expect_reduced(x, y, p = p, to = 9, label = paste("p", p, "seed", seed))
      expect_reduced(x, y, p = p, from = 0.3, to = 2, precision = "single")
      expect_reduced(x, y, p = p, from = 0, to = 3, missing = "mean")
    }
  }
})

test_that("ties go to the smaller index, at both ends", {
  x <- unname(pcf(as.list(rep(0, 30)), as.list(with_seed(1, sample(1:4, 30, replace = TRUE)))))
  expect_reduced(x, NULL, to = 1)
  expect_reduced(x, x, to = 1)
  expect_identical(reduce_distances(rep(x[1], 3), with = "which.max"), c(2L, 1L, 1L))
})

test_that("infinite distances are the largest", {
  x <- unname(pcf(list(0, c(0, 1), c(0, 2), 0), list(1, c(2, 1), c(5, 0), 0)))
  expect_reduced(x, NULL)
  expect_reduced(x, x)
  expect_warning(reduce_distances(x, with = "max"), "All 4 largest distances are infinite")
  expect_warning(reduce_distances(x[1], x[4], "min"), class = "pcfdist_warning_infinite")
  expect_warning(reduce_distances(x[1], x[4], "logsumexp", scale = 1),
                 class = "pcfdist_warning_infinite")
  expect_no_warning(reduce_distances(x, with = "min"))
  many <- pcf(rep(list(c(0, 0.5)), 70), lapply(1:70, function(i) c(0.1, i / 1e4)))
  for (precision in c("double", "single")) {
    far <- maybe_infinite(reduce_distances(many, with = "which.max", precision = precision))
    expect_identical(far, rep(2:1, c(1, 69)), label = precision)
  }
})

test_apart("pairs without a distance count for nothing", {
  x <- unname(random_partial_pcf(24, seed = 4))
  for (missing in c("overlap", "mean")) {
    expect_true(anyNA(pairs_of(x, NULL, from = 0, to = 4, missing = missing)[-c(8, 16, 24), ]))
    expect_reduced(x, NULL, from = 0, to = 4, missing = missing, label = missing)
    expect_reduced(x[1:9], x, from = 0, to = 4, missing = missing, label = missing)
  }
  sums <- reduce_distances(x, x, "logsumexp", scale = 1, from = 0, to = 4, missing = "overlap")
  d <- cdist(x, x, from = 0, to = 4, missing = "overlap")
  expect_equal(sums, log(rowSums(exp(-d))))
  expect_true(anyNA(sums))
})

test_that("log sums are those of the matrix, where it has any digits", {
  x <- unname(random_pcf(30, 9))
  y <- unname(random_pcf(12, 9, 2))
  for (p in c(1, 2)) {
    for (block in c(0, 7)) {
      d <- cdist(x, y, p, to = 9)
      log_sums <- function(...) {
        with_settings(reduce_distances(..., with = "logsumexp", p = p, to = 9), block = block)
      }
      expect_equal(log_sums(x, y, scale = 2), log(rowSums(exp(-d / 2))))
      expect_equal(log_sums(x, y, scale = 0.5, power = 2), log(rowSums(exp(-d^2 / 0.5))))
      d <- cdist(x, x, p, to = 9)
      diag(d) <- Inf
      expect_equal(log_sums(x, scale = 3), log(rowSums(exp(-d / 3))))
      diag(d) <- NA
      smallest <- apply(d, 1, min, na.rm = TRUE)
      expect_equal(-1e-9 * log_sums(x, scale = 1e-9), smallest, tolerance = 1e-8)
    }
  }
  expect_equal(
    reduce_distances(x, y, "logsumexp", scale = 8, power = 2, p = 2, to = 9),
    log(kernel_product(x, rep(1, 12), y, "gaussian", 2, to = 9))
  )
})

test_that("log sums keep the digits of a single small distance, and of powers beyond doubles", {
  of_values <- function(values) pcf(rep(list(c(0, 1)), length(values)), lapply(values, c, 0))
  expect_identical(reduce_distances(of_values(c(0, 1e-10)), with = "logsumexp", scale = 1), rep(-1e-10, 2))
  beside <- reduce_distances(of_values(c(0, 1e-10, 1e3)), with = "logsumexp", scale = 1)
  expect_identical(beside[1:2], rep(-1e-10, 2))
  three <- reduce_distances(of_values(c(0, 1, 2)), with = "logsumexp", scale = 1e10)
  expect_equal(three, log(2) - c(1.5e-10, 1e-10, 1.5e-10), tolerance = 1e-15)
  far <- function(d, scale) reduce_distances(of_values(c(0, d)), with = "logsumexp", power = 2, scale = scale)
  expect_equal(far(1e200, 1e300), rep(-1e100, 2))
  expect_equal(far(1.1 * 2^-530, 2^-1060), rep(-1.21, 2))
})

test_that("numbers have the names and dimensions of the functions", {
  x <- example_pcf()
  for (with in c("min", "max", "which.min", "which.max")) {
    expect_named(reduce_distances(x, with = with, to = 6), c("a", "b"))
  }
  expect_identical(reduce_distances(x, with = "which.min", to = 6), c(a = 2L, b = 1L))
  expect_named(reduce_distances(x, with = "count", radius = 1, to = 6), c("a", "b"))
  expect_named(reduce_distances(x, with = "logsumexp", scale = 1, to = 6), c("a", "b"))
  array <- structure(rep(unname(x), 2), dim = c(2L, 2L))
  expect_identical(reduce_distances(array, to = 6), matrix(0, 2, 2))
  expect_identical(reduce_distances(array, x, "which.max", to = 6), matrix(2:1, 2, 2))
})

test_that("without pairs there is no smallest distance", {
  x <- example_pcf()
  for (missing in c("error", "mean")) {
    alone <- function(...) reduce_distances(..., from = 0, to = 6, missing = missing)
    expect_identical(alone(x["a"]), c(a = NA_real_))
    expect_identical(alone(x["a"], with = "which.max"), c(a = NA_integer_))
    expect_identical(alone(x["a"], with = "count", radius = 1), c(a = 0))
    expect_identical(alone(x["a"], with = "logsumexp", scale = 1), c(a = -Inf))
    expect_identical(alone(x, x[0]), c(a = NA_real_, b = NA_real_))
    expect_identical(alone(x, x[0], "count", 1), c(a = 0, b = 0))
    expect_identical(alone(x, x[0], "logsumexp", scale = 1), c(a = -Inf, b = -Inf))
    expect_identical(unname(alone(x[0], x)), double())
    expect_identical(unname(alone(x[0], with = "which.min")), integer())
    expect_identical(unname(alone(x[0], with = "logsumexp", scale = 1)), double())
  }
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  gap <- c(x, pcf(c(-Inf, 1), c(NA, 2)))
  refused(reduce_distances(1), "x", "must be a <pcf>, not 1. ", makes_pcf)
  refused(reduce_distances(x, 1), "y", "must be a <pcf>, not 1. ", makes_pcf)
  refused(reduce_distances(x, with = "sum"), "with",
          'must be one of "min", "which.min", "max", "which.max", "count", "logsumexp", not "sum".')
  refused(reduce_distances(x, with = "count"), "radius", "is missing: it must be a number of at least 0.")
  refused(reduce_distances(x, with = "count", radius = -1), "radius", "must be at least 0, not -1.")
  refused(reduce_distances(x, radius = 1), "radius", 'must not be given for `with = "min"`.')
  refused(reduce_distances(x, with = "count", radius = 1, scale = 1), "scale",
          'must not be given for `with = "count"`.')
  refused(reduce_distances(x, with = "logsumexp"), "scale",
          "is missing: it must be a positive number, by which distances are divided.")
  refused(reduce_distances(x, with = "logsumexp", scale = 0), "scale", "must be positive and finite, not 0.")
  refused(reduce_distances(x, with = "logsumexp", scale = 1, power = -1), "power",
          "must be positive and finite, not -1.")
  refused(reduce_distances(x, p = 0.5), "p", "must be a number of at least 1, or Inf, not 0.5.")
  expect_refusal(reduce_distances(gap, with = "logsumexp", scale = 1), "missing",
                 observed_apart('1 ("a")', "-Inf, 1", "3", begun_at_zero))
  expect_refusal(reduce_distances(x, gap, with = "logsumexp", scale = 1), "missing",
                 observed_apart('1 ("a") of `x`', "-Inf, 1", "3 of `y`", begun_at_zero))
  expect_refusal(reduce_distances(gap, with = "logsumexp", scale = 1, missing = "mean"), "missing",
                 endless_mean, 'function 1 ("a")', hold_for_ever(5))
})
