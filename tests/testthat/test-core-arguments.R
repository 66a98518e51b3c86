test_that("arguments that functions share come in one order: what, how, where to", {
  order <- c(
    "x", "y", "p", "from", "to", "missing", "weight", "distance", "margin", "min_overlap", "id",
    "device", "precision", "threads", "progress", "file", "storage", "check", "jobs"
  )
  for (name in setdiff(getNamespaceExports("pcfdist"), c("counting", "interspike"))) {
    arguments <- names(formals(args(getExportedValue("pcfdist", name))))
    shared <- intersect(arguments, order)
    expect_identical(shared, intersect(order, shared), label = name)
  }
})

test_that("odd arguments mean something, or are errors that have a class", {
  x <- pcf(list(a = c(0, 1, 3), b = c(0, 2), c = c(1, 4)), list(c(1, 2, 0), c(3, 0), c(1, 0)))
  diagram <- cbind(dimension = 0, birth = c(0, 0.5), death = c(1, Inf))
  false <- function(class, object = 1) structure(object, class = class)
  odd <- list(
    NULL, NA, TRUE, 0, -1, 0.5, Inf, NaN, 1e308, 5e-324, "", "a", c("a", "b"), 1:3, numeric(), list(), list(1), sum,
    quote(a + b), y ~ x, Sys.Date(), as.difftime(1, units = "mins"), factor("a"), matrix(1:4, 2),
    array(1:8, c(2, 2, 2)),
    data.frame(a = 1:2), 1i, as.raw(1), new.env(), false("foo"), false("survfit"), false("hclust"), false("stepfun"),
    false("ts", 1:3), false("dist"), false("Date", "a"), false("POSIXlt", list()), false("difftime"),
    false("factor", 5L),
    false(pcf_class), false(pcf_class, list(1)), false(plf_class, list(cbind(0, 1))), x, -x, x[0], plf(0:1, 0:1),
    pcf(Sys.Date(), 1), pcf(c(-1e308, 1e308), 1:0), ecdf(1:3), diagram, as.name("x")
  )
  calls <- list(
    pdist = list(x), cdist = list(x, x), lp_norm = list(x), lp_distance = list(x, x), integral = list(x),
    l2_kernel = list(x),
    nearest_neighbors = list(x, 1), neighbors_within = list(x, 1), spanning_tree = list(x), reduce_distances = list(x),
    kernel_product = list(x, 1:3), evaluate = list(x, 0:1), restrict = list(x, 0, 1), shift_time = list(x, 1),
    max_value = list(x), time_of_min = list(x), cumulative = list(x), spells = list(x),
    derivative = list(plf(0:1, 0:1)),
    crossing_time = list(x, 1), fill_missing = list(x), rolling_mean = list(x, 1), drop_redundant = list(x),
    pcf = list(0:1, 1:0), plf = list(0:1, 1:0),
    stable_rank = list(diagram), landscape = list(diagram), as_diagram = list(diagram), distribution = list(1:3),
    counting = list(list(1:2)), as_pcf = list(cbind(0:1, 1:0)), as_plf = list(cbind(0:1, 1:0)), value_name = list(x),
    time_unit = list(x), pcf_plan = list(x), energy_distance = list(x), observed = list(x), max_time = list(x),
    functional_depth = list(x, from = 0, to = 4), boxplot.pcf = list(x, from = 0, to = 4, plot = FALSE),
    lof = list(x, 1), variance = list(x), prcomp.pcf = list(x), sliced = list(list(matrix(1:4, 2)), 2),
    k_means = list(x, 2), k_medoids = list(x, 2),
    quantile.pcf = list(x), confidence_bands.pcf = list(x, n = 19), format.pcf = list(x), as.matrix.pcf = list(x, 0:2)
  )
  requireNamespace("survival", quietly = TRUE) # whose methods fail for what has the class alone
  quoted <- function(value) if (is.language(value)) call("quote", value) else value
  with_seed(1, for (k in 1:600) {
    name <- sample(names(calls), 1)
    f <- get(name)
    arguments <- calls[[name]]
    names(arguments) <- names(formals(f))[seq_along(arguments)]
    changed <- sample(setdiff(names(formals(f)), c("...", "file", "jobs")), 1)
    arguments[changed] <- sample(odd, 1)
    problem <- tryCatch({
      suppressWarnings(suppressMessages(do.call(f, lapply(arguments, quoted))))
      NULL
    }, error = identity)
    call <- paste0(name, "(", changed, " = ", substr(deparse1(arguments[[changed]]), 1, 80), ")")
    expect_true(is.null(problem) || inherits(problem, "pcfdist_error"), label = paste(call, problem$message))
  })
})

test_that("what is no vector, or has the class of a model alone, is described without its methods", {
  skip_if_not_installed("survival")
  requireNamespace("survival", quietly = TRUE)
  x <- pcf(0:1, 1:0)
  for (odd in list(sum, new.env(), quote(a + b), structure(1, class = "survfit"))) {
    problems <- lapply(expression(
      counting(odd), quantile(x, odd), distribution(odd), kernel_product(x, odd), pdist(x, odd)
    ), function(call) tryCatch(eval(call), error = identity))
    for (problem in Filter(function(problem) inherits(problem, "error"), problems)) {
      expect_s3_class(problem, "pcfdist_error")
    }
  }
})
