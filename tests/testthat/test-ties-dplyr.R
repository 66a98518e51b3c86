# A column of functions in a tibble, under the verbs of dplyr.

test_that("purrr maps over functions", {
  skip_if_not_installed("purrr")
  x <- example_pcf()
  expect_identical(purrr::map_dbl(x, integral), integral(x))
  expect_identical(as_pcf(purrr::map(x, function(f) 2 * f)), 2 * x)
  expect_identical(purrr::reduce(x, `+`), Reduce(`+`, x))
})

skip_if_not_installed("dplyr")
skip_if_not_installed("tibble")

function_tibble <- function() {
  x <- random_pcf(6)
  tibble::tibble(id = 6:1, group = rep(c("u", "v"), 3), f = x)
}

test_that("rows with functions can be picked and ordered", {
  data <- function_tibble()
  expect_identical(dplyr::filter(data, group == "u")$f, data$f[c(1, 3, 5)])
  expect_identical(dplyr::arrange(data, id)$f, data$f[6:1])
  expect_identical(dplyr::slice(data, 2:3)$f, data$f[2:3])
  expect_identical(dplyr::mutate(data, g = rev(f))$g, rev(data$f))
  expect_identical(dplyr::pull(data, f), data$f)
  expect_identical(unname(dplyr::bind_rows(data, data)$f), unname(c(data$f, data$f)))
})

test_that("groups are summarised, counted and split, and each function has its mean beside it", {
  data <- function_tibble()
  f <- data$f
  grouped <- dplyr::group_by(data, group)
  means <- dplyr::summarise(grouped, f = mean(f))
  expect_identical(means$f, c(mean(f[c(1, 3, 5)]), mean(f[c(2, 4, 6)])))
  expect_identical(dplyr::mutate(grouped, d = f - mean(f))$d[3], f[3] - means$f[1])
  expect_identical(dplyr::summarise(grouped, dplyr::across(f, max))$f[2], max(f[c(2, 4, 6)]))
  quartiles <- dplyr::summarise(grouped, q = list(quantile(f, c(0.25, 0.75))))
  expect_identical(quartiles$q[[1]], quantile(f[c(1, 3, 5)], c(0.25, 0.75)))
  expect_identical(dplyr::summarise(grouped, n = length(f))$n, c(3L, 3L))
  expect_identical(dplyr::group_split(grouped)[[2]]$f, f[c(2, 4, 6)])
  expect_identical(dplyr::summarise(grouped, f = f[1])$f, f[1:2])
})

test_that("functions are chosen by conditions", {
  f <- function_tibble()$f
  where <- rep(c(TRUE, FALSE), 3)
  chosen <- rev(f)
  chosen[where] <- f[where]
  expect_identical(dplyr::if_else(where, f, rev(f)), chosen)
  expect_identical(dplyr::case_when(where ~ f, TRUE ~ rev(f)), chosen)
  zero <- dplyr::case_when(where ~ f, TRUE ~ pcf(0, 0))
  expect_identical(zero[!where], rep(pcf(0, 0), 3))
  expect_identical(is.na(dplyr::case_when(where ~ f)), !where)
  expect_identical(is.na(dplyr::if_else(c(NA, TRUE), f[1:2], f[2:1])), c(TRUE, FALSE))
})

test_that("missing functions of joins and bind_rows() are filled", {
  data <- function_tibble()
  joined <- dplyr::full_join(data, tibble::tibble(id = c(1, 9)), by = "id")
  expect_identical(is.na(joined$f), rep(c(FALSE, TRUE), c(6, 1)))
  expect_identical(dplyr::coalesce(joined$f, pcf(0, 0))[7], pcf(0, 0))
  expect_identical(dplyr::coalesce(joined$f, pcf(0, 0))[1:6], data$f)
  expect_identical(is.na(dplyr::na_if(data$f, data$f[2])), 1:6 == 2)
  bound <- dplyr::bind_rows(data, tibble::tibble(id = 7))
  expect_identical(is.na(bound$f), rep(c(FALSE, TRUE), c(6, 1)))
  expect_identical(is.na(dplyr::lag(data$f)), rep(c(TRUE, FALSE), c(1, 5)))
  expect_error(dplyr::bind_rows(data, tibble::tibble(f = 1)), "combine")
  for (join in list(dplyr::inner_join, dplyr::right_join, dplyr::semi_join)) {
    expect_identical(join(data, tibble::tibble(id = c(3, 2)), by = "id")$f, data$f[4:5])
  }
  expect_identical(dplyr::anti_join(data, data[-3, ], by = "id")$f, data$f[3])
  expect_identical(dplyr::inner_join(data, data, by = "f")$id.y, 6:1)
})

test_that("rows are joined by functions that are equal, missing ones too", {
  x <- c(function_tibble()$f, vctrs::vec_init(pcf(0, 0), 1))
  left <- tibble::tibble(f = x[c(1, 2, 2, 7, 3)], a = 1:5)
  right <- tibble::tibble(f = x[c(4, 3, 7, 2)], b = 1:4)
  expect_identical(dplyr::left_join(left, right, by = "f")$b, c(NA, 4L, 4L, 3L, 2L))
  expect_identical(dplyr::inner_join(right, left[-3, ], by = "f")$a, c(5L, 4L, 2L))
  expect_identical(dplyr::left_join(left, right, by = "f", na_matches = "never")$b, c(NA, 4L, 4L, NA, 2L))
  expect_identical(dplyr::anti_join(left, right, by = "f")$a, 1L)
  by_both <- dplyr::inner_join(left, dplyr::mutate(right, a = c(1L, 5L, 4L, 3L)), by = c("f", "a"))
  expect_identical(by_both$b, c(4L, 3L, 2L))
  same <- pcf(c(0, 1, 2), c(1, 1, 0)) # as pcf(c(0, 2), c(1, 0))
  expect_identical(vctrs::vec_locate_matches(c(x[1], pcf(c(0, 2), 1:0)), same)$haystack, c(NA, 1L))
})

test_that("rows cannot be joined by an order of functions", {
  x <- function_tibble()$f
  for (condition in c("<", ">=")) {
    expect_error(vctrs::vec_locate_matches(x, x, condition = condition), class = "pcfdist_error_generic")
  }
  skip_if_not_installed("dplyr", "1.1.0")
  left <- tibble::tibble(f = x)
  expect_error(dplyr::inner_join(left, left, dplyr::join_by(f <= f)), "cannot be applied to functions")
})

test_that("functions without finite times go with every unit", {
  dates <- pcf(as.Date("2024-01-01") + 0:1, 1:0)
  numbers <- pcf(0:1, 1:0)
  constant <- pcf(-Inf, 5)
  missing <- vctrs::vec_init(dates, 1)
  expect_identical(dplyr::coalesce(c(dates, missing), constant), c(dates, constant))
  expect_identical(dplyr::if_else(c(TRUE, FALSE), rep(dates, 2), constant), c(dates, constant))
  bind <- function(...) {
    dplyr::bind_rows(lapply(list(...), function(f) tibble::tibble(f = f)))$f
  }
  for (x in list(dates, numbers)) {
    for (combine in list(bind, vctrs::vec_c)) {
      expect_identical(combine(x, constant, x), c(x, constant, x))
      expect_identical(combine(constant, constant, x), c(constant, constant, x))
      expect_identical(combine(numbers[0], x), x)
    }
  }
  expect_identical(bind(constant, constant), rep(constant, 2))
  for (combine in list(bind, vctrs::vec_c)) {
    for (mixed in list(list(dates, numbers), list(constant, numbers, dates), list(numbers, constant, dates))) {
      expect_error(do.call(combine, mixed), class = "pcfdist_error_y")
    }
  }
  expect_identical(attributes(vctrs::vec_init(vctrs::vec_ptype(numbers), 2)), list(class = "pcf"))
  expect_identical(vctrs::vec_cast(constant, dates), c(constant, dates)[1])
  expect_error(vctrs::vec_cast(numbers, dates), class = "pcfdist_error_y")
  expect_error(vctrs::vec_cast(dates, constant), class = "pcfdist_error_y")
})

test_that("rows are worked on one by one, and columns of numbers are made of functions", {
  data <- function_tibble()
  rows <- dplyr::rowwise(data)
  expect_identical(dplyr::mutate(rows, a = integral(f, to = 9))$a, integral(data$f, to = 9))
  expect_identical(dplyr::mutate(rows, g = f * id)$g, data$f * data$id)
  expect_identical(dplyr::summarise(rows, m = mean(f))$m, as_pcf(lapply(data$f, mean)))
  evaluated <- dplyr::mutate(data, at = evaluate(f, 2), n = lp_norm(f, to = 9))
  expect_identical(evaluated$at, as.vector(as.matrix(data$f, 2)))
  expect_identical(evaluated$n, lp_norm(data$f, to = 9))
  # An error there once never came to an end.
  expect_error(dplyr::mutate(rows, a = integral(f, to = "9")), "must be a number")
})

test_that("distinct() compares functions, and their order is an error", {
  data <- function_tibble()
  expect_identical(dplyr::distinct(dplyr::bind_rows(data, data)), data)
  expect_identical(nrow(dplyr::distinct(dplyr::bind_rows(data, data), f)), 6L)
  expect_identical(dplyr::n_distinct(c(data$f, data$f)), 6L)
  expect_error(dplyr::arrange(data, f), class = "pcfdist_error_generic")
  expect_error(dplyr::count(data, f), "vec_group_id", class = "pcfdist_error_generic")
  twice <- dplyr::mutate(dplyr::bind_rows(data, data), number = vctrs::vec_group_id(f))
  expect_identical(dplyr::count(twice, number)$n, rep(2L, 6))
  by_size <- dplyr::arrange(data, integral(f, to = 9))
  expect_identical(by_size$f, data$f[order(integral(data$f, to = 9))])
})

test_that("tidyr nests, unnests and pivots", {
  skip_if_not_installed("tidyr")
  data <- function_tibble()
  nested <- tidyr::nest(data, data = c("id", "f"))
  expect_identical(nested$data[[2]]$f, data$f[c(2, 4, 6)])
  expect_identical(tidyr::unnest(nested, "data")$f, data$f[c(1, 3, 5, 2, 4, 6)])
  expect_identical(tidyr::unnest(data, "f")$f, data$f)
  wide <- tidyr::pivot_wider(data, names_from = "group", values_from = "f")
  expect_identical(is.na(wide$u), rep(c(FALSE, TRUE), 3))
  long <- tidyr::pivot_longer(wide, c("u", "v"), values_drop_na = TRUE)
  expect_identical(long$value, data$f)
})
