# Sums over all pairs of each function, without the matrix.

# What each result r of a call counts with, and what that is multiplied by:
#
# * weight: "power", r^power; "gaussian", exp(-(r / scale)^2 / 2); "laplacian", exp(-r / scale); or
#   "logarithm": the logarithm of the sum of exp(-r^power / scale), of functions from others alone.
# * power, scale: positive numbers; NULL for 1.
# * b: a matrix of finite numbers with a row for each function of y or, without one, of x; not for
#   logarithms.
#
# `same` tells of the mode "full" whether x and y are the same functions: sums then have the bits
# that they have without a y. With `in_pairs` all pairs are looked at, even where the plan could do
# without; with `plan` nothing is computed.
new_sums <- function(weight, power = NULL, scale = NULL, b = NULL) {
  list(
    weight = weight, power = as.double(power %||% 1), scale = as.double(scale %||% 1), b = b,
    same = FALSE, in_pairs = !is.null(b) && any(abs(b) > largest_without_pairs), plan = FALSE
  )
}

# Sums over pairs have no limit, and running sums of larger numbers might be infinite.
largest_without_pairs <- 2^900

# The result is a matrix with a row for each function of x and the columns of b, or one column.
# Pairs that are missing make a sum NA, infinite ones infinite, unless their b is 0.
sum_pairs <- function(call, operation, p, settings, sums) {
  result <- sum_all_pairs(call, operation, p, settings, sums)
  if (sums$weight != "power" || all(is.finite(result))) return(result)
  degree <- sums$power * if (operation == "inner") 2 else 1
  exponent <- ceiling(log2(largest_value(call)))
  if (!(degree * exponent > least_overflow)) return(result)
  small <- lapply(list(x = call$x, y = call$y), with_values_times, 2^-exponent)
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
  largest <- function(f) max(0, abs(f[, -1]), na.rm = TRUE)
  max(0, vapply(c(unclass(call$x), unclass(call$y)), largest, 0))
}

# A collection, or NULL, with all values and left limits multiplied by a number.
with_values_times <- function(x, factor) {
  if (is.null(x)) return(x)
  replace_functions(x, lapply(unclass(x), function(f) {
    f[, -1] <- f[, -1] * factor
    f
  }))
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
  request <- request_of_sums(call, operation, p, sums)
  find <- function(add_up) add_up(call$x, call$y, request, settings, sums, call$arguments)
  if (call$missing == "mean") return(find(sum_by_rows)) # needs the overlaps of all pairs
  if (in_jobs(settings, call$x)) {
    here <- settings$jobs$device != "cuda" &&
      plan_sums(call, operation, p, settings, sums)$kernel == "events"
    if (!here) return(find(sum_in_jobs))
  }
  found <- find(run_pair_sums)
  if (operation != "l2" || found$report$kernel != "events") return(found$value)
  sum_squares(found$value, call, settings, sums)
}

request_of_sums <- function(call, operation, p, sums) {
  itself <- if (sums$weight == "logarithm") "below" else "triangle"
  mode <- if (is.null(call$y)) itself else "full"
  new_request("none", mode, operation, p, call$window, call$missing, weight = call$weight)
}

# What the plan says of the sums.
plan_sums <- function(call, operation, p, settings, sums) {
  sums$plan <- TRUE
  request <- request_of_sums(call, operation, p, sums)
  run_pair_sums(call$x, call$y, request, settings, sums, call$arguments)$report
}

run_pair_sums <- function(x, y, request, settings, sums, arguments) {
  on.exit(end_bar())
  answer <- .Call(ffi_pair_sums, x, y, request, settings, sums)
  check_pairs(answer, x, y, arguments)
  if (!sums$plan) the$last_run <- answer$report
  answer
}

# The same in jobs.
sum_in_jobs <- function(x, y, request, settings, sums, arguments) {
  sums$in_pairs <- TRUE
  do.call(rbind, run_bands("sum_band", x, y, request, sums, settings, arguments))
}

# ---- Squares ----

# How large the bound of an error may be beside a sum of squares.
largest_error <- 1e-12

# Sums of squares of L2 distances, from those of inner products. The error is a part of what the
# terms come to. Rows where that may be too much are found from pairs, and all of them where norms
# are infinite, whose differences would be NaN.
sum_squares <- function(products, call, settings, sums) {
  squares <- function(x) {
    of_x <- list(x = x, window = call$window, missing = "error", weight = call$weight)
    suppressWarnings(
      as.vector(measure_functions(of_x, "l2", 2, settings$threads))^2,
      classes = "pcfdist_warning_infinite"
    )
  }
  of_x <- squares(call$x)
  of_y <- if (is.null(call$y)) of_x else squares(call$y)
  of_norms <- function(columns) {
    outer(of_x, colSums(columns)) + rep(crossprod(columns, of_y), each = length(of_x))
  }
  result <- of_norms(sums$b) - 2 * products
  bound <- 1e-14 * of_norms(abs(sums$b))
  wide <- is.finite(result) & !(bound <= largest_error * abs(result))
  again <- rowSums(is.na(wide) | wide) > 0 | !all(is.finite(of_x), is.finite(of_y))
  if (!any(again)) return(result)
  if (!all(again)) call <- rows_of_call(call, again)
  sums$in_pairs <- TRUE
  settings$kernel <- "auto"
  result[again, ] <- sum_all_pairs(call, "l2", 2, settings, sums)
  result
}

# The same for some functions of x only.
rows_of_call <- function(call, rows) {
  call$y <- call$y %||% call$x
  call$x <- new_pcf(unclass(call$x)[rows], unit_of(call$x), class_of(call$x))
  call
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
