#' Draw functions with ggplot2
#'
#' @description
#' With the package ggplot2, `autoplot()` draws the functions of a [pcf], `autolayer()` adds
#' them to a plot, and `fortify()` gives the data frame behind both.
#'
#' Functions are drawn as in [plot.pcf()]: the last piece goes on to the right end, and a
#' function that starts after the left end is 0 before.
#'
#' @param object,model A [pcf] with at least one function.
#' @param by `NULL`, or a vector with the group of each function: it gives the colours.
#'   Without it, up to eight functions have colours of their own, more are a transparent
#'   black.
#' @param xlim The range of times: two finite numbers, or times of the [time_unit()]. The default starts at the first
#'   breakpoint and ends a little after the last.
#' @param data Not used.
#' @param ... For `autoplot()` and `autolayer()`: passed on to [ggplot2::geom_step()], such
#'   as `linewidth` or `linetype`. For `fortify()`: not used.
#'
#' @return
#' * `autoplot()`: a `ggplot` object. Add scales, facets and labels to it.
#' * `autolayer()`: a layer.
#' * `fortify()`: a data frame with the columns `id` (a factor: the names of the functions,
#'   or their indices), `time` (of the class that [time_unit()] tells), `value` and, with `by`,
#'   `group`. The rows of a function are its corners: its value from each time on, and the end
#'   of its last piece.
#'
#' @seealso [plot.pcf()], [plot_bands()]
#'
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#'   diet <- ChickWeight$Diet[match(names(chicks), ChickWeight$Chick)]
#'   ggplot2::autoplot(chicks, by = diet) + ggplot2::facet_wrap(~group)
#' }
#' @name autoplot.pcf
NULL

#' @rdname autoplot.pcf
#' @exportS3Method ggplot2::autoplot
autoplot.pcf <- function(object, by = NULL, xlim = NULL, ...) {
  data <- step_data(object, by, xlim, "object")
  layer <- step_layer(drawn_data(data), object, ...)
  labels <- list(y = "value")
  if (!is.null(layer$mapping$colour)) labels$colour <- if (is.null(by)) "function" else "group"
  ggplot2::ggplot() + layer + do.call(ggplot2::labs, labels) + time_scales(unit_of(object))
}

#' @rdname autoplot.pcf
#' @exportS3Method ggplot2::autolayer
autolayer.pcf <- function(object, by = NULL, xlim = NULL, ...) {
  step_layer(drawn_data(step_data(object, by, xlim, "object")), object, ...)
}

#' @rdname autoplot.pcf
#' @exportS3Method ggplot2::fortify
fortify.pcf <- function(model, data, by = NULL, xlim = NULL, ...) {
  step_data(model, by, xlim, "model")
}

# ggplot2 has scales for dates and clock times. Lengths of time it would show as clock times.
drawn_data <- function(data) {
  if (inherits(data$time, "difftime")) data$time <- as.double(data$time)
  data
}

step_layer <- function(data, x, ...) {
  .data <- ggplot2::.data
  mapping <- ggplot2::aes(x = .data$time, y = .data$value, group = .data$id)
  settings <- list(...)
  coloured <- "group" %in% names(data) || length(x) <= 8
  fixed <- any(c("colour", "color", "col") %in% names(settings))
  if (coloured && !fixed) {
    column <- if ("group" %in% names(data)) "group" else "id"
    mapping$colour <- ggplot2::aes(colour = .data[[column]])$colour
  } else if (!fixed) {
    settings$colour <- default_colors(length(x))
  }
  do.call(ggplot2::geom_step, c(list(mapping, data), settings))
}

# The corners of all functions between two times, for steps that are horizontal first.
step_data <- function(x, by, xlim, argument) {
  x <- check_drawable(x, argument)
  group <- if (!is.null(by)) check_groups(by, x)
  xlim <- if (is.null(xlim)) default_xlim(x) else check_xlim(xlim, unit_of(x))
  pieces <- pieces_between(x, xlim[1], xlim[2])
  ends <- pieces[!duplicated(pieces$f, fromLast = TRUE), ]
  f <- c(pieces$f, ends$f)
  corners <- data.frame(
    id = function_ids(x)[f], time = c(pieces$x0, ends$x1), value = c(pieces$y0, ends$y1)
  )
  if (!is.null(group)) corners$group <- group[f]
  corners <- corners[order(f, corners$time), ]
  rownames(corners) <- NULL
  corners$time <- as_times(corners$time, unit_of(x))
  corners
}

# A factor with one level a function, in their order; names that come twice get numbers.
function_ids <- function(x) {
  ids <- if (is.null(names(x))) as.character(seq_along(x)) else make.unique(names(x), " ")
  factor(ids, ids)
}
