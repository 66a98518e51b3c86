#' Plot Functions
#'
#' `plot()` draws the functions of a [pcf] or [plf] in a new plot; `lines()` adds functions to a plot. If
#' the plot was begun by this package, their times are converted to its unit; units that cannot be
#' converted, such as hours and dates, are an error. In other plots, the times are the numbers described in
#' [time_unit()].
#'
#' The last piece of each function extends to the right end of the plot. A function that starts after the
#' left end is 0 before, and a first time of `-Inf` is drawn from the left end. Missing values leave gaps.
#' On a logarithmic axis, straight lines become curves.
#'
#' @param x A [pcf] or [plf] with at least one function.
#' @param xlim,ylim The ranges of the axes: two numbers or, for `xlim` and functions with a [time_unit()],
#'   two times. By default `plot()` uses the range of the breakpoints, extended by 5% on the right if any
#'   function is observed after its last breakpoint, and on the left if any has a value from `-Inf` on. The axis of
#'   values that are called "survival" or "probability" begins with 0.
#'   `lines()` uses the range of the plot.
#' @param verticals How to draw jumps: `"dotted"`, `"solid"` or `"none"`. The default, `NULL`, is `"dotted"`
#'   for up to eight functions with few pieces, and `"solid"` otherwise.
#' @param col,lty,lwd Colours, line types and line widths, recycled over the functions. By default up to
#'   eight functions have the colours of the [palette()], and more functions are transparent black. `plot()`
#'   gives levels of a [landscape()] one colour each, from dark to bright. With `by`, `col` has one colour
#'   for each group. If the colours have names, they are matched to the names of the functions or groups. The
#'   default of `lwd` is 1, or 0.5 with `by` for more than 100 functions.
#' @param xlab,ylab Labels of the axes. The axis of times is labelled according to the [time_unit()] of `x`:
#'   with dates, clock times, months or quarters. For time differences the default label tells their
#'   unit, and curves of diagrams have "filtration value" instead of "time"; see [value_name()]. The default of `ylab`
#'   is the [value_name()] of `x` or, if it has none, "value".
#' @param log Which axes are logarithmic, as in [plot.default()]. Values that are not positive lie below a
#'   logarithmic axis.
#' @param by `NULL`, or a vector with the group of each function, which determines its colour. If both `by`
#'   and the functions have names, they are matched by name, and it is an error if the names differ.
#' @param legend The position of the legend, which shows the groups or, for up to eight functions in default
#'   colours, the functions. `"auto"` (the default) chooses a place without lines, for which the range of
#'   the values is extended if need be, unless `ylim` is given. Otherwise, a position as in
#'   [graphics::legend()], such as `"topleft"`, or `NULL` or `FALSE` for no legend. Long labels are drawn in smaller
#'   text and, if that is not enough, abbreviated so that they stay different.
#' @param thin If `TRUE` (the default), only what is visible on the device is drawn; see Details.
#' @param ... For `plot()`, arguments passed to [plot.default()], such as `main` or `las`, but not `type`. Must
#'   be empty for `lines()`.
#'
#' @details
#' A value at a single time, such as a single measurement, or the mean at a visit after which some leave, is a point.
#'
#' Within each column of pixels, only the pieces (for a [plf], the corners) of a function with the first,
#' lowest, highest and last values are drawn. They cover the same pixels as all of them, so that plots of
#' many long functions take seconds. If more than 30,000 pieces remain on a device with pixels, solid
#' lines are not drawn one by one: the pixels of all lines are computed, and drawn as one picture. If there
#' are many transparent lines, it is darker than the device would draw them, since devices round colours
#' after each line. A device without pixels, such as [pdf()], is treated as if it had 600 columns per inch.
#' With `thin = FALSE` every piece is drawn. This is needed for a window that will be enlarged or that has
#' more pixels than it reports, for a plot that will be copied to a larger device, and for a page that will
#' be magnified.
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
#' # Not observed on [2, 5), and from 8 on
#' plot(pcf(c(-Inf, 0, 2, 5, 8), c(1, 2, NA, 3, NA)))
#'
#' # Piecewise linear functions, one of which jumps
#' plot(plf(list(0:2, c(1, 2, 4)), list(c(0, 2, 0), c(0, 3, 1)), left = list(c(0, 2, 0), c(0, 1, 0))))
#'
#' chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#' diet <- ChickWeight$Diet[match(names(chicks), ChickWeight$Chick)]
#' plot(chicks, by = paste("diet", diet), xlab = "days", ylab = "weight (g)")
#' @export
plot.pcf <- function(x, xlim = NULL, ylim = NULL, verticals = NULL,
                     col = NULL, lty = 1, lwd = NULL,
                     xlab = NULL, ylab = NULL, log = "", by = NULL,
                     legend = "auto", thin = TRUE, ...) {
  check_no_type(...)
  verticals <- check_verticals(verticals)
  thin <- check_flag(thin, "thin")
  check_log(log)
  check_line_style(lty, lwd)
  x <- check_drawable(x)
  colors <- plot_colors(x, by, col)
  lwd <- lwd %||% if (is.null(by)) 1 else group_width(length(x))
  unit <- unit_of(x)
  xlim <- if (is.null(xlim)) default_xlim(x, log) else check_xlim(xlim, unit, TRUE, log)
  pieces <- pieces_between(x, min(xlim), max(xlim))
  limits <- if (is.null(ylim)) default_ylim(c(heights_shown(pieces), least_shown(x)), log) else check_ylim(ylim, log)
  style <- lapply(list(lty, lwd), function(style) rep_len(style, length(x))[colors$first])
  key <- new_key(colors$labels, colors$key, style[[1]], style[[2]], legend)
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
  thin <- check_flag(thin, "thin")
  check_line_style(lty, lwd)
  x <- in_unit_of_plot(check_drawable(x))
  xlim <- if (is.null(xlim)) current_xlim() else check_xlim(xlim, unit_of(x), TRUE)
  col <- colors_of(col %||% default_colors(length(x)), names(x), length(x))
  pieces <- pieces_between(x, min(xlim), max(xlim))
  draw_pieces(pieces, length(x), verticals, col, lty, lwd %||% 1, thin)
  invisible(x)
}

# ---- Arguments ----

check_log <- function(log) check_choice(log, "log", c("", "x", "y", "xy", "yx"))

check_colors <- function(col) {
  # 0 is the colour of the background, for which col2rgb() has no numbers.
  valid <- is.atomic(col) && is_quiet(grDevices::col2rgb(col[!text_of(col) %in% "0"]))
  check_is(valid, col, "col", "must be colours, such as \"red\", \"#00FF0080\" or 2, not ")
}

# Widths and types of lines; NULL is left to R.
check_line_style <- function(lty, lwd) {
  widths <- if (is.atomic(lwd) && !is.object(lwd)) suppressWarnings(as.double(lwd))
  valid <- is.null(lwd) || length(widths) > 0 && all(is.na(lwd) | is.finite(widths) & widths >= 0)
  check_is(valid, lwd, "lwd", "must be finite numbers of at least 0, not ")
  valid <- if (is.numeric(lty) && !is.object(lty)) lty %in% 0:1e6
           else if (is.character(lty)) lty %in% line_types | grepl("^([1-9A-Fa-f]{2}){1,4}$", lty)
  check_is(length(valid) > 0 && all(valid), lty, "lty", "must be types of lines, such as 2 or \"dashed\", not ")
}

line_types <- c("blank", "solid", "dashed", "dotted", "dotdash", "longdash", "twodash")

# Does code run without error and warning?
is_quiet <- function(code) {
  tryCatch({
    force(code)
    TRUE
  }, error = function(error) FALSE, warning = function(warning) FALSE)
}

# ---- Lines ----

# Draws pieces of `n` functions.
draw_pieces <- function(pieces, n, verticals, col, lty, lwd, thin) {
  points <- attr(pieces, "points")
  # Dotted jumps can be told from the pieces only if there are few of them.
  few <- n <= most_colored && nrow(pieces) <= 50 * n
  verticals <- verticals %||% if (few) "dotted" else "solid"
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
  if (NROW(points) > 0) {
    graphics::points(points$x, above_bottom(points$y), pch = 20, cex = 0.8, col = style$col[points$f])
  }
}

heights_shown <- function(pieces) c(pieces$y, pieces$y1, attr(pieces, "points")$y)

# Straight lines become curves on a logarithmic axis: they are cut at the edges of the columns of pixels.
bent <- function(pieces, pixels) {
  log <- graphics::par("xlog")
  if (!log && !graphics::par("ylog") || nrow(pieces) == 0) return(pieces)
  column <- on_axis(graphics::par("usr")[1:2], log, pixels$x)
  columns <- abs(column(pieces$x1) - column(pieces$x0))
  in_parts(pieces, base::pmin(base::pmax(ceiling(columns), 1), 2000), log)
}

draw_segments <- function(lines, style) {
  if (nrow(lines) == 0) return()
  ends <- unname(as.list(lines[c("x0", "y0", "x1", "y1")]))
  do.call(graphics::segments, c(ends, lapply(style, `[`, lines$f)))
}

# Draws in coordinates of pixels, to which the plot is set for a moment.
draw_picture <- function(pieces, style, pixels) {
  butt <- graphics::par("lend") == "butt"
  drawn <- picture_of(pieces, pixel_widths(style$lwd, pixels), style$col, pixels$size, butt)
  if (is.null(drawn)) return()
  old <- graphics::par("xlog", "ylog", "usr", "xaxp", "yaxp") # restored in this order
  on.exit(graphics::par(old))
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

# The pixels of the device, and those at which the current plot begins and ends, counted from the left end
# and the bottom of the device.
plot_pixels <- function() {
  pixels <- device_pixels()
  pixels$x <- graphics::grconvertX(c(0, 1), "npc", "inches") * pixels$resolution[1]
  pixels$y <- graphics::grconvertY(c(0, 1), "npc", "inches") * pixels$resolution[2]
  pixels
}

# Values that do not exist on a logarithmic axis are moved to below the plot.
above_bottom <- function(values) {
  if (!graphics::par("ylog")) return(values)
  usr <- graphics::par("usr")[3:4]
  replace(values, which(values <= 0), max(10^(2 * usr[1] - usr[2]), 5e-324))
}

# ---- Limits ----

default_xlim <- function(x, log = "") {
  goes_on <- !is.na(values_after(x))
  comes_from <- if (is_plf(x)) !values_before(x) %in% c(0, NA)
                else first_times(x) == -Inf & !is.na(values_before(x))
  first <- vapply(unclass(x), first_time, 0, positive = grepl("x", log))
  range <- range_on_axis(c(first, last_times(x)), grepl("x", log))
  width <- if (range[1] < range[2]) 0.05 * range[2] - 0.05 * range[1] else 1
  if (grepl("x", log)) return(finite(range * c(1, if (any(goes_on)) (range[2] + width) / range[2] else 1)))
  finite(range + width * c(-any(comes_from), any(goes_on) || range[1] == range[2]))
}

# Limits that were moved beyond the largest numbers.
finite <- function(limits) base::pmax(-.Machine$double.xmax, base::pmin(limits, .Machine$double.xmax))

# The first time that is finite and, on a logarithmic axis, positive.
first_time <- function(f, positive) {
  f[match(TRUE, f[, 1] > if (positive) 0 else -Inf), 1]
}

# The axis of survival curves and other probabilities begins with 0.
least_shown <- function(x) if (isTRUE(name_of(x) %in% c("survival", "probability"))) 0

default_ylim <- function(values, log = "") range_on_axis(values, grepl("y", log))

# The range of the finite numbers, or of the positive ones on a logarithmic axis; from 0 to 1, or from
# 1 to 10, if there are none. R has no axis for numbers so small that they lose digits.
range_on_axis <- function(x, log) {
  x <- x[is.finite(x) & (!log | x > 0)]
  if (length(x) == 0) return(if (log) c(1, 10) else c(0, 1))
  range <- range(x)
  tiny <- any(range != 0) && all(abs(range) < 1e-290)
  if (!tiny) range else if (log) c(1e-300, 1e-290) else c(range[1], 1e-290)
}

# The xlim of the current plot: its range without the 4% that the axis style "r" adds.
current_xlim <- function() {
  usr <- graphics::par("usr")[1:2]
  if (graphics::par("xaxs") == "r") usr <- usr + c(1, -1) * diff(usr) * 0.04 / 1.08
  if (graphics::par("xlog")) 10^usr else usr
}

# ---- Colours ----

# The colours of the functions and, if there is a legend, its colours and labels, and the first function of
# each label.
plot_colors <- function(x, by, col) {
  n <- length(x)
  if (is.null(col)) by <- by %||% levels_of(x)
  if (!is.null(by)) {
    by <- droplevels(check_groups(by, x))
    key <- if (is.null(col)) colors_of_groups(levels(by)) else colors_of(col, levels(by))
    shown <- if (is.null(col)) grDevices::adjustcolor(key, group_opacity(n)) else key
    return(list(col = shown[by], key = key, labels = levels(by), first = match(levels(by), by)))
  }
  shown <- colors_of(col %||% default_colors(n), names(x), n)
  if (!is.null(col) || n == 1 || n > most_colored) return(list(col = shown))
  list(col = shown, key = shown, labels = as.character(function_ids(x)), first = seq_len(n))
}

# One colour for each label, matched by name unless no colour has the name of a label.
colors_of <- function(col, labels, n = length(labels)) {
  if (length(col) == 0 && n > 0) abort_argument("col", "must have at least one colour.")
  check_colors(col)
  if (!any(labels %in% names(col))) return(rep_len(unname(col), n))
  none <- setdiff(labels, names(col))
  if (length(none) == 0) return(unname(col[labels]))
  abort_argument("col", "has names that do not match: no colour is named ", dQuote(none[1], FALSE),
                 ". Use unname(col) to match by position.")
}

# More functions than this are all black.
most_colored <- 8

default_colors <- function(n) {
  if (n <= most_colored) return(seq_len(n))
  sprintf("#000000%02X", round(255 * max(0.05, min(0.6, 10 / n))))
}

# The opacity of `n` functions in the colours of their groups. Many thin lines on top of each other still
# show their groups, while transparent lines of full width mix to grey.
group_opacity <- function(n) {
  if (n > most_wide) max(0.2, min(1, 150 / n)) else min(1, 30 / n)
}

group_width <- function(n) if (n > most_wide) 0.5 else 1

most_wide <- 100

# The level of each function of a landscape, according to its name; NULL for other functions.
levels_of <- function(x) {
  if (!is_plf(x)) return(NULL)
  last <- length(dim(x))
  level <- if (last == 0) names(x)
           else rep(dimnames(x)[[last]], each = length(x) / max(1, dim(x)[last]))
  if (length(unique(level)) > 1 && all(is_level(level))) factor(unname(level), unique(level))
}

is_level <- function(label) grepl("^level [0-9]+$", label)

# The colours of groups; those of levels go from dark to bright.
colors_of_groups <- function(labels) {
  n <- length(labels)
  if (all(is_level(labels))) grDevices::hcl.colors(n + 1, "viridis")[seq_len(n)] else group_colors(n)
}

group_colors <- function(n) {
  if (n <= length(grDevices::palette())) grDevices::palette()[seq_len(n)]
  else grDevices::hcl.colors(n, "Dark 3")
}

# ---- Jumps ----

check_verticals <- function(verticals) {
  if (!is.null(verticals)) check_choice(verticals, "verticals", c("dotted", "none", "solid"))
}
