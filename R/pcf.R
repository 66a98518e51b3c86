#' Collections of piecewise constant functions
#'
#' @description
#' `pcf()` makes a collection of piecewise constant functions (PCFs) from their
#' breakpoints. [as_pcf()] converts other objects, such as step functions,
#' Kaplan-Meier curves and time series.
#'
#' A function with the times \eqn{t_1 < \dots < t_m} and the values
#' \eqn{v_1, \dots, v_m} is 0 before \eqn{t_1}, has the value \eqn{v_k} on
#' \eqn{[t_k, t_{k+1})}, and the value \eqn{v_m} from \eqn{t_m} on, forever. It is
#' continuous from the right. The zero function is `pcf(0, 0)`.
#'
#' @details
#' A `pcf` is a list with the class `c("pcf", "list")`. Each element is one
#' function: a matrix of doubles with the columns `time` and `value`. `unclass(x)`
#' gives these matrices. A single function is a `pcf` of length 1. The functions may
#' have names, and `dim(x) <- ` turns a collection into an array of functions.
#'
#' A `pcf` can be a column of a data frame: `df$f <- x`, or
#' `data.frame(id = 1:3, f = I(x))`. It can be a column of a tibble as it is:
#' `tibble::tibble(id = 1:3, f = x)`.
#'
#' @param times The breakpoints: a numeric vector for one function, or a list of
#'   numeric vectors, one for each function. With a list of `values`, one vector of
#'   times serves all functions. The times of a function must be finite and strictly
#'   increasing, in any unit. Dates count as days, date-times as seconds.
#' @param values The values from each breakpoint on: a numeric vector, or a list of
#'   numeric vectors, each as long as the times of its function. Values must be
#'   finite.
#' @param x Any object.
#'
#' @return `pcf()`: a `pcf` with the names and dimensions of `values` or, if it has
#'   none, of `times`. `is_pcf()`: `TRUE` or `FALSE`.
#'
#' @section Errors:
#' Missing, infinite, unsorted or repeated times, missing or infinite values,
#' functions without breakpoints, and times and values of different lengths are
#' errors of the class `pcfdist_error_times` or `pcfdist_error_values`. The message
#' names the function and the position; the condition has them in the fields `index`
#' and `position`, except where lengths differ.
#'
#' @seealso [as_pcf()], [pcf-methods], [plot.pcf()], [as.data.frame.pcf()]; [pdist()] for
#'   distances; [pcf-algebra], [reductions], [evaluate()] and [lp_norm()] to compute with
#'   functions
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
  shape <- if (is.list(values)) shape_of(values)
  if (length(shape) == 0 && is.list(times)) shape <- shape_of(times)
  if (!is.list(values)) values <- list(values)
  if (!is.list(times)) times <- rep(list(times), length(values))
  check_lengths(times, values)
  functions <- bind_columns(number_list(times, "times"), number_list(values, "values"))
  attributes(functions) <- shape
  check_functions(new_pcf(functions), c("times", "values"))
}

#' @rdname pcf
#' @export
is_pcf <- function(x) {
  inherits(x, "pcf") && is.list(x)
}

# The class goes on a list of valid functions, which keeps its names and dim.
new_pcf <- function(functions = list()) {
  class(functions) <- c("pcf", "list")
  functions
}

# One function: a double matrix with the columns time and value.
new_function <- function(times, values) {
  columns <- c(as.double(times), as.double(values))
  dim(columns) <- c(length(times), 2L)
  dimnames(columns) <- function_dimnames
  columns
}

function_dimnames <- list(NULL, c("time", "value"))

# Functions from a list of times and a list of values of the same lengths.
bind_columns <- function(times, values) {
  .mapply(new_function, list(times, values), NULL)
}

# Returns `x` if all its functions are valid; otherwise raises the error of the
# first that is not. `argument` is the name of the user's argument, or two names:
# of the one with the times and of the one with the values.
check_functions <- function(x, argument = "x", hint = "") {
  problem <- .Call(ffi_validate, x)
  if (!is.null(problem)) abort_function(problem, x, argument, hint)
  x
}

# Raises the error for a problem that ffi_validate found: a list of function,
# position and problem. `hint` is added to the message about unsorted times.
abort_function <- function(problem, x, argument = "x", hint = "") {
  about_values <- startsWith(problem$problem, "values")
  argument <- argument[[if (about_values) length(argument) else 1L]]
  label <- function_label(problem$`function`, x)
  message <- describe_problem(problem, .subset2(x, problem$`function`), hint)
  abort(
    argument, paste0("`", argument, "` is invalid: ", label, " ", message),
    argument = argument, index = problem$`function`, position = problem$position
  )
}

describe_problem <- function(problem, f, hint) {
  k <- problem$position
  entry <- function(column, row = k) format(f[row, column], digits = 15)
  switch(problem$problem,
    matrix = paste0(
      "is ", describe_table(f),
      ", and not a double matrix with the columns time and value."
    ),
    empty = "has no breakpoints. The zero function is pcf(0, 0).",
    times_missing = sprintf("has a missing time (%s) at position %.0f.", entry(1), k),
    times_infinite = sprintf("has an infinite time (%s) at position %.0f.", entry(1), k),
    times_unsorted = sprintf(
      "has the time %s at position %.0f, after %s. Times must increase.%s",
      entry(1), k, entry(1, k - 1), hint
    ),
    times_repeated = sprintf(
      "has the time %s twice, at the positions %.0f and %.0f.", entry(1), k - 1, k
    ),
    values_missing = sprintf("has a missing value (%s) at position %.0f.", entry(2), k),
    values_infinite = sprintf(
      "has an infinite value (%s) at position %.0f.", entry(2), k
    )
  )
}

# 'function 2 ("b")', or 'the function' where there is one without a name.
function_label <- function(i, x) {
  name <- names(x)[i]
  named <- !is.null(name) && !is.na(name) && nzchar(name)
  if (length(x) == 1 && !named) return("the function")
  paste0(sprintf("function %.0f", i), if (named) paste0(" (", dQuote(name, FALSE), ")"))
}

check_lengths <- function(times, values) {
  if (length(times) != length(values)) {
    abort_argument(
      "values", "must be a list as long as `times`: it has the length ", length(values),
      ", and `times` has ", length(times), "."
    )
  }
  unequal <- which(lengths(times) != lengths(values))
  if (length(unequal) == 0) return()
  i <- unequal[1]
  label <- function_label(i, if (is.null(names(values))) times else values)
  abort_argument(
    "values", "is invalid: ", label, " has times and values of different lengths, ",
    length(times[[i]]), " and ", length(values[[i]]), "."
  )
}

# Checks that all elements of a list hold numbers, which as.double() then takes.
number_list <- function(x, argument) {
  wrong <- which(!vapply(x, is_number, NA))
  if (length(wrong) == 0) return(x)
  i <- wrong[1]
  abort_argument(
    argument, "is invalid: ", function_label(i, x), " has ", describe(x[[i]]),
    " where numbers are needed."
  )
}

is_number <- function(x) {
  is.numeric(x) || is.logical(x) || is.null(x) ||
    inherits(x, c("Date", "POSIXct", "difftime"))
}

shape_of <- function(x) {
  all <- attributes(x)
  all[names(all) %in% c("names", "dim", "dimnames")]
}
