# The folder of a run and the files in it: how they are written as a whole, and what is checked before
# they are used. R/pairs-jobs.R says what they are for.

functions_file <- function(folder) file.path(folder, "functions")
run_file <- function(folder) file.path(folder, "run")
engine_file <- function(folder) file.path(folder, "engine")
answer_file <- function(folder, k) file.path(folder, sprintf("answer-%.0f", k))
stop_file <- function(folder, session) file.path(folder, paste0("stop-", session))

# A pattern for the names of all of them, and of their unfinished parts.
files_of_run <- local({
  whole <- "functions|run|engine(-[0-9a-f]+)?|answer-[0-9]+|stop-session-[0-9a-f]+"
  part <- paste0("(", whole, "|made-by-pcfdist|owner)-[0-9a-f]+[.]part")
  columns <- "columns-[0-9]+([.](part|dcf|new))*"
  paste0("^(", paste(whole, part, columns, sep = "|"), ")$")
})

# ---- Folders ----

# The folder of the run with this key. It and its parent are created if necessary.
open_run_folder <- function(folder, key) {
  make_folder(folder)
  on.exit(remove_made_folder(folder)) # unless a run is in it
  folder <- normalizePath(folder)
  check_parents(folder)
  path <- file.path(folder, paste0("run-", key))
  if (!make_folder(path, "0700")) check_run_folder(path)
  path
}

# Who may write to a folder can replace what is in it, unless its sticky bit is set.
check_parents <- function(folder) {
  if (.Platform$OS.type == "windows") return(invisible())
  mode <- as.integer(file.mode(folder))
  if (isTRUE(bitwAnd(mode, 2L) != 0 && bitwAnd(mode, 512L) == 0)) {
    abort("file", "The folder for jobs must not be in ", dQuote(folder, FALSE), ", which all users can write to ",
          "and whose sticky bit is not set. Choose another folder, or set the bit: chmod +t.")
  }
  if (dirname(folder) != folder) check_parents(dirname(folder))
}

# An existing folder must be empty, or have been created by pcfdist for this user.
check_run_folder <- function(path) {
  answer_value(.Call(ffi_check_folder, mark_file(path)))
  others <- list.files(path, all.files = TRUE, no.. = TRUE)
  # Another session may just be creating its mark.
  others <- others[!grepl("^(made-by-pcfdist|owner)-[0-9a-f]+[.]part$", others)]
  if (length(others) == 0) mark_folder(path)
  if (is_marked(path)) return(invisible())
  abort("file", "The folder ", dQuote(path, FALSE), " is needed for jobs, but was not created by pcfdist: ",
        "it contains ", dQuote(others[1], FALSE), ". Move it away.")
}

# Creates a folder and a mark in it. FALSE if it exists already.
make_folder <- function(folder, mode = "0775") {
  made <- tryCatch(dir.create(folder, recursive = TRUE, mode = mode), warning = conditionMessage)
  if (isTRUE(made)) {
    on.exit(remove_empty_folder(folder)) # unless the mark is in it
    mark_folder(folder)
    return(TRUE)
  }
  if (dir.exists(folder)) return(FALSE)
  abort("file", "The folder for jobs cannot be created: ", made, ".")
}

# A folder created by pcfdist contains a mark, a file that says so with the name of the folder. Folders that
# existed before, or are copies of ours, are not removed.
mark_folder <- function(folder) {
  write_beside(mark_file(folder), function(part) {
    answer_value(.Call(ffi_write_new, text_of_mark(folder), part))
  })
}

mark_file <- function(folder) file.path(folder, "made-by-pcfdist")

text_of_mark <- function(folder) {
  charToRaw(paste0("pcfdist made the folder ", enc2utf8(basename(folder)), " for jobs.\n"))
}

is_marked <- function(folder) {
  text <- text_of_mark(folder)
  mark <- mark_file(folder)
  isTRUE(file.size(mark) == length(text)) &&
    identical(tryCatch(as_error(readBin(mark, "raw", length(text))), error = identity), text)
}

# Removes the files of a run, its folder and the parent of this.
remove_run <- function(path) {
  if (!is_marked(path)) return(invisible())
  remove_files(path)
  remove_made_folder(path)
  remove_made_folder(dirname(path))
}

# Does not remove a folder that contains anything else, or that pcfdist did not create.
remove_made_folder <- function(folder) {
  left <- list.files(folder, all.files = TRUE, no.. = TRUE)
  if (length(left) != 1 || !is_marked(folder)) return(invisible())
  unlink(mark_file(folder), expand = FALSE)
  remove_empty_folder(folder)
}

remove_files <- function(path) {
  names <- list.files(path, files_of_run, all.files = TRUE)
  unlink(file.path(path, names), expand = FALSE)
}

# ---- Files ----

# A file appears under this name only when it is complete.
write_whole <- function(object, path) {
  write_beside(path, function(part) answer_value(.Call(ffi_write_whole, object, part)))
}

# The object in a file of this user, for which `is_right` must return TRUE. In a folder that others can write
# into, anybody could leave files to be unserialised: C opens the file once, and returns its bytes if it and
# its folder belong to the user of this process, nobody else may write to them, and its checksum is right.
read_whole <- function(path, is_right) {
  bytes <- answer_value(.Call(ffi_read_whole, path))
  object <- on_disk("A file cannot be read: ", path, unserialize(bytes))
  if (isTRUE(is_right(object))) return(object)
  abort("file", "The contents of a file do not match its name: ", dQuote(path, FALSE), ".")
}

# Version 3 would contain the encoding of the locale.
hash_of <- function(object) .Call(ffi_hash, serialize(object, NULL, xdr = FALSE, version = 2))

# ---- Contents ----

is_functions <- function(object) {
  is.list(object) && identical(names(object), c("x", "y")) && is_either(object$x) &&
    (is.null(object$y) || is_either(object$y))
}

is_run <- function(object) {
  parts <- c("parts", "task", "settings", "options", "version")
  is.list(object) && all(parts %in% names(object)) && is.list(object$task) &&
    isTRUE(object$task[[1]] %in% tasks_of_jobs) && is.list(object$options) &&
    sum(startsWith(names(object$options) %||% "", "pcfdist.")) == length(object$options)
}

is_engine <- function(object) {
  is.character(object) && !anyNA(object) && setequal(names(object), engine_names)
}

is_answer <- function(object) is.list(object) && identical(names(object), c("value", "report"))

# The functions of this package that jobs may call.
tasks_of_jobs <- c("select_band", "sum_band", "store_band")
