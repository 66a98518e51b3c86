# Options that change how R writes numbers, for an expression, and the text that it then gives.
with_options <- function(code, ..., OutDec = ",", scipen = -9, digits = 3) {
  old <- options(OutDec = OutDec, scipen = scipen, digits = digits, digits.secs = 2, ...)
  on.exit(options(old))
  code
}

plainly <- function(code) with_options(code, OutDec = ".", scipen = 0, digits = 7)

same_text <- function(code) {
  code <- substitute(code)
  text <- function() c(eval(code, parent.frame(2)))
  expect_identical(with_options(text()), plainly(text()), label = deparse1(code))
}

shown <- function(x) utils::capture.output(print(x))

some_numbers <- function() {
  with_seed(1, c(
    0, 1, -1.5, 1e5, 123456, 1e15, 2^53, 1 / 3, 1e-4, 1e-5, 5e-324, 1.7e308, 0.1 + 0.2, Inf, -Inf,
    rnorm(200) * 10^sample(-20:20, 200, TRUE), signif(runif(200) * 10^sample(-5:16, 200, TRUE), 3)
  ))
}

test_that("numbers are text as in as.character(), whatever the options are", {
  x <- c(some_numbers(), NA, NaN)
  expected <- plainly(if (odd_options) vapply(x, function(x) sub(",", ".", as.character(x)), "") else as.character(x))
  expect_identical(text_of(x), expected)
  expect_identical(with_options(text_of(x)), expected)
  expect_identical(with_options(text_of(1:3)), c("1", "2", "3"))
  finite <- some_numbers()[is.finite(some_numbers())]
  expect_identical(with_options(as.double(vapply(finite, exact_text, ""))), finite)
  groups <- c(b = 10, a = 2.5, c = 10)
  expect_identical(with_options(as_groups(groups)), plainly(factor(c(b = "10", a = "2.5", c = "10"), c("2.5", "10"))))
})

test_that("what is printed and told does not depend on options", {
  x <- pcf(list(a = c(0, 1234.5), b = c(1 / 3, 1e6)), list(c(1.25, 0), c(-2.5e-7, 3)))
  instants <- pcf(as.POSIXct(c(0, 1.25), origin = "1970-01-01", tz = "UTC"), c(0.5, 0))
  line <- plf(c(0, 1.5), c(0.25, 1.5))
  for (functions in list(x, instants, line, as_pcf(UKgas), rep(x, 1000), x[0])) {
    same_text(shown(functions))
    same_text(format(functions))
    same_text(toString(functions))
    same_text(shown(summary(functions)))
    same_text(utils::capture.output(str(functions)))
  }
  same_text(names(quantile(x, c(0.025, 0.5))))
  same_text(names(aggregate(x, c(1.5, 1e5), sum)))
  same_text(dimnames(tapply(array(x), list(c(1.5, 1e5)), sum)))
  same_text(names(distribution(c(1, 2, 3), id = c(0.5, 0.5, 2e5))))
  same_text(names(as_pcf(data.frame(id = c(0.5, 1e5), time = 1, value = 2))))
  same_text(shown(pcf_plan(x, threads = 1))[1:3])
  # dbscan prints them for itself, if it is loaded.
  same_text(utils::capture.output(print.NN(nearest_neighbors(x, 1, p = 1.5, to = 10))))
  same_text(utils::capture.output(print.NN(neighbors_within(x, 2.5, to = 10))))
  same_text(shown(with_seed(1, confidence_bands(x, to = 5))))
  same_text(shown(kernel_operator(x, to = 5.5)))
  skip_if_not_installed("pillar")
  same_text(format(pillar::pillar_shaft(x), 60))
})

test_that("messages of errors do not depend on options", {
  message_of <- function(code) tryCatch(code, error = conditionMessage, warning = conditionMessage)
  x <- pcf(c(0, 1.5), c(2.5, 1))
  same_text(message_of(pcf(c(1.5, 0.5), 1:2)))
  same_text(message_of(plf(c(0.5, 0.5), 1:2)))
  same_text(message_of(pdist(c(x, x), p = 0.5)))
  same_text(message_of(pdist(c(x, x), precision = 1.5)))
  same_text(message_of(x * 1e308 * 10))
  same_text(message_of(nearest_neighbors(c(x, x), 3)))
  same_text(message_of(lp_norm(restrict(x, 0, 1.25), to = 2.5)))
  same_text(message_of(pdist(c(x, 2 * x))))
  same_text(message_of(stable_rank(list(cbind(1.5, 0.5)))))
  same_text(message_of(segment_reduce(1:3, c(0, 2.5), "sum")))
  same_text(message_of(rpcf(2, kind = "sine", sd = 1.5e300)))
  same_text(message_of(evaluate(x, c(1.5, NA))))
})

test_that("files are the same under all options, and each session reads them", {
  folder <- local_path()
  dir.create(folder)
  path <- function(name) file.path(folder, name)
  x <- random_pcf(5, 4)
  time_unit(x) <- "hours"
  distances <- function() {
    pdist(x, 2.5, from = as.difftime(0.125, units = "hours"), to = as.difftime(9.5, units = "hours"), file = path("d"))
  }
  for (make in list(identity, plainly, with_options)) {
    unlink(path(c("d", "d.dcf")), expand = FALSE)
    written <- make(distances())
    for (read in list(plainly, with_options)) {
      d <- read(open_distances(path("d")))
      expect_identical(attr(d, "p"), 2.5)
      expect_message(again <- read(distances()), class = "pcfdist_message_file")
      expect_identical(c(again), c(written))
    }
    fields <- readLines(path("d.dcf"))
    expect_true(all(c("P: 2.5", "From: 0.125", "Rows: 5") %in% fields))
  }
  calendar <- as_pcf(AirPassengers)
  with_options(write_npy(calendar, path("x")))
  expect_identical(plainly(read_npy(path("x"))), calendar)
  with_options(write_npy(matrix(0.5, 300, 2), path("m.npy")))
  expect_identical(plainly(read_npy(path("m.npy"))), matrix(0.5, 300, 2))
  # 100,000 would be 1e+05.
  long <- `names<-`(x[1], strrep("a", 1e5))
  write_npy(long, path("long"))
  expect_identical(read_npy(path("long")), long)
})

test_that("names in capitals are those in small letters, in Turkish too", {
  expect_identical(lower_case("DIMENSION Id"), "dimension id")
  diagram <- cbind(dimension = c(0, 1), birth = c(0, 1), death = c(1, 3))
  upper <- `colnames<-`(diagram, c("DIMENSION", "Birth", "DEATH"))
  expect_identical(stable_rank(upper, 1), stable_rank(diagram, 1))
  moved <- as.data.frame(diagram[, 3:1])
  names(moved) <- c("DEATH", "BIRTH", "DIM")
  expect_identical(stable_rank(moved, 1), stable_rank(diagram, 1))
  expect_error(as_pcf(data.frame(ID = "a", value = 1)), class = "pcfdist_error")
  expect_identical(as_pcf(cbind(VALUE = c(2, 0), TIME = 0:1)), as_pcf(cbind(time = 0:1, value = c(2, 0))))
})

test_that("keys of jobs do not depend on the locale", {
  object <- list(1.5, "a", options_of_package())
  key <- hash_of(object)
  locale <- Sys.getlocale("LC_CTYPE")
  on.exit(Sys.setlocale("LC_CTYPE", locale))
  Sys.setlocale("LC_CTYPE", "C")
  expect_identical(hash_of(object), key)
})

# Different numbers that are alike in 15 digits: neighbours, or so far apart that they are different times.
near_pairs <- function(n, far) {
  with_seed(2, lapply(seq_len(n), function(k) {
    a <- sample(c(1, 1, 0.1, -1), 1) * runif(1, 1, 9) * 10^sample(-12:12, 1)
    if (!far) return(sort(c(a, next_time(a))))
    sort(a * (1 + c(0, sample(17:40, 1)) * .Machine$double.eps))
  }))
}

test_that("different numbers have different texts, with as few digits as that needs", {
  for (far in c(FALSE, TRUE)) for (pair in near_pairs(200, far)) {
    text <- format_numbers(pair, 15)
    expect_true(all(abs(as.double(text) - pair) <= diff(pair) / 4))
    expect_identical(format_numbers(c(pair[2], 7e15, pair[1]), 15)[c(3, 1)], text)
    long <- vapply(pair, exact_text, "")
    expect_true(all(nchar(text) <= nchar(long)))
    expect_identical(as.double(long), pair)
  }
  expect_identical(format_numbers(c(0.1 * 3, 0.3), 15), c("0.30000000000000004", "0.3"))
  expect_identical(describe(3 + 2^-50), "3.000000000000001")
  refused(rpcf(3 + 2^-50), "n", "must be a whole number of at least 0, not 3.000000000000001.")
})

test_that("different times have different texts in all units", {
  for (unit in list(NULL, "Date", "POSIXct", "days")) {
    x <- pcf(0, 0)
    if (!is.null(unit)) time_unit(x) <- unit
    for (pair in c(near_pairs(100, FALSE), near_pairs(100, TRUE))) for (digits in c(4, 15)) {
      text <- format_times(pair, unit_of(x), digits)
      expect_false(text[1] == text[2])
    }
  }
  quarters <- unit_of(as_pcf(UKgas))
  expect_identical(format_times(c(2020, 2020.25), quarters, 15), c("2020 Q1", "2020 Q2"))
  text <- format_times(c(2020.25, next_time(2020.25)), quarters, 15)
  expect_false(text[1] == text[2])
  # The hour that is repeated in autumn.
  berlin <- .POSIXct(1729989000 + c(0, 3600), "Europe/Berlin")
  expect_identical(format_times(as.double(berlin), unit_of(pcf(berlin, 1:2)), 15),
                   paste("2024-10-27 02:30:00", c("CEST", "CET")))
})

test_that("messages tell numbers apart that they compare", {
  segments <- function(from, to) {
    as_pcf(data.frame(from, to, value = 1), NULL, start = "from", end = "to", value = "value")
  }
  messages <- list(
    function(a, b, c) counting(list(c(b, a))), function(a, b, c) counting(b, from = a - c, to = a),
    function(a, b, c) counting(a, from = b, to = b + c), function(a, b, c) counting(0, from = b, to = a),
    function(a, b, c) interspike(b, from = a - c, to = a),
    function(a, b, c) pcf(c(b, a), 1:2), function(a, b, c) plf(c(b, a), 1:2),
    function(a, b, c) plf(c(a, b), c(-1e308, 1e308)),
    function(a, b, c) as_pcf(matrix(1:2, 1), times = c(b, a)),
    function(a, b, c) restrict(pcf(0, 0), from = b, to = a),
    function(a, b, c) integral(plf(0, 0), from = b, to = a),
    function(a, b, c) segments(c(a - c, a), c(b, b + c)), function(a, b, c) segments(b, a),
    function(a, b, c) integral(pcf(c(a - c, a), c(1, NA)), from = a - c, to = b),
    function(a, b, c) integral(pcf(c(-Inf, b), c(NA, 1)), from = a, to = b + c),
    function(a, b, c) shift_time(pcf(c(a, b), 1:2), 1e30 * c),
    function(a, b, c) rpoisson_points(1, from = b, to = a)
  )
  for (pair in near_pairs(30, TRUE)) for (k in seq_along(messages)) {
    raised <- tryCatch(messages[[k]](pair[1], pair[2], abs(pair[1])), error = identity)
    expect_s3_class(raised, "pcfdist_error")
    found <- regmatches(conditionMessage(raised), gregexpr("-?[0-9.]*[0-9](e[-+]?[0-9]+)?", conditionMessage(raised)))
    off <- vapply(pair, function(x) min(abs(as.double(found[[1]]) - x)), 0)
    expect_true(all(off <= diff(pair) / 4), label = conditionMessage(raised))
  }
})
