/* Sums, means and extrema of functions on a CUDA device. */
#include "algebra/sums.h"
#include "algebra/summing.h"
#include "base/memory.h"
#include "cuda/session.h"

#include <math.h>

/* What is copied to the device to describe the rows. */
struct work {
  const struct pcf_collection *x;
  const struct pcf_rows *rows;
  int64_t entries;
  int64_t *row_start, *ends;
  double *weight; /* NULL: all 1, of step functions */
  int *unit, *slope_unit;
  double origin;
  struct pcf_divisor *divisor;
  int changing; /* do divisors change? Then there is: */
  struct pcf_cuda_counting *counting;
  double *counted; /* NULL: all count 1 */
  int extrema;     /* are these wanted, and no sums? */
  struct pcf_cuda_extrema extremum;
  int infinite; /* is a value? */
};

/* ---- Preparing ---- */

static enum pcf_status make_work(struct work *work, struct pcf_error *error) {
  size_t rows = (size_t)work->rows->count, entries = (size_t)work->entries;
  work->row_start = pcf_allocate(rows + 1, sizeof *work->row_start, error);
  work->ends = pcf_allocate(entries + 1, sizeof *work->ends, error);
  if (!work->row_start || !work->ends) return PCF_ERROR_MEMORY;
  if (work->extrema) return PCF_OK;
  work->unit = pcf_allocate(rows, sizeof *work->unit, error);
  work->divisor = pcf_allocate(rows, sizeof *work->divisor, error);
  int made = work->unit && work->divisor;
  if (made && work->x->linear) {
    made = !!(work->slope_unit = pcf_allocate(rows, sizeof *work->slope_unit, error));
  }
  if (made && (work->rows->weight || work->x->linear)) {
    made = !!(work->weight = pcf_allocate(entries, sizeof *work->weight, error));
  }
  if (made && work->changing) {
    made = !!(work->counting = pcf_allocate(rows, sizeof *work->counting, error));
  }
  if (made && work->changing && work->weight && work->rows->observed_only) {
    made = !!(work->counted = pcf_allocate(entries, sizeof *work->counted, error));
  }
  return made ? PCF_OK : PCF_ERROR_MEMORY;
}

static void free_work(struct work *work) {
  pcf_free(work->row_start);
  pcf_free(work->ends);
  pcf_free(work->unit);
  pcf_free(work->slope_unit);
  pcf_free(work->divisor);
  pcf_free(work->weight);
  pcf_free(work->counting);
  pcf_free(work->counted);
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

static int is_narrow(const struct pcf_summing *summing) {
  return !summing->apart && summing->fixed.limbs == PCF_NARROW_LIMBS;
}

/* Finds what each function of row r counts in the divisor, as pcf_divisors_make() does: all
 * count the same where only it matters whether one is missing. Returns 0 where the device
 * cannot count them: it does not notice when weights add up to 0, as negative ones may. */
static int find_counting(struct work *work, int64_t r, int shift) {
  static const struct pcf_range of_indicators = {.value = 1, .least = 1, .endless = 1};
  struct pcf_rows rows = *work->rows;
  struct pcf_cuda_counting *counting = &work->counting[r];
  if (!rows.observed_only) rows.weight = NULL;
  struct pcf_summing summing = pcf_summing_of(work->x, &rows, r, &of_indicators);
  if (!is_narrow(&summing)) return 0;
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
    struct pcf_summing summing = pcf_summing_of(work->x, rows, r, range);
    if (!is_narrow(&summing)) return 0;
    if (work->changing && !find_counting(work, r, summing.shift)) return 0;
    work->unit[r] = summing.fixed.unit;
    work->divisor[r] = pcf_summing_divisor(&summing, rows, r, NULL).divisor;
    if (work->slope_unit) work->slope_unit[r] = summing.slopes.unit;
    work->origin = summing.origin;
    find_weights(work, r, &summing);
  }
  return 1;
}

/* ---- On the device ---- */

static const char SUMMING[] = "summing functions";

static enum pcf_status allocate(struct pcf_cuda_session *session, int64_t count, size_t size,
                                void **to, struct pcf_error *error) {
  return pcf_cuda_allocate(&session->memory, (size_t)count * size, to, error);
}

static enum pcf_status send_rows(struct pcf_cuda_session *session, const struct work *work,
                                 struct pcf_cuda_sums *sums, struct pcf_error *error) {
  size_t rows = (size_t)work->rows->count, entries = (size_t)work->entries;
  enum { ARRAYS = 9 };
  const void *array[ARRAYS] = {work->row_start, work->ends,    work->rows->function,
                               work->weight,    work->unit,    work->divisor,
                               work->counting,  work->counted, work->slope_unit};
  size_t bytes[ARRAYS] = {(rows + 1) * sizeof(int64_t),
                          (entries + 1) * sizeof(int64_t),
                          entries * sizeof(int64_t),
                          entries * sizeof(double),
                          rows * sizeof(int),
                          rows * sizeof *work->divisor,
                          rows * sizeof *work->counting,
                          entries * sizeof(double),
                          rows * sizeof(int)};
  void *there[ARRAYS] = {0};
  enum pcf_status status = PCF_OK;
  for (int k = 0; k < ARRAYS && !status; k++) {
    status = pcf_cuda_session_send(session, array[k], bytes[k], &there[k], error);
  }
  enum pcf_status arrived = pcf_cuda_arrive(&session->uplink, status ? NULL : error);
  sums->rows = work->rows->count;
  sums->entries = work->entries;
  sums->events = work->ends[work->entries];
  sums->row_start = there[0];
  sums->ends = there[1];
  sums->function = there[2];
  sums->weight = there[3];
  sums->unit = there[4];
  sums->divisor = there[5];
  sums->counting = there[6];
  sums->counted = there[7];
  sums->slope_unit = there[8];
  sums->origin = work->origin;
  sums->observed_only = work->rows->observed_only;
  return status ? status : arrived;
}

/* Sorts the events into *sorted, which lies in *scratch. */
static enum pcf_status sort_events(struct pcf_cuda_session *session,
                                   const struct pcf_cuda_sums *sums, const uint32_t **sorted,
                                   void **scratch, struct pcf_error *error) {
  cudaStream_t stream = pcf_cuda_session_stream(session);
  size_t bytes = 0;
  cudaError_t code = pcf_cuda_sort_events(sums, NULL, &bytes, sorted, stream);
  enum pcf_status status = pcf_cuda_session_finish(session, code, SUMMING, error);
  if (!status) status = allocate(session, 1, bytes, scratch, error);
  if (status) return status;
  code = pcf_cuda_sort_events(sums, *scratch, &bytes, sorted, stream);
  return pcf_cuda_session_finish(session, code, SUMMING, error);
}

/* Adds up the sorted events; `points` gets the sums. */
static enum pcf_status sum_events(struct pcf_cuda_session *session,
                                  const struct pcf_cuda_sums *sums, const uint32_t *sorted,
                                  double *time, struct pcf_cuda_points *points,
                                  struct pcf_error *error) {
  void *sum = NULL, *missing = NULL, *total = NULL;
  enum pcf_status status =
    allocate(session, sums->events, sizeof(struct pcf_narrow), &sum, error);
  if (!status && sums->counting) {
    status = allocate(session, sums->events, sizeof(struct pcf_narrow), &missing, error);
  }
  if (!status) {
    status = allocate(session, 2 * pcf_cuda_totals(sums->events), sizeof(struct pcf_narrow),
                      &total, error);
  }
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
  void *lines = NULL, *total = NULL, *start = NULL;
  size_t size = sizeof(struct pcf_cuda_lines);
  enum pcf_status status = allocate(session, sums->events, size, &lines, error);
  if (!status) status = allocate(session, pcf_cuda_totals(sums->events), size, &total, error);
  if (!status) status = allocate(session, sums->rows, sizeof *points->start, &start, error);
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
  void *place = NULL, *best = NULL;
  enum pcf_status status =
    allocate(session, sums->events, sizeof *extrema->place, &place, error);
  if (!status) status = allocate(session, (int64_t)nodes, sizeof *extrema->best, &best, error);
  if (status) return status;
  extrema->place = place;
  extrema->best = best;
  cudaError_t code = cudaMemsetAsync(best, 0, nodes * sizeof *extrema->best, stream);
  if (code == cudaSuccess) code = pcf_cuda_find_extrema(sums, extrema, sorted, time, stream);
  status = pcf_cuda_session_finish(session, code, SUMMING, error);
  pcf_cuda_free(&session->memory, place);
  return status;
}

/* Computes the times of all events, and the sums or extrema that their values are made of. */
static enum pcf_status go_through_events(struct pcf_cuda_session *session, struct work *work,
                                         const struct pcf_cuda_sums *sums,
                                         struct pcf_cuda_points *points,
                                         struct pcf_error *error) {
  const uint32_t *sorted = NULL;
  void *scratch = NULL, *time = NULL;
  enum pcf_status status = sort_events(session, sums, &sorted, &scratch, error);
  if (!status) status = allocate(session, sums->events, sizeof(double), &time, error);
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
  void *scratch = NULL, *counted = NULL;
  size_t bytes = 0;
  cudaError_t code = select(sums, points, NULL, NULL, &bytes, stream);
  enum pcf_status status = pcf_cuda_check(&session->memory, code, SUMMING, error);
  if (!status) status = allocate(session, 1, bytes, &scratch, error);
  if (!status) status = allocate(session, 1, sizeof *count, &counted, error);
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
  void *value = NULL, *kept = NULL, *left = NULL, *changes = NULL;
  enum pcf_status status =
    allocate(session, points->ends, sizeof *points->value, &value, error);
  if (!status) status = allocate(session, points->ends, sizeof *points->kept, &kept, error);
  if (!status && work->x->linear) {
    status = allocate(session, points->ends, sizeof *points->left, &left, error);
    if (!status) status = allocate(session, points->ends, 1, &changes, error);
  }
  points->value = value;
  points->kept = kept;
  points->left = left;
  points->changes = changes;
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
  static const int none = 0;
  void *end = NULL, *infinite = NULL;
  enum pcf_status status = allocate(session, sums->events, sizeof *points->end, &end, error);
  if (status) return status;
  points->end = end;
  status = select_some(session, pcf_cuda_find_ends, sums, points, &points->ends, error);
  if (!status) status = make_values(session, work, points, error);
  if (!status) {
    status = pcf_cuda_session_send(session, &none, sizeof none, &infinite, error);
    enum pcf_status arrived = pcf_cuda_arrive(&session->uplink, status ? NULL : error);
    if (!status) status = arrived;
  }
  if (status) return status;
  points->infinite = infinite;
  cudaStream_t stream = pcf_cuda_session_stream(session);
  cudaError_t code = find_values(work, sums, points, stream);
  status = pcf_cuda_session_finish(session, code, SUMMING, error);
  if (!status) {
    status = pcf_cuda_bring_back(&session->uplink, &work->infinite, infinite,
                                 sizeof work->infinite, error);
  }
  if (status) return status;
  return select_some(session, pcf_cuda_find_kept, sums, points, &points->points, error);
}

/* Allocates memory for the points, of which there may be none. */
static enum pcf_status make_room(struct pcf_cuda_session *session,
                                 struct pcf_cuda_points *points, struct pcf_error *error) {
  void *time = NULL, *left = NULL, *value = NULL;
  int64_t room = points->points + 1;
  enum pcf_status status = allocate(session, room, sizeof(double), &time, error);
  if (!status) status = allocate(session, room, sizeof(double), &value, error);
  if (!status && points->left) status = allocate(session, room, sizeof(double), &left, error);
  points->point_left = left;
  points->point_time = time;
  points->point_value = value;
  return status;
}

static enum pcf_status write_points(struct pcf_cuda_session *session,
                                    const struct pcf_cuda_sums *sums,
                                    struct pcf_cuda_points *points, struct pcf_curves *curves,
                                    struct pcf_error *error) {
  size_t count = (size_t)sums->rows + 1;
  void *first = NULL;
  enum pcf_status status = make_room(session, points, error);
  if (!status) status = allocate(session, (int64_t)count, sizeof(int64_t), &first, error);
  if (status) return status;
  points->row_first = first;
  cudaError_t code = pcf_cuda_write_points(sums, points, pcf_cuda_session_stream(session));
  status = pcf_cuda_session_finish(session, code, SUMMING, error);
  if (status) return status;
  struct pcf_cuda_made made = {points->point_time, points->point_value, points->point_left,
                               sums->rows, pcf_allocate(count, sizeof *made.starts, error)};
  if (!made.starts) return PCF_ERROR_MEMORY;
  status = pcf_cuda_bring_back(&session->uplink, made.starts, first,
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
  if (!status && work->infinite) {
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
    return reduce_there(session, work, &call->curves, error);
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
  free_work(&work);
  return status;
}
