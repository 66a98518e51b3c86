x <- with_seed(1, rpcf(6, 5))
named <- setNames(x, letters[1:6])

test_that("neighbours are tables of pairs, and trees of edges", {
  near <- nearest_neighbors(named, 2)
  pairs <- as.data.frame(near)
  expect_identical(pairs$from, rep(letters[1:6], each = 2))
  expect_identical(pairs$to, letters[c(t(near$id))])
  expect_identical(pairs$distance, as.matrix(pdist(named))[cbind(pairs$from, pairs$to)])
  within <- neighbors_within(x, 1.1)
  pairs <- as.data.frame(within)
  expect_identical(tabulate(pairs$from, 6), lengths(within$id))
  expect_identical(pairs$distance, as.matrix(pdist(x))[cbind(pairs$from, pairs$to)])
  expect_identical(dim(as.data.frame(neighbors_within(x, 1e-9))), c(0L, 3L))
  query <- as.data.frame(nearest_neighbors(x, 1, query = named[2:3]))
  expect_identical(query, data.frame(from = c("b", "c"), to = 2:3, distance = 0))
  edges <- spanning_tree(named)$edges
  expect_identical(as.data.frame(edges), data.frame(
    from = letters[edges[, "from"]], to = letters[edges[, "to"]], weight = edges[, "weight"]
  ))
  expect_identical(as.data.frame(spanning_tree(x)$edges)$from, as.integer(edges[, "from"]))
  expect_identical(row.names(as.data.frame(edges, row.names = LETTERS[1:5])), LETTERS[1:5])
})

test_that("tests and bands have the tables of broom", {
  skip_if_not_installed("generics")
  test <- with_seed(1, permutation_test(x, rep(1:2, 3), "pseudo_f", n = 99, to = 1))
  table <- generics::tidy(test)
  expect_identical(table, generics::glance(test))
  expect_identical(table, data.frame(
    estimate = unname(test$estimate), statistic = unname(test$statistic), p.value = test$p.value, parameter = 99L,
    method = test$method, alternative = test$alternative
  ))
  energy <- permutation_test(x, rep(1:2, 3), n = 9, to = 1)
  expect_identical(names(as.data.frame(energy)), names(table)[-1])
  expect_s3_class(energy, "htest")
  lines <- with_seed(1, confidence_bands(as_plf(named), by = rep(c("u", "v"), 3), to = 1))
  expect_identical(unname(generics::tidy(lines)), unname(as.data.frame(lines)))
  ends <- c("estimate", "conf.low", "conf.high")
  expect_identical(names(generics::tidy(lines)), c("id", "time", ends, paste0(ends, ".left")))
  expect_identical(generics::glance(lines), data.frame(curves = 2L, type = "pointwise", level = 0.95))
})

test_that("summaries, plans and devices are tables, too", {
  days <- as.Date("2024-02-27") + 0:1
  expect_identical(as.data.frame(summary(pcf(days, c(2, NA)))), data.frame(
    functions = 1, breakpoints = 2, fewest = 2, most = 2, first_time = days[1], last_time = days[2], lowest_value = 2,
    highest_value = 2, with_gaps = 1
  ))
  expect_identical(as.data.frame(summary(x))$with_gaps, 0)
  plans <- rbind(as.data.frame(pcf_plan(x)), as.data.frame(pcf_plan(x, p = 2)))
  expect_identical(plans$pairs, c(15, 15))
  pdist(x)
  expect_identical(nrow(as.data.frame(last_run())), 1L)
  expect_identical(as.data.frame(cuda_info()), cuda_info()$devices)
})

test_that("every class of results has a table, is a class of R or other packages, or no table at all", {
  methods <- sub("^as.data.frame.", "", grep("^as.data.frame[.]", ls(asNamespace("pcfdist")), value = TRUE))
  expect_setequal(methods, c("NN", "cuda_info", "mst", "pcf", "pcf_bands", "pcf_plan", "pcf_test", "stored_distances",
                             "summary.pcf"))
  expect_error(as.data.frame(kernel_operator(x)), "cannot coerce class")
  expect_error(as.data.frame(pdist(x, file = new_file())), "as.matrix", class = "pcfdist_error_x")
})
