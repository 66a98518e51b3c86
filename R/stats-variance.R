#' Variance and standard deviation at each time
#'
#' `variance()` computes the variance of a collection of functions, or of each group in it, at every time, and
#' `standard_deviation()` its square root.
#'
#' The variance is that of [var()], of the functions that are observed at a time, with the divisor \eqn{n - 1}. With
#' weights \eqn{w}, it is that of [cov.wt()],
#' \deqn{\sum w (x - m)^2 / (\sum w - \sum w^2 / \sum w)}{sum(w * (x - m)^2) / (sum(w) - sum(w^2) / sum(w))}
#' with the weighted mean \eqn{m}.
#'
#' The variance of step functions is a step function. It is computed in one sweep over all breakpoints, with exact sums:
#' the result is rounded once, however far values are from 0, and is 0 only where all values are equal, or differ by
#' less than 1e-154, whose squares are 0 in double precision; standard deviations do not square such numbers. In
#' contrast, `x - mean(x)` would have the breakpoints of all functions in each of them, and the mean square less the
#' squared mean loses digits.
#'
#' The variance of piecewise linear functions is quadratic between breakpoints, and so no function of this package.
#' It is computed at times: `times`, which may be all breakpoints.
#'
#' @param x A collection of functions: a [pcf], or a [plf] with `times`.
#' @param by `NULL`, or a vector with the group of each function, matched by name as in [plot_bands()].
#' @param weights `NULL`, or a non-negative number for each function, matched by name if both have names. Functions with
#'   the weight 0 are left out.
#' @param na.rm If `TRUE`, the variance at each time is that of the functions observed there. If `FALSE`, it is `NA`
#'   where some function is not observed. In any case, it is `NA` where fewer than two are observed.
#' @param times `NULL`, or times at which the variance is wanted.
#' @param threads The number of threads; see [pcfdist_options].
#'
#' @return A [pcf] with one function for each group, named by it. With `times`, a numeric matrix with a row for each
#'   group and a column for each time.
#'
#' @section Errors:
#' Invalid arguments raise errors of class `pcfdist_error_<argument>`.
#'
#' @seealso [confidence_bands()] for the standard error of the mean; [reductions] for means;
#'   [quantile()][quantile.pcf]; [prcomp()][prcomp.pcf] for how functions vary over time
#'
#' @examples
#' chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#' diet <- ChickWeight$Diet[match(names(chicks), ChickWeight$Chick)]
#' standard_deviation(chicks, by = paste("diet", diet), na.rm = TRUE)
#'
#' lines <- as_plf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#' standard_deviation(lines, na.rm = TRUE, times = c(0, 10, 20))
#' @export
variance <- function(x, by = NULL, weights = NULL, na.rm = FALSE, times = NULL, threads = NULL) {
  x <- check_functions(check_either(x))
  na.rm <- check_flag(na.rm, "na.rm")
  threads <- run_threads(threads)
  weights <- check_spread_weights(weights, x)
  if (length(x) == 0) abort_argument("x", "must have at least one function.")
  if (is_plf(x) && is.null(times)) {
    abort_argument("times", "is needed for piecewise linear functions, whose variance is quadratic between ",
                   "breakpoints: the times at which to compute it.")
  }
  groups <- functions_of_groups(structure(seq_along(x), names = names(x)), by)
  if (!is.null(times)) times <- check_times(times, unit_of(x))
  each <- lapply(groups, function(k) {
    own <- variance_of(structure(x[unname(k)], dim = NULL), weights[k], na.rm, times, threads)
    if (is.null(times)) own else matrix(own, 1)
  })
  largest <- max(0, vapply(each, function(own) max(if (is.list(own)) own[[1]][, 2] else own, 0, na.rm = TRUE), 0))
  if (largest == Inf) {
    abort_argument("x", "has values whose variance is too large for a double. Use standard_deviation().")
  }
  if (!is.null(times)) return(structure(do.call(rbind, each), dimnames = any_labels(list(names(groups), NULL))))
  new_pcf(stats::setNames(lapply(each, `[[`, 1), names(groups)), unit_of(x))
}

#' @rdname variance
#' @export
standard_deviation <- function(x, by = NULL, weights = NULL, na.rm = FALSE, times = NULL, threads = NULL) {
  unit <- unit_of_squares(x)
  deviation <- sqrt(variance(if (unit == 1) x else x / unit, by, weights, na.rm, times, threads))
  if (unit != 1) deviation <- deviation * unit
  if (is_pcf(deviation)) with_name(deviation, name_of(x)) else deviation
}

# A power of two by which to divide values whose squares are too large or too small for a double; otherwise 1.
unit_of_squares <- function(x) {
  largest <- largest_value(check_either(x))
  if (largest == 0 || largest > 2^-400 && largest < 2^400) 1 else unit_near(largest)
}

largest_value <- function(x) {
  columns <- if (is_plf(x)) c("left", "value") else "value"
  max(0, vapply(columns, function(column) max(0, abs(column_of(x, column)), na.rm = TRUE), 0))
}

check_spread_weights <- function(weights, x) {
  weights <- check_weights(weights, x, "sum")
  if (!is.null(weights)) check_every(function(w) w >= 0, weights, "weights", "at least 0")
  weights
}

# A list of a function or, at times, numbers.
variance_of <- function(x, weights, na_rm, times, threads) {
  if (!is.null(weights)) {
    x <- x[weights > 0]
    weights <- weights[weights > 0]
  }
  if (length(x) < 2) return(if (is.null(times)) list(new_function(-Inf, NA)) else rep(NA_real_, length(times)))
  if (!is_plf(x)) {
    functions <- answer_value(.Call(ffi_variance, x, weights, na_rm, threads), x = x)
    return(if (is.null(times)) functions else evaluate_functions(new_pcf(functions), times, list(), threads))
  }
  unlist(over_times(x, times, function(values, k) spread_at(values, weights, na_rm)))
}

# The variance of each column, around the mean.
spread_at <- function(values, weights, na_rm) {
  w <- array(weights %||% 1, dim(values))
  w[is.na(values)] <- 0
  sums <- colSums(w)
  centered <- values - rep(colSums(w * values, na.rm = TRUE) / sums, each = nrow(values))
  rest <- colSums(w * centered, na.rm = TRUE) / sums
  centered <- centered - rep(rest, each = nrow(values))
  spread <- colSums(w * centered^2, na.rm = TRUE) / (sums - colSums(w^2) / sums)
  observed <- colSums(!is.na(values))
  replace(spread, observed < 2 | (!na_rm & observed < nrow(values)), NA)
}
