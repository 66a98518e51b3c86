# Functions with several components are the rows of a matrix of functions. The components of a row are
# laid end to end, each shifted to its own stretch of time, so that a row becomes one function with one
# component. Integrals over the components then add up, and suprema are the largest.

# Turns a call from check_integrals() into one about the rows (margin = 1) or columns (2) of matrices.
lay_components <- function(call, margin) {
  sides <- c("x", if (!is.null(call$y)) "y")
  given <- call$x
  for (side in sides) {
    argument <- call$arguments[[side]]
    call[[side]] <- component_matrix(check_functions(call[[side]], argument), margin, argument)
  }
  columns <- ncol(call$x)
  if (length(sides) == 2 && ncol(call$y) != columns) {
    abort_argument(
      call$arguments[["y"]], "must have as many components as `", call$arguments[["x"]], "`, ",
      columns, ", not ", ncol(call$y), "."
    )
  }
  transposed <- check_margin(margin, given) == 2
  for (side in sides) check_components_end(call[[side]], call, call$arguments[[side]], transposed)
  weight <- if (!is.null(call$weight)) array(call$weight[rep(1, columns)], c(1, columns))
  parts <- parts_of_rows(c(call[sides], list(weight)[!is.null(weight)]), call$window, columns)
  laid <- lapply(call[sides], lay_rows, parts, 0)
  gaps <- call$missing == "mean" || anyNA(lapply(laid, unclass), recursive = TRUE)
  call[sides] <- if (gaps) lapply(call[sides], lay_rows, parts, NA_real_) else laid
  call$window <- list(from = -Inf, to = Inf)
  if (!is.null(weight)) {
    call$weight <- lay_rows(weight, parts, 0)
    call$window <- window_of_weight(call$weight, call$window)
  }
  call
}

# A matrix with a row for each function of several components.
component_matrix <- function(x, margin, argument) {
  if (length(dim(x)) != 2) {
    abort_argument(
      argument, "must be a matrix of functions for `margin`, but ",
      if (is.null(dim(x))) "has no dim." else paste0("has ", length(dim(x)), " dimensions.")
    )
  }
  margin <- check_margin(margin, x)
  if (length(margin) != 1) abort_argument("margin", "must be one dimension, 1 or 2.")
  if (margin == 2) x <- t(x)
  if (ncol(x) > 0) return(x)
  abort_argument(argument, "must have at least one component along `margin`.")
}

# If the window is infinite, components must be 0 or not observed towards its end, since the next one
# follows there. A mean over time needs a finite window.
check_components_end <- function(x, call, argument, transposed) {
  allowed <- c(NA, if (call$missing != "mean") 0)
  for (end in c("from", "to")) {
    if (is.finite(call$window[[end]])) next
    values <- if (end == "from") values_before(x) else values_after(x)
    wrong <- which(!values %in% allowed)[1]
    if (is.na(wrong)) next
    place <- arrayInd(wrong, dim(x))
    if (transposed) place <- rev(place)
    abort(
      end, argument = end, "`", end, "` must be finite: in `", argument, "` the function in row ",
      place[1], ", column ", place[2], ", has the value ",
      number(values[[wrong]]), if (end == "from") " from -Inf on" else " up to Inf",
      if (call$missing == "mean") ", but here components need a finite time of observation."
      else ". In an infinite window, components must be 0 at both ends."
    )
  }
}

# Where the components of a row are laid, as ffi_lay_rows() takes it. Times from the first breakpoint of
# all functions to the last are shifted by multiples of a power of two, which costs times few of their
# digits; times that are much larger than the span are moved towards 0 and keep all. The rest of a window,
# in which all functions are constant, may be far longer: it is laid before or after all these.
parts_of_rows <- function(collections, window, columns) {
  times <- unlist(lapply(collections, function(x) ends_of(x)[c("first", "last")]), use.names = FALSE)
  times <- times[is.finite(times)]
  ends <- pmin(pmax(if (length(times) > 0) range(times) else c(0, 0), window$from), window$to)
  # Components that are constant in an endless window have a stretch there, too.
  if (window$from == -Inf && ends[1] == window$to) ends[1] <- ends[1] - step_beyond(abs(ends[1]))
  k <- seq_len(columns)
  shift <- step_beyond(ends[2] - ends[1]) * (k - 1)
  if (isTRUE(ends[1] > max(shift))) shift <- shift - max(shift)
  part <- function(from, to, begin, width = to - from, shift = begin - from) {
    if (from < to) rbind(column = k, from, to, begin, end = begin + width, shift)
  }
  before <- if (window$from > -Inf) {
    step <- step_beyond(ends[1] - window$from)
    part(window$from, ends[1], step * (floor((ends[1] + shift[1]) / step) + k - 1 - columns))
  }
  after <- if (window$to < Inf) {
    step <- step_beyond(window$to - ends[2])
    part(ends[2], window$to, step * (ceiling((ends[2] + shift[columns]) / step) + k - 1))
  }
  from <- if (window$from > -Inf) ends[1] else -Inf
  to <- if (window$to < Inf) ends[2] else Inf
  parts <- cbind(before, part(from, to, ends[1] + shift, ends[2] - ends[1], shift), after)
  if (all(is.finite(parts[c("begin", "end"), ]))) return(parts)
  abort_argument("margin", "gives too many components for times this far apart.")
}

step_beyond <- function(width) if (width > 0) 2^(floor(log2(width)) + 1) else 1

# One function for each row, in the order of the parts.
lay_rows <- function(x, parts, outside) {
  functions <- answer_value(.Call(ffi_lay_rows, x, nrow(x), parts, outside, run_threads(NULL)))
  names(functions) <- rownames(x)
  structure(check_functions(like(x, functions)), parts = parts)
}

# Translates a stretch of time of such rows back: the component that it belongs to, and its ends in the
# times of this component.
of_component <- function(from, to, parts) {
  part <- parts[, max(1, findInterval(from, parts["begin", ]))]
  ends <- c(from, to) - part[["shift"]]
  if (from < part[["begin"]]) ends[1] <- part[["from"]]
  if (to > part[["end"]]) ends[2] <- part[["to"]]
  list(column = part[["column"]], ends = ends)
}
