#include "algebra/sparse-rows.h"

#include "base/memory.h"
#include "base/search.h"
#include "base/threads.h"

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

/* The entries of a matrix are cut into pieces, which threads read side by side, twice: to count
 * those of each row, and to put them behind those of the pieces before. */
struct reading {
  const struct pcf_matrix *matrix;
  const atomic_int *stop;
  int all; /* are entries taken whatever they are, zeros too? */
  int64_t pieces;
  int64_t *place; /* rows of each piece: how many there are, and then where the next one goes */
  int64_t *fault; /* of each piece: the first entry that is not finite, or -1 */
  /* The rows: of all entries with `column`, otherwise with `function`. */
  int64_t *starts, *function;
  int32_t *column;
  double *weight;
};

static int64_t entries_of(const struct pcf_matrix *matrix) {
  return matrix->starts[matrix->columns];
}

/* The number of pieces, each of at least as many entries as there are rows, so that `place` is
 * no longer than the entries. */
static int64_t pieces_of(const struct pcf_matrix *matrix, int threads) {
  enum { LEAST_ENTRIES = 1 << 12, PIECES_A_THREAD = 4 };
  int64_t least = matrix->rows > LEAST_ENTRIES ? matrix->rows : LEAST_ENTRIES;
  int64_t pieces = entries_of(matrix) / least, most = (int64_t)PIECES_A_THREAD * threads;
  if (threads == 1 || pieces < 1) return 1;
  return pieces < most ? pieces : most;
}

static int64_t piece_begin(const struct reading *reading, int64_t piece) {
  int64_t entries = entries_of(reading->matrix), rest = entries % reading->pieces;
  return entries / reading->pieces * piece + rest * piece / reading->pieces;
}

static int stopped(const atomic_int *stop) {
  return stop && atomic_load(stop);
}

typedef void column_body(struct reading *reading, int64_t piece, int64_t column, int64_t begin,
                         int64_t end);

/* Calls `body` for the entries of a piece, column by column. */
static enum pcf_status read_piece(struct reading *reading, int64_t piece, column_body *body,
                                  struct pcf_error *error) {
  const struct pcf_matrix *matrix = reading->matrix;
  int64_t begin = piece_begin(reading, piece), last = piece_begin(reading, piece + 1);
  for (int64_t j = pcf_segment_of(matrix->starts, matrix->columns, begin); begin < last; j++) {
    if (stopped(reading->stop)) return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    int64_t end = matrix->starts[j + 1] < last ? matrix->starts[j + 1] : last;
    body(reading, piece, j, begin, end);
    begin = end;
  }
  return PCF_OK;
}

static int64_t row_of(const struct pcf_matrix *matrix, int64_t column, int64_t e) {
  return matrix->row ? matrix->row[e] : e - matrix->starts[column];
}

static void count_column(struct reading *reading, int64_t piece, int64_t column, int64_t begin,
                         int64_t end) {
  const struct pcf_matrix *matrix = reading->matrix;
  int64_t *count = reading->place + piece * matrix->rows;
  for (int64_t e = begin; e < end; e++) {
    if (!reading->all) {
      if (matrix->weight[e] == 0) continue;
      if (!isfinite(matrix->weight[e]) && reading->fault[piece] < 0) reading->fault[piece] = e;
    }
    count[row_of(matrix, column, e)]++;
  }
}

static void place_column(struct reading *reading, int64_t piece, int64_t column, int64_t begin,
                         int64_t end) {
  const struct pcf_matrix *matrix = reading->matrix;
  int64_t *place = reading->place + piece * matrix->rows;
  for (int64_t e = begin; e < end; e++) {
    if (!reading->all && matrix->weight[e] == 0) continue;
    int64_t at = place[row_of(matrix, column, e)]++;
    if (reading->all) reading->column[at] = (int32_t)column;
    else reading->function[at] = column;
    reading->weight[at] = matrix->weight[e];
  }
}

static enum pcf_status count_piece(void *reading_, int thread, int64_t piece,
                                   struct pcf_error *error) {
  struct reading *reading = reading_;
  size_t rows = (size_t)reading->matrix->rows;
  (void)thread;
  reading->fault[piece] = -1;
  memset(reading->place + (size_t)piece * rows, 0, rows * sizeof *reading->place);
  return read_piece(reading, piece, count_column, error);
}

static enum pcf_status place_piece(void *reading, int thread, int64_t piece,
                                   struct pcf_error *error) {
  (void)thread;
  return read_piece(reading, piece, place_column, error);
}

/* From the numbers of entries to where they go: row by row, and within a row piece by piece. */
static void start_pieces(struct reading *reading) {
  int64_t rows = reading->matrix->rows, behind = 0;
  for (int64_t r = 0; r < rows; r++) {
    reading->starts[r] = behind;
    for (int64_t piece = 0; piece < reading->pieces; piece++) {
      int64_t *place = &reading->place[piece * rows + r], count = *place;
      *place = behind;
      behind += count;
    }
  }
  reading->starts[rows] = behind;
}

static int64_t first_fault(const struct reading *reading) {
  int64_t piece = 0;
  while (piece < reading->pieces - 1 && reading->fault[piece] < 0) piece++;
  return reading->fault[piece];
}

/* Room for entries, which the caller frees. */
static enum pcf_status make_entries(struct reading *reading, struct pcf_error *error) {
  size_t entries = (size_t)reading->starts[reading->matrix->rows];
  reading->weight = pcf_allocate(entries, sizeof *reading->weight, error);
  if (reading->all) {
    reading->column = pcf_allocate(entries, sizeof *reading->column, error);
  } else {
    reading->function = pcf_allocate(entries, sizeof *reading->function, error);
  }
  int made = reading->weight && (reading->column || reading->function);
  return made ? PCF_OK : PCF_ERROR_MEMORY;
}

static enum pcf_status read_rows(struct reading *reading, int threads, int64_t *fault,
                                 struct pcf_error *error) {
  size_t rows = (size_t)reading->matrix->rows;
  reading->starts = pcf_allocate(rows + 1, sizeof *reading->starts, error);
  if (!reading->starts) return PCF_ERROR_MEMORY;
  enum pcf_status status =
    pcf_parallel_for(threads, reading->pieces, reading->stop, count_piece, reading, error);
  if (status) return status;
  *fault = first_fault(reading);
  if (*fault >= 0) return pcf_fail(error, PCF_ERROR_ARGUMENT, "a weight is not finite");
  start_pieces(reading);
  status = make_entries(reading, error);
  if (status) return status;
  return pcf_parallel_for(threads, reading->pieces, reading->stop, place_piece, reading, error);
}

static enum pcf_status read_matrix(struct reading *reading, int threads, int64_t *fault,
                                   struct pcf_error *error) {
  size_t pieces = (size_t)(reading->pieces = pieces_of(reading->matrix, threads));
  size_t rows = (size_t)reading->matrix->rows;
  *fault = -1;
  reading->place = pcf_allocate(pieces * rows, sizeof *reading->place, error);
  reading->fault = pcf_allocate(pieces, sizeof *reading->fault, error);
  enum pcf_status status = PCF_ERROR_MEMORY;
  if (reading->place && reading->fault) status = read_rows(reading, threads, fault, error);
  pcf_free(reading->place);
  pcf_free(reading->fault);
  return status;
}

enum pcf_status pcf_rows_make(const struct pcf_matrix *matrix, int threads,
                              const atomic_int *stop, struct pcf_rows *rows, int64_t *fault,
                              struct pcf_error *error) {
  struct reading reading = {.matrix = matrix, .stop = stop};
  enum pcf_status status = read_matrix(&reading, threads, fault, error);
  *rows = (struct pcf_rows){.count = matrix->rows,
                            .starts = reading.starts,
                            .function = reading.function,
                            .weight = reading.weight};
  return status;
}

void pcf_rows_free(struct pcf_rows *rows) {
  pcf_free((void *)rows->starts);
  pcf_free((void *)rows->function);
  pcf_free((void *)rows->weight);
  *rows = (struct pcf_rows){0};
}

enum pcf_status pcf_sparse_make(const struct pcf_matrix *matrix, int threads,
                                const atomic_int *stop, struct pcf_sparse *sparse,
                                struct pcf_error *error) {
  struct reading reading = {.matrix = matrix, .stop = stop, .all = 1};
  int64_t none;
  enum pcf_status status = read_matrix(&reading, threads, &none, error);
  *sparse = (struct pcf_sparse){.rows = matrix->rows,
                                .columns = matrix->columns,
                                .offsets = reading.starts,
                                .column = reading.column,
                                .value = reading.weight};
  return status;
}

void pcf_sparse_free(struct pcf_sparse *sparse) {
  pcf_free((void *)sparse->offsets);
  pcf_free((void *)sparse->column);
  pcf_free((void *)sparse->value);
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
    .first = stretches->at - begin,
    .last = end - begin,
    .at = stretches->at,
    .weight = row->weight ? row->weight[e] : 1,
  };
  stretches->at = end;
  return 1;
}
