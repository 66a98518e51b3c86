# One GPU and all of them on the same call.
#
# usage: Rscript bench/cuda-devices.R OUTPUT.md

library(pcfdist)
source("bench/timeline.R")
output <- commandArgs(trailingOnly = TRUE)[1]
n <- 40000
gpus <- nrow(cuda_info()$devices)
set.seed(1)
x <- rpcf(n)

lines <- c(
  paste0("# Several GPUs, ", Sys.Date()), "",
  paste0("Command: `Rscript bench/cuda-devices.R`. ", gpus, " x ",
         cuda_info()$devices$name[1], ", ", .Call(pcfdist:::ffi_available)$cores, " cores. L1, ",
         n, " functions of the paper's workload. Seconds are of the middle one of 3 calls; ",
         "computing is how long each GPU had a kernel running."), "",
  "| precision | GPUs | whole call, s | computing, s |", "| --- | --- | --- | --- |"
)
for (precision in c("single", "double")) {
  results <- list()
  for (g in unique(c(1, gpus))) {
    options(pcfdist.gpus = g, pcfdist.timeline = TRUE)
    runs <- lapply(1:4, function(i) {
      seconds <- system.time(d <- pdist(x, device = "cuda", precision = precision))[[3]]
      sample <- d[seq(1, length(d), by = 9973)]
      rm(d)
      gc()
      list(seconds = seconds, sample = sample, spans = last_run()$timeline)
    })[-1]
    run <- runs[[order(vapply(runs, `[[`, 0, "seconds"))[2]]]
    busy <- vapply(split(run$spans, run$spans$device), function(s) covered(s$begun, s$computed), 0)
    results[[length(results) + 1]] <- run$sample
    lines <- c(lines, sprintf(
      "| %s | %d | %.3f | %s |", precision, g, run$seconds,
      paste(sprintf("%.3f", busy), collapse = ", ")
    ))
  }
  stopifnot(identical(results[[1]], results[[length(results)]]))
}
writeLines(c(lines, "", "The results of one and of all GPUs are the same to the last bit."), output)
writeLines(readLines(output))
