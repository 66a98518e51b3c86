test_that("what has no curves is an error", {
  refused(as_pcf(structure(list(time = 1), class = "survfit")), "x", "has no survival curves.")
})

skip_if_not_installed("survival")
odd_scipen <- 0 # survival writes the levels of strata as R does

# A row a function, a column a time.
at_times <- function(x, times) unname(as.matrix(x, times))

lung_fit <- function(...) {
  survival::survfit(survival::Surv(time, status) ~ sex, survival::lung, ...)
}

fit_of <- function(time, status, ...) survival::survfit(survival::Surv(time, status) ~ 1, ...)

test_that("Kaplan-Meier curves are converted, one for each stratum", {
  fit <- lung_fit()
  x <- as_pcf(fit)
  expect_named(x, c("sex=1", "sex=2"))
  times <- c(0, 11, 100, 500, 964)
  expect_equal(as.vector(t(at_times(x, times))), summary(fit, times = times)$surv)
  single <- as_pcf(survival::survfit(survival::Surv(time, status) ~ 1, survival::lung))
  expect_length(single, 1)
  expect_null(names(single))
})

test_that("a curve is observed up to the last follow-up of its stratum, and then", {
  fit <- lung_fit()
  ends <- unname(vapply(split(survival::lung$time, survival::lung$sex), max, 0))
  last <- unname(vapply(split(fit$surv, rep(1:2, fit$strata)), min, 0))
  x <- as_pcf(fit)
  expect_equal(unname(last_times(x)), ends)
  expect_identical(diag(evaluate(x, ends)), last)
  expect_identical(diag(evaluate(x, ends * (1 + 1e-15))), c(NA_real_, NA_real_))
  expect_equal(integral(x[1]), integral(x[1], to = ends[1]), tolerance = 1e-15)
  hold <- as_pcf(fit, after = "hold")
  expect_equal(at_times(hold, 2000)[, 1], summary(fit, times = 2000, extend = TRUE)$surv)
  zero <- as_pcf(fit, after = "zero")
  expect_identical(diag(evaluate(zero, ends)), last)
  expect_identical(as.vector(at_times(zero, c(1023, 2000))), c(0, 0, 0, 0))
})

test_that("the last event is kept, and a curve that came down to 0 stays there", {
  fit <- fit_of(c(1, 2, 3, 3, 3), rep(1, 5))
  x <- as_pcf(fit)
  expect_equal(x, pcf(0:3, c(1, 0.8, 0.6, 0)))
  expect_identical(crossing_time(x, 0.5), matrix(3))
  expect_identical(evaluate(x, c(3, 100)), matrix(c(0, 0), 1))
  expect_equal(integral(x), mean(c(1, 2, 3, 3, 3)))
  expect_identical(as_pcf(fit, after = "zero"), x)
  # With one that is left after the event at the end there is no more to know.
  left <- as_pcf(fit_of(c(1, 3, 3), c(1, 1, 0)))
  expect_identical(crossing_time(left, 0.5), matrix(3))
  expect_equal(evaluate(left, c(3, 3.1)), matrix(c(1 / 3, NA), 1))
  # A hazard goes on, and an estimate that is not 0 does.
  expect_true(is.na(value_at(as_pcf(fit, what = "cumhaz"), 4)))
  expect_true(is.na(value_at(as_pcf(fit_of(1:3, c(1, 1, 1), stype = 2)), 4)))
})

test_that("curves keep their last value when they are shifted, scaled or told in other units", {
  set.seed(1)
  for (last in c(1.9, runif(20, 0, 1000))) {
    fit <- fit_of(c(0.1, last, last), c(1, 1, 0))
    x <- as_pcf(fit)
    expect_equal(c(evaluate(shift_time(x, 1000), 1000 + last)), 1 / 3)
    expect_equal(c(evaluate(scale_time(x, 0.1), last * 0.1)), 1 / 3)
    expect_equal(c(evaluate(scale_time(shift_time(x, -last), 7), 0)), 1 / 3)
    time_unit(x) <- "days"
    time_unit(x) <- "secs"
    expect_equal(c(evaluate(x, as.difftime(last * 86400, units = "secs"))), 1 / 3)
    time_unit(x) <- "weeks"
    expect_identical(nrow(unclass(x)[[1]]), 4L)
  }
})

test_that("pictures show the last drop", {
  fit <- fit_of(c(1, 2, 4, 4, 4), c(1, 1, 1, 1, 0))
  jumps <- jumps_between(pieces_between(as_pcf(fit), 0, 5))
  expect_identical(jumps$x0, c(1, 2, 4))
  expect_equal(jumps$y1, fit$surv)
  skip_if_not_installed("ggplot2")
  drawn <- ggplot2::layer_data(ggplot2::autoplot(as_pcf(fit)))
  expect_equal(min(drawn$y), fit$surv[3])
})

test_that("what comes right after the last time is shown with a plus sign", {
  x <- as_pcf(fit_of(c(1, 2.5, 2.5), c(1, 1, 0)))
  expect_identical(format(x), "(0, 1) (1, 0.6667) (2.5, 0.3333) (2.5+, NA)")
})

test_that("single precision, weights and other measures take curves that end right after a time", {
  x <- c(as_pcf(fit_of(c(1, 2, 5, 5), c(1, 1, 1, 0))), as_pcf(fit_of(c(1, 3, 5, 5), c(1, 0, 1, 0))))
  y <- pcf(list(c(0, 1, 2, 5), c(0, 1, 5)), list(c(1, 0.75, 0.5, NA), c(1, 0.75, NA)))
  same <- function(...) expect_equal(c(pdist(x, ...)), c(pdist(y, ...)))
  for (precision in c("double", "single")) {
    for (p in 1:2) {
      same(p, precision = precision)
      same(p, 0, missing = "mean", precision = precision)
    }
  }
  same(weight = pcf(c(0, 1, 20), c(1, 0.5, 0)))
  expect_equal(overlap(x, from = 0), overlap(y, from = 0))
})

test_that("hazards and limits are converted", {
  fit <- lung_fit()
  times <- c(11, 100, 500)
  of_fit <- summary(fit, times = times)
  for (what in c("cumhaz", "lower", "upper")) {
    x <- as_pcf(fit, what = what)
    expect_equal(as.vector(t(at_times(x, times))), of_fit[[what]])
    expect_identical(at_times(x, 0)[, 1], rep(if (what == "cumhaz") 0 else 1, 2))
  }
  not_a_number <- lung_fit()
  not_a_number$upper[c(1, 3)] <- NaN
  ends <- as_pcf(not_a_number, "upper")
  expect_identical(unname(unclass(ends)[[1]][2:4, 2]), replace(fit$upper[1:3], c(1, 3), NA))
  # Where survival is 0, there are no limits.
  events <- fit_of(1:3, c(1, 1, 1))
  expect_true(is.na(value_at(as_pcf(events, what = "lower", after = "hold"), 5)))
  refused(as_pcf(fit, what = "hazard"), "what",
          'must be one of "surv", "cumhaz", "lower", "upper", "n.risk", "cum.event", "cum.censor", not "hazard".')
  refused(as_pcf(fit, after = 1), "after", 'must be one of "NA", "hold", "zero", not 1.')
  refused(as_pcf(lung_fit(conf.type = "none"), what = "lower"), "what", 'is "lower", but the fit has no such part.')
})

test_that("survfit objects with events at 0, a later start and newdata work", {
  Surv <- survival::Surv
  strata <- survival::strata
  fit <- fit_of(c(0, 1, 2), c(1, 1, 0))
  expect_equal(as_pcf(fit), pcf(c(0:2, next_time(2)), c(2 / 3, 1 / 3, 1 / 3, NA)))
  at_once <- as_pcf(fit_of(c(0, 0), c(1, 0)))
  expect_identical(evaluate(at_once, c(0, 1e-300)), matrix(c(0.5, NA), 1))
  # Without a start that is told, the smallest time is it.
  expect_equal(as_pcf(fit_of(c(-2, 1, 3), c(1, 0, 1))), pcf(c(-2, 1, 3), c(2 / 3, 2 / 3, 0)))
  told <- fit_of(c(-2, 1, 3), c(1, 0, 1), start.time = -5)
  expect_equal(as_pcf(told), pcf(c(-Inf, -5, -2, 1, 3), c(NA, 1, 2 / 3, 2 / 3, 0)))
  lung <- survival::lung
  cox <- survival::coxph(Surv(time, status) ~ age + strata(sex), lung)
  fit <- survival::survfit(cox, newdata = data.frame(age = c(50, 60)))
  curves <- as_pcf(fit)
  expect_identical(dimnames(curves), list(c("sex=1", "sex=2"), c("1", "2")))
  rows <- split(seq_along(fit$time), rep(1:2, fit$strata))
  rows <- vapply(rows, function(k) max(k[fit$time[k] <= 300]), 0)
  expect_identical(as.vector(at_times(curves, 300)), as.vector(fit$surv[rows, ]))
  expect_identical(as.vector(at_times(as_pcf(fit, "cumhaz"), 300)), as.vector(fit$cumhaz[rows, ]))
})

test_that("limits are 1 before the first event", {
  for (type in c("plain", "log", "log-log", "logit", "arcsin")) {
    fit <- fit_of(1:6, c(0, 1, 0, 1, 1, 0), conf.type = type)
    for (what in c("lower", "upper")) {
      x <- as_pcf(fit, what)
      expect_identical(evaluate(x, c(0, 1, 1.5)), matrix(1, 1, 3), label = type)
      expect_equal(evaluate(x, c(2, 4, 6))[1, ], fit[[what]][c(2, 4, 6)])
    }
  }
})

competing_data <- function() {
  data <- survival::mgus2
  progressed <- data$pstat == 1
  data$time <- ifelse(progressed, data$ptime, data$futime)
  data$event <- factor(ifelse(progressed, 1, 2 * data$death), 0:2, c("censored", "malignancy", "death"))
  data
}

competing_risks <- function(formula = ~sex, ...) {
  survival::survfit(update(formula, survival::Surv(time, event) ~ .), competing_data(), ...)
}

test_that("each state of competing risks is a function", {
  times <- c(0, 30, 200)
  for (fit in list(competing_risks(), competing_risks(~1), competing_risks(start.time = 20))) {
    x <- as_pcf(fit)
    of_fit <- summary(fit, times = times[times >= max(0, fit$start.time)])
    strata <- max(1, length(fit$strata))
    expect_length(x, 3 * strata)
    for (state in 1:3) {
      mine <- at_times(if (strata > 1) x[, state] else x[state], unique(of_fit$time))
      expect_equal(as.vector(t(mine)), of_fit$pstate[, state])
    }
  }
  expect_named(as_pcf(competing_risks(~1)), c("(s0)", "malignancy", "death"))
  expect_identical(dimnames(as_pcf(competing_risks())), list(c("sex=F", "sex=M"), c("(s0)", "malignancy", "death")))
})

test_that("states have hazards of transitions, and limits", {
  fit <- competing_risks()
  of_fit <- summary(fit, times = 100)
  hazards <- as_pcf(fit, what = "cumhaz")
  # The fit names its transitions: "1.2" in old versions of survival, and "1:2" in new ones.
  expect_identical(dimnames(hazards), list(c("sex=F", "sex=M"), colnames(fit$cumhaz)))
  expect_equal(as.vector(at_times(hazards, 100)), as.vector(of_fit$cumhaz))
  expect_identical(as.vector(at_times(hazards, 0)), numeric(4))
  for (what in c("lower", "upper")) {
    expect_equal(as.vector(at_times(as_pcf(fit, what), 100)), as.vector(of_fit[[what]]))
  }
  # Each stratum has its states at the start.
  fit$p0[2, ] <- c(0.5, 0.25, 0.25)
  expect_identical(as.vector(at_times(as_pcf(fit), 0)), as.vector(fit$p0))
})

test_that("states of a Cox model have a function for each row of newdata", {
  cox <- survival::coxph(survival::Surv(time, event) ~ age, competing_data(), id = id)
  fit <- survival::survfit(cox, newdata = data.frame(age = c(50, 80)))
  x <- as_pcf(fit)
  expect_identical(dimnames(x), list(c("1", "2"), c("(s0)", "malignancy", "death")))
  row <- match(100, fit$time)
  expect_identical(as.vector(at_times(x, 100)), as.vector(fit$pstate[row, , ]))
  expect_identical(as.vector(at_times(x, 0)), c(1, 1, 0, 0, 0, 0))
  hazards <- as_pcf(fit, "cumhaz")
  expect_identical(as.vector(at_times(hazards, 100)), as.vector(fit$cumhaz[row, , ]))
})

test_that("survival curves come back from a table of text", {
  allow_plain_numbers() # for R's table
  curves <- as_pcf(lung_fit())
  file <- local_path()
  utils::write.csv(as.data.frame(curves), file, row.names = FALSE)
  back <- as_pcf(utils::read.csv(file), before = 0)
  expect_identical(lapply(unclass(back), `[`, , "time"), lapply(unclass(curves), `[`, , "time"))
  expect_equal(evaluate(back, c(5, 500, 5000)), evaluate(curves, c(5, 500, 5000)))
})

test_that("nothing is known before the start that a fit was asked for", {
  late <- lung_fit(start.time = 100)
  for (what in c("surv", "cumhaz", "upper")) {
    x <- as_pcf(late, what)
    expect_identical(unname(evaluate(x, c(-1, 0, 99))), matrix(NA_real_, 2, 3))
    expect_identical(as.vector(evaluate(x, 100)), rep(if (what == "cumhaz") 0 else 1, 2))
  }
  # Newer versions of survival call the start t0, also where none was asked for.
  renamed <- function(fit, start) {
    fit$start.time <- NULL
    fit$t0 <- start
    as_pcf(fit)
  }
  expect_identical(renamed(late, 100), as_pcf(late))
  expect_identical(renamed(lung_fit(), 0), as_pcf(lung_fit()))
  # Also at the usual start, or before it.
  for (start in c(0, -5)) {
    x <- as_pcf(lung_fit(start.time = start))
    expect_identical(unname(evaluate(x, start - c(100, 1e-9))), matrix(NA_real_, 2, 2))
    expect_identical(restrict(x, from = 0), restrict(as_pcf(lung_fit()), from = 0))
  }
  # Of what is below the start, nothing is known.
  late <- fit_of(c(-2, 1, 3), c(1, 0, 1), start.time = -1)
  expect_equal(as_pcf(late), pcf(c(-Inf, -1, 1, 3), c(NA, 1, 1, 0)))
})

# ---- Numbers at risk, of events and of censored ----

test_that("the number at risk before a time is that of summary(), and its integral is the time at risk", {
  times <- c(1, 5, 100, 500.5, 965, 1022, 2000)
  fit <- lung_fit()
  x <- as_pcf(fit, what = "n.risk")
  expect_identical(value_name(x), "number at risk")
  of_fit <- summary(fit, times = times, extend = TRUE)
  expect_identical(as.vector(t(evaluate(x, times, side = "left"))), of_fit$n.risk)
  expect_equal(integral(x), tapply(survival::lung$time, survival::lung$sex, sum), ignore_attr = TRUE)
  # Whoever has left is not at risk, also after the end; nobody was before the start.
  expect_identical(evaluate(x, c(-1, 1022, 1e6)), matrix(0, 2, 3, dimnames = list(names(x), NULL)))
  expect_identical(evaluate(as_pcf(fit, "n.risk", "NA"), 0), c("sex=1" = 138, "sex=2" = 90))
  at_once <- as_pcf(fit_of(c(0, 1, 2), c(1, 1, 0)), what = "n.risk")
  expect_identical(c(evaluate(at_once, c(0, 1, 2))), c(2, 1, 0))
})

test_that("events and the censored are counted up, and hazards are events by the number at risk", {
  fit <- lung_fit()
  for (what in c("cum.event", "cum.censor")) {
    counts <- as_pcf(fit, what = what)
    lung <- survival::lung
    counted <- lung$status == if (what == "cum.event") 2 else 1
    by_hand <- vapply(c(100, 500, 883), function(t) tapply(counted & lung$time <= t, lung$sex, sum), c(0, 0))
    expect_identical(unname(evaluate(counts, c(100, 500, 883))), unname(by_hand))
    expect_true(all(is.na(evaluate(counts, 1023))))
  }
  events <- as_pcf(fit, "cum.event")[1]
  times <- fit$time[seq_len(fit$strata[1])]
  jumps <- c(evaluate(events, times)) - c(evaluate(events, times, side = "left"))
  at_risk <- c(evaluate(as_pcf(fit, "n.risk")[1], times, side = "left"))
  expect_equal(cumsum(jumps / at_risk), fit$cumhaz[seq_along(times)])
})

test_that("numbers at risk with late entry, weights, a later start and several states are those of the fit", {
  lung <- transform(survival::lung, entry = pmin(inst * 5, time - 1))
  lung <- lung[!is.na(lung$inst) & lung$entry < lung$time, ]
  late <- survival::survfit(survival::Surv(entry, time, status) ~ 1, lung)
  x <- as_pcf(late, "n.risk")
  expect_equal(c(evaluate(x, late$time, side = "left")), late$n.risk)
  expect_identical(c(evaluate(x, max(late$time))), 0)
  weights <- rep_len(c(0.1, 0.7, 1.3), nrow(lung))
  weighted <- survival::survfit(survival::Surv(time, status) ~ 1, lung, weights = weights)
  expect_equal(c(evaluate(as_pcf(weighted, "n.risk"), weighted$time, side = "left")), weighted$n.risk)
  expect_identical(c(evaluate(as_pcf(weighted, "n.risk"), 1e4)), 0)
  started <- as_pcf(lung_fit(start.time = 100), "n.risk")
  expect_identical(unname(evaluate(started, c(99, 100))), cbind(NA, c(114, 82)))
  states <- competing_risks()
  risk <- as_pcf(states, "n.risk")
  expect_identical(dimnames(risk), dimnames(as_pcf(states)))
  before <- evaluate(risk, 100, side = "left")
  expect_equal(matrix(before, 2), summary(states, times = 100)$n.risk, ignore_attr = TRUE)
  events <- as_pcf(states, "cum.event")
  data <- competing_data()
  died <- tapply(data$event == "death" & data$time <= 100, data$sex, sum)
  expect_identical(unname(evaluate(events[, "death"], 100)), as.vector(died) + 0)
  expect_identical(c(evaluate(risk, 1e4)), numeric(6))
})

test_that("a fit without its censored times does not know who is left at the end", {
  cox <- survival::coxph(survival::Surv(time, status) ~ age, survival::lung)
  fit <- survival::survfit(cox, newdata = data.frame(age = c(50, 60)), censor = FALSE)
  x <- as_pcf(fit, "n.risk")
  expect_length(x, 1) # for all rows of newdata
  last <- length(fit$time)
  expect_identical(c(evaluate(x, fit$time[last] + 0:1)), c(fit$n.risk[last] - fit$n.event[last], NA))
})

test_that("curves end where fewer are at risk than asked", {
  fit <- lung_fit()
  for (least in c(2, 10, 80)) {
    x <- as_pcf(fit, min_at_risk = least)
    for (k in 1:2) {
      one <- fit[k]
      last <- max(one$time[one$n.risk >= least])
      kept <- one$time[one$time <= last]
      expect_identical(c(evaluate(x[k], kept)), c(evaluate(as_pcf(one), kept)))
      expect_identical(unname(max_time(x[k])), last)
      expect_true(is.na(evaluate(x[k], last * (1 + 1e-15))))
    }
  }
  for (least in 0:1) expect_identical(as_pcf(fit, min_at_risk = least), as_pcf(fit))
  hold <- as_pcf(fit, after = "hold", min_at_risk = 10)
  expect_identical(unname(evaluate(hold, 5000)), unname(c(evaluate(hold, 655)[1], evaluate(hold, 654)[2])))
  none <- as_pcf(fit, min_at_risk = 1000)
  expect_named(none, names(fit$strata))
  expect_true(all(is.na(evaluate(none, c(-1, 0, 100)))))
  expect_identical(c(evaluate(as_pcf(fit, "n.risk", min_at_risk = 10), c(0, 655, 656))), c(138, 90, 9, NA, NA, NA))
  # A curve that came to 0 with many at risk stays there.
  events <- fit_of(c(1, 2, 3, 3, 3), rep(1, 5))
  expect_identical(as_pcf(events, min_at_risk = 3), as_pcf(events))
  expect_true(is.na(evaluate(as_pcf(events, min_at_risk = 4), 3)))
  states <- as_pcf(competing_risks(), min_at_risk = 20)
  ends <- competing_risks()
  at_risk <- rowSums(ends$n.risk) >= 20
  expect_identical(unname(last_times(states)), rep(next_time(unname(
    tapply(ends$time[at_risk], rep(1:2, ends$strata)[at_risk], max)
  )), 3))
  refused(as_pcf(fit, min_at_risk = -1), "min_at_risk", "must be a whole number of at least 0, not -1.")
  refused(as_pcf(fit, min_at_risk = "a"), "min_at_risk", 'must be a whole number of at least 0, not "a".')
})

test_that("with late entry, curves are not observed where few have entered", {
  # At risk just before 2, 4, 6, 8: 1, 2, 3, 1
  fit <- survival::survfit(survival::Surv(c(0, 3, 5, 3), c(2, 6, 8, 6), c(0, 1, 1, 1)) ~ 1)
  expect_identical(fit$n.risk, c(1, 3, 1))
  x <- as_pcf(fit, min_at_risk = 2)
  expect_identical(evaluate(x, c(-1, 0, 2, 2.001, 5, 6, 6.001)), matrix(c(NA, NA, NA, 1, 1, 1 / 3, NA), 1))
})

# ---- Arrays ----

test_that("strata, rows of newdata and states are the dimensions of an array", {
  data <- competing_data()
  strata <- survival::strata
  cox <- survival::coxph(survival::Surv(time, event) ~ age + strata(sex), data, id = id)
  fit <- survival::survfit(cox, newdata = data.frame(age = c(50, 80)))
  x <- as_pcf(fit)
  expect_identical(unname(dim(x)), unname(dim(fit)))
  rows <- split(seq_along(fit$time), rep(1:2, fit$strata))
  at <- vapply(rows, function(row) row[findInterval(100, fit$time[row])], 0L)
  for (stratum in 1:2) {
    expect_equal(matrix(evaluate(x[stratum, , ], 100), 2), matrix(fit$pstate[at[stratum], , ], 2))
  }
})

test_that("limits of a probability are its value at the start as long as it has that", {
  fit <- competing_risks()
  limits <- list(as_pcf(fit, "lower"), as_pcf(fit, "upper"))
  for (x in limits) expect_identical(unname(evaluate(x[, "malignancy"], 1)), c(0, 0))
  expect_false(anyNA(evaluate(limits[[2]], c(0, 1, 50, 200))))
})

test_that("a fit of which some states were selected does not tell who is at risk", {
  fit <- competing_risks()[, "malignancy"]
  whole <- competing_risks()
  expect_equal(as_pcf(fit), as_pcf(whole)[, "malignancy", drop = FALSE])
  refused(as_pcf(fit, min_at_risk = 5), "min_at_risk", "needs a fit with all its states, but `x` has only some of the ",
          "states, and those at risk in others are not known. Select the states afterwards.")
  alive <- as_pcf(competing_risks()[, "(s0)"], "n.risk")
  expect_equal(evaluate(alive, c(0, 100)), evaluate(as_pcf(whole, "n.risk")[, "(s0)", drop = FALSE], c(0, 100)))
  expect_true(all(evaluate(alive, 1e4) %in% c(0, NA)))
  censored <- as_pcf(fit, "cum.censor")
  expect_identical(names(censored) %||% dimnames(censored)[[1]], names(fit$strata))
})
