# A pcf as a column of a tibble. The packages pillar and vctrs are not needed here: the methods are registered
# when they are loaded.

#' @exportS3Method pillar::pillar_shaft
pillar_shaft.pcf <- function(x, ...) {
  pictures <- if (length(x) > 0) sparklines(x)
  text <- paste0(pictures, "  ", format(x), recycle0 = TRUE)
  pillar::new_pillar_shaft_simple(text, align = "left", min_width = sparkline_width, short_formatted = pictures)
}

#' @exportS3Method pillar::type_sum
type_sum.pcf <- function(x) {
  class_of(x)[1]
}

#' @exportS3Method pillar::format_glimpse
format_glimpse.pcf <- function(x, ...) {
  as.character(x)
}

#' @exportS3Method vctrs::vec_proxy
vec_proxy.pcf <- function(x, ...) {
  shaped_as(unclass(check_either(x)), x)
}

#' @exportS3Method vctrs::vec_restore
vec_restore.pcf <- function(x, to, ...) {
  like(to, x)
}

#' @exportS3Method vctrs::vec_ptype
vec_ptype.pcf <- function(x, ...) {
  prototype(unit_of(x), goes_with_all(x), class_of(x), name_of(x))
}

# The common type of a pcf and a plf is plf, so no method casts a plf to a pcf.
#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.pcf.pcf <- function(x, y, ...) {
  timeless <- c(goes_with_all(x), goes_with_all(y))
  if (!any(timeless)) check_prototype(x, y)
  class <- if (inherits(y, "plf")) plf_class else class_of(x)
  prototype(joint_unit(unit_of(x), unit_of(y)), all(timeless), class, joint_name(list(x, y)))
}

#' @rawNamespace S3method(vctrs::vec_ptype2, plf.plf, vec_ptype2.pcf.pcf)
#' S3method(vctrs::vec_ptype2, plf.pcf, vec_ptype2.pcf.pcf)
#' S3method(vctrs::vec_ptype2, pcf.plf, vec_ptype2.pcf.pcf)
#' S3method(vctrs::vec_cast, plf.plf, vec_cast.pcf.pcf)
NULL

#' @exportS3Method vctrs::vec_cast
vec_cast.pcf.pcf <- function(x, to, ...) {
  if (!goes_with_all(x)) check_prototype(x, to)
  in_unit(x, unit_of(to))
}

#' @exportS3Method vctrs::vec_cast
vec_cast.plf.pcf <- function(x, to, ...) {
  as_lines(vec_cast.pcf.pcf(x, to))
}

check_prototype <- function(x, y) {
  if (goes_with(unit_of(x), unit_of(y))) return()
  abort_units("y", "", unit_of(y), "`x`", unit_of(x))
}

# A prototype is empty, so that an attribute tells whether the times of its functions are plain numbers.
prototype <- function(unit, timeless, class, name) {
  prototype <- new_pcf(unit = unit, class = class, name = name)
  if (is.null(unit) && !timeless) attr(prototype, "has_times") <- TRUE
  prototype
}

# Does a collection, or a prototype, have neither a unit nor finite times, so that it matches any unit?
goes_with_all <- function(x) is.null(attr(x, "has_times")) && is_timeless(x)

# Equality as in `==`.
#' @exportS3Method vctrs::vec_proxy_equal
vec_proxy_equal.pcf <- function(x, ...) {
  canonical(x)
}

#' @exportS3Method vctrs::vec_proxy_compare
vec_proxy_compare.pcf <- function(x, ...) {
  abort_generic(
    "order", "they have no order. Arrange by a number for each, such as integral(f), or group by ",
    "vctrs::vec_group_id(f), which is the same for equal functions."
  )
}

# Joins of dplyr 1.1 match by this, for which any numbers suffice that are equal for equal functions.
#' @exportS3Method vctrs::vec_proxy_order
vec_proxy_order.pcf <- function(x, ...) {
  if (!is_matched()) return(vec_proxy_compare.pcf(x))
  numbers <- vctrs::vec_duplicate_id(x)
  numbers[is.na(x)] <- NA
  numbers
}

# Is this called by vctrs to match equal rows, and not to sort or compare them?
is_matched <- function() {
  frame <- called_by(get0("vec_locate_matches", asNamespace("vctrs"), mode = "function"))
  frame > 0 && all(sys.frame(frame)$condition == "==")
}

# The same long form as that of as.data.frame().
#' @exportS3Method tibble::as_tibble
as_tibble.pcf <- function(x, ...) {
  tibble::as_tibble(as.data.frame(x), ...)
}
