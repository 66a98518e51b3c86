test_that("windows may lie anywhere", {
  x <- c(random_pcf(6), tied_pcf(5), pcf(5, 2), pcf(c(0, 5, 10), c(1, 0, 2)))
  windows <- list(
    inside = c(1.25, 6.75), whole = c(-50, 50), before = c(-50, -10), after = c(30, 31),
    cutting = c(2.5, Inf), ending = c(-Inf, 2.5), at_breakpoints = c(0, 5),
    starts_at_last = c(10, Inf), ends_at_first = c(-Inf, -4), narrow = c(5, 5 + 2^-40),
    all_before = c(-Inf, -10), all_after = c(30, Inf), wide = c(-1e6, 1e6)
  )
  for (name in names(windows)) {
    from <- windows[[name]][1]
    to <- windows[[name]][2]
    for (p in operations) {
      expected <- oracle_matrix(x, p = p, from = from, to = to)
      scale <- scale_of(expected, x, p = p, from = from, to = to)
      label <- paste(name, "window, operation", p)
      for (device in test_devices()) {
        half <- half_matrix(x, p, from = from, to = to, device = device)
        full <- full_matrix(x, x, p, from = from, to = to, device = device)
        for (got in list(half, full)) expect_near(got, expected, 1e-13, scale, label)
      }
    }
  }
})

test_that("what comes after the window does not matter, however late", {
  late <- pcf(list(c(0, 1e300), c(0, 1e300)), list(c(1, 0), c(3, 0)))
  small <- pcf(c(0, 1, 1.7e308), c(1e-60, 0, 0))
  for (kernel in kernels) with_settings(kernel = kernel, {
    for (p in c(1, 2, 1.7)) {
      expect_near(pdist(late, p, to = 1e-200), 2 * 1e-200^(1 / p), label = kernel)
      expect_near(pdist(late, p, to = 1e-200, precision = "single"), 2 * 1e-200^(1 / p), 1e-6, label = kernel)
    }
    expect_near(cdist(small, pcf(0, 0), 2, to = 10), 1e-60, label = kernel)
    expect_near(l2_kernel(small, to = 10), 1e-120, label = kernel)
    early <- pcf(c(-1e300, 3, 3 + 1e-10), c(0, 1, 0))
    expect_near(cdist(early, pcf(0, 0), from = 3), 3 + 1e-10 - 3, label = kernel)
  })
})

test_that("functions that differ for ever are infinitely far apart", {
  x <- pcf(list(0, c(0, 3), c(1, 2), c(-1, 4)), list(1, c(5, 1), c(2, 0), c(1, 1e-300)))
  for (kernel in kernels) {
    for (p in c(1, 2, 1.5, 3, 7.3)) {
      got <- with_settings(as.vector(pdist(x, p)), kernel = kernel)
      expect_true(is.finite(got[1]))
      expect_identical(got[-1], rep(Inf, 5))
      expect_false(anyNA(with_settings(pdist(x, p, precision = "single"), kernel = kernel)))
    }
    got <- with_settings(as.vector(pdist(x, Inf)), kernel = kernel)
    expect_identical(got, c(4, 1, 1, 5, 4, 1))
  }
})

test_that("infinity ends with the window", {
  x <- pcf(list(0, 1), list(1, 3))
  expect_identical(as.vector(maybe_infinite(pdist(x, from = 3))), Inf)
  expect_equal(as.vector(pdist(x, to = 3)), 1 + 2 * 2)
  expect_equal(as.vector(pdist(x, p = 2, to = 3)), 3)
  expect_equal(as.vector(pdist(x, p = Inf, to = 1)), 1)
})

test_that("the supremum ignores single points", {
  x <- pcf(list(c(0, 1, 2), c(0, 1, 2)), list(c(1, 9, 0), c(1, 2, 0)))
  expect_identical(as.vector(pdist(x, Inf)), 7)
  expect_identical(as.vector(pdist(x, Inf, to = 1)), 0)
  expect_identical(as.vector(pdist(x, Inf, from = 2)), 0)
})

test_that("a hand-computed example comes out", {
  x <- example_pcf()
  expect_equal(as.vector(pdist(x)), 1 + 1 + 1 * 2 + 3)
  expect_equal(as.vector(pdist(x, 2)), sqrt(1 + 1 + 2 + 9))
  expect_equal(as.vector(pdist(x, 3)), (1 + 1 + 2 + 27)^(1 / 3), tolerance = 1e-14)
  expect_identical(as.vector(pdist(x, Inf)), 3)
  expect_equal(lp_distance(x["a"], x["b"]), c(a = 7))
})

test_that("pdist() gives a dist as dist() does", {
  x <- example_pcf()
  d <- pdist(x, p = 2, to = 10)
  like <- dist(matrix(0, 2, 1, dimnames = list(c("a", "b"), NULL)))
  expect_s3_class(d, "dist", exact = TRUE)
  for (name in c("Size", "Labels", "Diag", "Upper")) expect_identical(attr(d, name), attr(like, name))
  expect_identical(attr(d, "call"), quote(pdist(x = x, p = 2, to = 10)))
  expect_identical(attr(d, "p"), 2)
  expect_setequal(names(attributes(d)), c(names(attributes(like)), "p"))
  methods <- vapply(c(1, 2, 2.5, Inf), function(p) attr(pdist(x, p), "method"), "")
  expect_identical(methods, c("L1", "L2", "Lp", "Linf"))
  expect_null(attr(pdist(unname(x)), "Labels"))
  skip_if(odd_options, "R prints distances according to its options")
  expect_snapshot(pdist(x))
})

test_that("collections of 0, 1 and 2 functions give what dist() gives", {
  x <- unname(example_pcf())
  for (n in 0:2) {
    d <- pdist(x[seq_len(n)])
    like <- dist(matrix(0, n, 1))
    expect_identical(length(d), length(like))
    expect_identical(attr(d, "Size"), attr(like, "Size"))
    expect_s3_class(d, "dist")
    expect_identical(dim(l2_kernel(x[seq_len(n)])), c(n, n))
    expect_identical(dim(cdist(x[seq_len(n)], x)), c(n, 2L))
    expect_identical(dim(cdist(x, x[seq_len(n)], p = 3)), c(2L, n))
  }
  for (other in list(x[0], x, example_pcf())) {
    expect_identical(lp_distance(x[0], other), numeric())
    expect_identical(lp_distance(other, x[0]), numeric())
  }
})

test_that("cdist() has the shape of outer()", {
  x <- random_pcf(6)
  y <- c(b = x[[2]], c = x[[3]])
  expect_identical(dim(cdist(x, y)), c(6L, 2L))
  expect_identical(dimnames(cdist(x, y)), list(NULL, c("b", "c")))
  expect_null(dimnames(cdist(x, x)))
  a <- structure(x, dim = 2:3, dimnames = list(side = c("l", "r"), NULL))
  d <- cdist(a, y, to = 9)
  like <- outer(array(0, c(2, 3), dimnames(a)), c(b = 0, c = 0))
  expect_identical(dim(d), c(2L, 3L, 2L))
  expect_identical(dimnames(d), dimnames(like))
  expect_identical(dim(cdist(a, a)), c(2L, 3L, 2L, 3L))
  expect_identical(as.vector(d), as.vector(cdist(x, y, to = 9)))
  expect_identical(d["r", 2, "b"], as.vector(cdist(x[4], y["b"], to = 9)))
  expect_identical(dim(cdist(x[1], a)), c(1L, 2L, 3L))
})

test_that("lp_distance() recycles", {
  x <- random_pcf(6)
  y <- tied_pcf(3)
  names(x) <- letters[1:6]
  for (p in list(1, 2, 1.5, 7.3, Inf)) {
    d <- lp_distance(x, y, p, to = 30)
    all <- oracle_matrix(x, y, p, to = 30)
    expect_near(d, all[cbind(1:6, c(1:3, 1:3))])
    expect_named(d, letters[1:6])
    expect_identical(unname(d), unname(lp_distance(y, x, p, to = 30)))
    expect_identical(unname(lp_distance(x, x, p)), numeric(6))
  }
  expect_named(lp_distance(y, x, to = 9), letters[1:6])
  expect_null(names(lp_distance(y, y)))
  got <- lp_distance(x, y[1], to = 30, precision = "single")
  expect_near(got, oracle_matrix(x, y[1], to = 30), 1e-5)
})

test_that("lp_distance() has the shape of a difference", {
  x <- tied_pcf(4)
  y <- random_pcf(4)
  named <- structure(x, names = letters[1:4])
  array <- structure(x, dim = c(2, 2), dimnames = list(r = c("a", "b"), NULL))
  for (pair in list(list(x, named), list(named, y), list(array, y), list(y[1:2], array),
                    list(array, array), list(named, array), list(array[0], y))) {
    expect_equal(lp_distance(pair[[1]], pair[[2]], to = 30), lp_norm(pair[[1]] - pair[[2]], to = 30),
                 tolerance = 1e-13)
  }
  other <- structure(x, dim = c(1, 4))
  refused(lp_distance(array, other), "g", "cannot be combined with `f`: non-conformable arrays.")
})

test_that("the input stays as it is", {
  x <- random_pcf(5)
  copy <- unserialize(serialize(x, NULL))
  pdist(x, 3, to = 9)
  l2_kernel(x, x, to = 9)
  expect_identical(x, copy)
})

test_that("squares of small differences on narrow pieces do not vanish", {
  for (width in c(1e-170, 1e-150)) {
    times <- c(0, width, 1)
    x <- pcf(list(times, times), list(c(3e-85, 1e-85, 0), c(1e-85, 1e-85, 0)))
    expect_near(pdist(x, 2), 2e-85 * sqrt(width))
  }
  short <- pcf(list(c(0, 1e-200, 1), c(0, 1e-200, 1)), list(c(3e-70, NA, NA), c(1e-70, NA, NA)))
  expect_near(pdist(short, 2, missing = "mean", from = 0), 2e-70)
  expect_near(l2_kernel(short, missing = "mean", from = 0)[1, 2], 3e-140)
})
