test_that("a function is a double matrix with the columns time and value", {
  x <- pcf(c(0L, 2L), 3:4)
  expect_true(is_pcf(x))
  expect_s3_class(x, "pcf", exact = TRUE)
  f <- cbind(time = c(0, 2), value = c(3, 4))
  expect_identical(unclass(x), list(f))
  expect_type(unclass(x)[[1]], "double")
  expect_false(is_pcf(list(f)))
  expect_false(is_pcf(structure(5, class = c("pcf", "list"))))
})

test_that("nothing but dim and dimnames is stored with a function", {
  x <- pcf(c(a = 1, b = 2), ts(3:4))
  expect_named(attributes(unclass(x)[[1]]), c("dim", "dimnames"))
})

test_that("lists give several functions, with the names of either list", {
  x <- example_pcf()
  expect_length(x, 2)
  expect_named(x, c("a", "b"))
  expect_named(pcf(list(0, 1), list(u = 1, v = 2)), c("u", "v"))
  expect_null(names(pcf(list(0, 1), list(1, 2))))
  expect_length(pcf(list(), list()), 0)
})

test_that("one vector of times serves a list of values", {
  x <- pcf(1:2, list(a = 3:4, b = 5:6))
  expect_identical(x, pcf(list(1:2, 1:2), list(a = 3:4, b = 5:6)))
  expect_identical(pcf(1:2, data.frame(a = 3:4, b = 5:6)), x)
})

test_that("list arrays give arrays of functions", {
  values <- array(list(1, 2, 3, 4), c(2, 2), list(c("a", "b"), NULL))
  x <- pcf(0, values)
  expect_identical(dim(x), c(2L, 2L))
  expect_identical(dimnames(x), list(c("a", "b"), NULL))
})

test_that("dates count as days and date-times as seconds", {
  numbers <- function(x) {
    time_unit(x) <- NULL
    x
  }
  day <- as.Date("2024-01-01")
  expect_identical(numbers(pcf(day + 0:1, 1:2)), pcf(as.numeric(day) + 0:1, 1:2))
  second <- as.POSIXct("2024-01-01", tz = "UTC")
  expect_identical(numbers(pcf(second + 0:1, 1:2)), pcf(as.numeric(second) + 0:1, 1:2))
})

test_that("invalid functions are errors that name function and position", {
  refused(pcf(c(0, NA), 1:2), "times", "is invalid: the function has a missing time (NA) at position 2.")
  refused(pcf(c(0, NaN), 1:2), "times", "is invalid: the function has a missing time (NaN) at position 2.")
  refused(pcf(c(0, -Inf), 1:2), "times", "is invalid: the function has an infinite time (-Inf) at position 2.")
  refused(pcf(c(-Inf, -Inf), 1:2), "times", "is invalid: the function has an infinite time (-Inf) at position 2.")
  refused(pcf(Inf, 1), "times", "is invalid: the function has an infinite time (Inf) at position 1.")
  refused(pcf(c(0, 2, 1), 1:3), "times",
          "is invalid: the function has the time 1 at position 3, after 2. Times must increase.")
  refused(pcf(c(0, 1, 1), 1:3), "times", "is invalid: the function has the time 1 twice, at positions 2 and 3.")
  refused(pcf(0:1, c(1, NaN)), "values",
          "is invalid: the function has the value NaN at position 2. NA stands for values that are not observed.")
  refused(pcf(0:1, c(NA, NaN)), "values",
          "is invalid: the function has the value NaN at position 2. NA stands for values that are not observed.")
  refused(pcf(0:1, c(1, Inf)), "values", "is invalid: the function has an infinite value (Inf) at position 2.")
  refused(pcf(list(a = 0, b = c(0, 0)), list(1, 1:2)), "times",
          'is invalid: function 2 ("b") has the time 0 twice, at positions 1 and 2.')
  refused(pcf(list(0, c(0, 0)), list(1, 1:2)), "times",
          "is invalid: function 2 has the time 0 twice, at positions 1 and 2.")
  refused(pcf(numeric(), numeric()), "times",
          "is invalid: the function has no breakpoints. The zero function is pcf(0, 0).")
  refused(pcf(list(0, numeric()), list(0, numeric())), "times",
          "is invalid: function 2 has no breakpoints. The zero function is pcf(0, 0).")
})

test_that("functions may be unknown in part, and have a value from the start of time", {
  x <- pcf(list(c(-Inf, 0, 5), -Inf, 0:1), list(c(1, 0.5, NA), 2, c(NA, 3L)))
  expect_identical(unclass(x)[[1]], cbind(time = c(-Inf, 0, 5), value = c(1, 0.5, NA)))
  expect_true(is.na(unclass(x)[[3]][1, 2]) && !is.nan(unclass(x)[[3]][1, 2]))
  expect_snapshot(x)
})

test_that("times and values that do not fit are errors", {
  refused(pcf(1:2, 1:3), "values", "is invalid: the function has times and values of different lengths, 2 and 3.")
  refused(pcf(list(a = 1:2, b = 1), list(1:2, 1:2)), "values",
          'is invalid: function 2 ("b") has times and values of different lengths, 1 and 2.')
  refused(pcf(list(1, 2), list(1)), "values", "must be a list as long as `times` (length 2), not of length 1.")
  refused(pcf(list(1, 2), 1), "values", "must be a list as long as `times` (length 2), not of length 1.")
  refused(pcf("a", 1), "times", 'is invalid: the function has "a" where numbers are needed.')
  refused(pcf(list(1, 2), list(1, b = "x")), "values", 'is invalid: function 2 ("b") has "x" where numbers are needed.')
})

test_that("error conditions have the argument, the function and the position", {
  error <- tryCatch(pcf(list(0, c(0, 1)), list(1, c(2, NaN))), error = identity)
  expect_s3_class(error, c("pcfdist_error_values", "pcfdist_error"))
  expect_identical(error$argument, "values")
  expect_equal(error$index, 2)
  expect_equal(error$position, 2)
})

test_that("pairlists are lists", {
  times <- list(a = c(0, 1), b = 0)
  values <- list(c(1, 0), 2)
  x <- pcf(times, values)
  expect_identical(pcf(as.pairlist(times), as.pairlist(values)), x)
  expect_identical(as_pcf(as.pairlist(lapply(unclass(x), unclass))), x)
  bars <- list(a = cbind(0, 1:2), b = cbind(1, 3))
  expect_identical(stable_rank(as.pairlist(bars)), stable_rank(bars))
  diagram <- list(pairs = list(cbind(0, 1:2), cbind(1, 3)))
  expect_identical(betti_curve(list(pairs = as.pairlist(diagram$pairs)), dimension = 1),
                   betti_curve(diagram, dimension = 1))
})

test_that("check_functions() finds what was broken by hand", {
  x <- unclass(example_pcf())
  expect_identical(check_functions(new_pcf(x)), new_pcf(x))
  broken <- function(f) new_pcf(replace(x, 2, list(f)))
  refused(check_functions(broken(NULL)), "x", 'is invalid: function 2 ("b") ', fills_missing)
  refused(check_functions(broken("a")), "x",
          'is invalid: function 2 ("b") is "a", not a double matrix with the columns time and value.')
  refused(check_functions(broken(matrix(1:4, 2))), "x", 'is invalid: function 2 ("b") is a matrix (integer) of 2 x 2, ',
          "not a double matrix with the columns time and value.")
  refused(check_functions(broken(diag(3))), "x", 'is invalid: function 2 ("b") is a matrix (double) of 3 x 3, not a ',
          "double matrix with the columns time and value.")
  refused(check_functions(broken(matrix(0, 0, 2))), "x",
          'is invalid: function 2 ("b") has no breakpoints. The zero function is pcf(0, 0).')
  refused(check_functions(broken(cbind(1:0, 0)), "y", hints = c(times_unsorted = "Sort them.")), "y",
          'is invalid: function 2 ("b") has the time 0 at position 2, after 1. Times must increase. Sort them.')
})

test_that("values that are times are errors", {
  day <- as.Date("2024-01-01") + 0:1
  wait <- as.difftime(1:2, units = "hours")
  refused(pcf(1:2, day), "values", "is invalid: the function has dates, not plain numbers, as values. Are times and ",
          "values swapped? as.numeric() converts them to numbers.")
  refused(pcf(1:2, list(a = 1:2, b = as.POSIXct(day, "UTC"))), "values",
          'is invalid: function 2 ("b") has date-times, not plain numbers, as values. Are times and values swapped? ',
          "as.numeric() converts them to numbers.")
  refused(pcf(1:2, list(I(1:2), day)), "values", "is invalid: function 2 has dates, not plain numbers, as values. Are ",
          "times and values swapped? as.numeric() converts them to numbers.")
  refused(pcf(1:2, wait), "values", "is invalid: the function has time differences in hours, not plain numbers, as ",
          "values. as.numeric(values, units = ) converts them to numbers.")
  refused(as_pcf(data.frame(time = 1:2, value = day)), "value", "names `x$value`, which has dates, not plain numbers, ",
          "as values. Are times and values swapped? as.numeric() converts them to numbers.")
  refused(as_pcf(data.frame(id = 1, start = 1:2, end = 2:3, value = wait), start = "start", end = "end"), "value",
          "names `x$value`, which has time differences in hours, not plain numbers, as values. as.numeric(values, ",
          "units = ) converts them to numbers.")
  refused(as_pcf(list(data.frame(time = 1:2, value = wait))), "x", "is invalid: the function has time differences in ",
          "hours, not plain numbers, as values. as.numeric(values, units = ) converts them to numbers.")
})
