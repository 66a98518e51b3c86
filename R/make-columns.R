# The columns of a table, and the groups of its rows by the id columns.

# For each row the number of its group, in order of first appearance, and the names of the groups.
# Without id columns all rows are one group without a name.
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

# A label for each row, such as "S1, chr1". Different ids have different labels: if "x, y" and "z" would
# look like "x" and "y, z", all parts are quoted.
joined <- function(columns) {
  parts <- lapply(columns, distinct_text)
  labels <- do.call(paste, c(parts, sep = ", "))
  if (length(parts) == 1) return(labels)
  quoted <- do.call(paste, c(lapply(parts, encodeString, quote = "\""), sep = ", "))
  different <- labels[!duplicated(quoted)]
  unclear <- labels %in% different[duplicated(different)]
  replace(labels, unclear, quoted[unclear])
}

# text_of(), with all digits, or the time in UTC, where different ids would get the same text.
distinct_text <- function(ids) {
  text <- text_of(ids)
  different <- text[!duplicated(ids)]
  if (!is.double(ids) || !anyDuplicated(different)) return(text)
  same <- which(text %in% different[duplicated(different)])
  text[same] <- if (inherits(ids, "POSIXct")) paste(format_instants(as.double(ids[same]), "UTC", 15), "UTC")
                else vapply(as.double(ids[same]), exact_text, "")
  text
}

id_columns <- function(x, id) {
  if (!is.character(id) || length(id) == 0 || anyDuplicated(id)) abort_column(x, id, "id")
  lapply(id, function(name) {
    column <- named_column(x, name, "id")
    long <- inherits(column, "integer64")
    valid <- is.atomic(column) && is.null(dim_of(column)) && (!long || has_bit64())
    check_is(valid, column, "id", "must name a vector, but `x$", name, "` is ")
    if (long) column <- as.character(column)
    if (anyNA(column)) abort_missing_ids(column, name)
    column
  })
}

abort_missing_ids <- function(column, name) {
  if (all(is.na(column))) {
    abort_argument(
      "x", "has no ", name, " in any row. Use `id = NULL` if all rows are one function, or name other ",
      "columns."
    )
  }
  abort_argument(
    "x", "has a missing ", name, " in row ", which(is.na(column))[1], ". ", without_rows(name)
  )
}

# How to drop the rows in which a column is missing.
without_rows <- function(name) {
  paste0("x[!is.na(x$", in_code(name), "), ] drops such rows.")
}

# A name as it is written in R code.
in_code <- function(name) deparse1(as.name(name), backtick = TRUE)

number_column <- function(x, name, argument) {
  column <- without_parts(named_column(x, name, argument))
  valid <- is_number(column) && is.null(dim_of(column))
  check_is(valid, column, argument, "must name a numeric column, but `x$", name, "` is ",
           hint = text_hint(column, paste0("x$", in_code(name)), may_be_times = argument != "value"))
}

value_column <- function(x, name) {
  column <- number_column(x, name, "value")
  check_plain_values(column, "value", "names `x$", name, "`, which has ")
  as.double(column)
}

named_column <- function(x, name, argument) {
  name <- plain(name)
  if (!is.character(name) || length(name) != 1) abort_column(x, name, argument)
  count <- sum(names(x) == unclass(name), na.rm = TRUE)
  if (count == 1) return(x[[name]])
  if (count == 0) abort_column(x, name, argument)
  abort_argument(
    argument, "is ", describe(name), ", but `x` has ", count, " columns of this name. Rename or ",
    "remove the others."
  )
}

# Whether a column has different values within a group.
varies <- function(column, group) {
  if (!is.atomic(column) || !is.null(dim_of(column))) return(FALSE)
  code <- match(column, unique(column))
  any(code != code[match(group, group)])
}

abort_column <- function(x, name, argument, hint = "") {
  abort_argument(
    argument, "must be the name of a column of `x`",
    if (length(x) > 0) paste0(" (", first_ten(names(x)), "), not ", describe(name)) else ", which has none", ".", hint
  )
}

# Whole numbers, some of them repeated.
are_codes <- function(column) {
  !is.object(column) && all(is.finite(column)) && all(column == round(column)) &&
    anyDuplicated(column) > 0
}

is_matrix_or_frame <- function(x) is.matrix(x) || is.data.frame(x)

# A constant value of functions: a number, or NA for "not observed".
check_constant <- function(value, argument) {
  valid <- (is.numeric(value) || is.logical(value)) && !is.object(value) &&
    length(value) == 1 && !is.nan(value) && !is.infinite(value)
  as.double(check_is(valid, value, argument, "must be NA or a finite number, not "))
}
