#' Restrict functions to a window
#'
#' The functions on the window \eqn{[from, to)}, and 0 outside: each is multiplied by the
#' function that is 1 on the window and 0 elsewhere.
#'
#' Where a function is not observed within the window, neither is the result; outside the
#' window it is 0, whatever the function is there.
#'
#' The breakpoints of a result are `from`, if the function has begun before it, those of
#' the function within the window, and `to`, if it is finite, with the value 0. They are
#' there also where the value does not change; [simplify()] drops such breakpoints. Thus
#' `lp_distance(restrict(f, from, to), restrict(g, from, to))` is
#' `lp_distance(f, g, from = from, to = to)`, and so it is for integrals.
#'
#' A [plf] is cut at `from` and `to`, where it jumps from 0 and back to it.
#'
#' Distances, norms and integrals on a window need no restricted functions: they have arguments
#' `from` and `to`.
#'
#' @inheritParams simplify
#' @param from,to The window, `from < to`: two numbers or, for functions with a [time_unit()],
#'   times of this unit. Infinite numbers leave that side as it is.
#'
#' @return A collection of the class of `x`, with its names and dimensions.
#'
#' @inheritSection simplify Errors
#'
#' @seealso [simplify()], [shift_time()], [Arithmetic][pcf-algebra]
#'
#' @examples
#' f <- pcf(c(0, 2, 5), c(1, 3, 0))
#' restrict(f, 1, 4)
#' restrict(f, from = 3)
#' restrict(plf(c(0, 4), c(0, 8)), 1, 3)
#'
#' # A distribution function is 1 for ever; on a window it has a finite norm.
#' u <- as_pcf(ecdf(c(1, 2, 4)))
#' lp_distance(restrict(u, to = 10), pcf(0, 0))
#' @export
restrict <- function(x, from = -Inf, to = Inf, threads = NULL) {
  x <- check_either(x)
  restrict_to(x, check_window(from, to, unit_of(x)), threads)
}

restrict_to <- function(x, window, threads = NULL) {
  if (is_plf(x)) return(restricted_lines(x, window))
  functions_like(x, .Call(ffi_restrict, x, window$from, window$to, run_threads(threads)))
}
