# Integrals and means of functions over many bins of time.

check_bins_alone <- function(given) {
  if (length(given) == 0) return()
  hint <- if (given[1] == "falling") " Lines fall straight in bins."
          else if (given[1] == "margin") " Without it, there are integrals of all components, which apply() adds up."
          else " The first and the last break are the ends of the window."
  abort_argument(given[1], "cannot be used with `breaks`.", hint)
}

integral_in_bins <- function(x, breaks, missing, weight, device, threads) {
  x <- check_either(x)
  missing <- check_option(missing, "missing", c("error", "overlap", "mean"))
  bins <- read_breaks(breaks, x)
  if (is_plf(x) && !is.null(weight)) {
    abort_argument("weight", "cannot be used with `breaks` for piecewise linear functions.")
  }
  threads <- run_threads(threads)
  gpu_settings(device, threads, "bins")
  numbers_of_each(x, function(x, none) {
    treated <- if (none) "overlap" else missing
    ends <- as_times(range(bins$numbers), unit_of(x))
    call <- check_integrals(x, NULL, ends[1], ends[2], treated, weight)
    bins_of_call(call, bins, outer_shape(x, bins$shape), threads)
  })
}

# The numbers of a call of check_integrals() for bins from read_breaks(). Bins in which a weight is 0 throughout have 0.
bins_of_call <- function(call, bins, shape, threads) {
  window <- call$window # where the weight counts
  from <- base::pmax(bins$numbers[-length(bins$numbers)], window$from)
  to <- base::pmin(bins$numbers[-1], window$to)
  weigh <- has_weight_in(call$weight, from, to)
  if (!any(weigh)) return(with_shape(numeric(length(call$x) * length(to)), shape))
  from[!weigh] <- window$from
  to[!weigh] <- window$to
  numbers <- numbers_of_bins(call, from, to, shape, threads)
  replace(numbers, rep(!weigh, each = length(call$x)), 0)
}

# Is a weight positive anywhere in bins? No weight is.
has_weight_in <- function(weight, from, to) {
  if (is.null(weight)) return(rep(TRUE, length(to)))
  f <- unclass(weight)[[1]]
  positive <- f[, 2] > 0
  begun <- findInterval(to, f[positive, 1], left.open = TRUE)
  begun > findInterval(from, c(f[-1, 1], Inf)[positive])
}

numbers_of_bins <- function(call, from, to, shape, threads) {
  x <- weighted_functions(call, 1, threads)
  sums <- integrals_in_windows(x, from, to, threads, shape)
  if (call$missing == "error") check_same_observed(x, call$window$from, call$window$to, threads)
  results <- replace(sums$integral, sums$length == 0, NA)
  if (is.null(call$weight)) return(if (call$missing == "mean") results / sums$length else results)
  if (call$missing != "mean") return(results * weight_unit(call$weight))
  call$x <- observed(x, threads)
  results / integrals_in_windows(weighted_functions(call, 1, threads), from, to, threads, list())$integral
}

# ---- Breaks ----

# The ends of bins as numbers in the unit of functions, and a vector with the shape of the bins: their names.
read_breaks <- function(breaks, x) {
  unit <- unit_of(x)
  if (is.character(breaks) && length(breaks) == 1) breaks <- calendar_breaks(breaks, x)
  breaks <- without_parts(breaks)
  what <- if (is.null(unit)) "numbers" else "times"
  fits <- is_number(breaks) && !is.logical(breaks) && length(breaks) > 1
  check_is(fits, breaks, "breaks", "must be at least two increasing ", what, ", not ",
           hint = if (!is.null(unit)) text_hint(breaks, "breaks", unit = unit))
  numbers <- as.vector(times_in(breaks, unit, "breaks"))
  k <- which(!is.finite(numbers))[1]
  if (!is.na(k)) abort_argument("breaks", "must be finite, but is ", number(numbers[k]), " at position ", k, ".")
  k <- which(diff(numbers) <= 0)[1]
  if (is.na(k)) return(list(numbers = numbers, shape = stats::setNames(numbers[-1], bin_names(numbers, unit))))
  shown <- format_times(numbers[k + 0:1], unit, 15)
  abort_argument("breaks", "must increase, but is ", shown[1], " and then ", shown[2], " at position ", k + 1, ".")
}

bin_names <- function(numbers, unit) {
  text <- format_times(numbers, unit, 7)
  starts <- text[-length(text)]
  if (unit_kind(unit) %in% c("Date", "POSIXct", "pcf_calendar")) starts else paste0("[", starts, ", ", text[-1], ")")
}

bin_units <- c("sec", "min", "hour", "day", "week", "month", "quarter", "year")

# Times so long apart as a text such as "2 hours" says, from the beginning of the hour, day and so on of the first
# breakpoint to that after the last one.
calendar_breaks <- function(every, x) {
  parts <- strsplit(every, " ", fixed = TRUE)[[1]]
  count <- if (length(parts) == 2) suppressWarnings(as.numeric(parts[1])) else 1
  name <- sub("s$", "", parts[length(parts)])
  kind <- unit_kind(unit_of(x))
  units <- switch(kind, Date = bin_units[4:8], POSIXct = bin_units, character())
  if (length(units) == 0) {
    abort_argument("breaks", "must be at least two increasing ", if (kind == "number") "numbers" else "times",
                   ": ", describe_unit(unit_of(x)), " have no days or months.")
  }
  valid <- length(parts) <= 2 && name %in% units && isTRUE(count >= 1 && count == round(count))
  check_is(valid, every, "breaks", "must be times, or one of ", quoted(units), " or a multiple such as ",
           dQuote(paste0("2 ", units[1], "s"), FALSE), ", not ")
  ends <- breakpoint_range(x)
  start <- begin_of(ends[1], name)
  step <- switch(name, quarter = paste(3 * count, "months"), day = , week = {
    paste(count * if (name == "week") 7 else 1, if (kind == "Date") "days" else "DSTdays")
  }, paste0(count, " ", name, "s"))
  seq_beyond(start, ends[2], step)
}

# The first and the last breakpoint of all functions, as times.
breakpoint_range <- function(x) {
  there <- x[!is.na(x)]
  if (length(there) == 0) abort_argument("breaks", "must be times if there are no functions to cover.")
  first <- ends_of(there)$first
  ends <- c(min(first[is.finite(first)], Inf), max(ends_observed(there)))
  if (all(is.finite(ends))) return(as_times(ends, unit_of(x)))
  abort_argument("breaks", "must be times if functions have no finite breakpoints.")
}

# The beginning of the hour, day, month and so on of a time, in its time zone.
begin_of <- function(time, unit) {
  if (unit %in% c("sec", "min", "hour")) return(as.POSIXct(trunc(time, paste0(unit, "s"))))
  parts <- as.POSIXlt(if (inherits(time, "Date")) time else trunc(time, "days"))
  if (unit == "week") parts$mday <- parts$mday - (parts$wday + 6L) %% 7L
  if (unit %in% c("month", "quarter", "year")) parts$mday <- 1L
  if (unit == "quarter") parts$mon <- parts$mon - parts$mon %% 3L
  if (unit == "year") parts$mon <- 0L
  parts$isdst <- -1L
  if (inherits(time, "Date")) as.Date(parts) else as.POSIXct(parts)
}

# seq() up to the first element that is not before `end`, and at least the second.
seq_beyond <- function(start, end, by) {
  count <- 16
  repeat {
    times <- seq(start, by = by, length.out = count)
    last <- which(times >= end & seq_along(times) > 1)[1]
    if (!is.na(last)) return(times[seq_len(last)])
    count <- 4 * count
  }
}
