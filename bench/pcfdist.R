# Times one case of bench/cases.csv in a fresh process: the whole R call, from the pcf
# object to the finished matrix. Writes CASE.pcfdist.csv and CASE.pcfdist.bin.
# Usage: Rscript bench/pcfdist.R FOLDER CASES CASE THREADS REPEATS

library(pcfdist)

# Memory of this process in bytes, by its name in /proc; NA where there is none.
memory <- function(what) {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) "")
  line <- grep(paste0("^", what, ":"), status, value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) * 1024 else NA
}

reset_peak <- function() {
  tryCatch(cat("5", file = "/proc/self/clear_refs"), error = function(e) NULL)
}

seconds <- function(run) {
  gc()
  start <- as.numeric(Sys.time())
  run()
  as.numeric(Sys.time()) - start
}

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
cases <- read.csv(arguments[2])
case <- cases[cases$case == arguments[3], ]
threads <- as.integer(arguments[4])
repeats <- as.integer(arguments[5])

if (!is.na(case$isa) && nzchar(case$isa)) options(pcfdist.isa = case$isa)
x <- readRDS(file.path(folder, paste0(case$workload, ".rds")))
x <- x[seq_len(case$n)]
run <- function() {
  if (case$`function` == "l2_kernel") {
    l2_kernel(x, precision = case$precision, threads = threads, progress = FALSE)
  } else {
    pdist(x, p = case$p, precision = case$precision, threads = threads, progress = FALSE)
  }
}

# The first call: memory and agreement. It is a timing only where it is very slow.
invisible(gc())
before <- memory("VmRSS")
reset_peak()
start <- as.numeric(Sys.time())
result <- run()
first <- as.numeric(Sys.time()) - start
peak <- memory("VmHWM")
beyond <- peak - before - as.numeric(object.size(result))

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
rm(result, entries, scale)

# As many repeats as asked for, at most 3 of a very slow call, up to 21 of a very fast one.
slow <- first > 15
times <- if (slow) first
wanted <- if (slow) min(3, repeats) else max(repeats, min(21, floor(2 / first)))
phases <- NULL
while (length(times) < wanted) {
  times <- c(times, seconds(run))
  phases <- rbind(phases, unlist(last_run()$phases))
}
if (is.null(phases)) phases <- rbind(unlist(last_run()$phases))
phases <- apply(phases, 2, median)

last <- last_run()
m <- sum(vapply(unclass(x), NROW, 0L))
utils::write.csv(
  data.frame(
    case = case$case, seconds = median(times), fastest = min(times),
    repeats = length(times), breakpoints = m, rectangles = (case$n - 1) * m,
    kernel = last$kernel, isa = last$isa, threads = last$threads, beyond = beyond,
    as.list(phases)
  ),
  file.path(folder, paste0(case$case, ".pcfdist.csv")),
  row.names = FALSE
)
cat(sprintf("  pcfdist  %8.3f s\n", median(times)))
