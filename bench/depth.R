# Draws small collections of functions, and writes them, and how deep pcfdist says they lie, as text that bench/depth.py
# compares with exact fractions. Half of them are steps, half lines. Values may be tied, missing, or around 1e6; some
# functions are equal, and some weighted.
# Usage: Rscript bench/depth.R [COLLECTIONS [SEED]] | python3 bench/depth.py
suppressPackageStartupMessages(library(pcfdist))
options(pcfdist.progress = FALSE)
source("bench/timing.R")
setting <- numbers_given(collections = 10000L, seed = 1L)
chance <- function(share) runif(1) < share

draw_functions <- function(lines) {
  offset <- if (chance(0.3)) sample(c(1e6, -1e6), 1) else 0
  tied <- chance(0.4)
  gaps <- chance(0.3)
  functions <- lapply(seq_len(sample(2:7, 1)), function(i) {
    times <- if (tied) sort(sample(-4:44, sample(2:6, 1))) / 8 else sort(runif(sample(2:6, 1), -0.5, 5.5))
    values <- (if (tied) sample(-3:3, length(times), replace = TRUE) else rnorm(length(times))) + offset
    values[gaps & runif(length(values)) < 0.2] <- NA
    list(c(-1, times), c(values[1], values))
  })
  if (chance(0.3)) functions[[2]] <- functions[[1]]
  (if (lines) plf else pcf)(lapply(functions, `[[`, 1), lapply(functions, `[[`, 2))
}

tell <- function(..., numbers) cat(..., "\t", paste(sprintf("%a", as.double(numbers)), collapse = " "), "\n", sep = "")

set.seed(setting$seed)
for (i in seq_len(setting$collections)) {
  lines <- i %% 2 == 0
  x <- draw_functions(lines)
  weight <- if (chance(0.3)) pcf(c(-Inf, sort(sample(39, 2)) / 8), sample(1:8, 3) / 4)
  ends <- sort(sample(1:39, 2)) / 8
  depths <- lapply(c("band", "integrated"), function(type) {
    tryCatch(functional_depth(x, type, ends[1], ends[2], missing = "mean", weight = weight),
             pcfdist_error_missing = function(error) NULL) # never observed with others
  })
  if (any(lengths(depths) == 0)) next
  tell(if (lines) "lines" else "steps", numbers = ends)
  tell("weight", numbers = if (is.null(weight)) c(-1, 1) else replace(unclass(weight)[[1]], 1, -1))
  for (f in unclass(x)) tell("given", numbers = f)
  tell("depth", numbers = unlist(depths))
}
