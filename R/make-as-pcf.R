#' Convert to piecewise constant functions
#'
#' @description
#' Converts step functions, survival curves, time series, data frames and matrices
#' to a [pcf].
#'
#' A table of measurements in long form becomes one function for each `id`, which holds each value until the next:
#' `as_pcf(data, id = "patient", time = "day", value = "dose")`. Before the first and after the last measurement the
#' function is not observed, unless `before` and `until` say otherwise. [as_plf()] joins measurements by lines instead.
#'
#' @param x An object to convert; see the table in Details.
#' @param ... Not used. Arguments that do not apply to the class of `x` raise an error.
#' @param times A strictly increasing numeric vector: the times of the columns of `x`.
#' @param na.rm If `FALSE`, a function is not observed where its value is missing. If `TRUE`, missing
#'   values are removed: the value before is held, and segments with a missing value are dropped.
#' @param id,time,value Names of the columns of a data frame in long form. If `id` names several
#'   columns, there is one function for each combination of their values, with a name such as
#'   "S1, chr1". If `id` is `NULL`, all rows are one function.
#' @param sort If `FALSE`, the rows of each function must be sorted by time, and an error is raised if
#'   they are not. If `TRUE`, they are sorted first.
#' @param start,end Names of the columns of a table of segments. Each row gives the `value` from its
#'   start, inclusive, to its end, exclusive. The rows may be in any order. Segments of one function
#'   may touch but not overlap. If ends are inclusive, as in tables of positions on a chromosome or of
#'   whole days, add 1 to them: otherwise there are unobserved gaps between neighbours.
#' @param outside The value before, between and after the segments: a number, or `NA` for "not
#'   observed".
#' @param until The time at which observation of measurements ends. `"last"`: each function ends at its own
#'   last time. `Inf`: functions hold their last value forever. A number (or time): all functions end there.
#'   For a data frame in long form, the name of a column: each function ends at the number, possibly `Inf`, in this
#'   column, which must be the same in all its rows. `NULL`, the default, is `"last"` or, if `before` is a number,
#'   `Inf`. A measurement at the end is observed. Later measurements are dropped if `until` is a number,
#'   and raise an error if it is a column.
#' @param gaps The longest time for which a measurement is held: a number or, if the times have a [time_unit()], a
#'   `difftime`. If the next one is later, or there is none before `until`, the function is not observed from then on
#'   until the next. If `NULL`, each is held until the next.
#' @param before The value before the first time: a number, or `NA` for "not observed". Use 0 for
#'   counts and other functions that start from nothing. It is not used for functions whose first
#'   time is `-Inf`.
#' @param repeated How to read several rows of a function at the same time. `NULL`: this is an error. `"mean"`: the
#'   value is the mean of those that are not missing. `"jump"`: two rows are the values before and after a jump, of
#'   which a step function has the second from that time on; [as_plf()] uses both.
#' @param from A finite number: the step functions start there, and are 0 before.
#' @param after The value from the end of a function on: `"NA"` (not observed), `"hold"` (the last
#'   value) or `"zero"`.
#'
#' @details
#' A function is not observed where its value is `NA`; see [pcf()]. The table shows where this is the
#' case for each kind of `x`, and which argument changes it:
#'
#' | `x` | functions | before the first time | after the end |
#' | --- | --- | --- | --- |
#' | `pcf` | itself | | |
#' | m x 2 matrix: breakpoints | one | 0 | holds |
#' | data frame of two columns, `time` and `value` | one | `NA`; `before` | `NA`; `until` |
#' | long data frame: `id`, `time`, `value` | one for each id | `NA`; `before` | `NA`; `until` |
#' | table of segments: `id`, `start`, `end`, `value` | one for each id | `outside` (`NA`) | `outside` (`NA`) |
#' | n x G matrix or data frame, with `times` | one for each row | `NA`; `before` | `NA`; `until` |
#' | `stepfun` | one | its leftmost value; 0 with `from` | holds |
#' | constant function made by `approxfun()` | one | its value there; `NA` for `rule = 1` | its value there |
#' | `ecdf` | one | 0 | holds (it is 1) |
#' | `ts`, `mts` | one for each series | `NA`; `before` | `NA`, one period after the last value; `after` |
#' | `zoo`, `xts`, see [as_pcf.zoo()] | one for each series | `NA`; `before` | `NA`; `until` |
#' | `survfit`, see [as_pcf.survfit()] | each stratum, state | 0 or `NA` | `NA`, after the end; `after` |
#' | `cuminc`, `prodlim`, see there | each group and cause | 0 | `NA`, after the end; `after` |
#' | list | one for each element | as above | as above |
#'
#' **Measurements**, which are the rows of a data frame, the values of a series and values on a grid of
#' `times`, say nothing about the time before the first one and after the last one, so the function is observed
#' from the first up to and including the last: it ends at the next larger floating-point number, shown by
#' [format()][format.pcf] as "9+", which does not change integrals. `until = Inf` holds the last value forever.
#' Counts, Betti curves and other functions that start from nothing need `before = 0`; they hold their last value
#' unless `until` is given. A `ts` starts
#' with its first non-missing value and ends with its last, also in a multiple series, where `cbind()`
#' fills shorter series with `NA`; with `na.rm = TRUE` the last value is held to the end of the multiple
#' series. The breakpoints of a series are its [time()][stats::time], bit for bit, unless it is monthly or
#' quarterly. If two series start at different times, these may differ by rounding at the same time; `cbind()`
#' gives both the same times. The rows of a **matrix with two columns**, alone or in a list, are breakpoints
#' instead, as in [pcf()]: the function is 0 before the first.
#'
#' **Two columns** named `time` and `value`, in upper or lower case, are found by name; if only one has
#' such a name, the other column is taken as the other variable. Otherwise the first column is the time
#' and the second the value. For data frames, the arguments `time` and `value` may name the columns. A
#' matrix, or an element of a list, with a third column raises an error.
#'
#' **Long data** may have the functions in any order of rows, as long as the times of each function
#' increase. Functions are returned in the order of first appearance. `id` can be omitted if the data
#' frame has a column named `id`, or no columns other than the times, values and ends. Unused columns are
#' ignored, with one exception: if `id` is omitted, a character or factor column that varies within a
#' function raises an error, since it seems to tell several functions apart.
#'
#' **Wide data**, with one function per row, need `times`. Names are taken from the row names or, for a
#' data frame, from the columns `id`, by default a column named `id` if there is one. If each column is
#' a function, transpose: `as_pcf(t(x), times = times)`.
#'
#' A left-continuous **stepfun** becomes the right-continuous function that agrees with it everywhere
#' except at the knots, which affects no distance. If its leftmost value is not 0, the first time is
#' `-Inf`. The same holds for functions that [stats::approxfun()] has made with `method = "constant"`; if these are `NA`
#' after their last point, they are observed at it.
#'
#' **Times.** The class of times that are dates, date-times or durations (`Date`, `POSIXct`, `difftime`) is kept,
#' and the times of a monthly or quarterly `ts` are shown as such: see [time_unit()]. Numbers whose class has a
#' unit in another package (units, lubridate, nanotime, ITime of data.table, chron) raise an error.
#'
#' Each element of a **list** is one function: a matrix or data frame with two columns, a `stepfun`, or
#' any other object in the table that gives one function. Names and dimensions are kept. To pass
#' arguments, convert the elements: `as_pcf(lapply(x, as_pcf, before = 0))`. Numeric vectors are not
#' converted: use [counting()] for event times and [distribution()] for samples.
#'
#' @return A [pcf].
#'
#' @section Errors:
#' An object that cannot be converted or that holds an invalid function raises an error of class
#' `pcfdist_error_x`; for an invalid function, the condition has the fields `index` and `position`.
#' Segments that overlap or have no positive length raise an error of the same class that names the
#' rows. Other invalid arguments raise `pcfdist_error_<argument>`, such as `pcfdist_error_times`.
#'
#' @examples
#' as_pcf(list(a = cbind(c(0, 2), c(1, 0)), b = cbind(1:3, c(2, 1, 0))))
#'
#' # Empirical distribution functions
#' as_pcf(lapply(split(iris$Sepal.Length, iris$Species), ecdf))
#'
#' # Long data: the weight of 50 chicks, held between weighings, from the first to the last one
#' as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#'
#' # A reading of a sensor is valid for ten minutes
#' readings <- data.frame(minute = c(0, 8, 30, 35), value = c(4, 5, 7, 6))
#' as_pcf(readings, time = "minute", value = "value", gaps = 10)
#'
#' # Counts are 0 before the first event
#' events <- data.frame(id = c("a", "a", "b"), time = c(2, 5, 3), count = c(1, 2, 1))
#' as_pcf(events, value = "count", before = 0)
#'
#' # Segments: the copy number of two samples, with a stretch that was not measured
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
#' as_pcf(approxfun(1:3, c(5, 3, 4), method = "constant", rule = 2))
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
  check_given(x, "x", "the object to convert")
  UseMethod("as_pcf")
}

#' @export
as_pcf.default <- function(x, ...) {
  if (typeof(x) == "pairlist") return(as_pcf(as.list(x), ...))
  abort_argument(
    "x", "cannot be converted to a pcf: it is ", describe(x), ". as_pcf() takes lists ",
    "of two-column matrices or data frames, matrices, data frames, and stepfun, ecdf, ",
    "survfit, ts, zoo and xts objects. Use pcf(times, values) for vectors, counting() for event times, ",
    "and distribution() for samples."
  )
}

#' @export
as_pcf.pcf <- function(x, ...) {
  check_unused(list(...), "a pcf")
  check_functions(check_pcf(x))
}

#' @export
as_pcf.AsIs <- function(x, ...) {
  class(x) <- setdiff(class(x), "AsIs")
  as_pcf(x, ...)
}

#' @rdname as_pcf
#' @order 2
#' @export
as_pcf.list <- function(x, from = NULL, ..., gaps = NULL) {
  check_unused(
    list(...), "a list", " To pass arguments for the elements, convert each: lapply(x, as_pcf, ...)."
  )
  if (!is.null(from) && !any(vapply(x, inherits, NA, "stepfun"))) {
    abort_argument("from", "applies only to step functions, but the list has none.")
  }
  measured <- vapply(x, inherits, NA, c("data.frame", "ts", "zoo"))
  if (!is.null(gaps) && !any(measured)) {
    abort_argument("gaps", "applies only to measurements, and no element of `x` has any.")
  }
  if (all(vapply(x, is_function, NA))) return(check_functions(new_pcf(shaped_as(unclass(x), x))))
  check_functions(convert_elements(x, function(f) one_function(f, from, gaps)))
}

# The elements of a list as one collection. `convert` makes each of them a collection of one function;
# its errors about x then name the element.
convert_elements <- function(x, convert) {
  place <- function(i) paste0("is invalid: ", function_label(i, x), " ")
  elements <- vector("list", length(x))
  tryCatch(
    for (i in seq_along(x)) {
      elements[[i]] <- convert(.subset2(x, i))
      count <- length(elements[[i]])
      if (count != 1) abort_argument("x", "holds ", count, " functions. c() joins collections.")
    },
    pcfdist_error_x = function(error) {
      what <- sub("^`x` (is invalid: (it|the function) )?", "", conditionMessage(error))
      abort_argument("x", place(i), what, index = i, position = error$position)
    }
  )
  joined <- join_collections(elements, "x", vapply(seq_along(x), place, ""), before = "the one before")
  like(joined, shaped_as(unclass(joined), x))
}

#' @rdname as_pcf
#' @order 3
#' @export
as_pcf.matrix <- function(x, times = NULL, na.rm = FALSE, before = NA, until = NULL, ..., gaps = NULL) {
  given <- c(before = !missing(before), until = !is.null(until), gaps = !is.null(gaps))
  if (is.list(x)) {
    wrong <- c(times = !is.null(times), na.rm = !isFALSE(na.rm), given[c("before", "until")])
    if (!any(wrong)) return(as_pcf.list(x, ..., gaps = gaps))
    abort_argument(names(which(wrong))[1], "applies only to numeric matrices, but `x` is a list.")
  }
  check_unused(list(...), "a matrix")
  na.rm <- check_flag(na.rm, "na.rm")
  if (is.null(times)) {
    if (any(given)) {
      change <- c(
        before = "is 0 before the first; to change this, add a row with the time -Inf and the value before.",
        until = "holds its last value; to change this, add a row with the time of the end and the value NA.",
        gaps = "holds each value until the next; to change this, add rows with the value NA."
      )[given][[1]]
      abort_argument(
        names(which(given))[1], "applies only to measurements: a matrix with `times`, a data frame or a ",
        "time series. The rows of a matrix with two columns are breakpoints, and the function ", change
      )
    }
    f <- two_column_function(x, paste(
      " For functions on a grid, one per row, give `times`;",
      "use as_pcf(t(x), times = ) for one per column."
    ))
    return(check_functions(if (na.rm) without_missing(f) else f))
  }
  if (!is_number(x)) abort_argument("x", "must be numeric, not ", describe_table(x), ".")
  rows_on_grid(x, times, na.rm, before, until, gaps)
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
as_pcf.ts <- function(x, na.rm = FALSE, after = c("NA", "hold", "zero"), before = NA, ..., gaps = NULL) {
  check_unused(list(...), "a ts")
  na.rm <- check_flag(na.rm, "na.rm")
  after <- check_after(after)
  check_is(is_number(x), x, "x", "must be numeric, not ")
  valid <- is.double(attr(x, "tsp", exact = TRUE)) && NROW(x) > 0
  if (!valid) abort_argument("x", "is not a valid <ts>: it has no times.")
  times <- series_times(x)
  columns <- as.matrix(x)
  rows <- lapply(seq_len(ncol(columns)), function(k) {
    if (na.rm) as.double(seq_len(nrow(columns))) else measured_rows(columns[, k])
  })
  series <- as_columns_pcf(columns, times[-length(times)], na.rm, before, Inf, "x", rows = rows)
  ends <- times[vapply(rows, max, 0) + 1]
  hold_at_most(end_functions(new_pcf(series, calendar_unit(stats::frequency(x))), ends, after), gaps)
}

# The rows from the first value of a series to its last: cbind() fills shorter series with NA at the ends.
measured_rows <- function(values) {
  known <- which(!is.na(values) | is.nan(values))
  as.double(if (length(known) > 0) seq(known[1], known[length(known)]) else seq_along(values))
}

# The value of code that reads the parts of an object of a class of R or of another package. What has the class,
# but not the parts, is an error about the argument.
read_parts <- function(x, class, code, fit = function(parts) TRUE) {
  parts <- tryCatch(code, error = function(error) {
    if (inherits(error, "pcfdist_error")) stop(error)
    abort_argument("x", "is not a valid <", class, ">: ", conditionMessage(error), ".")
  })
  if (isTRUE(fit(parts))) parts else abort_argument("x", "is not a valid <", class, ">: its parts do not fit together.")
}

are_columns <- function(parts) {
  all(vapply(parts, is.numeric, NA)) && length(parts[[1]]) > 0 && length(parts[[1]]) == length(parts[[2]])
}

# Converts an argument that is not called x: errors about x then name this argument.
as_pcf_argument <- function(x, argument, convert = as_pcf) {
  if (inherits(x, "pcf")) return(check_either(x, argument))
  tryCatch(convert(x), pcfdist_error_x = function(error) {
    abort_argument(argument, sub("^`x` ", "", conditionMessage(error)))
  })
}

# ---- Single functions ----

# Whether an element of a list already has the form that a pcf stores.
is_function <- function(x) {
  is.double(x) && identical(names(attributes(x)), c("dim", "dimnames")) &&
    identical(dimnames(x), function_dimnames)
}

# A collection, from anything that describes exactly one function or has a method for as_pcf().
one_function <- function(x, from, gaps = NULL) {
  if (inherits(x, "stepfun")) return(stepfun_pcf(x, from))
  if (inherits(x, c("ts", "zoo"))) return(as_pcf(x, gaps = gaps))
  if (is.function(x) || inherits(x, c("pcf", "survfit", "cuminc", "prodlim"))) return(as_pcf(x))
  hint <- if (is_number(x) && is.null(dim_of(x)) && length(x) > 1) {
    " Use counting() for event times, and distribution() for samples."
  }
  f <- two_column_function(x, hint)
  if (is.data.frame(x)) as_measured(f, before = NA, until = NULL, gaps = gaps) else f
}

two_column_function <- function(x, hint) {
  columns <- if (is_matrix_or_frame(x)) {
    check_no_third(x)
    time_value_columns(x)
  }
  if (is.null(columns)) {
    abort_argument(
      "x", "is invalid: it is ", describe_table(x), ", not two columns of numbers, time and value.", hint
    )
  }
  f <- new_pcf(list(new_function(columns[[1]], columns[[2]])), unit_from(columns[[1]]))
  with_name(f, colnames(x)[find_time_value(x)[2]])
}

# Rows of several functions must not be read as one function, nor values be lost: besides columns named
# time and value there must be no other.
check_no_third <- function(x) {
  wanted <- match(c("time", "value"), colnames(x))
  third <- setdiff(seq_len(ncol(x)), wanted)[1]
  if (anyNA(wanted) || is.na(third)) return()
  name <- colnames(x)[third]
  column <- if (!nzchar(name)) "an unnamed column besides time and value"
            else if (third %in% which(duplicated(colnames(x)))) paste0("two columns `", name, "`")
            else paste0("the column `", name, "` besides time and value")
  abort_argument(
    "x", "is invalid: it has ", column, ". Keep only time and value, or give one data ",
    "frame for all functions, with `id` for the columns that tell them apart."
  )
}

# The two columns, or NULL if there are not two columns of numbers.
time_value_columns <- function(x) {
  wanted <- find_time_value(x)
  if (is.null(wanted)) return(NULL)
  columns <- if (is.data.frame(x)) lapply(wanted, function(k) without_parts(x[[k]]))
             else lapply(wanted, function(k) x[, k])
  if (!all(vapply(columns, is_number, NA))) return(NULL)
  check_plain_values(columns[[2]], "x", "is invalid: it has ")
  columns
}

# The positions of the columns time and value: by name, or else the first and the second of two. NULL
# if this is not clear.
find_time_value <- function(x) {
  wanted <- c("time", "value")
  if (all(wanted %in% colnames(x))) return(match(wanted, colnames(x)))
  if (ncol(x) != 2 || any(wanted %in% colnames(x)[duplicated(colnames(x))])) return(NULL)
  name <- if (is.null(colnames(x))) c("", "") else lower_case(colnames(x))
  swapped <- name[1] == "value" && name[2] != "value" || name[2] == "time" && name[1] != "time"
  found <- if (swapped) 2:1 else 1:2
  is_moment <- function(k) is.data.frame(x) && inherits(x[[k]], c("Date", "POSIXt", "difftime"))
  moments <- is_moment(found[2]) && !is_moment(found[1])
  if (!moments && !"id" %in% name) found
}

# Each row of a numeric matrix is a function with the given times.
# `besides` says, for messages, which columns of the user's table have no time.
rows_on_grid <- function(x, times, na.rm, before, until, gaps, besides = NULL) {
  times <- without_parts(times)
  turned <- if (length(times) == nrow(x)) " If each column is a function, transpose `x` with t()."
  check_is(is_number(times) && length(times) == ncol(x), times, "times", "must have one number for each of the ",
           ncol(x), " columns of `x`", besides, ", not ", hint = paste0(text_hint(times, "times"), turned))
  as_columns_pcf(t(x), times, na.rm, before, until, "times", gaps)
}

# Each column of a numeric matrix is a function with the given times, or with those of the given rows.
as_columns_pcf <- function(columns, times, na.rm, before, until, times_argument, gaps = NULL, rows = NULL) {
  unit <- unit_from(times)
  times <- as.vector(times_in(times, unit, times_argument))
  functions <- lapply(seq_len(ncol(columns)), function(k) {
    row <- rows[[k]] %||% seq_along(times)
    new_function(times[row], columns[row, k])
  })
  names(functions) <- colnames(columns)
  functions <- new_pcf(functions, unit)
  if (na.rm) functions <- without_missing(functions)
  as_measured(check_functions(functions, c(times_argument, "x")), before, until, gaps = gaps)
}

without_missing <- function(x) {
  check_some_known(map_functions(x, function(f) f[!is.na(f[, 2]), , drop = FALSE]))
}

# For functions from which missing values have been removed.
check_some_known <- function(x) {
  empty <- which(breakpoints_of(x) == 0)
  if (length(empty) == 0) return(x)
  abort_argument("x", "is invalid: ", function_label(empty[1], x), " has only missing values. Leave it out of the ",
                 "data, or use `na.rm = FALSE`, with which it is a function that is never observed.", index = empty[1])
}

# Measurements are not observed before the first and after the last of them, unless the user says otherwise
# by `before` and `until`.
as_measured <- function(x, before, until, choices = 'a time, "last" or Inf', gaps = NULL) {
  before <- check_constant(before, "before")
  until <- plain(until)
  if (is.null(until)) until <- if (is.na(before)) "last" else Inf
  x <- if (identical(until, "last")) end_at_last(x)
       else end_measurements(x, rep(until_time(until, unit_of(x), choices), length(x)))
  begin_functions(hold_at_most(x, gaps), before)
}

# One time as a number in the unit. `choices` says what `until` may be.
until_time <- function(until, unit, choices) {
  until <- plain(without_parts(until))
  check_is(is_one_time(until) && isTRUE(until > -Inf), until, "until", "must be ", choices, ", not ")
  if (until == Inf) Inf else times_in(until, unit, "until")
}

# Ends each function at the next larger number after its last measurement.
end_at_last <- function(x) {
  replace_functions(x, .mapply(function(f, end) {
    m <- nrow(f)
    if (is.na(f[[m, 2]])) f else new_function(c(f[, 1], end), c(f[, 2], NA))
  }, list(unclass(x), next_time(last_times(x))), NULL))
}

# Ends each function after the last measurement up to its end, an element of `ends`. A measurement at the end is
# observed: such a function ends at the next larger number.
end_measurements <- function(x, ends) {
  replace_functions(x, .mapply(end_measurement, list(unclass(x), ends), NULL))
}

end_measurement <- function(f, end) {
  if (end == Inf) return(f)
  at_end <- is_same_time(f[, 1], end)
  f <- f[f[, 1] < end | at_end, , drop = FALSE]
  m <- nrow(f)
  if (any(at_end)) {
    if (is.na(f[m, 2])) return(f)
    end <- next_time(f[[m, 1]])
  }
  new_function(c(f[, 1], end), c(f[, 2], NA))
}

# Gives the functions the value `before`, which may be NA, before their first time. Functions whose first
# time is -Inf stay as they are. Without a start at -Inf, functions are 0.
begin_functions <- function(x, before) {
  if (identical(before, 0)) return(x)
  start <- new_function(-Inf, before)
  map_functions(x, function(f) if (f[[1]] == -Inf) f else rbind(start, f, deparse.level = 0))
}

# Ends the functions at the given times: later breakpoints are dropped, and `after`, which may be NA, is
# the value from there on. If it is NULL, the last value is held.
end_functions <- function(x, ends, after) {
  replace_functions(x, .mapply(end_function, list(unclass(x), ends), list(after = after)))
}

last_times <- function(x) vapply(unclass(x), function(f) f[[nrow(f), 1]], 0)

end_function <- function(f, end, after) {
  if (is.null(after) || end == Inf) return(f)
  f <- f[f[, 1] < end, , drop = FALSE]
  new_function(c(f[, 1], end), c(f[, 2], after))
}

# Between its knots a stepfun has, as in approxfun(), a mixture of the values at both: f is 0 for
# right-continuous functions and 1 for left-continuous ones.
stepfun_pcf <- function(x, from) {
  names <- c("x", "y", "yleft", "yright", "f")
  parts <- read_parts(x, "stepfun", mget(names, envir = environment(x)), function(parts) {
    are_columns(parts) && all(lengths(parts[3:5]) == 1)
  })
  left <- parts$y[-length(parts$y)]
  right <- parts$y[-1]
  between <- if (parts$f == 0) left else if (parts$f == 1) right
             else (1 - parts$f) * left + parts$f * right
  times <- c(-Inf, parts$x)
  values <- c(parts$yleft, between, parts$yright)
  if (!is.null(from)) {
    check_is(is.numeric(from) && length(from) == 1 && is.finite(from), from, "from",
             "must be one finite number, not ")
    kept <- findInterval(as.double(from), times):length(times)
    times <- replace(times[kept], 1, as.double(from))
    values <- values[kept]
  }
  new_pcf(list(level_function(times, values)), name = if (inherits(x, "ecdf")) share_name)
}
