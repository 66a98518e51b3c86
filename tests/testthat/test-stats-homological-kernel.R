# The number of connected components of points that are joined where `joined` is TRUE.
components <- function(joined) {
  cluster <- seq_len(nrow(joined))
  repeat {
    least <- apply(joined | diag(nrow(joined)) > 0, 1, function(near) min(cluster[near]))
    if (all(least == cluster)) return(length(unique(cluster)))
    cluster <- least
  }
}

# How many classes of the kernel at s are still there at t, for all s <= t: bars that are born at s or
# before, and die after t. Of the components at t under the larger distance, those that the smaller
# joins at s.
classes <- function(far, near, times) {
  far <- as.matrix(far)
  near <- as.matrix(near)
  outer(times, times, Vectorize(function(s, t) {
    if (s > t) NA else components(far <= t) - components(far <= t | near <= s)
  }))
}

classes_of_bars <- function(bars, times) {
  outer(times, times, Vectorize(function(s, t) {
    if (s > t) NA else sum(bars[, "birth"] <= s & bars[, "death"] > t)
  }))
}

# Distances that are small whole numbers, so that many are equal; no metrics.
whole_dist <- function(n, most) {
  d <- dist(matrix(0, n))
  d[] <- sample(0:most, length(d), replace = TRUE)
  d
}

test_that("the kernel has the classes of its definition, with ties, zeros and equal distances", {
  set.seed(1)
  for (n in rep(c(1, 2, 3, 5, 8), each = 20)) {
    near <- far <- whole_dist(n, 4)
    far[] <- far + sample(c(0, 0, 1, 3), length(near), replace = TRUE)
    bars <- homological_kernel(far, near)
    expect_identical(dim(bars), c(as.integer(n - 1), 3L))
    expect_false(is.unsorted(bars[, "death"]))
    expect_identical(classes_of_bars(bars, 0:8), classes(far, near, 0:8) + 0L)
  }
})

test_that("points, data frames, distances and lists of them give the same, on any threads", {
  set.seed(2)
  points <- lapply(c(a = 30, b = 1, c = 200), function(n) matrix(rnorm(3 * n), n))
  flat <- lapply(points, function(x) x[, 1:2, drop = FALSE])
  kernels <- homological_kernel(points, flat, threads = 2)
  expect_named(kernels, c("a", "b", "c"))
  expect_identical(kernels, homological_kernel(lapply(points, dist), lapply(flat, dist), threads = 1))
  expect_identical(kernels$a, homological_kernel(data.frame(points$a), flat$a))
  deaths <- sort(hclust(dist(points$c), "single")$height)
  births <- sort(hclust(dist(flat$c), "single")$height)
  expect_equal(unname(kernels$c[, "death"]), deaths)
  expect_equal(sort(unname(kernels$c[, "birth"])), births)
  grid <- matrix(list(points$a, points$c), 1, dimnames = list("x", c("a", "c")))
  expect_identical(dimnames(homological_kernel(grid, grid)), dimnames(grid))
  expect_s3_class(stable_rank(kernels, dimension = 0), "pcf")
})

test_that("distances that rounding has made larger are taken as equal", {
  far <- dist(c(0, 1, 3))
  expect_identical(homological_kernel(far, far * (1 + 1e-13)), homological_kernel(far, far))
})

test_that("what are no two distances on the same points is an error that says where", {
  far <- dist(c(0, 1, 3))
  expect_error(homological_kernel(list(far, a = far), list(far, far * 2)), "in element 2",
               class = "pcfdist_error_d2")
  for (one in list(far, list(far))) {
    refused(homological_kernel(one, if (is.list(one)) list(far * 2) else far * 2), "d2",
            "must not be larger than `d`: points 1 and 2 have the distance 2, but 1 in `d`.")
  }
  expect_error(homological_kernel(far, dist(1:4)), "must have 3 points, as `d` has, not 4",
               class = "pcfdist_error_d2")
  expect_error(homological_kernel(far, list(far)), class = "pcfdist_error_d2")
  expect_error(homological_kernel(list(far), list()), class = "pcfdist_error_d2")
  expect_error(homological_kernel(replace(far, 2, NA), far), "points 1 and 3",
               class = "pcfdist_error_d")
  expect_error(homological_kernel(far, replace(far, 3, -1)), "points 2 and 3",
               class = "pcfdist_error_d2")
  expect_error(homological_kernel(matrix("a"), far), class = "pcfdist_error_d")
  expect_error(homological_kernel(matrix(0, 0, 2), far), "no points", class = "pcfdist_error_d")
  expect_error(homological_kernel(far), class = "pcfdist_error_d2")
  expect_error(homological_kernel(pcf(0, 1), far), class = "pcfdist_error_d")
})

test_that("a clustering by any method is a diagram", {
  d <- dist(c(0, 1, 3, 7))
  bars <- as_diagram(hclust(d, "complete"))
  expect_identical(bars, cbind(dimension = 0, birth = 0, death = c(1, 3, 7, Inf)))
  both <- as_diagram(list(a = hclust(d, "single"), b = hclust(d, "average")))
  expect_named(both, c("a", "b"))
  expect_identical(stable_rank(both), stable_rank(lapply(both, unname)))
  expect_error(stable_rank(hclust(d, "average")), "as_diagram", class = "pcfdist_error_x")
  # Of an equilateral triangle the centroid of two points is nearer to the third than they are.
  triangle <- dist(rbind(c(0, 0), c(1, 0), c(0.5, sqrt(3) / 2)))
  tree <- hclust(triangle^2, "centroid")
  expect_lt(tree$height[2], tree$height[1])
  expect_equal(as_diagram(tree)[, "death"], c(1, 1, Inf))
  expect_identical(as_diagram(cbind(c(0, 1), 2:3)), cbind(birth = c(0, 1), death = 2:3))
  expect_error(as_diagram(1), class = "pcfdist_error_x")
})

test_that("clusterings of other classes are taken as hclust() has them", {
  d <- dist(c(0, 1, 3, 7))
  expect_identical(as_diagram(as.dendrogram(hclust(d, "complete"))), as_diagram(hclust(d, "complete")))
  skip_if_not_installed("cluster")
  expect_identical(as_diagram(cluster::agnes(d, method = "complete")), as_diagram(hclust(d, "complete")))
  expect_identical(stable_rank(cluster::agnes(d, method = "single")), stable_rank(hclust(d, "single")))
})

test_that("bars that die later than max_death add nothing to the accumulated persistence", {
  bars <- cbind(birth = c(0, 1, 2, 3), death = c(2, 4, 9, Inf))
  expect_identical(accumulated_persistence(bars, max_death = 4), accumulated_persistence(bars[1:2, ]))
  expect_identical(accumulated_persistence(bars, max_death = 4, infinite = 4),
                   accumulated_persistence(rbind(bars[1:2, ], c(3, 4))))
  expect_identical(accumulated_persistence(bars, max_death = 4, infinite = 5),
                   accumulated_persistence(bars[1:2, ]))
  expect_error(accumulated_persistence(rbind(bars, c(9, 7)), max_death = 4), "row 5",
               class = "pcfdist_error_x")
  expect_error(accumulated_persistence(bars, max_death = NA), class = "pcfdist_error_max_death")
})

test_that("distances of single precision may be larger by their rounding", {
  points <- with_seed(1, matrix(rnorm(60), 20))
  d <- dist(points)
  floats <- as_floats(d)
  single <- replace(d, TRUE, floats)
  expect_true(any(single > d) && any(single < d))
  for (pair in list(list(single, d), list(d, single))) {
    bars <- homological_kernel(pair[[1]], pair[[2]])
    expect_near(bars[, "birth"], bars[, "death"], 1e-6)
    expect_true(all(bars[, "birth"] <= bars[, "death"]))
  }
  further <- replace(single, 7, single[7] * (1 + 1.1e-6))
  larger <- replace(d, 7, d[7] * (1 + 1.1e-12))
  expect_error(homological_kernel(single, further), "points 1 and 8", class = "pcfdist_error_d2")
  expect_error(homological_kernel(d, larger), "points 1 and 8", class = "pcfdist_error_d2")
})

test_that("64-bit integers are points and weights of points", {
  skip_if_not_installed("bit64")
  wide <- function(x) structure(x * 2^-1074, class = "integer64")
  points <- data.frame(u = c(1, 5, 9, 2), v = c(3, 3, 8, 1))
  of_wide <- points
  of_wide[] <- lapply(points, wide)
  in_matrix <- wide(as.matrix(points))
  bars <- homological_kernel(points, points["u"])
  expect_identical(homological_kernel(of_wide, points["u"]), bars)
  expect_identical(homological_kernel(points, of_wide["u"]), bars)
  expect_identical(homological_kernel(list(in_matrix), list(of_wide["u"])), list(bars))
  drawn <- function(x, ...) with_seed(1, subsample(x, 2, 3, ...))
  expect_identical(drawn(of_wide), drawn(points))
  expect_identical(drawn(in_matrix, weights = wide(1:4)), drawn(as.matrix(points), weights = 1:4))
  near <- function(x, near) with_seed(1, subsample_near(x, 2, near = near))
  expect_identical(near(of_wide, in_matrix[1:2, ]), near(points, as.matrix(points)[1:2, ]))
  expect_error(homological_kernel(wide(1:4), points), "integer64", class = "pcfdist_error_d")
  expect_identical(distribution(c(2, 3, 5), id = wide(c(4, 9, 4))), distribution(c(2, 3, 5), id = c(4, 9, 4)))
  x <- rpcf(3)
  expect_identical(aggregate(x, wide(c(4, 9, 4)), FUN = mean), aggregate(x, c(4, 9, 4), FUN = mean))
})

test_that("distances of points keep their digits beside huge and tiny ones", {
  points <- cbind(c(0, 1, 3, 1e300, 0), c(0, 0, 0, 0, 1e-300))
  expect_near(homological_kernel(points, points / 2)[, "death"], c(1e-300, 1, 2, 1e300), 1e-15)
  near <- with_seed(1, subsample_near(points, 1, n = 5, near = 1, weight = function(d) d > 0 & d < 1))
  expect_identical(unique(c(near)), list(points[5, , drop = FALSE]))
})
