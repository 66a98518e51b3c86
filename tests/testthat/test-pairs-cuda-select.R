# Selections of pairs on the CUDA device, where test_devices() has one: they are those of its
# matrix, bit by bit. The matrix is found, and sorted, once for all selections.

expect_selected_on_cuda <- function(x, y, selections, p = 1, precision = "double", from = -Inf,
                                    to = Inf, missing = "error") {
  settings <- pcfdist:::run_settings("cuda", precision, 4, FALSE)
  request <- request_of(y, p, from, to, missing)
  expected <- selections_by_matrix(x, y, request, settings, selections)
  for (k in seq_along(selections)) {
    answer <- pcfdist:::run_selection(x, y, request, settings, selections[[k]])
    expect_identical(answer$report$device, "cuda")
    expect_identical(answer$value, expected[[k]])
  }
}

# Lists of up to 32, 64 and 128 are the device's, longer ones the host's.
some_selections <- list(
  list(kind = "nearest", k = 3), list(kind = "nearest", k = 60), list(kind = "nearest", k = 128),
  list(kind = "nearest", k = 129), list(kind = "farthest", k = 2),
  list(kind = "within", radius = 1.5), list(kind = "count", radius = 2.5)
)

test_that("selections on the CUDA device are those of its matrix", {
  skip_without_cuda()
  set.seed(81)
  for (x in list(rpcf(700), tied_functions(700), rpcf(1500, 5))) {
    y <- x[1:333]
    for (precision in c("single", "double")) {
      for (p in c(1, 2, 1.7, Inf)) expect_selected_on_cuda(x, NULL, some_selections, p, precision)
      expect_selected_on_cuda(x, y, some_selections, 1, precision)
      expect_selected_on_cuda(y, x, some_selections, 2, precision)
    }
  }
})

test_that("neither blocks nor GPUs nor methods nor streaming show in selections", {
  skip_without_cuda()
  set.seed(82)
  x <- rpcf(900, 20:60)
  long <- paper_pcf(700, longest = 300)
  grid <- pcf(rep(list(0:40), 900), lapply(1:900, function(i) c(rnorm(40), 0)))
  for (block in c(64, 128, 512)) {
    with_settings(expect_selected_on_cuda(x, NULL, some_selections), block = block)
  }
  with_settings(expect_selected_on_cuda(x, NULL, some_selections), gpus = 1)
  for (kernel in c("sweep", "split")) {
    with_settings(expect_selected_on_cuda(x, NULL, some_selections, 2), kernel = kernel)
  }
  with_settings(expect_selected_on_cuda(grid, NULL, some_selections, 2), kernel = "grid")
  expect_selected_on_cuda(x, NULL, some_selections, from = 0.1, to = 0.4)
  with_settings(
    expect_selected_on_cuda(long, NULL, some_selections), gpu_memory = 16e6, block = 128
  )
})

test_that("labels, least distances and infinities are those of the matrix", {
  skip_without_cuda()
  set.seed(83)
  x <- rpcf(400)
  ends <- map_pcf(x, values = function(v) replace(v, length(v), sample(0:1, 1)))
  gaps <- map_pcf(x, values = function(v) replace(v, sample(length(v), 3), NA))
  label <- sample(5L, 400, TRUE)
  least <- runif(400, 0, 20)
  expect_selected_on_cuda(ends, NULL, some_selections)
  for (p in c(1, 2, Inf)) {
    expect_selected_on_cuda(gaps, NULL, some_selections, p, missing = "overlap")
  }
  near <- Filter(function(selection) selection$kind != "farthest", some_selections)
  expect_selected_on_cuda(x, NULL, lapply(near, c, list(label = label, least = least)))
  expect_selected_on_cuda(x, NULL, lapply(near, c, list(label = label)))
})

# Each function is nearer to the next ones than to those before, so that every block has much that
# is new: more than waits, and the device looks through whole rows and columns.
test_that("lists are right where every block has much that is new", {
  skip_without_cuda()
  steps <- function(heights) pcf(rep(list(c(0, 1)), length(heights)), lapply(heights, c, 0))
  falling <- steps(2^-(seq_len(1500) / 4))
  equal <- steps(rep(1:2, 750))
  lists <- function(kind) lapply(c(1, 15, 32, 33, 128), function(k) list(kind = kind, k = k))
  for (x in list(falling, falling[1500:1], equal)) {
    for (precision in c("single", "double")) {
      both <- c(lists("nearest"), lists("farthest"))
      with_settings(expect_selected_on_cuda(x, NULL, both, precision = precision), block = 128)
    }
    expect_selected_on_cuda(x, NULL, lists("nearest"))
    expect_selected_on_cuda(x, x[c(3, 700)], list(list(kind = "nearest", k = 2)))
    expect_selected_on_cuda(x[c(3, 700)], x, lists("nearest"))
  }
})

# Lists of all but one other, and of functions that have fewer than k others at a known distance.
test_that("lists that are not filled are right", {
  skip_without_cuda()
  set.seed(84)
  for (n in c(2, 33, 65, 129)) {
    ends <- list(list(kind = "nearest", k = n - 1), list(kind = "farthest", k = n - 1))
    expect_selected_on_cuda(rpcf(n), NULL, ends)
  }
  apart <- pcf(lapply(c(0, 0, 5, 0.5), function(t) c(-Inf, t, t + 1)), rep(list(c(NA, 1, NA)), 4))
  found <- lapply(c("cpu", "cuda"), function(device) {
    settings <- pcfdist:::run_settings(device, "double", 4, FALSE)
    request <- request_of(NULL, 1, missing = "overlap")
    pcfdist:::run_selection(apart, NULL, request, settings, list(kind = "nearest", k = 3))$value
  })
  expect_identical(found[[2]], found[[1]])
  expect_identical(rowSums(is.na(found[[1]]$id)), c(1, 1, 3, 1))
})
