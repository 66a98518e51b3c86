# Draws the picture of the README, man/figures/overview.png.
# Usage: Rscript tools/readme-figure.R, with pcfdist in the library

library(pcfdist)

colours <- unname(grDevices::palette.colors(8, "Okabe-Ito"))[c(6, 7, 4, 2)]

# Two functions, and the rectangles whose areas add up to their distance.
draw_distance <- function() {
  f <- pcf(c(0, 1.5, 3.2, 5, 6.5), c(2, 4, 3, 1, 0))
  g <- pcf(c(0.6, 2.4, 4.2, 7.2), c(3, 1.5, 2.5, 0))
  plot(c(f, g), xlim = c(0, 8), ylim = c(0, 4.4), col = NA, verticals = "none", xlab = "time",
       main = "exact: no grid")
  r <- rectangles(f, g, from = 0, to = 8)
  rect(r$left, r$f, r$right, r$g, col = "grey88", border = "white")
  lines(c(f, g), col = colours[1:2], lwd = 3, verticals = "solid")
  text(6.2, 3.6, expression(integral(group("|", f - g, "|"))), cex = 1.4)
}

# What the code of the README draws
x <- as_plf(ChickWeight, id = "Chick", time = "Time", value = "weight")
d <- pdist(x, missing = "mean")
diet <- ChickWeight$Diet[match(names(x), ChickWeight$Chick)]
bands <- confidence_bands(x, "simultaneous", by = diet, na.rm = TRUE)

grDevices::png("man/figures/overview.png", width = 1500, height = 520, res = 130, type = "cairo")
par(mfrow = c(1, 3), mar = c(4, 4, 3, 1), las = 1, bty = "l", mgp = c(2.5, 0.7, 0), cex = 0.9)
draw_distance()
plot(hclust(d, "average"), labels = FALSE, hang = -1, main = "50 chicks: a tree of distances", xlab = "", sub = "",
     ylab = "mean difference (g)")
plot_bands(bands, col = colours, xlim = c(0, 21), xlab = "days", ylab = "weight (g)",
           main = "mean of each diet, 95% bands")
invisible(grDevices::dev.off())
