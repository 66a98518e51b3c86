# What the reports have in common: tables, numbers, and what they ran on.

table_lines <- function(d) {
  cells <- as.matrix(format(d, trim = TRUE))
  cells[is.na(as.matrix(d)) | cells %in% c("NA", "NaN")] <- ""
  row <- function(r) paste0("| ", paste(r, collapse = " | "), " |")
  c(row(names(d)), row(rep("---", ncol(d))), apply(cells, 1, row))
}

number <- function(x, digits) ifelse(is.na(x), "", formatC(x, digits = digits, format = "f"))
power <- function(x) ifelse(is.na(x), "", formatC(x, digits = 1, format = "e"))

first_line <- function(command, arguments) {
  tryCatch(system2(command, arguments, stdout = TRUE, stderr = FALSE)[1],
    error = function(e) NA, warning = function(w) NA)
}

commit <- function() {
  found <- first_line("git", c("describe", "--always", "--dirty"))
  if (is.na(found)) "no commit" else found
}

processor <- function() {
  info <- tryCatch(readLines("/proc/cpuinfo"), error = function(e) "")
  field <- function(name) {
    sub(".*: *", "", grep(paste0("^", name, "\\s*:"), info, value = TRUE)[1])
  }
  sprintf("%s (family %s, model %s)", field("model name"), field("cpu family"), field("model"))
}

compiler <- function() {
  cc <- first_line(file.path(R.home("bin"), "R"), c("CMD", "config", "CC"))
  first_line(sub(" .*", "", cc), "--version")
}

# The head of a report. `load` is what the load average was before the run.
setting_lines <- function(threads, load, peer_version) {
  c(
    paste("- Date:", Sys.Date()),
    paste("- pcfdist:", packageVersion("pcfdist"), "at", commit()),
    paste("- masspcf:", peer_version),
    paste("- Processor:", processor()),
    paste("- Threads:", threads, "on both sides"),
    paste("- Load average before the run:", load),
    paste0("- ", R.version.string, ", ", compiler())
  )
}
