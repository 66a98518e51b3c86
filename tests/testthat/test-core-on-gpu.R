# Functions that stay on GPUs. How they are known by their elements is tested without a GPU, too:
# with_handle() makes them known, and brings them nowhere.

with_handle <- function(x) pcfdist:::with_handle(x)

# The functions are those of the handle: TRUE or FALSE; NA if there is no handle.
is_known <- function(x) !is.na(.Call(pcfdist:::ffi_is_resident, x, 0L))

# The same numbers in other memory, without any handle.
fresh <- function(x) {
  copy <- unserialize(serialize(unclass(x), NULL))
  attr(copy, "on_gpu") <- NULL
  class(copy) <- class(x)
  copy
}

# What reads functions in C: from pairs, of one function each, and of all at once.
readings <- function(x) {
  list(
    as.vector(pdist(x, to = 4)), unname(l2_kernel(x, to = 4)), lp_norm(unname(c(x)), to = 4),
    evaluate(unname(c(x)), c(0.5, 1.5)), unclass(mean(x)), unclass(max(x)),
    nearest_neighbors(x, 1, to = 4)$dist
  )
}

three <- function() {
  pcf(list(a = c(0, 2, 5), b = c(1, 4), c = 0:2), list(c(1, 3, 0), c(2, 0), 1:3))
}

# Every way to change a collection, or to get another one from it.
changes <- list(
  subset_assign = function(y) `[<-`(y, 2, value = pcf(0, 7)),
  element_assign = function(y) `[[<-`(y, "b", value = pcf(0, 7)),
  dollar_assign = function(y) `$<-`(y, "a", value = pcf(0, 7)),
  logical_assign = function(y) `[<-`(y, c(TRUE, FALSE, FALSE), value = y[3]),
  remove = function(y) `[<-`(y, 2, value = NULL),
  longer = function(y) `[<-`(y, 4, value = y[1]),
  one_number = function(y) {
    functions <- unclass(y)
    functions[[1]][2, "value"] <- 99
    class(functions) <- "pcf"
    functions
  },
  one_number_in_place = function(y) {
    functions <- unclass(y)
    rm(y)
    gc()
    for (k in 1:3) functions[[2]][1, 2] <- 40 + k
    class(functions) <- "pcf"
    functions
  },
  element_taken_out = function(y) {
    f <- .subset2(y, 1)
    f[1, 2] <- 55
    functions <- unclass(y)
    functions[[1]] <- f
    class(functions) <- "pcf"
    functions
  },
  dimensions_of_an_element = function(y) {
    functions <- unclass(y)
    dim(functions[[1]]) <- NULL
    functions[[1]] <- matrix(
      functions[[1]] + 0.5, ncol = 2, dimnames = list(NULL, c("time", "value"))
    )
    class(functions) <- "pcf"
    functions
  },
  attributes_kept = function(y) {
    functions <- lapply(unclass(y), function(f) {
      f[, 2] <- f[, 2] * 3
      f
    })
    attributes(functions) <- attributes(y)
    functions
  },
  attribute_moved = function(y) {
    z <- pcf(list(0:1, 0:2, 0:1), list(1:2, 3:1, 2:1))
    attr(z, "on_gpu") <- attr(y, "on_gpu")
    z
  },
  modify_list = function(y) {
    functions <- utils::modifyList(unclass(y), list(b = unclass(pcf(0, 7))[[1]]))
    class(functions) <- "pcf"
    functions
  },
  replaced = function(y) replace(y, 3, pcf(1, 7)),
  permuted = function(y) y[3:1],
  reversed = function(y) rev(y),
  repeated = function(y) rep(y, 2),
  combined = function(y) c(y, y[1]),
  fewer = function(y) y[-1],
  sum_of = function(y) y + 1,
  negative = function(y) -y,
  product = function(y) y * y,
  root = function(y) sqrt(abs(y)),
  restricted = function(y) restrict(y, 0.5, 3),
  shifted = function(y) shift_time(y, 0.25),
  simplified = function(y) drop_redundant(y + 0),
  differences = function(y) diff(y),
  filled = function(y) fill_missing(y * 2),
  in_a_data_frame = function(y) {
    data <- data.frame(id = 1:3, f = y)
    data$f[2] <- pcf(0, 8)
    data$f
  },
  from_an_environment = function(y) {
    box <- new.env()
    box$y <- y
    box$y[[1]] <- pcf(0, 8)
    box$y
  },
  in_a_list = function(y) {
    box <- list(y = y)
    box$y[[2]] <- pcf(0, 8)
    box$y
  }
)

test_that("a changed copy is another collection, whatever was changed, and how", {
  for (name in names(changes)) {
    y <- with_handle(three())
    expect_true(is_known(y), info = name)
    z <- changes[[name]](y)
    expect_false(is_known(z), info = name)
    expect_identical(readings(z), readings(fresh(z)), info = name)
    expect_true(is_known(y), info = name)
    expect_identical(readings(y), readings(three()), info = name)
  }
})

test_that("changing the collection that went to the GPU leaves the copy there alone", {
  x <- unclass(three())
  y <- with_handle(structure(x, class = "pcf"))
  x[[1]][1, 2] <- 77
  x[[2]][, 2] <- 0
  expect_true(is_known(y))
  expect_identical(readings(y), readings(three()))
})

test_that("names, dimensions and units are not what functions are known by", {
  y <- with_handle(three())
  names(y) <- c("x", "y", "z")
  expect_true(is_known(y))
  dim(y) <- c(1, 3)
  expect_true(is_known(y))
  expect_identical(as.vector(pdist(y, to = 4)), as.vector(pdist(three(), to = 4)))
  attr(y, "note") <- "new"
  expect_true(is_known(y))
  attr(y, "on_gpu") <- NULL
  expect_false(is_known(y))
})

test_that("functions that are known are as they were for everything else", {
  x <- three()
  y <- with_handle(x)
  expect_identical(capture.output(print(y)), capture.output(print(x)))
  expect_identical(capture.output(str(y)), capture.output(str(x)))
  expect_identical(summary(y), summary(x))
  expect_true(all(x == y))
  expect_identical(y[], x[])
  expect_identical(c(y), c(x))
  expect_identical(as.data.frame(y), as.data.frame(x))
  expect_identical(as.matrix(y, 0:3), as.matrix(x, 0:3))
  expect_identical(y + 1, x + 1)
  expect_identical(unique(y), unique(x))
  expect_identical(aggregate(y, c(1, 1, 2)), aggregate(x, c(1, 1, 2)))
})

test_that("functions that are not observed everywhere are known, and what they are told", {
  x <- pcf(list(c(0, 1, 2), c(0, 1.5, 2)), list(c(1, NA, 0), c(2, NA, 0)))
  y <- with_handle(x)
  expect_true(is_known(y))
  expect_error(pdist(y), class = "pcfdist_error_missing")
  expect_identical(
    as.vector(pdist(y, missing = "overlap")), as.vector(pdist(x, missing = "overlap"))
  )
  message <- function(call) conditionMessage(tryCatch(call, error = identity))
  expect_identical(message(distance_product(y, 1:2)), message(distance_product(x, 1:2)))
  expect_identical(message(pdist(y)), message(pdist(x)))
})

test_that("unsound functions are errors and are not known", {
  x <- structure(list(cbind(time = c(0, 0), value = 1:2 + 0)), class = "pcf")
  expect_error(with_handle(x), class = "pcfdist_error_x")
})

test_that("dplyr and vctrs make other collections", {
  skip_if_not_installed("vctrs")
  y <- with_handle(three())
  for (z in list(
    vctrs::vec_slice(y, 2:1), vctrs::vec_c(y, y[1]), vctrs::vec_assign(y, 2, pcf(0, 5)),
    vctrs::vec_rep(y, 2)
  )) {
    expect_null(attr(z, "on_gpu"))
    expect_identical(readings(z), readings(fresh(z)))
  }
  skip_if_not_installed("dplyr")
  data <- dplyr::mutate(dplyr::tibble(id = 1:3, f = y), f = dplyr::if_else(id == 2, f[1], f))
  expect_false(is_known(data$f))
  expect_identical(readings(data$f), readings(fresh(data$f)))
})

test_that("what is saved and loaded is the collection, and it is on no GPU", {
  y <- with_handle(three())
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file, expand = FALSE))
  saveRDS(y, file)
  z <- readRDS(file)
  expect_false(is_known(z))
  expect_false(is_on_gpu(z))
  expect_identical(release(z), 0)
  expect_identical(readings(z), readings(three()))
  expect_lt(length(serialize(y, NULL)), length(serialize(three(), NULL)) + 500)
  skip_without_processes()
  told <- run_child(sprintf(
    "z <- readRDS('%s'); cat(pcfdist:::is_on_gpu(z), release(z), sum(pdist(z, to = 4)))", file
  ))
  expect_identical(told, paste("FALSE 0", number(sum(pdist(y, to = 4)), 7)))
})

test_that("a handle goes with its collection, and with the package", {
  y <- with_handle(three())
  z <- y
  rm(y)
  gc()
  expect_true(is_known(z))
  expect_identical(readings(z), readings(three()))
  skip_without_processes()
  told <- run_child(c(
    "x <- pcf(list(0:1, 0:2), list(1:0, 2:0))",
    "y <- pcfdist:::with_handle(x); z <- pcfdist:::with_handle(x); rm(z); gc() -> g",
    "unloadNamespace('pcfdist')",
    "rm(x); g <- gc(); cat(typeof(y)); rm(y); g <- gc(); cat('', 'end')"
  ))
  expect_identical(told, "list end")
})

test_that("without CUDA, on_gpu() says why", {
  skip_if("cuda" %in% test_devices())
  expect_error(
    on_gpu(three()), paste0("`device` cannot be \"cuda\": ", cuda_info()$problem), fixed = TRUE,
    class = "pcfdist_error_device"
  )
  expect_false(is_on_gpu(three()))
  expect_identical(release(three()), 0)
  expect_invisible(release(three()))
})

test_that("on_gpu() wants functions", {
  expect_error(on_gpu(1:3), class = "pcfdist_error")
  expect_error(release(NULL), class = "pcfdist_error_x")
})

# ---- On a GPU ----

# Without the call, which differs.
unclass_all <- function(x) {
  x <- unclass(x)
  attr(x, "call") <- NULL
  x
}

staying_memory <- function() sum(cuda_info()$devices$staying_memory)

test_that("distances of functions that stay are the same, bit for bit", {
  skip_without_cuda()
  for (x in kinds_of_pcf(150, long = 3000)) {
    y <- on_gpu(x)
    expect_true(is_on_gpu(y))
    for (precision in c("double", "single")) {
      for (call in list(
        function(x) pdist(x, device = "cuda", precision = precision),
        function(x) pdist(x, 2, device = "cuda", precision = precision),
        function(x) pdist(x, 1.5, 0.5, 3, device = "cuda", precision = precision),
        function(x) pdist(x, Inf, to = 2, device = "cuda", precision = precision),
        function(x) l2_kernel(x, to = 5, device = "cuda", precision = precision),
        function(x) cdist(x, x[1:7], device = "cuda", precision = precision),
        function(x) cdist(x[1:7], x, from = 1, device = "cuda", precision = precision),
        function(x) nearest_neighbors(x, 3, to = 9, device = "cuda", precision = precision),
        function(x) neighbors_within(x, 0.5, to = 9, device = "cuda", precision = precision)
      )) {
        want <- suppressWarnings(call(x))
        for (k in 1:2) {
          expect_identical(unclass_all(suppressWarnings(call(y))), unclass_all(want))
          expect_identical(last_run()$device, "cuda")
        }
      }
    }
    expect_true(is_on_gpu(y))
    release(y)
    expect_false(is_on_gpu(y))
    expect_identical(
      unclass_all(pdist(y, device = "cuda")), unclass_all(pdist(x, device = "cuda"))
    )
  }
  expect_identical(staying_memory(), 0)
})

test_that("every kernel and every cut reads functions where they stay", {
  skip_without_cuda()
  x <- paper_pcf(700, longest = 300)
  for (kernel in c("sweep", "grid", "split")) {
    y <- on_gpu(if (kernel == "grid") gridded_pcf(700, points = 300) else x)
    z <- fresh(y)
    for (memory in c(0, 40e6)) {
      compute <- function(f) {
        with_settings(
          as.vector(pdist(f, device = "cuda")), kernel = kernel, block = 128, gpu_memory = memory
        )
      }
      both <- lapply(list(y, z), compute)
      expect_identical(both[[1]], both[[2]])
    }
    release(y)
  }
})

test_that("cuda_info() tells what stays, and garbage goes", {
  skip_without_cuda()
  release_kept()
  x <- paper_pcf(600, longest = 100)
  bytes <- 16 * sum(lengths(unclass(x)) / 2)
  expect_identical(staying_memory(), 0)
  y <- on_gpu(x)
  expect_gte(staying_memory(), bytes)
  expect_output(print(cuda_info()), "GB of functions")
  expect_identical(on_gpu(y), y)
  release_kept()
  expect_true(is_on_gpu(y))
  expect_gte(release(y), bytes)
  expect_identical(staying_memory(), 0)

  y <- on_gpu(x)
  z <- on_gpu(x[1:10])
  pdist(y, device = "cuda")
  expect_gte(release(), bytes)
  expect_false(is_on_gpu(y) || is_on_gpu(z))
  expect_identical(release(), 0)
  expect_identical(release(y), 0)
  y <- on_gpu(x)
  pdist(y, device = "cuda")
  names(y) <- NULL
  z <- y
  rm(y)
  gc()
  expect_true(is_on_gpu(z))
  rm(z)
  gc()
  expect_identical(staying_memory(), 0)
})
