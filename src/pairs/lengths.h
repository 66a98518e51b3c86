/* Lengths of overlaps, as companions of the results that they divide: how long both functions
 * of a pair are observed in the window.
 *
 * Times and lengths are whole numbers of a unit, modulo 2^64, or 2^32 in single precision. Sums
 * of these have no rounding errors, so that they are the same in any order, and a sum over the
 * stretches where a function is observed is also the difference of one over all and one over
 * its gaps. The unit is so small that rounding to it costs no more digits than adding up
 * numbers would; the lengths of pairs with a small overlap, of which that is not true, are
 * found by going through both functions. */
#ifndef PCF_LENGTHS_H
#define PCF_LENGTHS_H

#include "pairs/tiles.h"

/* Two methods for such companions, in tiles: beside results of the grid, by its cells; beside
 * others, by the changes of the indicators. */
extern const struct pcf_method pcf_lengths_of_cells, pcf_lengths_of_changes;

/* What lengths are found with: numbers of 2^-bits in the integral's time, and the precision
 * that times are in, where they are not only differences of times. */
struct pcf_units {
  const struct pcf_pairs *pairs; /* of indicators */
  enum pcf_precision times;
  int bits;
  double one, unit; /* a product of ones, and of one with a unit, as results have them */
};

/* Chooses the unit for a run. PCF_ERROR_MEMORY, PCF_ERROR_INTERRUPTED. */
enum pcf_status pcf_units_choose(const struct pcf_cpu_run *run, enum pcf_precision times,
                                 struct pcf_units *units, struct pcf_error *error);

/* The precision by which the kernels go, and the bytes of a number. */
static inline enum pcf_precision pcf_units_precision(const struct pcf_units *units) {
  return units->pairs->integral.precision;
}

static inline size_t pcf_units_size(const struct pcf_units *units) {
  return pcf_units_precision(units) == PCF_DOUBLE ? sizeof(int64_t) : sizeof(int32_t);
}

/* Numbers as kernels have them. */
static inline int64_t pcf_load_units(const struct pcf_units *units, const void *from,
                                     int64_t k) {
  if (pcf_units_precision(units) == PCF_DOUBLE) return ((const int64_t *)from)[k];
  return ((const int32_t *)from)[k];
}

static inline void pcf_store_units(const struct pcf_units *units, void *to, int64_t k,
                                   int64_t number) {
  if (pcf_units_precision(units) == PCF_DOUBLE) ((int64_t *)to)[k] = number;
  else ((int32_t *)to)[k] = (int32_t)(uint32_t)(uint64_t)number;
}

/* A finite time or length in units, modulo 2^64. */
int64_t pcf_units_of(const struct pcf_units *units, double time);

/* Sums and opposites, modulo 2^64. */
static inline int64_t pcf_sum_of_units(int64_t x, int64_t y) {
  return (int64_t)((uint64_t)x + (uint64_t)y);
}

static inline int64_t pcf_opposite(int64_t x) {
  return (int64_t)(0 - (uint64_t)x);
}

/* Describes tile (i, j) to the functions of these methods. */
void pcf_lengths_sides(const struct pcf_cpu_run *run, int64_t i, int64_t j,
                       struct pcf_tile *tile);

/* Stores lengths in units, as kernels have them, as the output of a column of a tile and its
 * rows from `begin` to before `end`; the tile begins at the pair `place`. */
void pcf_units_store(const struct pcf_units *units, const struct pcf_tile *tile,
                     const struct pcf_spot *place, int column, int begin, int end,
                     const void *lengths);

#endif
