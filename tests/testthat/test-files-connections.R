# R has 128 connections. A call that fails must leave them all: showConnections() does not show those that are
# lost when a warning leaves file() before it has ended.

skip_on_os("windows") # where R itself was not tried

# Calls that read or write files, and fail. `lines` is a file, where they need a folder.
failing_calls <- function(folder) {
  x <- example_pcf()
  lines <- file.path(folder, "lines")
  writeLines("text", lines)
  in_folder <- function(...) file.path(folder, ...)
  functions <- in_folder("functions") # one of its parts is a folder
  write_npy(x, functions)
  without_checksums(functions)
  unlink(in_folder("functions", "times.npy"), expand = FALSE)
  dir.create(in_folder("functions", "times.npy"))
  results <- in_folder("d") # its record is a folder
  suppressMessages(pdist(x, to = 9, file = results))
  unlink(in_folder("d.dcf"), expand = FALSE)
  dir.create(in_folder("d.dcf"))
  empty <- in_folder("empty")
  dir.create(empty)
  writeLines("text", in_folder("e.jobs")) # where jobs need a folder
  list(
    write_to_nowhere = function() write_npy(1:3, in_folder("no", "such.npy")),
    write_below_file = function() write_npy(1:3, file.path(lines, "a.npy")),
    write_functions_below_file = function() write_npy(x, file.path(lines, "a")),
    write_functions_to_file = function() write_npy(x, lines),
    write_functions_over_others = function() write_npy(x, functions),
    write_with_slash = function() write_npy(1:3, in_folder("a/")),
    read_nothing = function() read_npy(in_folder("nothing")),
    read_text = function() read_npy(lines),
    read_functions = function() read_npy(functions),
    read_empty_folder = function() read_npy(empty),
    store_nowhere = function() pdist(x, file = in_folder("no", "d")),
    store_over_others = function() pdist(x, file = lines),
    store_over_results = function() cdist(x, x, to = 9, file = results),
    store_kernel = function() l2_kernel(x, to = 9, file = results),
    open_nothing = function() open_distances(in_folder("nothing")),
    open_results = function() open_distances(results),
    jobs_beside_file = function() pdist(x, to = 9, file = in_folder("e"), jobs = 2),
    jobs_below_file = function() with_jobs(nearest_neighbors(x, 1, jobs = 2), folder = file.path(lines, "jobs"))
  )
}

test_that("calls that fail leave all connections to the session", {
  skip_if_not_installed("future")
  folder <- local_path()
  dir.create(folder)
  calls <- failing_calls(folder)
  file <- file.path(folder, "lines")
  for (name in names(calls)) {
    for (i in 1:130) {
      error <- tryCatch(calls[[name]](), error = identity)
      if (!inherits(error, "pcfdist_error")) break
    }
    expect_s3_class(error, "pcfdist_error")
    expect_identical(tryCatch(readLines(file), error = conditionMessage), "text", label = name)
  }
})
