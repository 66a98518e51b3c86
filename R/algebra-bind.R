#' Combine collections by columns or rows
#'
#' `cbind()` and `rbind()` combine collections of functions by columns or rows into a matrix of functions.
#'
#' Shapes and names follow R's rules for vectors. A plain collection is a column in `cbind()` and a row in
#' `rbind()`, and is recycled as needed; names of arguments and of functions become dimnames. Objects
#' that [as_pcf()] takes are converted. Units of time are converted as in `c()`; see [time_unit()].
#'
#' If an argument is a data frame, so is the result, as in [base::cbind.data.frame()]: a collection is
#' then one column with a function in each row.
#'
#' @param ... Collections ([pcf] objects, including matrices of functions), objects that [as_pcf()]
#'   takes, or `NULL`, which is ignored.
#' @param deparse.level Ignored: R does not pass it to methods. Arguments that are symbols name columns or
#'   rows.
#'
#' @return A matrix of functions: a `pcf` with two dimensions, and with dimnames if there are any names.
#'
#' @section Errors:
#' An error of class `pcfdist_error_...` is raised for arguments that cannot be converted to functions,
#' and for incompatible shapes or units of time.
#'
#' @seealso [pcf-generics] for matrices of one collection, `t()` and `aperm()`, [pcf-methods] for `c()` and `[`
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

# R binds the indices of the functions, by its own rules.
bind <- function(side, parts, expressions) {
  if (any(vapply(parts, is.data.frame, NA))) {
    # As the methods for data frames do, whichever argument comes first.
    method <- if (identical(side, cbind)) base::cbind.data.frame else base::rbind.data.frame
    return(do.call(method, parts))
  }
  parts <- Filter(Negate(is.null), named_parts(parts, expressions))
  parts <- lapply(parts, as_pcf_argument, "...")
  sides <- max(0, vapply(parts, function(part) length(dim(part)), 0L))
  if (sides > 2) abort_argument("...", "must have at most two dimensions: an array of functions has ", sides, ".")
  last <- cumsum(lengths(parts))
  numbers <- Map(function(part, last) {
    shaped_as(last - length(part) + seq_along(part), part)
  }, parts, last)
  bound <- tryCatch(
    do.call(side, c(numbers, deparse.level = 0)),
    error = function(error) abort_argument("...", "cannot be combined: ", conditionMessage(error))
  )
  functions <- do.call(c, unname(parts))
  array(unname(functions)[as.vector(bound)], dim(bound), dimnames(bound))
}

# Symbols name arguments that have no name, except matrices.
named_parts <- function(parts, expressions) {
  given <- names(parts) %||% rep("", length(parts))
  plain <- !vapply(parts, function(part) length(dim(part)) == 2, NA)
  k <- which(given == "" & plain & vapply(expressions, is.symbol, NA))
  stats::setNames(parts, replace(given, k, vapply(expressions[k], as.character, "")))
}
