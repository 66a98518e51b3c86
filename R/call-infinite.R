# One warning if all results of a call are infinite, since the window is infinite and the functions do
# not return to 0, or to each other.

# `results`: the numbers of one call; `what`: their name; `window`: a list with its ends, `from` and `to`.
warn_infinite <- function(results, what, collections, window) {
  if (is.finite(window$from) && is.finite(window$to)) return(invisible())
  if (!only_infinite(results)) return(invisible())
  ends <- window_ends(collections, window)
  if (length(ends) == 0) return(invisible()) # they overflow
  n <- number(length(results), big.mark = ",")
  subject <- if (n == "1") paste("The", what, "is") else paste0("All ", n, " ", what, "s are")
  warn(
    "infinite", subject, " infinite: the window is infinite, and the functions do not return to 0 or to each ",
    "other. ",
    paste(ends, collapse = ". "), ".", if ("to" %in% names(ends))
      " For bars of diagrams that never die, use `infinite =` in stable_rank() and similar functions."
  )
}

# How to make integrals finite, if functions are not 0 at an infinite end of the window.
window_ends <- function(collections, window) {
  later <- window$to == Inf && any_value(collections, values_after)
  earlier <- window$from == -Inf && any_value(collections, values_before)
  c(to = if (later) "Give the window an end with `to =`", from = if (earlier) "Give the window a start with `from =`")
}

# Is there an infinite number, and no finite one? NA is ignored. Mostly the first number decides.
only_infinite <- function(results) {
  n <- length(results)
  found <- FALSE
  done <- 0
  size <- 1
  while (done < n) {
    part <- .subset(results, done + seq_len(min(size, n - done)))
    if (any(is.finite(part))) return(FALSE)
    found <- found || any(is.infinite(part))
    done <- done + size
    size <- min(1000 * size, 1e6)
  }
  found
}

# Is any observed value not 0?
any_value <- function(collections, values_of) {
  any(vapply(collections, function(x) length(x) > 0 && any(values_of(x) != 0, na.rm = TRUE), NA))
}
