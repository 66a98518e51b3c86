# Calls that write their results to a file: how a file is begun, continued, and found complete.
# src/sinks/disk.h describes the files.

# Checks `file`, `storage` and `check`: NULL without a file, otherwise list(path, storage, check).
check_file <- function(file, storage, check = TRUE, jobs = NULL) {
  check <- check_flag(check, "check")
  if (is.null(file)) {
    if (!is.null(jobs)) abort_argument("jobs", "must not be given without `file`, to which the results are written.")
    if (!check) abort_argument("check", "must not be given without `file`, whose blocks it checks.")
    if (identical(storage, precisions)) return(NULL)
    abort_argument("storage", "must not be given without `file`, in which the numbers are stored.")
  }
  list(path = check_path(file), storage = check_option(storage, "storage", precisions), check = check)
}

# The absolute path of a file, which need not exist.
check_path <- function(file) {
  if (is.character(file) && (any(Encoding(file) == "bytes") || !all(validEnc(file)))) {
    abort_argument("file", "must be the name of a file, but has bytes that are not valid text.")
  }
  valid <- is_one_name(file) && nzchar(basename(file))
  file <- check_is(valid, plain(file), "file", "must be the name of a file, not ")
  name <- sub(if (.Platform$OS.type == "windows") "[/\\\\]+$" else "/+$", "", file)
  folder <- dirname(path.expand(name))
  if (!dir.exists(folder)) {
    abort_argument("file", "must be in a folder that exists, but ", dQuote(folder, FALSE),
                   " does not.")
  }
  path <- enc2native(file.path(normalizePath(folder), basename(name)))
  if (name != file) path <- file.path(path, "")
  if (name != file || dir.exists(path)) {
    abort_argument("file", "must be the name of a file, not of a folder: ", dQuote(path, FALSE), ".")
  }
  path
}

# The counterpart of run_pairwise() if the request names a file.
run_stored <- function(x, y, request, settings, arguments) {
  path <- request$file$path
  fields <- describe_results(x, y, request, settings)
  found <- if (file.exists(record_name(path))) read_results(path)
  if (!is.null(found)) check_same_shape(check_same_results(found, fields, path), request, path)
  whole <- !is.null(found) && file.exists(path)
  if (whole) {
    # Tells why the call takes no time.
    message(new_condition(
      "file", "message", NULL, "The results of this call are already in ", dQuote(path, FALSE),
      ": the file is opened, and nothing is computed.\n"
    ))
  } else {
    check_names(path)
    store <- if (in_jobs(settings, y %||% x)) store_in_jobs else store_here
    store(x, y, request, settings, fields, found, arguments)
    found <- read_results(path)
  }
  x <- open_stored(path, found)
  if (whole && request$file$check) check_stored(x, settings$threads)
  x
}

# Computes in this session what is not in the file yet. `found` is the record of the call that began it,
# or NULL.
store_here <- function(x, y, request, settings, fields, found, arguments) {
  engine <- engine_of(found) %||% engine_fields(plan_pairs(x, y, request, settings, arguments))
  header <- found$header %||% format_header(c(fields, engine, shape_fields(request)))
  file <- list(path = request$file$path, layout = layout_of(fields), header = header, own = FALSE)
  settings <- with_engine(settings, engine)
  run_reported(.Call(ffi_store, x, y, request, settings, file), x, y, arguments)
}

# ---- Names that are taken ----

# Existing files are only used if a record beside them describes them. A file with a record of its own
# belongs to other results.
check_names <- function(path) {
  record <- record_name(path)
  part <- part_name(path)
  new <- paste0(record, ".new") # C checks what a call that was killed has left of it
  others <- c(path, part, new)[c(
    file.exists(path), isTRUE(file.size(part) > 0), file.exists(new) && !file.exists(part)
  )]
  for (name in Filter(function(name) file.exists(record_name(name)), c(part, record))) {
    abort_argument("file", "cannot be used: ", quoted_name(name), " belongs to the results of ",
                   quoted_name(record_name(name)), ". Choose another name.")
  }
  if (file.exists(record)) return(invisible(path)) # it is written before the others
  for (name in others) {
    abort_argument(
      "file", "cannot be used: ", quoted_name(name), " exists, but was not made by pcfdist, since ",
      "there is no ", quoted_name(record), ". Choose another name."
    )
  }
}

quoted_name <- function(path) dQuote(basename(path), FALSE)

# ---- Description of results ----

# The fields that must be the same for a call to continue a file.
describe_results <- function(x, y, request, settings) {
  digest <- function(x) digest_of(x, settings$threads)
  number <- field_of_number
  columns <- length(if (is.null(y)) x else y)
  c(
    Format = format_of_records,
    Package = paste("pcfdist", utils::packageVersion("pcfdist")),
    Layout = request$output,
    Rows = number(length(x)),
    Columns = number(columns),
    First = "1",
    Last = number(columns),
    Storage = request$file$storage,
    `Byte-Order` = "little-endian",
    Operation = request$recorded %||% request$operation,
    P = number(request$p),
    From = number(request$from),
    To = number(request$to),
    Missing = request$missing,
    `Min-Overlap` = if (request$min_overlap > 0) number(request$min_overlap),
    Precision = settings$precision,
    X = if (is.null(request$weight)) digest(x)
        else paste(digest(x), "weighted by", digest(request$weight)),
    Y = if (is.null(y)) "none" else digest(y)
  )
}

field_of_number <- function(x) with_point(formatC(x, digits = 17, width = 1, format = "g", decimal.mark = "."))

digest_of <- function(x, threads) answer_value(.Call(ffi_digest, x, threads), x = x)

layout_of <- function(fields) {
  count <- function(name) as.double(fields[[name]])
  list(
    kind = fields[["Layout"]], rows = count("Rows"), columns = count("Columns"),
    first = count("First"), end = count("Last"), storage = fields[["Storage"]]
  )
}

# What computed the results, since this affects their last digits.
engine_fields <- function(report) {
  instructions <- if (report$device == "cpu") report$isa else "none"
  c(Device = report$device, Kernel = report$kernel, Instructions = instructions)
}

# The same of a call that began a file; NULL if there is none.
engine_of <- function(found) if (!is.null(found)) unlist(found$fields[engine_names])

engine_names <- c(device = "Device", kernel = "Kernel", instructions = "Instructions")

# All blocks are computed with what was chosen for the first ones.
with_engine <- function(settings, engine, argument = "file") {
  for (setting in names(engine_names)) {
    chosen <- engine[[engine_names[[setting]]]]
    if (chosen == "none") next
    if (!settings[[setting]] %in% c("auto", chosen)) {
      abort_argument(argument, "was begun with the ", lower_case(engine_names[[setting]]), " ",
                     dQuote(chosen, FALSE), ", and cannot be continued with ",
                     dQuote(settings[[setting]], FALSE), ".")
    }
    settings[[setting]] <- chosen
  }
  check_device(settings$device)
  if (!settings$instructions %in% c("auto", .Call(ffi_available)$instructions)) {
    abort_argument(argument, "was begun with ", settings$instructions, " instructions, which this ",
                   "processor does not support. The option \"pcfdist.isa\" can choose others for a new run.")
  }
  settings
}

# An error if names or dimensions differ: the same numbers would be found under other names.
check_same_shape <- function(found, request, path) {
  shape <- function(fields) stored_attributes(fields)[c("Labels", "dim", "dimnames")]
  wanted <- parse_header(format_header(c(found$fields[c("Layout", "Rows", "Operation", "P")],
                                         shape_fields(request))))
  if (identical(shape(found$fields), shape(wanted))) return(invisible(found))
  abort_other_results(path, "has other names or dimensions")
}

abort_other_results <- function(path, ...) {
  abort_argument("file", "has the results of another call: ", dQuote(basename(path), FALSE), " ", ...,
                 ". Choose another name, or delete the files.")
}

check_same_results <- function(found, fields, path) {
  # A weight may end the window.
  weighted <- any(grepl("weighted", c(found$fields[["X"]], fields[["X"]]), fixed = TRUE))
  names <- union(c(if (weighted) "X", names(fields)), "Min-Overlap")
  fields <- as.list(fields)
  name <- Find(function(name) !identical(found$fields[[name]], fields[[name]]), names)
  if (is.null(name)) return(invisible(found))
  path <- record_name(path)
  if (!name %in% c("X", "Y")) {
    abort_other_results(path, "says ", name, ": ", found$fields[[name]] %||% "none", ", but this call has ",
                        fields[[name]] %||% "none")
  }
  abort_other_results(path, "was made from other functions", if (weighted) ", or with another weight")
}
