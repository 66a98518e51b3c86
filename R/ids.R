# The columns of a table, and the groups of its rows by those that say whose they are.

# For each row the number of its group, in order of first appearance, and the names of the groups.
# Without columns all rows are one group without a name.
id_groups <- function(x, id) {
  if (is.null(id)) return(list(group = rep(1L, nrow(x)), count = 1L, names = NULL))
  columns <- id_columns(x, id)
  key <- columns[[1]]
  for (column in columns[-1]) {
    key <- paste(match(key, unique(key)), match(column, unique(column)))
  }
  group <- match(key, unique(key))
  first <- which(!duplicated(group))
  list(group = group, count = length(first), names = joined(lapply(columns, `[`, first)))
}

# A label for each row, such as "S1, chr1". Ids that are not the same have other labels: where "x, y"
# and "z" would read like "x" and "y, z", all parts are in quotes.
joined <- function(columns) {
  parts <- lapply(columns, as.character)
  labels <- do.call(paste, c(parts, sep = ", "))
  if (length(parts) == 1) return(labels)
  quoted <- do.call(paste, c(lapply(parts, encodeString, quote = "\""), sep = ", "))
  different <- labels[!duplicated(quoted)]
  unclear <- labels %in% different[duplicated(different)]
  replace(labels, unclear, quoted[unclear])
}

id_columns <- function(x, id) {
  if (!is.character(id) || length(id) == 0 || anyDuplicated(id)) abort_column(x, id, "id")
  lapply(id, function(name) {
    column <- named_column(x, name, "id")
    if (!is.atomic(column) || !is.null(dim(column))) {
      abort_argument(
        "id", "must name a vector, and `x$", name, "` is ", describe(column), "."
      )
    }
    if (anyNA(column)) abort_missing_ids(column, name)
    column
  })
}

abort_missing_ids <- function(column, name) {
  if (all(is.na(column))) {
    abort_argument(
      "x", "has no ", name, " in any row. `id = NULL` takes all rows for one function, and other ",
      "columns can be named."
    )
  }
  abort_argument(
    "x", "has a missing ", name, " in row ", which(is.na(column))[1], ". ", without_rows(name)
  )
}

# What leaves out the rows in which a column is missing.
without_rows <- function(name) {
  paste0("x[!is.na(x$", in_code(name), "), ] leaves out such rows.")
}

# A name as R reads it.
in_code <- function(name) deparse1(as.name(name), backtick = TRUE)

number_column <- function(x, name, argument) {
  column <- without_parts(named_column(x, name, argument))
  if (is_number(column) && is.null(dim(column))) return(column)
  abort_argument(
    argument, "must name a numeric column, and `x$", name, "` is ", describe(column), ".",
    text_hint(column, paste0("x$", in_code(name)), may_be_times = argument != "value")
  )
}

# What makes numbers or times of text. `code` is what has it.
text_hint <- function(text, code, may_be_times = TRUE) {
  if (!is.character(text) && !is.factor(text)) return(NULL)
  words <- as.character(text[!is.na(text)])
  if (!anyNA(suppressWarnings(as.numeric(words)))) {
    if (is.factor(text)) code <- paste0("as.character(", code, ")")
    return(paste0(" as.numeric(", code, ") makes numbers of it."))
  }
  if (!may_be_times) return(NULL)
  if (!all(grepl("^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", words))) {
    return(paste0(" as.Date(", code, ", format = ) makes dates of text."))
  }
  if (any(grepl(":", words))) paste0(" as.POSIXct(", code, ", tz = \"UTC\") makes times of it.")
  else paste0(" as.Date(", code, ") makes dates of it.")
}

value_column <- function(x, name) {
  column <- number_column(x, name, "value")
  check_plain_values(column, "value", "names `x$", name, "`, which has ")
  as.double(column)
}

# A date-time as its parts, year, month and so on, becomes one number.
without_parts <- function(column) {
  if (inherits(column, "POSIXlt")) as.POSIXct(column) else column
}

# Values are plain numbers. The message goes on where `...` ends.
check_plain_values <- function(values, argument, ...) {
  unit <- unit_from(values)
  if (is.null(unit)) return()
  way <- if (inherits(values, "difftime")) " as.numeric(values, units = ) makes numbers of them."
         else " Are times and values swapped? as.numeric() makes numbers of them."
  what <- if (is_calendar(unit)) "months or quarters" else describe_unit(unit)
  abort_argument(argument, ..., what, " where plain numbers are needed.", way)
}

named_column <- function(x, name, argument) {
  if (!is.character(name) || length(name) != 1) abort_column(x, name, argument)
  count <- sum(names(x) == name, na.rm = TRUE)
  if (count == 1) return(x[[name]])
  if (count == 0) abort_column(x, name, argument)
  abort_argument(
    argument, "is ", describe(name), ", and `x` has ", count, " columns of this name. Rename or ",
    "remove the others."
  )
}

# Whether a column has different values within a group.
varies <- function(column, group) {
  if (!is.atomic(column) || !is.null(dim(column))) return(FALSE)
  code <- match(column, unique(column))
  any(code != code[match(group, group)])
}

abort_column <- function(x, name, argument, hint = "") {
  abort_argument(
    argument, "must be the name of a column of `x` (",
    first_ten(names(x)), "), and is ", describe(name), ".", hint
  )
}
