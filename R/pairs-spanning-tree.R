#' Minimum Spanning Trees and Single Linkage Without the Matrix
#'
#' @description
#' `spanning_tree()` computes the exact minimum spanning tree of all functions of a collection, by the
#' distances of [pdist()]. It returns the tree as the equivalent hierarchy of single linkage clustering,
#' `hclust(pdist(x), "single")`. With `k` it is the tree of mutual reachability distances, on which HDBSCAN
#' is based.
#'
#' The matrix of distances is never stored, so that there is no limit of 65,536 functions as in
#' [hclust()][stats::hclust].
#'
#' @details
#' A spanning tree connects `n` functions by `n - 1` edges between pairs of them; the minimum spanning tree
#' has the smallest sum of distances. If all edges longer than a given height are removed, the connected
#' components are the clusters of single linkage at this height.
#'
#' **Ties.** Edges of the same length are ordered by the smaller index of their functions, then by the larger
#' one. The tree is therefore unique, and does not depend on the number of threads or GPUs.
#' [hclust()][stats::hclust] may break ties differently, but the heights, and the clusters at any height, are
#' the same.
#'
#' **Mutual reachability.** The core distance of a function is its distance to the `k`-th nearest other
#' function. The mutual reachability distance of two functions is the maximum of their distance and their two
#' core distances. This moves functions in sparse regions away from all others, so that single linkage does
#' not join clusters by chains of such functions. **Note how neighbours are counted:** as in
#' [nearest_neighbors()], a function is not its own neighbour. It is in `dbscan::hdbscan()`, `genieclust::mst()`
#' and scikit-learn, whose `minPts`, `M` and `min_samples` are `k + 1`. With `k = 1` the tree is that of the distances.
#' `dbscan::extractFOSC()` finds the clusters of HDBSCAN in the tree.
#'
#' **Infinite and missing distances.** If the window has no end, functions whose last values differ are at
#' distance `Inf`. An error is raised if parts of the collection have only infinite distances from each other
#' or, with missing values, no distances at all, since their functions are never observed together, or share less than
#' `min_overlap`. The message names two such functions. Infinite or missing distances of single pairs do not matter.
#'
#' @section Cost:
#' The tree is computed in passes over all pairs, each of which takes at most as long as [nearest_neighbors()]. In
#' each pass, every function finds the nearest others outside of its own component of the forest so far, and
#' all components that these edges are sure to connect are joined (Borůvka's algorithm, with several of its
#' rounds in one pass). Pairs within large components are skipped, and so are those that lower bounds rule out, on
#' the CPU and on GPUs, as [nearest_neighbors()] describes. After the first pass only edges between components are
#' wanted: short ones, which are found before a pass, tell how long others may be at most. If the functions form a
#' single cloud, the first pass completes the tree; otherwise some components remain, such as clusters. Each further
#' pass at least halves their number, and usually reduces it much more: if the first pass leaves m components, at
#' most log2(m) passes follow. One to three passes are usual. Memory is needed for the functions and for the 12
#' nearest others of each (12 + `k` in the first pass), at about 40 bytes each. Every pass has its own
#' progress bar, and [last_run()] describes the last one.
#'
#' With `file = "tree"`, the edges found and the nearest others so far are kept in a file, so that the same call goes on
#' after it was interrupted or killed; see "Long runs" in [nearest_neighbors()].
#'
#' @inheritParams pdist
#' @inheritParams nearest_neighbors
#' @param x A [pcf] or [plf] with at least two functions.
#' @param k `NULL`, or a whole number from 1 to `length(x) - 1`: the nearest other function that determines
#'   the core distance. Use `minPts - 1` for HDBSCAN with `minPts`.
#'
#' @return
#' An object of class [`hclust`][stats::hclust], for [cutree()][stats::cutree], [plot()][stats::hclust],
#' [as.dendrogram()][stats::as.dendrogram] and others. It is equal to `hclust(pdist(x), "single")` up to ties,
#' with the components `merge`, `height`, `order`, `labels` (the names of the functions), `method`, `call`
#' and `dist.method`. Heights have the unit of distances; see [pdist()]. Further components are
#'
#' * `edges`: the edges of the tree in the order of their lengths, a matrix with `n - 1` rows and the columns
#'   `from` and `to`, the indices of functions, the smaller one first, and `weight`, the distance. It has the
#'   class `mst` of the package genieclust, so that it can be passed to `genieclust::gclust()`.
#' * `core`: with `k`, the core distance of each function.
#'
#' @inheritSection nearest_neighbors Windows, missing values and components
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
#' # It is the tree of single linkage
#' all.equal(tree$height, hclust(pdist(x, to = 1), "single")$height)
#'
#' # Mutual reachability, as for HDBSCAN with minPts = 5
#' tree <- spanning_tree(x, k = 4, to = 1)
#' cutree(tree, h = quantile(tree$height, 0.9))
#' if (requireNamespace("dbscan", quietly = TRUE)) {
#'   dbscan::extractFOSC(tree, minPts = 5)$cluster # 0 is in no cluster
#' }
#'
#' # Genie joins clusters such that their sizes do not become too unequal
#' if (requireNamespace("genieclust", quietly = TRUE)) {
#'   cutree(genieclust::gclust(tree$edges), 2)
#' }
#' @export
spanning_tree <- function(x, k = NULL, p = 1, from = -Inf, to = Inf,
                          missing = c("error", "overlap", "mean"), weight = NULL, distance = "lp",
                          margin = NULL, min_overlap = NULL, device = NULL, precision = NULL, threads = NULL,
                          progress = NULL, file = NULL) {
  operation <- operation_of(p, distance, !missing(p), few = TRUE)
  call <- check_integrals(x, NULL, from, to, missing, weight, margin, operation, precision = precision,
                          min_overlap = min_overlap)
  n <- length(call$x)
  if (n < 2) abort_argument("x", "must have at least two functions, not ", n, ".")
  if (!is.null(k)) k <- check_neighbor_count(k, call)
  file <- check_kept(file)
  settings <- run_settings(device, precision, threads, progress)
  about <- c(Selection = "tree", K = if (is.null(k)) "none" else field_of_number(k))
  grown <- run_kept(file, about, call, operation, settings, function(select, numbers) {
    grow_tree(call, k, function(numbers, ...) select(list(kind = "nearest", ...), numbers), numbers)
  })
  metric <- operation$method
  if (!is.null(k)) metric <- sprintf("%s, mutual reachability with k = %.0f", metric, k)
  new_tree(grown, function_labels(call$x), metric, match.call())
}

# ---- Growing ----

# The number of nearest others of each function that are found in a pass.
listed_others <- 12

# `select` selects nearest neighbours. A component of the forest is labelled by its first function. The
# first pass selects by distance, even with `k`, since it also gives the core distances. `numbers` are those with
# which an earlier call began a later pass, if any.
grow_tree <- function(call, k, select, numbers = NULL) {
  n <- length(call$x)
  grown <- tree_of_numbers(numbers, n, k)
  first <- length(numbers) == 0
  repeat {
    near <- if (first) select(NULL, k = min(n - 1, listed_others + (k %||% 0))) else select_apart(grown, n, select)
    if (first && !is.null(k)) {
      check_enough(near$id[, seq_len(k), drop = FALSE], call)
      grown$core <- near$distance[, k]
    }
    check_connected(near$id, grown$label, call)
    least <- if (first) grown$core
    pass <- answer_value(.Call(ffi_tree_grow, grown$label, near$distance, near$id, near$farthest, least))
    check_edges(pass$edges, call)
    grown$edges <- Map(c, grown$edges, pass$edges)
    grown$label <- pass$label
    if (all(grown$label == 1)) break
    first <- FALSE
  }
  c(answer_value(.Call(ffi_tree_hierarchy, grown$edges)), list(core = grown$core))
}

# The nearest others of other components. Where some component has none within the limits that it began with, for
# these do not know of all roundings, all are sought.
select_apart <- function(grown, n, select) {
  apart <- function(guess) {
    select(numbers_of_tree(grown), k = min(n - 1, listed_others), label = grown$label, least = grown$core,
           guess = guess)
  }
  near <- apart(TRUE)
  has_none <- length(near$farthest) > 0 && length(alone_of(near$id, grown$label)) > 0
  if (has_none) apart(FALSE) else near
}

# A forest as numbers, and back: the labels, the core distances with `k`, and the columns of the edges.
numbers_of_tree <- function(grown) as.double(c(grown$label, grown$core, unlist(grown$edges)))

tree_of_numbers <- function(numbers, n, k) {
  if (length(numbers) == 0) numbers <- c(seq_len(n), if (!is.null(k)) rep(NA, n))
  rest <- numbers[-seq_len(n)]
  core <- if (!is.null(k)) rest[seq_len(n)]
  edges <- matrix(if (is.null(k)) rest else rest[-seq_len(n)], ncol = 3)
  list(
    label = as.integer(numbers[seq_len(n)]), core = core,
    edges = list(from = as.integer(edges[, 1]), to = as.integer(edges[, 2]), weight = edges[, 3])
  )
}

# The functions of components without a known distance to another one.
alone_of <- function(id, label) which(!label %in% label[!is.na(id[, 1])])

# An error unless every component has a known distance to another one.
check_connected <- function(id, label, call) {
  alone <- alone_of(id, label)
  if (length(alone) == 0) return()
  pair <- sort(c(alone[1], which(label != label[alone[1]])[1]))
  abort_parts(
    pair, call$x, "without a known distance between them",
    if (is.null(call$min_overlap)) "No function of one is observed together with a function of the other in the window."
    else "All functions of one share less than `min_overlap` with all functions of the other in the window."
  )
}

check_edges <- function(edges, call) {
  k <- which(edges$weight == Inf)[1]
  if (is.na(k)) return()
  ends <- window_ends(list(call$x), call$window)
  why <- if (length(ends) == 0) "All distances between them are beyond the largest double."
         else paste0("The window is unbounded. ", paste(ends, collapse = ". "), ".")
  abort_parts(c(edges$from[k], edges$to[k]), call$x, "at infinite distances from each other", why)
}

abort_parts <- function(pair, x, how, ...) {
  labels <- vapply(pair, function_label, "", x)
  abort(
    "x", "`x` has no spanning tree. It consists of parts ", how, ", such as those of ", labels[1],
    " and ", labels[2], ". ", ..., argument = "x", index = as.double(pair)
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
