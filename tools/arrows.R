# Fails where files of R/ use each other in a circle, or a file uses a definition of a floor above its own. The floor
# of a file is its name up to the first hyphen. Definitions are the top-level assignments; names that a function uses
# are found by codetools, so that calls of generics and names in strings are not seen.
#
#   Rscript tools/arrows.R [FOLDER]            checks the files
#   Rscript tools/arrows.R --count [FOLDER]    prints the numbers of files in circles and of arrows up

floors <- c("core", "make", "algebra", "call", "pairs", "stats", "draw", "files", "ties")

definitions_in <- function(file) {
  lapply(parse(file, keep.source = FALSE), function(part) {
    defines <- is.call(part) && identical(part[[1]], quote(`<-`)) && is.name(part[[2]])
    uses <- codetools::findGlobals(as.function(list(if (defines) part[[3]] else part)))
    list(name = if (defines) as.character(part[[2]]) else NA_character_, uses = uses)
  })
}

# A data frame of what uses what: definitions and the files, without extension, that they are in.
arrows_between <- function(files) {
  found <- lapply(files, definitions_in)
  home <- rep(sub("[.]R$", "", basename(files)), lengths(found))
  found <- unlist(found, FALSE)
  name <- vapply(found, `[[`, "", "name")
  uses <- lapply(found, function(definition) intersect(definition$uses, name))
  arrows <- data.frame(
    from = rep(home, lengths(uses)), by = rep(name, lengths(uses)), used = as.character(unlist(uses))
  )
  arrows$to <- home[match(arrows$used, name)]
  arrows[arrows$from != arrows$to, ]
}

# The arrows from whose end there is a way back to their beginning.
in_circles <- function(arrows) {
  names <- unique(c(arrows$from, arrows$to))
  ways <- matrix(FALSE, length(names), length(names), dimnames = list(names, names))
  ways[cbind(arrows$from, arrows$to)] <- TRUE
  repeat {
    longer <- ways | ways %*% ways > 0
    if (identical(longer, ways)) return(arrows[ways[cbind(arrows$to, arrows$from)], ])
    ways <- longer
  }
}

show_arrows <- function(title, arrows) {
  if (nrow(arrows) == 0) return()
  arrows <- arrows[!duplicated(arrows[c("from", "to")]), ]
  cat(title, sprintf("  %s: %s uses %s of %s\n", arrows$from, arrows$by, arrows$used, arrows$to), sep = "")
}

arguments <- commandArgs(TRUE)
counted <- "--count" %in% arguments
folder <- c(setdiff(arguments, "--count"), "R")[1]
files <- list.files(folder, "[.]R$", full.names = TRUE)
floor_of <- function(file) match(sub("-.*", "", file), floors)
homeless <- Filter(function(file) is.na(floor_of(basename(file))), files)
if (length(homeless) > 0 && !counted) {
  stop("no floor has the names of: ", paste(homeless, collapse = ", "), call. = FALSE)
}
arrows <- arrows_between(files)
up <- arrows[(floor_of(arrows$to) > floor_of(arrows$from)) %in% TRUE, ]
circle <- in_circles(arrows)
if (counted) {
  cat(length(unique(circle$from)), "of", length(files), "/", nrow(up), "\n")
} else {
  show_arrows("files use definitions of a floor above their own (the order is in tools/arrows.R):\n", up)
  if (nrow(up) == 0) show_arrows("files use each other in a circle:\n", circle)
  if (nrow(up) + nrow(circle) > 0) quit(status = 1)
}
