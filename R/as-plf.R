#' Convert to piecewise linear functions
#'
#' @description
#' Measurements are joined by straight lines: those of data frames, matrices and time series, read as
#' [as_pcf()] reads them. Functions that are piecewise linear already are taken as they are:
#' densities, functions of [stats::approxfun()], and step functions.
#'
#' @param x An object to convert, see the table below.
#' @param ... Arguments of [as_pcf()] for the same kind of `x`, but those about what comes before and
#'   after: of data frames `id`, `time`, `value`, `sort`, `na.rm`, `times`; of matrices `times` and
#'   `na.rm`; of time series `na.rm`.
#' @param gaps The longest time between two measurements that are joined: a number or, where the
#'   times have a [time_unit()], a `difftime`. Between others the function is not observed. `NULL`:
#'   all are joined.
#' @param left The name of a column of a data frame in long form that has the limits from the left:
#'   the rows are the breakpoints of the functions, as [as.data.frame()][as.data.frame.pcf] of a
#'   `plf` gives them. `NULL`: the rows are measurements.
#'
#' @details
#' | `x` | functions | before the first time | after the last time |
#' | --- | --- | --- | --- |
#' | `plf` | itself | | |
#' | `pcf` | the same functions | | |
#' | data frame of two columns, or in long form: `id`, `time`, `value` | measurements, one for each id | `NA` | `NA` |
#' | the same with `left` | breakpoints | the first `left` | the last value |
#' | n x G matrix or data frame, with `times` | measurements, one for each row | `NA` | `NA` |
#' | m x 2 matrix, `time` and `value` | measurements, one | `NA` | `NA` |
#' | `ts`, `mts`, `zoo`, `xts` | measurements, one for each series | `NA` | `NA` |
#' | `density` | one | 0 | 0 |
#' | function made by `approxfun()` | one | its value there, `NA` for `rule = 1` | its value there |
#' | `ecdf` | its polygon | 0 | 1 |
#' | `stepfun`, `survfit`, table of segments | as of [as_pcf()] | | |
#' | list | one for each element | as above | as above |
#'
#' A value that is `NA` breaks the line: the function is not observed from the measurement before to
#' the one after, unless `na.rm = TRUE` leaves it out. A function of one measurement is observed
#' nowhere.
#'
#' The **polygon** of an `ecdf` joins the shares at the observations, \eqn{(x_k, F(x_k))}; at the
#' first of them it jumps from 0 to its share.
#'
#' When to join measurements, and when to hold them as [as_pcf()] does, is a question of what they
#' are: a height grows between two visits, and a dose or a count stays what it was until it changes.
#' `vignette("lines-or-steps")` is about this choice.
#'
#' @return A [plf].
#'
#' @section Errors:
#' As of [as_pcf()]. Arguments that are for step functions alone, such as `until`, are errors that
#' name them; so are lines so steep that their slope overflows.
#'
#' @seealso [as_pcf()], [plf()], [cumulative()]
#'
#' @examples
#' as_plf(Orange, id = "Tree", time = "age", value = "circumference")
#'
#' # Not joined over more than ten days
#' visits <- data.frame(day = c(0, 7, 30, 35), weight = c(4, 4.2, 5, 5.1))
#' as_plf(visits, time = "day", value = "weight", gaps = 10)
#'
#' as_plf(rbind(a = c(1, 2, 0), b = c(3, NA, 0)), times = c(0, 1, 2.5))
#' as_plf(density(faithful$eruptions))
#' as_plf(approxfun(1:3, c(0, 2, 1), rule = 2))
#' as_plf(ecdf(c(1, 2, 2, 4)))
#' as_plf(pcf(c(0, 2, 5), c(1, 3, 0)))
#' @export
as_plf <- function(x, ...) {
  check_given(x, "x", "what functions are made from")
  UseMethod("as_plf")
}

#' @export
as_plf.default <- function(x, ...) {
  if (is.function(x) && !inherits(x, "stepfun")) return(line_of_approxfun(x, ...))
  as_lines(steps_of(x, ...))
}

# as_pcf(), whose errors then are about as_plf().
steps_of <- function(x, ...) {
  tryCatch(as_pcf(x, ...), pcfdist_error = function(error) {
    error$message <- gsub("pcf(", "plf(", sub("to a pcf:", "to a plf:", error$message), fixed = TRUE)
    stop(error)
  })
}

#' @export
as_plf.pcf <- function(x, ...) {
  check_unused(list(...), if (is_plf(x)) "a plf" else "a pcf", converter = "as_plf")
  as_lines(check_functions(check_either(x)))
}

#' @rdname as_plf
#' @export
as_plf.list <- function(x, gaps = NULL, ...) {
  check_unused(
    list(...), "a list", " To give arguments for its elements, convert each: lapply(x, as_plf, ...).",
    converter = "as_plf"
  )
  elements <- lapply(seq_along(x), function(i) {
    tryCatch(line_of_element(.subset2(x, i), gaps), pcfdist_error_x = function(error) {
      message <- sub("^`x` ", "", conditionMessage(error))
      abort_argument("x", "is invalid: ", function_label(i, x), " ", message)
    })
  })
  if (length(x) == 0) return(replace_functions(new_plf(unclass(x)), list()))
  shape <- shape_of(x)
  joined <- join_collections(elements, "x")
  functions <- unclass(joined)
  attributes(functions) <- shape
  like(joined, functions)
}

line_of_element <- function(x, gaps) {
  series <- inherits(x, c("data.frame", "matrix", "ts", "zoo"))
  line <- if (series) as_plf(x, gaps = gaps) else as_plf(x)
  if (length(line) == 1) return(line)
  abort_argument("x", "holds ", length(line), " functions. c() joins collections.")
}

#' @rdname as_plf
#' @export
as_plf.data.frame <- function(x, ..., gaps = NULL, left = NULL) {
  arguments <- list(...)
  if (!is.null(arguments$start) || !is.null(arguments$end)) {
    if (!is.null(gaps)) abort_argument("gaps", "is for measurements, and segments are steps.")
    return(as_lines(steps_of(x, ...)))
  }
  check_lines_alone(arguments)
  if (!is.null(left)) return(table_of_breakpoints(x, left, arguments, gaps))
  join_measurements(steps_of(x, ...), gaps)
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
as_plf.zoo <- function(x, ..., gaps = NULL) {
  check_lines_alone(list(...))
  join_measurements(steps_of(x, ...), gaps)
}

#' @export
as_plf.density <- function(x, ...) {
  check_unused(list(...), "a density", converter = "as_plf")
  m <- length(x$x)
  with_name(plf(x$x, c(x$y[-m], 0), left = c(0, x$y[-1])), "density")
}

#' @export
as_plf.ecdf <- function(x, ...) {
  check_unused(list(...), "an ecdf", converter = "as_plf")
  values <- mget(c("x", "y"), envir = environment(x))
  with_name(plf(values$x, values$y), share_name)
}

# What says how step functions begin and end.
check_lines_alone <- function(arguments) {
  wrong <- intersect(names(arguments), c("before", "until", "after", "outside"))
  if (length(wrong) == 0) return()
  abort_argument(
    wrong[1], "is for step functions: lines are observed from the first measurement to the last."
  )
}

# A step function with the measurements joined by lines, but over more than `gaps`.
join_measurements <- function(x, gaps) {
  longest <- if (is.null(gaps)) Inf else check_gaps(gaps, unit_of(x))
  functions <- lapply(unclass(check_matrices(x)), function(f) {
    if (f[[1]] == -Inf) f <- f[-1, , drop = FALSE]
    line_of_measurements(f, longest)
  })
  check_functions(replace_functions(new_plf(x, unit_of(x), name_of(x)), functions))
}

line_of_measurements <- function(f, longest) {
  line <- join_values(f, NA)
  m <- nrow(line)
  line[m, 3] <- NA
  long <- which(diff(f[, 1]) > longest)
  line[long, 3] <- NA
  line[long + 1, 2] <- NA
  line
}

check_gaps <- function(gaps, unit) {
  valid <- is_number(gaps) && length(gaps) == 1 && isTRUE(gaps > 0)
  check_is(valid, gaps, "gaps", "must be NULL, a positive number or a length of time, not ")
  lengths_in(gaps, unit, "gaps")
}

# Breakpoints with left limits in the rows of a data frame.
table_of_breakpoints <- function(x, left, arguments, gaps) {
  if (!is.null(gaps)) abort_argument("gaps", "is for measurements, and `left` gives breakpoints.")
  value <- arguments$value %||% "value"
  rest <- x[setdiff(names(x), left)]
  steps <- do.call(steps_of, c(list(rest), arguments, list(before = 0)))
  arguments$value <- left
  limits <- do.call(steps_of, c(list(x[setdiff(names(x), value)]), arguments, list(before = 0)))
  functions <- .mapply(function(f, g) new_line(f[, 1], g[, 2], f[, 2]),
                       list(unclass(steps), unclass(limits)), NULL)
  check_functions(replace_functions(new_plf(steps, unit_of(steps), name_of(steps)), functions))
}

# approxfun() keeps what it was given in the environment of the function.
line_of_approxfun <- function(x, ...) {
  check_unused(list(...), "a function", converter = "as_plf")
  parts <- c("x", "y", "yleft", "yright", "method")
  found <- mget(parts, envir = environment(x) %||% emptyenv(), ifnotfound = list(NULL))
  if (any(vapply(found, is.null, NA))) {
    abort_argument(
      "x", "cannot be converted to a plf: it is a function, and not one that approxfun() has made."
    )
  }
  if (found$method != 1) {
    abort_argument(
      "x", "holds constants between its points: stepfun() makes a step function for as_pcf()."
    )
  }
  m <- length(found$x)
  plf(found$x, c(found$y[-m], found$yright), left = c(found$yleft, found$y[-1]))
}
