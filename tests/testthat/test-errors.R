x <- example_pcf()

# A collection that was changed behind the package's back.
corrupted <- function(row, column, value, x = example_pcf()) {
  x <- unclass(x)
  x[[2]][row, column] <- value
  structure(x, class = c("pcf", "list"))
}

test_that("data of the wrong type is an error", {
  expect_snapshot(error = TRUE, {
    pdist(1:3)
    pdist(list(c(0, 1)))
    pdist(NULL)
    pdist(matrix(1:4, 2))
    pdist(mtcars)
    pdist("a")
    cdist(x, ecdf(1:3))
    cdist(stats::ts(1:3), x)
    l2_kernel(mean)
    l2_kernel(x, TRUE)
    lp_distance(3, x)
    lp_distance(x, unclass(x))
    pcf_plan(3)
    pcf_plan(x, 3)
  })
})

test_that("p must be a number of at least 1", {
  expect_snapshot(error = TRUE, {
    pdist(x, p = 0.5)
    pdist(x, p = -Inf)
    pdist(x, p = NA)
    pdist(x, p = NaN)
    pdist(x, p = NA_real_)
    pdist(x, p = "2")
    pdist(x, p = 1:2)
    pdist(x, p = NULL)
    pdist(x, p = TRUE)
    pdist(x, p = factor(2))
    cdist(x, x, p = 0)
    lp_distance(x, x, p = list(1))
    pcf_plan(x, p = 1i)
  })
})

test_that("windows must be intervals", {
  expect_snapshot(error = TRUE, {
    pdist(x, from = 1, to = 1)
    pdist(x, from = 2, to = 1)
    pdist(x, from = NaN)
    pdist(x, to = NA)
    pdist(x, from = Inf)
    pdist(x, to = -Inf)
    pdist(x, from = "0")
    pdist(x, to = 1:2)
    pdist(x, from = Sys.Date)
    pdist(x, from = as.Date("2024-01-01"))
    cdist(x, x, from = NULL)
    l2_kernel(x, from = 3, to = 0)
    l2_kernel(x, to = TRUE)
    lp_distance(x, x, from = 3, to = 0)
    pcf_plan(x, from = 3, to = 0)
  })
})

test_that("devices that are not there are errors", {
  expect_snapshot(error = TRUE, {
    pdist(x, device = "tpu")
    pdist(x, device = NA)
    pdist(x, device = c("cpu", "auto"))
    pdist(x, device = 1)
    l2_kernel(x, device = "gpu")
  })
})

test_that("other settings are checked", {
  expect_snapshot(error = TRUE, {
    pdist(x, precision = "half")
    pdist(x, precision = NA)
    pdist(x, precision = 64)
    pdist(x, threads = 0)
    pdist(x, threads = -1)
    pdist(x, threads = 1.5)
    pdist(x, threads = NA)
    pdist(x, threads = "2")
    pdist(x, threads = 1e6)
    pdist(x, threads = 1:2)
    pdist(x, progress = NA)
    pdist(x, progress = "yes")
    pdist(x, progress = c(TRUE, FALSE))
    cdist(x, x, threads = Inf)
    l2_kernel(x, precision = "float")
    lp_distance(x, x, progress = 1)
    pcf_plan(x, threads = 0)
  })
})

test_that("options are checked by their names", {
  expect_snapshot(error = TRUE, {
    with_settings(pdist(x), kernel = "run")
    with_settings(pdist(x), tile = 48)
    with_settings(pdist(x), block = -1)
    with_settings(pdist(x), block = Inf)
    with_settings(pdist(x), gpu_memory = 1e300)
    with_settings(pdist(x), precision = "half")
    with_settings(pdist(x), threads = 0)
    with_settings(pdist(x), progress = "yes")
    with_settings(pdist(x), device = "tpu")
  })
  expect_error(with_settings(pdist(x), isa = "mmx"), class = "pcfdist_error_pcfdist.isa")
})

test_that("lengths must go with each other", {
  y <- x[c(1, 2, 1)]
  expect_snapshot(error = TRUE, {
    lp_distance(x, y)
    lp_distance(y, x)
  })
})

test_that("corrupted functions are errors that name function and position", {
  expect_snapshot(error = TRUE, {
    pdist(corrupted(1, 1, NA))
    pdist(corrupted(2, 1, NaN))
    pdist(corrupted(2, 1, Inf))
    pdist(corrupted(1, 1, 4))
    pdist(corrupted(1, 1, 5))
    pdist(corrupted(2, 2, NaN))
    pdist(corrupted(1, 2, -Inf))
    cdist(x, corrupted(1, 1, NA))
    cdist(corrupted(1, 1, NA), x)
    l2_kernel(corrupted(1, 2, NaN))
    l2_kernel(x, corrupted(1, 2, NaN))
    lp_distance(corrupted(1, 2, NaN), x)
    lp_distance(x, corrupted(1, 2, NaN))
    pcf_plan(corrupted(1, 1, NA))
  })
})

test_that("elements that are no functions are errors", {
  wrong <- function(element) structure(list(cbind(0, 1), element), class = c("pcf", "list"))
  expect_snapshot(error = TRUE, {
    pdist(wrong(1:3))
    pdist(wrong(NULL))
    pdist(wrong(matrix(1:4, 2)))
    pdist(wrong(matrix(0, 2, 3)))
    pdist(wrong(matrix(0, 0, 2)))
    pdist(wrong(data.frame(time = 0, value = 1)))
    pdist(wrong("a"))
    cdist(x, wrong(list()))
    lp_distance(x, wrong(NA_real_))
  })
})

test_that("the first function that is not sound is named, whatever is wrong with it", {
  x <- structure(list(cbind(0, 1), cbind(c(1, NA), 1:2 + 0), NULL), class = c("pcf", "list"))
  for (call in list(pdist, lp_norm, mean, simplify, exp, function(x) evaluate(x, 1))) {
    error <- expect_error(call(x), class = "pcfdist_error")
    expect_identical(c(error$index, error$position), c(2, 2))
  }
  error <- expect_error(pdist(x[-2]), class = "pcfdist_error")
  expect_identical(error$index, 2)
})

test_that("errors have classes and fields", {
  classes <- function(code) class(tryCatch(code, error = identity))
  of <- function(argument) {
    c(paste0("pcfdist_error_", argument), "pcfdist_error", "error", "condition")
  }
  expect_identical(classes(pdist(3)), of("x"))
  expect_identical(classes(cdist(x, 3)), of("y"))
  expect_identical(classes(l2_kernel(x, 3)), of("y"))
  expect_identical(classes(lp_distance(3, x)), of("f"))
  expect_identical(classes(lp_distance(x, 3)), of("g"))
  expect_identical(classes(lp_distance(x, x[c(1, 1, 2)])), of("g"))
  expect_identical(classes(pdist(x, p = 0)), of("p"))
  expect_identical(classes(pdist(x, from = 2, to = 1)), of("from"))
  expect_identical(classes(pdist(x, from = NaN)), of("from"))
  expect_identical(classes(pdist(x, to = NaN)), of("to"))
  expect_identical(classes(pdist(x, device = "tpu")), of("device"))
  expect_identical(classes(pdist(x, precision = "half")), of("precision"))
  expect_identical(classes(pdist(x, threads = 0)), of("threads"))
  expect_identical(classes(pdist(x, progress = NA)), of("progress"))
  expect_identical(classes(pcf_plan(3)), of("x"))
  error <- tryCatch(cdist(x, corrupted(2, 2, NaN)), error = identity)
  expect_s3_class(error, "pcfdist_error_y")
  expect_identical(error$argument, "y")
  expect_identical(error$index, 2)
  expect_identical(error$position, 2)
  error <- tryCatch(lp_distance(corrupted(1, 1, NA), x), error = identity)
  expect_s3_class(error, "pcfdist_error_f")
  expect_identical(conditionCall(error), quote(lp_distance(corrupted(1, 1, NA), x)))
})

test_that("of several faults the first is named", {
  n <- 1000
  y <- unclass(pcf(as.list(1:n), as.list(1:n)))
  y[[900]][1, 2] <- NA
  y[[300]][1, 1] <- Inf
  y <- structure(y, class = c("pcf", "list"))
  for (threads in c(1, 3)) {
    error <- tryCatch(pdist(y, threads = threads), error = identity)
    expect_identical(error$index, 300)
  }
})

# ---- The call that an error names ----

call_of <- function(code) conditionCall(expect_error(code, class = "pcfdist_error"))

test_that("an error names the call that the user wrote, and generics by their names", {
  expect_identical(call_of(pdist(x, p = 0)), quote(pdist(x, p = 0)))
  expect_identical(call_of(as_pcf(3)), quote(as_pcf(3)))
  expect_identical(call_of(mean(x, margin = 1)), quote(mean(x, margin = 1)))
  expect_identical(call_of(sum(x, 3)), quote(sum(..., 3, na.rm = FALSE)))
  expect_identical(call_of(round(x, "a")), quote(round(..., "a")))
  expect_identical(call_of(x + "a"), quote(x + "a"))
  expect_identical(call_of(x[5]), quote(x[5]))
  expect_identical(call_of(c(x, 3)), quote(c(x, 3)))
  expect_identical(call_of(do.call("pdist", list(quote(x), p = 0))), quote(pdist(x, p = 0)))
})

test_that("calls within the package do not show", {
  none <- x[0]
  expect_identical(call_of(median(none)), quote(median(none)))
  expect_identical(call_of(scale_time(x, -1)), quote(scale_time(x, -1)))
  expect_identical(call_of(head(x)[3]), quote(head(x)[3]))
  expect_identical(call_of(as_pcf(I(3))), quote(as_pcf(I(3))))
  letters <- data.frame(a = "b", c = "d")
  expect_identical(call_of(as_pcf(letters)), quote(as_pcf(letters)))
})

test_that("a fault in a callback is that of the call in it", {
  by <- c("u", "v")
  wrong <- function(f) pdist(f, p = 0)
  expect_identical(call_of(aggregate(x, by, FUN = wrong)), quote(pdist(f, p = 0)))
  mapped <- function(f) Map(function(g) cdist(g, 3), list(f))
  expect_identical(call_of(aggregate(x, by, FUN = mapped)), quote(cdist(g, 3)))
  within <- function(f) with(list(g = f), f + "a")
  expect_identical(call_of(aggregate(x, by, FUN = within)), quote(f + "a"))
  expect_identical(
    call_of(aggregate(x, by, FUN = pdist, p = 0)), quote(aggregate(x, by, FUN = pdist, p = 0))
  )
  expect_identical(
    call_of(aggregate(x, by, FUN = length)), quote(aggregate(x, by, FUN = length))
  )
  expect_identical(call_of(lapply(list(x), function(f) pdist(f, 0))), quote(pdist(f, 0)))
})

test_that("a fault in an argument is that of the call in it", {
  expect_identical(call_of(pdist(as_pcf(3))), quote(as_pcf(3)))
  expect_identical(call_of(pcf(1, pcf(0, NaN))), quote(pcf(0, NaN)))
  expect_identical(call_of(x + x[5]), quote(x[5]))
  outer <- function(f) lp_norm(restrict(f, 3, 1))
  expect_identical(call_of(outer(x)), quote(restrict(f, 3, 1)))
})
