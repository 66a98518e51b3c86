#include "pruning/bounds.h"

#include "base/memory.h"
#include "base/threads.h"
#include "pruning/near-order.h"

#include <math.h>

/* ---- Making ---- */

static enum pcf_status bound_collection(struct pcf_bounded *bounded,
                                        const struct pcf_coordinates *coordinates,
                                        const struct pcf_collection *x, int64_t first,
                                        int64_t end, int threads, const atomic_int *stop,
                                        struct pcf_error *error);

enum pcf_status pcf_bounds_make(struct pcf_bounds *bounds, const struct pcf_compared *compared,
                                enum pcf_instructions instructions, int threads,
                                const atomic_int *stop, struct pcf_error *error) {
  *bounds = (struct pcf_bounds){.gaps = pcf_gaps_of(instructions)};
  enum pcf_status status = pcf_coordinates_find(&bounds->coordinates, compared, error);
  if (status || !bounds->coordinates.stretches) return status;
  status = bound_collection(&bounds->x, &bounds->coordinates, compared->x, compared->first_row,
                            compared->end_row, threads, stop, error);
  if (status || !compared->y) return status;
  return bound_collection(&bounds->y, &bounds->coordinates, compared->y, 0, 0, threads, stop,
                          error);
}

static void free_bounded(struct pcf_bounded *bounded) {
  pcf_free(bounded->order);
  pcf_free(bounded->point);
  pcf_free(bounded->least);
  pcf_free(bounded->slack);
  pcf_arrays_free(&bounded->bytes.arrays);
  *bounded = (struct pcf_bounded){0};
}

void pcf_bounds_free(struct pcf_bounds *bounds) {
  free_bounded(&bounds->x);
  free_bounded(&bounds->y);
}

/* All points of a collection, function by function. */
struct points {
  const struct pcf_coordinates *coordinates;
  const struct pcf_collection *x;
  float *point;
  double *slack;
  struct pcf_bounded *bounded;
  int64_t cut[2]; /* what lies between, before and after these is ordered by itself */
};

enum { FUNCTIONS_AT_ONCE = 64 };

static void find_points(void *points_, int64_t first, int64_t end) {
  const struct points *points = points_;
  int64_t coordinates = points->coordinates->metric.coordinates;
  for (int64_t i = first; i < end; i++) {
    points->slack[i] =
      pcf_coordinates_of(points->coordinates, points->x, i, points->point + i * coordinates);
  }
}

/* Unused positions of the last band have the point of its last function. */
static void fill_band(void *points_, int64_t band, int64_t end) {
  const struct points *points = points_;
  struct pcf_bounded *bounded = points->bounded;
  int64_t coordinates = points->coordinates->metric.coordinates;
  float *least = bounded->least + band * coordinates,
        *most = bounded->most + band * coordinates;
  float *to = bounded->point + band * coordinates * PCF_BAND_POINTS;
  bounded->slack[band] = 0;
  for (int lane = 0; lane < PCF_BAND_POINTS; lane++) {
    int64_t position = band * PCF_BAND_POINTS + lane;
    if (position >= bounded->count) position = bounded->count - 1;
    int32_t function = bounded->order[position];
    const float *from = points->point + function * coordinates;
    bounded->slack[band] = fmax(bounded->slack[band], points->slack[function]);
    for (int64_t c = 0; c < coordinates; c++) {
      to[c * PCF_BAND_POINTS + lane] = from[c];
      least[c] = lane && least[c] < from[c] ? least[c] : from[c];
      most[c] = lane && most[c] > from[c] ? most[c] : from[c];
    }
  }
}

static enum pcf_status allocate_bounded(struct pcf_bounded *bounded, int64_t count,
                                        int64_t coordinates, struct pcf_error *error) {
  bounded->count = count;
  bounded->bands = pcf_band_count(count, PCF_BAND_POINTS);
  size_t boxes = (size_t)(bounded->bands * coordinates);
  bounded->order = pcf_allocate((size_t)count, sizeof *bounded->order, error);
  if (!bounded->order) return PCF_ERROR_MEMORY;
  bounded->point = pcf_allocate(boxes, PCF_BAND_POINTS * sizeof *bounded->point, error);
  if (!bounded->point) return PCF_ERROR_MEMORY;
  bounded->least = pcf_allocate(boxes, 2 * sizeof *bounded->least, error);
  if (!bounded->least) return PCF_ERROR_MEMORY;
  bounded->most = bounded->least + boxes;
  bounded->slack = pcf_allocate((size_t)bounded->bands, sizeof *bounded->slack, error);
  return bounded->slack ? PCF_OK : PCF_ERROR_MEMORY;
}

static enum pcf_status order_points(const struct points *points, int threads,
                                    const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_bounded *bounded = points->bounded;
  int coordinates = points->coordinates->metric.coordinates;
  const int64_t edge[] = {0, points->cut[0], points->cut[1], bounded->count};
  enum pcf_status status = PCF_OK;
  for (int k = 0; k < 3 && !status; k++) {
    int64_t first = edge[k], count = edge[k + 1] - first;
    int32_t *order = bounded->order + first;
    if (!count) continue;
    status = pcf_near_order(points->point + first * coordinates, count, coordinates, threads,
                            stop, order, error);
    for (int64_t i = 0; i < count && !status; i++) order[i] += (int32_t)first;
  }
  return status;
}

static enum pcf_status order_and_fill(struct points *points, int threads,
                                      const atomic_int *stop, struct pcf_error *error) {
  struct pcf_bounded *bounded = points->bounded;
  enum pcf_status status = pcf_for_ranges(threads, bounded->count, FUNCTIONS_AT_ONCE, stop,
                                          find_points, points, error);
  if (!status) status = order_points(points, threads, stop, error);
  if (status) return status;
  return pcf_for_ranges(threads, bounded->bands, 1, stop, fill_band, points, error);
}

static enum pcf_status bound_collection(struct pcf_bounded *bounded,
                                        const struct pcf_coordinates *coordinates,
                                        const struct pcf_collection *x, int64_t first,
                                        int64_t end, int threads, const atomic_int *stop,
                                        struct pcf_error *error) {
  size_t count = (size_t)x->count, each = (size_t)coordinates->metric.coordinates;
  struct points points = {
    .coordinates = coordinates, .x = x, .bounded = bounded, .cut = {first, end}};
  enum pcf_status status = allocate_bounded(bounded, x->count, (int64_t)each, error);
  if (status) return status;
  points.point = pcf_allocate(count, each * sizeof *points.point, error);
  points.slack = points.point ? pcf_allocate(count, sizeof *points.slack, error) : NULL;
  status = PCF_ERROR_MEMORY;
  if (points.slack) status = order_and_fill(&points, threads, stop, error);
  pcf_free(points.point);
  pcf_free(points.slack);
  return status;
}

/* ---- Limits ---- */

/* One side of a tile: up to 32 functions, and the gaps that their pairs have to exceed. */
struct side {
  const struct pcf_bounded *bounded;
  int64_t band;
  int count;
  const _Atomic double *limit; /* of the first of them; NULL: none has one */
  double slack;                /* of both sides */
  union {
    float gap[PCF_BAND_POINTS];
    int64_t reach[PCF_BAND_POINTS]; /* of bytes, where there are some */
  };
};

struct range {
  double least, most;
};

/* Of the limits of a side; −∞ where there are none. */
static struct range limits_of(const struct side *side) {
  struct range range = {side->limit ? INFINITY : -INFINITY, -INFINITY};
  for (int k = 0; side->limit && k < side->count; k++) {
    double limit = atomic_load_explicit(&side->limit[k], memory_order_relaxed);
    range.least = limit < range.least ? limit : range.least;
    range.most = limit > range.most ? limit : range.most;
  }
  return range;
}

/* The gap, as the metric has it, beyond which a pair is certain to exceed a limit. A gap is a
 * sum of single numbers, of which each may be off by a rounding and a power by what
 * power-template.h says; gaps below the smallest number that is returned may have underflown.
 * Nothing is at a negative distance. */
static float gap_for(const struct pcf_bounds *bounds, double limit, double slack) {
  static const double roundings = (PCF_MOST_COORDINATES + 16) * 0x1p-22, of_power = 1e-4;
  const struct pcf_coordinates *coordinates = &bounds->coordinates;
  if (limit < 0) return -1;
  double gap = (pcf_gap_limit(coordinates, limit) + slack) * (1 + roundings);
  if (coordinates->metric.operation == PCF_L2) gap *= gap;
  if (coordinates->metric.operation == PCF_LP) {
    gap = pow(gap, coordinates->integral.p) * (1 + of_power);
  }
  return gap > 0x1p-100 ? (float)gap : 0x1p-100f;
}

/* The same in steps of bytes. */
static int64_t reach_for(const struct pcf_bounds *bounds, double limit, double slack) {
  static const double most = 1 << 20; /* more than any bytes are apart */
  if (limit < 0) return -1;
  double reach = pcf_gap_limit(&bounds->coordinates, limit) / bounds->x.bytes.step + slack;
  return (int64_t)(reach < most ? reach : most);
}

static int has_bytes(const struct pcf_bounds *bounds) {
  return bounds->x.bytes.words > 0;
}

static double slack_of_bytes(const struct side *side) {
  return (double)side->bounded->bytes.slack[side->band];
}

static double limit_of(const struct side *side, int k) {
  if (!side->limit || k >= side->count) return -1;
  return atomic_load_explicit(&side->limit[k], memory_order_relaxed);
}

static void find_gaps(const struct pcf_bounds *bounds, struct side *side,
                      const struct side *other, double slack) {
  int bytes = has_bytes(bounds);
  double of_bytes = bytes ? slack_of_bytes(side) + slack_of_bytes(other) : 0;
  side->slack = slack;
  for (int k = 0; k < PCF_BAND_POINTS; k++) {
    double limit = limit_of(side, k);
    if (bytes) side->reach[k] = reach_for(bounds, limit, of_bytes);
    else side->gap[k] = gap_for(bounds, limit, slack);
  }
}

/* ---- Tiles ---- */

static struct pcf_box box_of(const struct pcf_bounds *bounds, const struct side *side) {
  int64_t at = side->band * bounds->coordinates.metric.coordinates;
  return (struct pcf_box){side->bounded->least + at, side->bounded->most + at};
}

static const float *points_of(const struct pcf_bounds *bounds, const struct side *side) {
  int64_t coordinates = bounds->coordinates.metric.coordinates;
  return side->bounded->point + side->band * coordinates * PCF_BAND_POINTS;
}

/* ---- Bytes ---- */

static int words_of(const struct side *side) {
  return side->bounded->bytes.words / 2;
}

static const uint64_t *bytes_of(const struct side *side) {
  const struct pcf_byte_bounds *bytes = &side->bounded->bytes;
  return (const uint64_t *)(bytes->word + side->band * bytes->words * PCF_BAND_POINTS);
}

/* A bit for each function of `side` that may want something in the box of the other side. */
static uint32_t near_box(const struct pcf_bounds *bounds, const struct side *side,
                         const struct side *other) {
  if (has_bytes(bounds)) {
    const struct pcf_byte_bounds *bytes = &other->bounded->bytes;
    int64_t at = other->band * bytes->words;
    return bounds->gaps->near_box(words_of(side), (const uint64_t *)(bytes->least + at),
                                  (const uint64_t *)(bytes->most + at), bytes_of(side),
                                  side->reach);
  }
  struct pcf_box box = box_of(bounds, other);
  float gap[PCF_BAND_POINTS];
  uint32_t near = 0;
  bounds->gaps->of_points(&bounds->coordinates.metric, &box, points_of(bounds, side), gap);
  for (int k = 0; k < side->count; k++) near |= (uint32_t) !(gap[k] > side->gap[k]) << k;
  return near;
}

/* A bit for each function of the other side that function k of `side` may want. */
static uint32_t near_point(const struct pcf_bounds *bounds, const struct side *side, int k,
                           const struct side *other) {
  const struct pcf_metric *metric = &bounds->coordinates.metric;
  float own[PCF_MOST_COORDINATES], gap[PCF_BAND_POINTS], most;
  uint32_t near = 0;
  if (has_bytes(bounds)) {
    if (!bounds->gaps->near_point(words_of(side), bytes_of(side) + k, bytes_of(other),
                                  side->reach[k]))
      return 0;
    most = gap_for(bounds, limit_of(side, k), side->slack);
  } else {
    most = side->gap[k];
  }
  struct pcf_box point = pcf_box_of_point(metric, points_of(bounds, side), k, own);
  bounds->gaps->of_points(metric, &point, points_of(bounds, other), gap);
  for (int l = 0; l < other->count; l++) near |= (uint32_t) !(gap[l] > most) << l;
  return near;
}

/* The pairs of a tile that are wanted: for each row a bit for each column. `count` is how many
 * the side wants that was looked at last, which stops beyond `most`. */
struct marks {
  uint32_t row[PCF_BAND_POINTS];
  int64_t count, most;
};

/* Marks the pairs that function k of `side` wants with those of the other side. `rows`: is
 * `side` the rows? */
static void mark_near(const struct pcf_bounds *bounds, const struct side *side, int k,
                      const struct side *other, int rows, struct marks *marks) {
  uint32_t near = near_point(bounds, side, k, other);
  marks->count += __builtin_popcount(near);
  if (rows) marks->row[k] |= near;
  for (int l = 0; near && !rows && l < other->count; l++) {
    marks->row[l] |= (near >> l & 1) << k;
  }
}

/* Marks the pairs that functions of `side` may want, by their own limits, until there are too
 * many. Only functions that may want something in the box of the other side are looked at. Both
 * sides are counted apart, so that no pair counts twice. */
static void mark_wanted(const struct pcf_bounds *bounds, const struct side *side,
                        const struct side *other, int rows, struct marks *marks) {
  if (!side->limit) return;
  uint32_t some = near_box(bounds, side, other);
  marks->count = 0;
  for (; some && marks->count <= marks->most; some &= some - 1) {
    mark_near(bounds, side, __builtin_ctz(some), other, rows, marks);
  }
}

/* Returns how many pairs of a tile are wanted by rows or by columns, whichever are more. If
 * these are more than `most`, not all may be marked. */
static int64_t mark_tile(const struct pcf_bounds *bounds, struct side *rows,
                         struct side *columns, struct marks *marks) {
  double slack = rows->bounded->slack[rows->band] + columns->bounded->slack[columns->band];
  struct range row = limits_of(rows), column = limits_of(columns);
  double most = fmax(row.most, column.most);
  int all = row.least == INFINITY || column.least == INFINITY;
  if (all || (marks->most == 0 && most == INFINITY)) return marks->most + 1;
  struct pcf_box row_box = box_of(bounds, rows), column_box = box_of(bounds, columns);
  float apart = bounds->gaps->of_boxes(&bounds->coordinates.metric, &row_box, &column_box);
  if (apart > gap_for(bounds, most, slack)) return 0;
  find_gaps(bounds, rows, columns, slack);
  find_gaps(bounds, columns, rows, slack);
  mark_wanted(bounds, rows, columns, 1, marks);
  int64_t count = marks->count;
  if (count <= marks->most) mark_wanted(bounds, columns, rows, 0, marks);
  return count > marks->count ? count : marks->count;
}

/* ---- Rectangles ---- */

static struct side side_of(const struct pcf_bounded *bounded, int64_t first, int64_t end,
                           const _Atomic double *limit) {
  return (struct side){.bounded = bounded,
                       .band = first / PCF_BAND_POINTS,
                       .count = (int)pcf_smaller(end - first, PCF_BAND_POINTS),
                       .limit = limit};
}

/* Lists the pairs that are marked, after `listed` others; returns how many there are then. */
static int64_t list_marked(const struct marks *marks, int64_t row, int64_t column,
                           int64_t listed, int64_t most, struct pcf_pair_position *position) {
  for (int i = 0; i < PCF_BAND_POINTS; i++) {
    for (int lane = 0; lane < PCF_BAND_POINTS && marks->row[i] >> lane; lane++) {
      if (!(marks->row[i] >> lane & 1)) continue;
      if (listed == most) return most + 1;
      position[listed++] = (struct pcf_pair_position){(int32_t)row + i, (int32_t)column + lane};
    }
  }
  return listed;
}

int64_t pcf_bounds_find(const struct pcf_bounds *bounds, const struct pcf_rectangle *rectangle,
                        const _Atomic double *limit, const _Atomic double *column_limit,
                        int64_t most, struct pcf_pair_position *position) {
  int64_t row = rectangle->row, column = rectangle->column, listed = 0;
  if (!bounds->coordinates.stretches) return most + 1;
  for (int64_t i = 0; i < rectangle->rows; i += PCF_BAND_POINTS) {
    struct side rows = side_of(&bounds->x, row + i, row + rectangle->rows, limit + i);
    for (int64_t j = 0; j < rectangle->columns; j += PCF_BAND_POINTS) {
      struct side columns =
        side_of(pcf_bounded_columns(bounds), column + j, column + rectangle->columns,
                column_limit ? column_limit + j : NULL);
      struct marks marks = {.most = most};
      if (mark_tile(bounds, &rows, &columns, &marks) > most) return most + 1;
      listed = list_marked(&marks, i, j, listed, most, position);
      if (listed > most) return most + 1;
    }
  }
  return listed;
}
