#' Permutation Test for Differences Between Groups of Functions
#'
#' `permutation_test()` tests whether groups of functions differ. It compares a statistic of the groups
#' with its values after the group labels have been permuted at random many times.
#'
#' The statistics are:
#' * `"energy"`: the energy statistic of Székely and Rizzo, which is based on distances between and within
#'   groups. For two groups of sizes \eqn{m} and \eqn{n} it is \eqn{mn / (m + n) (2A - B - C)}, where
#'   \eqn{A} is the mean distance between them, and \eqn{B} and \eqn{C} are the mean distances within each
#'   of them, including the distances of members from themselves. For more than two groups it is the sum
#'   over all pairs of groups. It detects differences of any kind if distances are of negative type, as
#'   those with `p` from 1 to 2 are.
#' * `"pseudo_f"`: the pseudo-F statistic of permutational analysis of variance (PERMANOVA), which is based
#'   on squared distances and detects differences of location. The result has the proportion of the sum of
#'   squares between groups as its estimate.
#' * `"mean_difference"`: the Lp distance between the mean functions of two groups, or the sum of these
#'   distances over all pairs of groups.
#' * A function, called as `statistic(d, group)` with the distances, a `dist`, and the groups, a factor. It
#'   must return a number that is large if groups differ. If `x` is neither a collection of functions nor a
#'   `dist`, the first argument is `x` itself. This allows groups of patients to be permuted, for example,
#'   with new Kaplan-Meier curves for each permutation. It takes as long as `n` calls of the function. In a
#'   formula, a column of the data takes precedence over an argument of the same name; if no permutation
#'   changes the statistic, a warning of class `pcfdist_warning_statistic` is raised.
#'
#' The means of piecewise linear functions take 32 bytes for each function and each distinct breakpoint of
#' all functions, and more time than those of step functions.
#'
#' **Missing values.** If functions have missing values, `missing` is used as in [pdist()]. For
#' `"mean_difference"`, the mean of a group at each time is that of the functions observed at that time, as
#' in `mean(x, na.rm = TRUE)`. Means are compared where both groups have observed functions: `"overlap"`
#' integrates over this time, and `"mean"` also divides by its length. With `min_overlap`, as in [pdist()], it is an
#' error if two functions or, for `"mean_difference"`, the means of two groups in some permutation, share less time.
#' Leave such functions out, or use a longer window or a smaller `min_overlap`. Functions are permuted together
#' with their missing values. A small p-value may therefore also mean that the groups are observed at
#' different times; in this case, choose a window in which they are observed alike.
#'
#' **The p-value** is \eqn{(1 + k) / (1 + n)}, where \eqn{k} is the number of permutations, out of `n`,
#' whose statistic is at least as large as the observed one, up to rounding (a relative difference of
#' 1.5e-8, and what the named statistics lose where their terms cancel). With 999 permutations it is at
#' least 0.001.
#'
#' Permutations are drawn with R's random number generator: [set.seed()] makes a result reproducible, for
#' any number of threads.
#'
#' @param x A [pcf] or [plf], a [`dist`][stats::dist], or anything that a function in `statistic`
#'   accepts.
#' @param group The group of each function: a vector or factor with at least two different values. Members
#'   to be left out must be left out of both `x` and `group`. If both `group` and the functions (or the
#'   labels of distances, or the rows) have names, they are matched by name, and it is an error if the
#'   names differ.
#' @param statistic `"energy"`, `"pseudo_f"`, `"mean_difference"`, or a function; see Details.
#' @param n The number of permutations.
#' @param strata `NULL`, or a vector with the stratum of each function: groups are then permuted within
#'   strata only, such as centres of a trial, or litters. Names are matched as for `group`.
#' @param p,from,to The exponent and the window of the distances, as in [pdist()]. Only if `x` is a
#'   collection of functions.
#' @param threads The number of threads; see [pcfdist_options].
#' @param margin `NULL`, or 1 if each row of a matrix of functions is one function with several components,
#'   as in [pdist()].
#' @param ... Only if `x` is a collection of functions: `missing`, `weight` and `min_overlap` as in [pdist()] and,
#'   except for `"mean_difference"`, its other arguments.
#'
#' @return An object of class `c("pcf_test", "htest")`. Its elements are `statistic`, the observed value; `parameter`,
#'   the number of permutations; `p.value`; `method`; `data.name`; `permuted`, a numeric vector with the
#'   statistics of all permutations; and, for `"pseudo_f"`, `estimate`, the R2. [as.data.frame()][as.data.frame.NN] has
#'   one row.
#'
#' @section Errors:
#' An invalid argument raises an error of class `pcfdist_error_<argument>`. So do distances that are not
#' finite: set `to`. Functions that are observed at different times raise `pcfdist_error_missing`.
#'
#' @references
#' Székely, G. J. and Rizzo, M. L. (2013). Energy statistics: a class of statistics based on
#' distances. *Journal of Statistical Planning and Inference* 143, 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#'
#' Anderson, M. J. (2001). A new method for non-parametric multivariate analysis of variance.
#' *Austral Ecology* 26, 32-46. \doi{10.1111/j.1442-9993.2001.01070.pp.x}
#'
#' Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero. *Statistical
#' Applications in Genetics and Molecular Biology* 9, 39. \doi{10.2202/1544-6115.1585}
#'
#' @seealso [pdist()] for the distances, [aggregate()][aggregate.pcf] for the mean functions
#'
#' @examples
#' # Random functions of two kinds
#' set.seed(1)
#' x <- c(rpcf(20, kind = "sine"), rpcf(20, kind = "cosine"))
#' kind <- rep(c("sine", "cosine"), each = 20)
#' permutation_test(x, kind, to = 1)
#' permutation_test(x, kind, "mean_difference", p = 2, to = 1)$p.value
#'
#' # The area between Kaplan-Meier curves, which are computed anew for each permutation of the
#' # patients. (99 permutations keep the example short.)
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   area <- function(patients, group) {
#'     fit <- survival::survfit(survival::Surv(time, status) ~ group, patients)
#'     pdist(as_pcf(fit, after = "hold"), to = 730)
#'   }
#'   lung <- survival::lung
#'   permutation_test(lung, lung$sex, area, n = 99)
#' }
#' @export
permutation_test <- function(x, group, statistic = "energy", n = 999, strata = NULL, p = 1,
                             from = -Inf, to = Inf, margin = NULL, threads = NULL, ...) {
  check_given(x, "x", "the functions, or their distances")
  check_given(group, "group", "the group of each function, or member of `x`")
  data_name <- paste(short_name(substitute(x)), "by", short_name(substitute(group)))
  left_out <- c(missing(p), missing(from), missing(to), is.null(margin))
  given <- c("p", "from", "to", "margin")[!left_out]
  if (!is.function(statistic)) {
    statistic <- check_choice(statistic, "statistic", c("energy", "pseudo_f", "mean_difference"))
  }
  n <- check_count(n, "n", most = .Machine$integer.max)
  if (is_either(x)) {
    x <- check_either(x)
    if (!is.null(margin)) {
      x <- component_matrix(x, margin, "x")
      margin <- 1
    }
  }
  names <- member_names(x)
  group <- check_members(x, group, statistic, names, margin)
  strata <- check_strata(strata, group, names)
  threads <- run_threads(threads)
  if (!is_either(x)) {
    if (length(given) > 0) abort_argument(given[1], "must not be given, since `x` is not a <pcf>.")
    check_no_more(list(...))
  }
  measure <- if (identical(statistic, "mean_difference")) {
    measure_means(x, group, p, from, to, threads, margin, ...)
  } else {
    functions <- is_either(x)
    least <- list(...)$min_overlap
    # Its warnings of infinite or missing distances become the errors of check_distances().
    if (functions) x <- suppressWarnings(
      if ("p" %in% given) pdist(x, p, from, to, threads = threads, margin = margin, ...)
      else pdist(x, from = from, to = to, threads = threads, margin = margin, ...),
      classes = c("pcfdist_warning_infinite", "pcfdist_warning_missing")
    )
    distances <- if (inherits(x, "dist")) check_distances(x, functions, least)
    if (is.function(statistic)) measure_by(statistic, x, group)
    else measure_sums(distances, group, statistic, threads)
  }
  in_pieces({
    observed <- measure(matrix(as.integer(group)))
    permuted <- permuted_statistics(measure, group, strata, n)
    terms <- if (is.function(statistic)) 0 else if (statistic == "mean_difference") max(permuted)
             else measure(matrix(as.integer(group)), sign = 1)
  })
  if (is.function(statistic) && all(permuted == observed)) {
    warn("statistic", "No permutation changed the statistic, which is always ", number(observed),
         ". Does `statistic` use its argument with the groups, and not those in the data?")
  }
  new_test(statistic, observed, permuted, terms, attr(measure, "power") %||% 0, data_name, group)
}

# ---- Checks ----

# The groups as a factor without empty levels.
check_members <- function(x, group, statistic, names, margin) {
  members <- if (is_either(x) && !is.null(margin)) nrow(x) else if (is_either(x)) length(x)
             else if (inherits(x, "dist")) attr(check_dist(x), "Size")
             else if (is.function(statistic)) if (length(dim_of(x)) == 2) nrow(x) else length(group)
  check_is(!is.null(members), x, "x", "must be a <pcf>, a <plf> or a <dist>, not ",
           hint = " For other objects, `statistic` must be a function.")
  things <- if (is_either(x)) "functions" else "members"
  group <- droplevels(check_labels(group, members, "group", things, names))
  if (identical(statistic, "mean_difference") && !is_either(x)) {
    abort_argument("x", "must be a <pcf> or <plf> for the statistic \"mean_difference\".")
  }
  if (nlevels(group) > 1 && nlevels(group) < length(group)) return(group)
  abort_argument(
    "group", "must have at least two groups, one of them with several members, not ", length(group),
    " members in ", nlevels(group), " group", if (nlevels(group) == 1) "." else "s."
  )
}

# The names of functions, of the members of distances, or of the rows of a table; or NULL. Row numbers are
# no names.
member_names <- function(x) {
  if (inherits(x, "dist")) attr(x, "Labels")
  else if (length(dim_of(x)) != 2) names(x)
  else if (!is.data.frame(x) || is.character(attr(x, "row.names"))) rownames(x)
}

# The members of each stratum whose groups can be permuted.
check_strata <- function(strata, group, names = NULL) {
  if (is.null(strata)) return(list(seq_along(group)))
  strata <- check_labels(strata, length(group), "strata", "members", names)
  members <- unname(split(seq_along(group), strata))
  mixed <- vapply(members, function(i) length(unique(group[i])) > 1, NA)
  if (any(mixed)) return(members[mixed])
  abort_argument("strata", "must have a stratum with several groups: otherwise nothing can be permuted.")
}

# The distances as plain numbers: other packages have methods for `dist`.
check_distances <- function(d, functions, least = NULL) {
  n <- attr(d, "Size")
  distances <- as.double(d)
  if (anyNA(distances)) abort_distance(pair_label(which(is.na(distances))[1], n), functions, least)
  wrong <- which(!is.finite(distances) | distances < 0)
  if (length(wrong) > 0) {
    abort_argument(
      "x", "must have finite distances of at least 0, but one is ", number(distances[wrong[1]]),
      ". Distances of functions are finite if the window has an end: set `to`."
    )
  }
  if (all(distances == 0)) abort_argument("x", "must have members that differ: all distances are 0.")
  distances
}

abort_distance <- function(pair, functions, least) {
  if (!functions) abort_argument("x", "must not have missing distances: that of members ", pair, " is NA.")
  abort_argument(
    "x", "must have a distance for each pair, but the functions ", pair,
    if (is.null(least)) " are never observed at the same time in the window."
    else " share less than `min_overlap` in the window."
  )
}

# ---- Statistics: of integer matrices with a column of groups for each permutation ----

# They are multiples of 2^power, an attribute. With a `sign` of 1, terms that cancel are added instead, which
# rounding errors are relative to.
measure_sums <- function(d, group, statistic, threads) {
  size <- as.double(table(group))
  groups <- length(size)
  squared <- statistic == "pseudo_f"
  unit <- unit_near(max(d))
  if (unit != 1) d <- d / unit
  structure(function(labels, sign = -1) {
    answer <- .Call(ffi_permuted_sums, d, labels - 1L, groups, squared, threads)
    sums <- array(answer_value(answer), c(groups, groups, ncol(labels)))
    if (squared) pseudo_f(sums, size, sign) else energy(sums, size, sign)
  }, power = if (squared) 0 else log2(unit))
}

# The sums of distances within group g are sums[g, g, ], those between g and h sums[g, h, ].
energy <- function(sums, size, sign) {
  total <- numeric(dim(sums)[3])
  for (h in seq_along(size)[-1]) {
    for (g in seq_len(h - 1)) {
      between <- sums[g, h, ] / (size[g] * size[h])
      within <- sums[g, g, ] / size[g]^2 + sums[h, h, ] / size[h]^2
      total <- total + 2 * size[g] * size[h] / (size[g] + size[h]) * (between + sign * within)
    }
  }
  total
}

pseudo_f <- function(sums, size, sign) {
  groups <- length(size)
  within <- 0
  all <- 0
  for (g in seq_len(groups)) {
    within <- within + sums[g, g, ] / size[g]
    for (h in seq_len(g)) all <- all + sums[g, h, ] / sum(size)
  }
  ((all + sign * within) / (groups - 1)) / (within / (sum(size) - groups))
}

measure_means <- function(x, group, p, from, to, threads, margin, missing = "error", weight = NULL,
                          min_overlap = NULL, ...) {
  check_no_more(list(...))
  p <- check_exponent(p)
  call <- check_integrals(x, NULL, from, to, missing, weight, margin = margin, min_overlap = min_overlap)
  of_means <- if (is_plf(call$x)) means_of_lines else means_of_steps
  distances_of <- of_means(call, nlevels(group), p, threads)
  structure(function(labels) {
    distances <- distances_of(labels)
    if (!anyNA(distances)) return(colSums(distances))
    abort_argument(
      "group", "has groups, in some permutation, whose functions are not observed at any common ",
      "time", if (!is.null(min_overlap)) ", or for less than `min_overlap`",
      ". Choose a window in which more of them are, with `from` and `to`."
    )
  }, power = attr(distances_of, "power"))
}

# Functions of labels: the distances between the means of all pairs of groups, a column for each
# permutation, as multiples of 2^power.
means_of_steps <- function(call, groups, p, threads) {
  moves <- moves_of(call, p, threads)
  structure(function(labels) {
    answer_value(.Call(ffi_permuted_means, moves, labels - 1L, groups, as.double(p), threads))
  }, power = if (moves$mean) 0 else moves$power / p)
}

# Lines are evaluated at the breakpoints of all functions, where each mean is one matrix product. Only differences
# of means matter: values are relative to one of those at the same time, so that what all have in common is not in
# their rounding errors.
means_of_lines <- function(call, groups, p, threads) {
  x <- check_functions(call$x)
  window <- call$window
  check_lines_observed(call, threads)
  if (p < Inf) check_tails(x, window, call$missing)
  power <- if (max(units_of_values(x, window, threads)) < 900) 0 else 100 # sums of values are finite
  x <- in_units_of(x, power, window, threads)
  times <- band_breakpoints(x, window)
  sides <- lapply(c(left = "left", value = "right"), function(side) {
    values <- do.call(cbind, over_times(x, times, function(values, k) values, side))
    known <- !is.na(values)
    base <- cbind(max.col(t(1 * known), "first"), seq_along(times))
    rest <- rounded_off(x, times, values, side)
    values <- (values - rep(values[base], each = nrow(values))) + (rest - rep(rest[base], each = nrow(values)))
    list(values = replace(values, !known, 0), known = 1 * known)
  })
  pairs <- utils::combn(groups, 2)
  call$missing <- if (call$missing == "mean") "mean" else "overlap"
  part <- max(1, 2^21 %/% (length(times) * ncol(pairs)))
  structure(function(labels) {
    parts <- split(seq_len(ncol(labels)), (seq_len(ncol(labels)) - 1) %/% part)
    distances <- lapply(parts, function(columns) {
      differences <- lapply(columns, function(k) {
        differences_of_means(sides, times, labels[, k], pairs, p)
      })
      call$x <- new_plf(unlist(differences, recursive = FALSE), unit_of(x))
      measure_lines(call, operation_of(p)$name, p, threads)
    })
    matrix(unlist(distances), ncol(pairs))
  }, power = power)
}

# What values of lines lack, since they are rounded.
rounded_off <- function(x, times, values, side) {
  do.call(rbind, lapply(seq_along(x), function(i) {
    f <- .subset2(x, i)
    m <- nrow(f)
    k <- findInterval(times, f[, 1], left.open = side == "left")
    inside <- which(k > 0 & k < m)
    k <- k[inside]
    value <- exact_line_value(f[k, 1], f[k, 3], f[k + 1, 1], f[k + 1, 2], times[inside])
    rest <- (value$high - values[i, inside]) + value$low
    replace(numeric(length(times)), inside, replace(rest, !is.finite(rest), 0))
  }))
}

# The differences between the means of pairs of groups. Unless p is Inf, they are set to 0 on endless
# stretches, on which means are equal up to rounding.
differences_of_means <- function(sides, times, group, pairs, p) {
  chosen <- 1 * outer(seq_len(max(pairs)), group, "==")
  differences <- lapply(sides, function(side) {
    means <- (chosen %*% side$values) / (chosen %*% side$known)
    difference <- means[pairs[1, ], , drop = FALSE] - means[pairs[2, ], , drop = FALSE]
    replace(difference, is.nan(difference), NA)
  })
  m <- length(times)
  if (p < Inf) {
    differences$left[, 1] <- 0 * differences$left[, 1]
    differences$value[, m] <- 0 * differences$value[, m]
  }
  lapply(seq_len(ncol(pairs)), function(k) {
    new_line(times, differences$left[k, ], differences$value[k, ])
  })
}

measure_by <- function(statistic, x, group) {
  function(labels) {
    unlist(lapply_drawn(seq_len(ncol(labels)), function(k) {
      shuffled <- structure(labels[, k], levels = levels(group), class = class(group))
      value <- statistic(x, shuffled)
      valid <- is.numeric(value) && length(value) == 1 && !is.na(value)
      as.double(check_is(valid, value, "statistic", "must return one number, not "))
    }))
  }
}

# ---- Permutations ----

# In parts, so that the groups of all permutations need not be in memory at the same time.
permuted_statistics <- function(measure, group, strata, n) {
  part <- max(16, 2^24 %/% max(length(group), nlevels(group)^2))
  unlist(lapply(seq(0, n - 1, by = part), function(done) {
    measure(shuffled_labels(as.integer(group), strata, min(part, n - done)))
  }))
}

shuffled_labels <- function(labels, strata, n) {
  vapply(seq_len(n), function(k) {
    for (members in strata) {
      labels[members] <- labels[members[sample.int(length(members))]]
    }
    labels
  }, labels)
}

# ---- Functions as changes over time ----

# The changes of all functions of a call, sorted by time, with the width of the window after each, weighted
# unless p is Inf and there is no least length. An endless stretch has the largest width for p = Inf; for
# others, for which all functions are equal there, 0 or, with missing values, -1. With missing values,
# `observed` tells where functions begin and end to be observed. `function` counts from 0. `least` is the
# length of time that means have to share.
moves_of <- function(call, p, threads) {
  x <- check_functions(weighted_functions(call, Inf, threads))
  missing <- call$missing
  from <- call$window$from
  to <- call$window$to
  inside <- restrict_to(x, call$window, threads)
  gaps <- needs_lengths(call) || anyNA(column_of(inside, "value", threads = threads))
  if (gaps && missing == "error") check_same_observed(x, from, to, threads)
  flat <- flat_functions(if (gaps) map_functions(x, from_the_start) else x)
  pieces <- pieces_of_moves(flat, from, to)
  if (p < Inf) check_tails(x, call$window, missing)
  kept <- which(pieces$time < to)
  kept <- kept[order(pieces$time[kept])]
  begin <- pieces$time[kept]
  end <- c(begin[-1], to)
  bounded <- is.finite(begin) & is.finite(end)
  weight <- if (is.null(call$weight) || p == Inf && is.null(call$min_overlap)) 1
            else values_at(unclass(call$weight)[[1]], begin[bounded])
  widths <- scaled_widths(begin[bounded], end[bounded], weight)
  width <- replace(numeric(length(begin)), bounded, widths$width)
  width[!bounded & begin < end] <- if (p == Inf) .Machine$double.xmax else if (gaps) -1 else 0
  times <- c(begin, end)
  farthest <- max(abs(times[is.finite(times)]), 0) * max(weight, 0)
  list(
    `function` = flat$group[kept] - 1L, to = pieces$value[kept], width = width,
    observed = if (gaps) pieces$observed[kept], mean = missing == "mean", power = widths$power,
    least = times_power_of_2(or_the_same(call$min_overlap %||% 0, farthest), -widths$power)
  )
}

# A length, less what lengths between times of up to `farthest` may differ that are the same, see is_same_time().
or_the_same <- function(length, farthest) {
  farthest <- max(length, farthest[is.finite(farthest)])
  max(0, length - 8 * (next_time(farthest) - farthest))
}

# The products of the widths of bounded stretches and weights, as multiples of 2^power: a power of 0, unless
# products are infinite, or so small that they lose digits.
scaled_widths <- function(begin, end, weight) {
  product <- (end - begin) * weight
  largest <- max(product, 0)
  if (isTRUE(largest > 0) && unit_near(largest) == 1) return(list(width = product, power = 0))
  positive <- end > begin & weight > 0
  if (!any(positive)) return(list(width = 0 * begin, power = 0))
  half <- if (any(end - begin == Inf)) 2 else 1
  factors <- list(end / half - begin / half, weight)
  powers <- lapply(factors, function(x) base::pmin(base::pmax(floor(log2(x)), -1074), 1023))
  power <- powers[[1]] + powers[[2]]
  most <- max(power[positive])
  product <- (factors[[1]] / 2^powers[[1]]) * (weight / 2^powers[[2]]) * 2^(power - most)
  list(width = replace(product, !positive, 0), power = most + log2(half))
}

# For functions one after the other: when each piece begins in the window, its value, and the change of
# whether the function is observed (1, 0 or -1). Outside of the window values are 0.
pieces_of_moves <- function(flat, from, to) {
  first <- is_first(flat$group)
  end <- replace(c(flat$time[-1], NA), is_last(flat$group), Inf)
  known <- !is.na(flat$value) & end > from & flat$time < to
  list(
    time = base::pmax(flat$time, from), value = replace(flat$value, !known, 0),
    observed = known - replace(c(0L, known[-length(known)]), first, 0L)
  )
}

# Unbounded stretches matter only if functions differ there. Means of two groups can have an endless overlap
# only if two functions have one.
check_tails <- function(x, window, missing) {
  differ <- function(values) length(unique(values[!is.na(values)])) > 1
  values <- list(to = if (window$to == Inf) values_after(x), from = if (window$from == -Inf) values_before(x))
  if (differ(values$from)) {
    abort_argument("from", "must be finite: the functions differ from -Inf on.")
  }
  if (differ(values$to)) {
    abort_argument("to", "must be finite: the last values of the functions differ.")
  }
  if (missing != "mean") return()
  for (end in names(values)) {
    known <- which(!is.na(values[[end]]))
    if (length(known) < 2) next
    found <- list(`function` = known[1], unbounded = TRUE, to = if (end == "to") Inf else 0)
    abort_unobserved(found, x, NULL, c(x = "x"))
  }
}

# ---- Results ----

new_test <- function(statistic, observed, permuted, terms, power, data_name, group) {
  if (is.nan(observed)) abort_argument("x", "gives a statistic of NaN.")
  eps <- .Machine$double.eps
  rounding <- max(sqrt(eps) * abs(observed), 4 * eps * length(group) * min(terms, .Machine$double.xmax))
  limit <- if (is.finite(observed)) observed - rounding else observed
  name <- if (is.function(statistic)) "statistic" else statistic
  result <- list(
    statistic = stats::setNames(times_power_of_2(observed, power), name),
    parameter = c(permutations = length(permuted)),
    p.value = (1 + sum(permuted >= limit)) / (1 + length(permuted)),
    alternative = "the groups differ",
    method = paste("Permutation test of groups:", test_names[[name]]),
    data.name = data_name,
    permuted = times_power_of_2(permuted, power)
  )
  if (name == "pseudo_f") { # equivalent to a proportion of the sum of squares
    ratio <- observed * (nlevels(group) - 1) / (length(group) - nlevels(group))
    result$estimate <- c(R2 = if (ratio == Inf) 1 else ratio / (1 + ratio))
  }
  structure(result, class = c("pcf_test", "htest"))
}

test_names <- c(
  energy = "energy statistic", pseudo_f = "pseudo-F (PERMANOVA)",
  mean_difference = "distance of means", statistic = "user-supplied statistic"
)

short_name <- function(expression) {
  text <- code_text(expression, 60L, nlines = 1L)
  if (nchar(text) > 60) paste0(substr(text, 1, 57), "...") else text
}
