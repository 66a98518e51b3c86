# Digits in single precision, of times that are large beside what they span.

single_kernels <- c("auto", kernels)

# All that single precision is for, of functions of which some are observed in part, in a window
# of all their times, and without one for those that are complete.
all_in_single <- function(x, window, kernel = "auto", precision = "single") {
  complete <- x[!vapply(unclass(x), anyNA, NA)]
  within <- function(f, ...) f(..., from = window[1], to = window[2], precision = precision)
  everywhere <- function(f, ...) f(complete, ..., precision = precision)
  with_settings(kernel = kernel, list(
    L1 = everywhere(pdist), L2 = everywhere(pdist, 2), half_powers = everywhere(pdist, 1.5),
    Lp = everywhere(pdist, 1.7), products = everywhere(l2_kernel),
    between = within(cdist, complete[1:5], complete[6:12]),
    overlap = within(pdist, x, missing = "overlap"), mean = within(pdist, x, 2, missing = "mean"),
    pairs = within(lp_distance, complete[1], complete[2:9], 1.7)
  ))
}

# n functions with m times each, out of `times`, that end with 0; some are not observed for a while.
dated_pcf <- function(n, m, times, seed = 1) {
  with_seed(seed, {
    at <- lapply(seq_len(n), function(i) sort(c(times[1], sample(times[-1], m - 1))))
    values <- lapply(seq_len(n), function(i) c(rnorm(m - 1), 0))
    partial <- n - 0:4
    values[partial] <- lapply(values[partial], replace, 2:3, NA)
    pcf(at, values)
  })
}

test_that("single precision has the same digits wherever times are counted from", {
  at <- (0:5000) / 256
  near <- dated_pcf(20, 30, at)
  far <- shift_time(near, 2^30)
  for (kernel in single_kernels) {
    expect_identical(
      lapply(all_in_single(far, 2^30 + range(at), kernel), as.vector),
      lapply(all_in_single(near, range(at), kernel), as.vector), label = kernel
    )
  }
  found <- function(x, ...) nearest_neighbors(x[1:15], k = 3, precision = "single", ...)
  expect_identical(found(far), found(near))
  expect_identical(found(far, from = 2^30 + 2), found(near, from = 2))
  largest <- function(x) reduce_distances(x[1:15], with = "max", precision = "single")
  expect_identical(largest(far), largest(near))
  written <- pdist(far[1:15], file = new_file(), precision = "single")
  expect_identical(bits_of(written), bits_of(pdist(near[1:15], precision = "single")))
})

test_that("single precision holds for dates, for seconds since 1970 and for years", {
  day <- 86400
  collections <- list(
    hours = 1.7e9 + 0:20000, years = 1.6e9 + sort(with_seed(2, runif(5000, 0, 4 * 365 * day))),
    dates = 19000 + 0:2000, months = 1949 + (0:600) / 12
  )
  for (name in names(collections)) {
    at <- collections[[name]]
    x <- dated_pcf(20, 40, at)
    want <- all_in_single(x, range(at), precision = "double")
    for (kernel in single_kernels) {
      got <- all_in_single(x, range(at), kernel)
      for (what in names(got)) {
        scale <- if (what == "products") max(want[[what]]) else abs(want[[what]])
        expect_near(got[[what]], want[[what]], 1e-5, scale, paste(name, kernel, what))
        expect_false(identical(as.vector(got[[what]]), as.vector(want[[what]])))
      }
    }
  }
})

test_that("single precision holds in windows on large times", {
  at <- 1.7e9 + 0:100000
  x <- dated_pcf(20, 40, at)[1:15]
  windows <- list(c(1.7e9 + 5000, 1.7e9 + 9000), c(1.7e9 + 99000, 2e9), c(0, 1.7e9 + 7), c(1.7e9, Inf))
  for (kernel in single_kernels) {
    for (window in windows) for (p in c(1, 2, 1.7)) {
      distances <- function(precision) pdist(x, p, window[1], window[2], precision = precision)
      label <- paste(c(kernel, window, p), collapse = " ")
      with_settings(expect_near(distances("single"), distances("double"), 1e-5, label = label), kernel = kernel)
    }
  }
})

test_that("breakpoints at which nothing changes cost no digits", {
  at <- 1.7e9 + 0:3600
  x <- dated_pcf(20, 40, at)[1:15]
  end <- 1.7e9 + 3600
  idle <- c(
    drop_redundant(x[1] * 0), pcf(c(0, 100, 5e9), c(0, 0, 0)),
    pcf(c(-1e15, at[5], at[9], 3e12), c(0, 1, 0, 0)), pcf(c(at[7], at[8], 1e12), c(1, 0, 0))
  )
  for (kernel in single_kernels) {
    for (p in c(1, 2, 1.7)) {
      with_settings(kernel = kernel, {
        d <- pdist(c(idle, x), p, precision = "single")
        expect_near(d, pdist(c(idle, x), p), 1e-5, label = paste(kernel, p))
        if (kernel != "grid") { # which has a point for each breakpoint
          expect_identical(as.vector(half_matrix(x, p, precision = "single")),
                           as.vector(as.matrix(d)[-(1:4), -(1:4)]), label = paste(kernel, p))
        }
        d <- pdist(c(idle, x, pcf(c(0, at[9], 1e300), c(0, 1, 1))), p, to = end, precision = "single")
        expect_near(d, pdist(c(idle, x, pcf(at[9], 1)), p, to = end), 1e-5)
        d <- pdist(c(x, pcf(c(at[9], at[30], 1e300), c(1, 0, 0))), p, precision = "single")
        expect_near(d, pdist(c(x, pcf(at[c(9, 30)], 1:0)), p), 1e-5)
      })
    }
  }
})

test_that("powers beyond all digits do not change the unit of time", {
  for (time in c(1e-300, 1, 1e250)) {
    x <- pcf(list(c(0, time), 0), list(1:0, 0))
    expect_near(pdist(x, 1e18, precision = "single"), 1, 2e-7)
    expect_near(pdist(x, 1e18, precision = "single", missing = "mean", from = 0, to = time), 1, 2e-7)
  }
})

test_that("functions that are far apart are compared in double precision", {
  x <- dated_pcf(20, 40, 1.7e9 + 0:3600)[1:15]
  outliers <- list(pcf(0:1, 1:0), pcf(c(0, 1.7e9), 1:0), pcf(c(-1e6, 5, 1.7e9 + 7), c(2, 1, 0)))
  for (outlier in outliers) {
    y <- c(outlier, x)
    for (p in c(1, 2, 1.7)) {
      expect_identical(as.vector(pdist(y, p, precision = "single")), as.vector(pdist(y, p)))
      expect_identical(cdist(outlier, x, p, precision = "single"), cdist(outlier, x, p))
    }
    rounded <- pdist(y, from = 1.7e9, precision = "single")
    expect_near(rounded, pdist(y, from = 1.7e9), 1e-5)
    expect_false(identical(as.vector(rounded), as.vector(pdist(y, from = 1.7e9))))
  }
})

# Functions on [0, 1] that are observed up to, or from, a time near the middle, and overlap by about `length`.
barely_overlapping <- function(lines, length, seed) {
  with_seed(seed, {
    middle <- runif(1, 0.2, 0.8)
    overlap <- length * runif(1, 0.5, 2)
    ends <- list(c(0, middle + overlap), c(middle, 1))
    functions <- lapply(rep(1:2, 3), function(k) {
      times <- sort(c(ends[[k]], runif(4, ends[[k]][1], ends[[k]][2])))
      values <- c(rnorm(5), NA)
      if (lines) plf(times, values, left = c(NA, rnorm(5))) else pcf(c(-Inf, times), c(NA, values))
    })
    do.call(c, functions)
  })
}

test_that("single precision resolves short overlaps", {
  for (lines in c(FALSE, TRUE)) for (length in c(1e-2, 1e-3, 2e-4, 1e-5, 1e-6, 1e-8)) {
    x <- barely_overlapping(lines, length, round(-log10(length)))
    for (kernel in c("auto", "sweep", if (!lines) "split")) {
      in_both <- function(f, ...) {
        both <- lapply(c("single", "double"), function(precision) {
          with_settings(f(x, ..., missing = "overlap", precision = precision), kernel = kernel, device = "cpu")
        })
        expect_lt(max(abs(both[[1]] / both[[2]] - 1)), 1e-3, label = paste(lines, length, kernel))
      }
      for (p in c(1, 2, 3)) {
        in_both(function(...) c(pdist(...)), p)
        in_both(function(x, ...) cdist(x[c(1, 3, 5)], x[c(2, 4, 6)], ...), p)
      }
      if (length < 1e-4) in_both(function(x, ...) l2_kernel(x[1:2], ...))
      in_both(function(...) c(pdist(..., weight = pcf(c(0, 0.5), 1:2))))
      in_both(function(...) c(nearest_neighbors(..., k = 4)$dist))
      in_both(function(...) reduce_distances(..., with = "min"))
    }
  }
})

test_that("functions that are all observed for two short times far apart are compared in double precision", {
  times <- c(0, 3e-7, 1e-6, 1 - 1e-6, 1 - 3e-7, 1)
  x <- with_seed(1, do.call(c, lapply(1:4, function(i) {
    pcf(c(-Inf, times), c(NA, replace(rnorm(6), c(3, 6), NA)))
  })))
  for (missing in c("error", "overlap")) {
    d <- with_settings(pdist(x, missing = missing, precision = "single"), kernel = "sweep", device = "cpu")
    expect_identical(last_run()$precision, "double")
    expect_near(c(d), c(pdist(x, missing = missing)), 1e-15)
  }
})

test_that("distances of values that share an offset are computed in double precision", {
  precision_of <- function(f, ...) {
    f(..., precision = "single")
    last_run()$precision
  }
  compared <- function(x, from = 0, to = 1, ...) {
    for (kernel in c("auto", "sweep")) with_settings(kernel = kernel, device = "cpu", {
      expect_identical(precision_of(pdist, x, from = from, to = to, ...), "double")
      for (p in list(1, 2, 1.7)) {
        of <- function(precision) c(pdist(x, p, from, to, precision = precision, ...))
        expect_near(of("single"), of("double"), 1e-13)
      }
    })
    expect_identical(precision_of(nearest_neighbors, x, 1, from = from, to = to, ...), "double")
    expect_identical(precision_of(cdist, x, x, from = from, to = to, ...), "double")
    expect_identical(precision_of(reduce_distances, x, from = from, to = to, ...), "double")
    backwards <- if (is.null(dim(x))) rev(x) else x[rev(seq_len(nrow(x))), ]
    expect_identical(precision_of(pdist, backwards, from = from, to = to, threads = 1, ...), "double")
  }
  constant <- pcf(as.list(c(0, 0, 0)), as.list(1e8 + 0:2))
  compared(constant)
  expect_identical(c(pdist(constant, to = 1, from = 0, precision = "single")), c(1, 2, 1))
  walks <- with_seed(1, pcf(lapply(1:8, function(i) c(0, sort(runif(9)))), lapply(1:8, function(i) cumsum(rnorm(10)))))
  lines <- with_seed(1, plf(lapply(1:8, function(i) c(0, sort(runif(8)), 1)), lapply(1:8, function(i) rnorm(10))))
  offset <- walks + 1e6
  back <- restrict(offset, 0, 1) # 0 before and after it
  compared(offset)
  compared(-1 * offset)
  compared(lines + 1e6)
  compared(plf(rep(list(0:3 / 3), 6), with_seed(1, lapply(1:6, function(i) 2^20 + sample(4)))))
  compared(c(offset, walks))
  compared(c(offset[1:5], pcf(0, 0), pcf(0, 1), pcf(0, 3e6)))
  compared(c(offset, offset * 2))
  compared(back, -Inf, Inf)
  compared(c(back, walks * 1e-3), 0, 1)
  early <- map_functions(offset, function(f) rbind(cbind(time = seq(-9, -0.1, length.out = 50), value = 1:50 / 7), f))
  compared(early) # these values are not in the window
  rows <- c(back, restrict(walks, 0, 1))
  compared(structure(rows, dim = c(8L, 2L)), -Inf, Inf, margin = 1)
  samples <- distribution(with_seed(1, lapply(1:5, function(i) 1e6 + rnorm(20))))
  expect_identical(precision_of(pdist, samples, distance = "wasserstein"), "double")
  near <- lapply(c("single", "double"), function(precision) {
    nearest_neighbors(samples, 1, distance = "wasserstein", precision = precision)
  })
  expect_near(near[[1]]$dist, near[[2]]$dist, 1e-5)
})

test_that("other values stay in single precision", {
  stays <- function(x, f = pdist, ...) {
    f(x, from = 0, to = 1, ..., precision = "single")
    expect_identical(last_run()$precision, "single")
  }
  x <- rpcf(50)
  stays(x)
  stays(x + 20)
  stays(round(x) + 2^20)
  stays(x + 1e6, l2_kernel)
  stays(x * 2^100)
  stays(distribution(lapply(1:50, function(i) sample(5))))
  stays(distribution(with_seed(1, lapply(1:50, function(i) runif(sample(5:100, 1))))))
  stays(with_seed(1, x * runif(50, 1, 1e6)))
  stays(pcf(as.list(rep(0, 9)), as.list(rep(c(0.1, 0.2, 0.7), 3))))
})
