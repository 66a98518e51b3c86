# Lists of times and values, and names. Other tests of pcf() are in test-core-classes.R.

test_that("lists of times and values are matched by name", {
  times <- list(a = c(0, 1), b = c(0, 5, 7), c = 2)
  values <- list(a = c(1, 0), b = c(9, 3, 0), c = 4)
  x <- pcf(times, unname(values))
  expect_identical(names(x), c("a", "b", "c"))
  expect_identical(pcf(times, values), x)
  expect_identical(pcf(times, values[c("b", "c", "a")]), x)
  expect_identical(pcf(times[3:1], values), x[3:1])
  expect_identical(pcf(unname(times), values), x)
  row <- array(values[3:1], 3, list(c("c", "b", "a")))
  expect_identical(pcf(times, row)["a"], pcf(times, row[3:1])["a"])
  expect_identical(c(evaluate(pcf(times, row), 0.5)), c(evaluate(x, 0.5)))
  ids <- list("100000" = 0, "5" = 1)
  expect_identical(pcf(ids, list("5" = 2, "1e+05" = 3)), pcf(ids, list(3, 2)))
})

test_that("an element without a name has any", {
  times <- list(a = 0, 1)
  expect_identical(names(pcf(times, list(a = 1, b = 2))), c("a", "b"))
  expect_identical(pcf(times, list(1, b = 2)), pcf(list(0, 1), list(1, b = 2)))
  expect_identical(pcf(0:1, list(b = 1:2, a = 3:4)), pcf(list(0:1, 0:1), list(b = 1:2, a = 3:4)))
})

test_that("names that do not match are an error with the place of the first", {
  apart <- function(times, values, i, first, second) {
    refused(pcf(times, values), "values", "has names that do not match those of `times`: function ", i, " is named \"",
            first, "\" in `times`, and \"", second, "\" in `values`. Use unname(values) to match by position.")
  }
  apart(list(a = 0, b = 1), list(a = 1, c = 2), 2, "b", "c")
  apart(list(a = 0, b = 1, c = 2), list(b = 1, a = 2, d = 3), 3, "c", "d")
  apart(list(a = 0, b = 1, a = 2), list(a = 1, a = 2, b = 3), 2, "b", "a")
  apart(list(a = 0), list(b = 1), 1, "a", "b")
  apart(list(a = 0, 1), list(b = 1, a = 2), 1, "a", "b")
  twice <- list(a = 0, a = 1)
  expect_identical(names(pcf(twice, twice)), c("a", "a"))
  expect_identical(pcf(list(a = 0, b = 1), unname(list(a = 1, c = 2))), pcf(list(a = 0, b = 1), list(1, 2)))
  refused(pcf(list(b = 0, a = 1), list(a = 1)), "values",
          "must be a list as long as `times` (length 2), not of length 1.")
  refused(pcf(list(a = 0, b = 0:1), list(b = 1, a = 2)), "values",
          'is invalid: function 2 ("b") has times and values of different lengths, 2 and 1.')
})
