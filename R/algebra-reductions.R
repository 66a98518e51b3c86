#' Sums, Means and Extrema of Functions
#'
#' `sum()`, `mean()`, `max()` and `min()` of a collection are computed pointwise: they return the function
#' whose value at each time is the sum, mean, maximum or minimum of the values of all functions at that
#' time. `range()` returns the minimum and the maximum. With `margin`, an array of functions is reduced to a
#' smaller array, as by [apply()]. [aggregate()][aggregate.pcf] computes the same by groups.
#'
#' @param x A [pcf] or [plf].
#' @param w,weights `NULL` for equal weights, or a numeric vector with one weight for each function, which are
#'   matched by name if both have names. Sums take any finite weights, including negative ones; the
#'   weights of a mean must not add up to 0. Functions with weight 0 are ignored.
#' @param margin `NULL` to reduce all functions to one, or the dimensions of an array of functions that are
#'   kept, as numbers or by the names of the dimnames.
#' @param na.rm If `TRUE`, missing values and elements of `x` that are missing altogether are ignored; if
#'   `FALSE`, the result is `NA` wherever one of the functions is, and missing elements raise an error.
#' @param device `"cpu"`, `"cuda"` for the first GPU, or `"auto"` for the one that is expected to be faster:
#'   the GPU for millions of breakpoints, or for functions that are [on_gpu()] already.
#' @param threads The number of threads; see [pcfdist_options].
#' @param ... For `sum()`, `max()`, `min()` and `range()`: one or more collections, which are combined, and
#'   by their full names `weights` (`sum()` only), `margin`, `device` and `threads`. Not used by `mean()`.
#'
#' @details
#' A function is 0 before its first breakpoint and keeps its last value forever, and contributes these
#' values: the maximum, for example, is at least 0 before the first breakpoint of any of the functions.
#'
#' The result begins at the earliest breakpoint of all functions, or at `-Inf` if it is not 0 there. After
#' that it has breakpoints only where it changes. Extrema of piecewise linear functions have breakpoints
#' where lines cross. The sum of step functions and piecewise linear functions is piecewise linear.
#'
#' **Missing values.** Where a function is not observed (`NA`), so is the result. With `na.rm = TRUE`, the
#' result at each time is that of the functions observed at this time; the weights of a mean are divided
#' by their sum over these functions, which must not be 0. Where no function is observed, means and extrema
#' are `NA`, and sums are 0. `sum(observed(x))` is the number of functions observed at each time.
#'
#' **Accuracy.** Sums are exact before they are rounded: errors do not accumulate, however many functions
#' there are, and where all functions have returned to 0, so has their sum. In weighted sums each product is
#' rounded first; products of step functions that are more than \eqn{10^{600}} times smaller than the largest
#' one are treated as 0. The same holds for the left limits and values of piecewise linear functions at all
#' breakpoints of the result, with lines between the products. Only where such a sum is not 0, but more than
#' \eqn{10^{50}} times smaller than its terms, it may be less accurate.
#'
#' Without weights, the mean of equal functions is this function, and a mean always lies within the range of
#' the functions; with positive weights, and between the breakpoints of lines, this holds up to rounding.
#' Results depend neither on the order of the functions nor on the number of threads.
#'
#' **On a GPU** (`device = "cuda"`) the results are the same, bit for bit. All functions and intermediate
#' results must fit into its memory: about 80 bytes for each breakpoint, 100 for sums and means of
#' functions with missing values, or 260 for piecewise linear functions. The CPU is used for 2^31
#' breakpoints and more, for sums and means with values or weights of very different magnitudes, and for
#' means with `na.rm = TRUE` and negative weights of functions with missing values; for piecewise linear
#' functions also for extrema, where sums may be 0 although their terms are not and, if some are not
#' observed everywhere, for all but sums with `na.rm = TRUE`.
#'
#' @return
#' A collection of the class of `x` and of length 1, or 2 for `range()`. With `margin`, an array of functions
#' with the dimensions and dimnames of `x` that were kept, or a collection with names if only one dimension
#' was kept; `range()` then has an additional first dimension of length 2, for the minimum and the maximum.
#' The sum of no functions is the zero function `pcf(0, 0)`.
#'
#' @section Errors:
#' `any()`, `all()` and `prod()` are not defined and raise an error of class `pcfdist_error_generic`; means
#' and extrema of no functions raise `pcfdist_error_x`. Values that are too large for a double, and more than
#' \eqn{2^{31} - 1} breakpoints in one function, raise `pcfdist_error_argument`. Invalid arguments raise an
#' error of class `pcfdist_error_<argument>`.
#'
#' @seealso [aggregate.pcf()] for groups, [linear_combinations()] for many weighted sums at once,
#'   [quantile()][quantile.pcf] for medians and other quantiles, [pcf-algebra] for `f + g`, [integral()] and
#'   [lp_norm()] for one number per function, and [max_value()] for its largest one
#'
#' @examples
#' # Chicks that left the study are not observed afterwards
#' x <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#' plot(x, col = "grey")
#' lines(mean(x, na.rm = TRUE), lwd = 2)
#' lines(max(x, na.rm = TRUE), lty = 2)
#'
#' # The mean of each column of an array of functions
#' y <- x[1:6]
#' dim(y) <- c(2, 3)
#' mean(y, margin = 2)
#'
#' sum(x, weights = rep(c(1, -1), 25))
#' @name reductions
NULL

#' @rdname reductions
#' @export
mean.pcf <- function(x, ..., weights = NULL, margin = NULL, na.rm = FALSE, device = NULL,
                     threads = NULL) {
  check_no_more(list(...))
  reduce_margin(x, "mean", weights, margin, na.rm, device, threads)
}

#' @rdname reductions
#' @importFrom stats weighted.mean
#' @export
weighted.mean.pcf <- function(x, w, ..., na.rm = FALSE) {
  mean.pcf(x, ..., weights = if (!missing(w)) w, na.rm = na.rm)
}

#' @rdname reductions
#' @export
Summary.pcf <- function(..., na.rm = FALSE) {
  if (!.Generic %in% c("sum", "max", "min", "range")) {
    abort("generic", .Generic, "() is not defined for functions; sum(), max(), min() and range() are.")
  }
  arguments <- summary_arguments(list(...))
  reduce <- function(operation) do.call(reduce_margin, c(arguments, operation = operation, na_rm = na.rm))
  if (.Generic != "range") return(reduce(.Generic))
  both_ends(reduce("min"), reduce("max"), arguments$margin)
}

# The minimum and the maximum; with a margin, for each cell, arranged as by apply(x, margin, range).
both_ends <- function(lowest, highest, margin) {
  if (is.null(margin)) return(c(lowest, highest))
  n <- length(lowest)
  ends <- c(lowest, highest)[rbind(seq_len(n), n + seq_len(n))]
  shape <- outer_shape(1:2, lowest)
  array(unname(ends), shape$dim, shape$dimnames)
}

# Splits the arguments of sum() and similar functions into the collection and named arguments.
summary_arguments <- function(all) {
  labels <- names(all) %||% character(length(all))
  named <- labels %in% c("weights", "margin", "device", "threads")
  collections <- all[!named]
  wrong <- which(!vapply(collections, is_either, NA))
  if (length(wrong) > 0) {
    label <- labels[!named][wrong[1]]
    if (nzchar(label)) abort_unknown(label)
    abort_argument("...", "must be <pcf> objects, not ", describe(collections[[wrong[1]]]), ".")
  }
  x <- if (length(collections) == 1) collections[[1]] else do.call(c, unname(collections))
  c(list(x = x), all[named])
}

#' Aggregate Functions by Group
#'
#' The method of [aggregate()][stats::aggregate] for collections of functions, which reduces the functions of
#' each group to one.
#'
#' @param x A [pcf] or [plf].
#' @param by The groups: a vector or factor with one element for each function, or a list (or data frame) of
#'   these, whose combinations are the groups. Functions whose group is missing are left out. If both `by`
#'   and the functions have names, they are matched by name, and it is an error if the names differ.
#' @param FUN `mean`, `sum`, `max` or `min`, as a function or by name, which are computed for all groups at
#'   once; or another function that takes a collection and returns one of length 1, which is called for each
#'   group.
#' @param ... Further arguments of `FUN`, such as `threads` and `device`. The `weights` of
#'   [mean][mean.pcf] and [sum][reductions] have one element for each function of `x`.
#'
#' @return
#' If `by` is a vector or factor: a collection of the class of `x` with one function for each group that
#' occurs. It has the names of the groups, and their order when sorted (the order of the levels for a factor).
#'
#' If `by` is a list: a data frame as returned by [aggregate.data.frame()][stats::aggregate], with one row for
#' each combination of groups that occurs, the first group varying fastest; columns with the groups, named as
#' in `by` or `Group.1`, `Group.2` and so on; and the column `x` with the functions.
#'
#' @inheritSection drop_redundant Errors
#'
#' @seealso [mean.pcf()] and [reductions] for what is computed; [plot_bands()], which draws groups
#'
#' @examples
#' x <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight")
#' chicks <- unique(ChickWeight[c("Chick", "Diet")])
#' diet <- chicks$Diet[match(names(x), chicks$Chick)]
#' means <- aggregate(x, diet, na.rm = TRUE)
#' means
#' plot(means, col = 1:4)
#'
#' aggregate(x, list(diet = diet), max, na.rm = TRUE)
#' aggregate(x, diet, function(f) f[1])
#' @importFrom stats aggregate
#' @export
aggregate.pcf <- function(x, by, FUN = mean, ...) {
  x <- check_either(x)
  by_list <- is.list(by)
  by <- match_groups(by, x, "by")
  groups <- find_groups(x, by)
  operation <- fast_operation(FUN)
  result <- if (is.null(operation)) aggregate_each(x, groups, match.fun(FUN), ...)
            else reduce_groups(x, operation, groups, ...)
  if (!by_list) {
    names(result) <- text_of(by[[1]][groups$example])
    return(result)
  }
  table <- lapply(by, function(group) unname(group[groups$example]))
  unnamed <- which(!nzchar(names(table) %||% character(length(table))))
  names(table)[unnamed] <- paste0("Group.", unnamed)
  table <- data.frame(table, check.names = FALSE, stringsAsFactors = FALSE)
  table$x <- result
  table
}

# A list of groups, or one of them, as a list of one group for each function, in their order. If a data frame
# has row names other than row numbers, its columns get them as names.
match_groups <- function(groups, x, argument) {
  names <- if (is.data.frame(groups)) attr(groups, "row.names")
  if (is.character(names)) groups <- lapply(groups, stats::setNames, names)
  lapply(if (is.list(groups)) groups else list(groups), function(group) {
    fits <- is.atomic(group) && !is.null(group) && length(group) == length(x)
    check_is(fits, group, argument, "must have one group for each of the ", length(x),
             " functions, not ")
    match_names(group, names(x), argument)
  })
}

# The group of each function as a number (NA for none), the number of groups, and one function of each
# group. Groups are sorted; the first element of `by` varies fastest.
find_groups <- function(x, by) {
  if (length(by) == 0) abort_argument("by", "must have at least one element.")
  code <- rep(1, length(x))
  for (group in rev(unname(by))) {
    group <- as.factor(group)
    code <- (code - 1) * nlevels(group) + as.integer(group)
    code <- match(code, sort(unique(code)))
  }
  count <- length(unique(code[!is.na(code)]))
  list(row = code, count = count, example = match(seq_len(count), code))
}

# The name of an operation in C that is equivalent to a function or its name, or NULL.
fast_operation <- function(FUN) {
  Find(function(name) identical(FUN, name) || identical(FUN, get(name, baseenv())), c("mean", "sum", "max", "min"))
}

reduce_groups <- function(x, operation, groups, ..., weights = NULL, na.rm = FALSE,
                          device = NULL, threads = NULL) {
  check_no_more(list(...))
  reduce_rows(x, operation, groups$row, groups$count, weights, na.rm, device, threads)
}

aggregate_each <- function(x, groups, FUN, ...) {
  members <- split(seq_along(x), factor(groups$row, seq_len(groups$count)))
  results <- lapply(unname(members), function(i) {
    result <- FUN(x[i], ...)
    check_is(is_either(result) && length(result) == 1, result, "FUN", "must return a <pcf> of length 1, not ")
    unname(result)
  })
  if (length(results) > 0) join_collections(results, "FUN") else like(x, list())
}

# ---- Margins ----

reduce_margin <- function(x, operation, weights = NULL, margin = NULL, na_rm = FALSE, device = NULL,
                          threads = NULL) {
  x <- check_either(x)
  margin <- check_margin(margin, x)
  size <- dim(x)[margin]
  row <- if (length(margin) > 0) slice.index(array(0L, dim(x)), margin) else rep(1, length(x))
  result <- reduce_rows(x, operation, as.double(row), prod(size), weights, na_rm, device, threads)
  labels <- dimnames(x)[margin]
  if (length(margin) > 1) return(structure(result, dim = size, dimnames = labels))
  if (length(margin) == 1) names(result) <- labels[[1]]
  result
}

# ---- Rows ----

# Reduces the functions of each row to one; row[i] is in 1 ... count, or NA for none.
reduce_rows <- function(x, operation, row, count, weights, na_rm, device, threads) {
  threads <- run_threads(threads)
  lines <- is_plf(x) && operation %in% c("max", "min")
  settings <- gpu_settings(device, threads, if (lines) "extrema of piecewise linear functions")
  weights <- check_weights(weights, x, operation)
  na_rm <- check_flag(na_rm, "na.rm")
  kept <- which(!is.na(row) & !(na_rm & as.vector(is.na(x))), useNames = FALSE)
  row <- row[kept]
  check_rows(row, count, operation)
  some <- if (length(kept) < length(x)) functions_at(x, kept) else x
  answer <- .Call(
    ffi_reduce, some, operation, as.double(row), as.double(count), weights[kept], na_rm,
    threads, settings
  )
  if (!is.null(answer$zero_row)) abort_no_mean(answer$zero_row, count)
  functions <- answer_value(answer_about(answer, kept), x = x)
  like(x, if (lines) simplified(new_plf(functions)) else functions)
}

abort_no_mean <- function(row, count) {
  abort_argument("weights", "must not add up to 0 for a mean", group_label(row, count), ".")
}
