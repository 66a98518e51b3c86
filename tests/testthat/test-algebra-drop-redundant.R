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

test_that("text of functions without redundant breakpoints has the last measurement, and end() finds it", {
  allow_plain_numbers() # write.csv() writes decimal commas in such a locale
  measured <- data.frame(id = rep(c("a", "b"), each = 4), time = c(0:2, 2.3, 1:3, 7), value = c(1, 2, 2, 2, 1:4))
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file, expand = FALSE))
  for (make in list(as_pcf, as_plf)) {
    x <- make(measured, id = "id", time = "time", value = "value")
    y <- drop_redundant(x)
    expect_lt(nrow(unclass(y)[["a"]]), nrow(unclass(x)[["a"]]))
    expect_identical(end(y), end(x))
    write.csv(as.data.frame(y), file, row.names = FALSE)
    table <- read.csv(file)
    back <- if (is_pcf(y)) as_pcf(table, before = 0) else as_plf(table, left = "left")
    expect_identical(drop_redundant(back), y)
    expect_identical(evaluate(back, 2.3), evaluate(x, 2.3))
  }
})

test_that("functions that end elsewhere have no other rows or ends", {
  x <- c(pcf(c(-Inf, 1, 3), c(NA, 2, NA)), pcf(c(0, 1 / 3), c(1, NA)), pcf(c(0, next_time(5)), c(NA, 1)))
  expect_identical(as.data.frame(x)$time, c(-Inf, 1, 3, 0, 1 / 3, 0, next_time(5)))
  expect_identical(end(x), c(3, 1 / 3, next_time(5)))
  lines <- plf(c(0, 1, 4), c(0, 1, NA), left = c(0, 1, 7))
  expect_identical(as.data.frame(lines)$time, c(0, 1, 4))
})
