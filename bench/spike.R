# Draws pairs of spike trains and windows, and writes them, and what pcfdist says of them, as text that bench/spike.py
# compares with PySpike and with exact fractions. Trains may have no spikes, one, or spikes at both ends; spikes may be
# anywhere, or at times that both trains have; recordings may begin far from 0.
# Usage: Rscript bench/spike.R [PAIRS [SEED]] | bench/.venv/bin/python bench/spike.py [FRACTIONS]
suppressPackageStartupMessages(library(pcfdist))
options(pcfdist.progress = FALSE, pcfdist.threads = 1)
source("bench/timing.R")
setting <- numbers_given(pairs = 10000L, seed = 1L)
set.seed(setting$seed)
each <- 25 # pairs of a recording, which are computed by one call

chance <- function(share) runif(1) < share

draw_train <- function(ends, grid) {
  m <- if (chance(0.2)) sample(0:2, 1) else sample(0:40, 1)
  shares <- if (grid == 0) runif(m) else sample(0:grid, m, replace = TRUE) / grid
  if (chance(0.1)) shares <- c(0, shares, 1)
  sort(unique(ends[1] + shares * (ends[2] - ends[1])))
}

hex <- function(x) paste(sprintf("%a", x), collapse = " ")

write_pairs <- function() {
  ends <- sample(c(0, -2.5, 100, 1e6), 1) + c(0, sample(c(1, 37.5, 1000), 1))
  length <- ends[2] - ends[1]
  grid <- sample(c(0, 0, 3, 16, 64), 1)
  window <- if (chance(0.5)) ends else ends[1] + length * sort(if (grid == 0) runif(2) else sample(0:grid, 2) / grid)
  scale <- if (chance(0.5)) 0 else length * runif(1, 0, 0.3)
  trains <- lapply(seq_len(2 * each), function(i) draw_train(ends, grid))
  x <- counting(trains, from = ends[1], to = ends[2])
  odd <- seq(1, 2 * each, 2)
  d <- lp_distance(x[odd], x[odd + 1], distance = spike(scale), from = window[1], to = window[2])
  lines <- vapply(seq_len(each), function(k) {
    paste(hex(c(ends, window, scale, d[k])), hex(trains[[odd[k]]]), hex(trains[[odd[k] + 1]]), sep = ";")
  }, "")
  writeLines(lines)
}

for (k in seq_len(ceiling(setting$pairs / each))) write_pairs()
