# ---- Threads ----

test_that("as many threads run as were asked for, if there is work for them", {
  skip_on_cran()
  x <- paper_pcf(60, 99)
  for (threads in c(1, 2, 5)) {
    for (kernel in kernels) {
      with_settings(pdist(x, 2.3, threads = threads), kernel = kernel, tile = 32)
      expect_identical(last_run()$threads, as.integer(threads))
    }
  }
  pdist(example_pcf(), threads = 64)
  expect_identical(last_run()$threads, 1L)
})

# ---- Options and environment ----

with_env <- function(code, ...) {
  new <- c(...)
  old <- Sys.getenv(names(new), NA, names = TRUE)
  on.exit({
    Sys.unsetenv(names(old)[is.na(old)])
    if (any(!is.na(old))) do.call(Sys.setenv, as.list(old[!is.na(old)]))
  })
  do.call(Sys.setenv, as.list(new))
  code
}

settings_now <- function(threads = NULL) {
  pcfdist:::run_settings(device = NULL, precision = NULL, threads = threads, progress = NULL)
}

test_that("options stand in for arguments", {
  x <- restrict(random_pcf(4), to = 9)
  with_settings(pdist(x), precision = "single")
  expect_identical(last_run()$precision, "single")
  with_settings(pdist(x, precision = "double"), precision = "single")
  expect_identical(last_run()$precision, "double")
  expect_identical(with_settings(settings_now(), threads = 3)$threads, 3L)
  expect_identical(with_settings(settings_now(2), threads = 3)$threads, 2L)
  expect_type(with_settings(settings_now(), progress = TRUE)$progress, "closure")
  expect_null(with_settings(settings_now(), progress = FALSE)$progress)
  expect_s3_class(with_settings(pdist(x, device = "cpu"), device = "cuda"), "dist")
})

test_that("an environment variable stands in for the option of the device", {
  x <- restrict(random_pcf(4), to = 9)
  with_settings(device = NULL, code = {
    for (device in c("cpu", "")) expect_s3_class(with_env(pdist(x), PCFDIST_DEVICE = device), "dist")
    expect_error(with_env(pdist(x), PCFDIST_DEVICE = "tpu"), class = "pcfdist_error_PCFDIST_DEVICE")
  })
  with_settings(device = "cpu", code = {
    expect_s3_class(with_env(pdist(x), PCFDIST_DEVICE = "tpu"), "dist")
  })
})

test_that("the environment says how many threads run, but not more than there may be", {
  threads <- function(number, limit = "", cran = "", ...) {
    with_settings(threads = NULL, code = with_env(
      settings_now(...)$threads,
      OMP_NUM_THREADS = number, OMP_THREAD_LIMIT = limit, `_R_CHECK_LIMIT_CORES_` = cran
    ))
  }
  expect_identical(threads("3"), 3L)
  expect_identical(threads(" 3 , 2"), 3L)
  expect_identical(threads("4,2", cran = "false"), 4L)
  for (cran in c("TRUE", "warn")) expect_identical(threads("8", cran = cran), 2L)
  for (many in c("4096", "4097", "5000", "2147483648", strrep("9", 400))) {
    expect_identical(threads(many), 4096L, label = many)
  }
  for (useless in c("", "many", "0", "-1", "2.5", "3x", "0x10", "1e1", ",2", "NA")) {
    expect_identical(threads(useless), .Call(pcfdist:::ffi_cores), label = useless)
  }
  expect_identical(threads("8", limit = "3"), 3L)
  expect_identical(threads("2", limit = "3"), 2L)
  expect_identical(threads("", limit = "1"), 1L)
  for (useless in c("few", "0", "-1")) expect_identical(threads("8", limit = useless), 8L)
  # What R code asks for is taken as it is.
  expect_identical(threads("3", limit = "3", threads = 7), 7L)
  expect_identical(with_env(with_settings(settings_now()$threads, threads = 7), OMP_NUM_THREADS = "3"), 7L)
})

test_that("bad options are errors that name the option", {
  x <- random_pcf(4)
  # Others are in test-core-errors.R, with the whole message.
  bad <- list(
    device = 1, progress = NA, timeline = "yes", timeline = NA, kernel = NA, isa = "mmx", isa = c("scalar", "sse2"),
    tile = "64", block = 1.5, block = NaN, block = 1e300, block = 2^63, block = 2^31, block = "8",
    block = structure(8, class = "integer64"), gpus = Inf, gpus = 2^31, gpus = -1,
    gpu_memory = Inf, gpu_memory = 2^53, gpu_memory = NA, threads = Inf
  )
  for (k in seq_along(bad)) {
    call <- c(list(quote(pdist(x))), bad[k])
    error <- expect_error(do.call(with_settings, call), class = "pcfdist_error")
    expect_match(conditionMessage(error), names(bad)[k])
    expect_match(error$argument, names(bad)[k])
  }
})

# ---- Progress ----

test_that("nothing is printed unasked, nor by quick calls", {
  x <- restrict(random_pcf(10), to = 9)
  expect_silent(pdist(x))
  expect_silent(pdist(x, progress = TRUE))
  expect_silent(pcfdist:::progress_function(TRUE)(1, 10, 1.9))
  expect_silent(pcfdist:::progress_function(TRUE)(0, 0, 10))
})

# ---- Faults ----

fail_at <- function(step, allocation) .Call(pcfdist:::ffi_fail_at, step, NULL, allocation)

# Lets each step, or allocation, of a call fail in turn: every failure is an error of its class, and the first
# call that does not fail gives what it should, as does the next.
expect_failures <- function(call, what, more_than, expected = call(), label = "failures") {
  on.exit(fail_at(0L, 0L))
  force(expected)
  for (k in 1:1000) {
    if (what == "step") fail_at(k, 0L) else fail_at(0L, k)
    answer <- tryCatch(call(), error = identity)
    fail_at(0L, 0L)
    if (!inherits(answer, "error")) break
    expect_s3_class(answer, if (what == "step") "pcfdist_error_device" else "pcfdist_error_memory")
    expect_s3_class(answer, "pcfdist_error")
  }
  expect_gt(k, more_than, label = label)
  expect_identical(answer, expected)
  expect_identical(call(), expected)
}

faulty_calls <- list(
  sweep = function() pdist(tied_pcf(70), 7.3, threads = 3),
  grid = function() cdist(gridded_pcf(70), gridded_pcf(40), 7.3, threads = 3),
  split = function() l2_kernel(tied_pcf(6), to = 20, threads = 3),
  split = function() lp_distance(tied_pcf(9), tied_pcf(3), threads = 3),
  sweep = function() nearest_neighbors(tied_pcf(40), 3, to = 20, threads = 3),
  sweep = function() neighbors_within(tied_pcf(40), 9, to = 20, threads = 3),
  sweep = function() kernel_product(tied_pcf(70), 1:70, NULL, "gaussian", 2, to = 20, threads = 3),
  sweep = function() reduce_distances(tied_pcf(70), NULL, "logsumexp", scale = 2, to = 20, threads = 3)
)

test_that("any step and any allocation of a run may fail", {
  skip_unless_testing()
  for (k in seq_along(faulty_calls)) {
    with_settings(kernel = names(faulty_calls)[k], code = {
      call <- faulty_calls[[k]]
      expected <- call()
      for (what in c("step", "allocation")) {
        with_settings(expect_failures(call, what, 5, expected, paste(k, what)), tile = 32, block = 32)
      }
      expect_identical(call(), expected)
    })
  }
})

test_that("any allocation may fail where there are no pairs", {
  skip_unless_testing()
  x <- c(random_pcf(20), pcf(as.double(1:3e5), rep_len(c(1, -2, 0), 3e5)))
  functions <- random_pcf(2500, 3)
  many <- rep(1:3, 1e5)
  for (call in list(
    function() lp_norm(x, 1.5, to = 9, threads = 3),
    function() evaluate(functions, seq(0, 1, length.out = 1000), threads = 3), # in a thread of its own
    function() mean(functions[1:40], threads = 3),
    function() max(functions[1:40], threads = 3),
    function() segment_reduce(many, c(0, 1, 3e5), threads = 3),
    function() reduce_by_key(many, many, threads = 3),
    function() interval_expand(many, many, threads = 3),
    function() interval_move(many, c(2e5, 1e5), to = c(100003, 1), threads = 3)
  )) expect_failures(call, "allocation", 2)
})

exhaust_at <- function(step, times) .Call(pcfdist:::ffi_fail_at, step, times, 0L)

test_that("a device without memory gets smaller blocks, and the result is the same", {
  skip_unless_testing()
  on.exit(exhaust_at(0L, 0L))
  calls <- list(
    sweep = function() pdist(paper_pcf(150, 20), 7.3, threads = 3),
    grid = function() cdist(gridded_pcf(150), gridded_pcf(70), 7.3, threads = 3),
    sweep = function() l2_kernel(paper_pcf(150, 20), threads = 3)
  )
  for (k in seq_along(calls)) {
    with_settings(kernel = names(calls)[k], tile = 32, block = 128, code = {
      expected <- as.vector(calls[[k]]())
      expect_identical(last_run()$halvings, 0)
      for (step in 3:12) {
        exhaust_at(step, 1L)
        expect_identical(as.vector(calls[[k]]()), expected)
        expect_lte(last_run()$halvings, 1)
        if (step == 3) {
          expect_identical(last_run()$halvings, 1)
          expect_match(format(last_run()), "made smaller 1 time", all = FALSE)
        }
      }
      exhaust_at(3L, 0L)
      error <- expect_error(calls[[k]](), class = "pcfdist_error_memory")
      expect_match(conditionMessage(error), "too little memory on device \"cpu\"")
      exhaust_at(0L, 0L)
    })
  }
})

test_that("pairs in parts cannot be cut smaller", {
  skip_unless_testing()
  on.exit(exhaust_at(0L, 0L))
  exhaust_at(3L, 1L)
  expect_error(lp_distance(tied_pcf(4), tied_pcf(4)), class = "pcfdist_error_memory")
})

test_that("an error of a run names the call, and the last run is the one before", {
  skip_unless_testing()
  on.exit(fail_at(0L, 0L))
  x <- restrict(random_pcf(4), to = 9)
  pdist(x)
  before <- last_run()
  for (step in 2:3) {
    fail_at(step, 0L)
    error <- expect_error(pdist(x, 2), class = "pcfdist_error_device")
    expect_identical(conditionCall(error), quote(pdist(x, 2)))
  }
  fail_at(0L, 3L)
  error <- expect_error(l2_kernel(x), class = "pcfdist_error_memory")
  expect_identical(conditionCall(error), quote(l2_kernel(x)))
  expect_identical(last_run(), before)
})

# ---- Interrupts and processes ----

# For a child: does `work(n)` with growing n until an interrupt reaches it within the call of
# C, however fast the machine is. Where a call ignores interrupts, the child ends otherwise: it
# is killed, since the last sizes take minutes at least, or nothing was interrupted.
interrupting <- function(long) {
  c(
    sprintf("x <- %s", long[["x"]]),
    sprintf("sizes <- %s", long[["sizes"]]),
    sprintf("work <- function(n) %s", long[["work"]]),
    # Interrupts this process in a moment, and tells when that is done.
    "sent <- tempfile()",
    "send_interrupt <- function() {",
    "  unlink(sent, expand = FALSE)",
    "  command <- sprintf('(sleep 0.2; kill -INT %d; touch %s)', Sys.getpid(), sent)",
    "  system(command, wait = FALSE)",
    "}",
    "wait_for_interrupt <- function() {",
    "  while (!file.exists(sent)) Sys.sleep(0.01)",
    "  Sys.sleep(0.1)",
    "}",
    # In a handler: has C not answered yet, or answered that it was interrupted?
    "within_call <- function() {",
    "  calls <- vapply(sys.calls(), function(call) deparse(call[[1]])[1], '')",
    "  ours <- which(calls %in% c('run_pairwise', 'measure_functions', 'reduce_rows'))",
    "  if (length(ours) == 0) return(FALSE)",
    "  answer <- get0('answer', sys.frame(ours[1]), inherits = FALSE)",
    "  is.null(answer) || identical(answer$status, 'interrupted')",
    "}",
    "interrupt_work <- function(n) {",
    "  within <- FALSE",
    "  send_interrupt()",
    "  tryCatch(withCallingHandlers({",
    "    work(n)",
    "    wait_for_interrupt()",
    "  }, interrupt = function(e) within <<- within_call()), interrupt = identity)",
    "  wait_for_interrupt()",
    "  within",
    "}",
    "for (n in sizes) if (interrupted <- interrupt_work(n)) break",
    "if (!interrupted) stop('nothing was interrupted')"
  )
}

# Long functions many times over are much to do in little memory.
long_works <- list(
  list(x = "rpcf(8000, 500)", sizes = "250 * 2^(0:5)", work = "pdist(x[1:n], 2.3, threads = 1, progress = FALSE)"),
  list(x = "pcf(1:5e5, sin(1:5e5))", sizes = "10 * 4^(0:8)", work = "lp_norm(rep(x, n), 2.3, threads = 1)"),
  list(x = "pcf(1:5e5, sin(1:5e5))", sizes = "10 * 4^(0:8)", work = "max(rep(x, n), threads = 1)")
)

test_that("an interrupt ends a call, and the session goes on", {
  skip_without_processes()
  for (long in long_works) {
    printed <- run_child(c(
      interrupting(long),
      "y <- pcf(list(a = c(0, 1), b = c(0, 3)), list(1:0, 1:0))",
      "cat(pdist(y), lp_distance(y, y), lp_norm(y), integral(max(y)))"
    ))
    expect_identical(printed, "2 0 0 1 3 3", label = long$work)
  }
})

test_that("an interrupt that nobody catches ends a script", {
  skip_without_processes()
  printed <- run_child(c(
    interrupting(long_works[[1]]),
    "state <- 'ended'",
    "reg.finalizer(globalenv(), function(e) cat(state), onexit = TRUE)",
    "send_interrupt()",
    "result <- work(max(sizes))",
    "wait_for_interrupt()",
    "state <- 'went on'"
  ))
  expect_identical(printed[length(printed)], "ended")
})

test_that("it works after fork()", {
  skip_on_cran()
  skip_on_os("windows")
  x <- tied_pcf(80)
  expected <- pdist(x, 3, threads = 2)
  got <- parallel::mclapply(1:2, function(i) pdist(x, 3, threads = 2), mc.cores = 2)
  for (d in got) expect_identical(as.vector(d), as.vector(expected))
  expect_identical(as.vector(pdist(x, 3, threads = 2)), as.vector(expected))
})

# ---- Large results ----

# Vectors whose memory the package has to free.
open_vectors <- function() {
  gc()
  .Call(asNamespace("pcfdist")$ffi_open_vectors)
}

large_collection <- function() with_seed(3, rpcf(2200, 2:4))

test_that("what is written before R has made a large vector is in it", {
  skip_on_cran()
  x <- large_collection()
  times <- seq(-1, 3, length.out = 1000)
  before <- open_vectors()
  d <- pdist(x, device = "cpu")
  values <- evaluate(x, times, device = "cpu")
  if (Sys.info()[["sysname"]] == "Linux") expect_identical(open_vectors(), before + 2L)
  expect_length(d, 2200 * 2199 / 2)
  for (i in c(1, 2, 700, 2199)) {
    among <- cumsum(c(0, 2199:1))[i] + seq_len(2200 - i)
    expect_identical(d[among], c(cdist(x[i], x[-seq_len(i)], device = "cpu")))
  }
  matrix <- cdist(x[1:1100], x, device = "cpu")
  expect_identical(matrix[1, -1], d[seq_len(2199)])
  expect_identical(matrix[1100, 1:1099], matrix[1:1099, 1100])
  changed <- d
  changed[1] <- -1
  expect_identical(d[1], matrix[2, 1])
  expect_identical(dim(values), c(2200L, 1000L))
  some <- c(1, 500, 999)
  expect_identical(values[, some], evaluate(x, times[some], device = "cpu"))
  rm(d, changed, matrix, values)
  expect_identical(open_vectors(), before)
})

test_that("garbage of large results does not pile up", {
  skip_on_cran()
  x <- large_collection()
  times <- seq(-1, 3, length.out = 1000)
  before <- open_vectors()
  count <- vapply(1:90, function(k) {
    values <- evaluate(x, times, device = "cpu")
    .Call(asNamespace("pcfdist")$ffi_open_vectors)
  }, 0L)
  expect_lt(max(count), before + 75L)
})

test_that("memory that R does not get is freed", {
  skip_on_cran()
  x <- large_collection()
  times <- seq(-1, 3, length.out = 1000)
  before <- open_vectors()
  for (call in list(function() pdist(x, device = "cpu"), function() evaluate(x, times))) {
    setTimeLimit(elapsed = 0.01, transient = TRUE)
    result <- tryCatch(call(), error = identity)
    setTimeLimit()
    expect_true(is.numeric(result) || inherits(result, "error"))
    rm(result)
    expect_identical(open_vectors(), before)
  }
})
