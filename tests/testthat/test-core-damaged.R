# What scripts in damaged/ wrote, after those of `before`: a data frame with the outcomes of calls.
try_damaged <- function(script, columns, before = character()) {
  scripts <- unlist(lapply(c("calls.R", script), function(name) readLines(test_path("damaged", name))))
  lines <- run_child(c(before, scripts), seconds = 300)
  expect_identical(lines[length(lines)], "end")
  parts <- strsplit(lines[-length(lines)], " ")
  tried <- as.data.frame(do.call(rbind, parts[lengths(parts) == length(columns)]), stringsAsFactors = FALSE)
  stats::setNames(tried, columns)
}

test_that("objects that only say they are a pcf are errors, and do not crash", {
  skip_without_processes()
  tried <- try_damaged("cases.R", c("kind", "object", "call", "outcome"))
  expect_identical(unique(tried$kind), c("collection", "function", "anything", "lie"))
  of <- function(wanted) tried[tried$kind == wanted, ]
  not_ours <- function(kind) do.call(paste, of(kind)[of(kind)$outcome != "ours", 2:4])
  expect_identical(not_ours("collection"), character())
  expect_identical(not_ours("function"), character())
  expect_false("nonsense" %in% tried$outcome)
})

# As from damaged files: whatever the attributes, types and lengths, there are right numbers or errors of this
# package.
test_that("objects damaged at random are errors, and do not crash", {
  skip_without_processes()
  before <- c("tries <- 1:150", "calls_each <- 6")
  tried <- try_damaged("streams.R", c("number", "kind", "state", "call", "outcome"), before)
  expect_true(all(c("damaged", "invalid", "sound") %in% tried$state))
  wrong <- with(tried, outcome %in% c("nonsense", "other") | state == "damaged" & outcome != "ours")
  expect_identical(do.call(paste, tried[wrong, ]), character())
})

test_that("damaged objects are named", {
  damaged <- function(x, class = c("pcf", "list")) structure(x, class = class)
  refused(pdist(damaged(1:3)), "x", "is not a valid <pcf>: it has the class, but its type is integer, not list.")
  refused(print(pcf(0, 1), n = "a"), "n", 'must be a number, not "a".')
  expect_output(print(pcf(0, list(1, 2)), n = 0), "<pcf> 2 functions of 1 breakpoint\n  ... and 2 more", fixed = TRUE)
  refused(print(damaged(1:3)), "x", "is not a valid <pcf>: it has the class, but its type is integer, not list.")
  refused(damaged(1:3)[1], "x", "is not a valid <pcf>: it has the class, but its type is integer, not list.")
  refused(cdist(example_pcf(), damaged(new.env())), "y",
          "is not a valid <pcf>: it has the class, but its type is environment, not list.")
  refused(format(damaged(list(a = cbind(0, 1), b = 1:2))), "x", 'is invalid: function 2 ("b") is an integer vector of ',
          "length 2, not a double matrix with the columns time and value.")
  refused(summary(damaged(list(cbind(0L, 1L)))), "object", "is invalid: the function is a matrix (integer) of 1 x 2, ",
          "not a double matrix with the columns time and value.")
  refused(as.data.frame(damaged(list(cbind(0, 1), "a"))), "x",
          'is invalid: function 2 is "a", not a double matrix with the columns time and value.')
})

# The class tells how many columns the matrices have, and not the first of them.
test_that("functions of another family than the class says are named", {
  steps <- structure(list(cbind(0, 1, 2)), class = "pcf")
  lines <- structure(list(cbind(0, 1)), class = c("plf", "pcf"))
  uses <- list(pdist, function(x) cdist(x, x), lp_norm, as.data.frame, function(x) evaluate(x, 1), sum)
  for (use in uses) {
    expect_error(use(steps), "matrix \\(double\\) of 1 x 3", class = "pcfdist_error_x")
    expect_error(use(lines), "matrix \\(double\\) of 1 x 2", class = "pcfdist_error_x")
  }
  expect_error(as.stepfun(steps), "matrix \\(double\\) of 1 x 3", class = "pcfdist_error_x")
})

test_that("methods of further classes do not change what is computed", {
  registerS3method("length", "five_pcf", function(x) 5L)
  x <- example_pcf()
  y <- structure(unclass(x), class = c("five_pcf", class(x)))
  expect_identical(as.vector(pdist(y)), as.vector(pdist(x)))
  expect_identical(attr(pdist(y), "Size"), 2L)
  expect_identical(y + y, x + x)
  expect_identical(lp_norm(y), lp_norm(x))
  expect_identical(format(y), format(x))
})

test_that("damaged breakpoints are named wherever functions leave the collection", {
  damaged <- list(
    times_missing = c(0, NA, 2, 0, 1, 2, 1, 2, 0), left_half_missing = c(0, 1, 2, 0, NA, 2, 1, 2, 0),
    values_infinite = c(0, 1, 2, 0, 1, 2, 1, Inf, 0), times_unsorted = c(0, 2, 1, 0, 1, 2, 1, 2, 0)
  )
  for (columns in damaged) {
    f <- matrix(columns, 3, dimnames = list(NULL, c("time", "left", "value")))
    lines <- structure(list(a = unclass(plf(0, 1))[[1]], b = f), class = c("plf", "pcf"))
    steps <- structure(list(a = unclass(pcf(0, 1))[[1]], b = f[, -2]), class = "pcf")
    sound <- anyNA(columns[4:6]) # of steps
    for (x in list(lines, if (!sound) steps)) {
      if (is.null(x)) next
      expect_error(as.data.frame(x), 'function 2 \\("b"\\)', class = "pcfdist_error_x")
      expect_error(write_npy(x, tempfile()), 'function 2 \\("b"\\)', class = "pcfdist_error_x")
      expect_error(diff(x), 'function 2 \\("b"\\)', class = "pcfdist_error_x")
      path <- tempfile()
      saveRDS(x, path)
      expect_error(pdist(readRDS(path)), 'function 2 \\("b"\\)', class = "pcfdist_error_x")
      unlink(path, expand = FALSE)
    }
  }
  time_unit(lines) <- "days"
  expect_error(time_unit(lines) <- "hours", "function 2", class = "pcfdist_error_x")
})
