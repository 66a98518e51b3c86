#' Evaluate functions at given times
#'
#' Computes the values of functions at given times. Functions are right-continuous: at a breakpoint they have
#' the value that begins there. Before the first breakpoint, step functions are 0 and piecewise linear
#' functions have their first left limit. Where a function is not observed, the value is `NA`, and so are all
#' values of functions that are missing as a whole ([is.na()][pcf-methods]).
#'
#' @details
#' The times are sorted once. For each function the cheapest method is chosen: a merge of breakpoints and
#' times, or a binary search for the less numerous of the two among the others. Threads share groups of
#' functions or, if there are few functions, of functions and times.
#'
#' On a GPU (`device = "cuda"`) every value is found by a search, and the results, which are bit for bit
#' the same, are returned in parts. The GPU holds all functions at once, with 16 bytes for each breakpoint,
#' or 24 for a [plf].
#'
#' @param x A collection of functions: a [pcf] or [plf] object, arrays of functions included.
#' @param times A vector of times at which to evaluate the functions: numbers or, for functions with a
#'   [time_unit()], times of this unit. They may be unsorted and repeated. `-Inf` gives the value before all
#'   times (0 for a step function, unless its first time is `-Inf`), and `Inf` the last value. `NA` is not
#'   allowed. The [time()][stats::time] of a series is compared with breakpoints up to rounding, as R compares
#'   times of series, and all other times exactly.
#' @param side `"right"` for the values, or `"left"` for the limits from the left, which differ from the
#'   values where a function jumps.
#'   With `each`, or as a list, they are those of each function.
#' @param drop If `FALSE`, the result has a dimension for the times even if there is only one.
#' @param each If `TRUE`, each function has its own times: `times` is a vector (for an array of functions also an array)
#'   with one time for each function, or a matrix with a row for each. They are matched by name if both have (row)
#'   names. If `times` is a list, which has a vector of any length for each function, `each` is not needed.
#' @param device `"cpu"`, `"cuda"` for the first GPU, or `"auto"` for the one that is expected to be
#'   faster. Functions that are [on_gpu()] are not copied there again.
#' @param threads The number of threads; see [pcfdist_options] for the default.
#'
#' @return At one time: a numeric vector with a value for each function, named like `x`; for an array of
#'   functions, a numeric array with its dimensions and dimnames.
#'
#'   At several times, or with `drop = FALSE`: an array with the dimensions `c(dim(x), length(times))`. For
#'   a plain collection, which has no dimensions, this is a matrix with a row for each function and a
#'   column for each time. The names of `x` and of `times` are its dimnames. [as.matrix()][as.matrix.pcf]
#'   returns a matrix for any collection.
#'
#'   At times of each function's own: numbers in the same shapes, as at one time if there is one for each function, and
#'   as at several if there is a row for each. For a list of times, a list of numeric vectors with the names and
#'   dimensions of `x`.
#'
#' @inheritSection pdist Errors
#'
#' @seealso [as_pcf()] to make functions from such a matrix; [integral()] and [lp_norm()] for a number for
#'   each function; [rectangles()] for the pieces of two functions
#'
#' @examples
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
#' evaluate(x, 0:5)
#' evaluate(x, 2)
#' evaluate(x, 2, drop = FALSE)
#' evaluate(x, c(start = -Inf, end = Inf))
#'
#' # Each function at its own time
#' evaluate(x, c(b = 4, a = 3), each = TRUE)
#' evaluate(x, list(a = 0:2, b = 1))
#'
#' # Survival after half a year and after a year
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   lung <- survival::lung
#'   curves <- survival::survfit(survival::Surv(time, status) ~ sex, lung)
#'   evaluate(as_pcf(curves), c(183, 365))
#' }
#' @export
evaluate <- function(x, times, drop = TRUE, side = c("right", "left"), each = FALSE, device = NULL,
                     threads = NULL) {
  x <- check_either(x)
  check_given(times, "times", "the times at which to evaluate the functions")
  times <- without_parts(times)
  if (check_flag(each, "each") || is.list(times) && !is.object(times)) {
    return(evaluate_each(x, times, check_flag(drop, "drop"), side, device, threads))
  }
  numbers <- check_times(times, unit_of(x))
  drop <- check_flag(drop, "drop")
  side <- check_option(side, "side", c("right", "left"))
  times <- if (is_time_of_series(times)) at_breakpoints(numbers, x, side, stats::deltat(times)) else numbers
  single <- drop && length(times) == 1
  shape <- if (single) shape_of(x) else outer_shape(x, c(times))
  threads <- run_threads(threads)
  gpu <- gpu_settings(device, threads)
  numbers_of_each(x, function(x, none) evaluate_functions(x, times, shape, threads, gpu, side))
}

# Values at times of each function's own.
evaluate_each <- function(x, times, drop, side, device, threads) {
  own <- own_times(x, times)
  side <- check_option(side, "side", c("right", "left"))
  threads <- run_threads(threads)
  gpu_settings(device, threads, "times of each function's own")
  of <- rep(seq_along(x), own$counts)
  kept <- which(!is.na(x), useNames = FALSE)
  there <- which(of %in% kept)
  answer <- .Call(
    ffi_evaluate_each, functions_at(x, kept), own$numbers[there], as.integer(own$counts[kept]), side == "left",
    threads
  )
  values <- replace(rep(NA_real_, length(of)), there, answer_value(answer_about(answer, kept), x = x))
  if (is_shaped_as(times, x)) dim(times) <- NULL
  if (is.list(times)) return(shaped_as(unname(split(values, factor(of, seq_along(x)))), x))
  if (!is.matrix(times) && drop) return(shaped_as(values, x))
  rows <- t(matrix(values, ncol = length(x)))
  columns <- if (is.matrix(times)) colnames(times)
  with_shape(as.vector(rows), outer_shape(x, stats::setNames(seq_len(ncol(rows)), columns)))
}

# The times of a series, those within rounding of a breakpoint replaced by it: the times of two series may differ
# even if one is a part of the other. Of several such breakpoints it is the last one or, for limits from the left,
# the first one.
at_breakpoints <- function(times, x, side, period) {
  sign <- if (side == "left") -1 else 1
  eps <- getOption("ts.eps") * period
  breakpoints <- all_times(x)
  breakpoints <- c(-Inf, sort(sign * breakpoints[!is_next_time(breakpoints)]))
  last <- breakpoints[findInterval(sign * times + eps, breakpoints)]
  near <- which(last >= sign * times - eps)
  replace(times, near, sign * last[near])
}

# The values, one row for each function, with the attributes in the list `shape`; `settings` come
# from gpu_settings().
evaluate_functions <- function(x, times, shape, threads, settings = NULL, side = "right") {
  times <- as.double(times)
  columns <- if (is.unsorted(times)) order(times)
  if (!is.null(columns)) times <- times[columns]
  answer <- .Call(ffi_evaluate, x, times, columns, side == "left", threads, shape, settings)
  answer_value(answer, x = x)
}

# Calls work(values, k) for successive groups of times[k], with a matrix of the values of all functions at
# these times, or of the limits from the left: about a million values in each call. Times are numbers and
# may be -Inf.
over_times <- function(x, times, work, side = "right") {
  threads <- run_threads(NULL)
  lapply_drawn(runs_of(length(times), max(1, 1e6 %/% length(x))), function(k) {
    shape <- list(dim = c(length(x), length(k)))
    work(evaluate_functions(x, times[k], shape, threads, side = side), k)
  })
}
