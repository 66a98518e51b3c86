test_that("the derivative of lines is their slope", {
  x <- plf(list(a = c(0, 2, 6), b = c(1, 2)), list(c(0, 3, 1), c(0, -0.5)))
  expect_identical(derivative(x), pcf(list(a = c(0, 2, 6), b = c(1, 2)), list(c(1.5, -0.5, 0), c(-0.5, 0))))
  expect_identical(derivative(plf(0, 0)), pcf(0, 0))
  expect_identical(length(derivative(x[0])), 0L)
})

test_that("the load is that of a meter", {
  hours <- as.POSIXct("2024-01-01", tz = "UTC") + 3600 * c(0, 6, 8, 18, 24)
  kwh <- c(5012, 5015, 5019, 5024, 5036)
  load <- derivative(as_plf(data.frame(hours, kwh)))
  expect_near(3600 * evaluate(load, hours[-5]), matrix(diff(kwh) / c(6, 2, 10, 6), 1))
  expect_identical(time_unit(load), time_unit(as_plf(data.frame(hours, kwh))))
  expect_identical(is.na(c(evaluate(load, hours[c(1, 5)] + c(-1, 0)))), c(TRUE, TRUE))
  expect_near(integral(load), 5036 - 5012)
})

test_that("the derivative is missing where a line is, and where a measurement stands alone", {
  x <- as_plf(data.frame(time = c(0, 1, 9, 20, 21), value = c(1, 3, 7, 4, 2)), gaps = 5)
  slopes <- evaluate(derivative(x), c(-1, 0, 0.5, 1, 5, 9, 12, 20.5, 21, 30))
  expect_identical(c(slopes), c(NA, 2, 2, NA, NA, NA, NA, -2, NA, NA))
})

test_that("a derivative is, up to rounding, that by definition", {
  for (seed in 1:5) {
    x <- random_plf(9, whole = FALSE, gaps = 0.3, seed = seed)
    slopes <- derivative(x, "ignore")
    for (i in seq_along(x)) {
      f <- unclass(x)[[i]]
      k <- seq_len(nrow(f) - 1)
      expected <- (f[k + 1, 2] - f[k, 3]) / (f[k + 1, 1] - f[k, 1])
      expect_near(c(evaluate(slopes[i], f[k, 1])), expected)
    }
  }
})

test_that("jumps are errors that name function and time, or are ignored", {
  x <- plf(list(a = 0:1, b = as.double(0:2)), list(c(0, 1), c(0, 2, 1)), left = list(c(0, 1), c(0, 5, 1)))
  expect_refusal(
    derivative(x), "jumps", 'function 2 ("b") jumps from 5 to 2 at the time 1, and has no derivative there. ',
    '`jumps = "ignore"` gives the slopes of the lines.'
  )
  expect_identical(derivative(x, "ignore")["b"], pcf(list(b = 0:2), list(c(5, -1, 0))))
  expect_error(derivative(plf(0:1, 5:6)), "from 0 to 5 at the time 0.*a first `left`", class = "pcfdist_error_jumps")
  refused(derivative(pcf(0, 1)), "x", "must be a <plf>, not a <pcf>: step functions are constant where they do not ",
          "jump. as_plf() joins measurements by lines.")
  refused(derivative(x, "yes"), "jumps", 'must be one of "error", "ignore", not "yes".')
})

test_that("derivatives and integrals up to each time are inverse to each other", {
  for (seed in 1:5) {
    x <- random_pcf(6, seed = seed)
    to <- max_time(x) + 1
    back <- derivative(cumulative(x, to = to))
    times <- seq(-1, to - 0.5, 0.37)
    expect_near(evaluate(back, times), evaluate(x, times), scale = 100)
    lines <- as_plf(cbind(seq(0, 12, 0.7), cos(seq(0, 12, 0.7))))
    changes <- evaluate(cumulative(derivative(lines), 0), times[times > 0 & times < 11])
    expect_near(changes + 1, evaluate(lines, times[times > 0 & times < 11]), scale = 1)
  }
})
