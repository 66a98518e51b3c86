test_that("distributions of samples are their ecdf, in any order and with any ties", {
  samples <- with_seed(2, list(a = rnorm(7), b = sample(5, 40, replace = TRUE) / 3, c = 2))
  expect_identical(distribution(samples), as_pcf(lapply(samples, ecdf)))
  expect_identical(distribution(samples$b), as_pcf(ecdf(samples$b)))
  id <- c("v", "u", "v", "v")
  expect_identical(distribution(1:4, id = id), distribution(list(v = c(1, 3, 4), u = 2)))
  expect_identical(distribution(1:4, id = factor(id)), distribution(1:4, id = id))
  expect_identical(distribution(list()), pcf(list(), list()))
  days <- as.Date("2024-01-01") + c(3, 0)
  expect_identical(distribution(days), pcf(sort(days), c(0.5, 1)))
  grid <- list(1, 2, 3:4, 5)
  dim(grid) <- c(2, 2)
  expect_identical(dim(distribution(grid)), c(2L, 2L))
})

test_that("weights are the shares of the values", {
  values <- c(2, 1, 3, 2)
  expect_identical(distribution(values, c(1, 3, 0, 4)), pcf(1:2, c(3, 8) / 8))
  expect_identical(distribution(values, c(2, 1, 1, 1)), distribution(rep(values, c(2, 1, 1, 1))))
  expect_identical(distribution(values, 8 * c(1, 3, 1, 4)), distribution(values, c(1, 3, 1, 4)))
  expect_identical(
    distribution(values, c(1, 3, 2, 4), id = c(1, 1, 2, 2)),
    distribution(list("1" = values[1:2], "2" = values[3:4]), list(c(1, 3), c(2, 4)))
  )
})

test_that("tables and results of tapply() are vectors", {
  counts <- table(mtcars$cyl)
  x <- distribution(c(4, 6, 8), counts)
  expect_identical(x, distribution(mtcars$cyl))
  expect_identical(distribution(list(c(4, 6, 8)), list(counts)), x)
  means <- tapply(mtcars$mpg, mtcars$cyl, mean)
  expect_identical(distribution(means), distribution(as.vector(means)))
  expect_identical(counting(sort(means)), counting(sort(as.vector(means))))
})

test_that("a histogram is a distribution that is even between its breaks", {
  h <- hist(c(1, 2, 3, 3, 4, 8), breaks = c(0, 2, 4, 6, 8), plot = FALSE)
  expect_identical(distribution(list(h = h)), plf(list(h = h$breaks), list(c(0, 2, 5, 5, 6) / 6)))
  expect_identical(distribution(h), unname(distribution(list(h = h))))
  # Moved by 1, all of it is moved by 1, and of a density everything is half.
  moved <- h
  moved$breaks <- h$breaks + 1
  expect_near(wasserstein(distribution(list(h, moved)), p = 3), 1, 1e-15)
})

test_that("samples that cannot be read are errors that name the place", {
  refused(distribution(), "values", "is missing: a sample, or a list of samples.")
  refused(distribution(c(1, NA)), "values", "must be finite, not NA at position 2.")
  refused(distribution(list(1, b = c(2, Inf))), "values", 'must be finite, not Inf at position 2 of function 2 ("b").')
  refused(distribution(list(1, numeric())), "values", "is invalid: function 2 has no values.")
  refused(distribution(list(1, NULL)), "values", "is invalid: function 2 has NULL, not a vector of values.")
  refused(distribution(numeric()), "values", "is invalid: the function has no values.")
  refused(distribution("a"), "values", 'must be numbers, or a list of vectors of numbers, not "a".')
  refused(distribution(diag(2)), "values",
          "must be numbers, or a list of vectors of numbers, not a double matrix of length 4.")
  refused(distribution(density(1:3)), "values", "must be numbers, or a list of vectors of numbers, not an object of ",
          "class <density> of length ", length(density(1:3)), ".")
  refused(distribution(list(1, diag(2))), "values",
          "is invalid: function 2 has a double matrix of length 4, not a vector of values.")
  refused(distribution(1:3, c(1, -1, 2)), "weights", "must be finite and at least 0, not -1 at position 2.")
  refused(distribution(list(a = 1:2), list(b = 1:2)), "weights", "has names that do not match those of the samples: ",
          'no element is named "a". Use unname(weights) to match by position.')
  swapped <- distribution(list(a = 1:2, b = 3:5), list(b = 1:3, a = 1:2))
  expect_identical(swapped, distribution(list(a = 1:2, b = 3:5), list(1:2, 1:3)))
  refused(distribution(list(1, 1:2), list(1, c(1, NA))), "weights",
          "must be finite and at least 0, not NA at position 2 of function 2.")
  refused(distribution(1:3, c(0, 0, 0)), "weights", "is invalid: the function has weights that add up to 0.")
  refused(distribution(1:2, c(1e308, 1e308)), "weights", "is invalid: the function has weights that add up to Inf.")
  refused(distribution(1:3, 1), "weights", "must have a number for each of the 3 values, not 1.")
  refused(distribution(list(1:3), 1), "weights", "must be a list like `values`, not 1.")
  refused(distribution(list(1, 2), list(1)), "weights",
          "must be a list as long as `values` (length 2), not of length 1.")
  refused(distribution(list(1, 2), list(1, 1:2)), "weights",
          "is invalid: function 2 has values and weights of different lengths, 1 and 2.")
  refused(distribution(1:3, id = 1:2), "id",
          "must have one id for each of the 3 values, not an integer vector of length 2.")
  refused(distribution(1:3, id = c(1, NA, 2)), "id", "must be ids without NA, not NA at position 2.")
  refused(distribution(list(1:3), id = 1), "id", "needs a vector of values, but `values` is a list.")
  h <- hist(1:3, plot = FALSE)
  unsound <- " is not a valid histogram, which has a non-negative count for each bin, and not only zeros."
  refused(distribution(list(h, 1)), "values", "is invalid: function 2", unsound)
  refused(distribution(h, 1:3), "weights", "applies only to samples, but `values` has histograms.")
  h$counts[] <- 0L
  refused(distribution(h), "values", "is invalid: the function", unsound)
})

# ---- Distances ----

# Of the R package energy 1.7.11: the square roots of eqdist.e() * (n + m) / (n * m).
test_that("energy distances are those of the package energy", {
  x <- distribution(list(c(1, 2, 2, 5), c(0, 3, 3.5), c(4, 4, 9, 10, 11)))
  expect_near(pdist(x, distance = "energy"), c(0.88191710368819709, 2.42899156029822372, 2.47206616236522114), 1e-14)
})

# Of scipy 1.17.0: wasserstein_distance() and energy_distance().
test_that("Wasserstein and energy distances are those of scipy", {
  u <- c(3.1, 0.4, 1.7, 5.2, 0.4)
  v <- c(2.2, 2.9, -1.3)
  plain <- distribution(list(u, v))
  weighted <- distribution(list(u, v), list(c(1, 2, 0.5, 3, 1), c(0.2, 0.5, 0.3)))
  expect_near(wasserstein(plain), 1.3333333333333333, 1e-14)
  expect_near(wasserstein(weighted), 1.6933333333333336, 1e-14)
  expect_near(energy_distance(plain), 0.8358628276617324, 1e-14)
  expect_near(energy_distance(weighted), 1.071032731111011, 1e-14)
})

# The p-Wasserstein distance of two samples, from the pieces on which both quantiles stay.
wasserstein_oracle <- function(u, v, p) {
  cuts <- sort(unique(c(seq_along(u) / length(u), seq_along(v) / length(v))))
  cuts <- cuts[c(TRUE, diff(cuts) > 1e-12)]
  middle <- cuts - diff(c(0, cuts)) / 2
  at <- function(x) sort(x)[ceiling(middle * length(x))]
  if (p == Inf) max(abs(at(u) - at(v))) else sum(diff(c(0, cuts)) * abs(at(u) - at(v))^p)^(1 / p)
}

test_that("distances of samples are those of the definitions", {
  samples <- with_seed(3, lapply(c(30, 30, 20, 7, 1), function(n) round(rnorm(n, n / 30), 1)))
  x <- distribution(samples)
  of_pairs <- function(f) outer(1:5, 1:5, Vectorize(f))[lower.tri(diag(5))]
  for (p in c(1, 1.5, 2, 3, Inf)) {
    wanted <- of_pairs(function(i, j) wasserstein_oracle(samples[[i]], samples[[j]], p))
    expect_near(wasserstein(x, p = p), wanted, 1e-12)
    expect_near(pdist(inverse(x), p, from = 0, to = 1), wanted, 1e-12)
  }
  sorted <- lapply(samples, sort)
  expect_near(wasserstein(x[1:2], p = 3), mean(abs(sorted[[1]] - sorted[[2]])^3)^(1 / 3), 1e-12)
  # As the package energy has it: 2 E|X - Y| - E|X - X'| - E|Y - Y'|.
  between <- function(i, j) mean(abs(outer(samples[[i]], samples[[j]], "-")))
  wanted <- of_pairs(function(i, j) 2 * between(i, j) - between(i, i) - between(j, j))
  expect_near(energy_distance(x)^2, wanted, 1e-12)
})

test_that("Cramér's distance is L2, that of Kolmogorov and Smirnov the supremum", {
  samples <- with_seed(4, lapply(c(20, 30, 25), rnorm))
  x <- distribution(samples)
  expect_identical(c(pdist(x, distance = "cramer")), c(pdist(x, 2)))
  expect_near(pdist(x, distance = "energy"), sqrt(2) * pdist(x, 2), 1e-15)
  ks <- vapply(2:3, function(k) unname(ks.test(samples[[1]], samples[[k]])$statistic), 0)
  expect_near(pdist(x, distance = "ks")[1:2], ks, 1e-15)
  expect_near(c(wasserstein(x)), c(pdist(x, 1)), 1e-14)
})

test_that("equal weights are counted", {
  for (n in c(1, 3, 10, 49, 1000)) {
    values <- with_seed(n, round(rnorm(n), 1 + n %% 2))
    for (weight in c(1, 1 / n, 0.3, pi, 1e-310, 5e307 / n, 7)) {
      expect_identical(distribution(values, rep(weight, n)), distribution(values))
      twice <- distribution(c(values, values[1]), c(rep(weight, n), 2 * weight))
      expect_identical(twice, distribution(values[c(1, 1, seq_len(n))]))
    }
    both <- distribution(list(values, values), list(rep(1, n), rep(1 / n, n)))
    for (p in c(1, 4, 40, Inf)) expect_identical(c(wasserstein(both, p = p)), 0)
  }
  h <- hist(faithful$waiting, plot = FALSE)
  tenths <- replace(h, "counts", list(h$counts * 0.125))
  expect_identical(distribution(tenths), distribution(h))
  even <- function(count) structure(list(breaks = 0:10, counts = rep(count, 10)), class = "histogram")
  expect_identical(distribution(even(0.1)), distribution(even(1)))
  expect_identical(distribution(1:2, rep(.Machine$integer.max, 2)), distribution(1:2))
})

test_that("proportions of any weights are rounded once, and end with 1", {
  for (seed in 1:40) {
    n <- with_seed(seed, sample(40, 1))
    w <- with_seed(seed, switch(
      seed %% 4 + 1, runif(n), exp(rnorm(n, 0, 9)), round(runif(n), 1) + 0.1, rexp(n) * 1e-200
    ))
    shares <- as.data.frame(distribution(seq_len(n), w))$value
    for (k in seq_len(n)) {
      rest <- exact_sum(c(w[seq_len(k)], -shares[k] * w, -product_rest(shares[k], w))) / sum(w)
      expect_lte(abs(rest), 2^(floor(log2(shares[k])) - 53) * (1 + 1e-9))
    }
    expect_identical(shares[n], 1)
  }
})

test_that("Wasserstein distances with p = 1 are L1 distances, but for all pairs of samples of equal size", {
  x <- with_seed(6, distribution(lapply(1:30, function(i) round(rnorm(12, i %% 3), 3))))
  near <- function(...) nearest_neighbors(x, 3, ...)[c("dist", "id")]
  expect_identical(near(distance = "wasserstein"), near())
  expect_identical(near(distance = "wasserstein", missing = "mean"), near())
  expect_identical(distance_product(x, 1:30, distance = "wasserstein"), distance_product(x, 1:30))
  expect_identical(c(wasserstein(x)), c(pdist(inverse(x, decreasing = FALSE))))
  y <- c(x, distribution(1:3))
  expect_identical(c(wasserstein(y)), c(pdist(y)))
  expect_identical(wasserstein(x, y), cdist(x, y, distance = "wasserstein", missing = "mean"))
  almost <- map_functions(y, function(f) {
    f[nrow(f), 2] <- 1 - 1e-12
    f
  })
  expect_identical(c(wasserstein(almost)), c(wasserstein(y)))
  expect_error(nearest_neighbors(pcf(0:1, 1:2), distance = "wasserstein"), class = "pcfdist_error_x")
})

test_that("distances of distributions are those of their functions wherever pairs are taken", {
  x <- with_seed(5, distribution(lapply(1:40, function(i) rnorm(sample(20, 1), i %% 3))))
  quantiles <- inverse(x, decreasing = FALSE)
  twice <- pcf(-Inf, 2)
  kinds <- list(
    list(list(x, distance = "wasserstein"), list(x)),
    list(list(x, p = 3, distance = "wasserstein"), list(quantiles, p = 3)),
    list(list(x, distance = "energy"), list(x, p = 2, weight = twice)),
    list(list(x, distance = "energy", weight = pcf(0:1, c(1, 3))), list(x, p = 2, weight = pcf(0:1, c(2, 6)))),
    list(list(x, distance = "ks"), list(x, p = Inf))
  )
  for (kind in kinds) {
    each <- function(f, ...) lapply(kind, function(arguments) do.call(f, c(arguments, list(...))))
    same <- function(f, ..., get = identity) {
      found <- lapply(each(f, ...), get)
      expect_identical(found[[1]], found[[2]])
    }
    same(pdist, get = c)
    same(nearest_neighbors, k = 3, get = function(found) found[c("dist", "id")])
    same(neighbors_within, radius = 0.3, get = function(found) found[c("dist", "id")])
    same(reduce_distances, with = "max")
    same(reduce_distances, with = "logsumexp", scale = 2)
    same(spanning_tree, get = function(tree) tree[c("merge", "height")])
    permuted <- function(...) with_seed(1, permutation_test(group = rep(1:4, 10), n = 9, ...))$permuted
    same(permuted)
    same(distance_product, b = 1:40, power = 1)
    same(distance_product, b = 1:40, power = 2)
    same(pcf_plan, get = function(plan) plan$kernel)
    same(function(...) pdist(file = new_file(), ...), get = bits_of)
    same(function(x, ...) cdist(x, x[3:4], ...)[3:4, ], get = diag)
    same(function(x, ...) lp_distance(x, x[1:2], ...))
    if (is.null(kind[[1]]$p)) next # distribution functions do not come back to 0, as components must
    # A walk adds up components in parts, which their other breakpoints cut elsewhere.
    with_settings(kernel = "sweep", {
      same(function(x, ...) pdist(structure(x, dim = c(20L, 2L)), margin = 1, ...), get = c)
    })
  }
  d <- pdist(x, 3, distance = "wasserstein", file = new_file())
  expect_identical(attributes(d)[c("method", "p")], list(method = "wasserstein", p = 3))
  file <- new_file()
  pdist(x, distance = "cramer", file = file)
  refused(pdist(x, 2, file = file), "file",
          "has the results of another call: ", dQuote(paste0(basename(file), ".dcf"), FALSE), " says Operation: ",
          "cramer, but this call has l2. Choose another name, or delete the files.")
})

test_that("windows are those of what is integrated over", {
  x <- distribution(list(c(0, 1, 2, 3), c(1, 2, 3, 9)))
  expect_identical(c(wasserstein(x, to = 0.75)), 0.75)
  expect_near(wasserstein(x, from = 0.5, missing = "mean"), 3.5, 1e-15)
  expect_near(energy_distance(x, to = 1), sqrt(2) / 4, 1e-15)
  refused(energy_distance(x, to = 1, missing = "mean"), "missing",
          'must not be "mean" for `distance = "energy"`, which cannot be divided by a length.')
  refused(pdist(x, 2, distance = "energy"), "p", 'must not be given: `distance = "energy"` has no exponent.')
})

test_that("polygons and histograms are distributions, beside steps too", {
  lines <- as_plf(list(ecdf(c(0, 1, 3)), ecdf(c(0, 2, 3))))
  # Quantiles at the shares 1/3, 2/3 and 1 are 0, 1, 3 and 0, 2, 3.
  expect_near(wasserstein(lines), 1 / 3, 1e-15)
  expect_near(wasserstein(lines, p = 2), sqrt(2 / 9), 1e-15)
  expect_near(wasserstein(lines, p = Inf), 1, 1e-15)
  expect_near(energy_distance(lines), c(sqrt(2) * pdist(lines, 2)), 1e-15)
  point <- distribution(2)
  expect_near(wasserstein(lines[1], point), 2 / 3 + 1.5 / 3 + 0.5 / 3, 1e-15)
})

test_that("only distribution functions are compared as such", {
  good <- distribution(1:3)
  not_a_distribution <- function(bad, ...) {
    for (distance in c("wasserstein", "energy", "cramer", "ks")) {
      message <- paste0(" must hold distribution functions, which rise from 0 to 1, but ", ...,
                        ". Use distribution() for samples.")
      expect_refusal(pdist(c(good, bad), distance = distance), "x", "`x`", sub("the function", "function 2", message))
      expect_refusal(cdist(good, bad, distance = distance), "y", "`y`", message)
    }
  }
  not_a_distribution(pcf(0:1, c(0.5, 0.9)), "the function ends with 0.9")
  not_a_distribution(pcf(0:1, c(0.5, 2)), "the function ends with 2")
  not_a_distribution(pcf(0:2, c(0.5, 0.2, 1)), "the function falls to 0.2 at position 2")
  not_a_distribution(pcf(0:2, c(-0.5, 0.2, 1)), "the function falls to -0.5 at position 1")
  not_a_distribution(pcf(c(-Inf, 1), c(0.2, 1)), "the function begins with 0.2")
  not_a_distribution(pcf(c(-Inf, 1), c(NA, 1)), "the function begins with NA")
  not_a_distribution(pcf(0:2, c(0.5, NA, 1)), "the function is not observed at position 2")
  expect_error(wasserstein(plf(0:2, c(0.2, 0.3, 1), left = c(0, 0.1, 1))), "falls to 0.1 at position 2",
               class = "pcfdist_error_x")
  expect_error(wasserstein(plf(0:1, c(0, 0.9))), "ends with 0.9", class = "pcfdist_error_x")
  expect_error(wasserstein(list(1, 2)), "distribution", class = "pcfdist_error_x")
})

test_that("sums of shares that miss 1 by roundings count as 1", {
  shares <- Reduce(`+`, rep(0.1, 10), accumulate = TRUE)
  expect_false(shares[10] == 1)
  x <- c(pcf(1:10, shares), pcf(1:11, c(shares, shares[10])), distribution(1:10))
  for (distance in c("wasserstein", "energy", "ks")) {
    expect_true(all(pdist(x, distance = distance) < 1e-14))
  }
  expect_identical(c(wasserstein(x[1:2], p = Inf)), 0)
  above <- pcf(0:50, cumsum(dbinom(0:50, 50, 0.27)))
  beyond <- pcf(1:3, c(0.5, 1 + 2^-52, 1 + 2^-51))
  expect_near(c(wasserstein(c(above, beyond), distribution(0))), c(13.5, 1.5), 1e-13)
})

# ---- What vignettes/distributions.Rmd shows ----

test_that("the numbers of the article are right", {
  depth <- cut(quakes$depth, quantile(quakes$depth, 0:12 / 12), include.lowest = TRUE, dig.lab = 4)
  samples <- split(quakes$mag, depth)
  x <- distribution(samples)
  area <- function(f, g, gap) {
    at <- sort(unique(c(f, g)))
    sum(gap(ecdf(f)(at) - ecdf(g)(at))[-length(at)] * diff(at))
  }
  for (pair in list(c(1, 6), c(6, 12), c(1, 12))) {
    f <- samples[[pair[1]]]
    g <- samples[[pair[2]]]
    expect_near(as.matrix(wasserstein(x))[pair[1], pair[2]], area(f, g, abs), 1e-12)
    expect_near(as.matrix(energy_distance(x))[pair[1], pair[2]], sqrt(2 * area(f, g, function(d) d^2)), 1e-12)
  }
  expect_identical(unname(cutree(hclust(wasserstein(x), "average"), 3)), c(1L, 1L, 2L, 2L, 3L, 2L, rep(3L, 6)))

  # The mean of quantile functions has the mean of the quantiles.
  quartiles <- vapply(samples, quantile, numeric(3), c(0.25, 0.5, 0.75), type = 1)
  found <- crossing_time(inverse(mean(inverse(x))), c(0.25, 0.5, 0.75))
  expect_near(found, rowMeans(quartiles), 1e-6)

  # Between histograms that do not cross, the difference of the means
  cases <- tapply(esoph$ncases, esoph$agegp, sum)
  controls <- tapply(esoph$ncontrols, esoph$agegp, sum)
  breaks <- c(25, 35, 45, 55, 65, 75, 85)
  ages <- distribution(lapply(list(cases, controls), function(counts) {
    structure(list(breaks = breaks, counts = counts), class = "histogram")
  }))
  means <- vapply(list(cases, controls), function(n) sum((breaks[-7] + 5) * n) / sum(n), 0)
  expect_near(wasserstein(ages), abs(diff(means)), 1e-13)
})

test_that("weights are matched to values by name", {
  x <- distribution(c(b = 1, a = 2), weights = c(a = 5, b = 1))
  expect_identical(x, distribution(1:2, weights = c(1, 5)))
  expect_identical(distribution(c(b = 1, a = 2), weights = c(1, 5)), x)
  refused(distribution(c(b = 1, a = 2), weights = c(a = 5, c = 1)), "weights",
          "has names that do not match those of the values: no element is named \"b\". Use unname(weights) to match ",
          "by position.")
})

test_that("proportions of whole weights are correctly rounded up to a sum of 2^53", {
  weights <- c(2^53 - 3, 1, 2)
  f <- distribution(1:3, weights = weights)
  expect_identical(evaluate(f, 1:2), matrix(c(1 - 3 * 2^-53, 1 - 2^-52), 1))
  with_seed(6, for (k in 1:50) {
    weights <- round(2^runif(5, 0, 50))
    expect_identical(as.vector(evaluate(distribution(1:5, weights = weights), 1:5)), cumsum(weights) / sum(weights))
  })
})
