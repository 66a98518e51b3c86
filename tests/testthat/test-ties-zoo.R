# Series of the packages zoo and xts.

skip_if_not_installed("zoo")

days <- as.Date("2024-02-27") + c(0, 2, 5)

test_that("each column of a series is a function", {
  values <- cbind(a = c(1, 3, 0), b = c(2, NA, 0))
  x <- as_pcf(zoo::zoo(values, days))
  expect_identical(x, measured(pcf(list(a = days, b = days), list(values[, 1], values[, 2]))))
  filled <- as_pcf(zoo::zoo(values, days), na.rm = TRUE)
  expect_identical(filled["b"], measured(pcf(list(b = days[-2]), list(c(2, 0)))))
  expect_identical(as_pcf(zoo::zoo(1:3, c(1, 2.5, 4))), measured(pcf(c(1, 2.5, 4), 1:3)))
  one <- pcf(list(one = days), list(1:3))
  expect_identical(as_pcf(list(one = zoo::zoo(1:3, days))), measured(one))
})

test_that("functions end where they are told", {
  x <- zoo::zoo(cbind(a = c(1, 3, 0), b = c(2, NA, 0)), days)
  end <- as.Date("2024-03-01")
  ended <- pcf(list(a = c(days[1:2], end)), list(c(1, 3, NA)))
  expect_identical(as_pcf(x, until = end)["a"], measured(ended))
  expect_identical(as_pcf(x, until = as.POSIXct(end)), as_pcf(x, until = end))
  last <- as_pcf(x[, "b"], until = "last", na.rm = TRUE)
  expect_identical(last, measured(pcf(days[c(1, 3)], c(2, 0))))
  expect_identical(as_pcf(x, until = Inf)["b"], pcf(list(b = c(days[1] - Inf, days)), list(c(NA, 2, NA, 0))))
})

test_that("the index becomes the unit of time", {
  instants <- as.POSIXct("2024-03-31 01:00", tz = "Europe/Berlin") + 3600 * 0:2
  hours <- as.difftime(0:2, units = "hours")
  months <- zoo::as.yearmon(1956 + 0:2 / 12)
  for (index in list(days, instants, hours)) {
    expect_identical(as_pcf(zoo::zoo(1:3, index)), measured(pcf(index, 1:3)))
  }
  expect_identical(measured(pcf(months, 1:3)), as_pcf(zoo::zoo(1:3, months)))
  expect_identical(time_unit(as_pcf(zoo::zoo(1:3, months))), time_unit(as_pcf(AirPassengers)))
  expect_identical(time_unit(as_pcf(zoo::zoo(1:3, zoo::as.yearqtr(1956 + 0:2 / 4)))), time_unit(as_pcf(UKgas)))
  expect_match(format(as_pcf(zoo::zoo(1:3, months))), "(1956 Jan, 1) (1956 Feb, 2)", fixed = TRUE)
})

test_that("functions become series and functions again", {
  for (unit in list(NULL, "Date", "POSIXct", "mins", time_unit(as_pcf(AirPassengers)))) {
    x <- random_pcf(6)
    time_unit(x) <- unit
    names(x) <- letters[1:6]
    series <- zoo::as.zoo(x)
    expect_identical(as_pcf(series, before = 0) == x, setNames(rep(TRUE, 6), letters[1:6]))
    if (!inherits(time_unit(x), "pcf_calendar")) {
      expect_identical(time_unit(as_pcf(series)), time_unit(x))
    }
    expect_true(as_pcf(zoo::as.zoo(unname(x[2])), before = 0) == unname(x[2]))
  }
})

test_that("series of ts have the same times as series of zoo and xts", {
  skip_if_not_installed("xts")
  allow_plain_numbers() # for the dates of xts
  for (x in list(AirPassengers, co2, datasets::sunspots, UKgas, Nile)) {
    f <- as_pcf(x)
    expect_true(as_pcf(zoo::as.zoo(f)) == f)
    expect_true(as_pcf(zoo::as.zoo(x), until = Inf) == as_pcf(x, after = "hold"))
    expect_identical(c(evaluate(f, zoo::index(zoo::as.zoo(x)))), as.double(x))
    if (frequency(x) %in% c(4, 12)) {
      expect_true(as_pcf(xts::as.xts(x), until = Inf) == as_pcf(x, after = "hold"))
      expect_true(as_pcf(xts::as.xts(f)) == f)
    }
  }
  weekly <- ts(1:3000, start = c(1990, 33), frequency = 52)
  series <- zoo::as.zoo(weekly) # whose index has other rounding errors
  expect_true(as_pcf(zoo::as.zoo(as_pcf(weekly))) == as_pcf(weekly))
  expect_identical(c(evaluate(as_pcf(series), zoo::index(series))), as.double(weekly))
  expect_identical(c(evaluate(as_pcf(series), time(weekly))), as.double(weekly))
  months <- zoo::as.yearmon(1900 + 0:2399 / 12)
  f <- as_pcf(ts(1:2400, start = 1900, frequency = 12))
  expect_identical(c(evaluate(f, months)), as.double(1:2400))
  expect_identical(c(evaluate(f, zoo::as.yearmon("1955-07") + 0:1)), c(667, 679))
  expect_true(pcf(months, 1:2400) == as_pcf(zoo::zoo(1:2400, months), before = 0))
})

test_that("series become functions and series again, and what is not observed is missing", {
  values <- cbind(a = c(NA, 3, 0), b = c(2, NA, 0))
  months <- zoo::as.yearmon(1956 + 0:2 / 12)
  quarters <- zoo::as.yearqtr(1956 + 0:2 / 4)
  for (index in list(days, c(1, 2.5, 4), months, quarters, as.POSIXct(days))) {
    series <- zoo::zoo(values, index)
    expect_equal(zoo::as.zoo(as_pcf(series)), series)
    expect_equal(zoo::as.zoo(as_pcf(series[, "b"])), series[, "b"])
  }
  late <- pcf(list(a = c(-Inf, 3), b = 1), list(c(NA, 5), 2))
  expect_identical(zoo::coredata(zoo::as.zoo(late)), cbind(a = c(NA, 5), b = c(2, 2)))
})

test_that("series of xts are read and written", {
  skip_if_not_installed("xts")
  values <- cbind(a = c(1, 3, 0), b = c(2, 4, 0))
  instants <- as.POSIXct("2024-03-31 01:00", tz = "Europe/Berlin") + 3600 * 0:2
  for (index in list(days, instants)) {
    series <- xts::xts(values, index)
    x <- as_pcf(series)
    expect_identical(x, measured(pcf(list(a = index, b = index), list(values[, 1], values[, 2]))))
    expect_identical(as_pcf(xts::as.xts(x)), x)
    again <- xts::as.xts(x)
    expect_identical(zoo::coredata(again), values)
    expect_identical(as.double(zoo::index(again)), as.double(index))
    expect_s3_class(zoo::index(again), class(index))
  }
})

test_that("parts of days become series of date-times", {
  skip_if_not_installed("xts")
  f <- pcf(as.Date("2024-01-01") + c(0, 0.5, 1), 1:3)
  expect_identical(as_pcf(zoo::as.zoo(f), before = 0), f)
  time_unit(f) <- "POSIXct"
  expect_true(as_pcf(xts::as.xts(f), before = 0) == f)
})

test_that("what is no series is an error", {
  skip_if_not_installed("xts")
  refused(as_pcf(zoo::zoo(letters[1:3], days)), "x", "must have numeric values, not a character vector of length 3.")
  refused(as_pcf(zoo::zoo(1:3, letters[1:3])), "x",
          "must have an index of numbers or times, not a character vector of length 3.")
  refused(suppressWarnings(as_pcf(zoo::zoo(1:3, c(1, 1, 2)))), "x",
          "is invalid: the function has the time 1 twice, at positions 1 and 2.")
  refused(as_pcf(zoo::zoo(1:3, days), na.rm = NA), "na.rm", "must be TRUE or FALSE, not NA.")
  refused(as_pcf(zoo::zoo(1:3, days), until = 3), "until",
          "is a plain number, but the functions have dates as times. ", sets_unit)
  refused(as_pcf(zoo::zoo(1:3, days), until = "first"), "until", 'must be a time, "last" or Inf, not "first".')
  refused(as_pcf(zoo::zoo(1:3, days), sort = TRUE), "sort",
          "is not an argument of as_pcf() for a zoo series, which takes `na.rm`, `until`, `before`, `gaps`.")
  refused(zoo::as.zoo(pcf(0, 1), by = 2), "by", "is not an argument of this function.")
  refused(zoo::as.zoo(pcf(list(0, b = c(-Inf, 1)), list(1, c(1, 0)))), "x",
          'cannot become a series: function 2 ("b") has the value 1 from -Inf on. Use restrict() with `from` first.')
  refused(zoo::as.zoo(pcf(numeric(), list())), "x", "must have at least one function to become a series.")
  refused(xts::as.xts(pcf(0, 1)), "x",
          "must have dates, date-times or a calendar as times, not plain numbers. time_unit(x) <- sets the unit.")
  refused(xts::as.xts(pcf(as.Date("2024-01-01"), 1)[0]), "x", "must have at least one function to become a series.")
  refused(xts::as.xts(pcf(as.Date("2024-01-01") + c(0, 0.5, 1), 1:3)), "x",
          "cannot become an xts series: it has the time 2024-01-01 12:00:00, which is not a whole day. time_unit(x) ",
          '<- "POSIXct" converts dates to date-times, which keep it.')
  refused(xts::as.xts(shift_time(as_pcf(UKgas), 0.01)), "x", "cannot become an xts series: it has the time 1960.01, ",
          "which is not the beginning of a quarter. zoo::as.zoo() takes any times.")
  refused(xts::as.xts(shift_time(as_pcf(AirPassengers), 0.01)), "x", "cannot become an xts series: it has the time ",
          "1949.01, which is not the beginning of a month. zoo::as.zoo() takes any times.")
})
