# Times means of many functions beside stablebear, on the same data and threads.
#
#   Rscript bench/means.R FOLDER N THREADS REPEATS [PYTHON]
#
# times whole R calls on the paper's workload of N functions: the mean, the mean by 10 groups, the
# maximum, and weighted sums of 15 functions each, by groups and by the rows of a sparse matrix.
# Then, with PYTHON, stablebear's mean of the same functions, in FOLDER: that takes about a minute
# for 10,000 functions, and grows with the square of their number. The two means are compared at
# random times. Run it in the root of the repository.

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
n <- as.integer(arguments[2])
threads <- as.integer(arguments[3])
repeats <- as.integer(arguments[4])
python <- arguments[5]
path <- function(suffix) file.path(folder, sprintf("means-%d.%s", n, suffix))

dir.create(folder, showWarnings = FALSE, recursive = TRUE)
set.seed(20240407)
x <- rpcf(n)
group <- rep_len(1:10, n)
size <- sprintf("%d functions", n)

report <- function(case, run, difference = NA) {
  seconds <- time_calls(run, repeats)$seconds
  cat(sprintf("  pcfdist: %s, %s: %.4f s\n", case, size, median(seconds)))
  record(case, size, seconds, bytes = 16 * count_breakpoints(x), difference = difference)
}

# The largest difference of the two means at random times; NA without a peer.
difference_to_peer <- function() {
  if (is.na(python)) return(NA)
  write_functions(x, file.path(folder, sprintf("means-%d", n)))
  at <- runif(1000, 0, 3)
  writeBin(at, path("at"))
  system2(python, c("bench/means-peer.py", folder, n, threads, repeats))
  max(abs(evaluate(mean(x), at) - readBin(path("peer"), "double", 1000)))
}

report("mean", function() mean(x, threads = threads), difference_to_peer())
report("mean by 10", function() aggregate(x, group, threads = threads))
report("max", function() max(x, threads = threads))

# The same number of breakpoints on both sides. The functions of a group are anywhere, as those of
# a row are.
few <- n %/% 15
members <- sample(rep_len(seq_len(few), n))
weights <- runif(n)
W <- Matrix::sparseMatrix(sample(members), seq_len(n), x = weights, dims = c(few, n))
report("weighted sums by groups of 15", function() {
  aggregate(x, members, sum, weights = weights, threads = threads)
})
report("linear combinations of 15", function() linear_combinations(W, x, threads = threads))
