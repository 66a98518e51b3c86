# Whatever R raises while a call waits for its threads ends the call, and goes on as what it
# is. The computations take seconds at least, so that none is over before;
# the curves are many short jobs in turn.

long_work <- c(
  "times <- lapply(1:3000, function(i) cumsum(runif(500)))",
  "x <- pcf(times, lapply(times, sin))",
  "many <- rep(pcf(1:5e5, sin(1:5e5)), 1e5)",
  "diagrams <- rep(list(cbind(birth = runif(5e5), death = 2)), 100)",
  "long <- list(",
  "  pairs = function() pdist(x, 2.3, threads = 1, progress = FALSE),",
  "  norms = function() lp_norm(many, 2.3, threads = 1),",
  "  maximum = function() max(many, threads = 1),",
  "  mean = function() mean(many[1:60], threads = 1),",
  "  combined = function() linear_combinations(matrix(1, 1, 60), many[1:60], threads = 1),",
  "  curves = function() stable_rank(diagrams, threads = 1),",
  "  blocks = function() kernel_product(x, rep(1, 3000), kernel = 'laplacian', scale = 1,",
  "                                     threads = 1, progress = FALSE)",
  ")",
  # The same matrix of distances, with a progress function of our own.
  "with_progress <- function(progress) {",
  "  settings <- pcfdist:::run_settings(NULL, NULL, 1, FALSE)",
  "  settings['progress'] <- list(progress)",
  "  call <- pcfdist:::check_integrals(x, NULL, -Inf, Inf)",
  "  request <- pcfdist:::request_for(call, pcfdist:::operation_of(2.3), 'dist', 'below')",
  "  pcfdist:::run_pairwise(x, NULL, request, settings)",
  "}",
  "interrupt <- function(...) tools::pskill(Sys.getpid(), tools::SIGINT)",
  # The session is usable.
  "go_on <- function() {",
  "  f <- pcf(list(c(0, 1), c(0, 3)), list(1:0, 1:0))",
  "  cat(pdist(f), lp_norm(f), integral(max(f)), '\\n')",
  "}"
)
went_on <- "2 1 3 3 "

test_that("a limit of time is an error that can be caught", {
  skip_without_processes()
  printed <- run_child(c(
    long_work,
    "for (work in long) {",
    "  caught <- tryCatch({",
    "    setTimeLimit(elapsed = 0.3, transient = TRUE)",
    "    work()",
    "    'finished'",
    "  }, error = function(e) class(e), interrupt = function(e) 'interrupted')",
    "  setTimeLimit()",
    "  cat(caught, '\\n')",
    "  go_on()",
    "}"
  ))
  expect_identical(printed, rep(c("simpleError error condition ", went_on), 7))
})

test_that("an error of the progress function goes on", {
  skip_without_processes()
  printed <- run_child(c(
    long_work,
    "caught <- tryCatch(with_progress(function(...) stop('no more')), error = conditionMessage)",
    "cat(caught, '\\n')",
    "go_on()"
  ))
  expect_identical(printed, c("no more ", went_on))
})

test_that("an interrupt is a condition that handlers may act on", {
  skip_without_processes()
  printed <- run_child(c(
    long_work,
    "caught <- tryCatch(with_progress(interrupt), interrupt = class)",
    "cat(caught, '\\n')",
    "go_on()",
    "stopping <- function(e) stop('from a handler')",
    "caught <- tryCatch(",
    "  withCallingHandlers(with_progress(interrupt), interrupt = stopping),",
    "  error = conditionMessage",
    ")",
    "cat(caught, '\\n')",
    "go_on()",
    "caught <- withRestarts(",
    "  withCallingHandlers(",
    "    with_progress(interrupt), interrupt = function(e) invokeRestart('leave', 'left')",
    "  ),",
    "  leave = identity",
    ")",
    "cat(caught, '\\n')",
    "go_on()"
  ))
  expect_identical(
    printed, c("interrupt condition ", went_on, "from a handler ", went_on, "left ", went_on)
  )
})

test_that("a handler may let an interrupted computation go on", {
  skip_without_processes()
  printed <- run_child(c(
    long_work,
    "x <- x[1:300]",
    "expected <- with_progress(NULL)$value",
    "withCallingHandlers({",
    "  resumed <- with_progress(interrupt)$value",
    "  cat(identical(resumed, expected), '\\n')",
    "  go_on()",
    "}, interrupt = function(e) invokeRestart('resume'))"
  ))
  expect_identical(printed, c("TRUE ", went_on))
})

# cli catches errors now and then while it draws, and a limit in just such a moment is lost: one of some is not.
test_that("limits of time that are reached while progress is drawn are not lost", {
  skip_without_processes()
  printed <- run_child(c(
    "draw <- pcfdist:::progress_function(TRUE)",
    "suppressMessages(draw(1, 10, 3))", # what cli does once may take longer than the limit
    "limited <- function() tryCatch({",
    "  setTimeLimit(elapsed = 0.1, transient = TRUE)",
    "  Sys.sleep(0)",
    "  until <- Sys.time() + 10", # only where it is lost
    "  while (Sys.time() < until) for (k in 1:100) suppressMessages(draw(1, 10, 3))",
    "  'finished'",
    "}, error = class)",
    "for (attempt in 1:4) if (!identical(caught <- limited(), 'finished')) break",
    "cat(caught, '\\n')"
  ))
  expect_match(printed, "simpleError", all = FALSE)
})

test_that("an interrupt that comes to the workers, too, ends a call in jobs", {
  skip_without_processes()
  skip_if_not_installed("future")
  # In a terminal all of them get it. The worker is in the middle of its job when it has written
  # which engine is taken.
  printed <- run_child(c(
    "cluster <- parallelly::makeClusterPSOCK(1, rscript_libs = .libPaths())",
    "worker <- parallel::clusterCall(cluster, Sys.getpid)[[1]]",
    "future::plan('cluster', workers = cluster)",
    "set.seed(1)",
    "x <- rpcf(10000, 100)",
    "options(pcfdist.jobs_folder = tempfile())",
    "engine <- function() Sys.glob(file.path(getOption('pcfdist.jobs_folder'), '*', 'engine'))",
    "utils::assignInNamespace('collect_answers', function(...) {",
    "  while (length(engine()) == 0) Sys.sleep(0.01)",
    "  tools::pskill(c(worker, Sys.getpid()), tools::SIGINT)",
    "  Sys.sleep(60)",
    "}, 'pcfdist')",
    "real <- pcfdist:::await_end", # a busy machine may take longer than users want to wait
    "utils::assignInNamespace('await_end', function(futures) real(futures, 90), 'pcfdist')",
    "caught <- tryCatch(nearest_neighbors(x, 2, jobs = 2, threads = 1),",
    "                   interrupt = function(e) 'interrupted')",
    "cat(caught, future::nbrOfFreeWorkers(), future::value(future::future(7)), '\\n')"
  ), seconds = 300)
  expect_identical(printed, "interrupted 1 7 ")
})

# R itself looks for interrupts only between hundreds of its calls, which may take seconds on long vectors.
test_that("computations with piecewise linear functions in R are interrupted at once", {
  skip_without_processes()
  printed <- run_child(c(
    "steps <- list(",
    "  quote(pcfdist:::is_last(1:3)), quote(pcfdist:::following(1:3, 1:3)),",
    "  quote(pcfdist:::exact_line_value(1, 2, 0, 1, 1))",
    ")",
    "for (step in steps) {",
    "  caught <- tryCatch({",
    "    tools::pskill(Sys.getpid(), tools::SIGINT)",
    "    eval(step)",
    "    'finished'",
    "  }, interrupt = function(e) 'interrupted')",
    "  cat(caught, '')",
    "}"
  ))
  expect_identical(printed, strrep("interrupted ", 3))
})

test_that("runs cover all numbers", {
  for (n in c(0, 1, 5, 6, 7, 12)) for (most in 1:7) {
    runs <- runs_of(n, most)
    expect_identical(as.integer(unlist(runs)), seq_len(n))
    expect_lte(max(lengths(runs), 0), most)
  }
})
