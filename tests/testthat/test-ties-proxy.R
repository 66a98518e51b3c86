test_that("proxy::dist() knows the distances", {
  skip_if_not_installed("proxy")
  x <- random_pcf(6)
  names(x) <- letters[1:6]
  for (method in c("pcf_L1", "pcf_L2", "pcf_Linf")) {
    p <- c(pcf_L1 = 1, pcf_L2 = 2, pcf_Linf = Inf)[[method]]
    d <- proxy::dist(x, method = method, to = 20)
    expect_s3_class(d, "dist")
    expect_identical(as.vector(d), as.vector(pdist(x, p, to = 20)))
    expect_identical(attr(d, "Labels"), letters[1:6])
    cross <- proxy::dist(x[1:2], x, method = method, to = 20)
    expect_identical(array(cross, dim(cross)), unname(cdist(x[1:2], x, p, to = 20)))
    expect_identical(dimnames(cross), list(letters[1:2], letters[1:6]))
  }
  expect_identical(
    as.vector(proxy::dist(x, method = "pcf_Lp", p = 3, to = 20)),
    as.vector(pdist(x, 3, to = 20))
  )
  tree <- hclust(proxy::dist(x, method = "pcf_L1", to = 20), "average")
  expect_identical(tree$labels, letters[1:6])
})

test_that("the distances are registered in either order of loading", {
  skip_if_not_installed("proxy")
  skip_on_cran()
  found <- function(first, second) {
    code <- sprintf(
      paste(
        ".libPaths(%s); loadNamespace('%s'); loadNamespace('%s');",
        "cat(proxy::pr_DB$entry_exists('pcf_L2'))"
      ),
      paste(deparse(.libPaths()), collapse = ""), first, second
    )
    system2(
      file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(code)),
      stdout = TRUE
    )
  }
  expect_identical(utils::tail(found("proxy", "pcfdist"), 1), "TRUE")
  expect_identical(utils::tail(found("pcfdist", "proxy"), 1), "TRUE")
})
