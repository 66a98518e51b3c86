#' The name of the values of functions
#'
#' @description
#' Functions from a column of a data frame have its name for that of their values, and so have those
#' of other sources that tell what they are: `"count"`, `"survival"` or `"Betti number"`. Columns that are
#' called `value`, `x`, `y` or `V2` say nothing. The name is the label of the axis of values in plots. `value_name()` tells it; `value_name(x) <- ` sets or drops it.
#'
#' @details
#' **What keeps it.** What selects, cuts and moves functions, such as `[`, [restrict()], [simplify()] and
#' [shift_time()]; their means, quantiles, sums and extrema; and of collections of the same name `c()`,
#' `+`, `-`, `pmin()` and `pmax()`, also the last two with numbers.
#'
#' **What drops it.** Anything else that gives functions with other values, such as `x * y`, `2 * x`,
#' `log(x)`, `x > 1` and [cumulative()]; and `c()`, `+`, or an assignment, of collections of different
#' names. [saveRDS()] and [write_npy()] keep the name, and comparisons with `==` do not look at it.
#'
#' @param x A [pcf] or [plf].
#' @param value The new name, one string; `NULL` for none.
#'
#' @return `value_name()`: a string, or `NULL`. `value_name(x) <- value`: `x` with the new name.
#'
#' @section Errors:
#' A name that is not one string raises an error of the class `pcfdist_error_value`.
#'
#' @seealso [time_unit()], the unit on the other axis; [plot.pcf()]
#'
#' @examples
#' chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight", until = "last")
#' chicks
#' value_name(mean(chicks, na.rm = TRUE))
#' value_name(chicks > 100)
#'
#' value_name(chicks) <- "weight (g)"
#' plot(chicks)
#' @export
value_name <- function(x) {
  name_of(check_either(x))
}

#' @rdname value_name
#' @export
`value_name<-` <- function(x, value) {
  x <- check_either(x)
  if (!is.null(value)) check_is(is_one_name(value), value, "value", "must be NULL or one string, not ")
  attr(x, "value_name") <- value
  x
}

name_of <- function(x) attr(x, "value_name", exact = TRUE)

# What says nothing, as columns are called by default, is no name.
with_name <- function(x, name) {
  attr(x, "value_name") <- if (!is.null(name) && !grepl("^(value|x|y|v[0-9]+)?$", name, ignore.case = TRUE)) name
  x
}

# Those of distribution functions and of their inverses, which have other things than times on the other axis.
share_name <- "cumulative probability"
quantile_name <- "quantile"

name_of_inverse <- function(x) if (identical(name_of(x), share_name)) quantile_name

value_label <- function(x) name_of(x) %||% "value"

# For the first line of print().
name_label <- function(x) if (!is.null(name_of(x))) paste0(", values: ", name_of(x))

# The name of the values of all collections, NULL where they differ.
joint_name <- function(collections) {
  names <- unique(lapply(collections, name_of))
  if (length(names) == 1) names[[1]]
}

# Numbers are bounds in pmin() and pmax(), and anything in sums.
name_of_result <- function(operator, e1, e2) {
  extremes <- grepl("^p(min|max)", operator)
  if (extremes || operator %in% c("+", "-") && is_either(e1) && is_either(e2)) {
    joint_name(Filter(is_either, list(e1, e2)))
  }
}
