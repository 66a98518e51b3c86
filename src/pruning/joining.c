#include "pruning/joining.h"

#include "base/memory.h"
#include "base/threads.h"
#include "pruning/few.h"

#include <math.h>
#include <stdlib.h>

/* Parts are the labels at first. From some functions of a part, descents lead to near pairs
 * with other parts, by their points; by these pairs parts are joined, until one is left: the
 * tree that this makes is about as long as the shortest one. Of too many labels only the
 * largest have descents, and none are joined. */
enum { MOST_DESCENTS = 512, STARTS = 4, STEPS = 8 };

struct descent {
  int64_t from, to; /* positions; to < 0: there is no other part */
  double distance;
};

struct sized {
  int64_t size;
  int32_t part;
};

struct joining {
  const struct pcf_bounds *bounds;
  const struct pcf_wanted *wanted;
  struct pcf_few few;
  struct pcf_arrays arrays;
  int64_t labels, parts;
  int32_t *own;        /* of each position: the number of its label */
  int32_t *root;       /* of each label, as a forest: its part is that of a root */
  int32_t *part;       /* of each position */
  int32_t *of_band;    /* the part that all functions of a band are of, or -1 */
  int64_t *size;       /* of each part; 0 if it is none any more */
  int64_t *start;      /* where the positions of each part are */
  int64_t *position;   /* by part */
  struct sized *sized; /* the parts; the largest first, where these are too many */
  double *near;        /* of each label */
  double farthest;     /* of the pairs that joined parts */
  struct descent descent[MOST_DESCENTS];
  int64_t descents;
};

/* ---- Parts ---- */

struct labelled {
  int32_t label, position;
};

static int by_label(const void *a_, const void *b_) {
  const struct labelled *a = a_, *b = b_;
  return (a->label > b->label) - (a->label < b->label);
}

static enum pcf_status number_labels(struct joining *joining, struct pcf_error *error) {
  const struct pcf_bounded *x = &joining->bounds->x;
  struct labelled *labelled = pcf_allocate((size_t)x->count, sizeof *labelled, error);
  if (!labelled) return PCF_ERROR_MEMORY;
  for (int64_t i = 0; i < x->count; i++) {
    labelled[i] = (struct labelled){joining->wanted->label[x->order[i]], (int32_t)i};
  }
  qsort(labelled, (size_t)x->count, sizeof *labelled, by_label);
  for (int64_t i = 0; i < x->count; i++) {
    if (i == 0 || labelled[i].label != labelled[i - 1].label) joining->labels++;
    joining->own[labelled[i].position] = (int32_t)joining->labels - 1;
  }
  pcf_free(labelled);
  return PCF_OK;
}

static int32_t root_of(int32_t *root, int32_t i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

static void find_parts(struct joining *joining) {
  const struct pcf_bounded *x = &joining->bounds->x;
  for (int64_t p = 0; p < joining->labels; p++) joining->size[p] = 0;
  for (int64_t i = 0; i < x->count; i++) {
    int32_t part = root_of(joining->root, joining->own[i]);
    int32_t *of_band = &joining->of_band[i / PCF_BAND_POINTS];
    joining->part[i] = part;
    joining->size[part]++;
    if (i % PCF_BAND_POINTS == 0) *of_band = part;
    else if (*of_band != part) *of_band = -1;
  }
  joining->parts = 0;
  int64_t first = 0;
  for (int32_t p = 0; p < joining->labels; p++) {
    joining->start[p] = first;
    first += joining->size[p];
    if (!joining->size[p]) continue;
    joining->sized[joining->parts++] = (struct sized){joining->size[p], p};
  }
  for (int64_t i = 0; i < x->count; i++) {
    joining->position[joining->start[joining->part[i]]++] = i;
  }
  for (int64_t p = 0; p < joining->labels; p++) joining->start[p] -= joining->size[p];
}

/* ---- Descents ---- */

/* The nearest of all functions that are of the part, or of those that are not, by their points;
 * -1 if there is none. Bands are looked at from that of the position on. */
static int64_t nearest_to(const struct joining *joining, int64_t position, int32_t part,
                          int of_part) {
  const struct pcf_bounds *bounds = joining->bounds;
  const struct pcf_bounded *x = &bounds->x;
  const struct pcf_metric *metric = &bounds->coordinates.metric;
  int64_t each = metric->coordinates, home = position / PCF_BAND_POINTS, nearest = -1;
  float own[PCF_MOST_COORDINATES], gap[PCF_BAND_POINTS], least = INFINITY;
  const float *band = x->point + home * each * PCF_BAND_POINTS;
  struct pcf_box point = pcf_box_of_point(metric, band, position % PCF_BAND_POINTS, own);
  for (int64_t k = 0; k < 2 * x->bands; k++) {
    int64_t b = k % 2 ? home - (k + 1) / 2 : home + k / 2;
    if (b < 0 || b >= x->bands) continue;
    int32_t of_band = joining->of_band[b];
    if (of_band >= 0 && (of_band == part) != of_part) continue;
    struct pcf_box box = {x->least + b * each, x->most + b * each};
    if (!(bounds->gaps->of_boxes(metric, &point, &box) < least)) continue;
    bounds->gaps->of_points(metric, &point, x->point + b * each * PCF_BAND_POINTS, gap);
    for (int64_t lane = 0; lane < PCF_BAND_POINTS; lane++) {
      int64_t i = b * PCF_BAND_POINTS + lane;
      if (i >= x->count || !(gap[lane] < least)) continue;
      if ((joining->part[i] == part) != of_part) continue;
      least = gap[lane];
      nearest = i;
    }
  }
  return nearest;
}

static enum pcf_status descend(void *joining_, int thread, int64_t index,
                               struct pcf_error *error) {
  struct joining *joining = joining_;
  struct descent *descent = &joining->descent[index];
  const int32_t *order = joining->bounds->x.order;
  const double *least = joining->wanted->least;
  int32_t part = joining->part[descent->from];
  descent->to = -1;
  for (int step = 0; step < STEPS; step++) {
    int64_t to = nearest_to(joining, descent->from, part, 0);
    if (to < 0 || to == descent->to) break;
    descent->to = to;
    descent->from = nearest_to(joining, to, part, 1);
  }
  if (descent->to < 0) return PCF_OK;
  int32_t from = order[descent->from], to = order[descent->to];
  enum pcf_status status =
    pcf_few_distances(&joining->few, from, 1, &to, &descent->distance, error);
  const double *slack = joining->bounds->x.slack;
  descent->distance = pcf_likely_limit(&joining->bounds->coordinates, descent->distance,
                                       slack[descent->from / PCF_BAND_POINTS] +
                                         slack[descent->to / PCF_BAND_POINTS]);
  if (least) descent->distance = fmax(descent->distance, fmax(least[from], least[to]));
  return status;
}

/* ---- Joining ---- */

static int by_distance(const void *a_, const void *b_) {
  const struct descent *a = a_, *b = b_;
  if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
  return (a->from > b->from) - (a->from < b->from);
}

static int by_size(const void *a_, const void *b_) {
  const struct sized *a = a_, *b = b_;
  if (a->size != b->size) return a->size > b->size ? -1 : 1;
  return (a->part > b->part) - (a->part < b->part);
}

static void list_descents(struct joining *joining) {
  int64_t parts = pcf_smaller(joining->parts, MOST_DESCENTS);
  int64_t starts = pcf_smaller(MOST_DESCENTS / parts, STARTS);
  joining->descents = 0;
  for (int64_t k = 0; k < parts; k++) {
    int32_t part = joining->sized[k].part;
    int64_t size = joining->size[part], some = pcf_smaller(starts, size);
    for (int64_t s = 0; s < some; s++) {
      int64_t at = joining->start[part] + (2 * s + 1) * size / (2 * some);
      joining->descent[joining->descents++] = (struct descent){joining->position[at], -1, 0};
    }
  }
}

/* Descents that end with a pair, the nearest first. */
static void join_parts(struct joining *joining) {
  struct descent *descent = joining->descent;
  qsort(descent, (size_t)joining->descents, sizeof *descent, by_distance);
  for (int64_t k = 0; k < joining->descents; k++) {
    if (descent[k].to < 0) continue;
    double distance = descent[k].distance;
    int64_t end[] = {descent[k].from, descent[k].to};
    int32_t a = root_of(joining->root, joining->part[end[0]]);
    int32_t b = root_of(joining->root, joining->part[end[1]]);
    for (int side = 0; side < 2; side++) {
      double *near = &joining->near[joining->own[end[side]]];
      *near = fmin(*near, distance);
    }
    if (a == b) continue;
    joining->root[a] = b;
    joining->farthest = fmax(joining->farthest, distance);
  }
}

static enum pcf_status join_all(struct joining *joining, int threads, const atomic_int *stop,
                                struct pcf_error *error) {
  find_parts(joining);
  int some = joining->parts > MOST_DESCENTS;
  if (some) {
    qsort(joining->sized, (size_t)joining->parts, sizeof *joining->sized, by_size);
    joining->farthest = INFINITY;
  }
  for (int64_t before = INT64_MAX; joining->parts > 1 && joining->parts < before;) {
    before = some ? 0 : joining->parts;
    list_descents(joining);
    enum pcf_status status =
      pcf_parallel_for(threads, joining->descents, stop, descend, joining, error);
    if (status) return status;
    join_parts(joining);
    if (!some) find_parts(joining);
  }
  return PCF_OK;
}

static enum pcf_status allocate(struct joining *joining, struct pcf_error *error) {
  struct pcf_arrays *arrays = &joining->arrays;
  size_t n = (size_t)joining->bounds->x.count, bands = (size_t)joining->bounds->x.bands;
  joining->own = pcf_array(arrays, n, sizeof *joining->own, error);
  joining->root = pcf_array(arrays, n, sizeof *joining->root, error);
  joining->part = pcf_array(arrays, n, sizeof *joining->part, error);
  joining->of_band = pcf_array(arrays, bands, sizeof *joining->of_band, error);
  joining->size = pcf_array(arrays, n, sizeof *joining->size, error);
  joining->start = pcf_array(arrays, n, sizeof *joining->start, error);
  joining->position = pcf_array(arrays, n, sizeof *joining->position, error);
  joining->sized = pcf_array(arrays, n, sizeof *joining->sized, error);
  joining->near = pcf_array(arrays, n, sizeof *joining->near, error);
  return arrays->status ? arrays->status : number_labels(joining, error);
}

enum pcf_status pcf_joining_limits(const struct pcf_bounds *bounds,
                                   const struct pcf_wanted *wanted,
                                   enum pcf_instructions instructions, int threads,
                                   const atomic_int *stop, double *limit,
                                   struct pcf_error *error) {
  static const double several = 2;
  struct joining joining = {.bounds = bounds,
                            .wanted = wanted,
                            .few = {.integral = &bounds->coordinates.integral,
                                    .x = wanted->x,
                                    .y = wanted->x,
                                    .kernels = pcf_kernels_of(instructions),
                                    .stop = stop}};
  enum pcf_status status = allocate(&joining, error);
  for (int64_t p = 0; p < joining.labels && !status; p++) {
    joining.root[p] = (int32_t)p;
    joining.near[p] = INFINITY;
  }
  if (!status) status = join_all(&joining, threads, stop, error);
  for (int64_t i = 0; i < bounds->x.count && !status; i++) {
    double near = joining.near[joining.own[i]];
    limit[bounds->x.order[i]] = fmin(several * near, joining.farthest);
  }
  pcf_arrays_free(&joining.arrays);
  return status;
}
