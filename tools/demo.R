# The main job on real data that ship with R: three collections of step functions, their
# distance matrices, what R does with those, and means of groups. Prints what it found and
# leaves pictures in the folder named on the command line (default: demo).

library(pcfdist)

folder <- c(commandArgs(trailingOnly = TRUE), "demo")[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

say <- function(...) cat(sprintf(...), sep = "\n")

picture <- function(name, draw) {
  path <- file.path(folder, name)
  type <- if (capabilities("cairo")) "cairo" else getOption("bitmapType")
  grDevices::png(path, width = 1500, height = 700, res = 130, type = type)
  old <- par(mfrow = c(1, 2), mar = c(4, 4, 2.5, 1), las = 1, bty = "l", mgp = c(2.5, 0.7, 0))
  draw()
  par(old)
  invisible(grDevices::dev.off())
  say("  picture: %s", path)
}

# Labels beside points. Each in turn takes, of places around its point, the one within
# the plot that covers least of other points and labels, and a line leads to it.
label_points <- function(at, labels, cex = 0.6) {
  size <- c(max(strwidth(labels, cex = cex)), strheight("0", cex = cex)) * c(1.1, 1.5)
  angle <- seq(0, 2 * pi, length.out = 17)[-1]
  around <- cbind(cos(angle), sin(angle))
  around <- rbind(0.75 * around, 1.5 * around, 2.5 * around) %*% diag(size)
  taken <- at
  edges <- par("usr")[1:2] + c(0.5, -0.5) * size[1]
  for (k in order(at[, 2])) {
    places <- sweep(around, 2, at[k, ], "+")
    covered <- apply(places, 1, function(place) {
      apart <- abs(sweep(taken, 2, place))
      outside <- place[1] < edges[1] || place[1] > edges[2]
      outside + sum(pmax(1 - apart[, 1] / size[1], 0) * pmax(1 - apart[, 2] / size[2], 0))
    })
    place <- places[which.min(covered + 0.01 * rowSums(sweep(around, 2, size, "/")^2)), ]
    near <- 0.4 * at[k, ] + 0.6 * place
    segments(at[k, 1], at[k, 2], near[1], near[2], col = "grey70")
    taken <- rbind(taken, place)
  }
  text(taken[-seq_along(labels), ], labels[order(at[, 2])], cex = cex, xpd = NA)
}

# How well two partitions agree: 1 for the same, 0 on average for random ones.
adjusted_rand <- function(a, b) {
  pairs <- function(x) sum(choose(x, 2))
  both <- table(a, b)
  expected <- pairs(rowSums(both)) * pairs(colSums(both)) / choose(length(a), 2)
  largest <- (pairs(rowSums(both)) + pairs(colSums(both))) / 2
  (pairs(both) - expected) / (largest - expected)
}

colours <- unname(grDevices::palette.colors(8, "Okabe-Ito"))[c(2, 3, 4, 8, 6, 7)]

## Growth of chicks ----------------------------------------------------------------------

chickens <- function() {
  weighings <- transform(ChickWeight, end = ave(Time, Chick, FUN = max) + 1)
  x <- as_pcf(weighings, id = "Chick", time = "Time", value = "weight", until = "end")
  diet <- ChickWeight$Diet[match(names(x), ChickWeight$Chick)]
  d <- pdist(x, p = 1, from = 0, to = 21, missing = "mean")
  tree <- hclust(d, method = "average")
  cluster <- cutree(tree, 4)

  say("Growth of %d chicks on 4 diets (ChickWeight)", length(x))
  say("  each weight held until the next weighing, the last for one day;")
  say("  mean absolute difference of weight = L1 distance over the days on which both chicks are")
  say("  observed, divided by their number")
  say("  average linkage cut into 4 clusters, against the diets:")
  print(table(cluster = cluster, diet = diet))
  rand <- adjusted_rand(cluster, diet)
  say("  adjusted Rand index %.2f: %s", rand, if (rand < 0.2) {
    "the clusters do not tell the diets apart"
  } else {
    "the clusters follow the diets in part"
  })
  within <- outer(diet, diet, "==")[lower.tri(diag(length(x)))]
  say(
    "  mean distance within a diet %.1f g, between diets %.1f g", mean(d[within]),
    mean(d[!within])
  )

  means <- aggregate(x, diet, mean, na.rm = TRUE)
  names(means) <- paste("diet", names(means))
  say("  mean weights by diet, of the chicks observed at the time (g):")
  days <- c("day 0" = 0, "day 7" = 7, "day 14" = 14, "day 21" = 21)
  print(round(as.matrix(means, times = days), 1))
  apart <- integral(max(means) - min(means), from = 0, to = 21) / 21
  say("  heaviest mean minus lightest, on average over 21 days: %.1f g", apart)

  picture("chickens.png", function() {
    plot(x,
      by = paste("diet", diet), col = grDevices::adjustcolor(colours[1:4], 0.4), xlim = c(0, 21),
      xlab = "day", ylab = "weight (g)", main = "50 chicks, and the means by diet",
      legend = NULL, verticals = "solid"
    )
    lines(means, xlim = c(0, 21), col = colours[1:4], verticals = "solid", lwd = 3)
    legend("topleft", names(means), col = colours[1:4], lwd = 2, bty = "n")
    plot(tree,
      labels = FALSE, hang = -1, xlab = "squares: diets", sub = "",
      ylab = "mean difference (g)", main = "Average linkage on the L1 distance"
    )
    points(seq_along(x), rep(0, length(x)), pch = 15, col = colours[diet[tree$order]])
  })
}

## Sunspots, decade by decade ------------------------------------------------------------

sunspots <- function() {
  year <- floor(as.numeric(time(sunspot.month)) + 1e-6)
  decade <- 10 * (year %/% 10)
  months <- split(as.numeric(sunspot.month), decade)
  months <- months[lengths(months) == 120]
  x <- as_pcf(lapply(months, ecdf))
  d <- pdist(x, p = 1)

  # For samples of one size the Wasserstein distance is the mean gap of the sorted values.
  sorted <- vapply(months, sort, numeric(120))
  direct <- dist(t(sorted), method = "manhattan") / 120

  say("\nMonthly sunspot numbers of %d decades (sunspot.month)", length(x))
  say("  L1 distance of two empirical distribution functions = Wasserstein-1 distance")
  say(
    "  largest relative difference from sorting the samples: %.1e",
    max(abs(d - direct) / direct)
  )
  full <- as.matrix(d)
  odd <- which.max(colMeans(full))
  near <- which(full == min(d), arr.ind = TRUE)[1, ]
  far <- which(full == max(d), arr.ind = TRUE)[1, ]
  say(
    "  most alike: the %ss and %ss (%.1f); least: the %ss and %ss (%.1f)",
    names(x)[min(near)], names(x)[max(near)], min(d),
    names(x)[min(far)], names(x)[max(far)], max(d)
  )
  say(
    "  farthest from all others on average: the %ss (%.1f)", names(x)[odd],
    mean(full[-odd, odd])
  )

  picture("sunspots.png", function() {
    mean_number <- vapply(months, mean, 0)
    shade <- grDevices::hcl.colors(length(x), "YlOrRd", rev = TRUE)[rank(mean_number)]
    plot(x,
      col = shade, xlab = "sunspot number of a month", ylab = "share of months",
      main = "Empirical distribution functions", verticals = "solid", lwd = 1.2
    )
    some <- order(mean_number)[round(seq(1, length(x), length.out = 4))]
    legend("bottomright", sprintf("%.0f", mean_number[some]), col = shade[some], lwd = 2,
           bty = "n", title = "mean of the decade")
    at <- cmdscale(d)
    plot(at,
      asp = 1, pch = 21, bg = shade, cex = 1.2, xlab = "first coordinate",
      ylab = "second coordinate", main = "Decades by Wasserstein distance"
    )
    label_points(at, names(x))
  })
}

## Survival with lung cancer -------------------------------------------------------------

lung_cancer <- function() {
  lung <- survival::lung
  to <- 2 * 365
  surv <- survival::Surv(lung$time, lung$status)
  curves <- function(group) as_pcf(survival::survfit(surv ~ group))

  by_sex <- survival::survfit(surv ~ lung$sex)
  x <- as_pcf(by_sex)
  names(x) <- c("men", "women")
  observed <- as.numeric(pdist(x, p = 1, from = 0, to = to))
  restricted <- summary(by_sex, rmean = to)$table
  restricted <- restricted[, grep("rmean", colnames(restricted))[1]]

  set.seed(1)
  area <- function(patients, sex) pdist(curves(sex), p = 1, from = 0, to = to)
  test <- permutation_test(lung, lung$sex, area)
  null <- test$permuted
  p_value <- test$p.value

  say("\nSurvival of %d patients with lung cancer (survival::lung), two years", nrow(lung))
  say("  area between the Kaplan-Meier curves of men and women: %.1f days", observed)
  say(
    "  difference of their restricted means: %.1f days%s", diff(restricted),
    if (observed > 1.001 * abs(diff(restricted))) " (less: the curves cross)" else ""
  )
  medians <- crossing_time(x, 0.5)
  say("  median survival: men %.0f days, women %.0f days", medians[1], medians[2])
  say("  permutation test with that area, 999 permutations: p = %.3f", p_value)

  ecog <- factor(lung$ph.ecog, 0:2)
  y <- curves(ecog)
  names(y) <- paste("ECOG", levels(ecog))
  say("  the same area between performance scores (days):")
  print(round(pdist(y, p = 1, from = 0, to = to), 1))

  picture("lung.png", function() {
    plot(x,
      col = colours[c(6, 5)], xlim = c(0, to), ylim = c(0, 1), xlab = "days",
      ylab = "share alive", main = "Kaplan-Meier curves", verticals = "solid", lwd = 2
    )
    legend("topright", names(x), col = colours[c(6, 5)], lwd = 2, bty = "n")
    hist(null,
      breaks = 30, col = "grey85", border = "white", xlim = range(0, pretty(c(null, observed))),
      xlab = "area between the curves (days)", main = "999 permutations of sex"
    )
    abline(v = observed, col = colours[6], lwd = 2)
    label <- sprintf("observed %.0f, p = %.3f ", observed, p_value)
    text(observed, par("usr")[4] * 0.9, label, adj = 1, cex = 0.9)
  })
}

## How fast ------------------------------------------------------------------------------

large <- function() {
  set.seed(1)
  n <- 2000
  time <- lapply(sample(10:999, n, replace = TRUE), function(m) c(0, sort(rexp(m - 1))))
  value <- lapply(lengths(time), function(m) c(rnorm(m - 1), 0))
  x <- pcf(time, value)
  seconds <- function(run) system.time(run())[["elapsed"]]
  say(
    "\nSpeed: all %s distances of %s functions with 10 to 999 breakpoints in %.2f s,",
    format(n * (n - 1) / 2, big.mark = ","), format(n, big.mark = ","),
    seconds(function() pdist(x))
  )
  say(
    "  their mean in %.3f s, their norms in %.3f s", seconds(function() mean(x)),
    seconds(function() lp_norm(x))
  )
}

chickens()
sunspots()
lung_cancer()
large()
