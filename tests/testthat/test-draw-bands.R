skip_without_mean <- function() {
  skip_if(is.null(getS3method("mean", "pcf", optional = TRUE)), "there is no mean()")
}

test_that("quantiles are those of the values at every time", {
  x <- random_pcf(9)
  probs <- c(0, 0.1, 0.5, 0.77, 1)
  result <- quantile(x, probs)
  expect_named(result, c("0%", "10%", "50%", "77%", "100%"))
  times <- c(-4, sort(unique(unlist(lapply(unclass(x), function(f) f[, 1])))), 11)
  times <- sort(c(times, times + 1e-3))
  expected <- apply(as.matrix(x, times), 2, stats::quantile, probs)
  expect_equal(unname(as.matrix(result, times)), unname(expected), tolerance = 1e-15)
})

test_that("quantiles of steps are those of sorted values, bit for bit", {
  probs <- c(0, 0.1, 0.5, 0.77, 1)
  sorted <- function(values, prob, na.rm) {
    n <- sum(!is.na(values))
    if (n < length(values) && !na.rm || n == 0) return(NA_real_)
    at <- 1 + (n - 1) * prob
    below <- floor(at + 4 * .Machine$double.eps)
    ends <- sort(values)[c(below, min(below + 1, n))]
    share <- max(at - below, 0)
    if (ends[1] == ends[2]) ends[1] else (1 - share) * ends[1] + share * ends[2]
  }
  set.seed(1)
  for (na.rm in c(TRUE, FALSE)) {
    x <- random_pcf(17)
    x <- c(x, pcf(c(-Inf, 2), c(1, NA)), pcf(c(1, 3), c(NA, 2)), round(x[1:5]), round(x[2:4]))
    times <- sort(unique(unlist(lapply(unclass(x), function(f) f[, 1]))))
    values <- evaluate(x, times)
    expect_quantiles <- function(found, times, values) {
      for (k in seq_along(probs)) {
        wanted <- cbind(times, apply(values, 2, sorted, probs[k], na.rm))
        if (wanted[1, 1] == -Inf && wanted[1, 2] %in% 0) wanted <- wanted[-1, ]
        expect_identical(unname(unclass(found)[[k]]), unname(wanted))
      }
    }
    expect_quantiles(quantile(x, probs, na.rm = na.rm), times, values)
    some <- c(0.5, 2, 2.5, 7)
    found <- quantile(x, probs, some, na.rm = na.rm)
    expect_quantiles(found, c(-Inf, some), cbind(NA, evaluate(x, some)))
  }
})

test_that("quantiles of equal values are these, and no other", {
  x <- with_seed(1, pcf(rep(list(0:199), 6), rep(list(c(rnorm(199), 0)), 6)))
  for (prob in 1:18 / 19) expect_identical(unclass(quantile(x, prob))[[1]], unclass(x)[[1]])
})

test_that("quantiles of lines that meet at one time, up to a rounding, are theirs on both sides", {
  value <- c(-2, 0, 1, 0, -2)
  rise <- c(1, 3, -1, -3, 0) - value
  at <- function(time) value + rise * ((time - c(1, 3, 0, 3, 3)) / c(6, 6, 6, 9, 5))
  x <- plf(rep(list(c(3, 5)), 5), Map(c, at(3), 0), left = Map(c, 0, at(5)))
  times <- seq(3, 4.99, length.out = 60)
  probs <- c(0, 0.25, 0.5, 0.6, 1)
  wanted <- apply(evaluate(x, times), 2, stats::quantile, probs)
  expect_equal(unname(evaluate(quantile(x, probs), times)), unname(wanted), tolerance = 1e-12)
})

test_that("quantiles of one function, and at given times", {
  f <- example_pcf()["a"]
  expect_identical(unname(quantile(f, 0.3)), unname(f))
  x <- random_pcf(5)
  at <- quantile(x, 0.5, times = c(3, 1, 3))
  expect_identical(unclass(at)[[1]][, "time"], c(-Inf, 1, 3))
  expect_equal(
    unname(unclass(at)[[1]][, "value"]),
    c(NA, apply(as.matrix(x, c(1, 3)), 2, stats::median)), tolerance = 1e-15
  )
})

test_that("plot_bands() draws bands around medians and returns them", {
  draw_nowhere()
  x <- random_pcf(20)
  by <- rep(c("u", "v"), 10)
  bands <- expect_invisible(plot_bands(x, by, center = "median", xlim = c(-3, 11)))
  expect_named(bands, c("center", "lower", "upper"))
  expect_named(bands$lower, c("u", "v"))
  times <- seq(-3, 10, 0.5)
  expected <- apply(as.matrix(x[by == "v"], times), 2, stats::quantile, 0.75)
  expect_equal(as.vector(as.matrix(bands$upper["v"], times)), unname(expected), tolerance = 1e-14)
  range <- plot_bands(x, probs = c(1, 0), center = "median", col = "blue", main = "all")
  expect_null(names(range$lower))
  lowest <- apply(as.matrix(x, times[-1]), 2, min)
  expect_identical(as.vector(as.matrix(range$lower, times[-1]))[times[-1] >= default_xlim(x)[1]],
                   lowest[times[-1] >= default_xlim(x)[1]])
})

test_that("bands of many times are computed at even ones", {
  x <- with_seed(1, rpcf(8, 900))
  times <- band_times(x, c(0, 1))
  expect_identical(length(times), 2001L)
  expect_equal(times, (0:2000) / 2000)
  expect_identical(band_times(x[1], c(0, 1e9)), unname(unclass(x[1])[[1]][, "time"]))
})

test_that("bands end where they were computed, unless functions are constant from there on", {
  draw_nowhere()
  x <- pcf(list(0:2, c(0, 1, 3)), list(c(1, 3, 0), c(2, 4, 6)))
  times <- c(-1, 0, 0.5, 1, 1.9, 2, 2.5, 3, 9)
  expect_as_quantile <- function(x, xlim, inside) {
    bands <- plot_bands(x, probs = c(0.1, 0.9), center = "median", xlim = xlim)
    parts <- c(lower = 0.1, center = 0.5, upper = 0.9)
    for (part in names(parts)) {
      exact <- c(evaluate(quantile(x, parts[[part]]), times))
      expect_equal(c(evaluate(bands[[part]], times)), replace(exact, !inside, NA))
    }
  }
  for (xlim in list(c(0, 3), c(0, 4), NULL)) expect_as_quantile(x, xlim, TRUE)
  expect_as_quantile(x, c(0.5, 2.5), times >= 0.5 & times < 2.5)
  expect_as_quantile(x, c(0, 2), times < 2)
  ended <- c(x[1], pcf(c(0, 3), c(2, NA)))
  expect_as_quantile(ended, NULL, times < 3)
  many <- with_seed(1, drop_redundant(restrict(rpcf(2, 3000), to = 1)))
  expect_as_quantile(many, c(0, 1), TRUE)
})

test_that("plot_bands() draws the mean", {
  skip_without_mean()
  draw_nowhere()
  x <- random_pcf(20)
  by <- rep(c("u", "v"), 10)
  bands <- plot_bands(x, by)
  times <- seq(-3, 10, 0.5)
  expect_equal(
    as.vector(as.matrix(bands$center["u"], times)), colMeans(as.matrix(x[by == "u"], times)),
    tolerance = 1e-13
  )
})

test_that("a band has a gap where its ends have one", {
  lower <- pcf(c(0, 2, 3, 5), c(1, NA, 0, NA))
  upper <- pcf(c(0, 2, 3, 5), c(4, NA, 3, NA))
  boxes <- band_boxes(lower, upper, c(0, 9))
  expect_identical(boxes$x0, c(0, 3))
  expect_identical(boxes$x1, c(2, 5))
  expect_identical(boxes$y0, c(1, 0))
  expect_identical(boxes$y1, c(4, 3))
})

test_that("a band has no stripes", {
  skip_without_pixels()
  times <- with_seed(1, c(0, sort(runif(3000))))
  bands <- list(center = pcf(0, 2), lower = pcf(times, 0 * times), upper = pcf(times, 0 * times + 1))
  bright <- brightness_of(function() {
    draw_bands(bands, c(0, 1), c(0, 2), "black", 0.5, NULL, "", "", axes = FALSE)
  }, 400, 300)
  inside <- bright[200, 100:300]
  expect_identical(unique(inside), inside[1])
  expect_lt(inside[1], 200)
})

test_that("bands are those of the functions that are observed, if that is asked for", {
  draw_nowhere()
  x <- pcf(list(0:2, 0:2, 0:2), list(c(1, 2, NA), c(3, 4, 6), c(5, NA, 8)))
  bands <- plot_bands(x, probs = c(0, 1), na.rm = TRUE)
  expect_identical(as.vector(evaluate(bands$center, 0:2)), c(3, 3, 7))
  expect_identical(as.vector(evaluate(bands$lower, 0:2)), c(1, 2, 6))
  expect_identical(as.vector(evaluate(bands$upper, 0:2)), c(5, 4, 8))
  gaps <- plot_bands(x, probs = c(0, 1), center = "median")
  expect_identical(as.vector(evaluate(gaps$center, 0:2)), c(3, NA, NA))
  expect_error(plot_bands(x, na.rm = 1), class = "pcfdist_error_na.rm")
})

test_that("each quantile is named for itself, and the median is one of them", {
  x <- random_pcf(5)
  expect_named(quantile(x, c(0.025, 0.5, 1e-10)), c("2.5%", "50%", "1e-08%"))
  expect_identical(median(x), unname(quantile(x, 0.5)))
  expect_error(median(x, 1, 2), class = "pcfdist_error")
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  refused(quantile(x, 2), "probs", "must be numbers from 0 to 1, not 2.")
  refused(quantile(x, NA), "probs", "must be numbers from 0 to 1, not NA.")
  refused(quantile(x, 0.5, times = Inf), "times", "must be finite numbers, not Inf.")
  refused(quantile(x[0]), "x", "must have at least one function.")
  refused(quantile(x, 0.5, type = 1), "type", "is not an argument of this function.")
  refused(quantile(x, 0.5, NULL, TRUE), "...",
          "must be empty: only one collection is allowed. Use c() to combine several.")
  refused(plot_bands(1), "x", "must be a <pcf>, not 1. ", makes_pcf)
  refused(plot_bands(x, probs = 0.5), "probs", "must be two numbers from 0 to 1, not 0.5.")
  refused(plot_bands(x, by = 1:3), "by",
          "must have one group for each of the 2 functions, none missing, not an integer vector of length 3.")
  refused(plot_bands(x, center = "mode"), "center", 'must be one of "mean", "median", not "mode".')
  refused(plot_bands(x, alpha = 2), "alpha", "must be between 0 and 1, not 2.")
  refused(plot_bands(x, alpha = "half"), "alpha", 'must be a number, not "half".')
  refused(plot_bands(x, xlim = 1), "xlim", "must be two finite numbers, the smaller first, not 1.")
  refused(plot_bands(x, ylim = c(0, NA)), "ylim", "must be two finite numbers, not a double vector of length 2.")
})

test_that("bands on logarithmic axes go on below the plot where they are not positive", {
  skip_without_pixels()
  x <- pcf(list(c(0, 2), c(0, 2), c(0, 2)), list(c(1, 0), c(10, 0), c(100, 0)))
  expect_silent(pixels <- brightness_of(function() {
    graphics::par(mar = rep(0, 4))
    plot_bands(x, probs = c(0, 1), xlim = c(0, 4), col = "black", alpha = 1, log = "y", axes = FALSE)
    expect_equal(10^graphics::par("usr")[3:4], 10^c(-0.08, 2.08))
  }))
  # On the left all between 1 and 100, on the right nothing.
  expect_true(all(pixels[20:280, 20:140] < 5))
  expect_true(all(pixels[20:280, 160:280] > 250))
  draw_nowhere()
  expect_silent(plot_bands(x, log = "x"))
  expect_silent(plot_bands(x, by = c("a", "b", "a"), log = "xy"))
})

test_that("bands between lines are cut where either of them has a breakpoint", {
  lower <- plf(c(0, 0.5, 2), c(0, 1, 0))
  upper <- plf(c(0, 1.5, 2), c(2, 3.5, 2))
  boxes <- band_boxes(lower, upper, c(0, 2))
  expect_equal(boxes$x0, c(0, 0.5, 1.5))
  expect_equal(boxes$x1, c(0.5, 1.5, 2))
  expect_equal(boxes$y0, c(0, 1, 1 / 3))
  expect_equal(boxes$y0_end, c(1, 1 / 3, 0))
  expect_equal(boxes$y1, c(2, 2.5, 3.5))
  expect_equal(boxes$y1_end, c(2.5, 3.5, 2))
})

test_that("bands of lines reach the end of the last line", {
  x <- plf(list(0:2, 0:2), list(c(1, 2, 4), c(2, 5, 7)))
  draw_nowhere()
  bands <- plot_bands(x, probs = c(0, 1))
  expect_equal(as.vector(evaluate(bands$upper, c(0, 0.5, 1.5, 2), side = "left"))[-1], c(3.5, 6, 7))
  expect_equal(as.vector(evaluate(bands$lower, c(0.5, 1.5))), c(1.5, 3))
})

test_that("bands of lines bend where functions cross", {
  draw_nowhere()
  x <- plf(c(0, 1), list(c(0, 2), c(1, 1), c(2, 0)))
  bands <- plot_bands(x, center = "median")
  expect_identical(c(evaluate(bands$lower, 0.5), evaluate(bands$upper, 0.5)), c(1, 1))
  for (seed in 1:4) {
    x <- random_plf(7, seed = seed)
    xlim <- c(0.3, 3.1)
    bands <- plot_bands(x, probs = c(0.1, 0.7), center = "median", xlim = xlim)
    times <- sort(c(seq(0.3, 3, length.out = 101), unclass(bands$lower)[[1]][, "time"]))
    times <- times[times >= 0.3 & times < 3.1]
    wanted <- apply(evaluate(x, times), 2, quantile, c(0.1, 0.5, 0.7))
    found <- evaluate(c(bands$lower, bands$center, bands$upper), times)
    expect_equal(unname(found), unname(wanted), tolerance = 1e-12)
    expect_identical(is.na(evaluate(bands$lower, c(-9, 0.2, 9))[1, ]), c(TRUE, TRUE, TRUE))
  }
})

test_that("quantiles of lines at given times have both sides of jumps", {
  x <- random_plf(9, seed = 4)
  times <- c(-20, -3, 0, 0.3, 1, 2, 2.7, 5, 30)
  jumps <- unlist(lapply(unclass(x), function(f) f[f[, 2] != f[, 3], 1]))
  expect_true(any(times %in% jumps))
  found <- quantile(x, c(0.2, 0.5), times = times)
  for (side in c("left", "right")) {
    wanted <- apply(evaluate(x, times, side = side), 2, quantile, c(0.2, 0.5))
    expect_equal(unname(evaluate(found, times, side = side)), unname(wanted), tolerance = 1e-13)
  }
})

test_that("quantiles are not observed before the first of the given times, unless nothing changes there", {
  x <- pcf(list(c(0, 2), c(1, 4)), list(c(1, 3), c(2, 0)))
  at <- function(times, t) c(evaluate(quantile(x, 0.5, times = times), t))
  expect_identical(at(c(2, 4), c(1, 2, 3, 9)), c(NA, 2.5, 2.5, 1.5))
  expect_identical(at(c(0, 2, 4), c(-1, 0, 1)), c(0, 0.5, 0.5))
  expect_identical(at(c(-3, 2), c(-5, -2)), c(0, 0))
  x <- as_pcf(list(pcf(-Inf, 3), pcf(c(-Inf, 1), c(1, 5))))
  expect_identical(at(1, c(0, 1)), c(2, 4))
  lines <- plf(list(0:2, 0:2), list(c(1, 2, 4), c(2, 5, 7)))
  at <- function(times, t) c(evaluate(quantile(lines, 0.5, times = times), t))
  expect_identical(at(1:2, c(-1, 1, 1.5, 3)), c(NA, 3.5, 4.5, 5.5))
  expect_identical(at(0:1, c(-1, 0, 0.5, 1, 2)), c(0, 1.5, 2.5, NA, NA))
})

test_that("times of quantiles may be date-times in parts", {
  x <- pcf(as.POSIXct(c("2020-01-01", "2020-01-02"), tz = "UTC"), 1:2)
  noon <- as.POSIXct("2020-01-01 12:00", tz = "UTC")
  expect_identical(quantile(x, 0.5, times = as.POSIXlt(noon)), quantile(x, 0.5, times = noon))
})

test_that("quantiles of lines as large as can be are those of small ones", {
  compared <- 0
  for (seed in 1:80) {
    values <- with_seed(seed, replicate(4, round(runif(3, -120, 120)), simplify = FALSE))
    x <- plf(rep(list(c(0, 50, 100)), 4), values)
    large <- tryCatch(x * 2^1017, pcfdist_error = function(error) NULL) # NULL if it is too steep
    if (is.null(large)) next
    compared <- compared + 1
    expect_identical(quantile(large), quantile(x) * 2^1017)
  }
  expect_gt(compared, 9)
})

test_that("values that overflow are errors of what computes them", {
  steep <- plf(c(0, 100), c(1e308, 2e307))
  expect_refusal(
    confidence_bands(c(steep, -steep, steep), n = 19), "values", "`confidence_bands()` must give finite values and ",
    "slopes: the function has an infinite value (-Inf) at position 1."
  )
  steps <- pcf(0:1, list(c(1e308, 0), c(-1e308, 0)))
  expect_error(confidence_bands(c(steps, steps), n = 19), class = "pcfdist_error_values")
  expect_error(as_plf(pcf(c(-1e308, 1e308), 1:0)), class = "pcfdist_error_values")
})

test_that("bands have values at the end of the plot where measurements end", {
  draw_nowhere()
  table <- data.frame(id = rep(1:5, each = 3), time = c(0, 10, 21), value = c(1:5, 2:6, 9:5))
  for (make in list(as_pcf, as_plf)) {
    x <- make(table, id = "id", time = "time", value = "value")
    all <- plot_bands(x)
    cut <- plot_bands(x, xlim = c(0, 21))
    for (part in c("center", "lower", "upper")) expect_identical(evaluate(cut[[part]], 21), evaluate(all[[part]], 21))
  }
})
