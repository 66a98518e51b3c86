# Results in files.

# The name of a file in a folder of its own.
new_file <- function() {
  folder <- tempfile("results")
  dir.create(folder)
  file.path(folder, "d")
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

# Calls f() in a process that is killed in step number `step`; TRUE if that came to pass.
is_killed_in <- function(step, f) {
  job <- parallel::mcparallel({
    provoke_file(step, "kill")
    f()
    "finished"
  }, silent = TRUE)
  !identical(suppressWarnings(parallel::mccollect(job))[[1]], "finished")
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
