test_that("sliced distances are means of those of the projections", {
  samples <- with_seed(1, lapply(1:5, function(i) matrix(rnorm(3 * (4 + i)), ncol = 3)))
  names(samples) <- letters[1:5]
  directions <- with_seed(2, matrix(rnorm(12), 3))
  unit <- directions / rep(sqrt(colSums(directions^2)), each = 3)
  s <- sliced(samples, directions)
  expect_identical(dim(s), c(5L, 4L))
  expect_identical(rownames(s), letters[1:5])
  each <- lapply(1:4, function(k) distribution(lapply(samples, function(x) drop(x %*% unit[, k]))))
  for (k in 1:4) expect_equal(unname(s[, k]), unname(each[[k]]))
  for (p in c(1, 2)) {
    mean <- Reduce(`+`, lapply(each, function(f) wasserstein(f, p = p)^p)) / 4
    expect_equal(wasserstein(s, p = p, margin = 1) / 4^(1 / p), mean^(1 / p), ignore_attr = TRUE)
  }
  expect_identical(with_seed(3, sliced(samples, 6)), with_seed(3, sliced(lapply(samples, as.data.frame), 6)))
})

# Two diagrams along a direction, with the images on the diagonal of the other one.
sliced_pair <- function(a, b, angle) {
  along <- function(x) c(x %*% c(cos(angle), sin(angle)))
  image <- function(x) cbind(rowMeans(x), rowMeans(x))
  sum(abs(sort(c(along(a), along(image(b)))) - sort(c(along(b), along(image(a))))))
}

test_that("sliced distances of diagrams are those of the definition", {
  bars <- with_seed(1, lapply(c(3, 6, 1), function(m) {
    birth <- runif(m)
    cbind(birth, birth + rexp(m))
  }))
  d <- as.matrix(pdist(sliced(bars, 7, "diagrams"), margin = 1) / 7)
  angles <- pi * (0:6) / 7 - pi / 2
  for (i in 1:2) for (j in (i + 1):3) {
    expect_equal(d[i, j], mean(vapply(angles, sliced_pair, 0, a = bars[[i]], b = bars[[j]])))
  }
  with_dimension <- lapply(bars, function(b) cbind(1, rbind(b, c(0, Inf))))
  dropped <- sliced(with_dimension, 7, "diagrams", dimension = 1, infinite = "drop")
  expect_identical(dropped, sliced(bars, 7, "diagrams"))
  expect_objection(sliced(with_dimension, 2, "diagrams"), "infinite", "diagram 1 has a bar that never dies")
  none <- list(bars[[1]][0, ], bars[[1]])
  s <- sliced(none, 3, "diagrams")
  expect_equal(c(pdist(s, margin = 1)), sum(integral(abs(s[2, ]))))
})

test_that("samples and directions are checked", {
  x <- list(a = matrix(1:4, 2), b = matrix(1:2, 1))
  expect_objection(sliced(list(1:3), 2), "x", "must be a matrix of finite numbers")
  expect_objection(sliced(list(a = x$a, b = matrix(1, 1, 3)), 2), "x", 'sample 2 ("b") has 3 columns, and sample 1 ',
                   '("a") has 2')
  expect_objection(sliced(list(matrix(c(1, NA), 1)), 2), "x", "must be a matrix of finite numbers")
  expect_objection(sliced(list(), 2), "x", "must have at least one sample")
  expect_objection(sliced(x, 0), "directions", "must be a whole number of at least 1")
  expect_objection(sliced(x, matrix(0, 2, 1)), "directions", "must not be 0")
  expect_objection(sliced(x, matrix(1, 3, 1)), "directions", "with 2 rows")
  expect_objection(sliced(x), "directions", "is missing")
  expect_objection(sliced(x, 2, dimension = 1), "dimension", "applies only to diagrams")
})
