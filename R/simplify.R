#' Drop breakpoints at which nothing changes
#'
#' The same functions with as few breakpoints as possible: neighbouring breakpoints with
#' the same value, or with the value `NA`, are merged, and breakpoints with the value 0 at the
#' start are dropped.
#'
#' Two functions are equal everywhere if and only if `simplify()` makes them identical;
#' `==` and [unique()] compare in this way. The zero function becomes `pcf(0, 0)`.
#' Values are compared exactly. Differences by rounding keep their breakpoints: [round()]
#' the function first.
#'
#' The packages purrr and igraph have functions of the name `simplify` too. When one of them is
#' attached later, write `pcfdist::simplify(x)`; that of purrr gives a collection back as it is.
#'
#' @param x A [pcf].
#' @param threads The number of threads, see [pcfdist_options].
#'
#' @return A [pcf] with the names and dimensions of `x`.
#'
#' @section Errors:
#' A wrong argument raises an error of the class `pcfdist_error_<argument>`; a function
#' that breaks the rules of [pcf()] is named with its position.
#'
#' @seealso [restrict()], [Arithmetic][pcf-algebra]
#'
#' @examples
#' simplify(pcf(0:4, c(0, 1, 1, 2, 2)))
#'
#' f <- pcf(c(0, 2, 5), c(1, 3, 0))
#' f - f
#' simplify(f - f)
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
