#' Draw functions
#'
#' `plot()` draws the functions of a [pcf] or [plf] in one plot; `lines()` adds them to a plot. To a plot
#' that this package has begun they are added in its unit of time; units that do not go together,
#' such as hours and dates, are an error. For other plots times are the numbers of [time_unit()].
#'
#' The last piece of each function goes on to the right end, and a function that starts after
#' the left end is 0 before. Where a function is not observed (`NA`) nothing is drawn. A first
#' time of `-Inf` is drawn from the left end. On a logarithmic axis straight lines are curves.
#'
#' @param x A [pcf] or [plf] with at least one function.
#' @param xlim,ylim The ranges of times and values: two numbers each, or two times of the
#'   [time_unit()] of `x`. The default of `plot()` starts at the first breakpoint and ends a
#'   little after the last; it starts a little before the first where a function has the first
#'   time `-Inf`, and ends at the last where no function is observed from there on. The default
#'   of `lines()` is what `plot()` was given.
#' @param verticals How to draw the jumps: `"dotted"`, not at all (`"none"`), or
#'   `"solid"`. By default up to eight functions of few pieces have dotted ones, and others
#'   solid ones.
#' @param col,lty,lwd Colour, line type and line width, recycled over the functions.
#'   By default lines have the width 1 and, with `by`, half of it for more than 100 functions.
#'   Up to eight functions get the colours of the [palette()], more a transparent black, and those of
#'   a [landscape()] one a level, from dark to bright. With `by`, `col` has one colour a
#'   group. Colours with the names of the functions, or groups, are theirs.
#' @param xlab,ylab Labels of the axes. The axis of times shows these in the [time_unit()] of `x`:
#'   as dates, clock times, or months and quarters. Lengths of time are numbers, and the default
#'   label tells their unit. The default of `ylab` is the [value_name()] of `x`, or else "value".
#' @param log Which axes are logarithmic, as in [plot.default()]. Values that are not positive
#'   lie below a logarithmic axis.
#' @param by `NULL`, or a vector with the group of each function: it gives the colours. Where it has
#'   names, and so have the functions, these are matched; an error tells where they are not the same.
#' @param legend Where to put the legend of the groups or, for up to eight functions whose
#'   colours were not chosen, of the functions: `"auto"` is a place without lines, for which
#'   room is made above them if need be, unless `ylim` is given; otherwise a place as in
#'   [graphics::legend()], such as `"topleft"`; `NULL` for none. Long labels are drawn in smaller
#'   text and, if that does not do, shortened so that they stay different.
#' @param thin Draw only what the device can show? See the details.
#' @param ... For `plot()`, passed on to [plot.default()], such as `main` or `las`.
#'   For `lines()`, there must be none.
#'
#' @details
#' Of the pieces of a function within one column of pixels, or of the corners of a piecewise linear
#' one, those with the first, the lowest, the highest and the last value are drawn, which covers the
#' same pixels as all of them, and makes a picture of many long functions in seconds. Where more than
#' 30,000 pieces are left on a device with pixels, solid lines are not drawn one by one: the pixels of all
#' are computed, each
#' covered as far as lines lie on it, and drawn as one picture. Many transparent lines then become
#' darker than the device makes them, which rounds what it has painted after each. A device
#' without pixels, such as [pdf()], is taken to have 600 columns an inch. `thin = FALSE` draws
#' every piece: for a window that will be enlarged or has finer pixels than it tells, a plot that
#' will be copied to a larger device, or a page that will be magnified.
#'
#' @return `x`, invisibly.
#'
#' @seealso [plot_bands()] for groups of functions, [plot_barcode()] for persistence diagrams,
#'   [autoplot.pcf()] for ggplot2
#'
#' @examples
#' x <- pcf(list(f = c(0, 2, 5), g = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
#' plot(x)
#' plot(x[1], verticals = "solid", lwd = 2)
#' lines(x[2], col = "red")
#'
#' # Not observed on [2, 5), and no further than 8.
#' plot(pcf(c(-Inf, 0, 2, 5, 8), c(1, 2, NA, 3, NA)))
#'
#' # Lines, of which one jumps
#' plot(plf(list(0:2, c(1, 2, 4)), list(c(0, 2, 0), c(0, 3, 1)), left = list(c(0, 2, 0), c(0, 1, 0))))
#'
#' chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight", until = "last")
#' diet <- ChickWeight$Diet[match(names(chicks), ChickWeight$Chick)]
#' plot(chicks, by = paste("diet", diet), xlab = "days", ylab = "weight (g)")
#' @export
plot.pcf <- function(x, xlim = NULL, ylim = NULL, verticals = NULL,
                     col = NULL, lty = 1, lwd = NULL,
                     xlab = NULL, ylab = NULL, log = "", by = NULL,
                     legend = "auto", thin = TRUE, ...) {
  verticals <- check_verticals(verticals)
  check_flag(thin, "thin")
  x <- check_drawable(x)
  colors <- plot_colors(x, by, col)
  lwd <- lwd %||% if (is.null(by)) 1 else group_width(length(x))
  unit <- unit_of(x)
  xlim <- if (is.null(xlim)) default_xlim(x, log) else check_xlim(xlim, unit, backwards = TRUE)
  pieces <- pieces_between(x, min(xlim), max(xlim))
  limits <- if (is.null(ylim)) default_ylim(c(pieces$y, pieces$y1), log) else check_ylim(ylim)
  key <- new_key(colors$labels, colors$key, lty, lwd, legend)
  place <- place_key(key, list(boxes_of(pieces), jumps_between(pieces)), xlim, limits,
                     room = is.null(ylim), log)
  open_plot(place, xlim, unit, xlab %||% time_label(x), ylab = ylab %||% value_label(x), log = log, ...)
  draw_pieces(pieces, length(x), verticals, colors$col, lty, lwd, thin)
  draw_key(key, place)
  invisible(x)
}

#' @rdname plot.pcf
#' @importFrom graphics lines
#' @export
lines.pcf <- function(x, xlim = NULL, verticals = NULL,
                      col = NULL, lty = 1, lwd = 1, thin = TRUE, ...) {
  check_no_more(list(...))
  verticals <- check_verticals(verticals)
  check_flag(thin, "thin")
  x <- in_unit_of_plot(check_drawable(x))
  xlim <- if (is.null(xlim)) current_xlim() else check_xlim(xlim, unit_of(x), TRUE)
  n <- length(x)
  col <- if (is.null(col)) default_colors(n) else colors_of(col, names(x), n)
  pieces <- pieces_between(x, min(xlim), max(xlim))
  draw_pieces(pieces, length(x), verticals, col, lty, lwd, thin)
  invisible(x)
}

# ---- Lines ----

# Draws pieces of `n` functions.
draw_pieces <- function(pieces, n, verticals, col, lty, lwd, thin) {
  if (is.null(verticals)) verticals <- default_verticals(pieces, n)
  sloped <- is_sloped(pieces)
  dotted <- verticals == "dotted"
  pixels <- plot_pixels()
  if (sloped) pieces <- bent(pieces, pixels)
  pieces$y <- above_bottom(pieces$y)
  if (sloped) pieces$y1 <- above_bottom(pieces$y1)
  jumps <- if (sloped && dotted) jumps_between(pieces)
  if (verticals == "none" || sloped && dotted) pieces <- without_jumps(pieces)
  if (thin) pieces <- thinned_on_plot(pieces, pixels)
  style <- lapply(list(col = col, lty = lty, lwd = lwd), rep_len, n)
  many <- thin && are_pixels(pieces, col, lty, lwd, pixels)
  if (dotted) draw_segments(jumps %||% jumps_between(pieces), replace(style, "lty", list(rep(3, n))))
  if (many && !dotted) draw_picture(pieces, style, pixels)
  else if (sloped || verticals == "solid") draw_lines(pieces, style)
  else draw_segments(piece_lines(pieces), style)
}

# Straight lines are curves where an axis is logarithmic: they are cut where columns of pixels begin.
bent <- function(pieces, pixels) {
  log <- graphics::par("xlog")
  if (!log && !graphics::par("ylog") || nrow(pieces) == 0) return(pieces)
  column <- on_axis(graphics::par("usr")[1:2], log, pixels$x)
  columns <- abs(column(pieces$x1) - column(pieces$x0))
  in_parts(pieces, pmin(pmax(ceiling(columns), 1), 2000), log)
}

draw_segments <- function(lines, style) {
  if (nrow(lines) == 0) return()
  ends <- unname(as.list(lines[c("x0", "y0", "x1", "y1")]))
  do.call(graphics::segments, c(ends, lapply(style, `[`, lines$f)))
}

# In pixels, which for a moment are the coordinates of the plot.
draw_picture <- function(pieces, style, pixels) {
  butt <- graphics::par("lend") == "butt"
  drawn <- picture_of(pieces, pixel_widths(style$lwd, pixels), style$col, pixels$size, butt)
  if (is.null(drawn)) return()
  old <- graphics::par("usr", "xlog", "ylog", "xaxp", "yaxp")
  on.exit({
    graphics::par(old[c("xlog", "ylog")])
    graphics::par(usr = old$usr)
    graphics::par(old[c("xaxp", "yaxp")])
  })
  graphics::par(xlog = FALSE, ylog = FALSE, usr = c(pixels$x, pixels$y))
  graphics::rasterImage(drawn$picture, drawn$x0, drawn$y0, drawn$x1, drawn$y1)
}

draw_lines <- function(pieces, style) {
  corners <- corners_of(pieces)
  for (rows in split(seq_along(corners$f), corners$f)) {
    line <- with_breaks(pieces_at(corners, rows))
    do.call(graphics::lines.default, c(list(line$x, line$y), lapply(style, `[`, line$f[1])))
  }
}

thinned_on_plot <- function(pieces, pixels) {
  usr <- graphics::par("usr")
  thinned(
    pieces, on_axis(usr[1:2], graphics::par("xlog"), pixels$x),
    on_axis(usr[3:4], graphics::par("ylog"), pixels$y), pixels$size[2]
  )
}

# The pixels of the device, and those where the current plot begins and ends, from the left end
# and the bottom of the device.
plot_pixels <- function() {
  pixels <- device_pixels()
  pixels$x <- graphics::grconvertX(c(0, 1), "npc", "inches") * pixels$resolution[1]
  pixels$y <- graphics::grconvertY(c(0, 1), "npc", "inches") * pixels$resolution[2]
  pixels
}

# A function from numbers on an axis, from `usr[1]` to `usr[2]`, to places between two others. Halves
# have a difference even where the numbers are as large as they can be.
on_axis <- function(usr, log, place) {
  function(x) {
    if (log) x <- log10(pmax(x, 0))
    (x / 2 - usr[1] / 2) / diff(usr / 2) * diff(place) + place[1]
  }
}

# Values that have no place on a logarithmic axis are moved to below the plot.
above_bottom <- function(values) {
  if (!graphics::par("ylog")) return(values)
  usr <- graphics::par("usr")[3:4]
  replace(values, which(values <= 0), 10^(2 * usr[1] - usr[2]))
}

# ---- Limits ----

default_xlim <- function(x, log = "") {
  goes_on <- !is.na(values_after(x))
  comes_from <- if (is_plf(x)) !values_before(x) %in% c(0, NA)
                else first_times(x) == -Inf & !is.na(values_before(x))
  first <- vapply(unclass(x), first_time, 0, positive = grepl("x", log))
  range <- range_of(c(first, last_times(x)))
  width <- if (range[1] < range[2]) 0.05 * diff(range) else 1
  if (grepl("x", log)) return(range * c(1, if (any(goes_on)) (range[2] + width) / range[2] else 1))
  range + width * c(-any(comes_from), any(goes_on) || range[1] == range[2])
}

# The first time that is finite and, where they have to be, positive.
first_time <- function(f, positive) {
  f[match(TRUE, f[, 1] > if (positive) 0 else -Inf), 1]
}

default_ylim <- function(values, log = "") {
  if (grepl("y", log)) positive_range(values) else range_of(values)
}

# The range of the positive numbers; from 1 to 10 where there are none.
positive_range <- function(x) {
  range_of(x[x > 0], none = c(1, 10))
}

# The range of the finite numbers, or `none` where there are none.
range_of <- function(x, none = c(0, 1)) {
  x <- x[is.finite(x)]
  if (length(x) == 0) none else range(x)
}

# The xlim of the current plot: without the 4% that the axis style "r" adds.
current_xlim <- function() {
  usr <- graphics::par("usr")[1:2]
  if (graphics::par("xaxs") == "r") usr <- usr + c(1, -1) * diff(usr) * 0.04 / 1.08
  if (graphics::par("xlog")) 10^usr else usr
}

# ---- Colours ----

# The colours of the functions and those of the legend with their labels, if it has any.
plot_colors <- function(x, by, col) {
  n <- length(x)
  if (is.null(col)) by <- by %||% levels_of(x)
  if (!is.null(by)) {
    by <- droplevels(check_groups(by, x))
    key <- if (is.null(col)) colors_of_groups(levels(by)) else colors_of(col, levels(by))
    shown <- if (is.null(col)) grDevices::adjustcolor(key, group_opacity(n)) else key
    return(list(col = shown[by], key = key, labels = levels(by)))
  }
  if (!is.null(col)) return(list(col = colors_of(col, names(x), n)))
  few <- n > 1 && n <= most_colored
  list(
    col = default_colors(n), key = if (few) default_colors(n),
    labels = if (few) as.character(function_ids(x))
  )
}

# One colour for each label: colours that have the names of all are theirs.
colors_of <- function(col, labels, n = length(labels)) {
  if (length(labels) > 0 && all(labels %in% names(col))) unname(col[labels]) else rep_len(unname(col), n)
}

# More functions than the palette has colours are all black.
most_colored <- 8

default_colors <- function(n) {
  if (n <= most_colored) return(seq_len(n))
  sprintf("#000000%02X", round(255 * max(0.05, min(0.6, 10 / n))))
}

# Of `n` functions in the colours of their groups. Many thin lines that cover each other show their
# groups, where transparent ones of full width mix to grey.
group_opacity <- function(n) {
  if (n > most_wide) max(0.2, min(1, 150 / n)) else min(1, 30 / n)
}

group_width <- function(n) if (n > most_wide) 0.5 else 1

most_wide <- 100

# The level of each function of a landscape, whose names tell it; NULL for others.
levels_of <- function(x) {
  if (!is_plf(x)) return(NULL)
  last <- length(dim(x))
  level <- if (last == 0) names(x)
           else rep(dimnames(x)[[last]], each = length(x) / max(1, dim(x)[last]))
  if (length(unique(level)) > 1 && all(is_level(level))) factor(unname(level), unique(level))
}

is_level <- function(label) grepl("^level [0-9]+$", label)

# The colours of groups: of levels from dark to bright.
colors_of_groups <- function(labels) {
  n <- length(labels)
  if (all(is_level(labels))) grDevices::hcl.colors(n + 1, "viridis")[seq_len(n)] else group_colors(n)
}

group_colors <- function(n) {
  if (n <= length(grDevices::palette())) grDevices::palette()[seq_len(n)]
  else grDevices::hcl.colors(n, "Dark 3")
}

# ---- Jumps ----

# Dots can be told from pieces where these are few.
default_verticals <- function(pieces, n) {
  if (n <= most_colored && nrow(pieces) <= 50 * n) "dotted" else "solid"
}

check_verticals <- function(verticals) {
  choices <- c("dotted", "none", "solid")
  if (is.null(verticals) || identical(verticals, choices)) return(NULL)
  check_choice(verticals, "verticals", choices)
}
