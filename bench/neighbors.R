# Times the 15 nearest neighbours of every function beside the matrix of all distances.
#
#   Rscript bench/neighbors.R DEVICE CASE...
#
# DEVICE is "cpu" or "cuda". Cases:
#   paper     20,000 functions of the paper's workload, in both precisions
#   short     80,000 functions of 5 breakpoints
#   pruning   ECDFs, copy-number profiles and Betti curves, 20,000 each, with pruning and without
#   near=N    N functions of 10 to 99 breakpoints of these three kinds, in single precision: with pruning
#             and, up to 200,000, without, whose answers are compared
#   tree=N    the same for the spanning tree of N functions, and for that of mutual reachability with k = 5
#   query=N   the same for N / 5 functions, compared with N others
#   kinds     20,000 functions of 5 breakpoints: what a GPU keeps in lists, and what it gives in
#             entries of blocks, which are more than 128 nearest and all within a radius
#   record=N  N functions of the paper's workload, made on all cores, in both precisions
#   records=N the same in single precision only
# Each row of the table is a whole call, with its phases; "beside the matrix" is the time of
# pdist() by that of the neighbours. Run it in the root of the repository.

library(pcfdist)
source("bench/data.R")
source("bench/timing.R")

arguments <- commandArgs(trailingOnly = TRUE)
device <- arguments[1]
cases <- arguments[-1]
options(pcfdist.device = device, pcfdist.progress = FALSE)
k <- 15

# ---- Data ----

# Made in parts, by all cores, from a seed each.
in_parts <- function(n, make) {
  parts <- 64
  sizes <- diff(round(seq(0, n, length.out = parts + 1)))
  made <- parallel::mclapply(seq_len(parts), function(part) {
    set.seed(part)
    make(sizes[part])
  }, mc.cores = parallel::detectCores())
  as_collection(unlist(made, recursive = FALSE, use.names = FALSE))
}
paper_functions <- function(n) in_parts(n, function(n) unclass(rpcf(n)))

# Of five populations, each with samples of its own size.
ecdfs <- function(n, sizes = 100:400) {
  lapply(seq_len(n), function(i) {
    m <- sample(sizes, 1)
    sample <- sort(rgamma(m, shape = 1 + i %% 5, rate = 1 + i %% 3))
    cbind(time = c(0, sample), value = c((0:(m - 1)) / m, 0))
  })
}

# Of eight kinds of tumours: the kind's segments, and some of the profile's own.
tumours <- function(segments) {
  list(times = lapply(segments, function(count) sort(runif(count))),
       states = lapply(segments, function(count) sample(0:5, count, TRUE)))
}
profiles <- function(n, of = tumours(rep(60, 8)), own_segments = 10:60) {
  lapply(seq_len(n), function(i) {
    kind <- 1 + i %% 8
    time <- sort(c(0, of$times[[kind]], runif(sample(own_segments, 1))))
    value <- c(2, of$states[[kind]])[1 + findInterval(time, of$times[[kind]])]
    own <- runif(length(time)) < 0.1
    value[own] <- sample(0:5, sum(own), TRUE)
    value[length(value)] <- 0
    cbind(time = time, value = value)
  })
}

# ---- Measuring ----

say <- function(...) cat(sprintf(...), "\n", sep = "")

peak_memory <- function() {
  status <- readLines("/proc/self/status")
  as.double(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) / 2^20
}

measure <- function(case, x, run, repeats = 3) {
  calls <- time_calls(run, repeats, note = function(result) last_run())
  run <- calls$notes[[order(calls$seconds)[ceiling(length(calls$seconds) / 2)]]]
  seconds <- median(calls$seconds)
  record(case, length(x), calls$seconds, n = length(x), breakpoints = count_breakpoints(x))
  tell(case, x, run, seconds)
  invisible(list(seconds = seconds, phases = run$phases))
}

tell <- function(case, x, run, seconds) {
  phases <- run$phases[c("check", "plan", "prepare", "compute", "scatter")]
  say("| %s | %d | %s %s | %.3f | %s | %.1f |", case, length(x), run$kernel, run$precision,
      seconds, paste(sprintf("%.3f", phases), collapse = " | "), peak_memory())
}

beside_matrix <- function(name, x, precision, repeats = 3) {
  matrix <- measure(paste(name, "pdist"), x, function() pdist(x, precision = precision), repeats)
  near <- measure(paste(name, "neighbours"), x, function() {
    nearest_neighbors(x, k, precision = precision)
  }, repeats)
  kernel <- function(run) sum(run$phases[c("compute", "scatter")])
  say("| %s: matrix / neighbours, whole | %.2f | computing | %.2f |", name,
      matrix$seconds / near$seconds, kernel(matrix) / kernel(near))
}

with_pruning <- function(name, x) {
  run <- function(prune) {
    function() {
      options(pcfdist.prune = prune)
      nearest_neighbors(x, k)
    }
  }
  off <- measure(paste(name, "without pruning"), x, run("off"), 1)
  on <- measure(paste(name, "with pruning"), x, run("auto"), 3)
  say("| %s: without / with pruning | %.2f |", name, off$seconds / on$seconds)
}

short_kinds <- function() {
  eight <- tumours(seq(5, 54, by = 7))
  list("short ECDFs" = function(n) ecdfs(n, 9:98),
       "short copy number" = function(n) profiles(n, eight, 4:44),
       "short Betti curves" = function(n) betti_functions(n, 5:49))
}

# One call each, after the device was started.
by_bounds <- function(name, x, compared, find) {
  call <- function(case, prune) {
    options(pcfdist.prune = prune)
    call <- timed(find)
    tell(case, x, last_run(), call$seconds)
    call
  }
  on <- call(name, "auto")
  run <- last_run()
  if (!is.null(run$pruned)) {
    say("| %s: of all pairs, expected %.4f, computed %.4f |", name, run$pruned$expected,
        1 - run$pruned$pairs / run$pairs)
  }
  if (!compared) return(invisible())
  off <- call(paste(name, "all pairs"), "off")
  say("| %s: all pairs / with pruning | %.2f | the same answers: %s |", name, off$seconds / on$seconds,
      identical(on$result, off$result))
}

near <- function(name, n, make, compared) {
  x <- in_parts(n, make)
  by_bounds(name, x, compared, function() nearest_neighbors(x, k, precision = "single"))
}

trees <- function(name, n, make, compared) {
  x <- in_parts(n, make)
  by_bounds(paste("tree of", name), x, compared, function() spanning_tree(x, precision = "single"))
  by_bounds(paste("reachability of", name), x, compared, function() spanning_tree(x, k = 5, precision = "single"))
}

queries <- function(name, n, make, compared) {
  both <- in_parts(n + n / 5, make)
  some <- seq(1, length(both), by = 6)
  x <- both[-some]
  query <- both[some]
  by_bounds(paste("queries of", name), query, compared, function() nearest_neighbors(x, k, query, precision = "single"))
}

kinds_of_selection <- function(name, x, precision) {
  radius <- median(nearest_neighbors(x, k, precision = precision)$dist[, k])
  calls <- list(
    nearest = function() nearest_neighbors(x, k, precision = precision),
    farthest = function() reduce_distances(x, with = "which.max", precision = precision),
    "200 nearest" = function() nearest_neighbors(x, 200, precision = precision),
    within = function() neighbors_within(x, radius, precision = precision)
  )
  for (call in names(calls)) measure(paste(name, call), x, calls[[call]])
}

say("| case | functions | method | seconds | check | plan | prepare | compute | scatter | peak GiB |")
say("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for (case in cases) {
  set.seed(20240407)
  size <- if (grepl("=", case)) as.integer(sub(".*=", "", case)) else NA
  name <- sub("=.*", "", case)
  if (name == "paper") {
    x <- make_workload("paper", if (is.na(size)) 20000L else size)
    for (precision in c("single", "double")) beside_matrix("paper", x, precision)
  } else if (name == "short") {
    x <- make_workload("short", if (is.na(size)) 80000L else size)
    for (precision in c("single", "double")) beside_matrix("short", x, precision)
  } else if (name == "pruning") {
    n <- if (is.na(size)) 20000 else size
    with_pruning("ECDFs", as_collection(ecdfs(n)))
    with_pruning("copy number", as_collection(profiles(n)))
    with_pruning("Betti curves", as_collection(betti_functions(n)))
  } else if (name %in% c("near", "tree", "query")) {
    kinds <- short_kinds()
    nearest_neighbors(make_workload("short", 5000L), k)
    ask <- switch(name, near = near, tree = trees, query = queries)
    for (kind in names(kinds)) ask(kind, size, kinds[[kind]], size <= 500000 / (1 + (name != "query")))
  } else if (name == "kinds") {
    x <- make_workload("short", if (is.na(size)) 20000L else size)
    for (precision in c("single", "double")) kinds_of_selection("short", x, precision)
  } else if (name %in% c("record", "records")) {
    made <- timed(function() paper_functions(size))
    say("| made in %.1f s, %.1f GiB, peak %.1f GiB |", made$seconds,
        16 * count_breakpoints(made$result) / 2^30, peak_memory())
    x <- made$result
    made <- NULL
    for (precision in c("single", if (name == "record") "double")) {
      measure("record", x, function() nearest_neighbors(x, k, precision = precision), 1)
    }
  }
}
