test_that("[ keeps class and names", {
  x <- example_pcf()
  expect_identical(x["b"], pcf(list(b = c(1, 4)), list(c(2, 0))))
  expect_identical(x[2:1], x[c("b", "a")])
  expect_identical(x[-1], x[c(FALSE, TRUE)])
  expect_identical(x[], x)
  expect_identical(x[0], new_pcf(unclass(x)[0]))
  expect_identical(rev(x), x[2:1])
  expect_identical(head(x, 1), x[1])
})

test_that("[[ and $ give one function", {
  x <- example_pcf()
  expect_identical(x[[2]], pcf(c(1, 4), c(2, 0)))
  expect_identical(x[["b"]], x[[2]])
  expect_identical(x$b, x[[2]])
})

test_that("arrays of functions can be subset", {
  x <- random_pcf(6)
  y <- structure(x, dim = 2:3, dimnames = list(c("a", "b"), NULL))
  expect_identical(y["b", ], x[c(2, 4, 6)])
  expect_identical(dim(y[1, , drop = FALSE]), c(1L, 3L))
  expect_identical(y[, 2:3], structure(y[3:6], dim = c(2L, 2L), dimnames = dimnames(y)))
  expect_identical(y[cbind(1:2, 2:3)], x[c(3, 6)])
  expect_identical(y[[2, 3]], x[6])
  expect_identical(dim(t(y)), c(3L, 2L))
  expect_true(is_pcf(t(y)))
})

test_that("subscripts without a function are errors", {
  x <- example_pcf()
  for (call in expression(x[3], x[c(NA, 3)], x[c(NA, "c")], x["c"], x[["c"]], x$c, x[[c(1, 1)]],
                         x[c(TRUE, NA, TRUE)], x[5] <- pcf(0, 1))) {
    expect_refusal(eval(call), "subscript",
                   "The subscript selects a function that does not exist: the collection has length 2.")
  }
  expect_error(x[[3]], "out of bounds")
})

test_that("functions can be replaced, added and removed", {
  x <- example_pcf()
  f <- pcf(7, 7)
  x[["b"]] <- f
  expect_identical(x$b, f)
  x[c("a", "c")] <- list(cbind(1, 2), ecdf(1))
  expect_identical(x, c(a = pcf(1, 2), b = f, c = pcf(1, 1)))
  x$a <- stepfun(1, 0:1)
  expect_identical(x$a, pcf(1, 1))
  x$a <- NULL
  x["b"] <- NULL
  expect_identical(x, c(c = pcf(1, 1)))
  x[] <- f
  expect_identical(x, c(c = f))
})

test_that("functions in arrays can be replaced", {
  y <- array(random_pcf(4), c(2, 2))
  y[1, ] <- pcf(0, 1)
  y[[2, 2]] <- pcf(0, 2)
  expect_identical(dim(y), c(2L, 2L))
  expect_identical(y[c(1, 3, 4)], pcf(0, list(1, 1, 2)))
})

test_that("replacements that are no functions are errors", {
  x <- example_pcf()
  refused(x[1] <- 3, "value", "cannot be converted to a pcf: it is 3. ", converts_to_pcf)
  refused(x[[1]] <- x, "value", "must be one function, not 2.")
  refused(x[["a"]] <- list(cbind(0, Inf)), "value",
          "is invalid: the function has an infinite value (Inf) at position 1.")
  expect_identical(x, example_pcf())
})

test_that("c() and rep() combine functions", {
  x <- example_pcf()
  expect_identical(c(x, new = pcf(0, 0))["new"], c(new = pcf(0, 0)))
  expect_named(c(x, new = pcf(0, 0)), c("a", "b", "new"))
  expect_identical(c(pcf(1, 2), NULL, ecdf(1)), pcf(list(1, 1), list(2, 1)))
  expect_identical(rep(x, 2), x[c(1, 2, 1, 2)])
  expect_identical(rep(x, each = 2, length.out = 3), x[c(1, 1, 2)])
  expect_identical(do.call(c, unname(split(x, 1:2))), x)
  refused(c(x, 3), "...", "cannot be converted to a pcf: it is 3. ", converts_to_pcf)
})

test_that("functions are equal if they agree everywhere", {
  x <- example_pcf()
  expect_identical(x == x, c(a = TRUE, b = TRUE))
  expect_identical(x != rev(x), c(a = TRUE, b = TRUE))
  expect_identical(x == x["b"], c(a = FALSE, b = TRUE))
  expect_true(pcf(0:3, c(0, 1, 1, 0)) == pcf(c(1, 3), c(1, 0)))
  expect_true(pcf(0:3, c(0, 0, 0, 0)) == pcf(9, 0))
  expect_true(pcf(0, -0) == pcf(0, 0))
  expect_false(pcf(0, 1) == pcf(0.5, 1))
  expect_true(pcf(0, 1) == stepfun(0, c(0, 1)))
})

test_that("comparisons recycle and keep dimensions", {
  x <- random_pcf(4)
  y <- structure(x, dim = c(2, 2))
  expect_identical(y == x[1], matrix(c(TRUE, FALSE, FALSE, FALSE), 2))
  expect_identical(x == x[0], logical())
  names(x) <- letters[1:4]
  expect_identical(unname(x) == x, c(a = TRUE, b = TRUE, c = TRUE, d = TRUE))
  expect_warning(x == x[c(1, 2, 1)], "not a multiple")
  refused(y == structure(y, dim = c(1, 4)), "e2", "cannot be combined with `e1`: non-conformable arrays.")
})

test_that("unique() and duplicated() compare as ==", {
  x <- c(pcf(0:2, c(1, 1, 0)), pcf(c(0, 2), c(1, 0)), pcf(0, 1))
  expect_identical(duplicated(x), c(FALSE, TRUE, FALSE))
  expect_identical(anyDuplicated(x), 2L)
  expect_identical(unique(x), x[c(1, 3)])
})

test_that("functions print", {
  x <- example_pcf()
  long <- pcf(1:5, c(1 / 3, 1e6, 1e-10, 0, 2))
  array <- rep(x, 2)
  dim(array) <- c(2, 2)
  none <- x[0]
  many <- rep(x, 1000)
  expect_snapshot({
    x
    unname(x)
    long
    none
    array
    print(many, n = 3L)
    format(x)
    str(x)
    str(list(f = x["a"]))
    summary(x)
    summary(none)
  })
})

test_that("large arrays print their first rows, columns and matrices, and how many more there are", {
  lines_of <- function(...) {
    x <- rep(pcf(0, 0), prod(...))
    dim(x) <- c(...)
    expect_output(expect_identical(print(x), x))
    utils::capture.output(print(x))
  }
  small <- lines_of(10, 10)
  expect_false(any(grepl("more", small)))
  for (large in list(lines_of(200, 2), lines_of(200, 50), lines_of(11, 3))) {
    expect_identical(sum(grepl("^ *\\[10,\\]", large)), sum(grepl("^ *\\[1,\\]", large)))
    expect_false(any(grepl("[11,]", large, fixed = TRUE)))
  }
  last <- function(...) utils::tail(lines_of(...), 1)
  expect_identical(last(200, 2), "  ... and 190 more rows")
  expect_identical(last(11, 3), "  ... and 1 more row")
  expect_identical(last(2000, 11), "  ... and 1,990 more rows and 1 more column")
  expect_identical(last(2, 2, 11), "  ... and 1 more matrix")
  expect_identical(last(12, 12, 4, 5), "  ... and 2 more rows, 2 more columns and 12 more matrices")
  expect_length(lines_of(0, 3), 1)
  expect_output(print(array(random_pcf(40), c(20, 2)), n = 3), "\\[3,\\].*and 17 more rows")
  expect_output(print(array(random_plf(40), c(20, 2)), n = 30), "\\[20,\\]")
  expect_output(print(array(random_pcf(4), c(2, 2)), n = 0), "and 2 more rows and 2 more columns")
})

test_that("a time just after a whole number is shown as such", {
  x <- as_plf(data.frame(id = c("a", "a", "b"), time = c(0, 2, -3), value = c(1, 1, 5)))
  expect_identical(format(x[1]), c(a = "(0, NA | 1) (2, 1) (2+, 1 | NA)"))
  expect_identical(format(drop_redundant(x)), c(a = "(0, NA | 1) (2+, 1 | NA)", b = "(-3, NA | 5) (-3+, 5 | NA)"))
  expect_identical(format(observed(x)), c(a = "(0, 1) (2+, 0)", b = "(-3, 1) (-3+, 0)"))
  # Others come from arithmetic
  expect_identical(format(pcf(c(0.1 * 3, 2^53 + 2), 1:2), digits = 3), "(0.3, 1) (9.01e+15, 2)")
  day <- as_pcf(data.frame(time = as.Date("2024-02-28") + 0:1, value = 1))
  expect_match(format(observed(day)), "2024-02-29+, 0)", fixed = TRUE)
})

test_that("the length of a collection can be set", {
  x <- pcf(as.Date("2024-01-01") + 0:1, list(a = 1:0, b = 2:1))
  expect_identical(`length<-`(x, 1), x[1])
  y <- `length<-`(x, 4)
  expect_identical(unname(is.na(y)), c(FALSE, FALSE, TRUE, TRUE))
  expect_identical(y[1:2], x)
  expect_identical(names(y), c("a", "b", "", ""))
  expect_identical(time_unit(y), time_unit(x))
  m <- array(random_pcf(6), c(2, 3))
  expect_identical(`length<-`(m, 6), m)
  expect_identical(`length<-`(m, 2), random_pcf(6)[1:2])
  for (wrong in list(-1, "a")) expect_error(length(m) <- wrong, class = "pcfdist_error_value")
})

test_that("NA fills in missing functions", {
  x <- example_pcf()
  y <- x
  y[2] <- NA
  expect_identical(is.na(y), c(a = FALSE, b = TRUE))
  expect_identical(format(y), c(a = "(0, 1) (2, 3) (5, 0)", b = "<missing>"))
  expect_identical(y[1], x[1])
  expect_identical(`is.na<-`(x, 2), y)
  expect_identical(`[[<-`(x, "b", value = NA), y)
  expect_identical(`$<-`(x, "b", value = NA), y)
  expect_identical(`[<-`(x, 4, value = NA), `length<-`(x, 4))
  z <- pcf(as.Date("2024-01-01"), 1)
  z[1] <- NA
  expect_identical(time_unit(z), .Date(numeric()))
  m <- array(random_pcf(6), c(2, 3))
  m[[1, 2]] <- NA
  m[2, 3] <- NA
  expect_identical(which(is.na(m)), c(3L, 6L))
  expect_identical(dim(m), 2:3)
  y[2] <- x[2]
  expect_identical(y, x)
  for (wrong in list(c(NA, TRUE), logical())) expect_error(x[1] <- wrong, class = "pcfdist_error_value")
  expect_error(x[[1]] <- c(NA, NA), class = "pcfdist_error_value")
  expect_error(x[4] <- x[1], class = "pcfdist_error_subscript")
})

test_that("missing functions are errors that say what to do", {
  x <- example_pcf()
  x[2] <- NA
  for (call in list(pdist, mean, as.data.frame)) {
    refused(call(x), "x", 'is invalid: function 2 ("b") ', fills_missing)
  }
  refused(pdist(unname(x)), "x", "is invalid: function 2 ", fills_missing)
  refused(x + 1, "e1", 'is invalid: function 2 ("b") ', fills_missing)
})

test_that("a pcf is a column of a data frame", {
  x <- unname(example_pcf())
  df <- data.frame(id = 1:2)
  df$f <- x
  expect_identical(df[2, ]$f, x[2])
  expect_identical(df[df$f == x[1], "id"], 1L)
  expect_identical(rbind(df, df)$f, c(x, x))
  expect_identical(merge(df, data.frame(id = 2:1, z = 1:2))$f, x)
  as_is <- data.frame(id = 1:2, f = I(x))
  expect_true(is_pcf(as_is$f))
  expect_identical(as_pcf(as_is[2:1, ]$f), x[2:1])
  expect_snapshot({
    df
    as_is
    str(df)
    summary(df["f"])
  })
})

test_that("a pcf is a column of a tibble", {
  skip_if_not_installed("tibble")
  x <- example_pcf()
  tb <- tibble::tibble(id = 1:2, f = x)
  expect_identical(tb$f, x)
  expect_identical(tb[2, ]$f, x[2])
  expect_identical(rbind(tb, tb)$f, c(x, x))
  expect_match(format(tb), "<pcf>", all = FALSE)
  expect_match(format(tb), "(1, 2) (4, 0)", fixed = TRUE, all = FALSE)
  expect_output(tibble::glimpse(tb), "<pcf> (0, 1) (2, 3) (5, 0)", fixed = TRUE)
  expect_identical(is.na(tb[c(1, NA), ]$f), c(a = FALSE, TRUE))
  expect_identical(as.data.frame(tibble::as_tibble(x)), as.data.frame(x))
})

test_that("vctrs combines and compares functions", {
  skip_if_not_installed("vctrs")
  x <- example_pcf()
  expect_identical(vctrs::vec_c(x, x), c(x, x))
  expect_identical(vctrs::vec_slice(x, 2), x[2])
  expect_true(vctrs::vec_equal(pcf(0:2, c(1, 1, 0)), pcf(c(0, 2), c(1, 0))))
  expect_identical(vctrs::vec_unique(c(x, x)), x)
})

test_that("faults are named by their places, also beside missing functions", {
  x <- structure(list(NULL, cbind(0, 1), cbind(c(2, 1), 1)), class = c("pcf", "list"))
  error <- expect_error(x == pcf(0, 1), class = "pcfdist_error_e1")
  expect_identical(error$index, 3)
  expect_identical(unname(summary(x[1:2])[c("first time", "highest value")]), c(0, 1))
})

test_that("unique() keeps the last of equal functions if asked to", {
  x <- c(a = pcf(0, 1), b = pcf(0, 1))
  expect_identical(names(unique(x, fromLast = TRUE)), "b")
})

test_that("functions that are removed take no name of values with them", {
  x <- pcf(list(0:1, 0:1), list(1:0, 1:0))
  value_name(x) <- "weight"
  x[2] <- NULL
  expect_identical(value_name(x), "weight")
})

test_that("print() shows a function on one line, whatever its name", {
  x <- structure(pcf(0, 1)[c(1, 1, 1)], names = c("a\nb", "c\td", "e"))
  expect_identical(substr(capture.output(print(x))[-1], 1, 8), c("  a\\nb  ", "  c\\td  ", "  e     "))
})
