#' Random Functions
#'
#' @description
#' Random collections of functions for experiments. [set.seed()] makes them reproducible.
#'
#' * `rpcf()`: by default, rough functions with very different numbers of breakpoints and time scales, on
#'   which the speed of pairwise distances is measured. With `kind = "sine"` or `"cosine"`, one period of a
#'   wave with noise, sampled at random times and held from one sample to the next.
#' * `rcounting()`: counting functions of Poisson processes, whose value at \eqn{t} is the number of events
#'   up to \eqn{t}.
#'
#' @param n The number of functions.
#' @param breakpoints The number of breakpoints: a whole number, or a vector from which one is drawn for
#'   each function with equal probabilities. By default 10 to 999 for rough functions, and 20 for waves.
#' @param kind The kind of function: `"rough"`, `"sine"` or `"cosine"`; see Details.
#' @param sd The standard deviation of the noise of a wave at each sample, by default 0.1. Must not be given
#'   for rough functions, which have no noise.
#' @param rate The expected number of events in one unit of time: a number, or one for each function.
#'   Vectors whose length divides `n` are recycled.
#' @param to The end of the observation: events occur between the times 0 and `to`.
#'
#' @details
#' A rough function with \eqn{m} breakpoints has as times the absolute values of \eqn{m} standard normal
#' numbers, sorted and multiplied by the absolute value of another one; the first time is then set to 0. Its
#' values are standard normal, except for the last, which is 0.
#'
#' A sine wave has as times \eqn{m} sorted uniform numbers between 0 and 1, the first of which is set to 0.
#' Its value at time \eqn{t} is \eqn{\sin(2 \pi t)} plus normal noise; the last value is 0. A cosine wave is
#' the same with the cosine.
#'
#' A function of `rcounting()` keeps its last count forever, so that [pdist()] should be given the same `to`.
#'
#' In the rare case that two times of a function are equal after rounding, it is drawn again.
#'
#' @return A [pcf] of length `n`, without names.
#'
#' @references
#' Wehlin, B. (2024). Massively parallel computation of similarity matrices from
#' piecewise constant invariants. \doi{10.48550/arXiv.2404.07183}
#'
#' @seealso [pcf()], [pdist()]
#'
#' @examples
#' set.seed(1)
#' rpcf(3)
#' rpcf(3, breakpoints = 5)
#'
#' waves <- c(rpcf(10, kind = "sine"), rpcf(10, kind = "cosine"))
#' plot(waves)
#' cutree(hclust(pdist(waves), "average"), 2)
#'
#' plot(rcounting(5, rate = 3, to = 10), xlim = c(0, 10))
#' @name random
NULL

#' @rdname random
#' @export
rpcf <- function(n, breakpoints = NULL, kind = c("rough", "sine", "cosine"), sd = NULL) {
  kind <- check_option(kind, "kind", c("rough", "sine", "cosine"))
  if (kind == "rough") {
    if (!is.null(sd)) abort_argument("sd", "is the noise of waves, and `kind` is \"rough\".")
    return(random_functions(draw_lengths(n, breakpoints %||% 10:999), draw_rough))
  }
  noisy_wave(n, breakpoints %||% 20, sd %||% 0.1, if (kind == "sine") sin else cos)
}

#' @rdname random
#' @export
rcounting <- function(n, rate = 1, to = 1) {
  n <- check_count(n, "n", least = 0)
  to <- check_positive(to, "to")
  events <- stats::rpois(n, expected_events(rate, n, to, "up to `to`"))
  x <- unclass(random_functions(base::pmax(events, 1), function(m) {
    index <- indices_of(m)
    times <- uniform_times(m) * to
    list(times = times[order(index$i, times, method = "radix")], values = index$k)
  }))
  x[events == 0] <- list(new_function(0, 0))
  new_pcf(x, name = "count")
}

# The largest `sd`. No normal random number is so large that its product with this overflows.
most_deviation <- 1e300

# The largest expected number of events: a matrix has fewer than 2^31 rows.
most_expected <- 2e9

check_rate <- function(rate, n) {
  valid <- is.numeric(rate) && length(rate) > 0 && all(is.finite(rate) & rate >= 0)
  check_is(valid, rate, "rate", "must be finite numbers of at least 0, not ")
  if (n %% length(rate) == 0) return()
  abort_argument("rate", "must have a length that divides `n`, ", number(n), ", not ", length(rate), ".")
}

# The expected numbers of events of n processes in a time, or a box, of this size.
expected_events <- function(rate, n, size, where) {
  check_rate(rate, n)
  expected <- rep_len(rate, n) * size
  if (all(expected <= most_expected)) return(expected)
  shown <- format_numbers(c(most_expected, max(expected)), 7)
  abort_argument("rate", "must give at most ", shown[1], " events, and gives ", shown[2], " ", where, ".")
}

noisy_wave <- function(n, breakpoints, sd, wave) {
  lengths <- draw_lengths(n, breakpoints)
  sd <- check_positive(sd, "sd", least = 0)
  check_is(sd <= most_deviation, sd, "sd", "must be at most ", number(most_deviation), ", not ")
  random_functions(lengths, function(m) {
    index <- indices_of(m)
    times <- uniform_times(m)
    times <- times[order(index$i, times, method = "radix")]
    times[index$k == 1] <- 0
    values <- wave(2 * pi * times) + stats::rnorm(length(times), 0, sd)
    values[index$k == m[index$i]] <- 0
    list(times = times, values = values)
  })
}

# Times from 0 to 1 of functions with m[1], m[2], ... breakpoints. runif() has about 2^32 values, of which
# long functions would draw some twice.
uniform_times <- function(m) {
  times <- stats::runif(sum(m))
  if (any(m > 1e5)) times + stats::runif(sum(m)) * 2^-32 else times
}

# Draws all times of each function, then its scale, then its values, function by function in the stream of
# random numbers.
draw_rough <- function(m) {
  index <- indices_of(m)
  i <- index$i
  start <- cumsum(2 * m) - 2 * m
  draws <- stats::rnorm(2 * sum(m))
  times <- abs(draws[start[i] + index$k])
  scale <- abs(draws[start + m + 1])
  times <- times[order(i, times, method = "radix")] * scale[i]
  times[index$k == 1] <- 0
  values <- draws[start[i] + m[i] + 1 + index$k]
  values[index$k == m[i]] <- 0
  list(times = times, values = values)
}

# ---- Drawing many at once ----

draw_lengths <- function(n, breakpoints) {
  n <- check_count(n, "n", least = 0)
  valid <- is.numeric(breakpoints) && length(breakpoints) > 0 &&
    all(is.finite(breakpoints) & breakpoints >= 1 & breakpoints == round(breakpoints))
  check_is(valid, breakpoints, "breakpoints", "must be whole numbers of at least 1, not ")
  if (length(breakpoints) == 1) return(rep(as.double(breakpoints), n))
  as.double(breakpoints[sample.int(length(breakpoints), n, replace = TRUE)])
}

# Functions with m[1], m[2], ... breakpoints. `draw` takes numbers of breakpoints and returns the times and
# the values of these functions, one after the other. It is called for about a million breakpoints at a
# time.
random_functions <- function(m, draw) {
  chunks <- split(m, cumsum(m) %/% 1e6)
  functions <- lapply_drawn(chunks, draw_distinct, draw)
  new_pcf(as.list(unlist(unname(functions), recursive = FALSE)))
}

# A list of functions; those with equal times are drawn again.
draw_distinct <- function(m, draw) {
  drawn <- draw(m)
  i <- indices_of(m)$i
  tied <- unique(i[-1][diff(i) == 0 & diff(drawn$times) <= 0])
  functions <- cut_functions(m, drawn$times, drawn$values)
  if (length(tied) > 0) functions[tied] <- draw_distinct(m[tied], draw)
  functions
}

# The function, and the position in it, of each breakpoint of functions one after the other.
indices_of <- function(m) {
  list(i = rep(seq_along(m), m), k = sequence(m))
}
