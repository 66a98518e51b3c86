#' Reduce Segments and Runs of a Vector
#'
#' @description
#' `segment_reduce()` reduces each segment of a vector to its sum, minimum or maximum. Segments may have
#' any lengths, including 0. `reduce_by_key()` does the same for each run of equal consecutive keys.
#'
#' Work is divided among threads by elements, not by segments: one segment of ten million elements among a
#' million segments of three keeps all threads busy. The results do not depend on the number of threads.
#'
#' @details
#' Segments are given as in compressed sparse row matrices: segment `i` has the elements
#' `offsets[i] + 1` to `offsets[i + 1]`, so that there is one offset more than there are segments. If
#' lengths are known, the offsets are `c(0, cumsum(lengths))`; if starts counted from 0 are known, they are
#' `c(starts, length(values))`. The slot `p` of a `dgCMatrix` of the package Matrix contains the offsets of
#' its columns.
#'
#' Results are doubles, so that sums of integers do not overflow; they are exact up to
#' \eqn{2^{53}}{2^53}. A segment with a missing value gives `NA`, or `NaN` if it has a `NaN` but no `NA`. An
#' empty segment has the sum 0, the minimum `Inf` and the maximum `-Inf`. Doubles are added in an order
#' that depends only on the segment.
#'
#' In `reduce_by_key()` two keys are equal if both are missing, or if they are equal as numbers or strings.
#' If the same key occurs again after another one, it begins a new run. To group all equal keys, sort keys
#' and values by the keys first.
#'
#' @param values A double, integer or logical vector.
#' @param offsets Non-decreasing whole numbers from 0 to `length(values)`, integers or doubles: the
#'   cumulative lengths of the segments.
#' @param op The reduction: `"sum"`, `"min"` or `"max"`.
#' @param keys An atomic vector or factor of the same length as `values`.
#' @param threads The number of threads; see [pcfdist_options] for the default.
#'
#' @return `segment_reduce()`: a double vector with one element for each segment.
#'
#'   `reduce_by_key()`: a data frame with one row for each run and the columns `key`, `count` (the length
#'   of the run) and `value`.
#'
#' @section Errors:
#' Arguments of the wrong type, length or range raise an error of class `pcfdist_error_<argument>`. The
#' message names the first invalid element.
#'
#' @references
#' Blelloch, G. E., Heroux, M. A. and Zagha, M. (1993). Segmented operations for sparse
#' matrix computation on vector multiprocessors. Technical report CMU-CS-93-173, Carnegie
#' Mellon University.
#'
#' @seealso [interval_expand()], [interval_move()]
#'
#' @examples
#' # Segments of 2, 0 and 3 elements
#' segment_reduce(1:5, c(0, 2, 2, 5))
#' segment_reduce(1:5, c(0, 2, 2, 5), "max")
#'
#' reduce_by_key(c("a", "a", "b", "a"), 1:4)
#'
#' # Reduce all values with the same key
#' key <- c("b", "a", "b", "a")
#' value <- 1:4
#' reduce_by_key(key[order(key)], value[order(key)])
#' @export
segment_reduce <- function(values, offsets, op = c("sum", "min", "max"), threads = NULL) {
  values <- check_values(values)
  check_whole_type(offsets, "offsets")
  if (length(offsets) == 0) {
    abort_argument("offsets", "must have one element more than there are segments, and must not be ",
                   "empty.")
  }
  op <- check_option(op, "op", c("sum", "min", "max"))
  answer <- .Call(ffi_segment_reduce, values, offsets, op, run_threads(threads))
  if (!is.null(answer$fault)) abort_offsets(answer, offsets, length(values))
  answer_value(answer)
}

#' @rdname segment_reduce
#' @export
reduce_by_key <- function(keys, values, op = c("sum", "min", "max"), threads = NULL) {
  check_kind(is.atomic(keys) && !is.null(keys), keys, "keys", "an atomic vector or a factor")
  values <- check_values(values)
  check_as_long(values, "values", keys, "keys")
  op <- check_option(op, "op", c("sum", "min", "max"))
  compared <- without_integer64(keys, "keys", as.character)
  if (is.character(compared)) compared <- match(compared, unique(compared))
  runs <- answer_value(.Call(ffi_reduce_by_key, compared, values, op, run_threads(threads)))
  # Names and dimensions do not apply to runs; the class is kept.
  keys <- if (is.null(dim_of(keys))) unname(keys) else as.vector(keys)
  first <- runs$start[-length(runs$start)]
  data.frame(key = keys[first], count = diff(runs$start), value = runs$value)
}

abort_offsets <- function(answer, offsets, n) {
  k <- answer$fault[1]
  element <- exact_text(offsets[k])
  abort_argument("offsets", switch(answer$what,
    number = sprintf("must be whole numbers of at least 0: element %.0f is %s.", k, element),
    first = paste0("must begin with 0, not with ", element, "."),
    order = sprintf(
      "must not decrease: element %.0f is %s, after %s.", k, element, exact_text(offsets[k - 1])
    ),
    last = sprintf("must end with the number of values, %.0f, not with %s.", n, element)
  ))
}

#' Expand and Move Intervals of a Vector
#'
#' @description
#' `interval_expand()` repeats each value a given number of times. `interval_move()` copies many intervals
#' of a vector at once: it gathers them from any positions, scatters them to any positions, or both.
#'
#' Work is divided among threads by elements, not by intervals: one long interval among many short ones
#' keeps all threads busy.
#'
#' @details
#' `interval_expand(values, counts)` is equivalent to `rep(values, counts)`.
#'
#' In `interval_move()`, interval `i` has `counts[i]` elements, which are copied from position `from[i]` of
#' `x` on to position `to[i]` of the result on. Without `from`, the intervals are adjacent in `x`, from its
#' beginning; without `to`, they are adjacent in the result. Intervals may overlap in `x`, but not in the
#' result. Elements of the result that are in no interval are `NA` (`NULL` in a list, 0 in a raw vector) or,
#' with `into`, keep the values of `into`.
#'
#' Logical, integer, double, complex and raw vectors without attributes are copied by several threads.
#' Other vectors, such as character vectors, factors, dates, lists and vectors with names, are subset by an
#' index that is computed in this way, and keep the attributes that `[` keeps.
#'
#' @param values,x A vector.
#' @param counts Whole numbers of at least 0. For `interval_expand()`, the number of times to repeat each
#'   element of `values`, of the same length; for `interval_move()`, the number of elements of each interval.
#' @param from,to The first positions of the intervals in `x` and in the result, counted from 1: whole
#'   numbers, of the same length as `counts`. `NULL` (the default) for adjacent intervals.
#' @param into `NULL`, or a vector of the type of `x`: the intervals are written into a copy of it.
#' @param threads The number of threads; see [pcfdist_options] for the default.
#'
#' @return `interval_expand()`: a vector of the type of `values` and the length `sum(counts)`.
#'   `interval_move()`: a vector of the type of `x`, as long as needed for all intervals, or as long as
#'   `into`.
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
#' # Gather: elements 7 to 8, then 2 to 4
#' interval_move(x, c(2, 3), from = c(7, 2))
#' # Scatter: the first two elements to 5 and 6, the next three to 1 to 3
#' interval_move(x, c(2, 3), to = c(5, 1))
#' # Both, into an existing vector
#' interval_move(x, 2, from = 7, to = 3, into = LETTERS[1:5])
#' @export
interval_expand <- function(values, counts, threads = NULL) {
  check_vector(values, "values")
  check_whole_type(counts, "counts", "a whole number for each interval")
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
  check_whole_type(counts, "counts", "a whole number for each interval")
  check_starts(from, "from", counts)
  check_starts(to, "to", counts)
  valid <- is.null(into) || type_of(into) == type_of(x)
  check_is(valid, into, "into", "must be of the same type as `x`, ", type_of(x), ", not ")
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

# For vectors that C does not copy: moves their indices, and subsets them.
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
  element <- intervals[[what]][k]
  least <- if (what == "counts") 0 else 1
  if (what %in% names(intervals) && !isTRUE(element >= least && element == round(element))) {
    wrong <- sprintf("element %.0f is %s.", k, exact_text(element))
    abort_argument(what, "must be whole numbers of at least ", least, ": ", wrong)
  }
  name <- if (what %in% c("x", "from")) "x" else "into"
  size <- length(if (name == "x") x else into)
  abort_argument(if (what == "overlap") "to" else what, switch(what,
    overlap = sprintf(
      "must not make intervals overlap: interval %.0f covers %s, and interval %.0f covers %s.", answer$fault[2],
      place_of(intervals, answer$fault[2]), k, place_of(intervals, k)
    ),
    counts = sprintf("must add up to at most 2^52, but exceed it at element %.0f, %s.", k, number(element)),
    x = ,
    into = sprintf("must have at least %.0f elements for these intervals, not %.0f.", k, size),
    sprintf(
      "must keep intervals within `%s`: interval %.0f begins at %s and has %.0f elements, but `%s` has %.0f.",
      name, k, number(element), intervals$counts[k], name, size
    )
  ))
}

# "3 to 5" for the elements that an interval is written to.
place_of <- function(intervals, k) {
  first <- intervals$to[k]
  sprintf("%.0f to %.0f", first, first + intervals$counts[k] - 1)
}
