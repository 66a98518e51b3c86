# Selections of pairs: without a matrix as with one.

settings_of <- function(precision = "double", threads = 2) {
  pcfdist:::run_settings("cpu", precision, threads, FALSE)
}

expect_as_by_matrix <- function(x, y, request, selection, precision = "double", threads = 2) {
  settings <- settings_of(precision, threads)
  selected <- pcfdist:::run_selection(x, y, request, settings, selection)$value
  expect_identical(selected, selection_by_matrix(x, y, request, settings, selection))
}

selections <- function(n) {
  list(
    list(kind = "nearest", k = 1), list(kind = "nearest", k = min(n, 7)),
    list(kind = "farthest", k = 1), list(kind = "farthest", k = min(n, 5)),
    list(kind = "within", radius = 2.5), list(kind = "count", radius = 2.5),
    list(kind = "within", radius = -1), list(kind = "count", radius = Inf)
  )
}

test_that("selections of one collection are those of its matrix", {
  set.seed(71)
  for (n in c(1, 2, 3, 33, 150)) {
    for (x in list(rpcf(n), tied_functions(n))) {
      for (selection in selections(n)) {
        for (p in c(1, 2, 1.7, Inf)) expect_as_by_matrix(x, NULL, request_of(NULL, p), selection)
        expect_as_by_matrix(x, NULL, request_of(NULL, 1), selection, "single")
        expect_as_by_matrix(x, NULL, request_of(NULL, 1, 0.2, 0.7), selection)
      }
    }
  }
})

test_that("selections for queries are those of the matrix", {
  set.seed(72)
  for (sizes in list(c(1, 1), c(3, 40), c(120, 2), c(90, 70))) {
    x <- tied_functions(sizes[1])
    y <- tied_functions(sizes[2], 5)
    for (selection in selections(sizes[2])) {
      for (p in c(1, 2, Inf)) expect_as_by_matrix(x, y, request_of(y, p), selection)
      expect_as_by_matrix(x, y, request_of(y, 2), selection, "single")
    }
  }
})

test_that("labels leave pairs out, and distances can have a least one", {
  set.seed(74)
  x <- tied_functions(90)
  label <- sample(4L, 90, TRUE)
  least <- sample(c(0, 1, 2, 3.5), 90, TRUE)
  for (selection in selections(90)[c(1, 2, 5, 6)]) {
    expect_as_by_matrix(x, NULL, request_of(NULL), c(selection, list(label = label)))
    expect_as_by_matrix(x, NULL, request_of(NULL), c(selection, list(least = least)))
    expect_as_by_matrix(
      x, NULL, request_of(NULL), c(selection, list(label = label, least = least))
    )
  }
  all_alike <- pcfdist:::run_selection(
    x, NULL, request_of(NULL), settings_of(), list(kind = "nearest", k = 2, label = rep(1L, 90))
  )$value
  expect_true(all(is.na(all_alike$id)) && all(is.na(all_alike$distance)))
})

test_that("pairs at infinite distances are pairs, and those without a distance are none", {
  set.seed(75)
  x <- rpcf(60)
  endless <- map_pcf(x, values = function(v) replace(v, length(v), sample(0:1, 1)))
  partial <- map_pcf(x, values = function(v) replace(v, sample(length(v), 3), NA))
  short <- pcf(
    lapply(1:60, function(i) c(i %% 7, i %% 7 + 2)), lapply(1:60, function(i) c(i, NA))
  )
  short <- c(pcf(list(c(-Inf, 1, 2)), list(c(NA, 1, NA))), short)
  for (selection in selections(60)) {
    expect_as_by_matrix(endless, NULL, request_of(NULL), selection)
    expect_as_by_matrix(endless, NULL, request_of(NULL, Inf), selection)
    for (p in c(1, 2, Inf)) {
      expect_as_by_matrix(partial, NULL, request_of(NULL, p, missing = "overlap"), selection)
      expect_as_by_matrix(short, NULL, request_of(NULL, p, 0, 9, "overlap"), selection)
    }
  }
})

test_that("functions that are observed nowhere in the window have no neighbours", {
  x <- pcf(rep(list(c(0, 1, 2)), 4), list(c(1, NA, 3), c(2, NA, 5), c(4, NA, 4), c(0, NA, 1)))
  for (selection in selections(4)) {
    expect_as_by_matrix(x, NULL, request_of(NULL, 1, 1.2, 1.8), selection)
  }
})

test_that("selections of means are those of the matrix, wherever functions are observed", {
  set.seed(77)
  x <- map_pcf(tied_functions(60), values = function(v) 4 * v)
  partial <- map_pcf(x, values = function(v) replace(v, sample(length(v), 1), NA))
  label <- sample(4L, 60, TRUE)
  for (functions in list(x, partial)) {
    for (precision in c("double", "single")) {
      for (selection in selections(60)) {
        request <- request_of(NULL, 1, 0, 16, "mean")
        expect_as_by_matrix(functions, NULL, request, selection, precision)
      }
      nearest <- list(kind = "nearest", k = 3, label = label)
      expect_as_by_matrix(functions, NULL, request, nearest, precision)
    }
  }
  with_settings(expect_as_by_matrix(x, NULL, request, list(kind = "nearest", k = 3)), prune = "on")
})

test_that("magnitudes that are scaled do not show in selections", {
  set.seed(76)
  x <- tied_functions(50)
  for (factor in c(1e-200, 1e200)) {
    scaled <- map_pcf(x, function(times) times * factor, function(values) values * 1e-100)
    for (p in c(1, 2, 3, 1.7)) {
      expect_as_by_matrix(
        scaled, NULL, request_of(NULL, p), list(kind = "nearest", k = 5)
      )
    }
  }
})

test_that("nothing asked of no functions is nothing", {
  none <- rpcf(3)[0]
  select <- function(x, y, selection) {
    pcfdist:::run_selection(x, y, request_of(y), settings_of(), selection)$value
  }
  expect_identical(select(none, NULL, list(kind = "count", radius = 1)), double())
  expect_identical(dim(select(none, rpcf(3), list(kind = "nearest", k = 1))$id), c(0L, 1L))
  nothing <- select(rpcf(2), none, list(kind = "nearest", k = 1))
  expect_identical(nothing$id, matrix(NA_integer_, 2, 1))
  expect_identical(select(rpcf(2), none, list(kind = "count", radius = 1)), c(0, 0))
})

# Provokes a failure of a device in step k, or of the k-th allocation, for k = 1, 2, … until
# nothing fails any more, and returns how many calls failed.
count_failures <- function(what, class, call) {
  on.exit(.Call(pcfdist:::ffi_fail_at, 0L, 0L))
  for (k in 1:1000) {
    .Call(pcfdist:::ffi_fail_at, if (what == "step") k else 0L, if (what == "memory") k else 0L)
    failed <- tryCatch({
      call()
      FALSE
    }, pcfdist_error = function(e) inherits(e, class) || stop(e))
    if (!failed) return(k - 1)
  }
}

test_that("what fails ends a selection, and the next one works", {
  set.seed(77)
  x <- tied_functions(40)
  for (selection in selections(40)) {
    select <- function() {
      pcfdist:::run_selection(x, NULL, request_of(NULL), settings_of(), selection)
    }
    expect_gt(count_failures("step", "pcfdist_error_device", select), 4)
    expect_gt(count_failures("memory", "pcfdist_error_memory", select), 8)
    expect_as_by_matrix(x, NULL, request_of(NULL), selection)
  }
})
