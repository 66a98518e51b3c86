# ---- Oracles: straight from the definitions ----

# The function with the given values at sorted candidate times, without flat breakpoints.
oracle_curve <- function(times, value, start = NULL) {
  times <- sort(unique(times))
  values <- vapply(times, value, 0)
  keep <- values != c(0, values[-length(values)])
  if (!is.null(start)) keep[1] <- TRUE
  if (!any(keep)) return(pcf(0, 0))
  pcf(times[keep], values[keep])
}

oracle_of_living <- function(bars, sign) {
  sign <- rep_len(sign, nrow(bars))
  times <- c(bars[, 2], bars[is.finite(bars[, 3]), 3])
  oracle_curve(times, function(t) sum(sign[bars[, 2] <= t & t < bars[, 3]]))
}

# `bars` has the columns dimension, birth and death; only finite births.
oracle_of <- list(
  stable_rank = function(bars) {
    length <- bars[, 3] - bars[, 2]
    oracle_curve(c(0, length[is.finite(length)]), function(t) sum(length > t), start = 0)
  },
  betti_curve = function(bars) oracle_of_living(bars, 1),
  euler_curve = function(bars) oracle_of_living(bars, (-1)^bars[, 1]),
  accumulated_persistence = function(bars) {
    middle <- bars[, 2] / 2 + bars[, 3] / 2
    length <- bars[, 3] - bars[, 2]
    counts <- is.finite(middle) & length > 0
    oracle_curve(middle[counts], function(t) accurate_sum(c(0, length[middle <= t])))
  }
)

# Bars on whole or real times, some of length 0, some that never die.
random_bars <- function(n, whole = FALSE) {
  birth <- runif(n, -2, 5)
  length <- rexp(n) * (runif(n) > 0.1)
  if (whole) {
    birth <- round(birth)
    length <- round(length)
  }
  death <- birth + length
  death[runif(n) < 0.05] <- Inf
  cbind(dimension = sample(0:3, n, TRUE), birth = birth, death = death)
}

random_diagrams <- function(sizes, seed = 1) {
  with_seed(seed, lapply(seq_along(sizes), function(i) random_bars(sizes[i], i %% 2 == 0)))
}

curve_names <- names(oracle_of)

# Curves of dimension 1, or Euler curves, and the bars that count for them.
call_curve <- function(curve, x, ...) {
  f <- get(curve, asNamespace("pcfdist"))
  if (curve == "euler_curve") f(x, ...) else f(x, dimension = 1, ...)
}

bars_for <- function(curve, x) {
  if (curve == "euler_curve") x else lapply(x, function(b) b[b[, 1] == 1, , drop = FALSE])
}

expect_curve <- function(curve, actual, expected) {
  if (curve != "accumulated_persistence") {
    testthat::expect_identical(actual, expected)
    return(invisible())
  }
  testthat::expect_identical(lengths(unclass(actual)), lengths(unclass(expected)))
  for (k in 1:2) {
    column <- function(x) unlist(lapply(unclass(x), function(f) f[, k]))
    expect_near(column(actual), column(expected), 4e-16)
  }
}

# ---- Tests ----

test_that("curves are what their definitions say", {
  bars <- cbind(c(0, 1, 1, 4), c(2, 3, 2, 4))
  expect_identical(stable_rank(bars), pcf(c(0, 1, 2), c(3, 2, 0)))
  expect_identical(betti_curve(bars), pcf(0:3, c(1, 3, 1, 0)))
  expect_identical(accumulated_persistence(bars), pcf(c(1, 1.5, 2), c(2, 3, 5)))
  expect_identical(euler_curve(cbind(c(0, 1, 2, 0), c(0, 1, 1, 4), c(2, 3, 2, 4))), pcf(c(0, 2, 3), c(1, -1, 0)))
})

test_that("a time that two bars share is one breakpoint, wherever it lies", {
  for (n in c(7, 8)) for (k in seq_len(n - 1)) {
    times <- replace(seq_len(n), k + 1, k)
    bars <- cbind(0, times[1:4], c(times[-(1:4)], if (n == 7) Inf))
    expect_identical(betti_curve(bars[, 2:3]), oracle_of$betti_curve(bars))
  }
})

test_that("curves of random diagrams agree with the oracles", {
  x <- random_diagrams(c(0, 1, 2, 3, 10, 24, 25, 26, 60, 61, 150))
  for (curve in curve_names) {
    expected <- do.call(c, lapply(bars_for(curve, x), oracle_of[[curve]]))
    for (threads in c(1, 3)) expect_curve(curve, call_curve(curve, x, threads = threads), expected)
  }
})

# With times that are multiples of 1/8, all sums are exact.
test_that("curves of large diagrams count bars, for any number of threads", {
  x <- with_seed(13, lapply(c(0, 3000, 40000, 70000, 17, 200000), function(n) {
    birth <- floor(4000 * runif(n)) / 8
    length <- ifelse(runif(n) < 0.9, floor(1000 * runif(n)) / 8, 0)
    cbind(sample(0:2, n, TRUE), birth, birth + replace(length, runif(n) < 0.05, Inf))
  }))
  times <- seq(-1, 700, 1 / 16)
  below <- function(numbers) findInterval(times, sort(numbers)) # how many are at most as large
  alive <- function(b) below(b[, 2]) - below(b[, 3])
  oracles <- list(
    stable_rank = function(b) (times >= 0) * (nrow(b) - below(b[, 3] - b[, 2])),
    betti_curve = alive,
    euler_curve = function(b) {
      odd <- b[, 1] == 1
      alive(b[!odd, , drop = FALSE]) - alive(b[odd, , drop = FALSE])
    },
    accumulated_persistence = function(b) {
      b <- b[is.finite(b[, 3]), , drop = FALSE]
      middle <- (b[, 2] + b[, 3]) / 2
      c(0, cumsum((b[, 3] - b[, 2])[order(middle)]))[below(middle) + 1]
    }
  )
  for (curve in names(oracles)) {
    got <- call_curve(curve, x, threads = 3)
    wanted <- vapply(bars_for(curve, x), function(b) oracles[[curve]](b) + 0, times)
    expect_identical(t(evaluate(got, times)), wanted)
    expect_identical(got, drop_redundant(got))
    expect_identical(call_curve(curve, x, threads = 1), got)
  }
})

test_that("the dimension picks the bars", {
  x <- random_diagrams(c(40, 30))
  for (k in 0:3) {
    picked <- lapply(x, function(b) b[b[, 1] == k, 2:3, drop = FALSE])
    expect_identical(betti_curve(x, k), betti_curve(picked))
    expect_identical(stable_rank(x, dimension = k), stable_rank(picked))
  }
  expect_identical(suppressWarnings(betti_curve(x, dimension = 9)), rep(pcf(0, 0), 2))
  one <- lapply(x, function(b) b[b[, 1] == 2, , drop = FALSE])
  expect_identical(betti_curve(one), betti_curve(x, dimension = 2))
})

test_that("bars that never die are kept, dropped or cut", {
  bars <- cbind(c(0, 1, 5), c(2, Inf, Inf))
  expect_identical(betti_curve(bars), pcf(c(0, 1, 2, 5), c(1, 2, 1, 2)))
  expect_identical(betti_curve(bars, infinite = "drop"), pcf(c(0, 2), c(1, 0)))
  expect_identical(betti_curve(bars, infinite = 5), pcf(c(0, 1, 2, 5), c(1, 2, 1, 0)))
  expect_identical(betti_curve(bars, infinite = 4), pcf(c(0, 1, 2, 4), c(1, 2, 1, 0)))
  expect_identical(stable_rank(bars), pcf(c(0, 2), c(3, 2)))
  expect_identical(stable_rank(bars, infinite = "drop"), pcf(c(0, 2), c(1, 0)))
  expect_identical(stable_rank(bars, infinite = 9), pcf(c(0, 2, 4, 8), 3:0))
  expect_identical(accumulated_persistence(bars), pcf(1, 2))
  expect_identical(accumulated_persistence(bars, infinite = 5), pcf(c(1, 3), c(2, 6)))
  expect_identical(betti_curve(bars[3, , drop = FALSE], infinite = "drop"), pcf(0, 0))
})

test_that("diagrams without bars give the zero function", {
  empty <- list(a = matrix(0, 0, 2), b = matrix(0, 0, 3), c = data.frame(birth = 1, death = 1)[0, ], d = cbind(2, 2))
  for (curve in list(stable_rank, betti_curve, accumulated_persistence)) {
    expect_identical(curve(empty), pcf(list(a = 0, b = 0, c = 0, d = 0), list(0, 0, 0, 0)))
  }
  expect_identical(euler_curve(empty["b"]), pcf(list(b = 0), list(0)))
  expect_identical(stable_rank(list()), c(pcf(0, 0))[0])
  expect_identical(euler_curve(cbind(0:1, 1, 2)), pcf(0, 0))
})

test_that("names and dimensions of the list are kept", {
  x <- random_diagrams(c(3, 4, 5, 6))
  expect_named(euler_curve(c(p = x[1], q = x[2])), c("p", "q"))
  dim(x) <- c(2, 2)
  dimnames(x) <- list(c("a", "b"), NULL)
  result <- euler_curve(x)
  expect_identical(dim(result), c(2L, 2L))
  expect_identical(dimnames(result), dimnames(x))
  expect_identical(result["b", 1], euler_curve(x["b", 1]))
})

test_that("the diagrams of other packages are understood", {
  bars <- cbind(dimension = c(0, 0, 1, 1, 1), birth = c(0, 0, 1, 2, 2), death = c(3, 1, 2, 3, 5))
  tda <- bars
  colnames(tda) <- c("dimension", "Birth", "Death")
  tda <- structure(tda, class = "diagram", maxdimension = 1, scale = c(0, 5), call = quote(f()))
  phutil <- structure(
    list(pairs = list(unname(bars[1:2, 2:3]), matrix(0, 0, 2), bars[3:5, 2:3]), metadata = list(orientation = "")),
    class = "persistence"
  )
  kinds <- list(
    bars, unname(bars), as.data.frame(bars), tda, list(diagram = tda, cycleLocation = list()),
    structure(as.data.frame(bars), class = c("PHom", "data.frame")),
    data.frame(persistence = bars[, 3] - bars[, 2], bars[, 3:1]),
    data.frame(degree = factor(bars[, 1]), start = bars[, 2], end = bars[, 3]),
    matrix(as.integer(bars), 5)
  )
  for (kind in kinds) {
    expect_identical(betti_curve(kind, dimension = 1), betti_curve(bars[3:5, 2:3]))
    expect_identical(betti_curve(list(a = kind, kind), 0)[[1]], betti_curve(bars[1:2, 2:3]))
    expect_identical(euler_curve(list(kind, b = bars))[[1]], euler_curve(bars))
  }
  expect_identical(stable_rank(phutil, 2), stable_rank(bars[3:5, 2:3]))
  expect_identical(suppressWarnings(stable_rank(phutil, 1)), pcf(0, 0))
  expect_identical(stable_rank(list(phutil, phutil), 0), rep(stable_rank(bars[1:2, 2:3]), 2))
  expect_identical(stable_rank(kinds, 1), rep(stable_rank(bars, 1), length(kinds)))
})

test_that("a long table of several diagrams gives a function for each", {
  x <- random_diagrams(c(5, 9, 1, 30))
  names(x) <- c("d", "b", "a", "c")
  long <- do.call(rbind, lapply(names(x), function(k) data.frame(cloud = k, x[[k]])))
  shuffled <- long[with_seed(2, order(runif(nrow(long)))), ]
  for (curve in curve_names) {
    each <- call_curve(curve, x)
    expect_identical(call_curve(curve, long, id = "cloud"), each)
    mixed <- call_curve(curve, shuffled, id = "cloud")
    expect_named(mixed, unique(shuffled$cloud))
    expect_equal(mixed[names(x)], each, tolerance = 1e-12)
  }
  numbers <- cbind(x$d, cloud = c(1, 2, 1, 2, 1), part = 0)
  expect_identical(
    stable_rank(numbers, id = c("cloud", "part"), dimension = 1),
    stable_rank(list("1, 0" = x$d[c(1, 3, 5), ], "2, 0" = x$d[c(2, 4), ]), dimension = 1)
  )
  # Without dimensions, and with names that are not those of bars.
  expect_identical(
    betti_curve(data.frame(x = c(0, 1), k = c("u", "v"), y = c(2, 3)), id = "k"),
    pcf(list(u = c(0, 2), v = c(1, 3)), list(1:0, 1:0))
  )
  expect_length(betti_curve(long[0, ], id = "cloud"), 0)
})

test_that("a column that looks like an id is not pooled", {
  bars <- data.frame(birth = c(0, 0, 1), death = c(1, 2, 4))
  columns <- list(
    cloud = c("a", "a", "b"), k = factor(c(1, 2, 2)), run = c(0.5, 1.5, 1.5), n = c(1, 1, 2),
    sample_id = 1:3, day = as.Date("2020-01-01") + 0:2, sampleId = 1:3
  )
  for (name in names(columns)) {
    table <- cbind(bars, structure(columns[name], row.names = 1:3, class = "data.frame"))
    expect_error(stable_rank(table), name, class = "pcfdist_error_id")
    expect_error(betti_curve(list(bars, table)), "diagram 2", class = "pcfdist_error_id")
    expect_length(betti_curve(table, id = name), length(unique(columns[[name]])))
    table[[name]] <- table[[name]][1]
    expect_identical(stable_rank(table), stable_rank(bars))
  }
  ignored <- cbind(bars, length = bars$death - bars$birth, weight = c(0.1, 0.5, 0.1), row = c(4, 2, 7))
  expect_identical(stable_rank(ignored), stable_rank(bars))
  # A column that belongs to the diagrams does not tell bars of one apart.
  labelled <- cbind(bars, cloud = c(1, 1, 2), kind = c("x", "x", "y"))
  expect_length(stable_rank(labelled, id = "cloud"), 2)
  leaves_out <- function(call, column) {
    refused(call, "id", "does not include the column `", column, "` of the diagram, which seems to tell several ",
            "diagrams apart. Add it to `id` if `x` is one table, split the table by it, or remove it if all rows are ",
            "one diagram.")
  }
  leaves_out(stable_rank(labelled), "cloud")
  leaves_out(stable_rank(cbind(labelled, part = c("p", "q", "p")), id = "cloud"), "part")
  leaves_out(betti_curve(data.frame(id = c(0, 0, 1), b = 1:3, d = 2:4), dimension = 0), "id")
  leaves_out(stable_rank(as.matrix(labelled[1:3])), "cloud")
  no_column(stable_rank(labelled, id = "sample"), "id", "birth, death, cloud, kind", "sample")
  refused(stable_rank(list(labelled), id = "cloud"), "id",
          "needs one table, but `x` is a list of length 1. In a list, each element is a diagram.")
  refused(stable_rank(hclust(dist(1:3), "single"), id = "cloud"), "id",
          "needs one table, but `x` is an object of class <hclust> of length 7. In a list, each element is a diagram.")
  refused(stable_rank(transform(labelled, death = c(1, NaN, 3)), id = "cloud"), "x",
          'is invalid: diagram 1 ("1") has a missing value in row 2.')
  refused(stable_rank(transform(labelled, birth = c(1, 2, NA)), id = "kind"), "x",
          'is invalid: diagram 2 ("y") has a missing value in row 3.')
})

test_that("a list may have a diagram of the name diagram", {
  x <- list(diagram = cbind(0, 1), other = cbind(0, 2))
  expect_identical(stable_rank(x), pcf(list(diagram = 0:1, other = c(0, 2)), list(1:0, 1:0)))
})

test_that("single linkage gives the bars of dimension 0", {
  points <- with_seed(1, matrix(rnorm(40), 20))
  tree <- hclust(dist(points), "single")
  rank <- stable_rank(tree)
  expect_identical(rank, stable_rank(cbind(0, 0, c(tree$height, Inf))))
  # As many clusters as cutree() finds at a height.
  expect_identical(as.vector(as.matrix(rank, 0.7)), as.double(max(cutree(tree, h = 0.7))))
  expect_identical(betti_curve(list(a = tree, tree))[["a"]], betti_curve(tree))
})

test_that("times keep all their digits, and -0 is 0", {
  bars <- cbind(c(-0, 0, 5e-324, -1e308), c(1e-320, 1e308, 1, 1e308))
  expect_identical(betti_curve(bars), pcf(c(-1e308, 0, 5e-324, 1e-320, 1, 1e308), c(1, 3, 4, 3, 2, 0)))
  expect_identical(1 / unclass(betti_curve(bars[1:2, ]))[[1]][[1, "time"]], Inf)
  # One bar is longer than the largest number.
  expect_identical(stable_rank(bars), pcf(c(0, 1e-320, 1, 1e308), 4:1))
})

test_that("bars longer than the largest number add nothing to the accumulated persistence", {
  long <- cbind(-1e308, 1e308)
  for (infinite in list("keep", "drop", 5)) {
    expect_identical(accumulated_persistence(long, infinite = infinite), pcf(0, 0))
    # Their deaths are finite: they are not replaced, nor dropped from the other functions.
    expect_identical(stable_rank(long, infinite = infinite), pcf(0, 1))
    expect_identical(betti_curve(long, infinite = infinite), pcf(c(-1e308, 1e308), 1:0))
  }
  for (n in c(1, 7, 100, 1e5)) {
    others <- cbind(0, seq_len(n))
    between <- rbind(others, long, others)
    expect_identical(accumulated_persistence(between), accumulated_persistence(rbind(others, others)))
  }
})

test_that("lengths are added up accurately", {
  bars <- cbind(c(0, 1:1e4), c(1e16, 1:1e4 + 1))
  total <- unclass(accumulated_persistence(bars))[[1]]
  expect_identical(total[nrow(total), "value"], c(value = 1e16 + 1e4))
  tenths <- cbind(0, rep(0.1, 1e5))
  expect_identical(as.vector(unclass(accumulated_persistence(tenths))[[1]][1, 2]), 0.1 * 1e5)
})

test_that("64-bit integers are numbers, by methods of the package bit64", {
  # These doubles have the bits of 1, 2, 4 and 7.
  x <- structure(c(1, 2, 4, 7) * 2^-1074, dim = c(2L, 2L), class = "integer64")
  if (requireNamespace("bit64", quietly = TRUE)) {
    expect_identical(stable_rank(list(x)), stable_rank(list(cbind(1:2, c(4, 7)))))
  } else {
    refused(stable_rank(list(x)), "x", "needs the package bit64, which is not installed.")
  }
})

test_that("births and deaths with a unit are errors, since the unit would be lost", {
  has_class <- function(call, label, name, class, hint, length = 2) {
    refused(call, "x", "is invalid: ", label, " has the column `", name, "`, which is an object of class <", class,
            "> of length ", length, ", not plain numbers. Its unit would be lost: ", hint)
  }
  hours <- data.frame(birth = as.difftime(c(0, 0), units = "hours"), death = as.difftime(c(1, 2), units = "days"))
  as_hours <- paste("as.numeric(x$birth, units = \"hours\") makes plain numbers, with the same unit for all births and",
                    "deaths.")
  draw_nowhere()
  for (call in list(betti_curve, stable_rank, accumulated_persistence, landscape, as_diagram, plot_barcode)) {
    has_class(call(hours), "the diagram", "birth", "difftime", as_hours)
    has_class(call(list(cbind(0, 1), b = hours)), 'diagram 2 ("b")', "birth", "difftime", as_hours)
  }
  has_class(euler_curve(cbind(dimension = 0, hours)), "the diagram", "birth", "difftime", as_hours)
  has_class(betti_curve(list(pairs = list(hours))), "the diagram", "birth", "difftime", as_hours)
  has_class(betti_curve(cbind(hours, id = 1:2), id = "id"), "the diagram", "birth", "difftime", as_hours)
  dates <- data.frame(
    start = 0, end = as.Date("2024-01-01") + 0:1, "the time" = as.POSIXct("2024-01-02", tz = "UTC"), check.names = FALSE
  )
  has_class(betti_curve(dates[1:2]), "the diagram", "end", "Date",
            "as.numeric(x$end) makes plain numbers, with the same unit for all births and deaths.")
  has_class(betti_curve(dates[c(1, 3)]), "the diagram", "the time", "POSIXct",
            "as.numeric(x$`the time`) makes plain numbers, with the same unit for all births and deaths.")
  clocks <- data.frame(birth = 1:2, death = I(structure(3:4, class = "ITime")))
  class(clocks$death) <- "ITime"
  has_class(betti_curve(clocks), "the diagram", "death", "ITime",
            "as.numeric(x$death) makes plain numbers, with the same unit for all births and deaths.")
  class(clocks$death) <- "units"
  has_class(betti_curve(clocks), "the diagram", "death", "units",
            "units::drop_units(x$death) makes plain numbers, with the same unit for all births and deaths.")
  # The plain numbers that messages advise are no error.
  hours[] <- lapply(hours, as.numeric, units = "hours")
  expect_identical(betti_curve(hours), pcf(c(0, 24, 48), 2:0))
})

test_that("matrices with a unit are no diagrams", {
  for (class in c("Date", "units")) {
    days <- structure(cbind(birth = 1:3, death = 4:6 + 0), class = class)
    no_numbers <- function(call, label = "the diagram") {
      refused(call, "x", "is invalid: ", label, " is an object of class <", class, "> of length 6, not columns of ",
              "numbers: birth and death, or dimension, birth and death. Its unit would be lost: unclass() makes plain ",
              "numbers, with the same unit for all births and deaths.")
    }
    no_numbers(betti_curve(days))
    no_numbers(as_diagram(list(unclass(days), days)), "diagram 2")
    no_numbers(betti_curve(days, id = "birth"))
    no_numbers(betti_curve(list(pairs = list(days))))
    expect_s3_class(betti_curve(unclass(days)), "pcf")
  }
})
test_that("bars that die before their birth by rounding are ignored", {
  single <- as_floats(c(0.3, 0.7, 1234.567, -5.4321))
  earlier <- function(by) single * (1 - sign(single) * by)
  births <- c(single, single, pi * 1e5)
  deaths <- c(earlier(9e-7), as_floats(earlier(2^-23)), pi * 1e5 * (1 - 5e-13))
  bars <- cbind(births, deaths)
  expect_true(all(deaths < births))
  more <- cbind(c(0, 1), c(2, 3))
  for (curve in list(stable_rank, betti_curve, accumulated_persistence, landscape, silhouette_curve)) {
    expect_identical(curve(rbind(bars, more)), curve(more))
  }
  expect_identical(euler_curve(cbind(1, rbind(bars, more))), euler_curve(cbind(1, more)))
  for (wrong in list(c(0.5, 0.5 * (1 - 1.1e-6)), pi * c(1, 1 - 1.1e-12), c(1, -1))) {
    expect_error(stable_rank(rbind(more, wrong)), "before the birth", class = "pcfdist_error_x")
    expect_error(landscape(rbind(more, wrong)), "before the birth", class = "pcfdist_error_x")
  }
})

test_that("diagrams that are none are errors", {
  refused(stable_rank(3), "x", "must be a persistence diagram or a list of them, not 3.")
  refused(betti_curve("a"), "x", 'must be a persistence diagram or a list of them, not "a".')
  refused(euler_curve(NULL), "x", "must be a persistence diagram or a list of them, not NULL.")
  refused(accumulated_persistence(mean), "x", "must be a persistence diagram or a list of them, not a function.")
  refused(stable_rank(list(cbind(0, 1), b = 1:3)), "x",
          'is invalid: diagram 2 ("b") is an integer vector of length 3, not a persistence diagram.')
  single <- ' For distances, use hclust(x, "single"), which has the bars of dimension 0.'
  for (f in c(stable_rank, as_diagram)) {
    refused(f(dist(1:3)), "x",
            "is invalid: the diagram is an object of class <dist> of length 3, not a persistence diagram.", single)
  }
  no_columns <- function(call, is, ...) {
    refused(call, "x", "is invalid: ", is, ", not columns of numbers: birth and death, or dimension, birth and death.",
            ...)
  }
  no_columns(stable_rank(list(cbind(0, 1), matrix("a", 2, 2))), "diagram 2 is a matrix (character) of 2 x 2")
  no_columns(betti_curve(diag(4)), "the diagram is a matrix (double) of 4 x 4",
             sub("(x", "(as.dist(x)", single, fixed = TRUE))
  no_columns(stable_rank(matrix(0, 2, 4)), "the diagram is a matrix (double) of 2 x 4")
  refused(stable_rank(data.frame(birth = 0, death = "b")), "x",
          'is invalid: the diagram has the column `death`, which is "b", not numbers. as.numeric() converts text to ',
          "numbers.")
  no_columns(stable_rank(list(list(pairs = list(1:3)))), "the diagram is an integer vector of length 3")
  turned <- data.frame(b = 0:1, d = c(0.5, 1.5), dim = 2)
  order <- " Columns in another order need these names."
  no_columns(stable_rank(turned, dimension = 2), "the diagram is a data frame with 3 columns", order)
  no_columns(stable_rank(turned[c("d", "dim")]), "the diagram is a data frame with 2 columns", order)
  no_columns(stable_rank(cbind(x = 1, end = 2, y = 3)), "the diagram is a matrix (double) of 1 x 3", order)
  bars <- stable_rank(cbind(0:1, c(0.5, 1.5)))
  expect_identical(stable_rank(turned[c(3, 1, 2)], dimension = 2), bars)
  expect_identical(stable_rank(data.frame(start = 0:1, stop = c(0.5, 1.5))), bars)
  refused(betti_curve(hclust(dist(1:3), "average")), "x",
          'is invalid: the diagram is a clustering with the method "average", but only "single" gives the bars of ',
          "dimension 0 of distances. For the mergers of other clusterings, use as_diagram().")
  refused(euler_curve(cbind(0, 1)), "x", "is invalid: the diagram has no dimensions, but these are needed here.")
  refused(betti_curve(list(a = cbind(0, 0, 1), b = cbind(0, 1)), dimension = 0), "x",
          'is invalid: diagram 2 ("b") has no dimensions, but these are needed here.')
})

test_that("bars that break the rules are errors that name diagram and row", {
  bars <- cbind(dimension = 0, birth = c(0, 1, 2), death = c(1, 2, 3))
  broken <- function(row, column, value) {
    bars[row, column] <- value
    list(a = bars[1:2, ], b = bars)
  }
  breaks <- function(call, ...) refused(call, "x", "is invalid: diagram ", ...)
  superlevel <- paste0(" before the birth 2 in row 3. ", orders_bars)
  not_whole <- paste(" in row 3, which is not a non-negative whole number. Columns without names are birth and death,",
                     "or dimension, birth and death.")
  breaks(stable_rank(broken(3, "birth", NA)), '2 ("b") has a missing value in row 3.')
  breaks(stable_rank(broken(2, "death", NaN)), '1 ("a") has a missing value in row 2.')
  breaks(betti_curve(broken(1, "birth", -Inf)), '1 ("a") has an infinite birth (-Inf) in row 1.')
  breaks(betti_curve(broken(1, "birth", Inf)), '1 ("a") has an infinite birth (Inf) in row 1.')
  breaks(betti_curve(broken(3, "death", 1.5)), '2 ("b") has the death 1.5', superlevel)
  breaks(betti_curve(broken(3, "death", -Inf)), '2 ("b") has the death -Inf', superlevel)
  breaks(euler_curve(broken(3, "dimension", 0.5)), '2 ("b") has the dimension 0.5', not_whole)
  breaks(euler_curve(unname(broken(3, "dimension", -1))), "2 has the dimension -1", not_whole)
  breaks(betti_curve(broken(3, "dimension", NA), dimension = 1), '2 ("b") has the dimension NA', not_whole)
  breaks(accumulated_persistence(list(cbind(0, 1), cbind(0, rep(1e308, 3)))),
         "2 has bars whose total length overflows.")
  refused(betti_curve(broken(3, "dimension", 2)), "dimension", "must be given: there are bars of the dimensions 0, 2.")
  error <- tryCatch(stable_rank(broken(3, "birth", NA)), error = identity)
  expect_identical(error[c("argument", "index", "position")], list(argument = "x", index = 2, position = 3))
})

test_that("other arguments are checked", {
  bars <- cbind(0, 1)
  for (wrong in list(-1, 0.5, "a")) {
    refused(stable_rank(bars, dimension = wrong), "dimension", "must be a whole number of at least 0, not ",
            if (is.character(wrong)) deparse(wrong) else wrong, ".")
  }
  refused(stable_rank(bars, dimension = 0), "x",
          "is invalid: the diagram has no dimensions, but these are needed here.")
  for (wrong in list("cut", NA, Inf)) {
    refused(betti_curve(bars, infinite = wrong), "infinite", 'must be "keep", "drop" or a finite number, not ',
            if (is.character(wrong)) deparse(wrong) else wrong, ".")
  }
  refused(betti_curve(bars, infinite = 1:2), "infinite",
          'must be "keep", "drop" or a finite number, not an integer vector of length 2.')
  refused(betti_curve(bars, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
})

test_that("a dimension that no diagram has gives a warning", {
  x <- list(cbind(dimension = 0:1, birth = 0:1, death = 2:3), cbind(dimension = 2, birth = 0, death = 1))
  expect_message_of <- function(code, message) {
    warned <- expect_warning(code, class = "pcfdist_warning_dimension")
    expect_identical(conditionMessage(warned), message)
  }
  message <- "No diagram has bars of dimension 5: there are bars of dimension 0, 1, 2."
  expect_message_of(stable_rank(x, dimension = 5), message)
  expect_message_of(betti_curve(x, dimension = 5), message)
  expect_message_of(accumulated_persistence(x, dimension = 5), message)
  expect_message_of(bars_to_draw(x, c(0, 5), Inf), message)
  expect_message_of(
    stable_rank(x[[1]][0, ], dimension = 1), "No diagram has bars of dimension 1: there are no bars at all."
  )
  expect_silent(stable_rank(x, dimension = 2))
})

test_that("a list that may be of one diagram, a matrix a dimension, is asked for", {
  dgms <- list(cbind(c(0, 0), c(2, Inf)), cbind(c(1, 1.5), c(2, 4)), matrix(0, 0, 2))
  message <- paste(
    "`x` is a list of birth-death matrices that looks like one diagram with a matrix for each dimension, as",
    "returned by ripser.py: all births are 0 in the first matrix, and none in the others. If so, use",
    "list(pairs = x). If each matrix is a diagram, name the elements of the list."
  )
  for (of_one in list(dgms, list(dgms[[1]], matrix(0, 0, 2)))) expect_refusal(stable_rank(of_one), "x", message)
  expect_refusal(betti_curve(dgms, dimension = 1), "x", message)
  expect_refusal(plot_barcode(dgms), "x", message)
  for (one in list(list(pairs = dgms), list(dgms = dgms, num_edges = 3))) {
    expect_identical(stable_rank(one, dimension = 1), stable_rank(dgms[[2]]))
  }
  names(dgms) <- c("a", "b", "c")
  expect_identical(stable_rank(dgms)[["b"]], stable_rank(dgms[[2]]))
  # Samples of one dimension are not taken for dimensions of one sample.
  expect_length(stable_rank(unname(dgms[c(1, 1)])), 2)
  expect_length(stable_rank(unname(dgms[c(2, 2)])), 2)
})

test_that("what programs write for an infinite death is read as one, by all readers of diagrams", {
  bars <- cbind(dimension = c(0, 0, 0, 1), birth = c(0, 0, 0.5, 1), death = c(1, Inf, Inf, 2))
  readers <- list(
    function(x, ...) stable_rank(x, dimension = 0, ...), function(x, ...) betti_curve(x, dimension = 0, ...),
    function(x, ...) euler_curve(x, ...), function(x, ...) accumulated_persistence(x, dimension = 0, ...),
    function(x, ...) accumulated_persistence(x, dimension = 0, max_death = 3, ...),
    function(x, infinite = "drop") landscape(x, dimension = 0, infinite = infinite),
    function(x, infinite = "drop") silhouette_curve(x, dimension = 0, infinite = infinite),
    function(x, infinite = "keep") bars_to_draw(x, NULL, check_infinite(infinite)),
    function(x, infinite) as_diagram(x)
  )
  forms <- list(identity, as.data.frame, function(x) list(a = x, b = x), function(x) unname(x),
                function(x) list(diagram = x), function(x) list(pairs = list(x[1:3, 2:3], x[4, 2:3, drop = FALSE])))
  for (death in c(1.7976931348623157e308, 1.797e308, 3.4028234663852886e38, 3.4028235e38, 3.402823e38, NA)) {
    written <- bars
    written[2:3, "death"] <- c(death, Inf)
    for (read in readers) {
      for (form in forms) {
        expect_identical(read(form(written)), read(form(bars)))
        for (infinite in list("drop", 4)) {
          expect_identical(read(form(written), infinite = infinite), read(form(bars), infinite = infinite))
        }
      }
    }
    refused(landscape(written, dimension = 0), "x", "is invalid: the diagram has a bar that never dies in row 2, ",
            'which has no tent. Use `infinite = "drop"` to leave such bars out, or a number as their death.')
    long <- cbind(as.data.frame(written), id = "a")
    expect_identical(betti_curve(long, dimension = 0, id = "id"), betti_curve(list(a = bars), dimension = 0))
  }
  integers <- cbind(birth = c(0L, 1L), death = c(NA, 3L))
  expect_identical(stable_rank(integers), stable_rank(cbind(c(0, 1), c(Inf, 3))))
  for (death in c(1.79e308, 1e300, 3.39e38, 3.41e38)) {
    expect_identical(unname(as_diagram(cbind(0, death))[1, 2]), death)
  }
  refused(stable_rank(cbind(0, NaN)), "x", "is invalid: the diagram has a missing value in row 1.")
})

test_that("dimensions may be text, and what is no number is an error that names the column", {
  bars <- data.frame(dimension = c(0, 1, 1), birth = 0:2, death = 3:5)
  for (convert in c(as.character, factor, as.integer, function(d) factor(c("0", "1", "1"), c("1", "0")))) {
    text <- transform(bars, dimension = convert(dimension))
    for (curve in curve_names) expect_identical(call_curve(curve, text), call_curve(curve, bars))
  }
  is_text <- function(x, column, ...) {
    refused(betti_curve(x, 0), "x", "is invalid: the diagram has the column `", column, "`, which is a character ",
            "vector of length 3, not numbers.", ...)
  }
  is_text(transform(bars, dimension = paste0("H", dimension)), "dimension")
  is_text(transform(bars, dimension = factor(paste0("H", dimension))), "dimension")
  is_text(setNames(transform(bars, death = as.character(death)), c("d", "x", "y")), "y",
          " as.numeric() converts text to numbers.")
})

test_that("bars with a multiplicity are no single bars", {
  bars <- data.frame(dimension = 0, birth = c(0, 1), death = 2:3, Multiplicity = c(5, 1))
  expected <- stable_rank(bars[c(1, 1, 1, 1, 1, 2), 1:3])
  for (x in list(bars, as.matrix(bars), cbind(cloud = "a", bars), bars[2:4], as.matrix(bars)[, 2:4], bars[1, ])) {
    message <- conditionMessage(tryCatch(stable_rank(x), pcfdist_error_x = identity))
    expect_match(message, "the diagram has the column `Multiplicity`, but each row is one bar.", fixed = TRUE)
    all <- eval(str2lang(sub(".*bar[.] (.*) has a row.*", "\\1", message)))
    expect_true(stable_rank(all) == if (nrow(x) == 1) stable_rank(bars[rep(1, 5), 1:3]) else expected)
  }
  for (f in c(landscape, as_diagram)) expect_error(f(bars), "Multiplicity", class = "pcfdist_error_x")
  expect_error(stable_rank(cbind(cloud = "a", bars), id = "cloud"), "Multiplicity", class = "pcfdist_error_x")
  expect_true(stable_rank(transform(bars, Multiplicity = 1)) == stable_rank(bars[1:3]))
})

test_that("diagrams without bars in a table are those of levels without rows", {
  table <- data.frame(k = factor(c("c", "a", "c"), c("a", "b", "c")), dimension = c(0, 0, 2), birth = 0:2, death = 3:5)
  no_level <- function(call, ...) {
    warned <- tryCatch(call, pcfdist_warning_id = identity)
    expect_identical(conditionMessage(warned), paste0(
      "No row of `x` has the level", ..., " of the factor `k`, whose diagrams have no bars. droplevels() drops such ",
      "levels."
    ))
    suppressWarnings(call)
  }
  holes <- table[table$dimension == 2, ]
  for (curve in list(betti_curve, stable_rank, accumulated_persistence, function(x, id) landscape(x, id = id))) {
    x <- no_level(curve(holes, id = "k"), 's "a", "b"')
    expect_identical(c(rownames(x), names(x)), c("a", "b", "c"))
    expect_identical(c(integral(x, to = 9) > 0), c(integral(x, to = 9)) == max(integral(x, to = 9)))
    expect_silent(curve(droplevels(holes), id = "k"))
    expect_silent(curve(transform(holes, k = as.character(k)), id = "k"))
  }
  expect_named(no_level(betti_curve(table, 0, id = "k"), ' "b"'), c("a", "b", "c"))
  expect_named(betti_curve(transform(table, k = as.character(k)), 0, id = "k"), c("c", "a"))
  expect_named(suppressWarnings(betti_curve(table[0, ], 0, id = "k")), c("a", "b", "c"))
  several <- cbind(table, part = factor("1", c("1", "2")))
  expect_silent(expect_length(betti_curve(several, 0, id = c("k", "part")), 2))
})

test_that("lists of ripser and gudhi name the way in, which leads to the diagrams", {
  bars <- list(cbind(c(0, 0), c(1, Inf)), cbind(c(1.2, 1.4), c(2, 3)), cbind(5, 6))
  expected <- betti_curve(list(list(pairs = bars)), 1)
  follow <- function(x, after) {
    message <- conditionMessage(tryCatch(betti_curve(x, 1), pcfdist_error_x = identity))
    eval(str2lang(sub(paste0(".*", after, "(.*?\\)+)( has.*|[.])$"), "\\1", message, perl = TRUE)))
  }
  expect_identical(betti_curve(follow(list(bars, bars), "use "), 1), rep(expected, 2))
  tuples_of <- function(k) lapply(asplit(bars[[k]], 1), function(bar) list(k - 1L, as.list(c(bar))))
  tuples <- do.call(c, lapply(3:1, tuples_of))
  expect_true(betti_curve(follow(tuples, "gudhi, "), 1) == expected)
  expect_true(all(betti_curve(follow(list(tuples, tuples), "gudhi, "), 1) == rep(expected, 2)))
})

test_that("an array of giotto-tda names the way in", {
  bars <- rbind(c(0, 0.5, 0), c(0.25, 2, 1), c(1, 1, 1))
  x <- aperm(array(c(bars, bars + cbind(0, 1:3, c(0, 0, 0))), c(3, 3, 2)), c(3, 1, 2))
  message <- conditionMessage(tryCatch(betti_curve(x, 1), pcfdist_error_x = identity))
  table <- eval(str2lang(sub(".* (data.frame\\(.*\\)) makes a table of it, for `id = \"diagram\"`.$", "\\1", message)))
  expect_identical(betti_curve(table, 1, id = "diagram"),
                   betti_curve(list(`1` = cbind(0.25, 2), `2` = cbind(c(0.25, 1), c(4, 4)))))
  expect_match(message, "not a double array of length 18. For an array of diagrams, bars and (birth, death, dimension)",
               fixed = TRUE)
  refused(stable_rank(array(0, 3:1)), "x",
          "must be a persistence diagram or a list of them, not a double array of length 6.")
})
