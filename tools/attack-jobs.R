# Another user attacks calls with jobs: while root repeats a call of which a run is left, "nobody" swaps
# the folder of this run, or a link to it, for one with planted answers. In each answer is a reference to a
# package that nothing else loads, so that it shows if one is unserialised. No planted answer may be
# returned or unserialised, and all that fails must be an error of pcfdist. The last line is "N passed, N
# failed, N skipped".
#
# usage: Rscript tools/attack-jobs.R [SECONDS], where each of the six attacks takes so many, by default 12

suppressPackageStartupMessages(library(pcfdist))
given <- commandArgs(trailingOnly = TRUE)
seconds <- if (length(given) > 0) as.numeric(given[1]) else 12
trace <- "stats4"
internal <- function(name) utils::getFromNamespace(name, "pcfdist")

# ---- Folders ----

# The folder of a run with all its answers.
leave_run <- function(folder) {
  real <- internal("remove_run")
  on.exit(utils::assignInNamespace("remove_run", real, "pcfdist"))
  utils::assignInNamespace("remove_run", function(path) NULL, "pcfdist")
  call_in(folder)
  list.files(folder, "^run-", full.names = TRUE)
}

call_in <- function(folder) {
  old <- options(pcfdist.jobs_folder = folder)
  on.exit(options(old))
  nearest_neighbors(x, 2, jobs = 2)
}

copy_of <- function(folder, to) {
  dir.create(to, recursive = TRUE, mode = "0700")
  file.copy(list.files(folder, full.names = TRUE), to, copy.mode = TRUE)
  to
}

# The same run with other answers, which belong to the other user.
plant <- function(run, to) {
  path <- copy_of(run, to)
  Sys.chmod(path, "0755", use_umask = FALSE)
  for (k in 1:2) {
    answer <- internal("find_answer")(run, k)
    answer$value[] <- lapply(answer$value, function(numbers) replace(numbers, TRUE, -1))
    answer$report$trace <- asNamespace(trace)
    internal("write_whole")(answer, file.path(path, paste0("answer-", k)))
  }
  unloadNamespace(trace)
  give_away(path)
}

give_away <- function(path) {
  stopifnot(system2("chown", c("-hR", "nobody", path)) == 0)
  path
}

# ---- Attacks ----

# The folder of the run and its planted double, under names that the other user swaps, or links to them.
prepare <- function(folder, mode, way, run, planted) {
  dir.create(folder)
  stopifnot(system2("chgrp", c("nogroup", folder)) == 0)
  Sys.chmod(folder, mode, use_umask = FALSE)
  names <- file.path(folder, c(basename(run), "spare"))
  if (way == "folder") {
    whole <- paste0(folder, c("-genuine", "-planted"))
    repair <- function() {
      if (all(file.exists(file.path(names, "answer-1")))) return()
      unlink(c(names, whole), recursive = TRUE, expand = FALSE)
      copy_of(run, whole[1])
      give_away(copy_of(planted, whole[2]))
      suppressWarnings(file.rename(whole, names)) # fails where a name is taken again by now
    }
  } else {
    genuine <- file.path(paste0(folder, "-genuine"), basename(run))
    repair <- function() {
      if (file.exists(file.path(genuine, "answer-1"))) return()
      unlink(genuine, recursive = TRUE, expand = FALSE)
      copy_of(run, genuine)
    }
    file.symlink(c(genuine, planted), names)
    give_away(names)
  }
  list(names = names, repair = repair)
}

start_swapping <- function(names, stop, swaps) {
  args <- c("--reuid=nobody", "--regid=nogroup", "--clear-groups", program, names, stop)
  system2("setpriv", args, stdout = swaps, wait = FALSE)
}

# What a call, or reading one answer, comes to. There may be no answer yet.
outcome_of <- function(code, due) {
  outcome <- tryCatch({
    if (is.null(code)) "none"
    else if (identical(code, due)) "right"
    else if (any(unlist(code) == -1)) "planted"
    else "wrong"
  }, pcfdist_error = function(e) "refused", error = function(e) paste("another error:", conditionMessage(e)))
  if (!isNamespaceLoaded(trace)) return(outcome)
  unloadNamespace(trace)
  paste0(outcome, " (unserialised)")
}

attack <- function(name, mode, way) {
  folder <- file.path(work, name)
  stop <- paste0(folder, "-stop")
  swaps <- paste0(folder, "-swaps")
  of <- prepare(folder, mode, way, run, planted)
  of$repair()
  start_swapping(of$names, stop, swaps)
  end <- Sys.time() + seconds
  outcomes <- character()
  while (Sys.time() < end) {
    read <- replicate(20, outcome_of(internal("find_answer")(of$names[1], 1)$value, answer))
    called <- outcome_of(suppressMessages(suppressWarnings(call_in(folder))), result)
    outcomes <- c(outcomes, read, called)
    of$repair()
  }
  file.create(stop)
  while (file.size(swaps) == 0) Sys.sleep(0.1)
  swapped <- scan(swaps, quiet = TRUE)
  kinds <- table(outcomes)
  cat(sprintf("%s: swapped %.0f times of %.0f; %d calls: %s\n", name, swapped[2], swapped[1], length(outcomes),
              paste(names(kinds), kinds, sep = " ", collapse = ", ")))
  tried <- swapped[1] > 100 && (swapped[2] > 100 || (way == "folder" && mode == "1777"))
  tried && all(outcomes %in% c("right", "refused", "none"))
}

if (Sys.info()[["sysname"]] != "Linux" || Sys.info()[["effective_user"]] != "root") {
  cat("two users are needed: only root can be both\n0 passed, 0 failed, 6 skipped\n")
  quit(status = 0)
}
stopifnot(requireNamespace("future", quietly = TRUE), !isNamespaceLoaded(trace))
work <- system2("mktemp", "-d", stdout = TRUE)
status <- tryCatch({
  Sys.chmod(work, "0755", use_umask = FALSE)
  program <- file.path(work, "swap-names")
  stopifnot(system2("cc", c("-O1", "-o", program, "tools/swap-names.c")) == 0)
  options(pcfdist.progress = FALSE)
  set.seed(1)
  x <- rpcf(300, 5)
  run <- leave_run(file.path(work, "left"))
  answer <- internal("find_answer")(run, 1)$value
  result <- call_in(file.path(work, "plain"))
  planted <- plant(run, file.path(work, "planted", basename(run)))
  passed <- c(
    attack("open-folder", "0777", "folder"), attack("open-link", "0777", "link"),
    attack("group-folder", "0775", "folder"), attack("group-link", "0775", "link"),
    attack("sticky-folder", "1777", "folder"), attack("sticky-link", "1777", "link")
  )
  cat(sum(passed), "passed,", sum(!passed), "failed, 0 skipped\n")
  as.integer(!all(passed))
}, finally = unlink(work, recursive = TRUE, expand = FALSE))
quit(status = status)
