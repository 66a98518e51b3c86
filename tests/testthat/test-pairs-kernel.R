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

test_that("products that are infinite at both ends are as integral() has them", {
  x <- pcf(
    list(-Inf, c(-Inf, 0), c(-Inf, 0, 1), c(-Inf, 2), c(-Inf, -1, 1), c(0, 3)),
    list(1, c(1, -1), c(-2, 100, 1), c(3, 0), c(0, 5, -2), c(2, 1))
  )
  n <- length(x)
  of_products <- function(...) {
    integrals <- suppressWarnings(integral(rep(x, n) * rep(x, each = n), ...))
    matrix(integrals, n)
  }
  expected <- of_products()
  expect_true(is.nan(expected[1, 2]))
  for (kernel in kernels) {
    with_settings(kernel = kernel, code = {
      expect_equal(l2_kernel(x), expected)
      expect_equal(l2_kernel(x, x), expected)
      expect_identical(is.nan(l2_kernel(x, precision = "single")), is.nan(expected))
      expect_equal(l2_kernel(x, to = 9), of_products(to = 9))
      expect_equal(l2_kernel(x, from = -9), of_products(from = -9))
    })
  }
  expect_identical(kernel_product(x[1:2], c(1, 1)), c(NaN, NaN))
  expect_identical(kernel_product(x[1:2], c(1, 0)), c(Inf, NaN))
})

test_that("a product that overflows at first is what its last values make it", {
  huge <- pcf(c(-Inf, 0, 9), c(1, -1e308, 0))
  expect_identical(as.vector(maybe_infinite(l2_kernel(huge, pcf(-Inf, 1)))), Inf)
})

test_that("l2_kernel(x) is symmetric and has the names of x on both sides", {
  x <- random_pcf(40)
  names(x) <- sprintf("f%02d", 1:40)
  k <- l2_kernel(x, to = 20)
  expect_identical(k, t(k))
  expect_identical(dimnames(k), list(names(x), names(x)))
  expect_null(dimnames(l2_kernel(unname(x))))
})

test_that("the cross kernel has the shape of outer()", {
  x <- random_pcf(4)
  dim(x) <- c(2, 2)
  k <- l2_kernel(x, c(a = random_pcf(1)), to = 9)
  expect_identical(dim(k), c(2L, 2L, 1L))
  expect_identical(dimnames(k), list(NULL, NULL, "a"))
  expect_identical(dim(l2_kernel(x, to = 9)), c(4L, 4L))
})

test_that("few, long functions are integrated once, and looked up", {
  short <- random_pcf(30, 6)
  long <- random_pcf(3, 6, 2)
  for (i in c(1, 3)) {
    long[i] <- with_seed(i, pcf(sort(unique(runif(9000, 0, 9))), rnorm(9000)))
  }
  by_walk <- function(...) with_settings(l2_kernel(...), kernel = "walk")
  for (to in c(7.5, Inf)) {
    scale <- by_walk(abs(short), abs(long), from = 0, to = to)
    product <- l2_kernel(short, long, from = 0, to = to)
    expect_identical(last_run()$kernel, "lookup")
    expect_near(product, by_walk(short, long, from = 0, to = to), 1e-13, scale)
    expect_identical(l2_kernel(long, short, from = 0, to = to, threads = 3), t(product))
    expect_identical(last_run()$kernel, "lookup")
  }
  expect_output(print(last_run()), "lookup .* <- chosen")
  l2_kernel(short, long, precision = "single")
  expect_false(last_run()$kernel == "lookup")
  expect_false(any(grepl("lookup", format(pcf_plan(short, long)))))
})

test_that("looking up loses no digits after a stretch that is much larger", {
  short <- pcf(rep(list(c(10, 20)), 100), rep(list(c(1, 0)), 100))
  long <- pcf(list(c(0, 0.1, 1 + (0:4000) / 3), c(0, 0.1, 1 + (0:4000) / 3)),
              list(c(1e35, rep(1, 4001), 0), c(1e35, -1e35, rep(c(1, 0), length.out = 4000), 0)))
  product <- l2_kernel(short, long)
  expect_identical(last_run()$kernel, "lookup")
  expect_near(product, rep(c(10, 5), each = 100))
})

test_apart("looking up knows gaps, values from the start of time, and weights", {
  short <- random_partial_pcf(12)
  long <- c(random_long(3000, 3), random_partial_pcf(1, 9, 5))
  for (missing in c("overlap", "mean")) {
    product <- function(kernel) {
      with_settings(l2_kernel(short, long, -1, 9, missing), kernel = kernel)
    }
    expect_equal(product("lookup"), product("walk"))
  }
  x <- random_pcf(9)
  weight <- pcf(c(0, 1, 3), c(1, 0.25, 2))
  weighted <- function(kernel) {
    with_settings(l2_kernel(x, long[1], to = 9, weight = weight), kernel = kernel)
  }
  expect_equal(weighted("lookup"), weighted("walk"))
  ends <- pcf(list(c(0, 2), c(-Inf, 1), 0), list(c(1, -2), c(1, 3), 0))
  expect_identical(
    with_settings(l2_kernel(ends, ends), kernel = "lookup"),
    with_settings(l2_kernel(ends, ends), kernel = "walk")
  )
})

test_that("products within one collection are those of it with itself", {
  with_seed(5, for (kernel in c("auto", "sweep", "grid", "walk", "split")) {
    for (precision in c("double", "single")) for (m in c(1, 6, 40)) {
      x <- pcf(1:40, lapply(1:9, function(i) ifelse(1:40 %in% c(1, sample(40, m)), rnorm(40), 0)))
      with_settings(kernel = kernel, {
        within <- l2_kernel(x, to = 41, precision = precision)
        used <- last_run()$kernel
        across <- l2_kernel(x, x, to = 41, precision = precision)
      })
      if (used == last_run()$kernel) expect_identical(across, within)
      expect_lte(max(abs(across - within)), if (precision == "double") 1e-13 * max(within) else 1e-5 * max(within))
    }
  })
})
