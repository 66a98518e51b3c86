bars <- cbind(
  dimension = c(1, 0, 0, 0, 1, 2), birth = c(1.2, 0, 0, 0, 1, 1), death = c(2, 1.5, Inf, 1, 3, 1)
)

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
  expect_identical(nrow(bars_to_draw(bars, 7, Inf)), 0L)
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
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
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

test_that("wrong arguments are errors", {
  expect_snapshot(error = TRUE, {
    plot_barcode(1:3)
    plot_barcode(list(a = bars, b = cbind(2, 1)))
    plot_barcode(cbind(0, NA))
    plot_barcode(bars, dimension = 0.5)
    plot_barcode(cbind(0, 1), dimension = 0)
    plot_barcode(bars, infinite = "all")
    plot_barcode(bars, xlim = 1)
    plot_barcode(bars, legend = 3)
  })
})
