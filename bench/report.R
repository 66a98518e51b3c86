# Puts the results of one run of bench/run.sh together, in STEM.md and STEM.csv.
# Usage: Rscript bench/report.R FOLDER CASES THREADS STEM

source("bench/timing.R")
source("bench/markdown.R")

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
cases <- read.csv(arguments[2], check.names = FALSE)
threads <- arguments[3]
stem <- arguments[4]

# Largest difference of the two sides, relative to the distance, or for inner products to
# the norms of the two functions.
largest_difference <- function(case, peer) {
  files <- file.path(folder, paste0(c(case, peer), c(".pcfdist.bin", ".peer.bin")))
  if (!all(file.exists(files))) return(NA)
  theirs <- readBin(files[2], "double", 2e5)
  k <- length(theirs)
  ours <- readBin(files[1], "double", 4e5)
  max(abs(ours[seq_len(k)] - theirs) / ours[k + seq_len(k)])
}

# The peer ran the first of the cases that differ only in what it does not know.
key <- do.call(paste, cases[c("workload", "n", "function", "p", "precision")])
first <- cases$case[match(key, key)]

rows <- recorded(file.path(folder, "rows.csv"))
ours <- rows[rows$package == "pcfdist", ]
ours <- ours[match(cases$case, ours$case), ]
theirs <- peer_rows(ours, rows, first)
ours$difference <- mapply(largest_difference, cases$case, first)
rows$difference[match(row.names(ours), row.names(rows))] <- ours$difference

lines <- c(
  "# pcfdist beside stablebear, CPU", "",
  setting_lines(threads, readLines(file.path(folder, "load")), peer_version_of(rows)),
  "", "Median seconds. pcfdist: the whole R call, from a `pcf` object to the finished matrix.",
  "stablebear: the matrix call alone, on a tensor of functions built before. A rectangle is a",
  "stretch on which both functions of a pair are constant, counted as (n - 1) x breakpoints.",
  "The difference is the largest of up to 200,000 pairs, relative to the distance, for",
  "kernels to the norms of the two functions.", "",
  table_lines(data.frame(
    case = cases$case, n = cases$n, breakpoints = ours$breakpoints, method = ours$method,
    isa = ours$isa, pcfdist = number(ours$seconds, 4),
    "rectangles/s" = power(ours$rectangles / ours$seconds),
    stablebear = number(theirs$seconds, 3),
    ratio = number(theirs$seconds / ours$seconds, 1), goal = cases$goal,
    difference = power(ours$difference),
    repeats = sub("/NA", "", paste(count_runs(ours$runs), count_runs(theirs$runs), sep = "/")),
    check.names = FALSE
  )), ""
)

phases <- ours[c("check", "plan", "prepare", "compute", "scatter")]
lines <- c(
  lines, "Phases of the pcfdist call, in milliseconds:", "",
  table_lines(data.frame(
    case = cases$case, lapply(phases, function(s) number(1000 * s, 2)),
    whole = number(1000 * ours$seconds, 2)
  )), ""
)

took <- rowSums(phases[-1])
lines <- c(
  lines, "What `pcf_plan()` expects of the chosen method, in milliseconds, beside what planning,",
  "preparing, computing and scattering took:", "",
  table_lines(data.frame(
    case = cases$case, method = ours$method, expected = number(1000 * ours$expected, 2),
    took = number(1000 * took, 2), "took / expected" = number(took / ours$expected, 2),
    check.names = FALSE
  )), ""
)

packed <- 16 * ours$breakpoints
lines <- c(
  lines, "Peak memory of the pcfdist call beyond its input and its result, beside the packed",
  "collection (16 bytes a breakpoint):", "",
  table_lines(data.frame(
    case = cases$case, "packed MB" = number(packed / 1e6, 1),
    "beyond MB" = number(ours$beyond / 1e6, 1), ratio = number(ours$beyond / packed, 2),
    check.names = FALSE
  ))
)

write_report(stem, lines, rows, threads)
writeLines(lines)
