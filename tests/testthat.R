if (requireNamespace("testthat", quietly = TRUE)) {
  library(testthat)
  library(pcfdist)
  test_check("pcfdist")
}
