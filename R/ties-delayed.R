#' Results in a file as a DelayedMatrix
#'
#' The Bioconductor package DelayedArray works block by block on matrices in files: row and column sums,
#' matrix products, arithmetic, subsets. `as_delayed_matrix()` wraps a result of [pdist()], [cdist()] or
#' [l2_kernel()] for it; a `dist` becomes the full symmetric matrix with 0 on the diagonal.
#'
#' @param x A result in a file or in memory.
#'
#' @return A `DelayedMatrix` whose numbers are read when they are needed.
#'
#' @seealso [open_distances()]
#'
#' @examples
#' if (requireNamespace("DelayedArray", quietly = TRUE)) {
#'   file <- tempfile()
#'   d <- pdist(rpcf(50, 3), file = file)
#'   m <- as_delayed_matrix(d)
#'   print(m)
#'   unlink(paste0(file, c("", ".dcf")), expand = FALSE)
#' }
#' @export
as_delayed_matrix <- function(x) {
  check_given(x, "x", "distances in a file, see open_distances()")
  if (!requireNamespace("DelayedArray", quietly = TRUE)) {
    abort("package", "as_delayed_matrix() needs the package DelayedArray of Bioconductor.")
  }
  is_matrix <- is.double(x) && length(dim(x)) == 2
  check_is(inherits(x, "dist") || is_matrix, x, "x", "must be a dist or a double matrix, not ")
  check_result(x)
  DelayedArray::DelayedArray(structure(list(x), class = "stored_distances_seed"))
}

#' @export
dim.stored_distances_seed <- function(x) dim_of_matrix(.subset2(x, 1))

#' @export
dimnames.stored_distances_seed <- function(x) labels_of_matrix(.subset2(x, 1))

# The method that DelayedArray needs for a seed. NULL in `index` stands for all rows or columns.
extract_from_seed <- function(x, index) {
  part <- as.matrix.stored_distances(.subset2(x, 1), index[[1]], index[[2]])
  dimnames(part) <- NULL
  part
}

# The generic of DelayedArray is S4. watch_package() sets the method, which S4 keeps here.
seeds <- new.env()

# Hooks are called with a name and a path.
register_seeds <- function(...) {
  methods::setOldClass("stored_distances_seed", where = seeds)
  generic <- getExportedValue("DelayedArray", "extract_array")
  methods::setMethod(generic, "stored_distances_seed", extract_from_seed, where = seeds)
}

forget_seeds <- function() {
  generic <- getExportedValue("DelayedArray", "extract_array")
  methods::removeMethod(generic, "stored_distances_seed", where = seeds)
  methods::removeClass("stored_distances_seed", where = seeds)
}
