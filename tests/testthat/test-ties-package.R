test_that("attaching the package prints one line", {
  skip_without_processes()
  printed <- run_child(c(
    "detach('package:pcfdist', unload = TRUE)", "messages <- character()",
    "withCallingHandlers(library(pcfdist), message = function(m) {",
    "  messages <<- c(messages, conditionMessage(m)); invokeRestart('muffleMessage') })", "cat(messages, sep = '')"
  ))
  expect_identical(printed[length(printed)], "pcfdist: pmax() and pmin() take functions, too")
})

test_that("the package can be unloaded, and loaded again", {
  skip_without_processes()
  once <- c(
    "loadNamespace('pcfdist')",
    "x <- pcfdist::pcf(as.list(1:50), as.list(50:1))",
    "cat(sum(pcfdist::pdist(x, to = 60, device = 'cpu')), '')",
    "cat(pcfdist::integral(x[1], to = 2), '')",
    "unloadNamespace('pcfdist')",
    "cat('pcfdist' %in% names(getLoadedDLLs()), '')",
    "gc()"
  )
  detached <- "detach('package:pcfdist', unload = TRUE)"
  printed <- run_child(c(detached, "invisible({", once, once, "})", "cat('end')"))
  total <- sum(pdist(pcf(as.list(1:50), as.list(50:1)), to = 60))
  once <- paste(number(total, 7), "50", FALSE)
  expect_identical(printed[length(printed)], paste(once, once, "end"))
})

test_that("proxy forgets the distances of a package that is gone", {
  skip_if_not_installed("proxy")
  skip_without_processes()
  printed <- run_child(c(
    "invisible({", "detach('package:pcfdist', unload = TRUE)", "loadNamespace('proxy')",
    "cat(proxy::pr_DB$entry_exists('pcf_L1'), '')",
    "loadNamespace('pcfdist')", "cat(proxy::pr_DB$entry_exists('pcf_L1'), '')",
    "unloadNamespace('pcfdist')", "cat(proxy::pr_DB$entry_exists('pcf_L1'))", "})"
  ))
  expect_identical(printed[length(printed)], "FALSE TRUE FALSE")
})
