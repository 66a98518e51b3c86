#' Distribution functions of samples and histograms
#'
#' @description
#' `distribution()` makes the distribution function of each sample: at \eqn{t}, the share of the values
#' that are at most \eqn{t}. Values may have weights. [wasserstein()], [energy_distance()] and others
#' compare them.
#'
#' @details
#' Without weights the functions are those of [stats::ecdf()]. A **histogram** says how many values are
#' between two breaks and not where; as it is drawn, they are spread out evenly. So its distribution
#' function goes up in straight lines from break to break.
#'
#' A distribution that is known in another form can be a [pcf] or a [plf] of its own: a discrete one is
#' `pcf(values, cumsum(probabilities))`, and one whose quantiles are known is
#' `plf(quantiles, probabilities)`, if these go from 0 to 1.
#'
#' Shares are as exact as they can be where weights are whole numbers, or all 1. Sums of other weights are
#' rounded: where two samples are to have the same share of values up to somewhere, theirs may differ by
#' 1e-16. That does not matter but for [wasserstein()] with a large or infinite `p`, for which no share
#' is too small to count.
#'
#' @param values One sample, a vector of numbers, dates or date-times; a list of such vectors, a sample an
#'   element; a [histogram][graphics::hist()], or a list of them. The values may be in any order.
#' @param weights `NULL`, or what the values count: numbers of at least 0 in the form of `values`, a
#'   vector or a list of vectors; lists are matched by their names, if both have such. Only the shares of
#'   the sum of a sample matter.
#' @param id `NULL`, or whose the values are: a vector as long as `values`, which is one vector then.
#'   There is a function for each `id`, in the order of first appearance.
#'
#' @return A [pcf], of histograms a [plf], with the names and dimensions of the list, or the ids as
#'   names.
#'
#' @section Errors:
#' Values that are missing or infinite, negative or missing weights, and samples without values or of
#' the weight 0 are errors of the class `pcfdist_error_values` or `pcfdist_error_weights`. The message
#' names the function and the position; the condition has them in the fields `index` and `position`.
#' Other wrong arguments raise `pcfdist_error_<argument>`.
#'
#' @seealso [wasserstein()], [inverse()] for quantile functions, [as_pcf()] for `ecdf` objects
#'
#' @examples
#' distribution(list(a = c(2, 3, 3, 5), b = c(1, 4)))
#' distribution(iris$Sepal.Length, id = iris$Species)
#'
#' # What so many people said
#' distribution(c(1, 2, 3), weights = c(20, 50, 30))
#'
#' # A histogram, of which the values are not known
#' h <- hist(faithful$waiting, plot = FALSE)
#' crossing_time(distribution(h), c(0.25, 0.5, 0.75))
#' @export
distribution <- function(values, weights = NULL, id = NULL) {
  check_given(values, "values", "a sample, or a list of samples")
  if (inherits(values, "histogram")) values <- list(values)
  if (is.list(values) && any(vapply(values, inherits, NA, "histogram"))) {
    for (argument in c("weights", "id")) if (!is.null(get(argument))) {
      abort_argument(argument, "is for samples, and `values` has histograms.")
    }
    functions <- lapply(seq_along(values), function(i) {
      histogram_function(.subset2(values, i), function_label(i, values))
    })
    attributes(functions) <- shape_of(values)
    return(check_functions(new_plf(functions, name = share_name), "values"))
  }
  if (is.object(values) && is.list(values) && !inherits(values, c("data.frame", "AsIs", "POSIXlt"))) {
    check_is(FALSE, values, "values", "must be numbers, or a list of vectors of numbers, not ")
  }
  samples <- read_samples(without_parts(values), weights, id)
  functions <- .mapply(sample_function, samples[c("values", "weights")], NULL)
  attributes(functions) <- samples$shape
  check_functions(new_pcf(functions, samples$unit, name = share_name), "values")
}

sample_function <- function(values, weights) {
  order <- order(values)
  values <- values[order]
  last <- !duplicated(values, fromLast = TRUE)
  sums <- cumsum(weights[order])
  new_function(values[last], sums[last] / sums[length(sums)])
}

histogram_function <- function(h, label) {
  sums <- if (inherits(h, "histogram")) cumsum(c(0, h$counts))
  shares <- sums / sums[length(sums)]
  sound <- length(shares) > 1 && length(shares) == length(h$breaks) && all(is.finite(shares)) &&
    all(h$counts >= 0)
  if (sound) return(new_line(h$breaks, shares, shares))
  abort_argument(
    "values", "is invalid: ", label, " is no histogram with sound counts, which are one for each two ",
    "breaks, at least 0, and not all 0."
  )
}

# ---- Samples as they are given ----

# Lists of the values and the weights of samples, those of weight 0 left out, and the unit of the
# values and the shape of the functions.
read_samples <- function(values, weights, id) {
  if (is.list(values)) {
    if (!is.null(id)) abort_argument("id", "tells values of a vector apart, and `values` is a list.")
    values <- plain_list(values)
    shape <- shape_of(values)
    values <- lapply(values, without_parts)
  } else {
    group <- check_sample_ids(id, values)
    if (!is.null(weights)) {
      check_is(length(weights) == length(values) && !is.list(weights), weights, "weights",
               "must have a number for each of the ", length(values), " values, and is ")
      weights <- split(weights, group)
    }
    values <- split(values, group)
    if (is.null(id)) names(values) <- names(weights) <- NULL
    shape <- shape_of(values)
  }
  if (is.null(weights)) weights <- lapply(values, function(x) rep(1, length(x)))
  check_is(is.list(weights), weights, "weights", "must be a list, as `values` is, not ")
  places <- stats::setNames(seq_along(weights), names(weights))
  weights <- weights[match_names(places, names(values), "weights", "samples")]
  check_plain_vectors(values, "values", "values")
  check_plain_vectors(plain_values(weights, "weights"), "weights", "numbers")
  check_lengths(values, weights, c("values", "weights"))
  read <- read_times(values, "values")
  check_sample_numbers(read$times, "values", is.finite, "finite")
  check_sample_numbers(weights, "weights", function(w) is.finite(w) & w >= 0, "finite and at least 0")
  check_sample_sums(values, weights)
  counts <- lapply(weights, `>`, 0)
  list(values = Map(`[`, lapply(read$times, as.double), counts), weights = Map(`[`, weights, counts),
       unit = read$unit, shape = shape)
}

# The groups of the values, of which there is one where there is no `id`.
check_sample_ids <- function(id, values) {
  valid <- is_number(values) && length(dim(values)) < 2 && !is.null(values)
  check_is(valid, values, "values", "must be numbers, or a list of vectors of numbers, not ")
  if (is.null(id)) return(factor(rep(1, length(values)), 1))
  valid <- is.atomic(id) && length(dim(id)) < 2 && length(id) == length(values)
  check_is(valid, id, "id", "must have one id for each of the ", length(values), " values, and is ")
  check_every(Negate(is.na), id, "id", "ids without NA")
  factor(id, unique(id))
}

check_sample_numbers <- function(samples, argument, is_right, what) {
  numbers <- as.double(unlist(samples, use.names = FALSE))
  wrong <- which(!is_right(numbers))[1]
  if (is.na(wrong)) return()
  place <- lapply(indices_of(lengths(samples)), `[`, wrong)
  abort(
    argument, "`", argument, "` must be ", what, ", and is ", number(numbers[wrong]), " at position ",
    place$k, if (length(samples) > 1) paste(" of", function_label(place$i, samples)), ".",
    argument = argument, index = place$i, position = place$k
  )
}

check_sample_sums <- function(values, weights) {
  sums <- vapply(weights, sum, 0)
  i <- which(!(sums > 0 & is.finite(sums)))[1]
  if (is.na(i)) return()
  empty <- length(values[[i]]) == 0
  argument <- if (empty) "values" else "weights"
  abort(
    argument, argument = argument, index = i, "`", argument, "` is invalid: ",
    function_label(i, values), " has ",
    if (empty) "no values." else paste0("weights that add up to ", number(sums[[i]]), ".")
  )
}

# ---- Functions as distributions ----

# A collection of distribution functions, which go up from 0 to 1. Sums of shares may miss 1 by
# roundings: then they become 1.
check_distributions <- function(x, argument = "x") {
  check_functions(x, argument)
  values <- if (is_plf(x)) with(flat_functions(x), c(rbind(left, value)))
            else column_of(x, "value", argument)
  m <- breakpoints_of(x) * (columns_of(x) - 1)
  first <- cumsum(m) - m + 1
  before <- replace(c(NA, values)[seq_along(values)], first, 0)
  wrong <- which(is.na(values) | values < before)[1]
  last <- values[cumsum(m)]
  odd <- which(!(values_before(x) %in% 0) | !(abs(last - 1) <= share_tolerance))[1]
  i <- min(findInterval(wrong, first), odd, Inf, na.rm = TRUE)
  if (i < Inf) abort_distribution(x, argument, i, (wrong - first[i]) %/% (columns_of(x) - 1) + 1)
  if (all(last == 1)) return(x)
  map_functions(x, function(f) {
    f[, -1][f[, -1] >= f[[length(f)]]] <- 1
    f
  })
}

# Function i goes down, or is not observed, at position k or else, if this is not one of its own, does
# not go from 0 to 1.
abort_distribution <- function(x, argument, i, k) {
  f <- .subset2(x, i)
  begin <- values_before(x[i])
  value <- if (isTRUE(k >= 1 && k <= nrow(f))) f[k, -1]
  what <- if (!begin %in% 0) paste("begins with", number(begin))
          else if (anyNA(value)) paste("is not observed at position", k)
          else if (!is.null(value)) paste("falls to", number(min(value)), "at position", k)
          else paste("ends with", number(f[[length(f)]]))
  abort(
    argument, argument = argument, index = i, "`", argument, "` must hold distribution functions, ",
    "which go up from 0 to 1, and ", function_label(i, x), " ", what, ". distribution() makes those ",
    "of samples."
  )
}

# How far the last value may be from 1.
share_tolerance <- 1e-9

# The quantile functions, of probabilities from 0 to 1.
quantile_functions <- function(x, argument = "x") {
  inverse(check_distributions(x, argument), decreasing = FALSE)
}

# ---- Distances ----

#' Wasserstein and energy distances of distributions
#'
#' @description
#' Distances between the distribution functions of a collection or, with `y`, of two.
#'
#' * `wasserstein()`: \eqn{\left(\int_0^1 |F^{-1}(u) - G^{-1}(u)|^p du\right)^{1/p}}{(integral over
#'   [0, 1] of |Qf(u) - Qg(u)|^p du)^(1/p)}, the Lp distance of the quantile functions. It is how far
#'   the mass of one distribution has to be moved to become the other: for `p = 1` on average, for
#'   `p = Inf` at most. Of two samples of one size it compares the sorted values one by one.
#' * `energy_distance()`: \eqn{\left(2 \int (F - G)^2 dt\right)^{1/2}}{sqrt(2 times the integral of
#'   (F - G)^2 dt)}. Its square is \eqn{2 E|X - Y| - E|X - X'| - E|Y - Y'|}, for independent
#'   \eqn{X, X'} from \eqn{F} and \eqn{Y, Y'} from \eqn{G}.
#'
#' `wasserstein(x, p = 2)` is short for `pdist(x, 2, distance = "wasserstein")`, and for that of
#' `cdist()` with `y`. [nearest_neighbors()], [spanning_tree()], [permutation_test()] and others take
#' the same `distance`: see [pcfdist_distances], also for the distances of Cramér and of Kolmogorov and
#' Smirnov.
#'
#' @details
#' `from`, `to` and `weight` are those of what is integrated over: of probabilities for
#' `wasserstein()`, where `from = 0.1, to = 0.9` leaves out a tenth at each end; and of values for
#' `energy_distance()`.
#'
#' No share is too small to count for `p = Inf`, and hardly one for a large `p`: see
#' [distribution()] for weights that are not whole numbers.
#'
#' @param x,y Collections of distribution functions, a [pcf] or a [plf], as [distribution()] makes
#'   them. They must go up from 0 to 1; a last value that misses 1 by less than 1e-9 counts as 1.
#' @param p The exponent, a number of at least 1, or `Inf`.
#' @param ... Further arguments of [pdist()]: the window, `weight`, `margin`, how to compute, and
#'   `file`.
#'
#' @return A [`dist`][stats::dist] or, with `y`, an array as of [cdist()]. Wasserstein
#'   distances have the unit of the values, energy distances that of their square root.
#'
#' @section Errors:
#' A function that does not go up from 0 to 1 is an error of the class `pcfdist_error_x` or
#' `pcfdist_error_y`, which names it. For others see [pdist()].
#'
#' @references
#' Székely, G. J. and Rizzo, M. L. (2013). Energy statistics: a class of statistics based on
#' distances. *Journal of Statistical Planning and Inference* 143, 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#'
#' @seealso [distribution()], [permutation_test()], whose statistic `"energy"` is of distances of any kind
#'
#' @examples
#' set.seed(1)
#' x <- distribution(list(a = rnorm(50), b = rnorm(50, 1), c = rexp(80)))
#' wasserstein(x)
#' wasserstein(x, p = 2)
#' energy_distance(x)
#' wasserstein(x["c"], x[c("a", "b")], from = 0.1, to = 0.9)
#'
#' # The two nearest of each
#' nearest_neighbors(x, 2, distance = "wasserstein")$id
#' @export
wasserstein <- function(x, y = NULL, p = 1, ...) {
  distances_between(x, y, p = p, distance = "wasserstein", ...)
}

#' @rdname wasserstein
#' @export
energy_distance <- function(x, y = NULL, ...) {
  distances_between(x, y, distance = "energy", ...)
}

distances_between <- function(x, y, ...) if (is.null(y)) pdist(x, ...) else cdist(x, y, ...)
