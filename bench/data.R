# The data of all benchmarks, from fixed seeds, and how they go to the peer. Times start at 0,
# and all functions end at 0, so that every integral is finite.

# ---- Functions, as lists of matrices ----

# The workload of arXiv 2404.07183: one time scale a function.
random_functions <- function(lengths) {
  lapply(lengths, function(m) {
    time <- sort(abs(rnorm(m))) * abs(rnorm(1))
    time[1] <- 0
    cbind(time = time, value = c(rnorm(m - 1), 0))
  })
}

# The piecewise linear functions with the breakpoints of x, a collection of step functions.
lines_through <- function(x) {
  column <- function(k) lapply(unclass(x), function(f) f[, k])
  plf(column(1), column(2))
}

# All on one grid of irregular times.
grid_functions <- function(n, points) {
  time <- c(0, sort(runif(points - 1)))
  lapply(seq_len(n), function(i) cbind(time = time, value = c(rnorm(points - 1), 0)))
}

# Integer-valued: how many of 50 to 500 random bars are alive.
betti_functions <- function(n, bars = 50:500) {
  lapply(sample(bars, n, replace = TRUE), function(bars) {
    birth <- c(0, runif(bars - 1))
    death <- birth + rexp(bars, 5)
    time <- c(birth, death)
    order <- order(time)
    value <- cumsum(rep(c(1, -1), each = bars)[order])
    cbind(time = time[order], value = value)
  })
}

# `long` breakpoints in one function, and `count` functions of 3.
uneven_functions <- function(long, count) {
  time <- c(0, cumsum(runif(long - 1) + 0.01))
  lapply(c(long, rep(3, count)), function(m) {
    cbind(time = time[seq_len(m)], value = c(rnorm(m - 1), 0))
  })
}

# `total` breakpoints in `count` functions of like lengths.
even_functions <- function(total, count) {
  m <- rep(total %/% count, count)
  m[seq_len(total %% count)] <- m[1] + 1
  lapply(m, function(m) cbind(time = seq_len(m) - 1, value = c(rnorm(m - 1), 0)))
}

# A tenth of the pieces of each function are not observed.
with_gaps <- function(functions) {
  lapply(functions, function(f) {
    f[sample.int(nrow(f), nrow(f) %/% 10), "value"] <- NA
    f
  })
}

# Observed from the first breakpoint to the last one only.
with_ends <- function(functions) {
  lapply(functions, function(f) {
    f[nrow(f), "value"] <- NA
    rbind(c(-Inf, NA), f)
  })
}

# ---- Workloads ----

workloads <- list(
  paper = function(n) random_functions(sample(10:999, n, replace = TRUE)),
  gaps = function(n) with_gaps(workloads$paper(n)),
  ends = function(n) with_ends(workloads$paper(n)),
  short = function(n) random_functions(rep(5L, n)),
  long = function(n) random_functions(rep(200000L, n)),
  # Log-uniform lengths from 10 to 100,000.
  mixed = function(n) random_functions(round(10^runif(n, 1, 5))),
  grid256 = function(n) grid_functions(n, 256),
  grid1000 = function(n) grid_functions(n, 1000),
  betti = betti_functions
)

make_workload <- function(name, n) {
  set.seed(20240407)
  as_collection(workloads[[name]](n))
}

# A pcf object from matrices that are known to be good.
as_collection <- function(functions) structure(functions, class = "pcf")

count_breakpoints <- function(x) sum(lengths(unclass(x))) / 2

# ---- Persistence diagrams ----

make_diagrams <- function(count, bars) {
  set.seed(20240407)
  lapply(rep_len(bars, count), function(bars) {
    birth <- runif(bars)
    cbind(birth = birth, death = birth + rexp(bars))
  })
}

# ---- For the peer, who reads it with read_functions() of bench/data.py ----

# Writes functions, a pcf object, end to end: STEM.lengths (int32), .times and .values (double).
write_functions <- function(x, stem) {
  functions <- unclass(x)
  path <- function(suffix) paste0(stem, ".", suffix)
  column <- function(k) unlist(lapply(functions, function(f) f[, k]), use.names = FALSE)
  writeBin(as.integer(lengths(functions) / 2), path("lengths"), size = 4)
  writeBin(column(1), path("times"))
  writeBin(column(2), path("values"))
}
