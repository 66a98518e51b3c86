#' Create Piecewise Linear Functions
#'
#' @description
#' `plf()` creates a collection of piecewise linear functions from their breakpoints. [as_plf()] converts
#' other objects, such as measurements, which are joined by straight lines.
#'
#' A function with the times \eqn{t_1 < \dots < t_m}, the values \eqn{v_1, \dots, v_m} and the left
#' limits \eqn{l_1, \dots, l_m} is \eqn{l_1} before \eqn{t_1}, the straight line from \eqn{v_k} to
#' \eqn{l_{k+1}} on \eqn{[t_k, t_{k+1})}, and \eqn{v_m} from \eqn{t_m} on, forever. It is continuous
#' from the right, and jumps where \eqn{l_k} and \eqn{v_k} differ. The zero function is `plf(0, 0)`.
#'
#' If \eqn{v_k} and \eqn{l_{k+1}} are `NA`, the function is not observed between \eqn{t_k} and
#' \eqn{t_{k+1}}; if \eqn{l_1} is `NA`, it is not observed before \eqn{t_1}, and if \eqn{v_m} is `NA`, not
#' after \eqn{t_m}.
#'
#' @details
#' A `plf` is a list with the classes `"plf"` and `"pcf"`. Each element is one function: a double matrix
#' with the columns `time`, `left` and `value`. Like a [pcf], it can be printed, indexed, named, given
#' dimensions, combined by `c()`, stored in columns of data frames and tibbles, converted by
#' `as.data.frame()`, written by [write_npy()], and have a [time_unit()]. If a `pcf` and a `plf` are
#' combined by `c()`, or one is assigned to elements of the other, the result is a `plf`. Functions that
#' need a `pcf` raise an error that says so.
#'
#' When printed, a breakpoint is `(time, value)`, or `(time, left | value)` if the function jumps.
#'
#' @inheritParams pcf
#' @param left The left limits at the breakpoints, in the same form as `values`. By default (`NULL`) the
#'   functions are continuous, except at the first breakpoint, before which they are 0. They are then not
#'   observed on both sides of a value that is `NA`, up to the neighbouring breakpoints.
#'
#' @return `plf()`: a `plf` with the names and dimensions of `values` or, if it has none, of `times`.
#'   `is_plf()`: `TRUE` or `FALSE`.
#'
#' @section Errors:
#' An error of class `pcfdist_error_times`, `pcfdist_error_values` or `pcfdist_error_left` is raised if
#' * times are missing, infinite, unsorted or repeated (a jump has one time, with different `left` and
#'   value);
#' * values or left limits are infinite or `NaN`, or `NA` at only one end of a line;
#' * twice the slope of a line, or the difference of its times, is too large for a double;
#' * a function has no breakpoints, vectors differ in length, or the names of lists do not match.
#'
#' The message names the function and the position; the condition has them in the fields `index` and
#' `position`, unless lengths or names differ.
#'
#' @seealso [as_plf()]; [cumulative()] for integrals of step functions; [pcf()] for step functions
#'
#' @examples
#' # A triangle, and a function that jumps from 1 to 3.
#' x <- plf(list(a = 0:2, b = c(0, 1, 3)), list(c(0, 1, 0), c(0, 3, 0)),
#'   left = list(c(0, 1, 0), c(0, 1, 0))
#' )
#' x
#'
#' # Not observed between 1 and 3
#' plf(0:4, c(0, 1, NA, 2, 0))
#' @export
plf <- function(times, values, left = NULL) {
  check_given(times, "times", "the breakpoints, in increasing order")
  check_given(values, "values", "the values at the `times`")
  read <- read_breakpoints(times, values)
  if (is.null(left)) return(joined_functions(read))
  left <- if (is.list(left)) match_left(left, without_parts(times), without_parts(values)) else list(left)
  check_lengths(read$values, left, c("values", "left"))
  functions <- .mapply(new_line, list(read$times, plain_values(left, "left"), read$values), NULL)
  check_functions(new_plf(with_shape(functions, read$shape), read$unit), c("times", "values", "left"))
}

# Left limits in the order of the names of the times or, if these have none, of the values.
match_left <- function(left, times, values) {
  if (is.list(times)) check_same_dimensions(left, "left", times, "times")
  other <- if (is.list(times) && !is.null(names(times))) "times" else if (is.list(values)) "values"
  if (is.null(other)) left else match_lists(left, "left", get(other), other)
}

# Continuous functions through the values that read_breakpoints() has read. They are 0 before the first
# breakpoint, and constant after the last.
joined_functions <- function(read) {
  arguments <- c("times", "values")
  steps <- new_pcf(with_shape(bind_columns(read$times, read$values), read$shape), read$unit)
  problem <- .Call(ffi_validate, steps)
  if (!is.null(problem)) abort_function(problem, steps, arguments, columns = 3)
  joined <- lapply(unclass(steps), join_values, 0)
  check_functions(replace_functions(new_plf(steps, read$unit), joined), arguments)
}

# Lines that join the values of a step function, which is a matrix.
join_values <- function(f, before) {
  m <- nrow(f)
  values <- f[, 2]
  broken <- which(is.na(values[-m]) | is.na(values[-1]))
  left <- c(before, values[-1])
  left[broken + 1] <- NA
  values[broken] <- NA
  new_line(f[, 1], left, values)
}
