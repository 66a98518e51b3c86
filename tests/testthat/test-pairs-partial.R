# Functions that are known only in part, whose values may be NA and whose first time may be
# -Inf: evaluation, algebra and what changes each function.

partial <- c(random_partial_pcf(40), random_partial_pcf(16, most = 2, seed = 2))
probes <- c(-Inf, -10, seq(-3, 10, 0.25), 20, Inf)

expect_plain_na <- function(x) {
  testthat::expect_false(any(is.nan(unlist(unclass(x)))))
}

test_that("values are NA where functions are not observed", {
  expect_identical(evaluate(partial, probes), values_by_definition(partial, probes))
  expect_identical(as.matrix(partial, rev(probes)), values_by_definition(partial, rev(probes)))
  many <- rep(partial, 60)
  times <- c(-Inf, sort(runif(500, -4, 11)), Inf)
  expect_identical(evaluate(many, times, threads = 3), values_by_definition(many, times))
  expect_identical(evaluate(many, times[2:3]), values_by_definition(many, times[2:3]))
  expect_plain_na(list(evaluate(many, times)))
})

test_that("a result is NA where one of two functions is", {
  x <- partial
  y <- c(rev(partial[-1]), random_pcf(1))
  for (operator in operators) {
    left <- if (operator %in% c("^", "%%", "%/%")) at_least_one(x) else x
    right <- if (operator %in% c("/", "^", "%%", "%/%")) combine_starts(left, at_least_one(y)) else y
    actual <- match.fun(operator)(left, right)
    expect_identical(actual, without_zero_starts(combined_oracles(left, right, operator)), label = operator)
    expect_plain_na(actual)
  }
})

test_that("a number meets the observed values alone", {
  for (operator in operators) {
    expected <- without_zero_starts(combined_oracles(partial, 2, operator))
    expect_identical(match.fun(operator)(partial, 2), expected, label = operator)
  }
  expect_identical((partial^0)[[8]], partial[[8]])
  expect_identical((1^partial)[[8]], partial[[8]])
  expect_identical(check_functions(partial * 0), partial * 0)
})

test_that("0 & NA is 0 and 1 | NA is 1", {
  f <- pcf(0:3, c(0, 1, NA, 2))
  unknown <- pcf(c(-Inf, 4), c(NA, 0))
  expect_identical(f & unknown, pcf(0:4, c(0, NA, NA, NA, 0)))
  expect_identical(f | unknown, pcf(c(-Inf, 0:4), c(NA, NA, 1, NA, 1, 1)))
})

test_that("a result begins at -Inf only where it is not 0 there", {
  f <- pcf(c(-Inf, 0, 2), c(1, 3, 0))
  expect_identical(f - f, pcf(c(0, 2), c(0, 0)))
  expect_identical(f + pcf(1, 1), pcf(c(-Inf, 0, 1, 2), c(1, 3, 4, 1)))
  expect_identical(pcf(-Inf, 2) * 0, pcf(0, 0))
  expect_identical(!f, pcf(c(0, 2), c(0, 1)))
  expect_identical(f * pcf(c(-Inf, 5), c(NA, 1)), pcf(c(-Inf, 0, 2, 5), c(NA, NA, NA, 0)))
})

test_that("mathematics keeps what is missing", {
  for (change in list(abs, exp, sign, round, function(v) -v, cos)) {
    changed <- change(partial)
    expect_identical(changed, without_zero_starts(map_pcf(partial, values = change)))
    expect_plain_na(changed)
  }
  expect_error(log(pcf(0:2, c(NA, 1, -1))), class = "pcfdist_error_values")
  expect_error(pcf(0:2, c(NA, 1, 0)) / pcf(0, 0), class = "pcfdist_error_values")
  expect_error(
    pcf(c(-Inf, 0), c(1, 2)) / pcf(0, 1), "`/` must give finite values: .* at the time -Inf"
  )
})

test_that("neighbours that are missing merge", {
  expect_identical(drop_redundant(pcf(0:5, c(0, NA, NA, 1, 1, NA))), pcf(c(1, 3, 5), c(NA, 1, NA)))
  expect_identical(drop_redundant(pcf(c(-Inf, 0, 1), c(0, 0, NA))), pcf(1, NA))
  expect_identical(drop_redundant(pcf(c(-Inf, 0), c(2, 2))), pcf(-Inf, 2))
  expect_identical(drop_redundant(pcf(-Inf, 0)), pcf(0, 0))
})

test_that("functions are equal where both are unknown", {
  expect_identical(partial == partial, rep(TRUE, length(partial)))
  expect_identical(unique(c(partial, partial)), unique(partial))
  expect_identical(duplicated(c(partial, partial))[-seq_along(partial)], rep(TRUE, 56))
  expect_false(pcf(0:1, c(1, NA)) == pcf(0:1, c(1, 0)))
  expect_true(pcf(c(-Inf, 0, 1), c(NA, NA, 2)) == pcf(c(-Inf, 1), c(NA, 2)))
  expect_false(pcf(c(-Inf, 1), c(NA, 2)) == pcf(1, 2))
})

test_that("windows keep what is missing and are 0 outside", {
  for (window in list(c(-Inf, Inf), c(-Inf, 3), c(2, Inf), c(0, 1), c(-100, 100), c(20, 30))) {
    cut <- restrict(partial, window[1], window[2])
    inside <- probes >= window[1] & probes < window[2]
    inside[length(probes)] <- window[2] == Inf
    expected <- values_by_definition(partial, probes)
    expected[, !inside] <- 0
    expect_identical(evaluate(cut, probes), expected)
    expect_identical(check_functions(cut), cut)
  }
})

test_that("times move and a start at -Inf stays", {
  expect_identical(shift_time(partial, 2), map_pcf(partial, times = function(t) t + 2))
  expect_identical(scale_time(partial, 0.5), map_pcf(partial, times = function(t) t * 0.5))
  expect_error(shift_time(pcf(-1e308, 1), -1e308), class = "pcfdist_error_by")
  expect_error(scale_time(pcf(c(-Inf, -1e308), c(NA, 1)), 100), class = "pcfdist_error_by")
})

test_that("rectangles show gaps and starts", {
  f <- pcf(c(-Inf, 0, 2, 3), c(1, NA, NA, 2))
  g <- pcf(c(1, 4), c(2, NA))
  expect_identical(
    rectangles(f, g),
    data.frame(left = c(-Inf, 0, 1, 3, 4), right = c(0, 1, 3, 4, Inf),
               f = c(1, NA, NA, 2, 2), g = c(0, 0, 2, 2, NA))
  )
  expect_identical(
    rectangles(f, g, from = -1, to = 3.5),
    data.frame(left = c(-1, 0, 1, 3), right = c(0, 1, 3, 3.5),
               f = c(1, NA, NA, 2), g = c(0, 0, 2, 2))
  )
})

test_that("step functions and matrices keep what is known", {
  for (i in seq_len(24)) {
    f <- partial[[i]]
    step <- as.stepfun(f)
    times <- probes[is.finite(probes)]
    expect_identical(step(times), as.vector(evaluate(f, times)))
  }
  expect_identical(as.stepfun(pcf(-Inf, 3))(c(-5, 0, 5)), c(3, 3, 3))
  expect_identical(as.data.frame(pcf(c(-Inf, 1), c(NA, 2)))$time, c(-Inf, 1))
})

test_that("gaps are filled with a number or with the last value", {
  for (value in list(0, -1.5)) {
    filled <- fill_missing(partial, value)
    expected <- values_by_definition(partial, probes)
    expected[is.na(expected)] <- value
    expect_identical(evaluate(filled, probes), expected)
    expect_identical(observed(filled), rep(pcf(-Inf, 1), length(partial)))
  }
  held <- lapply(unclass(partial), function(f) {
    if (f[1, 1] > -Inf && is.na(f[1, 2])) f[1, 2] <- 0
    for (k in seq_len(nrow(f))[-1]) if (is.na(f[k, 2])) f[k, 2] <- f[k - 1, 2]
    f
  })
  expect_identical(fill_missing(partial, "hold"), without_zero_starts(new_pcf(held)))
  expect_identical(fill_missing(random_pcf(9)), random_pcf(9))
  refused(fill_missing(partial, TRUE), "value", 'must be a finite number or "hold", not TRUE.')
  refused(fill_missing(partial, as.Date("2024-01-01")), "value",
          'must be a finite number or "hold", not an object of class <Date> of length 1.')
  refused(fill_missing(partial, NA), "value", 'must be a finite number or "hold", not NA.')
  refused(fill_missing(partial, "last"), "value", 'must be a finite number or "hold", not "last".')
  refused(fill_missing(partial, c(1, 2)), "value",
          'must be a finite number or "hold", not a double vector of length 2.')
  refused(fill_missing(1), "x", "must be a <pcf>, not 1. ", makes_pcf)
})

test_that("summaries count the functions with gaps", {
  x <- pcf(list(c(-Inf, 2), c(0, 1), 3), list(c(NA, 5), c(-2, NA), NA))
  expect_identical(
    c(unclass(summary(x))),
    c(functions = 3, breakpoints = 5, fewest = 1, most = 2, `first time` = 0,
      `last time` = 3, `lowest value` = -2, `highest value` = 5, `with gaps` = 3)
  )
  expect_false("with gaps" %in% names(summary(random_pcf(3))))
  expect_identical(summary(pcf(0, NA))[["lowest value"]], NA_real_)
})
