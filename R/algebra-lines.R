# Values of lines between breakpoints with more digits than a double has.

# The values at times of lines between two times, as sums of two doubles, `high` and `low`. Where numbers are too
# large for exact products, values are counted from the nearer end, since the value at the other end may be much
# larger.
exact_line_value <- function(begin, value, end, left, time) {
  .Call(ffi_poll)
  rise <- exact_difference(left, value)
  run <- exact_difference(end, begin)
  passed <- exact_difference(time, begin)
  share <- passed$high / run$high
  product <- exact_product(share, run$high)
  rest <- (passed$high - product$high) - product$low + passed$low - share * run$low
  part <- exact_product(share, rise$high)
  sum <- exact_sum(value, part$high)
  low <- sum$low + (part$low + share * rise$low + rest / run$high * rise$high)
  high <- sum$high + low
  low <- (sum$high - high) + low
  large <- which(!is.finite(high) | base::pmax(abs(value), abs(left), abs(begin), abs(end)) > 1e290)
  high[large] <- plain_line_value(begin[large], value[large], end[large], left[large], time[large])
  low[large] <- 0
  list(high = high, low = low)
}

plain_line_value <- function(begin, value, end, left, time) {
  run <- end - begin
  passed <- (time - begin) / run
  ahead <- (end - time) / run
  result <- value + (left - value) * passed
  late <- which(passed >= ahead)
  result[late] <- left[late] - (left[late] - value[late]) * ahead[late]
  result
}

# What is added up or multiplied exactly, as sums of two doubles.
exact_sum <- function(a, b) {
  high <- a + b
  part <- high - a
  list(high = high, low = (a - (high - part)) + (b - part))
}

exact_difference <- function(a, b) exact_sum(a, -b)

exact_product <- function(a, b) {
  halves <- function(x) {
    upper <- (2^27 + 1) * x
    upper <- upper - (upper - x)
    list(upper, x - upper)
  }
  high <- a * b
  a <- halves(a)
  b <- halves(b)
  list(high = high, low = ((a[[1]] * b[[1]] - high) + a[[1]] * b[[2]] + a[[2]] * b[[1]]) + a[[2]] * b[[2]])
}
