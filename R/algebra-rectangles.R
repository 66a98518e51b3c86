#' Intervals on Which Two Functions Are Constant
#'
#' `rectangles()` divides a window into the longest intervals on which two step functions are both constant.
#'
#' The intervals cover the whole window from left to right. If the window is unbounded, the first one begins
#' at `-Inf`, where a function is 0 unless its first time is `-Inf`, and the last one ends at `Inf`. At least
#' one of the functions changes its value between consecutive intervals. Where a function is not observed,
#' its value is `NA`.
#'
#' The area between two functions, as computed by [lp_distance()], is the sum of
#' `(right - left) * abs(f - g)` over the rows with `f != g`. Leave out the rows with `f == g`, since
#' `Inf * 0` is `NaN` in R.
#'
#' @param f,g One function each: a [pcf] of length 1.
#' @inheritParams overlap
#'
#' @return A data frame with one row for each interval \eqn{[left, right)} and the columns `left` and
#'   `right`, the ends of the interval, and `f` and `g`, the values of the functions on it. The ends are
#'   times in the [time_unit()] of the functions. There are no rows if `from` and `to` are the same.
#'
#' @inheritSection drop_redundant Errors
#'
#' @seealso [lp_distance()], [Arithmetic][pcf-algebra]
#'
#' @examples
#' f <- pcf(c(0, 2, 5), c(1, 3, 0))
#' g <- pcf(c(1, 4), c(2, 0))
#' r <- rectangles(f, g)
#' r
#' with(r[r$f != r$g, ], sum((right - left) * abs(f - g)))
#' lp_distance(f, g)
#'
#' rectangles(f, g, from = 0, to = 3)
#' @export
rectangles <- function(f, g, from = -Inf, to = Inf) {
  both <- in_one_unit(check_one_function(f, "f"), check_one_function(g, "g"), c("f", "g"))
  f <- check_functions(both$x, "f")
  g <- check_functions(both$y, "g")
  unit <- unit_of(f)
  window <- check_window(from, to, unit)
  left <- unname(.subset2(combine(f, g, "first", 1)$functions, 1))
  right <- unname(.subset2(combine(f, g, "second", 1)$functions, 1))
  inside <- left[, 1] > window$from & left[, 1] < window$to
  cuts <- c(window$from, left[inside, 1])
  a <- c(values_at(left, window$from), left[inside, 2])
  b <- c(values_at(right, window$from), right[inside, 2])
  n <- length(cuts)
  begins <- c(window$from < window$to, !(equal_or_missing(a[-n], a[-1]) & equal_or_missing(b[-n], b[-1])))
  cuts <- cuts[begins]
  data.frame(
    left = as_times(cuts, unit), right = as_times(c(cuts, window$to)[-1], unit),
    f = a[begins], g = b[begins]
  )
}
