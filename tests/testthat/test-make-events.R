test_that("counts go up at each event, from the begin to the end", {
  x <- counting(list(a = c(1, 2, 2, 5), b = numeric(), c = c(0, 6)), from = 0, to = 6)
  end <- pcfdist:::next_time(6)
  expect_identical(x, pcf(
    list(a = c(-Inf, 0, 1, 2, 5, end), b = c(-Inf, 0, end), c = c(-Inf, 0, 6, end)),
    list(c(NA, 0, 1, 3, 4, NA), c(NA, 0, NA), c(NA, 1, 2, NA))
  ))
  expect_identical(evaluate(x, c(0, 6)), rbind(a = c(0, 4), b = c(0, 0), c = c(1, 2)))
  expect_identical(counting(c(1, 2, 2)), pcf(1:2, c(1, 3)))
  expect_identical(counting(list(numeric(), 3)), c(pcf(0, 0), pcf(3, 1)))
  expect_identical(counting(list(numeric(), 3), from = 2), pcf(
    list(c(-Inf, 2), c(-Inf, 2, 3)), list(c(NA, 0), c(NA, 0, 1))
  ))
  expect_identical(counting(list(), to = 3), pcf(list(), list()))
})

test_that("a table of events has a function for each id", {
  events <- data.frame(id = c("u", "v", "u", "u"), day = c(1, 3, 4, 4), kind = c("x", "x", "y", "y"))
  lists <- list(u = c(1, 4, 4), v = 3)
  expect_identical(counting(events, id = "id", time = "day"), counting(lists))
  ended <- counting(events, id = "id", time = "day", from = 0, to = c(v = 5, u = 7))
  expect_identical(ended, counting(lists, from = 0, to = c(7, 5)))
  expect_identical(
    interspike(events[1:3, ], id = c("id", "kind"), time = "day", from = 0, to = 9),
    interspike(list("u, x" = 1, "v, x" = 3, "u, y" = 4), from = 0, to = 9)
  )
  expect_identical(counting(events[c(1, 3:4), ], id = NULL, time = "day"), counting(c(1, 4, 4)))
  expect_identical(counting(events[, 1:2], time = "day"), counting(lists))
})

test_that("events keep the unit of their times", {
  days <- as.Date("2024-01-01") + c(0, 2, 2, 9)
  x <- counting(list(days, days[0]), from = days[1], to = as.Date("2024-02-01"))
  expect_identical(time_unit(x), as.Date(character()))
  expect_identical(as.vector(evaluate(x, days[4])), c(4, 0))
  expect_identical(
    integral(interspike(days, from = days[1], to = days[4])), integral(interspike(c(0, 2, 9), from = 0, to = 9))
  )
  instants <- as.POSIXlt(days)
  expect_identical(counting(instants), counting(as.POSIXct(instants)))
})

test_that("events that cannot be read are errors that name the place", {
  is_invalid <- function(x, ..., from = 0, to = 9) {
    for (f in c(counting, interspike)) {
      refused(f(x, from = from, to = to), "x", "is invalid: ", ...)
    }
  }
  is_invalid(list(1, c(2, NA)), "function 2 has a missing time (NA) at position 2. Leave out what is missing: ",
             "lapply(x, na.omit).")
  is_invalid(data.frame(id = 1, time = c(1, NA)), "function 1 (\"1\") has a missing time (NA) in row 2. Leave out ",
             "what is missing: x[!is.na(x$time), ].")
  is_invalid(c(1, NA), "the function has a missing time (NA) at position 2. Leave out what is missing: na.omit(x).")
  is_invalid(2:1, "the function has the time 1 at position 2, after 2. Times must increase: sort(x) sorts them.")
  is_invalid(list(a = Inf), 'function 1 ("a") has an infinite time (Inf) at position 1.')
  is_invalid(list(1:3, c(3, 5, 4)), "function 2 has the time 4 at position 3, after 5. Times must increase: ",
             "lapply(x, sort) sorts them.")
  is_invalid(c(1, 10), "the function has the time 10 at position 2, after `to`, 9.")
  is_invalid(list(5, 5), "function 2 has the time 5 at position 1, before `from`, 6.", from = c(0, 6))
  table <- data.frame(id = c("a", "b", "a"), time = c(3, 1, 2))
  is_invalid(table, 'function 1 ("a") has the time 2 in row 3, after 3. Times must increase: ',
             "x[order(match(x$id, x$id), x$time), ] sorts them.")
  is_invalid(list(diag(2)), "the function has a double matrix of length 4, not a vector of times.")
  expect_identical(counting(lapply(list(1, c(2, NA)), na.omit)), counting(list(1, 2)))
  refused(counting(diag(2) * 3), "x", "must be a list of times, not a double matrix of length 4. Use ",
          "as.list(as.data.frame(x)) for one with a vector for each column.")
  refused(counting(as.Date("2024-02-01"), from = "2024-01-01"), "from",
          'must be one time, or 1, one for each function, not "2024-01-01". as.Date(from) converts it to dates.')
  is_invalid(NULL, "the function has NULL, not a vector of times.")
  is_invalid(list("b"), 'the function has "b" where numbers are needed.')
  found <- tryCatch(counting(list(1, c(2, NA))), error = identity)
  expect_identical(found[c("index", "position")], list(index = 2L, position = 2L))

  trains <- list(a = 1, b = 2)
  refused(interspike(trains, to = 3), "from", "is missing: the time at which observation starts.")
  refused(interspike(trains, from = 0), "to", "is missing: the time at which observation ends.")
  refused(interspike(trains, from = 0, to = Inf), "to", "must be finite, not Inf at position 1.")
  refused(counting(trains, to = 1:3), "to", "must be one time, or 2, one for each function, not an integer vector of ",
          "length 3. A list needs an empty vector for a function without events, see ?counting.")
  refused(counting(trains, to = c(3, NA)), "to", "must be times without NA, not NA at position 2.")
  refused(counting(trains, to = c(a = 3, c = 3)), "to", "has names that do not match those of the functions: no ",
          'element is named "b". Use unname(to) to match by position.')
  refused(counting(trains, from = 4, to = 5:4), "to",
          'must be later than `from`, but function 2 ("b") has `from` 4 and `to` 4.')
  refused(counting(trains, id = "a"), "id", "needs a data frame, but `x` is a list of length 2.")
  refused(counting(table, id = "who"), "id", 'must be the name of a column of `x` (id, time), not "who".')
  refused(counting(), "x", "is missing: a list of times, or a data frame with a row for each event.")
})

# Runs the code in backquotes or between two texts of the message of an error.
run_advice <- function(call, before, after, ...) {
  message <- conditionMessage(tryCatch(call, pcfdist_error = identity))
  code <- sub(paste0(".*", before), "", sub(after, "", message))
  eval(str2lang(code), list(...), globalenv())
}

test_that("0 and 1 that tell whether there was an event are not read as times", {
  with_seed(1, for (case in 1:10) {
    times <- sort(runif(12))
    x <- matrix(sample(0:1, 60, TRUE), 5, dimnames = list(letters[1:5], NULL))
    expected <- list(a = 1, b = 1, c = 1, d = 1, e = 1)
    for (k in 1:5) expected[[k]] <- times[x[k, ] == 1]
    for (raster in list(x, x == 1)) {
      read <- run_advice(counting(raster), "for an event, ", " has the times.*", x = raster, times = times)
      expect_identical(read, expected)
    }
    expect_identical(lapply(asplit(t(x) == 1, 2), function(event) times[event]), expected)
    rows <- asplit(x, 1)
    expect_identical(run_advice(counting(rows), "`times`, use ", "\\.$", x = rows, times = times), expected)
    row <- c(x[1, ], 1, 0)
    expect_identical(run_advice(interspike(row, from = 0, to = 1), "use ", "\\.$", x = row, times = c(times, 2, 3)),
                     c(expected$a, 2))
  })
})

test_that("rows of a table that are no events are not counted", {
  allow_plain_numbers()
  events <- list(p1 = c(3, 5), p2 = numeric(), "100" = 4)
  table <- data.frame(
    id = c("p1", "p1", "p1", "p2", "100", "100"), time = c(3, 5, 9, 7, 4, 8), event = c(1, 1, 0, 0, 1, 0)
  )
  to <- c(p1 = 9, p2 = 7, "100" = 8)
  refused(counting(table, from = 0), "x", "has the column `event`, which is 0 in row 3, but each row counts as an ",
          "event. with(x[which(x$event == 1), ], split(time, factor(id, unique(x$id)))) keeps the others; give the ",
          "end of observation as `to`. If all rows are events, remove the column.")
  coded <- list(
    event = table$event, Status = table$event + 1L, spike = table$event == 1, status = factor(table$event)
  )
  for (k in seq_along(coded)) for (f in c(counting, interspike)) {
    x <- setNames(data.frame(table[1:2], coded[[k]]), c("id", "time", names(coded)[k]))
    kept <- run_advice(f(x, "id", from = 0, to = 10), "as an event. ", " keeps .*", x = x)
    expect_identical(f(kept, from = 0, to = to), f(events, from = 0, to = to))
    only <- run_advice(f(x, NULL, from = 0, to = 10), "as an event. ", " keeps .*", x = x)
    expect_identical(only[1:2], x[c(1, 2, 5), 1:2])
  }
  expect_length(counting(table[table$event == 1, ], from = 0), 2)
})

test_that("a column that may tell which rows are events is not ignored, whatever its values", {
  allow_plain_numbers()
  table <- data.frame(id = c("a", "a", "b", "c"), time = c(1, 2, 3, 4))
  refused(counting(cbind(table, status = c(0, 1, 2, 1))), "x", "has the column `status`, which is 0 in row 1 and 1 ",
          "in row 2, but each row counts as an event. If 1 stands for an event, with(x[which(x$status == 1), ], ",
          "split(time, factor(id, unique(x$id)))) keeps the rows with 1; give the end of observation as `to`. If all ",
          "rows are events, remove the column.")
  unclear <- list(
    c("dead", "alive", "dead", NA), c("alive", "dead", "alive", "dead"),
    factor(c("censored", "event", "event", "event")), c("no", "yes", "no", "yes"), c("", "1", "1", ""),
    c("T", "TRUE", "F", "T"), c(2, 5, 2, 5), c(2, NA, 2, 2), c(0.1 + 0.2, 0.3, 1, 1),
    c("a \"b\"", "c", "d", "e"), letters[1:4], 1:4, as.Date(c("2024-01-02", "2024-01-03", NA, NA))
  )
  for (status in unclear) for (f in c(counting, interspike)) {
    x <- cbind(table, status = status)
    chosen <- run_advice(f(x, from = 0, to = 9), "If ", " stands for an event.*", x = x)
    events <- which(status == chosen)
    expect_true(length(events) > 0 && length(events) < 4)
    for (id in list("id", NULL)) {
      kept <- run_advice(f(x, id, from = 0, to = 9), "stands for an event, ", " keeps .*", x = x)
      wanted <- if (is.null(id)) table$time[events] else split(table$time[events], factor(table$id)[events])
      got <- if (is.null(id)) f(kept, id, from = 0, to = 9) else f(kept, from = 0, to = 9)
      expect_identical(got, f(wanted, from = 0, to = 9))
    }
  }
  for (status in list(c("1", "0", "1", "1"), factor(c(1, 0, 1, 1)), c("TRUE", "FALSE", "TRUE", "TRUE"),
                      factor(c(2, 1, 2, 2)), c(1, NA, 1, 1), c(TRUE, NA, TRUE, TRUE), c("true", NA, "true", "true"))) {
    x <- cbind(table, event = status)
    kept <- run_advice(counting(x), "as an event. ", " keeps .*", x = x)
    expect_identical(kept, list(a = 1, b = 3, c = 4))
  }
})

test_that("a column with one value, or of the ids, is no reason to refuse a table", {
  table <- data.frame(id = c("a", "a", "b"), time = 1:3)
  for (status in list(1, 2, TRUE, NA, "dead", factor("dead", c("alive", "dead")))) {
    expect_identical(counting(cbind(table, status = status)), counting(table))
  }
  for (status in list(0, FALSE, "0", "FALSE")) {
    expect_objection(counting(cbind(table, status = status)), "x", "has the column `status`, which is ")
  }
  kinds <- cbind(table, event = c("x", "y", "x"))
  expect_named(counting(kinds, id = c("id", "event")), c("a, x", "a, y", "b, x"))
  expect_objection(counting(kinds), "x", "has the column `event`, which is \"x\" in row 1 and \"y\" in row 2")
  kinds <- cbind(table, kind = c("x", "y", "x"))
  expect_objection(counting(kinds), "id", "does not include the column `kind`")
  no_column(counting(cbind(table["id"], day = 1:3, event = c(1, 0, 1))), "time", "id, day, event")
})

# ---- The ISI distance ----

isi_distances <- function(trains, from, to) {
  pdist(interspike(trains, from = from, to = to), distance = "relative", missing = "mean")
}

# Computed by isi_distance_matrix() of PySpike 0.9.0, of SpikeTrain(times, [0, 10]).
test_that("the ISI distance is that of PySpike, at the edges too", {
  trains <- list(
    c(0.5, 1.25, 2, 3.75, 7.5), c(0, 2.5, 2.75, 9, 10), 4, numeric(), 0, 10, c(1, 9.5),
    c(0.25, 0.5, 0.75, 8, 8.125, 9.875)
  )
  wanted <- matrix(0, 8, 8)
  wanted[upper.tri(wanted)] <- c(
    0.5317619047619048,
    0.4875, 0.2655208333333333,
    0.72, 0.5362500000000001, 0.4800000000000001,
    0.72, 0.5362500000000001, 0.4800000000000001, 0,
    0.72, 0.5362500000000001, 0.4800000000000001, 0, 0,
    0.6705882352941176, 0.4544117647058824, 0.38823529411764707, 0.15, 0.15, 0.15,
    0.6120833333333333, 0.39681403940886695, 0.43001975574712653, 0.43953125, 0.43953125, 0.43953125, 0.340625
  )
  d <- isi_distances(trains, 0, 10)
  expect_near(d, t(wanted)[lower.tri(wanted)], 1e-14)
  x <- interspike(trains, from = 0, to = 10)
  part <- pdist(x[c(1, 8)], distance = "relative", missing = "mean", from = 2, to = 7)
  expect_near(as.vector(part), 0.5793103448275863, 1e-14)
})

test_that("repeated spikes are one, and a shift or another unit of time changes nothing", {
  trains <- with_seed(1, lapply(1:6, function(i) sort(sample(0:80, 9 * i, replace = TRUE)) / 8))
  d <- isi_distances(trains, 0, 10)
  expect_identical(c(isi_distances(lapply(trains, unique), 0, 10)), c(d))
  expect_near(isi_distances(lapply(trains, function(t) 3 + 1000 * t), 3, 10003), d, 1e-12)
})

# ---- What vignettes/spike-trains.Rmd shows ----

test_that("the profile of two trains has the ISI distance as its mean", {
  x <- interspike(with_seed(1, list(sort(runif(20, 0, 10)), sort(runif(30, 0, 10)))), from = 0, to = 10)
  r <- rectangles(x[1], x[2], from = 0, to = 10)
  profile <- pcf(r$left, abs(r$f - r$g) / pmax(r$f, r$g))
  isi <- lp_distance(x[1], x[2], distance = "relative", missing = "mean")
  expect_near(integral(profile, 0, 10) / 10, isi, 1e-14)
})

test_that("differences of the sum of counts are counts in bins", {
  trains <- with_seed(1, lapply(1:5, function(i) sort(runif(40, 0, 10))))
  sums <- c(evaluate(sum(counting(trains, from = 0, to = 10)), 0:10))
  expect_identical(diff(sums), as.double(hist(unlist(trains), 0:10, plot = FALSE)$counts))
})

test_that("mean cumulative functions come from the package survival", {
  skip_if_not_installed("survival")
  cgd <- survival::cgd
  patients <- split(cgd, cgd$id)
  sick <- counting(
    lapply(patients, function(p) p$tstop[p$status == 1]), from = 0,
    to = vapply(patients, function(p) max(p$tstop), 0)
  )
  fit <- survival::survfit(survival::Surv(tstart, tstop, status) ~ 1, cgd, id = id)
  mcf <- as_pcf(fit, what = "cumhaz")
  # By its definition: at each time the infections, divided by the number of those followed.
  days <- sort(unique(cgd$tstop[cgd$status == 1]))
  followed <- vapply(patients, function(p) max(p$tstop), 0)
  rises <- vapply(days, function(t) sum(cgd$tstop == t & cgd$status == 1) / sum(followed >= t), 0)
  expect_near(c(evaluate(mcf, days)), cumsum(rises), 1e-12)
  # Until the first patient leaves, it is the mean of the counts.
  first <- min(followed)
  expect_near(integral(mcf, to = first), integral(mean(sick), 0, first), 1e-12)
})
