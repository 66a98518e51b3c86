bars <- cbind(dimension = c(1, 0, 0, 0, 1, 2), birth = c(1.2, 0, 0, 0, 1, 1), death = c(2, 1.5, Inf, 1, 3, 1))

test_that("bars are in the order of dimensions and births, without those of length 0", {
  drawn <- bars_to_draw(bars, NULL, Inf)
  expect_identical(drawn$dimension, c(0, 0, 0, 1, 1))
  expect_identical(drawn$birth, c(0, 0, 0, 1, 1.2))
  expect_identical(drawn$death, c(1, 1.5, Inf, 3, 2))
  expect_identical(levels(drawn$diagram), "1")
})

test_that("dimensions and infinite bars can be chosen", {
  expect_identical(bars_to_draw(bars, 1, Inf)$death, c(3, 2))
  expect_identical(bars_to_draw(bars, 0:1, NaN)$death, c(1, 1.5, 3, 2))
  expect_identical(bars_to_draw(bars, 0, 1.25)$death, c(1, 1.25, 1.5))
  expect_identical(nrow(suppressWarnings(bars_to_draw(bars, 7, Inf))), 0L)
  expect_identical(nrow(bars_to_draw(cbind(3, Inf), NULL, 2)), 0L)
})

test_that("diagrams are above each other, the first at the top", {
  x <- list(a = bars, b = cbind(0:1, 5))
  drawn <- bars_to_draw(x, NULL, Inf)
  expect_identical(as.character(drawn$diagram), rep(c("b", "a"), c(2, 5)))
  expect_identical(drawn$dimension, c(NA, NA, 0, 0, 0, 1, 1))
  rows <- bar_rows(drawn)
  expect_identical(rows$bar, c(1, 2, 4, 5, 6, 7, 8))
  expect_identical(rows$middle, c(6, 1.5))
  expect_identical(rows$top, 8.5)
})

test_that("the diagrams of one table are told apart", {
  long <- rbind(data.frame(cloud = "u", bars), data.frame(cloud = "v", bars[1:2, ]))
  drawn <- bars_to_draw(long, NULL, Inf, "cloud")
  expect_identical(drawn, bars_to_draw(list(u = bars, v = bars[1:2, ]), NULL, Inf))
  long$death[8] <- -1
  expect_error(plot_barcode(long, id = "cloud"), "row 8", class = "pcfdist_error_x")
  expect_error(plot_barcode(long), class = "pcfdist_error_id")
})

test_that("the limits have all births and finite deaths, and room for arrows", {
  expect_equal(bar_limits(bars_to_draw(bars, NULL, Inf)), c(0, 3.3))
  expect_equal(bar_limits(bars_to_draw(bars, NULL, NaN)), c(0, 3))
  expect_equal(bar_limits(bars_to_draw(cbind(2, Inf), NULL, Inf)), c(2, 2.1))
})

test_that("plot_barcode() draws whatever stable_rank() takes, and returns the bars", {
  draw_nowhere()
  drawn <- expect_invisible(plot_barcode(bars, main = "title"))
  expect_identical(drawn, bars_to_draw(bars, NULL, Inf))
  tree <- hclust(dist(iris[1:20, 1:4]), method = "single")
  expect_identical(nrow(plot_barcode(tree)), 20L - sum(tree$height == 0))
  expect_silent(plot_barcode(list(bars, bars[, 2:3], tree), col = "red", xlim = c(0, 1)))
  expect_silent(plot_barcode(bars[0, ]))
  expect_silent(plot_barcode(list()))
  expect_silent(plot_barcode(as.data.frame(bars), dimension = 0, legend = NULL))
  expect_silent(plot_barcode(cbind(runif(5000), 1 + runif(5000)), infinite = "drop", lwd = 2))
})

test_that("bars without a dimension are drawn, in a colour of their own", {
  skip_without_pixels()
  plain <- cbind(birth = c(0, 0, 1), death = c(1, 2, 3))
  colors <- function(x, ...) {
    bytes <- pixels_of(function() plot_barcode(x, axes = FALSE, xlab = "", legend = NULL, ...))
    unique(grDevices::rgb(matrix(bytes, ncol = 3, byrow = TRUE), maxColorValue = 255))
  }
  expect_true("#000000" %in% colors(plain))
  expect_true("#FF0000" %in% colors(plain, col = "red"))
  diagrams <- list(plain, cbind(dimension = 0, plain))
  mixed <- colors(diagrams, col = c("red", "blue"))
  expect_true(all(c("#FF0000", "#0000FF") %in% mixed))
  expect_identical(kind_labels(c("0", NA)), c("dimension 0", "no dimension"))
})

# ---- Names ----

# The names that a barcode shows, `n` diagrams of five bars each.
shown_names <- function(names, height = 4.5) {
  draw_nowhere(7, height)
  drawn <- bars_to_draw(stats::setNames(rep(list(cbind(1:5, 6)), length(names)), names), NULL, Inf)
  graphics::plot.new()
  rows <- bar_rows(drawn)
  graphics::plot.window(c(0, 1), c(0.5, rows$top))
  names_beside(rows, levels(drawn$diagram))
}

test_that("each diagram has its name beside it where these fit", {
  names <- sprintf("patient %02d", 1:12)
  shown <- shown_names(names)
  expect_identical(shown$labels, names)
  expect_identical(shown$at, rev(6 * 1:12 - 3))
  expect_identical(shown$cex, 1)
  smaller <- shown_names(names, 3.8)
  expect_identical(smaller$labels, names)
  expect_lt(smaller$cex, 1)
})

test_that("as many names are shown as fit, evenly, beside their diagrams", {
  names <- sprintf("patient %03d", 1:200)
  shown <- shown_names(names)
  at <- match(shown$labels, names)
  expect_gt(length(at), 15)
  expect_identical(length(unique(diff(at))), 1L)
  expect_identical(shown$at, rev(6 * 1:200 - 3)[at])
  expect_identical(names_apart(c(9, NA, 8, 5, 4.5, 1), 2), c(1L, 4L, 6L))
})

test_that("long names are shortened and stay different", {
  names <- paste("the patient", 1:12, "of the hospital in the middle of the old town of Stockholm")
  shown <- shown_names(names)
  expect_identical(length(unique(shown$labels)), 12L)
  expect_lt(shown$width, 0.3 * 7 + 1e-9)
})

test_that("room for names on the left is given back, and coordinates stay", {
  skip_without_pixels()
  x <- list(cbind(1, 6), cbind(2, 3))
  names(x) <- c("the first of the patients", "the second of the patients")
  red <- function(draw) {
    bytes <- matrix(pixels_of(function() {
      graphics::par(mar = c(4, 3, 1, 1))
      draw()
      expect_identical(graphics::par("mar"), c(4, 3, 1, 1))
      expect_false(graphics::par("new"))
    }), 3)
    which(colMeans(bytes == c(255, 0, 0)) == 1)
  }
  draw <- function(...) plot_barcode(x, col = "red", lwd = 3, legend = NULL, ...)
  columns <- (red(draw) - 1) %% 300 + 1
  expect_gt(length(columns), 100)
  expect_gt(min(columns), 110)
  expect_length(red(function() {
    draw()
    graphics::segments(c(1, 2), c(3, 1), c(6, 3), c(3, 1), col = "white", lwd = 5, lend = "butt")
  }), 0)
})

test_that("the label of the axis is on the left of the names", {
  skip_without_pixels()
  picture <- function(names = "black", label = "black") {
    brightness_of(function() {
      graphics::par(col.axis = names)
      x <- list("diagram one" = cbind(1, 6), "diagram two" = cbind(2, 3))
      plot_barcode(x, legend = NULL, ylab = "label", col.lab = label, xlab = "", xaxt = "n")
    })
  }
  columns <- function(...) which(colSums(picture() != picture(...)) > 0)
  label <- columns(label = "white")
  names <- columns(names = "white")
  expect_gt(min(label), 1)
  expect_gt(min(names), max(label))
  expect_gt(diff(range(names)), 50)
})

test_that("several barcodes fill the panels of a page one by one", {
  draw_nowhere()
  graphics::par(mfrow = c(2, 2))
  x <- stats::setNames(list(bars, bars), paste(strrep("long ", 9), 1:2))
  for (legend in list("auto", NULL, "top")) plot_barcode(x, legend = legend, ylab = "name")
  expect_identical(graphics::par("mfg")[1:2], c(2L, 1L))
  expect_false(graphics::par("new"))
  expect_silent(plot_barcode(list(a = bars, b = bars[0, ]), ylab = NULL))
  expect_silent(plot_barcode(list(bars, bars), ylab = quote(x^2), col.lab = "red"))
})

test_that("bars on a logarithmic axis begin at its left end, and the legend covers none", {
  skip_without_pixels()
  x <- cbind(c(0, 0, 0, 1), c(0, 0, 1, 10), c(0.5, 100, Inf, 20))
  expect_equal(bar_limits(bars_to_draw(x, NULL, Inf), "x"), c(0.5, 109.95))
  expect_identical(bar_limits(bars_to_draw(cbind(-1, 0), NULL, Inf), "x"), c(1, 10))
  expect_silent(pixels <- brightness_of(function() {
    graphics::par(mar = rep(0, 4))
    plot_barcode(x, xlim = c(1, 100), log = "x", col = c("black", "blue"), lwd = 30, lend = 1,
                 legend = NULL, axes = FALSE)
  }))
  # From the bottom: gone, all along, from 1 on, and a short one in the middle.
  dark <- lapply(rev(split(seq_len(300), rep(1:4, each = 75))), function(rows) {
    range(which(colSums(pixels[rows, ] < 200) > 10), 0)
  })
  expect_identical(dark[[1]], c(0, 0))
  expect_gt(diff(dark[[2]]), 285)
  draw_nowhere()
  expect_silent(plot_barcode(bars, log = "x", xlim = c(0.1, 10)))
})

test_that("wrong arguments are errors", {
  refused(plot_barcode(1:3), "x", "must be a persistence diagram or a list of them, not an integer vector of length 3.")
  refused(plot_barcode(list(a = bars, b = cbind(2, 1))), "x", 'is invalid: diagram 2 ("b") has the death 1 before the ',
          "birth 2 in row 1. ", orders_bars)
  refused(plot_barcode(bars, dimension = 0.5), "dimension", "must be a whole number of at least 0, not 0.5.")
  refused(plot_barcode(cbind(0, 1), dimension = 0), "x",
          "is invalid: the diagram has no dimensions, but these are needed here.")
  refused(plot_barcode(bars, infinite = TRUE), "infinite", 'must be "keep", "drop" or a finite number, not TRUE.')
  refused(plot_barcode(bars, infinite = "all"), "infinite", 'must be "keep", "drop" or a finite number, not "all".')
  refused(plot_barcode(bars, xlim = 1), "xlim", "must be two finite numbers, the smaller first, not 1.")
  refused(plot_barcode(bars, legend = 3), "legend", 'must be one of "auto", "topright", "topleft", "bottomright", ',
          '"bottomleft", "top", "bottom", "right", "left", "center", not 3.')
  refused(plot_barcode(bars, log = "y"), "log", 'must be one of "", "x", not "y".')
})

test_that("bars outside of the range are not drawn, and those that go on reach the edge of the plot", {
  x <- cbind(birth = c(0, 10.2, 100, 100, 3, -9), death = c(5, 12, Inf, 110, Inf, -5))
  drawn <- bars_within(bars_to_draw(x, NULL, Inf), c(0, 10), FALSE, 1:6)
  expect_equal(drawn$x0, c(NA, 0, 3, 10.2, NA, NA))
  expect_equal(drawn$x1[!is.na(drawn$x0)], c(5, 10, 10.4))
  drawn <- bars_within(bars_to_draw(cbind(c(0, 50, 5), c(10, 60, 500)), NULL, Inf), c(1, 10), TRUE, 1:3)
  expect_equal(drawn$x0, c(10^-0.04, 5, NA))
  expect_equal(drawn$x1[1:2], c(10, 10^1.04))
})

test_that("a range that a logarithmic axis does not have is an error", {
  draw_nowhere()
  refused(plot_barcode(bars, log = "x", xlim = c(-1, 3)), "xlim", "must be positive on a logarithmic axis, not -1.")
  refused(plot_barcode(bars, dimension = mean), "dimension", "must be a whole number of at least 0, not a function.")
  refused(plot_barcode(bars, type = "l"), "type", "must not be given: functions are always drawn as lines.")
})
