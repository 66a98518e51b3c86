# What jobs compute: bands of rows or columns, with the plan for all functions. Each function here
# that takes a `run` is called in a job; R/jobs.R says how.

# ---- Cuts ----

# The numbers 1 to length(work), in order, in at most so many groups of about the same work. So
# many after one another, from the first on, stay together.
cut_evenly <- function(work, jobs, together = 1) {
  piece <- (seq_along(work) - 1) %/% together + 1
  work <- vapply(split(work, piece), sum, 0)
  middle <- cumsum(work) - work / 2
  unname(split(seq_along(piece), ceiling(jobs * middle / sum(work))[piece]))
}

# Bands of rows or columns by the work of each, as settings have them: the first and the last.
# Their edges are those of tiles.
cut_bands <- function(work, jobs) {
  lapply(cut_evenly(work, jobs, 256), function(band) as.double(range(band)))
}

# What the rows of a matrix cost, by the breakpoints of their functions and of all others.
work_of_rows <- function(x, y) {
  breakpoints_of(x) * length(y) + sum(breakpoints_of(y))
}

# The same of its columns below the diagonal.
work_of_columns <- function(x) {
  n <- length(x)
  breakpoints <- breakpoints_of(x)
  below <- sum(breakpoints) - cumsum(breakpoints)
  breakpoints * (n - seq_len(n)) + below + breakpoints # the diagonal, so that none is 0
}

# ---- Plans ----

# Finds every fault of the input, with the places in the whole collections.
plan_pairs <- function(x, y, request, settings, arguments) {
  request$output <- "none"
  with_itself <- request$operation == "inner"
  request$mode <- if (!is.null(y)) "full" else if (with_itself) "triangle" else "below"
  plan_of(run_pairwise(x, y, request, settings, arguments)$report)
}

# The settings with the device, kernel and instructions of the whole run: those that its first job
# finds best for all pairs, or that a file was begun with.
agree <- function(run, x, y, request, settings, arguments) {
  path <- engine_file(run$folder)
  if (file.exists(path)) settings <- with_engine(settings, read_whole(path, is_engine), "jobs")
  plan <- plan_pairs(x, y, request, settings, arguments)
  engine <- first_engine(path, engine_fields(plan))
  list(settings = with_engine(settings, engine, "jobs"), plan = plan, engine = engine)
}

# Of several jobs that come here at the same time, all get what one has written.
first_engine <- function(path, engine) {
  own <- tempfile("engine-", dirname(path))
  on.exit(unlink(own, expand = FALSE))
  write_whole(engine, own)
  suppressWarnings(file.link(own, path)) # which fails where there is one
  if (!file.exists(path)) file.copy(own, path, overwrite = FALSE)
  read_whole(path, is_engine)
}

# ---- Rows ----

# The values of a task for all bands of rows; `wanted` is what it gets of its own.
run_bands <- function(task, x, y, request, wanted, settings, arguments) {
  plan_pairs(x, y, request, settings, arguments)
  bands <- cut_bands(work_of_rows(x, y %||% x), settings$jobs$count)
  run_in_jobs(x, y, bands, list(task, request, wanted, arguments), settings)
}

# A selection for a band of rows, each of which is compared with all functions.
select_band <- function(band, run, x, y, request, selection, arguments) {
  settings <- settings_of_band(band, run, x, y, request, arguments)
  request$mode <- "full"
  wanted <- if (is.null(y)) with_itself(selection) else selection
  found <- run_selection(x, y, request, settings, wanted, arguments)
  rows <- seq(band[1], band[2])
  value <- if (selection$kind == "count") found$value[rows]
           else lapply(found$value, rows_of, rows)
  if (is.null(y)) {
    value <- if (selection$kind == "count") value - has_distance(.subset(x, rows), request, settings)
             else without_itself(value, rows, selection)
  }
  list(value = value, report = found$report)
}

# The sums of run_pair_sums() of a band of rows.
sum_band <- function(band, run, x, y, request, sums, arguments) {
  settings <- settings_of_band(band, run, x, y, request, arguments)
  request$mode <- "full"
  found <- run_pair_sums(x, y, request, settings, sums, arguments)
  list(value = rows_of(found$value, seq(band[1], band[2])), report = found$report)
}

settings_of_band <- function(band, run, x, y, request, arguments) {
  settings <- agree(run, x, y, request, settings_of_job(run), arguments)$settings
  settings$rows <- band
  settings
}

rows_of <- function(value, rows) {
  if (is.matrix(value)) value[rows, , drop = FALSE] else value[rows]
}

# The same with each function among its others.
with_itself <- function(selection) {
  if (!is.null(selection[["k"]])) selection$k <- selection$k + 1
  selection
}

# Which functions have a distance from themselves, which is 0 then?
has_distance <- function(x, request, settings) {
  request[c("output", "mode")] <- "paired"
  request$missing <- "overlap" # which is of any length
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
  # Of those that are not among their own, the last one goes.
  itself <- max.col(cbind(found$id == rows & !is.na(found$id), TRUE), "first")
  column <- outer(itself, seq_len(k), function(itself, column) column + (column >= itself))
  lapply(found, function(m) array(m[cbind(c(row(column)), c(column))], dim(column)))
}

# ---- Matrices ----

# The counterpart of store_here() in jobs: each writes a file of some columns, and then this session
# moves what is in them into one of them all.
store_in_jobs <- function(x, y, request, settings, fields, found, arguments) {
  path <- request$file$path
  shape <- shape_fields(request)
  request["file"] <- list(NULL) # jobs have one each
  request$attributes$call <- NULL # written in another way, it is the same
  plan_pairs(x, y, request, settings, arguments)
  bands <- cut_bands(if (is.null(y)) work_of_columns(x) else work_of_rows(y, x), settings$jobs$count)
  task <- list("store_band", request, fields, arguments)
  finish <- function(engines, run) {
    parts <- lapply(bands, part_file, fields, engines[[1]], run)
    header <- found$header %||% format_header(c(fields, engines[[1]], shape))
    file <- list(path = path, header = header, layout = layout_of(fields))
    join_parts(file, parts, settings$threads)
  }
  run_in_jobs(x, y, bands, task, settings, paste0(path, ".jobs"), engine_of(found), finish)
}

# Each part is removed when the file has what is in it.
join_parts <- function(file, parts, threads) answer_value(.Call(ffi_join, file, parts, threads))

# The file of a band of columns: list(path, header, layout, fields).
part_file <- function(band, fields, engine, folder) {
  fields[c("First", "Last")] <- field_of_number(band)
  list(
    path = file.path(folder, paste0("columns-", field_of_number(band[1]))),
    header = format_header(c(fields, engine)), layout = layout_of(fields), fields = fields
  )
}

# Writes a band of columns, or goes on with one that an earlier job has begun. Its value is what
# computed it.
store_band <- function(band, run, x, y, request, fields, arguments) {
  agreed <- agree(run, x, y, request, settings_of_job(run), arguments)
  part <- part_file(band, fields, agreed$engine, run$folder)
  if (file.exists(part$path)) return(list(value = agreed$engine, report = NULL))
  settings <- agreed$settings
  settings$columns <- band
  answer <- .Call(ffi_store, x, y, request, settings, part[c("path", "header", "layout")])
  check_pairs(answer, x, y, arguments)
  list(value = agreed$engine, report = answer$report)
}
