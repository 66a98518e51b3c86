#' The SPIKE Profile of Two Spike Trains
#'
#' `spike_profile()` returns the dissimilarity of two spike trains at each time, whose mean over time is their
#' SPIKE distance (Kreuz et al. 2013), `lp_distance(f, g, distance = "spike")`.
#'
#' At each time, a train is between two spikes, and each of these is at some distance from the nearest spike of the
#' other train. These two distances, weighted by how near the spikes are, are the distance of the train from the
#' other one now. The profile is the mean of this distance and that of the other train, with the
#' interval of the *other* train as the weight of each, divided by the mean interval. It is 0 while both trains
#' repeat the same spikes, and has no unit.
#'
#' Before the first spike and after the last one, where one of the two spikes is not known, the other one counts alone.
#' The interval there is as long as its known part or the interval next to it, whichever is longer, as in
#' [interspike()]. A train without spikes is compared as if it had one at the start and one at the end of the
#' recording. Simultaneous spikes of one train are one spike. All of this is as in PySpike 0.9.
#'
#' @param f,g Spike trains: functions as from [counting()] with the same `from` and `to`. The shorter collection is
#'   recycled to the length of the longer, which must be a multiple of it.
#' @param MRTS The minimum relevant time scale, a number of at least 0 in the unit of the times: where the mean
#'   interval is shorter, it is replaced by this.
#'
#' @return A [plf] with the names, dimensions and dimnames of `f - g`, observed from the start of the recording to its
#'   end.
#'
#' @inheritSection drop_redundant Errors
#'
#' @references
#' Kreuz, T., Chicharro, D., Houghton, C., Andrzejak, R. G. and Mormann, F. (2013). Monitoring spike train
#' synchrony. *Journal of Neurophysiology* 109, 1457--1472. \doi{10.1152/jn.00873.2012}
#'
#' @seealso [pcfdist_distances] for the SPIKE distance and its references
#'
#' @examples
#' trains <- counting(list(a = c(1, 2.5, 4), b = c(1.2, 2.5, 4.4)), from = 0, to = 5)
#' profile <- spike_profile(trains["a"], trains["b"])
#' profile
#' integral(profile, 0, 5) / 5
#' lp_distance(trains["a"], trains["b"], distance = "spike")
#' @export
spike_profile <- function(f, g, MRTS = 0) {
  arguments <- c(x = "f", y = "g")
  both <- in_one_unit(check_pcf(f, "f"), check_pcf(g, "g"), arguments)
  both <- each_of(both, check_counting, arguments)
  check_one_recording(both, arguments)
  check_recycling(both$x, both$y)
  check_positive(MRTS, "MRTS", least = 0)
  shape <- combined_shape(both$x, both$y, c("f", "g"))
  trains <- lapply(both, function(x) rep_len(lapply(unclass(x), read_train), length(shape)))
  functions <- .mapply(profile_of, unname(trains), list(MRTS = MRTS))
  new_plf(shaped_as(functions, shape), unit_of(both$x), "SPIKE profile")
}

# A train of a counting function: the start and the end of its recording, its knots, which are its spikes and, where
# these do not reach the ends, an auxiliary one there or further out; and for each interval between knots whether its
# first and its last one are auxiliary.
read_train <- function(f) {
  times <- f[-c(1, nrow(f)), 1]
  ends <- c(times[[1]], previous_time(f[[nrow(f), 1]]))
  spikes <- times[f[-c(1, nrow(f)), 2] > 0]
  n <- length(spikes)
  whole <- n == 0 || n == 1 && spikes == ends[1] # both ends are knots
  early <- !whole && spikes[1] > ends[1]
  late <- !whole && spikes[n] < ends[2]
  first <- if (n > 1) base::pmin(ends[1], 2 * spikes[1] - spikes[2]) else ends[1]
  last <- if (n > 1) base::pmax(ends[2], 2 * spikes[n] - spikes[n - 1]) else ends[2]
  knots <- if (whole) ends else c(if (early) first, spikes, if (late) last)
  list(ends = ends, knots = knots, early = early, late = late)
}

# The profile of two trains in the same recording: a line between any two knots that follow each other.
profile_of <- function(a, b, MRTS) {
  ends <- a$ends
  cuts <- sort(unique(c(ends, a$knots, b$knots)))
  cuts <- cuts[cuts >= ends[1] & cuts <= ends[2]]
  at <- seq_along(cuts[-1])
  of_a <- distance_from_other(a, b, cuts)
  of_b <- distance_from_other(b, a, cuts)
  sum <- of_a$interval + of_b$interval
  value <- function(end) {
    (of_b$interval / sum * of_a[[end]] + of_a$interval / sum * of_b[[end]]) / base::pmax(sum / 2, MRTS)
  }
  new_line(cuts, c(NA, value("left")), c(value("right")[at], NA))
}

# For the stretches between `cuts`: the `interval` of the train in which each is, and the distance of the train from
# the other one at the beginning (`right` of the cut) and at the end (`left` of the next) of the stretch.
distance_from_other <- function(train, other, cuts) {
  knots <- train$knots
  k <- findInterval(cuts[-length(cuts)], knots, rightmost.closed = TRUE)
  near <- distance_to_nearest(knots, other$knots)
  before <- near[k]
  after <- near[k + 1]
  before[train$early & k == 1] <- after[train$early & k == 1]
  after[train$late & k == length(knots) - 1] <- before[train$late & k == length(knots) - 1]
  interval <- knots[k + 1] - knots[k]
  at <- function(time) before * ((knots[k + 1] - time) / interval) + after * ((time - knots[k]) / interval)
  list(interval = interval, right = at(cuts[-length(cuts)]), left = at(cuts[-1]))
}

distance_to_nearest <- function(times, knots) {
  k <- findInterval(times, knots, all.inside = TRUE)
  base::pmin(abs(times - knots[k]), abs(times - knots[k + 1]))
}
