# Selections: a few pairs of each function instead of all of them.

# Computes what `selection`, a list, asks for of the distances of a request for the mode "below", of
# the functions of x, or "full", of those of x (rows) from those of y (columns):
#
# * kind: "nearest" or "farthest", with k: a list of `distance` and `id`, matrices with a row for
#   each function of x and k columns, in the order of distance, ties by the smaller id. What there
#   is not is NA.
#   "within", with radius: a list of `distance` and `id`, lists of a vector for each function of x,
#   in the same order.
#   "count", with radius: how many distances of each function of x are at most that, as doubles.
# * label: NULL, or a whole number for each function of x: pairs with the same one do not count.
# * least: NULL, or a number for each function of x: the distance of a pair is at least these two.
#   Both only for the mode "below".
#
# A function is none of its own pairs in the mode "below"; pairs without a distance (NA) are none.
# Returns list(value, report), as run_pairwise() does.
run_selection <- function(x, y, request, settings, selection, arguments = c(x = "x", y = "y"),
                          clock = NULL) {
  request$output <- "dense"
  request$mode <- "full"
  request$attributes <- list(dim = c(length(x), length(y %||% x)))
  answer <- run_pairwise(x, y %||% x, request, settings, arguments, clock)
  d <- answer$value
  if (is.null(y)) diag(d) <- NA
  if (!is.null(selection$label)) d[outer(selection$label, selection$label, "==")] <- NA
  if (!is.null(selection$least)) {
    d[] <- pmax(d, outer(selection$least, selection$least, pmax))
  }
  far <- selection$kind == "farthest"
  rows <- lapply(seq_len(nrow(d)), function(i) {
    id <- order(if (far) -d[i, ] else d[i, ], seq_len(ncol(d)), na.last = NA)
    if (selection$kind %in% c("within", "count")) id <- id[d[i, id] <= selection$radius]
    else id <- id[seq_len(selection$k)]
    list(id = id, distance = d[i, ][id])
  })
  pick <- function(name) lapply(rows, `[[`, name)
  as_rows <- function(parts) matrix(unlist(parts), length(parts), selection$k, byrow = TRUE)
  value <- switch(
    selection$kind,
    count = as.double(lengths(pick("id"))),
    within = list(distance = pick("distance"), id = pick("id")),
    list(distance = as_rows(pick("distance")), id = as_rows(pick("id")))
  )
  list(value = value, report = answer$report)
}
