no_columns <- ", not two columns of numbers, time and value."
for_grids <- " For functions on a grid, one per row, give `times`; use as_pcf(t(x), times = ) for one per column."

test_that("a pcf is returned as it is", {
  x <- example_pcf()
  expect_identical(as_pcf(x), x)
  expect_identical(as_pcf(I(unclass(x))), x)
})

test_that("lists of matrices and data frames are converted", {
  x <- example_pcf()
  matrices <- lapply(unclass(x), unname)
  expect_identical(as_pcf(matrices), x)
  expect_identical(as_pcf(lapply(matrices, as.data.frame)), measured(x))
  swapped <- lapply(unclass(x), function(f) f[, 2:1])
  expect_identical(as_pcf(swapped), x)
  integers <- list(a = cbind(1:2, 3:4))
  expect_identical(as_pcf(integers), pcf(list(a = c(1, 2)), list(c(3, 4))))
  expect_identical(as_pcf(list()), pcf(list(), list()))
})

test_that("dimensions of lists are kept and other attributes dropped", {
  x <- unclass(example_pcf())[c(1, 2, 2, 1)]
  x <- structure(unname(x), dim = c(2, 2), note = "text")
  expect_named(attributes(as_pcf(x)), c("dim", "class"), ignore.order = TRUE)
})

test_that("lists may mix kinds of functions", {
  x <- as_pcf(list(
    a = cbind(0, 1), b = ecdf(c(3, 1, 3, 5)), c = pcf(2, 2), d = stepfun(1, c(0, 4)),
    e = ts(1:2), f = data.frame(time = 1, value = 5)
  ))
  expect_identical(x, c(
    a = pcf(0, 1), b = pcf(c(1, 3, 5), c(0.25, 0.75, 1)), c = pcf(2, 2), d = pcf(1, 4),
    e = measured(pcf(1:3, c(1, 2, NA))), f = measured(pcf(1, 5))
  ))
})

test_that("columns beside time and value are errors", {
  long <- cbind(id = c(1, 1, 2, 2), time = 1:4, value = 1:4)
  twice <- cbind(time = 1:2, value = 3:4, value = 5:6)
  table <- as.data.frame(twice)
  too_many <- function(x, which) {
    refused(as_pcf(x), "x", "is invalid: ", which, ". Keep only time and value, or give one data frame for all ",
            "functions, with `id` for the columns that tell them apart.")
  }
  too_many(long, "it has the column `id` besides time and value")
  too_many(list(long[1:2, -1], as.data.frame(long)), "function 2 has the column `id` besides time and value")
  too_many(cbind(time = 1:2, value = 3:4, 5:6), "it has an unnamed column besides time and value")
  too_many(twice, "it has two columns `value`")
  too_many(list(a = table), 'function 1 ("a") has two columns `value`')
  for (x in list(table, cbind(id = 1, table))) {
    refused(as_pcf(x), "value", 'is "value", but `x` has 2 columns of this name. Rename or remove the others.')
  }
  refused(as_pcf(twice[, 2:3]), "x", "is invalid: it is a matrix (integer) of 2 x 2", no_columns, for_grids)
  refused(as_pcf(data.frame(value = 1:2, value = 3:4, check.names = FALSE)), "x",
          "has the columns value and value, and it is not clear which is the time and which the value: name them with ",
          "`time` and `value`. Long data need `id`, `time` and `value`.")
})

test_that("rows of a matrix with times are functions", {
  grid <- rbind(a = c(1, 2, 0), b = c(3, 1, 0))
  x <- as_pcf(grid, times = c(0, 1, 2.5))
  expect_identical(x, measured(pcf(c(0, 1, 2.5), list(a = c(1, 2, 0), b = c(3, 1, 0)))))
  expect_identical(as_pcf(as.data.frame(grid), times = c(0, 1, 2.5)), x)
  two <- pcf(0:1, list(a = 1:2, b = c(3, 1)))
  expect_identical(as_pcf(grid[, 1:2], times = 0:1), measured(two))
  grid[1, 1] <- NA
  expect_identical(
    as_pcf(grid, times = 0:2, na.rm = TRUE),
    measured(pcf(list(a = 1:2, b = 0:2), list(c(2, 0), c(3, 1, 0))))
  )
})

test_that("step functions are converted, whatever side they are continuous from", {
  knots <- c(1, 2, 4)
  heights <- c(0, 3, 2, 1)
  expect_identical(as_pcf(stepfun(knots, heights)), pcf(knots, heights[-1]))
  left <- stepfun(knots, heights, right = TRUE)
  expect_identical(as_pcf(left), pcf(knots, heights[-1]))
  between <- stepfun(knots, heights, f = 0.25)
  expect_equal(as.matrix(as_pcf(between), times = c(0, 1.5, 3, 5)), rbind(between(c(0, 1.5, 3, 5))))
  expect_identical(as_pcf(stepfun(1, 0:1)), pcf(1, 1))
})

test_that("a left value that is not 0 holds from the start of time, or from `from`", {
  f <- stepfun(1:2, c(5, 3, 0))
  expect_identical(as_pcf(f), pcf(c(-Inf, 1, 2), c(5, 3, 0)))
  expect_identical(as_pcf(stepfun(1:2, c(NA, 3, 0))), pcf(c(-Inf, 1, 2), c(NA, 3, 0)))
  expect_identical(as_pcf(stepfun(1, c(-2, 3), right = TRUE)), pcf(c(-Inf, 1), c(-2, 3)))
  expect_identical(as_pcf(list(a = ecdf(1), b = f)), c(a = pcf(1, 1), b = as_pcf(f)))
  expect_identical(as_pcf(f, from = 0), pcf(0:2, c(5, 3, 0)))
  expect_identical(as_pcf(f, from = 1), pcf(1:2, c(3, 0)))
  expect_identical(as_pcf(f, from = 1.5), pcf(c(1.5, 2), c(3, 0)))
  expect_identical(as_pcf(f, from = 3), pcf(3, 0))
  expect_identical(as_pcf(list(f), from = 0), pcf(0:2, c(5, 3, 0)))
  refused(as_pcf(f, from = -Inf), "from", "must be one finite number, not -Inf.")
  refused(as_pcf(f, from = 1:2), "from", "must be one finite number, not an integer vector of length 2.")
  refused(as_pcf(list(cbind(1, 2)), from = 0), "from", "applies only to step functions, but the list has none.")
})

test_that("time series are held until the next time, and end one period after the last", {
  expect_identical(as_pcf(ts(4:6, start = 2)), measured(pcf(2:5, c(4:6, NA))))
  both <- ts(cbind(a = 1:2, b = 3:4), start = 0)
  expect_identical(as_pcf(both), measured(pcf(0:2, list(a = c(1, 2, NA), b = c(3, 4, NA)))))
  fifths <- ts(1:3, start = 2000, frequency = 5)
  expect_identical(as_pcf(fifths), measured(pcf(2000 + 0:3 / 5, c(1:3, NA))))
  expect_identical(as_pcf(fifths, after = "hold"), measured(pcf(2000 + 0:2 / 5, 1:3), end = FALSE))
  expect_identical(as_pcf(fifths, after = "zero"), measured(pcf(2000 + 0:3 / 5, c(1:3, 0)), end = FALSE))
  expect_identical(as_pcf(ts(1:2, start = 0.25)), measured(pcf(c(0.25, 1.25, 2.25), c(1, 2, NA))))
  for (start in 1949 + 0:20 / 12) {
    part <- window(AirPassengers, start)
    expect_identical(last_times(as_pcf(part)), last_times(as_pcf(AirPassengers)))
  }
  expect_identical(as_pcf(fifths, after = NA), as_pcf(fifths, after = "NA"))
  refused(as_pcf(fifths, after = "last"), "after", 'must be one of "NA", "hold", "zero", not "last".')
})

# Years and periods of a series, as they are counted from 0.
calendar_of <- function(x) {
  periods <- round(tsp(x)[1] * frequency(x)) + seq_along(x) - 1
  list(year = periods %/% frequency(x), period = periods %% frequency(x))
}

test_that("time series have their values at their own calendar times", {
  weeks <- ts(1:3000, start = c(1990, 33), frequency = 52)
  days <- ts(1:9000, start = c(1990, 33), frequency = 365)
  all <- list(
    AirPassengers, co2, datasets::sunspots, ldeaths, nottem, UKgas, presidents, uspop, Nile,
    EuStockMarkets[, 1], weeks, days, ts(1:2400, start = 1900, frequency = 12)
  )
  for (x in all) {
    f <- as_pcf(x)
    values <- as.double(x)
    at <- calendar_of(x)
    if (frequency(x) %in% c(1, 4, 12)) {
      expect_identical(c(evaluate(f, at$year + at$period / frequency(x))), values)
      expect_identical(c(evaluate(f, (at$year * frequency(x) + at$period) / frequency(x))), values)
    }
    expect_identical(c(evaluate(f, time(x))), values)
    held <- as_pcf(x, after = "hold")
    expect_true(measured(pcf(time(x), values), end = FALSE) == held)
  }
  # Between two times, and at the end.
  expect_identical(c(evaluate(as_pcf(AirPassengers), c(1955.5, 1961 - 0.01 / 12, 1961))), c(364, 432, NA))
  weekly <- ts(1:5, start = 19000, deltat = 7)
  expect_identical(as_pcf(weekly), measured(pcf(19000 + 7 * 0:5, c(1:5, NA))))
  between <- ts(1:5, start = 2020.001, frequency = 12)
  expect_identical(evaluate(as_pcf(between), as.vector(time(between))), rbind(as.double(1:5)))
})

# Series of random lengths, starts and frequencies.
random_series <- function(n) {
  with_seed(7, lapply(seq_len(n), function(k) {
    frequency <- sample(c(7, 365, 24, 52, 10, 3, 1, 12, 4, 1 / 7, 365.25), 1)
    periods <- if (frequency > 1) sample(floor(frequency), 1) else 1
    start <- if (k %% 2 == 0) runif(1, -100, 3000) else sample(1900:2050, 1) + (periods - 1) / frequency
    ts(rnorm(sample(5:40, 1)), start = start, frequency = frequency)
  }))
}

test_that("breakpoints of time series are their times, bit for bit", {
  for (s in random_series(60)) {
    times <- as.vector(time(s))
    values <- as.vector(s)
    n <- length(s)
    f <- as_pcf(s)
    held <- as_pcf(s, after = "hold")
    if (!frequency(s) %in% c(4, 12)) expect_identical(as.data.frame(held)$time, c(-Inf, times))
    expect_identical(as.vector(evaluate(f, times, drop = FALSE)), values)
    expect_identical(as.vector(evaluate(as_plf(s), times[-1], drop = FALSE, side = "left")), values[-1])
    expect_identical(is.na(evaluate(f, times[n] + c(0.999, 1.001) / frequency(s))), rbind(c(FALSE, TRUE)))
    both <- cbind(s, lag(s, -1))
    expect_identical(c(evaluate(as_pcf(both), as.vector(time(both)))[1, ]), c(both[, 1]))
    part <- window(s, times[2], times[n - 1])
    expect_identical(c(evaluate(f, time(part), drop = FALSE)), values[2:(n - 1)])
    expect_identical(c(evaluate(as_plf(s), time(part), drop = FALSE, side = "left")), values[2:(n - 1)])
    inside <- restrict(f, times[2], times[n - 1])
    expect_identical(nrow(as.data.frame(inside)), n - 2L)
    expect_equal(integral(f, times[2], times[n - 1]), sum((values[-n] * diff(times))[2:(n - 2)]), tolerance = 1e-12)
  }
})

test_that("series that start at different times have the same times where both are", {
  x <- AirPassengers
  for (k in 1:40) {
    late <- restrict(as_pcf(x), 1949 + k / 12)
    part <- as_pcf(window(x, 1949 + k / 12), before = 0)
    expect_true(part == late)
    expect_identical(pdist(c(part, late))[1], 0)
  }
  expect_identical(lengths(unclass(restrict(as_pcf(x), 1955, 1955 + 1 / 12))), 4L)
})

test_that("missing values of a time series are gaps, or left out", {
  gaps <- ts(c(NA, 1, NA, 2, NA))
  expect_identical(as_pcf(gaps), measured(pcf(2:5, c(1, NA, 2, NA))))
  expect_identical(as_pcf(gaps, na.rm = TRUE), measured(pcf(c(2, 4, 6), c(1, 2, NA))))
  expect_identical(as_pcf(gaps, na.rm = TRUE, after = "hold"), measured(pcf(c(2, 4), 1:2), end = FALSE))
})

test_that("arguments that a method does not have are errors that name them", {
  skip_if_not_installed("survival")
  fit <- survival::survfit(survival::Surv(1:3, c(1, 1, 0)) ~ 1)
  long <- data.frame(id = 1, time = 1:2, value = 3:4)
  unknown <- function(call, what, kind, ...) {
    refused(call, what, "is not an argument of as_pcf() for a ", kind, ...)
  }
  unknown(as_pcf(example_pcf(), foo = 1), "foo", "pcf.")
  unknown(as_pcf(I(example_pcf()), foo = 1), "foo", "pcf.")
  unknown(as_pcf(long, sorted = TRUE), "sorted", "data frame, which takes `id`, `time`, `value`, `sort`, `times`, ",
          "`na.rm`, `start`, `end`, `outside`, `until`, `before`, `repeated`, `gaps`.")
  for (wrong in list(list(which = "upper"), list(time = 3), list(until = "last"))) {
    unknown(do.call(as_pcf, c(list(fit), wrong)), names(wrong), "survfit, which takes `what`, `after`, `min_at_risk`.")
  }
  unknown(as_pcf(cbind(1, 2), foo = 1), "foo", "matrix, which takes `times`, `na.rm`, `before`, `until`, `gaps`.")
  unknown(as_pcf(ecdf(1), na.rm = TRUE), "na.rm", "stepfun, which takes `from`.")
  unknown(as_pcf(ts(1:2), from = 0), "from", "ts, which takes `na.rm`, `after`, `before`, `gaps`.")
  refused(as_pcf(ts(1:2), TRUE, "hold", 0, 3), "...",
          "must be empty in as_pcf() for a ts, which takes `na.rm`, `after`, `before`, `gaps`.")
  convert <- " To pass arguments for the elements, convert each: lapply(x, as_pcf, ...)."
  unknown(as_pcf(list(ecdf(1)), sort = TRUE), "sort", "list, which takes `from`, `gaps`.", convert)
  unknown(as_pcf(list(), foo = 1), "foo", "list, which takes `from`, `gaps`.", convert)
  unknown(as_pcf(list(data.frame(time = 1, value = 2)), before = 0), "before", "list, which takes `from`, `gaps`.",
          convert)
  of_lists <- matrix(list(cbind(0, 1)), 1, 1)
  refused(as_pcf(of_lists, times = 1), "times", "applies only to numeric matrices, but `x` is a list.")
  refused(as_pcf(of_lists, before = 0), "before", "applies only to numeric matrices, but `x` is a list.")
  refused(as_pcf(of_lists, until = 1), "until", "applies only to numeric matrices, but `x` is a list.")
})

test_that("measurements are not observed before the first, or are what they are said to be", {
  values <- c(5, NA, 6)
  long <- data.frame(id = "a", time = 1:3, value = values)
  grid <- rbind(a = values)
  kinds <- list(
    function(...) as_pcf(long, ...), function(...) as_pcf(long[-1], ...),
    function(...) as_pcf(grid, times = 1:3, ...),
    function(...) as_pcf(as.data.frame(grid), times = 1:3, ...),
    function(...) as_pcf(ts(values), after = "hold", ...),
    function(...) as_pcf(zoo::zoo(values, 1:3), ...)
  )
  if (!requireNamespace("zoo", quietly = TRUE)) kinds <- kinds[-6]
  for (read in kinds[-5]) {
    expect_identical(unname(read()), measured(pcf(1:3, values)))
    expect_identical(unname(read(until = Inf)), pcf(c(-Inf, 1:3), c(NA, values)))
    expect_identical(unname(read(before = 2, until = "last")), pcf(c(-Inf, 1:3, next_time(3)), c(2, values, NA)))
    expect_identical(unname(read(until = 2.5)), pcf(c(-Inf, 1, 2, 2.5), c(NA, 5, NA, NA)))
    expect_identical(unname(read(until = 4)), pcf(c(-Inf, 1:4), c(NA, values, NA)))
  }
  expect_identical(kinds[[5]](), pcf(c(-Inf, 1:3), c(NA, values)))
  for (read in kinds) {
    expect_identical(unname(read(before = NA_real_)), unname(read()))
    expect_identical(unname(read(before = 0)), pcf(1:3, values))
    expect_identical(unname(read(before = 0L, na.rm = TRUE)), pcf(c(1, 3), 5:6))
    expect_identical(unname(read(before = 2)), pcf(c(-Inf, 1:3), c(2, values)))
    for (wrong in list(Inf, "zero", NULL)) {
      refused(read(before = wrong), "before", "must be NA or a finite number, not ", deparse(wrong), ".")
    }
  }
})

test_that("rows with the time -Inf say what is before the others", {
  long <- data.frame(id = c("a", "a", "b"), time = c(-Inf, 1, 2), value = c(7, 1, 2))
  for (before in c(NA, 3)) {
    x <- pcf(list(a = c(-Inf, 1), b = c(-Inf, 2)), list(c(7, 1), c(before, 2)))
    expect_identical(as_pcf(long, before = before, until = Inf), x)
  }
  expect_identical(as_pcf(long, before = 0)["b"], pcf(list(b = 2), list(2)))
})

test_that("a series means the same alone and beside others", {
  series <- list(early = ts(1:4, start = 2), late = ts(5:6, start = 4), gap = ts(c(7, NA, 8), start = 1))
  both <- as_pcf(cbind(early = series$early, late = series$late))
  expect_identical(evaluate(both, c(1.9, 2, 4)), rbind(early = c(NA, 1, 3), late = c(NA, NA, 5)))
  for (after in c("NA", "hold", "zero")) {
    for (before in c(NA, 0, 2)) {
      alone <- do.call(c, lapply(series, as_pcf, after = after, before = before))
      expect_identical(as_pcf(do.call(cbind, series), after = after, before = before), alone)
    }
  }
  # A series without a value has none, and NaN is an error wherever it is.
  expect_identical(evaluate(as_pcf(ts(c(NA, NA, NA))), 2), NA_real_)
  expect_error(as_pcf(ts(c(1, 2, NaN))), class = "pcfdist_error_x")
})

test_that("`before` is for measurements", {
  segments <- data.frame(start = 0, end = 1, value = 2)
  refused(as_pcf(segments, start = "start", end = "end", before = 0), "before", "cannot be used with segments, with ",
          "`start` and `end`. Use `outside` for the value outside the segments, including before the first.")
  refused(as_pcf(cbind(1:2, 3:4), before = NA), "before", "applies only to measurements: a matrix with `times`, a ",
          "data frame or a time series. The rows of a matrix with two columns are breakpoints, and the function is 0 ",
          "before the first; to change this, add a row with the time -Inf and the value before.")
})

test_that("matrices of two columns can leave missing values out, and have names that say which is which", {
  expect_identical(as_pcf(cbind(1:3, c(1, NA, 2))), pcf(1:3, c(1, NA, 2)))
  expect_identical(as_pcf(cbind(1:3, c(1, NA, 2)), na.rm = TRUE), pcf(c(1, 3), 1:2))
  expect_identical(as_pcf(cbind(hazard = c(3, 4), time = 1:2)), pcf(1:2, 3:4))
  expect_identical(as_pcf(cbind(Value = c(3, 4), day = 1:2)), pcf(1:2, 3:4))
  expect_identical(as_pcf(cbind(Time = c(3, 4), time = 1:2)), pcf(3:4, 1:2))
  expect_error(as_pcf(cbind(id = 1:2, time = 1:2)), class = "pcfdist_error_x")
})

test_that("what is no function is an error", {
  refused(as_pcf(1:3), "x", "cannot be converted to a pcf: it is an integer vector of length 3. ", converts_to_pcf)
  refused(as_pcf(NULL), "x", "cannot be converted to a pcf: it is NULL. ", converts_to_pcf)
  unlike <- function(x, is, ...) refused(as_pcf(x), "x", "is invalid: ", is, no_columns, ...)
  unlike(diag(3), "it is a matrix (double) of 3 x 3", for_grids)
  unlike(matrix("a", 1, 2), "it is a matrix (character) of 1 x 2", for_grids)
  unlike(list(a = 1:3), 'function 1 ("a") is an integer vector of length 3',
         " Use counting() for event times, and distribution() for samples.")
  unlike(list(a = cbind(1, 2), diag(3)), "function 2 is a matrix (double) of 3 x 3")
  refused(as_pcf(list(example_pcf(), 1)), "x", "is invalid: function 1 holds 2 functions. c() joins collections.")
  refused(as_pcf(diag(3), times = 1:2), "times",
          "must have one number for each of the 3 columns of `x`, not an integer vector of length 2.")
  refused(as_pcf(matrix("a", 1, 1), times = 1), "x", "must be numeric, not a matrix (character) of 1 x 1.")
  refused(as_pcf(rbind(a = 1:3, b = c(1, NaN, 2)), times = 1:3), "x",
          'is invalid: function 2 ("b") has the value NaN at position 2. NA stands for values that are not observed.')
  refused(as_pcf(rbind(1:3), times = c(1, 1, 2)), "times",
          "is invalid: the function has the time 1 twice, at positions 1 and 2.")
  refused(as_pcf(ts(c(NA, NA)), na.rm = TRUE), "x", "is invalid: the function", never_known)
  refused(as_pcf(rbind(1:2, NA), times = 1:2, na.rm = TRUE), "x",
          "is invalid: function 2", never_known)
  refused(as_pcf(data.frame(time = 1:2, value = c("u", "v"))), "value",
          "must name a numeric column, but `x$value` is a character vector of length 2.")
})

test_that("a series has its values at its times, and in between", {
  x <- as_pcf(sunspot.month)
  at <- as.vector(time(sunspot.month))[c(1, 500, 2000)]
  for (shift in c(0, 0.99 / 12)) {
    values <- vapply(at + shift, function(t) value_at(x, t), 0)
    expect_identical(values, as.vector(sunspot.month)[c(1, 500, 2000)])
  }
  end <- tsp(sunspot.month)[2]
  expect_identical(unname(value_at(x, end + 0.99 / 12)), as.vector(tail(sunspot.month, 1)))
  expect_identical(unname(value_at(x, end + 1 / 12)), NA_real_)
})

test_that("elements of a list are what they are alone: data frames measurements, matrices breakpoints", {
  long <- data.frame(id = c("a", "a", "b"), time = c(1, 3, 2), value = 4:6)
  split_up <- split(long[-1], long$id)
  expect_identical(as_pcf(split_up), as_pcf(long))
  expect_identical(as_pcf(lapply(split_up, as_pcf, before = 0)), as_pcf(long, before = 0))
  expect_identical(as_pcf(lapply(split_up, as.matrix)), as_pcf(long, before = 0))
})

test_that("the mean of series that begin one after the other is that of those observed", {
  visits <- data.frame(
    id = rep(c("A", "B", "C"), c(3, 3, 2)), time = c(0, 5, 9, 3, 6, 10, 8, 11),
    value = c(80, 90, 100, 70, 75, 80, 120, 110)
  )
  x <- as_pcf(visits, until = "last")
  expect_identical(c(evaluate(mean(x, na.rm = TRUE), c(-1, 1, 8.5))), c(NA, 80, (90 + 75 + 120) / 3))
  expect_equal(
    as.vector(pdist(x, from = 0, to = 9, missing = "mean")), c((2 * 10 + 1 * 20 + 3 * 15) / 6, 30, 45)
  )
  expect_identical(integral(x["B"], 3, 10), c(B = 3 * 70 + 4 * 75))
})

test_that("errors of elements of a list that have methods name the element", {
  for (convert in list(as_pcf, as_plf)) {
    error <- expect_error(
      convert(list(a = cbind(0, 1), b = ts(c(1, Inf)))), '`x` is invalid: function 2 ("b") has an infinite value',
      fixed = TRUE, class = "pcfdist_error_x"
    )
    expect_identical(c(error$index, error$position), c(2, 2))
  }
})

test_that("a list of step functions has no lines", {
  expect_error(as_pcf(list(a = plf(0:1, 0:1))), 'function 1 ("a") must be a <pcf>, not a <plf>: ', fixed = TRUE,
               class = "pcfdist_error_x")
})

test_that("what has the class of something, but not its parts, is an error", {
  false <- function(class, object = 1) structure(object, class = class)
  hclust <- function(...) false("hclust", list(method = "single", ...))
  for (x in list(
    false("stepfun"), false("stepfun", list()), false("stepfun", function(x) x), false(c("ecdf", "stepfun"), mean),
    false("ts", 1:3), false("survfit"), false("survfit", list(time = 1:3, surv = 1:2)), false("pcf"),
    false(pcf_class), false(pcf_class, list(1)), false(pcf_class, list(cbind(c(1, 0), 1:2))),
    false(pcf_class, list(cbind(0, Inf)))
  )) {
    expect_error(as_pcf(x), class = "pcfdist_error_x", label = deparse1(x))
    expect_error(as_pcf(list(x)), class = "pcfdist_error_x", label = deparse1(x))
    expect_error(as_plf(x), class = "pcfdist_error", label = deparse1(x))
  }
  for (x in list(false("density"), false("density", list()), false(c("ecdf", "stepfun")))) {
    expect_error(as_plf(x), class = "pcfdist_error_x", label = deparse1(x))
  }
  for (x in list(
    false("hclust"), hclust(), hclust(height = "a"), hclust(height = 1:3, merge = matrix(9L, 3, 2)),
    hclust(height = 1:2, merge = rbind(c(-1, -2), c(2, -3))), false("dendrogram"), false("twins", list())
  )) {
    expect_error(stable_rank(x), class = "pcfdist_error_x", label = deparse1(x))
    expect_error(as_diagram(x), class = "pcfdist_error_x", label = deparse1(x))
  }
  for (time in list(false("Date", "a"), false("difftime"), false("POSIXct", "a"), false("POSIXlt", list()))) {
    expect_error(pcf(time, 1), class = "pcfdist_error", label = deparse1(time))
    expect_error(evaluate(pcf(0, 1), time), class = "pcfdist_error_times", label = deparse1(time))
    expect_error(restrict(pcf(0, 1), from = time), class = "pcfdist_error_from", label = deparse1(time))
  }
})

test_that("a data frame without columns is named as such", {
  refused(as_pcf(data.frame()), "time", "must be the name of a column of `x`, which has none.")
})
