#' Computing on several machines
#'
#' @description
#' With `jobs = 64` a call is divided into 64 jobs of about equal work, which the package \pkg{future} runs
#' where its plan says: in other R processes, on other machines, or through Slurm and other schedulers. The
#' result is bit for bit that of a call without `jobs`.
#'
#' These functions have the argument `jobs`: [pdist()], [cdist()] and [l2_kernel()] with a `file`;
#' [nearest_neighbors()], [neighbors_within()] and [reduce_distances()]; and [distance_product()] and
#' [kernel_product()] where they compute all pairs.
#'
#' @details
#' Choose first where jobs run, then call the function:
#'
#' ```
#' future::plan("multisession", workers = 2)        # this machine
#' future::plan("cluster", workers = c("a", "b"))   # other machines, by ssh
#' future::plan(future.batchtools::batchtools_slurm,
#'              template = "slurm.tmpl", resources = list(ncpus = 8, gpus = 1))
#' near <- nearest_neighbors(x, 15, jobs = 64)
#' ```
#'
#' The calling session only waits: it shows how many jobs are done, and submits further jobs as workers
#' become free. All machines must have the same version of the package.
#'
#' @section What a job does:
#' A matrix is divided into bands of columns, and each job writes its own file. When all files are
#' complete, the calling session moves their contents into the one `file`, and deletes each file in turn. The
#' disk therefore needs room for the results and the file of one job; for [l2_kernel()] without `y`, about a
#' quarter of the results more. All other calls are divided into bands of rows, which a job compares with all
#' functions. Without `query` or `y`, neighbours and reductions then compute each pair twice, once for each of
#' its functions. Products that need no pairs are computed in the calling session, see
#' [distance_product()].
#'
#' A job uses the threads that its scheduler assigned (Slurm, SGE, PBS, LSF), or that the CPU affinity and
#' control group quotas of its process allow; the workers of `multisession` share the cores of this machine.
#' It uses the GPUs in `CUDA_VISIBLE_DEVICES`. `device = "cuda"` needs a GPU only where jobs run, not in
#' the calling session. `threads` and the options in [pcfdist_options] are passed to the jobs.
#'
#' The first job chooses the device, the kernel and the vector instructions for all functions, and the others
#' use the same. A job that lacks the GPU or the instructions raises an error: use `device = "cpu"`, or set the
#' option `pcfdist.isa` to instructions that all processors have.
#'
#' @section The folder:
#' Functions are not sent through the scheduler, but written once to a folder that all machines must be able
#' to read. For a matrix it is next to the `file`, as `<file>.jobs`. Otherwise it is the folder in the option
#' `pcfdist.jobs_folder`. Its default is the temporary folder of the session if all jobs run on this machine,
#' and otherwise `.pcfdist-jobs` in the working directory, where future.batchtools has its `.future`.
#'
#' In it each call has its own folder, named `run-` followed by a key, accessible only to its user. When the call is
#' complete, it deletes its files, and then this folder and its parent if they are empty and were created by
#' pcfdist. Folders that existed before, and files of others, are not deleted. Files that are damaged, or that
#' another user could have written, raise an error.
#'
#' @section Other users:
#' Jobs exchange R objects in files, and R may run code when it reads such a file. A file in the folder of a call
#' is therefore opened once, and what is checked and read is the open file, whatever its name stands for by then. It
#' and its folder must belong to the user of the process, nobody else may have the permission to write to
#' them, and symbolic links are not followed. Only then are the bytes read, compared with a checksum of them and of the
#' name of the folder, and turned into an object. New files get names that are free, and never replace what a
#' link leads to. Neither the folder for jobs nor a folder above it may be one to which all users can write,
#' unless its sticky bit is set, as that of `/tmp` is.
#'
#' Whoever owns a folder above, or may write to it as a member of its group, can rename or delete the folders of
#' jobs. Calls then fail or compute again, but nothing that others wrote is read. What is not detected: permissions
#' that the mode of a file does not show, as some access control lists of network file systems, and
#' file systems that report a wrong owner. On Windows, where files have no such owners and modes, none of this is
#' checked: use a folder to which only you can write.
#'
#' @section Failures and interrupts:
#' A job that ends without a result, or that the plan does not accept, is submitted again, up to three times
#' in all. Dead workers of `multisession` are restarted. An error in a job makes the call fail, and the job is
#' not repeated.
#'
#' An interrupted call (by Ctrl-C in a terminal) cancels the jobs of a scheduler, tells other running jobs
#' to stop, and reports how many jobs are done. If the session is killed, its jobs continue. In both cases
#' the results of complete jobs stay in the folder. The same call, with the same number of jobs, then
#' computes only the others, or continues to move results into the `file`. Folders that are no longer needed
#' can be deleted. Two sessions must not run the same call at the same time.
#'
#' @section Errors:
#' An error of class `pcfdist_error_jobs` is raised if a job ended three times without a result, cannot see
#' the folder or has another version of the package, or if the plan has no worker left. The class is
#' `pcfdist_error_file` if the folder or a file in it cannot be created or read: the disk is full, a file is
#' damaged, belongs to another user or can be written by others, or the name of the folder is taken. Errors in
#' jobs have the same class as without `jobs`, and name the job.
#'
#' @return None: this page documents the argument `jobs` of other functions.
#'
#' @seealso [open_distances()], [nearest_neighbors()], [distance_product()]
#'
#' @examples
#' x <- rpcf(100, 10)
#' if (requireNamespace("future", quietly = TRUE)) {
#'   future::plan("sequential")
#'   identical(nearest_neighbors(x, 3, jobs = 4), nearest_neighbors(x, 3))
#' }
#' @name pcfdist_jobs
NULL

# ---- Arguments ----

# The settings of a call with the argument `jobs`, which may be NULL.
settings_of_call <- function(device, precision, threads, progress, jobs) {
  if (is.null(jobs)) run_settings(device, precision, threads, progress)
  else settings_for_jobs(device, precision, threads, progress, jobs)
}

# The settings of a call in jobs: those of run_settings() for the work of this session, on its CPU, and in
# `jobs` the user's arguments, from which the settings of a job are made.
settings_for_jobs <- function(device, precision, threads, progress, jobs) {
  jobs <- check_count(jobs, "jobs", most = most_jobs)
  needs_package("future", "jobs")
  device <- check_choice(device %||% default_device(), "device", devices)
  settings <- run_settings("cpu", precision, threads, progress)
  settings$jobs <- list(
    count = jobs, device = device, precision = settings$precision, threads = threads,
    progress = wants_progress(progress)
  )
  settings
}

most_jobs <- 100000

# Is the call to be divided into jobs, and is there anything to divide?
in_jobs <- function(settings, items) !is.null(settings$jobs) && length(items) > 0

# ---- In the calling session ----

# The values of a task for all parts, in their order. `task` is list(name, ...): the name of a function of
# this package with the arguments (part, run, x, y, ...), which returns list(value, report), and its
# further arguments. Jobs read all these from files. `engine` is what must compute the task, if that is
# known. `finish` is called with the values and the folder of the run before this is removed, and
# returns the result.
run_in_jobs <- function(x, y, parts, task, settings, folder = jobs_folder(), engine = NULL,
                        finish = function(values, folder) values) {
  on.exit(end_bar())
  if (!nzchar(Sys.getenv("USER"))) {
    # batchtools asks Slurm for the jobs of $USER; without it, all jobs would seem dead.
    Sys.setenv(USER = Sys.info()[["effective_user"]])
    on.exit(Sys.unsetenv("USER"), add = TRUE)
  }
  folder <- begin_run(x, y, parts, task, settings, folder, engine)
  answers <- supervise(folder, length(parts), settings$jobs$progress)
  result <- finish(lapply(answers, `[[`, "value"), folder)
  remove_run(folder)
  the$last_run <- report_of_jobs(lapply(answers, `[[`, "report"))
  result
}

# The folder of the runs of this session, if there is no file that determines it.
jobs_folder <- function() {
  folder <- getOption("pcfdist.jobs_folder")
  if (is.null(folder)) return(if (runs_here()) tempdir() else file.path(getwd(), ".pcfdist-jobs"))
  check_is(is_one_name(folder), folder, "pcfdist.jobs_folder", "must be the name of a folder, not ")
  path.expand(folder)
}

# Do all jobs run on this machine?
runs_here <- function() {
  inherits(future::plan(), c("sequential", "multicore", "multisession", "uniprocess"))
}

# Writes the files that jobs read, unless an earlier call has left them. The name of the folder is a hash of
# everything that the answers depend on.
begin_run <- function(x, y, parts, task, settings, folder, engine) {
  asked <- settings$jobs[c("device", "precision", "threads")]
  run <- list(
    parts = parts, task = task, settings = asked, options = options_of_package(),
    version = utils::packageVersion("pcfdist"), together = if (runs_here()) future::nbrOfWorkers() else 1
  )
  digests <- lapply(list(x, y), function(x) if (!is.null(x)) digest_of(x, settings$threads))
  key <- hash_of(list(digests, run[c("parts", "task", "options", "version")],
                      asked[c("device", "precision")]))
  path <- open_run_folder(folder, key)
  begun <- any(grepl(files_of_run, list.files(path)))
  on.exit(if (!begun) remove_run(path))
  if (!is.null(engine)) remove_other(path, engine)
  if (!file.exists(functions_file(path))) write_whole(list(x = x, y = y), functions_file(path))
  if (!is.null(engine)) write_whole(engine, engine_file(path))
  write_whole(run, run_file(path))
  begun <- TRUE
  path
}

# The results of another engine differ in their last digits.
remove_other <- function(path, engine) {
  known <- if (file.exists(engine_file(path))) read_whole(engine_file(path), is_engine)
  if (!is.null(known) && !identical(known, engine)) remove_files(path)
}

# Drops the options that apply only to the calling session.
options_of_package <- function() {
  ours <- sort(grep("^pcfdist[.]", names(options()), value = TRUE), method = "radix")
  options()[setdiff(ours, c("pcfdist.progress", "pcfdist.progress_delay", "pcfdist.jobs_folder",
                            "pcfdist.save_every", "pcfdist.device", "pcfdist.precision"))]
}

# The report of the run: that of the first job, with sums over all. The rest is about single jobs.
report_of_jobs <- function(reports) {
  reports <- Filter(Negate(is.null), reports)
  if (length(reports) == 0) return(NULL)
  report <- reports[[1]]
  for (name in c("blocks", "halvings", "phases")) {
    report[[name]] <- Reduce(`+`, lapply(reports, `[[`, name))
  }
  replace(report, c("timeline", "pruned"), list(NULL))
}

# ---- Futures ----

most_attempts <- 3

# Submits jobs, waits for their answers and returns these. Jobs that have answered an earlier call are not
# submitted. However this ends, no job continues.
supervise <- function(folder, count, progress) {
  state <- new.env(parent = emptyenv())
  state$answers <- lapply(seq_len(count), function(k) find_answer(folder, k))
  state$waiting <- which(vapply(state$answers, is.null, NA))
  state$attempts <- integer(count)
  state$futures <- list()
  state$refused <- FALSE
  the$session <- state$name <- basename(tempfile("session-"))
  on.exit({
    the$session <- NULL
    cancel(state, folder)
    if (progress) tell_what_is_done(number_answered(folder), count)
  })
  start <- seconds_now()
  seconds <- function() seconds_now() - start
  # The folder is read only if the bar is drawn.
  draw <- function(done = number_answered(folder)) {
    if (progress) draw_share("Jobs", done, count, seconds(), paste(done, "of", count))
  }
  repeat {
    moved <- send_jobs(state, folder, draw) + collect_answers(state)
    draw()
    if (length(state$waiting) + length(state$futures) == 0) break
    if (!moved) Sys.sleep(wait_of_polls(seconds(), state))
  }
  state$answers
}

number_answered <- function(folder) length(list.files(folder, "^answer-[0-9]+$"))

# Seconds between two looks: a hundredth of the time elapsed. For a scheduler, each look is a query, and it
# has other users.
wait_of_polls <- function(seconds, state) {
  asked <- sum(vapply(state$futures, inherits, NA, "BatchtoolsFuture"))
  max(min(max(0.02, seconds / 100), 2), asked / 10)
}

# Submits as many waiting jobs as there are free workers. A scheduler takes a second for each.
send_jobs <- function(state, folder, draw) {
  sent <- 0
  while (length(state$waiting) > 0 && is_room(state)) {
    k <- state$waiting[1]
    state$attempts[k] <- state$attempts[k] + 1
    send_and_note(state, folder, k)
    sent <- sent + 1
    draw()
  }
  sent
}

# Delays an interrupt until a submitted job is recorded; but not if the job is computed in this
# session.
send_and_note <- function(state, folder, k) {
  hold <- if (runs_here() && future::nbrOfWorkers() == 1) identity else suspendInterrupts
  hold({
    sent <- tryCatch(send_job(folder, k, state$name), error = identity)
    state$waiting <- setdiff(state$waiting, k)
    state$refused <- inherits(sent, "error")
    if (!state$refused) state$futures[[as.character(k)]] <- sent
  })
  if (state$refused) send_again(state, k, conditionMessage(sent))
}

send_job <- function(folder, k, session) {
  call <- bquote(utils::getFromNamespace("run_job", "pcfdist")(.(folder), .(k), .(session)))
  future::future(
    call, substitute = FALSE, globals = FALSE, packages = "pcfdist", seed = NULL,
    label = paste0("pcfdist-", k)
  )
}

# A dead worker still counts as busy, or as free, and then the plan accepts no job. The workers of a
# multisession can be restarted when no other has a job.
is_room <- function(state) {
  if (!state$refused && future::nbrOfFreeWorkers() > 0) return(TRUE)
  if (length(state$futures) > 0) return(FALSE)
  if (inherits(future::plan(), "multisession")) start_workers_anew()
  state$refused <- FALSE
  if (future::nbrOfFreeWorkers() > 0) return(TRUE)
  abort("jobs", "The plan has no worker left, or all are busy. Set the plan of future again.")
}

# Sets the same plan again; future closes the old workers if there is another plan in between.
start_workers_anew <- function() {
  plans <- future::plan("list")
  future::plan("sequential")
  future::plan(plans)
}

# Collects the answers that have arrived. Jobs that will never answer wait to be submitted again.
collect_answers <- function(state) {
  ended <- names(state$futures)[vapply(state$futures, has_ended, NA)]
  for (name in ended) {
    k <- as.integer(name)
    answer <- tryCatch(future::value(state$futures[[name]]), error = identity)
    state$futures[[name]] <- NULL
    if (inherits(answer, "error")) send_again(state, k, conditionMessage(answer))
    else if (!is.null(answer$failure)) raise_failure(answer$failure, k)
    else state$answers[[k]] <- answer
  }
  length(ended)
}

# future raises an error if a worker died.
has_ended <- function(future) tryCatch(future::resolved(future), error = function(error) TRUE)

send_again <- function(state, k, message) {
  state$waiting <- c(k, state$waiting)
  if (state$attempts[k] < most_attempts) return(invisible())
  abort("jobs", "Job ", k, " of ", length(state$attempts), " ended ", most_attempts,
        " times without a result. The last message of future was: ", message)
}

# An error in a job is an error of the call.
raise_failure <- function(failure, k) {
  failure$message <- paste0("In job ", k, ": ", failure$message)
  failure$call <- caller_call(sys.nframe())
  stop(failure)
}

# The message after an interrupt.
tell_what_is_done <- function(done, count) {
  if (done == count) return(invisible())
  end_bar()
  message(done, " of ", count, " jobs are done and kept: the same call continues with the others.")
}

# Jobs of schedulers are cancelled, the last first, since others would start meanwhile. Other running jobs
# end when they see the file.
cancel <- function(state, folder) {
  if (length(state$futures) == 0) return(invisible())
  try(write_whole(NULL, stop_file(folder, state$name)), silent = TRUE)
  scheduled <- vapply(state$futures, inherits, NA, "BatchtoolsFuture")
  for (future in rev(state$futures[scheduled])) try(take_back(future), silent = TRUE)
  await_end(state$futures[!scheduled])
  state$futures <- list()
}

# batchtools::killJobs() takes a second for each.
take_back <- function(future) {
  registry <- future$config$reg
  for (id in stats::na.omit(registry$status$batch.id)) registry$cluster.functions$killJob(registry, id)
  unlink(registry$file.dir, recursive = TRUE, expand = FALSE) # made for this future alone
}

# An answer that is not collected blocks its worker.
await_end <- function(futures, patience = 10) {
  end <- seconds_now() + patience
  while (length(futures) > 0 && seconds_now() < end) {
    ended <- vapply(futures, has_ended, NA)
    for (future in futures[ended]) try(future::value(future), silent = TRUE)
    futures <- futures[!ended]
    if (length(futures) > 0) Sys.sleep(0.1)
  }
}

# ---- In a job ----

# Computes job k of a run, and writes its answer to the folder, where it stays if the calling session has
# ended. An interrupt in a terminal reaches the workers too, which then would not answer at all; the calling
# session handles its own.
run_job <- function(folder, k, session) {
  if (identical(session, the$session)) return(answer_job(folder, k, session))
  tryCatch(answer_job(folder, k, session),
           interrupt = function(condition) stop("The job was interrupted.", call. = FALSE))
}

# No answer is needed if the folder is gone or the session has stopped.
answer_job <- function(folder, k, session) {
  tryCatch({
    answer <- find_answer(folder, k)
    if (!is.null(answer)) return(answer)
    run <- read_run(folder, session)
    old <- options(run$options)
    on.exit(options(old))
    functions <- read_whole(functions_file(folder), is_functions)
    job <- c(list(run$parts[[k]], run, functions$x, functions$y), run$task[-1])
    answer <- do.call(run$task[[1]], job, envir = topenv())
    write_whole(answer, answer_file(folder, k))
    answer
  }, error = function(failure) {
    failure["call"] <- list(NULL) # it may contain whole collections
    list(failure = failure)
  })
}

# The answer of an earlier call, or NULL.
find_answer <- function(folder, k) {
  path <- answer_file(folder, k)
  if (file.exists(path)) read_whole(path, is_answer)
}

# Files that another machine has just written may take a while to appear.
read_run <- function(folder, session, patience = 60) {
  end <- seconds_now() + patience
  path <- run_file(folder)
  while (!file.exists(path) && seconds_now() < end) Sys.sleep(0.5)
  if (!file.exists(path)) {
    abort("jobs", "The folder ", dQuote(folder, FALSE), " of the calling session does not exist here. ",
          "Set the option \"pcfdist.jobs_folder\" to one that all machines see.")
  }
  run <- read_whole(path, is_run)
  here <- utils::packageVersion("pcfdist")
  if (run$version != here) {
    abort("jobs", "The package has version ", here, " here, but ", run$version,
          " in the calling session.")
  }
  c(run, list(folder = folder, session = session))
}

# The settings of a job.
settings_of_job <- function(run) {
  asked <- run$settings
  threads <- asked$threads %||% getOption("pcfdist.threads") %||% threads_of_job(run$together)
  settings <- run_settings(asked$device, asked$precision, threads, FALSE)
  settings["progress"] <- list(watch_for_stop(run))
  settings
}

# The threads assigned by a scheduler, but not more than are available; if so many jobs run together on
# this machine, a share of these.
threads_of_job <- function(together) {
  given <- future::availableCores(
    methods = c("Slurm", "SGE", "PBS", "LSF"), na.rm = TRUE, default = most_threads
  )
  min(max(1, default_threads() %/% together), given)
}

# A progress function, which C calls while it waits: it draws nothing, but checks now and then whether to
# continue.
watch_for_stop <- function(run) {
  path <- stop_file(run$folder, run$session)
  next_look <- 0
  function(done, total, seconds) {
    if (seconds < next_look) return(invisible())
    next_look <<- seconds + 1
    if (file.exists(path)) abort("jobs", "The calling session has stopped.")
  }
}
