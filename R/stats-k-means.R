# k-means of functions: assignments and centers in turns (Lloyd's iteration). An iteration is one sweep over the
# events of all functions, which are sorted once: src/clusters/centers.h.

#' k-Means Clusters of Functions
#'
#' @description
#' `k_means()` divides functions into `k` clusters such that the sum of squared L2 distances from the means of the
#' clusters is small. The means, or centres, are functions. No function is evaluated on a grid, and no distances
#' between functions are stored: an iteration takes time in proportion to the number of breakpoints.
#'
#' The result has the class and the elements of [kmeans()][stats::kmeans].
#'
#' @details
#' Each iteration assigns every function to the nearest centre, then moves the centres (Lloyd 1982), until no
#' assignment changes. The result is a local optimum, which depends on the functions to start from. These are drawn
#' by k-means++ (Arthur and Vassilvitskii 2007) with the random numbers of R, so that [set.seed()] makes results
#' reproducible; or they are given, as `k`. A cluster that loses all members gets the function that is farthest
#' from its centre.
#'
#' Iterations end when no function moves, as those of [kmeans()][stats::kmeans] with `algorithm = "Lloyd"`: there is no
#' tolerance. Groups that lie apart are found in 5 to 50 iterations. Where there are no groups, a few of many functions
#' move for hundreds of iterations, which then hardly change the sum. Therefore there are at most 100, more than the 10
#' of [kmeans()][stats::kmeans], whose default algorithm needs fewer.
#'
#' A function moves to another cluster if its centre is nearer by more than rounding errors. Results do not depend
#' on the number of threads, nor, but for which of several equal functions is in which cluster, on the order of
#' the functions.
#'
#' **Accuracy.** Squared distances are found as differences, with errors of about 1e-15 of the squared norms of the
#' functions. Where functions differ by little beside that, as with a large offset, their differences from one of
#' them are used instead. Sums of squares within narrow clusters are found in the same way.
#'
#' **Missing values.** By default, functions must be observed at the same times; see [pdist()]. With
#' `missing = "overlap"`, a centre is at each time the mean of the members that are observed then, and the distance
#' of a function from it is the integral over the time at which the function is observed. Where no member of a
#' cluster is observed, its centre is the mean of all functions. With `missing = "mean"`, squared distances are
#' divided by the length of time of observation, and functions count in the means with the inverses of these
#' lengths, so that functions that are observed for a short time count as much as others.
#'
#' @section Cost:
#' The breakpoints of all functions are sorted once, which takes as long as a few iterations. When less than 2 % of the
#' functions move, bounds tell which others are far from the border of their cluster (Hamerly 2010). Their distances
#' are not computed, which makes iterations two to four times as fast; the result is the same. Memory is needed for
#' 20 bytes for each breakpoint (of lines 36), and for `k` numbers for each function and thread (of lines three
#' times as many). Piecewise linear functions take about three times as long as step functions.
#'
#' All is computed on the CPU, whatever the option `pcfdist.device` says: centres have so many breakpoints that a GPU
#' would take longer for their distances from all functions.
#'
#' Centres have the breakpoints of all members. Use [drop_redundant()] if fewer will do.
#'
#' @inheritParams pdist
#' @param x A [pcf] or [plf] with at least `k` functions.
#' @param k The number of clusters; or functions to start from, as many as there are to be clusters, of the same
#'   shape as `x`.
#' @param missing `"error"`, `"overlap"` or `"mean"`: see the section *Details*.
#' @param margin `NULL`, or 1 or 2 for functions with several components; see the section *Functions with several
#'   components* of [pdist()]. The centres are then a matrix, too.
#' @param nstart How often to start. The division with the smallest sum of squares is returned. Given functions
#'   are started from once.
#' @param iter.max The largest number of iterations for each start, see the section *Details*. If it is reached, a
#'   warning of class `pcfdist_warning_iterations` is given.
#'
#' @return
#' An object of the classes `pcf_kmeans` and [`kmeans`][stats::kmeans], a list of
#'
#' * `cluster`: an integer for each function, from 1 to `k`, with the names of `x`.
#' * `centers`: the centres, functions of the kind of `x`.
#' * `totss`, `withinss`, `tot.withinss`, `betweenss`: the sum of squared L2 distances from the mean of all
#'   functions; the sums from their own centres, for each cluster and altogether; the difference. Their unit is
#'   that of squared values times that of time; with `missing = "mean"`, that of squared values.
#' * `size`: the number of functions in each cluster.
#' * `iter`, `ifault`: the number of iterations; 0, or 2 if there were too few.
#' * `distances`, `call`: the arguments of distances, which `predict()` uses; the call.
#'
#' `fitted()` returns the centre of each function or, with `method = "classes"`, `cluster`. `predict()` returns the
#' nearest centre of each of `newdata`, `NA` for functions that are not observed together with any centre.
#' `plot()` draws the centres and, with `data`, the functions that were divided.
#' [cluster::silhouette()] has a method: `cluster::silhouette(object, dist)`.
#'
#' @inheritSection pdist Weights
#' @inheritSection pdist Errors
#'
#' @references
#' Arthur, D. and Vassilvitskii, S. (2007). k-means++: the advantages of careful seeding. *SODA 2007*, 1027--1035.
#'
#' Hamerly, G. (2010). Making k-means even faster. *SDM 2010*, 130--140. \doi{10.1137/1.9781611972801.12}
#'
#' Lloyd, S. P. (1982). Least squares quantization in PCM. *IEEE Transactions on Information Theory* 28(2),
#' 129--137. \doi{10.1109/TIT.1982.1056489}
#'
#' @seealso [k_medoids()] for other distances, [spanning_tree()] for single linkage, [pdist()] with
#'   [hclust()][stats::hclust]
#'
#' @examples
#' set.seed(1)
#' x <- c(rpcf(20, kind = "sine"), rpcf(20, kind = "cosine"))
#' found <- k_means(x, 2, to = 1, nstart = 5)
#' found
#' plot(found, x)
#' table(found$cluster, rep(c("sine", "cosine"), each = 20))
#' predict(found, rpcf(3, kind = "sine"))
#'
#' # Start from given functions
#' k_means(x, x[c(1, 40)], to = 1)$size
#' @importFrom stats fitted predict
#' @export
k_means <- function(x, k, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"), weight = NULL,
                    margin = NULL, nstart = 1, iter.max = 100, threads = NULL) {
  check_given(k, "k", "the number of clusters, or functions to start from")
  problem <- clustering_problem(x, k, operation_of(2), from, to, missing, weight, margin, threads)
  nstart <- check_count(nstart, "nstart")
  iter.max <- check_count(iter.max, "iter.max")
  check_ends_agree(problem$call)
  found <- in_pieces(least_means(problem, nstart, iter.max))
  if (!found$settled) {
    warn("iterations", "k_means() did not converge in ", number(iter.max), " iteration", plural(iter.max),
         ". Allow more with `iter.max`.")
  }
  new_kmeans(found, problem, match.call())
}

# ---- The problem, in an order that does not depend on that of the functions ----

# The call about functions to be divided, for both kinds of clusters: `order` is the order in which all is
# computed, and `k` the number of clusters; `call$y` are functions to start from, or NULL. `distances` are the
# arguments with which cdist() finds the nearest center of other functions.
clustering_problem <- function(x, k, operation, from, to, missing, weight, margin, threads, min_overlap = NULL) {
  starts <- if (is_either(k)) k
  call <- check_integrals(x, starts, from, to, missing, weight, margin, operation, c(x = "x", y = "k"),
                          min_overlap = min_overlap)
  call$x <- check_functions(call$x)
  n <- length(call$x)
  if (n == 0) abort_argument("x", "must have at least one function.")
  k <- if (is.null(starts)) check_count(k, "k") else length(check_functions(call$y, "k"))
  if (k < 1) abort_argument("k", "must have at least one function.")
  if (k > n) {
    abort_argument("k", "must be at most ", number(n), ", the number of functions of `x`, not ", number(k), ".")
  }
  threads <- run_threads(threads)
  if (any_missing(call$x) || any_missing(call$y)) check_lines_observed(call, threads)
  order <- answer_value(.Call(ffi_content_order, call$x), x = call$x)
  list(
    call = replace(call, "x", list(part_of(call$x, order))), order = order, k = k, threads = threads,
    given = if (is.null(margin)) x else component_matrix(x, margin, "x"), names = function_labels(call$x),
    distances = list(from = from, to = to, missing = call$missing, weight = weight, margin = margin)
  )
}

any_missing <- function(x) anyNA(unclass(x), recursive = TRUE)

# Distances are infinite unless functions end alike in an infinite window.
check_ends_agree <- function(call) {
  for (end in c("from", "to")) if (is.infinite(call$window[[end]])) {
    values_of <- if (end == "from") values_before else values_after
    values <- values_of(call$x)
    if (call$missing == "mean") check_bounded(which(!is.na(values)), call$x, call$window)
    differing <- sort(unique(c(values, if (!is.null(call$y)) values_of(call$y))))
    if (length(differing) < 2) next
    abort_argument(
      end, "must be finite: functions have different values, such as ", number(differing[1]), " and ",
      number(differing[2]), ", ", if (end == "to") "up to Inf" else "from -Inf on",
      ", so that they are at infinite distances from each other."
    )
  }
}

# ---- Starts ----

# The best of several starts: list(cluster, own, iter, settled, within, total, weights) in the order of the problem.
least_means <- function(problem, nstart, iter_max) {
  problem <- with_events(problem)
  random <- is.null(problem$call$y)
  tries <- lapply(seq_len(if (random) nstart else 1), function(k) {
    cluster <- if (random) draw_means(problem) else nearest_start(problem)
    iterate_means(problem, fill_empty(cluster, numeric(length(cluster)), problem$k), iter_max)
  })
  best <- tries[[which.min(vapply(tries, function(found) sum(found$own), 0))]]
  best$within <- within_sums(problem, best$cluster, best$own, problem$k) / problem$unit
  best$total <- within_sums(problem, in_one(problem), problem$own, 1) / problem$unit
  best$weights <- problem$weights %||% rep(1, length(best$cluster))
  best
}

in_one <- function(problem) rep(1L, length(problem$call$x))

# Adds the events, the weights of functions, or NULL for 1, in units of 1 / `unit`, a power of two, squared norms, and
# squared distances from the mean. These are differences of larger numbers: where functions differ by little, the
# events are those of their differences from one of them.
with_events <- function(problem) {
  problem$events <- sorted_events(problem$call, problem$threads)
  unseen <- if (problem$events$missing) which(problem$events$length == 0)
  if (length(unseen) > 0) abort_unseen(min(problem$order[unseen]), problem)
  mean <- problem$call$missing == "mean"
  problem$unit <- if (mean) unit_near(max(problem$events$length)) else 1
  problem$weights <- if (mean) problem$unit / problem$events$length
  own <- sweep_means(problem, in_one(problem), 1)$own
  problem$shifted <- sum(own) < 1e-3 * sum(norms_of(problem))
  if (problem$shifted) {
    problem$events <- sorted_events(apart_from(problem$call, which.min(own)), problem$threads)
    own <- sweep_means(problem, in_one(problem), 1)$own
  }
  c(problem, list(own = own, norms = norms_of(problem)))
}

abort_unseen <- function(i, problem) {
  x <- part_of(problem$call$x, order(problem$order))
  abort(
    "missing", argument = "missing", index = i, function_label(i, x), " is never observed in the window, so ",
    "that it is in no cluster. Leave it out, or choose another window."
  )
}

sorted_events <- function(call, threads) {
  window <- as.double(c(call$window$from, call$window$to))
  answer_value(.Call(ffi_sort_events, call$x, window, call$weight, threads), x = call$x)
}

# The squared norms of functions, each times its weight.
norms_of <- function(problem) {
  times_power_of_2(problem$events$norm, problem$events$exponent) * (problem$weights %||% 1)
}

# A call about the differences of `some` functions from others of them, at `from`.
apart_from <- function(call, from, some = seq_along(call$x)) {
  replace(call, "x", list(part_of(call$x, some) - without_gaps(part_of(call$x, from))))
}

# Functions that go on where they were not observed.
without_gaps <- function(x) {
  map_functions(x, function(f) {
    if (ncol(f) == 3) {
      f[, 2] <- ifelse(is.na(f[, 2]), f[, 3], f[, 2])
      f[, 3] <- ifelse(is.na(f[, 3]), f[, 2], f[, 3])
    }
    known <- f[!is.na(f[, 2]), , drop = FALSE]
    if (nrow(known) == 0) return(replace(f[1, , drop = FALSE], seq_len(ncol(f)), 0))
    if (f[1, 1] == -Inf) known[1, 1] <- -Inf
    known
  })
}

# k-means++ (Arthur and Vassilvitskii 2007): each further start is drawn with probabilities in proportion to
# squared distances from the nearest one before. Returns the nearest start of each function.
draw_means <- function(problem) {
  x <- problem$call$x
  n <- length(x)
  cluster <- rep(1L, n)
  chosen <- sample.int(n, 1)
  least <- distances_to(problem, part_of(x, chosen))
  for (q in seq_len(problem$k)[-1]) {
    shares <- replace((least / max(least, 2^-1022))^2, chosen, 0)
    if (all(shares == 0)) shares <- replace(rep(1, n), chosen, 0)
    chosen[q] <- sample.int(n, 1, prob = shares)
    distances <- distances_to(problem, part_of(x, chosen[q]))
    cluster[distances < least] <- q
    least <- base::pmin(least, distances)
    draw_waiting(0)
  }
  replace(cluster, chosen, seq_len(problem$k))
}

# The nearest of the functions to start from.
nearest_start <- function(problem) {
  distances <- lapply(seq_len(problem$k), function(q) distances_to(problem, part_of(problem$call$y, q)))
  max.col(-do.call(cbind, distances), "first")
}

# The L2 distances of all functions from one; those that are never observed together are as far as any.
distances_to <- function(problem, other) {
  request <- request_for(problem$call, operation_of(2), "dense", "full")
  settings <- run_settings("cpu", "double", problem$threads, FALSE)
  distances <- as.vector(answer_value(.Call(ffi_pairwise, problem$call$x, other, request, settings)))
  replace(distances, is.na(distances), max(0, distances, na.rm = TRUE))
}

# ---- Iterations ----

iterate_means <- function(problem, cluster, iter_max) {
  k <- problem$k
  bounds <- NULL
  for (iter in 0:iter_max) {
    the$pieces$label <- paste0("k_means(), iteration ", iter, " of at most ", iter_max)
    found <- sweep_means(problem, cluster, k, bounds$stays)
    draw_waiting(0)
    settled <- identical(found$nearest, cluster)
    if (settled || iter == iter_max) break
    empty <- any(tabulate(found$nearest, k) == 0)
    if (empty) found <- whole_sweep(problem, cluster, found)
    bounds <- if (!empty) next_bounds(bounds, problem, found, cluster)
    cluster <- fill_empty(found$nearest, found$best, k)
  }
  list(cluster = cluster, own = whole_sweep(problem, cluster, found)$own, iter = max(1, iter), settled = settled)
}

# The nearest center of each function, the squared distances from its own and from the nearest, and the least one from
# the others, weighted; of functions that are known to stay, NaN.
sweep_means <- function(problem, cluster, k, stays = NULL) {
  answer <- .Call(
    ffi_sweep_centers, problem$events, cluster - 1L, as.double(k), problem$weights, stays, problem$threads
  )
  found <- answer_value(answer)
  found$nearest <- found$nearest + 1L
  if (!is.null(problem$weights)) found[c("own", "best")] <- lapply(found[c("own", "best")], `*`, problem$weights)
  found
}

whole_sweep <- function(problem, cluster, found) {
  if (anyNA(found$own)) sweep_means(problem, cluster, problem$k) else found
}

# ---- Bounds ----

# Of the distances of each function, from its center and from the nearest other one, bounds for the next iteration
# (Hamerly 2010): centers drift, and distances change by no more. A function `stays` if the former is less than the
# latter. NULL where there are none, or where centers drift too far for them.
next_bounds <- function(bounds, problem, found, cluster) {
  to <- found$nearest
  moved <- which(to != cluster)
  whole <- is.null(problem$weights) && !problem$events$missing && !problem$shifted
  if (!whole || length(moved) > length(to) / 50) return(NULL)
  drift <- drifts(problem, found, moved, cluster)
  others <- vapply(seq_along(drift), function(q) max(0, drift[-q]), 0)
  known <- which(!is.na(found$own))
  rounding <- 1e-13 * (problem$norms[known] + max(problem$norms))
  upper <- replace(bounds$upper %||% found$best, known, sqrt(found$best[known] + rounding)) + drift[to]
  least <- sqrt(base::pmax(found$second[known] - rounding, 0))
  lower <- replace(bounds$lower %||% found$best, known, least) - others[to]
  list(upper = upper, lower = lower, stays = as.integer((upper < lower) %in% TRUE))
}

# How far centers go if functions `moved`. With the sum of those that enter minus those that leave, s, and the number
# m of the former minus the latter, a center c goes by (s - m c) / n. The inner products of functions and centers
# follow from their distances.
drifts <- function(problem, found, moved, cluster) {
  k <- problem$k
  row <- c(found$nearest[moved], cluster[moved])
  sign <- rep(c(1, -1), each = length(moved))
  in_groups <- function(values) as.vector(rowsum(c(values, numeric(k)), c(row, seq_len(k))))
  x <- part_of(problem$call$x, c(moved, moved))
  used <- sort(unique(row))
  sums <- reduce_rows(x, "sum", match(row, used), length(used), sign, FALSE, "cpu", problem$threads)
  call <- replace(problem$call, "x", list(sums))
  length <- suppressWarnings(measure_functions(call, operation_of(2)$name, 2, problem$threads, "cpu"))
  square <- replace(numeric(k), used, length^2)
  norm <- problem$norms[c(moved, moved)]
  more <- in_groups(sign)
  rounding <- 1e-13 * (square + abs(more) * in_groups(norm))
  square <- square - more * in_groups(sign * (norm - c(found$best[moved], found$own[moved]))) + rounding
  sqrt(base::pmax(square, 0)) / tabulate(found$nearest, k)
}

# A cluster that has lost all members gets the function that is farthest from its center, of those that are not
# alone.
fill_empty <- function(cluster, distances, k) {
  for (q in which(tabulate(cluster, k) == 0)) {
    alone <- tabulate(cluster, k)[cluster] == 1
    i <- which.max(replace(distances, alone, -1))
    cluster[i] <- q
    distances[i] <- 0
  }
  cluster
}

# The sums over clusters of the distances `own`. Where these are small beside the norms of the functions, they
# are found again from differences to the member that is next to the center.
within_sums <- function(problem, cluster, own, k) {
  in_groups <- function(values) as.vector(rowsum(c(values, numeric(k)), c(cluster, seq_len(k))))
  tight <- which(in_groups(own) < 1e-3 * in_groups(norms_of(problem)))
  some <- which(cluster %in% tight)
  if (length(some) == 0) return(in_groups(own))
  ranked <- some[order(own[some])]
  next_to <- ranked[match(seq_len(k), cluster[ranked])]
  problem$events <- sorted_events(apart_from(problem$call, next_to[cluster[some]], some), problem$threads)
  problem$weights <- problem$weights[some]
  own[some] <- sweep_means(problem, match(cluster[some], tight), length(tight))$own
  in_groups(own)
}

# ---- Results ----

new_kmeans <- function(found, problem, call) {
  n <- length(problem$order)
  cluster <- replace(integer(n), problem$order, found$cluster)
  weights <- replace(numeric(n), problem$order, found$weights)
  within <- found$within
  structure(list(
    cluster = stats::setNames(cluster, problem$names), centers = centers_of(problem, cluster, weights),
    totss = found$total, withinss = within, tot.withinss = sum(within), betweenss = found$total - sum(within),
    size = tabulate(cluster, problem$k), iter = found$iter, ifault = if (found$settled) 0L else 2L,
    distances = c(problem$distances, p = 2), call = call
  ), class = c("pcf_kmeans", "kmeans"))
}

# The means of clusters, of each component. Where no member is observed, the mean of all functions.
centers_of <- function(problem, cluster, weights) {
  x <- problem$given
  k <- problem$k
  columns <- seq_len(length(x) / length(cluster))
  means <- function(cluster, count) {
    rows <- as.double(outer(cluster, count * (columns - 1), "+"))
    answer <- .Call(
      ffi_reduce, x, "mean", rows, as.double(count * length(columns)), rep(weights, length(columns)), TRUE,
      problem$threads, NULL
    )
    like(x, answer_value(answer, x = x))
  }
  centers <- means(cluster, k)
  if (any_missing(centers)) {
    all <- means(rep(1, length(cluster)), 1)[rep(columns, each = k)]
    one <- new_pcf(list(new_function(-Inf, 1)), unit_of(x))
    centers <- map_functions(centers, function(f) replace(f, is.na(f), 0)) + all * (one - observed(centers))
  }
  if (is.null(problem$distances$margin)) return(structure(centers, names = as.character(seq_len(k))))
  dim(centers) <- c(k, length(columns))
  dimnames(centers) <- list(as.character(seq_len(k)), colnames(x))
  if (check_margin(problem$distances$margin, centers) == 2) t(centers) else centers
}

# Of many functions only the first, so that what is printed above is still to be seen.
print_clusters <- function(cluster, ..., max = 200) print(cluster, ..., max = max)

#' @export
print.pcf_kmeans <- function(x, ...) {
  cat("K-means clustering of functions into ", number(length(x$size)), " cluster", plural(length(x$size)),
      " of sizes ", paste(x$size, collapse = ", "), "\n\nCentres:\n", sep = "")
  print(x$centers, ...)
  cat("\nClusters:\n")
  print_clusters(x$cluster, ...)
  cat("\nSums of squared L2 distances within clusters:\n")
  print(x$withinss, ...)
  if (x$totss > 0) cat(sprintf(" (between_SS / total_SS = %5.1f %%)\n", 100 * x$betweenss / x$totss))
  invisible(x)
}

#' @rdname k_means
#' @param object A result of `k_means()`.
#' @param method What to return for each function: `"centers"`, or `"classes"`, the numbers of the clusters.
#' @param ... Further arguments of [plot.pcf()]; none for other methods.
#' @export
fitted.pcf_kmeans <- function(object, method = c("centers", "classes"), ...) {
  method <- check_option(method, "method", c("centers", "classes"))
  if (method == "classes") object$cluster else fitted_centers(object$centers, object$cluster, object)
}

# The center of each function, named like it.
fitted_centers <- function(centers, cluster, object) {
  if (is.null(object$distances$margin)) return(stats::setNames(centers[cluster], names(cluster)))
  if (check_margin(object$distances$margin, centers) == 1) centers[cluster, ] else centers[, cluster]
}

#' @rdname k_means
#' @param newdata Functions, of the shape of `x`; by default those that were divided.
#' @export
predict.pcf_kmeans <- function(object, newdata = NULL, threads = NULL, ...) {
  check_no_more(list(...))
  if (is.null(newdata)) object$cluster else nearest_center(object, newdata, object$centers, threads)
}

# The nearest center of other functions, or NA where they are never observed together. Ties go to the first.
nearest_center <- function(object, newdata, centers, threads, ...) {
  wanted <- list(newdata, centers, threads = threads, progress = FALSE, ...)
  distances <- do.call(cdist, c(wanted, object$distances))
  distances <- matrix(distances, ncol = length(object$size %||% object$id.med))
  nearest <- max.col(-replace(distances, is.na(distances), Inf), "first")
  nearest[rowSums(!is.na(distances)) == 0] <- NA
  margin <- object$distances$margin
  names <- if (is.null(margin)) names(newdata) else rownames(component_matrix(newdata, margin, "newdata"))
  stats::setNames(nearest, names)
}
