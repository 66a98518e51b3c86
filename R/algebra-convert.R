#' Convert functions to other objects
#'
#' Methods that convert a [pcf] or [plf] to a step function of R, a list, a matrix or a data frame.
#'
#' @param x A [pcf] or, except for `as.stepfun()`, a [plf].
#' @param ... Not used.
#' @param times A vector of times at which to evaluate the functions: numbers, or times of the
#'   [time_unit()] of `x`, in any order. `-Inf` and `Inf` are allowed.
#' @param row.names As in [as.data.frame()].
#' @param optional `FALSE` for the long form, or `TRUE` for a single column of functions without a name,
#'   which [data.frame()] needs.
#'
#' @return
#' * `as.stepfun()`: a right-continuous [stats::stepfun()]. `x` must be one function; use
#'   `lapply(x, as.stepfun)` for several. Its knots are plain numbers in the [time_unit()] of `x`, and its
#'   leftmost value is 0 or, if the first time is `-Inf`, the first value.
#' * `as.list()`: a list with the same names whose elements are collections of length 1. `lapply(x, FUN)`
#'   passes these to `FUN`. For the underlying matrices, use `unclass(x)`.
#' * `as.matrix()`: a matrix of the values at the `times`, with a row for each function, named like `x`,
#'   and a column for each time; `NA` where a function is not observed. If the times increase and the
#'   functions are 0 before the first, `as_pcf(m, times = times, before = 0)` converts it back. [evaluate()]
#'   keeps the dimensions of an array of functions. Without `times`, a matrix of functions is returned
#'   unchanged, as [apply()] requires.
#' * `as.data.frame()`: a data frame in long form with a row for each breakpoint and the columns `id` (the
#'   name of the function, or its index if `x` has no names), `time` (of the class given by [time_unit()];
#'   months and quarters are numbers of years) and `value`, and for a `plf` also `left`. Where a function ends
#'   right after a measurement, there is a row for the time of the measurement, too, so that text of 15 digits,
#'   as from [write.csv()], has its value. If the names are distinct, `as_pcf(d, before = 0)` converts it back,
#'   also from text if times are plain numbers. A text of dates also has `-Inf`, the time before which nothing
#'   is observed, which [as.Date()] does not read: write `as.numeric(d$time)`, and set the [time_unit()]
#'   afterwards. With `optional = TRUE`, as in `data.frame(id = 1:2, f = x)`:
#'   a data frame with a row for each function, whose row names are the names of the functions if they are distinct.
#'   [cbind()] and [transform()] of data frames do the same. An array of functions must first be made a plain
#'   collection by `c(x)`.
#'
#' @seealso [as_pcf()] for the reverse, [evaluate()]
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
  x <- check_one_function(x, "x", hint = " Use lapply(x, as.stepfun) for several.")
  f <- from_the_start(.subset2(check_functions(x), 1))
  # A step function has at least one step.
  if (nrow(f) == 1) f <- rbind(f, c(0, f[1, 2]))
  step_function(f[-1, 1], f[, 2])
}

# stepfun() drops steps to NA, so these are put into the function that it returns.
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
  lapply(unclass(x), function(f) like(x, list(f)))
}

#' @rdname as.data.frame.pcf
#' @export
as.matrix.pcf <- function(x, times, ...) {
  x <- check_either(x)
  if (missing(times) && length(dim(x)) == 2) return(x)
  check_given(times, "times", paste(
    "the times at which the functions have the values of the matrix. Where R's functions need a matrix, give them",
    "as.matrix(x, times); instead of dist(x) and kmeans(x, k), use pdist(x) and k_means(x, k), which are exact"
  ))
  evaluate(if (is.null(dim(x))) x else c(x), times, drop = FALSE, device = "cpu")
}

#' @rdname as.data.frame.pcf
#' @export
as.data.frame.pcf <- function(x, row.names = NULL, optional = FALSE, ...) {
  if (isTRUE(optional)) return(function_column(x, row.names))
  x <- check_fits_rows(check_functions(check_either(x)))
  columns <- flat_functions(measured_to_the_end(x, 15))
  names(columns)[1] <- "id"
  if (!is.null(names(x))) columns$id <- names(x)[columns$id]
  columns$time <- as_times(columns$time, unit_of(x))
  tryCatch(data.frame(columns, row.names = row.names), error = function(error) {
    abort_argument("row.names", "cannot be used: ", conditionMessage(error), ".")
  })
}

# The long form, not a column for each function.
#' @exportS3Method data.table::as.data.table
as.data.table.pcf <- function(x, keep.rownames = FALSE, ...) {
  data.table::as.data.table(as.data.frame(x))
}

# One column without a name, as from as.data.frame.vector(), but the names of the functions
# stay.
function_column <- function(x, row.names) {
  x <- check_either(x)
  if (length(dim(x)) > 1) {
    abort_argument(
      "x", "is an array of functions, which cannot be a column of a data frame. Use c(x)."
    )
  }
  x <- c(x)
  named <- !is.null(names(x)) && all(nzchar(names(x))) && !anyDuplicated(names(x))
  row.names <- row.names %||% if (named) names(x) else .set_row_names(length(x))
  structure(list(x), row.names = row.names, class = "data.frame")
}
