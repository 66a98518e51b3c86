# Restricted means, and their differences.

skip_if_not_installed("survival")
odd_scipen <- 0 # survival writes the levels of strata as R does

fits <- function() {
  Surv <- survival::Surv
  list(
    survival::survfit(Surv(time, status) ~ sex, survival::lung),
    survival::survfit(Surv(time, status) ~ 1, survival::lung),
    survival::survfit(Surv(time, status) ~ celltype, survival::veteran),
    survival::survfit(Surv(time, status == 2) ~ trt, survival::pbc),
    survival::survfit(Surv(time, status) ~ 1, survival::aml), # ties, and a last time that is censored
    survival::survfit(Surv(c(0, 1, 4, 4), c(1, 1, 1, 1)) ~ 1), survival::survfit(Surv(c(0, 1), c(3, 5), c(1, 1)) ~ 1)
  )
}

test_that("means and their errors are those that survival prints", {
  for (fit in fits()) {
    for (to in c(0.5, 3, 100, 160)) {
      last <- vapply(survfit_rows(fit), function(row) if (min(fit$surv[row]) == 0) Inf else max(fit$time[row]), 0)
      if (to > min(last)) next
      got <- restricted_mean(fit, to)
      if (to < min(fit$time)) { # which summary() refuses
        expect_identical(got$estimate, rep(to, nrow(got)))
        expect_identical(got$std.error, numeric(nrow(got)))
        next
      }
      table <- rbind(summary(fit, rmean = to)$table)
      expect_equal(got$estimate, unname(table[, "rmean"]), tolerance = 1e-12)
      expect_equal(got$std.error, unname(table[, "se(rmean)"]), tolerance = 1e-12)
      expect_equal(got$estimate, unname(integral(as_pcf(fit), to = to)), tolerance = 1e-12)
      expect_equal(got$upper - got$lower, 2 * qnorm(0.975) * got$std.error)
      if (!is.null(fit$strata)) expect_identical(rownames(got), names(fit$strata))
    }
  }
})

test_that("a fit with a start has means from there, to which the start is added", {
  for (start in c(-2, 100)) {
    fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung, start.time = start)
    table <- summary(fit, rmean = 500)$table
    expect_equal(as.matrix(restricted_mean(fit, 500)[1:2]), table[, c("rmean", "se(rmean)")],
                 ignore_attr = TRUE, tolerance = 1e-12)
  }
})

# The example in the vignette of survRM2: 10 years, the first arm being 1.
test_that("differences are those of survRM2", {
  trial <- subset(survival::pbc, !is.na(trt))
  fit <- survival::survfit(survival::Surv(time / 365.25, status == 2) ~ trt, trial)
  means <- restricted_mean(fit, 10)
  shown <- function(x) round(unname(unlist(x)), 3)
  expect_identical(shown(means[1, ]), c(7.146, 0.283, 6.592, 7.701))
  expect_identical(shown(means[2, ]), c(7.283, 0.295, 6.704, 7.863))
  difference <- restricted_mean(fit, 10, reference = "trt=2")
  expect_identical(rownames(difference), "trt=1 - trt=2")
  expect_identical(shown(difference[c("estimate", "lower", "upper", "p.value")]), c(-0.137, -0.939, 0.665, 0.738))
  expect_equal(difference$std.error, sqrt(sum(means$std.error^2)))
  expect_identical(restricted_mean(fit, 10, reference = 2), difference)
  wider <- restricted_mean(fit, 10, level = 0.99, reference = 2)
  expect_equal(wider$upper - wider$estimate, qnorm(0.995) * difference$std.error)
  narrow <- survival::survfit(survival::Surv(time, status == 2) ~ trt, trial, conf.int = 0.8)
  expect_identical(restricted_mean(narrow, 3000), restricted_mean(narrow, 3000, level = 0.8))
})

test_that("every other stratum differs from the reference", {
  fit <- fits()[[3]]
  means <- restricted_mean(fit, 100)
  difference <- restricted_mean(fit, 100, reference = 3)
  expect_identical(rownames(difference), paste0("celltype=", c("squamous", "smallcell", "large"), " - celltype=adeno"))
  expect_equal(difference$estimate, means$estimate[-3] - means$estimate[3])
})

test_that("means scale with the times", {
  times <- function(t) {
    restricted_mean(survival::survfit(survival::Surv(time * t, status) ~ sex, survival::lung), 500 * t)
  }
  expect_equal(as.matrix(times(2^-20)) * 2^20, as.matrix(times(1)), tolerance = 1e-14)
})

test_that("what has no such errors, or no mean, is refused", {
  Surv <- survival::Surv
  lung <- survival::lung
  fit <- fits()[[1]]
  refused(restricted_mean(3, 100), "x", "must be a <survfit>, not 3.")
  refused(restricted_mean(fit), "to", "is missing: the time at which the mean is restricted.")
  refused(restricted_mean(fit, 1000), "to", 'must be at most 965, the last follow-up in "sex=2", not 1000.')
  refused(restricted_mean(fits()[[2]], 1e4), "to", "must be at most 1022, the last follow-up, not 10000.")
  refused(restricted_mean(fit, 0), "to", "must be finite and later than 0, not 0.")
  refused(restricted_mean(fit, Inf), "to", "must be finite and later than 0, not Inf.")
  refused(restricted_mean(fit, 100, level = 0.2), "level", "must be at least 0.5 and less than 1, not 0.2.")
  strata <- 'must be one of the strata "sex=1", "sex=2", or its number, not '
  for (wrong in list("men", 3, 1:2, NA)) refused(restricted_mean(fit, 100, reference = wrong), "reference", strata,
                                                 describe(wrong), ".")
  refused(restricted_mean(fits()[[2]], 100, reference = 1), "reference", "needs several strata.")
  others <- paste(
    "must have Greenwood's standard errors, but has others, as fits with weights, clusters or `stype = 2` do.",
    "integral(as_pcf(x)) has the means alone."
  )
  refused(restricted_mean(survival::survfit(Surv(time, status) ~ sex, lung, weights = age / 60), 100), "x", others)
  refused(restricted_mean(survival::survfit(Surv(time, status) ~ sex, lung, stype = 2), 100), "x", others)
  refused(restricted_mean(survival::survfit(Surv(time, status) ~ 1, lung, se.fit = FALSE), 100), "x",
          "has no standard errors. survfit(se.fit = TRUE) computes them.")
  cox <- survival::survfit(survival::coxph(Surv(time, status) ~ age, lung))
  refused(restricted_mean(cox, 100), "x",
          "must be a Kaplan-Meier fit. For other curves, integral(as_pcf(x)) has the means alone.")
  states <- survival::survfit(Surv(time, factor(status)) ~ 1, lung)
  refused(restricted_mean(states, 100), "x",
          "must be a Kaplan-Meier fit, but has several states. integral(as_pcf(x)) has the mean times in them.")
  expect_error(restricted_mean(structure(1, class = "survfit"), 100), class = "pcfdist_error_x")
})
