# What computes results, which is noted for calls that continue them.

# What computed the results, since this affects their last digits.
engine_fields <- function(report) {
  instructions <- if (report$device == "cpu") report$isa else "none"
  c(Device = report$device, Kernel = report$kernel, Instructions = instructions)
}

# The same of a call that began a file; NULL if there is none.
engine_of <- function(found) if (!is.null(found)) unlist(found$fields[engine_names])

engine_names <- c(device = "Device", kernel = "Kernel", instructions = "Instructions")

# All blocks are computed with what was chosen for the first ones.
with_engine <- function(settings, engine, argument = "file") {
  for (setting in names(engine_names)) {
    chosen <- engine[[engine_names[[setting]]]]
    if (chosen == "none") next
    if (!settings[[setting]] %in% c("auto", chosen)) {
      abort_argument(argument, "was begun with the ", lower_case(engine_names[[setting]]), " ",
                     dQuote(chosen, FALSE), ", and cannot be continued with ",
                     dQuote(settings[[setting]], FALSE), ".")
    }
    settings[[setting]] <- chosen
  }
  check_device(settings$device)
  if (!settings$instructions %in% c("auto", .Call(ffi_available)$instructions)) {
    abort_argument(argument, "was begun with ", settings$instructions, " instructions, which this ",
                   "processor does not support. The option \"pcfdist.isa\" can choose others for a new run.")
  }
  settings
}

digest_of <- function(x, threads) answer_value(.Call(ffi_digest, x, threads), x = x)

field_of_number <- function(x) with_point(formatC(x, digits = 17, width = 1, format = "g", decimal.mark = "."))
