#' Exact distances of piecewise constant functions
#'
#' Start with [pcf()] or [as_pcf()] to make a collection of functions, then use
#' [pdist()], [cdist()] or [l2_kernel()]. `vignette("pcfdist")` goes from data to a
#' dendrogram.
#'
#' @keywords internal
#' @useDynLib pcfdist, .registration = TRUE
"_PACKAGE"
