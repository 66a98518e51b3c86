# How files are written whole, and the errors of the system, which are of the class
# "pcfdist_error_file".

# `write` writes a file of the name that it is given, which takes the place of the one at the path
# when it is whole.
write_beside <- function(path, write) {
  part <- tempfile(paste0(basename(path), "-"), dirname(path), ".part")
  on.exit(unlink(part, expand = FALSE))
  on_disk("A file cannot be written: ", path, {
    write(part)
    as_error(file.rename(part, path))
  })
}

# What is written last is on the disk when the file is closed, or never.
write_to <- function(path, mode, write) {
  file <- open_file(path, mode)
  problem <- tryCatch({
    write(file)
    NULL
  }, error = conditionMessage, finally = closed <- suppressWarnings(close(file)))
  if (!is.null(problem) && !grepl("connection", problem, fixed = TRUE)) stop(problem, call. = FALSE)
  if (!is.null(problem) || isTRUE(closed != 0)) stop(disk_full)
}

disk_full <- "not all of it was written. Is the disk full?"

# A problem with a file, of which R knows the reason.
on_disk <- function(what, path, code) {
  tryCatch(code, error = function(problem) {
    abort("file", what, dQuote(path, FALSE), ": ", conditionMessage(problem))
  })
}

# R takes some names for other things than files, but none that begins with a folder.
open_file <- function(path, mode) {
  if (!grepl("^([/\\\\~]|[A-Za-z]:)", path)) path <- file.path(".", path)
  as_error(file(path, mode))
}

# R tells the reasons of the system in warnings.
as_error <- function(code) tryCatch(code, warning = function(w) stop(conditionMessage(w), call. = FALSE))

# Of a folder, file.remove() takes none but an empty one, and on Windows none at all.
remove_empty_folder <- function(folder) {
  if (.Platform$OS.type != "windows") return(suppressWarnings(file.remove(folder)))
  left <- list.files(folder, all.files = TRUE, no.. = TRUE)
  if (length(left) == 0) unlink(folder, recursive = TRUE, expand = FALSE)
}
