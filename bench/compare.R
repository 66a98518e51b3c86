# Compares the rows of two runs, of two commits say: the CSV files beside their reports.
#
#   Rscript bench/compare.R OLD.csv NEW.csv
#
# prints the medians of each case and their ratio. A case of pcfdist is slower or faster where
# the medians differ by more than 5 % and the middle halves of the runs do not overlap. Exits
# with 1 where a case is slower. The rows of the peer, whose code is the same, show how much the
# machine itself has changed.

source("bench/markdown.R")

tolerance <- 0.05

# The row with the quartiles of its runs. Rates and the like have no runs.
read_rows <- function(file) {
  rows <- utils::read.csv(file, colClasses = c(runs = "character", size = "character"))
  runs <- lapply(strsplit(rows$runs, " "), as.numeric)
  rows$low <- vapply(runs, stats::quantile, 0, 0.25, na.rm = TRUE)
  rows$high <- vapply(runs, stats::quantile, 0, 0.75, na.rm = TRUE)
  rows
}

judge <- function(ratio, old, new) {
  slower <- ratio > 1 + tolerance & new$low > old$high
  faster <- ratio < 1 / (1 + tolerance) & new$high < old$low
  ifelse(new$package != "pcfdist", "", ifelse(slower, "SLOWER", ifelse(faster, "faster", "")))
}

describe_run <- function(rows) {
  one <- function(column) paste(unique(rows[[column]]), collapse = ", ")
  paste0(one("commit"), ", ", one("date"), ", ", one("threads"), " threads, ", one("processor"))
}

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2) stop("usage: Rscript bench/compare.R OLD.csv NEW.csv")
old <- read_rows(arguments[1])
new <- read_rows(arguments[2])
cat("old:", describe_run(old), "\nnew:", describe_run(new), "\n")
machine <- function(rows) unique(rows[c("processor", "threads")])
if (!identical(machine(old), machine(new))) {
  cat("The processors or the numbers of threads are not the same: ratios mean little.\n")
}

key <- function(rows) paste(rows$case, rows$size, rows$package, sep = "; ")
only <- function(from, other, name) {
  missing <- setdiff(key(from), key(other))
  if (length(missing) > 0) writeLines(c(paste0("only in ", name, ":"), paste0("  ", missing)))
}
only(old, new, "old")
only(new, old, "new")

common <- new[key(new) %in% key(old), ]
before <- old[match(key(common), key(old)), ]
common <- common[order(common$package), ]
before <- before[match(key(common), key(before)), ]
ratio <- common$seconds / before$seconds
verdict <- judge(ratio, before, common)
cat("", table_lines(data.frame(
  case = common$case, size = common$size, package = common$package,
  "old, s" = number(before$seconds, 4), "new, s" = number(common$seconds, 4),
  "new / old" = number(ratio, 2), verdict = verdict, check.names = FALSE
)), "", sep = "\n")
for (package in unique(common$package)) {
  chosen <- ratio[common$package == package]
  cat(sprintf("%s: %.2f times the old seconds, the geometric mean of %d cases\n", package,
              exp(mean(log(chosen))), length(chosen)))
}
slower <- common$case[verdict == "SLOWER"]
cat(if (length(slower) > 0) paste("slower:", paste(slower, collapse = ", "))
    else "no case is slower", "\n", sep = "")
quit(status = as.integer(length(slower) > 0))
