# Piecewise linear functions on the CUDA device, beside test-pairs-lines.R: longer ones, many tiles and
# blocks, functions that stay there, and several GPUs. test_devices() says where they are tested.

long_plf <- function(n, longest, seed = 1, gaps = 0) {
  random_plf(n, longest, whole = FALSE, gaps = gaps, seed = seed)
}

# Few times, which all functions share.
gridded_plf <- function(n, points = 60) {
  with_seed(1, plf(sqrt(seq_len(points)), lapply(seq_len(n), function(i) c(rnorm(points - 1), 0))))
}

on_cuda_with <- function(call, ...) {
  with_settings(device = "cuda", ..., {
    result <- call()
    expect_identical(last_run()$device, "cuda")
    as.vector(result)
  })
}

test_that("the CUDA device agrees with the CPU on lines in many tiles", {
  skip_without_cuda()
  kinds <- list(own = long_plf(100, 150), whole = random_plf(100), shared = gridded_plf(130))
  for (kind in names(kinds)) {
    x <- kinds[[kind]]
    for (kernel in c("sweep", "split")) for (p in c(1, 2, 3, 7.3, Inf)) {
      on_both(function() pdist(x, p, from = 0.4, to = 2.3), 1e-12, kernel = kernel)
      on_both(function() pdist(x, p, precision = "single"), 2e-5, kernel = kernel)
    }
    scale <- max(abs(l2_kernel(x)))
    for (kernel in cuda_kernels) {
      on_both(function() pdist(x, 2), 1e-12, kernel = kernel)
      on_both(function() cdist(x, x[1:7], 2, from = 0.1, to = 3), 1e-12, kernel = kernel)
      on_both(function() l2_kernel(x), 1e-12, scale, kernel = kernel)
      on_both(function() l2_kernel(x, precision = "single"), 1e-5, scale, kernel = kernel)
    }
  }
})

test_that("lines that do not fit on the device are streamed, and the bits are the same", {
  skip_without_cuda()
  x <- long_plf(400, 150)
  call <- function() pdist(x, 2)
  expected <- on_cuda_with(call, kernel = "sweep", block = 64)
  expect_identical(on_cuda_with(call, kernel = "sweep", block = 64, gpu_memory = 4e6), expected)
})

test_that("any blocks and any number of GPUs give lines the same bits", {
  skip_without_cuda()
  x <- long_plf(130, 40)
  weight <- pcf(c(0, 0.5, 2, 9), c(1, 0.3, 2, 0))
  calls <- list(
    function() pdist(x), function() pdist(x, 2, precision = "single"), function() pdist(x, 2.7, to = 3),
    function() pdist(x, Inf), function() l2_kernel(x), function() pdist(x, 2, from = 0, weight = weight),
    function() cdist(x, gridded_plf(40), 2)
  )
  for (call in calls) for (kernel in c("sweep", "split")) {
    expected <- on_cuda_with(call, kernel = kernel, gpus = 1)
    expect_identical(on_cuda_with(call, kernel = kernel), expected)
    expect_identical(on_cuda_with(call, kernel = kernel, block = 64), expected)
  }
  shared <- gridded_plf(260)
  for (call in list(function() pdist(shared, 2), function() l2_kernel(shared, from = 1.1, to = 5))) {
    expected <- on_cuda_with(call, kernel = "grid", gpus = 1)
    expect_identical(on_cuda_with(call, kernel = "grid", block = 128), expected)
  }
})

test_apart("lines that stay on the GPU give the same bits", {
  skip_without_cuda()
  x <- long_plf(90, 60)
  gaps <- long_plf(80, 40, seed = 2, gaps = 0.3)
  huge <- do.call(c, lapply(1:40, function(i) long_plf(1, 30, seed = i) * 2^(i * 25 - 500)))
  calls <- list(
    function(x, ...) pdist(x, 1, ...), function(x, ...) pdist(x, 2, from = 0.2, to = 1.1, ...),
    function(x, ...) l2_kernel(x, to = 0.7, ...), function(x, ...) cdist(x, x[3:9], 2.5, ...)
  )
  for (f in list(x, huge)) {
    there <- on_gpu(f)
    for (call in calls) for (precision in c("double", "single")) {
      expected <- on_cuda_with(function() call(f, precision = precision))
      for (k in 1:2) expect_identical(on_cuda_with(function() call(there, precision = precision)), expected)
    }
    expect_gt(release(there), 0)
  }
  there <- on_gpu(gaps)
  for (missing in c("overlap", "mean")) {
    of <- function(x) function() pdist(x, 2, from = 0, to = 2, missing = missing)
    expect_identical(on_cuda_with(of(there)), on_cuda_with(of(gaps)))
  }
  release(there)
  expect_error(exp(on_gpu(x)), class = "pcfdist_error")
})

test_that("neighbours and trees of many lines are those of the matrix of the CUDA device", {
  skip_without_cuda()
  x <- long_plf(200, 20)
  for (kernel in c("sweep", "split")) for (precision in c("double", "single")) {
    with_settings(device = "cuda", kernel = kernel, block = 64, {
      for (p in c(1, 2.7, Inf)) expect_neighbors(x, 3, p = p, precision = precision, share = 0.02)
      tree <- spanning_tree(x, precision = precision)
      single <- hclust(pdist(x, precision = precision), "single")
      expect_identical(last_run()$device, "cuda")
      expect_near(tree$height, single$height, 1e-12)
    })
  }
})

test_that("plans expect more of lines on the CUDA device than of steps", {
  skip_without_cuda()
  expected <- function(x, ...) pcf_plan(x, ..., device = "cuda")$expected[["cuda"]]
  x <- long_plf(2000, 200)
  steps <- pcf(lapply(unclass(x), function(f) f[, 1]), lapply(unclass(x), function(f) f[, 3]))
  for (p in c(1, 2, Inf)) expect_gt(expected(x, p = p), expected(steps, p = p))
  expect_identical(pcf_plan(gridded_plf(2000), p = 2, device = "cuda")$kernel, "grid")
  expect_identical(pcf_plan(gridded_plf(2000), p = 1, device = "cuda")$kernel, "sweep")
})
