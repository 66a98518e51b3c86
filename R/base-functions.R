# Functions of R that are not generic, for collections: they mask R's own, which they call for
# everything else.

#' Parallel extrema, and tables by group
#'
#' @description
#' `pmax()`, `pmin()` and `tapply()` do with collections of functions what R's own do with numbers.
#' `var()` and `cor()` are an error for functions, which says what to use. R's own are not generic,
#' so these mask them when the package is attached, and call them for everything else.
#'
#' @param ... For `pmax()` and `pmin()`: collections of functions, [pcf] or [plf] objects, or numbers. Of
#'   `tapply()`: more arguments of `FUN`. Of `cor()`: those of [stats::cor()].
#' @param na.rm For `pmax()` and `pmin()`: where one is not observed, should the others be taken?
#'   Otherwise the result is `NA` there. For `var()`: see [stats::var()].
#' @param X A [pcf] or [plf].
#' @param INDEX,FUN,default,simplify As in [base::tapply()]. Where the groups in `INDEX` have names,
#'   and so have the functions, these are matched; an error tells where they are not the same.
#' @param x,y,use As in [stats::var()].
#'
#' @details
#' The extrema follow the rules of arithmetic, see [pcf-algebra]: a number counts as a constant from
#' the first breakpoint of the function on, so that `pmax(f, 1)` is 0 before. `pmin(x, 85)` and
#' `pmax(x, 85)` cut values off. The extrema of a whole collection are `max(x)` and `min(x)`.
#'
#' @return
#' * `pmax()`, `pmin()`: a `pcf` with the largest, or smallest, value at each time of the first
#'   functions of all arguments, of the second ones, and so on; a `plf`, with breakpoints where
#'   functions cross, if one of them is. The shorter ones are recycled.
#' * `tapply()`: where `FUN` gives a function for each group, as [mean()] does, a collection with one for
#'   each, for several factors an array, in which groups without functions are missing. Otherwise,
#'   and with `simplify = FALSE`, what R's own gives.
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
  Reduce(function(e1, e2) operate(operator, e1, e2), unname(arguments))
}

#' @rdname base-functions
#' @export
tapply <- function(X, INDEX, FUN = NULL, ..., default = NA, simplify = TRUE) {
  if (!is.null(FUN)) FUN <- match.fun(FUN)
  if (!is_either(X) || is.null(FUN)) {
    return(base::tapply(X, INDEX, FUN, ..., default = default, simplify = simplify))
  }
  match_index <- function(index) {
    check_is(is.atomic(index) && length(index) == length(X), index, "INDEX",
             "must have one group for each of the ", length(X), " functions, and is ")
    match_names(index, names(X), "INDEX")
  }
  INDEX <- if (is.list(INDEX)) lapply(with_row_names(INDEX), match_index) else match_index(INDEX)
  # Lists of one keep their functions when R unlists them.
  of_group <- function(members, ...) {
    result <- FUN(X[members], ...)
    if (simplify && is_either(result)) list(result) else result
  }
  cells <- base::tapply(seq_along(X), INDEX, of_group, ..., default = default, simplify = simplify)
  if (!simplify || !is.list(cells)) return(cells)
  functions_of_cells(cells, base::tapply(seq_along(X), INDEX, length))
}

# `groups` has the shape.
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
  variance <- if (is_plf(x) || is_plf(y)) "apply(evaluate(x, times), 2, var) is their variance at some times"
              else "sum((x - mean(x))^2) / (length(x) - 1) is their variance at each time"
  abort_generic("var", variance, ", and l2_kernel() gives the inner products of each two.")
}

#' @rdname base-functions
#' @export
cor <- function(x, y = NULL, ...) {
  if (!is_either(x) && !is_either(y)) return(stats::cor(x, y, ...))
  abort_generic(
    "cor", "cov2cor(l2_kernel(x, from = a, to = b) / (b - a) - outer(m, m)) are their ",
    "correlations over the time from a to b, with m <- integral(x, a, b) / (b - a)."
  )
}
