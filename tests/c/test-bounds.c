/* Bounds of distances, beside the distances that the engine computes. */
#include "check.h"
#include "runs.h"

#include "base/memory.h"
#include "pruning/byte-bounds.h"
#include "pruning/near-order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Distances and bounds of the same request ---- */

struct case_of {
  struct functions *x, *y; /* y may be NULL */
  struct asked asked;
  struct outcome matrix;
  struct pcf_bounds bounds;
  int64_t rows, columns;
};

static struct pcf_compared compared_by(const struct asked *asked) {
  const struct pcf_request *request = &asked->pairs;
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t function, position;
  pcf_check_functions(request->x, 0, request->x->count, &range, &function, &position);
  if (request->y) {
    pcf_check_functions(request->y, 0, request->y->count, &range, &function, &position);
  }
  struct pcf_integral *integral = kept(malloc(sizeof *integral));
  *integral = pcf_integral(request->operation, request->p, request->from, request->to,
                           request->precision, &range);
  return (struct pcf_compared){
    .x = request->x, .y = request->y, .integral = integral, .range = range};
}

static enum pcf_instructions best_instructions(void) {
  enum pcf_instructions set = PCF_SCALAR;
  pcf_find_instructions(NULL, &set);
  return set;
}

/* All pairs of x and y, or of x, in the order of the collections. */
static struct case_of make_case(const struct question *question, enum pcf_precision precision,
                                const char *method, struct functions *x, struct functions *y,
                                enum pcf_instructions set) {
  enum pcf_mode kind = y ? PCF_FULL : PCF_LOWER_WITH_DIAGONAL;
  struct case_of of = {.x = x, .y = y, .asked = request_of(question, kind, x, y)};
  struct pcf_error error;
  of.asked.pairs.precision = precision;
  of.asked.pairs.method = method;
  of.rows = x->view.count;
  of.columns = y ? y->view.count : of.rows;
  of.matrix = run_request(&of.asked, kind, &pcf_cpu_backend);
  CHECK(of.matrix.status == PCF_OK);
  struct pcf_compared compared = compared_by(&of.asked);
  CHECK(pcf_bounds_make(&of.bounds, &compared, set, 2, NULL, &error) == PCF_OK);
  return of;
}

/* Makes bounds in bytes, too; are there some? */
static bool add_bytes(struct case_of *of) {
  struct pcf_error error;
  CHECK(pcf_bounds_add_bytes(&of->bounds, 2, NULL, &error) == PCF_OK);
  return of->bounds.x.bytes.words > 0;
}

static void case_of_free(struct case_of *of) {
  pcf_bounds_free(&of->bounds);
}

/* The distance of the pair at these positions. */
static double distance_at(const struct case_of *of, int64_t row, int64_t column) {
  int bounded = of->bounds.coordinates.stretches > 0;
  int64_t i = bounded ? of->bounds.x.order[row] : row;
  int64_t j = bounded ? pcf_bounded_columns(&of->bounds)->order[column] : column;
  return of->matrix.result[i + of->rows * j];
}

/* ---- Limits ---- */

struct limits {
  _Atomic double *row, *column;
};

static struct limits new_limits(const struct case_of *of, double limit) {
  struct limits limits = {kept(malloc((size_t)of->rows * sizeof *limits.row)),
                          kept(malloc((size_t)of->columns * sizeof *limits.column))};
  for (int64_t i = 0; i < of->rows; i++) limits.row[i] = limit;
  for (int64_t j = 0; j < of->columns; j++) limits.column[j] = limit;
  return limits;
}

static int64_t band_end(int64_t first, int64_t end) {
  return first + PCF_BAND_POINTS < end ? first + PCF_BAND_POINTS : end;
}

static struct pcf_rectangle tile_at(const struct case_of *of, int64_t row, int64_t column) {
  return (struct pcf_rectangle){row, band_end(row, of->rows) - row, column,
                                band_end(column, of->columns) - column};
}

/* Are all pairs of a tile beyond their limits? */
static bool exceed(const struct case_of *of, const struct limits *limits, int64_t row,
                   int64_t column) {
  struct pcf_rectangle tile = tile_at(of, row, column);
  return pcf_bounds_find(&of->bounds, &tile, limits->row + row,
                         limits->column ? limits->column + column : NULL, 0, NULL) == 0;
}

/* ---- Wanted pairs are never left out ---- */

/* Each pair alone is wanted, with its own distance as the limit of its row, and then of its
 * column: there is no room for a bound that is too large by anything. */
static bool wants_each_pair(const struct case_of *of) {
  struct limits limits = new_limits(of, -1), rows = {limits.row, NULL};
  bool right = true;
  for (int64_t j = 0; j < of->columns && right; j++) {
    for (int64_t i = 0; i < of->rows && right; i++) {
      int64_t row = i / PCF_BAND_POINTS * PCF_BAND_POINTS;
      int64_t column = j / PCF_BAND_POINTS * PCF_BAND_POINTS;
      double distance = distance_at(of, i, j);
      if (isnan(distance)) continue;
      limits.row[i] = distance;
      right = !exceed(of, &limits, row, column) && !exceed(of, &rows, row, column);
      limits.row[i] = -1;
      limits.column[j] = distance;
      right = right && !exceed(of, &limits, row, column);
      limits.column[j] = -1;
    }
  }
  return right;
}

/* ---- Bounds in bytes ---- */

/* How far the bytes of two functions are apart, and how far those of their bands are. */
static double bytes_apart(const struct pcf_byte_bounds *bytes, int64_t i, int64_t j) {
  int64_t count = bytes->words * (int64_t)sizeof *bytes->word;
  const unsigned char *a = (const unsigned char *)bytes->word + i * count;
  const unsigned char *b = (const unsigned char *)bytes->word + j * count;
  double sum = 0;
  for (int64_t c = 0; c < count; c++) {
    double gap = abs(a[c] - b[c]);
    sum += bytes->squares ? gap * gap : gap;
  }
  return bytes->squares ? sqrt(sum) : sum;
}

static bool is_in_box(const struct pcf_byte_bounds *bytes, int64_t i) {
  int64_t count = bytes->words * (int64_t)sizeof *bytes->word, band = i / PCF_BAND_POINTS;
  const unsigned char *point = (const unsigned char *)bytes->word + i * count;
  const unsigned char *least = (const unsigned char *)bytes->least + band * count;
  const unsigned char *most = (const unsigned char *)bytes->most + band * count;
  for (int64_t c = 0; c < count; c++) {
    if (point[c] < least[c] || point[c] > most[c]) return false;
  }
  return true;
}

/* Is the number of each pair, from its distance, at least what the bytes say? Distances that
 * have lost digits do not tell. */
static bool bytes_keep_each_pair(const struct case_of *of) {
  const struct pcf_integral *integral = &of->bounds.coordinates.integral;
  struct pcf_byte_bounds bytes, of_y;
  struct pcf_error error;
  bool right = pcf_byte_bounds_make(&bytes, &of_y, &of->bounds, 0, 2, NULL, &error) == PCF_OK;
  for (int64_t i = 0; i < of->rows && right && bytes.words; i++) {
    right = is_in_box(&bytes, i);
    for (int64_t j = 0; j < i && right; j++) {
      double distance = distance_at(of, i, j);
      double number = ldexp(distance / integral->factor, -integral->exponent);
      double slack =
        (double)bytes.slack[i / PCF_BAND_POINTS] + (double)bytes.slack[j / PCF_BAND_POINTS];
      if (!(distance > 1e-290 || distance == 0)) continue;
      double most = fmax(bytes.unit * number * (1 + 1e-15), bytes.smallest) + slack;
      right = bytes_apart(&bytes, i, j) <= most;
    }
  }
  pcf_byte_bounds_free(&bytes);
  pcf_byte_bounds_free(&of_y);
  return right;
}

/* The k-th smallest distance of the function at a row's position from the others. */
static double distance_of_rank(const struct case_of *of, int64_t row, int64_t k) {
  double *distance = kept(malloc((size_t)of->columns * sizeof *distance));
  for (int64_t j = 0; j < of->columns; j++) distance[j] = distance_at(of, row, j);
  qsort(distance, (size_t)of->columns, sizeof *distance, by_number);
  double result = distance[k];
  return result;
}

static bool is_left_out_rightly(const struct case_of *of, const struct limits *limits,
                                int64_t row, int64_t column) {
  for (int64_t i = row; i < band_end(row, of->rows); i++) {
    for (int64_t j = column; j < band_end(column, of->columns); j++) {
      double distance = distance_at(of, i, j);
      if (distance <= limits->row[i] || distance <= limits->column[j]) return false;
    }
  }
  return true;
}

/* The share of the tiles that are left out where each row wants its k nearest and, of one
 * collection, each column, too; -1 if one of these is left out. */
static double share_left_out(const struct case_of *of, int64_t k) {
  struct limits limits = new_limits(of, -1);
  double left_out = 0, tiles = 0;
  bool right = true;
  for (int64_t i = 0; i < of->rows; i++) {
    limits.row[i] = distance_of_rank(of, i, k);
    if (!of->y) limits.column[i] = limits.row[i];
  }
  for (int64_t i = 0; i < of->rows; i += PCF_BAND_POINTS) {
    for (int64_t j = 0; j < of->columns; j += PCF_BAND_POINTS) {
      tiles++;
      if (!exceed(of, &limits, i, j)) continue;
      left_out++;
      right = right && is_left_out_rightly(of, &limits, i, j);
    }
  }
  return right ? left_out / tiles : -1;
}

/* ---- Functions ---- */

/* Values that are constant over the stretches between shared times: of these, bounds are as
 * large as distances. */
static struct functions *on_a_grid(struct random *random, int64_t count) {
  return functions_random(random, SHARED_GRID, count, 2, 60);
}

/* What makes numbers hard to add up: to be far from 0, huge or tiny, so that results may be too
 * large for a number, or too small; or of all magnitudes. */
struct change {
  double more_value, more_time;
  int value_exponent, time_exponent, steepness;
};

static const struct change changes[] = {
  {0, 0, 0, 0, 0},       {1e8, 0, 0, 0, 0},     {0, 1e5, 0, 0, 0},    {0, 0, 450, 450, 0},
  {0, 0, -450, -450, 0}, {0, 0, 0, 0, 100},     {0, 0, 1000, 900, 0}, {0, 0, -1000, 900, 0},
  {0, 0, 1000, -900, 0}, {0, 0, -540, -530, 0}, {0, 0, 0, 0, 20},
};
enum { SOUND_CHANGES = 5, CHANGES = sizeof changes / sizeof *changes };

static void change_functions(struct random *random, struct functions *x,
                             const struct change *change) {
  for (int64_t i = 0; i < x->view.count; i++) {
    double *time = times_of(x, i), *value = values_of(x, i);
    int64_t m = pcf_breakpoints(&x->view, i);
    for (int64_t k = 0; k < m; k++) {
      if (value[k] != 0)
        value[k] = ldexp(value[k] + change->more_value, change->value_exponent);
      if (change->steepness) value[k] *= exp2(change->steepness * random_normal(random));
      time[k] = ldexp(time[k] + change->more_time, change->time_exponent);
    }
  }
}

static struct functions *any_functions(struct random *random, int64_t count) {
  switch (random_between(random, 0, 5)) {
  case 0: return functions_random(random, PAPER, count, 1, 100);
  case 1: return functions_random(random, INTEGER_TIMES, count, 2, 8);
  case 2: return functions_random(random, UNBOUNDED, count, 1, 30);
  case 3: return functions_in_groups(random, count, 3, 5, 40);
  case 4: return functions_random(random, PAPER, count, 1, 2);
  default: return on_a_grid(random, count);
  }
}

/* A window now and then, which may cut off everything. */
static struct question any_question(struct random *random, int operation) {
  struct question question = operations[operation];
  if (random_between(random, 0, 2) == 0) question.from = random_normal(random);
  if (random_between(random, 0, 2) == 0) {
    question.to = fmax(question.from, -1) + 1e-3 + 5 * random_uniform(random);
  }
  if (question.operation == PCF_LP && random_between(random, 0, 3) == 0) {
    question.p = exp2(8 * random_uniform(random));
    if (question.p == 1 || question.p == 2) question.p = 40;
  }
  return question;
}

static void test_any_case(struct random *random, int operation, enum pcf_instructions set) {
  struct question question = any_question(random, operation);
  enum pcf_precision precision =
    random_between(random, 0, 1) ? PCF_DOUBLE : PCF_SINGLE_PRECISION;
  const char *method = method_names[random_between(random, 0, METHODS - 1)];
  struct functions *x = any_functions(random, random_between(random, 1, 70)), *y = NULL;
  const struct change *change = &changes[random_between(random, 0, CHANGES - 1)];
  if (random_between(random, 0, 2) == 0) {
    y = any_functions(random, random_between(random, 1, 40));
    change_functions(random, y, change);
  }
  change_functions(random, x, change);
  SCOPED(case_of) of = make_case(&question, precision, method, x, y, set);
  CHECK(wants_each_pair(&of));
  if (!y) CHECK(bytes_keep_each_pair(&of));
  if (add_bytes(&of)) CHECK(wants_each_pair(&of));
}

TEST(bounds_never_pass_distances) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int count = pcf_available_instructions(available);
  for (int set = 0; set < count; set++) {
    for (int round = 0; round < (check_quick() ? 1 : 6); round++) {
      for (int operation = 0; operation < OPERATIONS; operation++) {
        if (pcf_is_norm(operations[operation].operation))
          test_any_case(&random, operation, available[set]);
      }
    }
  }
}

/* A function that is unlike all those of which units were made. */
TEST(bounds_never_pass_distances_from_outliers) {
  enum { COUNT = 280 };
  for (int operation = 0; operation < OPERATIONS; operation++) {
    if (!pcf_is_norm(operations[operation].operation)) continue;
    struct functions *x = functions_in_groups(&random, COUNT, 3, 5, 40);
    for (int64_t k = 0; k + 1 < pcf_breakpoints(&x->view, 1); k++) values_of(x, 1)[k] *= 1e8;
    SCOPED(case_of)
    of = make_case(&operations[operation], PCF_DOUBLE, NULL, x, NULL, best_instructions());
    struct limits limits = new_limits(&of, -1);
    bool right = true;
    for (int64_t i = 0; i < COUNT; i++) limits.row[i] = distance_of_rank(&of, i, COUNT - 1);
    for (int64_t i = 0; i < COUNT; i += PCF_BAND_POINTS) {
      for (int64_t j = 0; j < COUNT; j += PCF_BAND_POINTS) {
        right =
          right && (!exceed(&of, &limits, i, j) || is_left_out_rightly(&of, &limits, i, j));
      }
    }
    CHECK(right);
  }
}

/* Where all functions have their breakpoints at the same, few times, a bound is the distance to
 * some digits. */
TEST(bounds_are_distances_where_functions_share_times) {
  for (int operation = 0; operation < OPERATIONS; operation++) {
    if (!pcf_is_norm(operations[operation].operation)) continue;
    for (int change = 0; change < SOUND_CHANGES; change++) {
      struct functions *x = functions_random(&random, SHARED_GRID, 1, 30, 30);
      struct functions *y = functions_random(&random, SHARED_GRID, 1, 30, 30);
      change_functions(&random, x, &changes[change]);
      change_functions(&random, y, &changes[change]);
      SCOPED(case_of)
      of = make_case(&operations[operation], PCF_DOUBLE, NULL, x, y, best_instructions());
      struct limits limits = new_limits(&of, 0.999 * of.matrix.result[0]),
                    rows = {limits.row, NULL};
      CHECK(exceed(&of, &rows, 0, 0));
      limits.row[0] = of.matrix.result[0];
      CHECK(!exceed(&of, &rows, 0, 0));
    }
  }
}

/* ---- What is far apart is left out ---- */

TEST(bounds_leave_out_what_is_far_apart) {
  enum { GROUPS = 6, EACH = 64 };
  for (int operation = 0; operation < OPERATIONS; operation++) {
    if (!pcf_is_norm(operations[operation].operation)) continue;
    for (int single = 0; single < 2; single++) {
      struct functions *x = functions_in_groups(&random, GROUPS * EACH, GROUPS, 5, 40);
      SCOPED(case_of)
      of = make_case(&operations[operation], single ? PCF_SINGLE_PRECISION : PCF_DOUBLE, NULL,
                     x, NULL, best_instructions());
      CHECK(share_left_out(&of, 5) > 0.5);
      CHECK(add_bytes(&of) == (operations[operation].operation == PCF_L1));
      CHECK(share_left_out(&of, 5) > 0.5);
    }
  }
}

TEST(bounds_leave_out_what_is_far_from_a_query) {
  struct functions *x = functions_in_groups(&random, 100, 3, 5, 40),
                   *y = functions_in_groups(&random, 300, 6, 5, 40);
  SCOPED(case_of) of = make_case(&operations[0], PCF_DOUBLE, NULL, x, y, best_instructions());
  CHECK(share_left_out(&of, 5) > 0.5);
  CHECK(add_bytes(&of) && share_left_out(&of, 5) > 0.5);
}

/* Noise has no near and far. */
TEST(bounds_leave_out_nothing_of_noise) {
  struct functions *x = functions_random(&random, SHARED_GRID, 200, 1000, 1000);
  SCOPED(case_of)
  of = make_case(&operations[0], PCF_DOUBLE, NULL, x, NULL, best_instructions());
  CHECK(share_left_out(&of, 5) < 0.1);
  CHECK(add_bytes(&of) && share_left_out(&of, 5) < 0.1);
}

/* Small differences beside large values, as rounding has them, are no reason to give up. */
TEST(bounds_leave_out_small_differences_of_large_values) {
  struct question question = {PCF_L1, 1, 0, 1};
  struct functions *x = functions_in_groups(&random, 256, 4, 5, 40);
  for (int64_t i = 0; i < 256; i++) {
    double *value = values_of(x, i);
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) value[k] = 1e8 + value[k];
  }
  SCOPED(case_of) of = make_case(&question, PCF_DOUBLE, NULL, x, NULL, best_instructions());
  CHECK(share_left_out(&of, 5) > 0.5);
}

/* ---- Limits ---- */

static void check_extreme_limits(const struct case_of *of) {
  struct limits limits = new_limits(of, -1);
  for (int64_t i = 0; i < 96; i += 32) {
    for (int64_t j = 0; j < 96; j += 32) CHECK(exceed(of, &limits, i, j));
  }
  struct pcf_rectangle wide = {0, 96, 32, 64};
  _Atomic double *columns = limits.column + 32;
  CHECK(pcf_bounds_find(&of->bounds, &wide, limits.row, columns, 0, NULL) == 0);
  limits.column[95] = INFINITY;
  CHECK(exceed(of, &limits, 0, 32) && !exceed(of, &limits, 0, 64));
  CHECK(pcf_bounds_find(&of->bounds, &wide, limits.row, columns, 0, NULL) == 1);
  CHECK(pcf_bounds_find(&of->bounds, &wide, limits.row, NULL, 0, NULL) == 0);
}

TEST(bounds_exceed_no_infinite_limit_and_any_negative_one) {
  struct functions *x = functions_in_groups(&random, 96, 3, 5, 40);
  SCOPED(case_of)
  of = make_case(&operations[0], PCF_DOUBLE, NULL, x, NULL, best_instructions());
  check_extreme_limits(&of);
  CHECK(add_bytes(&of));
  check_extreme_limits(&of);
}

/* What is listed has all that is wanted, each once, and is no longer than it may be. */
static bool lists_rightly(const struct case_of *of, const struct limits *limits,
                          const struct pcf_rectangle *at, int64_t most) {
  struct pcf_pair_position position[64 * 96];
  unsigned char listed[64][96] = {{0}};
  int64_t wanted = 0, found = pcf_bounds_find(&of->bounds, at, limits->row + at->row,
                                              limits->column + at->column, most, position);
  bool right = found <= most + 1;
  for (int64_t k = 0; k < found && found <= most; k++) {
    right = right && !listed[position[k].row][position[k].column]++;
  }
  for (int64_t i = 0; i < at->rows; i++) {
    for (int64_t j = 0; j < at->columns; j++) {
      double distance = distance_at(of, at->row + i, at->column + j);
      if (distance > limits->row[at->row + i] && distance > limits->column[at->column + j]) {
        continue;
      }
      wanted++;
      right = right && (found > most || listed[i][j]);
    }
  }
  return right && (found > most || wanted <= found) && (wanted <= most || found > most);
}

TEST(bounds_list_what_is_wanted) {
  static const int64_t mosts[] = {0, 1, 5, 100, 6000};
  struct functions *x = functions_in_groups(&random, 180, 4, 5, 40);
  for (int way = 0; way < 4; way++) {
    struct functions *y = way & 1 ? functions_in_groups(&random, 130, 4, 5, 40) : NULL;
    SCOPED(case_of) of = make_case(&operations[0], PCF_DOUBLE, NULL, x, y, best_instructions());
    struct limits limits = new_limits(&of, -1);
    int64_t listed = 0;
    if (way & 2) CHECK(add_bytes(&of));
    for (int64_t i = 0; i < 180; i++) {
      if (i % 3) limits.row[i] = i == 100 ? INFINITY : distance_of_rank(&of, i, 5);
    }
    for (int64_t j = 0; j < of.columns; j += 5) limits.column[j] = distance_at(&of, j, j + 1);
    for (int64_t i = 0; i < 180; i += 64) {
      struct pcf_rectangle at = {i, i + 64 < 180 ? 64 : 180 - i, 32, 96};
      if (at.column + at.columns > of.columns) at.columns = of.columns - at.column;
      struct pcf_pair_position position[64 * 96];
      for (int k = 0; k < 5; k++) CHECK(lists_rightly(&of, &limits, &at, mosts[k]));
      listed +=
        pcf_bounds_find(&of.bounds, &at, limits.row + i, limits.column + 32, 6144, position);
    }
    CHECK(listed > 0 && listed < 180 * 96 / 4);
  }
}

/* ---- Bytes of bands ---- */

static int64_t gap_of_words(uint64_t least, uint64_t most, uint64_t other) {
  int64_t sum = 0;
  for (int k = 0; k < 64; k += 8) {
    int64_t from = least >> k & 255, to = most >> k & 255, at = other >> k & 255;
    sum += at < from ? from - at : at > to ? at - to : 0;
  }
  return sum;
}

static uint64_t random_word(struct random *random) {
  uint64_t word = 0;
  for (int k = 0; k < 64; k += 8) {
    int64_t byte = random_between(random, -100, 355);
    word |= (uint64_t)(byte < 0 ? 0 : byte > 255 ? 255 : byte) << k;
  }
  return word;
}

/* A reach of every point that is just enough, or too little by one. */
static void check_words(struct random *random, const struct pcf_gaps *gaps, int words) {
  uint64_t band[8 * PCF_BAND_POINTS], least[8], most[8], due = 0;
  int64_t reach[PCF_BAND_POINTS];
  for (int k = 0; k < words * PCF_BAND_POINTS; k++) band[k] = random_word(random);
  for (int w = 0; w < words; w++) {
    uint64_t a = random_word(random), b = random_word(random);
    least[w] = most[w] = 0;
    for (int k = 0; k < 64; k += 8) {
      uint64_t one = a >> k & 255, other = b >> k & 255;
      least[w] |= (one < other ? one : other) << k;
      most[w] |= (one < other ? other : one) << k;
    }
  }
  for (int lane = 0; lane < PCF_BAND_POINTS; lane++) {
    int too_little = (int)random_between(random, 0, 1);
    reach[lane] = -too_little;
    for (int w = 0; w < words; w++) {
      reach[lane] += gap_of_words(least[w], most[w], band[w * PCF_BAND_POINTS + lane]);
    }
    if (!too_little) due |= (uint64_t)1 << lane;
  }
  CHECK(gaps->near_box(words, least, most, band, reach) == due);
  for (int lane = 0; lane < PCF_BAND_POINTS; lane++) {
    int64_t sum[PCF_BAND_POINTS] = {0};
    for (int k = 0; k < words * PCF_BAND_POINTS; k++) {
      uint64_t own = band[k / PCF_BAND_POINTS * PCF_BAND_POINTS + lane];
      sum[k % PCF_BAND_POINTS] += gap_of_words(own, own, band[k]);
    }
    int64_t farthest = sum[random_between(random, 0, PCF_BAND_POINTS - 1)];
    for (int64_t at = farthest - 1; at <= farthest; at++) {
      due = 0;
      for (int k = 0; k < PCF_BAND_POINTS; k++) due |= (uint64_t)(sum[k] <= at) << k;
      CHECK(gaps->near_point(words, band + lane, band, at) == due);
    }
  }
}

TEST(bytes_of_bands_add_up) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int count = pcf_available_instructions(available);
  for (int set = 0; set < count; set++) {
    for (int words = 1; words <= 8; words++) {
      check_words(&random, pcf_gaps_of(available[set]), words);
    }
  }
}

/* ---- The order ---- */

static bool is_permutation(const int32_t *order, int64_t count) {
  unsigned char *seen = zeroed(count + 1, 1);
  bool right = true;
  for (int64_t k = 0; k < count; k++) {
    right = right && order[k] >= 0 && order[k] < count && !seen[order[k]]++;
  }
  return right;
}

/* Points on a line in a space of 32 coordinates, some in the same place. */
static float *points_on_a_line(struct random *random, int64_t count) {
  float *point = kept(malloc((size_t)count * 32 * sizeof *point));
  for (int64_t i = 0; i < count; i++) {
    float along = (float)floor(500 * random_uniform(random));
    for (int64_t c = 0; c < 32; c++) point[i * 32 + c] = along * (float)(c + 1);
  }
  return point;
}

/* Bands are stretches of the line that do not overlap. */
static bool cuts_the_line(const float *point, const int32_t *order, int64_t count) {
  float least[200], most[200];
  int64_t bands = 0;
  bool apart = true;
  for (int64_t i = 0; i < count; i++) {
    float here = point[order[i] * 32];
    if (i % PCF_BAND_POINTS == 0) least[bands] = most[bands] = here, bands++;
    least[bands - 1] = fminf(least[bands - 1], here);
    most[bands - 1] = fmaxf(most[bands - 1], here);
  }
  for (int64_t a = 0; a < bands; a++) {
    for (int64_t b = 0; b < a; b++)
      apart = apart && (least[a] >= most[b] || least[b] >= most[a]);
  }
  return apart;
}

TEST(near_order_is_a_permutation_that_puts_near_points_together) {
  static const int64_t counts[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 100, 1000, 4099};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    int64_t count = counts[k];
    float *point = points_on_a_line(&random, count);
    int32_t *order = kept(malloc(((size_t)count + 1) * sizeof *order));
    int32_t *again = kept(malloc(((size_t)count + 1) * sizeof *again));
    struct pcf_error error;
    CHECK(pcf_near_order(point, count, 32, 1, NULL, order, &error) == PCF_OK);
    CHECK(pcf_near_order(point, count, 32, 3, NULL, again, &error) == PCF_OK);
    CHECK(is_permutation(order, count));
    CHECK(memcmp(order, again, (size_t)count * sizeof *order) == 0);
    CHECK(cuts_the_line(point, order, count));
  }
}

/* ---- Failures ---- */

TEST(bounds_pass_failures_on) {
  struct functions *x = functions_in_groups(&random, 100, 3, 5, 40),
                   *y = functions_in_groups(&random, 90, 3, 5, 40);
  struct asked asked = request_of(&operations[0], PCF_FULL, x, y);
  struct pcf_compared compared = compared_by(&asked);
  struct pcf_bounds bounds;
  struct pcf_error error;
  bool pending = false;
  for (long k = 1; !pending; k++) {
    pcf_memory_fail_at(k);
    enum pcf_status status =
      pcf_bounds_make(&bounds, &compared, best_instructions(), 1, NULL, &error);
    if (!status) status = pcf_bounds_add_bytes(&bounds, 1, NULL, &error);
    pending = memory_failure_is_pending(k);
    CHECK(status == (pending ? PCF_OK : PCF_ERROR_MEMORY));
    pcf_bounds_free(&bounds);
  }
  atomic_int stop = 1;
  CHECK(pcf_bounds_make(&bounds, &compared, best_instructions(), 2, &stop, &error) ==
        PCF_ERROR_INTERRUPTED);
  pcf_bounds_free(&bounds);
}

TEST(bounds_know_nothing_but_norms_of_what_is_observed) {
  struct functions *x = functions_random(&random, PARTIAL, 40, 5, 9);
  struct functions *z = functions_in_groups(&random, 40, 3, 5, 40);
  struct asked asked = request_of(&operations[0], PCF_LOWER_WITH_DIAGONAL, x, NULL);
  struct pcf_compared compared = compared_by(&asked);
  struct pcf_bounds bounds;
  struct pcf_error error;
  _Atomic double limit[40];
  for (int k = 0; k < 40; k++) limit[k] = -1;
  CHECK(pcf_bounds_make(&bounds, &compared, best_instructions(), 1, NULL, &error) == PCF_OK);
  struct pcf_rectangle tile = {0, 32, 0, 32};
  CHECK(pcf_bounds_find(&bounds, &tile, limit, limit, 9, NULL) == 10);
  pcf_bounds_free(&bounds);
  for (int k = 0; k < OPERATIONS; k++) {
    if (pcf_is_norm(operations[k].operation)) continue;
    asked = request_of(&operations[k], PCF_LOWER_WITH_DIAGONAL, z, NULL);
    compared = compared_by(&asked);
    CHECK(pcf_bounds_make(&bounds, &compared, best_instructions(), 1, NULL, &error) == PCF_OK);
    CHECK(pcf_bounds_find(&bounds, &tile, limit, limit, 9, NULL) == 10);
    pcf_bounds_free(&bounds);
  }
}
