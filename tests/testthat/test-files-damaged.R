# Files of results that are damaged in all ways: each call is right, or an error about files.

skip_on_os("windows") # where R itself was not tried

# ---- Damage ----

flip_bit <- function(bytes) {
  at <- sample(length(bytes), 1)
  replace(bytes, at, xor(bytes[at], as.raw(2^sample(0:7, 1))))
}

lines_of <- function(bytes) {
  ends <- which(bytes == as.raw(10))
  starts <- c(1, ends + 1)
  ends <- c(ends, length(bytes))
  Map(function(start, end) bytes[seq_len(max(end - start + 1, 0)) + start - 1], starts, ends)
}

as_bytes <- function(lines) as.raw(unlist(lines))

ways_of_damage <- list(
  flip = flip_bit,
  flips = function(bytes) Reduce(function(bytes, k) flip_bit(bytes), 1:20, bytes),
  byte = function(bytes) replace(bytes, sample(length(bytes), 1), as.raw(sample(0:255, 1))),
  stretch = function(bytes) {
    at <- sample(length(bytes), 1)
    count <- min(sample(2:200, 1), length(bytes) - at + 1)
    replace(bytes, seq_len(count) + at - 1, as.raw(sample(0:255, count, TRUE)))
  },
  zeros = function(bytes) replace(bytes, seq(sample(length(bytes), 1), length(bytes)), as.raw(0)),
  truncated = function(bytes) bytes[seq_len(sample(0:(length(bytes) - 1), 1))],
  longer = function(bytes) c(bytes, as.raw(sample(0:255, sample(1:50, 1), TRUE))),
  inserted = function(bytes) append(bytes, as.raw(sample(0:255, 1)), sample(0:length(bytes), 1)),
  deleted = function(bytes) bytes[-sample(length(bytes), 1)],
  empty = function(bytes) raw(),
  random = function(bytes) as.raw(sample(0:255, sample(500, 1), TRUE)),
  line_deleted = function(bytes) {
    lines <- lines_of(bytes)
    as_bytes(lines[-sample(length(lines), 1)])
  },
  line_twice = function(bytes) {
    lines <- lines_of(bytes)
    k <- sample(length(lines), 1)
    as_bytes(append(lines, lines[k], k))
  },
  lines_swapped = function(bytes) {
    lines <- lines_of(bytes)
    k <- sample(length(lines), 2, length(lines) < 2)
    as_bytes(replace(lines, k, lines[rev(k)]))
  },
  line_over = function(bytes) {
    lines <- lines_of(bytes)
    k <- sample(length(lines), 2, length(lines) < 2)
    as_bytes(replace(lines, k[1], lines[k[2]]))
  },
  lines_mixed = function(bytes) as_bytes(sample(lines_of(bytes))),
  digits = function(bytes) {
    digits <- which(bytes %in% charToRaw("0123456789"))
    if (length(digits) == 0) return(bytes)
    replace(bytes, digits[sample(length(digits), 1)], charToRaw(as.character(sample(0:9, 1))))
  }
)

# ---- Results ----

# Functions of which many are the same: blocks that are alike, also those of zeros.
alike_functions <- function() {
  x <- rep(random_pcf(8, 5), 25)
  x[97:160] <- x[rep(1, 64)]
  names(x) <- sprintf("f%d", seq_along(x))
  x
}

make_result <- function(call) {
  file <- new_file()
  with_settings(call(file), block = 32, tile = 32)
  saved <- paste0(file, ".rds")
  saveRDS(open_distances(file), saved)
  part <- new_file()
  expect_error(on_full_disk(40, with_settings(call(part, threads = 1), block = 32, tile = 32)),
               class = "pcfdist_error_file")
  list(
    call = call, folder = dirname(file), saved = readBin(saved, "raw", file.size(saved)),
    due = collect(open_distances(file)),
    whole = list(d = bytes_of(file), d.dcf = bytes_of(paste0(file, ".dcf"))),
    begun = list(d.part = bytes_of(paste0(part, ".part")), d.dcf = bytes_of(paste0(part, ".dcf")))
  )
}

# Everything but the call, and the numbers only where they were checked.
same_result <- function(x, due, numbers) {
  kept <- function(x) attributes(x)[setdiff(names(attributes(x)), c("call", "class"))]
  identical(kept(x), kept(due)) && length(x) == length(due) &&
    (!numbers || identical(as.vector(x), as.vector(due)))
}

# "right", "error", or what it is else. A call on what was begun may also compute anew.
try_on_damaged <- function(result, state, damaged, way, use) {
  files <- result[[state]]
  files[[damaged]] <- ways_of_damage[[way]](files[[damaged]])
  unlink(list.files(result$folder, full.names = TRUE), expand = FALSE)
  for (name in names(files)) writeBin(files[[name]], file.path(result$folder, name))
  file <- file.path(result$folder, "d")
  saved <- file.path(result$folder, "saved.rds")
  writeBin(result$saved, saved)
  tryCatch({
    x <- switch(use,
      open = open_distances(file), check = open_distances(file, check = TRUE),
      pdist = suppressMessages(result$call(file)), read = readRDS(saved),
      unchecked = suppressMessages(result$call(file, check = FALSE))
    )
    sure <- damaged != "d" || use %in% c("check", "pdist")
    if (same_result(x, result$due, sure)) "right" else "wrong"
  }, pcfdist_error_file = function(error) "error", error = function(error) {
    paste("another error:", conditionMessage(error))
  })
}

# A seeded sample of so many cases.
cases_of_damage <- function(count, results) {
  cases <- rbind(
    expand.grid(state = "whole", damaged = c("d", "d.dcf"), way = names(ways_of_damage),
                use = c("open", "check", "pdist", "read", "unchecked"), stringsAsFactors = FALSE),
    expand.grid(state = "begun", damaged = c("d.part", "d.dcf"), way = names(ways_of_damage),
                use = "pdist", stringsAsFactors = FALSE)
  )
  cases <- cases[sample(rep_len(sample(nrow(cases)), count)), ]
  cases$result <- sample(names(results), count, TRUE)
  cases
}

try_all_damage <- function(count) {
  x <- alike_functions()
  results <- lapply(list(
    dist = function(file, ...) pdist(x, to = 9, file = file, ...),
    single = function(file, ...) pdist(x, to = 9, storage = "single", file = file, ...),
    symmetric = function(file, ...) l2_kernel(x, to = 9, file = file, ...),
    dense = function(file, ...) cdist(x, x[1:70], to = 9, file = file, ...)
  ), make_result)
  cases <- cases_of_damage(count, results)
  cases$outcome <- vapply(seq_len(count), function(k) {
    with(cases[k, ], try_on_damaged(results[[result]], state, damaged, way, use))
  }, "")
  cases
}

test_that("whatever is damaged, the result is right, or an error about files", {
  skip_on_cran()
  cases <- with_seed(25, try_all_damage(as.numeric(Sys.getenv("PCFDIST_DAMAGED_FILES", "350"))))
  amiss <- cases[!cases$outcome %in% c("right", "error"), ]
  expect_identical(do.call(paste, amiss), character())
  expect_gt(mean(cases$outcome == "error"), 0.5)
  expect_gt(sum(cases$outcome == "right"), 20)
  expect_identical(unique(cases$outcome[cases$damaged == "d.dcf" & cases$way == "lines_mixed"]), "error")
})
