# Values for times at which functions are not observed.

#' Replace Missing Values of Functions
#'
#' `fill_missing()` replaces missing values by a constant, or by the last observed value.
#'
#' @inheritParams drop_redundant
#' @param x A [pcf] or [plf].
#' @param value A finite number, or `"hold"`. With `"hold"`, the last observed value is carried forward,
#'   or the last left limit of a `plf`; before its first breakpoint the value of a function is 0.
#'   Values stay missing if nothing is observed before them, that is, if the function begins with `NA`
#'   at `-Inf` or, for a `plf`, with a left limit of `NA`.
#'
#' @param at_most With `"hold"`, for how long a value is carried forward: a number or, if the times have a
#'   [time_unit()], a `difftime`. The rest of a longer gap stays missing. `NULL` for any time.
#'
#' @return A collection of the class of `x` with its names, dimensions and breakpoints; [drop_redundant()] drops
#'   breakpoints that are no longer needed. A first time of `-Inf` is dropped if its value is 0.
#'
#' @inheritSection drop_redundant Errors
#'
#' @seealso [observed()]; [as_plf()], which can join measurements over missing values by lines
#'
#' @examples
#' f <- pcf(c(-Inf, 0, 2, 5, 7), c(NA, 1, 3, NA, 2))
#' fill_missing(f)
#' fill_missing(f, "hold")
#' fill_missing(f, "hold", at_most = 1.5)
#' @export
fill_missing <- function(x, value = 0, at_most = NULL, threads = NULL) {
  x <- check_functions(check_either(x))
  value <- plain(value)
  valid <- identical(value, "hold") || is_one_number(value) && is.finite(value)
  check_is(valid, value, "value", "must be a finite number or \"hold\", not ")
  threads <- run_threads(threads)
  held <- if (identical(value, "hold")) held_values(x)
  if (!is.null(at_most)) {
    if (is.null(held)) abort_argument("at_most", "needs `value = \"hold\"`.")
    return(check_functions(hold_in_gaps(x, held, check_gaps(at_most, unit_of(x), "at_most"))))
  }
  for (column in c(if (is_plf(x)) "left", "value")) {
    numbers <- column_of(x, column, threads = threads)
    gaps <- which(is.na(numbers))
    if (length(gaps) == 0) next
    numbers[gaps] <- if (is.null(held)) value else held[gaps]
    x <- replace_functions(x, with_column(x, column, numbers, threads = threads)$functions)
    if (is_plf(x) && column == "value") check_functions(x) # lines may be too steep
  }
  x
}

# The last value of the same function that is not missing, or 0 before its first time, for each breakpoint of
# all functions; of lines the last left limit.
held_values <- function(x) {
  m <- breakpoints_of(x)
  group <- rep(seq_along(m), m)
  if (is_plf(x)) return(last_known(column_of(x, "left"), group))
  held <- last_known(column_of(x, "value"), group)
  starts_at_zero <- column_of(x, "time")[match(group, group)] > -Inf
  replace(held, is.na(held) & starts_at_zero, 0)
}

last_known <- function(values, group) {
  last <- cummax(seq_along(values) * !is.na(values))
  values[replace(last, last < match(group, group), NA)]
}
