# Step functions as piecewise linear ones.

# The collection as a plf; NULL and a plf are returned unchanged.
as_lines <- function(x) {
  if (is.null(x) || inherits(x, "plf")) return(x)
  x <- check_matrices(x)
  functions <- lapply(unclass(x), function(f) if (!is.null(f)) line_of_steps(f))
  new_plf(shaped_as(functions, x), unit_of(x), name_of(x))
}

line_of_steps <- function(f) {
  before <- if (f[[1]] == -Inf) f[[1, 2]] else 0
  if (f[[1]] == -Inf) f <- f[-1, , drop = FALSE]
  if (nrow(f) == 0) return(new_line(0, before, before))
  new_line(f[, 1], c(before, f[-nrow(f), 2]), f[, 2])
}

# Collections as one class: plf, if one of them is. Those that match any unit of time get that of another
# one, since lines have finite times.
in_one_family <- function(collections) {
  if (!any(vapply(collections, inherits, NA, "plf"))) return(collections)
  timeless <- vapply(collections, function(x) is_pcf(x) && is_timeless(x), NA)
  if (any(timeless)) {
    unit <- unit_of(Find(Negate(is_timeless), collections))
    collections[timeless] <- lapply(collections[timeless], function(x) like(x, x, unit))
  }
  lapply(collections, as_lines)
}

# Several collections as one. `...` are arguments of unit_of_all() for messages.
join_collections <- function(parts, argument, ...) {
  parts <- in_one_family(parts)
  unit <- unit_of_all(parts, argument, ...)
  functions <- lapply(parts, function(part) unclass(in_unit(part, unit, argument)))
  class <- if (length(parts) > 0) class_of(parts[[1]]) else pcf_class
  new_pcf(as.list(do.call(c, functions)), unit, class, joint_name(parts))
}
