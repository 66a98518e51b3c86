/* Blocks are taken in tiles of 32 × 32, at multiples of 32, several of them together. Within a
 * tile the weights of a row are multiplied by numbers of b and added up in their order; the
 * result is one term of a binned sum, whose bits do not depend on the order of its terms
 * (arithmetic/binned.h). Since blocks are whole tiles, or single pairs, the results are the
 * same for all threads, blocks and devices. */
#include "sinks/pair-sums.h"

#include "arithmetic/binned.h"
#include "base/memory.h"
#include "collections/collection.h"

#include <math.h>
#include <string.h>

enum { SIDE = PCF_PAIR_TILE };
/* The tiles along the side of a group. One tile fits in the first-level cache. The sums of many
 * columns do not: there the tiles of a group share each load of the sums. */
enum { GROUP = 4, MANY_COLUMNS = 64 };
_Static_assert((int)SIDE == (int)PCF_BINNED_LANES, "a tile has its lanes");
_Static_assert((int)SIDE == (int)PCF_PRODUCT_LANES, "a tile has its lanes");

/* Which terms of a sum are not finite. */
enum { PLUS_INFINITY = 1, MINUS_INFINITY = 2, MISSING = 4 };

/* The sums of the functions of a band, for a column of b. */
struct pcf_pair_band {
  struct pcf_binned sums;
  unsigned char special[SIDE];
};

/* A lock is for a band and this many columns. */
enum { COLUMNS_OF_LOCK = 16 };

/* ---- Making and freeing ---- */

static int64_t locks_of_band(const struct pcf_pair_sums *sums) {
  return pcf_band_count(sums->columns, COLUMNS_OF_LOCK);
}

/* Weights of tiles (pair-tile.h) and numbers of up to 2^400 have products that add up without
 * overflow. What is larger is added one by one. */
static const double most_number = 0x1p400;

static int is_wide(const struct pcf_pair_sums *sums, int64_t column) {
  int wide = 0;
  for (int64_t j = 0; j < sums->others; j++) {
    wide |= fabs(sums->b[j + sums->others * column]) > most_number;
  }
  return wide;
}

static enum pcf_status make_locks(struct pcf_pair_sums *sums, struct pcf_error *error) {
  int64_t locks = sums->bands * locks_of_band(sums);
  sums->lock = pcf_array(&sums->arrays, (size_t)locks, sizeof *sums->lock, error);
  if (!sums->lock) return PCF_ERROR_MEMORY;
  for (; sums->locks < locks; sums->locks++) {
    pthread_mutex_init(&sums->lock[sums->locks], NULL);
  }
  return PCF_OK;
}

static enum pcf_status begin(struct pcf_sink *sink, struct pcf_error *error);
static enum pcf_status consume(struct pcf_sink *sink, int worker,
                               const struct pcf_finished *finished, struct pcf_team *team,
                               struct pcf_error *error);
static enum pcf_status finish(struct pcf_sink *sink, struct pcf_error *error);
static void prefer(const struct pcf_sink *sink, struct pcf_preferences *preferences);

enum pcf_status pcf_pair_sums_start(struct pcf_pair_sums *sums, struct pcf_error *error) {
  static const struct pcf_sink_type type = {
    .prefer = prefer, .begin = begin, .consume = consume, .finish = finish};
  sums->sink.type = &type;
  pthread_mutex_init(&sums->spare_lock, NULL);
  sums->kernels = pcf_kernels_of(sums->instructions);
  sums->bands = pcf_band_count(sums->rows, SIDE);
  if (sums->others > PCF_MOST_TERMS) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "sums over more than %d functions",
                    PCF_MOST_TERMS);
  }
  size_t bands = (size_t)sums->bands, columns = (size_t)sums->columns;
  sums->band = pcf_array(&sums->arrays, bands * columns, sizeof *sums->band, error);
  sums->wide = pcf_array(&sums->arrays, columns, sizeof *sums->wide, error);
  sums->most = pcf_array(&sums->arrays, bands * SIDE, sizeof *sums->most, error);
  if (sums->arrays.status) return PCF_ERROR_MEMORY;
  for (int64_t c = 0; c < sums->columns; c++) sums->wide[c] = sums->b && is_wide(sums, c);
  return make_locks(sums, error);
}

static void free_groups(struct pcf_pair_sums *sums);

void pcf_pair_sums_free(struct pcf_pair_sums *sums) {
  free_groups(sums);
  pthread_mutex_destroy(&sums->spare_lock);
  for (int64_t k = 0; k < sums->locks; k++) pthread_mutex_destroy(&sums->lock[k]);
  pcf_arrays_free(&sums->arrays);
}

static enum pcf_status begin(struct pcf_sink *sink, struct pcf_error *error) {
  struct pcf_pair_sums *sums = (struct pcf_pair_sums *)sink;
  sums->weighing.both = sink->mode != PCF_FULL;
  if (sums->weighing.both) sums->same = 0;
  sums->along = sums->columns < MANY_COLUMNS || sums->same ? 1 : GROUP;
  sums->weighing.diagonal = sink->mode == PCF_LOWER_WITH_DIAGONAL || (sums->same && sums->b);
  sums->weighing.back = sink->scale;
  for (int64_t k = 0; k < sums->bands * sums->columns; k++) {
    pcf_binned_clear(&sums->band[k].sums);
    memset(sums->band[k].special, 0, sizeof sums->band[k].special);
  }
  for (int64_t i = 0; i < sums->bands * SIDE; i++) sums->most[i] = -INFINITY;
  return PCF_OK;
}

/* ---- Groups of tiles ---- */

struct pcf_pair_group {
  struct pcf_pair_group *next;
  struct pcf_pair_tile tile[GROUP][GROUP];
};

static void free_groups(struct pcf_pair_sums *sums) {
  while (sums->spare) {
    struct pcf_pair_group *group = sums->spare;
    sums->spare = group->next;
    pcf_free(group);
  }
}

/* ---- Adding up ---- */

/* Tiles that have a band of functions in common, which are their lanes: the rows or, where they
 * are turned, the columns. The sums of the band are read once for all of them. */
struct side {
  const struct pcf_pair_tile *tile[GROUP];
  int tiles, turned;
  int64_t first; /* of the functions */
};

static int lane_of(const struct side *side, const struct pcf_odd_weight *odd) {
  return side->turned ? odd->column : odd->row;
}

static int other_of(const struct side *side, const struct pcf_odd_weight *odd) {
  return side->turned ? odd->row : odd->column;
}

/* A pair of a function with itself counts once. */
static int counts_once(const struct side *side, const struct pcf_pair_tile *tile,
                       const struct pcf_odd_weight *odd) {
  return side->turned && tile->row + odd->row == tile->column + odd->column;
}

static void add_large(struct pcf_pair_band *band, int lane, double weight, double number) {
  int exponent, more;
  double product = frexp(weight, &exponent) * frexp(number, &more);
  pcf_binned_add_one(&band->sums, lane, product, (int64_t)exponent + more);
}

static void add_wide(struct pcf_pair_band *band, const double (*weight)[SIDE], const double *b,
                     int count) {
  for (int k = 0; k < count; k++) {
    for (int lane = 0; lane < SIDE; lane++) add_large(band, lane, weight[k][lane], b[k]);
  }
}

static void note_special(struct pcf_pair_band *band, int lane, double term) {
  int infinite = term > 0 ? PLUS_INFINITY : MINUS_INFINITY;
  if (isnan(term)) infinite = PLUS_INFINITY | MINUS_INFINITY;
  band->special[lane] |= (unsigned char)(pcf_is_missing(term) ? MISSING : infinite);
}

static void add_odd(struct pcf_pair_band *band, const struct side *side,
                    const struct pcf_pair_tile *tile, const double *b) {
  for (int k = 0; k < tile->odds; k++) {
    const struct pcf_odd_weight *odd = &tile->odd[k];
    double number = b[other_of(side, odd)];
    if (number == 0 || counts_once(side, tile, odd)) continue;
    if (isfinite(odd->weight)) add_large(band, lane_of(side, odd), odd->weight, number);
    else if (isnan(odd->weight)) note_special(band, lane_of(side, odd), odd->weight);
    else note_special(band, lane_of(side, odd), number > 0 ? odd->weight : -odd->weight);
  }
}

static void add_tile(struct pcf_pair_sums *sums, const struct side *side,
                     const struct pcf_pair_tile *tile, int64_t column) {
  struct pcf_pair_band *band = &sums->band[side->first / SIDE + sums->bands * column];
  int64_t other = side->turned ? tile->row : tile->column;
  const double *b = sums->b + other + sums->others * column;
  const double(*weight)[SIDE] = side->turned ? tile->turned : tile->weight;
  int count = (int)pcf_smaller(sums->others - other, SIDE);
  if (sums->wide[column]) {
    add_wide(band, weight, b, count);
  } else {
    double term[SIDE];
    sums->kernels->products(weight, b, count, term);
    pcf_binned_add(&band->sums, term);
  }
  add_odd(band, side, tile, b);
}

/* 2^exponent for an exponent of at most 0; 0 where that is not a normal number. */
static inline double power_of_two(int64_t exponent) {
  return exponent < -1022 ? 0 : pcf_double_of((uint64_t)(1023 + exponent) << 52);
}

/* The sum of the exponentials of a lane, in their order, in units of their largest power. */
static void sum_exponentials(const struct side *side, const struct pcf_pair_tile *tile,
                             int lane, double *sum, int64_t *unit) {
  *sum = 0;
  *unit = PCF_NO_EXPONENT;
  for (int k = 0; k < SIDE; k++) {
    int64_t exponent = side->turned ? tile->exponent[lane][k] : tile->exponent[k][lane];
    if (exponent > *unit) *unit = exponent;
  }
  for (int k = 0; k < SIDE; k++) {
    int row = side->turned ? k : lane, column = side->turned ? lane : k;
    *sum += tile->weight[column][row] * power_of_two(tile->exponent[column][row] - *unit);
  }
}

static void add_exponentials(struct pcf_pair_sums *sums, const struct side *side,
                             const struct pcf_pair_tile *tile) {
  struct pcf_pair_band *band = &sums->band[side->first / SIDE];
  for (int lane = 0; lane < SIDE; lane++) {
    double sum;
    int64_t unit;
    sum_exponentials(side, tile, lane, &sum, &unit);
    pcf_binned_add_one(&band->sums, lane, sum, unit);
    double *most = &sums->most[side->first + lane];
    *most = fmax(*most, tile->most[side->turned][lane]);
  }
  for (int k = 0; k < tile->odds; k++) {
    note_special(band, lane_of(side, &tile->odd[k]), tile->odd[k].weight);
  }
}

static void add_side(struct pcf_pair_sums *sums, const struct side *side) {
  int64_t locks = locks_of_band(sums);
  for (int64_t k = 0; k < locks; k++) {
    pthread_mutex_t *mutex = &sums->lock[side->first / SIDE * locks + k];
    int64_t end = pcf_smaller((k + 1) * COLUMNS_OF_LOCK, sums->columns);
    pthread_mutex_lock(mutex);
    for (int64_t c = k * COLUMNS_OF_LOCK; c < end; c++) {
      for (int t = 0; t < side->tiles; t++) {
        if (sums->b) add_tile(sums, side, side->tile[t], c);
        else add_exponentials(sums, side, side->tile[t]);
      }
    }
    pthread_mutex_unlock(mutex);
  }
}

/* ---- Blocks ---- */

struct consuming {
  struct pcf_pair_sums *sums;
  const struct pcf_finished *finished;
  int64_t row, column; /* the first of its tiles */
  int64_t across;      /* groups beside each other */
};

/* Is the tile at (row, column) of a group filled? It lies in the block and, where pairs count
 * for both functions, not above the diagonal. */
static int is_filled(const struct pcf_pair_sums *sums, const struct pcf_block *block,
                     int64_t row, int64_t column) {
  return row < block->row + block->rows && column < block->column + block->columns &&
         !(sums->weighing.both && row < column);
}

static void add_band(struct pcf_pair_sums *sums, const struct consuming *consuming,
                     struct pcf_pair_tile (*tile)[GROUP], int k, int turned) {
  struct side side = {.turned = turned};
  for (int other = 0; other < sums->along; other++) {
    struct pcf_pair_tile *one = turned ? &tile[other][k] : &tile[k][other];
    if (!is_filled(sums, consuming->finished->block, one->row, one->column)) continue;
    side.first = turned ? one->column : one->row;
    side.tile[side.tiles++] = one;
  }
  if (side.tiles) add_side(sums, &side);
}

/* Takes a group that was used before, if there is one: fresh memory takes the system longer. */
static struct pcf_pair_group *take_group(struct pcf_pair_sums *sums, struct pcf_error *error) {
  pthread_mutex_lock(&sums->spare_lock);
  struct pcf_pair_group *group = sums->spare;
  if (group) sums->spare = group->next;
  pthread_mutex_unlock(&sums->spare_lock);
  return group ? group : pcf_allocate(1, sizeof *group, error);
}

static void give_group(struct pcf_pair_sums *sums, struct pcf_pair_group *group) {
  pthread_mutex_lock(&sums->spare_lock);
  group->next = sums->spare;
  sums->spare = group;
  pthread_mutex_unlock(&sums->spare_lock);
}

/* Weighs the tiles of a group, or of the pairs of `part` in it, and adds them up. */
static void add_group(struct pcf_pair_sums *sums, const struct consuming *consuming,
                      struct pcf_pair_group *group, int64_t row, int64_t column,
                      enum pcf_pair_part part) {
  for (int i = 0; i < sums->along; i++) {
    for (int j = 0; j < sums->along; j++) {
      struct pcf_pair_tile *tile = &group->tile[i][j];
      tile->row = row + i * SIDE;
      tile->column = column + j * SIDE;
      tile->part = part;
      if (is_filled(sums, consuming->finished->block, tile->row, tile->column)) {
        pcf_fill_pair_tile(&sums->weighing, consuming->finished, tile);
      }
    }
  }
  for (int k = 0; k < sums->along; k++) {
    add_band(sums, consuming, group->tile, k, 0);
    if (sums->weighing.both) add_band(sums, consuming, group->tile, k, 1);
  }
}

/* A tile on the diagonal of a full matrix of one collection is added in two parts, as the sums
 * of half the matrix are. */
static enum pcf_status consume_group(void *consuming_, int thread, int64_t index,
                                     struct pcf_error *error) {
  const struct consuming *consuming = consuming_;
  struct pcf_pair_sums *sums = consuming->sums;
  int64_t row = consuming->row + index / consuming->across * (sums->along * SIDE);
  int64_t column = consuming->column + index % consuming->across * (sums->along * SIDE);
  int split = sums->same && row == column;
  if (sums->weighing.both && row + sums->along * SIDE <= column) return PCF_OK;
  struct pcf_pair_group *group = take_group(sums, error);
  if (!group) return PCF_ERROR_MEMORY;
  add_group(sums, consuming, group, row, column,
            sums->weighing.both || split ? PCF_PAIRS_BELOW : PCF_PAIRS_ALL);
  if (split) add_group(sums, consuming, group, row, column, PCF_PAIRS_ABOVE);
  give_group(sums, group);
  return PCF_OK;
}

static int64_t groups_along(const struct pcf_pair_sums *sums, int64_t first, int64_t count) {
  return pcf_band_count(first % SIDE + count, sums->along * SIDE);
}

static enum pcf_status consume(struct pcf_sink *sink, int worker,
                               const struct pcf_finished *finished, struct pcf_team *team,
                               struct pcf_error *error) {
  const struct pcf_block *block = finished->block;
  struct pcf_pair_sums *sums = (struct pcf_pair_sums *)sink;
  struct consuming consuming = {sums, finished, block->row / SIDE * SIDE,
                                block->column / SIDE * SIDE,
                                groups_along(sums, block->column, block->columns)};
  int64_t groups = consuming.across * groups_along(sums, block->row, block->rows);
  return pcf_team_for(team, groups, NULL, consume_group, &consuming, error);
}

/* Weighing a number takes as long as writing several. */
static void prefer(const struct pcf_sink *sink, struct pcf_preferences *preferences) {
  preferences->effort = 8 + ((const struct pcf_pair_sums *)sink)->columns;
}

/* ---- Finishing ---- */

static double sum_of(const struct pcf_pair_band *band, int lane) {
  int special = band->special[lane];
  if (!special) return pcf_binned_value(&band->sums, lane);
  if (special & MISSING) return pcf_missing();
  if (special == (PLUS_INFINITY | MINUS_INFINITY)) return NAN;
  return special == PLUS_INFINITY ? INFINITY : -INFINITY;
}

/* Sums near 1 have small logarithms: that of one pair, beside which others vanish, is its
 * weight. */
static double logarithm_of(const struct pcf_pair_band *band, int lane, double most) {
  static const double root = 0.7071067811865476, ln2 = 0.6931471805599453;
  int64_t exponent;
  int more;
  double sum = pcf_binned_sum(&band->sums, lane, &exponent);
  if (band->special[lane]) return pcf_missing();
  if (sum == 0) return most;
  sum = frexp(sum, &more);
  exponent += more;
  if (sum < root) {
    sum *= 2;
    exponent--;
  }
  if (exponent == 0 && most < 0 && sum == exp(most)) return most;
  return (double)exponent * ln2 + log(sum);
}

static void finish_band(void *sums_, int64_t first, int64_t end) {
  const struct pcf_pair_sums *sums = sums_;
  for (int64_t c = 0; c < sums->columns; c++) {
    const struct pcf_pair_band *band = &sums->band[first / SIDE + sums->bands * c];
    for (int64_t i = first; i < end; i++) {
      int lane = (int)(i - first);
      sums->result[i + sums->rows * c] =
        sums->b ? sum_of(band, lane) : logarithm_of(band, lane, sums->most[i]);
    }
  }
}

static enum pcf_status finish(struct pcf_sink *sink, struct pcf_error *error) {
  struct pcf_pair_sums *sums = (struct pcf_pair_sums *)sink;
  return pcf_for_ranges(sink->workers, sums->rows, SIDE, NULL, finish_band, sums, error);
}
