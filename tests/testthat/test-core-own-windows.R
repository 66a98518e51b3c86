# Each function on its own window, compared with the calls for single functions.

one_by_one <- function(x, from, to, f, ...) {
  stats::setNames(mapply(function(i, from, to) f(x[[i]], from = from, to = to, ...), seq_along(x), from, to), names(x))
}

random_windows <- function(n, seed) {
  with_seed(seed, {
    from <- sample(c(-Inf, seq(-5, 12, 0.5)), n, replace = TRUE)
    list(from = from, to = pmax(from, -5) + sample(seq(0, 8, 0.5), n, replace = TRUE))
  })
}

families <- function() {
  list(
    steps = c(random_pcf(30), pcf(c(-Inf, 2), c(3, 1)), pcf(c(-Inf, 0, 4, 6), c(NA, 1, NA, 2))),
    lines = c(random_plf(20, gaps = 0.2), random_plf(12, whole = FALSE), plf(3, 2, left = 2))
  )
}

test_that("integrals, norms and means over own windows are those of single functions", {
  for (x in families()) {
    w <- random_windows(length(x), 1)
    for (missing in c("overlap", "mean")) {
      finite <- if (missing == "mean") pmax(w$from, -9) else w$from
      expect_equal(
        integral(x, finite, w$to, missing), one_by_one(x, finite, w$to, integral, missing = missing), tolerance = 1e-13
      )
      for (p in c(1, 2, 3, Inf)) {
        expect_equal(
          lp_norm(x, p, finite, w$to, missing),
          one_by_one(x, finite, w$to, lp_norm, p = p, missing = missing), tolerance = 1e-13
        )
      }
    }
  }
})

test_that("restrictions to own windows are those of single functions", {
  for (x in families()) {
    w <- random_windows(length(x), 2)
    each <- restrict(x, w$from, w$to)
    expect_identical(names(each), names(x))
    for (i in seq_along(x)) expect_true(all(each[[i]] == restrict(x[[i]], w$from[i], w$to[i])), info = i)
    expect_true(all(restrict(x, from = w$from) == restrict(x, from = w$from, to = rep(Inf, length(x)))))
  }
  expect_identical(restrict(pcf(0, 1)[0], numeric(), numeric()), pcf(0, 1)[0])
})

test_that("windows are matched by name, and one end is for all", {
  x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
  expect_identical(integral(x, c(b = 2, a = 1), 4), c(a = 7, b = 4))
  expect_identical(integral(x, to = c(3, 2)), c(a = 5, b = 2))
  expect_true(all(restrict(x, c(b = 2, a = 1)) == restrict(x, 1:2)))
  y <- x[c(1, 2, 2, 1)]
  dim(y) <- c(2, 2)
  expect_identical(integral(y, 1:4 / 2, 4), matrix(unname(integral(x[c(1, 2, 2, 1)], 1:4 / 2, 4)), 2))
  rows <- integral(y, c(1, 2), 4, margin = 1)
  expect_equal(rows, c(sum(integral(y[1, ], 1, 4)), sum(integral(y[2, ], 2, 4))), ignore_attr = TRUE)
  expect_equal(integral(y, c(1, 3), 4, "mean", margin = 1), c(rows[[1]] / 6, 2.5), ignore_attr = TRUE)
  columns <- integral(y, c(1, 2), 4, margin = 2)
  expect_equal(columns, c(sum(integral(y[, 1], 1, 4)), sum(integral(y[, 2], 2, 4))), ignore_attr = TRUE)
})

test_that("own windows go with weights and units of time", {
  x <- random_pcf(12)
  w <- random_windows(12, 3)
  weight <- pcf(c(-1e3, 1, 4), c(1, 0.5, 2))
  from <- pmax(w$from, -20)
  expect_equal(
    integral(x, from, w$to, "mean", weight), one_by_one(x, from, w$to, integral, missing = "mean", weight = weight),
    tolerance = 1e-13
  )
  stays <- pcf(
    list(a = as.Date(c("2024-02-27", "2024-03-02")), b = as.Date(c("2024-02-28", "2024-03-05"))),
    list(c(1, 0), c(2, 0))
  )
  expect_identical(integral(stays, as.Date(c("2024-02-28", "2024-03-01"))), c(a = 3, b = 8))
  expect_identical(integral(stays, to = as.Date(c(b = "2024-03-01", a = "2024-02-28"))), c(a = 1, b = 4))
  lt <- as.POSIXlt(c("2024-02-28", "2024-03-01"), tz = "UTC")
  expect_identical(integral(stays, lt), c(a = 3, b = 8))
})

test_that("each function must be observed throughout its own window", {
  x <- pcf(list(a = c(-Inf, 0, 5), b = c(-Inf, 2, 4, 6, 9)), list(c(NA, 1, NA), c(NA, 3, NA, 4, NA)))
  expect_identical(integral(x, c(0, 6), c(5, 9)), c(a = 5, b = 12))
  expect_identical(integral(x, c(-Inf, 6), c(5, Inf)), c(a = 5, b = 12))
  expect_identical(integral(x, c(0, 2), c(6, 9), "overlap"), c(a = 5, b = 18))
  expect_identical(integral(x, c(0, 2), c(6, 9), "mean"), c(a = 1, b = 3.6))
  expect_identical(integral(x, c(1, 7), c(1, 7)), c(a = 0, b = 0))
  expect_identical(integral(x, c(6, 7), c(8, 7), "mean"), c(a = NA_real_, b = NA))
  other <- "Choose another window, or set `missing = \"overlap\"` or `missing = \"mean\"`."
  expect_refusal(
    integral(x, c(0, 2), c(5, 9)), "missing",
    "The window of function 2 (\"b\") is from 2 to 9, but it is not observed from 4 to 6. ", other
  )
  expect_refusal(
    lp_norm(x, from = c(0, -Inf), to = c(8, 4)), "missing",
    "The window of function 1 (\"a\") is from 0 to 8, but it is not observed from 5 to 8. ", other, held_for_ever
  )
  tenths <- pcf(c(-Inf, 0.3, 0.7, 1), c(NA, 1, 2, NA))
  near <- c(tenths, tenths)
  expect_near(integral(near, c(0.1 * 3, 0.3), c(1, 1 + 4e-16)), c(1, 1))
})

test_that("the share of days covered is that by hand, in each patient's own window", {
  # As in AdhereR: supplies of drugs, from each patient's first day for 90 days
  supplies <- with_seed(7, data.frame(
    id = rep(letters[1:8], each = 5), day = c(replicate(8, sort(sample(1:120, 5)))), days = sample(10:30, 40, TRUE)
  ))
  first <- tapply(supplies$day, supplies$id, min) + 4
  covered <- aggregate(as_pcf(
    data.frame(id = seq_len(40), start = supplies$day, end = supplies$day + supplies$days, value = 1),
    id = "id", start = "start", end = "end", value = "value", outside = 0
  ), supplies$id, max)
  by_hand <- vapply(names(first), function(id) {
    own <- supplies[supplies$id == id, ]
    mean(vapply(first[[id]] + 0:89, function(day) any(day >= own$day & day < own$day + own$days), NA))
  }, 0)
  expect_equal(integral(covered, from = c(rev(first)), to = c(first) + 90, missing = "mean"), by_hand)
})

test_that("missing functions stay missing", {
  x <- pcf(list(a = c(0, 2), b = c(0, 3), c = c(0, 4)), list(1:0, 1:0, 1:0))
  x[2] <- NA
  expect_identical(integral(x, c(1, 2, 3)), c(a = 1, b = NA, c = 1))
  expect_identical(evaluate(x, 1:3, each = TRUE), c(a = 1, b = NA, c = 1))
  expect_identical(evaluate(x, list(1, 2:3, numeric())), list(a = 1, b = c(NA_real_, NA), c = numeric()))
  expect_identical(crossing_time(x, c(0, 0, 0), from = c(1, 1, 1), each = TRUE), c(a = 2, b = NA, c = 4))
})

test_that("values at own times are those of single functions", {
  for (x in families()) {
    n <- length(x)
    times <- with_seed(4, matrix(sample(c(-Inf, Inf, seq(-4, 16, 0.5)), 3 * n, replace = TRUE), n))
    for (side in c("right", "left")) {
      wanted <- t(vapply(seq_len(n), function(i) evaluate(x[[i]], times[i, ], side = side), numeric(3)))
      expect_identical(unname(evaluate(x, times, side = side, each = TRUE)), wanted)
      expect_identical(unname(evaluate(x, times[, 1], side = side, each = TRUE)), wanted[, 1])
      listed <- evaluate(x, lapply(seq_len(n), function(i) times[i, seq_len(i %% 4)]), side = side)
      for (i in seq_len(n)) expect_identical(listed[[i]], wanted[i, seq_len(i %% 4)])
    }
  }
  x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
  expect_identical(evaluate(x, c(b = 4, a = 3), each = TRUE), c(a = 3, b = 0))
  expect_identical(evaluate(x, 2:1, each = TRUE, drop = FALSE), rbind(a = 3, b = 2))
  expect_identical(evaluate(x, rbind(b = 1:2, a = 2:3), each = TRUE), rbind(a = c(3, 3), b = c(2, 2)))
  expect_identical(evaluate(x, list(b = 1, a = 0:2)), list(a = c(1, 1, 3), b = 2))
  y <- array(x[c(1, 2, 2, 1)], c(2, 2), list(c("c", "d"), NULL))
  expect_identical(evaluate(y, matrix(c(4, 1, 3, 0), 2), each = TRUE), matrix(c(3, 2, 2, 1), 2, dimnames = dimnames(y)))
  expect_identical(evaluate(y, matrix(0:7, 4), each = TRUE)[2, 1, ], c(2, 0))
  expect_true(all(window(x, 1:2, 4) == restrict(x, 1:2, 4)))
  time_unit(x) <- "Date"
  expect_identical(evaluate(x, as.Date(c(2, 4), origin = "1970-01-01"), each = TRUE), c(a = 3, b = 0))
  expect_identical(evaluate(x, list(as.Date("1970-01-03"), as.Date(c("1970-01-02", "1970-01-05")))),
                   list(a = 3, b = c(2, 0)))
})

test_that("crossing times in windows, and at own levels, are those of single functions", {
  for (x in families()) {
    w <- random_windows(length(x), 5)
    level <- with_seed(6, rnorm(length(x)))
    for (flat in c("start", "middle")) {
      at <- function(...) crossing_time(..., decreasing = TRUE, flat = flat)
      own <- at(x, level, each = TRUE)
      expect_identical(unname(own), vapply(seq_along(x), function(i) at(x[[i]], level[i])[[1]], 0))
      inside <- at(x, 0.3, from = w$from, to = w$to)
      expect_identical(c(inside), vapply(seq_along(x), function(i) {
        at(x[[i]], 0.3, from = w$from[i], to = w$to[i])[[1]]
      }, 0))
    }
  }
  # By definition: after the peak
  drug <- plf(list(a = c(0, 1, 4), b = c(0, 2, 8)), list(c(0, 10, 0), c(0, 6, 0)))
  expect_equal(crossing_time(drug, c(b = 3, a = 5), TRUE, from = c(1, 2), each = TRUE), c(a = 2.5, b = 5))
  expect_identical(c(crossing_time(drug, 5, TRUE, from = c(3, 2))), c(3, 3.0))
  stock <- pcf(c(0, 2, 5), c(10, 4, 0))
  expect_identical(c(crossing_time(stock, c(11, 4, 1), from = 1, to = 5)), c(1, 2, NA))
})

test_that("times since one of each function", {
  x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
  expect_identical(shift_time(x, since = c(b = 1, a = 2)), shift_time(x, c(-2, -1)))
  days <- x
  time_unit(days) <- "Date"
  since <- shift_time(days, since = as.Date(c("1970-01-03", "1970-01-02")))
  expect_identical(unclass(since)[["a"]][, "time"], c(-2, 0, 3))
  expect_identical(time_unit(since), .difftime(numeric(), "days"))
  seconds <- x
  time_unit(seconds) <- "POSIXct"
  expect_identical(time_unit(shift_time(seconds, since = as.POSIXct(1, "1970-01-01", tz = "UTC"))),
                   .difftime(numeric(), "secs"))
  hours <- x
  time_unit(hours) <- "hours"
  expect_identical(unclass(shift_time(hours, since = as.difftime(60, units = "mins")))[["b"]][, "time"], c(0, 3))
  expect_identical(time_unit(shift_time(hours, since = as.difftime(60, units = "mins"))), time_unit(hours))
  series <- as_pcf(ts(1:3, start = c(2020, 2), frequency = 12))
  expect_null(time_unit(shift_time(series, since = 2020)))
  refused(shift_time(x, 1, since = 1), "since", "cannot be given together with `by`.")
  refused(shift_time(days, -1, since = 1), "since", "cannot be given together with `by`.")
  refused(shift_time(x, since = c(1, NA)), "since", "must be finite, but is NA at position 2.")
  refused(shift_time(x, since = 1:3), "since", "must be one number, or one for each of the 2 functions, not 3.")
  expect_identical(shift_time(x[["a"]], since = 1:3), shift_time(x[["a"]], -(1:3)))
  refused(shift_time(x, since = "a"), "since", 'must be numbers, not "a".')
  refused(shift_time(days, by = as.Date("1970-01-03")), "by",
          "must be a length of time, a difftime, not dates. To count times since those of each function, use ",
          "shift_time(x, since = ).")
})

test_that("wrong windows, times and levels are errors that name the place", {
  x <- pcf(list(a = c(0, 2, 5), b = c(1, 4), c = c(1, 2)), list(c(1, 3, 0), c(2, 0), 1:0))
  refused(restrict(x, 1:2), "from", "must be one number, or one for each of the 3 functions, not ",
          "an integer vector of length 2.")
  refused(integral(x, to = c("a", "b", "c")), "to", "must be one number, or one for each of the 3 functions, not ",
          "a character vector of length 3.")
  refused(lp_norm(x, from = c(0, NA, 1)), "from", "must not be NA, but is for function 2 (\"b\").")
  refused(restrict(x, c(1, 5, 1), c(2, 4, 3)), "from",
          "must be at most `to`: 5 is greater than 4 for function 2 (\"b\").")
  refused(restrict(x, c(1, 5, Inf)), "from", "must be less than Inf, but is not for function 3 (\"c\").")
  refused(restrict(x, to = c(-Inf, 5, 1)), "to", "must be greater than -Inf, but is not for function 1 (\"a\").")
  refused(restrict(x, c(a = 1, b = 2, d = 3)), "from", "has names that do not match those of the functions: ",
          "no element is named \"c\". Use unname(from) to match by position.")
  refused(evaluate(x, 1:2, each = TRUE), "times", "must have one number, or a row, for each of the 3 functions, not ",
          "an integer vector of length 2.")
  refused(evaluate(x, c(1, NA, 2), each = TRUE), "times", "must not be NA, but is for function 2 (\"b\").")
  refused(evaluate(x, list(1, 2)), "times", "must have a vector of numbers for each of the 3 functions, all of one ",
          "class, not a list of length 2.")
  refused(crossing_time(x, 1:2, each = TRUE), "levels", "must have one level for each of the 3 functions, not ",
          "an integer vector of length 2.")
  y <- array(x[c(1, 2, 2, 1)], c(2, 2))
  refused(integral(y, 1:4, margin = 1), "from", "must be one number, or one for each of the 2 rows, not ",
          "an integer vector of length 4.")
  refused(integral(y, 1, c(2, NA), margin = 2), "to", "must not be NA, but is for column 2.")
  refused(integral(as_plf(x), from = 1:3, to = 4, falling = "log"), "falling",
          "must be \"linear\" for windows of each function's own, at whose ends lines are cut.")
  refused(integral(as_plf(x), breaks = 1:3, falling = "log"), "falling",
          "cannot be used with `breaks`. Lines fall straight in bins.")
  refused(restrict(x[1], 1:2), "from", "must be one number, not an integer vector of length 2.")
  refused(window(x, c(1, 5, 1), c(2, 4, 3)), "start",
          "must be at most `end`: 5 is greater than 4 for function 2 (\"b\").")
  time_unit(x) <- "Date"
  refused(restrict(x, 1:3), "from", "is a plain number, but the functions have dates as times. ", sets_unit)
  refused(restrict(x, rep("2024-01-01", 3)), "from", "must be one time, or one for each of the 3 functions, not ",
          "a character vector of length 3. as.Date(from) converts it to dates.")
})
