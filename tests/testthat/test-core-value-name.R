# The name of the values: where it comes from, what keeps it, and the axes that show it.

weights <- function() {
  as_pcf(ChickWeight[1:36, ], id = "Chick", time = "Time", value = "weight", until = "last")
}

# The labels of both axes that some code draws.
titles <- function(code) {
  draw_nowhere()
  grDevices::dev.control("enable")
  force(code)
  calls <- lapply(grDevices::recordPlot()[[1]], function(entry) as.list(entry[[2]]))
  titles <- Filter(function(call) identical(call[[1]]$name, "C_title"), calls)
  unlist(lapply(titles, function(call) call[4:5]))
}

test_that("functions have the name of what they were made from", {
  bars <- cbind(dimension = c(0, 0, 1), birth = c(0, 0, 1), death = c(1, Inf, 2))
  trains <- list(c(1, 4), 2)
  sample <- c(1, 2, 2, 5)
  segments <- data.frame(from = 0:1, to = 1:2, copies = 2:3)
  named <- list(
    weight = weights(), copies = as_pcf(segments, NULL, start = "from", end = "to", value = "copies"),
    demand = as_pcf(BOD), demand = as_plf(BOD), demand = as_pcf(as.matrix(BOD)),
    count = counting(trains), count = rcounting(2), "interspike interval" = interspike(trains, from = 0, to = 5),
    "interspike interval (secs)" = interspike(.POSIXct(c(1, 4)), from = .POSIXct(0), to = .POSIXct(5)),
    "cumulative probability" = distribution(sample), "cumulative probability" = as_pcf(ecdf(sample)),
    "cumulative probability" = as_pcf(list(a = ecdf(sample), b = ecdf(1:3))),
    "cumulative probability" = as_plf(ecdf(sample)), density = as_plf(density(sample)),
    "cumulative probability" = distribution(hist(sample, plot = FALSE)),
    quantile = inverse(distribution(sample)),
    "stable rank" = stable_rank(bars, 0), "Betti number" = betti_curve(bars, 1),
    "Euler characteristic" = euler_curve(bars),
    "accumulated persistence" = accumulated_persistence(bars, 1),
    landscape = landscape(bars, levels = 2, dimension = 1),
    silhouette = silhouette_curve(bars, dimension = 1)
  )
  expect_identical(unname(lapply(named, value_name)), as.list(names(named)))
  for (x in list(pcf(0, 0), as_pcf(AirPassengers), as_pcf(data.frame(time = 1, VALUE = 2)),
                 as_pcf(data.frame(1:2, V2 = 2:3)),
                 as_pcf(list(ecdf(1:2), stepfun(1, 0:1))), as_pcf(rbind(1:2), times = 1:2))) {
    expect_null(value_name(x))
  }
})

test_that("survival curves have the name of what they estimate", {
  skip_if_not_installed("survival")
  fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
  what <- c(surv = "survival", lower = "survival", upper = "survival", cumhaz = "cumulative hazard")
  for (part in names(what)) expect_identical(value_name(as_pcf(fit, what = part)), what[[part]])
  allow_plain_numbers() # for the levels of the factor
  states <- survival::survfit(
    survival::Surv(futime, factor(pmin(death + 1, 2), 1:2, c("none", "death"))) ~ 1, survival::mgus
  )
  expect_identical(value_name(as_pcf(states)), "probability")
  bands <- confidence_bands(fit, type = "simultaneous", from = 60, to = 600)
  expect_identical(unique(lapply(unclass(bands)[c("center", "lower", "upper")], value_name)), list("survival"))
  expect_identical(titles(plot_bands(fit)), c("time", "survival"))
})

test_that("the same values keep their name, and others lose it", {
  x <- weights()
  time_unit(x) <- "days"
  lines <- as_plf(x)
  shifted <- x
  time_unit(shifted) <- "hours"
  kept <- list(
    x[2:1], x[["1"]], c(x, lines), rep(x, 2), rev(x), unique(x), restrict(x, as.difftime(1, units = "days")),
    drop_redundant(x), shift_time(x, as.difftime(1, units = "days")), fill_missing(x, 0), shifted,
    mean(x, na.rm = TRUE), sum(x), max(x), quantile(x, 0.5, na.rm = TRUE), aggregate(x, c("a", "b", "a")),
    linear_combinations(diag(3), x), x + x, x - mean(x), pmin(x, 200), pmax(x, mean(x)), as.list(x)[[1]],
    replace(x, 1, x[2]), replace(x, 1, NA), confidence_bands(x, na.rm = TRUE)$lower, t(array(x, c(1, 3))),
    lines - lines, pmin(lines, lines[1]), quantile(lines, 0.5), mean(lines)
  )
  expect_identical(unique(lapply(kept, value_name)), list("weight"))
  other <- x
  value_name(other) <- "height"
  lost <- list(
    c(x, other), c(x, pcf(-Inf, 0)), x + other, x * x, 2 * x, x + 1, -x, sqrt(x), x > 100, abs(lines),
    replace(x, 1, other[1]), observed(x), cumulative(fill_missing(x, 0)), inverse(counting(1:3)),
    pmin(x, other), lines * 2, lines > 1, -lines
  )
  expect_identical(unique(lapply(lost, value_name)), list(NULL))
  expect_identical(value_name(other), "height")
  value_name(other) <- NULL
  expect_null(value_name(other))
  expect_true(all(other == x))
})

test_that("files, data frames and tibbles keep the name", {
  x <- weights()
  file <- local_path()
  saveRDS(x, file)
  expect_true(identical(readRDS(file), x))
  unlink(file, expand = FALSE)
  write_npy(x, file)
  expect_true(identical(read_npy(file), x))
  write_strings(c("a", "b"), file.path(file, "value_name.npy"))
  without_checksums(file)
  expect_error(read_npy(file), 'one name of the values, and has "a", "b"', class = "pcfdist_error_path")
  write_npy(unname(x > 1), file)
  expect_false(file.exists(file.path(file, "value_name.npy")))
  table <- data.frame(id = 1:3, f = x)
  expect_identical(value_name(rbind(table, table)$f), "weight")
  skip_if_not_installed("dplyr")
  both <- dplyr::bind_rows(tibble::tibble(f = x), tibble::tibble(f = x))
  expect_identical(value_name(both$f), "weight")
  expect_null(value_name(dplyr::bind_rows(both, tibble::tibble(f = x > 1))$f))
})

test_that("the name is printed, and is one string", {
  x <- weights()
  expect_match(capture.output(x)[1], ", values: weight$")
  expect_match(capture.output(str(x)), "values: weight", fixed = TRUE)
  for (wrong in list(1, NA_character_, c("a", "b"), "")) {
    expect_error(value_name(x) <- wrong, class = "pcfdist_error_value")
  }
  expect_error(value_name(1), class = "pcfdist_error_x")
})

test_that("axes show the name of the values", {
  x <- weights()
  expect_identical(titles(plot(x)), c("time", "weight"))
  expect_identical(titles(plot(x, xlab = "days", ylab = "g")), c("days", "g"))
  expect_identical(titles(plot_bands(x, na.rm = TRUE)), c("time", "weight"))
  expect_identical(titles(plot_bands(confidence_bands(x, na.rm = TRUE))), c("time", "weight"))
  expect_identical(titles(plot(x > 100)), c("time", "value"))
  expect_identical(titles(plot(distribution(1:3))), c("value", "cumulative probability"))
  expect_identical(titles(plot(inverse(distribution(1:3)))), c("cumulative probability", "quantile"))
  allow_plain_numbers() # for the names of months, which not all devices can draw
  dates <- distribution(as.Date("2024-01-01") + 0:2)
  expect_identical(titles(plot(dates)), c("time", "cumulative probability"))
  skip_if_not_installed("ggplot2")
  labels <- function(plot) unlist(plot$labels[c("x", "y")], use.names = FALSE)
  expect_identical(labels(ggplot2::autoplot(x)), c("time", "weight"))
  expect_identical(labels(ggplot2::autoplot(distribution(1:3))), c("value", "cumulative probability"))
  bands <- confidence_bands(x, na.rm = TRUE)
  expect_identical(labels(ggplot2::autoplot(bands)), c("time", "weight"))
})

test_that("only one column has the values", {
  long <- data.frame(id = "a", time = 1:2, u = 1:2, v = 1:2)
  for (read in c(as_pcf, as_plf)) {
    refused(read(long, value = c("u", "v")), "value",
            "must be the name of a column of `x` (id, time, u, v), not a character vector of length 2.")
  }
})

test_that("curves of diagrams have filtration values on the other axis, and stable ranks lengths", {
  bars <- list(cbind(dimension = c(0, 0, 1), birth = c(0, 0, 1), death = c(1, 3, 2)))
  bars[[2]] <- bars[[1]]
  curves <- list(
    "Betti number" = betti_curve(bars, 0), "Euler characteristic" = euler_curve(bars),
    "accumulated persistence" = accumulated_persistence(bars, 0), "stable rank" = stable_rank(bars, 0),
    landscape = landscape(bars, dimension = 0), silhouette = silhouette_curve(bars, dimension = 0)
  )
  for (name in names(curves)) {
    both <- c(if (name == "stable rank") "length of bars" else "filtration value", name)
    x <- curves[[name]]
    for (drawn in list(x, mean(c(x)), x + x)) expect_identical(titles(plot(drawn)), both)
    expect_identical(titles(plot(c(x), by = seq_along(c(x)))), both)
    expect_identical(titles(plot_bands(c(x))), both)
    expect_identical(titles(plot_bands(confidence_bands(c(x), to = 2))), both)
  }
  expect_identical(titles(plot_barcode(bars))[[1]], "filtration value")
  later <- curves[[1]]
  time_unit(later) <- "days"
  expect_identical(titles(plot(later)), c("time (days)", "Betti number"))
  skip_if_not_installed("ggplot2")
  for (x in curves) {
    label <- if (value_name(x) == "stable rank") "length of bars" else "filtration value"
    expect_identical(ggplot2::autoplot(x)$labels$x, label)
    expect_identical(ggplot2::autoplot(confidence_bands(c(x), to = 2))$labels$x, label)
  }
})
