# Functions that are known somewhere from 0 to 4. The first two are not known together.
known_in_part <- function(n, seed) {
  apart <- pcf(list(c(-Inf, 0, 1), c(-Inf, 3, 4)), list(c(NA, 1, NA), c(NA, 2, NA)))
  x <- unname(c(apart, random_pcf(6, seed = seed), random_partial_pcf(n, seed = seed)))
  x[integral(observed(x), 0, 4) > 0]
}

fewer <- " Choose a smaller `k`, or leave such functions out."

test_that("neighbours are those that order() finds in the matrix", {
  for (p in c(1, 2, 1.7, Inf)) {
    for (seed in 1:3) {
      n <- with_seed(seed, sample(2:40, 1))
      x <- unname(random_pcf(n, 9, seed))
      query <- if (seed %% 2) random_pcf(7, 9, seed + 100)
      k <- with_seed(seed, sample(n - 1, 1))
      label <- paste("p", p, "seed", seed)
      expect_neighbors(x, k, query, p = p, to = 9, label = label)
      expect_neighbors(x, k, query, p = p, from = 0.3, to = 2, precision = "single",
                       label = label)
    }
  }
})

test_that("ties go to the smaller index", {
  x <- unname(pcf(as.list(rep(0, 40)), as.list(with_seed(1, sample(1:6, 40, replace = TRUE)))))
  for (query in list(NULL, x[c(9, 2, 9)])) {
    for (k in c(1, 2, 7, 39)) expect_neighbors(x, k, query, to = 1, label = paste("k", k))
  }
  same <- rep(x[1], 5)
  near <- nearest_neighbors(same, 4)
  expect_identical(unname(near$id), t(vapply(1:5, function(i) setdiff(1:5, i), 1:4)))
  expect_true(all(near$dist == 0))
})

test_that("the whole row can be asked for", {
  x <- unname(tied_pcf(12))
  expect_neighbors(x, 11, to = 30)
  expect_neighbors(x, 12, x, to = 30)
  two <- nearest_neighbors(x[1:2], 1, to = 30)
  expect_identical(unname(two$id), matrix(2:1))
  expect_identical(as.vector(two$dist), rep(as.vector(pdist(x[1:2], to = 30)), 2))
})

test_that("a radius includes what is exactly at it", {
  x <- pcf(as.list(rep(0, 4)), as.list(c(0, 1, 2, 4)))
  expect_identical(neighbors_within(x, 1, to = 1, count = TRUE), c(1, 2, 1, 0))
  expect_identical(neighbors_within(x, 0, to = 1, count = TRUE), c(0, 0, 0, 0))
  expect_identical(neighbors_within(x, 0, x, to = 1, count = TRUE), c(1, 1, 1, 1))
  expect_identical(neighbors_within(x, Inf, to = 1)$id[[2]], c(1L, 3L, 4L))
  expect_identical(neighbors_within(x[1], 5, to = 1)$id, list(integer()))
})

test_that("functions at an infinite distance come last", {
  x <- unname(pcf(list(0, c(0, 1), c(0, 2), 0, 0), list(1, c(2, 1), c(5, 0), 0, 3)))
  expect_neighbors(x, 4)
  near <- nearest_neighbors(x, 2)
  expect_identical(near$dist[5, ], c("1" = Inf, "2" = Inf))
  expect_identical(near$id[5, ], c("1" = 1L, "2" = 2L))
  expect_identical(lengths(neighbors_within(x, Inf)$id), rep(4L, 5))
  expect_warning(nearest_neighbors(x[c(1, 4, 5)], 1), class = "pcfdist_warning_infinite")
  expect_warning(nearest_neighbors(x[1], 1, x[5]), class = "pcfdist_warning_infinite")
  expect_no_warning(nearest_neighbors(x, 1))
})

test_apart("pairs without a distance are no neighbours", {
  x <- known_in_part(24, seed = 4)
  for (missing in c("overlap", "mean")) {
    for (p in c(1, 2, Inf)) {
      d <- pairs_of(x, p = p, from = 0, to = 4, missing = missing)
      k <- min(rowSums(!is.na(d)))
      expect_true(k > 3 && k < length(x) - 1)
      expect_neighbors(x, k, p = p, from = 0, to = 4, missing = missing, label = missing)
      expect_neighbors(x, k, x[5:9], p = p, from = 0, to = 4, missing = missing)
    }
  }
  apart <- pcf(list(a = c(-Inf, 1), b = c(-Inf, 2), c = c(0, 1), d = c(-Inf, 5)),
               list(c(NA, 1), c(NA, 3), c(2, NA), c(NA, 1)))
  error <- expect_error(nearest_neighbors(apart, 2, to = 9, missing = "overlap"),
                        class = "pcfdist_error_k")
  expect_identical(error$index, 3)
  expect_identical(error$known, 0L)
  expect_identical(unname(neighbors_within(apart, Inf, to = 9, missing = "overlap")$id[[3]]),
                   integer())
})

test_that("functions with a common gap are no neighbours in it", {
  x <- pcf(0:2, lapply(1:5, function(k) c(k, NA, k)))
  for (missing in c("overlap", "mean")) {
    expect_error(nearest_neighbors(x, 2, from = 1, to = 2, missing = missing),
                 class = "pcfdist_error_k")
    within <- neighbors_within(x, Inf, from = 1, to = 2, missing = missing)
    expect_identical(lengths(within$id), integer(5))
  }
  expect_neighbors(x, 2, from = 0, to = 9, missing = "mean")
})

test_apart("means are found block by block, with the bits of the matrix", {
  x <- known_in_part(20, seed = 9)
  x <- c(x, x[5])
  for (side in c(1, 4, 100)) {
    expect_neighbors(x, 5, from = 0, to = 4, missing = "mean", label = paste("side", side))
    with_settings(expect_neighbors(x, 5, from = 0, to = 4, missing = "mean"), block = side)
    run <- last_run()
    expect_identical(run$pairs, length(x) * (length(x) - 1) / 2)
    expect_gte(run$blocks, 1)
  }
  blocks <- with_settings(nearest_neighbors(x, 5, from = 0, to = 4, missing = "mean"), block = 7)
  expect_identical(blocks, nearest_neighbors(x, 5, from = 0, to = 4, missing = "mean"))
  endless <- c(x[1:4], pcf(c(-Inf, 3), c(NA, 2)))
  error <- with_settings(
    expect_error(nearest_neighbors(endless, 1, missing = "mean"), class = "pcfdist_error_missing"),
    block = 1
  )
  expect_identical(error$argument, "missing")
})

test_that("neighbours of a collection that grew are those of a whole call", {
  compared <- 0
  for (seed in 1:60) {
    set.seed(seed)
    count <- sample(4:90, 1)
    n <- sample(2:count, 1)
    gaps <- seed %% 3 == 0
    x <- if (gaps) random_partial_pcf(count, 12, seed) else if (seed %% 3 == 1) random_plf(count, 8, seed = seed)
         else random_pcf(count, 12, seed)
    if (seed %% 4 == 0) x <- x[sample(count, count, TRUE)] # ties
    k <- sample.int(min(4, n - 1), 1)
    of <- function(x, ...) {
      nearest_neighbors(x, k, p = c(1, 2, 3)[1 + seed %% 5 %% 3], to = 3, missing = if (gaps) "mean" else "error", ...,
                        precision = if (seed %% 7 == 0) "single")
    }
    with_settings(kernel = "sweep", prune = if (seed %% 2) "on" else "auto", code = {
      # In some, a function is observed too seldom for k neighbours.
      whole <- tryCatch(of(x), pcfdist_error = function(e) NULL)
      first <- tryCatch(of(x[seq_len(n)]), pcfdist_error = function(e) NULL)
      known <- !is.null(first) && !is.null(whole)
      if (known) expect_identical(of(x, update = first), whole)
      compared <- compared + known
      within <- function(x, ...) {
        neighbors_within(x, 1 + seed %% 3, to = 3, missing = if (gaps) "overlap" else "error", ...,
                         precision = if (seed %% 7 == 0) "single")
      }
      expect_identical(within(x, update = within(x[seq_len(n)])), within(x))
    })
  }
  expect_gt(compared, 30)
  x <- random_pcf(30)
  expect_identical(nearest_neighbors(x, 2, to = 2, update = nearest_neighbors(x, 5, to = 2)),
                   nearest_neighbors(x, 2, to = 2))
  arrays <- random_pcf(40)
  dim(arrays) <- c(20, 2)
  near <- nearest_neighbors(arrays[1:12, ], 3, to = 2, margin = 1)
  expect_identical(nearest_neighbors(arrays, 3, to = 2, margin = 1, update = near),
                   nearest_neighbors(arrays, 3, to = 2, margin = 1))
})

test_that("neighbours of another collection or call are no start", {
  x <- random_pcf(30)
  near <- nearest_neighbors(x[1:20], 3, to = 2)
  wrong <- function(message, ...) expect_error(nearest_neighbors(...), message, class = "pcfdist_error_update")
  wrong("must be a result of nearest_neighbors\\(\\) without `query`", x, 3, to = 2, update = 1)
  wrong("without `query`", x, 3, to = 2, update = nearest_neighbors(x, 3, x[1:4], to = 2))
  wrong("together with `query`", x, 3, x[1:4], to = 2, update = near)
  wrong("is of 20 functions, but `x` has only 19", x[1:19], 3, to = 2, update = near)
  wrong("has 3 neighbours of each function, and `k` is 4", x, 4, to = 2, update = near)
  wrong("same distance", x, 3, p = 2, to = 2, update = near)
  wrong("with the same arguments, but function 1 is at distance", x, 3, to = 1, update = near)
  wrong("but function 1 is at distance", x[30:1], 3, to = 2, update = near)
  near$id[] <- 21L
  wrong("for the first functions of `x`", x, 3, to = 2, update = near)
  within <- neighbors_within(x[1:20], 0.5, to = 2)
  wrong <- function(message, ...) expect_error(neighbors_within(...), message, class = "pcfdist_error_update")
  wrong("must be a result of neighbors_within\\(\\) without `query`", x, 0.5, to = 2, update = near)
  wrong("of the same radius: it is of 0.5, and `radius` is 0.6", x, 0.6, to = 2, update = within)
  wrong("together with `count`", x, 0.5, to = 2, count = TRUE, update = within)
  wrong("together with `query`", x, 0.5, x, to = 2, update = within)
  wrong("is at distance", x, 0.5, to = 1, update = within)
  within$id[[3]] <- "a"
  wrong("must be a result", x, 0.5, to = 2, update = within)
})

test_that("neighbours have names, and the fields of dbscan", {
  x <- example_pcf()
  near <- nearest_neighbors(x, 1, to = 6)
  expect_s3_class(near, c("kNN", "NN"), exact = TRUE)
  expect_named(near, c("dist", "id", "k", "sort", "metric", "p"))
  expect_identical(near$id, matrix(2:1, 2, dimnames = list(c("a", "b"), "1")))
  expect_identical(dimnames(near$dist), list(c("a", "b"), "1"))
  expect_identical(near[c("k", "sort", "metric", "p")],
                   list(k = 1L, sort = TRUE, metric = "L1", p = 1))
  expect_identical(nearest_neighbors(x, 1, p = Inf, to = 6)$metric, "Linf")
  expect_identical(nearest_neighbors(unname(x), 1, x["b"], to = 6)$searched, 2L)
  expect_identical(rownames(nearest_neighbors(unname(x), 1, x["b"], to = 6)$id), "b")
  expect_null(rownames(nearest_neighbors(unname(x), 1, to = 6)$id))

  within <- neighbors_within(x, 100, to = 6)
  expect_s3_class(within, c("frNN", "NN"), exact = TRUE)
  expect_named(within, c("dist", "id", "eps", "sort", "metric", "p"))
  expect_identical(within$id, list(a = 2L, b = 1L))
  expect_named(within$dist, c("a", "b"))
  expect_identical(within$eps, 100)
  expect_identical(neighbors_within(x, 100, to = 6, count = TRUE), c(a = 1, b = 1))

  array <- structure(rep(unname(x), 2), dim = c(2L, 2L), dimnames = list(c("a", "b"), NULL))
  near <- nearest_neighbors(array, 1, to = 6)
  expect_identical(rownames(near$id), c("a, 1", "b, 1", "a, 2", "b, 2"))
  counts <- neighbors_within(array, 0, to = 6, count = TRUE)
  expect_identical(counts, matrix(1, 2, 2, dimnames = list(c("a", "b"), NULL)))
})

test_that("no functions have no neighbours", {
  x <- example_pcf()
  none <- nearest_neighbors(x, 2, x[0], to = 6)
  expect_identical(dim(none$id), c(0L, 2L))
  expect_type(none$id, "integer")
  expect_identical(dim(none$dist), c(0L, 2L))
  for (missing in c("error", "mean")) {
    expect_identical(unname(neighbors_within(x, 2, x[0], to = 6, missing = missing)$id), list())
    empty <- neighbors_within(x[0], 2, x, from = 0, to = 6, missing = missing)
    expect_identical(unname(empty$id), list(integer(), integer()))
    expect_identical(empty$dist, list(a = double(), b = double()))
    expect_identical(neighbors_within(x[0], 2, x, from = 0, to = 6, missing = missing,
                                      count = TRUE), c(a = 0, b = 0))
  }
  expect_identical(unname(neighbors_within(x[0], 2)$id), list())
  broken <- structure(list(1), class = "pcf")
  expect_error(nearest_neighbors(broken, 1, x[0]), class = "pcfdist_error_x")
})

test_that("times have a unit, and windows a weight", {
  x <- unname(random_pcf(20, 9))
  dated <- x
  time_unit(dated) <- "Date"
  expect_identical(nearest_neighbors(dated, 3, to = as.Date("1970-01-05")),
                   nearest_neighbors(x, 3, to = 4))
  expect_identical(neighbors_within(dated, 2, to = as.Date("1970-01-05")),
                   neighbors_within(x, 2, to = 4))
  weight <- pcf(c(0, 1, 3), c(1, 0.25, 2))
  expect_neighbors(x, 4, to = 9, weight = weight)
  expect_neighbors(x, 4, x[3:5], p = 2, to = 9, weight = weight)
  expect_neighbors(x, 4, from = 0, to = 9, weight = weight, missing = "mean")
  nowhere <- nearest_neighbors(x, 2, from = 0, to = 1, weight = pcf(5, 1))
  expect_identical(unname(nowhere$id[1:3, ]), rbind(2:3, c(1L, 3L), 1:2))
})

test_that("all devices find the same neighbours", {
  x <- unname(c(paper_pcf(60, 50), tied_pcf(20)))
  for (device in test_devices()) {
    near <- nearest_neighbors(x, 5, p = 2, to = 1, device = device)
    expected <- nearest_neighbors(x, 5, p = 2, to = 1, device = "cpu")
    expect_equal(near$dist, expected$dist, tolerance = 1e-12)
  }
})

test_that("neighbours print in a few lines", {
  x <- unname(pcf(as.list(rep(0, 5)), as.list(c(0, 1, 2, 4, 8))))
  of_one <- nearest_neighbors(x, 1, x[2], p = 1.7, to = 1)
  none <- x[0]
  expect_snapshot({
    pcfdist:::print.NN(nearest_neighbors(x, 3L, to = 1L))
    pcfdist:::print.NN(of_one)
    pcfdist:::print.NN(nearest_neighbors(x, 1L, none, to = 1L))
    pcfdist:::print.NN(neighbors_within(x, 2L, to = 1L))
    pcfdist:::print.NN(neighbors_within(x, 2L, none, to = 1L))
  })
  skip_if("dbscan" %in% loadedNamespaces(), "dbscan is loaded and prints for itself")
  expect_output(print(nearest_neighbors(x, 3, to = 1)), "3 nearest neighbours of 5 functions")
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  gap <- c(x, pcf(c(-Inf, 1), c(NA, 2)))
  dated <- x
  time_unit(dated) <- "Date"
  refused(nearest_neighbors(1, 1), "x", "must be a <pcf>, not 1. ", makes_pcf)
  refused(nearest_neighbors(x), "k", "is missing: the number of neighbours.")
  refused(nearest_neighbors(x, 0), "k", "must be a whole number of at least 1, not 0.")
  refused(nearest_neighbors(x, 1.5), "k", "must be a whole number of at least 1, not 1.5.")
  refused(nearest_neighbors(x, 2), "k", "must be at most 1, the number of other functions, not 2.")
  refused(nearest_neighbors(x, 3, x), "k", "must be at most 2, the number of functions of `x`, not 3.")
  refused(nearest_neighbors(x[1], 1), "x", "must have at least two functions for neighbours.")
  refused(nearest_neighbors(x[0], 1), "x", "must have at least two functions for neighbours.")
  refused(nearest_neighbors(x, 1, 3), "query", "must be a <pcf>, not 3. ", makes_pcf)
  refused(nearest_neighbors(x, 1, dated), "x",
          "has plain numbers as times, but `query` has dates. They cannot be combined. ", sets_unit)
  refused(nearest_neighbors(x, 1, p = 0), "p", "must be a number of at least 1, or Inf, not 0.")
  refused(nearest_neighbors(x, 1, from = 2, to = 1), "from", "must be at most `to`: 2 is greater than 1.")
  refused(nearest_neighbors(x, 1, missing = "none"), "missing",
          'must be one of "error", "overlap", "mean", not "none".')
  refused(nearest_neighbors(x, 1, weight = 3), "weight", "must be a <pcf>, not 3. ", makes_pcf)
  refused(nearest_neighbors(gap, 2, from = -1, to = 0.5, missing = "overlap"), "k", 'is 2, but function 1 ("a") has a ',
          "known distance to only 1 other function. The others are never observed at the same time in the window.",
          fewer)
  refused(nearest_neighbors(x, 2, gap, from = -1, to = 0.5, missing = "mean"), "k",
          "is 2, but function 3 of `query` has a known distance to only 0 functions of `x`. The others are never ",
          "observed at the same time in the window.", fewer)
  expect_refusal(nearest_neighbors(gap, 1, missing = "mean"), "missing",
                 endless_mean, 'function 1 ("a")', hold_for_ever(5))
  refused(neighbors_within(x), "radius", "is missing: it must be a number of at least 0.")
  refused(neighbors_within(x, -1), "radius", "must be at least 0, not -1.")
  refused(neighbors_within(x, NA), "radius", "must be a number, not NA.")
  refused(neighbors_within(dated, as.difftime(1, units = "days")), "radius",
          "must be a number, not an object of class <difftime> of length 1.")
  refused(neighbors_within(x, 1, count = NA), "count", "must be TRUE or FALSE, not NA.")
  refused(neighbors_within(x, 1, list()), "query", "must be a <pcf>, not a list of length 0. ", makes_pcf)
})

test_apart("means over overlaps with few digits in single precision are not left out", {
  x <- pcf(list(c(-Inf, 0, 500.01), c(-Inf, 500, 1000), c(-Inf, 0, 400)), lapply(c(1, 3, 5), function(v) c(NA, v, NA)))
  for (x in list(x, as_plf(x))) {
    all_of <- function(f, ...) f(x, ..., missing = "mean", precision = "single")
    expect_equal(c(all_of(pdist)), c(2, 4, NA))
    expect_identical(c(all_of(nearest_neighbors, 1)$id), c(2L, 1L, 1L))
    expect_identical(c(all_of(neighbors_within, 3, count = TRUE)), c(1, 1, 0))
    expect_equal(all_of(reduce_distances, with = "max"), c(4, 2, 4))
    expect_equal(spanning_tree(x, missing = "mean", precision = "single")$height, c(2, 4))
  }
})

test_apart("pairs that share less than min_overlap are no neighbours", {
  for (seed in 1:3) for (missing in c("overlap", "mean")) for (p in c(1, Inf)) for (lines in c(FALSE, TRUE)) {
    x <- if (lines) random_plf(16, gaps = 0.2, seed = seed) else known_in_part(16, seed = seed)
    arguments <- list(p = p, from = 0, to = 4, missing = missing, min_overlap = 1.5)
    for (query in list(NULL, x[3:8])) {
      d <- unname(do.call(cdist, c(list(query %||% x, x), arguments)))
      if (is.null(query)) diag(d) <- NA
      k <- min(rowSums(!is.na(d)))
      if (k > 0) {
        expected <- nearest_oracle(d, k)
        found <- do.call(nearest_neighbors, c(list(x, k, query), arguments))
        expect_identical(unname(found$id), expected$id)
        expect_identical(unname(found$dist), expected$dist)
        expect_s3_class(found, "kNN")
        with_settings(expect_identical(do.call(nearest_neighbors, c(list(x, k, query), arguments)), found), block = 5)
      }
      radius <- stats::median(d, na.rm = TRUE)
      expected <- within_oracle(d, radius)
      found <- do.call(neighbors_within, c(list(x, radius, query), arguments))
      expect_identical(unname(found$id), expected$id)
      expect_identical(unname(found$dist), expected$dist)
      with_settings(expect_identical(do.call(neighbors_within, c(list(x, radius, query), arguments)), found), block = 5)
      counts <- do.call(neighbors_within, c(list(x, radius, query, count = TRUE), arguments))
      expect_identical(as.vector(counts), as.double(lengths(expected$id)))
    }
  }
  y <- pcf(list(c(-Inf, 0, 4), c(-Inf, 0, 3), c(-Inf, 3, 4)), rep(list(c(NA, 1, NA)), 3))
  expect_identical(c(nearest_neighbors(y[1:2], 1, missing = "mean", min_overlap = 3)$id), 2:1)
  refused(nearest_neighbors(y, 1, missing = "mean", min_overlap = 2), "k",
          "is 1, but function 3 has a known distance to only 0 other functions. The others share less than ",
          "`min_overlap` in the window.", fewer)
  m <- array(y[c(1, 2, 1, 2)], c(2, 2))
  expect_identical(c(nearest_neighbors(m, 1, to = 9, missing = "mean", margin = 1, min_overlap = 6)$id), 2:1)
  expect_identical(lengths(neighbors_within(m, 1, to = 9, missing = "mean", margin = 1, min_overlap = 7)$id), c(0L, 0L))
  expect_identical(dim(nearest_neighbors(y, 1, y[0], missing = "overlap", min_overlap = 7)$id), c(0L, 1L))
  expect_identical(lengths(neighbors_within(y[0], 1, missing = "mean", min_overlap = 7)$id), integer())
})
