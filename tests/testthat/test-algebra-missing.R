# Distances and inner products of functions that are known only in part.

missings <- c("overlap", "mean")

# Functions of all kinds, some of which are not observed in the window, or nowhere.
partial_pcf <- function(n, seed = 1) {
  hidden <- map_pcf(tied_pcf(n, seed = seed), values = function(v) {
    replace(v, seq_along(v) %% 3 == seed %% 3, NA)
  })
  c(random_partial_pcf(n, seed = seed), hidden)
}

# Both matrices of a collection, the half that is computed and the whole, against the definition.
expect_exact <- function(x, p, from, to, missing, tolerance = 1e-13, ..., label = "the result") {
  expected <- oracle_matrix(x, p = p, from = from, to = to, missing = missing)
  scale <- scale_of(expected, x, p = p, from = from, to = to, missing = missing)
  if (tolerance > 1e-9) scale <- pmax(scale, max(scale[is.finite(scale)], 0))
  full <- full_matrix(x, x, p, from = from, to = to, missing = missing, ...)
  expect_near(full, expected, tolerance, scale, label)
  half <- half_matrix(x, p, from = from, to = to, missing = missing, ...)
  off <- if (identical(p, "inner")) seq_along(half) else which(row(half) != col(half))
  expect_near(half[off], expected[off], tolerance, scale[off], label)
}

test_apart("distances of functions known in part are exact", {
  for (seed in 1:3) {
    x <- partial_pcf(8, seed)
    for (p in operations) {
      for (missing in missings) {
        for (device in test_devices()) {
          label <- paste("operation", p, missing, "on", device, "seed", seed)
          expect_exact(x, p, -3, 9, missing, device = device, label = label)
          expect_exact(x, p, -3, 9, missing, 1e-5, precision = "single", device = device,
                       label = label)
        }
      }
      expect_exact(x, p, -Inf, Inf, "overlap", label = paste("operation", p, "everywhere"))
    }
  }
})

# Of one method: which is the fastest depends on how many pairs there are.
test_apart("results of functions known in part depend on nothing but the pair", {
  x <- partial_pcf(20, 6)
  order <- with_seed(1, sample(length(x)))
  for (p in operations) for (missing in missings) {
    for (precision in c("double", "single")) {
      half <- function(x, ...) {
        with_settings(kernel = "sweep", ..., code = half_matrix(
          x, p, from = -2, to = 8, missing = missing, precision = precision, threads = 2
        ))
      }
      d <- half(x)
      expect_identical(d, t(d))
      expect_identical(half(x[order]), d[order, order])
      for (tile in c(32, 256)) expect_identical(half(x, tile = tile), d)
      expect_identical(half(x, block = 32), d)
      full <- with_settings(kernel = "sweep", full_matrix(
        x[7:3], x, p, from = -2, to = 8, missing = missing, precision = precision, threads = 1
      ))
      off <- row(full) + col(full) != 8
      expect_identical(full[off], d[7:3, ][off])
    }
  }
})

test_that("complete functions need nothing said", {
  x <- random_pcf(9)
  for (p in operations) {
    d <- half_matrix(x, p, from = 0, to = 8)
    expect_identical(half_matrix(x, p, from = 0, to = 8, missing = "overlap"), d)
    power <- if (identical(p, "inner")) 1 else p
    expect_near(half_matrix(x, p, from = 0, to = 8, missing = "mean"), d / 8^(1 / power))
  }
})

test_apart("functions known on the same stretches need nothing said", {
  times <- c(0, 1, 2, 4, 5)
  x <- with_seed(1, pcf(times, lapply(1:6, function(i) {
    c(rnorm(1), NA, rnorm(1), NA, rnorm(1))
  })))
  for (p in operations) {
    for (kernel in kernels) {
      with_settings(expect_exact(x, p, 0, 9, "error"), kernel = kernel)
      with_settings(expect_exact(x, p, 0, 9, "mean"), kernel = kernel)
    }
    expect_true(all(is.na(full_matrix(x, x, p, from = 1, to = 2, missing = "overlap"))))
  }
  # Different breakpoints, but the same stretches.
  finer <- pcf(c(0, 1, 1.5, 2, 3, 4, 5), c(1, NA, NA, 2, 3, NA, 4))
  expect_identical(as.vector(cdist(x, finer, to = 9)),
                   as.vector(cdist(x, finer, to = 9, missing = "overlap")))
})

test_apart("pairs of lp_distance() may be known on stretches of their own", {
  x <- partial_pcf(8, 8)
  y <- map_pcf(x, values = function(v) v + 1)
  window <- pcf(c(-Inf, 0, 5), c(NA, 0, NA))
  for (p in c(1, 2, 1.5, Inf)) {
    expected <- function(y, ...) {
      mapply(oracle, unclass(x), unclass(y), MoreArgs = list(p = p, from = 0, to = 5, ...))
    }
    expect_near(lp_distance(x + window, y + window, p), expected(y))
    for (missing in missings) {
      d <- lp_distance(x, rev(y), p, from = 0, to = 5, missing = missing)
      expect_near(d, expected(rev(y), missing = missing))
    }
  }
})

test_that("a value before the first time of -Inf counts from -Inf on", {
  x <- pcf(list(a = c(-Inf, 0), b = c(-Inf, 1), c = c(-Inf, 1, 2), d = 0, e = c(-Inf, 3)),
           list(c(1, 0), c(1, 0), c(-2, 1, 0), 0, c(NA, 0)))
  for (kernel in kernels) {
    for (p in operations) {
      with_settings(kernel = kernel, {
        expect_exact(x, p, -Inf, Inf, "overlap", label = paste(kernel, p))
        expect_exact(x, p, -Inf, Inf, "overlap", 1e-5, precision = "single", label = paste(kernel, p))
      })
    }
  }
  expect_identical(as.vector(pdist(x[c("a", "b")])), 1)
  expect_identical(as.vector(pdist(x[c("a", "d")], p = Inf)), 1)
})

test_that("errors name the function, the stretch and the ways out", {
  x <- pcf(list(a = c(0, 4), b = c(0, 2, 3), c = 1), list(c(1, NA), c(1, NA, 2), 1))
  expect_refusal(pdist(x), "missing", observed_apart('1 ("a")', "2, 3", '2 ("b")'))
  expect_refusal(cdist(x[1], x[2:3], from = 1, to = 3.5), "missing",
                 observed_apart('1 ("a") of `x`', "2, 3", '1 ("b") of `y`'))
  expect_refusal(l2_kernel(x[c(2, 1)]), "missing", observed_apart('2 ("a")', "2, 3", '1 ("b")'))
  expect_refusal(lp_distance(x[c(1, 2)], x[c(1, 3)]), "missing",
                 observed_apart('2 ("c") of `g`', "2, 3", '2 ("b") of `f`'))
  refused(pdist(x, missing = "omit"), "missing", 'must be one of "error", "overlap", "mean", not "omit".')
  expect_refusal(pdist(x[2:3], missing = "mean", from = 0), "missing",
                 endless_mean, 'function 1 ("b")', hold_for_ever(3))
  expect_refusal(l2_kernel(x[1], missing = "mean", to = 4), "missing", endless_mean, 'function 1 ("a") and others ',
                 "have values from -Inf on. Set a finite `from`, such as the first breakpoint: `from = 0`.")
})

test_apart("the last run is one, also of means", {
  x <- partial_pcf(8, 9)
  with_settings(pdist(x, from = 0, to = 5, missing = "mean"), kernel = "sweep")
  expect_identical(last_run()$pairs, 120)
  lp_distance(x, rev(x), from = 0, to = 5, missing = "mean")
  expect_identical(last_run()$pairs, 16)
  expect_named(last_run()$phases, c("check", "plan", "prepare", "compute", "scatter"))
})

# Means are divided by a length, or a weight times a length, that may be no double itself.
test_that("means are right where what they are divided by leaves the doubles", {
  x <- pcf(rep(list(c(-Inf, 0, 1e150)), 2), list(c(NA, 3, NA), c(NA, 1, NA)))
  weight <- pcf(-1e150, 1e200)
  expect_equal(as.vector(pdist(x, missing = "mean", weight = weight)), 2)
  wide <- pcf(list(-1.7e308, -1.7e308), list(3, 1))
  expect_equal(as.vector(pdist(wide, from = -1.7e308, to = 1.7e308, missing = "mean")), 2)
  small <- pcf(rep(list(c(0, 1e21)), 2), list(c(1e-300, 0), c(3e-300, 0)))
  expect_equal(as.vector(pdist(small, from = 0, to = 3e21, missing = "mean")) * 1e300, 2 / 3)
  large <- pcf(list(0, 0), list(1e308, 5e307))
  short <- 2^-266 * c(1, 1 + 2^-49)
  expect_equal(as.vector(pdist(large, from = short[1], to = short[2], missing = "mean")), 5e307)
})

test_that("means over overlaps too short for single precision are those of double", {
  for (kernel in kernels) for (width in c(1e-46, 1e-44, 1e-42, 1e-9)) {
    times <- c(-1, 0, width, 1)
    x <- pcf(list(times, times), list(c(3, 3.7, NA, NA), c(NA, 1, 2, NA)))
    mean <- with_settings(pdist(x, missing = "mean", from = -1, to = 1, precision = "single"), kernel = kernel)
    expect_near(mean, 2.7, 1e-6, label = paste(kernel, width))
  }
})

test_that("means of values whose products and differences overflow are right", {
  x <- pcf(list(c(0, 1e-300, 1e-299, 1), c(0, 1)), list(c(2e154, 1, NA, NA), c(1, NA)))
  expect_near(l2_kernel(x, missing = "mean", from = 0, to = 1)[1, 1], 4e307)
  times <- 1e6 + c(0, 0.001, 1)
  apart <- pcf(list(times, times), list(c(1.5e308, 1, 0), c(-1.5e308, 0, 0)))
  for (p in 1:3) {
    mean <- function(...) pdist(apart, p, missing = "mean", from = 1e6, to = 1e6 + 0.5, ...)
    expect_near(mean(precision = "single"), mean(), 1e-6)
  }
})
