# What is drawn of functions: the horizontal pieces on which they are observed, those of them
# that a device can show, and the lines that these become.

# ---- Pieces ----

# The horizontal pieces of all functions between two times, function by function and from left
# to right: the value `y` from `x0` to `x1`. `f` is the index of the function. Neighbours of the
# same `chain` are joined by a jump; between chains there is a gap, or another function begins.
pieces_between <- function(x, from, to) {
  functions <- lapply(unname(unclass(x)), function(f) rbind(c(-Inf, 0), f))
  m <- as.integer(lengths(functions) / 2)
  all <- do.call(rbind, functions)
  ends <- c(all[-1, 1], Inf)
  ends[cumsum(m)] <- Inf
  pieces <- list(
    f = rep(seq_along(m), m), x0 = pmax(all[, 1], from), x1 = pmin(ends, to), y = all[, 2]
  )
  drawn <- which(pieces$x0 < pieces$x1 & !is.na(pieces$y))
  pieces <- pieces_at(pieces, drawn)
  pieces$chain <- cumsum(!continues(drawn + pieces$f))
  pieces
}

pieces_at <- function(pieces, which) {
  list2DF(lapply(pieces, function(column) column[which]))
}

# Does each of some whole numbers come right after the one before it?
continues <- function(index) {
  n <- length(index)
  c(FALSE, index[-1] == index[-n] + 1L)[seq_len(n)]
}

# Is each piece joined to the one before it?
is_joined <- function(pieces) {
  n <- nrow(pieces)
  c(FALSE, pieces$chain[-1] == pieces$chain[-n])[seq_len(n)]
}

# The vertical lines between neighbouring pieces of the same chain.
jumps_between <- function(pieces) {
  right <- which(is_joined(pieces))
  list2DF(list(
    f = pieces$f[right], x0 = pieces$x0[right], x1 = pieces$x0[right],
    y0 = pieces$y[right - 1L], y1 = pieces$y[right]
  ))
}

level_lines <- function(pieces) {
  list2DF(list(
    f = pieces$f, x0 = pieces$x0, x1 = pieces$x1, y0 = pieces$y, y1 = pieces$y
  ))
}

# ---- What a device can show ----

# Pieces that are enough on a device. `columns` and `rows` are functions that turn times into
# columns of pixels and values into rows; there are `height` rows. The result has them as `c0`
# and `c1`, of `x0` and `x1`, and `row`.
thinned <- function(pieces, columns, rows, height) {
  pieces$c0 <- columns(pieces$x0)
  pieces$c1 <- columns(pieces$x1)
  pieces$row <- pmax(pmin(rows(pieces$y), 1e6), -1e6)
  kept <- .Call(
    ffi_thin,
    list(
      f = pieces$f, chain = pieces$chain, x0 = parts_of_pixel * pieces$c0,
      x1 = parts_of_pixel * pieces$c1, y = pieces$row
    ),
    min(ceiling(max(height, 1)), 2^24)
  )
  close_up(pieces_at(pieces, kept))
}

# Devices smooth lines, so that one sees in which part of its column a line is.
parts_of_pixel <- 4

# Each piece goes on to the next of its chain, where some between them were left out.
close_up <- function(pieces) {
  right <- which(is_joined(pieces))
  pieces$x1[right - 1L] <- pieces$x0[right]
  pieces$c1[right - 1L] <- pieces$c0[right]
  pieces
}

# How many columns of pixels an inch of the current device has. A page of vectors can be
# magnified, which is why it has many.
device_resolution <- function() {
  device <- names(grDevices::dev.cur())
  pixels <- "^(png|jpeg|tiff|bmp|x11|quartz$|windows|win\\.|rstudiogd|agg_|cairo$|null)"
  if (!grepl(pixels, device, ignore.case = TRUE)) return(vector_resolution)
  resolution <- grDevices::dev.size("px") / grDevices::dev.size("in")
  if (all(is.finite(resolution) & resolution > 0)) max(resolution) else vector_resolution
}

vector_resolution <- 600

# ---- Lines ----

# Up to so many pieces are drawn as one line a chain, which looks best: a transparent line stays
# so at its corners. More are drawn as filled rectangles, which devices do ten times as fast.
most_pieces_of_lines <- 30000

# Lines of that type can be filled rectangles.
is_solid <- function(lty) {
  lty %in% list(1, 1L, "1", "solid")
}

# The corners of the chains: two for each piece.
corners_of <- function(pieces) {
  twice <- function(column) rep(column, each = 2)
  list2DF(list(
    f = twice(pieces$f), chain = twice(pieces$chain),
    x = as.vector(rbind(pieces$x0, pieces$x1)), y = twice(pieces$y)
  ))
}

# Filled rectangles for the lines of thinned pieces, in pixels. `step` is how wide the line of
# each piece is, a pixel or more, since devices may leave out what is narrower. Time is cut into
# columns of that width. In each column with jumps there is one rectangle from the lowest to the
# highest value of the chain there, and those of the pieces that lead from one such column to
# another fill what is left between these. A jump between two columns belongs to both in part:
# functions have columns that begin at different places, so that of many with the same times each
# column gets its part.
strokes_of <- function(pieces, step) {
  joined <- is_joined(pieces)
  jump <- which(joined)
  column <- floor(pieces$c0[jump] / step[jump] + column_shift(pieces$f[jump]))
  first <- !(continues(jump) & c(FALSE, diff(column) == 0)[seq_along(jump)])
  from <- pieces$row[jump - 1L]
  to <- pieces$row[jump]
  at <- jump[first]
  middle <- (column[first] + 0.5) * step[at]
  half <- step / 2
  upright <- list(
    f = pieces$f[at], x0 = middle - half[at], x1 = middle + half[at],
    y0 = group_extremes(pmin(from, to), which(first), pmin) - half[at],
    y1 = group_extremes(pmax(from, to), which(first), pmax) + half[at]
  )
  left <- pieces$c0 - half
  left[jump] <- upright$x1[cumsum(first)]
  right <- pieces$c1 + half
  right[jump - 1L] <- upright$x0[cumsum(first)]
  level <- list(
    f = pieces$f, x0 = left, x1 = right, y0 = pieces$row - half, y1 = pieces$row + half
  )
  level <- pieces_at(level, which(left < right))
  strokes <- list2DF(Map(c, level, upright))
  pieces_at(strokes, order(strokes$f, method = "radix"))
}

# Numbers between -1/2 and 1/2 for the indices of functions: those of any number of neighbours are
# spread evenly, as multiples of the golden ratio are.
column_shift <- function(f) {
  (f * (sqrt(5) - 1) / 2) %% 1 - 0.5
}

# Lines narrower than a pixel are drawn a pixel wide in a paler colour.
paler <- function(col, width) {
  parts <- grDevices::col2rgb(col, alpha = TRUE)
  alpha <- parts[4, ] * pmin(width, 1)
  grDevices::rgb(parts[1, ], parts[2, ], parts[3, ], alpha, maxColorValue = 255)
}

# The smallest or largest number of each of some stretches, which begin at `first`.
group_extremes <- function(numbers, first, pick) {
  lengths <- diff(c(first, length(numbers) + 1L))
  extremes <- numbers[first]
  for (k in seq_len(max(lengths, 1L) - 1L)) {
    longer <- which(lengths > k)
    extremes[longer] <- pick(extremes[longer], numbers[first[longer] + k])
  }
  extremes
}
