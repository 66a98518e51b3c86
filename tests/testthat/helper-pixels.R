# The pixels of a picture without compression, three bytes each, row by row.
pixels_of <- function(draw, width = 300, height = 300) {
  path <- tempfile()
  on.exit(unlink(path, expand = FALSE))
  grDevices::tiff(path, width, height, type = "cairo", compression = "none")
  draw()
  grDevices::dev.off()
  as.integer(bytes_of(path)[8 + seq_len(3 * width * height)])
}

# The brightness of the pixels, from 0 to 255: a row of the matrix is a row of the picture.
brightness_of <- function(draw, width = 300, height = 300) {
  bytes <- matrix(pixels_of(draw, width, height), 3)
  matrix(colMeans(bytes), height, byrow = TRUE)
}

# What the rest of a test draws is seen by nobody.
draw_nowhere <- function(width = 7, height = 7, device = grDevices::pdf, file = NULL, frame = parent.frame()) {
  device(file, width, height)
  at_end_of(frame, quote(grDevices::dev.off()))
}

skip_without_pixels <- function() {
  skip_if_not(capabilities("cairo") && capabilities("tiff"))
}
