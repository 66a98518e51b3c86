test_that("overlaps are lengths", {
  x <- random_partial_pcf(12, seed = 3)
  y <- random_partial_pcf(7, seed = 4)
  lengths <- function(x, y, ...) {
    d <- oracle_matrix(x, y, p = function(a, b) rep(1, length(a)), ...)
    replace(d, is.na(d), 0)
  }
  for (window in list(c(0, 5), c(-20, 20), c(2, 2.5))) {
    expected <- lengths(x, y, from = window[1], to = window[2])
    expect_near(overlap(x, y, from = window[1], to = window[2]), expected)
    own <- overlap(x, from = window[1], to = window[2])
    expect_near(own, lengths(x, x, from = window[1], to = window[2]))
    expect_identical(own, t(own))
  }
})

test_that("overlaps without end are infinite", {
  x <- pcf(list(a = c(0, 1), b = c(-Inf, 2), c = c(-Inf, 0, 1)), list(1:2, c(NA, 1), c(NA, 2, NA)))
  expect_identical(
    overlap(x),
    matrix(c(Inf, Inf, 1, Inf, Inf, 0, 1, 0, 1), 3, dimnames = list(names(x), names(x)))
  )
  expect_identical(diag(overlap(x, from = 0, to = 3)), c(a = 3, b = 1, c = 1))
})

test_that("overlaps have the shape of inner products", {
  x <- array(random_partial_pcf(6), c(2, 3))
  expect_identical(dim(overlap(x, x[1, ], from = 0, to = 5)), c(2L, 3L, 3L))
  expect_identical(dim(overlap(x[, 1], from = 0, to = 5)), c(2L, 2L))
  expect_identical(dim(overlap(x[0, ])), c(0L, 0L))
})

test_that("overlaps may be weighted", {
  x <- pcf(list(c(-Inf, 1), c(-Inf, 3)), list(c(NA, 1), c(1, NA)))
  expect_identical(overlap(x, weight = pcf(c(0, 2, 5), c(1, 4, 0))),
                   matrix(c(13, 5, 5, 6), 2))
})

test_that("one warning says how many pairs are never observed at the same time", {
  x <- pcf(list(a = c(-Inf, 0, 2), b = c(-Inf, 1, 4), c = c(-Inf, 3, 5), d = c(-Inf, 6, 7)),
           rep(list(c(NA, 1, NA)), 4))
  both <- list(x = x, lines = as_plf(data.frame(id = rep(1:4, each = 2), time = c(0, 2, 1, 4, 3, 5, 6, 7), value = 1)))
  expect_told <- function(object, count, ...) {
    warnings <- capture_warnings_of(object)
    expect_length(warnings, 1)
    expect_s3_class(warnings[[1]], "pcfdist_warning_missing")
    expect_identical(warnings[[1]]$count, count)
    expect_match(conditionMessage(warnings[[1]]), paste0(...), fixed = TRUE)
  }
  for (x in both) for (missing in c("overlap", "mean")) {
    expect_told(pdist(x, missing = missing), 4, "4 of 6 distances are NA, since the functions of these pairs are never")
    expect_told(pdist(x, p = Inf, missing = missing), 4, "4 of 6 distances are")
    expect_told(pdist(x, missing = missing, precision = "single"), 4, "4 of 6 distances are")
    expect_told(pdist(x[1:3], missing = missing), 1, "1 of 3 distances is NA, since the functions of this pair are")
    expect_told(cdist(x, x, missing = missing), 8, "8 of 16 distances are")
    expect_told(cdist(x, x, missing = missing, to = 6), 9, "9 of 16 distances are")
    expect_told(l2_kernel(x, missing = missing), 4, "4 of 10 inner products are")
    expect_told(l2_kernel(x, missing = missing, to = 6), 5, "5 of 10 inner products are")
    expect_told(lp_distance(x, rev(x), missing = missing), 2, "2 of 4 distances are")
    expect_silent(pdist(x[1:2], missing = missing))
    expect_silent(l2_kernel(x[1:2], missing = missing))
  }
  expect_silent(overlap(x))
  expect_silent(suppressWarnings(pdist(x, missing = "mean"), classes = "pcfdist_warning_missing"))
  # These are infinite with both signs.
  both_ends <- c(pcf(c(-Inf, 0), c(1, -1)), pcf(-Inf, 1), pcf(c(-Inf, 0), c(NA, 0)))
  classes <- lapply(capture_warnings_of(l2_kernel(both_ends, missing = "overlap")), class)
  expect_false("pcfdist_warning_missing" %in% unlist(classes))
})

test_that("a random number of pairs without an overlap is counted", {
  for (seed in 1:10) {
    x <- random_partial_pcf(30, seed = seed)
    apart <- overlap(x, from = 0, to = 2) == 0
    warnings <- capture_warnings_of(pdist(x, from = 0, to = 2, missing = "mean"))
    expect_identical(warnings[[1]]$count, as.double(sum(apart[lower.tri(apart)])))
  }
})
