# The linear trapezoidal rule up, and the logarithmic one down, of measurements in a window.
area <- function(time, value, from = min(time), to = max(time)) {
  k <- seq_len(length(time) - 1)
  sum(mapply(function(s, e, a, b) {
    falls <- a > b && b > 0
    at <- function(t) if (falls) a * (b / a)^((t - s) / (e - s)) else a + (b - a) * (t - s) / (e - s)
    begin <- max(s, from)
    end <- min(e, to)
    if (begin >= end) return(0)
    first <- at(begin)
    last <- at(end)
    if (falls) (end - begin) * (first - last) / log(first / last) else (end - begin) * (first + last) / 2
  }, time[k], time[k + 1], value[k], value[k + 1]))
}

test_that("linear up and log down is the rule of pharmacokinetics", {
  x <- as_plf(cbind(c(0, 2, 6), c(1, 4, 1)))
  expect_near(integral(x, falling = "log"), 5 + 12 / log(4))
  subjects <- as_plf(Theoph, id = "Subject", time = "Time", value = "conc")
  expected <- vapply(split(Theoph, Theoph$Subject), function(d) area(d$Time, d$conc), 0)
  expect_near(integral(subjects, missing = "overlap", falling = "log"), c(expected)[names(subjects)])
  expected <- vapply(split(Theoph, Theoph$Subject), function(d) area(d$Time, d$conc, 0, 23), 0)
  expect_near(integral(subjects, 0, 23, falling = "log"), c(expected)[names(subjects)])
})

test_that("lines that are level, or touch 0 or less, are straight", {
  for (value in list(c(4, 4, 4), c(4, 0, 0), c(0, 0, 1), c(2, -1, -3), c(-1, -2, -3))) {
    x <- plf(c(0, 1, 3), value)
    expect_identical(integral(x, 0, 3, falling = "log"), integral(x, 0, 3))
    expect_identical(integral(x, 0.5, 2, falling = "log"), integral(x, 0.5, 2))
  }
})

test_that("windows cut the exponential fall at its own value", {
  for (seed in 1:5) with_seed(seed, {
    time <- sort(runif(20, 0, 10))
    value <- rexp(20) * sample(0:1, 20, TRUE, c(1, 5))
    x <- as_plf(cbind(time, value))
    for (from in c(time[1], 3, 3.3)) for (to in c(3.5, 7, time[20])) {
      expect_near(integral(x, from, to, falling = "log"), area(time, value, from, to))
      expect_near(cumulative(x, from, times = to, falling = "log"), area(time, value, from, to))
    }
  })
})

test_that("falls of all sizes keep their digits", {
  fall <- function(a, b) integral(plf(0:1, c(a, b)), 0, 1, falling = "log")
  expect_near(fall(1 + 1e-12, 1), 1 + 5e-13, 1e-15)
  expect_near(fall(1e300, 1e-300), 1e300 / (600 * log(10)))
  expect_near(fall(1, 1e-320), 1 / -log(1e-320))
  expect_near(integral(plf(0:1, c(1, 1e-300)), 0.5, 1, falling = "log"), 1e-150 / (300 * log(10)), 1e-12)
})

test_that("gaps are left out, as by integral(), or make means, and results keep their shape", {
  data <- data.frame(id = rep(c("a", "b"), each = 4), time = c(0, 1, 4, 6), value = c(3, 1, 5, 2, 1, 2, 2, 1))
  x <- as_plf(data, gaps = 2)
  area_of <- function(d) area(d$time[1:2], d$value[1:2]) + area(d$time[3:4], d$value[3:4])
  expected <- vapply(split(data, data$id), area_of, 0)
  expect_near(integral(x, falling = "log"), expected)
  expect_near(integral(x, falling = "log", missing = "mean"), expected / 3)
  y <- c(x, as_plf(cbind(0:1, 2:1)))
  expect_error(integral(y, falling = "log"), "not observed on the same stretches", class = "pcfdist_error_missing")
  expect_near(integral(y[c(3, NA)], falling = "log", missing = "overlap"), c(1 / log(2), NA))
  expect_identical(dim(integral(array(c(x, x), c(2, 2)), falling = "log")), c(2L, 2L))
  expect_identical(names(integral(x, falling = "log")), c("a", "b"))
  expect_identical(integral(x[0], falling = "log"), setNames(numeric(), character()))
  expect_warning(integral(plf(0, 1), falling = "log"), class = "pcfdist_warning_infinite")
  expect_identical(integral(x, 1, 1, falling = "log"), c(a = 0, b = 0))
})

test_that("what goes with straight lines alone is an error", {
  x <- plf(0:1, 1:0)
  refused(integral(pcf(0:1, 1:0), falling = "log"), "falling", 'is "log", but step functions have no lines that fall. ',
          "as_plf() joins measurements by lines.")
  refused(integral(x, weight = pcf(0, 1), falling = "log"), "weight", 'cannot be used with `falling = "log"`.')
  refused(integral(array(x, c(1, 1)), margin = 1, falling = "log"), "margin",
          'cannot be used with `falling = "log"`.')
  refused(integral(x, falling = "up"), "falling", 'must be one of "linear", "log", not "up".')
  refused(integral(x, falling = "log", device = "cuda"), "device", 'must be "cpu" or "auto": GPUs do not support ',
          "lines that fall exponentially.")
})
