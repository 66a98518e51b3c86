# Puts the results of one run of bench/functions.sh together, in STEM.md and STEM.csv.
# Usage: Rscript bench/functions-report.R FOLDER THREADS QUICK STEM

source("bench/timing.R")
source("bench/markdown.R")

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
threads <- arguments[2]
quick <- arguments[3] == "yes"
stem <- arguments[4]
rows <- recorded(file.path(folder, "rows.csv"))
bandwidth <- rows$bytes[rows$case == "bandwidth"]
rows <- rows[rows$case != "bandwidth", ]

ours <- rows[rows$package == "pcfdist", ]
peer <- peer_rows(ours, rows)
ours$ratio <- peer$seconds / ours$seconds
ours$share <- ours$bytes / ours$seconds / bandwidth

# ---- Dues ----

# The seconds of a case; of one that was timed at two sizes, at the first one.
seconds <- function(case) ours$seconds[ours$case == case][1]

# Of the one size of a case at which stablebear was timed, too.
ratio <- function(case) c(ours$ratio[ours$case == case & !is.na(ours$ratio)], NA)[1]
size <- function(case) c(ours$size[ours$case == case & !is.na(ours$ratio)], "many functions")[1]
share <- function(case) ours$share[ours$case == case][1]

due <- function(what, measured, unit, least = NA, most = NA) {
  met <- if (is.na(least)) measured <= most else measured >= least
  data.frame(
    what = what,
    due = if (is.na(least)) paste("at most", most, unit) else paste("at least", least, unit),
    measured = if (is.na(measured)) "not measured" else number(measured, if (measured < 10) 2 else 1),
    met = if (is.na(met)) "" else if (met) "yes" else "no"
  )
}

peers <- "times stablebear's speed"
norms <- c("norm, p = 1", "norm, p = 2")
dues <- rbind(
  due(paste("mean of", size("mean")), ratio("mean"), peers, least = 50),
  due("mean by 10 groups", seconds("mean by 10") / seconds("mean"), "times one mean", most = 1.3),
  due(
    "linear combinations of 15 functions each",
    seconds("linear combinations of 15") / seconds("weighted sums by groups of 15"),
    "times aggregate()", most = 1.5
  ),
  do.call(rbind, lapply(norms, function(case) due(case, ratio(case), peers, least = 20))),
  do.call(rbind, lapply(norms, function(case) {
    due(case, 100 * share(case), "% of the bandwidth", least = 50)
  })),
  due(
    "norm, one long function and many short ones",
    seconds("norm, one long and many short") / seconds("norm, even lengths, the same total"),
    "times even lengths", most = 1.5
  ),
  due("evaluation", ratio("evaluate, 1000 times"), peers, least = 10),
  due("stable ranks", ratio("stable rank"), peers, least = 10),
  due("Betti curves", ratio("Betti curve"), peers, least = 10)
)

# ---- Report ----

lines <- c(
  "# Functions on functions, CPU", "",
  if (quick) c("A quick run of a tenth of the functions: its figures mean little.", ""),
  setting_lines(threads, readLines(file.path(folder, "load")), peer_version_of(rows)),
  sprintf("- Bandwidth, a threaded sum: %s GB/s", number(bandwidth / 1e9, 1)), "",
  "Medians of several calls. pcfdist: the whole R call, from a `pcf` object or a list of",
  "diagrams to the finished R object; stablebear: the call alone, on a tensor built before. Both",
  "sides get the same data, but of diagrams others of the same distribution.", "",
  "## Dues", "", table_lines(dues), "",
  "## All cases", "",
  "The rate counts 16 bytes for each breakpoint or bar that is read and, of evaluation, 8 for",
  "each value that is written; the share is that of the bandwidth. The difference of norms is",
  "the largest relative one, of means the largest one at random times, and of evaluation the",
  "share of values that differ.", "",
  table_lines(data.frame(
    case = ours$case, size = ours$size, "pcfdist, s" = number(ours$seconds, 4),
    "stablebear, s" = number(peer$seconds, 4), ratio = number(ours$ratio, 1),
    "GB/s" = number(ours$bytes / ours$seconds / 1e9, 1),
    share = ifelse(is.na(ours$share), "", paste(number(100 * ours$share, 0), "%")),
    difference = power(ours$difference), check.names = FALSE
  )), "",
  "## Commands", "", "```sh", readLines(file.path(folder, "commands")), "```"
)
write_report(stem, lines, rows, threads)
writeLines(lines)
