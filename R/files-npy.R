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

# A file of a collection. Only lengths may have several dimensions: for the others, the order would be
# a guess.
read_part <- function(path, type, one_dimension = TRUE, file = NULL) {
  x <- if (is.null(file)) read_array(path) else read_open_array(file, path)
  if (one_dimension && length(dim(x)) > 1) {
    abort_npy(path, "must have one dimension, not ", length(dim(x)), ".")
  }
  right <- if (type == "numeric") is.numeric(x) else is.character(x)
  if (right) return(x)
  abort_npy(path, "must contain ", if (type == "numeric") "numbers" else "strings", ", not ",
            describe(x), ".")
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

# ---- Numbers ----

write_numbers <- function(x, path) {
  if (inherits(x, "dist")) x <- as.vector(x)
  known <- (is.double(x) || is.integer(x) || is.logical(x)) && !is.object(x)
  check_is(known, x, "x", "must be a <pcf>, a <plf>, a dist, or a numeric or logical vector, not ")
  if (!is.double(x) && anyNA(x)) {
    abort_argument("x", "must not have missing values (NA): NumPy has none for ",
                   if (is.integer(x)) "integers" else "booleans", ". as.double(x) turns them into NaN.")
  }
  if (dir.exists(path) || grepl("/$", path)) {
    abort_argument("path", "must be a file if `x` holds numbers, not a folder: ", path)
  }
  type <- if (is.double(x)) "<f8" else if (is.integer(x)) "<i4" else "|b1"
  size <- c("<f8" = 8, "<i4" = 4, "|b1" = 1)[[type]]
  write <- function(path) {
    write_npy_file(path, type, dim(x) %||% length(x), size, function(file) {
      writeBin(as.vector(x), file, size = size, endian = "little")
    })
  }
  # An empty file may be a pipe, which must not be replaced.
  if (isTRUE(file.size(path) == 0)) on_disk("A file cannot be written: ", path, write(path))
  else write_beside(target_of(path), function(part) {
    answer_value(.Call(ffi_write_new, raw(), part)) # where nothing was, not even a link
    write(part)
  })
}

# The file that a symbolic link stands for.
target_of <- function(path) {
  if (!is_link(path)) return(path)
  if (!file.exists(path)) {
    abort_argument("path", "is a symbolic link to a file that does not exist: ", path, " -> ", Sys.readlink(path))
  }
  normalizePath(path)
}

write_strings <- function(x, path) {
  x <- enc2utf8(as.character(x))
  x[is.na(x)] <- ""
  letters <- lapply(x, utf8ToInt)
  width <- max(lengths(letters), 1L)
  codes <- vapply(letters, function(codes) c(codes, integer(width - length(codes))), integer(width))
  write_npy_file(path, sprintf("<U%d", width), length(x), 4 * width, function(file) {
    writeBin(as.vector(codes), file, endian = "little")
  })
}

# `write` writes the elements, of `size` bytes each, to a connection. The size of the file tells
# whether all of it was written, so warnings are not needed.
write_npy_file <- function(path, type, shape, size, write, fortran = TRUE) {
  header <- npy_header(type, shape, fortran)
  write_to(path, "wb", function(file) {
    suppressWarnings({
      writeBin(header, file)
      write(file)
    })
  })
  if (file.size(path) != length(header) + size * prod(shape)) stop(disk_full)
}

# Padded with spaces, so that the numbers begin at a multiple of 64 bytes.
npy_header <- function(type, shape, fortran) {
  sides <- paste0(numbers(shape, scientific = FALSE), collapse = ", ")
  if (length(shape) == 1) sides <- paste0(sides, ",")
  order <- if (fortran && length(shape) > 1) "True" else "False"
  text <- sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", type, order, sides)
  text <- paste0(text, strrep(" ", -(nchar(text) + 11) %% 64), "\n")
  length <- nchar(text)
  c(magic, as.raw(c(1, 0, length %% 256, length %/% 256)), charToRaw(text))
}

magic <- as.raw(c(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59)) # x93, NUMPY

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

read_array <- function(path) {
  if (!file.exists(path)) abort_argument("path", "does not exist: ", path)
  file <- open_npy(path)
  on.exit(close(file))
  read_open_array(file, path)
}

read_open_array <- function(file, path) {
  bytes <- file_bytes(file)
  header <- read_npy_header(file, path, bytes)
  count <- prod(header$shape)
  check_npy_size(header, count, bytes, path)
  x <- read_elements(file, header, count, path)
  if (length(header$shape) < 2) return(x) # a vector
  if (header$fortran) array(x, header$shape) else aperm(array(x, rev(header$shape)))
}

# Before any memory is allocated for the elements.
check_npy_size <- function(header, count, bytes, path) {
  expected <- header$begin + count * header$size
  if (bytes != expected) {
    abort_npy(path, "is damaged: it has ", number(bytes), " bytes and should have ", number(expected), ".")
  }
  if (header$size == 0 && count > bytes) {
    abort_npy(path, "is damaged: it has ", number(bytes), " bytes, and ", number(count), " empty strings.")
  }
}

read_npy_header <- function(file, path, bytes) {
  start <- readBin(file, "raw", 8)
  if (length(start) < 8 || !identical(start[1:6], magic)) abort_npy(path, "is not a NumPy file.")
  version <- as.integer(start[7])
  if (!version %in% 1:3 || start[8] != 0) {
    abort_npy(path, "has format version ", version, ".", as.integer(start[8]), ", which is not supported.")
  }
  width <- if (version > 1) 4 else 2
  length <- sum(as.integer(readBin(file, "raw", width)) * 256^(seq_len(width) - 1))
  begin <- 8 + width + length
  if (begin > bytes) abort_npy(path, "is damaged: its header is incomplete.")
  if (length > longest_header) abort_npy(path, "has a header of ", number(length), " characters, more than 10000.")
  text <- readBin(file, "raw", length)
  if (!all(text %in% as.raw(1:127))) abort_npy(path, "is damaged: its header is not text.")
  c(parse_npy_header(rawToChar(text), version, path), begin = begin)
}

# The same as for NumPy.
longest_header <- 10000

parse_npy_header <- function(text, version, path) {
  shown <- function() trimws(strtrim(text, 200))
  field <- function(name, pattern) {
    match <- regmatches(text, regexec(paste0("['\"]", name, "['\"]\\s*:\\s*", pattern), text, perl = TRUE))[[1]]
    if (length(match) == 2) return(match[2])
    abort_npy(path, "has no valid ", name, ": ", shown())
  }
  type <- field("descr", "['\"]([^'\"]*)['\"]")
  kind <- regmatches(type, regexec("^([<>|=])?([fiubU])([0-9]+)$", type))[[1]]
  width <- as.double(kind[4])
  known <- if (isTRUE(kind[3] == "U")) width < 2^31 else sub("^[<>|=]", "", type) %in% types_of_numbers
  if (!known) abort_npy(path, "has elements of a type that is not supported: ", strtrim(type, 200))
  shape <- gsub("[^0-9,]", "", field("shape", "\\(([0-9L,\\s]*)\\)"))
  order <- field("fortran_order", "(True|False)")
  if (!grepl(header_pattern(version), text, perl = TRUE)) abort_npy(path, "has a header that is not valid: ", shown())
  sides <- as.double(strsplit(shape, ",")[[1]])
  most <- if (length(sides) > 1) .Machine$integer.max else Inf
  if (any(sides > most) || prod(pmax(sides, 1)) > most_elements) {
    abort_npy(path, "has a shape that is not supported: ", shown())
  }
  list(
    type = type, kind = kind[3], width = width, size = if (kind[3] == "U") 4 * width else width,
    endian = if (kind[2] == ">") "big" else if (kind[2] == "=") .Platform$endian else "little",
    fortran = order == "True", shape = sides
  )
}

# A header has three fields, in any order. Each of them was found, so that none is there twice. The tilde stands for
# white space. Python 2 wrote an L after long integers.
header_pattern <- function(version) {
  quoted <- function(text) paste0("(?:'", text, "'|\"", text, "\")")
  side <- paste0("(?:0+|[1-9][0-9]*+)", if (version < 3) "(?:[ \t]*+L)?+", "~")
  shape <- paste0("\\(~(?:", side, ",~(?:", side, "(?:,~", side, ")*+(?:,~)?+)?+)?+\\)")
  values <- c(descr = quoted("[^'\"\\\\\r\n]*+"), fortran_order = "(?:True|False)", shape = shape)
  field <- paste0("(?:", paste0(quoted(names(values)), "~:~", values, collapse = "|"), ")~")
  pattern <- paste0("^(?:[ \t]*+|[\r\n]++)\\{~", field, ",~", field, ",~", field, "(?:,~)?\\}~$")
  gsub("~", "[ \t\r\n\f]*+", pattern, fixed = TRUE)
}

types_of_numbers <- c("f4", "f8", "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")

# The most elements that a vector can have.
most_elements <- 2^52

read_elements <- function(file, header, count, path) {
  read <- function(what, size, n = count, signed = TRUE) {
    readBin(file, what, n, size, signed, header$endian)
  }
  switch(sub("^[<>|=]", "", if (header$kind == "U") "U" else header$type),
    f4 = , f8 = read("double", header$size),
    b1 = read("integer", 1) != 0,
    i1 = , i2 = , u1 = , u2 = read("integer", header$size, signed = header$kind == "i"),
    i4 = , u4 = whole_numbers(read("integer", 4), header$kind),
    i8 = , u8 = join_halves(read("integer", 4, 2 * count), header, path),
    U = read_strings(read("integer", 4, count * header$width), count, path)
  )
}

# The numbers that R has read as signed integers of 4 bytes. It takes the smallest of these, -2^31, for NA.
whole_numbers <- function(x, kind) {
  if (anyNA(x)) x[is.na(x)] <- -2^31
  if (kind == "u") x + 2^32 * (x < 0) else x
}

# Integers of 8 bytes from two halves of 4.
join_halves <- function(halves, header, path) {
  at <- seq(1, by = 2, length.out = length(halves) / 2)
  low <- whole_numbers(halves[at + (header$endian == "big")], "u")
  high <- whole_numbers(halves[at + (header$endian == "little")], header$kind)
  x <- high * 2^32 + low
  wrong <- which(abs(x) > 2^53 | x - high * 2^32 != low)
  if (length(wrong) > 0) {
    abort_npy(path, "has integers that a double cannot represent: element ", wrong[1], " is ",
              number(x[wrong[1]]), ".")
  }
  x
}

# NumPy pads strings with zeros. A zero within a string, which R cannot have, and invalid characters
# give NA.
read_strings <- function(codes, count, path) {
  if (length(codes) == 0) return(character(count))
  strings <- apply(matrix(codes, ncol = count), 2, function(column) {
    letters <- column[seq_len(max(which(column != 0 | is.na(column)), 0))]
    valid <- letters > 0 & letters <= 0x10ffff
    if (isTRUE(all(valid))) intToUtf8(letters) else NA
  })
  wrong <- which(is.na(strings))
  if (length(wrong) == 0) return(strings)
  abort_npy(path, "has strings that are not valid text: element ", wrong[1], " is one.")
}

open_npy <- function(path) {
  tryCatch(open_file(path, "rb"), error = function(problem) {
    abort_argument("path", "cannot be opened: ", conditionMessage(problem))
  })
}

abort_npy <- function(path, ...) {
  abort_argument("path", "is invalid: ", basename(path), " ", ...)
}
