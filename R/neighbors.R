#' Nearest functions, and those within a radius
#'
#' @description
#' `nearest_neighbors()` finds the `k` nearest other functions of each function, and
#' `neighbors_within()` all others within a radius, by the distances of [pdist()]. With `query` it
#' is the functions of `x` that are nearest to each function of `query`.
#'
#' They are what [pdist()] and `order()` would give, without the matrix, which for 500,000
#' functions would have 250 billion numbers.
#'
#' @details
#' Neighbours come in the order of their distance, and those at the same distance in the order of
#' their indices. A function is not its own neighbour, but its duplicates are, at the distance 0;
#' a function of `query` that is in `x`, too, has itself. The result does not depend on the number
#' of threads or GPUs.
#'
#' Functions that never meet again are at the distance `Inf` if `to` does not end the window; they
#' are neighbours like others, behind all those at a finite distance.
#'
#' Where functions are known only in part, pairs without an overlap in the window have no distance,
#' and are no neighbours. It is an error if a function has fewer than `k` others at a known
#' distance.
#'
#' Results are of the classes of the package dbscan and go as they are into its `sNN()`,
#' `jpclust()`, `sNNclust()`, `kNNdist()`, `comps()` and `adjacencylist()`, and those of
#' `neighbors_within()` into `dbscan()`. (`hdbscan()` needs all distances.)
#' `Rtsne::Rtsne_neighbors()` takes `id` and `dist`. [as_uwot()] and [as_knn_graph()] make what
#' UMAP and graphs need.
#'
#' @section Cost:
#' The time is that of [pdist()] or, with `query`, [cdist()], or less: it grows with the square of
#' the number of functions. Memory is that of the functions, of the result, and of blocks of
#' the matrix, which do not grow with it: `nearest_neighbors()` needs 12 `k` bytes for each
#' function, and `neighbors_within()` 12 for each neighbour. A radius within which all functions
#' lie gives as many numbers as there are pairs; ask for the `count` first.
#'
#' On the CPU, pairs are left out that cannot be wanted, where that pays. The mean of a difference
#' over a stretch of time is no larger than the difference, so means over 64 stretches give a
#' bound of each distance that takes 64 steps, however long the functions are. Functions with
#' like means are computed together. Where neighbours are much nearer than most others, as those
#' of distribution functions, profiles or curves in groups are, a small part of the pairs
#' remains, and a smaller one of more functions; of noise, all remain, and a sample tells so
#' beforehand. The result is the same, to the last bit. It takes 600 bytes more for each function,
#' and the functions once more. There are no bounds for functions that are known only in part, for
#' those of a [plf], for means, and for distances other than `"lp"`: all of their pairs are computed.
#' [last_run()] tells in `pruned` what was left out, and the option `pcfdist.prune` turns it off;
#' see [pcfdist_options].
#'
#' @inheritParams pdist
#' @param x A collection of functions: a [pcf] or a [plf].
#' @param k The number of neighbours: at most that of the other functions or, with `query`, that
#'   of `x`.
#' @param query `NULL`, or the functions whose neighbours in `x` are wanted: a [pcf] or a [plf].
#' @param radius The largest distance of a neighbour: a number in the unit of distances, see
#'   [pdist()]. A distance of exactly the radius is within.
#' @param count Only count the neighbours?
#'
#' @return
#' `nearest_neighbors()`: a list of the class `c("kNN", "NN")` with a row for each function of `x`
#' or `query`:
#' * `dist`, a matrix with `k` columns, the distances in increasing order;
#' * `id`, an integer matrix of this shape: the indices of the neighbours in `x`;
#' * `k`; `sort`, which is `TRUE`; `metric` and, for Lp distances, `p`, as the attributes `method`
#'   and `p` of [pdist()];
#' * with `query`, `searched`: how many functions `x` has.
#'
#' The rows have the names of the functions, of an array of functions its dimnames, joined as in
#' "a, b".
#'
#' `neighbors_within()`: a list of the class `c("frNN", "NN")`, the same with lists of a vector for
#' each function as `dist` and `id`, and the radius as `eps` in the place of `k`. With
#' `count = TRUE` it is a vector with the number of neighbours of each function; names and
#' dimensions are those of the functions.
#'
#' @inheritSection pdist Functions known only in part
#' @inheritSection pdist Weights
#' @inheritSection pdist Piecewise linear functions
#' @inheritSection pdist Functions with several components
#' @inheritSection pdist Errors
#' @inheritSection pdist Infinite results
#'
#' @references
#' Hahsler, M., Piekenbrock, M. and Doran, D. (2019). dbscan: Fast density-based clustering with R.
#' *Journal of Statistical Software* 91(1). \doi{10.18637/jss.v091.i01}
#'
#' @seealso [reduce_distances()] for one number of each function, [distance_product()] for sums of
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
#' # What is an unknown function? What most of its five nearest are.
#' unknown <- c(rpcf(2, kind = "cosine"), rpcf(1, kind = "sine"))
#' near <- nearest_neighbors(x, 5, unknown, to = 1)
#' votes <- matrix(kind[near$id], nrow(near$id))
#' apply(votes, 1, function(votes) names(which.max(table(votes))))
#'
#' # How many others are within a distance?
#' neighbors_within(x, 0.2, to = 1, count = TRUE)[1:5]
#'
#' # Clusters of any shape, and functions that belong to none.
#' if (requireNamespace("dbscan", quietly = TRUE)) {
#'   within <- neighbors_within(x, 0.2, to = 1)
#'   table(dbscan::dbscan(within, minPts = 4)$cluster, kind)
#' }
#' @export
nearest_neighbors <- function(x, k, query = NULL, p = 1, from = -Inf, to = Inf,
                              missing = c("error", "overlap", "mean"), weight = NULL,
                              distance = "lp", margin = NULL, device = NULL, precision = NULL,
                              threads = NULL, progress = NULL, jobs = NULL) {
  operation <- operation_of(p, distance, !missing(p))
  call <- check_query(x, query, from, to, missing, weight, margin, operation)
  k <- check_neighbor_count(k, call)
  settings <- run_settings(device, precision, threads, progress, jobs)
  found <- select_pairs(call, operation, settings, list(kind = "nearest", k = k))
  check_enough(found$id, call)
  warn_infinite(found$distance, "nearest distance", list(call$x, call$y), call$window$from,
                call$window$to)
  labels <- list(function_labels(call$x), as.character(seq_len(k)))
  neighbors(
    list(dist = structure(found$distance, dimnames = labels),
         id = structure(found$id, dimnames = labels), k = as.integer(k)),
    operation, call, "kNN"
  )
}

#' @rdname nearest_neighbors
#' @export
neighbors_within <- function(x, radius, query = NULL, p = 1, from = -Inf, to = Inf,
                             missing = c("error", "overlap", "mean"), weight = NULL,
                             distance = "lp", margin = NULL, count = FALSE, device = NULL,
                             precision = NULL, threads = NULL, progress = NULL, jobs = NULL) {
  operation <- operation_of(p, distance, !missing(p))
  call <- check_query(x, query, from, to, missing, weight, margin, operation)
  check_radius(radius)
  settings <- run_settings(device, precision, threads, progress, jobs)
  select <- function(kind) {
    select_pairs(call, operation, settings, list(kind = kind, radius = as.double(radius)))
  }
  if (check_flag(count, "count")) return(shaped_as(select("count"), call$x))
  found <- select("within")
  labels <- function_labels(call$x)
  neighbors(
    list(dist = structure(found$distance, names = labels),
         id = structure(found$id, names = labels), eps = as.double(radius)),
    operation, call, "frNN"
  )
}

# ---- Arguments ----

# The call of check_integrals() for the pairs of x or, with a query, of its functions (the rows)
# with those of x (the columns).
check_query <- function(x, query, from, to, missing, weight, margin, operation) {
  x <- check_either(x)
  check <- function(x, y, arguments) {
    check_integrals(x, y, from, to, missing, weight, arguments, margin, operation)
  }
  if (is.null(query)) check(x, NULL, c(x = "x", y = "y")) else check(query, x, c(x = "query", y = "x"))
}

check_neighbor_count <- function(k, call) {
  check_given(k, "k", "the number of neighbours")
  k <- check_count(k, "k")
  others <- if (is.null(call$y)) max(0, length(call$x) - 1) else length(call$y)
  if (k <= others) return(k)
  abort_argument(
    "k", "must be at most ", others, ", the number of ",
    if (is.null(call$y)) "other functions" else "functions of `x`", ", and is ", number(k), "."
  )
}

check_radius <- function(radius) {
  if (missing(radius) || is.null(radius)) {
    abort_argument("radius", "is missing: the largest distance that counts.")
  }
  check_number(radius, "radius")
  if (radius < 0) abort_argument("radius", "must not be negative, and is ", number(radius), ".")
}

# Has every function its neighbours?
check_enough <- function(id, call) {
  short <- which(is.na(id[, ncol(id)]))
  if (length(short) == 0) return()
  i <- short[1]
  known <- sum(!is.na(id[i, ]))
  kind <- paste0(if (is.null(call$y)) "other ", "function", if (known != 1) "s",
                 if (!is.null(call$y)) " of `x`")
  abort(
    "k", argument = "k", index = as.double(i), known = known,
    paste0(
      "`k` is ", ncol(id), ", and ", function_label(i, call$x), if (!is.null(call$y)) " of `query`",
      " has a known distance from only ", known, " ", kind,
      ". It is not observed together with more of them in the window."
    )
  )
}

# ---- Selections ----

# What `selection` asks for of the distances of a call: the value of run_selection().
select_pairs <- function(call, operation, settings, selection) {
  mode <- if (is.null(call$y)) "below" else "full"
  request <- request_for(call, operation, "none", mode)
  select <- if (in_jobs(settings, call$x)) select_in_jobs else run_selection
  select(call$x, call$y, request, settings, selection, call$arguments)$value
}

# The same as run_selection(), in jobs for bands of rows.
select_in_jobs <- function(x, y, request, settings, selection, arguments) {
  bands <- run_bands("select_band", x, y, request, selection, settings, arguments)
  list(value = bind_selected(bands, selection))
}

# Of values of run_selection() for bands of rows.
bind_selected <- function(bands, selection) {
  if (selection$kind == "count") return(as.double(unlist(bands)))
  bind <- if (selection$kind == "within") c else rbind
  lapply(c(distance = "distance", id = "id"), function(name) {
    do.call(bind, lapply(bands, `[[`, name))
  })
}

# ---- Results ----

shaped_as <- function(numbers, x) {
  attributes(numbers) <- shape_of(x)
  numbers
}

# The list of a class of dbscan.
neighbors <- function(found, operation, call, class) {
  more <- list(sort = TRUE, metric = operation$method)
  more$p <- if (!is.null(operation$p)) as.double(operation$p)
  if (!is.null(call$y)) more$searched <- length(call$y)
  structure(c(found, more), class = c(class, "NN"))
}

# dbscan has methods of its own for "kNN" and "frNN", which go before this one where it is loaded.
#' @export
print.NN <- function(x, ...) {
  writeLines(if (inherits(x, "frNN")) describe_within(x) else describe_nearest(x))
  invisible(x)
}

describe_nearest <- function(x) {
  n <- nrow(x$id)
  of_column <- function(j) sprintf("  k = %d: %s", j, describe_spread(x$dist[, j], "away"))
  c(
    sprintf("%s nearest neighbour%s of %s%s", ncol(x$id), if (ncol(x$id) == 1) "" else "s",
            functions_of(n, x), by_metric(x)),
    if (n > 0) vapply(unique(c(1, ncol(x$id))), of_column, ""),
    sprintf("  dist, id: matrices of %d x %d", n, ncol(x$id))
  )
}

describe_within <- function(x) {
  counts <- lengths(x$id)
  none <- sum(counts == 0)
  c(
    sprintf("Neighbours within %s of %s%s", format(x$eps), functions_of(length(counts), x),
            by_metric(x)),
    if (length(counts) > 0) paste0(
      "  ", describe_spread(counts, "neighbours"), if (none > 0) sprintf("; %d without any", none)
    ),
    sprintf("  dist, id: lists of %d vectors", length(counts))
  )
}

functions_of <- function(n, x) {
  among <- if (!is.null(x$searched)) sprintf(" among %d", x$searched)
  paste0(n, " function", if (n != 1) "s", among)
}

by_metric <- function(x) {
  if (is.null(x$metric)) return("")
  paste0(", ", if (x$metric == "Lp") paste0("L", format(x$p)) else x$metric, " distance")
}

describe_spread <- function(numbers, what) {
  probs <- c(0, 0.5, 1)
  parts <- format_short(
    stats::quantile(numbers, probs, na.rm = TRUE, names = FALSE, type = 1)
  )
  sprintf("%s to %s %s, median %s", parts[1], parts[3], what, parts[2])
}
