# Sums over all pairs, each looked at where its block is. test_devices() says where.

# The same bits however the work is cut.
expect_one_result <- function(call, device = "cpu") {
  one <- with_settings(call(), device = device)
  ways <- list(list(block = 32), list(block = 96), list(threads = 1), list(threads = 3, block = 64),
               list(gpus = 1))
  for (way in ways) {
    expect_identical(do.call(with_settings, c(list(quote(call()), device = device), way)), one)
  }
  one
}

sums_of_kinds <- function(x, y, b, ...) {
  list(
    power = function() distance_product(x, b, y, power = 1.5, ...),
    mixed = function() distance_product(x, b, y, p = Inf, power = 2, ...),
    gaussian = function() kernel_product(x, b, y, "gaussian", 2, ...),
    laplacian = function() kernel_product(x, b, y, "laplacian", 2, ...),
    logarithm = function() reduce_distances(x, y, "logsumexp", scale = 2, power = 1.5, ...)
  )
}

# From the matrices, and how large the terms are.
expected_of_kinds <- function(x, y, b, ...) {
  other <- if (is.null(y)) x else y
  d <- function(p) cdist(x, other, p, ...)
  product <- function(m) list(value = m %*% b, scale = abs(m) %*% abs(b))
  exponents <- -d(1)^1.5 / 2
  if (is.null(y)) diag(exponents) <- -Inf
  logarithm <- log(rowSums(exp(exponents)))
  list(
    power = product(d(1)^1.5), mixed = product(d(Inf)^2), gaussian = product(exp(-d(2)^2 / 8)),
    laplacian = product(exp(-d(1) / 2)), logarithm = list(value = logarithm, scale = 1)
  )
}

expect_kinds <- function(x, y, b, ..., device = "cpu", tolerance = 1e-13) {
  calls <- sums_of_kinds(x, y, b, ...)
  expected <- expected_of_kinds(x, y, b, ...)
  for (kind in names(calls)) {
    actual <- expect_one_result(calls[[kind]], device)
    expect_near(actual, expected[[kind]]$value, tolerance, expected[[kind]]$scale)
  }
}

test_that("sums are those of the matrix, and the same however they are cut", {
  for (seed in 1:3) {
    x <- unname(paper_pcf(100, 30, seed = seed))
    y <- unname(paper_pcf(41, 30, seed = seed + 10))
    for (other in list(NULL, y)) {
      b <- with_seed(seed, matrix(rnorm(length(if (is.null(other)) x else other) * 35), ncol = 35))
      expect_kinds(x, other, b, to = 2)
    }
  }
})

test_that("sums of blocks of a CUDA device are those of its matrix", {
  skip_without_cuda()
  x <- unname(paper_pcf(700, 60))
  y <- unname(paper_pcf(150, 60, seed = 3))
  for (other in list(NULL, y)) {
    b <- with_seed(1, matrix(rnorm(length(if (is.null(other)) x else other) * 3), ncol = 3))
    expect_kinds(x, other, b, to = 2, device = "cuda", tolerance = 1e-12)
  }
  expect_identical(last_run()$device, "cuda")
  sum <- function(precision) {
    with_settings(kernel_product(x, rep(1, 700), kernel = "gaussian", scale = 2, to = 2),
                  device = "cuda", precision = precision)
  }
  expect_equal(sum("single"), sum("double"), tolerance = 1e-5)
})

test_apart("pairs that are not observed together make sums missing, unless their b is 0", {
  x <- unname(random_partial_pcf(70, seed = 4))
  y <- x[c(1:20, 33)]
  for (missing in c("overlap", "mean")) for (other in list(NULL, y)) {
    d <- cdist(x, if (is.null(other)) x else other, from = 0, to = 4, missing = missing)
    expect_true(anyNA(d))
    b <- with_seed(1, matrix(sample(c(-1, rep(0, 20), 2), ncol(d) * 7, TRUE), ncol = 7))
    weights <- exp(-d / 3)
    expected <- apply(b, 2, function(b) {
      apply(weights, 1, function(w) sum((w * b)[b != 0]))
    })
    actual <- kernel_product(x, b, other, "laplacian", 3, from = 0, to = 4, missing = missing)
    expect_equal(actual, expected)
    expect_true(any(is.na(expected)) && any(!is.na(expected)))
    expect_identical(is.nan(actual), is.nan(expected))
  }
})

test_that("single precision, other operations and progress go to the sink as well", {
  x <- unname(random_pcf(80, 9))
  b <- with_seed(2, matrix(rnorm(160), 80))
  inner <- l2_kernel(x, to = 9)
  actual <- kernel_product(x, b, precision = "single", to = 9)
  expect_near(actual, inner %*% b, 1e-5, abs(inner) %*% abs(b))
  expect_identical(last_run()$precision, "single")
  seen <- list()
  settings <- pcfdist:::run_settings("cpu", NULL, 1, FALSE)
  settings$progress <- function(...) seen[[length(seen) + 1]] <<- c(...)
  call <- pcfdist:::check_integrals(x, NULL, -Inf, 9, "error", NULL)
  sums <- pcfdist:::new_sums("laplacian", scale = 2, b = b)
  pcfdist:::sum_pairs(call, "l1", 1, settings, sums)
  last <- seen[[length(seen)]]
  expect_identical(last[1], last[2])
  expect_gt(last[2], 0)
})

test_that("a sum of no pairs is 0, and its logarithm minus infinity", {
  x <- example_pcf()
  none <- x[0]
  expect_identical(kernel_product(x, numeric(), none, "laplacian", 1), c(a = 0, b = 0))
  expect_identical(dim(kernel_product(none, matrix(0, 2, 3), x, "laplacian", 1)), c(0L, 3L))
  expect_identical(unname(kernel_product(x[1], 5, kernel = "gaussian", scale = 1)), 5)
  expect_identical(reduce_distances(x[1], with = "logsumexp", scale = 1), c(a = -Inf))
})

test_that("high powers overflow only if their sum does", {
  x <- pcf(c(0, 1), list(c(100, 0), c(94, 0), c(94, 0)))
  ten <- function(b) distance_product(x, 10^b, power = 400)
  sixes <- function(b) 10^(400 * log10(6) + b)
  expect_identical(ten(c(0, 0, 0)), c(Inf, Inf, Inf))
  expect_equal(ten(c(-20, -30, -31)), sixes(c(-30, -20, -20)) + c(sixes(-31), 0, 0), tolerance = 1e-12)
  expect_identical(distance_product(x[1:2], c(1, 1), power = 1e20), c(Inf, Inf))
})
