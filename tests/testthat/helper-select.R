# What run_selection() gives, by way of the matrix.
selection_by_matrix <- function(x, y, request, settings, selection) {
  selections_by_matrix(x, y, request, settings, list(selection))[[1]]
}

# The same of several selections, which have the labels and the least distances of the first.
selections_by_matrix <- function(x, y, request, settings, selections) {
  d <- matrix_of_pairs(x, y, request, settings)
  label <- selections[[1]]$label
  least <- selections[[1]]$least
  if (!is.null(label)) d[outer(label, label, "==")] <- NA
  if (!is.null(least)) d[] <- pmax(d, outer(least, least, pmax))
  select_in_matrix(d, selections)
}

# Rows are sorted once for all selections, and from the far end only where one asks for that.
select_in_matrix <- function(d, selections, near = sorted_rows(d), far = sorted_rows(-d)) {
  lapply(selections, function(selection) {
    k <- selection[["k"]]
    ids <- if (selection$kind == "farthest") far else near
    ids <- lapply(seq_along(ids), function(i) {
      id <- ids[[i]]
      if (is.null(k)) id[d[i, id] <= selection$radius] else id[seq_len(k)]
    })
    distances <- lapply(seq_along(ids), function(i) d[i, ids[[i]]])
    as_rows <- function(parts) matrix(unlist(parts), length(parts), k, byrow = TRUE)
    switch(
      selection$kind,
      count = as.double(lengths(ids)),
      within = list(distance = distances, id = ids),
      list(distance = as_rows(distances), id = as_rows(ids))
    )
  })
}

sorted_rows <- function(d) {
  lapply(seq_len(nrow(d)), function(i) order(d[i, ], na.last = NA))
}

# With NA on the diagonal of one collection.
matrix_of_pairs <- function(x, y, request, settings) {
  request$output <- if (is.null(y)) "dist" else "dense"
  d <- suppressWarnings(
    pcfdist:::run_pairwise(x, y, request, settings)$value,
    classes = "pcfdist_warning_infinite"
  )
  if (!is.null(y)) return(matrix(d, length(x), length(y)))
  full <- matrix(NA_real_, length(x), length(x))
  full[lower.tri(full)] <- d
  pmax(full, t(full), na.rm = TRUE)
}

# With whole values and times, so that there are ties, and equal functions.
tied_functions <- function(n, points = 4) {
  pcf(lapply(seq_len(n), function(i) sort(sample(0:8, points))),
      lapply(seq_len(n), function(i) c(sample(0:3, points - 1, TRUE), 0)))
}

# A request of the functions of x alone or, with y, from those of y.
request_of <- function(y, p = 1, from = -Inf, to = Inf, missing = "error") {
  call <- list(window = list(from = from, to = to), missing = missing)
  pcfdist:::request_for(call, pcfdist:::operation_of(p), "none", if (is.null(y)) "below" else "full")
}
