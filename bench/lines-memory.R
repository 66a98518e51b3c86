# The memory of piecewise linear functions beside that of step functions with as many breakpoints: of the collections,
# and of pdist() besides functions and result, each call in a new process.
# Usage: Rscript bench/lines-memory.R [N [THREADS]], in the root of the repository.
suppressPackageStartupMessages(library(pcfdist))
options(pcfdist.progress = FALSE, pcfdist.device = "cpu")
source("bench/timing.R")

# What a new process does: `given` are a file with functions, p, the precision and the threads.
measure <- function(given) {
  x <- readRDS(given[1])
  call <- function() pdist(x, as.numeric(given[2]), precision = given[3], threads = as.integer(given[4]))
  cat(timed_with_memory(call)$beyond)
}

compare <- function(n, threads) {
  set.seed(20240407)
  lengths <- sample(10:999, n, replace = TRUE)
  times <- lapply(lengths, function(m) sort(runif(m)))
  values <- lapply(lengths, function(m) c(rnorm(m - 1), 0))
  data <- list(steps = pcf(times, values), lines = plf(times, values))
  files <- vapply(names(data), function(name) tempfile(name, fileext = ".rds"), "")
  Map(function(x, file) saveRDS(x, file, compress = FALSE), data, files)
  megabytes <- function(what, bytes) {
    cat(sprintf("| %s | %.1f | %.1f | %.2f |\n", what, bytes[1] / 1e6, bytes[2] / 1e6, bytes[2] / bytes[1]))
  }
  cat("| memory | steps, MB | lines, MB | ratio |\n| --- | --- | --- | --- |\n")
  megabytes(sprintf("%d functions, %d breakpoints", n, sum(lengths)), vapply(data, object.size, 0))
  for (precision in c("double", "single")) for (p in c(1, 2, 1.7, Inf)) {
    beyond <- vapply(files, function(file) {
      command <- c("bench/lines-memory.R", "--measure", file, p, precision, threads)
      as.numeric(system2(file.path(R.home("bin"), "Rscript"), command, stdout = TRUE))
    }, 0)
    megabytes(sprintf("pdist(x, %s), %s", p, precision), beyond)
  }
  invisible(unlink(files, expand = FALSE))
}

arguments <- commandArgs(trailingOnly = TRUE)
if ("--measure" %in% arguments) {
  measure(arguments[-1])
} else {
  do.call(compare, numbers_given(n = 4000L, threads = 2L))
}
