#' Collections of piecewise linear functions
#'
#' @description
#' `plf()` makes a collection of piecewise linear functions from their breakpoints.
#'
#' A function with the times \eqn{t_1 < \dots < t_m}, the values \eqn{v_1, \dots, v_m} and the
#' left limits \eqn{l_1, \dots, l_m} is \eqn{l_1} before \eqn{t_1}, the straight line from
#' \eqn{v_k} to \eqn{l_{k+1}} on \eqn{[t_k, t_{k+1})}, and \eqn{v_m} from \eqn{t_m} on, forever.
#' It is continuous from the right, and jumps where \eqn{l_k} and \eqn{v_k} differ.
#'
#' Where \eqn{v_k} and \eqn{l_{k+1}} are `NA` the function is not observed between these times.
#'
#' @details
#' A `plf` is a list with the classes `"plf"` and `"pcf"`, whose methods it shares. Each element is
#' one function: a matrix of doubles with the columns `time`, `left` and `value`.
#'
#' @param times,values The breakpoints, as in [pcf()]: numeric vectors, or lists of them. All
#'   times are finite.
#' @param left The limits from the left at the breakpoints, as `values`. Unless given the functions
#'   are continuous, but for the first breakpoint, before which they are 0.
#' @param x Any object.
#'
#' @return `plf()`: a `plf` with the names and dimensions of `values` or, if it has none, of
#'   `times`. `is_plf()`: `TRUE` or `FALSE`.
#'
#' @seealso [pcf()]
#'
#' @examples
#' # A triangle, and a line that is not observed between 2 and 3.
#' x <- plf(list(c(0, 1, 2), c(1, 2, 3, 4)), list(c(0, 1, 0), c(1, NA, 4, 4)),
#'   left = list(c(0, 1, 0), c(0, 3, NA, 4))
#' )
#' @export
plf <- function(times, values, left = NULL) {
  if (inherits(times, "POSIXlt")) times <- as.POSIXct(times)
  times <- plain_list(times)
  values <- plain_list(values)
  shape <- if (is.list(values)) shape_of(values)
  if (length(shape) == 0 && is.list(times)) shape <- shape_of(times)
  if (!is.list(values)) values <- list(values)
  if (!is.list(times)) times <- rep(list(times), length(values))
  check_lengths(times, values)
  if (is.null(left)) left <- lapply(values, continuous_left)
  read <- read_times(number_list(times, "times"))
  functions <- .mapply(new_line, list(read$times, plain_list(left), plain_values(values)), NULL)
  attributes(functions) <- shape
  check_functions(new_plf(functions, read$unit), c("times", "values", "left"))
}

#' @rdname plf
#' @export
is_plf <- function(x) {
  is_either(x) && inherits(x, "plf")
}

# The left limits of a function that is continuous after its first breakpoint.
continuous_left <- function(values) {
  if (length(values) > 0) values[1] <- 0
  values
}
