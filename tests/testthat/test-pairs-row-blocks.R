# Products and sums that go through all pairs block by block.

in_blocks <- function(code, block = 3) with_settings(code, block = block)

test_that("faults are named by their place in the whole collection", {
  x <- random_pcf(10, 6)
  names(x) <- letters[1:10]
  broken <- unclass(x)
  broken[[9]] <- cbind(time = c(2, 1), value = c(0, 0))
  class(broken) <- "pcf"
  gap <- c(x, pcf(c(-Inf, 1), c(NA, 2)))
  b <- rep(1, 10)
  gaussian <- function(x, y = NULL) in_blocks(kernel_product(x, b, y, kernel = "gaussian", scale = 1))
  nearest <- function(x, ...) in_blocks(nearest_neighbors(x, 2, ..., from = 0, to = 1, missing = "mean"))
  calls <- list(
    x = function() gaussian(broken), y = function() gaussian(x, broken), x = function() gaussian(broken, x),
    x = function() nearest(broken), query = function() nearest(x, broken)
  )
  for (k in seq_along(calls)) {
    argument <- names(calls)[k]
    expect_refusal(calls[[k]](), argument, "`", argument, '` is invalid: function 9 ("i") has the time 1 at ',
                   "position 2, after 2. Times must increase.")
  }
  cubes <- function(x, ...) in_blocks(distance_product(x, c(b, 1), ..., p = 3))
  expect_refusal(cubes(gap), "missing", observed_apart('1 ("a")', "-Inf, 1", "11", begun_at_zero))
  expect_refusal(cubes(x, gap), "missing", observed_apart('1 ("a") of `x`', "-Inf, 1", "11 of `y`", begun_at_zero))
  expect_refusal(cubes(gap, missing = "mean"), "missing",
                 endless_mean, 'function 1 ("a")', hold_for_ever(max_time(gap)))
})

test_that("the overlap of a function with itself may have no end", {
  partial <- list(c(-Inf, 1, 3), c(-Inf, 0.5, 2.5))
  held <- pcf(c(list(c(0, 2)), partial), list(c(1, 0), c(NA, 2, NA), c(NA, 3, NA)))
  begun <- pcf(c(list(c(-Inf, 2)), partial), list(c(1, NA), c(NA, 2, NA), c(NA, 3, NA)))
  everywhere <- pcf(list(-Inf, c(-Inf, 1e9, 1e9 + 1)), list(1, c(NA, 2, NA)))
  for (x in list(held, begun, everywhere, held[1], held[0])) {
    n <- length(x)
    mean_of <- function(f, ...) f(x, ..., missing = "mean")
    distances <- unname(as.matrix(mean_of(pdist)))
    others <- `diag<-`(distances, NA)
    for (block in c(1, 100)) {
      expect_equal(in_blocks(mean_of(distance_product, diag(n)), block), distances)
      kernel <- in_blocks(mean_of(kernel_product, diag(n), kernel = "laplacian", scale = 1), block)
      expect_equal(unname(kernel), exp(-distances))
      expect_equal(in_blocks(mean_of(neighbors_within, 1.5, count = TRUE), block),
                   rowSums(others <= 1.5, na.rm = TRUE))
      nearest <- in_blocks(mean_of(reduce_distances), block)
      expect_equal(nearest, as.double(apply(others, 1, function(d) sort(d)[1])))
    }
    if (n > 0) {
      expect_error(mean_of(kernel_product, diag(n)), class = "pcfdist_error_missing")
    }
  }
})

test_that("functions at an infinite distance have the kernel 0", {
  x <- pcf(list(0, c(0, 1), 0), list(1, c(2, 0), 1))
  expect_identical(kernel_product(x, c(1, 10, 100), kernel = "laplacian", scale = 1),
                   c(101, 10, 101))
})

test_that("the last run tells of all blocks", {
  x <- random_pcf(20, 6)
  product <- function(...) in_blocks(kernel_product(x, rep(1, 20), kernel = "gaussian", scale = 1, to = 9, ...), 5)
  product()
  run <- last_run()
  expect_s3_class(run, "pcf_plan")
  expect_identical(run$pairs, 210)
  expect_gte(run$blocks, 1)
  expect_true("compute" %in% names(run$phases))
  expect_output(print(run), "took")
  product(from = 0, missing = "mean")
  expect_identical(last_run()$pairs, 210)
})
