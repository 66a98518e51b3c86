# Bands of the difference of two means.

test_that("pointwise limits of a difference are those of Welch's t test", {
  x <- random_partial_pcf(16, seed = 4)
  by <- rep(c("a", "b"), c(10, 6))
  bands <- confidence_bands(x, by = by, na.rm = TRUE, level = 0.9, reference = "a")
  expect_named(bands$center, "b - a")
  expect_null(bands$observed)
  times <- seq(-3, 9, length.out = 61)
  values <- evaluate(x, times)
  for (k in seq_along(times)) {
    v <- split(values[, k], by)
    enough <- all(vapply(v, function(v) sum(!is.na(v)) > 1, NA)) && max(vapply(v, var, 0, na.rm = TRUE)) > 0
    if (!enough) next
    got <- c(evaluate(bands$lower, times[k]), evaluate(bands$upper, times[k]))
    expect_equal(unname(got), t.test(v$b, v$a, conf.level = 0.9)$conf.int, tolerance = 1e-10, ignore_attr = TRUE)
  }
  means <- aggregate(x, by, mean, na.rm = TRUE)
  expect_identical(unname(bands$center), unname(means["b"] - means["a"]))
})

test_that("every other group differs from the reference, also of lines", {
  chicks <- as_plf(ChickWeight, id = "Chick", time = "Time", value = "weight")
  diet <- ChickWeight$Diet[match(names(chicks), ChickWeight$Chick)]
  bands <- confidence_bands(chicks, by = diet, na.rm = TRUE, reference = 3)
  expect_named(bands$center, c("1 - 3", "2 - 3", "4 - 3"))
  expect_true(is_plf(bands$lower))
  expect_identical(value_name(bands$center), "weight")
  at_10 <- split(evaluate(chicks, 10), diet)
  expect_equal(c(evaluate(bands$lower, 10)[3], evaluate(bands$upper, 10)[3]), t.test(at_10[[4]], at_10[[3]])$conf.int,
               ignore_attr = TRUE)
  expect_identical(bands[2]$center, bands$center[2])
  # Right after day 18, the last of a chick, both sides have their own limits.
  gone <- next_time(max_time(chicks["44"]))
  jump <- evaluate(bands$upper, gone, side = "left") - evaluate(bands$upper, gone)
  expect_true(any(abs(jump) > 1e-9))
})

test_that("simultaneous bands hold the difference about as often as they say, and are wider than pointwise ones", {
  walks <- function(n) as_pcf(t(apply(matrix(rnorm(n * 20), 20), 2, cumsum)), times = 1:20, until = 21)
  held <- with_seed(3, replicate(150, {
    x <- c(walks(20), walks(12))
    by <- rep(1:2, c(20, 12))
    bands <- confidence_bands(x, "simultaneous", from = 1, to = 21, level = 0.9, n = 199, by = by, reference = 1)
    all(evaluate(bands$lower, 1:20) <= 0 & evaluate(bands$upper, 1:20) >= 0)
  }))
  expect_gt(mean(held), 0.82)
  expect_lt(mean(held), 0.97)
  x <- with_seed(5, c(walks(20), walks(12)))
  by <- rep(1:2, c(20, 12))
  wide <- with_seed(1, confidence_bands(x, "simultaneous", from = 1, to = 21, by = by, reference = 1))
  expect_identical(with_seed(1, confidence_bands(x, "simultaneous", from = 1, to = 21, by = by, reference = 1)), wide)
  narrow <- confidence_bands(x, from = 1, to = 21, by = by, reference = 1)
  expect_true(all(evaluate(wide$upper, 1:20) > evaluate(narrow$upper, 1:20)))
  expect_named(wide$quantile, "2 - 1")
})

test_that("groups of equal functions differ by exactly their difference", {
  x <- pcf(rep(list(c(0, 1)), 4), list(c(1, 2), c(1, 2), c(4, 4), c(4, 4)))
  for (type in c("pointwise", "simultaneous")) {
    bands <- with_seed(1, confidence_bands(x, type, from = 0, to = 2, by = c(1, 1, 2, 2), reference = 1))
    for (part in c("center", "lower", "upper")) expect_identical(c(evaluate(bands[[part]], 0:1)), c(3, 2))
  }
})

test_that("limits of a difference need enough functions of both groups", {
  x <- pcf(rep(list(0:2), 5), list(c(1, 2, 0), c(2, 3, 0), c(5, NA, 0), c(6, 1, 0), c(7, NA, 0)))
  bands <- confidence_bands(x, from = 0, to = 3, by = c(1, 1, 2, 2, 2), reference = 1, na.rm = TRUE)
  expect_identical(is.na(c(evaluate(bands$upper, c(0.5, 1.5, 2.5)))), c(FALSE, TRUE, FALSE))
  expect_false(is.na(evaluate(bands$center, 1.5)))
})

test_that("a reference must be a group", {
  x <- random_pcf(6)
  by <- rep(c("a", "b"), 3)
  refused(confidence_bands(x, by = by, reference = "c"), "reference",
          'must be one of the groups "a", "b", or its number, not "c".')
  refused(confidence_bands(x, by = by, reference = 0), "reference",
          'must be one of the groups "a", "b", or its number, not 0.')
  refused(confidence_bands(x, reference = 1), "reference", "needs several groups.")
})

test_that("a band of a difference is drawn", {
  draw_nowhere()
  x <- random_pcf(8)
  bands <- confidence_bands(x, by = rep(1:2, 4), to = 5, reference = 1)
  expect_silent(plot_bands(bands))
  table <- as.data.frame(bands)
  expect_identical(unique(table$id), "2 - 1")
})
