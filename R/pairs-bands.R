# What jobs compute: bands of rows or columns, with the plan for all functions. The functions here that
# take a `run` are called in jobs; see R/pairs-jobs.R.

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

settings_of_band <- function(band, run, x, y, request, arguments) {
  settings <- agree(run, x, y, request, settings_of_job(run), arguments)$settings
  settings$rows <- band
  settings
}

rows_of <- function(value, rows) {
  if (is.matrix(value)) value[rows, , drop = FALSE] else value[rows]
}
