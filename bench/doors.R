# Distances of distributions and of spike trains, beside scipy and PySpike (bench/doors-peer.py), which
# take pairs one by one: for them the time of a few pairs is multiplied.
# Usage: Rscript bench/doors.R [SAMPLES [POINTS [TRAINS [SPIKES [THREADS]]]]], in the root of the
# repository.
library(pcfdist)
options(pcfdist.progress = FALSE)
source("bench/timing.R")
setting <- numbers_given(samples = 2000L, points = 500L, trains = 1000L, spikes = 500L, threads = 2L)
set.seed(20240407)
samples <- lapply(seq_len(setting$samples), function(i) rnorm(setting$points, rnorm(1), rexp(1)))
trains <- lapply(seq_len(setting$trains), function(i) sort(runif(setting$spikes, 0, 100)))

# The least seconds of five runs after a first one, by the clock and of both cores, and the result.
least <- function(run) {
  result <- run()
  seconds <- replicate(5, unclass(system.time(run()))[c("elapsed", "user.self", "sys.self")])
  list(elapsed = min(seconds[1, ]), cpu = min(seconds[2, ] + seconds[3, ]), result = result)
}

# All pairs of functions that are made already, and with the making.
x <- distribution(samples)
intervals <- interspike(trains, from = 0, to = 100)
threads <- setting$threads
calls <- list(
  W1 = function(x) wasserstein(x, threads = threads),
  W2 = function(x) wasserstein(x, p = 2, threads = threads),
  energy = function(x) energy_distance(x, threads = threads),
  ISI = function(x) pdist(x, distance = "relative", missing = "mean", threads = threads),
  SPIKE = function(x) pdist(x, distance = "spike", threads = threads)
)
counts <- counting(trains, from = 0, to = 100)
given <- list(W1 = x, W2 = x, energy = x, ISI = intervals, SPIKE = counts)
ours <- Map(function(call, x) least(function() call(x)), calls, given)
making <- list(least(function() distribution(samples)), least(function() interspike(trains, from = 0, to = 100)))

# ---- The peers ----

folder <- tempfile()
dir.create(folder)
writeBin(unlist(samples), file.path(folder, "samples"))
writeBin(unlist(trains), file.path(folder, "trains"))
count <- function(x) c(length(x), length(x[[1]]))
peer <- system2("bench/.venv/bin/python", c("bench/doors-peer.py", folder, count(samples), count(trains)),
                stdout = TRUE)
unlink(folder, recursive = TRUE, expand = FALSE)
theirs <- utils::read.table(text = peer, col.names = c("case", "i", "j", "value"))
seconds <- theirs[is.na(theirs$i), ]
seconds <- stats::setNames(seconds$value, seconds$case)

cat("Seconds by the clock, and of the processor: pcfdist on", threads, "threads, its peers on one.\n\n")
cat("| all pairs | pairs | pcfdist | CPU | peer | CPU | **ratio** | of CPU | largest relative difference |\n")
cat("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
for (case in names(calls)) {
  d <- as.matrix(ours[[case]]$result)
  pairs <- length(ours[[case]]$result)
  peer <- if (case == "W2") "W1" else case # scipy has no other exponent
  found <- theirs[theirs$case == case & !is.na(theirs$i), ]
  difference <- if (nrow(found) > 0) max(abs(d[cbind(found$i, found$j) + 1] / found$value - 1)) else NA
  mine <- ours[[case]]
  wall <- seconds[[paste0(peer, "-wall")]] * pairs
  cpu <- seconds[[paste0(peer, "-cpu")]] * pairs
  cat(sprintf("| %s | %d | %.3f | %.3f | %.1f | %.1f | **%.0f** | %.0f | %s |\n", case, pairs, mine$elapsed,
              mine$cpu, wall, cpu, wall / mine$elapsed, cpu / mine$cpu,
              if (is.na(difference)) "" else format(difference, digits = 2)))
}
l1 <- least(function() pdist(counts, threads = threads))
cat(sprintf("\nOf the same counting functions, SPIKE takes %.1f times as long as L1 (%.1f of CPU).\n",
            ours$SPIKE$elapsed / l1$elapsed, ours$SPIKE$cpu / l1$cpu))
cat(sprintf("\nMaking the functions takes %.3f s (distributions) and %.3f s (intervals).\n",
            making[[1]]$elapsed, making[[2]]$elapsed))
