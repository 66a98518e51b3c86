# What is drawn is recorded: no test waits, since the delay before a bar is set to 0. Calls must
# be too large to be done at once on R's thread.

# What cli is told to do while the code runs: "status" draws a bar, "status_clear" takes it away.
drawn <- function(code, delay = 0) {
  told <- character()
  withCallingHandlers(
    with_settings(code, progress = TRUE, progress_delay = delay),
    cli_message = function(message) {
      told <<- c(told, message$type)
      invokeRestart("cli_message_handled")
    }
  )
  told
}

large_pcf <- function() random_pcf(8000, most = 12)

test_that("all that takes long draws, and clears what it drew", {
  skip_on_cran()
  x <- large_pcf()
  diagrams <- rep(list(cbind(1:1000, 2:1001)), 30)
  times <- rep(list(1:2), 12000)
  frame <- as.data.frame(pcf(times, times))
  calls <- list(
    pdist = function() pdist(x[1:300]), cdist = function() cdist(x[1:300], x[1:10]),
    lp_distance = function() lp_distance(x, rev(x)), l2_kernel = function() l2_kernel(x[1:300]),
    lp_norm = function() lp_norm(rep(x, 20), to = 9),
    integral = function() integral(rep(x, 20), to = 9),
    mean = function() mean(x), sum = function() sum(x), max = function() max(x),
    aggregate = function() aggregate(x, rep(1:2, 4000)),
    evaluate = function() evaluate(x, 1:20), `+` = function() x + rev(x),
    exp = function() exp(x), simplify = function() simplify(x),
    restrict = function() restrict(x, 1, 3), stable_rank = function() stable_rank(diagrams),
    rpcf = function() rpcf(3), quantile = function() quantile(x[1:9]),
    as_pcf = function() as_pcf(frame), pcf = function() pcf(times, times)
  )
  for (name in names(calls)) {
    told <- drawn(calls[[name]]())
    expect_identical(told[1], "status", label = name)
    expect_identical(told[length(told)], "status_clear", label = name)
    expect_identical(sum(told == "status"), sum(told == "status_clear"), label = name)
    expect_null(pcfdist:::the$bar, label = name)
    expect_identical(drawn(calls[[name]](), delay = 1e6), character(), label = name)
    expect_silent(with_settings(calls[[name]](), progress = FALSE, progress_delay = 0))
  }
})
