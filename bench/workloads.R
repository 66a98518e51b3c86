# Writes the data of bench/cases.csv for both sides:
#   NAME.rds                        the pcf object
#   NAME.lengths, .times, .values   the same functions for the peer
#   NAME-N.pairs                    int32: which entries of the matrix are compared
# Usage: Rscript bench/workloads.R FOLDER CASES

source("bench/data.R")

write_workload <- function(name, n, folder) {
  x <- make_workload(name, n)
  write_functions(x, file.path(folder, name))
  saveRDS(x, file.path(folder, paste0(name, ".rds")), compress = FALSE)
  cat(sprintf("  %s: %d functions, %.0f breakpoints\n", name, n, count_breakpoints(x)))
}

# At most 200,000 random pairs (i > j, from 0) of n, all of them where there are fewer.
write_pairs <- function(name, n, folder) {
  set.seed(1)
  k <- n * (n - 1) / 2
  if (k <= 2e5) {
    i <- rep(seq_len(n - 1), seq_len(n - 1))
    j <- sequence(seq_len(n - 1)) - 1L
  } else {
    i <- sample.int(n - 1, 2e5, replace = TRUE)
    j <- floor(runif(2e5) * i)
  }
  path <- file.path(folder, sprintf("%s-%d.pairs", name, n))
  writeBin(as.integer(c(i, j)), path, size = 4)
}

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
cases <- read.csv(arguments[2], check.names = FALSE)
cat("Workloads\n")
for (name in unique(cases$workload)) {
  sizes <- unique(cases$n[cases$workload == name])
  write_workload(name, max(sizes), folder)
  for (n in sizes) write_pairs(name, n, folder)
}
