# Values that are held at most so long, compared with what they are by definition.

held_value <- function(times, values, longest, at) {
  k <- findInterval(at, times)
  if (k == 0 || at - times[k] >= longest) NA else values[k]
}

test_that("measurements are held for at most so long", {
  rows <- with_seed(1, data.frame(
    id = rep(c("a", "b", "c"), each = 20), time = c(replicate(3, sort(sample(100, 20)))), value = rnorm(60)
  ))
  rows$value[c(7, 33)] <- NA
  at <- seq(0.5, 110, 0.5)
  for (longest in c(1, 3, 7.5, 200)) {
    x <- as_pcf(rows, gaps = longest, until = Inf)
    wanted <- t(vapply(split(rows, rows$id), function(one) {
      vapply(at, function(t) held_value(one$time, one$value, longest, t), 0)
    }, numeric(length(at))))
    expect_identical(evaluate(x, at), wanted)
  }
  expect_identical(as_pcf(rows, gaps = 200), as_pcf(rows))
  ended <- as_pcf(rows, gaps = 3, until = 50)
  expect_identical(evaluate(ended, 1:49), evaluate(as_pcf(rows, gaps = 3, until = Inf), 1:49))
  expect_true(all(is.na(evaluate(ended, c(50.5, 60)))))
})

test_that("gaps are those of lines", {
  visits <- data.frame(day = c(0, 7, 30, 35), weight = c(4, 4.2, 5, 5.1))
  steps <- as_pcf(visits, time = "day", value = "weight", gaps = 10)
  expect_identical(c(evaluate(steps, c(6, 16.9, 17, 29, 34, 35, 36))), c(4, 4.2, NA, NA, 5, 5.1, NA))
  near <- data.frame(time = c(0, 0.1, 0.1 * 3), value = 1:3)
  expect_identical(breakpoints_of(as_pcf(near, gaps = 0.2)), breakpoints_of(as_pcf(near)))
  days <- data.frame(time = as.Date("2024-01-01") + c(0, 1, 9), value = 1:3)
  held <- as_pcf(days, gaps = as.difftime(1, units = "weeks"))
  expect_identical(c(evaluate(held, as.Date("2024-01-01") + c(1, 7, 8))), c(2, 2, NA))
})

test_that("all kinds of measurements have gaps", {
  grid <- rbind(a = c(1, 2, 0), b = c(3, NA, 0))
  wide <- as_pcf(grid, times = c(0, 1, 5), gaps = 2)
  expect_identical(evaluate(wide, c(0.5, 2.9, 3, 5)), rbind(a = c(1, 2, NA, 0), b = c(3, NA, NA, 0)))
  expect_identical(as_pcf(as.data.frame(grid), times = c(0, 1, 5), gaps = 2), wide)
  series <- ts(c(1, NA, NA, 4), start = 1)
  expect_identical(c(evaluate(as_pcf(series, na.rm = TRUE, gaps = 2), c(1, 2.9, 3, 4))), c(1, 1, NA, 4))
  table <- data.frame(time = c(0, 5), value = 1:2)
  expect_identical(as_pcf(list(a = table), gaps = 2)[["a"]], as_pcf(table, gaps = 2))
  expect_identical(as_pcf(matrix(list(table)), gaps = 2)[[1]], as_pcf(table, gaps = 2))
  expect_identical(c(evaluate(as_pcf(table, gaps = 2, before = 0), c(-1, 1, 2, 6, 7))), c(0, 1, NA, 2, NA))
  skip_if_not_installed("zoo")
  expect_identical(c(evaluate(as_pcf(zoo::zoo(1:2, c(0, 5)), gaps = 2), c(1, 2, 5))), c(1, NA, 2))
})

test_that("what has no measurements has no gaps", {
  refused(as_pcf(cbind(0:1, 1:0), gaps = 1), "gaps",
          "applies only to measurements: a matrix with `times`, a data frame or a time series. The rows of a matrix ",
          "with two columns are breakpoints, and the function holds each value until the next; to change this, add ",
          "rows with the value NA.")
  refused(as_pcf(list(cbind(0:1, 1:0)), gaps = 1), "gaps",
          "applies only to measurements, and no element of `x` has any.")
  segments <- data.frame(id = 1, start = 0, end = 1, value = 2)
  refused(as_pcf(segments, start = "start", end = "end", gaps = 1), "gaps",
          "cannot be used with segments, with `start` and `end`.")
  table <- data.frame(time = 0:1, value = 1:2)
  refused(as_pcf(table, gaps = -1), "gaps", "must be NULL, a positive number or a difftime, not -1.")
  refused(as_pcf(table, gaps = c(1, 2)), "gaps",
          "must be NULL, a positive number or a difftime, not a double vector of length 2.")
})

test_that("gaps are filled for at most so long", {
  at <- with_seed(1, sort(runif(60, -4, 17)))
  for (x in list(
    c(random_partial_pcf(40), pcf(c(-Inf, 0, 2, 5, 7), c(NA, 1, 3, NA, 2))),
    c(random_plf(30, gaps = 0.4), plf(0:4, c(0, 1, NA, 2, 0)))
  )) {
    whole <- fill_missing(x, "hold")
    for (longest in c(0.2, 1, 3, 5, 100)) {
      filled <- fill_missing(x, "hold", at_most = longest)
      values <- evaluate(x, at)
      held <- evaluate(whole, at)
      for (i in seq_along(x)) for (j in which(is.na(values[i, ]))) {
        f <- unclass(x)[[i]]
        k <- findInterval(at[j], f[, 1])
        while (k > 1 && is.na(f[k - 1, ncol(f)])) k <- k - 1
        if (k > 0 && at[j] < f[k, 1] + longest) values[i, j] <- held[i, j]
      }
      expect_equal(evaluate(filled, at), values, tolerance = if (is_plf(x)) 1e-12 else 0)
    }
  }
  refused(fill_missing(x, at_most = 1), "at_most", 'needs `value = "hold"`.')
  refused(fill_missing(x, "hold", at_most = 0), "at_most", "must be NULL, a positive number or a difftime, not 0.")
})
