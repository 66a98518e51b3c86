# Vectors with one element for each function, and names.

test_that("what has one element for each function is matched by name", {
  x <- pcf(list(b = 0:1, a = 0:1, c = 0:1), list(c(1, 0), c(2, 0), c(3, 0)))
  by <- c(a = "g2", b = "g1", c = "g1")
  means <- c(g1 = 2, g2 = 2)
  expect_identical(evaluate(aggregate(x, by), 0), means)
  expect_identical(evaluate(aggregate(x, factor(by)), 0), means)
  expect_identical(evaluate(aggregate(x, tapply(by, names(by), unique)), 0), means)
  expect_identical(evaluate(aggregate(x, list(group = by))$x, 0), unname(means))
  expect_identical(evaluate(aggregate(x, unname(by)), 0), c(g1 = 2.5, g2 = 1))
  expect_identical(evaluate(aggregate(unname(x), by), 0), c(g1 = 2.5, g2 = 1))
  expect_identical(sum(x, weights = c(a = 1, b = 0, c = 0)), sum(x["a"]))
  expect_identical(mean(x, weights = c(c = 3, b = 1, a = 0)), mean(x, weights = c(1, 0, 3)))
  expect_identical(shift_time(x, c(c = 2, a = 1, b = 0)), shift_time(x, c(0, 1, 2)))
  expect_identical(scale_time(x, c(c = 3, a = 2, b = 1)), scale_time(x, c(1, 2, 3)))
})

test_that("one number for all functions has any name", {
  x <- list(a = c(1, 2), b = 3)
  expect_identical(counting(x, from = c(a = 0), to = c(z = 4)), counting(x, from = 0, to = 4))
  expect_identical(interspike(x, from = c(b = 0), to = 4), interspike(x, from = 0, to = 4))
  f <- counting(x)
  expect_identical(shift_time(f, c(b = 2)), shift_time(f, 2))
  expect_identical(scale_time(f, c(z = 2)), scale_time(f, 2))
  expect_error(counting(x["a"], from = c(b = 0)), "do not match", class = "pcfdist_error_from")
  expect_error(shift_time(f["a"], c(b = 2)), "do not match", class = "pcfdist_error_by")
})

test_that("tests and bands of groups match them by name", {
  x <- rpcf(8, 5)
  names(x) <- letters[1:8]
  group <- rep(c("u", "v"), 4)
  shuffled <- stats::setNames(rev(group), rev(letters[1:8]))
  test <- function(x, ...) with_seed(1, permutation_test(x, ..., n = 99)[c("statistic", "p.value")])
  expect_identical(test(x, shuffled, to = 1), test(x, group, to = 1))
  expect_identical(test(pdist(x, to = 1), shuffled), test(pdist(x, to = 1), group))
  strata <- stats::setNames(rep(1:2, each = 4)[8:1], letters[8:1])
  expect_identical(test(x, group, strata = strata, to = 1), test(x, group, strata = unname(rev(strata)), to = 1))
  bands <- function(by) with_seed(1, confidence_bands(x, by = by, to = 1, n = 19))
  expect_identical(bands(shuffled), bands(group))
})

test_that("names that are not those of the functions are an error", {
  x <- pcf(list(b = 0:1, a = 0:1), list(c(1, 0), c(2, 0)))
  other <- c(a = "u", q = "v")
  message <- function(argument, things = "functions") {
    paste0("`", argument, "` has names that do not match those of the ", things, ": no element is named ",
           "\"b\". Use unname(", argument, ") to match by position.")
  }
  expect_refusal(aggregate(x, other), "by", message("by"))
  expect_refusal(aggregate(x, list(other)), "by", message("by"))
  expect_refusal(plot(x, by = other), "by", message("by"))
  expect_refusal(plot_bands(x, by = other), "by", message("by"))
  expect_refusal(permutation_test(x, other), "group", message("group"))
  expect_refusal(permutation_test(pdist(x), other), "group", message("group", "members"))
  expect_refusal(sum(x, weights = c(a = 1, q = 2)), "weights", message("weights"))
  expect_refusal(shift_time(x, c(a = 1, q = 2)), "by", message("by"))
  twice <- x[c("a", "b", "a")]
  refused(aggregate(twice, c(b = "u", a = "v", a = "v")), "by", "has names that do not match those of the functions: ",
          "the names of the functions are not all distinct. Use unname(by) to match by position.")
  expect_identical(names(aggregate(twice, c(a = "u", b = "v", a = "u"))), c("u", "v"))
})

test_that("pictures match groups and colours by name", {
  x <- pcf(list(b = 0:1, a = 0:1), list(c(1, 0), c(2, 0)))
  expect_identical(plot_colors(x, c(a = "v", b = "u"), NULL), plot_colors(x, c("u", "v"), NULL))
  expect_identical(plot_colors(x, c("u", "v"), c(v = "red", u = "blue"))$col, c("blue", "red"))
  expect_identical(plot_colors(x, c("u", "v"), c(other = "red", names = "blue"))$col, c("red", "blue"))
  expect_identical(plot_colors(x, NULL, c(a = "red", b = "blue"))$col, c("blue", "red"))
  expect_identical(plot_colors(x, NULL, "red")$col, c("red", "red"))
})

test_that("numbers of rows are not names", {
  data <- data.frame(time = c(1, 5, 2, 4))[2:4, , drop = FALSE]
  group <- c(p = 1, q = 2, r = 2)
  late <- function(data, group) sum(data$time[group == "2"])
  expect_no_error(with_seed(1, permutation_test(data, group, late, n = 9)))
})

test_that("columns of a table with as many rows are not taken for the names of its members", {
  patients <- data.frame(a = c(1, 5, 2, 8), b = 1, c = 2, d = 3)
  groups <- c(p = 1, q = 1, r = 2, s = 2)
  difference <- function(patients, group) abs(diff(c(base::tapply(patients$a, group, mean))))
  test <- function(group) with_seed(1, permutation_test(patients, group, difference, n = 19))
  expect_identical(test(groups)$permuted, test(unname(groups))$permuted)
  rownames(patients) <- names(groups)
  expect_identical(test(rev(groups))$permuted, test(groups)$permuted)
})

test_that("row names of groups in a data frame are matched", {
  x <- pcf(list(a = 0, b = 0, c = 0), list(1, 2, 4))
  groups <- data.frame(g = c(1, 2, 2), row.names = c("c", "a", "b"))
  expect_identical(evaluate(aggregate(x, groups, sum)$x, 0), c(4, 3))
  expect_identical(rownames(aggregate(x, groups, sum)), c("1", "2"))
  rownames(groups)[1] <- "d"
  expect_error(aggregate(x, groups, sum), "do not match", class = "pcfdist_error_by")
})

test_that("arrays of times, values and left limits must agree in their dimensions and dimnames", {
  arrayed <- function(dim, ...) array(as.list(seq_len(prod(dim))), dim, list(...))
  refused <- function(call, argument, text) {
    expect_error(call, text, fixed = TRUE, class = paste0("pcfdist_error_", argument))
  }
  one <- arrayed(c(2, 1), c("a", "b"), NULL)
  other <- arrayed(c(2, 1), c("a", "c"), "d")
  for (make in list(pcf, plf)) {
    refused(make(arrayed(2:3), arrayed(3:2)), "values",
            "`values` must have the dimensions of `times`, 2 x 3, not 3 x 2.")
    refused(make(one, other), "values", paste0(
      '`values` has dimnames that do not match those of `times`: "c" and "b" at position 2 of dimension 1. ',
      "Use unname(values) to match by position."
    ))
  }
  refused(plf(one, unname(one), other), "left", "`left` has dimnames that do not match those of `times`")
  refused(plf(unname(one), one, other), "left", "`left` has dimnames that do not match those of `values`")
  expect_identical(dimnames(pcf(unname(one), other)), dimnames(other))
  expect_identical(dimnames(pcf(one, unname(other))), dimnames(one))
})
