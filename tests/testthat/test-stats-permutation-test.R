# Statistics by definition, from the matrix of distances.
energy_oracle <- function(d, group) {
  d <- as.matrix(d)
  members <- split(seq_along(group), group)
  pairs <- utils::combn(length(members), 2)
  sum(apply(pairs, 2, function(pair) {
    a <- members[[pair[1]]]
    b <- members[[pair[2]]]
    length(a) * length(b) / (length(a) + length(b)) *
      (2 * mean(d[a, b]) - mean(d[a, a]) - mean(d[b, b]))
  }))
}

pseudo_f_oracle <- function(d, group) {
  squares <- function(i) sum(as.matrix(d)[i, i]^2) / (2 * length(i))
  within <- sum(vapply(split(seq_along(group), group), squares, 0))
  k <- length(unique(group))
  n <- length(group)
  ((squares(seq_len(n)) - within) / (k - 1)) / (within / (n - k))
}

mean_oracle <- function(x, group, ...) sum(pdist(aggregate(x, group, mean), ...))

# The groups of the permutations that a test draws.
shuffles <- function(group, n, seed) {
  with_seed(seed, lapply(seq_len(n), function(k) group[sample.int(length(group))]))
}

groups_of <- function(n, seed = 5) with_seed(seed, sample(rep_len(c("a", "b", "b", "c"), n)))

tested <- function(..., seed = 9) with_seed(seed, permutation_test(...))

test_that("statistics and their permutations are those of the definitions", {
  x <- tied_pcf(31)
  group <- groups_of(31)
  shuffled <- shuffles(group, 40, 9)
  for (p in c(1, 2)) {
    d <- pdist(x, p, to = 12)
    for (name in c("energy", "pseudo_f")) {
      definition <- list(energy = energy_oracle, pseudo_f = pseudo_f_oracle)[[name]]
      result <- tested(x, group, name, n = 40, p = p, to = 12)
      expect_near(result$statistic, definition(d, group), 1e-12)
      expected <- vapply(shuffled, function(g) definition(d, g), 0)
      expect_near(result$permuted, expected, 1e-10, scale = max(abs(expected)))
      expect_identical(tested(d, group, name, n = 40)$permuted, result$permuted)
    }
  }
})

test_that("the distance of means is that of mean()", {
  for (x in list(tied_pcf(31), paper_pcf(31, 30), random_pcf(31) * 1e200)) {
    group <- groups_of(31)
    shuffled <- shuffles(group, 20, 9)
    cases <- list(list(1, -Inf, 12), list(2, -1, 3), list(3.3, 0.5, 0.6), list(Inf, -Inf, 12))
    for (case in cases) {
      of <- function(group) mean_oracle(x, group, case[[1]], case[[2]], case[[3]])
      result <- tested(x, group, "mean_difference", n = 20, p = case[[1]], from = case[[2]], to = case[[3]])
      expect_near(result$statistic, of(group), 1e-12)
      expect_near(result$permuted, vapply(shuffled, of, 0), 1e-12)
    }
  }
})

test_that("means are compared without a window where functions end alike", {
  x <- paper_pcf(20, 30)
  group <- groups_of(20)
  result <- tested(x, group, "mean_difference", n = 9)
  expect_near(result$statistic, mean_oracle(x, group), 1e-12)
  y <- map_pcf(x, values = function(v) v + 3)
  expect_near(
    tested(y, group, "mean_difference", n = 9)$statistic,
    mean_oracle(y, group, to = 1e4), 1e-9
  )
  expect_near(
    tested(random_pcf(20), group, "mean_difference", n = 9, p = Inf)$statistic,
    mean_oracle(random_pcf(20), group, p = Inf), 1e-12
  )
})

test_that("means are compared where functions are observed", {
  x <- map_pcf(tied_pcf(20), values = function(v) c(v[-length(v)], 0))
  cut <- pcf(
    lapply(unclass(x), function(f) c(f[f[, 1] < 9, 1], 9)),
    lapply(unclass(x), function(f) c(f[f[, 1] < 9, 2], NA))
  )
  group <- groups_of(20)
  expect_identical(
    tested(cut, group, "mean_difference", to = 9, n = 9)$permuted,
    tested(x, group, "mean_difference", to = 9, n = 9)$permuted
  )
  early <- pcf(list(c(-Inf, 0, 1), c(-Inf, 1), 1), list(c(2, 1, 0), c(2, 0), 0))
  late <- pcf(list(c(-5, 0, 1), c(-5, 1), 1), list(c(2, 1, 0), c(2, 0), 0))
  for (p in list(1, 2.5, Inf)) {
    a <- tested(early, c(1, 1, 2), "mean_difference", p = p, n = 9, from = -5)
    b <- tested(late, c(1, 1, 2), "mean_difference", p = p, n = 9)
    expect_identical(a$permuted, b$permuted)
  }
})

test_that("means of functions with gaps are those of the functions that are observed", {
  x <- random_partial_pcf(24, seed = 3)
  group <- groups_of(24)
  weight <- pcf(c(-Inf, 0, 2), c(0.5, 2, 1))
  oracle <- function(g, ...) {
    means <- lapply(split(seq_along(g), g), function(i) mean(x[i], na.rm = TRUE))
    pairs <- utils::combn(length(means), 2)
    sum(apply(pairs, 2, function(p) lp_distance(means[[p[1]]], means[[p[2]]], ...)))
  }
  shuffled <- shuffles(group, 12, 9)
  for (p in list(1, 2, 3.3, Inf)) {
    for (missing in c("overlap", "mean")) {
      for (w in list(NULL, weight)) {
        of <- function(g) oracle(g, p = p, from = -2, to = 8, missing = missing, weight = w)
        result <- tested(x, group, "mean_difference", n = 12, p = p, from = -2, to = 8,
                         missing = missing, weight = w)
        expect_near(result$statistic, of(group), 1e-12)
        expect_near(result$permuted, vapply(shuffled, of, 0), 1e-12)
      }
    }
  }
})

test_that("what has no mean or no overlap is an error of the distance of means", {
  x <- pcf(c(list(c(0, 1)), rep(list(c(-Inf, 1, 2)), 3)), c(list(c(1, NA)), rep(list(c(NA, 2, NA)), 3)))
  group <- c("a", "a", "b", "b")
  expect_refusal(tested(x, group, "mean_difference"), "missing", observed_apart("1", "-Inf, 1", "2", begun_at_zero))
  refused(tested(x, group, "mean_difference", missing = "overlap", to = 1), "group",
          "has groups, in some permutation, whose functions are not observed at any common time. Choose a window in ",
          "which more of them are, with `from` and `to`.")
  refused(tested(random_pcf(8), groups_of(8), "mean_difference", missing = "mean"), "to",
          "must be finite: the last values of the functions differ.")
  expect_refusal(
    tested(pcf(rep(list(c(0, 1)), 4), list(c(1, 0), c(2, 0), c(3, 0), c(4, 0))), group,
           "mean_difference", missing = "mean"),
    "missing",
    endless_mean, "function 1", hold_for_ever(1)
  )
  refused(tested(x, group, "mean_difference", missing = "overlap", weight = pcf(0, -1)), "weight",
          "must be observed and not negative in the window, but is -1 from 0 on.")
})

test_that("windows may have the unit of the functions", {
  x <- tied_pcf(12)
  dated <- x
  time_unit(dated) <- "Date"
  for (name in c("energy", "mean_difference")) {
    expect_identical(
      tested(dated, groups_of(12), name, to = as.Date("1970-01-13"), n = 9)$permuted,
      tested(x, groups_of(12), name, to = 12, n = 9)$permuted
    )
  }
})

test_that("pseudo-F is that of vegan", {
  skip_if_not_installed("vegan")
  d <- pdist(random_pcf(25), to = 9)
  group <- groups_of(25)
  result <- tested(d, group, "pseudo_f", n = 9)
  table <- vegan::adonis2(d ~ group, permutations = 9)
  expect_equal(unname(result$statistic), table$F[1])
  expect_equal(unname(result$estimate), table$R2[1])
})

test_that("p-values count what is at least as large, ties included", {
  d <- dist(c(0, 0, 0, 1, 1, 1) + 1e-3 * (1:6))
  result <- tested(d, c(1, 1, 1, 2, 2, 2), n = 99)
  shuffled <- shuffles(c(1, 1, 1, 2, 2, 2), 99, 9)
  as_given <- sum(vapply(shuffled, function(g) all(g[1:3] == g[1]), NA))
  expect_gt(as_given, 3)
  expect_identical(result$p.value, (1 + as_given) / 100)
  expect_s3_class(result, "htest")
  expect_output(print(result), "energy = ")
  expect_identical(result$data.name, "d by c(1, 1, 1, 2, 2, 2)")
})

test_that("statistics that are 0 up to rounding are tied", {
  groups <- rep(1:2, each = 3)
  for (v in list(c(0.18, 0.70, 0.57), c(0.29, 0.75, 0.16), c(0.61, 0.94, 0.26))) {
    d <- dist(c(v, v))
    for (name in c("energy", "pseudo_f")) expect_identical(tested(d, groups, name)$p.value, 1)
    x <- plf(rep(list(0:2), 9), lapply(c(v, v, v), function(a) c(0, a, 0)))
    expect_identical(tested(x, c(1, 1, 1, groups %/% 4 + 2), "mean_difference")$p.value, 1)
  }
})

test_that("distances of any size have the p-values of others", {
  d <- dist(c(0.12, 0.5, 0.9, 1.7, 2.2, 3.1))
  groups <- c(1, 1, 1, 2, 2, 2)
  for (name in c("energy", "pseudo_f")) {
    expected <- tested(d, groups, name, n = 50)
    for (unit in c(2^-1000, 2^-540, 2^500, 2^1022)) {
      result <- tested(d * unit, groups, name, n = 50)
      scale <- if (name == "energy") unit else 1
      expect_equal(result$statistic, expected$statistic * scale, tolerance = 1e-14)
      expect_equal(result$permuted, expected$permuted * scale, tolerance = 1e-14)
      expect_identical(result$p.value, expected$p.value)
    }
  }
})

test_that("means keep their digits beside values, times and weights of other sizes", {
  groups <- c(1, 1, 2, 2)
  steps <- function(times, ...) pcf(rep(list(times), 4), list(...))
  expect_difference <- function(x, expected, ...) {
    expect_equal(tested(x, groups, "mean_difference", n = 3, ...)$statistic[[1]], expected, tolerance = 1e-13)
  }
  for (p in list(1, 2, 3.3, Inf)) {
    for (h in c(1e20, 1e200)) {
      expect_difference(steps(0:2, c(h, 1, 0), c(h, 4, 0), c(h, 9, 0), c(h, 16, 0)), 10, p = p)
      gaps <- steps(0:3, c(h, 1, NA, 0), c(h, 4, 1, 0), c(h, 9, NA, 0), c(h, NA, 8, 0))
      expect_difference(gaps, if (p == Inf) 7 else (6.5^p + 7^p)^(1 / p), p = p, missing = "overlap")
      length <- if (p == Inf) 1 else 3^(1 / p)
      expect_difference(gaps, if (p == Inf) 7 else (6.5^p + 7^p)^(1 / p) / length, p = p, missing = "mean",
                        from = 0, to = 3)
    }
  }
  narrow <- steps(c(0, 2^-50, 1), c(2^50, 0.2, 0), c(2^50, 0.21, 0), c(2^50, 0.23, 0), c(2^51, 0.27, 0))
  expect_difference(narrow, 0.5 + 0.045 * (1 - 2^-50))
  wide <- steps(c(-1e308, 1e308), c(1e-10, 0), c(1e-10, 0), c(3e-10, 0), c(3e-10, 0))
  expect_difference(wide, 4e298)
  expect_difference(wide, 2e-10 * sqrt(2) * 1e154, p = 2)
  ones <- function(times) steps(times, c(1, 0), c(1, 0), c(2, 0), c(3, 0))
  expect_difference(ones(c(0, 1e160)), 1.5e160, p = 2, weight = pcf(0, 1e160))
  expect_difference(ones(c(0, 1e160)), 1.5, weight = pcf(0, 1e-160))
  expect_difference(ones(c(0, 1e-160)) * 1e300, 1.5e-23, weight = pcf(0, 1e-163))
  expect_difference(ones(c(0, 1e-160)), 1.5 * sqrt(1e-160) * sqrt(1e-163), p = 2, weight = pcf(0, 1e-163))
  expect_difference(ones(c(0, 1e160)), 1.5, p = 2, weight = pcf(0, 1e140), missing = "mean", from = 0, to = 1e160)
  expect_difference(ones(c(0, 1)), 0, weight = pcf(0, 0))
})

test_that("the means of huge lines are finite", {
  peak <- function(v) plf(c(0, 1, 9, 10), c(0, v, 0, 0), left = c(0, 0, v, 0))
  peaks <- c(peak(1.5), peak(1.5), peak(1.2), peak(1.2))
  for (p in c(2, 3)) {
    result <- tested(peaks * 1e308, c(1, 1, 2, 2), "mean_difference", n = 20, p = p, to = 9.5)
    expected <- tested(peaks, c(1, 1, 2, 2), "mean_difference", n = 20, p = p, to = 9.5)
    expect_equal(result$statistic, expected$statistic * 1e308, tolerance = 1e-14)
    expect_identical(result$p.value, expected$p.value)
  }
})

test_that("results depend on the seed and not on threads or on how many are at once", {
  x <- paper_pcf(60, 40)
  group <- groups_of(60)
  for (name in c("energy", "pseudo_f", "mean_difference")) {
    one <- tested(x, group, name, n = 50, threads = 1)
    expect_identical(tested(x, group, name, n = 50, threads = 3), one)
    expect_identical(tested(x, group, name, n = 21)$permuted, one$permuted[1:21])
    expect_false(identical(tested(x, group, name, n = 50, seed = 1)$permuted, one$permuted))
  }
})

test_that("groups are shuffled within strata", {
  group <- c("a", "a", "b", "b", "a", "b", "c", "c")
  strata <- c(1, 1, 1, 1, 2, 2, 3, 3)
  labels <- with_seed(1, shuffled_labels(as.integer(factor(group)), check_strata(strata, group), 500))
  expect_true(all(apply(labels[1:4, ], 2, sum) == 6))
  expect_true(all(apply(labels[5:6, ], 2, sum) == 3))
  expect_true(all(labels[7:8, ] == 3))
  expect_length(unique(as.list(as.data.frame(labels))), 12)
  d <- dist(seq_along(group)^2)
  kept <- function(d, g) sum(g[5:6] == "a") + 10 * sum(g[7:8] == "c") + (g[1] == "a") / 2
  seen <- tested(d, group, kept, strata = strata)
  expect_setequal(seen$permuted, c(21, 21.5))
})

test_that("a function gets distances and groups", {
  x <- random_pcf(20)
  group <- factor(groups_of(20), levels = c("c", "b", "a", "none"))
  result <- tested(x, group, energy_oracle, n = 30, to = 9)
  expect_equal(result$permuted, tested(x, group, "energy", n = 30, to = 9)$permuted)
  tested(x, group, n = 3, to = 9, function(d, g) {
    expect_s3_class(d, "dist")
    expect_identical(levels(g), c("c", "b", "a"))
    energy_oracle(d, g)
  })
  sum_of_a <- function(x, g) sum(x[g == "a"])
  result <- tested(1:4, c("a", "b", "b", "b"), sum_of_a, n = 4)
  expect_identical(result$statistic, c(statistic = 1))
})

test_that("a function that does not use the groups is told of", {
  patients <- data.frame(value = 1:9, group = rep(1:3, 3))
  fixed <- function(patients, group) with(patients, sum(value[group == "1"]))
  expect_warning(
    result <- tested(patients, patients$group, fixed, n = 20),
    "No permutation changed the statistic, which is always 12\\.", class = "pcfdist_warning_statistic"
  )
  expect_identical(result$p.value, 1)
  used <- function(patients, shuffled) with(patients, sum(value[shuffled == "1"]))
  expect_silent(tested(patients, patients$group, used, n = 20))
})

test_that("further arguments go to pdist()", {
  x <- paper_pcf(20, 40)
  single <- tested(x, groups_of(20), n = 9, precision = "single")
  double <- tested(x, groups_of(20), n = 9)
  expect_equal(single$permuted, double$permuted, tolerance = 1e-5)
  expect_false(identical(single$permuted, double$permuted))
})

test_that("functions with gaps are compared over what they share", {
  x <- map_pcf(tied_pcf(20), values = function(v) replace(v, length(v) - 1, NA))
  group <- groups_of(20)
  d <- pdist(x, from = -5, to = 12, missing = "mean")
  result <- tested(x, group, from = -5, to = 12, missing = "mean", n = 9)
  expect_identical(result$permuted, tested(d, group, n = 9)$permuted)
  expect_error(tested(x, group, to = 12), class = "pcfdist_error_missing")
})

test_that("wrong arguments are errors", {
  x <- random_pcf(4)
  d <- pdist(x, to = 9)
  group <- c(1, 1, 2, 2)
  gap <- c(x[1:3], pcf(list(z = c(0, 1, 2)), list(c(1, NA, 2))))
  refused(permutation_test(array(0, 2:4), group), "x", "must be a <pcf>, a <plf> or a <dist>, not a double array of ",
          "length 24. For other objects, `statistic` must be a function.")
  refused(permutation_test(1:4, group), "x", "must be a <pcf>, a <plf> or a <dist>, not an integer vector of length ",
          "4. For other objects, `statistic` must be a function.")
  refused(permutation_test(d, group, "mean_difference"), "x",
          'must be a <pcf> or <plf> for the statistic "mean_difference".')
  refused(permutation_test(d, 1:3), "group",
          "must have one group for each of the 4 members, none missing, not an integer vector of length 3.")
  refused(permutation_test(data.frame(1:3), group, function(x, group) 1), "group",
          "must have one group for each of the 3 members, none missing, not a double vector of length 4.")
  refused(permutation_test(x, c(1, NA, 2, 2)), "group", "has a missing value (NA) at position 2.")
  refused(permutation_test(x, rep(1, 4)), "group",
          "must have at least two groups, one of them with several members, not 4 members in 1 group.")
  refused(permutation_test(x, 1:4), "group",
          "must have at least two groups, one of them with several members, not 4 members in 4 groups.")
  refused(permutation_test(d, group, "t"), "statistic",
          'must be one of "energy", "pseudo_f", "mean_difference", not "t".')
  refused(permutation_test(d, group, n = 0), "n", "must be a whole number of at least 1, not 0.")
  refused(permutation_test(d, group, to = 3), "to", "must not be given, since `x` is not a <pcf>.")
  refused(permutation_test(d, group, precision = "single"), "precision", "is not an argument of this function.")
  refused(permutation_test(d, group, strata = 1:2), "strata",
          "must have one group for each of the 4 members, none missing, not an integer vector of length 2.")
  refused(permutation_test(d, group, strata = group), "strata",
          "must have a stratum with several groups: otherwise nothing can be permuted.")
  refused(permutation_test(x, group), "x", "must have finite distances of at least 0, but one is Inf. Distances of ",
          "functions are finite if the window has an end: set `to`.")
  refused(permutation_test(x, group, "mean_difference"), "to",
          "must be finite: the last values of the functions differ.")
  refused(permutation_test(x, group, "mean_difference", to = 9, device = "cpu"), "device",
          "is not an argument of this function.")
  refused(permutation_test(x, group, from = 3, to = 1), "from", "must be at most `to`: 3 is greater than 1.")
  expect_refusal(permutation_test(gap, group, "mean_difference", to = 3), "missing",
                 observed_apart("1", "1, 2", '4 ("z")'))
  refused(permutation_test(c(x[1:3], pcf(-Inf, 1)), group, "mean_difference", to = 3), "from",
          "must be finite: the functions differ from -Inf on.")
  refused(permutation_test(x, group, "mean_difference", p = 0.5, to = 3), "p",
          "must be a number of at least 1, or Inf, not 0.5.")
  refused(permutation_test(d * 0, group), "x", "must have members that differ: all distances are 0.")
  refused(permutation_test(d, group, function(d, group) NULL), "statistic", "must return one number, not NULL.")
  refused(permutation_test(d, group, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
})

test_that("pairs without a distance are named", {
  x <- pcf(rep(list(0:3), 6), lapply(1:6, function(i) {
    if (i == 3) c(1, NA, NA, 0) else if (i == 5) c(NA, 2, NA, NA) else c(i, 1, 2, 0)
  }))
  group <- rep(1:2, 3)
  for (missing in c("overlap", "mean")) {
    expect_error(
      permutation_test(x, group, missing = missing, from = 0, to = 3),
      "functions 3 and 5 are never observed", class = "pcfdist_error_x"
    )
  }
  d <- dist(1:6)
  for (k in seq_along(d)) {
    unknown <- replace(d, k, NA)
    pair <- which(lower.tri(diag(6)), arr.ind = TRUE)[k, ]
    expect_error(
      permutation_test(unknown, group), paste("members", pair[[2]], "and", pair[[1]]),
      class = "pcfdist_error_x"
    )
  }
  expect_error(permutation_test(d, c(1, 2, 1, NA, NA, 2)), "missing value (NA) at position 4",
               fixed = TRUE, class = "pcfdist_error_group")
})

test_that("distances of many members, and of a damaged size, are named or refused", {
  expect_identical(pair_label(3e9, 8e4), "60002 and 70003")
  d <- dist(1:4)
  attr(d, "Size") <- c(4, 4)
  expect_error(permutation_test(d, c(1, 1, 2, 2), n = 9), class = "pcfdist_error_x")
})

test_that("what all functions have in common does not change the distance of means", {
  weight <- pcf(c(0, 3), c(1, 0.5))
  common <- function(times, offset) offset * (1 + (times >= 4))
  for (case in with_seed(4, lapply(0:15, function(k) {
    n <- c(9, 12, 40, 300)[k %% 4 + 1]
    times <- lapply(seq_len(n), function(i) c(0, 32, sort(sample(33:64, 3))) / 8)
    values <- lapply(seq_len(n), function(i) sample(0:4, 5, TRUE))
    list(n = n, times = times, values = values, gap = if (k %% 3 == 0) sample(4, 1), linear = k %% 4 == 1,
         p = c(1, 2, 3.3, Inf)[k %/% 4 + 1])
  }))) {
    test_of <- function(offset) {
      values <- Map(function(t, v) v + common(t, offset), case$times, case$values)
      left <- lapply(values, replace, case$gap + 1, NA)
      values[1:4] <- lapply(values[1:4], replace, case$gap, NA)
      left[-(1:4)] <- values[-(1:4)]
      x <- if (case$linear) plf(case$times, values, left = left) else pcf(case$times, values)
      missing <- if (is.null(case$gap)) "error" else "overlap"
      tested(x, rep_len(c(1, 2, 2, 3), case$n), "mean_difference", n = 60, p = case$p, from = 0, to = 8,
             weight = weight, missing = missing)
    }
    plain <- test_of(0)
    for (offset in c(1e8, -2^31)) {
      shifted <- test_of(offset)
      expect_identical(shifted$p.value, plain$p.value)
      expect_equal(shifted$permuted, plain$permuted, tolerance = 1e-12)
      expect_equal(shifted$statistic, plain$statistic, tolerance = 1e-12)
    }
  }
})

test_that("differences of means are exact beside values that cancel", {
  x <- pcf(rep(list(0:2), 8), c(rep(list(c(1e8, 1, 0)), 2), lapply(1:6, function(k) c(k / 64, 2, 0))))
  group <- c(1, 2, 1, 2, 1, 2, 1, 2)
  for (n in c(1, 1e9)) {
    expect_identical(tested(x * n, group, "mean_difference", n = 1)$statistic[[1]], n * 3 / 4 / 64)
  }
})
