# A distance in every function that takes `distance`, against its definition: `combined(a, b)` is
# what is integrated where two functions have the values a and b.

expect_distance <- function(distance, combined) {
  expect_distance_by_definition(distance, combined)
  for (device in test_devices()) {
    expect_distance_everywhere(paper_pcf(20, 40), distance, device = device, from = 0, to = 9)
    for (missing in c("overlap", "mean")) {
      x <- random_partial_pcf(15)[-8]
      expect_distance_everywhere(
        x, distance, device = device, from = -3, to = 9, missing = missing
      )
    }
  }
}

# ---- The matrix ----

windows_and_weights <- list(
  list(from = -Inf, to = Inf),
  list(from = -1.25, to = 6.5),
  list(from = 0, to = 9, weight = pcf(c(-1, 1.5, 4), c(0.5, 0, 2)))
)

expect_distance_by_definition <- function(distance, combined) {
  for (case in windows_and_weights) {
    for (x in kinds_of_pcf(9, 150)) expect_as_defined(x, distance, combined, "error", case)
    partial <- random_partial_pcf(17)
    expect_as_defined(partial, distance, combined, "overlap", case)
    if (is.finite(case$to)) expect_as_defined(partial, distance, combined, "mean", case)
  }
}

# By every kernel, on every device and in both precisions.
expect_as_defined <- function(x, distance, combined, missing, case) {
  weight <- if (!is.null(case$weight)) unclass(case$weight)[[1]]
  wanted <- oracle_matrix(
    x, p = combined, from = case$from, to = case$to, missing = missing, weight = weight
  )
  most <- max(wanted[is.finite(wanted)], 0)
  matrix_in <- function(...) {
    maybe_infinite(cdist(
      x, x, from = case$from, to = case$to, missing = missing, weight = case$weight,
      distance = distance, ...
    ))
  }
  for (kernel in c("auto", kernels)) {
    with_settings(kernel = kernel, {
      expect_near(matrix_in(), wanted, label = paste(distance, kernel, missing))
      expect_near(matrix_in(precision = "single"), wanted, 3e-6, most,
                  paste(distance, kernel, missing, "single"))
    })
  }
  for (device in setdiff(test_devices(), "cpu")) {
    expect_near(matrix_in(device = device), wanted)
    expect_near(matrix_in(device = device, precision = "single"), wanted, 3e-6, most)
  }
}

# ---- What is made of it ----

# What other functions give, from the matrix.
expect_distance_everywhere <- function(x, distance, device, ...) {
  with_settings(kernel = "sweep", device = device, {
    d <- array(cdist(x, x, distance = distance, ...), rep(length(x), 2))
    half <- pdist(x, distance = distance, ...)
    expect_identical(as.vector(half), d[lower.tri(d)])
    expect_identical(bits_of(pdist(x, distance = distance, file = new_file(), ...)), c(half))
    expect_near(lp_distance(x, x[1], distance = distance, ...), d[, 1])
    expect_neighbors(x, 3, distance = distance, ...)
    expect_neighbors(x, 3, x[1:4], distance = distance, ...)
    near <- nearest_neighbors(x, 3, distance = distance, ...)
    expect_output(pcfdist:::print.NN(near), attr(half, "method")) # not that of dbscan
    diag(d) <- NA
    expect_reductions_by_matrix(x, d, distance, ...)
    expect_near(
      spanning_tree(x, distance = distance, ...)$height, hclust(half, "single")$height
    )
    expect_s3_class(pcf_plan(x, distance = distance, ...), "pcf_plan")
  })
}

expect_reductions_by_matrix <- function(x, d, distance, ...) {
  reduced <- function(with, ...) reduce_distances(x, with = with, distance = distance, ...)
  radius <- stats::median(d, na.rm = TRUE)
  expect_identical(unname(reduced("min", ...)), apply(d, 1, min, na.rm = TRUE))
  expect_identical(unname(reduced("which.min", ...)), apply(d, 1, which.min))
  expect_identical(unname(reduced("max", ...)), apply(d, 1, max, na.rm = TRUE))
  expect_identical(
    unname(reduced("count", radius = radius, ...)), rowSums(d <= radius, na.rm = TRUE)
  )
  sums <- log(rowSums(exp(-d / 2), na.rm = TRUE))
  expect_near(reduced("logsumexp", scale = 2, ...), sums, 1e-12)
}

# All that take a distance of the functions of a collection.
taking_distance <- list(
  pdist, function(x, ...) cdist(x, x, ...), function(x, ...) lp_distance(x[1], x[2], ...),
  function(x, ...) nearest_neighbors(x, 1, ...), function(x, ...) neighbors_within(x, 1, ...),
  function(x, ...) reduce_distances(x, with = "max", ...), spanning_tree, pcf_plan,
  function(x, ...) permutation_test(rep(x, 3), rep(1:2, length.out = 3 * length(x)), n = 19, ...)
)
