# Appends the processor seconds of functions from diagrams of many sizes, on one thread, to a
# file: for two builds of the package, one that sorts with sort-template.h and one that does not
# (with 0 as MOST_KEYS in src/instructions/). Their shortest times are compared.
#
#   R_LIBS=WITH Rscript bench/sorting.R OUT.csv network
#   R_LIBS=WITHOUT Rscript bench/sorting.R OUT.csv steps
#   Rscript bench/sorting.R OUT.csv
#
# Repeat the first two in turn; the last one prints the table.

sizes <- list(c(4000, 20), c(1500, 100), c(400, 500), c(100, 2000), c(20, 10000), c(4, 60000))
kinds <- c("uniform", "from 0", "ties")
curves <- c("stable_rank", "betti_curve", "accumulated_persistence")

bars_of <- function(kind, bars) {
  birth <- switch(kind, uniform = runif(bars), "from 0" = 0, ties = round(runif(bars), 2))
  length <- switch(kind, uniform = rexp(bars), "from 0" = rgamma(bars, 4),
                   ties = round(rexp(bars), 2) + 0.01)
  unname(cbind(birth, birth + length))
}

# The shortest of 8 times 5 calls.
processor_seconds <- function(run) {
  run()
  used <- function() sum(proc.time()[1:2])
  min(replicate(8, {
    start <- used()
    for (k in 1:5) run()
    used() - start
  })) / 5
}

measure <- function(output, label) {
  set.seed(1)
  for (kind in kinds) for (size in sizes) {
    x <- lapply(seq_len(size[1]), function(i) bars_of(kind, size[2]))
    for (curve in curves) {
      build <- getExportedValue("pcfdist", curve)
      seconds <- processor_seconds(function() build(x, threads = 1))
      row <- data.frame(label, kind, size[1], size[2], curve, seconds)
      write.table(row, output, append = TRUE, row.names = FALSE, col.names = FALSE, sep = ",")
    }
  }
}

print_table <- function(output) {
  source("bench/markdown.R")
  rows <- read.csv(output, header = FALSE, col.names = c(
    "label", "kind", "diagrams", "bars", "curve", "seconds"
  ))
  best <- aggregate(seconds ~ label + bars + diagrams + kind + curve, rows, min)
  of <- function(label) best[best$label == label, ]
  network <- of("network")
  steps <- of("steps")
  print_order <- order(match(network$curve, curves), match(network$kind, kinds), network$bars)
  writeLines(table_lines(data.frame(
    curve = network$curve, bars = network$kind, "a diagram" = network$bars,
    diagrams = network$diagrams, "network, ms" = number(1e3 * network$seconds, 1),
    "steps, ms" = number(1e3 * steps$seconds, 1),
    "steps / network" = number(steps$seconds / network$seconds, 2), check.names = FALSE
  )[print_order, ]))
}

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) == 2) measure(arguments[1], arguments[2]) else print_table(arguments[1])
