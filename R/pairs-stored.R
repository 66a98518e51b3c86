#' Store Results in a File
#'
#' With `file = "d"`, [pdist()], [cdist()] and [l2_kernel()] write their results to the file `d` while they
#' are computed, and return a `dist` or a matrix whose elements are read from this file. It may be much
#' larger than memory. `open_distances("d")` opens it again, in any session.
#'
#' For R the result is an ordinary numeric vector. Functions that use some of its elements read only these
#' from the file: `d[k]`, `m[i, j]`, `length()`, `as.matrix(d, i, j)`, `print()`, `sum()` and `range()`.
#' Functions that need all elements at once, such as `hclust(d)`, copy them to memory. Results in double
#' precision are mapped into memory: C code that asks for the data gets the file itself, whose pages the
#' operating system reads as needed. For single precision it gets a copy in memory, which takes 8 bytes per
#' number. Assigning to elements of the result changes it only in the session, never in the file. As with
#' all mapped files, R crashes if it reads a file that another program has truncated; deleting or renaming
#' the file is harmless.
#'
#' [saveRDS()] and [save()] store the path of the file and a description of its contents; workers of the
#' package parallel receive the same. The file is opened when the object is read; it is an error if the file
#' does not exist or has other contents, or if the saved object is damaged. If elements were assigned to, all
#' numbers are stored instead.
#'
#' @section The files:
#' The file `d` contains only the numbers, little-endian and in R's order: for a `dist` the lower triangle by
#' columns, for a matrix its columns, and for [l2_kernel()] without `y` both triangles. With
#' `storage = "single"` the numbers are floats of 4 bytes, rounded from the results without `file`, and `NA`
#' is stored as `NaN`. Numbers below 1.2e-38 lose digits; those that would become 0, and numbers above
#' 3.4e38, are an error.
#'
#' The file `d.dcf` is text in UTF-8, which [read.dcf()] reads. It describes what was computed, from what,
#' and how. Names are encoded as in JSON, one on each line. The last two fields are
#'
#' * `Checksum`: that of all bytes of the file before this line;
#' * `Blocks`: a line for each block of the matrix that is in the file, with its first row and column, its
#'   numbers of rows and columns, the checksum of its bytes, and the checksum of the line, that is, of these
#'   five as they are written, separated by single spaces.
#'
#' All checksums are XXH64 with seed 0, as 16 hexadecimal digits. The bytes of a block are its columns one
#' after the other; for a `dist` only the elements below the diagonal. For a symmetric matrix they are the
#' elements on and below the diagonal, followed by the elements strictly below it in the order of rows, as
#' they are stored on the other side.
#'
#' As long as results are incomplete, the file of numbers is called `d.part`. It has its full size from the
#' beginning, so that a disk that is too small raises an error at once. A call that was interrupted or killed,
#' or failed, leaves the results computed so far, and the same call continues with the missing blocks. Before
#' that, it compares a digest of the functions, the arguments, and the checksums of all existing blocks. It
#' uses the device, kernel and instructions of the first call, which `device = "auto"` chooses before the
#' first block. The results are identical to those of an uninterrupted call.
#'
#' If the file is complete, the call opens it, with a [message()] of class `pcfdist_message_file`. Before it
#' returns, it compares all blocks with their checksums, which reads the file once, unless `check = FALSE`.
#'
#' A call uses the names `d`, `d.part`, `d.dcf` and, for a moment, `d.dcf.new`. Existing files with these
#' names are used or removed only if `d.dcf` describes them as parts of this very result, or if `d.part` is
#' empty, as a call that is killed at its start leaves it. For any other file an error is raised before
#' anything is computed. Files are not written through symbolic links with these names, which are an error, but
#' complete results may be read through links.
#'
#' Files of results contain numbers and text, never code. Who wrote them is not checked, and checksums detect
#' damage, not forgery: results are as trustworthy as everyone who may write to their folder.
#'
#' Other programs can read the numbers directly, for `n` functions:
#'
#' * NumPy: `numpy.memmap("d", "<f8", "r")`, or `"<f4"` for single precision; for a matrix with
#'   `shape = (rows, columns), order = "F"`.
#' * bigmemory: `attach.big.matrix()` with a descriptor that has `filename = "d"`, `type = "double"` or
#'   `"float"`, and for a `dist` one column of n (n - 1) / 2 rows.
#' * bigstatsr: `FBM(rows, columns, backingfile = "d", create_bk = FALSE, is_read_only = TRUE)` for a file that
#'   was renamed, or linked, to `d.bk`, with `type = "float"` for single precision, and for a `dist` one column
#'   of n (n - 1) / 2 rows (tested with bigstatsr 1.6.2).
#'
#' @section Errors:
#' Errors about files have the class `pcfdist_error_file`. They are raised, and no file is changed, if a folder cannot
#' be written, the disk is full, the file is in use by another call, has the results of another call, was not
#' made by pcfdist, or is a pipe or a folder, or if names of functions are not valid text. The same holds if
#' `d.dcf` is damaged, or a block does not match its checksum, as after a disk failure or loss of power. The
#' message names the block, or its line. To compute it again, delete this line of `d.dcf`, rename `d` to
#' `d.part` if it is complete, and repeat the call.
#'
#' On Windows, open results count towards the memory that the system has committed, for which its paging file
#' must have room, and their file cannot be removed. The C code for files has been tested under Wine only, and
#' without R.
#'
#' @param file The name of the file, without `.dcf`.
#' @param check If `TRUE`, all blocks are compared with their checksums, which reads the whole file.
#'   Otherwise damaged numbers are not detected.
#' @param x For `collect()`, a result in a file. Other objects are passed to the method of `dplyr::collect()`,
#'   if there is one, and otherwise returned unchanged. For the other methods, a result in a file.
#' @param rows,columns For `as.matrix()`: the rows and columns to return, as in `m[rows, columns]`; all by
#'   default.
#' @param ... Not used.
#'
#' @return `open_distances()`: a `dist` or a matrix, as returned by the call that made the file, with the
#'   additional class `stored_distances`. `collect()`: the result in memory, as without `file`, after all blocks
#'   were compared with their checksums. `as.matrix()`: a matrix in memory, also for a `dist`.
#'
#' @seealso [pdist()], [as_delayed_matrix()]
#'
#' @examples
#' x <- rpcf(50, 3)
#' file <- tempfile()
#' d <- pdist(x, file = file)
#' d
#' as.matrix(d, 1:3, 48:50)
#' identical(c(collect(d)), c(pdist(x)))
#'
#' rm(d)
#' d <- open_distances(file)
#' range(d)
#' readLines(paste0(file, ".dcf"), 12)
#' unlink(paste0(file, c("", ".dcf")), expand = FALSE)
#' @export
open_distances <- function(file, check = FALSE) {
  check_given(file, "file", "the name of a file of results")
  check <- check_flag(check, "check")
  path <- check_path(file)
  if (!file.exists(path) && file.exists(part_name(path))) {
    abort_argument("file", "is incomplete: there is only ", dQuote(part_name(path), FALSE), ". Repeat the ",
                   "call that began it to complete it.")
  }
  if (!file.exists(path)) abort_argument("file", "does not exist: ", dQuote(path, FALSE), ".")
  if (!file.exists(record_name(path))) {
    abort_argument("file", "was not made by pcfdist: there is no ",
                   dQuote(record_name(path), FALSE), ".")
  }
  x <- open_stored(path, read_results(path))
  if (check) check_stored(x)
  x
}

open_stored <- function(path, record, attributes = stored_attributes(record$fields)) {
  fields <- record$fields
  state <- list(path = path, layout = layout_of(fields), identity = identity_of(fields))
  answer_value(.Call(ffi_open_stored, state, attributes))
}

# The fields by which a saved reference recognises its file.
identity_of <- function(fields) {
  unlist(fields[c("Layout", "Rows", "Columns", "First", "Last", "Storage", "Operation", "P",
                  "From", "To", "Missing", "Precision", "X", "Y", "Device", "Kernel",
                  "Instructions")])
}

# C calls this when R reads a saved reference, which may be damaged. The attributes, a pairlist, may have been
# changed since the results were opened. `file` is the argument of readRDS() and load().
reopen_stored <- function(state, attributes) {
  refuse <- function(...) abort_argument("file", "has a damaged reference to results in a file: ", ..., ".")
  path <- if (is.list(state)) state[["path"]]
  if (!is_one_name(path) || !validEnc(path)) refuse("it has no path")
  what <- paste0("has a reference to results in ", dQuote(path, FALSE))
  if (!file.exists(path) || !file.exists(record_name(path))) {
    abort_argument("file", what, ", which does not exist any more.")
  }
  record <- read_results(path)
  if (!identical(identity_of(record$fields), state[["identity"]])) {
    abort_argument("file", what, ", which now has other results.")
  }
  x <- tryCatch(
    suppressWarnings(open_stored(path, record, as.list(attributes))),
    simpleError = function(problem) refuse(conditionMessage(problem)) # of R, which checks dimensions and names
  )
  problem <- problem_of_shape(x)
  if (is.null(problem)) x else refuse(problem)
}

# What is wrong with a result in a file, beyond what R checks when it sets attributes; NULL if nothing is.
problem_of_shape <- function(x) {
  ours <- inherits(x, "stored_distances")
  if (!(if (ours) is.double(x) else is.numeric(unclass(x)))) return(paste("it is", describe(unclass(x))))
  if (!inherits(x, "dist")) return(NULL)
  known <- attributes(x)
  size <- known[["Size"]]
  labels <- known[["Labels"]]
  is_size <- is_one_number(size) && size >= 0 && size * (size - 1) / 2 == length(x)
  if (!is_size || !is.null(known[["dim"]])) return("its attribute Size does not match the number of distances")
  if (!is.null(labels) && !(is.atomic(labels) && length(labels) == size)) {
    return("its attribute Labels does not have a name for each function")
  }
  if (!is.null(known[["method"]]) && !is_one_name(known[["method"]])) "its attribute method is not a name"
}

# Stops at what only says that it is a result in a file.
check_result <- function(x) {
  problem <- problem_of_shape(x)
  if (!is.null(problem)) abort_argument("x", "is a damaged result in a file: ", problem, ".")
}

check_stored <- function(x, threads = run_threads(NULL)) {
  answer_value(.Call(ffi_check_stored, x, threads))
}

#' @rdname open_distances
#' @export
collect <- function(x, ...) {
  check_given(x, "x", "distances in a file, see open_distances()")
  UseMethod("collect")
}

#' @rdname open_distances
#' @export
collect.default <- function(x, ...) {
  if (has_dplyr_method(x)) dplyr::collect(x, ...) else x
}

# Is there a method of dplyr, as for database queries? Its generic may be masked by the one here.
has_dplyr_method <- function(x) {
  isNamespaceLoaded("dplyr") && any(vapply(class(x), function(class) {
    !is.null(utils::getS3method("collect", class, TRUE, asNamespace("dplyr")))
  }, NA))
}

#' @rdname open_distances
#' @exportS3Method collect stored_distances
#' @exportS3Method dplyr::collect stored_distances
collect.stored_distances <- function(x, ...) {
  check_result(x)
  if (!is.null(.Call(ffi_stored_state, x))) check_stored(x)
  attributes <- attributes(x)
  attributes$class <- if (inherits(x, "dist")) "dist"
  .Call(ffi_collect_stored, x, attributes)
}

#' @rdname open_distances
#' @export
as.matrix.stored_distances <- function(x, rows = NULL, columns = NULL, ...) {
  check_result(x)
  dim <- dim_of_matrix(x)
  if (length(dim) != 2) {
    abort_argument("x", "must be a matrix, but has ", length(dim), " dimensions.")
  }
  labels <- labels_of_matrix(x)
  i <- chosen(rows, dim[1], labels[[1]], "rows")
  j <- chosen(columns, dim[2], labels[[2]], "columns")
  if (!inherits(x, "dist")) return(.subset(x, i, j, drop = FALSE))
  part <- dist_between(x, rep(i, length(j)), rep(j, each = length(i)))
  names <- labels[[1]] %||% seq_len(dim[1])
  matrix(part, length(i), length(j), dimnames = list(names[i], names[j]))
}

# R 4.5 would copy all numbers into one column.
#' @export
as.data.frame.stored_distances <- function(x, ...) {
  abort_argument("x", "is not a table: it has distances in a file. ",
                 "as.matrix(x, rows = , columns = ) reads some of them.")
}

# The dimensions and the dimnames of a result as a matrix, which for a dist is that of all its pairs.
dim_of_matrix <- function(x) if (inherits(x, "dist")) rep(attr(x, "Size"), 2) else dim(x)

labels_of_matrix <- function(x) {
  if (inherits(x, "dist")) any_labels(rep(list(attr(x, "Labels")), 2)) else dimnames(x)
}

# Indices of any kind as numbers.
chosen <- function(index, n, labels, argument) {
  if (is.null(index)) return(seq_len(n))
  places <- tryCatch(stats::setNames(seq_len(n), labels)[index], error = function(error) {
    abort_argument(argument, "cannot be used: ", conditionMessage(error), ".")
  })
  if (anyNA(places)) abort_argument(argument, "must be among the ", number(n), " ", argument, ".")
  unname(places)
}

# The default would copy all numbers.
#' @export
range.stored_distances <- function(x, ..., na.rm = FALSE, finite = FALSE) {
  check_result(x)
  if (finite) return(NextMethod())
  c(min(x, ..., na.rm = na.rm), max(x, ..., na.rm = na.rm))
}

# Only a corner of large results.
#' @export
print.stored_distances <- function(x, digits = getOption("digits"), ...) {
  check_result(x)
  corner <- 6
  state <- .Call(ffi_stored_state, x)
  dim <- dim_of_matrix(x)
  cat(describe_stored(x, dim, state), "\n", sep = "")
  if (length(dim) != 2) return(invisible(x))
  rows <- seq_len(min(corner, dim[1]))
  part <- as.matrix.stored_distances(x, rows, seq_len(min(corner, dim[2])))
  if (inherits(x, "dist")) {
    text <- number(part, digits)
    text[upper.tri(text, diag = TRUE)] <- ""
  } else {
    text <- part
    text[] <- apply(part, 2, number, digits)
  }
  if (length(text) > 0) print(noquote(text, right = !inherits(x, "dist")), ...)
  if (any(dim > corner)) cat("...\n")
  invisible(x)
}

describe_stored <- function(x, dim, state) {
  count <- function(n) number(n, big.mark = ",", scientific = FALSE)
  what <- if (inherits(x, "dist")) {
    paste0(attr(x, "method"), " distances of ", count(dim[1]), " function", plural(dim[1]))
  } else {
    paste(vapply(dim, count, ""), collapse = " x ")
  }
  where <- if (!is.null(state)) {
    paste0(" in ", dQuote(state$path, FALSE), ", ", state$layout$storage, " precision")
  }
  paste0("<", what, where, ">")
}
