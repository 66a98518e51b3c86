# The code that messages advise is in them, runs on data of their kind, and does what they say.

# The values of the codes, each of which the message of a call must have, run with the data in `...`.
advice <- function(call, codes, ...) {
  message <- conditionMessage(tryCatch(call, error = identity))
  for (code in codes) expect_match(message, code, fixed = TRUE)
  lapply(codes, function(code) eval(str2lang(code), list(...), globalenv()))
}

# Functions with gaps, jumps and equal values.
hinted <- function() {
  list(
    pcf = pcf(list(a = c(0, 2, 5), b = c(1, 4), c = c(0, 3)), list(c(1, 3, 0), c(0.5, 0), c(2, 0))),
    plf = as_plf(rbind(a = c(1, 5, 2), b = c(3, 0.5, 1), c = c(2, 2, 4)), times = c(0, 2, 5))
  )
}

test_that("what has no answer for functions has one for the numbers that the message names", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (x in hinted()) {
    if (is_plf(x)) x <- restrict(x, 0, 5)
    at <- c(0, 0.5, 2, 3.25)
    for (f in c(order, sort)) {
      sorted <- advice(f(x), "x[order(integral(x))]", x = x)[[1]]
      expect_identical(unname(integral(sorted)), unname(base::sort(integral(x))))
    }
    if (is_pcf(x) && !is_plf(x)) {
      spread <- advice(sd(x), "standard_deviation(x)", x = x)[[1]]
      expect_equal(c(evaluate(spread, at)), vapply(at, function(t) sd(evaluate(x, t)), 0))
    }
    series <- advice(as.ts(x), "ts(t(as.matrix(x, times)))", x = x, times = 0:4)[[1]]
    expect_identical(unclass(series)[3, ], evaluate(x, 2))
    times <- advice(time(x), c("as.data.frame(x)$time", "start(x)", "end(x)"), x = x)
    expect_true(all(times[[2]] >= min(times[[1]])))
    expect_true(all(times[[3]] <= max(times[[1]])))
    distances <- advice(kmeans(x, 2), c("as.matrix(x, times)", "pdist(x)"), x = x, times = at)
    expect_identical(distances, list(evaluate(x, at), pdist(x)))
    centred <- advice(scale(x), 'K - outer(rowMeans(K), colMeans(K), "+") + mean(K)', K = l2_kernel(x))[[1]]
    expect_equal(centred, l2_kernel(x - mean(x)))
    expect_equal(unname(lp_norm(advice(scale(x), "x / lp_norm(x)", x = x)[[1]])), rep(1, 3))
  }
})

test_that("conditions select, clip and combine as their messages say", {
  x <- hinted()$pcf
  at <- seq(0, 6, 0.5)
  values <- evaluate(x, at)
  found <- advice(x[x > 1], c('x[lp_norm(x > 1, Inf, missing = "overlap") > 0]', "x * (x > 1)", "pmin(x, 1)"), x = x)
  expect_named(found[[1]], c("a", "c"))
  expect_identical(evaluate(found[[2]], at), values * (values > 1))
  expect_identical(evaluate(found[[3]], at), base::pmin(values, 1))
  either <- advice(ifelse(x > 1, 5, 7), "(x > 1) * a + (x <= 1) * b", x = x, a = 5, b = 7)[[1]]
  expect_identical(evaluate(either, 1:6), ifelse(evaluate(x, 1:6) > 1, 5, 7))
  missing <- c(x, x[NA_integer_])
  expect_identical(advice(mean(missing), "x[!is.na(x)]", x = missing)[[1]], x)
  m <- array(x[c(1, 2, 3, 1)], c(2, 2))
  expect_length(advice(data.frame(m), "c(x)", x = m)[[1]], 4)
  expect_length(advice(as.stepfun(x), "lapply(x, as.stepfun)", x = x)[[1]], 3)
})

test_that("text becomes times in the time zone of the functions", {
  at <- "2026-03-29 12:00"
  for (zone in c("Europe/Stockholm", "UTC")) {
    noon <- as.POSIXct(at, tz = zone)
    x <- pcf(noon + c(-86400, 0), 1:2)
    code <- sprintf('as.POSIXct(%%s, tz = "%s")', zone)
    expect_identical(advice(evaluate(x, at), sprintf(code, "times"), times = at)[[1]], noon)
    expect_identical(advice(integral(x, from = at), sprintf(code, "from"), from = at)[[1]], noon)
    expect_identical(advice(counting(noon, to = at), sprintf(code, "to"), to = at)[[1]], noon)
    midnight <- advice(evaluate(x, "2026-03-29"), sprintf(code, "times"), times = "2026-03-29")[[1]]
    expect_identical(format(midnight, "%H:%M"), "00:00")
  }
  local <- pcf(.POSIXct(0:1), 1:2)
  expect_identical(advice(evaluate(local, at), "as.POSIXct(times)", times = at)[[1]], as.POSIXct(at))
  days <- pcf(as.Date("2026-03-29") + 0:1, 1:2)
  advice(evaluate(days, at), 'as.POSIXct(times, tz = "UTC")', times = at)
  advice(evaluate(days, "2026-03-29"), "as.Date(times)", times = at)
})

test_that("tables with text, gaps or another order are read after what the message says", {
  text <- list(c("1", "2.5", "4"), factor(c("1", "2.5", "4")), c("2024-01-01", NA, "2024-02-03"),
               c("2024-01-01 09:00", "2024-01-02 10:00", "2024-01-03 11:30"))
  codes <- c("as.numeric(x$time)", "as.numeric(as.character(x$time))", "as.Date(x$time)",
             'as.POSIXct(x$time, tz = "UTC")')
  for (k in seq_along(text)) {
    x <- data.frame(id = "a", time = text[[k]], value = 1:3)
    time <- advice(as_pcf(x), codes[k], x = x)[[1]]
    expect_identical(is.na(time), is.na(text[[k]]))
    x$time <- time
    if (anyNA(time)) x <- advice(as_pcf(x), "x[!is.na(x$time), ]", x = x)[[1]]
    expect_length(as_pcf(x), 1)
  }
  swapped <- data.frame(id = 1, start = c(3, 0), end = c(1, 2), value = 1)
  ends <- conditionMessage(tryCatch(as_pcf(swapped, start = "start", end = "end"), error = identity))
  expect_match(ends, "pmin() and pmax() of the two columns", fixed = TRUE)
  lines <- as.data.frame(as_plf(data.frame(id = 1, time = 0:2, value = 1:3)))
  expect_named(advice(as_plf(lines), 'x[names(x) != "left"]', x = lines)[[1]], c("id", "time", "value"))
})

test_that("times of events are sorted, and kept, as the message says", {
  table <- data.frame(id = c("b", "a", "b", "c"), time = c(9, 1, 2, 0))
  sorted <- advice(counting(table), "x[order(match(x$id, x$id), x$time), ]", x = table)[[1]]
  expect_identical(counting(sorted), counting(list(b = c(2, 9), a = 1, c = 0)))
  x <- list(p = c(3, 1), q = c(5, 4, NA))
  sorted <- advice(counting(x), "lapply(x, sort, na.last = TRUE)", x = x)[[1]]
  expect_identical(advice(counting(sorted), "lapply(x, na.omit)", x = sorted)[[1]]$p, c(1, 3), ignore_attr = TRUE)
  expect_identical(advice(counting(c(3, 1)), "sort(x)", x = c(3, 1))[[1]], c(1, 3))
  m <- cbind(a = c(1, 4), b = c(2, 3))
  expect_identical(counting(advice(counting(m), "as.list(as.data.frame(x))", x = m)[[1]]),
                   counting(list(a = c(1, 4), b = c(2, 3))))
})

test_that("distances and lists of matrices become diagrams as the message says", {
  x <- dist(c(1, 2, 4, 8))
  tree <- advice(stable_rank(x), 'hclust(x, "single")', x = x)[[1]]
  expect_identical(advice(stable_rank(as.matrix(x)), 'hclust(as.dist(x), "single")', x = as.matrix(x))[[1]]$height,
                   tree$height)
  bars <- list(cbind(c(0, 0), c(1, Inf)), cbind(1.2, 2))
  expect_length(betti_curve(advice(betti_curve(bars, 1), "list(pairs = x)", x = bars)[[1]], 1), 1)
})
