test_that("unbounded stretches give infinity, or nothing where the function is 0", {
  x <- pcf(list(c(0, 1), c(0, 1), c(0, 1)), list(c(1, -2), c(1, 0), c(-3, 4)))
  expect_identical(lp_norm(x), c(Inf, 1, Inf))
  expect_identical(lp_norm(x, 2), c(Inf, 1, Inf))
  expect_identical(lp_norm(x, Inf), c(2, 1, 4))
  expect_identical(integral(x), c(-Inf, 1, Inf))
  expect_identical(integral(x, to = 3), c(-3, 1, 5))
  expect_identical(lp_norm(x, to = 1), c(1, 1, 3))
  expect_identical(lp_norm(x, Inf, to = 1), c(1, 1, 3))
  expect_identical(lp_norm(x, from = -5, to = 0), c(0, 0, 0))
  for (p in c(1, 3)) expect_identical(lp_norm(pcf(list(0, 0), list(0, -0)), p), c(0, 0))
})

test_that("the shape of the collection is that of the result", {
  x <- example_pcf()
  expect_identical(lp_norm(x), c(a = 11, b = 6))
  expect_identical(integral(x, to = 1), c(a = 1, b = 0))
  y <- structure(random_pcf(6), dim = 2:3, dimnames = list(c("u", "v"), NULL))
  expected <- matrix(lp_norm(random_pcf(6), to = 3), 2, dimnames = dimnames(y))
  expect_identical(lp_norm(y, to = 3), expected)
  expect_identical(lp_norm(x[0]), structure(numeric(), names = character()))
  expect_identical(integral(pcf(list(), list())), numeric())
  expect_identical(lp_norm(pcf(3, 5), to = 7), 20)
})

test_that("arguments are checked", {
  x <- example_pcf()
  refused(lp_norm(3), "x", "must be a <pcf>, not 3. ", makes_pcf)
  refused(lp_norm(x, p = 0.5), "p", "must be a number of at least 1, or Inf, not 0.5.")
  refused(lp_norm(x, from = 2, to = 1), "from", "must be at most `to`: 2 is greater than 1.")
  refused(lp_norm(x, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
  refused(integral(mtcars), "x", "must be a <pcf>, not a data frame with 11 columns. ", makes_pcf)
  refused(integral(x, to = NA), "to", "must be a number, not NA.")
})

test_that("functions that are not sound are named", {
  x <- unclass(random_pcf(2000))
  corrupt <- function(i, row, column, value) {
    x[[i]][row, column] <- value
    structure(x, class = c("pcf", "list"))
  }
  refused(lp_norm(corrupt(7, 1, 1, NA)), "x", "is invalid: function 7 has a missing time (NA) at position 1.")
  refused(lp_norm(corrupt(1999, 1, 2, Inf), p = 2), "x",
          "is invalid: function 1999 has an infinite value (Inf) at position 1.")
  refused(integral(corrupt(3, 1, 2, NaN), from = 5, to = 6), "x",
          "is invalid: function 3 has the value NaN at position 1. NA stands for values that are not observed.")
  refused(lp_norm(structure(list(cbind(0, 0), 1:3), class = c("pcf", "list"))), "x", "is invalid: function 2 is an ",
          "integer vector of length 3, not a double matrix with the columns time and value.")
  x[[1200]][1, 1] <- Inf
  bad <- corrupt(1500, 1, 2, NA)
  for (threads in c(1, 3)) {
    error <- tryCatch(lp_norm(bad, threads = threads), error = identity)
    expect_identical(error$index, 1200)
  }
})

test_that("tall and narrow pieces count beside low and wide ones", {
  for (e in c(200, 160)) {
    expect_near(lp_norm(pcf(c(0, 10^-e, 10^e), c(10^e, 1, 0)), 2), sqrt(2) * 10^(e / 2), 1e-13)
  }
  f <- pcf(c(0, 1e-300, 1e304), c(1e300, 1e-24, 0))
  expect_near(integral(f), 1e280, 1e-13)
  expect_near(integral(-f), -1e280, 1e-13)
  expect_near(lp_norm(f), 1e280, 1e-13)
  for (end in c(1e300, 1e290)) {
    expect_near(lp_norm(pcf(c(0, 1e-30, end), c(1, 1e-20, 0)), 20), 10^-1.5, 1e-12)
  }
  f <- pcf(c(0, 1e-100, 1e230), c(1e10, 1e-100, 0))
  expect_near(lp_norm(f, 3.3), (1e-67 + 10^-100)^(1 / 3.3), 1e-12)
  expect_near(lp_norm(pcf(c(0, 1), c(3, 0)), 1e6), 3, 1e-12)
  expect_near(lp_norm(pcf(c(0, 1, 2), c(3e-300, 2e-300, 0)), 1e300), 3e-300, 1e-12)
})

test_that("the squares of tiny values count over wide windows", {
  for (f in list(pcf(0, 2e-162), pcf(c(0, 1), rep(2e-162, 2)), pcf(c(0, 1e60), c(2e-162, 0)))) {
    expect_near(lp_norm(f, 2, to = 1e60), 2e-132, 1e-13)
  }
  expect_near(lp_norm(pcf(0, 1.234567e-160), 2, to = 1e100), 1.234567e-110, 1e-13)
})

test_that("weights and means of values and times of any magnitude keep their digits", {
  narrow <- pcf(c(0, 1e-200), c(1e-200, 0))
  wide <- pcf(c(0, 1e200), c(1e200, 0))
  expect_near(integral(narrow, 0, 1e-200, missing = "mean"), 1e-200)
  expect_near(lp_norm(narrow, 3, 0, 1e-200, missing = "mean"), 1e-200)
  expect_near(lp_norm(wide, 2, 0, 1e200, missing = "mean"), 1e200)
  expect_near(lp_norm(wide, 1, 0, 1e200, weight = pcf(0, 1e-200)), 1e200)
  expect_near(integral(narrow, 0, 1e-200, weight = pcf(0, 1e200)), 1e-200)
  tiny <- pcf(list(c(0, 1e30), c(0, 1)), list(c(-1e-300, 0), 2:1))
  expect_near(integral(tiny, to = 1e30, weight = pcf(0, 1e-20)), c(-1e-290, 1e10))
  expect_identical(suppressWarnings(lp_norm(pcf(0:1, c(1e300, 0)), weight = pcf(0, 1e20), to = 1)), Inf)
})

test_that("values outside of the window take no digits from those within", {
  f <- plf(0:3, c(0, 0, 1e-30, 0), left = c(0, 1e300, 0, 1e-30))
  gap <- plf(0:3, c(0, NA, 1e-30, 0))
  expect_near(lp_norm(f, 3, 2, 3), 1e-30)
  expect_near(integral(f, 2, 3, missing = "mean"), 1e-30)
  expect_near(lp_norm(c(f, gap), 2, 2, 3, missing = "overlap")[1], 1e-30)
  expect_identical(suppressWarnings(lp_norm(plf(0:3, c(0, 1e300, 0, 1e-30), left = c(0, 1e300, 1e300, 0)), 3)), Inf)
})

test_that("what is left of a line is measured from its nearer end", {
  f <- plf(c(-1000, 0), c(1e6, 0), left = c(0, 1e-6))
  at <- -2^-30
  expect_near(evaluate(f, at), 1e-6 - at * (1e6 - 1e-6) / 1000)
  expect_near(integral(f, at, 0), -at * (1e-6 - at * (1e6 - 1e-6) / 2000))
  expect_near(evaluate(f + plf(0, 0), at), evaluate(f, at))
  expect_identical(evaluate(plf(c(0, 1e-323), c(0, 1e-300)), 5e-324), 5e-301)
  expect_gt(lp_norm(plf(c(0, 1e300), c(5e-324, 0), left = c(0, 5e-324)), to = 5e299), 0)
})

# A line of slope a from -3 a at `shift` to 4 a, 7 later, in windows next to its zero: the values at their ends are
# exact.
test_that("a small part of a line near to its zero has all digits", {
  for (seed in 1:60) {
    draw <- with_seed(seed, list(
      a = sample(c(-1, 1), 1) * sample(2^20, 1) * 2^sample(-200:200, 1), shift = sample(c(0, 512, 2^30), 1),
      e = 10^runif(1, -5, -1), width = runif(1, 0.5, 2), p = sample(c(1, 1.5, 1.7, 2, 3, Inf), 1)
    ))
    a <- draw$a
    zero <- draw$shift + 3
    from <- zero + draw$e
    to <- from + draw$e * draw$width
    if (seed %% 3 == 0) {
      to <- zero - draw$e
      from <- to - draw$e * draw$width
    }
    ends <- a * (c(from, to) - zero)
    x <- plf(draw$shift + c(0, 7), a * c(-3, 4))
    flat <- plf(draw$shift + c(0, 7), c(0, 0))
    p <- draw$p
    unit <- max(abs(ends))
    power <- diff(sign(ends[2]) * abs(ends / unit)^(p + 1)) * sign(diff(ends)) / (p + 1) / (abs(a) / unit)
    norm <- if (p == Inf) unit else unit * abs(power)^(1 / p)
    area <- sum(ends) / 2 * (to - from)
    label <- paste("seed", seed, "p", p)
    near <- function(found, expected) expect_near(c(found), expected, 2e-14, label = label)
    near(evaluate(x, c(from, to)), ends)
    near(lp_norm(x, p, from, to), norm)
    near(lp_norm(x, p, from, to, weight = pcf(from, 1)), norm)
    near(lp_norm(x, p, from, to, missing = "mean") * if (p == Inf) 1 else (to - from)^(1 / p), norm)
    near(lp_norm(restrict(x, from, to), p), norm)
    near(integral(x, from, to), area)
    near(integral(x, from, to, weight = pcf(from, 1)), area)
    for (kernel in c("auto", "sweep")) with_settings(kernel = kernel, {
      near(cdist(x, flat, p, from, to), norm)
      near(l2_kernel(x, plf(from, 1), from = from, to = to), area)
    })
    near(lp_distance(x, flat, p, from, to), norm)
  }
})
