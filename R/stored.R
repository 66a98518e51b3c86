#' Results that lie in a file
#'
#' @description
#' With `file = "d"`, [pdist()], [cdist()] and [l2_kernel()] write their results into the file `d`
#' while they compute them, and give a `dist` or a matrix whose numbers lie in that file. It may be
#' far larger than the memory. `open_distances("d")` opens it again, in any session.
#'
#' @details
#' The result is an ordinary numeric vector to R. What looks at some of its elements reads these
#' from the file: `d[k]`, `m[i, j]`, `length()`, `as.matrix(d, i, j)`, `print()`, `sum()` and
#' `range()`. What needs them all at once, such as `hclust(d)`, makes its copies in memory as ever.
#' Results in double precision are mapped: C code that asks for them gets the file itself, of which
#' the system reads pages as they are needed. Of those in single precision it gets a copy in
#' memory, of 8 bytes a number. Assigning into the result changes it in this session, and never
#' the file. As with all mapped files, a program that shortens the file while it is open ends the
#' session that reads it then; deleting or renaming it does no harm.
#'
#' [saveRDS()] and [save()] save the name of the file and what it has to be, and workers of the
#' package parallel get that; the file is opened when the object is read. If it is not there then,
#' or not the same, that is an error. An object that was assigned to is saved with all its numbers.
#'
#' `collect()` reads all numbers into memory: the same result as without `file`. It compares
#' all blocks with their checksums before.
#'
#' @section The files:
#' `d` has nothing but the numbers, little-endian and in R's own order: of a `dist` the lower
#' triangle column by column, of a matrix its columns, of [l2_kernel()] without `y` both
#' triangles. With `storage = "single"` they are floats of 4 bytes, rounded from what the call
#' without `file` gives, and `NA` is `NaN`; numbers below 1.2e-38 lose digits, and one
#' above 3.4e38 is an error.
#'
#' `d.dcf` is text in UTF-8, which [read.dcf()] reads. It tells what was computed, from what, and
#' how; names are as in JSON, one a line. Its last two fields are
#'
#' * `Checksum`: that of all bytes of the file before this line;
#' * `Blocks`: a line for each block of the matrix that is in the file, with its first row and column,
#'   its rows and columns, the checksum of its bytes, and the checksum of the line: of these five as
#'   they are in the line, with a space between each two.
#'
#' All checksums are XXH64 with the seed 0, in 16 hexadecimal digits. The bytes of a block are its
#' columns one after the other, of a `dist` what of them is below the diagonal; of a symmetric matrix
#' what is on and below it, and then the rows of the block as far as they are strictly below it, as
#' they lie on the other side.
#'
#' Until it is whole, the file of numbers is called `d.part`. It takes its full size at once, so
#' that a disk that is too small is an error in the beginning. A call that was interrupted, killed,
#' or failed leaves what it has: the same call goes on with the blocks that are missing. Before, it
#' compares the functions, by a digest, the arguments, and the checksums of all blocks that are
#' there; it takes the device, kernel and instructions of the first call, which `device = "auto"`
#' settles before the first block. The bits are those of a call that ran through.
#'
#' When the file is whole already, the call opens it, and says so in a [message()] of the class
#' `pcfdist_message_file`. It compares all blocks with their checksums before it returns, which
#' reads the file once; with `check = FALSE` it does not.
#'
#' A call needs the names `d`, `d.part`, `d.dcf` and, for a moment, `d.dcf.new`. Of the files that
#' have such names it takes, and removes, only those that a `.dcf` beside them describes as parts of
#' this very result, and an empty `d.part`, as a call leaves it that was killed when it began.
#' Anything else is an error that names it, before anything is computed.
#'
#' Other programs read the numbers as they are, with `n` functions:
#'
#' * numpy: `numpy.memmap("d", "<f8", "r")`, or `"<f4"`; of a matrix with
#'   `shape = (rows, columns), order = "F"`.
#' * bigmemory: `attach.big.matrix()` of a descriptor with `filename = "d"`, `type = "double"` or
#'   `"float"`, and of a `dist` one column of n (n - 1) / 2 rows.
#' * bigstatsr: `FBM(rows, columns, backingfile = "d", create_bk = FALSE, is_read_only = TRUE)` for
#'   a file that was renamed, or linked, to `d.bk`, with `type = "float"` for floats, and of a
#'   `dist` one column of n (n - 1) / 2 rows (tried with bigstatsr 1.6.2).
#'
#' @section Errors:
#' All are of the class `pcfdist_error_file`: a folder that cannot be written, a disk that is full,
#' a file that is in use by another call, the results of another call, a file that is not one of
#' pcfdist, a pipe or a folder of its name, or names of functions that are not valid text. Nothing
#' that is there is changed then. So it is where `d.dcf` is damaged, or a block does not have its
#' checksum, as on a damaged disk or after a loss of power; the error names the block, or its line. To
#' compute it anew, delete its line in `d.dcf`, rename `d` to `d.part` if it is whole, and call again.
#'
#' On Windows, results that are open count as memory that the system has promised, for which its
#' paging file has to have room, and their file cannot be removed. There the C code for files was
#' tried under wine, and not with R.
#'
#' @param file The name of the file, without `.dcf`.
#' @param check Should all blocks be compared with their checksums? It reads the whole file. Without
#'   it, numbers that were damaged on the disk are not noticed.
#' @param x For `collect()`, a result in a file, or any other object, which stays as it is
#'   or is collected as dplyr does, if it has a method for that. For the
#'   methods, a result in a file.
#' @param rows,columns For `as.matrix()`: which rows and columns of the matrix, as in `m[rows,
#'   columns]`; all by default.
#' @param ... Not used.
#'
#' @return `open_distances()`: a `dist` or a matrix as from the call that made the file, of the class
#'   `stored_distances` before that. `collect()`: the same in memory, without that class.
#'   `as.matrix()`: a matrix, also of a `dist`, in memory.
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
  check_given(file, "file", "the name of a file of distances")
  check_flag(check, "check")
  path <- check_path(file)
  if (!file.exists(path) && file.exists(part_name(path))) {
    abort_argument("file", "is not whole: ", dQuote(part_name(path), FALSE), " has a part of it. ",
                   "The call that began it goes on with it.")
  }
  if (!file.exists(path)) abort_argument("file", "is not there: ", dQuote(path, FALSE), ".")
  if (!file.exists(record_name(path))) {
    abort_argument("file", "is not one of pcfdist: there is no ",
                   dQuote(record_name(path), FALSE), ".")
  }
  x <- open_stored(path, read_results(path))
  if (check) check_stored(x)
  x
}

open_stored <- function(path, record) {
  fields <- record$fields
  state <- list(path = path, layout = layout_of(fields), identity = identity_of(fields))
  answer_value(.Call(ffi_open_stored, state, stored_attributes(fields)))
}

# What a saved reference has to find again.
identity_of <- function(fields) {
  unlist(fields[c("Layout", "Rows", "Columns", "First", "Last", "Storage", "Operation", "P",
                  "From", "To", "Missing", "Precision", "X", "Y", "Device", "Kernel",
                  "Instructions")])
}

# C calls this when R reads a saved reference; R sets the attributes.
reopen_stored <- function(state) {
  path <- state$path
  what <- paste0("The numbers of this object lie in ", dQuote(path, FALSE))
  if (!file.exists(path) || !file.exists(record_name(path))) {
    abort("file", what, ", which is not there any more.")
  }
  fields <- read_results(path)$fields
  if (!identical(identity_of(fields), state$identity)) {
    abort("file", what, ", which has other results now.")
  }
  answer_value(.Call(ffi_open_stored, state, list()))
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

# A query of a database, say: dplyr's generic of the same name may be masked by this one.
has_dplyr_method <- function(x) {
  isNamespaceLoaded("dplyr") && any(vapply(class(x), function(class) {
    !is.null(utils::getS3method("collect", class, TRUE, asNamespace("dplyr")))
  }, NA))
}

#' @rdname open_distances
#' @exportS3Method collect stored_distances
#' @exportS3Method dplyr::collect stored_distances
collect.stored_distances <- function(x, ...) {
  if (!is.null(.Call(ffi_stored_state, x))) check_stored(x)
  attributes <- attributes(x)
  attributes$class <- if (inherits(x, "dist")) "dist"
  .Call(ffi_collect_stored, x, attributes)
}

#' @rdname open_distances
#' @export
as.matrix.stored_distances <- function(x, rows = NULL, columns = NULL, ...) {
  if (!inherits(x, "dist")) return(part_of_matrix(x, rows, columns))
  n <- attr(x, "Size")
  labels <- attr(x, "Labels")
  i <- chosen(rows, n, labels, "rows")
  j <- chosen(columns, n, labels, "columns")
  part <- dist_between(x, rep(i, length(j)), rep(j, each = length(i)))
  names <- labels %||% seq_len(n)
  matrix(part, length(i), length(j), dimnames = list(names[i], names[j]))
}

part_of_matrix <- function(x, rows, columns) {
  if (length(dim(x)) != 2) {
    abort_argument("x", "must be a matrix, and has ", length(dim(x)), " dimensions.")
  }
  i <- chosen(rows, nrow(x), rownames(x), "rows")
  j <- chosen(columns, ncol(x), colnames(x), "columns")
  .subset(x, i, j, drop = FALSE)
}

# Indices of any kind as numbers.
chosen <- function(index, n, labels, argument) {
  if (is.null(index)) return(seq_len(n))
  places <- tryCatch(stats::setNames(seq_len(n), labels)[index], error = function(error) {
    abort_argument(argument, "cannot be used: ", conditionMessage(error), ".")
  })
  if (anyNA(places)) abort_argument(argument, "must be among the ", number(n), " that there are.")
  unname(places)
}

# Without a copy of all numbers, which the default makes.
#' @export
range.stored_distances <- function(x, ..., na.rm = FALSE) {
  c(min(x, ..., na.rm = na.rm), max(x, ..., na.rm = na.rm))
}

# A corner where there is much.
#' @export
print.stored_distances <- function(x, ...) {
  corner <- 6
  state <- .Call(ffi_stored_state, x)
  dim <- dim(x) %||% rep(attr(x, "Size"), 2)
  cat(describe_stored(x, dim, state), "\n", sep = "")
  if (length(dim) != 2) return(invisible(x))
  rows <- seq_len(min(corner, dim[1]))
  part <- as.matrix.stored_distances(x, rows, seq_len(min(corner, dim[2])))
  if (inherits(x, "dist")) {
    part <- format(part, ...)
    part[upper.tri(part, diag = TRUE)] <- ""
    part <- noquote(part)
  }
  if (length(part) > 0) print(part, ...)
  if (any(dim > corner)) cat("...\n")
  invisible(x)
}

describe_stored <- function(x, dim, state) {
  count <- function(n) format(n, big.mark = ",", scientific = FALSE)
  what <- if (inherits(x, "dist")) {
    paste0(attr(x, "method"), " distances of ", count(dim[1]), " functions")
  } else {
    paste(vapply(dim, count, ""), collapse = " x ")
  }
  where <- if (!is.null(state)) {
    paste0(" in ", dQuote(state$path, FALSE), ", ", state$layout$storage, " precision")
  }
  paste0("<", what, where, ">")
}
