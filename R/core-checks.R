# Checks of arguments. They raise an error that names the argument, or return the value to use.

# Returns `x` if it is valid. Otherwise raises an error whose message is `...`, a description of `x`, and `hint`.
check_is <- function(valid, x, argument, ..., hint = NULL) {
  if (valid) return(invisible(x))
  abort_argument(argument, ..., describe(x), ".", hint)
}

# For a required argument, before anything evaluates it. `...` says what it must be.
check_given <- function(x, argument, ...) {
  if (missing(x)) abort_argument(argument, "is missing: ", ..., ".")
}

# The same for a required argument of a kind. `valid` is evaluated only if it is given.
check_kind <- function(valid, x, argument, kind) {
  check_given(x, argument, kind)
  check_is(valid, x, argument, "must be ", kind, ", not ")
}

# ---- Lengths ----

check_recycling <- function(f, g) {
  lengths <- c(length(f), length(g))
  if (min(lengths) > 0 && max(lengths) %% min(lengths) != 0) {
    abort_argument(
      "g", "must have a length that matches that of `f`: ", max(lengths),
      " is not a multiple of ", min(lengths), "."
    )
  }
}

# ---- Numbers, choices and flags ----

check_number <- function(x, argument) {
  check_is(is_one_number(x), plain(x), argument, "must be a number, not ")
}

check_positive <- function(x, argument, least = NULL) {
  x <- check_number(x, argument)
  valid <- is.finite(x) && (x > 0 || (!is.null(least) && x >= least))
  what <- if (is.null(least)) "positive" else paste("at least", number(least))
  check_is(valid, x, argument, "must be ", what, " and finite, not ")
}

# Whole numbers up to 2^53 are exact as doubles.
check_count <- function(x, argument, least = 1, most = 2^53) {
  check_given(x, argument, "a whole number")
  valid <- is_one_number(x) && x >= least && x == round(x)
  check_is(valid, x, argument, "must be a whole number of at least ", least, ", not ")
  check_is(x <= most, x, argument, "must be at most ", number(most), ", not ")
  as.double(x)
}

check_choice <- function(x, argument, choices) {
  valid <- is.character(x) && length(x) == 1 && x %in% choices
  check_is(valid, plain(x), argument, "must be one of ", quoted(choices), ", not ")
}

# One of the choices; the first if the argument has its default.
check_option <- function(x, argument, choices) {
  if (identical(x, choices)) choices[1] else check_choice(x, argument, choices)
}

check_flag <- function(x, argument) {
  check_is(isTRUE(x) || isFALSE(x), plain(x), argument, "must be TRUE or FALSE, not ")
}

# ---- Numbers of a kind ----

check_exponent <- function(p) {
  valid <- is_one_number(p) && p >= 1
  check_is(valid, plain(p), "p", "must be a number of at least 1, or Inf, not ",
           hint = if (inherits(p, "pcf")) " cdist(x, y) compares all functions of two collections.")
}

check_plain_numbers <- function(x, argument) {
  check_kind(is.numeric(x) && !is.object(x), x, argument, "numbers")
}

# `is_right` returns TRUE for valid elements; `what` says what these are.
check_every <- function(is_right, x, argument, what) {
  wrong <- which(!is_right(x))
  if (length(wrong) == 0) return(invisible(x))
  at <- if (length(x) > 1) sprintf(" at position %.0f", wrong[1])
  abort_argument(argument, "must be ", what, ", not ", exact_text(x[[wrong[1]]]), at, ".")
}

check_opacity <- function(alpha) {
  alpha <- check_number(alpha, "alpha")
  check_is(alpha >= 0 && alpha <= 1, alpha, "alpha", "must be between 0 and 1, not ")
}

check_probs <- function(probs, count = NULL) {
  valid <- is.numeric(probs) && !is.object(probs) && length(probs) > 0 && all(is.finite(probs)) &&
    all(probs >= 0 & probs <= 1) && (is.null(count) || length(probs) == count)
  two <- if (!is.null(count)) "two "
  if (is.atomic(probs)) probs <- as.vector(probs)
  check_is(valid, probs, "probs", "must be ", two, "numbers from 0 to 1, not ")
}

# ---- Settings ----

# The value of functions from their end on: a number, or NULL to hold the last value.
check_after <- function(after) {
  after <- plain(after)
  if (length(after) == 1 && is.na(after)) after <- "NA"
  switch(check_option(after, "after", c("NA", "hold", "zero")), "NA" = NA_real_, zero = 0)
}

# ---- Groups, weights and margins ----

check_no_more <- function(arguments) {
  if (length(arguments) == 0) return()
  label <- names(arguments)[1]
  if (!is.null(label) && nzchar(label)) abort_unknown(label)
  abort_argument("...", "must be empty: only one collection is allowed. Use c() to combine several.")
}

abort_unknown <- function(label) {
  abort_argument(label, "is not an argument of this function.")
}

# For methods of as_pcf() for objects of a `kind`, which allow no further arguments.
check_unused <- function(arguments, kind, hint = "", converter = "as_pcf") {
  if (length(arguments) == 0) return()
  label <- names(arguments)[1]
  if (is.null(label) || !nzchar(label)) label <- "..."
  takes <- setdiff(names(formals(sys.function(sys.parent()))), c("x", "..."))
  abort_argument(
    label, if (label == "...") "must be empty in" else "is not an argument of", " ", converter, "() for ",
    kind,
    if (length(takes) > 0) paste0(", which takes ", paste0("`", takes, "`", collapse = ", ")),
    ".", hint
  )
}

# The number of the one of several groups from which others differ, given by name or number.
check_reference <- function(reference, groups, kind) {
  if (length(groups) < 2) abort_argument("reference", "needs several ", kind, ".")
  at <- if (is.character(reference)) match(reference, groups) else match(reference, seq_along(groups))
  valid <- length(reference) == 1 && !is.na(at)
  check_is(valid, plain(reference), "reference", "must be one of the ", kind, " ", quoted(groups),
           ", or its number, not ")
  at
}

check_groups <- function(by, x) {
  check_labels(by, length(x), "by", names = names(x))
}

# One group for each of `count` things, which may have names, as a factor.
check_labels <- function(group, count, argument, things = "functions", names = NULL) {
  check_methods(group, argument)
  group <- match_names(group, names, argument, things)
  fits <- is.atomic(group) && length(group) == count
  check_is(fits, group, argument, "must have one group for each of the ", count, " ", things,
           ", none missing, not ")
  if (!anyNA(group)) return(as_groups(group))
  abort_argument(argument, "has a missing value (NA) at position ", which(is.na(group))[1], ".")
}

# A vector with one element for each of some things, reordered to match their names if both have names.
# Another length is left for the caller to check.
match_names <- function(values, names, argument, things = "functions") {
  own <- if (is.atomic(values) && length(values) == length(names)) names(values)
  if (!any(nzchar(own)) || !any(nzchar(names)) || identical(own, names)) return(values)
  order <- order_of_names(own, names)
  if (is_one_each(order, names)) return(values[order])
  what <- if (anyNA(order)) paste("no element is named", dQuote(names[is.na(order)][1], FALSE))
          else paste("the names of the", things, "are not all distinct")
  abort_argument(
    argument, "has names that do not match those of the ", things, ": ", what,
    ". Use unname(", argument, ") to match by position."
  )
}

# The same for two lists of vectors, of which elements without a name are matched by position if they can be.
# `of_other` is that of the argument `other`. Lists with dimensions must agree in these and in their dimnames.
match_lists <- function(x, argument, of_other, other) {
  check_same_dimensions(x, argument, of_other, other)
  own <- names(x)
  names <- names(of_other)
  if (length(own) != length(names) || identical(own, names)) return(x)
  differ <- which(own != names & nzchar(own) & nzchar(names))
  if (length(differ) == 0) return(x)
  order <- order_of_names(own, names)
  if (is_one_each(order, names)) {
    x[] <- x[order]
    names(x) <- names
    return(x)
  }
  i <- c(which(is.na(order) & nzchar(names)), differ)[1]
  abort_argument(
    argument, "has names that do not match those of `", other, "`: ", sprintf("function %.0f", i), " is named ",
    dQuote(names[i], FALSE), " in `", other, "`, and ", dQuote(own[i], FALSE), " in `", argument, "`. Use unname(",
    argument, ") to match by position."
  )
}

check_same_dimensions <- function(x, argument, of_other, other) {
  sides <- lapply(list(x, of_other), dim)
  if (length(x) != length(of_other) || any(lengths(sides) == 0)) return()
  if (!identical(sides[[1]], sides[[2]])) {
    shown <- vapply(sides, paste, "", collapse = " x ")
    abort_argument(argument, "must have the dimensions of `", other, "`, ", shown[2], ", not ", shown[1], ".")
  }
  for (k in seq_along(sides[[1]])) {
    own <- dimnames(x)[[k]]
    others <- dimnames(of_other)[[k]]
    i <- if (!is.null(own) && !is.null(others)) which(own != others)[1]
    if (!is.na(i %||% NA)) abort_argument(
      argument, "has dimnames that do not match those of `", other, "`: ", dQuote(own[i], FALSE), " and ",
      dQuote(others[i], FALSE), " at position ", number(i), " of dimension ", k, ". Use unname(", argument,
      ") to match by position."
    )
  }
}

# The positions of `names` in `own`.
order_of_names <- function(own, names) {
  order <- match(names, own)
  if (anyNA(order)) match(in_full(names), in_full(own)) else order
}

is_one_each <- function(order, names) {
  !anyNA(order) && !anyDuplicated(order) && !anyDuplicated(names) && all(nzchar(names))
}

# Names of ids such as 100000, which R writes as "1e+05" if they are doubles and "100000" if they are integers.
in_full <- function(names) {
  short <- grep("^-?[0-9]([.][0-9]+)?e[+][0-9]{2}$", names)
  replace(names, short, numbers(as.double(names[short]), scientific = 100))
}

# The dimensions as numbers; none for NULL.
check_margin <- function(margin, x) {
  if (is.null(margin)) return(integer())
  dimensions <- length(dim(x))
  if (dimensions == 0) abort_argument("margin", "needs an array of functions, but `x` has no dim.")
  found <- if (is.character(margin)) match(margin, names(dimnames(x)))
           else if (is.numeric(margin)) match(margin, seq_len(dimensions))
  valid <- length(margin) > 0 && !is.null(found) && !anyNA(found) && !anyDuplicated(found)
  check_is(valid, margin, "margin", "must be distinct dimensions of `x`, numbers from 1 to ", dimensions,
           " or names of its dimnames, not ")
  found
}

check_weights <- function(weights, x, operation) {
  if (is.null(weights)) return(NULL)
  if (operation %in% c("max", "min")) {
    abort_argument("weights", "can only be used with sum() and mean().")
  }
  fits <- is.numeric(weights) && !is.object(weights) && length(weights) == length(x)
  check_is(fits, weights, "weights", "must have one number for each of the ", length(x),
           " functions, not ")
  weights <- as.double(match_names(weights, names(x), "weights"))
  check_every(is.finite, weights, "weights", "finite")
  if (operation == "mean" && !is.finite(sum(abs(weights)))) {
    abort_argument("weights", "must not be so large that their sum overflows.")
  }
  weights
}

# Of the operations, only the sum is defined for no functions.
check_rows <- function(row, count, operation) {
  if (operation == "sum") return()
  empty <- which(tabulate(row, count) == 0)
  if (length(empty) == 0) return()
  abort_argument("x", "has no functions", group_label(empty[1], count), ", so there is no ", operation, ".")
}

# ---- Diagrams ----

# NA if no dimension is given.
check_dimension <- function(dimension) {
  if (is.null(dimension)) return(NA_real_)
  check_count(dimension, "dimension", least = 0)
}

# The replacement of infinite deaths: Inf, a number, or NaN for bars to drop.
check_infinite <- function(infinite) {
  infinite <- plain(infinite)
  if (identical(infinite, "keep")) return(Inf)
  if (identical(infinite, "drop")) return(NaN)
  valid <- is_one_number(infinite) && is.finite(infinite)
  check_is(valid, infinite, "infinite", 'must be "keep", "drop" or a finite number, not ')
  as.double(infinite)
}

# ---- Packages ----

# For arguments that need a package that is not imported; `needs` is the verb of the message.
needs_package <- function(package, argument, needs = "needs") {
  if (requireNamespace(package, quietly = TRUE)) return()
  abort_argument(argument, needs, " the package ", package, ", which is not installed.")
}

# ---- Ragged vectors ----

check_vector <- function(x, argument) {
  check_given(x, argument, "a vector")
  valid <- is.vector(x) || is.atomic(x) && !is.null(x) || is.list(x) && !is.data.frame(x)
  check_is(valid, x, argument, "must be a vector, not ")
  check_methods(x, argument)
}

check_values <- function(values) {
  check_given(values, "values", "doubles, integers or logicals")
  valid <- is.double(values) || is.integer(values) && !is.factor(values) || is.logical(values)
  check_is(valid, values, "values", "must be doubles, integers or logicals, not ")
  without_integer64(values, "values")
}

check_whole_type <- function(x, argument, kind = "whole numbers") {
  check_kind((is.double(x) || is.integer(x)) && !is.object(x), x, argument, kind)
}

check_starts <- function(x, argument, counts) {
  if (is.null(x)) return()
  check_whole_type(x, argument)
  check_as_long(x, argument, counts, "counts")
}

check_as_long <- function(x, argument, other, name, what = "as long as") {
  if (length(x) == length(other)) return()
  abort_argument(argument, "must be ", what, " `", name, "` (length ", length(other), "), not of length ",
                 length(x), ".")
}

check_methods <- function(x, argument) if (type_of(x) == "integer64") needs_package("bit64", argument)

without_integer64 <- function(x, argument, convert = as.double) {
  check_methods(x, argument)
  if (type_of(x) == "integer64") convert(x) else x
}

group_label <- function(row, count) {
  if (count > 1) sprintf(" in group or cell %.0f of %.0f", row, count)
}
