#include "collections/weight.h"

#include <math.h>

/* Ends the last piece where another height begins. */
static void change_height(struct pcf_weight *weight, double time, double height) {
  int64_t last = weight->pieces - 1;
  if (height == weight->height[last]) return;
  weight->end[last] = time;
  weight->height[last + 1] = height;
  weight->pieces++;
}

enum pcf_status pcf_weight_room(struct pcf_weight *weight, int64_t pieces,
                                struct pcf_error *error) {
  *weight = (struct pcf_weight){0};
  weight->end = pcf_array(&weight->arrays, (size_t)pieces, sizeof *weight->end, error);
  weight->height = pcf_array(&weight->arrays, (size_t)pieces, sizeof *weight->height, error);
  if (!weight->arrays.status) weight->pieces = pieces;
  return weight->arrays.status;
}

enum pcf_status pcf_weight_make(struct pcf_weight *weight, const struct pcf_collection *w,
                                double from, double to, struct pcf_error *error) {
  const double *time = pcf_times(w, 0), *value = pcf_values(w, 0);
  int64_t m = pcf_breakpoints(w, 0), k = 0;
  enum pcf_status status = pcf_weight_room(weight, m + 1, error);
  if (status) return status;
  weight->height[0] = 0;
  weight->pieces = 1;
  for (; k < m && time[k] <= from; k++) weight->height[0] = value[k];
  for (; k < m && time[k] < to; k++) change_height(weight, time[k], value[k]);
  weight->end[weight->pieces - 1] = INFINITY;
  return PCF_OK;
}

void pcf_weight_free(struct pcf_weight *weight) {
  pcf_arrays_free(&weight->arrays);
  *weight = (struct pcf_weight){0};
}

double pcf_weight_most(const struct pcf_weight *weight) {
  double most = 0;
  for (int64_t k = 0; k < weight->pieces; k++) most = fmax(most, weight->height[k]);
  return most;
}

double pcf_weight_least(const struct pcf_weight *weight) {
  double least = INFINITY;
  for (int64_t k = 0; k < weight->pieces; k++) {
    if (weight->height[k] > 0) least = fmin(least, weight->height[k]);
  }
  return least;
}

double pcf_weight_between(const struct pcf_weight *weight, double from, double to) {
  double sum = 0, begin = from;
  for (int64_t k = pcf_piece_until(weight, from, PCF_DOUBLE); k < weight->pieces && begin < to;
       k++) {
    double end = fmin(weight->end[k], to);
    if (!(end > begin)) continue;
    if (weight->height[k] > 0) sum += weight->height[k] * (end - begin);
    begin = end;
  }
  return sum;
}
