# Functions with several components are the rows of a matrix of functions. The components of a row are
# laid end to end, each shifted to its own stretch of time, so that a row becomes one function with one
# component. Integrals over the components then add up, and suprema are the largest.

# Turns a call from check_integrals() into one about the rows (margin = 1) or columns (2) of matrices.
lay_components <- function(call, margin) {
  sides <- c("x", if (!is.null(call$y)) "y")
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
  for (side in sides) {
    call[[side]] <- restrict_to(call[[side]], call$window)
    check_components_end(call[[side]], call, call$arguments[[side]])
  }
  weight <- if (!is.null(call$weight)) {
    repeated <- restrict_to(call$weight, call$window)[rep(1, columns)]
    dim(repeated) <- c(1L, columns)
    repeated
  }
  stretches <- stretches_for(c(call[sides], list(weight)), call$window, columns)
  gaps <- any(vapply(call[sides], has_gaps, NA))
  outside <- if (call$missing == "mean" || gaps) NA_real_ else 0
  call[sides] <- lapply(call[sides], lay_rows, stretches, outside)
  call$window <- list(from = -Inf, to = Inf)
  if (!is.null(weight)) {
    call$weight <- lay_rows(weight, stretches, 0)
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

has_gaps <- function(x) any(vapply(unclass(x), anyNA, NA))

# If the window is infinite, components must be 0 or not observed towards its end, since the next one
# follows there. A mean over time needs a finite window.
check_components_end <- function(x, call, argument) {
  allowed <- c(NA, if (call$missing != "mean") 0)
  for (end in c("from", "to")) {
    if (is.finite(call$window[[end]])) next
    values <- if (end == "from") values_before(x) else values_after(x)
    wrong <- which(!values %in% allowed)[1]
    if (is.na(wrong)) next
    abort(
      end, argument = end, "`", end, "` must be finite: in `", argument, "` the function in row ",
      (wrong - 1) %% nrow(x) + 1, ", column ", (wrong - 1) %/% nrow(x) + 1, ", has the value ",
      number(values[[wrong]]), if (end == "from") " from -Inf on" else " up to Inf",
      if (call$missing == "mean") ", and a mean needs a finite time of observation."
      else ". In an infinite window, components must be 0 at both ends."
    )
  }
}

# The stretch of time that a component takes, the window of all of them, and the shift of each. Shifts
# are multiples of a power of two, which costs times few of their digits; times that are much larger than
# the span are moved towards 0 and keep all.
stretches_for <- function(collections, window, columns) {
  times <- unlist(lapply(collections, outer_times))
  ends <- c(window$from, window$to)
  times <- c(times[is.finite(times) & times >= ends[1] & times <= ends[2]], ends[is.finite(ends)])
  if (length(times) == 0) times <- 0
  span <- max(times) - min(times)
  step <- if (span > 0) 2^(floor(log2(span)) + 1) else 1
  shift <- step * (seq_len(columns) - 1)
  if (!is.finite(max(times) + max(shift))) {
    abort_argument("margin", "gives too many components for times this far apart.")
  }
  if (min(times) > max(shift)) shift <- shift - max(shift)
  list(from = min(times), to = max(times), shift = shift, window = window)
}

# The first finite and the last time of each function.
outer_times <- function(x) {
  vapply(unclass(x), function(f) {
    m <- dim(f)[1]
    f[c(if (f[[1]] == -Inf && m > 1) 2 else 1, m)]
  }, c(0, 0))
}

# One function for each row. Between the stretches it is 0 or, beyond a finite end of the window, has the
# value `outside`; beyond an infinite end it keeps its value.
lay_rows <- function(x, stretches, outside) {
  sides <- list(row = as.vector(.row(dim(x))), column = as.vector(.col(dim(x))))
  head <- unname(as.vector(values_before(x)))
  tail <- unname(as.vector(values_after(x)))
  flat <- flat_functions(x)
  flat <- of_flat(flat, flat$time >= stretches$from & flat$time <= stretches$to)
  before <- 0 * seq_len(nrow(x))
  if (is.na(outside) || !all(c(head, tail) %in% 0)) {
    n <- seq_along(head)
    after <- if (stretches$window$to < Inf) rep(outside, length(n)) else tail
    before <- if (stretches$window$from > -Inf) rep(outside, nrow(x)) else head[seq_len(nrow(x))]
    previous <- c(before, after)[n]
    begin <- list(group = n, time = rep(stretches$from, length(n)), left = previous, value = head)
    end <- list(group = n, time = rep(stretches$to, length(n)), left = tail, value = after)
    flat <- Map(c, begin[names(flat)], flat, end[names(flat)])
  }
  row <- sides$row[flat$group]
  order <- order(row, sides$column[flat$group], flat$time, method = "radix")
  flat$time <- flat$time + stretches$shift[sides$column[flat$group]]
  flat$group <- row
  laid <- begun_rows(one_of_each_time(of_flat(flat, order)), before, stretches$from, is_plf(x))
  functions <- cut_functions(tabulate(laid$group, nrow(x)), laid$time, laid$value, laid$left)
  names(functions) <- rownames(x)
  structure(check_functions(like(x, functions)), stretches = stretches)
}

# Translates a stretch of time of rows from lay_rows() back: the component that it belongs to, and its
# ends in the times of this component.
of_component <- function(from, to, stretches) {
  column <- max(1, findInterval(from, stretches$shift + stretches$from))
  ends <- c(from, to) - stretches$shift[column]
  if (ends[1] < stretches$from) ends[1] <- stretches$window$from
  if (ends[2] > stretches$to) ends[2] <- stretches$window$to
  list(column = column, ends = ends)
}

# Times that became equal by shifting are one breakpoint: a jump.
one_of_each_time <- function(flat) {
  again <- !is_first(flat$group) & c(NA, diff(flat$time))[seq_along(flat$time)] == 0
  last <- !c(again[-1], FALSE)[seq_along(again)]
  left <- flat$left[!again]
  flat <- of_flat(flat, last)
  if (!is.null(flat$left)) flat$left <- left
  flat
}

# Rows without a breakpoint get one. Rows of steps that do not begin with 0 get a start at -Inf.
begun_rows <- function(flat, before, from, lines) {
  empty <- which(tabulate(flat$group, length(before)) == 0)
  early <- if (!lines) which(!before %in% 0)
  none <- 0 * empty
  first <- list(
    group = c(empty, early), time = c(none + from, rep(-Inf, length(early))),
    left = c(none, before[early]), value = c(none, before[early])
  )
  flat <- Map(c, first[names(flat)], flat)
  of_flat(flat, order(flat$group, method = "radix"))
}
