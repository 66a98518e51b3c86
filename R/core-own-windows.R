# Windows and times of which each function has its own.

# Are the ends of windows those of single functions? Others have the length 1, or are invalid.
are_own_ends <- function(x, ...) {
  lengths <- lengths(lapply(list(...), without_parts))
  any(lengths > 1) || length(x) == 0 && any(lengths == 0 & !vapply(list(...), is.null, NA))
}

# The windows of functions or, with a `margin`, of the rows or columns of a matrix, as numbers: list(from, to,
# empty), the first two with one for each function, and where the window has the length 0. Functions that
# are missing as a whole have such a window.
own_windows <- function(x, from, to, margin = NULL, ends = c("from", "to")) {
  owners <- owners_of(x, margin)
  from <- own_limits(from, ends[1], unit_of(x), owners)
  to <- own_limits(to, ends[2], unit_of(x), owners)
  abort_at <- function(wrong, argument, ...) {
    if (length(wrong) > 0) abort_argument(argument, ..., owner_label(wrong[1], owners), ".")
  }
  abort_at(which(from == Inf), ends[1], "must be less than Inf, but is not for ")
  abort_at(which(to == -Inf), ends[2], "must be greater than -Inf, but is not for ")
  k <- which(from > to)[1]
  if (!is.na(k)) {
    shown <- format_times(c(from[k], to[k]), unit_of(x), 15)
    abort_argument(
      ends[1], "must be at most `", ends[2], "`: ", shown[1], " is greater than ", shown[2], " for ",
      owner_label(k, owners), "."
    )
  }
  empty <- from == to
  from <- from[owners$of]
  gone <- as.vector(is.na(x))
  list(from = replace(from, gone, 0), to = replace(to[owners$of], gone, 0), empty = empty)
}

# Who has windows: functions, or rows or columns of them. `of` are those of the functions.
owners_of <- function(x, margin) {
  k <- seq_along(x)
  if (is.null(margin)) return(list(count = length(x), names = names(x), things = "functions", of = k))
  margin <- check_margin(margin, x)
  if (length(margin) != 1) abort_argument("margin", "must be one dimension, 1 or 2.")
  things <- if (length(dim(x)) > 2) "slices" else c("rows", "columns")[margin]
  of <- as.vector(slice.index(array(0L, dim(x)), margin))
  list(count = dim(x)[margin], names = dimnames(x)[[margin]], things = things, of = of)
}

owner_label <- function(i, owners) {
  if (owners$things != "functions") return(paste(sub("s$", "", owners$things), i))
  function_label(i, structure(vector("list", owners$count), names = owners$names))
}

# One time for all, or one for each, which is matched by name, as numbers in a unit.
own_limits <- function(limit, argument, unit, owners) {
  limit <- without_parts(limit)
  count <- owners$count
  what <- if (is.null(unit)) "number" else "time"
  hint <- if (!is.null(unit)) text_hint(limit, argument, unit = unit)
  fits <- is_number(limit) && !is.logical(limit) && length(limit) %in% c(1, count)
  each <- if (count != 1) paste0(", or one for each of the ", count, " ", owners$things)
  check_is(fits, limit, argument, "must be one ", what, each, ", not ", hint = hint)
  limit <- match_names(limit, owners$names, argument, owners$things)
  numbers <- as.vector(times_in(limit, unit, argument))
  k <- which(is.na(numbers))[1]
  if (is.na(k)) return(rep_len(numbers, count))
  abort_argument(argument, "must not be NA, but is for ", owner_label(k, owners), ".")
}

# ---- Times ----

# Times of which each function has its own: a vector or array with one for each, a matrix with a row for each, or a
# list of vectors. The result is list(numbers, counts): the times of one function after the other, and how many each
# has.
own_times <- function(x, times) {
  if (is.list(times)) return(listed_times(x, times))
  count <- length(x)
  if (is_shaped_as(times, x)) dim(times) <- NULL
  rows <- if (is.matrix(times)) nrow(times) else length(times)
  fits <- is_number(times) && rows == count && length(dim_of(times)) <= 2
  check_is(fits, times, "times", "must have one ", time_word(x), ", or a row, for each of the ", count,
           " functions, not ", hint = if (!is.null(unit_of(x))) text_hint(times, "times", unit = unit_of(x)))
  numbers <- matrix(times_in(times, unit_of(x), "times"), count)
  names <- if (is.matrix(times)) rownames(times) else names(times)
  order <- match_names(stats::setNames(seq_len(count), names), names(x), "times")
  columns <- if (count > 0) ncol(numbers) else 1L
  without_missing_times(list(numbers = c(t(numbers[order, , drop = FALSE])), counts = rep(columns, count)), x)
}

is_shaped_as <- function(times, x) !is.null(dim(x)) && identical(dim(times), dim(x))

listed_times <- function(x, times) {
  fits <- length(times) == length(x) && length(unique(lapply(times, oldClass))) <= 1
  check_is(fits, times, "times", "must have a vector of ", time_word(x), "s for each of the ", length(x),
           " functions, all of one class, not ")
  order <- match_names(stats::setNames(seq_along(times), names(times)), names(x), "times")
  all <- do.call(c, unname(times[order]))
  valid <- is_number(all)
  check_is(valid, all, "times", "must be a list of ", time_word(x), "s, not of ")
  numbers <- if (length(all) > 0) as.vector(times_in(all, unit_of(x), "times")) else numeric()
  without_missing_times(list(numbers = numbers, counts = lengths(times[order], use.names = FALSE)), x)
}

time_word <- function(x) if (is.null(unit_of(x))) "number" else "time"

without_missing_times <- function(times, x) {
  k <- which(is.na(times$numbers))[1]
  if (is.na(k)) return(times)
  i <- findInterval(k - 1, c(0, cumsum(times$counts)))
  abort_argument("times", "must not be NA, but is for ", function_label(i, x), ".")
}
