times <- c(3, -1, 0.5, 8, 8, 4.25)

test_that("integrals up to times are those of the windows that end there", {
  for (seed in 1:5) {
    for (x in list(random_pcf(7, seed = seed), random_plf(7, whole = FALSE, seed = seed))) {
      expected <- vapply(times, function(to) if (to > 0) integral(x, 0, to) else 0 * integral(x, 0, 1), numeric(7))
      expect_near(cumulative(x, 0, times = times), expected, scale = max(abs(expected)))
      expect_identical(unname(cumulative(x, 0, 4, times = 9)), unname(cumulative(x, 0, times = 4)))
    }
    steps <- random_pcf(7, seed = seed)
    expect_near(cumulative(steps, times = times), evaluate(cumulative(steps, to = 9), times), scale = 100)
  }
})

test_that("lines are integrated exactly", {
  light <- plf(c(6, 12, 15, 18), c(0, 40, 30, 0))
  expect_identical(cumulative(light, times = c(a = 6, b = 9, c = 12, d = 18)),
                   matrix(c(0, 30, 120, 270), 1, dimnames = list(NULL, c("a", "b", "c", "d"))))
  expect_identical(cumulative(c(u = light), times = 9), c(u = 30))
  days <- as.Date("2024-02-27") + c(0, 4)
  expect_identical(cumulative(plf(days, c(0, 2)), times = days[2]), 4)
  expect_identical(dim(cumulative(array(c(light, light), 2:1), times = 1:3)), c(2L, 1L, 3L))
  expect_identical(cumulative(light, times = Inf), 270)
  expect_identical(cumulative(plf(0, 1, left = 0), times = Inf), Inf)
})

test_that("from the first gap on integrals are unknown", {
  x <- as_plf(data.frame(time = c(0, 2, 5, 6), value = c(1, 3, 3, 1)), gaps = 2)
  expect_identical(c(cumulative(x, 0, times = c(1, 2, 3, 5, 6))), c(1.5, 4, NA, NA, NA))
  expect_identical(c(cumulative(x, 5, times = c(4, 5, 6, 7))), c(0, 0, 2, NA))
  expect_identical(c(cumulative(x, 0, 2, times = 9)), 4)
  gone <- c(x, pcf(0, 1))[c(2, NA)]
  expect_identical(cumulative(gone, 0, times = 3), c(3, NA))
})

test_that("what cumulative() cannot do is an error", {
  line <- plf(0:1, 0:1)
  refused(cumulative(line), "times", "must be given for a <plf>, since the integral of a line is no line.")
  refused(cumulative(as_plf(cbind(0:1, 1:2)), times = 1), "x", "must be 0 at unbounded ends of the window, but the ",
          "function has the value NA from -Inf on. Set `from`.")
  refused(cumulative(line, times = "a"), "times", 'must be numbers without NA, not "a".')
  refused(cumulative(pcf(0, 1), times = 1, falling = "log"), "falling", 'is "log", but step functions have no lines ',
          "that fall. as_plf() joins measurements by lines.")
  refused(cumulative(pcf(0, 1), to = 1, falling = "log"), "falling", 'is "log", but step functions have no lines ',
          "that fall. as_plf() joins measurements by lines.")
  refused(cumulative(line, times = 1, falling = "up"), "falling", 'must be one of "linear", "log", not "up".')
})
