# Results in files.

# The name of a file in a folder of its own.
new_file <- function() {
  folder <- tempfile("results")
  dir.create(folder)
  file.path(folder, "d")
}

# The name of a file or folder that goes when the test ends.
local_path <- function(frame = parent.frame()) {
  path <- tempfile("path-")
  at_end_of(frame, bquote(unlink(.(path), recursive = TRUE, expand = FALSE)))
  path
}

bytes_of <- function(file) readBin(file, "raw", file.size(file))

# Doubles as floats keep them.
as_floats <- function(x) {
  rounded <- readBin(writeBin(as.vector(x), raw(), size = 4), "double", length(x), size = 4)
  replace(rounded, is.na(rounded), NA_real_)
}

# The C code ends with the process, or as on a full disk, in a step of writing files.
provoke_file <- function(step, what = "full") {
  .Call(pcfdist:::ffi_provoke_file, step, what)
}

# Evaluates code in which no file can be written from step number `step` on.
on_full_disk <- function(step, code) {
  skip_unless_testing()
  provoke_file(step)
  on.exit(provoke_file(0))
  code
}

# Calls f() in a process that is killed in step number `step`; TRUE if that came to pass.
is_killed_in <- function(step, f) {
  skip_unless_testing()
  job <- parallel::mcparallel({
    provoke_file(step, "kill")
    f()
    "finished"
  }, silent = TRUE)
  answer <- suppressWarnings(parallel::mccollect(job))[[1]]
  await_end_of(job$pid)
  !identical(answer, "finished")
}

# A process that was killed may have files locked when it does not answer any more: until its last thread
# has ended, though its first one may be a zombie before.
await_end_of <- function(process) {
  stat <- file.path("/proc", process, "stat")
  is_running <- function() {
    line <- tryCatch(readLines(stat), error = function(error) "", warning = function(warning) "")
    fields <- unlist(strsplit(sub(".*\\) ", "", line), " ")) # from the state on; the 18th counts threads
    length(fields) >= 18 && (!fields[1] %in% c("Z", "X") || as.numeric(fields[18]) > 1)
  }
  while (file.exists(stat) && is_running()) Sys.sleep(0.01)
}

# A folder on a file system of its own, of so many MB, until it is given back. Only root may have one.
small_disk <- function(size) {
  folder <- tempfile()
  dir.create(folder)
  options <- c("-t", "tmpfs", "-o", sprintf("size=%dm", size), "tmpfs", folder)
  mounted <- suppressWarnings(system2("mount", options, stderr = FALSE)) == 0
  skip_if_not(mounted, "no small file system can be mounted here")
  folder
}

give_back_disk <- function(folder) system2("umount", c("-l", folder))

# An error about `file`; "FOLDER" stands for the folder of all files that the message names.
expect_file_refusal <- function(object, ...) {
  message <- conditionMessage(expect_error(object, class = "pcfdist_error_file"))
  expect_identical(gsub("\"[^\"]*/", "\"FOLDER/", message), paste0(...))
}

# XXH64, as files have it.
checksum_of <- function(text) .Call(pcfdist:::ffi_hash, charToRaw(text))

# A line of a block.
with_checksum <- function(line) paste(line, checksum_of(substring(line, 2)))

# A file with some damage: of one bit, of some bytes, or of its length.
damaged_bytes <- function(bytes) {
  n <- length(bytes)
  at <- sample.int(n, 1)
  switch(sample.int(5, 1),
    replace(bytes, at, xor(bytes[at], as.raw(2^sample(0:7, 1)))),
    replace(bytes, at + seq_len(min(8, n - at + 1)) - 1, as.raw(sample(0:255, min(8, n - at + 1)))),
    bytes[seq_len(at - 1)],
    c(bytes, as.raw(sample(0:255, 20))),
    c(bytes[seq_len(at)], bytes[seq(at, n)])
  )
}
