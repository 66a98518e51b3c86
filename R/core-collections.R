# Checks of collections of functions, errors about single functions, and answers of C that name them.

# Raises the error for a problem that C found: a list of function, position and problem. `hints`, named by
# problems, are appended to the messages.
# `columns` are those of the functions that the user has in mind.
abort_function <- function(problem, x, argument = "x", hints = NULL, columns = columns_of(x)) {
  column <- match(sub("_.*", "", problem$problem), c("times", "values", "left"), 1L)
  i <- problem$`function`
  message <- describe_problem(problem, .subset2(x, i), unit_of(x), columns)
  hint <- if (problem$problem %in% names(hints)) paste0(" ", hints[[problem$problem]])
  abort_argument(
    argument[[min(column, length(argument))]], "is invalid: ", function_label(i, x), " ", message, hint,
    index = i, position = problem$position
  )
}

describe_problem <- function(problem, f, unit, columns) {
  if (is.null(f)) {
    return("is missing. x[!is.na(x)] drops such functions, and dplyr::coalesce() replaces them.")
  }
  k <- problem$position
  at <- sprintf("at position %.0f", k)
  time <- function() format_times(f[k, 1], unit, 15)
  last_two <- function() format_times(f[c(k - 1, k), 1], unit, 15)
  left <- function() number(f[k, 2])
  value <- function() if (isTRUE(problem$left)) paste("the left limit", left()) else number(f[k, ncol(f)])
  between <- function() {
    sprintf("between the times %s and %s, at positions %.0f and %.0f", last_two()[1], last_two()[2], k - 1, k)
  }
  jump <- " For a jump, give one time with different `left` and value."
  not_observed <- ". NA stands for values that are not observed."
  switch(problem$problem,
    matrix = paste0(
      "is ", describe_table(f), ", not a double matrix with the columns time",
      if (columns == 3) ", left", " and value."
    ),
    empty = paste0("has no breakpoints. The zero function is ", if (columns == 3) "plf" else "pcf", "(0, 0)."),
    times_missing = paste0("has a missing time (", time(), ") ", at, "."),
    times_infinite = paste0("has an infinite time (", time(), ") ", at, "."),
    times_unsorted = paste0(
      "has the time ", last_two()[2], " ", at, ", after ", last_two()[1], ". Times must increase."
    ),
    times_repeated = paste0(
      sprintf("has the time %s twice, at positions %.0f and %.0f.", time(), k - 1, k), if (columns == 3) jump
    ),
    linear = "is piecewise linear, but a step function is needed.",
    left_nan = paste0("has the left limit NaN ", at, not_observed),
    left_infinite = paste0("has an infinite left limit (", left(), ") ", at, "."),
    left_half_missing = paste0(
      "has the value ", number(f[k - 1, 3]), sprintf(" at position %.0f", k - 1), " and the left limit ", left(),
      " ", at, ". If the function is not observed between two times, both must be NA."
    ),
    left_steep = paste0(
      if (f[k, 1] - f[k - 1, 1] == Inf) c("has a line ", between(), ", whose difference overflows.")
      else c("changes ", paste(c("from", "to"), format_numbers(c(f[k - 1, 3], f[k, 2]), 15), ""), between(),
             ", so steeply that its slope overflows.", jump),
      collapse = ""
    ),
    values_nan = paste0("has the value NaN ", at, not_observed),
    values_infinite = paste0("has an infinite value (", value(), ") ", at, "."),
    rises = ,
    falls = paste0(
      problem$problem, " to ", value(), " ", at, ". Functions must be monotone, all in the same direction."
    ),
    ends_higher = ,
    ends_lower = paste0(
      sub("_", " ", problem$problem), " (", value(), ", ", at, ") than it begins, unlike others: use ",
      "`decreasing` to choose the direction."
    )
  )
}

describe_table <- function(x) {
  if (!is.matrix(x) || is.object(x)) return(describe(x))
  if (!isTRUE(prod(dim(x)) == length(x))) {
    return("a matrix whose dimensions do not match its length")
  }
  if (!are_dimnames(attr(x, "dimnames", exact = TRUE), dim(x))) {
    return("a matrix whose dimnames do not match its dimensions")
  }
  sprintf("a matrix (%s) of %d x %d", typeof(x), nrow(x), ncol(x))
}

# Returns `x` if all its functions are valid; otherwise raises the error of the first that is not.
# `argument` is the name of the user's argument, or the two names of those with the times and the values.
check_functions <- function(x, argument = "x", hints = NULL) {
  problem <- .Call(ffi_validate, x)
  if (!is.null(problem)) abort_function(problem, x, argument, hints)
  x
}

# For code that reads functions in R: each must be missing or a matrix as from new_function(). Times and
# values are not checked.
check_matrices <- function(x, argument = "x") {
  x <- check_either(x, argument)
  wrong <- which(!vapply(unclass(x), is_table, NA, columns_of(x)), useNames = FALSE)
  if (length(wrong) == 0) return(x)
  abort_function(list(`function` = wrong[1], position = 1, problem = "matrix"), x, argument)
}

is_table <- function(f, columns) {
  if (is.null(f)) return(TRUE)
  dim <- c(length(f) %/% columns, columns)
  dimnames <- attr(f, "dimnames", exact = TRUE)
  is.double(f) && !is.object(f) && length(f) > 0 && length(f) %% columns == 0 &&
    identical(attr(f, "dim", exact = TRUE), dim) &&
    (identical(dimnames, if (columns == 2) function_dimnames else line_dimnames) || are_dimnames(dimnames, dim))
}

# The same for functions that were computed: `label` is what computed them. Values or slopes may overflow.
check_computed <- function(x, label) {
  problem <- .Call(ffi_validate, x)
  if (is.null(problem)) return(x)
  i <- problem$`function`
  abort(
    "values", "`", label, "` must give finite values and slopes: ", function_label(i, x), " ",
    describe_problem(problem, .subset2(x, i), unit_of(x), columns_of(x)), index = i, position = problem$position
  )
}

# ---- Collections ----

# The collection of step functions, without further classes, whose methods may do anything. The functions
# themselves are checked where they are used.
check_pcf <- function(x, argument = "x") {
  x <- check_either(x, argument)
  if (is_pcf(x)) return(x)
  abort_argument(argument, "must be a <pcf>, not a <plf>: step functions are needed here.")
}

# The same if piecewise linear functions are allowed too.
check_either <- function(x, argument = "x") {
  check_given(x, argument, "a <pcf>, such as as_pcf() returns")
  if (!is_either(x)) abort_no_pcf(x, argument)
  if (identical(oldClass(x), class_of(x))) return(check_shape(x, argument))
  replace_functions(x, check_shape(unclass(x), argument))
}

abort_no_pcf <- function(x, argument) {
  if (inherits(x, "pcf")) {
    abort_argument(
      argument, "is not a valid <pcf>: it has the class, but its type is ", typeof(x),
      ", not list."
    )
  }
  abort_argument(
    argument, "must be a <pcf>, not ", describe(x), ". Use as_pcf() for step functions, curves, ",
    "matrices and data frames, and distribution() for samples."
  )
}

# R keeps names and dimensions valid; objects damaged otherwise could crash it.
check_shape <- function(x, argument) {
  names <- attr(x, "names", exact = TRUE)
  dim <- attr(x, "dim", exact = TRUE)
  sides <- is.integer(dim) && length(dim) > 0 && !anyNA(dim) && all(dim >= 0)
  wrong <- if (!is.null(names) && !(is.character(names) && length(names) == length(x))) "names do not match its length"
           else if (!is.null(dim) && !(sides && prod(dim) == length(x))) "dimensions do not match its length"
           else if (!are_dimnames(attr(x, "dimnames", exact = TRUE), dim)) "dimnames do not match its dimensions"
           else if (!is.null(unit_of(x)) && !is_unit(unit_of(x))) "unit of time is unknown"
           else if (!is.null(name_of(x)) && !is_one_name(name_of(x))) "name of values is not one string"
  if (is.null(wrong)) x else abort_argument(argument, "is not a valid <pcf>: its ", wrong, ".")
}

check_one_function <- function(x, argument, check = check_pcf, hint = NULL) {
  x <- check(x, argument)
  if (length(x) == 1) return(x)
  abort_argument(argument, "must be one function, not ", length(x), ".", hint)
}

check_drawable <- function(x, argument = "x") {
  x <- check_either(x, argument)
  if (length(x) == 0) abort_argument(argument, "must have at least one function to draw.")
  check_fits_rows(x, argument, more = 2)
  check_functions(x, argument)
}

# Can a data frame, or a matrix, have a row for each breakpoint, and `more` rows for each function?
check_fits_rows <- function(x, argument = "x", more = 0) {
  breakpoints <- sum(breakpoints_of(x))
  if (breakpoints + more * length(x) <= .Machine$integer.max) return(x)
  abort_argument(
    argument, "has ", number(breakpoints), " breakpoints in total, but a data frame can have at most ",
    .Machine$integer.max, " rows. Convert it in parts."
  )
}

# ---- Answers of C ----

# The value of an answer of C, or its error. `...` are the collections, by the names that C uses. These are
# also the names of the user's arguments, unless `argument` is given.
answer_value <- function(answer, ..., argument = answer$argument) {
  if (!is.null(answer$problem)) {
    abort_function(answer$problem, list(...)[[answer$argument]], argument)
  }
  if (!is.null(answer$status)) abort(answer$status, answer$message)
  answer$value
}

# The same answer with indices among all functions, if C was given only those at `kept`.
answer_about <- function(answer, kept) {
  if (!is.null(kept) && !is.null(answer$problem)) {
    answer$problem$`function` <- as.double(kept)[answer$problem$`function`]
  }
  answer
}

# The collection of the functions in an answer of C, one for each function of x.
functions_like <- function(x, answer, argument = "x") {
  replace_functions(x, answer_value(answer, x = x, argument = argument))
}
