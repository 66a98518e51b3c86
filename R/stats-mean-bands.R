# Bands of means of functions and of their differences, for confidence_bands().

# Between breakpoints of lines, the standard error is the length of a vector that moves along a line, so
# it lies never above its chord. Limits that are exact on both sides of each breakpoint are therefore
# wide enough in between.
band_of_mean <- function(x, least, type, window, level, n, na_rm) {
  times <- band_breakpoints(x, window)
  unit <- unit_in(x, window)
  at <- moments_on_sides(x, times, unit, window, na_rm, least)
  known <- unlist(lapply(at, function(at) at$known[!is.na(at$error)]))
  observed <- if (length(known) > 0) range(known) else c(NA, NA)
  quantile <- if (type == "simultaneous") largest_deviation(x, times, unit, at, level, n) else NA_real_
  list(
    center = within_window(mean(x, na.rm = na_rm), window),
    lower = limit_of_mean(-1, x, times, unit, window, at, quantile, level),
    upper = limit_of_mean(1, x, times, unit, window, at, quantile, level),
    quantile = quantile, observed = stats::setNames(as.integer(observed), c("fewest", "most"))
  )
}

# The moments on each side of the times, of which steps need one.
moments_on_sides <- function(x, times, unit, window, na_rm, least) {
  if (!is_plf(x)) return(list(right = moments_at(x, times, unit, na_rm, least)))
  list(
    left = moments_at(x, times, unit, na_rm, least, "left", times == window$from),
    right = moments_at(x, times, unit, na_rm, least, "right", times == window$to)
  )
}

# The limit below (-1) or above (1) a mean, of the class of `x`; pointwise if there is no quantile.
limit_of_mean <- function(sign, x, times, unit, window, at, quantile, level) {
  values <- lapply(at, function(at) {
    width <- if (is.na(quantile)) stats::qt((1 + level) / 2, at$degrees) else quantile
    times_power_of_2(at$mean + sign * width * at$error, unit)
  })
  function_of <- if (is_plf(x)) new_line(times, values$left, values$right) else level_function(times, values$right)
  band <- check_computed(like(x, list(function_of)), "confidence_bands()")
  if (is_plf(x)) band else within_window(band, window)
}

# The breakpoints in the window and its start, or, for lines, its finite ends.
band_breakpoints <- function(x, window) {
  times <- all_times(x)
  inside <- times[times > window$from & times < window$to]
  if (!is_plf(x)) return(c(window$from, inside))
  ends <- c(window$from, window$to)
  times <- sort(c(inside, ends[is.finite(ends)]))
  if (length(times) > 0) times else 0
}

# The exponent of a power of two by which to divide values, so that squares of very large or very small ones
# keep their digits.
unit_in <- function(x, window) {
  largest <- max(0, measure_observed(x, "linf", Inf, window, run_threads(NULL))$value, na.rm = TRUE)
  exponent_near(largest)
}

# The mean at each time, its standard error, which needs at `least` so many functions and is NA at times `outside`,
# and the number of functions; values are divided by the unit.
moments_at <- function(x, times, unit, na_rm, least, side = "right", outside = FALSE) {
  parts <- over_times(x, times, function(values, k) {
    values <- times_power_of_2(values, -unit)
    known <- colSums(!is.na(values))
    if (!na_rm) values[, known < nrow(values)] <- NA
    mean <- colMeans(values, na.rm = na_rm)
    squares <- colSums((values - rep(mean, each = nrow(values)))^2, na.rm = na_rm)
    mean[known == 0] <- NA
    error <- sqrt(squares / (known - 1) / known)
    error[known < least] <- NA
    rbind(mean = mean, error = error, known = known)
  }, side)
  all <- do.call(cbind, parts)
  known <- all["known", ]
  list(
    mean = all["mean", ], error = replace(all["error", ], outside, NA), known = known,
    degrees = base::pmax(known - 1, 1)
  )
}

# The quantile of the largest deviation, in standard errors, of means with normal multipliers, or of the difference of
# those of two groups, the first `size` functions and the others. `at` has the moments on each side of the times.
largest_deviation <- function(x, times, unit, at, level, n, size = length(x)) {
  used <- lapply(at, function(at) which(is.finite(at$error) & at$error > 0))
  if (all(is.na(unlist(lapply(at, `[[`, "error"))))) return(NA_real_)
  several <- size < length(x)
  if (sum(lengths(used)) == 0) return(stats::qt((1 + level) / 2, length(x) - 1 - several))
  degrees <- min(unlist(Map(function(at, used) at$degrees[used], at, used)))
  multipliers <- matrix(stats::rnorm(n * length(x)), n)
  largest <- lapply(names(at), function(side) {
    over_times(x, times[used[[side]]], function(values, k) {
      values <- times_power_of_2(values, -unit)
      largest_of(multipliers, if (several) deviations_of_two(values, size) else deviations(values))
    }, side)
  })
  largest <- do.call(pmax, unlist(largest, recursive = FALSE))
  studentised <- largest / sqrt(stats::rchisq(n, degrees) / degrees)
  sort(studentised)[min(n, ceiling(level * (n + 1)))]
}

# From the mean of those that are observed; `values` has a column for each time.
deviations <- function(values) {
  centered <- values - rep(colMeans(values, na.rm = TRUE), each = nrow(values))
  replace(centered, is.na(centered), 0)
}

# The largest deviation over some times for each row of multipliers.
largest_of <- function(multipliers, centered) {
  scaled <- centered / rep(sqrt(colSums(centered^2)), each = nrow(centered))
  deviation <- abs(multipliers %*% scaled)
  deviation[cbind(seq_len(nrow(deviation)), max.col(deviation, "first"))]
}

# Windows are open at their end, but results have values at the last time of measurements, as the functions have.
closed_window <- function(x, window) {
  measured <- any(ends_observed(x) == window$to & last_times(x) > window$to)
  if (measured) replace(window, "to", next_time(window$to)) else window
}

# Sets functions to NA outside of a window; an infinite end changes nothing.
within_window <- function(x, window) {
  ends <- c(-Inf, window$from, window$to)
  used <- ends < Inf & !duplicated(ends, fromLast = TRUE)
  gaps <- new_function(ends[used], c(NA, 0, NA)[used])
  restrict_to(x, window) + new_pcf(list(gaps), unit_of(x), name = name_of(x))
}

# ---- Differences ----

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
