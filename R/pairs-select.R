# Selections: a few pairs of each function instead of all of them.

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
#
# In the mode "below" a function does not form a pair with itself. Pairs without a distance (NA) are
# ignored. Returns list(value, report), as run_pairwise() does.
run_selection <- function(x, y, request, settings, selection, arguments = c(x = "x", y = "y")) {
  selection <- c(selection, list(label = NULL, least = NULL)) # unless they are given
  run_reported(.Call(ffi_select, x, y, request, settings, selection), x, y, arguments)
}
