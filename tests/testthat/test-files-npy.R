numpy_file <- function(name) test_path("npy-files", paste0(name, ".npy"))

test_that("files of numpy are read, of all types and in both orders", {
  numbers <- rbind(c(0, 1, 2), c(3, 4, 250))
  for (name in c("little-f8", "big-f8", "little-f4", "big-f4", "little-i8", "big-i8", "little-u8",
                 "little-i4", "big-i4", "little-u4", "big-u2", "little-i2", "u1", "fortran")) {
    expect_equal(read_npy(numpy_file(name)), numbers, tolerance = 0, label = name)
  }
  expect_identical(read_npy(numpy_file("little-f8")), numbers)
  cube <- read_npy(numpy_file("cube"))
  expect_identical(dim(cube), 2:4)
  expect_identical(cube[2, 3, ], c(20, 21, 22, 23))
  expect_identical(read_npy(numpy_file("vector")), c(1.5, NaN, -Inf))
  expect_identical(read_npy(numpy_file("truth")), c(TRUE, FALSE))
  expect_identical(read_npy(numpy_file("scalar")), 7)
  expect_identical(read_npy(numpy_file("extremes")), c(-2^53, 2^53, -2^31, 2^31, -1))
  expect_equal(read_npy(numpy_file("least")), c(-2^31, 5))
  expect_equal(read_npy(numpy_file("unsigned")), c(2^31, 2^32 - 1, 1))
  expect_identical(
    read_npy(numpy_file("strings")), c("a", "", "\u017c\u00f3\u0142w", "\U1d6fd")
  )
})

test_that("the files are those that numpy writes, byte for byte", {
  path <- local_path()
  same <- function(x, name) {
    write_npy(x, path)
    expect_identical(bytes_of(path), bytes_of(numpy_file(name)), label = name)
  }
  same(rbind(c(0, 1, 2), c(3, 4, 250)), "fortran")
  same(c(1.5, NaN, -Inf), "vector")
  same(c(TRUE, FALSE), "truth")
  same(c(1L, -2L, .Machine$integer.max), "integers")
  write_strings(c("a", "", "\u017c\u00f3\u0142w", "\U1d6fd"), path)
  expect_identical(bytes_of(path), bytes_of(numpy_file("strings")))
})

test_that("functions of numpy are read, with their shape, and NaN as NA", {
  x <- pcf(
    list(c(0, 2, 5), c(0, 4), 1, -Inf), list(c(1, NA, 0), c(2, 0), 7, 3)
  )
  dim(x) <- c(2, 2)
  expect_identical(read_npy(test_path("npy-files", "functions")), x)
  path <- local_path()
  write_npy(x, path)
  for (part in c("times.npy", "lengths.npy")) {
    expect_identical(read_npy(file.path(path, part)), read_npy(test_path("npy-files", "functions", part)) + 0)
  }
})

test_that("functions come back as they were", {
  date <- pcf(as.Date(c("2024-02-27", "2024-03-02")), c(1, 0))
  instant <- pcf(as.POSIXct(c(0, 1.25), origin = "1970-01-01", tz = "Europe/Stockholm"), c(1, 0))
  local <- pcf(.POSIXct(c(0, 1.25)), c(1, 0))
  hours <- pcf(as.difftime(c(0, 1), units = "hours"), c(1, 0))
  months <- as_pcf(ts(c(1, 2, 3), start = c(2020, 2), frequency = 12))
  collections <- list(
    with_seed(1, rpcf(30)), random_pcf(9), example_pcf(), array(random_pcf(24), 2:4), example_pcf()[0],
    date, instant, local, hours, months,
    pcf(list(c(-Inf, 0.1), 0), list(c(NA, 1 / 3), NA)),
    `names<-`(rep(example_pcf(), 2), c("", "\u00e9", "b", "a longer name"))
  )
  for (x in collections) {
    path <- local_path()
    expect_identical(write_npy(x, path), path)
    back <- read_npy(path)
    expect_identical(unname(unclass(back)), unname(unclass(x)))
    expect_identical(names(back), names(x))
    expect_identical(dim(back), dim(x))
    expect_identical(time_unit(back), time_unit(x))
  }
})

test_that("what was there before is replaced", {
  path <- local_path()
  write_npy(`time_unit<-`(example_pcf(), "days"), path)
  write_npy(unname(random_pcf(3)), path)
  expect_identical(read_npy(path), unname(random_pcf(3)))
})

test_that("numbers come back as they were", {
  path <- local_path()
  for (x in list(1:3, c(TRUE, FALSE), pi, matrix(rnorm(6), 2), array(1:24 / 7, 2:4), numeric(),
                 c(a = NA_real_))) {
    write_npy(x, path)
    expect_identical(read_npy(path), unname(x))
  }
  d <- pdist(random_pcf(5), to = 10)
  write_npy(d, path)
  expect_identical(read_npy(path), as.vector(d))
})

test_that("distances come back as a dist", {
  path <- local_path()
  for (n in c(1, 2, 5)) {
    x <- random_pcf(n)
    write_npy(pdist(x, to = 10), path)
    d <- read_npy(path, dist = TRUE)
    expect_identical(as.vector(d), as.vector(pdist(x, to = 10)))
    expect_identical(attributes(d), list(Size = as.integer(n), Diag = FALSE, Upper = FALSE, class = "dist"))
    expect_identical(as.matrix(d), as.matrix(pdist(unname(x), to = 10)))
  }
  expect_output(print(d), "1 +2 +3 +4")
  expect_identical(hclust(d)$merge, hclust(pdist(unname(x), to = 10))$merge)
  expect_identical(write_npy(d, path), path)
  expect_identical(read_npy(path, dist = TRUE), d)
  write_npy(c(3L, 4L, 5L), path)
  expect_identical(as.vector(read_npy(path, dist = TRUE)), c(3, 4, 5))
})

test_that("other files are no dist, and the error says which they are", {
  path <- local_path()
  no_dist <- function(x, message) {
    write_npy(x, path)
    expect_error(read_npy(path, dist = TRUE), message, fixed = TRUE, class = "pcfdist_error_path")
  }
  no_dist(1:4 / 2, "has 4 numbers, which are not the distances of any number of objects: of 3 there are 3, of 4 6.")
  no_dist(numeric(2^20), "has 1048576 numbers, which are not the distances of any number of objects")
  no_dist(diag(3), "has the dimensions 3 x 3, and a dist needs one: use as.dist(read_npy(path)) if")
  no_dist(array(0, c(1, 3, 1)), "has the dimensions 1 x 3 x 1, and a dist needs one.")
  no_dist(c(TRUE, FALSE, TRUE), "must contain numbers, not a logical vector of length 3.")
  expect_error(read_npy(numpy_file("strings"), dist = TRUE), "must contain numbers", class = "pcfdist_error_path")
  folder <- test_path("npy-files", "functions")
  expect_error(read_npy(folder, dist = TRUE), "must be a file if `dist` is TRUE, not a folder of functions: ",
               fixed = TRUE, class = "pcfdist_error_path")
  refused(read_npy(path, dist = NA), "dist", "must be TRUE or FALSE, not NA.")
})

test_that("a collection of several pieces is written in order", {
  x <- with_seed(1, rpcf(4, 700001))
  path <- local_path()
  write_npy(x, path)
  expect_identical(read_npy(path), x)
})

test_that("numpy reads what is written", {
  python <- numpy_python()
  path <- local_path()
  x <- with_seed(3, rpcf(20))
  names(x) <- paste0("f", 1:20)
  write_npy(x, path)
  script <- "
import numpy as np, os, sys
folder = sys.argv[1]
n, t, v = (np.load(f'{folder}/{part}.npy') for part in ('lengths', 'times', 'values'))
assert n.dtype == np.int64 and t.dtype == v.dtype == np.float64
names = np.load(f'{folder}/names.npy')
assert list(names) == [f'f{i}' for i in range(1, 21)]
# The same functions in the reverse order, which R reads back.
cuts = np.cumsum(n)[:-1]
np.save(f'{folder}/lengths.npy', n[::-1])
np.save(f'{folder}/times.npy', np.concatenate(np.split(t, cuts)[::-1]))
np.save(f'{folder}/values.npy', np.concatenate(np.split(v, cuts)[::-1]))
np.save(f'{folder}/names.npy', names[::-1])
os.remove(f'{folder}/checksums.npy')
"
  status <- system2(python, c("-c", shQuote(script), shQuote(path)))
  expect_identical(status, 0L)
  expect_identical(read_npy(path), rev(x))
})

# A file of numpy with such a header.
npy_of <- function(type, shape, data = raw()) {
  file <- tempfile(fileext = ".npy")
  header <- sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape)
  header <- paste0(header, strrep(" ", max(0, 117 - nchar(header))), "\n")
  length <- as.raw(c(nchar(header) %% 256, nchar(header) %/% 256))
  start <- c(charToRaw("x"), charToRaw("NUMPY"), as.raw(c(1, 0)), length)
  start[1] <- as.raw(0x93)
  writeBin(c(start, charToRaw(header), data), file)
  file
}

test_that("strings are read as they are, or not at all", {
  codes <- function(...) writeBin(c(...), raw(), endian = "little")
  expect_identical(read_npy(npy_of("<U2", "2,", codes(97L, 0L, 98L, 99L))), c("a", "bc"))
  expect_identical(read_npy(npy_of("<U0", "2,")), c("", ""))
  expect_identical(read_npy(npy_of("<U3", "0,")), character())
  for (code in list(0L, 0xd800L, 0x110000L, -5L, NA)) {
    file <- npy_of("<U2", "2,", codes(97L, 0L, code, 98L))
    expect_error(read_npy(file), "valid text: element 2", class = "pcfdist_error_path")
  }
})

test_that("shapes that cannot be are errors", {
  one <- writeBin(1, raw())
  for (shape in c("x,", "-1,", "1.5, 2", "1e0,", "1, ,1", "0x1,", "0, -1", "3000000000, 0")) {
    expect_error(read_npy(npy_of("<f8", shape, one)), "shape", class = "pcfdist_error_path")
  }
  expect_identical(read_npy(npy_of("<f8", " 1L ,", one)), 1)
})

test_that("no header makes room for more than the file has", {
  said <- function(...) {
    expect_error(read_npy(npy_of(...)), "damaged|shape|type", class = "pcfdist_error_path")
  }
  for (type in c("<f8", "<i8", "|b1", "<U1", "<U0", "<U2000000000", paste0("<U", strrep("9", 400)))) {
    said(type, "1000000000000,")
    said(type, "2000000000, 2000000000")
    said(type, paste(rep("2000000000", 40), collapse = ", ")) # more than a double can hold
    said(type, strrep("9", 40))
    said(type, paste0(strrep("9", 39), ","))
  }
  said(paste0("<U", strrep("9", 400)), "0,") # infinite times 0
  said("<f8", paste0(strrep("9", 60), ", 0"))
  expect_identical(read_npy(npy_of("<f8", "0, 3")), matrix(0, 0, 3))
  file <- npy_of("<f8", "0,")
  bytes <- bytes_of(file)
  for (start in list(c(2, 0, 255, 255, 255, 255), c(2, 0, 0, 0, 0, 128), c(1, 0, 255, 255))) {
    writeBin(replace(bytes, 6 + seq_along(start), as.raw(start)), file)
    expect_error(read_npy(file), "header is incomplete", class = "pcfdist_error_path")
  }
  writeBin(replace(bytes, 7, as.raw(9)), file)
  expect_error(read_npy(file), "version 9", class = "pcfdist_error_path")
})

# A file of numpy with this text for a header, of one number or as many as are given.
npy_with <- function(header, version = 1, data = writeBin(1, raw())) {
  file <- tempfile(fileext = ".npy")
  n <- nchar(header, "bytes")
  length <- as.raw(n %/% 256^(if (version == 1) 0:1 else 0:3) %% 256)
  writeBin(c(magic, as.raw(c(version, 0)), length, charToRaw(header), data), file)
  file
}

test_that("headers are read that NumPy reads, and no others", {
  good <- c(
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", "{'shape':(1,),'descr':\"<f8\",'fortran_order':True}",
    "  { \"descr\" :\n'<f8' , 'shape' : ( 1 L , ) ,\t'fortran_order' : True , } \n \n"
  )
  for (header in good) for (version in 1:2) expect_identical(read_npy(npy_with(header, version)), 1)
  expect_identical(read_npy(npy_with(good[1], 3)), 1)
  wrong <- c(
    "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
    "{\"my 'descr': '<f8'\": 1, 'descr': '<i4', 'fortran_order': False, 'shape': (1,)}",
    "{\"descr\": \"'shape': (1,)\", 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}", "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)",
    "{'descr': '<f8\", 'fortran_order': False, 'shape': (1,)}", "'descr': '<f8', 'fortran_order': False, 'shape': (1,)",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} 1",
    "{'descr': '<f8', 'fortran_order': Falsely, 'shape': (1,)}",
    "\n {'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"
  )
  shapes <- c("(1)", "(1 2,)", "(0 1,)", "(1LL,)", "(1L L,)", "(L1,)", "(01,)", "(1,,)", "(,)", "(,1)", "(1 1)",
              "(1,\v)")
  wrong <- c(wrong, sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s}", shapes))
  for (header in wrong) {
    expect_error(read_npy(npy_with(header)), "is invalid: .* (header|shape|descr|type)", class = "pcfdist_error_path",
                 label = header)
  }
  expect_error(read_npy(npy_with(sub("1", "1L", good[1]), 3)), "header", class = "pcfdist_error_path")
  changed <- replace(bytes_of(npy_with(good[1])), 8, as.raw(1))
  file <- tempfile()
  writeBin(changed, file)
  expect_error(read_npy(file), "version 1.1, which is not supported", class = "pcfdist_error_path")
})

test_that("a header of more than 10000 characters is not read", {
  header <- "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"
  padded <- function(n) strrep(" ", n - nchar(header))
  at_end <- function(n) npy_with(paste0(header, padded(n)))
  within <- function(n) npy_with(sub("False,", paste0("False,", padded(n)), header))
  for (with_spaces in list(at_end, within)) {
    expect_identical(read_npy(with_spaces(10000)), 1)
    expect_error(read_npy(with_spaces(10001)), "has a header of 10001 characters, more than 10000",
                 class = "pcfdist_error_path")
  }
})

test_that("of files with damaged headers, NumPy reads all that are read, and the same", {
  allow_plain_numbers()
  python <- numpy_python()
  folder <- local_path()
  dir.create(folder)
  count <- 400
  expect_identical(system2(python, c(test_path("npy-files", "damage.py"), shQuote(folder), count, 6)), 0L)
  outcomes <- vapply(seq_len(count) - 1, function(k) {
    read <- tryCatch(read_npy(file.path(folder, paste0(k, ".npy"))), pcfdist_error_path = function(error) NULL)
    due <- file.path(folder, paste0(k, ".due"))
    due <- if (file.exists(due)) readBin(due, "double", file.size(due) / 8)
    if (is.null(read)) return(if (is.null(due)) "refused" else "refused here only")
    if (identical(due[1], 0)) due <- c(1, 1, due[-1]) # a number without dimensions
    if (identical(as.double(c(length(dim(read) %||% 1), dim(read) %||% length(read), read)), due)) "same" else "wrong"
  }, "")
  expect_true(all(outcomes != "wrong"))
  expect_gt(sum(outcomes == "same"), 50)
  expect_gt(sum(outcomes == "refused"), 50)
  expect_lt(sum(outcomes == "refused here only"), 40) # types that are not read, keys that are there twice
})

# With the same bytes of the header it must be these numbers; with others as many as there is room for.
outcome_of <- function(read, bytes, whole) {
  data <- bytes[-seq_len(128)]
  size <- length(data) / length(read)
  same_header <- identical(bytes[seq_len(128)], whole[seq_len(128)])
  expected <- switch(
    typeof(read),
    double = if (size == 8) readBin(data, "double", length(read), endian = "little"),
    integer = if (size == 4) readBin(data, "integer", length(read), endian = "little"),
    logical = if (size == 1) data != 0,
    character = vapply(seq_along(read), function(k) {
      codes <- readBin(data, "integer", length(data) / 4, endian = "little")
      intToUtf8(matrix(codes, ncol = length(read))[, k])
    }, "")
  )
  if (!same_header && size == round(size)) return("right")
  if (identical(as.vector(read), expected)) "right" else "wrong"
}

# Another header of the same length, of parts that could be one.
random_header <- function(bytes) {
  pick <- function(...) sample(c(...), 1)
  shape <- paste(sample(c(0:3, 6, 24, 2^31, 1e15), sample(0:4, 1), TRUE), collapse = pick(",", ", "))
  text <- sprintf(
    "{'descr': '%s%s%s', %s'fortran_order': %s, 'shape': (%s%s)}", pick("<", ">", "|", "="),
    pick("f", "i", "u", "b", "U", "S", "c"), pick("", 0:2, 4, 8, "99999999999"),
    pick("", "'\xff': 1, ", "'a'"), pick("True", "False", "1"), shape, pick("", ",")
  )
  text <- iconv(text, "", "latin1", toRaw = TRUE)[[1]]
  text <- c(text, rep(charToRaw(" "), max(0, 117 - length(text))), charToRaw("\n"))
  c(bytes[1:10], text[seq_len(118)], bytes[-seq_len(128)])
}

test_that("damaged files are what is in them, or an error", {
  files <- list(
    f8 = c(pi, NaN, -1), i4 = 1:5, b1 = c(TRUE, FALSE), matrix = matrix(1:6 / 3, 2),
    U = c("a", "\u017c", "")
  )
  path <- local_path()
  outcomes <- with_seed(11, vapply(rep(names(files), 80), function(name) {
    if (name == "U") write_strings(files$U, path) else write_npy(files[[name]], path)
    whole <- bytes_of(path)
    bytes <- if (runif(1) < 0.2) random_header(whole) else damaged_bytes(whole)
    writeBin(bytes, path)
    tryCatch(outcome_of(read_npy(path), bytes, whole),
             pcfdist_error_path = function(e) "refused", condition = conditionMessage)
  }, ""))
  expect_setequal(outcomes, c("right", "refused"))
  expect_gt(min(table(outcomes)), 15)
})

test_that("damaged folders are the functions, or an error; without checksums any functions", {
  x <- `names<-`(rep(example_pcf(), 2), c("", "\u00e9", "b", "a longer name"))
  kinds <- list(x, pcf(as.Date(c("2024-02-27", "2024-03-02")), c(1, 0)), array(random_pcf(4), c(2, 2)),
                pcf(as.difftime(c(0, 1), units = "hours"), c(1, 0)), as_pcf(ts(c(1, 2), 2020, frequency = 12)))
  outcome <- function(x, folder, checksums) {
    part <- sample(list.files(folder, full.names = TRUE), 1)
    whole <- bytes_of(part)
    on.exit(writeBin(whole, part))
    writeBin(damaged_bytes(whole), part)
    tryCatch({
      back <- suppressWarnings(read_npy(folder)) # of months that are too far away to be counted
      right <- if (checksums) identical(back, x) else is_pcf(back) && length(back) > 0
      if (right) "right" else "wrong"
    }, pcfdist_error_path = function(e) "refused", condition = conditionMessage)
  }
  outcomes_of <- function(times, checksums) {
    folders <- replicate(length(kinds), local_path())
    for (k in seq_along(kinds)) write_npy(kinds[[k]], folders[k])
    if (!checksums) for (folder in folders) without_checksums(folder)
    unlist(Map(outcome, rep(kinds, times), rep(folders, times), checksums), use.names = FALSE)
  }
  outcomes <- with_seed(12, outcomes_of(80, checksums = FALSE))
  expect_setequal(outcomes, c("right", "refused"))
  expect_gt(min(table(outcomes)), 15)
  outcomes <- with_seed(13, outcomes_of(40, checksums = TRUE))
  expect_setequal(outcomes, "refused") # damaged_bytes() may change nothing, but not with this seed
})

test_that("names come back as they were, or are an error", {
  folder <- local_path()
  back <- function(names) {
    write_npy(`names<-`(example_pcf(), names), folder)
    names(read_npy(folder))
  }
  latin1 <- "\xe9"
  Encoding(latin1) <- "latin1"
  long <- c(strrep("\u00e9", 1100000), "b")
  for (names in list(c("\u00e9", "b"), c(latin1, "b"), long)) expect_identical(back(names), names)
  bytes <- latin1
  Encoding(bytes) <- "bytes"
  refused(back(c("a", bytes)), "x", "must have names that are valid text, but that of function 2 is not.")
  cut <- "\xc5"
  Encoding(cut) <- "UTF-8"
  refused(back(c(cut, "b")), "x", "must have names that are valid text, but that of function 1 is not.")
  expect_false(file.exists(file.path(folder, "unit.npy")))
})

test_that("names that the locale cannot tell are an error", {
  skip_without_processes()
  printed <- run_child(c(
    "invisible(Sys.setlocale('LC_ALL', 'C'))",
    "x <- pcf(list(a = c(0, 1)), list(1:0))",
    "names(x) <- '\\xe9'",
    "cat(tryCatch(write_npy(x, tempfile()), error = conditionMessage), '\\n')"
  ))
  expect_identical(printed, "`x` must have names that are valid text, but that of function 1 is not. ")
})

test_that("names with wildcards are names of files", {
  skip_on_os("windows")
  above <- local_path()
  dir.create(above)
  x <- `names<-`(example_pcf(), c("one", "two"))
  theirs <- c("run1", "run2")
  for (name in theirs) write_npy(`time_unit<-`(x, "days"), file.path(above, name))
  for (name in c("run[1]", "run?", "*", "{run1,run2}", "%d")) {
    folder <- file.path(above, name)
    write_npy(x, folder)
    expect_identical(read_npy(folder), x)
    write_npy(unname(x), folder)
    expect_identical(read_npy(folder), unname(x))
    file <- file.path(above, paste0(name, ".npy"))
    write_npy(1:3, file)
    expect_identical(read_npy(file), 1:3)
  }
  for (name in theirs) {
    expect_setequal(list.files(file.path(above, name)),
                    paste0(c("checksums", "lengths", "times", "values", "names", "unit"), ".npy"))
  }
})

test_that("names that R gives to something else are names of files", {
  above <- local_path()
  dir.create(above)
  old <- setwd(above)
  on.exit(setwd(old), add = TRUE, after = FALSE)
  for (name in c("stdin", "clipboard")) {
    write_npy(1:3, name)
    expect_identical(read_npy(name), 1:3)
  }
  expect_setequal(list.files(), c("stdin", "clipboard"))
})

test_that("a pipe in the place of a file is an error, and is not waited for", {
  skip_without_processes()
  skip_if(!nzchar(Sys.which("mkfifo")), "there is no mkfifo")
  folder <- local_path()
  write_npy(example_pcf(), folder)
  for (pipe in file.path(folder, c("pipe", "times.npy"))) {
    unlink(pipe, expand = FALSE)
    keep_pipe(pipe)
  }
  printed <- run_child(c(
    sprintf("folder <- %s", deparse(folder)),
    "pipe <- file.path(folder, 'pipe')",
    "x <- rpcf(100, 1000)",
    "said <- function(code) cat(tryCatch(class(code)[1], error = function(e) class(e)[1]), '\\n')",
    "said(read_npy(pipe))",
    "said(write_npy(numeric(1e5), pipe))",
    "said(read_npy(folder))",
    "said(write_npy(x, folder))"
  ), seconds = 30)
  expect_identical(printed, paste0("pcfdist_error_", c("path", "file", "path", "path"), " "))
})

test_that("a disk that is full is an error", {
  skip_on_cran()
  folder <- small_disk(1)
  on.exit(give_back_disk(folder), add = TRUE)
  for (n in c(1e6, 131060)) {
    expect_error(write_npy(numeric(n), file.path(folder, "d.npy")),
                 "A file cannot be written: .*d.npy.*disk full", class = "pcfdist_error_file")
    expect_error(write_npy(rpcf(n %/% 100, 100), file.path(folder, "f")),
                 "A collection cannot be written: .*f.*disk full", class = "pcfdist_error_file")
    expect_identical(list.files(folder), character())
  }
})

test_that("a unit of time is written in all its parts", {
  folder <- local_path()
  for (text in list("POSIXct", c("Date", "UTC"), "difftime", character(), c("days", "days"))) {
    write_npy(example_pcf(), folder)
    without_checksums(folder)
    write_strings(text, file.path(folder, "unit.npy"))
    expect_error(read_npy(folder), "not a known unit", class = "pcfdist_error_path")
  }
})

test_that("what cannot be read or written is an error", {
  folder <- file.path(local_path(), "functions")
  part <- function(name, numbers) write_npy(numbers, file.path(folder, paste0(name, ".npy")))
  fresh <- function() {
    write_npy(example_pcf(), folder)
    without_checksums(folder)
  }
  damaged <- local_path()
  all <- bytes_of(numpy_file("little-f8"))
  cut_at <- function(n) writeBin(all[seq_len(n)], damaged)
  refused(write_npy("a", damaged), "x", 'must be a <pcf>, a <plf>, a dist, or a numeric or logical vector, not "a".')
  refused(write_npy(Sys.Date(), damaged), "x", "must be a <pcf>, a <plf>, a dist, or a numeric or logical vector, not ",
          "an object of class <Date> of length 1.")
  refused(write_npy(c(1L, NA), damaged), "x",
          "must not have missing values (NA): NumPy has none for integers. as.double(x) turns them into NaN.")
  refused(write_npy(1, c("a", "b")), "path",
          "must be the path of a file or folder, not a character vector of length 2.")
  refused(read_npy("no/such.npy"), "path", "does not exist: no/such.npy")
  refused(read_npy(numpy_file("complex")), "path",
          "is invalid: complex.npy has elements of a type that is not supported: <c16")
  refused(read_npy(numpy_file("records")), "path", "is invalid: records.npy has no valid descr: {'descr': [('a', ",
          "'<i4'), ('b', '<f8')], 'fortran_order': False, 'shape': (1,), }")
  refused(read_npy(numpy_file("huge")), "path",
          "is invalid: huge.npy has integers that a double cannot represent: element 2 is 9007199254740994.")
  bytes <- readBin(numpy_file("huge"), "raw", 1000)
  bytes[length(bytes) - 7] <- as.raw(1) # 2^53 + 1, which a double rounds to 2^53
  file <- tempfile(fileext = ".npy")
  writeBin(bytes, file)
  expect_error(read_npy(file), "a double cannot represent: element 2 is", class = "pcfdist_error_path")
  fresh()
  part("lengths", c(3, 2, 1))
  refused(read_npy(folder), "path",
          "contains files that do not match: the lengths add up to 6 breakpoints, but there are 5 times and 5 values.")
  part("lengths", c(3, 0.5))
  refused(read_npy(folder), "path", "is invalid: lengths must be whole numbers of at least 1, but element 2 is 0.5.")
  part("lengths", c(TRUE, FALSE))
  refused(read_npy(folder), "path", "is invalid: lengths.npy must contain numbers, not a logical vector of length 2.")
  fresh()
  part("times", c(0, 2, 2, 1, 4))
  refused(read_npy(folder), "path", 'is invalid: function 1 ("a") has the time 2 twice, at positions 2 and 3.')
  fresh()
  part("values", matrix(1:4 / 2, 2))
  refused(read_npy(folder), "path", "is invalid: values.npy must have one dimension, not 2.")
  fresh()
  write_strings("c", file.path(folder, "names.npy"))
  refused(read_npy(folder), "path", "contains files that do not match: there are 1 names for 2 functions.")
  fresh()
  write_strings("fortnights", file.path(folder, "unit.npy"))
  refused(read_npy(folder), "path", 'is invalid: "fortnights" is not a known unit of time.')
  refused(write_npy(1, folder), "path", "must be a file if `x` holds numbers, not a folder: ", folder)
  for (n in c(0, 5, 9, 40, length(all) - 1)) {
    cut_at(n)
    expect_error(read_npy(damaged), class = "pcfdist_error_path")
  }
  writeBin(c(all, as.raw(0)), damaged)
  expect_error(read_npy(damaged), "bytes", class = "pcfdist_error_path")
  writeLines("text of some length", damaged)
  refused(write_npy(example_pcf(), damaged), "path", "must be a folder if `x` is a <pcf>, not a file: ", damaged)
  for (x in list(1, example_pcf())) {
    expect_error(write_npy(x, file.path(damaged, "x")), "^A (file|collection) cannot be written: .*x",
                 class = "pcfdist_error_file")
  }
})

test_that("files of others in a folder are neither removed nor replaced", {
  for (name in c("names", "unit", "values", "lengths")) {
    folder <- local_path()
    dir.create(folder)
    file <- file.path(folder, paste0(name, ".npy"))
    writeLines("my own notes", file)
    expect_error(write_npy(example_pcf(), folder), "other files", class = "pcfdist_error_path")
    expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), basename(file))
    expect_identical(readLines(file), "my own notes")
  }
  unlink(file, expand = FALSE)
  outside <- local_path()
  writeLines("outside", outside)
  skip_if_not(file.symlink(outside, file.path(folder, "times.npy")))
  expect_error(write_npy(example_pcf(), folder), "other files", class = "pcfdist_error_path")
  expect_identical(readLines(outside), "outside")
})

test_that("a collection takes the place of another one, and one that fails does not", {
  folder <- local_path()
  named <- example_pcf()
  write_npy(named, folder)
  writeLines("mine", file.path(folder, "README"))
  write_npy(unname(named), folder)
  expect_identical(read_npy(folder), unname(named))
  expect_identical(
    sort(list.files(folder), method = "radix"), c("README", "checksums.npy", "lengths.npy", "times.npy", "values.npy")
  )
  skip_on_os("windows")
  disk <- small_disk(1)
  on.exit(give_back_disk(disk), add = TRUE)
  write_npy(named, file.path(disk, "x"))
  write_npy(1:3, file.path(disk, "n.npy"))
  expect_error(write_npy(rpcf(300), file.path(disk, "x")), "disk full", class = "pcfdist_error_file")
  expect_error(write_npy(numeric(1e6), file.path(disk, "n.npy")), "n.npy.*disk full",
               class = "pcfdist_error_file")
  expect_identical(read_npy(file.path(disk, "x")), named)
  expect_identical(read_npy(file.path(disk, "n.npy")), 1:3)
  expect_identical(sort(list.files(disk)), c("n.npy", "x"))
})

test_that("a file that is replaced has the mode that it had, and is private until then", {
  skip_on_os("windows")
  path <- local_path()
  mode_of <- function(path) format(file.mode(path))
  mask <- Sys.umask("022")
  on.exit(Sys.umask(mask), add = TRUE, after = FALSE)
  write_npy(1:3, path)
  expect_identical(mode_of(path), "644")
  for (mode in c("600", "640", "664", "444", "777")) {
    Sys.chmod(path, mode, use_umask = FALSE)
    write_npy(4:9, path)
    expect_identical(mode_of(path), mode)
    expect_identical(read_npy(path), 4:9)
  }
  private <- NULL
  write_beside(path, function(part) {
    write_to(part, "wb", function(file) writeBin(as.raw(1), file))
    private <<- mode_of(part)
  })
  expect_identical(c(private, mode_of(path)), c("600", "777"))
  expect_identical(format(Sys.umask(NA)), "22")
})

test_that("the files of a folder that are replaced have the modes that they had, and new ones that of the others", {
  skip_on_os("windows")
  folder <- local_path()
  x <- example_pcf()
  write_npy(unname(x), folder)
  parts <- list.files(folder)
  Sys.chmod(file.path(folder, parts), "600", use_umask = FALSE)
  Sys.chmod(file.path(folder, "times.npy"), "640", use_umask = FALSE)
  write_npy(x, folder)
  modes <- function(names) format(file.mode(file.path(folder, names)))
  expect_true(all(modes(setdiff(c(parts, "names.npy"), "times.npy")) == "600"))
  expect_identical(modes("times.npy"), "640")
})

test_that("symbolic links: the file behind one is written, and nothing else is", {
  skip_on_os("windows")
  above <- local_path()
  dir.create(file.path(above, "elsewhere"), recursive = TRUE)
  target <- file.path(above, "elsewhere", "n.npy")
  link <- file.path(above, "link.npy")
  write_npy(1:3, target)
  Sys.chmod(target, "600")
  file.symlink(file.path("elsewhere", "n.npy"), link)
  write_npy(c(0.5, 2), link)
  expect_identical(Sys.readlink(link), "elsewhere/n.npy")
  expect_identical(read_npy(target), c(0.5, 2))
  expect_identical(format(file.mode(target)), "600")
  unlink(target, expand = FALSE)
  refused(write_npy(1:3, link), "path", "is a symbolic link to a file that does not exist: ", link,
          " -> elsewhere/n.npy")
  expect_identical(list.files(dirname(target)), character())
  # Of a folder, each part.
  folder <- file.path(above, "functions")
  outside <- file.path(above, "times.npy")
  for (made_by_link in c("times.npy", "left.npy", "checksums.npy", "writing", "writing.lock")) {
    write_npy(example_pcf(), folder)
    part <- file.path(folder, made_by_link)
    if (file.exists(part)) file.rename(part, outside)
    file.symlink(outside, part)
    before <- contents_of(folder)
    for (x in list(example_pcf(), example_pcf() + 1)) {
      expect_error(write_npy(x, folder), paste0("other files with the names needed: \"", made_by_link, "\""),
                   class = "pcfdist_error_path")
    }
    expect_identical(contents_of(folder), before)
    unlink(folder, recursive = TRUE, expand = FALSE)
    unlink(outside, expand = FALSE)
  }
  # And a link to the folder is as good as the folder.
  dir.create(file.path(above, "real"))
  file.symlink("real", folder)
  write_npy(example_pcf(), folder)
  expect_identical(read_npy(file.path(above, "real")), example_pcf())
  expect_identical(Sys.readlink(folder), "real")
})

# A folder as it is when a call is killed that replaces `old` by `new`: before checksums.npy is moved, or when it and so
# many other parts were.
killed_write <- function(old, new, moved) {
  folder <- local_path(parent.frame())
  write_npy(old, folder)
  write_npy(new, file.path(folder, "writing"))
  writeBin(text_of_lock, file.path(folder, "writing.lock"))
  parts <- list.files(file.path(folder, "writing"))
  for (part in parts[seq_len(moved)]) { # checksums.npy comes first
    file.rename(file.path(folder, "writing", part), file.path(folder, part))
  }
  folder
}

test_that("after a call was killed, the functions are the old ones or the new ones, and the next one tidies up", {
  x <- `names<-`(example_pcf(), c("one", "two"))
  line <- plf(list(c(0, 1), 2), list(c(1, 2), 3))
  days <- `time_unit<-`(line, "days")
  for (case in list(list(x, x + 1), list(line, x), list(unname(x), line), list(line + 1, days))) {
    for (moved in 0:5) {
      folder <- killed_write(case[[1]], case[[2]], moved)
      expect_identical(read_npy(folder), if (moved > 0) case[[2]] else case[[1]], label = paste("moved", moved))
      write_npy(x, folder)
      expect_identical(read_npy(folder), x)
      expect_setequal(list.files(folder), paste0(c("checksums", "lengths", "names", "times", "values"), ".npy"))
    }
  }
  # The text of the lock is not written again by the next call, which may be killed, too.
  folder <- killed_write(x, line, 0)
  lock <- file.path(folder, "writing.lock")
  Sys.setFileTime(lock, "2001-02-03 04:05:06")
  begin_work(folder)
  expect_identical(format(file.mtime(lock)), "2001-02-03 04:05:06")
})

test_that("the first call that writes to a folder may be killed", {
  x <- `names<-`(example_pcf(), c("one", "two"))
  line <- plf(list(c(0, 1), 2), list(c(1, 2), 3))
  folder <- killed_write(x, line, 2)
  others <- setdiff(list.files(folder, "npy$"), c("checksums.npy", "left.npy"))
  unlink(file.path(folder, others), expand = FALSE)
  expect_identical(read_npy(folder), line)
  expect_error(write_npy(x + 1, file.path(folder, "checksums.npy", "below")), class = "pcfdist_error_file")
  write_npy(x, folder)
  expect_identical(read_npy(folder), x)
})

test_that("parts that were not written together are an error", {
  folder <- local_path()
  other <- local_path()
  line <- plf(list(c(0, 1), 2), list(c(1, 2), 3))
  write_npy(line + 1, other)
  for (part in c("lengths", "times", "values", "left")) {
    write_npy(line, folder)
    path <- file.path(folder, paste0(part, ".npy"))
    if (file.copy(file.path(other, basename(path)), path, overwrite = TRUE) && part %in% c("values", "left")) {
      refused(read_npy(folder), "path", "contains files that do not belong together: ", part, ".npy is not the file ",
              "that was written with checksums.npy. If another program has replaced it, delete checksums.npy.")
    }
    unlink(path, expand = FALSE)
    expect_error(read_npy(folder), paste0("do not belong together: ", part), class = "pcfdist_error_path")
  }
  write_npy(line, folder)
  sums <- file.path(folder, "checksums.npy")
  lines <- read_npy(sums)
  for (wrong in list(lines[-1], c(lines, lines[1]), sub("left", "mine", lines), sub(" .*", "", lines), character())) {
    write_strings(wrong, sums)
    refused(read_npy(folder), "path", "is invalid: checksums.npy does not have the sizes and checksums of functions.")
  }
})

test_that("the checksums are those of the pieces of the files", {
  allow_plain_numbers()
  folder <- local_path()
  write_npy(example_pcf(), folder)
  parts <- c("lengths", "times", "values", "names")
  files <- file.path(folder, paste0(parts, ".npy"))
  sums <- vapply(files, function(file) .Call(ffi_hash, bytes_of(file)), "")
  expect_identical(read_npy(file.path(folder, "checksums.npy")), paste(basename(files), file.size(files), unname(sums)))
  large <- local_path()
  writeBin(raw(2^26 + 3), large)
  file <- file(large, "rb")
  on.exit(close(file), add = TRUE, after = FALSE)
  expect_identical(checksums_of(file), c("67108867", .Call(ffi_hash, raw(2^26)), .Call(ffi_hash, raw(3))))
})

test_that("folders and files of others that have the names of ours stay", {
  folder <- local_path()
  write_npy(example_pcf(), folder)
  dir.create(file.path(folder, "writing"))
  writeLines("mine", file.path(folder, "writing", "times.npy"))
  before <- list.files(folder, recursive = TRUE)
  refused(write_npy(example_pcf() + 1, folder), "path", "must not contain other files with the names needed: ",
          "\"writing\" in ", folder, " was not made by write_npy(). Choose another folder.")
  expect_identical(list.files(folder, recursive = TRUE), before)
  expect_identical(read_npy(folder), example_pcf())
  unlink(file.path(folder, "writing"), recursive = TRUE, expand = FALSE)
  writeLines("mine", file.path(folder, "writing.lock"))
  expect_error(write_npy(example_pcf() + 1, folder), "\"writing.lock\" in", class = "pcfdist_error_path")
  expect_identical(readLines(file.path(folder, "writing.lock")), "mine")
})

test_that("who writes waits for others, and a lock goes with its process", {
  skip_without_processes()
  folder <- local_path()
  write_npy(example_pcf(), folder)
  lock <- lock_folder(folder)
  # Another process waits, until the time limit of its call ends that; a killed one does not keep others from writing.
  printed <- run_child(c(
    sprintf("folder <- %s", deparse(folder)),
    "said <- tryCatch({ setTimeLimit(elapsed = 0.5); write_npy(rpcf(2), folder) }, error = conditionMessage)",
    "cat(said)"
  ))
  expect_match(printed, "time limit")
  expect_identical(read_npy(folder), example_pcf())
  .Call(ffi_unlock, lock)
  run_child(c(
    sprintf("lock <- pcfdist:::lock_folder(%s)", deparse(folder)), "tools::pskill(Sys.getpid(), 9)"
  ))
  write_npy(example_pcf() + 1, folder)
  expect_identical(read_npy(folder), example_pcf() + 1)
  expect_false(any(grepl("writing", list.files(folder))))
})
