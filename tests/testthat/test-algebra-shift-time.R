test_that("times are moved and multiplied", {
  x <- random_pcf(12)
  expect_identical(shift_time(x, 2.5), map_pcf(x, times = function(t) t + 2.5))
  expect_identical(shift_time(x, -1), map_pcf(x, times = function(t) t - 1))
  expect_identical(scale_time(x, 60), map_pcf(x, times = function(t) t * 60))
  expect_identical(scale_time(x, 0.1), map_pcf(x, times = function(t) t * 0.1))
  expect_identical(shift_time(x, 0), x)
  expect_identical(scale_time(x, 1L), x)
})

test_that("numbers and functions are recycled", {
  x <- random_pcf(4)
  by <- c(1, 2, 3, 4)
  expect_identical(shift_time(x, by)[3], shift_time(x[3], 3))
  expect_identical(scale_time(x, by)[4], scale_time(x[4], 4))
  expect_identical(shift_time(x, 1:2), shift_time(x, c(1, 2, 1, 2)))
  expect_identical(shift_time(x[1], by), shift_time(x[c(1, 1, 1, 1)], by))
  expect_warning(z <- shift_time(x, 1:3), "not a multiple")
  expect_identical(z, shift_time(x, c(1, 2, 3, 1)))
  expect_identical(scale_time(x, numeric()), x[0])
})

test_that("distances do not change when all functions are shifted", {
  x <- tied_pcf(20)
  expect_identical(c(pdist(shift_time(x, 7), to = 50)), c(pdist(x, to = 43)))
  expect_near(pdist(scale_time(x, 4), to = 100), 4 * pdist(x, to = 25))
  expect_near(pdist(scale_time(x, 4), p = 2, to = 100), 2 * pdist(x, p = 2, to = 25))
  expect_near(lp_distance(shift_time(x, 1), shift_time(rev(x), 1), to = 9),
              lp_distance(x, rev(x), to = 8))
})

test_that("shifting back gives the function again", {
  x <- tied_pcf(20)
  expect_identical(shift_time(shift_time(x, 5), -5), x)
  expect_identical(scale_time(scale_time(x, 8), 1 / 8), x)
  expect_identical(shift_time(x, 3) + shift_time(rev(x), 3), shift_time(x + rev(x), 3))
})

test_that("times that become equal or infinite are errors", {
  x <- example_pcf()
  refused(shift_time(x, 1e300), "by",
          'is too large or too small: of function 1 ("a"), the times 0 and 2 would both be 1e+300.')
  refused(shift_time(x, c(0, 1e17)), "by",
          'is too large or too small: of function 2 ("b"), the times 1 and 4 would both be 1e+17.')
  refused(shift_time(pcf(1e308, 1), 1e308), "by",
          "is too large or too small: of the function, the time 1e+308 would be Inf.")
  refused(scale_time(x, 1e308), "by", 'is too large or too small: of function 1 ("a"), the time 2 would be Inf.')
  refused(scale_time(pcf(c(0.1, 0.2), 1:2), 5e-324), "by",
          "is too large or too small: of the function, the times 0.1 and 0.2 would both be 0.")
  error <- tryCatch(shift_time(x, c(0, 1e17)), error = identity)
  expect_s3_class(error, "pcfdist_error_by")
  expect_identical(error$index, 2)
})

test_that("of several faults in long functions the first is named", {
  times <- c(0.25, 0.25 + 2^-53, 1:30000)
  x <- c(random_long(30000, 1), pcf(times, times), pcf(times, times))
  for (threads in c(1, 3)) {
    error <- tryCatch(shift_time(x, 2^53 - 1, threads = threads), error = identity)
    expect_identical(error$index, 1)
    error <- tryCatch(shift_time(x, 1.5, threads = threads), error = identity)
    expect_identical(error$index, 2)
  }
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  wrong <- structure(list(cbind(c(1, 0), 1)), class = c("pcf", "list"))
  refused(shift_time(3, 1), "x", "must be a <pcf>, not 3. ", makes_pcf)
  refused(shift_time(x, "a"), "by", 'must be numbers, not "a".')
  refused(shift_time(x, NA_real_), "by", "must be finite, not NA.")
  refused(shift_time(x, Inf), "by", "must be finite, not Inf.")
  refused(shift_time(x, c(1, NA)), "by", "must be finite, not NA at position 2.")
  refused(shift_time(x, c(b = NA, a = 1)), "by", "must be finite, not NA at position 1.")
  refused(shift_time(x, as.Date("2024-01-01")), "by", "must be numbers, not an object of class <Date> of length 1.")
  refused(scale_time(x, 0), "by", "must be positive, not 0.")
  refused(scale_time(x, c(1, -2)), "by", "must be positive, not -2 at position 2.")
  refused(scale_time(x, NULL), "by", "must be numbers, not NULL.")
  # The rest of the message, and a warning, are R's.
  expect_error(suppressWarnings(shift_time(structure(x, dim = c(1, 2)), 1:3)),
               "^`by` cannot be combined with `x`: ", class = "pcfdist_error_by")
  refused(shift_time(wrong, 1), "x",
          "is invalid: the function has the time 0 at position 2, after 1. Times must increase.")
  refused(shift_time(x, 1, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
})

test_that("the last measured moment stays one, though its breakpoint was dropped", {
  with_seed(1, for (k in 1:100) {
    end <- sample(20, 1)
    x <- counting(list(sort(runif(2, 0, end)), sort(runif(3, 0, end))), from = 0, to = end)
    if (k %% 2) x <- as_plf(x)
    by <- round(rnorm(1, 0, 10^sample(0:4, 1)), 2)
    shifted <- shift_time(x, by)
    expect_identical(evaluate(shifted, end + by), unname(evaluate(x, end)), ignore_attr = TRUE)
    expect_identical(unname(end(shifted)), rep(end + by, 2))
    expect_identical(unname(end(scale_time(x, 3.7))), rep(end * 3.7, 2))
  })
  days <- as.Date("2020-01-01") + c(0, 1, 0, 1)
  x <- drop_redundant(as_pcf(data.frame(id = c(1, 1, 2, 2), time = days, value = c(1, 1, 2, 3)), id = "id"))
  expect_equal(as.vector(pdist(shift_time(x, since = days[1]))), as.vector(pdist(x)))
  trains <- counting(list(c(1, 5), c(1, 3)), from = 0, to = 5)
  spike <- function(x) as.vector(pdist(x, distance = "spike"))
  expect_equal(spike(shift_time(trains, 10)), spike(trains))
  time_unit(x) <- "Date"
  hours <- counting(list(1, 3), from = 0, to = 7)
  time_unit(hours) <- "hours"
  in_days <- c(hours, pcf(as.difftime(1, units = "days"), 1))
  expect_identical(as.numeric(end(in_days)[1], units = "hours"), 7)
})

test_that("lines that become too steep or too long are errors", {
  expect_error(scale_time(plf(c(-1, 1), c(1, 2)), 1.5e308), "overflows", class = "pcfdist_error_by")
  expect_error(scale_time(plf(c(0, 1e-300, 1), c(0, 1, 1)), 1e-20), "slope", class = "pcfdist_error_by")
})
