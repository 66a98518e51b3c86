test_that("operators combine the values on the breakpoints of both", {
  for (kind in kinds_of_pcf(40)) {
    x <- at_least_one(kind)
    y <- at_least_one(rev(kind))
    for (operator in operators) {
      # A divisor and an exponent are not 0 where the other begins first.
      shared <- if (operator %in% c("/", "%%", "%/%")) combine_starts(x, y) else y
      expect_identical(
        match.fun(operator)(x, shared), combined_oracles(x, shared, operator),
        label = operator
      )
    }
  }
})

test_that("numbers are constant from the first breakpoint on", {
  x <- at_least_one(random_pcf(6))
  numbers <- c(3, 0.5, 1, 2, 10, 1)
  for (operator in operators) {
    fun <- match.fun(operator)
    expect_identical(fun(x, 2), combined_oracles(x, 2, operator), label = operator)
    expect_identical(fun(2, x), combined_oracles(2, x, operator), label = operator)
    expect_identical(fun(x, numbers), combined_oracles(x, numbers, operator), label = operator)
    expect_identical(fun(numbers, x), combined_oracles(numbers, x, operator), label = operator)
    expect_identical(
      fun(x[1], numbers), combined_oracles(x[1], numbers, operator), label = operator
    )
    expect_identical(
      fun(numbers, x[1:2]), combined_oracles(numbers, x[1:2], operator), label = operator
    )
  }
  expect_identical(x * TRUE, x)
  expect_identical(x + 1L, x + 1)
  f <- pcf(c(0, 2), c(1, 0))
  expect_identical(f + 1, pcf(c(0, 2), c(2, 1)))
  expect_identical(values_of(f + 1, -1), 0)
  expect_identical(values_of(f <= 5, c(-1, 0)), c(0, 1))
  expect_identical(f < Inf, pcf(c(0, 2), c(1, 1)))
})

test_that("one-sided operators", {
  x <- random_pcf(20)
  expect_identical(+x, x)
  expect_identical(-x, map_pcf(x, values = `-`))
  expect_identical(!x, map_pcf(x, values = function(v) as.double(v == 0)))
  expect_identical(values_of(!pcf(0, 0), c(-1, 0)), c(0, 1))
})

test_that("results have the values of stepfun and ecdf", {
  u <- ecdf(with_seed(1, rnorm(30)))
  v <- stepfun(c(-1, 0.5, 1), c(0, 2, -1, 3))
  x <- as_pcf(u) * as_pcf(v) - 2 * as_pcf(u)
  times <- all_times(x)
  expect_identical(values_of(x, times), u(times) * v(times) - 2 * u(times))
  expect_identical(as_pcf(u) + v, as_pcf(u) + as_pcf(v))
  expect_identical(v + as_pcf(u), as_pcf(v) + as_pcf(u))
})

test_that("shapes are those that R gives numbers", {
  x <- random_pcf(6)
  shapes <- list(
    x, x[1], x[1:3], x[0], setNames(x, letters[1:6]), setNames(x[1:2], c("u", "v")),
    structure(x, dim = 2:3), structure(x, dim = 2:3, dimnames = list(c("a", "b"), NULL)),
    structure(x, dim = 2:3, dimnames = list(NULL, c("p", "q", "r"))),
    structure(rep(x, 4), dim = 2:4), structure(x, dim = c(1, 2, 3))
  )
  like <- function(x) `attributes<-`(numeric(length(x)), shape_of(x))
  shape <- function(x) c(length(x), sorted_attributes(unclass(x)))
  for (a in shapes) {
    for (b in shapes) {
      expected <- tryCatch(suppressWarnings(like(a) + like(b)), error = function(e) NULL)
      if (is.null(expected)) {
        expect_error(suppressWarnings(a + b), class = "pcfdist_error_e2")
        expect_error(suppressWarnings(a + like(b)), class = "pcfdist_error_e2")
      } else {
        expect_identical(shape(suppressWarnings(a + b)), shape(expected))
        expect_identical(shape(suppressWarnings(a + like(b))), shape(expected))
        expect_identical(shape(suppressWarnings(like(a) < b)), shape(expected))
        expect_identical(shape(suppressWarnings(a^like(b))), shape(expected))
      }
    }
  }
})

test_that("what has a value for each function keeps names and dimensions, and empty collections empty", {
  x <- structure(at_least_one(random_pcf(6)), dim = 2:3, dimnames = list(c("a", "b"), NULL))
  for (operation in list(
    exp, `-`, `!`, drop_redundant, function(x) restrict(x, 0, 3), function(x) shift_time(x, 1),
    function(x) scale_time(x, seq_along(x)), function(x) sqrt(abs(x))
  )) {
    expect_identical(sorted_attributes(operation(x)), sorted_attributes(x))
    expect_named(operation(example_pcf()), c("a", "b"))
    expect_identical(operation(x[0]), x[0])
  }
})

test_that("functions of arrays are combined place by place", {
  x <- structure(random_pcf(24), dim = 2:4)
  y <- structure(random_pcf(24, seed = 2), dim = 2:4)
  z <- x + y
  expect_identical(z[2, 3, 4], x[2, 3, 4] + y[2, 3, 4])
  expect_identical(z[, , 1], x[, , 1] + y[, , 1])
  expect_identical(unname((x * 1:2)[2, , ]), x[2, , ] * 2)
})

test_that("recycling warns where lengths do not go together", {
  x <- random_pcf(5)
  expect_warning(z <- x + x[1:2], "not a multiple")
  expect_identical(z, x + x[c(1, 2, 1, 2, 1)])
  expect_warning(x * 1:2, "not a multiple")
  expect_identical(x + x[0], x[0])
  expect_identical(x[0] * 2, x[0])
  expect_identical(x + numeric(), x[0])
  expect_identical(x[0]^2, x[0])
  expect_identical(numeric() %% x, x[0])
})

test_that("values that are not finite are errors", {
  x <- example_pcf()
  expect_refusal(x["a"] / x["b"], "values",
                 '`/` must give finite values: function 1 ("a") gives Inf from 1 / 0 at the time 0.')
  expect_refusal(x["b"] / x["a"], "values",
                 '`/` must give finite values: function 1 ("b") gives NaN from 0 / 0 at the time 5.')
  expect_refusal(x / 0, "values", '`/` must give finite values: function 1 ("a") gives Inf from 1 / 0 at the time 0.')
  expect_refusal(1 / x, "values", '`/` must give finite values: function 1 ("a") gives Inf from 1 / 0 at the time 5.')
  expect_refusal(x * Inf, "values",
                 '`*` must give finite values: function 1 ("a") gives Inf from 1 * Inf at the time 0.')
  expect_refusal((x - 2)^0.5, "values",
                 '`^` must give finite values: function 1 ("a") gives NaN from -1 ^ 0.5 at the time 0.')
  expect_refusal((x * 1e300) * 1e300, "values",
                 '`*` must give finite values: function 1 ("a") gives Inf from 1e+300 * 1e+300 at the time 0.')
  expect_refusal((x * 1e200) * (x * 1e200), "values",
                 '`*` must give finite values: function 1 ("a") gives Inf from 1e+200 * 1e+200 at the time 0.')
  expect_refusal(x %% 0, "values",
                 '`%%` must give finite values: function 1 ("a") gives NaN from 1 %% 0 at the time 0.')
  expect_refusal(c(x, x[1]) / c(1, 2, 0), "values",
                 '`/` must give finite values: function 3 ("a") gives Inf from 1 / 0 at the time 0.')
  error <- tryCatch(x / c(1, 0), error = identity)
  expect_s3_class(error, "pcfdist_error_values")
  expect_identical(error$index, 2)
  expect_identical(error$time, 1)
})

test_that("functions that break the rules are found wherever they are", {
  x <- c(random_long(20000, 1), random_long(25000, 2), random_long(5, 3))
  for (column in 1:2) {
    broken <- unclass(x)
    broken[[2]][17000, column] <- NaN
    broken[[3]][2, column] <- Inf
    broken <- structure(broken, class = c("pcf", "list"))
    calls <- list(
      e1 = quote(broken + x), e1 = quote(broken * 2), e1 = quote(broken^2),
      e1 = quote(broken^x), e1 = quote(-broken), e2 = quote(x < broken), e2 = quote(2 / broken),
      e2 = quote(x %% broken), x = quote(exp(broken)), x = quote(drop_redundant(broken)),
      x = quote(shift_time(broken, 1)), x = quote(restrict(broken, 1, 3)), e1 = quote(broken == x)
    )
    for (k in seq_along(calls)) {
      error <- tryCatch(eval(calls[[k]]), error = identity)
      expect_s3_class(error, paste0("pcfdist_error_", names(calls)[k]))
      expect_identical(error$index, 2)
      expect_identical(error$position, 17000)
    }
  }
})

test_that("operands that do not go together are errors", {
  x <- example_pcf()
  a <- structure(rep(x, 3), dim = 2:3)
  wrong <- structure(list(cbind(0, NaN)), class = c("pcf", "list"))
  refused(x + "a", "e2", 'cannot be converted to a pcf: it is "a". ', converts_to_pcf)
  refused(x + NA, "e2", "must be numbers without NA, not NA.")
  refused(c(1, NaN) * x, "e1", "must be numbers without NA, not NaN at position 2.")
  refused(x + list(1), "e2", "is invalid: the function is 1, not two columns of numbers, time and value.")
  refused(mean + x, "e1",
          "cannot be converted to a pcf: it is a function that was not made by approxfun() or stepfun().")
  refused(x + NULL, "e2", "cannot be converted to a pcf: it is NULL. ", converts_to_pcf)
  refused(a + t(a), "e2", "cannot be combined with `e1`: non-conformable arrays.")
  # The rest of the message, and a warning, are R's.
  expect_error(suppressWarnings(a + rep(x, 4)), "^`e2` cannot be combined with `e1`: ", class = "pcfdist_error_e2")
  nan_first <- "is invalid: the function has the value NaN at position 1. NA stands for values that are not observed."
  refused(wrong + x, "e1", nan_first)
  refused(x * wrong, "e2", nan_first)
  refused(wrong^2, "e1", nan_first)
  refused(2^wrong, "e2", nan_first)
  refused(-wrong, "e1", nan_first)
})

test_that("a quotient on the support of the divisor", {
  f <- pcf(c(0, 2, 5), c(1, 3, 0))
  g <- pcf(c(1, 4), c(2, 0))
  support <- abs(g) > 0
  ratio <- f * support / (g + (pcf(0, 1) - support))
  expect_true(ratio == pcf(c(1, 2, 4), c(0.5, 1.5, 0)))
})
