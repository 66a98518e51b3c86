# What is drawn is recorded: no test waits, since the delay before a bar is set to 0. Calls must
# be too large to be done at once on R's thread.

# What cli is told to do while the code runs: "status" draws a bar, "status_clear" takes it away.
drawn <- function(code, delay = 0) {
  told <- character()
  withCallingHandlers(
    with_settings(code, progress = TRUE, progress_delay = delay),
    cli_message = function(message) {
      told <<- c(told, message$type)
      invokeRestart("cli_message_handled")
    }
  )
  told
}

large_pcf <- function() random_pcf(8000, most = 12)

test_that("all that takes long draws, and clears what it drew", {
  skip_on_cran()
  x <- large_pcf()
  diagrams <- rep(list(cbind(1:1000, 2:1001)), 30)
  times <- rep(list(1:2), 12000)
  frame <- as.data.frame(pcf(times, times))
  calls <- list(
    pdist = function() pdist(x[1:300]), cdist = function() cdist(x[1:300], x[1:10]),
    lp_distance = function() lp_distance(x, rev(x)), l2_kernel = function() l2_kernel(x[1:300]),
    distance_product = function() distance_product(x, numeric(8000)),
    lp_norm = function() lp_norm(rep(x, 20), to = 9),
    integral = function() integral(rep(x, 20), to = 9),
    mean = function() mean(x), sum = function() sum(x), max = function() max(x),
    aggregate = function() aggregate(x, rep(1:2, 4000)),
    evaluate = function() evaluate(x, 1:20), `+` = function() x + rev(x),
    exp = function() exp(x), drop_redundant = function() drop_redundant(x),
    restrict = function() restrict(x, 1, 3), stable_rank = function() stable_rank(diagrams),
    rpcf = function() rpcf(3), quantile = function() quantile(x),
    k_means = function() k_means(x, x[1:2], 0, 9),
    functional_depth = function() functional_depth(x, from = 0, to = 9),
    as_pcf = function() as_pcf(frame), pcf = function() pcf(times, times)
  )
  for (name in names(calls)) {
    told <- drawn(calls[[name]]())
    expect_identical(told[1], "status", label = name)
    expect_identical(told[length(told)], "status_clear", label = name)
    expect_identical(sum(told == "status"), sum(told == "status_clear"), label = name)
    expect_null(pcfdist:::the$bar, label = name)
    expect_identical(drawn(calls[[name]](), delay = 1e6), character(), label = name)
    expect_silent(with_settings(calls[[name]](), progress = FALSE, progress_delay = 0))
  }
})

test_that("bars show what part of depths and of the distances to medoids is done", {
  skip_on_cran()
  x <- large_pcf()
  shares_of <- function(code) {
    shares <- NULL
    draw <- function(what, done, total, seconds, status) shares <<- c(shares, done / total)
    with_mocked(draw_share = draw, code = with_settings(code, progress = TRUE, progress_delay = 0))
    shares
  }
  for (y in list(x, plf(list(0:2, 0:1, 0:3), list(c(1, 3, 0), c(2, 0), c(0, 2, 1, 0))))) {
    shares <- shares_of(functional_depth(y, from = 0, to = 9))
    expect_false(is.unsorted(shares))
    expect_identical(shares[length(shares)], 1)
  }
  batch <- function(progress = NULL) {
    with_mocked(most_whole = 100, code = k_medoids(x[1:2000], 2, from = 0, to = 9, progress = progress))
  }
  shares <- shares_of(suppressWarnings(batch()))
  expect_false(is.unsorted(shares))
  expect_identical(range(shares), c(0, 1))
  expect_null(shares_of(batch(FALSE)))
})

test_that("the bar of pairs shows the share, the time taken and the time left", {
  status <- NULL
  draw <- function(format, total, status, set) {
    status <<- list(format = format, share = set / total, status = status)
  }
  with_mocked(draw_bar = draw, code = with_settings(progress_function(TRUE)(3e9, 4e9, 61.7), progress_delay = 0))
  expect_identical(status$share, 0.75)
  expect_identical(status$status, "62 s")
  expect_match(status$format, "Pairs .*percent.*status.*left")
})

test_that("all that work passes over makes it large", {
  x <- large_pcf()[1:50]
  weight <- pcf(0:1000, c(rep(1:2, 500), 1))
  parts <- rbind(1, 0:999, 1:1000, 0:999, 1:1000, 0, 0)
  expect_identical(drawn(crossing_time(x, 1:1000, decreasing = FALSE))[1], "status")
  expect_identical(drawn(.Call(pcfdist:::ffi_weighted, x, weight, c(0, 1000), 1, 1L))[1], "status")
  expect_identical(drawn(.Call(pcfdist:::ffi_lay_rows, x, 50, parts, 0, 1L))[1], "status")
})

test_that("one bar stays from the first piece of work to the last", {
  skip_on_cran()
  some <- large_pcf()[1:200]
  distances <- dist(1:8)
  work <- function(d, g) sum(pdist(some)) * as.integer(g)[1]
  frame <- data.frame(id = rep(1:30000, each = 2), time = 1:2, value = 1)
  group <- rep(1:2, 4)
  calls <- list(
    permutation_test = function() permutation_test(distances, group, work, n = 9),
    as_pcf = function() as_pcf(frame[rev(seq_len(60000)), ], sort = TRUE)
  )
  for (name in names(calls)) {
    told <- drawn(suppressWarnings(calls[[name]]()))
    expect_identical(setdiff(told, "status_update"), c("status", "status_clear"), label = name)
    expect_identical(sum(told != "status_update"), 2L, label = name)
    expect_null(pcfdist:::the$bar, label = name)
    expect_null(pcfdist:::the$pieces, label = name)
  }
})

test_that("the time of pieces of work begins with the call that they are part of", {
  work <- function(before) {
    pcfdist:::in_pieces({
      the <- pcfdist:::the
      the$pieces$start <- the$pieces$start - before
      pcfdist:::lapply_drawn(1:2, identity)
    })
  }
  expect_identical(drawn(work(1000), delay = 900)[1], "status")
  expect_identical(drawn(work(0), delay = 900), character())
  expect_error(pcfdist:::in_pieces(stop("no")), "no")
  expect_null(pcfdist:::the$pieces)
})

test_that("the delay of a bar must be a number", {
  for (delay in list(NA, "x", -1)) {
    with_settings(progress = TRUE, progress_delay = delay, {
      expect_error(pdist(rpcf(3, 5), to = 1), class = "pcfdist_error_pcfdist.progress_delay")
    })
  }
})
