/* Values at times on a CUDA device. They come back in pieces, which get smaller where the
 * device has little memory. */
#include "base/memory.h"
#include "cuda-functions/session.h"

int64_t pcf_cuda_most_values = 1 << 24;
enum { LEAST_VALUES = 1 << 12 };

/* Allocates memory for as many values as there is room for, and sets how many these are. */
static enum pcf_status make_room(struct pcf_cuda_session *session,
                                 const struct pcf_values_call *call, int64_t *values,
                                 double **output, struct pcf_error *error) {
  int64_t most = pcf_cuda_most_values, count = call->x->count;
  if (call->at.count <= most / count) most = call->at.count * count;
  enum pcf_status status;
  for (;; most = most / 2) {
    status = PCF_OK;
    *output =
      pcf_cuda_allocate(&session->memory, (size_t)most * sizeof **output, &status, error);
    if (status != PCF_ERROR_DEVICE_MEMORY || most <= LEAST_VALUES) break;
  }
  if (!status && error) *error = (struct pcf_error){0};
  *values = most;
  return status;
}

/* Evaluates whole columns at once or, where one does not fit, a stretch of one: so that what is
 * copied back is contiguous in the result. */
static enum pcf_status evaluate_pieces(struct pcf_cuda_session *session,
                                       const struct pcf_values_call *call,
                                       struct pcf_cuda_evaluating *piece, int64_t values,
                                       struct pcf_error *error) {
  int64_t count = call->x->count, most = pcf_smaller(values, count);
  int64_t columns = values / most;
  for (int64_t j = 0; j < call->at.count; j += columns) {
    piece->first_column = j;
    piece->columns = pcf_smaller(call->at.count - j, columns);
    for (int64_t i = 0; i < count; i += most) {
      piece->first_function = i;
      piece->functions = pcf_smaller(count - i, most);
      cudaError_t code = pcf_cuda_evaluate_on_device(piece, pcf_cuda_session_stream(session));
      enum pcf_status status =
        pcf_cuda_session_finish(session, code, "evaluating functions", error);
      size_t bytes = (size_t)(piece->functions * piece->columns) * sizeof(double);
      if (!status) {
        status = pcf_cuda_bring_back(&session->uplink, call->result + i + count * j,
                                     piece->output, bytes, error);
      }
      if (status) return status;
    }
  }
  return PCF_OK;
}

/* `time`: that of each column. */
static enum pcf_status evaluate(struct pcf_cuda_session *session, struct pcf_values_call *call,
                                const double *time, struct pcf_error *error) {
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_cuda_evaluating piece = {.left = call->at.left};
  int64_t values = 0;
  enum pcf_status status = pcf_check_collection(
    call->x, session->uplink.threads, session->uplink.stop, &range, &call->fault, error);
  piece.at =
    pcf_cuda_session_send(session, time, (size_t)call->at.count * sizeof *time, &status, error);
  if (!status) {
    status = pcf_cuda_session_find(session, call->x, &piece.x, error);
  }
  if (!status) status = make_room(session, call, &values, &piece.output, error);
  return status ? status : evaluate_pieces(session, call, &piece, values, error);
}

enum pcf_status pcf_cuda_values(struct pcf_cuda_session *session, void *call_,
                                struct pcf_error *error) {
  struct pcf_values_call *call = call_;
  const struct pcf_times_at *at = &call->at;
  if (call->x->count == 0 || at->count == 0) return PCF_OK;
  double *time = pcf_allocate((size_t)at->count, sizeof *time, error);
  if (!time) return PCF_ERROR_MEMORY;
  for (int64_t j = 0; j < at->count; j++) time[at->column ? at->column[j] : j] = at->time[j];
  enum pcf_status status = evaluate(session, call, time, error);
  pcf_free(time);
  return status;
}
