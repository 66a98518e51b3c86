/* The tile kernels, in one precision (PCF_SINGLE) on the vector operations of the simd-*.h
 * header that was included before. Defines pcf_sweep_<ISA>_<precision>, pcf_grid_…,
 * pcf_listed_…, pcf_power_… and, for piecewise linear functions, pcf_sweep_…_lines. In the end
 * it undefines the macros whose text differs from one precision to the other.
 *
 * Both kernels fill accumulators of width × width and leave the finishing to finish_tile():
 * sums[0] has a row for each row function, sums[1] a row for each column function, and the
 * integral of a pair is sums[0][i][j] + sums[1][j][i]. On a triangular tile both are the same
 * array. */

#if PCF_SINGLE
#define SCALAR float
#define BITS uint32_t
#define SMALLEST_NORMAL FLT_MIN
#define PRECISION single
#define SCALAR_NAME(x) pcf_##x##_single
#define scalar_pow powf
#else
#define SCALAR double
#define BITS uint64_t
#define SMALLEST_NORMAL DBL_MIN
#define PRECISION double
#define SCALAR_NAME(x) pcf_##x
#define scalar_pow pow
#endif

#define NAME(x) NAME_2(x, ISA, PRECISION, )

#ifndef NAME_2
#define NAME_2(x, isa, precision, family) NAME_3(x, isa, precision, family)
#define NAME_3(x, isa, precision, family) pcf_##x##_##isa##_##precision##family
#include "base/hints.h"

#include <float.h>
#include <math.h>
#include <string.h>
#if defined(__GNUC__) && !defined(__clang__)
#define UNROLL_LANES _Pragma("GCC unroll 16")
#else
#define UNROLL_LANES
#endif
enum { EVENTS_PER_STOP_CHECK = 512, POINTS_PER_STOP_CHECK = 256 };
enum { NARROWEST = 32 }; /* the least width of a tile */
enum { ALL_PAIRS = 2 };
#endif

#define scalar_combine SCALAR_NAME(combine)
#define scalar_join SCALAR_NAME(join)
#define scalar_sign SCALAR_NAME(sign)
#define scalar_add_tail SCALAR_NAME(add_tail)
#define scalar_finish SCALAR_NAME(finish)
#define row_kernel NAME(row_kernel)
#define piece NAME(piece)
#define state NAME(state)
#define work NAME(work)
#define share_work NAME(share_work)
#define combine NAME(combine)
#define accumulate NAME(accumulate)
#define flush_row NAME(flush_row)
#define grid_cells NAME(grid_cells)
#define grid_columns NAME(grid_columns)
#define grid_cells_power NAME(grid_cells_power)
#define grid_points NAME(grid_points)
#define add_tail NAME(add_tail)
#define finish_column NAME(finish_column)
#define join_sums NAME(join_sums)
#define finish_tile NAME(finish_tile)
#define collect_suprema NAME(collect_suprema)
#define relate_to_units NAME(relate_to_units)
#define inverse_of_pair NAME(inverse_of_pair)
#define supremum_of_pair NAME(supremum_of_pair)
#define v_where_positive(w, a) v_where_greater(w, v_set1(0), a)

#include "arithmetic/power-template.h"

/* What a function is from an event on: its value there and, if it is a line, its slope. */
struct piece {
  SCALAR value, slope;
};

/* What the sweep knows of one side of the tile: for each function the time of its last event,
 * its piece since, and the share of a stretch that its accumulator takes when the stretch ends
 * with events on both sides (1, or 1/2 for functions with an event now). */
struct state {
  SCALAR *last, *value, *share, *slope;
};
enum { NAME(STATES) = sizeof(struct state) / sizeof(SCALAR *) };

/* Ends the stretches of function `k` of side `s` with all functions of the other side, at the
 * event at `time`; since `last` it had that piece. */
struct work;
typedef void row_kernel(const struct pcf_tile *tile, const struct work *work, int64_t s,
                        size_t k, SCALAR time, SCALAR last, struct piece piece,
                        const SCALAR *share);

struct work {
  int width;
  SCALAR *sums[2];        /* a row for each row function; for each column function */
  const SCALAR **held[2]; /* where each row is read: in `zeros` before its first event */
  SCALAR *zeros;
  /* For general p: of |f − g| the suprema, and 1 / suprema (0 for 0) laid out as the sums, for
   * each side. Where all pairs are relative to their units, one row of inverses of the units of
   * the functions of the other side, and `own` has those of this side: of a pair the lesser one
   * counts. */
  SCALAR *suprema, *inverse[2];
  const SCALAR *own[2];
  row_kernel *take, *take_powers; /* of the pass; where the operation takes powers */
  SCALAR *other;                  /* room for the results of another pass */
  double *wide[2];      /* laid out as the sums: where they are flushed to; NULL if never */
  double height;        /* of the weight, where the sums that were not flushed come from */
  struct state side[2]; /* rows, columns */
};

INLINE struct work share_work(const struct pcf_tile *tile, int wide) {
  SCALAR *memory = tile->workspace;
  size_t w = (size_t)tile->width, square = w * w;
  struct work work = {.width = tile->width, .height = 1};
  for (int s = 0; s < 2; s++) {
    SCALAR *side = memory + NAME(STATES) * w * (size_t)s;
    work.side[s] = (struct state){side, side + w, side + 2 * w, side + 3 * w};
  }
  work.held[0] = (const SCALAR **)(memory + 2 * NAME(STATES) * w);
  work.held[1] = work.held[0] + w;
  work.zeros = (SCALAR *)(work.held[1] + w);
  double *wide_sums = (double *)(work.zeros + w);
  work.sums[0] = (SCALAR *)(wide_sums + 2 * square);
  work.sums[1] = work.sums[0] + (tile->triangle ? 0 : square);
  work.suprema = work.sums[0] + 2 * square;
  work.inverse[0] = work.suprema + square;
  work.inverse[1] = work.inverse[0] + square;
  work.other = work.inverse[1] + square;
  if (wide) {
    work.wide[0] = wide_sums;
    work.wide[1] = wide_sums + (tile->triangle ? 0 : square);
  }
  return work;
}

#include "kernels/terms-template.h"

#include "kernels/finish-template.h"

/* ---- The event sweep ---- */

/* Adds row `k` of the sums of side `s`, times the height of the weight, to the wide sums, and
 * clears it. */
static TARGET NOINLINE void flush_row(const struct work *work, int64_t s, size_t k,
                                      double height) {
  size_t w = (size_t)work->width;
  SCALAR *row = work->sums[s] + k * w;
  double *wide = work->wide[s] + k * w;
  if (height != 1) {
    for (size_t j = 0; j < w; j++) wide[j] += height * (double)row[j];
    memset(row, 0, w * sizeof *row);
    return;
  }
  for (size_t j = 0; j < w; j += LANES) {
    v_add_to_doubles(wide + j, v_load(row + j));
    v_store(row + j, v_set1(0));
  }
}

INLINE size_t NAME(function_of)(const struct pcf_band *band, int64_t e) {
  return band->function[e] & (PCF_FLUSH - 1);
}

/* All events after `e` at the same time as event `e`; time[events] is +∞. */
INLINE int64_t NAME(end_of_ties)(const struct pcf_band *band, int64_t e) {
  const SCALAR *time = band->time;
  int64_t end = e + 1;
  while (end < band->events && time[end] == time[e]) end++;
  return end;
}

/* The state at the start of the window. Without a start that is the first event: until then all
 * functions are 0. Events right at the start end no stretch; they are part of the state, and
 * `begin` says how many there are on each side. */
static void NAME(clear_state)(const struct pcf_tile *tile, const struct work *work,
                              int64_t begin[2]) {
  const struct pcf_band *band[2] = {tile->sweep.rows, tile->sweep.columns};
  size_t w = (size_t)work->width;
  SCALAR start = (SCALAR)tile->from;
  if (!(start > -INFINITY)) {
    SCALAR first[2] = {((const SCALAR *)band[0]->time)[0], ((const SCALAR *)band[1]->time)[0]};
    start = first[0] < first[1] ? first[0] : first[1];
    if (!(start < INFINITY)) start = 0;
  }
  for (int s = 0; s < 2; s++) {
    memcpy(work->side[s].value, band[s]->initial, w * sizeof(SCALAR));
    if (band[s]->slope) memcpy(work->side[s].slope, band[s]->initial_slope, w * sizeof(SCALAR));
    for (size_t k = 0; k < w; k++) {
      work->side[s].last[k] = start;
      work->side[s].share[k] = 1;
    }
    const SCALAR *time = band[s]->time, *value = band[s]->value;
    int64_t e = 0;
    for (; e < band[s]->events && time[e] == start; e++) {
      size_t k = NAME(function_of)(band[s], e);
      work->side[s].value[k] = value[e];
      if (band[s]->slope) work->side[s].slope[k] = ((const SCALAR *)band[s]->slope)[e];
    }
    begin[s] = e;
  }
  memset(work->zeros, 0, w * sizeof(SCALAR));
  for (size_t k = 0; k < 2 * w; k++) work->held[0][k] = work->zeros;
  size_t cells = (tile->triangle ? 1 : 2) * w * w;
  if (work->wide[0]) memset(work->wide[0], 0, cells * sizeof(double));
}

/* Rows without an event have not been written to. */
static void NAME(clear_rest)(const struct pcf_tile *tile, const struct work *work) {
  size_t w = (size_t)work->width;
  for (size_t k = 0; k < (tile->triangle ? 1 : 2) * w; k++) {
    if (work->held[0][k] == work->zeros) memset(work->sums[0] + k * w, 0, w * sizeof(SCALAR));
  }
}

static void NAME(store_suprema)(const struct pcf_tile *tile, const struct work *work) {
  SCALAR *suprema = tile->suprema;
  size_t w = (size_t)work->width;
  for (size_t j = 0; j < (size_t)tile->sweep.columns->count; j++) {
    for (size_t i = 0; i < (size_t)tile->sweep.rows->count; i++) {
      suprema[i + (size_t)tile->stride * j] = work->suprema[i * w + j];
    }
  }
}

#define PCF_LINEAR 0
#include "kernels/sweep-template.h"
#define PCF_LINEAR 1
#include "kernels/sweep-template.h"

/* ---- The shared grid ---- */

/* A few columns against all rows, point by point, with the sums in registers. sums[1] is laid
 * out as the output is. The sums of a chunk of points start from 0 and are then added to the
 * wide ones; of the only chunk they are all there is. With 32 registers, those of AVX-512, a
 * square of sums reads least (four by four takes 0.87 times as long as two by eight, on Zen 4).
 */
#define MANY_REGISTERS (LANES > (PCF_SINGLE ? 8 : 4))
#define GRID_VECTORS (MANY_REGISTERS ? 4 : 2)
#define GRID_COLUMNS (MANY_REGISTERS || !PCF_SINGLE || LANES <= 4 ? 4 : 8)

/* The bits of an absolute value where a column is known, and none where it is not, of four
 * columns by their bits. */
static const BITS NAME(known_of)[16][4] = {
#define KNOWN(b, column) ((b) >> (column)&1 ? (BITS)-1 >> 1 : 0)
#define KNOWN_OF(b) \
  { KNOWN(b, 0), KNOWN(b, 1), KNOWN(b, 2), KNOWN(b, 3) }
  KNOWN_OF(0),  KNOWN_OF(1),  KNOWN_OF(2),  KNOWN_OF(3), KNOWN_OF(4),  KNOWN_OF(5),
  KNOWN_OF(6),  KNOWN_OF(7),  KNOWN_OF(8),  KNOWN_OF(9), KNOWN_OF(10), KNOWN_OF(11),
  KNOWN_OF(12), KNOWN_OF(13), KNOWN_OF(14), KNOWN_OF(15)};

/* The bits of a function and those after it at a point. */
INLINE uint64_t NAME(bits_at)(const struct pcf_panel *panel, size_t words, int64_t g,
                              int function) {
  size_t word = (size_t)g * words + (size_t)(function / PCF_CELL_LANES);
  return panel->known[word] >> function % PCF_CELL_LANES;
}

/* `of_units`: products with values of 0, 1 and −1 are exact, so that the length may come first,
 * once for all columns. In a partial form the length is 0 where a row is missing, and the
 * difference where a column is. */
INLINE TARGET void grid_cells(int operation, int of_units, int vectors,
                              const struct pcf_tile *tile, int64_t begin, int64_t end, int i,
                              int j, const struct work *work) {
  const SCALAR *lengths = tile->grid.lengths;
  size_t w = (size_t)tile->width;
  const SCALAR *rows = (const SCALAR *)tile->grid.rows->values + i;
  const SCALAR *columns = (const SCALAR *)tile->grid.columns->values + j;
  int partial = pcf_is_partial_form(operation);
  size_t words = pcf_known_words(tile->width);
  const SCALAR *row_lengths = partial ? (const SCALAR *)tile->grid.rows->lengths + i : NULL;
  V sum[GRID_COLUMNS][GRID_VECTORS];
  UNROLL_LANES
  for (int c = 0; c < GRID_COLUMNS; c++) {
    UNROLL_LANES
    for (int r = 0; r < vectors; r++) sum[c][r] = v_set1(0);
  }
  for (int64_t g = begin; g < end; g++) {
    V row[GRID_VECTORS], own[GRID_VECTORS], length = v_set1(lengths[g]);
    uint64_t column_bits = partial ? NAME(bits_at)(tile->grid.columns, words, g, j) : 0;
    UNROLL_LANES
    for (int r = 0; r < vectors; r++) {
      size_t at = (size_t)g * w + (size_t)(r * LANES);
      row[r] = v_load(rows + at);
      if (partial) own[r] = v_load(row_lengths + at);
      if (of_units) row[r] = v_mul(length, row[r]);
    }
    UNROLL_LANES
    for (int c = 0; c < GRID_COLUMNS; c++) {
      size_t at = (size_t)g * w + (size_t)c;
      V column = v_set1(columns[at]);
      const BITS *known = &NAME(known_of)[column_bits >> (c / 4 * 4) & 15][c % 4];
      UNROLL_LANES
      for (int r = 0; r < vectors; r++) {
        V combined = partial ? NAME(combine_known)(operation, row[r], column, known)
                             : combine(operation, row[r], column);
        if (of_units) sum[c][r] = v_fma(row[r], column, sum[c][r]);
        else if (!partial) sum[c][r] = accumulate(operation, sum[c][r], length, combined);
        else sum[c][r] = v_fma(own[r], combined, sum[c][r]);
      }
    }
  }
  UNROLL_LANES
  for (int c = 0; c < GRID_COLUMNS; c++) {
    UNROLL_LANES
    for (int r = 0; r < vectors; r++) {
      size_t at = (size_t)(j + c) * w + (size_t)(i + r * LANES);
      SCALAR *sums = work->sums[1] + at;
      if (pcf_is_supremum(operation)) v_store(sums, v_max(v_load(sums), sum[c][r]));
      else if (work->wide[1]) v_add_to_doubles(work->wide[1] + at, sum[c][r]);
      else v_store(sums, sum[c][r]);
    }
  }
}

/* `vectors` is to be a constant. */
INLINE TARGET void grid_columns(int operation, int vectors, const struct pcf_tile *tile,
                                int64_t begin, int64_t end, int j, const struct work *work) {
  int of_units = operation == PCF_INNER && tile->integral->of_units;
  for (int i = 0; i < tile->grid.rows->count; i += vectors * LANES) {
    if (of_units) grid_cells(operation, 1, vectors, tile, begin, end, i, j, work);
    else grid_cells(operation, 0, vectors, tile, begin, end, i, j, work);
  }
}

/* One column against all rows, for general p. `halves` are those of the integral: 0 is to be a
 * constant, so that one of the powers is compiled. */
INLINE TARGET void grid_cells_power(const struct pcf_tile *tile, const struct work *work,
                                    int halves, int64_t begin, int64_t end, int j) {
  const SCALAR *lengths = tile->grid.lengths;
  const SCALAR *rows = tile->grid.rows->values, *columns = tile->grid.columns->values;
  size_t w = (size_t)tile->width;
  SCALAR *sums = work->sums[1] + (size_t)j * w;
  const SCALAR *inverse = work->inverse[1] + (size_t)j * w;
  int count = tile->grid.rows->count;
  struct exponents p = spread_exponent(&tile->integral->power);
  for (int64_t g = begin; g < end; g++) {
    const SCALAR *row = rows + (size_t)g * w;
    V length = v_set1(lengths[g]), column = v_set1(columns[(size_t)g * w + j]);
    for (int i = 0; i < count; i += RAISED * LANES) {
      V power[RAISED];
      EACH (v) {
        int at = i + v * LANES;
        V ratio = v_mul(v_abs(v_sub(v_load(row + at), column)), v_load(inverse + at));
        power[v] = v_where_positive(length, v_max(ratio, v_set1(0)));
      }
      if (halves) {
        raise_to_halves(power, halves);
      } else {
        raise(power, p);
      }
      EACH (v) {
        SCALAR *sum = sums + i + v * LANES;
        v_store(sum, v_fma(length, power[v], v_load(sum)));
      }
    }
  }
}

INLINE TARGET int NAME(grid_points_of)(int operation, const struct pcf_tile *tile,
                                       const struct work *work) {
  int halves = tile->integral->half_powers;
  for (int64_t begin = 0; begin < tile->grid.points; begin += POINTS_PER_STOP_CHECK) {
    int64_t end = begin + POINTS_PER_STOP_CHECK;
    if (end > tile->grid.points) end = tile->grid.points;
    for (int j = 0; j < tile->grid.columns->count;
         j += pcf_takes_powers(operation) ? 1 : GRID_COLUMNS) {
      if (atomic_load_explicit(tile->stop, memory_order_relaxed)) return 1;
      if (pcf_takes_powers(operation)) {
        if (halves) grid_cells_power(tile, work, halves, begin, end, j);
        else grid_cells_power(tile, work, 0, begin, end, j);
        if (work->wide[1]) flush_row(work, 1, (size_t)j, 1);
        continue;
      }
      if (GRID_VECTORS * LANES > NARROWEST && work->width < GRID_VECTORS * LANES) {
        grid_columns(operation, 2, tile, begin, end, j, work);
      } else {
        grid_columns(operation, GRID_VECTORS, tile, begin, end, j, work);
      }
    }
  }
  return 0;
}

static TARGET NOINLINE int grid_points(int operation, const struct pcf_tile *tile,
                                       const struct work *work) {
  size_t w = (size_t)work->width;
  memset(work->sums[1], 0, w * w * sizeof(SCALAR));
  if (work->wide[1]) memset(work->wide[1], 0, w * w * sizeof(double));
#define GRID(operation) return NAME(grid_points_of)(operation, tile, work)
  PCF_WITH_OPERATION(operation, GRID)
  return 0;
}

/* ---- The kernels ---- */

/* Leaves the state as a sweep over the grid would: the tail is handled in one place. The last
 * stretch is part of `lengths` when the window ends; otherwise its length there is 0. */
static void NAME(grid_state)(const struct pcf_tile *tile, const struct work *work) {
  size_t w = (size_t)work->width, last = (size_t)(tile->grid.points - 1) * w;
  size_t words = pcf_known_words(work->width);
  const struct pcf_panel *panel[2] = {tile->grid.rows, tile->grid.columns};
  int unbounded = tile->to == INFINITY;
  for (int s = 0; s < 2; s++) {
    const SCALAR *values = panel[s]->values;
    for (size_t k = 0; k < w; k++) {
      int missing =
        panel[s]->known && !(NAME(bits_at)(panel[s], words, tile->grid.points - 1, (int)k) & 1);
      work->side[s].last[k] = unbounded ? 0 : (SCALAR)tile->to;
      work->side[s].value[k] = !unbounded ? 0 : missing ? (SCALAR)NAN : values[last + k];
    }
  }
}

static TARGET int NAME(grid)(const struct pcf_tile *tile) {
  int complete = tile->grid.rows->complete && tile->grid.columns->complete;
  int operation = tile->integral->operation;
  if (complete) operation = pcf_whole_form(operation);
  struct work work = share_work(tile, tile->grid.points > POINTS_PER_STOP_CHECK);
  NAME(grid_state)(tile, &work);
  if (pcf_takes_powers(operation)) {
    if (grid_points(PCF_LINF, tile, &work)) return 1;
    collect_suprema(tile, &work, 0);
  }
  if (grid_points(operation, tile, &work)) return 1;
  finish_tile(operation, tile, &work, 0, tile->grid.rows->count, tile->grid.columns->count);
  return 0;
}

#ifndef NARROW_ISA
#include "kernels/listed-pairs-template.h"
#endif

#undef BITS
#undef combine
#undef raise_by_table
#undef HAS_TABLE
#undef RAISED
#undef SCALAR
#undef SMALLEST_NORMAL
#undef NAME
#undef SCALAR_NAME
#undef scalar_pow
#undef PRECISION
#undef PCF_SINGLE
#include "arithmetic/simd-end.h"
