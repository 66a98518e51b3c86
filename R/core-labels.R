# Shortening labels so that they fit and stay distinct.

# Labels of at most `width` inches, but at least one character. Distinct labels stay distinct: long ones are
# cut at the end or in the middle, or lose their common beginning; if that would make them equal, they are
# numbered.
shortened <- function(labels, width, cex) {
  long <- which(graphics::strwidth(labels, "inches", cex) > width)
  if (length(long) == 0) return(labels)
  different <- length(unique(labels))
  for (cut in list(without_end, without_middle, without_shared_beginning, with_number)) {
    short <- replace(labels, long, cut_to(labels[long], width, cex, cut))
    if (length(unique(short)) == different) break
  }
  short
}

# `cut` shortens labels to a given number of characters.
cut_to <- function(labels, width, cex, cut) {
  kept <- nchar(labels)
  repeat {
    texts <- cut(labels, kept)
    part <- width / graphics::strwidth(texts, "inches", cex)
    wide <- which(part < 1 & kept > 1)
    if (length(wide) == 0) return(texts)
    kept[wide] <- base::pmax(1, base::pmin(kept[wide] - 1, ceiling(kept[wide] * part[wide])))
  }
}

without_end <- function(labels, kept) {
  paste0(substr(labels, 1, kept), ifelse(kept < nchar(labels), "...", ""))
}

without_middle <- function(labels, kept) {
  n <- nchar(labels)
  paste0(substr(labels, 1, ceiling(kept / 2)), "...", substr(labels, n - kept %/% 2 + 1, n))
}

without_shared_beginning <- function(labels, kept) {
  rest <- substr(labels, shared_beginning(labels) + 1, nchar(labels))
  paste0("...", without_end(rest, kept))
}

with_number <- function(labels, kept) {
  paste0(substr(labels, 1, kept), "... ", seq_along(labels))
}

# The number of characters at the beginning that all labels share, without the word in which they begin to
# differ, such as a number, unless that is very long.
shared_beginning <- function(labels) {
  places <- seq_len(min(nchar(labels)) - 1)
  same <- vapply(places, function(k) length(unique(substr(labels, k, k))) == 1, NA)
  nchar(sub("[[:alnum:]]{0,12}$", "", substr(labels[1], 1, sum(cumprod(same)))))
}

# ---- Labels of functions and pairs ----

# A factor with one level for each function, in their order; repeated names get numbers.
function_ids <- function(x) {
  labels <- function_labels(x)
  ids <- if (is.null(labels)) as.character(seq_along(x)) else make.unique(labels, " ")
  factor(ids, ids)
}

# The two members whose distance is the k-th element of a `dist` of size n, such as "2 and 5".
pair_label <- function(k, n) {
  pair <- pair_at(k, n)
  sprintf("%.0f and %.0f", pair$first, pair$second)
}

pair_at <- function(k, n) {
  before <- c(0, cumsum(as.double(rev(seq_len(n - 1)))))
  first <- findInterval(k, before, left.open = TRUE)
  list(first = first, second = k - before[first] + first)
}
