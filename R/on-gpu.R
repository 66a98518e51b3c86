#' Functions that stay on GPUs
#'
#' @description
#' `on_gpu()` brings the functions of a collection to the GPUs and keeps them there, so that
#' calls with `device = "cuda"` find them, and `"auto"` takes the GPUs sooner: distances, inner
#' products and selections for several exponents, windows and precisions then upload nothing but
#' a few numbers for each function. So do [lp_norm()], [integral()], [evaluate()], [sums, means and
#' extrema][reductions] and [linear_combinations()]. `release(x)` frees that memory, and
#' `release()` all that this session holds on GPUs.
#'
#' Calls with a `weight` bring their functions up as if they were not there.
#'
#' In R the collection stays what it was: a [pcf] or [plf] that every function takes.
#'
#' @details
#' The functions go to all GPUs that may be used (see the option `pcfdist.gpus`), 16 bytes for
#' each breakpoint, or 24 of a [plf], as they are: any window and precision comes from them. What
#' the sweep makes of them stays as well, as far as the option `pcfdist.gpu_keep` allows, so that
#' a second call of the same kind begins at once. The collection is looked through for faults
#' once, by `on_gpu()`; later calls skip that, on the CPU too.
#'
#' They stay until
#' * `release(x)` or `release()` is called,
#' * R has no use for the collection any more, and looks for garbage,
#' * or room is wanted: a call, or another `on_gpu()`, that finds no more memory frees the
#'   collection that was used longest ago. The option `pcfdist.gpu_memory` limits what calls and
#'   collections that stay take together.
#'
#' A collection that is no longer on a GPU is computed with as any other: it is uploaded by each
#' call. Results are the same, bit for bit, on the GPU or off.
#'
#' **What calls leave.** Allocating memory on a GPU takes longer than many calls do. So what the last
#' calls used stays with the session, up to a quarter of each GPU's memory (the option
#' `pcfdist.gpu_keep` limits it), and the next ones use it again. `release()` frees that, too, for
#' other programs. What CUDA itself takes, some hundred megabytes of each GPU, stays until the session
#' ends.
#'
#' **Changed copies** are other collections, which are not on a GPU: whatever is changed,
#' selected or computed from functions, in any way. Names, dimensions and the unit of time may
#' change, since the functions stay the same.
#'
#' **Other processes.** What [saveRDS()] or [save()] write is the collection alone: once loaded
#' it is not on a GPU. Neither is it in a process that was forked, as by
#' [parallel::mclapply()], where CUDA cannot be used; the parent keeps it, whatever becomes of
#' the child's copy.
#'
#' The collection has an attribute `on_gpu`, by which it is known, so that [identical()] tells
#' it from one that never was there; `all(x == y)` does not.
#'
#' @param x A collection of functions, a [pcf] or [plf]. `release()` without it frees all
#'   collections, and what calls have left.
#'
#' @return
#' * `on_gpu()`: the same collection.
#' * `release()`: the bytes of GPU memory that were freed, invisibly; 0 for a collection that
#'   was not on a GPU.
#'
#' @section Errors:
#' Where CUDA cannot be used, `on_gpu()` raises an error of the class `pcfdist_error_device`
#' that says why; where there is too little memory, one of the class `pcfdist_error_memory`.
#' Functions that are not sound are errors as in [pdist()].
#'
#' @seealso [cuda_info()] tells how much of each GPU's memory is free, and how much stays.
#'
#' @examples
#' x <- pcf(list(c(0, 1), c(0, 2)), list(c(1, 0), c(1, 0)))
#' if (cuda_info()$problem == "") {
#'   y <- on_gpu(x)
#'   pdist(y, device = "cuda")
#'   pdist(y, p = 2, to = 1, device = "cuda")
#'   release(y)
#' }
#' @export
on_gpu <- function(x) {
  x <- check_either(x)
  settings <- run_settings("cuda", NULL, NULL, NULL)
  if (is_on_gpu(x)) return(x)
  with_handle(x, settings)
}

# Without settings, for tests, functions are known, but not brought to any GPU.
with_handle <- function(x, settings = NULL) {
  on.exit(end_bar())
  handle <- answer_value(.Call(ffi_make_resident, x, settings), x = x)
  attr(x, "on_gpu") <- handle
  x
}

# Do all GPUs that may be used have the functions of a collection?
is_on_gpu <- function(x) {
  isTRUE(.Call(ffi_is_resident, x, wanted_gpus()))
}

#' @rdname on_gpu
#' @export
release <- function(x) {
  if (!missing(x)) return(invisible(.Call(ffi_drop_resident, check_either(x))))
  invisible(.Call(ffi_drop_resident, NULL) + release_kept())
}
