# k-means in plain R, slowly: functions at both ends of all intervals between breakpoints.

# The limits of a function at the start and the end of an interval on which it is a line.
limits_on <- function(f, from, to) {
  k <- findInterval((from + to) / 2, f[, 1])
  if (ncol(f) == 2) return(rep(if (k == 0) 0 else f[k, 2], 2))
  if (k == 0 || k == nrow(f)) return(rep(if (k == 0) f[1, 2] else f[k, 3], 2))
  slope <- (f[k + 1, 2] - f[k, 3]) / (f[k + 1, 1] - f[k, 1])
  f[k, 3] + slope * (c(from, to) - f[k, 1])
}

# list(start, end, length): matrices with a row for each function and a column for each interval of the window,
# and the lengths of these, weighted.
on_intervals <- function(x, from, to, weight = NULL) {
  times <- sort(unique(c(from, to, unlist(lapply(unclass(c(x)), function(f) f[, 1])), unclass(weight)[[1]][, 1])))
  times <- times[times >= from & times <= to]
  a <- times[-length(times)]
  b <- times[-1]
  ends <- lapply(unclass(x), function(f) mapply(function(a, b) limits_on(f, a, b), a, b))
  heights <- if (is.null(weight)) 1 else mapply(function(a, b) limits_on(unclass(weight)[[1]], a, b)[1], a, b)
  list(
    start = do.call(rbind, lapply(ends, function(e) e[1, ])), end = do.call(rbind, lapply(ends, function(e) e[2, ])),
    length = (b - a) * heights
  )
}

# The squared distances of all functions from the centers of clusters; times their weights if `mean`.
squares_in_r <- function(on, cluster, k, mean = FALSE) {
  known <- !is.na(on$start)
  own <- if (mean) 1 / drop(known %*% on$length) else rep(1, nrow(known))
  center <- function(values, members) {
    if (!any(members)) return(NA)
    colSums(own[members] * values[members, , drop = FALSE], na.rm = TRUE) /
      colSums(own[members] * known[members, , drop = FALSE])
  }
  of_all <- lapply(on[c("start", "end")], center, rep(TRUE, nrow(known)))
  squares <- vapply(seq_len(k), function(q) {
    centers <- lapply(on[c("start", "end")], center, cluster == q)
    centers <- Map(function(own, all) ifelse(is.nan(own), all, own), centers, of_all)
    d <- Map(function(values, center) values - rep(center, each = nrow(values)), on[c("start", "end")], centers)
    squares <- (d$start^2 + d$start * d$end + d$end^2) / 3
    own * colSums(t(squares) * on$length, na.rm = TRUE)
  }, numeric(nrow(known)))
  matrix(squares, ncol = k)
}

# A collection at random: ties of times, gaps, large offsets, equal functions.
random_collection <- function(n, lines = FALSE, gaps = FALSE, offset = 0) {
  grid <- sample(c(TRUE, FALSE), 1)
  functions <- lapply(seq_len(n), function(i) {
    m <- sample.int(8, 1)
    t <- if (grid) sort(sample(0:15, m)) / 16 else sort(stats::runif(m))
    v <- offset + round(stats::rnorm(m) * 4) / 4 + sample(c(0, 3), 1)
    if (gaps && m > 2) v[sample.int(m - 1, 1)] <- NA
    if (lines) plf(t, v) else pcf(c(-Inf, t), c(offset, v))
  })
  x <- do.call(c, functions)
  if (n > 3 && stats::runif(1) < 0.3) x[sample.int(n, 2)] <- x[1]
  x
}

drawn <- function(n, seed, breakpoints = NULL) with_seed(seed, rpcf(n, breakpoints))
