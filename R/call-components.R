# Functions with several components are the rows of a matrix of functions. The components of a row are
# laid end to end, each on its own stretch of time, so that a row becomes one function with one component.
# Integrals over the components then add up, and suprema are the largest. How they are laid: call-layout.R.

# Turns a call from check_integrals() into one about the rows (margin = 1) or columns (2) of matrices.
lay_components <- function(call, margin, precision) {
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
  collections <- c(call[sides], list(weight)[!is.null(weight)])
  parts <- parts_of_rows(collections, call$window, columns, precision)
  laid <- lapply(call[sides], lay_rows, parts, 0)
  ends <- lapply(call[sides], function(x) c(values_before(x), values_after(x)))
  if (needs_lengths(call) || anyNA(lapply(c(laid, ends), unclass), recursive = TRUE)) {
    parts <- parts_of_rows(collections, call$window, columns, precision, gaps = TRUE)
    laid <- lapply(call[sides], lay_rows, parts, NA_real_)
  }
  call[sides] <- laid
  call$window <- list(from = -Inf, to = Inf)
  call$scaled <- is.null(weight) # the weight, if there is one, is that of the parts alone
  call$weight <- weight_of_parts(weight, parts)
  if (!is.null(weight)) call$window <- window_of_weight(call$weight, call$window)
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
  allowed <- c(NA, if (!needs_lengths(call)) 0)
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
      if (needs_lengths(call)) ", but here components need a finite time of observation."
      else ". In an infinite window, components must be 0 at both ends."
    )
  }
}

# One function for each row, in the order of the parts.
lay_rows <- function(x, parts, outside) {
  of_c <- parts[rownames(parts) != "height", , drop = FALSE]
  functions <- answer_value(.Call(ffi_lay_rows, x, nrow(x), of_c, outside, run_threads(NULL)))
  names(functions) <- rownames(x)
  structure(check_functions(like(x, functions)), parts = parts)
}

# The weight of rows, of which `weight` is that of each component, or NULL: it is multiplied by the heights
# of the parts. NULL if all weights are 1.
weight_of_parts <- function(weight, parts) {
  height <- parts["height", ]
  begin <- parts["begin", ]
  if (is.null(weight)) {
    return(if (any(height != 1)) new_pcf(list(new_function(c(-Inf, begin[-1]), height))))
  }
  laid <- lay_rows(weight, parts, 0)
  f <- unclass(laid)[[1]]
  times <- sort(unique(c(-Inf, f[, 1], begin)))
  heights <- height[base::pmax(1, findInterval(times, begin))]
  replace_functions(laid, list(new_function(times, values_at(f, times) * heights)))
}

# Translates a stretch of time of such rows back: the component that it belongs to, and its ends in the
# times of this component. What goes on in other parts of it is included.
of_component <- function(from, to, parts) {
  first <- max(1, findInterval(from, parts["begin", ]))
  last <- first
  while (last < ncol(parts) && parts["begin", last + 1] < to && follows(parts[, last + 1], parts[, last])) {
    last <- last + 1
  }
  column <- parts[["column", first]]
  list(column = column, ends = c(back_in(parts[, first], from), back_in(parts[, last], to)))
}

follows <- function(part, other) {
  part[["column"]] == other[["column"]] && part[["from"]] == other[["to"]]
}

back_in <- function(part, time) {
  if (time <= part[["begin"]]) return(part[["from"]])
  if (time >= part[["end"]]) return(part[["to"]])
  times_power_of_2(time - part[["shift"]], -part[["exponent"]])
}
