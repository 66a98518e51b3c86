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

test_apart("results of pairs that share less than min_overlap are NA", {
  for (make in list(random_partial_pcf, function(n, seed) random_plf(n, gaps = 0.3, seed = seed))) for (seed in 1:3) {
    x <- make(12, seed = seed)
    y <- make(7, seed = seed + 10)
    weight <- pcf(c(-Inf, 0, 5), c(1, 2, 0.5))
    for (least in c(0.5, 3, 20)) for (missing in c("overlap", "mean")) for (w in list(NULL, weight)) {
      only <- function(results, shared) replace(results, shared < least, NA)
      window <- list(from = -1, to = 6, missing = missing, weight = w)
      with <- function(f, ...) do.call(f, c(list(...), window))
      shared <- function(...) unname(overlap(..., from = -1, to = 6, weight = w))
      own <- shared(x)
      expect_identical(with(cdist, x, y, 1, min_overlap = least), only(with(cdist, x, y, 1), shared(x, y)))
      expect_identical(with(l2_kernel, x, min_overlap = least), only(with(l2_kernel, x), own))
      expect_identical(with(l2_kernel, x, y, min_overlap = least), only(with(l2_kernel, x, y), shared(x, y)))
      for (p in c(1, 2, Inf)) {
        expect_identical(c(with(pdist, x, p, min_overlap = least)), only(c(with(pdist, x, p)), own[lower.tri(own)]))
      }
      expect_identical(with(lp_distance, x, x[3], min_overlap = least), only(with(lp_distance, x, x[3]), own[, 3]))
      d <- with(pdist, x, 1, precision = "single", min_overlap = least)
      expect_identical(c(d), only(c(with(pdist, x, 1, precision = "single")), own[lower.tri(own)]))
      expect_identical(attributes(d)[c("Size", "class")], list(Size = 12L, class = "dist"))
    }
  }
})

test_that("min_overlap is a length of time, of components together, and as long as it says", {
  x <- pcf(list(c(-Inf, 0, 0.3), c(-Inf, 0, 1)), list(c(NA, 1, NA), c(NA, 2, NA)))
  expect_identical(c(pdist(x, missing = "mean", min_overlap = 0.1 * 3)), 1)
  warning <- capture_warnings_of(d <- pdist(x, missing = "mean", min_overlap = 0.31))[[1]]
  expect_identical(c(d), NA_real_)
  message <- paste("1 of 1 distance is NA, since the functions of this pair are observed at the same time for less",
                   "than 0.31 (`min_overlap`) in the window.")
  expect_match(conditionMessage(warning), message, fixed = TRUE)
  m <- array(x[c(1, 2, 1, 2)], c(2, 2))
  expect_identical(c(pdist(m, missing = "mean", to = 2, margin = 1, min_overlap = 0.6)), 1)
  expect_true(is.na(with_apart(pdist(m, missing = "mean", to = 2, margin = 1, min_overlap = 0.7))))
  days <- as_plf(data.frame(id = c(1, 1, 2, 2), time = as.Date("2024-01-01") + c(0, 9, 5, 9), value = 1:4))
  for (least in list(as.difftime(4, units = "days"), as.difftime(96, units = "hours"))) {
    expect_false(is.na(pdist(days, missing = "mean", min_overlap = least)))
  }
  expect_true(is.na(with_apart(pdist(days, missing = "mean", min_overlap = as.difftime(5, units = "days")))))
  refused(pdist(days, missing = "mean", min_overlap = 4), "min_overlap",
          "is a plain number, but the functions have dates as times. A difftime is needed. ", sets_unit)
  for (call in expression(pdist(x, min_overlap = 1), cdist(x, x, min_overlap = 1), l2_kernel(x, min_overlap = 1),
                          lp_distance(x, x, min_overlap = 1))) {
    refused(eval(call), "min_overlap", "needs `missing = \"overlap\"` or `missing = \"mean\"`.")
  }
  for (wrong in list(0, -1, NA, "a", TRUE, 1:2)) {
    expect_error(pdist(x, missing = "mean", min_overlap = wrong), class = "pcfdist_error_min_overlap")
  }
  refused(pdist(x, missing = "mean", min_overlap = 1, file = "d"), "min_overlap", "cannot be used with `file`.")
  expect_false(file.exists("d"))
})
