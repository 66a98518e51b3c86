# Counting functions of one recording, whose events are spikes, for SPIKE distances.

# A collection of counting functions, each of which is observed from its start to its end.
check_counting <- function(x, argument = "x") {
  if (is_plf(x)) return(x) # which has no such distance
  x <- without_last_measurements(check_functions(x, argument))
  m <- breakpoints_of(x)
  last <- cumsum(m)
  first <- last - m + 1
  times <- column_of(x, "time", argument)
  values <- column_of(x, "value", argument)
  short <- which(m < 3 | times[first] > -Inf | !is.na(values[first]) | !is.na(values[last]))[1]
  inner <- replace(rep(TRUE, length(values)), c(first, last), FALSE)
  before <- replace(c(NA, values)[seq_along(values)], intersect(first + 1, which(inner)), 0)
  rises <- values > before | values == 0 & seq_along(values) %in% (first + 1)
  wrong <- which(inner & !(rises & values == round(values) & values < Inf) %in% TRUE)[1]
  i <- min(short, findInterval(wrong, first), Inf, na.rm = TRUE)
  if (i < Inf) abort_counting(x, argument, i, if (!i %in% short) wrong - first[i] + 1)
  check_common_recording(x, argument, times[first + 1], times[last])
}

# Functions without breakpoints at the end of the recording that count no event, such as those of shift_time().
without_last_measurements <- function(x) {
  m <- breakpoints_of(x)
  times <- column_of(x, "time")
  values <- column_of(x, "value")
  last <- cumsum(m)
  long <- which(m > 3)
  end <- last[long]
  same <- values[end - 1] == values[end - 2] & times[end] == next_time(times[end - 1])
  ended <- long[is.na(values[end]) & same %in% TRUE]
  functions <- unclass(x)
  functions[ended] <- lapply(functions[ended], function(f) f[-(nrow(f) - 1), , drop = FALSE])
  if (length(ended) > 0) replace_functions(x, functions) else x
}

# The error for function i, which does not count at position k or, without k, is not observed from one time to
# another.
abort_counting <- function(x, argument, i, k) {
  f <- .subset2(x, i)
  what <- if (is.null(k)) "has no start and end of observation"
          else if (is.na(f[k, 2])) paste("is not observed at position", number(k))
          else if (isTRUE(f[k, 2] <= f[k - 1, 2])) paste("does not rise at position", number(k))
          else paste("has the value", exact_text(f[k, 2]), "at position", number(k))
  abort(
    argument, argument = argument, index = i, position = k, "`", argument, "` must hold counting functions for ",
    "`distance = \"spike\"`, but ", function_label(i, x), " ", what,
    ". Make them of the times of spikes: counting(x, from = , to = )."
  )
}

# All trains have the same recording, since a train without spikes in a part of the time is not the same as a train
# that was not recorded.
check_common_recording <- function(x, argument, from, to) {
  i <- which(from != from[1] | to != to[1])[1]
  if (is.na(i)) return(x)
  abort_recordings(x, argument, i, recording_of(x[1]), recording_of(x[i]))
}

# The start and the end of the recording of a counting function.
recording_of <- function(x) {
  times <- .subset2(x, 1)[, 1]
  c(times[2], previous_time(times[length(times)]))
}

abort_recordings <- function(x, argument, i, wanted, found) {
  text <- format_times(c(found, wanted), unit_of(x), 15)
  abort(
    argument, argument = argument, index = i, "`", argument, "` must hold functions of one recording for ",
    "`distance = \"spike\"`, but ", function_label(i, x), " is from ", text[1], " to ", text[2],
    " and others from ", text[3], " to ", text[4], ". Give all the same `from` and `to` in counting()."
  )
}

# What a call about SPIKE distances cannot have: they are means over the window, of whole trains.
check_spike_call <- function(call, margin) {
  refuse <- function(argument, ...) abort_argument(argument, ..., " for `distance = \"spike\"`.")
  if (!is.null(margin)) refuse("margin", "must not be given")
  if (!is.null(call$weight)) refuse("weight", "must not be given")
  if (!is.null(call$min_overlap)) refuse("min_overlap", "must not be given")
  if (call$missing == "overlap") refuse("missing", "must not be \"overlap\"")
  if (call$window$from == call$window$to) refuse("to", "must be later than `from`")
  for (recording in check_one_recording(call[c("x", "y")], call$arguments)) {
    outside <- call$window$to <= recording[1] || call$window$from >= recording[2]
    if (outside && call$missing == "mean") refuse("to", "must end a window with a part of the recording")
  }
}

# The recordings of two collections, which must be the same; without functions a collection has none.
check_one_recording <- function(both, arguments) {
  recordings <- lapply(Filter(length, both), function(x) recording_of(x[1]))
  if (length(recordings) < 2 || all(recordings$x == recordings$y)) return(recordings)
  abort_recordings(both$y, arguments[["y"]], 1, recordings$x, recordings$y)
}
