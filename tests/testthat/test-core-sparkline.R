# Small pictures of functions in text.

# The heights 1 to 8 of the signs of a picture, 0 in gaps.
heights_of <- function(x) {
  codes <- lapply(sparklines(x, unicode = TRUE), utf8ToInt)
  lapply(codes, function(code) ifelse(code == utf8ToInt(" "), 0, code - 0x2580))
}

gap_example <- function() {
  c(
    joined = plf(c(0, 15), c(0, 15)),
    jump = pcf(c(0, 8), c(0, 15)),
    short_gap = pcf(c(0, 4, 4.01, 15), c(15, NA, 0, 5)),
    end = as_plf(data.frame(time = c(0, 6), value = c(3, 9)))
  )
}

expect_printed <- function(unicode) {
  old <- options(cli.unicode = unicode)
  on.exit(options(old))
  x <- gap_example()
  array <- structure(unname(x), dim = c(2, 2))
  missing <- replace(x, 2, NA)
  expect_snapshot({
    x
    array
    summary(x)
    missing
    as_pcf(AirPassengers)
  })
}

test_that("functions print with pictures in Unicode", {
  skip_if_not(l10n_info()[["UTF-8"]], "no Unicode in this locale")
  expect_printed(TRUE)
})

test_that("functions print with pictures in ASCII", {
  expect_printed(FALSE)
  expect_false(any(utf8ToInt(paste(sparklines(gap_example(), FALSE), collapse = "")) > 127))
})

test_that("pictures show values, jumps and gaps where they are", {
  shown <- heights_of(gap_example())
  expect_identical(lengths(shown), rep(16L, 4))
  expect_identical(shown[[1]], base::pmin(8, 1 + floor(8 * c(0:14 + 0.5, 15) / 15)))
  expect_identical(shown[[2]], rep(c(1, 8), each = 8))
  expect_identical(which(shown[[3]] == 0), 5L)
  expect_identical(shown[[4]] == 0, rep(c(FALSE, TRUE), c(6, 10)))
  # At single times only
  visits <- plf(c(0, next_time(0), 8, next_time(8)), c(1, NA, 2, NA), left = c(NA, 1, NA, 2))
  expect_identical(which(heights_of(visits)[[1]] > 0), c(1L, 16L))
})

test_that("pictures have the same width for any numbers", {
  times <- list(
    0, -Inf, 3, c(-1.7e308, 1.7e308), c(0, 5e-324), c(1, 1 + 2^-52), c(3, next_time(3)), c(-Inf, 0), c(-1e300, 1e-300)
  )
  for (time in times) {
    for (values in list(c(0, 1), c(NA, 1), c(-1.7e308, 1.7e308), c(0, 5e-324), c(1, NA), c(2, 2), c(NA, NA))) {
      for (make in list(pcf, plf)) {
        x <- tryCatch(make(time, values[seq_along(time)]), pcfdist_error = function(error) pcf(0, 0))
        expect_identical(nchar(sparklines(x, TRUE)), 16L)
        expect_match(sparklines(x, FALSE), "^[-_.^ ]{16}$")
      }
    }
  }
  expect_identical(sparklines(pcf(0, 1)[0]), character())
  constant <- strrep("\u2584", 16)
  expect_identical(sparklines(pcf(0, list(1, 1)), TRUE), c(constant, constant))
})

test_that("only the functions that are printed are drawn", {
  x <- c(pcf(0:1, list(0:1, 1:0)), pcf(0:1000, c(0:999, 0)))
  expect_identical(utils::capture.output(print(x, n = 2))[2:3], utils::capture.output(print(x[1:2]))[2:3])
})

test_that("tibbles have pictures, which stay where numbers have no room", {
  skip_if_not_installed("tibble")
  table <- tibble::tibble(id = 1:4, f = unname(gap_example()))
  picture <- sparklines(table$f)
  wide <- format(table, width = 80)
  narrow <- format(table, width = 30)
  for (k in 1:4) {
    expect_match(wide[k + 3], paste0(picture[k], "  ", format(table$f[k])), fixed = TRUE)
    expect_match(paste0(narrow[k + 3], strrep(" ", 16)), picture[k], fixed = TRUE)
  }
  expect_true(all(nchar(narrow) <= 30))
})
