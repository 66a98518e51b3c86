# ---- Worked examples ----

test_that("segments of the demonstration", {
  starts <- c(0, 9, 19, 25, 71, 87, 97)
  values <- c(
    1, 5, 5, 1, 2, 5, 1, 1, 4, 4, 5, 3, 4, 4, 4, 2, 2, 4, 2, 5, 5, 1, 5, 1, 4, 5, 1, 4, 2, 2,
    2, 3, 3, 1, 4, 2, 4, 2, 1, 2, 5, 1, 2, 2, 3, 1, 2, 5, 4, 1, 2, 5, 4, 2, 4, 1, 3, 2, 4, 4,
    4, 4, 4, 3, 4, 4, 1, 5, 1, 1, 3, 2, 3, 1, 4, 1, 1, 4, 4, 4, 3, 5, 5, 3, 2, 1, 5, 5, 4, 5,
    4, 2, 2, 3, 5, 5, 1, 4, 1, 5
  )
  expected <- c(25, 34, 21, 129, 48, 36, 10)
  expect_identical(segment_reduce(values, c(starts, 100)), expected)
  expect_identical(segment_reduce(as.integer(values), as.integer(c(starts, 100))), expected)
})

test_that("rows of the figure", {
  rows <- strsplit(c(
    "54", "5", "00425", "131512", "03023443", "25505034511053233", "31545", "43315", "14",
    "52004424423234203", "23504024254032", "5420", "5351000325", "5524035", "30405055345424",
    "44", "35131533551", "5024243205054505231", "22", "224030304105"
  ), "")
  expected <- c(
    9, 5, 11, 13, 19, 47, 18, 16, 5, 44, 36, 11, 24, 24, 44, 8, 35, 52, 4, 24
  )
  values <- as.integer(unlist(rows))
  expect_identical(segment_reduce(values, c(0, cumsum(lengths(rows)))), expected)
  runs <- reduce_by_key(rep(letters[1:20], lengths(rows)), values)
  expect_identical(runs, data.frame(
    key = letters[1:20], count = as.double(lengths(rows)), value = expected
  ))
})

test_that("runs of the demonstration", {
  keys <- rep(0:8, c(3, 3, 29, 8, 2, 11, 13, 1, 30))
  values <- c(
    2, 4, 2, 4, 1, 5, 3, 2, 4, 4, 2, 5, 2, 2, 5, 3, 3, 5, 3, 3, 2, 2, 1, 4, 4, 2, 1, 4, 1, 3,
    1, 3, 2, 4, 2, 5, 1, 2, 1, 5, 4, 4, 1, 5, 4, 1, 5, 2, 3, 4, 1, 2, 4, 2, 5, 4, 3, 4, 5, 3,
    3, 4, 2, 1, 1, 2, 3, 3, 2, 2, 2, 4, 1, 5, 5, 2, 2, 4, 3, 1, 3, 5, 4, 1, 2, 3, 2, 2, 5, 5,
    1, 3, 3, 3, 4, 5, 5, 2, 4, 3
  )
  runs <- reduce_by_key(keys, values)
  expect_identical(runs$key, 0:8)
  expect_identical(runs$value, c(8, 10, 82, 23, 9, 33, 36, 2, 94))
})

test_that("interval expand of the demonstration", {
  counts <- c(2, 5, 7, 16, 0, 1, 0, 0, 14, 10, 3, 14, 2, 1, 11, 2, 1, 0, 5, 6)
  values <- c(
    1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765
  )
  expected <- c(
    1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    8, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 55, 55, 55, 55, 55, 55, 55, 55,
    55, 55, 89, 89, 89, 144, 144, 144, 144, 144, 144, 144, 144, 144, 144, 144, 144, 144, 144,
    233, 233, 377, 610, 610, 610, 610, 610, 610, 610, 610, 610, 610, 610, 987, 987, 1597, 4181,
    4181, 4181, 4181, 4181, 6765, 6765, 6765, 6765, 6765, 6765
  )
  expect_identical(interval_expand(values, counts), expected)
  expect_identical(
    interval_expand(0:8, c(1, 2, 1, 0, 4, 2, 3, 0, 2)),
    c(0L, 1L, 1L, 2L, 4L, 4L, 4L, 4L, 5L, 5L, 6L, 6L, 6L, 8L, 8L)
  )
})

move <- list(
  counts = c(3, 9, 1, 9, 8, 5, 10, 2, 5, 2, 8, 6, 5, 2, 4, 0, 8, 2, 5, 6),
  gather = c(75, 86, 17, 2, 67, 24, 37, 11, 95, 35, 52, 18, 47, 0, 13, 75, 78, 60, 62, 29),
  scatter = c(10, 80, 99, 27, 41, 71, 15, 0, 36, 13, 89, 49, 66, 97, 76, 76, 2, 25, 61, 55),
  moved = c(
    11, 12, 78, 79, 80, 81, 82, 83, 84, 85, 75, 76, 77, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
    45, 46, 60, 61, 2, 3, 4, 5, 6, 7, 8, 9, 10, 95, 96, 97, 98, 99, 67, 68, 69, 70, 71, 72, 73,
    74, 18, 19, 20, 21, 22, 23, 29, 30, 31, 32, 33, 34, 62, 63, 64, 65, 66, 47, 48, 49, 50, 51,
    24, 25, 26, 27, 28, 13, 14, 15, 16, 86, 87, 88, 89, 90, 91, 92, 93, 94, 52, 53, 54, 55, 56,
    57, 58, 59, 0, 1, 17
  )
)

test_that("interval move of the demonstration", {
  from <- move$gather + 1
  to <- move$scatter + 1
  for (x in list(as.double(0:99), 0:99, paste0("x", 0:99), as.list(0:99), as.raw(0:99))) {
    expected <- x[move$moved + 1]
    expect_identical(interval_move(x, move$counts, from, to), expected)
    gathered <- interval_move(x, move$counts, from = from)
    expect_identical(gathered, x[sequence(move$counts, from)])
    expect_identical(interval_move(gathered, move$counts, to = to), expected)
  }
})

# ---- Against plain R ----

plain_reduce <- function(values, offsets, op) {
  op <- match.fun(op)
  suppressWarnings(vapply(seq_len(length(offsets) - 1), function(i) {
    as.double(op(values[seq_len(offsets[i + 1] - offsets[i]) + offsets[i]]))
  }, 0))
}

offsets_of <- function(lengths) c(0, cumsum(lengths))

test_that("reductions agree with loops, for any number of threads", {
  lengths <- list(
    numeric(), 0, 5, c(0, 0, 3, 0), rep(0, 1000), rep(1, 1000), 4095:4098, c(3, 3e5, 0, 2),
    with_seed(1, sample(0:2000, 300, replace = TRUE))
  )
  for (m in lengths) {
    offsets <- offsets_of(m)
    n <- sum(m)
    reals <- with_seed(2, rnorm(n))
    for (values in list(reals, as.integer(round(1e6 * reals)), reals > 0)) {
      for (op in c("sum", "min", "max")) {
        expected <- plain_reduce(values, offsets, op)
        got <- segment_reduce(values, offsets, op, threads = 1)
        expect_near(got, expected, if (op == "sum") 1e-14 else 0,
                    scale = pmax(1, plain_reduce(abs(values), offsets, "sum")))
        expect_identical(segment_reduce(values, offsets, op, threads = 3), got)
      }
    }
  }
})

test_that("missing values and empty segments are as in base R", {
  offsets <- c(0, 2, 2, 4, 6, 8)
  values <- c(1, 2, NA, 1, NaN, 3, NaN, NA)
  for (op in c("sum", "min", "max")) {
    got <- segment_reduce(values, offsets, op)
    expect_identical(got[1:2], plain_reduce(values, offsets, op)[1:2])
    expect_identical(got[3:5], c(NA, NaN, NA))
    expect_identical(
      segment_reduce(c(1L, 2L, NA, 1L), c(0, 2, 2, 4), op)[c(1, 3)],
      c(plain_reduce(1:2, c(0, 2), op), NA)
    )
  }
  expect_identical(segment_reduce(c(Inf, -Inf, 1), c(0, 2, 3)), c(NaN, 1))
  expect_identical(segment_reduce(c(-Inf, Inf, 1), c(0, 2, 3), "max"), c(Inf, 1))
  expect_identical(segment_reduce(rep(.Machine$integer.max, 3), c(0, 3)), 6442450941)
  expect_identical(segment_reduce(numeric(), 0), numeric())
})

test_that("runs agree with rle() for keys of all types", {
  codes <- with_seed(3, rep(sample(5, 500, replace = TRUE), sample(9, 500, replace = TRUE)))
  values <- seq_along(codes)
  for (keys in list(
    codes, codes / 2, letters[codes], codes > 2, complex(real = 1, imaginary = codes),
    as.raw(codes), factor(letters[codes]), as.Date("2024-01-01") + codes
  )) {
    expected <- rle(as.vector(as.character(keys)))
    ends <- cumsum(expected$lengths)
    got <- reduce_by_key(keys, values, "max", threads = 2)
    expect_identical(got$key, keys[ends])
    expect_identical(got$count, as.double(expected$lengths))
    expect_identical(got$value, as.double(ends))
  }
})

test_that("missing keys are equal, and runs come back", {
  got <- reduce_by_key(c(NA, NA, NaN, 0, -0, NA), 1:6)
  expect_identical(got, data.frame(key = c(NA, 0, NA), count = c(3, 2, 1), value = c(6, 9, 6)))
  got <- reduce_by_key(c("a", NA, NA, "a"), 1:4, "min")
  expect_identical(got, data.frame(key = c("a", NA, "a"), count = c(1, 2, 1), value = c(1, 2, 4)))
  accent <- c("\u00e9", iconv("\u00e9", "UTF-8", "latin1"))
  expect_identical(reduce_by_key(accent, 1:2)$value, 3)
  expect_identical(dim(reduce_by_key(integer(), integer())), c(0L, 3L))
  expect_identical(reduce_by_key(c(x = 1, y = 1), 1:2)$key, 1)
})

test_that("64-bit integers are read as numbers, by methods of the package bit64", {
  int64 <- function(x) structure(x, class = "integer64")
  x <- int64(c(1, 1, 3, 2) * 2^-1074) # these doubles have the bits of 1, 1, 3 and 2
  large <- int64(c(2^-1021, 2^-1021 + 2^-1073, -0, 0)) # 2^53, 2^53 + 1, NA and 0
  installed <- requireNamespace("bit64", quietly = TRUE)
  refused(interval_move(c(1, 2), 2, into = x), "into",
          "must be of the same type as `x`, double, not an object of class <integer64> of length 4",
          if (!installed) " (it needs the package bit64)", ".")
  if (!installed) {
    needs_bit64 <- "needs the package bit64, which is not installed."
    refused(segment_reduce(x, c(0, 4)), "values", needs_bit64)
    refused(reduce_by_key(1:4, x), "values", needs_bit64)
    refused(reduce_by_key(x, 1:4), "keys", needs_bit64)
    refused(interval_expand(x, 1:4), "values", needs_bit64)
    refused(interval_move(x, 4), "x", needs_bit64)
    skip("the package bit64 is not installed")
  }
  expect_identical(segment_reduce(x, c(0, 4)), 7)
  expect_identical(reduce_by_key(1:4, x, "max")$value, c(1, 1, 3, 2))
  expect_identical(reduce_by_key(x, 1:4)$count, c(2, 1, 1))
  expect_identical(as.character(reduce_by_key(large, 1:4)$key), c("9007199254740992", "9007199254740993", NA, "0"))
  expect_identical(as.character(interval_expand(x, 1:4)), rep(c("1", "1", "3", "2"), 1:4))
  expect_identical(as.character(interval_move(x, 2, from = 3, to = 2)), c(NA, "3", "2"))
  expect_identical(as.character(interval_move(x, 1, from = 3, into = x)), c("3", "1", "3", "2"))
})

test_that("expansion agrees with rep() for vectors of all types", {
  counts <- with_seed(5, sample(0:6, 30, replace = TRUE))
  for (x in list(
    1:30, 1:30 + 0.5, rep(c(TRUE, NA, FALSE), 10), complex(real = 1:30), as.raw(1:30),
    as.character(1:30), factor(1:30), Sys.Date() + 1:30, as.list(1:30),
    stats::setNames(1:30, letters[c(1:26, 1:4)])
  )) {
    expect_identical(interval_expand(x, counts), rep(x, counts))
    expect_identical(interval_expand(x, as.integer(counts), threads = 3), rep(x, counts))
  }
  long <- c(5e5, rep(1, 1000), rep(0, 1000))
  expect_identical(interval_expand(seq_along(long), long, threads = 3), rep(seq_along(long), long))
  expect_identical(interval_expand(integer(), numeric()), integer())
})

# One segment, empty ones, of one element, as long as what threads take at once, and a long one among short ones.
kinds_of_lengths <- function() {
  with_seed(6, list(
    327683, rep(0, 3e5), rep(1, 3e5), pmax(4096 * sample(0:3, 60, TRUE) + sample(-1:1, 60, TRUE), 0), 65534:65538,
    sample(0:40, 20000, TRUE), replace(sample(0:3, 1e5, TRUE), 777, 196608)
  ))
}

test_that("segments of all kinds and sizes are reduced, found, expanded and moved on threads", {
  for (counts in kinds_of_lengths()) {
    values <- rep_len(c(-5:7, 2^31 - 1), sum(counts))
    ends <- cumsum(counts)
    for (typed in list(values, as.integer(values))) {
      sums <- segment_reduce(typed, c(0, ends), threads = 3)
      expect_identical(sums, diff(c(0, c(0, cumsum(values))[1 + ends])))
    }
    runs <- reduce_by_key(rep(seq_along(counts), counts), values, threads = 3)
    expect_identical(runs$key, which(counts > 0))
    expect_identical(runs$count, as.double(counts[counts > 0]))
    expect_identical(runs$value, sums[counts > 0])
    for (x in list(as.raw(seq_along(counts) %% 251), seq_along(counts), seq_along(counts) / 2, counts * 1i)) {
      all <- rep(x, counts)
      backwards <- 1 + sum(counts) - ends
      expect_identical(interval_expand(x, counts, threads = 3), all)
      moved <- interval_move(all, counts, to = backwards, threads = 3)
      expect_identical(moved, rep(rev(x), rev(counts)))
      expect_identical(interval_move(moved, counts, from = backwards, threads = 2), all)
    }
  }
})

test_that("what a segment gives does not depend on where it lies", {
  values <- with_seed(7, rnorm(3 * 65536 + 1234 + 98765))
  alone <- segment_reduce(values[-(1:98765)], c(0, length(values) - 98765), threads = 2)
  expect_identical(segment_reduce(values, c(0, 98765, length(values)), threads = 2)[2], alone)
})

test_that("missing values are found wherever they are", {
  values <- replace(rep_len(-3:3, 40000), c(15, 39900), NA)
  offsets <- c(0, 10, 20, 30, 39995, 40000)
  for (op in c("sum", "min", "max")) {
    expected <- plain_reduce(values, offsets, op)
    expect_identical(segment_reduce(values, offsets, op, threads = 2), expected)
    expect_identical(segment_reduce(as.double(values), offsets, op, threads = 2), expected)
    not_a_number <- segment_reduce(replace(values, 39900, NaN), offsets, op)
    expect_identical(is.nan(not_a_number), c(FALSE, FALSE, FALSE, TRUE, FALSE))
  }
})

test_that("places that are not written are missing, or those of into", {
  for (x in list(1:4, 1:4 / 2, c(TRUE, FALSE, NA, TRUE), letters[1:4], complex(real = 1:4))) {
    expect_identical(interval_move(x, c(1, 2), to = c(4, 1)), x[c(2, 3, NA, 1)])
  }
  expect_identical(interval_move(as.raw(1:4), c(1, 2), to = c(4, 1)), as.raw(c(2, 3, 0, 1)))
  expect_identical(interval_move(as.list(1:2), 1, to = 2), list(NULL, 1L))
  into <- c(a = 9, b = 8, c = 7)
  expect_identical(interval_move(c(1, 2), 1, from = 2, to = 2, into = into), c(a = 9, b = 2, c = 7))
  plain <- c(9, 8, 7)
  expect_identical(interval_move(c(1, 2), 1, from = 2, to = 2, into = plain), c(9, 2, 7))
  expect_identical(plain, c(9, 8, 7))
  expect_identical(interval_move(1:3, c(0, 0), from = c(9, 1), to = c(5, 5)), integer())
})

# ---- Errors ----

test_that("values, offsets and keys are checked", {
  refused(segment_reduce(1:3), "offsets", "is missing: whole numbers.")
  refused(segment_reduce("a", c(0, 1)), "values", 'must be doubles, integers or logicals, not "a".')
  refused(segment_reduce(factor("a"), c(0, 1)), "values",
          "must be doubles, integers or logicals, not an object of class <factor> of length 1.")
  refused(segment_reduce(1:3, c(0, 1.5, 3)), "offsets", "must be whole numbers of at least 0: element 2 is 1.5.")
  refused(segment_reduce(1:3, c(0, NA, 3)), "offsets", "must be whole numbers of at least 0: element 2 is NA.")
  refused(segment_reduce(1:3, c(-1, 3)), "offsets", "must be whole numbers of at least 0: element 1 is -1.")
  refused(segment_reduce(1:3, c(1, 3)), "offsets", "must begin with 0, not with 1.")
  refused(segment_reduce(1:3, c(0, 2, 1, 3)), "offsets", "must not decrease: element 3 is 1, after 2.")
  refused(segment_reduce(1:3, c(0, 2)), "offsets", "must end with the number of values, 3, not with 2.")
  refused(segment_reduce(1:3, c(0, 4)), "offsets", "must end with the number of values, 3, not with 4.")
  refused(segment_reduce(1:3, numeric()), "offsets",
          "must have one element more than there are segments, and must not be empty.")
  refused(segment_reduce(1:3, "0"), "offsets", 'must be whole numbers, not "0".')
  refused(segment_reduce(1:3, c(0, 3), "mean"), "op", 'must be one of "sum", "min", "max", not "mean".')
  refused(segment_reduce(1:3, c(0, 3), threads = 0), "threads", "must be a whole number of at least 1, not 0.")
  refused(reduce_by_key(list(1), 1), "keys", "must be an atomic vector or a factor, not a list of length 1.")
  refused(reduce_by_key(1:2, 1), "values", "must be as long as `keys` (length 2), not of length 1.")
  refused(reduce_by_key(1:2, c("a", "b")), "values",
          "must be doubles, integers or logicals, not a character vector of length 2.")
})

test_that("intervals are checked", {
  refused(interval_expand(mean, 1), "values", "must be a vector, not a function.")
  refused(interval_expand(1:2, 1), "counts", "must be as long as `values` (length 2), not of length 1.")
  refused(interval_expand(1:2, c(1, -1)), "counts", "must be whole numbers of at least 0: element 2 is -1.")
  refused(interval_expand(1:2, c(NA, 1)), "counts", "must be whole numbers of at least 0: element 1 is NA.")
  refused(interval_expand(letters[1:2], c(1, 0.5)), "counts", "must be whole numbers of at least 0: element 2 is 0.5.")
  refused(interval_expand(1, 1e18), "counts", "must add up to at most 2^52, but exceed it at element 1, 1e+18.")
  refused(interval_expand(1:3, c(2^51, 2^51, 1)), "counts",
          "must add up to at most 2^52, but exceed it at element 3, 1.")
  refused(interval_move(1:9, c(2, NA)), "counts", "must be whole numbers of at least 0: element 2 is NA.")
  refused(interval_move(1:9, c(5, 5)), "x", "must have at least 10 elements for these intervals, not 9.")
  refused(interval_move(1:9, 2, from = 0), "from", "must be whole numbers of at least 1: element 1 is 0.")
  refused(interval_move(1:9, c(2, 2), from = c(1, 9)), "from",
          "must keep intervals within `x`: interval 2 begins at 9 and has 2 elements, but `x` has 9.")
  refused(interval_move(1:9, 2, to = 1.5), "to", "must be whole numbers of at least 1: element 1 is 1.5.")
  refused(interval_move(1:9, c(1, 1, 1), to = c(3, NA, 1)), "to",
          "must be whole numbers of at least 1: element 2 is NA.")
  refused(interval_move(1:9, c(1, 2), to = 1), "to", "must be as long as `counts` (length 2), not of length 1.")
  refused(interval_move(1:9, c(2, 2, 2), to = c(3, 8, 4)), "to",
          "must not make intervals overlap: interval 1 covers 3 to 4, and interval 3 covers 4 to 5.")
  refused(interval_move(letters, c(2, 2), to = c(2, 1)), "to",
          "must not make intervals overlap: interval 1 covers 2 to 3, and interval 2 covers 1 to 2.")
  refused(interval_move(1:9, 2, to = 2, into = 1:2), "to",
          "must keep intervals within `into`: interval 1 begins at 2 and has 2 elements, but `into` has 2.")
  refused(interval_move(1:9, 3, into = 1:2), "into", "must have at least 3 elements for these intervals, not 2.")
  refused(interval_move(1:9, 2, into = c(1, 2)), "into",
          "must be of the same type as `x`, integer, not a double vector of length 2.")
  refused(interval_move(NULL, 2), "x", "must be a vector, not NULL.")
})

test_that("complex keys are missing if a part of them is", {
  keys <- complex(real = c(0, NA, NaN, 1, 1), imaginary = c(NaN, 0, NaN, NaN, 2))
  runs <- reduce_by_key(keys, 1:5)
  expect_identical(runs$count, c(4, 1))
  expect_identical(runs$value, c(10, 5))
})
