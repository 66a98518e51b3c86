# What is drawn of functions: the straight pieces on which they are observed, those of them that a device
# can show, and the lines that these become.

# ---- Pieces ----

# The pieces of all functions between two times, function by function and from left to right, with the
# value `y` from `x0` to `x1` or, for piecewise linear functions, a line from the value `y` to `y1`. `f`
# is the index of the function. Consecutive pieces of the same `chain` are joined, if need be by a jump;
# between chains there is a gap, or another function begins. Values at a single time, such as those of means at a visit
# after which some leave, are no pieces, unless a function ends with them: the attribute "points" has those that are on
# no piece.
pieces_between <- function(x, from, to) {
  sloped <- inherits(x, "plf")
  start <- if (sloped) function(f) c(-Inf, NA, f[[1, 2]]) else function(f) c(-Inf, 0)
  functions <- lapply(unname(unclass(x)), function(f) rbind(start(f), f))
  m <- lengths(functions) %/% columns_of(x)
  all <- do.call(rbind, functions)
  last <- cumsum(m)
  x1 <- replace(c(all[-1, 1], NA), last, Inf)
  pieces <- list(f = rep(seq_along(m), m), x0 = all[, 1], x1 = x1, y = all[, ncol(all)])
  if (sloped) pieces$y1 <- replace(c(all[-1, 2], NA), last, pieces$y[last])
  cut <- list(x0 = base::pmax(pieces$x0, from), x1 = base::pmin(pieces$x1, to))
  drawn <- which(cut$x0 < cut$x1 & !is.na(pieces$y))
  pieces <- with_ends(pieces_at(pieces, drawn), cut$x0[drawn], cut$x1[drawn])
  pieces$chain <- cumsum(!continues(drawn + pieces$f))
  without_instants(pieces)
}

without_instants <- function(pieces) {
  ends <- is_last(pieces$chain) & !is_first(pieces$chain)
  at <- which(pieces$x1 == next_time(pieces$x0) & !ends)
  if (length(at) == 0) return(pieces)
  chain <- c(NA, pieces$chain, NA)
  before <- chain[at] == chain[at + 1] & end_heights(pieces)[base::pmax(at - 1, 1)] == pieces$y[at]
  after <- chain[at + 2] == chain[at + 1] & c(pieces$y, NA)[at + 1] == end_heights(pieces)[at]
  alone <- at[!(before %in% TRUE | after %in% TRUE)]
  points <- list2DF(list(f = pieces$f[alone], x = pieces$x0[alone], y = pieces$y[alone]))
  structure(pieces_at(pieces, -at), points = points)
}

is_sloped <- function(pieces) !is.null(pieces$y1)

# The parts of pieces from the times `x0` to `x1`.
with_ends <- function(pieces, x0, x1) {
  if (is_sloped(pieces)) {
    k <- which(x0 != pieces$x0 | x1 != pieces$x1)
    cut <- pieces_at(pieces, k)
    pieces$y[k] <- height_at(cut, x0[k])
    pieces$y1[k] <- height_at(cut, x1[k])
  }
  pieces$x0 <- x0
  pieces$x1 <- x1
  pieces
}

# The values of sloped pieces at a time within each.
height_at <- function(pieces, x) {
  height <- pieces$y
  rises <- which(pieces$y1 != pieces$y)
  rising <- pieces_at(pieces, rises)
  part <- (x[rises] - rising$x0) / (rising$x1 - rising$x0)
  height[rises] <- (1 - part) * rising$y + part * rising$y1
  height
}

# Divides each sloped piece into a number of equal parts; others stay whole. On a logarithmic axis of
# times, the parts of pieces at positive times are equal on the axis.
in_parts <- function(pieces, parts, log = FALSE) {
  parts <- ifelse(pieces$y == pieces$y1, 1, rep_len(parts, nrow(pieces)))
  whole <- pieces_at(pieces, rep(seq_along(parts), parts))
  k <- sequence(parts)
  n <- rep(parts, parts)
  place <- function(part) {
    x <- (1 - part) * whole$x0 + part * whole$x1
    along <- which(log & whole$x0 > 0 & part > 0 & part < 1)
    x[along] <- whole$x0[along]^(1 - part[along]) * whole$x1[along]^part[along]
    x
  }
  with_ends(whole, place((k - 1) / n), place(k / n))
}

pieces_at <- function(pieces, which) {
  list2DF(lapply(pieces, function(column) column[which]))
}

# Is each of some whole numbers the successor of the one before?
continues <- function(index) c(FALSE, diff(index) == 1)[seq_along(index)]

# Is each piece joined to the one before?
is_joined <- function(pieces) !is_first(pieces$chain)

# The values at the ends of the pieces.
end_heights <- function(pieces) pieces$y1 %||% pieces$y

# The vertical lines between consecutive pieces of the same chain.
jumps_between <- function(pieces) {
  right <- which(is_joined(pieces))
  ends <- end_heights(pieces)
  if (is_sloped(pieces)) right <- right[ends[right - 1L] != pieces$y[right]]
  list2DF(list(
    f = pieces$f[right], x0 = pieces$x0[right], x1 = pieces$x0[right],
    y0 = ends[right - 1L], y1 = pieces$y[right]
  ))
}

# The pieces in chains without jumps.
without_jumps <- function(pieces) {
  joined <- which(is_joined(pieces))
  joined <- joined[end_heights(pieces)[joined - 1L] == pieces$y[joined]]
  pieces$chain <- cumsum(!seq_along(pieces$f) %in% joined)
  pieces
}

piece_lines <- function(pieces) {
  list2DF(list(
    f = pieces$f, x0 = pieces$x0, x1 = pieces$x1, y0 = pieces$y, y1 = end_heights(pieces)
  ))
}

# Boxes that cover the pieces. Sloped pieces have several, one for each of some parts, unless there are so
# many pieces that each is short.
boxes_of <- function(pieces) {
  parts <- min(16, ceiling(1e4 / max(nrow(pieces), 1)))
  piece_lines(if (is_sloped(pieces) && parts > 1) in_parts(pieces, parts) else pieces)
}

# ---- What a device can show ----

# Pieces that are sufficient on a device. `columns` and `rows` are functions that convert times to columns
# of pixels and values to rows; there are `height` rows. The result has the columns of `x0` and `x1` as
# `c0` and `c1`, and the rows of the values as `row`.
thinned <- function(pieces, columns, rows, height) {
  if (is_sloped(pieces)) return(thinned_lines(pieces, columns, rows, height))
  near <- function(places) base::pmax(base::pmin(places, 1e6), -1e6)
  pieces$c0 <- near(columns(pieces$x0))
  pieces$c1 <- near(columns(pieces$x1))
  pieces$row <- near(rows(pieces$y))
  close_up(visible(pieces, height))
}

visible <- function(pieces, height) {
  columns <- list(
    f = pieces$f, chain = pieces$chain, x0 = parts_of_pixel * pieces$c0,
    x1 = parts_of_pixel * pieces$c1, y = pieces$row, y1 = NULL
  )
  height <- min(ceiling(max(height, 1)), 2^24)
  pieces_at(pieces, .Call(ffi_visible_pieces, columns, height))
}

# The same for sloped pieces, whose corners are thinned like pieces of width 0: the lines through the
# first, the lowest, the highest and the last corner in a column cover the same pixels as those through
# all. A jump becomes a vertical piece. `row1` is the row of `y1`.
thinned_lines <- function(pieces, columns, rows, height) {
  near <- function(places) base::pmax(base::pmin(places, 1e100), -1e100)
  corners <- corners_of(pieces)
  corners$c0 <- corners$c1 <- near(columns(corners$x))
  corners$row <- near(rows(corners$y))
  corners <- visible(corners, height)
  from <- which(corners$chain[-1] == corners$chain[-nrow(corners)])
  ends <- pieces_at(corners, from + 1L)
  lines <- pieces_at(corners, from)
  list2DF(list(
    f = lines$f, x0 = lines$x, x1 = ends$x, y = lines$y, y1 = ends$y, chain = lines$chain,
    c0 = lines$c0, c1 = ends$c0, row = lines$row, row1 = ends$row
  ))
}

# Devices that smooth lines show in which part of its column a line is.
parts_of_pixel <- 4

# Extends each piece to the next one of its chain, where pieces between them were left out.
close_up <- function(pieces) {
  right <- which(is_joined(pieces))
  pieces$x1[right - 1L] <- pieces$x0[right]
  pieces$c1[right - 1L] <- pieces$c0[right]
  pieces
}

# The pixels of the current device: `resolution`, the number per inch along both axes; `size`, the number
# on the device; and whether the device can show pictures of pixels. A page of vectors can be magnified,
# so it is assumed to have many pixels, and no pictures are drawn on it.
device_pixels <- function() {
  device <- names(grDevices::dev.cur())
  pixels <- "^(png|jpeg|tiff|bmp|x11|quartz$|windows|win\\.|rstudiogd|agg_|cairo$|null)"
  inches <- grDevices::dev.size("in")
  size <- round(grDevices::dev.size("px"))
  has_pixels <- grepl(pixels, device, ignore.case = TRUE) && all(is.finite(size / inches) & size > 0)
  if (!has_pixels) size <- vector_resolution * inches
  # Some devices that can show pictures do not tell.
  told <- grDevices::dev.capabilities("rasterImage")[[1]]
  list(
    resolution = size / inches, size = size,
    shows_pictures = has_pixels && (is.na(told) || told == "yes")
  )
}

vector_resolution <- 600

# ---- Lines ----

# Up to this number, pieces are drawn by the device, with one line for each chain. If there are more, the
# pixels are computed here, which is ten times as fast.
most_pieces_of_lines <- 30000

# Are lines drawn as pixels? Only very many solid ones, whose widths and colours are known, on a device
# that can show pictures.
are_pixels <- function(pieces, col, lty, lwd, pixels) {
  nrow(pieces) > most_pieces_of_lines && pixels$shows_pictures &&
    all(lty %in% list(1, 1L, "1", "solid")) && is.numeric(lwd) && all(is.finite(lwd) & lwd >= 0) &&
    !is.factor(col) && !any(text_of(col) %in% "0")
}

# The widths of lines in pixels. The unit of `lwd` is 1/96 of an inch.
pixel_widths <- function(lwd, pixels) {
  lwd * max(pixels$resolution) / 96
}

# The corners of the chains: the beginnings of all pieces, and the ends of those at `ends`.
corners_of <- function(pieces, ends = breaks_after(pieces)) {
  corners <- rep.int(1L, nrow(pieces))
  corners[ends] <- 2L
  last <- cumsum(corners)[ends]
  each <- function(column) rep.int(column, corners)
  list2DF(list(
    f = each(pieces$f), chain = each(pieces$chain),
    x = replace(each(pieces$x0), last, pieces$x1[ends]),
    y = replace(each(pieces$y), last, end_heights(pieces)[ends])
  ))
}

# The pieces at whose end the line does not continue.
breaks_after <- function(pieces) {
  if (!is_sloped(pieces)) return(seq_len(nrow(pieces)))
  which(is_last(pieces$chain) | following(pieces$y, pieces$chain) != pieces$y1)
}

# The corners with a missing value between the chains of a function.
with_breaks <- function(corners) {
  ends <- which(diff(corners$chain) != 0 & diff(corners$f) == 0)
  if (length(ends) == 0) return(corners)
  rows <- sort(c(seq_along(corners$f), ends + 0.5))
  corners <- pieces_at(corners, rows)
  corners$y[rows %% 1 != 0] <- NA
  corners
}

# ---- Pixels ----

# A picture of the lines of thinned pieces, with the pixels of the device at which it begins and ends,
# counted from the lower left corner; NULL if no line is on the device. `width`, in pixels, and `col` have
# an element for each function. Lines end where their pieces do (`butt`) or half a disc beyond.
picture_of <- function(pieces, width, col, size, butt) {
  pieces <- left_to_right(pieces)
  half <- width[pieces$f] / 2
  rows <- c(pieces$row, pieces$row1)
  box <- list(
    x0 = max(0, floor(min(pieces$c0 - half))), y0 = max(0, floor(min(rows - half))),
    x1 = min(size[1], ceiling(max(pieces$c1 + half))),
    y1 = min(size[2], ceiling(max(rows + half)))
  )
  if (box$x0 >= box$x1 || box$y0 >= box$y1) return(NULL)
  lines <- list(
    f = pieces$f, chain = pieces$chain, x0 = pieces$c0 - box$x0, x1 = pieces$c1 - box$x0,
    y = pieces$row - box$y0, y1 = if (is_sloped(pieces)) pieces$row1 - box$y0
  )
  pixels <- c(box$y1 - box$y0, box$x1 - box$x0)
  colors <- grDevices::col2rgb(col, alpha = TRUE)
  c(box, list(picture = .Call(ffi_raster, lines, as.double(width), colors, pixels, butt)))
}

# On an axis from right to left, the pieces of a function come in reverse order.
left_to_right <- function(pieces) {
  if (all(pieces$c0 <= pieces$c1)) return(pieces)
  pieces <- pieces_at(pieces, order(pieces$f, -seq_along(pieces$f)))
  pieces[c("c0", "c1")] <- pieces[c("c1", "c0")]
  if (is_sloped(pieces)) pieces[c("row", "row1")] <- pieces[c("row1", "row")]
  pieces
}
