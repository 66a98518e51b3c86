# Plans of future for tests, and what becomes of jobs that are killed.

# Evaluates with a plan, and a folder for jobs, for itself; the plan before comes back.
with_jobs <- function(code, plan = "sequential", ..., folder = tempfile("jobs-")) {
  allow_plain_numbers() # future starts no workers with decimal commas
  old <- future::plan("list")
  options <- options(pcfdist.jobs_folder = folder)
  on.exit({
    future::plan(old)
    options(options)
    unlink(folder, recursive = TRUE, expand = FALSE)
  })
  future::plan(plan, ...)
  code
}

# Two further R processes, which have the package from where this one has it.
with_two_workers <- function(code, ...) {
  with_jobs(code, "multisession", workers = 2, ...)
}

# Functions of which bands of 256 are whole, and some more.
many_functions <- function(n = 600, m = 5, seed = 1) {
  x <- random_pcf(n, m, seed)
  names(x) <- paste0("f", seq_len(n))
  x
}

# The bits of a result, wherever it lies.
bits_of <- function(x) c(unclass(collect(x)))

# Evaluates `code` with another function in the place of one of the package.
with_mocked <- function(..., code) {
  functions <- list(...)
  namespace <- asNamespace("pcfdist")
  old <- mget(names(functions), namespace)
  replace <- function(all) {
    for (name in names(all)) {
      utils::assignInNamespace(name, all[[name]], namespace)
    }
  }
  on.exit(replace(old))
  replace(functions)
  code
}

# Evaluates `code`, and calls `before(n, k)` before the n-th job, number k, is sent; what that returns, unless it is
# NULL, is sent in its place. Returns how many jobs were sent.
sending_jobs <- function(code, before = function(n, k) NULL) {
  sent <- 0
  real <- send_job
  with_mocked(send_job = function(folder, k, session) {
    sent <<- sent + 1
    before(sent, k) %||% real(folder, k, session)
  }, code = code)
  sent
}

# A job that ends the process that computes it.
deadly_job <- function() {
  future::future(quote(tools::pskill(Sys.getpid(), 9)), substitute = FALSE, globals = FALSE, seed = NULL)
}

# A folder of the user, in which results are to lie.
user_folder <- function() dirname(new_file())

# As with_jobs(), but the folder stays.
with_jobs_in <- function(folder, code) {
  plan <- future::plan("sequential")
  on.exit(future::plan(plan))
  with_settings(code, jobs_folder = folder)
}

# Leaves a run in a folder, as a call does that is interrupted when some jobs are sent, and tells where.
leave_run <- function(call, jobs_folder, answers = 0) {
  sending_jobs(before = function(n, k) if (n > answers) raise_interrupt(), code = {
    caught <- suppressMessages(
      tryCatch(with_jobs_in(jobs_folder, call()), interrupt = function(e) "interrupted")
    )
  })
  expect_identical(caught, "interrupted")
  list.files(jobs_folder, "^run-", full.names = TRUE)
}

raise_interrupt <- function() {
  stop(structure(list(message = "", call = NULL), class = c("interrupt", "condition")))
}
