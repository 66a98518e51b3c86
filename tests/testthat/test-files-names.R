# What lies beside results under the names that they need: nothing of others is lost.

skip_on_os("windows") # where R itself was not tried

functions_to_store <- function(n = 80) {
  x <- random_partial_pcf(n)
  names(x) <- paste0("f", seq_len(n))
  x
}

# Calls with a file: of integrals, and of means.
calls_with_files <- function(x = functions_to_store()) {
  list(
    overlap = function(file, ...) pdist(x, from = 0, to = 9, missing = "overlap", file = file, ...),
    mean = function(file, ...) pdist(x, from = 0, to = 9, missing = "mean", file = file, ...)
  )
}

# The names and bytes of all files of a folder.
contents <- function(folder) {
  names <- list.files(folder, all.files = TRUE, no.. = TRUE)
  stats::setNames(lapply(file.path(folder, names), bytes_of), names)
}

# The bytes of the result, or "error" for an error about files. Anything else is a failure.
try_call <- function(call, file) {
  tryCatch({
    suppressMessages(call(file))
    bytes_of(file)
  }, pcfdist_error_file = function(error) "error")
}

# Computes in part, as far as a disk that gets full in this step lets it.
begin_call <- function(call, file, step) {
  expect_error(on_full_disk(step, with_settings(call(file, threads = 1), block = 32, tile = 32)),
               class = "pcfdist_error_file")
}

needed_suffixes <- c(".part", ".dcf", ".dcf.new", ".dcf.dcf", ".part.dcf")

test_that("no result takes the files of another one, whatever their names", {
  skip_on_cran()
  calls <- calls_with_files()
  due <- lapply(calls, function(call) try_call(call, new_file()))
  pairs <- expand.grid(
    suffix = needed_suffixes, longer_first = c(TRUE, FALSE), one = names(calls),
    other = names(calls), steps = c(0, 16, 40), stringsAsFactors = FALSE
  )
  both <- 0
  for (k in seq_len(nrow(pairs))) {
    case <- pairs[k, ]
    label <- paste(case, collapse = " ")
    short <- new_file()
    long <- paste0(short, case$suffix)
    first <- if (case$longer_first) long else short
    second <- if (case$longer_first) short else long
    if (case$steps > 0) begin_call(calls[[case$one]], first, case$steps)
    else calls[[case$one]](first)
    before <- contents(dirname(short))
    answer <- try_call(calls[[case$other]], second)
    expect_true(identical(answer, "error") || identical(answer, due[[case$other]]), label = label)
    expect_identical(contents(dirname(short))[names(before)], before, label = label)
    # The first goes on, unless it is told that a name that it needs is taken now.
    again <- try_call(calls[[case$one]], first)
    taken <- case$steps > 0 && !identical(answer, "error")
    expect_true(identical(again, due[[case$one]]) || (taken && identical(again, "error")),
                label = label)
    if (identical(answer, "error")) next
    both <- both + 1
    expect_identical(bytes_of(second), due[[case$other]], label = label)
    expect_silent(open_distances(second, check = TRUE))
  }
  expect_gt(both, nrow(pairs) / 4)
})

test_that("what is left by calls that were killed is gone on with, also beginnings of headers", {
  call <- calls_with_files()$overlap
  file <- new_file()
  call(file)
  text <- bytes_of(paste0(file, ".dcf"))
  whole <- bytes_of(file)
  for (bytes in c(0, 1, 100)) {
    file <- new_file()
    file.create(paste0(file, ".part"))
    writeBin(text[seq_len(bytes)], paste0(file, ".dcf.new"))
    call(file)
    expect_identical(bytes_of(file), whole)
    expect_identical(list.files(dirname(file)), c("d", "d.dcf"))
  }
})

test_that("files of results keep their modes when they are gone on with", {
  call <- calls_with_files()$overlap
  file <- new_file()
  begin_call(call, file, 16)
  files <- paste0(file, c(".part", ".dcf"))
  expect_true(all(file.exists(files)))
  Sys.chmod(files, c("600", "640"))
  call(file)
  expect_identical(format(file.mode(c(file, files[2]))), c("600", "640"))
  # A call that was killed early has left the beginning of a header, which is made anew.
  begun <- new_file()
  writeBin(bytes_of(files[2])[1:100], paste0(begun, ".dcf.new"))
  file.create(paste0(begun, ".part"))
  Sys.chmod(paste0(begun, ".part"), "600")
  call(begun)
  expect_identical(format(file.mode(begun)), "600")
})

test_that("results are read behind symbolic links, and never written over them", {
  call <- calls_with_files()$overlap
  file <- new_file()
  call(file)
  link <- new_file()
  file.symlink(file, link)
  file.symlink(paste0(file, ".dcf"), paste0(link, ".dcf"))
  before <- contents(dirname(file))
  expect_message(call(link), "already")
  expect_identical(c(collect(open_distances(link))), c(collect(open_distances(file))))
  expect_file_refusal(calls_with_files()$mean(link), "`file` has the results of another call: \"d.dcf\" says ",
                      "Missing: overlap, but this call has mean. Choose another name, or delete the files.")
  expect_identical(contents(dirname(file)), before)
  expect_identical(unname(Sys.readlink(link)), file)
})

test_that("an empty file that was there before a call that fails is there after it", {
  call <- calls_with_files()$overlap
  for (step in 1:4) {
    file <- new_file()
    file.create(paste0(file, ".part"))
    expect_error(on_full_disk(step, call(file)), "No space left", class = "pcfdist_error_file")
    expect_identical(contents(dirname(file)), list(d.part = raw()))
  }
})

test_that("the name is only taken where it is still free in the end", {
  call <- calls_with_files()$overlap
  file <- new_file()
  writeLines("precious", paste0(file, "2"))
  file.symlink(file.path(dirname(file), "nothing"), file)
  expect_file_refusal(call(file), '"FOLDER/d" already exists')
  expect_identical(list.files(dirname(file)), c("d", "d2"))
})

test_that("links in the place of files that are written are errors, and nothing is made where they lead", {
  call <- calls_with_files()$overlap
  whole <- new_file()
  call(whole)
  for (suffix in c(".part", ".dcf", ".dcf.new")) for (begun in c(FALSE, TRUE)) for (to in list(NULL, raw())) {
    label <- paste(suffix, begun, length(to))
    file <- new_file()
    away <- file.path(dirname(new_file()), "away")
    if (begun) begin_call(call, file, 16)
    link <- paste0(file, suffix)
    if (begun && suffix == ".dcf.new") next
    if (file.exists(link)) file.rename(link, away) else if (!is.null(to)) writeBin(to, away)
    file.symlink(away, link)
    before <- contents(dirname(away))
    expect_error(call(file), "symbolic link, which is not followed|not made by (this version of )?pcfdist",
                 class = "pcfdist_error_file", label = label)
    expect_identical(contents(dirname(away)), before, label = label)
    expect_true(nzchar(Sys.readlink(link)), label = label)
  }
  # Whole results may be read by links.
  file <- new_file()
  file.symlink(paste0(whole, c("", ".dcf")), paste0(file, c("", ".dcf")))
  expect_identical(as.vector(open_distances(file, check = TRUE)), as.vector(open_distances(whole)))
})

# One that hangs is killed.
test_that("fifos and folders are errors at once, and stay", {
  skip_without_processes()
  skip_if(!nzchar(Sys.which("mkfifo")), "there is no mkfifo")
  folder <- tempfile("folder")
  dir.create(folder)
  printed <- run_child(seconds = 60, c(
    sprintf("setwd(%s)", deparse(folder)),
    "x <- pcf(list(c(-Inf, 1, 5), c(-Inf, 2, 6), c(-Inf, 1, 3, 4, 7)),",
    "         list(c(NA, 1, NA), c(NA, 2, NA), c(NA, 1, NA, 3, NA)))",
    "calls <- list(",
    "  pdist = function(file) pdist(x, from = 0, to = 9, missing = 'overlap', file = file),",
    "  mean = function(file) pdist(x, from = 0, to = 9, missing = 'mean', file = file),",
    "  open = function(file) open_distances(file, check = TRUE)",
    ")",
    "tell <- function(call, ...) {",
    "  outcome <- tryCatch({ calls[[call]]('d'); 'done' }, error = function(e) class(e)[1])",
    "  cat(outcome, call, ..., '\\n')",
    "}",
    "make <- c(fifo = 'mkfifo', folder = 'mkdir')",
    "for (kind in names(make)) for (suffix in c('.part', '.dcf', '.dcf.new', '')) {",
    "  taken <- paste0('d', suffix)",
    "  for (call in c('pdist', 'mean')) {",
    "    system2(make[[kind]], taken)",
    "    tell(call, kind, suffix)",
    "    if (!file.exists(taken)) cat('lost', taken, '\\n')",
    "    unlink(list.files('.'), recursive = TRUE, expand = FALSE)",
    "  }",
    "  if (suffix %in% c('', '.dcf')) {",
    "    calls$pdist('d')",
    "    saved <- tempfile(); saveRDS(open_distances('d'), saved)",
    "    unlink(taken, expand = FALSE)",
    "    system2(make[[kind]], taken)",
    "    tell('pdist', kind, suffix, 'over')",
    "    tell('open', kind, suffix, 'over')",
    "    calls$read <- function(file) readRDS(saved)",
    "    tell('read', kind, suffix, 'over')",
    "    unlink(list.files('.'), recursive = TRUE, expand = FALSE)",
    "  }",
    "}",
    "cat('end\\n')"
  ))
  unlink(folder, recursive = TRUE, expand = FALSE)
  expect_identical(printed[length(printed)], "end")
  outcomes <- printed[-length(printed)]
  expect_identical(grep("^pcfdist_error_file ", outcomes, value = TRUE), outcomes)
  expect_length(outcomes, 2 * (4 * 2 + 2 * 3))
})
