# Times products of distance and kernel matrices with vectors beside the matrices themselves.
#
#   Rscript bench/products.R THREADS DEVICE CASE...
#
# DEVICE is "cpu" or "cuda": products without pairs are on the CPU in any case. Cases:
#   l1        L1 distances of the paper's workload, all of them by pdist() and their sums
#   powers    sums of the third, fourth and sixth powers of Lp distances
#   growth    50,000 to 500,000 functions of 50 breakpoints
#   columns   999 columns, as of a permutation test, beside the matrix and its product by hand
#   kernels   Gaussian and Laplacian kernels and log-sum-exp, beside pdist()
#   rows      weighted sums of 15 functions each by rows of a plain and a sparse matrix,
#             beside aggregate()
# Each row of the table is a whole call. Run it in the root of the repository.

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")

arguments <- commandArgs(trailingOnly = TRUE)
threads <- as.integer(arguments[1])
device <- arguments[2]
cases <- arguments[-(1:2)]
options(pcfdist.threads = threads, pcfdist.device = device, pcfdist.progress = FALSE)

paper <- function(n) make_workload("paper", n)

even <- function(n) {
  set.seed(20240407)
  as_collection(random_functions(rep(50L, n)))
}

report <- function(case, x, run, repeats = 3) {
  seconds <- time_calls(run, repeats)$seconds
  breakpoints <- count_breakpoints(x)
  record(case, sprintf("%d functions", length(x)), seconds, n = length(x),
         breakpoints = breakpoints)
  cat(sprintf("| %s | %d | %.3g | %.3f | %.0f |\n", case, length(x), breakpoints,
              median(seconds), 1e9 * median(seconds) / breakpoints))
  invisible(median(seconds))
}

ratio <- function(case, x, above, below) {
  cat(sprintf("| %s | %d | | %.2f times | |\n", case, length(x), above / below))
}

run_case <- list(
  l1 = function() {
    for (n in c(4000, 12000, 20000)) {
      x <- paper(n)
      ones <- rep(1, n)
      matrix <- report("pdist", x, function() pdist(x), 1)
      sums <- report("distance_product", x, function() distance_product(x, ones))
      ratio("pdist / distance_product", x, matrix, sums)
    }
  },
  powers = function() {
    x <- paper(4000)
    ones <- rep(1, 4000)
    for (p in c(3, 4, 6)) {
      case <- sprintf("distance_product, p = %d", p)
      report(case, x, function() distance_product(x, ones, p = p))
    }
  },
  growth = function() {
    all <- even(500000)
    for (n in c(50000, 100000, 200000, 500000)) {
      x <- all[seq_len(n)]
      ones <- rep(1, n)
      report("distance_product", x, function() distance_product(x, ones), 1)
      report("kernel_product", x, function() kernel_product(x, ones), 1)
    }
  },
  columns = function() {
    x <- paper(2000)
    b <- matrix(rnorm(2000 * 999), 2000)
    by_hand <- report("pdist and 999 columns by hand", x, function() as.matrix(pdist(x)) %*% b)
    alone <- report("pdist", x, function() pdist(x))
    columns <- report("distance_product, 999 columns", x, function() distance_product(x, b))
    ratio("distance_product / by hand", x, columns, by_hand)
    ratio("distance_product / pdist", x, columns, alone)
  },
  kernels = function() {
    x <- paper(5000)
    ones <- rep(1, 5000)
    kernel <- function(kernel) kernel_product(x, ones, kernel = kernel, scale = 10)
    l1 <- report("pdist", x, function() pdist(x))
    l2 <- report("pdist, p = 2", x, function() pdist(x, 2))
    laplacian <- report("Laplacian kernel", x, function() kernel("laplacian"))
    gaussian <- report("Gaussian kernel", x, function() kernel("gaussian"))
    sums <- report("log-sum-exp", x, function() reduce_distances(x, NULL, "logsumexp", scale = 10))
    ratio("Laplacian kernel / pdist", x, laplacian, l1)
    ratio("Gaussian kernel / pdist", x, gaussian, l2)
    ratio("log-sum-exp / pdist", x, sums, l1)
  },
  # The same number of breakpoints on both sides. The functions of a group are anywhere, as those
  # of a row are.
  rows = function() {
    n <- 15000
    x <- paper(n)
    members <- sample(rep_len(1:1000, n))
    weights <- runif(n)
    W <- matrix(0, 1000, n)
    W[cbind(sample(members), seq_len(n))] <- weights
    groups <- report("aggregate, groups of 15", x, function() {
      aggregate(x, members, sum, weights = weights)
    })
    dense <- report("linear_combinations, dense", x, function() linear_combinations(W, x))
    ratio("linear_combinations, dense / aggregate", x, dense, groups)
    if (!requireNamespace("Matrix", quietly = TRUE)) return(invisible())
    S <- methods::as(W, "CsparseMatrix")
    sparse <- report("linear_combinations, sparse", x, function() linear_combinations(S, x))
    ratio("linear_combinations, sparse / aggregate", x, sparse, groups)
  }
)

cat("| case | functions | breakpoints | seconds | ns a breakpoint |\n| --- | --- | --- | --- | --- |\n")
for (case in cases) run_case[[case]]()
