#' Confidence bands of survival curves and of mean functions
#'
#' `confidence_bands()` computes the confidence limits of the survival curves, cumulative hazards or mean cumulative
#' functions in a fit of the package survival; or of the mean function of a collection, of that of each group in it, or
#' of the differences between groups. [plot_bands()] and `plot()` draw them; `plot_bands(fit)` takes a `survfit`
#' directly.
#'
#' **Pointwise** limits (`"pointwise"`) have the stated level at each single time; the whole curve leaves
#' them somewhere more often. **Simultaneous** bands (`"simultaneous"`) cover the whole curve in the
#' window with probability `level`. Use these for statements about the whole curve, such as that it
#' exceeds a value throughout, or about its shape.
#'
#' **Survival curves.** Pointwise limits are those of the fit, with its `conf.int` and
#' `conf.type`. With `what = "cumhaz"`, the curves are cumulative hazards, or the mean cumulative functions of events
#' that can happen again, and their limits are computed from their own standard errors, as by
#' `plot(fit, cumhaz = TRUE)`: see `conf.type`. Simultaneous bands are the equal precision bands of Nair (1984): the
#' same limits with a larger quantile \eqn{c}, which solves \eqn{4 \phi(c) / c + \phi(c) (c - 1 / c) \log(v_2 / v_1)
#' = \alpha}{4 dnorm(c) / c + dnorm(c) (c - 1 / c) log(v2 / v1) = 1 - level} (Miller and Siegmund
#' 1982), where \eqn{v_1} and \eqn{v_2} are Greenwood's variances of the logarithm of the curve at
#' the beginning and the end of the window. The narrower the window, the narrower the band. The band
#' begins at the first event, or at `from` if that is later, and ends at the last time at which the curve
#' is positive, or at `to` if that is earlier; elsewhere the limits are `NA`. Borgan and Liestøl (1990)
#' found that bands with `conf.type = "log-log"` or `"arcsin"` keep the level with as few as 25 patients,
#' and recommend these.
#'
#' **Means.** The mean and its standard error at each time are those of the functions observed there,
#' which are assumed to be independent. Pointwise limits are \eqn{m \pm t s}{m +- t s} with a quantile
#' \eqn{t} of Student's t distribution. Simultaneous bands use instead a quantile of the largest deviation,
#' \eqn{\sup_t |m^*(t) - m(t)| / s(t)}{sup |m* - m| / s}, of `n` bootstrap means with normal multipliers
#' (Degras 2011). Each deviation is divided by the square root of a chi-squared variable over its degrees
#' of freedom, which widens the bands for few functions. They are computed at all breakpoints in the
#' window, in a time proportional to `n`, the number of functions and the number of their distinct
#' breakpoints. Use [set.seed()] to make them reproducible. With few functions the coverage is slightly too
#' low: in simulations of random walks with 40 steps, 95% bands (`n = 399`) covered the mean in 92% of
#' samples of 10 walks, and in 94% of samples of 30.
#'
#' **Differences.** With a `reference`, the bands are those of the mean of each other group minus the mean of the
#' reference. The squares of the standard errors of both add up. Pointwise limits have Welch's degrees of freedom
#' at each time, as in [stats::t.test()], and simultaneous bands the least of them; multipliers are drawn for the
#' functions of both groups. Where lines are not at a breakpoint, pointwise limits of differences are interpolated.
#'
#' Where only a few functions are still observed, their largest deviations, divided by a standard error from few
#' values, would rule the quantile of the whole band: it would be several times as wide everywhere. Simultaneous
#' bands therefore end where fewer than `min_observed` functions are left, while the centre goes on.
#'
#' For piecewise linear functions the limits are exact on both sides of each breakpoint and straight
#' in between, where they are never narrower than the exact limits.
#'
#' @inheritParams plot_bands
#' @param x A [`survfit`][survival::survfit] object, or a [pcf] or [plf] with at least two functions. For `[` and
#'   `as.data.frame()`, the value of `confidence_bands()`.
#' @param type `"pointwise"` or `"simultaneous"`; see Details.
#' @param from,to The window: numbers, or times of the [time_unit()]. Outside it the limits and, for
#'   collections of functions, the centre are `NA`; those of measurements that end at `to` have values there. For a
#'   `survfit` only simultaneous bands have one. At a finite end, a survival curve must be observed, and so must all
#'   functions of a mean unless `na.rm = TRUE`.
#' @param level The confidence level, at least 0.5 and less than 1. For a `survfit` the default is the
#'   level of the fit; pointwise limits of survival cannot have another.
#' @param what `"surv"`: survival curves, or probabilities of states. `"cumhaz"`: cumulative hazards, or mean cumulative
#'   functions, which have pointwise limits only.
#' @param conf.type For `what = "cumhaz"`: `"plain"`, for a normal distribution of the estimate, with lower limits of at
#'   least 0; or `"log"`, for one of its logarithm. Other limits have the `conf.type` of the fit.
#' @param min_at_risk The least number at risk where there are curves and limits, as in [as_pcf()][as_pcf.survfit].
#' @param n The number of bootstrap means.
#' @param na.rm If `TRUE`, the mean at each time is that of the functions observed there; if `FALSE`,
#'   there is none where some function is not observed.
#' @param min_observed With `na.rm = TRUE`: the number of functions of a group that must be observed where there are
#'   limits. The default is 2 for pointwise limits and, for simultaneous bands, half of the functions of the group
#'   and at least 5, or all if these are fewer.
#' @param reference `NULL`, or the group of `by` that is subtracted from each of the others, its name or number; see
#'   Details.
#' @param row.names,optional As in [as.data.frame.pcf()]; `optional` is not used.
#' @param ... For `[`: numbers, names or logical values that select curves; an array of curves may have a subscript for
#'   each dimension. Otherwise not used.
#'
#' @return A list of class `pcf_bands`: the collections `center`, `lower` and `upper`, each with one
#'   function for each curve or group; `type`; and `level`. For simultaneous bands also `quantile`: the
#'   distance of the limits from the centre in standard errors. For means, but not for their differences, also
#'   `observed`: a matrix with a row for each group of the `fewest` and the `most` functions that are observed where
#'   there are limits. `print()` shows both.
#'
#'   `x[i]` has the selected curves with all that belongs to them. `as.data.frame()` has a row for each time at which a
#'   curve or one of its limits has a breakpoint, with the columns `id`, `time`, `center`, `lower` and `upper`, and for
#'   piecewise linear functions the left limits `center_left`, `lower_left` and `upper_left`.
#'
#' @section Errors:
#' Invalid arguments raise errors of class `pcfdist_error_<argument>`. There are no simultaneous bands
#' for fits with several states, of Cox models, or with other lower limits than `conf.lower = "usual"`, and no
#' limits for a fit with `conf.type = "none"`.
#'
#' @references
#' Nair, V. N. (1984). Confidence bands for survival functions with censored data: a comparative
#' study. *Technometrics* 26, 265-275. \doi{10.1080/00401706.1984.10487964}
#'
#' Miller, R. and Siegmund, D. (1982). Maximally selected chi square statistics. *Biometrics* 38,
#' 1011-1016.
#'
#' Borgan, Ø. and Liestøl, K. (1990). A note on confidence intervals and bands for the survival
#' function based on transformations. *Scandinavian Journal of Statistics* 17, 35-41.
#'
#' Degras, D. A. (2011). Simultaneous confidence bands for nonparametric regression with functional
#' data. *Statistica Sinica* 21, 1735-1765.
#'
#' @seealso [plot_bands()], also for quantile bands; [as_pcf.survfit()] for the limits alone; [crossing_time()]
#'   for medians
#'
#' @examples
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   fit <- survival::survfit(survival::Surv(time, status) ~ sex, survival::lung)
#'   plot_bands(fit, xlab = "days", ylab = "share alive")
#'   confidence_bands(fit, "simultaneous", from = 30, to = 730)
#'
#'   # Infections of patients, with limits of their mean number
#'   times <- survival::Surv(tstart, tstop, status) ~ treat
#'   infections <- survival::survfit(times, survival::cgd, id = id)
#'   plot_bands(confidence_bands(infections, what = "cumhaz", min_at_risk = 10), ylab = "infections")
#' }
#'
#' # Mean weights on four diets, at each time of the chicks that were still weighed
#' chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#' diet <- ChickWeight$Diet[match(names(chicks), ChickWeight$Chick)]
#' set.seed(1)
#' bands <- confidence_bands(chicks, "simultaneous", by = paste("diet", diet), na.rm = TRUE)
#' plot_bands(bands, xlab = "days", ylab = "weight (g)")
#' bands$quantile
#' bands[1:2]
#' head(as.data.frame(bands))
#'
#' # Differences of the mean weights from those on the first diet
#' confidence_bands(chicks, by = diet, na.rm = TRUE, reference = "1")
#' @export
confidence_bands <- function(x, type = c("pointwise", "simultaneous"), ...) {
  check_given(x, "x", "a <pcf> or a <survfit>")
  UseMethod("confidence_bands")
}

#' @rdname confidence_bands
#' @export
confidence_bands.default <- function(x, type = c("pointwise", "simultaneous"), ...) {
  abort_argument("x", "must be a <pcf> or a <survfit>, not ", describe(x), ".")
}

new_bands <- function(center, lower, upper, type, level, quantile = NULL, observed = NULL) {
  bands <- list(center = center, lower = lower, upper = upper, type = type, level = level)
  bands$quantile <- quantile
  bands$observed <- observed
  structure(bands, class = "pcf_bands")
}

#' @rdname confidence_bands
#' @export
`[.pcf_bands` <- function(x, ...) {
  if (nargs() == 2 && ...length() == 1) check_names_of_curves(x, ...)
  center <- x$center[...]
  k <- as.vector(shaped_as(seq_along(x$center), x$center)[...])
  new_bands(center, x$lower[...], x$upper[...], x$type, x$level, x$quantile[k], x$observed[k, , drop = FALSE])
}

check_names_of_curves <- function(x, i) {
  if (missing(i) || !is.character(i) || length(i) == 0) return()
  if (any(i %in% names(x$center)) || !all(i %in% names(x))) return()
  abort(
    "subscript", "The subscript selects curves, and none is named ", dQuote(i[1], FALSE), ". x$", i[1],
    " is the part of that name."
  )
}

#' @rdname confidence_bands
#' @export
as.data.frame.pcf_bands <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_more(list(...))
  curves <- lapply(seq_along(x$center), function(k) {
    curve <- parts_of_curve(x, k)
    times <- all_times(curve)
    values <- function(side) t(evaluate_functions(curve, times, list(dim = c(3, length(times))), 1L, side = side))
    list(id = rep(k, length(times)), time = times, right = values("right"), left = if (is_plf(curve)) values("left"))
  })
  column <- function(name) unlist(lapply(curves, `[[`, name))
  both <- do.call(rbind, lapply(curves, function(curve) cbind(curve$right, curve$left)))
  colnames(both) <- c(band_parts, paste0(band_parts, "_left"))[seq_len(ncol(both))]
  id <- column("id")
  labels <- function_labels(x$center)
  if (!is.null(labels)) id <- labels[id]
  data.frame(id = id, time = as_times(column("time"), unit_of(x$center)), both, row.names = row.names)
}

band_parts <- c("center", "lower", "upper")

# A collection of the three functions of a curve.
parts_of_curve <- function(bands, k) {
  do.call(c, lapply(unname(unclass(bands)[band_parts]), function(part) unname(part)[k]))
}

#' @export
print.pcf_bands <- function(x, ...) {
  cat(
    "<pcf_bands> ", number(100 * x$level), "%, ", x$type, ", of ", length(x$center),
    if (length(x$center) == 1) " curve" else " curves", "\n", sep = ""
  )
  writeLines(describe_limits(x))
  shown <- lapply(unclass(x)[band_parts], shown_of, 5)
  # One scale for all, so that each limit is on its side of the centre.
  pictures <- sparklines(do.call(c, lapply(unname(shown), function(part) part[seq_along(part)])))
  n <- length(shown$center)
  for (k in seq_along(shown)) {
    cat("$", band_parts[k], "\n", sep = "")
    print_functions(x[[band_parts[k]]], shown[[k]], pictures[(k - 1) * n + seq_len(n)])
  }
  invisible(x)
}

# A line for each of the first curves: its quantile, and of how many functions it is the mean.
describe_limits <- function(x) {
  k <- seq_len(min(5, length(x$center)))
  counts <- if (!is.null(x$observed)) apply(x$observed[k, , drop = FALSE], 1, function(range) {
    if (anyNA(range)) "no limits"
    else paste("means of", paste(unique(range), collapse = " to "), "functions")
  })
  widths <- if (!is.null(x$quantile)) paste("limits at", numbers(signif(x$quantile[k], 3)), "standard errors")
  parts <- list(widths, counts)
  parts <- parts[lengths(parts) > 0]
  if (length(parts) == 0 || length(k) == 0) return(character())
  labels <- if (length(x$center) > 1) paste0(encodeString(function_labels(x$center)[k] %||% k, width = NA), "  ")
  paste0("  ", labels, do.call(paste, c(parts, sep = ", ")))
}

check_level <- function(level) {
  level <- check_number(level, "level")
  if (level >= 0.5 && level < 1) return(level)
  abort_argument("level", "must be at least 0.5 and less than 1, not ", exact_text(level), ".")
}

# ---- Survival curves ----

#' @rdname confidence_bands
#' @export
confidence_bands.survfit <- function(x, type = c("pointwise", "simultaneous"), from = -Inf,
                                     to = Inf, level = x$conf.int, what = c("surv", "cumhaz"),
                                     conf.type = c("plain", "log"), min_at_risk = 1, ...) {
  check_no_more(list(...))
  type <- check_option(type, "type", c("pointwise", "simultaneous"))
  what <- check_option(what, "what", c("surv", "cumhaz"))
  if (what == "surv" && !missing(conf.type)) {
    abort_argument("conf.type", "applies only to `what = \"cumhaz\"`; for survival, survfit(conf.type = ) sets it.")
  }
  conf.type <- check_option(conf.type, "conf.type", c("plain", "log"))
  min_at_risk <- check_count(min_at_risk, "min_at_risk", least = 0)
  window <- check_window(from, to, NULL, empty = FALSE)
  if (type == "simultaneous") {
    if (what == "cumhaz") abort_argument("type", "must be \"pointwise\" for cumulative hazards.")
    return(equal_precision(x, window, check_level(level), min_at_risk))
  }
  if (from > -Inf || to < Inf) {
    abort_argument("from", "and `to` apply only to simultaneous bands.")
  }
  if (what == "cumhaz") return(hazard_bands(x, check_level(level %||% 0.95), conf.type, min_at_risk))
  if (is.null(x$lower)) {
    abort_argument(
      "x", "has no confidence limits: survfit() computes none with `se.fit = FALSE` or ",
      '`conf.type = "none"`.'
    )
  }
  if (!identical(level, x$conf.int)) {
    abort_argument("level", "must be that of the fit, ", x$conf.int, ", which survfit(conf.int = ) sets.")
  }
  curves <- lapply(c("surv", "lower", "upper"), function(part) as_pcf(x, part, min_at_risk = min_at_risk))
  new_bands(curves[[1]], curves[[2]], curves[[3]], type, level)
}

# Limits of cumulative hazards, from their standard errors. Before the first event both are 0, as the hazard is.
hazard_bands <- function(x, level, conf_type, min_at_risk) {
  if (is.null(x$cumhaz) || is.null(x$std.chaz)) {
    abort_argument(
      "x", "has no standard errors of the cumulative hazard, `x$std.chaz`: survfit() computes none with ",
      "`se.fit = FALSE`, and old versions none for several states."
    )
  }
  width <- stats::qnorm((1 + level) / 2) * x$std.chaz
  limit <- function(sign) {
    values <- if (conf_type == "plain") base::pmax(x$cumhaz + sign * width, 0)
              else ifelse(x$cumhaz > 0, x$cumhaz * exp(sign * width / x$cumhaz), 0)
    as_pcf(replace(x, "cumhaz", list(values)), "cumhaz", min_at_risk = min_at_risk)
  }
  new_bands(as_pcf(x, "cumhaz", min_at_risk = min_at_risk), limit(-1), limit(1), "pointwise", level)
}

equal_precision <- function(x, window, level, min_at_risk) {
  check_greenwood(x)
  center <- as_pcf(x, min_at_risk = min_at_risk)
  window <- window_of_all(list(center), window)$window
  found <- unobserved_end(center, window)
  if (!is.null(found)) {
    end <- if (found$at_end) "to" else "from"
    abort(end, describe_unobserved_end(found, center, window, window), ".", argument = end)
  }
  rows <- survfit_rows(x)
  bands <- lapply(rows, function(row) {
    # The standard error of the logarithm of the curve.
    error <- if (isFALSE(x$logse)) x$std.err[row] / x$surv[row] else x$std.err[row]
    enough <- min_at_risk <= 1 | x$n.risk[row] >= min_at_risk
    band <- precise_rows(x$time[row], x$surv[row], error, window, level, enough)
    c(band, band_limits(x$surv[row], error, band$quantile, x$conf.type))
  })
  limit <- function(name) {
    functions <- Map(function(row, band) {
      values <- replace(band[[name]], !band$inside, NA)
      survival_function(x$time[row], values, survfit_start(x), has_start(x), NA, NA)
    }, rows, bands)
    names(functions) <- names(x$strata)
    limit <- within_window(like(center, functions), window)
    if (min_at_risk > 1) limit + (center - center) else limit # it ends where the curve does
  }
  quantiles <- stats::setNames(vapply(bands, `[[`, 0, "quantile"), names(x$strata))
  new_bands(center, limit("lower"), limit("upper"), "simultaneous", level, quantiles)
}

check_greenwood <- function(x) {
  if (is.null(x[["surv"]]) || inherits(x, "survfitcox") || is.matrix(x$surv)) {
    abort_argument("x", "must be a Kaplan-Meier fit for simultaneous bands.")
  }
  if (is.null(x$std.err)) {
    abort_argument("x", "has no standard errors. survfit(se.fit = TRUE) computes them.")
  }
  if (!is.null(x$conf.lower)) {
    abort_argument(
      "x", "has `conf.lower` ", dQuote(x$conf.lower, FALSE), ", but simultaneous bands need \"usual\", which ",
      "survfit(conf.lower = ) sets."
    )
  }
  type <- x$conf.type %||% "none"
  if (type %in% limit_types) return()
  abort_argument(
    "x", "has `conf.type` ", dQuote(type, FALSE), ", but simultaneous bands need one of ",
    quoted(limit_types), ", which survfit(conf.type = ) sets."
  )
}

limit_types <- c("log", "log-log", "plain", "logit", "arcsin")

# The rows in which a curve has a band, and its quantile. The band begins with the last row up to
# the start of the window, or the first with an event.
precise_rows <- function(time, surv, error, window, level, enough) {
  start <- max(time[time <= window$from], -Inf)
  inside <- enough & is.finite(error) & error > 0 & surv > 0 & time >= start & time < window$to
  if (!any(inside)) return(list(inside = inside, quantile = NA_real_))
  list(inside = inside, quantile = supremum_quantile(range(error[inside]^2), 1 - level))
}

# The bound that a Brownian motion, divided by its standard deviation, exceeds between two variances with
# the probability `alpha` (Miller and Siegmund 1982).
supremum_quantile <- function(variances, alpha) {
  ratio <- log(variances[2] / variances[1])
  beyond <- function(c) 4 * stats::dnorm(c) / c + stats::dnorm(c) * (c - 1 / c) * ratio - alpha
  root <- stats::uniroot(beyond, c(1, 40), tol = 1e-10)$root
  max(root, stats::qnorm(1 - alpha / 2))
}

# The limits as survfit() computes them, from the standard error of the logarithm.
band_limits <- function(surv, error, quantile, type) {
  log_surv <- log(surv)
  limit <- function(shift) {
    switch(type,
      log = exp(log_surv + shift),
      plain = surv + shift * surv,
      "log-log" = exp(-exp(log(-log_surv) + shift / log_surv)),
      logit = stats::plogis(stats::qlogis(surv) + shift / (1 - surv)),
      arcsin = sin(base::pmin(pi / 2, base::pmax(0, asin(sqrt(surv)) + shift / 2 * sqrt(surv / (1 - surv)))))^2
    )
  }
  list(lower = base::pmax(limit(-quantile * error), 0), upper = base::pmin(limit(quantile * error), 1))
}

# ---- Means ----

#' @rdname confidence_bands
#' @export
confidence_bands.pcf <- function(x, type = c("pointwise", "simultaneous"), from = -Inf,
                                 to = Inf, level = 0.95, by = NULL, n = 999, na.rm = FALSE,
                                 min_observed = NULL, reference = NULL, ...) {
  check_no_more(list(...))
  type <- check_option(type, "type", c("pointwise", "simultaneous"))
  x <- check_functions(check_either(x))
  window <- check_window(from, to, unit_of(x), empty = FALSE)
  level <- check_level(level)
  n <- check_count(n, "n", least = 19, most = 1e6)
  na.rm <- check_flag(na.rm, "na.rm")
  if (!na.rm) window <- window_of_all(list(x), window)$window
  found <- if (!na.rm) unobserved_end(x, window)
  if (!is.null(found)) abort(
    "na.rm", argument = "na.rm", index = found$`function`,
    describe_unobserved_end(found, x, window, window),
    ", or `na.rm = TRUE` for the means of the others."
  )
  groups <- check_group_sizes(functions_of_groups(x, by))
  least <- least_observed(min_observed, lengths(groups), type)
  settings <- list(type, closed_window(x, window), level, n, na.rm)
  bands <- if (is.null(reference)) Map(band_of_mean, groups, least, MoreArgs = settings)
           else bands_of_differences(groups, check_reference(reference, names(groups), "groups"), least, settings)
  parts <- parts_of_groups(bands)
  quantiles <- if (type == "simultaneous") vapply(bands, `[[`, 0, "quantile")
  observed <- do.call(rbind, lapply(bands, `[[`, "observed"))
  new_bands(parts$center, parts$lower, parts$upper, type, level, quantiles, observed)
}

# The number of functions of each group, of which there are `sizes`, that must be observed where it has limits.
least_observed <- function(min_observed, sizes, type) {
  if (is.null(min_observed)) {
    return(if (type == "simultaneous") base::pmin(sizes, base::pmax(5, ceiling(sizes / 2))) else rep(2, length(sizes)))
  }
  least <- check_count(min_observed, "min_observed", least = 2)
  few <- which(sizes < least)[1]
  if (is.na(few)) return(rep(least, length(sizes)))
  abort_argument(
    "min_observed", "must be at most the number of functions", if (length(sizes) > 1) " of each group", ", ",
    sizes[few], if (length(sizes) > 1) paste0(" in ", dQuote(names(sizes)[few], FALSE)), ", not ", number(least), "."
  )
}

check_group_sizes <- function(groups) {
  alone <- which(lengths(groups) < 2)
  if (length(groups) > 0 && length(alone) == 0) return(groups)
  several <- length(groups) > 1
  abort_argument(
    if (several) "by" else "x", "must have at least two functions",
    if (several) paste0(" in each group, but has one in ", dQuote(names(alone)[1], FALSE)), "."
  )
}

# ---- Groups ----

# The collections of the functions of each group, a list. A single group has no name.
functions_of_groups <- function(x, by) {
  by <- if (is.null(by)) rep(1, length(x)) else check_groups(by, x)
  groups <- split(x, by, drop = TRUE)
  if (length(groups) == 1) unname(groups) else groups
}

# From a list of functions for each group, the collection of each kind for all groups.
parts_of_groups <- function(groups) {
  lapply(c(center = "center", lower = "lower", upper = "upper"), function(part) {
    functions <- do.call(c, lapply(unname(groups), function(group) unname(group[[part]])))
    names(functions) <- names(groups)
    functions
  })
}
