#' Exact Distances Between Piecewise Constant and Linear Functions
#'
#' @description
#' Distances, inner products and arithmetic of piecewise constant functions with arbitrary breakpoints:
#' step functions, empirical distribution functions, Kaplan-Meier curves, stable ranks, Betti curves, and
#' series that hold their last value. Most functions of the package also take piecewise linear functions,
#' such as measurements joined by lines, densities and persistence landscapes.
#'
#' Start with [pcf()] or [as_pcf()] to make a collection of functions, then use [pdist()], [cdist()] or
#' [l2_kernel()]. `vignette("pcfdist")` is the introduction. `vignette("analysis")` leads from data to a
#' figure, `vignette("survival")` is about survival curves, `vignette("distributions")` about samples,
#' `vignette("spike-trains")` about events,
#' `vignette("lines-or-steps")` about measurements that are joined by lines or held, and
#' `vignette("half-a-million")` about very large collections. `vignette("engine")` explains how a call is
#' computed.
#'
#' @section Creating functions:
#' * [pcf()] from times and values; [is_pcf()] tests whether an object is a `pcf`. [pcf-methods] describes
#'   how to subset, combine, compare and print collections, and [pcf-generics] what `apply()`, `diff()`,
#'   `sort()` and other functions of R do with them.
#' * [time_unit()] for times that are dates, date-times or time differences; [value_name()] for what the values are.
#' * [as_pcf()] from matrices, data frames, step functions and time series, and
#'   [from fits of survival, cmprsk and prodlim][as_pcf.survfit].
#' * [plf()] and [as_plf()] for piecewise linear functions, [is_plf()] to test for them;
#'   [cumulative()] for integrals of step functions, and [derivative()] for slopes.
#' * [stable_rank()], [betti_curve()], [euler_curve()], [accumulated_persistence()], [landscape()] and
#'   [silhouette_curve()] from persistence diagrams.
#' * [counting()] and [interspike()] from times of events; [distribution()] from samples.
#' * [as_diagram()] for the persistence diagram of a clustering; [subsample()], [subsample_near()] and
#'   [rpoisson_points()] for subsamples of points and random points.
#' * [rpcf()] and [rcounting()] for random functions.
#' * [write_npy()] and [read_npy()] for files that other programs read.
#' * [as.data.frame()][as.data.frame.pcf], `as.matrix()` and `as.stepfun()` to convert back;
#'   [as.data.frame()][as.data.frame.NN] of neighbours, trees, tests and bands, and `tidy()` and `glance()`.
#'
#' @section Comparing functions:
#' * [pdist()] for all distances within a collection, [cdist()] between two collections, and
#'   [lp_distance()] for single pairs.
#' * [l2_kernel()] for all inner products; [homological_kernel()] for persistence diagrams.
#' * [wasserstein()] and [energy_distance()] between distributions; [sliced()] for samples of points.
#' * [spike()] and [spike_profile()] for spike trains.
#' * [open_distances()] and [collect()] for results in files, which may be larger than memory;
#'   [as_delayed_matrix()] for DelayedArray.
#' * [distance_product()], [kernel_product()] and [kernel_operator()] for sums of distances and kernels
#'   over all functions, without the matrix.
#' * [nearest_neighbors()] and [neighbors_within()] for the nearest functions, without the matrix;
#'   [as_knn_graph()] and [as_uwot()] to convert them to graphs, and for UMAP.
#' * [spanning_tree()] for the minimum spanning tree, single linkage and HDBSCAN.
#' * [overlap()] for the times that two functions are both observed.
#' * [reduce_distances()] for the smallest or largest distance of each function, counts and smooth minima.
#'
#' @section Clusters, depth and components:
#' * [k_means()] and [k_medoids()] for clusters; [spanning_tree()] for trees of them.
#' * [functional_depth()], [boxplot()][boxplot.pcf] and [lof()] for typical functions and outliers.
#' * [prcomp()][prcomp.pcf] for principal components; [variance()] and [standard_deviation()] at each time.
#' * [permutation_test()] to test whether groups of functions differ.
#'
#' @section Numbers from functions:
#' * [lp_norm()] and [integral()] for norms and integrals.
#' * [evaluate()] for values at given times.
#' * [crossing_time()] for the times at which functions reach a level, such as medians and other quantiles
#'   of time.
#' * [max_value(), min_value()][max_value] for the largest and smallest value of each function, and
#'   [time_of_max(), time_of_min()][max_value] for when they are reached.
#' * [spells()] for when a condition such as `x > 10` holds.
#' * [max_time()] for the last breakpoints.
#' * [restricted_mean()] for restricted mean survival times, with errors, and their differences.
#'
#' @section Functions from functions:
#' * [mean(), sum(), max(), min(), range()][reductions] of all functions; `pmax()` and `pmin()`.
#' * [confidence_bands()] of means and survival curves.
#' * [aggregate()][aggregate.pcf] by groups.
#' * [linear_combinations()] for the product of a matrix, or a vector, and a collection.
#' * [Operators and mathematics][pcf-algebra], applied to the values.
#' * [restrict()], [shift_time()], [scale_time()] and [drop_redundant()], which change the breakpoints.
#' * [observed()] for where functions are observed; [fill_missing()] to fill gaps.
#' * [inverse()] for inverses of monotone functions; [rolling_mean()] for means over a moving window.
#' * [rectangles()] for the intervals on which two functions are constant.
#' * [quantile(), median()][plot_bands] at each time.
#'
#' @section Piecewise linear functions:
#' A [plf] can be used wherever a help page says so: for distances, inner products, neighbours, trees and
#' sums of distances; norms, integrals and values; sums, means, extrema and quantiles; arithmetic whose
#' result is piecewise linear; levels and inverses; plots and files. In calls with functions of both
#' kinds, step functions are converted to piecewise linear ones. Functions that need a [pcf] raise an
#' error that says so.
#'
#' @section Plots:
#' * [plot(), lines()][plot.pcf] of functions.
#' * [plot_bands()] for groups of functions, with bands of quantiles.
#' * [add_at_risk()] for numbers at risk below a plot of survival curves.
#' * [plot_barcode()] for persistence diagrams.
#' * [autoplot()][autoplot.pcf] with ggplot2.
#'
#' @section Ragged vectors:
#' * [segment_reduce()] and [reduce_by_key()] for sums and extrema of segments and runs.
#' * [interval_expand()] and [interval_move()] to repeat and copy intervals.
#'
#' @section Computation:
#' * [pcf_plan()] and [last_run()] for what a call would do, and what the last one did.
#' * [pcfdist_options] for device, precision, threads and progress.
#' * [pcfdist_jobs] for several processes and machines.
#' * [cuda_info()] for the state of CUDA.
#' * [on_gpu()] and [release()] for functions that stay on GPUs between calls.
#'
#' @keywords internal
#' @useDynLib pcfdist, .registration = TRUE
"_PACKAGE"

.onLoad <- function(libname, pkgname) {
  watch_package("proxy", register_proximities)
  watch_package("Matrix", register_products)
  watch_package("DelayedArray", register_seeds)
}

# Nothing may call the package after it has been unloaded.
.onUnload <- function(libpath) {
  leave_package("proxy", register_proximities, forget_proximities)
  leave_package("Matrix", register_products, forget_products)
  leave_package("DelayedArray", register_seeds, forget_seeds)
  .Call(ffi_drop_all_residents)
  .Call(ffi_cuda_release)
  gc()
  # Vectors in files need the code of the package for as long as they exist.
  if (.Call(ffi_open_vectors) == 0) library.dynam.unload("pcfdist", libpath)
}

# `register` tells another package about this one, as soon as both are loaded.
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
