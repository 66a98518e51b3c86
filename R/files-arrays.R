# Arrays of numbers and strings in single .npy files.

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
  if (any(sides > most) || prod(base::pmax(sides, 1)) > most_elements) {
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

# The size of an open file; 0 for a pipe.
file_bytes <- function(file) {
  tryCatch({
    here <- seek(file, 0, "end")
    seek(file, here)
  }, error = function(error) 0)
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

# The file that a symbolic link stands for.
target_of <- function(path) {
  if (!is_link(path)) return(path)
  if (!file.exists(path)) {
    abort_argument("path", "is a symbolic link to a file that does not exist: ", path, " -> ", Sys.readlink(path))
  }
  normalizePath(path)
}

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
