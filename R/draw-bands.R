#' Pointwise quantiles and plots of bands
#'
#' `quantile()` computes the quantiles of a collection of functions at every time, as functions, and
#' `median()` the median.
#' `plot_bands()` draws the mean or median of each group of functions, with a band between two
#' quantiles. It also draws survival curves and means with their confidence limits.
#'
#' @inheritParams plot.pcf
#' @param x A [pcf] or [plf] with at least one function. For `plot_bands()` also the value of
#'   [confidence_bands()], or a [`survfit`][survival::survfit] object, which is drawn with its pointwise
#'   confidence limits.
#' @param probs A numeric vector of probabilities from 0 to 1. For `plot_bands()` two: the lower and
#'   upper ends of the band; `c(0, 1)` gives the range of the functions.
#' @param times `NULL`, or a vector of numbers, or of times of the [time_unit()] of `x`. With `NULL`, the
#'   default, quantiles are exact everywhere: they are computed at all breakpoints of all functions
#'   or, for a [plf], wherever they bend. Otherwise they are computed at `times` only, and held in
#'   between and after the last or, for a `plf`, interpolated linearly. They are `NA` before the first of
#'   `times`, and for a `plf` also after the last, unless all functions are constant there.
#' @param by `NULL`, or a vector with the group of each function. If both it and the functions have
#'   names, they are matched by name, and an error is raised if the names differ.
#' @param center The line drawn in the band: the `"mean"` or the `"median"` at each time.
#' @param xlim,ylim The ranges of times and values, as in [plot.pcf()]. By default those of the
#'   functions, or of the bands; for survival curves and other probabilities, from 0 on.
#' @param col One colour for each group, in the order of the groups or named by them. By default those
#'   of the [palette()].
#' @param alpha The opacity of the bands, from 0 to 1.
#' @param legend The place of the legend if there are several groups, as in [plot.pcf()]; `NULL` for
#'   none.
#' @param na.rm If `TRUE`, quantiles and means are, at each time, those of the functions that are
#'   observed there, and `NA` if none is. If `FALSE`, they are `NA`, and nothing is drawn, wherever some
#'   function is not observed.
#' @param ... For `plot_bands()`, passed on to [plot.default()]. Otherwise not used.
#'
#' @details
#' Quantiles are of type 7, as in [stats::quantile()]. As everywhere, a function is 0 before its first
#' breakpoint, unless its first time is `-Inf`, and holds its last value, unless that is `NA`.
#'
#' For groups with fewer than 2000 different times within `xlim`, the bands of `plot_bands()` are exact;
#' those of a [plf] also bend where functions cross. Otherwise they are computed at 2000 evenly spaced
#' times, which is finer than a plot can show, and held in between or, for a `plf`, joined by lines.
#' Outside `xlim`, quantiles are `NA`, unless all functions are constant there. Means are always exact, and not cut.
#'
#' Quantile bands show how the functions vary, not how uncertain their mean is: for that, see
#' [confidence_bands()].
#'
#' @return `quantile()` returns a collection of the class of `x` with one function for each of the
#'   `probs`, named like "25%"; `median()` one function. `plot_bands()` invisibly returns a list of the
#'   collections `center` (means or medians), `lower` and `upper`, with one function for each group. For a
#'   `survfit` or [confidence_bands()], these are the curves and their limits.
#'
#' @seealso [plot.pcf()] to draw the functions themselves, [reductions] for means and extrema
#'
#' @examples
#' # Chicks are observed until their last weighing
#' chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#' quantile(chicks, c(0.25, 0.5, 0.75), na.rm = TRUE)
#'
#' diet <- ChickWeight$Diet[match(names(chicks), ChickWeight$Chick)]
#' plot_bands(
#'   chicks, by = paste("diet", diet), center = "median", xlim = c(0, 21), na.rm = TRUE,
#'   xlab = "days", ylab = "weight (g)"
#' )
#' @name plot_bands
NULL

#' @rdname plot_bands
#' @export
plot_bands <- function(x, by = NULL, probs = c(0.25, 0.75), center = c("mean", "median"),
                       xlim = NULL, ylim = NULL, col = NULL, alpha = 0.25,
                       legend = "auto", xlab = NULL, ylab = NULL, log = "", na.rm = FALSE,
                       ...) {
  check_given(x, "x", "a <pcf>, as as_pcf() makes one")
  alpha <- check_opacity(alpha)
  check_log(log)
  left_out <- c(missing(by), missing(probs), missing(center), missing(na.rm))
  given <- c("by", "probs", "center", "na.rm")[!left_out]
  if (inherits(x, "survfit")) x <- confidence_bands(x)
  computed <- inherits(x, "pcf_bands")
  if (computed && length(given) > 0) {
    abort_argument(given[1], "cannot be used with confidence bands: it applies to functions.")
  }
  all <- check_drawable(if (computed) x$center else x, "x")
  xlim <- if (is.null(xlim)) default_xlim(all, log) else check_xlim(xlim, unit_of(all), log = log)
  bands <- if (computed) x else quantile_bands(all, by, probs, center, xlim, na.rm)
  draw_bands(bands, xlim, ylim, col, alpha, legend, log, xlab, ylab = ylab %||% value_label(all), ...)
  invisible(bands)
}

# The lower, upper and central function of each group.
quantile_bands <- function(x, by, probs, center, xlim, na_rm) {
  na_rm <- check_flag(na_rm, "na.rm")
  probs <- sort(check_probs(probs, 2))
  center <- check_choice(if (is.character(center)) center[1] else center, "center", c("mean", "median"))
  parts_of_groups(lapply(functions_of_groups(x, by), function(group) {
    quantiles <- quantiles_within(group, c(probs, 0.5), xlim, na_rm)
    ends <- is_pcf(group) && xlim[2] < max(last_times(group))
    shown <- closed_window(group[!is.na(group)], list(from = -Inf, to = xlim[2]))
    if (ends) quantiles <- within_window(quantiles, shown)
    middle <- if (center == "mean") mean(group, na.rm = na_rm) else quantiles[3]
    list(center = middle, lower = quantiles[1], upper = quantiles[2])
  }))
}

# Those of lines also bend where functions cross, unless there are many times.
quantiles_within <- function(x, probs, xlim, na_rm) {
  times <- band_times(x, xlim)
  known <- x[!is.na(x)]
  exact <- is_plf(x) && length(known) > 0 && (na_rm || length(known) == length(x)) &&
    length(times_between(x, xlim)) < most_band_times
  if (!exact) return(quantile(x, probs, as_times(times, unit_of(x)), na.rm = na_rm))
  window <- list(
    from = if (is_constant_before(known, xlim[1])) -Inf else xlim[1],
    to = if (xlim[2] < max(last_times(known))) xlim[2] else Inf
  )
  quantile(within_window(known, closed_window(known, window)), probs, na.rm = na_rm)
}

draw_bands <- function(bands, xlim, ylim, col, alpha, legend, log, xlab, ...) {
  check_no_type(...)
  n <- length(bands$center)
  center <- pieces_between(bands$center, xlim[1], xlim[2])
  boxes <- band_boxes(bands$lower, bands$upper, xlim)
  heights <- boxes[setdiff(names(boxes), c("f", "chain", "x0", "x1"))]
  values <- c(heights_shown(center), unlist(heights), least_shown(bands$center))
  limits <- if (is.null(ylim)) default_ylim(values, log) else check_ylim(ylim, log)
  col <- if (is.null(col)) group_colors(n) else colors_of(col, names(bands$center), n)
  key <- new_key(if (n > 1) as.character(function_ids(bands$center)), col, 1, 2, legend)
  drawn <- list(boxes, boxes_of(center))
  place <- place_key(key, drawn, xlim, limits, room = is.null(ylim), log)
  open_plot(place, xlim, unit_of(bands$center), xlab %||% time_label(bands$center), log = log, ...)
  draw_areas(boxes, grDevices::adjustcolor(col, alpha))
  draw_pieces(center, n, "solid", col, 1, 2, thin = TRUE)
  draw_key(key, place)
}

# Draws one polygon for each run of boxes without a gap: if boxes were drawn one by one, devices might
# omit a column of pixels, or draw it twice.
draw_areas <- function(boxes, col) {
  for (rows in split(seq_along(boxes$f), boxes$chain)) {
    run <- pieces_at(boxes, rows)
    x <- as.vector(rbind(run$x0, run$x1))
    y <- c(heights_of(run, "y0"), rev(heights_of(run, "y1")))
    graphics::polygon(c(x, rev(x)), above_bottom(y), col = col[run$f[1]], border = NA)
  }
}

most_band_times <- 2000

band_times <- function(x, xlim) {
  inside <- times_between(x, xlim)
  if (length(inside) < most_band_times) c(xlim[1], inside, if (is_plf(x)) xlim[2]) # steps hold up to the end
  else seq(xlim[1], xlim[2], length.out = most_band_times + 1)
}

times_between <- function(x, xlim) {
  times <- all_times(x)
  times[times > xlim[1] & times <= xlim[2]]
}

# The areas between lower and upper functions, group by group. The pieces of both begin at the same times,
# after each has got the breakpoints of the other. Pieces of lines have the ends `y0_end` to `y1_end`.
band_boxes <- function(lower, upper, xlim) {
  make <- if (is_plf(lower)) new_plf else new_pcf
  both <- lapply(c("first", "second"), function(which) make(combine(lower, upper, which, length(lower))$functions))
  lower <- both[[1]]
  upper <- both[[2]]
  low <- pieces_between(lower, xlim[1], xlim[2])
  high <- pieces_between(upper, xlim[1], xlim[2])
  boxes <- list(f = low$f, chain = low$chain, x0 = low$x0, x1 = low$x1, y0 = low$y, y1 = high$y)
  if (is_sloped(low)) boxes[c("y0_end", "y1_end")] <- list(low$y1, high$y1)
  list2DF(boxes)
}

# The heights in the column y0 or y1, at the start and the end of each box in turn.
heights_of <- function(boxes, column) {
  ends <- boxes[[paste0(column, "_end")]] %||% boxes[[column]]
  as.vector(rbind(boxes[[column]], ends))
}

#' @export
plot.pcf_bands <- function(x, ...) plot_bands(x, ...)
