#' Plan of a Computation, and Report of the Last One
#'
#' `pcf_plan()` tells which algorithm, called a kernel, [pdist()] or, with `y`, [cdist()] would use, and how long
#' each is expected to take. With `b` it does so for [`distance_product(x, b, y, p)`][distance_product]; with `k`
#' for [nearest_neighbors()] and with `radius` for [neighbors_within()], of the functions of `x` among each other or,
#' with `y`, among those of `y`; with `with` for [reduce_distances()], and with `tree = TRUE` for [spanning_tree()].
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
#' @param with `NULL`, or the reduction as in [reduce_distances()]; `"count"` needs `radius`.
#' @param tree If `TRUE`, the plan is that of a tree, with `k` of mutual reachability distances.
#'
#' @return `pcf_plan()`: a list of class `pcf_plan` with the elements
#' * `device`; `kernel`; `isa`, the vector instructions; `precision`; `threads`;
#' * `width`: the number of functions on each side of a tile on the CPU; 0 for `walk` and `events`, which
#'   have no tiles;
#' * `pairs`: the number of pairs;
#' * `rectangles`: the number of intervals on which both functions of a pair and the weight are constant or
#'   linear, after the first breakpoint of the pair and at most: their breakpoints, added over all pairs;
#' * `grid_points`: the number of points of the shared grid; 0 if none is worth using;
#' * `bytes`: the size of the result in memory, without names; with `radius`, an estimate from 32 functions. A
#'   matrix that is larger than the available memory raises an error before anything is computed, on systems that
#'   tell it;
#' * `expected`: the expected number of seconds for each kernel on the CPU, and for the best kernel on all
#'   GPUs. It is `Inf` if a kernel cannot be used, or if GPUs were not considered. These are times for all pairs;
#' * `cuda_problem`: why GPUs cannot be used, or `""`;
#' * `pruned`, with `k` or `radius`: `NULL` if lower bounds were not considered, or a list of `expected` and
#'   `seconds`, as below;
#' * `seconds`, with `k`, `radius`, `with` or `tree`: the expected number of seconds of the whole computation, with
#'   what bounds skip; for a tree of all its passes, which are estimated from the tree of up to 2,000 functions.
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
#' # Their minimum spanning tree
#' pcf_plan(rpcf(3000, 20), tree = TRUE)
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
                     threads = NULL, progress = NULL, k = NULL, radius = NULL, with = NULL, tree = FALSE) {
  check_one_of(b = b, k = k, radius = radius)
  tree <- check_flag(tree, "tree")
  if (tree) check_one_of(tree = tree, y = y, b = b, radius = radius, with = with)
  if (!is.null(with)) {
    check_one_of(with = with, b = b, k = k)
    with <- check_option(with, "with", reductions)
    if (with != "count") check_one_of(with = with, radius = radius)
  }
  operation <- operation_of(p, distance, !missing(p), few = tree || !is.null(c(b, k, radius, with)))
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
  if (tree) return(plan_tree(call, k, operation, request, settings))
  if (!is.null(with)) return(plan_reduction(call, with, radius, request, settings))
  if (!is.null(k)) {
    k <- check_neighbor_count(k, call)
    return(plan_selection(call, list(kind = "nearest", k = k), request, settings, 12 * length(call$x) * k))
  }
  if (!is.null(radius)) {
    within <- list(kind = "within", radius = check_radius(radius))
    return(plan_selection(call, within, request, settings, bytes_within(call, operation, settings, radius)))
  }
  report <- run_pairwise(call$x, call$y, request, settings)$report
  new_plan(c(report, bytes = 8 * report$pairs), "bytes")
}

# The plan of a selection whose result has so many bytes.
plan_selection <- function(call, selection, request, settings, bytes) {
  report <- run_selection(call$x, call$y, request, settings, selection, call$arguments, planned = TRUE)$report
  report$bytes <- bytes
  report$seconds <- seconds_of_all(report)
  if (!is.null(report$pruned)) {
    report$pruned <- report$pruned[c("expected", "seconds")]
    if (is.finite(report$pruned$seconds)) report$seconds <- report$pruned$seconds
  }
  new_plan(report, c("bytes", "pruned"[!is.null(report$pruned)], "seconds"))
}

# What all pairs take; without functions there are none.
seconds_of_all <- function(report) {
  choice <- if (report$device == "cuda") "cuda" else report$kernel
  if (choice %in% names(report$expected)) report$expected[[choice]] else 0
}

# Evaluates code that computes pairs of a sample, of which last_run() does not tell.
unreported <- function(code) {
  before <- the$last_run
  on.exit(the$last_run <- before)
  code
}

plan_reduction <- function(call, with, radius, request, settings) {
  selection <- switch(with,
    count = list(kind = "count", radius = check_radius(radius)),
    min = , which.min = list(kind = "nearest", k = 1),
    list(kind = "farthest", k = 1) # as long as sums of all
  )
  plan_selection(call, selection, request, settings, length(call$x) * if (startsWith(with, "which")) 4 else 8)
}

# The size of all lists, from those of some functions.
bytes_within <- function(call, operation, settings, radius) {
  n <- length(call$x)
  some <- unique(round(seq(1, n, length.out = min(n, 32))))
  itself <- if (is.null(call$y)) 1 else 0
  call[c("x", "y")] <- list(functions_at(call$x, some), call$y %||% call$x)
  settings["progress"] <- list(NULL)
  found <- unreported(select_pairs(call, operation, settings, list(kind = "count", radius = radius)))
  vectors <- 2 * (48 + 8) # with the lists that have them
  n * (vectors + 12 * max(0, mean(found) - itself))
}

# ---- Trees ----

# The first pass is planned as a whole. For the others, a sample tells what share of the pairs they compute, and
# how many there are.
plan_tree <- function(call, k, operation, request, settings) {
  n <- length(call$x)
  if (n < 2) abort_argument("x", "must have at least two functions, not ", n, ".")
  if (!is.null(k)) k <- check_neighbor_count(k, call)
  first <- list(kind = "nearest", k = min(n - 1, listed_others + (k %||% 0)))
  plan <- plan_selection(call, first, request, settings, 44 * n + 8 * n * !is.null(k))
  all <- seconds_of_all(plan)
  settings["progress"] <- list(NULL)
  settings[c("prune", "device")] <- c(if (plan$seconds < all) "on" else "off", "cpu")
  shares <- shares_of_passes(call, k, operation, settings, all)
  bounds <- if (plan$seconds < all) max(0, plan$seconds - plan$pruned$expected * all) else 0
  plan$seconds <- plan$seconds + sum(bounds + all * shares)
  plan
}

# Of the passes after the first.
shares_of_passes <- function(call, k, operation, settings, seconds) {
  n <- length(call$x)
  most <- min(n, 2000)
  size <- max(min(n, 500), min(most, round(n * sqrt(0.3 / seconds))))
  call$x <- functions_at(call$x, unique(round(seq(1, n, length.out = size))))
  shares <- numeric()
  select <- function(numbers, ..., label = NULL) {
    found <- select_pairs(call, operation, settings, list(kind = "nearest", label = label, ...))
    if (!is.null(label)) {
      apart <- 1 - sum(as.double(tabulate(label))^2) / length(label)^2
      skipped <- (the$last_run$pruned$pairs %||% 0) / the$last_run$pairs
      shares <<- c(shares, max(0, apart - skipped))
    }
    found
  }
  if (!is.null(k)) k <- min(k, length(call$x) - 1)
  unreported(tryCatch(grow_tree(call, k, select), pcfdist_error = function(error) NULL)) # the sample may have no tree
  shares
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
    if (!is.null(x$seconds)) paste("  expected for the whole computation:", seconds(x$seconds)),
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
