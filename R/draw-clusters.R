# Pictures of clusters: see k_means() and k_medoids().

#' @rdname k_means
#' @param data `NULL`, or the functions that were divided.
#' @export
plot.pcf_kmeans <- function(x, data = NULL, ...) draw_clusters(x$centers, x$cluster, data, ...)

#' @rdname k_medoids
#' @param data `NULL`, or the functions that were divided.
#' @export
plot.pcf_kmedoids <- function(x, data = NULL, ...) {
  draw_clusters(stats::setNames(x$medoids, seq_along(x$id.med)), x$clustering, data, ...)
}

# The centers, and below them the functions that were divided, in the colors of their clusters.
draw_clusters <- function(centers, cluster, data, lwd = 3, ...) {
  if (!is.null(dim(centers))) {
    abort_argument("x", "must have clusters of functions with one component to be drawn. Plot a column of `centers`.")
  }
  if (is.null(data)) return(plot(centers, by = names(centers), lwd = lwd, ...))
  fits <- is_either(data) && length(data) == length(cluster)
  check_is(fits, data, "data", "must be the ", number(length(cluster)), " functions that were divided, not ")
  group <- factor(names(centers)[cluster], names(centers))
  plot(data, by = group, ...)
  graphics::lines(centers, col = "white", lwd = lwd + 2)
  graphics::lines(centers, col = plot_colors(data, group, NULL)$key, lwd = lwd)
}
