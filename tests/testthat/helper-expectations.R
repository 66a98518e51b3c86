# Most expectations hold, and testthat takes a millisecond for each, as it gets ready to show a difference
# before it looks for one. These ask testthat only where there may be something to show.

expect_identical <- function(object, expected, ..., label = deparse1(substitute(object)),
                             expected.label = deparse1(substitute(expected))) {
  if (identical(object, expected)) succeed()
  else testthat::expect_identical(object, expected, ..., label = label, expected.label = expected.label)
  invisible(object)
}

expect_equal <- function(object, expected, ..., tolerance = testthat_tolerance(), label = deparse1(substitute(object)),
                         expected.label = deparse1(substitute(expected))) {
  if (identical(object, expected) || all_near(object, expected, tolerance)) succeed()
  else testthat::expect_equal(object, expected, ..., tolerance = tolerance, label = label,
                              expected.label = expected.label)
  invisible(object)
}

# No element of two vectors is farther off than that; testthat is content where they are not on average.
all_near <- function(object, expected, tolerance) {
  is.double(object) && is.double(expected) && length(object) == length(expected) && is.numeric(tolerance) &&
    identical(attributes(object), attributes(expected)) && !is.object(object) &&
    isTRUE(all(abs(object - expected) <= tolerance * abs(expected)))
}

expect_true <- function(object, ..., label = deparse1(substitute(object))) {
  if (isTRUE(as.vector(object))) succeed() else testthat::expect_true(object, ..., label = label)
  invisible(object)
}

expect_false <- function(object, ..., label = deparse1(substitute(object))) {
  if (isFALSE(as.vector(object))) succeed() else testthat::expect_false(object, ..., label = label)
  invisible(object)
}
