#include "reductions/sparse-rows.h"

#include "base/memory.h"
#include "base/search.h"

#include <math.h>
#include <string.h>

static int is_taken(const double *row, const double *weight, int64_t count, int64_t i) {
  return row[i] >= 1 && row[i] <= (double)count && !(weight && weight[i] == 0);
}

/* Row r is counted in starts[r + 1]. Filled from its end, that becomes its start, one place too
 * high. */
void pcf_rows_fill(int64_t n, const double *row, const double *weight, int64_t count,
                   int64_t *starts, int64_t *function) {
  memset(starts, 0, ((size_t)count + 1) * sizeof *starts);
  for (int64_t i = 0; i < n; i++) {
    if (is_taken(row, weight, count, i)) starts[(int64_t)row[i]]++;
  }
  for (int64_t r = 0; r < count; r++) starts[r + 1] += starts[r];
  int64_t total = starts[count];
  for (int64_t i = n - 1; i >= 0; i--) {
    if (is_taken(row, weight, count, i)) function[--starts[(int64_t)row[i]]] = i;
  }
  for (int64_t r = 0; r < count; r++) starts[r] = starts[r + 1];
  starts[count] = total;
}

/* ---- Matrices ---- */

struct reading {
  const struct pcf_matrix *matrix;
  const atomic_int *stop;
  int all; /* are entries taken whatever they are, zeros too? */
  /* The rows: of all entries with `column`, otherwise with `function`. */
  int64_t *starts, *function;
  int32_t *column;
  double *weight;
  struct pcf_arrays arrays;
};

static int stopped(const atomic_int *stop) {
  return stop && atomic_load(stop);
}

static int64_t row_of(const struct pcf_matrix *matrix, int64_t column, int64_t e) {
  return matrix->row ? matrix->row[e] : e - matrix->starts[column];
}

/* Fills `starts` with where each row ends; *fault is the first entry that is not finite. */
static enum pcf_status count_entries(struct reading *reading, int64_t *fault,
                                     struct pcf_error *error) {
  const struct pcf_matrix *matrix = reading->matrix;
  int64_t *count = reading->starts;
  memset(count, 0, ((size_t)matrix->rows + 1) * sizeof *count);
  for (int64_t j = 0; j < matrix->columns && *fault < 0; j++) {
    if (stopped(reading->stop)) return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    for (int64_t e = matrix->starts[j]; e < matrix->starts[j + 1]; e++) {
      if (!reading->all) {
        if (matrix->weight[e] == 0) continue;
        if (!isfinite(matrix->weight[e]) && *fault < 0) *fault = e;
      }
      count[row_of(matrix, j, e)]++;
    }
  }
  if (*fault >= 0) return pcf_fail(error, PCF_ERROR_ARGUMENT, "a weight is not finite");
  for (int64_t r = 1; r <= matrix->rows; r++) count[r] += count[r - 1];
  return PCF_OK;
}

/* Room for entries, which the caller frees. */
static enum pcf_status make_entries(struct reading *reading, struct pcf_error *error) {
  size_t entries = (size_t)reading->starts[reading->matrix->rows];
  struct pcf_arrays *arrays = &reading->arrays;
  reading->weight = pcf_array(arrays, entries, sizeof *reading->weight, error);
  if (reading->all) {
    reading->column = pcf_array(arrays, entries, sizeof *reading->column, error);
  } else {
    reading->function = pcf_array(arrays, entries, sizeof *reading->function, error);
  }
  return arrays->status;
}

/* Fills the rows from their ends, which become their starts. */
static enum pcf_status place_entries(struct reading *reading, struct pcf_error *error) {
  const struct pcf_matrix *matrix = reading->matrix;
  for (int64_t j = matrix->columns - 1; j >= 0; j--) {
    if (stopped(reading->stop)) return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    for (int64_t e = matrix->starts[j + 1] - 1; e >= matrix->starts[j]; e--) {
      if (!reading->all && matrix->weight[e] == 0) continue;
      int64_t at = --reading->starts[row_of(matrix, j, e)];
      if (reading->all) reading->column[at] = (int32_t)j;
      else reading->function[at] = j;
      reading->weight[at] = matrix->weight[e];
    }
  }
  return PCF_OK;
}

static enum pcf_status read_matrix(struct reading *reading, int64_t *fault,
                                   struct pcf_error *error) {
  size_t rows = (size_t)reading->matrix->rows;
  *fault = -1;
  reading->starts = pcf_array(&reading->arrays, rows + 1, sizeof *reading->starts, error);
  if (!reading->starts) return PCF_ERROR_MEMORY;
  enum pcf_status status = count_entries(reading, fault, error);
  if (!status) status = make_entries(reading, error);
  return status ? status : place_entries(reading, error);
}

enum pcf_status pcf_rows_make(const struct pcf_matrix *matrix, const atomic_int *stop,
                              struct pcf_rows *rows, int64_t *fault, struct pcf_error *error) {
  struct reading reading = {.matrix = matrix, .stop = stop};
  enum pcf_status status = read_matrix(&reading, fault, error);
  *rows = (struct pcf_rows){.count = matrix->rows,
                            .starts = reading.starts,
                            .function = reading.function,
                            .weight = reading.weight,
                            .arrays = reading.arrays};
  return status;
}

void pcf_rows_free(struct pcf_rows *rows) {
  pcf_arrays_free(&rows->arrays);
  *rows = (struct pcf_rows){0};
}

enum pcf_status pcf_sparse_make(const struct pcf_matrix *matrix, const atomic_int *stop,
                                struct pcf_sparse *sparse, struct pcf_error *error) {
  struct reading reading = {.matrix = matrix, .stop = stop, .all = 1};
  int64_t none;
  enum pcf_status status = read_matrix(&reading, &none, error);
  *sparse = (struct pcf_sparse){.rows = matrix->rows,
                                .columns = matrix->columns,
                                .offsets = reading.starts,
                                .column = reading.column,
                                .value = reading.weight,
                                .arrays = reading.arrays};
  return status;
}

void pcf_sparse_free(struct pcf_sparse *sparse) {
  pcf_arrays_free(&sparse->arrays);
  *sparse = (struct pcf_sparse){0};
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

struct pcf_row_stretches pcf_row_stretches_of(const struct pcf_row *row, int64_t first,
                                              int64_t last) {
  return (struct pcf_row_stretches){row, pcf_segment_of(row->ends, row->entries, first), first,
                                    last};
}

int pcf_next_row_stretch(struct pcf_row_stretches *stretches, struct pcf_row_stretch *stretch) {
  if (stretches->at >= stretches->end) return 0;
  const struct pcf_row *row = stretches->row;
  int64_t e = stretches->entry++, begin = row->ends[e], end = row->ends[e + 1];
  if (end > stretches->end) end = stretches->end;
  *stretch = (struct pcf_row_stretch){
    .time = pcf_times(row->x, row->function[e]),
    .value = pcf_values(row->x, row->function[e]),
    .entry = e,
    .first = stretches->at - begin,
    .last = end - begin,
    .at = stretches->at,
    .weight = row->weight ? row->weight[e] : 1,
  };
  stretches->at = end;
  return 1;
}
