# Objects that say they are a pcf and are not: nobody makes them by plain R, but C code, damaged
# files and methods of further classes do. A process of its own gives them to all that users can
# call, and writes a line for each: "kind object call outcome", see calls.R.

damaged_collections <- function() {
  two <- list(a = cbind(c(0, 2, 5), c(1, 3, 0)), b = cbind(c(1, 4), c(2, 0)))
  bare <- unname(two)
  list(
    integers = with_class(1:3, "pcf"),
    nothing = with_class(double(), "pcf"),
    text = with_class(c(a = "b"), "pcf"),
    pairs = with_class(pairlist(a = 1, b = 2), "pcf"),
    environment = with_class(new.env(), "pcf"),
    `function` = with_class(function(x) x, "pcf"),
    call = with_class(quote(f(x)), "pcf"),
    matrix = with_class(cbind(0, 1), "pcf"),
    no_dimensions = with_class(forced(bare, "dim", integer())),
    too_many_dimensions = with_class(forced(bare, "dim", c(2L, 3L))),
    huge_dimensions = with_class(forced(bare, "dim", c(65536L, 65536L, 2L))),
    negative_dimensions = with_class(forced(bare, "dim", c(-1L, -2L))),
    missing_dimensions = with_class(forced(bare, "dim", c(NA, 2L))),
    few_names = with_class(forced(bare, "names", "a")),
    many_names = with_class(forced(bare, "names", c("a", "b", "c"))),
    numeric_names = with_class(forced(bare, "names", c(1, 2)))
  )
}

damaged_functions <- function() {
  good <- cbind(c(0, 2, 5), c(1, 3, 0))
  lapply(list(
    vector = c(0, 1), integers = cbind(0:1, 1:0), text = cbind("a", "b"), list = list(0, 1),
    data_frame = data.frame(time = 0, value = 1), `function` = mean, call = quote(f(x)),
    environment = new.env(), three_columns = cbind(0, 1, 2), array = array(0, c(1, 2, 1)),
    complex = cbind(0i, 1i), nested = list(good),
    no_dimensions = forced(c(good), "dim", integer()),
    negative = forced(c(good), "dim", c(-3L, -2L)),
    real_dimensions = forced(c(good), "dim", c(3, 2)),
    missing_dimensions = forced(c(good), "dim", c(NA, 2L))
  ), function(f) with_class(list(good, f)))
}

# Further classes whose methods speak untruths.
lying_collections <- function(x) {
  lies <- list(
    length_0 = list("length", function(x) 0L), length_1 = list("length", function(x) 1L),
    length_5 = list("length", function(x) 5L), dim = list("dim", function(x) c(3L, 3L)),
    names = list("names", function(x) "a"), element = list("[[", function(x, ...) 3),
    subset = list("[", function(x, ...) 1:3)
  )
  lapply(stats::setNames(nm = names(lies)), function(name) {
    registerS3method(lies[[name]][[1]], paste0("lie_", name), lies[[name]][[2]], baseenv())
    with_class(x, c(paste0("lie_", name), "pcf", "list"))
  })
}

try_each("collection", damaged_collections(), c(with_collections, with_functions))
try_each("function", damaged_functions(), with_functions)
all_damaged <- c(damaged_collections(), damaged_functions())
try_each("anything", all_damaged, c(with_collections, with_anything))
plain <- with_class(list(cbind(c(0, 2), c(1, 0)), cbind(1, 2)))
expected <- suppressWarnings(lapply(with_functions, function(call) call(plain)))
expected[c("stepfuns", "autoplot")] <- NULL # hold environments
try_each("lie", lying_collections(plain), with_functions, expected)
cat("end\n")
