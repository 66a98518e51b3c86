# One rule for windows: where functions have to be observed, a finite end of the window has to be,
# and an infinite one means all that is observed.

# Observed up to 5, and from 1 to 4.
ended <- function() pcf(list(a = c(0, 2, 5), b = c(0, 3, 5)), list(c(1, 2, NA), c(3, 1, NA)))
begun <- function() pcf(list(a = c(-Inf, 1), b = c(-Inf, 1)), list(c(NA, 1), c(NA, 3)))

says_what_counts <- "set `missing = \"overlap\"` or `missing = \"mean\"`."
outside <- function(window, label, seen, bound) {
  paste0(window, ", but ", label, " is observed only ", seen, ". Choose a ", bound, ", or ", says_what_counts)
}
ends_early <- function(to, label, last, window = paste("The window ends at", text_of(to))) {
  last <- text_of(last)
  outside(window, label, paste("up to", last), paste("`to` of at most", last))
}
begins_late <- function(from, label, first, window = paste("The window begins at", text_of(from))) {
  first <- text_of(first)
  outside(window, label, paste("from", first, "on"), paste("`from` of at least", first))
}

# All that integrate over a window, as functions of a collection and of `...`.
integrating <- c(taking_distance, list(
  l2_kernel, lp_norm, function(x, ...) lp_norm(x, p = Inf, ...), integral,
  function(x, ...) distance_product(x, c(1, 1), ...), function(x, ...) kernel_product(x, c(1, 1), ...),
  function(x, ...) permutation_test(rep(x, 3), rep(1:2, each = 3), "mean_difference", n = 19, ...)
))

test_that("all that integrate refuse a window that ends after the functions, or begins before", {
  for (compute in integrating) {
    expect_error(compute(ended(), to = 6), "is observed only up to 5. Choose a `to` of at most 5",
                 class = "pcfdist_error_missing", fixed = TRUE)
    expect_error(compute(begun(), from = 0, to = 3), "is observed only from 1 on. Choose a `from` of",
                 class = "pcfdist_error_missing", fixed = TRUE)
    expect_no_error(compute(ended(), to = 5))
    expect_no_error(compute(ended()))
    expect_no_error(compute(begun(), from = 1, to = 3))
    expect_no_error(compute(begun(), to = 3))
    expect_no_error(compute(ended(), to = 6, missing = "overlap"))
    expect_no_error(compute(begun(), from = 0, to = 3, missing = "mean"))
  }
})

test_that("the error names the function, its last or first time and the ways out", {
  x <- ended()
  g <- pcf(0:1, 1:0)
  expect_refusal(integral(x["a"], 0, 6), "missing", ends_early(6, 'function 1 ("a")', 5))
  expect_refusal(integral(unname(x[1]), 0, 6), "missing", ends_early(6, "the function", 5))
  expect_refusal(cdist(g, x, to = 6), "missing", ends_early(6, 'function 1 ("a") of `y`', 5))
  expect_refusal(lp_distance(x, g, to = 6), "missing", ends_early(6, 'function 1 ("a") of `f`', 5))
  expect_refusal(nearest_neighbors(g, 1, x, to = 6), "missing", ends_early(6, 'function 1 ("a") of `query`', 5))
  # The function that asks for the shortest window.
  expect_refusal(pdist(c(x, c = pcf(c(0, 4), c(1, NA))), to = 6), "missing", ends_early(6, 'function 3 ("c")', 4))
  expect_refusal(integral(begun(), 0, 4), "missing", begins_late(0, 'function 1 ("a")', 1), begun_at_zero)
  condition <- tryCatch(pdist(c(pcf(0, 1), x), to = 6), error = identity)
  expect_identical(condition$index, 2)
  expect_identical(condition$time, 5)
  # The bound that is told is good.
  third <- pcf(c(0, 2 / 3), c(1, NA))
  expect_refusal(integral(third, 0, 1), "missing", ends_early(1, "the function", "0.6666666666666666"))
  dates <- pcf(as.Date("2024-01-01") + c(0, 9), c(1, NA))
  expect_refusal(integral(dates, to = as.Date("2024-02-01")), "missing",
                 ends_early("2024-02-01", "the function", "2024-01-10"))
})

test_that("a function that is observed nowhere in the window is named", {
  x <- c(ended(), c = pcf(c(-Inf, 8), c(NA, 1)))
  nowhere <- "The window is from 1 to 5, and function 3 (\"c\") is not observed in it. "
  expect_refusal(pdist(x, from = 1, to = 5), "missing", nowhere, "Choose another window, or ",
                 says_what_counts, begun_at_zero)
  late <- "The window is from 6 to Inf, and function 1 (\"a\") is not observed in it. "
  expect_refusal(lp_norm(x, from = 6), "missing", late, "Choose another window, or ", says_what_counts)
})

test_that("a gap inside of the window that all have in common is allowed, one at its end is not", {
  x <- pcf(list(c(0, 2, 4), c(0, 1, 2, 4)), list(c(1, NA, 2), c(3, 4, NA, 1)))
  expect_identical(integral(x, 0, 5), c(4, 8))
  expect_identical(as.vector(pdist(x, from = 0, to = 5)), 2 + 3 + 1)
  expect_refusal(pdist(x, to = 3), "missing", ends_early(3, "function 1", 2))
  expect_refusal(pdist(x, from = 3, to = 6), "missing", begins_late(3, "function 1", 4))
})

test_that("where the weight is 0 nothing has to be observed", {
  x <- ended()
  weight <- pcf(c(-1, 1, 4), c(0, 2, 0))
  expect_identical(unname(integral(x, -2, 20, weight = weight)), c(2 * (1 + 4), 2 * (6 + 1)))
  late <- pcf(c(0, 6, 7), c(1, 2, 0))
  expect_refusal(integral(x, -2, 20, weight = late), "missing",
                 ends_early(7, 'function 1 ("a")', 5, "The weight is positive up to 7"))
  expect_no_error(integral(x, weight = late))
  early <- pcf(c(0, 0.5), c(1, 2))
  expect_refusal(lp_norm(begun(), 1, -1, 3, weight = early), "missing",
                 begins_late(0, 'function 1 ("a")', 1, "The weight is positive from 0 on"), begun_at_zero)
  expect_identical(as.vector(pdist(x, to = 20, weight = pcf(0, 0))), 0)
})

test_that("lengths of overlaps, parts and pieces of functions are those of any window", {
  x <- ended()
  expect_identical(diag(overlap(x, from = 0, to = 9)), c(a = 5, b = 5))
  expect_identical(rectangles(x[1], x[2], 4, 9)$right, c(5, 9))
  expect_no_error(restrict(x, 0, 9))
  expect_length(pdist(x[0], to = 9), 0)
  expect_identical(cdist(x[0], x, to = 9), cdist(x[0], x))
})

test_that("confidence bands hold in a window that is observed", {
  x <- c(ended(), c = pcf(c(0, 4), c(2, NA)))
  expect_refusal(confidence_bands(x, from = 0, to = 5), "na.rm", 'The window ends at 5, but function 3 ("c") is ',
                 "observed only up to 4. Choose a `to` of at most 4, or `na.rm = TRUE` for the means of the others.")
  expect_no_error(confidence_bands(x, from = 0, to = 5, na.rm = TRUE))
  expect_no_error(confidence_bands(x, from = 0, to = 4))
  skip_if_not_installed("survival")
  fit <- survival::survfit(survival::Surv(c(1, 2, 4, 6), c(1, 1, 1, 0)) ~ 1)
  expect_refusal(confidence_bands(fit, "simultaneous", from = 0, to = 7), "to",
                 "The window ends at 7, but the function is observed only up to 6. Choose a `to` of at most 6.")
  expect_no_error(confidence_bands(fit, "simultaneous", from = 0, to = 6))
})

test_that("an integral beyond the last follow-up is refused", {
  skip_if_not_installed("survival")
  pbc <- survival::pbc
  curves <- as_pcf(survival::survfit(survival::Surv(time, status == 2) ~ trt, pbc))
  expect_refusal(integral(curves[1], 0, 20000), "missing", ends_early(20000, 'function 1 ("trt=1")', 4556))
  expect_no_error(integral(curves[1], 0, 4556))
  expect_identical(integral(curves[1], 0), integral(curves[1]))
})

test_that("text is not taken for a time", {
  x <- as_pcf(data.frame(time = as.Date("2024-01-01") + 0:2, value = c(1, 2, 0)))
  refused(integral(x, "2024-01-01", as.Date("2024-01-02")), "from",
          'must be a time, not "2024-01-01". as.Date(from) converts it to dates.')
})

test_apart("windows of length 0 give 0, and no means", {
  lines <- random_plf(4, end = 2)
  samples <- distribution(list(c(1, 3), 2, 2:3, c(1, 1, 4)))
  for (x in list(random_pcf(4), lines, as_plf(random_partial_pcf(4)), samples)) {
    margins <- list(x, structure(x, dim = c(2, 2), names = NULL))
    for (x in margins) {
      margin <- if (!is.null(dim(x))) 1
      n <- if (is.null(margin)) 4 else 2
      for (at in c(1, -3.5, 1e300)) {
        weight <- if (at < 0) pcf(-Inf, 2)
        in_window <- function(measure, ...) {
          as.vector(measure(x, ..., from = at, to = at, weight = weight, margin = margin))
        }
        for (missing in c("error", "overlap", "mean")) {
          result <- if (missing == "mean") NA_real_ else 0
          for (p in list(1, 2.5, Inf)) {
            expect_identical(in_window(pdist, p = p, missing = missing), rep(result, n * (n - 1) / 2))
            expect_identical(in_window(cdist, y = x, p = p, missing = missing), rep(result, n^2))
            expect_identical(in_window(lp_distance, g = x, p = p, missing = missing), rep(result, n))
            expect_identical(in_window(lp_norm, p = p, missing = missing), rep(result, n))
          }
          expect_identical(in_window(integral, missing = missing), rep(result, n))
          expect_identical(in_window(l2_kernel, missing = missing), rep(result, n^2))
        }
        expect_identical(in_window(overlap), numeric(n^2))
        expect_identical(in_window(distance_product, b = seq_len(n)), numeric(n))
        expect_identical(in_window(kernel_product, b = seq_len(n)), numeric(n))
        expect_identical(in_window(neighbors_within, radius = 0, count = TRUE), rep(n - 1, n))
        expect_identical(in_window(reduce_distances, with = "max"), numeric(n))
        near <- nearest_neighbors(x, 1, from = at, to = at, weight = weight, margin = margin)
        expect_identical(as.vector(near$dist), numeric(n))
        expect_identical(spanning_tree(x, from = at, to = at, margin = margin)$height, numeric(n - 1))
      }
    }
  }
  expect_identical(c(pdist(x[1, ], distance = "wasserstein", from = 0.5, to = 0.5)), 0)
  expect_identical(c(pdist(x[1, ], distance = "energy", from = 2, to = 2)), 0)
  expect_error(pdist(x, from = 1, to = 1, margin = 3), class = "pcfdist_error_margin")
  wrong <- structure(list(cbind(c(1, 0), 1)), class = c("pcf", "list"))
  expect_error(integral(wrong, 1, 1), class = "pcfdist_error_x")
  expect_error(pdist(x, from = Inf, to = Inf), class = "pcfdist_error_from")
  expect_error(pdist(x, from = -Inf, to = -Inf), class = "pcfdist_error_to")
})

test_that("functions restricted to windows of length 0 are 0, and there are no rectangles", {
  for (x in list(random_pcf(3), random_plf(3), random_partial_pcf(3))) for (at in c(-1, 2)) {
    names(x) <- c("a", "b", "c")
    for (inside in list(restrict(x, at, at), window(x, at, at))) {
      expect_identical(class(inside), class(x))
      expect_identical(names(inside), names(x))
      expect_identical(unique(c(evaluate(inside, c(-5, at, 9)))), 0)
    }
    if (is_plf(x)) next
    expect_identical(unique(c(evaluate(cumulative(x, at, at), c(-5, at, 9)))), 0)
    none <- rectangles(x[1], x[2], at, at)
    expect_identical(none, rectangles(x[1], x[2], at, at + 1)[0, ])
  }
  time_unit(x) <- "days"
  same <- list(as.difftime(1, units = "days"), as.difftime(24, units = "hours"))
  expect_identical(nrow(rectangles(x[1], x[2], same[[1]], same[[2]])), 0L)
  expect_error(
    confidence_bands(random_pcf(3), from = 1, to = 1), "must be less than `to`", class = "pcfdist_error_from"
  )
})
