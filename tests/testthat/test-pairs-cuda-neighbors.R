# Selections on the CUDA device: what order() finds in the matrix of that device, to the bit.
# test_devices() says where they are tested.

on_cuda <- function(code, ...) {
  with_settings(code, device = "cuda", ...)
  expect_identical(last_run()$device, "cuda")
}

# Blocks are so small that there are many; the first ones come back whole, the others filtered.
test_that("neighbours on the CUDA device are those of its matrix", {
  skip_without_cuda()
  kinds <- lapply(kinds_of_pcf(300), unname)
  for (kind in names(kinds)) for (kernel in c("sweep", "grid", "split")) {
    x <- kinds[[kind]]
    for (precision in c("double", "single")) for (p in c(1, 2.7, Inf)) {
      label <- paste(kind, kernel, precision, "p", p)
      compare <- function(...) {
        on_cuda(expect_neighbors(x, ..., p = p, precision = precision, share = 0.02,
                                 label = label),
                kernel = kernel, block = 64)
      }
      compare(3)
      compare(3, x[c(200:280, 5)])
      compare(2, to = 2)
    }
  }
})

test_apart("neighbours of functions known in part are those of the matrix of the CUDA device", {
  skip_without_cuda()
  x <- unname(random_partial_pcf(300))
  x <- x[integral(observed(x), 0, 4) > 0]
  for (kernel in c("sweep", "grid", "split")) for (missing in c("overlap", "mean")) for (least in list(NULL, 0.5)) {
    compare <- function(...) {
      on_cuda(expect_neighbors(x, ..., from = 0, to = 4, missing = missing, min_overlap = least, share = 0.02,
                               label = paste(kernel, missing)),
              kernel = kernel, block = 64)
    }
    known <- pairs_of(x, from = 0, to = 4, missing = missing, min_overlap = least)
    x <- x[rowSums(!is.na(known)) > 0]
    k <- min(rowSums(!is.na(pairs_of(x, from = 0, to = 4, missing = missing, min_overlap = least))), 3)
    compare(k)
    compare(k, x[50:70])
  }
})

# The sums of the long ones are flushed, and those of slices added up, before they are filtered.
test_that("the neighbours of long functions are those of the matrix of the CUDA device", {
  skip_without_cuda()
  x <- unname(paper_pcf(150, 3000))
  for (kernel in c("sweep", "split")) for (precision in c("double", "single")) {
    on_cuda(expect_neighbors(x, 3, precision = precision, share = 0.02), kernel = kernel,
            block = 64)
  }
})

# More of a block than comes back at once, and more than there is room for.
test_that("many neighbours on the CUDA device are those of its matrix", {
  skip_without_cuda()
  x <- unname(paper_pcf(1500, 30))
  for (precision in c("double", "single")) {
    for (block in c(256, 512, 4096)) {
      for (k in c(1, 15, 200)) {
        on_cuda(expect_neighbors(x, k, precision = precision, share = k / 1500), block = block)
      }
    }
  }
})

# Of levels that are far apart, so that bounds leave out tiles.
test_that("neighbours by bounds on the CUDA device are those of its matrix", {
  skip_without_cuda()
  x <- unname(c(paper_pcf(400, 20) + rep(c(0, 40, 80, 120), 100), tied_pcf(100)))
  for (precision in c("double", "single")) for (p in 1:2) for (block in c(64, 0)) {
    on_cuda({
      expect_neighbors(x, 4, p = p, from = 0, to = 1, precision = precision, share = 0.02)
      nearest_neighbors(x, 4, p = p, from = 0, to = 1, precision = precision)
    }, prune = "on", kernel = "sweep", block = block)
    expect_gt(last_run()$pruned$tiles, 10)
  }
})

test_that("\"auto\" uses bounds on the CUDA device", {
  skip_without_cuda()
  x <- unname(paper_pcf(20000, 40) + rep(c(0, 40, 80, 120), 5000))
  asked <- function(...) with_settings(nearest_neighbors(x, 4), ..., kernel = "sweep", threads = 1)
  off <- asked(prune = "off", device = "cuda")
  expect_identical(asked(prune = "on", device = "auto"), off)
  expect_identical(last_run()$device, "cuda")
  expect_gt(last_run()$pruned$tiles, 1000)
})

test_that("queries and trees by bounds on the CUDA device are those of all pairs", {
  skip_without_cuda()
  x <- unname(c(paper_pcf(400, 20) + rep(c(0, 40, 80, 120), 100), tied_pcf(100)))
  for (precision in c("double", "single")) for (p in 1:2) {
    asked <- list(
      near = function() nearest_neighbors(x, 4, x[1:90], p = p, from = 0, to = 1, precision = precision),
      within = function() neighbors_within(x, 0.5, x[1:90], p = p, from = 0, to = 1, precision = precision),
      tree = function() spanning_tree(x, p = p, from = 0, to = 1, precision = precision),
      reach = function() spanning_tree(x, k = 3, p = p, from = 0, to = 1, precision = precision)
    )
    for (call in names(asked)) {
      off <- on_cuda(asked[[call]](), prune = "off", kernel = "sweep")
      expect_identical(on_cuda(asked[[call]](), prune = "on", kernel = "sweep"), off, label = call)
      expect_gt(last_run()$pruned$tiles, 10, label = call)
    }
  }
})

test_that("the largest distances on the CUDA device are those of its matrix", {
  skip_without_cuda()
  x <- unname(c(paper_pcf(300, 30), tied_pcf(100)))
  for (precision in c("double", "single")) for (y in list(NULL, x[1:90])) {
    with_settings({
      d <- maybe_infinite(pairs_of(if (is.null(y)) x else y, if (!is.null(y)) x,
                                   precision = precision))
      reduced <- function(with) {
        maybe_infinite(reduce_distances(x, y, with, precision = precision))
      }
      expect_identical(reduced("max"), apply(d, 1, max, na.rm = TRUE))
      expect_identical(reduced("min"), apply(d, 1, min, na.rm = TRUE))
      expect_identical(as.integer(reduced("which.max")), apply(d, 1, which.max))
      expect_identical(as.integer(reduced("which.min")), apply(d, 1, which.min))
    }, device = "cuda", block = 64)
  }
})

test_that("neighbours do not depend on blocks, GPUs, or what fits on the CUDA device", {
  skip_without_cuda()
  x <- unname(paper_pcf(900, 100))
  near <- function(...) {
    with_settings(list(nearest_neighbors(x, 7), neighbors_within(x, 0.3, x[1:400])),
                  device = "cuda", ...)
  }
  expected <- near()
  expect_identical(near(block = 64), expected)
  expect_identical(near(block = 64, gpus = 1), expected)
  expect_identical(near(block = 128, gpu_memory = 16e6), expected)
  expect_identical(near(timeline = TRUE, block = 128), expected)
  expect_gt(nrow(last_run()$timeline), 10)
})
