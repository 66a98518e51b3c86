# A sparse matrix times vectors on the GPU beside the CPU: whole R calls.
#
# usage: Rscript bench/stay-sparse.R

library(pcfdist)
source("bench/timing.R")

seconds_of <- function(call) median(time_calls(call, 3)$seconds)

compare <- function(what, call) {
  cat(sprintf(
    "| %s | %.4f | %.4f |\n", what, seconds_of(function() call("cpu")),
    seconds_of(function() call("cuda"))
  ))
}

# Entries of a row in columns far from one another, in increasing order.
loadNamespace("Matrix")
set.seed(1)
columns <- 1e6
ends <- c(0, sort(sample.int(5e7, 1e6 - 1)), 5e7)
entries <- diff(ends)
gaps <- rep(floor(columns / pmax(entries, 1)), entries)
sparse <- methods::new("dgRMatrix")
sparse@Dim <- c(1000000L, 1000000L)
sparse@p <- as.integer(ends)
sparse@j <- as.integer(gaps * (sequence(entries) - 1) + floor(runif(5e7) * gaps))
sparse@x <- rnorm(5e7)
vectors <- matrix(rnorm(1e7), 1e6)

cat("| case | CPU, s | GPU, s |\n| --- | --- | --- |\n")
compare("matrix of 1e6 uneven rows and 5e7 entries times a vector", function(device) {
  linear_combinations(sparse, vectors[, 1], device = device)
})
compare("times ten", function(device) linear_combinations(sparse, vectors, device = device))
