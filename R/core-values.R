# Values of functions at their ends, at times and as columns, and all their breakpoints one after the other.

# The first finite and the last times of functions, and their values before and after all breakpoints.
ends_of <- function(x) {
  ends <- answer_value(.Call(ffi_ends, x), x = x)
  stats::setNames(ends, c("first", "last", "before", "after"))
}

values_before <- function(x) stats::setNames(ends_of(x)$before, names(x))
values_after <- function(x) stats::setNames(ends_of(x)$after, names(x))

# The values of one function, given as a matrix, at a few times.
values_at <- function(f, times) {
  c(0, f[, 2])[findInterval(times, f[, 1]) + 1L]
}

# The breakpoints of one function, and the value before them.
from_the_start <- function(f) {
  if (f[1, 1] == -Inf) f else rbind(c(-Inf, 0), f)
}

# ---- Columns ----

# The times, the values or, of lines, the left limits ("time", "value", "left") of all functions, end to end.
column_of <- function(x, which, argument = "x", threads = run_threads(NULL)) {
  answer <- .Call(ffi_column, x, which, threads)
  answer_value(answer, x = x, argument = argument)
}

# The functions with another column: list(functions, fault).
with_column <- function(x, which, column, argument = "x", threads = run_threads(NULL)) {
  answer <- .Call(ffi_with_column, x, which, as.double(column), threads)
  answer_value(answer, x = x, argument = argument)
}

# The functions with `change` applied to all values. `label` names it in errors.
map_values <- function(x, change, label, argument = "x") {
  values <- column_of(x, "value", argument)
  results <- change(values)
  changed <- with_column(x, "value", results, argument)
  # On some machines R computes a NaN other than NA from NA.
  if (!is.null(changed$fault) && anyNA(values)) {
    changed <- with_column(x, "value", replace(results, is.na(values), NA), argument)
  }
  if (!is.null(changed$fault)) {
    place <- changed$fault
    from <- paste("its value", number(.subset2(x, place[1])[place[2], 2]))
    abort_value(changed, x, label, from, unit_of(x))
  }
  with_name(replace_functions(x, changed$functions), NULL)
}

# A collection, or NULL, with all values and left limits changed.
with_values <- function(x, change) {
  if (is.null(x)) return(x)
  map_functions(x, function(f) {
    f[, -1] <- change(f[, -1])
    f
  })
}

# ---- Breakpoints ----

# The breakpoints of all functions, without an end right after the last measurement.
finite_breakpoints <- function(x) {
  times <- all_times(x)
  times <- times[is.finite(times)]
  times[!replace(is_next_time(times), -length(times), FALSE)]
}

# Is a function not observed before its second breakpoint?
begins_unobserved <- function(f) {
  nrow(f) > 1 && isTRUE(f[1, 1] == -Inf) && is.na(f[1, 2])
}

# Functions that have one breakpoint and are constant from there on, in the place of all of `x`.
constant_functions <- function(x, time, value) {
  constant <- if (is_pcf(x)) new_function(time, value) else new_line(time, value, value)
  map_functions(x, function(f) constant)
}

# A start at -Inf is needed only if the value there is not 0.
level_function <- function(times, values) {
  needed <- times[1] > -Inf || !values[1] %in% 0
  if (needed) new_function(times, values)
  else if (length(times) > 1) new_function(times[-1], values[-1])
  else new_function(0, 0)
}

# ---- Breakpoints of all functions in vectors ----

# `group` has the function of each breakpoint, counted from 1. Step functions have no `left`.
flat_functions <- function(x) {
  m <- breakpoints_of(x)
  flat <- list(group = rep(seq_along(m), m), time = column_of(x, "time"))
  if (is_plf(x)) flat$left <- column_of(x, "left")
  flat$value <- column_of(x, "value")
  flat
}

# The functions with the breakpoints `flat`, as of flat_functions(), and after some of them those of `rows`.
insert_breakpoints <- function(x, flat, after, rows) {
  place <- order(c(seq_along(flat$time), after))
  column <- function(name) if (!is.null(rows[[name]])) c(flat[[name]], rows[[name]])[place]
  lengths <- tabulate(flat$group, length(x)) + tabulate(flat$group[after], length(x))
  replace_functions(x, cut_functions(lengths, column("time"), column("value"), column("left")))
}

# The functions with the breakpoints of measurements right after which they are not observed, also where these were
# dropped as redundant: at the time before the next larger number, where the gap begins. Times of more `digits` are
# not taken for such, since they may be next to a shorter one by chance.
measured_to_the_end <- function(x, digits = 13) {
  if (!anyNA(column_of(x, "value"))) return(x)
  flat <- flat_functions(x)
  ends <- which(is.na(flat$value))
  ends <- ends[flat$group[ends] == c(0, flat$group)[ends]]
  ends <- ends[is_next_of_text(flat$time[ends], digits)]
  arriving <- if (is_plf(x)) flat$left[ends] else flat$value[ends - 1]
  times <- previous_time(flat$time[ends])
  dropped <- which(!is.na(arriving) & flat$time[ends - 1] < times)
  if (length(dropped) == 0) return(x)
  rows <- list(time = times[dropped], left = arriving[dropped], value = arriving[dropped])
  insert_breakpoints(x, flat, ends[dropped] - 1, if (is_plf(x)) rows else rows[-2])
}

is_first <- function(group) c(TRUE, group[-1] != group[-length(group)])[seq_along(group)]

# All algorithms on flat vectors come by here, and may be interrupted.
is_last <- function(group) {
  .Call(ffi_poll)
  c(group[-1] != group[-length(group)], TRUE)[seq_along(group)]
}

# The element after that of each breakpoint in its function; NA after the last.
following <- function(column, group) {
  replace(c(column[-1], NA)[seq_along(column)], is_last(group), NA)
}

all_times <- function(x) {
  sort(unique(unlist(lapply(unname(unclass(x)), function(f) f[, 1]))))
}

# The first value of a result that is not finite, in a column; `from` says what it comes from.
abort_value <- function(result, x, label, from, unit, column = 2) {
  i <- result$fault[1]
  breakpoint <- .subset2(result$functions, i)[result$fault[2], ]
  abort(
    "values", "`", label, "` must give finite values: ", function_label(i, x), " gives ",
    number(breakpoint[[column]]), " from ", from, " at the time ", format_times(breakpoint[[1]], unit, 15), ".",
    index = i, time = as_times(breakpoint[[1]], unit)
  )
}
