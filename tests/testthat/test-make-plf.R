two_lines <- function() {
  plf(
    list(a = c(0, 1, 2), b = c(1, 2, 3, 4)), list(c(0, 1, 0), c(1, NA, 4, 4)),
    left = list(c(0, 1, 0), c(0, 3, NA, 4))
  )
}

test_that("plf() keeps times, left limits and values", {
  x <- two_lines()
  expect_true(is_plf(x))
  expect_false(is_pcf(x))
  expect_equal(
    unclass(x)$b, cbind(time = c(1, 2, 3, 4), left = c(0, 3, NA, 4), value = c(1, NA, 4, 4))
  )
  expect_identical(dim(plf(0:1, array(list(1:2, 1:2, 1:2, 1:2), c(2, 2)))), c(2L, 2L))
})

test_that("without left limits functions are continuous, and 0 before the first breakpoint", {
  expect_identical(plf(0:2, c(3, 1, 0)), plf(0:2, c(3, 1, 0), left = c(0, 1, 0)))
  expect_identical(
    plf(0:4, c(0, 1, NA, 2, 0)), plf(0:4, c(0, NA, NA, 2, 0), left = c(0, 1, NA, NA, 0))
  )
})

test_that("lists of times, values and left limits are matched by name", {
  times <- list(a = 0:2, b = c(0, 1, 3))
  values <- list(a = c(0, 1, 0), b = c(0, 3, 0))
  left <- list(a = c(0, 1, 0), b = c(0, 1, 0))
  x <- plf(times, unname(values), unname(left))
  expect_identical(plf(times, values[2:1], left), x)
  expect_identical(plf(times, values, left[2:1]), x)
  expect_identical(plf(times, values[2:1], left[2:1]), x)
  expect_identical(plf(times, unname(values), left[2:1]), x)
  expect_identical(plf(unname(times), values, left[2:1]), x)
  expect_identical(plf(times, values[2:1]), plf(times, values))
  refused(plf(times, values, setNames(left, c("a", "c"))), "left", "has names that do not match those of `times`: ",
          'function 2 is named "b" in `times`, and "c" in `left`. Use unname(left) to match by position.')
  refused(plf(unname(times), values, setNames(left, c("c", "b"))), "left", "has names that do not match those of ",
          '`values`: function 1 is named "a" in `values`, and "c" in `left`. Use unname(left) to match by position.')
  expect_objection(plf(times, setNames(values, c("a", "c"))), "values", "has names that do not match")
})

test_that("what breaks the rules of linear functions is named with its place", {
  fails <- function(class, index, position, ...) {
    error <- expect_error(plf(...), class = paste0("pcfdist_error_", class))
    if (!is.na(index)) expect_identical(c(error$index, error$position), c(index, position))
    conditionMessage(error)
  }
  at_once <- "at positions 1 and 2. For a jump, give one time with different `left` and value."
  expect_match(fails("times", 1, 2, c(0, 0), 1:2), at_once, fixed = TRUE)
  expect_match(fails("times", 1, 2, c(0, 0), 1:2, 1:2), at_once, fixed = TRUE)
  expect_match(fails("times", 1, 1, NULL, NULL), "The zero function is plf(0, 0).", fixed = TRUE)
  fails("times", 1, 2, c(0, NA), 1:2)
  fails("times", 1, 1, c(-Inf, 0), 1:2)
  fails("times", 1, 1, c(-Inf, 0), 1:2, 1:2)
  fails("times", 1, 2, c(1, 0), 1:2)
  fails("values", NA, NA, 0:1, 1:3)
  fails("values", 2, 1, list(0:1, 0:1), list(1:2, c(NaN, 2)))
  fails("values", 1, 2, 0:1, c(1, Inf), 1:2)
  fails("left", NA, NA, 0:1, 1:2, 1:3)
  fails("left", NA, NA, list(0, 1), list(1, 2), list(1))
  fails("left", NA, NA, 0:1, 1:2, c("a", "b"))
  fails("left", 1, 1, 0:1, 1:2, c(NaN, 1))
  fails("left", 1, 2, 0:1, 1:2, c(0, -Inf))
  expect_match(fails("left", 1, 2, 0:1, 1:2, c(0, NA)), "both must be NA")
  expect_match(fails("left", 1, 2, 0:1, c(NA, 2), c(0, 2)), "both must be NA")
  expect_match(fails("left", 1, 2, c(0, 1e-300), c(0, 1e10), c(0, 1e10)), "slope overflows")
  expect_match(fails("values", 1, 2, c(0, 1e-300), c(0, 1e10)), "slope overflows")
  expect_match(fails("left", 1, 2, c(-1e308, 1e308), 0:1, 0:1), "whose difference overflows")
})

test_that("a long function is checked on several threads as a short one is", {
  times <- seq_len(1e6)
  left <- replace(as.double(times), 500001, NA)
  error <- expect_error(plf(times, times, left), class = "pcfdist_error_left")
  expect_identical(error$position, 500001)
})

test_that("what needs step functions refuses linear ones", {
  x <- two_lines()
  expect_error(as_pcf(x), "step functions are needed", class = "pcfdist_error_x")
  expect_error(as.stepfun(x["a"]), "step functions are needed", class = "pcfdist_error_x")
})

test_that("linear functions print with their jumps and gaps", {
  dated <- plf(as.Date("2024-02-28") + 0:2, c(0, 1, 0))
  expect_snapshot({
    two_lines()
    str(two_lines())
    summary(two_lines())
    dated
    plf(numeric(), list())
  })
})

test_that("indexing keeps class, names, dimensions and units", {
  x <- two_lines()
  expect_identical(x["b"], x[2])
  expect_identical(unname(x["a"]), x[["a"]])
  expect_identical(x$a, x[["a"]])
  expect_identical(rev(x)[["a"]], x[["a"]])
  m <- array(rep(x, 3), c(2, 3))
  expect_identical(m[1, 3], x[["a"]])
  expect_identical(t(m)[3, 1], x[["a"]])
  expect_identical(as.list(x)$b, x[["b"]])
  dated <- plf(as.Date("2024-01-01") + 0:1, 1:2)
  expect_identical(time_unit(dated[1]), time_unit(dated))
  time_unit(dated) <- "POSIXct"
  expect_identical(unclass(dated)[[1]][, "left"], c(0, 2))
  x[3] <- NA
  expect_identical(unname(is.na(x)), c(FALSE, FALSE, TRUE))
})

test_that("step functions become linear ones beside these", {
  x <- two_lines()
  f <- pcf(0:2, c(1, 2, 0))
  expect_identical(c(x, f)[[3]], as_plf(f))
  expect_identical(c(f, x)[[1]], as_plf(f))
  x["a"] <- f
  expect_identical(x[["a"]], as_plf(f))
  y <- c(f, f)
  y[[2]] <- x["b"]
  expect_identical(y, unname(c(as_plf(f), x["b"])))
  expect_identical(dim(cbind(f, x)), c(2L, 2L))
})

test_that("what is no function is refused in the words of linear functions", {
  x <- two_lines()
  f <- pcf(0:2, c(1, 2, 0))
  converted <- function(expr) expect_error(expr, "cannot be converted to a plf: .* as_plf\\(\\) takes")
  converted(x[3] <- 5)
  converted(x[["a"]] <- 5)
  converted(c(x, 5))
  converted(c(f, x, 5))
  expect_error(f[2] <- 5, "cannot be converted to a pcf: .* as_pcf\\(\\) takes", class = "pcfdist_error_value")
})

test_that("the data frame of linear functions comes back", {
  x <- two_lines()
  d <- as.data.frame(x)
  expect_named(d, c("id", "time", "left", "value"))
  expect_identical(as_plf(d, left = "left"), x)
  expect_identical(data.frame(id = 1:2, f = x)$f, x)
})

test_that("linear functions are columns of tibbles", {
  skip_if_not_installed("tibble")
  skip_if_not_installed("vctrs")
  x <- two_lines()
  f <- pcf(0:2, c(1, 2, 0))
  expect_identical(tibble::tibble(f = x)$f, x)
  expect_identical(vctrs::vec_c(unname(x), f), unname(c(x, f)))
  expect_identical(vctrs::vec_c(f, unname(x)), unname(c(f, x)))
  expect_error(vctrs::vec_cast(x, f))
  expect_s3_class(vctrs::vec_ptype_common(f, x), "plf")
})

test_that("files of numpy and of R hold linear functions", {
  x <- two_lines()
  folder <- local_path()
  write_npy(x, folder)
  expect_identical(read_npy(folder), x)
  # Left limits do not stay behind where step functions take the place of linear ones.
  write_npy(pcf(0:1, 1:0), folder)
  expect_identical(read_npy(folder), pcf(0:1, 1:0))
  file <- local_path()
  saveRDS(x, file)
  expect_identical(readRDS(file), x)
})

test_that("parts of files that do not go together are an error", {
  folder <- local_path()
  write_npy(two_lines(), folder)
  write_npy(1:2, file.path(folder, "left.npy"))
  expect_error(read_npy(folder), "left.npy is not the file", class = "pcfdist_error_path")
  without_checksums(folder)
  expect_error(read_npy(folder), "left limits", class = "pcfdist_error_path")
})

test_that("cumulative() refuses integrals that overflow", {
  for (x in list(pcf(c(0, 10), c(1e308, 0)), pcf(c(-1e308, 1e308), c(0, 0)))) {
    refused(cumulative(x), "x", "has an integral that overflows: that of the function.")
  }
  expect_error(cumulative(pcf(c(0, 2), c(1e308, NA)), to = 1), "its slope overflows", class = "pcfdist_error_x")
})

test_that("cumulative() is the integral up to each time", {
  f <- pcf(list(c(0, 1, 1.5, 4), c(-2, 3)), list(c(0, 2, 1, 0), c(1, 0)))
  expect_identical(
    cumulative(f), plf(list(c(0, 1, 1.5, 4), c(-2, 3)), list(c(0, 0, 1, 3.5), c(0, 5)))
  )
  expect_identical(cumulative(pcf(0, 1), to = 3), plf(c(0, 3), c(0, 3)))
  expect_identical(cumulative(pcf(c(-Inf, 0, 2), c(1, 2, 0)), from = -2), plf(c(-2, 0, 2), c(0, 2, 6)))
  expect_identical(cumulative(pcf(0, 0)), plf(0, 0))
  days <- as.Date("2024-02-27") + c(0, 4)
  expect_identical(cumulative(pcf(days, c(2, 0))), plf(days, c(0, 8)))
})

test_that("an integral is not known after a gap, and has to be finite", {
  gap <- cumulative(pcf(c(0, 1, 2, 3), c(1, NA, 1, 0)))
  expect_identical(gap, plf(0:3, c(0, NA, NA, NA), left = c(0, 1, NA, NA)))
  error <- expect_error(cumulative(pcf(list(0, 0), list(0, 1))), "function 2", class = "pcfdist_error_x")
  expect_error(cumulative(pcf(c(-Inf, 1), c(2, 0))), "from -Inf on", class = "pcfdist_error_x")
})
