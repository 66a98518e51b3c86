# Distances in the registry of the package proxy: proxy::dist(x, method = "pcf_L1") is
# pdist(x, 1) for a pcf. watch_package() registers them.

proximities <- list(
  pcf_L1 = list(p = 1, formula = "int |f - g|"),
  pcf_L2 = list(p = 2, formula = "sqrt(int (f - g)^2)"),
  pcf_Linf = list(p = Inf, formula = "sup |f - g|"),
  pcf_Lp = list(p = NULL, formula = "(int |f - g|^p)^(1/p)")
)

# Hooks are called with a name and a path.
register_proximities <- function(...) {
  forget_proximities()
  registry <- getExportedValue("proxy", "pr_DB")
  for (name in names(proximities)) {
    entry <- proximities[[name]]
    registry$set_entry(
      FUN = proximity(entry$p), names = name, distance = TRUE, loop = FALSE,
      type = "metric", PACKAGE = "pcfdist", formula = entry$formula,
      description = "Exact distances of piecewise constant functions"
    )
  }
}

forget_proximities <- function() {
  registry <- getExportedValue("proxy", "pr_DB")
  for (name in names(proximities)) {
    if (registry$entry_exists(name)) registry$delete_entry(name)
  }
}

# What proxy calls once for the whole matrix. Without p, the caller gives it.
proximity <- function(p = NULL) {
  all_pairs <- function(x, y, ...) if (is.null(y)) pdist(x, ...) else cdist(x, y, ...)
  if (is.null(p)) return(all_pairs)
  function(x, y, ...) all_pairs(x, y, p = p, ...)
}
