#' Find Nearest Neighbours, or All Within a Radius
#'
#' @description
#' `nearest_neighbors()` finds the `k` nearest other functions of each function, and
#' `neighbors_within()` all others within a radius, by the distances of [pdist()]. With `query`, both
#' search `x` for the neighbours of each function of `query`.
#'
#' The result is what [pdist()] and `order()` would give, but the matrix of distances is never stored:
#' for 500,000 functions it would have 250 billion elements.
#'
#' @details
#' Neighbours are sorted by distance; ties are broken by the smaller index. A function is not its own
#' neighbour, but a duplicate of it is one, at distance 0. A function of `query` that also is in `x`
#' finds itself. The result does not depend on the number of threads or GPUs.
#'
#' If the window has no end, functions whose last values differ are at distance `Inf`. They are
#' neighbours like any others, sorted after those at finite distances.
#'
#' If functions have missing values, pairs that are not observed at a common time in the
#' window have no distance and are not neighbours. An error is raised if a function has fewer than `k`
#' others at a known distance. With `min_overlap`, pairs that share less time are no neighbours either.
#'
#' Results have classes of the package dbscan. They can be passed to its `sNN()`, `jpclust()`,
#' `sNNclust()`, `kNNdist()`, `comps()` and `adjacencylist()`, and those of `neighbors_within()` to
#' `dbscan()`. (`hdbscan()` needs all distances.) `Rtsne::Rtsne_neighbors()` takes the elements `id`
#' and `dist`. [as_uwot()] and [as_knn_graph()] convert results for UMAP and to graphs.
#'
#' @section Cost:
#' The time is at most that of [pdist()] or, with `query`, [cdist()]; it grows with the square of
#' the number of functions. Memory is needed for the functions, for the result, and for blocks of the
#' matrix, whose size does not grow with it. The result of `nearest_neighbors()` takes `12 * k` bytes
#' for each function, that of `neighbors_within()` 12 bytes for each neighbour. If all functions lie
#' within the radius, there are as many neighbours as pairs: use `count = TRUE` first. [pcf_plan()] with `k` or
#' `radius` estimates the time.
#'
#' Pairs that cannot be neighbours are skipped if this saves time. The mean of a
#' difference over an interval is no larger than the mean of its absolute value, so the means of each
#' function over 64 intervals give a lower bound of each distance, which takes 64 steps however many
#' breakpoints the functions have. Functions with similar means are processed together. If neighbours
#' are much closer than most other functions, as for distribution functions, profiles or curves in
#' groups, only a small share of the pairs remains to be computed, and it shrinks as the number of
#' functions grows. For noise all pairs remain; a sample shows this in advance, and the bounds are then
#' not computed. The result is the same to the last bit. The bounds need 600 bytes for each function,
#' and a copy of the functions. They do not exist for functions with missing values, for a [plf], for
#' `missing = "mean"`, and for `distance = "relative"`: all pairs are then computed. On a GPU they are
#' for L1 and L2 distances, and pairs are skipped in tiles of 32 by 32 functions; `device = "auto"`
#' chooses by the expected times without bounds, and the device that is chosen then uses them. The
#' element `pruned` of [last_run()] tells what was skipped, and the option `pcfdist.prune` turns it off; see
#' [pcfdist_options].
#'
#' @section Long runs:
#' With `file = "near"`, what was found is written to the file `near.part` every 20 seconds, or as often as the option
#' `pcfdist.save_every` says, but so that this takes no more than a twentieth of the time. The same call, in any
#' session, then goes on from there. When it is complete, the file is renamed to `near`, and the same call reads it at
#' once, with a [message()]. The result is identical to that of a call without `file`. For each neighbour the file takes
#' 16 bytes, and twice that for a moment.
#'
#' An error of class `pcfdist_error_file` is raised, and nothing is changed, if the file has the results of another
#' call, which the message compares with this one, if another call is using it, or if a file of one of the names
#' `near`, `near.part`, `near.new` and `near.lock` was not made by such a call. The first call chooses the device, the
#' kernel and the vector instructions. Files are checked by XXH64 checksums. They contain text and numbers, never code.
#'
#' @inheritParams pdist
#' @param x A collection of functions: a [pcf] or [plf].
#' @param k The number of neighbours: a whole number, at most the number of other functions or, with
#'   `query`, of functions of `x`.
#' @param query `NULL`, or a [pcf] or [plf]: the functions whose neighbours in `x` are found.
#' @param update `NULL`, or the result of the same call for the first functions of `x`, in `nearest_neighbors()` with at
#'   least `k` neighbours of each. Only the distances of the other functions are computed: for `n` old and `m` new
#'   ones, those of `m * (2 * n + m)` pairs, by the kernel of the whole collection. The result is that of a whole
#'   call, in double precision to the last bit if the kernel of the earlier call was the same, as it usually is for
#'   hundreds of functions and more; see [pcf_plan()] and, to choose it, [pcfdist_options]. In single precision, and
#'   with several components, new functions with larger times or values may change the last digits. An error is raised
#'   if the nearest neighbour of an old function is no longer at its distance.
#' @param file `NULL`, or the name of a file in which the neighbours found so far are kept while the call lasts, so
#'   that the same call goes on after it was interrupted or killed; see "Long runs".
#' @param radius The radius: a number in the unit of the distances, see [pdist()]. Functions at exactly
#'   this distance are included.
#' @param count If `TRUE`, the neighbours are only counted.
#'
#' @return
#' `nearest_neighbors()`: a list of class `c("kNN", "NN")` with the elements
#' * `dist`: a numeric matrix with a row for each function of `x` or `query` and `k` columns, the
#'   distances in increasing order;
#' * `id`: an integer matrix of the same shape, the indices of the neighbours in `x`;
#' * `k`; `sort`, always `TRUE`; `metric` and, for distances with an exponent, `p`, which are the
#'   attributes `method` and `p` of [pdist()];
#' * `searched`, only with `query`: the number of functions of `x`.
#'
#' The rows are named after the functions; for an array of functions the dimnames are pasted together,
#' as in "a, b".
#'
#' `neighbors_within()`: a list of class `c("frNN", "NN")` with the same elements, except that `dist`
#' and `id` are lists with a vector for each function, and that `eps`, the radius, takes the place of
#' `k`. With `count = TRUE`, a numeric vector or array with the number of neighbours of each function,
#' which has the names and dimensions of the functions.
#'
#' @section Windows, missing values and components:
#' What the help page of [pdist()] says about *Partially observed functions*, *Weights*, *Piecewise linear functions*,
#' *Functions with several components*, *Precision*, *Errors* and *Infinite results* holds here, too.
#'
#' @references
#' Hahsler, M., Piekenbrock, M. and Doran, D. (2019). dbscan: Fast density-based clustering with R.
#' *Journal of Statistical Software* 91(1). \doi{10.18637/jss.v091.i01}
#'
#' @seealso [reduce_distances()] for one number per function, [distance_product()] for sums of
#'   distances, [pdist()] for all distances
#'
#' @examples
#' set.seed(1)
#' x <- c(rpcf(20, kind = "sine"), rpcf(20, kind = "cosine"))
#' kind <- rep(c("sine", "cosine"), each = 20)
#'
#' near <- nearest_neighbors(x, 3, to = 1)
#' near$id[1:2, ]
#'
#' # Classify unknown functions by majority vote among their five nearest neighbours
#' unknown <- c(rpcf(2, kind = "cosine"), rpcf(1, kind = "sine"))
#' near <- nearest_neighbors(x, 5, unknown, to = 1)
#' votes <- matrix(kind[near$id], nrow(near$id))
#' apply(votes, 1, function(votes) names(which.max(table(votes))))
#'
#' # Functions that come later
#' more <- c(x, rpcf(5, kind = "sine"))
#' near <- nearest_neighbors(x, 3, to = 1)
#' later <- nearest_neighbors(more, 3, to = 1, update = near)
#'
#' # How many others are within a distance of 0.2?
#' neighbors_within(x, 0.2, to = 1, count = TRUE)[1:5]
#'
#' # Clusters of any shape; functions in none are in cluster 0
#' if (requireNamespace("dbscan", quietly = TRUE)) {
#'   within <- neighbors_within(x, 0.2, to = 1)
#'   table(dbscan::dbscan(within, minPts = 4)$cluster, kind)
#' }
#' @export
nearest_neighbors <- function(x, k, query = NULL, p = 1, from = -Inf, to = Inf,
                              missing = c("error", "overlap", "mean"), weight = NULL,
                              distance = "lp", margin = NULL, min_overlap = NULL, device = NULL,
                              precision = NULL, threads = NULL, progress = NULL, file = NULL, jobs = NULL,
                              update = NULL) {
  operation <- operation_of(p, distance, !missing(p), few = TRUE)
  call <- check_query(x, query, from, to, missing, weight, margin, operation, precision, min_overlap)
  k <- check_neighbor_count(k, call)
  update <- check_update(update, call, operation, "nearest_neighbors", "kNN")
  file <- check_kept(file, jobs = jobs, update = update)
  settings <- settings_of_call(device, precision, threads, progress, jobs)
  found <- if (!is.null(update)) update_nearest(update, k, call, operation, settings)
           else select_kept(file, call, operation, settings, list(kind = "nearest", k = k))
  check_enough(found$id, call)
  warn_infinite(found$distance, "nearest distance", call[c("x", "y")], call$window)
  labels <- list(function_labels(call$x), as.character(seq_len(k)))
  neighbors(lapply(found, `dimnames<-`, labels), operation, call, "kNN", k = as.integer(k))
}

#' @rdname nearest_neighbors
#' @export
neighbors_within <- function(x, radius, query = NULL, p = 1, from = -Inf, to = Inf,
                             missing = c("error", "overlap", "mean"), weight = NULL,
                             distance = "lp", margin = NULL, min_overlap = NULL, count = FALSE,
                             device = NULL, precision = NULL, threads = NULL, progress = NULL, file = NULL,
                             jobs = NULL, update = NULL) {
  operation <- operation_of(p, distance, !missing(p), few = TRUE)
  call <- check_query(x, query, from, to, missing, weight, margin, operation, precision, min_overlap)
  radius <- check_radius(radius)
  count <- check_flag(count, "count")
  eps <- if (is.list(update)) update[["eps"]]
  update <- check_update(update, call, operation, "neighbors_within", "frNN")
  if (count && !is.null(update)) abort_argument("update", "must not be given together with `count`.")
  file <- check_kept(file, jobs = jobs, count = count, update = update)
  settings <- settings_of_call(device, precision, threads, progress, jobs)
  kind <- if (count) "count" else "within"
  found <- if (!is.null(update)) update_within(update, eps, radius, call, operation, settings)
           else select_kept(file, call, operation, settings, list(kind = kind, radius = as.double(radius)))
  if (count) return(shaped_as(found, call$x))
  found <- lapply(found, stats::setNames, function_labels(call$x))
  neighbors(found, operation, call, "frNN", eps = as.double(radius))
}

# ---- Arguments ----

# The result of check_integrals() for all pairs of functions of x or, with a query, of the query (rows)
# and x (columns).
check_query <- function(x, query, from, to, missing, weight, margin, operation, precision, min_overlap) {
  x <- check_either(x)
  checked <- function(x, y, arguments) {
    check_integrals(x, y, from, to, missing, weight, margin, operation, arguments, precision, min_overlap)
  }
  if (is.null(query)) checked(x, NULL, c(x = "x", y = "y")) else checked(query, x, c(x = "query", y = "x"))
}

check_neighbor_count <- function(k, call) {
  check_given(k, "k", "the number of neighbours")
  k <- check_count(k, "k")
  others <- if (is.null(call$y)) max(0, length(call$x) - 1) else length(call$y)
  if (k <= others) return(k)
  if (is.null(call$y) && others == 0) abort_argument("x", "must have at least two functions for neighbours.")
  abort_argument(
    "k", "must be at most ", others, ", the number of ",
    if (is.null(call$y)) "other functions" else "functions of `x`", ", not ", number(k), "."
  )
}

check_radius <- function(radius) {
  if (missing(radius) || is.null(radius)) {
    abort_argument("radius", "is missing: it must be a number of at least 0.")
  }
  radius <- check_number(radius, "radius")
  if (radius < 0) abort_argument("radius", "must be at least 0, not ", number(radius), ".")
  radius
}

# An error unless every function has as many neighbours as there are columns.
check_enough <- function(id, call) {
  i <- which(is.na(id[, ncol(id)]))[1]
  if (is.na(i)) return()
  known <- sum(!is.na(id[i, ]))
  kind <- paste0(if (is.null(call$y)) "other ", "function", plural(known),
                 if (!is.null(call$y)) " of `x`")
  abort_argument(
    "k", "is ", ncol(id), ", but ", function_label(i, call$x), if (!is.null(call$y)) " of `query`",
    " has a known distance to only ", known, " ", kind,
    if (is.null(call$min_overlap)) ". The others are never observed at the same time in the window."
    else ". The others share less than `min_overlap` in the window.",
    " Choose a smaller `k`, or leave such functions out.",
    index = as.double(i), known = known
  )
}

# ---- Results ----

# A list of a class of dbscan. `...` is the element that only this class has.
neighbors <- function(found, operation, call, class, ...) {
  more <- list(..., sort = TRUE, metric = operation$method)
  more$p <- if (!is.null(operation$p)) as.double(operation$p)
  if (!is.null(call$y)) more$searched <- length(call$y)
  structure(c(list(dist = found$distance, id = found$id), more), class = c(class, "NN"))
}

# Where dbscan is loaded, its own methods for "kNN" and "frNN" take precedence.
#' @export
print.NN <- function(x, ...) {
  writeLines(if (inherits(x, "frNN")) describe_within(x) else describe_nearest(x))
  invisible(x)
}

describe_nearest <- function(x) {
  n <- nrow(x$id)
  of_column <- function(j) sprintf("  k = %d: %s", j, describe_spread(x$dist[, j], "away"))
  c(
    sprintf("%s nearest neighbour%s of %s%s", ncol(x$id), plural(ncol(x$id)),
            functions_of(n, x), by_metric(x)),
    if (n > 0) vapply(unique(c(1, ncol(x$id))), of_column, ""),
    sprintf("  dist, id: matrices of %d x %d", n, ncol(x$id))
  )
}

describe_within <- function(x) {
  counts <- lengths(x$id)
  none <- sum(counts == 0)
  c(
    sprintf("Neighbours within %s of %s%s", number(x$eps, 7), functions_of(length(counts), x),
            by_metric(x)),
    if (length(counts) > 0) paste0(
      "  ", describe_spread(counts, "neighbours"), if (none > 0) sprintf("; %d without any", none)
    ),
    sprintf("  dist, id: lists of %d vectors", length(counts))
  )
}

functions_of <- function(n, x) {
  among <- if (!is.null(x$searched)) sprintf(" among %d", x$searched)
  paste0(n, " function", plural(n), among)
}

by_metric <- function(x) {
  if (is.null(x$metric)) return("")
  paste0(", ", if (x$metric == "Lp") paste0("L", number(x$p, 7)) else x$metric, " distance")
}

describe_spread <- function(numbers, what) {
  probs <- c(0, 0.5, 1)
  parts <- format_short(stats::quantile(numbers, probs, na.rm = TRUE, names = FALSE, type = 1))
  sprintf("%s to %s %s, median %s", parts[1], parts[3], what, parts[2])
}
