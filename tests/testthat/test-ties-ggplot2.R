skip_if_not_installed("ggplot2")
odd_scipen <- 0 # ggplot2 has no colours otherwise

test_that("fortify() gives the corners of the functions", {
  data <- ggplot2::fortify(example_pcf(), xlim = c(-1, 6))
  expect_identical(data$id, factor(rep(c("a", "b"), c(5, 4))))
  expect_identical(data$time, c(-1, 0, 2, 5, 6, -1, 1, 4, 6))
  expect_identical(data$value, c(0, 1, 3, 0, 0, 0, 2, 0, 0))
  expect_named(data, c("id", "time", "value"))
})

test_that("fortify() keeps to the window and to the order of the functions", {
  x <- unname(random_pcf(12))
  data <- ggplot2::fortify(x, by = rep(c("u", "v"), 6), xlim = c(0, 4))
  expect_identical(levels(data$id), as.character(1:12))
  expect_identical(data$group, factor(rep(c("u", "v"), 6))[data$id])
  expect_identical(range(data$time), c(0, 4))
  for (k in 1:12) {
    corners <- data[data$id == k, ]
    expect_identical(corners$time, sort(corners$time))
    inner <- corners[-nrow(corners), ]
    expect_identical(inner$value, as.vector(as.matrix(x[k], inner$time)))
    expect_identical(corners$value[nrow(corners)], inner$value[nrow(inner)])
  }
  expect_identical(range(ggplot2::fortify(x)$time), default_xlim(x))
  twice <- ggplot2::fortify(c(a = x[1], a = x[2]))
  expect_identical(nlevels(twice$id), 2L)
})

test_that("autoplot() draws steps, with colours for few or grouped functions", {
  built <- function(plot) ggplot2::ggplot_build(plot)$data[[1]]
  few <- built(ggplot2::autoplot(example_pcf(), xlim = c(0, 6)))
  expect_identical(length(unique(few$colour)), 2L)
  expect_identical(few$x, c(0, 2, 5, 6, 0, 1, 4, 6))
  expect_identical(few$y, c(1, 3, 0, 0, 0, 2, 0, 0))
  many <- random_pcf(30)
  expect_identical(unique(built(ggplot2::autoplot(many))$colour), default_colors(30))
  grouped <- built(ggplot2::autoplot(many, by = rep(1:3, 10), linetype = 2))
  expect_identical(length(unique(grouped$colour)), 3L)
  expect_identical(length(unique(grouped$group)), 30L)
  expect_identical(unique(grouped$linetype), 2)
  expect_identical(unique(built(ggplot2::autoplot(many, colour = "red"))$colour), "red")
  expect_identical(ggplot2::autoplot(many)$labels[c("x", "y")], list(x = "time", y = "value"))
})

test_that("the drawn line is the function", {
  draw_nowhere()
  plot <- ggplot2::autoplot(example_pcf()["a"], xlim = c(-1, 6))
  expect_s3_class(plot$layers[[1]]$geom, "GeomStep")
  expect_s3_class(plot$layers[[1]]$geom, "GeomPcf")
  expect_silent(print(plot + ggplot2::autolayer(example_pcf()["b"], colour = "red")))
  expect_silent(print(ggplot2::autoplot(pcf(0, 0))))
  expect_silent(print(ggplot2::autoplot(random_pcf(3), by = c("a", "b", "a")) +
                        ggplot2::facet_wrap(~group)))
})

test_that("a gap is a gap", {
  x <- pcf(list(a = c(-Inf, 0, 2, 5, 8), b = c(-Inf, 9)), list(c(1, 2, NA, 3, NA), c(NA, 1)))
  data <- ggplot2::fortify(x, xlim = c(-1, 9))
  expect_identical(as.character(data$id), rep("a", 6))
  expect_identical(data$time, c(-1, 0, 2, 2, 5, 8))
  expect_identical(data$value, c(1, 2, 2, NA, 3, 3))
  pieces <- pieces_of_corners(data.frame(group = 1L, x = data$time, y = data$value))
  expect_identical(as.list(pieces), as.list(pieces_between(x, -1, 9))[names(pieces)])
  draw_nowhere()
  expect_silent(print(ggplot2::autoplot(x)))
  expect_silent(print(ggplot2::autoplot(x, thin = FALSE)))
  expect_silent(print(ggplot2::autoplot(x["b"], xlim = c(0, 1))))
})

test_that("other coordinates are left to geom_step()", {
  draw_nowhere()
  plot <- ggplot2::autoplot(example_pcf())
  for (coord in list(ggplot2::coord_flip(), ggplot2::coord_polar(), ggplot2::coord_fixed())) {
    expect_silent(print(plot + coord))
  }
  expect_s3_class(ggplot2::autoplot(example_pcf(), thin = FALSE)$layers[[1]]$geom, "GeomStep")
  vertical_first <- ggplot2::autoplot(example_pcf(), direction = "vh")
  expect_false(inherits(vertical_first$layers[[1]]$geom, "GeomPcf"))
})

test_that("what is drawn are the pieces, or their pixels where they are many", {
  skip_without_pixels()
  content <- function(x, ..., device = grDevices::png) {
    device(tempfile(), 300, 300)
    on.exit(grDevices::dev.off())
    built <- ggplot2::ggplot_build(ggplot2::autoplot(x, ...))
    grid::makeContent(ggplot2::layer_grob(built$plot)[[1]])$children[[1]]
  }
  few <- content(example_pcf(), xlim = c(0, 6))
  expect_s3_class(few, "polyline")
  expect_identical(few$id, rep(1:2, each = 6))
  expect_identical(few$gp$lineend, "butt")
  many <- with_seed(1, pcf(lapply(1:80, function(i) 1:500), lapply(1:80, function(i) rnorm(500))))
  expect_s3_class(content(many), "rastergrob")
  expect_s3_class(content(many, linetype = 2), "polyline")
  on_page <- function(...) grDevices::pdf(NULL)
  expect_s3_class(content(many, device = on_page), "polyline")
})

test_that("panels without a piece are empty", {
  draw_nowhere()
  plot <- ggplot2::autoplot(example_pcf())
  expect_silent(print(plot + ggplot2::coord_cartesian(xlim = c(6, 0))))
  expect_warning(print(plot + ggplot2::ylim(50, 60)), NA)
})

test_that("viewports make lines transparent and wide, pictures too", {
  skip_without_pixels()
  x <- with_seed(1, pcf(rep(list(1:500), 80), lapply(1:80, function(i) rnorm(500))))
  apart <- function(gp) {
    drawn <- lapply(c(TRUE, FALSE), function(thin) {
      pixels_of(function() {
        grob <- ggplot2::ggplotGrob(ggplot2::autoplot(x, colour = "#0000FF80", thin = thin))
        grid::grid.newpage()
        grid::pushViewport(grid::viewport(gp = gp))
        grid::grid.draw(grob)
      })
    })
    mean(abs(drawn[[1]] - drawn[[2]]))
  }
  expect_lt(apart(grid::gpar(alpha = 0.5, lex = 2)), 2)
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  refused(ggplot2::autoplot(x[0]), "object", "must have at least one function to draw.")
  refused(ggplot2::autolayer(x, by = 1), "by", "must have one group for each of the 2 functions, none missing, not 1.")
  refused(ggplot2::autolayer(x, by = c(1, NA)), "by", "has a missing value (NA) at position 2.")
  refused(ggplot2::fortify(x, xlim = c(2, 1)), "xlim",
          "must be two finite numbers, the smaller first, not a double vector of length 2.")
  refused(ggplot2::fortify(x, xlim = c(0, Inf)), "xlim",
          "must be two finite numbers, the smaller first, not a double vector of length 2.")
})

test_that("lines are data frames of their corners, and are drawn", {
  x <- plf(list(a = c(0, 1, 3, 4, 5)), list(c(0, 3, NA, 1, 0)), left = list(c(0, 1, 0, NA, 0)))
  data <- ggplot2::fortify(x)
  expect_identical(data$time, c(0, 1, 1, 3, 3, 4, 5, 5.25))
  expect_identical(data$value, c(0, 1, 3, 0, NA, 1, 0, 0))
  draw_nowhere()
  expect_silent(print(ggplot2::autoplot(x)))
  expect_silent(print(ggplot2::autoplot(x, thin = FALSE)))
  levels <- ggplot2::autoplot(landscape(cbind(0, 1:3))[1, ])
  expect_silent(print(levels))
})

test_that("lines are curves where scales are transformed", {
  draw_nowhere()
  values <- list(c(0.5, 3, 2, 8), c(1, 70))
  x <- plf(list(a = c(0, 1, 4, 50), b = c(0.2, 9)), values, left = list(c(0, 3, 1, 8), c(1, 70)))
  line <- ggplot2::autoplot(x, xlim = c(0.1, 60))
  for (plot in list(line + ggplot2::scale_x_log10() + ggplot2::scale_y_log10(), line + ggplot2::scale_y_sqrt())) {
    corners <- ggplot2::layer_grob(plot)[[1]]$corners
    panel <- ggplot2::ggplot_build(plot)$layout$panel_params[[1]]
    plain <- function(place, axis) {
      range <- panel[[axis]]$continuous_range
      panel[[axis]]$scale$trans$inverse(range[1] + place * diff(range))
    }
    time <- plain(corners$x, "x")
    for (k in 1:2) {
      own <- which(corners$group == k & is.finite(corners$y))
      height <- plain(corners$y[own], "y")
      before <- abs(evaluate(x[k], time[own], side = "left") - height)
      after <- abs(evaluate(x[k], time[own] * (1 + 1e-12)) - height)
      expect_lt(max(pmin(before, after)), 1e-8)
      expect_lt(max(abs(diff(corners$x[own]))), 0.003)
    }
  }
  # Axes that go backwards have straight lines.
  backwards <- ggplot2::layer_grob(line + ggplot2::scale_x_reverse())[[1]]$corners
  expect_identical(nrow(backwards), nrow(line$layers[[1]]$data))
})

test_that("bands take one colour, by any of its names", {
  skip_if_not_installed("ggplot2")
  bands <- confidence_bands(pcf(list(0:1, 0:1, 0:1), list(1:0, 2:1, 3:2)))
  for (name in c("colour", "color", "col")) {
    plot <- expect_silent(do.call(ggplot2::autoplot, c(list(bands), stats::setNames("red", name))))
    expect_identical(plot$layers[[2]]$aes_params$colour, "red")
  }
})

# The data of all layers, with those of panels as a column.
layers_of <- function(plot) ggplot2::ggplot_build(plot)$data

visits <- function() {
  data.frame(
    id = rep(c("a", "b", "c", "d", "e"), c(3, 3, 2, 2, 1)), time = c(0, 6, 12, 0, 6, 12, 0, 6, 0, 12, 3),
    value = c(60, 50, 40, 50, 45, 30, 20, 30, 10, 20, 55)
  )
}

test_that("facets by group have the layers of their group only", {
  by <- c("u", "v", "u", "v", "u")
  for (convert in list(as_pcf, as_plf)) {
    x <- convert(visits())
    bands <- confidence_bands(x, by = by, na.rm = TRUE)
    plots <- list(
      ggplot2::autoplot(bands), ggplot2::autoplot(bands, thin = FALSE), ggplot2::autoplot(x, by = by),
      ggplot2::autoplot(counting(list(1, 2, 3, 4, 5)), by = by),
      ggplot2::autoplot(confidence_bands(counting(list(1, 2, 3, 4, 5)), by = by)),
      ggplot2::ggplot() + ggplot2::autolayer(x, by = by)
    )
    for (plot in plots) for (facet in c("group", "id")) {
      panels <- plot + ggplot2::facet_wrap(facet)
      labels <- ggplot2::ggplot_build(panels)$layout$layout[[facet]]
      for (k in seq_along(panels$layers)) {
        data <- panels$layers[[k]]$data
        shown <- ggplot2::layer_data(panels, k)
        expect_identical(nrow(shown), nrow(data))
        expect_equal(as.vector(table(shown$PANEL)), as.vector(table(factor(data[[facet]], labels))))
      }
    }
  }
  expect_identical(plots[[1]]$layers[[1]]$data$id, plots[[1]]$layers[[1]]$data$group)
  one <- ggplot2::autoplot(confidence_bands(x, na.rm = TRUE)) + ggplot2::facet_wrap(~group)
  expect_length(unique(ggplot2::layer_data(one, 1)$PANEL), 1)
  draw_nowhere()
  expect_silent(print(one))
})

test_that("values at a single time are points, as in plot()", {
  points_of <- function(plot) layers_of(plot)[[length(plot$layers)]]
  x <- as_plf(visits())
  for (plot in list(ggplot2::autoplot(x), ggplot2::autoplot(x, thin = FALSE), ggplot2::autoplot(x, alpha = 0.5))) {
    expect_length(plot$layers, 2)
    point <- points_of(plot)
    expect_identical(c(point$x, point$y), c(3, 55))
    line <- layers_of(plot)[[1]]
    expect_identical(point$colour, unique(line$colour[line$group == 5]))
    expect_identical(point$alpha, unique(line$alpha))
  }
  expect_identical(points_of(ggplot2::autoplot(x, colour = "red"))$colour, "red")
  average <- mean(x, na.rm = TRUE)
  point <- points_of(ggplot2::autoplot(average))
  drawn <- attr(pcfdist:::pieces_between(average, 0, 12), "points")
  expect_identical(point$x, drawn$x)
  expect_identical(point$y, drawn$y)
  expect_identical(points_of(ggplot2::autoplot(confidence_bands(x, na.rm = TRUE)))$y, drawn$y)
  # In fortify() it has a row of its own.
  data <- ggplot2::fortify(x)
  expect_identical(data$value[data$id == "e"], 55)
  expect_length(ggplot2::autoplot(x["a"])$layers, 1)
  expect_s3_class(ggplot2::autolayer(x["a"]), "Layer")
  expect_length(ggplot2::autolayer(x), 2)
  # One between two others, of which one has the same time.
  f <- pcf(c(0, 2, next_time(2), 4, 6, next_time(6), 8), c(1, 5, 1, NA, 3, NA, NA))
  data <- ggplot2::fortify(f, xlim = c(0, 9))
  expect_identical(data$time[data$value %in% c(3, 5)], c(2, 6))
  expect_identical(points_of(ggplot2::autoplot(f, xlim = c(0, 9)))$y, c(5, 3))
  dated <- x
  time_unit(dated) <- "Date"
  draw_nowhere()
  for (plot in list(ggplot2::autoplot(x), ggplot2::autoplot(dated), ggplot2::autoplot(f), ggplot2::autoplot(x["e"]))) {
    expect_silent(print(plot))
  }
  expect_silent(print(ggplot2::autoplot(x) + ggplot2::autolayer(x, colour = "red")))
})

test_that("fortify() of bands has the curves and their limits", {
  for (convert in list(as_pcf, as_plf)) {
    x <- convert(visits())
    bands <- confidence_bands(x, by = c("u", "v", "u", "v", "u"), na.rm = TRUE)
    data <- ggplot2::fortify(bands, xlim = c(-1, 13))
    expect_named(data, c("id", "time", "value", "lower", "upper", "group"))
    expect_identical(levels(data$group), c("u", "v"))
    for (group in c("u", "v")) {
      own <- data[data$id == group & !is.na(data$value), ]
      parts <- c(value = "center", lower = "lower", upper = "upper")
      for (column in names(parts)) {
        f <- bands[[parts[[column]]]][group]
        right <- c(evaluate(f, own$time))
        left <- c(evaluate(f, own$time, side = "left"))
        expect_true(all((own[[column]] == right) %in% TRUE | (own[[column]] == left) %in% TRUE |
                          is.na(own[[column]]) & (is.na(left) | is.na(right))))
      }
      expect_identical(own$time, sort(own$time))
    }
  }
  gap <- pcf(list(c(0, 2, 4), c(0, 2, 4)), list(c(1, NA, 2), c(2, NA, 4)))
  data <- ggplot2::fortify(confidence_bands(gap, na.rm = TRUE), xlim = c(0, 6))
  expect_identical(data$time, c(0, 2, 2, 4, 6))
  expect_identical(data$value, c(1.5, 1.5, NA, 3, 3))
  time_unit(gap) <- "Date"
  expect_s3_class(ggplot2::fortify(confidence_bands(gap, na.rm = TRUE))$time, "Date")
  draw_nowhere()
  ribbons <- ggplot2::ggplot(data, ggplot2::aes(time, value, ymin = lower, ymax = upper, group = id)) +
    ggplot2::geom_ribbon(alpha = 0.3) + ggplot2::geom_path() + ggplot2::facet_wrap(~group)
  expect_silent(print(ribbons))
})
