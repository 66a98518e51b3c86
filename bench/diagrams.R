# Times functions from persistence diagrams: the whole R calls, from a list of matrices to
# the finished collections. bench/diagrams-peer.py does the same with masspcf.
# Usage: Rscript bench/diagrams.R [DIAGRAMS] [BARS] [THREADS]

library(pcfdist)
source("bench/record.R")

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
setting <- c(10000L, 500L, 2L)
setting[seq_along(arguments)] <- arguments
count <- setting[1]
bars <- setting[2]
threads <- setting[3]

set.seed(20240407)
x <- lapply(seq_len(count), function(i) {
  birth <- runif(bars)
  cbind(birth = birth, death = birth + rexp(bars))
})

curves <- list(
  "stable rank" = stable_rank, "Betti curve" = betti_curve,
  "accumulated persistence" = accumulated_persistence
)
cat(sprintf("pcfdist: %d diagrams of %d bars, %d threads\n", count, bars, threads))
for (name in names(curves)) {
  curve <- curves[[name]]
  seconds <- vapply(1:12, function(k) {
    gc()
    start <- as.numeric(Sys.time())
    curve(x, threads = threads)
    as.numeric(Sys.time()) - start
  }, 0)[-1]
  cat(sprintf("  %-24s median %.4f s, best %.4f s\n", name, median(seconds), min(seconds)))
  record(name, sprintf("%d diagrams of %d bars", count, bars), median(seconds),
         bytes = 16 * count * bars)
}
