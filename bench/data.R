# Data for the peer, who reads it with read_functions() of bench/data.py.

# Writes functions, a pcf object, end to end: STEM.lengths (int32), .times and .values (double).
write_functions <- function(x, stem) {
  functions <- unclass(x)
  path <- function(suffix) paste0(stem, ".", suffix)
  column <- function(k) unlist(lapply(functions, function(f) f[, k]), use.names = FALSE)
  writeBin(as.integer(lengths(functions) / 2), path("lengths"), size = 4)
  writeBin(column(1), path("times"))
  writeBin(column(2), path("values"))
}
