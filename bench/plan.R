# What the plan expects of the cases of cases.csv, and of sums over pairs, beside what they take.
# Usage: Rscript bench/plan.R THREADS [REGEX]

library(pcfdist)
source("bench/data.R")
source("bench/markdown.R")

arguments <- commandArgs(trailingOnly = TRUE)
threads <- as.integer(arguments[1])
wanted <- if (length(arguments) > 1) arguments[2] else "."
options(pcfdist.device = "cpu", pcfdist.threads = threads, pcfdist.progress = FALSE)

cases <- read.csv("bench/cases.csv", check.names = FALSE, na.strings = "")
sums <- data.frame(
  case = c("paper-sums", "paper-sums-l2", "short-sums"), workload = c("paper", "paper", "short"),
  n = c(4000, 4000, 20000), `function` = "distance_product", p = c(1, 2, 1),
  precision = "double", isa = NA, goal = NA, missing = NA, check.names = FALSE
)
cases <- rbind(cases, sums)
cases <- cases[grepl(wanted, cases$case), ]

call_of <- function(case, x) {
  missing <- if (is.na(case$missing)) "error" else case$missing
  switch(case$`function`,
    pdist = function() pdist(x, case$p, missing = missing, precision = case$precision),
    l2_kernel = function() l2_kernel(x, missing = missing, precision = case$precision),
    distance_product = function() distance_product(x, rep(1, length(x)), p = case$p)
  )
}

# All but checking, which the plan leaves out; the median of five calls after the first.
measure <- function(case) {
  x <- make_workload(case$workload, case$n)
  if (!is.na(case$isa)) {
    old <- options(pcfdist.isa = case$isa)
    on.exit(options(old))
  }
  call <- call_of(case, x)
  took <- vapply(1:6, function(k) {
    call()
    sum(last_run()$phases[c("plan", "prepare", "compute", "scatter")])
  }, 0)
  kernel <- last_run()$kernel
  expected <- last_run()$expected[[kernel]]
  data.frame(
    case = case$case, kernel = kernel, "expected, ms" = number(1000 * expected, 1),
    "took, ms" = number(1000 * stats::median(took[-1]), 1),
    "took / expected" = number(stats::median(took[-1]) / expected, 2), check.names = FALSE
  )
}

rows <- lapply(seq_len(nrow(cases)), function(k) measure(cases[k, ]))
writeLines(c(paste("Threads:", threads), "", table_lines(do.call(rbind, rows))))
