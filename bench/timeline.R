# What a timeline of last_run() tells.

# Seconds that several stretches of time cover together, within others if there are any.
covered <- function(begin, end, inside = NULL) {
  times <- sort(unique(c(begin, end, unlist(inside))))
  middle <- (times[-1] + times[-length(times)]) / 2
  any_of <- function(begin, end) findInterval(middle, sort(begin)) > findInterval(middle, sort(end))
  counts <- any_of(begin, end)
  if (!is.null(inside)) counts <- counts & any_of(inside[[1]], inside[[2]])
  sum(diff(times)[counts])
}
