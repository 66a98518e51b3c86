# A Python that has numpy; the test is skipped where there is none.
numpy_python <- function() {
  candidates <- unique(c(Sys.getenv("PCFDIST_PYTHON"), "/usr/bin/python3", Sys.which("python3")))
  for (python in candidates[file.exists(candidates)]) {
    status <- suppressWarnings(
      system2(python, c("-c", shQuote("import numpy")), stdout = FALSE, stderr = FALSE)
    )
    if (identical(status, 0L)) return(python)
  }
  testthat::skip("no Python with numpy")
}

# Makes the folder one that another program has written.
without_checksums <- function(folder) unlink(file.path(folder, "checksums.npy"), expand = FALSE)

# The bytes of all files of a folder, by name.
contents_of <- function(folder) {
  names <- list.files(folder, all.files = TRUE, no.. = TRUE)
  stats::setNames(lapply(file.path(folder, names), function(file) {
    if (file.exists(file) && !dir.exists(file)) bytes_of(file)
  }), names)
}
