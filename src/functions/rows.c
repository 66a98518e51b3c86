#include "functions/rows.h"

#include "base/memory.h"
#include "base/search.h"

#include <string.h>

static int is_taken(const double *row, const double *weight, int64_t count, int64_t i) {
  return row[i] >= 1 && row[i] <= (double)count && !(weight && weight[i] == 0);
}

static void start_rows(int64_t count, int64_t *starts);
static void shift_starts(int64_t count, int64_t *starts, int64_t total);

void pcf_rows_fill(int64_t n, const double *row, const double *weight, int64_t count,
                   int64_t *starts, int64_t *function) {
  memset(starts, 0, ((size_t)count + 1) * sizeof *starts);
  for (int64_t i = 0; i < n; i++) {
    if (is_taken(row, weight, count, i)) starts[(int64_t)row[i]]++;
  }
  start_rows(count, starts);
  int64_t total = starts[count];
  for (int64_t i = n - 1; i >= 0; i--) {
    if (is_taken(row, weight, count, i)) function[--starts[(int64_t)row[i]]] = i;
  }
  shift_starts(count, starts, total);
}

/* Row r is counted in starts[r + 1]. Filled from its end, that becomes its start, one place too
 * high. */
static void start_rows(int64_t count, int64_t *starts) {
  for (int64_t r = 0; r < count; r++) starts[r + 1] += starts[r];
}

static void shift_starts(int64_t count, int64_t *starts, int64_t total) {
  for (int64_t r = 0; r < count; r++) starts[r] = starts[r + 1];
  starts[count] = total;
}

/* ---- Matrices ---- */

static int64_t row_of(const struct pcf_matrix *matrix, int64_t column, int64_t e) {
  return matrix->row ? matrix->row[e] : e - matrix->starts[column];
}

static int stopped(const atomic_int *stop) {
  return stop && atomic_load(stop);
}

static int count_entries(const struct pcf_matrix *matrix, const atomic_int *stop,
                         int64_t *starts) {
  memset(starts, 0, ((size_t)matrix->rows + 1) * sizeof *starts);
  for (int64_t j = 0; j < matrix->columns; j++) {
    if (stopped(stop)) return 1;
    for (int64_t e = matrix->starts[j]; e < matrix->starts[j + 1]; e++) {
      if (matrix->weight[e] != 0) starts[row_of(matrix, j, e) + 1]++;
    }
  }
  start_rows(matrix->rows, starts);
  return 0;
}

static int place_entries(const struct pcf_matrix *matrix, const atomic_int *stop,
                         int64_t *starts, int64_t *function, double *weight) {
  int64_t total = starts[matrix->rows];
  for (int64_t j = matrix->columns - 1; j >= 0; j--) {
    if (stopped(stop)) return 1;
    for (int64_t e = matrix->starts[j + 1] - 1; e >= matrix->starts[j]; e--) {
      if (matrix->weight[e] == 0) continue;
      int64_t at = --starts[row_of(matrix, j, e) + 1];
      function[at] = j;
      weight[at] = matrix->weight[e];
    }
  }
  shift_starts(matrix->rows, starts, total);
  return 0;
}

enum pcf_status pcf_rows_make(const struct pcf_matrix *matrix, const atomic_int *stop,
                              struct pcf_rows *rows, struct pcf_error *error) {
  int64_t *starts = pcf_allocate((size_t)matrix->rows + 1, sizeof *starts, error);
  *rows = (struct pcf_rows){.count = matrix->rows, .starts = starts};
  if (!starts) return PCF_ERROR_MEMORY;
  if (count_entries(matrix, stop, starts)) {
    return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
  }
  size_t entries = (size_t)starts[matrix->rows];
  int64_t *function = pcf_allocate(entries, sizeof *function, error);
  double *weight = pcf_allocate(entries, sizeof *weight, error);
  rows->function = function;
  rows->weight = weight;
  if (!function || !weight) return PCF_ERROR_MEMORY;
  if (place_entries(matrix, stop, starts, function, weight)) {
    return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
  }
  return PCF_OK;
}

void pcf_rows_free(struct pcf_rows *rows) {
  pcf_free((void *)rows->starts);
  pcf_free((void *)rows->function);
  pcf_free((void *)rows->weight);
  *rows = (struct pcf_rows){0};
}

/* ---- The events of one row ---- */

struct pcf_row pcf_row_of(const struct pcf_collection *x, const struct pcf_rows *rows,
                          int64_t r, int64_t *ends) {
  int64_t first = rows->starts[r];
  struct pcf_row row = {
    .x = x,
    .entries = rows->starts[r + 1] - first,
    .function = rows->function + first,
    .weight = rows->weight ? rows->weight + first : NULL,
    .ends = ends,
  };
  ends[0] = 0;
  for (int64_t e = 0; e < row.entries; e++) {
    ends[e + 1] = ends[e] + pcf_breakpoints(x, row.function[e]);
  }
  return row;
}

struct pcf_slices pcf_slices_of(const struct pcf_row *row, int64_t first, int64_t last) {
  return (struct pcf_slices){row, pcf_segment_of(row->ends, row->entries, first), first, last};
}

int pcf_next_slice(struct pcf_slices *slices, struct pcf_slice *slice) {
  if (slices->at >= slices->end) return 0;
  const struct pcf_row *row = slices->row;
  int64_t e = slices->entry++, begin = row->ends[e], end = row->ends[e + 1];
  if (end > slices->end) end = slices->end;
  *slice = (struct pcf_slice){
    .time = pcf_times(row->x, row->function[e]),
    .value = pcf_values(row->x, row->function[e]),
    .first = slices->at - begin,
    .last = end - begin,
    .at = slices->at,
    .weight = row->weight ? row->weight[e] : 1,
  };
  slices->at = end;
  return 1;
}
