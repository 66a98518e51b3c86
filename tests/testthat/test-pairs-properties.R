exponents <- c(1, 1.5, 2, 3, 7.3, Inf)

# Random collections of which all functions come to 0.
ending_pcf <- function(seed) {
  x <- c(random_pcf(15, seed = seed), tied_pcf(15, seed = seed))
  clipped(c(x, paper_pcf(5, 50, seed = seed)), -5, 12)
}

for_seeds <- function(body) for (seed in 1:4) body(ending_pcf(seed))

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
    for (p in exponents) {
      expect_same <- if (p %in% c(1, 2, Inf)) expect_identical else expect_near
      expect_same(half_matrix(wide, p), half_matrix(x, p) * 2^(10 / p))
      triple <- map_pcf(x, times = function(t) 3 * t)
      expect_near(half_matrix(triple, p), half_matrix(x, p) * 3^(1 / p), 1e-12)
    }
    expect_identical(l2_kernel(wide), l2_kernel(x) * 2^10)
  })
})

test_that("exponents next to 1 and 2 give nearly the same", {
  x <- ending_pcf(3)
  for (p in c(1, 2, 3)) {
    expect_near(half_matrix(x, p * (1 + 1e-15)), half_matrix(x, p), 1e-12)
  }
})
