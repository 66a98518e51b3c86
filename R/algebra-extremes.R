# Functions of R that are not generic. These versions for collections mask R's own, and call them for
# everything else.

#' Parallel extrema of functions
#'
#' `pmax()` and `pmin()` work on collections of functions as R's own do on numbers. Since R's own functions are
#' not generic, these mask them when the package is attached, and call them for all other arguments.
#'
#' @param ... Collections of functions ([pcf] or [plf] objects), or numbers.
#' @param na.rm If `TRUE`, functions are ignored where they are not observed; if `FALSE`, the result is `NA`
#'   there.
#'
#' @details
#' As in arithmetic, see [pcf-algebra], a number is a constant from the first breakpoint of the function
#' on, so `pmax(f, 1)` is 0 before that. `pmin(x, 85)` and `pmax(x, 85)` clip values. The extrema of a
#' whole collection are `max(x)` and `min(x)`.
#'
#' @return A `pcf` whose first function is the pointwise maximum, or minimum, of the first
#'   functions of all arguments, and so on; a `plf`, with breakpoints where functions cross, if one
#'   argument is a `plf`. Shorter arguments are recycled.
#'
#' @seealso [reductions] for `max()` and `min()` with `margin`, [aggregate()][aggregate.pcf],
#'   [pcf-generics]
#'
#' @examples
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4), c = 0), list(c(1, 3, 0), c(2, 0), 1))
#' pmax(x["a"], x["b"])
#' pmin(x, 2)
#' @name base-functions
NULL

#' @rdname base-functions
#' @export
pmax <- function(..., na.rm = FALSE) {
  arguments <- list(...)
  if (!any(vapply(arguments, is_either, NA))) return(base::pmax(..., na.rm = na.rm))
  extreme_functions("pmax", arguments, na.rm)
}

#' @rdname base-functions
#' @export
pmin <- function(..., na.rm = FALSE) {
  arguments <- list(...)
  if (!any(vapply(arguments, is_either, NA))) return(base::pmin(..., na.rm = na.rm))
  extreme_functions("pmin", arguments, na.rm)
}

extreme_functions <- function(operator, arguments, na_rm) {
  na_rm <- check_flag(na_rm, "na.rm")
  if (na_rm) operator <- paste(operator, "of those observed")
  # The first two operands must not both be numbers.
  first <- match(TRUE, vapply(arguments, is_either, NA))
  if (first > 2) arguments <- c(arguments[first], arguments[-first])
  Reduce(function(e1, e2) operate(operator, e1, e2), unname(arguments))
}

# R would list the masked functions in several lines, unless the attached package has this object.
.onAttach <- function(libname, pkgname) {
  assign(".conflicts.OK", TRUE, envir = as.environment(paste0("package:", pkgname)))
  packageStartupMessage("pcfdist: pmax() and pmin() take functions, too")
}
