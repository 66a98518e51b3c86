# Selections: a few pairs of each function instead of all of them.

# Computes what `selection`, a list, asks for of the distances of a request for the mode "below", of
# the functions of x, or "full", of those of x (rows) from those of y or, without y, of x (columns):
#
# * kind: "nearest" or "farthest", with k: a list of `distance` and `id`, matrices with a row for
#   each function of x and k columns, in the order of distance, ties by the smaller id. What there
#   is not is NA.
#   "within", with radius: a list of `distance` and `id`, lists of a vector for each function of x,
#   in the same order.
#   "count", with radius: how many distances of each function of x are at most that, as doubles.
# * label: NULL, or a whole number for each function of x: pairs with the same one do not count.
# * least: NULL, or a number for each function of x: the distance of a pair is at least these two.
#   Both only for the mode "below", and not for "farthest".
#
# A function is none of its own pairs in the mode "below"; pairs without a distance (NA) are none.
# Returns list(value, report), as run_pairwise() does.
run_selection <- function(x, y, request, settings, selection, arguments = c(x = "x", y = "y")) {
  on.exit(end_bar())
  answer <- .Call(ffi_select, x, y, request, settings, typed_selection(selection))
  check_pairs(answer, x, y, arguments)
  answer$report$pruned <- answer$pruned
  the$last_run <- answer$report
  answer
}

typed_selection <- function(selection) {
  typed <- function(name, type) {
    value <- selection[[name]]
    if (!is.null(value)) type(value)
  }
  list(
    kind = selection$kind, k = typed("k", as.double), radius = typed("radius", as.double),
    label = typed("label", as.integer), least = typed("least", as.double)
  )
}
