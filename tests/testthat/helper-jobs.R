# Plans of future for tests, and what becomes of jobs that are killed.

skip_without_future <- function() {
  skip_if_not_installed("future")
}

# Evaluates with a plan, and a folder for jobs, for itself; the plan before comes back.
with_jobs <- function(code, plan = "sequential", ..., folder = tempfile("jobs-")) {
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

raise_interrupt <- function() {
  stop(structure(list(message = "", call = NULL), class = c("interrupt", "condition")))
}
