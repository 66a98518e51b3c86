# What jobs compute: bands of rows or columns, with the plan for all functions. The functions here that
# take a `run` are called in jobs; see R/jobs.R.

# ---- Cuts ----

# Divides the numbers 1 to length(work), in order, into at most `jobs` groups of about equal work. Packs of
# `together` consecutive numbers are not divided.
cut_evenly <- function(work, jobs, together = 1) {
  piece <- (seq_along(work) - 1) %/% together + 1
  work <- vapply(split(work, piece), sum, 0)
  middle <- cumsum(work) - work / 2
  unname(split(seq_along(piece), ceiling(jobs * middle / sum(work))[piece]))
}

# Bands of rows or columns of about equal work: the first and the last, as in settings. Edges of bands are
# edges of tiles.
cut_bands <- function(work, jobs) {
  lapply(cut_evenly(work, jobs, 256), function(band) as.double(range(band)))
}

# The cost of the rows of a matrix, from the breakpoints of their functions and of all others.
work_of_rows <- function(x, y) {
  breakpoints_of(x) * length(y) + sum(breakpoints_of(y))
}

# The same for its columns below the diagonal.
work_of_columns <- function(x) {
  n <- length(x)
  breakpoints <- breakpoints_of(x)
  below <- sum(breakpoints) - cumsum(breakpoints)
  breakpoints * (n - seq_len(n)) + below + breakpoints # the diagonal, so that none is 0
}

# ---- Plans ----

# Checks the whole input, so that errors name places in the whole collections.
plan_pairs <- function(x, y, request, settings, arguments) {
  request$output <- "none"
  request["file"] <- list(NULL) # nothing is stored yet
  run_pairwise(x, y, request, settings, arguments)$report
}

# The settings with the device, kernel and instructions of the whole run: those that its first job chose
# for all pairs, or those with which a file was begun.
agree <- function(run, x, y, request, settings, arguments) {
  path <- engine_file(run$folder)
  if (file.exists(path)) settings <- with_engine(settings, read_whole(path, is_engine), "jobs")
  plan <- plan_pairs(x, y, request, settings, arguments)
  engine <- first_engine(path, engine_fields(plan))
  list(settings = with_engine(settings, engine, "jobs"), engine = engine)
}

# If several jobs come here at the same time, all use what one of them has written.
first_engine <- function(path, engine) {
  own <- tempfile("engine-", dirname(path))
  on.exit(unlink(own, expand = FALSE))
  write_whole(engine, own)
  suppressWarnings(file.link(own, path)) # fails if the file exists
  if (!file.exists(path)) file.rename(own, path) # where there are no links
  read_whole(path, is_engine)
}

# ---- Rows ----

# The values of a task for all bands of rows; `wanted` are its own arguments.
run_bands <- function(task, x, y, request, wanted, settings, arguments) {
  plan_pairs(x, y, request, settings, arguments)
  bands <- cut_bands(work_of_rows(x, y %||% x), settings$jobs$count)
  run_in_jobs(x, y, bands, list(task, request, wanted, arguments), settings)
}

# A selection for a band of rows, each compared with all functions.
select_band <- function(band, run, x, y, request, selection, arguments) {
  settings <- settings_of_band(band, run, x, y, request, arguments)
  request$mode <- "full"
  wanted <- selection
  if (is.null(y) && !is.null(wanted[["k"]])) wanted$k <- wanted$k + 1 # each is its own neighbour
  found <- run_selection(x, y, request, settings, wanted, arguments)
  rows <- seq(band[1], band[2])
  value <- if (selection$kind == "count") found$value[rows] else lapply(found$value, rows_of, rows)
  if (is.null(y)) {
    value <- if (selection$kind == "count") value - has_distance(like(x, unclass(x)[rows]), request, settings)
             else without_itself(value, rows, selection)
  }
  list(value = value, report = found$report)
}

# The sums of run_pair_sums() for a band of rows.
sum_band <- function(band, run, x, y, request, sums, arguments) {
  settings <- settings_of_band(band, run, x, y, request, arguments)
  request$mode <- "full"
  found <- run_pair_sums(x, y, request, settings, sums, arguments)
  list(value = rows_of(found$value$sums, seq(band[1], band[2])), report = found$report)
}

settings_of_band <- function(band, run, x, y, request, arguments) {
  settings <- agree(run, x, y, request, settings_of_job(run), arguments)$settings
  settings$rows <- band
  settings
}

rows_of <- function(value, rows) {
  if (is.matrix(value)) value[rows, , drop = FALSE] else value[rows]
}

# Which functions have a distance from themselves? It is then 0.
has_distance <- function(x, request, settings) {
  request[c("output", "mode")] <- "paired"
  request$missing <- "overlap" # of any length
  settings["rows"] <- list(NULL)
  settings[c("device", "kernel")] <- c("cpu", "walk")
  !is.na(answer_value(.Call(ffi_pairwise, x, x, request, settings)))
}

without_itself <- function(found, rows, selection) {
  k <- selection[["k"]]
  if (is.null(k)) {
    kept <- Map(`!=`, found$id, rows)
    return(lapply(found, function(lists) unname(Map(`[`, lists, kept))))
  }
  # If a function is not among its own neighbours, the last one is dropped.
  itself <- max.col(cbind(found$id == rows & !is.na(found$id), TRUE), "first")
  column <- outer(itself, seq_len(k), function(itself, column) column + (column >= itself))
  lapply(found, function(m) array(m[cbind(c(row(column)), c(column))], dim(column)))
}

# ---- Matrices ----

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
