# Clusters, depth and quantiles of many functions: seconds, without a peer.
#
# usage: Rscript bench/answers.R [THREADS [SCALE]]
# With a SCALE there are so many times as many functions, 1 without.

library(pcfdist)
options(pcfdist.device = "cpu", pcfdist.progress = FALSE)
given <- as.numeric(commandArgs(trailingOnly = TRUE))
threads <- if (length(given) > 0) given[1] else 2
scale <- if (length(given) > 1) given[2] else 1
count <- function(n) round(n * scale)

report <- function(what, call) {
  set.seed(1)
  taken <- system.time(result <- suppressWarnings(call()))
  cat(sprintf("%-60s %8.2f s, %8.2f s of processors\n", what, taken[3], taken[1] + taken[2]))
  invisible(result)
}

# Ten groups of curves, each around a level of its own.
groups <- function(n) rpcf(n, 100) + rep_len(1:10, n) / 2

set.seed(1)
reference <- rpcf(count(4000))
report("pdist() of 4,000 functions of the paper's workload", function() pdist(reference, to = 1, threads = threads))
noise <- rpcf(count(20000), 100)
found <- report("k_means(), 20,000 x 100 of noise, 10 clusters", function() {
  k_means(noise, 10, from = 0, to = 1, threads = threads)
})
cat("  iterations:", found$iter, "\n")
large <- groups(count(500000))
found <- report("k_means(), 500,000 x 100 in ten groups, 10 clusters", function() {
  k_means(large, 10, from = 0, to = 1, threads = threads)
})
cat("  iterations:", found$iter, "\n")
report("k_medoids(), 100,000 x 40, 10 clusters", function() {
  k_medoids(rpcf(count(100000), 40), 10, to = 1, threads = threads)
})
report("functional_depth(), 100,000 x 100", function() {
  functional_depth(large[seq_len(count(100000))], from = 0, to = 1, threads = threads)
})
lines <- plf(lapply(unclass(noise[seq_len(count(2000))]), function(f) f[, 1]),
             lapply(unclass(noise[seq_len(count(2000))]), function(f) f[, 2]))
report("the median of 2,000 x 100 lines that end with 0", function() quantile(lines, 0.5))
