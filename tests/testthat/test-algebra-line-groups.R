# The distances of the means of groups, by definition.
line_means_distance <- function(x, group, p, from, to, missing = "error") {
  sum(pdist(aggregate(x, group, mean, na.rm = TRUE), p, from, to, missing))
}

test_that("tests by distances take lines", {
  x <- random_plf(20)
  group <- rep(c("a", "b"), 10)
  for (statistic in c("energy", "pseudo_f")) {
    of_lines <- with_seed(1, permutation_test(x, group, statistic, n = 50, p = 2))
    of_distances <- with_seed(1, permutation_test(pdist(x, 2), group, statistic, n = 50))
    expect_identical(of_lines$permuted, of_distances$permuted)
  }
})

test_that("the distance of means of lines is that of mean()", {
  x <- random_plf(15)
  group <- rep_len(c("a", "b", "b", "c"), 15)
  shuffled <- with_seed(9, lapply(1:10, function(k) group[sample.int(15)]))
  for (p in list(1, 2, 3.3, Inf)) {
    for (window in list(c(-Inf, Inf), c(-1, 3), c(0.5, 0.6), c(20, 21))) {
      from <- window[1]
      to <- window[2]
      test <- with_seed(9, permutation_test(x, group, "mean_difference", 10, p = p, from = from, to = to))
      expect_near(test$statistic, line_means_distance(x, group, p, from, to), 1e-12)
      expected <- vapply(shuffled, line_means_distance, 0, x = x, p = p, from = from, to = to)
      expect_near(test$permuted, expected, 1e-12)
    }
  }
})

test_that("means of lines are compared where they are observed, and weighted", {
  x <- random_plf(12, gaps = 0.1)
  group <- rep(c("a", "b", "c"), 4)
  expect_true(anyNA(unlist(unclass(x))))
  for (missing in c("overlap", "mean")) {
    test <- permutation_test(
      x, group, "mean_difference", 5, p = 2, from = 0, to = 9, missing = missing
    )
    expect_near(test$statistic, line_means_distance(x, group, 2, 0, 9, missing), 1e-12)
  }
  expect_error(
    permutation_test(x, group, "mean_difference", 5, from = 0, to = 9),
    class = "pcfdist_error_missing"
  )
  y <- random_plf(12)
  weight <- pcf(c(-9, 2, 4), c(1, 0.5, 0))
  test <- permutation_test(y, group, "mean_difference", 5, weight = weight)
  expect_near(test$statistic, sum(pdist(aggregate(y, group), weight = weight)), 1e-12)
})

test_that("lines that end alike, but not in 0, are compared without a window", {
  x <- random_plf(9, end = 1 / 3)
  group <- rep(c("a", "b", "c"), 3)
  test <- permutation_test(x, group, "mean_difference", 5)
  expect_near(test$statistic, line_means_distance(x, group, 1, -Inf, 30), 1e-12)
  expect_error(
    permutation_test(c(x, plf(0, 5)), c(group, "a"), "mean_difference", 5), class = "pcfdist_error_to"
  )
  expect_error(
    permutation_test(random_plf(9, gaps = 0.1, end = 1), group, "mean_difference", 5, missing = "mean"),
    class = "pcfdist_error"
  )
})

test_that("pointwise bands of lines are t intervals at breakpoints, and hold between them", {
  x <- random_plf(12, gaps = 0.05)
  expect_true(anyNA(unlist(unclass(x))))
  by <- rep(c("a", "b"), 6)
  bands <- confidence_bands(x, by = by, na.rm = TRUE, level = 0.9)
  expect_true(is_plf(bands$lower))
  for (side in c("right", "left")) {
    for (time in c(-3:15, -2.7, 4.4, 8.9)) {
      values <- evaluate(x, time, side = side)
      got <- c(evaluate(bands$lower, time, side = side), evaluate(bands$upper, time, side = side))
      for (group in c("a", "b")) {
        v <- na.omit(values[by == group])
        limits <- if (length(v) < 2) c(NA, NA)
                  else mean(v) + c(-1, 1) * qt(0.95, length(v) - 1) * sd(v) / sqrt(length(v))
        here <- unname(got[names(got) == group])
        if (time %in% unlist(lapply(unclass(x[by == group]), function(f) f[, 1]))) {
          expect_equal(here, limits, tolerance = 1e-12)
        } else {
          expect_identical(is.na(here), is.na(limits))
          expect_true(all(is.na(limits)) || all((here - limits) * c(-1, 1) >= -1e-12))
        }
      }
    }
  }
})

test_that("bands of lines have a window, and are no narrower than those of steps on a fine grid", {
  x <- random_plf(10)
  wide <- with_seed(1, confidence_bands(x, "simultaneous", from = -1, to = 8.5, n = 199))
  for (part in c("center", "lower", "upper")) {
    f <- wide[[part]]
    expect_identical(is.na(c(evaluate(f, c(-1.5, 8.5, 9)))), rep(TRUE, 3))
    expect_false(anyNA(evaluate(f, c(-1, 8.4))))
  }
  times <- seq(-1, 8.49, by = 0.01)
  steps <- as_pcf(evaluate(x, times), times = times)
  of_steps <- with_seed(1, confidence_bands(steps, "simultaneous", from = -1, to = 8.49, n = 199))
  expect_gte(wide$quantile, 0.9 * of_steps$quantile)
  expect_lte(wide$quantile, 1.1 * of_steps$quantile)
  expect_equal(evaluate(wide$center, 3), evaluate(mean(x), 3))
  whole <- confidence_bands(x, from = -20)
  expect_false(anyNA(evaluate(whole$lower, c(-20, 100))))
})
