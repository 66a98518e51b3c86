# Times that differ by rounding are the same where data are read.

# The times k * step in four ways that differ by a few units in the last place.
ways_to <- function(k, step) {
  most <- max(k)
  list(
    k * step, cumsum(rep(step, most + 1))[k + 1] - step, k / (1 / step),
    seq(0, most * step, length.out = most + 1)[k + 1]
  )
}

random_step <- function() sample(c(5 / 60, 0.1, 1 / 3, 1 / 7, 0.7, 1e-3 / 3, 12.1), 1)

test_that("times are the same up to 7 units in the last place", {
  ulp <- function(t) next_time(t) - t
  for (t in c(0.3, 1, 1.999, 1e300, 1e-300, 1.7e9)) {
    for (sign in c(-1, 1)) {
      expect_true(is_same_time(sign * t, sign * (t + 7 * ulp(t))))
      expect_false(is_same_time(sign * t, sign * (t + 16 * ulp(t))))
    }
  }
  expect_identical(is_same_time(c(0, Inf, -Inf, 0, NA), c(0, Inf, Inf, 1e-300, 1)), c(TRUE, TRUE, FALSE, FALSE, NA))
  expect_identical(with_same_times(c(0.3, 0.1 * 3, -Inf, 1), c(1, 2, 1, 1)), c(0.3, 0.3, -Inf, 1))
  expect_identical(with_same_times(c(0.3, 0.1 * 3, 0.3), c(1, 1, 2)), c(0.3, 0.1 * 3, 0.3))
})

test_that("times of tables from arithmetic are those of one grid", {
  with_seed(1, for (case in 1:60) {
    step <- random_step()
    k <- sort(sample(1:40, 12))
    ways <- ways_to(k, step)
    table <- data.frame(id = rep(1:4, each = 12), time = unlist(ways), value = rnorm(48))
    for (x in list(as_pcf(table), as_plf(table))) {
      expect_length(unique(round(as.data.frame(x)$time, 9)), 13 - is_plf(x))
      expect_identical(unname(end(x)), rep(end(x)[[1]], 4))
      expect_near(evaluate(mean(x), end(x)[[1]]), mean(table$value[table$time > (max(k) - 0.5) * step]), 1e-13, 1)
    }
    expect_identical(as_pcf(table)[1:4], as_pcf(table[order(table$time), ])[c("1", "2", "3", "4")])
  })
})

test_that("readings as far apart as the longest gap are joined", {
  with_seed(2, for (case in 1:60) {
    step <- random_step()
    for (times in ways_to(1:40, step)) {
      x <- as_plf(data.frame(time = times, value = 1), gaps = step)
      expect_identical(unname(integral(observed(x)) > 38.9 * step), TRUE)
      apart <- as_plf(data.frame(time = times, value = 1), gaps = step * (1 - 1e-12))
      expect_identical(integral(observed(apart)) < step, TRUE)
    }
  })
})

test_that("segments that touch up to rounding neither overlap nor leave a gap", {
  with_seed(3, for (case in 1:60) {
    step <- random_step()
    ways <- ways_to(0:30, step)
    two <- sample(4, 2)
    segments <- data.frame(id = 1, start = ways[[two[1]]][-31], end = ways[[two[2]]][-1], value = rnorm(30))
    segments <- segments[sample(30), ]
    x <- as_pcf(segments, start = "start", end = "end")
    expect_identical(lengths(unclass(x))[[1]], 64L)
    cumulated <- cumulative(x, from = start(x))
    total <- sum(segments$value * (segments$end - segments$start))
    expect_near(evaluate(cumulated, end(x), side = "left"), total, 1e-12, 30)
  })
  pieces <- data.frame(start = c(0, 0.1 * 3), end = c(0.3, 1), value = 1:2)
  expect_identical(as_pcf(pieces, start = "start", end = "end"), pcf(c(-Inf, 0, 0.3, 1), c(NA, 1, 2, NA)))
})

test_that("observation ends where it is said to, up to rounding", {
  d <- data.frame(id = 1:2, time = c(0.3, 0.1 * 3), value = 1:2)
  for (end in list(0.3, 0.1 * 3)) {
    x <- as_pcf(d, until = end)
    expect_identical(unname(end(x)), c(0.3, 0.3))
    expect_identical(unname(evaluate(x, 0.3)), c(1, 2))
    expect_identical(as_pcf(transform(d, end = end), until = "end"), x)
  }
  expect_identical(counting(list(0.1 * 3), from = 0, to = 0.3), counting(list(0.1 * 3), from = 0, to = 0.1 * 3))
  expect_identical(counting(list(0.3), from = 0.1 * 3, to = 1), counting(list(0.3), from = 0.3, to = 1))
  refused(counting(list(0.3 + 1e-12), from = 0, to = 0.3), "x", "is invalid: the function has the time ",
          "0.300000000001 at position 1, after `to`, 0.3.")
})

test_that("windows end where functions do, up to rounding", {
  steps <- pcf(list(c(-Inf, 0.3, 1.1), c(-Inf, 0.3, 1.1), c(-Inf, 0.3)), list(c(NA, 1, NA), c(NA, 2, NA), c(NA, 5)))
  for (x in list(steps, as_plf(steps))) {
    wide <- c(0.3 * (1 - 2^-53), 1.1 * (1 + 2^-52))
    expect_identical(c(pdist(x, from = wide[1], to = wide[2])), c(pdist(x, from = 0.3, to = 1.1)))
    expect_identical(integral(x, wide[1], wide[2]), integral(x, 0.3, 1.1))
    expect_identical(l2_kernel(x, from = wide[1], to = wide[2]), l2_kernel(x, from = 0.3, to = 1.1))
    expect_error(integral(x, 0.3, 1.1 + 1e-12), class = "pcfdist_error_missing")
    weight <- pcf(c(-Inf, 0.3, 1.1), c(NA, 2, NA))
    norm <- function(from, to) lp_norm(x, weight = weight, from = from, to = to)
    expect_identical(norm(wide[1], wide[2]), norm(0.3, 1.1))
  }
})
