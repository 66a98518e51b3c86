# Every error that pcfdist raises on purpose is a condition of class
# "pcfdist_error", of a subclass "pcfdist_error_<what>", and, where an argument
# is at fault, carries its name in the field `argument`.

# Raises an error about one argument. `...` is pasted into the message.
abort_argument <- function(argument, ..., call = caller_call()) {
  abort(argument, paste0("`", argument, "` ", ...), argument = argument, call = call)
}

# Raises an error of class "pcfdist_error_<what>".
abort <- function(what, message, ..., call = caller_call()) {
  condition <- structure(
    class = c(paste0("pcfdist_error_", what), "pcfdist_error", "error", "condition"),
    list(message = message, call = call, ...)
  )
  stop(condition)
}

# The call of the exported function that the user called: the outermost frame
# on the stack that belongs to this package.
caller_call <- function() {
  ours <- topenv()
  for (frame in seq_len(sys.nframe())) {
    if (identical(topenv(environment(sys.function(frame))), ours)) {
      return(short_call(sys.call(frame)))
    }
  }
  NULL
}

# Some generics and do.call() put whole objects into the call: dots stand for them.
short_call <- function(call) {
  long <- vapply(as.list(call), function(part) !is.language(part) && length(part) > 9, NA)
  is_object <- vapply(as.list(call), is.object, NA)
  call[long | is_object] <- list(quote(...))
  call
}

# A short description of a value for messages: "a character vector of length 2".
describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  if (is.data.frame(x)) {
    return(sprintf("a data frame with %d column%s", ncol(x), if (ncol(x) == 1) "" else "s"))
  }
  if (is.atomic(x) && length(x) == 1 && is.null(dim(x)) && !is.object(x)) {
    return(if (is.character(x)) dQuote(x, FALSE) else format(x))
  }
  kind <- if (is.object(x)) paste0("an object of class <", class(x)[1], ">")
          else if (is.matrix(x)) sprintf("a %s matrix", typeof(x))
          else if (is.list(x)) "a list"
          else paste(if (typeof(x) == "integer") "an" else "a", typeof(x), "vector")
  paste(kind, "of length", length(x))
}
