# Sums over all pairs of each function, without the matrix.

# Of the results of a call for an operation; `sums` is a list that says what each result r counts
# with, and what that is multiplied by:
#
# * weight: "power", r^power; "gaussian", exp(-(r / scale)^2 / 2); "laplacian", exp(-r / scale); or
#   "logarithm": the logarithm of the sum of exp(-r^power / scale), of functions from others alone.
# * power, scale: positive numbers; NULL for 1.
# * b: a matrix of finite numbers with a row for each function of y or, without one, of x; not for
#   logarithms.
#
# The result is a matrix with a row for each function of x and the columns of b, or one column.
# Pairs that are missing make a sum NA, infinite ones infinite, unless their b is 0.
sum_pairs <- function(call, operation, p, settings, sums) {
  sums$power <- as.double(sums$power %||% 1)
  sums$scale <- as.double(sums$scale %||% 1)
  sums$same <- FALSE
  result <- sum_all_pairs(call, operation, p, settings, sums)
  if (sums$weight != "power" || all(is.finite(result))) return(result)
  degree <- sums$power * if (operation == "inner") 2 else 1
  exponent <- ceiling(log2(largest_value(call)))
  if (!(degree * exponent > least_overflow)) return(result)
  small <- list(x = call$x * 2^-exponent, y = if (!is.null(call$y)) call$y * 2^-exponent)
  again <- sum_all_pairs(replace(call, c("x", "y"), small), operation, p, settings, sums)
  odd <- !is.finite(result)
  result[odd] <- times_power_of_2(again[odd], degree * exponent)
  result
}

# What is too large for a double as the result of a pair may count in a sum with another one. So
# sums that are not finite are found again from functions without large values, if that can be why:
# if those values, to the power of a result, are beyond 2^least_overflow.
least_overflow <- 500

largest_value <- function(call) {
  largest <- function(x) max(0, abs(column_of(x, "value")), na.rm = TRUE)
  max(largest(call$x), if (!is.null(call$y)) largest(call$y))
}

# In steps that are doubles themselves.
times_power_of_2 <- function(x, exponent) {
  while (exponent > 1000) {
    x <- x * 2^1000
    exponent <- exponent - 1000
  }
  x * 2^exponent
}

sum_all_pairs <- function(call, operation, p, settings, sums) {
  itself <- if (sums$weight == "logarithm") "below" else "triangle"
  mode <- if (is.null(call$y)) itself else "full"
  request <- new_request(
    "none", mode, operation, p, call$window, call$missing, weight = call$weight
  )
  # Means need the overlaps of all pairs.
  add_up <- if (call$missing == "mean") sum_by_rows
            else if (in_jobs(settings, call$x)) sum_in_jobs
            else run_pair_sums
  add_up(call$x, call$y, request, settings, sums, call$arguments)
}

# For the mode "full" `sums$same` tells whether x and y are the same functions: sums then have the
# bits that they have without a y.
run_pair_sums <- function(x, y, request, settings, sums, arguments) {
  on.exit(end_bar())
  answer <- .Call(ffi_pair_sums, x, y, request, settings, sums)
  check_pairs(answer, x, y, arguments)
  the$last_run <- answer$report
  answer$value
}

# The same in jobs.
sum_in_jobs <- function(x, y, request, settings, sums, arguments) {
  do.call(rbind, run_bands("sum_band", x, y, request, sums, settings, arguments))
}

# ---- By rows ----

# The same by blocks of the whole matrix.
sum_by_rows <- function(x, y, request, settings, sums, arguments) {
  itself <- if (sums$weight == "logarithm") Inf
  parts <- by_row_blocks(x, y, request, settings, row_summer(sums), itself, arguments)
  columns <- if (is.null(sums$b)) 1 else ncol(sums$b)
  do.call(rbind, c(list(matrix(0, 0, columns)), lapply(parts, matrix, ncol = columns)))
}

# Functions that go along to other machines have nothing of a call but what they need.
row_summer <- function(sums) {
  force(sums)
  function(results, rows) {
    weights <- weights_of(results, sums)
    if (sums$weight == "logarithm") log_sum_exp(weights) else weigh_pairs(weights, sums$b)
  }
}

weights_of <- function(results, sums) {
  switch(sums$weight,
    power = results^sums$power,
    gaussian = exp(-(results / sums$scale)^2 / 2),
    laplacian = exp(-results / sums$scale),
    logarithm = -results^sums$power / sums$scale
  )
}

# Infinite pairs of no weight are left out.
weigh_pairs <- function(pairs, columns) {
  if (all(is.finite(pairs))) return(pairs %*% columns)
  one_column <- function(b) pairs[, b != 0, drop = FALSE] %*% b[b != 0]
  product <- vapply(seq_len(ncol(columns)), function(c) as.vector(one_column(columns[, c])),
                    numeric(nrow(pairs)))
  array(product, c(nrow(pairs), ncol(columns)))
}

# Of each row. The largest term is 1, so that no sum is 0 or infinite.
log_sum_exp <- function(terms) {
  if (ncol(terms) == 0) return(rep(-Inf, nrow(terms)))
  largest <- apply(terms, 1, max)
  some <- which(largest > -Inf)
  sums <- largest
  sums[some] <- largest[some] + log(rowSums(exp(terms[some, , drop = FALSE] - largest[some])))
  sums
}
