# Values that are held only for so long.

# The longest time as a number in the unit of functions.
check_gaps <- function(gaps, unit, argument = "gaps") {
  gaps <- plain(gaps)
  valid <- is_one_time(gaps) && isTRUE(gaps > 0)
  check_is(valid, gaps, argument, "must be NULL, a positive number or a difftime, not ")
  lengths_in(gaps, unit, argument)
}

# Step functions whose values, but for those from -Inf on, are held for `gaps` at most, and then are missing.
hold_at_most <- function(x, gaps) {
  if (is.null(gaps)) return(x)
  longest <- check_gaps(gaps, unit_of(x))
  flat <- flat_functions(x)
  following <- replace(following(flat$time, flat$group), is_last(flat$group), Inf)
  end <- base::pmax(flat$time + longest, next_time(flat$time))
  long <- which(!is.na(flat$value) & flat$time > -Inf & following > end & !is_same_time(following, end))
  if (length(long) == 0) return(x)
  before_gap <- long[!is_last(flat$group)[long] & is.na(flat$value[-1][long])]
  flat$time[before_gap + 1] <- end[before_gap]
  long <- setdiff(long, before_gap)
  insert_breakpoints(x, flat, long, list(time = end[long], value = rep(NA_real_, length(long))))
}

# Missing values replaced by the last ones, `held`, for the first `longest` of each gap.
hold_in_gaps <- function(x, held, longest) {
  flat <- flat_functions(x)
  n <- length(flat$time)
  gap <- is.na(flat$value) & !is.na(held)
  begins <- gap & (is_first(flat$group) | !c(FALSE, gap)[seq_len(n)])
  end <- replace(rep(NA_real_, n), gap, (flat$time[begins] + longest)[cumsum(begins)[gap]])
  following <- replace(following(flat$time, flat$group), is_last(flat$group), Inf)
  filled <- which(gap & flat$time < end & !is_same_time(flat$time, end))
  whole <- following[filled] <= end[filled] | is_same_time(following[filled], end[filled])
  flat$value[filled] <- held[filled]
  met <- filled[whole & following[filled] < Inf]
  if (is_plf(x)) flat$left[met + 1] <- held[met]
  cut <- filled[!whole]
  rows <- list(time = end[cut], left = held[cut], value = rep(NA_real_, length(cut)))
  insert_breakpoints(x, flat, cut, if (is_plf(x)) rows else rows[-2])
}
