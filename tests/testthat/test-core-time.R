# Times with units: dates, instants, lengths of time, and calendars.

# The functions without their unit of time.
plain <- function(x) {
  if (is_pcf(x)) time_unit(x) <- NULL
  x
}

# Units under which the numbers of random functions are times.
units <- function() {
  list(
    Date = .Date(numeric()),
    UTC = .POSIXct(numeric(), "UTC"),
    Berlin = .POSIXct(numeric(), "Europe/Berlin"),
    hours = .difftime(numeric(), "hours"),
    secs = .difftime(numeric(), "secs"),
    months = time_unit(as_pcf(AirPassengers))
  )
}

with_unit <- function(x, unit) {
  time_unit(x) <- unit
  x
}

# A number as a time of this unit, and as a length of time.
time_of <- function(number, unit) {
  if (!inherits(unit, "pcf_calendar")) attributes(number) <- c(attributes(number), attributes(unit))
  number
}

length_of <- function(number, unit) {
  if (inherits(unit, "pcf_calendar")) return(number)
  units <- c(Date = "days", POSIXct = "secs")[class(unit)[1]]
  as.difftime(number, units = if (is.na(units)) attr(unit, "units") else unname(units))
}

dated <- function() {
  days <- as.Date("2024-02-27") + c(0, 4)
  pcf(list(a = days, b = days + 1), list(1:0, c(2, 0)))
}

# ---- Every function ----

# What the functions that take times give; `at` makes a time, `by` a length of time.
taking_times <- list(
  pdist = function(x, at, by) c(pdist(x, from = at(1), to = at(5))),
  cdist = function(x, at, by) cdist(x, x[1:2], p = 2, from = at(1), to = at(5)),
  l2_kernel = function(x, at, by) l2_kernel(x, to = at(5)),
  l2_kernel_xy = function(x, at, by) l2_kernel(x, x[1], to = at(5)),
  lp_distance = function(x, at, by) lp_distance(x, x[1], p = Inf, from = at(1), to = at(5)),
  lp_norm = function(x, at, by) lp_norm(x, from = at(1), to = at(5)),
  integral = function(x, at, by) integral(x, from = at(1), to = at(5)),
  evaluate = function(x, at, by) evaluate(x, at(c(u = 3, v = -1, w = Inf))),
  as.matrix = function(x, at, by) as.matrix(x, at(c(2, 4))),
  pcf_plan = function(x, at, by) pcf_plan(x, x, from = at(1), to = at(5))$rectangles,
  rectangles = function(x, at, by) {
    data <- rectangles(x[1], x[2], from = at(1), to = at(5))
    lapply(data, as.numeric)
  },
  data_frame = function(x, at, by) lapply(as.data.frame(x), as.vector),
  stepfun = function(x, at, by) stats::knots(as.stepfun(x[1])),
  equal = function(x, at, by) x == rev(x),
  duplicated = function(x, at, by) duplicated(c(x, x)),
  missing = function(x, at, by) is.na(x)
)

# What gives functions, and keeps their unit.
keeping_units <- list(
  subset = function(x, at, by) x[2:3],
  element = function(x, at, by) x[[1]],
  dollar = function(x, at, by) setNames(x, letters[seq_along(x)])$b,
  fill = function(x, at, by) {
    x[1:2] <- x[3]
    x[[4]] <- x[1]
    x$new <- x[2]
    x
  },
  remove = function(x, at, by) {
    x[2] <- NULL
    x
  },
  c = function(x, at, by) c(x, rev(x)),
  rep = function(x, at, by) rep(x, each = 2),
  unique = function(x, at, by) unique(c(x, x)),
  head = function(x, at, by) utils::head(x, 2),
  split = function(x, at, by) split(x, rep(1:2, length.out = length(x)))[[2]],
  lapply = function(x, at, by) lapply(x, identity)[[1]],
  array = function(x, at, by) {
    dim(x) <- c(2, 3)
    mean(x[, 2:3], margin = 2)
  },
  plus = function(x, at, by) x + rev(x),
  number = function(x, at, by) 2 * x - 1,
  power = function(x, at, by) abs(x)^2,
  negative = function(x, at, by) -x,
  above = function(x, at, by) x > 0,
  math = function(x, at, by) abs(x),
  sum = function(x, at, by) sum(x, weights = seq_along(x)),
  mean = function(x, at, by) mean(x),
  range = function(x, at, by) range(x),
  quantile = function(x, at, by) quantile(x, c(0.2, 0.5)),
  quantile_at = function(x, at, by) quantile(x, 0.5, times = at(1:4)),
  aggregate = function(x, at, by) aggregate(x, rep(1:2, length.out = length(x))),
  aggregate_each = function(x, at, by) {
    aggregate(x, rep(1:2, length.out = length(x)), function(f) f[1])
  },
  restrict = function(x, at, by) restrict(x, at(1), at(5)),
  restrict_each = function(x, at, by) restrict(x, at(1:6), at(8)),
  drop_redundant = function(x, at, by) drop_redundant(x),
  observed = function(x, at, by) observed(x),
  shift_time = function(x, at, by) shift_time(x, by(c(2, 3))),
  as_pcf = function(x, at, by) as_pcf(lapply(x, identity)),
  column = function(x, at, by) data.frame(f = I(x))[2:3, ],
  saved = function(x, at, by) unserialize(serialize(x, NULL))
)

test_that("measurements may end at time 0", {
  x <- as_pcf(data.frame(time = c(-1, 0), value = 1:2))
  expect_identical(format(x), "(-Inf, NA) (-1, 1) (0, 2) (0+, NA)")
  expect_identical(format(counting(-2, from = -3, to = 0)), "(-Inf, NA) (-3, 0) (-2, 1) (0+, NA)")
  expect_identical(end(counting(-2, from = -3, to = 0)), 0)
  dated <- as_pcf(data.frame(time = as.Date("1970-01-01") + (-1:0), value = 1:2))
  expect_identical(format(dated), "(-Inf, NA) (1969-12-31, 1) (1970-01-01, 2) (1970-01-01+, NA)")
  times <- c(-1e9, -1, -1e-300, 0, 1e-300, 1, 1e9)
  expect_identical(previous_time(next_time(times)), times)
})

test_that("a unit changes no number, and functions made of functions have it", {
  x <- random_pcf(6)
  for (unit in units()) {
    y <- with_unit(x, unit)
    at <- function(number) time_of(number, unit)
    by <- function(number) length_of(number, unit)
    for (f in taking_times) expect_identical(f(y, at, by), f(x, identity, identity))
    for (name in names(keeping_units)) {
      result <- keeping_units[[name]](y, at, by)
      expect_s3_class(result, "pcf")
      expect_identical(plain(result), plain(keeping_units[[name]](x, identity, identity)), info = name)
      expect_identical(time_unit(result), unit, info = name)
    }
  }
})

# Those that need no more than functions, so that new ones are tried without a word here.
test_that("whatever gives functions keeps the unit of time", {
  draw_nowhere()
  changing <- c("inverse", "as_pcf", "pcf")
  names <- union(getNamespaceExports("pcfdist"), utils::methods(class = "pcf"))
  functions <- mget(setdiff(names, changing), asNamespace("pcfdist"), mode = "function", ifnotfound = list(NULL))
  takes_functions <- function(f) {
    is.function(f) && any(names(formals(args(f)))[1] %in% c("x", "a", "e1", "object"))
  }
  functions <- Filter(takes_functions, functions)
  utils::capture.output(results <- lapply(functions, function(f) {
    tryCatch(suppressWarnings(f(dated())), error = function(error) NULL)
  }))
  kept <- Filter(is_pcf, results)
  for (name in names(kept)) expect_identical(time_unit(kept[[name]]), .Date(numeric()), info = name)
  expected <- c("drop_redundant", "observed", "restrict", "mean.pcf", "unique.pcf", "rep.pcf")
  expect_identical(setdiff(expected, names(kept)), character())
})

# ---- Reading ----

test_that("times keep their class, and its units and zone", {
  expect_identical(time_unit(dated()), .Date(numeric()))
  expect_null(time_unit(example_pcf()))
  instants <- as.POSIXct("2024-03-31 12:00", tz = "Asia/Tokyo") + 0:1
  expect_identical(time_unit(pcf(instants, 1:2)), .POSIXct(numeric(), "Asia/Tokyo"))
  expect_identical(pcf(as.POSIXlt(instants), 1:2), pcf(instants, 1:2))
  expect_identical(time_unit(pcf(Sys.time(), 1)), .POSIXct(numeric()))
  lengths <- as.difftime(c(0, 90), units = "mins")
  expect_identical(time_unit(pcf(lengths, 1:0)), .difftime(numeric(), "mins"))
  expect_identical(unclass(pcf(lengths, 1:0))[[1]][, "time"], c(0, 90))
})

test_that("all kinds of tables keep the class of their times", {
  days <- as.Date("2024-02-27") + c(0, 4)
  one <- data.frame(time = days, value = 1:0)
  expect_identical(as_pcf(one), measured(pcf(days, 1:0)))
  long <- data.frame(id = c("a", "a", "b", "b"), time = c(days, days + 1), value = c(1, 0, 2, 0))
  expect_identical(as_pcf(long), measured(dated()))
  expect_identical(as_pcf(long[4:1, ], sort = TRUE)[c("a", "b")], measured(dated()))
  expect_identical(as_pcf(as.data.frame(dated()), before = 0), dated())
  expect_identical(as_pcf(rbind(a = 1:0), times = days), measured(dated()["a"]))
  expect_identical(as_pcf(list(a = one, b = dated()["b"])), c(measured(dated()["a"]), dated()["b"]))
  mixed <- as_pcf(list(one, measured(pcf(as.POSIXct(format(days), tz = "UTC"), 1:0))))
  expect_identical(time_unit(mixed), .POSIXct(numeric(), "UTC"))
  expect_true(mixed[1] == mixed[2])
})

# ---- Going together ----

test_that("dates and instants agree", {
  x <- dated()
  days <- as.Date("2024-02-27") + c(0, 4)
  y <- pcf(as.POSIXct(format(days), tz = "UTC"), 1:0)
  expect_true(x["a"] == y)
  expect_identical(lp_distance(x["a"], y), c(a = 0))
  expect_identical(c(cdist(y, x["b"])), 86400 * 6)
  expect_identical(c(cdist(x["b"], y)), 86400 * 6)
  expect_identical(time_unit(c(x, y)), time_unit(y))
  expect_identical(unname(c(x, y)[3]), y)
  expect_identical(integral(x), c(a = 4, b = 8))
  noon <- as.POSIXct("2024-02-28 12:00", tz = "UTC")
  expect_identical(integral(x, from = noon), c(a = 2.5, b = 7))
  expect_identical(integral(y, to = as.Date("2024-02-29")), 2 * 86400)
})

test_that("lengths of time in different units are the same functions", {
  hours <- pcf(as.difftime(c(0, 1.5), units = "hours"), 1:0)
  minutes <- pcf(as.difftime(c(0, 90), units = "mins"), 1:0)
  expect_true(hours == minutes)
  expect_identical(c(hours, minutes), c(minutes, minutes))
  expect_identical(minutes + hours, 2 * minutes)
  minute <- as.difftime(1, units = "mins")
  hour <- as.difftime(1, units = "hours")
  expect_identical(pcf(list(hour, minute), list(1, 2)), pcf(list(60 * minute, minute), list(1, 2)))
  expect_identical(evaluate(hours, as.difftime(c(89, 90), units = "mins")), cbind(1, 0))
  expect_identical(shift_time(hours, as.difftime(30, units = "mins")),
                   pcf(as.difftime(c(0.5, 2), units = "hours"), 1:0))
  expect_identical(integral(minutes, to = as.difftime(1, units = "hours")), 60)
})

test_that("distances between units do not depend on the order", {
  x <- with_unit(random_pcf(5), "hours")
  y <- with_unit(random_pcf(4, seed = 2), "mins")
  to <- as.difftime(7, units = "mins")
  expect_identical(t(cdist(x, y, 2, to = to)), cdist(y, x, 2, to = to))
  expect_identical(cdist(x, y, to = to), cdist(with_unit(x, "mins"), y, to = to))
})

test_that("what is filled keeps its unit, and what is new gets one", {
  x <- dated()
  instants <- pcf(as.POSIXct("2024-01-01 12:00", tz = "UTC"), 1)
  x[2] <- instants
  expect_identical(time_unit(x), .Date(numeric()))
  expect_identical(unclass(x)[[2]][, "time"], c(time = 19723.5))
  new <- pcf(list(), list())
  new[1:2] <- dated()
  expect_identical(new, unname(dated()))
  expect_identical(time_unit(c(pcf(list(), list()), dated())), .Date(numeric()))
})

test_that("numbers and units do not mix", {
  x <- dated()
  number <- pcf(0, 1)
  hours <- pcf(as.difftime(1, units = "hours"), 1)
  date <- as.Date("2024-02-01")
  is_other_time <- function(call, what, is, has = "dates", also = "") {
    refused(call, what, "is ", is, ", but the functions have ", has, " as times. ", also, sets_unit)
  }
  one_date <- "an object of class <Date> of length 1"
  difftime <- function(units) paste0("A difftime is needed, such as as.difftime(1, units = \"", units, "\"). ")
  is_other_time(pdist(x, from = 1), "from", "a plain number")
  is_other_time(pdist(number, to = date), "to", one_date, "plain numbers")
  is_other_time(pdist(hours, to = date), "to", one_date, "time differences in hours")
  is_other_time(evaluate(x, 1:3), "times", "a plain number")
  is_other_time(evaluate(number, date), "times", one_date, "plain numbers")
  is_other_time(as.matrix(x, 1), "times", "a plain number")
  is_other_time(quantile(x, times = 1), "times", "a plain number")
  is_other_time(shift_time(x, 1), "by", "a plain number", also = difftime("days"))
  is_other_time(shift_time(hours, 1), "by", "a plain number", "time differences in hours", difftime("hours"))
  is_other_time(shift_time(number, as.difftime(1, units = "hours")), "by",
                "an object of class <difftime> of length 1", "plain numbers")
  have_other_times <- function(call, what, before, has = "plain numbers") {
    refused(call, what, "has ", has, " as times, but ", before, ". They cannot be combined. ", sets_unit)
  }
  have_other_times(cdist(x, number), "y", "`x` has dates")
  have_other_times(lp_distance(number, x), "g", "`f` has plain numbers", "dates")
  have_other_times(l2_kernel(x, hours), "y", "`x` has dates", "time differences in hours")
  have_other_times(pcf_plan(x, number), "y", "`x` has dates")
  have_other_times(rectangles(x[1], number), "g", "`f` has dates")
  have_other_times(c(x, number), "...", "what comes before has dates")
  have_other_times(x + number, "e2", "`e1` has dates")
  have_other_times(x == number, "e2", "`e1` has dates")
  have_other_times(x[1] <- number, "value", "`x` has dates")
  have_other_times(x[[1]] <- hours, "value", "`x` has dates", "time differences in hours")
  have_other_times(sum(x, number), "...", "what comes before has dates")
  have_other_times(aggregate(x, 1:2, function(f) if (names(f) == "a") f else number), "FUN",
                   "what comes before has dates")
  mixed <- "has plain numbers as times, but the one before has dates. They cannot be combined. "
  refused(pcf(list(date, 1), list(1, 1)), "times", "is invalid: function 2 ", mixed, sets_unit)
  refused(as_pcf(list(data.frame(time = date, value = 1), b = cbind(1, 2))), "x",
          'is invalid: function 2 ("b") ', mixed, sets_unit)
  for (limits in list(list(from = as.Date(NA)), list(to = as.Date(NA)))) {
    refused(do.call(pdist, c(list(x), limits)), names(limits), "must be one time, not NA.")
  }
  refused(pdist(x, from = as.Date("2024-03-02"), to = date), "from",
          "must be at most `to`: 2024-03-02 is greater than 2024-02-01.")
  refused(evaluate(x, "2024-02-01"), "times",
          'must be times without NA, not "2024-02-01". as.Date(times) converts it to dates.')
  refused(scale_time(x, 2), "x", "must have time differences or plain numbers as times, not dates. time_unit(x) <- ",
          "NULL makes them plain numbers.")
  refused(as_pcf(stepfun(1, 1:2), from = date), "from", "must be one finite number, not ", one_date, ".")
})

test_that("what has no finite times goes with any unit", {
  x <- dated()
  expect_identical(evaluate(x, c(-Inf, Inf)), evaluate(plain(x), c(-Inf, Inf)))
  expect_identical(pdist(x, from = -Inf)[1], pdist(plain(x))[1])
  expect_identical(time_unit(c(x, pcf(-Inf, 5))), time_unit(x))
  expect_identical(time_unit(pcf(list(-Inf, Sys.Date()), list(1, 1))), .Date(numeric()))
})

# ---- Setting ----

test_that("time_unit<- takes numbers, converts and drops", {
  x <- example_pcf()
  expect_identical(plain(with_unit(x, "hours")), x)
  hours <- with_unit(x, "hours")
  expect_identical(with_unit(with_unit(hours, "mins"), "hours"), hours)
  expect_identical(plain(with_unit(hours, as.difftime(1, units = "mins"))), scale_time(x, 60))
  days <- with_unit(x, Sys.Date())
  expect_identical(plain(with_unit(days, "POSIXct")), scale_time(x, 86400))
  tokyo <- with_unit(days, as.POSIXct(0, origin = "1970-01-01", tz = "Asia/Tokyo"))
  expect_identical(time_unit(tokyo), .POSIXct(numeric(), "Asia/Tokyo"))
  expect_identical(with_unit(tokyo, "Date"), days)
  expect_identical(scale_time(hours, 2), with_unit(scale_time(x, 2), "hours"))
  refused(time_unit(3), "x", "must be a <pcf>, not 3. ", makes_pcf)
  for (wrong in list("years", 3)) {
    refused(time_unit(x) <- wrong, "value", "must be NULL, a Date, POSIXct or difftime, or the name of a unit: ",
            '"Date", "POSIXct", "secs", "mins", "hours", "days", "weeks", not ',
            if (is.character(wrong)) '"years"' else wrong, ".")
  }
  no_way <- function(call, ...) {
    refused(call, "value", "cannot be the unit: ", ..., ". Set it to NULL first to drop the unit.")
  }
  no_way(time_unit(days) <- "hours", "dates cannot be converted to time differences in hours")
  no_way(time_unit(hours) <- Sys.time(), "time differences in hours cannot be converted to date-times")
})

test_that("neighbouring numbers stay apart, and neighbours", {
  eps <- .Machine$double.eps
  close <- with_unit(pcf(1.9 + c(0, eps, 2 * eps), 1:3), "Date")
  time_unit(close) <- "POSIXct"
  first <- 1.9 * 86400
  expect_identical(unclass(close)[[1]][, 1], first + 0:2 * 2^-35)
  expect_identical(
    shift_time(pcf(c(1.9, 1.9 + eps), 1:2), c(1e9, -1.9)),
    pcf(list(c(1e9 + 1.9, 1e9 + 1.9 + 2^-23), c(0, .Machine$double.xmin)), list(1:2, 1:2))
  )
})

# ---- Time zones, leap years ----

test_that("the clock may be set back, and years may leap", {
  night <- as.POSIXct("2024-10-27 00:00", tz = "Europe/Berlin")
  f <- pcf(night + c(0, 25 * 3600), 1:0)
  expect_identical(integral(f), 25 * 3600)
  expect_identical(integral(f, to = as.POSIXct("2024-10-27 23:00", tz = "UTC")), 25 * 3600)
  leap <- pcf(as.Date(c("2024-01-01", "2025-01-01")), 1:0)
  expect_identical(integral(leap), 366)
  expect_identical(evaluate(leap, as.Date(c("2024-02-29", "2025-01-01"))), cbind(1, 0))
})

# ---- Calendars ----

test_that("months and quarters are numbers that are shown", {
  months <- as_pcf(AirPassengers)
  numbers <- plain(months)
  expect_identical(pdist(c(months, numbers), to = 1960)[1], 0)
  expect_identical(integral(months, 1950, 1951), integral(numbers, 1950, 1951))
  expect_identical(time_unit(months + as_pcf(UKgas)), time_unit(months))
  expect_identical(time_unit(c(numbers, months)), time_unit(months))
  expect_null(time_unit(as_pcf(window(EuStockMarkets[, 1], 1998))))
  expect_type(as.data.frame(months)$time, "double")
  expect_error(c(months, dated()), class = "pcfdist_error_...")
})

test_that("months and quarters are met however their numbers were rounded", {
  for (frequency in c(4, 12)) {
    n <- 200 * frequency
    f <- as_pcf(ts(seq_len(n), start = 1900, frequency = frequency))
    k <- seq_len(n) - 1
    times <- (1900 * frequency + k) / frequency
    rounded <- list(
      times, 1900 + k %/% frequency + k %% frequency / frequency, 1900 + k / frequency,
      seq(1900, by = 1 / frequency, length.out = n), 1900 + k * (1 / frequency),
      1900 + cumsum(c(0, rep(1 / frequency, n - 1))), times * (1 - 2^-52), times * (1 + 2^-52)
    )
    for (queries in rounded) {
      expect_identical(c(evaluate(f, queries)), as.double(seq_len(n)))
      g <- pcf(queries, seq_len(n))
      time_unit(g) <- time_unit(f)
      expect_identical(unclass(g)[[1]][, "time"], times)
      expect_true(restrict(g, 1900, 2100) == restrict(f, 1900, 2100))
      expect_true(all(pcf(queries, seq_len(n)) == g))
    }
    late <- shift_time(f, 1 / frequency)
    expect_identical(c(evaluate(late, times)), c(NA, as.double(seq_len(n - 1))))
  }
  a <- as_pcf(AirPassengers)
  expect_identical(evaluate(a, 1955.5 - 1e-5), 315)
  expect_identical(start(shift_time(a, 1e-5)), 1949 + 1e-5)
})

# ---- Text ----

test_that("times are shown in their unit", {
  instants <- as.POSIXct("2024-03-31 00:59:59", tz = "UTC") + 0.5
  half <- with_unit(pcf(19000 + c(0, 0.5), 1:2), "Date")
  late <- with_unit(pcf(c(-Inf, 19000), c(NA, 1)), "Date")
  fractions <- pcf(instants + c(0, 60), 1:2)
  minutes <- pcf(as.difftime(c(0, 90), units = "mins"), 1:0)
  whole_days <- pcf(as.POSIXct(c("2024-03-31", "2024-04-01"), tz = "Europe/Berlin"), 1:2)
  shifted <- shift_time(as_pcf(UKgas), 0.01)
  expect_snapshot({
    dated()
    summary(dated())
    str(dated())
    half
    late
    fractions
    whole_days
    minutes
    as_pcf(AirPassengers)
    as_pcf(UKgas)
    shifted
    time_unit(as_pcf(UKgas))
  })
})

test_that("data frames have times in their unit", {
  skip_if(odd_options, "R prints data frames according to its options")
  expect_snapshot({
    as.data.frame(dated())
    rectangles(dated()["a"], dated()["b"])
  })
})

# Times of a function as print() shows them.
shown_times <- function(times, ...) {
  text <- format(pcf(times, seq_along(times)), ...)
  sub("^\\((.*), [0-9]+\\)$", "\\1", strsplit(text, "(?<=\\)) ", perl = TRUE)[[1]])
}

test_that("fractions of seconds are rounded", {
  midnight <- as.POSIXct("2024-01-01", tz = "UTC")
  tenths <- paste0("2024-01-01 00:00:00.", 0:3)
  expect_identical(shown_times(midnight + 0:3 / 10), tenths)
  expect_identical(shown_times(midnight + c(0.9996, 5)), paste0("2024-01-01 00:00:0", c("1.000", "5.000")))
  expect_identical(shown_times(midnight + c(1e-4, 2e-4)), paste0(tenths[1], c("001", "002")))
  expect_identical(shown_times(midnight + c(86399.9999, 86401)), paste0("2024-01-02 00:00:0", c("0.000", "1.000")))
  expect_identical(shown_times(midnight - 0.25), "2023-12-31 23:59:59.75")
  expect_identical(shown_times(as.POSIXct("1969-12-31 23:59:59", tz = "UTC") + 0.3), "1969-12-31 23:59:59.3")
  expect_identical(shown_times(as.Date("2024-01-01") + 0.1 / 86400), tenths[2])
  expect_identical(anyDuplicated(shown_times(midnight + c(0, 2^-22))), 0L)
  expect_error(log(pcf(midnight + 0.3, -1)), "00:00:00.3", fixed = TRUE)
  expect_error(log(pcf(midnight + 0.000123, -1)), "00:00:00.000123", fixed = TRUE)
})

test_that("times next to each other are told apart, in errors too", {
  expect_identical(shown_times(1e8 + 1:3), c("100000001", "100000002", "100000003"))
  expect_identical(shown_times(c(1991.496154, 1991.5, 2000)), c("1991.496", "1991.5", "2000"))
  expect_identical(shown_times(c(0.123456, 0.5)), c("0.1235", "0.5"))
  expect_identical(anyDuplicated(shown_times(c(1, 1 + 2^-52, 1 + 2^-51))), 0L)
  weeks <- as_pcf(ts(1:3, start = c(2020, 3), frequency = 52))
  expect_identical(format(weeks), "(-Inf, NA) (2020.04, 1) (2020.06, 2) (2020.08, 3) (2020.1, NA)")
  expect_match(format(as_pcf(EuStockMarkets)[1]), "(1991.496, 1629) (1991.5, 1614)", fixed = TRUE)
  lengths <- as.difftime(c(1000.1, 1000.2), units = "mins")
  expect_identical(shown_times(lengths), c("1000.1 mins", "1000.2 mins"))
  expect_match(format(summary(pcf(1e8 + 1:2, 1:2)))[["last time"]], "100,000,002", fixed = TRUE)
  expect_identical(format(pcf(c(-Inf, 1e8, 1e8 + 1), 1:3)), "(-Inf, 1) (1e+08, 2) (100000001, 3)")
  expect_error(pcf(c(1 + 2^-52, 1), 1:2), "time 1 at position 2, after 1.0000000000000002")
  expect_error(restrict(pcf(0, 1), 1e8 + 1, 1e8), "100000001 is greater than 1e+08", fixed = TRUE)
  expect_error(shift_time(pcf(c(1, 1 + 2^-51), 1:2), 3), "times 1 and 1.0000000000000004 would")
})

test_that("instants without a zone are shown in local time", {
  expect_match(capture.output(print(pcf(Sys.time(), 1)))[1], "times in local time", fixed = TRUE)
})

test_that("errors tell the times in their unit", {
  days <- as.Date("2024-02-27")
  refused(pcf(days - c(0, 1), 1:2), "times",
          "is invalid: the function has the time 2024-02-26 at position 2, after 2024-02-27. Times must increase.")
  refused(pcf(c(days, days), 1:2), "times",
          "is invalid: the function has the time 2024-02-27 twice, at positions 1 and 2.")
  expect_refusal(log(pcf(days, -1)), "values",
                 "`log` must give finite values: the function gives NaN from its value -1 at the time 2024-02-27.")
  expect_refusal(1 / pcf(days, 0), "values",
                 "`/` must give finite values: the function gives Inf from 1 / 0 at the time 2024-02-27.")
  refused(shift_time(pcf(days + 0:1, 1:2), as.difftime(1e20, units = "days")), "by",
          "is too large or too small: of the function, the times 2024-02-27 and 2024-02-28 would both be 1e+20.")
  error <- tryCatch(log(pcf(days, -1)), error = identity)
  expect_identical(error$time, days)
})

test_that("a damaged unit is an error", {
  x <- dated()
  for (unit in list("days", structure(integer(), class = "Date"), structure(0, class = "Date"))) {
    attr(x, "time_unit") <- unit
    expect_error(pdist(x), "unit of time is unknown", class = "pcfdist_error_x")
    expect_error(c(x), class = "pcfdist_error_...")
  }
})

# ---- Tibbles ----

test_that("columns of tibbles keep the unit", {
  skip_if_not_installed("dplyr")
  skip_if_not_installed("tibble")
  x <- dated()
  data <- tibble::tibble(id = 1:2, f = x)
  means <- dplyr::summarise(dplyr::group_by(data, id), f = mean(f))
  for (table in list(data[2, ], dplyr::bind_rows(data, data), dplyr::filter(data, id == 2), means)) {
    expect_identical(time_unit(table$f), time_unit(x))
  }
  instants <- tibble::tibble(id = 3, f = pcf(as.POSIXct("2024-01-01", tz = "UTC"), 1))
  joined <- dplyr::bind_rows(data, instants)
  expect_identical(unname(joined$f), unname(c(x, instants$f)))
  expect_error(dplyr::bind_rows(data, tibble::tibble(id = 3, f = pcf(0, 1))), "time_unit")
})

test_that("columns of the class POSIXlt are times", {
  x <- data.frame(id = "a", value = 1:2)
  x$time <- as.POSIXlt(c("2024-01-01", "2024-01-02"), tz = "UTC")
  f <- pcf(list(a = as.POSIXct(x$time)), list(1:2))
  expect_identical(as_pcf(x), measured(f))
  expect_identical(as_pcf(x[2:3]), measured(unname(f)))
  expect_identical(as_pcf(list(a = x[c("value", "time")])), measured(f))
  x$until <- as.POSIXlt("2024-01-05", tz = "UTC")
  ended <- pcf(list(a = as.POSIXct(c(x$time, x$until[1]))), list(c(1, 2, NA)))
  expect_identical(as_pcf(x, until = "until"), measured(ended))
})
