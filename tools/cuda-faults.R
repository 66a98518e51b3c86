# Calls on several GPUs, one of which fails during the call, at several moments: the result must be the
# same as on one GPU, or there must be one error, and the session must still be able to use the CPU.
# A GPU is broken for the process that it failed in, so each call has a process of its own.
#
# usage: Rscript tools/cuda-faults.R

library(pcfdist)
source("bench/data.R")

calls <- list(
  pdist = function(x, ...) pdist(x, ...),
  lines = function(x, ...) pdist(lines_through(x), 2, ...),
  partial = function(x, ...) pdist(c(restrict(x[-1], from = 0.3), x[1]), missing = "mean", from = 0, to = 1, ...),
  neighbors = function(x, ...) nearest_neighbors(x, 5, ...),
  within = function(x, ...) neighbors_within(x, 0.1, ...),
  sums = function(x, ...) reduce_distances(x, with = "max", ...),
  tree = function(x, ...) spanning_tree(x, ...),
  file = function(x, ...) {
    path <- tempfile(fileext = ".npy")
    on.exit(unlink(path, expand = FALSE))
    pdist(x, file = path, ...)[]
  }
)
sizes <- c(pdist = 20000, lines = 10000, partial = 15000, neighbors = 60000, within = 60000, sums = 60000,
           tree = 20000, file = 15000)
shares <- c(0, 0.2, 0.5, 0.8) # of the seconds of a call without a fault

functions_for <- function(name) {
  set.seed(1)
  rpcf(sizes[[name]])
}

# What the call of a process of its own came to, with a fault on the last GPU at a share of its time.
run_once <- function(name, share, fault) {
  options(pcfdist.progress = FALSE)
  x <- functions_for(name)
  gpus <- nrow(cuda_info()$devices)
  call <- function(...) calls[[name]](x, device = "cuda", ...)
  right <- with_gpus(1, call())
  with_gpus(gpus, call())
  seconds <- system.time(with_gpus(gpus, call()))[["elapsed"]]
  dyn.load(fault)
  .C("fault_after", as.integer(gpus - 1), share * seconds)
  began <- proc.time()[["elapsed"]]
  result <- tryCatch(with_gpus(gpus, call()), error = identity)
  took <- proc.time()[["elapsed"]] - began
  answer <- if (inherits(result, "error")) paste0(class(result)[1], ": ", conditionMessage(result))
            else if (identical(result, right)) "the same result"
            else "ANOTHER RESULT"
  Sys.sleep(seconds)
  afterwards <- c(
    auto = answer_to(identical(c(pdist(x[1:5000])), c(pdist(x[1:5000], device = "cpu")))),
    first = answer_to(identical(with_gpus(1, call()), right)),
    all = answer_to(identical(with_gpus(gpus, call()), right))
  )
  cat(sprintf("| %s | %.1f | %.2f | %.2f | %s | %s |\n", name, share, seconds, took, answer,
              paste(names(afterwards), afterwards, sep = ": ", collapse = "; ")))
}

with_gpus <- function(n, code) {
  old <- options(pcfdist.gpus = n)
  on.exit(options(old))
  code
}

answer_to <- function(code) {
  tryCatch(if (code) "right" else "WRONG", error = function(e) paste0("error (", conditionMessage(e), ")"))
}

given <- commandArgs(trailingOnly = TRUE)
if (length(given) > 0) {
  run_once(given[1], as.numeric(given[2]), given[3])
} else {
  stopifnot("this needs several GPUs" = nrow(cuda_info()$devices) > 1)
  fault <- tempfile(fileext = ".so")
  compiled <- system2("nvcc", c("-shared", "-Xcompiler", "-fPIC", "-o", fault, "tools/cuda-fault.cu"))
  stopifnot(compiled == 0)
  cat("| call | fault at | seconds without | with | came to | afterwards |\n| --- | --- | --- | --- | --- | --- |\n")
  for (name in names(calls)) for (share in shares) {
    status <- system2(file.path(R.home("bin"), "Rscript"), c("tools/cuda-faults.R", name, share, fault),
                      timeout = 120)
    if (status != 0) cat("|", name, "|", share, "| | | THE PROCESS ENDED WITH STATUS", status, "| |\n")
  }
}
