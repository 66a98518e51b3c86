/* How the tile kernels finish: the sums of both sides are put together, the stretch after the
 * last event is added, roots are taken, and the results are stored. Part of tile-template.h. */

/* What |f − g| of a pair is relative to, and its inverse. */
INLINE SCALAR inverse_of_pair(const struct work *work, int i, int j) {
  if (!work->own[0]) return work->inverse[0][(size_t)i * (size_t)work->width + (size_t)j];
  return work->own[0][i] < work->own[1][j] ? work->own[0][i] : work->own[1][j];
}

INLINE SCALAR supremum_of_pair(const struct work *work, int i, int j) {
  if (work->own[0]) return 1 / inverse_of_pair(work, i, j);
  return work->suprema[(size_t)i * (size_t)work->width + (size_t)j];
}

/* Adds the stretch from the last event to the end of the window. */
INLINE SCALAR add_tail(int operation, const struct pcf_tile *tile, const struct work *work,
                       int i, int j, SCALAR sum) {
  const struct state *rows = &work->side[0], *columns = &work->side[1];
  SCALAR a = rows->value[i], b = columns->value[j], to = (SCALAR)tile->to;
  SCALAR last = rows->last[i] > columns->last[j] ? rows->last[i] : columns->last[j];
  SCALAR combined = scalar_combine(operation, a, b);
  if (pcf_takes_powers(operation)) {
    combined = combined > 0
                 ? scalar_pow(combined * inverse_of_pair(work, i, j), (SCALAR)tile->integral->p)
                 : 0;
  }
  if (!pcf_is_supremum(operation)) combined = (SCALAR)(combined * work->height);
  return scalar_add_tail(operation, sum, to - last, a, b, combined);
}

/* sum^(inverse + lost), where `inverse` is an exponent rounded and `lost` what that has lost:
 * that counts where the sum is far from 1. */
INLINE SCALAR NAME(take_root)(SCALAR sum, SCALAR inverse, double lost) {
  int exponent;
  SCALAR root = scalar_pow(sum, inverse);
  if (!(sum < (SCALAR)INFINITY)) return root;
  frexp((double)sum, &exponent);
  return root + root * (SCALAR)(lost * (exponent - 0.5) * 0.6931471805599453);
}

static TARGET void finish_column(int operation, const struct pcf_tile *tile,
                                 const struct work *work, int j, int begin, int end) {
  SCALAR *output = (SCALAR *)tile->output + tile->stride * j;
  double p = tile->integral->p;
  int i = begin;
  if (pcf_root(operation, p) == 1) return;
  if (pcf_whole_form(operation) == PCF_L2) {
    for (; i + LANES <= end; i += LANES) v_store(output + i, v_sqrt(v_load(output + i)));
  }
  if (!pcf_takes_powers(operation)) {
    for (; i < end; i++) output[i] = scalar_finish(operation, output[i], p);
    return;
  }
  SCALAR inverse = (SCALAR)(1 / p);
  double lost = fma(-(double)inverse, p, 1) / p;
  for (; i < end; i++) {
    output[i] = NAME(take_root)(output[i], inverse, lost);
    output[i] *= supremum_of_pair(work, i, j);
  }
}

/* The least and the largest of the values that `count` functions end with; ∞ and −∞ where all
 * are missing. */
static void NAME(last_values)(const struct state *side, int count, SCALAR range[2]) {
  range[0] = (SCALAR)INFINITY;
  range[1] = -(SCALAR)INFINITY;
  for (int k = 0; k < count; k++) {
    if (side->value[k] < range[0]) range[0] = side->value[k];
    if (side->value[k] > range[1]) range[1] = side->value[k];
  }
}

/* Is there anything to add after the last event? */
static int NAME(has_tail)(int operation, const struct work *work, int rows, int columns) {
  SCALAR row[2], column[2];
  NAME(last_values)(&work->side[0], rows, row);
  NAME(last_values)(&work->side[1], columns, column);
  if (row[0] > row[1] || column[0] > column[1]) return 0;
  int tail = 0;
  for (int k = 0; k < 4; k++) tail |= scalar_sign(operation, row[k / 2], column[k % 2]);
  return tail;
}

/* A step of a transposition: of every square of 2 × 2 squares with a side of d, the two off the
 * diagonal change places. v_even(a, b, d) has, of every 2d lanes, the first d of a and then the
 * first d of b; v_odd() has the others. */
INLINE TARGET void NAME(exchange)(V *block, int d) {
  UNROLL_LANES
  for (int r = 0; r < LANES; r++) {
    if (r & d) continue;
    V a = block[r], b = block[r + d < LANES ? r + d : r];
    block[r] = v_even(a, b, d);
    block[r + d < LANES ? r + d : r] = v_odd(a, b, d);
  }
}

/* Transposes LANES × LANES scalars. */
INLINE TARGET void NAME(transpose)(V *block) {
  if (LANES > 1) NAME(exchange)(block, 1);
  if (LANES > 2) NAME(exchange)(block, 2);
  if (LANES > 4) NAME(exchange)(block, 4);
  if (LANES > 8) NAME(exchange)(block, 8);
}

/* Are the sums of a rectangular tile all there is, in whole vectors, so that they are put
 * together where the results go? */
INLINE int NAME(joins_in_place)(const struct pcf_tile *tile, const struct work *work, int rows,
                                int columns) {
  return !tile->triangle && !work->wide[0] && rows % LANES == 0 && columns % LANES == 0;
}

/* Adds the sums of the row functions, transposed, to those of the column functions, which are
 * laid out as the output is: into columns of `joined` that are `stride` apart. On a triangular
 * tile both are in one array, which is `joined`, and the sum of a function with itself is there
 * once only. */
INLINE TARGET void join_sums(int supremum, const struct pcf_tile *tile, const struct work *work,
                             int rows, int columns, SCALAR *joined, int64_t stride) {
  size_t w = (size_t)work->width;
  for (int j = 0; j < columns; j += LANES) {
    for (int i = tile->triangle ? j : 0; i < rows; i += LANES) {
      const SCALAR *forward = work->sums[0] + (size_t)i * w + (size_t)j;
      SCALAR *backward = work->sums[1] + (size_t)j * w + (size_t)i, own[LANES];
      int diagonal = tile->triangle && i == j;
      V block[LANES];
      UNROLL_LANES
      for (int r = 0; r < LANES; r++) block[r] = v_load(forward + (size_t)r * w);
      NAME(transpose)(block);
      for (size_t k = 0; diagonal && k < LANES; k++) own[k] = backward[k * w + k];
      UNROLL_LANES
      for (int r = 0; r < LANES; r++) {
        V sum = v_load(backward + (size_t)r * w);
        sum = supremum ? v_max(block[r], sum) : v_add(block[r], sum);
        v_store(joined + stride * (j + r) + i, sum);
      }
      for (size_t k = 0; diagonal && k < LANES; k++) backward[k * w + k] = own[k];
    }
  }
}

/* Adds what is after the last event to a column of results. */
static TARGET void NAME(add_tails)(int operation, const struct pcf_tile *tile,
                                   const struct work *work, int j, int begin, int end) {
  SCALAR *output = (SCALAR *)tile->output + tile->stride * j;
#define ADD_TAILS(operation) \
  for (int i = begin; i < end; i++) output[i] = add_tail(operation, tile, work, i, j, output[i])
  PCF_WITH_OPERATION(operation, ADD_TAILS)
}

/* Adds the wide sums, within strips of rows, so that the transposed reads stay in the cache. */
static void NAME(join_wide_sums)(const struct pcf_tile *tile, const struct work *work, int both,
                                 int rows, int columns) {
  enum { STRIP = 16 };
  size_t w = (size_t)work->width;
  for (int strip = 0; strip < rows; strip += STRIP) {
    int end = strip + STRIP < rows ? strip + STRIP : rows;
    for (int j = 0; j < columns; j++) {
      for (int i = tile->triangle && j > strip ? j : strip; i < end; i++) {
        size_t there = (size_t)j * w + (size_t)i;
        double wide = work->wide[1][there];
        if (both && !(tile->triangle && i == j)) {
          wide += work->wide[0][(size_t)i * w + (size_t)j];
        }
        work->sums[1][there] = (SCALAR)(wide + work->height * (double)work->sums[1][there]);
      }
    }
  }
}

/* Puts the accumulators together, adds the tails, takes roots, and stores the results. */
static TARGET void finish_tile(int operation, const struct pcf_tile *tile,
                               const struct work *work, int both, int rows, int columns) {
  int tail = NAME(has_tail)(operation, work, rows, columns);
  int in_place = both && NAME(joins_in_place)(tile, work, rows, columns);
  SCALAR *joined = in_place ? tile->output : work->sums[1];
  int64_t stride = in_place ? tile->stride : work->width;
  if (both && pcf_is_supremum(operation)) {
    join_sums(1, tile, work, rows, columns, joined, stride);
  } else if (both) {
    join_sums(0, tile, work, rows, columns, joined, stride);
  }
  if (work->wide[0] && !pcf_is_supremum(operation)) {
    NAME(join_wide_sums)(tile, work, both, rows, columns);
  }
  for (int j = 0; j < columns; j++) {
    SCALAR *output = (SCALAR *)tile->output + tile->stride * j;
    const SCALAR *sums = work->sums[1] + (size_t)j * (size_t)work->width;
    int begin = tile->triangle ? j : 0;
    if (begin >= rows) break;
    if (!in_place) memcpy(output + begin, sums + begin, (size_t)(rows - begin) * sizeof *sums);
    if (tail) NAME(add_tails)(operation, tile, work, j, begin, rows);
    if (!tile->part) finish_column(operation, tile, work, j, begin, rows);
  }
}

/* After a pass for L∞: keeps the suprema, tails included, for the pass with general p. */
static void collect_suprema(const struct pcf_tile *tile, const struct work *work, int both) {
  int w = work->width;
  for (int i = 0; i < w; i++) {
    for (int j = 0; j < w; j++) {
      size_t here = (size_t)i * (size_t)w + (size_t)j,
             there = (size_t)j * (size_t)w + (size_t)i;
      SCALAR supremum = work->sums[1][there];
      if (both) supremum = scalar_join(PCF_LINF, work->sums[0][here], supremum);
      supremum = add_tail(PCF_LINF, tile, work, i, j, supremum);
      if (supremum > 0 && supremum < SMALLEST_NORMAL) supremum = SMALLEST_NORMAL; /* 1/x */
      work->suprema[here] = supremum;
      work->inverse[0][here] = work->inverse[1][there] = supremum > 0 ? 1 / supremum : 0;
    }
  }
}

static SCALAR NAME(inverse_unit)(struct pcf_magnitude magnitude) {
  return (SCALAR)pcf_times_power_of_2(1, -magnitude.top - 1);
}

/* Where the functions of the whole tile are in power range. */
static void relate_to_units(const struct pcf_tile *tile, struct work *work) {
  work->inverse[0] = work->suprema;
  work->inverse[1] = work->suprema + work->width;
  for (int k = 0; k < work->width; k++) {
    work->inverse[0][k] = NAME(inverse_unit)(tile->sweep.columns->magnitude[k]);
    work->inverse[1][k] = NAME(inverse_unit)(tile->sweep.rows->magnitude[k]);
  }
  work->own[0] = work->inverse[1];
  work->own[1] = work->inverse[0];
}

static int NAME(are_in_range)(const struct pcf_tile *tile, int i, int j) {
  const struct pcf_band *rows = tile->sweep.rows, *columns = tile->sweep.columns;
  return pcf_in_power_range(tile->integral,
                            pcf_larger_magnitude(rows->magnitude[i], columns->magnitude[j]));
}

/* Are pairs of a tile in power range: none (0), some, or ALL_PAIRS? Parts count as none. */
static int NAME(pairs_in_range)(const struct pcf_tile *tile) {
  if (PCF_SINGLE) return 0;
  const struct pcf_band *rows = tile->sweep.rows, *columns = tile->sweep.columns;
  if (!rows->magnitude || !columns->magnitude) return 0;
  struct pcf_magnitude largest = pcf_larger_magnitude(rows->largest, columns->largest);
  if (pcf_in_power_range(tile->integral, largest)) return ALL_PAIRS;
  for (int i = 0; i < rows->count; i++) {
    for (int j = 0; j < columns->count; j++) {
      if (NAME(are_in_range)(tile, i, j)) return 1;
    }
  }
  return 0;
}

/* After a pass relative to units and another one relative to suprema: takes the results of the
 * latter for pairs that are not in power range. */
static void NAME(take_out_of_range)(const struct pcf_tile *tile, const struct work *work) {
  SCALAR *output = tile->output;
  for (int j = 0; j < tile->sweep.columns->count; j++) {
    for (int i = tile->triangle ? j : 0; i < tile->sweep.rows->count; i++) {
      if (NAME(are_in_range)(tile, i, j)) continue;
      output[i + tile->stride * j] = work->other[(size_t)i + (size_t)work->width * (size_t)j];
    }
  }
}
