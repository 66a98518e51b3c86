# Rolling means, compared with integrals over single windows.

# The means at some times; NA where the window is not observed throughout, up to rounding.
mean_by_windows <- function(x, before, after, times) {
  unname(vapply(times, function(t) {
    window <- c(t - before, t + after)
    share <- integral(observed(x), window[1], window[2]) / diff(window)
    means <- integral(x, window[1], window[2], "mean")
    replace(means, share < 1 - 1e-9, NA)
  }, numeric(length(x))))
}

lags <- function(width, align) {
  before <- width * c(right = 1, center = 0.5, left = 0)[[align]]
  list(before = before, after = width - before)
}

test_that("rolling means of step functions are those over single windows", {
  for (x in list(random_pcf(20), random_partial_pcf(24))) {
    for (width in c(0.3, 1, 7)) for (align in c("right", "center", "left")) {
      lag <- lags(width, align)
      times <- with_seed(1, c(runif(40, -6, 16), -6:16 + 1 / 3)) # not at breakpoints
      rolled <- rolling_mean(x, width, align)
      wanted <- mean_by_windows(x, lag$before, lag$after, times)
      expect_equal(unname(evaluate(rolled, times)), wanted, tolerance = 1e-12)
      expect_equal(unname(rolling_mean(x, width, align, times)), wanted, tolerance = 1e-12)
      expect_identical(is.na(unname(rolling_mean(x, width, align, times))), is.na(wanted))
      expect_identical(is.na(unname(evaluate(rolled, times))), is.na(wanted))
    }
  }
})

test_that("windows that reach and leave breakpoints at once are exact", {
  for (seed in 1:40) {
    scale <- c(1, 0.1, 1 / 3, 1e-3)[seed %% 4 + 1]
    x <- with_seed(seed, {
      time <- sort(sample(-5:15, sample(12, 1))) * scale
      pcf(c(-Inf, time), c(sample(c(0, 2, NA), 1), sample(c(-2:3, NA), length(time), TRUE)))
    })
    width <- (seed %% 6 + 1) * scale
    align <- c("right", "center", "left")[seed %% 3 + 1]
    rolled <- rolling_mean(x, width, align)
    times <- (seq(-12, 25, 0.25) + 0.1) * scale
    expect_equal(c(evaluate(rolled, times)), c(rolling_mean(x, width, align, times)), tolerance = 1e-11)
    f <- unclass(rolled)[[1]]
    expect_lte(nrow(f), 2 * nrow(unclass(x)[[1]]))
    at <- c(rolling_mean(x, width, align, f[, "time"]))
    known <- ifelse(is.na(f[, "value"]), f[, "left"], f[, "value"])
    both <- !is.na(at) & !is.na(known)
    expect_equal(unname(known[both]), at[both], tolerance = 1e-11)
  }
})

test_that("rolling means of lines are those over single windows, at given times", {
  x <- c(random_plf(12, gaps = 0.2), random_plf(6, whole = FALSE))
  times <- with_seed(2, runif(40, -6, 16))
  for (align in c("right", "center", "left")) {
    lag <- lags(2, align)
    expect_equal(unname(rolling_mean(x, 2, align, times)), mean_by_windows(x, lag$before, lag$after, times),
                 tolerance = 1e-12)
  }
  part <- rolling_mean(x, 2, times = times, na.rm = TRUE)
  wanted <- vapply(times, function(t) integral(x, t - 2, t, "mean"), numeric(length(x)))
  expect_equal(unname(part), unname(wanted), tolerance = 1e-12)
})

test_that("measurements have a mean from one width after the first up to the last", {
  x <- as_pcf(data.frame(hour = 0:12, value = c(40, 38, 35, 30, 42, 60, 75, 80, 78, 90, 84, 70, 66)))
  last <- rolling_mean(x, 8)
  expect_identical(c(evaluate(last, c(7.9, 8, 12, 12.1))), c(NA, 50, 72.375, NA))
  expect_identical(start(last), 8)
  expect_identical(end(last), 12)
  tenths <- as_pcf(data.frame(time = 0:30 * 0.1, value = rep(1:2, length.out = 31)))
  expect_identical(unname(breakpoints_of(rolling_mean(tenths, 0.2))), 30) # times that are the same are one
  expect_equal(c(evaluate(rolling_mean(tenths, 0.2), 4:30 * 0.1)), rep(1.5, 27))
  expect_identical(c(rolling_mean(tenths, 0.3, times = c(0.3, 0.1 * 3))) > 0, c(TRUE, TRUE))
})

test_that("constant stretches are exact, and errors do not accumulate", {
  x <- pcf(c(0, 1 / 3, 10), c(0.1, 1e15, 0.7))
  rolled <- rolling_mean(x, 1)
  expect_identical(c(evaluate(rolled, c(-1, 11, 20))), c(0, 0.7, 0.7))
  long <- with_seed(3, pcf(cumsum(runif(1e4)), rnorm(1e4)))
  times <- with_seed(4, runif(50, 0, 5000))
  expect_equal(c(evaluate(rolling_mean(long, 3), times)), c(rolling_mean(long, 3, times = times)), tolerance = 1e-12)
  tall <- pcf(c(0, 1, 2), c(1e300, 1, 0))
  expect_equal(c(evaluate(rolling_mean(tall, 0.5), c(0.25, 1.25, 1.75))), c(5e299, 5e299, 1))
  low <- pcf(c(0, 1), c(3e-308, 0))
  expect_equal(evaluate(rolling_mean(low, 1e-3), 5e-4) / 1.5e-308, 1)
})

test_that("shape, unit and missing functions are kept", {
  x <- random_pcf(6)
  names(x) <- letters[1:6]
  time_unit(x) <- "hours"
  rolled <- rolling_mean(x, as.difftime(30, units = "mins"))
  expect_identical(time_unit(rolled), time_unit(x))
  expect_identical(names(rolled), names(x))
  plain <- x
  time_unit(plain) <- NULL
  expect_identical(unname(unclass(rolling_mean(plain, 0.5))[["a"]]), unname(unclass(rolled)[["a"]]))
  dim(plain) <- c(2, 3)
  expect_identical(dim(rolling_mean(plain, 1, times = 1:4)), c(2L, 3L, 4L))
  expect_identical(dim(rolling_mean(plain, 1)), c(2L, 3L))
  x[2] <- NA
  at <- as.difftime(1:2, units = "hours")
  expect_identical(is.na(rolling_mean(x, as.difftime(1, units = "hours"), times = at))[2, ], c(TRUE, TRUE))
  refused(rolling_mean(x, as.difftime(1, units = "hours")), "x", "is invalid: function 2 (\"b\") ", fills_missing)
  expect_identical(rolling_mean(x[0], as.difftime(1, units = "hours")), as_plf(x[0]))
  expect_identical(unclass(rolling_mean(pcf(-Inf, 3), 2))[[1]], unclass(plf(0, 3, left = 3))[[1]])
  expect_true(is.na(evaluate(rolling_mean(pcf(-Inf, NA), 2), 0)))
})

test_that("wrong arguments are errors", {
  x <- random_pcf(3)
  refused(rolling_mean(x), "width", "is missing: the length of the window.")
  refused(rolling_mean(x, 0), "width", "must be a positive number or a difftime, not 0.")
  refused(rolling_mean(x, Inf), "width", "must be a positive number or a difftime, not Inf.")
  refused(rolling_mean(x, NA), "width", "must be a positive number or a difftime, not NA.")
  refused(rolling_mean(x, 1:2), "width", "must be a positive number or a difftime, not an integer vector of length 2.")
  refused(rolling_mean(x, 1, "middle"), "align", 'must be one of "right", "center", "left", not "middle".')
  refused(rolling_mean(as_plf(x), 1), "times",
          "must be given for piecewise linear functions: their rolling means are not.")
  refused(rolling_mean(x, 1, na.rm = TRUE), "na.rm",
          "must be FALSE unless `times` are given: means over a part of the window are not linear.")
  refused(rolling_mean(x, 1, times = c(1, Inf)), "times", "must be finite, not Inf at position 2.")
  time_unit(x) <- "Date"
  refused(rolling_mean(x, 1), "width", "is a plain number, but the functions have dates as times. A difftime is ",
          "needed, such as as.difftime(1, units = \"days\"). ", sets_unit)
})
