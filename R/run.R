# From checked arguments to C and back: requests, answers and their errors.

# Computes or, for the output "none", plans. `request` comes from new_request(),
# `settings` from run_settings(). `arguments` are the names of the user's arguments. `what` is
# computed; that of overlaps is often infinite.
run_pairwise <- function(x, y, request, settings, arguments = c(x = "x", y = "y"),
                         what = "distance") {
  on.exit(end_bar())
  if (is.null(request$file)) {
    answer <- .Call(ffi_pairwise, x, y, request, settings)
    check_pairs(answer, x, y, arguments)
    if (request$output == "none") return(answer)
    the$last_run <- answer$report
  } else {
    answer <- list(value = run_stored(x, y, request, settings, arguments))
  }
  if (what != "overlap") {
    warn_infinite(answer$value, what, list(x, y), request$from, request$to)
  }
  answer
}

# Raises the error of an answer about pairs, if it is one.
check_pairs <- function(answer, x, y, arguments) {
  if (!is.null(answer$unobserved)) {
    abort_unobserved(answer$unobserved, x, y, arguments)
  }
  answer_value(answer, x = x, y = y, argument = arguments[[answer$argument]])
}

# The value of an answer of C, or its error. `...` are the collections by the names that C has
# for them, which are those of the arguments in which the user gave them, unless `argument`
# says otherwise.
answer_value <- function(answer, ..., argument = answer$argument) {
  if (!is.null(answer$problem)) {
    abort_function(answer$problem, list(...)[[answer$argument]], argument)
  }
  if (!is.null(answer$status)) abort(answer$status, answer$message)
  answer$value
}

# The error for a function because of whose missing values there is no answer.
abort_unobserved <- function(found, x, y, arguments) {
  if (!found$unbounded) abort_observed_difference(found, x, y, arguments)
  of <- if (!is.null(y)) paste0(" of `", arguments[["x"]], "`")
  ways <- if (found$to == Inf) {
    paste(
      "hold their last values for ever. Give an end, such as `to = max_time(x)`, or let the",
      "functions end, with `until` of as_pcf()."
    )
  } else {
    "have values from -Inf on. Give a start, with `from =`."
  }
  abort(
    "missing", argument = "missing", index = found$`function`,
    paste0(
      "There is no mean over an infinite time: ", function_label(found$`function`, x), of,
      " and others ", ways
    )
  )
}

# The same answer with the indices of all functions, where C was given those at `kept` alone.
answer_about <- function(answer, kept) {
  if (!is.null(kept) && !is.null(answer$problem)) {
    answer$problem$`function` <- as.double(kept)[answer$problem$`function`]
  }
  answer
}

# The operation of a distance: its name in C and, for `dist`, its method.
operation_of <- function(p) {
  check_exponent(p)
  if (p == 1) return(list(name = "l1", method = "L1"))
  if (p == 2) return(list(name = "l2", method = "L2"))
  if (p == Inf) return(list(name = "linf", method = "Linf"))
  list(name = "lp", method = "Lp")
}

# `attributes` are those of the result. C sets them, since R would copy the result.
# `window` and `weight` come from check_integrals(), `file` from check_file().
new_request <- function(output, mode, operation, p, window, missing = "error",
                        attributes = list(), file = NULL, weight = NULL) {
  list(output = output, mode = mode, operation = operation, p = as.double(p),
       from = window$from, to = window$to, missing = missing, attributes = attributes,
       file = file, weight = weight)
}
