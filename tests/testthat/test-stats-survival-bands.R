# Bands of cumulative hazards, where enough are at risk, and of the states of a fit.

skip_if_not_installed("survival")
odd_scipen <- 0 # survival writes the levels of strata as R does

recurrences <- function(...) {
  survival::survfit(survival::Surv(start, stop, event) ~ rx, survival::bladder2, id = id, ...)
}

lung_fit <- function(...) survival::survfit(survival::Surv(time, status) ~ sex, survival::lung, ...)

test_that("limits of mean cumulative functions come from their own errors", {
  fit <- recurrences()
  rows <- split(seq_along(fit$time), rep(1:2, fit$strata))
  for (level in c(0.95, 0.5)) for (type in c("plain", "log")) {
    bands <- confidence_bands(fit, level = level, what = "cumhaz", conf.type = type)
    expect_identical(bands$center, as_pcf(fit, "cumhaz"))
    expect_identical(bands$level, level)
    z <- qnorm((1 + level) / 2)
    for (k in 1:2) {
      mean <- fit$cumhaz[rows[[k]]]
      error <- fit$std.chaz[rows[[k]]]
      at <- function(limit) c(evaluate(limit[k], fit$time[rows[[k]]]))
      if (type == "plain") {
        expect_equal(at(bands$lower), pmax(mean - z * error, 0), tolerance = 1e-14)
        expect_equal(at(bands$upper), mean + z * error, tolerance = 1e-14)
      } else {
        expect_equal(at(bands$lower), mean * exp(-z * error / mean), tolerance = 1e-14)
        expect_equal(log(at(bands$upper)), log(mean) + z * error / mean, tolerance = 1e-12)
      }
    }
    expect_identical(unname(evaluate(bands$upper, 0)), c(0, 0))
  }
  # They are not those of survival.
  expect_gt(max(evaluate(confidence_bands(fit, what = "cumhaz")$upper, 50)), 2)
})

test_that("hazards have no limits before the first event, but their value", {
  fit <- survival::survfit(survival::Surv(1:6, c(0, 1, 0, 1, 1, 0)) ~ 1)
  for (type in c("plain", "log")) {
    bands <- confidence_bands(fit, what = "cumhaz", conf.type = type)
    expect_identical(c(evaluate(bands$lower, c(0, 1.5)), evaluate(bands$upper, c(0, 1.5))), numeric(4))
    expect_true(evaluate(bands$lower, 2) < evaluate(bands$center, 2))
  }
})

test_that("a Cox model has limits of its hazards", {
  cox <- survival::coxph(survival::Surv(time, status) ~ age, survival::lung)
  fit <- survival::survfit(cox, newdata = data.frame(age = c(50, 70)))
  bands <- confidence_bands(fit, what = "cumhaz")
  row <- match(310, fit$time)
  expect_equal(unname(evaluate(bands$upper, 310)), unname(fit$cumhaz[row, ] + qnorm(0.975) * fit$std.chaz[row, ]))
})

test_that("curves and limits end together where few are at risk", {
  fit <- lung_fit()
  for (type in c("pointwise", "simultaneous")) {
    bands <- confidence_bands(fit, type, min_at_risk = 20)
    whole <- confidence_bands(fit, type)
    expect_identical(bands$center, as_pcf(fit, min_at_risk = 20))
    ends <- c(519, 511)
    for (k in 1:2) for (part in c("lower", "upper")) {
      limit <- bands[[part]][k]
      expect_false(is.na(evaluate(limit, ends[k])))
      expect_true(is.na(evaluate(limit, ends[k] * (1 + 1e-15))))
      if (type == "pointwise") expect_equal(evaluate(limit, 100:500), evaluate(whole[[part]][k], 100:500))
    }
    if (type == "simultaneous") expect_true(all(bands$quantile < whole$quantile)) # for a shorter time
  }
  expect_identical(confidence_bands(fit, "simultaneous", min_at_risk = 1), confidence_bands(fit, "simultaneous"))
  hazards <- confidence_bands(fit, what = "cumhaz", min_at_risk = 20)
  expect_true(all(is.na(evaluate(hazards$upper, 520))))
})

test_that("bands of states are selected as an array, and labelled by stratum and state", {
  data <- transform(survival::mgus2, event = factor(pstat + 2 * (pstat == 0) * death, 0:2, c("none", "pcm", "death")))
  fit <- survival::survfit(survival::Surv(ifelse(pstat == 1, ptime, futime), event) ~ sex, data)
  bands <- confidence_bands(fit)
  some <- bands[, c("death", "pcm")]
  for (part in c("center", "lower", "upper")) expect_identical(some[[part]], bands[[part]][, 3:2])
  expect_identical(bands[2, "pcm"]$upper, bands$upper[2, "pcm"])
  expect_identical(bands[3]$upper, bands$upper[3])
  expect_identical(bands[cbind(2, 3)]$lower, bands$lower[cbind(2, 3)])
  expect_identical(bands[], bands)
  expect_setequal(as.data.frame(some)$id, c("sex=F, death", "sex=M, death", "sex=F, pcm", "sex=M, pcm"))
  expect_identical(levels(function_ids(some$center)), c("sex=F, death", "sex=M, death", "sex=F, pcm", "sex=M, pcm"))
  expect_output(print(some), "pointwise, of 4 curves")
  draw_nowhere()
  expect_silent(plot_bands(some))
  skip_if_not_installed("ggplot2")
  expect_identical(levels(ggplot2::fortify(some)$id), levels(function_ids(some$center)))
})

test_that("limits that there are not are errors", {
  fit <- lung_fit()
  refused(confidence_bands(fit, what = "hazard"), "what", 'must be one of "surv", "cumhaz", not "hazard".')
  refused(confidence_bands(fit, conf.type = "log"), "conf.type",
          'applies only to `what = "cumhaz"`; for survival, survfit(conf.type = ) sets it.')
  refused(confidence_bands(fit, what = "cumhaz", conf.type = "logit"), "conf.type",
          'must be one of "plain", "log", not "logit".')
  refused(confidence_bands(fit, "simultaneous", what = "cumhaz"), "type", 'must be "pointwise" for cumulative hazards.')
  refused(confidence_bands(fit, what = "cumhaz", to = 3), "from", "and `to` apply only to simultaneous bands.")
  refused(confidence_bands(fit, min_at_risk = 1.5), "min_at_risk", "must be a whole number of at least 0, not 1.5.")
  none <- survival::survfit(survival::Surv(time, status) ~ 1, survival::lung, se.fit = FALSE)
  refused(confidence_bands(none, what = "cumhaz"), "x",
          "has no standard errors of the cumulative hazard, `x$std.chaz`: survfit() computes none with ",
          "`se.fit = FALSE`, and old versions none for several states.")
})
