#' Drop breakpoints at which nothing changes
#'
#' The same functions with as few breakpoints as possible: neighbouring breakpoints with
#' the same value, or with the value `NA`, are merged, and breakpoints with the value 0 at the
#' start are dropped.
#'
#' Of a [plf], the breakpoints at which it goes straight on are dropped: it does not jump there, and the
#' value lies on the line between the neighbours, up to a rounding (4 times the machine precision of the
#' larger of the two). So are those between stretches that are not observed.
#'
#' Two functions are equal everywhere if and only if `simplify()` makes them identical;
#' `==` and [unique()] compare in this way. The zero function becomes `pcf(0, 0)`.
#' Values of step functions are compared exactly. Differences by rounding keep their breakpoints: [round()]
#' the function first.
#'
#' The packages purrr and igraph have functions of the name `simplify` too. When one of them is
#' attached later, write `pcfdist::simplify(x)`; that of purrr gives a collection back as it is.
#'
#' @param x A [pcf] or [plf].
#' @param threads The number of threads, see [pcfdist_options].
#'
#' @return A collection of the class of `x`, with its names and dimensions.
#'
#' @section Errors:
#' A wrong argument raises an error of the class `pcfdist_error_<argument>`; a function
#' that breaks the rules of [pcf()] or [plf()] is named with its position.
#'
#' @seealso [restrict()], [Arithmetic][pcf-algebra]
#'
#' @examples
#' simplify(pcf(0:4, c(0, 1, 1, 2, 2)))
#'
#' f <- pcf(c(0, 2, 5), c(1, 3, 0))
#' f - f
#' simplify(f - f)
#'
#' simplify(plf(0:3, c(0, 1, 2, 0)))
#' @export
simplify <- function(x, threads = NULL) {
  x <- check_either(x)
  if (is_plf(x)) return(replace_functions(x, simplified_lines(x)))
  replace_functions(x, simplified(x, threads = run_threads(threads)))
}

# The canonical forms of the functions, or of those at the indices `kept`: a plain list of
# matrices.
simplified <- function(x, argument = "x", kept = NULL, threads = run_threads(NULL)) {
  some <- if (is.null(kept)) x else unclass(x)[kept]
  answer <- answer_about(.Call(ffi_simplify, some, threads), kept)
  answer_value(answer, x = x, argument = argument)
}
