# Calls on one GPU and on several of one host: seconds, how long each GPU computed, and whether the
# results have the same bits.
#
# usage: Rscript bench/cuda-devices.R OUTPUT.md [CASE [SCALE]]
# CASE is one of those below, or "all". Cases have SCALE times as many functions, 1 without.
# The rows go to OUTPUT.csv.

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")
source("bench/markdown.R")
source("bench/timeline.R")
Sys.setenv(BENCH_ROWS = tempfile(fileext = ".csv"))
options(pcfdist.progress = FALSE, pcfdist.device = "cuda", pcfdist.timeline = TRUE)
given <- commandArgs(trailingOnly = TRUE)
output <- given[1]
scale <- if (length(given) > 2) as.numeric(given[3]) else 1
gpus <- nrow(cuda_info()$devices)
cores <- .Call(pcfdist:::ffi_cores)
numbers <- unique(c(2^(0:floor(log2(gpus))), gpus))

# ---- Cases ----

# Step functions of the paper's workload, and lines with the same times and values.
steps <- function(n) {
  set.seed(1)
  rpcf(n)
}

case <- function(n, precisions, repeats, run, data = steps) {
  list(n = round(n * scale), precisions = precisions, repeats = repeats, run = run, data = data)
}
both <- c("single", "double")
lines_of <- function(n) lines_through(steps(n))
cases <- list(
  "L1" = case(20000, both, 3, function(x, ...) pdist(x, ...)),
  "large" = case(1e5, both, 1, function(x, ...) pdist(x, ...)),
  "lines, L1" = case(40000, both, 3, function(x, ...) pdist(x, ...), lines_of),
  "lines, L2" = case(40000, both, 3, function(x, ...) pdist(x, 2, ...), lines_of),
  "neighbors" = case(5e5, "single", 1, function(x, ...) nearest_neighbors(x, 15, ...)),
  "all pairs" = case(5e5, "single", 1, function(x, ...) reduce_distances(x, with = "max", ...))
)
if (length(given) > 1 && given[2] != "all") cases <- cases[given[2]]

# ---- Measuring ----

# Some of the entries: results are too large to keep.
sample_of <- function(result) {
  numbers <- if (is.list(result)) unlist(unclass(result), use.names = FALSE) else result
  numbers[seq(1, length(numbers), by = max(1, length(numbers) %/% 100000))]
}

report <- c(
  paste0("# Several GPUs, ", Sys.Date()), "",
  paste0("Command: `Rscript bench/cuda-devices.R`. ", gpus, " x ", cuda_info()$devices$name[1], ", ", cores,
         " cores. Functions of the paper's workload. Seconds are of the middle call; computing is how long each GPU ",
         "had a kernel running. *Speed* is the seconds of one GPU, divided by the seconds and the number of GPUs, of ",
         "computing (by the GPU that computed longest) and of the whole call."), "",
  "| case | functions | precision | GPUs | whole call, s | computing, s | speed, computing | speed, call |",
  "| --- | --- | --- | --- | --- | --- | --- | --- |"
)
for (name in names(cases)) {
  case <- cases[[name]]
  x <- case$data(case$n)
  for (precision in case$precisions) {
    one <- NULL
    for (g in numbers) {
      options(pcfdist.gpus = g)
      calls <- time_calls(function() case$run(x, precision = precision), case$repeats,
                          note = function(d) list(sample = sample_of(d), run = last_run()))
      middle <- calls$notes[[order(calls$seconds)[(length(calls$seconds) + 1) %/% 2]]]
      do.call(record, c(
        list(paste0(name, ", ", g, " GPUs"), precision, calls$seconds, n = length(x),
             breakpoints = count_breakpoints(x)), plan_columns(middle$run)
      ))
      spans <- middle$run$timeline
      busy <- vapply(split(spans, spans$device), function(s) covered(s$begun, s$computed), 0)
      seconds <- median(calls$seconds)
      if (is.null(one)) one <- list(seconds = seconds, busy = max(busy), sample = middle$sample)
      stopifnot(identical(one$sample, middle$sample))
      report <- c(report, sprintf(
        "| %s | %d | %s | %d | %.3f | %s | %.2f | %.2f |", name, length(x), precision, g, seconds,
        paste(sprintf("%.3f", busy), collapse = ", "), one$busy / max(busy) / g, one$seconds / seconds / g
      ))
      writeLines(tail(report, 1))
    }
  }
  rm(x)
}
report <- c(report, "", "The results of any number of GPUs are the same to the last bit.")
write_report(sub("[.]md$", "", output), report, recorded(), cores, paste(gpus, "x", cuda_info()$devices$name[1]))
