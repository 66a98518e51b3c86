#' Keep Functions on GPUs
#'
#' @description
#' `on_gpu()` uploads the functions of a collection to the GPUs and keeps them there. Calls with
#' `device = "cuda"` then use them without another upload, and `"auto"` chooses the GPUs for smaller
#' calls. This applies to distances, inner products and neighbours, for any exponent, window and
#' precision, and also to [lp_norm()], [integral()], [evaluate()], [sums, means and extrema][reductions]
#' and [linear_combinations()]. `release(x)` frees the memory of a collection, and `release()` all memory
#' that the session keeps on GPUs.
#'
#' In R the collection remains a [pcf] or [plf], which every function accepts. Calls with a `weight`
#' upload their functions as if they were not on the GPU.
#'
#' @details
#' The functions are copied to all GPUs that may be used (see the option `pcfdist.gpus`), which takes 16
#' bytes for each breakpoint, or 24 for a [plf]. They are copied unchanged, so that any window and
#' precision can be derived from them. What the sweep kernel derives is kept as well, as far as the
#' option `pcfdist.gpu_keep` allows, so that further calls of the same kind start at once. The collection
#' is checked only once, by `on_gpu()`; later calls, also on the CPU, skip the check.
#'
#' The functions stay on the GPUs until
#' * `release(x)` or `release()` is called,
#' * the collection is garbage collected by R, or
#' * memory is needed: if another call, or `on_gpu()`, finds too little free memory, the collection that
#'   has not been used for the longest time is removed. The option `pcfdist.gpu_memory` limits the memory
#'   of calls and collections together.
#'
#' A collection that is no longer on a GPU is uploaded by each call, like any other. Results are the same,
#' bit for bit.
#'
#' **Memory kept between calls.** Allocating memory on a GPU takes longer than many calls, so what the last
#' calls used stays allocated (see the option `pcfdist.gpu_keep`). `release()` frees this memory for other
#' programs, too. CUDA itself keeps some hundred megabytes on each GPU until the session ends.
#'
#' **Modified copies** are new collections, which are not on a GPU: this includes subsets and results of
#' any computation. Only names, dimensions and the unit of time can be changed without losing the copy on
#' the GPU.
#'
#' **Other processes.** [saveRDS()] and [save()] write only the collection itself; it is not on a GPU when
#' it is loaded again. Neither is it in forked processes, as of [parallel::mclapply()], in which CUDA
#' cannot be used; the parent process keeps it on the GPU, whatever happens in the child.
#'
#' The collection has an attribute `on_gpu` by which it is recognised. [identical()] therefore
#' distinguishes it from a collection that has never been on a GPU; `all(x == y)` does not.
#'
#' @param x A [pcf] or [plf]. If `x` is missing, `release()` frees the memory of all collections, and the
#'   memory kept between calls.
#'
#' @return
#' * `on_gpu()`: `x`, with the attribute `on_gpu`.
#' * `release()`: the number of bytes of GPU memory that were freed, invisibly; 0 if the collection was
#'   not on a GPU.
#'
#' @section Errors:
#' `on_gpu()` raises an error of class `pcfdist_error_device` if CUDA cannot be used, with the reason,
#' and of class `pcfdist_error_memory` if there is too little memory. Invalid functions raise the same
#' errors as in [pdist()].
#'
#' @seealso [cuda_info()], which reports how much of each GPU's memory is free, and how much is kept
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

# Without settings, as in tests, the collection is registered but not uploaded to any GPU.
with_handle <- function(x, settings = NULL) {
  on.exit(end_bar())
  attr(x, "on_gpu") <- answer_value(.Call(ffi_make_resident, x, settings), x = x)
  x
}

# Are the functions of a collection on all GPUs that may be used?
is_on_gpu <- function(x) {
  isTRUE(.Call(ffi_is_resident, x, wanted_gpus()))
}

#' @rdname on_gpu
#' @export
release <- function(x) {
  if (!missing(x)) return(invisible(.Call(ffi_drop_resident, check_either(x))))
  invisible(.Call(ffi_drop_resident, NULL) + release_kept())
}
