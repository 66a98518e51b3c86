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
                   "than `min_overlap` in the window.")
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
          "is a plain number, but the functions have dates as times. A difftime is needed, such as ",
          "as.difftime(4, units = \"days\"). ", sets_unit)
  for (call in expression(pdist(x, min_overlap = 1), cdist(x, x, min_overlap = 1), l2_kernel(x, min_overlap = 1),
                          lp_distance(x, x, min_overlap = 1))) {
    refused(eval(call), "min_overlap", "needs `missing = \"overlap\"` or `missing = \"mean\"`.")
  }
  for (wrong in list(0, -1, NA, "a", TRUE, 1:2, Inf)) {
    expect_error(pdist(x, missing = "mean", min_overlap = wrong), class = "pcfdist_error_min_overlap")
  }
})

# Do functions share as much, by the definition of overlaps?
shares <- function(x, y, least, window) {
  weight <- if (!is.null(window$weight)) unclass(window$weight)[[1]]
  shared <- oracle_matrix(observed(x), observed(y), "inner", window$from, window$to, weight = weight)
  !is.na(shared) & shared >= least
}

test_apart("all kernels find which pairs share min_overlap, in windows of all kinds", {
  windows <- list(c(-1, 6), c(1.5, 1.75), c(-20, 30), c(-Inf, 4), c(2, Inf), c(-Inf, Inf))
  makers <- list(random_partial_pcf, function(n, seed) random_plf(n, gaps = 0.3, seed = seed),
                 function(n, seed) unname(c(random_partial_pcf(n - 1, seed = seed), pcf(0, 1))))
  for (make in makers) for (kernel in c("sweep", "grid", "split")) with_settings(kernel = kernel, tile = 32, {
    x <- make(14, seed = 5)
    weights <- list(NULL, pcf(c(-Inf, 0, 3), c(1, 2, 0.5)))
    turn <- 0
    for (missing in c("overlap", "mean")) for (ends in windows) for (w in weights) {
      if (missing == "mean" && any(is.infinite(ends))) next
      window <- list(from = ends[1], to = ends[2], weight = w)
      long <- lapply(c(0.2, 2, 8), function(least) list(least, shares(x, x, least, window)))
      for (p in list(1, 2, 1.7, Inf, "inner")) for (precision in c("double", "single")) {
        if (kernel == "grid" && is_plf(x) && !identical(p, 2) && !identical(p, "inner")) next
        call <- function(...) {
          maybe_infinite(do.call(half_matrix, c(list(x, p, missing = missing, precision = precision, ...), window)))
        }
        turn <- turn %% 3 + 1 # ten results of each window: all meet each length in some
        least <- long[[turn]][[1]]
        kept <- long[[turn]][[2]] | (diag(length(x)) == 1 & !identical(p, "inner")) # no diagonal in a dist
        expect_identical(call(min_overlap = least), replace(call(), !kept, NA),
                         label = paste(kernel, missing, p, least, precision, toString(ends)))
      }
    }
  })
})

# The heights of a tree are those of Prim's algorithm on the matrix, unless that has several parts.
expect_trees <- function(x, d, tree) {
  seen <- 1
  heights <- numeric()
  repeat {
    edge <- d[seen, -seen, drop = FALSE]
    if (length(edge) == 0 || all(is.na(edge))) break
    heights <- c(heights, min(edge, na.rm = TRUE))
    at <- which(edge == min(edge, na.rm = TRUE), arr.ind = TRUE)[1, "col"]
    seen <- c(seen, seq_along(x)[-seen][at])
  }
  if (length(seen) == length(x)) return(expect_identical(tree(x)$height, sort(heights)))
  error <- expect_error(tree(x), class = "pcfdist_error_x")
  expect_match(conditionMessage(error), "share less than `min_overlap`", fixed = TRUE)
  if (length(seen) > 2) expect_identical(tree(x[sort(seen)])$height, sort(heights))
}

test_apart("all calls leave out pairs that share less than min_overlap", {
  for (lines in c(FALSE, TRUE)) for (seed in 1:4) for (missing in c("overlap", "mean")) {
    x <- if (lines) random_plf(15, gaps = 0.2, seed = seed) else random_partial_pcf(15, seed = seed)
    window <- list(from = -1, to = 7, weight = if (seed == 2) pcf(c(-Inf, 2), c(1, 3)))
    more <- c(window, list(missing = missing, min_overlap = 2.5))
    all_of <- function(f, ...) suppressWarnings(do.call(f, c(list(...), more)), classes = "pcfdist_warning_infinite")
    y <- x[4:9]
    without <- function(f, y, ...) {
      found <- do.call(f, c(list(x, y, ...), window, list(missing = missing)))
      replace(unname(found), !shares(x, y, 2.5, window), NA)
    }
    own <- without(cdist, x)
    others <- replace(own, diag(15) == 1, NA)
    near <- function(d, f, ...) apply(d, 1, function(d) if (all(is.na(d))) NA else f(d, na.rm = TRUE, ...))
    expect_identical(unname(all_of(reduce_distances, x)), near(others, min))
    expect_identical(unname(all_of(reduce_distances, x, with = "max")), near(others, max))
    expect_identical(unname(all_of(reduce_distances, x, y, with = "which.max")),
                     near(without(cdist, y), function(d, na.rm) which.max(d)))
    expect_identical(unname(all_of(reduce_distances, x, with = "count", radius = 3)),
                     rowSums(others <= 3, na.rm = TRUE))
    sums <- vapply(1:15, function(i) log(sum(exp(-others[i, -i]))), 0)
    expect_equal(unname(all_of(reduce_distances, x, with = "logsumexp", scale = 1)), sums)
    b <- cbind(seq_len(15), replace(numeric(15), 1 + seed, 2))
    times <- function(d, b) apply(b, 2, function(b) apply(d, 1, function(d) sum((d * b)[b != 0])))
    expect_equal(unname(all_of(distance_product, x, b)), times(own, b))
    expect_equal(unname(all_of(distance_product, x, b[4:9, ], y, p = 2)),
                 times(without(cdist, y, p = 2)^2, b[4:9, ]))
    kernel <- without(l2_kernel, x)
    expect_equal(unname(all_of(kernel_product, x, b)), times(kernel, b))
    expect_equal(all_of(kernel_operator, x)(b[, 2]), times(kernel, b)[, 2])
    expect_equal(unname(all_of(kernel_product, x, b, kernel = "laplacian", scale = 2)), times(exp(-own / 2), b))
    expect_equal(unname(all_of(kernel_product, x, b, kernel = "gaussian", scale = 2)),
                 times(exp(-without(cdist, x, p = 2)^2 / 8), b))
    expect_s3_class(all_of(pcf_plan, x), "pcf_plan")
    expect_s3_class(all_of(pcf_plan, x, b = b), "pcf_plan")
    expect_trees(x, others, function(...) all_of(spanning_tree, ...))
    group <- rep_len(1:2, 15)
    if (anyNA(own[lower.tri(own)])) {
      error <- expect_error(all_of(permutation_test, x, group, n = 9), class = "pcfdist_error_x")
      expect_match(conditionMessage(error), "share less than `min_overlap` in the window.", fixed = TRUE)
    }
    known <- rowSums(is.na(own[1:5, 1:5])) == 0
    if (sum(known) < 3) next
    kept <- which(known)
    group <- rep_len(1:2, length(kept))
    expect_equal(with_seed(1, all_of(permutation_test, x[kept], group, n = 9))$permuted,
                 with_seed(1, permutation_test(stats::as.dist(own[kept, kept]), group, n = 9))$permuted)
  }
})

test_that("means of groups in all permutations have to share min_overlap", {
  group <- rep(1:2, c(3, 6))
  labels <- with_seed(1, shuffled_labels(group, list(1:9), 20))
  for (lines in c(FALSE, TRUE)) for (seed in 1:3) for (w in list(NULL, pcf(c(-Inf, 2), c(1, 3)))) {
    x <- if (lines) random_plf(9, gaps = 0.5, seed = seed) else random_partial_pcf(9, seed = seed + 10)
    window <- list(from = -3, to = 9, weight = w)
    shared <- min(apply(cbind(group, labels), 2, function(labels) {
      do.call(overlap, c(lapply(1:2, function(g) mean(x[labels == g], na.rm = TRUE)), window))
    }))
    expect_gt(shared, 0)
    for (missing in c("overlap", "mean")) for (p in c(1, 2, 1.5, Inf)) {
      tested <- function(...) {
        more <- c(list(x, group, "mean_difference", n = 20, p = p, missing = missing, ...), window)
        with_seed(1, do.call(permutation_test, more))
      }
      expect_identical(tested(min_overlap = shared)$permuted, tested()$permuted)
      error <- expect_error(tested(min_overlap = shared * (1 + 1e-9)), class = "pcfdist_error_group")
      expect_match(conditionMessage(error), "at any common time, or for less than `min_overlap`.", fixed = TRUE)
    }
  }
  x <- pcf(list(c(-Inf, 0), c(-Inf, 1), c(-Inf, 2), 0), list(c(NA, 0), c(NA, 0), c(NA, 0), 0))
  for (p in c(1, Inf)) {
    expect_identical(permutation_test(x, c(1, 1, 2, 2), "mean_difference", p = p, missing = "overlap", n = 9,
                                      min_overlap = 1e9)$p.value, 1)
  }
})

test_apart("a window that is shorter than min_overlap leaves no pair", {
  for (x in list(random_pcf(150, 9), random_plf(150), as_pcf(random_pcf(150, 9)))) {
    half <- list(from = 0, to = 1, missing = "overlap")
    all_of <- function(f, least, ...) do.call(f, c(list(x, ...), half, min_overlap = least))
    without <- function(f, ...) do.call(f, c(list(x, ...), half))
    for (p in c(1, 2)) {
      expect_true(all(is.na(all_of(distance_product, 1.01, rep(1, 150), p = p))))
      expect_identical(all_of(distance_product, 1, rep(1, 150), p = p), without(distance_product, rep(1, 150), p = p))
    }
    expect_true(all(is.na(all_of(kernel_product, 1.01, rep(1, 150)))))
    expect_true(all(is.na(all_of(pdist, 1.01))))
    expect_true(all(is.na(all_of(pdist, 1.01, precision = "single"))))
    expect_true(all(is.na(all_of(l2_kernel, 1.01))))
    expect_true(all(is.na(all_of(lp_distance, 1.01, x[3:1]))))
    expect_identical(all_of(pdist, 1), without(pdist), ignore_attr = "call")
    with_settings(prune = "on", {
      expect_identical(all_of(nearest_neighbors, 1, 3), without(nearest_neighbors, 3))
      expect_identical(all_of(neighbors_within, 1.01, 9, count = TRUE), setNames(numeric(150), names(x)))
      expect_error(all_of(nearest_neighbors, 1.01, 3), class = "pcfdist_error_k")
    })
    for (missing in c("overlap", "mean")) {
      expect_true(all(is.na(pdist(x, from = 1, to = 1, missing = missing, min_overlap = 1e-9))))
      expect_true(all(is.na(pdist(x, to = 1, weight = pcf(0, 0), missing = missing, min_overlap = 1e-9))))
    }
  }
})

test_that("overlaps that are as long as min_overlap but for rounding are long enough", {
  on <- function(...) {
    alternating <- function(times) c(NA, rep_len(c(1, NA), length(times)))
    pcf(lapply(list(...), function(times) c(-Inf, times)), lapply(list(...), alternating))
  }
  for (precision in c("double", "single")) for (missing in c("overlap", "mean")) {
    is_known <- function(x, least, ...) {
      !is.na(with_apart(c(pdist(x, missing = missing, min_overlap = least, precision = precision, ...))))
    }
    late <- on(c(19000.1, 19000.7), c(18999, 19000.4), c(19000.1, 19000.7))
    expect_identical(is_known(late, 0.3), c(TRUE, TRUE, TRUE))
    expect_identical(is_known(late, 0.3 + 1e-9), c(FALSE, TRUE, FALSE))
    parts <- on(seq(0.1, 2, 0.1), c(0, 3), c(0.1, 0.4, 0.7, 3))
    expect_identical(is_known(parts, 1), c(TRUE, FALSE, TRUE))
    expect_identical(is_known(parts, 0.5), c(TRUE, TRUE, TRUE))
    expect_identical(is_known(parts, 1 + 1e-12), c(FALSE, FALSE, TRUE))
    days <- on(c(0, 730), c(100, 190), c(150, 1e6))
    expect_identical(is_known(days, 90), c(TRUE, TRUE, FALSE))
    expect_identical(is_known(days, 40, weight = pcf(0, 1)), c(TRUE, TRUE, TRUE))
    expect_identical(is_known(days, 270, weight = pcf(0, 3)), c(TRUE, TRUE, FALSE))
    expect_identical(is_known(days, next_time(90)), c(TRUE, TRUE, FALSE))
  }
})

test_apart("files and jobs know min_overlap", {
  x <- random_partial_pcf(40)
  with <- function(f, ..., least = 3) f(x, ..., from = 0, to = 9, missing = "mean", min_overlap = least)
  for (f in list(pdist, l2_kernel, function(...) cdist(x, ...))) {
    file <- new_file()
    expect_identical(bits_of(with(f, file = file)), bits_of(with(f)))
    expect_message(with(f, file = file), "already in")
    expect_error(with(f, file = file, least = 4), "says Min-Overlap: 3, but this call has 4", fixed = TRUE,
                 class = "pcfdist_error_file")
    expect_error(f(x, from = 0, to = 9, missing = "mean", file = file), "says Min-Overlap: 3, but this call has none",
                 fixed = TRUE, class = "pcfdist_error_file")
    file <- new_file()
    f(x, from = 0, to = 9, missing = "mean", file = file)
    expect_error(with(f, file = file), "says Min-Overlap: none, but this call has 3", fixed = TRUE,
                 class = "pcfdist_error_file")
  }
})
