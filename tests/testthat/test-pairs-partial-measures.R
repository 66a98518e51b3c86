# Norms and integrals of functions that are known only in part.

partial <- random_partial_pcf(60)
measure_windows <- list(c(-5, 12), c(0, 3), c(1.5, 1.75), c(-20, 30))

test_that("integrals and norms run over what is observed", {
  for (p in list("integral", 1, 2, 1.5, 7.3, Inf)) {
    for (window in measure_windows) {
      for (missing in c("overlap", "mean")) {
        expected <- vapply(unclass(partial), measure_oracle, 0, p, window[1], window[2], missing, USE.NAMES = FALSE)
        actual <- measure_of(partial, p, window[1], window[2], missing = missing)
        expect_false(any(is.nan(actual)))
        scale <- abs(expected) + lp_norm(partial, 1, window[1], window[2], "overlap")
        expect_near(actual, expected, 1e-12, scale, paste(p, missing))
      }
    }
  }
})

test_that("values from the start of time give infinite results", {
  f <- pcf(list(c(-Inf, 0), c(-Inf, 0), c(-Inf, 0), c(-Inf, 0, 1), -Inf, c(-Inf, 2)),
           list(c(1, 0), c(-1, 0), c(0, 3), c(-2, 5, 0), 4, c(-1, 1)))
  expect_identical(integral(f, to = 1), c(Inf, -Inf, 3, -Inf, Inf, -Inf))
  expect_warning(
    expect_identical(integral(f), c(Inf, -Inf, Inf, -Inf, Inf, NaN)),
    class = "pcfdist_warning_infinite"
  )
  for (p in c(1, 2, 1.5)) expect_identical(lp_norm(f, p, to = 1)[-3], rep(Inf, 5))
  expect_identical(lp_norm(f, Inf), c(1, 1, 3, 5, 4, 1))
  expect_identical(lp_norm(f, Inf, to = -7), c(1, 1, 0, 2, 4, 1))
  expect_identical(integral(f, -3, 3), c(3, -3, 9, -1, 24, -4))
  long <- rbind(c(-Inf, -1), unclass(random_long(20000, 1))[[1]])
  long <- pcf(long[, 1], long[, 2])
  expect_identical(integral(long), NaN)
  infinite <- "pcfdist_warning_infinite"
  expect_warning(expect_identical(integral(long, to = 5e3), -Inf), class = infinite)
  expect_warning(expect_identical(lp_norm(long, 2), Inf), class = infinite)
})

test_that("functions that are observed on the same stretches are compared as they are", {
  times <- c(-Inf, 0, 2, 3, 7)
  x <- pcf(times, list(c(NA, 1, NA, 2, NA), c(NA, -1, NA, 5, NA)))
  expect_identical(integral(x), c(10, 18))
  expect_identical(lp_norm(x, 1, 1, 4), c(3, 6))
  expect_identical(lp_norm(x, missing = "mean"), c(10, 22) / 6)
  expect_identical(lp_norm(x, 2, missing = "mean"), sqrt(c(2 + 16, 2 + 100) / 6))
  expect_identical(integral(x, from = 9, missing = "overlap"), c(NA_real_, NA_real_))
  # Complete functions have a mean, too.
  expect_identical(integral(pcf(0, 3), 0, 4, missing = "mean"), 3)
})

test_that("means over the same stretches keep their digits, however short or light these are", {
  from_0 <- function(times, values) {
    pcf(lapply(times, function(t) c(-Inf, 0, t, 1e300)), lapply(values, function(v) c(NA, v, 0)))
  }
  flat <- from_0(list(NULL, NULL), list(1, 3))
  steps <- from_0(list(c(2e-105, 5e-105), 1e-105), list(c(1, 2, 1), 3:4))
  ended <- pcf(rep(list(c(-Inf, 1, 2)), 2), list(c(NA, 1, NA), c(NA, 3, NA)))
  light <- pcf(c(0, 1), c(1e200, 1e-200))
  for (kernel in kernels) with_settings(kernel = kernel, {
    for (p in c(1, 2, 1.7)) {
      expect_near(pdist(flat, p, to = 1e-200, missing = "mean"), 2, label = kernel)
      expect_near(pdist(ended, p, missing = "mean", weight = light), 2, label = kernel)
    }
    expect_near(pdist(steps, to = 7e-105, missing = "mean"), 17 / 7, label = kernel)
  })
})

test_that("what is not observed is not guessed", {
  x <- pcf(list(a = c(0, 5), b = c(0, 3, 4)), list(c(1, 0), c(1, NA, 0)))
  expect_refusal(integral(x), "missing", observed_apart('1 ("a")', "3, 4", '2 ("b")'))
  expect_refusal(lp_norm(x, 2, to = 6), "missing", observed_apart('1 ("a")', "3, 4", '2 ("b")'))
  for (mean in expression(lp_norm(x, missing = "mean"), integral(x, 0, missing = "mean"))) {
    expect_refusal(eval(mean), "to", endless_mean, 'function 1 ("a") keeps its last value', gives_end(5))
  }
  expect_refusal(integral(x, to = 9, missing = "mean"), "from", endless_mean, 'function 1 ("a") has values from -Inf ',
                 "on. Set a finite `from`, such as the first breakpoint: `from = 0`.")
  line <- as_plf(pcf(c(0, 4), c(1, 0)))
  expect_refusal(lp_norm(line, missing = "mean"), "to", endless_mean, "the function keeps its last value", gives_end(4))
  before <- pcf(c(-Inf, 5), c(1, NA))
  for (begun in list(before, as_plf(before))) {
    expect_refusal(lp_norm(begun, missing = "mean"), "from", endless_mean, "the function has values from -Inf on. ",
                   "Set a finite `from`, such as the first breakpoint: `from = 5`.")
  }
  refused(integral(x, missing = "omit"), "missing", 'must be one of "error", "overlap", "mean", not "omit".')
  expect_identical(lp_norm(x, to = 3), c(a = 3, b = 3))
  expect_identical(lp_norm(x, Inf, missing = "mean"), c(a = 1, b = 1))
  expect_identical(lp_norm(x[1]), c(a = 5))
})
