# An error of pcfdist: of the class "pcfdist_error_<what>", with exactly the message that the parts
# in `...` make. Nothing of it depends on how testthat shows conditions.
expect_refusal <- function(object, what, ...) {
  message <- do.call(paste0, lapply(list(...), text_of))
  raised <- tryCatch({
    force(object)
    NULL
  }, error = identity)
  if (is.null(raised)) return(fail(paste("there was no error:", message)))
  expect_s3_class(raised, paste0("pcfdist_error_", what))
  expect_identical(conditionMessage(raised), message)
}

# The same, of an argument with whose name the message begins.
refused <- function(object, what, ...) expect_refusal(object, what, "`", what, "` ", ...)

# One of a name that no column of `x` has.
no_column <- function(object, what, columns, given = what, ...) {
  refused(object, what, "must be the name of a column of `x` (", columns, "), not ", dQuote(given, FALSE), ".", ...)
}

# Sentences with which many messages end.
makes_pcf <- "Use as_pcf() for step functions, curves, matrices and data frames, and distribution() for samples."
converts_to_pcf <- paste(
  "as_pcf() takes lists of two-column matrices or data frames, matrices, data frames, and stepfun,",
  "ecdf, survfit, ts, zoo and xts objects. Use pcf(times, values) for vectors, counting() for event",
  "times, and distribution() for samples."
)
sets_unit <- "time_unit() sets the unit of functions, or drops it."
endless_mean <- paste(
  "`missing = \"mean\"` divides by the length of time for which functions are observed, and this is",
  "infinite: "
)
gives_end <- function(last) {
  paste0(
    " forever. Set a finite `to`, such as the last breakpoint: `to = ", text_of(last), "`. as_pcf() makes ",
    "functions that end, with `until`."
  )
}
hold_for_ever <- function(last) paste0(" and others keep their last values", gives_end(last))
needs_times <- " Wide data, with one function per row, need `times`; use as_pcf(t(x), times = ) for one per column."
all_one_function <- " With `id = NULL` all rows are one function."
begun_at_zero <- paste(
  " If functions are 0 before their first time, as counts are, make them with `before = 0`; see",
  "as_pcf()."
)
held_for_ever <- " If measurements keep their last value, as_pcf() holds it with `until = Inf`."
orders_bars <- paste(
  "Negate the births and deaths of superlevel filtrations. Columns without names are birth and death, or",
  "dimension, birth and death, and a bar that never dies has the death Inf, not -1."
)
never_known <- paste(
  " has only missing values. Leave it out of the data, or use `na.rm = FALSE`, with which it is a function that is",
  "never observed."
)
fills_missing <- "is missing. x[!is.na(x)] drops such functions, and dplyr::coalesce() replaces them."

# One function is observed on a stretch where another one is not.
observed_apart <- function(one, stretch, other, ...) {
  paste0(
    "The functions are not observed on the same stretches of the window: function ", one, " is observed on [", stretch,
    "), and function ", other, " is not. Choose a window where all are, with `from =` and `to =`, or set ",
    "`missing = \"overlap\"` or `missing = \"mean\"`.", ...
  )
}

# The warnings of an expression, a list of conditions.
capture_warnings_of <- function(object) {
  found <- list()
  withCallingHandlers(force(object), warning = function(warning) {
    found <<- c(found, list(warning))
    invokeRestart("muffleWarning")
  })
  found
}

# A test of results some of which are NA. The warning that says so is no part of it.
test_apart <- function(description, code) {
  code <- bquote(suppressWarnings(.(substitute(code)), classes = "pcfdist_warning_missing"))
  eval.parent(bquote(test_that(.(description), {
    .(code)
  })))
}

with_apart <- function(code) suppressWarnings(code, classes = "pcfdist_warning_missing")

# The same for a part of the message, or several ones in a row. Returns the error.
expect_objection <- function(object, what, ...) {
  expect_error(object, paste0(...), fixed = TRUE, class = paste0("pcfdist_error_", what))
}
