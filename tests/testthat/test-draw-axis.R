# Axes of times with units.

# The labels of the x axis that some code draws.
axis_labels <- function(code) {
  draw_nowhere()
  grDevices::dev.control("enable")
  force(code)
  calls <- lapply(grDevices::recordPlot()[[1]], function(entry) as.list(entry[[2]]))
  axes <- Filter(function(call) {
    identical(call[[1]]$name, "C_axis") && call[[2]] == 1 && !identical(call$xaxt, "n")
  }, calls)
  if (length(axes) > 0) axes[[1]][[4]]
}

days <- function() pcf(as.Date("2024-02-27") + c(0, 4, 20), c(1, 2, 0))
hours <- function() pcf(as.POSIXct("2024-10-27", tz = "Europe/Berlin") + 3600 * c(0, 3, 9), 2:0)

test_that("axes show dates, and clock times in the zone of the functions", {
  march <- as.Date(c("2024-03-01", "2024-03-10"))
  expect_identical(axis_labels(plot(days(), xlim = march))[1:2], c("Mar 01", "Mar 03"))
  expect_identical(
    axis_labels(plot_bands(days(), xlim = march)), axis_labels(plot(days(), xlim = march))
  )
  expect_identical(axis_labels(plot(hours()))[1:2], c("00:00", "02:00"))
  expect_null(axis_labels(plot(days(), axes = FALSE)))
  expect_null(axis_labels(plot(days(), xaxt = "n")))
})

test_that("axes of calendars show months and quarters, or years", {
  x <- as_pcf(AirPassengers)
  expect_identical(
    axis_labels(plot(x, xlim = c(1955, 1956.2)))[1:3], c("1955 Jan", "1955 Mar", "1955 May")
  )
  expect_identical(axis_labels(plot(x, xlim = c(1955, 1958))), as.character(c(
    "1955 Jan", "1955 Jul", "1956 Jan", "1956 Jul", "1957 Jan", "1957 Jul", "1958 Jan"
  )))
  expect_identical(axis_labels(plot(x, xlim = c(1953, 1959))), as.character(1953:1959))
  expect_identical(axis_labels(plot(x))[2:3], c("1950", "1952"))
  expect_identical(axis_labels(plot(as_pcf(UKgas), xlim = c(1960, 1961)))[1:2],
                   c("1960 Q1", "1960 Q2"))
  expect_null(axis_labels(plot(x, axes = FALSE)))
})

test_that("pictures of times are those of their numbers", {
  ends <- function(x, ...) {
    draw_nowhere()
    plot(x, ...)
    lines(x)
    graphics::par("usr")
  }
  x <- days()
  numbers <- as.double(as.Date("2024-03-01") + 0:1)
  expect_identical(ends(x, xlim = as.Date("2024-03-01") + 0:1), {
    time_unit(x) <- NULL
    ends(x, xlim = numbers)
  })
})

test_that("limits must be times of the unit", {
  draw_nowhere()
  expect_error(plot(days(), xlim = 1:2), class = "pcfdist_error_xlim")
  plot(days())
  expect_error(lines(days(), xlim = 1:2), class = "pcfdist_error_xlim")
  expect_error(plot_bands(days(), xlim = 1:2), class = "pcfdist_error_xlim")
  expect_error(plot(pcf(0, 1), xlim = Sys.Date() + 0:1), class = "pcfdist_error_xlim")
})

test_that("ggplot2 gets times, and has scales for them", {
  skip_if_not_installed("ggplot2")
  allow_plain_numbers() # for the colours of ggplot2, and names of months
  data <- ggplot2::fortify(days(), xlim = as.Date(c("2024-03-01", "2024-03-04")))
  expect_identical(data$time[c(1, nrow(data))], as.Date(c("2024-03-01", "2024-03-04")))
  expect_s3_class(ggplot2::fortify(hours())$time, "POSIXct")
  minutes <- pcf(as.difftime(c(0, 90), units = "mins"), 1:0)
  expect_s3_class(ggplot2::fortify(minutes)$time, "difftime")
  # Some versions of ggplot2 also give the labels of breaks outside the limits, which are not drawn.
  labels <- function(plot) {
    scale <- ggplot2::ggplot_build(plot)$layout$panel_params[[1]]$x
    scale$get_labels()[!is.na(scale$get_breaks())]
  }
  expect_identical(labels(ggplot2::autoplot(days()))[1:2], c("Feb 26", "Mar 04"))
  drawn <- ggplot2::ggplot_build(ggplot2::autoplot(hours()))
  expect_identical(drawn$layout$panel_scales_x[[1]]$timezone, "Europe/Berlin")
  expect_identical(ggplot2::autoplot(minutes)$labels$x, "time (mins)")
  expect_identical(ggplot2::autoplot(days())$labels$x, "time")
  year <- ggplot2::autoplot(as_pcf(AirPassengers), xlim = c(1955, 1956))
  expect_identical(labels(year)[1:2], c("1955 Jan", "1955 Apr"))
  expect_identical(labels(ggplot2::autoplot(as_pcf(AirPassengers)))[1:2], c("1950", "1952"))
  expect_identical(time_unit(as_pcf(data)), time_unit(days()))
})

# Where the horizontal lines that some code adds to a plot begin and end.
added_times <- function(plot, lines) {
  draw_nowhere()
  grDevices::dev.control("enable")
  force(plot)
  before <- length(grDevices::recordPlot()[[1]])
  force(lines)
  calls <- lapply(grDevices::recordPlot()[[1]][-seq_len(before)], function(entry) entry[[2]])
  sort(unique(unlist(lapply(calls, function(call) unlist(as.list(call)[c(2, 4)])))))
}

test_that("lines are added in the unit of the plot", {
  hours <- pcf(as.difftime(c(0, 2, 6), units = "hours"), c(1, 2, 0))
  minutes <- pcf(as.difftime(c(0, 90), units = "mins"), c(1, 0))
  times <- added_times(plot(hours), lines(minutes, verticals = "none"))
  expect_true(any(abs(times - 1.5) < 1e-12) && !any(times > 7))
  times <- added_times(plot(minutes), lines(hours, verticals = "none"))
  expect_equal(range(times), c(0, 90 * 1.05))
  day <- pcf(as.Date("2024-10-27"), 1)
  midnight <- as.numeric(as.POSIXct("2024-10-27", tz = "UTC"))
  of_clock <- pcf(as.POSIXct("2024-10-27", tz = "Europe/Berlin") + 3600 * c(0, 3, 9), 2:0)
  expect_true(midnight %in% added_times(plot(of_clock), lines(day, verticals = "none")))
  # Any plot of others, and functions without times.
  expect_true(5 %in% added_times(graphics::plot(0:95, 0:95), lines(minutes + pcf(as.difftime(5, units = "mins"), 1))))
  expect_length(added_times(plot(hours), lines(pcf(-Inf, 1))), 2)
})

test_that("lines in a unit that does not go with the plot are an error", {
  hours <- pcf(as.difftime(c(0, 2, 6), units = "hours"), c(1, 2, 0))
  draw_nowhere()
  plot(hours)
  refused(lines(days()), "x",
          "has dates as times, but the open plot has time differences in hours. They cannot be combined. ",
          sets_unit)
  refused(lines(pcf(0, 1)), "x",
          "has plain numbers as times, but the open plot has time differences in hours. They cannot be combined. ",
          sets_unit)
  plot(pcf(0:2, 2:0))
  expect_error(lines(hours), class = "pcfdist_error_x")
})

# The times of the last layer of a plot of ggplot2, as numbers.
layer_times <- function(plot) {
  built <- ggplot2::ggplot_build(plot)$data
  sort(unique(built[[length(built)]]$x))
}

test_that("layers of ggplot2 are added in the unit of the plot", {
  skip_if_not_installed("ggplot2")
  allow_plain_numbers() # for the colours of ggplot2
  hours <- pcf(as.difftime(c(0, 2, 6), units = "hours"), c(1, 2, 0))
  minutes <- pcf(as.difftime(c(0, 90), units = "mins"), c(1, 0))
  both <- ggplot2::autoplot(hours) + ggplot2::autolayer(minutes, xlim = as.difftime(c(0, 2), units = "hours"))
  expect_equal(layer_times(both), c(0, 1.5, 2))
  alone <- ggplot2::ggplot() + ggplot2::autolayer(minutes) + ggplot2::autolayer(hours, thin = FALSE)
  expect_equal(layer_times(alone)[1:3], c(0, 120, 360))
  day <- pcf(as.Date("2024-10-27") + 0:1, 1:0)
  of_clock <- pcf(as.POSIXct("2024-10-27", tz = "Europe/Berlin") + 3600 * c(0, 3, 9), 2:0)
  midnight <- as.numeric(as.POSIXct("2024-10-27", tz = "UTC"))
  expect_true(midnight %in% layer_times(ggplot2::autoplot(of_clock) + ggplot2::autolayer(day)))
  # Functions without times, and series of months among numbers.
  always <- ggplot2::autolayer(pcf(-Inf, 1), xlim = c(0, 5))
  expect_identical(layer_times(ggplot2::autoplot(hours) + always), c(0, 5))
  expect_identical(layer_times(ggplot2::autoplot(day) + always), c(0, 5))
  expect_identical(layer_times(ggplot2::ggplot() + always), c(0, 5))
  months <- ggplot2::autoplot(as_pcf(AirPassengers)) + ggplot2::autolayer(pcf(1955, 400), xlim = c(1955, 1956))
  expect_identical(layer_times(months), c(1955, 1956))
})

test_that("layers in a unit that does not go with the plot are an error", {
  skip_if_not_installed("ggplot2")
  hours <- pcf(as.difftime(c(0, 2, 6), units = "hours"), c(1, 2, 0))
  build <- function(...) ggplot2::ggplot_build(ggplot2::autoplot(...) + ggplot2::autolayer(hours))
  expect_error(build(days()), class = "pcfdist_error_object")
  expect_error(build(pcf(0:2, 2:0)), "plain numbers", class = "pcfdist_error_object")
})
