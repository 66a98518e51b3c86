# Curves of the packages cmprsk and prodlim.

skip_if_not_installed("survival")
odd_scipen <- 0 # survival and prodlim write the levels of strata and states as R does

# The first event of 1384 patients with a monoclonal gammopathy: 1 malignancy, 2 death before it.
first_events <- function() {
  data <- survival::mgus2
  progressed <- data$pstat == 1
  data.frame(
    sex = data$sex, time = ifelse(progressed, data$ptime, data$futime), cause = ifelse(progressed, 1, 2 * data$death)
  )
}

states <- function() {
  survival::survfit(survival::Surv(time, factor(cause, 0:2)) ~ sex, first_events())
}

# What cmprsk gives: both ends of each step.
by_hand <- function(...) {
  structure(list(
    "a 1" = list(time = c(0, 2, 2, 5, 5, 7), est = c(0, 0, 0.25, 0.25, 0.5, 0.5), var = c(0, 0, 1, 1, 2, 2) / 10),
    "b 1" = list(time = c(0, 0, 3), est = c(0, 0.1, 0.1), var = c(0, 0.01, 0.01)),
    Tests = matrix(0, 1, 3), ...
  ), class = "cuminc")
}

test_that("a cuminc has steps and no slanted lines", {
  x <- as_pcf(by_hand())
  expect_named(x, c("a 1", "b 1"))
  expect_identical(value_name(x), "probability")
  times <- c(0, 1, 1.999, 2, 4.999, 5, 7, 7.001)
  expect_identical(c(evaluate(x[1], times)), c(0, 0, 0, 0.25, 0.25, 0.5, 0.5, NA))
  expect_identical(c(evaluate(x[2], c(-1, 0, 3, 4))), c(0, 0.1, 0.1, NA))
  expect_equal(integral(x, to = 3), c("a 1" = 0.25, "b 1" = 0.3))
  expect_identical(unname(evaluate(as_pcf(by_hand(), "var")[1], 2)), 0.1)
  expect_identical(unname(evaluate(as_pcf(by_hand(), after = "hold"), 99)), c(0.5, 0.1))
  expect_identical(as_pcf(list(as_pcf(by_hand())[1]))[[1]], x[[1]])
})

test_that("what is no cuminc is an error", {
  refused(as_pcf(by_hand(), "surv"), "what", 'must be one of "est", "var", not "surv".')
  refused(as_pcf(by_hand(), min_at_risk = 3), "min_at_risk",
          "is not an argument of as_pcf() for a cuminc, which takes `what`, `after`.")
  reason <- function(k, name, what = "est") {
    paste0("is not a valid <cuminc>: curve ", k, ' ("', name, '") has no increasing `time` with `', what, "`.")
  }
  refused(as_pcf(by_hand("a 2" = list(time = 2:1, est = 1:2))), "x", reason(3, "a 2"))
  refused(as_pcf(by_hand("a 2" = 1)), "x", reason(3, "a 2"))
  refused(as_pcf(by_hand("a 2" = list(time = c(0, NA, 1), est = 1:3))), "x", reason(3, "a 2"))
  refused(as_pcf(by_hand("a 2" = list(time = 1:2, est = c("a", "b")))), "x", reason(3, "a 2"))
  for (wrong in list(1, list(), list(Tests = 1))) {
    refused(as_pcf(structure(wrong, class = "cuminc")), "x", "is not a valid <cuminc>: it has no curves.")
  }
  refused(as_pcf(by_hand("a 2" = list(time = 1:2, est = 1:2)), "var"), "x", reason(3, "a 2", "var"))
})

test_that("cumulative incidences of cmprsk are the probabilities of states in survival", {
  skip_if_not_installed("cmprsk")
  events <- first_events()
  x <- as_pcf(cmprsk::cuminc(events$time, events$cause, events$sex))
  expect_named(x, c("F 1", "M 1", "F 2", "M 2"))
  times <- seq(0, 390, 0.5)
  expect_equal(evaluate(x, times), rbind(
    evaluate(as_pcf(states())[, "1"], times), evaluate(as_pcf(states())[, "2"], times)
  ), ignore_attr = TRUE, tolerance = 1e-12)
  known <- cmprsk::timepoints(cmprsk::cuminc(events$time, events$cause, events$sex), c(10, 100, 300))
  expect_equal(evaluate(x, c(10, 100, 300)), known$est, ignore_attr = TRUE, tolerance = 1e-14)
  variance <- as_pcf(cmprsk::cuminc(events$time, events$cause, events$sex), "var")
  expect_equal(evaluate(variance, c(10, 100, 300)), known$var, ignore_attr = TRUE, tolerance = 1e-14)
  expect_equal(unname(max_time(x[c(1, 3)])), 394)
})

test_that("curves of prodlim are those of survival", {
  skip_if_not_installed("prodlim")
  lung <- survival::lung
  Hist <- prodlim::Hist
  fit <- prodlim::prodlim(Hist(time, status == 2) ~ sex, data = lung)
  other <- survival::survfit(survival::Surv(time, status) ~ sex, lung)
  x <- as_pcf(fit)
  expect_named(x, names(other$strata))
  times <- c(0, seq(5, 965, 0.5))
  expect_equal(evaluate(x, times), evaluate(as_pcf(other), times), tolerance = 1e-12)
  expect_identical(as_pcf(fit, "n.risk"), as_pcf(other, "n.risk"))
  expect_equal(as_pcf(fit, min_at_risk = 10), as_pcf(other, min_at_risk = 10), tolerance = 1e-12)
  plain <- survival::survfit(survival::Surv(time, status) ~ sex, lung, conf.type = "plain")
  for (what in c("lower", "upper")) {
    expect_equal(evaluate(as_pcf(fit, what), c(50, 400)), evaluate(as_pcf(plain, what), c(50, 400)), tolerance = 1e-6)
  }
  one <- as_pcf(prodlim::prodlim(Hist(time, status == 2) ~ 1, data = lung))
  expect_null(names(one))
  two <- as_pcf(prodlim::prodlim(Hist(time, status == 2) ~ sex + ph.ecog, data = lung[lung$ph.ecog %in% 0:2, ]))
  other <- as_pcf(survival::survfit(survival::Surv(time, status) ~ sex + ph.ecog, lung, subset = ph.ecog %in% 0:2))
  expect_setequal(names(two), names(other))
  expect_equal(evaluate(two, c(50, 200)), evaluate(other[names(two)], c(50, 200)), tolerance = 1e-12)
})

test_that("with clusters, those at risk are counted, and not the clusters", {
  skip_if_not_installed("prodlim")
  Hist <- prodlim::Hist
  lung <- survival::lung[!is.na(survival::lung$inst), ]
  cluster <- identity # which prodlim finds in the formula
  x <- as_pcf(prodlim::prodlim(Hist(time, status == 2) ~ cluster(inst), data = lung), "n.risk")
  expect_identical(c(evaluate(x, c(0, 2000))), c(227, 0))
})

test_that("cumulative incidences of prodlim are an array of strata and causes", {
  skip_if_not_installed("prodlim")
  Hist <- prodlim::Hist
  fit <- prodlim::prodlim(Hist(time, cause) ~ sex, data = first_events())
  x <- as_pcf(fit)
  expect_identical(dimnames(x), list(c("sex=F", "sex=M"), c("1", "2")))
  times <- seq(0, 390, 0.5)
  other <- as_pcf(states())
  expect_equal(evaluate(x, times), evaluate(other[, -1], times), tolerance = 1e-12)
  expect_equal(evaluate(as_pcf(fit, "surv"), times), evaluate(other[, 1], times), tolerance = 1e-12)
  expect_identical(dimnames(as_pcf(fit, "upper")), dimnames(x))
  expect_true(all(evaluate(as_pcf(fit, "upper"), 100) > evaluate(x, 100)))
  refused(as_pcf(fit, "cumhaz"), "what", 'must be one of "cuminc", "surv", "lower", "upper", "n.risk", not "cumhaz".')
})

test_that("other models of prodlim are an error", {
  refused(as_pcf(structure(list(model = "multi.states"), class = "prodlim")), "x",
          'must be a <prodlim> for survival or competing risks, not with the model "multi.states".')
  refused(as_pcf(structure(1, class = "prodlim")), "x",
          "must be a <prodlim> for survival or competing risks, not with the model NULL.")
  broken <- structure(list(model = "survival", time = 1:3, surv = 1:2), class = "prodlim")
  expect_error(as_pcf(broken), class = "pcfdist_error_x")
})
