#' Convert to piecewise constant functions
#'
#' Turns step functions, survival curves, time series, data frames and matrices
#' into a [pcf].
#'
#' @param x An object to convert:
#'   * a `pcf`, which is returned as it is;
#'   * a list with one function an element: an m x 2 matrix or data frame (times and
#'     values, by the names `time` and `value` if both are there, otherwise by
#'     position), a `stepfun`, an `ecdf`, or a `pcf` of length 1. Names and
#'     dimensions are kept;
#'   * an m x 2 numeric matrix, or a data frame with two columns: *one* function;
#'   * an n x G numeric matrix or data frame, together with `times`: n functions on
#'     a shared grid of G times. The row names become the names;
#'   * a data frame in long form with the columns `id`, `time` and `value`, and one
#'     row a breakpoint. The functions are named by `id` and ordered by its first
#'     appearance;
#'   * a `stepfun` or `ecdf`: one function;
#'   * a `survfit` object of the package survival: for each stratum (and each row of
#'     `newdata`, if the fit has them) the probability of survival. It starts with
#'     the value 1 at time 0, or at the fit's `start.time`. Times at which the curve
#'     does not change, such as those of censored observations, are kept;
#'   * a `ts` or `mts`: each series is a function that holds every value until the
#'     next time. It holds the last value forever. Months and quarters are shown as such;
#'   * a `zoo` or `xts` series: see [as_pcf.zoo()].
#' @param ... Passed on to methods.
#' @param times Numeric vector of length G, strictly increasing: the times of the
#'   columns of `x`.
#' @param na.rm If `FALSE`, functions are not observed where values are missing. If `TRUE`, these are left
#'   out, so that the value before continues.
#' @param id,time,value Names of the columns of a data frame in long form.
#' @param sort If `FALSE`, the rows of each function must be sorted by time, and it
#'   is an error if they are not. If `TRUE`, they are sorted here.
#' @param from A finite number, needed for a step function whose value before its
#'   first knot is not 0: such a function has no finite integral. The function then
#'   starts at `from`, and is 0 before.
#'
#' @details
#' Times that are dates, date-times or lengths of time (`Date`, `POSIXct`, `difftime`) are kept as
#' such: see [time_unit()].
#'
#' A `stepfun` that is continuous from the left becomes the function which is
#' continuous from the right and agrees with it everywhere but at the knots. No
#' distance depends on the difference.
#'
#' @return A [pcf].
#'
#' @section Errors:
#' An object that cannot be converted, or that holds an invalid function, is an error of the
#' class `pcfdist_error_x`; for an invalid function the condition has the fields `index` and
#' `position`. Other wrong arguments raise `pcfdist_error_<argument>`, such as
#' `pcfdist_error_times`.
#'
#' @examples
#' as_pcf(list(a = cbind(c(0, 2), c(1, 0)), b = cbind(1:3, c(2, 1, 0))))
#'
#' # Empirical distribution functions
#' as_pcf(lapply(split(iris$Sepal.Length, iris$Species), ecdf))
#'
#' # Long data: the weight of 50 chicks, held between the measurements
#' as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#'
#' # Functions on a grid
#' as_pcf(rbind(a = c(1, 2, 0), b = c(3, 1, 0)), times = c(0, 1, 2.5))
#'
#' # Time series, and a step function with a non-zero left value
#' as_pcf(EuStockMarkets[1:5, ], times = 1:4)
#' as_pcf(window(EuStockMarkets, 1998))
#' as_pcf(stepfun(1:2, c(5, 3, 0)), from = 0)
#'
#' # Kaplan-Meier curves
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
#'   as_pcf(fit)
#' }
#' @export
as_pcf <- function(x, ...) {
  UseMethod("as_pcf")
}

#' @export
as_pcf.default <- function(x, ...) {
  abort_argument(
    "x", "cannot be converted to a pcf: it is ", describe(x), ". as_pcf() takes lists ",
    "of two-column matrices or data frames, matrices, data frames, and stepfun, ecdf, ",
    "survfit and ts objects. pcf(times, values) takes vectors."
  )
}

#' @export
as_pcf.pcf <- function(x, ...) {
  check_pcf(x)
}

#' @export
as_pcf.AsIs <- function(x, ...) {
  class(x) <- setdiff(class(x), "AsIs")
  as_pcf(x, ...)
}

#' @rdname as_pcf
#' @export
as_pcf.list <- function(x, from = NULL, ...) {
  shape <- shape_of(x)
  functions <- unclass(x)
  rest <- which(!vapply(functions, is_function, NA))
  converted <- lapply(rest, function(i) {
    one_function(.subset2(x, i), from, function_label(i, x))
  })
  unit <- elements_unit(x, rest, converted)
  functions[rest] <- lapply(converted, function(f) .subset2(in_unit(f, unit), 1))
  attributes(functions) <- shape
  check_functions(new_pcf(functions, unit))
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
#' @export
as_pcf.matrix <- function(x, times = NULL, na.rm = FALSE, ...) {
  if (is.list(x)) return(as_pcf.list(x, ...))
  if (is.null(times)) return(as_single_pcf(x))
  if (!is_number(x)) {
    abort_argument("x", "must be numeric, and is ", describe_table(x), ".")
  }
  if (!is_number(times) || length(times) != ncol(x)) {
    abort_argument(
      "times", "must have one number for each of the ", ncol(x), " columns of `x`, ",
      "and is ", describe(times), "."
    )
  }
  as_columns_pcf(t(x), times, na.rm, "times")
}

#' @rdname as_pcf
#' @export
as_pcf.data.frame <- function(x, id = "id", time = "time", value = "value",
                              sort = FALSE, times = NULL, na.rm = FALSE, ...) {
  if (!is.null(times)) return(as_pcf.matrix(as.matrix(x), times, na.rm))
  if (missing(id) && ncol(x) == 2) return(as_single_pcf(x))
  ids <- id_column(x, id)
  keys <- unique(ids)
  group <- match(ids, keys)
  times <- number_column(x, time, "time")
  unit <- unit_from(times)
  times <- as.double(times)
  values <- as.double(number_column(x, value, "value"))
  if (sort) {
    by_time <- order(times)
    group <- group[by_time]
    times <- times[by_time]
    values <- values[by_time]
  }
  group <- factor(group, seq_along(keys))
  functions <- bind_columns(split(times, group), split(values, group))
  names(functions) <- as.character(keys)
  check_functions(new_pcf(functions, unit), hint = " `sort = TRUE` sorts them.")
}

#' @rdname as_pcf
#' @export
as_pcf.stepfun <- function(x, from = NULL, ...) {
  check_functions(new_pcf(list(stepfun_function(x, from, "the function"))))
}

#' @rdname as_pcf
#' @export
as_pcf.ts <- function(x, na.rm = FALSE, ...) {
  if (!is_number(x)) abort_argument("x", "must be numeric, and is ", describe(x), ".")
  columns <- as_columns_pcf(as.matrix(x), as.double(stats::time(x)), na.rm, "x")
  new_pcf(columns, calendar_unit(stats::frequency(x)))
}

#' @rdname as_pcf
#' @export
as_pcf.survfit <- function(x, ...) {
  if (!is.numeric(x[["surv"]])) {
    abort_argument(
      "x", "has no survival curves. Curves of multi-state models cannot be converted."
    )
  }
  surv <- as.matrix(x$surv)
  strata <- if (is.null(x$strata)) nrow(surv) else x$strata
  rows <- split(seq_len(nrow(surv)), rep(factor(seq_along(strata)), strata))
  curves <- expand.grid(rows = seq_along(rows), column = seq_len(ncol(surv)))
  start <- survfit_start(x)
  functions <- .mapply(function(rows_of, column) {
    survival_function(x$time[rows[[rows_of]]], surv[rows[[rows_of]], column], start)
  }, unname(as.list(curves)), NULL)
  names(functions) <- survival_names(names(x$strata), colnames(x$surv), ncol(surv))
  check_functions(new_pcf(functions))
}

# Converts an argument with another name than x: errors about x are about it.
as_pcf_argument <- function(x, argument) {
  if (inherits(x, "pcf")) return(check_pcf(x, argument))
  tryCatch(as_pcf(x), pcfdist_error_x = function(error) {
    abort_argument(argument, sub("^`x` ", "", conditionMessage(error)))
  })
}

# Survival is 1 from the start of the fit on.
survival_function <- function(times, surv, start) {
  if (length(times) > 0 && times[1] == start) return(new_function(times, surv))
  new_function(c(start, times), c(1, surv))
}

survfit_start <- function(x) {
  start <- c(x[["start.time"]], x[["t0"]], min(0, x$time))
  start[1]
}

survival_names <- function(strata, columns, n) {
  if (n == 1) return(strata)
  if (is.null(columns)) columns <- seq_len(n)
  if (is.null(strata)) return(as.character(columns))
  as.vector(outer(strata, columns, paste, sep = ", "))
}

# Whether an element of a list already is what a pcf stores.
is_function <- function(x) {
  is.double(x) && identical(names(attributes(x)), c("dim", "dimnames")) &&
    identical(dimnames(x), function_dimnames)
}

# A collection of one function, from anything that describes exactly one.
one_function <- function(x, from, label) {
  if (inherits(x, "stepfun")) return(new_pcf(list(stepfun_function(x, from, label))))
  if (inherits(x, c("pcf", "survfit", "ts", "zoo"))) {
    x <- as_pcf(x)
    if (length(x) == 1) return(x)
    abort_argument(
      "x", "is invalid: ", label, " holds ", length(x),
      " functions. c() joins collections."
    )
  }
  two_column_function(x, label)
}

as_single_pcf <- function(x) {
  check_functions(two_column_function(x, "it"))
}

two_column_function <- function(x, label) {
  tabular <- is.matrix(x) || is.data.frame(x)
  columns <- if (tabular) time_value_columns(x)
  if (is.null(columns)) {
    hint <- if (label == "it" && is.matrix(x)) " For functions on a grid, give `times`."
    if (label == "it" && is.data.frame(x)) hint <- " Long data need the column `id`."
    abort_argument(
      "x", "is invalid: ", label, " is ", describe_table(x),
      ", and not two columns of numbers, time and value.", hint
    )
  }
  new_pcf(list(new_function(columns[[1]], columns[[2]])), unit_from(columns[[1]]))
}

# The two columns, or NULL where there are not two of numbers.
time_value_columns <- function(x) {
  wanted <- c("time", "value")
  if (!all(wanted %in% colnames(x))) {
    if (ncol(x) != 2) return(NULL)
    wanted <- 1:2
  }
  columns <- if (is.data.frame(x)) lapply(wanted, function(k) x[[k]])
             else lapply(wanted, function(k) x[, k])
  if (all(vapply(columns, is_number, NA))) columns
}

# Each column of a numeric matrix is a function with the given times.
as_columns_pcf <- function(columns, times, na.rm, times_argument) {
  functions <- lapply(seq_len(ncol(columns)), function(k) {
    f <- new_function(times, columns[, k])
    if (na.rm) f[!is.na(f[, 2]), , drop = FALSE] else f
  })
  names(functions) <- colnames(columns)
  check_functions(new_pcf(functions, unit_from(times)), c(times_argument, "x"))
}

# The values between the knots of a stepfun are those that approxfun() mixes from
# the two neighbours: f is 0 for functions continuous from the right, 1 for those
# continuous from the left.
stepfun_function <- function(x, from, label) {
  parts <- mget(c("x", "y", "yleft", "yright", "f"), envir = environment(x))
  left <- parts$y[-length(parts$y)]
  right <- parts$y[-1]
  between <- if (parts$f == 0) left else if (parts$f == 1) right
             else (1 - parts$f) * left + parts$f * right
  values <- c(between, parts$yright)
  if (is.null(from)) {
    if (!isTRUE(parts$yleft == 0)) abort_left_value(parts$yleft, label)
    return(new_function(parts$x, values))
  }
  check_start(from)
  later <- parts$x > from
  before <- c(parts$yleft, values)[findInterval(from, parts$x) + 1L]
  new_function(c(from, parts$x[later]), c(before, values[later]))
}

abort_left_value <- function(value, label) {
  abort_argument(
    "from", "is missing: ", label, " has the value ", format(value),
    " before its first knot, and needs a time to start `from`."
  )
}

id_column <- function(x, name) {
  ids <- named_column(x, name, "id")
  if (!is.atomic(ids)) {
    abort_argument("id", "must name a vector, and `x$", name, "` is ", describe(ids), ".")
  }
  if (anyNA(ids)) {
    abort_argument("x", "has a missing ", name, " in row ", which(is.na(ids))[1], ".")
  }
  ids
}

number_column <- function(x, name, argument) {
  column <- named_column(x, name, argument)
  if (is_number(column)) return(column)
  abort_argument(
    argument, "must name a numeric column, and `x$", name, "` is ", describe(column), "."
  )
}

named_column <- function(x, name, argument) {
  if (is.character(name) && length(name) == 1 && name %in% names(x)) return(x[[name]])
  abort_argument(
    argument, "must be the name of a column of `x` (",
    paste(utils::head(names(x), 10), collapse = ", "), "), and is ", describe(name), "."
  )
}
