# Saved references to results in files that are damaged: right, or an error that names the argument.

skip_on_os("windows") # where R itself was not tried

# The bytes of a saved object whose numbers lie in a file, with any state and attributes: those of a pairlist of
# three elements, without the 4 bytes before each, and the 4 at the end.
saved_reference <- function(state, attributes, is_object = TRUE) {
  parts <- list(as.pairlist(list(quote(stored), quote(pcfdist), 14L)), state, as.pairlist(attributes))
  header <- utils::head(serialize(NULL, NULL), -4)
  bytes_of_first <- function(n) {
    bytes <- serialize(as.pairlist(parts[seq_len(n)]), NULL)
    bytes[seq(length(header) + 1, length(bytes) - 4)]
  }
  ends <- c(0, vapply(1:3, function(n) length(bytes_of_first(n)), 1))
  elements <- lapply(1:3, function(n) bytes_of_first(3)[seq(ends[n] + 5, ends[n + 1])])
  c(header, writeBin(if (is_object) 494L else 238L, raw(), endian = "big"), unlist(elements))
}

state_of <- function(x) .Call(pcfdist:::ffi_stored_state, x)

# Anything in the place of something.
anything <- list(
  NULL, NA, NA_character_, NA_real_, character(), numeric(), "", "a", c("a", "b"), 1L, -1, 1.5, 1e300, Inf, NaN,
  c(3, 2), c(2L, 3L), 1:400, TRUE, list(), list(1), list(a = 1, a = 2), quote(a), quote(stop("run")),
  quote(file.create("run")), sum, function(...) 1, globalenv(), as.raw(1:3), 1i, factor("a"), Sys.Date(), "\xff",
  expression(a), as.pairlist(list(a = 1)), strrep("a", 1e4), "dist", c("stored_distances", "dist"), "pcf", "factor",
  "data.frame", c("stored_distances", "matrix", "array"), array(1, c(2, 2, 2)), letters
)

damage_names <- function(x) {
  if (length(x) == 0) return(x)
  names <- names(x)
  if (is.null(names)) names <- character(length(x))
  k <- sample(length(x), 1)
  switch(sample(5, 1),
    unname(x),
    stats::setNames(x, replace(names, k, "")),
    stats::setNames(x, replace(names, k, names[sample(length(x), 1)])),
    stats::setNames(x, rev(names)),
    stats::setNames(x, replace(names, k, sample(c("dim", "names", "class", "dimnames", "tsp", "x"), 1)))
  )
}

# Damages one place at any depth: an element is replaced or lost, or the names change.
damage <- function(x, depth = 0) {
  way <- sample(if (depth == 0) 4 else 6, 1)
  if (way >= 5 || length(x) == 0) return(anything[[sample(length(anything), 1)]])
  k <- sample(length(x), 1)
  if (way == 1) return(damage_names(x))
  if (way == 2) return(x[-k])
  if (is.list(x)) x[k] <- list(damage(x[[k]], depth + 1))
  else if (is.character(x) && way == 3) x[k] <- sample(c(NA, "", "2", "\xff", "stored_distances"), 1)
  else if (is.numeric(x) && way == 3) x[k] <- sample(c(NA, -1, 0, 1e9), 1)
  else return(anything[[sample(length(anything), 1)]])
  x
}

uses_of_results <- list(
  print = function(x) utils::capture.output(print(x)),
  collect = function(x) collect(x),
  range = function(x) range(x),
  matrix = function(x) as.matrix(x, 1:2, 2:3),
  element = function(x) if (length(attr(x, "dim")) == 2) x[nrow(x), ncol(x)] else x[length(x)]
)

numbers_of <- function(x) {
  attributes(x) <- NULL
  x
}

# What reading a reference, and using what was read, comes to.
outcome_of_reference <- function(bytes, due) {
  warned <- NULL
  outcome <- tryCatch(withCallingHandlers({
    x <- unserialize(bytes)
    if (!identical(numbers_of(x), numbers_of(due))) return("other numbers")
    if (inherits(x, "stored_distances")) for (use in uses_of_results) use(x)
    "right"
  }, warning = function(w) warned <<- conditionMessage(w)), pcfdist_error = function(e) {
    named <- is.character(e$argument) && grepl(paste0("^`", e$argument, "` "), conditionMessage(e))
    if (named) class(e)[1] else paste("no argument:", conditionMessage(e))
  }, error = function(e) paste("another error:", conditionMessage(e)))
  if (is.null(warned)) outcome else paste(outcome, "with a warning:", warned)
}

results_to_save <- function() {
  x <- random_pcf(12, 5)
  names(x) <- letters[1:12]
  list(
    pdist(x, to = 9, file = new_file()), cdist(x, unname(x[1:7]), to = 9, file = new_file()),
    l2_kernel(x[1:5], to = 9, storage = "single", file = new_file())
  )
}

try_damaged_references <- function(count) {
  results <- results_to_save()
  due <- lapply(results, collect)
  vapply(seq_len(count), function(n) {
    k <- (n - 1) %% 3 + 1
    state <- state_of(results[[k]])
    attributes <- attributes(results[[k]])
    if (n %% 2 == 0) state <- damage(state) else attributes <- damage(attributes)
    outcome_of_reference(saved_reference(state, attributes), due[[k]])
  }, "")
}

test_that("references are read as R saves them", {
  for (x in results_to_save()) {
    bytes <- saved_reference(state_of(x), attributes(x))
    expect_identical(bytes, serialize(x, NULL))
    expect_identical(outcome_of_reference(bytes, x), "right")
  }
})

test_that("damaged references are right, or an error that names the argument", {
  skip_on_cran()
  folder <- user_folder()
  old <- setwd(folder)
  on.exit(setwd(old))
  count <- as.numeric(Sys.getenv("PCFDIST_DAMAGED_REFERENCES", "300"))
  outcomes <- with_seed(47, try_damaged_references(count))
  expect_identical(outcomes[!outcomes %in% c("right", "pcfdist_error_file", "pcfdist_error_x")], character())
  expect_gt(mean(outcomes == "pcfdist_error_file"), 0.4)
  expect_gt(mean(outcomes == "right"), 0.1)
  expect_identical(list.files(folder), character())
})

test_that("a reference is data, not code", {
  folder <- user_folder()
  trace <- file.path(folder, "trace")
  code <- bquote(file.create(.(trace)))
  x <- results_to_save()[[1]]
  for (bytes in list(
    saved_reference(code, NULL), saved_reference(state_of(x), list(class = code)),
    saved_reference(replace(state_of(x), "path", list(code)), attributes(x))
  )) {
    expect_error(unserialize(bytes), class = "pcfdist_error_file")
    expect_false(file.exists(trace))
  }
})

test_that("dimensions that do not fit the numbers are errors, and nothing else is read", {
  x <- results_to_save()
  for (dim in list(c(1000000L, 7L), c(12L, NA), c(-12L, -7L), 85L, c(12, 8))) {
    attributes <- replace(attributes(x[[2]]), "dim", list(dim))
    expect_error(unserialize(saved_reference(state_of(x[[2]]), attributes)),
                 "^`file` has a damaged reference to results in a file: ", class = "pcfdist_error_file")
  }
  for (size in list(13L, NA, NULL, "12", c(12L, 12L), -11)) {
    attributes <- attributes(x[[1]])
    attributes["Size"] <- list(size)
    expect_error(unserialize(saved_reference(state_of(x[[1]]), attributes)),
                 "Size does not match", class = "pcfdist_error_file")
  }
})

test_that("results whose attributes are damaged are errors", {
  due <- results_to_save()[[1]]
  for (change in list(
    function(x) replace(attributes(x), "Size", list("a")), function(x) replace(attributes(x), "Size", list(11)),
    function(x) replace(attributes(x), "Labels", list("a")), function(x) replace(attributes(x), "method", list(sum))
  )) for (use in uses_of_results[c("print", "collect", "range", "matrix")]) {
    x <- due
    attributes(x) <- change(due)
    expect_error(use(x), "^`x` is a damaged result in a file: ", class = "pcfdist_error_x")
  }
  for (x in list(structure("a", class = "stored_distances"), structure(list(), class = "stored_distances"))) {
    for (use in uses_of_results[c("print", "collect", "range", "matrix")]) {
      expect_error(use(x), "^`x` is a damaged result in a file: ", class = "pcfdist_error_x")
    }
  }
})
