#' CUDA support
#'
#' Reports whether the package was built with CUDA, whether there is a driver, which devices there
#' are, and whether this build has code for them.
#'
#' The first call in a session initialises CUDA on the GPUs that may be used (all, unless the option
#' `pcfdist.gpus` says otherwise), to query their free memory. This takes a moment, and some hundred
#' megabytes of memory on each GPU.
#'
#' @return A list of class `cuda_info`: `built` (logical); `driver` and `runtime` (the CUDA versions that
#'   the driver supports and that the package was built with, or `NA`); `problem` (why
#'   `device = "cuda"` would fail, or `""`); and `devices`, a data frame with a row for each GPU: its
#'   `name`, compute `capability`, number of `multiprocessors`, `memory`, `free_memory` (`NA` for GPUs
#'   that may not be used), `kept_memory` and `staying_memory` in bytes, and whether this build
#'   `has_code` for it. Kept memory was allocated by earlier calls and is reused by the next;
#'   [release()] frees it. Staying memory holds the functions copied there by [on_gpu()] and data
#'   derived from them.
#'
#' @seealso [pdist()] for the argument `device`, [pcfdist_options]
#'
#' @examples
#' cuda_info()
#' @export
cuda_info <- function() {
  info <- .Call(ffi_cuda_info, wanted_gpus())
  none <- data.frame(
    name = character(), capability = numeric(), multiprocessors = integer(), memory = numeric(),
    free_memory = numeric(), kept_memory = numeric(), staying_memory = numeric(), has_code = logical()
  )
  info$devices <- do.call(rbind, c(list(none), lapply(info$devices, as.data.frame)))
  info$driver <- cuda_version(info$driver)
  info$runtime <- cuda_version(info$runtime)
  structure(info, class = "cuda_info")
}

# 13000 is version 13.0, 12040 is 12.4.
cuda_version <- function(number) {
  if (number == 0) NA_character_ else sprintf("%.0f.%.0f", number %/% 1000, number %% 1000 %/% 10)
}

#' @export
format.cuda_info <- function(x, ...) {
  devices <- x$devices
  some <- function(bytes, form) ifelse(bytes > 0, sprintf(form, gigabytes(bytes)), "")
  c(
    paste("built with CUDA:", if (x$built) paste("yes,", x$runtime) else "no"),
    if (x$built) paste("driver:", if (is.na(x$driver)) "none" else x$driver),
    if (x$built) paste("devices:", nrow(devices)),
    if (nrow(devices) > 0) sprintf(
      "  %s, compute capability %s, %s%s GB%s%s%s%s",
      devices$name, numbers(devices$capability, nsmall = 1),
      ifelse(is.na(devices$free_memory), "", sprintf("%s of ", gigabytes(devices$free_memory))),
      gigabytes(devices$memory), ifelse(is.na(devices$free_memory), "", " free"),
      some(devices$kept_memory, ", %s GB kept"),
      some(devices$staying_memory, ", %s GB of functions"),
      ifelse(devices$has_code, "", ", no code for it in this build")
    ),
    if (nzchar(x$problem)) paste("device = \"cuda\" cannot be used:", x$problem)
  )
}

gigabytes <- function(bytes) numbers(round(bytes / 1e9, 1), nsmall = 1)

#' @export
print.cuda_info <- function(x, ...) {
  writeLines(format(x))
  invisible(x)
}

# Frees the memory that calls have kept for later ones, and returns its size in bytes.
release_kept <- function() .Call(ffi_cuda_release)
