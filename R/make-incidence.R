# Curves of the packages cmprsk and prodlim.

#' @rdname as_pcf.survfit
#' @order 2
#' @export
as_pcf.cuminc <- function(x, what = c("est", "var"), after = c("NA", "hold", "zero"), ...) {
  check_unused(list(...), "a cuminc")
  what <- check_option(what, "what", c("est", "var"))
  after <- check_after(after)
  curves <- if (is.list(x)) unclass(x)[setdiff(names(x), "Tests")]
  if (length(curves) == 0) abort_argument("x", "is not a valid <cuminc>: it has no curves.")
  functions <- lapply(seq_along(curves), function(k) incidence_function(curves[[k]], what, after, k, curves))
  names(functions) <- names(curves)
  check_functions(new_pcf(functions, name = if (what == "est") "probability"))
}

# A step has two rows with its time, of which the second has its upper end.
incidence_function <- function(curve, what, after, k, curves) {
  valid <- is.list(curve) && are_columns(list(curve[["time"]], curve[[what]]))
  if (!valid || !isFALSE(is.unsorted(curve$time))) abort_argument(
    "x", "is not a valid <cuminc>: ", function_label(k, curves, "curve"), " has no increasing `time` with `", what, "`."
  )
  last <- !duplicated(curve$time, fromLast = TRUE)
  survival_function(curve$time[last], curve[[what]][last], min(0, curve$time), FALSE, 0, after)
}

#' @rdname as_pcf.survfit
#' @order 3
#' @export
as_pcf.prodlim <- function(x, what = NULL, after = c("NA", "hold", "zero"), min_at_risk = 1, ...) {
  check_unused(list(...), "a prodlim")
  model <- if (is.list(x)) x$model
  competing <- identical(model, "competing.risks")
  if (!competing && !identical(model, "survival")) abort_argument(
    "x", "must be a <prodlim> for survival or competing risks, not with the model ", describe(model), "."
  )
  choices <- c(if (competing) "cuminc", "surv", "lower", "upper", "n.risk")
  what <- if (is.null(what)) choices[1] else check_choice(what, "what", choices)
  after <- check_after(after)
  min_at_risk <- check_count(min_at_risk, "min_at_risk", least = 0)
  read_parts(x, "prodlim", {
    states <- competing && what %in% c("cuminc", "lower", "upper")
    survfit_pcf(as_survfit(x, states), if (what == "cuminc") "surv" else what, after, min_at_risk)
  })
}

# The parts that a survfit would have, for the causes as its `states` if they are asked for. With clusters, numbers of
# these are further columns.
as_survfit <- function(x, states) {
  labels <- if (!is.null(x$X)) stratum_labels(x$X)
  count <- function(numbers) as.matrix(numbers)[, 1]
  fit <- list(
    time = x$time, strata = if (!is.null(labels)) stats::setNames(x$size.strata, labels), n.risk = count(x$n.risk),
    n.event = if (is.list(x$n.event)) Reduce(`+`, x$n.event) else count(x$n.event), n.censor = count(x$n.lost)
  )
  if (!states) return(c(fit, x[c("surv", "lower", "upper")]))
  columns <- lapply(c(pstate = "cuminc", lower = "lower", upper = "upper"), function(part) do.call(cbind, x[[part]]))
  causes <- names(x$cuminc)
  c(fit, columns, list(states = causes, p0 = matrix(0, 1, length(causes)), cumhaz = x$cause.hazard))
}

# As those of survfit(), such as "sex=1, ph.ecog=0".
stratum_labels <- function(frame) {
  parts <- Map(function(name, column) paste0(name, "=", text_of(column)), names(frame), frame)
  do.call(paste, c(unname(parts), sep = ", "))
}
