#' Options of pcfdist
#'
#' The options below are set by [options()]. Arguments of a function take precedence over them.
#'
#' @section Devices, threads and progress:
#' \describe{
#'   \item{`pcfdist.device`}{The device: `"auto"`, `"cpu"` or `"cuda"`. The default is the value of the
#'     environment variable `PCFDIST_DEVICE` or, if it is not set, `"auto"`.}
#'   \item{`pcfdist.gpus`}{The maximum number of GPUs to use; 0 (the default) for all.}
#'   \item{`pcfdist.gpu_memory`}{The maximum amount of memory to use on each GPU, in bytes; 0 (the
#'     default) for all that is free. Functions that do not fit are uploaded in turns. Functions that stay
#'     on the GPU count towards the limit; see [on_gpu()].}
#'   \item{`pcfdist.gpu_keep`}{The maximum amount of memory on each GPU, in bytes, that stays allocated
#'     between calls, so that the next call starts sooner; the same amount of pinned memory of the host,
#'     up to 512 MB for each GPU, stays allocated with it. The default is a quarter of the memory of the
#'     GPU, for as long as one of the last four calls used it; 0 for none. [release()] frees this
#'     memory.}
#'   \item{`pcfdist.precision`}{`"double"` (the default) or `"single"`.}
#'   \item{`pcfdist.threads`}{The number of threads, at most 4096. The default is the value of the
#'     environment variable `OMP_NUM_THREADS` or, if it is not set, the number of cores that the process
#'     may use according to its CPU affinity and the limits of its control groups. The default is at most
#'     `OMP_THREAD_LIMIT`, and at most 2 if `_R_CHECK_LIMIT_CORES_` is set. Values of these variables
#'     that are not numbers are ignored.}
#'   \item{`pcfdist.progress`}{`TRUE` or `FALSE`: should calls that take more than two seconds show a
#'     progress bar? Computations on pairs show the proportion done, others the time elapsed. The default
#'     is the value of [interactive()].}
#'   \item{`pcfdist.progress_delay`}{The number of seconds before a progress bar is shown; 2 by default.}
#'   \item{`pcfdist.save_every`}{The number of seconds after which neighbours with a `file` are saved again; 20 by
#'     default. See [nearest_neighbors()].}
#'   \item{`pcfdist.jobs_folder`}{The folder through which jobs receive functions; see
#'     [pcfdist_jobs].}
#' }
#'
#' @section Algorithms:
#' These options are meant for tests and benchmarks. By default the best value is chosen for each call.
#' \describe{
#'   \item{`pcfdist.kernel`}{`"auto"`, `"sweep"`, `"grid"`, `"split"`, `"walk"`, `"lookup"` or
#'     `"events"`; see [pcf_plan()], also for those that only the CPU has.}
#'   \item{`pcfdist.isa`}{The vector instructions: `"auto"`, or one of `"avx512"`, `"avx2"`, `"sse2"` and
#'     `"neon"` that the processor supports; `"scalar"` on other processors.}
#'   \item{`pcfdist.tile`}{The number of functions on each side of a tile on the CPU: 32, 64, 128 or 256;
#'     0 for the default.}
#'   \item{`pcfdist.prune`}{`"auto"` (the default), `"on"` or `"off"`: should [nearest_neighbors()] and
#'     related functions skip pairs that lower bounds of distances rule out? `"on"` uses bounds wherever
#'     they exist, even if this saves no time.}
#'   \item{`pcfdist.block`}{The number of functions on each side of a block, which is the unit of work of
#'     a thread or GPU. It is rounded up to whole tiles; at most 2^31 - 1; 0 for the default.}
#' }
#'
#' @section Records:
#' \describe{
#'   \item{`pcfdist.timeline`}{`TRUE` or `FALSE` (the default): should [last_run()] contain the times of
#'     every block?}
#' }
#'
#' @return None; this page documents options.
#'
#' @examples
#' old <- options(pcfdist.threads = 1)
#' pdist(pcf(list(c(0, 1), c(0, 2)), list(c(1, 0), c(1, 0))))
#' options(old)
#' @name pcfdist_options
NULL
