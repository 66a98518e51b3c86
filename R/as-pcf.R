#' Convert to piecewise constant functions
#'
#' Turns step functions, survival curves, time series, data frames and matrices
#' into a [pcf].
#'
#' @param x An object to convert, see the table below.
#' @param ... Nothing: an argument that the kind of `x` does not have is an error.
#' @param times Numeric vector of length G, strictly increasing: the times of the
#'   columns of `x`.
#' @param na.rm What missing values are. If `FALSE`, the function is not observed there. If `TRUE`,
#'   they are left out: the value before continues, and a segment without a value is as if it
#'   were not in the table.
#' @param id,time,value Names of the columns of a data frame in long form. `id` may name several
#'   columns: there is a function for each combination, with a name such as "S1, chr1". With
#'   `id = NULL` all rows are one function.
#' @param sort If `FALSE`, the rows of each function must be sorted by time, and it
#'   is an error if they are not. If `TRUE`, they are sorted here.
#' @param start,end Names of the columns of a table of segments: each row has the `value` from its
#'   start until its end, the end not included. The rows may be in any order. Segments of one
#'   function may touch, and must not overlap. Where ends are included, as in tables of positions on a
#'   chromosome or of whole days, add 1 to them: otherwise nothing is observed between neighbours.
#' @param outside The value outside all segments, before, between and after them: `NA` (not
#'   observed) or a number.
#' @param until From when on functions are not observed: `NULL` (they hold their last value), a
#'   number (or time of their unit), `"last"` (each ends at its own last time), or the name of a
#'   column that has the same number, possibly `Inf`, in all rows of a function. Rows at the end of
#'   their function have no say, as it is not observed from there on: for the last value of each to
#'   count, name a column with later times. Rows later than a number are
#'   dropped, rows later than the number in the column are an error.
#' @param before The value before the first time: `NA` (not observed), or a number, such as 0 for
#'   what starts from nothing. A function with a first time of `-Inf` has the value given there.
#' @param from A finite number: the step functions start there, and are 0 before.
#' @param what What to take from a `survfit` object: `"surv"`, the probability of survival or, for
#'   several states, of being in each; `"cumhaz"`, the cumulative hazard; `"lower"` or `"upper"`,
#'   the confidence limits of the probability. Limits that are missing are not observed, but where
#'   nobody has died yet, both limits of survival are 1.
#' @param after What the functions are from their end on: `"NA"` (not observed), `"hold"` (the
#'   last value) or `"zero"`.
#'
#' @details
#' Times that are dates, date-times or lengths of time (`Date`, `POSIXct`, `difftime`) are kept as
#' such, and the times of a `ts` are shown as months or quarters: see [time_unit()].
#'
#' A function is not observed where its value is `NA`, see [pcf()]. Nothing is made up before the
#' first measurement, and nothing is continued beyond the data where these say when they end:
#'
#' | `x` | functions | before the first time | from the end on |
#' | --- | --- | --- | --- |
#' | `pcf` | itself | | |
#' | m x 2 matrix: breakpoints | one | 0 | holds |
#' | data frame of two columns, `time` and `value` | one | `NA`; `before` | holds; `until` |
#' | long data frame: `id`, `time`, `value` | one for each id | `NA`; `before` | holds; `until` |
#' | table of segments: `id`, `start`, `end`, `value` | one for each id | `outside` (`NA`) | `outside` (`NA`) |
#' | n x G matrix or data frame, with `times` | one for each row | `NA`; `before` | holds |
#' | `stepfun` | one | its left value; 0 with `from` | holds |
#' | `ecdf` | one | 0 | holds (it is 1) |
#' | `ts`, `mts` | one for each series | `NA`; `before` | `NA`, one period after the last value; `after` |
#' | `zoo`, `xts`, see [as_pcf.zoo()] | one for each series | `NA`; `before` | holds; `until` |
#' | `survfit` | each stratum, row of `newdata`, state | 0; see below | `NA`, after the last follow-up; `after` |
#' | list | one for each element | as above | as above |
#'
#' **Measurements** are the rows of a data frame, the values of a series and those on a grid of
#' `times`. Before the first one nothing is known, and the function is not observed. But counts,
#' Betti curves and whatever else starts from nothing were 0 before: say so with `before = 0`. A
#' `ts` goes from its first value to its last, alone and in `cbind()`, which fills shorter ones with
#' `NA`; with `na.rm = TRUE` the last value continues to the end of the whole. A **matrix of two
#' columns**, alone or in a list, has the breakpoints of a function instead, as [pcf()] takes them: it
#' is 0 before the first.
#'
#' **Two columns** with the names `time` and `value`, in upper or lower case, are taken by name; if
#' there is one of these names, the other column is the other. Otherwise the first column is
#' the time and the second the value. In data frames `time` and `value` may name the columns. A
#' matrix, or an element of a list, with a column beside time and value is an error.
#'
#' **Long data** may have several functions in any order of rows, as long as the times of each
#' increase. The functions are in the order of first appearance. An `id` can be left out where the
#' data frame has no column of the name `id` and no columns beside those that are used. Columns that
#' are not used are ignored. But where `id` is left out, one of text, or a factor, that has
#' different values within a function is an error: it looks as if it told several functions apart.
#'
#' **Wide data**, a row a function, need `times`. The row names become the names; of a data frame
#' those in the columns `id`, by default a column of the name `id` if there is one. If each column is
#' a function, transpose: `as_pcf(t(x), times = times)`.
#'
#' A **stepfun** that is continuous from the left becomes the function which is
#' continuous from the right and agrees with it everywhere but at the knots. No
#' distance depends on the difference. A left value that is not 0 makes the first time `-Inf`.
#'
#' **Survival curves** start at time 0, or at the fit's `start.time`, with the value 1 (hazards with
#' 0, states with their probability at the start). Where no start is given and times are negative,
#' the curves start at the smallest of them, as in `survival::survfit0()`. What the fit has at the
#' very start, such as the step of an event at 0, is in the first value. Before its start a curve is
#' 0, but before a `start.time` it is not observed. Times at which a curve does not change, such as
#' those of censored observations, are kept.
#'
#' A curve is observed up to and including the last time in its stratum, of an event or of censoring.
#' So that it has its value there, and the step of an event at this time, it ends at the next larger
#' number that a computer knows, which [format()][format.pcf] shows as "9+". This adds nothing to an
#' integral, and a window up to the last time is observed. [shift_time()] and [time_unit()] keep the
#' two times next to each other. A Kaplan-Meier curve that came down to 0 does not end: it is 0 from
#' then on.
#'
#' A **list** has one function an element: a two-column matrix or data frame, a `stepfun`, or
#' anything else in the table that gives one. Names and dimensions are kept. To give arguments,
#' convert the elements: `as_pcf(lapply(x, as_pcf, before = 0))`. Vectors of numbers are no functions:
#' [counting()] takes those that are times of events, and [distribution()] those that are samples.
#'
#' @return A [pcf].
#'
#' @section Errors:
#' An object that cannot be converted, or that holds an invalid function, is an error of the
#' class `pcfdist_error_x`; for an invalid function the condition has the fields `index` and
#' `position`. Segments that overlap or have no length are errors of this class, too, and
#' name the rows. Other wrong arguments raise `pcfdist_error_<argument>`, such as
#' `pcfdist_error_times`.
#'
#' @examples
#' as_pcf(list(a = cbind(c(0, 2), c(1, 0)), b = cbind(1:3, c(2, 1, 0))))
#'
#' # Empirical distribution functions
#' as_pcf(lapply(split(iris$Sepal.Length, iris$Species), ecdf))
#'
#' # Long data: the weight of 50 chicks, held between the weighings, from the first to the last of
#' # each
#' as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight", until = "last")
#'
#' # Counts are 0 before the first event
#' events <- data.frame(id = c("a", "a", "b"), time = c(2, 5, 3), count = c(1, 2, 1))
#' as_pcf(events, value = "count", before = 0)
#'
#' # Segments: the copy number of two samples, and a stretch that was not measured
#' segments <- data.frame(
#'   sample = c("S1", "S1", "S2"), chromosome = "chr1", from = c(0, 60, 0), to = c(40, 90, 90),
#'   copies = c(2, 3, 1)
#' )
#' as_pcf(segments,
#'   id = c("sample", "chromosome"), start = "from", end = "to", value = "copies"
#' )
#'
#' # Functions on a grid
#' as_pcf(rbind(a = c(1, 2, 0), b = c(3, 1, 0)), times = c(0, 1, 2.5))
#'
#' # Time series, and a step function with a non-zero left value
#' as_pcf(window(EuStockMarkets, 1998))
#' as_pcf(stepfun(1:2, c(5, 3, 0)))
#' as_pcf(stepfun(1:2, c(5, 3, 0)), from = 0)
#'
#' # Kaplan-Meier curves
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
#'   as_pcf(fit)
#'   as_pcf(fit, what = "cumhaz", after = "hold")
#' }
#' @order 1
#' @export
as_pcf <- function(x, ...) {
  check_given(x, "x", "what functions are made from")
  UseMethod("as_pcf")
}

#' @export
as_pcf.default <- function(x, ...) {
  if (typeof(x) == "pairlist") return(as_pcf(as.list(x), ...))
  abort_argument(
    "x", "cannot be converted to a pcf: it is ", describe(x), ". as_pcf() takes lists ",
    "of two-column matrices or data frames, matrices, data frames, and stepfun, ecdf, ",
    "survfit, ts, zoo and xts objects. pcf(times, values) takes vectors, counting() times of events, ",
    "and distribution() samples."
  )
}

#' @export
as_pcf.pcf <- function(x, ...) {
  check_unused(list(...), "a pcf")
  check_pcf(x)
}

#' @export
as_pcf.AsIs <- function(x, ...) {
  class(x) <- setdiff(class(x), "AsIs")
  as_pcf(x, ...)
}

#' @rdname as_pcf
#' @order 2
#' @export
as_pcf.list <- function(x, from = NULL, ...) {
  check_unused(
    list(...), "a list", " To give arguments for its elements, convert each: lapply(x, as_pcf, ...)."
  )
  if (!is.null(from) && !any(vapply(x, inherits, NA, "stepfun"))) {
    abort_argument("from", "is for step functions, and the list has none.")
  }
  shape <- shape_of(x)
  functions <- unclass(x)
  rest <- which(!vapply(functions, is_function, NA))
  converted <- lapply(rest, function(i) {
    one_function(.subset2(x, i), from, function_label(i, x))
  })
  unit <- elements_unit(x, rest, converted)
  functions[rest] <- lapply(converted, function(f) .subset2(in_unit(f, unit), 1))
  attributes(functions) <- shape
  name <- if (length(rest) == length(x)) joint_name(converted)
  check_functions(new_pcf(functions, unit, name = name))
}

# The unit of time of a list of functions, of which those at the indices `rest` were converted.
elements_unit <- function(x, rest, converted) {
  if (all(vapply(converted, function(f) is.null(unit_of(f)), NA))) return(NULL)
  all <- lapply(unclass(x), function(f) new_pcf(list(f)))
  all[rest] <- converted
  labels <- vapply(seq_along(x), function_label, "", x)
  unit_of_all(all, "x", paste0("is invalid: ", labels, " "), before = "the one before")
}

#' @rdname as_pcf
#' @order 3
#' @export
as_pcf.matrix <- function(x, times = NULL, na.rm = FALSE, before = NA, ...) {
  if (is.list(x)) {
    wrong <- c(times = !is.null(times), na.rm = !isFALSE(na.rm), before = !missing(before))
    if (!any(wrong)) return(as_pcf.list(x, ...))
    abort_argument(names(which(wrong))[1], "is for numbers, and `x` is a list.")
  }
  check_unused(list(...), "a matrix")
  check_flag(na.rm, "na.rm")
  if (is.null(times)) {
    if (!missing(before)) {
      abort_argument(
        "before", "is for measurements: a matrix with `times`, a data frame or a time series. The ",
        "rows of a matrix with two columns are breakpoints, and the function is 0 before the first; ",
        "a row with the time -Inf gives it another value, or NA."
      )
    }
    f <- two_column_function(x, "it")
    return(check_functions(if (na.rm) without_missing(f) else f))
  }
  if (!is_number(x)) abort_argument("x", "must be numeric, and is ", describe_table(x), ".")
  rows_on_grid(x, times, na.rm, before)
}

#' @rdname as_pcf
#' @order 5
#' @export
as_pcf.stepfun <- function(x, from = NULL, ...) {
  check_unused(list(...), "a stepfun")
  check_functions(stepfun_pcf(x, from))
}

#' @rdname as_pcf
#' @order 6
#' @export
as_pcf.ts <- function(x, na.rm = FALSE, after = c("NA", "hold", "zero"), before = NA, ...) {
  check_unused(list(...), "a ts")
  check_flag(na.rm, "na.rm")
  after <- check_after(after)
  check_is(is_number(x), x, "x", "must be numeric, and is ")
  times <- series_times(x, NROW(x) + 1)
  columns <- as.matrix(x)
  rows <- lapply(seq_len(ncol(columns)), function(k) {
    if (na.rm) as.double(seq_len(nrow(columns))) else measured_rows(columns[, k])
  })
  series <- as_columns_pcf(columns, times[-length(times)], na.rm, before, "x", rows)
  ends <- times[vapply(rows, max, 0) + 1]
  end_functions(new_pcf(series, calendar_unit(stats::frequency(x))), ends, after)
}

# From the first value of a series to its last: cbind() fills shorter series with NA at their ends.
measured_rows <- function(values) {
  known <- which(!is.na(values) | is.nan(values))
  as.double(if (length(known) > 0) seq(known[1], known[length(known)]) else seq_along(values))
}

# Converts an argument with another name than x: errors about x are about it.
as_pcf_argument <- function(x, argument) {
  if (inherits(x, "pcf")) return(check_either(x, argument))
  tryCatch(as_pcf(x), pcfdist_error_x = function(error) {
    abort_argument(argument, sub("^`x` ", "", conditionMessage(error)))
  })
}

# ---- Single functions ----

# Whether an element of a list already is what a pcf stores.
is_function <- function(x) {
  is.double(x) && identical(names(attributes(x)), c("dim", "dimnames")) &&
    identical(dimnames(x), function_dimnames)
}

# A collection of one function, from anything that describes exactly one.
one_function <- function(x, from, label) {
  if (inherits(x, "stepfun")) return(stepfun_pcf(x, from))
  if (inherits(x, c("pcf", "survfit", "ts", "zoo"))) {
    x <- as_pcf(x)
    if (length(x) == 1) return(x)
    abort_argument(
      "x", "is invalid: ", label, " holds ", length(x),
      " functions. c() joins collections."
    )
  }
  f <- two_column_function(x, label)
  if (is.data.frame(x)) begin_functions(f, NA) else f
}

two_column_function <- function(x, label) {
  columns <- if (is_matrix_or_frame(x)) {
    check_no_third(x, label)
    time_value_columns(x, label)
  }
  if (is.null(columns)) {
    hint <- if (label == "it" && is.matrix(x)) paste(
      " For functions on a grid, one a row, give `times`;",
      "as_pcf(t(x), times = ) takes one a column."
    ) else if (is_number(x) && is.null(dim(x)) && length(x) > 1) paste0(
      " counting() makes functions of times of events, and distribution() of samples."
    )
    abort_argument(
      "x", "is invalid: ", label, " is ", describe_table(x),
      ", and not two columns of numbers, time and value.", hint
    )
  }
  f <- new_pcf(list(new_function(columns[[1]], columns[[2]])), unit_from(columns[[1]]))
  with_name(f, colnames(x)[find_time_value(x)[2]])
}

# Rows of several functions must not be taken for those of one, nor values be lost: beside columns
# named time and value there is none.
check_no_third <- function(x, label) {
  wanted <- match(c("time", "value"), colnames(x))
  third <- setdiff(seq_len(ncol(x)), wanted)[1]
  if (anyNA(wanted) || is.na(third)) return()
  name <- colnames(x)[third]
  column <- if (!nzchar(name)) "a column without a name beside time and value"
            else if (third %in% which(duplicated(colnames(x)))) paste0("two columns `", name, "`")
            else paste0("the column `", name, "` beside time and value")
  abort_argument(
    "x", "is invalid: ", label, " has ", column, ". Keep time and value alone, or give one data ",
    "frame for all functions, with `id` for the columns that tell them apart."
  )
}

# The two columns, or NULL where there are not two of numbers.
time_value_columns <- function(x, label) {
  wanted <- find_time_value(x)
  if (is.null(wanted)) return(NULL)
  columns <- if (is.data.frame(x)) lapply(wanted, function(k) without_parts(x[[k]]))
             else lapply(wanted, function(k) x[, k])
  if (!all(vapply(columns, is_number, NA))) return(NULL)
  check_plain_values(columns[[2]], "x", "is invalid: ", label, " has ")
  columns
}

# Where the columns time and value are: by name, or else the first and the second of two. NULL
# where that is not clear.
find_time_value <- function(x) {
  wanted <- c("time", "value")
  if (all(wanted %in% colnames(x))) return(match(wanted, colnames(x)))
  if (ncol(x) != 2 || any(wanted %in% colnames(x)[duplicated(colnames(x))])) return(NULL)
  name <- if (is.null(colnames(x))) c("", "") else tolower(colnames(x))
  swapped <- name[1] == "value" && name[2] != "value" || name[2] == "time" && name[1] != "time"
  found <- if (swapped) 2:1 else 1:2
  is_moment <- function(k) is.data.frame(x) && inherits(x[[k]], c("Date", "POSIXt", "difftime"))
  moments <- is_moment(found[2]) && !is_moment(found[1])
  if (!moments && !"id" %in% name) found
}

# Each row of a numeric matrix is a function with the given times.
# `besides` tells which columns of the user's table are not of times.
rows_on_grid <- function(x, times, na.rm, before, besides = NULL) {
  if (!is_number(times) || length(times) != ncol(x)) {
    abort_argument(
      "times", "must have one number for each of the ", ncol(x), " columns of `x`",
      besides, ", and is ", describe(times), ".", text_hint(times, "times"),
      if (length(times) == nrow(x)) " If each column is a function, transpose `x` with t()."
    )
  }
  as_columns_pcf(t(x), times, na.rm, before, "times")
}

# Each column of a numeric matrix is a function with the given times, or those of some of its rows.
as_columns_pcf <- function(columns, times, na.rm, before, times_argument, rows = NULL) {
  before <- check_constant(before, "before")
  functions <- lapply(seq_len(ncol(columns)), function(k) {
    row <- rows[[k]] %||% seq_along(times)
    new_function(times[row], columns[row, k])
  })
  names(functions) <- colnames(columns)
  functions <- new_pcf(functions, unit_from(times))
  if (na.rm) functions <- without_missing(functions)
  begin_functions(check_functions(functions, c(times_argument, "x")), before)
}

without_missing <- function(x) {
  map_functions(x, function(f) f[!is.na(f[, 2]), , drop = FALSE])
}

# The functions have the value `before`, a number that may be NA, before their first time. Those
# with a first time of -Inf have nothing before it, and without more all are 0.
begin_functions <- function(x, before) {
  if (identical(before, 0)) return(x)
  start <- new_function(-Inf, before)
  map_functions(x, function(f) if (f[[1]] == -Inf) f else rbind(start, f, deparse.level = 0))
}

# The functions end at times: what is later is cut off, and `after`, a number that may be NA, is
# the value from there on. NULL holds the last value.
end_functions <- function(x, ends, after) {
  replace_functions(x, .mapply(end_function, list(unclass(x), ends), list(after = after)))
}

last_times <- function(x) vapply(unclass(x), function(f) f[[nrow(f), 1]], 0)

end_function <- function(f, end, after) {
  if (is.null(after) || end == Inf) return(f)
  f <- f[f[, 1] < end, , drop = FALSE]
  new_function(c(f[, 1], end), c(f[, 2], after))
}

stepfun_pcf <- function(x, from) {
  new_pcf(list(stepfun_function(x, from)), name = if (inherits(x, "ecdf")) share_name)
}

# The values between the knots of a stepfun are those that approxfun() mixes from
# the two neighbours: f is 0 for functions continuous from the right, 1 for those
# continuous from the left.
stepfun_function <- function(x, from) {
  parts <- mget(c("x", "y", "yleft", "yright", "f"), envir = environment(x))
  left <- parts$y[-length(parts$y)]
  right <- parts$y[-1]
  between <- if (parts$f == 0) left else if (parts$f == 1) right
             else (1 - parts$f) * left + parts$f * right
  values <- c(between, parts$yright)
  if (is.null(from)) {
    if (isTRUE(parts$yleft == 0)) return(new_function(parts$x, values))
    return(new_function(c(-Inf, parts$x), c(parts$yleft, values)))
  }
  check_is(is.numeric(from) && length(from) == 1 && is.finite(from), from, "from",
           "must be one finite number, and is ")
  later <- parts$x > from
  before <- c(parts$yleft, values)[findInterval(from, parts$x) + 1L]
  new_function(c(from, parts$x[later]), c(before, values[later]))
}
