# Step functions from vectors of times and values.

#' Create Piecewise Constant Functions
#'
#' @description
#' `pcf()` creates a collection of piecewise constant functions (PCFs) from their breakpoints. [as_pcf()]
#' converts other objects, such as step functions, Kaplan-Meier curves and time series.
#'
#' A function with the times \eqn{t_1 < \dots < t_m} and the values \eqn{v_1, \dots, v_m} is 0 before
#' \eqn{t_1}, has the value \eqn{v_k} on \eqn{[t_k, t_{k+1})}, and the value \eqn{v_m} from \eqn{t_m} on,
#' forever. It is continuous from the right. The zero function is `pcf(0, 0)`.
#'
#' A value of `NA` means that the function is not observed there. If the first time is `-Inf`, the function
#' has its first value, which may also be `NA`, and not 0, before the second time. For example,
#' `pcf(c(-Inf, 0, 5), c(1, 0.5, NA))` is 1 before 0, 0.5 on \eqn{[0, 5)}, and not observed from 5 on.
#'
#' @details
#' A `pcf` is a list with the class `"pcf"`. Each element is one function: a double matrix with the
#' columns `time` and `value`. `unclass(x)` returns the list of these matrices. A single function is a
#' `pcf` of length 1. The functions may have names, and `dim(x) <- ` turns a collection into an array of
#' functions.
#'
#' A `pcf` can be a column of a data frame, with one function in each row:
#' `data.frame(id = 1:3, f = x)`, `df$f <- x`, `tibble::tibble(id = 1:3, f = x)`. To convert functions to
#' a data frame with one row for each breakpoint, use [as.data.frame(x)][as.data.frame.pcf].
#'
#' @param times The breakpoints: a numeric vector for one function, or a list of numeric vectors, one for
#'   each function. If `values` is a list, one vector of times is used for all functions. The times of a
#'   function must be strictly increasing and finite; the first time of a `pcf` may also be `-Inf`. Dates,
#'   date-times and time differences are kept as such; see [time_unit()].
#' @param values The values at the breakpoints (of a `pcf`, from each breakpoint on): a numeric vector, or a
#'   list of numeric vectors, each as long as the times of its function. Values must be finite, or `NA`
#'   where the function is not observed. If two lists of these arguments have names, they are matched by name,
#'   in the order of the first; names that do not match raise an error.
#' @param x Any object.
#'
#' @return `pcf()`: a `pcf` with the names and dimensions of `values` or, if it has none, of `times`. Lists with
#'   dimensions must have the same ones, and dimnames that do not differ.
#'   `is_pcf()`: `TRUE` or `FALSE`.
#'
#' @section Errors:
#' An error of class `pcfdist_error_times` or `pcfdist_error_values` is raised if times are missing,
#' infinite, unsorted or repeated, if values are infinite or `NaN`, if a function has no breakpoints, or if
#' times and values differ in length or have names that do not match. The message names the function and the
#' position; the condition has them in the fields `index` and `position`, unless lengths or names differ.
#'
#' @seealso [as_pcf()], [time_unit()], [pcf-methods], [plot.pcf()], [as.data.frame.pcf()]; [pdist()] for
#'   distances; [pcf-algebra], [reductions], [evaluate()] and [lp_norm()] for computations with functions
#'
#' @examples
#' # One function: 1 on [0, 2), 3 on [2, 5), 0 afterwards.
#' f <- pcf(c(0, 2, 5), c(1, 3, 0))
#' f
#'
#' # Two functions.
#' x <- pcf(
#'   times = list(a = c(0, 2, 5), b = c(1, 4)),
#'   values = list(c(1, 3, 0), c(2, 0))
#' )
#' x
#' x["b"]
#'
#' # Three functions with the same breakpoints.
#' pcf(1:3, list(c(1, 2, 0), c(4, 5, 0), c(7, 8, 0)))
#' @export
pcf <- function(times, values) {
  check_given(times, "times", "the breakpoints, in increasing order")
  check_given(values, "values", "the values from each of the `times` on")
  read <- read_breakpoints(times, values)
  functions <- with_shape(bind_columns(read$times, read$values), read$shape)
  check_functions(new_pcf(functions, read$unit), c("times", "values"))
}

# Reads the arguments of pcf() and plf(): lists of times and of values with an element for each function,
# the unit of the times, and the names and dimensions of the collection.
read_breakpoints <- function(times, values) {
  times <- plain_list(without_parts(times))
  values <- plain_list(without_parts(values))
  if (is.list(times) && is.list(values)) values <- match_lists(values, "values", times, "times")
  shape <- if (is.list(values)) shape_of(values)
  if (length(shape) == 0 && is.list(times)) shape <- shape_of(times)
  if (!is.null(shape$dim) && is.list(times)) shape$dimnames <- shape$dimnames %||% dimnames(times)
  if (!is.list(values)) values <- list(values)
  if (!is.list(times)) times <- rep(list(times), length(values))
  check_lengths(times, values)
  read <- read_times(number_list(times, "times"))
  list(times = read$times, values = plain_values(values), unit = read$unit, shape = shape)
}

plain_values <- function(values, argument = "values") {
  number_list(values, argument)
  for (i in which(vapply(values, is.object, NA))) {
    check_plain_values(values[[i]], argument, "is invalid: ", function_label(i, values), " has ")
  }
  values
}

# Checks that all elements of a list hold numbers, so that as.double() can convert them.
number_list <- function(x, argument) {
  i <- which(!vapply(x, is_number, NA))[1]
  if (is.na(i)) return(x)
  abort_argument(
    argument, "is invalid: ", function_label(i, x), " has ", describe(x[[i]]), " where numbers are needed.",
    text_hint(x[[i]], argument, may_be_times = !argument %in% c("values", "left", "weights"))
  )
}

# Functions from a list of times and a list of values of the same lengths.
bind_columns <- function(times, values) {
  bind <- function(i) .mapply(new_function, list(times[i], values[i]), NULL)
  if (length(times) <= 1e4) return(bind(seq_along(times)))
  unlist(lapply_drawn(runs_of(length(times), 1e4), bind), recursive = FALSE)
}

check_lengths <- function(times, values, arguments = c("times", "values")) {
  check_as_long(values, arguments[2], times, arguments[1], "a list as long as")
  i <- which(lengths(times) != lengths(values))[1]
  if (is.na(i)) return()
  label <- function_label(i, if (is.null(names(values))) times else values)
  what <- sub("left", "left limits", arguments)
  abort_argument(
    arguments[2], "is invalid: ", label, " has ", what[1], " and ", what[2],
    " of different lengths, ", length(times[[i]]), " and ", length(values[[i]]), "."
  )
}
