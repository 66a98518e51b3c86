# Folders of functions in NumPy's format, which are replaced and read as a whole.
#
# write_npy() writes all parts to the folder `writing` in the folder, and at last their sizes and checksums, as
# checksums.npy. As soon as this one is moved to its place, the functions are the new ones; the other parts follow.
# Whoever reads opens the parts in both folders, and takes those with the right checksums. So a call that is killed
# leaves either the old functions or the new ones, and the next call tidies up. While a call writes, it has locked
# the file writing.lock, whose text says that `writing` is ours.

parts_of_functions <- c("lengths", "times", "values", "left", "names", "unit", "value_name")

part_path <- function(folder, name) file.path(folder, paste0(name, ".npy"))

all_parts <- function(folder) part_path(folder, c("checksums", parts_of_functions))

work_folder <- function(folder) file.path(folder, "writing")

lock_file <- function(folder) file.path(folder, "writing.lock")

text_of_lock <- charToRaw("write_npy() of pcfdist is writing here.\n")

# ---- Writing ----

# `write` writes each part to the path that it is given a function for.
replace_parts <- function(folder, write) {
  lock <- lock_folder(folder)
  on.exit(.Call(ffi_unlock, lock))
  check_work(folder)
  on.exit(end_work(folder), add = TRUE, after = FALSE)
  on_disk(cannot_write, folder, {
    begin_work(folder)
    tidy_up(folder)
  })
  check_replaceable(folder)
  work <- work_folder(folder)
  on_disk(cannot_write, folder, {
    as_error(dir.create(work, mode = "0700"))
    as_error(file.create(part_path(work, "checksums"))) # until it is moved, `writing` can be discarded
    write(function(name) part_path(work, name))
    write_strings(checksums_in(work), part_path(work, "checksums"))
    keep_modes(folder)
    as_error(file.rename(part_path(work, "checksums"), part_path(folder, "checksums")))
    tidy_up(folder)
  })
}

cannot_write <- "A collection cannot be written: "

# Waits while another process writes to the folder.
lock_folder <- function(folder) {
  path <- lock_file(folder)
  if (is_link(path)) abort_taken(path)
  while (is.null(lock <- answer_value(.Call(ffi_lock, enc2native(path.expand(path)))))) Sys.sleep(0.01)
  lock
}

# An error if somebody else has given something the names that are needed.
check_work <- function(folder) {
  path <- lock_file(folder)
  text <- on_disk(cannot_write, folder, bytes_in(path))
  if (identical(text, text_of_lock)) return(invisible())
  if (length(text) > 0) abort_taken(path)
  if (!is_there(work_folder(folder))) return(invisible())
  unlink(path, expand = FALSE)
  abort_taken(work_folder(folder))
}

abort_taken <- function(path) {
  abort_argument("path", "must not contain other files with the names needed: ", dQuote(basename(path), FALSE), " in ",
                 dirname(path), " was not made by write_npy(). Choose another folder.")
}

bytes_in <- function(path) {
  file <- open_file(path, "rb")
  on.exit(close(file))
  readBin(file, "raw", length(text_of_lock) + 1)
}

# The text is not written again over that of a call that was killed: while it was not complete, nothing would say whose
# `writing` is.
begin_work <- function(folder) {
  path <- lock_file(folder)
  if (file.size(path) == 0) write_to(path, "wb", function(file) writeBin(text_of_lock, file))
}

# What cannot be moved stays for the next call; it can be read from where it is.
end_work <- function(folder) {
  try(tidy_up(folder), silent = TRUE)
  if (!dir.exists(work_folder(folder))) unlink(lock_file(folder), expand = FALSE)
}

# Moves the parts in `writing` to their places if checksums.npy is already there, and otherwise removes them.
tidy_up <- function(folder) {
  work <- work_folder(folder)
  left <- Filter(file.exists, all_parts(work))
  record <- if (length(left) > 0 && left[1] != part_path(work, "checksums")) read_checksums(folder)
  if (is.null(record)) {
    unlink(rev(left), expand = FALSE) # checksums.npy last
  } else {
    unlink(part_path(folder, setdiff(parts_of_functions, names(record))), expand = FALSE)
    for (part in left) as_error(file.rename(part, file.path(folder, basename(part))))
  }
  remove_empty_folder(work)
}

# Files have the modes of those that they replace, and new ones that of the others. Until now nobody else could
# read them in `writing`.
keep_modes <- function(folder) {
  mode <- file.mode(all_parts(folder))
  mode[is.na(mode)] <- mode[!is.na(mode)][1]
  new <- all_parts(work_folder(folder))
  known <- file.exists(new) & !is.na(mode)
  as_error(Sys.chmod(new[known], mode[known], use_umask = FALSE))
  as_error(Sys.chmod(work_folder(folder), "0777"))
}

# An error unless files that would be replaced are those of a collection written by write_npy().
check_replaceable <- function(folder) {
  files <- all_parts(folder)
  there <- files[is_there(files)]
  if (length(there) == 0) return(invisible())
  others <- there[is_link(there) | !vapply(there, is_npy, NA)]
  if (length(others) > 0) abort_taken(others[1])
  whole <- all(part_path(folder, parts_of_functions[1:3]) %in% there)
  if (!whole && !part_path(folder, "checksums") %in% there) abort_taken(there[1])
}

is_npy <- function(path) {
  tryCatch({
    file <- open_npy(path)
    on.exit(close(file))
    read_npy_header(file, path, file_bytes(file))
    TRUE
  }, pcfdist_error_path = function(error) FALSE)
}

# ---- Checksums ----

# The lines of checksums.npy: for each part its name, its size, and the checksums of its bytes.
checksums_in <- function(folder) {
  names <- parts_of_functions[file.exists(part_path(folder, parts_of_functions))]
  vapply(names, function(name) {
    file <- open_file(part_path(folder, name), "rb")
    on.exit(close(file))
    paste(c(paste0(name, ".npy"), checksums_of(file)), collapse = " ")
  }, "")
}

# The size of an open file, and a checksum of each of its pieces of 64 MiB.
checksums_of <- function(file, size = file_bytes(file)) {
  step <- 2^26
  sums <- vapply(seq_len(ceiling(size / step)), function(k) {
    .Call(ffi_hash, readBin(file, "raw", min(step, size - (k - 1) * step)))
  }, "")
  seek(file, 0)
  c(sprintf("%.0f", size), sums)
}

# A list of what checksums_of() is expected to be, by the name of the part; NULL if there is no such file.
read_checksums <- function(folder) {
  path <- part_path(folder, "checksums")
  if (!file.exists(path)) return(NULL)
  lines <- read_part(path, "character")
  names <- sub("[.]npy .*", "", lines)
  known <- all(grepl("^[a-z_]+[.]npy [0-9]+( [0-9a-f]{16})+$", lines)) && !anyDuplicated(names) &&
    all(names %in% parts_of_functions) && all(parts_of_functions[1:3] %in% names)
  if (!known) abort_npy(path, "does not have the sizes and checksums of functions.")
  lapply(stats::setNames(strsplit(lines, " ", fixed = TRUE), names), `[`, -1)
}

# ---- Reading ----

# Opens the parts of one and the same collection, by name; read_functions() closes them. While another process
# replaces them, the parts may be those of two collections: then they are opened again.
open_parts <- function(folder) {
  for (attempt in 1:1000) {
    record <- read_checksums(folder)
    files <- if (is.null(record)) open_there(folder, parts_of_functions) else open_recorded(folder, record)
    wrong <- setdiff(names(record), names(files))
    now <- if (is.null(record) || length(wrong) > 0) read_checksums(folder)
    if (length(wrong) == 0 && is.null(now)) return(files)
    close_all(files)
    if (!identical(now, record)) next
    abort_argument("path", "contains files that do not belong together: ", wrong[1], ".npy is not the file that was ",
                   "written with checksums.npy. If another program has replaced it, delete checksums.npy.")
  }
  abort_argument("path", "is being replaced by other processes all the time.")
}

# Opens the parts with these checksums. A part is in `writing` before it is in the folder.
open_recorded <- function(folder, record) {
  new <- open_there(work_folder(folder), names(record))
  old <- tryCatch(open_there(folder, names(record)), error = function(error) {
    close_all(new)
    stop(error)
  })
  files <- list()
  on.exit(close_all(c(new, old)))
  for (name in names(record)) {
    if (has_checksums(new[[name]], record[[name]])) {
      files[name] <- new[name]
      new[[name]] <- NULL
    } else if (has_checksums(old[[name]], record[[name]])) {
      files[name] <- old[name]
      old[[name]] <- NULL
    }
  }
  files
}

has_checksums <- function(file, expected) {
  !is.null(file) && sprintf("%.0f", file_bytes(file)) == expected[1] && identical(checksums_of(file), expected)
}

# Opens those files that are there. One may just be moved away.
open_there <- function(folder, names) {
  files <- list()
  on.exit(close_all(files))
  for (name in names[is_there(part_path(folder, names))]) {
    path <- part_path(folder, name)
    file <- tryCatch(open_npy(path), error = function(error) if (is_there(path)) stop(error))
    if (!is.null(file)) files[[name]] <- file
  }
  opened <- files
  files <- list()
  opened
}

close_all <- function(files) for (file in files) close(file)
