#' Minimum spanning trees and single linkage without the matrix
#'
#' @description
#' `spanning_tree()` computes the minimum spanning tree of the distances of [pdist()] between all
#' functions of a collection, exactly, and returns it as the hierarchy of single linkage, which is
#' the same thing: `hclust(pdist(x), "single")`. With `k` it is the tree of mutual reachability
#' distances, on which HDBSCAN is built.
#'
#' It never holds the matrix, and so goes past the 65,536 functions of [hclust()][stats::hclust].
#'
#' @details
#' A spanning tree joins `n` functions by `n - 1` pairs of them, its edges; the minimum one has the
#' least sum of distances. Cut off all edges longer than a height, and what stays together are the
#' clusters of single linkage at that height.
#'
#' **Ties.** Edges of the same length come in the order of the function with the smaller index, and
#' then of the other one. So there is one tree, whatever the number of threads or GPUs.
#' [hclust()][stats::hclust] may break ties in another way: the heights, and the clusters at any
#' height, are the same.
#'
#' **Mutual reachability.** The core distance of a function is that to the `k`-th nearest other one,
#' and the mutual reachability distance of two functions is the largest of their distance and of
#' their core distances. Functions in sparse regions are moved away from all others, so that single
#' linkage does not string clusters together along them. **Mind how neighbours are counted:** as in
#' [nearest_neighbors()], a function is not its own neighbour. `dbscan::hdbscan()` and
#' `genieclust::mst()` count it: their `minPts` and `M` are `k + 1`. With `k = 1` the distances are
#' as they were.
#'
#' **Infinite and unknown distances.** Functions that never meet again are at the distance `Inf` if
#' `to` does not end the window. If parts of the collection are at no finite distance from each
#' other, or, with `missing =`, at no known one, since they are never observed together, there is
#' no tree: this is an error that names two such functions. Single pairs of this kind do not
#' matter.
#'
#' @section Cost:
#' The tree grows in passes over all pairs, each of which takes as long as [nearest_neighbors()]. In
#' a pass each function finds the nearest others outside of its part of the tree so far, and all
#' parts are joined that certainly belong together by that (Borůvka's algorithm, with several of its
#' rounds in one pass). Pairs inside of large parts are left out. The first pass makes the whole
#' tree where functions form one cloud, and leaves some parts, such as clusters, otherwise; each
#' later one leaves at most half as many as before, and mostly far fewer. One to three passes are
#' usual, and there are at most as many after the first one as the binary logarithm of the number of
#' parts that it leaves. Memory is that of the functions and of the 12 nearest others of each, in
#' the first pass `k` more: about 40 bytes for each of these. Every pass has a progress bar of its
#' own, and [last_run()] tells of the last one.
#'
#' @inheritParams pdist
#' @param x A collection of at least two functions: a [pcf] or a [plf].
#' @param k `NULL`, or which of the nearest other functions gives the core distance, from 1 to
#'   `length(x) - 1`: for the `minPts` of HDBSCAN it is `minPts - 1`.
#'
#' @return
#' An object of the class [`hclust`][stats::hclust], for [cutree()][stats::cutree],
#' [plot()][stats::hclust], [as.dendrogram()][stats::as.dendrogram] and others. It is what
#' `hclust(pdist(x), "single")` gives, up to ties, with the components `merge`, `height`, `order`,
#' `labels` (the names of the functions), `method`, `call` and `dist.method`. Heights have the unit
#' of distances, see [pdist()]. There are also
#'
#' * `edges`: the edges of the tree in the order of their lengths, a matrix of `n - 1` rows with the
#'   columns `from` and `to`, the indices of functions, the smaller one first, and `weight`, which
#'   is the height. It has the class `mst` of the package genieclust, whose `gclust()` takes it.
#' * `core`: with `k`, the core distance of each function.
#'
#' @inheritSection pdist Functions known only in part
#' @inheritSection pdist Weights
#' @inheritSection pdist Piecewise linear functions
#' @inheritSection pdist Functions with several components
#' @inheritSection pdist Errors
#'
#' @references
#' Borůvka, O. (1926). O jistém problému minimálním. *Práce Moravské přírodovědecké společnosti*
#' 3, 37--58.
#'
#' Campello, R. J. G. B., Moulavi, D. and Sander, J. (2013). Density-based clustering based on
#' hierarchical density estimates. *PAKDD 2013*, 160--172. \doi{10.1007/978-3-642-37456-2_14}
#'
#' McInnes, L. and Healy, J. (2017). Accelerated hierarchical density based clustering. *ICDMW
#' 2017*, 33--42. \doi{10.1109/ICDMW.2017.12}
#'
#' Gower, J. C. and Ross, G. J. S. (1969). Minimum spanning trees and single linkage cluster
#' analysis. *Applied Statistics* 18, 54--64. \doi{10.2307/2346439}
#'
#' @seealso [nearest_neighbors()], [pdist()]
#'
#' @examples
#' set.seed(1)
#' x <- c(rpcf(20, kind = "sine"), rpcf(20, kind = "cosine"))
#' tree <- spanning_tree(x, to = 1)
#' tree
#' plot(tree)
#' cutree(tree, 2)
#' head(tree$edges[, ])
#'
#' # It is single linkage.
#' all.equal(tree$height, hclust(pdist(x, to = 1), "single")$height)
#'
#' # Mutual reachability, as of HDBSCAN with minPts = 5.
#' tree <- spanning_tree(x, k = 4, to = 1)
#' cutree(tree, h = quantile(tree$height, 0.9))
#'
#' # Genie joins clusters such that their sizes stay even.
#' if (requireNamespace("genieclust", quietly = TRUE)) {
#'   cutree(genieclust::gclust(tree$edges), 2)
#' }
#' @export
spanning_tree <- function(x, k = NULL, p = 1, from = -Inf, to = Inf,
                          missing = c("error", "overlap", "mean"), weight = NULL, distance = "lp",
                          margin = NULL, device = NULL, precision = NULL, threads = NULL,
                          progress = NULL) {
  operation <- operation_of(p, distance, !missing(p))
  call <- check_integrals(
    x, NULL, from, to, missing, weight, margin = margin, operation = operation
  )
  n <- length(call$x)
  if (n < 2) abort_argument("x", "must have at least two functions, and has ", n, ".")
  if (!is.null(k)) k <- check_neighbor_count(k, call)
  settings <- run_settings(device, precision, threads, progress)
  grown <- grow_tree(call, k, function(...) {
    select_pairs(call, operation, settings, list(kind = "nearest", ...))
  })
  metric <- operation$method
  if (!is.null(k)) metric <- sprintf("%s, mutual reachability with k = %.0f", metric, k)
  new_tree(grown, function_labels(call$x), metric, match.call())
}

# ---- Growing ----

# So many nearest others of each function are looked at in a pass.
listed_others <- 12

# `select` makes a selection of the nearest. A component of the forest is labelled with its least
# function. The first pass selects by distance, whatever `k`, since that gives core distances, too.
grow_tree <- function(call, k, select) {
  n <- length(call$x)
  label <- seq_len(n)
  near <- select(k = min(n - 1, listed_others + (k %||% 0)))
  if (!is.null(k)) check_enough(near$id[, seq_len(k), drop = FALSE], call)
  raise <- core <- if (!is.null(k)) near$distance[, k]
  passes <- list()
  repeat {
    check_connected(near$id, label, call$x)
    grown <- answer_value(.Call(ffi_tree_grow, label, near$distance, near$id, raise))
    check_edges(grown$edges, call)
    passes <- c(passes, list(grown$edges))
    label <- grown$label
    if (all(label == 1)) break
    near <- select(k = min(n - 1, listed_others), label = label, least = core)
    raise <- NULL
  }
  columns <- c(from = "from", to = "to", weight = "weight")
  edges <- lapply(columns, function(name) unlist(lapply(passes, `[[`, name)))
  c(answer_value(.Call(ffi_tree_hierarchy, edges)), list(core = core))
}

# Has every component a known distance from another one?
check_connected <- function(id, label, x) {
  alone <- which(!label %in% label[!is.na(id[, 1])])
  if (length(alone) == 0) return()
  pair <- sort(c(alone[1], which(label != label[alone[1]])[1]))
  abort_parts(
    pair, x, "without a known distance between them", "No function of one is observed together ",
    "with a function of the other in the window."
  )
}

check_edges <- function(edges, call) {
  infinite <- which(edges$weight == Inf)
  if (length(infinite) == 0) return()
  pair <- c(edges$from[infinite[1]], edges$to[infinite[1]])
  ends <- window_ends(list(call$x), call$window$from, call$window$to)
  why <- if (length(ends) == 0) "All distances between them are beyond the largest double."
         else paste0("The window is unbounded. ", paste(ends, collapse = ". "), ".")
  abort_parts(pair, call$x, "at infinite distances from each other", why)
}

abort_parts <- function(pair, x, how, ...) {
  labels <- vapply(pair, function_label, "", x)
  abort(
    "x", "`x` has no tree. It falls into parts ", how, ", such as those of ", labels[1], " and ",
    labels[2], ". ", ..., argument = "x", index = as.double(pair)
  )
}

# ---- Results ----

new_tree <- function(grown, labels, metric, call) {
  tree <- list(
    merge = grown$merge, height = grown$edges$weight, order = grown$order, labels = labels,
    method = "single", call = call, dist.method = metric,
    edges = structure(do.call(cbind, grown$edges), method = metric, Labels = labels, class = "mst")
  )
  tree$core <- grown$core
  structure(tree, class = "hclust")
}
