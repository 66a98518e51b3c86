#' Draw piecewise constant functions
#'
#' `plot()` draws the functions of a [pcf] in one plot; `lines()` adds them to a plot.
#' The last piece of each function goes on to the right end, and a function that
#' starts after the left end is 0 before.
#'
#' @param x A [pcf] with at least one function.
#' @param xlim,ylim The ranges of times and values: two numbers each, or two times of the
#'   [time_unit()] of `x`. The default of
#'   `plot()` starts at the first breakpoint and ends a little after the last. The
#'   default of `lines()` is what `plot()` was given.
#' @param verticals How to draw the jumps: `"dotted"`, not at all (`"none"`), or
#'   `"solid"`.
#' @param col,lty,lwd Colour, line type and line width, recycled over the functions.
#'   Up to eight functions get the colours of the [palette()], more a transparent black.
#' @param xlab,ylab Labels of the axes. The axis of times shows these in the [time_unit()] of `x`:
#'   as dates, clock times, or months and quarters. Lengths of time are numbers, and the default
#'   label tells their unit.
#' @param ... For `plot()`, passed on to [plot.default()], such as `main` or `log`.
#'   For `lines()`, not used.
#'
#' @return `x`, invisibly.
#'
#' @seealso [plot_bands()] for groups of functions, [autoplot.pcf()] for ggplot2
#'
#' @examples
#' x <- pcf(list(c(0, 2, 5), c(1, 4)), list(c(1, 3, 0), c(2, 0)))
#' plot(x)
#' plot(x[1], verticals = "solid", lwd = 2)
#' lines(x[2], col = "red")
#'
#' chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#' plot(chicks, xlab = "days", ylab = "weight (g)")
#' @export
plot.pcf <- function(x, xlim = NULL, ylim = NULL,
                     verticals = c("dotted", "none", "solid"),
                     col = NULL, lty = 1, lwd = 1,
                     xlab = NULL, ylab = "value", ...) {
  verticals <- match_verticals(verticals)
  x <- check_drawable(x)
  unit <- unit_of(x)
  xlim <- if (is.null(xlim)) default_xlim(x) else as.vector(times_in(xlim, unit, "xlim"))
  if (is.null(ylim)) ylim <- default_ylim(x, xlim)
  open_axes(xlim, ylim, unit, xlab, ylab = ylab, ...)
  draw_functions(x, xlim, verticals, col, lty, lwd)
}

#' @rdname plot.pcf
#' @importFrom graphics lines
#' @export
lines.pcf <- function(x, xlim = NULL, verticals = c("dotted", "none", "solid"),
                      col = NULL, lty = 1, lwd = 1, ...) {
  verticals <- match_verticals(verticals)
  x <- check_drawable(x)
  xlim <- if (is.null(xlim)) current_xlim() else as.vector(times_in(xlim, unit_of(x), "xlim"))
  draw_functions(x, xlim, verticals, col, lty, lwd)
}

draw_functions <- function(x, xlim, verticals, col, lty, lwd) {
  if (is.null(col)) col <- default_colors(length(x))
  draw <- function(s, lty) {
    if (nrow(s) == 0) return()
    of <- function(style) rep_len(style, length(x))[s$f]
    graphics::segments(s$x0, s$y0, s$x1, s$y1, of(col), of(lty), of(lwd))
  }
  pieces <- pieces_between(x, min(xlim), max(xlim))
  if (verticals != "none") {
    draw(jumps_between(pieces), if (verticals == "dotted") 3 else lty)
  }
  draw(pieces, lty)
  invisible(x)
}

# The horizontal pieces of all functions between two times, function by function
# and from left to right. `f` is the index of the function.
pieces_between <- function(x, from, to) {
  functions <- lapply(unname(unclass(x)), function(f) rbind(c(-Inf, 0), f))
  m <- lengths(functions) / 2
  all <- do.call(rbind, functions)
  ends <- c(all[-1, 1], Inf)
  ends[cumsum(m)] <- Inf
  pieces <- data.frame(
    f = rep(seq_along(m), m),
    x0 = pmax(all[, 1], from), x1 = pmin(ends, to), y0 = all[, 2], y1 = all[, 2]
  )
  pieces[pieces$x0 < pieces$x1, ]
}

# The vertical lines between neighbouring pieces of the same function.
jumps_between <- function(pieces) {
  left <- which(diff(pieces$f) == 0)
  right <- left + 1L
  data.frame(
    f = pieces$f[right], x0 = pieces$x0[right], x1 = pieces$x0[right],
    y0 = pieces$y0[left], y1 = pieces$y0[right]
  )
}

default_xlim <- function(x) {
  range <- range(vapply(unclass(x), function(f) f[c(1, nrow(f)), 1], numeric(2)))
  width <- diff(range)
  range + c(0, if (width > 0) 0.05 * width else 1)
}

default_ylim <- function(x, xlim) {
  range(pieces_between(x, min(xlim), max(xlim))$y0)
}

# The xlim of the current plot: without the 4% that the axis style "r" adds.
current_xlim <- function() {
  usr <- graphics::par("usr")[1:2]
  if (graphics::par("xaxs") == "r") usr <- usr + c(1, -1) * diff(usr) * 0.04 / 1.08
  if (graphics::par("xlog")) 10^usr else usr
}

default_colors <- function(n) {
  if (n <= 8) return(seq_len(n))
  sprintf("#000000%02X", round(255 * max(0.05, min(0.6, 10 / n))))
}

match_verticals <- function(verticals) {
  choices <- c("dotted", "none", "solid")
  if (identical(verticals, choices)) return("dotted")
  if (is.character(verticals) && length(verticals) == 1 && verticals %in% choices) {
    return(verticals)
  }
  abort_argument(
    "verticals", 'must be "dotted", "none" or "solid", and is ', describe(verticals), "."
  )
}
