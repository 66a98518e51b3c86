# Quantiles of functions, at each time.

# At all times or, of step functions, at some; `unknown_before`: are they NA at the first of these?
exact_quantiles <- function(x, probs, na_rm, times = NULL, unknown_before = FALSE) {
  answer_value(.Call(ffi_quantiles, x, probs, na_rm, times, unknown_before, run_threads(NULL)), x = x)
}

#' @rdname plot_bands
#' @importFrom stats quantile
#' @export
quantile.pcf <- function(x, probs = seq(0, 1, 0.25), times = NULL, ..., na.rm = FALSE) {
  check_no_more(list(...))
  probs <- check_probs(probs)
  na.rm <- check_flag(na.rm, "na.rm")
  x <- check_either(x)
  if (na.rm) x <- x[!is.na(x)]
  if (length(x) == 0) abort_argument("x", "must have at least one function.")
  check_functions(x)
  functions <- if (is_plf(x)) quantile_lines(x, probs, na.rm, times)
               else quantile_steps(x, probs, na.rm, times)
  names(functions) <- paste0(numbers(100 * probs, 7), "%")
  check_computed(like(x, functions), "quantile()")
}

quantile_steps <- function(x, probs, na_rm, times) {
  if (!is.null(times)) times <- c(-Inf, finite_times(times, unit_of(x)))
  exact_quantiles(x, probs, na_rm, times, !is.null(times) && !is_constant_before(x, times[2]))
}

# Quantiles are exact at the given times, and joined by lines in between.
quantile_lines <- function(x, probs, na_rm, times) {
  if (is.null(times)) return(simplified(new_plf(exact_quantiles(x, probs, na_rm))))
  times <- finite_times(times, unit_of(x))
  left <- value <- quantiles_at(x, times, probs, na_rm)
  jumps <- lapply(unclass(x), function(f) f[!(f[, 2] == f[, 3]) %in% TRUE, 1])
  jump <- which(times %in% unlist(jumps))
  if (length(jump) > 0) left[, jump] <- quantiles_at(x, times[jump], probs, na_rm, "left")
  n <- length(times)
  if (!is_constant_before(x, times[1])) left[, 1] <- NA
  if (times[n] < max(last_times(x))) value[, n] <- NA
  lapply(seq_along(probs), function(k) {
    # A stretch is observed if both of its ends are.
    gap <- which(is.na(value[k, -n]) | is.na(left[k, -1]))
    new_line(times, replace(left[k, ], gap + 1, NA), replace(value[k, ], gap, NA))
  })
}

# Are all functions constant before a time?
is_constant_before <- function(x, time) {
  first <- ends_of(x)$first
  all(first == -Inf | first >= time)
}

#' @rdname plot_bands
#' @importFrom stats median
#' @export
median.pcf <- function(x, na.rm = FALSE, ...) {
  check_no_more(list(...))
  unname(quantile(x, 0.5, na.rm = na.rm))
}

finite_times <- function(times, unit) {
  times <- without_parts(times)
  valid <- is_number(times) && length(times) > 0 && all(is.finite(times))
  check_is(valid, times, "times", "must be finite numbers, not ")
  sort(unique(as.vector(times_in(times, unit, "times"))))
}

# A matrix with a row for each of the probabilities and a column for each of the times.
quantiles_at <- function(x, times, probs, na_rm = FALSE, side = "right") {
  do.call(cbind, over_times(x, times, side = side, work = function(values, k) {
    values <- matrix(values[order(col(values), values)], nrow(values))
    if (!anyNA(values)) return(quantiles_of_sorted(values, probs))
    quantiles_of_known(values, probs, na_rm)
  }))
}

# Each column is sorted, with NA at its end. Columns with equally many numbers are taken together.
quantiles_of_known <- function(values, probs, na_rm) {
  known <- colSums(!is.na(values))
  levels <- matrix(NA_real_, length(probs), ncol(values))
  for (n in setdiff(unique(known), if (na_rm) 0 else seq(0, nrow(values) - 1))) {
    same <- known == n
    levels[, same] <- quantiles_of_sorted(values[seq_len(n), same, drop = FALSE], probs)
  }
  levels
}

# Each column is sorted. Between two values the quantile is linear (type 7).
quantiles_of_sorted <- function(values, probs) {
  at <- 1 + (nrow(values) - 1) * probs
  below <- floor(at + 4 * .Machine$double.eps)
  above <- base::pmin(below + 1, nrow(values))
  weight <- base::pmax(at - below, 0)
  lower <- values[below, , drop = FALSE]
  upper <- values[above, , drop = FALSE]
  apart <- lower != upper # the sum of shares of one value may miss it
  replace(lower, apart, ((1 - weight) * lower + weight * upper)[apart])
}
