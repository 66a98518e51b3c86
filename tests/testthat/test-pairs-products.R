random_columns <- function(n, seed) with_seed(seed, matrix(rnorm(2 * n), n))

# From pairs, whatever pays; and without pairs.
by_pairs <- function(code) {
  with_settings(code, kernel = "sweep")
}

by_events <- function(code) {
  with_settings(code, kernel = "events")
}

# Without pairs where that can be done.
for_power <- function(p) if (p <= 2) by_events else by_pairs

# x * 2^exponent, in steps that are doubles.
grown <- function(x, exponent) {
  for (step in diff(unique(c(seq(0, exponent, 1000), exponent)))) x <- x * 2^step
  x
}

test_that("products of distances are those of the matrix", {
  for (seed in 1:15) {
    x <- random_pcf(with_seed(seed, sample(1:40, 1)), with_seed(seed, sample(1:30, 1)), seed)
    if (seed %% 3 == 0) x <- map_pcf(x, values = function(v) round(4 * v) / 4)
    y <- if (seed %% 2) random_pcf(17, 9, seed + 1000)
    window <- list(c(0.2, 2), c(-1, 1), c(0, 30))[[seed %% 3 + 1]]
    b <- random_columns(length(if (is.null(y)) x else y), seed)
    distances <- cdist(x, if (is.null(y)) x else y, from = window[1], to = window[2])
    scale <- distances %*% abs(b)
    actual <- by_events(distance_product(x, b, y, from = window[1], to = window[2]))
    expect_near(actual, distances %*% b, 1e-12, scale + max(scale, 1e-3))
    expect_near(
      by_pairs(distance_product(x, b, y, from = window[1], to = window[2])),
      distances %*% b, 1e-13, scale + 1e-12
    )
  }
})

test_that("products of kernels are those of the matrix", {
  for (seed in 1:15) {
    x <- random_pcf(with_seed(seed, sample(1:40, 1)), 12, seed)
    y <- if (seed %% 2) random_pcf(17, 9, seed + 1000)
    b <- random_columns(length(if (is.null(y)) x else y), seed)
    other <- if (is.null(y)) x else y
    kernel <- l2_kernel(x, other, from = -1, to = 5)
    scale <- l2_kernel(abs(x), abs(other), from = -1, to = 5) %*% abs(b)
    actual <- kernel_product(x, b, y, from = -1, to = 5)
    expect_near(actual, kernel %*% b, 1e-13, scale + 1e-300)
  }
})

test_that("products of powers are those of the matrix", {
  for (seed in 1:15) {
    x <- random_pcf(with_seed(seed, sample(1:40, 1)), with_seed(seed, sample(1:30, 1)), seed)
    if (seed %% 3 == 0) x <- map_pcf(x, values = function(v) round(4 * v) / 4)
    if (seed %% 5 == 0) x <- map_pcf(x, values = function(v) v * 1e20)
    y <- if (seed %% 2) random_pcf(17, 9, seed + 1000)
    p <- c(2, 3, 2, 12)[seed %% 4 + 1]
    window <- list(c(0.2, 2), c(-1, 1), c(0, 30))[[seed %% 3 + 1]]
    b <- random_columns(length(if (is.null(y)) x else y), seed) * 10^(seed %% 9)
    powers <- cdist(x, if (is.null(y)) x else y, p, window[1], window[2])^p
    actual <- for_power(p)(distance_product(x, b, y, p, from = window[1], to = window[2]))
    expect_near(actual, powers %*% b, 1e-12, powers %*% abs(b))
  }
})

test_that("what all functions have in common costs squares no digits, and no pairs", {
  steps <- paper_pcf(80, 30, seed = 1)
  lines <- as_plf(steps)
  for (x in list(steps, lines)) {
    for (common in c(1e3, -1e6)) {
      y <- x[1:30] + common
      b <- with_seed(1, cbind(1, runif(30)))
      squares <- cdist(x + common, y, 2, from = 0, to = 2)^2
      actual <- by_events(distance_product(x + common, b, y, p = 2, from = 0, to = 2))
      expect_identical(last_run()$kernel, "events")
      expect_near(actual, squares %*% b, 1e-12, squares %*% b)
    }
  }
  # They may also end with it.
  ends <- with_seed(2, pcf(lapply(1:90, function(i) c(0, sort(runif(9)))), lapply(1:90, function(i) c(runif(9), 5))))
  squares <- as.matrix(pdist(ends, 2))^2
  expect_near(by_events(distance_product(ends, rep(1, 90), p = 2)), rowSums(squares), 1e-12, rowSums(squares))
  expect_identical(last_run()$kernel, "events")
  ends[1] <- pcf(c(0, 1), c(1, 6))
  for (b in list(1:90, c(0, 1:89))) {
    actual <- by_events(distance_product(ends, b, p = 2))
    expect_equal(actual, by_pairs(distance_product(ends, b, p = 2)))
    expect_identical(is.infinite(actual), c(TRUE, rep(b[1] != 0, 89)))
  }
})

test_that("short and high functions keep their digits beside long ones", {
  high <- with_seed(1, lapply(1:80, function(i) rbind(c(0, 0), c(i, 1e6 * runif(1)), c(i + 1e-6, 0), c(1e6, 0))))
  low <- with_seed(2, lapply(1:80, function(i) rbind(c(0, 1 + runif(1)), c(1 + 1e6 * runif(1), 0))))
  x <- as_pcf(c(high, low))
  b <- with_seed(3, rnorm(160))
  expect_near(by_events(kernel_product(x, b)), by_pairs(kernel_product(x, b)), 1e-14, kernel_product(x, abs(b)))
  expect_near(by_events(distance_product(x, b, p = 2)), by_pairs(distance_product(x, b, p = 2)), 1e-14,
              distance_product(x, abs(b), p = 2))
})

test_that("where squares of near functions cancel, they are computed from pairs", {
  near <- function(n, center, seed) {
    map_pcf(random_pcf(n, 20, seed), function(t) t - t[1], function(v) center + 1e-3 * v)
  }
  x <- c(near(12, 100, 1), near(30, -100, 2), near(3, 0, 3))
  squares <- cdist(x, x, 2, 0, 9)^2
  for (b in list(rep(1, 45), rep(c(1, 0, 0), c(12, 30, 3)), rep(c(1, 1e-100, 0), c(12, 30, 3)))) {
    actual <- by_events(distance_product(x, b, p = 2, from = 0, to = 9))
    expect_near(actual, as.vector(squares %*% b), 1e-12, as.vector(squares %*% b))
  }
  same <- rep(near(1, 100, 4), 5)
  expect_identical(by_events(distance_product(same, 1:5, p = 2, from = 0, to = 9)), numeric(5))
})

test_that("squares, other powers and kernels of distances are products, too", {
  x <- random_pcf(30, 8, 3)
  y <- random_pcf(20, 8, 4)
  b <- random_columns(20, 5)
  two <- cdist(x, y, 2, to = 9)
  expect_equal(by_events(distance_product(x, b, y, p = 2, to = 9)), two^2 %*% b)
  expect_equal(distance_product(x, b, y, p = 2, to = 9), two^2 %*% b)
  expect_equal(distance_product(x, b, y, p = 2, power = 1, to = 9), two %*% b)
  expect_equal(distance_product(x, b, y, p = 1, power = 3, to = 9),
               cdist(x, y, to = 9)^3 %*% b)
  expect_equal(distance_product(x, b, y, p = Inf, power = 1, to = 9),
               cdist(x, y, Inf, to = 9) %*% b)
  expect_equal(kernel_product(x, b, y, "gaussian", 2, to = 9), exp(-two^2 / 8) %*% b)
  expect_equal(kernel_product(x, b, y, "laplacian", 2, to = 9),
               exp(-cdist(x, y, to = 9) / 2) %*% b)
  expect_equal(kernel_product(x, b, y, precision = "single", to = 9),
               l2_kernel(x, y, to = 9) %*% b, tolerance = 1e-5)
  expect_equal(distance_product(x, b, y, precision = "single", to = 9),
               cdist(x, y, to = 9) %*% b, tolerance = 1e-5)
})

test_that("the number of threads makes no difference, and long windows none to digits", {
  x <- paper_pcf(150, 999, seed = 2)
  b <- random_columns(150, 5)
  products <- function(threads) {
    list(by_events(distance_product(x, b, threads = threads)),
         kernel_product(x, b, threads = threads),
         by_events(distance_product(x, b, p = 2, threads = threads)),
         distance_product(x, b, p = 3, threads = threads))
  }
  one <- products(1)
  for (threads in 2:4) expect_identical(products(threads), one)
  distances <- cdist(x, x)
  expect_near(one[[1]], distances %*% b, 1e-13, distances %*% abs(b))
  late <- map_pcf(x, times = function(t) t + 2^20)
  here <- map_pcf(late, times = function(t) t - 2^20)
  expect_near(by_events(distance_product(late, b)), by_events(distance_product(here, b)), 1e-12,
              distances %*% abs(b))
  high <- map_pcf(x, values = function(v) v + 1e6)
  low <- map_pcf(high, values = function(v) v - 1e6)
  near <- cdist(low, low, from = 0, to = 0.01)
  expect_near(by_events(distance_product(high, b, from = 0, to = 0.01)), near %*% b, 1e-9,
              near %*% abs(b) + 1e-12)
})

# All functions jump from about 1 to 0 at `end`, and two thirds of them from 0.3 at the beginning.
jumping_together <- function(n, end, seed) {
  with_seed(seed, pcf(
    lapply(seq_len(n), function(i) end * c(0.3, 0.3 + 0.7 * sort(runif(18)), 1)),
    lapply(seq_len(n), function(i) c(if (i %% 3) 0.3, 1 + 0.1 * rnorm(18 + (i %% 3 == 0)), 0))
  ))
}

test_that("no digits are lost where many functions change alike at once, in one slab or many", {
  for (n in c(1000, 3300)) {
    for (end in c(1, 0.7)) {
      x <- jumping_together(n, end, seed = n)
      b <- with_seed(n, cbind(1, 1 / 3, rnorm(n)))
      by_pair <- by_pairs(distance_product(x, cbind(b, abs(b[, 3]))))
      expect_near(by_events(distance_product(x, b)), by_pair[, 1:3], 1e-14, by_pair[, c(1, 2, 4)])
    }
  }
  on_grid <- with_seed(1, pcf(
    rep(list(0:9 / 9), 7000), lapply(1:7000, function(i) c(1 + 0.1 * rnorm(9), 0))
  ))
  b <- rep(1, 7000)
  by_pair <- by_pairs(distance_product(on_grid, b))
  expect_near(by_events(distance_product(on_grid, b)), by_pair, 1e-14, by_pair)
})

# Functions that jump from `low` to `high` at different times close to 0.3, and their sums of distances.
nearly_equal <- function(n, low, high) {
  jumps <- with_seed(2, 0.3 + 1e-9 * runif(n))
  list(
    x = pcf(lapply(jumps, function(t) c(0, t, 1)), rep(list(c(low, high, 0)), n)),
    distances = abs(outer(jumps, jumps, "-")) * (high - low)
  )
}

test_that("sums of small distances between large functions keep their digits", {
  near <- nearly_equal(200, 101325.1, 101326)
  b <- with_seed(1, cbind(1, runif(200), rnorm(200)))
  expect_near(by_events(distance_product(near$x, b)), near$distances %*% b, 1e-12, near$distances %*% abs(b))
  expect_identical(last_run()$kernel, "sweep")
  one <- rep(1:0, c(1, 199))
  expect_near(by_events(distance_product(near$x, one)), near$distances[, 1], 1e-12, near$distances[, 1])
  y <- near$x[1:50]
  expect_near(by_events(distance_product(y, b, near$x)), near$distances[1:50, ] %*% b, 1e-12,
              near$distances[1:50, ] %*% abs(b))
  same <- near$x[rep(1, 60)]
  expect_identical(by_events(distance_product(same, cbind(1, rep(1:-1, 20)))), matrix(0, 60, 2))
  late <- c(jumping_together(150, 1, 1), pcf(c(0, 1, 1e15), c(1, 2, 0)))
  b <- rep(1:0, c(150, 1))
  by_pair <- by_pairs(distance_product(late, b))
  expect_near(by_events(distance_product(late, b)), by_pair, 1e-12, by_pair)
  spikes <- with_seed(3, pcf(lapply(1:120, function(i) c(0, t <- runif(1), t + 1e-8, 1)),
                             lapply(1:120, function(i) c(rnorm(1), 1e7, rnorm(1), 0))))
  by_pair <- by_pairs(distance_product(spikes, rep(1, 120)))
  expect_near(by_events(distance_product(spikes, rep(1, 120))), by_pair, 1e-12, by_pair)
})

test_that("common jumps at the ends of the window cost no digits, and signed numbers no pairs", {
  x <- with_seed(4, pcf(
    lapply(1:200, function(i) c(0, sort(runif(6, 1, 364)), 365)), lapply(1:200, function(i) c(1e6 + rnorm(7), 0))
  ))
  b <- with_seed(5, cbind(1, rnorm(200)))
  by_pair <- by_pairs(distance_product(x, cbind(b, abs(b[, 2]))))
  expect_near(by_events(distance_product(x, b)), by_pair[, 1:2], 1e-14, by_pair[, c(1, 3)])
  expect_identical(last_run()$kernel, "events")
  by_events(distance_product(x, rep(c(1, -1), 100)))
  expect_identical(last_run()$kernel, "events")
})

test_that("sums of squares are finite where norms overflow beside them", {
  large <- with_seed(1, pcf(
    lapply(1:150, function(i) c(0, 1e300 * c(sort(runif(5)), 1))),
    lapply(1:150, function(i) c(317 * (1 + 0.4 * rnorm(6)), 0))
  ))
  product <- by_events(distance_product(large, rep(1, 150), p = 2))
  expect_equal(product, unname(rowSums(as.matrix(pdist(large, 2))^2)))
})

test_that("infinite pairs make infinite sums", {
  x <- pcf(list(a = 0, b = 0, c = c(0, 1), d = 0:1), list(1, 2, c(5, 2), c(1, 0)))
  b <- cbind(c(1, 0, 0, 0), c(0, 1, 1, 0), c(-1, 0, 0, 0), c(1, -1, 0, 0), 0)
  distances <- as.matrix(pdist(x))
  expected <- apply(b, 2, function(b) {
    apply(distances, 1, function(d) sum((d * b)[b != 0]))
  })
  rownames(expected) <- names(x)
  for (way in list(by_pairs, by_events)) {
    expect_equal(way(distance_product(x, b)), expected)
  }
  kernel <- l2_kernel(x)
  products <- apply(b, 2, function(b) apply(kernel, 1, function(k) sum((k * b)[b != 0])))
  expect_equal(kernel_product(x, b), products)
  for (p in 2:3) {
    powers <- as.matrix(pdist(x, p))^p
    expected <- apply(b, 2, function(b) apply(powers, 1, function(d) sum((d * b)[b != 0])))
    expect_equal(for_power(p)(distance_product(x, b, p = p)), expected)
  }
})

test_that("few functions are taken in pairs by the linear kernel, too", {
  x <- random_pcf(20, 8, 3)
  kernel_product(x, numeric(20))
  expect_identical(last_run()$kernel, "sweep")
  by_events(kernel_product(x, numeric(20)))
  expect_identical(last_run()$kernel, "events")
})

test_that("sums that overflow are infinite, with their sign", {
  x <- pcf(
    lapply(1:5, function(i) c(0, i, 6)),
    list(c(1, -3, 0), c(-2, 1, 0), c(0.5, 0.25, 0), c(2, 2, 0), c(-3, 1, 0))
  )
  b <- cbind(1, c(1, -1, 1, 2, -3), c(0, 0, 1, -1, 0))
  for (exponent in c(340, 505, 900, 1020)) {
    huge <- map_pcf(x, values = function(v) v * 2^exponent)
    expect_equal(distance_product(huge, b, p = 3, power = 1),
                 grown(distance_product(x, b, p = 3, power = 1), exponent))
    for (way in list(by_pairs, by_events)) {
      of_power <- function(p) if (p <= 2) way else by_pairs
      large <- if (exponent < 900) of_power else function(p) by_pairs # no running sums of b
      for (p in 1:4) {
        expect_equal(of_power(p)(distance_product(huge, b, p = p)),
                     grown(of_power(p)(distance_product(x, b, p = p)), exponent * p))
        expect_equal(large(p)(distance_product(x, b * 2^exponent, p = p)),
                     grown(distance_product(x, b, p = p), exponent))
      }
      expect_equal(way(kernel_product(huge, b)), grown(kernel_product(x, b), exponent * 2))
      expect_equal(large(2)(kernel_product(x, b * 2^exponent)),
                   grown(kernel_product(x, b), exponent))
    }
  }
})

test_that("pairs that never meet again stay infinite beside those that overflow", {
  x <- pcf(list(a = 0, b = 0, c = 0:1), list(1e308, -1e308, c(1e308, 0)))
  for (way in list(by_pairs, by_events)) {
    expect_identical(way(kernel_product(x, c(1, 1, 0))), c(a = NaN, b = NaN, c = 0))
    expect_identical(way(kernel_product(x, c(1, 0, 1))), c(a = Inf, b = -Inf, c = Inf))
    expect_identical(way(distance_product(x, c(1, 0, -1))), c(a = -Inf, b = NaN, c = Inf))
  }
  for (last in list(c(0, 1e-180), c(1e-181, 1e-180), c(-1e-180, 1e-180))) {
    ends <- pcf(rep(list(c(0, 1)), 2), list(c(1e200, last[1]), c(1, last[2])))
    for (distance in c("lp", "relative")) {
      expect_identical(distance_product(ends, c(1, 1), distance = distance), c(Inf, Inf))
    }
  }
  same <- pcf(rep(list(c(0, 2)), 3), list(c(1e308, 1e-60), c(-1e308, 1e-60), c(1e308, 1e-60)))
  expect_equal(distance_product(same, c(0, 0.25, -0.25)), c(1, -1, 1) * 1e308)
})

test_that("small sums keep their digits where b is large", {
  x <- pcf(
    lapply(1:5, function(i) c(0, i, 6)),
    list(c(1, -3, 0), c(-2, 1, 0), c(0.5, 0.25, 0), c(2, 2, 0), c(-3, 1, 0))
  )
  b <- cbind(1, c(1, -1, 1, 2, -3), 0)
  for (exponent in c(400, 550, 1020)) {
    tiny <- map_pcf(x, values = function(v) v * 2^-exponent)
    back <- function(sums, degree) grown(sums, exponent * degree) * 2^-800
    for (p in 1:4) {
      actual <- for_power(p)(distance_product(tiny, b * 2^800, p = p))
      expected <- for_power(p)(distance_product(x, b, p = p))
      seen <- abs(expected) * 2^800 * 2^(-exponent * p / 2) * 2^(-exponent * p / 2) > 2^-1000
      expect_equal(back(actual, p)[seen], expected[seen])
    }
    if (exponent == 1020) next
    for (way in list(by_pairs, by_events)) {
      expect_equal(back(way(kernel_product(tiny, b * 2^800)), 2), way(kernel_product(x, b)))
    }
  }
})

test_that("results have the names of functions and columns", {
  x <- example_pcf()
  b <- matrix(1, length(x), 2, dimnames = list(NULL, c("u", "v")))
  for (way in list(by_pairs, by_events)) {
    product <- way(distance_product(x, b, to = 3))
    expect_identical(dimnames(product), list(names(x), c("u", "v")))
    expect_named(way(distance_product(x, b[, 1], to = 3)), names(x))
  }
  expect_identical(dim(distance_product(x[0], b, x)), c(0L, 2L))
  for (way in list(by_pairs, by_events)) {
    for (p in 1:3) {
      expect_identical(way(distance_product(x, numeric(), x[0], p = p)), c(a = 0, b = 0))
    }
  }
  expect_identical(kernel_product(x, numeric(), x[0]), c(a = 0, b = 0))
})

test_that("kernel operators are for solvers", {
  x <- random_pcf(40, 8, 3)
  operator <- kernel_operator(x, to = 9)
  v <- with_seed(1, rnorm(40))
  expect_equal(operator(v), as.vector(l2_kernel(x, to = 9) %*% v))
  expect_identical(
    utils::capture.output(print(operator)),
    c("<kernel_operator> of 40 functions: kernel_product(x, v, to = 9) for a vector v")
  )
  gaussian <- kernel_operator(x, kernel = "gaussian", scale = 2, to = 9)
  expect_output(
    print(gaussian),
    '<kernel_operator> of 40 functions: kernel_product(x, v, kernel = "gaussian", scale = 2, to = 9)',
    fixed = TRUE
  )
  expect_true(is.function(operator))
  expect_identical(vapply(list(v), operator, v)[, 1], operator(v))
  skip_if_not_installed("RSpectra")
  few <- RSpectra::eigs_sym(operator, k = 3, n = 40)
  expect_equal(few$values, eigen(l2_kernel(x, to = 9))$values[1:3])
})

test_that("missing values and weights are those of distances", {
  whole <- random_pcf(12, 8, 3)
  partial <- c(whole[1:9], pcf(c(-Inf, 0.5, 2), c(1, NA, 0)))
  weights <- list(NULL, pcf(c(0, 1, 3), c(1, 0.25, 2)))
  for (x in list(whole, partial)) for (missing in c("error", "overlap", "mean")) for (weight in weights) {
    if (missing == "error" && length(x) == length(partial)) next
    b <- random_columns(length(x), 5)
    for (way in if (missing == "error") list(by_pairs, by_events) else list(identity)) {
      take <- function(f, ...) f(..., from = 0, to = 9, missing = missing, weight = weight)
      expect_equal(way(take(kernel_product, x, b)), take(l2_kernel, x, x) %*% b)
      for (p in if (missing == "error") 1:2 else 1:3) {
        expect_equal(way(take(distance_product, x, b, p = p)), take(cdist, x, x, p = p)^p %*% b)
      }
    }
  }
  b <- random_columns(10, 5)
  for (missing in c("overlap", "mean")) {
    expect_error(by_events(distance_product(partial, b, from = 0, to = 9, missing = missing)),
                 class = "pcfdist_error_argument")
  }
  expect_error(by_events(distance_product(partial, b, from = 0, to = 9)), class = "pcfdist_error_missing")
  expect_error(kernel_product(partial, b, missing = "mean"), class = "pcfdist_error_missing")
})

test_that("units of time are those of the window", {
  x <- random_pcf(12, 8, 3)
  dated <- x
  time_unit(dated) <- "Date"
  b <- random_columns(12, 5)
  for (way in list(by_pairs, by_events)) {
    expect_identical(
      way(distance_product(dated, b, to = as.Date("1970-01-03"))),
      way(distance_product(x, b, to = 2))
    )
  }
  expect_identical(kernel_product(dated, b, to = as.Date("1970-01-03")),
                   kernel_product(x, b, to = 2))
  expect_error(distance_product(dated, b, to = 2), class = "pcfdist_error_to")
  expect_error(distance_product(x, b, dated), class = "pcfdist_error_y")
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  b <- rep(1, length(x))
  refused(distance_product(1, b), "x", "must be a <pcf>, not 1. ", makes_pcf)
  refused(distance_product(x, b[-1]), "b",
          "must be a number for each of the 2 functions of `x`, or a matrix with such columns, not 1.")
  refused(distance_product(x, b, x[1]), "b", "must be a number for each of the 1 functions of `y`, or a matrix with ",
          "such columns, not a double vector of length 2.")
  refused(distance_product(x, c(1, NA)), "b", "must be finite, not NA at position 2.")
  refused(distance_product(x, matrix(c(1, 2, 3, Inf), 2)), "b", "must be finite, not Inf at position 4.")
  refused(distance_product(x, letters[1:2]), "b", "must be a number for each of the 2 functions of `x`, or a matrix ",
          "with such columns, not a character vector of length 2.")
  for (call in list(distance_product, kernel_product)) {
    refused(call(x), "b", "is missing: a number for each function, or a matrix with such columns.")
  }
  refused(distance_product(x, b, power = 0), "power", "must be positive and finite, not 0.")
  refused(distance_product(x, b, p = 0), "p", "must be a number of at least 1, or Inf, not 0.")
  refused(distance_product(x, b, from = 2, to = 1), "from", "must be at most `to`: 2 is greater than 1.")
  refused(kernel_product(x, b, kernel = "cubic"), "kernel",
          'must be one of "linear", "gaussian", "laplacian", not "cubic".')
  refused(kernel_product(x, b, kernel = "gaussian"), "scale", "is missing: the gaussian kernel needs it.")
  refused(kernel_product(x, b, kernel = "gaussian", scale = -1), "scale", "must be positive and finite, not -1.")
  refused(kernel_product(x, b, scale = 1), "scale", "must not be given for the linear kernel.")
  refused(kernel_operator(x, kernel = "laplacian"), "scale", "is missing: the laplacian kernel needs it.")
})

test_that("inner products and squares of lines are added up without pairs", {
  for (seed in 1:20) {
    x <- random_plf(30, 18, whole = seed %% 2 == 0, seed = seed)
    x <- x[vapply(unclass(x), function(f) f[[1, 2]] == 0, NA)]
    if (seed %% 3 == 0) x <- shift_time(x, 1e6)
    y <- if (seed %% 4 > 1) random_plf(17, 9, seed = seed + 100)
    window <- list(c(0.25, 2), c(-1, 9), c(-Inf, Inf))[[seed %% 3 + 1]] + 1e6 * (seed %% 3 == 0)
    if (seed %% 3 == 0 && !is.null(y)) y <- shift_time(y, 1e6)
    other <- y %||% x
    b <- random_columns(length(other), seed) * 10^(100 * (seed %% 5 - 2))
    kernel <- l2_kernel(x, other, from = window[1], to = window[2])
    scale <- l2_kernel(abs(x), abs(other), from = window[1], to = window[2]) %*% abs(b)
    product <- by_events(kernel_product(x, b, y, from = window[1], to = window[2]))
    expect_identical(last_run()$kernel, "events")
    expect_near(product, kernel %*% b, 1e-13, scale + 1e-3 * max(scale))
    squares <- cdist(x, other, p = 2, from = window[1], to = window[2])^2
    product <- by_events(distance_product(x, b, y, p = 2, from = window[1], to = window[2]))
    expect_near(product, squares %*% b, 1e-12, squares %*% abs(b) + 1e-3 * max(scale))
  }
  x <- random_plf(9)
  expect_error(by_events(distance_product(x, 1:9)), "cannot use", class = "pcfdist_error_argument")
})

test_that("many lines are added up without pairs, in slabs and in weighted time", {
  x <- random_plf(600, 300, whole = FALSE, seed = 3)
  b <- random_columns(600, 5)
  w <- pcf(c(0, 1, 3), c(1, 0.5, 0))
  for (weight in list(NULL, w)) {
    one <- by_events(kernel_product(x, b, from = 0, weight = weight, threads = 1))
    expect_identical(last_run()$kernel, "events")
    two <- by_events(kernel_product(x, b, from = 0, weight = weight, threads = 2))
    expect_identical(two, one)
    by_pair <- by_pairs(kernel_product(x, b, from = 0, weight = weight))
    expect_near(one, by_pair, 1e-13, max(abs(by_pair)) + abs(by_pair))
  }
})

test_that("numbers for each function may be logical, or have one dimension", {
  x <- rpcf(4, 5, "sine")
  expect_identical(distance_product(x, tapply(1:4, 1:4, sum), to = 1), distance_product(x, 1:4, to = 1))
  expect_identical(distance_product(x, c(TRUE, FALSE, TRUE, TRUE), to = 1), distance_product(x, c(1, 0, 1, 1), to = 1))
  for (argument in c("b", "y")) {
    call <- as.call(c(quote(kernel_operator), quote(x), stats::setNames(list(quote(x[1:2])), argument)))
    refused(eval(call), argument, "must not be given: the operator is the kernel matrix of `x` alone.")
  }
})

test_that("another order of the functions changes products by rounding only", {
  with_seed(4, for (p in c(1, 2, 3)) {
    x <- rpcf(150, 12)
    b <- rnorm(150)
    order <- sample(150)
    product <- distance_product(x, b, p = p)
    scale <- if (p == 2) abs(product) else distance_product(x, abs(b), p = p)
    expect_lte(max(abs(distance_product(x[order], b[order], p = p) - product[order]) / scale[order]), 2e-12)
  })
})
