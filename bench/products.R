# Times products of distance and kernel matrices with vectors beside the matrices themselves.
#
#   Rscript bench/products.R THREADS [SHRINK]
#
# times whole calls: L1 distances of the paper's workload, all of them by pdist() and their sums
# by distance_product(); sums of powers; sums for growing numbers of functions of 50 breakpoints;
# inner products; and many columns, beside the matrix and its product by hand. SHRINK divides the
# numbers of functions. Run it in the root of the repository.

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
threads <- arguments[1]
shrink <- if (is.na(arguments[2])) 1 else arguments[2]
options(pcfdist.threads = threads, pcfdist.device = "cpu")

paper <- function(n) {
  set.seed(20240407)
  as_pcf(random_functions(sample(10:999, n, replace = TRUE)))
}

even <- function(n) {
  set.seed(20240407)
  as_pcf(random_functions(rep(50L, n)))
}

report <- function(case, x, run, repeats = 3) {
  size <- sprintf("%d functions", length(x))
  seconds <- time_calls(run, repeats)$seconds
  breakpoints <- count_breakpoints(x)
  record(case, size, seconds, n = length(x), breakpoints = breakpoints)
  cat(sprintf("| %s | %d | %.3g | %.3f | %.0f |\n", case, length(x), breakpoints,
              median(seconds), 1e9 * median(seconds) / breakpoints))
  invisible(median(seconds))
}

cat("| case | functions | breakpoints | seconds | ns a breakpoint |\n| --- | --- | --- | --- | --- |\n")

for (n in c(4000, 12000, 20000) / shrink) {
  x <- paper(n)
  ones <- rep(1, n)
  matrix <- report("pdist", x, function() pdist(x), 1)
  sums <- report("distance_product", x, function() distance_product(x, ones))
  cat(sprintf("| pdist / distance_product | %d | | %.1f | |\n", n, matrix / sums))
}

n <- 4000 / shrink
x <- paper(n)
ones <- rep(1, n)
for (p in c(3, 4, 6)) {
  report(sprintf("distance_product, p = %d", p), x, function() distance_product(x, ones, p = p))
}

for (n in c(50000, 100000, 200000, 500000) / shrink) {
  x <- even(n)
  ones <- rep(1, n)
  report("distance_product", x, function() distance_product(x, ones))
  report("kernel_product", x, function() kernel_product(x, ones))
}

n <- 2000 / shrink
x <- paper(n)
b <- matrix(rnorm(n * 999), n)
by_hand <- report("pdist and 999 columns by hand", x, function() as.matrix(pdist(x)) %*% b)
columns <- report("distance_product, 999 columns", x, function() distance_product(x, b))
cat(sprintf("| by hand / distance_product | %d | | %.2f | |\n", n, by_hand / columns))
