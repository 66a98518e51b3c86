test_that("pieces cover the range from left to right", {
  pieces <- pieces_between(example_pcf(), 0, 6)
  expect_identical(pieces$f, c(1L, 1L, 1L, 2L, 2L, 2L))
  expect_identical(pieces$chain, pieces$f)
  expect_identical(pieces$x0, c(0, 2, 5, 0, 1, 4))
  expect_identical(pieces$x1, c(2, 5, 6, 1, 4, 6))
  expect_identical(pieces$y, c(1, 3, 0, 0, 2, 0))
})

test_that("pieces outside the range are cut off", {
  pieces <- pieces_between(example_pcf()["a"], 3, 4)
  expect_identical(as.list(pieces), list(f = 1L, x0 = 3, x1 = 4, y = 3, chain = 1L))
})

test_that("jumps join the pieces of one function", {
  jumps <- jumps_between(pieces_between(example_pcf(), 0, 6))
  expect_identical(jumps$f, c(1L, 1L, 2L, 2L))
  expect_identical(jumps$x0, c(2, 5, 1, 4))
  expect_identical(jumps$y0, c(1, 3, 0, 2))
  expect_identical(jumps$y1, c(3, 0, 2, 0))
})

# ---- Where functions are not observed ----

partial_pcf <- function() {
  pcf(
    list(a = c(-Inf, 0, 2, 5, 8), b = c(1, 3, 4, 6), c = c(-Inf, 50)),
    list(c(1, 2, NA, 3, NA), c(2.5, NA, 1, 0), c(NA, 99))
  )
}

test_that("a gap is a gap, and -Inf is the left end", {
  pieces <- pieces_between(partial_pcf(), -1, 9)
  expect_identical(pieces$f, c(1L, 1L, 1L, 2L, 2L, 2L, 2L))
  expect_identical(pieces$chain, c(1L, 1L, 2L, 3L, 3L, 4L, 4L))
  expect_identical(pieces$x0, c(-1, 0, 5, -1, 1, 4, 6))
  expect_identical(pieces$x1, c(0, 2, 8, 1, 3, 6, 9))
  expect_identical(pieces$y, c(1, 2, 3, 0, 2.5, 1, 0))
  expect_identical(jumps_between(pieces)$x0, c(0, 1, 6))
})

test_that("limits are those of what is observed", {
  x <- partial_pcf()
  expect_identical(default_ylim(pieces_between(x, -1, 9)$y), c(0, 3))
  expect_identical(default_ylim(pieces_between(x["c"], -1, 9)$y), c(0, 1))
  expect_equal(default_xlim(x["a"]), c(-0.4, 8))
  expect_equal(default_xlim(x["b"]), c(1, 6.25))
  expect_identical(default_xlim(x["c"]), c(50, 51))
  expect_identical(default_xlim(pcf(-Inf, NA)), c(0, 1))
  expect_equal(default_xlim(pcf(c(0, 1, 10), c(0, 1, 2)), "x"), c(1, 10.45))
  expect_identical(default_ylim(pieces_between(pcf(0:2, 0:2), 0, 3)$y, "y"), c(1, 2))
  expect_identical(default_ylim(c(0, -1, Inf, NA), "y"), c(1, 10))
})

test_that("plots of functions that are observed in part, or not at all, are drawn", {
  draw_nowhere()
  x <- partial_pcf()
  for (verticals in list(NULL, "solid", "dotted", "none")) {
    expect_silent(plot(x, verticals = verticals))
    expect_silent(lines(x, verticals = verticals, thin = FALSE))
  }
  expect_silent(plot(pcf(-Inf, NA)))
  expect_silent(plot(x["c"], xlim = c(0, 1)))
  expect_silent(plot(x, log = "xy"))
})

# ---- Thinning ----

# Of the values in each column of pixels, and where pieces come in: first, lowest, highest, last.
by_column <- function(pieces) {
  first <- ceiling(pieces$x0) - (ceiling(pieces$x0) > pieces$x0)
  last <- pmax(ceiling(pieces$x1) - 1, first)
  row <- rep(seq_along(first), last - first + 1)
  column <- unlist(Map(seq, first, last))
  lapply(split(pieces$y[row], list(column, pieces$f[row]), drop = TRUE), function(y) {
    c(y[1], range(y), y[length(y)])
  })
}

test_that("thinned functions have the same first, least, largest and last value in each column", {
  x <- with_seed(3, pcf(
    lapply(1:6, function(i) c(0, sort(runif(10^(i %% 4), 0, 50)))),
    lapply(1:6, function(i) rnorm(1 + 10^(i %% 4)))
  ))
  pieces <- pieces_between(x, 0, 50)
  thin <- thinned(pieces, function(x) x / parts_of_pixel, function(y) 10 * y + 50, 100)
  expect_lt(nrow(thin), nrow(pieces) / 2)
  expect_identical(by_column(thin), by_column(pieces))
  right <- which(is_joined(thin))
  expect_identical(thin$x1[right - 1L], thin$x0[right])
})

test_that("pieces that stand alone are left out where they would cover nothing new", {
  n <- 1000
  pieces <- pieces_between(pcf(seq_len(n) / n, ifelse(seq_len(n) %% 2, seq_len(n) %% 7, NA)), 0, 2)
  thin <- thinned(pieces, identity, identity, 10)
  expect_lt(nrow(thin), 60)
  expect_setequal(thin$y, pieces$y)
})

test_that("the pixels of lines are the areas that they cover", {
  pieces <- list2DF(list(
    f = c(1L, 1L, 2L), chain = c(1L, 1L, 2L), x0 = c(2, 4.5, 3), x1 = c(4.5, 6, 20),
    y = c(2.5, 8, 12.25)
  ))
  pieces <- thinned(pieces, identity, identity, 20)
  drawn <- picture_of(pieces, c(1, 2), c("black", "#FF000080"), c(10, 20), butt = FALSE)
  expect_identical(drawn[1:4], list(x0 = 1, y0 = 2, x1 = 10, y1 = 14))
  expect_s3_class(drawn$picture, "nativeRaster")
  # Four bytes a pixel, row by row.
  bytes <- matrix(as.integer(writeBin(as.vector(unclass(drawn$picture)), raw(), endian = "little")), 4)
  red <- matrix(bytes[1, ], 12, byrow = TRUE)
  opacity <- matrix(bytes[4, ], 12, byrow = TRUE)
  # The first row is from 13 to 14, and the first column from 1 to 2.
  expect_identical(unique(as.vector(opacity[1:3, 3:9])), c(32L, 128L, 96L))
  expect_identical(unique(as.vector(red[1:3, 3:9])), 255L)
  expect_true(all(opacity[4:5, ] == 0))
  expect_true(all(opacity[6:7, 5] == 128))
  expect_true(all(opacity[8:11, 4] == 255))
  expect_true(all(opacity[8:11, -4] == 0))
  expect_identical(opacity[12, c(2, 3, 6:9)], c(255L, 255L, rep(0L, 4)))
  expect_true(all(red[4:12, ] == 0))
  expect_null(picture_of(pieces, c(1, 2), "black", c(1, 20), butt = TRUE))
})

# How far, on average, the thinned picture of a collection is from that of all.
thinning_changes <- function(x, ...) {
  thin <- pixels_of(function() plot(x, ...))
  all <- pixels_of(function() plot(x, thin = FALSE, ...))
  expect_gt(mean(all < 250), 0.02)
  mean(abs(thin - all))
}

# Devices round what they paint to whole numbers for each line, so that many transparent lines
# never get dark; opaque ones show what differs.
test_that("the thinned picture is that of all pieces", {
  skip_without_pixels()
  x <- with_seed(5, pcf(
    rep(list((1:3000) / 3000), 40), lapply(1:40, function(i) cumsum(rnorm(3000)))
  ))
  expect_lt(thinning_changes(x[1], verticals = "solid"), 1)
  expect_lt(thinning_changes(x[1:3], verticals = "none"), 1)
  expect_gt(nrow(pieces_between(x, 0, 1)), most_pieces_of_lines)
  expect_lt(thinning_changes(x, col = "black"), 0.8)
  expect_lt(thinning_changes(x), 1.5)
})

test_that("pictures of pixels are those of lines, wherever they are on the page", {
  skip_without_pixels()
  x <- with_seed(1, pcf(rep(list(0:249), 150), lapply(1:150, function(i) rnorm(250))))
  expect_gt(nrow(pieces_between(x, 0, 250)), most_pieces_of_lines)
  by <- rep(c("u", "v", "w"), 50)
  apart <- function(draw) {
    thin <- pixels_of(function() draw(x, thin = TRUE), 460, 300)
    mean(abs(thin - pixels_of(function() draw(x, thin = FALSE), 460, 300)))
  }
  many <- function(...) {
    graphics::par(mfrow = c(1, 2), mar = c(2.1, 3.3, 0.7, 0.9))
    plot(..., col = c("#0000FFAA", "#FFAA0080"), lwd = c(1, 2))
    plot(..., col = "#FF0000AA", ylim = c(1, 1e3), log = "y")
  }
  expect_lt(apart(plot), 3)
  expect_lt(apart(function(...) plot(..., by = by)), 2)
  expect_lt(apart(many), 1)
  expect_lt(apart(function(...) plot(..., xlim = c(250, 0), col = "black")), 0.5)
  dashes <- function(...) {
    graphics::par(lend = "butt")
    plot(..., col = "black", verticals = "none", lwd = 4)
  }
  expect_lt(apart(dashes), 0.5)
  skip_if_not_installed("ggplot2")
  allow_plain_numbers() # for the colours of ggplot2
  expect_lt(apart(function(...) print(ggplot2::autoplot(...))), 3)
  faceted <- function(...) {
    print(ggplot2::autoplot(..., by = by, alpha = 0.8) + ggplot2::facet_wrap(~group))
  }
  expect_lt(apart(faceted), 1)
  reversed <- function(...) {
    print(ggplot2::autoplot(..., colour = "black") + ggplot2::coord_cartesian(xlim = c(250, 0)))
  }
  expect_lt(apart(reversed), 1)
})

test_that("a picture leaves the axes of its plot as they are", {
  x <- with_seed(1, pcf(rep(list(1:500), 80), lapply(1:80, function(i) exp(rnorm(500)))))
  draw_nowhere(300, 300, grDevices::png, tempfile())
  left <- function(...) {
    plot(x, log = "xy", ...)
    expect_silent(graphics::axis(4))
    graphics::par("usr", "xaxp", "yaxp", "xlog", "ylog")
  }
  expect_identical(left(), left(thin = FALSE))
  expect_silent(lines(example_pcf(), xlim = c(-1, 9)))
})

test_that("values as large as can be have their places", {
  places <- on_axis(c(-1.7e308, 1.7e308), FALSE, c(0, 100))
  expect_equal(places(c(-1.7e308, 0, 1.7e308)), c(0, 50, 100))
  expect_identical(on_axis(c(0, 2), TRUE, c(0, 100))(c(-1, 0, 10)), c(-Inf, -Inf, 50))
})

test_that("lines of any width, colour and type can be drawn, however many they are", {
  x <- with_seed(1, pcf(rep(list(0:499), 80), lapply(1:80, function(i) rnorm(500))))
  draw_nowhere(300, 300, grDevices::png, tempfile())
  for (lwd in list(NA, c(1, NA), 0, 0.01, 100, "2")) expect_silent(plot(x, lwd = lwd))
  for (col in list(0, c(1, 0), NA, "transparent", 9, "0", factor(1:2))) expect_silent(plot(x, col = col))
  expect_silent(plot(x, ylim = c(100, 200)))
  expect_silent(plot(x, ylim = c(1, -1), xlim = c(9, 3), by = rep(1:2, 40)))
  skip_if_not_installed("ggplot2")
  allow_plain_numbers() # for the colours of ggplot2
  expect_silent(print(ggplot2::autoplot(x, linewidth = 0)))
  expect_silent(print(ggplot2::autoplot(x) + ggplot2::coord_cartesian(ylim = c(100, 200))))
  expect_silent(print(ggplot2::autoplot(x) + ggplot2::scale_x_reverse()))
})

# ---- Colours and legends ----

test_that("groups and few functions have colours of their own and labels", {
  x <- unname(random_pcf(20))
  by <- rep(c("u", "v"), 10)
  colors <- plot_colors(x, by, NULL)
  expect_identical(colors$labels, c("u", "v"))
  expect_identical(colors$key, grDevices::palette()[1:2])
  expect_identical(length(unique(colors$col)), 2L)
  expect_identical(plot_colors(x, by, c("red", "blue"))$col, rep(c("red", "blue"), 10))
  expect_null(plot_colors(x, NULL, NULL)$labels)
  expect_identical(plot_colors(x[1:3], NULL, NULL)$labels, c("1", "2", "3"))
  expect_null(plot_colors(x[1:3], NULL, "red")$labels)
  expect_null(plot_colors(x[1], NULL, NULL)$labels)
  expect_identical(anyDuplicated(plot_colors(x, 1:20, NULL)$key), 0L)
})

test_that("the legend covers no curve", {
  draw_nowhere(7, 7)
  key <- new_key(c("one", "two"), 1:2, 1, 1, "auto")
  place <- function(boxes, ...) {
    boxes <- as.data.frame(boxes)
    names(boxes) <- c("x0", "x1", "y0", "y1")
    place_key(key, list(boxes), c(0, 1), c(0, 1), room = TRUE, ...)
  }
  expect_identical(place(cbind(0, 0.5, 0, 0))$where, "topright")
  expect_identical(place(cbind(0.9, 1, 0, 1))$where, "topleft")
  expect_identical(place(cbind(0, 1, 1, 1))$where, "bottomright")
  full <- place(cbind(0, 1, 0:50 / 50, 0:50 / 50))
  expect_identical(full$where, "top")
  limits <- padded(full$ylim, FALSE)
  expect_gt(limits[2] - full$height * diff(limits), 1)
  expect_identical(full$ylim[1], 0)
})

layout <- function(labels) {
  graphics::plot.new()
  layout_key(list(labels = labels))
}

test_that("legends fit, whatever the labels", {
  draw_nowhere(5, 5)
  expect_identical(layout(c("a", "b"))$labels, c("a", "b"))
  long <- layout(c("a", strrep("long ", 50)))
  expect_lt(long$width, 0.96)
  expect_match(long$labels[2], "^long.*\\.\\.\\.$")
  many <- layout(paste("group", 1:500))
  expect_lt(many$width, 0.97)
  expect_lt(many$height, 0.52)
  shown <- length(many$labels) - 1
  expect_identical(many$labels[shown + 1], sprintf("... and %d more", 500 - shown))
  expect_silent(plot(random_pcf(40), by = paste("group", 1:40)))
  expect_silent(plot(random_pcf(4), legend = "bottom"))
  expect_silent(plot(random_pcf(4), legend = NULL, ylim = c(0, 1)))
  graphics::par(mfrow = c(3, 3), mar = c(1, 1, 0, 0))
  expect_silent(plot(random_pcf(4), by = c("u", "v", "v", "w"), ylim = c(-1, 1)))
})

test_that("labels of a legend are whole in smaller text or on more width, and else different", {
  draw_nowhere(500 / 72, 400 / 72)
  labels <- paste0("treatment standard, prior ", c("no", "yes"))
  expect_identical(layout(labels)$labels, labels)
  longer <- paste(labels, "and no other treatment before")
  expect_identical(layout(longer)$labels, longer)
  expect_lt(layout(longer)$width, 0.96)
  longest <- layout(paste(strrep("long ", 50), labels))
  expect_identical(anyDuplicated(longest$labels), 0L)
  expect_lt(longest$width, 0.65)
  many <- layout(paste(strrep("long ", 50), 1:500))$labels
  expect_identical(anyDuplicated(many), 0L)
  expect_match(many[length(many)], "^\\.\\.\\. and [0-9]+ more$")
})

test_that("a plot with a legend is one plot", {
  draw_nowhere()
  graphics::par(mfrow = c(2, 2))
  for (k in 1:3) plot(example_pcf())
  expect_identical(graphics::par("mfg")[1:2], c(2L, 1L))
  expect_false(graphics::par("new"))
})

# ---- Calls ----

test_that("plot() and lines() draw and return their argument invisibly", {
  draw_nowhere()
  x <- example_pcf()
  expect_identical(expect_invisible(plot(x)), x)
  expect_equal(current_xlim(), default_xlim(x))
  expect_identical(expect_invisible(lines(x[2], col = "red", verticals = "none")), x[2])
  expect_silent(plot(pcf(0, 0), verticals = "solid"))
  expect_silent(plot(pcf(1:2, 1:2), log = "xy", main = "title"))
  expect_equal(current_xlim(), c(1, 2.05))
  expect_silent(plot(random_pcf(50), xlim = c(100, 200), ylim = c(0, 1), lwd = 1:3))
})

test_that("the axis of times may go backwards", {
  draw_nowhere()
  x <- example_pcf()
  expect_silent(plot(x, xlim = c(5, 0)))
  expect_equal(current_xlim(), c(5, 0))
  expect_silent(lines(x, xlim = c(5, 0)))
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  refused(plot(x, verticals = "dashed"), "verticals", 'must be one of "dotted", "none", "solid", not "dashed".')
  refused(lines(x[0]), "x", "must have at least one function to draw.")
  refused(plot(x[0]), "x", "must have at least one function to draw.")
  refused(plot(x, by = 1), "by", "must have one group for each of the 2 functions, none missing, not 1.")
  refused(plot(x, legend = "above"), "legend", 'must be one of "auto", "topright", "topleft", "bottomright", ',
          '"bottomleft", "top", "bottom", "right", "left", "center", not "above".')
  refused(plot(x, thin = NA), "thin", "must be TRUE or FALSE, not NA.")
  refused(plot(x, xlim = 3), "xlim", "must be two different finite numbers, not 3.")
  refused(plot(x, xlim = c(1, NA)), "xlim", "must be two different finite numbers, not a double vector of length 2.")
  refused(plot(x, xlim = c(1, 1)), "xlim", "must be two different finite numbers, not a double vector of length 2.")
  refused(plot(x, xlim = "a"), "xlim", 'must be two different finite numbers, not "a".')
  refused(plot(x, ylim = c(0, NA)), "ylim", "must be two finite numbers, not a double vector of length 2.")
  refused(lines(x, xlim = 3), "xlim", "must be two different finite numbers, not 3.")
  refused(lines(x, by = 1:2), "by", "is not an argument of this function.")
  refused(lines(x, type = "l"), "type", "is not an argument of this function.")
})

test_that("an axis of values ends with the values, below the room for a legend", {
  skip_if_not_installed("survival")
  axis_of <- function(fit) {
    draw_nowhere(5, 4)
    grDevices::dev.control("enable")
    plot_bands(fit)
    calls <- lapply(grDevices::recordPlot()[[1]], function(entry) as.list(entry[[2]]))
    sides <- Filter(function(call) call[[1]]$name == "C_axis" && call[[2]] == 2, calls)
    drawn <- Filter(function(call) !identical(call$yaxt, "n"), sides)
    list(at = drawn[[1]][[3]], top = graphics::par("usr")[4])
  }
  fit <- with_seed(2, {
    time <- rexp(160, 0.02)
    group <- rep(paste("arm", 1:4), 40)
    survival::survfit(survival::Surv(pmin(time, 60), time < 60) ~ group)
  })
  axis <- axis_of(fit)
  expect_gt(axis$top, 1.2)
  expect_equal(max(axis$at), 1)
})

test_that("many functions in groups are thin, and not too pale", {
  expect_identical(c(group_opacity(20), group_opacity(60), group_opacity(300), group_opacity(1e5)), c(1, 0.5, 0.5, 0.2))
  expect_identical(c(group_width(100), group_width(101)), c(1, 0.5))
})

# ---- Piecewise linear functions ----

sloped_plf <- function() {
  plf(
    list(a = c(0, 1, 3), b = c(0, 2, 4, 5)), list(c(0, 3, 0), c(1, NA, 2, 1)),
    left = list(c(0, 1, 0), c(0, 0, NA, 1))
  )
}

test_that("sloped pieces are cut at the ends of the range, and jump where the functions do", {
  pieces <- pieces_between(sloped_plf(), 0.5, 6)
  expect_identical(pieces$f, c(1L, 1L, 1L, 2L, 2L, 2L))
  expect_identical(pieces$x0, c(0.5, 1, 3, 0.5, 4, 5))
  expect_identical(pieces$x1, c(1, 3, 6, 2, 5, 6))
  expect_identical(pieces$y, c(0.5, 3, 0, 0.75, 2, 1))
  expect_identical(pieces$y1, c(1, 0, 0, 0, 1, 1))
  expect_identical(pieces$chain, c(1L, 1L, 1L, 2L, 3L, 3L))
  jumps <- jumps_between(pieces)
  expect_identical(as.list(jumps), list(f = 1L, x0 = 1, x1 = 1, y0 = 1, y1 = 3))
  expect_identical(without_jumps(pieces)$chain, c(1L, 2L, 2L, 3L, 4L, 4L))
  expect_identical(corners_of(pieces)$y, c(0.5, 1, 3, 0, 0, 0.75, 0, 2, 1, 1))
  expect_equal(default_xlim(plf(1:2, c(1, 1), left = c(1, 1))), c(0.95, 2.05))
})

test_that("parts of sloped pieces lie on the same lines", {
  pieces <- pieces_between(sloped_plf(), 0.5, 6)
  parts <- in_parts(pieces, 4)
  expect_identical(nrow(parts), 4L * 4L + 2L)
  expect_equal(parts$y, as.vector(mapply(function(f, x) evaluate(sloped_plf()[f], x), parts$f, parts$x0)))
  curved <- in_parts(pieces_between(plf(c(1, 16), c(1, 0), left = c(1, 0)), 1, 16), 4, log = TRUE)
  expect_equal(curved$x0, 2^(0:3))
  expect_equal(curved$y, (16 - 2^(0:3)) / 15)
})

test_that("the thinned picture of lines is that of all", {
  skip_without_pixels()
  x <- with_seed(5, plf(
    rep(list((1:3000) / 3000), 40), lapply(1:40, function(i) cumsum(rnorm(3000)))
  ))
  expect_lt(thinning_changes(x[1]), 1)
  expect_lt(thinning_changes(x, col = "black"), 1)
  steep <- with_seed(1, plf(rep(list(0:249), 150), lapply(1:150, function(i) rnorm(250))))
  expect_lt(thinning_changes(steep, col = "black"), 2)
  expect_lt(thinning_changes(steep, col = "black", xlim = c(250, 0)), 2)
})

test_that("lines have all verticals, limits and axes", {
  draw_nowhere()
  x <- sloped_plf()
  for (verticals in list(NULL, "solid", "dotted", "none")) {
    expect_silent(plot(x, verticals = verticals))
    expect_silent(lines(x, verticals = verticals, thin = FALSE))
    expect_silent(plot(x, verticals = verticals, log = "xy"))
  }
  expect_silent(plot(plf(0, NA, left = NA)))
})

test_that("levels of landscapes have colours of their own, in their order", {
  levels <- landscape(list(cbind(0, 1:10), cbind(0, 3)))
  colors <- plot_colors(levels, NULL, NULL)
  expect_identical(colors$labels, paste("level", 1:10))
  expect_identical(colors$key, grDevices::hcl.colors(11, "viridis")[1:10])
  expect_length(colors$col, 20)
  expect_identical(plot_colors(levels[1, ], NULL, NULL)$key, colors$key)
  expect_null(plot_colors(levels[1, ], NULL, "red")$labels)
  expect_null(levels_of(levels[, 1]))
  expect_null(levels_of(levels[, 1, drop = FALSE]))
})

test_that("a legend of groups has the line type and width of their functions", {
  x <- pcf(list(a = c(0, 2, 5), b = c(1, 4), c = c(0, 1), d = c(2, 3)), list(c(1, 3, 0), c(2, 0), c(1, 0), c(4, 0)))
  draw_nowhere()
  shown <- NULL
  with_mocked(draw_key = function(key, place) shown <<- key, code = {
    plot(x, by = c("a", "a", "b", "b"), lty = c(1, 1, 2, 2), lwd = c(3, 3, 9, 9))
    expect_identical(shown[c("lty", "lwd")], list(lty = c(1, 2), lwd = c(3, 9)))
    plot(x, lty = 1:2, lwd = 3)
    expect_identical(shown$lty, c(1L, 2L, 1L, 2L))
  })
})

test_that("a logarithmic axis of times needs no positive time, and no other limits", {
  draw_nowhere()
  for (x in list(pcf(0, 1), pcf(c(-2, -1), c(3, 1)), pcf(list(0, -1), list(1, 2)))) {
    expect_silent(plot(x, log = "x"))
    expect_identical(default_xlim(x, "x")[1], 1)
  }
  x <- pcf(1:2, 3:4)
  for (draw in list(plot, plot_bands)) {
    refused(draw(x, log = "x", xlim = c(-1, 5)), "xlim", "must be positive on a logarithmic axis, not -1.")
    refused(draw(x, log = "y", ylim = c(0, 5)), "ylim", "must be positive on a logarithmic axis, not 0.")
  }
  refused(plot(x, type = "l"), "type", "must not be given: functions are always drawn as lines.")
})

test_that("an error of the type comes before a new page", {
  draw_nowhere()
  graphics::par(mfrow = c(1, 2))
  graphics::plot.new()
  for (x in list(pcf(0:1, 1:2), pcf(list(a = 0, b = 1), list(1, 2)))) {
    refused(plot(x, type = "l"), "type", "must not be given: functions are always drawn as lines.")
    expect_identical(graphics::par("mfg"), c(1L, 1L, 1L, 2L))
  }
  message <- "must not be given: functions are always drawn as lines."
  refused(plot_bands(pcf(list(a = 0, b = 1), list(1, 2)), by = c("a", "b"), type = "l"), "type", message)
  refused(plot_barcode(cbind(0:1, 0, 1:2), type = "l"), "type", message)
  expect_identical(graphics::par("mfg"), c(1L, 1L, 1L, 2L))
})

test_that("names of colours must be those of what is drawn", {
  draw_nowhere()
  x <- pcf(list(a = 0, b = 1), list(1, 2))
  expect_identical(plot_colors(x, c("u", "v"), c(v = "red", u = "blue"))$key, c("blue", "red"))
  does_not <- 'has names that do not match: no colour is named "a". Use unname(col) to match by position.'
  refused(plot(x, by = c("a", "b"), col = c(b = "red", d = "blue")), "col", does_not)
  refused(plot(x, col = c(b = "red", d = "blue")), "col", does_not)
})

test_that("no colours are an error", {
  draw_nowhere()
  x <- pcf(list(a = 0, b = 1), list(1, 2))
  none <- "must have at least one colour."
  refused(plot(x, col = character()), "col", none)
  refused(lines(x, col = character()), "col", none)
  refused(plot(x, by = 1:2, col = character()), "col", none)
  refused(plot_barcode(cbind(0, 1:3), col = character()), "col", none)
  expect_silent(plot_barcode(matrix(0, 0, 2), xlim = 0:1, col = character()))
})

test_that("functions with very large or very small numbers can be drawn", {
  draw_nowhere()
  extreme <- c(-1.7e308, -1e308, -5e-324, 0, 5e-324, 1e-310, 1e-290, 1, 1e300, 1.7e308)
  functions <- c(
    list(pcf(0, 5e-324), pcf(c(-1e308, 1e308), c(1, 0)), plf(c(0, 100), c(1e308, 2e307)), pcf(-Inf, 1e-320)),
    with_seed(1, replicate(30, {
      times <- sort(sample(extreme, 3))
      pcf(times, sample(extreme, 3))
    }, simplify = FALSE))
  )
  for (x in functions) {
    for (log in c("", "x", "y", "xy")) expect_silent(plot(x, log = log, xaxt = "n", yaxt = "n"))
    expect_silent(plot(x))
    expect_silent(plot_bands(c(x, x)))
  }
})

test_that("colours, lines and axes that do not exist are errors", {
  draw_nowhere()
  x <- example_pcf()
  plot(x)
  for (draw in list(plot, lines, function(x, col) plot_bands(x, col = col))) {
    for (col in list(sum, "no colour", -1, list("red"))) {
      expect_error(draw(x, col = col), class = "pcfdist_error_col")
    }
  }
  for (draw in list(plot, lines)) {
    for (lty in list(1e308, -1, "zz", sum, NULL)) expect_error(draw(x, lty = lty), class = "pcfdist_error_lty")
    for (lwd in list(-1, Inf, "a", sum)) expect_error(draw(x, lwd = lwd), class = "pcfdist_error_lwd")
    for (lty in list("22", "dashed", 2:3, 0)) expect_silent(draw(x, lty = lty))
  }
  for (log in list(numeric(), "z", NA, sum)) {
    expect_error(plot(x, log = log), class = "pcfdist_error_log")
    expect_error(plot_bands(x, log = log), class = "pcfdist_error_log")
  }
})
