# Curves of the package survival.

#' @rdname as_pcf
#' @order 7
#' @export
as_pcf.survfit <- function(x, what = c("surv", "cumhaz", "lower", "upper"),
                           after = c("NA", "hold", "zero"), ...) {
  check_unused(list(...), "a survfit")
  what <- check_option(what, "what", c("surv", "cumhaz", "lower", "upper"))
  after <- check_after(after)
  read_parts(x, "survfit", survfit_pcf(x, what, after))
}

survfit_pcf <- function(x, what, after) {
  estimates <- if (is.null(x[["pstate"]])) survival_estimates(x, what)
               else state_estimates(x, what)
  rows <- survfit_rows(x)
  columns <- ncol(estimates$values)
  curves <- expand.grid(rows = seq_along(rows), column = seq_len(columns))
  start <- survfit_start(x)
  functions <- .mapply(function(rows_of, column) {
    row <- rows[[rows_of]]
    first <- estimates$first[min(rows_of, nrow(estimates$first)), column]
    values <- estimates$values[row, column]
    ends <- !(what == "surv" && is.null(x[["pstate"]]) && identical(values[length(values)], 0))
    survival_function(x$time[row], values, start, has_start(x), first, if (ends) after)
  }, unname(as.list(curves)), NULL)
  names(functions) <- survival_names(names(x$strata), estimates$names, columns)
  name <- if (what == "cumhaz") "cumulative hazard" else if (is.null(x[["pstate"]])) "survival" else "probability"
  check_functions(new_pcf(functions, name = name))
}

# The times of each curve.
survfit_rows <- function(x) {
  count <- x$strata %||% length(x$time)
  split(seq_along(x$time), rep(factor(seq_along(count)), count))
}

# The estimates of a fit with a single event: `values`, a matrix with a row for each time and a column
# for each curve; their `names`; and the `first` values, those at the start.
survival_estimates <- function(x, what) {
  values <- survfit_part(x, what)
  # Some types of limits are undefined before the first death.
  if (what %in% c("lower", "upper")) values[is.na(values) & as.vector(x$surv == 1)] <- 1
  list(
    values = values, names = colnames(x$surv),
    first = matrix(if (what == "cumhaz") 0 else 1, 1, ncol(values))
  )
}

# The same for several states. There may be a column for each row of `newdata` and for each state or,
# for hazards, each transition.
state_estimates <- function(x, what) {
  part <- if (what == "surv") "pstate" else what
  shape <- dim(x[[part]])
  values <- survfit_part(x, part)
  last <- if (what == "cumhaz") colnames(x$cumhaz) else x$states
  if (is.null(last)) last <- seq_len(shape[length(shape)])
  repeats <- if (length(shape) == 3) shape[2] else 1
  first <- matrix(0, 1, length(last))
  if (what != "cumhaz") first <- matrix(x$p0, ncol = length(last))
  list(
    values = values,
    names = survival_names(if (repeats > 1) seq_len(repeats), last, length(last)),
    first = first[, rep(seq_along(last), each = repeats), drop = FALSE]
  )
}

# A matrix with a row for each time. Missing limits may be NA or NaN; here they become NA.
survfit_part <- function(x, part) {
  values <- x[[part]]
  if (!is.numeric(values)) {
    if (part == "surv") abort_argument("x", "has no survival curves.")
    abort_argument("what", "is ", dQuote(part, FALSE), ", but the fit has no such part.")
  }
  if (length(values) == 0 || length(values) %% length(x$time) != 0) {
    abort_argument("x", "is not a valid <survfit>: its curves do not have a value at each time.")
  }
  values <- matrix(as.double(values), length(x$time))
  if (part %in% c("lower", "upper")) values[is.na(values)] <- NA
  values
}

# A curve goes from the start of the fit to the last follow-up. If that was `given`, as by survfit(start.time =),
# the curve is unknown before. It still has a value at the last follow-up, so it
# ends at the next larger number. `after` is NULL for a curve that is to hold its last value, such as
# one that has reached 0.
survival_function <- function(times, values, start, given, first, after) {
  if (length(times) == 0 || times[1] != start) {
    times <- c(start, times)
    values <- c(first, values)
  }
  if (given) {
    times <- c(-Inf, times)
    values <- c(NA, values)
  }
  end_function(new_function(times, values), next_time(times[length(times)]), after)
}

has_start <- function(x) !is.null(x[["start.time"]])

survfit_start <- function(x) {
  c(x[["start.time"]], x[["t0"]], min(0, x$time))[1]
}

survival_names <- function(strata, columns, n) {
  if (is.null(columns)) {
    if (n == 1) return(strata)
    columns <- seq_len(n)
  }
  if (is.null(strata)) return(as.character(columns))
  as.vector(outer(strata, columns, paste, sep = ", "))
}
