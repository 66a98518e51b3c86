# What R's own functions make of collections.

test_matrix <- function() {
  array(random_pcf(6), c(2, 3), list(c("a", "b"), c("u", "v", "w")))
}

# ---- Arrays ----

test_that("arrays of functions are rearranged", {
  m <- test_matrix()
  expect_s3_class(m, "pcf")
  numbers <- matrix(1:6, 2, dimnames = dimnames(m))
  expect_identical(t(m), structure(m[c(1, 3, 5, 2, 4, 6)], dim = 3:2,
                                   dimnames = dimnames(t(numbers))))
  expect_identical(aperm(m), t(m))
  cube <- array(random_pcf(24), 2:4)
  places <- aperm(array(1:24, 2:4), c(3, 1, 2))
  expect_identical(aperm(cube, c(3, 1, 2)), array(c(cube)[places], c(4, 2, 3)))
  expect_identical(dim(t(random_pcf(3))), c(1L, 3L))
  expect_error(aperm(random_pcf(3)), "array")
})

test_that("apply() gives FUN rows, columns and cells of functions", {
  m <- test_matrix()
  expect_identical(apply(m, 1, length), c(a = 3L, b = 3L))
  expect_identical(
    apply(m, 1, function(f) integral(sum(f), to = 9)), integral(sum(m, margin = 1), to = 9)
  )
  expect_identical(as_pcf(apply(m, 2, mean)), mean(m, margin = 2))
  expect_identical(apply(m, c(1, 2), integral, to = 9), integral(m, to = 9))
  cube <- array(random_pcf(24), 2:4)
  expect_identical(apply(cube, 3, function(f) length(f)), rep(6L, 4))
  expect_identical(apply(cube, c(1, 3), function(f) integral(max(f), to = 9)),
                   integral(max(cube, margin = c(1, 3)), to = 9))
  expect_error(as.matrix(cube), class = "pcfdist_error_times")
})

test_that("sweep() and outer() compute with functions", {
  m <- test_matrix()
  expect_identical(sweep(m, 1, 1:2), m - matrix(1:2, 2, 3))
  x <- example_pcf()
  expect_identical(outer(x, x, lp_distance), cdist(x, x))
  expect_identical(c(outer(x, x, "+")), c(x$a + x$a, x$b + x$a, x$a + x$b, x$b + x$b))
})

test_that("what R made a list of functions is a collection again", {
  x <- example_pcf()
  expect_identical(as_pcf(matrix(unname(x), 1)), array(unname(x), 1:2))
})

# ---- Neighbours and windows ----

test_that("diff() takes neighbours", {
  x <- random_pcf(7)
  names(x) <- letters[1:7]
  expect_identical(diff(x), x[-1] - unname(x)[-7])
  expect_identical(diff(x, 2), x[3:7] - unname(x)[1:5])
  expect_identical(diff(x, differences = 2), diff(diff(x)))
  expect_identical(diff(x, 7), x[0])
  expect_identical(diff(x, 2, differences = 9), x[0])
  expect_identical(names(diff(x)), names(diff(structure(1:7, names = letters[1:7]))))
  expect_error(diff(x, 0), class = "pcfdist_error_lag")
  expect_error(diff(test_matrix()), class = "pcfdist_error_x")
})

test_that("window() is restrict()", {
  x <- random_pcf(7)
  expect_identical(window(x, 1, 3), restrict(x, 1, 3))
  expect_identical(window(x, end = 3), restrict(x, to = 3))
  m <- test_matrix()
  expect_identical(window(m, 2), restrict(m, 2))
  expect_error(window(x, 3, 1), "`start` must be at most `end`", class = "pcfdist_error_start")
  expect_error(window(x, 3, NA), "`end` must be", class = "pcfdist_error_end")
  expect_error(window(x, 1, 3, frequency = 1), class = "pcfdist_error_frequency")
})

test_that("what functions have no answer to is an error that says what to use", {
  x <- example_pcf()
  expect_refusal(sort(x), "generic", "`sort()` cannot be applied to functions: they have no order. ",
                 "x[order(integral(x))], for example, sorts them by their integrals.")
  expect_refusal(order(x), "generic", "`order()` cannot be applied to functions: they have no order. ",
                 "x[order(integral(x))], for example, sorts them by their integrals.")
  expect_refusal(cut(x, 2), "generic", "`cut()` cannot be applied to functions: they have no order. cut(integral(x), ",
                 "...), for example, cuts their integrals.")
  expect_refusal(scale(x), "generic", "`scale()` cannot be applied to functions: x / lp_norm(x) gives all the ",
                 "same norm, and scale_time() stretches times. To centre them, centre their inner products: K - ",
                 'outer(rowMeans(K), colMeans(K), "+") + mean(K), where K is l2_kernel(x).')
  expect_refusal(sd(x), "generic", "as.numeric(), sd(), IQR() and others need numbers, not functions. integral(), ",
                 "lp_norm() and evaluate() return a number for each function; quantile() and standard_deviation(x) ",
                 "show their spread at each time.")
  expect_refusal(as.numeric(x), "generic", "as.numeric(), sd(), IQR() and others need numbers, not functions. ",
                 "integral(), lp_norm() and evaluate() return a number for each function; quantile() and ",
                 "standard_deviation(x) show their spread at each time.")
  expect_refusal(lag(x), "generic", "`lag()` cannot be applied to functions: shift_time(x, by) moves them in time.")
  expect_refusal(time(x), "generic", "`time()` cannot be applied to functions: as.data.frame(x)$time has all ",
                 "breakpoints, and start(x) and end(x) the first and last of each.")
  expect_refusal(as.ts(x), "generic",
                 "`as.ts()` cannot be applied to functions: their times are not regular. ts(t(as.matrix(x, times))) ",
                 "has their values at regular times, and zoo::as.zoo(x) those of step functions at all breakpoints.")
  for (f in list(rank, factor, stats::IQR, as.integer, var, table, hist, dist)) {
    expect_error(f(x))
  }
})

test_that("matrices, operators and combinations of functions are centred instead of functions, as help says", {
  for (x in list(random_pcf(20), as_plf(rbind(c(1, 5, 2), c(3, 0, 1), c(2, 2, 9)), times = 0:2))) {
    to <- 2
    differences <- x - mean(x)
    kernel <- l2_kernel(differences, to = to)
    K <- l2_kernel(x, to = to)
    near <- function(a, b) expect_equal(a, b, tolerance = 1e-9, ignore_attr = TRUE)
    near(K - outer(rowMeans(K), colMeans(K), "+") + mean(K), kernel)
    A <- kernel_operator(x, to = to)
    v <- sin(seq_along(x))
    w <- A(v - mean(v))
    near(w - mean(w), kernel %*% v)
    v <- v - mean(v)
    near(evaluate(linear_combinations(rbind(v), x), c(0.5, 1.2)),
         evaluate(linear_combinations(rbind(v), differences), c(0.5, 1.2)))
    near(pdist(x, p = 2, to = to), pdist(differences, p = 2, to = to))
    near(apply(as.matrix(x, 0.5), 2, sd), sd(evaluate(x, 0.5)))
  }
})

# ---- Data frames ----

test_that("a collection is one column of data.frame()", {
  x <- example_pcf()
  data <- data.frame(g = 1:2, f = x)
  expect_identical(dim(data), c(2L, 2L))
  expect_identical(data$f, x)
  expect_identical(row.names(data), c("a", "b"))
  expect_identical(data.frame(g = 1:2, f = unname(x))$f, unname(x))
  expect_named(data.frame(x), "x")
  expect_identical(data.frame(g = 1:4, f = rep(x, 2))$f, rep(x, 2))
  expect_identical(cbind(data["g"], f = x)$f, x)
  expect_identical(transform(data, h = f * 2)$h, x * 2)
  expect_identical(unname(rbind(data, data)$f), unname(rep(x, 2)))
  expect_identical(merge(data.frame(g = 2:1), data)$f[2], data$f[2])
  expect_identical(dim(data.frame(f = x[0])), 0:1)
  expect_error(data.frame(g = 1:3, f = x), "differing number of rows")
  expect_error(data.frame(f = test_matrix()), class = "pcfdist_error_x")
  expect_identical(as.data.frame(x)$id, rep(c("a", "b"), 3:2))
})

test_that("a collection is a column of a data.table", {
  skip_if_not_installed("data.table")
  x <- unname(example_pcf())
  data <- data.table::data.table(g = 1:2, f = x)
  expect_identical(data$f, x)
  expect_identical(rbind(data, data)$f, rep(x, 2))
  expect_identical(merge(data, data.table::data.table(g = 2L))$f, x[2])
  both <- data.table::rbindlist(list(data, data))
  hours <- data.table::data.table(f = pcf(as.difftime(c(0, 1.5), units = "hours"), 1:0))
  minutes <- data.table::data.table(f = pcf(as.difftime(c(0, 90), units = "mins"), 1:0))
  time_unit(minutes$f) <- time_unit(hours$f)
  expect_identical(rbind(hours, minutes)$f, rep(hours$f, 2))
  # data.table computes by groups for code that knows of it, such as the user's own.
  own <- list2env(list(both = both), parent = globalenv())
  means <- evalq(both[, list(m = c(mean(f))), by = "g"], own)
  expect_identical(means$m, x)
  expect_identical(as.data.frame(data.table::as.data.table(x)), as.data.frame(x))
})

test_that("NA selects a missing function", {
  x <- example_pcf()
  plain <- c(a = 1, b = 2)
  places <- list(NA, rep(NA_integer_, 5), c(1, NA), c(NA, 2L), c(TRUE, NA), NA_character_, c("b", NA), NA_real_,
                 match(c("b", "z"), names(x)), integer())
  for (i in places) {
    expect_identical(is.na(x[i]), is.na(plain[i]))
    kept <- x[i][!is.na(x[i])]
    expect_identical(unname(kept), unname(x[as.vector(plain[i][!is.na(plain[i])])]))
  }
  expect_true(is.na(x[[NA]]))
  expect_error(x[c(NA, 3)], class = "pcfdist_error_subscript")
  m <- structure(c(x, x), dim = c(2L, 2L))
  expect_identical(is.na(m[c(1, NA), ]), is.na(matrix(1:4, 2)[c(1, NA), ]))
  expect_identical(unname(is.na(m[cbind(c(1, NA), 2)])), c(FALSE, TRUE))
  gone <- x[c(2, NA)]
  expect_identical(unname(is.na(gone[c(NA, 1, 2)])), c(TRUE, FALSE, TRUE))
  expect_error(gone[3], class = "pcfdist_error_subscript")
})

# ---- Equal functions ----

test_that("match() from R 4.3 on compares functions as == does", {
  places <- function(x, y = x) match(pcfdist:::mtfrm.pcf(x), pcfdist:::mtfrm.pcf(y))
  x <- pcf(list(0, c(0, 1), 5, c(-Inf, 0), 0), list(1, c(1, 1), 2, c(0, 1), 1 + 1e-15))
  expect_identical(places(x), c(1L, 1L, 3L, 1L, 5L))
  expect_identical(places(pcf(0:1, list(c(0, NA), c(-0, NA)))), c(1L, 1L))
  x[3] <- NA
  expect_identical(is.na(pcfdist:::mtfrm.pcf(x)), is.na(x))
  skip_if(getRversion() < "4.3")
  expect_identical(match(x, unique(x)), c(1L, 1L, 2L, 1L, 3L))
})

test_that("match() from R 4.3 on knows units of time", {
  found <- function(x, y) match(pcfdist:::mtfrm.pcf(x), pcfdist:::mtfrm.pcf(y))
  days <- pcf(as.Date("2024-01-01") + 0:1, 1:0)
  instants <- pcf(as.POSIXct("2024-01-01", "UTC") + c(0, 86400), 1:0)
  expect_identical(found(days, instants), 1L)
  expect_identical(found(days, pcf(19723:19724, 1:0)), NA_integer_)
  expect_identical(found(days, pcf(as.difftime(19723:19724, units = "days"), 1:0)), NA_integer_)
  hours <- pcf(as.difftime(c(0, 1.5), units = "hours"), 1:0)
  expect_identical(found(hours, pcf(as.difftime(c(0, 90), units = "mins"), 1:0)), 1L)
  expect_identical(found(pcf(-Inf, 2), c(days, pcf(-Inf, 2))), 2L)
})

test_that("vctrs numbers and finds functions as == compares them", {
  skip_if_not_installed("vctrs")
  z <- c(pcf(0:2, c(1, 1, 0)), pcf(c(0, 2), 1:0), pcf(0, 1))
  expect_identical(as.vector(vctrs::vec_group_id(z)), c(1L, 1L, 2L))
  expect_identical(vctrs::vec_match(z, unique(z)), c(1L, 1L, 2L))
  days <- pcf(as.Date("2024-01-01") + 0:1, 1:0)
  instants <- pcf(as.POSIXct("2024-01-01", "UTC") + c(0, 86400), 1:0)
  expect_identical(vctrs::vec_match(days, instants), 1L)
  expect_identical(vctrs::vec_in(instants, days), TRUE)
  expect_error(vctrs::vec_in(days, z), "They cannot be combined")
})

# ---- Numbers ----

test_that("every operator takes numbers value by value", {
  x <- c(random_pcf(5), pcf(0:3, c(1, 2, 1, 0)))
  operators <- c("+", "-", "*", "<", "<=", ">", ">=", "==", "!=", "&", "|")
  for (name in operators) {
    operator <- match.fun(name)
    for (k in c(1, 0.3, -2)) {
      expect_identical(operator(x, k), map_pcf(x, values = function(v) operator(v, k) + 0), label = name)
      expect_identical(operator(k, x), map_pcf(x, values = function(v) operator(k, v) + 0), label = name)
    }
    several <- operator(x, 1:6)
    expect_identical(several[2], operator(x[2], 2), label = name)
    expect_identical(operator(1:6, x)[4], operator(4, x[4]), label = name)
  }
  expect_identical(integral(pcf(0:3, c(1, 2, 1, 0)) == 1), 2)
  expect_identical(x[[1]] == unclass(x)[[1]], TRUE)
  expect_error(x == "a", class = "pcfdist_error_e2")
  expect_error(x > NA, class = "pcfdist_error_e2")
})

test_that("range() keeps margins", {
  m <- test_matrix()
  ends <- range(m, margin = 1)
  expect_identical(dim(ends), c(2L, 2L))
  expect_identical(dimnames(ends), list(NULL, c("a", "b")))
  expect_identical(unname(ends[1, ]), unname(min(m, margin = 1)))
  expect_identical(unname(ends[2, ]), unname(max(m, margin = 1)))
  expect_identical(dim(range(m, margin = 1:2)), c(2L, 2L, 3L))
  expect_identical(c(range(m, margin = c(2, 1))[2, 3, 1]), unname(c(m[1, 3])))
  expect_identical(range(m), c(min(m), max(m)))
  expect_null(dimnames(range(unname(array(c(m), 2:3)), margin = 2)))
})

test_that("labels of arrays are their dimnames", {
  m <- test_matrix()
  labels <- c("a, u", "b, u", "a, v", "b, v", "a, w", "b, w")
  expect_identical(attr(pdist(m, to = 9), "Labels"), labels)
  expect_identical(dimnames(l2_kernel(m, to = 9)), list(labels, labels))
  dimnames(m)[1] <- list(NULL)
  expect_identical(attr(pdist(m, to = 9), "Labels"), sub("b", "2", sub("a", "1", labels)))
  dimnames(m) <- NULL
  expect_null(attr(pdist(m, to = 9), "Labels"))
  expect_null(dimnames(l2_kernel(m, to = 9)))
})

test_that("a table with functions is not written as text that cannot be read back", {
  x <- example_pcf()
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file, expand = FALSE))
  tables <- list(data.frame(g = 1:2, f = x), list2DF(list(g = 1:2, f = as_plf(x))))
  if (requireNamespace("tibble", quietly = TRUE)) tables <- c(tables, list(tibble::tibble(g = 1:2, f = x)))
  for (table in tables) {
    for (write in c(write.csv, write.csv2, write.table)) {
      refusal <- tryCatch(write(table, file), pcfdist_error_generic = identity)
      expect_match(conditionMessage(refusal), "as.data.frame(x) of the column has a row for each", fixed = TRUE)
    }
    f <- table$f
    write.csv(as.data.frame(f), file, row.names = FALSE)
    long <- read.csv(file)
    back <- if (is_plf(f)) as_plf(long, value = "value", left = "left") else as_pcf(long, before = 0)
    expect_true(all(back == f))
  }
  expect_identical(as.character(x), unname(format(x)))
})
