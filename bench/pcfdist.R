# Times one case of bench/cases.csv in a fresh process: the whole R call, from the pcf object to
# the finished matrix. Records a row, and writes the compared entries to CASE.pcfdist.bin.
# Usage: Rscript bench/pcfdist.R FOLDER CASES CASE THREADS REPEATS

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")

# The compared entries of a result, and what their differences are relative to.
write_entries <- function(result) {
  pairs <- readBin(
    file.path(folder, sprintf("%s-%d.pairs", case$workload, case$n)), "integer", 4e5
  )
  i <- pairs[seq_len(length(pairs) / 2)]
  j <- pairs[-seq_len(length(pairs) / 2)]
  if (inherits(result, "dist")) {
    n <- as.numeric(case$n)
    entries <- result[j * n - j * (j + 1) / 2 + i - j]
    scale <- entries
  } else {
    entries <- result[cbind(i + 1, j + 1)]
    scale <- sqrt(diag(result)[i + 1] * diag(result)[j + 1])
  }
  writeBin(c(entries, scale), file.path(folder, paste0(case$case, ".pcfdist.bin")))
}

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
cases <- read.csv(arguments[2], check.names = FALSE)
case <- cases[cases$case == arguments[3], ]
threads <- as.integer(arguments[4])
repeats <- as.integer(arguments[5])

if (!is.na(case$isa) && nzchar(case$isa)) options(pcfdist.isa = case$isa)
x <- readRDS(file.path(folder, paste0(case$workload, ".rds")))
x <- x[seq_len(case$n)]
missing <- if (case$missing %in% c(NA, "")) "error" else case$missing
run <- function() {
  if (case$`function` == "l2_kernel") {
    l2_kernel(x, missing = missing, precision = case$precision, device = "cpu",
              threads = threads, progress = FALSE)
  } else {
    pdist(x, p = case$p, missing = missing, precision = case$precision, device = "cpu",
          threads = threads, progress = FALSE)
  }
}

# The first call: memory and agreement. It is a timing only where it is very slow.
first <- timed_with_memory(run)
write_entries(first$result)
first$result <- NULL

calls <- time_calls(run, repeats, most = 21, first = first, note = function(result) {
  unlist(last_run()$phases)
})
phases <- apply(do.call(rbind, calls$notes), 2, median)

do.call(record, c(
  list(case$case, case$n, calls$seconds, n = case$n, breakpoints = count_breakpoints(x),
       rectangles = (case$n - 1) * count_breakpoints(x), beyond = first$beyond),
  plan_columns(phases = phases)
))
cat(sprintf("  pcfdist: %s, %d: %.4f s\n", case$case, case$n, median(calls$seconds)))
