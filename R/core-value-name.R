#' The name of the values of functions
#'
#' A collection can have a name for its values, such as `"weight"`: plots show it at the axis of values,
#' and `print()` in its first line. Functions from a data frame get the name of its column, unless that is
#' uninformative, such as `value`, `x`, `y` or `V2`. Other functions get a fixed name where it is clear what the
#' values are, such as `"count"`, `"survival"` and `"Betti number"`. The fixed names of curves of diagrams and of
#' distribution functions also tell plots that the other axis does not show times: for Betti numbers, it is labelled
#' "filtration value". `value_name()` returns the name; `value_name(x) <- ` sets or drops it.
#'
#' **The name stays** where functions are selected, cut or moved, as by `[`, [restrict()], [drop_redundant()] and
#' [shift_time()], and in their means, quantiles, sums and extrema. `c()`, `+`, `-`, `pmin()` and `pmax()`
#' keep the name that all of their collections have; `pmin()` and `pmax()` also with numbers. [saveRDS()] and
#' [write_npy()] save it.
#'
#' **The name is dropped** where values become something else, as by `x * y`, `2 * x`, `log(x)`, `x > 1` and
#' [cumulative()], and where collections of different names are combined, or one is assigned into another.
#'
#' Comparisons with `==` do not look at names; [identical()] does.
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
#' chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
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
  if (!is.null(value)) value <- check_is(is_one_name(value), plain(value), "value", "must be NULL or one string, not ")
  attr(x, "value_name") <- value
  x
}

# What says nothing, as columns are called by default, is no name.
with_name <- function(x, name) {
  force(x) # which finds names that are not valid
  name <- plain(name)
  attr(x, "value_name") <- if (!is.null(name) && !grepl("^(value|x|y|v[0-9]+)?$", name, ignore.case = TRUE)) name
  x
}

# Those of distribution functions and of their inverses.
share_name <- "cumulative probability"
quantile_name <- "quantile"

# What functions with such values have on the other axis, which is no time.
axis_names <- c(
  "cumulative probability" = "value", quantile = share_name, "stable rank" = "length of bars",
  "Betti number" = "filtration value", "Euler characteristic" = "filtration value",
  "accumulated persistence" = "filtration value", landscape = "filtration value", silhouette = "filtration value"
)

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
