# What users can call with collections, and what is shared by the scripts that give it damaged ones. An outcome is
# "value", "ours" for an error of this package, "other" for another, or "nonsense" for a value that is not the
# expected one.

grDevices::pdf(NULL)

# An object whose attribute `name` is `value`, whatever R thinks of it.
forced <- function(object, name, value) {
  stand_in <- paste(rep("q", nchar(name)), collapse = "")
  attr(object, stand_in) <- value
  bytes <- serialize(object, NULL)
  at <- grepRaw(stand_in, bytes, fixed = TRUE)
  bytes[at + seq_len(nchar(name)) - 1] <- charToRaw(name)
  unserialize(bytes)
}

with_class <- function(x, class = c("pcf", "list")) {
  class(x) <- class
  x
}

shown <- function(x) utils::capture.output(print(x))

# Whatever is done with a collection alone.
with_collections <- list(
  print = shown, format = format, str = function(x) utils::capture.output(str(x)),
  summary = summary, as.character = as.character, toString = toString,
  subset = function(x) x[2], element = function(x) x[[2]], by_name = function(x) x$a,
  drop = function(x) x[-1], rep = function(x) rep(x, 2),
  replace = function(x) replace(x, 2, pcf(0, 1)), as_pcf = as_pcf,
  replace_element = function(x) {
    x[[2]] <- pcf(0, 1)
    x
  },
  as.list = as.list, is.na = is.na
)

# What looks at every function.
with_functions <- list(
  format = format, summary = summary, as.character = as.character, toString = toString,
  print = shown, unique = unique, duplicated = duplicated, anyDuplicated = anyDuplicated,
  equal = function(x) x == x, unequal = function(x) pcf(0, 1) != x,
  as.data.frame = as.data.frame, as.matrix = function(x) as.matrix(x, 0:3),
  stepfuns = function(x) lapply(as.list(x), as.stepfun),
  plot = plot, plot_bands = plot_bands, quantile = quantile, median = median,
  lines = function(x) {
    plot(pcf(0, 0))
    lines(x)
  },
  mean = mean, sum = sum, max = max, range = range,
  weighted = function(x) mean(x, weights = 1:2),
  combinations = function(x) linear_combinations(diag(2), as_pcf(x)[1:2]),
  aggregate = function(x) aggregate(x, 1:2), plus = function(x) x + x, minus = function(x) -x,
  number = function(x) 1 - x, numbers = function(x) x * c(1, 2), power = function(x) x^2,
  modulo = function(x) x %% 3, not = function(x) !x, and = function(x) x & pcf(0, 1),
  exp = exp, round = function(x) round(x, 1), drop_redundant = drop_redundant, integral = integral,
  restrict = function(x) restrict(x, 1, 2), shift_time = function(x) shift_time(x, 1:2),
  scale_time = function(x) scale_time(x, 2), rectangles = function(x) rectangles(as_pcf(x)[1], as_pcf(x)[2]),
  evaluate = function(x) evaluate(x, 0:3), lp_norm = lp_norm, inverse = inverse,
  crossing_time = function(x) crossing_time(x, 0:3),
  permutation_test = function(x) {
    permutation_test(as_pcf(x)[c(1, 2, 1)], c(1, 1, 2), "mean_difference", 9, to = 3)$statistic
  },
  power_norm = function(x) lp_norm(x, 2.3),
  pdist = function(x) as.vector(pdist(x)), cdist_first = function(x) cdist(x, pcf(0, 1)),
  cdist_second = function(x) cdist(pcf(0, 1), x),
  distance_first = function(x) lp_distance(x, pcf(0, 1)),
  distance_second = function(x) lp_distance(pcf(0, 1), x), l2_kernel = l2_kernel,
  kernel_second = function(x) l2_kernel(pcf(0, 1), x), plan = pcf_plan,
  nearest = function(x) nearest_neighbors(x, 1),
  nearest_query = function(x) nearest_neighbors(pcf(0, 1), 1, x),
  nearest_mean = function(x) nearest_neighbors(x, 1, from = 0, to = 3, missing = "mean"),
  within = function(x) neighbors_within(x, 2), reduce = reduce_distances,
  log_sums = function(x) reduce_distances(x, pcf(0, 1), "logsumexp", scale = 1),
  product = function(x) distance_product(pcf(0, 1), c(1, 1), x),
  kernel_product = function(x) kernel_product(x, 1, pcf(0, 1), "gaussian", 1),
  tree = function(x) spanning_tree(x, to = 3), overlap = overlap, observed = observed,
  fill = function(x) fill_missing(x, 0),
  max_value = max_value, time_of_min = time_of_min, spells = function(x) spells(as_pcf(x)),
  derivative = function(x) derivative(as_plf(x), "ignore"), up_to = function(x) cumulative(x, 0, times = 1:2),
  falling = function(x) integral(as_plf(x), to = 3, falling = "log"),
  max_time = max_time, cumulative = function(x) cumulative(x, to = 3), diff = diff, bands = confidence_bands,
  pmax = function(x) pmax(x, 0), pmin = function(x) pmin(1, x), as_plf = as_plf, start = start, end = end,
  window = function(x) window(x, 0, 1),
  write_npy = function(x) is.null(write_npy(x, tempfile()))
)

# What may give a value, or an error of R's.
with_anything <- list(
  c = function(x) c(x, x), matrix_subset = function(x) x[1, 1], rev = rev,
  index_matrix = function(x) x[cbind(1, 1)],
  replace_cell = function(x) {
    x[2, 2] <- pcf(0, 1)
    x
  },
  replace_name = function(x) {
    x$a <- pcf(0, 1)
    x
  },
  lapply = function(x) lapply(x, format), pcf = function(x) pcf(x, x),
  in_list = function(x) as_pcf(list(x)), times = function(x) pcf(x, 1:3),
  stepfun = as.stepfun, margin = function(x) sum(x, margin = 1),
  aggregate_each = function(x) aggregate(x, 1:2, function(f) f[1]), cumsum = cumsum,
  segments = function(x) segment_reduce(x, 0:1), expand = function(x) interval_expand(x, 1:2),
  subsample = function(x) subsample(x, 1, n = 2), column = function(x) data.frame(f = I(x)),
  var = var, cor = cor, wasserstein = wasserstein, data_frame = data.frame, is_pcf = is_pcf
)
if (requireNamespace("tibble", quietly = TRUE)) {
  with_anything$tibble <- function(x) shown(tibble::tibble(f = x))
  with_functions$as_tibble <- function(x) tibble::as_tibble(x)
}
if (requireNamespace("ggplot2", quietly = TRUE)) {
  with_functions$autoplot <- function(x) ggplot2::autoplot(x)
  with_functions$fortify <- function(x) ggplot2::fortify(x)
}

# ---- Calling it ----

outcome <- function(call, x, expected = NULL) {
  tryCatch(
    {
      value <- suppressWarnings(call(x))
      if (is.null(expected) || identical(value, expected)) "value" else "nonsense"
    },
    pcfdist_error = function(e) "ours",
    error = function(e) "other"
  )
}

try_each <- function(kind, objects, calls, expected = list()) {
  for (object in names(objects)) {
    for (name in names(calls)) {
      cat(kind, object, name, "") # stays the last line where R crashes
      utils::flush.console()
      cat(outcome(calls[[name]], objects[[object]], expected[[name]]), "\n", sep = "")
    }
  }
}
