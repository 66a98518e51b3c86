# Distances in the registry of the package proxy: proxy::dist(x, method = "pcf_L1") is
# pdist(x, 1) for a pcf. watch_package() registers them.

proximity_name <- function(entry) paste0("pcf_", entry$method)

# Hooks are called with a name and a path.
register_proximities <- function(...) {
  forget_proximities()
  registry <- getExportedValue("proxy", "pr_DB")
  for (entry in distance_operations) {
    registry$set_entry(
      FUN = proximity(entry), names = proximity_name(entry), distance = TRUE, loop = FALSE,
      type = "metric", PACKAGE = "pcfdist", formula = entry$formula,
      description = "Exact distances of piecewise constant functions"
    )
  }
}

forget_proximities <- function() {
  registry <- getExportedValue("proxy", "pr_DB")
  for (name in vapply(distance_operations, proximity_name, "")) {
    if (registry$entry_exists(name)) registry$delete_entry(name)
  }
}

# What proxy calls once for the whole matrix. Where it is that of any p, the caller gives p.
proximity <- function(entry) {
  all_pairs <- function(x, y, ...) {
    if (is.null(y)) pdist(x, distance = entry$distance, ...)
    else cdist(x, y, distance = entry$distance, ...)
  }
  if (is.null(entry$p)) return(all_pairs)
  function(x, y, ...) all_pairs(x, y, p = entry$p, ...)
}
