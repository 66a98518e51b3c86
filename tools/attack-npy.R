# Attacks folders that write_npy() replaces: reads them while other processes write, lets several write at once, and
# kills writers at random moments. Fails if anything but one whole collection is read, or a call fails.
#
#   Rscript tools/attack-npy.R [SECONDS]   for each of the four attacks; 20 if not given

library(pcfdist)
given <- commandArgs(trailingOnly = TRUE)
seconds <- if (length(given) > 0) as.numeric(given[1]) else 20
above <- tempfile("attack-")
dir.create(above)
set.seed(47)
options(pcfdist.threads = 1)

# Collection number k of the same shape as all others of its kind; each of its numbers tells k.
collection <- function(k) {
  times <- lapply(1:50, function(i) k + seq_len(200) + i / 64)
  values <- lapply(1:50, function(i) k + seq_len(200) * i)
  x <- if (k %% 4 < 2) pcf(times, values) else plf(times, values)
  if (k %% 2 == 1) names(x) <- paste0("f", k, "-", 1:50)
  if (k %% 4 == 2) time_unit(x) <- "days"
  x
}

# What is read: "whole", or what is wrong with it.
reading <- function(folder, among = NULL) {
  x <- tryCatch(read_npy(folder), error = identity)
  if (inherits(x, "error")) return(paste("error:", conditionMessage(x)))
  k <- as.matrix(unclass(x)[[1]])[[1, 1]] - 1 - 1 / 64
  if (!identical(x, collection(k))) return("MIXED")
  if (is.null(among) || k %in% among) "whole" else paste("collection", k, "of an earlier call")
}

until <- function(end, code) {
  code <- substitute(code)
  frame <- parent.frame()
  while (Sys.time() < end) eval(code, frame)
}

# A process that writes one collection after the other; one without end, until it is killed.
writer <- function(folder, end = Sys.time() + 3600) {
  first <- sample.int(1e6, 1)
  parallel::mcparallel({
    k <- first
    until(end, write_npy(collection(k <- k + 1), folder))
    "done"
  }, silent = TRUE)
}

finish <- function(jobs) {
  answers <- suppressWarnings(parallel::mccollect(jobs))
  vapply(answers, function(answer) if (identical(answer, "done")) "wrote" else paste("error:", answer[1]), "")
}

kill <- function(job) {
  tools::pskill(job$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(job))
}

new_folder <- function() {
  folder <- tempfile("functions-", above)
  write_npy(collection(1), folder)
  folder
}

failed <- FALSE
report <- function(attack, outcomes, folder) {
  write_npy(collection(1), folder)
  left <- setdiff(list.files(folder), paste0(c("checksums", "lengths", "times", "values", "names"), ".npy"))
  outcomes <- c(outcomes, if (length(left) > 0) paste("left behind:", left))
  counts <- table(outcomes)
  cat(attack, ":\n", sprintf("  %6d %s\n", counts, names(counts)), sep = "")
  failed <<- failed || !all(outcomes %in% c("whole", "wrote", "killed")) || !"whole" %in% outcomes
}

# ---- The attacks ----

read_beside_writers <- function(writers) {
  folder <- new_folder()
  end <- Sys.time() + seconds
  jobs <- lapply(seq_len(writers), function(k) writer(folder, end))
  outcomes <- character()
  until(end, outcomes <- c(outcomes, reading(folder)))
  report(paste("reads beside", writers, "writers"), c(outcomes, finish(jobs)), folder)
}

write_at_once <- function() {
  folder <- new_folder()
  outcomes <- character()
  until(Sys.time() + seconds, {
    numbers <- sample.int(1e6, 2)
    jobs <- lapply(numbers, function(k) {
      parallel::mcparallel({
        write_npy(collection(k), folder)
        "done"
      }, silent = TRUE)
    })
    outcomes <- c(outcomes, finish(jobs), reading(folder, numbers))
  })
  report("two writers at once", outcomes, folder)
}

kill_writers <- function() {
  folder <- new_folder()
  outcomes <- character()
  until(Sys.time() + seconds, {
    job <- writer(folder)
    Sys.sleep(runif(1, 0, 0.1))
    kill(job)
    outcomes <- c(outcomes, "killed", reading(folder))
  })
  report("kills", outcomes, folder)
}

read_beside_kills <- function() {
  folder <- new_folder()
  end <- Sys.time() + seconds
  reader <- parallel::mcparallel({
    outcomes <- character()
    until(end, outcomes <- c(outcomes, reading(folder)))
    outcomes
  }, silent = TRUE)
  killed <- character()
  until(end, {
    jobs <- list(writer(folder), writer(folder))
    Sys.sleep(runif(1, 0, 0.2))
    lapply(jobs, kill)
    killed <- c(killed, "killed", "killed")
  })
  report("reads beside kills", c(killed, unlist(parallel::mccollect(reader))), folder)
}

read_beside_writers(1)
write_at_once()
kill_writers()
read_beside_kills()
unlink(above, recursive = TRUE, expand = FALSE)
cat(if (failed) "FAILED: a folder was not whole, or a call failed\n" else "All folders were whole.\n")
quit(status = failed)
