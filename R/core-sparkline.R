# Small pictures of functions in one line of text, for print(), summary() and tibbles.

sparkline_width <- 16L

# A string of `sparkline_width` signs for each function of a collection, with the same scales of times and values for
# all. A sign shows the median value on its stretch of time, so that jumps stay sharp, and is a space in gaps.
sparklines <- function(x, unicode = cli::is_utf8_output()) {
  if (!is_drawable(x)) return(rep(strrep(" ", sparkline_width), length(x))) # printed nevertheless
  medians <- sparkline_medians(x, sparkline_edges(x))
  signs <- if (unicode) intToUtf8(0x2581:0x2588, multiple = TRUE) else c("_", ".", "-", "^")
  shown <- signs[heights(medians, length(signs))]
  shown[is.na(medians)] <- " "
  lines <- split(shown, rep(seq_along(x), each = sparkline_width))
  vapply(lines, paste, "", collapse = "", USE.NAMES = FALSE)
}

is_drawable <- function(x) {
  tryCatch({
    check_functions(x[!is.na(x)])
    TRUE
  }, pcfdist_error = function(error) FALSE)
}

# The levels 1 to `n` of values, from the lowest to the highest. Values are divided, so that no difference overflows.
heights <- function(values, n) {
  known <- values[!is.na(values)]
  if (length(unique(known)) < 2) return(ifelse(is.na(values), NA, ceiling(n / 2)))
  values <- values / max(abs(known))
  range <- range(values, na.rm = TRUE)
  base::pmin(n, 1 + floor(n * (values - range[1]) / (range[2] - range[1])))
}

# Stretches of the same length from the first to the last breakpoint, and one for the values after it, if there are any.
sparkline_edges <- function(x) {
  functions <- Filter(Negate(is.null), unclass(x))
  times <- unlist(lapply(functions, finite_ends))
  if (length(times) == 0) times <- 0
  last <- max(times)
  if (min(times) == last) return(edges_between(last, last + max(1, abs(last)), sparkline_width))
  go_on <- any(vapply(functions, function(f) !is.na(f[[length(f)]]), NA))
  edges <- edges_between(min(times), last, sparkline_width - go_on)
  if (go_on) c(edges, base::pmin(last + (last - edges[sparkline_width - 1]), .Machine$double.xmax)) else edges
}

# Sorted, despite rounding; and no difference overflows.
edges_between <- function(from, to, n) {
  share <- (0:n) / n
  sort(from * (1 - share) + base::pmin(to, .Machine$double.xmax) * share)
}

# The first and the last finite time of a function, without an end right after the last measurement.
finite_ends <- function(f) {
  times <- f[is.finite(f[, 1]), 1]
  ended <- any(is_next_time(utils::tail(times, 2)))
  range <- utils::head(times, length(times) - ended)
  c(utils::head(range, 1), utils::tail(range, 1))
}

# A matrix with a column of medians for each function: of values at a few times in each stretch. NA where a function is
# not observed at half of them, or where a gap has its middle.
sparkline_medians <- function(x, edges) {
  medians <- matrix(NA_real_, sparkline_width, length(x))
  there <- which(!is.na(x))
  functions <- x[there]
  share <- rep((1:9 - 0.5) / 9, sparkline_width)
  times <- sort(rep(edges[-length(edges)], each = 9) * (1 - share) + rep(edges[-1], each = 9) * share)
  shape <- list(dim = c(length(there), length(times)))
  values <- answer_value(.Call(ffi_evaluate, functions, times, NULL, FALSE, 1L, shape, NULL), x = functions)
  for (k in seq_along(there)) {
    f <- .subset2(x, there[k])
    medians[, there[k]] <- with_gaps(f, edges, apply(matrix(values[k, ], 9), 2, known_median))
  }
  medians
}

known_median <- function(values) if (mean(is.na(values)) > 0.5) NA else stats::median(values, na.rm = TRUE)

# Gaps are visible however short they are, and so are functions that are observed at single times only.
with_gaps <- function(f, edges, medians) {
  known <- !is.na(f[, ncol(f)])
  begins <- which(!known & c(TRUE, known[-nrow(f)]))
  ends <- which(known & c(FALSE, !known[-nrow(f)]))
  middles <- (f[begins[seq_along(ends)], 1] + f[ends, 1]) / 2
  medians <- replace(medians, stretch_of(middles, edges), NA)
  if (!all(is.na(medians))) return(medians)
  points <- f[known & f[, 1] >= edges[1] & f[, 1] <= max(edges), , drop = FALSE]
  replace(medians, stretch_of(points[, 1], edges), points[, ncol(points)])
}

# The stretches in which times are; none for times beyond all.
stretch_of <- function(times, edges) {
  stretch <- findInterval(times, edges, rightmost.closed = TRUE)
  stretch[stretch > 0 & stretch <= sparkline_width]
}
