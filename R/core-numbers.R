# Numbers as text, and text in lower case. Neither depends on the options `OutDec`, `scipen` and `digits` nor on the
# locale: numbers are written in the same way in messages, in what is printed, in names and in files.

# As format() writes them, by default with as many digits as as.character() has.
number <- function(x, digits = 15, big.mark = "", scientific = 0, ...) {
  text <- with_point(format(x, digits = digits, scientific = scientific, decimal.mark = ".", ...))
  if (nzchar(big.mark)) prettyNum(text, big.mark = big.mark, decimal.mark = ".") else text
}

# Each number by itself.
numbers <- function(x, ...) vapply(x, number, "", ...)

# To two digits.
format_short <- function(x) numbers(signif(x, 2))

# The same as as.character().
text_of <- function(x) {
  if (inherits(x, "POSIXct")) return(as.character(x, digits = 0L)) # and not those of the option digits.secs
  if (!is.double(x) || is.object(x) && !inherits(x, "difftime")) return(as.character(x))
  replace(numbers(as.vector(x)), is.na(x) & !is.nan(x), NA)
}

# The same as as.factor().
as_groups <- function(x) {
  if (!is.double(x) || is.object(x)) return(as.factor(x))
  stats::setNames(factor(text_of(x), unique(text_of(sort(x)))), names(x))
}

# Numbers with enough digits to tell them apart: as few as that needs where it is more than 15.
format_numbers <- function(x, digits, ...) {
  finite <- is.finite(x)
  room <- room_between(x[finite])
  repeat {
    text <- numbers(x, digits)
    off <- abs(as.double(text[finite]) - x[finite])
    if (digits >= 17 || all(off <= room)) break
    digits <- digits + 1
  }
  if (...length() > 0) numbers(x, digits, ...) else if (digits > 15) vapply(x, exact_text, "") else text
}

# A quarter of the distance to the nearest number that differs: one that is rounded by less can be told apart from it.
room_between <- function(x) {
  sorted <- sort(unique(x))
  steps <- diff(sorted)
  base::pmin(c(Inf, steps), c(steps, Inf))[match(x, sorted)] / 4
}

# The shortest text from which R reads the same number.
exact_text <- function(x) {
  for (digits in 15:17) {
    text <- number(x, digits)
    if (!is.double(x) || is.object(x) || !is.finite(x) || as.double(text) == x) break
  }
  text
}

# The same from text in the numeric locale, in which R writes decimals.
with_point <- function(text) {
  mark <- Sys.localeconv()[["decimal_point"]]
  if (mark != ".") text[] <- sub(mark, ".", text, fixed = TRUE)
  text
}

# An expression in one line, as R reads it in any locale.
code_text <- function(expression, width.cutoff = 500L, ...) {
  locale <- Sys.getlocale("LC_NUMERIC")
  old <- options(scipen = 0)
  on.exit({
    options(old)
    if (locale != "C") suppressWarnings(Sys.setlocale("LC_NUMERIC", locale))
  })
  if (locale != "C") Sys.setlocale("LC_NUMERIC", "C")
  paste(deparse(expression, width.cutoff, ...), collapse = " ")
}

# tolower() has another lower case of "I" in Turkish.
lower_case <- function(x) chartr(paste(LETTERS, collapse = ""), paste(letters, collapse = ""), x)
