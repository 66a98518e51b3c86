# What the reports have in common: tables, numbers, what they ran on, and the rows beside them.

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
    paste("- stablebear:", peer_version),
    paste("- Processor:", processor()),
    paste("- Threads:", threads, "on both sides"),
    paste("- Load average before the run:", load),
    paste0("- ", R.version.string, ", ", compiler())
  )
}

# Writes the report, and its rows with what they ran on as columns, to STEM.md and STEM.csv.
write_report <- function(stem, lines, rows, threads, hardware = processor()) {
  writeLines(lines, paste0(stem, ".md"))
  rows <- cbind(rows, threads = as.integer(threads), commit = commit(), processor = hardware,
                date = as.character(Sys.Date()))
  utils::write.csv(rows, paste0(stem, ".csv"), row.names = FALSE)
}

# The rows of the peer that go with those of pcfdist: of the same case and size.
peer_rows <- function(ours, rows, case = ours$case) {
  theirs <- rows[rows$package != "pcfdist", ]
  theirs[match(paste(case, ours$size), paste(theirs$case, theirs$size)), ]
}

peer_version_of <- function(rows) {
  c(unique(rows$version[rows$package != "pcfdist"]), "not run")[1]
}

count_runs <- function(runs) ifelse(is.na(runs), NA, lengths(strsplit(runs, " ")))
