# All pairs in blocks of rows, for what needs every distance but not all of them at once.

# Calls consume(distances, rows) for one block of rows of the matrix of x and y, or of x and x,
# after the other, and returns the list of its values. Memory is that of one block. `request` is
# one for run_pairwise(). Without a y, `self` stands for the distance of a function from itself,
# unless it is NULL.
#
# All blocks take the kernel that the plan has for all pairs: without a y each number is the same
# as in the matrix, to the last bit.
by_row_blocks <- function(x, y, request, settings, consume, self = NULL,
                          arguments = c(x = "x", y = "y")) {
  on.exit(end_bar())
  plan <- plan_pairs(x, y, request, settings, arguments)
  if (is.null(y)) request <- end_window(request, x)
  blocks <- row_blocks(length(x), length(y %||% x), settings$block_side)
  if (in_jobs(settings, x)) {
    parts <- lapply(cut_evenly(lengths(blocks), settings$jobs$count), function(k) blocks[k])
    task <- list("consume_band", request, consume, self, arguments)
    return(unlist(run_in_jobs(x, y, parts, task, settings), recursive = FALSE))
  }
  if (plan$kernel != "none") settings[c("device", "kernel")] <- plan[c("device", "kernel")]
  found <- consume_blocks(blocks, x, y, request, settings, consume, self)
  the$last_run <- c(plan, add_up(found$reports))
  found$values
}

# For settings with a kernel: list(values, reports), with one of each for each block.
consume_blocks <- function(blocks, x, y, request, settings, consume, self) {
  columns <- y %||% x
  drawn <- progress_of_parts(settings$progress, sum(lengths(blocks)))
  found <- lapply(blocks, function(rows) {
    settings["progress"] <- list(drawn(length(rows)))
    answer <- pairs_of_rows(x, columns, rows, request, settings)
    distances <- answer$value
    if (is.null(y) && !is.null(self)) distances[cbind(seq_along(rows), rows)] <- self
    list(value = consume(distances, rows), report = answer$report)
  })
  list(values = lapply(found, `[[`, "value"), reports = lapply(found, `[[`, "report"))
}

# Finds every fault of the input, with the places in the whole collections.
plan_pairs <- function(x, y, request, settings, arguments) {
  request$output <- "none"
  with_itself <- request$operation == "inner"
  request$mode <- if (!is.null(y)) "full" else if (with_itself) "triangle" else "below"
  plan_of(run_pairwise(x, y, request, settings, arguments)$report)
}

# Where the plan found no two functions with an overlap without end, a function may still have one
# with itself, in a block that holds both. Its distance is 0 over any stretch: a window from before
# the first breakpoint to behind the last one has all overlaps of two, and an end.
end_window <- function(request, x) {
  endless <- is.infinite(c(request$from, request$to))
  if (request$missing != "mean" || request$operation %in% c("inner", "linf") || !any(endless)) {
    return(request)
  }
  times <- unlist(lapply(unclass(x), function(f) f[, 1]))
  times <- c(times, request$from, request$to)
  times <- if (any(is.finite(times))) range(times[is.finite(times)]) else c(0, 0)
  beyond <- if (times[1] < times[2]) times[2] - times[1] else max(1, abs(times))
  if (endless[1]) request$from <- max(times[1] - beyond, -.Machine$double.xmax)
  if (endless[2]) request$to <- min(times[2] + beyond, .Machine$double.xmax)
  request
}

# What of a report is known before the run.
plan_of <- function(report) {
  report[setdiff(names(report), c("blocks", "halvings", "phases", "timeline", "pruned"))]
}

pairs_of_rows <- function(x, y, rows, request, settings) {
  request$output <- "dense"
  request$mode <- "full"
  request$attributes <- list(dim = c(length(rows), length(y)))
  x <- .subset(x, rows)
  answer <- .Call(ffi_pairwise, x, y, request, settings)
  answer_value(answer, x = x, y = y)
  answer
}

# Distances of a block: 64 MB.
pairs_at_once <- 2^23

# The indices of each block of `count` rows, of the side that was asked for or as many as go into
# a block.
row_blocks <- function(count, columns, side = 0) {
  rows <- if (side > 0) side else max(1, floor(pairs_at_once / max(1, columns)))
  first <- seq(1, by = rows, length.out = ceiling(count / rows))
  lapply(first, function(first) first:min(first + rows - 1, count))
}

# A function that gives the progress function of the next part, of so many of all `rows`. Parts
# that are still to come count as much for each row as the present one.
progress_of_parts <- function(progress, rows) {
  if (is.null(progress)) return(function(part) NULL)
  start <- seconds_now()
  before <- current <- 0
  function(part) {
    before <<- before + current
    current <<- 0
    left <- rows / part
    rows <<- rows - part
    function(done, total, seconds) {
      current <<- total
      progress(before + done, before + total * left, seconds_now() - start)
    }
  }
}

# Of reports of parts.
add_up <- function(reports) {
  sum_of <- function(name) sum(vapply(reports, `[[`, 0, name))
  list(blocks = sum_of("blocks"), halvings = sum_of("halvings"),
       phases = if (length(reports)) Reduce(`+`, lapply(reports, `[[`, "phases")), timeline = NULL)
}
