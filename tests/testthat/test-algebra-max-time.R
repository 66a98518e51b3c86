test_that("start(), end() and max_time() are those of the breakpoints", {
  x <- random_pcf(20)
  expect_identical(start(x), vapply(unclass(x), function(f) f[1, 1], 0))
  expect_identical(end(x), vapply(unclass(x), function(f) f[nrow(f), 1], 0))
  expect_identical(max_time(x), max(as.data.frame(x)$time))
  expect_identical(max_time(x[3]), unname(end(x[3])))
  expect_identical(end(pcf(list(-Inf, c(-Inf, 2)), list(5, c(1, 1)))), c(-Inf, 2))
  expect_identical(max_time(pcf(-Inf, 5)), -Inf)
  expect_identical(start(pcf(list(c(-Inf, 2), c(-Inf, 2), -Inf), list(c(5, 1), c(NA, 1), NA))), c(-Inf, 2, -Inf))
  expect_identical(start(as_pcf(AirPassengers)), 1949)
})

test_that("they have the names and dimensions of the functions", {
  m <- array(random_pcf(24), 2:4)
  dimnames(m) <- list(sex = c("f", "m"), NULL, NULL)
  last <- array(vapply(unclass(m), function(f) f[nrow(f), 1], 0), dim(m), dimnames(m))
  expect_identical(end(m), last)
  expect_identical(max_time(m), max(last))
  expect_identical(max_time(m, 3), apply(last, 3, max))
  expect_identical(max_time(m, "sex"), apply(last, 1, max))
  expect_identical(max_time(m, c(1, 3)), apply(last, c(1, 3), max))
})

test_that("they have the unit of time", {
  days <- as.Date(c(a = "2024-02-27", b = "2024-03-02"))
  x <- pcf(list(a = days[1] + 0:2, b = days[2] + 0:1), list(c(1, 2, 0), c(1, 0)))
  expect_identical(start(x), days)
  expect_identical(end(x), days + 2:1)
  expect_identical(max_time(x), unname(days[2] + 1))
  at <- as.POSIXct("2024-03-31 02:30", tz = "Europe/Stockholm") + 0:1
  expect_identical(max_time(pcf(at, c(1, 0))), at[2])
  expect_identical(end(array(x, c(2, 1))), structure(unclass(unname(days + 2:1)), dim = 2:1, class = "Date"))
  hours <- pcf(as.difftime(c(0, 90), units = "mins"), c(1, 0))
  expect_identical(max_time(hours), as.difftime(90, units = "mins"))
  expect_identical(max_time(as_pcf(ts(1:3, start = 2020, frequency = 12))), 2020 + 3 / 12)
})

test_that("what has no time is an error", {
  x <- random_pcf(3)
  expect_error(max_time(x[0]), "at least one function", class = "pcfdist_error_x")
  expect_identical(unname(end(x[0])), numeric())
  expect_error(max_time(1:3), class = "pcfdist_error_x")
  expect_error(max_time(x, 1), class = "pcfdist_error_margin")
  expect_error(max_time(array(x, c(3, 1)), 3), class = "pcfdist_error_margin")
})

test_that("a function that ends right after its last measurement has its time as the last one", {
  x <- data.frame(id = c("a", "a", "b"), time = c(0, 9, 4), value = 1:3)
  for (f in list(as_pcf(x), as_plf(x))) {
    expect_identical(end(f), c(a = 9, b = 4))
    expect_identical(max_time(f), 9)
    expect_identical(unname(diag(evaluate(f, end(f)))), c(2, 3))
  }
  expect_identical(end(pcf(c(0, 9, next_time(9)), c(1, NA, NA))), 9)
  expect_identical(end(pcf(c(0, 9, next_time(9)), 1:3)), next_time(9))
})

test_that("arrays without functions have no times, where they have no cells either", {
  for (x in list(random_pcf(3), random_plf(3))) for (unit in list(NULL, "days")) {
    time_unit(x) <- unit
    empty <- function(...) structure(x[0], dim = c(...), names = NULL)
    none <- max_time(x)[0]
    expect_identical(as.vector(max_time(empty(0, 3), 1)), as.vector(none))
    expect_identical(class(max_time(empty(0, 3), 1)), class(none))
    expect_identical(length(max_time(empty(0, 0), 2)), 0L)
    expect_identical(dim(max_time(empty(3, 0, 2), 1:2)), c(3L, 0L))
    labels <- list(NULL, NULL, c("a", "b"))
    expect_identical(dimnames(max_time(structure(empty(3, 0, 2), dimnames = labels), 2:3)), labels[2:3])
    for (margin in list(2, NULL)) expect_error(max_time(empty(0, 3), margin), class = "pcfdist_error_x")
    one <- structure(x[1], dim = c(1, 1), dimnames = list("a", NULL))
    expect_identical(names(max_time(one, 1)), "a")
  }
})
