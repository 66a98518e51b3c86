#include "pruning/near-order.h"

#include "base/memory.h"
#include "base/threads.h"
#include "pruning/coordinates.h"

#include <math.h>

/* The direction of the largest spread is that of the first principal component, which so many
 * steps of the power iteration over so many points come close to. */
enum { SAMPLE = 128, STEPS = 6 };

/* A point, where its coordinates are, and where it lies along a direction. */
struct place {
  float key;
  int32_t point, row;
};

/* Consecutive places that are still to be cut, in ascending order. */
struct group {
  int64_t first, count;
};

struct cutting {
  const float *point;
  int coordinates;
  const atomic_int *stop;
  struct place *place;
  struct group *group;
  int64_t groups;
  float *direction;   /* PCF_MOST_COORDINATES for each group */
  struct group *half; /* two for each group; what is one band has a count of 0 */
};

/* Places whose keys are found at once; and points that one thread goes on with alone, whose
 * coordinates it has in its cache. */
enum { KEYS = 512, ALONE = 4096 };

static pcf_loop_body direct_group, find_keys, halve_group, finish_group;

/* Moves those that are to be cut to the front. */
static int64_t gather(struct group *group, int64_t groups) {
  int64_t kept = 0;
  for (int64_t g = 0; g < groups; g++) {
    if (group[g].count) group[kept++] = group[g];
  }
  return kept;
}

static enum pcf_status cut_groups(struct pcf_team *team, struct cutting *cutting,
                                  struct pcf_error *error) {
  const struct group *last = &cutting->group[cutting->groups - 1];
  int64_t parts = (last->first + last->count + KEYS - 1) / KEYS;
  const atomic_int *stop = cutting->stop;
  enum pcf_status status =
    pcf_team_for(team, cutting->groups, stop, direct_group, cutting, error);
  if (!status) status = pcf_team_for(team, parts, stop, find_keys, cutting, error);
  if (status) return status;
  return pcf_team_for(team, cutting->groups, stop, halve_group, cutting, error);
}

/* The first group of all `count` places, and room for all groups there will be at once. */
static enum pcf_status begin(struct cutting *cutting, int64_t count, struct pcf_arrays *arrays,
                             struct pcf_error *error) {
  size_t most = (size_t)(count / PCF_BAND_POINTS + 2);
  cutting->group = pcf_array(arrays, most, 2 * sizeof *cutting->group, error);
  cutting->half = pcf_array(arrays, most, 2 * sizeof *cutting->half, error);
  cutting->direction =
    pcf_array(arrays, most, PCF_MOST_COORDINATES * sizeof *cutting->direction, error);
  if (arrays->status) return arrays->status;
  cutting->group[0] = (struct group){0, count};
  cutting->groups = count > PCF_BAND_POINTS;
  return PCF_OK;
}

/* Cuts until no group has more than `enough` points. Those of one time are of about one size,
 * and the last one is among the largest. */
static enum pcf_status cut_down(struct pcf_team *team, struct cutting *cutting, int64_t enough,
                                struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  while (cutting->groups && cutting->group[cutting->groups - 1].count > enough && !status) {
    status = cut_groups(team, cutting, error);
    if (!status) cutting->groups = gather(cutting->half, 2 * cutting->groups);
    struct group *swap = cutting->group;
    cutting->group = cutting->half;
    cutting->half = swap;
  }
  return status;
}

static enum pcf_status cut_all(struct cutting *cutting, int64_t count, int threads,
                               struct pcf_error *error) {
  struct pcf_arrays arrays = {0};
  int64_t worth = (count + KEYS - 1) / KEYS;
  struct pcf_team *team = pcf_team_start(threads < worth ? threads : (int)worth, error);
  enum pcf_status status = team ? begin(cutting, count, &arrays, error) : PCF_ERROR_MEMORY;
  if (!status) status = cut_down(team, cutting, ALONE, error);
  if (!status) {
    status = pcf_team_for(team, cutting->groups, cutting->stop, finish_group, cutting, error);
  }
  pcf_team_end(team);
  pcf_arrays_free(&arrays);
  return status;
}

enum pcf_status pcf_near_order(const float *point, int64_t count, int coordinates, int threads,
                               const atomic_int *stop, int32_t *order,
                               struct pcf_error *error) {
  struct cutting cutting = {.point = point, .coordinates = coordinates, .stop = stop};
  cutting.place = pcf_allocate((size_t)count, sizeof *cutting.place, error);
  if (!cutting.place) return PCF_ERROR_MEMORY;
  for (int32_t i = 0; i < count; i++) cutting.place[i] = (struct place){0, i, i};
  enum pcf_status status = cut_all(&cutting, count, threads, error);
  for (int64_t i = 0; i < count && !status; i++) order[i] = cutting.place[i].point;
  pcf_free(cutting.place);
  return status;
}

/* Cuts a group down to bands, with its coordinates together. */
static enum pcf_status finish_group(void *cutting_, int thread, int64_t index,
                                    struct pcf_error *error) {
  const struct cutting *cutting = cutting_;
  const struct group *group = &cutting->group[index];
  size_t row = (size_t)cutting->coordinates;
  struct pcf_arrays arrays = {0};
  struct cutting own = {.coordinates = cutting->coordinates, .stop = cutting->stop};
  float *point = pcf_array(&arrays, (size_t)group->count, row * sizeof *point, error);
  if (!point) return PCF_ERROR_MEMORY;
  own.point = point;
  own.place = cutting->place + group->first;
  for (int32_t k = 0; k < group->count; k++, point += row) {
    const float *from = cutting->point + (size_t)own.place[k].row * row;
    for (size_t c = 0; c < row; c++) point[c] = from[c];
    own.place[k].row = k;
  }
  enum pcf_status status = begin(&own, group->count, &arrays, error);
  if (!status) status = cut_down(NULL, &own, PCF_BAND_POINTS, error);
  pcf_arrays_free(&arrays);
  return status;
}

/* ---- Directions ---- */

static const float *point_of(const struct cutting *cutting, int64_t place) {
  return cutting->point + (int64_t)cutting->place[place].row * cutting->coordinates;
}

/* The sample of a group, about its mean. */
struct cloud {
  int points, coordinates;
  float point[SAMPLE][PCF_MOST_COORDINATES];
};

static void fill_cloud(struct cloud *cloud, const struct cutting *cutting,
                       const struct group *group) {
  float mean[PCF_MOST_COORDINATES] = {0};
  cloud->points = (int)(group->count < SAMPLE ? group->count : SAMPLE);
  cloud->coordinates = cutting->coordinates;
  for (int k = 0; k < cloud->points; k++) {
    const float *from = point_of(cutting, group->first + group->count * k / cloud->points);
    for (int c = 0; c < cloud->coordinates; c++) {
      cloud->point[k][c] = from[c];
      mean[c] += from[c] / (float)cloud->points;
    }
  }
  for (int k = 0; k < cloud->points; k++) {
    for (int c = 0; c < cloud->coordinates; c++) cloud->point[k][c] -= mean[c];
  }
}

/* In lanes that compilers make vectors of. */
static float inner_product(const float *a, const float *b, int coordinates) {
  enum { LANES = 8 };
  float lane[LANES] = {0}, sum = 0;
  for (int c = 0; c < coordinates; c += LANES) {
    for (int l = 0; l < LANES; l++) lane[l] += a[c + l] * b[c + l];
  }
  for (int l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}

/* Scales a direction to the length 1; returns 0 where it has none. */
static int normalize(float *direction, int coordinates) {
  float most = 0;
  for (int c = 0; c < coordinates; c++) most = fmaxf(most, fabsf(direction[c]));
  if (!(most > 0 && most < INFINITY)) return 0;
  for (int c = 0; c < coordinates; c++) direction[c] /= most;
  float length = sqrtf(inner_product(direction, direction, coordinates));
  for (int c = 0; c < coordinates; c++) direction[c] /= length;
  return 1;
}

/* Starts from the point that is farthest from the mean. */
static int start(const struct cloud *cloud, float *direction) {
  int farthest = 0;
  float most = -1;
  for (int k = 0; k < cloud->points; k++) {
    float square = inner_product(cloud->point[k], cloud->point[k], cloud->coordinates);
    if (square > most) most = square, farthest = k;
  }
  for (int c = 0; c < cloud->coordinates; c++) direction[c] = cloud->point[farthest][c];
  return normalize(direction, cloud->coordinates);
}

static void find_direction(const struct cloud *cloud, float *direction) {
  int found = start(cloud, direction);
  for (int step = 0; step < STEPS && found; step++) {
    float next[PCF_MOST_COORDINATES] = {0};
    for (int k = 0; k < cloud->points; k++) {
      float along = inner_product(cloud->point[k], direction, cloud->coordinates);
      for (int c = 0; c < cloud->coordinates; c++) next[c] += along * cloud->point[k][c];
    }
    if (!normalize(next, cloud->coordinates)) return;
    for (int c = 0; c < cloud->coordinates; c++) direction[c] = next[c];
  }
}

static enum pcf_status direct_group(void *cutting_, int thread, int64_t index,
                                    struct pcf_error *error) {
  const struct cutting *cutting = cutting_;
  struct cloud cloud;
  float *direction = cutting->direction + index * PCF_MOST_COORDINATES;
  for (int c = 0; c < PCF_MOST_COORDINATES; c++) direction[c] = 0;
  fill_cloud(&cloud, cutting, &cutting->group[index]);
  find_direction(&cloud, direction);
  return PCF_OK;
}

/* The first group that ends behind a place. */
static int64_t group_from(const struct cutting *cutting, int64_t place) {
  int64_t first = 0, end = cutting->groups;
  while (first < end) {
    int64_t middle = first + (end - first) / 2;
    const struct group *group = &cutting->group[middle];
    if (group->first + group->count <= place) first = middle + 1;
    else end = middle;
  }
  return first;
}

/* The keys of places index · KEYS … that are in groups. */
static enum pcf_status find_keys(void *cutting_, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct cutting *cutting = cutting_;
  int64_t begin = index * KEYS, end = begin + KEYS;
  for (int64_t g = group_from(cutting, begin); g < cutting->groups; g++) {
    const struct group *group = &cutting->group[g];
    const float *direction = cutting->direction + g * PCF_MOST_COORDINATES;
    int64_t from = group->first > begin ? group->first : begin;
    int64_t to = group->first + group->count < end ? group->first + group->count : end;
    if (from >= end) break;
    for (int64_t k = from; k < to; k++) {
      cutting->place[k].key =
        inner_product(point_of(cutting, k), direction, cutting->coordinates);
    }
  }
  return PCF_OK;
}

/* ---- Cutting ---- */

/* Of points in the same place the one with the smaller number comes first, so that the halves
 * depend on the points alone. */
static int comes_before(const struct place *a, const struct place *b) {
  return a->key < b->key || (a->key == b->key && a->point < b->point);
}

static void exchange(struct place *a, struct place *b) {
  struct place swap = *a;
  *a = *b;
  *b = swap;
}

/* The middle one of the first, the middle and the last. */
static struct place pivot_of(const struct place *place, int64_t first, int64_t last) {
  const struct place *a = &place[first], *b = &place[first + (last - first) / 2],
                     *c = &place[last];
  if (comes_before(b, a)) {
    const struct place *swap = a;
    a = b;
    b = swap;
  }
  if (comes_before(c, a)) return *a;
  return comes_before(c, b) ? *c : *b;
}

/* Brings the first `front` of the places to the front, by quickselect. */
static void select_front(struct place *place, int64_t count, int64_t front) {
  int64_t first = 0, last = count - 1;
  while (first < last) {
    struct place pivot = pivot_of(place, first, last);
    int64_t i = first, j = last;
    while (i <= j) {
      while (comes_before(&place[i], &pivot)) i++;
      while (comes_before(&pivot, &place[j])) j--;
      if (i <= j) exchange(&place[i++], &place[j--]);
    }
    if (front <= j) last = j;
    else if (front >= i) first = i;
    else return;
  }
}

static struct group to_be_cut(int64_t first, int64_t count) {
  return (struct group){first, count > PCF_BAND_POINTS ? count : 0};
}

static enum pcf_status halve_group(void *cutting_, int thread, int64_t index,
                                   struct pcf_error *error) {
  const struct cutting *cutting = cutting_;
  const struct group group = cutting->group[index];
  int64_t bands = (group.count + PCF_BAND_POINTS - 1) / PCF_BAND_POINTS;
  int64_t front = bands / 2 * PCF_BAND_POINTS;
  select_front(cutting->place + group.first, group.count, front);
  cutting->half[2 * index] = to_be_cut(group.first, front);
  cutting->half[2 * index + 1] = to_be_cut(group.first + front, group.count - front);
  return PCF_OK;
}
