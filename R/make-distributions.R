#' Distribution functions of samples and histograms
#'
#' `distribution()` computes the empirical distribution function of each sample: at \eqn{t}, the proportion
#' of the values that are at most \eqn{t}. Values may be weighted. [wasserstein()], [energy_distance()] and
#' other functions compare distribution functions.
#'
#' Without weights the functions are those of [stats::ecdf()]. The distribution function of a **histogram**
#' is linear between breaks: values are taken as uniformly distributed within each bin, as they are
#' drawn. A `table` is taken as a sample of its counts; for the distribution of the values that were counted,
#' give these as `values` and the counts as `weights`.
#'
#' Other distributions can be given as a [pcf] or [plf]: a discrete distribution as
#' `pcf(values, cumsum(probabilities))`, and one with known quantiles as `plf(quantiles, probabilities)`,
#' where the probabilities go from 0 to 1.
#'
#' Proportions are correctly rounded. Equal weights, whatever they are, therefore give the same function as no
#' weights. But weights that are rounded themselves, such as 0.1 and 0.3, are not in the ratio 1 to 3: two proportions
#' that should be equal may differ by 1e-16. This matters only for [wasserstein()] with a large or infinite `p`,
#' where arbitrarily small proportions count.
#'
#' @param values A sample, which is a vector of numbers, dates or date-times in any order; a list of such
#'   vectors, one for each sample; a [histogram][graphics::hist()]; or a list of histograms.
#' @param weights `NULL`, or non-negative weights of the values, in the same form as `values`: a numeric
#'   vector or a list of vectors. They are matched by name if both have names. Weights need not sum to 1.
#' @param id `NULL`, or a vector as long as `values`, which must then be a vector too: the sample of each
#'   value. There is a function for each `id`, in the order of first appearance.
#'
#' @return A [pcf] or, for histograms, a [plf], with the names and dimensions of the list, or the ids as
#'   names.
#'
#' @section Errors:
#' Missing or infinite values, missing or negative weights, and samples without values or with total weight
#' 0 raise errors of class `pcfdist_error_values` or `pcfdist_error_weights`. The message names the function
#' and the position, which the condition has in the fields `index` and `position`. Other invalid arguments
#' raise `pcfdist_error_<argument>`.
#'
#' @seealso [wasserstein()], [inverse()] for quantile functions, [as_pcf()] for `ecdf` objects
#'
#' @examples
#' distribution(list(a = c(2, 3, 3, 5), b = c(1, 4)))
#' distribution(iris$Sepal.Length, id = iris$Species)
#'
#' # A sample as a table of counts
#' distribution(c(1, 2, 3), weights = c(20, 50, 30))
#'
#' # The quartiles of a histogram
#' h <- hist(faithful$waiting, plot = FALSE)
#' crossing_time(distribution(h), c(0.25, 0.5, 0.75))
#' @export
distribution <- function(values, weights = NULL, id = NULL) {
  check_given(values, "values", "a sample, or a list of samples")
  if (inherits(values, "histogram")) values <- list(values)
  if (is.list(values) && any(vapply(values, inherits, NA, "histogram"))) {
    for (argument in c("weights", "id")) if (!is.null(get(argument))) {
      abort_argument(argument, "applies only to samples, but `values` has histograms.")
    }
    functions <- lapply(seq_along(values), function(i) {
      histogram_function(.subset2(values, i), function_label(i, values))
    })
    return(check_functions(new_plf(shaped_as(functions, values), name = share_name), "values"))
  }
  is_sample <- !is.object(values) || !is.list(values) || inherits(values, c("data.frame", "AsIs", "POSIXlt"))
  check_is(is_sample, values, "values", "must be numbers, or a list of vectors of numbers, not ")
  samples <- read_samples(without_parts(values), weights, id)
  functions <- .mapply(sample_function, samples[c("values", "weights")], NULL)
  check_functions(new_pcf(with_shape(functions, samples$shape), samples$unit, name = share_name), "values")
}

sample_function <- function(values, weights) {
  order <- order(values)
  values <- values[order]
  last <- !duplicated(values, fromLast = TRUE)
  new_function(values[last], .Call(ffi_shares, weights[order])[last])
}

histogram_function <- function(h, label) {
  counts <- if (inherits(h, "histogram") && is.numeric(h$counts)) as.double(h$counts)
  sound <- length(counts) > 0 && length(counts) + 1 == length(h$breaks) && all(is.finite(counts) & counts >= 0)
  if (sound && is.finite(sum(counts)) && sum(counts) > 0) {
    shares <- c(0, .Call(ffi_shares, counts))
    return(new_line(h$breaks, shares, shares))
  }
  abort_argument(
    "values", "is invalid: ", label, " is not a valid histogram, which has a non-negative count for each ",
    "bin, and not only zeros."
  )
}

# ---- Reading samples ----

# Lists of the values and the weights of samples, without those of weight 0, and the unit of the values
# and the shape of the functions.
read_samples <- function(values, weights, id) {
  if (is.list(values)) {
    if (!is.null(id)) abort_argument("id", "needs a vector of values, but `values` is a list.")
    values <- plain_list(values)
    shape <- shape_of(values)
    values <- lapply(values, without_parts)
  } else {
    id <- check_sample_ids(id, values)
    by_id <- function(x) if (is.null(id)) list(x) else split(x, id)
    if (!is.null(weights)) {
      check_is(length(weights) == length(values) && !is.list(weights), weights, "weights",
               "must have a number for each of the ", length(values), " values, not ")
      weights <- by_id(match_names(weights, names(values), "weights", "values"))
    }
    values <- by_id(values)
    shape <- shape_of(values)
  }
  if (is.null(weights)) weights <- lapply(values, function(x) rep(1, length(x)))
  check_is(is.list(weights), weights, "weights", "must be a list like `values`, not ")
  places <- stats::setNames(seq_along(weights), names(weights))
  weights <- weights[match_names(places, names(values), "weights", "samples")]
  check_plain_vectors(values, "values", "values")
  check_plain_vectors(plain_values(weights, "weights"), "weights", "numbers")
  check_lengths(values, weights, c("values", "weights"))
  read <- read_times(values, "values")
  check_sample_numbers(read$times, "values", is.finite, "finite")
  check_sample_numbers(weights, "weights", function(w) is.finite(w) & w >= 0, "finite and at least 0")
  weights <- lapply(weights, as.double)
  check_sample_sums(values, weights)
  counts <- lapply(weights, `>`, 0)
  list(values = Map(`[`, lapply(read$times, as.double), counts), weights = Map(`[`, weights, counts),
       unit = read$unit, shape = shape)
}

# The ids of the values as a factor, or NULL.
check_sample_ids <- function(id, values) {
  valid <- is_number(values) && length(dim_of(values)) < 2 && !is.null(values)
  check_is(valid, values, "values", "must be numbers, or a list of vectors of numbers, not ")
  if (is.null(id)) return(NULL)
  id <- without_integer64(id, "id", as.character)
  valid <- is.atomic(id) && length(dim_of(id)) < 2 && length(id) == length(values)
  check_is(valid, id, "id", "must have one id for each of the ", length(values), " values, not ")
  check_every(Negate(is.na), id, "id", "ids without NA")
  factor(text_of(id), unique(text_of(id)))
}

check_sample_numbers <- function(samples, argument, is_right, what) {
  numbers <- as.double(unlist(samples, use.names = FALSE))
  wrong <- which(!is_right(numbers))[1]
  if (is.na(wrong)) return()
  place <- lapply(indices_of(lengths(samples)), `[`, wrong)
  abort_argument(
    argument, "must be ", what, ", not ", number(numbers[wrong]), " at position ", place$k,
    if (length(samples) > 1) paste(" of", function_label(place$i, samples)), ".", index = place$i, position = place$k
  )
}

check_sample_sums <- function(values, weights) {
  sums <- vapply(weights, sum, 0)
  i <- which(!(sums > 0 & is.finite(sums)))[1]
  if (is.na(i)) return()
  empty <- length(values[[i]]) == 0
  problem <- if (empty) "no values" else paste("weights that add up to", number(sums[[i]]))
  abort_argument(
    if (empty) "values" else "weights", "is invalid: ", function_label(i, values), " has ", problem, ".", index = i
  )
}
