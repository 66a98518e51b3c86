# Numbers at risk below a plot.

skip_if_not_installed("survival")

veteran_fit <- function() survival::survfit(survival::Surv(time, status) ~ celltype, survival::veteran)

# A plot, with lines of margin below and on the left.
with_plot <- function(code, below = 10, xlim = c(0, 1000), ...) {
  grDevices::pdf(NULL, width = 7, height = 7)
  on.exit(grDevices::dev.off())
  graphics::par(mar = c(below, 6, 2, 1))
  plot(1, 1, xlim = xlim, xlab = "", ylab = "", ...)
  force(code)
}

test_that("numbers at risk are those of summary(), at the ticks or at given times", {
  fit <- veteran_fit()
  times <- c(0, 3, 100, 100.5, 999, 1000)
  at_risk <- function(times) matrix(summary(fit, times = times, extend = TRUE)$n.risk, 4, byrow = TRUE)
  got <- with_plot(add_at_risk(fit, times))
  expect_identical(unname(got), at_risk(times))
  expect_identical(dimnames(got), list(names(fit$strata), c("0", "3", "100", "100.5", "999", "1000")))
  ticks <- with_plot(add_at_risk(fit, labels = c("a", "b", "c", "d"), col = 1, cex = 0.5, title = NULL))
  expect_identical(dimnames(ticks), list(c("a", "b", "c", "d"), c("0", "200", "400", "600", "800", "1000")))
  expect_identical(unname(ticks), at_risk(seq(0, 1000, 200)))
  one <- survival::survfit(survival::Surv(time, status) ~ 1, survival::lung)
  expect_identical(as.vector(with_plot(add_at_risk(one, c(0, 500)), 6)), c(228, 41))
  # Ticks before the start are left out; on a logarithmic axis they are powers.
  expect_identical(colnames(with_plot(add_at_risk(one), xlim = c(-400, 400))), c("0", "200", "400"))
  expect_identical(colnames(with_plot(add_at_risk(one), xlim = c(1, 1000), log = "x"))[1], "1")
})

test_that("the table needs no more margin than it says", {
  fit <- veteran_fit()
  expect_silent(with_plot(add_at_risk(fit), 9))
  refused(with_plot(add_at_risk(fit), 8.9), "line", "leaves no room for the table, which needs a bottom margin of 9 ",
          "lines: set par(mar = c(9, 6, 2, 1)) before the plot.")
  expect_silent(with_plot(add_at_risk(fit, title = NULL, line = 2), 6))
})

test_that("states count together, and fits of prodlim have numbers at risk", {
  data <- transform(survival::mgus2, event = factor(pstat + 2 * (pstat == 0) * death))
  states <- survival::survfit(survival::Surv(ifelse(pstat == 1, ptime, futime), event) ~ sex, data)
  alive <- tapply(ifelse(data$pstat == 1, data$ptime, data$futime) >= 100, data$sex, sum)
  expect_identical(as.vector(with_plot(add_at_risk(states, 100))), as.vector(alive) + 0)
  skip_if_not_installed("prodlim")
  Hist <- prodlim::Hist
  fit <- prodlim::prodlim(Hist(time, status) ~ celltype, data = survival::veteran)
  expect_identical(with_plot(add_at_risk(fit, c(0, 50))), with_plot(add_at_risk(veteran_fit(), c(0, 50))))
})

test_that("there must be a plot", {
  fit <- veteran_fit()
  no_plot <- function(...) {
    expect_refusal(
      add_at_risk(fit, ...), "plot", "There is no plot: draw one first, such as by plot_bands(fit)."
    )
  }
  grDevices::graphics.off()
  for (open in c(FALSE, TRUE)) {
    if (open) draw_nowhere()
    before <- grDevices::dev.list()
    no_plot()
    no_plot(times = 2000)
    no_plot(line = 100)
    expect_identical(grDevices::dev.list(), before)
  }
})
test_that("invalid arguments are named", {
  fit <- veteran_fit()
  refused(with_plot(add_at_risk(3)), "x", "must be a <survfit> or a <prodlim>, not 3.")
  refused(with_plot(add_at_risk()), "x", "is missing: a <survfit> or a <prodlim>.")
  refused(with_plot(add_at_risk(fit, 2000)), "times", "must be within the plot, from -40 to 1040, not 2000.")
  refused(with_plot(add_at_risk(fit, "a")), "times", 'must be NULL or finite numbers, not "a".')
  refused(with_plot(add_at_risk(fit, labels = "a")), "labels", 'must be 4 names, one for each stratum, not "a".')
  refused(with_plot(add_at_risk(fit, title = 1)), "title", "must be NULL or one string, not 1.")
  refused(with_plot(add_at_risk(fit, cex = 0)), "cex", "must be positive and finite, not 0.")
  refused(with_plot(add_at_risk(structure(list(time = 1:2, surv = 1:0), class = "survfit"))), "x",
          "has no numbers at risk.")
  expect_error(with_plot(add_at_risk(structure(1, class = "survfit"))), class = "pcfdist_error_x")
})
