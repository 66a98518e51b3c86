# The ragged primitives on a GPU: the same as on the CPU. With PCFDIST_DEVICE=cuda the examples of
# test-ragged.R run there, too.

on_cpu_and_gpu <- function(call) {
  expect_identical(call("cuda"), call("cpu"))
}

offsets_of <- function(lengths) c(0, cumsum(lengths))

uneven <- list(
  numeric(), 0, 5, c(0, 0, 3, 0), rep(0, 1000), rep(1, 1000), 4095:4098, c(3, 3e5, 0, 2),
  c(3e6, rep(3, 1e5)), rep(c(0, 1, 2, 7, 8, 9, 15, 16, 17), 50), rep(4096, 9), c(8193, 0, 12289)
)

test_that("segments are reduced to the same bits", {
  skip_without_cuda()
  for (m in uneven) {
    offsets <- offsets_of(m)
    reals <- with_seed(2, rnorm(sum(m)) * 10^sample(-9:9, sum(m), replace = TRUE))
    for (values in list(reals, suppressWarnings(as.integer(reals)), reals > 0)) {
      for (op in c("sum", "min", "max")) {
        on_cpu_and_gpu(function(device) segment_reduce(values, offsets, op, device = device))
      }
    }
  }
})

test_that("missing and infinite values are those of the CPU", {
  skip_without_cuda()
  values <- with_seed(3, sample(c(NA, NaN, Inf, -Inf, rnorm(4000)), 1e5, replace = TRUE))
  whole <- with_seed(3, sample(c(NA, 1:4000), 1e5, replace = TRUE))
  for (m in list(rep(7, 14285), rep(100, 1000), rep(10000, 10))) {
    offsets <- offsets_of(m)
    for (op in c("sum", "min", "max")) {
      at <- seq_len(sum(m))
      on_cpu_and_gpu(function(device) segment_reduce(values[at], offsets, op, device = device))
      on_cpu_and_gpu(function(device) segment_reduce(whole[at], offsets, op, device = device))
    }
  }
  largest <- rep(.Machine$integer.max, 1e5)
  on_cpu_and_gpu(function(device) segment_reduce(largest, c(0, 1e5), device = device))
})

test_that("runs of keys of all types are the same", {
  skip_without_cuda()
  codes <- with_seed(4, rep(sample(c(1:5, NA), 3000, replace = TRUE), sample(90, 3000, TRUE)))
  values <- with_seed(5, rnorm(length(codes)))
  for (keys in list(
    codes, codes / 2, letters[codes], codes > 2, complex(real = 1, imaginary = codes),
    as.raw(ifelse(is.na(codes), 0, codes)), factor(letters[codes]), rep(1, length(codes))
  )) {
    for (op in c("sum", "min", "max")) {
      on_cpu_and_gpu(function(device) reduce_by_key(keys, values, op, device = device))
    }
  }
  on_cpu_and_gpu(function(device) reduce_by_key(integer(), integer(), device = device))
})

test_that("intervals are expanded and moved to the same places", {
  skip_without_cuda()
  for (m in uneven) {
    n <- sum(m)
    starts <- 1 + offsets_of(m)[-length(m) - 1]
    order <- with_seed(6, sample.int(length(m)))
    apart <- 1 + offsets_of(m[order])[-length(m) - 1] + 3 * seq_along(order)
    for (x in list(seq_len(n), seq_len(n) / 2, as.raw(seq_len(n) %% 256),
                   complex(real = seq_len(n)), as.character(seq_len(n)))) {
      some <- x[seq_len(min(length(m), n))]
      count <- m[seq_along(some)]
      on_cpu_and_gpu(function(device) interval_expand(some, count, device = device))
      on_cpu_and_gpu(function(device) {
        interval_move(x, m[order], from = starts[order], device = device)
      })
      on_cpu_and_gpu(function(device) {
        interval_move(x, m[order], to = starts[order], device = device)
      })
      on_cpu_and_gpu(function(device) {
        interval_move(x, m[order], starts[order], apart, device = device)
      })
      on_cpu_and_gpu(function(device) {
        into <- rep(x[NA_integer_], n + 5)
        interval_move(x, m[order], NULL, starts[order] + 3, into, device = device)
      })
    }
  }
})

test_that("failures are errors, and the next call works", {
  skip_without_cuda()
  on.exit(provoke())
  provoke(memory = 1000)
  for (call in list(
    function() segment_reduce(1:1e5, c(0, 1e5), device = "cuda"),
    function() reduce_by_key(1:1e5, 1:1e5, device = "cuda"),
    function() interval_expand(1:1e5, rep(1, 1e5), device = "cuda")
  )) {
    expect_error(call(), "is out of memory", class = "pcfdist_error_memory")
  }
  provoke()
  expect_identical(segment_reduce(1:1e5, c(0, 1e5), device = "cuda"), 5000050000)
})

test_that("without CUDA, the ragged primitives say why they cannot run there", {
  skip_if("cuda" %in% test_devices())
  for (call in list(
    function() segment_reduce(1:3, c(0, 3), device = "cuda"),
    function() reduce_by_key(1:3, 1:3, device = "cuda"),
    function() interval_expand(1:3, 1:3, device = "cuda"),
    function() interval_move(1:3, 3, device = "cuda"),
    function() interval_expand(letters, rep(1, 26), device = "cuda")
  )) {
    expect_error(call(), "cannot be \"cuda\"", class = "pcfdist_error_device")
  }
  for (device in list("auto", "cpu", NULL)) {
    expect_identical(segment_reduce(1:3, c(0, 3), device = device), 6)
  }
  expect_error(segment_reduce(1:3, c(0, 3), device = "gpu"), class = "pcfdist_error_device")
})
