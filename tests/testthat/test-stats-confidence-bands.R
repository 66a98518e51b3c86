# Confidence bands of survival curves and of means.

skip_if_not_installed("survival")

fit_of <- function(...) {
  survival::survfit(survival::Surv(time, status) ~ sex, survival::lung, ...)
}

test_that("pointwise bands of a fit are its limits", {
  fit <- fit_of(conf.int = 0.9)
  bands <- confidence_bands(fit)
  expect_s3_class(bands, "pcf_bands")
  expect_identical(bands$level, 0.9)
  for (part in c("lower", "upper")) expect_identical(bands[[part]], as_pcf(fit, what = part))
  expect_identical(bands$center, as_pcf(fit))
})

test_that("limits are those of survfit() for every transformation", {
  for (type in c("log", "log-log", "plain", "logit", "arcsin")) {
    fit <- fit_of(conf.type = type, conf.int = 0.9)
    limits <- pcfdist:::band_limits(fit$surv, fit$std.err, qnorm(0.95), type)
    expect_equal(limits$lower, fit$lower, tolerance = 1e-13)
    expect_equal(limits$upper, fit$upper, tolerance = 1e-13)
  }
})

# Klein and Moeschberger (2003), section 4.4: 2.8826 for 0.1 and 0.6.
test_that("quantiles of equal precision are those of the tables", {
  ratio <- 0.6 * (1 - 0.1) / (0.1 * (1 - 0.6))
  expect_equal(pcfdist:::supremum_quantile(c(1, ratio), 0.05), 2.8826, tolerance = 1e-5)
  expect_gte(pcfdist:::supremum_quantile(c(1, 1), 0.5), qnorm(0.75))
})

test_that("simultaneous bands are wider limits inside of the window, and nothing outside", {
  fit <- fit_of(conf.type = "log-log")
  bands <- confidence_bands(fit, "simultaneous", from = 100, to = 500)
  expect_identical(names(bands$quantile), names(fit$strata))
  inside <- c(100, 250, 499.9)
  expect_true(all(evaluate(bands$lower, inside) < evaluate(as_pcf(fit, what = "lower"), inside)))
  expect_true(all(evaluate(bands$upper, inside) > evaluate(as_pcf(fit, what = "upper"), inside)))
  expect_true(all(is.na(evaluate(bands$lower, c(0, 99.9, 500, 700)))))
  for (k in 1:2) {
    one <- fit[k]
    row <- c(max(which(one$time <= 100)), max(which(one$time < 500)))
    expected <- pcfdist:::supremum_quantile(one$std.err[row]^2, 0.05)
    expect_equal(bands$quantile[[k]], expected)
    refit <- fit_of(conf.type = "log-log", conf.int = 2 * pnorm(expected) - 1)
    expect_equal(evaluate(bands$lower[k], inside), evaluate(as_pcf(refit[k], what = "lower"), inside),
                 tolerance = 1e-10, ignore_attr = TRUE)
  }
  whole <- confidence_bands(survival::survfit(survival::Surv(c(1, 2, 3, 4), rep(1, 4)) ~ 1),
                            "simultaneous")
  expect_true(is.na(evaluate(whole$lower, 0.5)) && !is.na(evaluate(whole$lower, 3.5)))
  expect_true(is.na(evaluate(whole$upper, 4)))
})

test_that("bands of lines are observed in the whole window, also before the first breakpoint", {
  x <- plf(list(c(1, 2, 3), c(1, 2, 3)), list(c(0, 1, 0), c(0, 2, 0)))
  for (type in c("pointwise", "simultaneous")) {
    center <- with_seed(1, confidence_bands(x, type, from = 0, to = 4))$center
    expect_equal(evaluate(center, c(-0.5, 0, 0.5, 2, 3.9, 4)), c(NA, 0, 0, 1.5, 0, NA), ignore_attr = TRUE)
    expect_equal(integral(center, 0, 4), 1.5, ignore_attr = TRUE)
    after <- with_seed(1, confidence_bands(x, type, from = 10, to = 12))$center
    expect_equal(evaluate(after, c(9, 10, 11, 12)), c(NA, 0, 0, NA), ignore_attr = TRUE)
  }
})

test_that("pointwise bands of means are t intervals", {
  x <- random_partial_pcf(12, seed = 4)
  by <- rep(c("a", "b"), 6)
  bands <- confidence_bands(x, by = by, na.rm = TRUE, level = 0.9)
  times <- seq(-3, 9, length.out = 61)
  values <- evaluate(x, times)
  for (group in c("a", "b")) {
    for (k in seq_along(times)) {
      v <- na.omit(values[by == group, k])
      got <- c(evaluate(bands$lower[group], times[k]), evaluate(bands$upper[group], times[k]))
      want <- if (length(v) < 2) c(NA, NA)
              else mean(v) + c(-1, 1) * qt(0.95, length(v) - 1) * sd(v) / sqrt(length(v))
      expect_equal(unname(got), want, tolerance = 1e-12)
    }
  }
  expect_identical(bands$center, aggregate(x, by, mean, na.rm = TRUE))
  some <- confidence_bands(x, by = by, from = 0, to = 2, na.rm = TRUE)
  expect_true(all(is.na(evaluate(some$lower, c(-1, 2)))))
})

test_that("bands scale with the values, however large or small these are", {
  steps <- pcf(rep(list(0:2), 4), lapply(c(1, 2, 3, 4.5), function(v) c(v, v^2, 0)))
  lines <- plf(rep(list(0:2), 4), lapply(c(1, 2, 3, 4.5), function(v) c(v, v^2, 0)))
  for (x in list(steps, lines)) for (type in c("pointwise", "simultaneous")) {
    bands <- function(x) with_seed(1, confidence_bands(x, type, from = 0, to = 2))
    one <- bands(x)
    for (exponent in c(-1000, -535, -30, 1000)) {
      other <- bands(map_functions(x, function(f) cbind(f[, 1, drop = FALSE], f[, -1, drop = FALSE] * 2^exponent)))
      for (limit in c("lower", "upper")) {
        expect_identical(evaluate(other[[limit]], 0:7 / 4), evaluate(one[[limit]], 0:7 / 4) * 2^exponent)
      }
      expect_identical(other$quantile, one$quantile)
    }
  }
})

test_that("simultaneous bands hold the mean function about as often as they say", {
  held <- with_seed(3, replicate(200, {
    x <- as_pcf(t(apply(matrix(rnorm(30 * 20), 20), 2, cumsum)), times = 1:20, until = 21)
    bands <- confidence_bands(x, "simultaneous", from = 1, to = 21, level = 0.9, n = 199)
    all(evaluate(bands$lower, 1:20) <= 0 & evaluate(bands$upper, 1:20) >= 0)
  }))
  expect_gt(mean(held), 0.82)
  expect_lt(mean(held), 0.97)
  x <- random_pcf(9)
  expect_identical(with_seed(1, confidence_bands(x, "simultaneous", to = 9)),
                   with_seed(1, confidence_bands(x, "simultaneous", to = 9)))
  pointwise <- confidence_bands(x, to = 9)
  wide <- with_seed(1, confidence_bands(x, "simultaneous", to = 9))
  times <- seq(0, 8.9, 0.1)
  expect_true(all(evaluate(wide$upper, times) >= evaluate(pointwise$upper, times)))
})

test_that("bands have units of time and can be drawn", {
  x <- random_pcf(6)
  time_unit(x) <- "Date"
  bands <- confidence_bands(x, to = as.Date("1970-01-08"))
  expect_identical(time_unit(bands$upper), time_unit(x))
  draw_nowhere()
  expect_identical(plot_bands(bands), bands)
  expect_output(print(bands), "95%, pointwise, of 1 curve")
  expect_identical(plot_bands(fit_of()), confidence_bands(fit_of()))
})

test_that("what has no bands is an error", {
  x <- random_pcf(4)
  cox <- survival::survfit(survival::coxph(survival::Surv(time, status) ~ age, survival::lung))
  no_limits <- 'has no confidence limits: survfit() computes none with `se.fit = FALSE` or `conf.type = "none"`.'
  refused(confidence_bands(1:3), "x", "must be a <pcf> or a <survfit>, not an integer vector of length 3.")
  refused(confidence_bands(x[1]), "x", "must have at least two functions.")
  refused(confidence_bands(x, by = c(1, 1, 1, 2)), "by",
          'must have at least two functions in each group, but has one in "2".')
  refused(confidence_bands(x, "simultaneous", level = 1), "level", "must be at least 0.5 and less than 1, not 1.")
  refused(confidence_bands(x, n = 5), "n", "must be a whole number of at least 19, not 5.")
  refused(confidence_bands(fit_of(), level = 0.8), "level",
          "must be that of the fit, 0.95, which survfit(conf.int = ) sets.")
  refused(confidence_bands(fit_of(), to = 100), "from", "and `to` apply only to simultaneous bands.")
  refused(confidence_bands(cox, "simultaneous"), "x", "must be a Kaplan-Meier fit for simultaneous bands.")
  refused(confidence_bands(fit_of(se.fit = FALSE)), "x", no_limits)
  refused(confidence_bands(fit_of(se.fit = FALSE), "simultaneous"), "x",
          "has no standard errors. survfit(se.fit = TRUE) computes them.")
  refused(confidence_bands(fit_of(conf.type = "none")), "x", no_limits)
  refused(confidence_bands(fit_of(conf.type = "none"), "simultaneous"), "x",
          'has `conf.type` "none", but simultaneous bands need one of "log", "log-log", "plain", "logit", "arcsin", ',
          "which survfit(conf.type = ) sets.")
  refused(confidence_bands(fit_of(conf.lower = "modified"), "simultaneous"), "x",
          'has `conf.lower` "modified", but simultaneous bands need "usual", which survfit(conf.lower = ) sets.')
  refused(plot_bands(fit_of(conf.type = "none")), "x", no_limits)
  refused(plot_bands(confidence_bands(x), by = 1:4), "by",
          "cannot be used with confidence bands: it applies to functions.")
})

test_that("plot() and autoplot() draw the bands", {
  draw_nowhere()
  bands <- confidence_bands(random_pcf(5))
  expect_identical(expect_invisible(plot(bands, xlim = c(0, 5))), bands)
  skip_if_not_installed("ggplot2")
  allow_plain_numbers() # for the colours of ggplot2
  built <- function(...) ggplot2::ggplot_build(ggplot2::autoplot(...))$data
  drawn <- built(bands, xlim = c(0, 6))
  steps <- ggplot2::fortify(bands$center, xlim = c(0, 6))
  expect_identical(drawn[[2]]$x, steps$time)
  expect_identical(drawn[[2]]$y, steps$value)
  at <- drawn[[1]]$x[c(TRUE, FALSE)]
  expect_identical(drawn[[1]]$ymin[c(TRUE, FALSE)], as.vector(as.matrix(bands$lower, at)))
  expect_identical(drawn[[1]]$ymax[c(TRUE, FALSE)], as.vector(as.matrix(bands$upper, at)))
  expect_identical(unique(drawn[[1]]$alpha), 0.25)
  fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
  drawn <- built(confidence_bands(fit), alpha = 0.1, linetype = 2)
  expect_identical(unique(drawn[[1]]$fill), unique(drawn[[2]]$colour))
  expect_length(unique(drawn[[1]]$fill), 2)
  expect_identical(unique(drawn[[1]]$alpha), 0.1)
  expect_identical(unique(drawn[[2]]$linetype), 2)
  days <- random_pcf(5)
  time_unit(days) <- "Date"
  dated <- confidence_bands(days)
  expect_s3_class(ggplot2::layer_scales(ggplot2::autoplot(dated))$x, "ScaleContinuousDate")
  expect_silent(print(ggplot2::autoplot(dated)))
})

test_that("limits of lines in a window have the columns of all others", {
  bands <- confidence_bands(plf(list(0:2, 0:2), list(c(1, 2, 4), c(2, 5, 7))), from = -1, to = 1)
  for (part in unclass(bands)[c("center", "lower", "upper")]) {
    expect_identical(colnames(unclass(part)[[1]]), c("time", "left", "value"))
    expect_identical(c(is.na(evaluate(part, c(-2, -1, 1, 1.5)))), c(TRUE, FALSE, TRUE, TRUE))
  }
})

test_that("bands of lines have the breakpoints of the lines", {
  days <- as.Date("2024-01-01") + c(0, 30, 60)
  x <- as_plf(data.frame(id = rep(1:2, each = 3), time = days, value = c(1, 2, 4, 2, 5, 8)))
  bands <- confidence_bands(x)
  for (part in unclass(bands)[c("center", "lower", "upper")]) {
    expect_identical(unique(format(as.data.frame(part)$time)), format(days))
  }
  expect_identical(bands$center, mean(x))
})

test_that("simultaneous bands end where few functions are observed", {
  dropouts <- function(n, last) {
    with_seed(1, lapply(last, function(last) {
      times <- c(0:9, last)
      times <- times[times <= last]
      data.frame(time = times, value = rnorm(1) + cumsum(rnorm(length(times))))
    }))
  }
  last <- c(9.5, 9.2, with_seed(2, runif(38, 2, 9)))
  ends <- sort(last)
  for (convert in list(as_pcf, as_plf)) {
    x <- convert(dropouts(40, last))
    bands <- function(...) with_seed(3, confidence_bands(x, "simultaneous", na.rm = TRUE, n = 199, ...))
    half <- bands()
    everywhere <- bands(min_observed = 2)
    expect_lt(half$quantile, 4)
    expect_gt(everywhere$quantile, 2 * half$quantile)
    expect_identical(half$observed, cbind(fewest = 20L, most = 40L))
    expect_identical(everywhere$observed, cbind(fewest = 2L, most = 40L))
    # 20 are observed up to and with the end of the 21st of 40.
    expect_false(is.na(evaluate(half$upper, ends[21])))
    expect_true(is.na(evaluate(half$upper, next_time(ends[21]))))
    expect_false(is.na(evaluate(half$center, ends[30])))
    # The same as with a window that ends there.
    cut <- bands(to = next_time(ends[21]))
    expect_equal(cut$quantile, half$quantile)
    times <- c(seq(0, ends[21], 0.1), ends[21])
    expect_equal(evaluate(cut$upper, times), evaluate(half$upper, times))
    expect_identical(bands(min_observed = 30)$observed[[1, "fewest"]], 30L)
    pointwise <- confidence_bands(x, na.rm = TRUE)
    expect_identical(pointwise$observed, everywhere$observed)
    few <- confidence_bands(x, na.rm = TRUE, min_observed = 20)
    expect_identical(evaluate(few$lower, times), evaluate(pointwise$lower, times))
    expect_true(is.na(evaluate(few$lower, next_time(ends[21]))))
    refused(bands(min_observed = 41), "min_observed", "must be at most the number of functions, 40, not 41.")
    refused(bands(min_observed = 1), "min_observed", "must be a whole number of at least 2, not 1.")
    by <- rep(c("a", "b"), c(4, 36))
    expect_identical(bands(by = by)$observed[, "fewest"], c(a = 4L, b = 18L))
    refused(bands(by = by, min_observed = 5), "min_observed",
            'must be at most the number of functions of each group, 4 in "a", not 5.')
  }
})

test_that("the quantiles of mean weights are those of many chicks", {
  chicks <- as_plf(ChickWeight, id = "Chick", time = "Time", value = "weight")
  diet <- ChickWeight$Diet[match(names(chicks), ChickWeight$Chick)]
  bands <- with_seed(1, confidence_bands(chicks, "simultaneous", by = diet, na.rm = TRUE))
  expect_lt(max(bands$quantile), 4)
  expect_identical(bands$observed[, "fewest"], setNames(as.integer(table(diet[!is.na(evaluate(chicks, 21))])), 1:4))
  expect_identical(bands$observed[, "most"], setNames(as.integer(table(diet)), 1:4))
})

test_that("bands without limits have no quantile", {
  x <- pcf(list(a = c(-Inf, 0, 1), b = c(-Inf, 2, 3)), list(c(NA, 1, NA), c(NA, 2, NA)))
  bands <- confidence_bands(x, "simultaneous", na.rm = TRUE)
  expect_identical(bands$quantile, NA_real_)
  expect_true(anyNA(bands$observed))
  expect_true(all(is.na(evaluate(bands$upper, 0:3))))
})

test_that("print() shows quantiles and how many functions are observed", {
  allow_plain_numbers()
  x <- pcf(rep(list(0:2), 4), list(1:3, 2:4, c(1, 3, 4), c(2, 3, NA)))
  shown <- function(...) capture.output(print(confidence_bands(x, ..., na.rm = TRUE)))[2:4]
  expect_identical(shown()[1:2], c("  means of 3 to 4 functions", "$center"))
  bands <- with_seed(1, confidence_bands(x, "simultaneous", min_observed = 3, na.rm = TRUE))
  expect_identical(capture.output(print(bands))[2],
                   paste0("  limits at ", signif(bands$quantile, 3), " standard errors, means of 3 to 4 functions"))
  expect_identical(shown(by = c("a", "a", "bb", "bb"))[1:2],
                   c("  a   means of 2 functions", "  bb  means of 2 functions"))
  fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
  bands <- confidence_bands(fit, "simultaneous")
  expect_identical(capture.output(print(bands))[2:3], paste0(
    "  ", names(bands$quantile), "  limits at ", signif(bands$quantile, 3), " standard errors"
  ))
  expect_identical(capture.output(print(confidence_bands(fit)))[2], "$center")
})

test_that("print() shows the limits on the scale of the centre", {
  allow_plain_numbers()
  of_parts <- function(x) {
    sparklines(do.call(c, lapply(unname(unclass(x)[band_parts]), function(part) part[seq_along(part)])))
  }
  x <- pcf(rep(list(0:2), 4), list(c(5, 6, 0), c(9, 10, 0), c(1, 1, 0), c(2, 3, 0)))
  bands <- confidence_bands(x, by = c("a", "a", "b", "b"))
  shown <- capture.output(print(bands))
  lines <- shown[grepl("^  [ab] .*\\(", shown)]
  expect_length(lines, 6)
  expect_identical(substr(lines, 6, 21), of_parts(bands))
  expect_identical(substring(lines, 24), unlist(lapply(unclass(bands)[band_parts], format), use.names = FALSE))
  # The limits are on their sides of the centre.
  expect_identical(substr(lines, 6, 6), c(".", ".", "_", ".", "^", "-"))
  expect_identical(shown[-(1:3)][!grepl("^  [ab]", shown[-(1:3)])],
                   c("$center", "<pcf> 2 functions of 3 breakpoints", "$lower", "<pcf> 2 functions of 3 breakpoints",
                     "$upper", "<pcf> 2 functions of 3 breakpoints"))
  # Of more than five curves, the first are shown; of arrays, the first rows and columns.
  many <- confidence_bands(rep(x, 4), by = rep(1:8, each = 2))
  expect_identical(sum(capture.output(print(many)) == "  ... and 3 more"), 3L)
  parts <- lapply(unclass(many)[band_parts], function(part) structure(part[c(1:6, 1:6)], dim = c(6L, 2L)))
  array <- new_bands(parts$center, parts$lower, parts$upper, "pointwise", 0.95)
  shown <- capture.output(print(array))
  expect_identical(sum(shown == "  ... and 1 more row"), 3L)
  expect_identical(sum(grepl("<pcf> 6 x 2 functions", shown, fixed = TRUE)), 3L)
  first <- array[1:5, ]
  pictures <- of_parts(first)
  for (k in seq_along(pictures)) expect_true(any(grepl(pictures[k], shown, fixed = TRUE)))
  expect_output(print(bands[0]), "of 0 curves")
})
test_that("curves are selected with all that belongs to them", {
  x <- random_partial_pcf(12, seed = 4)
  by <- rep(c("a", "b", "c"), 4)
  for (type in c("pointwise", "simultaneous")) for (convert in list(identity, as_plf)) {
    bands <- with_seed(1, confidence_bands(convert(x), type, by = by, na.rm = TRUE, level = 0.9, n = 99))
    expect_identical(bands[], bands)
    expect_identical(bands[1:3], bands)
    expect_identical(bands[c("a", "b", "c")], bands)
    expect_identical(bands[c(3, 1, 2)][c(2, 3, 1)], bands)
    some <- bands[c("c", "a")]
    expect_s3_class(some, "pcf_bands")
    expect_identical(bands[c(TRUE, FALSE, TRUE)][2:1], some)
    expect_identical(bands[-2][2:1], some)
    for (part in c("center", "lower", "upper")) expect_identical(some[[part]], bands[[part]][c("c", "a")])
    expect_identical(some$quantile, bands$quantile[c("c", "a")])
    expect_identical(some$observed, bands$observed[c("c", "a"), ])
    expect_identical(bands[2]$observed, bands$observed["b", , drop = FALSE])
    expect_identical(some$level, 0.9)
    expect_identical(some$type, type)
    draw_nowhere()
    expect_identical(plot_bands(some), some)
    expect_output(print(some), "of 2 curves")
    expect_error(bands[4], "does not exist", class = "pcfdist_error_subscript")
    expect_error(bands["d"], "does not exist", class = "pcfdist_error_subscript")
    expect_error(bands[c("center", "lower")], "x$center is the part", fixed = TRUE, class = "pcfdist_error_subscript")
  }
  allow_plain_numbers() # for the levels of strata
  fit <- fit_of()
  expect_identical(confidence_bands(fit)["sex=2"]$upper, confidence_bands(fit)$upper[2])
  expect_identical(confidence_bands(fit, "simultaneous")[2]$quantile[[1]],
                   confidence_bands(fit[2], "simultaneous")$quantile[[1]])
})

test_that("bands are data frames, and functions again", {
  x <- random_partial_pcf(12, seed = 4)
  days <- x
  time_unit(days) <- "days"
  for (x in list(x, as_plf(x), days, unname(x))) for (by in list(NULL, rep(c("a", "b"), 6))) {
    bands <- confidence_bands(x, by = by, na.rm = TRUE)
    data <- as.data.frame(bands)
    lines <- is_plf(x)
    columns <- c("center", "lower", "upper", if (lines) c("center_left", "lower_left", "upper_left"))
    expect_named(data, c("id", "time", columns))
    expect_identical(unique(data$id), names(bands$center) %||% 1L)
    for (part in c("center", "lower", "upper")) {
      read <- if (lines) as_plf(data, id = "id", time = "time", value = part, left = paste0(part, "_left"))
              else as_pcf(data, id = "id", time = "time", value = part, before = 0)
      expect_true(all(read == bands[[part]]))
    }
  }
  allow_plain_numbers() # for the levels of strata
  fit <- fit_of()
  data <- as.data.frame(confidence_bands(fit)["sex=1"])
  row <- match(fit[1]$time, data$time)
  expect_identical(data$lower[row], fit[1]$lower)
  expect_identical(data$center[row], fit[1]$surv)
  expect_identical(as.data.frame(confidence_bands(fit), row.names = NULL)$id[1], "sex=1")
})

test_that("pictures of survival curves and probabilities begin at 0", {
  allow_plain_numbers() # for the levels of the factor
  draw_nowhere()
  surv <- survival::Surv(c(500, 600, 700, 800, 900:910), c(1, 0, 1, rep(0, 12)))
  states <- survival::Surv(c(5, 6, 7, 8, 9, 10), factor(c(1, 2, 0, 1, 0, 0), 0:2, c("none", "a", "b")))
  late <- survival::survfit(surv ~ 1, start.time = 400)
  fits <- list(survival::survfit(surv ~ 1), late, survival::survfit(states ~ 1),
               survival::survfit(survival::Surv(c(1, 2, 2, 3), c(4, 5, 6, 7), c(1, 1, 0, 1)) ~ 1))
  ranges <- function(code) {
    force(code)
    usr <- matrix(graphics::par("usr"), 2)
    usr[1, ] + (usr[2, ] - usr[1, ]) * 0.04 / 1.08
  }
  for (k in seq_along(fits)) {
    fit <- fits[[k]]
    start <- c(if (k == 2) 400 else 0, 0)
    expect_equal(ranges(plot_bands(fit)), start)
    expect_equal(ranges(plot(confidence_bands(fit))), start)
    expect_equal(ranges(plot(as_pcf(fit))), start)
    expect_equal(ranges(plot_bands(as_pcf(fit), na.rm = TRUE)), start)
    expect_gt(ranges(plot_bands(fit, ylim = c(0.2, 1)))[2], 0.1)
    expect_identical(unname(evaluate(as_pcf(fit)[1], start[1])), 1)
    expect_silent(plot_bands(fit, log = "y"))
  }
  skip_if_not_installed("ggplot2")
  for (fit in fits) for (x in list(as_pcf(fit), confidence_bands(fit))) {
    plot <- ggplot2::autoplot(x)
    lowest <- function(plot) ggplot2::layer_scales(plot)$y$range$range[1]
    expect_identical(lowest(plot), 0)
    expect_identical(lowest(plot + ggplot2::facet_wrap(~id)), 0)
  }
  high <- ggplot2::autoplot(confidence_bands(late)) + ggplot2::scale_y_log10()
  expect_silent(print(high))
  expect_true(is.finite(ggplot2::layer_scales(high)$y$range$range[1]))
})

test_that("bands have limits at the last time of measurements", {
  table <- data.frame(id = rep(1:5, each = 3), time = c(0, 10, 21), value = c(1:5, 2:6, 9:5))
  for (make in list(as_pcf, as_plf)) {
    x <- make(table, id = "id", time = "time", value = "value")
    expect_identical(confidence_bands(x, to = 21), confidence_bands(x))
    of_groups <- function(...) confidence_bands(x, by = c(1, 1, 2, 2, 2), reference = "1", ...)
    expect_identical(of_groups(to = 21), of_groups())
  }
})
