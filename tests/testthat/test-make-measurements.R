# Every measurement counts, the last one too.

# Visits of `n` patients, of whom each comes to the first visits only, and misses some.
visits_with_dropout <- function(n, times = sort(sample(0:30, 6))) {
  rows <- lapply(seq_len(n), function(i) {
    came <- sort(sample(6, sample(1:6, 1)))
    data.frame(id = paste0("p", i), time = times[came], value = round(rnorm(length(came)), 2))
  })
  do.call(rbind, rows)
}

# What each summary is at each visit if only those count that came, or whose value is known in between.
expect_visits <- function(visits, x, held, group) {
  times <- sort(unique(visits$time))
  values <- held(visits, times)
  by_group <- lapply(split(seq_along(x), group), function(i) values[i, , drop = FALSE])
  at_visits <- function(f) unname(c(evaluate(f, times)))
  expect_near(at_visits(mean(x, na.rm = TRUE)), colMeans(values, na.rm = TRUE), 1e-14, 9)
  expect_near(at_visits(median(x, na.rm = TRUE)), apply(values, 2, median, na.rm = TRUE), 1e-14, 9)
  means <- unname(evaluate(aggregate(x, group, na.rm = TRUE), times, drop = FALSE))
  expected <- do.call(rbind, lapply(by_group, colMeans, na.rm = TRUE))
  expected[is.nan(expected)] <- NA
  expect_near(means, unname(expected), 1e-14, 9)
  expect_near(at_visits(confidence_bands(x, na.rm = TRUE)$center), colMeans(values, na.rm = TRUE), 1e-14, 9)
}

# The values of each patient at the times, held or joined up to and including the last visit.
held_values_at <- function(visits, times, method) {
  do.call(rbind, lapply(split(visits, factor(visits$id, unique(visits$id))), function(own) {
    inside <- times >= min(own$time) & times <= max(own$time)
    if (nrow(own) == 1) return(ifelse(inside, own$value, NA))
    ifelse(inside, approx(own$time, own$value, times, method = method, rule = 2)$y, NA)
  }))
}

test_that("means at a visit are those of all who came", {
  with_seed(1, for (case in 1:40) {
    visits <- visits_with_dropout(sample(2:9, 1))
    group <- sample(2, length(unique(visits$id)), replace = TRUE)
    expect_visits(visits, as_plf(visits), function(...) held_values_at(..., "linear"), group)
    expect_visits(visits, as_pcf(visits), function(...) held_values_at(..., "constant"), group)
  })
})

integral_of_joined <- function(x) {
  areas <- diff(x$time) * (x$value[-1] + x$value[-nrow(x)]) / 2
  sum(areas, na.rm = TRUE)
}

test_that("lines in a text file with rounded times end where they did", {
  allow_plain_numbers()
  x <- with_seed(3, as_plf(visits_with_dropout(6, c(0, 1, 1 / 3 + 1, 2, 7, 11)), gaps = 4))
  table <- as.data.frame(x)
  text <- utils::read.csv(text = utils::capture.output(utils::write.csv(table, row.names = FALSE)))
  expect_gt(sum(duplicated(text[c("id", "time")])), 6)
  for (unit in list(NULL, "Date")) {
    time_unit(x) <- unit
    if (!is.null(unit)) text$time <- as.Date(text$time, origin = "1970-01-01")
    read <- as_plf(text, left = "left")
    expect_identical(lapply(unclass(read), function(f) f[, -1]), lapply(unclass(x), function(f) f[, -1]))
    expect_near(end(read), end(x), 1e-14, 1)
    expect_identical(as_plf(as.data.frame(x), left = "left"), x)
  }
})

test_that("lines in a text file with whole times end where they did", {
  allow_plain_numbers()
  x <- as_plf(data.frame(id = c(2, 2, 2, 7), time = c(1, 24, 48, 3), value = c(3, 2, 1, 4)))
  text <- utils::read.csv(text = utils::capture.output(utils::write.csv(as.data.frame(x), row.names = FALSE)))
  expect_type(text$time, "integer")
  expect_identical(as_plf(text, left = "left"), x)
  for (unit in list("Date", "POSIXct", "difftime")) {
    class(text$time) <- unit
    attr(text$time, "units") <- if (unit == "difftime") "days"
    y <- as_plf(text, left = "left")
    expect_identical(as_plf(as.data.frame(y), left = "left"), y)
    expect_identical(`time_unit<-`(y, NULL), x)
  }
  skip_if_not_installed("bit64")
  text$time <- bit64::as.integer64(unclass(text$time))
  expect_identical(as_plf(text, left = "left"), x)
})

test_that("every measurement is a value of its function", {
  with_seed(2, for (case in 1:40) {
    x <- data.frame(time = sort(runif(8, -1, 1)) * 10^sample(-9:9, 1), value = replace(rnorm(8), sample(8, 3), NA))
    known <- x[!is.na(x$value), ]
    for (f in list(as_pcf(x), as_plf(x), as_plf(x, gaps = diff(range(x$time)) / 5), as_pcf(x, until = max(x$time)))) {
      expect_identical(c(evaluate(f, known$time)), known$value)
    }
    last <- known$time[nrow(known)]
    expect_identical(c(evaluate(as_pcf(x, na.rm = TRUE), next_time(last))), NA_real_)
    expect_identical(c(evaluate(as_plf(x), next_time(last))), NA_real_)
    expect_near(integral(as_plf(x), missing = "overlap"), integral_of_joined(x), 1e-13, 100 * max(abs(x$time)))
  })
})
