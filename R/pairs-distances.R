#' Distances between piecewise constant or linear functions
#'
#' @description
#' `pdist()` computes the Lp distances between all pairs of functions in a collection, `cdist()` those
#' between the functions of two collections, and `lp_distance()` those between corresponding
#' functions.
#'
#' The distance of \eqn{f} and \eqn{g} is
#' \deqn{\left(\int_{from}^{to} |f(t) - g(t)|^p dt\right)^{1/p}}{
#' (integral over [from, to] of |f(t) - g(t)|^p dt)^(1/p)}
#' and, for `p = Inf`, the essential supremum of \eqn{|f - g|}, which ignores single times. No grid is
#' used: distances are exact up to rounding.
#'
#' Functions that go on with different values need a window that ends, `to`, and functions that are observed at
#' different times need `missing = "mean"` or `"overlap"`.
#'
#' @details
#' A function is 0 before its first breakpoint, unless that has the time `-Inf`, and holds its last value
#' forever. The distance of two functions that differ after their last breakpoints is therefore `Inf`,
#' unless `to` ends the window. Distances are never negative or `NaN`, `d(f, f)` is 0, and `d(f, g)` and
#' `d(g, f)` are identical.
#'
#' Results do not depend on the number of threads or GPUs, nor on the order of the functions. CPU and
#' GPU agree up to rounding, and so do calls about different collections that contain the same two
#' functions, since each call uses the method that is expected to be fastest: see [pcf_plan()].
#' `lp_distance()` always uses the CPU.
#'
#' The packages rdist and pdist also have functions named `pdist` and `cdist`. If one of them is attached
#' as well, use `pcfdist::pdist(x)`.
#'
#' @param x,y Collections of functions: [pcf] or [plf] objects, including arrays of functions.
#' @param f,g Collections of functions. The shorter is recycled to the length of the longer, which must be
#'   a multiple of it.
#' @param p The exponent, a number of at least 1, or `Inf`. Multiples of 1/2 up to 32 take a few times as
#'   long as 1; other exponents take about ten times as long on the CPU.
#' @param from,to The window of integration: numbers or, for functions with a [time_unit()], times of this
#'   unit. By default the whole line. Functions must be observed at a finite end unless `missing` says
#'   otherwise. If `from` and `to` are the same, the results are 0, also for `p = Inf`, and `NA` with
#'   `missing = "mean"`.
#' @param missing How to treat times at which functions are not observed: `"error"`, `"overlap"` or
#'   `"mean"`; see the section *Partially observed functions* of [pdist()].
#' @param weight `NULL`, or a weight function: a [pcf] of length 1 that is observed and non-negative
#'   throughout the window.
#' @param distance `"lp"` for the Lp distance with exponent `p`, or another of the [pcfdist_distances]:
#'   `"relative"`; for distribution functions, `"wasserstein"`, `"energy"`, `"cramer"` or `"ks"`; for spike trains,
#'   `"spike"`.
#' @param min_overlap `NULL`, or a length of time: a number or a [difftime]. Pairs that share less time in the window,
#'   as [overlap()] measures it with the same weight, are treated like pairs that share none: their results are `NA`,
#'   and they are no neighbours. This needs `missing = "overlap"` or `"mean"`.
#' @param device `"cpu"`, `"cuda"` for all GPUs, or `"auto"` for the GPUs if they are expected to be
#'   faster and the CPU otherwise.
#' @param precision `"double"`, or `"single"`, which takes about two thirds of the time and gives about
#'   six digits; see the section *Precision* of [pdist()].
#' @param threads The number of threads.
#' @param progress If `TRUE`, calls of more than two seconds draw a progress bar. The default is `TRUE` in
#'   interactive sessions.
#'
#'   The defaults of `device`, `precision`, `threads` and `progress` are options: see [pcfdist_options].
#' @param file `NULL`, or the name of a file for the results, which may then be far larger than the memory:
#'   see [open_distances()]. If a call was interrupted, the same call continues it.
#' @param storage The type of the numbers in the `file`: `"double"`, or `"single"`, rounded to 4 bytes.
#' @param check If `TRUE`, and the `file` already has the results of this call, the checksums of all blocks
#'   are verified, which reads the file once.
#' @param jobs `NULL`, or the number of jobs into which to divide the call. The package \pkg{future} runs
#'   them in other processes and on other machines: see [pcfdist_jobs]. `pdist()`, `cdist()`
#'   and `l2_kernel()` then require `file`.
#' @param margin `NULL`, or 1 for functions with several components: collections then are matrices, and each
#'   row is one function. With 2, each column is one function. See the section *Functions with several
#'   components* of [pdist()].
#'
#' @return
#' `pdist()`: a [`dist`][stats::dist] object, as used by [hclust()][stats::hclust],
#' [cmdscale()][stats::cmdscale] and many others. Its labels are the names of `x` or, for an array, its
#' dimnames joined as in "a, b". Its attribute `method` is `"L1"`, `"L2"`, `"Lp"` or `"Linf"`, or the name
#' of another distance, and `p` is the exponent, if there is one.
#'
#' `cdist()`: an array with the dimensions `c(dim(x), dim(y))`, and with dimnames, as from [outer()]. For
#' plain collections, which have no dimensions, it is a matrix with `length(x)` rows and `length(y)`
#' columns.
#'
#' `lp_distance()`: a numeric vector or array with the names, dimensions and dimnames of `f - g` for
#' vectors or arrays of these shapes.
#'
#' The unit of distances is that of the values times that of the times to the power \eqn{1/p}: days for
#' dates, seconds for date-times, and the units of a `difftime`; see [time_unit()]. Means have the unit of
#' the values. Pairs without an overlap give `NA`.
#'
#' @section Partially observed functions:
#' A function is not observed where its value is `NA`; see [pcf()]. By default (`missing = "error"`), all
#' functions of a call must be observed at the same times in the window, as are regular series with a common
#' gap, or curves that end at the same time. The integral is then over these times. Otherwise an error of
#' class `pcfdist_error_missing` names the first function that differs. [lp_distance()] requires this of
#' each pair only.
#'
#' Functions must also be observed at a finite `from` or `to`, that is, right after `from` and right before
#' `to`. Otherwise the same error names a function and the time up to which, or from which on, it is
#' observed. Infinite ends stand for all times of observation.
#'
#' There are three ways to avoid the error. One is a window, `from` and `to`, in which all functions are
#' observed. The others are
#'
#' * `missing = "overlap"`: the integral is over the times at which both functions of a pair are observed.
#'   Pairs with a shorter overlap tend to have smaller distances.
#' * `missing = "mean"`: this integral is divided by the length of the overlap before the root is taken.
#'   The result is a mean over time, which can be compared between pairs with shorter and longer overlaps.
#'   Infinite overlaps raise an error: use a finite window. The supremum (`p = Inf`) is not changed.
#'
#' Without any overlap in the window the result is `NA`, and one warning of class `pcfdist_warning_missing` says
#' how many pairs are concerned, unless the results are in a `file`; [overlap()] returns the lengths of overlaps. A
#' function that is observed anywhere in the window has distance 0 from itself. Distances over overlaps need
#' not satisfy the triangle inequality.
#'
#' Means over short overlaps are less certain, and the smallest distances are often theirs. `min_overlap` leaves out
#' pairs that share less time. Overlaps that are as long but for rounding stay: those that are shorter by less than 8
#' units in the last place of the largest time at which observation begins or ends.
#'
#' This costs nothing for collections without `NA`. The lengths of overlaps for `"mean"`, and for any `min_overlap`, are
#' found from the times at which observation begins and ends, a block of pairs at a time. This takes little time if
#' there are few such times, and about half as long as the integrals if a tenth of all values is missing at scattered
#' times. If all functions are observed at the same times, or are all observed together for `min_overlap`, nothing needs
#' to be found.
#'
#' @section Weights:
#' With `weight`, a function \eqn{w \ge 0}, the distance is
#' \deqn{\left(\int_{from}^{to} w(t) |f(t) - g(t)|^p dt\right)^{1/p}}{
#' (integral over [from, to] of w(t) |f(t) - g(t)|^p dt)^(1/p)}
#' and for `p = Inf` the supremum where \eqn{w} is positive. Lengths of overlaps are weighted too, so that
#' `missing = "mean"` gives weighted means. Functions are ignored, and need not be observed, where the
#' weight is 0. If it is 0 throughout the window, all distances are 0.
#'
#' Intervals with small weights, down to 1e-300 of the largest, keep their accuracy beside intervals with large
#' ones. The cost is that of adding each breakpoint of the weight to every function, which is little if the
#' weight has few. With `precision = "single"`, weights whose largest value is more than 100 times their
#' smallest non-zero value are computed in double precision.
#'
#' @section Piecewise linear functions:
#' Distances and inner products of the functions of a [plf] are as exact as those of step functions. If one
#' collection is a `pcf` and the other a `plf`, the step functions are treated as piecewise linear functions.
#' Weights are always step functions.
#'
#' Rounding errors are small relative to the largest values of the two functions between two
#' breakpoints, but not always relative to their difference, which has fewer digits where lines come
#' close to each other.
#'
#' Most calls take one to three times as long as for step functions with as many breakpoints.
#'
#' @section Functions with several components:
#' With `margin = 1`, collections are matrices of functions, such as patients by vital signs, or diagrams by
#' levels of their landscapes. Each row is one function with a component in each column, and distances are
#' \deqn{\left(\sum_c \int_{from}^{to} |f_c(t) - g_c(t)|^p dt\right)^{1/p}}{
#' (sum over c of the integral over [from, to] of |f_c(t) - g_c(t)|^p dt)^(1/p)}
#' and, for `p = Inf`, the largest distance of a component. Inner products are the sums of those of the
#' components. The window and the weight apply to each component. `missing = "overlap"` uses the overlaps of
#' each component, and `"mean"` divides the sum by their total length. Results are named by the rows. Two
#' collections must have equally many columns.
#'
#' In an infinite window, components must be 0 or not observed towards its infinite ends. Otherwise an error
#' names the row and the column.
#'
#' A row is computed as one function whose components follow each other in time. They are shifted if this
#' rounds no time, as for whole numbers. Otherwise times are multiplied by powers of two, and the integrals
#' by the inverses, which rounds no time either, however different the times of components are; this takes 10
#' to 70 % longer, and `precision = "single"` becomes double precision. Only with about a hundred
#' components or more, times are rounded by up to 1e-13 of themselves, or 1e-12 with thousands. Components
#' whose spans differ by factors of \eqn{10^{300}} raise an error.
#'
#' @section Precision:
#' In single precision, times and values are first rounded to about 7 digits. Times that are large
#' relative to their range, such as dates and seconds since 1970, lose nothing by this: they are counted
#' from the first change of a function in the window. Long sums are regularly moved to double precision,
#' so that errors do not grow with the length of the functions. Some calls are computed in double
#' precision in any case, and take as long: those with `p = Inf`; with values that differ by factors
#' beyond 1e12 (1e18 for `p = 1`); distances of values with a common offset, where a quarter of the values in the
#' window other than 0 are within 1/1000 of each other but not equal, unless all have at most 24 significant bits
#' and belong to step functions; with functions that are far apart in time, by about 64 times what most of
#' them span or 1e18 times what any of them spans; and with windows far wider than the functions.
#'
#' In single precision, times are rounded to 2^-24 of the time that all functions and a `weight` span. Two
#' functions that both span less than 1/30 of it have fewer digits: if they span 1/64, the error is up to 1e-5 of
#' the sum of their norms, and if they span 1/1000, up to 2e-4, for step functions and piecewise linear ones alike.
#' A pair of which only one is that short has all digits. Pairs that are both observed for less than 1/4096 of this
#' time are computed in double precision.
#'
#' All functions of a call are scaled alike. If values, widths or their powers differ by factors beyond
#' 1e300, the smaller ones may be lost next to the larger, even if these belong to other functions;
#' [lp_norm()] of a difference does not lose them. In single precision, a stretch is lost if it contributes
#' less than about 1e-45 of the largest value, to the power of `p`, times the largest time.
#'
#' @section Errors:
#' Invalid arguments raise an error of class `pcfdist_error_<argument>`, such as `pcfdist_error_x`; the
#' condition has the name of the argument in the field `argument`. The message names a function that breaks
#' the rules of [pcf()], and the position. If memory, a device or threads are not available, the class
#' is `pcfdist_error_memory`, `pcfdist_error_device` or `pcfdist_error_system`. A result that is larger than the
#' available memory raises the first of these before anything is computed, where the system (Linux) tells how
#' much is available; [pcf_plan()] gives its size. Values that are too far apart
#' for double precision, by factors of \eqn{10^{380}} and more, raise `pcfdist_error_argument`. All classes
#' inherit from `pcfdist_error`. A call that is interrupted or fails returns nothing.
#'
#' @section Infinite results:
#' A warning of class `pcfdist_warning_infinite` is given if all results are infinite because the window is
#' infinite and the functions do not return to 0, or to each other. It says how to avoid this.
#'
#' @references
#' Wehlin, B. (2024). Massively parallel computation of similarity matrices from
#' piecewise constant invariants. \doi{10.48550/arXiv.2404.07183}
#'
#' @seealso [pcfdist_distances] for other distances, [open_distances()] for results in files,
#'   [overlap()] for the lengths of overlaps, [l2_kernel()] for inner products, [lp_norm()] for norms,
#'   [restrict()] for windows, [pcf_plan()] for the expected cost of a call
#'
#' @examples
#' x <- pcf(
#'   times = list(a = c(0, 1, 4), b = c(0, 2), c = c(1, 3)),
#'   values = list(c(1, 2, 0), c(3, 0), c(2, 0))
#' )
#' pdist(x)
#' pdist(x, p = 2, to = 3)
#' hclust(pdist(x), method = "average")
#'
#' cdist(x, x["b"])
#' lp_distance(x, x["b"], p = Inf)
#'
#' # `b` is observed from 1 to 3 only
#' y <- c(x["a"], pcf(list(b = c(-Inf, 1, 3)), list(c(NA, 5, NA))))
#' pdist(y, from = 1, to = 3)
#' pdist(y, missing = "overlap")
#' pdist(y, missing = "mean", from = 0, to = 5)
#'
#' # Two functions with two components each
#' m <- x[c("a", "b", "b", "c")]
#' dim(m) <- c(2, 2)
#' pdist(m, p = 2, margin = 1)
#'
#' # Half weight for late differences
#' pdist(x, weight = pcf(c(0, 2), c(1, 0.5)))
#'
#' # The L1 distance of two distribution functions is the 1-Wasserstein distance,
#' # here the mean difference of the sorted samples; see wasserstein() for other exponents
#' set.seed(1)
#' u <- rnorm(50)
#' v <- rnorm(50, 1)
#' lp_distance(as_pcf(ecdf(u)), as_pcf(ecdf(v)))
#' mean(abs(sort(u) - sort(v)))
#' @export
pdist <- function(x, p = 1, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"),
                  weight = NULL, distance = "lp", margin = NULL, min_overlap = NULL,
                  device = NULL, precision = NULL, threads = NULL, progress = NULL, file = NULL,
                  storage = c("double", "single"), check = TRUE, jobs = NULL) {
  operation <- operation_of(p, distance, !missing(p))
  call <- check_integrals(x, NULL, from, to, missing, weight, margin, operation, precision = precision,
                          min_overlap = min_overlap)
  file <- check_file(file, storage, check, jobs)
  settings <- settings_of_call(device, precision, threads, progress, jobs)
  attributes <- list(
    Size = length(call$x), Labels = function_labels(call$x), Diag = FALSE, Upper = FALSE,
    method = operation$method, p = operation$p, call = match.call(), class = "dist"
  )
  request <- request_for(call, operation, "dist", "below", attributes, file)
  run_pairwise(call$x, NULL, request, settings)$value
}

#' @rdname pdist
#' @export
cdist <- function(x, y, p = 1, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"),
                  weight = NULL, distance = "lp", margin = NULL, min_overlap = NULL,
                  device = NULL, precision = NULL, threads = NULL, progress = NULL, file = NULL,
                  storage = c("double", "single"), check = TRUE, jobs = NULL) {
  operation <- operation_of(p, distance, !missing(p))
  call <- check_integrals(x, check_either(y, "y"), from, to, missing, weight, margin, operation, precision = precision,
                          min_overlap = min_overlap)
  file <- check_file(file, storage, check, jobs)
  settings <- settings_of_call(device, precision, threads, progress, jobs)
  shape <- outer_shape(call$x, call$y)
  request <- request_for(call, operation, "dense", "full", shape, file)
  run_pairwise(call$x, call$y, request, settings)$value
}

#' @rdname pdist
#' @export
lp_distance <- function(f, g, p = 1, from = -Inf, to = Inf, missing = c("error", "overlap", "mean"),
                        weight = NULL, distance = "lp", margin = NULL, min_overlap = NULL,
                        precision = NULL, threads = NULL, progress = NULL) {
  arguments <- c(x = "f", y = "g")
  operation <- operation_of(p, distance, !missing(p))
  g <- check_either(g, "g")
  call <- check_integrals(f, g, from, to, missing, weight, margin, operation, arguments, precision, min_overlap)
  check_recycling(call$x, call$y)
  settings <- run_settings("cpu", precision, threads, progress)
  settings$kernel <- "walk"
  shape <- as.list(attributes(combined_shape(call$x, call$y, c("f", "g"))))
  request <- request_for(call, operation, "paired", "paired", shape)
  run_pairwise(call$x, call$y, request, settings, arguments)$value
}
