# Random calls on the GPU beside the CPU, of step functions and of piecewise linear ones: pairs and
# what is made of them, and what is made of single functions.
#
# usage: Rscript tools/compare-devices.R [CALLS [SEED]]
#
# Each number may differ by 1e-13 (single precision: 3e-6, of two components 6e-6, whose times count
# over twice the span) of the largest that functions of this size give. Missing and infinite numbers,
# and classes of errors, must be the same. What differs is printed, and counted in the exit status.

suppressPackageStartupMessages(library(pcfdist))
for (file in c("oracle", "pcf", "lines")) source(sprintf("tests/testthat/helper-%s.R", file))
given <- as.numeric(commandArgs(trailingOnly = TRUE))
calls <- c(given, 10000)[1]
set.seed(if (length(given) > 1) given[2] else 1)

`%||%` <- function(a, b) if (is.null(a)) b else a
one_of <- function(...) list(...)[[sample.int(...length(), 1)]]
maybe <- function(share, value, otherwise = NULL) if (runif(1) < share) value else otherwise

# ---- What calls are about ----

on_shared_times <- function(n, linear) {
  times <- sort(round(runif(sample(5:60, 1), 0, 9), 2))
  values <- lapply(seq_len(n), function(i) c(rnorm(length(times) - 1), 0))
  (if (linear) plf else pcf)(unique(times), lapply(values, tail, length(unique(times))))
}

draw_functions <- function(linear, gaps) {
  n <- sample(2:90, 1)
  seed <- sample.int(1e6, 1)
  most <- one_of(4, 12, 40, 300)
  x <- if (!gaps && runif(1) < 0.25) on_shared_times(n, linear)
  else if (linear) random_plf(n, most, whole = most < 19 && runif(1) < 0.3, gaps = if (gaps) 0.2 else 0, seed = seed)
  else if (gaps) random_partial_pcf(n, most, seed)
  else replace_last(random_pcf(n, most, seed))
  if (runif(1) < 0.1) x <- x * 10^sample(c(-150, -20, 20, 150), 1)
  x
}

# The functions in two columns, which margin = 1 takes for two components each.
in_columns <- function(x) {
  x <- x[seq_len(length(x) %/% 2 * 2)]
  dim(x) <- c(length(x) / 2, 2)
  x
}
count <- function(x) nrow(x) %||% length(x)

# Steps that end at 0, so that most integrals are finite.
replace_last <- function(x) {
  pcf(lapply(unclass(x), function(f) f[, 1]),
      lapply(unclass(x), function(f) c(f[-nrow(f), 2], if (runif(1) < 0.98) 0 else 1)))
}

draw_window <- function(gaps) {
  window <- list(from = maybe(0.5, runif(1, -2, 3), -Inf), to = maybe(0.5, runif(1, 3.5, 9), Inf))
  if (gaps) window$missing <- sample(c("overlap", "mean", "error"), 1, prob = c(0.6, 0.3, 0.1))
  if (runif(1) < 0.2) {
    window$weight <- pcf(c(0, sort(runif(3, 0.5, 8))), c(runif(3), 0))
    window$from <- max(window$from, 0)
  }
  window
}

# ---- Calls: numbers, and of what size they may be ----

of_test <- function(x, statistic, ...) {
  test <- permutation_test(x, seq_len(count(x)) %% 2, statistic, 9, ...)
  c(test$statistic, test$permuted)
}

# Functions of x, y, the window and p, that give numbers.
of_pairs <- list(
  pdist = function(x, y, ...) pdist(x, ...),
  cdist = function(x, y, ...) cdist(x, y, ...),
  stored = function(x, y, ...) {
    file <- tempfile()
    on.exit(unlink(paste0(file, c("", ".part", ".dcf")), expand = FALSE))
    collect(cdist(x, y, ..., file = file, storage = one_of("double", "single")))
  },
  nearest = function(x, y, ...) nearest_neighbors(x, min(3, count(x) - 1), ...)$dist,
  query = function(x, y, ...) nearest_neighbors(x, 2, y, ...)$dist,
  tree = function(x, y, ...) sort(spanning_tree(x, ...)$height),
  reduce = function(x, y, ...) reduce_distances(x, y, one_of("min", "max"), ...),
  product = function(x, y, ...) distance_product(x, rep(1, count(x)), power = 1, ...) / count(x),
  test = function(x, y, ...) of_test(x, "energy", ...) / count(x),
  within = function(x, y, ...) {
    d <- sort(pdist(x, ..., device = "cpu"))
    d <- d[is.finite(d)]
    widest <- which.max(diff(d))
    sort(unlist(neighbors_within(x, mean(d[widest + 0:1]), ...)$dist))
  }
)
of_products <- list(
  kernel = function(x, y, ...) l2_kernel(x, ...),
  kernel_two = function(x, y, ...) l2_kernel(x, y, ...),
  kernel_product = function(x, y, ...) kernel_product(x, seq_len(count(x)) / count(x), ...) / count(x),
  squares = function(x, y, ...) distance_product(x, rep(1, count(x)), p = 2, ...) / count(x) / 4
)
of_one <- list(
  lp_norm = function(x, y, ...) lp_norm(x, ...),
  integral = function(x, y, ..., p) integral(x, ...),
  evaluate = function(x, y, ...) c(evaluate(x, times_of_values, side = one_of("left", "right"))),
  difference = function(x, y, ..., missing, weight) of_test(x, "mean_difference", ...)
)
times_of_values <- c(-Inf, seq(-3, 10, length.out = 40), 0:9)
largest_value <- function(x) max(abs(of_values(x)), na.rm = TRUE)
gpu_takes <- function(linear, name, p, window) {
  if (!linear || !name %in% c("lp_norm", "integral", "difference")) return(TRUE)
  (name == "integral" || p %in% c(1, 2, Inf)) && is.null(window$weight) && !identical(window$missing, "mean")
}
of_values <- function(x) c(evaluate(x, times_of_values, device = "cpu"))
of_all <- list(
  sum = function(x, y, ...) of_values(sum(x, na.rm = TRUE)) / length(x),
  mean = function(x, y, ...) of_values(mean(x, na.rm = TRUE)),
  weighted = function(x, y, ...) of_values(mean(x, weights = seq_along(x), na.rm = TRUE)),
  range = function(x, y, ...) of_values(range(x, na.rm = TRUE)),
  groups = function(x, y, ...) of_values(aggregate(x, seq_along(x) %% 3, mean, na.rm = TRUE)),
  combine = function(x, y, ...) {
    of_values(linear_combinations(outer(1:4, seq_along(x), function(i, j) i * j %% 5 - 2), x, TRUE)) /
      (8 * length(x))
  },
  overlap = function(x, y, ..., missing, p) overlap(x, ...)
)
without_window <- c("evaluate", setdiff(names(of_all), "overlap"))
groups <- list(of_pairs = of_pairs, of_products = of_products, of_one = of_one, of_all = of_all)

# How large numbers of a call may be: as large as norms of its functions.
size_of <- function(group, name, x, y, p, window) {
  if (name %in% without_window) p <- Inf
  if (name == "integral") p <- 1
  if (group == "of_products") p <- 2
  window$missing <- if (identical(window$missing, "mean")) "mean" else "overlap"
  norms <- function(x) {
    if (p == Inf) return(largest_value(x))
    norm <- tryCatch(
      suppressWarnings(do.call(lp_norm, c(list(x, p, device = "cpu"), window))), pcfdist_error = function(e) 0
    )
    max(0, norm[is.finite(norm)])
  }
  size <- max(norms(x), norms(y))
  if (group == "of_products") size^2 else size
}

# Relative distances are at most as long as what they are integrals over, twice where signs differ.
longest <- function(x, y, window) {
  length <- max(unlist(lapply(c(unclass(x), unclass(y)), function(f) diff(range(f[is.finite(f[, 1]), 1])))))
  2 * length * max(1, if (!is.null(window$weight)) unclass(window$weight)[[1]][, 2])
}

# ---- Comparing ----

numbers_of <- function(call, device, settings) {
  old <- options(c(list(pcfdist.device = device), if (device == "cuda") settings))
  on.exit(options(old))
  seed <- .Random.seed # what a call draws is the same on both
  value <- tryCatch(
    list(numbers = as.vector(suppressWarnings(call()))),
    pcfdist_error = function(e) list(class = class(e)[1], message = conditionMessage(e))
  )
  assign(".Random.seed", seed, globalenv())
  value
}

# The largest difference in units of `size`: infinite where one has a number and the other none.
difference <- function(a, b, size) {
  if (!is.null(a$class) || !is.null(b$class)) return(if (identical(a$class, b$class)) 0 else Inf)
  a <- a$numbers
  b <- b$numbers
  if (length(a) != length(b)) return(Inf)
  same <- a == b | (is.na(a) & is.na(b))
  if (isTRUE(all(same))) return(0)
  apart <- abs(a - b) / max(size, abs(a[is.finite(a)]))
  apart[same %in% TRUE] <- 0
  max(replace(apart, is.na(apart), Inf))
}

done <- c(steps = 0, lines = 0)
wrong <- errors <- 0
largest <- c(double = 0, single = 0)
while (sum(done) < calls) {
  linear <- runif(1) < 0.6
  gaps <- runif(1) < 0.35
  x <- draw_functions(linear, gaps)
  y <- draw_functions(linear, gaps)
  components <- runif(1) < 0.15
  if (components) {
    x <- in_columns(x)
    y <- in_columns(y)
  }
  value <- largest_value(x)
  if (value > 1e10 || value < 1e-10) y <- x
  stays <- runif(1) < 0.25
  there <- if (stays) on_gpu(x) else x
  for (k in 1:12) {
    group <- sample(names(groups), 1, prob = c(0.5, 0.15, 0.2, 0.15))
    name <- sample(names(groups[[group]]), 1)
    if (linear && name == "range" || components && name %in% without_window) next
    p <- one_of(1, 2, 2, 3, 1.7, Inf)
    window <- if (name %in% without_window) list() else draw_window(gaps)
    if (!gpu_takes(linear, name, p, window)) next
    precision <- if (group %in% c("of_pairs", "of_products")) one_of("double", "single") else "double"
    settings <- list(pcfdist.kernel = one_of(NULL, NULL, "sweep", "split", "grid"), pcfdist.block = one_of(NULL, 64))
    relative <- !linear && group == "of_pairs" && runif(1) < 0.2
    if (components) window$margin <- 1
    more <- c(
      window, if (precision == "single") list(precision = precision),
      if (relative) list(distance = "relative") else if (group != "of_products") list(p = p)
    )
    run <- function(x) do.call(groups[[group]][[name]], c(list(x, y), more))
    cpu <- numbers_of(function() run(x), "cpu")
    cuda <- numbers_of(function() run(there), "cuda", settings)
    if (grepl("a kernel that this call cannot use", cuda$message %||% "")) {
      cuda <- numbers_of(function() run(there), "cuda", settings[2])
    }
    size <- if (relative) longest(x, y, window) else size_of(group, name, x, y, p, window)
    far <- difference(cpu, cuda, size)
    done[1 + linear] <- done[1 + linear] + 1
    errors <- errors + !is.null(cpu$class)
    if (far < Inf) largest[precision] <- max(largest[precision], far)
    if (far <= if (precision == "double") 1e-13 else if (components) 6e-6 else 3e-6) next
    wrong <- wrong + 1
    cat(sprintf("%s %s, p = %s, %s: %.2g\n  %s\n  %s, %s\n", c("steps", "lines")[1 + linear], name, p,
                if (stays) "stays" else "list", far,
                paste(names(more), ifelse(lengths(more) == 1, more, "..."), collapse = ", "),
                cpu$message %||% "numbers", cuda$message %||% "numbers"))
  }
  if (stays) release(there)
}
cat(sprintf(
  "%d calls of steps, %d of lines, %d errors on both: %d differ; at most %.2g double, %.2g single\n",
  done[1], done[2], errors, wrong, largest[1], largest[2]
))
quit(status = min(wrong, 1))
