# Calls of C about pairs: their reports, errors and plans.

# Evaluates a call of C about pairs and returns its answer, or raises its error. The report is kept for
# last_run(), unless the pairs are only planned.
run_reported <- function(answer, x, y, arguments, planned = FALSE) {
  on.exit(end_bar())
  check_pairs(answer, x, y, arguments)
  if (!planned) the$last_run <- answer$report
  answer
}

# Raises the error of an answer about pairs, if there is one.
check_pairs <- function(answer, x, y, arguments) {
  if (!is.null(answer$unobserved)) {
    abort_unobserved(answer$unobserved, x, y, arguments)
  }
  answer_value(answer, x = x, y = y, argument = arguments[[answer$argument]])
}

# Checks the whole input, so that errors name places in the whole collections.
plan_pairs <- function(x, y, request, settings, arguments) {
  request$output <- "none"
  request["file"] <- list(NULL) # nothing is stored yet
  run_reported(.Call(ffi_pairwise, x, y, request, settings), x, y, arguments, TRUE)$report
}
