# Bars whose births and deaths are few small numbers, so that many are equal.
tied_bars <- function(n, most = 6) {
  birth <- sample(0:most, n, replace = TRUE)
  cbind(birth = birth, death = birth + sample(0:most, n, replace = TRUE))
}

# A row for each bar, a column for each time.
tents_at <- function(bars, times) {
  outer(seq_len(nrow(bars)), times, function(i, t) pmax(0, pmin(t - bars[i, 1], bars[i, 2] - t)))
}

# Wherever a level or a silhouette of small whole numbers may turn, and between these times.
all_corners <- seq(-1, 14, by = 0.25)

test_that("a silhouette is the weighted mean of the tents", {
  set.seed(3)
  for (power in c(0, 0.5, 1, 3)) {
    bars <- tied_bars(20)
    bars <- bars[bars[, 2] > bars[, 1], ]
    weights <- (bars[, 2] - bars[, 1])^power
    expected <- colSums(weights * tents_at(bars, all_corners)) / sum(weights)
    expect_equal(as.vector(evaluate(silhouette(bars, power), all_corners)), expected, tolerance = 1e-14)
  }
})

test_that("landscapes have a row a diagram and a column a level", {
  two <- list(a = cbind(c(0, 1), c(4, 3)), b = cbind(0, 2))
  levels <- landscape(two)
  expect_true(is_plf(levels))
  expect_identical(dimnames(levels), list(c("a", "b"), c("level 1", "level 2")))
  expect_identical(unname(levels["b", "level 2"]), plf(0, 0))
  expect_identical(unname(levels["b", ]), c(unname(landscape(two$b)[1, 1]), plf(0, 0)))
  expect_identical(dim(landscape(two, levels = 3)), c(2L, 3L))
  expect_identical(landscape(two, levels = 1)[, 1], levels[, 1])
  expect_identical(unname(landscape(two$a[0, ])[1, ]), plf(0, 0))
  expect_identical(dim(landscape(list())), c(0L, 1L))
  expect_null(rownames(landscape(two$a)))
})

test_that("landscapes of an array of diagrams have one dimension more", {
  bars <- lapply(1:6, function(k) cbind(0, k))
  diagrams <- array(bars, c(2, 3), list(c("a", "b"), NULL))
  levels <- landscape(diagrams, levels = 2)
  expect_identical(dim(levels), c(2L, 3L, 2L))
  expect_identical(dimnames(levels), list(c("a", "b"), NULL, c("level 1", "level 2")))
  expect_identical(evaluate(levels[2, 3, 1], 3)[[1]], 3)
  expect_identical(dim(silhouette(diagrams)), c(2L, 3L))
})

test_that("silhouettes have the names of the list", {
  both <- silhouette(list(a = cbind(0, 2), b = matrix(0, 0, 2)))
  expect_identical(both, plf(list(a = 0:2, b = 0), list(c(0, 1, 0), 0)))
})

test_that("diagrams are those that stable_rank() takes", {
  tree <- hclust(dist(c(1, 2, 5)), method = "single")
  bars <- cbind(0, 0, c(1, 3))
  expected <- landscape(bars)
  expect_identical(landscape(tree, infinite = "drop"), expected)
  expect_identical(landscape(list(pairs = list(bars[, 2:3])), dimension = 0), expected)
  table <- data.frame(id = rep(c("x", "y"), each = 2), birth = 0, death = c(1, 3, 2, 2))
  levels <- landscape(table, id = "id")
  expect_identical(rownames(levels), c("x", "y"))
  expect_identical(levels["x", ], expected[1, ])
  mixed <- cbind(dimension = c(0, 1, 0), birth = 0, death = c(1, 9, 3))
  expect_identical(landscape(mixed, dimension = 0), expected)
  expect_identical(silhouette(mixed, dimension = 0), silhouette(bars))
  expect_warning(landscape(mixed, dimension = 2), class = "pcfdist_warning_dimension")
  expect_error(landscape(mixed), class = "pcfdist_error_dimension")
})

test_that("bars that never die end where `infinite` says, or are an error", {
  bars <- cbind(birth = c(0, 1, 2), death = c(3, Inf, 5))
  expect_identical(landscape(bars, infinite = "drop"), landscape(bars[-2, ]))
  ended <- replace(bars, cbind(2, 2), 4)
  expect_identical(landscape(bars, infinite = 4), landscape(ended))
  expect_identical(silhouette(bars, infinite = 4), silhouette(ended))
  expect_identical(landscape(bars, infinite = 1), landscape(bars[-2, ]))
  refuse <- function(call) {
    error <- expect_error(call, class = "pcfdist_error_x")
    expect_identical(
      conditionMessage(error),
      paste0("`x` is invalid: diagram 2 (\"b\") has a bar that never dies in row 2, which has no ",
             "tent. Use `infinite = \"drop\"` to leave such bars out, or a number as their death.")
    )
    expect_identical(c(error$index, error$position), c(2, 2))
  }
  refuse(landscape(list(a = cbind(0, 1), b = bars)))
  refuse(silhouette(list(a = cbind(0, 1), b = bars)))
  other <- cbind(dimension = c(0, 1), birth = 0, death = c(Inf, 1))
  expect_identical(landscape(other, dimension = 1), landscape(cbind(0, 1)))
})

test_that("other wrong arguments are errors", {
  bars <- cbind(0, 1)
  refused(landscape(bars, levels = 0), "levels", "must be a whole number of at least 1, not 0.")
  refused(landscape(list(bars, bars), levels = 2^31 - 1), "levels",
          "is 2147483647, which gives too many functions, 4294967294.")
  expect_error(landscape(bars, levels = 2^31), class = "pcfdist_error_levels")
  for (power in list(-1, NA, Inf, "1", c(1, 2))) {
    expect_error(silhouette(bars, power), class = "pcfdist_error_power")
  }
  expect_error(landscape(cbind(1, 0)), "has the death 0 before the birth 1 in row 1", class = "pcfdist_error_x")
  expect_error(silhouette(cbind(NA, 0)), "missing value in row 1", class = "pcfdist_error_x")
  expect_error(landscape(bars, infinite = "no"), class = "pcfdist_error_infinite")
})

test_that("silhouettes of clusters are those of the package cluster", {
  skip_if_not_installed("cluster")
  d <- dist(c(1, 2, 8, 9, 20))
  tree <- hclust(d)
  expect_identical(silhouette(cutree(tree, 3), d), cluster::silhouette(cutree(tree, 3), d),
                   ignore_attr = "call")
  expect_s3_class(silhouette(cutree(tree, 2), dmatrix = as.matrix(d)), "silhouette")
  expect_s3_class(silhouette(cluster::pam(d, 2)), "silhouette")
  expect_error(silhouette(cbind(0, 2), pwer = 2), "`pwer` is not an argument of silhouette() for diagrams",
               fixed = TRUE, class = "pcfdist_error_pwer")
})
