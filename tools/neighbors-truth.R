# Neighbours and trees of random collections beside order() of all distances, to the last bit: with ties, gaps,
# weights, components, lines, far origins and duplicates; with bounds and without; in a file that a call whose disk
# was full has left, and of collections that grew. In a build for tests. The last line is "N passed, N failed".
#
# usage: Rscript tools/neighbors-truth.R [CASES] [FIRST], by default the 2,000 from 1 on; case k is made from seed k

suppressPackageStartupMessages(library(pcfdist))
source("tests/testthat/helper-neighbors.R")
given <- as.integer(commandArgs(trailingOnly = TRUE))
cases <- if (length(given) > 0) given[1] else 2000
first <- if (length(given) > 1) given[2] else 1
pick <- function(...) sample(list(...), 1)[[1]]

# ---- Collections ----

some_times <- function(whole) {
  m <- sample(2:9, 1)
  if (whole) sort(sample(0:12, m)) else sort(runif(m, 0, 12))
}

some_values <- function(m, whole) c(if (whole) sample(0:3, m - 1, TRUE) else round(rnorm(m - 1), 3), 0)

random_collection <- function(n, kind) {
  whole <- kind == "ties"
  times <- lapply(seq_len(n), function(i) some_times(whole))
  if (kind == "grid") times <- rep(list(0:8), n)
  values <- lapply(lengths(times), some_values, whole)
  if (kind == "groups") values <- Map(function(v, i) c(v[-length(v)] / 50 + 9 * (i %% 4), 0), values, seq_len(n))
  if (kind == "gaps") values <- lapply(values, function(v) replace(v, runif(length(v)) < 0.3, NA))
  if (kind == "origin") times <- lapply(times, `+`, 2^30)
  if (kind == "lines") return(plf(times, values))
  x <- pcf(times, values)
  if (kind == "components") dim(x) <- c(n / 2, 2)
  x
}

random_case <- function(seed) {
  set.seed(seed)
  kind <- pick("ties", "grid", "groups", "gaps", "origin", "lines", "components", "weights", "ragged")
  n <- 2 * sample(3:60, 1)
  x <- random_collection(n, kind)
  origin <- if (kind == "origin") 2^30 else 0
  if (kind != "components" && runif(1) < 0.3) x <- x[sample(n, n, TRUE)]
  arguments <- list(p = pick(1, 2, if (kind == "lines") 1 else 3, Inf), from = origin + pick(-Inf, 0, 2),
                    to = origin + pick(9, 12), precision = pick("double", "single"))
  if (kind == "gaps") arguments[c("missing", "from")] <- list(pick("overlap", "mean"), 0)
  if (kind == "gaps" && arguments$p == Inf) arguments$missing <- "overlap"
  if (kind == "weights") arguments$weight <- pcf(c(0, 3, 8, 13), c(1, 0.3, 2, 0))
  if (kind == "components") arguments$margin <- 1
  list(
    kind = kind, x = x, count = if (kind == "components") n / 2 else n, arguments = arguments,
    settings = list(
      pcfdist.kernel = pick("sweep", if (kind == "grid") "grid" else "sweep", "walk"),
      pcfdist.prune = pick("on", "off"), pcfdist.tile = pick(0L, 32L), pcfdist.block = pick(0, 32, 64),
      pcfdist.threads = pick(1, 2), pcfdist.device = "cpu"
    )
  )
}

functions_of <- function(case, which) if (case$kind == "components") case$x[which, ] else case$x[which]

# ---- Comparing ----

same <- function(found, expected) {
  identical(unname(lapply(found[c("id", "dist")], unname)), unname(expected[c("id", "dist")]))
}

# As of a call that did not come far; then the same call.
with_file <- function(call) {
  file <- tempfile()
  on.exit(unlink(paste0(file, c("", ".part")), expand = FALSE))
  step <- sample(30, 1)
  provoke <- function(step) .Call(getFromNamespace("ffi_provoke_file", "pcfdist"), step, "full")
  old <- options(pcfdist.save_every = 0)
  provoke(step)
  tryCatch(call(file = file), pcfdist_error_file = function(e) NULL)
  provoke(0)
  options(old)
  old <- options(pcfdist.block = sample(c(0, 32, 128), 1), pcfdist.threads = sample(2, 1))
  on.exit(options(old), add = TRUE)
  found <- suppressMessages(call(file = file))
  if (!identical(found, suppressMessages(call(file = file)))) stop("a finished file is read wrongly")
  found
}

# The edges of the tree by Kruskal's algorithm; NULL where there is none.
tree_of <- function(d) {
  n <- nrow(d)
  pairs <- which(lower.tri(d) & is.finite(d), arr.ind = TRUE)
  pairs <- pairs[order(d[pairs], pairs[, 2], pairs[, 1]), , drop = FALSE]
  part <- seq_len(n)
  kept <- apply(pairs, 1, function(pair) {
    ends <- part[pair]
    if (ends[1] == ends[2]) return(FALSE)
    part[part == ends[1]] <<- ends[2]
    TRUE
  })
  pairs <- pairs[as.logical(kept), , drop = FALSE]
  if (nrow(pairs) == n - 1) cbind(pairs[, 2], pairs[, 1], d[pairs])
}

problems_of <- function(seed) {
  case <- random_case(seed)
  old <- options(case$settings)
  on.exit(options(old))
  call <- function(f, ...) suppressWarnings(do.call(f, c(list(...), case$arguments)))
  n <- case$count
  d <- as.matrix(call(pdist, case$x))
  dimnames(d) <- NULL
  diag(d) <- NA
  k <- min(sample(5, 1), min(rowSums(!is.na(d))))
  radius <- unname(sample(d[is.finite(d)], 1))
  problems <- character()
  check <- function(what, right) if (!isTRUE(right)) problems <<- c(problems, what)
  # The walk cuts pairs of few functions into other parts, single precision rounds to other units, and components are
  # shifted by other times.
  updates <- case$settings$pcfdist.kernel != "walk" && case$arguments$precision == "double" && case$kind != "components"
  part <- functions_of(case, seq_len(sample(2:(n - 1), 1)))
  if (k > 0) {
    nearest <- function(...) call(nearest_neighbors, case$x, k, ...)
    due <- nearest_oracle(d, k)
    check("nearest", same(nearest(), due))
    check("nearest, file", same(with_file(nearest), due))
    before <- tryCatch(call(nearest_neighbors, part, k), pcfdist_error = function(e) NULL)
    if (updates && !is.null(before)) check("nearest, update", same(nearest(update = before), due))
  }
  if (length(radius) == 1 && !is.na(radius)) {
    within <- function(...) call(neighbors_within, case$x, radius, ...)
    due <- within_oracle(d, radius)
    check("within", same(within(), due))
    check("within, file", same(with_file(within), due))
    if (updates) check("within, update", same(within(update = call(neighbors_within, part, radius)), due))
    check("count", identical(as.vector(within(count = TRUE)), as.double(lengths(due$id))))
  }
  due <- tree_of(d)
  if (!is.null(due)) {
    edges <- function(tree) unname(tree$edges[, ])
    tree <- function(...) edges(call(spanning_tree, case$x, ...))
    check("tree", identical(tree(), due))
    check("tree, file", identical(with_file(tree), due))
  }
  if (length(problems) > 0) paste0("case ", seed, " (", case$kind, "): ", toString(problems))
}

failed <- 0
for (seed in seq(first, length.out = cases)) {
  problem <- tryCatch(problems_of(seed), error = function(e) paste0("case ", seed, ": ", conditionMessage(e)))
  if (is.null(problem)) next
  failed <- failed + 1
  cat(problem, "\n")
}
cat(cases - failed, "passed,", failed, "failed\n")
