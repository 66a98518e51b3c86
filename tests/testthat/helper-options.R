# With the environment variable PCFDIST_ODD_OPTIONS=true, all tests run under options and a locale that change how R
# writes numbers and sorts strings; see tools/test-options.sh. Nothing of ours may depend on them.
odd_options <- Sys.getenv("PCFDIST_ODD_OPTIONS") == "true"

# A file of tests in which `odd_scipen` is 0 has plain numbers without exponents.
set_odd_options <- function(scipen) {
  options(OutDec = ",", scipen = scipen, digits = 3, digits.secs = 2)
  locale <- Sys.getenv("LC_ALL")
  for (category in c("LC_COLLATE", "LC_TIME")) {
    if (!nzchar(Sys.setlocale(category, locale))) stop("There is no locale ", locale)
  }
  suppressWarnings(Sys.setlocale("LC_NUMERIC", locale)) # R warns of any but "C"
}

# For what R or other packages cannot do with such numbers and names of months. The next test has them again.
allow_plain_numbers <- function() {
  if (!odd_options) return(invisible())
  options(OutDec = ".", scipen = 0)
  for (category in c("LC_NUMERIC", "LC_TIME")) Sys.setlocale(category, "C")
}

# testthat sets some of the options for each test.
if (odd_options) test_that <- function(desc, code) {
  body <- substitute(code)
  eval(bquote(testthat::test_that(.(desc), {
    set_odd_options(get0("odd_scipen", ifnotfound = -9))
    .(body)
  })), parent.frame())
}
