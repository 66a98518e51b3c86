/* Sums, means and extrema of functions on a CUDA device. */
#include "reductions/sums.h"
#include "base/memory.h"
#include "cuda-functions/session.h"
#include "reductions/summing.h"

#include <math.h>

/* What is copied to the device to describe the rows. */
struct work {
  const struct pcf_collection *x;
  const struct pcf_rows *rows;
  int64_t entries;
  int64_t *row_start, *ends;
  double *weight; /* NULL: all 1, of step functions */
  int *unit, *steepest;
  int reach;
  double origin;
  struct pcf_divisor *divisor;
  int changing; /* do divisors change? Then there is: */
  struct pcf_cuda_counting *counting;
  double *counted; /* NULL: all count 1 */
  int extrema;     /* are these wanted, and no sums? */
  struct pcf_cuda_extrema extremum;
  struct pcf_cuda_doubts doubts;
  struct pcf_arrays arrays;
};

/* ---- Preparing ---- */

static enum pcf_status make_work(struct work *work, struct pcf_error *error) {
  size_t rows = (size_t)work->rows->count, entries = (size_t)work->entries;
  struct pcf_arrays *arrays = &work->arrays;
  int linear = work->x->linear, weighted = linear || work->rows->weight;
  work->row_start = pcf_array(arrays, rows + 1, sizeof *work->row_start, error);
  work->ends = pcf_array(arrays, entries + 1, sizeof *work->ends, error);
  if (work->extrema) return arrays->status;
  work->unit = pcf_array(arrays, rows, sizeof *work->unit, error);
  work->divisor = pcf_array(arrays, rows, sizeof *work->divisor, error);
  if (linear) work->steepest = pcf_array(arrays, rows, sizeof *work->steepest, error);
  if (weighted) work->weight = pcf_array(arrays, entries, sizeof *work->weight, error);
  if (work->changing) {
    work->counting = pcf_array(arrays, rows, sizeof *work->counting, error);
    if (weighted && work->rows->observed_only)
      work->counted = pcf_array(arrays, entries, sizeof *work->counted, error);
  }
  return arrays->status;
}

/* Numbers the events of all rows consecutively. */
static void count_events(struct work *work) {
  const struct pcf_rows *rows = work->rows;
  work->ends[0] = 0;
  for (int64_t e = 0; e < work->entries; e++) {
    work->ends[e + 1] = work->ends[e] + pcf_breakpoints(work->x, rows->function[e]);
  }
  for (int64_t r = 0; r <= rows->count; r++) work->row_start[r] = work->ends[rows->starts[r]];
}

/* Finds what each function of row r counts in the divisor, as pcf_sums() does: all
 * count the same where only it matters whether one is missing. Returns 0 where the device
 * cannot count them: it does not notice when weights add up to 0, as negative ones may. */
static int find_counting(struct work *work, int64_t r, int shift) {
  static const struct pcf_range of_indicators = {.value = 1, .least = 1, .endless = 1};
  struct pcf_rows rows = *work->rows;
  struct pcf_cuda_counting *counting = &work->counting[r];
  if (!rows.observed_only) rows.weight = NULL;
  struct pcf_summing summing = pcf_summing_of(work->x, &rows, r, &of_indicators, 0);
  if (!pcf_is_narrow(&summing)) return 0;
  *counting = (struct pcf_cuda_counting){
    .one = pcf_divisor_of(1, summing.shift), .unit = summing.fixed.unit, .shift = shift};
  for (int64_t e = rows.starts[r]; e < rows.starts[r + 1]; e++) {
    double counted = rows.weight ? ldexp(rows.weight[e], summing.shift) : 1;
    if (counted < 0) return 0;
    if (work->counted) work->counted[e] = counted;
    counting->all = pcf_narrow_sum(counting->all, pcf_narrow_of(counted, counting->unit));
  }
  return 1;
}

/* The weights of row r, shifted as its values are to be. */
static void find_weights(struct work *work, int64_t r, const struct pcf_summing *summing) {
  const struct pcf_rows *rows = work->rows;
  for (int64_t e = rows->starts[r]; work->weight && e < rows->starts[r + 1]; e++) {
    double weight = rows->weight ? rows->weight[e] : 1;
    if (work->x->linear) work->weight[e] = weight * summing->scale;
    else work->weight[e] = summing->shift ? ldexp(weight, summing->shift) : weight;
  }
}

/* Finds the form of the sums of each row; returns whether the device can compute all of
 * them. */
static int find_forms(struct work *work, const struct pcf_range *range) {
  const struct pcf_rows *rows = work->rows;
  if (work->changing && work->x->linear) return 0;
  for (int64_t r = 0; r < rows->count; r++) {
    struct pcf_summing summing = pcf_summing_of(work->x, rows, r, range, 0);
    if (!pcf_is_narrow(&summing)) return 0;
    if (work->changing && !find_counting(work, r, summing.shift)) return 0;
    work->unit[r] = summing.fixed.unit;
    work->divisor[r] = pcf_summing_divisor(&summing, rows, r, NULL).divisor;
    if (work->steepest) work->steepest[r] = summing.steepest;
    work->origin = summing.origin;
    work->reach = summing.reach;
    find_weights(work, r, &summing);
  }
  return 1;
}

/* ---- On the device ---- */

static const char SUMMING[] = "summing functions";

static void *allocate(struct pcf_cuda_session *session, int64_t count, size_t size,
                      enum pcf_status *status, struct pcf_error *error) {
  return pcf_cuda_allocate(&session->memory, (size_t)count * size, status, error);
}

static enum pcf_status send_rows(struct pcf_cuda_session *session, const struct work *work,
                                 struct pcf_cuda_sums *sums, struct pcf_error *error) {
  size_t rows = (size_t)work->rows->count, entries = (size_t)work->entries;
  enum pcf_status status = PCF_OK;
#define SEND(array, count) \
  pcf_cuda_session_send(session, array, (count) * sizeof *(array), &status, error)
  sums->row_start = SEND(work->row_start, rows + 1);
  sums->ends = SEND(work->ends, entries + 1);
  sums->function = SEND(work->rows->function, entries);
  sums->weight = SEND(work->weight, entries);
  sums->unit = SEND(work->unit, rows);
  sums->divisor = SEND(work->divisor, rows);
  sums->counting = SEND(work->counting, rows);
  sums->counted = SEND(work->counted, entries);
  sums->steepest = SEND(work->steepest, rows);
  sums->rows = work->rows->count;
  sums->entries = work->entries;
  sums->events = work->ends[work->entries];
  sums->origin = work->origin;
  sums->reach = work->reach;
  sums->observed_only = work->rows->observed_only;
  return pcf_cuda_arrive(&session->uplink, status, error);
}

/* Sorts the events into *sorted, which lies in *scratch. */
static enum pcf_status sort_events(struct pcf_cuda_session *session,
                                   const struct pcf_cuda_sums *sums, const uint32_t **sorted,
                                   void **scratch, struct pcf_error *error) {
  cudaStream_t stream = pcf_cuda_session_stream(session);
  size_t bytes = 0;
  cudaError_t code = pcf_cuda_sort_events(sums, NULL, &bytes, sorted, stream);
  enum pcf_status status = pcf_cuda_session_finish(session, code, SUMMING, error);
  *scratch = allocate(session, 1, bytes, &status, error);
  if (status) return status;
  code = pcf_cuda_sort_events(sums, *scratch, &bytes, sorted, stream);
  return pcf_cuda_session_finish(session, code, SUMMING, error);
}

/* Adds up the sorted events; `points` gets the sums. */
static enum pcf_status sum_events(struct pcf_cuda_session *session,
                                  const struct pcf_cuda_sums *sums, const uint32_t *sorted,
                                  double *time, struct pcf_cuda_points *points,
                                  struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  size_t size = sizeof(struct pcf_narrow);
  void *sum = allocate(session, sums->events, size, &status, error), *missing = NULL;
  if (sums->counting) missing = allocate(session, sums->events, size, &status, error);
  void *total = allocate(session, 2 * pcf_cuda_totals(sums->events), size, &status, error);
  if (status) return status;
  cudaError_t code = pcf_cuda_sum_events(sums, sorted, total, time, sum, missing,
                                         pcf_cuda_session_stream(session));
  status = pcf_cuda_session_finish(session, code, SUMMING, error);
  pcf_cuda_free(&session->memory, total);
  points->sum = sum;
  points->missing = missing;
  return status;
}

/* The same of lines. */
static enum pcf_status sum_lines(struct pcf_cuda_session *session,
                                 const struct pcf_cuda_sums *sums, const uint32_t *sorted,
                                 double *time, struct pcf_cuda_points *points,
                                 struct pcf_error *error) {
  size_t size = sizeof(struct pcf_cuda_lines);
  enum pcf_status status = PCF_OK;
  void *lines = allocate(session, sums->events, size, &status, error);
  void *total = allocate(session, pcf_cuda_totals(sums->events), size, &status, error);
  void *start = allocate(session, sums->rows, sizeof *points->start, &status, error);
  if (status) return status;
  cudaError_t code = pcf_cuda_sum_lines(sums, sorted, total, time, lines, start,
                                        pcf_cuda_session_stream(session));
  status = pcf_cuda_session_finish(session, code, SUMMING, error);
  pcf_cuda_free(&session->memory, total);
  points->lines = lines;
  points->start = start;
  return status;
}

/* Finds the extremum from each sorted event on. */
static enum pcf_status find_extrema(struct pcf_cuda_session *session, struct work *work,
                                    const struct pcf_cuda_sums *sums, const uint32_t *sorted,
                                    double *time, struct pcf_error *error) {
  struct pcf_cuda_extrema *extrema = &work->extremum;
  cudaStream_t stream = pcf_cuda_session_stream(session);
  size_t nodes = 2 * (size_t)sums->events;
  enum pcf_status status = PCF_OK;
  extrema->place = allocate(session, sums->events, sizeof *extrema->place, &status, error);
  extrema->best = allocate(session, (int64_t)nodes, sizeof *extrema->best, &status, error);
  if (status) return status;
  cudaError_t code = cudaMemsetAsync(extrema->best, 0, nodes * sizeof *extrema->best, stream);
  if (code == cudaSuccess) code = pcf_cuda_find_extrema(sums, extrema, sorted, time, stream);
  status = pcf_cuda_session_finish(session, code, SUMMING, error);
  pcf_cuda_free(&session->memory, extrema->place);
  return status;
}

/* Computes the times of all events, and the sums or extrema that their values are made of. */
static enum pcf_status go_through_events(struct pcf_cuda_session *session, struct work *work,
                                         const struct pcf_cuda_sums *sums,
                                         struct pcf_cuda_points *points,
                                         struct pcf_error *error) {
  const uint32_t *sorted = NULL;
  void *scratch = NULL;
  enum pcf_status status = sort_events(session, sums, &sorted, &scratch, error);
  double *time = allocate(session, sums->events, sizeof *time, &status, error);
  points->time = time;
  if (!status && work->extrema) {
    status = find_extrema(session, work, sums, sorted, time, error);
  } else if (!status) {
    status =
      (work->x->linear ? sum_lines : sum_events)(session, sums, sorted, time, points, error);
  }
  pcf_cuda_free(&session->memory, scratch);
  return status;
}

typedef cudaError_t selecting(const struct pcf_cuda_sums *sums,
                              const struct pcf_cuda_points *points, int64_t *count,
                              void *scratch, size_t *scratch_bytes, cudaStream_t stream);

/* Runs a selection on the device, and copies back how many elements it has selected. */
static enum pcf_status select_some(struct pcf_cuda_session *session, selecting *select,
                                   const struct pcf_cuda_sums *sums,
                                   const struct pcf_cuda_points *points, int64_t *count,
                                   struct pcf_error *error) {
  cudaStream_t stream = pcf_cuda_session_stream(session);
  size_t bytes = 0;
  cudaError_t code = select(sums, points, NULL, NULL, &bytes, stream);
  enum pcf_status status = pcf_cuda_check(&session->memory, code, SUMMING, error);
  void *scratch = allocate(session, 1, bytes, &status, error);
  void *counted = allocate(session, 1, sizeof *count, &status, error);
  if (!status) {
    code = select(sums, points, counted, scratch, &bytes, stream);
    status = pcf_cuda_session_finish(session, code, SUMMING, error);
  }
  if (!status) {
    status = pcf_cuda_bring_back(&session->uplink, count, counted, sizeof *count, error);
  }
  pcf_cuda_free(&session->memory, scratch);
  pcf_cuda_free(&session->memory, counted);
  return status;
}

/* Makes room for what there is of each end. */
static enum pcf_status make_values(struct pcf_cuda_session *session, const struct work *work,
                                   struct pcf_cuda_points *points, struct pcf_error *error) {
  int64_t ends = points->ends;
  enum pcf_status status = PCF_OK;
  points->value = allocate(session, ends, sizeof *points->value, &status, error);
  points->kept = allocate(session, ends, sizeof *points->kept, &status, error);
  if (!work->x->linear) return status;
  points->left = allocate(session, ends, sizeof *points->left, &status, error);
  points->changes = allocate(session, ends, sizeof *points->changes, &status, error);
  return status;
}

static cudaError_t find_values(const struct work *work, const struct pcf_cuda_sums *sums,
                               const struct pcf_cuda_points *points, cudaStream_t stream) {
  if (work->x->linear && !work->extrema) return pcf_cuda_find_line_values(sums, points, stream);
  return pcf_cuda_find_values(sums, work->extrema ? &work->extremum : NULL, points, stream);
}

/* Computes the values at the ends, and finds which of them become points. */
static enum pcf_status find_points(struct pcf_cuda_session *session, struct work *work,
                                   const struct pcf_cuda_sums *sums,
                                   struct pcf_cuda_points *points, struct pcf_error *error) {
  static const struct pcf_cuda_doubts none = {0, 0};
  enum pcf_status status = PCF_OK;
  points->end = allocate(session, sums->events, sizeof *points->end, &status, error);
  if (status) return status;
  status = select_some(session, pcf_cuda_find_ends, sums, points, &points->ends, error);
  if (!status) status = make_values(session, work, points, error);
  points->doubts = pcf_cuda_session_send(session, &none, sizeof none, &status, error);
  status = pcf_cuda_arrive(&session->uplink, status, error);
  if (status) return status;
  cudaStream_t stream = pcf_cuda_session_stream(session);
  cudaError_t code = find_values(work, sums, points, stream);
  status = pcf_cuda_session_finish(session, code, SUMMING, error);
  if (!status) {
    status = pcf_cuda_bring_back(&session->uplink, &work->doubts, points->doubts,
                                 sizeof work->doubts, error);
  }
  if (status) return status;
  return select_some(session, pcf_cuda_find_kept, sums, points, &points->points, error);
}

/* Allocates memory for the points, of which there may be none. */
static enum pcf_status make_room(struct pcf_cuda_session *session,
                                 struct pcf_cuda_points *points, struct pcf_error *error) {
  int64_t room = points->points + 1;
  size_t size = sizeof(double);
  enum pcf_status status = PCF_OK;
  points->point_time = allocate(session, room, size, &status, error);
  points->point_value = allocate(session, room, size, &status, error);
  if (points->left) points->point_left = allocate(session, room, size, &status, error);
  return status;
}

static enum pcf_status write_points(struct pcf_cuda_session *session,
                                    const struct pcf_cuda_sums *sums,
                                    struct pcf_cuda_points *points, struct pcf_curves *curves,
                                    struct pcf_error *error) {
  size_t count = (size_t)sums->rows + 1;
  enum pcf_status status = make_room(session, points, error);
  points->row_first = allocate(session, (int64_t)count, sizeof(int64_t), &status, error);
  if (status) return status;
  cudaError_t code = pcf_cuda_write_points(sums, points, pcf_cuda_session_stream(session));
  status = pcf_cuda_session_finish(session, code, SUMMING, error);
  if (status) return status;
  struct pcf_cuda_made made = {points->point_time, points->point_value, points->point_left,
                               sums->rows, pcf_allocate(count, sizeof *made.starts, error)};
  if (!made.starts) return PCF_ERROR_MEMORY;
  status = pcf_cuda_bring_back(&session->uplink, made.starts, points->row_first,
                               count * sizeof *made.starts, error);
  if (!status) status = pcf_cuda_leave_curves(session, &made, curves, error);
  if (status) pcf_free(made.starts);
  return status;
}

static enum pcf_status reduce_there(struct pcf_cuda_session *session, struct work *work,
                                    struct pcf_curves *curves, struct pcf_error *error) {
  struct pcf_cuda_sums sums = {0};
  struct pcf_cuda_points points = {0};
  enum pcf_status status = pcf_cuda_session_find(session, work->x, &sums.x, error);
  if (!status) status = send_rows(session, work, &sums, error);
  if (!status) status = go_through_events(session, work, &sums, &points, error);
  if (!status) status = find_points(session, work, &sums, &points, error);
  if (status || work->doubts.unsure) return status;
  if (work->doubts.infinite) {
    status =
      pcf_fail(error, PCF_ERROR_ARGUMENT, "A value of the result is too large for a double.");
  }
  return status ? status : write_points(session, &sums, &points, curves, error);
}

/* ---- The whole ---- */

/* Can the device number all events? */
static int are_few(const struct work *work) {
  int64_t events = work->ends[work->entries];
  return events > 0 && events <= INT32_MAX && work->rows->count <= INT32_MAX;
}

static enum pcf_status reduce_rows(struct pcf_cuda_session *session, struct work *work,
                                   struct pcf_rows_call *call, struct pcf_error *error) {
  enum pcf_status status = make_work(work, error);
  if (status) return status;
  count_events(work);
  if (are_few(work) && (work->extrema || find_forms(work, &call->range))) {
    status = reduce_there(session, work, &call->curves, error);
    if (status || !work->doubts.unsure) return status;
  }
  return pcf_host_rows(call, session->uplink.threads, session->uplink.stop, error);
}

enum pcf_status pcf_cuda_rows(struct pcf_cuda_session *session, void *call_,
                              struct pcf_error *error) {
  struct pcf_rows_call *call = call_;
  const struct pcf_rows *rows = call->rows;
  struct work work = {.x = call->x,
                      .rows = rows,
                      .entries = rows->starts[rows->count],
                      .changing = !call->extrema && pcf_divisors_change(rows),
                      .extrema = call->extrema};
  work.extremum.sign = call->extremum == PCF_MAXIMUM ? 1 : -1;
  work.extremum.missing = rows->observed_only ? -INFINITY : INFINITY;
  enum pcf_status status = reduce_rows(session, &work, call, error);
  pcf_arrays_free(&work.arrays);
  return status;
}
