# The reduction by definition: `reduce` takes the values of all functions at one time.
reduce_oracle <- function(x, reduce) {
  times <- sort(unique(unlist(lapply(unclass(x), function(f) f[, 1]))))
  values <- vapply(unclass(x), function(f) values_at(f, times), numeric(length(times)))
  values <- matrix(values, length(times))
  list(time = times, value = apply(values, 1, reduce), scale = rowSums(abs(values)))
}

# The result agrees with the oracle at all times, and has only breakpoints that it needs.
expect_reduced <- function(result, x, reduce, tolerance = 0) {
  expected <- reduce_oracle(x, reduce)
  f <- unclass(result)[[1]]
  expect_identical(f[1, 1], expected$time[1] + 0, ignore_attr = TRUE)
  expect_true(all(f[, 1] %in% expected$time))
  expect_true(all(f[-1, 2] != f[-nrow(f), 2]))
  expect_near(values_at(f, expected$time), expected$value, tolerance, expected$scale)
  expect_identical(unname(values_at(f, -Inf)), 0)
  expect_silent(pcf(f[, 1], f[, 2]))
}

# Sums of R with long double, put right by what they miss, are good to the last bit or two.
precise <- 4e-16

test_that("sums, means and extrema are those of the values at each time", {
  for (x in kinds_of_pcf(40)) {
    w <- with_seed(2, rnorm(40))
    expect_reduced(sum(x), x, sum, precise)
    expect_reduced(mean(x), x, mean, precise)
    expect_reduced(sum(x, weights = w), x, function(v) sum(w * v), precise * max(abs(w)))
    expect_reduced(
      mean(x, weights = abs(w)), x, function(v) sum(abs(w) * v) / sum(abs(w)),
      precise * max(abs(w)) / sum(abs(w)) * 40
    )
    expect_reduced(max(x), x, max)
    expect_reduced(min(x), x, min)
    expect_identical(range(x), c(min(x), max(x)))
  }
})

test_that("small collections", {
  x <- example_pcf()
  expect_identical(sum(x), pcf(c(0, 1, 2, 4, 5), c(1, 3, 5, 3, 0)))
  expect_identical(mean(x), pcf(c(0, 1, 2, 4, 5), c(0.5, 1.5, 2.5, 1.5, 0)))
  expect_identical(max(x), pcf(c(0, 1, 2, 5), c(1, 2, 3, 0)))
  expect_identical(min(x), pcf(c(0, 1, 2, 4), c(0, 1, 2, 0)))
  for (f in list(sum, mean, max, min)) expect_identical(f(x["a"]), unname(x["a"]))
  expect_identical(mean(pcf(3, -2)), pcf(3, -2))
  expect_identical(max(pcf(3, -2), pcf(4, -1)), pcf(3:4, c(0, -1)))
  expect_identical(sum(x[0]), pcf(0, 0))
  expect_identical(sum(x, weights = c(0, 0)), pcf(0, 0))
  expect_identical(sum(x, weights = c(0, 2)), pcf(c(1, 4), c(4, 0)))
})

test_that("several arguments count as one collection", {
  x <- example_pcf()
  y <- random_pcf(3)
  expect_identical(sum(x, y), sum(c(x, y)))
  expect_identical(max(a = x, y, threads = 1), max(c(x, y)))
  expect_identical(sum(x, y, weights = 1:5), sum(c(x, y), weights = 1:5))
})

test_that("laws", {
  x <- paper_pcf(60, 50)
  y <- paper_pcf(60, 50, seed = 2)
  negative <- map_pcf(x, values = function(v) -v)
  expect_identical(sum(x, negative), pcf(0, 0))
  expect_identical(mean(negative), map_pcf(mean(x), values = function(v) -v + 0))
  expect_identical(max(negative), map_pcf(min(x), values = function(v) -v + 0))
  for (n in c(2, 3, 7, 49, 1000)) {
    expect_identical(mean(rep(x[1:3], each = n)[1:n]), mean(x[1]))
    expect_identical(mean(rep(x[5], n)), unname(x[5]))
  }
  times <- seq(0, 3, length.out = 1000)
  at <- function(f) values_at(unclass(f)[[1]], times)
  expect_true(all(at(mean(x)) >= at(min(x)) & at(mean(x)) <= at(max(x))))
  expect_near(at(mean(x)), at(sum(x)) / 60, 2.3e-16)
  expect_near(at(sum(x, y)), at(sum(x)) + at(sum(y)), 3e-16, abs(at(sum(x))) + abs(at(sum(y))))
  expect_identical(max(max(x), max(y)), max(x, y))
  expect_identical(sum(x, weights = rep(2, 60)), map_pcf(sum(x), values = function(v) 2 * v))
  expect_identical(mean(x, weights = rep(0.25, 60)), mean(x))
})

test_that("means of functions that end at 0 end at exactly 0", {
  x <- paper_pcf(500, 40)
  for (f in list(mean(x), sum(x), sum(x, weights = with_seed(1, rnorm(500))))) {
    expect_identical(unclass(f)[[1]][nrow(unclass(f)[[1]]), 2], 0, ignore_attr = TRUE)
    expect_true(is.finite(lp_distance(f, pcf(0, 0))))
  }
})

test_that("neither the order nor the number of threads matters", {
  x <- c(paper_pcf(700, 900), tied_pcf(500), gridded_pcf(300, 100), random_pcf(100))
  order <- with_seed(3, sample(length(x)))
  w <- with_seed(4, rnorm(length(x)))
  group <- rep_len(1:3, length(x))
  for (f in list(
    function(i, ...) mean(x[i], ...), function(i, ...) max(x[i], ...),
    function(i, ...) sum(x[i], weights = w[i], ...),
    function(i, ...) aggregate(x[i], group[i], sum, ...)
  )) {
    one <- f(seq_along(x), threads = 1)
    expect_identical(f(seq_along(x), threads = 3), one)
    expect_identical(f(order, threads = 2), one)
  }
})

test_that("values of all magnitudes are added exactly", {
  x <- pcf(list(0:2, 4:5, c(0, 6)), list(c(1, 1e-60, 0), c(1e-60, 0), c(-1, 0)))
  expect_identical(sum(x), pcf(c(0, 1, 6), c(0, -1, 0)))
  alone <- pcf(list(0:1, 2:3), list(c(1, 0), c(1e-60, 0)))
  expect_identical(sum(alone), pcf(0:3, c(1, 0, 1e-60, 0)))
  cancelling <- pcf(
    list(c(0, 3), 1:2, c(0, 3)), list(c(1e300, 0), c(1e-300, 0), c(-1e300, 0))
  )
  expect_identical(sum(cancelling), pcf(0:2, c(0, 1e-300, 0)))
  expect_identical(mean(cancelling), pcf(0:2, c(0, 1e-300 / 3, 0)))
  largest <- .Machine$double.xmax
  extreme <- pcf(list(0:1, 0:1), list(c(largest, 0), c(largest, 5e-324)))
  expect_identical(mean(extreme), pcf(0:1, c(largest, 0)))
  expect_identical(mean(extreme[c(2, 2)]), extreme[2])
  expect_identical(min(extreme), pcf(0:1, c(largest, 0)))
  tiny <- pcf(list(0:1), list(c(5e-324, 0)))
  expect_identical(sum(tiny, tiny, tiny), pcf(0:1, c(1.5e-323, 0)))
  expect_identical(sum(tiny, weights = 1e300), pcf(0:1, c(5e-324 * 1e300, 0)))
  expect_identical(mean(c(tiny, tiny), weights = c(1e-300, 1e300)), tiny)
  expect_identical(mean(extreme[c(1, 1)], weights = c(1e300, 1e307)), extreme[1])
  light <- unclass(mean(alone, weights = c(1e-200, 1)))[[1]]
  expect_near(light[, 2], c(1e-200, 0, 1e-60, 0), 1e-15)
})

test_that("times of all magnitudes, negative ones and -0", {
  times <- c(-10^(300:-300), -0, 10^(-300:300))
  x <- map_pcf(gridded_pcf(50, length(times)), times = function(t) times)
  y <- pcf(list(-0, 0), list(1, 2))
  expect_identical(sum(y), pcf(0, 3))
  expect_identical(1 / unclass(max(y))[[1]][1, 1], Inf, ignore_attr = TRUE)
  expect_identical(1 / unclass(sum(y))[[1]][1, 1], Inf, ignore_attr = TRUE)
  expect_reduced(sum(x, y), c(x, y), sum, precise)
  expect_reduced(max(x, y), c(x, y), max)
  many <- rep(x, 10)
  shifted <- function(f, i) cbind(f[, 1] * (1 + i / 1e4), f[, 2])
  many <- as_pcf(Map(shifted, unclass(many), seq_along(many)))
  expect_reduced(sum(many[seq(1, 500, 20)]), many[seq(1, 500, 20)], sum, precise)
  expect_identical(
    unclass(sum(many))[[1]][, 1],
    sort(unique(unlist(lapply(unclass(many), function(f) f[, 1])))), ignore_attr = TRUE
  )
})

array_of <- function(functions, x) {
  attributes(functions) <- attributes(x)
  functions
}

test_that("margins of arrays are those of apply", {
  x <- random_pcf(24)
  dim(x) <- c(2, 3, 4)
  dimnames(x) <- list(u = c("a", "b"), v = NULL, w = letters[1:4])
  cell <- function(result) unname(unclass(result))
  for (f in list(mean, sum, max)) {
    by_w <- f(x, margin = 3)
    expect_identical(names(by_w), letters[1:4])
    expect_null(dim(by_w))
    for (k in 1:4) expect_identical(by_w[k], f(x[, , k]), ignore_attr = "names")
    both <- f(x, margin = c(3, 1))
    expect_identical(dim(both), c(4L, 2L))
    expect_identical(dimnames(both), dimnames(x)[c(3, 1)])
    for (k in 1:4) for (i in 1:2) expect_identical(both[k, i], f(x[i, , k]))
    expect_identical(f(x, margin = c("w", "u")), both)
    expect_null(names(f(x, margin = 2)))
    expect_identical(f(x, margin = 1:3), array_of(sapply(1:24, function(i) cell(f(x[i]))), x))
  }
  w <- with_seed(1, runif(24))
  expect_identical(
    mean(x, weights = w, margin = 1)["b"], mean(x[2, , ], weights = w[c(FALSE, TRUE)]),
    ignore_attr = "names"
  )
  y <- x
  dim(y) <- c(6, 4)
  for (j in 1:4) expect_identical(min(y, margin = 2)[j], min(y[, j]))
  empty <- x[0]
  dim(empty) <- c(0, 3)
  expect_identical(sum(empty, margin = 2), rep(pcf(0, 0), 3))
  expect_identical(length(sum(empty, margin = 1)), 0L)
  expect_identical(length(mean(empty, margin = 1)), 0L)
})

test_that("groups are those of split", {
  x <- random_pcf(30)
  by <- factor(rep_len(c("b", "c", NA, "a"), 30), levels = c("c", "b", "a", "none"))
  for (f in list(mean, sum, max, min)) {
    expected <- do.call(c, lapply(split(seq_along(x), by, drop = TRUE), function(i) f(x[i])))
    expect_identical(aggregate(x, by, f), expected)
    expect_identical(aggregate(x, by, function(x) f(x)), expected)
  }
  expect_identical(names(aggregate(x, by)), c("c", "b", "a"))
  expect_identical(aggregate(x, by, "mean"), aggregate(x, by))
  expect_identical(aggregate(x, rep(NA, 30)), x[0], ignore_attr = "names")
  expect_identical(names(aggregate(x, rep_len(c(10, 9), 30))), c("9", "10"))
  expect_identical(aggregate(x, seq_along(x), "max"), aggregate(x, 1:30, function(f) max(f)))
  w <- with_seed(1, runif(30))
  expect_identical(
    aggregate(x, by, mean, weights = w)["a"],
    mean(x[which(by == "a")], weights = w[which(by == "a")]), ignore_attr = "names"
  )
})

test_that("several groupings give a data frame like aggregate's", {
  x <- random_pcf(40)
  u <- rep_len(c("s", "r", "r", NA), 40)
  v <- rep_len(c(2, 1, 1, 1, 2), 40)
  v[u %in% "s"] <- 1
  result <- aggregate(x, list(u = u, v), min)
  expected <- stats::aggregate(seq_along(x), list(u = u, v), min)
  expect_identical(result[1:2], expected[1:2])
  expect_identical(names(result), c("u", "Group.2", "x"))
  for (k in seq_len(nrow(result))) {
    chosen <- which(u == result$u[k] & v == result$Group.2[k])
    expect_identical(result$x[k], min(x[chosen]))
  }
  expect_identical(aggregate(x, data.frame(u, v), min)$x, result$x)
  expect_identical(aggregate(x, list(u), "sum")$x, unname(aggregate(x, u, sum)))
})

test_that("missing functions are left out on request", {
  x <- unclass(example_pcf())
  x[3] <- list(NULL)
  x <- structure(x, class = c("pcf", "list"))
  expect_identical(sum(x, na.rm = TRUE), sum(example_pcf()))
  expect_identical(mean(x, na.rm = TRUE, weights = c(1, 1, 5)), mean(example_pcf()))
  expect_identical(aggregate(x, c(1, 2, 2), mean, na.rm = TRUE),
                   aggregate(example_pcf(), 1:2, mean))
  expect_identical(weighted.mean(example_pcf(), c(1, 3)), mean(example_pcf(), weights = c(1, 3)))
  expect_identical(weighted.mean(example_pcf()), mean(example_pcf()))
})

test_that("errors name functions by their places among all, those left out too", {
  lines <- structure(list(NULL, cbind(0, 1, 1), cbind(1:0, 1, 1)), class = class(plf(0, 0)))
  says <- "is invalid: function 3 has the time 0 at position 2, after 1. Times must increase."
  for (reduce in list(sum, max, min)) {
    refused(reduce(lines, na.rm = TRUE), "x", says)
    refused(aggregate(lines, c(NA, 1, 1), reduce), "x", says)
  }
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  y <- random_pcf(6)
  dim(y) <- 2:3
  missing <- structure(list(unclass(x)[[1]], NULL), class = c("pcf", "list"))
  infinite <- unclass(x)
  infinite[[2]][2, 2] <- Inf
  infinite <- structure(infinite, class = c("pcf", "list"))
  huge <- pcf(0, .Machine$double.xmax)
  expect_refusal(prod(x), "generic", "prod() is not defined for functions; sum(), max(), min() and range() are.")
  expect_refusal(any(x), "generic", "any() is not defined for functions; sum(), max(), min() and range() are.")
  expect_refusal(all(x), "generic", "all() is not defined for functions; sum(), max(), min() and range() are.")
  refused(sum(x, 3), "...", "must be <pcf> objects, not 3.")
  refused(sum(x, weight = 1:2), "weight", "is not an argument of this function.")
  refused(mean(x, weight = 1:2), "weight", "is not an argument of this function.")
  refused(mean(x, x), "...", "must be empty: only one collection is allowed. Use c() to combine several.")
  refused(mean(x, trim = 0.1), "trim", "is not an argument of this function.")
  refused(mean(x[0]), "x", "has no functions, so there is no mean.")
  refused(max(x[0]), "x", "has no functions, so there is no max.")
  refused(min(y[0, , drop = FALSE], margin = 2), "x", "has no functions in group or cell 1 of 3, so there is no min.")
  refused(mean(x, weights = 1), "weights", "must have one number for each of the 2 functions, not 1.")
  refused(mean(x, weights = "a"), "weights", 'must have one number for each of the 2 functions, not "a".')
  refused(mean(x, weights = c(1, NA)), "weights", "must be finite, not NA at position 2.")
  refused(mean(x, weights = c(1, -1)), "weights", "must not add up to 0 for a mean.")
  refused(mean(x, weights = c(1e308, 1e308)), "weights", "must not be so large that their sum overflows.")
  refused(mean(y, weights = c(1, 1, 0, 0, 1, 1), margin = 2), "weights",
          "must not add up to 0 for a mean in group or cell 2 of 3.")
  refused(max(x, weights = 1:2), "weights", "can only be used with sum() and mean().")
  refused(mean(x, margin = 1), "margin", "needs an array of functions, but `x` has no dim.")
  refused(mean(y, margin = 3), "margin",
          "must be distinct dimensions of `x`, numbers from 1 to 2 or names of its dimnames, not 3.")
  refused(mean(y, margin = 0), "margin",
          "must be distinct dimensions of `x`, numbers from 1 to 2 or names of its dimnames, not 0.")
  refused(mean(y, margin = c(1, 1)), "margin", "must be distinct dimensions of `x`, numbers from 1 to 2 or names of ",
          "its dimnames, not a double vector of length 2.")
  refused(mean(y, margin = "a"), "margin",
          'must be distinct dimensions of `x`, numbers from 1 to 2 or names of its dimnames, not "a".')
  refused(mean(y, margin = NA), "margin",
          "must be distinct dimensions of `x`, numbers from 1 to 2 or names of its dimnames, not NA.")
  refused(mean(y, margin = TRUE), "margin",
          "must be distinct dimensions of `x`, numbers from 1 to 2 or names of its dimnames, not TRUE.")
  refused(mean(y, margin = numeric()), "margin", "must be distinct dimensions of `x`, numbers from 1 to 2 or names of ",
          "its dimnames, not a double vector of length 0.")
  refused(mean(x, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
  refused(mean(x, na.rm = NA), "na.rm", "must be TRUE or FALSE, not NA.")
  refused(mean(missing), "x", "is invalid: function 2 ", fills_missing)
  refused(sum(infinite), "x", 'is invalid: function 2 ("b") has an infinite value (Inf) at position 2.')
  refused(aggregate(infinite, c(NA, 1), max), "x",
          'is invalid: function 2 ("b") has an infinite value (Inf) at position 2.')
  expect_refusal(sum(huge, huge), "argument", "A value of the result is too large for a double.")
  refused(aggregate(x, 1), "by", "must have one group for each of the 2 functions, not 1.")
  refused(aggregate(x, list()), "by", "must have at least one element.")
  refused(aggregate(x, list(1:2, 1)), "by", "must have one group for each of the 2 functions, not 1.")
  refused(aggregate(x, mean), "by", "must have one group for each of the 2 functions, not a function.")
  refused(aggregate(x, 1:2, length), "FUN", "must return a <pcf> of length 1, not 1.")
  refused(aggregate(x, c(1, 1), function(f) f), "FUN",
          "must return a <pcf> of length 1, not an object of class <pcf> of length 2.")
  refused(aggregate(x, 1:2, mean, trim = 1), "trim", "is not an argument of this function.")
  refused(aggregate(x, 1:2, mean, weights = c(0, 1)), "weights",
          "must not add up to 0 for a mean in group or cell 1 of 2.")
  error <- tryCatch(aggregate(infinite, c(NA, 1), max), error = identity)
  expect_identical(error$index, 2)
})

test_that("reductions by margin and by groups are those of the functions alone, bit for bit", {
  for (seed in 1:20) {
    x <- with_seed(seed, structure(c(random_pcf(24, seed = seed)), dim = c(4, 6), names = NULL))
    x <- x * (10^with_seed(seed, sample(c(-150, -3, 0, 8), 24, TRUE)))
    weights <- with_seed(seed, matrix(runif(24), 4))
    rows <- function(FUN, weights = NULL) {
      unlist(lapply(1:4, function(i) unclass(FUN(c(x[i, ]), if (!is.null(weights)) weights[i, ]))), recursive = FALSE)
    }
    plain <- function(result) unname(lapply(unclass(result), identity))
    expect_identical(plain(sum(x, margin = 1)), plain(rows(function(f, w) sum(f))))
    expect_identical(plain(mean(x, margin = 1)), plain(rows(function(f, w) mean(f))))
    of_rows <- rows(function(f, w) mean(f, weights = w), weights)
    expect_identical(plain(mean(x, weights = c(weights), margin = 1)), plain(of_rows))
    expect_identical(plain(aggregate(c(x), rep(1:4, 6), sum)), plain(sum(x, margin = 1)))
    expect_identical(plain(aggregate(c(x), rep(1:4, 6))), plain(mean(x, margin = 1)))
  }
})
