# The settings of a run. Arguments that are not given are taken from options, then from environment
# variables, then from defaults; see ?pcfdist_options.

run_settings <- function(device, precision, threads, progress) {
  .Call(ffi_cuda_limit_idle, gpu_keep())
  list(
    device = check_device(device %||% default_device()),
    gpus = wanted_gpus(),
    gpu_memory = count_option("pcfdist.gpu_memory"),
    precision = wanted_precision(precision),
    threads = run_threads(threads),
    progress = progress_function(progress),
    kernel = choice_option(
      "pcfdist.kernel", c("auto", "sweep", "grid", "split", "walk", "lookup", "events")
    ),
    instructions = choice_option("pcfdist.isa", c("auto", .Call(ffi_available)$instructions)),
    width = check_width(getOption("pcfdist.tile", 0L)),
    prune = choice_option("pcfdist.prune", c("auto", "on", "off")),
    block_side = count_option("pcfdist.block", .Machine$integer.max),
    rows = NULL, columns = NULL,
    timeline = check_flag(getOption("pcfdist.timeline", FALSE), "pcfdist.timeline")
  )
}

precisions <- c("double", "single")

wanted_precision <- function(precision) {
  if (is.null(precision)) choice_option("pcfdist.precision", precisions)
  else check_choice(precision, "precision", precisions)
}

# Options that are a number of at least 0, by default 0, or a choice, by default the first.
count_option <- function(name, most = 2^52) check_count(getOption(name, 0), name, 0, most)
choice_option <- function(name, choices) check_choice(getOption(name, choices[1]), name, choices)

# The settings of a call that one GPU can compute; NULL for the CPU. With "auto", C compares the expected
# times of both. `what` is NULL, or what GPUs cannot compute.
gpu_settings <- function(device, threads, what = NULL) {
  device <- device %||% default_device()
  if (!is.null(what) && identical(device, "cuda")) {
    abort_argument("device", "must be \"cpu\" or \"auto\": GPUs do not support ", what, ".")
  }
  check_device(device)
  if (is.null(what) && (device == "cuda" || device == "auto" && .Call(ffi_available)$cuda)) {
    run_settings(device, NULL, threads, FALSE)
  }
}

wanted_gpus <- function() as.integer(count_option("pcfdist.gpus", .Machine$integer.max))

# -1 stands for a quarter of the memory of a GPU.
gpu_keep <- function() {
  bytes <- getOption("pcfdist.gpu_keep")
  if (is.null(bytes)) -1 else check_count(bytes, "pcfdist.gpu_keep", least = 0)
}

# The number of threads of a call, from its argument or the defaults.
run_threads <- function(threads) {
  as.integer(check_count(threads %||% default_threads(), "threads", most = most_threads))
}

most_threads <- 4096

default_device <- function() {
  device <- getOption("pcfdist.device")
  if (!is.null(device)) return(check_choice(device, "pcfdist.device", devices))
  device <- Sys.getenv("PCFDIST_DEVICE")
  if (nzchar(device)) check_choice(device, "PCFDIST_DEVICE", devices) else "auto"
}

devices <- c("auto", "cpu", "cuda")

# The option; otherwise OMP_NUM_THREADS, or the number of cores that the process may use. These two are
# limited by OMP_THREAD_LIMIT, by the largest number allowed here, and to two threads during R's checks.
default_threads <- function() {
  threads <- getOption("pcfdist.threads")
  if (!is.null(threads)) return(check_count(threads, "pcfdist.threads", most = most_threads))
  limit <- Sys.getenv("_R_CHECK_LIMIT_CORES_")
  checks <- if (limit %in% c("", "false", "FALSE")) Inf else 2
  min(
    openmp_number("OMP_NUM_THREADS") %||% .Call(ffi_cores),
    openmp_number("OMP_THREAD_LIMIT"), checks, most_threads
  )
}

# The first number in an environment variable of OpenMP; NULL if it is not valid.
openmp_number <- function(variable) {
  first <- trimws(sub(",.*", "", Sys.getenv(variable)))
  if (grepl("^[0-9]*[1-9][0-9]*$", first)) as.double(first)
}

check_device <- function(device) {
  check_choice(device, "device", devices)
  if (device == "cuda") {
    problem <- .Call(ffi_cuda_problem, wanted_gpus())
    if (nzchar(problem)) abort_argument("device", "cannot be \"cuda\": ", problem, ".")
  }
  device
}

check_width <- function(width) {
  width <- plain(width)
  valid <- is.numeric(width) && length(width) == 1 && width %in% c(0, 32, 64, 128, 256)
  check_is(valid, width, "pcfdist.tile", "must be 32, 64, 128, 256, or 0 for the choice of the plan, not ")
  as.integer(width)
}
