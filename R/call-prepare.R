# Calls about integrals over functions or pairs of them, with all arguments checked, as requests to C.

# Checks the arguments common to integrals over functions or pairs of them: collections in one unit of time
# and of one family (y may be NULL), the window, `missing` and the weight. `arguments` are the names of
# the user's arguments. The window is cut to where the weight is positive. With a `margin`, x and y get
# one function for each row of a matrix, see call-components.R, laid for this `precision`. With an `operation` from
# operation_of(), they are prepared for its distance. `min_overlap` is the user's.
check_integrals <- function(x, y, from, to, missing = "error", weight = NULL, margin = NULL,
                            operation = operation_of(1), arguments = c(x = "x", y = "y"), precision = "double",
                            min_overlap = NULL) {
  x <- check_either(x, arguments[["x"]])
  if (!is.null(y)) y <- check_either(y, arguments[["y"]])
  call <- in_one_unit(x, y, arguments)
  if (!is.null(y) && is_plf(x) != is_plf(y)) {
    call <- lapply(Map(check_functions, call, arguments), as_lines)
  }
  missing <- check_option(missing, "missing", c("error", "overlap", "mean"))
  whole <- identical(from, -Inf) && identical(to, Inf) && is.null(weight) && is.null(margin)
  direct <- is_direct(operation, whole, call, arguments)
  call <- if (direct) each_of(call, check_distributions, arguments)
          else prepared_for(operation, call, arguments)
  window <- check_window(from, to, unit_of(call$x))
  ends <- if (missing == "error" && window$from < window$to) window_of_all(call, window)
  if (isTRUE(ends$observed)) window <- ends$window
  call <- c(call, list(
    window = window, missing = if (direct) "error" else missing, # nothing is
    weight = check_weight(weight, window, call$x, arguments[["x"]]), arguments = arguments
  ))
  call$weight <- weight_for(operation, call)
  call$min_overlap <- check_min_overlap(min_overlap, missing, unit_of(call$x), operation)
  check_own <- distances[[operation$distance]]$check
  if (!is.null(check_own)) check_own(call, margin)
  if (window$from == window$to) call <- in_empty_window(call)
  if (call$missing == "error" && !isTRUE(ends$observed)) check_ends_observed(call)
  if (!direct && window$from < window$to) call <- finished_for(operation, call)
  if (!is.null(call$weight)) call$window <- window_of_weight(call$weight, call$window)
  if (is.null(margin)) call else lay_components(call, margin, wanted_precision(precision))
}

# The request for results of a call of check_integrals(). `operation` comes from operation_of(), or is a list
# of a name and an exponent; `file` comes from check_file(). `attributes` are those of the result, which C
# sets, since R would copy the result.
request_for <- function(call, operation, output, mode, attributes = list(), file = NULL) {
  list(
    output = output, mode = mode, operation = operation$name, p = as.double(operation$exponent),
    from = call$window$from, to = call$window$to, missing = call$missing, min_overlap = call$min_overlap %||% 0,
    attributes = attributes, file = file, weight = call$weight, recorded = operation$recorded
  )
}
