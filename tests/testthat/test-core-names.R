# The names of exports beside those of packages that are attached together with this one.

# Names that others have as well, and why they stay.
shared_names <- c(
  # DelayedArray attaches both with itself; they are for ranges and for its own arrays, and refuse functions.
  IRanges = "restrict", IRanges = "pmax", IRanges = "pmin", BiocGenerics = "pmax", BiocGenerics = "pmin",
  # They do for functions what R's do for numbers, for which they call them, and ask no method.
  base = "pmax", base = "pmin",
  # Distances by these names are the point of both packages; ?pdist says so.
  rdist = "pdist", rdist = "cdist", pdist = "pdist",
  # Each has methods for the other's, whichever of them is attached last.
  dplyr = "collect",
  # The workings of knitr, which is seldom attached.
  evaluate = "evaluate"
)

test_that("exports do not mask, and are not masked by, what is used beside them", {
  neighbours <- c(
    "base", "stats", "utils", "graphics", "grDevices", "methods", "parallel", "survival", "zoo",
    "xts", "dplyr", "tidyr", "purrr", "tibble", "ggplot2", "data.table", "stringr", "forcats",
    "readr", "lubridate", "magrittr", "cluster", "igraph", "DelayedArray", "IRanges", "BiocGenerics", "rdist",
    "evaluate"
  )
  ours <- getNamespaceExports("pcfdist")
  installed <- neighbours[vapply(neighbours, requireNamespace, NA, quietly = TRUE)]
  expect_true("stats" %in% installed)
  for (package in installed) {
    theirs <- if (package == "base") ls(baseenv()) else getNamespaceExports(package)
    allowed <- shared_names[names(shared_names) == package]
    expect_identical(setdiff(intersect(ours, theirs), allowed), character(), label = package)
  }
})
