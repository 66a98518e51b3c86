#' Principal components of functions
#'
#' The method of [prcomp()] for collections of functions: functional principal components. Functions are centred, and
#' `rotation` has the orthonormal functions \eqn{\phi_k} along which they vary most, in the L2 distance. The scores
#' `x` are \eqn{\langle f_i - m, \phi_k \rangle}{<f_i - m, phi_k>} for the mean function \eqn{m}.
#'
#' Components are exact, and not computed on a grid. They follow from the matrix of inner products
#' of all functions, as from [l2_kernel()]; for more than 5,000 functions from products of that matrix with vectors
#' ([kernel_product()]), so that the matrix is not needed: the first `rank.` components are then found by block Krylov
#' iteration (Musco and Musco 2015), and `residual` says how exactly. Not functions but vectors are centred, and a
#' constant is subtracted first, so that no digits are lost where values are far from 0.
#'
#' Eigenfunctions are linear combinations of all functions, and have the breakpoints of all.
#'
#' @param x A collection of functions: a [pcf] or a [plf]; with `margin`, a matrix of functions. For methods, the
#'   value of `prcomp()`.
#' @param rank. The number of components, by default 10 or, for fewer functions, one less than there are.
#' @param from,to The window: numbers, or times of the [time_unit()]. All functions must be observed on the same
#'   stretches of it: where some are missing, inner products over what remains are no longer those of any functions.
#' @param weight `NULL`, or a step function by which times are weighted, as in [pdist()].
#' @param margin `NULL`, or 1 for functions with several components, the rows of a matrix, as in [pdist()].
#' @param device,threads,progress As in [pdist()].
#' @param object,newdata The value of `prcomp()`; functions of the same kind, by default those of which it is made.
#' @param times For `biplot()`: the times at which eigenfunctions are shown as arrows, by default five.
#' @param choices,... For `biplot()`, as in [stats::biplot.prcomp()]. Otherwise not used.
#'
#' @return A list of class `c("pcf_prcomp", "prcomp")` with the elements of the class `prcomp`: `sdev`, the standard
#'   deviations of the components, of all of them if the matrix was used; `rotation`, a collection of `rank.`
#'   eigenfunctions, with the margin a matrix of functions with a row for each; `center`, the mean function; `scale`,
#'   `FALSE`; and `x`, the matrix of scores. Also `total`, the total variance, of which [summary()] shows proportions;
#'   `residual`, of each component \eqn{\|K v - \lambda v\| / \lambda}{|K v - lambda v| / lambda}; and `window`.
#'   The sign of a component is arbitrary.
#'
#'   `predict()` returns the scores of new functions. [screeplot()] draws the variances, and `biplot()` the scores with
#'   the values of eigenfunctions at some times as arrows.
#'
#' @section Errors:
#' Invalid arguments raise errors of class `pcfdist_error_<argument>`; functions that are observed on different
#' stretches, of class `pcfdist_error_missing`.
#'
#' @references
#' Ramsay, J. O. and Silverman, B. W. (2005). *Functional Data Analysis*. Springer. \doi{10.1007/b98888}
#'
#' Musco, C. and Musco, C. (2015). Randomized block Krylov methods for stronger and faster approximate singular value
#' decomposition. *Advances in Neural Information Processing Systems* 28. <https://arxiv.org/abs/1504.05477>
#'
#' @seealso [l2_kernel()]; [variance()]; [linear_combinations()]
#'
#' @examples
#' set.seed(1)
#' x <- rpcf(50, kind = "sine") + rnorm(50)
#' components <- prcomp(x, rank. = 3, from = 0, to = 1)
#' summary(components)
#' plot(components$rotation, xlim = c(0, 1))
#'
#' # The scores of new functions
#' predict(components, rpcf(2, kind = "sine"))
#' @importFrom stats prcomp
#' @export
prcomp.pcf <- function(x, rank. = NULL, from = -Inf, to = Inf, weight = NULL, margin = NULL, device = NULL,
                       threads = NULL, progress = NULL, ...) {
  check_prcomp_rest(list(...))
  x <- check_functions(check_either(x))
  window <- check_window(from, to, unit_of(x), empty = FALSE)
  along <- margin
  if (!is.null(margin)) {
    x <- component_matrix(x, margin, "x")
    margin <- 1
  }
  n <- if (is.null(margin)) length(x) else nrow(x)
  if (n < 2) abort_argument("x", "must have at least two functions.")
  rank <- min(check_count(rank. %||% min(10, n - 1), "rank."), n - 1)
  check_squares(x)
  shift <- shift_of(x, window, threads)
  settings <- list(
    from = as_times(window$from, unit_of(x)), to = as_times(window$to, unit_of(x)), weight = weight, margin = margin,
    device = device, threads = threads, progress = progress
  )
  shifted <- lowered(x, shift)
  found <- without_choice(
    if (n <= most_in_matrix) eigen_of_matrix(shifted, settings) else eigen_of_products(shifted, n, rank, settings)
  )
  components <- components_of(x, shifted, shift, found, rank, settings)
  components$margin <- along
  components
}

most_in_matrix <- 5000

check_squares <- function(x) {
  largest <- largest_value(x)
  if (largest == 0 || largest^2 < Inf && largest^2 >= .Machine$double.xmin) return()
  size <- number(largest)
  abort_argument("x", "has values up to ", size, ", whose squares are too large or too small for a double: x / ", size,
                 " has not.")
}

# Errors about missing values suggest no `missing =`, which components do not have.
without_choice <- function(code) {
  tryCatch(code, pcfdist_error_missing = function(error) {
    error$message <- sub(", or set `missing = \"overlap\"` or `missing = \"mean\"`", "", error$message, fixed = TRUE)
    stop(error)
  })
}

check_prcomp_rest <- function(arguments) {
  for (argument in intersect(names(arguments), c("retx", "center", "scale.", "tol"))) {
    abort_argument(argument, "is not supported: functions are centred, and not scaled.")
  }
  check_no_more(arguments)
}

# About the mean value in a finite window, so that little is lost; 0 in an infinite one, where functions end with 0.
shift_of <- function(x, window, threads) {
  length <- window$to - window$from
  if (!is.finite(length)) return(0)
  means <- integral(unname(x), as_times(window$from, unit_of(x)), as_times(window$to, unit_of(x)), missing = "overlap",
                    threads = threads)
  shift <- sum(means[is.finite(means)] / length(x)) / length
  if (is.finite(shift)) shift else 0
}

# Less a constant at all times, also before the first breakpoints.
lowered <- function(x, shift) if (shift == 0) x else x - new_pcf(list(new_function(-Inf, shift)))

# ---- Eigenvalues ----

# list(values, vectors, residual, total) of the centred matrix of inner products.
eigen_of_matrix <- function(x, settings) {
  gram <- unname(tryCatch(
    do.call(l2_kernel, c(list(x), settings)),
    pcfdist_warning_infinite = function(warning) abort_infinite_products()
  ))
  means <- rowMeans(gram)
  centered <- gram - means - rep(means, each = length(means)) + mean(means)
  found <- eigen((centered + t(centered)) / 2, symmetric = TRUE)
  values <- base::pmax(found$values[-length(means)], 0)
  vectors <- found$vectors[, seq_along(values), drop = FALSE]
  residual <- sqrt(colSums((centered %*% vectors - vectors * rep(values, each = nrow(vectors)))^2))
  list(values = values, vectors = vectors, residual = residual / values, total = sum(diag(centered)))
}

abort_infinite_products <- function() {
  abort_argument("to", "must be finite, as `from`, where functions are not 0: their inner products are infinite.")
}

# Block Krylov iteration: Rayleigh-Ritz in the span of all blocks, until no residual is large.
eigen_of_products <- function(x, n, rank, settings, enough = 1e-10, most = 12) {
  product <- function(v) {
    v <- v - rep(colMeans(v), each = n)
    w <- do.call(kernel_product, c(list(x, v), settings))
    w - rep(colMeans(w), each = n)
  }
  block <- start_block(n, min(rank + 7, n - 1))
  span <- images <- matrix(0, n, 0)
  for (pass in seq_len(min(most, (n - 1) %/% ncol(block)))) {
    for (k in 1:2) block <- qr.Q(qr(block - span %*% crossprod(span, block)))
    span <- cbind(span, block)
    block <- product(block)
    images <- cbind(images, block)
    gram <- crossprod(span, images)
    ritz <- eigen((gram + t(gram)) / 2, symmetric = TRUE)
    first <- ritz$vectors[, seq_len(rank), drop = FALSE]
    values <- base::pmax(ritz$values[seq_len(rank)], 0)
    vectors <- span %*% first
    residual <- sqrt(colSums((images %*% first - vectors * rep(values, each = n))^2)) / values
    if (all(residual < enough, na.rm = TRUE)) break
  }
  list(values = values, vectors = vectors, residual = residual, total = total_of_products(x, n, settings))
}

# Numbers that look random, and are always the same.
start_block <- function(n, columns) {
  numbers <- (seq_len(n * columns) * 0.6180339887498949) %% 1
  block <- matrix(sin(1e4 * numbers), n)
  block - rep(colMeans(block), each = n)
}

# The sum of the squared norms, less those of the mean.
total_of_products <- function(x, n, settings) {
  norms <- settings[names(settings) %in% c("from", "to", "weight")]
  squares <- sum(do.call(lp_norm, c(list(unname(x), 2), norms))^2)
  squares - sum(do.call(kernel_product, c(list(x, rep(1, n)), settings))) / n
}

# ---- The object ----

components_of <- function(x, shifted, shift, found, rank, settings) {
  labels <- paste0("PC", seq_len(rank))
  values <- found$values[seq_len(rank)]
  vectors <- found$vectors[, seq_len(rank), drop = FALSE]
  used <- values > 1e-14 * found$values[1]
  scores <- vectors * rep(sqrt(values), each = nrow(vectors))
  rows <- if (is.null(settings$margin)) function_labels(x) else rownames(x)
  dimnames(scores) <- list(rows, labels)
  weights <- t(vectors) / sqrt(values)
  scores[, !used] <- 0
  weights[!used, ] <- 0
  rownames(weights) <- labels
  flat <- if (is.null(settings$margin)) structure(shifted, dim = NULL) else shifted
  rotation <- linear_combinations(weights, flat)
  if (is.null(settings$margin)) rotation[!used] <- 0 * flat[1]
  else for (k in which(!used)) rotation[k, ] <- 0 * flat[1, ] # with its gaps
  structure(list(
    sdev = sqrt(found$values / (nrow(vectors) - 1)), rotation = rotation,
    center = if (is.null(settings$margin)) mean(x) else mean(x, margin = 2), scale = FALSE, x = scores,
    total = found$total / (nrow(vectors) - 1), residual = stats::setNames(found$residual[seq_len(rank)], labels),
    window = c(settings$from, settings$to), shift = shift, settings = settings
  ), class = c("pcf_prcomp", "prcomp"))
}

#' @rdname prcomp.pcf
#' @importFrom stats predict
#' @export
predict.pcf_prcomp <- function(object, newdata, ...) {
  check_no_more(list(...))
  if (missing(newdata)) return(object$x)
  newdata <- check_either(newdata, "newdata")
  if (!is.null(object$margin)) newdata <- component_matrix(newdata, object$margin, "newdata")
  settings <- with(object$settings, run_settings(device, NULL, threads, progress))
  scores <- function(functions) {
    without_choice(inner_products(check_integrals(
      lowered(functions, object$shift), object$rotation, object$settings$from, object$settings$to, "error",
      object$settings$weight, margin = object$settings$margin, arguments = c(x = "newdata", y = "object")
    ), settings))
  }
  center <- object$center
  if (!is.null(object$settings$margin)) dim(center) <- c(1, length(center))
  of_center <- as.vector(scores(center))
  all <- matrix(scores(newdata), ncol = length(of_center))
  rows <- if (is.null(object$settings$margin)) function_labels(newdata) else rownames(newdata)
  structure(all - rep(of_center, each = nrow(all)), dimnames = list(rows, colnames(object$x)))
}

#' @export
summary.pcf_prcomp <- function(object, ...) {
  k <- ncol(object$x)
  share <- object$sdev[seq_len(k)]^2 / object$total
  object$importance <- rbind(
    "Standard deviation" = object$sdev[seq_len(k)], "Proportion of Variance" = round(share, 5),
    "Cumulative Proportion" = round(cumsum(share), 5)
  )
  colnames(object$importance) <- colnames(object$x)
  class(object) <- c("summary.pcf_prcomp", "summary.prcomp")
  object
}

#' @export
print.summary.pcf_prcomp <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Importance of components:\n")
  print(x$importance, digits = digits, ...)
  invisible(x)
}

#' @export
print.pcf_prcomp <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat(
    "<pcf_prcomp> of ", nrow(x$x), " functions ", window_text(x$window), "\n\nStandard deviations (1, .., p=",
    ncol(x$x), "):\n", sep = ""
  )
  print(x$sdev[seq_len(ncol(x$x))], digits = digits, ...)
  cat("\n$rotation\n")
  print(x$rotation, n = 5)
  invisible(x)
}

#' @rdname prcomp.pcf
#' @importFrom stats biplot
#' @export
biplot.pcf_prcomp <- function(x, choices = 1:2, times = NULL, ...) {
  if (length(dim(x$rotation)) == 2) abort_argument("x", "has components of several functions, which no biplot shows.")
  unit <- unit_of(x$rotation)
  ends <- vapply(list(min, max), function(end) end(finite_breakpoints(x$rotation)), 0)
  window <- check_window(x$window[1], x$window[2], unit)
  ends <- c(max(ends[1], window$from), min(ends[2], window$to))
  inner <- if (is.null(times)) seq(ends[1], ends[2], length.out = 7)[2:6] else check_times(times, unit)
  arrows <- t(evaluate(x$rotation, as_times(inner, unit), drop = FALSE))
  dimnames(arrows) <- list(paste("t =", format_times(inner, unit, 3)), colnames(x$x))
  x$rotation <- arrows
  biplot(structure(x, class = "prcomp"), choices = choices, ...)
}
