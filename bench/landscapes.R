# Times landscapes: all levels of 1,000 diagrams, and all L2 distances between the diagrams. All
# levels of a diagram are laid end to end on the clock, and are one function then.
# bench/landscapes-peer.py does the same with persim for a few pairs.
# Usage: Rscript bench/landscapes.R [DIAGRAMS] [BARS] [THREADS]

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")

setting <- numbers_given(count = 1000L, bars = 100L, threads = 2L)
count <- setting$count
bars <- setting$bars
threads <- setting$threads

# The levels of each diagram, moved apart by more than the longest lives.
end_to_end <- function(levels) {
  width <- 1 + max(vapply(unclass(levels), function(f) f[nrow(f), 1], 0))
  rows <- lapply(seq_len(nrow(levels)), function(i) {
    parts <- unclass(levels[i, ])
    moved <- Map(function(f, k) cbind(f[, 1] + k * width, f[, 2:3, drop = FALSE]), parts, seq_along(parts))
    do.call(rbind, unname(moved))
  })
  plf(lapply(rows, function(f) f[, 1]), lapply(rows, function(f) f[, 3]), lapply(rows, function(f) f[, 2]))
}

x <- make_diagrams(count, bars)
size <- sprintf("%d diagrams of %d bars", count, bars)
report <- function(case, call, times) {
  seconds <- time_calls(call, times)$seconds
  cat(sprintf("  pcfdist: %s, %s: %.4f s\n", case, size, median(seconds)))
  record(case, size, seconds, bytes = 16 * count * bars)
}
report("all levels", function() landscape(x, threads = threads), 5)
levels <- landscape(x, threads = threads)
cat(sprintf("  %d levels, %d breakpoints\n", ncol(levels), sum(lengths(unclass(levels))) / 3))
report("silhouettes", function() silhouette_curve(x, threads = threads), 5)
report("L2 of level 1", function() pdist(levels[, 1], 2, threads = threads), 3)
joined <- end_to_end(levels)
report("L2 of all levels", function() pdist(joined, 2, threads = threads), 1)
