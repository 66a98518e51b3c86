# Collections from damaged files: a stream of R's is changed at random, and whatever R still reads is given to
# functions that users can call. Writes a line for each call, "number kind state call outcome". The state of what
# was read is "sound", "invalid" if only its breakpoints are not, or "damaged", by rules that know nothing of the
# package's checks; and "other" if it no longer has the class.
#
# `tries`: the numbers of the tries, which are their seeds. `calls_each`: the number of calls for each.

sound_objects <- function() {
  steps <- pcf(list(c(0, 2, 5), c(1, 4), 0, c(-1.5, 0, 3)), list(c(1, 3, 0), c(2, 0), 0, c(1, NA, 2)))
  lines <- plf(list(c(0, 2, 5), c(1, 4), 0), list(c(1, 3, 0), c(2, 0), 0))
  named <- stats::setNames(steps, letters[1:4])
  timed <- named
  time_unit(timed) <- "days"
  value_name(timed) <- "count"
  array <- steps
  dim(array) <- c(2, 2)
  dimnames(array) <- list(c("a", "b"), NULL)
  list(steps, steps[1:2], lines, lines[1:2], named, timed, array)
}

# ---- Damage ----

one_of <- function(x) x[[sample.int(length(x), 1)]]

# Values that attributes may not have.
strange_values <- list(
  integer(), 0L, -1L, NA_integer_, c(1000L, 2L), c(2L, 1000L), c(-3L, -2L), c(65536L, 65536L), c(NA, 2L), c(0L, 2L),
  c(3L, 2L), c(2L, 2L, 1L), c(3, 2), "a", c("a", "b", "c"), list(), list("a"), list(NULL, 1), list(NULL, "a", 1),
  list(NULL, c("time", "value", "more")), TRUE, NULL, quote(f(x)), "pcf", c("plf", "pcf"), "plf", "days"
)
attribute_names <- c("dim", "dim", "dimnames", "names", "class", "time_unit", "value_name", "on_gpu", "tsp", "levels")

with_attribute <- function(object) {
  name <- one_of(attribute_names)
  value <- one_of(strange_values)
  if (name == "class") return(with_class(object, if (is.character(value)) value else "pcf")) # as R needs it
  if (name == "dim") attr(object, "dimnames") <- NULL
  attr(object, name) <- NULL
  forced(object, name, value)
}

strange_functions <- list(
  1:4, "a", c(TRUE, NA), list(0, 1), NULL, mean, quote(f(x)), as.name("a"), new.env(), double(), complex(4), raw(4),
  cbind(0L, 1L), cbind(0, 1, 2, 3), cbind(0, 1, 2), matrix(0, 0, 2), matrix(0, 2, 0), array(0, c(1, 2, 1)),
  data.frame(time = 0, value = 1), structure(cbind(0, 1), class = "integer64"), expression(a), ~a
)

# Of a list without class, whose functions are matrices.
damages <- list(
  attribute = with_attribute,
  matrix_attribute = function(x) {
    i <- sample.int(length(x), 1)
    x[[i]] <- with_attribute(x[[i]])
    x
  },
  type = function(x) {
    x[sample.int(length(x), 1)] <- list(one_of(strange_functions))
    x
  },
  # More or fewer numbers than the dimensions say.
  length = function(x) {
    i <- sample.int(length(x), 1)
    sides <- dim(x[[i]])
    x[[i]] <- forced(rep_len(c(x[[i]]), sample.int(2 * prod(sides), 1)), "dim", sides)
    x
  },
  value = function(x) {
    i <- sample.int(length(x), 1)
    x[[i]][sample.int(length(x[[i]]), 1)] <- one_of(c(NA, NaN, Inf, -Inf, 1e308, -1e308, 0, 5e-324))
    x
  }
)

changed_bytes <- function(bytes) {
  at <- 15 + sample.int(length(bytes) - 15, sample.int(3, 1)) # after the header
  bytes[at] <- if (stats::runif(1) < 0.5) xor(bytes[at], rev(rawShift(as.raw(1), sample(0:7, 1))))
               else as.raw(sample(0:255, length(at), replace = TRUE))
  bytes
}

# Does R itself read and write it? It may also crash, or hang on attributes that go round in a circle: another process
# tries.
is_readable <- function(bytes) {
  job <- parallel::mcparallel({
    x <- unserialize(bytes)
    state_of(x) != "other" && length(serialize(x, NULL)) > 0
  }, silent = TRUE)
  read <- parallel::mccollect(job, wait = FALSE, timeout = 5)
  if (is.null(read)) tools::pskill(job$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(job))
  !is.null(read) && isTRUE(read[[1]])
}

# NULL if R does not read it.
damaged_object <- function(kind, x) {
  if (kind == "bytes") {
    bytes <- changed_bytes(serialize(x, NULL))
    return(if (is_readable(bytes)) unserialize(bytes))
  }
  class <- oldClass(x)
  x <- damages[[kind]](unclass(x))
  if (is.null(attr(x, "class", exact = TRUE))) with_class(x, class) else x
}

# ---- What is sound ----

state_of <- function(x) {
  if (!inherits(x, "pcf")) return("other")
  columns <- if (inherits(x, "plf")) 3 else 2
  x <- unclass(x)
  sound <- typeof(x) == "list" && has_sound_shape(x) && all(vapply(x, is_sound_matrix, NA, columns))
  if (!sound) "damaged" else if (all(vapply(x, has_sound_numbers, NA))) "sound" else "invalid"
}

has_sound_shape <- function(x) {
  names <- attr(x, "names", exact = TRUE)
  dim <- attr(x, "dim", exact = TRUE)
  dimnames <- attr(x, "dimnames", exact = TRUE)
  unit <- attr(x, "time_unit", exact = TRUE)
  value <- attr(x, "value_name", exact = TRUE)
  (is.null(names) || is.character(names) && length(names) == length(x)) &&
    (is.null(dim) || is_sound_dim(dim, length(x))) &&
    (is.null(dimnames) || !is.null(dim) && are_sound_dimnames(dimnames, dim)) &&
    (is.null(unit) || inherits(unit, c("Date", "difftime", "POSIXct"))) &&
    (is.null(value) || is.character(value) && length(value) == 1)
}

is_sound_dim <- function(dim, length) {
  typeof(dim) == "integer" && length(dim) > 0 && !anyNA(dim) && all(dim >= 0) && prod(dim) == length
}

are_sound_dimnames <- function(dimnames, dim) {
  typeof(dimnames) == "list" && length(dimnames) == length(dim) &&
    all(vapply(seq_along(dim), function(k) {
      is.null(dimnames[[k]]) || is.character(dimnames[[k]]) && length(dimnames[[k]]) == dim[k]
    }, NA))
}

# NULL is a missing function.
is_sound_matrix <- function(f, columns) {
  if (is.null(f)) return(TRUE)
  if (typeof(f) != "double" || is.object(f)) return(FALSE)
  dim <- attr(f, "dim", exact = TRUE)
  dimnames <- attr(f, "dimnames", exact = TRUE)
  is_sound_dim(dim, length(f)) && length(dim) == 2 && dim[2] == columns && dim[1] > 0 &&
    (is.null(dimnames) || are_sound_dimnames(dimnames, dim))
}

has_sound_numbers <- function(f) {
  if (is.null(f)) return(TRUE)
  times <- as.vector(f)[seq_len(nrow(f))]
  numbers <- as.vector(f)[-seq_len(nrow(f))]
  !anyNA(times) && all(times < Inf) && all(is.finite(times[-1])) && all(diff(times) > 0) &&
    all(is.finite(numbers) | is.na(numbers) & !is.nan(numbers))
}

# The same of other memory, and with no attributes but those that are known.
rebuilt <- function(x) {
  own <- attributes(x)
  own$class <- c(if (inherits(x, "plf")) "plf", "pcf")
  x <- lapply(unclass(x), function(f) {
    names <- list(NULL, c("time", if (isTRUE(dim(f)[2] == 3)) "left", "value"))
    if (!is.null(f)) matrix(as.vector(f) + 0, dim(f), dimnames = names)
  })
  attributes(x) <- own[intersect(names(own), c("names", "dim", "dimnames", "time_unit", "value_name", "class"))]
  x
}

# ---- Calling it ----

# Calls whose numbers are compared with those of the rebuilt object.
numbers_of <- list(
  lp_norm = lp_norm, integral = integral, evaluate = function(x) evaluate(x, 0:3), pdist = function(x) c(pdist(x)),
  sum = function(x) as.data.frame(sum(x)), as.data.frame = as.data.frame, max_time = max_time
)

say <- function(...) {
  cat(..., "")
  utils::flush.console() # stays the last line where R crashes
}

try_damage <- function(number, calls_each) {
  set.seed(number)
  kind <- one_of(c(names(damages), "bytes", "bytes", "bytes"))
  say(number, kind)
  x <- damaged_object(kind, one_of(sound_objects()))
  state <- state_of(x)
  cat(state, "\n", sep = "")
  with_functions[c("combinations", "rectangles", "permutation_test")] <- NULL # take the first two only
  calls <- switch(state, other = list(pdist = pdist), damaged = with_functions, c(with_functions, with_collections))
  for (name in names(calls)[sample.int(length(calls), min(calls_each, length(calls)))]) {
    say(number, kind, state, name)
    cat(outcome(calls[[name]], x), "\n", sep = "")
  }
  if (state %in% c("sound", "invalid")) for (name in names(numbers_of)) {
    say(number, kind, state, name)
    expected <- tryCatch(suppressWarnings(numbers_of[[name]](rebuilt(x))), error = function(e) NULL)
    result <- outcome(numbers_of[[name]], x, expected)
    cat(if (is.null(expected) && result == "value") "nonsense" else result, "\n", sep = "")
  }
}

for (number in tries) try_damage(number, calls_each)
cat("end\n")
