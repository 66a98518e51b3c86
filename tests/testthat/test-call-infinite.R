forever <- function() pcf(list(a = c(0, 2), b = 1, c = c(0, 3)), list(c(1, 3), 2, c(5, -4)))

test_that("results that are all infinite come with one warning", {
  x <- forever()
  calls <- list(
    pdist, function(x, ...) pdist(x, 2, ...), function(x, ...) cdist(x, pcf(0, 0), ...), l2_kernel,
    function(x, ...) lp_distance(x[1], x[2], ...), lp_norm, integral
  )
  for (call in calls) {
    warnings <- 0
    result <- withCallingHandlers(call(x), pcfdist_warning = function(warning) {
      warnings <<- warnings + 1
      invokeRestart("muffleWarning")
    })
    expect_identical(warnings, 1)
    expect_true(all(is.infinite(result)))
    expect_silent(call(x, to = 9))
  }
  expect_silent(pdist(x, Inf))
  expect_silent(pcf_plan(x))
  expect_silent(pdist(x[1]))
  expect_silent(lp_norm(x[0]))
})

test_that("one finite result is enough for silence", {
  x <- forever()
  expect_silent(pdist(c(x, x["c"])))
  expect_silent(integral(c(x, pcf(0:1, 1:0))))
  # Numbers that are too large are no endless functions.
  expect_silent(expect_identical(integral(pcf(c(0, 1e10), c(1e300, 0))), Inf))
  only <- pcfdist:::only_infinite
  expect_true(only(c(rep(-Inf, 3000), Inf)))
  expect_false(only(c(rep(Inf, 3000), 1)))
  expect_false(only(c(rep(Inf, 1500), 1, rep(Inf, 1500))))
  expect_false(only(c(NA, NaN)))
  expect_true(only(c(NA, Inf)))
  expect_false(only(numeric()))
})

test_that("the warning names the way out", {
  x <- forever()
  expect_told <- function(object, what) {
    warning <- expect_warning(object, class = "pcfdist_warning_infinite")
    expect_identical(conditionMessage(warning), paste(
      what, "infinite: the window is infinite, and the functions do not return to 0 or to each other. Give the",
      "window an end with `to =`. For bars of diagrams that never die, use `infinite =` in stable_rank() and",
      "similar functions."
    ))
  }
  expect_told(pdist(x), "All 3 distances are")
  expect_told(l2_kernel(x["a"]), "The inner product is")
  expect_told(integral(x), "All 3 integrals are")
  expect_told(lp_norm(x["b"]), "The norm is")
  expect_told(lp_distance(stable_rank(cbind(0, Inf)), pcf(0, 0)), "The distance is")
  warning <- tryCatch(pdist(x), warning = identity)
  expect_identical(conditionCall(warning), quote(pdist(x)))
})
