# What other packages make of the matrices.

# Two groups of ten: bumps on [0, 1) and on [3, 4), with some noise, in mixed order.
two_groups <- function() {
  with_seed(1, {
    group <- sample(rep(1:2, 10))
    x <- pcf(
      lapply(group, function(g) 3 * (g - 1) + c(0, runif(1, 0.4, 0.6), runif(1, 0.9, 1.1))),
      lapply(group, function(g) c(rnorm(2, 2, 0.1), 0))
    )
    names(x) <- paste0("f", seq_along(x))
    list(x = x, group = group)
  })
}

expect_same_groups <- function(found, group) {
  expect_identical(sum(table(found, group) > 0), 2L)
}

test_that("hclust() finds the groups", {
  data <- two_groups()
  for (p in c(1, 1.5, 2)) {
    tree <- hclust(pdist(data$x, p), "average")
    expect_identical(tree$labels, names(data$x))
    expect_identical(tree$dist.method, attr(pdist(data$x, p), "method"))
    expect_same_groups(cutree(tree, 2), data$group)
  }
})

test_that("cmdscale() gives back L2 distances", {
  data <- two_groups()
  d <- pdist(data$x, 2)
  points <- cmdscale(d, k = length(data$x) - 1)
  expect_identical(rownames(points), names(data$x))
  expect_equal(c(dist(points)), c(d), tolerance = 1e-6)
  expect_same_groups(points[, 1] > 0, data$group)
})

test_that("fastcluster::hclust() takes a dist", {
  skip_if_not_installed("fastcluster")
  data <- two_groups()
  tree <- fastcluster::hclust(pdist(data$x), "single")
  expect_identical(tree$labels, names(data$x))
  expect_same_groups(cutree(tree, 2), data$group)
})

test_that("cluster::pam() takes a dist", {
  skip_if_not_installed("cluster")
  data <- two_groups()
  groups <- cluster::pam(pdist(data$x), 2)
  expect_named(groups$clustering, names(data$x))
  expect_same_groups(groups$clustering, data$group)
})

test_that("kernlab takes the kernel", {
  skip_if_not_installed("kernlab")
  data <- two_groups()
  train <- 1:14
  test <- 15:20
  k <- kernlab::as.kernelMatrix(l2_kernel(data$x[train]))
  machine <- kernlab::ksvm(k, factor(data$group[train]), type = "C-svc", kernel = "matrix")
  expect_identical(kernlab::error(machine), 0)
  support <- train[kernlab::SVindex(machine)]
  cross <- kernlab::as.kernelMatrix(l2_kernel(data$x[test], data$x[support]))
  predicted <- kernlab::predict(machine, cross)
  expect_identical(as.character(predicted), as.character(data$group[test]))
  components <- kernlab::kpca(kernlab::as.kernelMatrix(l2_kernel(data$x)), features = 1)
  expect_same_groups(kernlab::rotated(components)[, 1] > 0, data$group)
})

test_that("a support vector machine learns from kernels of patients that are scaled", {
  skip_if_not_installed("kernlab")
  skip_if_not_installed("survival")
  visits <- survival::pbcseq
  bilirubin <- as_pcf(visits, id = "id", time = "day", value = "bili", until = Inf)
  died <- visits$status[!duplicated(visits$id)] == 2
  K <- l2_kernel(log2(bilirubin), from = 0, to = 365)
  K <- kernlab::as.kernelMatrix(K / mean(diag(K)))
  fit <- with_seed(1, kernlab::ksvm(K, factor(died), type = "C-svc", cross = 10))
  expect_lt(kernlab::cross(fit), 0.8 * mean(died))
})

test_that("the L1 distance of distribution functions is the Wasserstein distance", {
  samples <- with_seed(1, lapply(1:8, function(i) {
    round(rnorm(50, i / 2), if (i %% 2) 1 else 9)
  }))
  d <- as.matrix(pdist(as_pcf(lapply(samples, ecdf))))
  expected <- outer(1:8, 1:8, Vectorize(function(i, j) {
    mean(abs(sort(samples[[i]]) - sort(samples[[j]])))
  }))
  expect_near(d, expected, 1e-12)
})

test_that("survival curves have L1 distances within a window", {
  skip_if_not_installed("survival")
  fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
  x <- as_pcf(fit)
  expect_identical(as.vector(pdist(x[c(1, 1)])), 0)
  # Times are whole days.
  daily <- lapply(1:2, function(k) summary(fit[k], times = 0:364)$surv)
  expect_near(pdist(x, to = 365), sum(abs(daily[[1]] - daily[[2]])), 1e-12)
})

test_that("step functions have the distances of their integrals", {
  f <- as_pcf(stepfun(c(0, 1, 2), c(0, 1, 3, 0)))
  g <- as_pcf(stepfun(c(0.5, 2), c(0, 2, 0)))
  expect_near(lp_distance(f, g), 0.5 + 0.5 + 1)
})

test_that("64-bit integers are numbers, even if they come before bit64", {
  # Numbers up to 2^52, as R has them from readRDS().
  wide <- function(numbers) structure(numbers * 2^-1074, class = "integer64")
  table <- structure(list(id = wide(7e9 + 0:1), time = wide(0:1), value = wide(5e9 + 0:1)), class = "data.frame",
                     row.names = .set_row_names(2L))
  with_mocked(has_bit64 = function() FALSE, code = {
    is <- "an object of class <integer64> of length 2 (it needs the package bit64)"
    refused(as_pcf(table[-1]), "time", "must name a numeric column, but `x$time` is ", is, ".")
    refused(as_pcf(table), "id", "must name a vector, but `x$id` is ", is, ".")
    refused(evaluate(pcf(0, 1), table$time), "times", "must be numbers without NA, not ", is, ".")
    refused(pcf(0:1, table$value), "values", "is invalid: the function has ", is, " where numbers are needed.")
  })
  skip_if_not_installed("bit64")
  expect_identical(as_pcf(table[-1]), measured(pcf(0:1, 5e9 + 0:1)))
  expect_identical(names(as_pcf(table)), c("7000000000", "7000000001"))
  expect_identical(pcf(table$time, table$value), pcf(0:1, 5e9 + 0:1))
  expect_identical(as_pcf(table[2:3], times = table$time), as_pcf(rbind(c(0, 5e9), c(1, 5e9 + 1)), times = 0:1))
  expect_identical(evaluate(pcf(0:1, 2:3), table$time), evaluate(pcf(0:1, 2:3), 0:1))
  expect_identical(counting(list(table$value)), counting(list(5e9 + 0:1)))
  expect_identical(distribution(table$value), distribution(5e9 + 0:1))
})
