#' First and last breakpoints
#'
#' `start()` and `end()` return the first and the last breakpoint of each function, `max_time()` the last
#' breakpoint of all functions. If functions return to 0 at their last breakpoint, the window up to
#' `max_time(x)` includes all of them.
#'
#' Breakpoints without a change of value count too; [drop_redundant()] removes them. The first time is `-Inf` if a
#' function has a value there. If the value at `-Inf` is `NA`, the function is not observed before its second
#' breakpoint, which `start()` returns. A [plf] has a left limit for the time before its first breakpoint,
#' so `start()` returns that breakpoint. A function that ends right after its last measurement, such as "9+",
#' has this measurement as its last breakpoint: `evaluate(x, end(x))` is its value.
#'
#' @param x A [pcf] or [plf].
#' @param margin `NULL` for one time over all functions, or the dimensions of an array of functions to keep, as
#'   for [reductions]: numbers, or names if the dimnames have names.
#' @param ... Not used.
#'
#' @return Times: plain numbers, or of the class given by [time_unit()]; years if the unit is a calendar.
#' * `start()`, `end()`: one time for each function, with the names and dimensions of `x`.
#' * `max_time()`: a single time. With `margin`, a vector named by this dimension or, for several dimensions,
#'   an array.
#' They are `NA` for functions that are missing as a whole ([is.na()][pcf-methods]), and for several functions one of
#' which is missing.
#'
#' @section Errors:
#' Invalid functions raise `pcfdist_error_x`, and so do, for `max_time()`, collections or, with `margin`, cells
#' without any function.
#' A `margin` that `x` does not have raises `pcfdist_error_margin`.
#'
#' @seealso [evaluate()], [crossing_time()] for the first time at which a function reaches a value,
#'   [time_of_max()] for that of its largest value, [summary()][pcf-methods]
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
  x <- check_either(x)
  last <- numbers_of_each(x, function(x, none) ends_observed(check_functions(x)))
  kept <- check_margin(margin, x)
  if (length(x) == 0 && prod(dim(x)[kept]) > 0) abort_argument("x", "must have at least one function.")
  if (length(kept) == 0) return(as_times(max(last), unit_of(x)))
  last <- if (length(x) > 0) apply(array(last, dim(x), dimnames(x)), kept, max)
          else if (length(kept) > 1) array(last, dim(x)[kept], dimnames(x)[kept])
          else last
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
  times_of_each(x, ends_observed)
}

# The last breakpoint of each function, without an end at the next larger number after a measurement. The breakpoint of
# the measurement may have been dropped.
ends_observed <- function(x) {
  vapply(unclass(x), function(f) {
    m <- nrow(f)
    if (m == 1 || !is.na(f[[m, ncol(f)]])) return(f[[m, 1]])
    if (next_time(f[[m - 1, 1]]) == f[[m, 1]]) return(f[[m - 1, 1]])
    if (!is.na(f[[m - 1, ncol(f)]]) && is_next_of_text(f[[m, 1]])) previous_time(f[[m, 1]]) else f[[m, 1]]
  }, 0)
}

times_of_each <- function(x, times) {
  x <- check_either(x)
  numbers <- numbers_of_each(x, function(x, none) times(check_functions(x)))
  timed(numbers, shape_of(x), unit_of(x))
}

first_times <- function(x) {
  vapply(unclass(x), function(f) f[[if (begins_unobserved(f)) 2 else 1, 1]], 0)
}

# Numbers as times in a unit, with the names and dimensions of `shape`.
timed <- function(numbers, shape, unit) {
  times <- as_times(as.vector(numbers), unit)
  with_shape(times, c(shape, attributes(times)))
}
