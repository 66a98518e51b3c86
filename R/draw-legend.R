# Legends that do not cover the functions in the plot.

# A legend: labels with their colours, or NULL for none. `legend` is the user's argument.
new_key <- function(labels, col, lty, lwd, legend) {
  if (is.null(legend) || isFALSE(legend)) return(NULL)
  places <- c("auto", rownames(legend_corners))
  where <- if (isTRUE(legend)) "auto" else check_choice(legend, "legend", places)
  if (length(labels) == 0) return(NULL)
  looks <- lapply(list(col = col, lty = lty, lwd = base::pmax(lwd, 2)), rep_len, length(labels))
  c(list(labels = labels, where = where), looks)
}

# The possible places of a legend, from (0, 0) to (1, 1), in order of preference.
legend_corners <- rbind(
  topright = c(1, 1), topleft = c(0, 1), bottomright = c(1, 0), bottomleft = c(0, 0),
  top = c(0.5, 1), bottom = c(0.5, 0), right = c(1, 0.5), left = c(0, 0.5),
  center = c(0.5, 0.5)
)

# ---- Finding a place ----

# The place of the legend; the `ylim` of the plot, with room for it; and, if that was widened, the `top` of
# the axis of values. `drawn` are data frames of the boxes, from x0, y0 to x1, y1, in which the plot draws.
# `room`: may `ylim` be widened? To measure text this begins a new plot, with which the next call to plot()
# goes on.
place_key <- function(key, drawn, xlim, ylim, room, log = "") {
  if (is.null(key)) return(list(ylim = ylim))
  graphics::plot.new()
  layout <- layout_key(key)
  if (is.null(layout)) return(list(ylim = ylim, where = "none"))
  if (key$where != "auto") return(c(layout, list(ylim = ylim, where = key$where)))
  x <- on_axis(padded(xlim, grepl("x", log)), grepl("x", log), c(0, 1))
  y <- on_axis(padded(ylim, grepl("y", log)), grepl("y", log), c(0, 1))
  drawn <- lapply(drawn, places_of, x, y)
  covered <- vapply(rownames(legend_corners), function(corner) {
    sum(vapply(drawn, overlaps, 0, key_box(layout, corner)))
  }, 0)
  best <- names(which.min(covered))
  if (!room || covered[[best]] == 0) return(c(layout, list(ylim = ylim, where = best)))
  layout <- layout_key(key, wide = TRUE)
  c(layout, widened(ylim, layout$height + 2 * key_inset, grepl("y", log)), list(where = "top"))
}

# The range of an axis of style "r", in its own unit.
padded <- function(limits, log) {
  if (log) limits <- log10(limits)
  if (limits[1] == limits[2]) limits <- limits + c(-1, 1)
  limits + c(-1, 1) * 0.04 * diff(limits)
}

# Room at the top for a legend of this height, a fraction of the plot: the wider `ylim`, and the `top` of
# the axis of values.
widened <- function(ylim, height, log) {
  limits <- padded(ylim, log)
  high <- limits[1] + diff(limits) * c(1.04 / 1.08 / (1 - min(height, 0.7)), 1)
  if (log) high <- 10^high
  list(ylim = c(ylim[1], high[1]), top = high[2])
}

# The distance between a legend and the frame, as a fraction of the plot.
key_inset <- 0.01

key_box <- function(layout, corner) {
  size <- c(layout$width, layout$height) + 2 * key_inset
  low <- legend_corners[corner, ] * (1 - size)
  list(x0 = low[1], y0 = low[2], x1 = low[1] + size[1], y1 = low[2] + size[2])
}

# Boxes with coordinates transformed by the functions `x` and `y`, on axes of either direction.
places_of <- function(boxes, x, y) {
  x <- list(x(boxes$x0), x(boxes$x1))
  y <- list(y(boxes$y0), y(boxes$y1))
  list(x0 = do.call(pmin, x), y0 = do.call(pmin, y), x1 = do.call(pmax, x), y1 = do.call(pmax, y))
}

# The number of boxes that overlap another one.
overlaps <- function(boxes, other) {
  beside <- which(boxes$x0 <= other$x1 & boxes$x1 >= other$x0)
  sum(boxes$y0[beside] <= other$y1 & boxes$y1[beside] >= other$y0, na.rm = TRUE)
}

# ---- Size ----

# The labels, columns and text size of a legend, and its size as a fraction of the plot. `wide`: in as many
# columns as fit?
layout_key <- function(key, wide = FALSE) {
  for (k in seq_len(nrow(key_sizes))) {
    size <- key_sizes[k, ]
    if (length(key$labels) > most_key_columns * most_key_rows(size$cex)) next
    layouts <- layouts_of(sized_labels(key$labels, size), size$cex)
    fits <- Filter(function(layout) layout$height <= most_key_height, layouts)
    if (length(fits) > 0) return(fits[[if (wide) length(fits) else 1]])
  }
  cut_key(key, size)
}

# The text sizes in order of preference, and the maximal width of a column as a fraction of the plot: labels
# get smaller, and then wider, before any are cut.
key_sizes <- data.frame(
  cex = c(1, 0.85, 0.7, 0.85, 0.7, 0.6, 0.85, 0.7, 0.6),
  width = rep(c(0.5, 0.9, 0.6), each = 3),
  cut = rep(c(FALSE, TRUE), c(6, 3))
)

# Labels for a column of this size; none if they do not fit and must not be cut.
sized_labels <- function(labels, size) {
  if (measured(1, labels, size$cex)$width <= size$width) return(labels)
  if (!size$cut) return(NULL)
  part <- max(size$width - measured(1, "", size$cex)$width, 0.3)
  shortened(labels, part * graphics::par("pin")[1], size$cex)
}

# The largest height of a legend, as a fraction of the plot.
most_key_height <- 0.5

most_key_columns <- 8

# The number of rows of text of this size that fit.
most_key_rows <- function(cex) {
  row <- diff(c(measured(1, "", cex)$height, measured(1, c("", ""), cex)$height))
  floor(most_key_height / row - 1)
}

# In one column, two and so on, as long as the plot is wide enough; at least in one.
layouts_of <- function(labels, cex) {
  layouts <- lapply(seq_len(min(length(labels), most_key_columns)), measured, labels, cex)
  narrow <- vapply(layouts, function(layout) layout$width <= 0.96, NA)
  layouts[narrow | seq_along(layouts) == 1]
}

# The first labels, and the number of the others; NULL if not even two fit.
cut_key <- function(key, size) {
  cex <- size$cex
  rest <- function(shown) sprintf("... and %.0f more", length(key$labels) - shown)
  labels <- c(sized_labels(key$labels, size), rest(0))
  columns <- length(layouts_of(labels, cex))
  shown <- max(0, columns * most_key_rows(cex) - 1)
  if (shown < 2) return(NULL)
  c(measured(columns, c(labels[seq_len(shown)], rest(shown)), cex), list(is_cut = TRUE))
}

measured <- function(columns, labels, cex) {
  box <- graphics::legend("topleft", labels, lwd = 1, ncol = columns, cex = cex, plot = FALSE)$rect
  list(labels = labels, columns = columns, cex = cex, width = box$w, height = box$h)
}

# ---- Drawing ----

# Begins a plot, or goes on with the one that place_key() began.
open_plot <- function(place, xlim, unit, xlab, ...) {
  if (!is.null(place$where)) {
    graphics::par(new = TRUE)
    on.exit(graphics::par(new = FALSE))
  }
  check_no_type(...)
  given <- list(...)
  if (is.null(place$top) || !is.null(given$yaxt) || isFALSE(given$axes)) {
    return(open_axes(xlim, place$ylim, unit, xlab, ...))
  }
  open_axes(xlim, place$ylim, unit, xlab, ..., yaxt = "n")
  axis_up_to(place$top, given)
}

# Of arguments of plot(), before place_key() begins a page.
check_no_type <- function(...) {
  if (is.null(list(...)$type)) return()
  abort_argument("type", "must not be given: functions are always drawn as lines.")
}

# The axis of values has no numbers next to the room for the legend, so that probabilities end at 1. `given`
# are arguments of plot().
axis_up_to <- function(top, given) {
  ticks <- graphics::axTicks(2)
  looks <- given[names(given) %in% c("las", "cex.axis", "col.axis", "font.axis")]
  do.call(graphics::axis, c(list(2, ticks[ticks <= top]), looks))
}

draw_key <- function(key, place) {
  if (is.null(place$labels)) return()
  shown <- seq_along(place$labels)
  col <- key$col[shown]
  if (isTRUE(place$is_cut)) col[length(shown)] <- NA
  paper <- if (graphics::par("bg") == "transparent") "white" else graphics::par("bg")
  graphics::legend(
    place$where, inset = key_inset, place$labels, col = col, lty = key$lty[shown],
    lwd = key$lwd[shown], ncol = place$columns, cex = place$cex,
    bg = grDevices::adjustcolor(paper, 0.75), box.col = NA
  )
}
