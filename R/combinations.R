#' Linear combinations of functions, and of numbers
#'
#' @description
#' `linear_combinations(W, x)` is the product of a matrix and a collection: for each row of `W` the
#' function that is the sum of all functions of `x`, multiplied by the numbers in that row. Means of
#' each function's neighbours, smoothing over a graph and weighted means of classes are one call
#' each.
#'
#' `W %*% x` is the same: for matrices of the package Matrix, and from R 4.3 on for all.
#'
#' Where `x` is a vector of numbers, or a matrix of them, this is the product of matrices by all
#' threads, or by a GPU, that is meant for sparse ones, however uneven their rows. (`W %*% x` is
#' then what it always was.)
#'
#' @details
#' Each row is what `sum(x, weights = W[i, ])` is, see [reductions], and as exact: no errors add up.
#' Functions with weight 0 do not count at all, whether the 0 is stored in a sparse matrix or not:
#' neither do their breakpoints, nor where they are not observed. A row of zeros gives the zero
#' function `pcf(0, 0)`.
#'
#' The time, and the memory while it runs, grow with the number of breakpoints of all functions
#' with weights other than 0, counted once for each such weight: they are sorted. All numbers of a
#' plain matrix are read, twice. The work is spread evenly over the threads, also where one row has
#' most of the weights or one function most of the breakpoints. The result is the same for any
#' number of threads.
#'
#' **Numbers** are multiplied by the entries of `W` that are stored: all of a plain matrix, and of a
#' sparse one those that it holds, zeros among them. Others contribute nothing, whatever they meet.
#' Missing and infinite numbers, in `x` as in `W`, are numbers like others: an element is `NA` where
#' an entry or what it meets is `NA`, and `NaN` where there is a `NaN` but no `NA`, 0 meets `Inf`,
#' or `Inf` meets `-Inf` in the sum. Each product is rounded, and the products are added up as by
#' [segment_reduce()], in an order that depends on the row alone; errors are well below 1e-13 of the
#' sum of all magnitudes. The work is shared out by entries, and not by rows. A matrix that is kept
#' by its rows (`"RsparseMatrix"`) is read where it is; others are brought into that form first, with
#' 12 bytes for each entry, which takes longer than the product.
#'
#' @param W A matrix of numbers or logical values with a column for each function, or number, of
#'   `x`: a plain matrix or one of the package Matrix, such as sparse, diagonal and pattern matrices.
#' @param x A [pcf] or [plf], or a matrix of functions with a row for each column of `W`. Or a vector of
#'   numbers or logical values, or a matrix of these.
#' @param na.rm Where some functions are not observed, should the others be added up alone?
#'   Otherwise the result is `NA` there. The other weights stay as they are; for weighted means
#'   divide by what they add up to, `linear_combinations(W, observed(x))`, where that is not 0.
#'   `FALSE` for numbers.
#' @param device `"cpu"`, `"cuda"` for the first GPU, or `"auto"` for the one that is expected to be
#'   faster; of numbers that is the CPU. Functions that are [on_gpu()] need not be brought to a GPU;
#'   matrices and numbers always are. The results are the
#'   same, bit for bit. Which functions are left to the CPU is told at [sums][reductions].
#' @param threads The number of threads, see [pcfdist_options].
#'
#' @return A `pcf` or, of a [plf], a `plf` with a function for each row of `W`, the names of the rows
#'   and the [time_unit()] of `x`. If `x` is a matrix of functions, so is the result, as in a product of
#'   matrices: with the rows of `W` and the columns of `x`.
#'
#'   Of numbers, a double vector with an element for each row of `W`, and the names of the rows. If
#'   `x` is a matrix of numbers, a matrix.
#'
#' @section Errors:
#' Wrong arguments raise errors of the class `pcfdist_error_<argument>`, where `%*%` calls them
#' `x` and `y`: a `W` without a column for each function or number, or with weights of functions
#' that are missing or infinite, and sums of functions that are too large for a double
#' (`pcfdist_error_argument`). Functions come last: `x %*% W` is an error.
#'
#' @seealso [reductions] for one sum, [aggregate()][aggregate.pcf] for groups,
#'   [segment_reduce()] for stretches of a vector, [nearest_neighbors()] and [as_knn_graph()] for
#'   neighbours, and [distance_product()] for sums of distances.
#'
#' @examples
#' set.seed(1)
#' x <- rpcf(100, 20)
#'
#' # The mean function of each one's 15 nearest neighbours
#' near <- nearest_neighbors(x, 15)
#' W <- matrix(0, 100, 100)
#' W[cbind(c(row(near$id)), c(near$id))] <- 1 / 15
#' around <- linear_combinations(W, x)
#' plot(x[1], col = "grey")
#' lines(around[1])
#'
#' # Weighted means of classes
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
#'   # The same of a number for each function: means of the neighbours' norms
#'   linear_combinations(graph / Matrix::rowSums(graph), lp_norm(x, to = 1))
#' }
#' @export
linear_combinations <- function(W, x, na.rm = FALSE, device = NULL, threads = NULL) {
  check_given(W, "W", "a matrix of weights, with a row for each combination")
  check_given(x, "x", "what is combined, a <pcf> or numbers")
  if (inherits(x, "pcf")) return(combine_linearly(W, x, na.rm, device, threads, c("W", "x")))
  combine_numbers(W, x, na.rm, device, threads)
}

# `arguments` are the names of the user's arguments.
combine_linearly <- function(W, x, na_rm, device, threads, arguments) {
  x <- check_either(x, arguments[2])
  check_flag(na_rm, "na.rm")
  threads <- run_threads(threads)
  settings <- settings_of(device, threads)
  height <- check_height(x, arguments[2])
  check_matrix(W, x, height, arguments)
  matrix <- entries_of(W)
  is_matrix <- length(dim(x)) == 2
  columns <- if (is_matrix) ncol(x) else 1
  # What C does while it reads the entries, where there are functions.
  wrong <- if (columns == 0) which(!is.finite(matrix$weight))
  if (length(wrong) > 0) abort_entry(matrix, wrong[1], arguments[1])
  sums <- lapply(seq_len(columns), function(j) {
    place <- (j - 1) * height + seq_len(height)
    combine_column(matrix, nrow(W), x, place, na_rm, threads, settings, arguments)
  })
  result <- like(x, as.list(unlist(sums, recursive = FALSE)))
  if (is_matrix) {
    dim(result) <- c(nrow(W), columns)
    dimnames(result) <- any_labels(list(rownames(W), colnames(x)))
  } else {
    names(result) <- rownames(W)
  }
  result
}

# The functions of x at a place, combined by the rows of a matrix of entries_of(). Those that stay
# on a GPU are known there as a whole alone: for a run on it they are not taken apart.
combine_column <- function(matrix, rows, x, place, na_rm, threads, settings, arguments) {
  if (length(place) < length(x) && identical(settings$device, "cuda") && is_on_gpu(x)) {
    matrix <- matrix_of_all(matrix, rows, place, length(x))
    place <- seq_along(x)
  }
  functions <- if (length(place) < length(x)) like(x, unclass(x)[place]) else x
  left_out <- leave_out_missing(matrix, functions, na_rm)
  answer <- .Call(
    ffi_combinations, left_out$functions, left_out$matrix, as.double(rows), na_rm, threads,
    settings
  )
  if (!is.null(answer$wrong_entry)) abort_entry(matrix, answer$wrong_entry, arguments[1])
  answer_value(answer_about(answer, place), x = x, argument = arguments[2])
}

# A matrix for the functions at a place, consecutive ones, as one for all functions of x.
matrix_of_all <- function(matrix, rows, place, n) {
  entries <- matrix$starts[length(matrix$starts)]
  matrix$starts <- c(
    rep(0, place[1] - 1), matrix$starts, rep(entries, n - place[length(place)])
  )
  if (is.null(matrix$row)) matrix$row <- rep(seq_len(rows) - 1L, length(place))
  matrix
}

# Elements that are missing altogether become zero functions of no weight: all with `na_rm`, and
# otherwise those whose weights are 0. Weights that are not finite stay, to be found.
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

# The product of a matrix and the columns of numbers. A matrix that is kept by its rows is read as
# it is.
combine_numbers <- function(W, x, na_rm, device, threads) {
  if (!(is.numeric(x) || is.logical(x)) || is.object(x)) {
    abort_argument(
      "x", "must be a <pcf> or plain numbers, not ", describe(x), ". as_pcf() makes a <pcf> from ",
      "step functions, curves, matrices and data frames."
    )
  }
  if (check_flag(na_rm, "na.rm")) {
    abort_argument("na.rm", "must be FALSE for numbers: the result is NA where one of them is.")
  }
  threads <- run_threads(threads)
  settings <- gpu_settings(device, threads)
  height <- check_height(x, "x")
  check_matrix(W, x, height, c("W", "x"))
  by_rows <- is_sparse(W) && methods::is(W, "RsparseMatrix")
  matrix <- if (by_rows) entries_by_rows(W) else entries_of(W)
  columns <- if (length(dim(x)) == 2) ncol(x)
  shape <- if (is.null(columns)) {
    list(names = rownames(W))
  } else {
    list(dim = c(nrow(W), columns), dimnames = any_labels(list(rownames(W), colnames(x))))
  }
  answer_value(.Call(
    ffi_times_vectors, matrix, by_rows, as.double(c(nrow(W), height, columns %||% 1)),
    if (is.double(x)) x else as.double(x), shape, threads, settings
  ))
}

# ---- Matrices ----

is_sparse <- function(W) inherits(W, "sparseMatrix") && isS4(W)

# The entries of a matrix column by column: list(starts, row, weight), both of which count from
# 0. Of a plain matrix these are all, and `row` is NULL.
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

# The same of a sparse matrix that is kept by its rows: list(starts, column, weight), where `weight`
# is NULL if all are 1.
entries_by_rows <- function(W) {
  W <- methods::as(W, "generalMatrix")
  weight <- if (methods::.hasSlot(W, "x")) as.double(W@x)
  list(starts = as.double(W@p), column = W@j, weight = weight)
}

# ---- Checks ----

# The number of functions, or numbers, that a row of the matrix goes with.
check_height <- function(x, argument) {
  if (length(dim(x)) <= 1) return(length(x))
  if (length(dim(x)) == 2) return(nrow(x))
  what <- if (is_either(x)) "a collection or a matrix of functions" else "a vector or a matrix"
  abort_argument(
    argument, "must be ", what, ", not an array of ", length(dim(x)), " dimensions."
  )
}

check_matrix <- function(W, x, height, arguments) {
  argument <- arguments[1]
  if (inherits(W, "Matrix") && isS4(W)) {
    needs_package("Matrix", argument, "is a matrix of") # it can be from a file
  } else if (!is.matrix(W) || !(is.numeric(W) || is.logical(W))) {
    abort_argument(
      argument, "must be a matrix of numbers, plain or of the package Matrix, not ", describe(W),
      ".", if (is.numeric(W) && is.null(dim(W)) && is_either(x)) " sum(x, weights = ) takes a vector."
    )
  }
  if (ncol(W) == height) return()
  of <- if (length(dim(x)) == 2) "rows" else if (is_either(x)) "functions" else "numbers"
  abort_argument(
    argument, "must have a column for each of the ", height, " ", of, " of `", arguments[2],
    "`, and has ", ncol(W), "."
  )
}

# An entry whose weight is not finite, counted from 1.
abort_entry <- function(matrix, entry, argument) {
  column <- findInterval(entry - 1, matrix$starts)
  row <- if (is.null(matrix$row)) entry - 1 - matrix$starts[column] else matrix$row[[entry]]
  abort_argument(
    argument, "must be finite, and is ", number(matrix$weight[[entry]]), " in row ", row + 1,
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

# R looks for methods of `%*%` for the matrices of Matrix among those of S4 alone: watch_package()
# has them set. Matrix has methods for classes of its own and anything: ours must not be further
# away.
matrix_classes <- c(
  "Matrix", "denseMatrix", "CsparseMatrix", "RsparseMatrix", "TsparseMatrix", "diagonalMatrix",
  "indMatrix"
)

# S4 keeps the methods here, since the package itself cannot change any more.
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
