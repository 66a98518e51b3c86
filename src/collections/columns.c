#include "collections/columns.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct columns {
  const struct pcf_collection *x;
  enum pcf_column which;
  atomic_int unsound;
  double *to;         /* gathering */
  const double *from; /* replacing */
  double *const *result;
  struct pcf_place *fault;
};

static pcf_portion_body gather, replace;

enum pcf_status pcf_soundness(const atomic_int *unsound, struct pcf_error *error) {
  if (!atomic_load(unsound)) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "a function is not valid");
}

enum pcf_status pcf_gather_column(const struct pcf_collection *x, enum pcf_column which,
                                  double *column, int threads, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct columns columns = {.x = x, .which = which, .to = column};
  const struct pcf_portions portions = {.items = x->count, .offsets = x->offsets};
  enum pcf_status status = pcf_portions_run(&portions, threads, stop, gather, &columns, error);
  return status ? status : pcf_soundness(&columns.unsound, error);
}

enum pcf_status pcf_replace_column(const struct pcf_collection *x, enum pcf_column which,
                                   const double *column, double *const *result, int threads,
                                   const atomic_int *stop, struct pcf_place *fault,
                                   struct pcf_error *error) {
  struct columns columns = {.x = x, .which = which, .from = column, .result = result};
  columns.fault = fault;
  *fault = PCF_NOWHERE;
  const struct pcf_portions portions = {.items = x->count, .offsets = x->offsets};
  enum pcf_status status = pcf_portions_run(&portions, threads, stop, replace, &columns, error);
  return status ? status : pcf_soundness(&columns.unsound, error);
}

int pcf_sound_times(const double *time, int64_t begin, int64_t end) {
  if (begin == 0 && end > 0 && time[0] == -INFINITY) begin = 1;
  if (begin == end) return 1;
  int sound = fabs(time[begin]) <= DBL_MAX && fabs(time[end - 1]) <= DBL_MAX;
  for (int64_t k = begin > 0 ? begin : 1; k < end; k++) sound &= time[k] > time[k - 1];
  return sound;
}

/* Branch-free over short rows, since nearly all numbers are finite. */
int64_t pcf_first_infinite(const double *number, int64_t n) {
  enum { ROW = 256 };
  for (int64_t row = 0; row < n; row += ROW) {
    int64_t end = row + ROW < n ? row + ROW : n;
    int wrong = 0;
    for (int64_t k = row; k < end; k++) wrong |= !(fabs(number[k]) <= DBL_MAX);
    if (!wrong) continue;
    for (int64_t k = row; k < end; k++) {
      if (!(fabs(number[k]) <= DBL_MAX)) return k;
    }
  }
  return n;
}

int64_t pcf_first_unsound(const double *value, int64_t n, int *missing) {
  int64_t k = pcf_first_infinite(value, n);
  for (; k < n; k++) {
    if (fabs(value[k]) <= DBL_MAX) continue;
    if (!pcf_is_missing(value[k])) return k;
    *missing = 1;
  }
  return n;
}

void pcf_unify_missing(double *value, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    if (pcf_is_missing(value[k])) value[k] = pcf_missing();
  }
}

/* ---- Gathering ---- */

static const double *column_of(const struct pcf_collection *x, int64_t i,
                               enum pcf_column which) {
  return which == PCF_TIMES    ? pcf_times(x, i)
         : which == PCF_VALUES ? pcf_values(x, i)
                               : pcf_lefts(x, i);
}

static void check(struct columns *columns, const struct pcf_portion *part,
                  enum pcf_column which) {
  const double *column = column_of(columns->x, part->item, which);
  int64_t n = part->end - part->begin;
  int missing = 0, sound;
  if (which == PCF_TIMES) sound = pcf_sound_times(column, part->begin, part->end);
  else sound = pcf_first_unsound(column + part->begin, n, &missing) == n;
  if (!sound) atomic_store(&columns->unsound, 1);
}

static void copy(double *to, const double *from, const struct pcf_portion *part) {
  memcpy(to + part->begin, from + part->begin,
         (size_t)(part->end - part->begin) * sizeof(double));
}

static void gather(void *columns_, const struct pcf_portion *part) {
  struct columns *columns = columns_;
  const struct pcf_collection *x = columns->x;
  check(columns, part, columns->which);
  copy(columns->to + x->offsets[part->item], column_of(x, part->item, columns->which), part);
}

/* ---- Replacing ---- */

/* The first position at which the new times break the rules, or part->end. */
static int64_t fault_of_times(const double *column, const double *own,
                              const struct pcf_portion *part) {
  int64_t begin = part->begin;
  if (begin == 0 && own[0] == -INFINITY && column[0] == -INFINITY) begin = 1;
  int64_t wrong = begin + pcf_first_infinite(column + begin, part->end - begin);
  for (int64_t k = begin > 0 ? begin : 1; k < wrong; k++) {
    if (!(column[k] > column[k - 1])) return k;
  }
  return wrong;
}

/* The same for values, which are in the result already; gives all missing ones the same
 * bits. */
static int64_t fault_of_values(double *value, const struct pcf_portion *part) {
  int64_t n = part->end - part->begin;
  int missing = 0;
  int64_t wrong = part->begin + pcf_first_unsound(value + part->begin, n, &missing);
  if (missing) pcf_unify_missing(value + part->begin, n);
  return wrong;
}

static void replace(void *columns_, const struct pcf_portion *part) {
  static const enum pcf_column columns_of_lines[] = {PCF_TIMES, PCF_LEFTS, PCF_VALUES};
  static const enum pcf_column columns_of_steps[] = {PCF_TIMES, PCF_VALUES};
  struct columns *columns = columns_;
  const struct pcf_collection *x = columns->x;
  int64_t i = part->item, m = pcf_breakpoints(x, i);
  const double *column = columns->from + x->offsets[i];
  double *result = columns->result[i], *replaced = result;
  for (int c = 0; c < pcf_matrix_columns(x->linear); c++, result += m) {
    enum pcf_column own = (x->linear ? columns_of_lines : columns_of_steps)[c];
    if (own == columns->which) replaced = result;
    else check(columns, part, own);
    copy(result, own == columns->which ? column : column_of(x, i, own), part);
  }
  int64_t wrong = columns->which == PCF_TIMES ? fault_of_times(column, pcf_times(x, i), part)
                                              : fault_of_values(replaced, part);
  if (wrong < part->end) pcf_note_place(columns->fault, (struct pcf_place){i, wrong});
}
