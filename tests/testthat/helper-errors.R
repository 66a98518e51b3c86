# An error of pcfdist: of the class "pcfdist_error_<what>", with exactly this message. Nothing of
# it depends on how testthat shows conditions.
expect_refusal <- function(object, what, message) {
  raised <- tryCatch({
    force(object)
    NULL
  }, error = identity)
  if (is.null(raised)) return(fail(paste("there was no error:", message)))
  expect_s3_class(raised, paste0("pcfdist_error_", what))
  expect_identical(conditionMessage(raised), message)
}
