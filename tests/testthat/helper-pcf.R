# Two named functions, of three and of two breakpoints.
example_pcf <- function() {
  pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
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
