# Weighted integrals from exact sums. Times and values are multiples of 1/8 and so small that what a
# stretch adds without its weight is a double; products with weights and sums are expansions,
# several doubles that come to exactly that.

# A sum of many doubles, rounded once (Shewchuk, 1997): the partial sums do not overlap.
exact_sum <- function(x) {
  partial <- numeric()
  for (new in x) {
    left <- numeric()
    for (old in partial) {
      larger <- max(abs(new), abs(old))
      if (larger != abs(new)) {
        swap <- new
        new <- old
        old <- swap
      }
      sum <- new + old
      rest <- old - (sum - new)
      if (rest != 0) left <- c(left, rest)
      new <- sum
    }
    partial <- c(left, new)
  }
  sum(partial)
}

# What the products of doubles lose by rounding (Dekker, 1971).
product_rest <- function(a, b) {
  upper <- function(x) {
    scaled <- 134217729 * x
    scaled - (scaled - x)
  }
  a_upper <- upper(a)
  b_upper <- upper(b)
  a_lower <- a - a_upper
  b_lower <- b - b_upper
  a_lower * b_lower - (((a * b - a_upper * b_upper) - a_lower * b_upper) - a_upper * b_lower)
}

exact_sum_of_products <- function(a, b) exact_sum(c(a * b, product_rest(a, b)))

# The integral of w combine(f, g) over the stretches of a finite window where f and g are observed
# and w is positive, or its mean; NA without any. For "inner" also what the error is relative to.
exact_weighted <- function(f, g, w, p, from, to, mean) {
  cuts <- sort(unique(c(from, f[, 1], g[, 1], w[, 1])))
  cuts <- cuts[cuts >= from & cuts < to]
  length <- c(cuts[-1], to) - cuts
  a <- values_at(f, cuts)
  b <- values_at(g, cuts)
  height <- values_at(w, cuts)
  counts <- !is.na(a) & !is.na(b) & height > 0
  if (!any(counts)) return(c(NA, NA))
  power <- if (identical(p, "inner")) a * b else if (p == Inf) abs(a - b) else abs(a - b)^p
  if (p == Inf) return(rep(max(power[counts]), 2))
  total <- function(power) exact_sum_of_products(height[counts], (power * length)[counts])
  divisor <- if (mean) exact_sum_of_products(height[counts], length[counts]) else 1
  root <- if (identical(p, "inner")) 1 else p
  c(total(power) / divisor, total(abs(power)) / divisor)^(1 / root)
}

# The matrices of all pairs: list(value, scale).
exact_matrix <- function(x, w, p, from, to, mean) {
  n <- length(x)
  pairs <- expand.grid(i = seq_len(n), j = seq_len(n))
  found <- mapply(function(i, j) exact_weighted(x[[i]], x[[j]], w, p, from, to, mean),
                  pairs$i, pairs$j)
  list(value = found[1, ], scale = found[2, ])
}

# Some functions and a weight, whose heights differ by up to `span` powers of two and may be 0.
# Times begin near 0 or near 2^30.
weighted_case <- function(seed, span) {
  with_seed(seed, {
    begin <- sample(c(0, 2^30), 1)
    pool <- begin + sort(sample(0:400, 30)) / 8
    times <- function(most) pool[sort(sample(30, sample(most, 1)))]
    partial <- sample(c(TRUE, FALSE), 1)
    x <- lapply(1:4, function(i) {
      time <- times(9)
      value <- sample(-16:16, length(time), replace = TRUE) / 8
      if (partial) value[runif(length(time)) < 0.3] <- NA
      if (partial && i %% 2) cbind(c(-Inf, time), c(NA, value)) else cbind(time, value)
    })
    time <- times(20)
    height <- runif(length(time), 1, 2) * 2^-switch(
      sample(3, 1), cumsum(runif(length(time), 0, span / length(time))),
      runif(length(time), 0, span), rev(seq(0, span, length.out = length(time)))
    )
    height[runif(length(time)) < 0.2] <- 0
    list(x = x, w = cbind(time, height), partial = partial, from = pool[sample(5, 1)] - 1 / 16,
         to = pool[sample(26:30, 1)])
  })
}

weighs_nothing_in <- function(case) {
  end <- c(case$w[-1, 1], Inf)
  inside <- case$w[, 1] < case$to & end > case$from
  all(case$w[inside, 2] == 0)
}
