# Functions that approxfun() has made: constant between their points, or linear.

#' @rdname as_pcf
#' @order 7
#' @export
as_pcf.function <- function(x, ...) {
  check_unused(list(...), "a function")
  parts <- parts_of_approxfun(x, "pcf")
  if (parts$method != 2) abort_argument(
    "x", "is linear between its points: as_plf() converts it to a piecewise linear function."
  )
  y <- parts$y
  between <- (1 - parts$f) * y[-length(y)] + parts$f * y[-1]
  if (parts$f %in% 0:1) between <- y[seq_along(between) + parts$f] # of which one may be missing
  ends <- ends_of_approxfun(parts)
  check_functions(new_pcf(list(level_function(
    c(-Inf, parts$x, ends$time), c(parts$yleft, between, ends$value)
  ))))
}

# The piecewise linear function.
line_of_approxfun <- function(x, ...) {
  check_unused(list(...), "a function", converter = "as_plf")
  parts <- parts_of_approxfun(x, "plf")
  if (parts$method != 1) abort_argument(
    "x", "is constant between its points: as_pcf() converts it to a step function."
  )
  y <- parts$y
  m <- length(y)
  broken <- is.na(y[-m]) | is.na(y[-1])
  ends <- ends_of_approxfun(parts)
  left <- c(parts$yleft, replace(y[-1], broken, NA), if (length(ends$time) > 0) y[m])
  plf(c(parts$x, ends$time), c(replace(y[-m], broken, NA), ends$value), left = left)
}

# approxfun() keeps its arguments in the environment of the function that it returns.
parts_of_approxfun <- function(x, class) {
  names <- c("x", "y", "yleft", "yright", "method", "f")
  parts <- mget(names, envir = environment(x) %||% emptyenv(), ifnotfound = list(NULL))
  numbers <- vapply(parts, function(part) (is.numeric(part) || is.logical(part)) && !is.object(part), NA)
  fit <- all(numbers) && length(parts$x) == length(parts$y) && all(lengths(parts[-(1:2)]) == 1)
  if (fit && length(parts$x) > 0) return(lapply(parts, as.double))
  abort_argument(
    "x", "cannot be converted to a ", class, ": it is a function that was not made by approxfun()",
    if (class == "pcf") " or stepfun()", "."
  )
}

# What follows the last point: the value from there on. If there is none, the value at the point is observed, and the
# function ends at the next larger number.
ends_of_approxfun <- function(parts) {
  m <- length(parts$x)
  if (!is.na(parts$yright) || is.na(parts$y[m])) return(list(value = parts$yright))
  list(time = next_time(parts$x[m]), value = c(parts$y[m], NA))
}
