# Crossing times and inverses of piecewise linear functions.

# ---- Levels ----

# The points of the graph of one function, in order of time: the left limit and the value at each
# breakpoint, if they are known. `left` says whether a point is a left limit, and `gap` whether the function
# is not observed before it. The value before the first breakpoint is included, unless it is a 0 from
# which the function turns back.
graph_of_line <- function(f, falling) {
  value <- as.vector(rbind(f[, 2], f[, 3]))
  graph <- list(time = rep(f[, 1], each = 2), value = value, left = rep(c(TRUE, FALSE), nrow(f)))
  next_value <- value[-1][!is.na(value[-1])][1]
  begins <- f[1, 2] %in% 0 && isTRUE(if (falling) next_value > 0 else next_value < 0)
  if (begins) graph <- of_flat(graph, -1)
  known <- !is.na(graph$value)
  gap <- c(FALSE, diff(cumsum(!known)[known]) > 0)
  if (any(known)) gap[1] <- !known[1]
  c(of_flat(graph, known), list(gap = gap, begins = begins))
}

# Are functions decreasing? By the user's choice, or by their first and last observed values.
lines_fall <- function(x, falling) {
  if (!is.na(falling)) return(falling)
  if (length(x) == 0) return(FALSE)
  # From the first value on, left limits and values alternate.
  ends <- vapply(unclass(x), function(f) {
    seen <- t(f[, 2:3, drop = FALSE])[-1]
    known <- which(!is.na(seen))
    last <- known[length(known)]
    if (length(known) == 0) c(0, NA) else c(sign(seen[last] - seen[known[1]]), last)
  }, c(change = 0, last = 0))
  change <- ends["change", ]
  first <- change[change != 0][1]
  if (is.na(first)) return(NA)
  wrong <- which(change == -first)
  if (length(wrong) == 0) return(first[[1]] < 0)
  last <- ends[["last", wrong[1]]]
  problem <- list(
    `function` = wrong[1], position = last %/% 2 + 1, left = last %% 2 == 0,
    problem = if (first < 0) "ends_higher" else "ends_lower"
  )
  abort_function(problem, x)
}

# The first times at which functions reach levels, in the order of the levels: a list of vectors.
crossing_times_of_lines <- function(x, levels, falling, tolerance, middle) {
  sign <- if (falling) -1 else 1
  lapply(unclass(x), function(f) {
    graph <- graph_of_line(f, falling)
    reached_at(graph, sign * graph$value, sign * levels, tolerance, middle)
  })
}

# For functions that increase on the whole.
reached_at <- function(graph, value, levels, tolerance, middle) {
  k <- findInterval(levels - tolerance * abs(levels), cummax(value), left.open = TRUE) + 1
  there <- k <= length(value)
  before <- value[pmax(k - 1, 1)]
  from <- graph$time[pmax(k - 1, 1)]
  share <- pmin(1, (levels - before) / (value[k] - before))
  time <- ifelse(k == 1 | from == graph$time[k], graph$time[k], from + (graph$time[k] - from) * share)
  time[there & k == 1 & !graph$begins & !graph$gap[1]] <- -Inf
  time[graph$gap[k] & k > 1] <- NA # before the first observed time there may have been anything
  there <- there & k > 1 # a level held from the start is reached there
  if (middle) time[there] <- time[there] / 2 + end_of_flat(graph, value, levels, k, tolerance, time)[there] / 2
  time
}

# The time until which a function stays at a level that it reaches at a point; NA if it leaves the level
# while it is not observed.
end_of_flat <- function(graph, value, levels, k, tolerance, time) {
  vapply(seq_along(levels), function(l) {
    at <- k[l]
    apart <- tolerance * abs(levels[l])
    if (is.na(time[l]) || at > length(value) || abs(value[at] - levels[l]) > apart) return(time[l])
    while (at < length(value) && abs(value[at + 1] - levels[l]) <= apart) at <- at + 1
    if (at < length(value) && graph$gap[at + 1]) NA else max(time[l], graph$time[at])
  }, 0)
}

# ---- Inverses ----

inverses_of_lines <- function(x, falling) {
  .mapply(function(f, i) {
    graph <- graph_of_line(f, falling)
    change <- diff(graph$value)
    wrong <- which(if (falling) change > 0 else change < 0)[1]
    if (!is.na(wrong)) {
      problem <- list(
        `function` = i, position = findInterval(graph$time[wrong + 1], f[, 1]),
        left = graph$left[wrong + 1], problem = if (falling) "rises" else "falls"
      )
      abort_function(problem, x)
    }
    inverse_of_graph(if (falling) lapply(graph, rev) else graph, falling)
  }, list(unclass(x), seq_along(x)), NULL)
}

# `gap` refers to the time before a point.
inverse_of_graph <- function(graph, falling) {
  n <- length(graph$value)
  if (n == 0) return(new_line(0, NA, NA))
  gap_before <- if (falling) c(TRUE, graph$gap[-n]) else replace(graph$gap, 1, TRUE)
  gap_after <- c(gap_before[-1], TRUE)
  first <- which(!duplicated(graph$value))
  last <- c(first[-1] - 1, n)
  new_line(
    graph$value[first], replace(graph$time[first], gap_before[first], NA),
    replace(graph$time[last], gap_after[last], NA)
  )
}
