library(testthat)
library(pcfdist)

test_check("pcfdist")
