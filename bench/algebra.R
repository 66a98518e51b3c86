# Times the sum of functions, pair by pair, and other operations on the paper's workload:
#   Rscript bench/algebra.R FOLDER [N] [THREADS]
# writes the functions to FOLDER for algebra-peer.py, which adds the same ones in stablebear:
#   python bench/algebra-peer.py FOLDER [THREADS]

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
n <- if (length(arguments) > 1) as.integer(arguments[2]) else 20000L
if (length(arguments) > 2) options(pcfdist.threads = as.integer(arguments[3]))
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

report <- function(case, run, breakpoints) {
  seconds <- time_calls(run, 9)$seconds
  cat(sprintf("  pcfdist: %s, %s: %.4f s, %.2f ns a breakpoint\n", case, size, median(seconds),
              1e9 * median(seconds) / breakpoints))
  record(case, size, seconds, bytes = 16 * breakpoints)
}

set.seed(20240407)
x <- rpcf(n)
y <- rpcf(n)
write_functions(x, file.path(folder, "left"))
write_functions(y, file.path(folder, "right"))
m <- count_breakpoints(x)
size <- sprintf("%d functions", n)
both <- m + count_breakpoints(y)
report("x + y", function() x + y, both)
report("x * y", function() x * y, both)
report("x > y", function() x > y, both)
report("x %% (abs(y) + 1)", function() x %% (abs(y) + 1), both)
report("x + x", function() x + x, 2 * m)
report("2 * x", function() 2 * x, m)
report("x^2", function() x^2, m)
report("exp(x)", function() exp(x), m)
report("drop_redundant(x)", function() drop_redundant(x), m)
report("restrict(x, 0.1, 1)", function() restrict(x, 0.1, 1), m)
report("shift_time(x, 1)", function() shift_time(x, 1), m)

# One pair of long functions, with as many breakpoints as all the others: 500 for each.
m <- 500 * n
long <- lapply(1:2, function(i) pcf(cumsum(rexp(m)), rnorm(m)))
size <- sprintf("%.0f breakpoints", m)
report("long f + g", function() long[[1]] + long[[2]], 2 * m)
