test_that("overlaps are lengths", {
  x <- random_partial_pcf(12, seed = 3)
  y <- random_partial_pcf(7, seed = 4)
  lengths <- function(x, y, ...) {
    d <- oracle_matrix(x, y, p = function(a, b) rep(1, length(a)), ...)
    replace(d, is.na(d), 0)
  }
  for (window in list(c(0, 5), c(-20, 20), c(2, 2.5))) {
    expected <- lengths(x, y, from = window[1], to = window[2])
    expect_near(overlap(x, y, from = window[1], to = window[2]), expected)
    own <- overlap(x, from = window[1], to = window[2])
    expect_near(own, lengths(x, x, from = window[1], to = window[2]))
    expect_identical(own, t(own))
  }
})

test_that("overlaps without end are infinite", {
  x <- pcf(list(a = c(0, 1), b = c(-Inf, 2), c = c(-Inf, 0, 1)), list(1:2, c(NA, 1), c(NA, 2, NA)))
  expect_identical(
    overlap(x),
    matrix(c(Inf, Inf, 1, Inf, Inf, 0, 1, 0, 1), 3, dimnames = list(names(x), names(x)))
  )
  expect_identical(diag(overlap(x, from = 0, to = 3)), c(a = 3, b = 1, c = 1))
})

test_that("overlaps have the shape of inner products", {
  x <- array(random_partial_pcf(6), c(2, 3))
  expect_identical(dim(overlap(x, x[1, ], from = 0, to = 5)), c(2L, 3L, 3L))
  expect_identical(dim(overlap(x[, 1], from = 0, to = 5)), c(2L, 2L))
  expect_identical(dim(overlap(x[0, ])), c(0L, 0L))
})

test_that("overlaps may be weighted", {
  x <- pcf(list(c(-Inf, 1), c(-Inf, 3)), list(c(NA, 1), c(1, NA)))
  expect_identical(overlap(x, weight = pcf(c(0, 2, 5), c(1, 4, 0))),
                   matrix(c(13, 5, 5, 6), 2))
})
