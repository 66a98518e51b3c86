short <- function(labels, width, cex = 1) {
  draw_nowhere(5, 5)
  graphics::plot.new()
  cut <- shortened(labels, width, cex)
  expect_true(all(graphics::strwidth(cut, "inches", cex) <= width))
  cut
}

test_that("labels that have room stay whole", {
  expect_identical(short(c("a", "bc"), 1), c("a", "bc"))
  expect_identical(short(character(0), 1), character(0))
})

test_that("long labels are cut at the end where that tells them apart", {
  cut <- short(c("a", paste(c("first", "second"), strrep("long ", 20))), 1)
  expect_identical(cut[1], "a")
  expect_match(cut[2], "^first lo.*\\.\\.\\.$")
  expect_match(cut[3], "^second lo.*\\.\\.\\.$")
})

test_that("labels that differ at their ends are cut in the middle", {
  cut <- short(paste0("treatment standard, prior ", c("no", "yes")), 1.4)
  expect_match(cut[1], "^treat.*\\.\\.\\..*or no$")
  expect_match(cut[2], "^treat.*\\.\\.\\..*or yes$")
})

test_that("labels that differ in the middle lose the beginning that they share", {
  shared <- strrep("before ", 20)
  cut <- short(paste0(shared, c("X", "Y"), strrep(" after", 20)), 1)
  expect_match(cut[1], "^\\.\\.\\.X after.*\\.\\.\\.$")
  expect_match(cut[2], "^\\.\\.\\.Y after.*\\.\\.\\.$")
})

test_that("the beginning that labels share does not end within a word", {
  expect_identical(shared_beginning(c("patient 11", "patient 12")), 8L)
  expect_identical(shared_beginning(c("patient 1", "patient 12")), 8L)
  expect_identical(shared_beginning(paste0(strrep("a", 30), 1:2)), 18L)
  expect_identical(shared_beginning("one"), 0L)
})

test_that("labels that no cut tells apart get numbers", {
  parts <- expand.grid(c("A", "B"), strrep("-", 100), c("A", "B"), strrep("-", 100), c("A", "B"))
  labels <- do.call(paste0, parts)
  cut <- short(labels, 0.8)
  expect_identical(anyDuplicated(cut), 0L)
  expect_match(cut, "\\.\\.\\. [1-8]$")
})

test_that("labels that are equal, or cannot be shorter, are no error", {
  long <- strrep("long ", 50)
  expect_identical(length(unique(short(c(long, long, "a"), 1))), 2L)
  draw_nowhere()
  graphics::plot.new()
  expect_identical(shortened(c("abcd", "abce"), 0, 1), c("a... 1", "a... 2"))
})
