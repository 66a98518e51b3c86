# Spelling of the help pages, articles and other texts, in British English. Words that no dictionary has
# stand in inst/WORDLIST; 'Rscript tools/spelling.R update' writes those that are left into it.
texts <- c("README.md", "CONTRIBUTING.md", "bench/README.md", Sys.glob("vignettes/articles/*.Rmd"))
known <- readLines("inst/WORDLIST", encoding = "UTF-8")
wrong <- rbind(
  spelling::spell_check_package(".", use_wordlist = FALSE),
  spelling::spell_check_files(texts, lang = "en-GB")
)
wrong <- wrong[!wrong$word %in% known, ]
if (identical(commandArgs(TRUE), "update")) {
  writeLines(sort(unique(c(known, wrong$word)), method = "radix"), "inst/WORDLIST", useBytes = TRUE)
} else if (nrow(wrong) > 0) {
  print(wrong)
  stop("words that are in no dictionary and not in inst/WORDLIST", call. = FALSE)
}
