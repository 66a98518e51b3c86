# The text file beside results in a file: fields "Name: value", of which some go on in lines that
# begin with a space. C reads and writes the last field, "Blocks"; here are the others.

record_name <- function(path) paste0(path, ".dcf")
part_name <- function(path) paste0(path, ".part")

# The record of a path, or NULL where there is none: list(header, fields).
find_record <- function(path) {
  if (file.exists(record_name(path))) read_record(path)
}

read_record <- function(path) {
  header <- read_header(record_name(path))
  fields <- if (!is.null(header)) parse_header(header)
  if (!identical(fields[["Format"]], "pcfdist results 1")) {
    abort_argument("file", "cannot be used: ", dQuote(record_name(path), FALSE), " does not ",
                   "describe results of this version of pcfdist.")
  }
  list(header = header, fields = fields)
}

end_of_header <- "\nBlocks:\n"

# The lines up to and with "Blocks:"; NULL where there is no such line.
read_header <- function(name) {
  file <- file(name, "rb")
  on.exit(close(file))
  bytes <- raw()
  repeat {
    part <- readBin(file, "raw", 2^20)
    bytes <- c(bytes, part)
    end <- grepRaw(end_of_header, bytes, fixed = TRUE)
    if (length(end) > 0) break
    if (length(part) == 0) return(NULL)
  }
  header <- rawToChar(bytes[seq_len(end + nchar(end_of_header) - 1)])
  Encoding(header) <- "UTF-8"
  header
}

# A list of character vectors: the value of a field, and of those that go on their further lines.
parse_header <- function(header) {
  lines <- strsplit(header, "\n", fixed = TRUE, useBytes = TRUE)[[1]]
  Encoding(lines) <- "UTF-8"
  begins <- !startsWith(lines, " ")
  names <- sub(":.*", "", lines[begins], useBytes = TRUE)
  values <- ifelse(begins, sub("^[^:]*: ?", "", lines, useBytes = TRUE), substring(lines, 2))
  fields <- unname(split(values, cumsum(begins)))
  fields <- lapply(fields, function(value) if (length(value) > 1) value[-1] else value)
  stats::setNames(fields, names)
}

# `fields`: a string for a field in one line, a list of one vector for one of several.
format_header <- function(fields) {
  lines <- vapply(fields, function(value) {
    if (!is.list(value)) return(paste0(" ", value))
    if (length(value[[1]]) > 0) paste0("\n ", value[[1]], collapse = "") else ""
  }, "")
  paste0(paste0(names(fields), ":", lines, "\n", collapse = ""), substring(end_of_header, 2))
}

# ---- Shapes ----

# What R makes the attributes of: names, dimensions and the call.
shape_fields <- function(request) {
  shape <- request$attributes
  call <- if (!is.null(shape$call)) deparse(short_call(shape$call), width.cutoff = 500)
  dimnames <- lapply(shape$dimnames, function(names) if (!is.null(names)) list(quote_text(names)))
  names(dimnames) <- sprintf("Names-%d", seq_along(dimnames))
  fields <- list(
    Call = if (!is.null(call)) paste(call, collapse = " "),
    Dim = if (!is.null(shape$dim)) paste(shape$dim, collapse = " "),
    Labels = if (!is.null(shape$Labels)) list(quote_text(shape$Labels))
  )
  Filter(Negate(is.null), c(fields, dimnames))
}

stored_attributes <- function(fields) {
  class <- "stored_distances"
  if (fields$Layout == "dist") {
    return(list(
      Size = as.integer(fields$Rows), Labels = unquote_text(fields$Labels), Diag = FALSE,
      Upper = FALSE, method = methods_of_distances[[fields$Operation]], p = as.double(fields$P),
      call = parsed_call(fields$Call), class = c(class, "dist")
    ))
  }
  dim <- as.integer(strsplit(fields$Dim, " ")[[1]])
  dimnames <- lapply(seq_along(dim), function(k) unquote_text(fields[[paste0("Names-", k)]]))
  list(
    dim = dim, dimnames = if (!all(vapply(dimnames, is.null, NA))) dimnames,
    class = c(class, if (length(dim) == 2) "matrix", "array")
  )
}

methods_of_distances <- c(l1 = "L1", l2 = "L2", linf = "Linf", lp = "Lp")

parsed_call <- function(text) {
  if (!is.null(text)) tryCatch(str2lang(text), error = function(error) NULL)
}

# ---- Text ----

# Strings as in JSON, and NA as null: any text in one line. A field without lines has no strings.
quote_text <- function(x) {
  text <- enc2utf8(as.character(x))
  for (k in seq_along(plain_marks)) {
    text <- gsub(plain_marks[k], quoted_marks[k], text, fixed = TRUE, useBytes = TRUE)
  }
  Encoding(text) <- "UTF-8"
  ifelse(is.na(x), "null", paste0("\"", text, "\""))
}

unquote_text <- function(text) {
  if (is.null(text)) return(NULL)
  if (identical(text, "")) return(character())
  inner <- substring(text, 2, nchar(text) - 1)
  escaped <- grepl("\\", inner, fixed = TRUE)
  inner[escaped] <- vapply(inner[escaped], unescape, "")
  ifelse(text == "null", NA_character_, inner)
}

plain_marks <- c("\\", "\"", "\n", "\r", "\t")
quoted_marks <- c("\\\\", "\\\"", "\\n", "\\r", "\\t")

unescape <- function(text) {
  found <- gregexpr("\\\\.", text)
  regmatches(text, found) <- lapply(
    regmatches(text, found), function(marks) plain_marks[match(marks, quoted_marks)]
  )
  text
}
