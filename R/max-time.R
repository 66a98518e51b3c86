#' First and last breakpoints
#'
#' @description
#' `start()` and `end()` give the first and the last breakpoint of each function, `max_time()`
#' the last breakpoint of all functions. Where functions come back to 0 at their end, the window
#' up to `max_time(x)` is that in which anything happens.
#'
#' @details
#' The breakpoints are those that the functions have, also where the value does not change;
#' [simplify()] leaves those out. A first time of `-Inf` counts where the function has a value
#' there. Where the value is `NA`, the function is not observed before its second breakpoint, and
#' `start()` gives that one. A [plf] has a left limit for what is before its first breakpoint, which is
#' the one that counts.
#'
#' @param x A [pcf] or [plf].
#' @param margin The dimensions of an array of functions that are kept, as for [reductions]:
#'   numbers or, where the dimnames have names, these names. `NULL`: one time for all functions.
#' @param ... Not used.
#'
#' @return Times: plain numbers, or of the class that [time_unit()] tells; years where that is a
#'   calendar.
#' * `start()`, `end()`: one for each function, with the names and dimensions of `x`.
#' * `max_time()`: one time. With `margin`: a vector with the names of that dimension or, of
#'   several, an array.
#'
#' @section Errors:
#' `pcfdist_error_x` for missing or invalid functions and, of `max_time()`, for no functions,
#' `pcfdist_error_margin` for a dimension that is not there.
#'
#' @seealso [evaluate()], [crossing_time()] for the first time at which a function reaches a value,
#'   [summary()][pcf-methods]
#'
#' @examples
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
#' start(x)
#' end(x)
#' max_time(x)
#' pdist(x, to = max_time(x))
#'
#' stays <- pcf(as.Date(c("2024-02-27", "2024-03-02")), c(1, 0))
#' max_time(stays)
#' @export
max_time <- function(x, margin = NULL) {
  x <- check_functions(check_either(x))
  kept <- check_margin(margin, x)
  if (length(x) == 0) abort_argument("x", "has no functions, and there is no last time of none.")
  last <- last_times(x)
  if (length(kept) == 0) return(as_times(max(last), unit_of(x)))
  shape <- list(dim = dim(x), dimnames = dimnames(x))
  last <- apply(array(last, shape$dim, shape$dimnames), kept, max)
  timed(last, shape_of(last), unit_of(x))
}

#' @rdname max_time
#' @importFrom stats start
#' @export
start.pcf <- function(x, ...) {
  times_of_each(x, first_times)
}

#' @rdname max_time
#' @importFrom stats end
#' @export
end.pcf <- function(x, ...) {
  times_of_each(x, last_times)
}

times_of_each <- function(x, times) {
  x <- check_functions(check_either(x))
  timed(times(x), shape_of(x), unit_of(x))
}

first_times <- function(x) {
  vapply(unclass(x), function(f) f[[if (begins_unobserved(f)) 2 else 1, 1]], 0)
}

# Whether a function is not observed before its second breakpoint.
begins_unobserved <- function(f) {
  nrow(f) > 1 && isTRUE(f[1, 1] == -Inf) && is.na(f[1, 2])
}

# Numbers as times of a unit, with the names and dimensions of `shape`.
timed <- function(numbers, shape, unit) {
  times <- as_times(as.vector(numbers), unit)
  attributes(times) <- c(shape, attributes(times))
  times
}
