#' Lengths of Time at Which Functions Are Observed Together
#'
#' `overlap()` returns, for each pair of functions, the length of time within the window at which both
#' are observed. This is what `missing = "mean"` of [pdist()] and [l2_kernel()] divides by.
#'
#' A function is not observed where its value is `NA`; see [observed()]. Two functions that are both
#' observed forever have an overlap of length `Inf`, unless the window has an end.
#'
#' The lengths are the inner products of indicator functions, `l2_kernel(observed(x))`. They are always
#' computed in double precision.
#'
#' With `margin`, lengths are added over the components, and the window needs an end if a component is
#' observed forever.
#'
#' @inheritParams l2_kernel
#' @inheritParams pdist
#' @param from,to The window: numbers or, for functions with a [time_unit()], times of this unit. The
#'   default is the whole line, from \eqn{-\infty} to \eqn{\infty}.
#'
#' @return Without `y`, a symmetric numeric matrix with `length(x)` rows and columns, named after `x`;
#'   its diagonal tells how long each function is observed. With `y`, an array with the dimensions
#'   `c(dim(x), dim(y))`, as in [cdist()]. The unit is that of the times, multiplied by that of the
#'   weight if there is one.
#'
#' @inheritSection pdist Errors
#'
#' @seealso [pdist()], [observed()]
#'
#' @examples
#' # The second function is observed from 1 to 5, the third up to 2 and from 4 on
#' x <- pcf(
#'   times = list(a = c(0, 3), b = c(-Inf, 1, 5), c = c(0, 2, 4)),
#'   values = list(c(1, 2), c(NA, 3, NA), c(1, NA, 4))
#' )
#' overlap(x, from = 0, to = 6)
#' overlap(x, x["b"])
#' @export
overlap <- function(x, y = NULL, from = -Inf, to = Inf, weight = NULL, margin = NULL, device = NULL,
                    threads = NULL, progress = NULL) {
  # As for means, components are not observed between each other.
  call <- check_integrals(x, y, from, to, missing = "mean", weight = weight, margin = margin)
  call$missing <- "overlap"
  settings <- run_settings(device, "double", threads, progress)
  call$x <- observed(call$x, settings$threads)
  if (!is.null(y)) call$y <- observed(call$y, settings$threads)
  inner_products(call, settings, what = "overlap")
}

# ---- Pairs that share little time ----

# For the argument min_overlap of a call: NULL, or list(least, call), where `least` is a number in the unit of time,
# and `call` comes from check_integrals() for the overlaps.
check_sharing <- function(min_overlap, x, y, from, to, missing, weight, margin, file = NULL,
                          arguments = c(x = "x", y = "y")) {
  if (is.null(min_overlap)) return(NULL)
  min_overlap <- plain(min_overlap)
  check_is(is_one_time(min_overlap) && isTRUE(min_overlap > 0), min_overlap, "min_overlap",
           "must be NULL, a positive number or a difftime, not ")
  if (check_option(missing, "missing", c("error", "overlap", "mean")) == "error") {
    abort_argument("min_overlap", "needs `missing = \"overlap\"` or `missing = \"mean\"`.")
  }
  if (!is.null(file)) abort_argument("min_overlap", "cannot be used with `file`.")
  call <- check_integrals(x, y, from, to, "mean", weight, margin, arguments = arguments)
  list(least = lengths_in(min_overlap, unit_of(call$x), "min_overlap"), call = replace(call, "missing", "overlap"))
}

# Sets the results of pairs that share less time to NA.
without_short <- function(results, sharing, request, settings) {
  call <- sharing$call
  call$x <- observed(call$x, settings$threads)
  if (!is.null(call$y)) call$y <- observed(call$y, settings$threads)
  settings$precision <- "double"
  settings["progress"] <- list(NULL)
  settings$kernel <- if (request$output == "paired") "walk" else "auto"
  request <- request_for(call, list(name = "inner", exponent = 2), request$output, request$mode)
  shared <- answer_value(.Call(ffi_pairwise, call$x, call$y, request, settings), x = call$x, y = call$y)
  short <- which(shared < sharing$least & !is_same_time(shared, sharing$least))
  with_shape(replace(as.vector(unclass(results)), short, NA), attributes(results))
}
