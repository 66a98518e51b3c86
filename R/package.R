#' Exact distances of piecewise constant functions
#'
#' @description
#' Distances, inner products and arithmetic of piecewise constant functions with any
#' breakpoints: step functions, empirical distribution functions, Kaplan-Meier curves,
#' stable ranks, Betti curves, and series that hold their last value. Piecewise linear functions, such as
#' measurements that are joined by lines, densities and persistence landscapes, are computed with in the
#' same way: most functions take both.
#'
#' Start with [pcf()] or [as_pcf()] to make a collection of functions, then use [pdist()],
#' [cdist()] or [l2_kernel()]. `vignette("pcfdist")` is the introduction,
#' `vignette("analysis")` goes from data to a figure, `vignette("survival")` is about survival
#' curves, `vignette("copy-number")` about segments with gaps, `vignette("lines-or-steps")` about
#' measurements that are joined or held, and `vignette("engine")` explains how the computation works.
#'
#' @section Making functions:
#' * [pcf()]: from times and values; [is_pcf()] tells whether something is one. The page
#'   [pcf-methods] tells how collections are subset, combined, compared and printed,
#'   [pcf-generics] what `apply()`, `diff()`, `sort()` and other functions of R do with them.
#' * [time_unit()]: times that are dates, date-times or lengths of time; [value_name()]: what the values are.
#' * [as_pcf()]: from matrices, data frames, step functions, survival curves, time series.
#' * [plf()], [as_plf()]: piecewise linear functions; [cumulative()]: the integrals of step functions.
#' * [stable_rank()], [betti_curve()], [euler_curve()], [accumulated_persistence()],
#'   [landscape()], [silhouette()]: from persistence diagrams.
#' * [rpcf()], [rcounting()]: random ones.
#' * [as.data.frame()][as.data.frame.pcf], `as.matrix()` and `as.stepfun()` lead back.
#'
#' @section Comparing functions:
#' * [pdist()]: all distances within a collection.
#' * [cdist()]: all distances between two collections.
#' * [lp_distance()]: distances of single pairs.
#' * [l2_kernel()]: all inner products.
#' * [open_distances()], [collect()]: results that lie in files, and are larger than the memory.
#' * [distance_product()], [kernel_product()], [kernel_operator()]: sums of distances and kernels
#'   over all functions, without the matrix.
#' * [nearest_neighbors()], [neighbors_within()]: the nearest functions of each, without the matrix;
#'   [as_knn_graph()], [as_uwot()]: graphs of them, and what UMAP takes.
#' * [reduce_distances()]: the smallest or largest distance of each, counts and smooth minima.
#'
#' @section Numbers from functions:
#' * [lp_norm()], [integral()]: one for each function.
#' * [evaluate()]: values at any times.
#' * [crossing_time()]: when functions reach a level: medians, other quantiles of time.
#' * [permutation_test()]: whether groups of functions differ.
#'
#' @section Functions from functions:
#' * [mean(), sum(), max(), min(), range()][reductions]: many into one.
#' * [aggregate()][aggregate.pcf]: many into one for each group.
#' * [linear_combinations()]: the product of a matrix and a collection, or a vector.
#' * [Operators and mathematics][pcf-algebra]: value by value.
#' * [restrict()], [shift_time()], [scale_time()], [simplify()]: other breakpoints.
#' * [observed()]: where functions are known.
#' * [inverse()]: inverses of monotone functions.
#' * [rectangles()]: the stretches on which two functions are constant.
#' * [quantile(), median()][plot_bands]: quantiles at each time.
#'
#' @section Piecewise linear functions:
#' A [plf] goes wherever help pages say that they take one: distances, inner products, neighbours,
#' trees and sums of distances, norms, integrals and values, sums, means, extrema and quantiles,
#' arithmetic that stays linear, levels and inverses, pictures and files. Calls with functions of both
#' kinds take step functions for piecewise linear ones, which they are. What needs step functions, and
#' GPUs, do not take a [plf]: that is an error which says so.
#'
#' @section Pictures:
#' * [plot(), lines()][plot.pcf]: functions.
#' * [plot_bands()]: groups of functions, with bands of quantiles.
#' * [plot_barcode()]: persistence diagrams.
#' * [autoplot()][autoplot.pcf]: functions with ggplot2.
#'
#' @section Ragged vectors:
#' * [segment_reduce()], [reduce_by_key()]: sums and extrema of segments and runs.
#' * [interval_expand()], [interval_move()]: repeating and copying intervals.
#'
#' @section How it runs:
#' * [pcf_plan()], [last_run()]: what a call would do, and what the last one did.
#' * [pcfdist_options]: device, precision, threads, progress.
#' * [pcfdist_jobs]: many processes and machines.
#' * [cuda_info()]: what there is of CUDA.
#' * [on_gpu()], [release()]: functions that stay on GPUs between calls.
#'
#' @keywords internal
#' @useDynLib pcfdist, .registration = TRUE
"_PACKAGE"

# What changes while the package is loaded: what the last computation was, see last_run(); the
# bar that shows the progress of this one; and the plot that was begun last, with the unit of its
# times.
the <- new.env(parent = emptyenv())

.onLoad <- function(libname, pkgname) {
  watch_package("proxy", register_proximities)
  watch_package("Matrix", register_products)
  watch_package("DelayedArray", register_seeds)
}

# Nothing may call the package when it is gone.
.onUnload <- function(libpath) {
  leave_package("proxy", register_proximities, forget_proximities)
  leave_package("Matrix", register_products, forget_products)
  leave_package("DelayedArray", register_seeds, forget_seeds)
  .Call(ffi_drop_all_residents)
  .Call(ffi_cuda_release)
  gc()
  # Vectors in files need its code as long as they are there.
  if (.Call(ffi_open_vectors) == 0) library.dynam.unload("pcfdist", libpath)
}

# What another package holds of this one is registered as soon as both are loaded.
watch_package <- function(package, register) {
  if (isNamespaceLoaded(package)) register()
  setHook(packageEvent(package, "onLoad"), register)
}

leave_package <- function(package, register, forget) {
  loaded <- packageEvent(package, "onLoad")
  others <- Filter(function(hook) !identical(hook, register), getHook(loaded))
  setHook(loaded, others, "replace")
  if (isNamespaceLoaded(package)) forget()
}
