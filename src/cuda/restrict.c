#include "cuda/restrict.h"

#include "cuda/curves.h"
#include "cuda/kernels.h"
#include "cuda/staying.h"

struct work {
  const struct pcf_collection *x;
  double from, to;
};

static enum pcf_status restrict_there(struct pcf_cuda_session *session, void *work,
                                      struct pcf_cuda_made *made, struct pcf_error *error);

enum pcf_status pcf_cuda_restrict(const struct pcf_collection *x, double from, double to,
                                  const struct pcf_settings *settings, const atomic_int *stop,
                                  struct pcf_curves *curves, struct pcf_error *error) {
  struct work work = {x, from, to};
  *curves = (struct pcf_curves){0};
  if (x->count == 0) return PCF_OK;
  return pcf_cuda_make_curves(restrict_there, &work, settings, stop, curves, error);
}

static cudaError_t launch_finding(const void *all, int64_t *none, void *scratch, size_t *bytes,
                                  cudaStream_t stream) {
  (void)none;
  return pcf_cuda_find_windows(all, scratch, bytes, stream);
}

/* Where the results come from, and where they go. */
static enum pcf_status find_windows(struct pcf_cuda_session *session,
                                    struct pcf_cuda_restricting *all,
                                    struct pcf_cuda_made *made, struct pcf_error *error) {
  size_t bytes = (size_t)(all->count + 1) * sizeof *all->starts;
  void *source = NULL, *length = NULL, *starts = NULL;
  enum pcf_status status = pcf_cuda_allocate(&session->memory, bytes, &source, error);
  if (!status) status = pcf_cuda_allocate(&session->memory, bytes, &length, error);
  if (!status) status = pcf_cuda_allocate(&session->memory, bytes, &starts, error);
  if (status) return status;
  all->source = source;
  all->length = length;
  all->starts = starts;
  status =
    pcf_cuda_session_launch(session, launch_finding, all, NULL, "finding windows", error);
  if (!status) status = pcf_cuda_bring_starts(session, starts, made, error);
  if (!status) all->total = made->starts[all->count];
  return status;
}

static enum pcf_status cut_windows(struct pcf_cuda_session *session,
                                   struct pcf_cuda_restricting *all, struct pcf_cuda_made *made,
                                   struct pcf_error *error) {
  enum pcf_status status =
    pcf_cuda_make_room(session, all->total, &all->time, &all->value, error);
  if (status) return status;
  made->time = all->time;
  made->value = all->value;
  cudaError_t code = pcf_cuda_cut_windows(all, pcf_cuda_session_stream(session));
  return pcf_cuda_session_finish(session, code, "restricting functions", error);
}

static enum pcf_status restrict_there(struct pcf_cuda_session *session, void *work_,
                                      struct pcf_cuda_made *made, struct pcf_error *error) {
  const struct work *work = work_;
  struct pcf_cuda_found found;
  enum pcf_status status = pcf_cuda_find(session, work->x, &found, error);
  struct pcf_cuda_restricting all = {.x = found.packed,
                                     .offsets = found.offsets,
                                     .count = work->x->count,
                                     .from = work->from,
                                     .to = work->to};
  made->count = all.count;
  if (!status) status = find_windows(session, &all, made, error);
  if (!status) status = cut_windows(session, &all, made, error);
  pcf_cuda_leave(session, work->x, &found);
  return status;
}
