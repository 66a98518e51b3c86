test_that("C has an operation for each distance and exponent", {
  names <- lapply(c(1, 2, Inf, 2.5), function(p) pcfdist:::operation_of(p, "lp")$name)
  expect_identical(names, list("l1", "l2", "linf", "lp"))
  x <- distribution(list(1:3, c(2, 4), 7))
  for (distance in names(pcfdist:::distances)) {
    if (distance == "spike") x <- counting(list(1:3, c(2, 4), 7), from = 0, to = 8)
    takes_p <- distance %in% c("lp", "wasserstein")
    d <- if (takes_p) pdist(x, 2.5, distance = distance) else pdist(x, distance = distance)
    expect_identical(attr(d, "method"), if (distance == "lp") "Lp" else distance)
    expect_identical(attr(d, "p"), if (takes_p) 2.5)
  }
})

test_that("`distance` names a distance", {
  x <- random_pcf(5)
  for (wrong in list("l3", c("lp", "lp"), 1, NULL, NA_character_)) {
    expect_error(pdist(x, distance = wrong), "must be one of \"lp\"", class = "pcfdist_error_distance")
  }
  expect_identical(as.vector(pdist(x, 2, to = 5, distance = "lp")), as.vector(pdist(x, 2, to = 5)))
})

# What any distance has to do; here that of the default.
test_apart("the distance \"lp\" is the same in all functions", {
  expect_distance("lp", function(a, b) abs(a - b))
})
