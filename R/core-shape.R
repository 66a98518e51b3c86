# Shapes: the names, dim and dimnames of collections and of results.

shape_of <- function(x) {
  all <- attributes(x)
  all[names(all) %in% c("names", "dim", "dimnames")]
}

# Plain values with a shape, a list of attributes, or with that of x.
with_shape <- function(values, shape) {
  attributes(values) <- shape
  values
}

shaped_as <- function(values, x) with_shape(values, shape_of(x))

# The attributes of a result for collections x and y: the dimensions of both, as for outer().
outer_shape <- function(x, y) {
  list(
    dim = c(dim(x) %||% length(x), dim(y) %||% length(y)),
    dimnames = any_labels(c(labels_of(x), labels_of(y)))
  )
}

# Dimnames, or NULL if no dimension has any.
any_labels <- function(labels) if (!all(vapply(labels, is.null, NA))) labels

# The dimnames of a collection, or its names if it has no dimensions: a list with one element a dimension.
labels_of <- function(x) {
  if (is.null(dim(x))) return(list(names(x)))
  dimnames(x) %||% vector("list", length(dim(x)))
}

# A vector of FALSE with the length, names, dim and dimnames of the result for e1 and e2, which are those
# that R gives to numbers.
combined_shape <- function(e1, e2, arguments = c("e1", "e2")) {
  withCallingHandlers(
    tryCatch(skeleton(without_one(e1)) & skeleton(without_one(e2)), error = function(error) {
      abort_argument(
        arguments[2], "cannot be combined with `", arguments[1], "`: ", conditionMessage(error), "."
      )
    }),
    warning = function(warning) {
      warning(conditionMessage(warning), call. = FALSE)
      invokeRestart("muffleWarning")
    }
  )
}

# A number that is an array of one dimension and one element, plain.
without_one <- function(x) if (length(dim(x)) == 1) plain(x) else x

skeleton <- function(x) shaped_as(logical(length(unclass(x))), x)
