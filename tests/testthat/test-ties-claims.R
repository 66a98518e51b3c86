# What help says of all functions, tried with random ones of any kind: ties, gaps, offsets, very large and very
# small values, single functions.

random_values <- function(m) {
  switch(sample(6, 1), rnorm(m), sample(-3:3, m, TRUE), rnorm(m) * 10^sample(-300:300, 1), 1e8 + rnorm(m),
         10^runif(m, -300, 300) * sample(c(-1, 1), m, TRUE), 0.1 * (1 + sample(-2:2, m, TRUE) * 2^-52))
}

random_functions <- function(linear, gaps) {
  common <- if (runif(1) < 0.3) sort(sample(0:40, 5))
  functions <- lapply(seq_len(sample(c(1:6, 17), 1)), function(i) {
    times <- common %||% sort(switch(sample(3, 1), sample(0:40, 5), runif(5, -5, 20), 1.7e9 + sample(1000, 5)))
    value <- c(random_values(4), 0)
    left <- c(0, if (runif(1) < 0.4) random_values(4) else value[-1])
    gap <- if (gaps && runif(1) < 0.5) sample(4, 1)
    list(times = times, value = replace(value, gap, NA), left = replace(left, gap + 1, NA))
  })
  part <- function(name) lapply(functions, `[[`, name)
  if (linear) plf(part("times"), part("value"), left = part("left")) else pcf(part("times"), part("value"))
}

# Calls claim() with collections of all kinds.
for_random_functions <- function(n, claim, linear = c(FALSE, TRUE), gaps = c(FALSE, TRUE)) {
  kinds <- expand.grid(gaps = gaps, linear = linear)
  with_seed(48, for (k in rep(seq_len(nrow(kinds)), n)) {
    claim(random_functions(kinds$linear[k], kinds$gaps[k]))
  })
}

test_that("means lie within the range, and extrema are reached", {
  for_random_functions(40, linear = FALSE, claim = function(x) {
    times <- c(-Inf, all_times(x), Inf)
    values <- evaluate(x, times)
    known <- colSums(!is.na(values)) > 0
    least <- apply(values[, known, drop = FALSE], 2, min, na.rm = TRUE)
    most <- apply(values[, known, drop = FALSE], 2, max, na.rm = TRUE)
    means <- evaluate(mean(x, na.rm = TRUE), times)[known]
    expect_true(all(least <= means & means <= most))
    expect_identical(evaluate(min(x, na.rm = TRUE), times)[known], least)
    expect_identical(evaluate(max(x, na.rm = TRUE), times)[known], most)
    expect_true(all(is.na(evaluate(mean(x, na.rm = TRUE), times)[!known])))
  })
})

test_that("reductions depend neither on the order of functions nor on how they are grouped", {
  for_random_functions(30, linear = FALSE, claim = function(x) {
    shuffled <- x[sample(length(x))]
    row <- x
    dim(row) <- c(1, length(x))
    for (reduce in list(sum, mean, min, max)) {
      result <- unclass(reduce(x, na.rm = TRUE))[[1]]
      expect_identical(unclass(reduce(shuffled, na.rm = TRUE))[[1]], result)
      expect_identical(unclass(reduce(row, margin = 1, na.rm = TRUE))[[1]], result)
      expect_identical(unclass(aggregate(x, rep(1, length(x)), reduce, na.rm = TRUE))[[1]], result)
    }
  })
})

test_that("the mean of equal functions is this function", {
  for_random_functions(15, function(x) expect_true(mean(rep(x[1], 7)) == x[1]))
})

test_that("norms and integrals depend on their function only", {
  weight <- pcf(c(-Inf, 3, 9), c(1, 0.5, 2))
  alone <- function(measure, x, ...) vapply(seq_along(x), function(k) suppressWarnings(measure(x[k], ...)), 0)
  expect_same <- function(measure, x, ...) {
    expect_identical(suppressWarnings(measure(x, ...)), alone(measure, x, ...))
  }
  for_random_functions(15, linear = FALSE, claim = function(x) {
    for (p in c(1, 2, 3.3, Inf)) {
      expect_same(lp_norm, x, p, missing = "overlap")
      expect_same(lp_norm, x, p, -1, 30, missing = "overlap", weight = weight)
      expect_same(lp_norm, x, p, -10, 30, missing = "mean", weight = weight)
    }
    expect_same(integral, x, -10, 30, missing = "mean")
  })
  for_random_functions(15, linear = TRUE, claim = function(x) {
    complete <- !vapply(unclass(x), anyNA, NA)
    for (p in c(1, 2, Inf)) {
      norms <- suppressWarnings(lp_norm(x, p, -1, 30, missing = "overlap"))
      expect_identical(norms[complete], alone(lp_norm, x[complete], p, -1, 30))
      expect_equal(norms, alone(lp_norm, x, p, -1, 30, missing = "overlap"), tolerance = 1e-13)
    }
  })
})

test_that("distances are symmetric, 0 to the function itself, and do not depend on the order", {
  for_random_functions(12, function(x) {
    sizes <- abs(unlist(unclass(x)))
    if (diff(range(log10(sizes[which(sizes > 0)]))) > 90) return() # an error says that digits would be lost
    order <- sample(length(x))
    for (p in c(1, 2, 1.7, Inf)) {
      distances <- function(a, b) suppressWarnings(cdist(a, b, p, -1, 30, missing = "overlap"))
      between <- distances(x, x[order])
      expect_identical(between, t(distances(x[order], x)))
      expect_identical(between[, order(order), drop = FALSE], distances(x, x))
      expect_true(all(is.na(between) | between >= 0) && !any(is.nan(between)))
      own <- suppressWarnings(lp_distance(x, x, p, -1, 30, missing = "overlap"))
      expect_true(all(is.na(own) | own == 0))
    }
  })
})

test_that("functions are equal if and only if drop_redundant() makes them identical", {
  for_random_functions(15, function(x) {
    expect_true(all(drop_redundant(x) == x))
    for (i in seq_along(x)) {
      equal <- identical(unclass(drop_redundant(x[1]))[[1]], unclass(drop_redundant(x[i]))[[1]])
      expect_identical(x[1] == x[i], equal)
    }
  })
})
