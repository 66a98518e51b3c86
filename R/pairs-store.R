# Calls that write their results to a file: how a file is begun, continued, and found complete.
# src/sinks/disk.h describes the files.

# The counterpart of run_pairwise() if the request names a file.
run_stored <- function(x, y, request, settings, arguments) {
  path <- request$file$path
  fields <- describe_results(x, y, request, settings)
  found <- if (file.exists(record_name(path))) read_results(path)
  if (!is.null(found)) check_same_shape(check_same_results(found, fields, record_name(path)), request, path)
  whole <- !is.null(found) && file.exists(path)
  if (whole) {
    tell_of_results(path)
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

# Tells why a call takes no time.
tell_of_results <- function(path) {
  message(new_condition(
    "file", "message", NULL, "The results of this call are already in ", dQuote(path, FALSE),
    ": the file is opened, and nothing is computed.\n"
  ))
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

# `path` is that of the file that has the fields.
check_same_results <- function(found, fields, path) {
  # A weight may end the window.
  weighted <- any(grepl("weighted", c(found$fields[["X"]], fields[["X"]]), fixed = TRUE))
  names <- union(c(if (weighted) "X", names(fields)), "Min-Overlap")
  fields <- as.list(fields)
  name <- Find(function(name) !identical(found$fields[[name]], fields[[name]]), names)
  if (is.null(name)) return(invisible(found))
  if (!name %in% c("X", "Y")) {
    abort_other_results(path, "says ", name, ": ", found$fields[[name]] %||% "none", ", but this call has ",
                        fields[[name]] %||% "none")
  }
  abort_other_results(path, "was made from other functions", if (weighted) ", or with another weight")
}

# The counterpart of store_here() in jobs: each writes a file with some columns, whose contents this session
# then moves into the file for all.
store_in_jobs <- function(x, y, request, settings, fields, found, arguments) {
  path <- request$file$path
  shape <- shape_fields(request)
  request["file"] <- list(NULL) # each job has its own
  request$attributes$call <- NULL # the same call may be written differently
  plan_pairs(x, y, request, settings, arguments)
  bands <- cut_bands(if (is.null(y)) work_of_columns(x) else work_of_rows(y, x), settings$jobs$count)
  task <- list("store_band", request, fields, arguments)
  finish <- function(engines, run) {
    parts <- lapply(bands, part_file, fields, engines[[1]], run)
    header <- found$header %||% format_header(c(fields, engines[[1]], shape))
    file <- list(path = path, header = header, layout = layout_of(fields), own = FALSE)
    join_parts(file, parts, settings$threads)
  }
  run_in_jobs(x, y, bands, task, settings, paste0(path, ".jobs"), engine_of(found), finish)
}

# Each part is removed when its contents are in the file.
join_parts <- function(file, parts, threads) answer_value(.Call(ffi_join, file, parts, threads))

# The file of a band of columns: list(path, header, layout, own).
part_file <- function(band, fields, engine, folder) {
  fields[c("First", "Last")] <- field_of_number(band)
  list(
    path = file.path(folder, paste0("columns-", field_of_number(band[1]))),
    header = format_header(c(fields, engine)), layout = layout_of(fields), own = TRUE
  )
}

# Writes a band of columns, or continues one begun by an earlier job. Returns what computed it.
store_band <- function(band, run, x, y, request, fields, arguments) {
  agreed <- agree(run, x, y, request, settings_of_job(run), arguments)
  part <- part_file(band, fields, agreed$engine, run$folder)
  if (file.exists(part$path)) return(list(value = agreed$engine, report = NULL))
  settings <- agreed$settings
  settings$columns <- band
  answer <- run_reported(.Call(ffi_store, x, y, request, settings, part), x, y, arguments)
  list(value = agreed$engine, report = answer$report)
}
