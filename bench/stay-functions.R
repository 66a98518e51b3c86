# Norms, values, sums, means and linear combinations of functions on the GPU, from R's list and from
# where they stay, beside the CPU: whole R calls.
#
# usage: Rscript bench/stay-functions.R [N] [LEAST] [MOST] [LONG]
#
# N functions of LEAST ... MOST breakpoints, one of LONG beside a tenth as many of 3, and a fifth as
# many of 10 ... 99, to be combined.

library(pcfdist)
source("bench/timing.R")
arguments <- as.numeric(commandArgs(trailingOnly = TRUE))
sizes <- c(100000, 10, 999, 1e7)
sizes[seq_along(arguments)] <- arguments
options(pcfdist.progress = FALSE)

seconds_of <- function(call) median(time_calls(call)$seconds)

row <- function(what, call, x, there) {
  cat(sprintf(
    "| %s | %.4f | %.4f | %.4f |\n", what, seconds_of(function() call(x, "cpu")),
    seconds_of(function() call(x, "cuda")), seconds_of(function() call(there, "cuda"))
  ))
}

head_of <- function(x, data) {
  cat(sprintf(
    "\n%d functions%s, %.0f breakpoints, %s\n\n", length(x), data,
    sum(lengths(unclass(x)) / 2), cuda_info()$devices$name[1]
  ))
  cat("| case | CPU, s | GPU from R's list, s | GPU, staying, s |\n| --- | --- | --- | --- |\n")
}

# Not observed from a third to a half of the breakpoints on, nor after the last one.
with_gaps <- function(x) {
  functions <- lapply(unclass(x), function(f) {
    n <- nrow(f)
    f[c((n %/% 3):(n %/% 2), n), 2] <- NA
    f
  })
  attributes(functions) <- attributes(x)
  functions
}

set.seed(1)
x <- rpcf(sizes[1], sizes[2]:sizes[3])
there <- on_gpu(x)
head_of(x, "")
row("mean", function(x, device) mean(x, device = device), x, there)
group <- rep_len(1:1000, length(x))
row("means of 1000 groups", function(x, device) {
  aggregate(x, group, mean, device = device)
}, x, there)
row("sum, weighted", function(x, device) {
  sum(x, weights = seq_along(x) / length(x), device = device)
}, x, there)
row("maximum", function(x, device) max(x, device = device), x, there)
row("maxima of 1000 groups", function(x, device) {
  aggregate(x, group, max, device = device)
}, x, there)
for (p in c(1, 2, 2.5, Inf)) {
  row(sprintf("norms, p = %g", p), function(x, device) lp_norm(x, p, device = device), x, there)
}
row("integrals", function(x, device) integral(x, device = device), x, there)
times <- seq(0, 3, length.out = 1000)
row("values at 1000 times", function(x, device) evaluate(x, times, device = device), x, there)
release(there)
gaps <- with_gaps(x)
there <- on_gpu(gaps)
row("mean of what is observed", function(x, device) {
  mean(x, na.rm = TRUE, device = device)
}, gaps, there)
row("mean, missing where one is", function(x, device) mean(x, device = device), gaps, there)
row("means of 1000 groups, observed", function(x, device) {
  aggregate(x, group, mean, na.rm = TRUE, device = device)
}, gaps, there)
release(there)

# As many breakpoints in functions of one length, and in very uneven ones.
short <- list(
  " of one length" = rpcf(sizes[4] / 10, 13),
  " of uneven lengths" = c(rpcf(1, sizes[4]), rpcf(sizes[4] / 10, 3))
)
for (data in names(short)) {
  x <- short[[data]]
  there <- on_gpu(x)
  head_of(x, data)
  row("norms, p = 1", function(x, device) lp_norm(x, device = device), x, there)
  row("mean", function(x, device) mean(x, device = device), x, there)
  row("values at 10 times", function(x, device) {
    evaluate(x, times[1:10], device = device)
  }, x, there)
  release(there)
}

if (requireNamespace("Matrix", quietly = TRUE)) {
  # As of 15 nearest neighbours each.
  n <- sizes[1] / 5
  x <- rpcf(n, 10:99)
  there <- on_gpu(x)
  head_of(x, "")
  graph <- Matrix::sparseMatrix(
    rep(seq_len(n), 15), sample.int(n, 15 * n, replace = TRUE), x = 1 / 15, dims = c(n, n)
  )
  row("means of 15 neighbours each", function(x, device) {
    linear_combinations(graph, x, device = device)
  }, x, there)
  release(there)
}
