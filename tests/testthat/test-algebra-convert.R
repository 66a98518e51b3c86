test_that("as.stepfun() agrees with the function", {
  f <- as.stepfun(example_pcf()["a"])
  expect_s3_class(f, "stepfun")
  expect_identical(f(c(-1, 0, 1.9, 2, 5, 9)), c(0, 1, 1, 3, 0, 0))
  refused(as.stepfun(example_pcf()), "x", "must be one function, not 2. Use lapply(x, as.stepfun) for several.")
})

test_that("as.list() and lapply() give functions of length 1", {
  x <- example_pcf()
  expect_identical(as.list(x), list(a = x[["a"]], b = x[["b"]]))
  expect_identical(lapply(x, identity), as.list(x))
})

test_that("as.matrix() has the shape and the names", {
  x <- example_pcf()
  expect_identical(as.matrix(x, c(u = 0, v = 2)), matrix(c(1, 0, 3, 2), 2, dimnames = list(c("a", "b"), c("u", "v"))))
  expect_identical(dim(as.matrix(x, numeric())), c(2L, 0L))
  expect_identical(dim(as.matrix(x[0], 1:3)), c(0L, 3L))
  refused(as.matrix(x, c(1, NA)), "times", "must be numbers without NA, not NA at position 2.")
  refused(as.matrix(x, "a"), "times", 'must be numbers without NA, not "a".')
})

test_that("as.data.frame() gives the long form", {
  x <- example_pcf()
  expect_identical(as.data.frame(x), data.frame(
    id = c("a", "a", "a", "b", "b"), time = c(0, 2, 5, 1, 4), value = c(1, 3, 0, 2, 0)
  ))
  expect_identical(as.data.frame(unname(x))$id, c(1L, 1L, 1L, 2L, 2L))
  expect_identical(dim(as.data.frame(x[0])), c(0L, 3L))
  expect_identical(row.names(as.data.frame(pcf(3, 4))), "1")
})

test_that("functions survive the way there and back", {
  x <- random_pcf(30)
  names(x) <- paste0("f", seq_along(x))
  expect_identical(as_pcf(as.list(x)), x)
  expect_identical(as_pcf(unclass(x)), x)
  expect_identical(as_pcf(as.data.frame(x), before = 0), x)
  expect_identical(as_pcf(lapply(x, as.stepfun)), x)
  expect_identical(unserialize(serialize(x, NULL)), x)
  times <- sort(unique(as.data.frame(x)$time))
  expect_true(all(as_pcf(as.matrix(x, times), times = times, before = 0) == x))
  known_in_part <- measured(x)
  held <- measured(x, end = FALSE)
  expect_identical(as_pcf(as.data.frame(held), until = Inf), held)
  expect_identical(as_pcf(as.data.frame(known_in_part)), known_in_part)
  expect_identical(as_pcf(as.data.frame(known_in_part), before = 0), known_in_part)
  expect_true(all(as_pcf(as.matrix(held, times), times = times, until = Inf) == held))
})

test_that("what has more breakpoints than a data frame can have rows is an error", {
  skip_on_cran()
  # The functions share their memory.
  x <- rep(pcf(1:2^20, numeric(2^20)), 2^11)
  error <- expect_error(as.data.frame(x), class = "pcfdist_error_x")
  expect_match(conditionMessage(error), "2147483648 breakpoints in total", fixed = TRUE)
  expect_error(plot(x), class = "pcfdist_error_x")
  skip_if_not_installed("ggplot2")
  expect_error(ggplot2::fortify(x), class = "pcfdist_error_model")
  expect_error(ggplot2::autoplot(x), class = "pcfdist_error_object")
})

test_that("functions of R that need a matrix say what to give them", {
  for (f in list(dist, function(x) kmeans(x, 2))) {
    refused(f(random_pcf(4)), "times", "is missing: the times at which the functions have the values of the matrix. ",
            "Where R's functions need a matrix, give them as.matrix(x, times); instead of dist(x) and kmeans(x, k), ",
            "use pdist(x) and k_means(x, k), which are exact.")
  }
})
