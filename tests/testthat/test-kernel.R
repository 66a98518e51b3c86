test_that("inner products are exact", {
  x <- c(paper_pcf(8, 100), random_pcf(6), pcf(3, -2))
  for (device in test_devices()) {
    expected <- oracle_matrix(x, p = "inner")
    scale <- scale_of(expected, x, p = "inner")
    expect_near(l2_kernel(x, device = device), expected, 1e-13, scale)
    expect_near(l2_kernel(x, x, device = device), expected, 1e-13, scale)
    expect_near(l2_kernel(x, device = device, precision = "single"), expected, 1e-5, scale)
  }
})

test_that("products that never end are infinite, with their sign", {
  x <- pcf(list(0, c(1, 2), c(0, 3), c(0, 5)), list(2, c(1, -1), c(4, 0), c(1, 1e-30)))
  expected <- rbind(
    c(Inf, -Inf, 24, Inf), c(-Inf, Inf, 0, -Inf), c(24, 0, 48, 12), c(Inf, -Inf, 12, Inf)
  )
  expect_identical(unname(l2_kernel(x)), expected)
  for (kernel in kernels) {
    with_settings(kernel = kernel, code = {
      expect_identical(l2_kernel(x), expected)
      expect_identical(l2_kernel(x, precision = "single"), expected)
      expect_identical(l2_kernel(x, x[4]), expected[, 4, drop = FALSE])
    })
  }
})

test_that("l2_kernel(x) is symmetric and has the names of x on both sides", {
  x <- random_pcf(40)
  names(x) <- sprintf("f%02d", 1:40)
  k <- l2_kernel(x, to = 20)
  expect_identical(k, t(k))
  expect_identical(dimnames(k), list(names(x), names(x)))
  expect_null(dimnames(l2_kernel(unname(x))))
})

test_that("l2_kernel(x) is l2_kernel(x, x), diagonal included", {
  for (x in list(random_pcf(70), tied_pcf(70), gridded_pcf(70))) {
    for (precision in c("double", "single")) {
      for (kernel in kernels) {
        for (to in c(7.5, Inf)) {
          with_settings(kernel = kernel, precision = precision, code = {
            expect_identical(l2_kernel(x, to = to), l2_kernel(x, x, to = to))
          })
        }
      }
    }
  }
})

test_that("the cross kernel has the shape of outer()", {
  x <- random_pcf(4)
  dim(x) <- c(2, 2)
  k <- l2_kernel(x, c(a = random_pcf(1)), to = 9)
  expect_identical(dim(k), c(2L, 2L, 1L))
  expect_identical(dimnames(k), list(NULL, NULL, "a"))
  expect_identical(dim(l2_kernel(x, to = 9)), c(4L, 4L))
})

test_that("the kernel and the L2 distance agree", {
  x <- paper_pcf(20, 100)
  k <- l2_kernel(x)
  norms <- outer(diag(k), diag(k), "+")
  expect_near(as.matrix(pdist(x, 2))^2, norms - 2 * k, 1e-13, norms)
})

test_that("the Cauchy-Schwarz inequality holds and the kernel is positive", {
  x <- c(paper_pcf(20, 60), tied_pcf(20))
  k <- l2_kernel(x, to = 15)
  norms <- sqrt(outer(diag(k), diag(k)))
  expect_true(all(abs(k) <= norms * (1 + 1e-14)))
  expect_gt(min(eigen(k, symmetric = TRUE, only.values = TRUE)$values), -1e-12 * max(k))
})
