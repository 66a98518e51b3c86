# Runs lines of R in another process, and returns what they print.
in_another_process <- function(lines) {
  script <- tempfile(fileext = ".R")
  on.exit(unlink(script))
  libraries <- sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = ""))
  writeLines(c(libraries, lines), script)
  rscript <- file.path(R.home("bin"), "Rscript")
  suppressWarnings(system2(rscript, c("--vanilla", shQuote(script)), stdout = TRUE))
}

test_that("the package can be unloaded, and loaded again", {
  skip_on_cran()
  skip_if(length(find.package("pcfdist", .libPaths(), quiet = TRUE)) == 0, "is not installed")
  once <- c(
    "loadNamespace('pcfdist')",
    "x <- pcfdist::pcf(as.list(1:50), as.list(50:1))",
    "cat(sum(pcfdist::pdist(x, to = 60, device = 'cpu')), '')",
    "cat(pcfdist::integral(x[1], to = 2), '')",
    "unloadNamespace('pcfdist')",
    "cat('pcfdist' %in% names(getLoadedDLLs()), '')",
    "gc()"
  )
  printed <- in_another_process(c("invisible({", once, once, "})", "cat('end')"))
  total <- sum(pdist(pcf(as.list(1:50), as.list(50:1)), to = 60))
  once <- paste(format(total, digits = 7), 50, FALSE)
  expect_identical(printed[length(printed)], paste(once, once, "end"))
})

test_that("proxy forgets the distances of a package that is gone", {
  skip_if_not_installed("proxy")
  skip_on_cran()
  printed <- in_another_process(c(
    "invisible({", "loadNamespace('pcfdist')", "unloadNamespace('pcfdist')", "loadNamespace('proxy')",
    "cat(proxy::pr_DB$entry_exists('pcf_L1'), '')",
    "loadNamespace('pcfdist')", "cat(proxy::pr_DB$entry_exists('pcf_L1'), '')",
    "unloadNamespace('pcfdist')", "cat(proxy::pr_DB$entry_exists('pcf_L1'))", "})"
  ))
  expect_identical(printed[length(printed)], "FALSE TRUE FALSE")
})
