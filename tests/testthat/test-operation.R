test_that("C has an operation for each distance", {
  x <- random_pcf(5)
  for (name in names(pcfdist:::distance_operations)) {
    entry <- pcfdist:::distance_operations[[name]]
    p <- if (!is.null(entry$p)) entry$p else if (entry$distance == "lp") 2.5 else 1
    operation <- pcfdist:::operation_of(p, entry$distance, given = entry$distance == "lp")
    expect_identical(operation$name, name)
    d <- if (entry$distance == "lp") pdist(x, p, to = 5) else pdist(x, distance = entry$distance, to = 5)
    expect_identical(attr(d, "method"), entry$method)
    expect_identical(attr(d, "p"), if (entry$distance == "lp") p)
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
test_that("the distance \"lp\" is the same in all functions", {
  expect_distance("lp", function(a, b) abs(a - b))
})
