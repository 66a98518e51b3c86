# Sums over all pairs of each function, without the matrix.

# A sum over the results r of all pairs, each multiplied by an element of b, of
#
# * weight: "power", r^power; "gaussian", exp(-(r / scale)^2 / 2); "laplacian", exp(-r / scale); or
#   "logarithm": the logarithm of the sum of exp(-r^power / scale), over pairs of different functions.
# * power, scale: positive numbers; NULL for 1.
# * b: a matrix of finite numbers with a row for each function of y or, without y, of x; not used for
#   logarithms.
#
# With `in_pairs`, sums are found pair by pair, even if that is not needed; with `plan`, nothing is
# computed.
new_sums <- function(weight, power = NULL, scale = NULL, b = NULL) {
  list(
    weight = weight, power = as.double(power %||% 1), scale = as.double(scale %||% 1), b = b,
    in_pairs = !is.null(b) && any(abs(b) > largest_without_pairs), plan = FALSE
  )
}

# Sums over pairs have no limit, but running sums of larger numbers might overflow.
largest_without_pairs <- 2^900

# The result is a matrix with a row for each function of x and the columns of b, or one column. A sum is
# NA if any pair has no result, and infinite if any result is, unless their elements of b are 0.
sum_pairs <- function(call, operation, p, settings, sums) {
  result <- sum_all_pairs(call, operation, p, settings, sums)
  if (sums$weight != "power") return(result)
  odd <- !(is.finite(result) & abs(result) >= 2^-900 * max(0, abs(sums$b)))
  if (!any(odd)) return(result)
  sizes <- sizes_of_values(call)
  exponent <- ceiling(log2(max(0, sizes)))
  degree <- sums$power * switch(operation, inner = 2, relative = 0, 1)
  if (!(is.finite(exponent) && abs(degree * exponent) > least_exponent)) return(result)
  if (exponent > 0) odd <- !is.finite(result)
  for (shift in shifts_of(exponent, degree)) {
    again <- sum_all_pairs(in_units(call, shift, sizes), operation, p, settings, sums)
    result[odd] <- times_power_of_2(again[odd], degree * shift)
    odd <- odd & degree * shift > 2048 & (abs(again) < 1e-200) %in% TRUE
    if (!any(odd)) break
  }
  result
}

# A result that overflows on its own may be part of a finite sum, and one that underflows is a part of it if
# its element of b is large. So sums that are not finite, or small, are computed again from functions
# divided by a power of 2, provided that this can be the cause: that the largest values, to the power of a
# result, are above 2^least_exponent or below 2^-least_exponent.
least_exponent <- 500

# The exponents of these powers. If values are large, in the first units no term overflows; in the second, no
# term vanishes that did overflow. If they are small, no large term vanishes, and none overflows.
shifts_of <- function(exponent, degree) {
  if (exponent > 0) c(exponent, floor(1100 / degree))
  else max(-1000, min(exponent, -floor(800 / degree)))
}

# The magnitudes of all values and left limits.
sizes_of_values <- function(call) {
  of_values <- function(f) abs(f[, -1])
  sort(unique(unlist(lapply(c(unclass(call$x), unclass(call$y)), of_values))))
}

# The functions of a call divided by 2^shift. What would lose digits is replaced by small numbers in the same
# order, so that functions that differ for ever still do.
in_units <- function(call, shift, sizes) {
  lost <- sizes[sizes > 0 & sizes < 2^(shift - 1022)]
  divided <- function(v) {
    rank <- match(abs(v), lost, 0)
    ifelse(rank > 0, sign(v) * rank * 2^-1074, v * 2^-shift)
  }
  replace(call, c("x", "y"), lapply(list(call$x, call$y), with_values, divided))
}

sum_all_pairs <- function(call, operation, p, settings, sums) {
  request <- request_of_sums(call, operation, p, sums)
  if (in_jobs(settings, call$x)) {
    here <- settings$jobs$device != "cuda" &&
      plan_sums(call, operation, p, settings, sums)$kernel == "events"
    if (!here) {
      sums$in_pairs <- TRUE
      bands <- run_bands("sum_band", call$x, call$y, request, sums, settings, call$arguments)
      return(do.call(rbind, bands))
    }
  }
  found <- run_pair_sums(call$x, call$y, request, settings, sums, call$arguments)
  if (operation == "inner" || found$report$kernel != "events") return(found$value$sums)
  sum_precisely(found$value, call, operation, settings, sums)
}

request_of_sums <- function(call, operation, p, sums) {
  itself <- if (sums$weight == "logarithm") "below" else "triangle"
  mode <- if (is.null(call$y)) itself else "full"
  request_for(call, list(name = operation, exponent = p), "none", mode)
}

# The plan of the sums.
plan_sums <- function(call, operation, p, settings, sums) {
  sums$plan <- TRUE
  request <- request_of_sums(call, operation, p, sums)
  run_pair_sums(call$x, call$y, request, settings, sums, call$arguments)$report
}

run_pair_sums <- function(x, y, request, settings, sums, arguments) {
  run_reported(.Call(ffi_pair_sums, x, y, request, settings, sums), x, y, arguments, sums$plan)
}

# ---- Sums without pairs ----

# The largest error bound that is accepted, relative to a sum.
largest_error <- 1e-12

# Sums of L1 distances, or of squared L2 distances, as they were `found`. Their errors are relative to the
# sizes of the functions, so rows whose result is much smaller are computed from pairs instead.
sum_precisely <- function(found, call, operation, settings, sums) {
  squared <- operation == "l2"
  result <- found$sums
  bound <- (if (squared) 1e-14 else 1e-15) * sums_of_sizes(found$sizes, call, abs(sums$b))
  wide <- !(bound <= largest_error * abs(result)) | is.na(bound)
  # Sizes may overflow where squared distances do not.
  wide[!is.finite(result)] <- squared & !is.finite(bound[!is.finite(result)])
  if (!squared && any(wide)) {
    least <- rep(least_sums(call, settings, sums$b), each = nrow(result))
    wide <- wide & !(bound <= largest_error * least) %in% TRUE
  }
  again <- rowSums(wide) > 0
  if (!any(again)) return(result)
  if (!all(again)) {
    call$y <- call$y %||% call$x
    call$x <- functions_at(call$x, again)
  }
  sums$in_pairs <- TRUE
  settings$kernel <- "auto"
  result[again, ] <- sum_all_pairs(call, operation, if (squared) 2 else 1, settings, sums)
  result
}

# For each sum, the sizes of its function and of the others, each as often as `b` says.
sums_of_sizes <- function(sizes, call, b) {
  rows <- seq_along(call$x)
  others <- if (is.null(call$y)) sizes else sizes[-rows]
  outer(sizes[rows], colSums(b)) + rep(crossprod(b, others), each = length(rows))
}

# For each column of b, what no sum of distances times |b| is below: the distances of a function from two
# others are together at least the distance of these.
least_sums <- function(call, settings, b) {
  others <- call$y %||% call$x
  used <- which(rowSums(b != 0) > 0)
  half <- length(used) %/% 2
  one <- used[seq_len(half)]
  other <- used[half + seq_len(half)]
  part <- function(i) like(others, unclass(others)[i])
  settings[c("device", "kernel")] <- c("cpu", "walk")
  request <- request_for(replace(call, "missing", "error"), operation_of(1), "paired", "paired")
  distances <- answer_value(.Call(ffi_pairwise, part(one), part(other), request, settings))
  distances[distances == Inf] <- 0
  least <- base::pmin(abs(b[one, , drop = FALSE]), abs(b[other, , drop = FALSE]))
  as.vector(crossprod(least, distances))
}

# The sums of run_pair_sums() for a band of rows.
sum_band <- function(band, run, x, y, request, sums, arguments) {
  settings <- settings_of_band(band, run, x, y, request, arguments)
  request$mode <- "full"
  found <- run_pair_sums(x, y, request, settings, sums, arguments)
  list(value = rows_of(found$value$sums, seq(band[1], band[2])), report = found$report)
}
