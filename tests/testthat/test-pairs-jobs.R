# Calls in jobs: the bits of one machine, and what becomes of them when something dies.

skip_if_not_installed("future")

expect_same <- function(call, jobs = 3, ...) {
  call <- substitute(call)
  frame <- parent.frame()
  alone <- eval(call, frame)
  call$jobs <- jobs
  expect_identical(with_jobs(eval(call, frame), ...), alone, label = deparse(call[[1]]))
}

test_that("selections have the bits of one machine", {
  x <- many_functions()
  y <- many_functions(300, 7, 2)
  x[599:600] <- x[1:2]
  for (kernel in c("auto", "grid", "split")) {
    with_settings(kernel = kernel, {
      expect_same(nearest_neighbors(x, 3, to = 9))
      expect_same(nearest_neighbors(x, 3, y, to = 9))
      expect_same(nearest_neighbors(y, 2, x, to = 9, precision = "single"))
      expect_same(neighbors_within(x, 0.5, to = 9))
      expect_same(neighbors_within(x, 0.5, y, to = 9))
      expect_same(neighbors_within(x, 0.5, to = 9, count = TRUE))
      expect_same(reduce_distances(x, with = "which.min", to = 9))
      expect_same(reduce_distances(x, with = "max", to = 9))
      expect_same(reduce_distances(x, y, with = "which.max", to = 9))
    })
  }
  with_settings(prune = "on", {
    expect_same(nearest_neighbors(x, 3, to = 9))
    expect_same(nearest_neighbors(y, 3, x, to = 9))
  })
})

test_that("functions that are all the same do not hide each other", {
  x <- rep(pcf(0, 1), 300)
  expect_same(nearest_neighbors(x, 2, to = 1))
  expect_same(nearest_neighbors(x, 299, to = 1))
  expect_same(reduce_distances(x, with = "which.max", to = 1))
})

test_that("functions known in part have the bits of one machine", {
  x <- many_functions(300)
  x[[5]] <- pcf(c(-Inf, 3), c(NA, 1))
  x[[6]] <- pcf(c(-Inf, 8), c(NA, 1))
  expect_same(nearest_neighbors(x, 2, from = 0, to = 9, missing = "overlap"))
  expect_same(neighbors_within(x, 1, from = 0, to = 7, missing = "overlap", count = TRUE))
  with_settings(block = 70, {
    expect_same(nearest_neighbors(x, 2, from = 0, to = 9, missing = "mean"))
    expect_same(kernel_product(x, rep(1, 300), kernel = "gaussian", scale = 1, from = 0, to = 9,
                               missing = "mean"))
  })
  ended <- pcf(lapply(1:40, function(i) c(-Inf, i %% 5, 6 + i %% 3)), lapply(1:40, function(i) c(NA, i, NA)))
  endless <- c(pcf(0, 1), ended)
  expect_same(neighbors_within(endless, 3, missing = "mean"))
  expect_same(neighbors_within(x, 1, from = 0, to = 9, missing = "overlap", min_overlap = 7))
  expect_same(neighbors_within(x, 1, from = 0, to = 9, missing = "mean", min_overlap = 7, count = TRUE))
  expect_same(nearest_neighbors(x[-6], 2, from = 0, to = 9, missing = "mean", min_overlap = 5))
  expect_same(reduce_distances(x, with = "max", from = 0, to = 9, missing = "mean", min_overlap = 7))
  expect_same(distance_product(x, seq(-1, 1, length.out = 300), from = 0, to = 9, missing = "mean", min_overlap = 1))
  expect_same(kernel_product(x, 1:300, from = 0, to = 9, missing = "overlap", min_overlap = 7))
  expect_same(kernel_product(endless, 1:41, kernel = "laplacian", scale = 1, missing = "mean"))
})

test_that("sums over pairs have the bits of one machine", {
  x <- many_functions()
  y <- many_functions(300, 7, 2)
  b <- with_seed(1, matrix(rnorm(1200), 600))
  for (kernel in c("auto", "grid", "split")) {
    with_settings(kernel = kernel, {
      expect_same(reduce_distances(x, with = "logsumexp", scale = 0.2, to = 9))
      expect_same(reduce_distances(x, y, with = "logsumexp", scale = 0.2, to = 9))
      expect_same(kernel_product(x, b, kernel = "gaussian", scale = 0.3, to = 9))
      expect_same(distance_product(x, b, p = 3, to = 9))
      expect_same(distance_product(y, b, x, p = 3, to = 9))
    })
  }
  expect_same(distance_product(x, b, to = 9))
  expect_same(kernel_product(x, b))
  with_seed(12, for (k in 1:5) { # so few that the diagonal decides about the kernel
    m <- sample(2:40, 1)
    n <- sample(2:6, 1)
    few <- pcf(replicate(n, sort(runif(m)), simplify = FALSE), replicate(n, rnorm(m), simplify = FALSE))
    b <- rnorm(n)
    expect_same(distance_product(few, b, p = 2, power = 1, to = 1), jobs = 1)
  })
})

test_that("there may be no functions", {
  x <- many_functions(3)
  expect_same(nearest_neighbors(x, 2, x[0], to = 9))
  expect_same(neighbors_within(x[0], 2, to = 9))
  expect_same(neighbors_within(x, 2, x[0], to = 9, count = TRUE))
  expect_same(neighbors_within(x, 2, x[0], from = 0, to = 9, missing = "mean"))
  expect_same(reduce_distances(x[0], with = "logsumexp", scale = 1, to = 9))
  for (with in c("min", "which.min", "max", "which.max")) expect_same(reduce_distances(x[1], with = with, to = 9))
  expect_same(kernel_product(x[0], matrix(0, 0, 2), kernel = "gaussian", scale = 1, to = 9))
  expect_same(kernel_product(x, double(), x[0], kernel = "gaussian", scale = 1, to = 9))
  file <- new_file()
  stored <- with_jobs(pdist(x[0], to = 9, file = file, jobs = 2))
  expect_identical(bits_of(stored), bits_of(pdist(x[0], to = 9)))
})

test_that("matrices in files have the bits of one machine", {
  x <- many_functions()
  y <- many_functions(300, 7, 2)
  folder <- user_folder()
  for (storage in c("double", "single")) for (jobs in c(1, 3)) {
    calls <- list(
      function(...) pdist(x, to = 9, storage = storage, ...),
      function(...) cdist(x, y, to = 9, storage = storage, ...),
      function(...) l2_kernel(x, to = 9, storage = storage, ...),
      function(...) l2_kernel(y, x, to = 9, storage = storage, ...)
    )
    for (k in seq_along(calls)) {
      one <- calls[[k]](file = file.path(folder, "one"))
      many <- with_jobs(calls[[k]](file = file.path(folder, "many"), jobs = jobs))
      label <- paste("call", k, "with", jobs, "jobs,", storage)
      expect_identical(bits_of(many), bits_of(one), label = label)
      expect_silent(open_distances(file.path(folder, "many"), check = TRUE))
      expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE),
                      c("one", "one.dcf", "many", "many.dcf"))
      unlink(list.files(folder, full.names = TRUE), expand = FALSE)
    }
  }
})

test_that("jobs go on with a file that was begun without, and with other jobs", {
  x <- many_functions()
  file <- new_file()
  files <- paste0(file, c("", ".dcf", ".part"))
  expect_error(on_full_disk(5, pdist(x, to = 9, file = file)), class = "pcfdist_error_file")
  expect_identical(file.exists(files), c(FALSE, TRUE, TRUE))
  many <- with_jobs(pdist(x, to = 9, file = file, jobs = 2))
  expect_identical(bits_of(many), bits_of(pdist(x, to = 9)))
  expect_identical(file.exists(files), c(TRUE, TRUE, FALSE))
  expect_message(with_jobs(pdist(x, to = 9, file = file, jobs = 3)), class = "pcfdist_message_file")
})

test_that("means in files have the bits of one machine", {
  x <- many_functions(300)
  x[[5]] <- pcf(c(-Inf, 3), c(NA, 1))
  file <- new_file()
  many <- with_jobs(pdist(x, from = 0, to = 9, missing = "mean", file = file, jobs = 2))
  expect_identical(bits_of(many), bits_of(pdist(x, from = 0, to = 9, missing = "mean")))
  unlink(paste0(file, c("", ".dcf")), expand = FALSE)
  long <- function(...) pdist(x, from = 0, to = 9, missing = "mean", min_overlap = 5, ...)
  expect_identical(bits_of(with_jobs(long(file = file, jobs = 2))), bits_of(long()))
  expect_error(with_jobs(pdist(x, from = 0, to = 9, missing = "mean", file = file, jobs = 2)), "says Min-Overlap: 5",
               class = "pcfdist_error_file")
  unlink(paste0(file, c("", ".dcf")), expand = FALSE)
  y <- functions_with_gaps(300, 30, shared = TRUE)
  means <- function(...) pdist(y, from = 0, to = 9, missing = "mean", precision = "single", ...)
  expect_identical(bits_of(with_jobs(means(file = file, jobs = 2))), bits_of(means()))
})

test_that("work is cut evenly, and at whole tiles", {
  bands <- cut_bands(rep(1, 10000), 4)
  expect_identical(unlist(bands)[c(1, 8)], c(1, 10000))
  expect_true(all(vapply(bands, `[`, 0, 1) %% 256 == 1))
  expect_lt(max(vapply(bands, diff, 0)) + 1, 10000 / 4 + 512)
  x <- rpcf(5000, 1:5)
  columns <- work_of_columns(x)
  work <- vapply(cut_bands(columns, 5), function(band) sum(columns[band[1]:band[2]]), 0)
  expect_lt(max(work) / mean(work), 1.3)
  expect_identical(cut_evenly(c(1, 1, 1), 10), list(1L, 2L, 3L))
  expect_identical(cut_evenly(numeric(), 3), list())
})

test_that("what is asked for in vain is an error", {
  x <- many_functions(20)
  refused(nearest_neighbors(x, 2, jobs = 0), "jobs", "must be a whole number of at least 1, not 0.")
  refused(nearest_neighbors(x, 2, jobs = "many"), "jobs", 'must be a whole number of at least 1, not "many".')
  refused(pdist(x, jobs = 2), "jobs", "must not be given without `file`, to which the results are written.")
  refused(with_jobs(nearest_neighbors(x, 2, jobs = 2), folder = 7), "pcfdist.jobs_folder",
          "must be the name of a folder, not 7.")
})

test_that("an error in a job is one of the call, and is not tried again", {
  skip_if(nzchar(cuda_info()$problem) == FALSE, "there is a GPU")
  x <- many_functions(20)
  expect_error(with_jobs(nearest_neighbors(x, 2, jobs = 2, device = "cuda")),
               "In job 1: .*device.* cannot be \"cuda\"", class = "pcfdist_error_device")
})

test_that("a call that was stopped goes on with what is left", {
  x <- many_functions()
  folder <- file.path(user_folder(), "jobs")
  run <- function() nearest_neighbors(x, 2, to = 9, jobs = 3)
  kept <- list.files(leave_run(run, folder, answers = 2), "^answer-")
  expect_gte(length(kept), 1)
  sent <- sending_jobs(expect_identical(with_jobs_in(folder, run()), nearest_neighbors(x, 2, to = 9)))
  expect_identical(sent, 3 - length(kept))
  expect_identical(list.files(dirname(folder)), character())
})

test_that("a job whose worker is killed is sent again", {
  skip_without_processes()
  x <- many_functions()
  expected <- nearest_neighbors(x, 2, to = 9)
  with_two_workers({
    sent <- sending_jobs(
      expect_identical(nearest_neighbors(x, 2, to = 9, jobs = 3), expected),
      before = function(n, k) if (n == 1) deadly_job()
    )
  })
  expect_gt(sent, 3)
})

test_that("workers that were killed before they got a job are started anew", {
  skip_without_processes()
  x <- many_functions()
  expected <- nearest_neighbors(x, 2, to = 9)
  kill_workers <- function(which) {
    ids <- lapply(1:2, function(k) {
      future::future(quote({
        Sys.sleep(0.5) # so that each has one
        Sys.getpid()
      }), substitute = FALSE, globals = FALSE, seed = NULL)
    })
    ids <- vapply(ids, future::value, 0L)
    expect_false(ids[1] == ids[2])
    tools::pskill(ids[which], 9)
  }
  for (which in list(1:2, 1, 2)) {
    with_two_workers({
      kill_workers(which)
      expect_identical(nearest_neighbors(x, 2, to = 9, jobs = 3), expected)
    })
  }
})

test_that("a plan that takes no jobs, or a job that always dies, is an error after three times", {
  sent <- sending_jobs(before = function(n, k) stop("no such queue"), code = {
    expect_error(with_jobs(nearest_neighbors(many_functions(20), 2, to = 9, jobs = 2)),
                 "ended 3 times .* no such queue", class = "pcfdist_error_jobs")
  })
  expect_identical(sent, 3)
  skip_without_processes()
  with_two_workers({
    sent <- sending_jobs(before = function(n, k) deadly_job(), code = {
      expect_error(nearest_neighbors(many_functions(), 2, to = 9, jobs = 1), "ended 3 times",
                   class = "pcfdist_error_jobs")
    })
  })
  expect_identical(sent, 3)
})

test_that("two workers give the bits of one machine", {
  skip_without_processes()
  x <- many_functions()
  file <- new_file()
  with_two_workers({
    expect_identical(nearest_neighbors(x, 3, to = 9, jobs = 4), nearest_neighbors(x, 3, to = 9))
    stored <- pdist(x, to = 9, file = file, jobs = 4)
  })
  expect_identical(bits_of(stored), bits_of(pdist(x, to = 9)))
})

test_that("jobs that run see that nobody waits any more", {
  run <- list(folder = tempfile(), session = "here")
  dir.create(run$folder)
  on.exit(unlink(run$folder, recursive = TRUE, expand = FALSE))
  watch <- watch_for_stop(run)
  expect_silent(watch(1, 2, 0))
  file.create(stop_file(run$folder, "another"))
  expect_silent(watch(1, 2, 5))
  file.create(stop_file(run$folder, "here"))
  expect_silent(watch(1, 2, 5.5)) # it looks once a second
  expect_error(watch(1, 2, 6.5), class = "pcfdist_error_jobs")
})

test_that("jobs use the threads of their scheduler", {
  old <- Sys.getenv("SLURM_CPUS_PER_TASK", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("SLURM_CPUS_PER_TASK")
          else Sys.setenv(SLURM_CPUS_PER_TASK = old))
  with_settings(threads = 6, {
    Sys.unsetenv("SLURM_CPUS_PER_TASK")
    expect_identical(threads_of_job(1), 6)
    expect_identical(threads_of_job(4), 1)
    Sys.setenv(SLURM_CPUS_PER_TASK = 2)
    expect_equal(threads_of_job(1), 2)
  })
})

test_that("neighbours of lines are counted as on one machine", {
  x <- plf(list(0:1, 0:1, 0:1), list(c(1, 0), c(2, 0), c(3, 0)))
  expect_same(neighbors_within(x, 1, to = 1, count = TRUE), 2)
  expect_same(reduce_distances(x, with = "count", radius = 0.6, to = 1), 2)
})
