test_that("means of lines are missing where none is observed", {
  x <- plf(list(0:2, 1:3), list(c(1, 2, NA), c(4, 6, NA)), left = list(c(NA, 2, 3), c(NA, 6, 8)))
  m <- mean(x, na.rm = TRUE)
  expect_equal(
    as.vector(evaluate(m, c(-1, 0, 0.5, 1, 1.5, 2, 2.5, 3))), c(NA, 1, 1.5, 3, 3.75, 6, 7, NA)
  )
})

test_that("quantiles of lines at given times are joined", {
  x <- plf(list(c(0, 4), c(0, 4)), list(c(0, 4), c(4, 0)))
  q <- quantile(x, 1, times = c(0, 1, 4))
  expect_equal(as.vector(evaluate(q, c(0, 1, 2, 4))), c(4, 3, 3 + 1 / 3, 4))
  expect_equal(as.vector(evaluate(quantile(x, 1), c(0, 1, 2, 4))), c(4, 3, 2, 4))
})

test_that("lines that cross at a time that is rounded to a breakpoint are compared by what lies between", {
  f <- plf(c(0, 4), c(1, -1e-17), left = c(1, -1e-17))
  expect_identical(c(integral(f > 0, 0, 4), integral(f == 0, 0, 4), integral(f < 0, 0, 4)), c(4, 0, 0))
  a <- plf(0:1, c(0.7, 0.3))
  b <- plf(0:1, c(0, 0.1 + 0.2))
  expect_identical(c(integral(a > b, 0, 1), integral(b >= a, 0, 1)), c(1, 0))
  expect_identical(integral(plf(0:1, c(5e-324, 0)) > 0, 0, 1), 1)
})

test_that("lines cross where their difference is too large for a double", {
  f <- plf(c(0, 4), c(1e308, 0.6e308), left = c(0, 0.6e308))
  g <- plf(c(0, 4), c(-0.81e308, 0.8e308), left = c(0, 0.8e308))
  crossing <- 4 * 1.81 / 2.01
  expect_equal(integral(f > g, 0, 4), crossing, tolerance = 1e-14)
  expect_equal(unclass(pmax(f, g))[[1]][2, "time"], crossing, tolerance = 1e-14, ignore_attr = TRUE)
})

test_that("clipped lines stay on the side of the level", {
  f <- plf(c(2, 3), c(1.97, .08))
  expect_identical(lp_norm(pmin(f, 1), Inf), 1)
  expect_identical(integral(pmin(f, 1) > 1), 0)
  expect_identical(as.vector(evaluate(pmax(plf(c(0, 3), c(1e17, -1.1e17)), 3), c(0, 2.5))), c(1e17, 3))
})

# Quantiles at sorted times by sorting the values there: a list of matrices.
sorted_quantiles <- function(x, probs, times, na_rm) {
  at <- function(side) {
    apply(evaluate(x, times, drop = FALSE, side = side), 2, function(v) {
      if (all(is.na(v)) || (anyNA(v) && !na_rm)) rep(NA_real_, length(probs))
      else stats::quantile(v, probs, na.rm = TRUE, names = FALSE)
    })
  }
  left <- matrix(at("left"), length(probs))
  value <- matrix(at("right"), length(probs))
  ends <- vapply(unclass(x), function(f) f[c(1, nrow(f)), 1], numeric(2))
  n <- length(times)
  if (any(ends[1, ] < times[1])) left[, 1] <- NA
  if (any(ends[2, ] > times[n])) value[, n] <- NA
  lapply(seq_along(probs), function(k) {
    gap <- which(is.na(value[k, -n]) | is.na(left[k, -1]))
    cbind(time = times, left = replace(left[k, ], gap + 1, NA), value = replace(value[k, ], gap, NA))
  })
}

test_that("quantiles of lines at given times are those of sorted values", {
  probs <- c(0, 0.2, 0.5, 0.9, 1)
  for (seed in 1:30) {
    set.seed(seed)
    x <- new_plf(lapply(seq_len(sample(12, 1)), function(i) {
      m <- sample(8, 1)
      left <- round(rnorm(m), sample(0:3, 1))
      value <- if (i %% 3 == 0) rnorm(m) else left
      gap <- sample(20, 1)
      if (gap < m) value[gap] <- left[gap + 1] <- NA
      cbind(time = sort(sample(20, m)), left = left, value = value)
    }))
    times <- sort(sample(seq(-1, 22, 0.5), sample(12, 1)))
    for (na_rm in c(FALSE, TRUE)) {
      wanted <- sorted_quantiles(x, probs, times, na_rm)
      with_settings({
        found <- quantile(x, probs, rev(c(times, times)), na.rm = na_rm)
      }, threads = 1 + seed %% 2)
      expect_equal(lapply(unname(unclass(found)), unclass), wanted, tolerance = 1e-14, ignore_attr = "class")
    }
  }
})

test_that("quantiles of lines at more times than fit into memory at once", {
  x <- rep(as_plf(random_pcf(3, most = 5)), 200)
  times <- 1:4000 / 400
  found <- quantile(x, 0.5, times)
  expect_equal(as.vector(evaluate(found, times)), apply(evaluate(x, times), 2, stats::median), tolerance = 1e-14)
})

test_that("quantiles of lines of any size bend where these cross", {
  x <- plf(list(c(0, 1), c(0, 1), 0), list(c(0, 1), c(1, 0), 1e15))
  expect_identical(as.vector(evaluate(quantile(x, 0), 0.5)), 0.5)
  expect_identical(as.vector(evaluate(median(x), 0.5)), 0.5)
  tiny <- plf(rep(list(c(0, 3)), 2), list(c(0, 0), c(1e-170, 0)), left = list(c(0, 2e-170), c(0, 0)))
  expect_near(as.vector(evaluate(quantile(tiny, c(0, 1)), 1)), rep(1e-170 * 2 / 3, 2))
})

test_that("infinite left limits are errors of values, and bends between times far apart stay", {
  refused_value <- function(call, ...) expect_refusal(call, "values", ...)
  refused_value(plf(1, 1, left = 1) / pcf(1, 2),
                "`/` must give finite values: the function gives Inf from 1 / 0 at the time 1.")
  refused_value(2 * plf(0:1, 1:2, left = c(1.7e308, 3)),
                "`*` must give finite values: the function gives Inf from 2 * 1.7e+308 at the time 0.")
  bent <- plf(c(-1.5e308, 0, 1.5e308), c(1, 1, 2), left = c(0, 1, 2))
  expect_identical(nrow(unclass(drop_redundant(bent))[[1]]), 3L)
})

test_that("no lines have no crossing times and no inverses", {
  none <- plf(0:1, 0:1)[0]
  expect_identical(dim(crossing_time(none, 1:2)), c(0L, 2L))
  expect_length(inverse(none), 0)
})

test_that("extrema of lines are exact at breakpoints, far from 0 as well, and in any order", {
  set.seed(1)
  for (offset in c(0, 1.7e9)) {
    x <- plf(replicate(12, offset + sort(sample(0:40, 6)), simplify = FALSE),
             replicate(12, rnorm(6), simplify = FALSE))
    times <- sort(unique(unlist(lapply(unclass(x), function(f) f[, 1]))))
    for (extremum in c("max", "min")) {
      found <- match.fun(extremum)(x)
      expect_equal(c(evaluate(found, times)), apply(evaluate(x, times), 2, extremum), tolerance = 1e-14)
      expect_identical(match.fun(extremum)(x[sample(12)]), found)
      both <- do.call(paste0("p", extremum), list(x[1], x[2]))
      own <- unclass(both)[[1]][, "time"]
      own <- own[own %in% times]
      expect_equal(c(evaluate(both, own)), apply(evaluate(x[1:2], own), 2, extremum), tolerance = 1e-15)
    }
  }
  # Lines that meet at a third, whatever else has breakpoints there
  x <- plf(list(c(0, 1), c(0, 1), c(0, 0.4, 1)), list(0:1, c(0.5, -0.5), c(-9, -8, -9)))
  crossing <- unclass(max(x + plf(0:1, c(0, 1))))[[1]]
  expect_identical(unname(crossing[, "time"]), c(0, 0.25, 1))
})

test_that("extrema and quantiles of lines are those of the values at any time, by groups and with gaps", {
  set.seed(2)
  x <- do.call(c, lapply(1:60, function(i) {
    m <- sample(2:9, 1)
    value <- round(rnorm(m), i %% 2 * 9)
    left <- if (i %% 3 == 0) rnorm(m) else value
    gap <- sample(m - 1, 1)
    if (i %% 4 == 0) value[gap] <- left[gap + 1] <- NA
    plf(sort(sample(1:200, m)) / 10, value, left = left)
  }))
  dim(x) <- c(20, 3)
  times <- sort(c(0:210 / 10, runif(300, 0, 21)))
  of_values <- function(values, f) suppressWarnings(apply(values, 2, f))
  for (na.rm in c(TRUE, FALSE)) {
    largest <- max(x, margin = 2, na.rm = na.rm)
    smallest <- min(x, margin = 2, na.rm = na.rm)
    for (g in 1:3) {
      values <- evaluate(c(x[, g]), times)
      expect_values <- function(found, f) {
        wanted <- of_values(values, f)
        expect_equal(c(evaluate(found, times)), replace(wanted, is.infinite(wanted), NA), tolerance = 1e-12)
      }
      expect_values(largest[g], function(v) max(v, na.rm = na.rm))
      expect_values(smallest[g], function(v) min(v, na.rm = na.rm))
      for (prob in c(0.3, 0.5)) {
        of <- function(v) if (anyNA(v) && !na.rm) NA else stats::quantile(v, prob, na.rm = TRUE)
        expect_values(quantile(c(x[, g]), prob, na.rm = na.rm), of)
      }
    }
  }
})

test_that("values between breakpoints of lines are rounded once", {
  set.seed(1)
  x <- plf(c(0, 3), lapply(1:50, function(i) c(i, 3e6 * i)))
  both <- unclass(x + plf(1:2, c(0, 0)))
  expect_identical(vapply(both, function(f) f[2, "value"], 0), (2 * 1:50 + 3e6 * 1:50) / 3)
})

operator_of <- function(name) get(name, mode = "function")

# The breakpoints of all functions, and times before, between and after them.
times_around <- function(x) {
  time <- unlist(lapply(unclass(x), function(f) f[, 1]))
  time <- sort(unique(time[is.finite(time)]))
  n <- length(time)
  sort(c(time[1] - 1, time, (time[-n] + time[-1]) / 2, time[n] + 1))
}

operands_of_lines <- function(gaps) {
  x <- random_plf(24, gaps = gaps)
  y <- random_plf(24, gaps = gaps, seed = 2)
  steps <- if (gaps > 0) random_partial_pcf(24) else random_pcf(24)
  list(list(x, y), list(x, steps), list(steps, x), list(x, y + 1), list(random_plf(24, whole = FALSE), y))
}

test_that("operators and extrema of lines have the values that these give numbers, from both sides", {
  for (gaps in c(0, 0.2)) for (case in operands_of_lines(gaps)) for (operator in c("+", "-", "pmax", "pmin")) {
    combined <- operator_of(operator)(case[[1]], case[[2]])
    for (side in c("left", "right")) {
      at <- function(x) unname(evaluate(x, times_around(combined), side = side))
      expect_equal(at(combined), operator_of(operator)(at(case[[1]]), at(case[[2]])), tolerance = 1e-12)
    }
    breaks <- function(x) lapply(unclass(x), function(f) f[is.finite(f[, 1]), 1])
    own <- Map(union, breaks(case[[1]]), breaks(case[[2]]))
    found <- breaks(combined)
    if (operator %in% c("+", "-")) expect_identical(found, lapply(own, sort))
    else expect_true(all(mapply(function(own, found) all(own %in% found), own, found)))
  }
})

test_that("comparisons of lines are those of their values between breakpoints", {
  for (gaps in c(0, 0.2)) for (case in operands_of_lines(gaps)) for (operator in c("<", "<=", ">", ">=")) {
    compared <- operator_of(operator)(case[[1]], case[[2]])
    expect_true(is_pcf(compared))
    times <- setdiff(times_around(compared), unlist(lapply(unclass(compared), function(f) f[, 1])))
    at <- function(x) unname(evaluate(x, times))
    gap <- at(case[[1]]) - at(case[[2]])
    before <- outer(start(compared), times, ">") # where both are 0
    clear <- is.na(gap) | abs(gap) > 1e-9 | (gap == 0 & !before)
    expect_gt(mean(clear), 0.5)
    expect_identical(at(compared)[clear], as.double(operator_of(operator)(gap, 0))[clear])
  }
})

test_that("lines go with numbers from their first breakpoint on", {
  x <- random_plf(20, gaps = 0.1)
  numbers <- c(0, 0.5, -1, 2)
  constants <- pcf(as.list(start(x)), as.list(rep(numbers, 5)))
  from_zero <- which(values_before(x) %in% 0)
  for (operator in c("+", "-", "*", "<", ">=", "pmax", "pmin")) {
    combine <- operator_of(operator)
    expect_identical(combine(x, numbers)[from_zero], combine(x, constants)[from_zero])
    expect_identical(combine(numbers, x)[from_zero], combine(constants, x)[from_zero])
  }
  expect_identical(x == 0, x <= 0 & x >= 0)
  expect_identical(x != 0, x < 0 | x > 0)
  expect_equal(abs(x), pmax(x, -x), tolerance = 1e-14)
  f <- plf(0:1, c(2, 1), left = c(3, 1))
  expect_identical(c(values_before(f + 1), values_before(f < 4), values_before(-f)), c(4, 1, -3))
})

test_that("products and quotients of lines with steps are those of their values", {
  x <- random_plf(20, gaps = 0.1)
  steps <- random_pcf(20)
  divisor <- 2 + (steps > 0) # 2 before the first breakpoint as well
  endless <- function(column, first) lapply(unclass(divisor), function(f) c(first, f[, column]))
  divisor <- pcf(endless(1, -Inf), endless(2, 2))
  for (side in c("left", "right")) {
    at <- function(f) evaluate(f, sort(c(times_around(x), times_around(steps))), side = side)
    expect_equal(at(x * steps), at(x) * at(steps), tolerance = 1e-12)
    expect_equal(at(x / divisor), at(x) / at(divisor), tolerance = 1e-12)
  }
})

test_that("long lines are combined in portions, on any number of threads", {
  set.seed(1)
  long <- function(n) plf(cumsum(runif(n)), c(rnorm(n - 1), 0))
  x <- c(long(30000), long(10))
  y <- c(long(20000), long(40000))
  for (operator in c("+", "pmax", "<")) {
    both <- lapply(1:2, function(threads) {
      with_settings(operator_of(operator)(x, y), threads = threads)
    })
    expect_identical(both[[1]], both[[2]])
    times <- .subset2(both[[1]], 1)[, 1]
    middle <- (times[-1] + times[-length(times)]) / 2
    at <- function(x) as.vector(evaluate(x[1], middle))
    expect_equal(at(both[[1]]), as.double(operator_of(operator)(at(x), at(y))), tolerance = 1e-9)
  }
})

test_that("the first product that is not linear is named, and then the first value that is not finite", {
  refused_bend <- function(call, ...) expect_refusal(call, "generic", ...)
  x <- plf(list(a = 0:2, b = 0:2), list(c(1, 1, 0), c(1, 2, 0)), left = list(c(0, 1, 0), c(0, 2, 0)))
  refused_bend(x * plf(c(0, 3), 1:2), "`*` of piecewise linear functions is linear only where one of them is ",
               'constant, which is not so for function 1 ("a") from the time 1 on. ',
               "Use l2_kernel() for integrals of products, and evaluate() for values.")
  refused_bend(1 / x, "`/` of piecewise linear functions is linear only where the second one is constant, ",
               'which is not so for function 1 ("a") from the time 1 on. ',
               "Use l2_kernel() for integrals of products, and evaluate() for values.")
  expect_refusal(c(b = plf(2, 1), a = plf(1, 1)) / pcf(c(-Inf, 1), list(1:2, 1:0)), "values",
                 '`/` must give finite values: function 2 ("a") gives Inf from 1 / 0 at the time 1.')
  expect_error(plf(c(0, 1e-300), c(0, 8e7)) * 4, "slope", class = "pcfdist_error_e1")
})

test_that("quantiles of lines of which many are alike are those of their values", {
  for (seed in 1:30) {
    set.seed(seed)
    n <- sample(20:60, 1)
    x <- plf(
      lapply(seq_len(n), function(i) sort(if (seed %% 2) runif(8, 0, 4) else sample(0:20, 8) / 5)),
      lapply(seq_len(n), function(i) c(sample(c(0, 0, rnorm(2)), 7, TRUE), sample(c(0, 0, 1), 1)))
    )[sample(n, n, TRUE)]
    if (seed %% 5 == 0) x <- 3 * x + 1e3
    probs <- sort(runif(3))
    times <- sort(runif(60, -0.5, 5))
    wanted <- apply(evaluate(x, times), 2, quantile, probs, names = FALSE)
    expect_equal(c(evaluate(quantile(x, probs), times)), c(wanted), tolerance = 1e-12, info = seed)
  }
})
