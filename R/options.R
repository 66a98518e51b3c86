#' Options of pcfdist
#'
#' Set them with [options()]. An argument of a call goes before the option.
#'
#' @section How to run:
#' \describe{
#'   \item{`pcfdist.device`}{The device: `"auto"`, `"cpu"` or `"cuda"`. Without the
#'     option, the environment variable `PCFDIST_DEVICE`, else `"auto"`.}
#'   \item{`pcfdist.gpus`}{The number of GPUs to use, at most; 0 (the default) for all.}
#'   \item{`pcfdist.gpu_memory`}{The memory of each GPU to use, in bytes, at most; 0 (the
#'     default) for all that is free. Functions that do not fit are brought to the GPU in
#'     turns; those that stay there count, see [on_gpu()].}
#'   \item{`pcfdist.gpu_keep`}{The memory of each GPU, in bytes, that may stay allocated
#'     between calls, so that the next one need not wait for it; as much pinned memory of the
#'     host, up to 512 MB for each GPU, stays with it. By default a quarter of the memory of
#'     the GPU, as long as one of the last four calls used it; 0 for none. [release()]
#'     gives it back.}
#'   \item{`pcfdist.precision`}{`"double"` (the default) or `"single"`.}
#'   \item{`pcfdist.threads`}{The number of threads. Without the option, the environment
#'     variable `OMP_NUM_THREADS`, else the number of cores that the process may use,
#'     which respects its affinity and the quotas of its control groups; these two no more
#'     than `OMP_THREAD_LIMIT` says, and two at most while `_R_CHECK_LIMIT_CORES_` is set.
#'     4096 is the most. What is no number in these variables does not count.}
#'   \item{`pcfdist.progress`}{`TRUE` or `FALSE`: a progress bar for calls of more than
#'     two seconds: pairs show how much is done, other work how long it has taken. By default
#'     [interactive()].}
#'   \item{`pcfdist.jobs_folder`}{The folder through which jobs get functions; see
#'     [pcfdist_jobs].}
#'   \item{`pcfdist.progress_delay`}{The seconds before a bar is drawn, 2 by default.}
#' }
#'
#' @section How to compute:
#' These are chosen by the plan, and need not be set. They serve tests and measurements.
#' \describe{
#'   \item{`pcfdist.kernel`}{`"auto"`, `"sweep"`, `"grid"`, `"split"`, `"walk"`, `"lookup"` or
#'     `"events"`; see [pcf_plan()]. [lp_distance()] always takes `"walk"`. No GPU has the last
#'     three.}
#'   \item{`pcfdist.isa`}{The vector instructions: `"auto"`, or one of those that the
#'     processor has among `"avx512"`, `"avx2"`, `"sse2"` and `"neon"`; `"scalar"` on others.}
#'   \item{`pcfdist.tile`}{The functions on a side of a tile: 32, 64, 128 or 256; 0 for
#'     the plan's choice. On GPUs 128 and 256 stand for tiles of 32 by 64.}
#'   \item{`pcfdist.prune`}{`"auto"` (the default), `"on"` or `"off"`: should
#'     [nearest_neighbors()] and its like leave out pairs of which bounds tell that they are
#'     not wanted? See [nearest_neighbors()]. `"on"` does so wherever there are bounds,
#'     whether it pays or not.}
#'   \item{`pcfdist.block`}{The functions on a side of a block, which is the unit of
#'     work of a thread or GPU; it is rounded up to whole tiles. At most 2^31 - 1; 0
#'     for the plan's choice.}
#' }
#'
#' @section What to record:
#' \describe{
#'   \item{`pcfdist.timeline`}{`TRUE` or `FALSE` (the default): should [last_run()] have the
#'     times of every block?}
#' }
#'
#' @return Nothing: this page documents options.
#'
#' @examples
#' old <- options(pcfdist.threads = 1)
#' pdist(pcf(list(c(0, 1), c(0, 2)), list(c(1, 0), c(1, 0))))
#' options(old)
#' @name pcfdist_options
NULL
