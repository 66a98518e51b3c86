# The workload by its definition, function by function in the stream of random numbers.
rough_by_definition <- function(n, lengths) {
  m <- sample(lengths, n, replace = TRUE)
  functions <- lapply(m, function(m) {
    times <- sort(abs(rnorm(m))) * abs(rnorm(1))
    times[1] <- 0
    cbind(time = times, value = c(rnorm(m - 1), 0))
  })
  as_pcf(functions)
}

test_that("rpcf() draws the workload", {
  expect_identical(with_seed(1, rpcf(20)), with_seed(1, rough_by_definition(20, 10:999)))
  expect_identical(with_seed(2, rpcf(50, 1:3)), with_seed(2, rough_by_definition(50, 1:3)))
  x <- with_seed(3, rpcf(30, 7))
  expect_identical(unname(lengths(unclass(x))), rep(14L, 30))
})

test_that("rpcf() goes on in chunks", {
  n <- 30
  expect_identical(
    with_seed(1, rpcf(n, c(70000, 70001))),
    with_seed(1, rough_by_definition(n, c(70000, 70001)))
  )
})

test_that("noisy waves are waves with noise, at sorted times", {
  for (wave in list(sin, cos)) {
    kind <- if (identical(wave, sin)) "sine" else "cosine"
    x <- with_seed(1, rpcf(200, 30, kind, sd = 0.2))
    f <- do.call(rbind, unclass(x))
    last <- cumsum(lengths(unclass(x)) / 2)
    expect_identical(unname(f[last, "value"]), numeric(200))
    expect_identical(unname(f[last - 29, "time"]), numeric(200))
    expect_true(all(f[, "time"] >= 0 & f[, "time"] < 1))
    noise <- f[-last, "value"] - wave(2 * pi * f[-last, "time"])
    expect_lt(abs(mean(noise)), 0.02)
    expect_lt(abs(sd(noise) - 0.2), 0.01)
    expect_identical(check_functions(x), x)
    exact <- unclass(with_seed(1, rpcf(1, 30, kind, sd = 0)))[[1]]
    expect_identical(exact[-30, "value"], wave(2 * pi * exact[-30, "time"]))
  }
})

test_that("counting processes count", {
  x <- with_seed(1, rcounting(2000, rate = c(0.5, 2), to = 3))
  expect_identical(check_functions(x), x)
  counts <- vapply(unclass(x), function(f) f[nrow(f), "value"], 0)
  for (k in 1:2) {
    mine <- counts[seq(k, 2000, 2)]
    expect_lt(abs(mean(mine) - c(1.5, 6)[k]), 0.25)
    expect_lt(abs(var(mine) - c(1.5, 6)[k]), 0.8)
  }
  counts_up <- function(f) {
    identical(unname(f[, "value"]), as.double(seq_len(nrow(f)))) && f[1, "time"] > 0 && f[nrow(f), "time"] <= 3
  }
  expect_true(all(vapply(unclass(x)[counts > 0], counts_up, NA)))
  expect_true(any(counts == 0))
  expect_identical(x[which(counts == 0)[1]], pcf(0, 0))
  expect_identical(rcounting(2, rate = 0), rep(pcf(0, 0), 2))
})

test_that("generators are reproducible and take n = 0", {
  waves <- list(function(n) rpcf(n, kind = "sine"), function(n) rpcf(n, kind = "cosine"))
  for (draw in c(rpcf, waves, rcounting)) {
    expect_identical(with_seed(5, draw(3)), with_seed(5, draw(3)))
    expect_false(identical(with_seed(5, draw(3)), with_seed(6, draw(3))))
    expect_identical(draw(0), unname(example_pcf()[0]))
    expect_null(names(draw(2)))
  }
})

test_that("functions with equal times are drawn again", {
  calls <- 0
  m <- c(2, 3, 4)
  x <- random_functions(m, function(m) {
    calls <<- calls + 1
    times <- sequence(m)
    if (calls < 3) times[cumsum(m)[1]] <- times[cumsum(m)[1] - 1]
    list(times = times, values = rep(calls, sum(m)))
  })
  expect_identical(calls, 3)
  expect_identical(unname(lengths(unclass(x))), 2L * 2:4)
  expect_identical(vapply(unclass(x), function(f) f[[1, 2]], 0), c(3, 1, 1))
  expect_identical(check_functions(x), x)
})

test_that("functions of a million breakpoints have distinct times", {
  expect_identical(anyDuplicated(with_seed(1, uniform_times(1e6))), 0L)
  expect_identical(with_seed(1, uniform_times(c(3, 1e5))), with_seed(1, runif(100003)))
})

test_that("wrong arguments are errors", {
  refused(rpcf(-1), "n", "must be a whole number of at least 0, not -1.")
  refused(rpcf("a"), "n", 'must be a whole number of at least 0, not "a".')
  refused(rpcf(2, breakpoints = 0), "breakpoints", "must be whole numbers of at least 1, not 0.")
  refused(rpcf(2, breakpoints = c(1.5, 2)), "breakpoints",
          "must be whole numbers of at least 1, not a double vector of length 2.")
  refused(rpcf(2, breakpoints = numeric()), "breakpoints",
          "must be whole numbers of at least 1, not a double vector of length 0.")
  refused(rpcf(2, kind = "sine", sd = -1), "sd", "must be at least 0 and finite, not -1.")
  refused(rpcf(2, kind = "cosine", sd = NA), "sd", "must be a number, not NA.")
  refused(rpcf(2, kind = "sine", breakpoints = "many"), "breakpoints",
          'must be whole numbers of at least 1, not "many".')
  refused(rpcf(2, kind = "tangent"), "kind", 'must be one of "rough", "sine", "cosine", not "tangent".')
  refused(rpcf(2, sd = 1), "sd", 'is the noise of waves, and `kind` is "rough".')
  refused(rcounting(2, rate = -1), "rate", "must be finite numbers of at least 0, not -1.")
  refused(rcounting(2, rate = NA), "rate", "must be finite numbers of at least 0, not NA.")
  refused(rcounting(2, rate = numeric()), "rate",
          "must be finite numbers of at least 0, not a double vector of length 0.")
  refused(rcounting(2, to = 0), "to", "must be positive and finite, not 0.")
  refused(rcounting(2, to = Inf), "to", "must be positive and finite, not Inf.")
  refused(rcounting(1, rate = 1e5, to = 1e308), "rate", "must give at most 2e+09 events, and gives Inf up to `to`.")
  refused(rpcf(2, kind = "sine", sd = 1e308), "sd", "must be at most 1e+300, not 1e+308.")
})

test_that("rates are for all functions, or one for each", {
  expect_length(rcounting(3, rate = 1:3), 3)
  refused(rcounting(2, rate = 1:3), "rate", "must have a length that divides `n`, 2, not 3.")
  refused(rpoisson_points(4, rate = 1:3), "rate", "must have a length that divides `n`, 4, not 3.")
})
