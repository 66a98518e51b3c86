# Draws small collections of piecewise linear functions, and writes them, and what pcfdist says of them, as text that
# bench/truth.py compares with exact fractions. Times and values may be whole or not, and may lie around 1e9; lines may
# jump, be steep, touch, cross at breakpoints, share stretches, or be unobserved on some.
# Usage: Rscript bench/truth.R [COLLECTIONS [SEED]] | bench/.venv/bin/python bench/truth.py
suppressPackageStartupMessages(library(pcfdist))
options(pcfdist.progress = FALSE, pcfdist.device = "cpu", pcfdist.threads = 1)
source("bench/timing.R")
setting <- numbers_given(collections = 20000L, seed = 1L)
exponents <- c(1, 2, 1.5, 3, Inf)

# ---- Collections ----

chance <- function(share) runif(1) < share

# Up to 8 different times in order.
draw_times <- function(style, begin = 0, m = sample(2:8, 1)) {
  unique(begin + sort(switch(style,
    whole = sample(-2:12, m) / 2, any = rexp(m), steep = sample(6, m, replace = TRUE) + sample(0:40, m) * 1e-9
  )))
}

draw_values <- function(m, style) if (style == "any") rnorm(m) else sample(-8:8, m, replace = TRUE) / 4

# A matrix with the columns time, left and value, at 0 or 1e9 in between. It starts and ends in 0, unless its ends are
# `free`. The `lost` lines are not observed: 0 is before the first breakpoint, and m after the last.
draw_line <- function(times, style, lost = NULL, free = FALSE, high = 0) {
  m <- length(times)
  value <- draw_values(m, style) + high
  left <- ifelse(runif(m) < 0.4, draw_values(m, style) + high, value)
  left[1] <- if (free && chance(0.3)) 1.5 else 0
  value[m] <- if (free && chance(0.3)) draw_values(1, style) else 0
  value[lost] <- NA
  left[setdiff(lost, m) + 1] <- NA
  cbind(times, left, value)
}

draw_lost <- function(times, share) which(runif(length(times) + 1) < share) - 1

# The same line with another value and a jump in one place, and a breakpoint after it that changes nothing.
altered_line <- function(f) {
  k <- sample(nrow(f) - 1, 1)
  f[k, 3] <- f[k, 3] + sample(-4:4, 1) / 4
  middle <- c((f[k, 1] + f[k + 1, 1]) / 2, rep((f[k, 3] + f[k + 1, 2]) / 2, 2))
  if (middle[1] > f[k, 1] && middle[1] < f[k + 1, 1]) rbind(f[1:k, ], middle, f[-(1:k), ]) else f
}

collect <- function(functions) {
  column <- function(k) lapply(functions, function(f) f[, k])
  plf(column(1), column(3), left = column(2))
}

draw_case <- function() {
  style <- sample(c("whole", "any", "steep"), 1)
  missing <- sample(c("error", "overlap", "mean"), 1)
  begin <- if (chance(0.15)) 1e9 else 0
  high <- if (chance(0.15)) 1e9 else 0
  times <- if (chance(0.4)) draw_times(style, begin)
  common <- if (missing == "error" && !is.null(times)) draw_lost(times, 0.1) # gaps that all have are no error
  functions <- lapply(seq_len(sample(2:4, 1)), function(i) {
    times <- if (is.null(times)) draw_times(style, begin) else times
    draw_line(times, style, if (missing == "error") common else draw_lost(times, 0.2), chance(0.5), high)
  })
  if (chance(0.3) && nrow(functions[[1]]) > 1) functions[[2]] <- altered_line(functions[[1]])
  ends <- begin + sort(runif(2, -1, 7))
  which <- if (length(common) > 0) 3 else if (missing == "mean") 1 else sample(3, 1)
  window <- list(ends, c(-Inf, ends[2]), c(-Inf, Inf))[[which]]
  weight <- if (chance(0.3)) pcf(begin + c(-9, sort(sample(12, 3)) / 2), sample(0:8, 4, replace = TRUE) / 4)
  list(x = collect(functions), missing = missing, from = window[1], to = window[2], weight = weight)
}

# ---- What pcfdist says ----

# A line of text: words, a tab, and numbers with all their bits.
tell <- function(..., numbers = numeric()) {
  cat(paste(...), "\t", paste(sprintf("%a", as.double(numbers)), collapse = " "), "\n", sep = "")
}

tell_case <- function(case) {
  x <- case$x
  options(pcfdist.kernel = sample(c("auto", "sweep", "split", "walk"), 1))
  tell("case", case$missing, numbers = c(case$from, case$to))
  weight <- if (is.null(case$weight)) pcf(c(-Inf, unclass(x)[[1]][1]), c(1, 1)) else case$weight
  tell("weight", numbers = unclass(as_plf(weight))[[1]])
  for (f in unclass(x)) tell("given", numbers = f)
  measure <- function(call, ...) call(..., from = case$from, to = case$to, missing = case$missing, weight = case$weight)
  for (precision in c("double", "single")) {
    for (p in exponents) tell("distance", precision, p, numbers = measure(pdist, x, p, precision = precision))
    tell("inner", precision, numbers = measure(l2_kernel, x, precision = precision))
  }
  for (p in exponents) tell("norm double", p, numbers = measure(lp_norm, x, p))
  tell("integral double", numbers = measure(integral, x))
  times <- unlist(lapply(unclass(x), function(f) c(f[, 1], runif(1, f[1] - 1, f[nrow(f)] + 1))))
  for (side in c("right", "left")) tell("value", side, numbers = c(times, evaluate(x, times, side = side)))
  combined <- function(name, f, weights = NULL) tell("function", name, numbers = c(weights, unclass(f)[[1]]))
  weights <- rnorm(length(x))
  combined("sum", sum(x), rep(1, length(x)))
  combined("mean", mean(x), rep(1 / length(x), length(x)))
  combined("combination", linear_combinations(rbind(weights), x), weights)
  combined("pmin 0", do.call(pmin, as.list(x)))
  combined("pmax 1", do.call(pmax, as.list(x)))
  for (share in c(0.5, 0.75)) combined(paste("quantile", share), quantile(x, share))
}

# ---- Bits, and step functions ----

# How many numbers there are, and how many of them are wrong.
tell_checked <- function(what, right) tell("checked", what, numbers = c(length(right), sum(!right)))

# Larger collections, of several tiles.
check_bits <- function() {
  times <- sort(rexp(30))
  x <- collect(lapply(1:150, function(i) draw_line(if (chance(0.5)) times else draw_times("any", m = 20), "any")))
  order <- sample(150)
  for (precision in c("double", "single")) for (p in list(1, 2, 1.5, Inf, "inner")) {
    full <- function(x, threads = 1, tile = 0L, block = 0) {
      options(pcfdist.kernel = "auto", pcfdist.tile = tile, pcfdist.block = block)
      if (p == "inner") return(l2_kernel(x, precision = precision, threads = threads))
      as.matrix(pdist(x, p, precision = precision, threads = threads))
    }
    wanted <- full(x)
    for (threads in 2:3) tell_checked("bits for threads", full(x, threads) == wanted)
    for (tile in c(32L, 64L, 128L)) tell_checked("bits for tiles and blocks", full(x, 2, tile, 64) == wanted)
    tell_checked("bits for order", full(x[order]) == wanted[order, order])
  }
  options(pcfdist.tile = 0L, pcfdist.block = 0)
}

# Step functions as lines, relative to each number, or for inner products and integrals to that of absolute values.
check_steps <- function() {
  f <- pcf(lapply(1:40, function(i) sort(rexp(9))), lapply(1:40, function(i) c(rnorm(8), 0)))
  lines <- as_plf(f)
  near <- function(call, ..., scale = abs(call(f, ...))) {
    tell_checked("steps as lines", abs(call(lines, ...) - call(f, ...)) <= 1e-14 * scale)
  }
  for (call in list(pdist, lp_norm)) for (p in exponents) near(call, p)
  near(l2_kernel, scale = l2_kernel(abs(f)))
  near(integral, scale = integral(abs(f)))
  near(evaluate, 1:9 / 5)
}

set.seed(setting$seed)
for (i in seq_len(setting$collections)) suppressWarnings(tell_case(draw_case())) # infinite numbers
for (i in seq_len(ceiling(setting$collections / 1000))) check_bits()
for (i in seq_len(ceiling(setting$collections / 100))) check_steps()
tell("end", numbers = setting$collections)
