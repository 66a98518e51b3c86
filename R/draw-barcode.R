#' Draw persistence barcodes
#'
#' Draws each bar of a persistence diagram as a horizontal line from its birth to its death, ordered by
#' birth from the bottom up. Bars are grouped and coloured by dimension, with the lowest dimension at
#' the bottom. Bars that never die end in an arrow.
#'
#' @param x A persistence diagram, or a list of diagrams, of any kind that [stable_rank()] takes. Several
#'   diagrams are drawn one above the other, the first at the top.
#' @param dimension The dimensions of the bars to draw, whole numbers. By default all.
#' @inheritParams stable_rank
#' @param xlim The range of filtration values, two finite numbers. The default includes all births and finite
#'   deaths.
#' @param col One colour for each dimension that is drawn; bars without a dimension, if any, have the
#'   last. By default those of the [palette()].
#' @param lwd The width of the bars. By default they are thinner if there are many.
#' @param legend The place of the legend if there are several dimensions, as in [plot.pcf()]; `NULL` for
#'   none.
#' @param xlab,ylab Labels of the axes.
#' @param log `"x"` for a logarithmic axis. Bars that are born at or before 0 then begin at the left
#'   end of the axis, and bars that die before this end are not drawn.
#' @param ... Passed on to [plot.default()], such as `main`.
#'
#' @details
#' Bars of length 0 are not drawn.
#'
#' If there are several diagrams, their names are written on the left, as many as fit. If necessary, the
#' left margin is widened for this plot, and long names are shortened but kept distinct. The margins
#' are restored afterwards, and later additions to the plot, for example by [graphics::abline()], are
#' placed correctly.
#'
#' @return Invisibly, a data frame with a row for each bar drawn, from the bottom to the top:
#'   `diagram`, a factor (the names of the diagrams, or their indices), `dimension` (`NA` if the diagram
#'   has none), `birth` and `death`.
#'
#' @section Errors:
#' Invalid diagrams raise the errors of [stable_rank()].
#'
#' @seealso [stable_rank()] and [betti_curve()] for functions of diagrams
#'
#' @examples
#' bars <- cbind(
#'   dimension = c(0, 0, 0, 1, 1), birth = c(0, 0, 0, 1.2, 1.4), death = c(1, 1.5, Inf, 2, 1.6)
#' )
#' plot_barcode(bars)
#' plot_barcode(list(first = bars, second = bars[c(1, 3, 4), ]), infinite = 2.5)
#'
#' # Single linkage of the flowers of a species
#' flowers <- iris[iris$Species == "setosa", 1:4]
#' plot_barcode(hclust(dist(flowers), method = "single"), xlab = "cm")
#' @export
plot_barcode <- function(x, dimension = NULL, infinite = "keep", xlim = NULL, col = NULL,
                         lwd = NULL, legend = "auto", xlab = "filtration value", ylab = "", log = "", id = NULL,
                         ...) {
  check_no_type(...)
  bars <- bars_to_draw(x, dimension, check_infinite(infinite), id)
  log <- check_choice(log, "log", c("", "x"))
  check_line_style(1, lwd)
  xlim <- if (is.null(xlim)) bar_limits(bars, log) else check_xlim(xlim, NULL, log = log)
  rows <- bar_rows(bars)
  names <- levels(bars$diagram)
  old <- room_for_names(rows, names, ylab)
  on.exit(give_room_back(old))
  dimensions <- sort(unique(bars$dimension), na.last = TRUE)
  kind <- factor(match(bars$dimension, dimensions), seq_along(dimensions))
  n <- length(dimensions)
  col <- colors_of(col %||% group_colors(n), NULL, n)
  key <- new_key(if (n > 1) kind_labels(dimensions), col, 1, 2, legend)
  drawn <- bars_within(bars, xlim, log == "x", rows$bar)
  place <- place_key(key, list(drawn), xlim, c(0.5, rows$top), room = TRUE, log)
  open_plot(place, xlim, NULL, xlab, ylab = if (length(names) < 2) ylab else "", yaxt = "n",
            log = log, ...)
  draw_names(rows, names, ylab, ...)
  draw_bars(drawn, bars$death == Inf & !is.na(drawn$x0), col[kind], lwd, rows$top)
  draw_key(key, place)
  invisible(bars)
}

# ---- Bars ----

# The bars of all diagrams from the bottom to the top of the picture, checked. `infinite` comes
# from check_infinite().
bars_to_draw <- function(x, dimension, infinite, id = NULL) {
  dimension <- check_dimensions(dimension)
  diagrams <- checked_diagrams(x, id, needed = !is.null(dimension))
  warn_dimension(diagrams, dimension)
  columns <- do.call(rbind, c(list(matrix(0, 0, 3)), lapply(unname(diagrams), with_dimension)))
  bars <- data.frame(
    diagram = rep(function_ids(diagrams), vapply(diagrams, nrow, 0L)), dimension = columns[, 1],
    birth = columns[, 2], death = replace(columns[, 3], columns[, 3] == Inf, infinite)
  )
  shown <- is.null(dimension) | bars$dimension %in% dimension
  bars <- bars[which(shown & bars$birth < bars$death), ]
  bars <- bars[order(-as.integer(bars$diagram), bars$dimension, bars$birth, bars$death), ]
  rownames(bars) <- NULL
  bars
}

with_dimension <- function(diagram, dimension = NA_real_) {
  if (ncol(diagram) == 3) unname(diagram)
  else cbind(rep(dimension, nrow(diagram)), unname(diagram))
}

# Diagrams in plain form, checked by the C code that makes curves of them.
checked_diagrams <- function(x, id, needed) {
  table <- read_diagrams(x, id, needed)
  complete <- lapply(table$diagrams, with_dimension, 0)
  curves_of(complete, "euler_curve", NA_real_, Inf, run_threads(NULL), table$rows)
  table$diagrams
}

check_dimensions <- function(dimension) {
  if (is.null(dimension)) return(NULL)
  if (length(dimension) == 0 || is.function(dimension)) check_dimension(dimension)
  vapply(dimension, check_dimension, 0)
}

# ---- Places ----

bar_limits <- function(bars, log = "") {
  times <- c(bars$birth, bars$death)
  range <- range_on_axis(times, log == "x")
  width <- if (range[1] < range[2]) diff(range) else 1
  endless <- any(bars$death == Inf)
  range + c(0, if (endless) 0.1 * width else if (range[1] == range[2]) 1 else 0)
}

# The row of each bar, with an empty one between diagrams; the middle row of each diagram, and
# the top of all.
bar_rows <- function(bars) {
  diagram <- as.integer(bars$diagram)
  bar <- seq_along(diagram) + cumsum(c(0, diff(diagram) != 0)[seq_along(diagram)])
  middle <- tapply(bar, bars$diagram, function(rows) mean(range(rows)))
  list(bar = bar, middle = as.vector(middle), top = max(bar, 1) + 0.5)
}

# The parts of bars that the axis shows, as lines; NA if there is none. Bars without an end are drawn to the
# end of the range.
bars_within <- function(bars, xlim, log, row) {
  ends <- padded(xlim, log)
  if (log) ends <- 10^ends
  x0 <- base::pmax(bars$birth, ends[1])
  x1 <- ifelse(bars$death < Inf, base::pmin(bars$death, ends[2]), xlim[2])
  data.frame(x0 = replace(x0, x0 >= x1, NA), x1 = x1, y0 = row, y1 = row)
}

# ---- Drawing ----

# Labels of the dimensions; NA stands for bars without one.
kind_labels <- function(dimension) {
  ifelse(is.na(dimension), "no dimension", paste("dimension", text_of(dimension)))
}

draw_bars <- function(drawn, endless, col, lwd, top) {
  if (nrow(drawn) == 0) return()
  points_a_row <- 72 * graphics::par("pin")[2] / (top + 1)
  if (is.null(lwd)) lwd <- max(0.25, min(5, 0.6 * points_a_row))
  graphics::segments(
    drawn$x0, drawn$y0, drawn$x1, drawn$y1, col = col, lwd = lwd, lend = "butt"
  )
  at <- which(endless)
  if (length(at) == 0) return()
  # Arrows begin slightly to the left of the end.
  part <- 0.02 * diff(graphics::par("usr")[1:2])
  left <- if (graphics::par("xlog")) drawn$x1[at] / 10^part else drawn$x1[at] - part
  graphics::arrows(
    left, drawn$y1[at], drawn$x1[at],
    length = min(0.08, points_a_row / 72), col = rep_len(col, nrow(drawn))[at], lwd = lwd
  )
}

# ---- Names ----

# Names take at most this part of the width of a figure.
most_name_width <- 0.3

# Begins a plot with room on its left for the names of several diagrams and the label of the axis. The
# next call to plot() goes on with it. Returns the margins to be restored.
room_for_names <- function(rows, labels, ylab) {
  if (length(labels) < 2) return(NULL)
  graphics::plot.new()
  graphics::plot.window(c(0, 1), c(0.5, rows$top))
  old <- graphics::par("mar")
  lines <- name_lines(names_beside(rows, labels)) + if (identical(ylab, "")) 0.2 else 1.7
  if (lines > old[2]) graphics::par(mar = replace(old, 2, lines))
  graphics::par(new = TRUE)
  old
}

# Keeps the coordinates, for what is added to the plot later.
give_room_back <- function(old) {
  if (is.null(old)) return()
  graphics::par(new = FALSE)
  if (identical(graphics::par("mar"), old)) return()
  usr <- graphics::par("usr")
  drawn <- region_of_plot()
  graphics::par(mar = old)
  now <- region_of_plot()
  x <- on_axis(drawn[1:2], FALSE, usr[1:2])(now[1:2])
  y <- on_axis(drawn[3:4], FALSE, usr[3:4])(now[3:4])
  graphics::par(usr = c(x, y))
  the$last_plot$usr <- graphics::par("usr")
}

# The position of the plot on the device.
region_of_plot <- function() {
  c(graphics::grconvertX(0:1, "npc", "ndc"), graphics::grconvertY(0:1, "npc", "ndc"))
}

# The names that fit beside their diagrams in the open plot: all of them, if they fit in some text
# size.
names_beside <- function(rows, labels) {
  width <- most_name_width * graphics::par("fin")[1]
  at <- rows$middle * graphics::par("pin")[2] / diff(graphics::par("usr")[3:4])
  for (cex in c(1, 0.85, 0.7) * graphics::par("cex.axis")) {
    shown <- names_apart(at, 1.5 * graphics::strheight("M", "inches", cex))
    whole <- all(graphics::strwidth(labels, "inches", cex) <= width)
    if (whole && length(shown) == sum(!is.na(at))) break
  }
  labels <- shortened(labels, width, cex)[shown]
  width <- max(0, graphics::strwidth(labels, "inches", cex))
  list(labels = labels, at = rows$middle[shown], cex = cex, width = width)
}

# Which places, from the top down, are far enough below the last one; diagrams without bars have none.
names_apart <- function(at, height) {
  shown <- integer()
  last <- Inf
  for (i in which(!is.na(at))) {
    if (last - at[i] < height) next
    shown <- c(shown, i)
    last <- at[i]
  }
  shown
}

# How many lines of the margin the names take.
name_lines <- function(names) {
  line <- graphics::par("csi") * graphics::par("mex")
  graphics::par("mgp")[2] + names$width / line
}

# The names of several diagrams, with the label of the axis on their left, in the style of the other labels.
draw_names <- function(rows, labels, ylab, ..., ann = graphics::par("ann")) {
  if (length(labels) < 2) return()
  names <- names_beside(rows, labels)
  graphics::axis(
    2, names$at, names$labels, tick = FALSE, las = 1, cex.axis = names$cex, gap.axis = -1
  )
  line <- max(graphics::par("mgp")[1], name_lines(names) + 0.5)
  style <- list(...)
  style <- style[names(style) %in% c("cex.lab", "col.lab", "font.lab", "family")]
  if (ann) do.call(graphics::title, c(list(ylab = ylab, line = line), style), quote = TRUE)
}
