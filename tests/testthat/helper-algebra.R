# What operations on functions should give, in plain R.

operators <- c("+", "-", "*", "/", "^", "%%", "%/%", "<", "<=", ">", ">=", "&", "|")

# One pair of functions (two-column matrices), or a function and a number.
combined_oracle <- function(f, g, operator) {
  times <- sort(unique(unname(c(if (is.matrix(f)) f[, 1], if (is.matrix(g)) g[, 1]))))
  at <- function(f) if (is.matrix(f)) values_at(unname(f), times) else f
  value <- as.double(match.fun(operator)(at(f), at(g)))
  if (operator == "^") value[is.na(at(f)) | is.na(at(g))] <- NA # R has 1 for NA^0 and 1^NA
  cbind(time = times, value = value)
}

# All pairs, recycled.
combined_oracles <- function(x, y, operator) {
  n <- if (min(length(x), length(y)) == 0) 0 else max(length(x), length(y))
  bare <- function(x) rep_len(if (is_pcf(x)) unname(unclass(x)) else as.list(x), n)
  new_pcf(.mapply(function(f, g) combined_oracle(f, g, operator), list(bare(x), bare(y)), NULL))
}

# The functions without a start at -Inf of the value 0, which is none.
without_zero_starts <- function(x) {
  replace_functions(x, lapply(unclass(x), function(f) {
    if (f[1, 1] > -Inf || !(f[1, 2] %in% 0)) return(f)
    if (nrow(f) > 1) f[-1, , drop = FALSE] else cbind(time = 0, value = 0)
  }))
}

# The functions with values of at least 1, for operators that need such.
at_least_one <- function(x) map_pcf(x, values = function(v) abs(v) + 1)

# The values of one function at some times.
values_of <- function(x, times) values_at(unname(unclass(x)[[1]]), times)

# The attributes, in the order of their names.
sorted_attributes <- function(x) {
  all <- attributes(x)
  all[sort(names(all))]
}

all_times <- function(...) {
  times <- unlist(lapply(list(...), function(x) as.data.frame(x)$time))
  times <- sort(unique(times))
  c(times[1] - 1, times, times[-1] - diff(times) / 2, times[length(times)] + 1)
}

# y, from the first breakpoint of x on where that is earlier.
combine_starts <- function(x, y) {
  new_pcf(.mapply(function(f, g) {
    if (f[1, 1] < g[1, 1]) rbind(c(f[1, 1], 1), g) else g
  }, list(unclass(x), unclass(y)), NULL))
}

# One function with whole times, values of at least 1.
random_long <- function(m, seed) {
  with_seed(seed, pcf(cumsum(sample(1:3, m, replace = TRUE)), 1 + rexp(m)))
}
