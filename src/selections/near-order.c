#include "selections/near-order.h"

#include "base/memory.h"
#include "base/threads.h"
#include "selections/coordinates.h"

#include <math.h>

/* The direction of the largest spread is that of the first principal component, which so many
 * steps of the power iteration over so many points come close to. */
enum { SAMPLE = 128, STEPS = 6 };

/* A point, and where it lies along a direction. */
struct place {
  float key;
  int32_t point;
};

/* Consecutive places that are still to be cut. */
struct group {
  int64_t first, count;
};

struct cutting {
  const float *point;
  int coordinates;
  struct place *place;
  const struct group *group;
  struct group *half; /* two for each group; what is one band has a count of 0 */
};

static enum pcf_status cut_group(void *cutting, int thread, int64_t index,
                                 struct pcf_error *error);

/* Moves those that are to be cut to the front. */
static int64_t gather(struct group *group, int64_t groups) {
  int64_t kept = 0;
  for (int64_t g = 0; g < groups; g++) {
    if (group[g].count) group[kept++] = group[g];
  }
  return kept;
}

static enum pcf_status cut_all(struct cutting *cutting, struct group *group, struct group *half,
                               int64_t count, int threads, const atomic_int *stop,
                               struct pcf_error *error) {
  int64_t groups = count > PCF_BAND_POINTS;
  group[0] = (struct group){0, count};
  while (groups) {
    cutting->group = group;
    cutting->half = half;
    enum pcf_status status = pcf_parallel_for(threads, groups, stop, cut_group, cutting, error);
    if (status) return status;
    groups = gather(half, 2 * groups);
    struct group *swap = group;
    group = half;
    half = swap;
  }
  return PCF_OK;
}

enum pcf_status pcf_near_order(const float *point, int64_t count, int coordinates, int threads,
                               const atomic_int *stop, int32_t *order,
                               struct pcf_error *error) {
  size_t most = (size_t)(count / PCF_BAND_POINTS + 2);
  enum pcf_status status = PCF_ERROR_MEMORY;
  struct cutting cutting = {point, coordinates, NULL, NULL, NULL};
  cutting.place = pcf_allocate((size_t)count, sizeof *cutting.place, error);
  struct group *group = pcf_allocate(2 * most, 2 * sizeof *group, error);
  if (cutting.place && group) {
    for (int64_t i = 0; i < count; i++) cutting.place[i] = (struct place){0, (int32_t)i};
    status = cut_all(&cutting, group, group + 2 * most, count, threads, stop, error);
  }
  for (int64_t i = 0; i < count && !status; i++) order[i] = cutting.place[i].point;
  pcf_free(cutting.place);
  pcf_free(group);
  return status;
}

/* ---- Directions ---- */

static const float *point_of(const struct cutting *cutting, int64_t place) {
  return cutting->point + (int64_t)cutting->place[place].point * cutting->coordinates;
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

static enum pcf_status cut_group(void *cutting_, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct cutting *cutting = cutting_;
  const struct group group = cutting->group[index];
  struct cloud cloud = {0};
  float direction[PCF_MOST_COORDINATES] = {0};
  (void)thread;
  (void)error;
  fill_cloud(&cloud, cutting, &group);
  find_direction(&cloud, direction);
  struct place *place = cutting->place + group.first;
  for (int64_t k = 0; k < group.count; k++) {
    place[k].key =
      inner_product(point_of(cutting, group.first + k), direction, cutting->coordinates);
  }
  int64_t bands = (group.count + PCF_BAND_POINTS - 1) / PCF_BAND_POINTS;
  int64_t front = bands / 2 * PCF_BAND_POINTS;
  select_front(place, group.count, front);
  cutting->half[2 * index] = to_be_cut(group.first, front);
  cutting->half[2 * index + 1] = to_be_cut(group.first + front, group.count - front);
  return PCF_OK;
}
