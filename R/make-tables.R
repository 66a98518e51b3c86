# Data frames: breakpoints in long form, segments, and functions on a grid.

#' @rdname as_pcf
#' @order 4
#' @export
as_pcf.data.frame <- function(x, id = "id", time = "time", value = "value",
                              sort = FALSE, times = NULL, na.rm = FALSE, start = NULL,
                              end = NULL, outside = NA, until = NULL, before = NA, repeated = NULL, ...,
                              gaps = NULL) {
  check_unused(list(...), "a data frame")
  given <- setdiff(names(match.call()), c("", "x"))
  given <- Filter(function(name) !is.null(get(name)), given)
  sort <- check_flag(sort, "sort")
  na.rm <- check_flag(na.rm, "na.rm")
  until <- plain(until)
  if (!is.null(times)) {
    allowed <- c("times", "id", "na.rm", "before", "until", "gaps")
    check_table_arguments(given, allowed, "wide data, with `times`")
    if (missing(id)) id <- intersect("id", names(x))
    return(in_pieces(wide_functions(x, times, id, na.rm, before, until, gaps)))
  }
  if (!is.null(start) || !is.null(end)) {
    allowed <- c("id", "start", "end", "value", "outside", "na.rm")
    check_table_arguments(given, allowed, "segments, with `start` and `end`")
    for (side in c("start", "end")) if (is.null(get(side))) {
      abort_argument(side, "is missing: segments have a `start` and an `end`.")
    }
    if (missing(id)) id <- default_id(x, c(start, end, value), hint = NULL)
    return(in_pieces(with_name(segment_functions(x, id, list(start, end, value), outside, na.rm), value)))
  }
  allowed <- c("id", "time", "value", "sort", "na.rm", "until", "before", "repeated", "gaps")
  check_table_arguments(given, allowed, "data in long form")
  if (missing(id) && ncol(x) == 2) {
    columns <- two_columns(x, if (!missing(time)) time, if (!missing(value)) value)
    time <- columns[1]
    value <- columns[2]
  }
  if (missing(time) && "id" %in% names(x) && !time %in% names(x)) {
    abort_column(x, time, "time", paste("", shape_hint(x))) # data of another shape
  }
  used <- c(time, value, if (is.character(until) && !identical(until, "last")) until)
  if (missing(id)) id <- default_id(x, used)
  if (!is.null(repeated)) repeated <- check_choice(repeated, "repeated", c("mean", "jump"))
  functions <- long_functions(x, id, time, value, sort, na.rm, until, before, repeated, gaps)
  in_pieces(with_name(functions, value))
}

# The column "id"; none if all columns are used for something else.
default_id <- function(x, used, hint = shape_hint(x)) {
  if ("id" %in% names(x)) {
    check_unused_columns(x, "id", used)
    return("id")
  }
  if (all(names(x) %in% used)) return(NULL)
  abort_column(
    x, "id", "id", paste(c(" With `id = NULL` all rows are one function.", hint), collapse = " ")
  )
}

# How to read tables that do not have one row for each breakpoint.
shape_hint <- function(x) {
  words <- lower_case(gsub("([a-z])([A-Z])", "\\1_\\2", names(x)))
  start <- names(x)[grep("(^|[._ ])(start|from|begin)$", words)][1]
  end <- names(x)[grep("(^|[._ ])(end|to|stop)$", words)][1]
  if (!is.na(start) && !is.na(end)) {
    return(paste0("Segments need `start = \"", start, "\"` and `end = \"", end, "\"`."))
  }
  "Wide data, with one function per row, need `times`; use as_pcf(t(x), times = ) for one per column."
}

# Rows of several functions must not be read as one function: raises an error if an unused column of
# text seems to tell some apart. Unused numeric columns may be further measurements. This is not
# checked if the user gives `id`.
check_unused_columns <- function(x, id, used) {
  left <- setdiff(names(x), c(id, used))
  left <- Filter(function(name) is.character(x[[name]]) || is.factor(x[[name]]), left)
  if (length(left) == 0) return()
  group <- id_groups(x, id)$group
  name <- Find(function(name) varies(x[[name]], group), left)
  if (is.null(name)) return()
  both <- quoted(c(id, name))
  abort_argument(
    "id", "does not include the column `", name, "` of `x`, whose values differ within a function, as ",
    "if it told several functions apart. If it does, use id = c(", both, "); if it does not, use id = ",
    dQuote(id, FALSE), "."
  )
}

# Which of two columns has the times, and which the values: their names.
two_columns <- function(x, time, value) {
  if (is.null(time) && is.null(value)) {
    found <- find_time_value(x)
    if (!is.null(found)) return(names(x)[found])
    abort_argument(
      "x", "has the columns ", paste(names(x), collapse = " and "), ", and it is not clear which is the ",
      "time and which the value: name them with `time` and `value`. Long data need `id`, `time` and ",
      "`value`."
    )
  }
  other <- function(name) setdiff(names(x), name)[1]
  if (is.null(time)) time <- other(value)
  if (is.null(value)) value <- other(time)
  c(time, value)
}

check_table_arguments <- function(given, allowed, kind) {
  wrong <- setdiff(given, allowed)
  if (length(wrong) == 0) return()
  hint <- if (wrong[1] == "before") " Use `outside` for the value outside the segments, including before the first."
  abort_argument(wrong[1], "cannot be used with ", kind, ".", hint)
}

# ---- Long form ----

long_functions <- function(x, id, time, value, sort, na.rm, until, before, repeated, gaps) {
  groups <- id_groups(x, id)
  times <- number_column(x, time, "time")
  unit <- unit_from(times)
  times <- as.vector(times_in(times, unit, "time"))
  times <- with_same_times(times, groups$group, repeatable = !is.null(repeated))
  values <- value_column(x, value)
  rows <- if (sort) order(times) else seq_along(times)
  if (na.rm) rows <- rows[!is.na(values[rows])]
  rows <- rows[order(groups$group[rows], method = "radix")]
  group <- groups$group[rows]
  sorted <- ends_told_apart(times[rows], values[rows], group, anywhere = identical(c(repeated), "jump"))
  table <- list(group = group, time = sorted, value = values[rows])
  twice <- is_repeated(table)
  if (!is.null(repeated)) table <- without_repeated(table, twice, repeated, groups, unit)
  functions <- grouped_functions(table$time, table$value, table$group, groups, unit)
  if (na.rm) functions <- check_some_known(functions)
  check_functions(functions, hints = c(
    times_unsorted = if (!sort) "`sort = TRUE` sorts them.", times_missing = without_rows(time),
    times_repeated = if (any(twice)) repeated_hint(x, rows, table, twice, id, c(time, value))
  ))
  if (identical(until, "last") && "last" %in% names(x)) abort_argument(
    "until", 'is "last", which is also the name of a column of `x`. Give the column another name.'
  )
  if (!is.character(until) || identical(until, "last")) {
    return(as_measured(functions, before, until, 'a time, "last", Inf or the name of a column', gaps))
  }
  ends <- times_in(number_column(x, until, "until"), unit, "until")
  functions <- hold_at_most(end_measurements(functions, column_ends(ends, until, times, groups)), gaps)
  begin_functions(functions, check_constant(before, "before"))
}

# A missing last value at the same time as the value before it means that the function ends right after
# that time. The ends of survival curves look like this when they are read from text with rounded times. Rows are
# those of one function after the other. `anywhere`: also before other times.
ends_told_apart <- function(times, values, group, anywhere) {
  if (!anyNA(values)) return(times)
  k <- seq_along(times)[-1]
  ends <- k[which(
    (anywhere | is_last(group)[k]) & group[k] == group[k - 1] & times[k] == times[k - 1] & is.na(values[k]) &
      !is.na(values[k - 1])
  )]
  replace(times, ends, next_time(times[ends]))
}

# ---- Several rows at one time ----

# Which rows are of the same function and time as the row before?
is_repeated <- function(table) {
  k <- which(diff(table$time) == 0) + 1
  replace(logical(length(table$time)), k[table$group[k] == table$group[k - 1]], TRUE)
}

# One row for each time: of the mean value, or of that after a jump. With `before_jumps` of that before.
without_repeated <- function(table, twice, repeated, groups, unit) {
  if (repeated == "mean") {
    some <- twice | c(twice[-1], FALSE)
    run <- cumsum(!twice)
    means <- vapply(split(table$value[some], run[some]), mean_of_known, 0)
    table$value[some & !twice] <- means
    return(lapply(table, `[`, !twice))
  }
  third <- which(twice & c(FALSE, twice)[seq_along(twice)])[1]
  if (!is.na(third)) abort_argument(
    "repeated", 'is "jump", the values before and after, but ', groups_label(groups, table$group[third]),
    " has three rows at the time ", format_times(table$time[third], unit, 15), "."
  )
  kept <- if (is_before(repeated)) !twice else !c(twice[-1], FALSE)[seq_along(twice)]
  lapply(table, `[`, kept)
}

# As the argument `repeated` of as_pcf(), this gives the values before jumps, for as_plf().
before_jumps <- structure("jump", before = TRUE)

is_before <- function(repeated) isTRUE(attr(repeated, "before"))

mean_of_known <- function(values) {
  known <- values[!is.na(values) | is.nan(values)]
  if (length(known) > 0) mean(known) else NA_real_
}

groups_label <- function(groups, i) {
  function_label(i, structure(vector("list", groups$count), names = groups$names))
}

# How to read a table with several rows at a time, by what these rows have in common: `table` has the rows `rows` of
# `x`, and `twice` says which of them repeat the time before.
repeated_hint <- function(x, rows, table, twice, id, used) {
  some <- twice | c(twice[-1], FALSE)
  tells_apart <- function(name) {
    column <- x[[name]][rows][some]
    if (is.numeric(column) && !are_codes(column)) return(FALSE)
    is.atomic(column) && !anyDuplicated(list2DF(list(table$group[some], table$time[some], column)))
  }
  name <- Find(tells_apart, Filter(function(name) is.null(dim(x[[name]])), setdiff(names(x), c(id, used))))
  equal <- (table$value[twice] == table$value[which(twice) - 1]) %in% TRUE
  paste0(
    if (!is.null(name)) {
      paste0("If the column `", name, "` tells functions apart, use id = c(", quoted(c(id, name)), "). ")
    },
    if (all(equal)) "Values at the same time are equal: `repeated = \"mean\"` takes one of each."
    else if (any(twice[-1] & twice[-length(twice)])) "`repeated = \"mean\"` averages the values at each time."
    else paste("`repeated = \"mean\"` averages the values at each time, and `repeated = \"jump\"` takes two as those",
               "before and after a jump.")
  )
}

grouped_functions <- function(times, values, group, groups, unit) {
  group <- factor(group, seq_len(groups$count))
  functions <- bind_columns(split(times, group), split(values, group))
  names(functions) <- groups$names
  new_pcf(functions, unit)
}

# `column` has the ends, and `name` is its name.
column_ends <- function(column, name, times, groups) {
  ends <- column[match(seq_len(groups$count), groups$group)]
  problem <- function(wrong, ...) {
    row <- which(wrong)[1]
    if (!is.na(row)) abort_argument("until", "is invalid: `x$", name, "` ", ..., " in row ", row, ".")
  }
  problem(is.na(column), "is missing")
  problem(column != ends[groups$group], "differs from earlier rows of the same function")
  problem(column < times & !is_same_time(column, times), "is less than the time")
  ends
}

# ---- Segments ----

segment_functions <- function(x, id, columns, outside, na.rm) {
  outside <- check_constant(outside, "outside")
  groups <- id_groups(x, id)
  start <- number_column(x, columns[[1]], "start")
  unit <- unit_from(start)
  segments <- list(
    row = seq_len(nrow(x)), group = groups$group, start = as.vector(times_in(start, unit, "start")),
    end = times_in(number_column(x, columns[[2]], "end"), unit, "end"),
    value = value_column(x, columns[[3]])
  )
  ends <- with_same_times(c(segments$start, segments$end), rep(segments$group, 2), repeatable = TRUE)
  segments$start <- ends[segments$row]
  segments$end <- ends[nrow(x) + segments$row]
  check_segments(segments, unit)
  rows <- order(segments$group, segments$start)
  if (na.rm) rows <- rows[!is.na(segments$value[rows])]
  segments <- lapply(segments, `[`, rows)
  check_overlap(segments, unit)
  check_functions(covered_functions(segments, outside, groups, unit))
}

# The functions of segments that are sorted by group and start. A segment that the next one does not
# touch is followed by the value outside. Each function begins with this value at -Inf; if it is 0, no
# breakpoint is needed.
covered_functions <- function(segments, outside, groups, unit) {
  group <- segments$group
  next_start <- replace(following(segments$start, group), is_last(group), Inf)
  gap <- which(segments$end < next_start)
  first_start <- segments$start[match(seq_len(groups$count), group)]
  is_zero <- identical(outside, 0)
  open <- which(is.na(first_start) | !is_zero & first_start > -Inf)
  place <- order(c(rep(0, length(open)), seq_along(group), gap + 0.5))
  grouped_functions(
    c(rep(if (is_zero) 0 else -Inf, length(open)), segments$start, segments$end[gap])[place],
    c(rep(outside, length(open)), segments$value, rep(outside, length(gap)))[place],
    c(open, group, group[gap])[place], groups, unit
  )
}

check_segments <- function(segments, unit) {
  without <- c(start = "a start has the start -Inf.", end = "an end has the end Inf.")
  for (side in names(without)) {
    row <- which(is.na(segments[[side]]))[1]
    if (is.na(row)) next
    abort_argument("x", "has a missing ", side, " in row ", row, ". A segment without ", without[[side]])
  }
  row <- which(segments$start >= segments$end)[1]
  if (is.na(row)) return()
  abort_argument(
    "x", "has a segment of length 0 or less in row ", row, ": ", describe_segments(segments, row, unit),
    ". A segment must end after its start.", swap_hint(segments, row)
  )
}

swap_hint <- function(segments, row) {
  if (segments$start[row] == segments$end[row]) return(" If ends are included, add 1 to them.")
  if (all(segments$start >= segments$end)) return(" Are the columns `start` and `end` swapped?")
  " If start and end may be in either order, pmin() and pmax() of the two columns put them right."
}

# For sorted segments.
check_overlap <- function(segments, unit) {
  k <- which(following(segments$start, segments$group) < segments$end)[1]
  if (is.na(k)) return()
  two <- c(k, k + 1)
  two <- two[order(segments$row[two])]
  shown <- describe_segments(segments, two, unit)
  abort_argument(
    "x", "has overlapping segments of one function in rows ", segments$row[two[1]], " and ",
    segments$row[two[2]], ": ", shown[1], " and ", shown[2], ". If they belong to different functions, name the ",
    "columns that tell these apart: `id = c(...)`. If their values should be added, give each row its ",
    "own id, use `outside = 0`, and add the functions with aggregate(FUN = sum)."
  )
}

describe_segments <- function(segments, k, unit) {
  ends <- matrix(format_times(c(segments$start[k], segments$end[k]), unit, 15), ncol = 2)
  sprintf("[%s, %s)", ends[, 1], ends[, 2])
}

# ---- Functions on a grid ----

wide_functions <- function(x, times, id, na.rm, before, until, gaps) {
  # Automatic row names, which are only numbers, are not used.
  names <- if (length(id) > 0) joined(id_columns(x, id))
           else if (.row_names_info(x) > 0) row.names(x)
  values <- x[!names(x) %in% id]
  numbers <- vapply(values, function(column) is_number(column) && is.null(dim_of(column)), NA)
  if (!all(numbers)) {
    name <- names(values)[!numbers][1]
    abort_argument(
      "x", "must have numbers in all columns except `id`, but `x$", name, "` is ",
      describe(values[[name]]), ".",
      if (has_other_unit(values[[name]])) text_hint(values[[name]], paste0("x$", in_code(name)), may_be_times = FALSE)
      else if (length(id) == 0) " Use `id` for the columns with names."
    )
  }
  for (name in names(values)) check_plain_values(values[[name]], "x", "is invalid: `x$", name, "` has ")
  grid <- as.double(unlist(lapply(values, as.double)))
  grid <- matrix(grid, nrow(x), length(values), dimnames = list(names, NULL))
  rows_on_grid(grid, times, na.rm, before, until, gaps, if (length(id) > 0) " other than `id`")
}
