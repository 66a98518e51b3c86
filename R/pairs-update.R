# Neighbours of collections that grew: the argument `update`.

# Neighbours that were found among the first functions of a call, or NULL: list(distance, id), with a row, or a
# vector, for each function. `door` is the name of the function, `class` that of its results.
check_update <- function(update, call, operation, door, class) {
  if (is.null(update)) return(NULL)
  of_class <- is.list(update) && inherits(update, class) && is.null(update$searched)
  if (!of_class || !has_neighbors(update)) {
    abort_argument("update", "must be a result of ", door, "() without `query`.")
  }
  if (!is.null(call$y)) abort_argument("update", "must not be given together with `query`.")
  n <- NROW(update$id)
  if (n > length(call$x)) {
    abort_argument("update", "is of ", number(n), " functions, but `x` has only ", number(length(call$x)), ".")
  }
  if (!identical(update$metric, operation$method) || !isTRUE(all.equal(update$p, operation$p))) {
    abort_argument("update", "must be of the same distance.")
  }
  list(distance = unname(update$dist), id = unname(update$id), door = door)
}

# Does a list have distances for all indices?
has_neighbors <- function(update) {
  id <- update$id
  if (is.matrix(id)) return(is.numeric(id) && is.numeric(update$dist) && identical(dim(id), dim(update$dist)))
  both <- list(id, update$dist)
  all(vapply(both, function(lists) is.list(lists) && all(vapply(lists, is.numeric, NA)), NA)) &&
    identical(lengths(id, FALSE), lengths(update$dist, FALSE))
}

# The k nearest: those of `update` that still are, and new ones.
update_nearest <- function(update, k, call, operation, settings) {
  if (ncol(update$id) < k) {
    abort_argument("update", "has ", number(ncol(update$id)), " neighbour", plural(ncol(update$id)),
                   " of each function, and `k` is ", number(k), ".")
  }
  n <- nrow(update$id)
  before <- lapply(update[c("distance", "id")], function(m) m[, seq_len(k), drop = FALSE])
  farthest <- before$distance[, k]
  farthest <- replace(farthest, is.na(farthest), Inf)
  selections <- function(new) {
    list(old = list(kind = "nearest", k = min(k, new), farthest = farthest), new = list(kind = "nearest", k = k + 1))
  }
  later <- select_later(update, update$distance[, 1], update$id[, 1], call, operation, settings, selections)
  if (is.null(later)) return(before)
  of_new <- without_itself(later$new, n + seq_len(nrow(later$new$id)), list(k = k))
  Map(rbind, nearer_of(before, later$old), of_new)
}

# All within the radius.
update_within <- function(update, eps, radius, call, operation, settings) {
  if (!identical(as.double(eps), as.double(radius))) {
    abort_argument("update", "must be of the same radius: it is of ", describe(eps), ", and `radius` is ",
                   number(radius, 7), ".")
  }
  n <- length(update$id)
  before <- update[c("distance", "id")]
  first <- function(lists) vapply(lists, function(one) as.double(one[1]), 0)
  within <- list(kind = "within", radius = radius)
  later <- select_later(update, first(before$distance), first(before$id), call, operation, settings,
                        function(new) list(old = within, new = within))
  if (is.null(later)) return(before)
  of_new <- without_itself(later$new, n + seq_along(later$new$id), list())
  grown <- which(lengths(later$old$id) > 0)
  grow <- function(before, later) Map(c, before[grown], later[grown])
  order <- lapply(grow(before$distance, later$old$distance), order) # ties stay: later functions have larger indices
  for (part in names(before)) {
    before[[part]][grown] <- Map(`[`, grow(before[[part]], later$old[[part]]), order)
  }
  Map(c, before, of_new)
}

# What is selected of the first functions of a call among the later ones (`old`), and of these among all (`new`), by
# the kernel that all pairs would take, so that no bit differs; NULL if there are no later ones. `distance` and `near`
# are the nearest neighbour of each of the first, or NA; selections(new) has the selections for so many later ones.
select_later <- function(update, distance, near, call, operation, settings, selections) {
  old <- seq_along(near)
  new <- length(old) + seq_len(length(call$x) - length(old))
  some <- function(rows) functions_at(call$x, rows)
  request <- request_for(call, operation, "none", "below")
  plan <- plan_pairs(call$x, NULL, request, settings, call$arguments)
  check_same_distances(update$door, distance, near, call, request, settings)
  if (length(new) == 0) return(NULL)
  settings <- with_engine(settings, as.list(engine_fields(plan)), "update")
  select <- function(x, y, selection) {
    call[c("x", "y")] <- list(x, y)
    select_pairs(call, operation, settings, selection)
  }
  selections <- selections(length(new))
  of_new <- select(some(new), call$x, selections$new)
  among_new <- select(some(old), some(new), selections$old)
  shift <- function(id) if (is.list(id)) lapply(id, `+`, length(old)) else id + length(old)
  list(old = list(distance = among_new$distance, id = shift(among_new$id)), new = of_new)
}

# The nearer ones of two lists of each function, where all indices of the second are larger.
nearer_of <- function(first, second) {
  k <- ncol(first$id)
  distance <- cbind(first$distance, second$distance)
  order <- order(row(distance), distance, col(distance))
  nearer <- matrix(order, nrow(distance), byrow = TRUE)[, seq_len(k), drop = FALSE]
  kept <- function(m) array(m[c(nearer)], dim(nearer))
  list(distance = kept(distance), id = kept(cbind(first$id, second$id)))
}

# An error unless each function is as far from its nearest neighbour as it was.
check_same_distances <- function(door, before, near, call, request, settings) {
  known <- which(!is.na(near))
  some <- function(rows) functions_at(call$x, rows)
  is_of_first <- paste0("must be a result of ", door, "() for the first functions of `x`")
  if (!all(near[known] %in% seq_along(near))) abort_argument("update", is_of_first, ".")
  distance <- paired_distances(some(known), some(near[known]), request, settings)
  before <- before[known]
  tolerance <- if (settings$precision == "single") 1e-4 else 1e-9
  same <- !is.na(distance) & (distance == before | abs(distance - before) <= tolerance * abs(distance))
  i <- which(!same)[1]
  if (is.na(i)) return(invisible())
  abort_argument("update", is_of_first, ", with the same ",
                 "arguments, but ", function_label(known[i], call$x), " is at distance ", number(distance[i], 7),
                 " from ", function_label(near[known[i]], call$x), ", not ", number(before[i], 7), ".",
                 index = as.double(known[i]))
}
