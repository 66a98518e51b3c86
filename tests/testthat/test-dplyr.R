# A column of functions in a tibble, under the verbs of dplyr.

function_tibble <- function() {
  x <- random_pcf(6)
  tibble::tibble(id = 6:1, group = rep(c("u", "v"), 3), f = x)
}

test_that("rows with functions can be picked and ordered", {
  skip_if_not_installed("dplyr")
  skip_if_not_installed("tibble")
  data <- function_tibble()
  expect_identical(dplyr::filter(data, group == "u")$f, data$f[c(1, 3, 5)])
  expect_identical(dplyr::arrange(data, id)$f, data$f[6:1])
  expect_identical(dplyr::slice(data, 2:3)$f, data$f[2:3])
  expect_identical(dplyr::mutate(data, g = rev(f))$g, rev(data$f))
  expect_identical(dplyr::pull(data, f), data$f)
  expect_s3_class(dplyr::bind_rows(data, data)$f, "pcf")
  expect_identical(unname(dplyr::bind_rows(data, data)$f), unname(c(data$f, data$f)))
})

test_that("rows can be joined by other columns", {
  skip_if_not_installed("dplyr")
  skip_if_not_installed("tibble")
  data <- function_tibble()
  joined <- dplyr::left_join(data.frame(id = c(2, 9)), data, by = "id")
  expect_identical(unname(joined$f[1]), unname(data$f[5]))
  expect_identical(unname(is.na(joined$f)), c(FALSE, TRUE))
})

test_that("groups of functions are summarised by their mean", {
  skip_if_not_installed("dplyr")
  skip_if_not_installed("tibble")
  skip_if(is.null(getS3method("mean", "pcf", optional = TRUE)), "there is no mean()")
  data <- function_tibble()
  means <- dplyr::summarise(dplyr::group_by(data, group), f = mean(f))
  expect_s3_class(means$f, "pcf")
  expect_identical(means$f[1], mean(data$f[c(1, 3, 5)]))
  expect_identical(means$f[2], mean(data$f[c(2, 4, 6)]))
})

test_that("groups can be counted and split", {
  skip_if_not_installed("dplyr")
  skip_if_not_installed("tibble")
  data <- function_tibble()
  grouped <- dplyr::group_by(data, group)
  expect_identical(dplyr::summarise(grouped, n = length(f))$n, c(3L, 3L))
  expect_identical(dplyr::group_split(grouped)[[2]]$f, data$f[c(2, 4, 6)])
  expect_identical(dplyr::summarise(grouped, f = f[1])$f, data$f[1:2])
})
