#' Convert piecewise constant functions to other objects
#'
#' @param x A [pcf] or, but for `as.stepfun()`, a [plf].
#' @param ... Not used.
#' @param times Numeric vector, or times of the unit of the functions (see [time_unit()]): where
#'   to evaluate them. The times need not be sorted. `-Inf` and `Inf` are allowed.
#' @param row.names As in [as.data.frame()].
#' @param optional `FALSE` for the long form. `TRUE` for one column, without a name: this is
#'   how [data.frame()] asks, so that `data.frame(id = 1:2, f = x)` has a function in each row.
#'
#' @return
#' * `as.stepfun()`: a [stats::stepfun()], continuous from the right. `x` must be one
#'   function. `lapply(x, as.stepfun)` converts many. Its knots are plain numbers in the
#'   [time_unit()] of `x`. Its leftmost value is 0 or, where the first time is `-Inf`, the
#'   first value.
#' * `as.list()`: a list with the same names, each element a collection of length 1. This
#'   is also what the function in `lapply(x, FUN)` is given. For the bare
#'   two-column matrices, use `unclass(x)`.
#' * `as.matrix()`: a matrix of the values, `NA` where they are not observed, with one row for each function and one
#'   column for each of the `times`. The row names are the names of `x`. It can be
#'   turned back with `as_pcf(m, times = times, before = 0)` if the times increase and the functions
#'   are 0 before the first of them. [evaluate()] keeps
#'   the dimensions of an array of functions. Without `times`, a matrix of functions stays as
#'   it is, which is what [apply()] needs.
#' * `as.data.frame()`: a data frame in long form, with one row for each breakpoint
#'   and the columns `id` (the name of the function, or its index if `x` has no
#'   names), `time` (of the class that [time_unit()] tells) and `value`; of a `plf` also `left`. If the names differ,
#'   `as_pcf(d, before = 0)` turns it back: functions are 0 before their first breakpoint, unless
#'   its time is `-Inf`. With
#'   `optional = TRUE`, as from `data.frame(id = 1:2, f = x)`: a data frame with one row for
#'   each function. Names that differ become the row names. [cbind()] and [transform()] of
#'   data frames do the same. An array of functions must be made a plain collection
#'   first, with `c(x)`.
#'
#' @seealso [as_pcf()] for the way back, [evaluate()]
#'
#' @examples
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
#' as.matrix(x, times = 0:5)
#' as.data.frame(x)
#' data.frame(group = c("u", "v"), f = x)
#' as.stepfun(x["a"])
#' lapply(x, as.stepfun)
#' @name as.data.frame.pcf
NULL

#' @rdname as.data.frame.pcf
#' @importFrom stats as.stepfun
#' @export
as.stepfun.pcf <- function(x, ...) {
  x <- check_pcf(x)
  if (length(x) != 1) {
    abort_argument(
      "x", "must be one function, and holds ", length(x),
      ". lapply(x, as.stepfun) converts each."
    )
  }
  f <- from_the_start(.subset2(check_functions(x), 1))
  # A step function has at least one step.
  if (nrow(f) == 1) f <- rbind(f, c(0, f[1, 2]))
  step_function(f[-1, 1], f[, 2])
}

# stepfun() leaves out the steps to NA, so these are put into the function that it makes.
step_function <- function(times, values) {
  step <- stats::stepfun(times, replace(values, is.na(values), 0))
  ends <- list(yleft = values[1], y = values[-1], yright = values[length(values)])
  list2env(ends, environment(step))
  step
}

#' @rdname as.data.frame.pcf
#' @export
as.list.pcf <- function(x, ...) {
  x <- check_either(x)
  functions <- unclass(x)
  attr(functions, "time_unit") <- NULL
  lapply(functions, function(f) like(x, list(f)))
}

#' @rdname as.data.frame.pcf
#' @export
as.matrix.pcf <- function(x, times, ...) {
  x <- check_either(x)
  if (missing(times) && length(dim(x)) == 2) return(x)
  times <- check_times(times, unit_of(x))
  shape <- list(
    dim = c(length(x), length(times)), dimnames = any_labels(list(names(x), names(times)))
  )
  evaluate_functions(x, times, shape, run_threads(NULL))
}

#' @rdname as.data.frame.pcf
#' @export
as.data.frame.pcf <- function(x, row.names = NULL, optional = FALSE, ...) {
  if (isTRUE(optional)) return(function_column(x, row.names))
  x <- check_fits_rows(check_functions(check_either(x)))
  columns <- flat_functions(x)
  names(columns)[1] <- "id"
  if (!is.null(names(x))) columns$id <- names(x)[columns$id]
  columns$time <- as_times(columns$time, unit_of(x))
  data.frame(columns, row.names = row.names)
}

# The long form, not a column for each function.
#' @exportS3Method data.table::as.data.table
as.data.table.pcf <- function(x, keep.rownames = FALSE, ...) {
  data.table::as.data.table(as.data.frame(x))
}

# One column without a name, as as.data.frame.vector() makes it; but the names of the functions
# stay.
function_column <- function(x, row.names) {
  x <- check_either(x)
  if (length(dim(x)) > 1) {
    abort_argument(
      "x", "is an array of functions, which is no column of a data frame. c(x) makes it plain."
    )
  }
  x <- c(x)
  named <- !is.null(names(x)) && all(nzchar(names(x))) && !anyDuplicated(names(x))
  row.names <- row.names %||% if (named) names(x) else .set_row_names(length(x))
  structure(list(x), row.names = row.names, class = "data.frame")
}
