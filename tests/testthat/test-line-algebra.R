test_that("means of lines are missing where none is observed", {
  x <- plf(list(0:2, 1:3), list(c(1, 2, NA), c(4, 6, NA)), left = list(c(NA, 2, 3), c(NA, 6, 8)))
  m <- mean(x, na.rm = TRUE)
  expect_equal(
    as.vector(evaluate(m, c(-1, 0, 0.5, 1, 1.5, 2, 2.5, 3))), c(NA, 1, 1.5, 3, 3.75, 6, 7, NA)
  )
})

test_that("quantiles of lines at given times are joined", {
  x <- plf(list(c(0, 4), c(0, 4)), list(c(0, 4), c(4, 0)))
  q <- quantile(x, 1, times = c(0, 1, 4))
  expect_equal(as.vector(evaluate(q, c(0, 1, 2, 4))), c(4, 3, 3 + 1 / 3, 4))
  expect_equal(as.vector(evaluate(quantile(x, 1), c(0, 1, 2, 4))), c(4, 3, 2, 4))
})
