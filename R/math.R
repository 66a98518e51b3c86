#' @rdname pcf-algebra
#' @export
Math.pcf <- function(x, ...) {
  if (.Generic %in% c("cumsum", "cumprod", "cummax", "cummin")) {
    abort(
      "x", argument = "x",
      paste0("`", .Generic, "()` cannot be applied to functions: it is no function of ",
             "one value.")
    )
  }
  check_parameters(list(...), .Generic)
  change <- match.fun(.Generic)
  # Values that are not finite are an error, so that R's warning of NaN adds nothing.
  map_values(x, function(values) suppressWarnings(change(values, ...)), .Generic)
}

# Vectors would be recycled along all breakpoints.
check_parameters <- function(parameters, generic) {
  for (parameter in parameters) {
    single <- is.numeric(parameter) && !is.object(parameter) && length(parameter) == 1
    if (single && !is.na(parameter)) next
    abort(
      "parameter",
      paste0("The further argument of `", generic, "()` must be one number, not ",
             describe(parameter), ".")
    )
  }
}
