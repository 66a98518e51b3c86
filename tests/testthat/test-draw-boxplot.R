test_that("the box, the fences and the outliers are those of the definition", {
  with_seed(1, for (make in list(pcf, plf)) for (k in 1:6) {
    n <- 9
    x <- make(lapply(1:n, function(i) c(0, sort(runif(4)), 1)), lapply(1:n, function(i) rnorm(6)))
    x[3] <- x[3] * 8
    b <- boxplot(x, from = 0, to = 1, range = 0.5, plot = FALSE)
    depth <- functional_depth(x, from = 0, to = 1)
    expect_identical(b$depth, depth)
    expect_identical(b$central, depth >= median(depth))
    times <- c(runif(200), unlist(lapply(unclass(x), function(f) f[-nrow(f), 1])))
    values <- evaluate(x, times)
    low <- apply(values[b$central, ], 2, min)
    high <- apply(values[b$central, ], 2, max)
    expect_equal(evaluate(b$box, times), rbind(low, high), ignore_attr = TRUE)
    expect_equal(evaluate(b$fences, times), rbind(low - (high - low) / 2, high + (high - low) / 2), ignore_attr = TRUE)
    beyond <- vapply(seq_len(n), function(i) {
      above <- pmax(x[i] - b$fences["upper"], b$fences["lower"] - x[i], na.rm = TRUE)
      lp_norm(pmax(above, 0, na.rm = TRUE), Inf, 0, 1, missing = "overlap") > 1e-10
    }, NA)
    expect_identical(unname(b$out), which(beyond))
    inner <- values[setdiff(seq_len(n), b$out), ]
    expect_equal(evaluate(b$whiskers, times), rbind(apply(inner, 2, min), apply(inner, 2, max)), ignore_attr = TRUE)
    expect_equal(evaluate(b$median, times), values[which.max(depth), ], ignore_attr = TRUE)
  })
})

test_that("a function that leaves a fence for a moment is an outlier", {
  x <- pcf(0, lapply(1:9, identity))
  x[9] <- pcf(c(0, 0.5, 0.5 + 1e-9), c(9, 50, 9))
  expect_identical(unname(boxplot(x, from = 0, to = 1, plot = FALSE)$out), 9L)
  expect_length(boxplot(x, from = 0, to = 0.5, plot = FALSE)$out, 0)
})

test_that("boxplots of functions with gaps, names and times are drawn and printed", {
  draw_nowhere()
  chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
  b <- expect_silent(boxplot(chicks, missing = "mean", range = 1))
  expect_s3_class(b, "pcf_boxplot")
  expect_identical(names(b$out), "18")
  expect_identical(names(b$box), c("lower", "upper"))
  expect_output(print(b), "<pcf_boxplot> of 50 functions from 0 to 21")
  expect_output(print(b), "median: 45, of depth 0.5658")
  expect_silent(plot(b, col = "orange", outcol = "blue"))
  lines <- as_plf(ChickWeight, id = "Chick", time = "Time", value = "weight")
  expect_silent(boxplot(lines, missing = "mean"))
  expect_silent(boxplot(pcf(as.Date("2024-01-01"), as.list(1:3)), from = as.Date("2024-01-01"),
                        to = as.Date("2024-02-01")))
  expect_objection(boxplot(chicks[0]), "x", "must have at least one function")
  expect_objection(boxplot(chicks, range = 0), "range", "must be positive")
})

test_that("boxes between step functions with breakpoints of their own are drawn", {
  x <- random_pcf(12, 9)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  drawn <- boxplot(x, from = 0, to = 4, plot = FALSE)
  lower <- drawn$box["lower"]
  upper <- drawn$box["upper"]
  expect_false(identical(unclass(lower)[[1]][, 1], unclass(upper)[[1]][, 1]))
  expect_no_error(plot(drawn))
  boxes <- band_boxes(lower, upper, c(0, 4))
  expect_equal(boxes$y0, unname(c(evaluate(lower, boxes$x0))))
  expect_equal(boxes$y1, unname(c(evaluate(upper, boxes$x0))))
})

test_that("a function may be an outlier before its first breakpoint, where it is 0", {
  times <- list(-1, -1, -1, 1)
  written_out <- list(-1, -1, -1, c(0, 1))
  for (make in list(identity, as_plf)) {
    x <- make(pcf(times, rep(list(2), 4)))
    found <- boxplot(x, from = 0, to = 10, plot = FALSE)
    expect_identical(unname(found$out), 4L)
    expected <- boxplot(make(pcf(written_out, list(2, 2, 2, c(0, 2)))), from = 0, to = 10, plot = FALSE)
    expect_identical(evaluate(found$whiskers, 0:9), evaluate(expected$whiskers, 0:9))
  }
})

test_that("boxes have values at the last time of measurements", {
  table <- data.frame(id = rep(1:5, each = 3), time = c(0, 10, 21), value = c(1:5, 2:6, 9:5))
  for (make in list(as_pcf, as_plf)) {
    x <- make(table, id = "id", time = "time", value = "value")
    for (to in c(Inf, 21)) {
      b <- boxplot(x, to = to, range = 9, plot = FALSE)
      expect_identical(unname(evaluate(b$whiskers, 21)), unname(evaluate(c(min(x), max(x)), 21)))
      expect_identical(unname(evaluate(b$median, 21)), unname(evaluate(x[which.max(b$depth)], 21)))
      expect_true(all(is.na(evaluate(c(b$median, b$box, b$fences), 22))))
    }
    expect_true(all(is.na(evaluate(boxplot(x, to = 15, plot = FALSE)$box, 15))))
  }
})
