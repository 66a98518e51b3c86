#' Work on many machines
#'
#' @description
#' With `jobs = 64` a call is cut into 64 jobs of about the same work, which the package
#' \pkg{future} runs wherever its plan says: in further R processes, on other machines, or as jobs
#' of Slurm and other schedulers. The result is that of a call without `jobs`, to the last bit.
#'
#' It is for [pdist()], [cdist()] and [l2_kernel()] with a `file`, for [nearest_neighbors()],
#' [neighbors_within()] and [reduce_distances()], and for [distance_product()] and
#' [kernel_product()] where they go through all pairs.
#'
#' @details
#' Say first where jobs run, then call:
#'
#' ```
#' future::plan("multisession", workers = 2)        # this machine
#' future::plan("cluster", workers = c("a", "b"))   # other machines, by ssh
#' future::plan(future.batchtools::batchtools_slurm,
#'              template = "slurm.tmpl", resources = list(ncpus = 8, gpus = 1))
#' near <- nearest_neighbors(x, 15, jobs = 64)
#' ```
#'
#' The session that calls only waits: it draws how many jobs are done, and sends further jobs as
#' there is room. Every machine needs the package in the same version.
#'
#' @section What a job does:
#' A matrix is cut into bands of columns, and each job writes one file of its own. When all are
#' there, the session that waits moves what is in them into the one `file`, and removes each when it
#' is there: the disk needs room for the results and the file of one job, for [l2_kernel()] without
#' `y` about a quarter of the results more. Everything else is cut into bands of rows, which a job
#' compares with all functions. So without `query` or `y` neighbours and reductions look at each
#' pair twice, once for each of its functions. Products that need no pairs are computed in the
#' session that calls, see [distance_product()].
#'
#' A job uses the threads that its scheduler gave it (Slurm, SGE, PBS, LSF), or that the affinity
#' of its process and the quotas of its control groups leave; on this machine (`multisession`) the
#' workers share its cores. It uses the GPUs that `CUDA_VISIBLE_DEVICES` shows it. `device = "cuda"`
#' needs no GPU where the call is made, only where jobs run. `threads` and the options of
#' [pcfdist_options] go along.
#'
#' The first job chooses the device, the kernel and the vector instructions, from all functions,
#' and all others follow. One that cannot, for want of a GPU or of these instructions, is an error:
#' say `device = "cpu"`, or set the option `pcfdist.isa` to what all processors have.
#'
#' @section The folder:
#' Functions do not travel through messages of a scheduler. They are written once into a folder
#' that all machines must see, and each job reads them from there. It is beside the `file` of a
#' matrix, as `<file>.jobs`, otherwise in the folder that the option `pcfdist.jobs_folder` names:
#' by default `.pcfdist-jobs` in the working directory, as future.batchtools has its `.future`
#' there, and the temporary folder of the session where all jobs run on this machine.
#'
#' In it each call has a folder of its own, `run-` and a key, which only its user can open. When
#' the call has its result, it removes the files that it wrote, and then this folder and the one
#' around it, if they are empty and pcfdist made them. A folder that was there before stays, and so
#' does what others have put into one of pcfdist. Files that are damaged or belong to another user
#' are not used, but are an error.
#'
#' @section When something dies:
#' A job that ends without an answer, or that the plan does not take, is sent again, up to three
#' times in all. Workers of `multisession` that died are started anew. An error in a job is an error
#' of the call, and is not tried again.
#'
#' A call that is interrupted, with Ctrl-C in a terminal, takes back the jobs of a scheduler, lets
#' others that run end early, and says how many are done. One that is killed cannot do that: its jobs
#' go on. In both cases the answers of jobs that are done stay in the folder, and the same call, with
#' the same number of jobs, goes on with the others, or with moving what they wrote into the `file`.
#' A folder that nobody wants any more can be deleted. Two sessions must not make the same call at
#' the same time.
#'
#' @section Errors:
#' `pcfdist_error_jobs` is raised where jobs ended three times without an answer, or do not see
#' the folder. `pcfdist_error_file` is raised where the folder or a file in it cannot be made or
#' read: the disk is full, a file is damaged or belongs to another user, or something else has the
#' name of the folder. Errors in jobs have the class that they have without `jobs`, and name the job.
#'
#' @return Nothing: this page documents the argument `jobs` of other functions.
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

# ---- What a call asks for ----

# The settings of a call in jobs: those of run_settings() for what this session does itself, on its
# CPU, and in `jobs` what the user asked for, which the settings of a job are made of.
settings_for_jobs <- function(device, precision, threads, progress, jobs) {
  jobs <- check_count(jobs, "jobs", most = most_jobs)
  needs_package("future", "jobs")
  device <- check_choice(device %||% default_device(), "device", c("auto", "cpu", "cuda"))
  settings <- run_settings("cpu", precision, threads, progress)
  settings$jobs <- list(
    count = jobs, device = device, precision = settings$precision, threads = threads,
    progress = wants_progress(progress)
  )
  settings
}

most_jobs <- 100000

# Is a call in jobs, and is there anything to share out among them?
in_jobs <- function(settings, items) !is.null(settings$jobs) && length(items) > 0

# ---- In the session that calls ----

# The values of a task for all parts, in their order. `task` is list(name, ...): the name of a
# function of this package with the arguments (part, run, x, y, ...), which gives
# list(value, report), and its further arguments. Jobs get all these from files. `engine` is what
# has to compute it, if that is known. `finish` is given the values and the folder of the run before
# that is removed, and gives the result.
run_in_jobs <- function(x, y, parts, task, settings, folder = jobs_folder(), engine = NULL,
                        finish = function(values, folder) values) {
  on.exit(end_bar())
  if (!nzchar(Sys.getenv("USER"))) {
    # batchtools asks Slurm for the jobs of $USER, and would take all of them for dead.
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

# The folder of the runs of this session, where no file tells where that is to be.
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

# Writes what jobs read, unless a call that ended early has left it there. The folder is named
# after all that the answers depend on.
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

# What another engine computed has other last digits.
remove_other <- function(path, engine) {
  known <- if (file.exists(engine_file(path))) read_whole(engine_file(path), is_engine)
  if (!is.null(known) && !identical(known, engine)) remove_files(path)
}

# Options that are those of the session that waits.
options_of_package <- function() {
  all <- options()
  ours <- all[startsWith(names(all), "pcfdist.")]
  ours[setdiff(names(ours), c("pcfdist.progress", "pcfdist.progress_delay", "pcfdist.jobs_folder",
                              "pcfdist.device", "pcfdist.precision"))]
}

# What ran: the plan of the first job, and the sums over all.
report_of_jobs <- function(reports) {
  reports <- Filter(Negate(is.null), reports)
  if (length(reports) == 0) return(NULL)
  c(plan_of(reports[[1]]), add_up(reports))
}

# What of a report is known before the run.
plan_of <- function(report) {
  report[setdiff(names(report), c("blocks", "halvings", "phases", "timeline", "pruned"))]
}

# Of reports of parts.
add_up <- function(reports) {
  sum_of <- function(name) sum(vapply(reports, `[[`, 0, name))
  list(blocks = sum_of("blocks"), halvings = sum_of("halvings"),
       phases = if (length(reports)) Reduce(`+`, lapply(reports, `[[`, "phases")), timeline = NULL)
}

# ---- Futures ----

most_attempts <- 3

# Sends jobs, waits for their answers, and returns these. Jobs that have answered an earlier call are
# not sent. However this ends, no job of it goes on.
supervise <- function(folder, count, progress) {
  state <- new.env(parent = emptyenv())
  owner <- own_id(folder)
  state$answers <- lapply(seq_len(count), function(k) find_answer(folder, k, owner))
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
  draw <- function() if (progress) draw_jobs(number_answered(folder), count, seconds())
  repeat {
    moved <- send_jobs(state, folder, draw) + collect_answers(state)
    draw()
    if (length(state$waiting) + length(state$futures) == 0) break
    if (!moved) Sys.sleep(wait_of_polls(seconds(), state))
  }
  state$answers
}

number_answered <- function(folder) length(list.files(folder, "^answer-[0-9]+$"))

# Seconds between looks: a hundredth of the time that it has taken. A look at a job of a scheduler
# is a question to that, which others want to ask, too.
wait_of_polls <- function(seconds, state) {
  asked <- sum(vapply(state$futures, inherits, NA, "BatchtoolsFuture"))
  max(min(max(0.02, seconds / 100), 2), asked / 10)
}

# Sends as many of those that wait as there is room for. A scheduler takes a second for each.
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

# An interrupt waits, lest a job is sent of which nobody knows; but not for a job that is computed
# here.
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

# A worker that died keeps its place, or is taken for one that is free, and then the plan takes no
# job. Those of a multisession can be started anew when no other has a job.
is_room <- function(state) {
  if (!state$refused && future::nbrOfFreeWorkers() > 0) return(TRUE)
  if (length(state$futures) > 0) return(FALSE)
  if (inherits(future::plan(), "multisession")) start_workers_anew()
  state$refused <- FALSE
  if (future::nbrOfFreeWorkers() > 0) return(TRUE)
  abort("jobs", "No worker of the plan is left, or all are busy. Set the plan of future again.")
}

# The plan as it is set; future closes the old workers when another one comes between.
start_workers_anew <- function() {
  plans <- future::plan("list")
  future::plan("sequential")
  future::plan(plans)
}

# Takes the answers that have come, and puts the jobs of those that never will among the waiting.
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

# A worker that died is an error of future's.
has_ended <- function(future) tryCatch(future::resolved(future), error = function(error) TRUE)

send_again <- function(state, k, message) {
  state$waiting <- c(k, state$waiting)
  if (state$attempts[k] < most_attempts) return(invisible())
  abort("jobs", "Job ", k, " of ", length(state$attempts), " ended ", most_attempts,
        " times without an answer. What future says of the last time: ", message)
}

# An error that a job met is one of the call.
raise_failure <- function(failure, k) {
  failure$message <- paste0("In job ", k, ": ", failure$message)
  failure$call <- caller_call(sys.nframe())
  stop(failure)
}

# For whoever interrupted a call.
tell_what_is_done <- function(done, count) {
  if (done == count) return(invisible())
  end_bar()
  message(done, " of ", count, " jobs are done and stay so: the same call goes on with the others.")
}

# Jobs of schedulers are taken back, the last first: else some would begin meanwhile. Others that run
# end when they see the file.
cancel <- function(state, folder) {
  if (length(state$futures) == 0) return(invisible())
  file.create(stop_file(folder, state$name), showWarnings = FALSE)
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

# An answer that nobody takes keeps the worker.
await_end <- function(futures, patience = 10) {
  end <- seconds_now() + patience
  while (length(futures) > 0 && seconds_now() < end) {
    ended <- vapply(futures, has_ended, NA)
    for (future in futures[ended]) try(future::value(future), silent = TRUE)
    futures <- futures[!ended]
    if (length(futures) > 0) Sys.sleep(0.1)
  }
}

draw_jobs <- function(done, count, seconds) {
  if (seconds < progress_delay()) return(invisible())
  draw_bar(
    "Jobs {cli::pb_bar} {cli::pb_percent} | {cli::pb_status} | left: {cli::pb_eta}",
    total = count, set = done, status = sprintf("%d of %d", done, count)
  )
}

# ---- In a job ----

# Computes job number k of a run, and writes its answer into the folder, so that it is there when
# the session that waits is not. An interrupt in a terminal comes to the workers, too, which then
# would not answer at all; in the session that waits it is one of the call.
run_job <- function(folder, k, session) {
  if (identical(session, the$session)) return(answer_job(folder, k, session))
  tryCatch(answer_job(folder, k, session),
           interrupt = function(condition) stop("The job was interrupted.", call. = FALSE))
}

# A folder that is gone, or a session that stopped, wants no answer.
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
    failure["call"] <- list(NULL) # which may hold whole collections
    list(failure = failure)
  })
}

# The answer of an earlier call, or NULL.
find_answer <- function(folder, k, owner = own_id(folder)) {
  path <- answer_file(folder, k)
  if (file.exists(path)) read_whole(path, is_answer, owner)
}

# Files that another machine has just made may take a while to be seen.
read_run <- function(folder, session, patience = 60) {
  end <- seconds_now() + patience
  path <- run_file(folder)
  while (!file.exists(path) && seconds_now() < end) Sys.sleep(0.5)
  if (!file.exists(path)) {
    abort("jobs", "The folder ", dQuote(folder, FALSE), " of the session that waits is not seen here. ",
          "The option \"pcfdist.jobs_folder\" names one that all machines see.")
  }
  run <- read_whole(path, is_run)
  here <- utils::packageVersion("pcfdist")
  if (run$version != here) {
    abort("jobs", "The package has version ", here, " here, and ", run$version,
          " in the session that waits.")
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

# The threads that a scheduler gave, but no more than there may be; where so many jobs run together
# on this machine, a share of these.
threads_of_job <- function(together) {
  given <- future::availableCores(
    methods = c("Slurm", "SGE", "PBS", "LSF"), na.rm = TRUE, default = most_threads
  )
  min(max(1, default_threads() %/% together), given)
}

# A progress function, which C calls while it waits: it draws nothing, and looks now and then
# whether to go on.
watch_for_stop <- function(run) {
  path <- stop_file(run$folder, run$session)
  next_look <- 0
  function(done, total, seconds) {
    if (seconds < next_look) return(invisible())
    next_look <<- seconds + 1
    if (file.exists(path)) abort("jobs", "The session that waited has stopped.")
  }
}
