# Numbers of single functions. Each gives one for each function, or several.
numbers <- list(
  integral = function(x) integral(x, 0, 4),
  mean = function(x) integral(x, 0, 4, missing = "mean"),
  overlap = function(x) integral(x, to = 5, missing = "overlap"),
  weighted = function(x) integral(x, 0, 4, weight = pcf(c(0, 1), c(1, 0.5))),
  l1 = function(x) lp_norm(x, to = 4), l2 = function(x) lp_norm(x, 2, to = 4),
  l3 = function(x) lp_norm(x, 3, to = 4), linf = function(x) lp_norm(x, Inf, to = 4),
  one = function(x) evaluate(x, 1), several = function(x) evaluate(x, c(3, 0.5, 1)),
  left = function(x) evaluate(x, 1:2, side = "left"), matrix = function(x) as.matrix(x, 1:2),
  crossing = function(x) crossing_time(x, c(2, 0.5), decreasing = FALSE),
  most = function(x) max_value(x, 0, 4), least = function(x) min_value(x, 0, 4),
  time_of_max = function(x) time_of_max(x, 0, 4), time_of_min = function(x) time_of_min(x, 0, 4),
  up_to = function(x) cumulative(x, 0, times = c(3, 0.5)),
  start = start, end = end, max_time = function(x) max_time(array(x, c(length(x), 1)), 1)
)

test_that("numbers of a missing function are NA, and those of others as without it", {
  for (make in list(random_pcf, random_plf)) for (seed in 1:4) {
    x <- make(6, seed = seed)
    if (seed %% 2 == 0) names(x) <- letters[1:6]
    at <- with_seed(seed, sample(c(1:6, rep(NA, seed))))
    for (what in names(numbers)) {
      value <- numbers[[what]]
      some <- cbind(value(x[at]))
      all <- cbind(value(x))
      expect_identical(as.vector(some), as.vector(all[at, ]), label = what)
      expect_identical(rownames(some), rownames(all)[at], label = what)
    }
  }
})

test_that("times of a missing function are NA in their unit", {
  day <- as.Date("2024-01-01") + 0:3
  x <- pcf(list(a = day[1:2], b = day[c(2, 4)]), list(1:2, 3:2))[c("a", NA, "b")]
  expect_identical(start(x), setNames(day[c(1, NA, 2)], c("a", NA, "b")))
  expect_identical(end(x), setNames(day[c(2, NA, 4)], c("a", NA, "b")))
  expect_identical(max_time(x), as.Date(NA_real_))
  expect_identical(as.vector(crossing_time(x, 2, decreasing = FALSE)), as.double(day[c(2, NA, 2)]))
  expect_s3_class(crossing_time(x, 2, decreasing = FALSE), "Date")
})

test_that("numbers are NA if all functions are missing", {
  for (x in list(random_pcf(2), random_plf(2))) {
    gone <- x[c(NA, NA)]
    for (what in names(numbers)) {
      value <- numbers[[what]](gone)
      expect_true(all(is.na(value)), label = what)
      expect_identical(dim(value), dim(numbers[[what]](x)), label = what)
    }
    expect_true(all(is.na(crossing_time(gone, 1))))
    expect_true(is.na(max_time(x[c(1, NA)])))
  }
})

test_that("a row with a missing component has no number", {
  m <- array(random_pcf(6), c(3, 2), list(letters[1:3], NULL))
  for (row in 1:3) {
    n <- m
    n[[row, 1 + row %% 2]] <- NA
    for (value in list(function(x) integral(x, 0, 4, margin = 1), function(x) lp_norm(x, 2, 0, 4, margin = 1))) {
      expect_identical(value(n), replace(value(m), row, NA))
    }
  }
  expect_identical(as.vector(integral(n[c(3, 3), ], margin = 1)), c(NA_real_, NA))
})

test_that("errors name the positions of functions among missing ones", {
  x <- pcf(list(1, 0:1, c(0, 2)), list(2, c(1, NA), c(1, NA)))[c(NA, 2, NA, 3)]
  raised <- tryCatch(integral(x), error = identity)
  expect_match(conditionMessage(raised), "function 4 is observed on [1, 2), and function 2 is not", fixed = TRUE)
  broken <- unclass(x)
  broken[[2]] <- cbind(2:1 + 0, 1)
  broken <- structure(broken, class = "pcf")
  for (value in numbers[c("integral", "several", "crossing", "start")]) {
    expect_error(value(broken), "function 2 has the time", class = "pcfdist_error_x")
  }
  expect_error(evaluate(x, "a"), class = "pcfdist_error_times")
})
