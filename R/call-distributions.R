# Distribution functions, and their quantile functions, for distances between distributions.

# A collection of distribution functions, which rise from 0 to 1. Last values that differ from 1 by
# rounding become 1.
check_distributions <- function(x, argument = "x") {
  check_functions(x, argument)
  values <- if (is_plf(x)) with(flat_functions(x), c(rbind(left, value)))
            else column_of(x, "value", argument)
  m <- breakpoints_of(x) * (columns_of(x) - 1)
  first <- cumsum(m) - m + 1
  before <- replace(c(NA, values)[seq_along(values)], first, 0)
  wrong <- which(is.na(values) | values < before)[1]
  last <- values[cumsum(m)]
  odd <- which(!(values_before(x) %in% 0) | !(abs(last - 1) <= share_tolerance))[1]
  i <- min(findInterval(wrong, first), odd, Inf, na.rm = TRUE)
  if (i < Inf) abort_distribution(x, argument, i, (wrong - first[i]) %/% (columns_of(x) - 1) + 1)
  if (all(last == 1)) return(x)
  map_functions(x, function(f) {
    f[, -1][f[, -1] >= min(1, f[[length(f)]])] <- 1
    f
  })
}

# The error for function i, which decreases or is not observed at position k. If it has no such position,
# it does not go from 0 to 1.
abort_distribution <- function(x, argument, i, k) {
  f <- .subset2(x, i)
  begin <- values_before(x[i])
  value <- if (isTRUE(k >= 1 && k <= nrow(f))) f[k, -1]
  what <- if (!begin %in% 0) paste("begins with", exact_text(begin))
          else if (anyNA(value)) paste("is not observed at position", number(k))
          else if (!is.null(value)) paste("falls to", exact_text(min(value)), "at position", number(k))
          else paste("ends with", exact_text(f[[length(f)]]))
  abort(
    argument, argument = argument, index = i, "`", argument, "` must hold distribution functions, ",
    "which rise from 0 to 1, but ", function_label(i, x), " ", what, ". Use distribution() for samples."
  )
}

# The largest allowed difference of the last value from 1.
share_tolerance <- 1e-9

# The quantile functions, for probabilities from 0 to 1.
quantile_functions <- function(x, argument = "x") {
  inverse(check_distributions(x, argument), decreasing = FALSE)
}

# The same functions with the value 0 outside of their times, where none of them is observed. This changes no
# integral, and pairs can be skipped only if nothing is missing.
zero_outside <- function(x, argument) {
  if (is_plf(x)) return(map_functions(x, function(f) replace(f, c(nrow(f) + 1, 3 * nrow(f)), 0)))
  map_functions(x, function(f) replace(f, 2 * nrow(f), 0)[-1, , drop = FALSE])
}

# Do all functions take the same values, as those of samples of equal size do?
have_common_shares <- function(collections) {
  shares <- lapply(unlist(lapply(collections, unclass), FALSE), function(f) c(f[, -1]))
  length(unique(lengths(shares))) < 2 && length(unique(shares)) < 2
}
