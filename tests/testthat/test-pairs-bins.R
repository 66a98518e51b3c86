# Integrals and means over bins, compared with those over single windows.

bin_by_bin <- function(x, breaks, f = integral, ...) {
  f_of <- function(k) f(x, breaks[k], breaks[k + 1], ...)
  vapply(seq_len(length(breaks) - 1), f_of, numeric(length(x)))
}

test_that("bins have the integrals over single windows", {
  breaks <- c(-4, -3, -2.5, 0, 0.25, 1, 4, 4.5, 9, 14)
  collections <- list(random_pcf(40), random_partial_pcf(40), random_plf(20, gaps = 0.2), random_plf(12, whole = FALSE))
  for (x in collections) for (missing in c("overlap", "mean")) {
    expect_equal(unname(integral(x, breaks = breaks, missing = missing)),
                 bin_by_bin(x, breaks, missing = missing), tolerance = 1e-13)
  }
  x <- random_pcf(40)
  expect_equal(unname(integral(x, breaks = breaks)), bin_by_bin(x, breaks), tolerance = 1e-13)
  weight <- pcf(c(-1e3, 1, 3), c(1, 0.5, 2))
  for (missing in c("error", "mean")) {
    expect_equal(unname(integral(x, breaks = breaks, missing = missing, weight = weight)),
                 bin_by_bin(x, breaks, missing = missing, weight = weight), tolerance = 1e-13)
  }
  y <- random_partial_pcf(40)
  expect_equal(unname(integral(y, breaks = breaks, missing = "mean", weight = weight)),
               bin_by_bin(y, breaks, missing = "mean", weight = weight), tolerance = 1e-13)
})

test_that("bins of many breakpoints and many bins do not depend on threads", {
  x <- c(random_long(5000, 1), random_long(3, 2))
  breaks <- seq(-10, 12000, length.out = 1001)
  one <- integral(x, breaks = breaks, threads = 1)
  expect_identical(integral(x, breaks = breaks, threads = 3), one)
  expect_equal(unname(one), bin_by_bin(x, breaks), tolerance = 1e-13)
})

test_that("extreme values and times keep their digits", {
  x <- pcf(list(c(0, 1), c(0, 1e300), c(0, 1e-300), 0), list(c(1e300, -1e-300), c(1e-10, 1e5), c(1e-300, 2e-20), 0))
  breaks <- c(0, 1e-300, 1, 2)
  expect_equal(unname(integral(x, breaks = breaks)), bin_by_bin(x, breaks), tolerance = 1e-14)
  expect_identical(integral(pcf(0, 1e-200), breaks = c(0, 1e-200))[[1]], 0)
  expect_identical(integral(pcf(0, 1e200), breaks = c(0, 1e200))[[1]], Inf)
})

test_that("what is not observed is NA, and the share of each bin that is can be asked for", {
  x <- pcf(list(a = c(-Inf, 0, 3, 6), b = c(-Inf, 1, 4)), list(c(NA, 2, NA, 4), c(NA, 1, NA)))
  breaks <- c(0, 2, 4, 6)
  names <- list(c("a", "b"), c("[0, 2)", "[2, 4)", "[4, 6)"))
  expect_identical(integral(x, breaks = breaks, missing = "overlap"),
                   matrix(c(4, 1, 2, 2, NA, NA), 2, dimnames = names))
  expect_identical(integral(x, breaks = breaks, missing = "mean"),
                   matrix(c(2, 1, 2, 1, NA, NA), 2, dimnames = names))
  expect_identical(integral(observed(x), breaks = breaks, missing = "mean"),
                   matrix(c(1, 0.5, 0.5, 1, 0, 0), 2, dimnames = names))
  expect_refusal(
    integral(x, breaks = breaks), "missing",
    "The window begins at 0, but function 2 (\"b\") is observed only from 1 on. Choose a `from` of at least 1, or set ",
    "`missing = \"overlap\"` or `missing = \"mean\"`.", begun_at_zero
  )
  y <- array(x[c(1, 2, 2, 1)], c(2, 2))
  expect_identical(dim(integral(y, breaks = breaks, missing = "mean")), c(2L, 2L, 3L))
  expect_identical(dim(integral(x[0], breaks = breaks)), c(0L, 3L))
  x[2] <- NA
  expect_identical(unname(integral(x, breaks = breaks, missing = "mean")), rbind(c(2, 2, NA), NA))
})

test_that("hourly means of an irregular sensor are those by hand", {
  # As in timeAverage() of openair, but each reading counts for as long as it holds
  readings <- with_seed(1, data.frame(
    time = as.POSIXct("2024-03-30 22:10", tz = "Europe/Berlin") + cumsum(sample(60:2400, 80)), value = rexp(80)
  ))
  x <- as_pcf(readings, time = "time", value = "value")
  means <- integral(x, breaks = "hour", missing = "mean")
  seconds <- as.numeric(readings$time)
  hours <- seq(floor(min(seconds) / 3600), ceiling(max(seconds) / 3600)) * 3600
  by_hand <- vapply(hours[-length(hours)], function(hour) {
    begin <- pmin(pmax(seconds[-80], hour), hour + 3600)
    end <- pmin(pmax(seconds[-1], hour), hour + 3600)
    sum(readings$value[-80] * (end - begin)) / sum(end - begin)
  }, 0)
  expect_equal(c(means), by_hand)
  expect_identical(colnames(means)[1], format(.POSIXct(hours[1], "Europe/Berlin")))
})

test_that("binned averages of coverage are those of positions", {
  # As binnedAverage() of GenomicRanges: positions 1 ... 60, of which [start, end] have a score
  segments <- data.frame(start = c(1, 11, 31), end = c(10, 24, 60), score = c(3, 1, 4))
  score <- rep(NA_real_, 60)
  for (k in 1:3) score[segments$start[k]:segments$end[k]] <- segments$score[k]
  segments$end <- segments$end + 1
  x <- as_pcf(segments, id = NULL, start = "start", end = "end", value = "score")
  bin <- cut(1:60, c(1, 13, 26, 29, 47, 61), right = FALSE)
  breaks <- c(1, 13, 26, 29, 47, 61)
  by_hand <- replace(tapply(score, bin, mean, na.rm = TRUE), 3, NA)
  expect_equal(c(integral(x, breaks = breaks, missing = "mean")), c(unname(by_hand)))
  expect_equal(c(integral(observed(x), breaks = breaks, missing = "mean")), unname(c(tapply(!is.na(score), bin, mean))))
})

test_that("days, weeks and months follow the calendar and its clock", {
  zone <- "Europe/Berlin"
  start <- as.POSIXct("2024-03-29 05:00", tz = zone)
  x <- pcf(start + c(0, 5 * 86400), c(1, 0))
  days <- integral(x, breaks = "day") / 3600
  expect_identical(unname(days[1, ]), c(19, 24, 23, 24, 24, 6))
  expect_identical(colnames(days), format(as.Date("2024-03-29") + 0:5))
  expect_identical(unname(integral(x, breaks = "2 days")[1, ]) / 3600, c(43, 47, 30))
  expect_identical(colnames(integral(x, breaks = "week")), c("2024-03-25", "2024-04-01"))
  autumn <- pcf(as.POSIXct(c("2024-10-27", "2024-10-28"), tz = zone), 1:0)
  expect_identical(integral(autumn, breaks = "day")[[1]], 25 * 3600)
  expect_identical(ncol(integral(autumn, breaks = "hour")), 25L)
  expect_identical(ncol(integral(autumn, breaks = "6 hours")), 5L)
  repeated <- as.POSIXct("2024-10-27 01:30", tz = "UTC") # 02:30 for the second time
  attr(repeated, "tzone") <- zone
  expect_identical(unname(integral(pcf(repeated + c(0, 3600), 1:0), breaks = "hour")[1, ]), c(1800, 1800))
  half <- as.POSIXct("2024-10-27 01:10", tz = "Asia/Kolkata")
  expect_identical(unname(integral(pcf(half + c(0, 3600), 1:0), breaks = "hour")[1, ]), c(3000, 600))
  midnights <- seq(as.POSIXct("2024-03-29", tz = zone), by = "DSTday", length.out = 7)
  expect_identical(integral(x, breaks = midnights) / 3600, days)
  dates <- pcf(as.Date(c("2023-11-05", "2024-03-02")), 1:0)
  expect_identical(unname(integral(dates, breaks = "month")[1, ]), c(26, 31, 31, 29, 1))
  expect_identical(integral(dates, breaks = seq(as.Date("2023-11-01"), by = "month", length.out = 6)),
                   integral(dates, breaks = "month"))
  expect_identical(unname(integral(dates, breaks = "quarter")[1, ]), c(57, 61))
  expect_identical(colnames(integral(dates, breaks = "year")), c("2023-01-01", "2024-01-01"))
  expect_identical(unname(integral(dates, breaks = "week")[1, 1:2]), c(1, 7)) # from a Sunday on
  at_midnight <- as_pcf(data.frame(time = as.Date("2024-01-01") + 0:2, value = 1:3))
  expect_identical(unname(integral(at_midnight, breaks = "day", missing = "mean")), rbind(c(1, 2)))
  one <- pcf(as.Date("2024-01-05"), 2)
  expect_identical(integral(one, breaks = "month")[[1]], 54)
})

test_that("integrals over bins are those over each bin, also where a weight is 0", {
  drawn <- function(most, values) {
    times <- sort(sample(seq(-2, 9, by = 0.5), sample(most, 1)))
    if (runif(1) < 0.3) times[1] <- -Inf
    pcf(times, sample(values, length(times), replace = TRUE))
  }
  with_seed(1, for (k in 1:150) {
    x <- do.call(c, lapply(1:3, function(i) drawn(6, if (k %% 2) c(-1, 0, 2) else c(-1, 2, NA))))
    weight <- drawn(5, c(0, 0, 1, 0.25))
    breaks <- sort(sample(seq(-3, 10, by = 0.5), 5))
    for (missing in c("error", "overlap", "mean")) {
      each <- function(b) integral(x, breaks[b], breaks[b + 1], missing = missing, weight = weight)
      expected <- tryCatch(vapply(1:4, each, numeric(3)), pcfdist_error_missing = function(error) NULL)
      found <- tryCatch(integral(x, breaks = breaks, missing = missing, weight = weight),
                        pcfdist_error_missing = function(error) NULL)
      # Functions may be observed on the same stretches of each bin, and all of them be refused.
      if (!is.null(expected) && !is.null(found)) expect_equal(unname(found), expected)
      if (!is.null(found)) expect_false(is.null(expected))
    }
  })
  expect_identical(unname(integral(pcf(0, 1), breaks = c(0, 2, 4), weight = pcf(2, 1))), rbind(c(0, 2)))
})

test_that("wrong breaks are errors that name the place", {
  x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
  refused(integral(x, breaks = 3), "breaks", "must be at least two increasing numbers, not 3.")
  refused(integral(x, breaks = c(1, 3, 2)), "breaks", "must increase, but is 3 and then 2 at position 3.")
  refused(integral(x, breaks = c(1, 1)), "breaks", "must increase, but is 1 and then 1 at position 2.")
  refused(integral(x, breaks = c(1, NA, 3)), "breaks", "must be finite, but is NA at position 2.")
  refused(integral(x, breaks = c(1, Inf)), "breaks", "must be finite, but is Inf at position 2.")
  refused(integral(x, breaks = "day"), "breaks",
          "must be at least two increasing numbers: plain numbers have no days or months.")
  refused(integral(x, to = 5, breaks = 1:2), "to",
          "cannot be used with `breaks`. The first and the last break are the ends of the window.")
  refused(integral(array(x, c(1, 2)), margin = 1, breaks = 1:2), "margin", "cannot be used with `breaks`. ",
          "Without it, there are integrals of all components, which apply() adds up.")
  refused(integral(as_plf(x), weight = x["a"], breaks = 1:2), "weight",
          "cannot be used with `breaks` for piecewise linear functions.")
  time_unit(x) <- "Date"
  refused(integral(x, breaks = 1:3), "breaks", "is a plain number, but the functions have dates as times. ", sets_unit)
  units <- '"day", "week", "month", "quarter", "year" or a multiple such as "2 days"'
  refused(integral(x, breaks = "hour"), "breaks", "must be times, or one of ", units, ', not "hour".')
  refused(integral(x, breaks = "0 days"), "breaks", "must be times, or one of ", units, ', not "0 days".')
  refused(integral(x, breaks = "1.5 days"), "breaks", "must be times, or one of ", units, ', not "1.5 days".')
  refused(integral(x[0], breaks = "day"), "breaks", "must be times if there are no functions to cover.")
})
