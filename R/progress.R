# The progress bar of long calls.

# NULL, or a function(done, total, seconds) that C calls while it waits. It draws
# nothing in the first two seconds.
progress_function <- function(progress) {
  progress <- progress %||% getOption("pcfdist.progress", interactive())
  if (!check_flag(progress, "progress")) return(NULL)
  bar <- NULL
  frame <- new.env() # cli evaluates the format in it
  function(done, total, seconds) {
    if (seconds < 2 || total <= 0) return(invisible())
    if (is.null(bar)) bar <<- start_bar(frame)
    rate <- paste0(format(done / seconds, digits = 2), " rectangles/s")
    cli::cli_progress_update(set = 1000 * done / total, id = bar, status = rate, .envir = frame)
    if (done >= total) cli::cli_progress_done(id = bar, .envir = frame)
    invisible()
  }
}

start_bar <- function(frame) {
  cli::cli_progress_bar(
    total = 1000, clear = TRUE, .auto_close = FALSE, .envir = frame,
    format = paste(
      "Pairs {cli::pb_bar} {cli::pb_percent} | {cli::pb_status} | left: {cli::pb_eta}"
    )
  )
}
