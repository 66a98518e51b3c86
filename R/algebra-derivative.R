#' The Slopes of Piecewise Linear Functions
#'
#' `derivative()` returns the slope of each piecewise linear function at each time, as a step function: the load from
#' the readings of a meter, or the growth rate from measured heights.
#'
#' The derivative is in units of values per unit of time: per day if times are dates, and per second if they are
#' date-times (`POSIXct`). [time_unit()] says which unit the times have, and converts it.
#'
#' The derivative is `NA` where the function is not observed. It is 0 before the first breakpoint and after the last
#' one, where functions are constant, unless they are not observed there. A measurement that is not joined to the next
#' one has no slope.
#'
#' [cumulative()] is the inverse: `derivative(cumulative(x))` is the step function `x`, up to rounding, and
#' `cumulative(derivative(x), from = start)` is how much the line `x` has changed since then, if it does not jump.
#'
#' @inheritParams drop_redundant
#' @param x A [plf].
#' @param jumps `"error"`: a function that jumps is an error, since it has no derivative there. `"ignore"`: the slopes
#'   of the lines between jumps. The integral of the derivative is then smaller than the change of the function by what
#'   jumps add. A `plf` made by [plf()] is 0 before its first breakpoint, and jumps there unless its first value is 0.
#'
#' @return A [pcf] with the names, the dimensions and the [time_unit()] of `x`, and its breakpoints.
#'
#' @section Errors:
#' A jump raises an error of class `pcfdist_error_jumps` that names the function and the time. Other invalid arguments
#' raise errors of class `pcfdist_error_<argument>`.
#'
#' @seealso [cumulative()], [as_plf()] for measurements joined by lines
#'
#' @examples
#' # Readings of a meter in kWh, and the load in kW
#' readings <- data.frame(hour = c(0, 6, 8, 18, 24), kWh = c(5012, 5015, 5019, 5024, 5036))
#' load <- derivative(as_plf(readings))
#' load
#' integral(load, 6, 18)
#'
#' # How fast trees grow, in mm per year
#' trees <- as_plf(Orange, id = "Tree", time = "age", value = "circumference")
#' 365.25 * evaluate(derivative(trees), c(300, 900, 1500))
#' @export
derivative <- function(x, jumps = c("error", "ignore"), threads = NULL) {
  x <- check_either(x)
  if (!is_plf(x)) abort_argument(
    "x", "must be a <plf>, not a <pcf>: step functions are constant where they do not jump. as_plf() joins ",
    "measurements by lines."
  )
  jumps <- check_option(jumps, "jumps", c("error", "ignore"))
  slopes <- answer_value(.Call(ffi_derivative, x, run_threads(threads)), x = x)
  if (jumps == "error" && !is.null(slopes$fault)) abort_jump(x, slopes$fault)
  new_pcf(shaped_as(slopes$functions, x), unit_of(x))
}

abort_jump <- function(x, place) {
  breakpoint <- .subset2(x, place[1])[place[2], ]
  time <- as_times(breakpoint[[1]], unit_of(x))
  abort(
    "jumps", argument = "jumps", index = place[1], time = time, function_label(place[1], x), " jumps from ",
    number(breakpoint[["left"]]), " to ", number(breakpoint[["value"]]), " at the time ",
    format_times(breakpoint[[1]], unit_of(x), 15), ", and has no derivative there. `jumps = \"ignore\"` gives the ",
    "slopes of the lines.",
    if (place[2] == 1) " If the function is not to be 0 before, give plf() a first `left`, which may be NA."
  )
}
