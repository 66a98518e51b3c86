# Weighted integrals.

# The matrix of a case against that of exact sums.
expect_as_exact <- function(case, p, mean, kernel, tolerance, label, precision = "double") {
  want <- exact_matrix(case$x, case$w, p, case$from, case$to, mean)
  if (weighs_nothing_in(case)) want[] <- list(numeric(16))
  scale <- want$scale
  if (precision == "single") scale <- pmax(scale, 1e-3 * max(scale, 0, na.rm = TRUE))
  x <- pcf(lapply(case$x, function(f) f[, 1]), lapply(case$x, function(f) f[, 2]))
  got <- with_settings(kernel = kernel, full_matrix(
    x, x, p, from = case$from, to = case$to, missing = if (mean) "mean" else "overlap",
    weight = pcf(case$w[, 1], case$w[, 2]), precision = precision
  ))
  expect_near(got, want$value, tolerance, scale, label)
}

test_that("stretches count that are short beside the weight before them", {
  w <- pcf(0:61, c(exp(-(0:60)), 0))
  f <- pcf(c(0, 38, 40), c(1, 2, 0))
  g <- pcf(c(0, 40), c(1, 0))
  seen <- pcf(c(-Inf, 38, 40), c(NA, 2, NA))
  weight <- exp(-38) + exp(-39)
  for (kernel in kernels) {
    with_settings(kernel = kernel, for (p in c(1, 2, Inf)) {
      expect_near(pdist(c(f, g), p, weight = w), weight^(1 / p), 1e-15)
      expect_near(pdist(c(seen, g), p, missing = "mean", weight = w), 1, 1e-15)
    })
  }
  found <- with_settings(l2_kernel(c(f, seen), c(f, g), missing = "overlap", weight = w),
                         kernel = "lookup")
  expect_near(found[2, ], c(4, 2) * weight, 1e-15)
  expect_near(lp_distance(f, g, weight = w), weight, 1e-15)
  expect_near(lp_norm(f - g, 3, weight = w), weight^(1 / 3), 1e-14)
  expect_near(integral(seen, weight = w, missing = "mean"), 2, 1e-15)
  expect_near(overlap(seen, weight = w), weight, 1e-15)
  expect_near(distance_product(c(f, g), c(1, 3), weight = w)[1], 3 * weight, 1e-15)
})

exponents <- list(1, 2, 3, 1.7, Inf, "inner")

# Set PCFDIST_WEIGHTED_CASES to 10000 for a thorough comparison.
test_apart("weighted integrals are those of exact sums, by all methods and instructions", {
  cases <- as.integer(Sys.getenv("PCFDIST_WEIGHTED_CASES", "120"))
  sets <- instruction_sets()
  for (seed in seq_len(cases)) {
    case <- weighted_case(seed, span = c(10, 200, 900)[seed %% 3 + 1])
    p <- exponents[[seed %% 6 + 1]]
    kernel <- kernels[seed %/% 6 %% 4 + 1]
    if (identical(p, "inner") && seed %% 5 < 2) kernel <- "lookup"
    set <- sets[seed %% length(sets) + 1]
    label <- paste("case", seed, kernel, set, p)
    with_settings(expect_as_exact(case, p, seed %% 4 == 1, kernel, 1e-13, label), isa = set)
  }
})

test_apart("weighted integrals in single precision keep its digits", {
  for (seed in 1:60) {
    case <- weighted_case(seed, span = c(3, 200)[seed %% 2 + 1])
    p <- exponents[[seed %% 6 + 1]]
    if (weighs_nothing_in(case)) next
    for (kernel in kernels) {
      expect_as_exact(case, p, FALSE, kernel, 1e-5, paste("case", seed, kernel, p), "single")
    }
  }
})

test_that("weights that single precision does not hold take double", {
  x <- random_pcf(9)
  precision_of <- function(...) {
    pdist(x, from = 0, to = 4, precision = "single", weight = pcf(0:2, c(...)))
    last_run()$precision
  }
  expect_identical(precision_of(1, 99, 0), "single")
  expect_identical(precision_of(1, 101, 0), "double")
  expect_identical(precision_of(1, 101, 50), "double")
})

test_that("a weight of many pieces is no different", {
  x <- random_pcf(7)
  w <- pcf(seq(-3, 9, length.out = 3000), c(runif(2999), 0))
  for (p in list(1, 2, 1.5, "inner")) {
    expected <- oracle_matrix(x, p = p, weight = unclass(w)[[1]])
    scale <- scale_of(expected, x, p = p, weight = unclass(w)[[1]])
    for (kernel in kernels) {
      got <- with_settings(full_matrix(x, x, p, missing = "overlap", weight = w), kernel = kernel)
      expect_near(got, expected, 1e-13, scale, kernel)
    }
  }
})

test_that("all that takes a weight takes the same one", {
  x <- random_pcf(40, 8, seed = 4)
  w <- pcf(c(-3, -1, 0.5, 1), c(2, 1e-12, 0, 3e-9))
  x <- restrict(x, to = 4)
  for (prune in c("on", "off")) {
    with_settings(expect_distance_everywhere(x, "lp", "cpu", weight = w), prune = prune)
  }
  d <- as.matrix(pdist(x, weight = w))
  b <- cbind(seq_along(x), 1)
  squares <- as.matrix(pdist(x, 2, weight = w))^2 %*% b
  for (kernel in c("sweep", "events")) {
    with_settings(kernel = kernel, {
      expect_near(distance_product(x, b, weight = w), d %*% b, 1e-12)
      expect_identical(last_run()$kernel, kernel)
      expect_near(distance_product(x, b, p = 2, weight = w), squares, 1e-11)
    })
  }
  expect_near(distance_product(x, b, p = 3, weight = w),
              as.matrix(pdist(x, 3, weight = w))^3 %*% b, 1e-11)
  k <- l2_kernel(x, weight = w)
  expect_near(kernel_product(x, b, weight = w), k %*% b, 1e-12, l2_kernel(absolute(x), weight = w) %*% b)
})

test_that("permutation tests weigh time", {
  x <- restrict(random_pcf(12, seed = 8), 0, 5)
  group <- gl(2, 6)
  w <- pcf(c(0, 2, 3), c(1, 1e-20, 0))
  expect_same <- function(x, p, weight) {
    test <- with_seed(1, permutation_test(x, group, "mean_difference", n = 19, p = p, weight = weight))
    means <- c(mean(x[group == "1"]), mean(x[group == "2"]))
    expect_near(test$statistic, lp_distance(means[1], means[2], p, weight = weight), 1e-12)
  }
  for (p in c(1, 2, Inf)) expect_same(x, p, w)
  # What is there counts, however little that is.
  expect_same(restrict(x, from = 2), 1, w)
})

test_that("jobs have the weight of their call", {
  skip_if_not_installed("future")
  x <- random_pcf(300, 5, seed = 10)
  w <- pcf(c(-2, 0, 2), c(1, 1e-20, 0))
  for (prune in c("auto", "off")) {
    with_settings(prune = prune, {
      alone <- nearest_neighbors(x, 2, weight = w)
      expect_identical(with_jobs(nearest_neighbors(x, 2, weight = w, jobs = 2)), alone)
    })
  }
  b <- seq_along(x)
  alone <- distance_product(x, b, p = 1.5, weight = w)
  expect_identical(with_jobs(distance_product(x, b, p = 1.5, weight = w, jobs = 2)), alone)
  file <- new_file()
  with_jobs(pdist(x, weight = w, file = file, jobs = 2))
  expect_identical(as.vector(open_distances(file)[]), as.vector(pdist(x, weight = w)))
})

test_apart("files know their weight", {
  x <- random_pcf(12, seed = 9)
  file <- new_file()
  steep <- pcf(c(-2, 0, 2), c(1, 1e-20, 0))
  for (missing in c("overlap", "mean")) {
    y <- if (missing == "mean") random_partial_pcf(12, seed = 9) else x
    distances <- function(weight, ...) pdist(y, from = -2, to = 4, missing = missing, weight = weight, ...)
    path <- paste0(file, missing)
    want <- as.vector(distances(steep))
    for (time in c("first", "again")) expect_identical(as.vector(distances(steep, file = path)[]), want, label = time)
    for (other in list(NULL, pcf(c(-2, 0, 2), c(1, 2e-20, 0)))) {
      expect_error(distances(other, file = path), "was made from other functions, or with another weight",
                   class = "pcfdist_error_file")
    }
  }
})

test_that("a weight of 1 changes nothing, and one of 3 scales", {
  x <- tied_pcf(9)
  for (p in c(1, 2, 1.5, Inf)) {
    weighted <- function(weight) as.vector(pdist(x, p, from = -5, to = 9, weight = weight))
    expect_identical(weighted(pcf(-Inf, 1)), weighted(NULL))
    expect_near(weighted(pcf(-Inf, 3)), weighted(NULL) * 3^(1 / p))
  }
  expect_identical(as.vector(pdist(x, weight = pcf(-Inf, 1))), as.vector(pdist(x)))
})

test_that("where a weight is 0, functions may be anything", {
  window <- pcf(c(2, 5), c(1, 0))
  y <- pcf(list(c(0, 5.5), c(-Inf, 1)), list(c(1, NA), c(NA, 3)))
  expect_identical(as.vector(pdist(y, weight = window)), 6)
  for (missing in c("error", "overlap", "mean")) {
    none <- pdist(y, from = 6, weight = window, missing = missing)
    expect_identical(as.vector(none), 0)
  }
})

test_that("pairs have the distances of the matrix, and none have none", {
  x <- random_pcf(6)
  w <- pcf(c(0, 2), c(1, 0))
  expect_identical(lp_distance(x, x[1], weight = w), as.vector(cdist(x, x[1], weight = w)))
  expect_length(pdist(x[0], weight = w), 0)
})

test_that("weights go with functions that have a unit of time", {
  day <- as.Date("2024-03-01")
  x <- pcf(list(day + c(0, 4), day + c(0, 2)), list(c(1, 0), c(3, 0)))
  w <- pcf(day + c(1, 3), c(2, 0))
  expect_identical(as.vector(pdist(x, weight = w)), 6)
  expect_identical(as.vector(pdist(x, to = day + 2, weight = w)), 4)
  hours <- pcf(as.POSIXct(day + c(1, 3)), c(2, 0))
  expect_identical(as.vector(pdist(x, weight = hours)), 6)
  expect_identical(as.vector(pdist(x, weight = pcf(-Inf, 1))), as.vector(pdist(x)))
  expect_error(pdist(x, weight = pcf(0, 1)), class = "pcfdist_error_weight")
})

test_that("norms and integrals have weights, too", {
  w <- pcf(c(0, 1, 2.5, 4), c(1, 0.25, 3, 0))
  x <- random_pcf(20, 8, seed = 6)
  for (p in c(1, 2, 3.5, Inf)) {
    expect_near(lp_norm(x, p, weight = w), as.vector(cdist(x, pcf(0, 0), p, weight = w)), 1e-13)
  }
  expect_near(integral(x, weight = w), integral(x * w), 1e-12, integral(abs(x) * w) + 1e-300)
  expect_near(integral(x, 0.5, 3, weight = w), integral(x * w, 0.5, 3), 1e-12,
              integral(abs(x) * w, 0.5, 3) + 1e-300)
  f <- pcf(list(a = c(0, 2, 3), b = c(0, 3)), list(c(1, NA, 1), c(1, 2)))
  w <- pcf(c(0, 1, 5), c(1, 2, 0))
  expect_identical(integral(f, weight = w, missing = "overlap"), c(a = 7, b = 13))
  expect_identical(integral(f, weight = w, missing = "mean"), c(a = 1, b = 13 / 9))
  expect_identical(integral(f, weight = pcf(c(0, 2), 1:0)), c(a = 2, b = 2))
  error <- expect_error(integral(f, weight = w), class = "pcfdist_error_missing")
  expect_identical(c(error$from, error$to), c(2, 3))
  expect_error(lp_norm(f, weight = pcf(0, -1)), class = "pcfdist_error_weight")
})

test_that("what single lines are where the weight is 0 does not matter", {
  steps <- pcf(list(c(0, 1, 2, 4), c(0, 1, 2, 4)), list(c(1, NA, 2, 0), c(1, 1, 2, 0)))
  lines <- as_plf(steps)
  w <- pcf(c(0, 1, 2, 4), c(1, 0, 1, 0))
  for (p in c(1, 2, Inf)) expect_near(lp_norm(lines, p, weight = w), lp_norm(steps, p, weight = w), 1e-14)
  expect_identical(integral(lines, weight = w), c(5, 5))
  four <- c(lines, 2 * lines)
  means <- permutation_test(four, c(1, 1, 2, 2), "mean_difference", weight = w, n = 9)
  expect_near(means$statistic[[1]], 5, 1e-14)
  error <- expect_error(integral(lines, weight = pcf(c(0, 4), 1:0)), class = "pcfdist_error_missing")
  expect_identical(c(error$from, error$to), c(1, 2))
})

test_that("errors of weights name what is wrong", {
  x <- random_pcf(3)
  f <- pcf(list(a = c(0, 2, 3), b = c(0, 3)), list(c(1, NA, 1), c(1, 2)))
  refused(pdist(x, weight = 1), "weight", "must be a <pcf>, not 1. ", makes_pcf)
  refused(pdist(x, weight = x), "weight", "must be one function, not 3.")
  missing <- replace(x[1], 1, NA)
  for (call in expression(pdist(x, weight = missing), integral(x, weight = missing))) {
    refused(eval(call), "weight", "is invalid: the function is missing. x[!is.na(x)] drops such functions, and ",
            "dplyr::coalesce() replaces them.")
  }
  damaged <- function(...) structure(list(cbind(time = c(...), value = 0)), class = "pcf")
  refused(pdist(x, weight = damaged(2, 1)), "weight",
          "is invalid: the function has the time 1 at position 2, after 2. Times must increase.")
  refused(pdist(x, weight = damaged(0, NaN)), "weight",
          "is invalid: the function has a missing time (NaN) at position 2.")
  refused(pdist(x, weight = pcf(c(0, 2, 3), c(1, -1, 0))), "weight",
          "must be observed and not negative in the window, but is -1 from 2 on.")
  refused(cdist(x, x, weight = pcf(c(0, 2, 3), c(1, NA, 0))), "weight",
          "must be observed and not negative in the window, but is NA from 2 on.")
  refused(l2_kernel(x, weight = pcf(c(0, 1e300), c(1e300, 0))), "weight", "has an integral that overflows.")
  expect_refusal(pdist(f, weight = pcf(c(1, 5), c(2, 0))), "missing", observed_apart('2 ("b")', "2, 3", '1 ("a")'))
  expect_refusal(pdist(f, missing = "mean", weight = pcf(1, 2)), "missing",
                 endless_mean, 'function 1 ("a")', hold_for_ever(3))
  expect_silent(pdist(x, from = 0, to = 2, weight = pcf(c(0, 2, 3), c(1, -1, 0))))
})

test_that("weights far from 0 keep their digits", {
  x <- map_pcf(tied_pcf(6), times = function(t) 1e9 + t)
  w <- pcf(1e9 + c(-4, 3), c(1, 0))
  expect_near(pdist(x, weight = w), pdist(x, from = 1e9 - 4, to = 1e9 + 3), 1e-15)
})
