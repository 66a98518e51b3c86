# Files that jobs wrote, which become one: nothing is lost in it, and each goes when it was copied.

skip_if_not_installed("future")

join_calls <- function() {
  x <- many_functions(900, 3)
  y <- many_functions(300, 4, 2)
  list(
    function(file, ...) pdist(x, to = 9, file = file, ...),
    function(file, ...) l2_kernel(x, to = 9, file = file, storage = "single", ...),
    function(file, ...) cdist(y, x, to = 9, file = file, ...)
  )
}

# The call with its files of jobs written, and not yet joined.
write_parts <- function(call, file) {
  with_mocked(join_parts = function(...) stop("not yet"), code = {
    expect_error(with_jobs(call(file, jobs = 3)), "not yet")
  })
}

names_of_parts <- function(file) {
  list.files(dirname(file), "^columns-[0-9]+$", recursive = TRUE, full.names = TRUE)
}

parts_of <- function(file) length(names_of_parts(file))

test_that("files of jobs go one by one as they are joined", {
  calls <- join_calls()
  steps <- c(10, 1504, 9) # of writing, which bring each call through one file or two
  for (k in seq_along(calls)) {
    file <- new_file()
    write_parts(calls[[k]], file)
    left <- parts_of(file)
    expect_identical(left, 3L)
    repeat {
      answer <- on_full_disk(steps[k], tryCatch(
        with_jobs(calls[[k]](file, jobs = 3, threads = 1)), pcfdist_error_file = identity
      ))
      left <- c(left, parts_of(file))
      if (!inherits(answer, "error") || length(left) > 20) break
      expect_false(file.exists(file))
    }
    expect_false(is.unsorted(-left))
    expect_gte(length(unique(left)), 3)
    expect_identical(bits_of(answer), bits_of(calls[[k]](new_file())))
    expect_identical(list.files(dirname(file)), c("d", "d.dcf"))
  }
})

test_that("joining that is killed goes on", {
  skip_on_cran()
  for (call in join_calls()) {
    whole <- new_file()
    call(whole)
    for (step in c(1, 3:8, 11, 14)) {
      file <- new_file()
      write_parts(call, file)
      expect_true(is_killed_in(step, function() with_jobs(call(file, jobs = 3, threads = 1))))
      expect_false(file.exists(file))
      with_jobs(call(file, jobs = 3))
      expect_identical(bytes_of(file), bytes_of(whole))
      expect_silent(open_distances(file, check = TRUE))
    }
  }
})

test_that("a call without jobs, or with others, goes on with what was joined", {
  for (call in join_calls()[1:2]) for (jobs in list(NULL, 2)) {
    whole <- new_file()
    call(whole)
    file <- new_file()
    write_parts(call, file)
    expect_error(on_full_disk(8, with_jobs(call(file, jobs = 3, threads = 1))), class = "pcfdist_error_file")
    with_jobs(call(file, jobs = jobs))
    expect_identical(bytes_of(file), bytes_of(whole))
  }
})

test_that("a damaged file of a job is an error, and nothing is lost", {
  call <- join_calls()[[1]]
  file <- new_file()
  write_parts(call, file)
  part <- names_of_parts(file)[[2]]
  bytes <- bytes_of(part)
  writeBin(replace(bytes, 5000, !bytes[5000]), part)
  expect_error(with_jobs(call(file, jobs = 3)), "columns-[0-9]+.*checksum",
               class = "pcfdist_error_file")
  expect_true(file.exists(part))
  writeBin(bytes, part)
  expect_identical(bits_of(with_jobs(call(file, jobs = 3))), bits_of(call(new_file())))
})

test_that("a disk that has no room for all files twice is enough", {
  skip_on_cran()
  x <- many_functions(1500, 3)
  folder <- small_disk(13)
  on.exit(give_back_disk(folder))
  # 9 MB, in files of up to 2.8.
  for (call in list(
    function(...) pdist(x, to = 9, ...), function(...) cdist(x, x, to = 9, storage = "single", ...)
  )) {
    file <- file.path(folder, "d")
    bits <- bits_of(with_jobs(call(file = file, jobs = 5)))
    gc() # which closes the file
    expect_identical(bits, bits_of(call(file = new_file())))
    unlink(list.files(folder, full.names = TRUE), expand = FALSE)
  }
})
