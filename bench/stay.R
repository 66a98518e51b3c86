# Functions that stay on the GPU: whole R calls, from R's list and from where they stay, and what
# of each the run took.
#
# usage: Rscript bench/stay.R [N]

library(pcfdist)
arguments <- commandArgs(trailingOnly = TRUE)
n <- if (length(arguments) > 0) as.integer(arguments[1]) else 20000L
options(pcfdist.device = "cuda", pcfdist.progress = FALSE)

# The median seconds of some calls after one that is not timed, and the phases of the last.
seconds_of <- function(call, repeats = 5) {
  call()
  seconds <- vapply(seq_len(repeats), function(k) {
    gc(full = FALSE)
    system.time(call(), gcFirst = FALSE)[["elapsed"]]
  }, 0)
  list(seconds = median(seconds), phases = last_run()$phases)
}

row <- function(what, measured) {
  phases <- measured$phases
  shown <- if (is.null(phases)) "" else paste(
    names(phases), sprintf("%.3f", phases), collapse = ", "
  )
  cat(sprintf("| %s | %.4f | %s |\n", what, measured$seconds, shown))
}

set.seed(1)
x <- rpcf(n)
cat(sprintf(
  "%d functions, %.0f breakpoints, %s\n\n| case | s | phases |\n| --- | --- | --- |\n", n,
  sum(lengths(unclass(x)) / 2), cuda_info()$devices$name[1]
))

y <- on_gpu(x)
release(y)
row("on_gpu()", seconds_of(function() {
  y <- on_gpu(x)
  release(y)
}))
y <- on_gpu(x)
for (precision in c("single", "double")) {
  for (p in c(1, 2)) {
    name <- sprintf("pdist, p = %g, %s", p, precision)
    row(name, seconds_of(function() pdist(x, p, precision = precision)))
    row(paste0(name, ", staying"), seconds_of(function() pdist(y, p, precision = precision)))
  }
}
# Another window each time: what the sweep made of them is of no use, but the functions are.
end <- 100
row("pdist, other windows, single", seconds_of(function() {
  pdist(x, to = end <<- end + 1, precision = "single")
}))
row("pdist, other windows, single, staying", seconds_of(function() {
  pdist(y, to = end <<- end + 1, precision = "single")
}))
few <- x[1:100]
row("cdist to 100 functions, single", seconds_of(function() cdist(x, few, precision = "single")))
row("cdist to 100 functions, single, staying", seconds_of(function() {
  cdist(y, few, precision = "single")
}))
row("nearest_neighbors, k = 15", seconds_of(function() nearest_neighbors(x, 15), 3))
row("nearest_neighbors, k = 15, staying", seconds_of(function() nearest_neighbors(y, 15), 3))
release(y)
