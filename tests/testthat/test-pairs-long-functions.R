# What threads share of a function ends every 4,096, 8,192 and 65,536 breakpoints, and what is done at these
# ends depends on the breakpoints before. Operations on functions of such lengths, beside plain R.

# How many breakpoints functions have: just as many, one more or less, several times as many, and few.
some_lengths <- c(8192, 4096, 4097, 1, 1500, 8191, 2, 24581)
other_lengths <- c(1, 4096, 4096, 8201, 1500, 3, 8192, 24581)

# Whole times and a few small values, so that many are equal; a part of the values is not observed, and
# for long at the first ends of portions.
long_pcf <- function(lengths, gaps = 0, seed = 1) {
  with_seed(seed, {
    pcf(lapply(lengths, function(m) cumsum(sample(1:3, m, replace = TRUE)) - 5), lapply(lengths, function(m) {
      values <- sample(-3:3, m, replace = TRUE)
      if (gaps > 0) values[runif(m) < gaps | seq_len(m) %in% c(8100:8300, 16380:16386)] <- NA
      values
    }))
  })
}

# The same with a first time of -Inf.
from_ever <- function(x) {
  pcf(lapply(unclass(x), function(f) c(-Inf, f[-1, 1])), lapply(unclass(x), function(f) f[, 2]))
}

functions_of <- function(matrices) {
  new_pcf(lapply(matrices, function(f) cbind(time = unname(f[, 1]), value = unname(f[, 2]))))
}

simplified <- function(f) {
  f <- f[!equal_or_missing(c(0, f[-nrow(f), 2]), f[, 2]), , drop = FALSE]
  if (nrow(f) == 0) cbind(time = 0, value = 0) else f
}

for_threads <- function(check) for (threads in c(1, 3)) check(threads)

test_that("operators combine long functions", {
  x <- long_pcf(some_lengths)
  y <- long_pcf(other_lengths, seed = 2)
  cases <- list(
    list(x, y), list(x, x), list(x, map_pcf(x, function(t) 2 * t)),
    list(long_pcf(some_lengths, 0.3), y), list(x, from_ever(long_pcf(other_lengths, 0.3))), list(x, 2)
  )
  for (case in cases) {
    for (operator in setdiff(operators, c("/", "^", "%%", "%/%"))) {
      expected <- without_zero_starts(combined_oracles(case[[1]], case[[2]], operator))
      for_threads(function(threads) {
        result <- with_settings(match.fun(operator)(case[[1]], case[[2]]), threads = threads)
        expect_identical(result, expected, label = operator)
      })
    }
  }
})

test_that("long functions are simplified, and it is found where they are observed", {
  for (x in list(long_pcf(some_lengths), long_pcf(some_lengths, 0.4), from_ever(long_pcf(some_lengths, 0.4)))) {
    constant <- map_pcf(x[8], values = function(v) replace(v, 8000:16500, 2))
    x <- c(x, constant, 0 * x[1])
    simple <- functions_of(lapply(unclass(x), simplified))
    known <- functions_of(lapply(unclass(x), function(f) {
      begins <- f[[1, 1]] > -Inf
      simplified(cbind(c(if (begins) -Inf, f[, 1]), c(if (begins) 1, !is.na(f[, 2]))))
    }))
    for_threads(function(threads) {
      expect_identical(drop_redundant(x, threads), simple)
      expect_identical(observed(x, threads), known)
    })
  }
})

test_that("long functions are restricted", {
  x <- long_pcf(some_lengths)
  ends <- c(-Inf, -100, -5, -3:3, 2.5, 8000, 16384, 12345.5, 1e6, Inf)
  restricted <- function(f, from, to) {
    inside <- f[f[, 1] >= from & f[, 1] < to, , drop = FALSE]
    if (f[[1, 1]] < from && !from %in% f[, 1]) inside <- rbind(c(from, values_at(f, from)), inside)
    if (to < Inf) rbind(inside, c(to, 0)) else inside
  }
  for (from in ends) {
    for (to in ends[ends > from]) {
      expected <- functions_of(lapply(unclass(x), restricted, from, to))
      for_threads(function(threads) expect_identical(restrict(x, from, to, threads), expected))
    }
  }
})

# When functions first reach levels, by definition.
long_crossing_oracle <- function(f, levels, falling) {
  known <- !is.na(f[, 2])
  reaches <- function(value, level) if (falling) value <= level else value >= level
  begins <- any(known) && (if (falling) f[known, 2][1] <= 0 else f[known, 2][1] >= 0) && f[[1, 1]] > -Inf
  vapply(levels, function(level) {
    k <- which(known & reaches(f[, 2], level))[1]
    if (begins && reaches(0, level)) -Inf
    else if (is.na(k) || k > which(known)[1] && !known[k - 1]) NA_real_
    else f[[k, 1]]
  }, 0)
}

test_that("long monotone functions reach levels, and their inverses are when they do", {
  for (falling in c(FALSE, TRUE)) {
    for (first in 1:2) {
      x <- long_pcf(some_lengths, 0.2, seed = 3)
      x <- map_pcf(x, values = function(v) {
        known <- !is.na(v)
        v[known] <- cumsum(abs(v[known]) %% 3) - 2
        if (falling) 1 - v else v
      })
      if (first == 2) x <- from_ever(x)
      levels <- c(seq(-40, 40, 0.5), 777, -777, 5000.5, -5000.5)
      expected <- t(vapply(unclass(x), long_crossing_oracle, levels, levels, falling))
      y <- inverse(x, falling)
      for_threads(function(threads) {
        times <- crossing_time(x, levels, decreasing = falling, tolerance = 0, threads = threads)
        expect_identical(times, unname(expected))
        expect_identical(inverse(x, falling, threads = threads), y)
      })
      for (i in which(some_lengths > 1)) {
        g <- unclass(y)[[i]]
        middle <- unname((g[-nrow(g), 1] + g[-1, 1])[-1]) / 2
        middle <- middle[seq(1, length(middle), length.out = min(300, length(middle)))]
        expect_identical(g[[1, 1]], -Inf)
        expect_identical(g[c(1, nrow(g)), 2], c(NA_real_, NA_real_))
        expect_true(all(diff(g[, 1]) > 0))
        expect_identical(unname(values_at(g, middle)), long_crossing_oracle(unclass(x)[[i]], middle, falling))
      }
    }
  }
})

# Step functions as lines, which jump at each breakpoint.
as_jumps <- function(x) {
  plf(lapply(unclass(x), function(f) f[, 1]), lapply(unclass(x), function(f) f[, 2]),
      left = lapply(unclass(x), function(f) c(0, f[-nrow(f), 2])))
}

test_that("long lines have the levels of step functions where they jump", {
  for (falling in c(FALSE, TRUE)) {
    x <- map_pcf(long_pcf(some_lengths, 0.2, seed = 3), values = function(v) {
      known <- !is.na(v)
      v[known] <- cumsum(abs(v[known]) %% 3)
      if (falling) 1e4 - v else v - 2
    })
    x <- x[some_lengths > 1]
    lines <- as_jumps(x)
    levels <- c(seq(-40, 40, 0.5), 777, 5000.5, 8888)
    for (flat in c("start", "middle")) {
      expected <- crossing_time(x, levels, falling, tolerance = 0, flat = flat)
      for_threads(function(threads) {
        expect_identical(crossing_time(lines, levels, falling, tolerance = 0, flat = flat, threads = threads), expected)
      })
    }
    between <- seq(-1.5, 9999.5, 1)
    expected <- evaluate(inverse(x, falling), between)
    for_threads(function(threads) {
      expect_identical(evaluate(inverse(lines, falling, threads = threads), between), expected)
    })
  }
})

test_that("long functions have norms and integrals", {
  complete <- long_pcf(c(some_lengths, 65536, 65537, 70001))
  ever <- from_ever(fill_missing(long_pcf(some_lengths, 0.3), 0))
  gaps <- long_pcf(some_lengths, 0.3)
  collections <- list(
    error = c(complete, ever, map_pcf(complete[8], values = function(v) exp(50 * v))),
    overlap = c(gaps, from_ever(gaps))
  )
  for (missing in names(collections)) for (window in list(c(-1, 1e6), c(100.5, 16000), c(20000, 20001))) {
    for (p in list(1, 2, 1.5, 7.3, 40, Inf, "integral")) {
      x <- collections[[missing]]
      measure <- function(x, ...) measure_of(x, p, window[1], window[2], missing, ...)
      expected <- vapply(unclass(x), measure_oracle, 0, p, window[1], window[2])
      result <- measure(x, threads = 1)
      expect_near(result, expected, 1e-13, if (p == "integral") measure(abs(x)) else abs(expected))
      expect_identical(measure(x, threads = 3), result)
      expect_identical(measure(rev(x)), rev(result))
    }
  }
})

test_that("many or long functions have their values at many times", {
  crowded <- c(sort(rep(0:99, 4)) / 4, 40 + 1e-9 * 0:199)
  beside <- seq(0, 100, 0.25)
  cases <- list(
    list(long_pcf(some_lengths), seq(-10, 60000, length.out = 2500)),
    list(long_pcf(24581), seq(-10, 60000, length.out = 3000)),
    list(paper_pcf(4205, 12), seq(0, 3, length.out = 1030)),
    list(random_pcf(35, 12), c(-Inf, seq(-3, 10, length.out = 1024), Inf)),
    list(long_pcf(rep(c(1, 20, 300), 20)), crowded),
    list(long_pcf(rep(c(1, 20, 300), 20)), beside * (1 + 2^-52)),
    list(long_pcf(rep(c(1, 20, 300), 20)), beside * (1 - 2^-53))
  )
  for (case in cases) {
    expected <- values_by_definition(case[[1]], case[[2]])
    for_threads(function(threads) expect_identical(evaluate(case[[1]], case[[2]], threads = threads), expected))
  }
})

test_that("columns of long functions go out and back", {
  x <- long_pcf(c(1, 65535, 65536, 65537, 3, 200000, 1), 0.3)
  for_threads(function(threads) {
    expect_identical(shift_time(shift_time(x, 7, threads), -7, threads), x)
    expect_identical(with_settings(-(-x), threads = threads), x)
  })
  expect_identical(shift_time(x, 7), map_pcf(x, function(t) t + 7))
})

test_that("it is found where long functions change their direction", {
  rising <- lapply(some_lengths, function(m) cbind(time = seq_len(m), value = (seq_len(m) + 1) %/% 3))
  with_values <- function(i, positions, value, unseen = integer()) {
    f <- rising
    f[[i]][positions, 2] <- value
    f[[i]][unseen, 2] <- NA
    new_pcf(f)
  }
  first_fault <- function(call) {
    error <- expect_error(call, class = "pcfdist_error_x")
    c(error$index, error$position)
  }
  for_threads(function(threads) {
    for (position in c(3, 8192, 8193, 8194, 16385, 24581)) {
      x <- with_values(8, position, -100, seq(2, position - 1))
      expect_identical(first_fault(inverse(x, FALSE, threads = threads)), c(8, position))
      expect_identical(first_fault(inverse(c(x, x[6:8]), FALSE, threads = threads)), c(8, position))
      expect_identical(first_fault(inverse(c(x[1:4], rev(x)), TRUE, threads = threads)), c(1, 2))
      expect_identical(first_fault(inverse(as_jumps(x), FALSE, threads = threads)), c(8, position))
    }
    # The first and the last value that are observed tell.
    x <- with_values(8, 24580, -1, 24581)
    expect_identical(first_fault(crossing_time(c(x, x), 1, threads = threads)), c(8, 24580))
    expect_identical(first_fault(crossing_time(c(x[5:7], x), 1, threads = threads)), c(11, 24580))
  })
})
