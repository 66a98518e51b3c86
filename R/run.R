# From checked arguments to C and back: settings, the one .Call, and its errors.

# What the last computation was; see last_run().
the <- new.env(parent = emptyenv())
the$last_run <- NULL

# Computes or, for the output "none", plans. `request` comes from new_request(),
# `settings` from run_settings().
run_pairwise <- function(x, y, request, settings) {
  answer <- .Call(ffi_pairwise, x, y, request, settings)
  answer_value(answer, x = x, y = y)
  if (request$output != "none") the$last_run <- answer$report
  answer
}

# The value of an answer of C, or its error. `...` are the collections by the names that C has
# for them, which are those of the arguments in which the user gave them, unless `argument`
# says otherwise.
answer_value <- function(answer, ..., argument = answer$argument) {
  if (!is.null(answer$problem)) {
    abort_function(answer$problem, list(...)[[answer$argument]], argument)
  }
  if (!is.null(answer$status)) abort(answer$status, answer$message)
  answer$value
}

# ---- Arguments that every computation has ----

# The window; `from` and `to` are numbers, infinite ones included.
check_window <- function(from, to) {
  check_number(from, "from")
  check_number(to, "to")
  if (from == Inf) abort_argument("from", "must be less than infinity.")
  if (to == -Inf) abort_argument("to", "must be greater than minus infinity.")
  if (from >= to) {
    abort_argument(
      "from", "must be less than `to`: ", format(from), " is not less than ",
      format(to), "."
    )
  }
}

check_number <- function(x, argument) {
  if (!is.numeric(x) || is.object(x) || length(x) != 1 || is.na(x)) {
    abort_argument(argument, "must be a number, not ", describe(x), ".")
  }
}

check_pcf <- function(x, argument = "x") {
  if (is_pcf(x)) return(invisible(x))
  abort_argument(
    argument, "must be a <pcf>, not ", describe(x), ". as_pcf() makes one from step ",
    "functions, curves, matrices and data frames."
  )
}

# The operation of a distance: its name in C and, for `dist`, its method.
operation_of <- function(p) {
  if (!is.numeric(p) || is.object(p) || length(p) != 1 || is.na(p) || p < 1) {
    abort_argument("p", "must be a number of at least 1 (Inf included), not ",
                   describe(p), ".")
  }
  if (p == 1) return(list(name = "l1", method = "L1"))
  if (p == 2) return(list(name = "l2", method = "L2"))
  if (p == Inf) return(list(name = "linf", method = "Linf"))
  list(name = "lp", method = "Lp")
}

# `attributes` are those of the result. C sets them, since R would copy the result.
new_request <- function(output, mode, operation, p, from, to, attributes = list()) {
  list(output = output, mode = mode, operation = operation, p = as.double(p),
       from = as.double(from), to = as.double(to), attributes = attributes)
}

# ---- Settings ----

# The number of threads of a call, from its argument or the defaults.
run_threads <- function(threads) {
  check_count(threads %||% default_threads(), "threads")
}

# Arguments that were left out come from options, then the environment, then
# defaults; ?pcfdist_options documents them.
run_settings <- function(device, precision, threads, progress) {
  list(
    device = check_device(device %||% default_device()),
    gpus = as.integer(check_count(getOption("pcfdist.gpus", 0), "pcfdist.gpus", least = 0)),
    gpu_memory = check_count(
      getOption("pcfdist.gpu_memory", 0), "pcfdist.gpu_memory", least = 0
    ),
    precision = check_choice(
      precision %||% getOption("pcfdist.precision", "double"), "precision",
      c("double", "single")
    ),
    threads = run_threads(threads),
    progress = progress_function(progress),
    kernel = check_choice(
      getOption("pcfdist.kernel", "auto"), "pcfdist.kernel",
      c("auto", "sweep", "grid", "split")
    ),
    instructions = check_choice(
      getOption("pcfdist.isa", "auto"), "pcfdist.isa",
      c("auto", .Call(ffi_available)$instructions)
    ),
    width = check_width(getOption("pcfdist.tile", 0L)),
    block_side = check_count(getOption("pcfdist.block", 0), "pcfdist.block", least = 0),
    timeline = check_flag(getOption("pcfdist.timeline", FALSE), "pcfdist.timeline")
  )
}

`%||%` <- function(x, y) if (is.null(x)) y else x

default_device <- function() {
  getOption("pcfdist.device", non_empty(Sys.getenv("PCFDIST_DEVICE")) %||% "auto")
}

non_empty <- function(x) if (nzchar(x)) x

check_device <- function(device) {
  check_choice(device, "device", c("auto", "cpu", "cuda"))
  if (device == "cuda") {
    problem <- .Call(ffi_cuda_info)$problem
    if (nzchar(problem)) abort_argument("device", "cannot be \"cuda\": ", problem, ".")
  }
  device
}

# The option, else OMP_NUM_THREADS, else the cores that the process may use; two at
# most where R's checks ask for that.
default_threads <- function() {
  threads <- getOption("pcfdist.threads")
  if (!is.null(threads)) return(threads)
  limit <- Sys.getenv("_R_CHECK_LIMIT_CORES_")
  most <- if (limit %in% c("", "false", "FALSE")) Inf else 2
  openmp <- suppressWarnings(as.integer(sub(",.*", "", Sys.getenv("OMP_NUM_THREADS"))))
  threads <- if (!is.na(openmp) && openmp > 0) openmp else .Call(ffi_available)$cores
  min(threads, most)
}

check_count <- function(x, argument, least = 1) {
  valid <- is.numeric(x) && length(x) == 1 && !is.na(x) && x >= least && x == round(x)
  if (!valid) {
    abort_argument(argument, "must be a whole number of at least ", least, ", not ",
                   describe(x), ".")
  }
  most <- switch(argument, threads = 4096, pcfdist.block = , pcfdist.gpus = 2^31 - 1, 2^52)
  if (x > most) {
    abort_argument(argument, "must be at most ", format(most), ", not ", describe(x), ".")
  }
  if (argument == "threads") as.integer(x) else as.double(x)
}

check_choice <- function(x, argument, choices) {
  if (is.character(x) && length(x) == 1 && x %in% choices) return(x)
  abort_argument(
    argument, "must be one of ", paste(dQuote(choices, FALSE), collapse = ", "),
    ", not ", describe(x), "."
  )
}

check_flag <- function(x, argument) {
  if (isTRUE(x) || isFALSE(x)) return(x)
  abort_argument(argument, "must be TRUE or FALSE, not ", describe(x), ".")
}

check_width <- function(width) {
  if (is.numeric(width) && length(width) == 1 && width %in% c(0, 32, 64, 128, 256)) {
    return(as.integer(width))
  }
  abort_argument("pcfdist.tile", "must be 32, 64, 128 or 256, or 0 for the plan's choice, ",
                 "not ", describe(width), ".")
}

# ---- Progress ----

# NULL, or a function(done, total, seconds) that C calls while it waits. It draws
# nothing in the first two seconds.
progress_function <- function(progress) {
  progress <- progress %||% getOption("pcfdist.progress", interactive())
  if (!check_flag(progress, "progress")) return(NULL)
  bar <- NULL
  frame <- new.env(parent = emptyenv())
  function(done, total, seconds) {
    if (seconds < 2 || total <= 0) return(invisible())
    if (is.null(bar)) bar <<- start_bar(frame)
    rate <- paste0(format(done / seconds, digits = 2), " rectangles/s")
    cli::cli_progress_update(set = 1000 * done / total, id = bar, status = rate, .envir = frame)
    if (done >= total) cli::cli_progress_done(id = bar, .envir = frame)
    invisible()
  }
}

start_bar <- function(frame) {
  cli::cli_progress_bar(
    total = 1000, clear = TRUE, .auto_close = FALSE, .envir = frame,
    format = paste(
      "Pairs {cli::pb_bar} {cli::pb_percent} | {cli::pb_status} | left: {cli::pb_eta}"
    )
  )
}
