#' Methods for collections of functions
#'
#' A [pcf] or [plf] is a vector of functions: it can be subset, combined, repeated, compared and
#' printed.
#'
#' @param x,object,e1,e2 A [pcf] or [plf]. In comparisons, one of the two may be numeric, or anything
#'   that [as_pcf()] takes.
#' @param ... For `[` and `[[`: indices, names or, for arrays of functions, one index for each dimension or an
#'   index matrix, and `drop`, as for lists. For `c()`: `pcf` objects, or anything that [as_pcf()] takes.
#'   Otherwise passed on or not used.
#' @param name The name of a function.
#' @param value A `pcf`, or anything that [as_pcf()] takes. `NULL` removes functions, and `NA` makes them
#'   missing. For `length<-`: the new number of functions.
#' @param incomparables Not used.
#' @param digits The number of significant digits of times and values.
#' @param n The number of functions to print; of an array, the numbers of rows, of columns, and of matrices.
#'
#' @details
#' Two functions are equal if they have the same value at every time, where `NA`, for "not observed", equals
#' only itself. Breakpoints without a change of value do not matter. `unique()` and `duplicated()` compare
#' functions in the same way. If one side is numeric, `==` and `!=` are pointwise like `<` and return
#' functions: see [pcf-algebra].
#'
#' @return
#' * `[`: a `pcf` with the selected functions. Indices and names that do not exist raise an error, and so do
#'   factors. `NA` selects a missing function, as in `x[match(ids, names(x))]`.
#' * `[[` and `$`: the selected function, as a `pcf` of length 1.
#' * `c()`, `rep()`, `rev()`, `unique()`: a `pcf`.
#' * `==`, `!=` of functions: a logical vector with an element for each pair of functions. The shorter `pcf` is
#'   recycled. Names, dimensions and dimnames follow R's rules for vectors of these shapes.
#' * `duplicated()`: a logical vector as long as `x`. `anyDuplicated()`: the first index at which it is `TRUE`,
#'   or 0.
#' * `is.na()`: a logical vector, `TRUE` for elements that are missing as a whole. Such elements may result from
#'   joins of tibbles. Numbers of single functions, as from [integral()], [evaluate()] and [crossing_time()], are `NA`
#'   for them, reductions leave them out with `na.rm = TRUE`, and other computations raise an error:
#'   `x[!is.na(x)]` drops them, and `dplyr::coalesce(x, pcf(0, 0))` replaces them. For the times at which
#'   functions are observed, see [observed()].
#' * `length(x) <- n`: the first `n` functions, padded with missing functions if there are fewer.
#' * `format()`, `as.character()`: a string for each function with its first and last breakpoints as (time,
#'   value). The next larger floating-point number after the time 9 is shown as "9+", as at the end of survival
#'   curves, see [as_pcf()].
#' * `print()`: `x`, invisibly. Each line has a picture of 16 signs before the first and last breakpoints. All
#'   pictures that are printed together have the same scales: from left to right the time from the first to the
#'   last breakpoint, and the values after it if there are any; from low to high signs the median values on
#'   stretches of time. Spaces are gaps. In terminals without Unicode (`options(cli.unicode = FALSE)`) the
#'   signs `_`, `.`, `-` and `^` stand for low to high values.
#' * `summary()`: a named numeric vector of class `summary.pcf`: the numbers of functions and breakpoints; the
#'   fewest and most breakpoints of a function; the ranges of times, from the first [start()][start.pcf] to
#'   the last [end()][end.pcf], as numbers in the [time_unit()], and of observed values; and, if there are
#'   any, the number of functions with gaps. It is printed with pictures, as of `print()`, of a function that
#'   has the lowest value, and of one that has the highest.
#'
#' @examples
#' x <- pcf(list(a = c(0, 2, 5), b = c(1, 4)), list(c(1, 3, 0), c(2, 0)))
#' x["b"]
#' x$a
#' c(x, new = pcf(0, 0))
#' x == x["a"]
#' summary(x)
#'
#' # An array of functions
#' y <- rep(x, 3)
#' dim(y) <- c(2, 3)
#' y[1, ]
#' @seealso [pcf-algebra] for pointwise `+`, `<` and `exp()`; [reductions] for `sum()` and
#'   `max()`; [drop_redundant()]
#' @name pcf-methods
NULL

#' @rdname pcf-methods
#' @export
`length<-.pcf` <- function(x, value) {
  x <- check_either(x)
  functions <- unclass(x)
  length(functions) <- check_count(value, "value", least = 0)
  like(x, functions)
}

#' @rdname pcf-methods
#' @export
`[.pcf` <- function(x, ...) {
  check_either(x)
  check_subscripts(...)
  functions <- subscripted(unclass(NextMethod()))
  if (any(lengths(functions) == 0)) check_selected(x, ...)
  like(x, functions)
}

# The value of code that selects or replaces elements; R's errors get a class.
subscripted <- function(code) {
  tryCatch(code, error = function(error) {
    if (inherits(error, "pcfdist_error")) stop(error)
    abort("subscript", "The subscript cannot be used: ", conditionMessage(error), ".")
  })
}

# An error if a vector of indices or names selects elements that a collection does not have. NA is a missing function.
# R does this for arrays.
check_selected <- function(x, i, ..., drop, exact) {
  if (missing(i) || is.matrix(i) && ncol(i) == length(dim(x)) || ...length() > 0) return()
  known <- if (is.logical(i)) i | is.na(i) else i[!is.na(i)]
  if (anyNA(stats::setNames(seq_along(x), names(x))[known])) abort_selected(x)
}

abort_selected <- function(x) {
  abort("subscript", "The subscript selects a function that does not exist: the collection has length ", length(x), ".")
}

# Conditions such as x > 1 are functions of time, and do not select any. R would take factors by their
# codes.
check_subscripts <- function(i, ..., drop, exact) {
  if (...length() > 0) check_subscripts(...)
  if (missing(i)) return()
  if (is.factor(i)) {
    abort("subscript", "The subscript must not be a factor: use as.character() to select by its labels, or ",
          "as.integer() by its codes.")
  }
  if (is_either(i)) abort(
    "subscript", "The subscript must be numbers, names or logical values, not functions. ",
    "x[lp_norm(x > 1, Inf, missing = \"overlap\") > 0] selects the functions that are above 1 at some ",
    "time, x * (x > 1) has the values above 1, and pmin(x, 1) clips values at 1."
  )
}

#' @rdname pcf-methods
#' @export
`[[.pcf` <- function(x, ...) {
  check_either(x)
  check_subscripts(...)
  f <- subscripted(NextMethod())
  if (is.null(f)) check_selected(x, ...) else if (!is.matrix(f)) abort_selected(x)
  like(x, list(f))
}

#' @rdname pcf-methods
#' @export
`$.pcf` <- function(x, name) x[[name]]

#' @rdname pcf-methods
#' @export
`[<-.pcf` <- function(x, ..., value) {
  check_subscripts(...)
  both <- in_filled_unit(check_either(x), replacement(value, x))
  filled <- unclass(both$x)
  subscripted(filled[...] <- unclass(both$value))
  filled_pcf(filled, both$x, both$value)
}

#' @rdname pcf-methods
#' @export
`[[<-.pcf` <- function(x, ..., value) {
  check_subscripts(...)
  value <- replacement(value, x)
  if (!is.null(value)) check_one_function(value, "value", check_either)
  if (isTRUE(is.na(value))) return(`[<-.pcf`(x, ..., value = value)) # `[[<-` would remove it
  both <- in_filled_unit(check_either(x), value)
  filled <- unclass(both$x)
  subscripted(filled[[...]] <- if (!is.null(value)) .subset2(both$value, 1))
  filled_pcf(filled, both$x, both$value)
}

# The value to assign. NA is a missing function, and NULL none.
replacement <- function(value, x) {
  if (is.null(value)) return(NULL)
  is_na <- is.logical(value) && length(value) > 0 && all(is.na(value))
  if (is_na) like(x, vector("list", length(value)), NULL)
  else as_pcf_argument(value, "value", if (is_plf(x)) steps_of else as_pcf)
}

# A collection keeps its unit of time in assignments, if it has one, and becomes a plf if the value is one.
in_filled_unit <- function(x, value) {
  both <- in_one_family(list(x, value))
  x <- both[[1]]
  value <- both[[2]]
  joint <- common_unit(x, value, c("x", "value"))
  unit <- if (is_timeless(x)) joint else unit_of(x)
  list(x = with_name(like(x, x, unit), joint_name(Filter(is_either, both))), value = in_unit(value, unit, "value"))
}

# Assignment must not leave missing functions before a new one, unless it is missing itself.
filled_pcf <- function(filled, x, value) {
  gap <- length(filled) > length(x) && any(lengths(filled) == 0) && !any(is.na(x), is.na(value))
  if (gap) abort_selected(x)
  like(x, filled)
}

#' @rdname pcf-methods
#' @export
`$<-.pcf` <- function(x, name, value) {
  x[[name]] <- value
  x
}

#' @rdname pcf-methods
#' @export
c.pcf <- function(...) {
  parts <- Filter(Negate(is.null), list(...))
  convert <- if (any(vapply(parts, is_plf, NA))) steps_of else as_pcf
  join_collections(lapply(parts, as_pcf_argument, "...", convert), "...")
}

#' @rdname pcf-methods
#' @export
rep.pcf <- function(x, ...) {
  x <- check_either(x)
  like(x, tryCatch(rep(unclass(x), ...), error = function(error) {
    abort_argument("times", "or another argument cannot be used: ", conditionMessage(error), ".")
  }))
}

#' @rdname pcf-methods
#' @export
unique.pcf <- function(x, incomparables = FALSE, ...) {
  x <- check_either(x)
  x[!duplicated(x, ...)]
}

#' @rdname pcf-methods
#' @export
duplicated.pcf <- function(x, incomparables = FALSE, ...) {
  duplicated(canonical(x), ...)
}

#' @rdname pcf-methods
#' @export
anyDuplicated.pcf <- function(x, incomparables = FALSE, ...) {
  anyDuplicated(canonical(x), ...)
}

#' @rdname pcf-methods
#' @export
`==.pcf` <- function(e1, e2) {
  if (is_plain_number(e1) || is_plain_number(e2)) return(operate("==", e1, e2))
  both <- in_one_family(list(as_pcf_argument(e1, "e1"), as_pcf_argument(e2, "e2")))
  both <- in_one_unit(both[[1]], both[[2]], c("e1", "e2"))
  equal <- combined_shape(both$x, both$y)
  left <- rep_len(canonical(both$x, "e1"), length(equal))
  right <- rep_len(canonical(both$y, "e2"), length(equal))
  equal[] <- as.logical(.mapply(identical, list(left, right), NULL))
  equal
}

#' @rdname pcf-methods
#' @export
`!=.pcf` <- function(e1, e2) {
  if (is_plain_number(e1) || is_plain_number(e2)) return(operate("!=", e1, e2))
  !(e1 == e2)
}

# For match() and %in% from R 4.3 on: a string for each function, the same for equal ones.
#' @rawNamespace if (getRversion() >= "4.3.0") S3method(mtfrm, pcf)
mtfrm.pcf <- function(x) {
  vapply(canonical(x), function_text, "", unit_of(x))
}

# Durations and instants are in seconds, and all numbers are exact to the bit. Without finite times there is
# no unit.
function_text <- function(f, unit) {
  if (is.null(f)) return(NA_character_)
  f[, 1] <- f[, 1] * unit_seconds(unit)
  family <- if (any(is.finite(f[, 1]))) unit_family(unit)
  paste(c(family, sprintf("%a", f + 0)), collapse = " ") # -0 is 0
}

# The canonical forms of the functions, see drop_redundant(): a list of matrices, identical if and
# only if the functions are equal. Missing functions stay.
canonical <- function(x, argument = "x") {
  x <- check_either(x, argument)
  functions <- unclass(x)
  attributes(functions) <- NULL
  there <- which(!vapply(functions, is.null, NA))
  functions[there] <- simplified(x, argument, there)
  functions
}

#' @rdname pcf-methods
#' @export
is.na.pcf <- function(x) {
  lengths(unclass(check_either(x))) == 0
}

#' @rdname pcf-methods
#' @export
format.pcf <- function(x, digits = 4, ...) {
  x <- check_matrices(x)
  digits <- check_count(digits %||% 4, "digits", most = 22)
  shaped_as(vapply(unclass(x), format_function, "", digits, unit_of(x)), x)
}

# "(0, 1) (2, 3) (5, 0)", without the middle of longer functions. If a function is not observed at first, two
# more breakpoints are shown, since the first says nothing about its values.
format_function <- function(f, digits, unit) {
  if (is.null(f)) return("<missing>")
  m <- nrow(f)
  head <- if (begins_unobserved(f)) 3 else 2
  left_out <- m > head + 2
  shown <- if (left_out) c(seq_len(head), m) else seq_len(m)
  # The next larger number after a time 9 is shown as "9+".
  times <- f[shown, 1]
  next_ones <- which(is_next_time(f[, 1])[shown] | is_next_of_whole(times))
  times[next_ones] <- previous_time(times[next_ones])
  times <- format_times(times, unit, digits)
  times[next_ones] <- paste0(times[next_ones], "+")
  points <- paste0("(", times, ", ", format_values(f, shown, digits), ")")
  if (left_out) points <- append(points, "...", head)
  paste(points, collapse = " ")
}

# "1", or "0 | 1" where a piecewise linear function jumps from 0 to 1.
format_values <- function(f, rows, digits) {
  text <- function(column) numbers(f[rows, column], digits)
  values <- text(ncol(f))
  if (ncol(f) == 2) return(values)
  left <- text(2)
  ifelse(left == values, values, paste(left, "|", values))
}

#' @rdname pcf-methods
#' @export
as.character.pcf <- function(x, ...) {
  if (called_by(utils::write.table)) abort_generic(
    "write.csv", "they are not one field, and their text cannot be read back. as.data.frame(x) of the column has ",
    "a row for each breakpoint, which as_pcf() and as_plf() read; saveRDS() keeps the table."
  )
  as.vector(format(x, ...))
}

#' @rdname pcf-methods
#' @export
toString.pcf <- function(x, ...) paste(format(x), collapse = ", ")

#' @rdname pcf-methods
#' @export
print.pcf <- function(x, n = 10, digits = 4, ...) {
  x <- check_either(x)
  shown <- shown_of(x, check_number(n, "n"))
  print_functions(x, shown, sparklines(shown), digits)
  invisible(x)
}

# Those functions of a collection, or of an array, that print() shows.
shown_of <- function(x, n) {
  check_matrices(if (length(dim(x)) > 1) corner_of(x, n) else utils::head(x, n))
}

# `pictures` are those of the functions that are shown.
print_functions <- function(x, shown, pictures, digits = 4) {
  cat(headline(x), "\n", sep = "")
  text <- if (length(shown) > 0) paste0(pictures, "  ", format(shown, digits))
  if (length(dim(x)) > 1) print_array(shown, dim(x), text)
  else if (length(x) > 0) print_lines(shown, length(x) - length(shown), text)
}

# The first `n` rows, columns and matrices of an array.
corner_of <- function(x, n) {
  sizes <- vapply(dim(x), function(size) length(utils::head(seq_len(size), n)), 0L)
  for (k in seq_along(sizes)[-(1:3)]) sizes[k] <- min(sizes[k], max(1, floor(n / prod(sizes[3:(k - 1)]))))
  like(x, do.call(`[`, c(list(unclass(x)), lapply(sizes, seq_len), drop = FALSE)))
}

# `dim` is that of the whole array.
print_array <- function(shown, dim, text) {
  if (length(shown) > 0) print(shaped_as(text, shown), quote = FALSE)
  sides <- function(dim) c(dim[1:2], prod(dim[-(1:2)]))
  rest <- sides(dim) - sides(dim(shown))
  if (all(rest == 0)) return()
  what <- ifelse(rest == 1, c("row", "column", "matrix"), c("rows", "columns", "matrices"))
  more <- paste(numbers(rest, big.mark = ","), "more", what)[rest > 0]
  writeLines(paste("  ... and", sub("(.*),", "\\1 and", paste(more, collapse = ", "))))
}

print_lines <- function(shown, rest, text) {
  labels <- encodeString(names(shown) %||% seq_along(shown), width = NA)
  lines <- if (length(shown) > 0) paste0("  ", labels, "  ", text)
  more <- if (rest > 0) paste("  ... and", number(rest, big.mark = ","), "more")
  writeLines(c(lines, more))
}

# The first line of print(): <pcf> 3 functions of 2 to 5 breakpoints.
headline <- function(x) {
  size <- number(length(x), big.mark = ",")
  if (length(dim(x)) > 1) size <- paste(dim(x), collapse = " x ")
  m <- breakpoints_of(x[!is.na(x)])
  breakpoints <- if (length(m) > 0) {
    range <- unique(numbers(range(m), big.mark = ","))
    paste0(" of ", paste(range, collapse = " to "), " breakpoint", plural(max(m)))
  }
  paste0("<", class_of(x)[1], "> ", size, " function", plural(length(x)), breakpoints, zone_label(unit_of(x)),
         name_label(x))
}

#' @rdname pcf-methods
#' @export
summary.pcf <- function(object, ...) {
  object <- check_matrices(object, "object")
  m <- breakpoints_of(object)
  functions <- object[m > 0]
  extremes <- function(numbers) {
    if (all(is.na(numbers))) c(NA_real_, NA_real_) else range(numbers, na.rm = TRUE)
  }
  times <- extremes(c(first_times(functions), last_times(functions)))
  ranges <- vapply(unclass(functions), function(f) extremes(f[, -1]), numeric(2))
  values <- extremes(ranges)
  gaps <- sum(vapply(unclass(functions), function(f) anyNA(f[, -1]), NA))
  statistics <- c(length(m), sum(m), if (length(m) > 0) range(m) else c(NA, NA), times, values,
                  if (gaps > 0) gaps)
  names(statistics) <- c("functions", "breakpoints", "fewest", "most", "first time", "last time",
                         "lowest value", "highest value", if (gaps > 0) "with gaps")
  extreme <- if (length(functions) > 0) c(which.min(ranges[1, ]), which.max(ranges[2, ]))
  extreme <- like(object, unname(unclass(functions)[extreme]))
  structure(statistics, class = "summary.pcf", time_unit = unit_of(object), extreme = extreme)
}

#' @export
format.summary.pcf <- function(x, digits = 4, ...) {
  check_count(digits, "digits", most = 22)
  statistics <- shaped_as(unclass(x), x)
  text <- numbers(statistics, digits, big.mark = ",")
  times <- c("first time", "last time")
  unit <- unit_of(x)
  text[times] <- if (is.null(unit)) format_numbers(statistics[times], digits, big.mark = ",")
                 else format_times(statistics[times], unit, digits)
  text
}

#' @export
print.summary.pcf <- function(x, digits = 4, ...) {
  text <- format(x, digits)
  with_picture <- c("lowest value", "highest value")
  extreme <- attr(x, "extreme")
  if (length(extreme) == 2) text[with_picture] <- paste0(format(text[with_picture]), "  ", sparklines(extreme))
  cat(paste0(format(names(x)), "  ", text, "\n"), sep = "")
  invisible(x)
}

#' @rdname pcf-methods
#' @importFrom utils str
#' @export
str.pcf <- function(object, ...) {
  object <- check_either(object, "object")
  first <- if (length(object) > 0) paste0(": ", format(object[1]))
  cat(" ", headline(object), first, if (length(object) > 1) " ...", "\n", sep = "")
}
