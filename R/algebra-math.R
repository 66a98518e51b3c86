#' @rdname pcf-algebra
#' @export
Math.pcf <- function(x, ...) {
  x <- check_either(x)
  if (is_plf(x)) return(if (.Generic == "abs") combined_with(x, "apart", 0) else abort_not_linear(.Generic))
  if (.Generic %in% c("cumsum", "cumprod", "cummax", "cummin")) {
    abort("x", "`", .Generic, "()` cannot be applied to functions: it is not a function of a single value.",
          argument = "x")
  }
  # Vectors would be recycled along all breakpoints.
  for (parameter in Filter(Negate(is_one_number), list(...))) {
    abort("parameter", "The further argument of `", .Generic, "()` must be one number, not ",
          describe(parameter), ".")
  }
  change <- match.fun(.Generic)
  # Values that are not finite raise an error, so R's warning about NaN is not needed.
  map_values(x, function(values) suppressWarnings(change(values, ...)), .Generic)
}
