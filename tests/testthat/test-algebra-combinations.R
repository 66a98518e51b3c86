# The sums row by row: of the functions with a weight other than 0.
combined_by_rows <- function(W, x, ...) {
  sums <- lapply(seq_len(nrow(W)), function(i) {
    w <- unname(W[i, ])
    sum((unname(x) * w)[w != 0], ...)
  })
  result <- if (length(sums) > 0) do.call(c, sums) else x[0]
  names(result) <- rownames(W)
  result
}

random_weights <- function(rows, columns, seed) {
  with_seed(seed, {
    W <- matrix(rnorm(rows * columns), rows, columns)
    W[runif(rows * columns) < 0.4] <- 0
    if (rows > 1) W[2, ] <- 0
    rownames(W) <- sprintf("r%d", seq_len(rows))
    W
  })
}

test_that("linear combinations are the sums of each row", {
  for (seed in 1:40) {
    n <- with_seed(seed, sample(1:25, 1))
    x <- (if (seed %% 2) random_pcf else random_partial_pcf)(n, 15, seed)
    W <- random_weights(with_seed(seed, sample(0:9, 1)), n, seed)
    for (na_rm in c(FALSE, TRUE)) {
      combined <- linear_combinations(W, x, na.rm = na_rm)
      expect_identical(combined, combined_by_rows(W, x, na.rm = na_rm))
      expect_identical(linear_combinations(unname(W), x, na.rm = na_rm), unname(combined))
    }
  }
  for (x in kinds_of_pcf(12, 80)) {
    W <- random_weights(5, 12, 3)
    expect_identical(linear_combinations(W, x), combined_by_rows(W, x))
    whole <- round(W)
    storage.mode(whole) <- "integer"
    expect_identical(linear_combinations(whole, x), combined_by_rows(whole, x))
    expect_identical(linear_combinations(W > 0, x), combined_by_rows(1 * (W > 0), x))
  }
})

test_that("all classes of Matrix mean the same", {
  skip_if_not_installed("Matrix")
  as <- methods::as
  n <- 8
  x <- random_pcf(n)
  W <- unname(random_weights(n, n, 1))
  sparse <- Matrix::Matrix(W, sparse = TRUE)
  matrices <- list(
    sparse, as(sparse, "RsparseMatrix"), as(sparse, "TsparseMatrix"), sparse != 0,
    as(sparse, "nMatrix"), as(as(sparse, "nMatrix"), "RsparseMatrix"), as(W, "unpackedMatrix"),
    Matrix::Matrix(W > 0, sparse = FALSE), Matrix::forceSymmetric(sparse),
    Matrix::forceSymmetric(as(W, "unpackedMatrix")), Matrix::tril(sparse), Matrix::triu(sparse),
    Matrix::Diagonal(n), Matrix::Diagonal(n, 1:n), as(n:1, "pMatrix"), as(c(1L, 1L, 3:8), "indMatrix"),
    Matrix::sparseMatrix(c(1, 1, 8), c(2, 2, 3), x = c(1, 2, 0), dims = c(n, n), repr = "T"),
    sparse[0, ], sparse[1:3, ]
  )
  for (M in matrices) {
    expected <- combined_by_rows(1 * as.matrix(M), x)
    expect_identical(linear_combinations(M, x), expected, info = class(M))
    expect_identical(M %*% x, expected, info = class(M))
  }
  named <- sparse
  rownames(named) <- letters[1:n]
  expect_identical(names(linear_combinations(named, x)), letters[1:n])
})

test_that("Matrix finds products in either order of loading, and forgets them", {
  skip_if_not_installed("Matrix")
  skip_on_cran()
  found <- function(first, second, end = "") {
    code <- paste0(
      ".libPaths(", paste(deparse(.libPaths()), collapse = ""), "); loadNamespace('", first,
      "'); loadNamespace('", second, "'); ", end,
      "cat(methods::existsMethod('%*%', c('CsparseMatrix', 'pcf')))"
    )
    system2(
      file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(code)), stdout = TRUE
    )
  }
  expect_identical(utils::tail(found("Matrix", "pcfdist"), 1), "TRUE")
  expect_identical(utils::tail(found("pcfdist", "Matrix"), 1), "TRUE")
  expect_identical(
    utils::tail(found("pcfdist", "Matrix", "unloadNamespace('pcfdist'); "), 1), "FALSE"
  )
})

test_that("plain matrices are multiplied where R looks for methods", {
  x <- random_pcf(4)
  W <- random_weights(3, 4, 1)
  generic <- function(x, y, .Generic = "%*%") {
    method <- pcfdist:::matrixOps.pcf
    environment(method) <- list2env(list(.Generic = .Generic), parent = environment(method))
    method(x, y)
  }
  expect_identical(generic(W, x), linear_combinations(W, x))
  expect_error(generic(x, t(W)), class = "pcfdist_error_generic")
  expect_error(generic(W, x, "crossprod"), class = "pcfdist_error_generic")
  skip_if(getRversion() < "4.3.0")
  expect_identical(W %*% x, linear_combinations(W, x))
  expect_error(x %*% t(W), class = "pcfdist_error_generic")
})

test_that("matrices of functions give matrices of functions", {
  x <- random_pcf(12)
  dim(x) <- c(4, 3)
  dimnames(x) <- list(NULL, c("a", "b", "c"))
  W <- random_weights(5, 4, 1)
  combined <- linear_combinations(W, x)
  expect_identical(dim(combined), c(5L, 3L))
  expect_identical(dimnames(combined), list(rownames(W), c("a", "b", "c")))
  for (j in 1:3) expect_identical(c(combined[, j]), linear_combinations(W, c(x[, j])))
  expect_null(dimnames(linear_combinations(unname(W), unname(x))))
  expect_identical(dim(linear_combinations(W, x[, 0])), c(5L, 0L))
  line <- random_pcf(4)
  dim(line) <- 4
  expect_identical(linear_combinations(W, line), linear_combinations(W, c(line)))
})

test_that("no functions, and no weights, give zero functions", {
  x <- random_pcf(3)
  expect_identical(linear_combinations(matrix(0, 2, 0), x[0]), pcf(list(0, 0), list(0, 0)))
  expect_identical(linear_combinations(matrix(0, 2, 3), x), pcf(list(0, 0), list(0, 0)))
  expect_identical(linear_combinations(matrix(0, 0, 3), x), x[0])
})

test_that("what has no weight does not matter", {
  x <- c(pcf(c(-Inf, 0, 1), c(2, NA, 0)), pcf(c(1, 2), c(1, 0)), pcf(0, 0)[NA_integer_])
  W <- rbind(c(0, 2, 0), c(1, 2, 0), c(1, 0, 0))
  combined <- linear_combinations(W, x)
  expect_identical(combined[1], pcf(c(1, 2), c(2, 0)))
  expect_identical(combined[2], pcf(c(-Inf, 0, 1, 2), c(2, NA, 2, 0)))
  expect_identical(combined[3], x[1])
  expect_identical(
    linear_combinations(W, x, na.rm = TRUE)[2], pcf(c(-Inf, 0, 1, 2), c(2, 0, 2, 0))
  )
  W[1, 3] <- 5
  expect_error(linear_combinations(W, x), class = "pcfdist_error_x")
  expect_identical(linear_combinations(W, x, na.rm = TRUE)[1], combined[1])
  skip_if_not_installed("Matrix")
  W <- Matrix::sparseMatrix(c(1, 1, 1), 1:3, x = c(0, 2, 0), repr = "C")
  expect_identical(linear_combinations(W, x), unname(combined[1]))
})

test_that("tiny weights of huge functions, and rows of other magnitudes, lose nothing", {
  x <- c(pcf(0, 1e-300), pcf(0, 1e300), pcf(0, 1))
  W <- rbind(c(1e300, 1e-300, 0), c(0, 0, 1e300), c(0, 0, 1e-310), c(1e300, 1e-300, -2))
  values <- vapply(unclass(linear_combinations(W, x)), function(f) f[1, 2], 0)
  expect_equal(values, c(2, 1e300, 1e-310, 0), tolerance = 1e-15)
  expect_equal(sum(x, weights = W[1, ]), pcf(0, 2))
})

test_that("the digits of a tiny weight count", {
  x <- c(pcf(0:1, c(2^51, 0)), pcf(1:2, c(2^1000, 0)))
  expect_identical(evaluate(sum(x, weights = c(2^972, 1.25 * 2^-121)), 1), 1.25 * 2^879)
})

test_that("units of time stay", {
  x <- random_pcf(3)
  time_unit(x) <- "Date"
  combined <- linear_combinations(diag(3), x)
  expect_identical(combined, x)
  expect_identical(time_unit(linear_combinations(matrix(0, 2, 0), x[0])), time_unit(x))
})

test_that("wrong arguments are errors", {
  x <- example_pcf()
  refused(linear_combinations(1:2, x), "W", "must be a numeric matrix, of base R or the package Matrix, not an ",
          "integer vector of length 2. For a vector, use sum(x, weights = ).")
  refused(linear_combinations(letters, x), "W",
          "must be a numeric matrix, of base R or the package Matrix, not a character vector of length 26.")
  refused(linear_combinations(data.frame(a = 1, b = 2), x), "W",
          "must be a numeric matrix, of base R or the package Matrix, not a data frame with 2 columns.")
  refused(linear_combinations(diag(2), letters[1:2]), "x", "must be a <pcf> or numbers, not a character vector of ",
          "length 2. Use as_pcf() for step functions, curves, matrices and data frames.")
  refused(linear_combinations(diag(2), factor(1:2)), "x", "must be a <pcf> or numbers, not an object of class ",
          "<factor> of length 2. Use as_pcf() for step functions, curves, matrices and data frames.")
  refused(linear_combinations(diag(3), x), "W", "must have a column for each of the 2 functions of `x`, not 3.")
  refused(linear_combinations(diag(3), array(x, c(2, 1))), "W",
          "must have a column for each of the 2 rows of `x`, not 3.")
  refused(linear_combinations(diag(2), array(x, c(1, 1, 2))), "x",
          "must be a collection or a matrix of functions, not an array of 3 dimensions.")
  refused(linear_combinations(rbind(1:2, c(3, NA)), x), "W", "must be finite, not NA in row 2, column 2.")
  refused(linear_combinations(matrix(c(1, 2, 3, -Inf), 2), x), "W", "must be finite, not -Inf in row 2, column 2.")
  refused(linear_combinations(diag(2), x, na.rm = 1), "na.rm", "must be TRUE or FALSE, not 1.")
  refused(linear_combinations(diag(2), x, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
  expect_refusal(linear_combinations(diag(1e308, 2) * 1.7, x * 10), "argument",
                 "A value of the result is too large for a double.")
  skip_if_not_installed("Matrix")
  refused(Matrix::Diagonal(3) %*% x, "x", "must have a column for each of the 2 functions of `y`, not 3.")
  refused(Matrix::sparseMatrix(c(1, 3, 3), c(1, 1, 2), x = c(1, 2, NA)) %*% x, "x",
          "must be finite, not NA in row 3, column 2.")
  refused(linear_combinations(Matrix::sparseMatrix(c(1, 3), c(1, 2), x = c(NaN, 2)), x), "W",
          "must be finite, not NaN in row 1, column 1.")
  refused(linear_combinations(Matrix::sparseVector(1, 1, 2), x), "W", "must be a numeric matrix, of base R or the ",
          "package Matrix, not an object of class <dsparseVector> of length 2.")
})

# ---- Numbers ----

# The product on all devices and numbers of threads: the same bits, of which one is given back.
times_numbers <- function(W, x) {
  product <- linear_combinations(W, x, threads = 1, device = "cpu")
  expect_identical(linear_combinations(W, x, threads = 3, device = "cpu"), product)
  if ("cuda" %in% test_devices()) {
    expect_identical(linear_combinations(W, x, device = "cuda"), product)
  }
  product
}

# The product of base R, and its errors as shares of the sums of all magnitudes.
expect_product <- function(W, x) {
  product <- times_numbers(W, x)
  M <- 1 * as.matrix(W)
  expected <- M %*% x
  if (is.matrix(x)) {
    expect_identical(dimnames(product), dimnames(expected))
    expect_identical(dim(product), dim(expected))
  } else {
    expect_identical(names(product), rownames(W))
    expect_null(dim(product))
  }
  expect_true(all(abs(c(product) - c(expected)) <= 1e-13 * c(abs(M) %*% abs(x))))
}

test_that("matrices are multiplied by numbers as base R does", {
  for (seed in 1:6) {
    n <- with_seed(seed, sample(0:40, 1))
    W <- random_weights(with_seed(seed, sample(0:30, 1)), n, seed)
    x <- with_seed(seed, matrix(rnorm(3 * n), n, dimnames = list(NULL, c("a", "b", "c"))))
    expect_product(W, x[, 1])
    expect_product(unname(W), x)
    expect_product(W, x)
    expect_product(W > 0, unname(x))
    expect_product(W, x > 0)
    expect_product(W, round(x[, 3]))
    expect_product(W, x[, 0, drop = FALSE])
  }
  expect_identical(linear_combinations(rbind(1:3, 2), c(TRUE, FALSE, TRUE)), c(4, 4))
  expect_identical(linear_combinations(diag(2), array(c(a = 2L, b = 3L), 2)), c(2, 3))
  expect_identical(linear_combinations(diag(3), c(TRUE, NA, FALSE)), rep(NA_real_, 3))
})

test_that("all classes of Matrix are multiplied by numbers", {
  skip_if_not_installed("Matrix")
  as <- methods::as
  n <- 30
  sparse <- Matrix::Matrix(unname(random_weights(n, n, 2)), sparse = TRUE)
  rows <- as(sparse, "RsparseMatrix")
  x <- with_seed(3, matrix(rnorm(2 * n), n, dimnames = list(NULL, c("a", "b"))))
  repeated <- Matrix::sparseMatrix(c(1, 1, 8, 1), c(2, 2, 3, 2), x = 1:4, dims = c(n, n), repr = "T")
  for (M in list(
    sparse, rows, as(sparse, "TsparseMatrix"), sparse != 0, as(sparse != 0, "RsparseMatrix"),
    as(sparse, "nMatrix"), as(as(sparse, "nMatrix"), "RsparseMatrix"),
    as(as.matrix(sparse), "unpackedMatrix"), Matrix::forceSymmetric(sparse),
    Matrix::forceSymmetric(rows), Matrix::tril(sparse), as(Matrix::triu(sparse), "RsparseMatrix"),
    Matrix::Diagonal(n), as(Matrix::Diagonal(n), "RsparseMatrix"), Matrix::Diagonal(n, 1:n),
    as(n:1, "pMatrix"), repeated, as(repeated, "RsparseMatrix"), rows[0, ], rows[1:3, ]
  )) {
    expect_product(M, x[, 1])
    expect_product(M, x)
  }
  rownames(rows) <- sprintf("r%d", 1:n)
  expect_product(rows, x[, 2])
  expect_identical(linear_combinations(rows, x), linear_combinations(as(rows, "CsparseMatrix"), x))
})

test_that("numbers that are missing or infinite count where an entry is stored", {
  W <- rbind(c(1, 2, 0), c(NA, 1, 1), c(NaN, 0, 1), c(0, Inf, 1), c(0, -Inf, 1))
  expect_identical(times_numbers(W, c(1, 2, 3)), c(5, NA, NaN, Inf, -Inf))
  expect_identical(times_numbers(W, c(1, NA, 3)), rep(NA_real_, 5))
  expect_identical(times_numbers(W, c(1, 2, Inf)), c(NaN, NA, NaN, Inf, NaN))
  expect_identical(times_numbers(W, c(0, 0, NaN)), c(NaN, NA, NaN, NaN, NaN))
  expect_identical(times_numbers(W, c(1L, NA, 3L)), rep(NA_real_, 5))
  skip_if_not_installed("Matrix")
  stored <- Matrix::sparseMatrix(
    c(1, 1, 2, 3, 3, 4), c(1, 2, 3, 1, 3, 2), x = c(1, 2, 3, 0, 4, NA), dims = c(5, 3)
  )
  for (class in c("CsparseMatrix", "RsparseMatrix", "TsparseMatrix")) {
    M <- methods::as(stored, class)
    expect_identical(times_numbers(M, c(NA, 1, 1)), c(NA, 3, NA, NA, 0))
    expect_identical(times_numbers(M, c(Inf, 1, 1)), c(Inf, 3, NaN, NA, 0))
    expect_identical(times_numbers(M, c(NaN, 1, 1)), c(NaN, 3, NaN, NA, 0))
    expect_identical(times_numbers(M, c(1, NaN, 1)), c(NaN, 3, 4, NA, 0))
  }
})

test_that("numbers that do not go with a matrix are errors", {
  refused(linear_combinations(diag(3), 1:2), "W", "must have a column for each of the 2 numbers of `x`, not 3.")
  refused(linear_combinations(diag(3), matrix(1, 2, 3)), "W",
          "must have a column for each of the 2 rows of `x`, not 3.")
  refused(linear_combinations(1:2, 1:2), "W",
          "must be a numeric matrix, of base R or the package Matrix, not an integer vector of length 2.")
  refused(linear_combinations("a", 1), "W", 'must be a numeric matrix, of base R or the package Matrix, not "a".')
  refused(linear_combinations(diag(2), array(1, c(2, 1, 1))), "x",
          "must be a vector or a matrix, not an array of 3 dimensions.")
  refused(linear_combinations(diag(2), 1:2 + 0i), "x", "must be a <pcf> or numbers, not a complex vector of length 2. ",
          "Use as_pcf() for step functions, curves, matrices and data frames.")
  refused(linear_combinations(diag(2), NULL), "x",
          "must be a <pcf> or numbers, not NULL. Use as_pcf() for step functions, curves, matrices and data frames.")
  refused(linear_combinations(diag(2), data.frame(a = 1:2)), "x", "must be a <pcf> or numbers, not a data frame with ",
          "1 column. Use as_pcf() for step functions, curves, matrices and data frames.")
  refused(linear_combinations(diag(2), as.Date(c(1, 2), "1970-01-01")), "x", "must be a <pcf> or numbers, not an ",
          "object of class <Date> of length 2. Use as_pcf() for step functions, curves, matrices and data frames.")
  refused(linear_combinations(diag(2), 1:2, na.rm = TRUE), "na.rm",
          "must be FALSE for numbers, which give NA where one of them is NA.")
  refused(linear_combinations(diag(2), 1:2, na.rm = NA), "na.rm", "must be TRUE or FALSE, not NA.")
  refused(linear_combinations(diag(2), 1:2, threads = 0), "threads", "must be a whole number of at least 1, not 0.")
  expect_error(linear_combinations(diag(2), "a"), class = "pcfdist_error_x")
  expect_error(linear_combinations(diag(2), 1:2, device = "gpu"), class = "pcfdist_error_device")
})

test_that("matrices that were damaged are errors, and nothing is read beside them", {
  skip_if_not_installed("Matrix")
  sparse <- Matrix::sparseMatrix(c(1, 2, 2), c(1, 2, 3), x = 1:3)
  rows <- methods::as(sparse, "RsparseMatrix")
  damaged <- function(M, slot, value) {
    attr(M, slot) <- value
    M
  }
  for (M in list(
    damaged(rows, "j", c(0L, 1L, 3L)), damaged(rows, "j", c(0L, -1L, 2L)),
    damaged(rows, "j", c(0L, NA, 2L)), damaged(rows, "j", 0:1), damaged(rows, "x", 1),
    damaged(rows, "p", c(0L, 4L, 3L)), damaged(rows, "p", c(1L, 2L, 3L)),
    damaged(rows, "p", c(0L, 3L)), damaged(sparse, "i", c(0L, 2L, 1L)),
    damaged(sparse, "p", c(0L, 2L, 1L, 3L))
  )) {
    expect_error(linear_combinations(M, 1:3), "internal error")
    if (methods::is(M, "CsparseMatrix")) {
      expect_error(linear_combinations(M, random_pcf(3)), "internal error")
    }
  }
})

test_that("weights have to be finite also where there is nothing to weigh", {
  x <- rpcf(6, 3)
  dim(x) <- c(2, 3)
  none <- x[, integer()]
  expect_identical(dim(linear_combinations(diag(2), none)), c(2L, 0L))
  expect_error(
    linear_combinations(matrix(c(1, 2, NaN, 4), 2), none), "NaN in row 1, column 2",
    class = "pcfdist_error_W"
  )
})
