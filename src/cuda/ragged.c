#include "cuda/ragged.h"

#include "base/memory.h"
#include "cuda/kernels.h"
#include "cuda/session.h"

/* ---- Reductions ---- */

struct reducing {
  enum pcf_reduce reduce;
  struct pcf_numbers values;
  const int64_t *offsets;
  int64_t count, total;
  double *result;
};

static enum pcf_status send_values(struct pcf_cuda_session *session,
                                   const struct reducing *reducing,
                                   struct pcf_cuda_segments *segments,
                                   struct pcf_error *error) {
  const struct pcf_numbers *values = &reducing->values;
  size_t total = (size_t)reducing->total;
  void *real = NULL, *integer = NULL;
  enum pcf_status status =
    pcf_cuda_session_send(session, values->real, total * sizeof(double), &real, error);
  if (!status) {
    status =
      pcf_cuda_session_send(session, values->integer, total * sizeof(int32_t), &integer, error);
  }
  segments->real = real;
  segments->integer = integer;
  segments->total = reducing->total;
  return status;
}

/* Room for the results of segments, and of their parts. */
static enum pcf_status make_room(struct pcf_cuda_session *session,
                                 struct pcf_cuda_segments *segments, struct pcf_error *error) {
  void *slot = NULL, *result = NULL;
  size_t slots = 2 * (size_t)(segments->total / PCF_PART + 1);
  size_t bytes = (size_t)segments->count * sizeof(double);
  enum pcf_status status =
    pcf_cuda_allocate(&session->memory, slots * sizeof(double), &slot, error);
  if (!status) status = pcf_cuda_allocate(&session->memory, bytes, &result, error);
  segments->slot = slot;
  segments->result = result;
  return status;
}

/* Reduces segments of which all is on the device, and brings the results back. */
static enum pcf_status reduce_there(struct pcf_cuda_session *session, enum pcf_reduce reduce,
                                    const struct pcf_cuda_segments *segments, double *to,
                                    struct pcf_error *error) {
  size_t bytes = (size_t)segments->count * sizeof(double);
  cudaError_t code = pcf_cuda_reduce(reduce, segments, pcf_cuda_session_stream(session));
  enum pcf_status status = pcf_cuda_session_finish(session, code, "reducing segments", error);
  if (status) return status;
  return pcf_cuda_bring_back(&session->uplink, to, segments->result, bytes, error);
}

static enum pcf_status reduce_segments(struct pcf_cuda_session *session, void *reducing_,
                                       struct pcf_error *error) {
  const struct reducing *reducing = reducing_;
  struct pcf_cuda_segments segments = {.count = reducing->count};
  size_t bytes = (size_t)(reducing->count + 1) * sizeof(int64_t);
  void *offsets = NULL;
  enum pcf_status status = send_values(session, reducing, &segments, error);
  if (!status)
    status = pcf_cuda_session_send(session, reducing->offsets, bytes, &offsets, error);
  enum pcf_status arrived = pcf_cuda_arrive(&session->uplink, status ? NULL : error);
  if (status || arrived) return status ? status : arrived;
  segments.offsets = offsets;
  status = make_room(session, &segments, error);
  if (status) return status;
  return reduce_there(session, reducing->reduce, &segments, reducing->result, error);
}

enum pcf_status pcf_cuda_segment_reduce(enum pcf_reduce reduce, struct pcf_numbers values,
                                        const int64_t *offsets, int64_t count,
                                        const struct pcf_settings *settings,
                                        const atomic_int *stop, double *result,
                                        struct pcf_error *error) {
  struct reducing reducing = {reduce, values, offsets, count, offsets[count], result};
  if (count == 0) return PCF_OK;
  return pcf_cuda_on_device(reduce_segments, &reducing, settings, stop, error);
}

/* ---- A sparse matrix times vectors ---- */

struct multiplying {
  const struct pcf_sparse *matrix;
  const double *vector;
  int64_t count;
  double *result;
};

/* All but the vector. */
static enum pcf_status send_matrix(struct pcf_cuda_session *session,
                                   const struct pcf_sparse *matrix,
                                   struct pcf_cuda_segments *segments,
                                   struct pcf_error *error) {
  int64_t total = matrix->offsets[matrix->rows];
  const void *array[] = {matrix->offsets, matrix->column, matrix->value};
  size_t bytes[] = {(size_t)(matrix->rows + 1) * sizeof(int64_t),
                    (size_t)total * sizeof(int32_t), (size_t)total * sizeof(double)};
  void *there[3] = {0};
  enum pcf_status status = PCF_OK;
  for (int k = 0; k < 3 && !status; k++) {
    status = pcf_cuda_session_send(session, array[k], bytes[k], &there[k], error);
  }
  segments->count = matrix->rows;
  segments->total = total;
  segments->offsets = there[0];
  segments->column = there[1];
  segments->real = there[2];
  enum pcf_status arrived = pcf_cuda_arrive(&session->uplink, status ? NULL : error);
  return status ? status : arrived;
}

static enum pcf_status multiply_vector(struct pcf_cuda_session *session,
                                       const struct pcf_cuda_segments *segments,
                                       const double *vector, size_t bytes, double *result,
                                       struct pcf_error *error) {
  enum pcf_status status =
    pcf_cuda_send_array(&session->uplink, (double *)segments->vector, vector, bytes, error);
  enum pcf_status arrived = pcf_cuda_arrive(&session->uplink, status ? NULL : error);
  if (status || arrived) return status ? status : arrived;
  return reduce_there(session, PCF_SUM, segments, result, error);
}

static enum pcf_status multiply(struct pcf_cuda_session *session, void *multiplying_,
                                struct pcf_error *error) {
  const struct multiplying *multiplying = multiplying_;
  const struct pcf_sparse *matrix = multiplying->matrix;
  struct pcf_cuda_segments segments = {0};
  size_t bytes = (size_t)matrix->columns * sizeof(double);
  void *vector = NULL;
  enum pcf_status status = send_matrix(session, matrix, &segments, error);
  if (!status) status = pcf_cuda_allocate(&session->memory, bytes, &vector, error);
  if (!status) status = make_room(session, &segments, error);
  segments.vector = vector;
  for (int64_t j = 0; j < multiplying->count && !status; j++) {
    status = multiply_vector(session, &segments, multiplying->vector + j * matrix->columns,
                             bytes, multiplying->result + j * matrix->rows, error);
  }
  return status;
}

enum pcf_status pcf_cuda_sparse_times_vectors(const struct pcf_sparse *matrix,
                                              const double *vector, int64_t count,
                                              const struct pcf_settings *settings,
                                              const atomic_int *stop, double *result,
                                              struct pcf_error *error) {
  struct multiplying multiplying = {matrix, vector, count, result};
  if (matrix->rows == 0 || count == 0) return PCF_OK;
  return pcf_cuda_on_device(multiply, &multiplying, settings, stop, error);
}

/* ---- Runs of equal keys ---- */

struct by_key {
  struct reducing reducing;
  const struct pcf_keys *keys;
  int64_t *offsets;
};

struct finding {
  const struct pcf_keys *keys;
  const void *key;
  int64_t *offsets;
};

static cudaError_t launch_finding(const void *finding_, int64_t *count, void *scratch,
                                  size_t *bytes, cudaStream_t stream) {
  const struct finding *finding = finding_;
  return pcf_cuda_find_runs(finding->keys->type, finding->key, finding->keys->count,
                            finding->offsets, count, scratch, bytes, stream);
}

/* Where the runs begin, on the device, and how many there are. */
static enum pcf_status find_runs(struct pcf_cuda_session *session, const struct pcf_keys *keys,
                                 const void *key, int64_t *offsets, int64_t *count,
                                 struct pcf_error *error) {
  struct finding finding = {keys, key, offsets};
  return pcf_cuda_session_launch(session, launch_finding, &finding, count, "finding runs",
                                 error);
}

static enum pcf_status reduce_runs(struct pcf_cuda_session *session, void *by_key_,
                                   struct pcf_error *error) {
  static const size_t sizes[] = {sizeof(int32_t), sizeof(double), 2 * sizeof(double), 1};
  struct by_key *by_key = by_key_;
  const struct pcf_keys *keys = by_key->keys;
  struct reducing *reducing = &by_key->reducing;
  struct pcf_cuda_segments segments = {0};
  size_t most = (size_t)(keys->count + 1) * sizeof(int64_t);
  void *key = NULL, *offsets = NULL;
  enum pcf_status status = send_values(session, reducing, &segments, error);
  if (!status) {
    size_t bytes = (size_t)keys->count * sizes[keys->type];
    status = pcf_cuda_session_send(session, keys->key, bytes, &key, error);
  }
  enum pcf_status arrived = pcf_cuda_arrive(&session->uplink, status ? NULL : error);
  if (status || arrived) return status ? status : arrived;
  status = pcf_cuda_allocate(&session->memory, most, &offsets, error);
  if (!status) status = find_runs(session, keys, key, offsets, &reducing->count, error);
  pcf_cuda_free(&session->memory, key);
  if (status) return status;
  size_t runs = (size_t)reducing->count;
  by_key->offsets = pcf_allocate(runs + 1, sizeof *by_key->offsets, error);
  reducing->result = pcf_allocate(runs, sizeof *reducing->result, error);
  if (!by_key->offsets || !reducing->result) return PCF_ERROR_MEMORY;
  status = pcf_cuda_bring_back(&session->uplink, by_key->offsets, offsets,
                               runs * sizeof(int64_t), error);
  if (status) return status;
  by_key->offsets[runs] = keys->count;
  status = pcf_cuda_send_array(&session->uplink, (int64_t *)offsets + runs,
                               &by_key->offsets[runs], sizeof(int64_t), error);
  arrived = pcf_cuda_arrive(&session->uplink, status ? NULL : error);
  if (status || arrived) return status ? status : arrived;
  segments.offsets = offsets;
  segments.count = reducing->count;
  status = make_room(session, &segments, error);
  if (status) return status;
  return reduce_there(session, reducing->reduce, &segments, reducing->result, error);
}

enum pcf_status pcf_cuda_reduce_by_key(enum pcf_reduce reduce, const struct pcf_keys *keys,
                                       struct pcf_numbers values,
                                       const struct pcf_settings *settings,
                                       const atomic_int *stop, int64_t *count,
                                       int64_t **offsets, double **result,
                                       struct pcf_error *error) {
  struct by_key by_key = {
    .reducing = {.reduce = reduce, .values = values, .total = keys->count}, .keys = keys};
  enum pcf_status status = pcf_cuda_on_device(reduce_runs, &by_key, settings, stop, error);
  if (status) {
    pcf_free(by_key.offsets);
    pcf_free(by_key.reducing.result);
    by_key.offsets = NULL;
    by_key.reducing.result = NULL;
  }
  *count = by_key.reducing.count;
  *offsets = by_key.offsets;
  *result = by_key.reducing.result;
  return status;
}

/* ---- Intervals ---- */

/* What no interval is written to goes up before, and comes back. */
static enum pcf_status send_intervals(struct pcf_cuda_session *session,
                                      const struct pcf_cuda_intervals *intervals,
                                      struct pcf_cuda_moving *moving, struct pcf_error *error) {
  size_t size = intervals->size, index = (size_t)intervals->count * sizeof(int64_t);
  const void *array[] = {intervals->from, intervals->offsets, intervals->gather,
                         intervals->scatter};
  size_t bytes[] = {(size_t)intervals->source * size, index + sizeof(int64_t), index, index};
  void *there[4] = {0};
  enum pcf_status status = PCF_OK;
  for (int k = 0; k < 4 && !status; k++) {
    status = pcf_cuda_session_send(session, array[k], bytes[k], &there[k], error);
  }
  size_t length = (size_t)intervals->length * size;
  int all = moving->total == intervals->length;
  if (!status && all) status = pcf_cuda_allocate(&session->memory, length, &moving->to, error);
  if (!status && !all) {
    status = pcf_cuda_session_send(session, intervals->to, length, &moving->to, error);
  }
  moving->from = there[0];
  moving->offsets = there[1];
  moving->gather = there[2];
  moving->scatter = there[3];
  enum pcf_status arrived = pcf_cuda_arrive(&session->uplink, status ? NULL : error);
  return status ? status : arrived;
}

static enum pcf_status move_there(struct pcf_cuda_session *session, void *intervals_,
                                  struct pcf_error *error) {
  const struct pcf_cuda_intervals *intervals = intervals_;
  struct pcf_cuda_moving moving = {.count = intervals->count,
                                   .total = intervals->offsets[intervals->count],
                                   .expand = intervals->expand,
                                   .size = (int)intervals->size};
  enum pcf_status status = send_intervals(session, intervals, &moving, error);
  if (status) return status;
  cudaError_t code = pcf_cuda_move_intervals(&moving, pcf_cuda_session_stream(session));
  status = pcf_cuda_session_finish(session, code, "moving intervals", error);
  if (status) return status;
  return pcf_cuda_bring_back(&session->uplink, intervals->to, moving.to,
                             (size_t)intervals->length * intervals->size, error);
}

enum pcf_status pcf_cuda_move(const struct pcf_cuda_intervals *intervals,
                              const struct pcf_settings *settings, const atomic_int *stop,
                              struct pcf_error *error) {
  struct pcf_cuda_intervals copy = *intervals;
  if (intervals->offsets[intervals->count] == 0) return PCF_OK;
  return pcf_cuda_on_device(move_there, &copy, settings, stop, error);
}
