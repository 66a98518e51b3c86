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
  near <- function(places) pmax(pmin(places, 1e6), -1e6)
  pieces$c0 <- near(columns(pieces$x0))
  pieces$c1 <- near(columns(pieces$x1))
  pieces$row <- near(rows(pieces$y))
  kept <- .Call(
    ffi_visible_pieces,
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

# The pixels of the current device: how many an inch has, along both axes, and `size`, how many
# there are. Does it show pictures of them? A page of vectors can be magnified, which is why it is
# taken to have many, and none are drawn on it.
device_pixels <- function() {
  device <- names(grDevices::dev.cur())
  pixels <- "^(png|jpeg|tiff|bmp|x11|quartz$|windows|win\\.|rstudiogd|agg_|cairo$|null)"
  inches <- grDevices::dev.size("in")
  size <- round(grDevices::dev.size("px"))
  has_pixels <- grepl(pixels, device, ignore.case = TRUE) && all(is.finite(size / inches) & size > 0)
  if (!has_pixels) size <- vector_resolution * inches
  # Some devices that show pictures do not tell.
  told <- grDevices::dev.capabilities("rasterImage")[[1]]
  list(
    resolution = size / inches, size = size,
    shows_pictures = has_pixels && (is.na(told) || told == "yes")
  )
}

vector_resolution <- 600

# ---- Lines ----

# Up to so many pieces are drawn by the device, as one line a chain. Of more we draw the pixels,
# which is ten times as fast.
most_pieces_of_lines <- 30000

# Are lines drawn as pixels? Very many solid ones, whose widths and colours are known, on a device
# that shows pictures.
are_pixels <- function(pieces, col, lty, lwd, pixels) {
  nrow(pieces) > most_pieces_of_lines && pixels$shows_pictures &&
    all(lty %in% list(1, 1L, "1", "solid")) && is.numeric(lwd) && all(is.finite(lwd) & lwd >= 0) &&
    !is.factor(col) && !any(col %in% "0")
}

# The widths of lines in pixels: a line of the width 1 has the 96th of an inch.
pixel_widths <- function(lwd, pixels) {
  lwd * max(pixels$resolution) / 96
}

# The corners of the chains: two for each piece.
corners_of <- function(pieces) {
  twice <- function(column) rep(column, each = 2)
  list2DF(list(
    f = twice(pieces$f), chain = twice(pieces$chain),
    x = as.vector(rbind(pieces$x0, pieces$x1)), y = twice(pieces$y)
  ))
}

# ---- Pixels ----

# A picture of the lines of thinned pieces, and from which pixel of a device to which, counted from
# its lower left corner; NULL where nothing of them is on the device. `width`, in pixels, and `col`
# are those of functions 1, 2 and so on. Do lines end where their pieces do (`butt`), or in half a
# disc beyond?
picture_of <- function(pieces, width, col, size, butt) {
  if (nrow(pieces) == 0) return(NULL)
  pieces <- left_to_right(pieces)
  half <- width[pieces$f] / 2
  box <- list(
    x0 = max(0, floor(min(pieces$c0 - half))), y0 = max(0, floor(min(pieces$row - half))),
    x1 = min(size[1], ceiling(max(pieces$c1 + half))),
    y1 = min(size[2], ceiling(max(pieces$row + half)))
  )
  if (box$x0 >= box$x1 || box$y0 >= box$y1) return(NULL)
  lines <- list(
    f = pieces$f, chain = pieces$chain, x0 = pieces$c0 - box$x0, x1 = pieces$c1 - box$x0,
    y = pieces$row - box$y0
  )
  pixels <- c(box$y1 - box$y0, box$x1 - box$x0)
  colors <- grDevices::col2rgb(col, alpha = TRUE)
  c(box, list(picture = .Call(ffi_raster, lines, as.double(width), colors, pixels, butt)))
}

# On an axis that goes from right to left the pieces of a function come the other way round.
left_to_right <- function(pieces) {
  if (all(pieces$c0 <= pieces$c1)) return(pieces)
  pieces <- pieces_at(pieces, order(pieces$f, -seq_along(pieces$f)))
  pieces[c("c0", "c1")] <- pieces[c("c1", "c0")]
  pieces
}
