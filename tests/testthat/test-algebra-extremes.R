test_that("pmax() and pmin() are those of the values, at each time", {
  x <- random_pcf(12, 8, 1)
  y <- random_pcf(12, 8, 2)
  times <- sort(unlist(lapply(c(unclass(x), unclass(y)), function(f) f[, 1])))
  for (extreme in list(pmax, pmin)) {
    expect_identical(
      as.matrix(extreme(x, y), times), extreme(as.matrix(x, times), as.matrix(y, times))
    )
    expect_true(all(extreme(x, y) == extreme(y, x)))
    expect_true(all(extreme(x, y, x - 1) == extreme(extreme(x, y), x - 1)))
  }
  cut_off <- pmin(pmax(x, -0.5), 0.5)
  expect_identical(as.matrix(cut_off, times), pmin(pmax(as.matrix(x, times), -0.5), 0.5))
})

test_that("pmax() and pmin() take numbers, recycle, and keep names and units", {
  x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
  expect_identical(pmax(x, 2), pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(2, 3, 2), c(2, 2))))
  expect_identical(pmax(2, x), pmax(x, 2))
  expect_identical(pmax(1, c(0, 2), x), pmax(x, c(1, 2)))
  expect_identical(pmin(x, c(2, 1))$b, pcf(c(1, 4), c(1, 0)))
  expect_named(pmax(x, x[1]), c("a", "b"))
  expect_identical(pmin(x), x)
  expect_identical(dim(pmax(array(x, c(1, 2)), 1)), c(1L, 2L))
  time_unit(x) <- "hours"
  expect_identical(time_unit(pmax(x, 0)), time_unit(x))
  refused(pmax(x, "a"), "e2", "cannot be converted to a pcf: it is \"a\". ", converts_to_pcf)
})

test_that("pmax() and pmin() are not observed where one is not, but with na.rm", {
  x <- pcf(c(0, 1, 3), c(5, NA, 0))
  y <- pcf(c(0, 2, 4), c(4, NA, 0))
  times <- c(0, 1, 2, 3, 4)
  value <- function(f) as.vector(as.matrix(f, times))
  expect_identical(value(pmax(x, y)), c(5, NA, NA, NA, 0))
  expect_identical(value(pmax(x, y, na.rm = TRUE)), c(5, 4, NA, 0, 0))
  expect_identical(value(pmin(x, 1, na.rm = TRUE)), c(1, 1, 1, 0, 0))
})

test_that("numbers are R's own matter", {
  v <- c(a = 3, b = NA, c = 5)
  d <- as.Date("2024-01-01") + 0:2
  expect_identical(pmax(v, 4), base::pmax(v, 4))
  expect_identical(pmin(v, 4, na.rm = TRUE), base::pmin(v, 4, na.rm = TRUE))
  expect_identical(pmax(d, d[2]), base::pmax(d, d[2]))
  expect_error(pmax(), "no arguments")
})

test_that("conditions that are functions are no subscripts and no logical values", {
  x <- example_pcf()
  message <- paste(
    "The subscript must be numbers, names or logical values, not functions.",
    "x[lp_norm(x > 1, Inf, missing = \"overlap\") > 0] selects the functions that are above 1 at some",
    "time, x * (x > 1) has the values above 1, and pmin(x, 1) clips values at 1."
  )
  expect_refusal(x[x > 1], "subscript", message)
  late <- measured(x)
  expect_identical(late[lp_norm(late > 2, Inf, missing = "overlap") > 0], late["a"])
  expect_refusal(x[[x > 1]], "subscript", message)
  expect_refusal(x[x > 1] <- 1, "subscript", message)
  expect_refusal(x[[x > 1]] <- 1, "subscript", message)
  expect_refusal(array(x, c(1, 2))[1, x > 1], "subscript", message)
  group <- factor("b", c("b", "a"))
  message <- paste("The subscript must not be a factor: use as.character() to select by its labels, or as.integer() by",
                   "its codes.")
  for (y in list(x, as_plf(x))) {
    expect_refusal(y[group], "subscript", message)
    expect_refusal(y[[group]], "subscript", message)
    expect_refusal(y[group] <- 1, "subscript", message)
    expect_refusal(y[[group]] <- 1, "subscript", message)
    expect_refusal(array(y, c(1, 1, 2))[, 1, group, drop = FALSE], "subscript", message)
    expect_identical(y[as.character(group)], y["b"])
  }
  message <- paste(
    "ifelse() and others need logical values, not functions.",
    "(x > 1) * a + (x <= 1) * b is a where x is above 1 and, from its first time on, b elsewhere."
  )
  expect_refusal(ifelse(x > 1, x, 0), "generic", message)
  expect_refusal(as.logical(x), "generic", message)
})
