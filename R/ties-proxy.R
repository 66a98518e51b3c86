# Distances in the registry of the package proxy: proxy::dist(x, method = "pcf_L1") is
# pdist(x, 1) for a pcf. watch_package() registers them.

# The Lp distances, of which only the last takes an exponent from the user, and the others.
proximities <- c(
  list(
    pcf_L1 = list(distance = "lp", p = 1, formula = "int |f - g|"),
    pcf_L2 = list(distance = "lp", p = 2, formula = "sqrt(int (f - g)^2)"),
    pcf_Linf = list(distance = "lp", p = Inf, formula = "sup |f - g|"),
    pcf_Lp = list(distance = "lp", formula = "(int |f - g|^p)^(1/p)")
  ),
  Map(
    function(name, entry) list(distance = name, formula = entry$formula),
    stats::setNames(names(distances), paste0("pcf_", names(distances)))[-1], distances[-1]
  )
)

# Hooks are called with a name and a path, which are not used.
register_proximities <- function(...) {
  forget_proximities()
  registry <- getExportedValue("proxy", "pr_DB")
  for (name in names(proximities)) {
    registry$set_entry(
      FUN = proximity(proximities[[name]]), names = name, distance = TRUE, loop = FALSE,
      type = "metric", PACKAGE = "pcfdist", formula = proximities[[name]]$formula,
      description = "Exact distances between piecewise constant functions"
    )
  }
}

forget_proximities <- function() {
  registry <- getExportedValue("proxy", "pr_DB")
  for (name in names(proximities)) {
    if (registry$entry_exists(name)) registry$delete_entry(name)
  }
}

# The function that proxy calls once for the whole matrix. The user gives p if the exponent is not fixed.
proximity <- function(entry) {
  all_pairs <- function(x, y, ...) distances_between(x, y, distance = entry$distance, ...)
  if (is.null(entry$p)) return(all_pairs)
  function(x, y, ...) all_pairs(x, y, p = entry$p, ...)
}
