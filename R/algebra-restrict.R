#' Restrict Functions to a Window
#'
#' `restrict()` sets functions to 0 outside of the window \eqn{[from, to)}: each is multiplied by the
#' function that is 1 on the window and 0 elsewhere. Outside of the window the result is 0 even where the
#' function is not observed.
#'
#' The breakpoints of the result are `from`, if the function has begun before it, those of the function
#' within the window, and `to`, if it is finite, with the value 0. They are included even if the value does
#' not change; [drop_redundant()] drops such breakpoints. A [plf] jumps from 0 at `from` and back to 0 at `to`.
#'
#' Distances, norms and integrals over a window do not need restricted functions, since they have the
#' arguments `from` and `to`: `lp_distance(f, g, from = from, to = to)` is the same as
#' `lp_distance(restrict(f, from, to), restrict(g, from, to))`.
#'
#' @inheritParams drop_redundant
#' @param from,to The window: two numbers or, for functions with a [time_unit()], times of this unit. If
#'   infinite, the functions are not changed on that side. If `from` and `to` are the same, the result is 0
#'   everywhere. Both may have one element for each function, matched by name if both have names: each function
#'   then has its own window.
#'
#' @return A collection of the class of `x`, with its names and dimensions.
#'
#' @inheritSection drop_redundant Errors
#'
#' @seealso [drop_redundant()], [shift_time()], [Arithmetic][pcf-algebra]
#'
#' @examples
#' f <- pcf(c(0, 2, 5), c(1, 3, 0))
#' restrict(f, 1, 4)
#' restrict(f, from = 3)
#' restrict(plf(c(0, 4), c(0, 8)), 1, 3)
#'
#' # Each patient from the start of treatment on
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
#' restrict(x, from = c(b = 2, a = 1))
#'
#' # A distribution function is 1 forever; on a window with an end, its norm is finite
#' u <- as_pcf(ecdf(c(1, 2, 4)))
#' lp_distance(restrict(u, to = 10), pcf(0, 0))
#' @export
restrict <- function(x, from = -Inf, to = Inf, threads = NULL) {
  x <- check_either(x)
  if (are_own_ends(x, from, to)) return(restrict_each(x, own_windows(x, from, to), 0, threads))
  restrict_to(x, check_window(from, to, unit_of(x)), threads)
}

# Each function on its own window from own_windows(), and `outside`, 0 or NA, elsewhere.
restrict_each <- function(x, own, outside, threads = NULL) {
  answer <- .Call(ffi_restrict_each, x, own$from, own$to, as.double(outside), run_threads(threads))
  functions_like(x, answer)
}

restrict_to <- function(x, window, threads = NULL) {
  threads <- run_threads(threads)
  if (window$from == window$to) return(constant_functions(check_functions(x), window$from, 0))
  if (is_pcf(x)) return(functions_like(x, .Call(ffi_restrict, x, window$from, window$to, threads)))
  # Rows of one component.
  begin <- if (window$from > -Inf) window$from else min(0, window$to)
  part <- c(1, window$from, window$to, begin, window$to, 0, 0)
  functions_like(x, .Call(ffi_lay_rows, x, length(x), part, 0, threads))
}
