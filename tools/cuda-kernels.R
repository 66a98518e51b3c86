# Runs every kernel of the CUDA device once on little data: for compute-sanitizer, of which
# racecheck slows kernels down a thousand times.
#
# usage: Rscript tools/cuda-kernels.R [complete] [partial] [lines] [partial_lines] [bounds]

library(pcfdist)
set.seed(1)

# `missing` is the share of pieces that are not observed. Then the first time is -Inf.
make_functions <- function(n, points, missing = 0) {
  pcf(
    lapply(seq_len(n), function(i) c(if (missing > 0) -Inf, cumsum(sample(3, points, TRUE)))),
    lapply(seq_len(n), function(i) {
      values <- c(if (missing > 0) 1, rnorm(points - 1), 0)
      replace(values, runif(length(values)) < missing, NA)
    })
  )
}

# `missing` is the share of times between breakpoints at which functions are not observed.
make_lines <- function(n, points, missing = 0) {
  gaps <- lapply(seq_len(n), function(i) which(runif(points - 1) < missing))
  numbers <- function(i, shift) replace(c(rnorm(points - 1), 0), gaps[[i]] + shift, NA)
  times <- lapply(seq_len(n), function(i) cumsum(sample(3, points, TRUE)))
  plf(times, lapply(seq_len(n), numbers, 0), left = lapply(seq_len(n), numbers, 1))
}

# The long ones have so many breakpoints that sums are flushed.
collections <- list(
  complete = list(short = make_functions(70, 12), long = make_functions(40, 1200)),
  partial = list(short = make_functions(70, 12, 0.2), long = make_functions(40, 1200, 0.2)),
  lines = list(short = make_lines(70, 12), long = make_lines(40, 1200)),
  partial_lines = list(short = make_lines(70, 12, 0.2), long = make_lines(40, 1200, 0.2))
)

wanted <- commandArgs(trailingOnly = TRUE)
if (length(wanted) > 0) collections <- collections[intersect(names(collections), wanted)]

for (name in names(collections)) {
  x <- collections[[name]]
  for (kernel in c("sweep", "grid", "split")) {
    options(pcfdist.kernel = kernel)
    for (precision in c("double", "single")) {
      cat(name, kernel, precision, "\n")
      run <- function(call, ...) {
        result <- tryCatch(
          suppressWarnings(
            call(..., missing = "overlap", device = "cuda", precision = precision),
            classes = "pcfdist_warning_infinite"
          ),
          pcfdist_error = conditionMessage
        )
        # Of lines the grid takes squares and products alone.
        other <- is.character(result) && !(grepl("lines", name) && kernel == "grid")
        if (other && !grepl("`k`", result)) stop(result)
      }
      for (p in c(1, 2, 3, 2.7, Inf)) run(pdist, x$short, p)
      run(l2_kernel, x$short)
      run(cdist, x$short, x$short[1:40], to = 9)
      run(pdist, on_gpu(x$short))
      if (!grepl("lines", name)) for (part in x) run(pdist, part, distance = "relative")
      for (p in c(1, 2.7)) run(pdist, x$long, p)
      run(l2_kernel, x$long)
      # The filter: some pass, and of the long ones more than there is room for.
      run(neighbors_within, x$short, 3, to = 9)
      run(neighbors_within, x$short, 3, x$short[1:40], to = 9)
      run(neighbors_within, x$long, 1e6, to = 9)
      run(reduce_distances, x$short, x$short[1:40], "max", to = 9)
      # Lists of up to 32, 64 and 128.
      for (k in c(3, 40, 69)) {
        run(nearest_neighbors, x$short, k, to = 9)
      }
    }
  }
}

# What is made of single functions, and a matrix times a vector.
for (name in names(collections)) {
  x <- c(collections[[name]]$short, collections[[name]]$long)
  W <- outer(1:200, seq_along(x), function(i, j) (i * j) %% 7 - 3)
  calls <- list(
    norm = function() {
      for (p in c(1, 2, if (!grepl("lines", name)) 2.7, Inf)) lp_norm(x, p, -1, 9, missing = "overlap", device = "cuda")
    },
    integral = function() integral(x, -1, 9, missing = "overlap", device = "cuda"),
    evaluate = function() evaluate(x, c(-Inf, 0:9, Inf), device = "cuda"),
    sum = function() sum(x, na.rm = TRUE, device = "cuda"),
    mean = function() mean(x, device = "cuda"),
    weighted = function() mean(x, weights = seq_along(x), na.rm = TRUE, device = "cuda"),
    extrema = function() if (!grepl("lines", name)) range(x, na.rm = TRUE, device = "cuda"),
    aggregate = function() aggregate(x, seq_along(x) %% 7, mean, na.rm = TRUE, device = "cuda"),
    combine = function() linear_combinations(diag(length(x))[1:9, ], x, TRUE, device = "cuda"),
    multiply = function() linear_combinations(W, seq_along(x) / 7, device = "cuda")
  )
  for (call in names(calls)) {
    cat(name, call, "\n")
    calls[[call]]()
  }
}

# What chooses tiles by bounds: of functions in groups that are far apart, which have the same
# few times, or more than there are coordinates.
if (length(wanted) == 0 || "bounds" %in% wanted) {
  options(pcfdist.prune = "on", pcfdist.kernel = "sweep")
  apart <- rep(c(0, 40, 80), 100)
  many <- pcf(
    lapply(1:300, function(i) cumsum(rexp(40))), lapply(1:300, function(i) c(rnorm(39), 0))
  )
  groups <- list(few = make_functions(300, 12) + apart, many = many + apart)
  calls <- list(
    nearest = function(x, ...) nearest_neighbors(x, 4, ...),
    longer = function(x, ...) nearest_neighbors(x, 40, ...),
    longest = function(x, ...) nearest_neighbors(x, 69, ...),
    queries = function(x, ...) nearest_neighbors(x, 4, x[1:90], ...),
    within = function(x, ...) neighbors_within(x, 3, ...),
    # More than there is room for.
    beyond = function(x, ...) neighbors_within(x, 60, ...),
    tree = function(x, ...) spanning_tree(x, ...),
    reachability = function(x, ...) spanning_tree(x, k = 3, ...)
  )
  for (times in names(groups)) for (call in names(calls)) {
    for (precision in c("double", "single")) for (p in 1:2) {
      cat("bounds", times, call, precision, p, "\n")
      calls[[call]](groups[[times]], p = p, from = 0, to = 9, device = "cuda", precision = precision)
      if (is.null(last_run()$pruned)) stop("without bounds")
    }
  }
  options(pcfdist.prune = "off")
  for (precision in c("double", "single")) {
    spanning_tree(groups$few, k = 3, from = 0, to = 9, device = "cuda", precision = precision)
  }
}
