# Every error that pcfdist raises on purpose is a condition of class "pcfdist_error" and of a subclass
# "pcfdist_error_<what>". If an argument is at fault, its name is in the field `argument`.

# Raises an error about one argument. `...` is pasted into the message.
abort_argument <- function(argument, ..., call = caller_call()) {
  abort(argument, "`", argument, "` ", ..., argument = argument, call = call)
}

# Raises an error of class "pcfdist_error_<what>". `...` is pasted into the message, except for named
# arguments, which become fields of the condition.
abort <- function(what, ..., call = caller_call()) {
  stop(new_condition(what, "error", call, ...))
}

# The same as a warning.
warn <- function(what, ..., call = caller_call()) {
  warning(new_condition(what, "warning", call, ...))
}

new_condition <- function(what, kind, call, ...) {
  parts <- list(...)
  is_field <- nzchar(names(parts) %||% character(length(parts)))
  ours <- paste0("pcfdist_", kind)
  structure(
    class = c(paste0(ours, "_", what), ours, kind, "condition"),
    c(list(message = do.call(paste0, lapply(unname(parts[!is_field]), text_of)), call = call), parts[is_field])
  )
}

# The call that the user wrote: that of the innermost active function of this package that was not called
# by this package. The walk starts at `frame` and goes from each frame to its caller, which for a promise
# is where the argument was written. Functions of base packages in between, such as lapply() and
# tryCatch(), are skipped. Any other function, such as one given as an argument, is the user's, and ends
# the walk.
caller_call <- function(frame = sys.parent()) {
  ours <- topenv()
  parents <- sys.parents()
  found <- NULL
  while (frame > 0) {
    home <- topenv(environment(sys.function(frame)))
    if (identical(home, ours)) found <- frame
    else if (!environmentName(home) %in% packages_of_r) break
    # A frame that C evaluates in a new environment can be its own parent.
    if (parents[frame] >= frame) break
    frame <- parents[frame]
  }
  if (!is.null(found)) short_call(generic_call(found))
}

packages_of_r <- c("base", "stats", "utils", "methods", "graphics", "grDevices")

# The call of a frame; for a method, that of its generic.
generic_call <- function(frame) {
  call <- sys.call(frame)
  generic <- get0(".Generic", sys.frame(frame), mode = "character", inherits = FALSE)
  if (!is.null(generic)) call[[1]] <- as.name(generic)
  call
}

# Replaces whole objects, which some generics and do.call() put into the call, by dots.
short_call <- function(call) {
  long <- vapply(as.list(call), function(part) !is.language(part) && length_of(part) > 9, NA)
  is_object <- vapply(as.list(call), is.object, NA)
  call[long | is_object] <- list(quote(...))
  call
}

# A short description of a value for messages: "a character vector of length 2".
describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  if (is.data.frame(x)) return(paste0("a data frame with ", ncol(x), " column", plural(ncol(x))))
  if (is.atomic(x) && !is.object(x) && length(x) == 1 && is.null(dim(x))) {
    return(if (is.character(x)) dQuote(x, FALSE) else exact_text(x))
  }
  kind <- if (is.object(x)) paste0("an object of class <", class(x)[1], ">")
          else if (is.matrix(x)) sprintf("%s %s matrix", if (typeof(x) == "integer") "an" else "a", typeof(x))
          else if (is.list(x)) "a list"
          else if (!is.vector(x) && !is.atomic(x)) return(paste("an object of type", typeof(x)))
          else paste(if (typeof(x) == "integer") "an" else "a", typeof(x),
                     if (length(dim(x)) > 2) "array" else "vector")
  needs <- if (inherits(x, "integer64") && !has_bit64()) " (it needs the package bit64)"
  paste0(kind, " of length ", text_of(length_of(x)), needs)
}

# Methods for length() may fail for what has the class alone.
length_of <- function(x) {
  plain <- function(condition) length(unclass(x))
  tryCatch(length(x), error = plain, warning = plain)
}

# ---- Parts of messages ----

plural <- function(n) if (n == 1) "" else "s"

first_ten <- function(x) paste(text_of(utils::head(x, 10)), collapse = ", ")

# '"a", "b"'
quoted <- function(texts) paste(dQuote(texts, FALSE), collapse = ", ")
