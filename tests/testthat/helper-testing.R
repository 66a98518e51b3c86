# What lets steps fail is in builds for tests alone (PCFDIST_TESTING in configure.ac), which those by
# 'make' are.

skip_unless_testing <- function() {
  built <- exists("ffi_fail_at", asNamespace("pcfdist"), inherits = FALSE)
  if (Sys.getenv("PCFDIST_TESTING") == "yes" && !built) stop("the package was not built for tests")
  skip_if_not(built, "not built for tests")
}
