# Collections side by side, and one below the other.

# What R makes of numbers of the same shapes; each number stands for a function of `all`.
expect_bound <- function(result, numbers, all) {
  expect_s3_class(result, "pcf", exact = TRUE)
  expect_identical(dim(result), dim(numbers))
  expect_identical(dimnames(result), dimnames(numbers))
  expect_identical(unname(c(unclass(result))), unname(unclass(all))[c(numbers)])
}

test_that("functions are bound as numbers are", {
  x <- random_pcf(6)
  a <- c(p = 1, q = 2)
  b <- 3
  m <- matrix(4:6, 3, dimnames = list(letters[1:3], "u"))
  f <- structure(x[a], names = names(a))
  g <- x[b]
  h <- array(x[4:6], dim(m), dimnames(m))
  expect_bound(cbind(f, g), unname(cbind(a, b)) |> `dimnames<-`(list(names(a), c("f", "g"))), x)
  expect_bound(rbind(f, mean = g), `rownames<-`(rbind(a, b), c("f", "mean")), x)
  expect_bound(cbind(h, b = g), cbind(m, b = b), x)
  expect_bound(rbind(t(h), g), `rownames<-`(rbind(t(m), b), c("u", "g")), x)
  expect_bound(cbind(f, x[3]), `colnames<-`(cbind(a, b), c("f", "")), x)
  expect_bound(do.call(rbind, list(x[1:2], NULL, x[3:4])), rbind(1:2, 3:4), x)
  expect_bound(cbind(f, stepfun(1, c(0, 4))), `colnames<-`(cbind(a, 3), c("f", "")),
               c(x[1:2], as_pcf(stepfun(1, c(0, 4)))))
  expect_identical(dim(cbind(x[0])), c(0L, 1L))
})

test_that("times are told in one unit when functions are bound", {
  hours <- pcf(as.difftime(c(0, 2), units = "hours"), c(1, 0))
  minutes <- pcf(as.difftime(c(0, 60), units = "mins"), c(1, 0))
  both <- cbind(hours, minutes)
  expect_identical(time_unit(both), time_unit(minutes))
  expect_identical(unname(c(both)), unname(c(hours, minutes)))
  expect_error(rbind(hours, pcf(0, 1)), class = "pcfdist_error_...")
})

test_that("with a data frame there is a data frame", {
  x <- example_pcf()
  frame <- data.frame(id = seq_along(x))
  expect_identical(cbind(frame, f = x), data.frame(id = seq_along(x), f = x))
  expect_identical(cbind(f = x, frame), data.frame(f = x, id = seq_along(x)))
  both <- rbind(data.frame(id = 1:2, f = x), data.frame(id = 3:4, f = rev(x)))
  expect_identical(unname(both$f), unname(c(x, rev(x))))
})

test_that("what cannot be bound is an error", {
  x <- example_pcf()
  refused(cbind(x, 1:2), "...", "cannot be converted to a pcf: it is an integer vector of length 2. ", converts_to_pcf)
  refused(rbind(array(x, c(1, 2)), array(x, c(2, 1))), "...",
          "cannot be combined: number of columns of matrices must match (see arg 2)")
  refused(cbind(x, array(x, c(1, 1, 2))), "...", "must have at most two dimensions: an array of functions has 3.")
})
