# The CUDA device against the CPU, on functions that are known only in part. test_devices() says
# where it is tested.

missings <- c("overlap", "mean")
partial_operations <- list(1, 2, 1.7, 3, Inf, "inner")
precisions <- c("double", "single")

# A tenth of the pieces are not observed.
with_gaps <- function(x, seed = 1) {
  with_seed(seed, map_pcf(x, values = function(v) replace(v, runif(length(v)) < 0.1, NA)))
}

# Functions with values from -Inf on. That of every third is missing.
from_the_start <- function(x) {
  first <- ifelse(seq_along(x) %% 3 == 0, NA, seq_along(x) %% 5 - 2)
  functions <- Map(function(f, value) rbind(c(-Inf, value), f), unclass(x), first)
  pcf(lapply(functions, function(f) f[, 1]), lapply(functions, function(f) f[, 2]))
}

# Collections of all shapes. The sums of the long ones are flushed.
kinds_of_partial_pcf <- function(n) {
  list(
    small = random_partial_pcf(n),
    tied = with_gaps(tied_pcf(n)),
    gaps = with_gaps(paper_pcf(n, 60)),
    ends = from_the_start(with_gaps(paper_pcf(n, 60))),
    grid = with_gaps(gridded_pcf(n, points = 30)),
    long = from_the_start(with_gaps(paper_pcf(n %/% 3, 3000)))
  )
}

# NA must be in the same places, with every kernel, and infinite numbers too. Errors are relative
# to the result, or to the largest one: of inner products, whose terms may cancel, and in single
# precision, where times are rounded first.
expect_cuda <- function(x, p, precision, ..., y = NULL, label = "") {
  call <- function() {
    if (is.null(y)) maybe_infinite(half_matrix(x, p, precision = precision, ...))
    else maybe_infinite(full_matrix(x, y, p, precision = precision, ...))
  }
  cpu <- with_settings(call(), device = "cpu", kernel = "sweep")
  largest <- identical(p, "inner") || precision == "single"
  scale <- if (largest) max(abs(cpu[is.finite(cpu)]), 0) else abs(cpu)
  for (kernel in cuda_kernels) {
    cuda <- with_settings(call(), device = "cuda", kernel = kernel)
    expect_identical(last_run()[c("device", "kernel")], list(device = "cuda", kernel = kernel),
                     ignore_attr = TRUE)
    expect_near(cuda, cpu, if (precision == "double") 1e-12 else 2e-5, scale,
                label = paste(kernel, precision, "operation", p, label))
  }
  invisible(cpu)
}

test_apart("the CUDA device agrees with the CPU on functions known in part", {
  skip_without_cuda()
  kinds <- kinds_of_partial_pcf(100)
  for (kind in names(kinds)) {
    x <- kinds[[kind]]
    for (missing in missings) for (precision in precisions) for (p in partial_operations) {
      compare <- function(...) {
        expect_cuda(x, p, precision, from = -3, to = 9, missing = missing, ...,
                    label = paste(missing, kind))
      }
      cpu <- compare()
      if (kind == "small") expect_true(anyNA(cpu) && !all(is.na(cpu)))
      if (kind == "small") expect_gt(sum(is.na(compare(min_overlap = 3))), sum(is.na(cpu)))
      compare(y = rev(x)[1:9])
    }
  }
})

test_apart("windows of functions known in part are those of the CPU on the CUDA device", {
  skip_without_cuda()
  windows <- list(c(-Inf, Inf), c(-Inf, 4), c(2, Inf), c(1.5, 1.75), c(-20, -10), c(400, Inf))
  for (x in kinds_of_partial_pcf(40)[c("small", "ends")]) {
    for (window in windows) for (precision in precisions) for (p in partial_operations) {
      for (least in list(NULL, 1)) {
        expect_cuda(x, p, precision, from = window[1], to = window[2], missing = "overlap", min_overlap = least,
                    label = paste(window, collapse = " to "))
      }
    }
  }
})

test_apart("functions known on the same stretches are those of the CPU on the CUDA device", {
  skip_without_cuda()
  # A common grid, and functions with breakpoints of their own, from 0 to 1 and from 2 to 3.
  values <- function(n) round(rnorm(n), 1)
  own <- function(begin) c(begin, sort(begin + runif(5)))
  kinds <- with_seed(1, list(
    grid = pcf(c(-Inf, 0:9), lapply(1:70, function(i) c(NA, values(4), NA, values(4), NA))),
    start = pcf(c(-Inf, 0:9), lapply(1:70, function(i) c(values(5), NA, values(4), NA))),
    own = pcf(lapply(1:70, function(i) c(-Inf, own(0), 1, own(2), 3)),
              lapply(1:70, function(i) c(NA, values(6), NA, values(6), NA)))
  ))
  for (kind in names(kinds)) {
    for (precision in precisions) for (p in partial_operations) {
      expect_cuda(kinds[[kind]], p, precision, label = kind)
      cpu <- expect_cuda(kinds[[kind]], p, precision, from = 0.25, to = 8.5, missing = "mean",
                         label = kind)
      expect_false(anyNA(cpu))
    }
  }
  none <- full_matrix(kinds$own, kinds$own, from = 1, to = 2, device = "cuda", missing = "overlap")
  expect_true(all(is.na(none)))
})

test_apart("weights are those of the CPU on the CUDA device", {
  skip_without_cuda()
  weights <- list(
    steps = pcf(c(-1, 0.5, 2, 4, 7), c(2, 0, 0.3, 5, 0)),
    from_the_start = pcf(c(-Inf, 1, 6), c(0.5, 2, 0)),
    for_ever = pcf(c(0, 3), c(0.7, 1.5))
  )
  x <- random_partial_pcf(70)
  for (name in names(weights)) {
    for (precision in precisions) for (p in partial_operations) {
      weighted <- function(...) {
        expect_cuda(x, p, precision, ..., weight = weights[[name]], label = name)
      }
      weighted(missing = "overlap")
      weighted(from = -0.7, to = 5.3, missing = "mean")
    }
  }
})

# The collections that the kernels are for, with gaps and without a start.
kernel_data <- function(n, longest) {
  any <- from_the_start(with_gaps(paper_pcf(n, longest)))
  grid <- from_the_start(with_gaps(gridded_pcf(n, longest)))
  list(sweep = any, grid = grid, split = any)
}

test_that("nothing but a pair's two functions shows in results of functions known in part", {
  skip_without_cuda()
  # Long enough for sums to be flushed in both precisions.
  data <- kernel_data(150, 2500)
  order <- with_seed(1, sample(150))
  for (kernel in cuda_kernels) {
    x <- data[[kernel]]
    for (missing in missings) for (precision in precisions) for (p in list(1, 2, 1.7, "inner")) {
      compute <- function(x, ...) {
        with_settings(
          half_matrix(x, p, from = -1, to = 3, missing = missing, device = "cuda",
                      precision = precision),
          kernel = kernel, ...
        )
      }
      label <- paste(kernel, missing, precision, "operation", p)
      whole <- compute(x)
      expect_identical(compute(x), whole, label = label)
      expect_identical(compute(x, block = 64), whole, label = label)
      expect_identical(compute(x, block = 64, gpus = 1), whole, label = label)
      expect_identical(compute(x[order]), whole[order, order], label = label)
    }
  }
})

test_that("stretches whose ends are rounded to one time have no neighbour's values", {
  skip_without_cuda()
  for (kernel in cuda_kernels) {
    mean_of <- function(times, ...) {
      x <- pcf(rep(list(times), 2), list(...))
      settings <- function(code) with_settings(code, kernel = kernel)
      settings(as.vector(pdist(x, missing = "mean", from = 0, to = 2000, precision = "single", device = "cuda")))
    }
    expect_near(mean_of(c(0, 1000, 1000.00001, 2000), c(3, 8, NA, NA), c(NA, 1, 2, NA)), 7, 1e-6, label = kernel)
    expect_near(mean_of(c(0, 1500, 1500.00005, 1500.2, 2000), c(3, NA, 8, NA, NA), c(NA, 1, 1, NA, NA)), 7, 1e-6,
                label = kernel)
  }
})
