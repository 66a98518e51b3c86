# Times means of many functions beside masspcf, on the same data and threads.
#
#   Rscript bench/means.R FOLDER N THREADS REPEATS [PYTHON]
#
# times, on the paper's workload of N functions, the mean, the mean by 10 groups and the maximum,
# whole R calls, and then, with PYTHON, masspcf's mean of the same functions, in FOLDER: that
# takes about a minute for 10,000 functions, and grows with the square of their number. Medians
# of REPEATS calls count. The last line is the ratio; the two means are compared at random
# times. Run it in the root of the repository.

library(pcfdist)
source("bench/data.R")
source("bench/record.R")

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

breakpoints <- sum(lengths(unclass(x))) / 2
size <- sprintf("%d functions", n)

time_it <- function(label, run) {
  seconds <- vapply(seq_len(repeats), function(i) {
    gc()
    system.time(run())[["elapsed"]]
  }, 0)
  cat(sprintf("%-16s %9.3f s, fastest %9.3f s\n", label, median(seconds), min(seconds)))
  record(label, size, median(seconds), bytes = 16 * breakpoints)
  median(seconds)
}

cat(sprintf("%s, %.0f breakpoints, %d threads\n", size, breakpoints, threads))
mean_seconds <- time_it("mean", function() mean(x, threads = threads))
group_seconds <- time_it("mean by 10", function() aggregate(x, group, threads = threads))
invisible(time_it("max", function() max(x, threads = threads)))
cat(sprintf("By 10 groups / one mean: %.2f\n", group_seconds / mean_seconds))
if (!is.na(python)) {
  write_functions(x, file.path(folder, sprintf("means-%d", n)))
  at <- runif(1000, 0, 3)
  writeBin(at, path("at"))
  peer <- system2(python, c("bench/means-peer.py", folder, n, threads, repeats), stdout = TRUE)
  peer_seconds <- as.numeric(peer[length(peer)])
  f <- unclass(mean(x))[[1]]
  values <- c(0, f[, 2])[findInterval(at, f[, 1]) + 1]
  difference <- max(abs(values - readBin(path("peer"), "double", 1000)))
  record("mean", size, peer_seconds, side = "masspcf", difference = difference)
  cat(sprintf("%-16s %9.3f s\n", "masspcf's mean", peer_seconds))
  cat(sprintf("masspcf / mean: %.0f; largest difference %.2g\n",
              peer_seconds / mean_seconds, difference))
}
