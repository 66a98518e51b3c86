#' Functions from persistence diagrams
#'
#' @description
#' Converts persistence diagrams to piecewise constant functions of \eqn{t}:
#'
#' * `stable_rank()`: the number of bars longer than \eqn{t}, for \eqn{t \ge 0}. A bar from \eqn{b} to
#'   \eqn{d} has length \eqn{d - b}. This is the stable rank for the standard contour.
#' * `betti_curve()`: the number of bars alive at \eqn{t}, those with \eqn{b \le t < d}.
#' * `euler_curve()`: the Euler characteristic at \eqn{t}, which is the alternating sum of the Betti
#'   curves of all dimensions.
#' * `accumulated_persistence()`: the total length of the bars whose midpoint \eqn{(b + d) / 2} is at most
#'   \eqn{t}.
#'
#' The functions are exact: no grid is used.
#'
#' @param x A persistence diagram, or a list of diagrams, of any of these kinds:
#'   * a numeric matrix or data frame with a row for each bar and the columns `birth` and `death`, and
#'     optionally `dimension`, in lower or upper case; `start`, `end`, `degree` and `dim` are accepted as
#'     well. Dimensions may be text or a factor: "0", "1". Without such names, two columns are birth and death, and
#'     three are dimension, birth and death. Results of the packages TDAstats and ripserr and tables of rgudhi are
#'     of this kind;
#'   * an object of class `diagram`, or a list with such an element named `diagram`, as returned by the
#'     functions of the package TDA;
#'   * a `persistence` object of the package phutil, or the result of ripser.py: a list with an element
#'     `pairs` or `dgms`, whose element k holds the bars of dimension k - 1. To pass such an element
#'     alone, use `list(pairs = dgms)`: unnamed, it cannot be told from a list of diagrams, and an error
#'     is raised if its first matrix has only births of 0 and the others have none;
#'   * a single linkage clustering, `hclust(d, method = "single")` or `cluster::agnes()`: the bars in
#'     dimension 0 of the Vietoris-Rips filtration, one from 0 to each height and one that never dies. For other
#'     clustering methods, see [as_diagram()].
#' @param dimension The dimension of the bars to use, a whole number. It may be omitted if the diagrams
#'   have no dimensions, or only one.
#' @param infinite How to treat bars that never die: `"keep"` them, `"drop"` them, or a number to use as their
#'   death. Bars born at or after this number are dropped. Such bars have the death `Inf` or what some programs
#'   write for it: `NA`, 1.797e308 or 3.4028235e38, the largest numbers in double and single precision.
#' @param max_death A number. Bars that die later are ignored.
#' @param threads The number of threads; see [pcfdist_options].
#' @param id Names of one or more columns that tell several diagrams in one table apart: one for each
#'   combination of their values, in the order of first appearance, with a name such as "a" or "a, 2". If a single
#'   column is a factor: one for each level, in their order, so that diagrams without bars are kept.
#'
#' @details
#' Further columns of a table are ignored, but a column that seems to tell several diagrams apart raises an
#' error: use `id`, split the table, or remove the column. Such a column has different values and is not
#' numeric, or has whole numbers with repetitions (other than the lengths of the bars), or has a name such
#' as "id" or "sample".
#'
#' Births and deaths are plain numbers. Dates, times, time differences and other numbers with a unit raise an error:
#' convert all to one unit, for example by `as.numeric(x$death, units = "hours")`.
#'
#' Bars of length 0 contribute nothing, and a diagram without bars gives the zero function. Stable ranks
#' start at time 0, the other functions at their first change. Breakpoints without a change of value
#' are omitted.
#'
#' In the first three functions, a bar that never dies is counted forever. These functions then do not
#' return to 0, and their distances and norms are infinite without a finite window: use `infinite`, or
#' `to` in [pdist()]. A bar that never dies has its midpoint at infinity and contributes nothing to the
#' accumulated persistence, unless `infinite` is a number. The length of a bar that dies but overflows is
#' taken as infinite: the stable rank counts it forever, and the accumulated persistence not at all.
#'
#' In superlevel filtrations, bars are born above the level at which they die. Negate both first; the time
#' of the function then is the negative level.
#'
#' @return A [pcf] with one function for each diagram, and with the names and dimensions of the list.
#'
#' @section Warnings:
#' A warning of class `pcfdist_warning_dimension` is given if no diagram has bars of the `dimension`, and one of class
#' `pcfdist_warning_id` if no row of a table has some level of the factor `id`.
#'
#' @section Errors:
#' An object that is not a persistence diagram raises an error of class `pcfdist_error_x`. So do missing
#' births and dimensions, deaths of `NaN`, infinite births, deaths before births and dimensions that are not
#' whole numbers: the
#' message names the diagram and the row, which the condition has in the fields `index` and `position`.
#' With `id`, this is the row of the whole table. A death that rounding has moved before the birth is no error, and
#' the bar is ignored like one of length 0: by 1e-6 of the birth if either has at most 24 significant bits, as
#' numbers of single precision, otherwise by 1e-12. If diagrams have several dimensions and `dimension` is
#' not given, the class is `pcfdist_error_dimension`.
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
#'   between the functions, [reductions] for their means, [plot_barcode()] to draw the bars
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
#' # Two diagrams in one table
#' long <- rbind(data.frame(cloud = "a", bars), data.frame(cloud = "b", bars[1:3, ]))
#' betti_curve(long, dimension = 0, id = "cloud")
#'
#' # Single linkage of the flowers of three species
#' trees <- lapply(split(iris[1:4], iris$Species), function(flowers) {
#'   hclust(dist(flowers), method = "single")
#' })
#' ranks <- stable_rank(trees, infinite = "drop")
#' pdist(ranks)
#' @name diagrams
NULL

#' @rdname diagrams
#' @export
stable_rank <- function(x, dimension = NULL, infinite = "keep", id = NULL, threads = NULL) {
  diagram_curves(x, "stable_rank", dimension, infinite, threads, id)
}

#' @rdname diagrams
#' @export
betti_curve <- function(x, dimension = NULL, infinite = "keep", id = NULL, threads = NULL) {
  diagram_curves(x, "betti_curve", dimension, infinite, threads, id)
}

#' @rdname diagrams
#' @export
euler_curve <- function(x, infinite = "keep", id = NULL, threads = NULL) {
  diagram_curves(x, "euler_curve", NULL, infinite, threads, id)
}

#' @rdname diagrams
#' @export
accumulated_persistence <- function(x, dimension = NULL, infinite = "keep", max_death = Inf,
                                    id = NULL, threads = NULL) {
  max_death <- check_number(max_death, "max_death")
  diagram_curves(x, "accumulated_persistence", dimension, infinite, threads, id, max_death)
}

# The curves in the order in which C numbers them, and the names of their values.
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

# Bars that die too late become bars of length 0, which contribute nothing. All others, including invalid
# ones, stay as they are and in their rows.
shorten_late <- function(bars, infinite, max_death) {
  birth <- ncol(bars) - 1
  death <- ncol(bars)
  dies <- bars[, death]
  if (is.finite(infinite)) dies[dies %in% Inf] <- infinite
  late <- which(dies > max_death & bars[, birth] <= bars[, death] & is.finite(bars[, birth]))
  bars[late, death] <- bars[late, birth]
  bars
}

# Warns of each given dimension that no diagram has; NA stands for no dimension.
warn_dimension <- function(diagrams, dimensions) {
  found <- dimensions_of(diagrams)
  for (dimension in setdiff(dimensions, c(found, NA))) {
    has <- if (length(found) == 0) "there are no bars at all."
           else paste0("there are bars of dimension ", first_ten(found), ".")
    warn("dimension", "No diagram has bars of dimension ", number(dimension), ": ", has)
  }
}

# The diagrams in the plain form that C takes and, if they come from one table, the rows of each.
read_diagrams <- function(x, id, needed) {
  check_given(x, "x", "a persistence diagram, or a list of them")
  table <- if (is.null(id)) list(diagrams = x) else split_table(x, id)
  list(diagrams = plain_diagrams(table$diagrams, needed), rows = table$rows)
}

# `dimension` and `infinite` are in the form that C takes.
curves_of <- function(diagrams, curve, dimension, infinite, threads, rows) {
  answer <- .Call(
    ffi_diagram_curves, diagrams, match(curve, names(diagram_curve_names)) - 1L, dimension,
    infinite, threads
  )
  if (!is.null(answer$problem)) abort_bar(answer$problem, diagrams, rows)
  new_pcf(shaped_as(answer_value(answer), diagrams), name = diagram_curve_names[[curve]])
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
  check_is(is.list(x), x, "x", "must be a persistence diagram or a list of them, not ", hint = array_hint(x))
  diagrams <- unclass(x)
  columns <- .Call(ffi_diagram_columns, diagrams)
  columns[vapply(diagrams, has_unit, NA)] <- 0L # C does not look at classes
  for (i in which(columns <= 0)) {
    if (columns[i] == 0) diagrams[[i]] <- plain_diagram(.subset2(x, i), diagram_label(i, x))
    columns[i] <- ncol(diagrams[[i]])
    diagrams[[i]][, columns[i]] <- endless_deaths(diagrams[[i]][, columns[i]])
  }
  if (needed && any(columns == 2)) {
    label <- diagram_label(which(columns == 2)[1], x)
    abort_argument("x", "is invalid: ", label, " has no dimensions, but these are needed here.")
  }
  diagrams
}

# Deaths, with Inf for what programs write in its place: NA, or the largest number in double or single precision,
# whose digits may have been rounded.
endless_deaths <- function(death) {
  largest <- death >= 1.797e308 | death >= 3.4e38 & death <= 3.4029e38
  replace(death, which(largest | is.na(death) & !is.nan(death)), Inf)
}

# An unnamed list may hold diagrams or, as returned by ripser.py, the bars of one diagram by dimension.
# The births tell the latter: all are 0 in dimension 0, and only there.
check_not_dimensions <- function(x) {
  if (!is.list(x) || length(x) < 2 || !is.null(names(x))) return()
  tables <- lapply(unname(x), function(bars) if (is.matrix(bars) && is.numeric(bars)) bars)
  if (!all(vapply(tables, function(bars) isTRUE(ncol(bars) == 2), NA))) return()
  births <- lapply(tables, function(bars) bars[, 1])
  zero <- all(births[[1]] %in% 0) && length(births[[1]]) > 0
  later <- unlist(births[-1])
  if (!zero || !all(is.finite(later) & later > 0)) return()
  abort_argument(
    "x", "is a list of birth-death matrices that looks like one diagram with a matrix for each dimension, ",
    "as returned by ripser.py: all births are 0 in the first matrix, and none in the others. If so, use ",
    "list(pairs = x). If each matrix is a diagram, name the elements of the list."
  )
}

is_diagram <- function(x) {
  is.data.frame(x) || (is.matrix(x) && !is.list(x)) ||
    inherits(x, c("hclust", tree_classes, "dist", "diagram", "persistence", "PHom")) ||
    (is.list(x) && !is.null(names(x)) && (inherits(x[["diagram"]], "diagram") || has_pairs(x)))
}

has_pairs <- function(x) is.list(bars_by_dimension(x)) && !is.data.frame(bars_by_dimension(x))

# As in objects of phutil and ripser.py.
bars_by_dimension <- function(x) x[["pairs"]] %||% x[["dgms"]]

plain_diagram <- function(x, label) {
  if (inherits(x, tree_classes)) x <- clustering_of(x)
  if (inherits(x, "hclust")) return(single_linkage_diagram(x, label))
  if (is_matrix_or_frame(x)) return(table_diagram(x, label))
  if (is.list(x) && is_matrix_or_frame(x[["diagram"]])) return(table_diagram(x$diagram, label))
  if (is.list(x) && has_pairs(x)) return(pairs_diagram(bars_by_dimension(x), label))
  abort_argument(
    "x", "is invalid: ", label, " is ", describe(x), ", not a persistence diagram.",
    if (inherits(x, "dist")) distances_hint else list_hint(x)
  )
}

# How to pass the lists that Python's gudhi and ripser return, of which an element is `x`.
list_hint <- function(x) {
  if (is_bar_tuple(x)) {
    return(" For a list of tuples, as from gudhi, do.call(rbind, lapply(x, unlist)) has a row for each bar.")
  }
  if (!is.list(x) || length(x) == 0) return(NULL)
  if (all(vapply(x, is_bar_tuple, NA))) paste(
    " For lists of tuples, as from gudhi, lapply(x, function(bars) do.call(rbind, lapply(bars, unlist))) has a matrix",
    "for each."
  )
  else if (all(vapply(x, is_matrix_or_frame, NA))) paste(
    " If each element has the bars of dimension 0, 1, 2, ..., as from ripser, use",
    "lapply(x, function(bars) list(pairs = bars))."
  )
}

array_hint <- function(x) {
  if (is.numeric(x) && length(dim_of(x)) == 3 && dim_of(x)[3] == 3) paste(
    " For an array of diagrams, bars and (birth, death, dimension), as from giotto-tda,",
    "data.frame(diagram = rep(seq_len(nrow(x)), ncol(x)), birth = c(x[, , 1]), death = c(x[, , 2]),",
    "dimension = c(x[, , 3])) makes a table of it, for `id = \"diagram\"`."
  )
}

# (dimension, (birth, death))
is_bar_tuple <- function(x) {
  is.list(x) && length(x) == 2 && is_one_number(x[[1]]) && is.numeric(unlist(x[[2]])) && length(unlist(x[[2]])) == 2
}

single_linkage_diagram <- function(x, label) {
  check_clustering(x)
  if (!identical(x$method, "single")) {
    abort_argument(
      "x", "is invalid: ", label, " is a clustering with the method ", describe(x$method),
      ', but only "single" gives the bars of dimension 0 of distances. For the mergers of other ',
      "clusterings, use as_diagram()."
    )
  }
  linkage_diagram(x)
}

clustering_of <- function(tree) read_parts(tree, class(tree)[1], stats::as.hclust(tree))

check_clustering <- function(x) {
  merge <- if (is.list(x)) x$merge
  k <- length(merge) / 2
  valid <- is.numeric(merge) && is.matrix(merge) && ncol(merge) == 2 && is.numeric(x$height) && length(x$height) == k &&
    !anyNA(merge) && all(merge < seq_len(k) & merge >= -k - 1 & merge != 0)
  if (valid) return(x)
  abort_argument("x", "is not a valid <hclust>: its mergers and heights do not fit together.")
}

# A merger comes no earlier than those that it joins; heights of centroid and median linkage may decrease.
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
  unname(do.call(rbind, c(list(matrix(0, 0, 3)), tables)))
}

# From a matrix or a data frame, by the names of the columns or else their positions.
table_diagram <- function(x, label, group = rep(1L, nrow(x))) {
  check_methods(x, "x")
  columns <- diagram_columns(x)
  if (is.null(columns)) {
    abort_no_table(x, label, if (!is.null(colnames(x))) " Columns in another order need these names.")
  }
  parts <- if (is.data.frame(x)) lapply(columns, function(k) x[[k]])
           else lapply(columns, function(k) x[, k])
  check_multiplicity(x, label)
  if (!is.data.frame(x) && (!is_number(x) || has_unit(x))) abort_no_table(x, label)
  parts <- .mapply(function(part, name, is_dimension) {
    if (has_unit(part)) abort_unit(part, label, name)
    part <- if (is.factor(part) || is.character(part) && is_dimension) numbers_of_text(part) else part
    if (is_number(part)) return(as.double(part))
    abort_argument("x", "is invalid: ", label, " has the column `", name, "`, which is ", describe(part),
                   ", not numbers.", if (is.character(part) && !is_dimension) " as.numeric() converts text to numbers.")
  }, list(parts, colnames(x)[columns] %||% columns, seq_along(columns) == length(columns) - 2), NULL)
  diagram <- matrix(unlist(parts), nrow(x), length(columns))
  check_left_over(x, columns, diagram, label, group)
  diagram
}

# Diagrams are of plain numbers: one in hours would be compared with one in days.
has_unit <- function(x) is.object(x) && (is_moment(x) || has_other_unit(x) || inherits(x, "POSIXlt"))

abort_unit <- function(column, label, name) {
  code <- paste0("x$", in_code(name))
  is_length <- is_moment(column) && inherits(column, "difftime")
  unit <- if (is_length) paste0(", units = ", dQuote(attr(column, "units"), FALSE))
  way <- if (inherits(column, "units")) "units::drop_units(" else "as.numeric("
  numbers <- paste0(way, code, unit, ")")
  abort_argument("x", "is invalid: ", label, " has the column `", name, "`, which is ", describe(column),
                 ", not plain numbers.", plain_numbers_hint(numbers))
}

# `code` is an expression of plain numbers.
plain_numbers_hint <- function(code) {
  paste0(" Its unit would be lost: ", code, " makes plain numbers, with the same unit for all births and deaths.")
}

# The levels of a factor, or texts, as numbers; as they are if some are no numbers.
numbers_of_text <- function(text) {
  text <- as.character(text)
  numbers <- suppressWarnings(as.double(text))
  if (any(is.na(numbers) & !is.na(text))) text else numbers
}

check_multiplicity <- function(x, label) {
  name <- colnames(x)[lower_case(colnames(x)) %in% c("multiplicity", "multiplicities", "mult")][1]
  if (length(name) == 0 || is.na(name)) return()
  column <- if (is.data.frame(x)) x[[name]] else x[, name]
  if (!is.numeric(column) || all(column %in% 1)) return()
  code <- if (is.data.frame(x)) paste0("x$", in_code(name)) else sprintf('x[, "%s"]', name)
  abort_argument(
    "x", "is invalid: ", label, " has the column `", name, "`, but each row is one bar. ",
    "x[rep(seq_len(nrow(x)), ", code, '), colnames(x) != "', name, '", drop = FALSE] has a row for each bar.'
  )
}

distances_hint <- ' For distances, use hclust(x, "single"), which has the bars of dimension 0.'

abort_no_table <- function(x, label, hint = NULL) {
  abort_argument(
    "x", "is invalid: ", label, " is ", describe_table(x), ", not columns of numbers: birth and ",
    "death, or dimension, birth and death.", hint, if (is.matrix(x) && has_unit(x)) plain_numbers_hint("unclass()"),
    if (is.matrix(x) && is.numeric(x) && nrow(x) == ncol(x)) sub("(x", "(as.dist(x)", distances_hint, fixed = TRUE)
  )
}

# The indices of the columns (dimension,) birth and death; NULL if they are unclear.
diagram_columns <- function(x) {
  find <- function(...) match(c(...), lower_case(colnames(x)), nomatch = 0L)
  first <- function(found) utils::head(found[found > 0], 1)
  found <- list(first(find("dimension", "degree", "dim")), first(find("birth", "start")), first(find("death", "end")))
  if (all(lengths(found[2:3]) == 1)) return(unlist(found))
  # By position, unless a name says something else.
  places <- 1:3 + ncol(x) - 3
  if (ncol(x) %in% 2:3 && all(unlist(found) == places[lengths(found) > 0])) seq_len(ncol(x))
}

# 'diagram 2 ("b")', or 'the diagram' for a single one without a name.
diagram_label <- function(i, x) function_label(i, x, "diagram")

# ---- Several diagrams in one table ----

# The diagrams of the groups of rows, and these rows.
split_table <- function(x, id) {
  check_is(is_matrix_or_frame(x) && !(is.list(x) && is.matrix(x)), x, "id", "needs one table, but `x` is ",
           hint = " In a list, each element is a diagram.")
  if (is.matrix(x) && has_unit(x)) abort_no_table(x, "the diagram")
  x <- as.data.frame(if (is.matrix(x)) unclass(x) else x)
  groups <- id_groups(x, id)
  groups <- with_all_levels(groups, x, id)
  bars <- table_diagram(x[setdiff(names(x), id)], "the diagram", groups$group)
  rows <- split(seq_len(nrow(x)), factor(groups$group, seq_len(groups$count)))
  diagrams <- lapply(rows, function(k) bars[k, , drop = FALSE])
  names(diagrams) <- groups$names
  list(diagrams = diagrams, rows = rows)
}

# Of an id that is a factor, the groups of all levels, in their order: those without rows are diagrams without bars.
with_all_levels <- function(groups, x, id) {
  column <- if (length(id) == 1) x[[id]]
  if (!is.factor(column)) return(groups)
  without <- setdiff(levels(column), as.character(column))
  if (length(without) > 0) warn(
    "id", "No row of `x` has the level", plural(length(without)), " ", quoted(utils::head(without, 10)),
    if (length(without) > 10) ", ...", " of the factor `", id, "`, whose diagrams have no bars. droplevels() drops ",
    "such levels."
  )
  list(group = as.integer(column), count = nlevels(column), names = levels(column))
}

# Bars of several diagrams must not be read as one diagram: raises an error if a remaining column seems to
# tell diagrams apart. `group`: which rows are known to be different diagrams.
check_left_over <- function(x, columns, bars, label, group) {
  first <- colnames(x)[columns[1]]
  by_position <- !is.null(first) && length(columns) == 3 && is_id_name(first)
  left <- c(if (by_position) columns[1], setdiff(seq_len(ncol(x)), columns))
  length <- bars[, ncol(bars)] - bars[, ncol(bars) - 1]
  for (k in left) {
    column <- if (is.data.frame(x)) x[[k]] else x[, k]
    name <- colnames(x)[k]
    if (!varies(column, group)) next
    numbers <- is.numeric(column) && (!are_codes(column) || isTRUE(all(column == length)))
    if (!is_id_name(name) && numbers) next
    abort_argument(
      "id", "does not include the column `", name, "` of ", label, ", which seems to tell several ",
      "diagrams apart. Add it to `id` if `x` is one table, split the table by it, or remove it if all ",
      "rows are one diagram."
    )
  }
}

is_id_name <- function(name) {
  grepl("(^|[._ -])id$|[a-z]I[dD]$", name) || lower_case(name) %in% c(
    "id", "name", "sample", "cloud", "diagram", "group", "subject", "patient", "case", "run",
    "replicate", "file"
  )
}

# ---- Errors of bars ----

# Raises the error for a bar that C found: a list of function, position and problem. `rows` are those of
# each diagram in a table of several.
abort_bar <- function(problem, diagrams, rows) {
  i <- problem$`function`
  diagram <- diagrams[[i]]
  label <- diagram_label(i, diagrams)
  bar <- if (problem$problem != "overflow") diagram[problem$position, ]
  entries <- vapply(as.double(bar), exact_text, "")
  birth <- entries[length(bar) - 1]
  death <- entries[length(bar)]
  row <- problem$position
  if (!is.null(rows) && problem$problem != "overflow") row <- rows[[i]][row]
  if (problem$problem == "other_dimension") {
    abort_argument("dimension", "must be given: there are bars of the dimensions ",
                   first_ten(dimensions_of(diagrams)), ".")
  }
  at <- sprintf("in row %.0f", row)
  what <- switch(problem$problem,
    missing = paste0("has a missing value ", at),
    birth_infinite = paste0("has an infinite birth (", birth, ") ", at),
    reversed = paste0("has the death ", death, " before the birth ", birth, " ", at,
                      ". Negate the births and deaths of superlevel filtrations. ", order_of_columns,
                      ", and a bar that never dies has the death Inf, not -1"),
    dimension = paste0("has the dimension ", entries[1], " ", at, ", which is not a non-negative whole number. ",
                       order_of_columns),
    overflow = "has bars whose total length overflows",
    endless = paste0("has a bar that never dies ", at, ", which has no tent. Use `infinite = \"drop\"` to leave ",
                     "such bars out, or a number as their death")
  )
  abort_argument("x", "is invalid: ", label, " ", what, ".", index = i, position = row)
}

order_of_columns <- "Columns without names are birth and death, or dimension, birth and death"

dimensions_of <- function(diagrams) {
  sort(unique(unlist(lapply(diagrams, function(d) if (ncol(d) == 3) unique(d[, 1])))))
}
