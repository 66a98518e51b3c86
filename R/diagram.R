#' Functions from persistence diagrams
#'
#' @description
#' Turns persistence diagrams into piecewise constant functions:
#'
#' * `stable_rank()`: at \eqn{t \ge 0}, how many bars are longer than \eqn{t}. A bar from
#'   \eqn{b} to \eqn{d} has the length \eqn{d - b}. This is the stable rank for the
#'   standard contour.
#' * `betti_curve()`: at \eqn{t}, how many bars are alive, which means
#'   \eqn{b \le t < d}.
#' * `euler_curve()`: the Betti curves of all dimensions added up, those of odd dimensions
#'   with the sign -1: the Euler characteristic at \eqn{t}.
#' * `accumulated_persistence()`: at \eqn{t}, the total length of the bars whose middle
#'   \eqn{(b + d) / 2} is at most \eqn{t}.
#'
#' No grid is involved. The counts are exact.
#'
#' @param x One persistence diagram, or a list of diagrams of any of these kinds:
#'   * a numeric matrix or data frame with one row a bar and the columns `birth` and
#'     `death`, with or without `dimension`. Names count in lower or upper case, and
#'     `start`, `end`, `degree` and `dim` are understood as well. Without such names, two
#'     columns are birth and death, three are dimension, birth and death. The results of
#'     the packages TDAstats and ripserr, and the tables of rgudhi, are of this kind;
#'   * an object of the class `diagram`, or a list with such an element of the name
#'     `diagram`, as the functions of the package TDA return;
#'   * a `persistence` object of the package phutil, or what ripser.py returns: a list with the
#'     element `pairs` or `dgms`, in which element k has the bars of the dimension k - 1. Such an
#'     element on its own is given as `list(pairs = dgms)`: without names it cannot be told from a
#'     list of diagrams, and is an error where all births are 0 in its first matrix and none is in the
#'     others;
#'   * a single linkage clustering, `hclust(d, method = "single")` or `cluster::agnes()`: the bars in dimension
#'     0 of the Vietoris-Rips filtration, from 0 to each height, and one that never dies. Clusterings
#'     by other methods go through [as_diagram()].
#' @param dimension The dimension of the bars that count, a whole number. It can be left out
#'   when the diagrams have no dimensions, or only one.
#' @param infinite What to do with bars that never die (the death is `Inf`): `"keep"` them,
#'   `"drop"` them, or a number, which then is their death. A bar that is born at this
#'   number or later is dropped.
#' @param max_death Bars that die later than at this number are left out.
#' @param threads The number of threads, see [pcfdist_options].
#' @param id Names of one or more columns that tell the diagrams of one table apart: there is a
#'   function for each combination of their values, in the order of first appearance, with a name
#'   such as "a" or "a, 2".
#'
#' @details
#' A table may have further columns, which are ignored. One that looks as if it told several
#' diagrams apart is an error: use `id`, split the table, or leave the column out. It looks so if it
#' has different values, and these are no numbers, or whole numbers of which some come again (other
#' than the lengths of the bars), or its name is such as "id" or "sample".
#'
#' Bars of length 0 add nothing. The function of a diagram without bars is the zero
#' function. A stable rank starts at the time 0, the other functions at their first change.
#' Breakpoints at which the value would not change are left out.
#'
#' A bar that never dies counts in the first three functions forever. They then do not
#' come back to 0, and have distances and norms that are infinite without a window: use
#' `infinite`, or `to` in [pdist()]. A bar that never dies has its middle at infinity, and
#' adds nothing to the accumulated persistence unless `infinite` is a number. A bar that dies,
#' but is longer than the largest number, counts as infinitely long: in the stable rank forever,
#' and not at all in the accumulated persistence.
#'
#' In superlevel filtrations bars are born above the level at which they die. Negate both
#' first: the time of the function then is the negative level.
#'
#' @return A [pcf] with one function a diagram, and with the names and dimensions of the
#'   list.
#'
#' @section Warnings:
#' Where no diagram of the call has bars of the `dimension`, there is one warning, of the class
#' `pcfdist_warning_dimension`.
#'
#' @section Errors:
#' A diagram that is not understood is an error of the class `pcfdist_error_x`. So are
#' missing values, infinite births, deaths before births and dimensions that are no whole
#' numbers: the message names the diagram and the row, and the condition has them in the
#' fields `index` and `position`, the row being that of the whole table where there is `id`.
#' Diagrams of several dimensions of which none is chosen
#' are an error of the class `pcfdist_error_dimension`.
#'
#' @encoding UTF-8
#' @references
#' Scolamiero, M., Chach\enc{ó}{o}lski, W., Lundman, A., Ramanujam, R. and
#' \enc{Ö}{O}berg, S. (2017). Multidimensional persistence and noise. *Foundations of
#' Computational Mathematics* 17, 1367-1406. \doi{10.1007/s10208-016-9323-y}
#'
#' Chach\enc{ó}{o}lski, W. and Riihim\enc{ä}{a}ki, H. (2020). Metrics and stabilization in
#' one parameter persistence. *SIAM Journal on Applied Algebra and Geometry* 4, 69-98.
#' \doi{10.1137/19M1243932}
#'
#' Biscio, C. A. N. and M\enc{ø}{o}ller, J. (2019). The accumulated persistence function, a
#' new useful functional summary statistic for topological data analysis. *Journal of
#' Computational and Graphical Statistics* 28, 671-681.
#' \doi{10.1080/10618600.2019.1573686}
#'
#' @seealso [landscape()] for piecewise linear functions of diagrams, [pdist()] for the distances
#'   between the functions, [reductions] for their means, [plot_barcode()] to draw the bars.
#'
#' @examples
#' bars <- cbind(
#'   dimension = c(0, 0, 0, 1), birth = c(0, 0, 0, 1.2), death = c(1, 1.5, Inf, 2)
#' )
#' stable_rank(bars, dimension = 0)
#' stable_rank(bars, dimension = 0, infinite = "drop")
#' betti_curve(bars, dimension = 1)
#' euler_curve(bars)
#' accumulated_persistence(bars, dimension = 0)
#'
#' # A long table of two diagrams
#' long <- rbind(data.frame(cloud = "a", bars), data.frame(cloud = "b", bars[1:3, ]))
#' betti_curve(long, dimension = 0, id = "cloud")
#'
#' # How the clusters of three species merge, by single linkage.
#' trees <- lapply(split(iris[1:4], iris$Species), function(flowers) {
#'   hclust(dist(flowers), method = "single")
#' })
#' ranks <- stable_rank(trees, infinite = "drop")
#' pdist(ranks)
#' @name diagrams
NULL

#' @rdname diagrams
#' @export
stable_rank <- function(x, dimension = NULL, infinite = "keep", threads = NULL, id = NULL) {
  diagram_curves(x, "stable_rank", dimension, infinite, threads, id)
}

#' @rdname diagrams
#' @export
betti_curve <- function(x, dimension = NULL, infinite = "keep", threads = NULL, id = NULL) {
  diagram_curves(x, "betti_curve", dimension, infinite, threads, id)
}

#' @rdname diagrams
#' @export
euler_curve <- function(x, infinite = "keep", threads = NULL, id = NULL) {
  diagram_curves(x, "euler_curve", NULL, infinite, threads, id)
}

#' @rdname diagrams
#' @export
accumulated_persistence <- function(x, dimension = NULL, infinite = "keep",
                                    threads = NULL, id = NULL, max_death = Inf) {
  check_number(max_death, "max_death")
  diagram_curves(x, "accumulated_persistence", dimension, infinite, threads, id, max_death)
}

# The curves in the order of C, and the names of their values.
diagram_curve_names <- c(
  stable_rank = "stable rank", betti_curve = "Betti number", euler_curve = "Euler characteristic",
  accumulated_persistence = "accumulated persistence"
)

diagram_curves <- function(x, curve, dimension, infinite, threads, id, max_death = Inf) {
  dimension <- check_dimension(dimension)
  infinite <- check_infinite(infinite)
  threads <- run_threads(threads)
  table <- read_diagrams(x, id, needed = curve == "euler_curve" || !is.na(dimension))
  diagrams <- table$diagrams
  if (max_death < Inf) diagrams[] <- lapply(diagrams, shorten_late, infinite, max_death)
  curves <- curves_of(diagrams, curve, dimension, infinite, threads, table$rows)
  warn_dimension(table$diagrams, dimension)
  curves
}

# Bars that die too late become bars of length 0, which add nothing. All others, wrong ones among
# them, stay as they are, and in their rows.
shorten_late <- function(bars, infinite, max_death) {
  birth <- ncol(bars) - 1
  death <- ncol(bars)
  dies <- bars[, death]
  if (is.finite(infinite)) dies[dies %in% Inf] <- infinite
  late <- which(dies > max_death & bars[, birth] <= bars[, death] & is.finite(bars[, birth]))
  bars[late, death] <- bars[late, birth]
  bars
}

# A warning for each of the dimensions, of which NA is none, that no diagram has.
warn_dimension <- function(diagrams, dimensions) {
  found <- dimensions_of(diagrams)
  for (dimension in setdiff(dimensions, c(found, NA))) {
    has <- if (length(found) == 0) "there are no bars at all."
           else paste0("there are bars of dimension ", first_ten(found), ".")
    warn("dimension", "No diagram has bars of dimension ", number(dimension), ": ", has)
  }
}

# The diagrams in the plain form that C takes and, where they are those of one table, the rows of
# each.
read_diagrams <- function(x, id, needed) {
  check_given(x, "x", "a persistence diagram, or a list of them")
  rows <- NULL
  if (!is.null(id)) {
    groups <- diagram_groups(x, id)
    rows <- split(seq_along(groups$group), factor(groups$group, seq_len(groups$count)))
    x <- split_diagram(x, id, groups, rows)
  }
  list(diagrams = plain_diagrams(x, needed), rows = rows)
}

# `dimension` and `infinite` are those that C takes.
curves_of <- function(diagrams, curve, dimension, infinite, threads, rows) {
  answer <- .Call(
    ffi_diagram_curves, diagrams, match(curve, names(diagram_curve_names)) - 1L, dimension,
    infinite, threads
  )
  if (!is.null(answer$problem)) abort_bar(answer$problem, diagrams, rows)
  functions <- answer_value(answer)
  attributes(functions) <- shape_of(diagrams)
  new_pcf(functions, name = diagram_curve_names[[curve]])
}

# ---- Recognising diagrams ----

# Clusterings that as.hclust() takes: those of the package cluster, and of stats.
tree_classes <- c("twins", "dendrogram")

# A list of diagrams in the plain form that C takes: double matrices with the columns
# birth and death, or dimension, birth and death. `needed`: must all have dimensions?
plain_diagrams <- function(x, needed) {
  x <- plain_list(x)
  if (is_diagram(x)) x <- list(x)
  else check_not_dimensions(x)
  check_is(is.list(x), x, "x", "must be a persistence diagram or a list of them, not ")
  diagrams <- unclass(x)
  columns <- .Call(ffi_diagram_columns, diagrams)
  for (i in which(columns == 0)) {
    diagrams[[i]] <- plain_diagram(.subset2(x, i), diagram_label(i, x))
    columns[i] <- ncol(diagrams[[i]])
  }
  if (needed && any(columns == 2)) {
    label <- diagram_label(which(columns == 2)[1], x)
    abort_argument("x", "is invalid: ", label, " has no dimensions, which are needed here.")
  }
  diagrams
}

# A list without names may have a diagram an element or, as ripser.py returns them, the bars of one
# diagram by dimension. The latter shows in births: in dimension 0 alone all are 0.
check_not_dimensions <- function(x) {
  if (!is.list(x) || length(x) < 2 || !is.null(names(x))) return()
  tables <- lapply(unname(x), function(bars) if (is.matrix(bars) && is.numeric(bars)) bars)
  if (!all(vapply(tables, function(bars) isTRUE(ncol(bars) == 2), NA))) return()
  births <- lapply(tables, function(bars) bars[, 1])
  zero <- all(births[[1]] %in% 0) && length(births[[1]]) > 0
  later <- unlist(births[-1])
  if (!zero || !all(is.finite(later) & later > 0)) return()
  abort_argument(
    "x", "is a list of birth-death matrices that look like one diagram, a matrix a dimension, as ",
    "ripser.py returns it: all births are 0 in the first matrix, and none is in the others. If it ",
    "is, use list(pairs = x). If each matrix is a diagram of its own, give the list names."
  )
}

is_diagram <- function(x) {
  is.data.frame(x) || (is.matrix(x) && !is.list(x)) ||
    inherits(x, c("hclust", tree_classes, "dist", "diagram", "persistence", "PHom")) ||
    (is.list(x) && !is.null(names(x)) && (inherits(x[["diagram"]], "diagram") || has_pairs(x)))
}

is_matrix_or_frame <- function(x) is.matrix(x) || is.data.frame(x)

has_pairs <- function(x) is.list(bars_by_dimension(x)) && !is.data.frame(bars_by_dimension(x))

# As phutil and ripser.py keep them.
bars_by_dimension <- function(x) x[["pairs"]] %||% x[["dgms"]]

plain_diagram <- function(x, label) {
  if (inherits(x, tree_classes)) x <- stats::as.hclust(x)
  if (inherits(x, "hclust")) return(single_linkage_diagram(x, label))
  if (is_matrix_or_frame(x)) return(table_diagram(x, label))
  if (is.list(x) && is_matrix_or_frame(x[["diagram"]])) return(table_diagram(x$diagram, label))
  if (is.list(x) && has_pairs(x)) return(pairs_diagram(bars_by_dimension(x), label))
  abort_argument(
    "x", "is invalid: ", label, " is ", describe(x), ", and not a persistence diagram.",
    if (inherits(x, "dist")) distances_hint
  )
}

single_linkage_diagram <- function(x, label) {
  if (!identical(x$method, "single")) {
    abort_argument(
      "x", "is invalid: ", label, " is a clustering with the method ",
      describe(x$method), ', and only "single" gives the bars of dimension 0 of distances. ',
      "as_diagram() takes the mergers of any clustering for bars."
    )
  }
  linkage_diagram(x)
}

# A merger comes no earlier than those that it joins: centroids and medians may have it otherwise.
linkage_diagram <- function(x) {
  heights <- as.double(x$height)
  for (k in seq_along(heights)) {
    joined <- x$merge[k, x$merge[k, ] > 0]
    heights[k] <- max(heights[k], heights[joined])
  }
  cbind(dimension = 0, birth = 0, death = c(heights, Inf))
}

# From the list of the bars of the dimensions 0, 1, 2, ...
pairs_diagram <- function(pairs, label) {
  tables <- lapply(seq_along(pairs), function(k) {
    if (!is_matrix_or_frame(pairs[[k]])) abort_no_table(pairs[[k]], label)
    bars <- table_diagram(pairs[[k]], label)
    cbind(rep(k - 1, nrow(bars)), bars[, ncol(bars) - 1:0, drop = FALSE])
  })
  diagram <- do.call(rbind, c(list(matrix(0, 0, 3)), tables))
  dimnames(diagram) <- NULL
  diagram
}

# From a matrix or a data frame, by the names of the columns or else their positions.
table_diagram <- function(x, label, group = NULL) {
  columns <- diagram_columns(x)
  if (is.null(columns)) abort_no_table(x, label)
  parts <- if (is.data.frame(x)) lapply(columns, function(k) x[[k]])
           else lapply(columns, function(k) x[, k])
  numbers <- vapply(parts, function(part) is_number(part) || is.factor(part), NA)
  if (!all(numbers)) abort_no_table(x, label)
  # A factor holds dimensions by their names.
  parts <- lapply(parts, function(part) as.double(if (is.factor(part)) as.character(part) else part))
  diagram <- matrix(unlist(parts), nrow(x), length(columns))
  check_left_over(x, columns, diagram, label, group)
  diagram
}

distances_hint <- ' Of distances, hclust(x, "single") has the bars of dimension 0.'

abort_no_table <- function(x, label) {
  abort_argument(
    "x", "is invalid: ", label, " is ", describe_table(x), ", and not columns of ",
    "numbers: birth and death, or dimension, birth and death.",
    if (is.matrix(x) && is.numeric(x) && nrow(x) == ncol(x)) sub("(x", "(as.dist(x)", distances_hint, fixed = TRUE)
  )
}

# The indices of the columns (dimension,) birth and death; NULL where they are unclear.
diagram_columns <- function(x) {
  find <- function(...) match(c(...), tolower(colnames(x)), nomatch = 0L)
  first <- function(found) utils::head(found[found > 0], 1)
  birth <- first(find("birth", "start"))
  death <- first(find("death", "end"))
  if (length(birth) == 1 && length(death) == 1) {
    return(c(first(find("dimension", "degree", "dim")), birth, death))
  }
  if (ncol(x) %in% 2:3) seq_len(ncol(x))
}

# 'diagram 2 ("b")', or 'the diagram' where there is one without a name.
diagram_label <- function(i, x) function_label(i, x, "diagram")

# ---- Several diagrams in one table ----

diagram_groups <- function(x, id) {
  if (!is_matrix_or_frame(x) || is.list(x) && is.matrix(x)) {
    abort_argument(
      "id", "names columns of one table, and `x` is ", describe(x), ". A list has one diagram an ",
      "element."
    )
  }
  id_groups(plain_table(x), id)
}

# The diagrams of the groups, of which each has some rows.
split_diagram <- function(x, id, groups, rows) {
  x <- plain_table(x)
  bars <- table_diagram(x[setdiff(names(x), id)], "the diagram", groups$group)
  diagrams <- lapply(rows, function(k) bars[k, , drop = FALSE])
  names(diagrams) <- groups$names
  diagrams
}

plain_table <- function(x) as.data.frame(if (is.matrix(x)) unclass(x) else x)

# Bars of several diagrams must not be taken for those of one: an error if there is a column left
# that seems to tell them apart. `group`: which rows are known to be different diagrams.
check_left_over <- function(x, columns, bars, label, group) {
  first <- colnames(x)[columns[1]]
  by_position <- !is.null(first) && length(columns) == 3 && is_id_name(first)
  left <- c(if (by_position) columns[1], setdiff(seq_len(ncol(x)), columns))
  length <- bars[, ncol(bars)] - bars[, ncol(bars) - 1]
  if (is.null(group)) group <- rep(1L, nrow(x))
  for (k in left) {
    column <- if (is.data.frame(x)) x[[k]] else x[, k]
    name <- colnames(x)[k]
    if (!varies(column, group)) next
    numbers <- is.numeric(column) && (!are_codes(column) || isTRUE(all(column == length)))
    if (!is_id_name(name) && numbers) next
    abort_argument(
      "id", "does not name the column `", name, "` of ", label, ", which looks as if it told several ",
      "diagrams apart. Name it where `x` is one table, split the table by it, or leave it out if all ",
      "rows are one diagram."
    )
  }
}

is_id_name <- function(name) {
  grepl("(^|[._ -])id$|[a-z]I[dD]$", name) || tolower(name) %in% c(
    "id", "name", "sample", "cloud", "diagram", "group", "subject", "patient", "case", "run",
    "replicate", "file"
  )
}

# Whole numbers of which some come again.
are_codes <- function(column) {
  !is.object(column) && all(is.finite(column)) && all(column == round(column)) &&
    anyDuplicated(column) > 0
}

# ---- Errors of bars ----

# Raises the error for a bar that C found: a list of function, position and problem.
# `rows`: those of each diagram in a table of several.
abort_bar <- function(problem, diagrams, rows = NULL) {
  i <- problem$`function`
  diagram <- diagrams[[i]]
  label <- diagram_label(i, diagrams)
  bar <- if (problem$problem != "overflow") diagram[problem$position, ]
  entries <- vapply(bar, format, "", digits = 15)
  birth <- entries[length(bar) - 1]
  death <- entries[length(bar)]
  row <- problem$position
  if (!is.null(rows) && problem$problem != "overflow") row <- rows[[i]][row]
  if (problem$problem == "other_dimension") {
    abort_argument("dimension", "must be chosen: there are bars of the dimensions ",
                   first_ten(dimensions_of(diagrams)), ".")
  }
  what <- switch(problem$problem,
    missing = sprintf("has a missing number in row %.0f.", row),
    birth_infinite = sprintf("has an infinite birth (%s) in row %.0f.", birth, row),
    reversed = sprintf(
      paste(
        "has the death %s before the birth %s in row %.0f. Negate the births and deaths",
        "of superlevel filtrations."
      ),
      death, birth, row
    ),
    dimension = sprintf(
      "has the dimension %s in row %.0f, which is no whole number from 0 on.",
      entries[1], row
    ),
    overflow = "has bars whose total length is too large for a number.",
    endless = sprintf(
      paste(
        "has a bar that never dies in row %.0f, which has no tent. `infinite = \"drop\"` leaves",
        "such bars out, and a number is their death."
      ),
      row
    )
  )
  abort("x", "`x` is invalid: ", label, " ", what, argument = "x", index = i, position = row)
}

dimensions_of <- function(diagrams) {
  sort(unique(unlist(lapply(diagrams, function(d) if (ncol(d) == 3) unique(d[, 1])))))
}
