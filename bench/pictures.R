# Times pictures of many functions, and how far they are from those that draw every piece:
#   Rscript bench/pictures.R [FUNCTIONS]
# needs a build of R with cairo. Distances are means over all pixels and colours, of 255. The second
# table has medians of nine; the last has the picture that each function alone gives, painted one over
# the other in doubles.

library(pcfdist)
suppressMessages(library(ggplot2))
source("bench/data.R")
source("bench/markdown.R")

n <- c(as.integer(commandArgs(trailingOnly = TRUE)), 2000L)[1]

# The bytes of the pixels, which come first in such a file; `seconds` of the CPU, with the device's.
pixels_of <- function(draw) {
  path <- tempfile()
  on.exit(unlink(path, expand = FALSE))
  tiff(path, 900, 600, type = "cairo", compression = "none")
  time <- system.time({
    draw()
    dev.off()
  })
  bytes <- as.integer(readBin(path, "raw", file.size(path))[8 + seq_len(3 * 900 * 600)])
  list(bytes = bytes, seconds = time[[1]] + time[[2]])
}

away <- function(a, b) mean(abs(a - b))

set.seed(1)
collections <- list(
  "random times" = rpcf(n, 500),
  "random walks" = pcf(
    lapply(seq_len(n), function(i) sort(runif(500))),
    lapply(seq_len(n), function(i) c(cumsum(rnorm(499)), 0))
  ),
  "same times" = pcf(rep(list(0:499), n), lapply(seq_len(n), function(i) rnorm(500)))
)
collections[["random times, joined by lines"]] <- lines_through(collections[[1]])
by <- rep_len(c("a", "b"), n)
pictures <- list(
  "plot(x)" = function(x, thin) plot(x, thin = thin),
  "plot(x, by = by)" = function(x, thin) plot(x, by = by, thin = thin),
  "autoplot(x)" = function(x, thin) print(autoplot(x, thin = thin)),
  "autoplot(x, by = by)" = function(x, thin) print(autoplot(x, by = by, thin = thin))
)
invisible(pixels_of(function() print(autoplot(collections[[1]][1:40])))) # loads what it needs

row_of <- function(kind, call) {
  x <- collections[[kind]]
  drawn <- lapply(1:5, function(k) pixels_of(function() pictures[[call]](x, TRUE)))
  seconds <- vapply(drawn, `[[`, 0, "seconds")
  all <- pixels_of(function() pictures[[call]](x, FALSE))
  data.frame(
    functions = kind, call = call, seconds = number(median(seconds), 2),
    most = number(max(seconds), 2), "every piece" = number(all$seconds, 1),
    distance = number(away(drawn[[1]]$bytes, all$bytes), 2), check.names = FALSE
  )
}
cases <- expand.grid(call = names(pictures), kind = names(collections), stringsAsFactors = FALSE)
writeLines(table_lines(do.call(rbind, Map(row_of, cases$kind, cases$call))))

# ---- Lines beside steps ----

# By turns, so that both find the machine in the same state.
beside <- function(call) {
  kinds <- c("random times", "random times, joined by lines")
  seconds <- vapply(1:9, function(k) {
    vapply(collections[kinds], function(x) pixels_of(function() call(x, TRUE))$seconds, 0)
  }, numeric(2))
  seconds <- apply(seconds, 1, median)
  data.frame(
    steps = number(seconds[1], 2), lines = number(seconds[2], 2),
    ratio = number(seconds[2] / seconds[1], 2)
  )
}
pictures[["plot_bands(x, by = by)"]] <- function(x, thin) plot_bands(x, by = by)
cat("\n")
writeLines(table_lines(cbind(call = names(pictures), do.call(rbind, lapply(pictures, beside)))))

# ---- Beside layers ----

layer <- function(x, col, thin) {
  pixels_of(function() {
    par(mar = rep(0, 4))
    plot(x, xlim = c(0, 525), ylim = c(-4.6, 4.6), col = col, verticals = "solid", axes = FALSE,
         thin = thin)
  })$bytes
}
x <- collections[["same times"]][seq_len(min(n, 300))]
light <- 1
for (f in seq_along(x)) light <- light * (1 - 13 / 255 * (1 - layer(x[f], "black", FALSE) / 255))
rows <- data.frame(
  picture = c("thin = TRUE", "thin = FALSE"),
  distance = vapply(c(TRUE, FALSE), function(thin) {
    number(away(layer(x, "#0000000D", thin), 255 * light), 2)
  }, "")
)
cat("\n")
writeLines(table_lines(rows))
