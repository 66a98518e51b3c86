# Builds the site into site/, from nothing but what is on this machine, and checks it.
# Usage: Rscript tools/site.R, with pcfdist in the library

site <- "site"

main <- function() {
  unlink(site, recursive = TRUE, expand = FALSE)
  options(pkgdown.internet = FALSE)
  know_no_cran()
  pkgdown::check_pkgdown()
  pkgdown::build_site(install = FALSE, new_process = FALSE, preview = FALSE)
  finish()
}

# Links to packages that are not installed would be looked up in the list of CRAN: here, in one without packages.
know_no_cran <- function() {
  none <- data.frame(Package = character(), URL = character())
  utils::assignInNamespace("CRAN_urls", function() none, "downlit")
}

finish <- function() {
  write_search_script()
  write_linked_pages()
  pages <- list.files(site, "[.]html$", recursive = TRUE, full.names = TRUE)
  html <- lapply(pages, page_text)
  html <- mend_links(html, pages)
  html <- typeset(html)
  for (i in seq_along(pages)) writeLines(html[[i]], pages[i], useBytes = TRUE)
  wrong <- c(unlist(Map(faults, html, pages)), style_faults())
  if (length(wrong) > 0) {
    stop("the site has faults:\n", paste(wrong, collapse = "\n"), call. = FALSE)
  }
  message(length(pages), " pages in ", site, "/, from index.html on")
}

page_text <- function(page) paste(readLines(page, encoding = "UTF-8"), collapse = "\n")

# Reports of measurements that the first page links to become pages, in the folder in which they lie
# in the repository.
write_linked_pages <- function() {
  index <- page_text(file.path(site, "index.html"))
  links <- regmatches(index, gregexpr("(?<=href=\")bench/[^\"]+[.]html", index, perl = TRUE))[[1]]
  for (page in unique(links)) write_report(sub("html$", "md", page), page)
}

write_report <- function(path, page) {
  lines <- readLines(path, encoding = "UTF-8")
  output <- tempfile(fileext = ".html")
  on.exit(unlink(output, expand = FALSE))
  rmarkdown::pandoc_convert(
    normalizePath(path), to = "html", from = "gfm", output = output, options = "--wrap=none"
  )
  body <- sub("<table>", "<table class=\"table\">", page_text(output), fixed = TRUE)
  title <- sub("^# ", "", lines[startsWith(lines, "# ")][1])
  dir.create(dirname(file.path(site, page)), showWarnings = FALSE, recursive = TRUE)
  pkgdown::render_page(
    ".", "title-body", list(pagetitle = title, body = sub("<h1.*?</h1>", "", body)), page,
    quiet = TRUE
  )
}

# What the search looks at: the sections of search.json, and each page with the names that it
# documents. As a script: pages at a file: address may load that, but not a .json file.
write_search_script <- function() {
  sections <- jsonlite::read_json(file.path(site, "search.json"))
  complete <- vapply(sections, function(section) {
    is.character(section$path) && is.character(section$what)
  }, NA)
  sections <- sections[complete]
  paths <- sub("^/", "", vapply(sections, function(section) section$path, ""))
  topics <- pkgdown::as_pkgdown(".")$topics
  titles <- vapply(unique(paths), page_title, "")
  rest <- vapply(sections, function(section) {
    tolower(paste(unlist(section[c("text", "code")]), collapse = " "))
  }, "")
  entries <- c(
    lapply(names(titles), function(path) {
      list(
        path = path, id = "", what = titles[[path]], title = "",
        names = documented_names(path, topics),
        rest = paste(rest[paths == path], collapse = " ")
      )
    }),
    Map(function(section, path, rest) {
      list(
        path = path, id = paste(section$id, collapse = ""), what = section$what, title = titles[[path]],
        names = list(), rest = rest
      )
    }, sections, paths, rest)
  )
  json <- jsonlite::toJSON(unname(entries), auto_unbox = TRUE)
  script <- paste0("window.searchIndex = ", json, ";")
  writeLines(script, file.path(site, "search.js"), useBytes = TRUE)
}

page_title <- function(path) {
  text <- paste(readLines(file.path(site, path), encoding = "UTF-8"), collapse = " ")
  sub("^.*<title>(.*?)( • [^<]*)?</title>.*$", "\\1", text, perl = TRUE)
}

documented_names <- function(path, topics) {
  on_page <- file.path("reference", topics$file_out) == path
  as.list(tolower(unlist(topics$alias[on_page], use.names = FALSE)))
}

# The place of a logo goes. Links to the sources of articles lead to the articles; those to files
# that are only in the repository become text.
mend_links <- function(html, pages) {
  Map(function(text, page) {
    text <- gsub("<img src=\"\"[^>]*>", "", text)
    text <- gsub(
      "href=\"vignettes/(?:articles/)?([^\"]+)[.]Rmd\"", "href=\"articles/\\1.html\"", text, perl = TRUE
    )
    replace_matches(text, "<a href=\"(?!#)[^\":]*\"[^>]*>.*?</a>", function(link) {
      ifelse(vapply(link, link_leads, NA, page), link, gsub("^<a [^>]*>|</a>$", "", link))
    })
  }, html, pages)
}

link_leads <- function(link, page) {
  target <- sub("^<a href=\"([^\"#?]*).*$", "\\1", link)
  target == "" || file.exists(file.path(dirname(page), utils::URLdecode(target)))
}

# Formulas: TeX, of help pages between \( and \) or $$, of articles in a span, becomes MathML,
# which browsers show without a library. Code is left alone.
formula <- paste(
  "(?s)(<pre.*?</pre>|<code.*?</code>)(*SKIP)(*FAIL)", "\\\\\\(.+?\\\\\\)", "\\\\\\[.+?\\\\\\]",
  "\\$\\$.+?\\$\\$", sep = "|"
)

typeset <- function(html) {
  all <- unique(unlist(lapply(html, function(text) {
    regmatches(text, gregexpr(formula, text, perl = TRUE))
  })))
  made <- mathml(all)
  lapply(html, replace_matches, formula, function(found) made[match(found, all)])
}

# All formulas by one run of pandoc, each in a paragraph of its own.
mathml <- function(formulas) {
  tex <- gsub("&lt;", "<", gsub("&gt;", ">", gsub("&amp;", "&", formulas, fixed = TRUE)))
  display <- !startsWith(tex, "\\(")
  tex <- trimws(gsub("\\s+", " ", substr(tex, 3, nchar(tex) - 2)))
  mark <- ifelse(display, "$$", "$")
  input <- tempfile(fileext = ".md")
  output <- tempfile(fileext = ".html")
  on.exit(unlink(c(input, output), expand = FALSE))
  writeLines(paste0(mark, tex, mark, "\n"), input, useBytes = TRUE)
  rmarkdown::pandoc_convert(
    input, to = "html", from = "markdown", output = output, options = c("--mathml", "--wrap=none")
  )
  text <- paste(readLines(output, encoding = "UTF-8"), collapse = "\n")
  made <- regmatches(text, gregexpr("(?s)<math.*?</math>", text, perl = TRUE))[[1]]
  stopifnot(length(made) == length(formulas))
  made
}

replace_matches <- function(text, pattern, by) {
  at <- gregexpr(pattern, text, perl = TRUE)
  found <- regmatches(text, at)[[1]]
  if (length(found) > 0) regmatches(text, at) <- list(unname(by(found)))
  text
}

# What is wrong with a page, in words.
faults <- function(text, page) {
  loaded <- unlist(regmatches(text, gregexpr(
    "<(script|img|iframe|link|source)\\b[^>]*(src|href)=\"(https?:)?//[^>]*>", text,
    perl = TRUE
  )))
  loaded <- loaded[!grepl("rel=\"canonical\"", loaded)]
  c(
    if (length(loaded) > 0) paste0(page, " loads from elsewhere: ", loaded),
    if (grepl(formula, text, perl = TRUE)) paste0(page, " has a formula that was not typeset"),
    if (grepl("class=\"math[^>]*><(?!math)", text, perl = TRUE)) paste0(page, " lost a formula")
  )
}

style_faults <- function() {
  sheets <- list.files(site, "[.]css$", recursive = TRUE, full.names = TRUE)
  elsewhere <- vapply(sheets, function(sheet) {
    any(grepl("(@import|url[(]) *[\"']?(https?:)?//", readLines(sheet, warn = FALSE)))
  }, NA)
  if (any(elsewhere)) paste0(sheets[elsewhere], " loads from elsewhere")
}

main()
