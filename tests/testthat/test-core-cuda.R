# The CUDA device against the CPU. test_devices() says where it is tested.

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
    expect_true(all(info$devices$kept_memory >= 0))
    one <- with_settings(cuda_info(), gpus = 1)$devices
    expect_identical(is.na(one$free_memory), seq_len(nrow(one)) > 1)
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

test_that("every kernel of the CUDA device agrees with the CPU on every kind of data", {
  skip_without_cuda()
  for (kernel in cuda_kernels) {
    for (x in kinds_of_pcf(150, long = 3000)) {
      agree <- function(...) on_both(..., kernel = kernel)
      for (p in c(1, 2, 1.5, 3, 7.3, Inf)) {
        agree(function() pdist(x, p), 1e-12)
        agree(function() pdist(x, p, precision = "single"), 2e-5)
      }
      scale <- max(abs(l2_kernel(x)))
      agree(function() l2_kernel(x, to = 50), 1e-12, scale)
      agree(function() l2_kernel(x, to = 50, precision = "single"), 1e-5, scale)
      agree(function() cdist(x, x[1:7], 2), 1e-12)
      agree(function() cdist(x, x[1:7], 2, from = 0, to = 3), 1e-12)
      agree(function() cdist(x[1:3], x), 1e-12)
    }
  }
})

test_that("windows and infinities on the CUDA device are those of the CPU", {
  skip_without_cuda()
  x <- c(tied_pcf(70), pcf(list(c(-3, 1), 2), list(c(1, -2), 3)))
  windows <- list(c(-Inf, Inf), c(-Inf, 4), c(2, Inf), c(1.5, 6), c(-9, -8), c(500, 501))
  for (kernel in cuda_kernels) {
    for (window in windows) {
      for (p in c(1, 2, 2.7, Inf)) {
        on_both(function() pdist(x, p, window[1], window[2]), 1e-12, kernel = kernel)
      }
    }
  }
  for (window in windows) {
    on_both(function() l2_kernel(x, from = window[1], to = window[2]), 1e-12, scale = 1e4)
  }
})

test_that("every step that fails on the CUDA device gives one error, leaves nothing, and the next call works", {
  skip_unless_testing()
  skip_without_cuda()
  x <- paper_pcf(200, longest = 60)
  expected <- with_settings(pdist(x, device = "cuda"), block = 64)
  release_kept()
  before <- free_memory()
  on.exit(.Call(pcfdist:::ffi_fail_at, 0L, NULL, 0L))
  for (k in 1:200) {
    .Call(pcfdist:::ffi_fail_at, k, NULL, 0L)
    result <- tryCatch(
      with_settings(pdist(x, device = "cuda"), block = 64),
      pcfdist_error_device = function(e) e
    )
    .Call(pcfdist:::ffi_fail_at, 0L, NULL, 0L)
    expect_identical(as.vector(pdist(x, device = "cuda")), as.vector(expected))
    if (inherits(result, "dist")) break
  }
  expect_s3_class(result, "dist")
  expect_gt(k, 20)
  release_kept()
  expect_identical(free_memory(), before)
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

test_that("functions that do not fit on the device are streamed, and the bits are the same", {
  skip_without_cuda()
  x <- paper_pcf(700, longest = 300)
  for (kernel in c("sweep", "grid", "split")) {
    y <- if (kernel == "grid") gridded_pcf(700, points = 300) else x
    for (call in list(
      function() pdist(y, device = "cuda"),
      function() l2_kernel(y, device = "cuda"),
      function() cdist(y, y[1:300], device = "cuda", precision = "single")
    )) {
      whole <- with_settings(call(), kernel = kernel, block = 128)
      streamed <- with_settings(call(), kernel = kernel, block = 128, gpu_memory = 16e6)
      expect_identical(streamed, whole)
    }
  }
})

test_that("a device that runs out of memory in the middle gets smaller blocks", {
  skip_unless_testing()
  skip_without_cuda()
  x <- paper_pcf(900, longest = 60)
  expected <- pdist(x, device = "cuda")
  on.exit(provoke())
  provoke(memory = 9e6)
  smaller <- pdist(x, device = "cuda")
  expect_gt(last_run()$halvings, 0)
  expect_identical(as.vector(smaller), as.vector(expected))
  provoke(memory = 1e5)
  expect_error(
    pdist(x, device = "cuda"),
    "is out of memory: [0-9.]+ (MB|bytes) more were needed, but only [0-9.]+ (MB|bytes) of the [0-9.]+ (MB|bytes)",
    class = "pcfdist_error_memory"
  )
  provoke()
  expect_identical(as.vector(pdist(x, device = "cuda")), as.vector(expected))
})

test_that("an impossible launch is one clear error", {
  skip_unless_testing()
  skip_without_cuda()
  x <- paper_pcf(50)
  on.exit(provoke())
  provoke(launch = TRUE)
  expect_error(pdist(x, device = "cuda"), "launching a kernel failed",
               class = "pcfdist_error_device")
  provoke()
  on_both(function() pdist(x), 1e-12)
})

test_that("the CUDA device tells when it computed and copied each block", {
  skip_without_cuda()
  x <- paper_pcf(500, longest = 60)
  with_settings(pdist(x, device = "cuda"), block = 128, timeline = TRUE)
  timeline <- last_run()$timeline
  expect_identical(nrow(timeline), 10L)
  expect_true(all(timeline$begun <= timeline$computed))
  expect_true(all(timeline$computed <= timeline$copied))
  expect_true(all(timeline$scatter_begun <= timeline$scattered))
})

test_that("memory stays on the device for the next call, and is given back on request", {
  skip_without_cuda()
  x <- paper_pcf(600, longest = 100)
  release_kept()
  expected <- pdist(x, device = "cuda")
  kept <- cuda_info()$devices$kept_memory
  expect_gt(sum(kept), 0)
  before <- free_memory()
  for (k in 1:3) expect_identical(pdist(x, device = "cuda"), expected)
  expect_identical(cuda_info()$devices$kept_memory, kept)
  expect_identical(free_memory(), before)
  expect_output(print(cuda_info()), "GB kept")
  expect_identical(release_kept(), sum(kept))
  expect_true(all(cuda_info()$devices$kept_memory == 0))
  expect_gt(sum(free_memory()), sum(before))
  expect_identical(release_kept(), 0)
  expect_identical(pdist(x, device = "cuda"), expected)
})

test_that("the option pcfdist.gpu_keep limits what stays", {
  expect_error(
    with_settings(pdist(paper_pcf(5)), gpu_keep = -1), "must be a whole number of at least 0",
    class = "pcfdist_error_pcfdist.gpu_keep"
  )
  skip_without_cuda()
  x <- paper_pcf(600, longest = 100)
  expected <- pdist(x, device = "cuda")
  for (keep in c(0, 1e6, 1e15)) {
    expect_identical(with_settings(pdist(x, device = "cuda"), gpu_keep = keep), expected)
    expect_true(all(cuda_info()$devices$kept_memory <= keep))
  }
})

test_that("what one call leaves on the device makes no difference to the next", {
  skip_without_cuda()
  small <- paper_pcf(100, longest = 60)
  large <- paper_pcf(900, longest = 200)
  release_kept()
  fresh <- list(pdist(small, device = "cuda"), l2_kernel(large, device = "cuda"))
  for (precision in c("single", "double")) {
    pdist(large, device = "cuda", precision = precision)
    with_settings(pdist(gridded_pcf(300, points = 40), device = "cuda"), kernel = "grid")
    expect_identical(pdist(small, device = "cuda"), fresh[[1]])
    expect_identical(l2_kernel(large, device = "cuda"), fresh[[2]])
  }
})

test_that("a device that cannot be started is an error, or left to the CPU with the reason", {
  skip_unless_testing()
  skip_without_cuda()
  x <- paper_pcf(4000, longest = 300)
  expected <- pdist(x, device = "cpu")
  on.exit(provoke())
  provoke(start = TRUE)
  message <- "has no memory left to start CUDA on it"
  expect_match(cuda_info()$problem, message)
  expect_error(pdist(x, device = "cuda"), message, class = "pcfdist_error_memory")
  plan <- with_settings(pcf_plan(x, device = "auto"), threads = 1)
  expect_identical(plan$device, "cpu")
  expect_match(plan$cuda_problem, message)
  expect_output(print(plan), message)
  expect_identical(as.vector(pdist(x, device = "auto")), as.vector(expected))
  expect_identical(last_run()$device, "cpu")
  provoke()
  expect_identical(cuda_info()$problem, "")
  on_both(function() pdist(x[1:100]), 1e-12)
})

test_that("\"auto\" leaves what the device has no memory for to the CPU", {
  skip_without_cuda()
  x <- paper_pcf(4000, longest = 300)
  expected <- pdist(x, device = "cpu")
  pdist(x[1:10], device = "cuda")
  result <- with_settings(pdist(x, device = "auto"), threads = 1, gpu_memory = 1e4)
  expect_identical(as.vector(result), as.vector(expected))
  expect_identical(last_run()$device, "cpu")
  expect_match(last_run()$cuda_problem, "MB of device memory")
})

test_that("long functions go up in parts, by several threads", {
  skip_without_cuda()
  x <- with_seed(1, pcf(
    lapply(1:3, function(i) cumsum(rexp(8e5))), lapply(1:3, function(i) c(rnorm(8e5 - 1), 0))
  ))
  for (from in c(-Inf, 1000)) {
    on_both(function() pdist(x, from = from), 1e-11)
    on_both(function() pdist(x, from = from, precision = "single"), 1e-3)
  }
})

test_that("a side beyond all numbers is that of the matrix", {
  x <- paper_pcf(100, longest = 20)
  for (device in test_devices()) {
    whole <- pdist(x, device = device)
    for (block in c(1e6, 2^31 - 1)) {
      expect_identical(with_settings(pdist(x, device = device), block = block), whole)
      expect_lte(last_run()$blocks, 2)
    }
  }
})

# Whole series: n functions of m breakpoints with constant values.
constant_series <- function(m, n = 20) {
  pcf(seq_len(m), lapply(seq_len(n), function(i) c(rep(.1 * i, m - 1), 0)))
}

test_that("sums over long functions stay accurate on the CUDA device", {
  skip_without_cuda()
  values <- .1 * 1:20
  apart <- as.vector(dist(values))
  for (m in c(1e3, 1e4, 1e5)) {
    x <- constant_series(m)
    for (kernel in setdiff(kernels, "walk")) {
      for (precision in c("double", "single")) {
        near <- function(call, expected) {
          result <- with_settings(call(x, device = "cuda", precision = precision),
                                  kernel = kernel)
          expect_near(result, expected, if (precision == "double") 1e-13 else 3e-6,
                      label = paste(kernel, precision, m))
        }
        near(pdist, (m - 1) * apart)
        near(function(...) pdist(..., p = 2), sqrt(m - 1) * apart)
        near(function(...) pdist(..., p = 1.5), (m - 1)^(1 / 1.5) * apart)
        near(function(...) cdist(x[1:3], ...), (m - 1) * abs(outer(values[1:3], values, "-")))
        near(l2_kernel, (m - 1) * outer(values, values))
      }
    }
  }
})

test_that("release() has nothing to give back without CUDA", {
  skip_if("cuda" %in% test_devices())
  expect_identical(release(), 0)
})

test_that("sums of many values of either sign stay accurate on the CUDA device", {
  skip_without_cuda()
  x <- paper_pcf(100, longest = 5000)
  for (kernel in c("sweep", "split")) {
    for (p in c(1, 2, 2.7, Inf)) {
      on_both(function() with_settings(pdist(x, p), kernel = kernel), 1e-12)
      single <- with_settings(pdist(x, p, device = "cuda", precision = "single"),
                              kernel = kernel)
      expect_near(single, pdist(x, p, device = "cpu"), 1e-5)
    }
  }
})

test_that("nothing but a pair's two functions shows in sums over long functions", {
  skip_without_cuda()
  x <- c(paper_pcf(90, longest = 3000), gridded_pcf(40, points = 2500), tied_pcf(20))
  order <- with_seed(1, sample(length(x)))
  for (call in list(
    function(x) as.matrix(pdist(x, device = "cuda")),
    function(x) as.matrix(pdist(x, device = "cuda", precision = "single")),
    function(x) as.matrix(pdist(x, 2.7, device = "cuda", precision = "single")),
    function(x) l2_kernel(x, device = "cuda"),
    function(x) l2_kernel(x, device = "cuda", precision = "single")
  )) {
    for (kernel in c("sweep", "split")) {
      whole <- with_settings(call(x), kernel = kernel)
      expect_identical(with_settings(call(x), kernel = kernel, block = 64), whole)
      expect_identical(with_settings(call(x), kernel = kernel, block = 64, gpus = 1), whole)
      expect_identical(unname(with_settings(call(x[order]), kernel = kernel)),
                       unname(whole[order, order]))
    }
  }
  d <- with_settings(as.matrix(pdist(x, device = "cuda", precision = "single")),
                     kernel = "sweep")
  e <- with_settings(cdist(x, x[1:50], device = "cuda", precision = "single"),
                     kernel = "sweep")
  expect_identical(unname(as.matrix(e)), unname(d[, 1:50]))
  expect_true(isSymmetric(l2_kernel(x, device = "cuda"), tol = 0))
  expect_identical(cdist(x, x, device = "cuda"), t(cdist(x, x, device = "cuda")))
})

test_that("blocks do not show in sums over a long shared grid on the CUDA device", {
  skip_without_cuda()
  x <- gridded_pcf(300, points = 2500)
  for (precision in c("double", "single")) {
    for (p in c(1, 2, 2.7)) {
      compute <- function() pdist(x, p, device = "cuda", precision = precision)
      whole <- with_settings(compute(), kernel = "grid")
      expect_identical(with_settings(compute(), kernel = "grid", block = 128), whole)
    }
  }
})

test_that("a shared grid of more points than a launch has rows is expanded whole", {
  skip_without_cuda()
  skip_if(min(cuda_info()$devices$free_memory) < 12e9, "too little memory")
  m <- 3e6
  x <- pcf(seq_len(m), lapply(1:3, function(i) c(rep(i, m - 1), 0)))
  d <- with_settings(pdist(x, device = "cuda", precision = "single"), kernel = "grid")
  expect_identical(last_run()$kernel, "grid")
  expect_near(d, (m - 1) * c(1, 2, 1), 3e-6)
})

test_that("files get what memory gets, in tall blocks and in turns", {
  skip_without_cuda()
  x <- paper_pcf(3000)
  y <- paper_pcf(700, seed = 2)
  file <- tempfile()
  for (memory in c(1e12, 6e7)) {
    with_settings(
      {
        for (precision in c("double", "single")) {
          here <- pdist(x, precision = precision)
          there <- pdist(x, precision = precision, file = file)
          expect_identical(c(collect(there)), c(here))
          unlink(paste0(file, c("", ".dcf")), expand = FALSE)
        }
        there <- cdist(x, y, file = file)
        expect_identical(c(collect(there)), c(cdist(x, y)))
        unlink(paste0(file, c("", ".dcf")), expand = FALSE)
      },
      device = "cuda", gpu_memory = memory
    )
  }
})
