# Everything that k_means() says about clusters, against plain R; see helper-clusters.R.
expect_means <- function(found, parts, mean = FALSE, tolerance = 1e-11, label = NULL) {
  k <- length(found$size)
  n <- length(found$cluster)
  on <- list(
    start = do.call(cbind, lapply(parts, `[[`, "start")), end = do.call(cbind, lapply(parts, `[[`, "end")),
    length = unlist(lapply(parts, `[[`, "length"))
  )
  squares <- squares_in_r(on, found$cluster, k, mean)
  own <- squares[cbind(seq_len(n), found$cluster)]
  total <- sum(squares_in_r(on, rep(1, n), 1, mean))
  within <- as.vector(rowsum(c(own, numeric(k)), c(found$cluster, seq_len(k))))
  scale <- max(total, 1e-20)
  expect_identical(found$size, tabulate(found$cluster, k), label = label)
  expect_true(all(found$size > 0), label = label)
  expect_lt(max(abs(found$withinss - within), abs(found$totss - total)) / scale, tolerance, label = label)
  expect_identical(found$tot.withinss, sum(found$withinss))
  expect_identical(found$betweenss, found$totss - found$tot.withinss)
  expect_lt(max(own - do.call(base::pmin, as.data.frame(squares))) / scale, tolerance, label = label)
}

test_that("every function is with the nearest mean, and sums of squares are those of plain R", {
  for (seed in 1:150) with_seed(seed, {
    n <- sample(c(1, 2, 3, 5, 8, 20), 1)
    lines <- runif(1) < 0.4
    gaps <- runif(1) < 0.4
    offset <- if (gaps) 0 else sample(c(0, 1e6, -3e3), 1)
    x <- random_collection(n, lines, gaps, offset)
    k <- sample(unique(c(1, min(3, n), n)), 1)
    weight <- if (runif(1) < 0.3) pcf(c(-Inf, 0.3, 0.6), c(1, sample(c(0, 2), 1), 3))
    missing <- if (gaps) sample(c("overlap", "mean"), 1) else "error"
    start <- if (runif(1) < 0.3) x[sample.int(n, k)] else k
    on <- on_intervals(x, 0, 1, weight)
    if (any(drop((!is.na(on$start)) %*% (on$length > 0)) == 0)) next
    found <- k_means(x, start, 0, 1, missing, weight)
    expect_means(found, list(on), missing == "mean", if (offset == 0) 1e-11 else 1e-9, paste("seed", seed))
  })
})

test_that("components count together, in rows or in columns", {
  for (seed in 1:30) with_seed(seed, {
    x <- array(random_collection(24, seed %% 2 == 0, seed %% 3 == 0), c(8, 3), list(letters[1:8], LETTERS[1:3]))
    missing <- if (seed %% 3 == 0) sample(c("overlap", "mean"), 1) else "error"
    weight <- if (seed %% 5 == 0) pcf(c(-Inf, 0.3, 0.6), c(1, 2, 3))
    parts <- lapply(1:3, function(j) on_intervals(x[, j], 0, 1, weight))
    found <- k_means(x, 2, 0, 1, missing, weight, margin = 1)
    expect_means(found, parts, missing == "mean", label = paste("seed", seed))
    expect_identical(names(found$cluster), letters[1:8])
    expect_identical(dimnames(found$centers), list(c("1", "2"), LETTERS[1:3]))
    columns <- with_seed(seed, k_means(t(x), t(found$centers), 0, 1, missing, weight, margin = 2))
    expect_identical(dim(columns$centers), c(3L, 2L))
    expect_identical(dim(fitted(found)), c(8L, 3L))
    expect_identical(fitted(columns)[, 1], columns$centers[, columns$cluster[1]])
  })
})

test_that("bits depend neither on threads nor on the order of functions, also over many slabs", {
  collections <- list(
    with_seed(1, random_collection(40)), with_seed(2, random_collection(40, TRUE, TRUE)),
    drawn(900, 3, 100)
  )
  for (x in collections) {
    x <- unique(x)
    names(x) <- sprintf("f%d", seq_along(x))
    divide <- function(x, threads) with_seed(1, k_means(x, 4, 0, 1, "overlap", nstart = 2, threads = threads))
    found <- divide(x, 1)
    numbers <- c("withinss", "totss", "iter", "size")
    expect_identical(divide(x, 3)[-11], found[-11])
    mixed <- divide(x[with_seed(5, sample(length(x)))], 2)
    expect_identical(mixed[numbers], found[numbers])
    expect_identical(mixed$cluster[names(x)], found$cluster)
    expect_identical(unclass(mixed$centers), unclass(found$centers))
  }
})

test_that("bounds change no bit, and spare most functions", {
  for (lines in c(FALSE, TRUE)) {
    x <- drawn(1000, 4, 6) + rep(0:4, each = 200)
    if (lines) x <- plf(lapply(unclass(x), function(f) f[, 1]), lapply(unclass(x), function(f) f[, 2]))
    weight <- if (lines) pcf(c(-Inf, 0.3, 0.6), c(1, 0, 3))
    divide <- function() with_seed(2, k_means(x, 6, 0, 1, weight = weight, threads = 2))[-11]
    stays <- NULL
    bounds <- pcfdist:::next_bounds
    watched <- function(...) {
      found <- bounds(...)
      if (!is.null(found)) stays <<- c(stays, mean(found$stays))
      found
    }
    found <- with_mocked(next_bounds = watched, code = divide())
    expect_gt(max(stays), 0.8)
    expect_identical(found, with_mocked(next_bounds = function(...) NULL, code = divide()))
  }
})

test_that("centers are means, and where no member is observed means of all", {
  x <- pcf(list(c(-Inf, 0, 2), c(-Inf, 0, 4), c(-Inf, 1, 3), 0), list(c(NA, 1, NA), c(NA, 3, NA), c(NA, 9, NA), 8))
  found <- k_means(x, x[c(1, 3)], 0, 4, missing = "overlap")
  expect_identical(unname(found$cluster), c(1L, 1L, 2L, 2L))
  expect_identical(evaluate(found$centers, c(0.5, 1.5, 2.5, 3.5)), rbind("1" = c(2, 2, 3, 3), "2" = c(8, 8.5, 8.5, 8)))
  apart <- k_means(x[c(1, 1, 3)], x[c(1, 3)], 0, 4, missing = "overlap")$centers
  expect_identical(evaluate(apart, c(0.5, 1.5, 2.5, 3.5)), rbind("1" = c(1, 1, 9, NA), "2" = c(1, 9, 9, NA)))
})

test_that("functions may be equal, alone, without an event, or as many as clusters", {
  same <- rep(pcf(0:1, c(3, 0)), 4)
  found <- k_means(same, 3)
  expect_identical(sort(found$size), c(1L, 1L, 2L))
  expect_identical(found$withinss, c(0, 0, 0))
  expect_identical(found$totss, 0)
  expect_identical(k_means(same[1], 1)$cluster, 1L)
  x <- drawn(7, 1) + 1e6
  expect_identical(k_means(x, 7, 0, 1)$withinss, numeric(7))
  expect_identical(k_means(pcf(list(0, 0), list(1, 1)), 2)$totss, 0)
  flat <- k_means(pcf(list(0, 0, 0), list(1, 1, 4)), 2, 0, 2)
  expect_identical(flat$totss, 12)
  expect_identical(flat$tot.withinss, 0)
})

test_that("functions that are alone stay where they are, also if others are equal to them but for rounding", {
  for (seed in c(43, 85, 95, 167)) with_seed(seed, {
    x <- random_collection(5, FALSE, TRUE, -3e3)
    expect_no_warning(k_means(x, 5, 0, 1, "overlap", iter.max = 20))
  })
})

test_that("small differences of large functions are found", {
  base <- drawn(1, 1, 50) * 1e8
  small <- drawn(20, 2, 5) + rep(c(0, 3), each = 10)
  found <- k_means(base + small, 2, 0, 1, nstart = 5)
  alone <- k_means(small, small[c(1, 11)], 0, 1)
  expect_identical(sum(table(found$cluster, alone$cluster) > 0), 2L)
  expect_equal(found$totss, alone$totss, tolerance = 1e-6)
})

test_that("dates are times of centers, and names those of functions", {
  x <- pcf(list(a = as.Date("2024-01-01") + 0:2, b = as.Date("2024-01-03") + 0:1), list(c(1, 2, 0), c(5, 0)))
  found <- k_means(x, 2)
  expect_s3_class(time_unit(found$centers), class(time_unit(x)))
  expect_identical(names(found$cluster), c("a", "b"))
  expect_identical(names(fitted(found)), c("a", "b"))
  expect_identical(fitted(found, "classes"), found$cluster)
  expect_identical(predict(found, x), found$cluster)
  expect_identical(predict(found), found$cluster)
})

test_that("new functions go to the nearest center, or to none", {
  x <- c(drawn(10, 1), drawn(10, 2) + 5)
  found <- k_means(x, 2, 0, 1, missing = "overlap")
  nowhere <- pcf(c(-Inf, 2), c(NA, 1))
  new <- suppressWarnings(predict(found, c(x[c(1, 11)], nowhere)), classes = "pcfdist_warning_missing")
  expect_identical(unname(new), c(unname(found$cluster[c(1, 11)]), NA))
})

test_that("the object prints, draws, and has silhouettes", {
  x <- c(drawn(5, 1), drawn(5, 2) + 5)
  found <- k_means(x, x[c(1, 6)], 0, 1)
  expect_output(print(found), "2 clusters of sizes 5, 5")
  expect_output(print(k_means(rpcf(300, 3), 2, from = 0, to = 1)), "omitted 100 entries")
  expect_s3_class(found, "kmeans")
  in_pdf <- function(code) {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    code
  }
  expect_no_error(in_pdf(plot(found)))
  expect_no_error(in_pdf(plot(found, x)))
  refused(in_pdf(plot(found, x[1])), "data", "must be the 10 functions that were divided, not an object of class ",
          "<pcf> of length 1.")
  skip_if_not_installed("cluster")
  expect_equal(cluster::silhouette(found, pdist(x, 2, 0, 1)), cluster::silhouette(found$cluster, pdist(x, 2, 0, 1)),
               ignore_attr = TRUE)
})

test_that("what cannot be divided is refused, with what to do", {
  x <- pcf(list(c(0, 1), c(0, 1), c(0, 2)), list(c(1, 0), c(2, 0), c(3, 4)))
  refused(k_means(x), "k", "is missing: the number of clusters, or functions to start from.")
  refused(k_means(x, 4), "k", "must be at most 3, the number of functions of `x`, not 4.")
  refused(k_means(x, x[c(1:3, 1)]), "k", "must be at most 3, the number of functions of `x`, not 4.")
  refused(k_means(x, 0), "k", "must be a whole number of at least 1, not 0.")
  refused(k_means(x[0], 1), "x", "must have at least one function.")
  refused(k_means(x, 2), "to", "must be finite: functions have different values, such as 0 and 4, up to Inf, so ",
          "that they are at infinite distances from each other.")
  expect_error(k_means(x[1:2], x[3]), "such as 0 and 4, up to Inf", class = "pcfdist_error_to")
  gap <- pcf(c(-Inf, 0, 1), c(NA, 5, NA))
  expect_error(k_means(c(x, gap), 2, 0, 2), class = "pcfdist_error_missing")
  expect_refusal(k_means(c(x, b = gap), 2, 1, 2, missing = "overlap"), "missing",
                 "function 4 (\"b\") is never observed in the window, so that it is in no cluster. Leave it out, or ",
                 "choose another window.")
  expect_error(k_means(x, 2, 0, missing = "mean"), "such as the last breakpoint", class = "pcfdist_error_to")
  expect_warning(k_means(drawn(200, 1) + 1:200 / 40, 4, 0, 1, iter.max = 1), class = "pcfdist_warning_iterations")
})
