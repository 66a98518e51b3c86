# Makes the workloads of bench/cases.csv in bench/work/, for both sides:
#   NAME.rds                        the pcf object
#   NAME.lengths, .times, .values   int32, double, double: the same functions end to end
#   NAME-N.pairs                    int32: which entries of the matrix are compared
#
# All are made from one fixed seed. Times start at 0, which masspcf asks for, and all
# functions end at 0, so that every integral is finite.

breakpoints <- list(
  # The workload of arXiv 2404.07183: 10 to 999 breakpoints, one time scale a function.
  paper = function(n) sample(10:999, n, replace = TRUE),
  short = function(n) rep(5L, n),
  long = function(n) rep(200000L, n),
  # Log-uniform lengths from 10 to 100,000.
  mixed = function(n) round(10^runif(n, 1, 5))
)

random_functions <- function(lengths) {
  lapply(lengths, function(m) {
    time <- sort(abs(rnorm(m))) * abs(rnorm(1))
    time[1] <- 0
    cbind(time = time, value = c(rnorm(m - 1), 0))
  })
}

# All functions on one grid of that many irregular times.
grid_functions <- function(n, points) {
  time <- c(0, sort(runif(points - 1)))
  lapply(seq_len(n), function(i) cbind(time = time, value = c(rnorm(points - 1), 0)))
}

# Integer-valued: how many of 50 to 500 random bars are alive.
betti_functions <- function(n) {
  lapply(sample(50:500, n, replace = TRUE), function(bars) {
    birth <- c(0, runif(bars - 1))
    death <- birth + rexp(bars, 5)
    time <- c(birth, death)
    order <- order(time)
    value <- cumsum(rep(c(1, -1), each = bars)[order])
    cbind(time = time[order], value = value)
  })
}

make_workload <- function(name, n) {
  set.seed(20240407)
  switch(name,
    grid256 = grid_functions(n, 256),
    grid1000 = grid_functions(n, 1000),
    betti = betti_functions(n),
    random_functions(breakpoints[[name]](n))
  )
}

write_workload <- function(name, n, folder) {
  functions <- make_workload(name, n)
  path <- function(suffix) file.path(folder, paste0(name, ".", suffix))
  time <- lapply(functions, function(f) f[, "time"])
  value <- lapply(functions, function(f) f[, "value"])
  writeBin(lengths(time), path("lengths"), size = 4)
  writeBin(unlist(time), path("times"))
  writeBin(unlist(value), path("values"))
  saveRDS(pcfdist::pcf(time, value), path("rds"), compress = FALSE)
  cat(sprintf("  %s: %d functions, %d breakpoints\n", name, n, sum(lengths(time))))
}

# At most 200,000 random pairs (i > j, from 0) of n, all of them where there are fewer.
write_pairs <- function(name, n, folder) {
  set.seed(1)
  k <- n * (n - 1) / 2
  if (k <= 2e5) {
    i <- rep(seq_len(n - 1), seq_len(n - 1))
    j <- sequence(seq_len(n - 1)) - 1L
  } else {
    i <- sample.int(n - 1, 2e5, replace = TRUE)
    j <- floor(runif(2e5) * i)
  }
  path <- file.path(folder, sprintf("%s-%d.pairs", name, n))
  writeBin(as.integer(c(i, j)), path, size = 4)
}

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
cases <- read.csv(arguments[2])
cat("Workloads\n")
for (name in unique(cases$workload)) {
  sizes <- unique(cases$n[cases$workload == name])
  write_workload(name, max(sizes), folder)
  for (n in sizes) write_pairs(name, n, folder)
}
