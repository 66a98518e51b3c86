# One GPU and all of them on the same call.
#
# usage: Rscript bench/cuda-devices.R OUTPUT.md
#
# The rows go to OUTPUT.csv.

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")
source("bench/markdown.R")
source("bench/timeline.R")
Sys.setenv(BENCH_ROWS = tempfile(fileext = ".csv"))
output <- commandArgs(trailingOnly = TRUE)[1]
n <- 40000
gpus <- nrow(cuda_info()$devices)
cores <- .Call(pcfdist:::ffi_cores)
set.seed(1)
x <- rpcf(n)

lines <- c(
  paste0("# Several GPUs, ", Sys.Date()), "",
  paste0("Command: `Rscript bench/cuda-devices.R`. ", gpus, " x ",
         cuda_info()$devices$name[1], ", ", cores, " cores. L1, ", n, " functions of the ",
         "paper's workload. Seconds are of the middle one of 3 calls; ",
         "computing is how long each GPU had a kernel running."), "",
  "| precision | GPUs | whole call, s | computing, s |", "| --- | --- | --- | --- |"
)
for (precision in c("single", "double")) {
  results <- list()
  for (g in unique(c(1, gpus))) {
    options(pcfdist.gpus = g, pcfdist.timeline = TRUE)
    calls <- time_calls(
      function() pdist(x, device = "cuda", precision = precision), 3,
      note = function(d) list(sample = d[seq(1, length(d), by = 9973)], run = last_run())
    )
    middle <- calls$notes[[order(calls$seconds)[2]]]
    do.call(record, c(
      list(paste("L1,", g, "GPUs"), precision, calls$seconds, n = n,
           breakpoints = count_breakpoints(x)),
      plan_columns(middle$run)
    ))
    spans <- middle$run$timeline
    busy <- vapply(split(spans, spans$device), function(s) covered(s$begun, s$computed), 0)
    results[[length(results) + 1]] <- middle$sample
    lines <- c(lines, sprintf(
      "| %s | %d | %.3f | %s |", precision, g, median(calls$seconds),
      paste(sprintf("%.3f", busy), collapse = ", ")
    ))
  }
  stopifnot(identical(results[[1]], results[[length(results)]]))
}
lines <- c(lines, "", "The results of one and of all GPUs are the same to the last bit.")
write_report(sub("[.]md$", "", output), lines, recorded(), cores,
             paste(gpus, "x", cuda_info()$devices$name[1]))
writeLines(lines)
