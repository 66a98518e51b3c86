# Calls that keep the pairs that they have selected so far in a file, from which the same call goes on.
# src/sinks/kept.h describes the file.

# The value of run(select), where select(selection, numbers) is a selection of the call that the file keeps,
# together with numbers that stand for what the call has found before. If `path` is NULL, nothing is kept.
# `about` are fields that tell of the call what its functions and its distances do not.
run_kept <- function(path, about, call, operation, settings, run) {
  if (is.null(path)) {
    return(run(function(selection, numbers = NULL) select_pairs(call, operation, settings, selection), NULL))
  }
  kept <- open_kept(path, about, call, operation, settings)
  on.exit(close_kept(kept))
  select <- function(selection, numbers = numeric()) {
    selection$kept <- list(
      path = kept$file, new = kept$new, text = kept$text, numbers = as.double(numbers), seconds = save_every(),
      begun = kept$begun, done = kept$done
    )
    found <- select_pairs(call, operation, kept$settings, selection)
    kept$begun <- kept$done <- FALSE # the next one of a call begins anew
    found
  }
  value <- run(select, kept$numbers)
  finish_kept(kept)
  value
}

# The value of select_pairs(), which a file keeps, unless it is NULL.
select_kept <- function(file, call, operation, settings, selection) {
  about <- c(Selection = selection$kind, K = if (!is.null(selection[["k"]])) field_of_number(selection$k),
             Radius = if (!is.null(selection$radius)) field_of_number(selection$radius))
  run_kept(file, about, call, operation, settings, function(select, numbers) select(selection))
}

# The path of the file of a call, or NULL; `...` are arguments that must not be given together with it.
check_kept <- function(file, ...) {
  if (is.null(file)) return(NULL)
  others <- list(...)
  for (name in names(others)) {
    given <- others[[name]]
    if (!is.null(given) && !isFALSE(given)) {
      abort_argument("file", "must not be given together with `", name, "`.")
    }
  }
  check_path(file)
}

save_every <- function() {
  check_positive(getOption("pcfdist.save_every", 20), "pcfdist.save_every", least = 0)
}

# ---- Files ----

format_of_kept <- "pcfdist pairs 1"

# An environment, since it changes while the call lasts: `file` has what is found, which is `begun` by an earlier
# call, or `done`.
open_kept <- function(path, about, call, operation, settings) {
  request <- request_for(call, operation, "none", if (is.null(call$y)) "below" else "full")
  fields <- describe_results(call$x, call$y, request, settings)
  fields[["Format"]] <- format_of_kept
  fields <- c(fields[setdiff(names(fields), c("Layout", "First", "Last"))], about)
  kept <- list2env(list(path = path, file = path, new = paste0(path, ".new"), lock = paste0(path, ".lock")),
                   parent = emptyenv())
  if (!file.exists(path)) {
    kept$file <- part_name(path)
    lock_kept(kept)
  }
  ready <- FALSE
  on.exit(if (!ready) close_kept(kept))
  kept$done <- file.exists(path)
  if (kept$done) kept$file <- path
  kept$begun <- file.exists(kept$file)
  found <- if (kept$begun) read_kept(kept$file, fields)
  kept$numbers <- found$numbers
  if (kept$done) tell_of_results(path) else remove_beginning(kept$new, fields)
  engine <- engine_of(found) %||% engine_fields(plan_pairs(call$x, call$y, request, settings, call$arguments))
  kept$text <- found$text %||% format_header(c(fields, engine))
  kept$settings <- if (kept$done) settings else with_engine(settings, engine)
  ready <- TRUE
  kept
}

# What is in a file of the same call: list(text, numbers, fields).
read_kept <- function(file, fields) {
  found <- answer_value(.Call(ffi_read_kept, file))
  found$fields <- parse_header(found$text)
  check_same_results(found, fields, file)
}

# One call at a time writes. The lock is an empty file.
lock_kept <- function(kept) {
  links <- Filter(is_link, c(kept$path, kept$file, kept$new, kept$lock))
  if (length(links) > 0) abort_argument("file", "cannot be used: ", quoted_name(links[1]), " is a symbolic link.")
  if (isTRUE(file.size(kept$lock) > 0)) abort_foreign(kept$lock)
  kept$held <- answer_value(.Call(ffi_lock, kept$lock))
  if (is.null(kept$held)) abort_argument("file", "is in use by another call: ", dQuote(kept$path, FALSE), ".")
}

abort_foreign <- function(name) {
  abort_argument("file", "cannot be used: ", quoted_name(name), " exists, but was not made by this call. ",
                 "Choose another name.")
}

# What a call that was killed had begun to write.
remove_beginning <- function(new, fields) {
  if (!file.exists(new)) return(invisible())
  begins <- charToRaw(paste0(format_of_kept, "\n"))
  numbers <- length(begins) + seq_len(32) # before the text
  due <- c(begins, raw(32), charToRaw(enc2utf8(format_header(fields))))
  found <- readBin(new, "raw", length(due))
  found[intersect(numbers, seq_along(found))] <- as.raw(0)
  if (!identical(found, due[seq_along(found)])) abort_foreign(new)
  unlink(new, expand = FALSE)
}

finish_kept <- function(kept) {
  if (kept$file == kept$path) return(invisible())
  if (is_there(kept$path)) abort_foreign(kept$path)
  on_disk("A file cannot be renamed: ", kept$file, as_error(file.rename(kept$file, kept$path)))
}

close_kept <- function(kept) {
  if (is.null(kept$held)) return(invisible())
  unlink(kept$lock, expand = FALSE)
  .Call(ffi_unlock, kept$held)
}
