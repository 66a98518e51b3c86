# Every error that pcfdist raises on purpose is a condition of class "pcfdist_error" and of a subclass
# "pcfdist_error_<what>". If an argument is at fault, its name is in the field `argument`.

# Raises an error about one argument. `...` is pasted into the message.
abort_argument <- function(argument, ..., call = caller_call()) {
  abort(argument, "`", argument, "` ", ..., argument = argument, call = call)
}

# Raises an error of class "pcfdist_error_<what>". `...` is pasted into the message, except for named
# arguments, which become fields of the condition.
abort <- function(what, ..., call = caller_call()) {
  stop(new_condition(what, "error", call, ...))
}

# The same as a warning.
warn <- function(what, ..., call = caller_call()) {
  warning(new_condition(what, "warning", call, ...))
}

new_condition <- function(what, kind, call, ...) {
  parts <- list(...)
  is_field <- nzchar(names(parts) %||% character(length(parts)))
  ours <- paste0("pcfdist_", kind)
  structure(
    class = c(paste0(ours, "_", what), ours, kind, "condition"),
    c(list(message = do.call(paste0, lapply(unname(parts[!is_field]), text_of)), call = call), parts[is_field])
  )
}

# The call that the user wrote: that of the innermost active function of this package that was not called
# by this package. The walk starts at `frame` and goes from each frame to its caller, which for a promise
# is where the argument was written. Functions of base packages in between, such as lapply() and
# tryCatch(), are skipped. Any other function, such as one given as an argument, is the user's, and ends
# the walk.
caller_call <- function(frame = sys.parent()) {
  ours <- topenv()
  parents <- sys.parents()
  found <- NULL
  while (frame > 0) {
    home <- topenv(environment(sys.function(frame)))
    if (identical(home, ours)) found <- frame
    else if (!environmentName(home) %in% packages_of_r) break
    # A frame that C evaluates in a new environment can be its own parent.
    if (parents[frame] >= frame) break
    frame <- parents[frame]
  }
  if (!is.null(found)) short_call(generic_call(found))
}

packages_of_r <- c("base", "stats", "utils", "methods", "graphics", "grDevices")

# The call of a frame; for a method, that of its generic.
generic_call <- function(frame) {
  call <- sys.call(frame)
  generic <- get0(".Generic", sys.frame(frame), mode = "character", inherits = FALSE)
  if (!is.null(generic)) call[[1]] <- as.name(generic)
  call
}

# Replaces whole objects, which some generics and do.call() put into the call, by dots.
short_call <- function(call) {
  long <- vapply(as.list(call), function(part) !is.language(part) && length_of(part) > 9, NA)
  is_object <- vapply(as.list(call), is.object, NA)
  call[long | is_object] <- list(quote(...))
  call
}

# A short description of a value for messages: "a character vector of length 2".
describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  if (is.data.frame(x)) return(paste0("a data frame with ", ncol(x), " column", plural(ncol(x))))
  if (is.atomic(x) && !is.object(x) && length(x) == 1 && is.null(dim(x))) {
    return(if (is.character(x)) dQuote(x, FALSE) else exact_text(x))
  }
  kind <- if (is.object(x)) paste0("an object of class <", class(x)[1], ">")
          else if (is.matrix(x)) sprintf("%s %s matrix", if (typeof(x) == "integer") "an" else "a", typeof(x))
          else if (is.list(x)) "a list"
          else if (!is.vector(x) && !is.atomic(x)) return(paste("an object of type", typeof(x)))
          else paste(if (typeof(x) == "integer") "an" else "a", typeof(x),
                     if (length(dim(x)) > 2) "array" else "vector")
  needs <- if (inherits(x, "integer64") && !has_bit64()) " (it needs the package bit64)"
  paste0(kind, " of length ", text_of(length_of(x)), needs)
}

# Methods for length() may fail for what has the class alone.
length_of <- function(x) {
  plain <- function(condition) length(unclass(x))
  tryCatch(length(x), error = plain, warning = plain)
}

# ---- Invalid functions ----

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

# 'function 2 ("b")', or 'the function' for a single one without a name; `what` replaces "function".
# A function that stands in for a missing one is a copy of another, and that one is named.
function_label <- function(i, x, what = "function") {
  if (is_either(x) && i <= length(x)) i <- attr(.subset2(x, i), "copy_of") %||% i
  name <- names(x)[i]
  named <- !is.null(name) && !is.na(name) && nzchar(name)
  if (length(x) == 1 && !named) return(paste("the", what))
  paste0(sprintf("%s %.0f", what, i), if (named) paste0(" (", dQuote(name, FALSE), ")"))
}

# ---- Parts of messages ----

plural <- function(n) if (n == 1) "" else "s"

first_ten <- function(x) paste(text_of(utils::head(x, 10)), collapse = ", ")

# '"a", "b"'
quoted <- function(texts) paste(dQuote(texts, FALSE), collapse = ", ")

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
