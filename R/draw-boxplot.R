#' Functional boxplots
#'
#' `boxplot()` of a collection of functions finds and draws the deepest function, the region of the central half, and
#' outliers (Sun and Genton 2011).
#'
#' * The **median** is the deepest function by [functional_depth()], the first of those that are equally deep.
#' * The **central half** are the functions that are at least as deep as the median of all depths; the box is their
#'   range at each time.
#' * The **fences** are `range` times the width of the box above and below it, at each time. Functions that are beyond
#'   a fence for some time, however short, are **outliers**.
#' * The **whiskers** are the range, at each time, of all other functions.
#'
#' All of these are exact, and not computed on a grid. The functions that are returned are `NA` outside of the window;
#' where measurements end, they have values at the last time as well.
#'
#' @inheritParams functional_depth
#' @param x A collection of functions: a [pcf] or a [plf]. For methods, the value of `boxplot()`.
#' @param range The distance of the fences in widths of the box, a positive number. Sun and Genton (2012) adjust it to
#'   functions that are correlated in time.
#' @param plot If `FALSE`, nothing is drawn.
#' @param col,border The colours of the box, and of the whiskers and the median.
#' @param outcol,outlty The colour and the type of the lines of outliers.
#' @param ... Passed on to [plot.pcf()].
#'
#' @return A list of class `pcf_boxplot`, invisibly if it is drawn: the functions `median`; `box`, `fences` and
#'   `whiskers`, collections of the two functions `lower` and `upper`; `out`, the indices of the outliers, with their
#'   names; `depth`; `central`, which functions belong to the central half; and `window`.
#'   [plot()] draws it.
#'
#' @inheritSection functional_depth Cost
#' @inheritSection functional_depth Errors
#'
#' @references
#' Sun, Y. and Genton, M. G. (2011). Functional boxplots. *Journal of Computational and Graphical Statistics* 20,
#' 316-334. \doi{10.1198/jcgs.2011.09224}
#'
#' Sun, Y. and Genton, M. G. (2012). Adjusted functional boxplots for spatio-temporal data visualization and outlier
#' detection. *Environmetrics* 23, 54-64. \doi{10.1002/env.1136}
#'
#' @seealso [functional_depth()], [lof()]; [plot_bands()] for quantiles at each time
#'
#' @examples
#' chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#' b <- boxplot(chicks, missing = "mean", range = 1, xlab = "days", ylab = "weight (g)")
#' b
#' @importFrom graphics boxplot
#' @export
boxplot.pcf <- function(x, type = c("band", "integrated"), from = -Inf, to = Inf, missing = c("error", "mean"),
                        weight = NULL, range = 1.5, plot = TRUE, threads = NULL, ...) {
  range <- check_positive(range, "range")
  plot <- check_flag(plot, "plot")
  if (!plot) check_no_more(list(...))
  x <- check_either(x)
  if (length(x) == 0) abort_argument("x", "must have at least one function.")
  found <- depths_in_window(x, type, from, to, missing, weight, threads)
  b <- boxplot_of(x, found$depth, found$window, range)
  if (!plot) return(b)
  plot(b, ...)
  invisible(b)
}

boxplot_of <- function(x, depth, window, range) {
  closed <- closed_window(x, window)
  x <- structure(restrict_to(x, closed), dim = NULL, names = function_labels(x))
  depth <- as.vector(depth)
  central <- depth >= stats::median(depth)
  box <- range_of(x[central], closed)
  margin <- range * (box["upper"] - box["lower"])
  fences <- c(box["lower"] - margin, box["upper"] + margin)
  names(fences) <- names(box)
  out <- which(is_beyond(x, fences, window))
  names(out) <- names(x)[out]
  structure(list(
    median = within_window(x[which.max(depth)], closed), box = box, fences = fences,
    whiskers = range_of(if (length(out) > 0) x[-out] else x, closed), outliers = within_window(x[out], closed),
    out = out, depth = stats::setNames(depth, names(x)), central = central,
    window = as_times(c(window$from, window$to), unit_of(x))
  ), class = "pcf_boxplot")
}

# The minimum and the maximum at each time of the functions that are observed then.
range_of <- function(x, window) {
  both <- within_window(c(min(x, na.rm = TRUE), max(x, na.rm = TRUE)), window)
  stats::setNames(both, c("lower", "upper"))
}

# ---- Outliers ----

# Which functions are below the first or above the second of two fences for some time in the window?
is_beyond <- function(x, fences, window) {
  sides <- list(restrict_to(-x, window), restrict_to(x, window))
  fences <- list(-fences[1], fences[2])
  beyond <- Map(if (is_plf(x)) lines_above else steps_above, sides, fences, MoreArgs = list(window))
  beyond[[1]] | beyond[[2]]
}

# Each function of lines is compared with the fence by itself: rounding between breakpoints does not count.
lines_above <- function(x, fence, window) {
  vapply(seq_along(x), function(i) {
    difference <- x[i] - fence
    largest <- max(abs(unclass(x)[[i]][, -1]), 0, na.rm = TRUE)
    excess <- lp_norm(pmax(difference, 0, na.rm = TRUE), Inf, window$from, window$to, missing = "overlap")
    !is.na(excess) && excess > 1e-13 * largest
  }, NA)
}

# A piece of a step function is above the fence if its value is above the minimum of the fence meanwhile. Minima of 2,
# 4, 8, ... pieces of the fence at a time are kept; two of them cover those that a piece meets.
steps_above <- function(x, fence, window) {
  f <- unclass(fence)[[1]]
  pieces <- pieces_in(x, window)
  first <- findInterval(pieces$from, f[, 1])
  last <- findInterval(pieces$to, f[, 1], left.open = TRUE)
  level <- floor(log2(last - first + 1))
  least <- ifelse(is.na(f[, 2]), Inf, f[, 2])
  above <- logical(length(first))
  for (k in seq(0, max(level, 0))) {
    at <- which(level == k)
    meanwhile <- base::pmin(least[first[at]], least[last[at] - 2^k + 1])
    above[at] <- pieces$value[at] > meanwhile
    ahead <- least[-seq_len(min(2^k, length(least)))]
    least <- base::pmin(least, c(ahead, rep(Inf, length(least) - length(ahead))))
  }
  tabulate(pieces$id[above], length(x)) > 0
}

# The known pieces of step functions in a window, also those before first breakpoints: data frame(id, from, to, value).
pieces_in <- function(x, window) {
  flat <- flat_functions(map_functions(x, from_the_start))
  to <- replace(following(flat$time, flat$group), is_last(flat$group), Inf)
  pieces <- data.frame(
    id = flat$group, from = base::pmax(flat$time, window$from), to = base::pmin(to, window$to), value = flat$value
  )
  pieces[pieces$from < pieces$to & !is.na(pieces$value), ]
}

# ---- Methods ----

#' @rdname boxplot.pcf
#' @export
plot.pcf_boxplot <- function(x, col = "grey80", border = "black", outcol = "red3", outlty = 2, ...) {
  drawn <- c(x$whiskers, x$outliers)
  plot(drawn, col = "transparent", legend = NULL, ...)
  limits <- current_xlim()
  draw_areas(band_boxes(x$box["lower"], x$box["upper"], limits), col)
  graphics::box()
  lines(x$whiskers, verticals = "solid", col = border)
  if (length(x$out) > 0) lines(x$outliers, col = outcol, lty = outlty)
  lines(x$median, verticals = "solid", col = border, lwd = 3)
  invisible(x)
}

#' @export
print.pcf_boxplot <- function(x, ...) {
  n <- length(x$depth)
  label <- names(x$depth)[which.max(x$depth)] %||% number(which.max(x$depth))
  outliers <- if (length(x$out) == 0) "none" else paste(utils::head(names(x$out) %||% x$out, 10), collapse = ", ")
  more <- if (length(x$out) > 10) paste0(", ... (", length(x$out), " in all)")
  cat(
    "<pcf_boxplot> of ", n, if (n == 1) " function" else " functions", " ", window_text(x$window), "\n",
    "  median: ", label, ", of depth ", number(signif(max(x$depth), 4)), "\n",
    "  central half: ", sum(x$central), " functions\n",
    "  outliers: ", outliers, more, "\n", sep = ""
  )
  invisible(x)
}
