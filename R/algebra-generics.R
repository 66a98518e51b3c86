#' Other generics for collections of functions
#'
#' Methods of base R generics for a [pcf]: rearranging arrays of functions, differences of neighbours,
#' windows. Generics that make no sense for functions, such as sorting, raise an error that says what to
#' use instead.
#'
#' @param x,a A [pcf] or a [plf]; for `aperm()` an array of functions.
#' @param perm,resize As in [base::aperm()].
#' @param lag,differences The lag and the order of the differences, whole numbers.
#' @param start,end The window, or that of each function: `window(x, start, end)` is [restrict]`(x, start, end)`.
#' @param decreasing,... Not used.
#'
#' @details
#' **Arrays.** `dim(x) <- c(2, 3)` and `array(x, c(2, 3))` make an array of functions, and fill it by column;
#' `t(array(x, c(3, 2)))` fills it by row. [matrix()] is not generic and drops the class of lists. `t()`,
#' `aperm()`, [cbind()][cbind.pcf], [rbind()][rbind.pcf], [apply()], [sweep()] and [outer()] work with arrays
#' of functions, as in `outer(x, y, lp_distance)` or `outer(x, y, "+")`. `apply(x, 1, mean)` returns a list of
#' functions, which `as_pcf()` converts to a collection; `mean(x, margin = 1)` returns a collection directly.
#'
#' **data.table.** Tables of the package data.table may have columns of functions. The package replaces
#' `mean()`, `median()` and others of a bare column by its own versions, which fail; use
#' `DT[, .(m = c(mean(f))), by = g]`. It also ignores units when it binds rows or assigns parts of a column;
#' see [time_unit()].
#'
#' **Order.** Functions have no order. `sort()`, `order()`, `factor()` and `cut()` raise errors, and `rank()`
#' and `table()` are of no use. Apply them to a number for each function, as in `x[order(integral(x))]`.
#'
#' **Equal functions.** `vctrs::vec_group_id(x)` assigns the same number to equal functions (see
#' [pcf-methods]), so it can group the rows of a tibble or data.table. `vctrs::vec_match(x, y)` and
#' `vctrs::vec_in(x, y)` find the functions of one collection in another, and joins of dplyr accept a
#' column of functions in `by`. `match()` and `%in%` of base R work in the same way from R 4.3 on, and treat
#' functions with incompatible units of time as different. In older versions they compare breakpoints,
#' including those without a change, and ignore units.
#'
#' **Conditions.** `x > 85` is a function of time, 1 where `x` is above 85 and 0 elsewhere. It cannot be used
#' as a subscript, `x[x > 85]`, or in `ifelse(x > 85, a, b)`, which raise errors. Instead,
#' `x[lp_norm(x > 85, Inf, missing = "overlap") > 0]` selects the functions that are above 85 at some time;
#' `x * (x > 85)` has the values above 85; `(x > 85) * a + (x <= 85) * b` is `a` where `x` is above 85 and,
#' from its first time on, `b` elsewhere; and [pmin()][base-functions] clips values.
#'
#' **Spread.** `sd()`, `IQR()` and `scale()` raise errors, and `var()` and `cor()` those of R.
#' [variance()] and [standard_deviation()] are those at each time, [quantile()][quantile.pcf] computes pointwise
#' quantiles, and [prcomp()][prcomp.pcf] the components along which functions vary. `x / lp_norm(x)` scales functions.
#'
#' **Centring.** The difference of each function and the mean has the breakpoints of all functions. Instead, centre
#' what is computed. Distances do not change. If `K` is a matrix of inner products, as from [l2_kernel()], then
#' `K - outer(rowMeans(K), colMeans(K), "+") + mean(K)` is that of the centred functions; a [kernel_operator()] `A`
#' is centred by its vectors, `centred <- function(v, args) { w <- A(v - mean(v)); w - mean(w) }`; and
#' [linear combinations][linear_combinations()] whose coefficients add up to 0 are those of the centred functions.
#'
#' **Groups.** `tapply(x, g, mean)` and `sapply(split(x, g), mean)` return a list of plain matrices without class and
#' unit of time. [aggregate()][aggregate.pcf] returns a collection.
#'
#' @return
#' * `aperm()`, `t()`: an array of functions. `t()` of a plain collection has one row.
#' * `diff()`: a collection of the differences `x[i + lag] - x[i]`, of length
#'   `length(x) - lag * differences`.
#' * `window()`: a collection with the names and dimensions of `x`.
#' * All others, and functions that call them, such as `order()`, `factor()`, `sd()` and `IQR()`: an error of class
#'   `pcfdist_error_generic` that says what to use instead.
#'   `rank()` and `table()` are not generic; if they fail, the error is R's own.
#'
#' @seealso [pcf-methods], [pcf-algebra], [reductions], [restrict()], [shift_time()]
#'
#' @examples
#' x <- pcf(
#'   list(a = c(0, 2, 5), b = c(1, 4), c = 0, d = c(2, 3)),
#'   list(c(1, 3, 0), c(2, 0), 0, c(4, 0))
#' )
#' diff(x)
#' window(x, 1, 3)
#' x[order(integral(x))]
#'
#' m <- array(x, c(2, 2))
#' t(m)
#' apply(m, 1, function(f) max(integral(f)))
#' mean(m, margin = 1)
#' @name pcf-generics
NULL

# ---- Methods that work ----

#' @rdname pcf-generics
#' @export
aperm.pcf <- function(a, perm = NULL, resize = TRUE, ...) {
  a <- check_either(a, "a")
  like(a, tryCatch(aperm(unclass(a), perm, resize), error = function(error) {
    abort_argument("perm", "or `resize` cannot be used: ", conditionMessage(error), ".")
  }))
}

#' @rdname pcf-generics
#' @export
diff.pcf <- function(x, lag = 1, differences = 1, ...) {
  x <- check_functions(check_either(x))
  lag <- check_count(lag, "lag")
  differences <- check_count(differences, "differences")
  if (length(dim(x)) > 1) {
    abort_argument("x", "is an array of functions. diff(c(x)) ignores its dimensions.")
  }
  for (k in seq_len(min(differences, length(x)))) {
    n <- max(length(x) - lag, 0)
    x <- x[seq_len(n) + lag] - unname(x)[seq_len(n)]
  }
  x
}

#' @rdname pcf-generics
#' @importFrom stats window
#' @export
window.pcf <- function(x, start = -Inf, end = Inf, ...) {
  check_no_more(list(...))
  x <- check_either(x)
  ends <- c("start", "end")
  if (are_own_ends(x, start, end)) return(restrict_each(x, own_windows(x, start, end, ends = ends), 0))
  restrict_to(x, check_window(start, end, unit_of(x), ends))
}

# ---- Methods that raise errors ----

abort_generic <- function(generic, ...) {
  abort("generic", "`", generic, "()` cannot be applied to functions: ", ...)
}

no_order <- "they have no order. x[order(integral(x))], for example, sorts them by their integrals."

#' @rdname pcf-generics
#' @export
xtfrm.pcf <- function(x) abort_generic("order", no_order)

#' @rdname pcf-generics
#' @export
sort.pcf <- function(x, decreasing = FALSE, ...) abort_generic("sort", no_order)

#' @rdname pcf-generics
#' @export
cut.pcf <- function(x, ...) {
  abort_generic(
    "cut", "they have no order. cut(integral(x), ...), for example, cuts their integrals."
  )
}

#' @rdname pcf-generics
#' @export
scale.pcf <- function(x, ...) {
  abort_generic(
    "scale", "x / lp_norm(x) gives all the same norm, and scale_time() stretches times. To centre them, centre their ",
    "inner products: K - outer(rowMeans(K), colMeans(K), \"+\") + mean(K), where K is l2_kernel(x)."
  )
}

# Also for sd() and IQR(), which are not generic.
#' @rdname pcf-generics
#' @export
as.double.pcf <- function(x, ...) {
  abort(
    "generic", "as.numeric(), sd(), IQR() and others need numbers, not functions. integral(), lp_norm() ",
    "and evaluate() return a number for each function; quantile() and standard_deviation(x) show their spread at ",
    "each time."
  )
}

# Conditions such as x > 1 are functions of time.
#' @rdname pcf-generics
#' @export
as.logical.pcf <- function(x, ...) {
  abort(
    "generic", "ifelse() and others need logical values, not functions. (x > 1) * a + (x <= 1) * b is a ",
    "where x is above 1 and, from its first time on, b elsewhere."
  )
}

#' @rdname pcf-generics
#' @importFrom stats lag
#' @export
lag.pcf <- function(x, ...) abort_generic("lag", "shift_time(x, by) moves them in time.")

# Without these, the default methods treat the collection as a series at times 1, 2, ...
#' @rdname pcf-generics
#' @importFrom stats as.ts
#' @export
as.ts.pcf <- function(x, ...) {
  abort_generic(
    "as.ts", "their times are not regular. ts(t(as.matrix(x, times))) has their values at regular times, ",
    "and zoo::as.zoo(x) those of step functions at all breakpoints."
  )
}

#' @rdname pcf-generics
#' @importFrom stats time
#' @export
time.pcf <- function(x, ...) {
  abort_generic(
    "time", "as.data.frame(x)$time has all breakpoints, and start(x) and end(x) the first and last of each."
  )
}
