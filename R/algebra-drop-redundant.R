#' Drop Redundant Breakpoints
#'
#' `drop_redundant()` returns the same functions with as few breakpoints as possible: breakpoints at which the
#' value does not change, or remains `NA`, are dropped, and so are breakpoints with the value 0 at the
#' start.
#'
#' For a [plf], a breakpoint is dropped if the function does not jump there and its value lies on the line
#' between the neighbouring breakpoints, up to rounding (4 times the machine precision of the larger of the
#' two). Breakpoints between parts that are not observed are dropped as well.
#'
#' Two functions are equal everywhere if and only if `drop_redundant()` makes them identical; `==` and [unique()]
#' compare functions in this way. The zero function becomes `pcf(0, 0)`. Values of step functions are
#' compared exactly; to drop breakpoints at which values differ only by rounding, use [round()] first.
#'
#' @param x A [pcf] or [plf].
#' @param threads The number of threads; see [pcfdist_options].
#'
#' @return A collection of the class of `x`, with its names and dimensions.
#'
#' @section Errors:
#' An invalid argument raises an error of class `pcfdist_error_<argument>`. If a function violates the rules
#' of [pcf()] or [plf()], the message names the function and the position.
#'
#' @seealso [restrict()], [Arithmetic][pcf-algebra]
#'
#' @examples
#' drop_redundant(pcf(0:4, c(0, 1, 1, 2, 2)))
#'
#' f <- pcf(c(0, 2, 5), c(1, 3, 0))
#' f - f
#' drop_redundant(f - f)
#'
#' drop_redundant(plf(0:3, c(0, 1, 2, 0)))
#' @export
drop_redundant <- function(x, threads = NULL) {
  x <- check_either(x)
  threads <- run_threads(threads)
  replace_functions(x, simplified(x, threads = threads))
}

# The canonical forms of the functions, or of those at the indices `kept`: a plain list of
# matrices.
simplified <- function(x, argument = "x", kept = NULL, threads = run_threads(NULL)) {
  some <- if (is.null(kept)) x else new_pcf(unclass(x)[kept], class = class_of(x))
  answer <- answer_about(.Call(ffi_simplify, some, threads), kept)
  answer_value(answer, x = x, argument = argument)
}
