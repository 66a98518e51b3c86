# By definition: the limits at both ends of each stretch of a window on which a function is a straight line.
extremes_of <- function(f, from, to, which_first) {
  at <- function(times, right) {
    if (ncol(f) == 3) return(line_values(f, times, right))
    c(0, f[, 2])[findInterval(times, f[, 1], left.open = !right) + 1]
  }
  cuts <- c(from, f[f[, 1] > from & f[, 1] < to, 1], to)
  times <- rbind(cuts[-length(cuts)], cuts[-1])
  values <- rbind(at(times[1, ], TRUE), at(times[2, ], FALSE))
  k <- which_first(values)[1]
  c(values[k], times[k])
}

expect_extremes <- function(x, from, to) {
  largest <- vapply(unclass(x), extremes_of, c(0, 0), from, to, which.max)
  smallest <- vapply(unclass(x), extremes_of, c(0, 0), from, to, which.min)
  expect_near(max_value(x, from, to, "overlap"), largest[1, ])
  expect_near(min_value(x, from, to, "overlap"), smallest[1, ])
  expect_identical(time_of_max(x, from, to, "overlap"), largest[2, ])
  expect_identical(time_of_min(x, from, to, "overlap"), smallest[2, ])
}

test_that("extreme values and their first times are those of the definition", {
  for (seed in 1:5) {
    for (x in list(
      random_pcf(9, seed = seed), random_partial_pcf(9, seed = seed), random_plf(9, seed = seed),
      random_plf(9, gaps = 0.4, seed = seed), random_plf(9, whole = FALSE, end = 1, seed = seed)
    )) {
      names(x) <- NULL
      for (window in list(c(-Inf, Inf), c(1, 4), c(2.3, 7.1), c(-Inf, 3), c(5.2, Inf), c(3, 3.01))) {
        expect_extremes(x, window[1], window[2])
      }
    }
  }
})

test_that("a concentration has its peak where it was measured", {
  x <- as_plf(Theoph, id = "Subject", time = "Time", value = "conc")
  by_subject <- function(of) c(vapply(split(Theoph, Theoph$Subject), of, 0))[names(x)]
  expect_identical(max_value(x, missing = "overlap"), by_subject(function(d) max(d$conc)))
  expect_identical(time_of_max(x, missing = "overlap"), by_subject(function(d) d$Time[which.max(d$conc)]))
  expect_identical(min_value(x, missing = "mean"), by_subject(function(d) min(d$conc)))
  expect_error(max_value(x), "not observed on the same stretches", class = "pcfdist_error_missing")
})

test_that("extreme values keep names, dimensions and units, and those of no functions are none", {
  days <- as.Date("2024-02-27") + 0:2
  x <- pcf(list(a = days, b = days), list(c(3, -1, 0), c(1, 1, 2)))
  expect_identical(max_value(x), c(a = 3, b = 2))
  expect_identical(time_of_max(x), setNames(days[c(1, 3)], c("a", "b")))
  expect_identical(time_of_max(x, from = days[2]), setNames(days[c(3, 3)], c("a", "b")))
  expect_identical(time_of_min(x, to = days[3]), setNames(as.Date(c(days[2], -Inf)), c("a", "b")))
  m <- array(unname(x), 2:1, list(c("u", "v"), NULL))
  expect_identical(min_value(m), array(c(-1, 0), 2:1, list(c("u", "v"), NULL)))
  expect_identical(max_value(x[0]), setNames(numeric(), character()))
  expect_identical(time_of_max(pcf(list(), list())), numeric())
})

test_that("a window of no length has no extreme values, and functions that are never observed have none", {
  x <- c(pcf(0, 1), pcf(-Inf, NA))
  expect_identical(max_value(x, 2, 2), c(NA_real_, NA))
  expect_identical(max_value(x, missing = "overlap"), c(1, NA))
  expect_identical(time_of_min(x, 1, 3, missing = "overlap"), c(1, NA))
})

test_that("a limit counts where a line jumps, and a value that lasts for no time does not", {
  x <- plf(c(0, 2, 4), c(0, 1, 0), left = c(0, 6, 3))
  expect_identical(c(max_value(x), time_of_max(x)), c(6, 2))
  expect_identical(c(max_value(x, 2), time_of_max(x, 2)), c(3, 4))
  step <- pcf(c(0, 2), c(1, 5))
  expect_identical(max_value(step, 0, 2), 1)
})
