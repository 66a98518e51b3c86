# Functions of R that are not generic. These versions for collections mask R's own, and call them for
# everything else.

#' Parallel extrema and tables of functions
#'
#' `pmax()`, `pmin()` and `tapply()` work on collections of functions as R's own do on numbers. `var()`
#' and `cor()` raise an error for functions that says what to use instead. Since R's own functions are
#' not generic, these mask them when the package is attached, and call them for all other arguments.
#'
#' @param ... For `pmax()` and `pmin()`: collections of functions ([pcf] or [plf] objects), or numbers. For
#'   `tapply()`: further arguments of `FUN`. For `cor()`: those of [stats::cor()].
#' @param na.rm For `pmax()` and `pmin()`: if `TRUE`, functions are ignored where they are not observed;
#'   if `FALSE`, the result is `NA` there. For `var()`: see [stats::var()].
#' @param X A [pcf] or [plf].
#' @param INDEX,FUN,default,simplify As in [base::tapply()]. If both a group in `INDEX` and the functions
#'   have names, they are matched by name, and an error is raised if the names differ.
#' @param x,y,use As in [stats::var()].
#'
#' @details
#' As in arithmetic, see [pcf-algebra], a number is a constant from the first breakpoint of the function
#' on, so `pmax(f, 1)` is 0 before that. `pmin(x, 85)` and `pmax(x, 85)` clip values. The extrema of a
#' whole collection are `max(x)` and `min(x)`.
#'
#' @return
#' * `pmax()`, `pmin()`: a `pcf` whose first function is the pointwise maximum, or minimum, of the first
#'   functions of all arguments, and so on; a `plf`, with breakpoints where functions cross, if one
#'   argument is a `plf`. Shorter arguments are recycled.
#' * `tapply()`: if `FUN` returns one function for each group, as [mean()] does, a collection of these;
#'   for several factors an array, with missing elements for empty cells. Otherwise, and with
#'   `simplify = FALSE`, the value of [base::tapply()].
#'
#' @seealso [reductions] for `max()` and `min()` with `margin`, [aggregate()][aggregate.pcf],
#'   [pcf-generics]
#'
#' @examples
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4), c = 0), list(c(1, 3, 0), c(2, 0), 1))
#' pmax(x["a"], x["b"])
#' pmin(x, 2)
#' tapply(x, c("u", "u", "v"), mean)
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
  check_flag(na_rm, "na.rm")
  if (na_rm) operator <- paste(operator, "of those observed")
  # The first two operands must not both be numbers.
  first <- match(TRUE, vapply(arguments, is_either, NA))
  if (first > 2) arguments <- c(arguments[first], arguments[-first])
  Reduce(function(e1, e2) operate(operator, e1, e2), unname(arguments))
}

#' @rdname base-functions
#' @export
tapply <- function(X, INDEX, FUN = NULL, ..., default = NA, simplify = TRUE) {
  if (!is.null(FUN)) FUN <- match.fun(FUN)
  if (!is_either(X) || is.null(FUN)) {
    return(base::tapply(X, INDEX, FUN, ..., default = default, simplify = simplify))
  }
  INDEX <- match_groups(INDEX, X, "INDEX")
  # In a list of length 1, functions survive R's unlist().
  of_group <- function(members, ...) {
    result <- FUN(X[members], ...)
    if (simplify && is_either(result)) list(result) else result
  }
  cells <- base::tapply(seq_along(X), INDEX, of_group, ..., default = default, simplify = simplify)
  if (!simplify || !is.list(cells)) return(cells)
  functions_of_cells(cells, base::tapply(seq_along(X), INDEX, length))
}

# The functions in cells as a collection with the shape of `groups`.
functions_of_cells <- function(cells, groups) {
  wrapped <- vapply(cells, function(cell) {
    is.list(cell) && !is.object(cell) && length(cell) == 1 && is_either(cell[[1]])
  }, NA)
  cells[wrapped] <- lapply(cells[wrapped], `[[`, 1)
  there <- vapply(cells, is_either, NA)
  if (!any(there) || !all(lengths(cells) == 1 & (there | is.na(cells)))) return(cells)
  joined <- join_collections(unname(cells[there]), "FUN")
  functions <- vector("list", length(cells))
  functions[there] <- unclass(joined)
  if (length(dim(groups)) == 1) names(functions) <- names(groups)
  else attributes(functions) <- attributes(groups)
  like(joined, functions)
}

#' @rdname base-functions
#' @export
var <- function(x, y = NULL, na.rm = FALSE, use) {
  if (!is_either(x) && !is_either(y)) return(stats::var(x, y, na.rm, use))
  variance <- if (is_plf(x) || is_plf(y)) "apply(evaluate(x, times), 2, var) is their variance at given times"
              else "sum((x - mean(x))^2) / (length(x) - 1) is their variance at each time"
  abort_generic("var", variance, ", and l2_kernel() gives the inner products of all pairs.")
}

#' @rdname base-functions
#' @export
cor <- function(x, y = NULL, ...) {
  if (!is_either(x) && !is_either(y)) return(stats::cor(x, y, ...))
  abort_generic(
    "cor", "cov2cor(l2_kernel(x, from = a, to = b) / (b - a) - outer(m, m)) are their ",
    "correlations over the times from a to b, with m <- integral(x, a, b) / (b - a)."
  )
}
