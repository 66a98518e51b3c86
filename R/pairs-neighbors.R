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
#' If functions have missing values (see below), pairs that are not observed at a common time in the
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
#' `missing = "mean"`, and for `distance = "relative"`: all pairs are then computed. With
#' `device = "cuda"` they are for L1 and L2 distances without `query`, and pairs are skipped in tiles of 32
#' by 32 functions; with `device = "auto"` on a machine with a GPU nothing is skipped. The element
#' `pruned` of [last_run()] tells what was skipped, and the option `pcfdist.prune` turns it off; see
#' [pcfdist_options].
#'
#' @inheritParams pdist
#' @param x A collection of functions: a [pcf] or [plf].
#' @param k The number of neighbours: a whole number, at most the number of other functions or, with
#'   `query`, of functions of `x`.
#' @param query `NULL`, or a [pcf] or [plf]: the functions whose neighbours in `x` are found.
#' @param update `NULL`, or the result of the same call for the first functions of `x`, with at least `k` neighbours
#'   of each. Only the distances of the other functions are computed: for `n` old and `m` new ones, those of
#'   `m * (2 * n + m)` pairs, by the kernel of the whole collection. The result is that of a whole call, to the last
#'   bit if the kernel of the earlier call was the same, as it usually is for hundreds of functions and more; see
#'   [pcf_plan()] and, to choose it, [pcfdist_options]. An error is raised if the nearest neighbour of an old
#'   function is no longer at its distance.
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
#' @inherit pdist sections
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
                              precision = NULL, threads = NULL, progress = NULL, jobs = NULL, update = NULL) {
  operation <- operation_of(p, distance, !missing(p), few = TRUE)
  call <- check_query(x, query, from, to, missing, weight, margin, operation, precision, min_overlap)
  k <- check_neighbor_count(k, call)
  update <- check_update(update, k, call, operation)
  settings <- settings_of_call(device, precision, threads, progress, jobs)
  found <- if (is.null(update)) select_pairs(call, operation, settings, list(kind = "nearest", k = k))
           else update_neighbors(update, k, call, operation, settings)
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
                             device = NULL, precision = NULL, threads = NULL, progress = NULL, jobs = NULL) {
  operation <- operation_of(p, distance, !missing(p), few = TRUE)
  call <- check_query(x, query, from, to, missing, weight, margin, operation, precision, min_overlap)
  radius <- check_radius(radius)
  settings <- settings_of_call(device, precision, threads, progress, jobs)
  count <- check_flag(count, "count")
  kind <- if (count) "count" else "within"
  found <- select_pairs(call, operation, settings, list(kind = kind, radius = as.double(radius)))
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

# ---- Collections that grew ----

# Neighbours that were found among the first functions of a call, or NULL.
check_update <- function(update, k, call, operation) {
  if (is.null(update)) return(NULL)
  found <- is.list(update) && inherits(update, "kNN") && is.matrix(update$id) && is.null(update$searched)
  if (!found) abort_argument("update", "must be a result of nearest_neighbors() without `query`.")
  if (!is.null(call$y)) abort_argument("update", "must not be given together with `query`.")
  n <- nrow(update$id)
  if (n > length(call$x)) {
    abort_argument("update", "is of ", number(n), " functions, but `x` has only ", number(length(call$x)), ".")
  }
  if (ncol(update$id) < k) {
    abort_argument("update", "has ", number(ncol(update$id)), " neighbour", plural(ncol(update$id)),
                   " of each function, and `k` is ", number(k), ".")
  }
  if (!identical(update$metric, operation$method) || !isTRUE(all.equal(update$p, operation$p))) {
    abort_argument("update", "must be of the same distance.")
  }
  list(distance = unname(update$dist), id = unname(update$id))
}

# The functions after those of `update` are compared with all, by the kernel that all pairs would take, so that
# no bit differs.
update_neighbors <- function(update, k, call, operation, settings) {
  n <- nrow(update$id)
  old <- seq_len(n)
  new <- n + seq_len(length(call$x) - n)
  some <- function(rows) functions_at(call$x, rows)
  request <- request_for(call, operation, "none", "below")
  plan <- plan_pairs(call$x, NULL, request, settings, call$arguments)
  check_same_distances(update, call, request, settings)
  update <- lapply(update, function(m) m[, seq_len(k), drop = FALSE])
  if (length(new) == 0) return(update)
  settings <- with_engine(settings, as.list(engine_fields(plan)), "update")
  select <- function(x, y, k, farthest = NULL) {
    call[c("x", "y")] <- list(x, y)
    select_pairs(call, operation, settings, list(kind = "nearest", k = k, farthest = farthest))
  }
  of_new <- without_itself(select(some(new), call$x, k + 1), new, list(k = k))
  among_new <- select(some(old), some(new), min(k, length(new)), farthest_of(update, k))
  among_new$id <- among_new$id + n
  Map(rbind, nearer_of(update, among_new), of_new)
}

# The distances beyond which no function is one of the k nearest.
farthest_of <- function(found, k) {
  farthest <- found$distance[, k]
  replace(farthest, is.na(farthest), Inf)
}

# The nearer ones of two lists of each function, where all indices of the second are larger.
nearer_of <- function(first, second) {
  k <- ncol(first$id)
  distance <- cbind(first$distance, second$distance)
  order <- order(row(distance), distance, col(distance))
  nearer <- matrix(order, nrow(distance), byrow = TRUE)[, seq_len(k), drop = FALSE]
  kept <- function(m) array(m[c(nearer)], dim(nearer))
  list(distance = kept(distance), id = kept(cbind(first$id, second$id)))
}

# An error unless each function is as far from its nearest neighbour as it was.
check_same_distances <- function(update, call, request, settings) {
  known <- which(!is.na(update$id[, 1]))
  some <- function(rows) functions_at(call$x, rows)
  near <- update$id[known, 1]
  if (!all(near %in% seq_len(nrow(update$id)))) {
    abort_argument("update", "must be a result of nearest_neighbors() for the first functions of `x`.")
  }
  distance <- paired_distances(some(known), some(near), request, settings)
  before <- update$distance[known, 1]
  tolerance <- if (settings$precision == "single") 1e-4 else 1e-9
  same <- !is.na(distance) & (distance == before | abs(distance - before) <= tolerance * abs(distance))
  i <- which(!same)[1]
  if (is.na(i)) return(invisible())
  abort_argument("update", "must be a result of nearest_neighbors() for the first functions of `x`, with the same ",
                 "arguments, but ", function_label(known[i], call$x), " is at distance ", number(distance[i], 7),
                 " from ", function_label(near[i], call$x), ", not ", number(before[i], 7), ".",
                 index = as.double(known[i]))
}

# ---- Selections ----

# The distances of a call that `selection` asks for: the value of run_selection().
select_pairs <- function(call, operation, settings, selection) {
  mode <- if (is.null(call$y)) "below" else "full"
  request <- request_for(call, operation, "none", mode)
  select <- if (in_jobs(settings, call$x) && has_others(call)) select_in_jobs else run_selection
  select(call$x, call$y, request, settings, selection, call$arguments)$value
}

# Are there functions with which those of a call can be compared?
has_others <- function(call) length(call$y %||% call$x) > is.null(call$y)

# The same as run_selection(), in jobs that each compute a band of rows.
select_in_jobs <- function(x, y, request, settings, selection, arguments) {
  bands <- run_bands("select_band", x, y, request, selection, settings, arguments)
  if (selection$kind == "count") return(list(value = as.double(unlist(bands))))
  list(value = do.call(Map, c(if (selection$kind == "within") c else rbind, bands)))
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
