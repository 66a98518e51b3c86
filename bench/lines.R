# Pairs of piecewise linear functions beside those of step functions with as many breakpoints, in the
# same run. Usage: [DEVICE=cuda] Rscript bench/lines.R [N [THREADS]], in the root of the repository.
library(pcfdist)
options(pcfdist.progress = FALSE, pcfdist.device = Sys.getenv("DEVICE", "cpu"))
source("bench/timing.R")
setting <- numbers_given(n = 2000L, threads = 2L)
n <- setting$n
threads <- setting$threads

set.seed(20240407)
lengths <- sample(10:999, n, replace = TRUE)
times <- lapply(lengths, function(m) sort(runif(m)))
values <- lapply(lengths, function(m) c(rnorm(m - 1), 0))
shared <- sort(runif(400))
on_grid <- lapply(seq_len(n), function(i) c(rnorm(399), 0))
data <- list(
  own = list(steps = pcf(times, values), lines = plf(times, values)),
  shared = list(steps = pcf(shared, on_grid), lines = plf(shared, on_grid))
)

# The least of five runs after a first one, in turns.
compare <- function(what, x, run, precision) {
  seconds <- sapply(1:6, function(k) {
    sapply(x, function(f) timed(function() run(f, precision))$seconds)
  })[, -1]
  least <- apply(seconds, 1, min)
  kernel <- last_run()$kernel
  cat(sprintf("| %s | %s | %s | %.3f | %.3f | %.2f |\n", what, precision, kernel, least[1], least[2],
              least[2] / least[1]))
}

distances <- function(p) {
  function(f, precision) pdist(f, p, precision = precision, threads = threads)
}
products <- function(f, precision) l2_kernel(f, precision = precision, threads = threads)
cases <- list("L1" = distances(1), "L2" = distances(2), "sup" = distances(Inf), "inner product" = products,
              "p = 1.7" = distances(1.7), "p = 3" = distances(3))

cat("| case | precision | kernel of lines | steps, s | lines, s | ratio |\n| --- | --- | --- | --- | --- | --- |\n")
for (precision in c("double", "single")) {
  for (what in names(cases)) compare(what, data$own, cases[[what]], precision)
  for (what in c("L2", "inner product")) {
    compare(paste(what, "on 400 shared times"), data$shared, cases[[what]], precision)
  }
}
