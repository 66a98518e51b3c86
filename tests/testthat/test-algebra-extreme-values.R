# Functions that have the given value on [0, 1).
bumps <- function(values) pcf(c(0, 1), lapply(values, function(v) c(v, 0)))

test_that("large values do not overflow", {
  x <- bumps(c(1e300, -4e300, 0))
  for (kernel in kernels) {
    for (p in c(1, 1.5, 2, 3, 7.3, 200, Inf)) {
      for (precision in c("double", "single")) {
        got <- with_settings(pdist(x, p, precision = precision), kernel = kernel)
        expect_near(got, c(5e300, 1e300, 4e300), if (precision == "double") 1e-13 else 1e-5)
      }
    }
    expect_identical(
      with_settings(l2_kernel(x), kernel = kernel),
      rbind(c(Inf, -Inf, 0), c(-Inf, Inf, 0), c(0, 0, 0))
    )
  }
  expect_near(pdist(bumps(c(1e308, -7e307)), 2), 1.7e308)
})

test_that("small values do not vanish", {
  for (unit in c(1e-300, 2^-1060, 2^-1074)) {
    x <- bumps(c(unit, -4 * unit, 0))
    for (kernel in kernels) {
      for (p in c(1, 1.5, 2, 3, 7.3, 200, Inf)) {
        got <- with_settings(pdist(x, p), kernel = kernel)
        expect_near(got, c(5, 1, 4) * unit)
        got <- with_settings(pdist(x, p, precision = "single"), kernel = kernel)
        expect_near(got, c(5, 1, 4) * unit, 1e-5)
      }
    }
  }
  x <- bumps(c(2^-500, 2^-530))
  expect_identical(as.vector(l2_kernel(x)), 2^c(-1000, -1030, -1030, -1060))
})

test_that("ordinary functions keep their distances next to huge ones", {
  x <- bumps(c(1e300, 1, 0, 3))
  for (kernel in kernels) {
    for (p in c(1, 1.5, 2, 3, 7.3, Inf)) {
      d <- with_settings(as.matrix(pdist(x, p)), kernel = kernel)
      expect_near(d[2:4, 2:4], as.matrix(dist(c(1, 0, 3))), label = paste(kernel, p))
    }
    k <- with_settings(l2_kernel(x), kernel = kernel)
    expect_near(k[-1, -1], outer(c(1, 0, 3), c(1, 0, 3)), label = paste(kernel, "inner"))
  }
  expect_near(l2_kernel(bumps(1e300), bumps(1e-300)), 1)
})

test_that("values too far apart for one scale are refused", {
  far <- c(1e250, -1e-250)
  lines <- as_plf(pcf(c(0, 1), lapply(far, c, 0)))
  lost <- paste("distances would lose digits, since the largest value is 1e+250 and others are below",
                "2.8e-132: compute them separately")
  for (p in c(1, 1.5, 2, 3)) {
    expect_refusal(pdist(bumps(far), p), "argument", lost)
    expect_refusal(cdist(lines, lines, p), "argument", lost)
    expect_refusal(lp_distance(bumps(far[1]), lines[2], p), "argument", lost)
  }
  expect_identical(as.vector(pdist(bumps(c(far, 0)), Inf)), c(1e250, 1e250, 1e-250))
  expect_near(l2_kernel(bumps(far), bumps(rev(far))), rbind(c(-1, Inf), c(0, -1)))
})

test_that("norms of functions do not depend on the magnitude of others", {
  line <- plf(c(0, 4), c(1, 3))
  values <- c(1e300, 1, 0, -1e-300, 2^-1074)
  x <- do.call(c, lapply(values, function(value) line * value))
  weight <- pcf(c(0, 2), c(2, 0))
  for (p in c(1, 1.5, 2, 3, Inf)) {
    one <- lp_norm(line, p, 0, 4, weight = weight)
    expect_near(lp_norm(x, p, 0, 4, weight = weight), c(1e300, 1, 0, 1e-300, 2^-1074) * one, label = paste(p))
    expect_near(lp_norm(x[-5], p, 0, 4, missing = "mean"),
                c(1e300, 1, 0, 1e-300) * lp_norm(line, p, 0, 4, missing = "mean"), label = paste(p))
  }
  expect_near(integral(x, 0, 4, weight = weight), values * integral(line, 0, 4, weight = weight))
})

test_that("magnitudes cost general p no digits", {
  for (p in c(1.0001, 1.5, 1.7, 2.5, 7.3, 11)) {
    for (unit in 2^c(-299, -120, -31, -3, 0, 5, 54, 240, 298)) {
      x <- bumps(c(1, 2, 3, 1 + 2^-52) * unit)
      d <- with_settings(pdist(x, p), kernel = "sweep")
      expect_near(d, c(1, 2, 2^-52, 1, 1 - 2^-52, 2 - 2^-52) * unit, 1e-15, label = paste(p, unit))
    }
  }
  x <- pcf(list(c(0, 2^250), c(0, 2^-250), c(2^-340, 2^-339)), list(c(3, 0), c(2, 0), c(5, 0)))
  d <- with_settings(pdist(x, 2.5), kernel = "sweep")
  expect_near(d, c(3 * 2^100, 3 * 2^100, 2^-99), 1e-15)
})

test_that("ordinary functions keep their distances next to far times", {
  x <- pcf(list(c(0, 1), c(0, 1), c(0, 1e300)), list(c(1, 0), c(3, 0), c(1, 0)))
  for (kernel in kernels) {
    for (p in c(1, 1.5, 2, 3, 7.3, Inf)) {
      d <- with_settings(pdist(x, p), kernel = kernel)
      expect_near(d, c(2, 1e300^(1 / p), if (p == Inf) 2 else 1e300^(1 / p)), 1e-12)
    }
  }
})

test_that("times may lie as close or as far as doubles allow", {
  close <- pcf(list(c(0, 1e-300, 2e-300), c(0, 1)), list(c(1, 3, 0), c(1, 0)))
  for (kernel in kernels) {
    with_settings(
      {
        for (p in c(1, 2, 3, 7.3)) expect_near(pdist(close, p), 1)
        expect_identical(as.vector(pdist(close, Inf)), 2)
        expect_near(pdist(close, 1, to = 3e-300), 3e-300)
        expect_near(pdist(close, 2, to = 3e-300), sqrt(5e-300))
        expect_near(pdist(close, 3, to = 3e-300), 9^(1 / 3) * 1e-100)
        expect_near(l2_kernel(close, to = 1.5e-300)[1, ], c(5.5e-300, 2.5e-300))
      },
      kernel = kernel
    )
  }
  far <- pcf(list(c(-1e308, 1e308), c(-1e308, 0, 1e308)), list(c(1, 0), c(1.5, 1, 0)))
  for (kernel in kernels) {
    with_settings(
      {
        expect_near(pdist(far, 1), 5e307)
        expect_near(pdist(far, 2), sqrt(0.25e154) * 1e77)
        expect_near(pdist(far, 3), 0.5 * 10^(308 / 3), 1e-12)
        expect_identical(as.vector(pdist(far, Inf)), 0.5)
        expect_near(pdist(far, 1, from = -1.7e308, to = 1.7e308), 5e307)
        expect_identical(as.vector(pdist(far, from = 1e308)), 0)
        expect_identical(l2_kernel(far)[1, 1], Inf)
        expect_near(pdist(far, precision = "single"), 5e307, 1e-5)
      },
      kernel = kernel
    )
  }
  smallest <- pcf(list(c(0, 2^-1074), c(0, 1)), list(c(1, 0), c(0, 0)))
  for (kernel in kernels) {
    expect_identical(with_settings(as.vector(pdist(smallest)), kernel = kernel), 2^-1074)
    expect_identical(with_settings(as.vector(pdist(smallest, 2)), kernel = kernel), 2^-537)
  }
})

test_that("windows may be as wide as doubles allow", {
  x <- pcf(list(0, c(0, 1)), list(1, c(2, 0.5)))
  for (precision in c("double", "single")) {
    expect_near(pdist(x, to = 1.7e308, precision = precision), 0.85e308, 1e-5)
    expect_near(pdist(x, to = 1e30, precision = precision), 5e29, 1e-5)
    got <- pdist(x, 2, from = -1.7e308, to = 1e308, precision = precision)
    expect_near(got, 0.5e154, 1e-5)
  }
  expect_identical(as.vector(pdist(x, from = -1e308, to = -1e307)), 0)
})

test_that("the signs of zeros do not matter", {
  x <- pcf(list(c(-0, 1), c(0, 1), c(-1, -0, 1)), list(c(-0, 0), c(0, -0), c(0, -0, 0)))
  for (kernel in kernels) {
    for (p in list(1, 2, 3, 7.3, Inf, "inner")) {
      got <- with_settings(half_matrix(x, p, from = -0), kernel = kernel)
      expect_true(all(got == 0))
    }
  }
})

test_that("cancellation leaves only rounding", {
  x <- pcf(
    list(c(0, 1 / 3, 1), c(0, 2 / 3, 1)), list(c(1e8 + 0.1, 1e8, 0), c(1e8, 1e8 + 0.1, 0))
  )
  expect_near(pdist(x), oracle_matrix(x)[2, 1])
  expect_near(pdist(x, 2), oracle_matrix(x, p = 2)[2, 1])
})

test_that("small numbers keep their digits next to huge times, values and windows", {
  widest <- .Machine$double.xmax
  for (kernel in kernels) {
    for (p in c(1, 1.3, 2, 3, Inf)) {
      for (unit in c(1e-3, 1e-16, 1e-60)) {
        x <- pcf(lapply(c(3 * unit, unit, 1e306), function(end) c(0, end)), rep(list(1:0), 3))
        want <- if (p == Inf) 1 else (2 * unit)^(1 / p)
        d <- with_settings(pdist(x[1:2], p, to = widest), kernel = kernel)
        expect_near(as.vector(d), want, 1e-12, label = paste(kernel, p, unit))
        d <- with_settings(as.matrix(pdist(x, p)), kernel = kernel)
        expect_near(d[2, 1], want, 1e-12, label = paste(kernel, p, unit, "far"))
        y <- bumps(c(3 * unit, unit, 1e306))
        d <- with_settings(as.matrix(pdist(y, p)), kernel = kernel)
        expect_near(d[2, 1], 2 * unit, 1e-12, label = paste(kernel, p, unit, "tall"))
      }
    }
  }
})

test_that("single precision does not lose values that are small beside others", {
  f <- pcf(c(0, 1), c(1, 1e-50))
  for (kernel in kernels) {
    with_settings(
      {
        k <- maybe_infinite(l2_kernel(rep(f, 40), precision = "single"))
        expect_identical(k[2, 1], Inf)
        for (p in c(1, 1.5, 2, 3)) {
          d <- as.matrix(pdist(c(rep(f, 40), pcf(0, 0)), p, precision = "single"))
          expect_identical(d[41, 1], Inf, label = paste(kernel, p))
          x <- pcf(list(c(0, 1e-12, 1), c(0, 1e-12), c(0, 1)), list(c(1e-17, 0, 0), 0:1, 1:0))
          d <- as.matrix(pdist(c(x, pcf(0, 0)), p, to = 1, precision = "single"))
          expect_near(d[4, 1], 1e-17 * 1e-12^(1 / p), 1e-5, label = paste(kernel, p, "narrow"))
        }
      },
      kernel = kernel
    )
  }
})

test_that("the limit of large exponents is the supremum", {
  x <- pcf(list(c(0, 1, 3), c(0, 2), c(0, 1e-3, 1)), list(c(3, 49.3, 0), 1:0, c(83.7, 1, 0)))
  y <- c(x, pcf(0, 1))
  for (kernel in kernels) {
    for (p in c(1e9, 1e10, 1e15, 1e19, 1e100, .Machine$double.xmax)) {
      for (precision in c("double", "single")) {
        tolerance <- if (precision == "double") 1e-7 / min(p / 1e9, 1e6) else 1e-6
        label <- paste(kernel, p, precision)
        d <- with_settings(pdist(x, p, precision = precision), kernel = kernel)
        expect_near(as.vector(d), as.vector(pdist(x, Inf)), tolerance, label = label)
        d <- with_settings(as.matrix(pdist(y, p, precision = precision)), kernel = kernel)
        expect_identical(unname(d[4, 1:3]), rep(Inf, 3), label = label)
      }
    }
  }
})

test_that("windows may be narrow beside the times", {
  f <- pcf(c(-1, 1e100), 1:0)
  g <- pcf(c(-1, 1e300), 1:0)
  h <- pcf(c(-1e300, 1e-200, 1e300), c(2, 3, 0))
  zero <- pcf(0, 0)
  for (kernel in kernels) {
    for (p in c(1, 1.3, 2, 3)) {
      with_settings(
        {
          label <- paste(kernel, p)
          d <- pdist(c(f, zero), p, from = 0, to = 1e-320)
          expect_near(as.vector(d), 1e-320^(1 / p), 1e-13, label = label)
          d <- pdist(c(g, zero), p, from = 0, to = 1e-150)
          expect_near(as.vector(d), 1e-150^(1 / p), 1e-13, label = label)
          d <- pdist(c(g, h), p, from = -1e-200, to = 3e-200)
          want <- (1 * 2 + 2^p * 2)^(1 / p) * 1e-200^(1 / p)
          expect_near(as.vector(d), want, 1e-13, label = label)
          d <- pdist(c(f, zero), p, to = 1e-320)
          expect_near(as.vector(d), 1, 1e-13, label = label)
          d <- pdist(c(g, zero), p, from = 1e-320)
          expect_near(as.vector(d), 1e300^(1 / p), 1e-13, label = label)
        },
        kernel = kernel
      )
    }
  }
  expect_near(lp_distance(f, zero, 3, from = 0, to = 1e-320), 1e-320^(1 / 3))
})

test_that("suprema are never -0 and do not miss narrow stretches", {
  x <- pcf(list(0, 0, 0), list(-5e-324, 5e-324, 1e308))
  narrow <- pcf(list(c(0, 5e-324), c(0, 5e-324), c(0, 1)), list(1:0, c(2, 0), c(3, 0)))
  for (kernel in kernels) {
    with_settings(
      {
        for (order in list(1:3, c(2, 1, 3), 3:1)) {
          d <- as.matrix(pdist(x[order], Inf))
          expect_true(all(1 / d > 0))
          expect_identical(unname(d), unname(t(d)))
          full <- cdist(x[order], x[order], Inf)
          expect_true(all(1 / full > 0))
        }
        expect_identical(as.vector(pdist(narrow, Inf)), c(1, 3, 3), label = kernel)
        expect_identical(as.vector(cdist(narrow[1], narrow[2], Inf)), 1, label = kernel)
      },
      kernel = kernel
    )
  }
})
