# Sums of lines beside exact ones: whole times and values make sums that are whole numbers over a common
# denominator, which one division rounds.

denominator <- 360360 # all widths up to 15 divide it

# Left limits, values and slopes of one function on both sides of times, times the denominator.
exact_line <- function(f, times) {
  slopes <- c(0, diff(c(rbind(f[, 2], f[, 3]))[-1])[c(TRUE, FALSE)] * denominator / diff(f[, 1]), 0)
  passed <- findInterval(times, f[, 1])
  begin <- pmax(passed, 1)
  value <- f[begin, 3] * denominator + slopes[passed + 1] * (times - f[begin, 1])
  value[passed == 0] <- f[1, 2] * denominator
  left <- value
  there <- match(times, f[, 1], 0)
  left[there > 0] <- f[there, 2] * denominator
  before <- findInterval(times, f[, 1], left.open = TRUE)
  cbind(left, value, bend = slopes[passed + 1] - slopes[before + 1])
}

exact_sum <- function(x, weights = 1) {
  times <- sort(unique(unlist(lapply(unclass(x), function(f) f[, 1]))))
  sums <- Reduce(`+`, Map(function(f, w) w * exact_line(f, times), unclass(x), weights))
  kept <- sums[, "left"] != sums[, "value"] | sums[, "bend"] != 0
  kept[1] <- TRUE
  cbind(times, sums[, 1:2, drop = FALSE] / denominator)[kept, , drop = FALSE]
}

random_whole_lines <- function(n) {
  lines <- lapply(seq_len(n), function(i) {
    time <- sort(sample(0:15, sample(2:7, 1)))
    left <- value <- sample(-3:3, length(time), TRUE)
    jumps <- sample(c(TRUE, FALSE), length(time), TRUE, c(0.2, 0.8))
    value[jumps] <- sample(-3:3, sum(jumps), TRUE)
    left[1] <- 0
    value[length(time)] <- 0
    list(time, value, left)
  })
  plf(lapply(lines, `[[`, 1), lapply(lines, `[[`, 2), left = lapply(lines, `[[`, 3))
}

test_that("sums of lines are exact, and have the breakpoints at which they change", {
  set.seed(1)
  for (n in rep(c(2, 3, 5, 20), 15)) {
    x <- random_whole_lines(n)
    weights <- sample(c(-3:-1, 1:3), n, TRUE)
    expect_identical(unname(unclass(sum(x))[[1]]), unname(exact_sum(x)))
    expect_identical(unname(unclass(sum(x, weights = weights))[[1]]), unname(exact_sum(x, weights)))
    group <- rep_len(1:2, n)
    sums <- c(sum(x[group == 1]), sum(x[group == 2]))
    expect_identical(unname(aggregate(x, group, sum)), sums)
    expect_identical(linear_combinations(rbind(group == 1, group == 2) + 0, x), sums)
    order <- sample(n)
    expect_identical(unname(mean(x[order], threads = 2)), unname(mean(x, threads = 1)))
  }
})

test_that("sums of lines are 0 where they cancel", {
  x <- plf(c(0, 3), list(c(0.4, 0), c(0.4, 0), c(0.9, 0), c(-1.7, 0)))
  expect_identical(evaluate(sum(x), c(0, 3, Inf)), rbind(c(sum(c(0.4, 0.4, 0.9, -1.7)), 0, 0)))
  expect_lt(lp_norm(sum(x)), 1e-15)
  # Thirds, at a time between breakpoints, and at one in the middle between two doubles
  thirds <- plf(list(c(0, 3), c(0, 3, 4), c(0, 6, 7)), list(c(0, 2), c(0, -1, 0), c(0, -2, 0)))
  expect_identical(evaluate(sum(c(thirds, plf(0:2, c(0, 1, 0)))), 2), 0)
  middle <- plf(list(c(0, 3), c(0, 3)), list(c(0, 1), c(0, 2)))
  tiny <- plf(0:2, c(0, 2^-53, 0))
  expect_identical(evaluate(sum(c(middle, tiny)), 1), 1)
  expect_identical(evaluate(sum(c(middle, tiny, tiny, tiny)), 1), 1 + 2^-51)
})

test_that("sums of lines return to 0 with their terms", {
  set.seed(2)
  for (k in 1:60) {
    times <- sort(rnorm(6)) * 10^(k %% 7 - 3) + (k %% 5 == 0) * 1.7e9
    ends <- function() list(plf(times[c(1, sort(sample(2:5, 2)), 6)], c(0, rnorm(2), 0)))
    x <- do.call(c, replicate(4, ends(), simplify = FALSE) |> unlist(recursive = FALSE))
    rest <- c(x, -1 * (x + 0.1 * x) / 1.1)
    total <- sum(rest[sample(8)])
    expect_identical(values_after(total), 0)
    expect_true(is.finite(lp_norm(total)))
    expect_identical(unclass(sum(c(x, -x))), list(cbind(time = times[1], left = 0, value = 0)))
  }
})
