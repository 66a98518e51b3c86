exponents <- c(1, 1.5, 2, 3, 7.3, Inf)

# Random collections of which all functions come to 0.
ending_pcf <- function(seed) {
  x <- c(random_pcf(15, seed = seed), tied_pcf(15, seed = seed))
  clipped(c(x, paper_pcf(5, 50, seed = seed)), -5, 12)
}

for_seeds <- function(body) for (seed in 1:4) body(ending_pcf(seed))

test_that("distances are a metric", {
  for_seeds(function(x) {
    for (p in exponents) {
      d <- half_matrix(x, p)
      expect_true(all(d >= 0))
      expect_identical(d, t(d))
      for (k in seq_along(x)) {
        expect_true(all(d <= outer(d[, k], d[k, ], "+") * (1 + 1e-14)))
      }
    }
  })
})

test_that("the distance is 0 for equal functions, and for these alone", {
  x <- ending_pcf(1)
  y <- map_pcf(x, values = function(v) c(v[1] + 1e-9, v[-1]))
  for (kernel in kernels) {
    for (p in exponents) {
      with_settings(
        {
          expect_identical(diag(full_matrix(x, x, p)), numeric(length(x)))
          expect_true(all(diag(full_matrix(x, y, p)) > 0))
          expect_identical(as.vector(pdist(rep(x[3], 5), p)), numeric(10))
          expect_identical(as.vector(pdist(x[c(3, 3)], p, from = -2, to = 3)), 0)
        },
        kernel = kernel
      )
    }
  }
})

test_that("values may be scaled", {
  for_seeds(function(x) {
    for (p in exponents) {
      d <- half_matrix(x, p)
      for (factor in c(2^-30, -1, 2^20)) {
        scaled <- map_pcf(x, values = function(v) v * factor)
        expect_identical(half_matrix(scaled, p), d * abs(factor))
      }
      expect_near(half_matrix(map_pcf(x, values = function(v) v / 3), p), d / 3)
    }
    k <- l2_kernel(x)
    expect_identical(l2_kernel(map_pcf(x, values = function(v) v * 8)), k * 64)
    expect_identical(l2_kernel(map_pcf(x, values = function(v) -v), x), -k)
  })
})

test_that("time may be scaled", {
  for_seeds(function(x) {
    wide <- map_pcf(x, times = function(t) 2^10 * t)
    for (p in c(1, 2, Inf)) {
      expect_identical(half_matrix(wide, p), half_matrix(x, p) * 2^(10 / p))
    }
    for (p in c(1.5, 3, 7.3)) {
      expect_near(half_matrix(wide, p), half_matrix(x, p) * 2^(10 / p))
    }
    expect_identical(l2_kernel(wide), l2_kernel(x) * 2^10)
    for (p in exponents) {
      triple <- map_pcf(x, times = function(t) 3 * t)
      expect_near(half_matrix(triple, p), half_matrix(x, p) * 3^(1 / p), 1e-12)
    }
  })
})

test_that("time may be shifted", {
  x <- tied_pcf(30)
  later <- map_pcf(x, times = function(t) t + 1000)
  y <- ending_pcf(2)
  y_later <- map_pcf(y, times = function(t) t + 1)
  for (p in operations) {
    expect_identical(half_matrix(later, p, to = 1030), half_matrix(x, p, to = 30))
    expect_identical(
      half_matrix(later, p, from = 997.5, to = 1007), half_matrix(x, p, from = -2.5, to = 7)
    )
    scale <- if (identical(p, "inner")) l2_kernel(absolute(y)) else half_matrix(y, p)
    expect_near(half_matrix(y_later, p), half_matrix(y, p), 1e-12, scale)
  }
})

test_that("a window is the same as clipping", {
  for_seeds(function(x) {
    for (window in list(c(0, 5), c(-1.3, 2.7), c(3, 11))) {
      part <- clipped(x, window[1], window[2])
      for (p in operations) {
        expected <- half_matrix(part, p)
        scale <- if (identical(p, "inner")) l2_kernel(absolute(part)) else expected
        got <- half_matrix(x, p, from = window[1], to = window[2])
        expect_near(got, expected, 1e-13, scale)
      }
    }
  })
})

test_that("integrals over adjacent windows add up", {
  for_seeds(function(x) {
    cuts <- c(-Inf, -2, 0, 0.7, 5, 5 + 1e-9, 20)
    over <- function(p, from, to) half_matrix(x, p, from = from, to = to)
    for (p in list(1, 2, 3, "inner")) {
      power <- if (identical(p, "inner")) 1 else p
      parts <- Map(function(from, to) over(p, from, to)^power, cuts[-7], cuts[-1])
      whole <- over(p, -Inf, 20)^power
      scale <- if (identical(p, "inner")) l2_kernel(absolute(x), to = 20) else whole
      expect_near(Reduce(`+`, parts), whole, 1e-12, scale)
    }
    suprema <- Map(function(from, to) over(Inf, from, to), cuts[-7], cuts[-1])
    expect_identical(Reduce(pmax, suprema), over(Inf, -Inf, 20))
  })
})

test_that("splitting pieces changes nothing", {
  refine <- function(t) sort(unique(c(t, (t[-1] + t[-length(t)]) / 2, max(t) + 1)))
  for_seeds(function(x) {
    finer <- lapply(unclass(x), function(f) {
      times <- refine(f[, 1])
      list(times, values_at(f, times))
    })
    finer <- pcf(lapply(finer, `[[`, 1), lapply(finer, `[[`, 2))
    for (p in operations) {
      expected <- half_matrix(x, p)
      scale <- if (identical(p, "inner")) l2_kernel(absolute(x)) else expected
      expect_near(half_matrix(finer, p), expected, 1e-13, scale)
      if (!identical(p, "inner")) {
        expect_identical(diag(full_matrix(x, finer, p)), numeric(length(x)))
      }
    }
  })
})

test_that("large p come near the supremum", {
  for_seeds(function(x) {
    supremum <- half_matrix(x, Inf)
    for (kernel in kernels) {
      with_settings(
        {
          expect_near(half_matrix(x, 200), supremum, 0.2)
          expect_near(half_matrix(x, 1e4), supremum, 0.004)
          expect_near(half_matrix(x, 1e9), supremum, 1e-7)
        },
        kernel = kernel
      )
    }
    big <- map_pcf(x, values = function(v) v * 2^900)
    expect_near(half_matrix(big, 200), half_matrix(x, 200) * 2^900, 1e-12)
    small <- map_pcf(x, values = function(v) v * 2^-900)
    expect_near(half_matrix(small, 200), half_matrix(x, 200) * 2^-900, 1e-12)
  })
})

test_that("norms are ordered on a window of length 1", {
  for_seeds(function(x) {
    d <- lapply(c(1, 1.5, 2, 3, 7.3, 40, Inf), function(p) {
      half_matrix(x, p, from = 2, to = 3)
    })
    for (k in seq_along(d)[-1]) expect_true(all(d[[k - 1]] <= d[[k]] * (1 + 1e-13)))
  })
})

test_that("exponents next to 1 and 2 give nearly the same", {
  x <- ending_pcf(3)
  for (p in c(1, 2, 3)) {
    expect_near(half_matrix(x, p * (1 + 1e-15)), half_matrix(x, p), 1e-12)
  }
})
