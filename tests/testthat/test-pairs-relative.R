relative_difference <- function(a, b) {
  larger <- pmax(abs(a), abs(b))
  ifelse(larger == 0, 0, abs(a - b) / larger)
}

relative <- function(x, y = x, ...) unname(cdist(x, y, distance = "relative", ...))

test_apart("the relative distance is exact in all functions that take it", {
  expect_distance("relative", relative_difference)
})

test_that("the relative distance is a metric that knows no unit of values", {
  for (seed in 1:3) {
    x <- clipped(c(random_pcf(15, seed = seed), tied_pcf(15, seed = seed)), -5, 12)
    for (kernel in kernels) {
      d <- with_settings(relative(x), kernel = kernel)
      expect_identical(d, t(d))
      expect_identical(diag(d), numeric(length(x)))
      expect_true(all(d >= 0 & d <= 2 * 17))
      for (k in seq_along(x)) expect_true(all(d <= outer(d[, k], d[k, ], "+") * (1 + 1e-14)))
      for (factor in c(2^-900, -1, 2^900)) {
        expect_identical(with_settings(relative(factor * x), kernel = kernel), d)
      }
    }
  }
})

# Constants on [0, 1), which are 0 before and after.
constants <- function(values) pcf(rep(list(c(0, 1)), length(values)), lapply(values, c, 0))

test_that("relative differences neither overflow nor vanish, whatever is beside them", {
  huge <- .Machine$double.xmax
  least <- 5e-324
  values <- c(0, least, -2 * least, 1e-310, 1, 1.5, huge / 4, -huge / 8)
  wanted <- outer(values, values, relative_difference)
  x <- constants(values)
  for (kernel in kernels) {
    for (precision in c("double", "single")) {
      with_settings(expect_near(relative(x, precision = precision), wanted), kernel = kernel)
    }
  }
  x <- constants(c(huge, -huge, huge / 2, 1))
  wanted <- rbind(c(0, 2, 0.5, 1), c(2, 0, 1.5, 1), c(0.5, 1.5, 0, 1), c(1, 1, 1, 0))
  for (kernel in kernels) with_settings(expect_near(relative(x), wanted), kernel = kernel)
})

test_that("relative means over overlaps that vanish beside the times are right", {
  brief <- function(value) pcf(c(-Inf, 0, 1e-290, 1e10), c(NA, value, NA, 1))
  late <- function(value) pcf(c(-Inf, 0, 1e-290), c(NA, value, NA))
  huge <- .Machine$double.xmax
  x <- c(brief(huge), brief(3))
  y <- c(late(-huge), late(4))
  expect_near(relative(x, y, to = 1e11, missing = "mean"), rbind(c(2, 1), c(1, 0.25)))
})

test_that("relative distances are infinite where functions differ for ever", {
  x <- c(pcf(0, 1), pcf(0, 1), pcf(0, 2))
  expect_identical(maybe_infinite(relative(x)), rbind(c(0, 0, Inf), c(0, 0, Inf), c(Inf, Inf, 0)))
})

test_that("relative distances come out of jobs and files as they are in memory", {
  skip_if_not_installed("future")
  x <- many_functions(300, 4)
  d <- pdist(x, distance = "relative", to = 5)
  file <- new_file()
  stored <- with_jobs(pdist(x, distance = "relative", to = 5, file = file, jobs = 2))
  expect_identical(bits_of(stored), bits_of(d))
  expect_identical(attr(stored, "method"), "relative")
  expect_null(attr(stored, "p"))
  expect_true("Operation: relative" %in% readLines(paste0(file, ".dcf")))
  expect_error(pdist(x, to = 5, file = file), "Operation: relative", class = "pcfdist_error_file")
})

test_that("the relative distance has no exponent", {
  x <- random_pcf(3)
  for (call in taking_distance) {
    for (p in 1:2) {
      refused(call(x, p = p, distance = "relative"), "p",
              "must not be given: `distance = \"relative\"` has no exponent.")
    }
  }
  expect_s3_class(permutation_test(x, c(1, 1, 2), to = 3, n = 9, distance = "relative"), "htest")
})

# Of the differences of values next to the largest double, half is left where a quarter is taken.
test_that("values of any size keep their digits, or cannot be compared", {
  huge <- pcf(list(0:1, 0:1), list(c(1.5e308, 0), c(-1e308, 0)))
  expect_equal(as.vector(pdist(huge, distance = "relative")), 5 / 3)
  small <- function(v) c(huge, pcf(list(0:1, 0:1), list(c(3 * v, 0), c(2 * v, 0))))
  expect_equal(pdist(small(2^-1020), distance = "relative")[6], 1 / 3)
  expect_equal(pdist(small(2^-1074)[3:4], distance = "relative")[1], 1 / 3)
  for (v in 2^-c(1022, 1074)) {
    expect_refusal(pdist(small(v), distance = "relative"), "argument", "relative distances would lose digits, since ",
                   "the largest value is 1.5e+308 and others are below 8.9e-308: compute them separately")
  }
})
