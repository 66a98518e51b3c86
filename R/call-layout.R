# Where the components of rows lie in time. Each component is divided into parts, each of which is laid on
# a stretch of the row. These are the columns of a matrix with the rows
#
# * column, from, to: the component and the part of its time.
# * begin, end: where it lies. Times between are multiplied by 2^exponent, then shifted by `shift`.
# * height: the weight of the stretch, by which integrals over it become those over the part.
#
# A double has 53 binary digits wherever it lies, so that times can be as near to each other near 0 as
# nowhere else. Parts that are shifted away from 0 may thus lose digits. They are shifted only if no time loses
# any; or in single precision, which has fewer digits, if components span similar times. Otherwise each
# component is moved to powers of two of its own, on which no other one lies: times that are multiplied by a
# power of two keep all digits. Negative times stay negative. Stretches without any breakpoint, from 0 to the
# first time or over many powers of two, become short.

parts_of_rows <- function(collections, window, columns, precision = "double", gaps = FALSE) {
  found <- sizes_of_times(collections, window, columns)
  shifted_parts(collections, window, found, precision, gaps) %||% scaled_parts(found$times, window, gaps)
}

# The times of each component in the window, as ffi_time_sizes() has them, those of all collections together:
# list(times, grain, spans), where all are multiples of 2^grain.
sizes_of_times <- function(collections, window, columns) {
  limits <- c(window$from, window$to)
  found <- lapply(collections, function(x) .Call(ffi_time_sizes, x, nrow(x), limits))
  times <- lapply(seq_len(columns), function(k) {
    of_each <- lapply(found, function(one) if (length(one$times) > 0) one$times[[k]])
    if (length(of_each) == 1) of_each[[1]] else sort(unique(unlist(of_each)))
  })
  list(times = times, grain = min(vapply(found, function(one) one$grain, 0L)))
}

# ---- Shifted ----

# Times from the first breakpoint of all functions to the last are shifted by multiples of a power of two;
# times that are much larger than the span are moved towards 0. The rest of a window, in which all functions
# are constant, may be far longer: it is laid before or after all these. NULL if times would lose digits.
shifted_parts <- function(collections, window, found, precision, gaps) {
  times <- unlist(lapply(collections, function(x) ends_of(x)[c("first", "last")]), use.names = FALSE)
  times <- times[is.finite(times)]
  ends <- base::pmin(base::pmax(if (length(times) > 0) range(times) else c(0, 0), window$from), window$to)
  # With gaps, what components are before their first breakpoint has a stretch, too; and so have ones that are
  # constant in an endless window.
  if (window$from == -Inf && (gaps || ends[1] == window$to)) ends[1] <- ends[1] - step_beyond(max(abs(ends)))
  columns <- length(found$times)
  k <- seq_len(columns)
  between <- step_beyond(ends[2] - ends[1])
  shift <- between * (k - 1)
  if (isTRUE(ends[1] > max(shift))) shift <- shift - max(shift)
  part <- function(from, to, begin, width = to - from, shift = begin - from) {
    if (from < to) rbind(column = k, from, to, begin, end = begin + width, shift, exponent = 0, height = 1)
  }
  before <- if (window$from > -Inf) {
    step <- step_beyond(ends[1] - window$from)
    part(window$from, ends[1], step * (floor((ends[1] + shift[1]) / step) + k - 1 - columns))
  }
  after <- if (window$to < Inf) {
    step <- step_beyond(window$to - ends[2])
    part(ends[2], window$to, step * (ceiling((ends[2] + shift[columns]) / step) + k - 1))
  }
  from <- if (window$from > -Inf) ends[1] else -Inf
  to <- if (window$to < Inf) ends[2] else Inf
  width <- if (to < Inf) to - ends[1] else between
  parts <- cbind(before, part(from, to, ends[1] + shift, width, shift), after)
  keeps <- if (precision == "single") span_alike(found$times) && all(is.finite(parts[c("begin", "end"), ]))
           else keeps_times(parts, ends, shift, min(between, 2^found$grain))
  if (keeps) parts
}

step_beyond <- function(width) if (width > 0) 2^(floor(log2(width)) + 1) else 1

# Are all times multiples of a `digit` that they keep? The ends of parts, which may be those of the window, are
# looked at one by one.
keeps_times <- function(parts, ends, shift, digit) {
  shifted <- outer(ends, shift, "+")
  bounded <- parts[, is.finite(parts["from", ]) & is.finite(parts["to", ]), drop = FALSE]
  all(is.finite(parts[c("begin", "end"), ])) && max(abs(shifted)) <= 2^53 * digit &&
    all(shifted - rep(shift, each = 2) == ends) &&
    all(bounded["end", ] - bounded["begin", ] == bounded["to", ] - bounded["from", ])
}

span_alike <- function(times) {
  spans <- vapply(times, function(t) if (length(t) > 0) max(t) - min(t) else 0, 0)
  max(spans) <= 16 * min(spans[spans > 0], Inf)
}

# ---- Scaled ----

# Powers of two that components may take up: within this, products of times and values neither overflow nor
# vanish. Where there are more, parts of a few powers of two are laid beside each other in the same one, of
# which each takes an equal share, and lose as many digits as there are such shares.
most_powers <- 800

scaled_parts <- function(times, window, gaps) {
  runs <- runs_of_times(times, window, gaps, Inf)
  parts <- lapply(runs, place_runs)
  if (max(vapply(runs, powers_of_runs, 0)) > most_powers) {
    parts <- lapply(runs_of_times(times, window, gaps, 2), place_runs_together)
  }
  parts <- cbind(parts[[1]], mirrored_parts(parts[[2]]))
  if (length(parts) == 0) parts <- nothing_between(c(window$from, window$to))
  parts <- parts[, order(parts["begin", ]), drop = FALSE]
  valid <- all(is.finite(parts[c("begin", "end", "height"), ]) & parts["height", ] > 0)
  if (valid && diff(range(log2(parts["height", ]))) <= 1020) return(parts) # weights are doubles
  abort_argument("margin", "gives too many components for times this far apart.")
}

# For functions that are 0 throughout: a part of length 0.
nothing_between <- function(limits) {
  time <- c(limits[is.finite(limits)], 0)[1]
  cbind(c(column = 1, from = time, to = time, begin = 0, end = 0, shift = 0, exponent = 0, height = 1))
}

# The times of all components as runs: of those above 0, and of those below 0 without their sign.
runs_of_times <- function(times, window, gaps, most) {
  limits <- c(window$from, window$to)
  of_side <- function(times, limits, both) {
    runs <- lapply(seq_along(times), function(k) runs_above_0(k, times[[k]], limits, gaps, most, both))
    runs <- do.call(cbind, runs)
    if (!is.null(runs)) as.data.frame(t(runs))
  }
  list(of_side(times, limits, TRUE), of_side(lapply(times, function(t) -rev(t)), -rev(limits), FALSE))
}

# The increasing times of a component that are above 0, as runs `from` one `to` another. The powers of two of a run
# follow each other, at most `most` of them, from `power` on. From `blank` to `from` there are no times;
# it is NA if nothing is to be laid there. After the last run there is a `tail`, or it is `endless`. Without
# gaps, functions are 0 before their first time and after their last one. If they are constant throughout, the
# side that is to have `both` has it all.
runs_above_0 <- function(column, times, limits, gaps, most, both) {
  from <- limits[1]
  to <- limits[2]
  if (to <= 0) return(NULL)
  times <- c(if (from > -Inf) from, times, if (to < Inf) to)
  above <- times[times > 0]
  below <- length(above) < length(times)
  if (length(above) == 0) {
    if (!gaps || !(0 %in% times || length(times) == 0 && both)) return(NULL)
    above <- 1
  }
  blank <- if (from > 0) NA else if (below) 0 else if (gaps) -Inf else NA
  power <- floor(log2(above))
  n <- length(above)
  far <- c(TRUE, diff(power) > 2)
  since <- power - power[far][cumsum(far)]
  first <- which(far | c(TRUE, diff(since %/% most) != 0))
  last <- c(first[-1] - 1, n)
  joined <- c(!far[first][-1], FALSE)
  last[joined] <- last[joined] + 1
  final <- seq_along(first) == length(first) & to == Inf
  rbind(
    column = column, blank = c(blank, ifelse(far[first[-1]], above[first[-1] - 1], NA)),
    from = above[first], to = above[last], power = power[first], powers = power[last] - power[first] + 1,
    tail = final & gaps, endless = final & !gaps
  )
}

# A run has a power of two before it, for the blank, and one after it, for the tail, and one to spare.
powers_of_runs <- function(runs) sum(runs$powers + 3)

place_runs <- function(runs) {
  if (is.null(runs)) return(NULL)
  place <- cumsum(runs$powers + 3) - runs$powers - 1 - round(powers_of_runs(runs) / 2)
  exponent <- place - runs$power
  exponent <- exponent + max(0, -1000 - min(exponent)) - max(0, max(exponent) - 1000)
  begin <- times_power_of_2(runs$from, exponent)
  end <- times_power_of_2(runs$to, exponent)
  parts_of_runs(runs, begin / 2, begin, end, 2 * end, exponent, 0)
}

place_runs_together <- function(runs) {
  if (is.null(runs)) return(NULL)
  n <- nrow(runs)
  shares <- max(8, 2^ceiling(log2(n / most_powers)))
  place <- seq_len(n) - 1
  unit <- 2^(place %/% shares - round(n / shares / 2))
  width <- unit / shares
  base <- unit + width * (place %% shares)
  exponent <- log2(width) - 2 - floor(log2(base::pmax(runs$to - runs$from, runs$from * 2^-20)))
  shift <- base + width / 4 - times_power_of_2(runs$from, exponent)
  begin <- times_power_of_2(runs$from, exponent) + shift
  end <- times_power_of_2(runs$to, exponent) + shift
  parts_of_runs(runs, base, begin, end, end + width / 8, exponent, shift)
}

# The parts of placed runs: what is blank lies between `before` and `begin`, the tail between `end` and `after`.
parts_of_runs <- function(runs, before, begin, end, after, exponent, shift) {
  part <- function(which, from, to, begin, end, height) {
    parts <- rbind(column = runs$column, from, to, begin, end, shift, exponent, height)
    parts[, which, drop = FALSE]
  }
  height <- times_power_of_2(1, -exponent)
  of_blank <- ifelse(is.infinite(runs$blank), height, (runs$from - runs$blank) / (begin - before))
  cbind(
    part(!is.na(runs$blank), runs$blank, runs$from, before, begin, of_blank),
    part(runs$from < runs$to, runs$from, ifelse(runs$endless > 0, Inf, runs$to), begin, end, height),
    part(runs$tail > 0, runs$to, Inf, end, after, height)
  )
}

# Of times with the other sign.
mirrored_parts <- function(parts) {
  if (is.null(parts)) return(NULL)
  mirrored <- parts
  mirrored[c("from", "to", "begin", "end", "shift"), ] <- -parts[c("to", "from", "end", "begin", "shift"), ]
  mirrored
}
