# Pairs of piecewise linear functions, against their definition.

exponents_of_lines <- list(1, 2, 1.5, 3, 7.3, Inf, "inner")

# The kernels that know an operation, on each device.
ways_of_lines <- function(p) {
  kernels <- c("sweep", "split", if (p %in% list(2, "inner")) "grid")
  ways <- expand.grid(kernel = kernels, device = test_devices(), stringsAsFactors = FALSE)
  ways <- rbind(ways, list(kernel = "walk", device = "cpu"))
  split(ways, seq_len(nrow(ways)))
}

expect_line_matrix <- function(x, p, y = x, ..., single = FALSE) {
  wanted <- line_matrix(x, y, p, ...)
  scale <- line_matrix(x, y, p, ..., of = line_scale)
  for (way in ways_of_lines(p)) {
    with_settings(kernel = way$kernel, device = way$device, {
      label <- paste(way$device, way$kernel, p)
      expect_near(maybe_infinite(full_matrix(x, y, p, ...)), wanted, 1e-13, scale, label)
      single <- maybe_infinite(full_matrix(x, y, p, ..., precision = "single"))
      expect_near(single, wanted, 3e-6, scale, paste(label, "single"))
      if (identical(x, y)) expect_identical(
        maybe_infinite(half_matrix(x, p, ...))[lower.tri(wanted)],
        maybe_infinite(full_matrix(x, x, p, ...))[lower.tri(wanted)], label = label
      )
    })
  }
}

test_that("functions of any start and end are compared by the definition", {
  x <- c(random_plf(3), random_plf(3, end = 2), plf(1, 3, left = -1), plf(0:1, c(2, 0), left = c(2, 5)))
  for (p in exponents_of_lines) {
    expect_line_matrix(x, p, from = -9, to = 20)
    expect_line_matrix(x, p, random_plf(5, 3, seed = 2), from = -9)
    expect_line_matrix(x, p)
  }
})

test_that("steep lines, offsets and touching lines keep their digits", {
  steep <- plf(list(c(0, 1e-9, 1), c(0, 1, 1 + 1e-12, 2), 0:2), list(c(0, 1, 0), c(1, 1, -1, 0), c(1, -1, 0)))
  far <- plf(list(1e9 + 0:2, 1e9 + c(0, 0.5, 2)), list(c(0, 1, 0), c(1, -1, 0)))
  high <- plf(list(0:2, 0:2), list(c(1e9, 1e9 + 1, 0), c(1e9 + 1, 1e9, 0)))
  touching <- plf(list(0:2, 0:2, c(0, 2)), list(c(0, 1, 0), c(2, 1, 0), c(0, 0)), left = list(0:2, c(0, 1, 2), c(0, 2)))
  for (x in list(steep, far, high, touching)) for (p in exponents_of_lines) expect_line_matrix(x, p)
})

test_that("short stretches far from 0 keep their digits", {
  times <- 1e9 + c(0.3, 0.7, 1.1, 1.4, 2.9)
  x <- plf(list(times[c(1, 3, 5)], times), list(c(1, -2, 0), c(0, 3, -1, 2, 0)))
  for (p in exponents_of_lines) {
    expect_line_matrix(x, p)
    expect_line_matrix(x, p, from = 1e9 + 0.4, to = 1e9 + 2.3)
  }
})

test_that("a time that single precision rounds to the end of the window ends no stretch twice", {
  x <- plf(list(c(9, 14), c(9, 14 - 2^-49)), list(c(1, 0), c(0, 0)), left = list(c(0, 0.5), c(0, 0)))
  for (p in exponents_of_lines) {
    expect_line_matrix(x, p, to = 14)
    expect_line_matrix(x, p, to = 14 + 2^-49)
  }
})

test_that("lines that reach far out of the window are what they are inside", {
  reaching <- function(far) {
    plf(list(c(-far, far), c(-far, far)), list(c(-3, 0), c(1, 0)), left = list(c(0, 5), c(0, 1)))
  }
  half <- plf(list(c(0, 1e40), 0:1), list(c(0, 0), c(0, 0)), left = list(c(0, 1e40), c(0, 0)))
  late <- plf(list(c(0, 1e300), c(0, 1)), list(c(1, 0), c(3, 0)), left = list(c(0, 1), c(0, 3)))
  for (p in exponents_of_lines) {
    expect_line_matrix(reaching(1e40), p, from = 1, to = 2)
    expect_line_matrix(half, p, from = 0, to = 1)
    expect_line_matrix(reaching(1e220), p, from = 1e-95, to = 2e-95)
    expect_line_matrix(late, p, to = 1e-200)
  }
  for (measure in list(lp_norm, integral)) {
    expect_near(measure(reaching(1e220)[1], from = 1e-95, to = 2e-95, missing = "mean"), 1)
  }
})

test_that("numbers that are far from others in size do not vanish", {
  expect_all <- function(distances, wanted) {
    for (kernel in c("sweep", "split", "walk")) {
      expect_near(with_settings(kernel = kernel, c(distances())), wanted, 1e-13, label = kernel)
    }
  }
  # Times: nothing changes at 1e291, and one function lasts much shorter than the others
  late <- plf(list(c(0, 1e100, 1e291), c(0, 1e291)), list(c(1, 0, 0), c(0, 0)))
  expect_all(function() pdist(late, precision = "single"), 5e99)
  long <- plf(list(c(0, 1), c(0, 1e30), c(0, 1e30), c(0, 1e30)), rep(list(c(1, 0)), 4))
  expect_all(function() cdist(long, plf(0, 0), precision = "single"), c(0.5, 5e29, 5e29, 5e29))
  # Differences whose products are no normal numbers
  tiny <- plf(list(0:2, 0:2), list(c(3e-310, 1, 0), c(0, 1, 0)), left = list(c(0, -1e-310, 1), c(0, 0, 1)))
  expect_all(function() 1e300 * pdist(tiny), 1.25e-10)
  # Values outside of the window
  x <- list(c(1, 1, 1e300, 0), c(1, 0, 0, 0))
  outside <- plf(list(0:3, 0:3), x, left = list(c(0, 1, 1, 1e300), c(0, 1, 0, 0)))
  expect_all(function() l2_kernel(outside, to = 1), rep(1, 4))
  expect_all(function() l2_kernel(pcf(0:3, x), to = 1), rep(1, 4))
})

test_that("powers of lines that hardly change keep their digits", {
  for (rise in 10^-(0:16)) {
    x <- plf(list(0:1, 0:1), list(c(1, 0), c(0, 0)), left = list(c(0, 1 + rise), c(0, 0)))
    for (p in c(1.1, 1.5, 3, 9.7, 40, 1000)) {
      expect_near(lp_distance(x[1], x[2], p), line_oracle(unclass(x)[[1]], unclass(x)[[2]], p), 1e-14)
    }
  }
})

test_apart("weights multiply each stretch", {
  x <- random_plf(9)
  z <- random_plf(7, gaps = 0.3, seed = 3)
  for (weight in list(pcf(c(-1, 1.5, 4), c(0.5, 0, 2)), pcf(c(-9, 0, 6), c(1, 3, 0)))) {
    w <- unclass(weight)[[1]]
    for (p in exponents_of_lines) {
      wanted <- line_matrix(x, x, p, from = -2, to = 9, weight = w)
      scale <- line_matrix(x, x, p, from = -2, to = 9, weight = w, of = line_scale)
      of_gaps <- line_matrix(z, z, p, from = -2, to = 9, weight = w, missing = "mean")
      for (way in ways_of_lines(p)) with_settings(kernel = way$kernel, device = way$device, {
        label <- paste(way$device, way$kernel, p)
        weighted <- function(x, ...) full_matrix(x, x, p, from = -2, to = 9, weight = weight, ...)
        expect_near(weighted(x), wanted, 1e-13, scale, label)
        expect_near(weighted(x, precision = "single"), wanted, 3e-6, scale, label)
        expect_near(weighted(z, missing = "mean"), of_gaps, 1e-12, label = paste(label, "mean"))
      })
    }
  }
  expect_identical(unclass(pdist(x[1:2], to = 9, weight = pcf(0, 0)))[1], 0)
})

test_that("inner products of lines between 0 and 1 are symmetric", {
  x <- plf(sqrt(1:30), with_seed(1, lapply(1:20, function(i) sample(0:1, 30, TRUE))))
  k <- with_settings(full_matrix(x, x, "inner", to = 5), kernel = "grid")
  expect_identical(k, t(k))
  expect_near(k, line_matrix(x, x, "inner", to = 5))
})

test_apart("gaps count as overlaps, means and errors", {
  x <- random_plf(9, gaps = 0.3)
  for (missing in c("overlap", "mean")) {
    for (p in exponents_of_lines) {
      expect_line_matrix(x, p, from = -2, to = 12, missing = missing)
    }
  }
  expect_error(pdist(x, to = 12), class = "pcfdist_error_missing")
  alike <- plf(list(0:3, 0:3), list(c(1, NA, 2, 0), c(0, NA, 5, 0)), left = list(c(NA, 1, NA, 4), c(NA, 2, NA, 0)))
  for (p in exponents_of_lines) {
    expect_line_matrix(alike, p)
    expect_line_matrix(alike, p, from = 0.5, to = 7, missing = "mean")
  }
  expect_error(pdist(alike, from = -1), "observed only from 0 on", class = "pcfdist_error_missing")
  expect_error(pdist(alike, to = 1.5), "observed only up to 1", class = "pcfdist_error_missing")
  expect_error(
    pdist(alike, missing = "mean"), "keep their last values forever", class = "pcfdist_error_missing"
  )
  apart <- plf(list(0:1, 2:3), list(c(1, NA), c(1, NA)), left = list(c(NA, 1), c(NA, 2)))
  expect_identical(c(pdist(apart, missing = "overlap")), NA_real_)
})

test_that("overlap() and observed() know where lines are observed", {
  x <- plf(list(a = 0:3, b = 1:2), list(c(1, NA, 2, 0), c(1, NA)), left = list(c(NA, 1, NA, 4), c(3, 1)))
  seen <- observed(x)
  expect_false(is_plf(seen))
  expect_identical(seen, pcf(list(a = c(0, 1, 2), b = c(-Inf, 2)), list(c(1, 0, 1), c(1, 0))))
  expect_equal(overlap(x, to = 5, from = -1), matrix(c(4, 1, 1, 3), 2, dimnames = rep(list(c("a", "b")), 2)))
})

test_apart("step functions as lines give their own numbers", {
  x <- kinds_of_pcf(8, 50)$ragged
  partial <- random_partial_pcf(9)
  y <- as_plf(x)
  for (p in list(1, 2, 3, 1.7, Inf, "inner")) {
    for (way in ways_of_lines(p)) with_settings(kernel = way$kernel, device = way$device, {
      of <- function(x, y = x, ...) maybe_infinite(full_matrix(x, y, p, ...))
      expect_near(of(y), of(x), 1e-14)
      expect_near(of(x, y), of(x), 1e-14)
      expect_near(of(y, x, from = 0.3, to = 2), of(x, x, from = 0.3, to = 2), 1e-14)
      lines <- of(as_plf(partial), missing = "mean", from = -3, to = 9)
      expect_near(lines, of(partial, missing = "mean", from = -3, to = 9), 1e-14)
    })
  }
})

test_that("single pairs are those of the matrix", {
  x <- random_plf(6)
  names(x) <- letters[1:6]
  for (p in list(1, 2, 2.5, Inf)) {
    d <- lp_distance(x, x[1], p)
    expect_identical(names(d), letters[1:6])
    expect_near(d, line_matrix(x, x[1], p), 1e-13, line_matrix(x, x[1], p, of = line_scale))
    step <- pcf(c(-Inf, 2), c(0.5, 0))
    expect_near(lp_distance(step, x, p, from = 0), lp_distance(as_plf(step), x, p, from = 0), 0)
  }
})

test_that("long lines are walked in parts", {
  x <- random_plf(2, 5)
  m <- 70000
  y <- with_seed(1, plf(list(seq_len(m), seq_len(m) + 0.5), list(c(rnorm(m - 1), 0), c(rnorm(m - 1), 0))))
  for (p in list(1, 2, 3, Inf)) {
    expect_near(lp_distance(y[1], y[2], p), line_oracle(unclass(y)[[1]], unclass(y)[[2]], p), 1e-13)
  }
})

test_that("all that is made of distances takes lines", {
  x <- c(random_plf(15), random_plf(5, seed = 4))
  names(x) <- paste0("f", 1:20)
  y <- random_plf(4, seed = 5)
  for (way in ways_of_lines(2)) with_settings(kernel = way$kernel, device = way$device, {
    d <- full_matrix(x, p = 2)
    half <- pdist(x, p = 2)
    expect_identical(labels(half), names(x))
    expect_s3_class(hclust(half, "average"), "hclust")
    expect_equal(dim(cmdscale(half)), c(20, 2))
    expect_neighbors(unname(x), 3, p = 2)
    expect_neighbors(unname(x), 2, y, p = 2)
    expect_identical(bits_of(pdist(x, p = 2, file = new_file())), c(half))
    expect_near(spanning_tree(x, p = 2)$height, hclust(half, "single")$height, 1e-13)
    without <- d
    diag(without) <- NA
    expect_reductions_by_matrix(x, without, "lp", p = 2)
    b <- with_seed(1, matrix(rnorm(40), 20))
    expect_near(distance_product(x, b, p = 2), d^2 %*% b, 1e-12, d^2 %*% abs(b))
    expect_near(distance_product(x, b, p = 2, power = 1.3), d^1.3 %*% b, 1e-12, d^1.3 %*% abs(b))
    k <- l2_kernel(x)
    expect_near(kernel_product(x, b), k %*% b, 1e-12, abs(k) %*% abs(b))
    of_gauss <- exp(-(d / 2)^2 / 2)
    gauss <- kernel_product(x, b, kernel = "gaussian", scale = 2)
    expect_near(gauss, of_gauss %*% b, 1e-12, of_gauss %*% abs(b))
    expect_near(kernel_operator(x)(b[, 1]), k %*% b[, 1], 1e-12, abs(k) %*% abs(b[, 1]))
  })
  with_settings(kernel = "walk", {
    d <- full_matrix(x)
    expect_near(distance_product(x, b), d %*% b, 1e-12, d %*% abs(b))
    expect_near(distance_product(x, rep(1, 4), y), rowSums(full_matrix(x, y)), 1e-12)
    expect_identical(distance_product(x, rep(1e300, 20), p = 2)[[1]] > 0, TRUE)
  })
})

test_that("sums of values beyond squares are found again from smaller ones", {
  x <- plf(list(0:1, 0:1), list(c(1e200, 0), c(0, 0)))
  with_settings(kernel = "walk", {
    expect_equal(distance_product(x, c(1e-150, 0), p = 2), c(0, 1e250 / 3))
    expect_equal(distance_product(x, c(1, 1e-300), p = 2)[1], 1e100 / 3)
  })
})

test_that("plans tell what lines can have", {
  x <- random_plf(40, whole = FALSE)
  expected <- function(...) pcf_plan(x, device = "cpu", ...)$expected
  possible <- function(...) names(which(expected(...) < Inf))
  expect_false(any(c("grid", "lookup", "events") %in% possible(p = 1)))
  expect_false(any(c("lookup", "events") %in% possible(p = 2)))
  expect_false("events" %in% possible(b = rep(1, 40)))
  shared <- plf(1:20, lapply(1:40, function(i) c(sin(i * 1:19), 0)))
  expect_identical(pcf_plan(shared, p = 2)$kernel, "grid")
  expect_identical(pcf_plan(shared, p = 2)$grid_points, 20)
  steps <- pcf(1:20, lapply(1:40, function(i) c(sin(i * 1:19), 0)))
  ratio <- pcf_plan(shared, p = 2)$expected[["grid"]] / pcf_plan(steps, p = 2)$expected[["grid"]]
  expect_gt(ratio, 1.2)
  with_settings(kernel = "grid", {
    expect_error(pdist(shared, p = 1), "\"grid\", a kernel that this call cannot use")
    pdist(shared, p = 2)
    expect_identical(last_run()$kernel, "grid")
  })
})

test_that("units of time and names of both families go together", {
  day <- as.Date("2024-01-01")
  x <- plf(list(a = day + 0:2), list(c(0, 2, 0)))
  y <- pcf(list(b = as.POSIXct(day + 0:1, tz = "UTC")), list(c(1, 0)))
  with_settings(kernel = "walk", {
    expect_equal(cdist(x, y, 2), cdist(x, as_plf(y), 2))
    expect_equal(dimnames(cdist(x, y, 2)), list("a", "b"))
    expect_equal(unname(c(cdist(y, x, 2))), 86400^0.5 * sqrt(1 / 3 + 4 / 3))
  })
  expect_error(cdist(x, pcf(1, 1)), class = "pcfdist_error_y")
})

test_that("distances that lines do not have are refused by every function, and by C with every kernel", {
  has <- function(entry) is.null(entry$operation) || .Call(pcfdist:::ffi_has_operation, entry$operation, TRUE)
  lacking <- names(Filter(Negate(has), pcfdist:::distances))
  expect_true("relative" %in% lacking)
  x <- random_plf(3)
  calls <- list(
    pdist, pcf_plan, spanning_tree, function(x, ...) pdist(x[0], ...), function(x, ...) cdist(x, pcf(1, 1), ...),
    function(x, ...) lp_distance(pcf(1, 1), x, ...), function(x, ...) nearest_neighbors(x, 1, ...),
    function(x, ...) neighbors_within(x, 1, ...), function(x, ...) reduce_distances(x, with = "min", ...),
    function(x, ...) distance_product(x, 1:3, ...), function(x, ...) permutation_test(x, c(1, 1, 2), n = 9, ...)
  )
  for (distance in lacking) {
    refusal <- paste0("`distance` must not be \"", distance, "\" for piecewise linear functions.")
    for (call in calls) expect_error(call(x, distance = distance), refusal, class = "pcfdist_error_distance")
    operation <- pcfdist:::operation_of(1, distance, given = FALSE)
    request <- pcfdist:::request_for(pcfdist:::check_integrals(x, NULL, -Inf, Inf), operation, "dist", "below")
    for (kernel in c("auto", kernels, "lookup", "events")) {
      settings <- with_settings(pcfdist:::run_settings(NULL, NULL, 1, FALSE), kernel = kernel)
      expect_error(pcfdist:::run_pairwise(x, NULL, request, settings), "is not defined for piecewise linear functions")
    }
  }
})

test_that("what lines cannot have is an error that names the argument", {
  x <- random_plf(3)
  expect_error(pdist(pcf(1, 1), weight = x[1]), class = "pcfdist_error_weight")
  damaged <- pcfdist:::new_plf(list(unclass(x)[[1]], cbind(0:1, NA, c(1, 0))))
  expect_error(pdist(damaged), "`x` is invalid: function 2", class = "pcfdist_error_x")
  expect_error(cdist(x, pcfdist:::new_plf(unclass(pcf(0:1, 0:1)))), "left", class = "pcfdist_error_y")
  broken <- pcfdist:::new_pcf(list(cbind(c(0, 0), 1:2)))
  expect_error(cdist(x, broken), "`y` is invalid: the function has the time 0 twice", class = "pcfdist_error_y")
  expect_error(cdist(broken, x), class = "pcfdist_error_x")
})

test_that("jobs and files know lines", {
  skip_if_not_installed("future")
  x <- random_plf(30)
  with_settings(kernel = "walk", {
    expect_identical(
      nearest_neighbors(x, 3, jobs = 2), nearest_neighbors(x, 3)
    )
    file <- new_file()
    pdist(x, file = file)
    expect_error(pdist(random_plf(30, seed = 2), file = file), class = "pcfdist_error_file")
  })
  two <- plf(c(0, 1), c(4, 5), left = c(2, 3))
  three <- pcf(0:2, 3:5)
  same <- pcfdist:::new_plf(list(structure(as.double(0:5), dim = c(2L, 3L))))
  expect_false(pcfdist:::digest_of(same, 1) == pcfdist:::digest_of(three, 1))
})

test_that("means of lines over overlaps too short for single precision are those of lines", {
  set.seed(63)
  n <- 8
  times <- lapply(seq_len(n), function(i) c(0, sort(runif(3)), 1))
  values <- lapply(seq_len(n), function(i) c(NA, rnorm(3), NA))
  left <- lapply(seq_len(n), function(i) c(NA, NA, rnorm(3)))
  far <- plf(lapply(times, `+`, 1e9), values, left)
  for (p in c(1, 2, 1.7)) {
    mean <- function(x, precision, by) {
      as.vector(pdist(x, p, by + 0.1, by + 0.8, missing = "mean", precision = precision))
    }
    near <- mean(plf(times, values, left), "double", 0)
    expect_equal(mean(far, "single", 1e9), near, tolerance = 1e-6)
    expect_equal(mean(far, "double", 1e9), near, tolerance = 1e-6)
  }
})

test_that("in single precision only pairs of functions that are both short have fewer digits", {
  set.seed(7)
  function_of <- function(make, width) {
    make(runif(1, 0, 1 - width) + width * sort(runif(20)), c(rnorm(19), 0))
  }
  for (make in list(pcf, plf)) {
    for (part in c(32, 64, 1024)) {
      widths <- rep(c(1, 1 / part), c(25, 5))
      x <- do.call(c, lapply(widths, function_of, make = make))
      error <- abs(as.matrix(pdist(x, precision = "single")) - as.matrix(pdist(x)))
      error <- error / outer(lp_norm(x), lp_norm(x), "+")
      short <- outer(widths, widths, pmax) < 1
      expect_lt(max(error[short]), 2e-7 * part)
      expect_lt(max(error[!short]), 3e-6)
      expect_gt(max(error), 0)
    }
  }
})

test_that("suprema of flat lines over very long times are found", {
  f <- plf(c(0, 1e200), c(0, 0), left = c(0, 1e-200))
  expect_near(lp_distance(f, plf(c(0, 1e200), c(0, 0)), Inf), 1e-200)
  expect_near(pdist(c(f, plf(0, 0)), Inf, 0, 5e199)[1], 5e-201)
})
