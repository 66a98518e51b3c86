test_that("pieces cover the range from left to right", {
  pieces <- pieces_between(example_pcf(), 0, 6)
  expect_identical(pieces$f, c(1L, 1L, 1L, 2L, 2L, 2L))
  expect_identical(pieces$x0, c(0, 2, 5, 0, 1, 4))
  expect_identical(pieces$x1, c(2, 5, 6, 1, 4, 6))
  expect_identical(pieces$y0, c(1, 3, 0, 0, 2, 0))
})

test_that("pieces outside the range are cut off", {
  pieces <- pieces_between(example_pcf()["a"], 3, 4)
  expect_identical(unlist(pieces[1, ]), c(f = 1, x0 = 3, x1 = 4, y0 = 3, y1 = 3))
  expect_identical(nrow(pieces), 1L)
})

test_that("jumps join the pieces of one function", {
  jumps <- jumps_between(pieces_between(example_pcf(), 0, 6))
  expect_identical(jumps$f, c(1L, 1L, 2L, 2L))
  expect_identical(jumps$x0, c(2, 5, 1, 4))
  expect_identical(jumps$y0, c(1, 3, 0, 2))
  expect_identical(jumps$y1, c(3, 0, 2, 0))
})

test_that("plot() and lines() draw and return their argument invisibly", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  x <- example_pcf()
  expect_identical(expect_invisible(plot(x)), x)
  expect_equal(current_xlim(), default_xlim(x))
  expect_identical(expect_invisible(lines(x[2], col = "red", verticals = "none")), x[2])
  expect_silent(plot(pcf(0, 0), verticals = "solid"))
  expect_silent(plot(pcf(1:2, 1:2), log = "xy", main = "title"))
  expect_equal(current_xlim(), c(1, 2.05))
  expect_silent(plot(random_pcf(50), xlim = c(100, 200), ylim = c(0, 1), lwd = 1:3))
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  expect_snapshot(error = TRUE, {
    plot(x, verticals = "dashed")
    lines(x[0])
    plot(x[0])
  })
})
