# What run_selection() gives, by way of the matrix.
selection_by_matrix <- function(x, y, request, settings, selection) {
  d <- matrix_of_pairs(x, y, request, settings)
  if (!is.null(selection$label)) d[outer(selection$label, selection$label, "==")] <- NA
  if (!is.null(selection$least)) {
    d[] <- pmax(d, outer(selection$least, selection$least, pmax))
  }
  rows <- lapply(seq_len(nrow(d)), function(i) selected_of_row(d[i, ], selection))
  pick <- function(name) lapply(rows, `[[`, name)
  as_rows <- function(parts) matrix(unlist(parts), length(parts), selection[["k"]], byrow = TRUE)
  switch(
    selection$kind,
    count = as.double(lengths(pick("id"))),
    within = list(distance = pick("distance"), id = pick("id")),
    list(distance = as_rows(pick("distance")), id = as_rows(pick("id")))
  )
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

selected_of_row <- function(d, selection) {
  far <- selection$kind == "farthest"
  id <- order(if (far) -d else d, seq_along(d), na.last = NA)
  id <- if (is.null(selection[["k"]])) id[d[id] <= selection$radius] else id[seq_len(selection[["k"]])]
  list(distance = d[id], id = id)
}

`%||%` <- function(x, y) if (is.null(x)) y else x
