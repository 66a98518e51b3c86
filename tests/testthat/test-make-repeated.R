dose <- data.frame(time = c(0, 24, 24, 30), value = c(10, 2, 12, 10))

test_that("two rows at one time are the values before and after a jump", {
  line <- plf(c(0, 24, 30, next_time(30)), c(10, 12, 10, NA), left = c(NA, 2, 10, 10))
  expect_true(as_plf(dose, repeated = "jump") == line)
  expect_identical(integral(as_plf(dose, repeated = "jump"), 0, 30), 210)
  expect_identical(as_pcf(dose, repeated = "jump"), as_pcf(dose[-2, ]))
  expect_identical(as_pcf(dose, repeated = "mean"), as_pcf(data.frame(time = c(0, 24, 30), value = c(10, 7, 10))))
  expect_identical(as_plf(dose, repeated = "mean"), as_plf(data.frame(time = c(0, 24, 30), value = c(10, 7, 10))))
})

test_that("jumps and means at random times are those of each function alone", {
  with_seed(1, for (case in 1:40) {
    tables <- lapply(sample(5), function(id) {
      m <- sample(8, 1)
      times <- sort(sample(20, m)) * if (case %% 2) 0.1 else 1
      double <- sample(c(TRUE, FALSE), m, TRUE)
      k <- sort(c(seq_len(m), which(double)))
      value <- round(rnorm(length(k)), 2)
      value[sample(c(TRUE, FALSE), length(k), TRUE, c(1, 6))] <- NA
      data.frame(id = id, time = times[k], value = value)
    })
    table <- do.call(rbind, tables)
    # Rows of functions may alternate.
    table <- table[order(ave(seq_len(nrow(table)), table$id, FUN = seq_along)), ]
    apart <- split(table, factor(table$id, unique(table$id)))
    mean_or_na <- function(v) if (all(is.na(v))) NA else mean(v, na.rm = TRUE)
    averaged <- do.call(rbind, lapply(apart, function(t) {
      times <- unique(t$time)
      data.frame(id = t$id[1], time = times, value = vapply(times, function(s) mean_or_na(t$value[t$time == s]), 0))
    }))
    at <- (0:44) / 2 * if (case %% 2) 0.1 else 1
    for (read in list(as_pcf, as_plf)) {
      x <- read(table, repeated = "mean")
      expect_equal(evaluate(x, at), evaluate(read(averaged), at), tolerance = 1e-12)
      jumps <- read(table, repeated = "jump")
      expect_identical(names(jumps), names(apart))
      expect_identical(read(table[sample(nrow(table)), ][0, ], repeated = "jump"), read(table[0, ]))
      for (id in names(apart)) expect_identical(unname(jumps[id]), unname(read(apart[[id]], repeated = "jump")))
    }
    # The integral of a line is that of its parts between neighbouring measurements, none of length 0.
    for (id in names(apart)) {
      t <- apart[[id]]
      k <- seq_len(nrow(t))[-1]
      area <- diff(t$time) * (t$value[k] + t$value[k - 1]) / 2
      if (all(is.na(area) | diff(t$time) == 0)) next
      expect_equal(unname(integral(as_plf(t, repeated = "jump"), missing = "overlap")), sum(area, na.rm = TRUE))
    }
  })
})

test_that("what is missing on one side of a jump is a gap there, and the other side is measured", {
  values <- function(x, times) c(evaluate(x, times))
  rows <- function(before, after) data.frame(time = c(0, 24, 24, 30), value = c(10, before, after, 10))
  expect_identical(values(as_plf(rows(2, NA), repeated = "jump"), c(12, 24, 27, 30)), c(6, 2, NA, 10))
  expect_identical(values(as_plf(rows(NA, 12), repeated = "jump"), c(0, 12, 24, 27, 30)), c(10, NA, 12, 11, 10))
  last <- rows(2, 12)[1:3, ]
  expect_identical(values(as_plf(last, repeated = "jump"), c(12, 24, 24.5)), c(6, 12, NA))
  last$value[2] <- NA
  expect_identical(values(as_plf(last, repeated = "jump"), c(12, 24, 24.5)), c(NA, 12, NA))
  expect_identical(values(as_plf(rows(2, 12), gaps = 10, repeated = "jump"), c(0, 12, 24, 27)), c(10, NA, 12, 11))
})

test_that("times that arithmetic makes different are one time of a jump", {
  table <- data.frame(time = c(0, 0.3, 0.1 * 3, 1), value = c(1, 2, 4, 5))
  expect_identical(evaluate(as_plf(table, repeated = "jump"), 0.3), 4)
  expect_identical(nrow(as.data.frame(as_pcf(table, repeated = "mean"))), nrow(as.data.frame(as_pcf(table[-2, ]))))
})

# The message about a table, and the functions that it advises to make.
advised <- function(table, ...) {
  conditionMessage(tryCatch(as_pcf(table, ...), pcfdist_error_x = identity))
}

test_that("the hint on repeated times is true of the table, and its code runs", {
  both <- paste0('is invalid: the function has the time 24 twice, at positions 2 and 3. `repeated = "mean"` averages ',
                 'the values at each time, and `repeated = "jump"` takes two as those before and after a jump.')
  refused(as_pcf(dose), "x", both)
  refused(as_plf(dose), "x", both)
  expect_match(advised(dose[c(1, 2, 3, 3), ]), '`repeated = "mean"` averages the values at each time.', fixed = TRUE)
  expect_no_match(advised(dose[c(1, 2, 3, 3), ]), "jump")
  refused(as_pcf(dose[c(1, 2, 3, 3, 4), ], repeated = "jump"), "repeated",
          'is "jump", the values before and after, but the function has three rows at the time 24.')
  equal <- dose[c(1, 1, 2, 4, 4), ]
  expect_match(advised(equal), 'Values at the same time are equal: `repeated = "mean"` takes one of each.',
               fixed = TRUE)
  expect_identical(as_pcf(equal, repeated = "mean"), as_pcf(dose[c(1, 2, 4), ]))
  arms <- data.frame(id = 1, arm = rep(1:2, each = 3), time = rep(0:2, 2), value = 1:6)
  hint <- 'If the column `arm` tells functions apart, use id = c("id", "arm").'
  expect_match(advised(arms, sort = TRUE), hint, fixed = TRUE)
  expect_length(as_pcf(arms, id = c("id", "arm")), 2)
  # Instants that print alike, and gaps, are not merged, and ids stay in order.
  hours <- .POSIXct(1729989000 + c(0, 3600, 3600, 7200), "Europe/Stockholm") # when summer time ends
  table <- data.frame(id = rep(c("b", "a"), each = 4), time = rep(hours, 2), value = c(1, 2, 4, NA, 5:8))
  read <- as_pcf(table, repeated = "mean")
  expect_named(read, c("b", "a"))
  expect_identical(c(evaluate(read, hours[c(1, 2, 4)])), c(1, 5, 3, 6.5, NA, 8))
})

test_that("only rows of measurements may be repeated", {
  for (repeated in list("last", TRUE, NA, c("mean", "jump"))) {
    for (read in list(as_pcf, as_plf)) expect_error(read(dose, repeated = repeated), class = "pcfdist_error_repeated")
  }
  expect_error(as_plf(dose, rep = "jump"), class = "pcfdist_error_rep")
  refused(as_pcf(data.frame(a = 1), times = 0, repeated = "mean"), "repeated",
          "cannot be used with wide data, with `times`.")
  segments <- data.frame(id = 1, start = 0, end = 1, value = 2)
  for (read in list(as_pcf, as_plf)) {
    refused(read(segments, start = "start", end = "end", repeated = "mean"), "repeated",
            "cannot be used with segments, with `start` and `end`.")
  }
  refused(as_plf(data.frame(time = 0:1, left = 1, value = 1), value = "value", left = "left", repeated = "jump"),
          "repeated", "applies only to measurements; with `left`, a jump is one row, with the left limit and the ",
          "value.")
})
