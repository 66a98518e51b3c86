test_that("measurements are joined, from the first to the last", {
  d <- data.frame(id = c("u", "u", "u", "v", "v"), time = c(0, 2, 5, 1, 2), value = c(1, 3, 0, 4, 5))
  expect_identical(as_plf(d), c(u = joined_lines(c(0, 2, 5), c(1, 3, 0)), v = joined_lines(1:2, 4:5)))
  expect_identical(as_plf(d[5:4, ], sort = TRUE), as_plf(d[4:5, ]))
  wide <- rbind(a = c(1, 2, 0), b = c(3, NA, 0))
  expect_identical(as_plf(wide, times = c(0, 1, 2.5))["a"], c(a = joined_lines(c(0, 1, 2.5), c(1, 2, 0))))
  expect_identical(as_plf(cbind(0:2, c(1, 2, 0))), unname(as_plf(wide["a", , drop = FALSE], times = 0:2)))
})

test_that("a missing value breaks the line, unless it is left out", {
  d <- data.frame(time = 0:3, value = c(1, 2, NA, 4))
  up <- next_time(0:3)
  expect_identical(as_plf(d), plf(c(0, 1, up[2], 2, 3, up[4]), c(1, 2, NA, NA, 4, NA), left = c(NA, 2, 2, NA, NA, 4)))
  expect_identical(evaluate(as_plf(d), c(1, 1.5, 2, 3, up[4])), rbind(c(2, NA, NA, 4, NA)))
  met <- data.frame(time = c(0, 1, up[2], 2), value = c(1, 2, NA, 4)) # measured at the next number
  expect_identical(as_plf(met)[0], as_plf(d)[0])
  expect_identical(as_plf(met), plf(c(met$time, next_time(2)), c(1, 2, NA, 4, NA), left = c(NA, 2, 2, NA, 4)))
  expect_identical(as_plf(d, na.rm = TRUE), as_plf(d[-3, ]))
})

test_that("lines over long gaps are not drawn", {
  d <- data.frame(time = c(0, 1, 3, 10), value = 1:4)
  up <- next_time(d$time)
  expect_identical(
    as_plf(d, gaps = 2), plf(c(0, 1, 3, up[3], 10, up[4]), c(1, 2, 3, NA, 4, NA), left = c(NA, 2, 3, 3, NA, 4))
  )
  expect_identical(as_plf(d, gaps = 7), as_plf(d))
  dated <- transform(d, time = as.Date("2024-01-01") + time)
  expect_identical(
    unclass(as_plf(dated, gaps = as.difftime(48, units = "hours")))[[1]][, -1], unclass(as_plf(d, gaps = 2))[[1]][, -1]
  )
  expect_error(as_plf(dated, gaps = 2), class = "pcfdist_error_gaps")
  for (wrong in list(0, 1:2, NA)) expect_error(as_plf(d, gaps = wrong), class = "pcfdist_error_gaps")
})

test_that("series are joined", {
  expect_identical(as_plf(ts(c(1, 3, 2), start = 5)), joined_lines(5:7, c(1, 3, 2)))
  skip_if_not_installed("zoo")
  z <- zoo::zoo(c(1, 3, 2), as.Date("2024-01-01") + c(0, 2, 3))
  days <- as.double(as.Date("2024-01-01")) + c(0, 2, 3)
  z <- as_plf(z)
  time_unit(z) <- NULL
  expect_identical(z, joined_lines(days, c(1, 3, 2)))
})

test_that("functions that are linear already are taken as they are", {
  d <- density(faithful$eruptions, n = 64)
  f <- unclass(as_plf(d))[[1]]
  expect_identical(unname(f[, "left"]), c(0, d$y[-1]))
  expect_identical(unname(f[, "value"]), c(d$y[-64], 0))
  expect_identical(as_plf(approxfun(1:3, c(0, 2, 1), rule = 2)), plf(1:3, c(0, 2, 1)))
  expect_identical(as_plf(approxfun(1:3, c(5, 2, 1))), plf(c(1:3, next_time(3)), c(5, 2, 1, NA), left = c(NA, 2, 1, 1)))
  expect_identical(as_plf(approxfun(1:2, c(5, 2), yleft = 3, yright = 4)), plf(1:2, c(5, 4), left = c(3, 2)))
  expect_identical(as_plf(ecdf(c(1, 2, 2, 4))), plf(c(1, 2, 4), c(0.25, 0.75, 1)))
  expect_error(as_plf(approxfun(1:2, 1:2, method = "constant")), "as_pcf", class = "pcfdist_error_x")
  expect_error(as_plf(sin), "approxfun", class = "pcfdist_error_x")
})

test_that("step functions stay what they are", {
  f <- pcf(list(c(0, 2, 5), c(-Inf, 0, 1), c(-Inf, 3), -Inf), list(c(1, NA, 0), c(2, 3, NA), c(NA, 1), 4))
  expect_identical(as_plf(f), plf(
    list(c(0, 2, 5), 0:1, 3, 0), list(c(1, NA, 0), c(3, NA), 1, 4), left = list(c(0, 1, NA), c(2, 3), NA, 4)
  ))
  expect_identical(as_plf(as_plf(f)), as_plf(f))
  expect_identical(as_plf(stepfun(1:2, c(0, 1, 2))), as_plf(as_pcf(stepfun(1:2, c(0, 1, 2)))))
  segments <- data.frame(start = c(0, 3), end = c(2, 4), value = 1:2)
  expect_identical(
    as_plf(segments, start = "start", end = "end", id = NULL),
    as_plf(as_pcf(segments, start = "start", end = "end", id = NULL))
  )
})

test_that("lists hold one function an element", {
  x <- as_plf(list(a = cbind(0:1, 1:0), b = pcf(0:1, 1:0), c = plf(0, 2)))
  expect_identical(names(x), c("a", "b", "c"))
  expect_identical(x[["a"]], joined_lines(0:1, 1:0))
  expect_identical(as_plf(list()), plf(list(), list()))
  expect_error(as_plf(list(plf(0, 1), sin)), "function 2", class = "pcfdist_error_x")
  expect_error(as_plf(list(rep(plf(0, 1), 2))), "function", class = "pcfdist_error_x")
})

test_that("arguments of step functions are refused by name", {
  d <- data.frame(time = 0:1, value = 1:2)
  expect_error(as_plf(d, until = "last"), "`until`", class = "pcfdist_error_until")
  expect_error(as_plf(d, before = 0), "`before`", class = "pcfdist_error_before")
  expect_error(as_plf(ts(1:3), after = "zero"), "`after`", class = "pcfdist_error_after")
  expect_error(as_plf(pcf(0, 1), gaps = 1), "as_plf\\(\\)", class = "pcfdist_error_gaps")
  expect_error(as_plf(transform(d, left = 0), left = "left", gaps = 1), class = "pcfdist_error_gaps")
})

test_that("left limits are not left out silently", {
  d <- data.frame(time = 0:2, value = c(1, 2, 0), left = c(0, 3, 0))
  needs_left <- function(...) {
    expect_error(as_plf(...), 'needs `left = "left"`. To join the values, leave the column out', fixed = TRUE)
    expect_error(as_plf(...), class = "pcfdist_error_left")
  }
  needs_left(d)
  needs_left(d, id = NULL)
  needs_left(as.data.frame(plf(list(0:1, 0:1), list(1:0, 2:1))))
  expect_identical(as_plf(d, id = NULL, left = "left"), plf(0:2, d$value, d$left))
  expect_identical(as_plf(d, id = NULL, value = "left"), as_plf(d[-2]))
  expect_length(as_plf(d, times = 1:3), 3)
})

test_that("errors of conversions are about as_plf()", {
  expect_error(as_plf("a"), "cannot be converted to a plf: .* as_plf\\(\\) takes", class = "pcfdist_error_x")
  x <- data.frame(id = 1, time = 0:1, value = 1:2)
  error <- expect_error(as_plf(x, gap = 1), "not an argument of as_plf\\(\\)", class = "pcfdist_error_gap")
  expect_identical(error$call[[1]], quote(as_plf))
})

test_that("measurements need finite times", {
  for (x in list(data.frame(time = c(-Inf, 1, 2), value = 5:7), cbind(c(-Inf, 1), 5:6), cbind(-Inf, 5))) {
    expect_error(as_plf(x), "infinite time (-Inf) at position 1", fixed = TRUE, class = "pcfdist_error_x")
  }
})

test_that("rows of breakpoints with left limits are kept whole", {
  x <- data.frame(id = "a", time = 0:3, left = c(0, NA, 1, 2), value = c(1, 2, NA, 3))
  refused(as_plf(x, left = "left", na.rm = TRUE), "na.rm",
          "applies only to measurements; with `left`, rows are breakpoints.")
  x <- data.frame(time = 0:2, left = c(0, 1, 1), v = c(1, 2, 0))
  refused(as_plf(x, left = "left"), "value", "must be the name of the column with the values if `left` is given.")
  expect_identical(as_plf(x, left = "left", value = "v"), plf(0:2, x$v, left = x$left))
})

test_that("gaps are refused where nothing is joined, and must be lengths", {
  refused(as_plf(list(b = stepfun(1, 0:1)), gaps = "no"), "gaps",
          "applies only to measurements, and no element of `x` has any.")
  refused(as_plf(cbind(1:2, 1:2), gaps = TRUE), "gaps",
          "must be NULL, a positive number or a difftime, not TRUE.")
})
