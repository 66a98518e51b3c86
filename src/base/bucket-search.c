#include "base/bucket-search.h"

#include <math.h>
#include <string.h>

enum { MOST_COMPARISONS = 8 };

void pcf_bucket_search_make(struct pcf_bucket_search *search, const double *number,
                            int64_t count) {
  double width = number[count - 1] - number[0];
  *search =
    (struct pcf_bucket_search){.from = number[0], .scale = PCF_BUCKET_SEARCH_BUCKETS / width};
  if (!(width > 0 && isfinite(width) && isfinite(search->scale))) return;
  memcpy(search->number, number, (size_t)count * sizeof *number);
  search->number[count] = INFINITY;
  int64_t place = 0, fullest = 0;
  for (int64_t bucket = 0; bucket < PCF_BUCKET_SEARCH_BUCKETS; bucket++) {
    int64_t first = place;
    search->before[bucket] = (uint16_t)place;
    while (place < count && pcf_bucket_search_bucket(search, number[place]) == bucket) place++;
    fullest = place - first > fullest ? place - first : fullest;
  }
  if (fullest <= MOST_COMPARISONS) search->comparisons = (int)fullest;
}
