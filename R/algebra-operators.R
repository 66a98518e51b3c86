#' Arithmetic, Comparison and Mathematics with Functions
#'
#' Functions can be added, multiplied, compared and transformed pointwise, with each other and with
#' numbers: `(f + g) / 2`, `f > 1`, `sqrt(f)`, `-f`.
#'
#' **Before the first breakpoint** of both functions, the result of step functions is 0. A number stands for a
#' constant that begins at the first breakpoint of the function: `f + 1` is `f` plus 1 from there on, and
#' 0 before. For the same reason `exp(f)`, `f <= 1` and `!f` are 0 before the first breakpoint of `f`. A
#' function that begins at `-Inf` has a value everywhere, and so has the result. Of two functions, the one that
#' begins later is 0 until then.
#'
#' **Operators.** `+`, `-`, `*`, `/`, `^`, `%%` and `%/%` are applied to the values, as R applies them to
#' numbers. `<`, `<=`, `>`, `>=`, `&`, `|` and `!` return functions with the values 1 and 0, so that
#' `integral(f > 1)` is how long `f` is above 1. So do `==` and `!=` with numbers: `f == 1` is 1 where
#' `f` is 1. In contrast, `==` and `!=` of two functions return one logical value for each pair: whether
#' they are equal everywhere (see [pcf-methods]). For the times at which two functions are equal, use
#' `f <= g & f >= g`, or `f - g == 0`.
#'
#' **Mathematics.** The functions of the group [Math][base::groupGeneric] are applied to the values:
#' `abs`, `sign`, `sqrt`, `floor`, `ceiling`, `trunc`, `round`, `signif`, `exp`, `log`, `log2`, `log10`,
#' `expm1`, `log1p`, trigonometric and hyperbolic functions, and `gamma` and related functions. The
#' cumulative functions `cumsum`, `cumprod`, `cummax` and `cummin` do not depend on single values, and
#' raise an error.
#'
#' **Breakpoints.** The result of two functions has the breakpoints of both, including those at which its
#' value does not change; [drop_redundant()] drops these. Operations with a number, and mathematical functions,
#' keep the breakpoints.
#'
#' **Missing values.** Where a function is not observed (`NA`), so is the result, whatever the operator:
#' also of `f^0` and `0 * f`. As for logical values in R, `f & g` is 0 where one of them is 0, and `f | g`
#' is 1 where one of them is not 0, even if the other is `NA`. If the first time of a function is `-Inf`,
#' so is that of the result, unless its value there is 0.
#'
#' **Piecewise linear functions.** If one operand is a [plf], the other one is converted, and the result
#' is exact up to rounding:
#' * `+`, `-`, [abs()], [pmax()][base-functions] and `pmin()` return a `plf`. It has additional
#'   breakpoints where functions cross, and where the argument of `abs()` crosses 0.
#' * `*` and `/` return a `plf` if the result is piecewise linear: at each time one of the factors, or
#'   the divisor, must be constant, as numbers and step functions are. Otherwise an error is raised that
#'   names the function and the time. [l2_kernel()] computes integrals of products.
#' * `<`, `<=`, `>`, `>=` and, with numbers, `==` and `!=` return a [pcf] with breakpoints at the
#'   crossings. It is continuous from the right: for a line that increases through 1, `f <= 1` is 0 from
#'   the crossing on, and `f == 1` is 1 only where `f` stays at 1 for some time.
#' * `^`, `%%`, `%/%`, `&`, `|`, `!` and mathematical functions such as `exp(f)` raise an error of class
#'   `pcfdist_error_generic`. Use the values of [evaluate()], or the step function `f > 0`.
#'
#' Before its first breakpoint, a `plf` is equal to its first left limit. If both operands are 0 before
#' their first breakpoints, so is the result. Otherwise the operator is applied there as well, also with a
#' number: where `f` is `NA` before its first breakpoint, `f + 1` is `NA`, and where it is 2, `f + 1` is
#' 3. If `f` is 0 there, the number stands for a constant that begins at the first breakpoint, as above.
#'
#' **Values must be finite.** If a result is infinite or not a number, as of 1 / 0, 0 / 0 or log(-1), an
#' error is raised that names the function and the time. A divisor must therefore not be 0 from the first
#' breakpoint of either function on. To obtain 0 where the divisor is 0, divide by a function that is 1
#' there instead; see the examples.
#'
#' @param e1,e2 A [pcf] or [plf], or numbers; at least one must be a collection of functions. Numbers are
#'   plain numeric or logical vectors or arrays, one element for each function, without missing values.
#'   Other objects, such as step functions, are converted by [as_pcf()].
#' @param x A [pcf]; for `abs()` also a [plf].
#' @param ... One number: the `digits` of `round()` and `signif()`, or the `base` of `log()`.
#'
#' @return A [pcf] or, as described above, a [plf]. The shorter operand is recycled, with a warning if
#'   the length of the longer one is not a multiple of that of the shorter one. Names, dimensions and
#'   dimnames are those that R gives the result for numbers of these shapes; two arrays must have the
#'   same dimensions.
#'
#' @section Errors:
#' A value that is not finite raises an error of class `pcfdist_error_values`, with the fields `index`
#' (of the function) and `time`. Operands that do not match raise an error of class `pcfdist_error_e1`
#' or `pcfdist_error_e2`.
#'
#' @seealso [reductions] for sums and extrema of many functions; [drop_redundant()], [restrict()],
#'   [shift_time()]; [integral()], [lp_norm()] and [lp_distance()]
#'
#' @examples
#' f <- pcf(c(0, 2, 5), c(1, 3, 0))
#' g <- pcf(c(1, 4), c(2, 0))
#' f + g
#' (f + g) / 2
#' f * c(a = 1, b = 10)
#'
#' # Where f is above g, and f where it is above g
#' f > g
#' f * (f > g)
#'
#' # A result is 0 before the first breakpoint, here before 0, whatever the operator
#' as.matrix(f, c(-1, 0, 2))
#' as.matrix(f + 1, c(-1, 0, 2))
#' as.matrix(exp(f), c(-1, 0, 2))
#'
#' # f / g is an error, since g is 0 on [0, 1) and from 4 on. The quotient where g is not
#' # 0, and 0 elsewhere:
#' support <- abs(g) > 0
#' f * support / (g + (pcf(0, 1) - support))
#'
#' # Lines that cross: the larger one, and for how long the first one is larger
#' f <- plf(c(0, 4), c(0, 4))
#' g <- plf(c(0, 4), c(3, 1))
#' pmax(f, g)
#' f > g
#' integral(f > g, to = 4)
#' 2 * f - g
#' @name pcf-algebra
#' @aliases Ops.pcf Math.pcf
NULL

#' @rdname pcf-algebra
#' @export
Ops.pcf <- function(e1, e2) {
  if (missing(e2)) return(unary(.Generic, operand(e1, "e1")))
  operate(.Generic, e1, e2)
}

operate <- function(operator, e1, e2) {
  e1 <- operand(e1, "e1")
  e2 <- operand(e2, "e2")
  if (is_either(e1) && is_either(e2)) {
    both <- in_one_unit(e1, e2, c("e1", "e2"))
    e1 <- both$x
    e2 <- both$y
  }
  unit <- unit_of(if (is_either(e1)) e1 else e2) # numbers match every unit
  shape <- combined_shape(e1, e2)
  lines <- is_plf(e1) || is_plf(e2)
  in_c <- sub(" of those observed$", "", operator) %in% c(line_operators, if (!lines) c("&", "|"))
  if (lines && !in_c) abort_not_linear(operator)
  combined <- (if (in_c) combine else combine_in_r)(e1, e2, operator, length(shape))
  if (!is.null(combined$fault)) abort_combined(combined, e1, e2, operator, shape, unit)
  result <- with_shape(combined$functions, attributes(shape))
  name <- name_of_result(operator, e1, e2)
  new_pcf(result, unit, if (lines && !operator %in% comparisons) plf_class else pcf_class, name)
}

comparisons <- c("<", "<=", ">", ">=", "==", "!=")

# Those that piecewise linear functions have, too.
line_operators <- c("+", "-", "*", "/", comparisons, "pmax", "pmin")

abort_not_linear <- function(operator) {
  abort(
    "generic", "`", operator, "` of piecewise linear functions is not piecewise linear. ",
    "Use evaluate(x, times) to compute with values, or l2_kernel() and pdist() for the integrals of ",
    "products and squares."
  )
}

unary <- function(operator, x) {
  if (operator == "+") return(x)
  if (is_plf(x)) {
    if (operator != "-") abort_not_linear(operator)
    return(combined_with(x, "*", -1, "e1"))
  }
  negate <- if (operator == "-") function(a) -a else function(a) as.double(a == 0)
  map_values(x, negate, operator, argument = "e1")
}

# Lines combined with a number.
combined_with <- function(x, operator, number, argument = "x") {
  x <- check_functions(x, argument)
  combined <- combine(x, number, operator, length(x))
  result <- with_name(replace_functions(x, combined$functions), NULL)
  if (is.null(combined$fault)) result else check_functions(result)
}

# A collection, or plain numbers as doubles.
operand <- function(x, argument) {
  if (inherits(x, "pcf")) return(check_either(x, argument))
  if (!is_plain_number(x)) return(as_pcf_argument(x, argument))
  check_every(Negate(is.na), x, argument, "numbers without NA")
  storage.mode(x) <- "double"
  x
}

# Is it a plain number, and not the matrix of a function?
is_plain_number <- function(x) {
  !is.object(x) && (is.numeric(x) || is.logical(x)) && !is_function(x)
}

# `n` functions, recycled from both operands: list(functions, fault), where `fault` is NULL or the function and
# the position of the first value that is not finite, or from which on lines are none or too steep. The
# operators are those of src/algebra/operators.h; "first" and "second" give one operand with the breakpoints
# of both.
combine <- function(e1, e2, operator, n) {
  bare <- function(e) if (is_either(e)) e else as.vector(e)
  answer <- .Call(
    ffi_combine, bare(e1), bare(e2), operator, as.double(n), run_threads(NULL)
  )
  answer_value(answer, e1 = e1, e2 = e2)
}

# For rarer operators R computes the values: at the breakpoints of both operands or, if one of them is a
# single number, at those of the other.
combine_in_r <- function(e1, e2, operator, n) {
  single <- function(e) !is_either(e) && length(e) == 1
  if (!single(e1) && !single(e2)) {
    both <- lapply(c("first", "second"), function(which) combine(e1, e2, which, n)$functions)
    e1 <- both[[1]]
    e2 <- both[[2]]
  }
  of_first <- is.list(e1)
  left <- if (of_first) column_of(e1, "value", "e1") else as.vector(e1)
  right <- if (is.list(e2)) column_of(e2, "value", "e2") else as.vector(e2)
  values <- rare_operator(operator)(left, right)
  with_column(if (of_first) e1 else e2, "value", values, if (of_first) "e1" else "e2")
}

# A function of two vectors: an operator of R, or one of the extrema of algebra-extremes.R.
rare_operator <- function(operator) {
  if (endsWith(operator, "of those observed")) {
    extreme <- match.fun(substr(operator, 1, 4))
    return(function(left, right) extreme(left, right, na.rm = TRUE))
  }
  function(left, right) {
    values <- match.fun(operator)(left, right)
    # R has 1 for NA^0 and 1^NA.
    if (anyNA(left) || anyNA(right)) values[is.na(left) | is.na(right)] <- NA
    values
  }
}

# ---- Errors ----

abort_combined <- function(combined, e1, e2, operator, shape, unit) {
  place <- combined$fault
  breakpoint <- .subset2(combined$functions, place[1])[place[2], ]
  wrong <- which(is.nan(breakpoint) | is.infinite(breakpoint) & names(breakpoint) != "time")[1]
  if (is.na(wrong)) {
    if (is.na(breakpoint[["value"]])) abort_bend(place[1], breakpoint[[1]], operator, shape, unit)
    check_functions(new_plf(with_shape(combined$functions, attributes(shape)), unit), "e1") # lines are too steep
  }
  side <- if (names(wrong) == "left") "left" else "right"
  at <- function(e) {
    i <- (place[1] - 1) %% length(e) + 1
    if (is_either(e)) evaluate_functions(e[i], breakpoint[[1]], list(), 1, NULL, side) else e[i]
  }
  from <- paste(format_numbers(as.double(c(at(e1), at(e2))), 15), collapse = paste0(" ", operator, " "))
  abort_value(combined, shape, operator, from, unit, wrong)
}

# A product or quotient of lines that is none from a time on.
abort_bend <- function(i, time, operator, shape, unit) {
  abort(
    "generic", "`", operator, "` of piecewise linear functions is linear only where ",
    if (operator == "*") "one of them" else "the second one", " is constant, which is not so for ",
    function_label(i, shape), " from the time ", format_times(time, unit, 15),
    " on. Use l2_kernel() for integrals of products, and evaluate() for values."
  )
}
