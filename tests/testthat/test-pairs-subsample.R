points_of <- function(n) matrix(seq_len(2 * n) / 7, n, dimnames = list(paste0("p", 1:n), NULL))

test_that("parts are rows, distances or functions that were drawn", {
  x <- points_of(12)
  parts <- with_seed(1, subsample(x, 5, n = 3))
  drawn <- with_seed(1, lapply(1:3, function(i) sample.int(12, 5)))
  expect_identical(parts, lapply(drawn, function(i) x[i, ]))
  d <- dist(x)
  for (part in Map(list, with_seed(1, subsample(d, 5, n = 3)), drawn)) {
    expect_identical(as.matrix(part[[1]]), as.matrix(d)[part[[2]], part[[2]]])
    expect_identical(attr(part[[1]], "method"), "euclidean")
  }
  f <- random_pcf(12)
  expect_identical(with_seed(1, subsample(f, 5, n = 3)), lapply(drawn, function(i) f[i]))
  matrix <- array(f, c(2, length(f) / 2))
  expect_identical(with_seed(1, subsample(matrix, 5, n = 3)), lapply(drawn, function(i) c(f)[i]))
  expect_identical(
    with_seed(1, subsample(as.data.frame(x), 5, n = 3)), lapply(drawn, function(i) as.matrix(as.data.frame(x))[i, ])
  )
  expect_identical(subsample(x, 1, n = 0), list())
})

test_that("points that are drawn again have the distance 0", {
  d <- dist(points_of(4))
  part <- with_seed(2, subsample(d, 9, replace = TRUE))[[1]]
  i <- with_seed(2, sample.int(4, 9, TRUE))
  expect_true(anyDuplicated(i) > 0)
  expect_identical(unname(as.matrix(part)), unname(as.matrix(d)[i, i]))
  expect_identical(as.vector(subsample(d, 1)[[1]]), numeric())
  expect_s3_class(hclust(part, "single"), "hclust")
})

test_that("a list gives one column for each element", {
  clouds <- list(a = points_of(6), b = dist(points_of(8)))
  parts <- with_seed(1, subsample(clouds, 4, n = 3))
  expect_identical(dim(parts), c(3L, 2L))
  expect_identical(dimnames(parts), list(NULL, c("a", "b")))
  expect_true(all(vapply(parts[, "a"], is.matrix, NA)))
  expect_true(all(vapply(parts[, "b"], inherits, NA, "dist")))
  trees <- parts
  trees[] <- lapply(parts, function(part) hclust(if (is.matrix(part)) dist(part) else part, "single"))
  expect_identical(dim(stable_rank(trees)), c(3L, 2L))
  expect_identical(names(mean(stable_rank(trees), margin = 2)), c("a", "b"))
})

test_that("weights are probabilities", {
  x <- points_of(4)
  weights <- c(0, 1, 3, 0)
  parts <- with_seed(1, subsample(x, 1, n = 4000, weights = weights))
  share <- table(factor(vapply(parts, rownames, ""), rownames(x))) / 4000
  expect_lt(max(abs(share - weights / 4)), 0.03)
  expect_identical(sort(rownames(subsample(x, 2, weights = weights)[[1]])), c("p2", "p3"))
  expect_error(subsample(x, 3, weights = weights), "at most 2", class = "pcfdist_error_size")
  large <- with_seed(1, subsample(x, 1, n = 40, weights = rep(1.7e308, 4)))
  expect_identical(large, with_seed(1, subsample(x, 1, n = 40, weights = rep(1, 4))))
})

test_that("parts near to points are drawn by distance", {
  x <- points_of(30)
  d <- as.matrix(dist(x))
  reach <- d[1, 4]
  ball <- function(d) d <= reach
  parts <- with_seed(1, subsample_near(x, 2, n = 20, weight = ball))
  expect_identical(dim(parts), c(20L, 30L))
  expect_identical(colnames(parts), rownames(x))
  for (k in seq_len(30)) {
    drawn <- unique(unlist(lapply(parts[, k], rownames)))
    expect_true(all(d[k, drawn] <= reach * (1 + 1e-12)), label = paste("near", k))
  }
  of_distances <- with_seed(1, subsample_near(dist(x), 2, n = 20, weight = function(d) d <= reach))
  expect_identical(
    lapply(parts, function(part) as.vector(dist(part))), lapply(of_distances, as.vector)
  )
  at <- subsample_near(x, 3, n = 2, near = rbind(first = x[1, ], last = x[30, ]), weight = ball)
  expect_identical(colnames(at), c("first", "last"))
  expect_true(all(rownames(at[[1, "last"]]) %in% paste0("p", 27:30)))
  expect_identical(dim(subsample_near(x, 3, near = c(5, 5, 1))), c(1L, 3L))
})

test_that("what cannot be drawn is an error", {
  x <- points_of(4)
  refused(subsample(x, 5), "size",
          "must be at most 4, the number of points to draw from, not 5. With `replace = TRUE` they can be drawn again.")
  refused(subsample(list(a = x, b = x[1:2, ]), 3), "size", "must be at most 2, the number of points to draw from in ",
          'element 2 ("b"), not 3. With `replace = TRUE` they can be drawn again.')
  refused(subsample(list(x, "b"), 3), "x",
          'must be points, a dist or a <pcf>, but element 2 is "b". Points are a numeric matrix or a data frame.')
  refused(subsample("a", 3), "x",
          'must be points, a dist or a <pcf>, not "a". Points are a numeric matrix or a data frame.')
  refused(subsample(iris, 3), "x", "must have numeric columns, but the column `Species` of the data is an object of ",
          "class <factor> of length 150.")
  refused(subsample(list(x, replace(x, 6, NA)), 3), "x", "must be finite, but row 2 of element 2 is not.")
  refused(subsample(x, 0), "size", "must be a whole number of at least 1, not 0.")
  refused(subsample(x, 1, weights = c(1, -1, 1, 1)), "weights",
          "must be finite and at least 0, but are -1 at position 2.")
  refused(subsample(x, 1, weights = 1), "weights", "must be a number for each of the 4 points, but are 1.")
  refused(subsample(list(x), 1, weights = 1:4), "weights", "must not be given if `x` is a list.")
  refused(subsample(x, 1, weights = numeric(4)), "size", "must be at most 0, the number of points to draw from, not 1.")
  refused(subsample(structure(1:3, class = "dist", Size = 9), 1), "x",
          "is invalid: the data is a dist whose Size does not match its length.")
  refused(subsample_near(list(x), 1), "x",
          "must be points or a dist, not a list of length 1. Points are a numeric matrix or a data frame.")
  refused(subsample_near(random_pcf(3), 1), "x", "must be points or a dist, not an object of class <pcf> of length 3. ",
          "Points are a numeric matrix or a data frame.")
  refused(subsample_near(x, 1, near = 5), "near", "must be a matrix of points, or whole numbers from 1 to 4, not 5.")
  refused(subsample_near(x, 1, near = matrix(1:3, 1)), "near",
          "must be finite points with 2 coordinates, not a matrix (integer) of 1 x 3.")
  refused(subsample_near(dist(x), 1, near = x), "near",
          "must be whole numbers, since `x` is a dist, not a matrix (double) of 4 x 2.")
  refused(subsample_near(x, 1, weight = 2), "weight", "must be a function, not 2.")
  refused(subsample_near(x, 1, weight = function(d) -d), "weight",
          "must be finite and at least 0, but gives -0.202030508910442 at position 2 near point 1.")
  refused(subsample_near(x, 2, weight = function(d) d == 0), "size", "must be at most 1, the number of points to draw ",
          "from near point 1, not 2. With `replace = TRUE` they can be drawn again.")
  refused(subsample_near(x, 2, weight = function(d) d < 0, near = rbind(c(1, 1))), "size",
          "must be at most 0, the number of points to draw from near row 1, not 2.")
})
