test_that("functions of one value are applied to the values", {
  x <- at_least_one(c(random_pcf(20), paper_pcf(3)))
  generics <- c(
    "abs", "sign", "sqrt", "floor", "ceiling", "trunc", "round", "signif", "exp", "log",
    "log2", "log10", "expm1", "log1p", "cos", "sin", "tan", "cospi", "sinpi", "acosh",
    "asinh", "cosh", "sinh", "tanh", "atan", "gamma", "lgamma", "digamma", "trigamma"
  )
  for (generic in generics) {
    fun <- match.fun(generic)
    expect_identical(fun(x), map_pcf(x, values = fun), label = generic)
  }
  small <- (x - 1) / 10
  small <- small / 1e3
  for (generic in c("acos", "asin", "atanh", "tanpi")) {
    fun <- match.fun(generic)
    expect_identical(fun(small), map_pcf(small, values = fun), label = generic)
  }
  expect_identical(abs(-x), x)
})

test_that("results are 0 before the first breakpoint", {
  f <- pcf(c(1, 2), c(3, 0))
  expect_identical(exp(f), pcf(c(1, 2), exp(c(3, 0))))
  expect_identical(values_of(exp(f), c(0, 1, 3)), c(0, exp(3), 1))
  expect_identical(values_of(cos(f), 0), 0)
})

test_that("further arguments are passed on", {
  x <- at_least_one(paper_pcf(3))
  expect_identical(round(x, 2), map_pcf(x, values = function(v) round(v, 2)))
  expect_identical(round(x, digits = -1), map_pcf(x, values = function(v) round(v, -1)))
  expect_identical(signif(x, 1), map_pcf(x, values = function(v) signif(v, 1)))
  expect_identical(log(x, 3), map_pcf(x, values = function(v) log(v, 3)))
  expect_identical(log(x, base = 3), log(x, 3))
})

test_that("what is no finite function of one value is an error", {
  x <- example_pcf()
  wrong <- structure(list(cbind(0, Inf)), class = c("pcf", "list"))
  expect_no_warning <- function(code) expect_warning(code, NA)
  expect_refusal(log(x), "values",
                 '`log` must give finite values: function 1 ("a") gives -Inf from its value 0 at the time 5.')
  expect_refusal(sqrt(x - 1), "values",
                 '`sqrt` must give finite values: function 1 ("a") gives NaN from its value -1 at the time 5.')
  expect_refusal(exp(x * 1000), "values",
                 '`exp` must give finite values: function 1 ("a") gives Inf from its value 1000 at the time 0.')
  expect_refusal(gamma(x - 1), "values",
                 '`gamma` must give finite values: function 1 ("a") gives NaN from its value 0 at the time 0.')
  expect_refusal(cumsum(x), "x", "`cumsum()` cannot be applied to functions: it is not a function of a single value.")
  expect_refusal(cumprod(x), "x", "`cumprod()` cannot be applied to functions: it is not a function of a single value.")
  expect_refusal(cummax(x), "x", "`cummax()` cannot be applied to functions: it is not a function of a single value.")
  expect_refusal(cummin(x), "x", "`cummin()` cannot be applied to functions: it is not a function of a single value.")
  expect_refusal(round(x, 1:2), "parameter",
                 "The further argument of `round()` must be one number, not an integer vector of length 2.")
  expect_refusal(round(x, "a"), "parameter", 'The further argument of `round()` must be one number, not "a".')
  expect_refusal(log(x, NA), "parameter", "The further argument of `log()` must be one number, not NA.")
  refused(abs(wrong), "x", "is invalid: the function has an infinite value (Inf) at position 1.")
  error <- expect_no_warning(tryCatch(sqrt(x - 3), error = identity))
  expect_s3_class(error, "pcfdist_error_values")
  expect_identical(error$index, 1)
  expect_identical(error$time, 0)
})
