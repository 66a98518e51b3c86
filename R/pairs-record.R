# The text file that describes results in a file. It has fields "Name: value", some of which continue on
# lines that begin with a space. C reads and writes the last two, "Checksum" and "Blocks"; the others are
# handled here.

record_name <- function(path) paste0(path, ".dcf")
part_name <- function(path) paste0(path, ".part")

format_of_records <- "pcfdist results 2"

# The record of all results of a call, finished or not: list(header, fields).
read_results <- function(path) {
  words <- paste0("Format: ", format_of_records, "\n")
  header <- answer_value(.Call(ffi_read_header, record_name(path), words))
  fields <- parse_header(header)
  if (describes_results(fields)) return(list(header = header, fields = fields))
  abort_argument("file", "cannot be used: ", dQuote(record_name(path), FALSE), " does not ",
                 "describe the results of a call.")
}

# A list of character vectors: the value of each field or, if it continues, its further lines.
parse_header <- function(header) {
  lines <- strsplit(header, "\n", fixed = TRUE, useBytes = TRUE)[[1]]
  begins <- !startsWith(lines, " ")
  names <- sub(":.*", "", lines[begins], useBytes = TRUE)
  values <- sub("^([^ :][^:]*: ?| )", "", lines, useBytes = TRUE)
  Encoding(values) <- "UTF-8"
  fields <- unname(split(values, cumsum(begins)))
  fields <- lapply(fields, function(value) if (length(value) > 1) value[-1] else value)
  stats::setNames(fields, names)
}

# `fields` has a string for a field in one line, and a list of one character vector for a longer one.
format_header <- function(fields) {
  lines <- vapply(fields, function(value) {
    if (!is.list(value)) return(paste0(" ", value))
    if (length(value[[1]]) > 0) paste0("\n ", value[[1]], collapse = "") else ""
  }, "")
  paste0(names(fields), ":", lines, "\n", collapse = "")
}

# ---- Shapes ----

# The fields from which R restores attributes: names, dimensions and the call.
shape_fields <- function(request) {
  shape <- request$attributes
  call <- if (!is.null(shape$call)) enc2utf8(code_text(short_call(shape$call)))
  dimnames <- lapply(shape$dimnames, function(names) if (!is.null(names)) list(quote_text(names)))
  names(dimnames) <- sprintf("Names-%d", seq_along(dimnames))
  fields <- list(
    Call = if (!is.null(call)) gsub("\n", " ", call, fixed = TRUE),
    Dim = if (!is.null(shape$dim)) paste(shape$dim, collapse = " "),
    Labels = if (!is.null(shape$Labels)) list(quote_text(shape$Labels))
  )
  Filter(Negate(is.null), c(fields, dimnames))
}

# Are the fields valid, with as many names as there are rows and columns?
describes_results <- function(fields) {
  choices <- list(
    Layout = c("dist", "symmetric", "dense"), Storage = c("double", "single"), First = "1",
    Last = fields$Columns, Missing = c("error", "overlap", "mean"),
    Operation = if (identical(fields$Layout, "dist")) c(names(exponents_in_c), names(distances))
                else fields$Operation
  )
  known <- vapply(names(choices), function(name) {
    length(fields[[name]]) == 1 && fields[[name]] %in% choices[[name]]
  }, NA)
  count <- counts_in(c(fields$Rows, fields$Columns))
  all(known) && !anyDuplicated(names(fields)) && length(count) == 2 && !anyNA(count) &&
    names_fit(fields, count)
}

names_fit <- function(fields, count) {
  fit <- function(names, n) is.null(names) || length(names[!identical(names, "")]) == n
  if (fields$Layout != "dense" && count[1] != count[2]) return(FALSE)
  if (fields$Layout == "dist") return(fit(fields$Labels, count[1]))
  dim <- counts_in(strsplit(as.character(fields$Dim), " ", fixed = TRUE)[1][[1]])
  length(dim) >= 2 && !anyNA(dim) && prod(dim) == prod(count) &&
    all(mapply(fit, fields[paste0("Names-", seq_along(dim))], dim))
}

# Numbers from text; NA if a text is not a count.
counts_in <- function(text) {
  count <- suppressWarnings(as.double(text))
  replace(count, is.na(count) | count != round(count) | count < 0 | count > 2^52, NA)
}

stored_attributes <- function(fields) {
  class <- "stored_distances"
  if (fields$Layout == "dist") {
    return(list(
      Size = as.integer(fields$Rows), Labels = unquote_text(fields$Labels), Diag = FALSE,
      Upper = FALSE, method = method_of(fields$Operation),
      p = if (takes_exponent(fields$Operation)) as.double(fields$P),
      call = tryCatch(str2lang(fields$Call), error = function(error) NULL), # there may be none
      class = c(class, "dist")
    ))
  }
  dim <- as.integer(strsplit(fields$Dim, " ")[[1]])
  dimnames <- lapply(seq_along(dim), function(k) unquote_text(fields[[paste0("Names-", k)]]))
  list(
    dim = dim, dimnames = any_labels(dimnames),
    class = c(class, if (length(dim) == 2) "matrix", "array")
  )
}

# ---- Text ----

# Encodes strings as in JSON, and NA as null, so that each is one line. A field without lines has no
# strings.
quote_text <- function(x) {
  text <- valid_text(as.character(x), function(wrong) {
    abort_argument("file", "cannot keep the name ", encodeString(x[wrong], quote = "\""),
                   ", whose bytes are not valid text. Give the function another name.")
  })
  for (k in seq_along(plain_marks)) {
    text <- gsub(plain_marks[k], quoted_marks[k], text, fixed = TRUE, useBytes = TRUE)
  }
  Encoding(text) <- "UTF-8"
  ifelse(is.na(x), "null", paste0("\"", text, "\""))
}

# Text in UTF-8. `refuse` is called with the index of the first string whose bytes are not valid text or
# have an unknown encoding.
valid_text <- function(x, refuse) {
  encoding <- Encoding(x)
  text <- replace(x, encoding == "bytes", NA)
  text[encoding == "unknown"] <- iconv(text[encoding == "unknown"], "", "UTF-8")
  text <- enc2utf8(text)
  wrong <- which(!is.na(x) & !(!is.na(text) & validUTF8(text)))
  if (length(wrong) > 0) refuse(wrong[1])
  text
}

unquote_text <- function(text) {
  if (is.null(text)) return(NULL)
  if (identical(text, "")) return(character())
  inner <- substr(text, 2, nchar(text) - 1)
  escaped <- grepl("\\", inner, fixed = TRUE)
  inner[escaped] <- vapply(inner[escaped], unescape, "")
  ifelse(text == "null", NA_character_, inner)
}

plain_marks <- c("\\", "\"", "\n", "\r", "\t")
quoted_marks <- c("\\\\", "\\\"", "\\n", "\\r", "\\t")

# Splits at pairs of backslashes first, so that they are not taken for other marks.
unescape <- function(text) {
  pieces <- strsplit(paste0(text, "."), quoted_marks[1], fixed = TRUE)[[1]]
  for (k in seq_along(plain_marks)[-1]) {
    pieces <- gsub(quoted_marks[k], plain_marks[k], pieces, fixed = TRUE)
  }
  text <- paste(pieces, collapse = plain_marks[1])
  substr(text, 1, nchar(text) - 1)
}

layout_of <- function(fields) {
  count <- function(name) as.double(fields[[name]])
  list(
    kind = fields[["Layout"]], rows = count("Rows"), columns = count("Columns"),
    first = count("First"), end = count("Last"), storage = fields[["Storage"]]
  )
}

# ---- Names of files ----

# Checks `file`, `storage` and `check`: NULL without a file, otherwise list(path, storage, check).
check_file <- function(file, storage, check = TRUE, jobs = NULL) {
  check <- check_flag(check, "check")
  if (is.null(file)) {
    if (!is.null(jobs)) abort_argument("jobs", "must not be given without `file`, to which the results are written.")
    if (!check) abort_argument("check", "must not be given without `file`, whose blocks it checks.")
    if (identical(storage, precisions)) return(NULL)
    abort_argument("storage", "must not be given without `file`, in which the numbers are stored.")
  }
  list(path = check_path(file), storage = check_option(storage, "storage", precisions), check = check)
}

# The absolute path of a file, which need not exist.
check_path <- function(file) {
  if (is.character(file) && (any(Encoding(file) == "bytes") || !all(validEnc(file)))) {
    abort_argument("file", "must be the name of a file, but has bytes that are not valid text.")
  }
  valid <- is_one_name(file) && nzchar(basename(file))
  file <- check_is(valid, plain(file), "file", "must be the name of a file, not ")
  name <- sub(if (.Platform$OS.type == "windows") "[/\\\\]+$" else "/+$", "", file)
  folder <- dirname(path.expand(name))
  if (!dir.exists(folder)) {
    abort_argument("file", "must be in a folder that exists, but ", dQuote(folder, FALSE),
                   " does not.")
  }
  path <- enc2native(file.path(normalizePath(folder), basename(name)))
  if (name != file) path <- file.path(path, "")
  if (name != file || dir.exists(path)) {
    abort_argument("file", "must be the name of a file, not of a folder: ", dQuote(path, FALSE), ".")
  }
  path
}
