# Timings for bench/functions.sh: what it runs appends a row for each case to the file that the
# environment variable BENCH_ROWS names. Without that nothing is recorded.
#
# `size` tells cases of one name apart, and is the same on both sides; `bytes` is what the case
# reads or writes at least.
record <- function(case, size, seconds, side = "pcfdist", bytes = NA, difference = NA) {
  path <- Sys.getenv("BENCH_ROWS")
  if (!nzchar(path)) return(invisible())
  row <- data.frame(case, size = as.character(size), side, seconds, bytes, difference)
  write.table(row, path, append = file.exists(path), col.names = !file.exists(path),
              row.names = FALSE, sep = ",")
}
