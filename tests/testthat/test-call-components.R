# Matrices of functions of both families, on whole times or any.
component_matrices <- function(rows = 5, columns = 3, gaps = 0) {
  n <- rows * columns
  steps <- if (gaps > 0) random_partial_pcf(n, seed = 3) else random_pcf(n, seed = 3)
  lapply(list(steps, random_plf(n, gaps = gaps), random_plf(n, whole = FALSE, gaps = gaps)), function(x) {
    dim(x) <- c(rows, columns)
    dimnames(x) <- list(letters[seq_len(rows)], NULL)
    x
  })
}

# What is measured of the components, one column of numbers for each, put together.
over_components <- function(x, p, measure) {
  parts <- vapply(seq_len(ncol(x)), function(k) c(measure(c(x[, k]), k)), double(length(measure(c(x[, 1]), 1))))
  if (p == Inf) apply(parts, 1, max) else rowSums(parts^p)^(1 / p)
}

test_that("distances of rows are those of their components", {
  for (x in component_matrices()) {
    for (window in list(c(-Inf, Inf), c(-1.5, 6), c(1, Inf), c(-Inf, 3))) {
      from <- window[1]
      to <- window[2]
      if (is_pcf(x) && to == Inf) next
      for (p in list(1, 2, 3.5, Inf)) {
        d <- pdist(x, p, from, to, margin = 1)
        expect_identical(attr(d, "Labels"), letters[1:5])
        expect_near(c(d), over_components(x, p, function(f, k) pdist(f, p, from, to)), 1e-12)
        expect_near(c(cdist(x, x[2:3, ], p, from, to, margin = 1)), c(as.matrix(d)[, 2:3]), 1e-12)
        norms <- over_components(x, p, function(f, k) lp_norm(f, p, from, to))
        expect_near(unname(lp_norm(x, p, from, to, margin = 1)), norms, 1e-12)
      }
    }
  }
})

test_that("inner products and neighbours of rows are those of their components", {
  for (x in component_matrices()) {
    K <- l2_kernel(x, to = 9, margin = 1)
    sums <- over_components(x, 1, function(f, k) l2_kernel(f, to = 9))
    expect_near(c(K), sums, 1e-12, scale = max(abs(sums)))
    expect_identical(dimnames(K), list(letters[1:5], letters[1:5]))
    d <- as.matrix(pdist(x, to = 9, margin = 1))
    near <- nearest_neighbors(x, 4, to = 9, margin = 1)
    expect_identical(rownames(near$id), letters[1:5])
    expect_near(c(near$dist), c(t(apply(d, 1, function(row) sort(row)[-1]))), 1e-12)
    within <- neighbors_within(x, median(d), to = 9, count = TRUE, margin = 1)
    expect_identical(within, rowSums(d <= median(d)) - 1)
    of_query <- nearest_neighbors(x, 1, query = x[4:5, ], to = 9, margin = 1)
    expect_identical(unname(of_query$id[, 1]), 4:5)
  }
})

test_that("what is made of distances and kernels takes rows", {
  b <- cbind(a = c(1, -2, 0, 3, 1), b = 1)
  for (x in component_matrices()) {
    of_parts <- function(measure) over_components(x, 1, measure)
    expect_near(unname(integral(x, to = 9, margin = 1)), of_parts(function(f, k) integral(f, to = 9)), 1e-12)
    expect_identical(names(integral(x, to = 9, margin = 1)), letters[1:5])
    d <- as.matrix(pdist(x, 2, to = 9, margin = 1))
    pairs <- lp_distance(x, x[2, , drop = FALSE], 2, to = 9, margin = 1)
    expect_near(unname(pairs), unname(d[, 2]), 1e-12)
    expect_near(
      reduce_distances(x, with = "max", p = 2, to = 9, margin = 1), apply(d, 1, max), 1e-12
    )
    tree <- spanning_tree(x, p = 2, to = 9, margin = 1)
    expect_near(tree$height, hclust(as.dist(d), "single")$height, 1e-12)
    expect_identical(tree$labels, letters[1:5])
    expect_near(distance_product(x, b, p = 2, to = 9, margin = 1), d^2 %*% b, 1e-11)
    K <- l2_kernel(x, to = 9, margin = 1)
    expect_near(kernel_product(x, b, to = 9, margin = 1), K %*% b, 1e-11)
    operator <- kernel_operator(x, to = 9, margin = 1)
    expect_near(operator(b[, 1]), c(K %*% b[, 1]), 1e-11)
    expect_identical(attr(operator, "size"), 5L)
    expect_identical(pcf_plan(x, to = 9, margin = 1)$pairs, 10)
    for (group in list(c(1, 2, 2, 1, 2), c(a = 1, c = 2, b = 2, d = 1, e = 2))) {
      rows <- permutation_test(x, group, n = 19, p = 2, to = 9, margin = 1)$statistic
      expect_near(rows, permutation_test(as.dist(d), group, n = 19)$statistic, 1e-12)
    }
    means <- permutation_test(x, c(1, 2, 2, 1, 2), "mean_difference", n = 19, to = 9, margin = 1)
    parts <- vapply(1:3, function(k) {
      permutation_test(c(x[, k]), c(1, 2, 2, 1, 2), "mean_difference", n = 19, to = 9)$statistic
    }, 0)
    expect_near(unname(means$statistic), sum(parts), 1e-12)
  }
  expect_error(permutation_test(as.dist(d), 1:5 > 2, margin = 1), class = "pcfdist_error_margin")
})

test_that("overlaps of rows are the sums of those of their components", {
  for (x in component_matrices(gaps = 0.15)) {
    sums <- over_components(x, 1, function(f, k) overlap(f, from = 0, to = 5))
    lengths <- overlap(x, from = 0, to = 5, margin = 1)
    expect_near(c(lengths), sums, 1e-12)
    expect_identical(rownames(lengths), letters[1:5])
  }
  x <- component_matrices()[[2]]
  expect_identical(unique(c(overlap(x, from = 0, to = 5, margin = 1))), 15)
  expect_error(overlap(x, margin = 1), "finite time of observation", class = "pcfdist_error_from")
})

test_that("errors about rows tell the times of the component", {
  line <- plf(c(0, 1, 2, 3, 4), c(1, 1, NA, 1, 0), left = c(0, 1, 1, NA, 1))
  whole <- plf(c(0, 4), c(1, 0))
  lines <- c(whole, whole, whole, line)
  dim(lines) <- c(2, 2)
  steps <- pcf(c(0, 2, 3, 4), list(c(1, 1, 1, 0), c(1, 1, 1, 0), c(1, 1, 1, 0), c(1, NA, 1, 0)))
  dim(steps) <- c(2, 2)
  weight <- pcf(c(0, 5), c(2, 0))
  for (x in list(lines, steps)) {
    for (call in list(
      quote(pdist(x, margin = 1)), quote(lp_norm(x, margin = 1)),
      quote(lp_norm(x, weight = weight, margin = 1)),
      quote(lp_distance(x[2:1, ], x, margin = 1)), quote(kernel_product(x, 1:2, to = 9, margin = 1))
    )) {
      error <- expect_error(eval(call), "in component 2.* is observed on \\[2, 3\\)", class = "pcfdist_error_missing")
      expect_identical(c(error$from, error$to), c(2, 3))
    }
  }
  # One is not observed from its last time on.
  x <- steps
  x[[2, 2]] <- pcf(c(0, 4), c(1, NA))
  expect_error(pdist(x, margin = 1), "component 2: function 1 is observed on \\[4, Inf\\)")
})

test_that("columns, mixed families and single functions can have components", {
  x <- component_matrices()[[2]]
  expect_identical(c(pdist(t(x), margin = 2)), c(pdist(x, margin = 1)))
  expect_identical(c(pdist(x[, 1, drop = FALSE], margin = 1)), c(pdist(c(x[, 1]))))
  steps <- component_matrices()[[1]]
  mixed <- cdist(steps, x, 2, to = 9, margin = 1)
  expect_identical(mixed, cdist(as_plf(steps), x, 2, to = 9, margin = 1))
  expect_identical(dim(cdist(x[0, ], x, margin = 1)), c(0L, 5L))
  zeros <- pcf(0, list(0, 0, 0, 0))
  dim(zeros) <- c(2, 2)
  expect_identical(c(pdist(zeros, margin = 1)), 0)
  expect_identical(c(pdist(zeros, from = 5, to = 6, margin = 1)), 0)
})

test_apart("components count where both rows are observed", {
  for (x in component_matrices(gaps = 0.15)) {
    expect_error(pdist(x, from = 0, to = 5, margin = 1), class = "pcfdist_error_missing")
    expect_true(anyNA(unlist(unclass(x))))
    lengths <- vapply(1:3, function(k) {
      h <- overlap(c(x[, k]), from = 0, to = 5)
      h[lower.tri(h)]
    }, double(10))
    for (p in c(1, 2)) {
      powers <- vapply(1:3, function(k) {
        c(pdist(c(x[, k]), p, 0, 5, missing = "overlap"))^p
      }, double(10))
      sums <- rowSums(powers, na.rm = TRUE)
      sums[rowSums(lengths) == 0] <- NA
      expect_near(c(pdist(x, p, 0, 5, missing = "overlap", margin = 1)), sums^(1 / p), 1e-12)
      expect_near(
        c(pdist(x, p, 0, 5, missing = "mean", margin = 1)), (sums / rowSums(lengths))^(1 / p), 1e-12
      )
    }
  }
  # Nowhere observed together in the window, but outside of it.
  apart <- pcf(list(c(-Inf, 3, 9), c(-Inf, 0, 3, 9)), list(c(NA, 1, 0), c(NA, 1, NA, 0)))
  dim(apart) <- c(2, 1)
  two <- cbind(apart, apart)
  for (x in list(two, as_plf(two))) {
    expect_identical(c(pdist(x, from = 0, to = 9, missing = "overlap", margin = 1)), NA_real_)
    expect_identical(c(pdist(x, missing = "overlap", margin = 1)), 0)
  }
})

test_that("components that are not observed at their ends are laid without a window", {
  x <- random_plf(6, gaps = 0)
  ended <- pcfdist:::map_functions(x, function(f) {
    f[1, 2] <- f[nrow(f), 3] <- NA
    f
  })
  dim(ended) <- c(3, 2)
  for (missing in c("overlap", "mean")) {
    parts <- lapply(1:2, function(k) c(ended[, k]))
    power <- rowSums(vapply(parts, function(f) c(pdist(f, 2, missing = "overlap"))^2, double(3)))
    length <- rowSums(vapply(parts, function(f) overlap(f)[lower.tri(diag(3))], double(3)))
    expected <- sqrt(power / if (missing == "mean") length else 1)
    expect_near(c(pdist(ended, 2, missing = missing, margin = 1)), expected, 1e-12)
  }
})

test_that("a component is constant up to the end of an endless window", {
  x <- c(pcf(-Inf, NA), pcf(1, 1))
  dim(x) <- c(1, 2)
  expect_identical(integral(x, to = 0, missing = "overlap", margin = 1), 0)
})

test_that("each component has the weight", {
  weight <- pcf(c(-Inf, 1, 4, 6), c(2, 0, 1, 0.25))
  for (x in component_matrices()) {
    for (p in list(1, 2, Inf)) {
      expected <- over_components(x, p, function(f, k) pdist(f, p, to = 8, weight = weight))
      expect_near(c(pdist(x, p, to = 8, weight = weight, margin = 1)), expected, 1e-12)
      expected <- over_components(x, p, function(f, k) lp_norm(f, p, to = 8, weight = weight))
      expect_near(unname(lp_norm(x, p, to = 8, weight = weight, margin = 1)), expected, 1e-12)
    }
    expect_true(all(pdist(x, weight = pcf(0, 0), to = 9, margin = 1) == 0))
  }
  x <- component_matrices()[[2]]
  expect_near(
    c(pdist(x, weight = weight, margin = 1)),
    over_components(x, 1, function(f, k) pdist(f, weight = weight)), 1e-12
  )
})

test_that("times far from 0, and ones that fall together, keep their digits", {
  for (x in component_matrices()[2:3]) {
    far <- shift_time(x, 1e9)
    expect_near(
      c(pdist(far, 2, margin = 1)), over_components(far, 2, function(f, k) pdist(f, 2)), 1e-12
    )
  }
  # Breakpoints nearer to each other than the digits of times in the last components.
  narrow <- plf(c(0, 1e-18, 1), list(c(1, 3, 0), c(5, 2, 0)))
  x <- narrow[rep(1:2, 8)]
  dim(x) <- c(2, 8)
  expect_near(c(pdist(x, margin = 1)), 8 * c(pdist(narrow)), 1e-12)
  steps <- pcf(c(0, 1e-18, 1), list(c(1, 3, 0), c(5, 2, 0)))
  x <- steps[rep(1:2, 8)]
  dim(x) <- c(2, 8)
  expect_near(c(pdist(x, margin = 1)), 8 * c(pdist(steps)), 1e-12)
})

test_that("units of time stay, and single precision has its digits", {
  x <- component_matrices()[[2]]
  time_unit(x) <- "days"
  expect_identical(
    pdist(x, to = as.difftime(24, units = "hours"), margin = 1)[1:10],
    pdist(x, to = as.difftime(1, units = "days"), margin = 1)[1:10]
  )
  expect_near(
    c(pdist(x, precision = "single", margin = 1)), c(pdist(x, margin = 1)), 3e-5
  )
})

test_that("what cannot be laid end to end names its place", {
  x <- component_matrices()[[2]]
  x[[4, 2]] <- plf(c(0, 1), c(0, 5))
  error <- expect_error(pdist(x, margin = 1), "row 4, column 2, has the value 5", class = "pcfdist_error_to")
  expect_error(cdist(x[1:2, ], x, margin = 1), "in `y` the function in row 4", class = "pcfdist_error_to")
  x[[2, 3]] <- plf(c(0, 1), c(0, 0), left = c(7, 0))
  expect_error(pdist(x, to = 3, margin = 1), "row 2, column 3, has the value 7", class = "pcfdist_error_from")
  dimnames(x) <- list(row = NULL, column = NULL)
  expect_error(pdist(x, to = 3, margin = "column"), "row 2, column 3, has the value 7", class = "pcfdist_error_from")
  y <- component_matrices()[[2]]
  expect_error(pdist(y, missing = "mean", margin = 1), "finite time", class = "pcfdist_error_from")
  expect_error(pdist(c(y), margin = 1), "must be a matrix of functions", class = "pcfdist_error_x")
  expect_error(pdist(y, margin = 3), class = "pcfdist_error_margin")
  expect_error(pdist(y, margin = 1:2), "one dimension", class = "pcfdist_error_margin")
  expect_error(cdist(y, y[, 1:2], margin = 1), "as many components", class = "pcfdist_error_y")
  expect_error(pdist(y[, 0], margin = 1), "at least one component", class = "pcfdist_error_x")
  expect_error(
    nearest_neighbors(y, 1, query = c(y), margin = 1), "`query` must be a matrix", class = "pcfdist_error_query"
  )
  y[2, 1] <- NA
  expect_error(pdist(y, margin = 1), class = "pcfdist_error_x")
})

test_that("rows go into files and jobs, whose errors tell the component", {
  x <- component_matrices()[[2]]
  expect_identical(as.vector(pdist(x, margin = 1, file = new_file())), c(pdist(x, margin = 1)))
  skip_if_not_installed("future")
  near <- nearest_neighbors(x, 2, margin = 1, jobs = 2)
  expect_identical(near, nearest_neighbors(x, 2, margin = 1))
  b <- 1:5
  expect_identical(distance_product(x, b, margin = 1, jobs = 2), distance_product(x, b, margin = 1))
  gaps <- component_matrices(gaps = 0.3)[[2]]
  expect_error(nearest_neighbors(gaps, 2, margin = 1, jobs = 2), "in component", class = "pcfdist_error_missing")
})

test_that("times that are large beside what they span keep all digits", {
  for (far in c(2^30, -2^30)) {
    times <- far + c(-3, -2.3, -1.6, -1) # one more component, and they would be beyond the power of two
    x <- pcf(rep(list(times), 4), list(c(1, 2, 3, 0), c(4, 0, 1, 0), c(0, 2, 0, 0), c(1, 1, 5, 0)))
    wanted <- sum(lp_distance(x[c(1, 3)], x[c(2, 4)]))
    dim(x) <- c(2, 2)
    expect_near(pdist(x, margin = 1), wanted, 1e-15)
  }
})

test_that("windows far longer than the functions take no digits", {
  # Two rows of two components, whose differences are triangles, or steps, of the heights 1 and 2 on 0.3
  # and 0.02; before them all are `start`, and after them `ends[row]`.
  rows <- function(lines, start, ends) {
    make <- function(begin, width, height, end) {
      if (!lines) return(pcf(c(-Inf, begin + c(0, width)), c(start, height, end)))
      height <- c(0, height, 0)
      plf(begin + c(0, width / 2, width), c(height[1:2], end), left = c(start, height[-1]))
    }
    x <- c(make(0.1, 0.3, 1.2, ends[1]), make(0.1, 0.3, 0.2, ends[2]), make(0.7, 0.02, 3, ends[1]),
           make(0.7, 0.02, 1, ends[2]))
    dim(x) <- c(2, 2)
    x
  }
  for (lines in c(TRUE, FALSE)) {
    wanted <- if (lines) c(0.17, sqrt(0.1 + 0.08 / 3)) else c(0.34, sqrt(0.3 + 0.08))
    for (window in list(c(0, 1e12), c(-1e12, 1), c(-3e11, 7e11), c(-1e300, 1e300))) {
      from <- window[1]
      to <- window[2]
      for (ends in list(c(0, 0), c(5, 5))) {
        for (missing in c("error", "overlap")) {
          x <- rows(lines, ends[1], ends)
          expect_near(c(pdist(x, 1, from, to, missing = missing, margin = 1)), wanted[1], 1e-14)
          expect_near(c(pdist(x, 2, from, to, missing = missing, margin = 1)), wanted[2], 1e-14)
        }
        both <- 2 * (to - from)
        expect_near(c(pdist(x, 1, from, to, missing = "mean", margin = 1)), wanted[1] / both, 1e-14)
        expect_near(c(overlap(x, from = from, to = to, margin = 1)), rep(both, 4), 1e-14)
      }
      after <- 3 * (to - 0.4) + 3 * (to - 0.72)
      expect_near(c(pdist(rows(lines, 2, c(1, 4)), 1, from, to, margin = 1)), wanted[1] + after, 1e-14)
      if (to < 1e300) {
        norms <- lp_norm(rows(lines, 2, c(0, 0)), 1, from = from, to = to, margin = 1)
        before <- 2 * (0.1 - from) + 2 * (0.7 - from)
        expect_near(norms, before + if (lines) c(0.21, 0.04) else c(0.42, 0.08), 1e-14)
      }
    }
  }
})

test_that("messages name the place in the matrix that the user gave", {
  one <- pcf(0:1, 1:0)
  x <- array(c(one, one, pcf(0, 5), one), c(2, 2))
  for (margin in 1:2) expect_error(pdist(x, margin = margin), "row 1, column 2, has the value 5")
  expect_error(overlap(x, margin = 2), "from -Inf on, but here components need a finite time of observation.")
})

test_that("no rows and single rows have results", {
  b <- numeric(0)
  for (x in list(random_pcf(3), random_plf(3))) for (columns in c(1, 3)) {
    none <- structure(x[0], dim = c(0, columns), names = NULL)
    one <- structure(x[seq_len(columns)], dim = c(1, columns), names = NULL)
    for (rows in list(none, one)) for (margin in 1:2) {
      n <- nrow(rows)
      given <- if (margin == 1) rows else t(rows)
      call <- function(measure, ...) measure(given, ..., from = 0, to = 9, margin = margin)
      d <- call(pdist, p = 2)
      expect_identical(c(length(d), attr(d, "Size")), c(0L, n))
      expect_identical(dim(call(cdist, y = given)), c(n, n))
      expect_identical(dim(call(l2_kernel)), c(n, n))
      expect_identical(dim(call(overlap)), c(n, n))
      for (measure in list(lp_norm, integral)) expect_length(call(measure), n)
      expect_length(call(lp_distance, g = given), n)
      expect_length(call(distance_product, b = numeric(n)), n)
      expect_length(call(kernel_product, b = numeric(n)), n)
      expect_length(call(neighbors_within, radius = 1, count = TRUE), n)
      expect_equal(call(pcf_plan)$pairs, 0)
      if (n == 0) next
      expect_identical(c(call(nearest_neighbors, query = given, k = 1)$id), 1L)
      parts <- vapply(seq_len(columns), function(k) lp_norm(x[k], 2, from = 0, to = 9), 0)
      expect_near(c(call(lp_norm, p = 2)), sqrt(sum(parts^2)), 1e-14)
    }
  }
})
