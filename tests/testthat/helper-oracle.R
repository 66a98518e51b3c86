# What a pair of functions should give, in plain R; and how results are compared.

# The devices that the main tests go through: with PCFDIST_REQUIRE_CUDA=1 the GPU too.
test_devices <- function() {
  required <- Sys.getenv("PCFDIST_REQUIRE_CUDA") == "1"
  c("cpu", if (required || !nzchar(cuda_info()$problem)) "cuda")
}

# The operations: exponents of distances, and "inner".
operations <- list(1, 2, 1.5, 3, 7.3, Inf, "inner")

# The integral of two functions (two-column matrices), by definition, over the stretches where
# both are observed; or, for `missing = "mean"`, its mean there. `weight` is a matrix too.
oracle <- function(f, g, p = 1, from = -Inf, to = Inf, missing = "overlap", weight = NULL) {
  cuts <- sort(unique(c(f[, 1], g[, 1], weight[, 1])))
  cuts <- c(from, cuts[cuts > from & cuts < to])
  width <- c(cuts[-1], to) - cuts
  if (!is.null(weight)) width <- product(values_at(weight, cuts), width)
  a <- values_at(f, cuts)
  b <- values_at(g, cuts)
  known <- !is.na(a) & !is.na(b)
  length <- accurate_sum(width[known])
  if (!(length > 0)) return(NA_real_)
  integral_of_pieces(a[known], b[known], width[known], p, if (missing == "mean") length else 1)
}

# `p` may be a function of the values of both, which is integrated.
integral_of_pieces <- function(a, b, width, p, length) {
  if (is.function(p)) return(accurate_sum(product(p(a, b), width)) / length)
  if (identical(p, "inner")) return(accurate_sum(product(a * b, width)) / length)
  d <- abs(a - b)
  supremum <- max(d[width > 0], 0)
  if (p == Inf || supremum == 0) return(supremum)
  if (p == 1) return(accurate_sum(product(d, width)) / length)
  supremum * (accurate_sum(product((d / supremum)^p, width)) / length)^(1 / p)
}

# The norm of one function, or its integral (p = "integral").
measure_oracle <- function(f, p, ...) {
  if (identical(p, "integral")) oracle(f, cbind(-Inf, 1), "inner", ...) else oracle(f, cbind(-Inf, 0), p, ...)
}

measure_of <- function(x, p, ...) if (identical(p, "integral")) integral(x, ...) else lp_norm(x, p, ...)

values_at <- function(f, times) c(0, f[, 2])[findInterval(times, f[, 1]) + 1]

# The values of functions at some times, one row for each function.
values_by_definition <- function(x, times) {
  unname(do.call(rbind, lapply(unclass(x), function(f) values_at(unname(f), times))))
}

product <- function(value, width) ifelse(value == 0 | width == 0, 0, value * width)

# A sum with the rounding errors of all its additions put back. Infinite terms of both signs make it NaN.
accurate_sum <- function(x) {
  if (any(is.infinite(x))) return(sum(x[is.infinite(x)]))
  error <- 0
  while (length(x) > 1) {
    a <- x[seq(1, length(x), 2)]
    b <- c(x[seq(2, length(x), 2)], if (length(x) %% 2) 0)
    x <- a + b
    error <- error + sum((a - (x - (x - a))) + (b - (x - a)))
  }
  sum(x) + error
}

# The matrix of all pairs. The last few are remembered: many results are compared with the same one.
oracle_matrix <- function(x, y = x, p = 1, from = -Inf, to = Inf, ...) {
  x <- unclass(x)
  y <- unclass(y)
  asked <- list(x, y, p, from, to, ...)
  for (matrix in remembered$matrices) if (identical(matrix$asked, asked)) return(matrix$values)
  values <- matrix(NA_real_, length(x), length(y))
  same <- identical(x, y)
  for (i in seq_along(x)) {
    for (j in seq_len(if (same) i else length(y))) {
      values[i, j] <- oracle(x[[i]], y[[j]], p, from, to, ...)
      if (same) values[j, i] <- values[i, j]
    }
  }
  remembered$matrices <- head(c(list(list(asked = asked, values = values)), remembered$matrices), 8)
  values
}

remembered <- new.env()

# The same matrix from the package, without names.
full_matrix <- function(x, y = x, p, ...) {
  m <- if (missing(p)) cdist(x, y, ...)
       else if (identical(p, "inner")) l2_kernel(x, y, ...) else cdist(x, y, p, ...)
  array(m, c(length(x), length(y)))
}

# The pairs of one collection as a full matrix, from the half that is computed.
half_matrix <- function(x, p, ...) {
  m <- if (missing(p)) as.matrix(pdist(x, ...))
       else if (identical(p, "inner")) l2_kernel(x, ...) else as.matrix(pdist(x, p, ...))
  array(m, c(length(x), length(x)))
}

# What inner products are compared with: their terms may cancel.
absolute <- function(x) {
  attributes <- attributes(x)
  x <- lapply(unclass(x), function(f) cbind(time = f[, 1], value = abs(f[, 2])))
  attributes(x) <- attributes
  x
}

# What the error of a result is relative to: the result, or for inner products that of
# the absolute values.
scale_of <- function(expected, x, y = x, p = 1, from = -Inf, to = Inf, ...) {
  if (!identical(p, "inner")) return(abs(expected))
  oracle_matrix(absolute(x), absolute(y), p, from, to, ...)
}

# Infinite and missing numbers must be the same, finite ones within `tolerance` times `scale`.
expect_near <- function(actual, expected, tolerance = 1e-13, scale = abs(expected),
                        label = "the result") {
  actual <- as.vector(actual)
  expected <- as.vector(expected)
  scale <- rep_len(as.vector(scale), length(expected))
  finite <- is.finite(expected)
  error <- abs(actual - expected)
  far <- length(actual) != length(expected) || !identical(is.na(actual), is.na(expected)) ||
    !identical(actual[!finite], expected[!finite]) ||
    any(error[finite] > tolerance * scale[finite])
  worst <- if (any(finite)) max(error[finite] / pmax(scale[finite], 5e-324)) else 0
  testthat::expect(
    !far,
    sprintf(
      "%s is not near: relative error %.3g, %d missing", label, worst, sum(is.na(actual))
    )
  )
  invisible(actual)
}

# Evaluates code that may give nothing but infinite numbers, without the warning.
maybe_infinite <- function(code) {
  withCallingHandlers(code, pcfdist_warning_infinite = function(warning) {
    invokeRestart("muffleWarning")
  })
}

# Options of the package for the rest of a test or function: local_settings(kernel = "grid").
local_settings <- function(..., frame = parent.frame()) {
  settings <- list(...)
  if (length(settings) > 0) names(settings) <- paste0("pcfdist.", names(settings))
  old <- options(settings)
  at_end_of(frame, bquote(options(.(old))))
}

# Evaluates a call when a function ends, or a test.
at_end_of <- function(frame, call) do.call(on.exit, list(call, add = TRUE), envir = frame)

# The same while some code is evaluated: with_settings(pdist(x), kernel = "grid").
with_settings <- function(code, ...) {
  local_settings(...)
  code
}

instruction_sets <- function() .Call(pcfdist:::ffi_available)$instructions

kernels <- c("sweep", "grid", "split", "walk")

# ---- Collections ----

# The workload of arXiv 2404.07183, with fewer functions.
paper_pcf <- function(n, longest = 999, seed = 1) {
  with_seed(seed, {
    m <- sample(10:longest, n, replace = TRUE)
    times <- lapply(m, function(m) c(0, sort(abs(rnorm(m)))[-1] * abs(rnorm(1))))
    pcf(times, lapply(m, function(m) c(rnorm(m - 1), 0)))
  })
}

# Whole times from a few: nearly every breakpoint is shared.
tied_pcf <- function(n, most = 15, seed = 1) {
  with_seed(seed, {
    times <- lapply(seq_len(n), function(i) sort(sample(-4:20, sample.int(most, 1))))
    pcf(times, lapply(times, function(t) c(rnorm(length(t) - 1), sample(0:1, 1))))
  })
}

gridded_pcf <- function(n, points = 20, seed = 1) {
  with_seed(seed, {
    times <- sort(runif(points))
    pcf(times, lapply(seq_len(n), function(i) c(rnorm(points - 1), 0)))
  })
}

# Collections of all shapes. Some have functions that never come to 0.
kinds_of_pcf <- function(n, long = 600) {
  with_seed(7, list(
    ragged = c(paper_pcf(n - 5, 40), random_pcf(5)),
    tied = tied_pcf(n),
    grid = gridded_pcf(n),
    uneven = c(random_pcf(n - 1, 4), gridded_pcf(1, long))[sample(n)],
    single = pcf(as.list(sample(-3:3, n, replace = TRUE)), as.list(round(rnorm(n), 1))),
    zero = pcf(as.list(rnorm(n)), as.list(numeric(n))),
    negative = pcf(
      lapply(seq_len(n), function(i) sort(-rexp(i %% 9 + 1))),
      lapply(seq_len(n), function(i) c(rnorm(i %% 9), 0))
    )
  ))
}

# The functions with other times and values: f(times), f(values) of each.
map_pcf <- function(x, times = identity, values = identity) {
  x <- unclass(x)
  pcf(lapply(x, function(f) times(f[, 1])), lapply(x, function(f) values(f[, 2])))
}

# The functions within a window, and 0 outside.
clipped <- function(x, from, to) {
  pieces <- lapply(unclass(x), function(f) {
    times <- c(from, f[f[, 1] > from & f[, 1] < to, 1], to)
    cbind(times, c(values_at(f, times[-length(times)]), 0))
  })
  pcf(lapply(pieces, function(f) f[, 1]), lapply(pieces, function(f) f[, 2]))
}
