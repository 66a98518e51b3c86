#' Distances between piecewise constant or linear functions
#'
#' @description
#' `pdist()` computes the Lp distances between all pairs of functions of a
#' collection, `cdist()` those between the functions of two collections, and
#' `lp_distance()` those between corresponding functions.
#'
#' The distance of \eqn{f} and \eqn{g} is
#' \deqn{\left(\int_{from}^{to} |f(t) - g(t)|^p dt\right)^{1/p}}{
#' (integral over [from, to] of |f(t) - g(t)|^p dt)^(1/p)}
#' and, for `p = Inf`, the supremum of \eqn{|f - g|} over all stretches of positive
#' length. No grid is imposed on the functions: the distances are exact up to rounding.
#'
#' @details
#' A function is 0 before its first breakpoint (unless that has the time `-Inf`) and keeps its
#' last value for ever. Two functions that never meet again after their last breakpoints are therefore at the
#' distance `Inf`, unless `to` ends the window. Distances are never negative or `NaN`,
#' `d(f, f)` is 0 and `d(f, g)` equals `d(g, f)` to the last bit.
#'
#' The result does not depend on the number of threads or GPUs, nor on the order of the
#' functions. CPU and GPU agree up to rounding. In single precision, times and values are
#' rounded to about 7 digits first. Times that are large beside what they span, such as dates and
#' seconds since 1970, lose nothing by that: they are counted from the first time in the window
#' at which a function changes. Long sums are moved to double precision piece by piece, so
#' that the error does not grow with the length of the functions. `p = Inf`, values that differ by
#' factors beyond 1e12 (1e18 for `p = 1`), functions that are far apart in time, by about 64 times
#' what most of them span or 1e18 times what any of them does, and windows far wider than the
#' functions are always computed in double precision, which takes as long as that.
#'
#' In single precision a time has 24 bits of the whole time that all functions span. Two functions that
#' both span less than 1/30 of that have fewer digits: where they span 1/64 the error is up to 1e-5 of
#' the sum of their norms, and where they span 1/1000 up to 2e-4, for step functions and piecewise linear
#' ones alike. A pair of which only one is so short has all digits.
#'
#' All functions of a call are scaled alike. Where values, widths or their powers differ by
#' factors beyond 1e300, the smaller ones may vanish beside the larger, also where those are
#' of other functions; [lp_norm()] of a difference does not lose them. In single precision
#' stretches vanish that contribute less than about 1e-45 of the largest value, to the power of
#' `p`, times the largest time.
#'
#' For empirical distribution functions the L1 distance is the 1-Wasserstein distance
#' of the samples; [wasserstein()] has that for any `p`.
#'
#' The packages rdist and pdist have functions of the names `pdist` and `cdist` too.
#' When one of them is attached as well, write `pcfdist::pdist(x)`.
#'
#' @param x,y Collections of functions: [pcf] or [plf] objects, arrays of functions included.
#' @param f,g Collections of functions, recycled to the length of the longer one, which
#'   must be a multiple of the shorter one.
#' @param p The exponent, a number of at least 1, or `Inf`. Multiples of 1/2 (up to 32) take
#'   a few times as long as 1, other exponents on the CPU about ten times as long.
#' @param from,to The window of integration: numbers or, for functions with a [time_unit()],
#'   times of this unit. From \eqn{-\infty} to \eqn{\infty} by default. Functions have to be
#'   observed at a finite end, unless `missing` says otherwise: see below.
#' @param missing What to do where functions are not observed, `"error"`, `"overlap"` or `"mean"`:
#'   see below.
#' @param weight `NULL`, or a weight: a [pcf] of one function, which is observed and not negative
#'   throughout the window.
#' @param distance `"lp"` for the Lp distance with the exponent `p`, or another one of
#'   [pcfdist_distances]: `"relative"` or, of distribution functions, `"wasserstein"`, `"energy"`,
#'   `"cramer"` or `"ks"`.
#' @param device `"cpu"`, `"cuda"` for all GPUs, or `"auto"`: the GPUs where they are
#'   expected to be faster, else the CPU.
#'   `lp_distance()` always runs on the CPU, but refuses a device that is not there, too.
#' @param precision `"double"`, or `"single"`, which takes about two thirds of the time and
#'   gives about six digits.
#' @param threads The number of threads.
#' @param progress Should calls of more than two seconds draw a progress bar? By default
#'   in interactive sessions.
#'
#'   The last four arguments have options and defaults of their own: see
#'   [pcfdist_options].
#' @param file `NULL`, or the name of a file in which the results are to lie instead of in memory,
#'   which they may be far larger than: see [open_distances()]. The same call goes on where
#'   one was interrupted.
#' @param storage How numbers are kept in the `file`: `"double"`, or `"single"`, rounded to floats
#'   of 4 bytes.
#' @param check Where the `file` has the results of this call already, should all their blocks be
#'   compared with their checksums? It reads the file once.
#' @param jobs `NULL`, or into how many jobs to cut the call, which the package \pkg{future} runs in
#'   other processes and on other machines: see [pcfdist_jobs]. The functions with the
#'   argument `file` need one then.
#' @param margin `NULL`, or 1 where functions have several components: then collections are matrices,
#'   and each row is one function, see below. With 2 it is each column.
#'
#' @return
#' `pdist()`: a [`dist`][stats::dist] object with the names of `x` as labels (of an array of
#' functions its dimnames, joined as in "a, b"), which
#' [hclust()][stats::hclust], [cmdscale()][stats::cmdscale] and many others take. Its
#' attribute `method` is `"L1"`, `"L2"`, `"Lp"` or `"Linf"`, or the name of another distance, and
#' `p` is the exponent, if it has one.
#'
#' `cdist()`: an array with the dimensions `c(dim(x), dim(y))`, where a collection
#' without dimensions counts with its length, and with dimnames, as of
#' [outer()]. For plain collections it is a matrix with `length(x)` rows and `length(y)`
#' columns.
#'
#' `lp_distance()`: a numeric vector. Names, dimensions and dimnames are those that R gives
#' differences of numbers of these shapes.
#'
#' Distances have the unit of the values times that of the times to the power
#' \eqn{1/p}: days for dates, seconds for date-times, and the units of a `difftime`, see
#' [time_unit()]. Means have that of the values. Pairs without an overlap have `NA`.
#'
#' @section Functions known only in part:
#' Where the value of a function is `NA` it is not observed; see [pcf()]. By default
#' (`missing = "error"`) all functions of a call have to be observed on the same stretches of the
#' window, as regular series with a common gap are, or curves that are cut at one time: the
#' integral is then over these, and otherwise there is an error, `pcfdist_error_missing`, that names
#' the first function that differs. [lp_distance()] asks that of each pair for itself.
#'
#' A finite `from` or `to` has to be observed as well: each function from right after `from` on, and
#' until right before `to`. Otherwise there is the same error, which names a function and the time
#' up to which, or from which on, it is observed. An infinite end stands for all that is observed.
#'
#' The ways out are a window in which all are observed, with `from` and `to`, or
#'
#' * `missing = "overlap"`: the integral is over the stretches on which both functions of the pair
#'   are observed. A pair that shares less then has a smaller distance.
#' * `missing = "mean"`: it is divided by the length of these stretches before the root is taken:
#'   a mean over time, by which pairs that share more and less can be compared. Overlaps without
#'   end are an error: end the window. The supremum, `p = Inf`, is left as it is.
#'
#' Without any overlap in the window the result is `NA`. [overlap()] gives the
#' lengths. A function that is observed somewhere in the window has the distance 0 from itself.
#' Distances over overlaps need not satisfy the triangle inequality.
#'
#' Collections without `NA` take as long as ever. For `"mean"` the lengths of overlaps are found from
#' the times at which functions begin and end to be observed. That takes little where these are few,
#' and about half as long as the integrals where a tenth of all values is missing here and there.
#'
#' @section Weights:
#' With `weight`, a function \eqn{w \ge 0}, the distance is
#' \deqn{\left(\int_{from}^{to} w(t) |f(t) - g(t)|^p dt\right)^{1/p}}{
#' (integral over [from, to] of w(t) |f(t) - g(t)|^p dt)^(1/p)}
#' and for `p = Inf` the supremum over the stretches on which \eqn{w} is positive. The lengths of
#' overlaps are weighted too, so that `missing = "mean"` gives weighted means. What functions do
#' where the weight is 0 does not matter, not even whether they are observed; if it is 0 throughout
#' the window, all distances are 0.
#'
#' Every stretch counts with the weight that it has, however little that is beside the weight of
#' others. Functions are computed with as if each had a breakpoint wherever the weight has one: a
#' weight of few breakpoints costs little, one of many as much as functions that have as many more.
#' With `precision = "single"`, weights of which the largest value is more than 100 times the
#' smallest that is not 0 are computed with in double precision.
#'
#' @section Piecewise linear functions:
#' The functions of a [plf] have the same distances and inner products, which are as exact. Where
#' one collection is a `pcf` and the other a `plf`, step functions are taken as the piecewise linear
#' functions that they are. A weight is always a step function.
#'
#' Rounding errors are small beside the largest values that the two functions have on a stretch
#' between breakpoints, and not always beside their difference: where lines come near to each other
#' that has fewer digits.
#'
#' Most calls take about three times as long as for step functions with as many breakpoints. They
#' run on the CPU.
#'
#' @section Functions with several components:
#' With `margin = 1`, collections are matrices of functions, such as patients times vital signs, or
#' diagrams times the levels of their landscapes. Each row is one function with a component in each
#' column, and distances are
#' \deqn{\left(\sum_c \int_{from}^{to} |f_c(t) - g_c(t)|^p dt\right)^{1/p}}{
#' (sum over c of the integral over [from, to] of |f_c(t) - g_c(t)|^p dt)^(1/p)}
#' and, for `p = Inf`, the largest of all components; inner products are the sum of those of the
#' components. Windows, weights and `missing` are those of each component: `"overlap"` takes what both
#' rows have of each, and `"mean"` divides the sum by the length of all of that. Results have the names
#' of the rows. Two collections must have as many columns.
#'
#' Where the window has no end, components have to be 0 there, or not observed: it is an error that
#' names the row and the column if one is not.
#'
#' Rows are computed with as functions whose components follow one another in time. Components are
#' moved by multiples of a power of two that is larger than what all functions of the call span,
#' which rounds their times: by less than 3e-16 of the span times the number of components, or not
#' at all where times are much larger than that. In single precision it is 2e-7 of it.
#'
#' @section Errors:
#' Arguments of the wrong type or range raise an error of the class
#' `pcfdist_error_<argument>`, such as `pcfdist_error_x`; the condition has the name in
#' the field `argument`. A function that breaks the rules of [pcf()] is named with its
#' position. Want of memory, of a device or of threads raises `pcfdist_error_memory`,
#' `pcfdist_error_device` or `pcfdist_error_system`. All classes inherit from
#' `pcfdist_error`. A call that is interrupted or fails returns nothing.
#'
#' @section Infinite results:
#' Where all results are infinite, since the functions do not come back to 0, or to each other,
#' and the window has no end, there is one warning, of the class `pcfdist_warning_infinite`. It
#' names the way out.
#'
#' @references
#' Wehlin, B. (2024). Massively parallel computation of similarity matrices from
#' piecewise constant invariants. \doi{10.48550/arXiv.2404.07183}
#'
#' @seealso [pcfdist_distances] for other distances, [open_distances()] for results in files,
#'   [overlap()] for how long functions are observed together, [l2_kernel()] for inner products,
#'   [lp_norm()] for norms, [restrict()] for windows, [pcf_plan()] for what a call would cost.
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
#' # `b` is observed up to 3, and not before 1.
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
#' # Late differences count half.
#' pdist(x, weight = pcf(c(0, 2), c(1, 0.5)))
#'
#' # The L1 distance of two distribution functions is the 1-Wasserstein distance:
#' # the mean difference of the sorted samples.
#' set.seed(1)
#' u <- rnorm(50)
#' v <- rnorm(50, 1)
#' lp_distance(as_pcf(ecdf(u)), as_pcf(ecdf(v)))
#' mean(abs(sort(u) - sort(v)))
#' @export
pdist <- function(x, p = 1, from = -Inf, to = Inf,
                  missing = c("error", "overlap", "mean"), weight = NULL, distance = "lp",
                  device = NULL, precision = NULL, threads = NULL, progress = NULL, file = NULL,
                  storage = c("double", "single"), check = TRUE, jobs = NULL, margin = NULL) {
  operation <- operation_of(p, distance, !missing(p))
  call <- check_integrals(x, NULL, from, to, missing, weight, margin = margin, operation = operation)
  file <- check_file(file, storage, check, jobs)
  settings <- run_settings(device, precision, threads, progress, jobs)
  attributes <- list(
    Size = length(call$x), Labels = function_labels(call$x), Diag = FALSE, Upper = FALSE,
    method = operation$method, p = operation$p, call = match.call(), class = "dist"
  )
  request <- request_for(call, operation, "dist", "below", attributes, file)
  run_pairwise(call$x, NULL, request, settings)$value
}

#' @rdname pdist
#' @export
cdist <- function(x, y, p = 1, from = -Inf, to = Inf,
                  missing = c("error", "overlap", "mean"), weight = NULL, distance = "lp",
                  device = NULL, precision = NULL, threads = NULL, progress = NULL, file = NULL,
                  storage = c("double", "single"), check = TRUE, jobs = NULL, margin = NULL) {
  operation <- operation_of(p, distance, !missing(p))
  call <- check_integrals(
    x, check_either(y, "y"), from, to, missing, weight, margin = margin, operation = operation
  )
  file <- check_file(file, storage, check, jobs)
  settings <- run_settings(device, precision, threads, progress, jobs)
  shape <- outer_shape(call$x, call$y)
  request <- request_for(call, operation, "dense", "full", shape, file)
  run_pairwise(call$x, call$y, request, settings)$value
}

#' @rdname pdist
#' @export
lp_distance <- function(f, g, p = 1, from = -Inf, to = Inf,
                        missing = c("error", "overlap", "mean"), weight = NULL,
                        distance = "lp", precision = NULL, threads = NULL, progress = NULL,
                        margin = NULL) {
  arguments <- c(x = "f", y = "g")
  operation <- operation_of(p, distance, !missing(p))
  call <- check_integrals(
    f, check_either(g, "g"), from, to, missing, weight, arguments, margin, operation
  )
  check_recycling(call$x, call$y)
  settings <- run_settings("cpu", precision, threads, progress)
  settings$kernel <- "walk"
  shape <- as.list(attributes(combined_shape(call$x, call$y, c("f", "g"))))
  request <- request_for(call, operation, "paired", "paired", shape)
  run_pairwise(call$x, call$y, request, settings, arguments)$value
}
