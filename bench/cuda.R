# Whole R calls on the CUDA device, beside masspcf with its CUDA build on the same data.
#
# usage: Rscript bench/cuda.R OUTPUT.md [PYTHON]
# PYTHON has masspcf; without it only pcfdist is timed.

library(pcfdist)
arguments <- commandArgs(trailingOnly = TRUE)
output <- arguments[1]
python <- arguments[2]
folder <- tempfile("bench")
dir.create(folder)

n <- 20000
set.seed(1)
lengths <- sample(10:999, n, replace = TRUE)
x <- pcf(
  lapply(lengths, function(m) {
    t <- sort(abs(rnorm(m))) * abs(rnorm(1))
    t[1] <- 0
    t
  }),
  lapply(lengths, function(m) c(rnorm(m - 1), 0))
)
short <- pcf(
  lapply(1:80000, function(i) c(0, sort(abs(rnorm(4))))),
  lapply(1:80000, function(i) c(rnorm(4), 0))
)
writeBin(lengths, file.path(folder, "lengths"))
writeBin(unlist(lapply(unclass(x), function(f) f[, 1])), file.path(folder, "times"))
writeBin(unlist(lapply(unclass(x), function(f) f[, 2])), file.path(folder, "values"))

calls <- list(
  "L1" = function(precision) pdist(x, 1, device = "cuda", precision = precision),
  "p = 2" = function(precision) pdist(x, 2, device = "cuda", precision = precision),
  "inner product" = function(precision) l2_kernel(x, device = "cuda", precision = precision)
)

measure <- function(call, repeats = 5) {
  result <- call()
  runs <- lapply(seq_len(repeats), function(i) {
    seconds <- system.time(result <<- call())[["elapsed"]]
    c(seconds = seconds, last_run()$phases)
  })
  middle <- order(vapply(runs, `[[`, 0, "seconds"))[(repeats + 1) / 2]
  list(run = runs[[middle]], sample = result[1])
}

peer <- NULL
if (!is.na(python)) {
  system2(python, c("bench/cuda-peer.py", folder), stdout = "")
  peer <- utils::read.csv(file.path(folder, "peer.csv"))
}

lines <- c(
  paste0("# Whole calls on CUDA devices, ", Sys.Date()), "",
  paste0("Command: `Rscript bench/cuda.R`. ", R.version.string, ", ",
         cuda_info()$devices$name[1], ", ", length(cuda_info()$devices$name), " GPU, ",
         .Call(pcfdist:::ffi_available)$cores, " cores."),
  paste0("Data: the paper's workload, ", n, " functions, ", sum(lengths),
         " breakpoints. Seconds are medians of 5 calls, from the list of functions to the ",
         "finished R object; of masspcf too, after one call to warm up."), "",
  paste("| case | precision | pcfdist, s | check | prepare | compute | scatter | masspcf, s |",
        "ratio | difference of one entry |"),
  "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)
for (name in names(calls)) for (precision in c("single", "double")) {
  m <- measure(function() calls[[name]](precision))
  other <- peer[peer$case == name & peer$precision == precision, ]
  difference <- if (nrow(other)) sprintf("%.1e", abs(other$a / m$sample - 1)) else ""
  lines <- c(lines, sprintf(
    "| %s | %s | %.3f | %.3f | %.3f | %.3f | %.3f | %s | %s | %s |", name, precision,
    m$run[["seconds"]], m$run[["check"]], m$run[["prepare"]], m$run[["compute"]],
    m$run[["scatter"]], if (length(other$seconds)) sprintf("%.3f", other$seconds) else "",
    if (length(other$seconds)) sprintf("%.1f", other$seconds / m$run[["seconds"]]) else "",
    difference
  ))
  writeLines(lines, output)
}
for (precision in c("double", "single")) {
  m <- measure(function() pdist(short, device = "cuda", precision = precision), 3)
  lines <- c(lines, sprintf(
    "| 80,000 functions of 5, L1 | %s | %.3f | %.3f | %.3f | %.3f | %.3f | | | |", precision,
    m$run[["seconds"]], m$run[["check"]], m$run[["prepare"]], m$run[["compute"]],
    m$run[["scatter"]]
  ))
}
writeLines(lines, output)
writeLines(lines)
