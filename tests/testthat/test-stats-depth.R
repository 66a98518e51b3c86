# Depths against plain R: the values of all functions on all stretches between breakpoints, or crossings.

# Lengths of stretches, and a matrix with a column of places (L, U and the number observed) for each, of steps.
depth_of_steps <- function(x, from, to, type, weight = NULL) {
  times <- sort(unique(c(from, to, unlist(lapply(unclass(c(x, weight)), function(f) f[, 1])))))
  times <- times[times >= from & times <= to]
  values <- evaluate(unname(x), times[-length(times)], drop = FALSE)
  lengths <- diff(times)
  if (!is.null(weight)) lengths <- lengths * c(evaluate(weight, times[-length(times)]))
  mean_depth(values, lengths, type)
}

depth_at <- function(y, type) {
  known <- !is.na(y)
  n <- sum(known)
  below <- rank(y, ties.method = "min", na.last = "keep") - 1
  above <- n - rank(y, ties.method = "max", na.last = "keep")
  if (type == "band") 1 - (choose(below, 2) + choose(above, 2)) / choose(n, 2) else 1 - abs(1 / 2 - (n - above) / n)
}

mean_depth <- function(values, lengths, type) {
  depth <- array(apply(values, 2, depth_at, type), dim(values))
  weight <- t(t(!is.na(depth)) * colSums(!is.na(values)) * lengths)
  rowSums(depth * weight, na.rm = TRUE) / rowSums(weight)
}

# Of lines: on each stretch between breakpoints also between all crossings of two.
depth_of_lines <- function(x, from, to, type) {
  times <- sort(unique(c(from, to, unlist(lapply(unclass(x), function(f) f[, 1])))))
  times <- times[times >= from & times <= to]
  cuts <- lapply(seq_along(times[-1]), function(k) {
    a <- c(evaluate(x, times[k]))
    b <- c(evaluate(x, times[k + 1], side = "left"))
    rise <- outer(b - a, b - a, "-")
    share <- -outer(a, a, "-")[rise != 0] / rise[rise != 0]
    share <- sort(unique(c(0, share[!is.na(share) & share > 0 & share < 1])))
    middle <- (share + c(share[-1], 1)) / 2
    list(length = diff(c(share, 1)) * (times[k + 1] - times[k]), values = outer(a, 1 - middle) + outer(b, middle))
  })
  values <- signif(do.call(cbind, lapply(cuts, `[[`, "values")), 12)
  lengths <- unlist(lapply(cuts, `[[`, "length"))
  mean_depth(values, lengths, type)
}

# Functions with gaps, ties, an offset, and some that are equal; with times of a grid or any.
random_collection <- function(n, most, make = pcf, ties = FALSE, gaps = FALSE, offset = 0, grid = if (ties) 0:40 / 8) {
  functions <- lapply(seq_len(n), function(i) {
    times <- if (is.null(grid)) runif(sample(most, 1), 0, 5) else sample(grid, most)
    times <- sort(unique(times))
    values <- rnorm(length(times))
    if (ties) values <- round(values)
    if (gaps) values[runif(length(values)) < 1 / 4] <- NA
    list(times, values + offset)
  })
  copied <- sample(n, n %/% 4)
  functions[copied] <- functions[sample(n, length(copied), replace = TRUE)]
  make(lapply(functions, `[[`, 1), lapply(functions, `[[`, 2))
}

# Depths with NA where there are none, which is an error.
depths <- function(x, type, from = 0, to = 5, weight = NULL, threads = 1L) {
  answer_value(.Call(ffi_depths, x, type, as.double(c(from, to)), weight, 0, threads), x = x)
}

test_that("depths of steps are those of plain R, with ties, gaps, offsets, weights and equal functions", {
  with_seed(1, for (k in 1:60) {
    n <- sample(c(1:6, 40), 1)
    x <- random_collection(n, sample(c(1, 3, 12), 1), ties = k %% 2 == 0, gaps = k %% 3 == 0, offset = (k %% 5) * 1e6)
    weight <- if (k %% 4 == 0) pcf(c(0, 1, 3.3), c(1, 0, 2.5))
    order <- sample(n)
    for (type in c("band", "integrated")) {
      found <- depths(x, type, 0.5, 4, weight)
      expect_near(found, depth_of_steps(x, 0.5, 4, type, weight), 1e-12)
      expect_identical(depths(x[order], type, 0.5, 4, weight, 2L), found[order])
    }
  })
})

test_that("a function that is observed for a moment has its depth to all digits", {
  with_seed(4, for (k in 1:10) {
    begin <- 2 + runif(1)
    moment <- pcf(c(-Inf, begin, begin + 1e-9), c(NA, k %% 3, NA))
    x <- c(random_collection(12, 9, ties = k %% 2 == 0), moment)
    for (type in c("band", "integrated")) {
      expect_near(functional_depth(x, type, 0, 5, missing = "mean"), depth_of_steps(x, 0, 5, type), 1e-13)
    }
  })
})

test_that("depths are right of so many values that the tree has several groups", {
  x <- with_seed(2, random_collection(4500, 3, grid = 0:400 / 80)) # few times, for plain R
  for (type in c("band", "integrated")) {
    found <- depths(x, type, threads = 2L)
    expect_near(found, depth_of_steps(x, 0, 5, type), 1e-12)
    expect_identical(depths(rev(x), type), rev(found))
  }
})

test_that("the order of functions changes no bit where many of them change at one time", {
  for (seed in 1:6) with_seed(seed, {
    x <- random_collection(300, 8, gaps = seed %% 2 == 0, grid = 0:60 / 12)
    lines <- random_collection(60, 6, plf, ties = TRUE, gaps = seed %% 2 == 0)
    weight <- if (seed %% 3 == 0) pcf(c(0, 1, 3.3), c(1, 0, 2.5))
    for (type in c("band", "integrated")) for (y in list(x, lines)) {
      order <- sample(length(y))
      depth_of <- function(y, threads) functional_depth(y, type, 0, 5, "mean", weight, threads)
      expect_identical(depth_of(y[order], 2), depth_of(y, 1)[order])
    }
  })
})

test_that("depths of lines are those of plain R", {
  with_seed(3, for (k in 1:25) {
    x <- random_collection(sample(8, 1), 6, plf, ties = k %% 2 == 0, gaps = k %% 3 == 0, offset = (k %% 5) * 100)
    order <- sample(length(x))
    for (type in c("band", "integrated")) {
      found <- depths(x, type, 0.5, 4)
      expect_near(found, depth_of_lines(x, 0.5, 4, type), 1e-10)
      expect_identical(depths(x[order], type, 0.5, 4, threads = 2L), found[order])
    }
  })
})

test_that("lines that are equal but for where they have breakpoints are ties", {
  x <- plf(list(c(0, 1), c(0, 0.3, 1), c(0, 0.7, 0.77, 1), 0:1), list(0:1, c(0, 0.3, 1), c(0, 0.7, 0.77, 1), c(2, 2)))
  for (offset in c(0, 1, 100, 1e6)) {
    expect_equal(unname(functional_depth(x + offset, from = 0, to = 1)), c(1, 1, 1, 1 / 2))
  }
})

test_that("three lines have the depths that they have without a grid", {
  x <- plf(c(0, 1), list(up = c(0, 10), down = c(10, 0), level = c(4, 4)))
  expect_equal(functional_depth(x, from = 0, to = 1), c(up = 0.7, down = 0.7, level = 14 / 15))
  twice <- plf(c(0, 2), list(up = c(0, 10), down = c(10, 0), level = c(4, 4)))
  expect_equal(functional_depth(twice, from = 0, to = 2), functional_depth(x, from = 0, to = 1))
})

test_that("depths keep names and shapes, and windows and units of time", {
  x <- random_pcf(6)
  names(x) <- letters[1:6]
  expect_named(functional_depth(x, from = 0, to = 9), letters[1:6])
  shaped <- array(x, c(2, 3))
  plain <- functional_depth(unname(x), from = 0, to = 9)
  expect_identical(functional_depth(shaped, from = 0, to = 9), array(plain, 2:3))
  days <- as.Date("2024-01-01") + c(0, 10)
  dated <- pcf(days, list(2:1, c(1, 3), 0:1))
  expect_equal(functional_depth(dated, from = days[1], to = days[2]), c(2, 3, 2) / 3)
  expect_identical(functional_depth(x[0]), stats::setNames(numeric(), character()))
  expect_identical(functional_depth(unname(x[1]), "integrated", from = 0, to = 9), 1 / 2)
  before <- c(pcf(c(-Inf, 0, 1), c(NA, 1, NA)), pcf(c(-Inf, 0, 1), c(NA, 2, NA)))
  expect_identical(functional_depth(before), c(1, 1)) # observed for a finite time
})

test_that("what has no depth is an error that says why, and what to do", {
  x <- random_pcf(3)
  expect_objection(functional_depth(x), "from", "A mean over time needs a finite window, but function 1 is 0, or has ",
                   "a value, from -Inf on. Set `from`, for example to the first breakpoint: `from = ")
  expect_objection(functional_depth(x, from = 0), "to", "keeps its last value forever")
  expect_objection(functional_depth(x[1], from = 0, to = 1), "x", "must have at least two functions: a band is ",
                   "between two. With `type = \"integrated\"` one is enough.")
  gap <- pcf(c(-Inf, 3, 4), c(0, NA, 0))
  problem <- expect_objection(functional_depth(c(x, gap), from = 0, to = 5), "missing", "set `missing = \"mean\"`")
  expect_no_match(conditionMessage(problem), "overlap")
  nowhere <- pcf(-Inf, NA)
  expect_objection(functional_depth(c(x, nowhere), from = 0, to = 5, missing = "mean"), "missing",
                   "function 4 is not observed. Leave it out, or choose another window.")
  expect_objection(functional_depth(c(nowhere, nowhere)), "x", "all values are missing")
  apart <- c(pcf(c(-Inf, 0, 1), c(NA, 1, NA)), pcf(c(-Inf, 2, 3), c(NA, 1, NA)))
  expect_objection(functional_depth(apart, missing = "mean"), "missing", "never observed, with a positive weight, ",
                   "together with another function, so that no band can hold it")
  expect_identical(functional_depth(apart, "integrated", missing = "mean"), c(1, 1) / 2)
  expect_objection(functional_depth(x, from = 0, to = 5, weight = pcf(0, 0)), "weight", "must be positive somewhere")
  many <- rep(plf(0:1, 0:1), 10001)
  expect_objection(functional_depth(many, from = 0, to = 1), "x", "10,001 piecewise linear functions")
  expect_objection(functional_depth(x, from = 1, to = 1), "from", "must be less than `to`")
})

test_that("lines far from 0 are as deep as those near to it", {
  for (seed in 1:20) with_seed(seed, {
    values <- lapply(1:6, function(i) round(rnorm(5) * 2^20) / 2^20)
    lines_at <- function(offset) plf(times, lapply(values, `+`, offset))
    times <- lapply(1:6, function(i) c(-1, sort(runif(4, 0, 5))))
    expect_identical(functional_depth(lines_at(1e6), from = 0, to = 5), functional_depth(lines_at(0), from = 0, to = 5))
  })
  # Here a value before the first breakpoint is 0, and a small one is not lost beside 1.
  late <- plf(list(1:2, 0:2, 0:2), list(c(5, 5), c(4, 4, 4), c(6, 6, 6)))
  expect_equal(functional_depth(late, from = 0, to = 2), c(5, 5, 4) / 6)
  small <- plf(0:1, list(c(1, 1), c(0, 0), c(1e-20, 1e-20)))
  expect_equal(functional_depth(small, from = 0, to = 1), c(2, 2, 3) / 3)
})
