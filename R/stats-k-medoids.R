# k-medoids of functions: medoids are swapped for other functions as long as that helps, src/clusters/swaps.c. Up
# to a number of functions all distances are computed; beyond, those from a batch of functions (OneBatchPAM).

#' k-Medoids Clusters of Functions
#'
#' @description
#' `k_medoids()` divides functions into `k` clusters around medoids, which are functions of the collection, such that
#' the sum of distances from the medoids is small. All distances of [pdist()] can be used. Beyond about ten thousand
#' functions, not all distances are computed.
#'
#' The result resembles that of [cluster::pam()].
#'
#' @details
#' A medoid is swapped for another function if this reduces the sum of distances, until there is no such swap
#' (FasterPAM, Schubert and Rousseeuw 2021). The first medoids are drawn with the random numbers of R, so that
#' [set.seed()] makes results reproducible.
#'
#' **Up to 12,000 functions** all distances are computed, and the result is a local optimum: no swap of one
#' medoid reduces the sum.
#'
#' **Beyond that**, swaps are judged by the distances of all functions from a random batch of
#' \eqn{100 \log(k n)} functions, each of which stands for the functions to which it is next (OneBatchPAM,
#' de Mathelin and others 2025). Candidates that are nearly as good as the medoids, a quarter of the size of the
#' batch, are then judged by their distances from all functions. The sum of distances is mostly less than 0.3 %
#' above that of a local optimum, and the `objective` of the result is exact.
#'
#' Results do not depend on the number of threads, nor, but for which of several equal functions is taken, on the
#' order of the functions.
#'
#' @section Cost:
#' Up to 12,000 functions, [pdist()] takes most of the time and 4 n^2 bytes of memory. Beyond that,
#' \eqn{125 \log(k n)} distances are needed for each function, of which \eqn{100 \log(k n)} are in memory at a time,
#' with 4 bytes each: for 100,000 functions and 10 clusters 0.6 GB. A pass over the candidates takes as many steps as
#' there are such distances.
#'
#' @inheritParams pdist
#' @param x A [pcf] or [plf] with at least `k` functions.
#' @param k The number of clusters.
#' @param nstart How often to start from random medoids. The distances are computed once.
#' @param progress If `TRUE`, calls of more than two seconds draw a progress bar. The default is `TRUE` in
#'   interactive sessions.
#'
#' @return
#' An object of the classes `pcf_kmedoids` and `partition`, a list of
#'
#' * `medoids`: the functions that are medoids; `id.med`: their places in `x`.
#' * `clustering`: an integer for each function, from 1 to `k`, with the names of `x`.
#' * `objective`: the mean distance of functions from their medoids.
#' * `clusinfo`: a matrix with a row for each cluster, and its `size`, the largest and the mean distance from the
#'   medoid, `max_diss` and `av_diss`, and the `isolation`, the largest distance divided by the distance of the
#'   medoid from the nearest other one, as from [cluster::clara()].
#' * `distances`, `call`: the arguments of distances, which `predict()` uses; the call.
#'
#' `fitted()` returns the medoid of each function or, with `method = "classes"`, `clustering`. `predict()` returns
#' the nearest medoid of each of `newdata`. `plot()` draws the medoids and, with `data`, the functions that were
#' divided. [cluster::silhouette()] has a method: `cluster::silhouette(object, dist)`.
#'
#' @section Distances of all pairs:
#' Each pair of functions needs a finite distance. An error is raised if functions are never observed together,
#' or if the window has no end and functions end with different values.
#'
#' @inheritSection pdist Functions with several components
#' @inheritSection pdist Errors
#'
#' @references
#' de Mathelin, A. and others (2025). OneBatchPAM: a fast and frugal k-medoids algorithm.
#' \doi{10.48550/arXiv.2501.19285}
#'
#' Schubert, E. and Rousseeuw, P. J. (2021). Fast and eager k-medoids clustering. *Information Systems* 101, 101804.
#' \doi{10.1016/j.is.2021.101804}
#'
#' @seealso [k_means()], [spanning_tree()], [cluster::pam()]
#'
#' @examples
#' set.seed(1)
#' x <- c(rpcf(20, kind = "sine"), rpcf(20, kind = "cosine"))
#' found <- k_medoids(x, 2, to = 1)
#' found
#' plot(found, x)
#' if (requireNamespace("cluster", quietly = TRUE)) {
#'   summary(cluster::silhouette(found, pdist(x, to = 1)))$avg.width
#' }
#' predict(found, rpcf(3, kind = "sine"))
#' @export
k_medoids <- function(x, k, p = 1, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"), weight = NULL,
                      distance = "lp", margin = NULL, min_overlap = NULL, nstart = 1, device = NULL,
                      precision = NULL, threads = NULL, progress = NULL) {
  check_given(k, "k", "the number of clusters, or functions to start from")
  if (is_either(k)) abort_argument("k", "must be a number of clusters: medoids are functions of `x`.")
  operation <- operation_of(p, distance, !missing(p), few = TRUE)
  problem <- clustering_problem(x, k, operation, from, to, missing, weight, margin, threads, min_overlap)
  nstart <- check_count(nstart, "nstart")
  problem$distances <- c(
    problem$distances, list(distance = distance, min_overlap = min_overlap), if (!missing(p)) list(p = p)
  )
  problem$operation <- operation
  problem$settings <- run_settings(device, precision, threads, progress)
  medoids <- if (length(problem$call$x) <= most_whole) medoids_of_all(problem, nstart)
             else in_pieces(medoids_of_batch(problem, nstart), progress)
  new_kmedoids(medoids, problem, match.call())
}

# With more functions, the matrix would need more than half a gigabyte.
most_whole <- 12000

# ---- Distances ----

# A dist of the functions, or a matrix of distances from some functions in the rows to others in the columns.
sound_distances <- function(problem, x, y = NULL) {
  request <- if (is.null(y)) request_for(problem$call, problem$operation, "dist", "below")
             else request_for(problem$call, problem$operation, "dense", "full", list(dim = c(length(x), length(y))))
  # Its warnings of infinite or missing distances become errors.
  distances <- suppressWarnings(
    run_pairwise(x, y, request, problem$settings)$value,
    classes = c("pcfdist_warning_infinite", "pcfdist_warning_missing")
  )
  check_sound(distances, problem)
}

check_sound <- function(distances, problem) {
  if (anyNA(distances)) {
    abort(
      "missing", argument = "missing", "k_medoids() needs a distance for each pair, but some functions ",
      if (is.null(problem$call$min_overlap)) "are never observed at the same time in the window."
      else "share less than `min_overlap` in the window.", " Choose a window in which more of them are."
    )
  }
  if (max(0, distances) < Inf) return(distances)
  ends <- window_ends(list(problem$call$x), problem$call$window)
  abort_argument(
    "x", "must have finite distances, but some are infinite. ",
    if (length(ends) == 0) "They are beyond the largest double." else paste0(paste(ends, collapse = ". "), ".")
  )
}

# ---- Medoids ----

# Both return the places of the medoids in the order of the problem.

medoids_of_all <- function(problem, nstart) {
  distances <- sound_distances(problem, problem$call$x)
  limits <- c(max(0, distances), 1e-12, most_passes)
  least_medoids(problem, nstart, function(start) swap_medoids(problem, distances, start, NULL, limits))$medoids
}

# de Mathelin and others 2025: the weight of a member of the batch is the number of functions to which it is next,
# and its distance from itself is the largest, so that members are no better candidates than others. The batch is
# a sample: of the candidates that are nearly as good as its medoids, the best are found by their distances from
# all functions.
medoids_of_batch <- function(problem, nstart) {
  n <- length(problem$call$x)
  batch <- sample.int(n, min(n, ceiling(100 * log(problem$k * n))))
  m <- length(batch)
  more <- problem$k + ceiling(m / 4)
  floats <- store_floats(problem, batch, seq_len(n), to = m / (m + more))
  count <- tabulate(floats$nearest, m)
  for (j in seq_len(m)) .Call(ffi_store_floats, floats$largest, 1, floats$distances, m * (batch[j] - 1) + j - 1)
  limits <- c(floats$largest, 1e-6, most_passes)
  found <- least_medoids(problem, nstart, function(start) {
    swap_medoids(problem, floats$distances, start, count / mean(count), limits, c(m, n))
  })
  rest <- setdiff(order(found$gain, decreasing = TRUE), found$medoids)
  near <- c(found$medoids, utils::head(rest, more - problem$k))
  floats <- store_floats(problem, seq_len(n), near, floats$distances, from = m / (m + more))
  size <- c(n, length(near))
  near[swap_medoids(problem, floats$distances, seq_len(problem$k), NULL, limits, size)$medoids]
}

most_passes <- 100

# The distances of functions, in the rows, from others, in the columns, as floats, and the nearest row of each
# column: list(distances, nearest, largest). In parts, whose memory R would only take back much later. They
# overwrite `floats`, if these are long enough. They take the bar of progress from one share to another.
store_floats <- function(problem, rows, columns, floats = integer(), from = 0, to = 1) {
  x <- problem$call$x
  m <- length(rows)
  if (length(floats) < m * length(columns)) floats <- integer(m * length(columns))
  nearest <- integer(length(columns))
  largest <- 0
  draw_done(from)
  for (some in runs_of(length(columns), max(1, 2^20 %/% m))) {
    distances <- sound_distances(problem, part_of(x, rows), part_of(x, columns[some]))
    largest <- max(largest, distances)
    nearest[some] <- .Call(ffi_store_floats, distances, m, floats, m * (some[1] - 1))
    draw_done(from + (to - from) * some[length(some)] / length(columns))
    rm(distances)
    gc(full = FALSE)
  }
  list(distances = floats, nearest = nearest, largest = largest)
}

# The best of several random starts.
least_medoids <- function(problem, nstart, swap) {
  tries <- lapply(seq_len(nstart), function(k) swap(sample.int(length(problem$order), problem$k)))
  best <- tries[[which.min(vapply(tries, function(found) found$loss, 0))]]
  if (!best$settled) warn("iterations", "k_medoids() stopped after ", most_passes, " passes over all functions.")
  best
}

swap_medoids <- function(problem, distances, start, weights, limits, size = rep(length(problem$order), 2)) {
  answer <- .Call(ffi_swap_medoids, distances, as.double(size), start - 1L, weights, limits, problem$threads)
  found <- answer_value(answer)
  found$medoids <- found$medoids + 1L
  found
}

# The medoid next to each function, and its distance: list(cluster, distance, apart), where `apart` are the
# distances of the medoids.
nearest_medoids <- function(problem, medoids) {
  x <- problem$call$x
  k <- length(medoids)
  distances <- sound_distances(problem, part_of(x, medoids), x)
  cluster <- replace(max.col(-t(distances), "first"), medoids, seq_len(k))
  list(
    cluster = cluster, distance = distances[cbind(cluster, seq_along(cluster))],
    apart = distances[, medoids, drop = FALSE]
  )
}

# ---- Results ----

new_kmedoids <- function(medoids, problem, call) {
  found <- nearest_medoids(problem, medoids)
  k <- length(medoids)
  n <- length(problem$order)
  of_each <- function(values, f) vapply(split(values, factor(found$cluster, seq_len(k))), f, 0)
  most <- of_each(found$distance, max)
  apart <- if (k > 1) apply(found$apart + diag(Inf, k), 1, min) else NA_real_
  id <- problem$order[medoids]
  given <- problem$given
  centers <- if (is.null(problem$distances$margin)) given[id] else given[id, , drop = FALSE]
  if (identical(check_margin(problem$distances$margin, given), 2L)) centers <- t(centers)
  structure(list(
    medoids = centers, id.med = id,
    clustering = stats::setNames(replace(integer(n), problem$order, found$cluster), problem$names),
    objective = mean(found$distance),
    clusinfo = cbind(
      size = tabulate(found$cluster, k), max_diss = most, av_diss = of_each(found$distance, mean),
      isolation = most / apart
    ),
    distances = problem$distances, call = call
  ), class = c("pcf_kmedoids", "partition"))
}

#' @export
print.pcf_kmedoids <- function(x, ...) {
  cat("K-medoids clustering of functions into ", number(nrow(x$clusinfo)), " cluster", plural(nrow(x$clusinfo)),
      "\n\nMedoids:\n", sep = "")
  print(x$medoids, ...)
  cat("\nClusters:\n")
  print_clusters(x$clustering, ...)
  cat("\nMean distance from the medoid:", format(x$objective, ...), "\n\n")
  print(x$clusinfo, ...)
  invisible(x)
}

#' @rdname k_medoids
#' @param object A result of `k_medoids()`.
#' @param method What to return for each function: `"centers"`, or `"classes"`, the numbers of the clusters.
#' @param ... Further arguments of [plot.pcf()]; none for other methods.
#' @export
fitted.pcf_kmedoids <- function(object, method = c("centers", "classes"), ...) {
  method <- check_option(method, "method", c("centers", "classes"))
  if (method == "classes") object$clustering else fitted_centers(object$medoids, object$clustering, object)
}

#' @rdname k_medoids
#' @param newdata Functions, of the shape of `x`; by default those that were divided.
#' @export
predict.pcf_kmedoids <- function(object, newdata = NULL, threads = NULL, ...) {
  check_no_more(list(...))
  if (is.null(newdata)) object$clustering else nearest_center(object, newdata, object$medoids, threads)
}

#' @exportS3Method cluster::silhouette
silhouette.pcf_kmeans <- function(x, dist, ...) cluster::silhouette(unname(x$cluster), dist, ...)

#' @exportS3Method cluster::silhouette
silhouette.pcf_kmedoids <- function(x, dist, ...) cluster::silhouette(unname(x$clustering), dist, ...)
