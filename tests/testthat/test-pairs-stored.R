# Results in files have the bits of those in memory.

skip_on_os("windows") # where R itself was not tried

some_functions <- function(n = 200, seed = 1) {
  set.seed(seed)
  x <- rpcf(n, 8)
  names(x) <- paste0("f", seq_len(n))
  x
}

expect_same_results <- function(stored, plain, storage = "double") {
  expected <- if (storage == "single") as_floats(plain) else as.vector(plain)
  expect_identical(as.vector(stored), expected)
  kept <- function(x) attributes(x)[setdiff(names(attributes(x)), c("class", "call"))]
  expect_identical(kept(stored), kept(plain))
  expect_s3_class(stored, "stored_distances")
}

test_that("files have the bits of results in memory", {
  x <- some_functions()
  calls <- list(
    function(...) pdist(x, ...), function(...) pdist(x, p = 2.5, to = 3, ...),
    function(...) pdist(x, p = Inf, precision = "single", ...),
    function(...) cdist(x, x[1:70], p = 2, ...), function(...) l2_kernel(x, ...),
    function(...) l2_kernel(x[1:5], x, ...), function(...) pdist(x[1:2], ...),
    function(...) cdist(x[1], x[2], ...)
  )
  for (call in calls) {
    for (storage in c("double", "single")) {
      file <- new_file()
      stored <- call(file = file, storage = storage)
      plain <- call()
      expect_same_results(stored, plain, storage)
      expect_identical(list.files(dirname(file)), c("d", "d.dcf"))
      opened <- open_distances(file, check = TRUE)
      expect_identical(attributes(opened), attributes(stored))
      expect_same_results(opened, plain, storage)
    }
  }
})

test_that("all kernels write files", {
  x <- some_functions(60)
  long <- as_pcf(stats::ecdf(cumsum(rep(1, 500))))
  for (kernel in c("sweep", "grid", "split", "walk")) {
    with_settings(expect_same_results(pdist(x, file = new_file()), pdist(x)), kernel = kernel)
  }
  local_settings(kernel = "lookup")
  expect_same_results(l2_kernel(x, long, to = 9, file = new_file()), l2_kernel(x, long, to = 9))
})

test_that("empty and single collections have files", {
  x <- some_functions(3)
  for (n in 0:1) {
    expect_same_results(pdist(x[seq_len(n)], file = new_file()), pdist(x[seq_len(n)]))
  }
  expect_same_results(cdist(x, x[0], file = new_file()), cdist(x, x[0]))
  expect_same_results(l2_kernel(x[0], file = new_file()), l2_kernel(x[0]))
})

test_that("names and dimensions of any kind come back", {
  x <- some_functions(4)
  names(x) <- c("a \"b\"\\n", "\u00e9\n\t\\", NA, "")
  expect_same_results(pdist(x, file = new_file()), pdist(x))
  expect_same_results(l2_kernel(x, x[2:3], file = new_file()), l2_kernel(x, x[2:3]))
  y <- some_functions(6)
  dim(y) <- c(2, 3)
  expect_same_results(cdist(y, x, file = new_file()), cdist(y, x))
  dimnames(y) <- list(NULL, c("u", "v", "w"))
  expect_same_results(cdist(x, y, file = new_file()), cdist(x, y))
})

test_that("names of any length and encoding come back", {
  x <- some_functions(3)
  latin1 <- "\xe9t\xe9"
  Encoding(latin1) <- "latin1"
  names(x) <- c(strrep("a", 1500000), paste0(strrep("\u00e9\"", 600000), "b"), latin1)
  file <- new_file()
  expect_same_results(pdist(x, file = file), pdist(x))
  expect_identical(attr(open_distances(file), "Labels"), names(x))
  expect_identical(nchar(rownames(l2_kernel(x, file = new_file()))), nchar(names(x)))
  expect_same_results(suppressMessages(pdist(x, file = file)), pdist(x))
})

test_that("names that are no text are errors before anything is computed", {
  x <- some_functions(3)
  broken <- bytes <- "a\xff"
  Encoding(broken) <- "UTF-8"
  Encoding(bytes) <- "bytes"
  for (name in list(broken, bytes)) {
    names(x)[2] <- name
    for (call in list(pdist, l2_kernel, function(x, file) cdist(some_functions(2), x, file = file))) {
      file <- new_file()
      message <- conditionMessage(expect_error(call(x, file = file), class = "pcfdist_error_file"))
      expect_match(message, "^`file` cannot keep the name \".*ff.*\", whose bytes are not valid text.")
      expect_identical(list.files(dirname(file)), character())
    }
  }
})

test_that("names are text also where the session has another encoding", {
  skip_without_processes()
  expect_identical(run_child(c(
    "invisible(Sys.setlocale('LC_ALL', 'C'))",
    "x <- pcf(list(c(0, 1), c(0, 2)), list(1:0, 1:0))",
    "latin1 <- '\\xe9'",
    "Encoding(latin1) <- 'latin1'",
    "names(x) <- c('\\u00e9\\u20ac', latin1)",
    "file <- tempfile()",
    "d <- pdist(x, file = file)",
    "cat(identical(attr(d, 'Labels'), names(x)), identical(names(pdist(x, file = file)), names(d)), '\\n')",
    "names(x)[1] <- '\\xe9'",
    "cat(tryCatch(pdist(x, file = tempfile()), error = function(e) class(e)[1]), '\\n')"
  )), c("TRUE TRUE ", "pcfdist_error_file "))
})

test_that("results of functions with other names or dimensions are those of another call", {
  x <- some_functions(6)
  of <- function(x) {
    expect_error(pdist(x, file = file), "other names or dimensions", class = "pcfdist_error_file")
  }
  file <- new_file()
  d <- pdist(x, file = file)
  of(unname(x))
  of(stats::setNames(x, letters[1:6]))
  expect_identical(attr(suppressMessages(pdist(x, file = file)), "Labels"), names(x))
  file <- new_file()
  pdist(unname(x), file = file)
  of(x)
  y <- `dim<-`(unname(x), c(2, 3))
  file <- new_file()
  m <- cdist(y, x, file = file)
  for (other in list(unname(x), x, `dimnames<-`(y, list(NULL, letters[1:3])), `dim<-`(y, c(3, 2)))) {
    expect_error(cdist(other, x, file = file), "other names or dimensions",
                 class = "pcfdist_error_file")
  }
  expect_identical(dim(suppressMessages(cdist(y, x, file = file))), c(2L, 3L, 6L))
})

test_apart("NA and infinite numbers are kept", {
  times <- list(c(-Inf, 1, 2), c(-Inf, 3, 4), c(0, 3))
  x <- pcf(times, list(c(NA, 1, NA), c(NA, 2, NA), c(1, 2)))
  for (storage in c("double", "single")) {
    d <- pdist(x, missing = "overlap", file = new_file(), storage = storage)
    expect_same_results(d, pdist(x, missing = "overlap"), storage)
    expect_true(is.na(d[1]) && !is.nan(d[1]))
  }
  y <- x[3] + 0:3
  expect_warning(
    d <- pdist(y, file = new_file(), storage = "single"), class = "pcfdist_warning_infinite"
  )
  expect_identical(as.vector(d), rep(Inf, 6))
})

test_apart("means over overlaps are divided on the way", {
  x <- random_partial_pcf(90)
  calls <- list(
    function(...) pdist(x, 2, from = 0, to = 9, missing = "mean", ...),
    function(...) cdist(x, x[1:20], from = 0, to = 9, missing = "mean", ...),
    function(...) l2_kernel(x, from = 0, to = 9, missing = "mean", ...),
    function(...) pdist(observed(x), to = 9, from = 0, missing = "mean", ...)
  )
  for (call in calls) {
    for (storage in c("double", "single")) {
      file <- new_file()
      expect_same_results(call(file = file, storage = storage), call(), storage)
      expect_identical(list.files(dirname(file)), c("d", "d.dcf"))
    }
  }
  unbounded <- function(...) pdist(x, missing = "mean", ...)
  file <- new_file()
  expect_error(unbounded(file = file), class = "pcfdist_error_missing")
  expect_identical(list.files(dirname(file)), character())
})

# Sums in single precision show by which method, and on which grid, lengths were computed.
test_apart("means in single precision have the same bits wherever they go", {
  for (kernel in c("grid", "sweep", "walk")) {
    n <- if (kernel == "walk") 20 else 100
    x <- functions_with_gaps(n, if (kernel == "walk") 300 else 30, shared = kernel == "grid")
    means <- function(f, ...) f(..., missing = "mean", precision = "single")
    calls <- list(
      function(...) means(pdist, x, from = 0, to = 9, ...),
      function(...) means(cdist, x, x[1:20], 2, from = 1, to = 8, ...)
    )
    for (call in calls) {
      plain <- call()
      expect_identical(last_run()$kernel, kernel)
      expect_same_results(call(file = new_file()), plain)
      for (step in c(8, 14, 20)) {
        file <- new_file()
        is_killed_in(step, function() with_settings(call(file = file), block = 16))
        expect_same_results(with_settings(call(file = file), block = 64, threads = 1), plain)
      }
      expect_same_results(with_settings(call(file = new_file()), tile = 32, threads = 2), plain)
    }
  }
})

# ---- As R objects ----

test_that("parts are read without a copy of the whole", {
  x <- some_functions(80)
  plain <- as.matrix(pdist(x))
  for (storage in c("double", "single")) {
    d <- pdist(x, file = new_file(), storage = storage)
    if (storage == "single") plain[] <- as_floats(plain)
    expect_identical(as.matrix(d, 3:5, c(1, 4, 80)), plain[3:5, c(1, 4, 80)])
    expect_identical(as.matrix(d, c("f7", "f2"), -1), plain[c("f7", "f2"), -1])
    expect_identical(as.matrix(d), plain)
    expect_identical(dim(as.matrix(d, integer(), 1:4)), c(0L, 4L))
    expect_identical(dim(as.matrix(d, 1:4, integer())), c(4L, 0L))
    expect_error(as.matrix(d, c(-1, 1)), "`rows` cannot be used", class = "pcfdist_error_rows")
    expect_error(as.matrix(d, 1, list(1)), class = "pcfdist_error_columns")
    k <- cdist(x, x, file = new_file(), storage = storage)
    expect_identical(as.matrix(k, 2:3, "f4"), unclass(k)[2:3, "f4", drop = FALSE])
    expect_identical(k[2, 7], plain[2, 7])
    expect_identical(range(k), range(plain))
    copied <- function(x) any(grepl("a copy", utils::capture.output(.Internal(inspect(x)))[1]))
    expect_false(copied(d) || copied(k))
    far <- cdist(x, 100 + x, to = 1, file = new_file(), storage = storage)
    expect_identical(range(far, finite = TRUE), range(as.vector(far)))
  }
})

test_that("the functions of R take them", {
  skip_if_not_installed("fastcluster")
  x <- some_functions(50)
  plain <- pdist(x)
  for (storage in c("double", "single")) {
    d <- pdist(x, file = new_file(), storage = storage)
    plain[] <- as.vector(d)
    expect_identical(hclust(d)[1:4], hclust(plain)[1:4])
    expect_identical(fastcluster::hclust(d)$height, fastcluster::hclust(plain)$height)
    expect_identical(cmdscale(d), cmdscale(plain))
    expect_identical(as.vector(sort(d)), sort(as.vector(plain)))
    expect_identical(as.vector(d * 2), as.vector(plain) * 2)
    expect_identical(labels(d), labels(plain))
  }
})

test_that("what is assigned stays in the session", {
  x <- some_functions(40)
  for (storage in c("double", "single")) {
    file <- new_file()
    d <- pdist(x, file = file, storage = storage)
    before <- bytes_of(file)
    first <- d[1]
    changed <- d
    changed[1] <- -1
    expect_identical(c(changed[1], d[1]), c(-1, first))
    attr(changed, "more") <- 1
    expect_identical(c(changed[1:2], d[1]), c(-1, d[2], first))
    d[2] <- -2
    expect_identical(d[1:2], c(first, -2))
    d[3] <- NaN
    expect_true(is.nan(d[3]) && is.nan(d[2:3][2]))
    expect_identical(bytes_of(file), before)
    saved <- tempfile()
    saveRDS(d, saved)
    expect_identical(as.vector(readRDS(saved)), as.vector(d))
  }
})

test_that("saved objects are references", {
  x <- some_functions(100)
  for (storage in c("double", "single")) {
    file <- new_file()
    d <- pdist(x, file = file, storage = storage)
    hclust(d) # gets a pointer, and writes nothing
    saved <- tempfile()
    saveRDS(d, saved)
    expect_lt(file.size(saved), 2000)
    expect_identical(as.vector(readRDS(saved)), as.vector(d))
    expect_identical(attributes(readRDS(saved)), attributes(d))
    copy <- d
    attr(copy, "more") <- 1
    expect_lt(length(serialize(copy, NULL)), 20000)

    unlink(c(file, paste0(file, ".dcf")), expand = FALSE)
    expect_error(readRDS(saved), "does not exist any more", class = "pcfdist_error_file")
    pdist(x[100:1], file = file, storage = storage)
    expect_error(readRDS(saved), "now has other results", class = "pcfdist_error_file")
    expect_identical(d[1:3], as.vector(copy)[1:3]) # the open file is the old one
  }
})

test_that("collect() gives the result in memory", {
  x <- some_functions(30)
  same <- function(a, b) {
    attr(a, "call") <- attr(b, "call") <- NULL
    expect_identical(a, b)
  }
  same(collect(pdist(x, file = new_file())), pdist(x))
  same(collect(l2_kernel(x, file = new_file())), l2_kernel(x))
  same(collect(cdist(x, x[1:2], file = new_file())), cdist(x, x[1:2]))
  expect_identical(collect(3), 3)
  skip_if_not_installed("dplyr")
  same(dplyr::collect(pdist(x, file = new_file())), pdist(x))
})

test_that("collect() is dplyr's for what dplyr can collect", {
  skip_if_not_installed("dplyr")
  registerS3method("collect", "query_of_a_test", function(x, ...) "collected",
                   envir = asNamespace("dplyr"))
  expect_identical(collect(structure(1, class = "query_of_a_test")), "collected")
  expect_identical(collect(tibble::tibble(a = 1)), tibble::tibble(a = 1))
})

test_that("they are printed in short", {
  x <- some_functions(9)
  file <- new_file()
  shown <- function(x) {
    text <- utils::capture.output(print(x, digits = 7))
    writeLines(gsub(normalizePath(dirname(file)), "FOLDER", text, fixed = TRUE))
  }
  some <- pdist(x[1:3], file = paste0(file, 3L))
  expect_snapshot({
    shown(pdist(x, file = file))
    shown(cdist(x, x[c("f1", "f2")], file = paste0(file, 2L), storage = "single"))
    shown(some + some)
  })
})

test_that("the text file is a DCF", {
  x <- some_functions(5)
  file <- new_file()
  local_settings(kernel = "sweep")
  pdist(x, file = file)
  fields <- read.dcf(paste0(file, ".dcf"))
  expect_identical(fields[, "Rows"], c(Rows = "5"))
  expect_identical(fields[, "Storage"], c(Storage = "double"))
  expect_match(fields[, "Blocks"], "^\n?1 1 5 5 [0-9a-f]{16} [0-9a-f]{16}$")
})

# ---- Calls on whole results ----

test_that("a call on whole results says so once, and compares their blocks with the checksums", {
  x <- some_functions(30)
  calls <- list(
    function(...) pdist(x, ...), function(...) l2_kernel(x, ...), function(...) cdist(x, x[1:9], ...)
  )
  if (requireNamespace("future", quietly = TRUE)) {
    calls <- c(calls, function(...) with_jobs(pdist(x, jobs = 2, ...)))
  }
  for (call in calls) {
    file <- new_file()
    expect_silent(call(file = file))
    said <- capture_messages(call(file = file))
    expect_identical(said, paste0("The results of this call are already in \"", normalizePath(file),
                                  "\": the file is opened, and nothing is computed.\n"))
    expect_message(call(file = file), class = "pcfdist_message_file")
    whole <- bytes_of(file)
    writeBin(replace(whole, 100, !whole[100]), file)
    expect_error(suppressMessages(call(file = file)), "does not match its checksum",
                 class = "pcfdist_error_file")
    unchecked <- suppressMessages(call(file = file, check = FALSE))
    expect_identical(sum(unchecked != call(file = new_file())), 1L)
  }
})

# ---- Calls that end early ----

# As after any call that was killed.
expect_goes_on <- function(call, file, whole) {
  stored <- call(file)
  expect_identical(bytes_of(file), whole)
  expect_identical(list.files(dirname(file)), c("d", "d.dcf"))
  open_distances(file, check = TRUE)
  stored
}

test_that("a call that was killed in any step goes on, with the bits of one that was not", {
  skip_on_cran()
  x <- some_functions(150)
  local_settings(block = 32, tile = 32)
  y <- random_partial_pcf(150)
  calls <- list(
    function(file, ...) pdist(x, file = file, storage = "single", ...),
    function(file, ...) l2_kernel(x, file = file, ...),
    function(file, ...) pdist(y, from = 0, to = 9, missing = "mean", file = file, ...),
    function(file, ...) pdist(y, from = 0, to = 9, missing = "overlap", min_overlap = 3, file = file, ...)
  )
  set.seed(3)
  for (call in calls) {
    file <- new_file()
    call(file)
    whole <- bytes_of(file)
    for (step in c(1:6, sample(7:430, 14))) {
      file <- new_file()
      expect_true(is_killed_in(step, function() call(file, threads = 1)))
      expect_false(file.exists(file))
      expect_goes_on(call, file, whole)
    }
  }
})

test_that("blocks that are there are not computed again", {
  x <- some_functions(150)
  local_settings(block = 32, tile = 32)
  file <- new_file()
  expect_error(on_full_disk(400, pdist(x, file = file, threads = 1)), "No space left", class = "pcfdist_error_file")
  lines <- readLines(paste0(file, ".dcf"))
  there <- length(lines) - which(lines == "Blocks:")
  expect_gt(there, 0)
  d <- pdist(x, file = file, threads = 2)
  expect_identical(last_run()$blocks, 15 - there)
  expect_same_results(d, pdist(x))
})

test_that("an unfinished last line does not count", {
  x <- some_functions(60)
  file <- new_file()
  pdist(x, file = file)
  whole <- bytes_of(file)
  file.rename(file, paste0(file, ".part"))
  text <- readChar(paste0(file, ".dcf"), 1e6)
  writeBin(charToRaw(substr(text, 1, nchar(text) - 5)), paste0(file, ".dcf"))
  pdist(x, file = file)
  expect_identical(bytes_of(file), whole)
  expect_identical(readChar(paste0(file, ".dcf"), 1e6), text)
})

# R's thread is interrupted when the first block is there.
test_that("a call that was interrupted goes on", {
  skip_without_processes()
  folder <- tempfile()
  dir.create(folder)
  printed <- run_child(c(
    "set.seed(1)",
    "x <- rpcf(3000, 100)",
    sprintf("file <- file.path(%s, 'd')", deparse(folder)),
    "file <- pcfdist:::check_file(file, 'double')",
    "run <- function(x, p, interrupt) {",
    "  settings <- pcfdist:::run_settings(NULL, NULL, 1, FALSE)",
    "  settings$progress <- function(done, total, seconds) {",
    "    if (interrupt && done > 0) tools::pskill(Sys.getpid(), tools::SIGINT)",
    "  }",
    "  call <- pcfdist:::check_integrals(x, NULL, -Inf, Inf)",
    "  attributes <- list(Size = length(x), class = 'dist')",
    "  operation <- list(name = 'lp', exponent = p)",
    "  request <- pcfdist:::request_for(call, operation, 'dist', 'below', attributes, file)",
    "  pcfdist:::run_pairwise(x, NULL, request, settings)$value",
    "}",
    "caught <- tryCatch({ run(x, 2.3, TRUE); 'finished' }, interrupt = function(e) 'stopped')",
    "cat(caught, list.files(dirname(file$path)), '\\n')",
    "lines <- readLines(paste0(file$path, '.dcf'))",
    "there <- length(lines) - which(lines == 'Blocks:')",
    "d <- run(x, 2.3, FALSE)",
    "cat(there > 0, last_run()$blocks > 0, '\\n')",
    "open_distances(file$path, check = TRUE)",
    "cat(all.equal(d[1:9], pdist(x[1:10], p = 2.3)[1:9]), '\\n')"
  ))
  expect_identical(printed[1:2], c("stopped d.dcf d.part ", "TRUE TRUE "))
  expect_identical(printed[length(printed)], "TRUE ")
  unlink(folder, recursive = TRUE, expand = FALSE)
})

# ---- Errors ----

test_that("arguments that make no sense are errors", {
  x <- some_functions(4)
  here <- normalizePath(".")
  refused(pdist(x, storage = "single"), "storage", "must not be given without `file`, in which the numbers are stored.")
  refused(cdist(x, x, check = FALSE), "check", "must not be given without `file`, whose blocks it checks.")
  refused(l2_kernel(x, file = "no-such-file", check = 1), "check", "must be TRUE or FALSE, not 1.")
  refused(pdist(x, file = 1), "file", "must be the name of a file, not 1.")
  bytes <- "a\xff"
  not_text <- "`file` must be the name of a file, but has bytes that are not valid text."
  if (l10n_info()[["UTF-8"]]) expect_refusal(pdist(x, file = bytes), "file", not_text)
  Encoding(bytes) <- "bytes"
  expect_refusal(open_distances(bytes), "file", not_text)
  refused(pdist(x, file = c("a", "b")), "file", "must be the name of a file, not a character vector of length 2.")
  refused(pdist(x, file = NA_character_), "file", 'must be the name of a file, not "NA".')
  refused(pdist(x, file = "/no/such/folder/d"), "file",
          'must be in a folder that exists, but "/no/such/folder" does not.')
  refused(pdist(x, file = "no-such-file", storage = "half"), "storage",
          'must be one of "double", "single", not "half".')
  refused(pdist(x, file = ".."), "file", 'must be the name of a file, not of a folder: "', here, '/..".')
  with_slash <- paste0('must be the name of a file, not of a folder: "', here, '/no-such-file/".')
  refused(pdist(x, file = "no-such-file/"), "file", with_slash)
  refused(cdist(x, x, file = "no-such-file/"), "file", with_slash)
  refused(l2_kernel(x, file = "no-such-file//"), "file", with_slash)
  refused(open_distances("no-such-file/"), "file", with_slash)
  expect_false(file.exists("no-such-file"))
  refused(l2_kernel(x, file = ""), "file", 'must be the name of a file, not "".')
  refused(open_distances(3), "file", "must be the name of a file, not 3.")
  refused(open_distances("no-such-file"), "file", 'does not exist: "', here, '/no-such-file".')
  refused(open_distances("no-such-file", check = NA), "check", "must be TRUE or FALSE, not NA.")
})

test_that("equal functions continue a file", {
  x <- pcf(list(0:2, c(0, 1)), list(c(1, NA, 0), c(1, 0))) * 2
  other <- unserialize(serialize(x, NULL, ascii = TRUE)) # NA has other bits
  other <- replace_functions(other, lapply(unclass(other), function(f) replace(f, which(f == 0), -0)))
  file <- new_file()
  d <- pdist(x, file = file, missing = "overlap")
  expect_message(again <- pdist(other, file = file, missing = "overlap"), "nothing is computed")
  expect_identical(collect(again), collect(d))
})

test_that("the results of another call are an error, and stay", {
  x <- some_functions(20)
  file <- new_file()
  pdist(x, file = file)
  files <- c(file, paste0(file, ".dcf"))
  before <- lapply(files, bytes_of)
  expect_other_call <- function(object, difference) {
    expect_file_refusal(object, '`file` has the results of another call: "d.dcf" ', difference,
                        ". Choose another name, or delete the files.")
  }
  expect_other_call(pdist(x[20:1], file = file), "was made from other functions")
  expect_other_call(pdist(x, p = 2, file = file), "says Operation: l1, but this call has l2")
  expect_other_call(pdist(x, to = 2, file = file), "says To: Inf, but this call has 2")
  expect_other_call(pdist(x, file = file, precision = "single"),
                    "says Precision: double, but this call has single")
  expect_other_call(pdist(x, file = file, storage = "single"), "says Storage: double, but this call has single")
  expect_other_call(l2_kernel(x, file = file), "says Layout: dist, but this call has symmetric")
  expect_other_call(pdist(x[1:5], file = file), "says Rows: 20, but this call has 5")
  weight <- pcf(0, 2)
  expect_error(pdist(x, weight = weight, file = file), class = "pcfdist_error_file")
  expect_identical(lapply(files, bytes_of), before)
  expect_same_results(suppressMessages(pdist(x, file = file)), pdist(x))
})

test_that("other kernels do not go on with a file", {
  x <- some_functions(20)
  file <- new_file()
  pdist(x, file = file)
  file.rename(file, paste0(file, ".part"))
  local_settings(kernel = "grid")
  expect_file_refusal(pdist(x, file = file),
                      '`file` was begun with the kernel "sweep", and cannot be continued with "grid".')
})

test_that("files that are not ours are errors, and stay", {
  x <- some_functions(20)
  not_ours <- paste(" exists, but was not made by pcfdist, since there is no \"d.dcf\".",
                    "Choose another name.")
  problems <- c(
    d = paste0('`file` cannot be used: "d"', not_ours),
    d.part = paste0('`file` cannot be used: "d.part"', not_ours),
    d.dcf = paste('"FOLDER/d.dcf" was not made by this version of pcfdist: to compute results, choose another name',
                  "or delete it")
  )
  for (name in names(problems)) {
    file <- new_file()
    taken <- file.path(dirname(file), name)
    writeLines("precious", taken)
    expect_file_refusal(pdist(x, file = file), problems[[name]])
    expect_identical(list.files(dirname(file)), name)
    expect_identical(readLines(taken), "precious")
  }
  expect_file_refusal(open_distances(file), '`file` does not exist: "FOLDER/d".')
})

test_that("a damaged block is an error that names it", {
  x <- some_functions(150)
  local_settings(block = 64, tile = 32)
  # The function, and the first row of the block.
  for (case in list(list(pdist, 129), list(l2_kernel, 65))) {
    call <- case[[1]]
    problem <- sprintf(
      " is damaged: the block of rows %.0f to %.0f and columns 65 to 128 does not match its checksum",
      case[[2]], min(case[[2]] + 63, 150)
    )
    file <- new_file()
    call(x, file = file)
    whole <- bytes_of(file)
    damaged <- whole
    at <- 8 * 149 * 70
    damaged[at] <- xor(damaged[at], as.raw(1))
    writeBin(damaged, file)
    expect_file_refusal(open_distances(file, check = TRUE), '"FOLDER/d"', problem)
    expect_file_refusal(collect(open_distances(file)), '"FOLDER/d"', problem)
    file.rename(file, paste0(file, ".part"))
    expect_file_refusal(call(x, file = file), '"FOLDER/d.part"', problem)
    # The way out.
    text <- paste0(file, ".dcf")
    message <- conditionMessage(tryCatch(call(x, file = file), error = identity))
    first <- gregexpr("(?<=rows |columns )[0-9]+", message, perl = TRUE)
    place <- as.numeric(regmatches(message, first)[[1]])
    lines <- readLines(text)
    of_block <- startsWith(lines, sprintf(" %.0f %.0f ", place[1], place[2]))
    expect_identical(sum(of_block), 1L)
    writeLines(lines[!of_block], text)
    call(x, file = file)
    expect_identical(bytes_of(file), whole)
  }
})

test_that("damaged text files and lengths are errors", {
  x <- some_functions(30)
  file <- new_file()
  text <- paste0(file, ".dcf")
  pdist(x, file = file)
  whole <- bytes_of(file)
  lines <- readLines(text)
  expect_text_refusal <- function(lines, ...) {
    writeLines(lines, text)
    expect_file_refusal(open_distances(file, check = TRUE), ...)
  }
  last <- length(lines)
  no_block <- ' of "FOLDER/d.dcf" is damaged: it does not describe a block'
  for (line in c(" 1 1 30 31 0123456789abcdef", " 1 1 30 30 0123456789abcde")) {
    expect_text_refusal(c(lines[-last], with_checksum(line)), "line 55", no_block)
  }
  expect_text_refusal(c(lines[-last], chartr("3", "2", lines[last])), "line 55", no_block)
  expect_text_refusal(c(lines, "more"), "line 56", no_block)
  expect_text_refusal(lines[-last], '"FOLDER/d.dcf" does not list all blocks')
  other <- paste('"FOLDER/d.dcf" was not made by this version of pcfdist: to compute results, choose another name or',
                 "delete it")
  expect_text_refusal("Blocks:", other)
  expect_text_refusal(character(), other)
  damaged <- '"FOLDER/d.dcf" is damaged: its description of the results does not match its checksum'
  labels <- grep("f[12]\"$", lines)
  expect_text_refusal(lines[1], damaged)
  expect_text_refusal(lines[-(last - 1)], damaged)
  expect_text_refusal(replace(lines, labels, rev(lines[labels])), damaged)
  expect_text_refusal(lines[-labels[1]], damaged)
  writeLines(lines, text)
  writeBin(whole[-1], file)
  expect_file_refusal(open_distances(file), '"FOLDER/d" has 3479 bytes, but should have 3480')
  file.rename(file, paste0(file, ".part"))
  expect_file_refusal(pdist(x, file = file), '"FOLDER/d.part" has 3479 bytes, but should have 3480')
})

test_that("if only the record is left, the error says how to compute again", {
  x <- some_functions(20)
  file <- new_file()
  text <- paste0(file, ".dcf")
  gone <- '"FOLDER/d" is gone: delete "FOLDER/d.dcf", which describes it, to compute it again'
  pdist(x, file = file)
  file.remove(file)
  before <- bytes_of(text)
  expect_file_refusal(pdist(x, file = file), gone)
  expect_identical(list.files(dirname(file)), "d.dcf")
  expect_identical(bytes_of(text), before)
  # An empty file that is there is not gone.
  file.create(paste0(file, ".part"))
  expect_file_refusal(pdist(x, file = file), '"FOLDER/d.part" has 0 bytes, but should have 1520')
  unlink(c(text, paste0(file, ".part")), expand = FALSE)
  expect_same_results(pdist(x, file = file), pdist(x))
})
test_that("headers that have their checksum, but make no sense, are errors", {
  file <- new_file()
  text <- paste0(file, ".dcf")
  pdist(some_functions(30), file = file)
  lines <- readLines(text)
  labels <- grep("^ \"f", lines)
  with_its_checksum <- function(lines) {
    at <- which(startsWith(lines, "Checksum:"))
    header <- paste0(lines[seq_len(at - 1)], "\n", collapse = "")
    replace(lines, at, paste("Checksum:", checksum_of(header)))
  }
  expect_identical(with_its_checksum(lines), lines)
  for (changed in list(
    lines[-labels[1]], append(lines, lines[labels[1]], labels[1]), sub("^Rows: 30", "Rows: many", lines),
    sub("^Rows: 30", "Rows: 31", lines), sub("^Layout: dist", "Layout: dense", lines),
    sub("^First: 1", "First: 2", lines), sub("^Storage: double", "Storage:", lines),
    lines[!startsWith(lines, "Storage")], append(lines, "P: 2", 5),
    sub("^Missing: error", "Missing: mean, not divided yet", lines)
  )) {
    writeLines(with_its_checksum(changed), text)
    expect_file_refusal(open_distances(file), '`file` cannot be used: "FOLDER/d.dcf" does not describe ',
                        "the results of a call.")
  }
})

test_that("a file that another call writes is an error", {
  skip_on_cran()
  skip_if(!nzchar(Sys.which("flock")), "there is no flock")
  x <- some_functions(30)
  file <- new_file()
  part <- paste0(file, ".part")
  file.create(part)
  held <- paste0(file, ".held") # as long as this is there
  on.exit(unlink(held, expand = FALSE))
  holding <- sprintf("touch %s; for k in $(seq 600); do [ ! -e %s ] || sleep 0.1; done", held, held)
  system2("flock", c(shQuote(part), "-c", shQuote(holding)), wait = FALSE)
  for (wait in 1:1000) if (!file.exists(held)) Sys.sleep(0.03)
  expect_file_refusal(pdist(x, file = file), '"FOLDER/d.part" is in use by another call')
})

test_that("a full disk is an error at once, and leaves nothing", {
  x <- some_functions(30)
  file <- new_file()
  for (step in 1:4) {
    expect_error(on_full_disk(step, pdist(x, file = file)), "No space left", class = "pcfdist_error_file")
    expect_identical(list.files(dirname(file)), character())
  }
  expect_same_results(pdist(x, file = file), pdist(x))
})

test_that("a limit of the size of files is an error", {
  skip_without_processes()
  folder <- tempfile()
  dir.create(folder)
  script <- tempfile(fileext = ".R")
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "library(pcfdist)",
    sprintf("file <- file.path(%s, 'd')", deparse(folder)),
    "x <- rep(pcf(list(c(0, 1), c(0, 2)), list(1:0, 1:0)), 500)",
    "cat(tryCatch(pdist(x, file = file), error = function(e) class(e)[1]), '\\n')",
    "cat(list.files(dirname(file)), '\\n')"
  ), script)
  command <- sprintf("ulimit -f 100; %s --vanilla %s", file.path(R.home("bin"), "Rscript"), script)
  printed <- system2("bash", c("-c", shQuote(command)), stdout = TRUE)
  expect_identical(printed, c("pcfdist_error_file ", " "))
})

test_that("a disk that is full is an error", {
  skip_on_cran()
  folder <- small_disk(1)
  on.exit(give_back_disk(folder))
  x <- some_functions(600)
  file <- file.path(folder, "d")
  expect_file_refusal(pdist(x, file = file),
                      'there is not enough disk space for 0.001438 GB in "FOLDER/d.part": No space left on device')
  expect_identical(list.files(folder), character())
  expect_same_results(pdist(x[1:300], file = file), pdist(x[1:300]))
  suppressWarnings(system2("mount", c("-o", "remount,ro", folder)))
  expect_file_refusal(pdist(x[1:20], file = paste0(file, 2L)), 'cannot open "FOLDER/d2.part": Read-only file system')
  expect_identical(length(open_distances(file)), 44850L)
})

test_that("a folder that cannot be written is an error", {
  skip_if(Sys.info()[["effective_user"]] == "root", "root may write anywhere")
  x <- some_functions(5)
  file <- new_file()
  Sys.chmod(dirname(file), "555")
  expect_file_refusal(pdist(x, file = file), 'cannot open "FOLDER/d.part": Permission denied')
})

test_that("numbers that floats cannot hold are an error", {
  stored <- function(height, ...) {
    x <- pcf(list(c(0, 1), c(0, 1)), list(c(height, 0), c(0, 0)))
    as.vector(collect(pdist(x, file = new_file(), storage = "single")))
  }
  expect_file_refusal(stored(1e39), "the result in row 2 and column 1 is larger than 3.4e38, the largest number in ",
                      "single precision: store doubles")
  expect_file_refusal(stored(-1e-60), "the result in row 2 and column 1 is closer to 0 than 1.4e-45, the smallest ",
                      "number in single precision: store doubles")
  expect_identical(stored(1.4e-45), 2^-149)
  expect_identical(stored(0), 0)
})

# ---- Other readers ----

test_that("bigmemory reads the file", {
  skip_if_not_installed("bigmemory")
  x <- some_functions(40)
  type <- c(double = "double", single = "float")
  for (storage in names(type)) {
    file <- new_file()
    attach <- function(rows, columns) {
      description <- list(
        sharedType = "FileBacked", filename = basename(file), dirname = paste0(dirname(file), "/"),
        totalRows = rows, totalCols = columns, rowOffset = c(0, rows), colOffset = c(0, columns),
        nrow = rows, ncol = columns, rowNames = NULL, colNames = NULL, type = type[[storage]],
        separated = FALSE
      )
      bigmemory::attach.big.matrix(
        methods::new("big.matrix.descriptor", description = description), readonly = TRUE
      )
    }
    k <- cdist(x, x[1:7], file = file, storage = storage)
    expect_identical(as.vector(attach(40, 7)[, ]), as.vector(k))
    file <- new_file()
    d <- pdist(x, file = file, storage = storage)
    expect_identical(as.vector(attach(780, 1)[, ]), as.vector(d))
  }
})

test_that("DelayedArray reads the file", {
  skip_if_not_installed("DelayedArray")
  x <- some_functions(40)
  for (storage in c("double", "single")) {
    file <- new_file()
    d <- pdist(x, file = file, storage = storage)
    k <- cdist(x, x[1:7], file = paste0(file, 2), storage = storage)
    for (stored in list(d, k)) {
      delayed <- as_delayed_matrix(stored)
      plain <- as.matrix(collect(stored))
      expect_s4_class(delayed, "DelayedMatrix")
      expect_identical(as.matrix(delayed), plain)
      expect_identical(as.matrix(delayed[5:2, c("f3", "f1")] * 2), plain[5:2, c("f3", "f1")] * 2)
      expect_equal(DelayedArray::rowSums(delayed), rowSums(plain))
    }
    saved <- tempfile()
    saveRDS(delayed, saved)
    expect_identical(as.matrix(readRDS(saved)), plain)
  }
  expect_error(as_delayed_matrix("d"), class = "pcfdist_error_x")
})

test_that("numpy reads the file", {
  python <- numpy_python()
  x <- some_functions(40)
  for (storage in c("double", "single")) {
    file <- new_file()
    k <- cdist(x, x[1:7], file = file, storage = storage)
    code <- sprintf(
      "import numpy; m = numpy.memmap('%s', '%s', 'r', 0, (40, 7), 'F'); print(float(m[3, 5]))",
      file, if (storage == "single") "<f4" else "<f8"
    )
    printed <- system2(python, c("-c", shQuote(code)), stdout = TRUE)
    expect_identical(as.double(printed), k[4, 6])
  }
})

test_that("the results of one function are said to be of one", {
  file <- tempfile()
  d <- pdist(pcf(0:1, 1:0), file = file)
  expect_output(print(d), "<L1 distances of 1 function in", fixed = TRUE)
  rm(d)
  unlink(paste0(file, c("", ".dcf")), expand = FALSE)
})
