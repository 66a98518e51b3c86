#' What a computation would do, and what the last one did
#'
#' @description
#' `pcf_plan()` tells which kernel [pdist()] or, with `y`, [cdist()] would use, or with `b`
#' [`distance_product(x, b, y, p)`][distance_product], and what each kernel is expected to cost.
#' `last_run()` tells the same of the last call that computed pairs, or sums over them, with the
#' time of its phases.
#'
#' @details
#' There are six kernels:
#'
#' * `sweep`: for any functions. It goes through the breakpoints of two groups of
#'   functions in the order of time, and at each updates one function against all of the
#'   other group.
#' * `grid`: for functions that share most of their breakpoints, such as time series and
#'   Betti curves. Each is expanded to its values on all breakpoints. Of piecewise linear functions
#'   it computes L2 distances and inner products.
#' * `split`: for few, long functions. It is the sweep over parts of the window, which are
#'   computed independently and then added up.
#' * `walk`: for very few, long functions, and for [lp_distance()]. It walks along the
#'   breakpoints of a single pair, in parts. The CPU alone has it.
#' * `lookup`: for the inner products of [`l2_kernel(x, y)`][l2_kernel] where the step functions of one
#'   collection are far longer than those of the other, in double precision. It integrates the
#'   long ones once, and looks up the breakpoints of the short ones. The CPU alone has it.
#' * `events`: for sums over the pairs of many step functions, which it finds without looking at pairs;
#'   see [distance_product()]. The CPU alone has it.
#'
#' The costs are estimates from measured constants, for a call but the check of its functions. They
#' know that many threads take a moment to wake up, and share the way to memory. The kernel is
#' chosen as for two threads and for tiles of the plan's width, so that it depends on neither the
#' number of threads nor the option `pcfdist.tile`. The option `pcfdist.kernel` forces a kernel; see
#' [pcfdist_options]. All kernels give the same result up to rounding. An empty collection
#' needs none: kernel and instructions are `"none"`.
#'
#' @inheritParams l2_kernel
#' @inheritParams pdist
#' @param x A collection of functions: a [pcf] or a [plf].
#' @param y `NULL`, or a second collection.
#' @param b `NULL`, or numbers for [distance_product()].
#'
#' @return `pcf_plan()`: a list of the class `pcf_plan`: `device`, `kernel`, `isa` (the
#'   vector instructions), `precision`, `threads`, `width` (functions on a side of a
#'   tile of the CPU; 0 for `walk` and `events`, which have none), `pairs`, `rectangles` (stretches of two
#'   functions, at most), `grid_points` (0 without a shared grid that is worth using),
#'   `expected` (seconds for each kernel on the CPU, and for the best one on all GPUs; `Inf`
#'   where it cannot be used or, for GPUs, was not considered), `cuda_problem` (what was in
#'   the way of using GPUs, or `""`).
#'
#'   `last_run()`: the same with `blocks`, the number of blocks computed, `halvings`, how
#'   often blocks were cut smaller because a GPU had too little memory, `phases`, the
#'   seconds spent on checking, planning, preparing, computing and scattering, `timeline` and
#'   `pruned`; `NULL` before the first such call of a session.
#'
#'   `timeline` is `NULL` unless the option `pcfdist.timeline` was `TRUE`; then it is a data
#'   frame with a row for each block, in the order in which they were launched: `device`
#'   (the number of the thread or GPU, from 0); `row`, `column`, `rows` and `columns`, the
#'   part of the matrix; and times in seconds since the start of the run, when the block was
#'   `launched`, the device had `begun` with it, had `computed` it, and had `copied` it to
#'   the memory of the host (`NA` where a device does not know), and when writing it into
#'   the result began (`scatter_begun`) and ended (`scattered`).
#'
#'   `pruned` is `NULL` unless bounds of distances were looked at, see [nearest_neighbors()];
#'   then it is a list: the number of `pairs` that were left out and of `tiles` of which no pair
#'   remained, 0 where the plan was not to leave out any, and `expected`, the share of the work that
#'   the plan expected to remain.
#'
#' @examples
#' ragged <- pcf(list(c(0, 1), c(0, 0.3, 2)), list(c(1, 0), c(2, 1, 0)))
#' pcf_plan(ragged)
#'
#' regular <- pcf(1:50, lapply(1:200, function(i) sin(i * 1:50)))
#' pcf_plan(regular, p = 2)
#'
#' # Sums of the distances to all others, of which there need be none.
#' pcf_plan(rpcf(3000, 20), b = rep(1, 3000))
#'
#' d <- pdist(ragged)
#' last_run()$phases
#'
#' old <- options(pcfdist.timeline = TRUE)
#' d <- pdist(regular, to = 50)
#' head(last_run()$timeline)
#' options(old)
#' @export
pcf_plan <- function(x, y = NULL, p = 1, from = -Inf, to = Inf,
                     missing = c("error", "overlap", "mean"), weight = NULL, distance = "lp",
                     margin = NULL, b = NULL, device = NULL, precision = NULL, threads = NULL,
                     progress = NULL) {
  operation <- operation_of(p, distance, !missing(p))
  call <- check_integrals(
    x, y, from, to, missing, weight, margin = margin, operation = operation
  )
  settings <- run_settings(device, precision, threads, progress)
  if (!is.null(b)) {
    check_summed_power(p)
    sums <- new_sums("power", if (p == 2) 2 else 1, b = check_columns(b, call))
    return(new_plan(plan_sums(call, operation$name, operation$exponent, settings, sums)))
  }
  mode <- if (is.null(y)) "below" else "full"
  request <- request_for(call, operation, "none", mode)
  new_plan(run_pairwise(call$x, call$y, request, settings)$report)
}

#' @rdname pcf_plan
#' @export
last_run <- function() {
  if (is.null(the$last_run)) return(NULL)
  run <- the$last_run
  if (!is.null(run$timeline)) run$timeline <- as.data.frame(run$timeline)
  run["pruned"] <- list(run$pruned)
  new_plan(run, c("blocks", "halvings", "phases", "timeline", "pruned"))
}

new_plan <- function(report, more = character()) {
  fields <- c("device", "kernel", "isa", "precision", "threads", "width", "pairs",
              "rectangles", "grid_points", "expected", "cuda_problem")
  structure(report[c(fields, more)], class = "pcf_plan")
}

#' @export
format.pcf_plan <- function(x, ...) {
  seconds <- function(s) ifelse(s < Inf, paste(format_short(s), "s"), "not possible")
  seldom <- names(x$expected) %in% c("lookup", "events", "cuda") & names(x$expected) != x$device
  shown <- !seldom | x$expected < Inf
  choice <- if (x$device == "cuda") "cuda" else x$kernel
  chosen <- ifelse(names(x$expected) == choice, "  <- chosen", "")
  c(
    sprintf("%s on %s, %d thread%s, %s, %s precision", x$kernel, x$device, x$threads,
            if (x$threads == 1) "" else "s", x$isa, x$precision),
    sprintf("  %s pairs, %s rectangles%s", format_short(x$pairs),
            format_short(x$rectangles),
            if (x$grid_points > 0) sprintf(", shared grid of %.0f points", x$grid_points)
            else ", no shared grid"),
    "  expected:",
    sprintf("    %-6s %s%s", names(x$expected), seconds(x$expected), chosen)[shown],
    if (nzchar(x$cuda_problem)) paste("  no GPU was used:", x$cuda_problem),
    if (isTRUE(x$pruned$pairs > 0)) sprintf(
      "  left out: %s pairs, with %s whole tiles", format_short(x$pruned$pairs),
      format_short(x$pruned$tiles)
    ),
    if (isTRUE(x$halvings > 0)) sprintf(
      "  blocks cut smaller %.0f time%s, for want of device memory", x$halvings,
      if (x$halvings == 1) "" else "s"
    ),
    if (!is.null(x$phases)) c(
      "  took:", sprintf("    %-8s %s s", names(x$phases), format_short(x$phases))
    )
  )
}

format_short <- function(x) vapply(signif(x, 2), format, "")

#' @export
print.pcf_plan <- function(x, ...) {
  writeLines(format(x))
  invisible(x)
}
