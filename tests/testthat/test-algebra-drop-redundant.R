test_that("breakpoints without a change are dropped, and the zero function has one form", {
  expect_identical(drop_redundant(pcf(0:4, c(0, 1, 1, 2, 2))), pcf(c(1, 3), c(1, 2)))
  zero <- pcf(0, 0)
  expect_identical(drop_redundant(pcf(3, 0)), zero)
  expect_identical(drop_redundant(pcf(1:3, c(0, -0, 0))), zero)
  expect_identical(drop_redundant(zero), zero)
})

test_that("equal functions become identical to the last bit", {
  x <- pcf(list(c(-0, 1), c(0, 1)), list(c(1, -0), c(1, 0)))
  y <- drop_redundant(x)
  expect_identical(serialize(y[1], NULL), serialize(y[2], NULL))
  expect_identical(1 / unclass(y)[[1]][[2, 2]], Inf)
})

test_that("simplifying changes nothing else", {
  x <- c(tied_pcf(30), random_pcf(30))
  y <- drop_redundant(x)
  expect_true(all(x == y))
  expect_identical(drop_redundant(y), y)
  expect_identical(lp_distance(x, y, to = 100), numeric(60))
})

test_that("equality sees through breakpoints without a change", {
  x <- tied_pcf(50)
  y <- x + 0 * rev(x)
  expect_true(all(x == y))
  expect_false(any(duplicated(drop_redundant(x)) != duplicated(c(x, y))[1:50]))
  expect_true(all(duplicated(c(x, y))[51:100]))
  missing <- new_pcf(list(unclass(x)[[1]], NULL))
  expect_identical(duplicated(missing), c(FALSE, FALSE))
})

test_that("wrong arguments are errors", {
  wrong <- structure(list(a = cbind(0, 1), b = cbind(NA, 1)), class = c("pcf", "list"))
  refused(drop_redundant(3), "x", "must be a <pcf>, not 3. ", makes_pcf)
  refused(drop_redundant(wrong), "x", 'is invalid: function 2 ("b") has a missing time (NA) at position 1.')
  refused(wrong == wrong, "e1", 'is invalid: function 2 ("b") has a missing time (NA) at position 1.')
  refused(drop_redundant(example_pcf(), threads = 0), "threads", "must be a whole number of at least 1, not 0.")
})
