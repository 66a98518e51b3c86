# Times functions from persistence diagrams: the whole R calls, from a list of matrices to
# the finished collections. bench/diagrams-peer.py does the same with stablebear.
# Usage: Rscript bench/diagrams.R [DIAGRAMS] [BARS] [THREADS]

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")

setting <- numbers_given(count = 10000L, bars = 500L, threads = 2L)
count <- setting$count
bars <- setting$bars
threads <- setting$threads

x <- make_diagrams(count, bars)
size <- sprintf("%d diagrams of %d bars", count, bars)
curves <- list(
  "stable rank" = stable_rank, "Betti curve" = betti_curve,
  "accumulated persistence" = accumulated_persistence
)
for (case in names(curves)) {
  seconds <- time_calls(function() curves[[case]](x, threads = threads), 11)$seconds
  cat(sprintf("  pcfdist: %s, %s: %.4f s\n", case, size, median(seconds)))
  record(case, size, seconds, bytes = 16 * count * bars)
}
