# Results as data frames, and the generics tidy() and glance() of the package generics, which broom has as well. Methods
# for these are registered when generics is loaded.

#' Results as Data Frames
#'
#' `as.data.frame()` makes a data frame of what functions of this package return, and `tidy()` and `glance()` of the
#' package generics, which broom exports as well, make one with the names of columns that broom uses.
#'
#' @param x A result: neighbours, as from [nearest_neighbors()] or [neighbors_within()]; the `edges` of a
#'   [spanning_tree()]; a [permutation_test()]; [confidence_bands()]; a [summary()][pcf-methods] of functions;
#'   [pcf_plan()] or [last_run()]; [cuda_info()].
#' @param row.names As in [as.data.frame()].
#' @param optional Not used.
#' @param ... Not used.
#'
#' @return A data frame. `as.data.frame()` of
#' * neighbours: a row for each pair, by function and then by distance, with the columns `from` and `to`, names of
#'   functions or, if there are none, indices, and `distance`. With a `query`, `from` is a function of it, and `to` an
#'   index in `x`;
#' * edges of a tree: a row for each edge, with `from`, `to` and `weight`, the distance;
#' * a test: one row, as `tidy()`;
#' * bands: a row for each time, see [confidence_bands()];
#' * a summary: one row of numbers of functions and breakpoints, times and values;
#' * a plan or run: one row with what is a single number or string. [rbind()] compares several;
#' * `cuda_info()`: a row for each GPU.
#'
#' `tidy()` and `glance()` of
#' * a test: one row with `estimate`, if there is one, `statistic`, `p.value`, `parameter`, `method` and `alternative`;
#' * bands: `tidy()` has a row for each time, with `id`, `time`, `estimate`, `conf.low` and `conf.high`, and for lines
#'   the left limits of these, whose names end in `.left`. `glance()` has one row with the number of `curves`, the
#'   `type` and the `level`.
#'
#' @seealso [as.data.frame.pcf()] for functions
#'
#' @examples
#' x <- rpcf(6, 5)
#' as.data.frame(nearest_neighbors(x, 2))
#' as.data.frame(spanning_tree(x)$edges)
#' if (requireNamespace("generics", quietly = TRUE)) {
#'   print(generics::tidy(permutation_test(x, rep(1:2, 3), n = 99, to = 1)))
#'   head(generics::tidy(confidence_bands(x)))
#' }
#' @name as.data.frame.NN
NULL

# ---- Pairs ----

#' @rdname as.data.frame.NN
#' @export
as.data.frame.NN <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_more(list(...))
  each <- if (is.list(x$id)) lengths(x$id, use.names = FALSE) else rep(ncol(x$id), nrow(x$id))
  by_function <- function(part) if (is.list(part)) unlist(part, use.names = FALSE) else as.vector(t(part))
  names <- if (is.list(x$id)) names(x$id) else rownames(x$id)
  pairs <- data.frame(
    from = labelled(rep(seq_along(each), each), names),
    to = labelled(as.integer(by_function(x$id)), if (is.null(x$searched)) names),
    distance = as.double(by_function(x$dist))
  )
  with_row_names(pairs, row.names)
}

#' @rdname as.data.frame.NN
#' @export
as.data.frame.mst <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_more(list(...))
  labels <- attr(x, "Labels", exact = TRUE)
  end <- function(column) labelled(as.integer(x[, column]), labels)
  with_row_names(data.frame(from = end("from"), to = end("to"), weight = as.double(x[, "weight"])), row.names)
}

labelled <- function(index, names) if (is.null(names)) index else names[index]

with_row_names <- function(table, row.names) {
  if (!is.null(row.names)) row.names(table) <- row.names
  table
}

# ---- Tests and bands ----

#' @rdname as.data.frame.NN
#' @export
as.data.frame.pcf_test <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_more(list(...))
  row <- list(estimate = x$estimate, statistic = x$statistic, p.value = x$p.value, parameter = x$parameter,
              method = x$method, alternative = x$alternative)
  one_row(Filter(Negate(is.null), row), row.names)
}

one_row <- function(row, row.names) with_row_names(data.frame(lapply(row, unname), check.names = FALSE), row.names)

#' @exportS3Method generics::tidy
tidy.pcf_test <- function(x, ...) as.data.frame(x, ...)

#' @exportS3Method generics::glance
glance.pcf_test <- function(x, ...) as.data.frame(x, ...)

#' @exportS3Method generics::tidy
tidy.pcf_bands <- function(x, ...) {
  table <- as.data.frame(x, ...)
  names(table) <- sub("^center", "estimate", sub("^lower", "conf.low", sub("^upper", "conf.high", names(table))))
  names(table) <- sub("_left$", ".left", names(table))
  table
}

#' @exportS3Method generics::glance
glance.pcf_bands <- function(x, ...) {
  check_no_more(list(...))
  data.frame(curves = length(x$center), type = x$type, level = x$level)
}

# ---- Summaries, plans and devices ----

#' @rdname as.data.frame.NN
#' @export
as.data.frame.summary.pcf <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_more(list(...))
  row <- as.list(unclass(x)[names(x)])
  if (is.null(row[["with gaps"]])) row[["with gaps"]] <- 0
  times <- c("first time", "last time")
  row[times] <- lapply(row[times], as_times, unit_of(x))
  names(row) <- gsub(" ", "_", names(row))
  one_row(row, row.names)
}

#' @rdname as.data.frame.NN
#' @export
as.data.frame.pcf_plan <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_more(list(...))
  one_row(Filter(function(part) is.atomic(part) && length(part) == 1, unclass(x)), row.names)
}

#' @rdname as.data.frame.NN
#' @export
as.data.frame.cuda_info <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_more(list(...))
  with_row_names(x$devices, row.names)
}
