# SPIKE distances. The profile, which is made in plain R, is an oracle for the distances; both are compared with
# numbers of PySpike 0.9.0, of SpikeTrain(times, [0, 10]).

spike_times <- list(
  c(0.5, 1.25, 2, 3.75, 7.5), c(0, 2.5, 2.75, 9, 10), 4, numeric(), 0, 10, c(1, 9.5),
  c(0.25, 0.5, 0.75, 8, 8.125, 9.875)
)
trains <- counting(spike_times, from = 0, to = 10)

# `n` trains in a recording from 0 to 10; with a `grid`, many spikes are at the same times.
random_trains <- function(n, grid = NULL, seed = 1) {
  times <- with_seed(seed, lapply(seq_len(n), function(i) {
    m <- if (i < 4) i - 1 else sample(0:25, 1)
    sort(10 * if (is.null(grid)) stats::runif(m) else sample(0:grid, m, replace = TRUE) / grid)
  }))
  counting(times, from = 0, to = 10)
}

# By columns of the upper triangle.
as_dist_of <- function(upper) {
  m <- matrix(0, 8, 8)
  m[upper.tri(m)] <- upper
  t(m)[lower.tri(m)]
}

test_that("SPIKE distances are those of PySpike, at the edges too", {
  whole <- c(
    0.32576051226564384,
    0.2875943336011026, 0.23221527783832419,
    0.32627990245773664, 0.14951442320965122, 0.350765306122449,
    0.32627990245773664, 0.14951442320965122, 0.350765306122449, 0,
    0.3395251669437004, 0.14951442320965122, 0.350765306122449, 0, 0,
    0.27500254322972595, 0.15422559134924302, 0.31742619010981327, 0.08181154127100074, 0.08181154127100074,
    0.06939371804236669,
    0.26323768028289785, 0.21910622289952006, 0.39418948918857843, 0.10572888617398143, 0.10572888617398143,
    0.10831232024482815, 0.09796438251813758
  )
  scaled <- replace(
    whole, c(1:3, 22:24),
    c(0.2608343099157679, 0.26902682395293975, 0.22752237126392974, 0.24058920748018534, 0.19053442537885892,
      0.38818458722779414)
  )
  part <- c(
    0.24972150014417527,
    0.21855800615219612, 0.25020584161519965,
    0.39144828755890937, 0.1925212225746157, 0.350765306122449,
    0.39144828755890937, 0.1925212225746157, 0.350765306122449, 0,
    0.40969577249094924, 0.1925212225746157, 0.350765306122449, 0, 0,
    0.32473006364342044, 0.1682445559884491, 0.31935171854235156, 0.08490095819189619, 0.08490095819189619,
    0.07124135264039874,
    0.30382131353591646, 0.21417253477566373, 0.4031083207127367, 0.0966071312170002, 0.0966071312170002,
    0.09995726774294011, 0.07906355390176505
  )
  expect_near(c(pdist(trains, distance = "spike")), as_dist_of(whole), 1e-14)
  expect_near(c(pdist(trains, distance = spike(3))), as_dist_of(scaled), 1e-14)
  expect_near(c(pdist(trains, distance = "spike", from = 2, to = 7)), as_dist_of(part), 1e-14)
})

test_that("the profile is that of PySpike, and has the distance as its mean", {
  profile <- spike_profile(trains[1], trains[2])
  f <- unclass(profile)[[1]]
  expect_identical(f[, "time"], c(0, 0.5, 1.25, 2, 2.5, 2.75, 3.75, 7.5, 9, 10))
  expect_near(f[-10, "value"], c(
    0.27218934911242604, 0.27928994082840236, 0.6449704142011834, 0.22560553633217995, 0.5178571428571429,
    0.18052455357142858, 0.19024999999999997, 0.2865, 0.631578947368421
  ), 1e-14)
  expect_near(f[-1, "left"], c(
    0.27928994082840236, 0.6449704142011834, 0.30059171597633133, 0.27483934750370737, 0.7455357142857143,
    0.242890625, 0.2865, 0.3, 0.5484764542936288
  ), 1e-14)
  expect_identical(f[c(1, 10), "time"], c(0, 10))
  expect_identical(is.na(f[, -1]), cbind(left = 1:10 == 1, value = 1:10 == 10))
  expect_identical(value_name(profile), "SPIKE profile")
})

test_that("distances are the means of profiles, in any window and with any MRTS", {
  for (grid in list(NULL, 7, 40)) {
    x <- random_trains(18, grid)
    pairs <- expand.grid(f = 1:18, g = 1:18)
    for (scale in c(0, 0.4, 3)) {
      profiles <- spike_profile(x[pairs$f], x[pairs$g], MRTS = scale)
      for (window in list(c(0, 10), c(2.25, 2.75), c(1.1, 9.7))) {
        d <- cdist(x, x, distance = spike(scale), from = window[1], to = window[2])
        expect_near(c(d), integral(profiles, window[1], window[2]) / diff(window), 1e-14)
      }
    }
  }
})

test_that("distances are symmetric, 0 for the same train, and the same bits however they are computed", {
  x <- random_trains(70, 30)
  d <- unname(cdist(x, x, distance = spike(0.2), from = 1))
  expect_identical(d, t(d))
  expect_identical(diag(d), numeric(70))
  pairs <- expand.grid(1:70, 1:70)
  expect_identical(lp_distance(x[pairs[[1]]], x[pairs[[2]]], distance = spike(0.2), from = 1), c(d))
  order <- with_seed(1, sample(70))
  half <- d[order, order][lower.tri(d)]
  for (threads in 1:2) for (tile in c(32L, 64L)) for (kernel in c("sweep", "walk")) {
    with_settings(threads = threads, tile = tile, kernel = kernel, {
      expect_identical(c(pdist(x[order], distance = spike(0.2), from = 1)), half)
      expect_identical(c(pdist(x[order], distance = spike(0.2), from = 1, precision = "single")), half)
    })
  }
})

test_that("all functions that take a distance take SPIKE", {
  for (window in list(c(0, 10), c(2, 7))) {
    expect_distance_everywhere(random_trains(20), spike(0.5), device = "cpu", from = window[1], to = window[2])
  }
  x <- random_trains(20)
  d <- as.matrix(pdist(x, distance = "spike"))
  b <- cbind(cos(1:20), 1)
  expect_near(distance_product(x, b, distance = "spike"), unname(d) %*% b, 1e-13)
  group <- rep(1:2, 10)
  tested <- function(x, ...) with_seed(1, permutation_test(x, group, n = 19, ...))$p.value
  expect_identical(tested(x, distance = "spike"), tested(stats::as.dist(d)))
})

test_that("SPIKE distances come out of jobs and files as they are in memory", {
  skip_if_not_installed("future")
  x <- random_trains(300)
  d <- pdist(x, distance = spike(0.5))
  file <- new_file()
  stored <- with_jobs(pdist(x, distance = spike(0.5), file = file, jobs = 2))
  expect_identical(bits_of(stored), bits_of(d))
  expect_identical(attr(stored, "method"), "spike")
  expect_null(attr(stored, "p"))
  expect_error(pdist(x, distance = spike(0.25), file = file), "P: 0.5", class = "pcfdist_error_file")
  expect_identical(
    with_jobs(nearest_neighbors(x, 2, distance = spike(0.5), jobs = 2)), nearest_neighbors(x, 2, distance = spike(0.5))
  )
})

test_that("spikes at the same time are one spike, and units of time do not matter", {
  repeated <- lapply(spike_times, function(t) sort(c(t, t[-1])))
  d <- c(pdist(trains, distance = spike(0.5)))
  expect_identical(c(pdist(counting(repeated, from = 0, to = 10), distance = spike(0.5))), d)
  at <- function(t) .POSIXct(1.7e9 + 60 * t, "UTC")
  dated <- counting(lapply(spike_times, at), from = at(0), to = at(10))
  expect_near(c(pdist(dated, distance = spike(30))), d, 1e-12)
  days <- as.Date("2024-01-01") + 0:20
  x <- counting(list(days[c(1, 4)], days[c(2, 9)]), from = days[1], to = days[20])
  plain <- counting(list(c(0, 3), c(1, 8)), from = 0, to = 19)
  expect_near(c(pdist(x, distance = "spike", from = days[3])), c(pdist(plain, distance = "spike", from = 2)), 1e-13)
  for (scale in c(2^-900, 2^900)) {
    x <- counting(lapply(spike_times, `*`, scale), from = 0, to = 10 * scale)
    expect_identical(c(pdist(x, distance = spike(0.5 * scale))), d)
  }
})

test_that("empty collections and arrays have the shapes of other distances", {
  x <- trains[1:6]
  dim(x) <- c(2, 3)
  expect_identical(dim(cdist(x, x, distance = "spike")), c(2L, 3L, 2L, 3L))
  expect_identical(cdist(x[0], trains, distance = "spike"), matrix(0, 0, 8))
  expect_length(pdist(trains[1], distance = "spike"), 0)
  expect_length(spike_profile(trains[0], trains), 0)
  expect_identical(dim(spike_profile(x, trains[1])), c(2L, 3L))
  expect_identical(c(pdist(trains, distance = "spike", missing = "mean")), c(pdist(trains, distance = "spike")))
})

test_that("GPUs have no SPIKE distances", {
  call <- pcfdist:::check_integrals(trains, NULL, -Inf, Inf, operation = pcfdist:::operation_of(1, "spike", FALSE))
  request <- pcfdist:::request_for(call, pcfdist:::operation_of(1, "spike", FALSE), "dist", "below")
  settings <- replace(pcfdist:::run_settings("cpu", "double", 1, FALSE), "device", "cuda")
  expect_error(
    pcfdist:::run_pairwise(trains, NULL, request, settings), "distances are computed on the CPU only",
    class = "pcfdist_error_device"
  )
  skip_without_cuda()
  expect_error(pdist(trains, distance = "spike", device = "cuda"), "CPU only", class = "pcfdist_error_device")
  expect_identical(c(pdist(trains, distance = "spike", device = "auto")), c(pdist(trains, distance = "spike")))
})

test_that("only counting functions of one recording have SPIKE distances", {
  not_counting <- function(x, what) {
    refused(pdist(x, distance = "spike"), "x", "must hold counting functions for `distance = \"spike\"`, but ", what,
            ". Make them of the times of spikes: counting(x, from = , to = ).")
    for (call in taking_distance) expect_error(call(x, distance = "spike"), "must hold counting functions for")
  }
  steps <- function(...) pcf(list(c(-Inf, 0, 1, 2, 10)), list(c(NA, 0, ...)))
  with_good <- function(x) c(x, trains[1:2])
  no_ends <- "has no start and end of observation"
  not_counting(with_good(counting(list(1))), paste("function 1", no_ends))
  not_counting(with_good(counting(list(1), from = 0)), paste("function 1", no_ends))
  not_counting(with_good(counting(list(1), to = 10)), paste("function 1", no_ends))
  not_counting(random_pcf(3), paste("function 1", no_ends))
  not_counting(with_good(steps(1, NA, NA)), "function 1 is not observed at position 4")
  not_counting(with_good(steps(1, 1, NA)), "function 1 does not rise at position 4")
  not_counting(with_good(steps(2, 1, NA)), "function 1 does not rise at position 4")
  not_counting(with_good(steps(0.5, 1, NA)), "function 1 has the value 0.5 at position 3")
  not_counting(trains - 1, "function 1 has the value -1 at position 2")
  not_counting(interspike(spike_times[1:3], from = 0, to = 10), "function 1 has the value 0.75 at position 2")
})

test_that("trains of other recordings are refused", {
  shorter <- counting(list(a = 2, b = 3), from = 0, to = 9)
  from_0 <- "must hold functions of one recording for `distance = \"spike\"`, but function "
  others <- " is from 0 to 9 and others from 0 to 10. Give all the same `from` and `to` in counting()."
  refused(pdist(c(trains, shorter), distance = "spike"), "x", from_0, "9 (\"a\")", others)
  refused(cdist(trains, shorter, distance = "spike"), "y", from_0, "1 (\"a\")", others)
  refused(lp_distance(trains[1], shorter, distance = "spike"), "g", from_0, "1 (\"a\")", others)
  refused(spike_profile(trains[1], shorter), "g", from_0, "1 (\"a\")", others)
})

test_that("what a SPIKE distance does not have is refused", {
  refused(pdist(trains, 2, distance = "spike"), "p", "must not be given: `distance = \"spike\"` has no exponent.")
  ending <- " for `distance = \"spike\"`."
  refused(pdist(trains, distance = "spike", margin = 1), "margin", "must not be given", ending)
  refused(pdist(trains, distance = "spike", weight = pcf(0, 1)), "weight", "must not be given", ending)
  refused(pdist(trains, distance = "spike", missing = "mean", min_overlap = 1), "min_overlap", "must not be given",
          ending)
  refused(pdist(trains, distance = "spike", missing = "overlap"), "missing", "must not be \"overlap\"", ending)
  refused(pdist(trains, distance = "spike", from = 1, to = 1), "to", "must be later than `from`", ending)
  refused(pdist(trains, distance = "spike", missing = "mean", from = 11, to = 12), "to",
          "must end a window with a part of the recording", ending)
  expect_error(pdist(trains, distance = "spike", to = 12), "observed only up to 10", class = "pcfdist_error_missing")
  refused(pdist(as_plf(trains), distance = "spike"), "distance",
          "must not be \"spike\" for piecewise linear functions.")
  refused(spike_profile(as_plf(trains), trains), "f", "must be a <pcf>, not a <plf>: step functions are needed here.")
  refused(spike(-1), "MRTS", "must be at least 0 and finite, not -1.")
  refused(spike("a"), "MRTS", "must be a number, not \"a\".")
  refused(spike_profile(trains, trains, MRTS = NA), "MRTS", "must be a number, not NA.")
  with_settings(kernel = "grid", {
    expect_error(pdist(trains, distance = "spike"), "no \"grid\" kernel", class = "pcfdist_error_argument")
  })
})
