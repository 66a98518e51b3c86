test_that("arguments that functions share come in one order: what, how, where to", {
  order <- c(
    "x", "y", "p", "from", "to", "missing", "weight", "distance", "margin", "id",
    "device", "precision", "threads", "progress", "file", "storage", "check", "jobs"
  )
  for (name in setdiff(getNamespaceExports("pcfdist"), c("counting", "interspike"))) {
    arguments <- names(formals(args(getExportedValue("pcfdist", name))))
    shared <- intersect(arguments, order)
    expect_identical(shared, intersect(order, shared), label = name)
  }
})
