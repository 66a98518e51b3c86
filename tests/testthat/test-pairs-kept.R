# Neighbours and trees that are kept in a file: the bits are those of a call without one, however often it was
# killed, and no file of others is touched.

skip_on_os("windows") # where R itself was not tried

# Each takes a file, or NULL.
kept_calls <- function(x = tied_functions(90), y = tied_functions(40)) {
  list(
    nearest = function(file) nearest_neighbors(x, 4, file = file),
    query = function(file) nearest_neighbors(x, 3, y, file = file),
    single = function(file) nearest_neighbors(x, 5, p = 2, precision = "single", file = file),
    within = function(file) neighbors_within(x, 3, file = file),
    "within query" = function(file) neighbors_within(x, 3, y, file = file),
    tree = function(file) spanning_tree(clustered, file = file)[-7], # without the call
    reach = function(file) spanning_tree(clustered, 3, file = file)[-7]
  )
}

# Several passes.
clustered <- with_seed(1, {
  at <- rep(cumsum(sample(2:9, 12, replace = TRUE)), 15)
  pcf(lapply(at, function(v) 0:1), lapply(at + sample(0:8, 180, replace = TRUE) / 8, c, 0))
})

# In many small blocks, each of which is followed by a step of writing.
in_small_steps <- function(code, save_every = 0, block = 32, ...) {
  old <- options(pcfdist.save_every = save_every)
  on.exit(options(old))
  with_settings(code, block = block, tile = 32, ...)
}

test_that("results with a file are those without, and are read again", {
  skip_on_cran()
  calls <- kept_calls()
  for (name in names(calls)) {
    call <- calls[[name]]
    file <- new_file()
    due <- call(NULL)
    expect_silent(found <- call(file))
    expect_identical(found, due, label = name)
    expect_identical(list.files(dirname(file)), "d", label = name)
    before <- bytes_of(file)
    expect_message(again <- call(file), "already in", class = "pcfdist_message_file")
    expect_identical(again, due, label = name)
    expect_identical(bytes_of(file), before)
  }
  one <- tied_functions(1)
  expect_identical(lengths(neighbors_within(one, 1, file = new_file())$id, FALSE), 0L)
})

test_that("a call that was killed goes on, in other blocks and with other threads, too", {
  skip_on_cran()
  calls <- kept_calls()
  for (name in names(calls)) {
    call <- calls[[name]]
    due <- call(NULL)
    for (prune in c("on", "off")) {
      file <- new_file()
      for (step in c(1, 2, 3, 4, 9, 14, 21)) {
        is_killed_in(step, function() in_small_steps(call(file), threads = 1, prune = prune))
        expect_true(all(list.files(dirname(file)) %in% c("d", "d.part", "d.new", "d.lock")))
      }
      there <- intersect(list.files(dirname(file)), c("d", "d.part"))
      expect_length(there, 1)
      copy <- new_file()
      file.copy(file.path(dirname(file), there), sub("d$", there, copy))
      found <- suppressMessages(in_small_steps(call(file), block = 64, threads = 2, prune = prune))
      expect_identical(found, due, label = paste(name, prune))
      expect_identical(list.files(dirname(file)), "d")
      # In another order, pairs count, and blocks do not.
      found <- suppressMessages(with_settings(call(copy), prune = setdiff(c("on", "off"), prune)))
      expect_identical(found, due, label = paste(name, "after", prune))
    }
  }
})

test_that("what is done is not computed again", {
  skip_on_cran()
  skip_unless_testing()
  x <- paper_pcf(200, 9)
  call <- function(file) nearest_neighbors(x, 3, to = 1, file = file, threads = 1)
  blocks <- function(code) {
    code
    last_run()$blocks
  }
  all <- blocks(in_small_steps(call(new_file())))
  file <- new_file()
  expect_true(is_killed_in(4 * 15 + 1, function() in_small_steps(call(file))))
  expect_identical(blocks(in_small_steps(call(file))), all - 15)
})

test_that("a full disk ends the call, which then goes on", {
  skip_on_cran()
  call <- kept_calls()$nearest
  file <- new_file()
  for (step in c(1, 3, 8)) {
    expect_error(on_full_disk(step, in_small_steps(call(file), threads = 1)), class = "pcfdist_error_file")
    expect_true(all(list.files(dirname(file)) %in% "d.part"))
  }
  expect_identical(call(file), call(NULL))
})

test_that("other calls, and files of others, are refused, and nothing is changed", {
  x <- paper_pcf(30, 9)
  y <- paper_pcf(20, 9, seed = 2)
  file <- new_file()
  nearest_neighbors(x, 3, to = 1, file = file)
  refused <- function(call, ...) {
    folder <- dirname(file)
    before <- lapply(list.files(folder, full.names = TRUE), bytes_of)
    expect_file_refusal(call, ...)
    expect_identical(lapply(list.files(folder, full.names = TRUE), bytes_of), before)
  }
  other <- function(name, found, wanted) {
    paste0("`file` has the results of another call: \"d\" says ", name, ": ", found, ", but this call has ", wanted,
           ". Choose another name, or delete the files.")
  }
  refused(nearest_neighbors(x, 2, to = 1, file = file), other("K", "3", "2"))
  refused(nearest_neighbors(x, 3, to = 2, file = file), other("To", "1", "2"))
  refused(nearest_neighbors(x, 3, p = 2, to = 1, file = file), other("Operation", "l1", "l2"))
  refused(nearest_neighbors(x, 3, to = 1, precision = "single", file = file), other("Precision", "double", "single"))
  refused(neighbors_within(x, 3, to = 1, file = file), other("Selection", "nearest", "within"))
  refused(spanning_tree(x, to = 1, file = file), other("Selection", "nearest", "tree"))
  refused(nearest_neighbors(y, 3, to = 1, file = file), other("Rows", "30", "20"))
  refused(nearest_neighbors(rev(x), 3, to = 1, file = file),
          "`file` has the results of another call: \"d\" was made from other functions. Choose another name, ",
          "or delete the files.")
  for (suffix in c("", ".part", ".new", ".lock")) {
    file <- new_file()
    writeLines("mine", paste0(file, suffix))
    name <- dQuote(paste0("d", suffix), FALSE)
    refused(nearest_neighbors(x, 3, to = 1, file = file), if (suffix %in% c("", ".part"))
      paste0("`file` cannot be used: \"FOLDER/d", suffix, "\" exists, but was not made by such a call. ",
             "Choose another name.")
      else paste0("`file` cannot be used: ", name, " exists, but was not made by this call. Choose another name."))
  }
  file <- new_file()
  file.symlink(tempfile(), file)
  expect_file_refusal(nearest_neighbors(x, 3, to = 1, file = file),
                      "`file` cannot be used: \"d\" is a symbolic link.")
  expect_file_refusal(nearest_neighbors(x, 3, file = tempfile(), jobs = 2),
                      "`file` must not be given together with `jobs`.")
  expect_file_refusal(neighbors_within(x, 3, count = TRUE, file = tempfile()),
                      "`file` must not be given together with `count`.")
  expect_error(with_settings(nearest_neighbors(x, 3, to = 1, file = tempfile()), save_every = -1),
               class = "pcfdist_error_pcfdist.save_every")
})

test_that("damage is found", {
  skip_on_cran()
  x <- paper_pcf(30, 9)
  call <- function(file) nearest_neighbors(x, 3, to = 1, file = file)
  file <- new_file()
  due <- call(file)
  whole <- bytes_of(file)
  with_seed(1, for (k in 1:100) {
    writeBin(damaged_bytes(whole), file)
    found <- tryCatch(suppressMessages(call(file)), pcfdist_error_file = function(e) NULL)
    expect_true(is.null(found) || identical(found, due))
  })
})

test_that("two calls do not write at once", {
  x <- paper_pcf(30, 9)
  file <- new_file()
  lock <- .Call(pcfdist:::ffi_lock, paste0(file, ".lock"))$value
  expect_error(nearest_neighbors(x, 3, file = file), "is in use by another call", class = "pcfdist_error_file")
  .Call(pcfdist:::ffi_unlock, lock)
  unlink(paste0(file, ".lock"), expand = FALSE)
})
