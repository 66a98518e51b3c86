# What pairs of piecewise linear functions should give, in plain R, stretch by stretch.

# One function, a matrix, at some times: from the right, or from the left.
line_values <- function(f, times, right = TRUE) {
  k <- findInterval(times, f[, 1], left.open = !right)
  m <- nrow(f)
  inside <- k > 0 & k < m
  value <- c(f[1, 2], f[, 3])[k + 1]
  after <- pmin(k + 1, m)
  before <- pmax(k, 1)
  done <- ((times - f[before, 1]) / (f[after, 1] - f[before, 1]))[inside]
  value[inside] <- f[before, 3][inside] * (1 - done) + f[after, 2][inside] * done
  value
}

# The stretches of two functions in a window: widths, weighted if there is a weight, and values at
# both ends. Where one is not observed they are left out.
line_stretches <- function(f, g, from, to, weight = NULL) {
  cuts <- sort(unique(c(f[, 1], g[, 1], weight[, 1])))
  cuts <- c(from, cuts[cuts > from & cuts < to], to)
  begin <- cuts[-length(cuts)]
  end <- cuts[-1]
  width <- end - begin
  if (!is.null(weight)) width <- product(values_at(weight, begin), width)
  ends <- list(
    f0 = line_values(f, begin), f1 = line_values(f, end, FALSE),
    g0 = line_values(g, begin), g1 = line_values(g, end, FALSE)
  )
  lapply(c(ends, list(width = width)), `[`, !is.na(Reduce(`+`, ends)) & width > 0)
}

# Gauss and Legendre's rule of 20 points, for smooth functions.
gauss <- with(list(n = 20), {
  k <- seq_len(n - 1)
  jacobi <- matrix(0, n, n)
  jacobi[cbind(k, k + 1)] <- jacobi[cbind(k + 1, k)] <- k / sqrt(4 * k^2 - 1)
  e <- eigen(jacobi, symmetric = TRUE)
  list(at = (1 + e$values) / 2, weight = e$vectors[1, ]^2)
})

# The means of |d|^p where d goes from a to b without changing its sign.
mean_power <- function(a, b, p) {
  larger <- pmax(abs(a), abs(b))
  smaller <- pmin(abs(a), abs(b))
  mean <- (larger^(p + 1) - smaller^(p + 1)) / ((p + 1) * (larger - smaller))
  near <- (p + 1) * (larger - smaller) < larger
  between <- rep(a[near], each = length(gauss$at)) + outer(gauss$at, (b - a)[near])
  mean[near] <- colSums(gauss$weight * abs(between)^p)
  replace(mean, larger == 0, 0)
}

# The same, cut where it does.
mean_over_crossing <- function(a, b, p) {
  at <- abs(a) / (abs(a) + abs(b))
  ifelse(a * b >= 0, mean_power(a, b, p), at * mean_power(a, 0 * a, p) + (1 - at) * mean_power(0 * b, b, p))
}

line_oracle <- function(f, g, p = 1, from = -Inf, to = Inf, missing = "overlap", weight = NULL) {
  s <- line_stretches(f, g, from, to, weight)
  length <- sum(s$width)
  if (!(length > 0)) return(NA_real_)
  if (identical(p, "inner")) {
    mean <- (2 * s$f0 * s$g0 + s$f0 * s$g1 + s$f1 * s$g0 + 2 * s$f1 * s$g1) / 6
    return(accurate_sum(product(mean, s$width)) / if (missing == "mean") length else 1)
  }
  a <- s$f0 - s$g0
  b <- s$f1 - s$g1
  if (p == Inf) return(max(abs(a), abs(b)))
  (accurate_sum(product(mean_over_crossing(a, b, p), s$width)) / if (missing == "mean") length else 1)^(1 / p)
}

# What errors are relative to: the same of the largest that the functions are on each stretch.
line_scale <- function(f, g, p = 1, from = -Inf, to = Inf, missing = "overlap", weight = NULL) {
  s <- line_stretches(f, g, from, to, weight)
  length <- if (missing == "mean") sum(s$width) else 1
  f <- pmax(abs(s$f0), abs(s$f1))
  g <- pmax(abs(s$g0), abs(s$g1))
  if (identical(p, "inner")) return(sum(product(f * g, s$width)) / length)
  if (p == Inf) return(max(f + g, 0))
  sum(product((f + g)^p, s$width) / length)^(1 / p)
}

line_matrix <- function(x, y = x, p = 1, ..., of = line_oracle) {
  one <- function(i, j) of(.subset2(x, i), .subset2(y, j), p, ...)
  outer(seq_along(x), seq_along(y), Vectorize(one))
}

# Lines with jumps, on whole times or on any; some begin at another value than 0. They end in 0, unless
# `end` is another number. With `gaps` a part of them is not observed.
random_plf <- function(n, most = 12, whole = TRUE, gaps = 0, end = 0, seed = 1) {
  with_seed(seed, {
    functions <- lapply(seq_len(n), function(i) {
      m <- 1 + sample.int(most, 1)
      time <- if (whole) sort(sample(-3:15, m)) else sort(rexp(m))
      value <- c(rnorm(m - 1), end)
      left <- c(0, value[-1] + ifelse(runif(m - 1) < 0.4, rnorm(m - 1), 0))
      lost <- which(runif(m - 1) < gaps)
      value[lost] <- left[lost + 1] <- NA
      if (runif(1) < gaps) left[1] <- NA
      cbind(time, left, value)
    })
    column <- function(k) lapply(functions, function(f) f[, k])
    plf(column(1), column(3), left = column(2))
  })
}
