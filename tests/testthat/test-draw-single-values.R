# NumPy's scalars, as reticulate passes them, are arrays of one dimension and one element. Every argument that is one
# number, flag or string takes them.

# Calls in which every argument of the exported functions that is a single value is given once at least.
calls_with_single_values <- function() {
  list(
    quote(pdist(x, p = 2, from = 0, to = 3, missing = "error", distance = "lp", device = "cpu", precision = "double",
                threads = 1L, progress = FALSE)),
    quote(pdist(a, p = 1.5, margin = 1)), quote(cdist(a, a, p = Inf, margin = "rows")), quote(pdist(x, file = new)),
    quote(pdist(x, file = new, storage = "single", check = FALSE)),
    quote(cdist(x, x[1:2], p = 3, from = 1, to = 2, missing = "mean", threads = 2L)),
    quote(pdist(z, 3, distance = "wasserstein")),
    quote(lp_distance(x, x[1], p = 2.5, from = 0.5, to = 2, missing = "overlap")),
    quote(lp_norm(x, p = 1.5, from = 0, to = 2)),
    quote(l2_kernel(x, from = 0, to = 1, precision = "single", file = new)),
    quote(integral(x, from = 0.5, to = 2, missing = "mean", threads = 1L)),
    quote(nearest_neighbors(x, k = 2, p = 2, from = 0, to = 4)),
    quote(neighbors_within(x, radius = 2.5, p = 2, from = 0, to = 4, count = TRUE)),
    quote(spanning_tree(x, k = 1, p = 2, from = 0, to = 4)),
    quote(distance_product(x, 1:4, p = 2, power = 1.5, from = 0, to = 3)), quote(distance_product(x, 1:4, p = 3)),
    quote(kernel_product(x, 1:4, kernel = "gaussian", scale = 1.5, from = 0, to = 3)),
    quote(kernel_operator(x, kernel = "laplacian", scale = 2, from = 0, to = 3)(1:4)),
    quote(reduce_distances(x, with = "count", radius = 2, p = 2, from = 0, to = 3)),
    quote(reduce_distances(x, with = "logsumexp", scale = 2, power = 1, p = 2, from = 0, to = 3)),
    quote(pcf_plan(x, p = 2, from = 0, to = 2, distance = "lp")$rectangles),
    quote(permutation_test(x, c(1, 1, 2, 2), statistic = "energy", n = 19, p = 2, from = 0, to = 3)$statistic),
    quote(permutation_test(x, c(1, 1, 2, 2), "mean_difference", n = 19, p = 1.5, from = 0, to = 3)$statistic),
    quote(confidence_bands(x, type = "simultaneous", level = 0.9, n = 19, na.rm = TRUE)),
    quote(wasserstein(z, p = 2, from = 0.1, to = 0.9)), quote(energy_distance(z, from = 0, to = 2)),
    quote(evaluate(x, times = 1, drop = FALSE, side = "left")), quote(evaluate(x, 1, drop = TRUE)),
    quote(restrict(x, from = 0.5, to = 2)), quote(shift_time(x, by = 0.5)), quote(scale_time(x, by = 2)),
    quote(max_time(x)), quote(overlap(x, from = 0, to = 2)),
    quote(observed(x)), quote(cumulative(x)), quote(fill_missing(x, value = 1)), quote(fill_missing(x, value = "hold")),
    quote(max_value(x, from = 0, to = 2)), quote(time_of_min(x, from = 0, to = 2)),
    quote(cumulative(x, from = 0, to = 3, times = 2)), quote(derivative(as_plf(x), jumps = "ignore")),
    quote(spells(x > 1, gaps = 0.5)), quote(integral(as_plf(x), from = 0, to = 3, falling = "log")),
    quote(inverse(z, decreasing = FALSE)),
    quote(crossing_time(z, levels = 0.5, decreasing = FALSE, tolerance = 1e-9, flat = "middle")),
    quote(rectangles(x[1], x[2], from = 0, to = 3)), quote(quantile(x, probs = 0.25, na.rm = TRUE)),
    quote(quantile(x, 0.5, times = 1)), quote(diff(x, lag = 1, differences = 2)), quote(as.matrix(x, times = 2)),
    quote(pmax(x, 1, na.rm = FALSE)), quote(pmin(x, 1, na.rm = TRUE)),
    quote(sum(x, na.rm = TRUE)), quote(mean(x, na.rm = TRUE)), quote(max(a, margin = 1)),
    quote(mean(x, weights = 1:4, na.rm = FALSE)), quote(aggregate(x, c(1, 1, 2, 2), sum, na.rm = TRUE)),
    quote(linear_combinations(diag(4), x, na.rm = FALSE)), quote(round(x, digits = 1)), quote(signif(x, digits = 2)),
    quote(log(x + 2, base = 3)), quote(x + 2), quote(2 * x), quote(x^2), quote(x %% 2), quote(x > 1), quote(trunc(x)),
    quote(rep(x, times = 2)), quote(head(x, n = 2)), quote(window(x, start = 0, end = 2)),
    quote(capture.output(print(x, n = 2))),
    quote(stable_rank(d, dimension = 0, infinite = "drop")), quote(betti_curve(d, dimension = 0, infinite = 5)),
    quote(euler_curve(d, infinite = "keep")),
    quote(accumulated_persistence(d, dimension = 0, infinite = 5, max_death = 3)),
    quote(landscape(d, levels = 2, dimension = 0, infinite = 5)),
    quote(silhouette_curve(d, power = 2, dimension = 0, infinite = 5)),
    quote(plot_barcode(d, dimension = 0, infinite = 5, col = "red", lwd = 2, legend = "topright", xlab = "t",
                       ylab = "b", log = "")),
    quote(plot(x, log = "x", xlab = "t", ylab = "v", thin = TRUE, verticals = "none", lwd = 2, legend = FALSE)),
    quote(plot_bands(x, center = "median", alpha = 0.3, xlab = "t", ylab = "v", log = "", na.rm = TRUE,
                     legend = "top")),
    quote(as_pcf(m, times = 1:4, na.rm = TRUE, before = 0)),
    quote(as_pcf(ts(1:5), before = 0, after = "hold", na.rm = TRUE)),
    quote(as_pcf(long, id = "id", time = "t", value = "v", sort = TRUE, na.rm = TRUE, before = 0)),
    quote(as_pcf(spells, id = "id", value = "v", start = "s", end = "e", outside = 0)),
    quote(as_pcf(long, id = "id", time = "t", value = "v", until = 9)), quote(as_plf(cbind(1:4, 4:1), gaps = 2)),
    quote(as_pcf(stepfun(1:2, c(1, 2, 0)), from = 0)),
    quote(counting(list(1:3, 2), from = 0, to = 4)), quote(interspike(list(1:3, 2), from = 0, to = 4)),
    quote(rpcf(n = 3, breakpoints = 4, kind = "sine", sd = 0.5)), quote(rcounting(n = 3, rate = 2, to = 3)),
    quote(rpoisson_points(n = 3, rate = 2, from = 0, to = 3)),
    quote(subsample(cbind(1:9), size = 2, n = 3, replace = TRUE)),
    quote(subsample_near(cbind(1:9), size = 2, n = 3, near = 1:2, replace = FALSE)),
    quote(segment_reduce(1:4, c(0, 2, 4), op = "max")), quote(reduce_by_key(c(1, 1, 2), 1:3, op = "min")),
    quote(as_knn_graph(near, edges = "union", as = "Matrix")),
    quote(as_uwot(near)), quote(tapply(x, c(1, 1, 2, 2), mean, simplify = FALSE)), quote(pcf(times = 0, values = 1)),
    quote(plf(times = 0, values = 1, left = 1)), quote(distribution(2, weights = 1)), quote(read_npy(path = npy)),
    quote(write_npy(x, path = new)), quote(`value_name<-`(x, value = "count")), quote(`time_unit<-`(x, value = "days")),
    quote(x[2]), quote(x[[2]]), quote(a[2, 1]), quote(a[, 1, drop = FALSE]),
    quote(`length<-`(x, value = 2)), quote(weighted.mean(x, 1:4, na.rm = TRUE)),
    quote(homological_kernel(stats::dist(1:3), stats::dist(3:1)))
  )
}

objects_for_single_values <- function() {
  x <- pcf(list(c(0, 1, 4), c(0, 2, 3), c(0, 0.5, 3), c(0, 2.5, 4)),
           list(c(1, 2, 0), c(3, 1, 0), c(2, 1, 0), c(1, 1.5, 0)))
  npy <- paste0(new_file(), ".npy")
  write_npy(x, npy)
  list(
    x = x, a = array_of(x), z = distribution(list(c(0, 1, 2), c(1, 1.5), 0:3)), npy = npy,
    d = list(cbind(dimension = 0, birth = c(0, 1), death = c(2, Inf))), m = rbind(1:4, c(2, NA, 3, 1)),
    long = data.frame(id = c("a", "a", "b"), t = c(1, 2, 1), v = 1:3),
    spells = data.frame(id = c("a", "a"), s = c(1, 3), e = c(2, 4), v = 1:2), near = nearest_neighbors(x, 2)
  )
}

array_of <- function(x) {
  dim(x) <- c(2, 2)
  dimnames(x) <- list(rows = NULL, columns = NULL)
  x
}

# The places of the arguments of a call that are one number, flag or string.
single_places <- function(call) {
  which(vapply(as.list(call), function(part) is.atomic(part) && length(part) == 1, NA))
}

# The value, or the error.
outcome_of <- function(call, objects) {
  objects$new <- new_file()
  set.seed(1)
  tryCatch(
    suppressWarnings(without_call(eval(call, objects, globalenv()))),
    error = function(e) c(class(e), conditionMessage(e))
  )
}

without_call <- function(value) {
  attr(value, "call") <- NULL
  attr(value, "file") <- NULL
  if (inherits(value, "hclust")) value$call <- NULL
  if (inherits(value, "dist")) as.vector(value) else value
}

test_that("arrays of one element stand for single values", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  objects <- objects_for_single_values()
  for (call in calls_with_single_values()) {
    wanted <- outcome_of(call, objects)
    expect_false(is.character(wanted) && "error" %in% wanted, info = deparse1(call))
    for (place in single_places(call)) {
      given <- call
      given[[place]] <- array(call[[place]], 1)
      expect_identical(outcome_of(given, objects), wanted, info = paste(names(call)[place], "of", deparse1(call)))
    }
  }
})

test_that("longer arrays are no single values", {
  x <- pcf(0:1, list(1:0, 2:1))
  two <- array(c(1, 2), 2)
  refused(lp_norm(x, two), "p", "must be a number of at least 1, or Inf, not a double vector of length 2.")
  refused(neighbors_within(x, two), "radius", "must be a number, not a double vector of length 2.")
  refused(nearest_neighbors(x, two), "k", "must be a whole number of at least 1, not a double vector of length 2.")
  three <- array(c(1, 2, 3), 3)
  refused(pdist(x, from = two), "from", "must be a number, not a double vector of length 2.")
  expect_error(integral(x, from = three), class = "pcfdist_error_from")
  refused(mean(x, na.rm = array(c(TRUE, FALSE), 2)), "na.rm",
          "must be TRUE or FALSE, not a logical vector of length 2.")
  refused(pdist(x, distance = array("a", 1)), "distance", "must be one of ", quoted(names(distances)), ', not "a".')
})
