# Bands of the difference of two means, for confidence_bands().

# Those of each group minus that with the number `reference`. `least` functions of each must be observed.
bands_of_differences <- function(groups, reference, least, settings) {
  others <- seq_along(groups)[-reference]
  bands <- lapply(others, function(k) {
    pair <- c(k, reference)
    do.call(band_of_difference, c(unname(groups[pair]), list(least[pair]), settings))
  })
  stats::setNames(bands, paste(names(groups)[others], "-", names(groups)[reference]))
}

band_of_difference <- function(x, y, least, type, window, level, n, na_rm) {
  both <- c(unname(x), unname(y))
  times <- band_breakpoints(both, window)
  unit <- unit_in(both, window)
  at <- Map(
    difference_of_moments, moments_on_sides(x, times, unit, window, na_rm, least[1]),
    moments_on_sides(y, times, unit, window, na_rm, least[2])
  )
  quantile <- if (type == "simultaneous") largest_deviation(both, times, unit, at, level, n, length(x)) else NA_real_
  list(
    center = within_window(mean(x, na.rm = na_rm) - mean(y, na.rm = na_rm), window),
    lower = limit_of_mean(-1, both, times, unit, window, at, quantile, level),
    upper = limit_of_mean(1, both, times, unit, window, at, quantile, level),
    quantile = quantile
  )
}

# With the degrees of freedom of Welch, which are at least those of the smaller group.
difference_of_moments <- function(x, y) {
  squares <- cbind(x$error, y$error)^2
  parts <- squares / rowSums(squares)
  degrees <- 1 / rowSums(parts^2 / cbind(x$degrees, y$degrees))
  degrees[is.na(degrees)] <- base::pmin(x$degrees, y$degrees)[is.na(degrees)]
  list(mean = x$mean - y$mean, error = sqrt(rowSums(squares)), degrees = degrees)
}

# Deviations from the mean of each group, of which the first has `size` functions, on a scale on which their squares
# add up to that of the standard error.
deviations_of_two <- function(values, size) {
  first <- seq_len(size)
  rbind(scaled_deviations(values[first, , drop = FALSE]), scaled_deviations(values[-first, , drop = FALSE]))
}

scaled_deviations <- function(values) {
  known <- colSums(!is.na(values))
  deviations(values) / rep(sqrt(known * (known - 1)), each = nrow(values))
}
