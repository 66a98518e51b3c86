#include "cuda/evaluate.h"

#include "base/memory.h"
#include "cuda/kernels.h"
#include "cuda/session.h"
#include "cuda/staying.h"

int64_t pcf_cuda_most_values = 1 << 24;
enum { LEAST_VALUES = 1 << 12 };

struct work {
  const struct pcf_collection *x;
  const double *at; /* of the columns */
  int64_t columns;
  const atomic_int *stop;
  double *result;
};

static enum pcf_status evaluate_there(struct pcf_cuda_session *session, void *work,
                                      struct pcf_error *error);

enum pcf_status pcf_cuda_evaluate(const struct pcf_collection *x, const struct pcf_times_at *at,
                                  const struct pcf_settings *settings, const atomic_int *stop,
                                  double *result, struct pcf_error *error) {
  if (x->count == 0 || at->count == 0) return PCF_OK;
  double *time = pcf_allocate((size_t)at->count, sizeof *time, error);
  if (!time) return PCF_ERROR_MEMORY;
  for (int64_t j = 0; j < at->count; j++) time[at->column ? at->column[j] : j] = at->time[j];
  struct work work = {x, time, at->count, stop, result};
  enum pcf_status status = pcf_cuda_on_device(evaluate_there, &work, settings, stop, error);
  pcf_free(time);
  return status;
}

/* Memory for as many values as there is room for; sets how many. */
static enum pcf_status make_room(struct pcf_cuda_session *session, const struct work *work,
                                 int64_t *values, void **output, struct pcf_error *error) {
  int64_t most = pcf_cuda_most_values;
  if (work->columns <= most / work->x->count) most = work->columns * work->x->count;
  enum pcf_status status;
  for (;; most = most / 2) {
    status = pcf_cuda_allocate(&session->memory, (size_t)most * sizeof(double), output, error);
    if (status != PCF_ERROR_DEVICE_MEMORY || most <= LEAST_VALUES) break;
  }
  if (!status && error) *error = (struct pcf_error){0};
  *values = most;
  return status;
}

/* Pieces are whole columns or, where one does not fit, stretches of one: what comes back lies
 * together in the result. */
static enum pcf_status evaluate_pieces(struct pcf_cuda_session *session,
                                       const struct work *work,
                                       struct pcf_cuda_evaluating *piece, int64_t values,
                                       struct pcf_error *error) {
  int64_t count = work->x->count, most = values < count ? values : count;
  int64_t columns = values / most, left;
  for (int64_t j = 0; j < work->columns; j += columns) {
    left = work->columns - j;
    piece->first_column = j;
    piece->columns = left < columns ? left : columns;
    for (int64_t i = 0; i < count; i += most) {
      if (work->stop && atomic_load(work->stop)) return PCF_ERROR_INTERRUPTED;
      left = count - i;
      piece->first_function = i;
      piece->functions = left < most ? left : most;
      cudaError_t code = pcf_cuda_evaluate_there(piece, pcf_cuda_session_stream(session));
      enum pcf_status status =
        pcf_cuda_session_finish(session, code, "evaluating functions", error);
      size_t bytes = (size_t)(piece->functions * piece->columns) * sizeof(double);
      if (!status) {
        status = pcf_cuda_bring_back(&session->uplink, work->result + i + count * j,
                                     piece->output, bytes, error);
      }
      if (status) return status;
    }
  }
  return PCF_OK;
}

static enum pcf_status evaluate_found(struct pcf_cuda_session *session, const struct work *work,
                                      const struct pcf_cuda_found *found,
                                      struct pcf_error *error) {
  struct pcf_cuda_evaluating piece = {.x = found->packed, .offsets = found->offsets};
  int64_t values = 0;
  void *at = NULL, *output = NULL;
  enum pcf_status status = pcf_cuda_session_send(
    session, work->at, (size_t)work->columns * sizeof *work->at, &at, error);
  enum pcf_status arrived = pcf_cuda_arrive(&session->uplink, status ? NULL : error);
  if (!status) status = arrived;
  if (!status) status = make_room(session, work, &values, &output, error);
  if (status) return status;
  piece.at = at;
  piece.output = output;
  return evaluate_pieces(session, work, &piece, values, error);
}

static enum pcf_status evaluate_there(struct pcf_cuda_session *session, void *work_,
                                      struct pcf_error *error) {
  const struct work *work = work_;
  struct pcf_cuda_found found;
  enum pcf_status status = pcf_cuda_find(session, work->x, &found, error);
  if (!status) status = evaluate_found(session, work, &found, error);
  pcf_cuda_leave(session, work->x, &found);
  return status;
}
