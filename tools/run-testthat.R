# Runs tests/testthat against the installed package and writes "passed failed skipped" (numbers of
# tests) to the file named on the command line, or says it. The environment variable PCFDIST_TESTS is
# a regular expression for topics; all without it. Files run beside each other, as many as there are
# processors.

out <- commandArgs(trailingOnly = TRUE)[1]
if (!nzchar(Sys.getenv("NOT_CRAN"))) Sys.setenv(NOT_CRAN = "true") # snapshots and slower tests too
topics <- Sys.getenv("PCFDIST_TESTS")
cores <- parallel::detectCores()
Sys.setenv(TESTTHAT_PARALLEL = paste(cores > 1), TESTTHAT_CPUS = cores)

tests <- testthat::test_dir(
  "tests/testthat",
  filter = if (nzchar(topics)) topics,
  package = "pcfdist",
  load_package = "installed",
  reporter = "check",
  stop_on_failure = FALSE
)
results <- as.data.frame(tests) # whose `error` is FALSE where a warning follows the error
erred <- vapply(tests, function(test) any(vapply(test$results, inherits, NA, "expectation_error")), NA)

failed <- results$failed > 0 | erred
skipped <- !failed & results$skipped & results$passed == 0
passed <- !failed & !skipped
if (is.na(out)) {
  cat(sum(passed), "passed,", sum(failed), "failed,", sum(skipped), "skipped\n")
} else {
  cat(sum(passed), sum(failed), sum(skipped), "\n", file = out)
}

if (any(failed)) {
  cat("Failed:", paste0("  ", results$file, ": ", results$test)[failed], sep = "\n")
}
warned <- sum(results$warning)
if (warned > 0) {
  cat(warned, "warnings in the R tests\n")
}
quit(status = as.integer(any(failed)))
