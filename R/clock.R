# Weighted integrals: functions with every time t as W(t), the integral of the weight up to t.

# The functions of a call, as check_integrals() returns it, on the clock of its weight: a list of
# x, y, the window, and the clock. Without a weight they are as they were.
on_clock <- function(call, threads) {
  x <- call$x
  y <- call$y
  window <- call$window
  if (is.null(call$weight)) return(list(x = x, y = y, window = window, clock = NULL))
  on_x <- functions_on_clock(x, call$weight, window, threads, call$arguments[["x"]])
  on_y <- functions_on_clock(y, call$weight, window, threads, call$arguments[["y"]])
  clock <- c(on_x$clock, list(window = c(window$from, window$to)))
  if (clock$from < clock$to) {
    return(list(x = on_x$functions, y = on_y$functions, window = clock, clock = clock))
  }
  list(x = all_zero(x), y = all_zero(y), window = list(from = 0, to = 1), clock = NULL)
}

functions_on_clock <- function(x, weight, window, threads, argument) {
  if (is.null(x)) return(NULL)
  answer <- .Call(ffi_on_clock, x, weight, c(window$from, window$to), threads)
  if (identical(answer$status, "argument")) {
    abort_argument("weight", "has an integral beyond the largest double.")
  }
  value <- answer_value(answer, x = x, argument = argument)
  attributes(value$functions) <- attributes(x)
  value
}

# Functions without any weight in the window.
all_zero <- function(x) {
  if (is.null(x)) return(NULL)
  functions <- rep(list(new_function(0, 0)), length(x))
  attributes(functions) <- attributes(x)
  functions
}

# A stretch `from` … `to` on a clock as one of times; without a clock as it is.
stretch_back <- function(clock, stretch) {
  if (is.null(clock)) return(stretch)
  stretch$from <- clock_back(clock, stretch$from)
  stretch$to <- clock_back(clock, stretch$to, latest = FALSE)
  stretch
}

# The latest, or earliest, time at which a clock has a reading.
clock_back <- function(clock, reading, latest = TRUE) {
  if (is.infinite(reading)) return(reading)
  k <- findInterval(reading, clock$readings, left.open = !latest)
  if (k == 0 && !clock$before > 0) return(clock$window[1])
  if (k == 0) return(clock$times[1] - (clock$readings[1] - reading) / clock$before)
  if (!clock$slopes[k] > 0) return(if (latest) clock$times[k] else clock$window[2])
  clock$times[k] + (reading - clock$readings[k]) / clock$slopes[k]
}
