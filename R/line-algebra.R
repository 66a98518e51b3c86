# Arithmetic of piecewise linear functions. Their breakpoints lie end to end in vectors, so that an
# operation takes a few calls of R for all functions together.

# ---- Breakpoints end to end ----

# `group` has the function of each breakpoint, from 1. Those of step functions have no `left`.
flat_functions <- function(x) {
  m <- breakpoints_of(x)
  all <- do.call(rbind, c(list(matrix(0, 0, columns_of(x))), unname(unclass(x))))
  dimnames(all) <- NULL
  flat <- list(group = rep(seq_along(m), m), time = all[, 1])
  if (is_plf(x)) flat$left <- all[, 2]
  flat$value <- all[, columns_of(x)]
  flat
}

# Plain functions from such vectors: a list of `n` matrices.
lines_of_flat <- function(flat, n) {
  cut_functions(tabulate(flat$group, n), flat$time, flat$value, flat$left)
}

# The elements of flat vectors in another order, or some of them.
of_flat <- function(flat, which) lapply(flat, `[`, which)

is_first <- function(group) c(TRUE, group[-1] != group[-length(group)])[seq_along(group)]
is_last <- function(group) c(group[-1] != group[-length(group)], TRUE)[seq_along(group)]

# What comes after each breakpoint in its function; NA after the last.
following <- function(column, group) {
  replace(c(column[-1], NA)[seq_along(column)], is_last(group), NA)
}

# Left limits and values of functions at times in the order of groups and times, each of which comes
# after so many breakpoints of all functions, or is at the last of these.
line_at <- function(flat, group, time, passed) {
  n <- max(group, 0)
  begin <- cumsum(c(0, tabulate(flat$group, n)))
  k <- pmax(passed, 1)
  begun <- passed > begin[group]
  there <- begun & flat$time[k] == time
  ends <- begun & passed == begin[group + 1]
  share <- (time - flat$time[k]) / (flat$time[k + 1] - flat$time[k])
  value <- flat$value[k] + (flat$left[k + 1] - flat$value[k]) * share
  value[there | ends] <- flat$value[k[there | ends]]
  value[!begun] <- flat$left[begin[group[!begun]] + 1]
  left <- value
  left[there] <- flat$left[k[there]]
  list(left = left, value = value)
}

# As many functions f as g on the breakpoints of both: `left` and `value` of f, `other_left` and
# `other` of g.
align_lines <- function(f, g) {
  group <- c(f$group, g$group)
  time <- c(f$time, g$time)
  order <- order(group, time, method = "radix")
  of_f <- cumsum(order <= length(f$group))
  group <- group[order]
  time <- time[order]
  last <- which(is_last(group) | following(time, group) != time)
  group <- group[last]
  time <- time[last]
  passed <- of_f[last]
  at_f <- line_at(f, group, time, passed)
  at_g <- line_at(g, group, time, last - passed)
  list(
    group = group, time = time, left = at_f$left, value = at_f$value, other_left = at_g$left,
    other = at_g$value
  )
}

# The same with the times between breakpoints where f and g cross.
with_crossings <- function(both) {
  from <- both$value - both$other
  to <- following(both$left - both$other_left, both$group)
  next_time <- following(both$time, both$group)
  share <- from / (from - to)
  time <- both$time + (next_time - both$time) * share
  k <- which(sign(from) * sign(to) < 0 & time > both$time & time < next_time)
  if (length(k) == 0) return(both)
  level <- both$value[k] + (both$left[k + 1] - both$value[k]) * share[k]
  new <- list(both$group[k], time[k], level, level, level, level)
  order <- order(c(seq_along(both$time), k + 0.5))
  both[] <- .mapply(function(own, new) c(own, new)[order], list(both, new), NULL)
  both
}

# ---- Operators ----

line_operators <- c("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "pmax", "pmin")

# Operands of which one at least is a plf, in one unit; `shape` is that of the result.
operate_lines <- function(operator, e1, e2, shape, unit) {
  base <- sub(" of those observed$", "", operator)
  if (!base %in% line_operators) abort_not_linear(operator)
  n <- length(shape)
  both <- align_operands(e1, e2, n)
  steps <- base %in% c("<", "<=", ">", ">=", "==", "!=")
  if (steps || base %in% c("pmax", "pmin")) both <- with_crossings(both)
  functions <- if (steps) compared_lines(base, both, n)
               else lines_of_flat(combined_lines(operator, both, shape, unit), n)
  attributes(functions) <- attributes(shape)
  if (steps) new_pcf(functions, unit) else check_functions(new_plf(functions, unit), "e1")
}

abort_not_linear <- function(operator) {
  abort(
    "generic", "`", operator, "` of piecewise linear functions is not piecewise linear. ",
    "evaluate(x, times) gives values to compute with; l2_kernel() and pdist() have the integrals of ",
    "products and of squares."
  )
}

# Numbers are constants from the first breakpoint of the function on.
align_operands <- function(e1, e2, n) {
  flat <- function(e) if (is_either(e)) flat_functions(as_lines(e)[rep_len(seq_along(e), n)])
  f <- flat(e1)
  g <- flat(e2)
  if (!is.null(f) && !is.null(g)) return(align_lines(f, g))
  number <- rep_len(as.vector(if (is.null(f)) e1 else e2), n)
  own <- if (is.null(f)) g else f
  constant <- number[own$group]
  before <- replace(constant, is_first(own$group) & own$left %in% 0, 0)
  sides <- list(list(own$left, own$value), list(before, constant))
  if (is.null(f)) sides <- rev(sides)
  list(
    group = own$group, time = own$time, left = sides[[1]][[1]], value = sides[[1]][[2]],
    other_left = sides[[2]][[1]], other = sides[[2]][[2]]
  )
}

# Where both are 0 before the first breakpoint, so is the result.
combined_lines <- function(operator, both, shape, unit) {
  combine <- rare_operator(operator)
  not_begun <- is_first(both$group) & both$left %in% 0 & both$other_left %in% 0
  left <- replace(combine(both$left, both$other_left), not_begun, 0)
  value <- combine(both$value, both$other)
  if (operator %in% c("*", "/")) check_linear(operator, both, shape, unit)
  wrong <- which(is.nan(value) & !is.na(both$value) & !is.na(both$other) | is.infinite(value))
  if (length(wrong) > 0) {
    k <- wrong[1]
    from <- paste(number(both$value[k]), operator, number(both$other[k]))
    abort_value_at(both$time[k], value[k], both$group[k], shape, operator, from, unit)
  }
  list(group = both$group, time = both$time, left = left, value = value)
}

# A product is linear where one of the functions is constant, and a quotient where the second one is.
check_linear <- function(operator, both, shape, unit) {
  bends <- function(left, value) {
    rise <- following(left, both$group) - value
    !is.na(rise) & rise != 0
  }
  first <- bends(both$left, both$value)
  second <- bends(both$other_left, both$other)
  wrong <- which(if (operator == "*") first & second else second)
  if (length(wrong) == 0) return()
  k <- wrong[1]
  abort(
    "generic", "`", operator, "` of piecewise linear functions is linear only where ",
    if (operator == "*") "one of them is constant. From the time "
    else "the second one is constant. From the time ",
    format_times(both$time[k], unit, 15), " on that of ", function_label(both$group[k], shape),
    " is not. l2_kernel() has the integrals of products, and evaluate() gives values."
  )
}

# Step functions, from the signs of f - g between breakpoints, where these do not cross.
compared_lines <- function(operator, both, n) {
  from <- sign(both$value - both$other)
  to <- sign(following(both$left - both$other_left, both$group))
  last <- is_last(both$group)
  between <- sign(from + replace(to, last, 0))
  between[last] <- from[last]
  compare <- match.fun(operator)
  value <- as.double(compare(between, 0))
  first <- which(is_first(both$group))
  not_begun <- both$left[first] %in% 0 & both$other_left[first] %in% 0
  start <- as.double(compare(both$left[first], both$other_left[first]))
  open <- first[!not_begun & !start %in% 0]
  order <- order(c(seq_along(value), open - 0.5))
  cut_functions(
    tabulate(c(both$group, both$group[open]), n),
    c(both$time, rep(-Inf, length(open)))[order],
    c(value, start[match(open, first)])[order]
  )
}

negative_lines <- function(x) {
  negate <- function(flat) {
    list(group = flat$group, time = flat$time, left = -flat$left, value = -flat$value)
  }
  map_lines(x, negate, "e1")
}

absolute_lines <- function(x) {
  map_lines(x, function(flat) {
    zeros <- double(length(flat$time))
    both <- with_crossings(c(flat, list(other_left = zeros, other = zeros)))
    list(group = both$group, time = both$time, left = abs(both$left), value = abs(both$value))
  })
}

# The functions of x with flat breakpoints that `change` makes of theirs.
map_lines <- function(x, change, argument = "x") {
  x <- check_functions(x, argument)
  check_functions(replace_functions(x, lines_of_flat(change(flat_functions(x)), length(x))))
}

# The functions with other times: list(functions, fault), as with_column() has it.
lines_with_times <- function(x, times) {
  flat <- flat_functions(x)
  flat$time <- times
  functions <- lines_of_flat(flat, length(x))
  wrong <- which(!is.finite(times) | following(times, flat$group) <= times)[1]
  if (is.na(wrong)) return(list(functions = functions))
  at <- wrong + is.finite(times[wrong])
  list(functions = functions, fault = c(flat$group[at], at - match(flat$group[at], flat$group) + 1))
}

# The functions in the window, and 0 outside of it: rows of one component.
restricted_lines <- function(x, window) {
  begin <- if (window$from > -Inf) window$from else min(0, window$to)
  part <- c(1, window$from, window$to, begin, window$to, 0)
  functions_like(x, .Call(ffi_lay_rows, x, length(x), part, 0, run_threads(NULL)))
}

# ---- Canonical forms ----

# Breakpoints at which the line goes on are dropped: those where the function does not jump, and that
# lie between their neighbours up to a rounding, or where nothing is observed on both sides.
simplified_lines <- function(x) {
  functions <- unname(unclass(check_functions(x)))
  flat <- flat_functions(new_plf(functions))
  repeat {
    drop <- goes_on(flat)
    if (!any(drop)) break
    flat <- of_flat(flat, !drop)
  }
  constant <- is_first(flat$group) & is_last(flat$group) & equal_or_missing(flat$left, flat$value)
  flat$time[constant] <- 0
  # No -0.
  flat$left <- flat$left + 0
  flat$value <- flat$value + 0
  lines_of_flat(flat, length(functions))
}

equal_or_missing <- function(a, b) (a == b | is.na(a) & is.na(b)) %in% TRUE

goes_on <- function(flat) {
  group <- flat$group
  first <- is_first(group)
  last <- is_last(group)
  before <- c(NA, flat$value[-length(group)])
  before_time <- c(NA, flat$time[-length(group)])
  after <- following(flat$left, group)
  after_time <- following(flat$time, group)
  share <- (flat$time - before_time) / (after_time - before_time)
  size <- pmax(abs(before), abs(after))
  on_line <- abs(before + (after - before) * share - flat$value) <= 4 * .Machine$double.eps * size
  unknown <- is.na(before) & is.na(flat$left) & is.na(flat$value) & is.na(after)
  inner <- !first & !last & (flat$left == flat$value & on_line | unknown)
  # At the ends, where the function is constant, one breakpoint stays at least.
  same <- equal_or_missing(flat$left, flat$value)
  starts <- first & !last & same & equal_or_missing(flat$value, after)
  stops <- last & !first & same & equal_or_missing(flat$left, before)
  drop <- (inner | starts | stops) %in% TRUE
  # Of neighbours only every other one goes at a time: the lines of the rest are as they were.
  run <- seq_along(drop) - cummax(ifelse(drop, 0, seq_along(drop)))
  drop & run %% 2 == 1
}

# ---- Extrema of groups ----

# The extrema of the functions of each row, row[i] in 1 ... count: they are combined two by two, then
# the results, until each row has one; a list of matrices.
pairwise_lines <- function(x, operator, row, count) {
  order <- order(row, method = "radix")
  functions <- unname(unclass(x))[order]
  row <- row[order]
  repeat {
    second <- which((seq_along(row) - match(row, row)) %% 2 == 1)
    if (length(second) == 0) break
    combined <- operate_lines(
      operator, new_plf(functions[second - 1]), new_plf(functions[second]),
      logical(length(second)), NULL
    )
    functions[second - 1] <- unclass(combined)
    functions <- functions[-second]
    row <- row[-second]
  }
  results <- rep(list(new_line(0, 0, 0)), count)
  results[row] <- functions
  simplified_lines(new_plf(results))
}
