#' Linear combinations of functions or numbers
#'
#' @description
#' `linear_combinations(W, x)` is the product of a matrix and a collection of functions: for each row of
#' `W`, the sum of the functions of `x`, weighted by the numbers in that row. Uses are the means of each
#' function's neighbours, smoothing over a graph and weighted class means.
#'
#' `W %*% x` does the same if `W` is a matrix of the package Matrix or, from R 4.3 on, any matrix.
#'
#' If `x` is a numeric vector or matrix, the result is the ordinary matrix product, computed by all
#' threads or on a GPU. This is meant for sparse matrices, however uneven their rows. (`W %*% x` is
#' R's own product then.)
#'
#' @details
#' Each row equals `sum(x, weights = W[i, ])` and is as exact, see [reductions]: errors do not
#' accumulate. Functions with weight 0, stored or not, are ignored, including their breakpoints and the
#' times at which they are not observed. A row of zeros gives the zero function `pcf(0, 0)`.
#'
#' Time and temporary memory grow with the number of non-zero weights times the number of breakpoints of
#' their functions, which are sorted. All entries of a dense matrix are read, twice. The work is
#' balanced over the threads even if one row has most of the weights or one function most of the
#' breakpoints. The result does not depend on the number of threads.
#'
#' **Numbers** are multiplied by the stored entries of `W`: all entries of a dense matrix, and those of a
#' sparse matrix that it stores, including zeros. Entries that are not stored contribute nothing, even
#' where `x` is missing or infinite. An element of the result is `NA` if an entry or the number it is
#' multiplied by is `NA`; otherwise it is `NaN` if one of these is `NaN`, if 0 is multiplied by `Inf`, or if
#' `Inf` and `-Inf` are added. Products are rounded and added as by [segment_reduce()], in an order that
#' depends on the row alone; errors are well below 1e-13 of the sum of the absolute values of the products.
#' The work is divided by entries, not by rows. Row-compressed matrices (`"RsparseMatrix"`) are used in
#' place. Others are converted first, which takes 12 bytes for each entry and longer than the product.
#'
#' @param W A numeric or logical matrix with a column for each function, or number, of `x`: a base matrix,
#'   or one of the package Matrix, including sparse, diagonal and pattern matrices. Weights are matched by
#'   position, whatever their names.
#' @param x A [pcf] or [plf], or a matrix of functions with a row for each column of `W`; or a numeric or
#'   logical vector or matrix.
#' @param na.rm If `TRUE`, functions are ignored where they are not observed; if `FALSE`, the result is
#'   `NA` there. The other weights are not rescaled: for weighted means, divide by their sum,
#'   `linear_combinations(W, observed(x))`, where it is not 0. Must be `FALSE` for numbers.
#' @param device `"cpu"`, `"cuda"` for the first GPU, or `"auto"` for the one that is expected to be
#'   faster, which for numbers is the CPU. Functions that are [on_gpu()] are not copied there again;
#'   matrices and numbers always are. Results are identical. The CPU computes combinations of a [plf] with
#'   weights that are not whole numbers in any case; for others see [reductions].
#' @param threads The number of threads; see [pcfdist_options].
#'
#' @return For functions, a `pcf`, or a `plf` if `x` is one, with a function for each row of `W`, the row
#'   names of `W` and the [time_unit()] of `x`. If `x` is a matrix of functions, a matrix of functions with
#'   the rows of `W` and the columns of `x`.
#'
#'   For numbers, a double vector with an element for each row of `W`, named by the rows; if `x` is a
#'   matrix, a double matrix.
#'
#' @section Errors:
#' Invalid arguments raise errors of class `pcfdist_error_<argument>`; `%*%` calls its arguments `x` and
#' `y`. Examples are a `W` without a column for each function or number, missing or infinite weights of
#' functions, and sums of functions that overflow (`pcfdist_error_argument`). The collection must be on
#' the right: `x %*% W` raises an error.
#'
#' @seealso [reductions] for a single sum, [aggregate()][aggregate.pcf] for groups,
#'   [segment_reduce()] for segments of a vector, [nearest_neighbors()] and [as_knn_graph()] for
#'   neighbours, and [distance_product()] for sums of distances
#'
#' @examples
#' set.seed(1)
#' x <- rpcf(100, 20)
#'
#' # The mean function of the 15 nearest neighbours of each function
#' near <- nearest_neighbors(x, 15)
#' W <- matrix(0, 100, 100)
#' W[cbind(c(row(near$id)), c(near$id))] <- 1 / 15
#' around <- linear_combinations(W, x)
#' plot(x[1], col = "grey")
#' lines(around[1])
#'
#' # Weighted class means
#' class <- rep(c("a", "b"), 50)
#' weight <- runif(100)
#' W <- t(outer(class, c(a = "a", b = "b"), "==") * weight)
#' linear_combinations(W / rowSums(W), x)
#'
#' # Smoothing over the graph of neighbours: a sparse matrix
#' if (requireNamespace("Matrix", quietly = TRUE)) {
#'   graph <- as_knn_graph(near, "union", weight = "one")
#'   W <- Matrix::Diagonal(100) + graph / Matrix::rowSums(graph)
#'   linear_combinations(W / 2, x)
#'
#'   # The same for numbers: the mean norm of each function's neighbours
#'   linear_combinations(graph / Matrix::rowSums(graph), lp_norm(x, to = 1))
#' }
#' @export
linear_combinations <- function(W, x, na.rm = FALSE, device = NULL, threads = NULL) {
  check_given(W, "W", "a matrix of weights with a row for each combination")
  check_given(x, "x", "a <pcf> or numbers to combine")
  if (inherits(x, "pcf")) return(combine_linearly(W, x, na.rm, device, threads, c("W", "x")))
  combine_numbers(W, x, na.rm, device, threads)
}

# `arguments` are the names of the user's arguments.
combine_linearly <- function(W, x, na_rm, device, threads, arguments) {
  x <- check_either(x, arguments[2])
  na_rm <- check_flag(na_rm, "na.rm")
  threads <- run_threads(threads)
  settings <- gpu_settings(device, threads)
  height <- check_height(x, arguments[2])
  check_matrix(W, x, height, arguments)
  matrix <- entries_of(W)
  # With functions, C checks this while it reads the entries.
  wrong <- if (NCOL(x) == 0) which(!is.finite(matrix$weight))
  if (length(wrong) > 0) abort_entry(matrix, wrong[1], arguments[1])
  sums <- lapply(seq_len(NCOL(x)), function(j) {
    place <- (j - 1) * height + seq_len(height)
    combine_column(matrix, nrow(W), x, place, na_rm, threads, settings, arguments)
  })
  like(x, with_shape(as.list(unlist(sums, recursive = FALSE)), shape_of_product(W, x)))
}

# The attributes of the product of a matrix and columns, or one column without dim.
shape_of_product <- function(W, x) {
  if (length(dim(x)) < 2) return(list(names = rownames(W)))
  list(dim = c(nrow(W), ncol(x)), dimnames = any_labels(list(rownames(W), colnames(x))))
}

# Combines the functions of x at a place by the rows of a matrix from entries_of(). A collection on a GPU
# is known there only as a whole, so it is not split for a run on the GPU.
combine_column <- function(matrix, rows, x, place, na_rm, threads, settings, arguments) {
  if (length(place) < length(x) && identical(settings$device, "cuda") && is_on_gpu(x)) {
    matrix <- matrix_of_all(matrix, rows, place, length(x))
    place <- seq_along(x)
  }
  functions <- if (length(place) < length(x)) functions_at(x, place) else x
  left_out <- leave_out_missing(matrix, functions, na_rm)
  answer <- .Call(
    ffi_combinations, left_out$functions, left_out$matrix, as.double(rows), na_rm, threads,
    settings
  )
  if (!is.null(answer$wrong_entry)) abort_entry(matrix, answer$wrong_entry, arguments[1])
  answer_value(answer_about(answer, place), x = x, argument = arguments[2])
}

# Extends a matrix for consecutive functions of x to one for all functions of x.
matrix_of_all <- function(matrix, rows, place, n) {
  entries <- matrix$starts[length(matrix$starts)]
  matrix$starts <- c(
    rep(0, place[1] - 1), matrix$starts, rep(entries, n - place[length(place)])
  )
  if (is.null(matrix$row)) matrix$row <- rep(seq_len(rows) - 1L, length(place))
  matrix
}

# Missing elements become zero functions: with `na_rm` all, which then get the weight 0, and otherwise
# those whose weights are 0. Weights that are not finite stay, so that they are found later.
leave_out_missing <- function(matrix, functions, na_rm) {
  class <- oldClass(functions)
  zero <- if (is_plf(functions)) new_line(0, 0, 0) else new_function(0, 0)
  functions <- unclass(functions)
  for (j in which(lengths(functions) == 0)) {
    entries <- matrix$starts[j] + seq_len(matrix$starts[j + 1] - matrix$starts[j])
    weight <- matrix$weight[entries]
    if (na_rm) matrix$weight[entries[is.finite(weight)]] <- 0
    if (na_rm || all(weight %in% 0)) functions[[j]] <- zero
  }
  class(functions) <- class
  list(functions = functions, matrix = matrix)
}

# ---- Numbers ----

# The product of a matrix and columns of numbers. A matrix stored by row is used as it is.
combine_numbers <- function(W, x, na_rm, device, threads) {
  check_is((is.numeric(x) || is.logical(x)) && !is.object(x), x, "x", "must be a <pcf> or numbers, not ",
           hint = " Use as_pcf() for step functions, curves, matrices and data frames.")
  if (check_flag(na_rm, "na.rm")) {
    abort_argument("na.rm", "must be FALSE for numbers, which give NA where one of them is NA.")
  }
  threads <- run_threads(threads)
  settings <- gpu_settings(device, threads)
  height <- check_height(x, "x")
  check_matrix(W, x, height, c("W", "x"))
  by_rows <- is_sparse(W) && methods::is(W, "RsparseMatrix")
  matrix <- if (by_rows) entries_by_rows(W) else entries_of(W)
  answer_value(.Call(
    ffi_times_vectors, matrix, by_rows, as.double(c(nrow(W), height, NCOL(x))),
    if (is.double(x)) x else as.double(x), shape_of_product(W, x), threads, settings
  ))
}

# ---- Matrices ----

is_sparse <- function(W) inherits(W, "sparseMatrix") && isS4(W)

# The entries of a matrix column by column: list(starts, row, weight), with starts and rows counted from
# 0. For a dense matrix these are all entries, and `row` is NULL.
entries_of <- function(W) {
  if (is_sparse(W)) {
    W <- methods::as(methods::as(W, "CsparseMatrix"), "generalMatrix")
    weight <- if (methods::.hasSlot(W, "x")) as.double(W@x) else rep(1, length(W@i))
    return(list(starts = as.double(W@p), row = W@i, weight = weight))
  }
  starts <- nrow(W) * as.double(seq(0, ncol(W)))
  weight <- if (is.double(W) && !is.object(W)) W else as.double(as.matrix(W))
  list(starts = starts, row = NULL, weight = weight)
}

# The same for a sparse matrix that is stored by row: list(starts, column, weight), where `weight` is
# NULL if all weights are 1.
entries_by_rows <- function(W) {
  W <- methods::as(W, "generalMatrix")
  weight <- if (methods::.hasSlot(W, "x")) as.double(W@x)
  list(starts = as.double(W@p), column = W@j, weight = weight)
}

# ---- Checks ----

# The number of functions, or numbers, that a row of the matrix combines.
check_height <- function(x, argument) {
  if (length(dim(x)) <= 2) return(NROW(x))
  what <- if (is_either(x)) "a collection or a matrix of functions" else "a vector or a matrix"
  abort_argument(
    argument, "must be ", what, ", not an array of ", length(dim(x)), " dimensions."
  )
}

check_matrix <- function(W, x, height, arguments) {
  argument <- arguments[1]
  if (inherits(W, "Matrix") && isS4(W)) {
    needs_package("Matrix", argument, "is a matrix of") # it may have been read from a file
  } else if (!is.matrix(W) || !(is.numeric(W) || is.logical(W))) {
    abort_argument(
      argument, "must be a numeric matrix, of base R or the package Matrix, not ", describe(W),
      ".", if (is.numeric(W) && is.null(dim(W)) && is_either(x)) " For a vector, use sum(x, weights = )."
    )
  }
  if (ncol(W) == height) return()
  of <- if (length(dim(x)) == 2) "rows" else if (is_either(x)) "functions" else "numbers"
  abort_argument(
    argument, "must have a column for each of the ", height, " ", of, " of `", arguments[2],
    "`, not ", ncol(W), "."
  )
}

# The error for an entry, counted from 1, whose weight is not finite.
abort_entry <- function(matrix, entry, argument) {
  column <- findInterval(entry - 1, matrix$starts)
  row <- if (is.null(matrix$row)) entry - 1 - matrix$starts[column] else matrix$row[[entry]]
  abort_argument(
    argument, "must be finite, not ", number(matrix$weight[[entry]]), " in row ", row + 1,
    ", column ", column, "."
  )
}

# ---- Operators ----

# From R 4.3 on; NAMESPACE registers it there.
#' @rawNamespace if (getRversion() >= "4.3.0") S3method(matrixOps, pcf)
matrixOps.pcf <- function(x, y) {
  if (.Generic == "%*%" && is_either(y)) return(multiply(x, y))
  abort_generic(.Generic, "write W %*% x, with the functions on the right.")
}

multiply <- function(x, y) combine_linearly(x, y, FALSE, NULL, NULL, c("x", "y"))

# For the matrices of Matrix, R looks only for S4 methods of `%*%`, which watch_package() registers.
# Matrix itself has methods for its classes and "ANY", so ours are set for the same classes.
matrix_classes <- c(
  "Matrix", "denseMatrix", "CsparseMatrix", "RsparseMatrix", "TsparseMatrix", "diagonalMatrix",
  "indMatrix"
)

# S4 keeps the methods here, since the namespace of the package is locked.
products <- new.env()

# Hooks are called with a name and a path.
register_products <- function(...) {
  methods::setOldClass(plf_class, where = products)
  for (class in matrix_classes) {
    methods::setMethod("%*%", c(class, pcf_class), multiply, where = products)
  }
}

forget_products <- function() {
  for (class in matrix_classes) {
    methods::removeMethod("%*%", c(class, pcf_class), where = products)
  }
  for (class in plf_class) methods::removeClass(class, where = products)
}
