# Jobs of a real Slurm. tools/test-slurm.sh starts one, with two GPUs that are none, and names a
# template for batchtools.

with_slurm <- function(code, gpus = NULL) {
  template <- Sys.getenv("PCFDIST_SLURM_TEMPLATE")
  skip_if(!nzchar(template), "tools/test-slurm.sh starts a Slurm for this")
  folder <- tempfile("slurm-")
  dir.create(folder)
  old <- setwd(folder) # future.batchtools writes there
  on.exit({
    setwd(old)
    unlink(folder, recursive = TRUE, expand = FALSE)
  })
  with_jobs(
    code, future.batchtools::batchtools_slurm, template = template,
    resources = list(ncpus = 1, gpus = gpus), folder = file.path(folder, "jobs")
  )
}

slurm <- function(command, ...) system2(command, c(...), stdout = TRUE, stderr = FALSE)

test_that("jobs of Slurm have the bits of one machine", {
  x <- many_functions()
  b <- with_seed(1, matrix(rnorm(2 * length(x)), length(x)))
  with_slurm(gpus = 1, {
    expect_identical(nearest_neighbors(x, 3, to = 9, jobs = 2), nearest_neighbors(x, 3, to = 9))
    products <- function(...) kernel_product(x, b, kernel = "gaussian", scale = 0.3, to = 9, ...)
    expect_identical(products(jobs = 2), products())
    stored <- pdist(x, to = 9, file = "d", jobs = 2)
    expect_identical(last_run()$threads, 1L) # of two cores, one was given
    expect_identical(bits_of(stored), bits_of(pdist(x, to = 9)))
  })
})

test_that("each job of Slurm has a GPU for itself", {
  with_slurm(gpus = 1, {
    seen <- lapply(1:2, function(k) {
      future::future(c(Sys.getenv("CUDA_VISIBLE_DEVICES"), threads_of_job(1)), packages = "pcfdist",
                     globals = list(threads_of_job = threads_of_job), seed = NULL)
    })
    seen <- lapply(seen, future::value)
  })
  expect_true(all(vapply(seen, `[`, "", 1) %in% c("0", "1")))
  expect_identical(vapply(seen, `[`, "", 2), c("1", "1"))
})

test_that("a job of Slurm that is killed is sent again, and a session that is stopped goes on", {
  x <- many_functions(3000, 60)
  expected <- nearest_neighbors(x, 3, to = 99)
  with_slurm({
    real <- send_job
    cancelled <- 0
    with_mocked(send_job = function(folder, k, session) {
      future <- real(folder, k, session)
      if (k == 1 && cancelled == 0) {
        cancelled <<- cancelled + 1
        slurm("scancel", "--name=pcfdist-1")
      }
      if (k == 3 && cancelled == 1) {
        cancelled <<- 2
        raise_interrupt()
      }
      future
    }, code = {
      call <- function() nearest_neighbors(x, 3, to = 99, jobs = 3)
      expect_identical(tryCatch(call(), interrupt = function(e) "interrupted"), "interrupted")
      expect_identical(call(), expected)
    })
    expect_identical(cancelled, 2)
    expect_identical(list.files("jobs"), character())
  })
})
