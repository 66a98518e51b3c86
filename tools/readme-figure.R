# Draws the pictures of the README, man/figures/overview.png and man/figures/speed.png.
# Usage: Rscript tools/readme-figure.R, with pcfdist in the library

library(pcfdist)

colours <- unname(grDevices::palette.colors(8, "Okabe-Ito"))[c(6, 7, 4, 2)]

open_picture <- function(name, width, height) {
  grDevices::png(file.path("man/figures", name), width, height, res = 130, type = "cairo")
}

# What the code of the README draws, with titles
draw_overview <- function() {
  chicks <- as_plf(ChickWeight, id = "Chick", time = "Time", value = "weight")
  diet <- ChickWeight$Diet[match(names(chicks), ChickWeight$Chick)]
  d <- pdist(chicks, missing = "mean")
  bands <- confidence_bands(chicks, "simultaneous", by = diet, na.rm = TRUE)
  par(mfrow = c(1, 3), mar = c(4, 4, 3, 1), las = 1, bty = "l", mgp = c(2.5, 0.7, 0), cex = 0.9)
  plot(chicks, by = diet, col = colours, xlab = "days", ylab = "weight (g)", main = "the data: 50 chicks")
  plot(hclust(d, "average"), labels = FALSE, hang = -1, main = "a tree of their distances", xlab = "", sub = "",
       ylab = "mean difference (g)")
  plot_bands(bands, col = colours, xlim = c(0, 21), xlab = "days", ylab = "weight (g)",
             main = "means of diets, 95% bands", legend = NULL)
}

# The rows of the first table of a report, as text: one vector for each case.
rows_of <- function(report) {
  lines <- readLines(file.path("bench/results", report), encoding = "UTF-8")
  lines <- lines[cumsum(startsWith(lines, "| case |")) == 1 & startsWith(lines, "| ")]
  strsplit(sub("^\\| ", "", lines), " \\| ?")
}

# The seconds of both packages, from the reports that the README links to.
speed_cases <- function() {
  cpu <- rows_of("cpu-2026-11-22.md")
  gpu <- rows_of("cuda-2026-11-22.md")
  seconds <- function(rows, chosen, columns) as.double(Find(chosen, rows)[match(columns, rows[[1]])])
  on_cpu <- c(
    "4000 long functions, L1" = "paper-l1", "the same, inner products" = "paper-kernel",
    "2000 of them, L2" = "paper-l2", "20,000 short functions, L1" = "short-l1",
    "16 very long functions, L1" = "long-l1"
  )
  cases <- lapply(on_cpu, function(case) seconds(cpu, function(row) row[1] == case, c("pcfdist", "stablebear")))
  chosen <- function(row) identical(row[1:2], c("L1", "double"))
  cases[["20,000 long ones on one H200"]] <- seconds(gpu, chosen, c("pcfdist, s", "stablebear, s"))
  do.call(rbind, cases)
}

draw_speed <- function(seconds = speed_cases()) {
  y <- rev(seq_len(nrow(seconds)))
  par(mar = c(3.4, 15, 1.6, 4.5), mgp = c(2.2, 0.6, 0), las = 1, bty = "n", cex = 0.9)
  plot(NULL, xlim = c(0.05, 30), ylim = range(y) + c(-0.4, 0.4), log = "x", axes = FALSE, ylab = "",
       xlab = "seconds (logarithmic)")
  ticks <- c(0.1, 1, 10)
  axis(1, ticks, ticks)
  segments(seconds[, 1], y, seconds[, 2], y, col = "grey80", lwd = 3)
  points(seconds, rep(y, 2), pch = 19, col = rep(c(colours[1], "grey55"), each = length(y)), cex = 1.5)
  axis(2, y, rownames(seconds), tick = FALSE)
  faster <- seconds[, 2] / seconds[, 1]
  mtext(paste(ifelse(faster < 10, round(faster, 1), round(faster)), "\u00d7"), 4, at = y, line = 0.5)
  mtext(c("pcfdist", "stablebear 0.5.1"), 3, at = seconds[1, ], col = c(colours[1], "grey40"), line = 0.2)
}

open_picture("overview.png", 1500, 520)
draw_overview()
invisible(grDevices::dev.off())
open_picture("speed.png", 1100, 420)
draw_speed()
invisible(grDevices::dev.off())
