# What jobs cost beside one process of as many threads or GPUs: bench/results/jobs-*.md.
#
#   Rscript bench/jobs.R                two jobs in two R processes of one thread each
#   Rscript bench/jobs.R gpus=N         two jobs of one GPU each, N functions, on a machine of two
#   Rscript bench/jobs.R functions=N    what jobs do with the file of N functions of 10 ... 999
#                                       breakpoints, and what moving results into one file takes
#
# Seconds of processors, user and system, are those of all processes. The best of three calls,
# in turn.
library(pcfdist)

inside <- function(name) utils::getFromNamespace(name, "pcfdist")

# ---- Jobs beside one process ----

compare_calls <- function() {
  cluster <- parallelly::makeClusterPSOCK(2, rscript_libs = .libPaths())
  on.exit(parallel::stopCluster(cluster))
  future::plan("cluster", workers = cluster)
  parallel::clusterEvalQ(cluster, library(pcfdist))
  options(pcfdist.device = "cpu", pcfdist.jobs_folder = tempfile())
  processors <- function() {
    own <- function() sum(proc.time()[1:2])
    own() + sum(unlist(parallel::clusterCall(cluster, own)))
  }
  set.seed(1)
  x <- rpcf(8000)
  y <- rpcf(2000)
  b <- matrix(rnorm(24000), 8000)
  file <- tempfile()
  calls <- list(
    "neighbours" = function(...) nearest_neighbors(x, 15, ...),
    "neighbours, single" = function(...) nearest_neighbors(x, 15, precision = "single", ...),
    "farthest of each" = function(...) reduce_distances(x, with = "max", ...),
    "neighbours in another collection" = function(...) nearest_neighbors(x, 15, y, ...),
    "Gaussian kernel by 3 columns" = function(...) kernel_product(x, b, scale = 1, kernel = "gaussian", ...),
    "distances to the power of 3 by 3 columns" = function(...) distance_product(x, b, p = 1, power = 3, ...),
    "Gaussian kernel with another collection" = function(...) {
      kernel_product(x, b[1:2000, ], y, scale = 1, kernel = "gaussian", ...)
    },
    "pdist() into a file" = function(...) stored(file, pdist(x, file = file, ...)),
    "cdist() into a file" = function(...) stored(file, cdist(x, y, file = file, ...))
  )
  cat("| call | one process: s of processors | s | two jobs: s of processors | s | bits |\n")
  cat("| --- | --- | --- | --- | --- | --- |\n")
  for (name in names(calls)) compare_call(name, calls[[name]], processors)
}

compare_call <- function(name, call, processors) {
  one <- many <- list()
  for (k in 1:3) {
    one[[k]] <- taken(call(threads = 2), processors)
    many[[k]] <- taken(call(jobs = 2, threads = 1), processors)
  }
  same <- all(vapply(c(one, many), function(run) identical(run$result, one[[1]]$result), NA))
  best <- function(runs, what) min(vapply(runs, `[[`, 0, what))
  cat(sprintf("| %s | %.2f | %.2f | %.2f | %.2f | %s |\n", name, best(one, "processors"),
              best(one, "elapsed"), best(many, "processors"), best(many, "elapsed"),
              if (same) "same" else "DIFFERENT"))
}

# ---- Jobs of one GPU each ----

compare_gpus <- function(n) {
  threads <- parallelly::availableCores() %/% 2
  cluster <- parallelly::makeClusterPSOCK(2, rscript_libs = .libPaths())
  on.exit(parallel::stopCluster(cluster))
  future::plan("cluster", workers = cluster)
  for (k in 1:2) {
    parallel::clusterCall(cluster[k], function(gpu) Sys.setenv(CUDA_VISIBLE_DEVICES = gpu), k - 1)
  }
  parallel::clusterEvalQ(cluster, library(pcfdist))
  options(pcfdist.device = "cuda", pcfdist.jobs_folder = tempfile())
  set.seed(1)
  x <- rpcf(n)
  y <- rpcf(n)
  file <- tempfile()
  on.exit(unlink(file, expand = FALSE), add = TRUE)
  write_matrix <- function(...) {
    unlink(paste0(file, c("", ".dcf")), expand = FALSE)
    pdist(x, precision = "single", storage = "single", file = file, ...)
    NULL
  }
  calls <- list(
    "neighbours" = function(...) nearest_neighbors(x, 15, precision = "single", ...),
    "neighbours in another collection" = function(...) {
      nearest_neighbors(x, 15, y, precision = "single", ...)
    },
    "farthest of each" = function(...) reduce_distances(x, with = "max", precision = "single", ...),
    "pdist() into a file" = write_matrix
  )
  cat(sprintf("%d functions, %s\n\n", n, paste(cuda_info()$devices$name, collapse = ", ")))
  cat("| call | one GPU, s | two GPUs, s | two jobs, s | bits |\n| --- | --- | --- | --- | --- |\n")
  for (name in names(calls)) compare_on_gpus(name, calls[[name]], file, threads)
}

compare_on_gpus <- function(name, call, file, threads) {
  with_gpus <- function(gpus, ...) {
    old <- options(pcfdist.gpus = gpus)
    on.exit(options(old))
    call(...)
  }
  ways <- list(
    function() with_gpus(1L), function() with_gpus(2L),
    function() with_gpus(NULL, jobs = 2, threads = threads)
  )
  seconds <- rep(Inf, 3)
  bits <- character(3)
  for (k in 1:2) for (way in 1:3) {
    gc()
    elapsed <- system.time(result <- ways[[way]]())[["elapsed"]]
    seconds[way] <- min(seconds[way], elapsed)
    bits[way] <- if (is.null(result)) tools::md5sum(file) else digest_of_result(result)
  }
  cat(sprintf("| %s | %.2f | %.2f | %.2f | %s |\n", name, seconds[1], seconds[2], seconds[3],
              if (length(unique(bits)) == 1) "same" else "DIFFERENT"))
}

digest_of_result <- function(result) {
  file <- tempfile()
  on.exit(unlink(file, expand = FALSE))
  writeBin(unlist(unclass(result), use.names = FALSE), file)
  unname(tools::md5sum(file))
}

# ---- Calls ----

taken <- function(code, processors) {
  gc()
  before <- processors()
  elapsed <- system.time(result <- code)[["elapsed"]]
  list(processors = processors() - before, elapsed = elapsed, result = result)
}

# The bits of what is in the file, which goes.
stored <- function(file, result) {
  bits <- c(unclass(collect(result)))
  unlink(paste0(file, c("", ".dcf")), expand = FALSE)
  bits
}

# ---- What is done once for a call or a job ----

measure_parts <- function(n) {
  set.seed(1)
  x <- rpcf(n)
  file <- tempfile()
  gigabytes <- 16 * sum(lengths(unclass(x)) / 2) / 1e9
  cat(sprintf("%d functions, %.2f GB\n\n", n, gigabytes))
  cat("| step | s of processors | GB/s of those |\n| --- | --- | --- |\n")
  row <- function(name, bytes, code) {
    taken <- sum(system.time(code)[1:2])
    cat(sprintf("| %s | %.2f | %.2f |\n", name, taken, bytes / taken))
  }
  row("digest of the functions", gigabytes, inside("digest_of")(x, 2))
  row("writing them", gigabytes, inside("write_whole")(list(x = x, y = NULL), file))
  row("reading them in a job", gigabytes, read <- inside("read_whole")(file, inside("is_functions")))
  row("checking and planning", gigabytes, pcf_plan(read$x))
  read <- NULL
  unlink(file, expand = FALSE)
  measure_join(x[seq_len(min(n, 20000))], file, row)
}

measure_join <- function(x, file, row) {
  future::plan("sequential")
  bytes <- length(x) * (length(x) - 1) / 2 * 4 / 1e9
  real <- inside("join_parts")
  utils::assignInNamespace("join_parts", function(...) {
    row(sprintf("moving %.2f GB of results", bytes), bytes, real(...))
  }, "pcfdist")
  d <- pdist(x, p = 2, precision = "single", storage = "single", file = file, jobs = 8)
  unlink(paste0(file, c("", ".dcf")), expand = FALSE)
}

argument <- commandArgs(TRUE)
count <- as.integer(sub(".*=", "", argument))
if (length(argument) == 0) {
  compare_calls()
} else if (startsWith(argument, "gpus=")) {
  compare_gpus(count)
} else {
  measure_parts(count)
}
