# Other units of values and times change nothing but the scale of results, from 1e-300 to 1e300, even where squares
# and products on the way would overflow or vanish. Units are powers of two, so that numbers keep all digits; results
# may differ in their last ones, by the methods that are used. Results below 1e-300 are exempt, since the smallest
# doubles have fewer digits.

units <- rbind(
  c(996, 0), c(-996, 0), c(0, 996), c(0, -996), c(480, -60), c(-480, 60)
)

x <- random_pcf(6)
y <- random_pcf(6, seed = 2)
gap <- pcf(c(-Inf, 3, 4), c(0, NA, 0))
z <- random_pcf(6, seed = 3) + gap
lines <- random_plf(6)
other_lines <- random_plf(6, seed = 2)
partial_lines <- random_plf(6, seed = 3) + gap

in_units <- function(x, v, t) {
  scaled <- lapply(unclass(x), function(f) f * rep(c(t, rep(v, ncol(f) - 1)), each = nrow(f)))
  structure(scaled, class = class(x), names = names(x))
}

# The result of `code` has these degrees in the units of values and times: of its numbers or, for functions, of values
# and, in `times`, of times. `via` are those of numbers on the way, which must not overflow either. It is computed from
# the collections x and y, also with gaps, from z; v and t are the units.
result <- function(value, time, code, times = NULL, via = c(value, time)) {
  list(degree = c(value, time), times = times, via = via, code = substitute(code), frame = parent.frame())
}

functions <- function(value, time, code, times = c(0, 1)) {
  eval.parent(substitute(result(value, time, code, times)))
}

numbers_of <- function(row, x, y, z, unit) {
  scales <- list(v = 2^unit[1], t = 2^unit[2])
  data <- lapply(list(x = x, y = y, z = z), in_units, scales$v, scales$t)
  found <- with_seed(1, eval(row$code, c(data, scales), row$frame))
  if (is.null(row$times)) return(as.double(found))
  as.vector(evaluate(found, seq(-1, 11, length.out = 50) * 2^sum(row$times * unit)))
}

expect_scaled <- function(row, x, y, z, label) {
  expected <- numbers_of(row, x, y, z, c(0, 0))
  expect_true(any(is.finite(expected)), label = label)
  for (k in seq_len(nrow(units))) {
    unit <- units[k, ]
    degrees <- rbind(row$degree, row$via, if (!is.null(row$times)) row$times, if (is_plf(x)) c(1, -1))
    if (any(abs(degrees %*% unit) > 1000)) next
    found <- numbers_of(row, x, y, z, unit)
    expect_near(found * 2^-round(sum(row$degree * unit)), expected, 1e-13, max(abs(expected), na.rm = TRUE),
                label = paste0(label, " in units of 2^", unit[1], ", 2^", unit[2]))
  }
}

pairwise <- function(p) {
  root <- if (p == Inf) 0 else 1 / p
  near <- c(1, root) # the degrees of distances
  labels <- rep(1:2, 3)
  rows <- list(
    lp_norm = result(1, root, lp_norm(x, p, t, 9 * t)),
    lp_norm_mean = result(1, 0, lp_norm(z, p, t, 9 * t, missing = "mean")),
    pdist = result(1, root, pdist(x, p, t, 9 * t)),
    pdist_single = result(1, root, signif(pdist(x, p, t, 9 * t, precision = "single") / v / t^root, 4) * v * t^root),
    pdist_margin = result(1, root, pdist(array(x, c(3, 2)), p, t, 9 * t, margin = 1)),
    cdist = result(1, root, cdist(x, y, p, t, 9 * t, weight = pcf(c(0, 5) * t, c(1, 2)))),
    cdist_mean = result(1, 0, cdist(x, z, p, t, 9 * t, missing = "mean")),
    lp_distance = result(1, root, lp_distance(x, y, p, t, 9 * t))
  )
  if (p == Inf) return(rows)
  c(rows, list(
    nearest = result(1, root, nearest_neighbors(x, 2, y, p, t, 9 * t)$dist),
    nearest_index = result(0, 0, nearest_neighbors(x, 2, y, p, t, 9 * t)$id, via = near),
    within = result(0, 0, neighbors_within(x, 4 * v * t^root, y, p, t, 9 * t, count = TRUE), via = near),
    tree = result(1, root, spanning_tree(x, NULL, p, t, 9 * t)$height),
    medoids = result(1, root, k_medoids(x, 1, p, t, 9 * t)$clusinfo[, 2:3]),
    least = result(1, root, reduce_distances(x, y, "min", p = p, from = t, to = 9 * t)),
    softest = result(0, 0, reduce_distances(x, y, "logsumexp", scale = v * t^root, power = 1, p = p, from = t,
                                            to = 9 * t), via = near),
    product = result(1, root, distance_product(x, 1:6, y, p, 1, t, 9 * t)),
    test = result(0, 0, permutation_test(x, labels, n = 99, p = p, from = t, to = 9 * t)$p.value, via = near),
    statistic = result(1, root, permutation_test(x, labels, n = 9, p = p, from = t, to = 9 * t)$statistic),
    ratio = result(0, 0, permutation_test(x, labels, "pseudo_f", 9, p = p, from = t, to = 9 * t)$statistic, via = near)
  ))
}

of_each <- list(
  kernel = result(2, 1, l2_kernel(x, y, t, 9 * t)),
  kernel_mean = result(2, 0, l2_kernel(z, NULL, t, 9 * t, missing = "mean")),
  kernel_product = result(2, 1, kernel_product(x, 1:6, y, from = t, to = 9 * t)),
  kernel_operator = result(2, 1, kernel_operator(x, from = t, to = 9 * t)(1:6, NULL)),
  gaussian = result(0, 0, kernel_product(x, 1:6, kernel = "gaussian", scale = v * sqrt(t), from = t, to = 9 * t),
                    via = c(1, 1 / 2)),
  k_means = result(2, 1, unlist(k_means(x, x[1:2], t, 9 * t)[c("withinss", "totss")])),
  k_means_mean = result(2, 0, k_means(z, z[1:3], t, 9 * t, "mean")$withinss),
  integral = result(1, 1, integral(x, t, 9 * t)),
  integral_mean = result(1, 0, integral(z, t, 9 * t, missing = "mean")),
  integral_own = result(1, 1, integral(z, 1:6 / 2 * t, 9 * t, "overlap")),
  bins = result(1, 1, integral(x, breaks = c(1, 2.5, 6, 9) * t)),
  bin_means = result(1, 0, integral(z, breaks = c(1, 2.5, 6, 9) * t, missing = "mean")),
  rolling_mean_at = result(1, 0, rolling_mean(z, 2.2 * t, times = (0:30) / 3 * t)),
  overlap = result(0, 1, overlap(z, y, t, 9 * t)),
  max_time = result(0, 1, max_time(x)),
  evaluate = result(1, 0, evaluate(z, (0:30) / 3 * t)),
  evaluate_each = result(1, 0, evaluate(z, (1:6) / 3 * t, each = TRUE)),
  evaluate_left = result(1, 0, evaluate(z, (0:30) / 3 * t, side = "left")),
  crossing_time = result(0, 1, crossing_time(z, c(-1, 0, 0.3, 2) * v, FALSE)),
  crossing_own = result(0, 1, crossing_time(z, (1:6) / 9 * v, FALSE, from = (1:6) / 2 * t, each = TRUE)),
  crossing_middle = result(0, 1, crossing_time(x, unclass(x)[[1]][, "value"], TRUE, flat = "middle")),
  max_value = result(1, 0, max_value(z, t, 9 * t, "overlap")),
  min_value = result(1, 0, min_value(x, 0.7 * t, 8.3 * t)),
  time_of_max = result(0, 1, time_of_max(z, t, 9 * t, "overlap")),
  time_of_min = result(0, 1, time_of_min(x)),
  spells = result(0, 1, unlist(spells(z > v / 2)[2:3])),
  cumulative_times = result(1, 1, cumulative(x, t, times = 1:9 * t)),
  sum = functions(1, 0, sum(x)),
  weighted = functions(1, 0, mean(z, weights = 1:6 * v, na.rm = TRUE)),
  range = functions(1, 0, range(z, na.rm = TRUE)),
  quantile = functions(1, 0, quantile(z, c(0.1, 0.5, 0.7), na.rm = TRUE)),
  groups = functions(1, 0, aggregate(x, rep(1:2, 3), max)),
  combinations = functions(1, 0, linear_combinations(matrix(cos(1:12), 2), x)),
  bands = functions(1, 0, confidence_bands(x, from = t, to = 9 * t)$upper),
  bands_simultaneous = functions(1, 0, confidence_bands(x, "simultaneous", n = 99, from = t, to = 9 * t)$lower),
  depth = result(0, 0, functional_depth(x, from = t, to = 9 * t, weight = pcf(c(0, 5) * t, c(1, 2)))),
  depth_gaps = result(0, 0, functional_depth(z, "integrated", t, 9 * t, missing = "mean")),
  boxplot = functions(1, 0, boxplot(x, from = t, to = 9 * t, plot = FALSE)$fences),
  outliers = result(0, 0, lof(x, 2, from = t, to = 9 * t), via = c(1, 1)),
  variance = result(2, 0, variance(z, na.rm = TRUE, times = (0:30) / 3 * t)),
  deviation = result(1, 0, standard_deviation(x, times = (0:30) / 3 * t), via = c(2, 0)),
  components = result(1, 1 / 2, prcomp(x, from = t, to = 9 * t)$sdev[1:3], via = rbind(c(2, 1), c(0, -3 / 2))),
  drop_redundant = functions(1, 0, drop_redundant(x + y - y)),
  restrict = functions(1, 0, restrict(x, 1.3 * t, 8.1 * t)),
  restrict_own = functions(1, 0, restrict(x, 1:6 / 2 * t, 8.1 * t)),
  since = functions(1, 0, shift_time(x, since = 1:6 / 3 * t)),
  fill_missing_for = functions(1, 0, fill_missing(z, "hold", at_most = 0.7 * t)),
  shift_time = functions(1, 0, shift_time(scale_time(x, 3), 0.3 * t)),
  observed = functions(0, 0, observed(z)),
  fill_missing = functions(1, 0, fill_missing(fill_missing(z, "hold"), v)),
  arithmetic = functions(1, 0, x - y * 2 + v / 3),
  quotient = functions(0, 0, x / pcf(c(-Inf, 5 * t), c(1, 3) * v)),
  comparison = functions(0, 0, c(x < y, x >= v)),
  absolute = functions(1, 0, abs(z)),
  parallel = functions(1, 0, c(pmax(x, y), pmin(x, v / 3, na.rm = TRUE))),
  converted = functions(1, 0, as_plf(x)),
  subsample = functions(1, 0, subsample(x, 2)[[1]])
)

# Of step functions, or of other data in units.
bars <- function(t) with_seed(1, lapply(1:3, function(i) cbind(0:1, runif(8), 1 + rexp(8)) * rep(c(1, t, t), each = 8)))
samples <- function(v, t = 1) distribution(list(cos(1:9) * v, sin(1:7) * v), list(1:9 * t, 7:1 * t))
trains <- function(t) counting(list(c(1, 2.5, 7) * t, 3 * t, c(2, 4, 4.5) * t), from = 0, to = 10 * t)
points <- function(v) cbind(cos(1:9), sin(3 * 1:9)) * v
visits <- function(v, t) data.frame(id = 1, time = (0:12) * 5 / 60 * t, value = cos(0:12) * v)

of_steps <- list(
  product = functions(2, 0, x * y),
  remainder = functions(1, 0, x %% (0.7 * v)),
  root = functions(1 / 2, 0, sqrt(abs(x))),
  cumulative = functions(1, 1, cumulative(z, t, 9 * t)),
  rolling_mean = functions(1, 0, rolling_mean(z, 2.2 * t)),
  derivative = functions(1, -1, derivative(plf(0:5 * t, c(0, 4, 1, 0, 3, 2) * v))),
  falling = result(1, 1, integral(plf(0:5 * t, c(1, 4, 1, 0, 3, 2) * v), 0.3 * t, 4.6 * t, falling = "log")),
  inverse = functions(0, 1, inverse(cumulative(abs(x) + v, to = 9 * t)), times = c(1, 1)),
  inverse_steps = functions(0, 1, inverse(pcf(0:7 * t, 1:8 * v)), times = c(1, 0)),
  rectangles = result(0, 1, unlist(rectangles(x[1], y[2], t, 9 * t)[1:2])),
  table = functions(1, 0, as_pcf(visits(v, t), "id", "time", "value")),
  held = functions(1, 0, as_pcf(visits(v, t), "id", "time", "value", gaps = 3 / 60 * t)),
  joined = functions(1, 0, as_plf(visits(v, t), "id", "time", "value", gaps = 5 / 60 * t)),
  matrix = functions(1, 0, c(pcf(0:3 * t, 4:1 * v), plf(0:3 * t, 4:1 * v))),
  betti_curve = functions(0, 0, betti_curve(bars(t), dimension = 1)),
  euler_curve = functions(0, 0, euler_curve(bars(t))),
  stable_rank = functions(0, 0, stable_rank(bars(t), dimension = 0)),
  accumulated_persistence = functions(0, 1, accumulated_persistence(bars(t), dimension = 0)),
  landscape = functions(0, 1, landscape(bars(t), dimension = 0)[, 1:2]),
  silhouette_curve = functions(0, 1, silhouette_curve(bars(t), power = 3, dimension = 0)),
  homological_kernel = result(1, 0, homological_kernel(points(v), points(v / 3))),
  spike = result(0, 0, c(pdist(trains(t), from = 2 * t, to = 9 * t, distance = spike(3 * t)))),
  spike_profile = functions(0, 0, spike_profile(trains(t)[1], trains(t), 3 * t)),
  counting = functions(0, 0, counting(list(a = c(1, 2.5, 7) * t, b = 3 * t), from = 0, to = 10 * t)),
  interspike = functions(0, 1, interspike(list(a = c(1, 2.5, 7) * t, b = 3 * t), from = 0, to = 10 * t)),
  rcounting = functions(0, 0, rcounting(3, 1 / t, 10 * t)),
  rpoisson_points = result(0, 1, unlist(rpoisson_points(3, 1 / t, 0, 10 * t))),
  distribution = functions(0, 0, samples(v, t), times = c(1, 0)),
  sliced = functions(0, 0, sliced(list(points(v), points(v / 3)), 2)[, 2], times = c(1, 0)),
  wasserstein = result(1, 0, wasserstein(samples(v, t))),
  wasserstein_2 = result(1, 0, wasserstein(samples(v), p = 2)),
  energy_distance = result(1 / 2, 0, energy_distance(samples(v))),
  subsample_near = result(1, 0, unlist(subsample_near(points(v), 2, weight = function(d) exp(-d / v)))),
  segment_reduce = result(1, 0, segment_reduce(cos(1:9) * v, c(0, 3, 9), "sum")),
  reduce_by_key = result(1, 0, reduce_by_key(rep(1:3, 3), cos(1:9) * v, "sum")$value)
)

test_that("units change nothing but the scale of numbers from pairs", {
  for (p in c(1, 1.5, 2, Inf)) {
    rows <- pairwise(p)
    for (name in names(rows)) expect_scaled(rows[[name]], x, y, z, paste(name, p))
    for (name in names(rows)) expect_scaled(rows[[name]], lines, other_lines, partial_lines, paste(name, p, "of lines"))
  }
})

test_that("units change nothing but the scale of what is computed from functions", {
  for (name in names(of_each)) {
    expect_scaled(of_each[[name]], x, y, z, name)
    expect_scaled(of_each[[name]], lines, other_lines, partial_lines, paste(name, "of lines"))
  }
  for (name in names(of_steps)) expect_scaled(of_steps[[name]], x, y, z, name)
})

test_that("units are tried for all exported functions that have any", {
  without <- c(
    "add_at_risk", "as_delayed_matrix", "as_diagram", "as_knn_graph", "as_uwot", "collect", "cuda_info",
    "interval_expand",
    "interval_move", "is_pcf", "is_plf", "last_run", "on_gpu", "open_distances", "pcf_plan", "plot_bands",
    "plot_barcode", "read_npy", "release", "restricted_mean", "rpcf", "time_unit", "time_unit<-", "value_name",
    "value_name<-", "write_npy"
  )
  tried <- unlist(lapply(c(pairwise(2), of_each, of_steps), function(row) all.names(row$code)))
  tried <- c(tried, all.names(body(samples)), all.names(body(trains)))
  expect_setequal(setdiff(getNamespaceExports("pcfdist"), tried), without)
})
