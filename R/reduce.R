#' Sums, means and extrema of functions
#'
#' @description
#' `sum()`, `mean()`, `max()` and `min()` of a collection are pointwise: the function
#' whose value at each time is the sum, mean, maximum or minimum of the values of all
#' functions there. `range()` gives the minimum and the maximum. With `margin`, an array of
#' functions is reduced to a smaller array, as [apply()] does. [aggregate()][aggregate.pcf]
#' does the same by groups.
#'
#' @param x A [pcf] or [plf]. Extrema of lines have breakpoints where these cross.
#' @param w,weights Numbers, one for each function, by name where both have names, else in the order of
#'   the collection: the functions are multiplied by them. Sums take any finite weights, negative ones included;
#'   the weights of a mean must not add up to 0. Functions with weight 0 do not count at
#'   all. `NULL`: all weights are 1.
#' @param margin The dimensions of an array of functions that are kept, as numbers or, where
#'   the dimnames have names, by these names. `NULL`: all functions are reduced to one.
#' @param na.rm Where some functions are not observed, should the others count alone? Otherwise
#'   the result is `NA` there. Elements that are missing altogether are left out as well;
#'   otherwise they are an error.
#' @param device `"cpu"`, `"cuda"` for the first GPU, or `"auto"` for the one that is expected to be
#'   faster: of millions of breakpoints that is the GPU. Functions that are [on_gpu()] need not be
#'   brought there.
#' @param threads The number of threads; see [pcfdist_options].
#' @param ... For `sum()`, `max()`, `min()` and `range()`: collections, which count as one,
#'   and by their full names `weights` (`sum()` only), `margin`, `device` and `threads`. Not used
#'   by `mean()`.
#'
#' @details
#' A function is 0 before its first breakpoint and keeps its last value for ever, and counts
#' with these values: before the breakpoints of some of the functions, the maximum is at
#' least 0.
#'
#' The result begins at the first breakpoint of all functions, at `-Inf` only where it is not 0
#' there. After that it has a breakpoint only where it changes.
#'
#' **Where functions are not observed**, with the value `NA`, so is the result. With
#' `na.rm = TRUE` it is that of the functions which are observed at the time, and the weights of
#' a mean are divided by the sum of theirs, which must not be 0. Where none is observed, means
#' and extrema are `NA` and sums 0, as the sum of no numbers is. `sum(observed(x))` says how many
#' are.
#'
#' Sums are exact before they are rounded: no errors add up, however many functions there
#' are, and where all functions have come back to 0, so has their sum. Weighted sums round
#' each product first; one of step functions that is more than \eqn{10^{600}} times smaller than the
#' largest is taken as 0. Of piecewise linear functions left limits and values are added up so; between
#' its breakpoints each has the error of its slope, which is rounded.
#'
#' Without weights, the mean of equal functions is that function, and a mean
#' never leaves the range of the functions; with weights, that is so up to rounding, and for
#' positive weights. Results depend neither on the order of the functions nor on the number of
#' threads.
#'
#' A sum of step and piecewise linear functions is piecewise linear.
#'
#' On a GPU (`device = "cuda"`) results are the same, bit for bit. All functions and what is made
#' of them must fit its memory: about 80 bytes for each breakpoint, 100 for sums and means of
#' functions that are not observed everywhere, 200 of piecewise linear functions. Left to the CPU are
#' 2^31 breakpoints and more, sums and means with values or weights of very different magnitudes,
#' and, with `na.rm = TRUE`, means of functions that are not observed everywhere with negative
#' weights; of piecewise linear functions also extrema, and, where they are not observed everywhere,
#' all but sums with `na.rm = TRUE`.
#'
#' @return
#' A collection of the class of `x`, of length 1, for `range()` of length 2. With `margin`: an array of functions with
#' the dimensions and dimnames of `x` that were kept; where that is one dimension, a plain
#' collection with its names. `range()` then has a first dimension of length 2, the minimum
#' and the maximum. The sum of no functions is the zero function `pcf(0, 0)`.
#'
#' @section Errors:
#' `any()`, `all()` and `prod()` are not defined (`pcfdist_error_generic`), and neither are means
#' and extrema of no functions (`pcfdist_error_x`). Values too large for a double, and more than
#' \eqn{2^{31} - 1} breakpoints in one function, are errors (`pcfdist_error_argument`). Wrong
#' arguments raise errors of the class `pcfdist_error_<argument>`.
#'
#' @seealso [aggregate.pcf()] for groups, [linear_combinations()] for many weighted sums at once,
#'   [quantile()][quantile.pcf] for medians and other quantiles, [pcf-algebra] for `f + g`,
#'   [integral()] and [lp_norm()] for a number a function.
#'
#' @examples
#' # Chicks that left are not observed any more.
#' x <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight", until = "last")
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
  reduce <- function(operation) {
    reduce_margin(
      arguments$x, operation, arguments$weights, arguments$margin, na.rm, arguments$device,
      arguments$threads
    )
  }
  if (.Generic != "range") return(reduce(.Generic))
  both_ends(reduce("min"), reduce("max"), arguments$margin)
}

# The minimum and the maximum; of each cell of a margin, as apply(x, margin, range) has them.
both_ends <- function(lowest, highest, margin) {
  if (is.null(margin)) return(c(lowest, highest))
  n <- length(lowest)
  ends <- unname(c(lowest, highest)[rbind(seq_len(n), n + seq_len(n))])
  dim(ends) <- c(2L, dim(lowest) %||% n)
  dimnames(ends) <- any_labels(c(list(NULL), labels_of(lowest)))
  ends
}

# Parts the arguments of sum() and the like into the collection and what has a name.
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

#' Sums, means and extrema of functions by group
#'
#' The method of [aggregate()][stats::aggregate] for collections of functions: one function
#' for each group.
#'
#' @param x A [pcf] or [plf].
#' @param by The groups: a vector or factor as long as `x`, or a list (or data frame) of
#'   such, whose combinations are the groups. Functions with a missing group are left out. Where
#'   groups and functions both have names, they are matched by them, and an error tells where the
#'   names are not the same.
#' @param FUN `mean`, `sum`, `max` or `min`, or one of these names: all groups are then
#'   computed at once. Or any other function that takes a collection and gives one of length 1; it is
#'   called for one group after the other.
#' @param ... Further arguments of `FUN`, such as `threads` and `device`. `weights` of [mean][mean.pcf]
#'   and [sum][reductions] are those of all functions of `x`.
#'
#' @return
#' If `by` is a vector or factor: a collection of the class of `x` with one function for each group that occurs, with
#' the names of the groups and in their sorted order (that of the levels, for factors).
#'
#' If `by` is a list: a data frame, as of [aggregate.data.frame()][stats::aggregate]: one row
#' for each combination of groups that occurs, the first group varying fastest; columns with
#' the groups, named as `by` or `Group.1`, `Group.2` and so on; and the column `x` with the
#' functions.
#'
#' @section Errors:
#' Wrong arguments raise errors of the class `pcfdist_error_<argument>`.
#'
#' @seealso [mean.pcf()] and [reductions], which say what is computed; [plot_bands()] draws
#'   groups.
#'
#' @examples
#' x <- as_pcf(ChickWeight, id = "Chick", time = "Time", value = "weight", until = "last")
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
  by <- with_row_names(by)
  by <- if (by_list) lapply(by, match_names, names(x), "by") else match_names(by, names(x), "by")
  groups <- find_groups(x, if (by_list) by else list(by))
  operation <- fast_operation(FUN)
  result <- if (is.null(operation)) {
    aggregate_each(x, groups, match.fun(FUN), ...)
  } else {
    reduce_groups(x, operation, groups, ...)
  }
  if (!by_list) {
    names(result) <- as.character(by[groups$example])
    return(result)
  }
  table <- lapply(by, function(group) unname(group[groups$example]))
  unnamed <- which(!nzchar(names(table) %||% character(length(table))))
  names(table)[unnamed] <- paste0("Group.", unnamed)
  table <- data.frame(table, check.names = FALSE, stringsAsFactors = FALSE)
  table$x <- result
  table
}

# The columns of a data frame with row names, other than numbers of rows, have these for names.
with_row_names <- function(groups) {
  names <- if (is.data.frame(groups)) attr(groups, "row.names")
  if (is.character(names)) lapply(groups, stats::setNames, names) else groups
}

# The group of each function as a number (NA for none), the number of groups, and for each
# group a function that belongs to it. Groups are sorted, the first of `by` varying fastest.
find_groups <- function(x, by) {
  if (length(by) == 0) abort_argument("by", "must have at least one element.")
  code <- rep(1, length(x))
  for (group in rev(unname(by))) {
    fits <- is.atomic(group) && !is.null(group) && length(group) == length(x)
    check_is(fits, group, "by", "must hold one group for each of the ", length(x), " functions, not ")
    group <- as.factor(group)
    code <- (code - 1) * nlevels(group) + as.integer(group)
    code <- match(code, sort(unique(code)))
  }
  count <- length(unique(code[!is.na(code)]))
  list(row = code, count = count, example = match(seq_len(count), code))
}

# The operation in C that a function stands for, or NULL.
fast_operation <- function(FUN) {
  if (is.character(FUN) && length(FUN) == 1) {
    return(if (FUN %in% c("mean", "sum", "max", "min")) FUN)
  }
  for (name in c("mean", "sum", "max", "min")) {
    if (identical(FUN, get(name, baseenv()))) return(name)
  }
  NULL
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
    check_is(is_either(result) && length(result) == 1, result, "FUN", "must give a <pcf> of length 1, not ")
    unname(result)
  })
  if (length(results) > 0) join_collections(results, "FUN") else like(x, list())
}

# ---- Margins ----

reduce_margin <- function(x, operation, weights, margin, na_rm, device, threads) {
  x <- check_either(x)
  margin <- check_margin(margin, x)
  size <- dim(x)[margin]
  row <- rep(1, length(x))
  stride <- 1
  for (k in seq_along(margin)) {
    row <- row + (slice.index(array(0L, dim(x)), margin[k]) - 1) * stride
    stride <- stride * size[k]
  }
  result <- reduce_rows(x, operation, as.double(row), stride, weights, na_rm, device, threads)
  labels <- dimnames(x)[margin]
  if (length(margin) == 1) {
    names(result) <- labels[[1]]
  } else if (length(margin) > 1) {
    dim(result) <- size
    dimnames(result) <- labels
  }
  result
}

# ---- Rows ----

# Reduces the functions of each row, row[i] in 1 ... count or NA, to one.
reduce_rows <- function(x, operation, row, count, weights, na_rm, device, threads) {
  threads <- run_threads(threads)
  lines <- is_plf(x) && operation %in% c("max", "min")
  settings <- settings_of(device, threads, if (lines) "extrema of piecewise linear functions")
  weights <- check_weights(weights, x, operation)
  check_flag(na_rm, "na.rm")
  kept <- which(!is.na(row) & !(na_rm & as.vector(is.na(x))), useNames = FALSE)
  row <- row[kept]
  check_rows(row, count, operation)
  if (lines) {
    operator <- paste0("p", operation, if (na_rm) " of those observed")
    return(like(x, pairwise_lines(check_functions(x[kept]), operator, row, count)))
  }
  some <- if (length(kept) < length(x)) like(x, unclass(x)[kept]) else x
  answer <- .Call(
    ffi_reduce, some, operation, as.double(row), as.double(count), weights[kept], na_rm,
    threads, settings
  )
  if (!is.null(answer$zero_row)) abort_no_mean(answer$zero_row, count)
  like(x, answer_value(answer_about(answer, kept), x = x))
}

abort_no_mean <- function(row, count) {
  abort_argument("weights", "must not add up to 0", group_label(row, count),
                 ": there is no such mean.")
}

group_label <- function(row, count) {
  if (count > 1) sprintf(" in group or cell %.0f of %.0f", row, count)
}
