test_that("the plan says what it is about", {
  x <- pcf(list(c(0, 1), c(0, 0.3, 2), 5), list(c(1, 0), c(2, 1, 0), 1))
  baseline <- tail(instruction_sets(), 1)
  plan <- with_settings(pcf_plan(x, threads = 1), isa = baseline, tile = 32)
  expect_s3_class(plan, "pcf_plan")
  expect_named(plan, c(
    "device", "kernel", "isa", "precision", "threads", "width", "pairs", "rectangles",
    "grid_points", "expected", "cuda_problem", "bytes"
  ))
  expected <- list(
    device = "cpu", isa = baseline, precision = "double", threads = 1L, pairs = 3, rectangles = 12
  )
  expect_identical(unclass(plan)[names(expected)], expected)
  expect_named(plan$expected, c(kernels, "lookup", "events", "cuda"))
  expect_identical(pcf_plan(x, x[1:2])$pairs, 6)
  expect_identical(plan$bytes, 24)
  expect_identical(pcf_plan(x, x[1:2])$bytes, 48)
  expect_null(pcf_plan(x, b = 1:3)$bytes)
  many <- pcf(0, 0)[rep(1, 1000)]
  expect_match(format(pcf_plan(many)), "size of the result: 3\\.996 MB", all = FALSE)
  expect_identical(pcf_plan(x, precision = "single")$precision, "single")
  expect_identical(pcf_plan(x, p = Inf, precision = "single")$precision, "double")
})

test_that("a result that is larger than the memory is refused before it is computed", {
  skip_if_not(file.exists("/proc/meminfo"), "the available memory is not known")
  many <- pcf(c(0, 1), c(1, 0))[rep(1, 1e6)]
  for (call in list(quote(pdist(many)), quote(cdist(many, many)), quote(l2_kernel(many)))) {
    error <- expect_error(eval(call), class = "pcfdist_error_memory")
    bytes <- if (identical(call[[1]], quote(pdist))) "3999\\.996 GB" else "8000\\.000 GB"
    expect_match(conditionMessage(error), paste0("takes ", bytes, ", but only .* available\\. `file` writes"))
  }
})

test_that("the shared grid is counted within the window", {
  x <- gridded_pcf(100, 30)
  expect_identical(pcf_plan(x)$grid_points, 30)
  expect_lt(pcf_plan(x, from = 0.4, to = 0.6)$grid_points, 30)
  expect_identical(with_settings(pcf_plan(random_pcf(3)), kernel = "sweep")$grid_points, 0)
})

# 200 functions have too many pairs for being few.
test_that("sums without pairs are planned like others", {
  x <- paper_pcf(200, 20)
  b <- rep(1, 200)
  plan <- pcf_plan(x, b = b, threads = 2, device = "cpu")
  expect_setequal(names(which(plan$expected < Inf)), c("sweep", "walk", "events"))
  expect_identical(plan$kernel, names(which.min(plan$expected)))
  expect_identical(plan$pairs, 200 * 201 / 2)
  expect_identical(with_settings(pcf_plan(x, b = b), kernel = "events")$kernel, "events")
  expect_identical(pcf_plan(x)$expected[["events"]], Inf)
  impossible <- list(
    pcf_plan(x, b = b, p = 3),
    pcf_plan(x, b = b, precision = "single"), pcf_plan(x[1:90], b = b[1:90]),
    pcf_plan(x, b = b, from = 0, to = 1, missing = "mean"), pcf_plan(c(x, pcf(-Inf, 1)), b = c(b, 1), from = 0)
  )
  for (plan in impossible) expect_identical(plan$expected[["events"]], Inf)
  expect_refusal(with_settings(pdist(x), kernel = "events"), "argument",
                 "the option pcfdist.kernel is \"events\", a kernel that this call cannot use")
  for (call in list(distance_product, pcf_plan)) {
    refused(call(x, b = b, p = Inf), "p", "must be finite, since distances are raised to this power. To sum suprema, ",
            "use distance_product() with `power = 1`.")
  }
})

# Without pairs, a column more takes far longer.
test_that("neighbours are planned with what bounds leave", {
  set.seed(1)
  x <- distribution(lapply(1:400, function(i) i + runif(20)))
  before <- last_run()
  with_settings(prune = "on", code = {
    plan <- pcf_plan(x, k = 3)
    within <- pcf_plan(x, radius = 3)
    queried <- pcf_plan(x[1:50], x, k = 3)
    expect_identical(last_run(), before)
    near <- nearest_neighbors(x, 3)
    ran <- last_run()
  })
  expect_identical(plan$bytes, 12 * 3 * 400)
  expect_equal(within$bytes, as.double(utils::object.size(neighbors_within(x, 3))), tolerance = 0.3)
  expect_identical(c(plan$seconds, within$seconds), c(plan$pruned$seconds, within$pruned$seconds))
  expect_identical(queried$pairs, 50 * 400)
  expect_identical(queried$bytes, 12 * 3 * 50)
  expect_identical(plan$pruned$expected, ran$pruned$expected)
  expect_lt(plan$pruned$expected, 0.5)
  expect_lt(within$pruned$expected, 0.5)
  expect_true(plan$pruned$seconds > 0)
  expect_match(format(plan), "with lower bounds, which leave .* % of the pairs: .* s$", all = FALSE)
  with_settings(prune = "off", code = {
    plan <- pcf_plan(x, k = 3)
    expect_null(plan$pruned)
    expect_no_match(format(plan), "bounds")
  })
  expect_error(pcf_plan(x, k = 3, radius = 1), "together with `k`", class = "pcfdist_error_radius")
  expect_error(pcf_plan(x, b = 1, k = 1), "together with `b`", class = "pcfdist_error_k")
  expect_error(pcf_plan(x, k = 400), "at most 399", class = "pcfdist_error_k")
  expect_error(pcf_plan(x, radius = -1), class = "pcfdist_error_radius")
})

test_that("trees and reductions are planned", {
  groups <- with_seed(1, distribution(lapply(1:300, function(i) 100 * (i %% 5) + i / 300 + runif(20))))
  before <- last_run()
  for (prune in c("on", "off")) with_settings(prune = prune, code = {
    tree <- pcf_plan(groups, tree = TRUE)
    reach <- pcf_plan(groups, k = 3, tree = TRUE)
    smallest <- pcf_plan(groups, with = "min")
    expect_gt(tree$seconds, pcf_plan(groups, k = 12)$seconds) # of several passes
    expect_gt(reach$bytes, tree$bytes)
    expect_identical(smallest$seconds, pcf_plan(groups, k = 1)$seconds)
    expect_identical(smallest$bytes, 8 * 300)
    expect_identical(pcf_plan(groups, with = "which.max")$bytes, 4 * 300)
    farthest <- pcf_plan(groups, groups[1:9], with = "max")
    expect_identical(farthest$seconds, farthest$expected[[farthest$kernel]])
    expect_identical(pcf_plan(groups, with = "count", radius = 1)$seconds, pcf_plan(groups, radius = 1)$seconds)
    expect_match(format(tree), "expected for the whole computation: .* s$", all = FALSE)
  })
  expect_identical(last_run(), before)
  expect_s3_class(pcf_plan(pcf(list(0, 0), list(1, 2)), tree = TRUE), "pcf_plan") # though there is none
  expect_error(pcf_plan(groups[1], tree = TRUE), "two functions", class = "pcfdist_error_x")
  expect_error(pcf_plan(groups, groups, tree = TRUE), "together with `tree`", class = "pcfdist_error_y")
  expect_error(pcf_plan(groups, radius = 1, tree = TRUE), class = "pcfdist_error_radius")
  expect_error(pcf_plan(groups, with = "sum"), class = "pcfdist_error_with")
  expect_error(pcf_plan(groups, with = "min", radius = 1), class = "pcfdist_error_radius")
  expect_error(pcf_plan(groups, with = "count"), "is missing", class = "pcfdist_error_radius")
  expect_error(pcf_plan(groups, with = "min", k = 1), class = "pcfdist_error_k")
})

test_that("the plan takes what is cheaper, as for two threads", {
  x <- random_pcf(2500, 40)
  for (threads in c(1, 2, 16)) {
    kernel <- function(columns) {
      pcf_plan(x, b = matrix(1, 2500, columns), threads = threads, device = "cpu")$kernel
    }
    expect_identical(kernel(1), "events")
    expect_false(kernel(200) == "events")
  }
  distance_product(x, rep(1, 2500), threads = 1)
  expect_identical(last_run()[c("kernel", "device", "blocks")], list(kernel = "events", device = "cpu", blocks = 0))
})

test_that("last_run() reports the last computation, and planning computes nothing", {
  the <- pcfdist:::the
  old <- the$last_run
  on.exit(the$last_run <- old)
  the$last_run <- NULL
  expect_null(last_run())
  x <- random_pcf(70)
  with_settings(pdist(x), kernel = "sweep", tile = 32, block = 32)
  run <- last_run()
  expect_s3_class(run, "pcf_plan")
  expect_true("timeline" %in% names(run))
  expect_null(run$timeline) # unasked
  expect_identical(run$blocks, 6)
  expect_identical(run$pairs, 70 * 69 / 2)
  expect_named(run$phases, c("check", "plan", "prepare", "compute", "scatter"))
  expect_true(all(run$phases >= 0))
  with_settings(cdist(x, x[1:5]), kernel = "grid", tile = 32, block = 32)
  run <- last_run()
  expect_identical(run$blocks, 3)
  pcf_plan(x)
  pcf_plan(x, b = numeric(70))
  expect_identical(last_run(), run)
})

# ---- Timelines ----

times <- c("launched", "begun", "computed", "copied", "scatter_begun", "scattered")

# How often each entry of the matrix lies in a block of the timeline.
covered <- function(timeline, rows, columns) {
  covered <- matrix(0, rows, columns)
  for (k in seq_len(nrow(timeline))) {
    block <- timeline[k, ]
    i <- seq(block$row, length.out = block$rows)
    j <- seq(block$column, length.out = block$columns)
    covered[i, j] <- covered[i, j] + 1
  }
  covered
}

# The times of each block are in order, and the blocks are those of so many rows and columns.
expect_blocks <- function(rows, columns, once = TRUE) {
  timeline <- last_run()$timeline
  expect_false(anyNA(timeline))
  expect_true(all(timeline$launched >= 0))
  expect_true(all(apply(timeline[times], 1, Negate(is.unsorted))))
  expect_false(is.unsorted(timeline$launched))
  pairs <- covered(timeline, rows, columns)
  expect_true(all(pairs[once] == 1) && all(pairs <= 1))
}

test_that("a timeline has each block once, and its times are in order", {
  x <- paper_pcf(150, 20)
  regular <- gridded_pcf(150)
  with_settings(timeline = TRUE, tile = 32, block = 32, code = {
    for (threads in c(1, 3)) {
      with_settings(pdist(x, 7.3, threads = threads), kernel = "sweep")
      timeline <- last_run()$timeline
      expect_s3_class(timeline, "data.frame")
      expect_named(timeline, c("device", "row", "column", "rows", "columns", times))
      expect_identical(nrow(timeline), 15L)
      expect_true(all(timeline$device %in% (seq_len(threads) - 1)))
      expect_blocks(150, 150, lower.tri(diag(150), TRUE))
      with_settings(cdist(regular, x[1:70], 7.3, threads = threads), kernel = "sweep")
      expect_blocks(150, 70)
    }
    with_settings(cdist(regular, regular[1:9]), kernel = "grid")
    expect_blocks(150, 9)
  })
})

# ---- Odd plans, and printing ----

test_that("plans of empty collections are empty", {
  x <- random_pcf(2)
  for (plan in list(pcf_plan(x[0]), pcf_plan(x, x[0]), pcf_plan(x[0], x), pcf_plan(x[1]))) {
    expect_identical(plan$pairs, 0)
    expect_type(format(plan), "character")
  }
})

# Estimates depend on the machine and on measured constants.
without_numbers <- function(lines) {
  sets <- paste0("\\b(", paste(instruction_sets(), collapse = "|"), ")\\b")
  gsub(sets, "<instructions>", gsub("[0-9.]+(e[-+][0-9]+)? s\\b", "<seconds>", lines))
}

test_that("plans and runs print", {
  x <- pcf(list(c(0, 1), c(0, 0.3, 2)), list(c(1, 0), c(2, 1, 0)))
  regular <- pcf(1:50, lapply(1:200, function(i) i * 1:50))
  fixed <- function(code, ...) with_settings(code, isa = tail(instruction_sets(), 1), ...)
  expect_snapshot(transform = without_numbers, {
    fixed(print(pcf_plan(x, threads = 1L)), kernel = "sweep")
    fixed(print(pcf_plan(x, p = 3L, threads = 1L, precision = "single")), kernel = "split")
    fixed(print(pcf_plan(regular, p = 2L, threads = 1L)), kernel = "grid")
    fixed(d <- pdist(x, threads = 1L), kernel = "split")
    last_run()
  })
})

test_that("rectangles are the breakpoints of all pairs, and as many intervals at most", {
  with_seed(3, for (x in list(rpcf(6, 7), pcf(list(0, 1), list(1, 2)), random_partial_pcf(6), rpcf(5, 1:5))) {
    intervals <- utils::combn(length(x), 2, function(pair) {
      r <- rectangles(x[pair[1]], x[pair[2]])
      sum(r$right > min(start(x[pair])))
    })
    rectangles <- pcf_plan(x, missing = "overlap")$rectangles
    expect_equal(rectangles, (length(x) - 1) * nrow(as.data.frame(x)))
    expect_lte(sum(intervals), rectangles)
  })
})
