# Functions that are known only in part beside complete ones, on the CPU or on CUDA devices.
#
# usage: Rscript bench/partial.R DEVICE N OUTPUT.md
#
# The rows go to OUTPUT.csv. All calls have a window that holds all breakpoints, since means need
# its end.

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")
source("bench/markdown.R")
Sys.setenv(BENCH_ROWS = tempfile(fileext = ".csv"))
arguments <- commandArgs(trailingOnly = TRUE)
device <- arguments[1]
n <- as.integer(arguments[2])
output <- arguments[3]
cores <- .Call(pcfdist:::ffi_cores)
hardware <- if (device == "cuda") {
  paste(nrow(cuda_info()$devices), "x", cuda_info()$devices$name[1])
} else {
  processor()
}

calls <- list(
  "L1" = function(x, ...) pdist(x, 1, ...),
  "p = 2" = function(x, ...) pdist(x, 2, ...),
  "inner product" = function(x, ...) l2_kernel(x, ...)
)

# What is timed: data, and what becomes of gaps.
variants <- data.frame(
  name = c("complete", "gaps, overlap", "gaps, mean", "ends, mean"),
  data = c("complete", "gaps", "gaps", "ends"),
  missing = c("overlap", "overlap", "mean", "mean")
)

# The same functions complete, with a tenth of their pieces not observed, and observed from their
# first breakpoint to their last.
variants_of <- function(functions) {
  list(complete = as_collection(functions), gaps = as_collection(with_gaps(functions)),
       ends = as_collection(with_ends(functions)))
}

last_time <- function(x) max(vapply(unclass(x), function(f) f[nrow(f), 1], 0))

measure <- function(case, precision, collections, call) {
  to <- last_time(collections$complete) + 1
  seconds <- vapply(seq_len(nrow(variants)), function(v) {
    x <- collections[[variants$data[v]]]
    timed <- time_calls(function() {
      call(x, from = 0, to = to, missing = variants$missing[v], device = device,
           precision = precision)
    }, note = function(result) last_run())
    run <- timed$notes[[order(timed$seconds)[(length(timed$seconds) + 1) / 2]]]
    do.call(record, c(
      list(paste0(case, ", ", variants$name[v]), precision, timed$seconds, n = n,
           breakpoints = count_breakpoints(x)), plan_columns(run)
    ))
    median(timed$seconds)
  }, 0)
  row <- list(case = case, precision = precision, kernel = last_run()$kernel,
              "complete, s" = number(seconds[1], 3))
  for (v in 2:nrow(variants)) {
    row[[paste0(variants$name[v], ", s")]] <- number(seconds[v], 3)
    row[[paste("ratio", v - 1)]] <- number(seconds[v] / seconds[1], 2)
  }
  as.data.frame(row, check.names = FALSE)
}

set.seed(20240407)
workloads <- list(
  "paper" = random_functions(sample(10:999, n, replace = TRUE)),
  "grid of 256" = grid_functions(n, 256)
)
rows <- NULL
for (workload in names(workloads)) {
  collections <- variants_of(workloads[[workload]])
  for (case in if (workload == "paper") names(calls) else "L1") {
    for (precision in c("single", "double")) {
      rows <- rbind(rows, measure(paste0(case, ", ", workload), precision, collections,
                                  calls[[case]]))
    }
  }
}
names(rows) <- sub("^ratio .*", "ratio", names(rows))
lines <- c(
  paste0("# Functions known only in part, ", Sys.Date()), "",
  paste0("Command: `Rscript bench/partial.R ", device, " ", n, "`. pcfdist ",
         packageVersion("pcfdist"), " at ", commit(), ", ", R.version.string, "; ", hardware, ", ",
         cores, " cores."), "",
  paste0("Seconds are medians of 5 calls, from the list of functions to the finished R object, ",
         "after one that does not count; ratios are to the complete functions. `gaps`: a tenth ",
         "of the pieces of each function is not observed; `ends`: each is observed from its ",
         "first breakpoint to its last."), "",
  paste0(n, " functions of the paper's workload, and as many on a shared grid."), "",
  table_lines(rows)
)
write_report(sub("[.]md$", "", output), lines, recorded(), cores, hardware)
writeLines(lines)
