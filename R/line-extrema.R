# Extrema of groups of piecewise linear functions.

# The extrema of the functions of each row, row[i] in 1 ... count, as a list of matrices. Functions are
# combined in pairs, and then the results, until each row has one. A result remembers which line of the given
# functions it follows, so that no error is carried on from one combination to the next. The pairs depend on
# what the functions are, not on their order.
extrema_of_lines <- function(x, operator, row, count) {
  functions <- unname(unclass(x))
  key <- vapply(seq_along(functions), function(i) digest_of(new_plf(functions[i]), 1L), "")
  order <- order(row, key, method = "radix")
  row <- row_of_line <- row[order]
  lines <- flat_functions(new_plf(functions[order]))
  best <- lines_followed(lines)
  repeat {
    second <- (seq_along(row) - match(row, row)) %% 2 == 1
    if (!any(second)) break
    paired <- second | c(second[-1], FALSE)
    place <- cumsum(!second)
    part <- function(which) {
      chosen <- of_flat(best, which[best$group])
      chosen$group <- match(place[chosen$group], place[second])
      chosen
    }
    merged <- better_of_two(lines, part(paired & !second), part(second), operator)
    merged$group <- place[second][merged$group]
    alone <- of_flat(best, !paired[best$group])
    alone$group <- place[alone$group]
    best <- Map(c, alone, merged)
    best <- of_flat(best, order(best$group, method = "radix"))
    row <- row[!second]
  }
  best <- kept_beside_crossings(best, lines, match(row_of_line, row))
  results <- rep(list(new_line(0, 0, 0)), count)
  results[row] <- lines_of_flat(best, length(row))
  simplified_lines(new_plf(results))
}

# Functions with the lines before and after each of their breakpoints. Line k > 0 is that from breakpoint k of
# all `lines` on; line -k is constant, up to breakpoint k.
lines_followed <- function(lines) {
  k <- seq_along(lines$time)
  c(lines, list(before = ifelse(is_first(lines$group), -k, k - 1), after = k))
}

# The values of lines at times, as sums of two numbers.
values_of_lines <- function(lines, line, time) {
  k <- abs(line)
  high <- ifelse(line < 0, lines$left[k], lines$value[k])
  low <- double(length(k))
  sloped <- which(line > 0 & !is_last(lines$group)[k])
  k <- k[sloped]
  exact <- exact_line_value(lines$time[k], lines$value[k], lines$time[k + 1], lines$left[k + 1], time[sloped])
  high[sloped] <- exact$high
  low[sloped] <- exact$low
  list(high = high, low = low)
}

# What functions and the lines that they follow are at times, as in line_at().
followed_at <- function(lines, f, group, time, passed) {
  begin <- cumsum(c(0, tabulate(f$group, max(group, 0))))
  k <- pmax(passed, 1)
  begun <- passed > begin[group]
  there <- begun & f$time[k] == time
  after <- ifelse(begun, f$after[k], f$before[begin[group] + 1])
  value <- f$value[k]
  value[!there] <- values_of_lines(lines, after[!there], time[!there])$high
  at <- list(left = value, value = value, before = after, after = after)
  at$left[there] <- f$left[k[there]]
  at$before[there] <- f$before[k[there]]
  at
}

# The better one of equally many functions f and g.
better_of_two <- function(lines, f, g, operator) {
  both <- common_times(f, g)
  at_f <- followed_at(lines, f, both$group, both$time, both$of_f)
  at_g <- followed_at(lines, g, both$group, both$time, both$of_g)
  both[c("left", "value", "other_left", "other")] <- c(at_f[1:2], at_g[1:2])
  first <- is_first(both$group)
  gap <- gaps_between(both)
  to <- replace(gap$to, is_last(both$group), 0)
  is_g <- chooses_second(operator, at_f$value, at_g$value, gap$from + to)
  crossing <- crossings_of_lines(lines, both, gap, at_f$after, at_g$after)
  k <- crossing$k
  is_g[k] <- chooses_second(operator, at_f$value[k], at_g$value[k], gap$from[k])
  # Before each breakpoint, the line that is the better one since the last one, or since a crossing.
  was_g <- c(FALSE, is_g[-length(is_g)])
  was_g[k + 1] <- !is_g[k]
  starts <- chooses_second(operator, at_f$left, at_g$left, at_f$left - at_g$left)
  was_g[first] <- starts[first]
  combine <- rare_operator(operator)
  best <- list(
    group = both$group, time = both$time, left = combine(at_f$left, at_g$left),
    value = combine(at_f$value, at_g$value), before = ifelse(was_g, at_g$before, at_f$before),
    after = ifelse(is_g, at_g$after, at_f$after)
  )
  off <- best$left != ifelse(was_g, at_g$left, at_f$left) | best$value != ifelse(is_g, at_g$value, at_f$value)
  kept <- which(first | best$before != best$after | off %in% TRUE)
  new <- list(
    both$group[k], crossing$time, crossing$level, crossing$level,
    best$after[k], ifelse(is_g[k], at_f$after[k], at_g$after[k])
  )
  order <- order(c(kept, k + 0.5))
  best[] <- .mapply(function(own, new) c(own[kept], new)[order], list(best, new), NULL)
  best
}

# Is the second of two functions the better one, where their difference is `gap`?
chooses_second <- function(operator, first, second, gap) {
  by_value <- (if (startsWith(operator, "pmax")) gap < 0 else gap > 0) %in% TRUE
  if (endsWith(operator, "of those observed")) by_value | is.na(first)
  else (by_value | is.na(second)) & !is.na(first)
}

# The breakpoints k after which lines cross, and the times and values at which they do.
crossings_of_lines <- function(lines, both, gap, line, other) {
  k <- which(sign(gap$from) * sign(gap$to) < 0)
  gap_at <- function(time, gap) {
    f <- values_of_lines(lines, line[k], time)
    g <- values_of_lines(lines, other[k], time)
    exact <- (f$high - g$high) + (f$low - g$low)
    ifelse(sign(exact) == sign(gap) & is.finite(exact), exact, gap)
  }
  begin <- both$time[k]
  end <- both$time[k + 1]
  large <- abs(gap$from[k] - gap$to[k]) > 1e290
  from <- ifelse(large, gap$from[k], gap_at(begin, gap$from[k]))
  to <- ifelse(large, gap$to[k], gap_at(end, gap$to[k]))
  time <- begin + (end - begin) * (from / (from - to))
  inside <- which(time > begin & time < end)
  k <- k[inside]
  list(k = k, time = time[inside], level = crossing_level(both, k, time[inside]))
}

# A crossing is at a rounded time, far from 0 up to 1e-7 away, and so are the lines that lead there. Breakpoints at
# the last time before and the first one after it at which any function of the row has one confine that to
# where nobody looks: simplify() drops those that are not needed.
kept_beside_crossings <- function(best, lines, row) {
  of_line <- function(line) lines$group[abs(line)]
  k <- which(!is_first(best$group) & of_line(best$before) != of_line(best$after) & best$left == best$value)
  own <- order(row[lines$group], lines$time, method = "radix")
  own_group <- row[lines$group][own]
  own_time <- lines$time[own]
  n <- length(own)
  passed <- function(first) { # own times before crossings or, if these come after equal ones, up to them
    order <- order(c(own_group, best$group[k]), c(own_time, best$time[k]), c(rep(1, n), rep(first, length(k))))
    cumsum(order <= n)[match(n + seq_along(k), order)]
  }
  before <- passed(0)
  after <- passed(2) + 1
  last <- is_last(best$group)[k]
  lower <- before > 0 & own_group[pmax(before, 1)] == best$group[k]
  lower <- which(lower & own_time[pmax(before, 1)] > best$time[k - 1])
  upper <- which((own_group[after] == best$group[k] & (last | own_time[after] < best$time[k + 1])) %in% TRUE)
  group <- best$group[k][c(lower, upper)]
  time <- own_time[c(before[lower], after[upper])]
  line <- c(best$before[k][lower], best$after[k][upper])
  value <- values_of_lines(lines, line, time)$high
  new <- list(group, time, value, value, line, line)
  both <- .mapply(c, list(best, new), NULL)
  order <- order(both[[1]], both[[2]])
  best[] <- lapply(both, `[`, order)
  of_flat(best, is_first(best$group) | c(TRUE, diff(best$time) != 0)[seq_along(best$time)])
}
