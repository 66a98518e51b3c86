# Puts the results of one run of bench/run.sh together, as Markdown on standard output.
# Usage: Rscript bench/report.R FOLDER CASES THREADS

source("bench/markdown.R")

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
cases <- read.csv(arguments[2])
threads <- arguments[3]

read_all <- function(stems) {
  files <- file.path(folder, paste0(stems, ".csv"))
  rows <- lapply(files, function(f) if (file.exists(f)) read.csv(f) else data.frame(case = NA))
  columns <- unique(unlist(lapply(rows, names)))
  do.call(rbind, lapply(rows, function(r) {
    r[setdiff(columns, names(r))] <- NA
    r[columns]
  }))
}

# Largest difference of the two sides, relative to the distance, or for inner products to
# the norms of the two functions.
largest_difference <- function(case, peer) {
  files <- file.path(folder, paste0(c(paste0(case, ".pcfdist"), peer), ".bin"))
  if (!all(file.exists(files))) return(NA)
  theirs <- readBin(files[2], "double", 2e5)
  k <- length(theirs)
  ours <- readBin(files[1], "double", 4e5)
  max(abs(ours[seq_len(k)] - theirs) / ours[k + seq_len(k)])
}

# The name that bench/run.sh gives to masspcf's run.
p <- ifelse(is.na(cases$p), "", as.character(cases$p))
peer_name <- paste(cases$workload, cases$n, cases$`function`, p, cases$precision, sep = "-")
ours <- read_all(paste0(cases$case, ".pcfdist"))
theirs <- read_all(peer_name)
theirs[setdiff(c("seconds", "repeats", "version"), names(theirs))] <- NA # without masspcf
difference <- mapply(largest_difference, cases$case, peer_name)
peer_version <- c(na.omit(theirs$version), "not run")[1]

cat(
  "# pcfdist beside masspcf, CPU", "",
  setting_lines(threads, readLines(file.path(folder, "load")), peer_version),
  "", "Median seconds. pcfdist: the whole R call, from a `pcf` object to the finished matrix.",
  "masspcf: the matrix call alone, on a tensor of functions built before. A rectangle is a",
  "stretch on which both functions of a pair are constant, counted as (n - 1) x breakpoints.",
  "The difference is the largest of up to 200,000 pairs, relative to the distance, for",
  "kernels to the norms of the two functions.", "",
  sep = "\n"
)

cat(table_lines(data.frame(
  case = cases$case, n = cases$n, breakpoints = ours$breakpoints, kernel = ours$kernel,
  isa = ours$isa, pcfdist = number(ours$seconds, 4),
  "rectangles/s" = power(ours$rectangles / ours$seconds),
  masspcf = number(theirs$seconds, 3),
  ratio = number(theirs$seconds / ours$seconds, 1), goal = cases$goal,
  difference = power(difference), repeats = sub("/NA", "", paste(ours$repeats, theirs$repeats, sep = "/")),
  check.names = FALSE
)), "", sep = "\n")

known <- c("case", "seconds", "fastest", "repeats", "breakpoints", "rectangles", "kernel",
  "isa", "threads", "beyond")
phases <- ours[setdiff(names(ours), known)]
cat("Phases of the pcfdist call, in milliseconds:", "", table_lines(data.frame(
  case = cases$case, lapply(phases, function(s) number(1000 * s, 2)),
  whole = number(1000 * ours$seconds, 2)
)), "", sep = "\n")

packed <- 16 * ours$breakpoints
cat("Peak memory of the pcfdist call beyond its input and its result, beside the packed",
  "collection (16 bytes a breakpoint):", "",
  table_lines(data.frame(
    case = cases$case, "packed MB" = number(packed / 1e6, 1),
    "beyond MB" = number(ours$beyond / 1e6, 1), ratio = number(ours$beyond / packed, 2),
    check.names = FALSE
  )), "", sep = "\n")
