/* The kernels' side of the CUDA device: what the host code hands them. */
#pragma once

#include "arrays/segment-parts.h"
#include "blocks/entry.h"
#include "collections/section.h"
#include "cuda-kernels/tuning.h"
#include "integrals/integral.h"
#include "reductions/line-terms.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

/* Bytes at multiples of which the arrays in a slot begin. */
enum { PCF_CUDA_ALIGNMENT = 256 };

#ifdef __cplusplus
extern "C" {
#endif

/* A general exponent; `halves` is 2p where that is a small whole number, else 0. For lines
 * `steepness` and `mean_terms` are those of the integral. */
struct pcf_cuda_power {
  double p;
  int halves;
  double steepness, mean_terms[PCF_MEAN_TERMS];
};

/* What a function is from a time on is a piece: its value there or, of piecewise linear
 * functions, its value and its slope.
 *
 * Functions on the device: breakpoint e of function i is number start[i] + e, `time` has
 * start[count] scalars, `piece` as many pieces, and `initial` one for each function: what it is
 * before the first. */
struct pcf_cuda_functions {
  int64_t count, breakpoints;
  int linear;
  const void *time, *piece, *initial;
  const int64_t *start;
};

/* All breakpoints of a collection on the device, as they are, one function after the other:
 * those of function i are offsets[i] … offsets[i + 1] - 1. `left` has the left limits of
 * piecewise linear functions, and is NULL for step functions. */
struct pcf_cuda_packed {
  const double *time, *value, *left;
  const int64_t *offsets;
};

/* Functions that are taken from a packed collection, from number `first` on: of the i-th of
 * them the start[i + 1] - start[i] breakpoints from number source[i] on, with times counted
 * from `origin`, scaled by powers of two and rounded to the precision. Missing values become 0
 * where that is asked for. */
struct pcf_cuda_taking {
  struct pcf_cuda_packed from;
  const int64_t *source, *start;
  int64_t first, count, breakpoints;
  double origin;
  int time_exponent, value_exponent;
  const int *exponents; /* of the values of each function; NULL: all have value_exponent */
  int missing_is_0;
  void *time, *piece;
};

cudaError_t pcf_cuda_take(enum pcf_precision precision, const struct pcf_cuda_taking *taking,
                          cudaStream_t stream);

/* ---- Sparse matrices ---- */

/* A matrix (struct pcf_sparse) and a vector that it is multiplied with, on the device. `slot`
 * has room for pcf_slot_count() numbers. */
struct pcf_cuda_multiplying {
  int64_t rows, entries;
  const int64_t *offsets;
  const int32_t *column;
  const double *value; /* NULL: all are 1 */
  double *vector, *slot, *result;
};

cudaError_t pcf_cuda_multiply(const struct pcf_cuda_multiplying *of, cudaStream_t stream);

/* ---- Single functions ---- */

/* What to measure of a packed collection, over [from, to] (summaries/norms.h): see struct
 * pcf_measured. What is missing adds nothing. */
struct pcf_cuda_measuring {
  enum pcf_measure measure;
  struct pcf_cuda_power power; /* for PCF_NORM_LP */
  double from, to;
  struct pcf_cuda_packed x;
  int64_t count, total; /* of functions, and of breakpoints */
  struct pcf_section_part *whole, *slot;
};

cudaError_t pcf_cuda_measure_parts(const struct pcf_cuda_measuring *measuring,
                                   cudaStream_t stream);

/* Some functions of a packed collection, to be evaluated at some of the times `at`: the value,
 * or the limit from the left, of the i-th at the j-th of these goes to output[i + functions ·
 * j]. */
struct pcf_cuda_evaluating {
  struct pcf_cuda_packed x;
  const double *at;
  int left;
  int64_t first_function, functions, first_column, columns;
  double *output;
};

cudaError_t pcf_cuda_evaluate_on_device(const struct pcf_cuda_evaluating *evaluating,
                                        cudaStream_t stream);

/* ---- Sums of functions ---- */

/* Where the divisor of a row changes with time (reductions/sums.h): the sum of the weights of
 * all of its functions as an exact number of the unit `unit`, and the divisor 1, which turns
 * such a sum into a double. `shift` is that of the sums. */
struct pcf_cuda_counting {
  struct pcf_narrow all;
  struct pcf_divisor one;
  int unit, shift;
};

/* Rows of functions of a packed collection, whose exact sums fit two limbs
 * (reductions/fixed.h). Each breakpoint of an entry is an event: those of entry e have the
 * numbers ends[e] … ends[e + 1] - 1, those of row r row_start[r] … row_start[r + 1] - 1. The
 * weights are shifted as the values are to be; NULL: all are 1. There are fewer than 2^31
 * events, and one at least. */
struct pcf_cuda_sums {
  struct pcf_cuda_packed x;
  int64_t rows, entries, events;
  const int64_t *row_start, *ends, *function;
  const double *weight;
  const int *unit;                   /* of each row */
  const struct pcf_divisor *divisor; /* of each row */
  /* Of piecewise linear functions, whose weights are there and whose divisors do not change:
   * the largest slope of each row and the largest time (reductions/summing.h), and from where
   * times count. */
  const int *steepest;
  int reach;
  double origin;
  /* Of each row, and what each entry counts (NULL: 1). Where functions are missing, so is the
   * sum, or, with `observed_only`, it is divided by what the others count. NULL: missing values
   * are 0, and nothing more. */
  const struct pcf_cuda_counting *counting;
  const double *counted;
  int observed_only;
};

/* Sorts the events by rows, and those of a row by time: *sorted, which lies in the scratch
 * memory. `scratch` and its size come from a call with scratch NULL. */
cudaError_t pcf_cuda_sort_events(const struct pcf_cuda_sums *sums, void *scratch,
                                 size_t *scratch_bytes, const uint32_t **sorted,
                                 cudaStream_t stream);

/* The time of each sorted event, and the sums of all changes up to it, over all rows: of the
 * values, and, with sums->counting, of what is missing. `total` has room for twice
 * pcf_cuda_totals() sums. */
cudaError_t pcf_cuda_sum_events(const struct pcf_cuda_sums *sums, const uint32_t *sorted,
                                struct pcf_narrow *total, double *time, struct pcf_narrow *sum,
                                struct pcf_narrow *missing, cudaStream_t stream);
int64_t pcf_cuda_totals(int64_t events);

/* Whole numbers of sums of values, and of sums of slopes. */
struct pcf_cuda_three {
  uint64_t limb[PCF_LINE_LIMBS];
};
struct pcf_cuda_four {
  uint64_t limb[PCF_SLOPE_LIMBS];
};

/* Changes of sums of lines: of values at time 0; of left limits, and of values, less what lines
 * that end there have at time 0; of slopes, and of those that end. Of the lines that are not
 * exact, how many more there are, and how many end. */
struct pcf_cuda_lines {
  struct pcf_cuda_three values, lefts, rights;
  struct pcf_cuda_four slopes, ended;
  int64_t inexact, inexact_ended;
};

/* As pcf_cuda_sum_events(), of piecewise linear functions; `start` is the sum of each row
 * before all events, and `total` has room for pcf_cuda_totals(). */
cudaError_t pcf_cuda_sum_lines(const struct pcf_cuda_sums *sums, const uint32_t *sorted,
                               struct pcf_cuda_lines *total, double *time,
                               struct pcf_cuda_lines *sum, struct pcf_cuda_three *start,
                               cudaStream_t stream);

/* The tree with which the extrema of rows are found. The sorted events are the leaves of a
 * tree, behind as many other nodes: node k has the children 2k and 2k + 1. A piece of a
 * function raises the nodes that make up its stretch, to its value times `sign` as an integer
 * in the same order; 0 is below all. `place` has room for the events, `best` for twice as many,
 * 0 at first. */
struct pcf_cuda_extrema {
  double sign;    /* 1: the largest value, -1: the smallest */
  double missing; /* what a missing value is taken for, times `sign`: an infinite number */
  uint32_t *place;
  unsigned long long *best;
};

/* Fills `best`, and the time of each sorted event. */
cudaError_t pcf_cuda_find_extrema(const struct pcf_cuda_sums *sums,
                                  const struct pcf_cuda_extrema *extrema,
                                  const uint32_t *sorted, double *time, cudaStream_t stream);

/* Is a value infinite, and one of piecewise linear functions not certain? */
struct pcf_cuda_doubts {
  int infinite, unsure;
};

/* The points of the sums. `end` has room for as many numbers as there are events: which of them
 * are the last of their time, *ends of them. */
struct pcf_cuda_points {
  const double *time;
  const struct pcf_narrow *sum, *missing;
  const struct pcf_cuda_lines *lines; /* and `start`, of piecewise linear functions */
  const struct pcf_cuda_three *start;
  uint32_t *end;
  int64_t ends;
  double *value; /* from each end on */
  double *left; /* of piecewise linear functions, and whether an end becomes a point; or NULL */
  unsigned char *changes;
  struct pcf_cuda_doubts *doubts; /* all 0 before */
  uint32_t *kept;                 /* which of the ends change the value */
  int64_t points;
  int64_t *row_first; /* rows + 1: of the points */
  double *point_time, *point_left, *point_value;
};

/* Fill `end`, then `value`, of sums or of `extrema` (or NULL), then `kept`, then the points and
 * `row_first`. What is selected is counted in *count, on the device; `scratch` and its size
 * come from a call with scratch NULL. */
cudaError_t pcf_cuda_find_ends(const struct pcf_cuda_sums *sums,
                               const struct pcf_cuda_points *points, int64_t *count,
                               void *scratch, size_t *scratch_bytes, cudaStream_t stream);
cudaError_t pcf_cuda_find_values(const struct pcf_cuda_sums *sums,
                                 const struct pcf_cuda_extrema *extrema,
                                 const struct pcf_cuda_points *points, cudaStream_t stream);
/* As pcf_cuda_find_values(), for sums of lines. */
cudaError_t pcf_cuda_find_line_values(const struct pcf_cuda_sums *sums,
                                      const struct pcf_cuda_points *points,
                                      cudaStream_t stream);
cudaError_t pcf_cuda_find_kept(const struct pcf_cuda_sums *sums,
                               const struct pcf_cuda_points *points, int64_t *count,
                               void *scratch, size_t *scratch_bytes, cudaStream_t stream);
cudaError_t pcf_cuda_write_points(const struct pcf_cuda_sums *sums,
                                  const struct pcf_cuda_points *points, cudaStream_t stream);

/* The weight of an integral, on the device: the ends of its pieces and their heights, as
 * scalars (collections/weight.h). There is none without pieces. */
struct pcf_cuda_weight {
  int pieces;
  const void *end, *height;
};

/* A collection on the device, cut into bands of `side` functions, with the events of each band
 * in the order of time (cuda-kernels/sweep.cuh describes an event). All pointers are the
 * device's. */
struct pcf_cuda_bands {
  int64_t count; /* of functions */
  int side, linear;
  void *events;
  unsigned char *lane; /* which function of the band an event belongs to, and PCF_CUDA_MARK if
                          its sums are flushed afterwards */
  int flush;           /* the interval of pcf_cuda_flushes() */
  struct pcf_cuda_weight weight; /* sums are flushed where its pieces end, too */
  int slices;                    /* the window is cut into so many */
  int64_t *start; /* of the events: one for each slice of each band, and the end */
  void *initial;  /* pieces at the start of each slice, padded to whole bands */
};
enum { PCF_CUDA_MARK = 128 };

/* The scalars of an event: its time and that of the event before, and the pieces that end and
 * begin there. */
PCF_CONSTANT int pcf_cuda_event_scalars(int linear) {
  return 2 + 2 * pcf_family_of(linear).scalars;
}

/* A block has at most so many rows and columns: a launch of a kernel is that of at most 65,535
 * columns. */
enum { PCF_CUDA_MOST_SIDE = 1 << 15 };

/* Tiles of a block, those of which a pair may be wanted: tile t has the bands of 32 functions
 * number tile[t] / column_bands of the block's rows and tile[t] % column_bands of its columns.
 * Their numbers lie one tile after the other, column by column. NULL: all tiles, whose numbers
 * lie where their pairs do. */
struct pcf_cuda_chosen {
  const int32_t *tile;
  int count, column_bands;
};
enum { PCF_CUDA_CHOSEN_SIDE = 32 };

/* The pairs of one block: rows first_row … last_row - 1 and columns first_column … last_column
 * - 1, and where their results go. `wide` is for what is flushed, in blocks of the output's
 * shape, which may hold anything; NULL: nothing is. */
struct pcf_cuda_block {
  int triangle; /* rows and columns are the same functions: skip tiles above the diagonal */
  int64_t first_row, last_row, first_column, last_column;
  struct pcf_cuda_power power;
  void *output; /* column-major, `stride` apart */
  int64_t stride;
  double *wide;
  struct pcf_cuda_chosen chosen;
};

/* The tiles of one block; chosen ones are for bands of 32 functions and a single slice. */
struct pcf_cuda_tiles {
  struct pcf_cuda_bands rows, columns;
  int first_row_band, row_bands, first_column_band, column_bands;
  const void *slice_time; /* where the slices begin; the first at a time before all events, or
                             with the window */
  double to;
  /* It has one wide block for each slice, and with several slices one more of general p; none
   * where there is one slice, no weight, and neither the rows nor the columns are flushed. */
  struct pcf_cuda_block block;
};

/* Launches the sweep over the tiles of a block. Several slices are swept independently and then
 * added up in their order. */
cudaError_t pcf_cuda_sweep(const struct pcf_integral *integral,
                           const struct pcf_cuda_tiles *tiles, cudaStream_t stream);

/* Functions on a shared grid, on the device: values[g * padded + i] is that of function i on
 * stretch g, and last[i] its value after the last point. `padded` is a multiple of
 * PCF_CUDA_PANEL; what no function fills is 0. There are values for a multiple of
 * PCF_CUDA_GRID_DEPTH stretches. Piecewise linear functions have two rows of values for each
 * stretch of the grid (struct pcf_grid), which count as stretches of its length. */
enum { PCF_CUDA_PANEL = 128, PCF_CUDA_GRID_DEPTH = 8 };
struct pcf_cuda_panel {
  int64_t count, padded;
  void *values, *last;
};

/* The pairs of one block on a shared grid. */
struct pcf_cuda_cells {
  struct pcf_cuda_panel rows, columns;
  int stretches; /* of positive and finite length */
  void *lengths; /* padded with 0 as the values are */
  int unbounded; /* does another stretch follow that has no end? */
  /* After how many stretches sums are flushed: a multiple of PCF_CUDA_GRID_DEPTH that is less
   * than `stretches`; 0: never. Then there is no wide block, else one. */
  int flush;
  struct pcf_cuda_block block;
};

/* Launches the grid kernel over a block. */
cudaError_t pcf_cuda_grid(const struct pcf_integral *integral,
                          const struct pcf_cuda_cells *cells, cudaStream_t stream);

/* Writes functions on a grid of `points` points as a panel; the time after the last point is
 * the end of the window. `factor` (or NULL) is multiplied with the values of each row. */
struct pcf_cuda_expansion {
  struct pcf_cuda_panel panel;
  struct pcf_cuda_functions functions;
  const void *grid, *factor;
  int points, stretches;
};

cudaError_t pcf_cuda_expand(const struct pcf_integral *integral,
                            const struct pcf_cuda_expansion *expansion, cudaStream_t stream);

/* Lists of the pairs that each item wants most, over all blocks: entries of the item and the
 * others, the least sign · number first and of equal ones the lesser other, with NaN where
 * there are no more. The limit of an item is the last sign · number of its list, or NaN while
 * that is not full, and no more than its first limit. What is new of a block waits until it is
 * put into the lists: up to PCF_CUDA_WAITING pairs of each row and of each column. Where the
 * count is larger, the whole row or column of the block is searched. Entries and limits start
 * with all bits set, and counts with 0. All pointers are the device's. */
struct pcf_cuda_waiting {
  int *count;
  struct pcf_entry *entry; /* PCF_CUDA_WAITING of every row or column */
};
struct pcf_cuda_lists {
  int each; /* up to PCF_CUDA_MOST_LISTED; 0: there are no lists */
  struct pcf_entry *entry;
  void *limit;          /* scalars */
  const int32_t *label; /* pairs of items of one label are left out; NULL: none is */
  const void *least;    /* scalars: lesser numbers of an item's pairs become this; or NULL */
  const int32_t
    *name; /* of the other items, for what a pair's number is; NULL: their numbers */
  struct pcf_cuda_waiting rows, columns;
};
enum { PCF_CUDA_MOST_LISTED = 128, PCF_CUDA_WAITING = 64 };

/* Fills place[name[i]] = i; and puts the numbers of the others into entries that have their
 * names. */
cudaError_t pcf_cuda_invert(const int32_t *name, int64_t count, int32_t *place,
                            cudaStream_t stream);
cudaError_t pcf_cuda_rename(struct pcf_entry *entry, int64_t count, const int32_t *place,
                            cudaStream_t stream);

/* A filter of the finished numbers of a block, for selections. It lets number r of the pair (i,
 * j) pass if sign · r <= row_limit[i] or sign · r <= column_limit[j], and j < i + reach:
 * elements beyond that are no pairs of the block, and are not read. NaN never passes. All
 * pointers are the device's. */
struct pcf_cuda_filter {
  const void *numbers; /* column-major, `stride` apart */
  int64_t stride;
  struct pcf_cuda_chosen chosen;
  int rows, columns;
  int64_t reach;
  int sign;                             /* 1 or -1 */
  const void *row_limit, *column_limit; /* scalars; columns may have none: NULL */
  /* What passes goes into lists, if there are any, by whose limits it passes: */
  struct pcf_cuda_lists lists;
  int32_t row, column; /* the items of the first row and column */
  /* or becomes entries of the block: */
  unsigned long long *count; /* of what has passed; the caller clears it */
  struct pcf_entry *entry;   /* in any order */
  unsigned long long room;   /* for entries; with a larger count some are missing, and then the
                                count may be too low */
};

/* Launches the filter. No other filter into the same lists may be under way. */
cudaError_t pcf_cuda_pick(enum pcf_precision precision, const struct pcf_cuda_filter *filter,
                          cudaStream_t stream);

/* A growing list of tiles. */
struct pcf_cuda_tile_list {
  int32_t *count, *tile;
};

/* Functions as points of bytes, and of four times as many coordinates in single precision
 * (pruning/byte-bounds.h). All pointers are the device's. */
struct pcf_cuda_byte_points {
  const uint32_t *word, *least, *most;
  const float *slack, *point, *coordinate_slack;
};

/* What to choose of a block of pairs: tiles with a pair whose gap is within the limit of its
 * row or of its column. A limit that is no number has everything. */
struct pcf_cuda_choosing {
  int words, squares;
  struct pcf_cuda_byte_points of_rows, of_columns;
  float step;
  double unit, smallest;
  /* The label of all functions of each band, NaN where they have several; tiles of one label
   * are left out. NULL: none is. */
  const double *label;
  const void *row_limit, *column_limit; /* scalars; columns may have none: NULL */
  int64_t row, column;
  int rows, columns;
  int triangle; /* rows and columns are the same functions */
  /* In a triangle: the tiles near the diagonal, those of so many bands of both sides, are
   * chosen whatever their limits, if `near` is set, and otherwise left out; 0: no tile is. */
  int near, near_bands;
  /* Of the tiles that the bytes leave, and of those that the coordinates leave of them; there
   * is room for all tiles of the block, and the caller clears the counts. */
  struct pcf_cuda_tile_list rough, chosen;
};

cudaError_t pcf_cuda_choose(enum pcf_precision precision,
                            const struct pcf_cuda_choosing *choosing, cudaStream_t stream);

/* The architectures that the kernels were compiled for, major · 100 + minor · 10, ascending,
 * and 0 behind the last. */
extern const int pcf_cuda_architectures[];

/* Loads a kernel on the current device, to see whether that can be done. */
cudaError_t pcf_cuda_load_kernel(void);

/* Builds bands, cut into slices at `slice_time` (see struct pcf_cuda_tiles). `scratch` and its
 * size come from a call with scratch NULL. The caller has allocated the memory of `bands`. */
cudaError_t pcf_cuda_build_bands(struct pcf_cuda_bands *bands,
                                 const struct pcf_integral *integral,
                                 const struct pcf_cuda_functions *functions,
                                 const void *slice_time, void *scratch, size_t *scratch_bytes,
                                 cudaStream_t stream);

#ifdef __cplusplus
}
#endif
