test_that("a pcf is returned as it is", {
  x <- example_pcf()
  expect_identical(as_pcf(x), x)
  expect_identical(as_pcf(I(unclass(x))), x)
})

test_that("lists of matrices and data frames are converted", {
  x <- example_pcf()
  matrices <- lapply(unclass(x), unname)
  expect_identical(as_pcf(unclass(x)), x)
  expect_identical(as_pcf(matrices), x)
  expect_identical(as_pcf(lapply(matrices, as.data.frame)), x)
  swapped <- lapply(unclass(x), function(f) f[, 2:1])
  expect_identical(as_pcf(swapped), x)
  integers <- list(a = cbind(1:2, 3:4))
  expect_identical(as_pcf(integers), pcf(list(a = c(1, 2)), list(c(3, 4))))
  expect_identical(as_pcf(list()), pcf(list(), list()))
})

test_that("dimensions of lists are kept and other attributes dropped", {
  x <- unclass(example_pcf())[c(1, 2, 2, 1)]
  x <- structure(unname(x), dim = c(2, 2), note = "text")
  expect_named(attributes(as_pcf(x)), c("dim", "class"), ignore.order = TRUE)
})

test_that("lists may mix kinds of functions", {
  x <- as_pcf(list(
    a = cbind(0, 1), b = ecdf(c(1, 3)), c = pcf(2, 2), d = stepfun(1, c(0, 4)),
    e = ts(1:2), f = data.frame(time = 1, value = 5)
  ))
  expect_identical(x, c(
    a = pcf(0, 1), b = pcf(c(1, 3), c(0.5, 1)), c = pcf(2, 2), d = pcf(1, 4),
    e = pcf(1:2, 1:2), f = pcf(1, 5)
  ))
})

test_that("two columns are one function", {
  f <- pcf(1:3, c(2, 5, 0))
  expect_identical(as_pcf(cbind(1:3, c(2, 5, 0))), f)
  expect_identical(as_pcf(data.frame(x = 1:3, y = c(2, 5, 0))), f)
  expect_identical(as_pcf(cbind(value = c(2, 5, 0), time = 1:3, other = 0)), f)
})

test_that("rows of a matrix with times are functions", {
  grid <- rbind(a = c(1, 2, 0), b = c(3, 1, 0))
  x <- as_pcf(grid, times = c(0, 1, 2.5))
  expect_identical(x, pcf(c(0, 1, 2.5), list(a = c(1, 2, 0), b = c(3, 1, 0))))
  expect_identical(as_pcf(as.data.frame(grid), times = c(0, 1, 2.5)), x)
  expect_identical(as_pcf(grid[, 1:2], times = 0:1), pcf(0:1, list(a = 1:2, b = c(3, 1))))
  grid[1, 1] <- NA
  expect_identical(
    as_pcf(grid, times = 0:2, na.rm = TRUE),
    pcf(list(a = 1:2, b = 0:2), list(c(2, 0), c(3, 1, 0)))
  )
})

test_that("step functions are converted, whatever side they are continuous from", {
  knots <- c(1, 2, 4)
  heights <- c(0, 3, 2, 1)
  expect_identical(as_pcf(stepfun(knots, heights)), pcf(knots, heights[-1]))
  left <- stepfun(knots, heights, right = TRUE)
  expect_identical(as_pcf(left), pcf(knots, heights[-1]))
  between <- stepfun(knots, heights, f = 0.25)
  expect_equal(
    as.matrix(as_pcf(between), times = c(0, 1.5, 3, 5)), rbind(between(c(0, 1.5, 3, 5)))
  )
  expect_identical(as_pcf(stepfun(1, 0:1)), pcf(1, 1))
})

test_that("an ecdf is converted", {
  expect_identical(as_pcf(ecdf(c(3, 1, 3, 5))), pcf(c(1, 3, 5), c(0.25, 0.75, 1)))
})

test_that("a non-zero left value needs `from`", {
  f <- stepfun(1:2, c(5, 3, 0))
  expect_identical(as_pcf(f, from = 0), pcf(0:2, c(5, 3, 0)))
  expect_identical(as_pcf(f, from = 1), pcf(1:2, c(3, 0)))
  expect_identical(as_pcf(f, from = 1.5), pcf(c(1.5, 2), c(3, 0)))
  expect_identical(as_pcf(f, from = 3), pcf(3, 0))
  expect_identical(as_pcf(list(f), from = 0), pcf(0:2, c(5, 3, 0)))
  expect_snapshot(error = TRUE, {
    as_pcf(f)
    as_pcf(list(a = ecdf(1), b = f))
    as_pcf(f, from = -Inf)
    as_pcf(f, from = 1:2)
  })
})

test_that("long data frames give functions in order of first appearance", {
  long <- data.frame(
    id = c("v", "u", "v", "u", "v"), time = c(1, 5, 2, 7, 3), value = 1:5
  )
  x <- pcf(list(v = 1:3, u = c(5, 7)), list(c(1, 3, 5), c(2, 4)))
  expect_identical(as_pcf(long), x)
  expect_identical(as_pcf(transform(long, id = factor(id))), x)
  names(long) <- c("who", "when", "what")
  expect_identical(as_pcf(long, id = "who", time = "when", value = "what"), x)
  chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
  expect_named(chicks, as.character(unique(ChickWeight$Chick)))
  expect_identical(
    unname(unclass(chicks[["18"]])[[1]]),
    cbind(c(0, 2), c(39, 35))
  )
})

test_that("long data frames must be sorted unless `sort` is given", {
  long <- data.frame(id = c("u", "v", "u", "v"), time = c(3, 1, 2, 2), value = 1:4)
  sorted <- pcf(list(u = 2:3, v = 1:2), list(c(3, 1), c(2, 4)))
  expect_identical(as_pcf(long, sort = TRUE), sorted)
  expect_snapshot(as_pcf(long), error = TRUE)
})

test_that("time series are held until the next time", {
  expect_identical(as_pcf(ts(4:6, start = 2)), pcf(2:4, 4:6))
  both <- ts(cbind(a = 1:2, b = 3:4), start = 0)
  expect_identical(as_pcf(both), pcf(0:1, list(a = 1:2, b = 3:4)))
  gaps <- ts(c(NA, 1, NA, 2))
  expect_identical(as_pcf(gaps), pcf(1:4, c(NA, 1, NA, 2)))
  expect_identical(as_pcf(gaps, na.rm = TRUE), pcf(c(2, 4), 1:2))
  expect_identical(
    as.matrix(as_pcf(sunspot.month), times = c(1900, 1950)),
    rbind(c(window(sunspot.month, 1900, 1900), window(sunspot.month, 1950, 1950)))
  )
})

test_that("Kaplan-Meier curves are converted, one for each stratum", {
  skip_if_not_installed("survival")
  lung <- survival::lung
  fit <- survival::survfit(survival::Surv(time, status) ~ sex, lung)
  x <- as_pcf(fit)
  expect_named(x, c("sex=1", "sex=2"))
  times <- c(0, 11, 100, 500)
  expect_equal(
    as.vector(t(as.matrix(x, times))), summary(fit, times = times)$surv
  )
  single <- as_pcf(survival::survfit(survival::Surv(time, status) ~ 1, lung))
  expect_length(single, 1)
  expect_null(names(single))
})

test_that("survfit objects with events at 0, a later start and newdata work", {
  skip_if_not_installed("survival")
  Surv <- survival::Surv
  strata <- survival::strata
  fit <- survival::survfit(Surv(c(0, 1, 2), c(1, 1, 0)) ~ 1)
  expect_equal(as_pcf(fit), pcf(0:2, c(2, 1, 1) / 3))
  lung <- survival::lung
  late <- survival::survfit(Surv(time, status) ~ sex, lung, start.time = 100)
  first <- lapply(unclass(as_pcf(late)), function(f) unname(f[1, ]))
  expect_identical(unname(first), list(c(100, 1), c(100, 1)))
  cox <- survival::coxph(Surv(time, status) ~ age + strata(sex), lung)
  curves <- as_pcf(survival::survfit(cox, newdata = data.frame(age = c(50, 60))))
  expect_named(curves, c("sex=1, 1", "sex=2, 1", "sex=1, 2", "sex=2, 2"))
})

test_that("multi-state curves are an error", {
  states <- list(time = 1, pstate = matrix(1))
  class(states) <- c("survfitms", "survfit")
  expect_snapshot(as_pcf(states), error = TRUE)
})

test_that("what is no function is an error", {
  long <- data.frame(id = c("a", NA), time = 1:2, value = c("u", "v"))
  expect_snapshot(error = TRUE, {
    as_pcf(1:3)
    as_pcf(NULL)
    as_pcf(diag(3))
    as_pcf(matrix("a", 1, 2))
    as_pcf(list(a = 1:3))
    as_pcf(list(a = cbind(1, 2), diag(3)))
    as_pcf(list(example_pcf(), 1))
    as_pcf(diag(3), times = 1:2)
    as_pcf(matrix("a", 1, 1), times = 1)
    as_pcf(rbind(a = 1:3, b = c(1, NaN, 2)), times = 1:3)
    as_pcf(rbind(1:3), times = c(1, 1, 2))
    as_pcf(ts(c(NA, NA)), na.rm = TRUE)
    as_pcf(ChickWeight)
    as_pcf(long)
    as_pcf(transform(long, id = "a"))
    as_pcf(data.frame(time = 1:2, value = c("u", "v")))
  })
})
