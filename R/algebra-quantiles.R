# Quantiles of functions, at each time.

# At all times or at some; `unknown_before`: are those of step functions NA at the first of these?
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
  exact_quantiles(x, probs, na_rm, finite_times(times, unit_of(x)))
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
