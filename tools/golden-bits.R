# The bits of the results of some thousand seeded calls, to see that a change of the code
# changes no result, or which ones it changes.
#
#   Rscript tools/golden-bits.R FILE               writes them, with the installed package
#   Rscript tools/golden-bits.R --compare OLD NEW  counts, by groups, the calls that differ, names
#                                                  the first few, and exits with 1 if there are any
#
# So, with the package installed from before a change in OLD and from after it in NEW,
#
#   R_LIBS=OLD Rscript tools/golden-bits.R before.tsv
#   R_LIBS=NEW Rscript tools/golden-bits.R after.tsv
#   Rscript tools/golden-bits.R --compare before.tsv after.tsv
#
# Each line of a file is a call, a tab, and a hash of its numbers, or the class of its error. The
# data come from fixed seeds and from R alone. Both files must be of one machine, whose processor
# has the instruction sets, and of one version of R. The number of threads must not matter: run
# with OMP_NUM_THREADS=1 and 2 to see that it does not. PCFDIST_DEVICE=cuda writes the bits of
# GPUs, where the method "auto" is the only one that says something.

# ---- Data ----

# Functions with sorted random times, from 1 to `most` breakpoints, that end at 0.
ragged <- function(n, most, draw_times = function(m) sort(abs(rnorm(m))), scale = 1) {
  lapply(sample.int(most, n, replace = TRUE), function(m) {
    cbind(time = draw_times(m), value = c(rnorm(m - 1), 0) * scale)
  })
}

on_grid <- function(n, time) {
  lapply(seq_len(n), function(i) cbind(time = time, value = c(rnorm(length(time) - 1), 0)))
}

of_length <- function(m) {
  cbind(time = sort(runif(m)), value = c(round(rnorm(m - 1), 1), 0))
}

magnitudes <- function(n, exponents) {
  lapply(exponents[seq_len(n) %% length(exponents) + 1], function(e) {
    cbind(time = cumsum(runif(9)) * 10^-e, value = c(rnorm(8), 0) * 10^e)
  })
}

make_data <- function() {
  RNGversion("3.6.0")
  set.seed(20240407)
  integers <- function(m) sort(sample.int(60, m)) - 30
  functions <- list(
    ragged = ragged(45, 60),
    short = ragged(150, 5),
    grid = on_grid(40, cumsum(runif(50))),
    regular = on_grid(70, 1:33),
    ties = ragged(40, 40, integers),
    nearly_shared = lapply(on_grid(40, 1:40), function(f) f[sort(sample.int(40, 37)), ]),
    one_long = c(list(of_length(2000)), ragged(30, 6)),
    long = lapply(rep(3000, 5), of_length),
    huge = magnitudes(20, c(290, 150, 3)),
    tiny = magnitudes(20, c(-290, -150, -3)),
    mixed_scale = magnitudes(20, c(-120, 0, 120)),
    unbounded = lapply(ragged(30, 12), function(f) {
      f[nrow(f), 2] <- sample(c(0, 0, 1, -2), 1)
      f
    }),
    equal = rep(ragged(3, 20), 8),
    zero = list(cbind(time = 0, value = 0), cbind(time = 3, value = 0)),
    single = ragged(1, 30),
    none = list()
  )
  lapply(functions, function(x) {
    pcfdist::pcf(lapply(x, function(f) f[, 1]), lapply(x, function(f) f[, 2]))
  })
}

# The same with gaps: of the first functions few values are missing, of the last ones most.
with_gaps <- function(data) {
  set.seed(20240410)
  lapply(data, function(x) {
    share <- seq(0.05, 0.9, length.out = max(1, length(x)))
    functions <- Map(function(f, share) {
      f[runif(nrow(f)) < share, 2] <- NA
      f
    }, unclass(x), share)
    pcfdist::pcf(lapply(functions, function(f) f[, 1]), lapply(functions, function(f) f[, 2]))
  })
}

make_diagrams <- function() {
  set.seed(20240408)
  bars <- function(m, digits) {
    birth <- round(runif(m), digits)
    cbind(birth = birth, death = birth + round(rexp(m), digits))
  }
  list(
    random = lapply(sample.int(80, 60, replace = TRUE), bars, 15),
    ties = lapply(sample.int(80, 60, replace = TRUE), bars, 1),
    mixed = lapply(c(5000, 0, 1, 2, 33, 700, 64), bars, 4),
    infinite = lapply(rep(30, 20), function(m) rbind(bars(m, 3), c(0.5, Inf), c(0, Inf))),
    dimensions = lapply(rep(40, 20), function(m) cbind(dimension = 0:1, bars(m, 3)))
  )
}

# ---- Hashes ----

# A hash of the numbers and the shape of a result.
hash <- function(result) {
  if (pcfdist::is_pcf(result)) {
    functions <- unclass(result)
    result <- c(lengths(functions), unlist(functions, use.names = FALSE))
  } else if (is.list(result)) {
    result <- unlist(lapply(result, as.double))
  }
  shape <- c(length(result), if (!inherits(result, "dist")) dim(result))
  writeBin(c(shape, as.double(result)), scratch)
  substr(tools::md5sum(scratch), 1, 16)
}

scratch <- tempfile()
collected <- new.env()

# Notes a call: its key, made of the named fields, and the hash of what `run` gives.
note <- function(run, ...) {
  fields <- list(...)
  key <- paste0(names(fields), "=", vapply(fields, format, ""), collapse = " ")
  value <- tryCatch(hash(suppressWarnings(run())), error = function(e) {
    paste0("error:", class(e)[1])
  })
  if (exists(key, collected, inherits = FALSE)) stop("twice: ", key)
  assign(key, value, collected)
}

# ---- Distances and inner products ----

exponents <- c(l1 = 1, l2 = 2, lp1.5 = 1.5, lp3 = 3, lp2.7 = 2.7, lp1e6 = 1e6, linf = Inf)
operations <- c(names(exponents), "inner")
windows <- list(all = c(-Inf, Inf), to = c(-Inf, 0.7), inside = c(0.11, 2.5), from = c(1, Inf))
precisions <- c("double", "single")

# What is asked of one collection, or of its first functions and the others.
pairwise <- function(x, result, operation, precision, window, missing, threads = NULL) {
  from <- windows[[window]][1]
  to <- windows[[window]][2]
  half <- seq_len(length(x) %/% 3)
  y <- if (result == "two") x[half]
  if (operation == "inner") {
    return(pcfdist::l2_kernel(x, y, from, to, missing = missing, precision = precision,
                              threads = threads))
  }
  p <- exponents[[operation]]
  if (result == "paired") {
    return(pcfdist::lp_distance(x, rev(x), p, from, to, missing = missing,
                                precision = precision, threads = threads))
  }
  if (result == "one") {
    pcfdist::pdist(x, p, from, to, missing = missing, precision = precision, threads = threads)
  } else {
    pcfdist::cdist(x, y, p, from, to, missing = missing, precision = precision,
                   threads = threads)
  }
}

# Notes all combinations of the fields in `...`; what is left out has its default.
note_pairwise <- function(data, ..., part = "pairs", missing = "error") {
  defaults <- list(
    result = "one", operation = operations, method = "auto", precision = precisions,
    isa = "auto", tile = 0, block = 0, threads = 0, window = "all", data = names(data)
  )
  cases <- expand.grid(utils::modifyList(defaults, list(...)), stringsAsFactors = FALSE)
  if (part != "pairs") cases$missing <- missing
  cases <- cases[!(cases$result == "paired" & cases$operation == "inner"), ]
  for (k in seq_len(nrow(cases))) {
    case <- cases[k, ]
    options(pcfdist.kernel = case$method, pcfdist.isa = case$isa, pcfdist.tile = case$tile,
            pcfdist.block = case$block)
    threads <- if (case$threads > 0) case$threads
    do.call(note, c(function() {
      pairwise(data[[case$data]], case$result, case$operation, case$precision, case$window,
               missing, threads)
    }, part = part, case))
  }
  options(pcfdist.kernel = NULL, pcfdist.isa = NULL, pcfdist.tile = NULL, pcfdist.block = NULL)
}

note_all_pairwise <- function(data) {
  methods <- c("sweep", "grid", "split", "walk")
  some <- c("ragged", "short", "regular", "ties", "one_long", "unbounded")
  note_pairwise(data, result = c("one", "two"), method = c("auto", methods),
                window = c("all", "inside"))
  note_pairwise(data[some], method = methods, window = c("to", "from"))
  note_pairwise(data, result = "paired", window = names(windows))
  sets <- .Call(pcfdist:::ffi_available)$instructions
  note_pairwise(data, method = methods, isa = sets)
  note_pairwise(data["ragged"], result = "paired", isa = sets)
  note_pairwise(data[some], result = "two", method = "sweep", isa = sets, window = "inside")
  note_pairwise(data[some], method = c("sweep", "grid"), tile = c(32, 64, 128, 256))
  note_pairwise(data[some], method = methods, block = 7)
  note_pairwise(data[some], result = "two", block = 11)
  note_pairwise(data[c(some, "long")], threads = 1:3)
}

# Functions with gaps; means need a window that ends.
note_all_with_gaps <- function(data) {
  some <- c("ragged", "short", "grid", "regular", "nearly_shared", "mixed_scale", "one_long")
  data <- with_gaps(data[some])
  sets <- .Call(pcfdist:::ffi_available)$instructions
  for (missing in c("overlap", "mean")) {
    of <- function(data, ...) note_pairwise(data, ..., part = "gaps", missing = missing)
    of(data, result = c("one", "two"), isa = sets, method = c("auto", "sweep", "grid"),
       window = "inside")
    of(data, result = "paired", window = c("to", "inside"))
    of(data[c("grid", "regular")], tile = c(32, 64, 128, 256), window = "inside")
    of(data[c("ragged", "grid")], block = 7, threads = 1:3, window = "inside")
  }
}

# ---- Functions ----

note_functions <- function(data) {
  for (name in names(data)) {
    x <- data[[name]]
    of <- function(operation, run) {
      for (threads in c(1, 3)) {
        note(function() run(threads), part = "functions", operation = operation,
             threads = threads, data = name)
      }
    }
    note_measures(x, of)
    note_many_to_one(x, of)
    note_each(x, of)
    note_algebra(x, name)
  }
}

note_measures <- function(x, of) {
  for (window in names(windows)) {
    from <- windows[[window]][1]
    to <- windows[[window]][2]
    for (p in exponents) {
      of(paste0("lp_norm,", p, ",", window),
         function(threads) pcfdist::lp_norm(x, p, from, to, threads = threads))
    }
    of(paste0("integral,", window),
       function(threads) pcfdist::integral(x, from, to, threads = threads))
    of(paste0("restrict,", window),
       function(threads) pcfdist::restrict(x, from, to, threads = threads))
  }
  times <- seq(-1, 4, length.out = 101)
  of("evaluate,sorted", function(threads) pcfdist::evaluate(x, times, threads = threads))
  of("evaluate,unsorted", function(threads) pcfdist::evaluate(x, sin(17 * times), threads = threads))
}

note_many_to_one <- function(x, of) {
  n <- length(x)
  weights <- cos(seq_len(n)) + 1.25
  group <- seq_len(n) %% 3
  of("sum", function(threads) sum(x, threads = threads))
  of("sum,weights", function(threads) sum(x, weights = weights - 1, threads = threads))
  of("mean", function(threads) mean(x, threads = threads))
  of("mean,weights", function(threads) mean(x, weights = weights, threads = threads))
  of("max", function(threads) max(x, threads = threads))
  of("min", function(threads) min(x, threads = threads))
  of("aggregate,mean", function(threads) aggregate(x, group, mean, threads = threads))
  of("aggregate,sum", function(threads) {
    aggregate(x, group, sum, weights = weights, threads = threads)
  })
  of("aggregate,max", function(threads) aggregate(x, group, max, threads = threads))
}

note_each <- function(x, of) {
  of("simplify", function(threads) pcfdist::simplify(x, threads = threads))
  of("shift", function(threads) pcfdist::shift_time(x, 0.1, threads = threads))
  of("scale_time", function(threads) pcfdist::scale_time(x, 1.7, threads = threads))
}

note_algebra <- function(x, name) {
  y <- rev(x)
  of <- function(operation, run) {
    note(run, part = "functions", operation = operation, data = name)
  }
  for (operator in c("+", "-", "*", "/", "^", "%%", "%/%", "<", ">=", "&", "|")) {
    apply_operator <- match.fun(operator)
    of(operator, function() apply_operator(x, y))
    of(paste0(operator, ",number"), function() apply_operator(x, 2))
  }
  for (change in c("exp", "abs", "round", "sign", "!", "-")) {
    of(paste0("unary,", change), function() match.fun(change)(x))
  }
  of("sqrt,abs", function() sqrt(abs(x)))
  of("quantile", function() quantile(x, c(0.1, 0.5)))
  of("median", function() median(x))
  of("==", function() x == y)
  of("duplicated", function() duplicated(x))
  of("rectangles", function() pcfdist::rectangles(x[1], x[length(x)]))
}

# ---- Diagrams and ragged vectors ----

note_diagrams <- function(diagrams) {
  curves <- c("stable_rank", "betti_curve", "euler_curve", "accumulated_persistence")
  cases <- expand.grid(
    operation = curves, dimension = c("none", "0", "1"), infinite = c("keep", "drop", "7"),
    threads = c(1, 3), data = names(diagrams), stringsAsFactors = FALSE
  )
  euler <- cases$operation == "euler_curve"
  with_dimensions <- cases$data == "dimensions"
  cases <- cases[ifelse(euler, with_dimensions & cases$dimension == "none",
                        with_dimensions | cases$dimension == "none"), ]
  for (k in seq_len(nrow(cases))) {
    case <- cases[k, ]
    infinite <- if (case$infinite == "7") 7 else case$infinite
    arguments <- list(diagrams[[case$data]], infinite = infinite, threads = case$threads)
    if (case$dimension != "none") arguments$dimension <- as.numeric(case$dimension)
    curve <- getExportedValue("pcfdist", case$operation)
    do.call(note, c(function() do.call(curve, arguments), part = "diagrams", case))
  }
}

note_ragged_vectors <- function() {
  set.seed(20240409)
  values <- rnorm(5000) * 10^runif(5000, -9, 9)
  cuts <- c(0, sort(sample.int(5000, 200)), 5000, 5000)
  keys <- rep(seq_len(1000), rpois(1000, 5))[1:4000]
  counts <- rpois(5000, 2)
  for (threads in c(1, 3)) {
    of <- function(operation, run) {
      note(run, part = "vectors", operation = operation, threads = threads)
    }
    for (op in c("sum", "min", "max")) {
      of(paste0("segment_reduce,", op),
         function() pcfdist::segment_reduce(values, cuts, op, threads = threads))
      of(paste0("reduce_by_key,", op),
         function() pcfdist::reduce_by_key(keys, values[1:4000], op, threads = threads))
    }
    of("interval_expand", function() pcfdist::interval_expand(values, counts, threads = threads))
    of("interval_move", function() {
      pcfdist::interval_move(values, diff(cuts), rev(cuts[-1]) %/% 2 + 1, threads = threads)
    })
  }
}

# ---- Writing and comparing ----

write_bits <- function(file) {
  library(pcfdist)
  options(pcfdist.progress = FALSE)
  if (!nzchar(Sys.getenv("PCFDIST_DEVICE"))) options(pcfdist.device = "cpu")
  data <- make_data()
  note_all_pairwise(data)
  note_all_with_gaps(data)
  note_functions(data)
  note_diagrams(make_diagrams())
  note_ragged_vectors()
  bits <- mget(sort(ls(collected), method = "radix"), collected)
  writeLines(paste0(names(bits), "\t", bits), file)
  cat(length(bits), "calls,", sum(startsWith(unlist(bits), "error:")), "of them errors\n")
}

read_bits <- function(file) {
  parts <- strsplit(readLines(file), "\t", fixed = TRUE)
  stats::setNames(vapply(parts, `[`, "", 2), vapply(parts, `[`, "", 1))
}

# "pairs operation=l1 method=sweep precision=double isa=avx2" for pairs; else the part and the
# operation.
group_of <- function(keys) {
  field <- function(name) {
    found <- regmatches(keys, regexec(paste0("(^| )", name, "=([^ ]*)"), keys))
    vapply(found, function(match) if (length(match)) match[3] else "", "")
  }
  fields <- sapply(c("part", "operation", "method", "precision", "isa"), field)
  trimws(apply(matrix(fields, ncol = 5), 1, paste, collapse = " "))
}

compare_bits <- function(old_file, new_file) {
  old <- read_bits(old_file)
  new <- read_bits(new_file)
  keys <- sort(union(names(old), names(new)), method = "radix")
  differ <- keys[!mapply(identical, unname(old[keys]), unname(new[keys]))]
  cat(length(differ), "of", length(keys), "calls differ\n")
  if (length(differ) == 0) return(invisible(TRUE))
  groups <- group_of(differ)
  totals <- table(group_of(keys))
  for (group in unique(groups)) {
    inside <- differ[groups == group]
    cat(sprintf("\n%s: %d of %d\n", group, length(inside), totals[[group]]))
    shown <- utils::head(inside, 3)
    cat(sprintf("  %s: %s, was %s\n", shown, new[shown], old[shown]), sep = "")
  }
  FALSE
}

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) == 3 && arguments[1] == "--compare") {
  quit(status = if (compare_bits(arguments[2], arguments[3])) 0 else 1)
} else if (length(arguments) == 1 && !startsWith(arguments, "-")) {
  write_bits(arguments)
} else {
  stop("usage: golden-bits.R FILE | --compare OLD NEW")
}
