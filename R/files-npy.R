#' Read and Write NumPy Files
#'
#' `write_npy()` and `read_npy()` exchange functions and numbers with NumPy, bit for bit, as files in
#' its format (`.npy`). Python is not needed.
#'
#' **Functions** are written to a folder with these files:
#' * `lengths.npy`: integers, the number of breakpoints of each function. For an array of functions,
#'   it has the dimensions of the array. The functions are in NumPy's order, in which the last index
#'   changes fastest. Dimnames are not written;
#' * `times.npy` and `values.npy`: the times and values of all breakpoints, one function after the
#'   other, in double precision. A value that is `NaN` in NumPy is `NA` in R: not observed;
#' * `left.npy`, only for piecewise linear functions: the left limits at the breakpoints;
#' * `names.npy`, only if the functions have names, `unit.npy`, only if their times have a
#'   [time_unit()], and `value_name.npy`, only if their values have a [value_name()]: strings. A name that
#'   is `NA` is written as an empty string. Names are converted to Unicode;
#' * `checksums.npy`: strings, one for each of the other files: its name, its size in bytes, and for each
#'   64 MiB of it a checksum, XXH64 with seed 0, as 16 hexadecimal digits.
#'
#' In Python, `n, t, v = (np.load(f"{folder}/{part}.npy") for part in ("lengths", "times",
#' "values"))` reads these files, and `np.split(t, np.cumsum(n)[:-1])` gives the times of each function.
#' Large files can be mapped into memory with `np.load(..., mmap_mode = "r")`. To write functions in
#' Python, make a folder with three calls of `np.save()`; if you replace files that `write_npy()` has written,
#' delete `checksums.npy`.
#'
#' **Replacing and reading at the same time.** `read_npy()` compares all files of a folder with `checksums.npy`,
#' and returns the functions of one call of `write_npy()`, never parts of two, also while other processes write to
#' the folder. Several processes that write to it wait for each other. If a call is interrupted, killed or
#' fails, the folder has either the functions from before or the new ones. A call that is killed may leave a
#' subfolder `writing` and a file `writing.lock`; `read_npy()` uses files in `writing` that are not in their place
#' yet, and the next `write_npy()` moves or removes them. Other programs, which do not compare checksums, may see
#' files of both collections while one is being replaced, and a folder without `checksums.npy` is read as it is.
#' After a loss of power, files may be damaged, which is an error.
#'
#' **Numbers** of vectors, matrices and arrays are written to one file, in column-major order, as in R
#' (`fortran_order` in NumPy); `read_npy()` reads both orders. A `dist` has the elements of the condensed
#' distance matrix of `scipy.spatial.distance`, in the same order, and `read_npy(path, dist = TRUE)` makes a `dist`
#' of them again. A square matrix of distances is read as a matrix, for `as.dist()`. Names and dimnames of numbers,
#' and the labels of a `dist`, are not written.
#'
#' Files can be read if they contain integers, floating point numbers of 4 or 8 bytes, booleans or, in
#' one dimension, strings, in either byte order. Integers that a double cannot represent are an error.
#'
#' @param x A [pcf] or [plf]; a numeric or logical vector, matrix or array; or a `dist`.
#' @param path For functions, the path of a folder, which is created if needed; otherwise the path of a
#'   file. An existing file, or the functions in an existing folder, are replaced once the new ones
#'   have been written completely; files keep their modes. If the path of a file is a symbolic link, the file behind it
#'   is replaced. An error is raised if the folder contains symbolic links, or files that `write_npy()` did not write,
#'   with the names listed in Details.
#' @param dist `TRUE` if the file contains the distances of a `dist`, in its order.
#'
#' @return `write_npy()`: `path`, invisibly. `read_npy()`: a [pcf] or [plf] from a folder; from a file, a
#'   vector, matrix or array of type integer, double, logical or character, or with `dist = TRUE` a `dist`.
#'
#' @section Errors:
#' Files that do not exist, are damaged or have other contents raise an error of class
#' `pcfdist_error_path`, and so do files of one folder that do not match each other. Files that cannot
#' be written raise `pcfdist_error_file`. Other objects, and names with bytes that are not valid text,
#' raise `pcfdist_error_x`.
#'
#' @references
#' The format: \url{https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html}
#'
#' @seealso [as.data.frame()][as.data.frame.pcf]; [saveRDS()] for R's own files
#'
#' @examples
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, NA, 0), c(2, 0)))
#' folder <- file.path(tempdir(), "functions")
#' write_npy(x, folder)
#' dir(folder)
#' identical(read_npy(folder), x)
#'
#' file <- file.path(tempdir(), "distances.npy")
#' write_npy(pdist(x, missing = "overlap"), file)
#' read_npy(file)
#' read_npy(file, dist = TRUE)
#' @export
write_npy <- function(x, path) {
  check_npy_path(path)
  if (is_either(x)) write_functions(check_functions(check_either(x)), path)
  else write_numbers(x, path)
  invisible(path)
}

#' @rdname write_npy
#' @export
read_npy <- function(path, dist = FALSE) {
  check_npy_path(path)
  is_folder <- dir.exists(path)
  if (check_flag(dist, "dist")) {
    if (!is_folder) return(as_condensed_dist(read_array(path), path))
    abort_argument("path", "must be a file if `dist` is TRUE, not a folder of functions: ", path)
  }
  if (is_folder) read_functions(path) else read_array(path)
}

check_npy_path <- function(path) {
  check_kind(is_one_name(path), path, "path", "the path of a file or folder")
}

# ---- Functions ----

write_functions <- function(x, folder) {
  names <- if (!is.null(names(x))) valid_text(names(x), function(wrong) {
    abort_argument("x", "must have names that are valid text, but that of function ", wrong, " is not.")
  })
  made <- !dir.exists(folder)
  if (made && file.exists(folder)) abort_argument("path", "must be a folder if `x` is a <pcf>, not a file: ", folder)
  on.exit(if (made) remove_empty_folder(folder))
  if (made) on_disk(cannot_write, folder, make_shared_folder(folder))
  replace_parts(folder, function(part) write_parts(x, names, part))
}

# Another process may just be making it.
make_shared_folder <- function(folder) {
  tryCatch(as_error(dir.create(folder, recursive = TRUE)), error = function(error) {
    if (!dir.exists(folder)) stop(error)
  })
}

write_parts <- function(x, names, part) {
  shape <- dim(x) %||% length(x)
  functions <- unname(unclass(x))[last_index_first(shape)]
  write_npy_file(part("lengths"), "<i8", shape, 8, fortran = FALSE, function(file) {
    # Integers of 8 bytes, whose upper half is 0: no function has 2^32 breakpoints.
    halves <- rbind(lengths(functions) %/% columns_of(x), integer(length(functions)))
    writeBin(as.vector(halves), file, endian = "little")
  })
  columns <- if (inherits(x, "plf")) c("times", "left", "values") else c("times", "values")
  pieces <- split(functions, cumsum(lengths(functions) / 2) %/% 1e6) # so that no vector is large
  for (column in seq_along(columns)) {
    write_npy_file(part(columns[column]), "<f8", sum(breakpoints_of(x)), 8, function(file) {
      for (piece in pieces) {
        writeBin(unlist(lapply(piece, function(f) f[, column])), file, endian = "little")
      }
    })
  }
  if (!is.null(names)) write_strings(names, part("names"))
  if (!is.null(unit_of(x))) write_strings(unit_text(unit_of(x)), part("unit"))
  if (!is.null(name_of(x))) write_strings(name_of(x), part("value_name"))
}

# The elements of an array in numpy's order.
last_index_first <- function(shape) {
  as.vector(aperm(array(seq_len(prod(shape)), shape)))
}

read_functions <- function(folder) {
  files <- open_parts(folder)
  on.exit(close_all(files))
  part <- function(name, type, ...) read_part(part_path(folder, name), type, ..., file = files[[name]])
  lengths <- part("lengths", "numeric", one_dimension = FALSE)
  times <- part("times", "numeric")
  values <- part("values", "numeric")
  optional <- function(name, type = "character") if (!is.null(files[[name]])) part(name, type)
  left <- optional("left", "numeric")
  check_parts(lengths, times, values)
  if (!is.null(left)) check_parts(lengths, times, left, "left limits")
  names <- optional("names")
  order <- last_index_first(dim(lengths) %||% length(lengths))
  if (!is.null(names) && length(names) != length(lengths)) {
    abort_argument(
      "path", "contains files that do not match: there are ", length(names), " names for ", length(lengths),
      " functions."
    )
  }
  functions <- vector("list", length(lengths))
  functions[order] <- cut_functions(
    lengths[order], as.double(times), without_nan(values), if (!is.null(left)) without_nan(left)
  )
  functions <- with_shape(functions, list(dim = if (length(dim(lengths)) > 1) dim(lengths), names = names))
  unit <- if (!is.null(files$unit)) unit_of_text(part("unit", "character"))
  name <- optional("value_name")
  if (!is.null(name) && !is_one_name(name)) {
    abort_argument("path", "must have one name of the values, and has ", quoted(name), ".")
  }
  check_functions(new_pcf(functions, unit, if (is.null(left)) pcf_class else plf_class, name), "path")
}

without_nan <- function(values) replace(as.double(values), is.nan(values), NA)

check_parts <- function(lengths, times, values, of_what = "values") {
  wrong <- which(is.na(lengths) | lengths < 1 | lengths != round(lengths))
  if (length(wrong) > 0) {
    abort_argument(
      "path", "is invalid: lengths must be whole numbers of at least 1, but element ", wrong[1], " is ",
      number(lengths[wrong[1]]), "."
    )
  }
  if (length(times) == sum(lengths) && length(values) == sum(lengths)) return()
  abort_argument(
    "path", "contains files that do not match: the lengths add up to ", number(sum(lengths)),
    " breakpoints, but there are ", number(length(times)), " times and ", number(length(values)), " ",
    of_what, "."
  )
}

unit_text <- function(unit) {
  switch(unit_kind(unit),
    Date = "Date",
    POSIXct = c("POSIXct", attr(unit, "tzone") %||% ""),
    difftime = c("difftime", attr(unit, "units")),
    pcf_calendar = c("calendar", number(attr(unit, "frequency")))
  )
}

unit_of_text <- function(text) {
  parts <- c(Date = 1, POSIXct = 2, difftime = 2, calendar = 2)
  whole <- isTRUE(parts[text[1]] == length(text))
  unit <- switch(if (whole) text[1] else "",
    Date = .Date(numeric()),
    POSIXct = .POSIXct(numeric(), if (nzchar(text[2])) text[2]),
    difftime = .difftime(numeric(), text[2]),
    calendar = calendar_unit(suppressWarnings(as.double(text[2])))
  )
  if (!anyNA(text) && is_unit(unit)) return(unit)
  abort_argument(
    "path", "is invalid: ", quoted(text), " is not a known unit of time."
  )
}

# ---- Reading ----

as_condensed_dist <- function(x, path) {
  if (!is.numeric(x)) abort_npy(path, "must contain numbers, not ", describe(x), ".")
  if (length(dim(x)) > 1) {
    abort_npy(path, "has the dimensions ", paste(dim(x), collapse = " x "), ", and a dist needs one",
              if (is.matrix(x)) ": use as.dist(read_npy(path)) if it is a matrix of distances", ".")
  }
  n <- floor((1 + sqrt(1 + 8 * length(x))) / 2)
  if (choose(n, 2) != length(x)) {
    abort_npy(path, "has ", number(length(x)), " numbers, which are not the distances of any number of objects: of ",
              number(n), " there are ", number(choose(n, 2)), ", of ", number(n + 1), " ", number(choose(n + 1, 2)),
              ".")
  }
  structure(as.double(x), Size = as.integer(n), Diag = FALSE, Upper = FALSE, class = "dist")
}
