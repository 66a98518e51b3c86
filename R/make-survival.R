# Curves of the package survival.

#' Convert survival curves and cumulative incidences
#'
#' Converts the curves of the packages survival, cmprsk and prodlim to a [pcf]: survival curves, cumulative hazards,
#' probabilities of states, cumulative incidences, their confidence limits, and numbers at risk.
#'
#' @param x The value of [survival::survfit()], of `cmprsk::cuminc()`, or of `prodlim::prodlim()` for survival or
#'   competing risks.
#' @param what The part of the fit to use.
#'
#'   For a `survfit`: `"surv"`, the survival probability or, with several states, the probability of being in each;
#'   `"cumhaz"`, the cumulative hazard; `"lower"` or `"upper"`, the confidence limits of the probability (for those of
#'   the hazard see [confidence_bands()]); `"n.risk"`, the number at risk; `"cum.event"` or `"cum.censor"`, the number
#'   of events or of censored times so far.
#'
#'   For a `cuminc`: `"est"`, the estimates, or `"var"`, their variances.
#'
#'   For a `prodlim`: `"surv"` (without competing risks the default) or `"cuminc"` (with them), their confidence
#'   limits `"lower"` or `"upper"`, or `"n.risk"`.
#' @param after The value from the end of a function on: `"NA"` (not observed), `"hold"` (the last
#'   value) or `"zero"`.
#' @param min_at_risk A whole number: functions are not observed where fewer are at risk, of all states together. They
#'   end after the last time at which as many are at risk, which includes the step of an event there.
#' @param ... Not used. Arguments that do not apply to the class of `x` raise an error.
#'
#' @details
#' **Curves** start at time 0, or at the fit's `start.time`, with the value 1 (cumulative
#' hazards with 0, states with their initial probability). If no start is given and some times are
#' negative, the curves start at the smallest time, as in `survival::survfit0()`. A step at the start
#' itself, such as that of an event at time 0, is part of the first value. Curves are 0 before the start,
#' or not observed if `start.time` was given. Times without a change, such as censoring times, are kept.
#' Missing limits become "not observed", except that both limits of a probability are its value at the start, such as 1
#' for survival, as long as it has this value.
#'
#' A curve is observed up to and including the last event or censoring time of its stratum. To include
#' this time, and the step of an event there, it ends at the next larger floating-point number, shown by
#' [format()][format.pcf] as "9+". This does not change integrals, and a window that ends at the last
#' time is observed throughout. [shift_time()] and [time_unit()] keep the two times adjacent. A
#' Kaplan-Meier curve that reaches 0 does not end, but stays 0.
#'
#' **Numbers at risk** are right-continuous, as all step functions here: from a time of the fit on, those who leave
#' then are gone. The number at risk just before a time, which tables of numbers at risk and
#' `summary(fit, times = )` show, is the limit from the left, `evaluate(x, times, side = "left")`. The integral of the
#' number at risk is the time that all spent under observation. When all have left, the number stays 0. A fit with late
#' entry has the numbers just before its times, and no times of entry (but see `entry` in new versions of
#' [survival::survfit()]): whoever enters between two of its times counts from the first of them on.
#'
#' **A cuminc** has both ends of each step, in `time` and `est`: the function has the second from the time of the step
#' on, and is not a slanted line. It begins at time 0 with 0, and ends with the follow-up of its group.
#'
#' @return A [pcf]. A fit with a single kind of curve has a function for each stratum, named by it. With several states
#'   (or transitions, or causes), or rows of `newdata`, there is an array with these dimensions: strata, rows of
#'   `newdata`, states. A dimension that the fit does not have is left out, and functions along a single dimension
#'   have its names. A `cuminc` has the names that cmprsk gave: the group and the cause.
#'
#' @section Errors:
#' An object without the parts that are needed raises an error of the class `pcfdist_error_x`, or `pcfdist_error_what`
#' if the fit does not have this part.
#'
#' @seealso [confidence_bands()] for curves with their limits, [restricted_mean()], [add_at_risk()] for the numbers at
#'   risk below a plot, [as_pcf()] for other objects
#'
#' @examples
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
#'   as_pcf(fit)
#'   as_pcf(fit, min_at_risk = 10)
#'
#'   # The time at risk of each group, in years
#'   integral(as_pcf(fit, what = "n.risk")) / 365.25
#'
#'   # States of several strata
#'   leukaemia <- survival::survfit(
#'     survival::Surv(time, factor(status, 0:1, c("censored", "death"))) ~ x, survival::aml
#'   )
#'   as_pcf(leukaemia)[, "death"]
#' }
#'
#' # Cumulative incidences of relapse and of death in two groups
#' if (requireNamespace("cmprsk", quietly = TRUE)) {
#'   weeks <- c(3, 5, 5, 8, 9, 11, 12, 14)
#'   what <- c("relapse", "none", "death", "relapse", "none", "relapse", "death", "none")
#'   incidence <- cmprsk::cuminc(weeks, what, rep(c("A", "B"), 4), cencode = "none")
#'   as_pcf(incidence)
#' }
#' @order 1
#' @export
as_pcf.survfit <- function(x, what = c("surv", "cumhaz", "lower", "upper", "n.risk", "cum.event", "cum.censor"),
                           after = c("NA", "hold", "zero"), min_at_risk = 1, ...) {
  check_unused(list(...), "a survfit")
  what <- check_option(what, "what", c("surv", "cumhaz", "lower", "upper", "n.risk", "cum.event", "cum.censor"))
  after <- check_after(after)
  min_at_risk <- check_count(min_at_risk, "min_at_risk", least = 0)
  read_parts(x, "survfit", survfit_pcf(x, what, after, min_at_risk))
}

survfit_pcf <- function(x, what, after, min_at_risk) {
  estimates <- if (what %in% names(count_names)) survfit_counts(x, what)
               else if (is.null(x[["pstate"]])) survival_estimates(x, what)
               else state_estimates(x, what)
  enough <- if (min_at_risk > 1) at_risk_in_all(x, "min_at_risk") >= min_at_risk
  curves <- survival_functions(x, estimates, after, enough)
  name <- if (what %in% names(count_names)) count_names[[what]]
          else if (what == "cumhaz") "cumulative hazard"
          else if (is.null(x[["pstate"]])) "survival" else "probability"
  check_functions(new_pcf(curves, name = name))
}

count_names <- c(n.risk = "number at risk", cum.event = "events", cum.censor = "censored")

# The functions of `estimates`, an array of strata and their columns. `enough` tells at which times of the fit enough
# are at risk, if that is asked.
survival_functions <- function(x, estimates, after, enough = NULL) {
  rows <- survfit_rows(x)
  start <- survfit_start(x)
  curves <- expand.grid(stratum = seq_along(rows), column = seq_len(ncol(estimates$values)))
  functions <- .mapply(function(stratum, column) {
    row <- rows[[stratum]]
    shown <- if (is.null(enough)) row else row[seq_len(max(which(enough[row]), 0))]
    if (length(shown) == 0 && length(row) > 0) return(new_function(-Inf, NA))
    first <- estimates$first[min(stratum, nrow(estimates$first)), column]
    values <- estimates$values[shown, column]
    ends <- !(isTRUE(estimates$ends_at_0) && identical(values[length(values)], 0))
    f <- survival_function(x$time[shown], values, start, has_start(x), first, if (ends) after)
    if (all(enough[shown])) f else without_few(f, x$time[shown], enough[shown])
  }, unname(as.list(curves)), NULL)
  with_strata(functions, names(x$strata), estimates$dimensions)
}

# A function without the values where not enough are at risk, which is known of each of its `times`. Whoever enters at
# risk before a time does so after the time before it.
without_few <- function(f, times, enough) {
  change <- which(diff(enough) != 0)
  gaps <- level_function(c(-Inf, next_time(times[change])), ifelse(enough[c(1, change + 1)], 0, NA))
  unclass(new_pcf(list(f)) + new_pcf(list(gaps)))[[1]]
}

# The number at risk in all states together, at each time. A fit of which some states were selected does not have it,
# nor the hazards.
at_risk_in_all <- function(x, argument = "x") {
  if (!is.null(x[["pstate"]]) && is.null(x[["cumhaz"]])) abort_argument(
    argument, if (argument != "x") "needs a fit with all its states, but `x` ",
    "has only some of the states, and those at risk in others are not known. Select the states afterwards."
  )
  rowSums(survfit_part(x, "n.risk"))
}

# An array of strata and of the `dimensions` of which there is more than one, or names along a single one.
with_strata <- function(functions, strata, dimensions) {
  labels <- c(if (!is.null(strata)) list(strata), dimensions)
  if (length(labels) == 1) return(stats::setNames(functions, labels[[1]]))
  if (length(labels) == 0) return(functions)
  array(functions, lengths(labels), unname(labels))
}

# The times of each curve.
survfit_rows <- function(x) {
  count <- x$strata %||% length(x$time)
  split(seq_along(x$time), rep(factor(seq_along(count)), count))
}

# The estimates of a fit with a single event: `values`, a matrix with a row for each time and a column for each curve
# of a stratum; the names of the columns, a list of `dimensions`; the `first` values, those at the start; and whether
# curves that have come to 0 stay there.
survival_estimates <- function(x, what) {
  values <- survfit_part(x, what)
  # Some types of limits are undefined before the first death.
  if (what %in% c("lower", "upper")) values[is.na(values) & as.vector(x$surv == 1)] <- 1
  list(
    values = values, first = matrix(if (what == "cumhaz") 0 else 1, 1, ncol(values)),
    dimensions = if (is.matrix(x$surv)) list(colnames(x$surv) %||% seq_len(ncol(values))),
    ends_at_0 = what == "surv"
  )
}

# The same for several states. There may be a column for each row of `newdata` and for each state or,
# for hazards, each transition.
state_estimates <- function(x, what) {
  part <- if (what == "surv") "pstate" else what
  shape <- dim(x[[part]])
  values <- survfit_part(x, part)
  last <- if (what == "cumhaz") colnames_of_last(x$cumhaz) else x$states
  if (is.null(last)) last <- seq_len(shape[length(shape)])
  repeats <- if (length(shape) == 3) shape[2] else 1
  first <- matrix(0, 1, length(last))
  if (what != "cumhaz") first <- matrix(x$p0, ncol = length(last))
  first <- first[, rep(seq_along(last), each = repeats), drop = FALSE]
  if (what %in% c("lower", "upper")) values <- with_first_limits(values, first, survfit_part(x, "pstate"), x)
  list(
    values = values, first = first,
    dimensions = c(if (repeats > 1) list(seq_len(repeats)), list(last))
  )
}

# As long as a probability is that at the start, so are its limits, of which some types are undefined.
with_first_limits <- function(limits, first, probabilities, x) {
  stratum <- rep(seq_along(survfit_rows(x)), lengths(survfit_rows(x)))
  start <- first[base::pmin(stratum, nrow(first)), , drop = FALSE]
  same <- is.na(limits) & probabilities == start
  limits[same] <- start[same]
  limits
}

colnames_of_last <- function(x) dimnames(x)[[length(dim(x))]]

# The same for numbers of subjects, in which the rows of `newdata` do not differ.
survfit_counts <- function(x, what) {
  values <- survfit_part(x, if (what == "n.risk") what else sub("cum", "n", what, fixed = TRUE))
  rows <- survfit_rows(x)
  counts <- if (what == "n.risk") counts_at_risk(x, values, rows)
            else list(values = cumulated(values, rows), first = matrix(0, 1, ncol(values)))
  several <- !is.null(x[["pstate"]]) && (what != "cum.censor" || is.matrix(x$n.censor))
  c(counts, list(dimensions = if (several) list(x$states), ends_at_0 = what == "n.risk"))
}

# The number at risk after each time is that just before the next one. After the last time it is what is left, and not
# known of a state, unless nobody is left.
counts_at_risk <- function(x, risk, rows) {
  first <- vapply(rows, `[`, 0L, 1)
  last <- vapply(rows, function(row) row[length(row)], 0L)
  after <- rbind(risk, 0)[-1, , drop = FALSE]
  all <- rowSums(risk[last, , drop = FALSE])
  gone <- rowSums(survfit_part(x, "n.event"))[last] + rowSums(survfit_part(x, "n.censor"))[last]
  left <- all - gone
  left[abs(left) <= 1e-9 * all] <- 0
  after[last, ] <- if (is.null(x[["pstate"]])) left else ifelse(left == 0, 0, NA)
  list(values = after, first = risk[first, , drop = FALSE])
}

cumulated <- function(values, rows) {
  for (row in rows) values[row, ] <- apply(values[row, , drop = FALSE], 2, cumsum)
  values
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

# Was a start asked for? Kaplan-Meier curves of survival 3.6 and later have it only in their call.
has_start <- function(x) !is.null(x[["start.time"]]) || "start.time" %in% names(x[["call"]])

survfit_start <- function(x) {
  c(x[["start.time"]], x[["t0"]], min(0, x$time))[1]
}
