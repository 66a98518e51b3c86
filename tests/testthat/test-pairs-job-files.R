# Folders and files of jobs: only what a call made itself goes, and nothing is believed that it did
# not write as it is.

skip_if_not_installed("future")

in_bytes <- function(names) sort(names, method = "radix")

test_that("a folder of the user beside the file stays as it is", {
  x <- many_functions(20)
  for (theirs in list("notes", character())) {
    file <- new_file()
    jobs <- paste0(file, ".jobs")
    dir.create(jobs)
    file.create(file.path(jobs, theirs))
    stored <- with_jobs(pdist(x, to = 9, file = file, jobs = 2))
    expect_identical(bits_of(stored), bits_of(pdist(x, to = 9)))
    expect_true(dir.exists(jobs))
    expect_identical(list.files(jobs, all.files = TRUE, no.. = TRUE), theirs)
  }
})

test_that("a folder that a call made goes with it", {
  x <- many_functions(20)
  call <- function() nearest_neighbors(x, 2, to = 9, jobs = 2)
  above <- user_folder()
  folder <- file.path(above, "jobs")
  with_jobs_in(folder, call())
  expect_identical(list.files(above, all.files = TRUE, no.. = TRUE), character())
  # The one that goes on removes what the one that was interrupted made.
  leave_run(call, folder)
  with_jobs_in(folder, call())
  expect_identical(list.files(above, all.files = TRUE, no.. = TRUE), character())
  # One of the user stays, and one in which others have put something.
  with_jobs_in(above, call())
  expect_identical(list.files(above, all.files = TRUE, no.. = TRUE), character())
  run <- leave_run(call, folder)
  file.create(file.path(folder, "notes"))
  with_jobs_in(folder, call())
  expect_identical(list.files(folder, "notes"), "notes")
  expect_false(file.exists(run))
})

test_that("the temporary folder of the session stays", {
  before <- list.files(tempdir(), all.files = TRUE)
  with_jobs_in(NULL, nearest_neighbors(many_functions(20), 2, to = 9, jobs = 2))
  expect_identical(list.files(tempdir(), all.files = TRUE), before)
})

test_that("files of others in the folder of a run stay", {
  x <- many_functions(20)
  folder <- file.path(user_folder(), "jobs")
  call <- function() nearest_neighbors(x, 2, to = 9, jobs = 2)
  run <- leave_run(call, folder)
  theirs <- file.path(run, c("notes", "answers", "functions.csv"))
  file.create(theirs)
  dir.create(file.path(run, "answer-7", "deep"), recursive = TRUE)
  expect_identical(with_jobs_in(folder, call()), nearest_neighbors(x, 2, to = 9))
  expect_true(all(file.exists(theirs)))
  expect_true(dir.exists(file.path(run, "answer-7", "deep")))
  expect_false(file.exists(file.path(run, "functions")))
  expect_identical(with_jobs_in(folder, call()), nearest_neighbors(x, 2, to = 9))
  expect_true(all(file.exists(theirs)))
})

test_that("a folder with the name of a run that pcfdist did not make is an error, and stays", {
  x <- many_functions(20)
  folder <- file.path(user_folder(), "jobs")
  call <- function() nearest_neighbors(x, 2, to = 9, jobs = 2)
  run <- leave_run(call, folder)
  unlink(run, recursive = TRUE, expand = FALSE)
  dir.create(run)
  file.create(file.path(run, "functions"))
  expect_error(with_jobs_in(folder, call()), 'was not created by pcfdist: it contains "functions"',
               class = "pcfdist_error_file")
  expect_identical(list.files(run, all.files = TRUE, no.. = TRUE), "functions")
})

test_that("what another engine computed goes, and nothing else", {
  x <- many_functions(600)
  file <- new_file()
  call <- function() pdist(x, to = 9, file = file, jobs = 2)
  run <- leave_run(call, paste0(file, ".jobs"), answers = 1)
  expect_true(file.exists(file.path(run, "answer-1")))
  theirs <- file.path(run, "notes")
  file.create(theirs)
  known <- read_whole(engine_file(run), is_engine)
  remove_other(run, known)
  expect_true(file.exists(file.path(run, "answer-1")))
  remove_other(run, replace(known, "Kernel", "another"))
  expect_false(file.exists(file.path(run, "answer-1")))
  expect_true(file.exists(theirs))
})

test_that("a file where the folder for jobs is to be is an error, and stays", {
  file <- new_file()
  jobs <- paste0(file, ".jobs")
  writeLines("mine", jobs)
  expect_error(with_jobs(pdist(many_functions(20), to = 9, file = file, jobs = 2)),
               "folder for jobs cannot be created", class = "pcfdist_error_file")
  expect_identical(readLines(jobs), "mine")
})

test_that("the folder of a run is for its user alone", {
  skip_on_os("windows")
  folder <- file.path(user_folder(), "jobs")
  run <- leave_run(function() nearest_neighbors(many_functions(20), 2, to = 9, jobs = 2), folder)
  expect_identical(format(file.mode(run)), "700")
})

# ---- Names ----

test_that("names with wildcards are names", {
  skip_on_os("windows")
  x <- many_functions(20)
  gaps <- functions_with_gaps(20, 30, shared = TRUE)
  calls <- list(
    function(...) pdist(x, to = 9, ...),
    function(...) pdist(gaps, from = 0, to = 9, missing = "mean", precision = "single", ...)
  )
  for (name in c("*", "d?", "d[12]", "{d1,d2}", "%d", "~d")) for (jobs in list(NULL, 2)) {
    for (call in calls) {
      folder <- user_folder()
      theirs <- file.path(folder, c("d1", "d1.jobs.notes", "e.part"))
      file.create(theirs)
      dir.create(file.path(folder, "d1.jobs"))
      theirs <- c(theirs, file.path(folder, "d1.jobs", "notes"))
      file.create(theirs[length(theirs)])
      file <- file.path(folder, name)
      stored <- with_jobs(call(file = file, jobs = jobs))
      expect_identical(bits_of(stored), bits_of(call()), label = name)
      expect_identical(bits_of(open_distances(file)), bits_of(stored), label = name)
      expect_true(all(file.exists(theirs)), label = name)
      expect_identical(in_bytes(list.files(folder, all.files = TRUE, no.. = TRUE)), in_bytes(c(
        name, paste0(name, ".dcf"), "d1.jobs", basename(theirs[-length(theirs)])
      )), label = name)
    }
  }
})

test_that("the folder for jobs may have any name", {
  skip_on_os("windows")
  x <- many_functions(20)
  for (name in c("*", "jobs[12]", "jobs?")) {
    above <- user_folder()
    dir.create(file.path(above, "jobs1"))
    file.create(file.path(above, "jobs1", "notes"))
    with_jobs_in(file.path(above, name), nearest_neighbors(x, 2, to = 9, jobs = 2))
    expect_identical(list.files(above, all.files = TRUE, no.. = TRUE), "jobs1")
    expect_identical(list.files(file.path(above, "jobs1")), "notes")
  }
})

# ---- Disks ----

# Writes until nothing more goes in.
fill_disk <- function(folder) {
  for (k in 1:2) {
    file <- file(file.path(folder, paste0("full", k)), "wb")
    try(suppressWarnings(for (n in 1:3000) writeBin(raw(1024), file)), silent = TRUE)
    suppressWarnings(close(file))
  }
  NULL
}

test_that("a disk that is full is an error of a file, and leaves nothing", {
  skip_on_cran()
  folder <- small_disk(1)
  on.exit(give_back_disk(folder))
  x <- many_functions(600, 500) # of 5 MB
  for (jobs in file.path(folder, c("", "jobs"))) {
    expect_error(with_jobs_in(jobs, nearest_neighbors(x, 2, to = 9, jobs = 2)),
                 "A file cannot be written: .*No space left",
                 class = "pcfdist_error_file")
    expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), character())
  }
  expect_error(with_jobs_in(folder, pdist(x, to = 9, file = file.path(folder, "d"), jobs = 2)),
               class = "pcfdist_error_file")
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), character())
})

test_that("the last bytes of a file that do not fit are missed", {
  skip_on_cran()
  folder <- small_disk(1)
  on.exit(give_back_disk(folder))
  fill_disk(folder)
  expect_error(write_whole(1:10, file.path(folder, "run")), class = "pcfdist_error_file")
  expect_identical(list.files(folder), c("full1", "full2"))
  expect_error(make_folder(file.path(folder, "jobs")), class = "pcfdist_error_file")
  expect_false(dir.exists(file.path(folder, "jobs")))
})

test_that("a folder around one that cannot be made goes again", {
  folder <- file.path(user_folder(), "jobs")
  real <- mark_folder
  full <- function(folder) if (grepl("run-", folder)) abort("file", "full") else real(folder)
  with_mocked(mark_folder = full, code = {
    expect_error(with_jobs_in(folder, nearest_neighbors(many_functions(20), 2, to = 9, jobs = 2)),
                 "full", class = "pcfdist_error_file")
  })
  expect_identical(list.files(dirname(folder)), character())
})

test_that("a disk that is full in a job is an error of a file", {
  skip_on_cran()
  folder <- small_disk(1)
  on.exit(give_back_disk(folder))
  sending_jobs(before = function(n, k) fill_disk(folder), code = {
    expect_error(
      suppressMessages(with_jobs_in(folder, nearest_neighbors(many_functions(20), 2, to = 9, jobs = 2))),
      "In job 1: .*cannot be written", class = "pcfdist_error_file"
    )
  })
})

test_that("a limit of the size of files is an error of a file", {
  skip_without_processes()
  folder <- user_folder()
  script <- tempfile(fileext = ".R")
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "library(pcfdist)",
    "future::plan('sequential')",
    sprintf("options(pcfdist.jobs_folder = %s)", deparse(folder)),
    "x <- rpcf(500, 500)",
    "cat(tryCatch(nearest_neighbors(x, 2, jobs = 2), error = function(e) class(e)[1]), '\\n')"
  ), script)
  command <- paste("trap '' XFSZ; ulimit -f 100;", file.path(R.home("bin"), "Rscript"), "--vanilla", script)
  printed <- system2("bash", c("-c", shQuote(command)), stdout = TRUE)
  expect_identical(printed, "pcfdist_error_file ")
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), character())
})

# ---- What is read ----

test_that("damaged files of jobs give what is right, or an error of a file", {
  x <- many_functions()
  call <- function() nearest_neighbors(x, 2, to = 9, jobs = 2)
  expected <- nearest_neighbors(x, 2, to = 9)
  folder <- user_folder()
  run <- leave_run(call, folder, answers = 1)
  names <- c("answer-1", "engine", "functions", "run", "made-by-pcfdist")
  whole <- lapply(file.path(run, names), bytes_of)
  put <- function(files) {
    unlink(run, recursive = TRUE, expand = FALSE)
    dir.create(run)
    for (k in seq_along(files)) writeBin(files[[k]], file.path(run, names[k]))
  }
  try_damaged <- function(k, code) {
    put(replace(whole, k, list(damaged_bytes(whole[[k]]))))
    tryCatch(
      if (identical(code, expected)) "right" else "wrong",
      pcfdist_error_file = function(e) "refused", error = conditionMessage
    )
  }
  outcomes <- with_seed(7, vapply(rep(1:3, 60), function(k) {
    try_damaged(k, suppressMessages(with_jobs_in(folder, call())))
  }, ""))
  expect_identical(unique(outcomes), "refused")
  # This one is written anew by each call.
  outcomes <- with_seed(8, vapply(rep(4, 60), function(k) try_damaged(k, read_run(run, "one")), ""))
  expect_identical(unique(outcomes), "refused")
  put(whole)
  expect_identical(with_jobs_in(folder, call()), expected)
})

test_that("files that are something else are errors", {
  folder <- user_folder()
  path <- file.path(folder, "answer-1")
  expect_error(read_whole(path, is_answer), class = "pcfdist_error_file")
  for (object in list(1, list(value = 1), list(report = 1, value = 2), quote(stop("run")))) {
    write_whole(object, path)
    expect_error(find_answer(folder, 1), "do not match its name", class = "pcfdist_error_file")
  }
  run <- list(
    parts = list(1), task = list("select_band"), settings = list(), options = list(), version = 1
  )
  expect_true(is_run(run))
  expect_false(is_run(replace(run, "task", list(list("system", "ls")))))
  expect_false(is_run(replace(run, "options", list(list(error = quote(q()))))))
  expect_false(is_functions(list(x = 1, y = NULL)))
  saveRDS(1, path)
  expect_error(find_answer(folder, 1), "damaged", class = "pcfdist_error_file")
})

test_that("a pipe in the place of a file is an error, and is not waited for", {
  skip_without_processes()
  skip_if(!nzchar(Sys.which("mkfifo")), "there is no mkfifo")
  folder <- user_folder()
  for (name in c("answer-1", "made-by-pcfdist")) {
    keep_pipe(file.path(folder, name))
  }
  printed <- run_child(c(
    sprintf("folder <- %s", deparse(folder)),
    "said <- function(code) cat(tryCatch(format(code), error = function(e) class(e)[1]), '\\n')",
    "said(pcfdist:::find_answer(folder, 1))",
    "said(pcfdist:::is_marked(folder))"
  ), seconds = 30)
  expect_identical(printed, c("pcfdist_error_file ", "FALSE "))
})

test_that("files and folders of other users are not read", {
  skip_on_os("windows")
  folder <- user_folder()
  owned_by_other <- function(path) system2("chown", c("54321", shQuote(path)), stderr = FALSE) == 0
  file.create(file.path(folder, "try"))
  skip_if(!suppressWarnings(owned_by_other(file.path(folder, "try"))), "only root can give files away")
  call <- function() nearest_neighbors(many_functions(), 2, to = 9, jobs = 2)
  run <- leave_run(call, folder, answers = 1)
  for (path in c(run, file.path(run, c("answer-1", "engine", "functions")))) {
    unlink(run, recursive = TRUE, expand = FALSE)
    leave_run(call, folder, answers = if (basename(path) == "functions") 0 else 1)
    owned_by_other(path)
    expect_error(suppressMessages(with_jobs_in(folder, call())), "belongs to another user",
                 class = "pcfdist_error_file")
    expect_true(file.exists(path))
  }
})

# ---- What others could have written ----

# Leaves a run with an answer, changes something, and repeats the call.
expect_refused_after <- function(change, what) {
  call <- function() nearest_neighbors(many_functions(), 2, to = 9, jobs = 2)
  folder <- user_folder()
  run <- leave_run(call, folder, answers = 1)
  change(run, folder)
  expect_error(suppressMessages(with_jobs_in(folder, call())), what, class = "pcfdist_error_file")
}

test_that("files and folders that others can write to are not read", {
  skip_on_os("windows")
  open_to <- function(name, mode) function(run, folder) Sys.chmod(file.path(run, name), mode, use_umask = FALSE)
  for (mode in c("0660", "0606")) for (name in c("answer-1", "engine", "functions")) {
    expect_refused_after(open_to(name, mode), "can be written by other users")
  }
  for (mode in c("0770", "0707", "1777")) {
    expect_refused_after(open_to("", mode), "the folder of .* can be written by other users")
  }
})

test_that("links in the place of folders and files of runs are not followed", {
  skip_on_os("windows")
  by_link <- function(path) {
    file.rename(path, to <- file.path(user_folder(), basename(path)))
    file.symlink(to, path)
  }
  for (name in c("answer-1", "engine", "functions")) {
    expect_refused_after(function(run, folder) by_link(file.path(run, name)), "symbolic link, which is not followed")
  }
  expect_refused_after(function(run, folder) by_link(run), "symbolic link, which is not followed")
  # Nothing is made at the end of a link that leads nowhere.
  for (name in c("answer-2", "made-by-pcfdist")) {
    folder <- user_folder()
    away <- file.path(user_folder(), "away")
    call <- function() nearest_neighbors(many_functions(), 2, to = 9, jobs = 2)
    run <- leave_run(call, folder, answers = 1)
    unlink(file.path(run, name), expand = FALSE)
    file.symlink(away, file.path(run, name))
    outcome <- tryCatch(suppressMessages(with_jobs_in(folder, call())), pcfdist_error_file = function(e) "refused")
    expect_true(identical(outcome, "refused") || identical(outcome, nearest_neighbors(many_functions(), 2, to = 9)))
    expect_false(file.exists(away))
  }
})

test_that("an engine takes its name only where it is free, and no link is followed", {
  skip_on_os("windows")
  folder <- user_folder()
  path <- engine_file(folder)
  engine <- c(Device = "cpu", Kernel = "walk", Instructions = "none")
  expect_identical(first_engine(path, engine), engine)
  expect_identical(first_engine(path, replace(engine, "Kernel", "sweep")), engine)
  unlink(path, expand = FALSE)
  away <- file.path(user_folder(), "away")
  file.symlink(away, path)
  try(first_engine(path, engine), silent = TRUE)
  expect_false(file.exists(away))
})

test_that("what was written for another run is not read", {
  one <- file.path(user_folder(), "run-1")
  other <- file.path(user_folder(), "run-2")
  dir.create(one)
  dir.create(other)
  write_whole(list(value = 1, report = NULL), file.path(one, "answer-1"))
  expect_identical(find_answer(one, 1)$value, 1)
  file.rename(file.path(one, "answer-1"), file.path(other, "answer-1"))
  expect_error(find_answer(other, 1), "damaged", class = "pcfdist_error_file")
})

test_that("runs are not in folders that all can write to, unless their sticky bit is set", {
  skip_on_os("windows")
  above <- user_folder()
  folder <- file.path(above, "a", "b")
  dir.create(folder, recursive = TRUE)
  x <- many_functions(20)
  expected <- nearest_neighbors(x, 2, to = 9)
  call <- function() nearest_neighbors(x, 2, to = 9, jobs = 2)
  for (open in c(above, file.path(above, "a"), folder)) {
    Sys.chmod(open, "0777", use_umask = FALSE)
    expect_error(with_jobs_in(folder, call()), paste0("must not be in ", dQuote(normalizePath(open), FALSE)),
                 class = "pcfdist_error_file", fixed = TRUE)
    expect_error(with_jobs(pdist(x, to = 9, file = file.path(folder, "d"), jobs = 2)), "must not be in",
                 class = "pcfdist_error_file")
    expect_identical(list.files(folder), character())
    for (mode in c("1777", "0775")) {
      Sys.chmod(open, mode, use_umask = FALSE)
      expect_identical(with_jobs_in(folder, call()), expected)
    }
  }
})

test_that("files with columns that others wrote are not used", {
  skip_on_os("windows")
  x <- many_functions()
  change <- list(
    open = function(path) Sys.chmod(path, "0666", use_umask = FALSE),
    link = function(path) {
      file.rename(path, to <- file.path(user_folder(), "columns"))
      file.symlink(to, path)
    }
  )
  for (way in names(change)) for (suffix in c("", ".dcf")) {
    file <- new_file()
    call <- function() with_jobs(pdist(x, to = 9, file = file, jobs = 2))
    with_mocked(join_parts = function(...) stop("not yet"), code = expect_error(call(), "not yet"))
    parts <- list.files(paste0(file, ".jobs"), "^columns-[0-9]+$", recursive = TRUE, full.names = TRUE)
    expect_length(parts, 2)
    change[[way]](paste0(parts[2], suffix))
    expect_error(call(), "other users|symbolic link", class = "pcfdist_error_file")
    expect_false(file.exists(file))
  }
})

test_that("objects of any size are read as they were written", {
  path <- file.path(user_folder(), "answer-1")
  for (n in c(0, 1, 1000, 524288, 1300000)) {
    object <- list(value = stats::runif(n), report = list("a", quote(b + c), NULL))
    write_whole(object, path)
    expect_identical(read_whole(path, is_answer), object)
  }
  failing <- structure(list(), class = "any")
  expect_error(write_whole(list(failing, stop("in the object")), path), "in the object")
  expect_identical(list.files(dirname(path)), "answer-1")
})
