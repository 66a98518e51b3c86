# Elements of a collection that are missing as a whole are NULL, as joins of data frames leave them. Numbers of
# single functions are NA for them.

# compute(filled, none): numbers of the functions, in which others stand in for missing ones; `none` tells that all are
# missing. The first dimension of the result is that of the functions or, with a `margin`, that of the rows of a
# matrix of functions, of which those with a missing component are missing.
numbers_of_each <- function(x, compute, margin = NULL) {
  if (!any(is.na(x))) return(compute(x, FALSE))
  gone <- vapply(unclass(x), is.null, NA) # of damaged functions, others have the length 0
  kept <- which(!gone, useNames = FALSE)
  found <- .Call(ffi_validate, functions_at(x, kept))
  answer_value(answer_about(list(problem = found, argument = "x"), kept), x = x)
  by_row <- !is.null(margin) && is.matrix(x)
  if (by_row) gone <- apply(array(gone, dim(x)), 1, any)
  gone <- which(gone, useNames = FALSE)
  numbers <- compute(with_stand_ins(x, gone, by_row), length(gone) == (if (by_row) nrow(x) else length(x)))
  without_numbers(numbers, gone, if (by_row) nrow(x) else length(x))
}

# The functions, or the rows of a matrix of functions, `gone` are replaced by copies of the first that is there. Where
# there is none, they are never observed.
with_stand_ins <- function(x, gone, by_row) {
  functions <- if (by_row) matrix(unclass(x), nrow(x)) else cbind(unclass(x))
  first <- setdiff(seq_len(nrow(functions)), gone)[1]
  never <- if (is_plf(x)) new_line(0, NA_real_, NA_real_) else new_function(-Inf, NA_real_)
  for (k in seq_len(ncol(functions))) {
    i <- first + (k - 1) * nrow(functions)
    functions[gone, k] <- list(if (is.na(i)) never else structure(functions[[i]], copy_of = i))
  }
  replace_functions(x, as.vector(functions, "list"))
}

# Sets the numbers of the i-th of `n` functions, for each i in `gone`, to NA. They may be times of any class.
without_numbers <- function(numbers, gone, n) {
  columns <- seq_len(length(numbers) / n) - 1
  values <- replace(as.vector(unclass(numbers)), outer(gone, n * columns, "+"), NA)
  with_shape(values, attributes(numbers))
}
