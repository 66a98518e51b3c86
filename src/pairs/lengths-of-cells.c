/* Lengths of overlaps on a shared grid. Each function has a list of the cells where it is
 * observed, or of those where it is not, whichever is shorter. The lengths of the cells in the
 * list of a column, as far as a row is observed there, are the overlap, or what is missing of
 * all that the row is observed. */
#include "base/memory.h"
#include "pairs/grid.h"
#include "pairs/lengths.h"
#include "pairs/view.h"

#include <string.h>

/* A band of `count` functions: in which cells each is observed, as a panel has it, which is
 * that of the results' run or the band's own, and how long in all. And the list of function k,
 * from `start[k]` to before `start[k + 1]`, where the lengths of gaps are negative. */
struct band {
  int count;
  const uint64_t *observed;
  uint64_t *own;
  char *all; /* as kernels have numbers */
  int64_t *start;
  struct pcf_listed_cell *list;
  char *of_gaps; /* does a function list where it is not observed? */
};

struct state {
  struct pcf_units units;
  int64_t *length; /* of the cells */
  int64_t whole;   /* the length of all of them */
  struct pcf_sides bands;
};

/* ---- Bands ---- */

/* In which cells an indicator is 1, as function `lane` of a panel. */
static void write_bits(const struct pcf_grid *grid, const struct pcf_view *view, int lane,
                       size_t words, uint64_t *observed) {
  uint64_t now = view->initial != 0;
  int64_t k = 0;
  observed += lane / PCF_CELL_LANES;
  for (int64_t g = 0; g < grid->points; g++, observed += words) {
    while (k < view->events && pcf_view_time(view, k) <= grid->time[g]) {
      now = pcf_view_value(view, k++) != 0;
    }
    *observed |= now << lane % PCF_CELL_LANES;
  }
}

static enum pcf_status find_observed(const struct pcf_cpu_run *run,
                                     const struct pcf_collection *x, int64_t first,
                                     struct band *band, struct pcf_error *error) {
  const struct pcf_pairs *pairs = run->pairs;
  size_t words = pcf_known_words(run->width), all = words * (size_t)pairs->grid.points;
  band->observed = pcf_grid_known(run->beside, &pairs->grid, run->width, x != pairs->request.x,
                                  first / run->width);
  if (band->observed) return PCF_OK;
  band->observed = band->own = pcf_allocate(all, sizeof *band->own, error);
  if (!band->own) return PCF_ERROR_MEMORY;
  memset(band->own, 0, all * sizeof *band->own);
  for (int lane = 0; lane < band->count; lane++) {
    struct pcf_view view = pcf_view_of(x, first + lane, &pairs->integral);
    write_bits(&pairs->grid, &view, lane, words, band->own);
  }
  return PCF_OK;
}

/* The bits of the functions of a band in a word. */
static uint64_t bits_in_use(const struct band *band, size_t word) {
  int64_t count = band->count - (int64_t)word * PCF_CELL_LANES;
  if (count <= 0) return 0;
  return UINT64_MAX >> (count < PCF_CELL_LANES ? PCF_CELL_LANES - count : 0);
}

/* Chooses what each function lists, and where its list begins. */
static void arrange_lists(struct band *band, int64_t points, size_t words) {
  int64_t gaps[PCF_MAX_WIDTH] = {0};
  for (size_t w = 0; w < words; w++) {
    uint64_t used = bits_in_use(band, w);
    for (int64_t g = 0; g < points; g++) {
      uint64_t bits = ~band->observed[(size_t)g * words + w] & used;
      for (; bits; bits &= bits - 1) gaps[w * PCF_CELL_LANES + (size_t)__builtin_ctzll(bits)]++;
    }
  }
  band->start[0] = 0;
  for (int k = 0; k < band->count; k++) {
    band->of_gaps[k] = 2 * gaps[k] < points;
    band->start[k + 1] = band->start[k] + (band->of_gaps[k] ? gaps[k] : points - gaps[k]);
  }
}

/* Fills the lists of the functions of a word, and adds up all that each is observed. */
static void fill_lists(struct band *band, const struct state *state, int64_t points,
                       size_t words, size_t word) {
  int64_t all[PCF_CELL_LANES], next[PCF_CELL_LANES];
  const int64_t *start = band->start + word * PCF_CELL_LANES;
  const char *of_gaps = band->of_gaps + word * PCF_CELL_LANES;
  uint64_t used = bits_in_use(band, word), of_gaps_bits = 0;
  for (int k = 0; k < PCF_CELL_LANES; k++) {
    all[k] = 0;
    if (!(used >> k & 1)) continue;
    next[k] = start[k];
    all[k] = of_gaps[k] ? state->whole : 0;
    of_gaps_bits |= (uint64_t)of_gaps[k] << k;
  }
  for (int64_t g = 0; g < points; g++) {
    size_t cell = (size_t)g * words;
    uint64_t bits = (band->observed[cell + word] ^ of_gaps_bits) & used;
    for (; bits; bits &= bits - 1) {
      int k = __builtin_ctzll(bits);
      int64_t length = of_gaps[k] ? pcf_opposite(state->length[g]) : state->length[g];
      band->list[next[k]++] = (struct pcf_listed_cell){(int64_t)cell, length};
      all[k] = pcf_sum_of_units(all[k], length);
    }
  }
  for (int k = 0; k < PCF_CELL_LANES; k++) {
    pcf_store_units(&state->units, band->all, (int64_t)word * PCF_CELL_LANES + k, all[k]);
  }
}

static enum pcf_status build_band(const struct pcf_cpu_run *run, const struct pcf_collection *x,
                                  int64_t first, int count, struct pcf_band_scratch *scratch,
                                  void *band_, struct pcf_error *error) {
  const struct state *state = run->state;
  int64_t points = run->pairs->grid.points;
  size_t words = pcf_known_words(run->width), lanes = words * PCF_CELL_LANES;
  struct band *band = band_;
  (void)scratch;
  band->count = count;
  enum pcf_status status = find_observed(run, x, first, band, error);
  if (status) return status;
  band->all = pcf_allocate(lanes, pcf_units_size(&state->units), error);
  band->start = pcf_allocate(lanes + 1, sizeof *band->start, error);
  band->of_gaps = pcf_allocate(lanes, 1, error);
  if (!band->all || !band->start || !band->of_gaps) return PCF_ERROR_MEMORY;
  arrange_lists(band, points, words);
  band->list = pcf_allocate((size_t)band->start[count], sizeof *band->list, error);
  if (!band->list) return PCF_ERROR_MEMORY;
  for (size_t w = 0; w < words; w++) fill_lists(band, state, points, words, w);
  return PCF_OK;
}

static void free_band(void *band_) {
  struct band *band = band_;
  pcf_free(band->own);
  pcf_free(band->all);
  pcf_free(band->list);
  pcf_free(band->start);
  pcf_free(band->of_gaps);
}

/* The lengths of cells are as they are in the integral's precision. */
static enum pcf_status measure_cells(const struct pcf_pairs *pairs, struct state *state,
                                     struct pcf_error *error) {
  size_t points = (size_t)pairs->grid.points;
  enum pcf_precision precision = pairs->integral.precision;
  void *lengths = pcf_allocate(points, pcf_scalar_size(precision), error);
  state->length = pcf_allocate(points, sizeof *state->length, error);
  if (lengths && state->length) {
    pcf_grid_lengths(&pairs->grid, &pairs->integral, lengths);
    for (size_t g = 0; g < points; g++) {
      double length = pcf_load_scalar(lengths, (int64_t)g, precision);
      state->length[g] = pcf_units_of(&state->units, length);
      state->whole = pcf_sum_of_units(state->whole, state->length[g]);
    }
  }
  int done = lengths && state->length;
  pcf_free(lengths);
  return done ? PCF_OK : PCF_ERROR_MEMORY;
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  struct state *state = run->state = pcf_allocate(1, sizeof *state, error);
  if (!state) return PCF_ERROR_MEMORY;
  *state = (struct state){.length = NULL};
  enum pcf_status status = pcf_units_choose(run, PCF_DOUBLE, &state->units, error);
  if (!status) status = measure_cells(run->pairs, state, error);
  if (status) return status;
  return pcf_sides_make(&state->bands, run, sizeof(struct band), build_band, error);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  if (!state) return;
  pcf_sides_free(&state->bands, free_band);
  pcf_free(state->length);
  pcf_free(state);
}

/* ---- Tiles ---- */

static size_t workspace(const struct pcf_cpu_run *run) {
  return pcf_known_words(run->width) * PCF_CELL_LANES * sizeof(int64_t);
}

static int compute_tile(const struct pcf_tile *tile) {
  static const int64_t nothing[PCF_CELL_LANES];
  const struct pcf_cpu_run *run = tile->lengths.run;
  const struct state *state = run->state;
  const struct pcf_spot *place = &tile->lengths.place;
  const struct band *rows = pcf_row_band(&state->bands, place->row / run->width);
  const struct band *columns = pcf_column_band(&state->bands, place->column / run->width);
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  char *lengths = tile->workspace;
  size_t size = pcf_units_size(&state->units);
  pcf_add_cells_kernel *add_cells = kernels->add_cells[pcf_units_precision(&state->units)];
  for (int j = 0; j < columns->count; j++) {
    const struct pcf_listed_cell *list = columns->list + columns->start[j];
    int64_t count = columns->start[j + 1] - columns->start[j];
    if (atomic_load_explicit(tile->stop, memory_order_relaxed)) return 1;
    for (int i = 0; i < rows->count; i += PCF_CELL_LANES) {
      const char *all =
        columns->of_gaps[j] ? rows->all + (size_t)i * size : (const char *)nothing;
      add_cells(rows->observed + i / PCF_CELL_LANES, list, count, all,
                lengths + (size_t)i * size);
    }
    pcf_units_store(&state->units, tile, place, j, tile->triangle ? j : 0, rows->count,
                    lengths);
  }
  return 0;
}

static int compute(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   struct pcf_cpu_worker *worker) {
  return pcf_compute_tiles(run, block, worker, compute_tile, pcf_lengths_sides, NULL);
}

const struct pcf_method pcf_lengths_of_cells = {
  .name = "lengths of cells",
  .prepare = prepare,
  .schedule = pcf_schedule_tiles,
  .release = release,
  .workspace = workspace,
  .compute = compute,
};
