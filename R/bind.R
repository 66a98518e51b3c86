#' Matrices of functions from collections
#'
#' @description
#' `cbind()` and `rbind()` put collections of functions side by side, or one below the other:
#' they give a matrix of functions.
#'
#' @details
#' Shapes and names are those that R gives to numbers: a plain collection is a column of
#' `cbind()` and a row of `rbind()`, and is repeated as often as needed; names of arguments, and
#' of functions, become dimnames. Arguments may also be whatever [as_pcf()] takes for functions.
#' Units of time are converted as in `c()`, see [time_unit()].
#'
#' Where one of the arguments is a data frame, so is the result, as of [base::cbind.data.frame()]:
#' a collection is then one column with a function in each row.
#'
#' R's [matrix()] is no generic and forgets the class of any list: `array(x, c(2, 3))` and
#' `dim(x) <- c(2, 3)` make matrices of one collection, column by column, and
#' `t(array(x, c(3, 2)))` row by row.
#'
#' @param ... Collections: [pcf] objects, arrays of functions of up to two dimensions, whatever
#'   [as_pcf()] takes, or `NULL`, which is left out.
#' @param deparse.level Not used: R does not tell methods of it. Arguments that are symbols give
#'   their names to columns or rows.
#'
#' @return A `pcf` of two dimensions with dimnames, if there are any.
#'
#' @section Errors:
#' Arguments that are no functions, or units of time that do not go together, raise an error of
#' the class `pcfdist_error_...`; so do shapes that do not.
#'
#' @seealso [pcf-generics] for `t()` and `aperm()`, [pcf-methods] for `c()` and `[`
#'
#' @examples
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
#' cbind(x, double = 2 * x)
#' rbind(x, mean = mean(x))["mean", ]
#' t(array(c(x, -x), c(2, 2)))
#' cbind(data.frame(id = 1:2), f = x)
#' @name pcf-bind
NULL

#' @rdname pcf-bind
#' @export
cbind.pcf <- function(..., deparse.level = 1) {
  bind(cbind, list(...), as.list(substitute(list(...)))[-1])
}

#' @rdname pcf-bind
#' @export
rbind.pcf <- function(..., deparse.level = 1) {
  bind(rbind, list(...), as.list(substitute(list(...)))[-1])
}

# R binds the numbers of the functions, and knows all the rules.
bind <- function(side, parts, expressions) {
  if (any(vapply(parts, is.data.frame, NA))) {
    # As the methods for data frames do it, whatever comes first.
    method <- if (identical(side, cbind)) base::cbind.data.frame else base::rbind.data.frame
    return(do.call(method, parts))
  }
  there <- !vapply(parts, is.null, NA)
  parts <- lapply(named_parts(parts, expressions)[there], as_pcf_argument, "...")
  sides <- max(0, vapply(parts, function(part) length(dim(part)), 0L))
  if (sides > 2) abort_argument("...", "has an array of functions with ", sides, " dimensions.")
  last <- cumsum(lengths(parts))
  numbers <- Map(function(part, last) {
    part_numbers <- last - length(part) + seq_along(part)
    attributes(part_numbers) <- shape_of(part)
    part_numbers
  }, parts, last)
  bound <- tryCatch(
    do.call(side, c(numbers, deparse.level = 0)),
    error = function(error) abort_argument("...", "do not go together: ", conditionMessage(error))
  )
  functions <- do.call(c, unname(parts))
  array(unname(functions)[as.vector(bound)], dim(bound), dimnames(bound))
}

# Symbols give names to arguments without one, except to matrices.
named_parts <- function(parts, expressions) {
  given <- names(parts) %||% rep("", length(parts))
  plain <- !vapply(parts, function(part) length(dim(part)) == 2, NA)
  for (k in which(given == "" & plain & vapply(expressions, is.symbol, NA))) {
    given[k] <- as.character(expressions[[k]])
  }
  names(parts) <- given
  parts
}
