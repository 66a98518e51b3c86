# Selections of pairs: without a matrix as with one.

settings_of <- function(precision = "double") pcfdist:::run_settings("cpu", precision, 2, FALSE)

expect_as_by_matrix <- function(x, request, selection, precision = "double") {
  settings <- settings_of(precision)
  selected <- pcfdist:::run_selection(x, NULL, request, settings, selection)$value
  expect_identical(selected, selection_by_matrix(x, NULL, request, settings, selection))
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
  for (n in c(1, 3, 60)) {
    for (x in list(rpcf(n), tied_functions(n))) {
      for (selection in selections(n)) {
        for (p in c(1, 2, 1.7, Inf)) expect_as_by_matrix(x, request_of(NULL, p), selection)
        expect_as_by_matrix(x, request_of(NULL, 1), selection, "single")
        expect_as_by_matrix(x, request_of(NULL, 1, 0.2, 0.7), selection)
      }
    }
  }
})

test_that("labels leave pairs out, and distances can have a least one", {
  set.seed(74)
  x <- tied_functions(90)
  label <- sample(4L, 90, TRUE)
  least <- sample(c(0, 1, 2, 3.5), 90, TRUE)
  for (selection in selections(90)[c(1, 2, 5, 6)]) {
    for (limits in list(list(label = label), list(least = least), list(label = label, least = least))) {
      expect_as_by_matrix(x, request_of(NULL), c(selection, limits))
    }
  }
  all_alike <- pcfdist:::run_selection(
    x, NULL, request_of(NULL), settings_of(), list(kind = "nearest", k = 2, label = rep(1L, 90))
  )$value
  expect_true(all(is.na(all_alike$id)) && all(is.na(all_alike$distance)))
})
