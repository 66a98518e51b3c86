#include "sinks/selection.h"

#include "base/hash.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static double number_limit(const struct pcf_selection *selection, int64_t item);
static uint64_t hash_of_order(const struct pcf_selection *selection);
static pcf_block_rule has;

/* ---- Beginning ---- */

void pcf_selection_start(struct pcf_selection *selection, const struct pcf_sink_type *type,
                         struct pcf_error *error) {
  selection->sink = (struct pcf_sink){.type = type, .selection = selection};
  selection->limit =
    pcf_array(&selection->arrays, (size_t)selection->rows, sizeof *selection->limit, error);
}

void pcf_selection_begin(struct pcf_selection *selection, double limit) {
  const struct pcf_scale *scale = &selection->sink.scale;
  const double *own = selection->farthest;
  for (int64_t i = 0; i < selection->rows; i++) {
    atomic_init(&selection->limit[i], own ? own[i] : limit);
  }
  selection->inverse = ldexp(1 / scale->factor, -scale->exponent);
}

/* Blocks near the diagonal come first: they give every item limits, which rule out most other
 * pairs. */
void pcf_selection_prefer(const struct pcf_sink *sink, struct pcf_preferences *preferences) {
  const struct pcf_selection *selection = (const struct pcf_selection *)sink;
  preferences->order = PCF_NEAR_FIRST;
  if (!selection->kept) return;
  pcf_kept_order(selection->kept, hash_of_order(selection));
  preferences->has = has;
}

/* ---- What is kept ---- */

static uint64_t hash_of_order(const struct pcf_selection *selection) {
  int64_t columns = selection->kept->covered.layout.columns;
  uint64_t hash[2] = {0};
  if (selection->item) hash[0] = pcf_hash(selection->item, (size_t)selection->rows * 4);
  if (selection->name) hash[1] = pcf_hash(selection->name, (size_t)columns * 4);
  return pcf_hash(hash, sizeof hash);
}

static int has(const struct pcf_sink *sink, const struct pcf_block *block) {
  const struct pcf_selection *selection = (const struct pcf_selection *)sink;
  return pcf_coverage_has(&selection->kept->covered, &block->rectangle);
}

/* The number of each item by its id. */
static int32_t *numbers_of(const struct pcf_selection *selection, struct pcf_error *error) {
  int32_t *number = pcf_allocate((size_t)selection->rows, sizeof *number, error);
  for (int64_t i = 0; number && i < selection->rows; i++) {
    number[pcf_item_of(selection, i)] = (int32_t)i;
  }
  return number;
}

enum pcf_status pcf_selection_restore(struct pcf_selection *selection,
                                      struct pcf_error *error) {
  const struct pcf_kept *kept = selection->kept;
  if (!kept || !kept->before) return PCF_OK;
  int64_t columns = kept->covered.layout.columns;
  int32_t *number = numbers_of(selection, error);
  enum pcf_status status = number ? PCF_OK : PCF_ERROR_MEMORY;
  for (int64_t k = 0; k < kept->pairs && !status; k++) {
    const struct pcf_kept_pair *pair = &kept->pair[k];
    int known = pair->item >= 0 && pair->item < selection->rows && pair->other >= 0 &&
                pair->other < columns;
    status =
      known
        ? selection->take(selection, 0, number[pair->item], pair->other, pair->distance, error)
        : pcf_fail(error, PCF_ERROR_FILE, "\"%s\" has a pair that does not exist", kept->path);
  }
  pcf_free(number);
  return status;
}

enum pcf_status pcf_selection_keep(struct pcf_selection *selection, struct pcf_error *error) {
  if (!selection->kept) return PCF_OK;
  return pcf_kept_write(selection->kept, 1, selection->write, selection, error);
}

enum pcf_status pcf_selection_write(const struct pcf_selection *selection,
                                    struct pcf_whole *whole, int64_t row, int32_t id,
                                    double distance, struct pcf_error *error) {
  struct pcf_kept_pair pair = {(int32_t)pcf_item_of(selection, row), id, distance};
  return pcf_whole_add(whole, &pair, sizeof pair, error);
}

/* ---- Limits ---- */

/* A limit for numbers: at least sign · r for every number r whose distance is within `limit`,
 * however it is rounded when it is scaled back. Distances have no exponents of their own. There
 * is no limit where revising may bring a distance nearer. */
static double number_limit(const struct pcf_selection *selection, int64_t item) {
  static const double smallest = 1e-280, more = 1 + 1e-14;
  const struct pcf_scale *scale = &selection->sink.scale;
  double limit = pcf_limit_of(selection, item);
  int nearer = scale->revise && (selection->sign < 0 || scale->revised_smaller);
  if (!(limit < INFINITY) || nearer) return INFINITY;
  double number = limit * selection->inverse;
  if (fmin(fmin(limit, number), selection->inverse) > smallest) return number * more;
  number = ldexp(nextafter(limit, INFINITY), -scale->exponent) / scale->factor;
  number = fmax(number, -DBL_MAX); /* −∞ could not be raised: what is beyond is within */
  return nextafter(number + fabs(number) * 1e-14, INFINITY);
}

static void fill_limits(const struct pcf_selection *selection, int64_t first, int64_t count,
                        double *limit) {
  for (int64_t k = 0; k < count; k++) limit[k] = number_limit(selection, first + k);
}

void pcf_selection_limits(const struct pcf_selection *selection, const struct pcf_block *block,
                          double *row, double *column) {
  fill_limits(selection, block->row, block->rows, row);
  if (pcf_selects_of_one(selection)) {
    fill_limits(selection, block->column, block->columns, column);
  } else {
    for (int64_t k = 0; k < block->columns; k++) column[k] = -INFINITY;
  }
}

double pcf_number_of(const struct pcf_scale *scale, double distance) {
  return pcf_narrowed(distance * ldexp(1 / scale->factor, -scale->exponent), scale->precision);
}

/* Are least distances those that some numbers stand for? */
static int least_are_numbers(const struct pcf_selection *selection,
                             const struct pcf_scale *scale) {
  for (int64_t i = 0; selection->least && i < selection->rows; i++) {
    double least = selection->least[i], number = pcf_number_of(scale, least);
    if (!(pcf_scaled_back(scale, number, i, i) == least)) return 0;
  }
  return 1;
}

/* Only where numbers have the order of the distances that they stand for: none is revised, and
 * scaling, which could make different numbers the same, keeps all digits. */
int pcf_selection_is_by_number(const struct pcf_selection *selection,
                               const struct pcf_scale *scale) {
  enum { FAR = 200 };
  int keeps_digits = scale->precision == PCF_DOUBLE ? scale->exponent == 0 && scale->factor == 1
                                                    : abs(scale->exponent) < FAR;
  return keeps_digits && selection->most && !scale->revise && !selection->kept &&
         least_are_numbers(selection, scale);
}

/* ---- Pairs ---- */

static int is_wanted(const struct pcf_selection *selection, int64_t item, double distance) {
  return selection->sign * distance <= pcf_limit_of(selection, item);
}

static int32_t id_of(const struct pcf_selection *selection, int64_t other) {
  return selection->name ? selection->name[other] : (int32_t)other;
}

/* Offers a number that is within the limits of its block to its row and, if `both` is set, to
 * its column. */
static enum pcf_status offer_pair(struct pcf_selection *selection, int worker, int64_t row,
                                  int64_t column, double number, int both,
                                  struct pcf_error *error) {
  const int32_t *label = selection->label;
  if (isnan(number) || (label && label[row] == label[column])) return PCF_OK;
  double distance = pcf_scaled_back(&selection->sink.scale, number, row, column);
  if (isnan(distance)) return PCF_OK;
  if (selection->least) {
    distance = fmax(distance, fmax(selection->least[row], selection->least[column]));
  }
  enum pcf_status status = PCF_OK;
  if (is_wanted(selection, row, distance)) {
    int32_t id = id_of(selection, column);
    status = selection->take(selection, worker, row, id, distance, error);
  }
  if (status || !both || !is_wanted(selection, column, distance)) return status;
  return selection->take(selection, worker, column, id_of(selection, row), distance, error);
}

/* ---- Blocks ---- */

/* What threads of a team, or one of them, have to do. */
struct consuming {
  struct pcf_selection *selection;
  const struct pcf_finished *finished;
  int worker;
};

enum { ENTRIES = 4096 };

static enum pcf_status consume_entries(void *consuming_, int thread, int64_t index,
                                       struct pcf_error *error) {
  const struct consuming *consuming = consuming_;
  const struct pcf_finished *finished = consuming->finished;
  const struct pcf_block *block = finished->block;
  int64_t end = pcf_smaller((index + 1) * ENTRIES, finished->entries);
  int both = pcf_selects_of_one(consuming->selection) && !finished->of_rows;
  enum pcf_status status = PCF_OK;
  for (int64_t k = index * ENTRIES; k < end && !status; k++) {
    const struct pcf_entry *entry = &finished->entry[k];
    status = offer_pair(consuming->selection, consuming->worker, block->row + entry->row,
                        block->column + entry->column, entry->number, both, error);
  }
  return status;
}

/* Rows of a block that are looked through together, with their limits as numbers. They are read
 * anew now and then, since they fall. There are so many that compilers make vectors of them. */
enum { STRIP = 64, COLUMNS_AT_ONCE = 16 };

struct strip {
  const struct consuming *consuming;
  int64_t first, rows; /* of the block */
  double row[STRIP];
};

/* Rows first … last - 1 of the strip in column j of the block. */
struct column {
  const void *number; /* of the strip's first row */
  int64_t first, last, j;
  double limit;
};

/* Is one of the numbers of a whole strip within the limits? */
#define ANY_WITHIN(name, scalar)                                                         \
  static int name(const scalar *number, double sign, const double *row, double column) { \
    int any = 0;                                                                         \
    for (int k = 0; k < STRIP; k++) {                                                    \
      double signed_number = sign * (double)number[k];                                   \
      any |= (signed_number <= row[k]) | (signed_number <= column);                      \
    }                                                                                    \
    return any;                                                                          \
  }
ANY_WITHIN(any_double_within, double)
ANY_WITHIN(any_single_within, float)

static int any_within(const struct strip *strip, const struct column *column) {
  const struct pcf_selection *selection = strip->consuming->selection;
  double sign = selection->sign;
  if (selection->sink.scale.precision == PCF_DOUBLE) {
    return any_double_within(column->number, sign, strip->row, column->limit);
  }
  return any_single_within(column->number, sign, strip->row, column->limit);
}

static enum pcf_status look_through(const struct strip *strip, const struct column *column,
                                    struct pcf_error *error) {
  struct pcf_selection *selection = strip->consuming->selection;
  const struct pcf_block *block = strip->consuming->finished->block;
  int whole = column->first == 0 && column->last == STRIP;
  enum pcf_status status = PCF_OK;
  if (whole && !any_within(strip, column)) return PCF_OK;
  for (int64_t i = column->first; i < column->last && !status; i++) {
    double number = pcf_load_scalar(column->number, i, selection->sink.scale.precision);
    double signed_number = selection->sign * number;
    if (!(signed_number <= strip->row[i] || signed_number <= column->limit)) continue;
    status =
      offer_pair(selection, strip->consuming->worker, block->row + strip->first + i,
                 block->column + column->j, number, pcf_selects_of_one(selection), error);
  }
  return status;
}

static enum pcf_status consume_strip(void *consuming_, int thread, int64_t index,
                                     struct pcf_error *error) {
  const struct consuming *consuming = consuming_;
  const struct pcf_selection *selection = consuming->selection;
  const struct pcf_finished *finished = consuming->finished;
  const struct pcf_block *block = finished->block;
  struct strip strip = {.consuming = consuming, .first = index * STRIP};
  int64_t row = block->row + strip.first;
  int one = pcf_selects_of_one(selection);
  enum pcf_status status = PCF_OK;
  strip.rows = pcf_smaller(block->rows - strip.first, STRIP);
  for (int64_t j = 0; j < block->columns && !status; j++) {
    if (j % COLUMNS_AT_ONCE == 0) fill_limits(selection, row, strip.rows, strip.row);
    int64_t above = block->column + j + 1 - row; /* rows that are no pairs */
    struct column column = {
      .number = pcf_scalar_at(finished->data, strip.first + finished->stride * j,
                              selection->sink.scale.precision),
      .first = one && above > 0 ? above : 0,
      .last = strip.rows,
      .j = j,
      .limit = one ? number_limit(selection, block->column + j) : -INFINITY};
    status = look_through(&strip, &column, error);
  }
  return status;
}

static enum pcf_status consume_block(struct consuming *consuming, struct pcf_team *team,
                                     struct pcf_error *error) {
  const struct pcf_finished *finished = consuming->finished;
  if (!consuming->selection->takes_at_once) team = NULL;
  if (finished->few) {
    int64_t parts = pcf_band_count(finished->entries, ENTRIES);
    return pcf_team_for(team, parts, NULL, consume_entries, consuming, error);
  }
  int64_t strips = pcf_band_count(finished->block->rows, STRIP);
  return pcf_team_for(team, strips, NULL, consume_strip, consuming, error);
}

enum pcf_status pcf_selection_consume(struct pcf_sink *sink, int worker,
                                      const struct pcf_finished *finished,
                                      struct pcf_team *team, struct pcf_error *error) {
  struct consuming consuming = {(struct pcf_selection *)sink, finished, worker};
  struct pcf_selection *selection = consuming.selection;
  if (!selection->kept) return consume_block(&consuming, team, error);
  pcf_kept_enter(selection->kept);
  enum pcf_status status = consume_block(&consuming, team, error);
  pcf_kept_leave(selection->kept, status ? NULL : &finished->block->rectangle);
  if (status) return status;
  return pcf_kept_write(selection->kept, 0, selection->write, selection, error);
}
