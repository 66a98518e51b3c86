#' Restricted mean survival time
#'
#' The mean survival time up to a time `to`, which is the area below a Kaplan-Meier curve, for each stratum of a fit of
#' the package survival, with its standard error and confidence limits; or the differences between strata.
#'
#' The mean is \eqn{\int_0^{to} S(t) dt}{the integral of S from 0 to `to`}, as by [integral()], plus the start of the
#' fit if that is not 0. Its variance is \eqn{\sum_i A_i^2 d_i / (n_i (n_i - d_i))}{sum(A^2 * d / (n * (n - d)))}, where
#' \eqn{d_i} of the \eqn{n_i} at risk have the event at the time \eqn{t_i}, and \eqn{A_i} is the area from \eqn{t_i}
#' to `to`. Both are those that `print(fit, rmean = to)` shows. Limits are the mean plus and minus a quantile of
#' the normal distribution times the standard error. The strata are independent, so variances add up for differences;
#' limits and p-values of these are those of the package survRM2 (without covariates).
#'
#' @param x A [`survfit`][survival::survfit] of Kaplan-Meier curves.
#' @param to The end of the window, a number. Each curve must be observed up to it, or have reached 0.
#' @param level The confidence level, at least 0.5 and less than 1; by default that of the fit.
#' @param reference `NULL`, or the stratum that is subtracted from each of the others: its name or number.
#'
#' @return A data frame with a row for each stratum, which is its name, and the columns `estimate`, `std.error`,
#'   `lower` and `upper`. With a `reference`, a row for each of the other strata, and also the column `p.value`, of the
#'   two-sided test that the difference is 0.
#'
#' @section Errors:
#' Invalid arguments raise errors of class `pcfdist_error_<argument>`. There are no standard errors for fits of Cox
#' models or with several states, nor for those with weights or clusters, whose own standard errors are not
#' Greenwood's.
#'
#' @references
#' Royston, P. and Parmar, M. K. B. (2013). Restricted mean survival time: an alternative to the hazard ratio for the
#' design and analysis of randomized trials with a time-to-event outcome. *BMC Medical Research Methodology* 13, 152.
#' \doi{10.1186/1471-2288-13-152}
#'
#' @seealso [integral()] for means without errors, also of other curves; [pdist()] for the area between curves;
#'   [permutation_test()]
#'
#' @examples
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
#'   restricted_mean(fit, to = 730)
#'   restricted_mean(fit, to = 730, reference = "sex=1")
#' }
#' @export
restricted_mean <- function(x, to, level = x$conf.int, reference = NULL) {
  check_kind(inherits(x, "survfit"), x, "x", "a <survfit>")
  read_parts(x, "survfit", check_kaplan_meier(x))
  check_given(to, "to", "the time at which the mean is restricted")
  to <- check_restriction(to, x)
  level <- check_level(level %||% 0.95)
  reference <- if (!is.null(reference)) check_reference(reference, names(x$strata), "strata")
  means <- vapply(survfit_rows(x), function(row) mean_up_to(to, x, row), c(estimate = 0, variance = 0))
  colnames(means) <- names(x$strata)
  if (is.null(reference)) return(with_limits(means["estimate", ], means["variance", ], level, names(x$strata)))
  others <- means[, -reference, drop = FALSE]
  labels <- paste(names(x$strata)[-reference], "-", names(x$strata)[reference])
  difference <- others["estimate", ] - means["estimate", reference]
  result <- with_limits(difference, others["variance", ] + means["variance", reference], level, labels)
  cbind(result, p.value = 2 * stats::pnorm(-abs(result$estimate / result$std.error)))
}

# The area below a curve, and Greenwood's variance of it: whoever has the event at a time adds to that of the area from
# there on. Nothing is left to vary where all have it.
mean_up_to <- function(to, x, row) {
  row <- row[x$time[row] <= to]
  start <- survfit_start(x)
  areas <- diff(c(start, x$time[row], to)) * c(1, x$surv[row])
  after <- rev(cumsum(rev(areas)))[-1]
  c(estimate = sum(areas) + start, variance = sum(after^2 * greenwood_steps(x$n.risk[row], x$n.event[row])))
}

greenwood_steps <- function(at_risk, events) {
  ifelse(at_risk == events, 0, events / (at_risk * (at_risk - events)))
}

with_limits <- function(estimate, variance, level, labels) {
  error <- sqrt(unname(variance))
  width <- stats::qnorm((1 + level) / 2) * error
  estimate <- unname(estimate)
  data.frame(
    estimate = estimate, std.error = error, lower = estimate - width, upper = estimate + width, row.names = labels
  )
}

# ---- Arguments ----

check_kaplan_meier <- function(x) {
  if (!is.null(x[["pstate"]])) abort_argument(
    "x", "must be a Kaplan-Meier fit, but has several states. integral(as_pcf(x)) has the mean times in them."
  )
  if (is.null(x[["surv"]]) || inherits(x, "survfitcox") || is.matrix(x$surv)) {
    abort_argument("x", "must be a Kaplan-Meier fit. For other curves, integral(as_pcf(x)) has the means alone.")
  }
  if (is.null(x$std.err)) {
    abort_argument("x", "has no standard errors. survfit(se.fit = TRUE) computes them.")
  }
  for (row in survfit_rows(x)) {
    error <- if (isFALSE(x$logse)) x$std.err[row] / x$surv[row] else x$std.err[row]
    greenwood <- sqrt(cumsum(greenwood_steps(x$n.risk[row], x$n.event[row])))
    same <- abs(error - greenwood) <= 1e-8 * greenwood | x$surv[row] == 0
    if (!isTRUE(all(same))) abort_argument(
      "x", "must have Greenwood's standard errors, but has others, as fits with weights, clusters or `stype = 2` do. ",
      "integral(as_pcf(x)) has the means alone."
    )
  }
  TRUE
}

check_restriction <- function(to, x) {
  to <- check_number(to, "to")
  start <- survfit_start(x)
  check_is(is.finite(to) && to > start, to, "to", "must be finite and later than ", number(start), ", not ")
  last <- vapply(survfit_rows(x), function(row) {
    end <- row[length(row)]
    if (x$surv[end] == 0) Inf else x$time[end]
  }, 0)
  short <- which(last < to)[1]
  if (is.na(short)) return(to)
  abort_argument(
    "to", "must be at most ", number(min(last)), ", the last follow-up",
    if (!is.null(x$strata)) paste0(" in ", dQuote(names(x$strata)[which.min(last)], FALSE)), ", not ", number(to), "."
  )
}
