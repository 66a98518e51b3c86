# Integrals as functions of their ends.

#' Integrate Step Functions up to Each Time
#'
#' `cumulative()` returns the integral of each step function up to each time, as a piecewise linear function.
#'
#' @param x A [pcf].
#' @param from,to The window, as in [integral()]: the function is integrated only between these times.
#'
#' @return A [plf] with the names, dimensions and [time_unit()] of `x`. Its value at each time is the integral of the
#'   function from `from` up to this time. It is 0 before the first breakpoint, and constant after `to`.
#'   From the first missing value on, the integral is unknown, and the result is `NA`.
#'
#' @section Errors:
#' If the window has no start, the functions must be 0 from `-Inf` on, and if it has no end, their last
#' values must be 0 or `NA`. Otherwise an error of class `pcfdist_error_x` is raised that names the
#' function.
#'
#' @seealso [integral()] for the integrals over the whole window
#'
#' @examples
#' spikes <- pcf(c(0, 1, 1.5, 4), c(0, 2, 1, 0))
#' cumulative(spikes)
#' @export
cumulative <- function(x, from = -Inf, to = Inf) {
  x <- check_functions(check_pcf(x))
  window <- check_window(from, to, unit_of(x))
  functions <- unclass(restrict_to(x, window))
  functions <- lapply(seq_along(functions), function(i) accumulate(functions[[i]], window, function_label(i, x)))
  check_functions(replace_functions(new_plf(x, unit_of(x)), functions))
}

accumulate <- function(f, window, label) {
  m <- nrow(f)
  endless <- c(f[[1]] == -Inf && !f[1, 2] %in% 0, window$to == Inf && !f[m, 2] %in% c(0, NA))
  if (any(endless)) {
    abort_argument(
      "x", "must be 0 at unbounded ends of the window, but ", label, " has the value ",
      number(f[if (endless[1]) 1 else m, 2]), if (endless[1]) " from -Inf on. Set `from`."
      else " forever. Set `to`."
    )
  }
  if (f[[1]] == -Inf) f <- f[-1, , drop = FALSE]
  if (nrow(f) == 0) return(new_line(0, 0, 0))
  lengths <- diff(f[, 1])
  sums <- c(0, cumsum(lengths * f[-nrow(f), 2]))
  if (any(is.infinite(c(lengths, sums)))) abort_argument("x", "has an integral that overflows: that of ", label, ".")
  known <- !is.na(f[, 2])
  # A line ends where its value is known at its start, but nothing is known after it.
  new_line(f[, 1], sums, ifelse(known, sums, NA))
}
