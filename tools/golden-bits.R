# The bits of the results of some thousand seeded calls, to see that a change of the code
# changes no result, or which ones it changes.
#
#   Rscript tools/golden-bits.R FILE               writes them, with the installed package
#   Rscript tools/golden-bits.R --compare OLD NEW  counts, by groups, the calls that differ, names
#                                                  the first few, and exits with 1 if there are any
#   Rscript tools/golden-bits.R --values FILE      writes the results of lines themselves, as .rds
#   Rscript tools/golden-bits.R --compare-values OLD NEW
#                                                  shows, by operations, the largest relative
#                                                  differences of such results, and exits with 1 if
#                                                  more than digits differ, such as breakpoints
#
# So, with the package installed from before a change in OLD and from after it in NEW,
#
#   R_LIBS=OLD Rscript tools/golden-bits.R before.tsv
#   R_LIBS=NEW Rscript tools/golden-bits.R after.tsv
#   Rscript tools/golden-bits.R --compare before.tsv after.tsv
#
# Each line of a file is a call, a tab, and a hash of its numbers and names, or its error. The
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

# ---- Data with lines ----

# Lines with 1 to `most` breakpoints. The share `jumps` of breakpoints has a jump, `gaps` of the lines are not
# observed, and `open` of the functions are not 0 before the first or not after the last breakpoint.
draw_lines <- function(n, most, draw_times = function(m) sort(rexp(m)), draw_values = rnorm, jumps = 0,
                       gaps = 0, open = 0) {
  functions <- lapply(sample.int(most, n, replace = TRUE), function(m) {
    value <- left <- draw_values(m)
    jump <- which(runif(m) < jumps)
    left[jump] <- draw_values(length(jump))
    if (runif(1) >= open) left[1] <- 0
    if (runif(1) >= open) value[m] <- 0
    lost <- which(runif(m - 1) < gaps)
    value[lost] <- left[lost + 1] <- NA
    if (runif(1) < gaps) left[1] <- NA
    cbind(time = draw_times(m), left = left, value = value)
  })
  make_lines(functions)
}

make_lines <- function(functions) {
  column <- function(name) lapply(functions, function(f) f[, name])
  pcfdist::plf(column("time"), column("value"), column("left"))
}

# Each with its own magnitude of values. Times are less far from 1, so that slopes do not overflow.
lines_of_magnitudes <- function(exponents) {
  make_lines(lapply(rep(exponents, 4), function(e) {
    value <- c(rnorm(6), 0) * 10^e
    cbind(time = cumsum(runif(7)) * 10^(-e / 20), left = c(0, value[-1]), value = value)
  }))
}

# Few values and times, so that lines meet at breakpoints, and are equal for some time.
tied_lines <- function(...) {
  draw_lines(..., draw_times = function(m) sort(sample.int(12, m)) - 4,
             draw_values = function(m) sample.int(5, m, replace = TRUE) - 3)
}

# Lines that never fall, and are flat at times.
rising_lines <- function(n, gaps = 0) {
  make_lines(lapply(seq_len(n), function(i) {
    m <- sample.int(9, 1) + 1
    at <- cumsum(c(0, sample(0:3, 2 * m - 1, replace = TRUE))) / 4
    left <- at[c(TRUE, FALSE)]
    value <- at[c(FALSE, TRUE)]
    lost <- which(runif(m - 1) < gaps)
    value[lost] <- left[lost + 1] <- NA
    cbind(time = cumsum(runif(m)), left = left, value = value)
  }))
}

make_line_data <- function() {
  set.seed(20240411)
  ramp <- draw_lines(1, 9)
  table <- draw_lines(12, 9, jumps = 0.3, gaps = 0.2)
  dim(table) <- c(3, 4)
  dimnames(table) <- list(patient = c("a", "b", "c"), NULL)
  list(
    drawn = draw_lines(12, 20),
    jumps = draw_lines(12, 12, jumps = 0.5),
    gaps = draw_lines(12, 12, jumps = 0.3, gaps = 0.3),
    open = draw_lines(12, 12, jumps = 0.3, open = 0.7),
    open_gaps = draw_lines(12, 12, jumps = 0.3, gaps = 0.3, open = 0.7),
    ties = tied_lines(16, 8, jumps = 0.4, open = 0.5),
    ties_gaps = tied_lines(16, 8, jumps = 0.4, gaps = 0.2),
    grid = make_lines(lapply(on_grid(8, 1:33), cbind, left = rnorm(33))),
    long = draw_lines(3, 300, jumps = 0.2),
    one_breakpoint = draw_lines(9, 1, jumps = 0.5, open = 0.7),
    nearly_equal = do.call(c, lapply(0:5, function(k) ramp * (1 + k * 2^-52) + k * 2^-50)),
    bent = pcfdist::cumulative(pcfdist::pcf(lapply(1:6, function(i) 0:9), lapply(1:6, function(i) {
      c(rep(rnorm(3), each = 3), 0)
    }))),
    huge = lines_of_magnitudes(c(280, 150, 3)),
    tiny = lines_of_magnitudes(c(-280, -150, -3)),
    mixed_scale = lines_of_magnitudes(c(-120, 0, 120)),
    largest = make_lines(lapply(1:6, function(i) {
      value <- runif(4, -0.24, 0.24) * .Machine$double.xmax
      cbind(time = 0:3, left = value, value = value)
    })),
    late = draw_lines(8, 8, draw_times = function(m) 1.7e9 + sort(rexp(m)), jumps = 0.2),
    rising = rising_lines(12),
    falling = 3 - rising_lines(12),
    rising_gaps = rising_lines(12, gaps = 0.2),
    equal = rep(ramp, 6),
    zero = rep(pcfdist::plf(0, 0), 2),
    none = pcfdist::plf(list(), list()),
    table = table,
    named = stats::setNames(draw_lines(5, 8, gaps = 0.1), letters[1:5])
  )
}

# Steps in place of the lines x, some of which begin at -Inf.
steps_beside <- function(x) {
  set.seed(20240412)
  steps <- pcfdist::pcf(lapply(unclass(x), function(f) replace(f[, 1], 1, sample(c(-Inf, f[1, 1]), 1))),
                        lapply(unclass(x), function(f) sample(c(-2, 1, 3), nrow(f), replace = TRUE)))
  if (is.null(dim(x))) steps else array(steps, dim(x), dimnames(x))
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

# ---- Results ----

# Numbers of a result by columns, such as time and value, `counts` of them in each function, and all that
# else must be the same.
parts_of <- function(result) {
  shape <- c(class(result), "dim", if (!inherits(result, "dist")) dim(result), "names", names(result),
             unlist(dimnames(result)))
  if (inherits(result, "pcf")) {
    functions <- unname(unclass(result))
    columns <- as.data.frame(do.call(rbind, functions))
    counts <- vapply(functions, NROW, 1L)
  } else {
    if (is.list(result)) result <- unlist(lapply(result, as.double))
    columns <- list(value = as.double(result))
    counts <- length(result)
  }
  list(shape = shape, counts = counts, columns = as.list(columns))
}

hash <- function(parts) {
  writeBin(c(unlist(parts[c("counts", "columns")], use.names = FALSE), 0), scratch)
  cat(parts$shape, file = scratch, append = TRUE)
  substr(tools::md5sum(scratch), 1, 16)
}

scratch <- tempfile()
collected <- new.env()
collect_values <- FALSE

# Notes a call: its key, made of the named fields, and the hash of what `run` gives, or its values.
note <- function(run, ...) {
  fields <- list(...)
  key <- paste0(names(fields), "=", vapply(fields, format, ""), collapse = " ")
  value <- tryCatch({
    parts <- parts_of(suppressWarnings(run()))
    if (collect_values) parts else hash(parts)
  }, error = function(e) gsub("[[:space:]]+", " ", paste0("error:", class(e)[1], ": ", conditionMessage(e))))
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

# Functions with several components, the rows of matrices.
note_components <- function(data) {
  for (name in names(data)) {
    x <- data[[name]][seq_len(length(data[[name]]) %/% 3 * 3)]
    dim(x) <- c(length(x) / 3, 3)
    half <- x[seq_len(nrow(x) %/% 2), ]
    for (window in c("all", "inside")) {
      from <- windows[[window]][1]
      to <- windows[[window]][2]
      of <- function(operation, run) {
        note(run, part = "components", operation = operation, window = window, data = name)
      }
      for (p in exponents) {
        of(paste0("pdist,", p), function() pcfdist::pdist(x, p, from, to, margin = 1))
        of(paste0("cdist,", p), function() pcfdist::cdist(x, half, p, from, to, margin = 1))
        of(paste0("lp_norm,", p), function() pcfdist::lp_norm(x, p, from, to, margin = 1))
      }
      of("pdist,2,columns", function() pcfdist::pdist(t(x), 2, from, to, margin = 2))
      of("lp_distance,2", function() pcfdist::lp_distance(x, x[rev(seq_len(nrow(x))), ], 2, from, to, margin = 1))
      of("l2_kernel", function() pcfdist::l2_kernel(x, NULL, from, to, margin = 1))
      of("integral", function() pcfdist::integral(x, from, to, margin = 1))
    }
  }
}

# ---- Functions ----

note_functions <- function(data, part = "functions") {
  for (name in names(data)) {
    x <- data[[name]]
    for_threads <- function(operation, run) {
      for (threads in c(1, 3)) {
        note(function() run(threads), part = part, operation = operation, threads = threads, data = name)
      }
    }
    of <- function(operation, run) note(run, part = part, operation = operation, data = name)
    note_measures(x, for_threads)
    note_many_to_one(x, for_threads)
    note_each(x, for_threads)
    note_algebra(x, of)
    note_shapes(x, of)
    if (part == "lines") note_lines(x, of)
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
  of("simplify", function(threads) pcfdist::drop_redundant(x, threads = threads))
  of("shift", function(threads) pcfdist::shift_time(x, 0.1, threads = threads))
  of("scale_time", function(threads) pcfdist::scale_time(x, 1.7, threads = threads))
  of("fill_missing", function(threads) pcfdist::fill_missing(x, 0.5, threads = threads))
  of("fill_missing,hold", function(threads) pcfdist::fill_missing(x, "hold", threads = threads))
  of("observed", function(threads) pcfdist::observed(x, threads = threads))
}

note_algebra <- function(x, of) {
  y <- rev(x)
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

# Choices of functions, and arrays of them.
note_shapes <- function(x, of) {
  half <- length(x) %/% 2
  table <- x[seq_len(2 * half)]
  dim(table) <- c(2, half)
  dimnames(table) <- list(c("first", "second"), NULL)
  set.seed(1)
  weights <- stats::runif(length(x))
  of("subsample", function() do.call(c, pcfdist::subsample(x, half, 3)))
  of("subsample,replace", function() {
    do.call(c, pcfdist::subsample(x, half, 3, replace = TRUE, weights = weights))
  })
  of("cbind", function() cbind(x, reversed = rev(x)))
  of("rbind", function() rbind(table, 2 * table[1, ]))
  of("table", function() table[2:1, , drop = FALSE])
  for (reduction in c("sum", "mean", "min", "max", "range")) {
    reduce <- match.fun(reduction)
    of(paste0(reduction, ",na.rm"), function() reduce(x, na.rm = TRUE))
    for (margin in 1:2) {
      of(paste0(reduction, ",margin", margin), function() reduce(table, margin = margin))
    }
    of(paste0(reduction, ",margin,na.rm"), function() reduce(table, margin = 2, na.rm = TRUE))
  }
  of("range", function() range(x))
  of("quantile,na.rm", function() quantile(x, c(0.25, 0.6), na.rm = TRUE))
  of("median,na.rm", function() median(x, na.rm = TRUE))
  of("max_time", function() pcfdist::max_time(x))
  of("max_time,margin", function() pcfdist::max_time(table, margin = 2))
  of("linear_combinations", function() {
    pcfdist::linear_combinations(matrix(cos(seq_len(3 * length(x))), 3), x, na.rm = TRUE)
  })
}

note_lines <- function(x, of) {
  steps <- steps_beside(x)
  note_operators_of_lines(x, steps, of)
  note_levels(x, of)
  note_measures_of_lines(x, of)
  of("evaluate,left", function() pcfdist::evaluate(x, seq(-1, 4, length.out = 101), side = "left"))
  of("evaluate,breakpoints", function() pcfdist::evaluate(x, sort(unlist(lapply(unclass(x), function(f) f[, 1])))))
  of("cumulative,ended", function() pcfdist::cumulative(pcfdist::restrict(steps, 0.11, 2.5)))
  of("cumulative,inside", function() pcfdist::cumulative(steps, 0.11, 2.5))
  of("as_plf,steps", function() pcfdist::as_plf(steps))
  of("c,steps", function() c(x, steps))
  of("range,steps", function() range(x, steps))
  of("aggregate,median", function() aggregate(x, seq_along(x) %% 4, median))
  of("unique", function() unique(c(x, x)))
  of("simplify,sum", function() pcfdist::drop_redundant((x + steps) - steps))
}

note_operators_of_lines <- function(x, steps, of) {
  set.seed(2)
  numbers <- sample(c(-2, 0.3, 1, 7e100), length(x), replace = TRUE)
  others <- list(reversed = rev(x), steps = steps, numbers = numbers, zero = 0, level = 0.5, first = head(x, 1))
  operators <- c("+", "-", "*", "/", "<", "<=", ">", ">=", "pmax", "pmin")
  for (operator in operators) {
    operate <- if (startsWith(operator, "p")) getExportedValue("pcfdist", operator) else match.fun(operator)
    for (other in names(others)) {
      y <- others[[other]]
      of(paste0("lines ", operator, " ", other), function() operate(x, y))
      of(paste0(other, " ", operator, " lines"), function() operate(y, x))
    }
  }
  for (other in c("numbers", "zero", "level")) {
    of(paste("lines ==", other), function() x == others[[other]])
    of(paste("lines !=", other), function() x != others[[other]])
  }
  for (other in names(others)) {
    of(paste("pmax,na.rm", other), function() pcfdist::pmax(x, others[[other]], steps, na.rm = TRUE))
    of(paste("pmin,na.rm", other), function() pcfdist::pmin(x, others[[other]], steps, na.rm = TRUE))
  }
}

note_levels <- function(x, of) {
  levels <- c(2, -1, 0, 0.25, 0.5, 1, 1.75, 1e-290, 1e290)
  for (decreasing in list(NULL, FALSE, TRUE)) {
    direction <- format(decreasing %||% "either")
    of(paste0("inverse,", direction), function() pcfdist::inverse(x, decreasing))
    for (flat in c("start", "middle")) {
      of(paste("crossing_time", direction, flat, sep = ","), function() {
        pcfdist::crossing_time(x, levels, decreasing, flat = flat)
      })
    }
  }
  of("crossing_time,exact", function() pcfdist::crossing_time(x, levels, FALSE, tolerance = 0))
}

`%||%` <- function(a, b) if (is.null(a)) b else a

note_measures_of_lines <- function(x, of) {
  for (missing in c("overlap", "mean")) {
    for (p in c(1, 2, 2.7, Inf)) {
      of(paste("pdist", p, missing, sep = ","), function() pcfdist::pdist(x, p, 0.11, 2.5, missing = missing))
      of(paste("lp_norm", p, missing, sep = ","), function() pcfdist::lp_norm(x, p, 0.11, 2.5, missing = missing))
    }
    of(paste0("l2_kernel,", missing), function() pcfdist::l2_kernel(x, NULL, 0.11, 2.5, missing = missing))
    of(paste0("integral,", missing), function() pcfdist::integral(x, 0.11, 2.5, missing = missing))
  }
  of("pdist,all", function() pcfdist::pdist(x, 2))
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

begin_run <- function() {
  suppressPackageStartupMessages(library(pcfdist))
  options(pcfdist.progress = FALSE)
  if (!nzchar(Sys.getenv("PCFDIST_DEVICE"))) options(pcfdist.device = "cpu")
  RNGversion("3.6.0")
}

all_collected <- function() mget(sort(ls(collected), method = "radix"), collected)

write_bits <- function(file) {
  begin_run()
  data <- make_data()
  lines <- make_line_data()
  note_all_pairwise(data)
  note_all_with_gaps(data)
  note_components(c(data[c("ragged", "short", "grid", "mixed_scale")], lines["drawn"]))
  note_functions(data)
  note_functions(lines, "lines")
  note_diagrams(make_diagrams())
  note_ragged_vectors()
  bits <- all_collected()
  writeLines(paste0(names(bits), "\t", bits), file)
  cat(length(bits), "calls,", sum(startsWith(unlist(bits), "error:")), "of them errors\n")
}

write_values <- function(file) {
  begin_run()
  collect_values <<- TRUE
  note_functions(make_line_data(), "lines")
  saveRDS(all_collected(), file)
  cat(length(collected), "calls\n")
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

# ---- Comparing values ----

compare_values <- function(old_file, new_file) {
  old <- readRDS(old_file)
  new <- readRDS(new_file)
  keys <- union(names(old), names(new))
  found <- lapply(keys, function(key) differences(old[[key]], new[[key]]))
  kinds <- vapply(found, `[[`, "", "kind")
  cat(sum(kinds != "equal"), "of", length(keys), "calls differ,", sum(kinds == "digits"), "in digits only\n")
  for (kind in setdiff(unique(kinds), c("equal", "digits"))) {
    of_kind <- which(kinds == kind)
    cat(sprintf("\n%s: %d calls\n", kind, length(of_kind)))
    for (k in of_kind) cat("  ", keys[k], " ", found[[k]]$detail, "\n", sep = "")
  }
  show_digits(keys[kinds == "digits"], found[kinds == "digits"])
  all(kinds %in% c("equal", "digits"))
}

# How two results differ: in kind, with a detail, or in digits, by how much.
differences <- function(old, new) {
  if (identical(old, new)) return(list(kind = "equal"))
  if (is.null(old) || is.null(new)) return(list(kind = "one file alone", detail = ""))
  if (is.character(old) || is.character(new)) {
    text <- function(x) if (is.character(x)) x else "no error"
    return(list(kind = "errors", detail = paste0("\n    was ", text(old), "\n    now ", text(new))))
  }
  if (!identical(old$shape, new$shape)) return(list(kind = "names or classes", detail = ""))
  if (!identical(old$counts, new$counts)) {
    detail <- sprintf("(%d functions: %d breakpoints, were %d)", sum(old$counts != new$counts), sum(new$counts),
                      sum(old$counts))
    return(list(kind = "numbers of breakpoints", detail = detail))
  }
  strange <- function(x) lapply(x$columns, function(column) ifelse(is.finite(column), 0, column))
  if (!identical(strange(old), strange(new))) return(list(kind = "NA or infinite", detail = ""))
  group <- rep(seq_along(old$counts), old$counts)
  list(kind = "digits", by = mapply(relative_differences, old$columns, new$columns, MoreArgs = list(group)))
}

# The largest difference of numbers, relative to themselves and to the largest one of their function.
relative_differences <- function(old, new, group) {
  known <- which(is.finite(old) & old != new)
  if (length(known) == 0) return(c(own = 0, largest = 0))
  size <- pmax(abs(old), abs(new))
  largest <- stats::ave(replace(size, !is.finite(size), 0), group, FUN = max)
  difference <- abs(old / 2 - new / 2)[known]
  c(own = max(difference / size[known]), largest = max(difference / largest[known])) * 2
}

# For each operation the call with the largest differences of times and of values (left limits included), as
# multiples of the rounding 2^-53: relative to the numbers themselves / to the largest of their function.
show_digits <- function(keys, found) {
  if (length(keys) == 0) return()
  worst <- vapply(found, function(difference) {
    is_time <- colnames(difference$by) == "time"
    c(apply(cbind(difference$by[, is_time], 0), 1, max), apply(difference$by[, !is_time, drop = FALSE], 1, max))
  }, double(4)) * 2^53
  cat("\nDigits, in units of 2^-53 of the number / of the largest one of its function:\n")
  operations <- sub(".* operation=(.*?)( threads=.*)? data=.*", "\\1", keys)
  rows <- lapply(split(seq_along(keys), operations), function(k) k[which.max(worst[4, k] + worst[2, k])])
  order <- order(-(worst[2, ] + worst[4, ])[unlist(rows)])
  for (k in unlist(rows)[order]) {
    numbers <- formatC(worst[, k], digits = 3, width = 8)
    cat(sprintf("  times %s / %s  values %s / %s  %s (%d calls)\n", numbers[1], numbers[2], numbers[3], numbers[4],
                keys[k], sum(operations == operations[k])))
  }
}

arguments <- commandArgs(trailingOnly = TRUE)
modes <- list("--compare" = compare_bits, "--compare-values" = compare_values)
if (length(arguments) == 3 && arguments[1] %in% names(modes)) {
  quit(status = if (modes[[arguments[1]]](arguments[2], arguments[3])) 0 else 1)
} else if (length(arguments) == 2 && arguments[1] == "--values") {
  write_values(arguments[2])
} else if (length(arguments) == 1 && !startsWith(arguments, "-")) {
  write_bits(arguments)
} else {
  stop("usage: golden-bits.R FILE | --compare OLD NEW | --values FILE | --compare-values OLD NEW")
}
