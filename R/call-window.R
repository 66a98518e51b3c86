# Windows and weights of integrals.

# A weight for functions `x` in a window from check_window(), restricted to it: one function in the same
# unit of time, observed and not negative throughout the window.
check_weight <- function(weight, window, x, argument = "x") {
  if (is.null(weight)) return(NULL)
  weight <- check_functions(check_one_function(weight, "weight"), "weight")
  common_unit(x, weight, c(argument, "weight"))
  weight <- in_unit(weight, unit_of(x), "weight")
  f <- unclass(weight)[[1]]
  ends <- c(f[-1, 1], Inf)
  inside <- f[, 1] < window$to & ends > window$from &
    !is_same_time(f[, 1], window$to) & !is_same_time(ends, window$from)
  k <- which(inside & (is.na(f[, 2]) | f[, 2] < 0))[1]
  if (is.na(k)) return(check_finite_weight(f[inside, , drop = FALSE], window, weight))
  abort_argument(
    "weight", "must be observed and not negative in the window, but is ", number(f[k, 2]),
    " from ", format_times(f[k, 1], unit_of(x), 15), " on."
  )
}

# The weight with the matrix `f`, its part in the window. Its integral may be infinite only if the window
# is.
check_finite_weight <- function(f, window, weight) {
  if (nrow(f) == 0) f <- new_function(0, 0)
  lengths <- diff(c(base::pmax(f[, 1], window$from), window$to))
  if (sum((f[, 2] * lengths)[f[, 2] > 0 & is.finite(lengths)]) == Inf) {
    abort_argument("weight", "has an integral that overflows.")
  }
  replace_functions(weight, list(f))
}

# A call whose window has the length 0 as one about functions that are 0: integrals and distances are 0. Means are
# missing, as where no functions are observed.
in_empty_window <- function(call) {
  value <- if (needs_lengths(call)) NA_real_ else 0
  for (side in c("x", if (!is.null(call$y)) "y")) {
    x <- check_functions(call[[side]], call$arguments[[side]])
    call[[side]] <- constant_functions(x, if (is.na(value) && is_pcf(x)) -Inf else 0, value)
  }
  call$window <- list(from = -Inf, to = Inf)
  call$missing <- "overlap"
  call["weight"] <- list(NULL)
  call
}

# Do the results of a call depend on how long functions are observed? What is outside of them does not count then.
needs_lengths <- function(call) call$missing == "mean" || !is.null(call$min_overlap)
