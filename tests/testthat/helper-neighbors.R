# What order() finds in a matrix, row by row. `d` has NA where there is no pair.
nearest_oracle <- function(d, k) {
  rows <- lapply(seq_len(nrow(d)), function(i) order(d[i, ], na.last = NA)[seq_len(k)])
  id <- matrix(as.integer(unlist(rows)), nrow(d), k, byrow = TRUE)
  list(id = id, dist = array(d[cbind(c(row(id)), c(id))], dim(id)))
}

within_oracle <- function(d, radius) {
  id <- lapply(seq_len(nrow(d)), function(i) {
    id <- order(d[i, ], na.last = NA)
    id[d[i, id] <= radius]
  })
  list(id = id, dist = lapply(seq_along(id), function(i) d[i, id[[i]]]))
}

# The distances of all pairs, without those of functions from themselves where there is no query.
pairs_of <- function(x, query = NULL, ...) {
  if (!is.null(query)) return(full_matrix(query, x, ...))
  d <- half_matrix(x, ...)
  diag(d) <- NA
  d
}

# Are neighbours those of the matrix? The radius is that of a share of the distances.
expect_neighbors <- function(x, k, query = NULL, ..., share = 0.5, label = "") {
  d <- maybe_infinite(pairs_of(x, query, ...))
  expected <- nearest_oracle(d, k)
  near <- maybe_infinite(nearest_neighbors(x, k, query, ...))
  expect_identical(unname(near$id), expected$id, label = paste("id", label))
  expect_identical(unname(near$dist), expected$dist, label = paste("dist", label))
  radius <- stats::quantile(d[is.finite(d)], share, names = FALSE)
  if (is.na(radius)) return(invisible())
  expected <- within_oracle(d, radius)
  within <- neighbors_within(x, radius, query, ...)
  expect_identical(lapply(within$id, as.integer), expected$id, label = paste("within", label))
  expect_identical(within$dist, expected$dist, label = paste("within", label))
  counts <- as.vector(neighbors_within(x, radius, query, ..., count = TRUE))
  expect_identical(counts, as.double(lengths(expected$id)), label = paste("count", label))
}
