#' Draw functions with ggplot2
#'
#' @description
#' Methods for ggplot2. `autoplot()` draws the functions of a [pcf] or [plf], `autolayer()` adds them to a
#' plot, and `fortify()` returns the data frame that both use. For [confidence_bands()], `autoplot()`
#' draws the curves with their bands, as [plot_bands()] does.
#'
#' Functions are drawn as by [plot.pcf()]: the last piece extends to the right end, a function that starts
#' inside the range is 0 before, and nothing is drawn where a function is not observed. If the functions
#' that are added have another [time_unit()], their times are converted to the unit of the first
#' functions in the plot. A value at a single time is a point, which is another layer.
#'
#' @param object,model A [pcf] or [plf] with at least one function; for `autoplot()` and `fortify()` also the value of
#'   [confidence_bands()].
#' @param by `NULL`, or a vector with the group of each function, which is shown by the colour. If both it
#'   and the functions have names, they are matched by name, and an error is raised if the names differ. With
#'   `NULL`, up to eight functions have different colours; more are drawn in transparent black.
#' @param xlim The range of times: two finite numbers, or times of the [time_unit()]. The
#'   default is that of [plot.pcf()].
#' @param thin If `TRUE`, only what the device can show is drawn, as by [plot.pcf()], and the lines of a
#'   [plf] become curves if a scale is transformed, for example by [ggplot2::scale_x_log10()]. If `FALSE`, or
#'   with coordinates other than [ggplot2::coord_cartesian()] and its variants, [ggplot2::geom_step()] or,
#'   for a [plf], [ggplot2::geom_path()] draws the functions, with straight lines between corners. Bands
#'   always have straight lines.
#' @param alpha The opacity of the bands, from 0 to 1.
#' @param data Not used.
#' @param ... For `autoplot()` and `autolayer()`: passed on to the geom that draws the functions, such as
#'   `linewidth` or `linetype`. For `fortify()`: not used.
#'
#' @return
#' * `autoplot()`: a `ggplot` object, to which scales, facets and labels can be added.
#' * `autolayer()`: a layer, or a list of two if some values are at a single time, which are points.
#' * `fortify()`: a data frame with the columns `id` (a factor with the names of the functions, or their
#'   indices), `time` (of the class given by [time_unit()]), `value` and, with `by`, `group`. The rows of a
#'   function are its corners: its value from each time on, and the end of its last piece. A jump of a [plf]
#'   has two rows with the same time. A gap, in which a function is not observed, has a row for the end of
#'   the piece before it and a row with a missing value. For [confidence_bands()], the columns are `id`, `time`,
#'   `value`, `lower`, `upper` and `group`, which is the same as `id`, and each piece has a row for its start and one
#'   for its end; values at a single time within a curve are left out.
#'
#' @seealso [plot.pcf()], [plot_bands()]
#'
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#'   diet <- ChickWeight$Diet[match(names(chicks), ChickWeight$Chick)]
#'   ggplot2::autoplot(chicks, by = diet) + ggplot2::facet_wrap(~group)
#'   bands <- confidence_bands(chicks, by = diet, na.rm = TRUE)
#'   ggplot2::autoplot(bands) + ggplot2::facet_wrap(~group)
#' }
#' @name autoplot.pcf
NULL

#' @rdname autoplot.pcf
#' @usage \method{autoplot}{pcf}(object, by = NULL, xlim = NULL, thin = TRUE, ...)
#' @exportS3Method ggplot2::autoplot
autoplot.pcf <- function(object, by = NULL, xlim = NULL, thin = TRUE, ...) {
  object <- check_either(object, "object")
  levels <- if (is.null(by)) levels_of(object)
  data <- step_data(object, by %||% levels, xlim, "object")
  layers <- step_layers(data, object, ..., thin = thin)
  labels <- list(y = value_label(object))
  if (!is.null(layers[[1]]$mapping$colour)) {
    labels$colour <- if (!is.null(levels)) "level" else if (is.null(by)) "function" else "group"
  }
  opaque <- ggplot2::guide_legend(override.aes = list(alpha = 1))
  bright <- if (!is.null(levels)) ggplot2::scale_colour_viridis_d(end = 0.9)
  ggplot2::ggplot() + layers + bright + do.call(ggplot2::labs, labels) +
    ggplot2::guides(colour = opaque) + time_scales(object) + from_zero(object)
}

#' @rdname autoplot.pcf
#' @usage \method{autolayer}{pcf}(object, by = NULL, xlim = NULL, thin = TRUE, ...)
#' @exportS3Method ggplot2::autolayer
autolayer.pcf <- function(object, by = NULL, xlim = NULL, thin = TRUE, ...) {
  layers <- step_layers(step_data(object, by, xlim, "object"), object, ..., thin = thin)
  if (length(layers) == 1) layers[[1]] else layers
}

#' @rdname autoplot.pcf
#' @usage \method{fortify}{pcf}(model, data, by = NULL, xlim = NULL, ...)
#' @exportS3Method ggplot2::fortify
fortify.pcf <- function(model, data, by = NULL, xlim = NULL, ...) {
  step_data(model, by, xlim, "model")
}

#' @rdname autoplot.pcf
#' @usage \method{autoplot}{pcf_bands}(object, xlim = NULL, alpha = 0.25, ...)
#' @exportS3Method ggplot2::autoplot
autoplot.pcf_bands <- function(object, xlim = NULL, alpha = 0.25, ...) {
  alpha <- check_opacity(alpha)
  center <- check_drawable(object$center, "object")
  limits <- if (is.null(xlim)) default_xlim(center) else check_xlim(xlim, unit_of(center))
  settings <- list(...)
  if (length(center) == 1 && !any(colour_names %in% names(settings))) settings$colour <- "black"
  steps <- list(step_data(center, function_ids(center), xlim, "object"), center)
  ggplot2::ggplot() + band_layer(object, limits, alpha) + do.call(step_layers, c(steps, settings)) +
    ggplot2::labs(y = value_label(center), colour = "curve", fill = "curve") + time_scales(center) +
    from_zero(center)
}

#' @rdname autoplot.pcf
#' @usage \method{fortify}{pcf_bands}(model, data, xlim = NULL, ...)
#' @exportS3Method ggplot2::fortify
fortify.pcf_bands <- function(model, data, xlim = NULL, ...) {
  center <- check_drawable(model$center, "model")
  unit <- unit_of(center)
  xlim <- if (is.null(xlim)) default_xlim(center) else check_xlim(xlim, unit)
  curves <- lapply(seq_along(center), function(k) corners_of_band(parts_of_curve(model, k), xlim))
  all <- do.call(rbind, curves)
  id <- function_ids(center)[rep(seq_along(curves), vapply(curves, nrow, 0L))]
  list2DF(list(
    id = id, time = as_times(all[, 1], unit), value = all[, 2], lower = all[, 3], upper = all[, 4], group = id
  ))
}

# A matrix of times and the values of functions at the start and the end of each piece, with missing values in between
# where none is observed. Values at a single time with others before and after are left out.
corners_of_band <- function(functions, xlim) {
  times <- all_times(functions)
  times <- c(xlim[1], times[times > xlim[1] & times < xlim[2]], xlim[2])
  n <- length(times)
  at <- function(times, side) {
    values <- evaluate_functions(functions, times, list(dim = c(length(functions), n - 1)), 1L, side = side)
    cbind(times, t(values), deparse.level = 0)
  }
  start <- at(times[-n], "right")
  end <- at(times[-1], "left")
  known <- which(rowSums(!is.na(start[, -1, drop = FALSE])) > 0)
  run <- cumsum(!continues(known))
  inner <- !is_first(run) & !is_last(run) & end[known, 1] == next_time(start[known, 1])
  known <- known[!inner]
  gap <- which(is_last(run[!inner]))
  gap <- known[gap[-length(gap)]]
  start <- start[known, , drop = FALSE]
  break_after <- cbind(end[gap, 1], matrix(NA, length(gap), length(functions)))
  end <- end[known, , drop = FALSE]
  rbind(start, end, break_after)[order(c(known, known + 0.3, gap + 0.6)), , drop = FALSE]
}

# A layer that makes the axis of probabilities begin with 0, unless that lies on no such axis.
from_zero <- function(x) {
  if (is.null(least_shown(x))) return(NULL)
  .data <- ggplot2::.data
  blank <- ggplot2::geom_blank(ggplot2::aes(y = .data$y), data.frame(y = 0), inherit.aes = FALSE)
  ggplot2::ggproto(NULL, blank, setup_layer = function(self, data, plot) {
    change <- plot$scales$get_scales("y")$trans
    if (!is.null(change) && !is.finite(change$transform(0))) data <- data[0, , drop = FALSE]
    ggplot2::ggproto_parent(blank, self)$setup_layer(data, plot)
  })
}

# One ribbon for each run of boxes without a gap.
band_layer <- function(bands, xlim, alpha) {
  .data <- ggplot2::.data
  boxes <- band_boxes(bands$lower, bands$upper, xlim)
  both <- function(values) rep(values, each = 2)
  curve <- function_ids(bands$center)[both(boxes$f)]
  data <- list2DF(list(
    id = curve, time = as_times(as.vector(rbind(boxes$x0, boxes$x1)), unit_of(bands$center)),
    lower = heights_of(boxes, "y0"), upper = heights_of(boxes, "y1"), run = both(boxes$chain), group = curve
  ))
  mapping <- ggplot2::aes(
    x = .data$time, ymin = .data$lower, ymax = .data$upper, group = .data$run
  )
  several <- length(bands$center) > 1
  if (several) mapping$fill <- ggplot2::aes(fill = .data$group)$fill
  layer <- if (several) ggplot2::geom_ribbon(mapping, data, alpha = alpha)
           else ggplot2::geom_ribbon(mapping, data, alpha = alpha, fill = "black")
  in_unit_of_layers(layer, bands$center)
}

colour_names <- c("colour", "color", "col")

# A list of the layer of lines and, if there are values at a single time, a layer of points. Both have the same columns,
# for facets.
step_layers <- function(data, x, ..., thin = TRUE) {
  thin <- check_flag(thin, "thin")
  .data <- ggplot2::.data
  mapping <- ggplot2::aes(x = .data$time, y = .data$value, group = .data$id)
  settings <- list(...)
  grouped <- "group" %in% names(data)
  fixed <- any(colour_names %in% names(settings))
  if ((grouped || length(x) <= most_colored) && !fixed) {
    column <- if (grouped) "group" else "id"
    mapping$colour <- ggplot2::aes(colour = .data[[column]])$colour
    if (is.null(settings$alpha)) settings$alpha <- group_opacity(length(x))
    if (length(x) > most_wide && !any(c("linewidth", "size", "lwd") %in% names(settings))) {
      # Before ggplot2 3.4 the width was the size.
      width <- if (utils::packageVersion("ggplot2") < "3.4.0") "size" else "linewidth"
      settings[[width]] <- 0.5 * group_width(length(x))
    }
    if (length(x) == 1 && is.null(settings$show.legend)) settings$show.legend <- FALSE
  } else if (!fixed) {
    settings$colour <- default_colors(length(x))
  }
  geom <- if (is_plf(x)) ggplot2::geom_path else ggplot2::geom_step
  layer <- do.call(geom, c(list(mapping, data), settings))
  plain <- is_plf(x) || identical(layer$geom_params$direction, "hv")
  if (thin && plain) layer$geom <- step_geom(is_plf(x))
  points <- data[attr(data, "points"), ]
  looks <- c(settings[names(settings) %in% c(colour_names, "alpha")], list(show.legend = FALSE))
  lapply(c(layer, if (nrow(points) > 0) do.call(ggplot2::geom_point, c(list(mapping, points), looks))),
         in_unit_of_layers, x)
}

# A layer with functions, in the unit of the first functions with times in the plot.
in_unit_of_layers <- function(layer, x) {
  ggplot2::ggproto(NULL, layer,
    time_unit = if (!is_timeless(x)) list(unit_of(x)),
    setup_layer = function(self, data, plot) {
      first <- Find(function(layer) !is.null(layer$time_unit), plot$layers)
      own <- self$time_unit %||% first$time_unit
      if (!is.null(own)) data$time <- times_on_axis(data$time, own[[1]], first$time_unit[[1]])
      ggplot2::ggproto_parent(layer, self)$setup_layer(data, plot)
    }
  )
}

# ggplot2 has scales for dates and clock times, but would show durations as clock times.
times_on_axis <- function(times, own, unit) {
  if (!goes_with(own, unit)) abort_units("object", "", own, "what the plot shows", unit)
  numbers <- convert(as.double(times), own, unit)
  if (unit_kind(unit) == "difftime") numbers else as_times(numbers, unit)
}

# The corners of all functions between two times, with a missing value between two chains. For step
# functions, whose steps are drawn horizontally first, these are the start of each piece and the end of
# each chain of pieces. The attribute "points" has the rows of values at a single time.
step_data <- function(x, by, xlim, argument) {
  x <- check_drawable(x, argument)
  group <- if (!is.null(by)) check_groups(by, x)
  xlim <- if (is.null(xlim)) default_xlim(x) else check_xlim(xlim, unit_of(x))
  pieces <- pieces_between(x, xlim[1], xlim[2])
  ends <- if (is_sloped(pieces)) breaks_after(pieces) else which(is_last(pieces$chain))
  corners <- with_breaks(with_points(corners_of(pieces, ends), attr(pieces, "points")))
  columns <- list(
    id = function_ids(x)[corners$f], time = as_times(corners$x, unit_of(x)), value = corners$y
  )
  if (!is.null(group)) columns$group <- group[corners$f]
  structure(list2DF(columns), points = which((corners$alone %||% FALSE) & !is.na(corners$y)))
}

# The corners and points as chains of their own, in the order in which they begin.
with_points <- function(corners, points) {
  if (NROW(points) == 0) return(corners)
  starts <- is_first(corners$chain)
  all <- list2DF(list(
    f = c(corners$f, points$f), x = c(corners$x, points$x), y = c(corners$y, points$y),
    begin = c(corners$x[starts][cumsum(starts)], points$x),
    alone = rep(c(FALSE, TRUE), c(nrow(corners), nrow(points))), is_new = c(starts, rep(TRUE, nrow(points)))
  ))
  all <- pieces_at(all, order(all$f, all$begin, all$alone))
  all$chain <- cumsum(all$is_new)
  all
}

# ---- Drawing on the device ----

# A geom that draws what the device can show. If the axes of a plot are not straight, with time to the
# right, it is geom_step() or, for sloped lines, geom_path().
step_geom <- function(sloped) {
  slow <- if (sloped) ggplot2::GeomPath else ggplot2::GeomStep
  ggplot2::ggproto("GeomPcf", slow,
    parameters = function(self, ...) slow$parameters(...),
    draw_panel = function(self, data, panel_params, coord, ...) {
      more <- list(...)
      plain <- inherits(coord, "CoordCartesian") && !inherits(coord, "CoordFlip")
      if (!plain || !is.null(more$arrow)) return(slow$draw_panel(data, panel_params, coord, ...))
      ends <- list(lineend = more$lineend %||% "butt", linejoin = more$linejoin %||% "round")
      if (sloped) data <- bent_corners(data, panel_params)
      corners <- coord$transform(data, panel_params)
      grid::gTree(corners = corners, ends = ends, sloped = sloped, cl = "pcf_steps")
    },
    handle_na = function(self, data, params) data
  )
}

# Straight lines become curves if a scale is transformed: they are cut into parts that are short relative
# to the panel, and begin at evenly spaced places on the time axis.
bent_corners <- function(data, panel_params) {
  changes <- lapply(panel_params[c("x", "y")], function(view) view$scale$trans)
  linear <- c("identity", "reverse", "date", "time", "hms")
  if (all(vapply(changes, function(change) is.null(change) || change$name %in% linear, NA))) return(data)
  range <- panel_params$x.range
  from <- base::pmax(data$x, 2 * range[1] - range[2]) # the logarithm of 0 is -Inf
  n <- nrow(data)
  to <- c(seq_len(n)[-1], n)
  parts <- base::pmin(ceiling(500 * abs(from[to] - from) / diff(range)), 1000)
  parts[is.na(parts) | data$group != data$group[to] | parts < 1] <- 1
  rows <- rep(seq_len(n), parts)
  share <- (sequence(parts) - 1) / rep(parts, parts)
  inner <- which(share > 0)
  a <- rows[inner]
  b <- to[a]
  bent <- pieces_at(data, rows)
  bent$x[inner] <- (1 - share[inner]) * from[a] + share[inner] * from[b]
  plain <- function(x, change) if (is.null(change)) x else change$inverse(x)
  x <- plain(data$x, changes$x)
  y <- plain(data$y, changes$y)
  share <- (plain(bent$x[inner], changes$x) - x[a]) / (x[b] - x[a])
  height <- (1 - share) * y[a] + share * y[b]
  bent$y[inner] <- if (is.null(changes$y)) height else changes$y$transform(height)
  bent
}

#' @exportS3Method grid::makeContent
makeContent.pcf_steps <- function(x) {
  pixels <- viewport_pixels()
  on_device <- function(axis) function(npc) pixels$origin[axis] + npc * pixels$extent[axis]
  pieces <- thinned(pieces_of_corners(x$corners, x$sloped), on_device(1), on_device(2), pixels$size[2])
  groups <- pieces_at(x$corners, which(!duplicated(x$corners$group)))
  many <- are_pixels(pieces, line_colors(groups), groups$linetype, line_widths(groups), pixels)
  grob <- if (many) picture_grob(pieces, groups, x$ends, pixels)
  else line_grob(pieces, groups, x$ends)
  grid::setChildren(x, grid::gList(grob))
}

# The pixels of the device, and the position and size of the current viewport on it.
viewport_pixels <- function() {
  pixels <- device_pixels()
  corner <- grid::deviceLoc(grid::unit(0, "npc"), grid::unit(0, "npc"), valueOnly = TRUE)
  pixels$origin <- pixels$resolution * c(corner$x, corner$y)
  pixels$extent <- pixels$resolution * c(
    grid::convertWidth(grid::unit(1, "npc"), "inches", valueOnly = TRUE),
    grid::convertHeight(grid::unit(1, "npc"), "inches", valueOnly = TRUE)
  )
  pixels$shows_pictures <- pixels$shows_pictures && grid::current.rotation() == 0
  pixels
}

# The corners are sorted by group. Pieces go from each corner to the next of its group.
pieces_of_corners <- function(corners, sloped = FALSE) {
  n <- nrow(corners)
  f <- corners$group[-n]
  known <- is.finite(corners$y) & is.finite(corners$x)
  drawn <- which(f == corners$group[-1] & known[-n] &
                   if (sloped) known[-1] else corners$x[-n] != corners$x[-1])
  pieces <- list(f = f[drawn], x0 = corners$x[drawn], x1 = corners$x[drawn + 1L], y = corners$y[drawn])
  if (sloped) pieces$y1 <- corners$y[drawn + 1L]
  pieces$chain <- cumsum(!continues(drawn + pieces$f))
  list2DF(pieces)
}

picture_grob <- function(pieces, groups, ends, pixels) {
  pieces$f <- match(pieces$f, groups$group)
  around <- grid::get.gpar(c("alpha", "lex")) # which grid applies to lines, not to pictures
  width <- pixel_widths(line_widths(groups) * around$lex, pixels)
  colors <- grDevices::adjustcolor(line_colors(groups), around$alpha)
  drawn <- picture_of(pieces, width, colors, pixels$size, ends$lineend == "butt")
  if (is.null(drawn)) return(grid::nullGrob())
  inches <- function(pixel, axis) grid::unit(pixel / pixels$resolution[axis], "inches")
  grid::rasterGrob(
    drawn$picture, inches(drawn$x0 - pixels$origin[1], 1), inches(drawn$y0 - pixels$origin[2], 2),
    inches(drawn$x1 - drawn$x0, 1), inches(drawn$y1 - drawn$y0, 2), just = c(0, 0)
  )
}

line_grob <- function(pieces, groups, ends) {
  if (nrow(pieces) == 0) return(grid::nullGrob())
  corners <- corners_of(pieces)
  group <- match(pieces$f[!duplicated(pieces$chain)], groups$group)
  style <- grid::gpar(
    col = line_colors(groups)[group], lty = groups$linetype[group],
    lwd = line_widths(groups)[group], lineend = ends$lineend, linejoin = ends$linejoin
  )
  grid::polylineGrob(corners$x, corners$y, id = corners$chain, default.units = "npc", gp = style)
}

line_colors <- function(groups) {
  ggplot2::alpha(groups$colour, groups$alpha)
}

# Before ggplot2 3.4 the width was the size.
line_widths <- function(groups) {
  ggplot2::.pt * (groups$linewidth %||% groups$size)
}
