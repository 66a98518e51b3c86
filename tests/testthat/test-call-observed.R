test_that("the ends of observation are found", {
  expect_identical(observed(pcf(c(0, 1), c(2, 0))), pcf(-Inf, 1))
  expect_identical(observed(pcf(-Inf, NA)), pcf(0, 0))
  expect_identical(observed(pcf(c(-Inf, 1, 2), c(NA, NA, NA))), pcf(0, 0))
  expect_identical(observed(pcf(0, NA)), pcf(c(-Inf, 0), c(1, 0)))
  expect_identical(
    observed(pcf(c(-Inf, 0, 1, 2, 3), c(NA, 1, 2, NA, NA))), pcf(c(0, 2), c(1, 0))
  )
  x <- structure(random_partial_pcf(6), dim = 2:3, dimnames = list(c("a", "b"), NULL))
  expect_identical(sorted_attributes(observed(x)), sorted_attributes(x))
  expect_identical(observed(x[0]), x[0])
  many <- rep(random_partial_pcf(8), 500)
  expect_identical(observed(many, threads = 3), rep(observed(many[1:8]), 500))
})

test_that("functions that are observed on the same stretches pass", {
  x <- pcf(list(c(-Inf, 0, 5), c(-Inf, 0, 1, 2, 5, 7)), list(c(NA, 1, NA), c(NA, 1, 2, 3, NA, NA)))
  expect_identical(check_same_observed(x), x)
  expect_identical(check_same_observed(c(x, pcf(0, 1)), from = 0, to = 5), c(x, pcf(0, 1)))
  expect_identical(check_same_observed(random_pcf(300)), random_pcf(300))
  expect_identical(check_same_observed(x[0]), x[0])
})

test_that("errors name the function, the stretch and the ways out", {
  x <- pcf(list(a = c(0, 5), b = c(0, 3, 4)), list(c(1, 2), c(1, NA, 0)))
  expect_refusal(check_same_observed(x), "missing", observed_apart('1 ("a")', "3, 4", '2 ("b")'))
  expect_refusal(check_same_observed(x[2:1], to = 3.5), "missing", observed_apart('2 ("a")', "3, 3.5", '1 ("b")'))
  refused(observed(1), "x", "must be a <pcf>, not 1. ", makes_pcf)
  condition <- tryCatch(check_same_observed(x), error = identity)
  expect_identical(condition$index, 2)
  expect_identical(c(condition$from, condition$to), c(3, 4))
})

test_that("where functions begin at different times, the error says what counts need", {
  x <- as_pcf(data.frame(id = c("a", "a", "b", "b"), time = c(0, 5, 3, 8), value = 1), until = "last")
  for (weight in list(NULL, pcf(c(0, 4, 8), c(2, 1, 0)))) {
    expect_refusal(pdist(x, weight = weight), "missing", observed_apart('1 ("a")', "0, 3", '2 ("b")', begun_at_zero))
  }
  expect_refusal(cdist(x["b"], x["a"], to = 4), "missing",
                 observed_apart('1 ("a") of `y`', "0, 3", '1 ("b") of `x`', begun_at_zero))
  # At its end a function is not observed for another reason.
  ended <- observed_apart('2 ("b")', "5, 8", '1 ("a")', held_for_ever)
  expect_refusal(pdist(x, from = 3), "missing", ended)
  lines <- as_plf(data.frame(id = c("a", "a", "b", "b"), time = c(0, 5, 3, 8), value = 1))
  expect_refusal(pdist(lines, from = 3), "missing", observed_apart('2 ("b")', "5, 8", '1 ("a")'))
  gap <- as_pcf(data.frame(id = rep(1:2, each = 3), time = 1:3, value = c(1, NA, 2, 3, 4, 5)))
  expect_refusal(pdist(gap), "missing", observed_apart('2 ("2")', "2, 3", '1 ("1")'))
})
