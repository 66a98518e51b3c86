/* The places of many numbers among a few increasing ones. A table of buckets of equal width
 * says where to begin, and then it takes as many comparisons as the fullest bucket has numbers:
 * one or two where they are about evenly spread. Nothing is a branch. */
#ifndef PCF_PLACES_H
#define PCF_PLACES_H

#include <stdint.h>

enum { PCF_MOST_PLACES = 1024, PCF_PLACE_BUCKETS = 2 * PCF_MOST_PLACES };

struct pcf_places {
  double from, scale;
  int comparisons;                    /* 0: the numbers are too uneven for a table */
  uint16_t before[PCF_PLACE_BUCKETS]; /* how many numbers are in the buckets before */
  double number[PCF_MOST_PLACES + 1]; /* with ∞ behind the last one */
};

/* Prepares for `count` increasing numbers, 1 … PCF_MOST_PLACES; some may be equal or infinite.
 */
void pcf_places_make(struct pcf_places *places, const double *number, int64_t count);

/* The bucket of a finite number: never less for a larger one. */
static inline int64_t pcf_place_bucket(const struct pcf_places *places, double x) {
  double bucket = (x - places->from) * places->scale, last = PCF_PLACE_BUCKETS - 1;
  bucket = bucket > 0 ? bucket : 0;
  bucket = bucket < last ? bucket : last;
  return (int64_t)bucket;
}

/* How many of the numbers are less than x, where x is finite, and `comparisons` is that of
 * places and not 0: a constant, where it can be one, makes this faster. */
static inline int64_t pcf_place_of(const struct pcf_places *places, int comparisons, double x) {
  int64_t place = places->before[pcf_place_bucket(places, x)];
  for (int c = 0; c < comparisons; c++) place += places->number[place] < x;
  return place;
}

#endif
