# Axes of times with units.

# Begins a plot whose x axis shows times in a unit.
open_axes <- function(xlim, ylim, unit, xlab, ...) {
  if (unit_kind(unit) %in% c("Date", "POSIXct")) {
    ends <- as_times(range(xlim), unit)
    plot(ends, range(ylim), type = "n", xlim = as_times(xlim, unit), ylim = ylim, xlab = xlab, ...)
  } else if (is_calendar(unit) && shows_axis(...)) {
    plot(NULL, type = "n", xlim = xlim, ylim = ylim, xlab = xlab, ..., xaxt = "n")
    ticks <- calendar_ticks(graphics::par("usr")[1:2], unit)
    graphics::axis(1, ticks, calendar_labels(ticks, unit))
  } else {
    plot(NULL, type = "n", xlim = xlim, ylim = ylim, xlab = xlab, ...)
  }
  the$last_plot <- list(device = grDevices::dev.cur(), usr = graphics::par("usr"), unit = unit)
}

# Functions to be added to the open plot, in the unit of that plot. Plots that we did not begin may
# have any x axis.
in_unit_of_plot <- function(x) {
  plot <- the$last_plot
  own <- unit_of(x)
  is_open <- !is.null(plot) && identical(plot$device, grDevices::dev.cur()) &&
    identical(plot$usr, graphics::par("usr"))
  if (!is_open || identical(own, plot$unit) || is_timeless(x)) return(x)
  if (goes_with(own, plot$unit)) return(in_unit(x, plot$unit))
  abort_units("x", "", own, "the open plot", plot$unit)
}

# Do the arguments of plot() leave the x axis to us? Not if they omit it or make it logarithmic.
shows_axis <- function(...) {
  given <- list(...)
  is.null(given$xaxt) && !isFALSE(given$axes) && !grepl("x", given$log %||% "")
}

# The label of an axis of times; for durations, with their units. Some functions have other things there.
time_label <- function(x) {
  unit <- unit_of(x)
  if (unit_kind(unit) == "difftime") return(paste0("time (", attr(unit, "units"), ")"))
  name <- name_of(x)
  if (is.null(unit) && isTRUE(name %in% names(axis_names))) axis_names[[name]] else "time"
}

# Ticks at the beginnings of some months, quarters or years; over more than `most` years, R's pretty
# ones.
calendar_ticks <- function(range, unit, most = 8) {
  steps <- if (attr(unit, "frequency") == 12) c(12, 6, 4, 2, 1) else c(4, 2, 1)
  fits <- steps[diff(range) * steps <= most]
  if (length(fits) == 0) return(pretty(range))
  seq(ceiling(range[1] * fits[1]), floor(range[2] * fits[1])) / fits[1]
}

# Only years if all times are whole years. NA, which ggplot2 may pass, stays NA.
calendar_labels <- function(times, unit) {
  if (all(times == round(times), na.rm = TRUE)) return(text_of(times))
  ifelse(is.na(times), NA, format_times(times, unit, 8))
}

# Scales and labels of ggplot2 for times that are drawn as numbers.
time_scales <- function(x) {
  unit <- unit_of(x)
  if (!is_calendar(unit)) return(ggplot2::labs(x = time_label(x)))
  list(ggplot2::labs(x = "time"), ggplot2::scale_x_continuous(
    breaks = function(range) calendar_ticks(range, unit, most = 5),
    labels = function(times) calendar_labels(times, unit)
  ))
}

# The range of times, or the ends of an axis that may go `backwards`, as numbers in a unit.
check_xlim <- function(xlim, unit, backwards = FALSE, log = "") {
  xlim <- without_parts(xlim)
  valid <- is_range(xlim) && (xlim[1] < xlim[2] || backwards && xlim[1] != xlim[2])
  what <- if (backwards) "two different finite numbers" else "two finite numbers, the smaller first"
  check_is(valid, xlim, "xlim", "must be ", what, ", not ")
  check_on_axis(as.vector(times_in(xlim, unit, "xlim")), "xlim", grepl("x", log))
}

check_ylim <- function(ylim, log = "") {
  valid <- is.numeric(ylim) && is_range(ylim)
  check_is(valid, ylim, "ylim", "must be two finite numbers, not ")
  check_on_axis(ylim, "ylim", grepl("y", log))
}

check_on_axis <- function(limits, argument, log) {
  if (!log || all(limits > 0)) return(limits)
  abort_argument(argument, "must be positive on a logarithmic axis, not ", number(min(limits)), ".")
}

# A function that converts numbers on an axis from `usr[1]` to `usr[2]` to places between two others.
# Halving avoids overflow of differences.
on_axis <- function(usr, log, place) {
  function(x) {
    if (log) x <- log10(base::pmax(x, 0))
    (x / 2 - usr[1] / 2) / diff(usr / 2) * diff(place) + place[1]
  }
}
