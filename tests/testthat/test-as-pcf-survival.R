# A row a function, a column a time.
at_times <- function(x, times) {
  values <- vapply(times, function(t) {
    vapply(seq_along(x), function(i) value_at(x[i], t), 0)
  }, numeric(length(x)))
  matrix(values, length(x))
}

lung_fit <- function(...) {
  survival::survfit(survival::Surv(time, status) ~ sex, survival::lung, ...)
}

test_that("Kaplan-Meier curves are converted, one for each stratum", {
  skip_if_not_installed("survival")
  fit <- lung_fit()
  x <- as_pcf(fit)
  expect_named(x, c("sex=1", "sex=2"))
  times <- c(0, 11, 100, 500, 964)
  expect_equal(as.vector(t(at_times(x, times))), summary(fit, times = times)$surv)
  single <- as_pcf(survival::survfit(survival::Surv(time, status) ~ 1, survival::lung))
  expect_length(single, 1)
  expect_null(names(single))
})

test_that("a curve ends at the last follow-up of its stratum", {
  skip_if_not_installed("survival")
  fit <- lung_fit()
  ends <- unname(vapply(split(survival::lung$time, survival::lung$sex), max, 0))
  x <- as_pcf(fit)
  expect_identical(unname(last_times(x)), ends)
  for (i in 1:2) {
    expect_true(is.na(value_at(x[i], ends[i])))
    expect_false(is.na(value_at(x[i], ends[i] - 0.01)))
  }
  hold <- as_pcf(fit, after = "hold")
  expect_equal(at_times(hold, 2000)[, 1], summary(fit, times = 2000, extend = TRUE)$surv)
  expect_identical(as.vector(at_times(as_pcf(fit, after = "zero"), c(1022, 2000))), c(0, 0, 0, 0))
  # An event at the very end is not seen: nobody was followed any longer.
  events <- survival::survfit(survival::Surv(1:3, c(1, 1, 1)) ~ 1)
  expect_equal(as_pcf(events), pcf(0:3, c(1, 2 / 3, 1 / 3, NA)))
  expect_equal(as_pcf(events, after = "hold"), pcf(0:3, c(1, 2 / 3, 1 / 3, 0)))
})

test_that("hazards and limits are converted", {
  skip_if_not_installed("survival")
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
  events <- survival::survfit(survival::Surv(1:3, c(1, 1, 1)) ~ 1)
  expect_true(is.na(value_at(as_pcf(events, what = "lower", after = "hold"), 5)))
  expect_refusal(as_pcf(fit, what = "hazard"), "what",
                 '`what` must be one of "surv", "cumhaz", "lower", "upper", not "hazard".')
  expect_refusal(as_pcf(fit, after = 1), "after", '`after` must be one of "NA", "hold", "zero", not 1.')
  expect_refusal(as_pcf(lung_fit(conf.type = "none"), what = "lower"), "what",
                 '`what` is "lower", which the fit does not have.')
})

test_that("survfit objects with events at 0, a later start and newdata work", {
  skip_if_not_installed("survival")
  Surv <- survival::Surv
  strata <- survival::strata
  fit <- survival::survfit(Surv(c(0, 1, 2), c(1, 1, 0)) ~ 1)
  expect_equal(as_pcf(fit), pcf(0:2, c(2 / 3, 1 / 3, NA)))
  expect_equal(as_pcf(survival::survfit(Surv(c(0, 0), c(1, 0)) ~ 1)), pcf(0, NA))
  # Without a start that is told, the smallest time is it.
  negative <- survival::survfit(Surv(c(-2, 1, 3), c(1, 0, 1)) ~ 1)
  expect_equal(as_pcf(negative), pcf(c(-2, 1, 3), c(2 / 3, 2 / 3, NA)))
  told <- survival::survfit(Surv(c(-2, 1, 3), c(1, 0, 1)) ~ 1, start.time = -5)
  expect_equal(as_pcf(told), pcf(c(-5, -2, 1, 3), c(1, 2 / 3, 2 / 3, NA)))
  late <- lung_fit(start.time = 100)
  first <- lapply(unclass(as_pcf(late)), function(f) unname(f[1, ]))
  expect_identical(unname(first), list(c(100, 1), c(100, 1)))
  lung <- survival::lung
  cox <- survival::coxph(Surv(time, status) ~ age + strata(sex), lung)
  fit <- survival::survfit(cox, newdata = data.frame(age = c(50, 60)))
  curves <- as_pcf(fit)
  expect_named(curves, c("sex=1, 1", "sex=2, 1", "sex=1, 2", "sex=2, 2"))
  rows <- split(seq_along(fit$time), rep(1:2, fit$strata))
  rows <- vapply(rows, function(k) max(k[fit$time[k] <= 300]), 0)
  expect_identical(as.vector(at_times(curves, 300)), as.vector(fit$surv[rows, ]))
  expect_identical(
    as.vector(at_times(as_pcf(fit, "cumhaz"), 300)), as.vector(fit$cumhaz[rows, ])
  )
})

competing_data <- function() {
  data <- survival::mgus2
  progressed <- data$pstat == 1
  data$time <- ifelse(progressed, data$ptime, data$futime)
  data$event <- factor(
    ifelse(progressed, 1, 2 * data$death), 0:2, c("censored", "malignancy", "death")
  )
  data
}

competing_risks <- function(formula = ~sex, ...) {
  survival::survfit(update(formula, survival::Surv(time, event) ~ .), competing_data(), ...)
}

test_that("each state of competing risks is a function", {
  skip_if_not_installed("survival")
  times <- c(0, 30, 200)
  for (fit in list(competing_risks(), competing_risks(~1), competing_risks(start.time = 20))) {
    x <- as_pcf(fit)
    of_fit <- summary(fit, times = times[times >= max(0, fit$start.time)])
    strata <- max(1, length(fit$strata))
    expect_length(x, 3 * strata)
    for (state in 1:3) {
      mine <- at_times(x[seq_len(strata) + (state - 1) * strata], unique(of_fit$time))
      expect_equal(as.vector(t(mine)), of_fit$pstate[, state])
    }
  }
  expect_named(as_pcf(competing_risks(~1)), c("(s0)", "malignancy", "death"))
  expect_named(
    as_pcf(competing_risks())[c(1, 4)], c("sex=F, (s0)", "sex=M, malignancy")
  )
})

test_that("states have hazards of transitions, and limits", {
  skip_if_not_installed("survival")
  fit <- competing_risks()
  of_fit <- summary(fit, times = 100)
  hazards <- as_pcf(fit, what = "cumhaz")
  # The fit names its transitions: "1.2" in old versions of survival, and "1:2" in new ones.
  expect_named(hazards, paste0(c("sex=F, ", "sex=M, "), rep(colnames(fit$cumhaz), each = 2)))
  expect_equal(as.vector(at_times(hazards, 100)), as.vector(of_fit$cumhaz))
  expect_identical(as.vector(at_times(hazards, 0)), numeric(4))
  for (what in c("lower", "upper")) {
    expect_equal(as.vector(at_times(as_pcf(fit, what), 100)), as.vector(of_fit[[what]]))
  }
})

test_that("each stratum has its states at the start", {
  skip_if_not_installed("survival")
  fit <- competing_risks()
  fit$p0[2, ] <- c(0.5, 0.25, 0.25)
  expect_identical(as.vector(at_times(as_pcf(fit), 0)), as.vector(fit$p0))
})

test_that("states of a Cox model have a function for each row of newdata", {
  skip_if_not_installed("survival")
  cox <- survival::coxph(survival::Surv(time, event) ~ age, competing_data(), id = id)
  fit <- survival::survfit(cox, newdata = data.frame(age = c(50, 80)))
  x <- as_pcf(fit)
  expect_named(x[c(1, 4)], c("1, (s0)", "2, malignancy"))
  row <- match(100, fit$time)
  expect_identical(as.vector(at_times(x, 100)), as.vector(fit$pstate[row, , ]))
  expect_identical(as.vector(at_times(x, 0)), c(1, 1, 0, 0, 0, 0))
  hazards <- as_pcf(fit, "cumhaz")
  expect_identical(as.vector(at_times(hazards, 100)), as.vector(fit$cumhaz[row, , ]))
})

test_that("what has no curves is an error", {
  none <- structure(list(time = 1), class = "survfit")
  expect_refusal(as_pcf(none), "x", "`x` has no survival curves.")
})
