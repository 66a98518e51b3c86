#' Plan of a Computation, and Report of the Last One
#'
#' `pcf_plan()` tells which algorithm, called a kernel, [pdist()] or, with `y`, [cdist()] would use, and how long
#' each is expected to take. With `b` it does so for [`distance_product(x, b, y, p)`][distance_product]; with `k`
#' for [nearest_neighbors()] and with `radius` for [neighbors_within()], of the functions of `x` among each other or,
#' with `y`, among those of `y`.
#' `last_run()` returns the same for the last call that computed pairs, or sums over pairs, together with
#' the duration of its phases.
#'
#' There are six kernels:
#'
#' * `sweep`: for any functions. It passes through the breakpoints of two groups of functions in the order
#'   of time. At each of them it updates one function against all functions of the other group.
#' * `grid`: for functions that share most of their breakpoints, such as time series and Betti curves.
#'   Each function is expanded to its values at all breakpoints. For piecewise linear functions it computes
#'   L2 distances and inner products only.
#' * `split`: for few, long functions. It is the sweep over parts of the window, which are computed
#'   independently and added.
#' * `walk`: for very few, long functions, and for [lp_distance()]. It walks along the breakpoints of a
#'   single pair, in parts. Only on the CPU.
#' * `lookup`: for inner products of step functions, [`l2_kernel(x, y)`][l2_kernel], in double precision,
#'   if those of one collection are much longer than those of the other. It integrates the long functions
#'   once, and looks up the breakpoints of the short ones. Only on the CPU.
#' * `events`: for sums over the pairs of many functions, which it computes without looking at single
#'   pairs; see [distance_product()]. Only on the CPU.
#'
#' The expected times are estimates from measured constants, and do not include checks of the functions,
#' nor the lengths of overlaps that `missing = "mean"` and `min_overlap` need.
#' They take into account that many threads take some time to start and share the bandwidth of the memory.
#' The kernel is chosen as if there were two threads and tiles of the default width, so that it depends
#' neither on the number of threads nor on the option `pcfdist.tile`. The option `pcfdist.kernel` selects a
#' kernel; see [pcfdist_options]. All kernels give the same result up to rounding. For an empty collection,
#' `kernel` and `isa` are `"none"`.
#'
#' @inheritParams l2_kernel
#' @inheritParams pdist
#' @param b `NULL`, or a numeric vector or matrix as in [distance_product()].
#' @param k,radius `NULL`, or a number as in [nearest_neighbors()] or [neighbors_within()]. At most one of `b`, `k`
#'   and `radius` may be given.
#'
#' @return `pcf_plan()`: a list of class `pcf_plan` with the elements
#' * `device`; `kernel`; `isa`, the vector instructions; `precision`; `threads`;
#' * `width`: the number of functions on each side of a tile on the CPU; 0 for `walk` and `events`, which
#'   have no tiles;
#' * `pairs`: the number of pairs;
#' * `rectangles`: the number of intervals on which both functions of a pair and the weight are constant or
#'   linear, after the first breakpoint of the pair and at most: their breakpoints, added over all pairs;
#' * `grid_points`: the number of points of the shared grid; 0 if none is worth using;
#' * `bytes`: the size of the result of [pdist()], [cdist()] or [nearest_neighbors()] in memory, without names. A
#'   matrix that is larger than the available memory raises an error before anything is computed, on systems that
#'   tell it;
#' * `expected`: the expected number of seconds for each kernel on the CPU, and for the best kernel on all
#'   GPUs. It is `Inf` if a kernel cannot be used, or if GPUs were not considered. These are times for all pairs;
#' * `cuda_problem`: why GPUs cannot be used, or `""`;
#' * `pruned`, with `k` or `radius`: `NULL` if lower bounds were not considered, or a list of `expected` and
#'   `seconds`, as below.
#'
#' `last_run()`: `NULL` before the first call of a session; otherwise a list with the same elements, but for
#' `bytes`, and
#' * `blocks`: the number of blocks computed;
#' * `halvings`: how often blocks were made smaller because a GPU had too little memory;
#' * `phases`: the number of seconds spent on checking, planning, preparing, computing and scattering;
#' * `timeline`: `NULL` or, if the option `pcfdist.timeline` was `TRUE`, a data frame with a row for each
#'   block, in the order in which they were launched. Its columns are `device`, the number of the thread or
#'   GPU, from 0; `row`, `column`, `rows` and `columns`, the part of the matrix; and times in seconds since
#'   the start of the run: when the block was `launched`, when the device had `begun`, `computed` and
#'   `copied` it to the memory of the host (`NA` if a device does not record them), and when writing it to
#'   the result began (`scatter_begun`) and ended (`scattered`);
#' * `pruned`: `NULL` if lower bounds of distances were not considered, see [nearest_neighbors()];
#'   otherwise a list of the number of `pairs` that were skipped, the number of `tiles` in which all pairs
#'   were skipped (both 0 if the bounds were not expected to save time), `expected`, the proportion of the work
#'   that was expected to remain, and `seconds`, how long it was expected to take (`NaN` if the bounds were not
#'   expected to save time). Both are estimated from a sample of the functions.
#'
#' After a call with [`jobs`][pcfdist_jobs], `blocks`, `halvings` and `phases` are sums over all jobs,
#' `timeline` and `pruned` are `NULL`, and all else is that of the first job.
#'
#' @examples
#' ragged <- pcf(list(c(0, 1), c(0, 0.3, 2)), list(c(1, 0), c(2, 1, 0)))
#' pcf_plan(ragged)
#'
#' regular <- pcf(1:50, lapply(1:200, function(i) sin(i * 1:50)))
#' pcf_plan(regular, p = 2)
#'
#' # The ten nearest neighbours of each
#' pcf_plan(rpcf(3000, 20), k = 10)
#'
#' # Sums of the distances to all other functions, which are computed without pairs
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
                     margin = NULL, min_overlap = NULL, b = NULL, device = NULL, precision = NULL,
                     threads = NULL, progress = NULL, k = NULL, radius = NULL) {
  check_one_of(b = b, k = k, radius = radius)
  operation <- operation_of(p, distance, !missing(p), few = !is.null(c(b, k, radius)))
  call <- check_integrals(x, y, from, to, missing, weight, margin, operation, precision = precision,
                          min_overlap = min_overlap)
  settings <- run_settings(device, precision, threads, progress)
  if (!is.null(b)) {
    check_summed_power(p)
    sums <- new_sums("power", if (p == 2) 2 else 1, b = check_columns(b, call))
    return(new_plan(plan_sums(call, operation$name, operation$exponent, settings, sums)))
  }
  mode <- if (is.null(y)) "below" else "full"
  request <- request_for(call, operation, "none", mode)
  if (!is.null(c(k, radius))) return(plan_neighbors(call, k, radius, request, settings))
  report <- run_pairwise(call$x, call$y, request, settings)$report
  new_plan(c(report, bytes = 8 * report$pairs), "bytes")
}

# The plan of nearest_neighbors() or, with a radius, of neighbors_within().
plan_neighbors <- function(call, k, radius, request, settings) {
  selection <- if (is.null(k)) list(kind = "within", radius = check_radius(radius))
               else list(kind = "nearest", k = check_neighbor_count(k, call))
  report <- run_selection(call$x, call$y, request, settings, selection, call$arguments, planned = TRUE)$report
  report$bytes <- if (!is.null(k)) 12 * length(call$x) * selection$k
  if (!is.null(report$pruned)) report$pruned <- report$pruned[c("expected", "seconds")]
  new_plan(report, c("bytes"[!is.null(k)], "pruned"[!is.null(report$pruned)]))
}

# An error if more than one argument is given.
check_one_of <- function(...) {
  given <- names(list(...))[!vapply(list(...), is.null, NA)]
  if (length(given) > 1) abort_argument(given[2], "must not be given together with `", given[1], "`.")
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
            plural(x$threads), x$isa, x$precision),
    sprintf("  %s pair%s with %s breakpoints%s", format_short(x$pairs), plural(x$pairs),
            format_short(x$rectangles),
            if (x$grid_points > 0) sprintf(", shared grid of %.0f points", x$grid_points)
            else ", no shared grid"),
    if (!is.null(x$bytes)) paste("  size of the result:", text_of_bytes(x$bytes)),
    "  expected:",
    sprintf("    %-6s %s%s", names(x$expected), seconds(x$expected), chosen)[shown],
    if (nzchar(x$cuda_problem)) paste("  no GPU was used:", x$cuda_problem),
    if (isTRUE(x$pruned$seconds < Inf) && is.null(x$phases)) sprintf(
      "  with lower bounds, which leave %s %% of the pairs: %s", format_short(100 * x$pruned$expected),
      seconds(x$pruned$seconds)
    ),
    if (isTRUE(x$pruned$pairs > 0)) sprintf(
      "  skipped: %s pairs, including %s whole tiles", format_short(x$pruned$pairs),
      format_short(x$pruned$tiles)
    ),
    if (isTRUE(x$halvings > 0)) sprintf(
      "  blocks made smaller %.0f time%s, to fit into device memory", x$halvings,
      plural(x$halvings)
    ),
    if (!is.null(x$phases)) c(
      "  took:", sprintf("    %-8s %s s", names(x$phases), format_short(x$phases))
    )
  )
}

text_of_bytes <- function(bytes) {
  unit <- sum(bytes >= 1000^(1:4))
  paste(number(signif(bytes / 1000^unit, 4)), c("bytes", "kB", "MB", "GB", "TB")[unit + 1])
}

#' @export
print.pcf_plan <- function(x, ...) {
  writeLines(format(x))
  invisible(x)
}
