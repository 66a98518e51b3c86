test_that("a restriction is a product with the function that is 1 on the window", {
  x <- random_pcf(30)
  expect_true(all(restrict(x, 1, 4) == x * pcf(c(1, 4), c(1, 0))))
  expect_true(all(restrict(x, to = 4) == x * pcf(c(-100, 4), c(1, 0))))
  expect_true(all(restrict(restrict(x, 1, 4), 2, 9) == restrict(x, 2, 4)))
  expect_true(all(restrict(x, to = 3) + restrict(x, from = 3) == x))
  expect_identical(restrict(x), x)
})

test_that("distances on the window are those of the restrictions", {
  x <- random_pcf(30)
  y <- rev(x)
  for (p in c(1, 2, Inf)) {
    for (window in list(c(1, 4), c(-10, 0.5), c(2, 30))) {
      expect_near(
        lp_distance(restrict(x, window[1], window[2]), restrict(y, window[1], window[2]), p),
        lp_distance(x, y, p, from = window[1], to = window[2])
      )
    }
  }
})

test_that("wrong arguments are errors", {
  x <- example_pcf()[c(1, 2, 2)]
  wrong <- structure(list(cbind(c(1, 0), 1)), class = c("pcf", "list"))
  refused(restrict(ecdf(1)), "x", "must be a <pcf>, not a function. ", makes_pcf)
  refused(restrict(x, 3, 2), "from", "must be at most `to`: 3 is greater than 2.")
  refused(restrict(x, NA), "from", "must be a number, not NA.")
  refused(restrict(x, to = "a"), "to", 'must be a number, not "a".')
  refused(restrict(x, from = 1:2), "from", "must be one number, or one for each of the 3 functions, not ",
          "an integer vector of length 2.")
  refused(restrict(wrong, 0, 1), "x",
          "is invalid: the function has the time 0 at position 2, after 1. Times must increase.")
  refused(restrict(x, 0, 1, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
})

test_that("lines are those of the function within the window, and 0 outside", {
  x <- c(random_plf(8, gaps = 0.2), random_plf(8, whole = FALSE), plf(3, 2, left = 2), plf(0, NA, left = NA))
  times <- sort(unique(c(seq(-12, 25, 0.5), unlist(lapply(unclass(x), function(f) f[, 1])))))
  for (window in list(c(1, 4), c(-Inf, 2.25), c(2.25, Inf), c(-9, -8), c(30, 31), c(-Inf, Inf))) {
    y <- restrict(x, window[1], window[2])
    for (side in c("right", "left")) {
      inside <- if (side == "right") times >= window[1] & times < window[2]
                else times > window[1] & times <= window[2]
      wanted <- evaluate(x, times, side = side)
      wanted[, !inside] <- 0
      expect_equal(evaluate(y, times, side = side), wanted, tolerance = 1e-13)
    }
  }
  expect_identical(restrict(x), x)
  expect_identical(restrict(x[0], 0, 1), x[0])
})
