x <- example_pcf()

# A collection that was changed behind the package's back.
corrupted <- function(row, column, value, x = example_pcf()) {
  x <- unclass(x)
  x[[2]][row, column] <- value
  structure(x, class = c("pcf", "list"))
}

test_that("data of the wrong type is an error", {
  refused(pdist(1:3), "x", "must be a <pcf>, not an integer vector of length 3. ", makes_pcf)
  refused(pdist(list(c(0, 1))), "x", "must be a <pcf>, not a list of length 1. ", makes_pcf)
  refused(pdist(NULL), "x", "must be a <pcf>, not NULL. ", makes_pcf)
  refused(pdist(matrix(1:4, 2)), "x", "must be a <pcf>, not an integer matrix of length 4. ", makes_pcf)
  refused(pdist(mtcars), "x", "must be a <pcf>, not a data frame with 11 columns. ", makes_pcf)
  refused(pdist("a"), "x", 'must be a <pcf>, not "a". ', makes_pcf)
  refused(cdist(x, ecdf(1:3)), "y", "must be a <pcf>, not a function. ", makes_pcf)
  refused(cdist(stats::ts(1:3), x), "x", "must be a <pcf>, not an object of class <ts> of length 3. ", makes_pcf)
  refused(l2_kernel(mean), "x", "must be a <pcf>, not a function. ", makes_pcf)
  refused(l2_kernel(x, TRUE), "y", "must be a <pcf>, not TRUE. ", makes_pcf)
  refused(lp_distance(3, x), "f", "must be a <pcf>, not 3. ", makes_pcf)
  refused(lp_distance(x, unclass(x)), "g", "must be a <pcf>, not a list of length 2. ", makes_pcf)
  refused(pcf_plan(3), "x", "must be a <pcf>, not 3. ", makes_pcf)
  refused(pcf_plan(x, 3), "y", "must be a <pcf>, not 3. ", makes_pcf)
})

test_that("p must be a number of at least 1", {
  refused(pdist(x, x), "p", "must be a number of at least 1, or Inf, not an object of class <pcf>",
          if (length(x) != 1) paste(" of length", length(x)),
          ". cdist(x, y) compares all functions of two collections.")
  refused(pdist(x, p = 0.5), "p", "must be a number of at least 1, or Inf, not 0.5.")
  refused(pdist(x, p = -Inf), "p", "must be a number of at least 1, or Inf, not -Inf.")
  refused(pdist(x, p = NA), "p", "must be a number of at least 1, or Inf, not NA.")
  refused(pdist(x, p = NaN), "p", "must be a number of at least 1, or Inf, not NaN.")
  refused(pdist(x, p = NA_real_), "p", "must be a number of at least 1, or Inf, not NA.")
  refused(pdist(x, p = "2"), "p", 'must be a number of at least 1, or Inf, not "2".')
  refused(pdist(x, p = 1:2), "p", "must be a number of at least 1, or Inf, not an integer vector of length 2.")
  refused(pdist(x, p = NULL), "p", "must be a number of at least 1, or Inf, not NULL.")
  refused(pdist(x, p = TRUE), "p", "must be a number of at least 1, or Inf, not TRUE.")
  refused(pdist(x, p = factor(2)), "p",
          "must be a number of at least 1, or Inf, not an object of class <factor> of length 1.")
  refused(cdist(x, x, p = 0), "p", "must be a number of at least 1, or Inf, not 0.")
  refused(lp_distance(x, x, p = list(1)), "p", "must be a number of at least 1, or Inf, not a list of length 1.")
  refused(pcf_plan(x, p = 1i), "p", "must be a number of at least 1, or Inf, not 0+1i.")
})

test_that("windows must be intervals", {
  refused(pdist(x, from = 2, to = 1), "from", "must be at most `to`: 2 is greater than 1.")
  refused(pdist(x, from = NaN), "from", "must be a number, not NaN.")
  refused(pdist(x, to = NA), "to", "must be a number, not NA.")
  refused(pdist(x, from = Inf), "from", "must be less than Inf.")
  refused(pdist(x, to = -Inf), "to", "must be greater than -Inf.")
  refused(pdist(x, from = "0"), "from", 'must be a number, not "0".')
  refused(pdist(x, to = 1:2), "to", "must be a number, not an integer vector of length 2.")
  refused(pdist(x, from = Sys.Date), "from", "must be a number, not a function.")
  refused(pdist(x, from = as.Date("2024-01-01")), "from",
          "is an object of class <Date> of length 1, but the functions have plain numbers as times. ", sets_unit)
  refused(cdist(x, x, from = NULL), "from", "must be a number, not NULL.")
  refused(l2_kernel(x, from = 3, to = 0), "from", "must be at most `to`: 3 is greater than 0.")
  refused(l2_kernel(x, to = TRUE), "to", "must be a number, not TRUE.")
  refused(lp_distance(x, x, from = 3, to = 0), "from", "must be at most `to`: 3 is greater than 0.")
  refused(pcf_plan(x, from = 3, to = 0), "from", "must be at most `to`: 3 is greater than 0.")
})

test_that("devices that are not there are errors", {
  refused(pdist(x, device = "tpu"), "device", 'must be one of "auto", "cpu", "cuda", not "tpu".')
  refused(pdist(x, device = NA), "device", 'must be one of "auto", "cpu", "cuda", not NA.')
  refused(pdist(x, device = c("cpu", "auto")), "device",
          'must be one of "auto", "cpu", "cuda", not a character vector of length 2.')
  refused(pdist(x, device = 1), "device", 'must be one of "auto", "cpu", "cuda", not 1.')
  refused(l2_kernel(x, device = "gpu"), "device", 'must be one of "auto", "cpu", "cuda", not "gpu".')
})

test_that("other settings are checked", {
  refused(pdist(x, precision = "half"), "precision", 'must be one of "double", "single", not "half".')
  refused(pdist(x, precision = NA), "precision", 'must be one of "double", "single", not NA.')
  refused(pdist(x, precision = 64), "precision", 'must be one of "double", "single", not 64.')
  refused(pdist(x, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
  refused(pdist(x, threads = -1), "threads", "must be a whole number of at least 1, not -1.")
  refused(pdist(x, threads = 1.5), "threads", "must be a whole number of at least 1, not 1.5.")
  refused(pdist(x, threads = NA), "threads", "must be a whole number of at least 1, not NA.")
  refused(pdist(x, threads = "2"), "threads", 'must be a whole number of at least 1, not "2".')
  refused(pdist(x, threads = 1e6), "threads", "must be at most 4096, not 1e+06.")
  refused(pdist(x, threads = 1:2), "threads",
          "must be a whole number of at least 1, not an integer vector of length 2.")
  refused(pdist(x, progress = NA), "progress", "must be TRUE or FALSE, not NA.")
  refused(pdist(x, progress = "yes"), "progress", 'must be TRUE or FALSE, not "yes".')
  refused(pdist(x, progress = c(TRUE, FALSE)), "progress", "must be TRUE or FALSE, not a logical vector of length 2.")
  refused(cdist(x, x, threads = Inf), "threads", "must be at most 4096, not Inf.")
  refused(l2_kernel(x, precision = "float"), "precision", 'must be one of "double", "single", not "float".')
  refused(lp_distance(x, x, progress = 1), "progress", "must be TRUE or FALSE, not 1.")
  refused(pcf_plan(x, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
  for (call in expression(
    restrict(line, threads = 0), drop_redundant(line, threads = 0), inverse(line, threads = 0),
    crossing_time(line, 1, threads = 0), shift_time(line, 1, threads = 0), scale_time(line, 2, threads = 0),
    max_value(line, threads = 0), time_of_min(line, threads = 0), derivative(line, threads = 0),
    cumulative(line, times = 1, threads = 0), cumulative(pcf(0:1, 1:0), threads = 0)
  )) {
    line <- plf(0:1, 1:2)
    refused(eval(call), "threads", "must be a whole number of at least 1, not 0.")
  }
})

test_that("options are checked by their names", {
  expect_refusal(with_settings(pdist(x), kernel = "run"), "pcfdist.kernel",
                 paste0('`pcfdist.kernel` must be one of "auto", "sweep", "grid", "split", "walk", "lookup", ',
                        '"events", not "run".'))
  refused(with_settings(pdist(x), tile = 48), "pcfdist.tile",
          "must be 32, 64, 128, 256, or 0 for the choice of the plan, not 48.")
  refused(with_settings(pdist(x), block = -1), "pcfdist.block", "must be a whole number of at least 0, not -1.")
  refused(with_settings(pdist(x), block = Inf), "pcfdist.block", "must be at most 2147483647, not Inf.")
  refused(with_settings(pdist(x), gpu_memory = 1e300), "pcfdist.gpu_memory",
          "must be at most 4503599627370496, not 1e+300.")
  refused(with_settings(pdist(x), precision = "half"), "pcfdist.precision",
          'must be one of "double", "single", not "half".')
  refused(with_settings(pdist(x), threads = 0), "pcfdist.threads", "must be a whole number of at least 1, not 0.")
  refused(with_settings(pdist(x), progress = "yes"), "pcfdist.progress", 'must be TRUE or FALSE, not "yes".')
  refused(with_settings(pdist(x), device = "tpu"), "pcfdist.device",
          'must be one of "auto", "cpu", "cuda", not "tpu".')
  expect_error(with_settings(pdist(x), isa = "mmx"), class = "pcfdist_error_pcfdist.isa")
})

test_that("lengths must go with each other", {
  y <- x[c(1, 2, 1)]
  refused(lp_distance(x, y), "g", "must have a length that matches that of `f`: 3 is not a multiple of 2.")
  refused(lp_distance(y, x), "g", "must have a length that matches that of `f`: 3 is not a multiple of 2.")
})

test_that("corrupted functions are errors that name function and position", {
  refused(pdist(corrupted(1, 1, NA)), "x", 'is invalid: function 2 ("b") has a missing time (NA) at position 1.')
  refused(pdist(corrupted(2, 1, NaN)), "x", 'is invalid: function 2 ("b") has a missing time (NaN) at position 2.')
  refused(pdist(corrupted(2, 1, Inf)), "x", 'is invalid: function 2 ("b") has an infinite time (Inf) at position 2.')
  refused(pdist(corrupted(1, 1, 4)), "x", 'is invalid: function 2 ("b") has the time 4 twice, at positions 1 and 2.')
  refused(pdist(corrupted(1, 1, 5)), "x",
          'is invalid: function 2 ("b") has the time 4 at position 2, after 5. Times must increase.')
  refused(pdist(corrupted(2, 2, NaN)), "x",
          'is invalid: function 2 ("b") has the value NaN at position 2. NA stands for values that are not observed.')
  refused(pdist(corrupted(1, 2, -Inf)), "x", 'is invalid: function 2 ("b") has an infinite value (-Inf) at position 1.')
  refused(cdist(x, corrupted(1, 1, NA)), "y", 'is invalid: function 2 ("b") has a missing time (NA) at position 1.')
  refused(cdist(corrupted(1, 1, NA), x), "x", 'is invalid: function 2 ("b") has a missing time (NA) at position 1.')
  refused(l2_kernel(corrupted(1, 2, NaN)), "x",
          'is invalid: function 2 ("b") has the value NaN at position 1. NA stands for values that are not observed.')
  refused(l2_kernel(x, corrupted(1, 2, NaN)), "y",
          'is invalid: function 2 ("b") has the value NaN at position 1. NA stands for values that are not observed.')
  refused(lp_distance(corrupted(1, 2, NaN), x), "f",
          'is invalid: function 2 ("b") has the value NaN at position 1. NA stands for values that are not observed.')
  refused(lp_distance(x, corrupted(1, 2, NaN)), "g",
          'is invalid: function 2 ("b") has the value NaN at position 1. NA stands for values that are not observed.')
  refused(pcf_plan(corrupted(1, 1, NA)), "x", 'is invalid: function 2 ("b") has a missing time (NA) at position 1.')
})

test_that("elements that are no functions are errors", {
  wrong <- function(element) structure(list(cbind(0, 1), element), class = c("pcf", "list"))
  refused(pdist(wrong(1:3)), "x", "is invalid: function 2 is an integer vector of length 3, not a double matrix with ",
          "the columns time and value.")
  refused(pdist(wrong(NULL)), "x", "is invalid: function 2 ", fills_missing)
  refused(pdist(wrong(matrix(1:4, 2))), "x",
          "is invalid: function 2 is a matrix (integer) of 2 x 2, not a double matrix with the columns time and value.")
  refused(pdist(wrong(matrix(0, 2, 3))), "x",
          "is invalid: function 2 is a matrix (double) of 2 x 3, not a double matrix with the columns time and value.")
  refused(pdist(wrong(matrix(0, 0, 2))), "x",
          "is invalid: function 2 has no breakpoints. The zero function is pcf(0, 0).")
  refused(pdist(wrong(data.frame(time = 0, value = 1))), "x",
          "is invalid: function 2 is a data frame with 2 columns, not a double matrix with the columns time and value.")
  refused(pdist(wrong("a")), "x", 'is invalid: function 2 is "a", not a double matrix with the columns time and value.')
  refused(cdist(x, wrong(list())), "y",
          "is invalid: function 2 is a list of length 0, not a double matrix with the columns time and value.")
  refused(lp_distance(x, wrong(NA_real_)), "g",
          "is invalid: function 2 is NA, not a double matrix with the columns time and value.")
})

test_that("the first function that is not sound is named, whatever is wrong with it", {
  x <- structure(list(cbind(0, 1), cbind(c(1, NA), 1:2 + 0), NULL), class = c("pcf", "list"))
  for (call in list(pdist, lp_norm, mean, drop_redundant, exp, function(x) evaluate(x, 1))) {
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
  expect_identical(classes(lp_distance(x, x[c(1, 1, 2)])), of("g"))
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

test_that("arguments that are not given are named, with what they are to be", {
  x <- example_pcf()
  takes <- c("as_plf", "cdist", "cumulative", "distance_product", "drop_redundant", "evaluate", "integral", "lp_norm",
             "nearest_neighbors", "pdist", "permutation_test", "restrict", "spanning_tree", "subsample")
  for (name in takes) {
    argument <- if (name == "subsample") "size" else "x"
    expect_error(do.call(name, list()), paste0("`", argument, "` is missing: "),
                 class = paste0("pcfdist_error_", argument))
  }
  a_pcf <- "is missing: a <pcf>, such as as_pcf() returns."
  refused(pdist(), "x", "", a_pcf)
  refused(cdist(x), "y", "", a_pcf)
  refused(lp_distance(x), "g", "", a_pcf)
  refused(nearest_neighbors(x), "k", "is missing: the number of neighbours.")
  refused(neighbors_within(x), "radius", "is missing: it must be a number of at least 0.")
  refused(evaluate(x), "times", "is missing: the times at which to evaluate the functions.")
  refused(crossing_time(x), "levels", "is missing: numbers.")
  refused(permutation_test(x), "group", "is missing: the group of each function, or member of `x`.")
  refused(shift_time(x), "by", "is missing: a length of time.")
  refused(interval_expand(1:2), "counts", "is missing: a whole number for each interval.")
  refused(as_uwot(), "neighbors", "is missing: what nearest_neighbors() gives.")
  refused(open_distances(), "file", "is missing: the name of a file of results.")
  refused(scale_time(x), "by", "is missing: a positive number.")
  refused(rpcf(), "n", "is missing: a whole number.")
  refused(as_pcf(), "x", "is missing: the object to convert.")
  refused(pcf(0), "values", "is missing: the values from each of the `times` on.")
  refused(plf(), "times", "is missing: the breakpoints, in increasing order.")
  refused(plf(0), "values", "is missing: the values at the `times`.")
  refused(stable_rank(), "x", "is missing: a persistence diagram, or a list of them.")
})
