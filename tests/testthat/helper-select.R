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
  k <- selection[["k"]]
  id <- if (is.null(k)) id[d[id] <= selection$radius] else id[seq_len(k)]
  list(distance = d[id], id = id)
}

# With whole values and times, so that there are ties, and equal functions.
tied_functions <- function(n, points = 4) {
  pcf(lapply(seq_len(n), function(i) sort(sample(0:8, points))),
      lapply(seq_len(n), function(i) c(sample(0:3, points - 1, TRUE), 0)))
}

# A request of the functions of x alone or, with y, from those of y.
request_of <- function(y, p = 1, from = -Inf, to = Inf, missing = "error") {
  pcfdist:::new_request(
    "none", if (is.null(y)) "below" else "full", pcfdist:::operation_of(p)$name, p,
    list(from = from, to = to), missing
  )
}
