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
    valid <- is.atomic(column) && is.null(dim(column)) && (!long || has_bit64())
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
  valid <- is_number(column) && is.null(dim(column))
  check_is(valid, column, argument, "must name a numeric column, but `x$", name, "` is ",
           hint = text_hint(column, paste0("x$", in_code(name)), may_be_times = argument != "value"))
}

# How to convert text, or numbers with a unit, to numbers or times. `code` is the expression with the text, and `unit`
# that of the functions, if there are any.
text_hint <- function(text, code, may_be_times = TRUE, unit = NULL) {
  if (has_other_unit(text)) return(paste0(
    " Its unit would be lost: ", if (inherits(text, "units")) "units::drop_units(" else "as.numeric(", code,
    ") drops it", if (may_be_times) ", and times with a unit may be a Date, POSIXct or difftime", "."
  ))
  if (!is.character(text) && !is.factor(text)) return(NULL)
  words <- tryCatch(as.character(text[!is.na(text)]), error = function(error) NULL)
  if (is.null(words)) return(NULL)
  if (!anyNA(suppressWarnings(as.numeric(words)))) {
    if (is.factor(text)) code <- paste0("as.character(", code, ")")
    return(paste0(" as.numeric(", code, ") converts it to numbers."))
  }
  if (!may_be_times) return(NULL)
  all_are <- function(...) all(grepl(paste0("^", ...), words))
  date <- "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
  clock <- " [0-9]{2}:[0-9]{2}"
  is_date <- all_are(date, "$")
  if (is_date && !inherits(unit, "POSIXct")) return(paste0(" as.Date(", code, ") converts it to dates."))
  if (is_date || all_are(date, clock, "$") || all_are(date, clock, ":[0-9]{2}([.][0-9]+)?$")) {
    zone <- if (inherits(unit, "POSIXct")) attr(unit, "tzone")[1] else "UTC"
    zone <- if (isTRUE(nzchar(zone))) paste0(", tz = \"", zone, "\"")
    return(paste0(" as.POSIXct(", code, zone, ") converts it to times."))
  }
  month <- "[[:alpha:]]{3,}"
  if (!all_are("([0-9]+[-/.][0-9]+[-/.]|[0-9]+[-/. ]?", month, "[-/., ]*|", month, "[. ]+[0-9]+,? )[0-9]")) return(NULL)
  if (any(grepl(":", words))) paste0(" as.POSIXct(", code, ", format = ) converts text to times.")
  else paste0(" as.Date(", code, ", format = ) converts text to dates.")
}

value_column <- function(x, name) {
  column <- number_column(x, name, "value")
  check_plain_values(column, "value", "names `x$", name, "`, which has ")
  as.double(column)
}

# Date-times stored as parts (year, month and so on) become numbers, unless parts are missing.
without_parts <- function(column) {
  if (inherits(column, "POSIXlt")) tryCatch(as.POSIXct(column), error = function(error) unclass(column)) else column
}

# Values must be plain numbers. `...` is the beginning of the message.
check_plain_values <- function(values, argument, ...) {
  unit <- unit_from(values)
  if (is.null(unit)) return()
  way <- if (inherits(values, "difftime")) " as.numeric(values, units = ) converts them to numbers."
         else " Are times and values swapped? as.numeric() converts them to numbers."
  what <- if (is_calendar(unit)) "months or quarters" else describe_unit(unit)
  abort_argument(argument, ..., what, ", not plain numbers, as values.", way)
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
  if (!is.atomic(column) || !is.null(dim(column))) return(FALSE)
  code <- match(column, unique(column))
  any(code != code[match(group, group)])
}

abort_column <- function(x, name, argument, hint = "") {
  abort_argument(
    argument, "must be the name of a column of `x` (",
    first_ten(names(x)), "), not ", describe(name), ".", hint
  )
}
