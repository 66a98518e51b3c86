test_that("start(), end() and max_time() are those of lines", {
  x <- c(random_plf(6), plf(c(2, 20), c(1, 0), left = c(NA, 1)))
  expect_identical(start(x), vapply(unclass(x), function(f) f[[1, 1]], 0))
  expect_identical(end(x), vapply(unclass(x), function(f) f[[nrow(f), 1]], 0))
  expect_identical(max_time(x), 20)
  m <- x[1:6]
  dim(m) <- c(2, 3)
  expect_identical(max_time(m, 1), apply(end(m), 1, max))
  days <- plf(as.Date("2024-01-01") + 0:1, 1:0)
  expect_identical(c(start(days), max_time(days)), as.Date("2024-01-01") + 0:1)
})

test_that("diff() takes the differences of lines", {
  x <- random_plf(5)
  expect_identical(diff(x), x[2:5] - unname(x)[1:4])
  expect_identical(diff(x, 2), x[3:5] - unname(x)[1:3])
})

test_that("groups and margins of lines are reduced as those of steps", {
  x <- random_plf(6, gaps = 0.2)
  names(x) <- letters[1:6]
  group <- rep(c("u", "v"), 3)
  one <- function(i) unname(mean(x[i], na.rm = TRUE))
  means <- c(u = one(c(1, 3, 5)), v = one(c(2, 4, 6)))
  expect_identical(aggregate(x, group, mean, na.rm = TRUE), means)
  expect_identical(aggregate(x, list(g = group), mean, na.rm = TRUE)$x, unname(means))
  expect_identical(aggregate(x, group, function(f) f[2]), c(u = unname(x[3]), v = unname(x[4])))
  expect_true(is_plf(aggregate(x[0], character(), function(f) f[1])))
  m <- unname(x)
  dim(m) <- c(2, 3)
  expect_identical(mean(m, margin = 1, na.rm = TRUE), unname(means))
  expect_identical(do.call(c, apply(m, 1, mean, na.rm = TRUE)), unname(means))
})

test_that("lines are filled in where they are not observed", {
  f <- plf(c(0, 1, 3, 4, 6), c(1, NA, 5, NA, NA), left = c(NA, 2, NA, 6, NA))
  filled <- plf(c(0, 1, 3, 4, 6), c(1, 7, 5, 7, 7), left = c(7, 2, 7, 6, 7))
  expect_identical(fill_missing(f, 7), filled)
  held <- plf(c(0, 1, 3, 4, 6), c(1, 2, 5, 6, 6), left = c(NA, 2, 2, 6, 6))
  expect_identical(fill_missing(f, "hold"), held)
  never <- plf(0:1, c(NA, 1), left = c(NA, NA))
  expect_identical(fill_missing(c(f, never), "hold"), c(held, never))
  from_zero <- plf(0:1, c(NA, 1), left = c(0, NA))
  expect_identical(fill_missing(c(f, from_zero), "hold"), c(held, plf(0:1, 0:1, left = c(0, 0))))
  x <- random_plf(8)
  expect_identical(fill_missing(x), x)
  y <- random_plf(20, gaps = 0.3)
  for (value in list(0, 2)) {
    full <- fill_missing(y, value)
    times <- seq(-4, 16, 0.25)
    for (side in c("left", "right")) {
      before <- evaluate(y, times, side = side)
      expect_identical(evaluate(full, times, side = side), replace(before, is.na(before), value))
    }
  }
  expect_error(fill_missing(f, NA), class = "pcfdist_error_value")
})

test_that("what has no meaning for lines says so", {
  x <- random_plf(2)
  expect_error(rectangles(x[1], x[2]), "step functions are needed", class = "pcfdist_error_f")
  expect_error(subsample_near(x, 1), class = "pcfdist_error_x")
  expect_identical(scale_time(scale_time(x, 2), 0.5), x)
})

test_that("hints for lines are about what lines have", {
  x <- plf(c(0, 1), list(0:1, c(2, 0)))
  spread <- "quantile\\(\\) and standard_deviation\\(x\\) show their spread"
  expect_error(as.numeric(x), spread, class = "pcfdist_error_generic")
})

test_that("constants without times go with lines in any unit", {
  days <- as.Date("2024-01-01") + c(0, 10, 20)
  x <- plf(list(a = days, b = days), list(c(8, 12, 8), c(9, 9, 13)))
  k <- pcf(-Inf, 10)
  line <- plf(days[1], 10, left = 10)
  expect_true(all(c(x, k) == c(x, line)))
  expect_true(all(c(k, x) == c(line, x)))
  y <- x
  y[2] <- k
  expect_true(all(y == c(x[1], line)))
  y[[1]] <- k
  expect_true(all(y == line & k == y))
  y <- c(k, k)
  y[2] <- x[1]
  expect_true(all(y == c(line, x[1])))
  expect_identical(x == k, c(a = FALSE, b = FALSE))
  expect_identical(max(x, k), max(x, line))
  expect_true(all(rbind(x, k) == rbind(x, line)))
  plain <- plf(0:1, 1:0)
  refused(c(x, k, plain), "...", "has plain numbers as times, but what comes before has dates. They cannot be ",
          "combined. ", sets_unit)
  refused(c(plain, k, x), "...", "has dates as times, but what comes before has plain numbers. They cannot be ",
          "combined. ", sets_unit)
})

test_that("constants without times add no breakpoints to lines", {
  x <- plf(list(a = 3:5, b = -5:-3), list(c(8, 12, 8), c(9, 9, 13)), left = list(c(8, 12, 8), c(9, 9, 13)))
  k <- pcf(list(-Inf, c(-Inf, 4)), list(10, c(10, 10)))
  constant <- plf(list(3, -5), list(10, 10), left = list(10, 10))
  for (operator in c("+", "-", "*", ">", "<=", "pmin", "pmax")) {
    combined <- get(operator, mode = "function")
    expect_identical(combined(x, k[1]), combined(x, constant))
    expect_identical(combined(k[c(1, 1)], x), combined(constant, x))
  }
  expect_identical(as.data.frame(x + k)$time, c(3, 4, 5, -5, -4, -3, 4))
  expect_identical(unname(x["a"]) + k[c(1, 1)], unname(x[c("a", "a")]) + 10)
})
