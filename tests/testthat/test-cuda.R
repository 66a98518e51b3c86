# The CUDA device against the CPU. test_devices() says where it is tested.

skip_without_cuda <- function() {
  skip_if_not("cuda" %in% test_devices(), "no CUDA device")
}

on_both <- function(call, tolerance, scale = abs(cpu)) {
  cpu <- with_settings(call(), device = "cpu")
  cuda <- with_settings(call(), device = "cuda")
  expect_identical(last_run()$device, "cuda")
  expect_near(as.vector(cuda), as.vector(cpu), tolerance, scale = as.vector(scale))
}

test_that("cuda_info() tells what there is", {
  info <- cuda_info()
  expect_s3_class(info, "cuda_info")
  expect_named(info, c("built", "driver", "runtime", "problem", "devices"))
  expect_s3_class(info$devices, "data.frame")
  expect_output(print(info), "built with CUDA")
  if ("cuda" %in% test_devices()) {
    expect_identical(info$problem, "")
    expect_gt(nrow(info$devices), 0)
    expect_true(all(info$devices$has_code))
    expect_true(all(info$devices$free_memory > 0))
  } else {
    expect_true(nzchar(info$problem))
    expect_identical(nrow(info$devices), 0L)
  }
})

test_that("where CUDA cannot be used, device = \"cuda\" says why and \"auto\" computes", {
  skip_if("cuda" %in% test_devices())
  x <- paper_pcf(5)
  message <- paste0("`device` cannot be \"cuda\": ", cuda_info()$problem)
  calls <- list(
    function() pdist(x, device = "cuda"), function() cdist(x, x, device = "cuda"),
    function() l2_kernel(x, device = "cuda"), function() pcf_plan(x, device = "cuda")
  )
  for (call in calls) {
    expect_error(call(), message, fixed = TRUE, class = "pcfdist_error_device")
  }
  expect_identical(pdist(x, device = "auto"), pdist(x, device = "auto"))
  expect_identical(last_run()$device, "cpu")
})

test_that("the CUDA device agrees with the CPU on every kind of data", {
  skip_without_cuda()
  for (x in kinds_of_pcf(150, long = 3000)) {
    for (p in c(1, 2, 1.5, 3, 7.3, Inf)) {
      on_both(function() pdist(x, p), 1e-12)
      on_both(function() pdist(x, p, precision = "single"), 2e-5)
    }
    scale <- max(abs(l2_kernel(x)))
    on_both(function() l2_kernel(x, to = 50), 1e-12, scale)
    on_both(function() l2_kernel(x, to = 50, precision = "single"), 1e-5, scale)
    on_both(function() cdist(x, x[1:7], 2), 1e-12)
    on_both(function() cdist(x[1:3], x), 1e-12)
  }
})

test_that("windows and infinities on the CUDA device are those of the CPU", {
  skip_without_cuda()
  x <- c(tied_pcf(70), pcf(list(c(-3, 1), 2), list(c(1, -2), 3)))
  windows <- list(c(-Inf, Inf), c(-Inf, 4), c(2, Inf), c(1.5, 6), c(-9, -8), c(500, 501))
  for (window in windows) {
    for (p in c(1, 2, 2.7, Inf)) {
      on_both(function() pdist(x, p, window[1], window[2]), 1e-12)
    }
    on_both(function() l2_kernel(x, from = window[1], to = window[2]), 1e-12,
            scale = 1e4)
  }
})

test_that("blocks do not show in the results of the CUDA device", {
  skip_without_cuda()
  x <- paper_pcf(500, longest = 60)
  for (precision in c("double", "single")) {
    whole <- pdist(x, device = "cuda", precision = precision)
    small <- with_settings(
      pdist(x, device = "cuda", precision = precision), block = 64
    )
    expect_gt(last_run()$blocks, 30)
    expect_identical(as.vector(small), as.vector(whole))
  }
  kernel <- l2_kernel(x, device = "cuda")
  expect_true(isSymmetric(kernel, tol = 0))
  expect_identical(with_settings(l2_kernel(x, device = "cuda"), block = 64), kernel)
  expect_identical(cdist(x, x, device = "cuda"), t(cdist(x, x, device = "cuda")))
})

test_that("the order of the functions does not show on the CUDA device", {
  skip_without_cuda()
  x <- tied_pcf(130)
  order <- sample(length(x))
  d <- as.matrix(pdist(x, device = "cuda"))
  expect_identical(unname(as.matrix(pdist(x[order], device = "cuda"))),
                   unname(d[order, order]))
})

test_that("one GPU and all of them give the same", {
  skip_without_cuda()
  x <- paper_pcf(400, longest = 60)
  all <- with_settings(pdist(x, device = "cuda"), block = 64)
  one <- with_settings(pdist(x, device = "cuda"), block = 64, gpus = 1)
  expect_identical(all, one)
})

test_that("every step that fails on the CUDA device gives one error, and the next call works", {
  skip_without_cuda()
  x <- paper_pcf(200, longest = 60)
  expected <- pdist(x, device = "cuda")
  on.exit(.Call(pcfdist:::ffi_fail_at, 0L, 0L))
  for (k in 1:200) {
    .Call(pcfdist:::ffi_fail_at, k, 0L)
    result <- tryCatch(
      with_settings(pdist(x, device = "cuda"), block = 64),
      pcfdist_error_device = function(e) e
    )
    .Call(pcfdist:::ffi_fail_at, 0L, 0L)
    expect_identical(as.vector(pdist(x, device = "cuda")), as.vector(expected))
    if (inherits(result, "dist")) break
  }
  expect_s3_class(result, "dist")
  expect_gt(k, 20)
})

test_that("a forked child gets an error for CUDA, and the CPU works there", {
  skip_without_cuda()
  skip_on_os("windows")
  x <- paper_pcf(20)
  expected <- pdist(x, device = "cuda")
  child <- parallel::mcparallel(list(
    tryCatch(pdist(x, device = "cuda"), error = conditionMessage),
    pdist(x, device = "cpu")
  ))
  answer <- parallel::mccollect(child)[[1]]
  expect_match(answer[[1]], "forked")
  expect_equal(as.vector(answer[[2]]), as.vector(expected))
})

test_that("a kernel that the CUDA device does not have is an error", {
  skip_without_cuda()
  x <- paper_pcf(5)
  expect_error(
    with_settings(pdist(x, device = "cuda"), kernel = "split"),
    class = "pcfdist_error_pcfdist.kernel"
  )
})
