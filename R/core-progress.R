# What long calls show while they work. Nothing is shown in the first two seconds, so that short calls
# print nothing.

# ---- Pairs, whose number is known ----

# NULL, or a function(done, total, seconds) that C calls while it waits, and at the end. Sums without
# pairs have a total of -1.
progress_function <- function(progress) {
  if (!wants_progress(progress)) return(NULL)
  progress_delay() # raises its error now
  loadNamespace("cli") # would lose a limit of time that is reached meanwhile
  function(done, total, seconds) {
    if (!is.null(the$pieces) || total < 0) return(draw_waiting(seconds))
    if (total == 0) return(invisible())
    draw_share("Pairs", 1000 * done / total, 1000, seconds, seconds_text(seconds))
  }
}

# The bar of work of which a part is done.
draw_share <- function(what, done, total, seconds, status) {
  if (seconds < progress_delay()) return(invisible())
  format <- paste(what, "{cli::pb_bar} {cli::pb_percent} | {cli::pb_status} | left: {cli::pb_eta}")
  draw_bar(format, total, status, set = done)
}

# ---- Other work ----

# C calls this while it waits for work that has taken this number of seconds, and of which some thousandths are done,
# or NA. Within in_pieces() the label, the time and what is done are those of all pieces together.
draw_waiting <- function(seconds, done = NA) {
  pieces <- the$pieces
  if (!is.null(pieces)) {
    seconds <- seconds_now() - pieces$start
    done <- pieces$done
  }
  if (seconds < progress_delay() || !wants_progress(pieces$progress)) return(invisible())
  label <- pieces$label %||% work_label(sys.nframe() - 1) # C has no frame
  if (!is.na(done)) return(draw_share(label, done, 1000, seconds, seconds_text(seconds)))
  status <- paste0(label, ": ", seconds_text(seconds))
  draw_bar("{cli::pb_spin} {cli::pb_status}", total = NA, status = status)
}

seconds_text <- function(seconds) paste(number(round(seconds), big.mark = ","), "s")

# The function that the user called, found from a frame on.
work_label <- function(frame) {
  call <- caller_call(frame)
  if (is.null(call) || !is.name(call[[1]])) "pcfdist" else paste0(call[[1]], "()")
}

# lapply() over pieces of work, with the same bar.
lapply_drawn <- function(x, FUN, ...) {
  in_pieces(lapply(x, function(piece) {
    result <- FUN(piece, ...)
    draw_waiting(0)
    result
  }))
}

# Evaluates code that calls lapply_drawn(), with one bar and one time from here on. Within other such
# code, it is a part of that. The bar shows what is done if this is said, first of 0, by draw_done().
in_pieces <- function(code, progress = NULL) {
  if (!is.null(the$pieces)) return(code)
  on.exit({
    the$pieces <- NULL
    end_bar()
  })
  the$pieces <- list(start = seconds_now(), label = work_label(sys.nframe()), progress = progress, done = NA)
  code
}

# In in_pieces(): a share is done.
draw_done <- function(share) {
  the$pieces$done <- 1000 * share
  draw_waiting(0)
}

seconds_now <- function() proc.time()[["elapsed"]]

# ---- The bar ----

wants_progress <- function(progress = NULL) {
  if (!is.null(progress)) return(check_flag(progress, "progress"))
  check_flag(getOption("pcfdist.progress", interactive()), "pcfdist.progress")
}

progress_delay <- function() {
  check_positive(getOption("pcfdist.progress_delay", 2), "pcfdist.progress_delay", least = 0)
}

# There is one bar at a time. cli evaluates its format in `the$bar$frame`. Interrupts wait until it is
# drawn: otherwise cli would be left unable to draw another one.
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

# Without this option, cli would wait for two more seconds.
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

# Removes the bar, however the call ended. The bar of pieces of work stays until all are done.
end_bar <- function() {
  if (!is.null(the$pieces)) return(invisible())
  bar <- the$bar
  the$bar <- NULL
  if (!is.null(bar)) suspendInterrupts(cli::cli_progress_done(id = bar$id, .envir = bar$frame))
  invisible()
}
