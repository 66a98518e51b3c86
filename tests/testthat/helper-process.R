# For what could end or hang the session: another process.

skip_without_processes <- function() {
  skip_on_cran()
  skip_on_os("windows")
  installed <- find.package("pcfdist", .libPaths(), quiet = TRUE)
  skip_if(length(installed) == 0, "pcfdist is not installed")
}

# What a script prints, by line. One that has not ended after `seconds` is killed.
run_child <- function(script, seconds = 120) {
  file <- tempfile(fileext = ".R")
  on.exit(unlink(file, expand = FALSE))
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "library(pcfdist)",
    "options(pcfdist.device = 'cpu')",
    script
  ), file)
  rscript <- file.path(R.home("bin"), "Rscript")
  suppressWarnings(
    system2(rscript, c("--vanilla", file), stdout = TRUE, stderr = FALSE, timeout = seconds)
  )
}

# Makes a pipe, and a process that has both of its ends, and neither reads nor writes: whoever does
# waits. The process is killed when the test ends.
keep_pipe <- function(path, frame = parent.frame()) {
  system2("mkfifo", shQuote(path))
  held <- sprintf("sleep 100 <> %s > /dev/null & echo $!", shQuote(path))
  keeper <- as.integer(system2("sh", c("-c", shQuote(held)), stdout = TRUE))
  at_end_of(frame, bquote(tools::pskill(.(keeper))))
}
