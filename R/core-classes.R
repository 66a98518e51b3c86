# The classes of collections, and what a collection of either class has.

#' @rdname pcf
#' @export
is_pcf <- function(x) {
  is_either(x) && !inherits(x, "plf")
}

# Is it a collection of piecewise constant or of piecewise linear functions?
is_either <- function(x) {
  inherits(x, "pcf") && typeof(x) == "list"
}

# Makes a collection of a list of valid functions, which keeps its names and dim. `unit` is that of the
# times, see core-time.R, and `name` that of the values, see core-value-name.R.
new_pcf <- function(functions = list(), unit = NULL, class = pcf_class, name = NULL) {
  attr(functions, "on_gpu") <- NULL # the functions may have changed
  attr(functions, "time_unit") <- unit
  attr(functions, "value_name") <- name
  class(functions) <- class
  functions
}

# A collection with the unit, the class and the name of x of functions, a plain list with its own names and dim.
like <- function(x, functions, unit = unit_of(x)) new_pcf(functions, unit, class_of(x), name_of(x))

# Some functions of a collection, as a vector: dimensions are dropped.
functions_at <- function(x, places) like(x, unclass(x)[places])

new_plf <- function(functions = list(), unit = NULL, name = NULL) new_pcf(functions, unit, plf_class, name)

# The class of a collection, without classes that other packages have added.
class_of <- function(x) if (inherits(x, "plf")) plf_class else pcf_class

# The number of columns of their matrices.
columns_of <- function(x) if (inherits(x, "plf")) 3L else 2L

# A collection like x, with its names, dim, unit and class, of other functions, a plain list.
replace_functions <- function(x, functions) like(x, shaped_as(functions, x))

# `change` applied to each function, a matrix.
map_functions <- function(x, change) replace_functions(x, lapply(unclass(x), change))

# Without "list": vctrs would extract bare matrices, as dplyr::rowwise() does with lists.
pcf_class <- "pcf"

# Piecewise linear functions share the methods of step functions.
plf_class <- c("plf", "pcf")

# One function: a double matrix with the columns time and value, and left if it is piecewise linear.
new_function <- function(times, values, left = NULL) {
  names <- if (is.null(left)) function_dimnames else line_dimnames
  columns <- c(as.double(times), as.double(left), as.double(values))
  dim(columns) <- c(length(times), length(names[[2]]))
  dimnames(columns) <- names
  columns
}

new_line <- function(times, left, values) new_function(times, values, left)

function_dimnames <- list(NULL, c("time", "value"))
line_dimnames <- list(NULL, c("time", "left", "value"))

# The same from times, values and, for piecewise linear functions, left limits of all functions one after
# the other.
cut_functions <- function(lengths, times, values, left = NULL) {
  if (!is.null(left)) left <- as.double(left)
  .Call(ffi_cut_functions, as.double(lengths), as.double(times), as.double(values), left)
}

# The number of breakpoints of each function.
breakpoints_of <- function(x) {
  lengths(unclass(x), use.names = FALSE) / columns_of(x)
}

name_of <- function(x) attr(x, "value_name", exact = TRUE)

# A label for each function: its name or, in an array, its dimnames pasted together as in "a, b". NULL if
# there are none. Dimensions without names are labelled by indices.
function_labels <- function(x) {
  if (length(dim(x)) < 2) return(names(x))
  labels <- dimnames(x)
  if (is.null(labels)) return(NULL)
  bare <- vapply(labels, is.null, NA)
  labels[bare] <- lapply(dim(x)[bare], seq_len)
  do.call(paste, c(unname(as.list(expand.grid(labels))), sep = ", "))
}

# 'function 2 ("b")', or 'the function' for a single one without a name; `what` replaces "function".
# A function that stands in for a missing one is a copy of another, and that one is named.
function_label <- function(i, x, what = "function") {
  if (is_either(x) && i <= length(x)) i <- attr(.subset2(x, i), "copy_of") %||% i
  name <- names(x)[i]
  named <- !is.null(name) && !is.na(name) && nzchar(name)
  if (length(x) == 1 && !named) return(paste("the", what))
  paste0(sprintf("%s %.0f", what, i), if (named) paste0(" (", dQuote(name, FALSE), ")"))
}

#' @rdname plf
#' @export
is_plf <- function(x) {
  is_either(x) && inherits(x, "plf")
}

# The innermost active frame of a function, or 0.
called_by <- function(f) {
  Position(function(k) identical(sys.function(k), f), seq_len(sys.nframe()), right = TRUE, nomatch = 0)
}
