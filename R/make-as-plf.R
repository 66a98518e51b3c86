#' Convert to piecewise linear functions
#'
#' Joins the measurements in data frames, matrices and time series, which are read as by [as_pcf()], by
#' straight lines. Objects that are piecewise linear already, such as densities, functions made by
#' [stats::approxfun()] and step functions, are converted as they are.
#'
#' @param x An object to convert; see the table in Details.
#' @param ... Arguments of [as_pcf()] for the same class of `x`, except those about the time before the
#'   first and after the last measurement: for data frames `id`, `time`, `value`, `sort`, `na.rm` and
#'   `times`; for matrices `times` and `na.rm`; for time series `na.rm`.
#' @param gaps The longest time between two measurements that are joined: a number or, if the times
#'   have a [time_unit()], a `difftime`. Across longer gaps the function is not observed. If `NULL`, all
#'   measurements are joined.
#' @param repeated How to read several rows of a function at the same time, in a data frame in long form; see
#'   [as_pcf()]. With `"jump"` a line runs to the first value, and the next line begins at the second.
#' @param left The name of the column with the left limits, for a data frame in long form whose rows are
#'   breakpoints, as given by [as.data.frame()][as.data.frame.pcf] for a `plf`. If `NULL`, the rows are
#'   measurements, and an unused column of the name `left` is an error.
#'
#' @details
#' | `x` | functions | before the first time | after the last time |
#' | --- | --- | --- | --- |
#' | `plf` | itself | | |
#' | `pcf` | the same functions | | |
#' | data frame with two columns, or in long form: `id`, `time`, `value` | measurements, one for each id | `NA` | `NA` |
#' | the same with `left` | breakpoints | the first `left` | the last value |
#' | n x G matrix or data frame, with `times` | measurements, one for each row | `NA` | `NA` |
#' | m x 2 matrix: `time` and `value` | measurements, one | `NA` | `NA` |
#' | `ts`, `mts`, `zoo`, `xts` | measurements, one for each series | `NA` | `NA` |
#' | `density` | one | 0 | 0 |
#' | linear function made by `approxfun()` | one | its value there; `NA` for `rule = 1` | its value there |
#' | `ecdf` | its polygon | 0 | 1 |
#' | `stepfun`, `survfit`, `cuminc`, `prodlim`, table of segments | as in [as_pcf()] | | |
#' | list | one for each element | as above | as above |
#'
#' A missing value breaks the line: the function is not observed between the measurement before it and the one
#' after, unless `na.rm = TRUE`, which removes missing values.
#'
#' Every measurement counts: lines are observed up to and including the last measurement, and the last one
#' before a gap. A measurement between two gaps, or the only one of a function, is observed at its time alone. To
#' include such a time, a line ends at the next larger floating-point number, shown by [format()][format.pcf] as
#' "9+". This does not change integrals. [shift_time()] and [time_unit()] keep the two times adjacent. So
#' `mean(x, na.rm = TRUE)` at a visit is the mean of all who came.
#'
#' The **polygon** of an `ecdf` joins the points \eqn{(x_k, F(x_k))} at the observations; at the smallest
#' observation it jumps from 0 to its value there.
#'
#' Whether to join measurements, or to hold them as [as_pcf()] does, depends on what was measured: a
#' height grows between two visits, but a dose or a count stays the same until it changes. See
#' `vignette("lines-or-steps")`.
#'
#' @return A [plf].
#'
#' @section Errors:
#' As in [as_pcf()]. Arguments that apply only to step functions, such as `until`, raise an error, and
#' so do lines so steep that their slope overflows.
#'
#' @seealso [as_pcf()], [plf()], [cumulative()]
#'
#' @examples
#' as_plf(Orange, id = "Tree", time = "age", value = "circumference")
#'
#' # Measurements more than ten days apart are not joined
#' visits <- data.frame(day = c(0, 7, 30, 35), weight = c(4, 4.2, 5, 5.1))
#' as_plf(visits, time = "day", value = "weight", gaps = 10)
#'
#' # A dose after 24 hours: the concentration before, and after
#' doses <- data.frame(hour = c(0, 24, 24, 30), concentration = c(10, 2, 12, 10))
#' as_plf(doses, repeated = "jump")
#'
#' as_plf(rbind(a = c(1, 2, 0), b = c(3, NA, 0)), times = c(0, 1, 2.5))
#' as_plf(density(faithful$eruptions))
#' as_plf(approxfun(1:3, c(0, 2, 1), rule = 2))
#' as_plf(ecdf(c(1, 2, 2, 4)))
#' as_plf(pcf(c(0, 2, 5), c(1, 3, 0)))
#' @export
as_plf <- function(x, ...) {
  check_given(x, "x", "the object to convert")
  UseMethod("as_plf")
}

#' @export
as_plf.default <- function(x, ...) {
  if (is.function(x) && !inherits(x, "stepfun")) return(line_of_approxfun(x, ...))
  as_lines(steps_of(x, ...))
}

# as_pcf(), with errors that name as_plf() instead.
steps_of <- function(x, ...) {
  tryCatch(as_pcf(x, ...), pcfdist_error = function(error) {
    error$message <- gsub("pcf(", "plf(", sub("to a pcf:", "to a plf:", error$message), fixed = TRUE)
    stop(error)
  })
}

#' @export
as_plf.pcf <- function(x, ...) {
  check_unused(list(...), if (is_plf(x)) "a plf" else "a pcf", converter = "as_plf")
  check_computed(as_lines(check_functions(check_either(x))), "as_plf()")
}

#' @rdname as_plf
#' @export
as_plf.list <- function(x, gaps = NULL, ...) {
  check_unused(
    list(...), "a list", " To pass arguments for the elements, convert each: lapply(x, as_plf, ...).",
    converter = "as_plf"
  )
  if (!is.null(gaps) && !any(vapply(x, has_measurements, NA))) {
    abort_argument("gaps", "applies only to measurements, and no element of `x` has any.")
  }
  as_lines(convert_elements(x, function(f) {
    if (has_measurements(f)) as_plf(f, gaps = gaps) else as_plf(f)
  }))
}

has_measurements <- function(x) inherits(x, c("data.frame", "matrix", "ts", "zoo"))

#' @rdname as_plf
#' @export
as_plf.data.frame <- function(x, ..., gaps = NULL, left = NULL, repeated = NULL) {
  arguments <- list(...)
  if (!is.null(arguments$start) || !is.null(arguments$end)) {
    if (!is.null(gaps)) abort_argument("gaps", "applies only to measurements; segments give step functions.")
    return(as_lines(steps_of(x, ..., repeated = repeated)))
  }
  check_lines_alone(arguments)
  if (!is.null(left)) return(table_of_breakpoints(x, left, arguments, gaps, repeated))
  check_left_used(x, arguments)
  after <- steps_of(x, ..., repeated = repeated)
  join_measurements(after, gaps, if (isTRUE(repeated == "jump")) steps_of(x, ..., repeated = before_jumps))
}

#' @rdname as_plf
#' @export
as_plf.matrix <- function(x, ..., gaps = NULL) {
  if (is.list(x)) return(as_plf.list(x, gaps, ...))
  check_lines_alone(list(...))
  join_measurements(steps_of(x, ...), gaps)
}

#' @rdname as_plf
#' @export
as_plf.ts <- function(x, ..., gaps = NULL) {
  check_lines_alone(list(...))
  join_measurements(steps_of(x, ..., after = "hold"), gaps)
}

#' @rdname as_plf
#' @export
as_plf.zoo <- as_plf.matrix

#' @export
as_plf.density <- function(x, ...) {
  check_unused(list(...), "a density", converter = "as_plf")
  parts <- read_parts(x, "density", list(x$x, x$y), are_columns)
  values <- parts[[2]]
  with_name(plf(parts[[1]], c(values[-length(values)], 0), left = c(0, values[-1])), "density")
}

#' @export
as_plf.ecdf <- function(x, ...) {
  check_unused(list(...), "an ecdf", converter = "as_plf")
  parts <- read_parts(x, "ecdf", mget(c("x", "y"), envir = environment(x)), are_columns)
  with_name(plf(parts$x, parts$y), share_name)
}

# Arguments that say how step functions begin and end are errors.
check_lines_alone <- function(arguments) {
  wrong <- intersect(names(arguments), c("before", "until", "after", "outside"))
  if (length(wrong) == 0) return()
  abort_argument(
    wrong[1], "applies only to step functions: lines are observed from the first measurement to the last."
  )
}

# Joins the measurements of step functions by lines, except across more than `gaps`. Lines run to the values of
# `before`, if it is given, which differ from those of `x` at jumps.
join_measurements <- function(x, gaps, before = NULL) {
  longest <- if (is.null(gaps)) Inf else check_gaps(gaps, unit_of(x))
  functions <- shaped_as(.mapply(function(f, g) {
    # A start that as_pcf() has added. A value there is a measurement, whose time is not valid.
    if (f[[1]] == -Inf && is.na(f[[1, 2]])) f <- f[-1, , drop = FALSE]
    line_of_measurements(f, longest, if (is.null(g)) f[, 2] else g[match(f[, 1], g[, 1]), 2])
  }, list(unclass(x), unclass(before %||% rep(list(NULL), length(x)))), NULL), x)
  check_functions(replace_functions(new_plf(x, unit_of(x), name_of(x)), functions))
}

# A measurement that is not joined to the next one is observed at its time: the line stays at it until the next
# larger number, where observation ends. `arriving` are the values to which lines run.
line_of_measurements <- function(f, longest, arriving) {
  m <- nrow(f)
  times <- f[, 1]
  values <- f[, 2]
  known <- !is.na(values)
  joined <- known[-m] & !is.na(arriving)[-1]
  if (longest < Inf) joined <- joined & (diff(times) <= longest | is_same_time(times[-m] + longest, times[-1]))
  left <- c(NA, ifelse(joined, arriving[-1], NA))
  ends <- which(known & !c(joined, FALSE))
  after <- next_time(times[ends])
  met <- (after == times[ends + 1]) %in% TRUE # by a missing value
  left[ends[met] + 1] <- values[ends[met]]
  if (all(met)) return(new_line(times, left, values))
  place <- order(c(times, after[!met]))
  new_line(
    c(times, after[!met])[place], c(left, values[ends[!met]])[place],
    c(values, rep(NA, sum(!met)))[place]
  )
}

# A table with a column `left` may be that of a plf, whose left limits must not be lost.
check_left_used <- function(x, arguments) {
  used <- unlist(Filter(is.character, arguments))
  wide <- !is.null(arguments$times)
  if (wide || ncol(x) == 2 || !"left" %in% setdiff(names(x), used)) return()
  abort_argument(
    "left", "is not given, but `x` has a column left. A table of breakpoints with left limits, as from ",
    "as.data.frame(), needs `left = \"left\"`. To join the values, leave the column out: ",
    "x[names(x) != \"left\"]."
  )
}

# Functions from a data frame whose rows are breakpoints with left limits.
table_of_breakpoints <- function(x, left, arguments, gaps, repeated) {
  if (!is_one_name(left)) abort_column(x, left, "left")
  if (!is.null(repeated)) abort_argument(
    "repeated", "applies only to measurements; with `left`, a jump is one row, with the left limit and the value."
  )
  wrong <- c("gaps", "na.rm")[c(!is.null(gaps), isTRUE(arguments$na.rm))]
  if (length(wrong) > 0) {
    abort_argument(wrong[1], "applies only to measurements; with `left`, rows are breakpoints.")
  }
  value <- arguments$value %||% "value"
  if (is.null(arguments$value) && !value %in% names(x)) {
    abort_argument("value", "must be the name of the column with the values if `left` is given.")
  }
  x <- with_ends_told_apart(x, left, value, arguments)
  rest <- x[setdiff(names(x), left)]
  steps <- do.call(steps_of, c(list(rest), arguments, list(before = 0)))
  arguments$value <- left
  limits <- do.call(steps_of, c(list(x[setdiff(names(x), value)]), arguments, list(before = 0)))
  functions <- .mapply(function(f, g) new_line(f[, 1], g[, 2], f[, 2]),
                       list(unclass(steps), unclass(limits)), NULL)
  check_functions(replace_functions(new_plf(steps, unit_of(steps), name_of(steps)), functions))
}

# A line ends at the next larger number after a measurement, a row in which only the left limit is known. Text with
# rounded times has the same time in both rows.
with_ends_told_apart <- function(x, left, value, arguments) {
  named <- as.list(match.call(as_pcf.data.frame, as.call(c(list(as.name("as_pcf"), quote(x)), arguments))))
  time <- named$time %||% "time"
  if (is.factor(x[[time]]) || mode(x[[time]]) != "numeric") return(x)
  id <- if ("id" %in% names(named)) named$id else if ("id" %in% names(x)) "id"
  group <- id_groups(x, id)$group
  times <- as.double(x[[time]])
  k <- seq_len(nrow(x))[-1]
  ends <- k[which(times[k] == times[k - 1] & group[k] == group[k - 1] & is.na(x[[value]][k]) &
                    !is.na(x[[left]][k]) & !is.na(x[[value]][k - 1]))]
  if (length(ends) == 0) return(x)
  times[ends] <- next_time(times[ends])
  if (!inherits(x[[time]], "integer64")) attributes(times) <- attributes(x[[time]])
  replace(x, time, list(times))
}
