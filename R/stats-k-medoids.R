# k-medoids of functions: medoids are swapped for other functions as long as that helps, src/clusters/swaps.c. Up
# to a number of functions all distances are computed; beyond, those from a batch of functions (OneBatchPAM).

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
  find <- if (length(problem$call$x) <= most_whole) medoids_of_all
          else medoids_of_batch
  new_kmedoids(find(problem, nstart), problem, match.call())
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
  count <- numeric(m)
  floats <- store_floats(problem, batch, seq_len(n), function(distances) {
    count <<- count + tabulate(max.col(-t(distances), "first"), m)
  })
  for (j in seq_len(m)) .Call(ffi_store_floats, floats$largest, floats$distances, m * (batch[j] - 1) + j - 1)
  limits <- c(floats$largest, 1e-6, most_passes)
  found <- least_medoids(problem, nstart, function(start) {
    swap_medoids(problem, floats$distances, start, count / mean(count), limits)
  })
  rest <- setdiff(order(found$gain, decreasing = TRUE), found$medoids)
  near <- c(found$medoids, utils::head(rest, ceiling(m / 4)))
  floats <- NULL # makes room for
  floats <- store_floats(problem, seq_len(n), near)
  near[swap_medoids(problem, floats$distances, seq_len(problem$k), NULL, limits, length(near))$medoids]
}

most_passes <- 100

# The distances of functions, in the rows, from others, in the columns, as floats: list(distances, largest).
store_floats <- function(problem, rows, columns, look = identity) {
  x <- problem$call$x
  m <- length(rows)
  floats <- integer(m * length(columns))
  largest <- 0
  for (some in runs_of(length(columns), max(1, 2^22 %/% m))) {
    distances <- sound_distances(problem, part_of(x, rows), part_of(x, columns[some]))
    look(distances)
    largest <- max(largest, distances)
    .Call(ffi_store_floats, distances, floats, m * (some[1] - 1))
  }
  list(distances = floats, largest = largest)
}

# The best of several random starts.
least_medoids <- function(problem, nstart, swap) {
  tries <- lapply(seq_len(nstart), function(k) swap(sample.int(length(problem$order), problem$k)))
  best <- tries[[which.min(vapply(tries, function(found) found$loss, 0))]]
  if (!best$settled) warn("iterations", "k_medoids() stopped after ", most_passes, " passes over all functions.")
  best
}

swap_medoids <- function(problem, distances, start, weights, limits, columns = length(problem$order)) {
  answer <- .Call(
    ffi_swap_medoids, distances, as.double(columns), start - 1L, weights, limits, problem$threads
  )
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
  print(x$clustering, ...)
  cat("\nMean distance from the medoid:", format(x$objective, ...), "\n\n")
  print(x$clusinfo, ...)
  invisible(x)
}

#' @export
fitted.pcf_kmedoids <- function(object, method = c("centers", "classes"), ...) {
  method <- check_option(method, "method", c("centers", "classes"))
  if (method == "classes") object$clustering else fitted_centers(object$medoids, object$clustering, object)
}

#' @export
predict.pcf_kmedoids <- function(object, newdata = NULL, threads = NULL, ...) {
  check_no_more(list(...))
  if (is.null(newdata)) object$clustering else nearest_center(object, newdata, object$medoids, threads)
}

#' @export
plot.pcf_kmedoids <- function(x, data = NULL, ...) {
  draw_clusters(stats::setNames(x$medoids, seq_along(x$id.med)), x$clustering, data, ...)
}

silhouette.pcf_kmeans <- function(x, dist, ...) cluster::silhouette(unname(x$cluster), dist, ...)

silhouette.pcf_kmedoids <- function(x, dist, ...) cluster::silhouette(unname(x$clustering), dist, ...)
