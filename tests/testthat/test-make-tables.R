averages_or_jumps <- paste(
  '`repeated = "mean"` averages the values at each time, and `repeated = "jump"` takes two as those before and after',
  "a jump."
)

# How the message about overlapping segments ends.
add_up <- paste0(
  ". If they belong to different functions, name the columns that tell these apart: `id = c(...)`. If ",
  "their values should be added, give each row its own id, use `outside = 0`, and add the functions with ",
  "aggregate(FUN = sum)."
)

# Long data frames, segments and functions on a grid.

test_that("long data frames give functions in order of first appearance", {
  long <- data.frame(id = c("v", "u", "v", "u", "v"), time = c(1, 5, 2, 7, 3), value = 1:5)
  x <- measured(pcf(list(v = 1:3, u = c(5, 7)), list(c(1, 3, 5), c(2, 4))))
  expect_identical(as_pcf(long), x)
  expect_identical(as_pcf(transform(long, id = factor(id))), x)
  names(long) <- c("who", "when", "what")
  expect_identical(as_pcf(long, id = "who", time = "when", value = "what"), x)
  chicks <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
  expect_named(chicks, as.character(unique(ChickWeight$Chick)))
  expect_identical(unname(chicks["18"]), measured(pcf(c(0, 2), c(39, 35))))
})

test_that("long data frames must be sorted unless `sort` is given", {
  long <- data.frame(id = c("u", "v", "u", "v"), time = c(3, 1, 2, 2), value = 1:4)
  sorted <- measured(pcf(list(u = 2:3, v = 1:2), list(c(3, 1), c(2, 4))))
  expect_identical(as_pcf(long, sort = TRUE), sorted)
  for (until in list(NULL, "last")) {
    refused(as_pcf(long, until = until), "x", 'is invalid: function 1 ("u") has the time 2 at position 2, after 3. ',
            "Times must increase. `sort = TRUE` sorts them.")
  }
})

test_that("two columns of a data frame are taken by name, or else the first is the time", {
  f <- measured(pcf(c(5, 10, 15), c(0.1, 0.2, 0.3)))
  x <- data.frame(hazard = c(0.1, 0.2, 0.3), time = c(5, 10, 15))
  expect_identical(as_pcf(x, time = "time", value = "hazard"), f)
  expect_identical(as_pcf(x), f)
  expect_identical(as_pcf(rev(x)), f)
  expect_identical(as_pcf(list(x)), f)
  names(x) <- c("hazard", "when")
  expect_identical(as_pcf(x, time = "when"), f)
  expect_identical(as_pcf(x, value = "hazard"), f)
  expect_identical(as_pcf(x), measured(pcf(c(0.1, 0.2, 0.3), c(5, 10, 15))))
  names(x) <- c("value", "when")
  expect_identical(as_pcf(x), f)
})

test_that("one function can be sorted, end, and leave missing values out", {
  x <- data.frame(time = c(3, 1, 2), value = c(7, NA, 5))
  expect_identical(as_pcf(x, sort = TRUE), measured(pcf(1:3, c(NA, 5, 7))))
  expect_identical(as_pcf(x, sort = TRUE, na.rm = TRUE), measured(pcf(2:3, c(5, 7))))
  expect_identical(as_pcf(x, sort = TRUE, until = 4), measured(pcf(1:4, c(NA, 5, 7, NA))))
  x$sex <- "m"
  f <- measured(pcf(list(m = 1:3), list(c(NA, 5, 7))))
  expect_identical(as_pcf(x, id = NULL, sort = TRUE), unname(f))
  expect_identical(as_pcf(x, id = "sex", sort = TRUE), f)
})

test_that("columns that cannot be told apart are errors", {
  dates <- data.frame(x = 1:2, day = as.Date("2020-01-01") + 0:1)
  expect_identical(as_pcf(dates, time = "day"), measured(pcf(as.Date("2020-01-01") + 0:1, 1:2)))
  unclear <- function(x) {
    refused(as_pcf(x), "x", "has the columns ", paste(names(x), collapse = " and "), ", and it is not clear which is ",
            "the time and which the value: name them with `time` and `value`. Long data need `id`, `time` and `value`.")
  }
  unclear(dates)
  unclear(data.frame(id = 1:2, time = 1:2))
  refused(as_pcf(list(dates)), "x",
          "is invalid: the function is a data frame with 2 columns, not two columns of numbers, time and value.")
  refused(as_pcf(data.frame(time = c(3, 1), value = 1:2)), "x", "is invalid: the function has the time 1 at position ",
          "2, after 3. Times must increase. `sort = TRUE` sorts them.")
  no_column(as_pcf(data.frame(time = 1:2)), "value", "time")
  no_column(as_pcf(data.frame(hazard = 1:2, time = 1:2), time = "when"), "id", "hazard, time", "id",
            all_one_function, needs_times)
  no_column(as_pcf(data.frame(time = 1:2, value = 1:2, sex = 1:2)), "id", "time, value, sex", "id",
            all_one_function, needs_times)
})

test_that("several columns are one id", {
  long <- data.frame(
    sample = c("b", "a", "b", "a, b", "a"), chr = c("1", "1", "1", "c", "b, c"), time = c(1, 1, 2, 1, 1), value = 1:5
  )
  x <- as_pcf(long, id = c("sample", "chr"))
  expect_identical(unname(x), measured(pcf(list(1:2, 1, 1, 1), list(c(1, 3), 2, 4, 5))))
  # The third and the fourth would have the same name, and are two functions.
  expect_named(x, c("b, 1", "a, 1", '"a, b", "c"', '"a", "b, c"'))
  expect_named(as_pcf(long[-4, ], id = c("sample", "chr")), c("b, 1", "a, 1", "a, b, c"))
  expect_named(as_pcf(long[-3], times = 0, id = c("sample", "chr"))[c(1, 3:4)], c("b, 1", "b, 1", '"a, b", "c"'))
  no_column(as_pcf(long, id = c("sample", "where")), "id", "sample, chr, time, value", "where")
  for (id in list(c("chr", "chr"), character())) {
    refused(as_pcf(long, id = id), "id", "must be the name of a column of `x` (sample, chr, time, value), not a ",
            "character vector of length ", length(id), ".")
  }
  refused(as_pcf(within(long, chr[4] <- NA), id = c("sample", "chr")), "x",
          "has a missing chr in row 4. x[!is.na(x$chr), ] drops such rows.")
})

test_that("columns that seem to tell functions apart have to be named", {
  s <- data.frame(id = "S1", chrom = c("chr1", "chr2"), start = c(0, 100), end = c(50, 150), value = 1:2, depth = 3:4)
  read <- function(x, ...) as_pcf(x, start = "start", end = "end", ...)
  expect_length(read(s, id = c("id", "chrom")), 2)
  pooled <- pcf(list(S1 = c(-Inf, 0, 50, 100, 150)), list(c(NA, 1, NA, 2, NA)))
  expect_identical(read(s[-2]), pooled)
  expect_identical(read(transform(s, chrom = "chr1")), pooled)
  expect_identical(read(s, id = "id"), pooled)
  expect_identical(read(s, id = NULL), unname(pooled))
  leaves_out_chrom <- function(call) {
    refused(call, "id", "does not include the column `chrom` of `x`, whose values differ within a function, as if it ",
            'told several functions apart. If it does, use id = c("id", "chrom"); if it does not, use id = "id".')
  }
  leaves_out_chrom(read(s))
  leaves_out_chrom(read(transform(s, chrom = factor(chrom))))
  leaves_out_chrom(as_pcf(s, time = "start"))
})

test_that("missing values of long data are gaps, or left out", {
  long <- data.frame(id = c(1, 1, 1, 2), time = c(1, 2, 3, 1), value = c(5, NA, 6, 7))
  expect_identical(as_pcf(long), measured(pcf(list("1" = 1:3, "2" = 1), list(c(5, NA, 6), 7))))
  left_out <- measured(pcf(list("1" = c(1, 3), "2" = 1), list(5:6, 7)))
  expect_identical(as_pcf(long, na.rm = TRUE), left_out)
  long$value[2] <- NaN
  expect_identical(as_pcf(long, na.rm = TRUE), left_out)
  long$value[4] <- NA
  refused(as_pcf(long), "x",
          'is invalid: function 1 ("1") has the value NaN at position 2. NA stands for values that are not observed.')
  refused(as_pcf(long, na.rm = TRUE), "x",
          'is invalid: function 2 ("2")', never_known)
  refused(as_plf(long, na.rm = TRUE), "x", 'is invalid: function 2 ("2")', never_known)
  refused(as_pcf(long, na.rm = NA), "na.rm", "must be TRUE or FALSE, not NA.")
})

test_that("a missing value ends a function only in its last row", {
  long <- data.frame(id = "a", time = c(1, 1, 3), value = c(5, NA, 7))
  twice <- paste0('is invalid: function 1 ("a") has the time 1 twice, at positions 1 and 2. ', averages_or_jumps)
  for (rows in list(1:3, c(2, 1, 3))) {
    for (read in c(as_pcf, as_plf)) refused(read(long[rows, ]), "x", twice)
    refused(as_pcf(long[rev(rows), ], sort = TRUE), "x", twice)
  }
  both <- rbind(data.frame(id = "b", time = 0, value = 1), long[c(3, 1, 2), ])[c(2, 3, 1, 4), ]
  expect_identical(as_pcf(both[-1, ]), measured(pcf(list(a = c(1, next_time(1)), b = 0), list(c(5, NA), 1))))
})

test_that("different ids have different names", {
  named <- function(ids) names(as_pcf(data.frame(id = ids, time = 0, value = 1)))
  expect_identical(named(c(0.3, 0.1 + 0.2, 0.5)), c("0.3", "0.30000000000000004", "0.5"))
  expect_identical(named(c(0.1 + 0.2, 0.5)), c("0.3", "0.5"))
  hours <- .POSIXct(1729989000 + c(0, 3600), "Europe/Stockholm") # when summer time ends
  expect_identical(named(hours), c("2024-10-27 00:30:00 UTC", "2024-10-27 01:30:00 UTC"))
  expect_identical(named(hours[2]), as.character(hours[2]))
  two <- data.frame(id = c(0.3, 0.1 + 0.2), k = "z", time = 0, value = 1)
  expect_identical(names(as_pcf(two, id = c("id", "k"))), c("0.3, z", "0.30000000000000004, z"))
})

test_that("long data end where they are said to", {
  long <- data.frame(id = c("u", "v", "u", "v", "u"), time = c(1, 2, 3, 4, 6), value = 1:5, end = c(6, Inf, 6, Inf, 6))
  cut <- function(...) as_pcf(long, before = 0, ...)
  expect_identical(cut(), pcf(list(u = c(1, 3, 6), v = c(2, 4)), list(c(1, 3, 5), c(2, 4))))
  expect_identical(cut(until = Inf), cut())
  expect_identical(cut(until = 8), pcf(list(u = c(1, 3, 6, 8), v = c(2, 4, 8)), list(c(1, 3, 5, NA), c(2, 4, NA))))
  expect_identical(cut(until = 4), pcf(list(u = c(1, 3, 4), v = c(2, 4, next_time(4))), list(c(1, 3, NA), c(2, 4, NA))))
  expect_identical(cut(until = 1.5), pcf(list(u = c(1, 1.5), v = 1.5), list(c(1, NA), NA)))
  last <- pcf(list(u = c(1, 3, 6, next_time(6)), v = c(2, 4, next_time(4))), list(c(1, 3, 5, NA), c(2, 4, NA)))
  expect_identical(cut(until = "last"), last)
  expect_identical(cut(until = "end"), c(last["u"], cut()["v"]))
  expect_identical(as_pcf(long, until = "last"), measured(last))
  expect_identical(as_pcf(long), measured(last))
  expect_identical(as_pcf(long, until = Inf)["v"], pcf(list(v = c(-Inf, 2, 4)), list(c(NA, 2, 4))))
  shuffled <- as_pcf(long[c(2, 5, 3, 4, 1), ], until = "last", sort = TRUE, before = 0)
  expect_identical(shuffled[c("u", "v")], last)
})

test_that("wrong ends are errors", {
  long <- data.frame(id = c("u", "v", "u"), time = 1:3, value = 1:3, end = c(4, 2, 5), early = 2, none = c(9, NA, 9))
  refused(as_pcf(long, until = "end"), "until",
          "is invalid: `x$end` differs from earlier rows of the same function in row 3.")
  refused(as_pcf(long, until = "early"), "until", "is invalid: `x$early` is less than the time in row 3.")
  refused(as_pcf(long, until = "none"), "until", "is invalid: `x$none` is missing in row 2.")
  refused(as_pcf(long, until = "id"), "until", "must name a numeric column, but `x$id` is a character vector of ",
          "length 3.")
  no_column(as_pcf(long, until = "when"), "until", "id, time, value, end, early, none", "when")
  wrong <- list("NA" = NA, "-Inf" = -Inf, "an integer vector of length 2" = 1:2)
  for (what in names(wrong)) {
    refused(as_pcf(long, until = wrong[[what]]), "until",
            'must be a time, "last", Inf or the name of a column, not ', what, ".")
  }
  refused(as_pcf(transform(long, last = 4), until = "last"), "until",
          'is "last", which is also the name of a column of `x`. Give the column another name.')
})

test_that("ends are in the unit of the times", {
  day <- as.Date("2020-01-01")
  long <- data.frame(id = 1, day = day + 0:1, value = 1:2, end = day + 5, noon = .POSIXct(43200 + 86400 * 18267, "UTC"))
  ended <- function(after) measured(pcf(list("1" = day + c(0, 1, after)), list(c(1, 2, NA))))
  expect_identical(as_pcf(long, time = "day", until = "end"), ended(5))
  expect_identical(as_pcf(long, time = "day", until = day + 5), ended(5))
  expect_identical(as_pcf(long, time = "day", until = "noon"), ended(5.5))
  segment <- as_pcf(long[2, ], id = NULL, start = "day", end = "noon")
  expect_identical(segment, pcf(c(day - Inf, day + 1, day + 5.5), c(NA, 2, NA)))
  long$wait <- as.difftime(c(10, 11), units = "hours")
  expect_identical(
    as_pcf(long, time = "wait", until = as.difftime(1, units = "days")),
    measured(pcf(list("1" = as.difftime(c(10, 11, 24), units = "hours")), list(c(1, 2, NA))))
  )
  no_date <- function(call, what, is) {
    refused(call, what, "is ", is, ", but the functions have dates as times. ", sets_unit)
  }
  no_date(as_pcf(long, time = "day", until = 5), "until", "a plain number")
  no_date(as_pcf(long, time = "day", until = "wait"), "until", "an object of class <difftime> of length 2")
  no_date(as_pcf(long, start = "day", end = "wait"), "end", "an object of class <difftime> of length 2")
  refused(as_pcf(long, start = "day", end = "end"), "x", "has overlapping segments of one function in rows 1 and 2: ",
          "[2020-01-01, 2020-01-06) and [2020-01-02, 2020-01-06)", add_up)
})

# ---- Segments ----

# Segments without overlap, some of which touch, in any order; some values are missing.
random_segments <- function(n, seed) {
  with_seed(seed, {
    tables <- lapply(seq_len(n), function(i) {
      ends <- sort(sample(0:30, 2 * sample(1:6, 1)))
      start <- ends[c(TRUE, FALSE)]
      end <- ends[c(FALSE, TRUE)]
      touching <- which(runif(length(start) - 1) < 0.4)
      end[touching] <- start[touching + 1]
      value <- round(rnorm(length(start)), 1)
      value[runif(length(start)) < 0.2] <- NA
      data.frame(id = paste0("s", i), start, end, value)
    })
    x <- do.call(rbind, tables)
    x[sample(nrow(x)), ]
  })
}

# The value of a table's function at one time, row by row.
segments_at <- function(x, time, outside) {
  value <- outside
  for (k in seq_len(nrow(x))) if (x$start[k] <= time && time < x$end[k]) value <- x$value[k]
  value
}

test_that("functions of segments have the values of the table, and others outside", {
  x <- random_segments(40, seed = 1)
  times <- c(-5, seq(0, 31, 0.5))
  for (na.rm in c(FALSE, TRUE)) for (outside in c(NA, 0, 2)) {
    f <- as_pcf(x, start = "start", end = "end", outside = outside, na.rm = na.rm)
    expect_identical(names(f), unique(x$id))
    for (id in names(f)) {
      rows <- x[x$id == id & !(na.rm & is.na(x$value)), ]
      expected <- vapply(times, function(t) segments_at(rows, t, outside), 0)
      expect_identical(vapply(times, function(t) value_at(f[id], t), 0), as.double(expected))
    }
  }
})

test_that("segments of a single function, without bounds, and of several ids", {
  s <- data.frame(a = c(5, -Inf), b = c(Inf, 2), value = c(1, 3))
  expect_identical(as_pcf(s, start = "a", end = "b"), pcf(c(-Inf, 2, 5), c(3, NA, 1)))
  expect_identical(as_pcf(s, start = "a", end = "b", outside = 0), pcf(c(-Inf, 2, 5), c(3, 0, 1)))
  s <- data.frame(sample = c("S1", "S1", "S2"), chr = c(1, 2, 1), from = c(0, 0, 10), to = c(40, 60, 20), n = 1:3)
  read <- function(x, ...) as_pcf(x, start = "from", end = "to", value = "n", ...)
  expect_identical(read(s, id = c("sample", "chr")), pcf(
    list("S1, 1" = c(-Inf, 0, 40), "S1, 2" = c(-Inf, 0, 60), "S2, 1" = c(-Inf, 10, 20)),
    list(c(NA, 1, NA), c(NA, 2, NA), c(NA, 3, NA))
  ))
  expect_identical(read(s[0, ], id = "sample"), pcf(list(), list()), ignore_attr = "names")
  s$n[3] <- NA
  expect_identical(read(s[3, ], id = NULL, na.rm = TRUE, outside = 0), pcf(0, 0))
})

test_that("wrong segments are errors that name the rows", {
  s <- data.frame(id = c(1, 2, 1), start = c(5, 0, 0), end = c(9, 9, 6), value = 1:3)
  read <- function(x, ...) as_pcf(x, start = "start", end = "end", ...)
  refused(read(s), "x", "has overlapping segments of one function in rows 1 and 3: [5, 9) and [0, 6)", add_up)
  empty <- function(call, where, advice) {
    refused(call, "x", "has a segment of length 0 or less in ", where, ". A segment must end after its start. ", advice)
  }
  empty(read(transform(s, end = c(9, 0, 5))), "row 2: [0, 0)", "If ends are included, add 1 to them.")
  empty(read(transform(s, end = c(4, 9, 5))), "row 1: [5, 4)",
        "If start and end may be in either order, pmin() and pmax() of the two columns put them right.")
  empty(as_pcf(s[2:3, ], start = "end", end = "start"), "row 1: [9, 0)", "Are the columns `start` and `end` swapped?")
  refused(read(transform(s, end = c(9, NA, 5))), "x",
          "has a missing end in row 2. A segment without an end has the end Inf.")
  refused(read(transform(s, start = c(NA, 0, 0))), "x",
          "has a missing start in row 1. A segment without a start has the start -Inf.")
  refused(read(transform(s, end = 5:7, value = c(1, NaN, 2))[2:3, ]), "x",
          'is invalid: function 1 ("2") has the value NaN at position 2. NA stands for values that are not observed.')
  refused(read(s[2:3, ], outside = Inf), "outside", "must be NA or a finite number, not Inf.")
  refused(read(s[2:3, ], outside = "NA"), "outside", 'must be NA or a finite number, not "NA".')
  refused(read(s[2:3, ], outside = 1:2), "outside", "must be NA or a finite number, not an integer vector of length 2.")
  for (of_long in list(list(sort = TRUE), list(until = 3), list(time = "start"))) {
    refused(do.call(read, c(list(s), of_long)), names(of_long), "cannot be used with segments, with `start` and `end`.")
  }
  no_column(read(transform(s, sex = 1)[-1]), "id", "start, end, value, sex", "id", all_one_function)
  refused(as_pcf(s, start = "start"), "end", "is missing: segments have a `start` and an `end`.")
  refused(as_pcf(s, end = "end"), "start", "is missing: segments have a `start` and an `end`.")
  no_column(as_pcf(s, start = "from", end = "end"), "start", "id, start, end, value", "from")
  refused(as_pcf(s, time = "start", outside = 0), "outside", "cannot be used with data in long form.")
  no_column(as_pcf(s), "time", "id, start, end, value", "time", ' Segments need `start = "start"` and `end = "end"`.')
  no_column(as_pcf(data.frame(chromStart = 1, chromEnd = 2, score = 3)), "id", "chromStart, chromEnd, score", "id",
            all_one_function, ' Segments need `start = "chromStart"` and `end = "chromEnd"`.')
})

# ---- Wide data ----

test_that("wide data frames have names from row names or columns", {
  wide <- data.frame(who = c("a", "b"), sex = c("m", "f"), t0 = 1:2, t1 = c(3, NA))
  named <- measured(pcf(0:1, list(a = c(1, 3), b = c(2, NA))))
  expect_identical(as_pcf(wide[c(1, 3, 4)], id = "who", times = 0:1), named)
  x <- as_pcf(wide, id = c("who", "sex"), times = 0:1, na.rm = TRUE)
  expect_identical(x, measured(pcf(list("a, m" = 0:1, "b, f" = 0), list(c(1, 3), 2))))
  expect_null(names(as_pcf(wide[3:4], times = 0:1)))
  expect_length(as_pcf(wide[0, ], id = c("who", "sex"), times = 0:1), 0)
  same <- data.frame(t = 1:2, t = 3:4, check.names = FALSE)
  expect_identical(as_pcf(same, times = 0:1), measured(pcf(0:1, list(c(1, 3), c(2, 4)))))
  expect_named(as_pcf(data.frame(t0 = 1:2, row.names = c("u", "v")), times = 0), c("u", "v"))
})

test_that("wide data that are not understood are errors that say how", {
  wide <- data.frame(who = c("a", "b"), t0 = 1:2, t1 = 3:4, t2 = 5:6)
  no_column(as_pcf(wide), "id", "who, t0, t1, t2", "id", all_one_function, needs_times)
  refused(as_pcf(wide, times = 0:2), "x", "must have numbers in all columns except `id`, but `x$who` is a character ",
          "vector of length 2. Use `id` for the columns with names.")
  lengths <- "must have one number for each of the %d columns of `x`, not an integer vector of length %d."
  transpose <- " If each column is a function, transpose `x` with t()."
  refused(as_pcf(wide[-1], times = 0:1), "times", sprintf(lengths, 3, 2), transpose)
  refused(as_pcf(t(as.matrix(wide[-1])), times = 0:2), "times", sprintf(lengths, 2, 3), transpose)
  no_column(as_pcf(data.frame(id = c("a", "b"), "0" = 1:2, "1" = 3:4, check.names = FALSE)), "time", "id, 0, 1",
            "time", needs_times)
  refused(as_pcf(wide, id = "who", times = 0:2, sort = TRUE), "sort", "cannot be used with wide data, with `times`.")
  refused(as_pcf(wide, id = "who", times = 0:2, until = "t2"), "until", 'must be a time, "last" or Inf, not "t2".')
})

test_that("in wide data a column id has the names", {
  wide <- data.frame(id = c("u", "v"), d0 = 5:6, d7 = 7:8)
  x <- as_pcf(wide[-1], times = c(0, 7))
  expect_identical(unname(as_pcf(wide, times = c(0, 7))), x)
  expect_named(as_pcf(wide, times = c(0, 7)), c("u", "v"))
  expect_named(as_pcf(transform(wide, id = 1:2), times = c(0, 7)), c("1", "2"))
  all_columns <- as_pcf(transform(wide, id = 1:2), id = NULL, times = c(-1, 0, 7))
  expect_identical(evaluate(all_columns, c(-1, 0, 7)), cbind(c(1, 2), c(5, 6), c(7, 8)))
  refused(as_pcf(transform(wide, id = 1:2), times = c(-1, 0, 7)), "times",
          "must have one number for each of the 2 columns of `x` other than `id`, not a double vector of length 3.")
})

test_that("text is only said to be times where it is read without loss", {
  hint <- function(...) sub("^.* (as.[A-Za-z]+\\()x", "\\1x", text_hint(c(...), "x") %||% "none")
  expect_identical(hint("2024-01-01 06:00", "2024-1-2 10:30"), 'as.POSIXct(x, tz = "UTC") converts it to times.')
  expect_identical(hint("2024-01-01 06:00:01", "2024-01-01 06:00:01.5"),
                   'as.POSIXct(x, tz = "UTC") converts it to times.')
  expect_identical(hint("2024-01-01", "2024-1-2", NA), "as.Date(x) converts it to dates.")
  for (other in list("2024-01-01T06:00:00Z", "2024-01-01 06:00:00 PM", "2024-01-01 06:00:00+0200",
                     c("2024-01-01", "2024-01-01 06:00"), c("2024-01-01 06:00", "2024-01-01 06:00:30"),
                     "1/2/2024 10:00")) {
    expect_identical(hint(other), "as.POSIXct(x, format = ) converts text to times.")
  }
  for (date in c("01/02/2024", "1.2.2024", "1 Jan 2024", "01JAN2024", "Jan 1, 2024", "2024-01-01 noon")) {
    expect_identical(hint(date), "as.Date(x, format = ) converts text to dates.")
  }
  for (none in c("10:00", "Day 0", "1,5", "baseline", "5 min")) expect_identical(hint(none), "none")
  expect_identical(hint("01/02/2024", "baseline"), "none")
})

test_that("messages about tables name the way out", {
  long <- data.frame(id = c("a", "a", "b"), time = c(0, 1, 0), value = 1:3)
  read <- function(...) as_pcf(transform(long, ...))
  refused(read(id = NA), "x",
          "has no id in any row. Use `id = NULL` if all rows are one function, or name other columns.")
  refused(read(id = c("a", NA, NA)), "x", "has a missing id in row 2. x[!is.na(x$id), ] drops such rows.")
  text_in <- function(call, column, is, advice) {
    refused(call, column, "must name a numeric column, but `x$", column, "` is ", is, " of length 3. ", advice)
  }
  text <- "a character vector"
  factor_of_text <- "an object of class <factor>"
  numbers <- c("0", "1e3", "2")
  text_in(read(time = c("2024-01-01", "2024-01-02", NA)), "time", text, "as.Date(x$time) converts it to dates.")
  text_in(read(time = factor(c("2024-01-01 09:00", "2024-1-2 10:00", "2024-01-03 11:00"))), "time", factor_of_text,
          'as.POSIXct(x$time, tz = "UTC") converts it to times.')
  text_in(read(time = numbers), "time", text, "as.numeric(x$time) converts it to numbers.")
  text_in(read(time = c("20240131", "20240201", NA)), "time", text,
          'as.Date(x$time, format = "%Y%m%d") converts it to dates.')
  text_in(read(value = factor(numbers)), "value", factor_of_text,
          "as.numeric(as.character(x$value)) converts it to numbers.")
  refused(read(time = c(0, NA, 0)), "x",
          'is invalid: function 1 ("a") has a missing time (NA) at position 2. x[!is.na(x$time), ] drops such rows.')
  twice <- data.frame("the id" = "a", t = c(1, 1, 2), v = c(3, 5, 9), check.names = FALSE)
  refused(as_pcf(twice, "the id", "t", "v"), "x", 'is invalid: function 1 ("a") has the time 1 twice, at positions 1 ',
          "and 2. ", averages_or_jumps)
  expect_identical(as_pcf(twice, "the id", "t", "v", repeated = "mean"), measured(pcf(list(a = 1:2), list(c(4, 9)))))
  refused(as_pcf(data.frame(id = 1, u = 1, v = 2), times = c("2024-01-01", "2024-01-02")), "times",
          "must have one number for each of the 2 columns of `x` other than `id`, not a character vector of length 2. ",
          "as.Date(times) converts it to dates.")
  refused(pcf("2024-01-01", 1), "times",
          'is invalid: the function has "2024-01-01" where numbers are needed. as.Date(times) converts it to dates.')
})

test_that("overlapping segments can be added up, as the message says", {
  s <- data.frame(start = c(0, 3), end = c(5, 7), value = 1:2)
  rows <- as_pcf(transform(s, id = 1:2), start = "start", end = "end", outside = 0)
  both <- aggregate(rows, c(1, 1), FUN = sum)
  expect_identical(unname(drop_redundant(both)), pcf(c(0, 3, 5, 7), c(1, 3, 2, 0)))
})

test_that("columns of wide data must be plain numbers", {
  x <- data.frame(a = 1:2)
  x$m <- matrix(11:14, 2)
  expect_error(as_pcf(x, times = 1:2), "`x$m` is an integer matrix", fixed = TRUE, class = "pcfdist_error_x")
  days <- as.Date("2024-01-01") + 0:1
  expect_error(as_pcf(data.frame(a = days[1], b = days[2]), times = 1:2), "as values", class = "pcfdist_error_x")
})

test_that("the end of observation is a time", {
  x <- data.frame(time = 0:1, value = 1:2)
  refused(as_pcf(x, until = TRUE), "until",
          'must be a time, "last", Inf or the name of a column, not TRUE.')
  days <- as.POSIXct(c("2024-01-01", "2024-01-02", "2024-01-03"), tz = "UTC")
  y <- data.frame(time = days[1:2], value = 1:2)
  expect_identical(as_pcf(y, until = as.POSIXlt(days[3])), as_pcf(y, until = days[3]))
  expect_identical(as_pcf(matrix(1:2, 1), times = as.POSIXlt(days[1:2])), as_pcf(matrix(1:2, 1), times = days[1:2]))
})

test_that("months are on the calendar, however they were computed", {
  month <- 2048
  for (i in 1:11) month <- month - 1 / 12
  times <- structure(c(2047, month), class = "yearmon")
  there <- function(x) c(evaluate(x, 2047 + 1 / 12))
  expect_identical(there(as_pcf(list2DF(list(time = times, value = 1:2)))), there(pcf(times, 1:2)))
  expect_identical(there(as_pcf(matrix(1:2, 1), times = times)), there(pcf(times, 1:2)))
})

test_that("numbers with a unit of another package are not read as plain numbers", {
  for (class in c("units", "Duration", "Period", "nanotime", "ITime", "times")) {
    x <- data.frame(time = 0:2, value = 1:3, other = 1:3)
    x$other <- structure(as.double(0:2), class = class)
    drops <- if (class == "units") "units::drop_units(" else "as.numeric("
    is <- paste0("must name a numeric column, but `x$other` is an object of class <", class, "> of length 3. ",
                 "Its unit would be lost: ", drops, "x$other) drops it")
    for (read in c(as_pcf, as_plf)) {
      refused(read(x, id = NULL, value = "other"), "value", is, ".")
      refused(read(x, id = NULL, time = "other"), "time", is,
              ", and times with a unit may be a Date, POSIXct or difftime.")
    }
    f <- pcf(0:1, 1:0)
    expect_error(pcf(x$other, 1:3), "unit would be lost", class = "pcfdist_error_times")
    expect_error(pcf(1:3, x$other), "unit would be lost", class = "pcfdist_error_values")
    expect_error(as_pcf(x, times = 0:2, id = NULL), "x$other", class = "pcfdist_error_x", fixed = TRUE)
    expect_error(as_pcf(matrix(0, 1, 3), times = x$other), "unit would be lost", class = "pcfdist_error_times")
    expect_error(counting(x$other), "unit would be lost", class = "pcfdist_error_x")
    expect_error(distribution(x$other), class = "pcfdist_error_values")
    expect_error(evaluate(f, x$other), class = "pcfdist_error_times")
    expect_error(betti_curve(setNames(x[-1], c("birth", "death"))), "`death`", class = "pcfdist_error_x")
    one <- structure(1, class = class)
    expect_error(restrict(f, 0, one), class = "pcfdist_error_to")
    expect_error(shift_time(f, one), class = "pcfdist_error_by")
  }
})

test_that("names of ids match, whether R wrote them as 1e+05 or 100000", {
  allow_plain_numbers()
  ids <- c(1e5, 2e5, 12, 3e15)
  text <- c("100000", "200000", "12", "3000000000000000")
  for (id in list(ids, text)) {
    table <- data.frame(id = id, time = 1:4, value = 1:4)
    x <- as_pcf(table)
    events <- counting(table[1:2], from = 0, to = 9)
    for (names in list(text, as.character(ids))) {
      to <- setNames(5:8, names)[c(3, 1, 4, 2)]
      expect_identical(counting(table[1:2], from = 0, to = to), counting(table[1:2], from = 0, to = 5:8))
      expect_identical(shift_time(x, to), shift_time(x, 5:8))
      expect_identical(sum(events, weights = to), sum(events, weights = 5:8))
      group <- setNames(c("a", "b", "a", "b"), names)
      expect_identical(aggregate(events, rev(group)), aggregate(events, unname(group)))
    }
  }
  wrong <- setNames(1:4, c("1e+05", "100000", "12", "3e+15"))
  expect_error(shift_time(x, wrong), "no element is named \"200000\"", class = "pcfdist_error_by")
})
