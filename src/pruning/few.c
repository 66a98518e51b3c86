#include "pruning/few.h"

#include "base/memory.h"

#include <math.h>

/* A function and the others, ready for walks. */
struct group {
  struct pcf_collection view;
  const double **function;
  int64_t *offsets;
  struct pcf_arrays arrays; /* both of these */
  struct pcf_walks walks;
};

static void free_group(struct group *group) {
  pcf_walks_free(&group->walks);
  pcf_arrays_free(&group->arrays);
}

static void add_to_group(struct group *group, const struct pcf_collection *x, int32_t i) {
  int64_t n = group->view.count++;
  group->function[n] = x->functions[i];
  group->offsets[n + 1] = group->offsets[n] + pcf_breakpoints(x, i);
}

static enum pcf_status make_group(struct group *group, const struct pcf_few *few, int32_t i,
                                  int64_t others, const int32_t *other,
                                  struct pcf_error *error) {
  size_t most = (size_t)others + 1;
  *group = (struct group){0};
  group->function = pcf_array(&group->arrays, most, sizeof *group->function, error);
  group->offsets = pcf_array(&group->arrays, most + 1, sizeof *group->offsets, error);
  if (group->arrays.status) return PCF_ERROR_MEMORY;
  group->view =
    (struct pcf_collection){.functions = group->function, .offsets = group->offsets};
  group->offsets[0] = 0;
  add_to_group(group, few->x, i);
  for (int64_t k = 0; k < others; k++) add_to_group(group, few->y, other[k]);
  return pcf_walks_make(&group->walks, &group->view, NULL, few->integral, 0, 1, NULL, error);
}

static double distance_of(const struct pcf_few *few, const struct pcf_walk *f,
                          const struct pcf_walk *g) {
  struct pcf_partial partial;
  if (pcf_pair_part(few->integral, few->kernels, f, g, 0, 1, few->stop, &partial)) return 0;
  double result = pcf_pair_finish(few->integral, f, g, &partial, 1);
  return ldexp(result * few->integral->factor, few->integral->exponent);
}

enum pcf_status pcf_few_distances(const struct pcf_few *few, int32_t i, int64_t others,
                                  const int32_t *other, double *distance,
                                  struct pcf_error *error) {
  struct group group;
  enum pcf_status status = make_group(&group, few, i, others, other, error);
  for (int64_t k = 0; k < others && !status; k++) {
    distance[k] = distance_of(few, &group.walks.walk[0], &group.walks.walk[1 + k]);
  }
  free_group(&group);
  return status;
}
