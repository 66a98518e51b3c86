test_that("rectangles cover the window and hold the values", {
  x <- unname(c(random_pcf(4), tied_pcf(4), pcf(0, 0), pcf(1, 0)))
  for (i in seq_along(x)) {
    f <- x[i]
    g <- x[length(x) + 1 - i]
    for (window in list(c(-Inf, Inf), c(0, 3), c(-Inf, 1.5), c(2.5, Inf), c(90, 91))) {
      r <- rectangles(f, g, window[1], window[2])
      n <- nrow(r)
      expect_named(r, c("left", "right", "f", "g"))
      expect_identical(c(r$left[1], r$right[n]), window)
      expect_identical(r$left[-1], r$right[-n])
      expect_true(all(r$left < r$right))
      inside <- c(r$left, all_times(f, g))
      inside <- inside[inside >= window[1] & inside < window[2]]
      at <- findInterval(inside, r$left)
      expect_identical(r$f[at], values_of(f, inside))
      expect_identical(r$g[at], values_of(g, inside))
      # No two could be one.
      expect_true(all(r$f[-1] != r$f[-n] | r$g[-1] != r$g[-n]))
    }
  }
})

test_that("an example", {
  expect_identical(
    rectangles(pcf(c(0, 2, 5), c(1, 3, 0)), pcf(c(2, 4), c(1, 0))),
    data.frame(
      left = c(-Inf, 0, 2, 4, 5), right = c(0, 2, 4, 5, Inf),
      f = c(0, 1, 3, 3, 0), g = c(0, 0, 1, 0, 0)
    )
  )
  expect_identical(
    rectangles(pcf(0, 0), pcf(3, 0)), data.frame(left = -Inf, right = Inf, f = 0, g = 0)
  )
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  wrong <- structure(list(cbind(0, Inf)), class = c("pcf", "list"))
  refused(rectangles(3, 4), "f", "must be a <pcf>, not 3. ", makes_pcf)
  refused(rectangles(x[1], ecdf(1)), "g", "must be a <pcf>, not a function. ", makes_pcf)
  refused(rectangles(x, x[1]), "f", "must be one function, not 2.")
  refused(rectangles(x[1], x[0]), "g", "must be one function, not 0.")
  refused(rectangles(x[1], x[2], 3, 2), "from", "must be at most `to`: 3 is greater than 2.")
  refused(rectangles(x[1], x[2], NA), "from", "must be a number, not NA.")
  refused(rectangles(wrong, x[1]), "f", "is invalid: the function has an infinite value (Inf) at position 1.")
  refused(rectangles(x[1], wrong), "g", "is invalid: the function has an infinite value (Inf) at position 1.")
})
