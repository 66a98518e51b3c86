#' Reduce segments and runs of a vector
#'
#' @description
#' `segment_reduce()` reduces each segment of a vector to its sum, minimum or maximum;
#' segments may be of any lengths, empty ones included. `reduce_by_key()` does so for each
#' run of equal consecutive keys.
#'
#' The work is shared out to the threads by elements and not by segments: one segment of ten
#' million elements among a million of three keeps all of them busy. The results do not
#' depend on the number of threads.
#'
#' @details
#' Segments are given as in compressed sparse rows: segment `i` has the elements
#' `offsets[i] + 1` to `offsets[i + 1]`, so that there is one offset more than there are
#' segments. From lengths they are `c(0, cumsum(lengths))`; from starts counted from 0,
#' `c(starts, length(values))`. The slot `p` of a sparse `dgCMatrix` of the package Matrix
#' holds the offsets of its columns.
#'
#' Results are doubles, so that sums of integers do not overflow; they are exact up to
#' \eqn{2^{53}}{2^53}. A segment with a missing value is `NA`, or `NaN` if it has a `NaN` but
#' no `NA`. An empty segment has the sum 0, the minimum `Inf` and the maximum `-Inf`. Sums of
#' doubles are added up in an order that depends on the segment alone.
#'
#' In `reduce_by_key()` two keys are equal if both are missing, or if they are equal as
#' numbers or strings. Runs are consecutive: the same key may come back later and is then
#' another run. To group all equal keys, order keys and values by the keys first.
#'
#' @param values A vector of doubles, integers or logicals.
#' @param offsets Whole numbers from 0 to `length(values)`, not decreasing: running totals of
#'   the lengths of the segments. Doubles where integers do not suffice.
#' @param op The reduction: `"sum"`, `"min"` or `"max"`.
#' @param keys An atomic vector or factor, as long as `values`.
#' @param threads The number of threads; see [pcfdist_options] for the default.
#'
#' @return `segment_reduce()`: a double vector with one element for each segment.
#'
#'   `reduce_by_key()`: a data frame with one row for each run and the columns `key`, `count`
#'   (the length of the run) and `value`.
#'
#' @section Errors:
#' Arguments of the wrong type, length or range raise an error of the class
#' `pcfdist_error_<argument>`, which names the first place that is wrong.
#'
#' @references
#' Blelloch, G. E., Heroux, M. A. and Zagha, M. (1993). Segmented operations for sparse
#' matrix computation on vector multiprocessors. Technical report CMU-CS-93-173, Carnegie
#' Mellon University.
#'
#' @seealso [interval_expand()], [interval_move()]
#'
#' @examples
#' # Segments of 2, 0 and 3 elements.
#' segment_reduce(1:5, c(0, 2, 2, 5))
#' segment_reduce(1:5, c(0, 2, 2, 5), "max")
#'
#' reduce_by_key(c("a", "a", "b", "a"), 1:4)
#'
#' # All equal keys together.
#' key <- c("b", "a", "b", "a")
#' value <- 1:4
#' reduce_by_key(key[order(key)], value[order(key)])
#' @export
segment_reduce <- function(values, offsets, op = c("sum", "min", "max"), threads = NULL) {
  check_values(values)
  check_whole_type(offsets, "offsets")
  if (length(offsets) == 0) {
    abort_argument("offsets", "must have one element more than there are segments, and is ",
                   "empty.")
  }
  op <- check_op(op)
  answer <- .Call(ffi_segment_reduce, values, offsets, op, run_threads(threads))
  if (!is.null(answer$fault)) abort_offsets(answer, offsets, length(values))
  answer_value(answer)
}

#' @rdname segment_reduce
#' @export
reduce_by_key <- function(keys, values, op = c("sum", "min", "max"), threads = NULL) {
  check_given(keys, "keys", "an atomic vector or a factor")
  if (!is.atomic(keys) || is.null(keys)) {
    abort_argument("keys", "must be an atomic vector or a factor, not ", describe(keys), ".")
  }
  check_values(values)
  check_as_long(values, "values", keys, "keys")
  op <- check_op(op)
  compared <- if (is.character(keys)) match(keys, unique(keys)) else keys
  runs <- answer_value(.Call(ffi_reduce_by_key, compared, values, op, run_threads(threads)))
  # Runs have no names and dimensions; the class stays.
  keys <- if (is.null(dim(keys))) unname(keys) else as.vector(keys)
  first <- runs$start[-length(runs$start)]
  data.frame(key = keys[first], count = diff(runs$start), value = runs$value)
}

abort_offsets <- function(answer, offsets, n) {
  k <- answer$fault[1]
  element <- format(offsets[k], digits = 15)
  abort_argument("offsets", switch(answer$what,
    number = sprintf("must be whole numbers of at least 0: element %.0f is %s.", k, element),
    first = paste0("must begin with 0, not with ", element, "."),
    order = sprintf(
      "must not decrease: element %.0f is %s, after %s.", k, element,
      format(offsets[k - 1], digits = 15)
    ),
    last = sprintf("must end with the number of values, %.0f, not with %s.", n, element)
  ))
}

#' Expand and move intervals of a vector
#'
#' @description
#' `interval_expand()` repeats each value as many times as its count says. `interval_move()`
#' copies many intervals of a vector at once: gathers them from anywhere, scatters them to
#' anywhere, or both.
#'
#' The work is shared out to the threads by elements and not by intervals: one long interval
#' among many short ones keeps all of them busy.
#'
#' @details
#' `interval_expand(values, counts)` gives the same as `rep(values, counts)`.
#'
#' In `interval_move()`, interval `i` has `counts[i]` elements, which go from
#' `x[from[i]]` and the following to `to[i]` and the following. Without `from`, the intervals
#' lie one after the other in `x`, from its beginning; without `to`, they are written one
#' after the other. Intervals may be read more than once, but no two may be written to the
#' same place. Where none is written, the result is `NA` (`NULL` in a list, 0 in a raw
#' vector), or has what `into` has there.
#'
#' Logical, integer, double, complex and raw vectors without attributes are copied by
#' several threads. Other vectors, such as characters, factors, dates, lists and vectors with
#' names, are subset by an index made in this way, and keep what `[` keeps.
#'
#' @param values,x A vector.
#' @param counts Whole numbers of at least 0: how often to repeat each element of `values`,
#'   and as many; or how many elements each interval has.
#' @param from,to Where the intervals begin in `x` and in the result, counted from 1: whole
#'   numbers, as many as `counts`. `NULL` for one after the other.
#' @param into `NULL`, or a vector of the type of `x`: the intervals are written into a copy
#'   of it.
#' @param threads The number of threads; see [pcfdist_options] for the default.
#'
#' @return `interval_expand()`: a vector of the type of `values`, of the length
#'   `sum(counts)`. `interval_move()`: a vector of the type of `x`, just long enough for all
#'   intervals, or as long as `into`.
#'
#' @inheritSection segment_reduce Errors
#'
#' @references
#' Baxter, S. (2013). Modern GPU. \url{https://moderngpu.github.io/intro.html}
#'
#' @seealso [segment_reduce()]
#'
#' @examples
#' interval_expand(c(10, 20, 30), c(2, 0, 3))
#'
#' x <- letters[1:8]
#' # Gather: elements 7 to 8, then 2 to 4.
#' interval_move(x, c(2, 3), from = c(7, 2))
#' # Scatter: the first two elements to 5 and 6, the next three to 1 to 3.
#' interval_move(x, c(2, 3), to = c(5, 1))
#' # Both, into a vector that is there.
#' interval_move(x, 2, from = 7, to = 3, into = LETTERS[1:5])
#' @export
interval_expand <- function(values, counts, threads = NULL) {
  check_vector(values, "values")
  check_given(counts, "counts", "a whole number for each interval")
  check_whole_type(counts, "counts")
  check_as_long(counts, "counts", values, "values")
  threads <- run_threads(threads)
  if (!is_plain(values)) {
    return(values[interval_expand(seq_along(values), counts, threads)])
  }
  answer <- .Call(ffi_interval_expand, values, counts, threads)
  if (!is.null(answer$fault)) abort_intervals(answer, list(counts = counts))
  answer_value(answer)
}

#' @rdname interval_expand
#' @export
interval_move <- function(x, counts, from = NULL, to = NULL, into = NULL, threads = NULL) {
  check_vector(x, "x")
  check_given(counts, "counts", "a whole number for each interval")
  check_whole_type(counts, "counts")
  check_starts(from, "from", counts)
  check_starts(to, "to", counts)
  if (!is.null(into) && typeof(into) != typeof(x)) {
    abort_argument("into", "must be of the type of `x`, ", typeof(x), ", and is ",
                   describe(into), ".")
  }
  threads <- run_threads(threads)
  if (!is_plain(x) || !is.null(into) && !is_plain(into)) {
    return(move_by_index(x, counts, from, to, into, threads))
  }
  sorted <- is.null(to) || isFALSE(is.unsorted(to))
  order <- if (!sorted) order(to)
  answer <- .Call(ffi_interval_move, x, list(counts, from, to, order), into, threads)
  if (!is.null(answer$fault)) {
    abort_intervals(answer, list(counts = counts, from = from, to = to), x, into)
  }
  answer_value(answer)
}

# For vectors that C does not copy: moves their indices.
move_by_index <- function(x, counts, from, to, into, threads) {
  index <- seq_along(x)
  if (is.null(into)) return(x[interval_move(index, counts, from, to, NULL, threads)])
  none <- rep(index[NA_integer_], length(into))
  index <- interval_move(index, counts, from, to, none, threads)
  written <- which(!is.na(index))
  into[written] <- x[index[written]]
  into
}

# Is this a vector that C copies, without attributes?
is_plain <- function(x) {
  is.null(attributes(x)) &&
    typeof(x) %in% c("logical", "integer", "double", "complex", "raw")
}

abort_intervals <- function(answer, intervals, x = NULL, into = NULL) {
  k <- answer$fault[1]
  what <- answer$what
  if (what == "overlap") {
    abort_argument("to", sprintf(
      "makes the intervals %.0f and %.0f overlap: %s, and %s.", answer$fault[2], k,
      place_of(intervals, answer$fault[2]), place_of(intervals, k)
    ))
  }
  if (what == "x" || what == "into") {
    length <- if (what == "x") length(x) else length(into)
    abort_argument(what, sprintf("has %.0f elements: the intervals need %.0f.", length, k))
  }
  abort_interval(what, k, intervals, if (what == "from") x else into)
}

# Raises the error for number k of `what`; `whole` is the vector that it should lie in.
abort_interval <- function(what, k, intervals, whole) {
  number <- intervals[[what]][k]
  element <- format(number, digits = 15)
  least <- if (what == "counts") 0 else 1
  if (is.na(number) || number < least || number != round(number)) {
    abort_argument(what, sprintf(
      "must be whole numbers of at least %d: element %.0f is %s.", least, k, element
    ))
  }
  if (what == "counts") {
    abort_argument("counts", sprintf(
      "must add up to at most 2^52: element %.0f, %s, leads past it.", k, element
    ))
  }
  name <- if (what == "from") "`x`" else "`into`"
  abort_argument(what, sprintf(
    "leads out of %s: interval %.0f begins at %s and has %.0f elements, and %s has %.0f.",
    name, k, element, intervals$counts[k], name, length(whole)
  ))
}

# "3 to 5" for the elements that an interval is written to.
place_of <- function(intervals, k) {
  first <- intervals$to[k]
  sprintf("%.0f to %.0f", first, first + intervals$counts[k] - 1)
}
