#include "cuda/sums.h"

#include "algebra/summing.h"
#include "algebra/sums.h"
#include "base/memory.h"
#include "cuda/curves.h"
#include "cuda/kernels.h"
#include "cuda/staying.h"

#include <math.h>

/* What goes up of the rows. */
struct work {
  const struct pcf_collection *x;
  const struct pcf_rows *rows;
  const atomic_int *stop;
  int64_t entries;
  int64_t *row_start, *ends;
  double *weight; /* NULL: all 1 */
  int *unit;
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
  if (made && work->rows->weight) {
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
  pcf_free(work->divisor);
  pcf_free(work->weight);
  pcf_free(work->counting);
  pcf_free(work->counted);
}

/* Numbers the events of all rows. */
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

/* What the functions of a row count, as pcf_divisors_make() has it: all the same, where it is
 * only asked whether one is missing. Negative weights may add up to 0, which the device does
 * not look for. Returns whether it can count them. */
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

/* The form of each row; returns whether the device can sum all of them. */
static int find_forms(struct work *work, const struct pcf_range *range) {
  const struct pcf_rows *rows = work->rows;
  for (int64_t r = 0; r < rows->count; r++) {
    struct pcf_summing summing = pcf_summing_of(work->x, rows, r, range);
    if (!is_narrow(&summing)) return 0;
    if (work->changing && !find_counting(work, r, summing.shift)) return 0;
    work->unit[r] = summing.fixed.unit;
    work->divisor[r] = pcf_summing_divisor(&summing, rows, r, NULL).divisor;
    for (int64_t e = rows->starts[r]; work->weight && e < rows->starts[r + 1]; e++) {
      work->weight[e] = summing.shift ? ldexp(rows->weight[e], summing.shift) : rows->weight[e];
    }
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
  enum { ARRAYS = 8 };
  const void *array[ARRAYS] = {work->row_start, work->ends,   work->rows->function,
                               work->weight,    work->unit,   work->divisor,
                               work->counting,  work->counted};
  size_t bytes[ARRAYS] = {(rows + 1) * sizeof(int64_t),
                          (entries + 1) * sizeof(int64_t),
                          entries * sizeof(int64_t),
                          entries * sizeof(double),
                          rows * sizeof(int),
                          rows * sizeof *work->divisor,
                          rows * sizeof *work->counting,
                          entries * sizeof(double)};
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
  sums->observed_only = work->rows->observed_only;
  return status ? status : arrived;
}

/* Sorts events: *sorted, which lies in *scratch. */
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

/* Adds sorted events up: `points` gets their sums. */
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

/* What is best from each sorted event on. */
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

/* The times of all events, and what their values come from. */
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
    status = sum_events(session, sums, sorted, time, points, error);
  }
  pcf_cuda_free(&session->memory, scratch);
  return status;
}

typedef cudaError_t selecting(const struct pcf_cuda_sums *sums,
                              const struct pcf_cuda_points *points, int64_t *count,
                              void *scratch, size_t *scratch_bytes, cudaStream_t stream);

struct selection {
  selecting *select;
  const struct pcf_cuda_sums *sums;
  const struct pcf_cuda_points *points;
};

static cudaError_t launch_selecting(const void *selection_, int64_t *count, void *scratch,
                                    size_t *bytes, cudaStream_t stream) {
  const struct selection *selection = selection_;
  return selection->select(selection->sums, selection->points, count, scratch, bytes, stream);
}

/* Selects, and brings back how many there are. */
static enum pcf_status select_some(struct pcf_cuda_session *session, selecting *select,
                                   const struct pcf_cuda_sums *sums,
                                   const struct pcf_cuda_points *points, int64_t *count,
                                   struct pcf_error *error) {
  struct selection selection = {select, sums, points};
  return pcf_cuda_session_launch(session, launch_selecting, &selection, count, SUMMING, error);
}

/* The values at the ends, and which of them count. */
static enum pcf_status find_points(struct pcf_cuda_session *session, struct work *work,
                                   const struct pcf_cuda_sums *sums,
                                   struct pcf_cuda_points *points, struct pcf_error *error) {
  static const int none = 0;
  void *end = NULL, *value = NULL, *kept = NULL, *infinite = NULL;
  enum pcf_status status = allocate(session, sums->events, sizeof *points->end, &end, error);
  if (status) return status;
  points->end = end;
  status = select_some(session, pcf_cuda_find_ends, sums, points, &points->ends, error);
  if (!status) status = allocate(session, points->ends, sizeof *points->value, &value, error);
  if (!status) status = allocate(session, points->ends, sizeof *points->kept, &kept, error);
  if (!status) {
    status = pcf_cuda_session_send(session, &none, sizeof none, &infinite, error);
    enum pcf_status arrived = pcf_cuda_arrive(&session->uplink, status ? NULL : error);
    if (!status) status = arrived;
  }
  if (status) return status;
  points->value = value;
  points->kept = kept;
  points->infinite = infinite;
  cudaStream_t stream = pcf_cuda_session_stream(session);
  cudaError_t code = work->extrema
                       ? pcf_cuda_take_extrema(sums, &work->extremum, points, stream)
                       : pcf_cuda_find_values(sums, points, stream);
  status = pcf_cuda_session_finish(session, code, SUMMING, error);
  if (!status) {
    status = pcf_cuda_bring_back(&session->uplink, &work->infinite, infinite,
                                 sizeof work->infinite, error);
  }
  if (status) return status;
  return select_some(session, pcf_cuda_find_kept, sums, points, &points->points, error);
}

static enum pcf_status write_points(struct pcf_cuda_session *session,
                                    const struct pcf_cuda_sums *sums,
                                    struct pcf_cuda_points *points, struct pcf_cuda_made *made,
                                    struct pcf_error *error) {
  void *first = NULL;
  enum pcf_status status = pcf_cuda_make_room(session, points->points, &points->point_time,
                                              &points->point_value, error);
  if (!status) {
    status = allocate(session, sums->rows + 1, sizeof *points->row_first, &first, error);
  }
  if (status) return status;
  points->row_first = first;
  cudaError_t code = pcf_cuda_write_points(sums, points, pcf_cuda_session_stream(session));
  status = pcf_cuda_session_finish(session, code, SUMMING, error);
  made->time = points->point_time;
  made->value = points->point_value;
  made->count = sums->rows;
  return status ? status : pcf_cuda_bring_starts(session, points->row_first, made, error);
}

static enum pcf_status reduce_there(struct pcf_cuda_session *session, void *work_,
                                    struct pcf_cuda_made *made, struct pcf_error *error) {
  struct work *work = work_;
  struct pcf_cuda_found found;
  struct pcf_cuda_sums sums = {0};
  struct pcf_cuda_points points = {0};
  enum pcf_status status = pcf_cuda_find(session, work->x, &found, error);
  sums.x = found.packed;
  sums.offsets = found.offsets;
  if (!status) status = send_rows(session, work, &sums, error);
  if (!status) status = go_through_events(session, work, &sums, &points, error);
  if (!status) status = find_points(session, work, &sums, &points, error);
  if (!status && work->infinite) {
    status =
      pcf_fail(error, PCF_ERROR_ARGUMENT, "A value of the result is too large for a double.");
  }
  if (!status) status = write_points(session, &sums, &points, made, error);
  pcf_cuda_leave(session, work->x, &found);
  return status;
}

/* ---- The whole ---- */

/* Can the device number all events? */
static int are_few(const struct work *work) {
  int64_t events = work->ends[work->entries];
  return events > 0 && events <= INT32_MAX && work->rows->count <= INT32_MAX;
}

static enum pcf_status sum_rows(struct work *work, const struct pcf_range *range,
                                const struct pcf_settings *settings, struct pcf_curves *curves,
                                struct pcf_error *error) {
  enum pcf_status status = make_work(work, error);
  if (status) return status;
  count_events(work);
  if (!are_few(work) || !find_forms(work, range)) {
    return pcf_sums(work->x, work->rows, range, settings->threads, work->stop, curves, error);
  }
  return pcf_cuda_make_curves(reduce_there, work, settings, work->stop, curves, error);
}

enum pcf_status pcf_cuda_sums(const struct pcf_collection *x, const struct pcf_rows *rows,
                              const struct pcf_range *range,
                              const struct pcf_settings *settings, const atomic_int *stop,
                              struct pcf_curves *curves, struct pcf_error *error) {
  *curves = (struct pcf_curves){0};
  struct work work = {.x = x, .rows = rows, .stop = stop, .entries = rows->starts[rows->count]};
  work.changing = pcf_divisors_change(rows);
  enum pcf_status status = sum_rows(&work, range, settings, curves, error);
  free_work(&work);
  return status;
}

static enum pcf_status find_rows(struct work *work, enum pcf_extremum extremum,
                                 const struct pcf_settings *settings, struct pcf_curves *curves,
                                 struct pcf_error *error) {
  enum pcf_status status = make_work(work, error);
  if (status) return status;
  count_events(work);
  if (!are_few(work)) {
    return pcf_extrema(work->x, work->rows, extremum, settings->threads, work->stop, curves,
                       error);
  }
  return pcf_cuda_make_curves(reduce_there, work, settings, work->stop, curves, error);
}

enum pcf_status pcf_cuda_extrema(const struct pcf_collection *x, const struct pcf_rows *rows,
                                 enum pcf_extremum extremum,
                                 const struct pcf_settings *settings, const atomic_int *stop,
                                 struct pcf_curves *curves, struct pcf_error *error) {
  *curves = (struct pcf_curves){0};
  struct work work = {.x = x, .rows = rows, .stop = stop, .entries = rows->starts[rows->count]};
  work.extrema = 1;
  work.extremum.sign = extremum == PCF_MAXIMUM ? 1 : -1;
  work.extremum.missing = rows->observed_only ? -INFINITY : INFINITY;
  enum pcf_status status = find_rows(&work, extremum, settings, curves, error);
  free_work(&work);
  return status;
}
