# Writing files as a whole, and errors of the system, which have the class "pcfdist_error_file".

# `write` writes a file with the name that it is given. When this is complete, it replaces the file at the
# path, whose mode it gets.
write_beside <- function(path, write) {
  part <- tempfile(paste0(basename(path), "-"), dirname(path), ".part")
  mode <- file.mode(path)
  on.exit(unlink(part, expand = FALSE))
  on_disk("A file cannot be written: ", path, {
    if (!is.na(mode)) {
      mask <- Sys.umask("077") # nobody else reads a file that is private
      on.exit(Sys.umask(mask), add = TRUE)
    }
    write(part)
    if (!is.na(mode)) as_error(Sys.chmod(part, mode, use_umask = FALSE))
    as_error(file.rename(part, path))
  })
}

is_link <- function(path) !is.na(Sys.readlink(path)) & nzchar(Sys.readlink(path))

is_there <- function(path) file.exists(path) | is_link(path)

# The last bytes may be written, or fail to be, only when the file is closed.
write_to <- function(path, mode, write) {
  file <- open_file(path, mode)
  problem <- tryCatch({
    write(file)
    NULL
  }, error = conditionMessage, finally = closed <- suppressWarnings(close(file)))
  if (!is.null(problem) && !grepl("connection", problem, fixed = TRUE)) stop(problem, call. = FALSE)
  if (!is.null(problem) || isTRUE(closed != 0)) stop(disk_full)
}

disk_full <- "it was not written completely. Is the disk full?"

# Turns R's error or warning about a file into ours, with the reason.
on_disk <- function(what, path, code) {
  tryCatch(code, error = function(problem) {
    abort("file", what, dQuote(path, FALSE), ": ", conditionMessage(problem))
  })
}

# R gives some file names another meaning, but none that begins with a folder.
open_file <- function(path, mode) {
  if (!grepl("^([/\\\\~]|[A-Za-z]:)", path)) path <- file.path(".", path)
  as_error(file(path, mode))
}

# Turns warnings, in which R reports the reasons given by the system, into errors. R ends what it was doing first:
# a warning that left file() at once would take a connection with it.
as_error <- function(code) {
  reason <- NULL
  keep <- function(warning) {
    reason <<- conditionMessage(warning)
    invokeRestart("muffleWarning")
  }
  value <- tryCatch(withCallingHandlers(code, warning = keep), error = function(error) {
    stop(reason %||% conditionMessage(error), call. = FALSE)
  })
  if (is.null(reason)) return(value)
  if (inherits(value, "connection")) close(value) # to a pipe
  stop(reason, call. = FALSE)
}

# Removes a folder if it is empty. On Windows file.remove() removes no folders.
remove_empty_folder <- function(folder) {
  if (.Platform$OS.type != "windows") return(suppressWarnings(file.remove(folder)))
  left <- list.files(folder, all.files = TRUE, no.. = TRUE)
  if (length(left) == 0) unlink(folder, recursive = TRUE, expand = FALSE)
}
