# Every kernel, in both precisions and with the narrowest and the widest tiles, against the
# definition; the C tests do the same on every instruction set of this machine.

tolerance_of <- function(precision) if (precision == "double") 1e-13 else 1e-5

# In single precision times and values are rounded first: errors are relative to the
# largest result.
rounded_scale <- function(scale, precision) {
  if (precision == "double") return(scale)
  pmax(scale, max(scale[is.finite(scale)], 0))
}

expect_kernel <- function(kernel, precision, tile, x, expected) {
  rows <- c(2, 5, 7)
  for (k in seq_along(operations)) {
    p <- operations[[k]]
    scale <- rounded_scale(expected[[k]]$scale, precision)
    label <- paste(kernel, precision, tile, "operation", p)
    got <- with_settings(
      list(
        half = half_matrix(x, p, precision = precision),
        full = full_matrix(x[rows], x, p, precision = precision)
      ),
      kernel = kernel, tile = tile
    )
    tolerance <- tolerance_of(precision)
    expect_near(got$half, expected[[k]]$values, tolerance, scale, label)
    expect_near(got$full, expected[[k]]$values[rows, ], tolerance, scale[rows, ], label)
  }
}

collections <- kinds_of_pcf(37)

for (kind in names(collections)) {
  test_that(paste("all kernels agree with the definition on", kind, "data"), {
    x <- collections[[kind]]
    expected <- lapply(operations, function(p) {
      values <- oracle_matrix(x, p = p)
      list(values = values, scale = matrix(scale_of(values, x, p = p), length(x)))
    })
    for (precision in c("double", "single")) {
      for (tile in c(32, 256)) {
        expect_kernel("sweep", precision, tile, x, expected)
        expect_kernel("grid", precision, tile, x, expected)
      }
      expect_kernel("split", precision, 0, x, expected)
    }
  })
}

test_that("the forced kernel and instructions are those that run", {
  x <- random_pcf(5)
  for (kernel in kernels) {
    for (isa in instruction_sets()) {
      with_settings(pdist(x, to = 9), kernel = kernel, isa = isa, tile = 128)
      run <- last_run()
      expect_identical(run$kernel, kernel)
      expect_identical(run$isa, isa)
      if (kernel != "walk") expect_identical(run$width, 128L)
    }
  }
})

# ---- Bit for bit ----

# All operations on one collection, with and without an end of the window.
everything <- function(x, precision) {
  lapply(operations, function(p) {
    list(
      half_matrix(x, p, precision = precision),
      half_matrix(x, p, from = 1, to = 7.75, precision = precision)
    )
  })
}

for (precision in c("double", "single")) {
  test_that(paste("tiles and blocks do not show, in", precision, "precision"), {
    for (x in list(tied_pcf(75), random_pcf(75))) {
      for (kernel in c("sweep", "grid")) {
        reference <- with_settings(
          everything(x, precision), kernel = kernel, tile = 32, block = 32
        )
        for (sides in list(c(32, 64), c(64, 64), c(64, 0), c(128, 0), c(256, 0), c(0, 0))) {
          got <- with_settings(
            everything(x, precision), kernel = kernel, tile = sides[1], block = sides[2]
          )
          expect_identical(got, reference)
        }
      }
    }
  })

  test_that(paste("the order of functions does not show, in", precision, "precision"), {
    for (x in list(tied_pcf(75), random_pcf(75), gridded_pcf(40))) {
      order <- with_seed(3, sample(length(x)))
      for (kernel in kernels) {
        with_settings(
          {
            reference <- everything(x, precision)
            got <- everything(x[order], precision)
          },
          kernel = kernel, tile = 32
        )
        expected <- rapply(reference, function(m) m[order, order], how = "replace")
        expect_identical(got, expected)
      }
    }
  })

  test_that(paste("half a matrix is half of the full one, in", precision, "precision"), {
    for (x in list(tied_pcf(75), random_pcf(75))) {
      for (kernel in kernels) {
        for (p in operations) {
          with_settings(
            {
              full <- full_matrix(x, x, p, to = 7.75, precision = precision)
              half <- half_matrix(x, p, to = 7.75, precision = precision)
            },
            kernel = kernel, tile = 32
          )
          expect_identical(full, half)
          if (!identical(p, "inner")) expect_identical(diag(full), numeric(length(x)))
        }
      }
    }
  })

  test_that(paste("cdist() is symmetric, in", precision, "precision"), {
    x <- tied_pcf(40)
    y <- c(tied_pcf(20, seed = 2), random_pcf(20))
    for (kernel in kernels) {
      for (p in operations) {
        with_settings(
          {
            there <- full_matrix(x, y, p, precision = precision)
            back <- full_matrix(y, x, p, precision = precision)
          },
          kernel = kernel
        )
        expect_identical(there, t(back))
      }
    }
  })

  test_that(paste("the sweep depends on the pair alone, in", precision, "precision"), {
    tiny <- if (precision == "double") 1e-80 else 1e-3
    far <- pcf(list(c(-1, 700), c(2, 3)), list(c(900, 0), c(tiny, 0)))
    x <- c(tied_pcf(40), random_pcf(30), far)
    part <- c(3, 8, 35, 50, 66)
    for (p in operations) {
      with_settings(
        {
          all <- half_matrix(x, p, from = -3, precision = precision)
          some <- half_matrix(x[part], p, from = -3, precision = precision)
          cross <- full_matrix(x[part], x[-part], p, from = -3, precision = precision)
        },
        kernel = "sweep"
      )
      expect_identical(some, all[part, part], label = paste("operation", p))
      expect_identical(cross, all[part, -part], label = paste("operation", p))
    }
  })
}

test_that("lp_distance() is what the walk gives", {
  x <- c(tied_pcf(20), random_pcf(20))
  y <- x[40:1]
  for (p in list(1, 2, 1.5, 7.3, Inf)) {
    for (precision in c("double", "single")) {
      all <- with_settings(cdist(x, y, p, precision = precision), kernel = "walk")
      expect_identical(lp_distance(x, y, p, precision = precision), diag(all))
    }
  }
})
