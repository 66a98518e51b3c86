# Times what works on each function alone, beside stablebear: norms, evaluation, and norms of
# functions of very uneven lengths. Both sides get the same data and threads; the peer runs as
# bench/functions-peer.py, the bandwidth is that of bench/bandwidth.c.
#
#   Rscript bench/functions.R [THREADS] [--quick] [--no-peer]
#
# needs the installed package, and bench/.venv with stablebear as bench/venv.sh makes it; without
# it, or with --no-peer, pcfdist is timed alone.

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")

arguments <- commandArgs(trailingOnly = TRUE)
quick <- "--quick" %in% arguments
python <- "bench/.venv/bin/python"
with_peer <- !"--no-peer" %in% arguments && file.exists(python)
arguments <- setdiff(arguments, c("--quick", "--no-peer"))
threads <- if (length(arguments) >= 1) arguments[1] else .Call(pcfdist:::ffi_cores)
threads <- as.integer(threads)
repeats <- if (quick) 3 else 11
shrink <- if (quick) 10 else 1
folder <- tempfile("functions")
dir.create(folder)

# What the peer gives for a case, whose time it records itself; NA without a peer.
peer <- function(name, call, case, size) {
  if (!with_peer) return(NA)
  system2(python, c("bench/functions-peer.py", folder, name, call, threads, repeats,
                    shQuote(case), shQuote(size)))
  readBin(file.path(folder, "result.bin"), "double", 1e6)
}

report <- function(case, size, run, bytes, difference = NA) {
  seconds <- time_calls(run, repeats)$seconds
  cat(sprintf("  pcfdist: %s, %s: %.4f s, %.1f GB/s\n", case, size, median(seconds),
              bytes / median(seconds) / 1e9))
  record(case, size, seconds, bytes = bytes, difference = difference)
}

largest_difference <- function(ours, theirs) max(abs(ours - theirs) / pmax(abs(ours), 1e-300))

# ---- Bandwidth ----

# Bytes that a threaded sum reads in a second.
measure_bandwidth <- function() {
  program <- file.path(folder, "bandwidth")
  sources <- c("bench/bandwidth.c", "src/base/threads.c", "src/base/memory.c", "src/base/error.c")
  flags <- c("-O3", "-march=native", "-std=gnu11", "-pthread", "-Isrc")
  built <- system2("cc", c(flags, "-o", program, sources, "-lm"))
  if (built != 0) return(NA)
  as.numeric(system2(program, c(800 / shrink, threads, 20), stdout = TRUE))
}

bandwidth <- measure_bandwidth()
cat(sprintf("  bandwidth: %.1f GB/s\n", bandwidth / 1e9))
record("bandwidth", "what a threaded sum reads", 1, bytes = bandwidth)
set.seed(20240407)

# ---- Norms ----

x <- rpcf(1e5 / shrink)
bytes <- 16 * count_breakpoints(x)
write_functions(x, file.path(folder, "paper"))
size <- sprintf("%d functions", length(x))
for (p in c(1, 2, 3, Inf)) {
  case <- paste0("norm, p = ", p)
  theirs <- if (p < Inf) peer("paper", paste0("norm", p), case, size) else NA
  report(case, size, function() lp_norm(x, p, threads = threads), bytes,
         largest_difference(lp_norm(x, p), theirs))
}
report("integral", size, function() integral(x, threads = threads), bytes)

# ---- Evaluation ----

y <- x[seq_len(2e4 / shrink)]
rm(x)
write_functions(y, file.path(folder, "evaluated"))
grid <- seq(0, 3, length.out = 1000)
case <- "evaluate, 1000 times"
size <- sprintf("%d functions", length(y))
theirs <- peer("evaluated", "evaluate", case, size)
mismatch <- mean(evaluate(y, grid)[seq_len(100), ] != theirs)
report(case, size, function() evaluate(y, grid, threads = threads), 8e3 * length(y), mismatch)
rm(y)

# ---- Uneven lengths ----

long <- 1e7 / shrink
count <- 1e6 / shrink
total <- long + 3 * count
size <- sprintf("%.0f breakpoints", total)
uneven <- as_collection(uneven_functions(long, count))
report("norm, one long and many short", size,
       function() lp_norm(uneven, 2, threads = threads), 16 * total)
rm(uneven)
even <- as_collection(even_functions(total, count + 1))
report("norm, even lengths, the same total", size,
       function() lp_norm(even, 2, threads = threads), 16 * total)
unlink(folder, recursive = TRUE, expand = FALSE)
