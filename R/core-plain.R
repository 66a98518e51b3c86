# The state of the package, and what needs nothing else of it.

# 64-bit integers look like doubles; methods of the package bit64 read and subset them.
type_of <- function(x) if (inherits(x, "integer64")) "integer64" else typeof(x)

# The exponents of powers of two near numbers, for numbers to be divided by; 0 unless they are very large or
# small.
exponent_near <- function(largest) {
  ordinary <- is.na(largest) | largest == 0 | abs(log2(largest)) < 100
  replace(floor(log2(largest)), ordinary, 0)
}

# Such a power of one number.
unit_near <- function(largest) 2^min(exponent_near(largest), 1023)

`%||%` <- function(x, y) if (is.null(x)) y else x

# The state of the package: the report of the last computation, see last_run(); the progress bar of the
# current one; and the plot that was begun last, with its unit of time.
the <- new.env(parent = emptyenv())

# Methods of classes, such as that of survival's models, may fail for what has the class alone.
dim_of <- function(x) tryCatch(dim(x), error = function(error) NULL)

# Checks of single values return them plain: NumPy's scalars, as reticulate passes them, are arrays of one element.
plain <- function(x) {
  if (is.atomic(x) && length(x) == 1 && !is.null(dim_of(x))) as.vector(x) else x
}

# Loads the package without whose methods R takes the bits of 64-bit integers for those of doubles.
has_bit64 <- function() requireNamespace("bit64", quietly = TRUE)

is_one_number <- function(x) is.numeric(x) && !is.object(x) && length(x) == 1 && !is.na(x)

# A string that can be the name of something.
is_one_name <- function(x) is.character(x) && length(x) == 1 && !is.na(x) && nzchar(x)

# Pairlists, which C does not read, as lists.
plain_list <- function(x) if (typeof(x) == "pairlist") as.list(x) else x

are_dimnames <- function(x, dim) {
  if (is.null(x)) return(TRUE)
  fits <- function(names, side) is.null(names) || is.character(names) && length(names) == side
  own <- attr(x, "names", exact = TRUE)
  is.list(x) && length(dim) > 0 && length(x) == length(dim) && fits(own, length(dim)) &&
    tryCatch(all(mapply(fits, x, dim)), error = function(error) FALSE) # R cannot look at everything that it reads
}

# The numbers 1 ... n in runs of so many.
runs_of <- function(n, most) {
  lapply(seq_len(ceiling(n / most)), function(k) seq.int((k - 1) * most + 1, min(k * most, n)))
}

# x * 2^exponent in several steps, since the power itself may overflow or vanish.
times_power_of_2 <- function(x, exponent) {
  while (any(exponent != 0 & is.finite(x) & x != 0)) {
    step <- base::pmax(-1000, base::pmin(exponent, 1000))
    x <- x * 2^step
    exponent <- exponent - step
  }
  x
}

equal_or_missing <- function(a, b) (a == b | is.na(a) & is.na(b)) %in% TRUE
