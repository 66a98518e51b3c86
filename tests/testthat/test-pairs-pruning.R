# Groups of functions that are far apart, in turns: the noise within a group is small.
grouped_pcf <- function(n, groups = 5, most = 30, seed = 1) {
  with_seed(seed, {
    lengths <- sample(5:most, n, replace = TRUE)
    times <- lapply(lengths, function(m) c(0, sort(runif(m - 2)), 1))
    pcf(times, lapply(seq_len(n), function(i) {
      c(10 * cos(3 * i %% groups + times[[i]][-lengths[i]]) + rnorm(lengths[i] - 1) / 10, 0)
    }))
  })
}

on_cpu <- function(call, prune) with_settings(call, prune = prune, device = "cpu")

# The call, which has the same value with and without pruning, bit for bit; returns what was
# left out.
expect_same_pruned <- function(call, label = "") {
  call <- substitute(call)
  frame <- parent.frame()
  off <- on_cpu(eval(call, frame), "off")
  expect_null(last_run()$pruned, label = label)
  on <- on_cpu(eval(call, frame), "on")
  expect_identical(on, off, label = label)
  last_run()$pruned
}

# Also where the package could use a GPU.
test_that("pruning is for the device that is chosen", {
  x <- grouped_pcf(300)
  off <- on_cpu(nearest_neighbors(x, 5), "off")
  on <- with_settings(nearest_neighbors(x, 5), prune = "on", device = "auto")
  expect_identical(on, off) # too little for a GPU to be asked
  expect_gt(last_run()$pruned$tiles, 10)
})

test_that("pruning changes no bit of neighbours, and leaves out most", {
  x <- grouped_pcf(300)
  query <- grouped_pcf(150, seed = 2)
  for (p in c(1, 2, 1.7, 3, 40, Inf)) {
    for (precision in c("double", "single")) {
      label <- paste("p", p, precision)
      pruned <- expect_same_pruned(nearest_neighbors(x, 5, p = p, precision = precision), label)
      expect_gt(pruned$pairs, if (p == 40 && precision == "single") -1 else 300^2 / 8)
      pruned <- expect_same_pruned(
        nearest_neighbors(x, 5, query, p = p, precision = precision), label
      )
      expect_gt(pruned$tiles, if (p == 40 && precision == "single") -1 else 10)
    }
  }
})

test_that("groups that take turns are sampled alike", {
  skip_on_cran()
  # Three groups at times of their own; in each, functions are near if they begin at about the same time.
  n <- 4200
  begin <- with_seed(1, 100 * (1:n %% 3) + runif(n, 0, 50))
  x <- shift_time(pcf(lapply(1:n, function(i) 0:1), rep(list(1:0), n)), begin)
  with_settings(nearest_neighbors(x, 2), prune = "on", device = "cpu")
  expect_gt(last_run()$pruned$pairs, 0.93 * n * (n - 1) / 2)
})

test_that("pruning changes no bit of lists, counts, extremes and trees", {
  x <- grouped_pcf(250)
  for (radius in c(0, 0.05, 0.5, 20)) {
    pruned <- expect_same_pruned(neighbors_within(x, radius), paste("within", radius))
    expect_equal(pruned$pairs > 0, radius < 20)
    expect_same_pruned(neighbors_within(x, radius, count = TRUE), paste("count", radius))
  }
  for (with in c("min", "which.min", "max", "which.max")) {
    expect_same_pruned(reduce_distances(x, with = with), with)
  }
  tree <- function(...) {
    tree <- spanning_tree(x, ...)
    tree$call <- NULL
    tree
  }
  expect_same_pruned(tree())
  expect_same_pruned(tree(k = 4))
})

test_that("trees of clusters are the same, whose passes look for pairs of components", {
  tree <- function(x, ...) spanning_tree(x, ...)[c("merge", "height", "order", "edges", "core")]
  for (groups in c(2, 5, 40)) {
    x <- grouped_pcf(40 * groups, groups, seed = groups)
    x <- c(x, x[c(1:20, 1:20)]) # some are there several times
    expect_same_pruned(tree(x))
    pruned <- expect_same_pruned(tree(x, k = 3, p = 2, precision = "single"))
    if (groups == 5) expect_gt(pruned$tiles, 0)
  }
  x <- grouped_pcf(800, 5)
  settings <- with_settings(run_settings("cpu", NULL, NULL, NULL), prune = "on")
  select <- function(...) run_selection(x, NULL, request_of(NULL), settings, list(kind = "nearest", ...))
  label <- rep(1:5, 160)
  near <- select(k = 4, label = label)$value
  joined <- select(k = 4, label = label, guess = TRUE)$value
  expect_identical(joined$distance, ifelse(near$distance <= joined$farthest, near$distance, NA))
  expect_identical(is.na(joined$id), is.na(joined$distance))
  expect_setequal(label[!is.na(joined$id[, 1])], 1:5)
  expect_lt(mean(!is.na(joined$id)), 0.7)
})

test_that("functions that are alike or known in part come out the same", {
  same <- rep(grouped_pcf(1), 70)
  expect_same_pruned(nearest_neighbors(same, 3))
  zero <- pcf(as.list(rep(0, 40)), as.list(rep(0, 40)))
  expect_same_pruned(nearest_neighbors(zero, 3))
  x <- random_partial_pcf(60, seed = 1)
  expect_same_pruned(neighbors_within(x, 0.5, missing = "overlap", from = 0, to = 2))
  expect_same_pruned(neighbors_within(x, 0.5, missing = "mean", from = 0, to = 2))
})

test_that("numbers of all magnitudes come out the same", {
  x <- grouped_pcf(120)
  scaled <- function(time, value) {
    pcf(lapply(unclass(x), function(f) f[, 1] * time),
        lapply(unclass(x), function(f) f[, 2] * value))
  }
  for (time in c(1e-300, 1e-100, 1e100)) {
    for (value in c(1e-310, 1e-30, 1e200)) {
      y <- scaled(time, value)
      expect_same_pruned(maybe_infinite(nearest_neighbors(y, 3)), paste(time, value))
      expect_same_pruned(maybe_infinite(nearest_neighbors(y, 3, p = 2)), paste(time, value))
    }
  }
  far <- pcf(lapply(unclass(x), function(f) f[, 1]),
             lapply(unclass(x), function(f) c(f[-nrow(f), 2] + 1e8, 0)))
  expect_gt(expect_same_pruned(nearest_neighbors(far, 3))$pairs, 1000)
})

test_that("the pieces of a weight are rounded in single precision, as times are", {
  near <- floor(3.9 * 2^22) / 2^22
  weight <- pcf(c(2.9, near + 0.49 * 2^-22), c(16, 0.16))
  short <- function(sign) {
    pcf(rep(list(c(2.9, near - 2^-16, near + 2^-16)), 32), lapply(1:32, function(i) c(0, sign * (1 + i / 1e4), 0)))
  }
  wide <- pcf(rep(list(c(2.9, 3.3, 3.6, 3.99)), 320), lapply(1:320, function(i) c(sin(i), cos(i), sin(2 * i), 0) / 1e7))
  x <- c(short(1), wide)
  y <- c(short(-1), wide)
  with_settings(kernel = "sweep", {
    calls <- function(f, ...) f(..., from = 2.9, to = 4, weight = weight, precision = "single")
    radius <- calls(cdist, x, y)[1]
    expect_same_pruned(calls(neighbors_within, y, radius, x))
  })
})

test_that("the plan prunes where it pays, and tells so", {
  groups <- grouped_pcf(2000, 20, 400)
  near <- on_cpu(nearest_neighbors(groups, 5), "auto")
  run <- last_run()
  expect_gt(run$pruned$pairs, 0.5 * run$pairs)
  expect_lt(run$pruned$expected, 0.5)
  expect_match(format(run), "skipped: [^ ]+ pairs, including [^ ]+ whole tiles", all = FALSE)
  noise <- paper_pcf(1000, 900)
  near <- on_cpu(nearest_neighbors(noise, 5), "auto")
  expect_equal(last_run()$pruned$pairs %||% 0, 0)
  expect_false(any(grepl("skipped", format(last_run()))))
  d <- pdist(groups[1:10])
  expect_null(last_run()$pruned)
  expect_named(last_run(), c(setdiff(names(pcf_plan(groups[1:10])), "bytes"), "blocks", "halvings", "phases",
                             "timeline", "pruned"))
})

test_that("the option is checked", {
  refused(with_settings(nearest_neighbors(grouped_pcf(4), 1), prune = "no"), "pcfdist.prune",
          'must be one of "auto", "on", "off", not "no".')
})

test_that("pairs of distributions are skipped for any exponent", {
  for (sizes in list(rep(30, 300), with_seed(1, sample(20:40, 300, TRUE)))) {
    x <- with_seed(2, distribution(lapply(sizes, function(m) rnorm(m, 20 * runif(1)))))
    for (p in c(1, 2, 3)) {
      label <- paste(sizes[2], p)
      near <- function(...) nearest_neighbors(x, 3, p = p, distance = "wasserstein", ...)[c("id", "dist")]
      expect_gt(expect_same_pruned(near(), label)$pairs, 300^2 / 8)
      expect_gt(expect_same_pruned(near(missing = "overlap"), label)$pairs, 300^2 / 8)
      expect_gt(expect_same_pruned(near(to = 0.9), label)$pairs, 300^2 / 8)
      expect_same_pruned(near(missing = "mean"), label)
    }
  }
})
