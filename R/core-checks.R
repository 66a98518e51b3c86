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

are_dimnames <- function(x, dim) {
  if (is.null(x)) return(TRUE)
  fits <- function(names, side) is.null(names) || is.character(names) && length(names) == side
  own <- attr(x, "names", exact = TRUE)
  is.list(x) && length(dim) > 0 && length(x) == length(dim) && fits(own, length(dim)) &&
    tryCatch(all(mapply(fits, x, dim)), error = function(error) FALSE) # R cannot look at everything that it reads
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

# Returns `x` if all its functions are valid; otherwise raises the error of the first that is not.
# `argument` is the name of the user's argument, or the two names of those with the times and the values.
check_functions <- function(x, argument = "x", hints = NULL) {
  problem <- .Call(ffi_validate, x)
  if (!is.null(problem)) abort_function(problem, x, argument, hints)
  x
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

check_recycling <- function(f, g) {
  lengths <- c(length(f), length(g))
  if (min(lengths) > 0 && max(lengths) %% min(lengths) != 0) {
    abort_argument(
      "g", "must have a length that matches that of `f`: ", max(lengths),
      " is not a multiple of ", min(lengths), "."
    )
  }
}

check_lengths <- function(times, values, arguments = c("times", "values")) {
  check_as_long(values, arguments[2], times, arguments[1], "a list as long as")
  i <- which(lengths(times) != lengths(values))[1]
  if (is.na(i)) return()
  label <- function_label(i, if (is.null(names(values))) times else values)
  what <- sub("left", "left limits", arguments)
  abort_argument(
    arguments[2], "is invalid: ", label, " has ", what[1], " and ", what[2],
    " of different lengths, ", length(times[[i]]), " and ", length(values[[i]]), "."
  )
}

# ---- Numbers, choices and flags ----

is_number <- function(x) {
  if (has_other_unit(x)) return(FALSE)
  if (inherits(x, "integer64")) return(has_bit64())
  is.numeric(x) || is.logical(x) || is.null(x) || is_moment(x)
}

# Numbers of classes of other packages (units, lubridate, nanotime, data.table, chron) that have a unit, which would be
# lost.
has_other_unit <- function(x) {
  inherits(x, c(
    "units", "mixed_units", "Duration", "Period", "nanotime", "nanoduration", "nanoperiod", "ITime", "times"
  ))
}

# A time or difference of times, of a class whose unit is known. What has the class alone is none.
is_moment <- function(x) {
  if (!typeof(x) %in% c("double", "integer")) return(FALSE)
  if (inherits(x, "difftime")) isTRUE(attr(x, "units") %in% names(seconds_of))
  else inherits(x, c("Date", "POSIXct", "yearmon", "yearqtr"))
}

# Loads the package without whose methods R takes the bits of 64-bit integers for those of doubles.
has_bit64 <- function() requireNamespace("bit64", quietly = TRUE)

# A time, or a length of time.
is_one_time <- function(x) is_number(x) && !is.logical(x) && length(x) == 1

is_one_number <- function(x) is.numeric(x) && !is.object(x) && length(x) == 1 && !is.na(x)

# A string that can be the name of something.
is_one_name <- function(x) is.character(x) && length(x) == 1 && !is.na(x) && nzchar(x)

# Checks of single values return them plain: NumPy's scalars, as reticulate passes them, are arrays of one element.
plain <- function(x) if (is.atomic(x) && length(x) == 1 && !is.null(dim(x))) as.vector(x) else x

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

# Checks the arguments common to integrals over functions or pairs of them: collections in one unit of time
# and of one family (y may be NULL), the window, `missing` and the weight. `arguments` are the names of
# the user's arguments. The window is cut to where the weight is positive. With a `margin`, x and y get
# one function for each row of a matrix, see components.R, laid for this `precision`. With an `operation` from
# operation_of(), they are prepared for its distance. `min_overlap` is the user's.
check_integrals <- function(x, y, from, to, missing = "error", weight = NULL, margin = NULL,
                            operation = operation_of(1), arguments = c(x = "x", y = "y"), precision = "double",
                            min_overlap = NULL) {
  x <- check_either(x, arguments[["x"]])
  if (!is.null(y)) y <- check_either(y, arguments[["y"]])
  call <- in_one_unit(x, y, arguments)
  if (!is.null(y) && is_plf(x) != is_plf(y)) {
    call <- lapply(Map(check_functions, call, arguments), as_lines)
  }
  missing <- check_option(missing, "missing", c("error", "overlap", "mean"))
  whole <- identical(from, -Inf) && identical(to, Inf) && is.null(weight) && is.null(margin)
  direct <- is_direct(operation, whole, call, arguments)
  call <- if (direct) each_of(call, check_distributions, arguments)
          else prepared_for(operation, call, arguments)
  window <- check_window(from, to, unit_of(call$x))
  ends <- if (missing == "error" && window$from < window$to) window_of_all(call, window)
  if (isTRUE(ends$observed)) window <- ends$window
  call <- c(call, list(
    window = window, missing = if (direct) "error" else missing, # nothing is
    weight = check_weight(weight, window, call$x, arguments[["x"]]), arguments = arguments
  ))
  call$weight <- weight_for(operation, call)
  call$min_overlap <- check_min_overlap(min_overlap, missing, unit_of(call$x), operation)
  if (window$from == window$to) call <- in_empty_window(call)
  if (call$missing == "error" && !isTRUE(ends$observed)) check_ends_observed(call)
  if (!direct && window$from < window$to) call <- finished_for(operation, call)
  if (!is.null(call$weight)) call$window <- window_of_weight(call$weight, call$window)
  if (is.null(margin)) call else lay_components(call, margin, wanted_precision(precision))
}

# A call whose window has the length 0 as one about functions that are 0: integrals and distances are 0. Means are
# missing, as where no functions are observed.
in_empty_window <- function(call) {
  value <- if (needs_lengths(call)) NA_real_ else 0
  for (side in c("x", if (!is.null(call$y)) "y")) {
    x <- check_functions(call[[side]], call$arguments[[side]])
    call[[side]] <- constant_functions(x, if (is.na(value) && is_pcf(x)) -Inf else 0, value)
  }
  call$window <- list(from = -Inf, to = Inf)
  call$missing <- "overlap"
  call["weight"] <- list(NULL)
  call
}

# A weight for functions `x` in a window from check_window(), restricted to it: one function in the same
# unit of time, observed and not negative throughout the window.
check_weight <- function(weight, window, x, argument = "x") {
  if (is.null(weight)) return(NULL)
  weight <- check_functions(check_one_function(weight, "weight"), "weight")
  common_unit(x, weight, c(argument, "weight"))
  weight <- in_unit(weight, unit_of(x), "weight")
  f <- unclass(weight)[[1]]
  ends <- c(f[-1, 1], Inf)
  inside <- f[, 1] < window$to & ends > window$from &
    !is_same_time(f[, 1], window$to) & !is_same_time(ends, window$from)
  k <- which(inside & (is.na(f[, 2]) | f[, 2] < 0))[1]
  if (is.na(k)) return(check_finite_weight(f[inside, , drop = FALSE], window, weight))
  abort_argument(
    "weight", "must be observed and not negative in the window, but is ", number(f[k, 2]),
    " from ", format_times(f[k, 1], unit_of(x), 15), " on."
  )
}

# The weight with the matrix `f`, its part in the window. Its integral may be infinite only if the window
# is.
check_finite_weight <- function(f, window, weight) {
  if (nrow(f) == 0) f <- new_function(0, 0)
  lengths <- diff(c(pmax(f[, 1], window$from), window$to))
  if (sum((f[, 2] * lengths)[f[, 2] > 0 & is.finite(lengths)]) == Inf) {
    abort_argument("weight", "has an integral that overflows.")
  }
  replace_functions(weight, list(f))
}

# ---- Exponents, windows, times and drawings ----

check_exponent <- function(p) {
  valid <- is_one_number(p) && p >= 1
  check_is(valid, plain(p), "p", "must be a number of at least 1, or Inf, not ")
}

# The window as list(from, to) of numbers in a unit of time, infinite ones included. With `empty` its ends may be
# the same.
check_window <- function(from, to, unit, ends = c("from", "to"), empty = TRUE) {
  window <- list(from = check_limit(from, ends[1], unit), to = check_limit(to, ends[2], unit))
  if (window$from == Inf) abort_argument(ends[1], "must be less than Inf.")
  if (window$to == -Inf) abort_argument(ends[2], "must be greater than -Inf.")
  if (window$from < window$to || empty && window$from == window$to) return(window)
  shown <- format_times(c(window$from, window$to), unit, 7)
  most <- if (empty) c("at most", "is greater than") else c("less than", "is not less than")
  abort_argument(ends[1], "must be ", most[1], " `", ends[2], "`: ", shown[1], " ", most[2], " ", shown[2], ".")
}

check_limit <- function(x, argument, unit) {
  if (is.null(unit_from(x)) && !inherits(x, "POSIXlt")) {
    what <- if (is.null(unit)) "a number" else "a time"
    hint <- if (!is.null(unit)) text_hint(x, argument, unit = unit)
    check_is(is_one_number(x), x, argument, "must be ", what, ", not ", hint = hint)
  }
  limit <- as.vector(times_in(x, unit, argument))
  check_is(length(limit) == 1, x, argument, "must be one time, not ")
  if (is.na(limit)) abort_argument(argument, "must be one time, not NA.")
  limit
}

# The times as numbers in a unit, with their names.
check_times <- function(times, unit) {
  check_given(times, "times", "the times at which to evaluate the functions")
  times <- without_parts(times)
  valid <- !is.null(times) && is_number(times)
  hint <- if (!is.null(unit)) text_hint(times, "times", unit = unit)
  what <- if (is.null(unit)) "numbers" else "times"
  check_is(valid, times, "times", "must be ", what, " without NA, not ", hint = hint)
  times_in(check_every(Negate(is.na), times, "times", "numbers without NA"), unit, "times")
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

# The range of times, or the ends of an axis that may go `backwards`, as numbers in a unit.
check_xlim <- function(xlim, unit, backwards = FALSE, log = "") {
  xlim <- without_parts(xlim)
  valid <- is_range(xlim) && (xlim[1] < xlim[2] || backwards && xlim[1] != xlim[2])
  what <- if (backwards) "two different finite numbers" else "two finite numbers, the smaller first"
  check_is(valid, xlim, "xlim", "must be ", what, ", not ")
  check_on_axis(as.vector(times_in(xlim, unit, "xlim")), "xlim", grepl("x", log))
}

check_ylim <- function(ylim, log = "") {
  valid <- is.numeric(ylim) && is_range(ylim)
  check_is(valid, ylim, "ylim", "must be two finite numbers, not ")
  check_on_axis(ylim, "ylim", grepl("y", log))
}

check_on_axis <- function(limits, argument, log) {
  if (!log || all(limits > 0)) return(limits)
  abort_argument(argument, "must be positive on a logarithmic axis, not ", number(min(limits)), ".")
}

is_range <- function(limits) {
  is_number(limits) && length(limits) == 2 && all(is.finite(limits))
}

check_opacity <- function(alpha) {
  alpha <- check_number(alpha, "alpha")
  check_is(alpha >= 0 && alpha <= 1, alpha, "alpha", "must be between 0 and 1, not ")
}

check_probs <- function(probs, count = NULL) {
  valid <- is.numeric(probs) && !is.object(probs) && length(probs) > 0 && all(is.finite(probs)) &&
    all(probs >= 0 & probs <= 1) && (is.null(count) || length(probs) == count)
  two <- if (!is.null(count)) "two "
  check_is(valid, as.vector(probs), "probs", "must be ", two, "numbers from 0 to 1, not ")
}

# ---- Settings ----

check_device <- function(device) {
  check_choice(device, "device", devices)
  if (device == "cuda") {
    problem <- .Call(ffi_cuda_problem, wanted_gpus())
    if (nzchar(problem)) abort_argument("device", "cannot be \"cuda\": ", problem, ".")
  }
  device
}

check_width <- function(width) {
  width <- plain(width)
  valid <- is.numeric(width) && length(width) == 1 && width %in% c(0, 32, 64, 128, 256)
  check_is(valid, width, "pcfdist.tile", "must be 32, 64, 128, 256, or 0 for the choice of the plan, not ")
  as.integer(width)
}

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
  order <- match(names, own)
  if (anyNA(order)) order <- match(in_full(names), in_full(own))
  one_each <- !anyNA(order) && !anyDuplicated(order) && !anyDuplicated(names) && all(nzchar(names))
  if (one_each) return(values[order])
  what <- if (anyNA(order)) paste("no element is named", dQuote(names[is.na(order)][1], FALSE))
          else paste("the names of the", things, "are not all distinct")
  abort_argument(
    argument, "has names that do not match those of the ", things, ": ", what,
    ". Use unname(", argument, ") to match by position."
  )
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

# ---- Lists ----

# Pairlists, which C does not read, as lists.
plain_list <- function(x) if (typeof(x) == "pairlist") as.list(x) else x

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
