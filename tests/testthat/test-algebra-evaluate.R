test_that("values are those of the definition", {
  for (x in kinds_of_pcf(37)) {
    for (n in c(1, 3, 40, 1500)) {
      times <- with_seed(n, c(
        runif(n, -5, 12), sample(as.data.frame(x)$time, 20, replace = TRUE), -Inf, Inf
      ))
      expected <- values_by_definition(x, times)
      expect_identical(evaluate(x, times, threads = 1), expected)
      expect_identical(evaluate(x, times, threads = 3), expected)
      expect_identical(evaluate(x, sort(times)), expected[, order(times), drop = FALSE])
    }
  }
})

test_that("the result has the shape of functions and times", {
  x <- example_pcf()
  expect_identical(
    evaluate(x, c(u = 0, v = 2)),
    matrix(c(1, 0, 3, 2), 2, dimnames = list(c("a", "b"), c("u", "v")))
  )
  expect_identical(evaluate(x, 1), c(a = 1, b = 2))
  expect_identical(dimnames(evaluate(x, 1, drop = FALSE)), list(c("a", "b"), NULL))
  expect_identical(evaluate(unname(x), 1, drop = FALSE), matrix(c(1, 2), 2))
  expect_identical(evaluate(array(x, 1:2), 1), matrix(c(1, 2), 1))
  y <- random_pcf(6)
  flat <- evaluate(y, 0:4)
  dim(y) <- c(2, 3)
  expect_identical(evaluate(y, 0:4), array(flat, c(2, 3, 5)))
  dimnames(y) <- list(c("u", "v"), NULL)
  expect_identical(dimnames(evaluate(y, 0:4)), list(c("u", "v"), NULL, NULL))
  expect_identical(as.matrix(y, 0:4), flat)
  expect_identical(dim(evaluate(x, numeric())), c(2L, 0L))
  expect_identical(dim(evaluate(x[0], 1:3)), c(0L, 3L))
})

test_that("arguments are checked", {
  x <- example_pcf()
  refused(evaluate(3, 1), "x", "must be a <pcf>, not 3. ", makes_pcf)
  refused(evaluate(x), "times", "is missing: the times at which to evaluate the functions.")
  refused(evaluate(x, "a"), "times", 'must be numbers without NA, not "a".')
  refused(evaluate(x, NULL), "times", "must be numbers without NA, not NULL.")
  refused(evaluate(x, c(1, NaN)), "times", "must be numbers without NA, not NaN at position 2.")
  refused(evaluate(x, 1, threads = 1.5), "threads", "must be a whole number of at least 1, not 1.5.")
  refused(evaluate(structure(list(cbind(0, NaN)), class = c("pcf", "list")), 1), "x",
          "is invalid: the function has the value NaN at position 1. NA stands for values that are not observed.")
})

# The definition, one time after the other.
line_at <- function(f, t, left = FALSE) {
  k <- sum(if (left) f[, 1] < t else f[, 1] <= t)
  m <- nrow(f)
  if (k == 0) return(f[1, 2])
  if (k == m) return(f[m, 3])
  if (left && f[k + 1, 1] == t) return(f[k + 1, 2])
  f[k, 3] + (f[k + 1, 2] - f[k, 3]) * (t - f[k, 1]) / (f[k + 1, 1] - f[k, 1])
}

test_that("piecewise linear functions have their values and left limits", {
  set.seed(1)
  draw <- function(m) {
    list(time = sort(sample(0:60, m)) / 4, left = sample(-9:9, m, TRUE), value = sample(-9:9, m, TRUE))
  }
  drawn <- lapply(c(1:40, 300), function(m) draw(min(m, 50)))
  x <- plf(lapply(drawn, `[[`, "time"), lapply(drawn, `[[`, "value"), lapply(drawn, `[[`, "left"))
  times <- c(-Inf, Inf, sample(-8:130) / 8)
  for (side in c("right", "left")) {
    expected <- t(vapply(unclass(x), function(f) {
      vapply(times, function(t) line_at(f, t, side == "left"), 0)
    }, times))
    for (threads in 1:2) {
      expect_equal(evaluate(x, times, side = side, threads = threads), expected, tolerance = 1e-14)
    }
    expect_equal(evaluate(x[3], times, side = side)[1, ], expected[3, ], tolerance = 1e-14)
  }
})

test_that("lines are missing between times where they are not observed", {
  x <- plf(0:3, c(1, NA, 4, NA), left = c(NA, 2, NA, 5))
  expect_identical(evaluate(x, c(-1, 0, 0.5, 1, 2, 2.5, 3)), rbind(c(NA, 1, 1.5, NA, 4, 4.5, NA)))
  expect_identical(
    evaluate(x, c(-1, 0, 0.5, 1, 2, 2.5, 3), side = "left"), rbind(c(NA, NA, 1.5, 2, NA, 4.5, 5))
  )
})

test_that("step functions have limits from the left", {
  x <- pcf(list(c(0, 2, 5), c(-Inf, 1), 0), list(c(1, NA, 0), c(3, 4), 2))
  expect_identical(
    evaluate(x, c(-Inf, -1, 0, 1, 2, 5, Inf), side = "left"),
    rbind(c(0, 0, 0, 1, 1, NA, 0), c(3, 3, 3, 3, 4, 4, 4), c(0, 0, 0, 2, 2, 2, 2))
  )
  expect_error(evaluate(x, 1, side = "up"), class = "pcfdist_error_side")
})
