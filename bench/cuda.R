# Whole R calls on the CUDA devices, beside stablebear with its CUDA build on the same data.
#
# usage: Rscript bench/cuda.R OUTPUT.md [PYTHON [FILL]]
# PYTHON has stablebear; without it only pcfdist is timed. FILL is bench/fill.c, compiled: it
# measures how fast results can be written at all. The rows go to OUTPUT.csv.

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")
source("bench/markdown.R")
source("bench/timeline.R")
Sys.setenv(BENCH_ROWS = tempfile(fileext = ".csv"))
arguments <- commandArgs(trailingOnly = TRUE)
output <- arguments[1]
python <- arguments[2]
fill <- arguments[3]
gpus <- nrow(cuda_info()$devices)
cores <- .Call(pcfdist:::ffi_cores)

set.seed(1)
n <- 20000
paper <- rpcf(n)

# ---- Measuring ----

# Records some calls after one that is not timed, and gives the phases of the middle one, the
# median seconds, and the first entry of the result.
measure <- function(case, precision, x, call, repeats = 5) {
  first <- timed(call)
  entry <- first$result[1]
  first$result <- NULL
  calls <- time_calls(call, repeats, first = first, note = function(result) last_run())
  run <- calls$notes[[order(calls$seconds)[(length(calls$seconds) + 1) / 2]]]
  do.call(record, c(
    list(case, precision, calls$seconds, n = length(x), breakpoints = count_breakpoints(x)),
    plan_columns(run)
  ))
  list(seconds = median(calls$seconds), kernel = run$kernel, phases = run$phases, entry = entry)
}

lines <- character()
report <- function(...) {
  lines <<- c(lines, ...)
  writeLines(lines, output)
}

table_row <- function(...) paste0("| ", paste(..., sep = " | "), " |")
three <- function(x) ifelse(is.na(x), "", sprintf("%.3f", x))

run_row <- function(name, precision, run, peer = NA) {
  phases <- three(run$phases[c("check", "prepare", "compute", "scatter")])
  ratio <- if (is.na(peer)) "" else sprintf("%.1f", peer / run$seconds)
  do.call(table_row, as.list(c(
    name, precision, run$kernel, three(run$seconds), phases, three(peer), ratio
  )))
}

header <- c(
  paste("| case | precision | kernel | pcfdist, s | check | prepare | compute | scatter |",
        "stablebear, s | ratio |"),
  "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)

# ---- The paper's workload ----

peer <- NULL
if (!is.na(python)) {
  folder <- tempfile("bench")
  dir.create(folder)
  write_functions(paper, file.path(folder, "paper"))
  system2(python, c("bench/cuda-peer.py", folder), stdout = "")
  peer <- recorded()
  entries <- utils::read.csv(file.path(folder, "entries.csv"))
}

calls <- list(
  "L1" = function(precision) pdist(paper, 1, device = "cuda", precision = precision),
  "p = 2" = function(precision) pdist(paper, 2, device = "cuda", precision = precision),
  "inner product" = function(precision) l2_kernel(paper, device = "cuda", precision = precision)
)

report(
  paste0("# Whole calls on CUDA devices, ", Sys.Date()), "",
  paste0("Command: `Rscript bench/cuda.R`. ", R.version.string, "; ", gpus, " x ",
         cuda_info()$devices$name[1], ", ", cores, " cores."), "",
  paste0("Seconds are medians of 5 calls, from the list of functions to the finished R ",
         "object; of stablebear too, after one call to warm up."), "",
  paste0("## The paper's workload: ", n, " functions, ",
         count_breakpoints(paper), " breakpoints"), "", header
)
for (name in names(calls)) for (precision in c("single", "double")) {
  run <- measure(name, precision, paper, function() calls[[name]](precision))
  other <- peer$seconds[peer$case == name & peer$size == precision]
  if (length(other) > 0) {
    entry <- entries$entry[entries$case == name & entries$precision == precision]
    stopifnot(abs(entry / run$entry - 1) < 1e-4)
  }
  report(run_row(name, precision, run, if (length(other) > 0) other else NA))
}

# ---- Other data ----

report("", "## Other data", "", header)
other_data <- list(
  "grid of 1000, 8000 functions" = function() grid_functions(8000, 1000),
  "grid of 256, 20,000 functions" = function() grid_functions(20000, 256),
  "200 functions of 200,000" = function() random_functions(rep(2e5, 200)),
  "80,000 functions of 5" = function() random_functions(rep(5, 80000))
)
for (name in names(other_data)) {
  x <- as_collection(other_data[[name]]())
  invisible(gc())
  for (precision in c("single", "double")) {
    run <- measure(name, precision, x, function() {
      pdist(x, device = "cuda", precision = precision)
    })
    report(run_row(name, precision, run))
  }
}
if (!is.na(fill)) {
  seconds <- as.numeric(system2(fill, c("25.6e9", cores), stdout = TRUE))
  report("", sprintf(
    paste("A fill of as much memory as the result of 80,000 functions takes (25.6 GB), by %d",
          "threads: %.3f s."), cores, seconds
  ))
}
rm(x)

# ---- What stays between calls ----

# The same call when nothing stays on the GPU, and the first one after all was given back.
report("", "## Memory that stays between calls (L1)", "", table_row(
  "precision", "whole call, s", "nothing stays", "the first after release()", "kept, GB"
), paste0("|", strrep(" --- |", 5)))
seconds_of <- function(call) {
  call()
  median(time_calls(call, 3)$seconds)
}
for (precision in c("single", "double")) {
  usual <- seconds_of(function() calls[["L1"]](precision))
  kept <- sum(cuda_info()$devices$kept_memory) / 1e9
  first <- seconds_of(function() {
    release()
    calls[["L1"]](precision)
  })
  options(pcfdist.gpu_keep = 0)
  nothing <- seconds_of(function() calls[["L1"]](precision))
  options(pcfdist.gpu_keep = NULL)
  report(table_row(precision, three(usual), three(nothing), three(first), sprintf("%.2f", kept)))
}

# ---- One call on the clock ----

options(pcfdist.timeline = TRUE)
d <- pdist(paper, device = "cuda", precision = "single")
rm(d)
whole <- system.time(
  d <- pdist(paper, device = "cuda", precision = "single")
)[["elapsed"]]
options(pcfdist.timeline = FALSE)
spans <- last_run()$timeline
rm(d)
computing <- covered(spans$begun, spans$computed)
scattering <- covered(spans$scatter_begun, spans$scattered)
under <- covered(spans$scatter_begun, spans$scattered, list(spans$begun, spans$computed))
times <- c("launched", "begun", "computed", "copied", "scatter_begun", "scattered")
report(
  "", "## Timeline of one call (L1, single)", "",
  sprintf(
    paste("%d blocks, %.1f ms in R. The first kernel began %.1f ms after the run did; from there",
          "to the last write: %.1f ms. The device computed in %.1f ms of them; of %.1f ms of",
          "scattering, %.1f ms were under computation. The first blocks, in ms since the start of",
          "the run:"),
    nrow(spans), 1e3 * whole, 1e3 * min(spans$begun),
    1e3 * (max(spans$scattered) - min(spans$begun)), 1e3 * computing, 1e3 * scattering, 1e3 * under
  ), "",
  table_row("row", "column", paste(times, collapse = " | ")),
  paste0("|", strrep(" --- |", 2 + length(times))),
  vapply(1:8, function(k) {
    do.call(table_row, as.list(c(
      spans$row[k], spans$column[k], sprintf("%.2f", 1e3 * unlist(spans[k, times]))
    )))
  }, "")
)

write_report(sub("[.]md$", "", output), lines, recorded(), cores,
             paste(gpus, "x", cuda_info()$devices$name[1]))
writeLines(lines)
