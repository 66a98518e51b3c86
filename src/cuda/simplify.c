#include "cuda/simplify.h"

#include "cuda/curves.h"
#include "cuda/kernels.h"
#include "cuda/staying.h"

static enum pcf_status simplify_there(struct pcf_cuda_session *session, void *x,
                                      struct pcf_cuda_made *made, struct pcf_error *error);

enum pcf_status pcf_cuda_simplify(const struct pcf_collection *x,
                                  const struct pcf_settings *settings, const atomic_int *stop,
                                  struct pcf_curves *curves, struct pcf_error *error) {
  struct pcf_collection copy = *x;
  *curves = (struct pcf_curves){0};
  if (x->count == 0) return PCF_OK;
  return pcf_cuda_make_curves(simplify_there, &copy, settings, stop, curves, error);
}

static cudaError_t launch_finding(const void *all, int64_t *changes, void *scratch,
                                  size_t *bytes, cudaStream_t stream) {
  return pcf_cuda_find_changes(all, changes, scratch, bytes, stream);
}

/* At which breakpoints values change, and how often. */
static enum pcf_status find_changes(struct pcf_cuda_session *session,
                                    struct pcf_cuda_simplifying *all, struct pcf_error *error) {
  void *change = NULL;
  size_t bytes = (size_t)all->total * sizeof *all->change;
  enum pcf_status status = pcf_cuda_allocate(&session->memory, bytes, &change, error);
  if (status) return status;
  all->change = change;
  return pcf_cuda_session_launch(session, launch_finding, all, &all->changes, "finding changes",
                                 error);
}

static enum pcf_status keep_changes(struct pcf_cuda_session *session,
                                    struct pcf_cuda_simplifying *all,
                                    struct pcf_cuda_made *made, struct pcf_error *error) {
  void *starts = NULL;
  size_t bytes = (size_t)(all->count + 1) * sizeof *all->starts;
  enum pcf_status status =
    pcf_cuda_make_room(session, all->changes, &all->time, &all->value, error);
  if (!status) status = pcf_cuda_allocate(&session->memory, bytes, &starts, error);
  if (status) return status;
  all->starts = starts;
  cudaError_t code = pcf_cuda_keep_changes(all, pcf_cuda_session_stream(session));
  status = pcf_cuda_session_finish(session, code, "keeping changes", error);
  pcf_cuda_free(&session->memory, all->change);
  *made = (struct pcf_cuda_made){.time = all->time, .value = all->value, .count = all->count};
  return status ? status : pcf_cuda_bring_starts(session, starts, made, error);
}

static enum pcf_status simplify_there(struct pcf_cuda_session *session, void *x_,
                                      struct pcf_cuda_made *made, struct pcf_error *error) {
  const struct pcf_collection *x = x_;
  struct pcf_cuda_found found;
  enum pcf_status status = pcf_cuda_find(session, x, &found, error);
  struct pcf_cuda_simplifying all = {.x = found.packed,
                                     .offsets = found.offsets,
                                     .count = x->count,
                                     .total = pcf_total_breakpoints(x)};
  if (!status) status = find_changes(session, &all, error);
  if (!status) status = keep_changes(session, &all, made, error);
  pcf_cuda_leave(session, x, &found);
  return status;
}
