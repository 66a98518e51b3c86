# Results for pairs, in memory or in a file, and the warnings about them.

# Computes results for pairs or, for the output "none", plans them. `request` comes from request_for(),
# `settings` from run_settings(). `arguments` are the names of the user's arguments. `what` is the name of
# the results in warnings; overlaps are often infinite, and raise none.
run_pairwise <- function(x, y, request, settings, arguments = c(x = "x", y = "y"),
                         what = "distance") {
  planned <- request$output == "none"
  answer <- if (is.null(request$file)) {
    run_reported(.Call(ffi_pairwise, x, y, request, settings), x, y, arguments, planned)
  } else {
    list(value = run_stored(x, y, request, settings, arguments))
  }
  if (planned || what == "overlap") return(answer)
  warn_infinite(answer$value, what, list(x, y), request)
  if (is.null(request$file) && request$missing != "error") {
    warn_apart(answer$value, what, request)
  }
  answer
}

# One warning if there are results NA, of pairs of functions that are never observed at the same time or not for as
# long as `min_overlap`. NaN is an integral that would be infinite with both signs.
warn_apart <- function(results, what, request) {
  if (!anyNA(results)) return(invisible())
  numbers <- function(k) .subset(results, k)
  apart <- sum(vapply(runs_of(length(results), 1e6), function(k) sum(is.na(numbers(k)) & !is.nan(numbers(k))), 0))
  all <- length(results)
  if (request$output == "symmetric") { # each pair counts once
    own <- diag(results)
    apart <- (apart + sum(is.na(own) & !is.nan(own))) / 2
    all <- (all + length(own)) / 2
  }
  if (apart > 0) warn(
    "missing", number(apart, big.mark = ","), " of ", number(all, big.mark = ","), " ", what, plural(all), " ",
    if (apart == 1) "is" else "are", " NA, since the functions of ", if (apart == 1) "this pair" else "these pairs",
    " are ", if (request$min_overlap > 0) "observed at the same time for less than `min_overlap`"
    else "never observed at the same time",
    " in the window. overlap() gives the lengths of time that pairs share.",
    count = apart
  )
}
