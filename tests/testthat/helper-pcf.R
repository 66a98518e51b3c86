# Two named functions, of three and of two breakpoints.
example_pcf <- function() {
  pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
}

# What tests compare: functions with their names, shapes and units. The names of values have tests of their
# own, in test-core-value-name.R.
registerS3method("compare_proxy", "pcf", function(x, path) {
  attr(x, "value_name") <- NULL
  list(object = x, path = path)
}, asNamespace("waldo"))

# The functions of x, which are 0 before their first time, as what as_pcf() makes of measurements
# from this time on, up to and including the last unless they hold their last value (`end = FALSE`).
measured <- function(x, end = TRUE) {
  replace_functions(x, lapply(unclass(x), function(f) {
    rbind(c(-Inf, NA), f, if (end && !is.na(f[nrow(f), 2])) c(next_time(f[nrow(f), 1]), NA), deparse.level = 0)
  }))
}

# Lines through measurements, each observed up to and including its last time.
joined_lines <- function(times, values, ...) {
  plf(c(times, next_time(times[length(times)])), c(values, NA), ..., left = c(NA, values[-1], values[length(values)]))
}

# `n` seeded functions of 1 to `most` breakpoints; about a third of the times are
# whole numbers, so that functions share some.
random_pcf <- function(n, most = 12, seed = 1) {
  with_seed(seed, {
    times <- lapply(seq_len(n), function(i) {
      times <- runif(sample.int(most, 1), -3, 10)
      whole <- runif(length(times)) < 1 / 3
      times[whole] <- round(times[whole])
      sort(unique(times))
    })
    pcf(times, lapply(times, function(t) round(rnorm(length(t)), 1)))
  })
}

# The same, known only in part: of each four, the first is complete, the second has a first time
# of -Inf, the third is not known on some pieces, the fourth is both. The last of eight is known
# nowhere.
random_partial_pcf <- function(n, most = 12, seed = 1) {
  with_seed(seed, {
    functions <- lapply(seq_len(n), function(i) {
      f <- unclass(random_pcf(1, most, seed = sample.int(1e6, 1)))[[1]]
      if (i %% 4 %in% c(2, 0)) f <- rbind(c(-Inf, round(rnorm(1), 1)), f)
      if (i %% 4 %in% c(3, 0)) f[runif(nrow(f)) < 0.4, 2] <- NA
      if (i %% 8 == 0) f[, 2] <- NA
      f
    })
    pcf(lapply(functions, function(f) f[, 1]), lapply(functions, function(f) f[, 2]))
  })
}

# Functions with many values that are not observed on few stretches: on a grid of all, or each with
# times of its own.
functions_with_gaps <- function(n, points, shared, seed = 1) {
  with_seed(seed, {
    ends <- sort(runif(12, 0, 9))
    grid <- sort(c(ends, runif(points, 0, 9)))
    functions <- lapply(seq_len(n), function(i) {
      times <- if (shared) grid else sort(c(ends, runif(points, 0, 9)))
      gap <- sort(sample(ends, 4))
      values <- runif(points + 12)
      values[findInterval(times, gap) %in% c(1, 3)] <- NA
      list(c(0, times), c(1, values))
    })
    pcf(lapply(functions, `[[`, 1), lapply(functions, `[[`, 2))
  })
}

# Evaluates code with a seed and leaves the state of the generator as it was.
with_seed <- function(seed, code) {
  old <- globalenv()$.Random.seed
  on.exit(
    if (is.null(old)) rm(".Random.seed", envir = globalenv())
    else assign(".Random.seed", old, envir = globalenv())
  )
  set.seed(seed)
  code
}

# The value of one function at one time, by definition.
value_at <- function(f, time) {
  f <- unclass(f)[[1]]
  value <- 0
  for (k in seq_len(nrow(f))) if (f[k, 1] <= time) value <- f[k, 2]
  value
}
