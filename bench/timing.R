# The one timer of all benchmarks, and the rows that they leave.

# The whole numbers of the command line, in the order of these, which stand for those not given.
numbers_given <- function(...) {
  setting <- c(...)
  arguments <- as.integer(commandArgs(trailingOnly = TRUE))
  setting[seq_along(arguments)] <- arguments
  as.list(setting)
}

# Seconds of one call, and its result.
timed <- function(run) {
  gc()
  start <- as.numeric(Sys.time())
  result <- run()
  list(seconds = as.numeric(Sys.time()) - start, result = result)
}

# The same of the first call in a process, and `beyond`: the most bytes that it takes besides what there was before
# and its result; NA where there is no /proc.
timed_with_memory <- function(run) {
  memory <- function(what) {
    status <- tryCatch(readLines("/proc/self/status"), error = function(e) "")
    line <- grep(paste0("^", what, ":"), status, value = TRUE)
    if (length(line)) as.numeric(gsub("[^0-9]", "", line)) * 1024 else NA
  }
  invisible(gc())
  before <- memory("VmRSS")
  tryCatch(cat("5", file = "/proc/self/clear_refs"), error = function(e) NULL) # forgets the peak so far
  call <- timed(run)
  c(call, beyond = memory("VmHWM") - before - as.numeric(object.size(call$result)))
}

# Seconds of `repeats` calls after a first one that does not count, from timed(); up to `most` of
# a very fast call. Of one over 15 seconds the first counts, and 3 are enough. `note` gets each
# result, and what it gives is kept: list(seconds, notes).
time_calls <- function(run, repeats = 5, most = repeats, note = function(result) NULL,
                       first = timed(run)) {
  noted <- function(call) list(seconds = call$seconds, note = note(call$result))
  slow <- first$seconds > 15
  wanted <- if (slow) min(3, repeats) else max(repeats, min(most, floor(2 / first$seconds)))
  calls <- if (slow) list(noted(first))
  first <- NULL
  while (length(calls) < wanted) calls <- c(calls, list(noted(timed(run))))
  list(seconds = vapply(calls, `[[`, 0, "seconds"), notes = lapply(calls, `[[`, "note"))
}

# ---- Rows ----

# The columns of a row, in the order of bench/timing.py. A case is told by `case` and `size`;
# `package` is who ran it. `runs` holds all seconds, `bytes` what the case reads or writes at
# least, `difference` that to the peer, `expected` what the plan expected of planning to
# scattering, `beyond` the memory besides input and result.
row_columns <- c(
  "case", "size", "package", "version", "seconds", "runs", "n", "breakpoints", "rectangles",
  "bytes", "difference", "method", "isa", "expected", "check", "plan", "prepare", "compute",
  "scatter", "beyond"
)

# Appends a row to the file that the environment variable BENCH_ROWS names, if it does. `...`
# are further columns.
record <- function(case, size, seconds, package = "pcfdist", ...) {
  path <- Sys.getenv("BENCH_ROWS")
  if (!nzchar(path)) return(invisible())
  known <- list(
    case = case, size = as.character(size), package = package, seconds = median(seconds),
    runs = paste(signif(seconds, 6), collapse = " "), ...
  )
  if (package == "pcfdist") known$version <- as.character(utils::packageVersion("pcfdist"))
  unknown <- setdiff(names(known), row_columns)
  if (length(unknown) > 0) stop("no such column: ", unknown[1])
  row <- known[row_columns]
  row[vapply(row, is.null, NA)] <- NA
  names(row) <- row_columns
  new <- !file.exists(path)
  utils::write.table(as.data.frame(row), path, append = !new, col.names = new,
                     row.names = FALSE, sep = ",")
}

# The phases and the plan of the last call of this package, as columns for record().
plan_columns <- function(run = last_run(), phases = run$phases) {
  chosen <- if (run$device == "cuda") "cuda" else run$kernel
  columns <- c("check", "plan", "prepare", "compute", "scatter")
  c(list(method = run$kernel, isa = run$isa, expected = run$expected[[chosen]]),
    as.list(unlist(phases)[columns]))
}

# All rows so far, and NULL where there are none.
recorded <- function(path = Sys.getenv("BENCH_ROWS")) {
  if (!file.exists(path)) return(NULL)
  rows <- utils::read.csv(path, colClasses = c(runs = "character", size = "character"))
  if (anyDuplicated(rows[c("case", "size", "package")])) stop("a case was recorded twice")
  rows
}
