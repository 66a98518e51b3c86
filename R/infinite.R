# One warning where a call gives nothing but infinite numbers: the window has no end, and the
# functions do not come back to 0, or to each other.

# `results`: numbers of one call; `what` they are; `collections`: of which functions.
warn_infinite <- function(results, what, collections, from, to) {
  if (is.finite(from) && is.finite(to)) return(invisible())
  if (!only_infinite(results)) return(invisible())
  ends <- window_ends(collections, from, to)
  if (length(ends) == 0) return(invisible()) # too large for a number
  n <- format(length(results), big.mark = ",")
  subject <- if (n == "1") paste("The", what, "is") else paste0("All ", n, " ", what, "s are")
  warn(
    "infinite", subject, " infinite: the functions do not end, and neither does the window. ",
    paste(ends, collapse = ". "), ".", if ("to" %in% names(ends))
      " For bars of diagrams that never die, choose `infinite =` in stable_rank() and the like."
  )
}

# What keeps integrals over the window finite, where functions are not 0 before or after it.
window_ends <- function(collections, from, to) {
  later <- to == Inf && any_value(collections, values_after)
  earlier <- from == -Inf && any_value(collections, values_before)
  c(to = if (later) "End it with `to =`", from = if (earlier) "Begin it with `from =`")
}

# Is there an infinite number, and no finite one? Mostly the first number tells. NA says nothing.
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

# Is any value that is observed not 0?
any_value <- function(collections, values_of) {
  any(vapply(collections, function(x) length(x) > 0 && any(values_of(x) != 0, na.rm = TRUE), NA))
}
