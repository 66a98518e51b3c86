# What a GPU does with single functions: the same as the CPU.

varied <- function() {
  x <- with_seed(7, rpcf(60, 1:30))
  x[[5]] <- matrix(c(0, 0), 1)
  x[[6]] <- matrix(c(-Inf, 1, 2, 0), 2)
  x[[7]] <- matrix(c(0, 1, 2, 3, NA, 0), 3)
  x[[8]] <- matrix(c(0, 1, 2, 1e300, -1e-300, 0), 3)
  n <- 20000
  x[[9]] <- with_seed(8, cbind(cumsum(runif(n)), c(rnorm(n - 1), 0)))
  x
}

windows <- list(c(-Inf, Inf), c(0, 1), c(-1, 1e4), c(50, Inf), c(-5, -2))

test_that("norms and integrals are the CPU's, wherever the functions are", {
  skip_without_cuda()
  x <- varied()
  there <- on_gpu(x)
  on.exit(release(there))
  for (w in windows) {
    for (y in list(x, there)) {
      for (p in c(1, 2, Inf)) {
        norms <- function(device) {
          suppressWarnings(lp_norm(y, p, w[1], w[2], missing = "overlap", device = device))
        }
        expect_identical(norms("cuda"), norms("cpu"))
      }
      integrals <- function(device) {
        suppressWarnings(integral(y, w[1], w[2], missing = "overlap", device = device))
      }
      expect_identical(integrals("cuda"), integrals("cpu"))
      norms <- function(device) {
        suppressWarnings(lp_norm(y, 2.7, w[1], w[2], missing = "overlap", device = device))
      }
      expect_equal(norms("cuda"), norms("cpu"), tolerance = 1e-14)
    }
  }
})

test_that("norms of functions that are not sound, or not observed alike, are errors there, too", {
  skip_without_cuda()
  x <- varied()
  expect_error(lp_norm(x, device = "cuda"), "not observed on the same stretches")
  expect_identical(lp_norm(x[0], device = "cuda"), lp_norm(x[0], device = "cpu"))
  weight <- pcf(list(c(0, 2)), list(c(1, 0)))
  weighted <- function(device) integral(x[-7], weight = weight, device = device)
  expect_identical(weighted("cuda"), weighted("cpu"))
})

test_that("values are the CPU's, wherever the functions are", {
  skip_without_cuda()
  x <- varied()
  there <- on_gpu(x)
  on.exit(release(there))
  times <- with_seed(10, c(-Inf, sample(seq(-2, 60, by = 0.25)), Inf, 2, 2))
  for (y in list(x, there)) {
    values <- function(device) evaluate(y, times, device = device)
    expect_identical(values("cuda"), values("cpu"))
    values <- function(device) evaluate(y, 3, device = device)
    expect_identical(values("cuda"), values("cpu"))
  }
  expect_length(evaluate(x[0], times, device = "cuda"), 0)
  expect_length(evaluate(x, numeric(), device = "cuda"), 0)
})

test_that("lines have the CPU's norms, integrals and values", {
  skip_without_cuda()
  x <- with_seed(9, cumulative(rpcf(60, 1:30)))
  there <- on_gpu(x)
  on.exit(release(there))
  times <- with_seed(10, c(-Inf, sample(seq(-2, 60, by = 0.25)), Inf, unclass(x)[[7]][, 1]))
  for (y in list(x, there)) {
    for (p in c(1, 2, Inf)) {
      norms <- function(device) lp_norm(y, p, -1, 4, device = device)
      expect_identical(norms("cuda"), norms("cpu"))
    }
    integrals <- function(device) integral(y, 0.5, 40, device = device)
    expect_identical(integrals("cuda"), integrals("cpu"))
    for (side in c("left", "right")) {
      values <- function(device) evaluate(y, times, side = side, device = device)
      expect_identical(values("cuda"), values("cpu"))
    }
  }
  expect_error(lp_norm(x, 3, 0, 1, device = "cuda"), "powers", class = "pcfdist_error_device")
})

test_that("sums and means are the CPU's, wherever the functions are", {
  skip_without_cuda()
  x <- varied()[-8]
  there <- on_gpu(x)
  on.exit(release(there))
  groups <- with_seed(11, sample(c(letters[1:7], NA), 60, replace = TRUE))
  weights <- with_seed(12, rnorm(60))
  for (y in list(x, there, x[-7], varied())) {
    for (na_rm in c(FALSE, TRUE)) {
      for (call in list(
        function(device) sum(y, na.rm = na_rm, device = device),
        function(device) mean(y, na.rm = na_rm, device = device),
        function(device) sum(y, weights = weights[seq_along(y)], na.rm = na_rm, device = device),
        function(device) max(y, na.rm = na_rm, device = device),
        function(device) aggregate(y, groups[seq_along(y)], na.rm = na_rm, device = device),
        function(device) aggregate(y, seq_along(y), sum, na.rm = na_rm, device = device)
      )) {
        expect_identical(call("cuda"), call("cpu"))
      }
    }
  }
  expect_identical(sum(x[0], device = "cuda"), pcf(0, 0))
  large <- pcf(list(c(0, 1), c(0, 1)), list(c(1e308, 0), c(1e308, 0)))
  expect_error(sum(large, device = "cuda"), "too large for a double")
})

# Gaps, first times of -Inf, ties, and functions that are observed nowhere.
gaps <- function() {
  x <- with_seed(20, {
    x <- lapply(unclass(rpcf(90, 1:40)), function(f) {
      f[, 1] <- round(50 * f[, 1]) + seq_len(nrow(f)) - 1
      f[runif(nrow(f)) < 0.3, 2] <- NA
      f
    })
    for (i in sample(90, 30)) x[[i]][1, 1] <- -Inf
    for (i in sample(90, 60)) x[[i]][nrow(x[[i]]), 2] <- NA
    pcf(lapply(x, function(f) f[, 1]), lapply(x, function(f) f[, 2]))
  })
  x[[4]] <- matrix(c(-Inf, NA), 1)
  x[[5]] <- matrix(c(-Inf, 3, NA, 2), 2)
  x[[6]] <- matrix(c(-Inf, 0, 3, 0, NA, -0), 3)
  x[[7]] <- matrix(c(2, 1e-9), 1)
  x
}

test_that("sums and means of functions with gaps are the CPU's, to the last bit", {
  skip_without_cuda()
  x <- gaps()
  there <- on_gpu(x)
  on.exit(release(there))
  groups <- with_seed(21, factor(sample(c(letters[1:9], NA), 90, replace = TRUE), letters))
  weights <- with_seed(22, replace(runif(90), sample(90, 10), 0))
  calls <- list(
    function(x, ...) sum(x, ...), function(x, ...) mean(x, ...),
    function(x, ...) sum(x, weights = weights[seq_along(x)], ...),
    function(x, ...) mean(x, weights = weights[seq_along(x)] * 1e-300, ...),
    function(x, ...) mean(x, weights = weights[seq_along(x)] * 1e200, ...),
    function(x, ...) mean(x, weights = weights[seq_along(x)] - 0.4, ...),
    function(x, ...) aggregate(x, groups[seq_along(x)], sum, ...),
    function(x, ...) aggregate(x, groups[seq_along(x)], ..., weights = 1 + weights[seq_along(x)]),
    function(x, ...) aggregate(x, seq_along(x), ...), function(x, ...) mean(x * 1e300, ...),
    function(x, ...) mean(c(x, x[NA_integer_]), ...), function(x, ...) mean(x[4], ...),
    function(x, ...) mean(structure(x[1:90], dim = c(15, 6)), margin = 2, ...)
  )
  for (call in calls) {
    for (y in list(x, there)) {
      for (na_rm in c(FALSE, TRUE)) {
        result <- function(device) {
          tryCatch(call(y, na.rm = na_rm, device = device), pcfdist_error = conditionMessage)
        }
        got <- result("cuda")
        want <- result("cpu")
        expect_identical(got, want)
        if (is_pcf(want)) expect_identical(bits_of(got), bits_of(want))
      }
    }
  }
})

# Lines: with jumps, constant ones, rising and falling together, and long before the others.
varied_lines <- function() {
  long <- function(seed) with_seed(seed, rnorm(5000))
  c(
    random_plf(40, 30, whole = FALSE, end = 2), random_plf(30, 9, seed = 2),
    plf(with_seed(3, cumsum(runif(5000))), long(4), left = long(5)),
    plf(0:20, lapply(1:300, function(i) c(with_seed(i, rnorm(20)), 0))), # more than a block has at one time
    plf(list(3, c(-1e6, 5), c(0, 1e-9)), list(0, c(1, 1), c(7, -7)))
  )
}

test_that("sums, means and combinations of lines are the CPU's, to the last bit", {
  skip_without_cuda()
  x <- varied_lines()
  groups <- function(y) with_seed(25, sample(c(1:7, NA), length(y), replace = TRUE))
  weights <- function(y) with_seed(26, rnorm(length(y)))
  entries <- function(i, j) rnorm(length(i)) * (i * j %% 3)
  matrix <- function(y) rbind(0, with_seed(27, outer(1:5, seq_along(y), entries)))
  calls <- list(
    sum, mean, function(y, ...) sum(y, weights = weights(y), ...),
    function(y, ...) mean(y, weights = abs(weights(y)), ...),
    function(y, ...) aggregate(y, groups(y), ...), function(y, ...) aggregate(y, seq_along(y), sum, ...),
    function(y, ...) linear_combinations(matrix(y), y, ...),
    function(y, ...) sum(c(y, -y), ...), function(y, ...) mean(y * 1e100, ...), function(y, ...) sum(y * 1e-290, ...)
  )
  there <- on_gpu(x)
  on.exit(release(there))
  column <- function(k, more = 0) lapply(unclass(x[41:70]), function(f) f[, k] + more)
  far <- plf(column(1, 1e9), column(3), left = column(2)) # times that count from an origin of their own
  partial <- random_plf(50, 9, gaps = 0.3, seed = 4)
  for (call in calls) for (y in list(x, there, x[2], far, partial)) {
    result <- function(device) tryCatch(call(y, na.rm = TRUE, device = device), pcfdist_error = conditionMessage)
    want <- result("cpu")
    expect_identical(bits_of(result("cuda")), bits_of(want))
  }
  expect_identical(sum(x[0], device = "cuda"), sum(x[0], device = "cpu"))
  large <- plf(c(0, 1), list(c(1.5e308, 0), c(1.5e308, 0)), left = list(c(0, 1.5e308), c(0, 1.5e308)))
  expect_error(sum(large, device = "cuda"), "too large for a double")
  expect_error(max(x, device = "cuda"), "extrema of piecewise linear", class = "pcfdist_error_device")
})

# What a call gives, and whether it used memory of a GPU.
chosen <- function(call) {
  release_kept()
  result <- call()
  list(result = result, on_gpu = release_kept() > 0)
}

test_that("lines are combined on the GPU unless their sums need more bits than it has", {
  skip_without_cuda()
  x <- random_plf(60, 15, whole = TRUE, seed = 6)
  whole <- outer(1:4, 1:60, function(i, j) 1 + i * j %% 4)
  combined <- function(W, x) chosen(function() linear_combinations(W, x, device = "cuda"))
  for (W in list(whole, whole[3, , drop = FALSE])) {
    expect_identical(combined(W, x), list(result = linear_combinations(W, x, device = "cpu"), on_gpu = TRUE))
  }
  wide <- c(x[1:30] * 1e-30, x[31:60])
  on_cpu <- linear_combinations(whole, wide, device = "cpu")
  expect_identical(combined(whole, wide), list(result = on_cpu, on_gpu = FALSE))
})

test_that("extrema are the CPU's, to the last bit", {
  skip_without_cuda()
  groups <- with_seed(23, factor(sample(c(letters[1:9], NA), 90, replace = TRUE), letters))
  whole <- with_seed(24, floor(rpcf(90, 1:30)))
  for (x in list(gaps(), varied(), varied()[8], whole, gaps()[4:7])) {
    there <- on_gpu(x)
    for (y in list(x, there)) {
      for (na_rm in c(FALSE, TRUE)) {
        for (call in list(
          max, min, range, function(x, ...) max(-x, ...),
          function(x, ...) aggregate(x, groups[seq_along(x)], max, ...),
          function(x, ...) aggregate(x, seq_along(x), min, ...)
        )) {
          got <- call(y, na.rm = na_rm, device = "cuda")
          want <- call(y, na.rm = na_rm, device = "cpu")
          expect_identical(got, want)
          expect_identical(bits_of(got), bits_of(want))
        }
      }
    }
    release(there)
  }
  expect_error(max(gaps()[0], device = "cuda"), class = "pcfdist_error_x")
})

test_that("linear combinations are the CPU's, wherever the functions are", {
  skip_without_cuda()
  combined_alike <- function(W, x, ...) {
    combine <- function(device) linear_combinations(W, x, ..., device = device)
    expect_identical(combine("cuda"), combine("cpu"))
  }
  x <- varied()
  there <- on_gpu(x)
  on.exit(release(there))
  W <- with_seed(13, matrix(rnorm(600), 10))
  W[with_seed(14, sample(600, 250))] <- 0
  W[4, ] <- 0
  W[5, ] <- c(rep(0, 59), 2)
  W[6, ] <- 1
  many <- with_seed(15, matrix(rnorm(60 * 3000) * (runif(60 * 3000) < 0.03), 3000))
  whole <- replace(W, TRUE, round(W))
  for (y in list(x, there, x[-8], with_seed(16, rpcf(60, 1:9)))) {
    for (na_rm in c(FALSE, TRUE)) {
      at <- seq_along(y)
      combined_alike(W[, at], y, na.rm = na_rm)
      combined_alike(W[6, at, drop = FALSE], y, na.rm = na_rm)
      combined_alike(whole[1:3, at] > 0, y, na.rm = na_rm)
      combined_alike(many[, at], y, na.rm = na_rm)
      combined_alike(0 * W[, at], y, na.rm = na_rm)
      combined_alike(W[integer(), at], y, na.rm = na_rm)
    }
  }
  combined_alike(matrix(0, 3, 0), x[0])
  gone <- c(x[1:3], pcf(0, 0)[NA_integer_])
  combined_alike(W[, 1:4], gone, na.rm = TRUE)
  skip_if_not_installed("Matrix")
  for (M in list(Matrix::Matrix(W, sparse = TRUE), Matrix::Diagonal(60), Matrix::Matrix(many))) {
    combined_alike(M, x)
    combined_alike(methods::as(M, "RsparseMatrix"), there)
  }
})

test_that("matrices of functions are combined as their columns are, also where they stay", {
  skip_without_cuda()
  x <- varied()[-7]
  x <- x[seq_len(3 * 19)]
  dim(x) <- c(19, 3)
  there <- on_gpu(x)
  on.exit(release(there))
  W <- with_seed(17, matrix(rnorm(4 * 19), 4))
  nan <- replace(W, cbind(2, 3), NaN)
  large <- replace(W, cbind(2, 7), 1e300)
  for (y in list(x, there)) {
    combine <- function(W) linear_combinations(W, y, device = "cuda")
    expect_identical(combine(W), linear_combinations(W, x, device = "cpu"))
    expect_error(combine(nan), "NaN in row 2, column 3", class = "pcfdist_error_W")
    expect_error(combine(large), "too large for a double", class = "pcfdist_error_argument")
  }
})

test_that("matrices of functions are taken apart where a run does not find them on a GPU", {
  skip_without_cuda()
  x <- with_seed(18, rpcf(12, 4))
  dim(x) <- c(4, 3)
  there <- on_gpu(x)
  gone <- on_gpu(x)
  on.exit(release(there))
  release(gone)
  W <- with_seed(19, matrix(rnorm(8), 2))
  wholes <- 0
  count_wholes <- function(...) {
    wholes <<- wholes + 1
    matrix_of_all(...)
  }
  matrix_of_all <- matrix_of_all
  with_mocked(matrix_of_all = count_wholes, code = {
    apart <- list(
      linear_combinations(W, there, device = "cpu"), linear_combinations(W, gone, device = "cuda")
    )
    expect_identical(wholes, 0)
    whole <- linear_combinations(W, there, device = "cuda")
    expect_identical(wholes, 3)
  })
  for (result in apart) expect_identical(result, whole)
})

test_that("the GPU is chosen where it is faster, and left where it fails", {
  skip_unless_testing()
  skip_without_cuda()
  set.seed(29)
  x <- rpcf(6000, 100)
  few <- x[1:50]
  mean(x, device = "auto", threads = 1) # CUDA may have to be started
  on_cpu <- mean(x, device = "cpu")
  expect_identical(
    chosen(function() mean(x, device = "auto", threads = 1)),
    list(result = on_cpu, on_gpu = TRUE)
  )
  more <- c(x, x)
  expect_identical(
    chosen(function() max(more, device = "auto", threads = 1)),
    list(result = max(x, device = "cpu"), on_gpu = TRUE)
  )
  expect_false(chosen(function() mean(few, device = "auto", threads = 1))$on_gpu)
  expect_false(chosen(function() mean(x, device = "cpu", threads = 1))$on_gpu)
  provoked <- function(call) {
    on.exit(provoke())
    provoke(memory = 1e5)
    call()
  }
  expect_identical(provoked(function() mean(x, device = "auto", threads = 1)), on_cpu)
  expect_error(
    provoked(function() mean(x, device = "cuda")), class = "pcfdist_error_memory"
  )
})

test_that("without CUDA, calls say why they cannot run there", {
  skip_if("cuda" %in% test_devices())
  x <- pcf(list(c(0, 2)), list(c(3, 0)))
  for (call in list(
    lp_norm, integral, function(x, ...) 2 * evaluate(x, 1, ...),
    function(...) integral(mean(...)), function(...) integral(sum(...)),
    function(...) integral(max(...)),
    function(...) integral(aggregate(..., by = 1)[["1"]]),
    function(...) integral(linear_combinations(diag(1), ...))
  )) {
    expect_error(call(x, device = "cuda"), "cannot be \"cuda\"", class = "pcfdist_error_device")
    expect_error(call(x, device = "gpu"), class = "pcfdist_error_device")
    for (device in list("auto", "cpu", NULL)) expect_identical(call(x, device = device), 6)
  }
})
