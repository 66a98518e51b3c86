# Weights of integrals. For pairs, the engine takes weights together with the functions; integrals of single
# functions are those of weighted functions.

# The functions of a call of check_integrals() multiplied by w^(1/p), if it has a weight w, in units of
# weight_unit(). Where w is 0 they are 0, or NA if any function has an NA.
weighted_functions <- function(call, p, threads) {
  x <- call$x
  if (is.null(call$weight)) return(x)
  f <- unclass(call$weight)[[1]]
  weight <- new_pcf(list(new_function(f[, 1], f[, 2] / weight_unit(call$weight))))
  limits <- c(call$window$from, call$window$to)
  answer <- .Call(ffi_weighted, x, weight, limits, as.double(p), threads)
  weighted <- functions_like(x, answer, call$arguments[["x"]] %||% "x")
  structure(weighted, parts = attr(x, "parts"))
}

# A power of two that keeps weighted functions finite; 1 unless weights are very large or small.
weight_unit <- function(weight) unit_near(max(unclass(weight)[[1]][, 2]))

# Does a call have a weight that is 0 throughout the window?
weighs_nothing <- function(call) {
  !is.null(call$weight) && all(unclass(call$weight)[[1]][, 2] == 0)
}

# The part of a window from where the weight is first positive to where it is last positive.
window_of_weight <- function(weight, window) {
  f <- unclass(weight)[[1]]
  positive <- which(f[, 2] > 0)
  if (length(positive) == 0) return(window)
  end <- c(f[-1, 1], Inf)
  list(from = max(window$from, f[positive[1], 1]),
       to = min(window$to, end[positive[length(positive)]]))
}
