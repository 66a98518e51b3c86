# The ragged primitives on the GPU beside the CPU: whole R calls.
#
# usage: Rscript bench/stay-ragged.R

library(pcfdist)
source("bench/timing.R")

seconds_of <- function(call) median(time_calls(call, 3)$seconds)

compare <- function(what, call) {
  cat(sprintf(
    "| %s | %.4f | %.4f |\n", what, seconds_of(function() call("cpu")),
    seconds_of(function() call("cuda"))
  ))
}

set.seed(1)
n <- 1e8
values <- rnorm(n)
even <- seq(0, n, length.out = 1e6 + 1)
uneven <- c(0, sort(sample.int(n, 1e6 - 1)), n)
one_long <- c(0, n - 3e6 + 3 * 0:1e6)
cat("| case | CPU, s | GPU, s |\n| --- | --- | --- |\n")
compare("sums of 1e6 even segments, 1e8 numbers", function(device) {
  segment_reduce(values, even, device = device)
})
compare("of 1e6 uneven ones", function(device) segment_reduce(values, uneven, device = device))
compare("of one of 9.7e7 and 1e6 of 3", function(device) {
  segment_reduce(values, one_long, device = device)
})
keys <- rep(seq_len(1e6), diff(uneven))
compare("by key, 1e6 runs", function(device) reduce_by_key(keys, values, device = device))
compare("expansion of 1e6 to 1e8", function(device) {
  interval_expand(values[1:1e6], diff(uneven), device = device)
})
if (requireNamespace("Matrix", quietly = TRUE)) {
  # Entries of a row in columns far from one another, in increasing order.
  columns <- 1e6
  ends <- c(0, sort(sample.int(5e7, 1e6 - 1)), 5e7)
  entries <- diff(ends)
  gaps <- rep(floor(columns / pmax(entries, 1)), entries)
  sparse <- methods::new("dgRMatrix")
  sparse@Dim <- c(1000000L, 1000000L)
  sparse@p <- as.integer(ends)
  sparse@j <- as.integer(gaps * (sequence(entries) - 1) + floor(runif(5e7) * gaps))
  sparse@x <- values[1:5e7]
  compare("matrix of 1e6 uneven rows and 5e7 entries times a vector", function(device) {
    linear_combinations(sparse, values[1:1e6], device = device)
  })
  vectors <- matrix(values[1:1e7], 1e6)
  compare("times ten", function(device) linear_combinations(sparse, vectors, device = device))
  rm(sparse, vectors, gaps)
}
order <- sample.int(1e6)
starts <- (uneven[-1e6 - 1] + 1)[order]
counts <- diff(uneven)[order]
compare("gather of 1e6 intervals, 1e8 numbers", function(device) {
  interval_move(values, counts, from = starts, device = device)
})
