#' Numbers at risk below a plot of survival curves
#'
#' Writes a table below a plot drawn by [plot_bands()], [plot()][plot.pcf] or R's own functions: the number at risk in
#' each stratum of a fit at the ticks of the axis of times.
#'
#' The table is in the bottom margin, which must have been made large enough before the plot: with `line = 4`, the
#' default, below the label of the axis, it takes `5 + n` lines for `n` strata. `par(mar = c(7, 6, 2, 1))` has room for
#' two strata, and for their names in the left margin. Names without room are abbreviated.
#'
#' For tables with events and censored, or for ggplot2, use `ggsurvfit::ggsurvfit(fit) + ggsurvfit::add_risktable()` of
#' the package ggsurvfit.
#'
#' @param x The value of [survival::survfit()] or of `prodlim::prodlim()`.
#' @param times `NULL`, for the ticks of the axis, or a vector of times within the plot.
#' @param title The first line; `NULL` for none.
#' @param labels Names of the strata, in their order; by default those of the fit.
#' @param col One colour for each stratum, by default as in [plot_bands()].
#' @param line The line of the margin in which the table begins.
#' @param cex The size of the text, as in [par()].
#'
#' @return Invisibly, the numbers at risk: a matrix with a row for each stratum and a column for each time. They are
#'   those just before each time, of all states together, as in `summary(x, times = )`. After the last time of a
#'   stratum they are 0.
#'
#' @section Errors:
#' Invalid arguments raise errors of class `pcfdist_error_<argument>`; a bottom margin without room one of class
#' `pcfdist_error_line`, and no open plot one of class `pcfdist_error_plot`.
#'
#' @seealso [as_pcf.survfit()] for numbers at risk as functions, and for curves that end where few are at risk
#'
#' @examples
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
#'   old <- par(mar = c(7, 6, 2, 1))
#'   plot_bands(fit, xlab = "days")
#'   add_at_risk(fit, labels = c("men", "women"))
#'   par(old)
#' }
#' @export
add_at_risk <- function(x, times = NULL, title = "number at risk", labels = NULL, col = NULL, line = 4, cex = 0.9) {
  check_given(x, "x", "a <survfit> or a <prodlim>")
  check_is(inherits(x, c("survfit", "prodlim")), x, "x", "must be a <survfit> or a <prodlim>, not ")
  check_plot_open()
  fit <- read_parts(x, class(x)[1], risk_of_fit(x))
  n <- length(fit$rows)
  times <- if (is.null(times)) ticks_from(fit$start) else check_shown_times(times)
  labels <- check_stratum_labels(labels, fit$labels, n)
  col <- if (is.null(col)) group_colors(n) else colors_of(col, labels, n)
  if (!is.null(title)) check_is(is_one_name(title), plain(title), "title", "must be NULL or one string, not ")
  cex <- check_positive(cex, "cex")
  check_room(check_number(line, "line"), n + !is.null(title))
  counts <- counts_before(fit, times)
  write_table(counts, times, title, labels, col, line, cex)
  dimnames(counts) <- list(labels, numbers(times))
  invisible(counts)
}

# The number at risk at each time of a fit, the rows of each stratum, and their names.
risk_of_fit <- function(x) {
  if (inherits(x, "prodlim")) x <- as_survfit(x, FALSE)
  if (!is.numeric(x$n.risk)) abort_argument("x", "has no numbers at risk.")
  list(
    time = x$time, risk = at_risk_in_all(x), rows = survfit_rows(x), labels = names(x$strata), start = survfit_start(x)
  )
}

# The number at risk just before each time is that at the next time of the fit.
counts_before <- function(fit, times) {
  counts <- vapply(fit$rows, function(row) {
    c(fit$risk[row], 0)[findInterval(times, fit$time[row], left.open = TRUE) + 1]
  }, numeric(length(times)))
  matrix(counts, length(fit$rows), length(times), byrow = TRUE)
}

write_table <- function(counts, times, title, labels, col, line, cex) {
  left <- graphics::par("usr")[1]
  if (graphics::par("xlog")) left <- 10^left
  write <- function(text, k, ...) graphics::mtext(text, 1, line + k, cex = cex * graphics::par("cex"), las = 1, ...)
  if (!is.null(title)) write(title, 0, at = left, adj = 0)
  if (!is.null(labels)) labels <- shortened(labels, max(graphics::par("mai")[2] - 0.3, 0.1), cex)
  for (k in seq_len(nrow(counts))) {
    row <- k - is.null(title)
    if (!is.null(labels)) write(paste0(labels[k], "   "), row, at = left, adj = 1, col = col[k])
    write(numbers(round(counts[k, ], 1), big.mark = ""), row, at = times, adj = 0.5, col = col[k])
  }
}

# ---- Arguments ----

# par() would open a device, and has margins and a range before there is a plot; strwidth() needs one.
check_plot_open <- function() {
  is_open <- grDevices::dev.cur() > 1 && is_quiet(graphics::strwidth(""))
  if (!is_open) abort("plot", "There is no plot: draw one first, such as by plot_bands(fit).")
}

ticks_from <- function(start) {
  ticks <- graphics::axTicks(1)
  ticks[ticks >= start]
}

check_shown_times <- function(times) {
  check_is(is_number(times) && length(times) > 0 && all(is.finite(times)), plain(times), "times",
           "must be NULL or finite numbers, not ")
  range <- graphics::par("usr")[1:2]
  if (graphics::par("xlog")) range <- 10^range
  outside <- times[times < range[1] | times > range[2]][1]
  if (is.na(outside)) return(as.double(times))
  abort_argument("times", "must be within the plot, from ", number(range[1], 4), " to ", number(range[2], 4), ", not ",
                 number(outside), ".")
}

check_stratum_labels <- function(labels, strata, n) {
  if (is.null(labels)) return(strata)
  check_is(is.character(labels) && length(labels) == n, plain(labels), "labels", "must be ",
           if (n > 1) paste(n, "names, one for each stratum, not ") else "one name, not ")
}

check_room <- function(line, rows) {
  needed <- line + rows
  if (needed <= graphics::par("mar")[1]) return()
  margins <- graphics::par("mar")
  margins[1] <- ceiling(needed)
  abort_argument(
    "line", "leaves no room for the table, which needs a bottom margin of ", number(needed), " lines: set par(mar = c(",
    paste(numbers(margins), collapse = ", "), ")) before the plot."
  )
}
