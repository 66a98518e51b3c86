# Landscapes and silhouettes beside their definitions: of bars with many ties, of many bars, and at the ends
# of the numbers.

# Diagrams whose births are whole numbers below `births`, with lengths up to `lengths`: sums and halves are exact.
whole_bars <- function(count, most, births, lengths, exactly = FALSE) {
  lapply(seq_len(count), function(i) {
    n <- if (exactly) most else sample(0:most, 1)
    birth <- sample(births, n, TRUE) - 1
    cbind(birth = birth, death = birth + sample(0:lengths, n, TRUE))
  })
}

# A row for each bar, a column for each time.
tents <- function(bars, times) {
  outer(seq_len(nrow(bars)), times, function(i, t) pmax(0, pmin(t - bars[i, 1], bars[i, 2] - t)))
}

# A row for each level.
landscape_oracle <- function(bars, times, levels) {
  heights <- rbind(tents(bars, times), matrix(0, levels, length(times)))
  sorted <- matrix(apply(heights, 2, sort, decreasing = TRUE), nrow(heights))
  sorted[seq_len(levels), , drop = FALSE]
}

silhouette_oracle <- function(bars, times, power) {
  bars <- bars[bars[, 1] < bars[, 2], , drop = FALSE]
  if (nrow(bars) == 0) return(0 * times)
  lengths <- bars[, 2] - bars[, 1]
  weights <- exp(power * log1p(-(max(lengths) - lengths) / max(lengths)))
  apply(weights * tents(bars, times), 2, accurate_sum) / accurate_sum(weights)
}

# Is a function 0 at both ends, continuous and nowhere below 0?
is_sound <- function(f) {
  m <- nrow(f)
  ends <- f[c(1, m), "value"] == 0 & f[c(1, m), "left"] == 0
  all(ends, f[, "left"] == f[, "value"], f[, "value"] >= 0, is.finite(f), diff(f[, "time"]) > 0) &&
    (m > 1 || f[[1, "time"]] == 0)
}

# Has it slopes of -1, 0 and 1, no two of them alike side by side, and none of 0 at the ends?
is_minimal <- function(f) {
  slopes <- diff(f[, "value"]) / diff(f[, "time"])
  m <- length(slopes)
  m == 0 || all(slopes %in% -1:1, diff(slopes) != 0, slopes[c(1, m)] != 0)
}

matrices <- function(x) lapply(seq_along(x), function(i) unclass(x)[[i]])

# Corners are exactly where they should be, at multiples of 1/2; what is between them is rounded.
expect_landscapes <- function(got, bars, end) {
  times <- seq(-1, end, 0.25)
  levels <- dim(got)[2]
  exact <- vapply(matrices(got), function(f) is_sound(f) && is_minimal(f) && all(2 * f == round(2 * f)), NA)
  heights <- evaluate(got, times)
  errors <- vapply(seq_along(bars), function(i) {
    max(abs(matrix(heights[i, , ], levels) - landscape_oracle(bars[[i]], times, levels)))
  }, 0)
  expect_identical(which(!exact), integer())
  expect_lt(max(errors), 1e-13)
}

test_that("landscapes of tied bars are those of the definition", {
  set.seed(1)
  for (round in 1:12) {
    bars <- whole_bars(40, 4 + round %% 7, 2 + round %% 6, 2 + round %% 5)
    end <- 4 + round %% 6 + round %% 5
    full <- landscape(bars, threads = 2)
    expect_landscapes(full, bars, end)
    depth <- max(1, vapply(bars, function(b) max(0, colSums(tents(b, seq(0, end, 0.25)) > 0)), 0))
    expect_identical(dim(full)[2], as.integer(depth))
    expect_landscapes(landscape(bars, levels = 1 + round %% 4, threads = 1), bars, end)
  }
})

test_that("landscapes of many bars are those of the definition", {
  set.seed(2)
  for (n in c(300, 1000)) {
    bars <- whole_bars(2, n, 60, 40, exactly = TRUE)
    for (levels in list(NULL, 4, 8)) expect_landscapes(landscape(bars, levels), bars, 101)
  }
})

# Multiples of the largest power of two that leaves room, and of one below which halves are not numbers.
test_that("landscapes keep their shape at the ends of the numbers", {
  set.seed(3)
  bars <- lapply(whole_bars(50, 12, 9, 20), function(b) b - 14)
  wanted <- landscape(bars)
  for (unit in c(2^1020, 2^-1073)) {
    got <- landscape(lapply(bars, `*`, unit))
    expect_identical(matrices(got), lapply(matrices(wanted), `*`, unit))
  }
  expect_identical(landscape(cbind(0, 2^-1074))[[1]], plf(0, 0)[[1]])
})

# Ends that are few numbers apart, or far longer: rounding puts corners at the same time.
test_that("landscapes of almost equal bars are sound", {
  set.seed(4)
  unit <- 2^-52
  left_out <- 0
  for (round in 1:25) {
    whole <- whole_bars(20, 8, 4, 6)
    bars <- lapply(whole, function(b) {
      far <- ifelse(seq_len(nrow(b)) %% 2 == 1 & b[, 1] < b[, 2], round %% 3, 0)
      cbind(1 + b[, 1] * unit, 1 + far + b[, 2] * unit * (1 + (far > 0)))
    })
    got <- landscape(bars)
    left_out <- left_out + (dim(got)[2] < dim(landscape(whole))[2])
    functions <- matrices(got)
    right <- vapply(seq_along(functions), function(k) {
      f <- functions[[k]]
      level <- (k - 1) %/% 20 + 1
      wanted <- landscape_oracle(bars[[(k - 1) %% 20 + 1]], f[, "time"], level)[level, ]
      is_sound(f) && all(abs(f[, "value"] - wanted) <= unit)
    }, NA)
    expect_identical(which(!right), integer())
  }
  expect_gt(left_out, 0)
})

# The error is relative to the largest height; what is 0 must be.
expect_silhouettes <- function(got, bars, power, times, tolerance) {
  right <- vapply(seq_along(bars), function(i) {
    wanted <- silhouette_oracle(bars[[i]], times, power)
    heights <- as.vector(evaluate(got[i], times))
    is_sound(unclass(got)[[i]]) && all(abs(heights - wanted) <= tolerance * max(wanted) & (wanted > 0 | heights == 0))
  }, NA)
  expect_identical(which(!right), integer())
}

test_that("silhouettes of tied bars are those of the definition", {
  set.seed(5)
  powers <- c(0, 0.5, 1, 2, 3.7, 1000, 1e300)
  for (round in 0:13) {
    bars <- whole_bars(40, 2 + round %% 9, 2 + round %% 10, 2 + round %% 5)
    power <- powers[round %% 7 + 1]
    times <- seq(-1, 5 + round %% 10 + round %% 5, 0.25)
    expect_silhouettes(silhouette_curve(bars, power, threads = 2), bars, power, times, 5e-15)
  }
})

# Short bars far from 0, or beside much longer ones, whose tents are small again by then.
test_that("silhouettes keep their digits", {
  set.seed(6)
  bars <- lapply(whole_bars(4, 1000, 400, 60, exactly = TRUE), `/`, 1024)
  offsets <- c(0, 1e9, -1e12, 0)
  for (i in 1:4) bars[[i]] <- bars[[i]] + offsets[i]
  bars[[4]][1:500, 1] <- bars[[4]][1:500, 1] - 1e3 * 1:500
  got <- silhouette_curve(bars)
  for (i in 1:4) {
    times <- seq(if (i == 4) 0.125 else offsets[i] - 1, offsets[i] + 0.5, 2^-9)
    expect_silhouettes(got[i], bars[i], 1, times, 2e-15)
  }
  like <- lapply(whole_bars(20, 10, 900, 9), function(b) cbind(b[, 1], b[, 2] + 1000))
  expect_silhouettes(silhouette_curve(like, 1000), like, 1000, seq(-1, 2000, 3), 5e-15)
})

# Where the numbers are 1/512 apart, and half of the middles between two of them.
test_that("silhouettes are right at the times that they have", {
  set.seed(7)
  bars <- lapply(whole_bars(100, 8, 20, 20), function(b) 2^43 + b / 512)
  got <- matrices(silhouette_curve(bars))
  right <- vapply(1:100, function(i) {
    wanted <- silhouette_oracle(bars[[i]], got[[i]][, "time"], 1)
    is_sound(got[[i]]) && all(abs(got[[i]][, "value"] - wanted) <= 1e-15 * wanted)
  }, NA)
  expect_identical(which(!right), integer())
})

test_that("silhouettes of few bars have these vertices", {
  few <- list(
    list(cbind(4, 4), plf(0, 0)), list(cbind(c(1, 3, 3), c(5, 3, 3)), plf(c(1, 3, 5), c(0, 2, 0))),
    list(cbind(c(0, 2, 6), c(2, 6, 8)), plf(c(0, 1, 2, 4, 6, 7, 8), c(0, 0.25, 0, 1, 0, 0.25, 0))),
    # At 1 there are a middle and two births: nothing changes.
    list(cbind(c(0, 1, 1), c(2, 3, 3)), plf(c(0, 2, 3), c(0, 2 / 3, 0))), list(cbind(1, 1 + 2^-52), plf(0, 0))
  )
  for (case in few) expect_identical(silhouette_curve(case[[1]]), case[[2]])
  near <- cbind(c(1, 1, 0), c(1 + 2^-52, 1, 2))
  expect_identical(silhouette_curve(near, 0), plf(0:2, c(0, 0.5, 0)))
  # The weights are 1, 1/3, 2/3 and 1: the last three cancel twice the first but for rounding errors.
  bars <- cbind(c(0, 3, 3, 3), c(6, 5, 7, 9))
  f <- matrices(silhouette_curve(bars))[[1]]
  expect_identical(unname(f[, "time"]), c(0, 4, 5, 6, 7, 9))
  expect_near(f[, "value"], silhouette_oracle(bars, f[, "time"], 1), 1e-15)
  for (unit in c(2^1020, 2^-1070)) {
    f <- matrices(silhouette_curve(cbind(c(-15, 1), 15) * unit, 0))[[1]]
    expect_identical(unname(f[2:4, c("time", "value")]), cbind(c(0, 1, 8), c(7.5, 7, 7)) * unit)
  }
})

test_that("landscapes and silhouettes have the same bits for any number of threads", {
  bars <- with_seed(8, lapply(1:30, function(i) {
    birth <- runif(sample(0:200, 1))
    cbind(birth, birth + runif(length(birth)))
  }))
  expect_identical(landscape(bars, threads = 3), landscape(bars, threads = 1))
  expect_identical(silhouette_curve(bars, 1.5, threads = 3), silhouette_curve(bars, 1.5, threads = 1))
})

test_that("bars of one dimension count, with a number in place of infinite deaths", {
  bars <- cbind(dimension = c(1, 0, 1, 1, 1), birth = c(-0, 0, 2, 9, -0), death = c(4, 50, Inf, Inf, -0))
  levels <- landscape(bars, levels = 4, dimension = 1, infinite = 6)
  expect_identical(levels[[1]], plf(c(0, 2, 3, 4, 6), c(0, 2, 1, 2, 0))[[1]])
  expect_identical(levels[[2]], plf(2:4, c(0, 1, 0))[[1]])
  expect_identical(levels[[3]], plf(0, 0)[[1]])
  expect_identical(silhouette_curve(bars, dimension = 1, infinite = 6), plf(c(0, 2, 4, 6), c(0, 1, 1, 0)))
  expect_identical(1 / matrices(levels)[[1]][[1, "time"]], Inf)
  dropped <- landscape(bars, levels = 4, dimension = 1, infinite = "drop")
  expect_identical(dropped[[1]], plf(c(0, 2, 4), c(0, 2, 0))[[1]])
})

# ---- Shapes, names and arguments ----

test_that("landscapes have a row a diagram and a column a level", {
  two <- list(a = cbind(c(0, 1), c(4, 3)), b = cbind(0, 2))
  levels <- landscape(two)
  expect_true(is_plf(levels))
  expect_identical(dimnames(levels), list(c("a", "b"), c("level 1", "level 2")))
  expect_identical(unname(levels["b", "level 2"]), plf(0, 0))
  expect_identical(unname(levels["b", ]), c(unname(landscape(two$b)[1, 1]), plf(0, 0)))
  expect_identical(dim(landscape(two, levels = 3)), c(2L, 3L))
  expect_identical(landscape(two, levels = 1)[, 1], levels[, 1])
  expect_identical(unname(landscape(two$a[0, ])[1, ]), plf(0, 0))
  expect_identical(dim(landscape(list())), c(0L, 1L))
  expect_null(rownames(landscape(two$a)))
})

test_that("landscapes of an array of diagrams have one dimension more", {
  bars <- lapply(1:6, function(k) cbind(0, k))
  diagrams <- array(bars, c(2, 3), list(c("a", "b"), NULL))
  levels <- landscape(diagrams, levels = 2)
  expect_identical(dim(levels), c(2L, 3L, 2L))
  expect_identical(dimnames(levels), list(c("a", "b"), NULL, c("level 1", "level 2")))
  expect_identical(evaluate(levels[2, 3, 1], 3)[[1]], 3)
  expect_identical(dim(silhouette_curve(diagrams)), c(2L, 3L))
})

test_that("silhouettes have the names of the list", {
  both <- silhouette_curve(list(a = cbind(0, 2), b = matrix(0, 0, 2)))
  expect_identical(both, plf(list(a = 0:2, b = 0), list(c(0, 1, 0), 0)))
})

test_that("diagrams are those that stable_rank() takes", {
  tree <- hclust(dist(c(1, 2, 5)), method = "single")
  bars <- cbind(0, 0, c(1, 3))
  expected <- landscape(bars)
  expect_identical(landscape(tree, infinite = "drop"), expected)
  expect_identical(landscape(list(pairs = list(bars[, 2:3])), dimension = 0), expected)
  table <- data.frame(id = rep(c("x", "y"), each = 2), birth = 0, death = c(1, 3, 2, 2))
  levels <- landscape(table, id = "id")
  expect_identical(rownames(levels), c("x", "y"))
  expect_identical(levels["x", ], expected[1, ])
  mixed <- cbind(dimension = c(0, 1, 0), birth = 0, death = c(1, 9, 3))
  expect_warning(landscape(mixed, dimension = 2), class = "pcfdist_warning_dimension")
  expect_error(landscape(mixed), class = "pcfdist_error_dimension")
})

test_that("bars that never die end where `infinite` says, or are an error", {
  bars <- cbind(birth = c(0, 1, 2), death = c(3, Inf, 5))
  ended <- replace(bars, cbind(2, 2), 4)
  expect_identical(landscape(bars, infinite = 4), landscape(ended))
  expect_identical(silhouette_curve(bars, infinite = 4), silhouette_curve(ended))
  expect_identical(landscape(bars, infinite = 1), landscape(bars[-2, ]))
  for (f in c(landscape, silhouette_curve)) {
    refused(f(list(a = cbind(0, 1), b = bars)), "x", 'is invalid: diagram 2 ("b") has a bar that never dies in row 2, ',
            'which has no tent. Use `infinite = "drop"` to leave such bars out, or a number as their death.')
    error <- tryCatch(f(list(cbind(0, 1), bars)), error = identity)
    expect_identical(c(error$index, error$position), c(2, 2))
  }
  other <- cbind(dimension = c(0, 1), birth = 0, death = c(Inf, 1))
  expect_identical(landscape(other, dimension = 1), landscape(cbind(0, 1)))
})

test_that("other wrong arguments are errors", {
  bars <- cbind(0, 1)
  refused(landscape(bars, levels = 0), "levels", "must be a whole number of at least 1, not 0.")
  refused(landscape(list(bars, bars), levels = 2^31 - 1), "levels",
          "is 2147483647, which gives too many functions, 4294967294.")
  expect_error(landscape(bars, levels = 2^31), class = "pcfdist_error_levels")
  for (power in list(-1, NA, Inf, "1", c(1, 2))) {
    expect_error(silhouette_curve(bars, power), class = "pcfdist_error_power")
  }
  expect_error(landscape(cbind(1, 0)), "has the death 0 before the birth 1 in row 1", class = "pcfdist_error_x")
  expect_error(silhouette_curve(cbind(NA, 0)), "missing value in row 1", class = "pcfdist_error_x")
  expect_error(landscape(bars, infinite = "no"), class = "pcfdist_error_infinite")
})
