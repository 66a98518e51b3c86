times <- c(-1, 1, 1.5, 2, 2.7, 3, 4.2, 5, 6)

expect_same_values <- function(f, convert) {
  expect_identical(c(evaluate(convert(f), times)), f(times))
}

test_that("constant and linear functions of approxfun() keep their values", {
  x <- c(1, 2, 3, 5)
  for (y in list(c(5, 2, 1, 4), c(0, 2, 1, 0))) {
    for (rule in list(1, 2, 1:2, 2:1)) {
      expect_same_values(approxfun(x, y, method = "constant", rule = rule), as_pcf)
      expect_near(c(evaluate(as_plf(approxfun(x, y, rule = rule)), times)), approxfun(x, y, rule = rule)(times))
    }
    expect_same_values(approxfun(x, y, method = "constant", yleft = 3, yright = y[4]), as_pcf)
    expect_near(c(evaluate(as_plf(approxfun(x, y, yleft = 3, yright = y[4])), times)),
                approxfun(x, y, yleft = 3, yright = y[4])(times))
  }
})

test_that("values at the points differ if a function is not continuous from the right, and no integral does", {
  for (f in c(1, 0.3)) {
    step <- approxfun(c(1, 2, 3), c(5, 2, 1), method = "constant", f = f, rule = 2)
    between <- c(0, 1.5, 2.7, 4)
    expect_identical(c(evaluate(as_pcf(step), between)), step(between))
  }
  expect_identical(as_pcf(approxfun(1:2, 3:4, "constant", yleft = 0, yright = 0)), pcf(1:2, c(3, 0)))
  expect_identical(as_pcf(approxfun(1:2, 3:4, "constant", f = 1, yleft = 0, yright = 0)), pcf(1:2, c(4, 0)))
})

test_that("missing values of approxfun() are not observed", {
  skip_if(!"na.rm" %in% names(formals(approxfun)))
  step <- approxfun(c(1, 2, 3, 5), c(5, NA, 1, 4), method = "constant", rule = 2, na.rm = FALSE)
  expect_same_values(step, as_pcf)
  line <- approxfun(c(1, 2, 3, 5), c(5, NA, 1, 4), rule = 2, na.rm = FALSE)
  expect_identical(as_plf(line), plf(c(1, 2, 3, 5), c(NA, NA, 1, 4), left = c(5, NA, NA, 4)))
})

test_that("functions of approxfun() may be elements of a list", {
  step <- approxfun(1:2, c(5, 2), method = "constant", rule = 2)
  expect_identical(as_pcf(list(a = step, b = cbind(0, 1))), c(a = as_pcf(step), b = pcf(0, 1)))
  refused(as_pcf(list(a = step, b = sin)), "x", 'is invalid: function 2 ("b") cannot be converted to a pcf: it is a ',
          "function that was not made by approxfun() or stepfun().")
})

test_that("what is back in R's form has the same values", {
  x <- pcf(c(1, 2, 4), c(3, -1, 0))
  expect_true(as_pcf(as.stepfun(x)) == x)
  expect_same_values(as.stepfun(x), as_pcf)
})

test_that("other functions are errors that say which converter takes them", {
  refused(as_pcf(sin), "x", "cannot be converted to a pcf: it is a function that was not made by approxfun() or ",
          "stepfun().")
  refused(as_pcf(splinefun(1:3, 1:3)), "x", "cannot be converted to a pcf: it is a function that was not made by ",
          "approxfun() or stepfun().")
  refused(as_pcf(approxfun(1:2, 1:2)), "x", "is linear between its points: as_plf() converts it to a piecewise ",
          "linear function.")
  refused(as_plf(approxfun(1:2, 1:2, "constant")), "x", "is constant between its points: as_pcf() converts it to a ",
          "step function.")
  refused(as_plf(cos), "x", "cannot be converted to a plf: it is a function that was not made by approxfun().")
  refused(as_pcf(approxfun(1:2, 1:2, "constant"), times = 1), "times", "is not an argument of as_pcf() for a ",
          "function.")
})
