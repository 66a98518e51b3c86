#include "base/bucket-search.h"

#include <math.h>
#include <string.h>

enum { MOST_COMPARISONS = 8 };

void pcf_places_make(struct pcf_places *places, const double *number, int64_t count) {
  double width = number[count - 1] - number[0];
  *places = (struct pcf_places){.from = number[0], .scale = PCF_PLACE_BUCKETS / width};
  if (!(width > 0 && isfinite(width) && isfinite(places->scale))) return;
  memcpy(places->number, number, (size_t)count * sizeof *number);
  places->number[count] = INFINITY;
  int64_t place = 0, fullest = 0;
  for (int64_t bucket = 0; bucket < PCF_PLACE_BUCKETS; bucket++) {
    int64_t first = place;
    places->before[bucket] = (uint16_t)place;
    while (place < count && pcf_place_bucket(places, number[place]) == bucket) place++;
    fullest = place - first > fullest ? place - first : fullest;
  }
  if (fullest <= MOST_COMPARISONS) places->comparisons = (int)fullest;
}
