# One call of bench/disk.sh: "compute" goes through all pairs and keeps one number a function,
# "write" writes them all into a file.
library(pcfdist)

arguments <- commandArgs(TRUE)
n <- as.integer(arguments[2])
options(pcfdist.device = "cpu", pcfdist.threads = as.integer(arguments[3]))
set.seed(1)
x <- pcf(
  lapply(seq_len(n), function(i) cumsum(runif(3))), lapply(seq_len(n), function(i) c(runif(2), 0))
)
peak <- function() {
  line <- grep("VmHWM", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line))
}
before <- peak()
seconds <- system.time(
  if (arguments[1] == "compute") reduce_distances(x, with = "max", precision = "single")
  else d <- pdist(x, precision = "single", file = arguments[4], storage = "single")
)
cat(sprintf(
  "%s: %.1f s (user %.1f, system %.1f); memory %.0f MB, before the call %.0f MB\n",
  arguments[1], seconds[3], seconds[1], seconds[2], peak() / 1024, before / 1024
))
if (arguments[1] == "write") {
  print(last_run()$phases)
  print(d)
}
