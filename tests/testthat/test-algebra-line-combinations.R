# The weighted sums of lines at some times, in plain R: of the functions with a weight other than 0.
weighted_values <- function(W, x, times, right = TRUE, na.rm = FALSE) {
  values <- t(vapply(unclass(x), line_values, double(length(times)), times, right))
  rows <- lapply(seq_len(nrow(W)), function(i) {
    colSums((W[i, ] * values)[W[i, ] != 0, , drop = FALSE], na.rm = na.rm)
  })
  unname(do.call(rbind, rows))
}

some_weights <- function(rows, columns) {
  with_seed(4, {
    W <- matrix(round(rnorm(rows * columns), 2), rows, columns)
    W[runif(rows * columns) < 0.4] <- 0
    if (rows > 1) W[2, ] <- 0
    W
  })
}

test_that("linear combinations of lines are the sums of each row", {
  W <- some_weights(5, 7)
  times <- c(-4, seq(-3, 16, by = 0.25))
  for (gaps in c(0, 0.2)) {
    x <- random_plf(7, gaps = gaps)
    expect_identical(anyNA(unlist(unclass(x))), gaps > 0)
    for (na.rm in c(FALSE, TRUE)) {
      result <- linear_combinations(W, x, na.rm)
      expect_true(is_plf(result))
      for (side in c("right", "left")) {
        expected <- weighted_values(W, x, times, side == "right", na.rm)
        expect_equal(evaluate(result, times, side = side), expected, tolerance = 1e-13)
      }
    }
    expect_identical(result[[2]], plf(0, 0)[[1]])
  }
})

test_that("rows keep their names, matrices their columns and times their unit", {
  x <- random_plf(6)
  W <- some_weights(3, 2)
  rownames(W) <- letters[1:3]
  expect_named(linear_combinations(W, x[1:2]), letters[1:3])
  m <- x
  dim(m) <- c(2, 3)
  colnames(m) <- LETTERS[1:3]
  result <- linear_combinations(W, m)
  expect_identical(dimnames(result), list(letters[1:3], LETTERS[1:3]))
  expect_identical(unname(c(result[, 2])), unname(linear_combinations(W, x[3:4])))
  days <- plf(as.Date("2024-01-01") + 0:2, c(0, 1, 0))
  expect_identical(time_unit(linear_combinations(matrix(2), days)), time_unit(days))
  expect_length(linear_combinations(matrix(0, 0, 2), x[1:2]), 0)
  expect_identical(linear_combinations(matrix(0, 2, 0), x[0]), plf(0, list(0, 0)))
})

test_that("what has no weight, or is missing, does not count", {
  x <- c(random_plf(2), plf(c(0, 1), c(1, NA)))
  x[4] <- NA
  expect_identical(linear_combinations(t(c(1, 2, 0, 0)), x), sum(x[1:2], weights = 1:2))
  expect_identical(sum(x[1:3], weights = c(1, 2, 0)), sum(x[1:2], weights = 1:2))
  expect_identical(
    linear_combinations(t(c(1, 2, 0, 3)), x, na.rm = TRUE), sum(x[1:2], weights = 1:2)
  )
  error <- expect_error(linear_combinations(t(c(1, 2, 0, 3)), x), class = "pcfdist_error_x")
  expect_identical(error$index, 4)
})

test_that("matrices of Matrix are multiplied by lines", {
  skip_if_not_installed("Matrix")
  x <- random_plf(4)
  W <- some_weights(4, 4)
  expected <- linear_combinations(W, x)
  for (class in c("CsparseMatrix", "RsparseMatrix", "TsparseMatrix")) {
    M <- methods::as(W, class)
    expect_identical(linear_combinations(M, x), expected)
    expect_identical(M %*% x, expected)
  }
  expect_identical(Matrix::Diagonal(x = 1:4) %*% x, linear_combinations(diag(1:4), x))
})

test_that("wrong weights and sums that are too large are errors", {
  x <- random_plf(2)
  expect_error(linear_combinations(t(c(1, NA)), x), "row 1, column 2", class = "pcfdist_error_W")
  expect_error(linear_combinations(t(1:3), x), class = "pcfdist_error_W")
  if (!"cuda" %in% test_devices()) {
    expect_error(linear_combinations(t(1:2), x, device = "cuda"), class = "pcfdist_error_device")
  }
  large <- plf(list(0, 1), list(1e308, 1e308))
  expect_error(linear_combinations(t(c(1, 1)), large), "too large", class = "pcfdist_error_argument")
  expect_error(linear_combinations(t(c(4, 0)), large), "too large", class = "pcfdist_error_argument")
  expect_error(mean(x, weights = c(1, -1)), "must not add up to 0", class = "pcfdist_error_weights")
})

test_that("sums of lines are exact, whatever their order and the threads", {
  x <- random_plf(40, whole = FALSE, seed = 5)
  total <- mean(x, weights = 1:40, threads = 1)
  expect_identical(mean(rev(x), weights = 40:1, threads = 2), total)
  expect_identical(sum(x, -x), plf(min(start(x)), 0))
  steps <- rpcf(30, 20)
  expect_identical(mean(as_plf(steps)), as_plf(mean(steps)))
  expect_identical(sum(as_plf(steps), weights = 1:30), as_plf(sum(steps, weights = 1:30)))
  # A steep rise to 1e300 leaves nothing behind.
  huge <- plf(c(0, 1, 1.25, 1.5, 9), c(0, 0, 1e300, 0, 0))
  small <- plf(c(-1, 4, 8), c(0, 1e-10, 0))
  expect_identical(evaluate(sum(huge, small), c(-0.5, 4, 6)), evaluate(small, c(-0.5, 4, 6)))
})
