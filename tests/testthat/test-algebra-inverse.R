# Monotone functions: distribution functions of samples, and what falls.
rising_pcf <- function(n) {
  with_seed(1, as_pcf(lapply(seq_len(n), function(i) ecdf(round(rnorm(1 + i %% 9), 1)))))
}

falling_pcf <- function(n) 1 - rising_pcf(n)

test_that("inverses of small functions", {
  f <- as_pcf(ecdf(c(1, 2, 2, 4)))
  expect_identical(inverse(f), pcf(c(-Inf, 0, 0.25, 0.75, 1), c(NA, 1, 2, 4, NA)))
  s <- pcf(c(0, 2, 3, 7), c(1, 0.5, 0.5, 0.25))
  expect_identical(inverse(s), pcf(c(-Inf, 0.25, 0.5, 1), c(NA, 7, 2, NA)))
  gap <- pcf(c(0, 2, 3, 7), c(1, NA, 0.5, 0.25))
  expect_identical(inverse(gap), pcf(c(-Inf, 0.25, 0.5, 1), c(NA, 7, NA, NA)))
  endless <- pcf(c(-Inf, 2, 3), c(1, 0.5, NA))
  expect_identical(inverse(endless), pcf(c(-Inf, 0.5, 1), c(NA, 2, NA)))
  expect_identical(crossing_time(endless, c(1, 0.5, 0.4)), matrix(c(-Inf, 2, NA), 1))
  late <- pcf(c(-Inf, 2, 3), c(NA, 1, 0.5))
  expect_identical(crossing_time(late, c(1.1, 1, 0.5)), matrix(c(2, 2, 3), 1))
  expect_identical(inverse(pcf(0:1, c(NA, NA)), decreasing = TRUE), pcf(-Inf, NA))
})

test_that("a function that does not change goes the way it is told to", {
  flat <- pcf(c(0, 5), c(1, 1))
  expect_identical(inverse(flat, decreasing = FALSE), pcf(c(-Inf, 0, 1), c(NA, 0, NA)))
  expect_identical(inverse(flat, decreasing = TRUE), pcf(-Inf, NA))
  expect_identical(crossing_time(flat, 0.5, decreasing = TRUE), matrix(NA_real_))
  expect_identical(crossing_time(c(falling_pcf(3), flat), 0.99)[4, ], NA_real_)
  expect_identical(crossing_time(c(flat, rising_pcf(3)), 0.5)[1, ], 0)
})

test_that("levels count as reached within the tolerance", {
  x <- pcf(c(0, 1, 2), c(1, 0.5 + 1e-12, 0.2))
  expect_identical(crossing_time(x, 0.5), matrix(1))
  expect_identical(crossing_time(x, 0.5, tolerance = 0), matrix(2))
  expect_identical(crossing_time(1 - x, 0.5), matrix(1))
})

# A small fit with ties, censoring and, now and then, events or none at the very end.
small_fit <- function(type) {
  n <- sample(2:25, 1)
  time <- if (runif(1) < 0.5) sample(1:12, n, TRUE) else round(rexp(n), 2) + 0.01
  status <- rbinom(n, 1, sample(c(0.4, 0.7, 1), 1))
  survival::survfit(survival::Surv(time, status) ~ 1, conf.type = type)
}

# The levels of a curve itself, at which it is flat, and others.
probs_of_fit <- function(fit) {
  probs <- c(0, 0.1, 0.25, 0.5, 0.75, 0.9, 1, 1 - fit$surv, 1 - fit$lower, 1 - fit$upper)
  sort(unique(probs[!is.na(probs)]))
}

test_that("quantiles of survival times and their limits are those of the package survival", {
  skip_if_not_installed("survival")
  set.seed(25)
  compared <- c(quantile = 0, lower = 0, upper = 0)
  for (round in 1:150) {
    type <- c("plain", "log", "log-log", "logit", "arcsin")[[round %% 5 + 1]]
    fit <- small_fit(type)
    # At its levels and, where it is not flat, between them.
    for (flat in c("middle", "start")) {
      probs <- probs_of_fit(fit)
      if (flat == "start") probs <- probs[probs > 0] - 1e-5
      expected <- quantile(fit, probs)
      for (part in names(compared)) {
        what <- if (part == "quantile") "surv" else part
        # survival sorts limits that rise, by size.
        values <- fit[[what]][!is.na(fit[[what]])]
        if (is.unsorted(rev(values))) next
        times <- c(crossing_time(as_pcf(fit, what), 1 - probs, decreasing = TRUE, flat = flat))
        # survival knows no time for the last level of limits that end with NA, nor for the first one
        # of a curve without events.
        known <- !is.na(expected[[part]]) | what == "surv" & probs > 0
        expect_identical(times[known], unname(expected[[part]])[known], label = paste(round, type, part, flat))
        compared[part] <- compared[part] + sum(known)
      }
    }
  }
  expect_true(all(compared > 500))
})

test_that("the middle of a flat stretch is that of what is known of it", {
  middle <- function(x, level, ...) c(crossing_time(x, level, ..., flat = "middle"))
  x <- pcf(c(0, 2, 6, 7), c(1, 0.5, 0.5, 0.2))
  expect_identical(middle(x, c(1, 0.7, 0.5, 0.3, 0.2)), c(0, 2, 4.5, 7, 7))
  expect_identical(middle(1 - x, c(0.5, 0.6)), c(4.5, 7))
  expect_identical(middle(pcf(c(0, 2, 6), c(1, 0.5, NA)), 0.5), 4)
  # The values before and after a gap are equal, or the stretch ends somewhere in the gap.
  expect_identical(middle(pcf(c(0, 2, 4, 5, 8), c(1, 0.5, NA, 0.5, 0.2)), 0.5), 5)
  expect_identical(middle(pcf(c(0, 2, 4, 5), c(1, 0.5, NA, 0.2)), 0.5), NA_real_)
  # One that goes on for ever counts up to its last breakpoint.
  expect_identical(middle(pcf(c(0, 2, 6), c(1, 0.5, 0.5)), 0.5), 4)
  # A function that leaves the level again, either way, is no longer flat.
  expect_identical(middle(pcf(c(0, 2, 4, 6), c(1, 0.5, 0.8, 0.2)), 0.5), 3)
  expect_identical(middle(pcf(c(0, 2, 4), c(1, 0.5 + 1e-12, 0.2)), 0.5), 3)
  expect_identical(middle(pcf(c(0, 2, 4), c(1, 0.5 + 1e-12, 0.2)), 0.5, tolerance = 0), 4)
  expect_identical(middle(pcf(c(-Inf, 2, 4), c(1, 0.5, 0.2)), c(1, 0.5)), c(-Inf, 3))
  # Without a tolerance a level is that number, and a curve that ends right after 9 stays there until then.
  curve <- pcf(c(0, 2, 4, 5, 9, next_time(9)), c(8, 3, 3, 1, 1, NA))
  expect_identical(middle(curve, c(1, 2, 3, 8), tolerance = 0), c(7, 5, 3.5, 0))
  refused(crossing_time(x, 1, flat = "end"), "flat", 'must be one of "start", "middle", not "end".')
})

test_that("functions that are not monotone reach a level for the first time", {
  x <- pcf(list(c(0, 2, 5, 7), 1:6), list(c(1, 0.4, 0.6, 0.3), c(1, 1.2, NA, 0.5, 0.9, 0.2)))
  first <- crossing_time(x, c(0.5, 0.35, 0.95))
  expect_identical(first, matrix(c(2, NA, 7, 6, 2, NA), 2))
  expect_identical(crossing_time(1 - x, 1 - c(0.5, 0.35, 0.95)), first)
  expect_identical(crossing_time(x, c(0.5, 0.35, 0.95), decreasing = TRUE), first)
  expect_identical(crossing_time(x, 1.1, decreasing = FALSE), matrix(c(NA, 2)))
})

test_that("the ends of functions tell the direction of their crossing times", {
  back <- pcf(0:2, c(1, 0.2, 1))
  expect_error(crossing_time(back, 0.5), class = "pcfdist_error_decreasing")
  expect_identical(crossing_time(c(back, falling_pcf(3)), 0.5)[1, ], 1)
  up <- pcf(c(0, 1, 4, 6, 7), c(NA, 3, 1, 4, NA))
  expect_identical(crossing_time(c(back, up), 3.5)[2, ], 6)
  error <- expect_error(crossing_time(c(falling_pcf(1), up), 0.5), class = "pcfdist_error_x")
  expect_identical(c(error$index, error$position), c(2, 4))
  expect_error(crossing_time(c(up, -up), 0.5), "ends lower (-4, at position 4)", fixed = TRUE)
})

test_that("names, dimensions and empty collections stay", {
  x <- structure(rising_pcf(6), dim = 2:3, dimnames = list(c("a", "b"), NULL))
  value_name(x) <- NULL
  expect_identical(sorted_attributes(inverse(x)), sorted_attributes(x))
  times <- crossing_time(x, c(low = 0.1, high = 0.9))
  expect_identical(dim(times), c(2L, 3L, 2L))
  expect_identical(dimnames(times), list(c("a", "b"), NULL, c("low", "high")))
  expect_identical(inverse(x[0]), x[0])
  expect_identical(dim(crossing_time(rising_pcf(2), numeric())), c(2L, 0L))
})

test_that("times keep their unit", {
  x <- pcf(as.Date("2024-01-01") + c(0, 10, 31), c(1, 0.5, NA))
  expect_identical(c(crossing_time(x, c(0.5, 0.4))), as.Date(c("2024-01-11", NA)))
  expect_identical(dim(crossing_time(x, c(0.5, 0.4))), 1:2)
  expect_null(time_unit(inverse(x)))
  expect_identical(as.vector(evaluate(inverse(x), 0.5)), as.double(as.Date("2024-01-11")))
})

test_that("wrong arguments are errors", {
  wrong <- structure(list(a = cbind(0, 1), b = cbind(NA, 1)), class = c("pcf", "list"))
  x <- pcf(list(a = 1:3, b = 1:4), list(c(1, 2, 3), c(1, NA, 2, 1.5)))
  refused(inverse(3), "x", "must be a <pcf>, not 3. ", makes_pcf)
  refused(inverse(wrong), "x", 'is invalid: function 2 ("b") has a missing time (NA) at position 1.')
  turns <- function(call, what) {
    refused(call, "x", "is invalid: ", what, ". Functions must be monotone, all in the same direction.")
  }
  turns(inverse(x), 'function 2 ("b") falls to 1.5 at position 4')
  turns(inverse(rev(x)), 'function 1 ("b") falls to 1.5 at position 4')
  turns(inverse(x, decreasing = TRUE), 'function 1 ("a") rises to 2 at position 2')
  turns(inverse(plf(0:2, c(0, 1, 5), left = c(0, 1, 0.5))), "the function falls to the left limit 0.5 at position 3")
  turns(inverse(plf(0:2, c(0, 3, 5), left = c(0, 4, 4))), "the function falls to 3 at position 2")
  refused(inverse(pcf(0, 1)), "decreasing", "must be TRUE or FALSE: the direction is unclear, since no function of ",
          "`x` changes after its first breakpoint.")
  refused(inverse(x, decreasing = NA), "decreasing", "must be TRUE or FALSE, not NA.")
  refused(crossing_time(x, "a"), "levels", 'must be numbers, not "a".')
  refused(crossing_time(x, c(1, NA)), "levels", "must be finite, not NA at position 2.")
  refused(crossing_time(x, c(1, Inf)), "levels", "must be finite, not Inf at position 2.")
  refused(crossing_time(x["a"], 1, tolerance = -1), "tolerance", "must be at least 0 and less than 1, not -1.")
  refused(crossing_time(x["a"], 1, tolerance = NA), "tolerance", "must be a number, not NA.")
  refused(inverse(x, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
  error <- tryCatch(inverse(x), error = identity)
  expect_identical(c(error$index, error$position), c(2, 4))
})

test_that("a curve that ends right after its last time stays there until then, at 0, too", {
  for (last in c(0, 2^-1022, 1, 1e300)) {
    x <- pcf(c(-1e300, last, next_time(last)), c(1, 0.5, NA))
    expect_identical(crossing_time(x, 0.5, flat = "middle", decreasing = TRUE)[1], last)
  }
})

# ---- Lines ----

# The first time at which one line reaches a level, by definition, from the points of its graph.
line_crossing_oracle <- function(f, level, falling, tolerance = 0, middle = FALSE) {
  time <- rep(f[, 1], each = 2)
  value <- if (falling) -c(t(f[, 2:3])) else c(t(f[, 2:3]))
  if (falling) level <- -level
  apart <- tolerance * abs(level)
  if (value[1] %in% 0 && isTRUE(stats::na.omit(value[-1])[1] < 0)) value[1] <- NA # it begins later
  seen <- which(!is.na(value))
  k <- seen[value[seen] >= level - apart][1]
  if (is.na(k)) return(NA_real_)
  if (k == seen[1]) return(if (k == 1) -Inf else time[k])
  if (is.na(value[k - 1])) return(NA_real_)
  at <- time[k - 1] + (time[k] - time[k - 1]) * min(1, (level - value[k - 1]) / (value[k] - value[k - 1]))
  if (!middle || abs(value[k] - level) > apart) return(at)
  leaves <- seen[seen > k & abs(value[seen] - level) > apart][1]
  last <- max(seen[is.na(leaves) | seen < leaves])
  if (!is.na(leaves) && leaves > last + 1) NA_real_ else at / 2 + time[last] / 2
}

test_that("a level that a function has at its first observed time is reached there", {
  visits <- data.frame(time = 0:1, value = c(50, 40))
  for (x in list(as_plf(visits), as_pcf(visits), pcf(c(-Inf, 0, 1), c(NA, 50, 40)))) {
    expect_identical(crossing_time(x, c(60, 50, 41, 30), decreasing = TRUE)[-3], c(0, 0, NA))
    expect_identical(crossing_time(-x, c(-60, -50, -30), decreasing = FALSE)[1, ], c(0, 0, NA))
    expect_identical(crossing_time(x, 60, decreasing = TRUE, flat = "middle")[1], 0)
  }
  expect_identical(crossing_time(pcf(c(-Inf, 1), c(50, 40)), 60, decreasing = TRUE)[1], -Inf)
  expect_identical(crossing_time(plf(0:1, c(50, 40), left = c(50, 40)), 60, decreasing = TRUE)[1], -Inf)
  skip_if_not_installed("survival")
  fit <- survival::survfit(survival::Surv(c(3, 3, 4, 6, 7), c(1, 1, 1, 0, 1)) ~ 1, start.time = 3)
  probs <- c(0.1, 0.25, 0.5, 0.9)
  expect_identical(crossing_time(as_pcf(fit), 1 - probs, flat = "middle")[1, ],
                   unname(quantile(fit, probs, conf.int = FALSE)))
})

test_that("crossing times have the scale of times, whatever the scale of the values", {
  for (scale in 10^c(-300, -9, 0, 9, 300)) {
    expect_identical(crossing_time(plf(0:10, scale * 2^(-(0:10) / 2)), scale / 2)[1], 2)
    expect_identical(crossing_time(scale * falling_pcf(5), scale * c(0.25, 0.5)),
                     crossing_time(falling_pcf(5), c(0.25, 0.5)))
    expect_identical(crossing_time(plf(0:10 * scale, 2^(-(0:10) / 2)), 0.5)[1], 2 * scale)
  }
})

# Lines with other values: `change` gets those that are observed, in the order of a graph.
with_graphs <- function(x, change) {
  lines <- lapply(unclass(x), function(f) {
    values <- c(t(f[, 2:3]))
    values[!is.na(values)] <- change(values[!is.na(values)])
    cbind(f[, 1], matrix(values, ncol = 2, byrow = TRUE))
  })
  column <- function(k) lapply(lines, function(f) f[, k])
  plf(column(1), column(3), left = column(2))
}

test_that("lines reach levels by definition", {
  never <- plf(0:1, c(NA, NA), left = c(NA, NA))
  rounded <- with_graphs(random_plf(60, gaps = 0.2, seed = 2), round)
  x <- c(random_plf(60, gaps = 0.2), random_plf(20, end = 1), rounded, never)
  cases <- expand.grid(falling = c(FALSE, TRUE), tolerance = c(0, 0.3), flat = c("start", "middle"))
  for (case in seq_len(nrow(cases))) {
    with(cases[case, ], {
      levels <- c(-0.7, 0, 1, 0.25, -1)
      times <- crossing_time(x, levels, falling, tolerance, as.character(flat))
      at <- expand.grid(f = unclass(x), level = levels)
      expected <- mapply(line_crossing_oracle, at$f, at$level, falling, tolerance, flat == "middle")
      expect_near(times, expected, 1e-15, pmax(abs(expected), 15))
    })
  }
})

test_that("inverses of lines are the times at which levels are reached, and NA outside", {
  levels <- seq(0.00503, 30, 0.1)
  for (falling in c(FALSE, TRUE)) {
    grown <- function(values) cumsum(c(0, 0, 0.5, 1, 2)[seq_along(values) %% 5 + 1])
    x <- with_graphs(random_plf(60, gaps = 0.15), grown)
    if (falling) x <- 30 - x
    times <- crossing_time(x, levels, decreasing = falling, tolerance = 0)
    # For falling ones, the zero before the first breakpoint does not count.
    begins <- vapply(unclass(x), function(f) stats::na.omit(c(if (!falling) f[1, 2], t(f[, 2:3])[-1]))[1], 0)
    times[outer(begins, levels, if (falling) "<=" else ">=")] <- NA
    expect_near(evaluate(inverse(x, falling), levels), times, 1e-13, 15)
    expect_identical(inverse(x), inverse(x, falling))
    expect_gt(sum(!is.na(times)), 900)
  }
})

test_that("a value other than 0 before the first breakpoint is part of a line", {
  x <- plf(list(1, 1, 1), list(2, 2, 2), left = list(0.5, 3, 0))
  expect_identical(inverse(x[1]), plf(c(0.5, 2), c(1, NA), left = c(NA, 1)))
  expect_identical(inverse(x[2]), plf(2:3, c(1, NA), left = c(NA, 1)))
  expect_error(inverse(x), "function 2 falls to 2 at position 1", class = "pcfdist_error_x")
  expect_error(inverse(x[3]), class = "pcfdist_error_decreasing")
  expect_identical(crossing_time(x, c(1, 3), decreasing = FALSE), matrix(c(1, -Inf, 1, NA, -Inf, NA), 3))
  expect_identical(crossing_time(x[0], c(1, 3)), matrix(0, 0, 2))
  expect_identical(inverse(x[0]), x[0])
})

test_that("which way lines go is what is last observed of them", {
  x <- plf(list(a = 0:2, b = 0:1), list(c(0, 1, NA), c(0, 0)), left = list(c(NA, 1, -5), c(0, 0)))
  expect_identical(crossing_time(x, -2)[, 1], c(a = 1.5, b = NA))
  refused(crossing_time(c(plf(0:1, 0:1), x), -2), "x", 'is invalid: function 2 ("a") ends lower (the left limit -5, ',
          "at position 3) than it begins, unlike others: use `decreasing` to choose the direction.")
})

test_that("quantiles of the survival times of strata are those of the package survival", {
  skip_if_not_installed("survival")
  probs <- c(0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999)
  for (variable in c("sex", "ph.ecog", "inst")) {
    surv <- survival::Surv(survival::lung$time, survival::lung$status)
    fit <- survival::survfit(surv ~ survival::lung[[variable]])
    # Without the few levels at which a curve is flat.
    probs_of <- probs - (probs > 0) * 1e-5
    expected <- quantile(fit, probs_of, conf.int = FALSE)
    curves <- as_pcf(fit, after = "hold")
    times <- crossing_time(curves, 1 - probs_of, decreasing = TRUE)
    times[, 1] <- 0
    expect_identical(unname(times), unname(expected))
  }
  # At such a level it takes the middle.
  fit <- survival::survfit(survival::Surv(c(1, 2, 5, 9), c(1, 1, 1, 1)) ~ 1)
  expect_identical(unname(quantile(fit, 0.5, conf.int = FALSE)), 3.5)
  expect_identical(crossing_time(as_pcf(fit), 0.5), matrix(2))
  expect_identical(crossing_time(as_pcf(fit), 0.5, flat = "middle"), matrix(3.5))
})

test_that("confidence limits of quantiles are those of the package survival", {
  skip_if_not_installed("survival")
  lung <- survival::lung[which(survival::lung$ph.ecog < 3), ]
  of_lung <- survival::Surv(lung$time, lung$status)
  of_aml <- survival::Surv(survival::aml$time, survival::aml$status)
  probs <- c(0.1, 0.25, 0.5, 0.75, 0.9) - 1e-5 # where no limit is flat
  for (conf in c("plain", "log", "log-log", "logit", "arcsin")) {
    fits <- list(
      survival::survfit(of_aml ~ 1, conf.type = conf),
      survival::survfit(of_aml ~ survival::aml$x, conf.type = conf),
      survival::survfit(of_lung ~ lung$ph.ecog, conf.type = conf),
      survival::survfit(of_lung ~ lung$sex, conf.type = conf)
    )
    for (fit in fits) {
      limits <- confidence_bands(fit)
      expected <- quantile(fit, probs)
      # This limit is below 1/2 from 45 on, and rises at 48: survival sorts the limits by size.
      if (is.null(fit$strata) && conf == "log") expected$upper[3] <- 45
      for (side in c("lower", "upper")) {
        times <- crossing_time(limits[[side]], 1 - probs)
        expect_identical(c(times), unname(c(expected[[side]])), label = paste(conf, side))
      }
    }
  }
  fit <- survival::survfit(of_aml ~ 1)
  first <- fit$time[which(fit$upper <= 0.5)[1]]
  expect_identical(c(crossing_time(confidence_bands(fit)$upper, 0.5)), first)
})
