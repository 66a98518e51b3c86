# Selections: a few pairs of each function instead of all of them.

# The distances of a call that `selection` asks for: the value of run_selection().
select_pairs <- function(call, operation, settings, selection) {
  mode <- if (is.null(call$y)) "below" else "full"
  request <- request_for(call, operation, "none", mode)
  select <- function(how, selection) how(call$x, call$y, request, settings, selection, call$arguments)$value
  if (in_jobs(settings, call$x) && has_others(call)) return(select(select_in_jobs, selection))
  if (is.null(call$y) || selection$kind != "nearest") return(select(run_selection, selection))
  found <- select(run_selection, c(selection, guess = TRUE))
  missed <- !is.null(found$farthest) && anyNA(found$id[, ncol(found$id)])
  if (missed) found <- select(run_selection, selection)
  found[c("distance", "id")]
}

# Are there functions with which those of a call can be compared?
has_others <- function(call) length(call$y %||% call$x) > is.null(call$y)

# The same as run_selection(), in jobs that each compute a band of rows.
select_in_jobs <- function(x, y, request, settings, selection, arguments) {
  bands <- run_bands("select_band", x, y, request, selection, settings, arguments)
  if (selection$kind == "count") return(list(value = as.double(unlist(bands))))
  list(value = do.call(Map, c(if (selection$kind == "within") c else rbind, bands)))
}

# Selects pairs by their distances. In the mode "below" these are the distances between functions of x; in
# the mode "full", of functions of x (rows) from functions of y or, without y, of x (columns). `selection`
# is a list of
#
# * kind: "nearest" or "farthest", with k: the result is a list of `distance` and `id`, matrices with a row
#   for each function of x and k columns, sorted by distance, ties by id. It is NA beyond the last pair.
#   "within", with radius: a list of `distance` and `id`, lists of a vector for each function of x, sorted
#   in the same way.
#   "count", with radius: the number of distances of each function of x of at most the radius, as doubles.
# * label: NULL, or an integer for each function of x: pairs with equal labels are ignored.
# * least: NULL, or a double for each function of x, the least distance of its pairs: smaller distances are
#   replaced by it. `label` and `least` are only for the mode "below", and not for "farthest".
# * farthest: NULL, or a double for each function of x: larger distances need not be selected, and there may be
#   fewer than k. Only for "nearest".
# * guess: may it begin with guessed limits, which may be somewhat too small? Then there may be fewer than k, and the
#   result has `farthest`: a limit for each function within which it has its k nearest, or NULL. With labels these
#   are limits of all functions of a label, of which only the nearest pair is wanted.
# * kept: NULL, or where the pairs are kept, for "nearest" and "within"; see R/pairs-kept.R.
#
# In the mode "below" a function does not form a pair with itself. Pairs without a distance (NA) are
# ignored. Returns list(value, report), as run_pairwise() does; without a value if the selection is only
# `planned`.
run_selection <- function(x, y, request, settings, selection, arguments = c(x = "x", y = "y"), planned = FALSE) {
  # Elements that are given come first.
  others <- list(label = NULL, least = NULL, farthest = NULL, guess = FALSE, kept = NULL, planned = planned)
  selection <- c(selection, others)
  unreported <- planned || isTRUE(selection$kept$done)
  run_reported(.Call(ffi_select, x, y, request, settings, selection), x, y, arguments, unreported)
}

# A selection for a band of rows, each compared with all functions.
select_band <- function(band, run, x, y, request, selection, arguments) {
  settings <- settings_of_band(band, run, x, y, request, arguments)
  request$mode <- "full"
  wanted <- selection
  if (is.null(y) && !is.null(wanted[["k"]])) wanted$k <- wanted$k + 1 # each is its own neighbour
  found <- run_selection(x, y, request, settings, wanted, arguments)
  rows <- seq(band[1], band[2])
  value <- if (selection$kind == "count") found$value[rows] else lapply(found$value, rows_of, rows)
  if (is.null(y)) {
    value <- if (selection$kind == "count") value - has_distance(functions_at(x, rows), request, settings)
             else without_itself(value, rows, selection)
  }
  list(value = value, report = found$report)
}

# Which functions have a distance from themselves? It is then 0.
has_distance <- function(x, request, settings) {
  request$missing <- "overlap" # of any length
  !is.na(paired_distances(x, x, request, settings))
}

# The distances of functions of x from those of y with the same indices.
paired_distances <- function(x, y, request, settings) {
  request[c("output", "mode")] <- "paired"
  settings["rows"] <- list(NULL)
  settings[c("device", "kernel")] <- c("cpu", "walk")
  answer_value(.Call(ffi_pairwise, x, y, request, settings), x = x)
}

without_itself <- function(found, rows, selection) {
  k <- selection[["k"]]
  if (is.null(k)) {
    kept <- Map(`!=`, found$id, rows)
    return(lapply(found, function(lists) unname(Map(`[`, lists, kept))))
  }
  # If a function is not among its own neighbours, the last one is dropped.
  itself <- max.col(cbind(found$id == rows & !is.na(found$id), TRUE), "first")
  column <- outer(itself, seq_len(k), function(itself, column) column + (column >= itself))
  lapply(found, function(m) array(m[cbind(c(row(column)), c(column))], dim(column)))
}
