# What long calls draw while they work: nothing in the first two seconds, so that quick calls
# print nothing.

# ---- Pairs, which are counted ----

# NULL, or a function(done, total, seconds) that C calls while it waits, and when all is done. Sums
# without pairs have a total of -1.
progress_function <- function(progress) {
  if (!wants_progress(progress)) return(NULL)
  function(done, total, seconds) {
    if (!is.null(the$pieces) || total < 0) return(draw_waiting(seconds))
    if (seconds < progress_delay() || total <= 0) return(invisible())
    rate <- paste0(format(done / seconds, digits = 2), " rectangles/s")
    draw_bar(
      "Pairs {cli::pb_bar} {cli::pb_percent} | {cli::pb_status} | left: {cli::pb_eta}",
      total = 1000, set = 1000 * done / total, status = rate
    )
  }
}

# ---- Other work, of which nobody knows how much is left ----

# C calls this while it waits for work that has taken so many seconds. Work within pieces of
# other work is part of that, which then has the bar, and its own time.
draw_waiting <- function(seconds) {
  pieces <- the$pieces
  if (!is.null(pieces)) seconds <- seconds_now() - pieces$start
  if (seconds < progress_delay() || !wants_progress()) return(invisible())
  label <- pieces$label %||% work_label(sys.nframe() - 1) # C has no frame
  status <- paste0(label, ": ", format(round(seconds), big.mark = ","), " s")
  draw_bar("{cli::pb_spin} {cli::pb_status}", total = NA, status = status)
}

# What the user called, from a frame on.
work_label <- function(frame) {
  call <- caller_call(frame)
  if (is.null(call) || !is.name(call[[1]])) "pcfdist" else paste0(call[[1]], "()")
}

# lapply() over pieces of work, with the same picture.
lapply_drawn <- function(x, FUN, ...) {
  in_pieces(lapply(x, function(piece) {
    result <- FUN(piece, ...)
    draw_waiting(0)
    result
  }))
}

# Evaluates code of which lapply_drawn() is a part, with one bar and one time from here on. Within
# other such code it is a part of that.
in_pieces <- function(code) {
  if (!is.null(the$pieces)) return(code)
  on.exit({
    the$pieces <- NULL
    end_bar()
  })
  the$pieces <- list(start = seconds_now(), label = work_label(sys.nframe()))
  code
}

seconds_now <- function() proc.time()[["elapsed"]]

# ---- The bar ----

wants_progress <- function(progress = NULL) {
  check_flag(progress %||% getOption("pcfdist.progress", interactive()), "progress")
}

progress_delay <- function() getOption("pcfdist.progress_delay", 2)

# There is one bar at a time. cli evaluates its format in `the$bar$frame`. An interrupt waits until
# it is drawn: one in the middle of that would leave cli unable to draw another.
draw_bar <- function(format, total, status, set = NULL) {
  suspendInterrupts({
    first <- is.null(the$bar)
    if (first) the$bar <- start_bar(format, total)
    cli::cli_progress_update(
      inc = if (is.null(set)) 1, set = set, status = status, id = the$bar$id, force = first,
      .envir = the$bar$frame
    )
  })
  invisible()
}

# cli itself would wait for two more seconds.
start_bar <- function(format, total) {
  old <- options(cli.progress_show_after = 0)
  on.exit(options(old))
  frame <- new.env()
  id <- cli::cli_progress_bar(
    total = total, format = format, clear = TRUE, auto_terminate = FALSE, .auto_close = FALSE,
    .envir = frame
  )
  list(id = id, frame = frame)
}

# However the call ended. The bar of pieces of work stays until all are done.
end_bar <- function() {
  if (!is.null(the$pieces)) return(invisible())
  bar <- the$bar
  the$bar <- NULL
  if (!is.null(bar)) suspendInterrupts(cli::cli_progress_done(id = bar$id, .envir = bar$frame))
  invisible()
}
