# Components that span very different times, and how they are laid beside each other.

# Increasing times of a component that spans about so much.
times_of_span <- function(m, span) {
  kind <- sample(6, 1)
  times <- switch(
    kind, runif(m), 10^-runif(m, 0, 6), runif(m, -1, 1), c(0, runif(m)), sample(1000, m), 1 + 2^-52 * sample(99, m)
  )
  sort(unique(if (kind == 5) times else times * span))
}

# A matrix of functions whose components span 1 to 1e20. Rows share some functions, and some times.
components_of_spans <- function(rows, columns, lines, gaps) {
  spans <- 10^runif(columns, -5, 15)
  functions <- lapply(spans, function(span) {
    pool <- times_of_span(15, span)
    lapply(seq_len(rows), function(i) {
      m <- sample(2:5, 1)
      times <- pool[sort(sample(length(pool), m))]
      values <- c(rnorm(m - 1), 0)
      if (gaps && runif(1) < 0.5) values[sample(m - 1, 1)] <- NA
      if (gaps && runif(1) < 0.2) values[m] <- NA
      if (!lines) return(pcf(times, values))
      plf(times, values, left = c(0, ifelse(is.na(values[-m]), NA, rnorm(m - 1))))
    })[sample(c(seq_len(rows), 1), rows)]
  })
  x <- do.call(c, unlist(functions, recursive = FALSE))
  dim(x) <- c(rows, columns)
  x
}

# The distance, or inner product, of two rows, or its scale, from those of their components.
over_rows <- function(x, p, ..., of) {
  pairs <- expand.grid(i = seq_len(nrow(x)), j = seq_len(nrow(x)))
  results <- mapply(function(i, j) {
    function_of <- function(i, k) unclass(x)[[i, k]]
    each <- vapply(seq_len(ncol(x)), function(k) of(function_of(i, k), function_of(j, k), p, ...), 0)
    if (all(is.na(each))) return(NA_real_)
    each <- each[!is.na(each)]
    if (identical(p, "inner")) return(sum(each))
    if (p == Inf) max(each) else max(each) * sum((each / max(each, 5e-324))^p)^(1 / p)
  }, pairs$i, pairs$j)
  matrix(results, nrow(x))
}

test_that("components of any spans keep their times", {
  for (seed in 1:12) for (lines in c(FALSE, TRUE)) {
    x <- with_seed(seed, components_of_spans(3, 1 + seed %% 5, lines, gaps = seed %% 3 == 0))
    of <- if (lines) line_oracle else oracle
    missing <- if (seed %% 3 == 0) "overlap" else "error"
    weight <- if (seed %% 4 == 0) pcf(c(-Inf, c(0.1, 0.7) * max_time(x)), c(1, 0.3, 2))
    for (p in list(1, 2, 2.5, Inf, "inner")) {
      scale <- if (lines) over_rows(x, p, weight = unclass(weight)[[1]], of = line_scale)
      wanted <- over_rows(x, p, weight = unclass(weight)[[1]], of = of)
      if (identical(p, "inner")) {
        scale <- sqrt(tcrossprod(diag(wanted)))
        for (precision in c("double", "single")) {
          found <- l2_kernel(x, missing = missing, weight = weight, precision = precision, margin = 1)
          expect_near(c(found), c(wanted), if (precision == "single") 1e-5 else 1e-13, scale = c(scale))
        }
        next
      }
      for (device in test_devices()) {
        found <- cdist(x, x, p, missing = missing, weight = weight, device = device, margin = 1)
        expect_near(c(found), c(wanted), 1e-13, scale = c(if (lines) scale else abs(wanted)))
      }
    }
  }
})

test_that("landscapes whose first level is far longer than the others keep these", {
  bars <- list(
    cbind(birth = c(0, 1.1, 1.3), death = c(Inf, 2.3, 1.7)), cbind(birth = c(0, 1.2), death = c(Inf, 1.9))
  )
  for (death in c(1e3, 1e9, 1e16, 1e100)) {
    expect_near(c(pdist(landscape(bars, infinite = death), margin = 1)), 0.2775, 1e-15)
  }
})

test_that("many components keep almost all digits of their times", {
  for (lines in c(FALSE, TRUE)) for (columns in c(60, 150)) {
    functions <- with_seed(columns, lapply(seq_len(2 * columns), function(i) {
      times <- sort(10^runif(5, -8, 8))
      if (lines) plf(times, c(rnorm(4), 0), left = c(0, rnorm(4))) else pcf(times, c(rnorm(4), 0))
    }))
    x <- do.call(c, functions)
    dim(x) <- c(2, columns)
    for (k in c(1, 2, columns)) {
      only <- x
      only[1, -k] <- only[2, -k]
      expect_near(c(pdist(only, 2, margin = 1)), c(pdist(c(x[, k]), 2)), 1e-13)
    }
  }
})

test_that("unbounded tails on which components are 0 are shared", {
  never <- pcf(-Inf, NA)
  for (side in list(pcf(0, NA), pcf(c(-Inf, 3), c(NA, 0)), pcf(c(-Inf, -3), c(NA, 0)), pcf(-1, NA))) {
    for (as_family in list(identity, as_plf)) {
      x <- as_family(c(never, never, side, side))
      dim(x) <- c(2, 2)
      for (rows in list(x, x[, 2:1])) {
        for (p in list(1, 2.5, Inf)) expect_identical(c(pdist(rows, p, missing = "overlap", margin = 1)), 0)
        expect_identical(unname(integral(rows, missing = "overlap", margin = 1)), c(0, 0))
        expect_identical(unique(c(l2_kernel(rows, missing = "overlap", margin = 1))), 0)
      }
    }
  }
  x <- c(pcf(c(1.3, 2), c(1, NA)), pcf(c(1.3, 2), c(1, 0)), pcf(c(0.1, 7e9), 1:0), pcf(c(0.1, 7e9), 1:0))
  dim(x) <- c(2, 2)
  expect_error(pdist(x, margin = 1), "component 1: function 2 is observed on \\[2, Inf\\)")
  expect_error(pdist(x[, 2:1], margin = 1), "component 2: function 2 is observed on \\[2, Inf\\)")
})

test_that("components that are 0 in the window, which may have one time, are laid", {
  for (end in c(0.3, 1e16 / 3)) for (as_family in list(identity, as_plf)) {
    x <- as_family(c(pcf(0.1, list(0, 0)), pcf(end + 1:2, list(c(5, 0), c(7, 0)))))
    dim(x) <- c(2, 2)
    expect_identical(c(pdist(x[, c(1, 1)], margin = 1)), 0)
    expect_identical(unname(integral(x, to = end, margin = 1)), c(0, 0))
    expect_identical(unique(c(l2_kernel(x, to = -0.3, margin = 1))), 0)
  }
})

test_that("single precision keeps components that are far shorter than others", {
  for (seed in 1:6) for (lines in c(FALSE, TRUE)) {
    x <- with_seed(seed, lapply(rep(c(2^17, 0.25, 1), each = 6), function(span) {
      m <- sample(2:5, 1)
      times <- sort(sample(64, m)) * span / 64
      values <- c(sample(c(-1, 0, 0, 1), m - 1, TRUE), 0)
      if (lines) plf(times, values, left = c(0, values[-m])) else pcf(times, values)
    }))
    x <- structure(do.call(c, x), dim = c(6, 3))
    of_parts <- lapply(1:3, function(k) l2_kernel(c(x[, k])))
    wanted <- Reduce(`+`, of_parts)
    size <- Reduce(`+`, lapply(of_parts, abs))
    for (device in test_devices()) {
      found <- l2_kernel(x, precision = "single", device = device, margin = 1)
      expect_near(c(found), c(wanted), 1e-5, scale = c(size))
      expect_identical(sign(c(found)), sign(c(wanted)))
    }
  }
})

test_that("times that are too far apart are an error", {
  x <- c(pcf(c(0, 1e300 / 3, 1e300), list(2:0, 2:0)), pcf(c(0, 1e-300 / 3, 1e-300), list(2:0, c(1, 3, 0))))
  dim(x) <- c(2, 2)
  expect_error(pdist(x, margin = 1), "components for times this far apart", class = "pcfdist_error_margin")
})
