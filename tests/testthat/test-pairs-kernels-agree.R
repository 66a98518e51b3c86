# What calls of the same kernel have in common; the C tests compare kernels with the definition, and
# see that tiles, blocks, threads and the order of functions do not show.

test_that("the forced kernel and instructions are those that run", {
  x <- random_pcf(5)
  for (kernel in kernels) {
    for (isa in instruction_sets()) {
      with_settings(pdist(x, to = 9), kernel = kernel, isa = isa, tile = 128)
      run <- last_run()
      expect_identical(run$kernel, kernel)
      expect_identical(run$isa, isa)
      if (kernel != "walk") expect_identical(run$width, 128L)
    }
  }
})

# ---- Bit for bit ----

test_that("half a matrix is half of the full one, in either precision", {
  for (precision in c("double", "single")) for (x in list(tied_pcf(75), random_pcf(75))) {
    for (kernel in kernels) for (p in operations) {
      with_settings(kernel = kernel, tile = 32, code = {
        full <- full_matrix(x, x, p, to = 7.75, precision = precision)
        half <- half_matrix(x, p, to = 7.75, precision = precision)
      })
      expect_identical(full, half, label = paste(precision, kernel, p))
      if (!identical(p, "inner")) expect_identical(diag(full), numeric(length(x)))
    }
  }
})

test_that("sums of many powers keep their digits", {
  n <- 65533
  steps <- pcf(0:(n + 1), c(1, rep(c(0.85, -0.85), length.out = n), 0))
  expect_near(lp_distance(steps, pcf(0, 0), 1.05), (1 + n * 0.85^1.05)^(1 / 1.05), 5e-14)
  lines <- plf(c(0, 1 + 0:n), c(1, rep(0.6, n), 0), left = c(0, 1, rep(0, n)))
  expect_near(lp_distance(lines, plf(0, 0), 1.05), (1 + n * 0.6^1.05 / 2.05)^(1 / 1.05), 5e-14)
})

test_that("lp_distance() is what the walk gives", {
  x <- c(tied_pcf(20), random_pcf(20))
  y <- x[40:1]
  for (p in list(1, 2, 1.5, 7.3, Inf)) for (precision in c("double", "single")) {
    all <- with_settings(cdist(x, y, p, precision = precision), kernel = "walk")
    expect_identical(lp_distance(x, y, p, precision = precision), diag(all))
  }
})
