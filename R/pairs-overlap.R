#' Lengths of Time at Which Functions Are Observed Together
#'
#' `overlap()` returns, for each pair of functions, the length of time within the window at which both
#' are observed. This is what `missing = "mean"` of [pdist()] and [l2_kernel()] divides by, and what their
#' `min_overlap` is compared with.
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
