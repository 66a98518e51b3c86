#' What else R does with collections
#'
#' @description
#' Methods of R's own functions for a [pcf]: rearranging arrays of functions, differences of
#' neighbours, windows. Where functions have no natural answer, such as an order, there is an
#' error that says what to use.
#'
#' @param x,a A [pcf] or, but for `diff()`, a [plf]; for `aperm()` an array of functions.
#' @param perm,resize As in [base::aperm()].
#' @param lag,differences How far apart the functions are, and how often to take differences:
#'   whole numbers.
#' @param start,end The window: `window(x, start, end)` is [restrict]`(x, start, end)`.
#' @param decreasing Not used.
#' @param ... Not used.
#'
#' @details
#' **Arrays.** `dim(x) <- c(2, 3)` and `array(x, c(2, 3))` make an array of functions; `t()`,
#' `aperm()`, [cbind()][cbind.pcf], [rbind()][rbind.pcf], [apply()], [sweep()] and [outer()] work
#' with it: `outer(x, y, lp_distance)`, `outer(x, y, "+")`. R's [matrix()] forgets the class of any
#' list; use `array()` instead. `apply(x, 1, mean)` is a list of functions, which `as_pcf()` turns
#' into a collection; `mean(x, margin = 1)` is one at once.
#'
#' **Tables of the package data.table** may have functions in a column. It computes `mean()`,
#' `median()` and others of a bare column by itself, which fails: `DT[, .(m = c(mean(f))), by = g]`
#' is the way. It also binds rows and assigns parts of a column without regard to the
#' [time_unit()]: `rbind()`, `rbindlist()`, `:=` and `set()` take the numbers of other units as they
#' are, so that hours become minutes. Where both columns have a unit,
#' `time_unit(b$f) <- time_unit(a$f)` brings them to one first. `c()`, `dplyr::bind_rows()` and
#' `rbind()` of plain data frames convert by themselves.
#'
#' **Order.** Functions have none. `sort()`, `order()`, `factor()` and `cut()` are errors, and
#' `rank()` and `table()` are of no use; give them a number for each function, as in
#' `x[order(integral(x))]`.
#'
#' **Equal functions.** `vctrs::vec_group_id(x)` numbers functions, equal ones (see [pcf-methods])
#' by the same number: it groups the rows of a tibble or of a data.table. `vctrs::vec_match(x, y)`
#' and `vctrs::vec_in(x, y)` find the functions of one collection in another, and the joins of dplyr
#' can have a column of functions in `by`. R's own `match()` and `%in%` do so from R 4.3 on only,
#' and take functions whose units of time do not go together for different; before, they compare
#' the breakpoints, even those without a change, and no units.
#'
#' **Conditions.** `x > 85` is a function of time, 1 where `x` is above 85 and 0 elsewhere. As a
#' subscript, `x[x > 85]`, and in `ifelse(x > 85, a, b)` it is an error.
#' `x[lp_norm(x > 85, Inf, missing = "overlap") > 0]` has the functions that are above 85 at some
#' time, `x * (x > 85)` their values there, and `(x > 85) * a + (x <= 85) * b` is `a` there and `b`
#' elsewhere; [pmin()][base-functions] cuts off.
#'
#' **Spread.** `sd()`, `var()`, `cor()`, `IQR()` and `scale()` are errors. The pointwise variance of a
#' collection is `sum((x - mean(x))^2) / (length(x) - 1)`, its square root the standard
#' deviation; [quantile()][quantile.pcf] gives the pointwise quantiles. `x - mean(x)` centres
#' functions, and `x / lp_norm(x)` scales them.
#'
#' **Groups.** `sapply(split(x, g), mean)` gives a list of bare matrices, without the class and the
#' unit of time. [aggregate()][aggregate.pcf] and [tapply()][base-functions] give collections.
#'
#' @return
#' * `aperm()`, `t()`: an array of functions. `t()` of a plain collection has one row.
#' * `diff()`: a `pcf` of the differences `x[i + lag] - x[i]`, which is shorter than `x` by
#'   `lag * differences`.
#' * `window()`: a collection with the names and dimensions of `x`.
#' * `sort()`, `order()`, `xtfrm()`, `factor()`, `cut()`, `scale()`, `sd()`, `IQR()`, `as.numeric()`,
#'   `as.logical()`, `boxplot()`, `lag()`, `time()`, `as.ts()`, `var()`, `cor()`: an error of the
#'   class `pcfdist_error_generic`, which says what to use. `rank()` and `table()` are not generic:
#'   where they fail, the error is R's own.
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
#'
#' # The standard deviation at each time
#' sqrt(sum((x - mean(x))^2) / (length(x) - 1))
#' @name pcf-generics
NULL

# ---- What there is ----

#' @rdname pcf-generics
#' @export
aperm.pcf <- function(a, perm = NULL, resize = TRUE, ...) {
  a <- check_either(a, "a")
  like(a, aperm(unclass(a), perm, resize))
}

#' @rdname pcf-generics
#' @export
diff.pcf <- function(x, lag = 1, differences = 1, ...) {
  x <- check_functions(check_either(x))
  lag <- check_count(lag, "lag")
  check_count(differences, "differences")
  if (length(dim(x)) > 1) {
    abort_argument("x", "is an array of functions. diff(c(x)) has no regard to its dimensions.")
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
  rename <- function(text) gsub("`to`", "`end`", gsub("`from`", "`start`", text))
  tryCatch(
    restrict(x, start, end),
    pcfdist_error_from = function(error) abort("start", rename(error$message), argument = "start"),
    pcfdist_error_to = function(error) abort("end", rename(error$message), argument = "end")
  )
}

# ---- What there is not ----

abort_generic <- function(generic, ...) {
  abort("generic", "`", generic, "()` cannot be applied to functions: ", ...)
}

# A method that says what to use instead.
no_method <- function(generic, ...) {
  instead <- paste0(...)
  function(x, ...) abort_generic(generic, instead)
}

no_order <- "they have no order. x[order(integral(x))] is one of many ways."

#' @rdname pcf-generics
#' @export
xtfrm.pcf <- function(x) abort_generic("order", no_order)

#' @rdname pcf-generics
#' @export
sort.pcf <- function(x, decreasing = FALSE, ...) abort_generic("sort", no_order)

#' @rdname pcf-generics
#' @export
cut.pcf <- no_method("cut", "they have no order. cut(integral(x), ...) cuts a number of each.")

#' @rdname pcf-generics
#' @export
scale.pcf <- no_method(
  "scale", "x - mean(x) centres them, x / lp_norm(x) gives all the same norm, and ",
  "scale_time() stretches times."
)

# Also of sd() and IQR(), which are no generics.
#' @rdname pcf-generics
#' @export
as.double.pcf <- function(x, ...) {
  abort(
    "generic", "Functions are not numbers, which as.numeric(), sd(), IQR() and others need. ",
    "integral(), lp_norm() and evaluate() give a number of each; quantile()",
    if (!is_plf(x)) " and sqrt(mean((x - mean(x))^2))", " tell", if (is_plf(x)) "s",
    " their spread at each time."
  )
}

# Conditions such as x > 1 are functions of time.
#' @rdname pcf-generics
#' @export
as.logical.pcf <- function(x, ...) {
  abort(
    "generic", "Functions are not logical values, which ifelse() and others need. (x > 1) * a + ",
    "(x <= 1) * b is a where x is above 1 and, from its first time on, b elsewhere."
  )
}

#' @rdname pcf-generics
#' @importFrom graphics boxplot
#' @export
boxplot.pcf <- no_method("boxplot", "plot_bands(x) draws bands of their quantiles.")

#' @rdname pcf-generics
#' @importFrom stats lag
#' @export
lag.pcf <- no_method("lag", "shift_time(x, by) moves them in time.")

# Without these, the default methods take the collection for a series of 1, 2, ...
#' @rdname pcf-generics
#' @importFrom stats as.ts
#' @export
as.ts.pcf <- no_method(
  "as.ts", "their times are not regular. ts(t(as.matrix(x, times))) has the values at times ",
  "that are, and zoo::as.zoo(x) those of step functions at all breakpoints."
)

#' @rdname pcf-generics
#' @importFrom stats time
#' @export
time.pcf <- no_method(
  "time", "as.data.frame(x)$time has the breakpoints of all, start(x) and end(x) those of each."
)
