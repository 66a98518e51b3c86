# Of one step function, a matrix, by its runs.
spells_of_runs <- function(f) {
  f <- rbind(if (f[1, 1] > -Inf) c(-Inf, 0), f)
  runs <- rle(ifelse(is.na(f[, 2]), "gap", ifelse(f[, 2] == 0, "off", "on")))
  first <- cumsum(c(1, runs$lengths))
  starts <- c(f[, 1], Inf)[first]
  k <- which(runs$values == "on")
  around <- c("none", runs$values, "none")
  list(start = starts[k], end = starts[k + 1], start_known = around[k] != "gap", end_known = around[k + 2] != "gap")
}

test_that("spells are the runs of values that are not 0", {
  for (seed in 1:8) {
    for (x in list(random_pcf(8, seed = seed) > 1, random_partial_pcf(8, seed = seed) < 1,
                   random_plf(8, gaps = 0.3, seed = seed) > 0.5, observed(random_partial_pcf(8, seed = seed)))) {
      names(x) <- NULL
      found <- spells(x)
      expected <- lapply(unclass(x), spells_of_runs)
      expect_identical(found$id, rep(seq_along(x), lengths(lapply(expected, `[[`, "start"))))
      for (name in names(found)[-1]) {
        expect_identical(found[[name]], unlist(lapply(expected, `[[`, name), use.names = FALSE))
      }
      known <- spells(restrict(x, 0, 9))
      lengths <- tapply(known$end - known$start, factor(known$id, seq_along(x)), sum, default = 0)
      expect_near(as.vector(lengths), integral(fill_missing(restrict(x != 0, 0, 9))))
    }
  }
})

test_that("the time above a level of lines ends where they cross it", {
  level <- plf(c(0, 3, 5), c(0, 6, 0))
  expect_identical(spells(level > 2), data.frame(
    id = 1L, start = 1, end = 5 - 2 / 3, start_known = TRUE, end_known = TRUE
  ))
  expect_near(integral(level > 2), 10 / 3)
})

test_that("droughts of a lake and episodes of treatment are what their fields call so", {
  runs <- rle(c(LakeHuron) < 577)
  ends <- tsp(LakeHuron)[1] + cumsum(runs$lengths)
  found <- spells(as_pcf(LakeHuron) < 577)
  expect_identical(found$end, ends[runs$values])
  expect_identical(found$end - found$start, as.double(runs$lengths[runs$values]))
  packs <- data.frame(
    patient = c("A", "A", "A", "B"), pack = as.Date("2024-01-01") + c(0, 35, 90, 10), dose = 1
  )
  packs$empty <- packs$pack + 30
  dose <- as_pcf(packs, id = "patient", start = "pack", end = "empty", value = "dose", outside = 0)
  episodes <- spells(dose > 0, gaps = as.difftime(2, units = "weeks"))
  expect_identical(episodes[1:3], data.frame(
    id = c("A", "A", "B"), start = packs$pack[c(1, 3, 4)], end = packs$empty[2:4]
  ))
  expect_identical(nrow(spells(dose > 0, gaps = as.difftime(4, units = "days"))), 4L)
})

test_that("spells have ids and times of their classes", {
  days <- as.Date("2024-01-01") + c(0, 30, 35, 65)
  x <- pcf(list(A = days, B = days[2:3]), list(c(1, 0, 1, 0), 1:2))
  found <- spells(x)
  expect_identical(found$id, c("A", "A", "B"))
  expect_identical(found$start, days[c(1, 3, 2)])
  expect_identical(as.double(found$end), c(as.double(days[c(2, 4)]), Inf))
  expect_s3_class(found$end, "Date")
  time_unit(x) <- "POSIXct"
  expect_s3_class(spells(x)$start, "POSIXct")
})

test_that("spells next to a gap are censored, and end at the last measurement", {
  x <- as_pcf(data.frame(id = c(1, 1, 1, 2, 2), time = c(0, 2, 5, 1, 4), value = c(3, 0, 7, 7, NA)))
  expect_identical(spells(x > 2), data.frame(
    id = c("1", "1", "2"), start = c(0, 5, 1), end = c(2, 5, 4), start_known = c(FALSE, TRUE, FALSE),
    end_known = c(TRUE, FALSE, FALSE)
  ))
  expect_identical(unlist(spells(pcf(c(-Inf, 0), c(1, 0)))[2:5], use.names = FALSE), c(-Inf, 0, 1, 1))
})

test_that("spells are joined across gaps that are short enough", {
  x <- pcf(list(c(0, 1, 3, 4, 4.1, 4.5), c(4.6, 5)), list(c(1, 0, 1, NA, 1, 0), 1:0))
  found <- spells(x, gaps = 1)
  expect_identical(found$start, c(0, 3, 4.6))
  expect_identical(found$end, c(1, 4.5, 5))
  expect_identical(found$end_known, c(TRUE, TRUE, TRUE))
  expect_identical(spells(x, gaps = 2)$end, c(4.5, 5))
  expect_identical(nrow(spells(x, gaps = 0.05)), 4L)
  shifted <- pcf(c(0.1, 0.2, 0.2 + 0.1, 0.4), c(1, 0, 1, 0))
  expect_identical(nrow(spells(shifted, gaps = 0.1)), 1L)
})

test_that("a spell ends with the last measurement, though its breakpoint was dropped", {
  found <- spells(counting(c(1, 3), from = 0, to = 5) > 1)
  expect_identical(found[2:5], data.frame(start = 3, end = 5, start_known = TRUE, end_known = FALSE))
  x <- as_pcf(data.frame(time = c(0, 1, 5), value = c(1, 2, 2)))
  expect_identical(spells(drop_redundant(x)), spells(x))
})

test_that("no functions and no spells give no rows, and odd arguments errors", {
  expect_identical(dim(spells(pcf(0, 0))), c(0L, 5L))
  expect_identical(dim(spells(pcf(0, 0), gaps = 1)), c(0L, 5L))
  expect_identical(dim(spells(pcf(list(), list()), 3)), c(0L, 5L))
  refused(spells(plf(0, 0)), "x", "must be a <pcf>, not a <plf>: step functions are needed here.")
  refused(spells(pcf(0, 1), gaps = -1), "gaps", "must be NULL, a positive number or a difftime, not -1.")
  refused(spells(pcf(0, 1)[NA]), "x", "is invalid: the function is missing. x[!is.na(x)] drops such functions, and ",
          "dplyr::coalesce() replaces them.")
})
