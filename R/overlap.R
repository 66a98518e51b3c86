#' How long functions are observed together
#'
#' `overlap()` gives, for each pair of functions, the length of the stretches of the window on
#' which both are observed: what `missing = "mean"` of [pdist()] and [l2_kernel()] divides by.
#'
#' A function is not observed where its value is `NA`; see [pcf()] and [observed()]. Before its
#' first breakpoint it is 0, and that counts as observed, unless the first time is `-Inf` and its
#' value `NA`, or, in a [plf], the first left limit is. Two functions that are both observed for
#' ever overlap on a stretch of the length `Inf`, unless the window ends.
#'
#' The lengths are inner products of indicator functions, and computed as those are:
#' `l2_kernel(observed(x))`. They are always in double precision.
#'
#' @inheritParams pdist
#' @param x A collection of functions: a [pcf] or a [plf].
#' @param from,to The window: numbers or, for functions with a [time_unit()], times of this unit.
#'   From \eqn{-\infty} to \eqn{\infty} by default.
#' @param y `NULL`, or a second collection.
#'
#' With `margin`, lengths add up over the components, and the window needs an end where one is observed
#' for ever.
#'
#' @return Without `y`, a symmetric matrix with `length(x)` rows and columns and the names of `x`
#'   on both sides; on its diagonal is how long each function is observed. With `y`, an array
#'   with the dimensions `c(dim(x), dim(y))`, as of [cdist()]. The unit is that of the times, or
#'   that times the weight's.
#'
#' @inheritSection pdist Errors
#'
#' @seealso [pdist()], [observed()]
#'
#' @examples
#' # The second function is known from 1 to 5, the third up to 2 and from 4 on.
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
