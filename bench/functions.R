# Times what works on each function alone, beside masspcf: norms, evaluation, and norms of
# functions of very uneven lengths. Both sides get the same data and threads; the peer runs as
# bench/functions-peer.py, the bandwidth is that of bench/bandwidth.c.
#
#   Rscript bench/functions.R [OUTPUT.md] [THREADS] [--quick] [--no-peer]
#
# needs the installed package, and bench/.venv with masspcf as bench/venv.sh makes it; without
# it, or with --no-peer, pcfdist is timed alone. Prints Markdown, and writes it to OUTPUT.md.

library(pcfdist)
source("bench/data.R")
source("bench/record.R")

arguments <- commandArgs(trailingOnly = TRUE)
quick <- "--quick" %in% arguments
with_peer <- !"--no-peer" %in% arguments
arguments <- setdiff(arguments, c("--quick", "--no-peer"))
output <- if (length(arguments) >= 1) arguments[1]
threads <- if (length(arguments) >= 2) arguments[2] else .Call(pcfdist:::ffi_available)$cores
threads <- as.integer(threads)
repeats <- if (quick) 3 else 11
shrink <- if (quick) 10 else 1
folder <- tempfile("functions")
dir.create(folder)

# ---- Workloads ----

# `long` breakpoints in one function, and `count` functions of 3.
uneven_functions <- function(long, count) {
  time <- c(0, cumsum(runif(long - 1) + 0.01))
  lapply(c(long, rep(3, count)), function(m) {
    cbind(time = time[seq_len(m)], value = c(rnorm(m - 1), 0))
  })
}

even_functions <- function(total, count) {
  m <- rep(total %/% count, count)
  m[seq_len(total %% count)] <- m[1] + 1
  lapply(m, function(m) cbind(time = seq_len(m) - 1, value = c(rnorm(m - 1), 0)))
}

# ---- Timing ----

median_seconds <- function(run) {
  run()
  median(vapply(seq_len(repeats), function(k) {
    gc()
    start <- as.numeric(Sys.time())
    run()
    as.numeric(Sys.time()) - start
  }, 0))
}

# What the peer needs for a case, and its results; NA where there is no peer.
python <- "bench/.venv/bin/python"
peer <- function(name, case) {
  if (!with_peer || !file.exists(python)) return(list(seconds = NA, result = NA))
  lines <- system2(
    python, c("bench/functions-peer.py", folder, name, case, threads, repeats), stdout = TRUE
  )
  result <- readBin(file.path(folder, "result.bin"), "double", 1e6)
  list(seconds = as.numeric(lines[length(lines)]), result = result)
}

rows <- NULL
row <- function(case, size, seconds, bytes, theirs = NA, difference = NA, goal = "") {
  record(case, size, seconds, bytes = bytes)
  if (!is.na(theirs)) {
    record(case, size, theirs, side = "masspcf", difference = difference)
  }
  rows <<- rbind(rows, data.frame(
    case = case, pcfdist = sprintf("%.4f", seconds),
    "GB/s" = sprintf("%.1f", bytes / seconds / 1e9),
    "of bandwidth" = sprintf("%.0f %%", 100 * bytes / seconds / bandwidth),
    masspcf = sprintf("%.4f", theirs), ratio = sprintf("%.1f", theirs / seconds),
    difference = sprintf("%.1e", difference), goal = goal, check.names = FALSE
  ))
}

largest_difference <- function(ours, theirs) max(abs(ours - theirs) / pmax(abs(ours), 1e-300))

# ---- Bandwidth ----

measure_bandwidth <- function() {
  program <- file.path(folder, "bandwidth")
  sources <- c("bench/bandwidth.c", "src/base/threads.c", "src/base/memory.c", "src/base/error.c")
  flags <- c("-O3", "-march=native", "-std=gnu11", "-pthread", "-Isrc")
  built <- system2("cc", c(flags, "-o", program, sources, "-lm"))
  if (built != 0) return(NA)
  as.numeric(system2(program, c(800 / shrink, threads, 20), stdout = TRUE))
}

bandwidth <- measure_bandwidth()
record("bandwidth", "what a threaded sum reads", 1, bytes = bandwidth)
set.seed(20240407)

# ---- Norms ----

x <- rpcf(1e5 / shrink)
bytes <- 16 * sum(lengths(unclass(x))) / 2
write_functions(x, file.path(folder, "paper"))
size <- sprintf("%d functions", length(x))
for (p in c(1, 2, 3, Inf)) {
  ours <- median_seconds(function() lp_norm(x, p, threads = threads))
  theirs <- if (p < Inf) peer("paper", paste0("norm", p)) else list(seconds = NA, result = NA)
  difference <- largest_difference(lp_norm(x, p), theirs$result)
  row(paste0("norm, p = ", p), size, ours, bytes, theirs$seconds, difference, if (p <= 2) "20" else "")
}
row("integral", size, median_seconds(function() integral(x, threads = threads)), bytes)

# ---- Evaluation ----

y <- x[seq_len(2e4 / shrink)]
rm(x)
write_functions(y, file.path(folder, "evaluated"))
grid <- seq(0, 3, length.out = 1000)
ours <- median_seconds(function() evaluate(y, grid, threads = threads))
theirs <- peer("evaluated", "evaluate")
mismatch <- mean(evaluate(y, grid)[seq_len(100), ] != theirs$result)
size <- sprintf("%d functions", length(y))
row("evaluate, 1000 times", size, ours, 8e3 * length(y), theirs$seconds, mismatch, "10")
rm(y)

# ---- Uneven lengths ----

long <- 1e7 / shrink
count <- 1e6 / shrink
total <- long + 3 * count
size <- sprintf("%.0f breakpoints", total)
uneven <- structure(uneven_functions(long, count), class = c("pcf", "list"))
seconds_uneven <- median_seconds(function() lp_norm(uneven, 2, threads = threads))
row("norm, one long and many short", size, seconds_uneven, 16 * total)
rm(uneven)
even <- structure(even_functions(total, count + 1), class = c("pcf", "list"))
seconds_even <- median_seconds(function() lp_norm(even, 2, threads = threads))
row("norm, even lengths, the same total", size, seconds_even, 16 * total)
rm(even)

# ---- Report ----

lines <- c(
  "# Norms and evaluation, CPU", "",
  paste("- Date:", Sys.Date()),
  paste("- pcfdist:", packageVersion("pcfdist")),
  paste("- Threads:", threads, "on both sides"),
  sprintf("- Bandwidth, a threaded sum: %.1f GB/s", bandwidth / 1e9),
  sprintf("- Uneven lengths take %.2f times as long as even ones (goal: at most 1.5)",
          seconds_uneven / seconds_even), "",
  "Median seconds of whole calls, from a `pcf` object to the finished R object; masspcf: the",
  "call alone, on a tensor built before. The difference is the largest relative one, for",
  "evaluation the share of values that differ.", "",
  paste0("| ", paste(names(rows), collapse = " | "), " |"),
  paste0("|", strrep(" --- |", ncol(rows))),
  gsub("\\b(NA|NaN)( %)?", "", apply(rows, 1, function(r) {
    paste0("| ", paste(trimws(r), collapse = " | "), " |")
  }))
)
writeLines(lines)
if (!is.null(output)) writeLines(lines, output)
unlink(folder, recursive = TRUE)
